//! The methods of binary functions, as NumPy has them: `reduce(add, x, over=n)`, `accumulate`,
//! `reduceat`, `outer`, `at`.

use strand_ir::{Axis, Domain, Expr, ExprKind, Host, IndexItem, Over, Size, TensorType, Type};
use strand_ops::{Class, DType, Op, OpId};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::builtins::OpCall;
use crate::calls::{CallArg, Callee};
use crate::context::Checker;
use crate::heads::without_parens;
use crate::index::Base;
use crate::operators::{op_expr, result_dtype, short, takes};
use crate::special::made;
use crate::suggest::grouped;

impl Checker<'_> {
    /// A method of a binary function, whose name is the first argument.
    pub(crate) fn method(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        // A pipe puts its value first; the name then follows.
        let piped = matches!(call.args.first(), Some(CallArg::Typed(_)));
        let at = usize::from(piped);
        let Some(CallArg::Written(named)) = call.args.get(at) else {
            let name = call.op.name;
            let message = format!("{name} takes a binary function first: `{name}(add, x)`");
            self.error(Code::E0703, call.args_span, message);
            return None;
        };
        let function = self.binary_function(call, &named.value)?;
        let rest = call
            .args
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != at);
        let rest: Vec<CallArg<'_>> = rest
            .map(|(_, arg)| match arg {
                CallArg::Written(arg) => CallArg::Written(arg),
                CallArg::Typed(value) => CallArg::Typed(value.clone()),
                CallArg::Keyed(keyword, value) => CallArg::Keyed(keyword, value.clone()),
            })
            .collect();
        let call = OpCall {
            args: &rest,
            ..*call
        };
        match call.op.id {
            OpId::Reduce => self.reduced(&call, function, named.value.span),
            OpId::Accumulate => self.accumulated(&call, function, named.value.span),
            OpId::ReduceAt => self.reduced_at(&call, function, named.value.span),
            OpId::Outer => self.outer(&call, function),
            _ => self.put_at(&call, function, named.value.span),
        }
    }

    /// The binary built-in that an argument names; E0704.
    fn binary_function(&mut self, call: &OpCall<'_, '_>, arg: &ast::Expr) -> Option<&'static Op> {
        let arg = without_parens(arg);
        let name = match &arg.kind {
            ast::ExprKind::Name(name) => Some(name),
            ast::ExprKind::Error => return None,
            _ => None,
        };
        let found = name.and_then(|name| {
            let ident = ast::Ident {
                name: name.clone(),
                span: arg.span,
            };
            match self.resolve_function(&[ident])? {
                Callee::Op(op) => Some(op.op()),
                _ => None,
            }
        });
        if let Some(op) = found
            && op.class == (Class::Elementwise { arity: 2 })
            && op.params.is_empty()
        {
            return Some(op);
        }
        let method = call.op.name;
        let message = format!("{method} takes a binary built-in first, such as `add`");
        let mut finding = Diagnostic::new(Code::E0704, arg.span, message);
        let meant = match name.map_or("", |name| name) {
            "sum" | "plus" | "cumsum" => Some("add"),
            "mul" | "prod" | "times" | "cumprod" => Some("multiply"),
            "max" | "amax" | "cummax" => Some("maximum"),
            "min" | "amin" | "cummin" => Some("minimum"),
            "all" => Some("logical_and"),
            "any" => Some("logical_or"),
            "div" => Some("divide"),
            _ => None,
        };
        if let Some(meant) = meant {
            finding = finding.write(arg.span, meant);
        }
        self.report(finding);
        None
    }

    /// E0704 of a function that a method isn't defined for.
    fn no_method(&mut self, call: &OpCall<'_, '_>, function: &Op, span: Span) -> Option<Expr> {
        let (method, name) = (call.op.name, function.name);
        let finding = Diagnostic::new(
            Code::E0704,
            span,
            format!("{method} isn't defined for {name}"),
        );
        let logic = if matches!(call.op.id, OpId::Reduce | OpId::Accumulate) {
            ", logical_and, logical_or"
        } else {
            ""
        };
        let finding = finding.note(format!("It is for add, multiply, maximum, minimum{logic}."));
        self.report(finding);
        None
    }

    /// NumPy works over the first axis where none is given, PyTorch over all: with several it is
    /// always said.
    fn reduced(&mut self, call: &OpCall<'_, '_>, function: &Op, span: Span) -> Option<Expr> {
        let id = match function.id {
            OpId::Add => OpId::Sum,
            OpId::Mul => OpId::Prod,
            OpId::Maximum => OpId::Max,
            OpId::Minimum => OpId::Min,
            OpId::LogicalAnd => OpId::All,
            OpId::LogicalOr => OpId::Any,
            _ => return self.no_method(call, function, span),
        };
        let (first, params) = self.split_args(call, 1)?;
        let value = self.argument(first.first()?, None, false);
        let (value, tensor) = self.as_tensor(call, value)?;
        if params.is_empty() && tensor.rank() > 1 {
            self.axis_needed(call, &tensor);
            return None;
        }
        self.as_function(call, id, value)
    }

    fn accumulated(&mut self, call: &OpCall<'_, '_>, function: &Op, span: Span) -> Option<Expr> {
        let (id, logic) = match function.id {
            OpId::Add => (OpId::CumSum, false),
            OpId::Mul => (OpId::CumProd, false),
            OpId::Maximum => (OpId::CumMax, false),
            OpId::Minimum => (OpId::CumMin, false),
            OpId::LogicalAnd => (OpId::CumProd, true),
            OpId::LogicalOr => (OpId::CumSum, true),
            _ => return self.no_method(call, function, span),
        };
        let (first, params) = self.split_args(call, 1)?;
        let value = self.argument(first.first()?, None, false);
        let one = self.as_tensor(call, value)?;
        if params.is_empty() {
            self.without_over(call, &one.1, &one.0)?;
        }
        if !logic {
            return self.as_function(call, id, one.0);
        }
        let value = as_bool(one.0);
        self.as_function(call, id, value).map(as_bool)
    }

    /// The call as that of the function that the method is.
    fn as_function(&mut self, call: &OpCall<'_, '_>, id: OpId, value: Expr) -> Option<Expr> {
        let mut args = vec![CallArg::Typed(value)];
        for arg in call.args {
            if let (CallArg::Written(arg), true) = (arg, arg.keyword().is_some()) {
                args.push(CallArg::Written(arg));
            }
        }
        let call = OpCall {
            op: id.op(),
            args: &args,
            ..*call
        };
        self.over_tensor(&call)
    }

    /// The indices of an axis that an argument gives; E0506, E0507, E0508.
    fn places_in(
        &mut self,
        call: &OpCall<'_, '_>,
        (base, axis): (&(Expr, TensorType), usize),
        arg: &CallArg<'_>,
    ) -> Option<(Expr, TensorType)> {
        let value = self.argument(arg, None, false);
        let (index, ty) = self.as_tensor(call, value)?;
        if ty.rank() != 1 {
            self.wrong_rank(call, &(index, ty), "indices along one axis");
            return None;
        }
        let place = Base {
            ty: &base.1,
            span: base.0.span,
        };
        let inside = match (&ty.domain, arg) {
            (Domain::Index(of), _) if of.agrees(&base.1.axes[axis], &self.program.symbols) => true,
            // Whole numbers that are written are looked at one by one.
            (_, CallArg::Written(arg)) if matches!(index.kind, ExprKind::Literal { .. }) => {
                self.check_tensor(&index, 0, &arg.value, &place, axis, false)?
            }
            _ => {
                self.no_places(&base.1.axes[axis], &index, &ty);
                return None;
            }
        };
        if inside {
            return Some((index, ty));
        }
        let domain = Domain::Index(base.1.axes[axis].clone());
        let checked = TensorType {
            domain: domain.clone(),
            ..ty
        };
        let span = index.span;
        let kind = ExprKind::Convert {
            value: Box::new(index),
            dtype: None,
            check: Some(domain),
        };
        let ty = Type::Tensor(checked.clone());
        Some((Expr { kind, ty, span }, checked))
    }

    /// E0507 of indices of another axis, E0506 of what aren't indices.
    fn no_places(&mut self, axis: &Axis, index: &Expr, ty: &TensorType) {
        let (text, axis_text) = (self.name_of(index.span), self.show_axis(axis));
        let (code, found) = match &ty.domain {
            Domain::Index(of) => (
                Code::E0507,
                format!(
                    "{text} is an index of {}, not of {axis_text}",
                    self.show_axis(of)
                ),
            ),
            _ => {
                let ty = ty.display(&self.program.symbols);
                (
                    Code::E0506,
                    format!("{text} is {ty}, not an Index of {axis_text}"),
                )
            }
        };
        let message = short(found, format!("this isn't an Index of {axis_text}"));
        let mut finding = Diagnostic::new(code, index.span, message);
        let mut name = self.writable(axis).filter(|_| ty.dtype == DType::I64);
        if let Domain::Index(of) = &ty.domain {
            finding = self.declare_index(finding, of, axis, index.span);
            name = name.filter(|_| !self.is_converted_in(of, index.span));
        }
        if let Some(name) = name {
            let text = grouped(index.span.text(self.text));
            finding = finding
                .write(index.span, format!("{text} to Index[{name}]"))
                .meaning("checks its values when it runs");
        }
        self.report(finding);
    }

    /// A tensor first, of a dtype that the row takes.
    fn first_tensor(
        &mut self,
        call: &OpCall<'_, '_>,
        arg: &CallArg<'_>,
    ) -> Option<(Expr, TensorType)> {
        let value = self.argument(arg, None, false);
        let one = self.as_tensor(call, value)?;
        if !takes(call.op.dtype, one.1.dtype) {
            self.not_defined(call.op.name, call.op.dtype, one.1.dtype, &one.0);
            return None;
        }
        Some(one)
    }

    fn reduced_at(&mut self, call: &OpCall<'_, '_>, function: &Op, span: Span) -> Option<Expr> {
        if !puts(function) {
            return self.no_method(call, function, span);
        }
        let (first, params) = self.split_args(call, 2)?;
        let one = self.first_tensor(call, first.first()?)?;
        let axis = self.axis_along(call, &one, &params)?;
        let (offsets, ty) = self.places_in(call, (&one, axis), first.get(1)?)?;
        let (value, tensor) = one;
        let mut axes = tensor.axes;
        axes[axis] = ty.axes.first()?.clone();
        let ty = Type::Tensor(TensorType::new(axes, tensor.dtype));
        let over = Over::Axes(vec![axis]);
        let args = vec![value, offsets];
        Some(made(call, args, over, vec![named(function, span)], ty))
    }

    fn put_at(&mut self, call: &OpCall<'_, '_>, function: &Op, span: Span) -> Option<Expr> {
        if !puts(function) {
            return self.no_method(call, function, span);
        }
        let (first, _) = self.split_args(call, 3)?;
        let one = self.first_tensor(call, first.first()?)?;
        if one.1.rank() == 0 {
            let text = self.name_of(one.0.span);
            let message = format!("{text} has no axis to put values at");
            self.error(Code::E0704, one.0.span, message);
            return None;
        }
        let (index, places) = self.places_in(call, (&one, 0), first.get(1)?)?;
        let values = self.argument(first.get(2)?, None, false);
        if values.ty.is_error() || !self.is_operand(&values, call.op.name) {
            return None;
        }
        let dtype = self.common_dtype(&[&one.0, &values])?;
        let values = self.lift(values, dtype);
        let mut axes = places.axes.clone();
        axes.extend(one.1.axes.iter().skip(1).cloned());
        let target = TensorType::new(axes, dtype);
        let values = self.stretched_to(values, &target)?;
        let (value, tensor) = one;
        let ty = Type::Tensor(TensorType::new(tensor.axes, dtype));
        let args = vec![value, index, values];
        Some(made(
            call,
            args,
            Over::None,
            vec![named(function, span)],
            ty,
        ))
    }

    /// A tensor in a shape that it broadcasts to; E0503.
    fn stretched_to(&mut self, value: Expr, target: &TensorType) -> Option<Expr> {
        let own = value.ty.tensor()?;
        let symbols = &self.program.symbols;
        let pairs = || own.axes.iter().rev().zip(target.axes.iter().rev());
        let fits = own.rank() <= target.rank()
            && pairs().all(|(a, b)| a.stretches() || a.agrees(b, symbols));
        if !fits {
            let (found, wanted) = (own.display_shape(symbols), target.display_shape(symbols));
            let message = short(
                format!("the values are {found}; {wanted} is put there"),
                "the values don't have the shape that is put there".to_owned(),
            );
            self.error(Code::E0503, value.span, message);
            return None;
        }
        if own.rank() == target.rank() && pairs().all(|(a, b)| a.agrees(b, symbols)) {
            return Some(value);
        }
        let span = value.span;
        let ty = Type::Tensor(target.clone());
        Some(op_expr(OpId::Expand, vec![value], ty, span))
    }

    /// `outer(multiply, a, b)`: `a[..., newaxis] * b`, with an axis of size 1 for each axis of b.
    fn outer(&mut self, call: &OpCall<'_, '_>, function: &'static Op) -> Option<Expr> {
        let (first, _) = self.split_args(call, 2)?;
        let given = first.iter().map(|arg| self.argument(arg, None, false));
        let mut given: Vec<Expr> = given.collect();
        // A number has the dtype of the tensor beside it.
        let dtype = given
            .iter()
            .find_map(|value| value.ty.tensor().map(|ty| ty.dtype));
        let mut values = Vec::with_capacity(2);
        for value in given.drain(..) {
            let value = match dtype {
                Some(dtype) => self.lift(value, dtype),
                None => value,
            };
            values.push(self.as_tensor(call, value)?);
        }
        let [(a, left), (b, right)] = values.as_slice() else {
            return None;
        };
        let dtype = self.common_dtype(&[a, b])?;
        if !takes(function.dtype, dtype) {
            self.not_defined(function.name, function.dtype, dtype, a);
            return None;
        }
        let mut axes = left.axes.clone();
        axes.extend(right.axes.iter().cloned());
        let ty = TensorType {
            axes,
            dtype: result_dtype(function.dtype, dtype),
            domain: Domain::Plain,
        };
        let mut a = a.clone();
        if right.rank() > 0 && left.rank() > 0 {
            let mut wide = TensorType::new(left.axes.clone(), dtype);
            let whole = IndexItem::Slice {
                start: None,
                end: None,
                step: None,
            };
            let mut items = vec![whole; left.rank()];
            for _ in 0..right.rank() {
                items.push(IndexItem::NewAxis);
                wide.axes.push(Axis::unnamed(Size::constant(1)));
            }
            let span = a.span;
            let base = Box::new(a);
            let kind = ExprKind::Index { base, items };
            let ty = Type::Tensor(wide);
            a = Expr { kind, ty, span };
        }
        Some(op_expr(
            function.id,
            vec![a, b.clone()],
            Type::Tensor(ty),
            call.span,
        ))
    }
}

/// Whether values are put and parts reduced by a function.
fn puts(function: &Op) -> bool {
    matches!(
        function.id,
        OpId::Add | OpId::Mul | OpId::Maximum | OpId::Minimum
    )
}

/// The function's name as the operation's parameter.
fn named(function: &Op, span: Span) -> (&'static str, Expr) {
    let name = Expr {
        kind: ExprKind::Str(function.name.to_owned()),
        ty: Type::Host(Host::Str),
        span,
    };
    ("function", name)
}

/// Whether the elements aren't zero.
fn as_bool(value: Expr) -> Expr {
    let axes = value.ty.tensor().map(|ty| ty.axes.clone());
    let ty = TensorType::new(axes.unwrap_or_default(), DType::Bool);
    if value
        .ty
        .tensor()
        .is_some_and(|own| own.dtype == DType::Bool)
    {
        return value;
    }
    let span = value.span;
    let kind = ExprKind::Convert {
        value: Box::new(value),
        dtype: Some(DType::Bool),
        check: None,
    };
    let ty = Type::Tensor(ty);
    Expr { kind, ty, span }
}
