//! Built-ins that put tensors together or take the last two axes as a matrix: `concat`, `stack`,
//! `tril`, `triu`, `diag`, `one_hot`, `eye`, `len`.

use strand_ir::{Axis, Domain, Expr, ExprKind, Host, How, Over, Size, TensorType, Type};
use strand_ops::{DType, OpId, ParamKind};
use strand_source::{Code, Diagnostic};
use strand_syntax::ast;

use crate::builtins::OpCall;
use crate::calls::CallArg;
use crate::clash::Row;
use crate::context::Checker;
use crate::habits::axis_of_one;
use crate::mends::Mend;
use crate::operators::{op_expr, short};
use crate::over::{place_of, position};
use crate::suggest::grouped;

/// The values of a built-in's other parameters.
type Numbers = Vec<(&'static str, Expr)>;

/// The tensors of a join with their types, in order.
type Parts<'p> = [(&'p Expr, &'p TensorType)];

impl Checker<'_> {
    /// `concat(a, b, over=n)`, `stack(a, b)`
    pub(crate) fn put_together(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        if call.args.is_empty() {
            let name = call.op.name;
            let message = format!("{name} needs tensors: `{name}(x, y)`");
            self.error(Code::E0703, call.args_span, message);
            return None;
        }
        if self.is_list_of_tensors(call) {
            return None;
        }
        let tensors = call.args.iter().filter(|arg| arg.keyword().is_none());
        let (first, params) = self.split_args(call, tensors.count())?;
        let mut values = Vec::with_capacity(first.len());
        for arg in &first {
            values.push(self.argument(arg, None, false));
        }
        if values.iter().any(|value| value.ty.is_error()) {
            return None;
        }
        for value in &mut values {
            if !self.is_operand(value, call.op.name) {
                return None;
            }
            let dtype = match value.ty {
                Type::Host(Host::Bool) => DType::Bool,
                Type::Host(Host::Int) => DType::I64,
                _ => DType::F32,
            };
            *value = self.lift(value.clone(), dtype);
        }
        let all: Vec<&Expr> = values.iter().collect();
        let dtype = self.common_dtype(&all)?;
        let parts = values.iter().map(|value| Some((value, value.ty.tensor()?)));
        let parts: Vec<_> = parts.collect::<Option<_>>()?;
        let (over, axes) = if call.op.id == OpId::Stack {
            (Over::None, self.stacked(call, &parts)?)
        } else {
            let over = params.iter().find(|(p, _)| p.kind == ParamKind::Over);
            let axis = self.join_axis(call, &parts, over.map(|(_, arg)| *arg))?;
            (
                Over::Axes(vec![axis]),
                self.concatenated(call, &parts, axis)?,
            )
        };
        // Where one thing is certain of all, it is certain of the whole.
        let symbols = &self.program.symbols;
        let (_, head) = parts.first()?;
        let certain = |(_, ty): &(&Expr, &TensorType)| {
            ty.domain.serves(&head.domain, symbols) && head.domain.serves(&ty.domain, symbols)
        };
        let domain = if parts.iter().all(certain) {
            head.domain.clone()
        } else {
            Domain::Plain
        };
        let ty = Type::Tensor(TensorType {
            axes,
            dtype,
            domain,
        });
        let kind = ExprKind::Op {
            op: call.op.id,
            args: values,
            over,
            params: Vec::new(),
        };
        let span = call.span;
        Some(Expr { kind, ty, span })
    }

    /// E0704 of `concat([a, b], 0)`, as PyTorch takes them; says whether it was that.
    fn is_list_of_tensors(&mut self, call: &OpCall<'_, '_>) -> bool {
        let name = call.op.name;
        let Some((CallArg::Written(first), rest)) = call.args.split_first() else {
            return false;
        };
        let (ast::ExprKind::Literal(parts) | ast::ExprKind::Tuple(parts)) = &first.value.kind
        else {
            return false;
        };
        let alone = |arg: &CallArg<'_>| match arg {
            CallArg::Written(arg) => arg.name.is_some() || position(&arg.value).is_some(),
            _ => false,
        };
        if !rest.iter().all(alone) {
            return false;
        }
        let message = format!("{name} takes its tensors one by one: `{name}(x, y)`");
        let mut finding = Diagnostic::new(Code::E0704, first.value.span, message);
        if let Some(text) = self.joined_text(call.op.id, parts, rest) {
            finding = finding.write(call.span, text);
        }
        self.report(finding);
        true
    }

    /// A join as Strand writes it: `dim=0` is `over=` with the first tensor's axis of that place.
    pub(crate) fn joined_text(
        &mut self,
        op: OpId,
        parts: &[ast::Expr],
        rest: &[CallArg<'_>],
    ) -> Option<String> {
        let name = op.name();
        let tensors: Vec<&str> = parts.iter().map(|part| part.span.text(self.text)).collect();
        let tensors = tensors.join(", ");
        let dim = match rest {
            [] => None,
            [CallArg::Written(arg)] => Some(*arg),
            _ => return None,
        };
        let typed = self.tried(|checker| parts.first().map(|part| checker.expr(part, None)));
        let typed = typed??;
        let tensor = typed.ty.tensor()?;
        if op == OpId::Concat {
            return Some(match dim {
                Some(dim) => {
                    let over = self.position_text(tensor, &dim.value)?;
                    format!("{name}({tensors}, over={over})")
                }
                None if tensor.rank() > 1 => {
                    let over = self.over_text(tensor, 0);
                    format!("{name}({tensors}, over={over})")
                }
                None => format!("{name}({tensors})"),
            });
        }
        let at = dim.map_or(Some(0), |dim| place_of(&dim.value, tensor.rank() + 1))?;
        if at == 0 {
            return Some(format!("{name}({tensors})"));
        }
        let count = Axis::unnamed(Size::constant(parts.len() as i64));
        let mut axes = tensor.axes.clone();
        axes.insert(at, count);
        let shape = self.distinct_shape(axes)?;
        Some(format!("{name}({tensors}) to {shape}"))
    }

    /// The position of the axis that concat joins along.
    fn join_axis(
        &mut self,
        call: &OpCall<'_, '_>,
        parts: &Parts<'_>,
        over: Option<&CallArg<'_>>,
    ) -> Option<usize> {
        let (value, head) = *parts.first()?;
        if head.rank() == 0 {
            let text = self.name_of(value.span);
            let message = format!("concat joins along an axis, and {text} has none");
            let finding = Diagnostic::new(Code::E0406, value.span, message)
                .note("`stack` makes an axis of tensors without axes.");
            let name = call.path.first().map_or(call.span, |name| name.span);
            self.report(finding.write(name, "stack"));
            return None;
        }
        let Some(CallArg::Written(arg)) = over else {
            if head.rank() == 1 {
                return Some(0);
            }
            self.axis_needed(call, head);
            return None;
        };
        // Any of the tensors may call it by its name.
        if let ast::ExprKind::Name(name) = &arg.value.kind
            && let Some(symbol) = self.symbol(name)
        {
            let place = |ty: &TensorType| {
                let mut axes = ty.axes.iter();
                axes.position(|axis| axis.name == Some(symbol))
            };
            let in_head = place(head).is_some();
            let other = parts.iter().find_map(|(_, ty)| place(ty));
            if let (false, Some(axis)) = (in_head, other.filter(|axis| *axis < head.rank())) {
                return Some(axis);
            }
        }
        let axes = self.over_axes_of(call, head, &arg.value, false)?;
        axes.first().copied()
    }

    /// The axes of a concat: the sizes of the one add, the others are the same.
    fn concatenated(
        &mut self,
        call: &OpCall<'_, '_>,
        parts: &Parts<'_>,
        axis: usize,
    ) -> Option<Vec<Axis>> {
        let (_, head) = *parts.first()?;
        let mut axes = head.axes.clone();
        let mut size = axes.get(axis)?.size.clone();
        for part in parts.iter().skip(1) {
            if part.1.rank() != head.rank() {
                self.other_rank(parts[0], *part, Some(axis));
                return None;
            }
            for (at, other) in part.1.axes.iter().enumerate() {
                if at == axis {
                    let Ok(sum) = size.add(&other.size) else {
                        self.error(Code::E0203, call.span, "the size of this is too large");
                        return None;
                    };
                    size = sum;
                } else if let Some(joined) = self.joined_axis(&axes[at], other) {
                    axes[at] = joined;
                } else {
                    self.differs(call, parts, *part, at, Some(axis));
                    return None;
                }
            }
        }
        if parts.len() > 1 {
            let before = axes[axis].origin.clone();
            axes[axis] =
                Axis::unnamed(size).made_from(&before, How::Words("the concat"), call.span);
        }
        Some(axes)
    }

    /// The axes of a stack: a new first one, then those that all have.
    fn stacked(&mut self, call: &OpCall<'_, '_>, parts: &Parts<'_>) -> Option<Vec<Axis>> {
        let (_, head) = *parts.first()?;
        let mut axes = head.axes.clone();
        for part in parts.iter().skip(1) {
            if part.1.rank() != head.rank() {
                self.other_rank(parts[0], *part, None);
                return None;
            }
            for (at, other) in part.1.axes.iter().enumerate() {
                let Some(joined) = self.joined_axis(&axes[at], other) else {
                    self.differs(call, parts, *part, at, None);
                    return None;
                };
                axes[at] = joined;
            }
        }
        let count = Axis::unnamed(Size::constant(parts.len() as i64));
        let count = count.made(How::Words("the stack"), call.span);
        axes.insert(0, count);
        Some(axes)
    }

    /// E0512 of an axis, at `at`, that isn't the first tensor's.
    fn differs(
        &mut self,
        call: &OpCall<'_, '_>,
        parts: &Parts<'_>,
        (value, ty): (&Expr, &TensorType),
        at: usize,
        over: Option<usize>,
    ) {
        let (first, head) = parts[0];
        let (x, y) = (self.name_of(first.span), self.name_of(value.span));
        let (a, b) = (self.show_axis(&head.axes[at]), self.show_axis(&ty.axes[at]));
        let may = match over {
            Some(over) => format!("only {} may differ", self.show_axis(&head.axes[over])),
            None => "stack needs one shape".to_owned(),
        };
        let message = short(
            format!("{x} has the axis {a} where {y} has {b}: {may}"),
            format!("one has the axis {a} where the other has {b}"),
        );
        let mut finding = Diagnostic::new(Code::E0512, value.span, message).diff(self.joined(
            Row {
                name: x.clone(),
                axes: &head.axes,
            },
            Row {
                name: y.clone(),
                axes: &ty.axes,
            },
            over,
        ));
        for (tensor, name, span) in [(head, &x, first.span), (ty, &y, value.span)] {
            let role = format!("{} of {name}", crate::broadcast::place(at, tensor.rank()));
            finding = self.trace(finding, &tensor.axes[at], &role, span);
        }
        if let Some(note) = self.torch_joins(&head.axes, &ty.axes, over) {
            finding = finding.note(note);
        }
        for mend in self.join_fixes(call, parts, value, ty, over) {
            finding = finding.fix(mend.title, mend.span, mend.text);
        }
        self.report(finding);
    }

    /// Edits that may mend a join: the axis along which all else agrees, the tensor the other way
    /// round.
    fn join_fixes(
        &self,
        call: &OpCall<'_, '_>,
        parts: &Parts<'_>,
        value: &Expr,
        ty: &TensorType,
        over: Option<usize>,
    ) -> Vec<Mend> {
        let mut fixes = Vec::new();
        let head = parts[0].1;
        let agrees_but = |axis: usize| {
            parts.iter().all(|(_, ty)| {
                ty.rank() == head.rank()
                    && (0..ty.rank()).all(|at| {
                        at == axis || self.joined_axis(&head.axes[at], &ty.axes[at]).is_some()
                    })
            })
        };
        for axis in (0..head.rank()).filter(|axis| Some(*axis) != over && agrees_but(*axis)) {
            let axis = self.over_text(head, axis);
            let mut args: Vec<&str> = parts
                .iter()
                .map(|(part, _)| part.span.text(self.text))
                .collect();
            let over = format!("over={axis}");
            args.push(&over);
            let text = format!("concat({})", args.join(", "));
            fixes.push(Mend::write(call.span, text));
        }
        // Its own axes in the first one's order; what is left over is joined along.
        let mut left: Vec<&Axis> = ty.axes.iter().collect();
        let mut axes: Vec<Option<Axis>> = Vec::with_capacity(head.rank());
        for (at, axis) in head.axes.iter().enumerate() {
            let found = left
                .iter()
                .position(|own| Some(at) != over && self.joined_axis(axis, own).is_some());
            axes.push(found.map(|found| left.remove(found).clone()));
        }
        let mut rest = left.into_iter().cloned();
        let filled: Option<Vec<Axis>> = axes
            .into_iter()
            .map(|axis| axis.or_else(|| rest.next()))
            .collect();
        if let (Some(axes), None) = (filled, rest.next())
            && axes != ty.axes
            && let Some(shape) = self.distinct_shape(axes)
        {
            let text = format!("{} to {shape}", grouped(value.span.text(self.text)));
            fixes.push(Mend::write(value.span, text));
        }
        fixes
    }

    /// E0512 of a tensor with another number of axes.
    fn other_rank(
        &mut self,
        (first, head): (&Expr, &TensorType),
        (value, ty): (&Expr, &TensorType),
        over: Option<usize>,
    ) {
        let symbols = &self.program.symbols;
        let (left, right) = (head.display_shape(symbols), ty.display_shape(symbols));
        let (x, y) = (self.name_of(first.span), self.name_of(value.span));
        let message = short(
            format!("{x} is {left}, {y} is {right}: tensors that are joined have as many axes"),
            short(
                format!("{left} and {right} don't have as many axes, so they can't be joined"),
                "tensors that are joined have as many axes".to_owned(),
            ),
        );
        let mut finding = Diagnostic::new(Code::E0512, value.span, message)
            .label(first.span, format!("{x} is {left}"))
            .label(value.span, format!("{y} is {right}"))
            .diff(self.in_order(
                Row {
                    name: x,
                    axes: &head.axes,
                },
                Row {
                    name: y,
                    axes: &ty.axes,
                },
            ));
        for (thin, wide) in [((value, ty), head), ((first, head), ty)] {
            if thin.1.rank() + 1 != wide.rank() {
                continue;
            }
            let text = grouped(thin.0.span.text(self.text));
            let index = axis_of_one(over.unwrap_or(0), thin.1.rank());
            let text = format!("{text}{index}");
            finding = finding
                .write(thin.0.span, text)
                .meaning("with an axis of size 1");
        }
        self.report(finding);
    }

    /// The operand of a built-in of one tensor, and the values of its other parameters.
    fn only_tensor(&mut self, call: &OpCall<'_, '_>) -> Option<(Expr, TensorType, Numbers)> {
        let (first, params) = self.split_args(call, 1)?;
        let value = self.argument(first.first()?, None, false);
        if value.ty.is_error() || !self.is_operand(&value, call.op.name) {
            return None;
        }
        let params = self.param_values(call, &params)?;
        let Some(tensor) = value.ty.tensor().cloned() else {
            let ty = self.show(&value.ty);
            let message = format!("{} takes a tensor, not {ty}", call.op.name);
            self.error(Code::E0704, value.span, message);
            return None;
        };
        Some((value, tensor, params))
    }

    /// `tril(x)`, `triu(x, 1)`
    pub(crate) fn triangle(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let (value, tensor, params) = self.only_tensor(call)?;
        if tensor.rank() < 2 {
            let shape = tensor.display_shape(&self.program.symbols);
            let message = format!("{} takes a matrix, not {shape}", call.op.name);
            self.error(Code::E0511, value.span, message);
            return None;
        }
        let ty = Type::Tensor(TensorType::new(tensor.axes, tensor.dtype));
        let kind = ExprKind::Op {
            op: call.op.id,
            args: vec![value],
            over: Over::None,
            params,
        };
        let span = call.span;
        Some(Expr { kind, ty, span })
    }

    /// `diag(x)`
    pub(crate) fn diagonal(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let (value, tensor, _) = self.only_tensor(call)?;
        let axes = match tensor.axes.as_slice() {
            [axis] => vec![axis.clone(), axis.clone()],
            [a, b] => match self.joined_axis(a, b) {
                Some(axis) => vec![axis],
                None => {
                    let shape = tensor.display_shape(&self.program.symbols);
                    let message = format!("diag takes a square matrix; this is {shape}");
                    self.error(Code::E0511, value.span, message);
                    return None;
                }
            },
            _ => {
                let shape = tensor.display_shape(&self.program.symbols);
                let message = format!("diag takes a vector or a square matrix, not {shape}");
                self.error(Code::E0511, value.span, message);
                return None;
            }
        };
        let ty = Type::Tensor(TensorType::new(axes, tensor.dtype));
        Some(op_expr(call.op.id, vec![value], ty, call.span))
    }

    /// `one_hot(labels)`
    pub(crate) fn one_hot(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let (value, tensor, _) = self.only_tensor(call)?;
        let Domain::Index(classes) = &tensor.domain else {
            let text = grouped(value.span.text(self.text));
            let ty = self.show(&value.ty);
            let finding = Diagnostic::new(
                Code::E0506,
                value.span,
                short(
                    format!("one_hot takes indices of an axis, not {ty}"),
                    "one_hot takes indices of an axis".to_owned(),
                ),
            )
            .note(format!("Say of which: `{text} to Index[C]`."));
            self.report(finding);
            return None;
        };
        let mut axes = tensor.axes.clone();
        let how = How::Words("the one_hot");
        axes.push(classes.clone().made_from(&classes.origin, how, call.span));
        let ty = Type::Tensor(TensorType::new(axes, DType::I64));
        Some(op_expr(call.op.id, vec![value], ty, call.span))
    }

    /// `eye(n)`
    pub(crate) fn identity(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let [arg] = call.args else {
            let message = "eye takes one size: `eye(n)`";
            self.error(Code::E0701, call.args_span, message);
            self.type_anyway(call.args);
            return None;
        };
        let value = self.argument(arg, None, false);
        if value.ty.is_error() {
            return None;
        }
        let Some(size) = self.program.size_of(&value) else {
            self.not_a_size(&value);
            return None;
        };
        let axis = self.axis_of_size(size);
        let before = axis.origin.clone();
        let axis = axis.made_from(&before, How::Words("the eye"), call.span);
        let ty = Type::Tensor(TensorType::new(vec![axis.clone(), axis], DType::F32));
        Some(op_expr(call.op.id, vec![value], ty, call.span))
    }

    /// `len(x)`
    pub(crate) fn length(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        if let [CallArg::Written(arg)] = call.args
            && let Some(count) = self.count_of_sequence(&arg.value)
        {
            return Some(Expr {
                kind: ExprKind::Size(count),
                ty: Type::Host(Host::Int),
                span: call.span,
            });
        }
        let (value, tensor, _) = self.only_tensor(call)?;
        if tensor.rank() == 0 {
            let text = self.name_of(value.span);
            let message = format!("{text} has no axes, so no length");
            self.error(Code::E0704, value.span, message);
            return None;
        }
        let ty = Type::Host(Host::Int);
        Some(op_expr(call.op.id, vec![value], ty, call.span))
    }
}
