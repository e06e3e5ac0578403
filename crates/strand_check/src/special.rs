//! Built-ins whose shapes follow rules of their own: `topk`, `diff`, `nonzero`, `reshape`, `linspace`
//! and the like. What slides windows stands in `windows`, products and their sums in `contractions`.

use strand_ir::{Axis, Domain, Expr, ExprKind, Host, How, Over, Rearrange, Size, TensorType, Type};
use strand_ops::{DType, OpId, ParamKind};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::builtins::{OpCall, Params};
use crate::calls::CallArg;
use crate::context::Checker;
use crate::operators::{op_expr, short, takes};

/// The values of a built-in's parameters that were given, in the row's order.
pub(crate) type Given = Vec<(&'static str, Expr)>;

impl Checker<'_> {
    /// A built-in with a shape rule of its own.
    pub(crate) fn special(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        match call.op.id {
            OpId::Reshape | OpId::Expand => self.resized(call),
            OpId::Linspace => self.linspace(call),
            OpId::Einsum => self.einsum(call),
            OpId::Conv1d | OpId::Conv2d => self.convolved(call),
            OpId::MaxPool2d => self.pooled(call),
            OpId::Dot => self.dot(call),
            OpId::SearchSorted => self.searched(call),
            OpId::TopK | OpId::Diff => self.along_one(call),
            _ => self.counted(call),
        }
    }

    /// The leading arguments, which are tensors of one dtype that the row takes.
    pub(crate) fn tensors_of<'c, 't>(
        &mut self,
        call: &OpCall<'c, 't>,
        leading: usize,
    ) -> Option<(Vec<(Expr, TensorType)>, Params<'c, 't>)> {
        let (first, params) = self.split_args(call, leading)?;
        let mut found: Vec<(Expr, TensorType)> = Vec::with_capacity(leading);
        for arg in first {
            let mut value = self.argument(arg, None, false);
            if let (OpId::SearchSorted, Some((_, ty))) = (call.op.id, found.first()) {
                value = self.lift(value, ty.dtype);
            }
            found.push(self.as_tensor(call, value)?);
        }
        let all: Vec<&Expr> = found.iter().map(|(value, _)| value).collect();
        if let Some((value, _)) = found.first() {
            let dtype = self.common_dtype(&all)?;
            if !takes(call.op.dtype, dtype) {
                self.not_defined(call.op.name, call.op.dtype, dtype, value);
                return None;
            }
        }
        Some((found, params))
    }

    /// A value that is a tensor, with its type; E0704 otherwise.
    pub(crate) fn as_tensor(
        &mut self,
        call: &OpCall<'_, '_>,
        value: Expr,
    ) -> Option<(Expr, TensorType)> {
        if value.ty.is_error() || !self.is_operand(&value, call.op.name) {
            return None;
        }
        let Some(tensor) = value.ty.tensor().cloned() else {
            let ty = self.show(&value.ty);
            let message = format!("{} takes a tensor, not {ty}", call.op.name);
            self.error(Code::E0704, value.span, message);
            return None;
        };
        Some((value, tensor))
    }

    /// E0501 of a tensor with another number of axes than `wants` says.
    pub(crate) fn wrong_rank(
        &mut self,
        call: &OpCall<'_, '_>,
        of: &(Expr, TensorType),
        wants: &str,
    ) {
        let shape = of.1.display_shape(&self.program.symbols);
        let name = call.op.name;
        let message = short(
            format!("{name} takes {wants}; this is {shape}"),
            format!("{name} takes {wants}"),
        );
        self.error(Code::E0501, of.0.span, message);
    }

    /// The axis that an operation along one works over.
    pub(crate) fn axis_along(
        &mut self,
        call: &OpCall<'_, '_>,
        (value, tensor): &(Expr, TensorType),
        params: &Params<'_, '_>,
    ) -> Option<usize> {
        let over = params
            .iter()
            .find(|(param, _)| param.kind == ParamKind::Over);
        match over {
            Some((_, CallArg::Written(arg))) => {
                let axes = self.over_axes_of(call, tensor, &arg.value, false)?;
                axes.first().copied()
            }
            _ => self.without_over(call, tensor, value).map(|_| 0),
        }
    }

    /// `topk(x, k, over=n)`, `diff(x, over=n)`
    fn along_one(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let (mut found, params) = self.tensors_of(call, 1)?;
        let axis = self.axis_along(call, found.first()?, &params)?;
        let params = self.param_values(call, &params)?;
        let (value, tensor) = found.pop()?;
        let old = tensor.axes.get(axis)?.clone();
        let mut axes = tensor.axes.clone();
        let ty = if call.op.id == OpId::Diff {
            let Ok(size) = old.size.sub(&Size::constant(1)) else {
                self.too_large(call.span);
                return None;
            };
            if self.known(&size).is_some_and(|left| left < 1) {
                let message = "there is nothing between the elements of an axis of size 1";
                self.error(Code::E0201, value.span, message);
                return None;
            }
            let how = How::Words("the diff");
            axes[axis] = Axis::unnamed(size).made_from(&old.origin, how, call.span);
            Type::Tensor(TensorType::new(axes, tensor.dtype))
        } else {
            let (_, k) = params.first()?;
            let size = self.taken_size(k, &old)?;
            axes[axis] = size.made_from(&old.origin, How::Words("the topk"), call.span);
            let mut indices = TensorType::new(axes.clone(), DType::I64);
            if old.name.is_some() {
                indices.domain = Domain::Index(old);
            }
            let values = TensorType { axes, ..tensor };
            Type::Tuple(vec![Type::Tensor(values), Type::Tensor(indices)])
        };
        Some(made(call, vec![value], Over::Axes(vec![axis]), params, ty))
    }

    /// The axis of as many elements as a host int says, out of another one; E0508 where they are
    /// certainly too many.
    fn taken_size(&mut self, k: &Expr, of: &Axis) -> Option<Axis> {
        let Some(size) = self.program.size_of(k) else {
            return Some(Axis::unnamed(self.birth(k.span, "taken by topk")));
        };
        let (count, all) = (self.known(&size), self.known(&of.size));
        if count.is_some_and(|count| count < 0) {
            let message = "topk takes a number of elements that isn't negative";
            self.error(Code::E0704, k.span, message);
            return None;
        }
        if let (Some(count), Some(all)) = (count, all)
            && count > all
        {
            let axis = self.show_axis(of);
            let message = if of.name.is_some() {
                format!("topk can't take {count} of {axis}, which is {all}")
            } else {
                format!("topk can't take {count} of {all}")
            };
            let finding = Diagnostic::new(Code::E0508, k.span, message);
            self.report(finding.write(k.span, axis));
            return None;
        }
        Some(self.axis_of_size(size))
    }

    /// A size's value, where dims and numbers alone give it.
    pub(crate) fn known(&self, size: &Size) -> Option<i64> {
        size.ground(&self.program.symbols).as_constant()
    }

    /// `nonzero(x)`, `unique(x)`, `bincount(x)`: how many there are depends on the values.
    fn counted(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let (mut found, _) = self.tensors_of(call, 1)?;
        let one = found.pop()?;
        let (value, tensor) = &one;
        let id = call.op.id;
        if id == OpId::BinCount {
            if tensor.rank() != 1 {
                self.wrong_rank(call, &one, "a tensor with one axis");
                return None;
            }
            if !tensor.dtype.is_int() {
                let message = format!("bincount counts whole numbers, not {}", tensor.dtype);
                self.error(Code::E0603, value.span, message);
                return None;
            }
            if let Domain::Index(of) = &tensor.domain {
                let how = How::Words("the bincount");
                let axis = of.clone().made_from(&of.origin, how, call.span);
                let ty = Type::Tensor(TensorType::new(vec![axis], DType::I64));
                let (value, _) = one;
                return Some(op_expr(id, vec![value], ty, call.span));
            }
        }
        if id == OpId::NonZero && tensor.rank() == 0 {
            let text = self.name_of(value.span);
            let message = format!("{text} has no axes, so there are no places in it");
            self.error(Code::E0704, value.span, message);
            return None;
        }
        if self.body.lambdas > 0 && self.uses_element(value) {
            let name = call.op.name;
            let message = format!("how many {name} gives depends on the stage's element");
            let finding = Diagnostic::new(Code::E2403, call.span, message)
                .note("Every element of a stage's result has the same shape.");
            self.report(finding);
            return None;
        }
        let size = self.birth(call.span, format!("found by {}", call.op.name));
        let rows = Axis::unnamed(size).made(How::Named("found by", call.op.name.into()), call.span);
        let ty = match id {
            OpId::Unique => TensorType {
                axes: vec![rows],
                ..tensor.clone()
            },
            OpId::BinCount => TensorType::new(vec![rows], DType::I64),
            _ => {
                let places = Axis::unnamed(Size::constant(tensor.rank() as i64));
                let places = places.made(How::Words("the places"), call.span);
                let mut ty = TensorType::new(vec![rows, places], DType::I64);
                if let [only] = tensor.axes.as_slice()
                    && only.name.is_some()
                {
                    ty.domain = Domain::Index(only.clone());
                }
                ty
            }
        };
        let (value, _) = one;
        Some(op_expr(id, vec![value], Type::Tensor(ty), call.span))
    }

    /// `linspace(a, b, 5)`
    fn linspace(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let (_, params) = self.split_args(call, 0)?;
        let params = self.param_values(call, &params)?;
        for (name, end) in &params {
            if *name != "steps" && !self.host_fits(end, DType::F32, None) {
                return None;
            }
        }
        let (_, steps) = params.iter().find(|(name, _)| *name == "steps")?;
        let steps = steps.clone();
        let Some(size) = self.program.size_of(&steps) else {
            self.not_a_size(&steps);
            return None;
        };
        if self.known(&size).is_some_and(|count| count < 1) {
            let message = "this linspace has no numbers in it";
            self.error(Code::E0201, steps.span, message);
            return None;
        }
        let axis = self.axis_of_size(size);
        let before = axis.origin.clone();
        let axis = axis.made_from(&before, How::Words("the linspace"), call.span);
        let ty = Type::Tensor(TensorType::new(vec![axis], DType::F32));
        Some(made(call, Vec::new(), Over::None, params, ty))
    }

    /// `searchsorted(sorted, values)`
    fn searched(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let (found, _) = self.tensors_of(call, 2)?;
        let first = found.first()?;
        if first.1.rank() != 1 {
            self.wrong_rank(call, first, "numbers in order along one axis first");
            return None;
        }
        let axes = found.get(1)?.1.axes.clone();
        let ty = Type::Tensor(TensorType::new(axes, DType::I64));
        let args = found.into_iter().map(|(value, _)| value).collect();
        Some(op_expr(call.op.id, args, ty, call.span))
    }

    // Other sizes

    /// `reshape(x, n, -1)`, `expand(x, n, -1)`
    fn resized(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let name = call.op.name;
        if let Some(arg) = call.args.iter().find(|arg| arg.keyword().is_some()) {
            let keyword = arg.keyword()?;
            self.unknown_op_keyword(call, &[], keyword, arg);
            return None;
        }
        let Some((first, rest)) = call.args.split_first() else {
            self.error(Code::E0703, call.args_span, format!("{name} needs a value"));
            return None;
        };
        let value = self.argument(first, None, false);
        let (value, tensor) = self.as_tensor(call, value)?;
        if let [CallArg::Written(arg)] = rest
            && let ast::ExprKind::Literal(parts) | ast::ExprKind::Tuple(parts) = &arg.value.kind
        {
            let sizes: Vec<&str> = parts.iter().map(|part| part.span.text(self.text)).collect();
            let message = format!("{name} takes its sizes one by one: `{name}(x, 3, 4)`");
            let finding = Diagnostic::new(Code::E0704, arg.value.span, message);
            self.report(finding.write(arg.value.span, sizes.join(", ")));
            return None;
        }
        let mut sizes = Vec::with_capacity(rest.len());
        for arg in rest {
            let size = self.argument(arg, None, false);
            if size.ty.is_error() {
                return None;
            }
            if size.ty != Type::Host(Host::Int) {
                let ty = self.show(&size.ty);
                let message = format!("{name} takes sizes after its tensor, not {ty}");
                self.error(Code::E0704, size.span, message);
                return None;
            }
            if matches!(size.kind, ExprKind::Int(-1)) {
                sizes.push((None, size.span));
                continue;
            }
            let Some(found) = self.program.size_of(&size) else {
                self.not_a_size(&size);
                return None;
            };
            if self.known(&found).is_some_and(|size| size < 0) {
                let message = format!("{} isn't a size", self.name_of(size.span));
                self.error(Code::E0201, size.span, message);
                return None;
            }
            sizes.push((Some(found), size.span));
        }
        if call.op.id == OpId::Expand {
            let axes = self.expanded(call, (&value, &tensor), &sizes)?;
            let ty = Type::Tensor(TensorType { axes, ..tensor });
            return Some(op_expr(OpId::Expand, vec![value], ty, call.span));
        }
        self.reshaped(call, value, tensor, &sizes)
    }

    fn reshaped(
        &mut self,
        call: &OpCall<'_, '_>,
        value: Expr,
        tensor: TensorType,
        sizes: &[(Option<Size>, Span)],
    ) -> Option<Expr> {
        let product = |sizes: Vec<&Size>| {
            let mut sizes = sizes.into_iter();
            sizes.try_fold(Size::constant(1), |all, size| all.mul(size).ok())
        };
        let all = product(tensor.axes.iter().map(|axis| &axis.size).collect());
        let known = product(sizes.iter().filter_map(|(size, _)| size.as_ref()).collect());
        let (Some(all), Some(known)) = (all, known) else {
            self.too_large(call.span);
            return None;
        };
        let mut left = sizes.iter().filter(|(size, _)| size.is_none());
        let rest = match (left.next(), left.next()) {
            (_, Some((_, span))) => {
                self.error(Code::E0704, *span, "only one size can be what is left");
                return None;
            }
            (Some((_, span)), None) => match self.what_is_left(&all, &known) {
                Some(rest) => Some(rest),
                None => {
                    self.other_count(call, (&value, &tensor), &all, &known, Some(*span));
                    return None;
                }
            },
            (None, None) if all.same(&known, &self.program.symbols) => None,
            (None, None) => {
                self.other_count(call, (&value, &tensor), &all, &known, None);
                return None;
            }
        };
        let mut axes = Vec::with_capacity(sizes.len());
        for (size, span) in sizes {
            let size = size.as_ref().or(rest.as_ref())?.clone();
            let axis = self.axis_of_size(size);
            let before = axis.origin.clone();
            axes.push(axis.made_from(&before, How::Words("the reshape"), *span));
        }
        let how = Rearrange {
            split: tensor.axes.iter().map(|axis| axis.size.clone()).collect(),
            permutation: (0..tensor.rank()).collect(),
        };
        let kind = ExprKind::Rearrange {
            value: Box::new(value),
            how,
        };
        let ty = Type::Tensor(TensorType { axes, ..tensor });
        let span = call.span;
        Some(Expr { kind, ty, span })
    }

    /// `all // known`, where it is exact for all values of the axis names.
    fn what_is_left(&self, all: &Size, known: &Size) -> Option<Size> {
        let symbols = &self.program.symbols;
        if let (Some(all), Some(known)) = (self.known(all), self.known(known)) {
            return (known > 0 && all % known == 0).then(|| Size::constant(all / known));
        }
        if known.as_constant() == Some(1) {
            return Some(all.clone());
        }
        let (all, known) = (all.ground(symbols), known.ground(symbols));
        let [(factors, number)] = known.terms().collect::<Vec<_>>()[..] else {
            return all.same(&known, symbols).then(|| Size::constant(1));
        };
        let rest = factors
            .iter()
            .try_fold(all, |left, factor| left.divide_by(*factor))?;
        divided(&rest, number)
    }

    /// E0511 of a reshape to another number of elements.
    fn other_count(
        &mut self,
        call: &OpCall<'_, '_>,
        (value, tensor): (&Expr, &TensorType),
        all: &Size,
        known: &Size,
        rest: Option<Span>,
    ) {
        let symbols = &self.program.symbols;
        let (all, known) = (all.display(symbols), known.display(symbols));
        let text = self.name_of(value.span);
        let message = match rest {
            None => short(
                format!("{text} has {all} elements, these sizes {known}"),
                "the sizes don't give as many elements as there are".to_owned(),
            ),
            Some(_) => short(
                format!("{text} has {all} elements, which {known} isn't known to divide"),
                "what is left isn't known to be a whole number".to_owned(),
            ),
        };
        let finding = Diagnostic::new(Code::E0511, rest.unwrap_or(call.args_span), message)
            .label(value.span, tensor.display_shape(&self.program.symbols));
        self.report(finding);
    }

    fn expanded(
        &mut self,
        call: &OpCall<'_, '_>,
        (value, tensor): (&Expr, &TensorType),
        sizes: &[(Option<Size>, Span)],
    ) -> Option<Vec<Axis>> {
        let Some(new) = sizes.len().checked_sub(tensor.rank()) else {
            let shape = tensor.display_shape(&self.program.symbols);
            let message = short(
                format!("expand needs a size for each axis of {shape}"),
                "expand needs a size for each axis".to_owned(),
            );
            let finding = Diagnostic::new(Code::E0503, call.args_span, message);
            self.report(finding.note("-1 keeps an axis as it is."));
            return None;
        };
        let mut axes = Vec::with_capacity(sizes.len());
        for (at, (size, span)) in sizes.iter().enumerate() {
            let old = at.checked_sub(new).map(|at| &tensor.axes[at]);
            let axis = match (size, old) {
                (None, Some(old)) => old.clone(),
                (None, None) => {
                    let message = "-1 keeps an axis, and there is none to keep here";
                    self.error(Code::E0704, *span, message);
                    return None;
                }
                (Some(size), old) => {
                    let wanted = self.axis_of_size(size.clone());
                    match old {
                        Some(old) if old.agrees(&wanted, &self.program.symbols) => old.clone(),
                        Some(old) if !old.stretches() => {
                            let (a, b) = (self.show_axis(old), self.show_axis(&wanted));
                            let message = short(
                                format!(
                                    "{a} can't be stretched to {b}: only an axis of size 1 can"
                                ),
                                "only an axis of size 1 can be stretched".to_owned(),
                            );
                            let mut finding = Diagnostic::new(Code::E0503, *span, message);
                            let place = strand_ir::axis_place(at - new, tensor.rank());
                            let role = format!("{place} of {}", self.name_of(value.span));
                            finding = self.trace(finding, old, &role, value.span);
                            self.report(finding);
                            return None;
                        }
                        _ => wanted,
                    }
                }
            };
            let before = axis.origin.clone();
            axes.push(axis.made_from(&before, How::Words("the expand"), *span));
        }
        Some(axes)
    }

    // Products of named axes
}

/// An operation with its axes and the values of its parameters.
pub(crate) fn made(
    call: &OpCall<'_, '_>,
    args: Vec<Expr>,
    over: Over,
    params: Given,
    ty: Type,
) -> Expr {
    let kind = ExprKind::Op {
        op: call.op.id,
        args,
        over,
        params,
    };
    let span = call.span;
    Expr { kind, ty, span }
}

/// A size divided by a number that divides each of its terms.
pub(crate) fn divided(size: &Size, by: i64) -> Option<Size> {
    let mut sum = Size::constant(0);
    for (symbols, factor) in size.terms() {
        if by == 0 || factor % by != 0 {
            return None;
        }
        let mut term = Size::constant(factor / by);
        for symbol in symbols {
            term = term.mul(&Size::symbol(*symbol)).ok()?;
        }
        sum = sum.add(&term).ok()?;
    }
    Some(sum)
}
