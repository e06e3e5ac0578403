//! Built-ins that make tensors, and those that do more than compute a value.

use std::sync::Arc;

use strand_ir::{Axis, Domain, Expr, ExprKind, Host, How, Over, Size, TensorType, Type};
use strand_ops::{Class, DType, Effect, Op, OpId};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::builtins::OpCall;
use crate::calls::CallArg;
use crate::context::Checker;
use crate::operators::op_expr;
use crate::sentences::{MADE_OF, only_computes, type_first};
use crate::types::TypePlace;

impl Checker<'_> {
    /// `zeros(T)`, `full(T, v)`, `normal(T, seed=0)`
    pub(crate) fn construct(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let (first, params) = self.split_args(call, 1)?;
        let name = call.op.name;
        let ty = match first.first()? {
            CallArg::Written(arg) => match &arg.value.kind {
                ast::ExprKind::Type(ty) => self.tensor_type(ty, TypePlace::Use),
                ast::ExprKind::Error => return None,
                _ => {
                    let finding = type_first(name, arg.value.span);
                    let finding = self.with_spelling(finding, call);
                    self.report(finding);
                    return None;
                }
            },
            CallArg::Typed(value) | CallArg::Keyed(_, value) => {
                self.report(type_first(name, value.span));
                return None;
            }
        };
        let Type::Tensor(mut tensor) = ty else {
            if !ty.is_error() {
                let message = format!("{name} makes a tensor, not {}", self.show(&ty));
                self.error(Code::E0704, first.first()?.span(), message);
            }
            return None;
        };
        let params = self.param_values(call, &params)?;
        let place = first.first()?.span();
        if !self.makes(call.op, &tensor, &params, place) {
            return None;
        }
        if call.op.id == OpId::RandInt && self.draws_indices(&tensor, &params) {
            // Its bounds say it.
        } else if let Some(finding) = self.made_outside(call.op, &tensor, place) {
            let domain = tensor.domain.display(&self.program.symbols);
            let note = format!("Convert the result: `{name}(...) to {domain}`.");
            self.report(finding.note(note));
            return None;
        }
        for axis in &mut tensor.axes {
            let how = How::Named("the", name.into());
            let made = axis.name.map(|symbol| self.axis_of(symbol));
            let before = made.map(|made| made.origin).unwrap_or_default();
            let span = axis.origin.span().unwrap_or(place);
            *axis = axis.clone().made_from(&before, how, span);
        }
        let kind = ExprKind::Op {
            op: call.op.id,
            args: Vec::new(),
            over: Over::None,
            params,
        };
        let span = call.span;
        let ty = Type::Tensor(tensor);
        Some(Expr { kind, ty, span })
    }

    /// Whether a constructor makes values of a tensor's dtype: draws are floats (E0603), and a
    /// written value fits it (E0601).
    pub(crate) fn makes(
        &mut self,
        op: &Op,
        tensor: &TensorType,
        params: &[(&'static str, Expr)],
        place: Span,
    ) -> bool {
        let whole = op.id == OpId::RandInt;
        if op.class == Class::Draw && whole == tensor.dtype.is_float() {
            let what = if whole { "whole numbers" } else { "floats" };
            let message = format!("{} draws {what}, not {}", op.name, tensor.dtype);
            let mut finding = Diagnostic::new(Code::E0603, place, message);
            let text = place.text(self.text);
            if whole && text.ends_with(']') {
                finding = finding.write(place, format!("{text} i64"));
            }
            self.report(finding);
            return false;
        }
        if whole && tensor.dtype == DType::Bool {
            self.error(Code::E0603, place, "randint draws whole numbers, not bool");
            return false;
        }
        let values = params.iter().filter(|(name, _)| *name == "value");
        values.fold(true, |fits, (_, value)| {
            fits & self.host_fits(value, tensor.dtype, None)
        })
    }

    /// Whether the bounds of randint are those of the axis that its tensor is to be an index of.
    fn draws_indices(&self, tensor: &TensorType, params: &[(&'static str, Expr)]) -> bool {
        let Domain::Index(of) = &tensor.domain else {
            return false;
        };
        let bound = |name: &str| {
            let (_, value) = params.iter().find(|(given, _)| *given == name)?;
            self.program.size_of(value)
        };
        let (Some(low), Some(high)) = (bound("low"), bound("high")) else {
            return false;
        };
        let least = self.known(&low).is_some_and(|low| low >= 0);
        let room = of.size.sub(&high).ok().and_then(|room| self.known(&room));
        least && room.is_some_and(|room| room >= 0)
    }

    /// E0604 where a constructor's values aren't certain to be in a tensor's domain.
    pub(crate) fn made_outside(
        &self,
        op: &Op,
        tensor: &TensorType,
        place: Span,
    ) -> Option<Diagnostic> {
        let certain = match (op.id, &tensor.domain) {
            (_, Domain::Plain) => true,
            (OpId::Zeros, domain) => *domain != Domain::Positive,
            (OpId::Ones, domain) => !matches!(domain, Domain::Index(_)),
            _ => false,
        };
        let domain = tensor.domain.display(&self.program.symbols);
        let message = format!("the values of {} aren't known to be {domain}", op.name);
        (!certain).then(|| Diagnostic::new(Code::E0604, place, message))
    }

    /// `arange(n)`, `arange(a, b)`
    pub(crate) fn arange(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let names: [Arc<str>; 2] = ["start".into(), "end".into()];
        let Some(matched) = self.match_args("arange", &names, call.args) else {
            self.type_anyway(call.args);
            return None;
        };
        let given: Vec<_> = matched.into_iter().flatten().collect();
        if given.is_empty() {
            let message = "arange needs a size: `arange(n)`";
            self.error(Code::E0703, call.args_span, message);
            return None;
        }
        let mut values = Vec::new();
        let mut sizes = Vec::new();
        for arg in given {
            let value = self.argument(arg, None, false);
            if value.ty.is_error() {
                return None;
            }
            let Some(size) = self.program.size_of(&value) else {
                self.not_a_size(&value);
                return None;
            };
            sizes.push(size);
            values.push(value);
        }
        let (start, end) = match sizes.as_slice() {
            [end] => (Size::constant(0), end.clone()),
            [start, end] => (start.clone(), end.clone()),
            _ => return None,
        };
        let Ok(length) = end.sub(&start) else {
            self.too_large(call.span);
            return None;
        };
        let known = length.ground(&self.program.symbols).as_constant();
        if known.is_some_and(|length| length < 1) {
            let last = values.last().map_or(call.span, |value| value.span);
            let message = "this arange has no numbers in it";
            self.error(Code::E0201, last, message);
            return None;
        }
        let from_zero = start.as_constant() == Some(0);
        let axis = if from_zero {
            self.axis_of_size(length)
        } else {
            Axis::unnamed(length)
        };
        let before = axis.origin.clone();
        let axis = axis.made_from(&before, How::Words("the arange"), call.span);
        let mut tensor = TensorType::new(vec![axis.clone()], DType::I64);
        if from_zero {
            tensor.domain = Domain::Index(axis);
        }
        Some(op_expr(call.op.id, values, Type::Tensor(tensor), call.span))
    }

    /// The axis of a size that is a dim's or axis's own, or one without a name.
    pub(crate) fn axis_of_size(&self, size: Size) -> Axis {
        let own = size.as_symbol().filter(|symbol| !self.is_birth(*symbol));
        own.map_or_else(|| Axis::unnamed(size), |symbol| self.axis_of(symbol))
    }

    pub(crate) fn not_a_size(&mut self, value: &Expr) {
        let text = self.name_of(value.span);
        let ty = self.show(&value.ty);
        let mut finding = Diagnostic::new(
            Code::E0513,
            value.span,
            format!("{text} ({ty}) isn't a size known before running"),
        );
        finding = finding.note(MADE_OF).note(crate::types::NOT_KNOWN);
        self.report(finding);
    }

    pub(crate) fn effect(&mut self, call: &OpCall<'_, '_>, effect: Effect) -> Option<Expr> {
        match effect {
            Effect::Print => self.print(call),
            Effect::Show => self.show_call(call),
            Effect::Item => self.item_of(call),
            other => self.not_run(call, other),
        }
    }

    /// Operations that aren't available yet: E0306, but E2403 in a stage's function.
    pub(crate) fn not_run(&mut self, call: &OpCall<'_, '_>, effect: Effect) -> Option<Expr> {
        if self.body.lambdas == 0 {
            let place = call.path.first().map_or(call.span, |name| name.span);
            match effect {
                Effect::Record => {
                    self.error(Code::E0306, place, "log records aren't available yet");
                }
                _ => self.not_yet(call.op.name, place),
            }
            return None;
        }
        self.report(only_computes(effect.phrase(), call.span));
        None
    }

    fn print(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let mut values = Vec::with_capacity(call.args.len());
        let mut fine = true;
        for arg in call.args {
            if let Some(keyword) = arg.keyword() {
                let message = format!("print has no parameter `{}`", keyword.name);
                self.error(Code::E0702, keyword.span, message);
                fine = false;
            }
            let value = self.argument(arg, None, false);
            fine &= self.is_value(&value);
            if matches!(value.ty, Type::Model(_)) {
                let message = "print writes values; print a field of the model";
                self.error(Code::E0704, value.span, message);
                fine = false;
            }
            values.push(value);
        }
        // In a stage's function only E2403 is said of it.
        let ty = if self.body.lambdas > 0 || !fine {
            Type::Error
        } else {
            Type::Nothing
        };
        Some(op_expr(OpId::Print, values, ty, call.span))
    }

    fn item_of(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let (first, _) = self.split_args(call, 1)?;
        let value = self.argument(first.first()?, None, false);
        let host = match &value.ty {
            Type::Error => return None,
            Type::Tensor(tensor) if tensor.rank() == 0 => match tensor.dtype {
                DType::Bool => Host::Bool,
                dtype if dtype.is_float() => Host::Float,
                _ => Host::Int,
            },
            Type::Tensor(tensor) => {
                let shape = tensor.display_shape(&self.program.symbols);
                let message = format!("item reads a tensor without axes; this is {shape}");
                self.error(Code::E0501, value.span, message);
                return None;
            }
            other => {
                let ty = self.show(other);
                let message = format!("item reads a tensor without axes, not {ty}");
                self.error(Code::E0704, value.span, message);
                return None;
            }
        };
        Some(op_expr(
            OpId::Item,
            vec![value],
            Type::Host(host),
            call.span,
        ))
    }
}
