//! `dot` and `einsum`: products summed over the axes that meet.

use strand_ir::{Axis, Expr, ExprKind, Host, How, Over, TensorType, Type};
use strand_ops::ParamKind;
use strand_source::{Code, Diagnostic};
use strand_syntax::ast;

use crate::builtins::OpCall;
use crate::calls::CallArg;
use crate::context::Checker;
use crate::operators::{op_expr, short};
use crate::special::made;
use crate::suggest::grouped;

impl Checker<'_> {
    /// `dot(a, b)`
    pub(crate) fn dot(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        let (found, _) = self.tensors_of(call, 2)?;
        for one in &found {
            if one.1.rank() != 1 {
                let shape = one.1.display_shape(&self.program.symbols);
                let message = short(
                    format!("dot takes two vectors; this is {shape}"),
                    "dot takes two vectors".to_owned(),
                );
                let mut finding = Diagnostic::new(Code::E0501, one.0.span, message);
                if let [(a, _), (b, _)] = found.as_slice() {
                    let part = |value: &Expr| grouped(value.span.text(self.text));
                    let text = format!("{} @ {}", part(a), part(b));
                    finding = finding.write(call.span, text);
                }
                self.report(finding);
                return None;
            }
        }
        let [(a, left), (b, right)] = found.as_slice() else {
            return None;
        };
        if self.joined_axis(&left.axes[0], &right.axes[0]).is_none() {
            self.no_contraction(call, (a, left, 0), (b, right, 0));
            return None;
        }
        let ty = Type::Tensor(TensorType::new(Vec::new(), left.dtype));
        let args = found.into_iter().map(|(value, _)| value).collect();
        Some(op_expr(call.op.id, args, ty, call.span))
    }

    /// E0504 of two axes that a product sums over and that aren't the same.
    pub(crate) fn no_contraction(
        &mut self,
        call: &OpCall<'_, '_>,
        left: (&Expr, &TensorType, usize),
        right: (&Expr, &TensorType, usize),
    ) {
        let shown = |checker: &Self, (_, ty, at): (&Expr, &TensorType, usize)| {
            checker.show_axis(&ty.axes[at])
        };
        let (a, b) = (shown(self, left), shown(self, right));
        let name = call.op.name;
        let message = short(
            format!("{name} can't contract {a} with {b}"),
            format!("{name} can't contract these axes"),
        );
        let mut finding = Diagnostic::new(Code::E0504, right.0.span, message);
        for (value, ty, at) in [left, right] {
            let place = strand_ir::axis_place(at, ty.rank());
            let role = format!("{place} of {}", self.name_of(value.span));
            finding = self.trace(finding, &ty.axes[at], &role, value.span);
        }
        self.report(finding);
    }

    /// `einsum(x, w, over=D)`: axes of one name are lined up, those of `over=` summed.
    pub(crate) fn einsum(&mut self, call: &OpCall<'_, '_>) -> Option<Expr> {
        if let Some(CallArg::Written(arg)) = call.args.first()
            && let ast::ExprKind::Str(_) = arg.value.kind
        {
            let message = "einsum lines axes up by their names: `einsum(x, w, over=D)`";
            let finding = Diagnostic::new(Code::E0704, arg.value.span, message);
            let finding = self.with_spelling(finding, call);
            self.report(finding);
            self.type_anyway(call.args);
            return None;
        }
        let count = call.args.iter().filter(|arg| arg.keyword().is_none());
        let (found, params) = self.tensors_of(call, count.count().max(1))?;
        let mut joint: Vec<Axis> = Vec::new();
        let mut places = Vec::with_capacity(found.len());
        for (value, tensor) in &found {
            let mut own = Vec::with_capacity(tensor.rank());
            for axis in &tensor.axes {
                let Some(symbol) = axis.name else {
                    let message = short(
                        format!(
                            "einsum lines up names, and {} of this has none",
                            self.show_axis(axis)
                        ),
                        "einsum lines axes up by name, and one of these has none".to_owned(),
                    );
                    let finding = Diagnostic::new(Code::E0704, value.span, message);
                    self.report(finding.note("`as` names them: `x as [n D]`."));
                    return None;
                };
                let known = joint.iter().position(|axis| axis.name == Some(symbol));
                let at = known.unwrap_or(joint.len());
                if own.contains(&at) {
                    let name = self.program.symbols.name(symbol);
                    let message = format!("`{name}` is more than one axis of this");
                    let finding = Diagnostic::new(Code::E0407, value.span, message);
                    self.report(finding.note("Rename one with `as`, or take `diag` first."));
                    return None;
                }
                if known.is_none() {
                    joint.push(axis.clone());
                }
                own.push(at);
            }
            places.push(own);
        }
        let dtype = found.first()?.1.dtype;
        let whole = TensorType::new(joint, dtype);
        let over = params
            .iter()
            .find(|(param, _)| param.kind == ParamKind::Over);
        let Some((_, CallArg::Written(arg))) = over else {
            self.axis_needed(call, &whole);
            return None;
        };
        let gone = self.over_axes_of(call, &whole, &arg.value, true)?;
        let letters = self.letters(&whole.axes);
        let term = |places: &mut dyn Iterator<Item = usize>| -> String {
            places.filter_map(|at| letters.get(at)).collect()
        };
        let mut terms = places.iter().map(|own| term(&mut own.iter().copied()));
        let from = terms.by_ref().collect::<Vec<_>>().join(",");
        let kept = (0..whole.rank()).filter(|at| !gone.contains(at));
        let to = term(&mut kept.clone());
        let axes = kept.map(|at| {
            let axis = whole.axes[at].clone();
            let before = axis.origin.clone();
            axis.made_from(&before, How::Words("kept by the einsum"), call.span)
        });
        let ty = Type::Tensor(TensorType::new(axes.collect(), dtype));
        let spec = Expr {
            kind: ExprKind::Str(format!("{from}->{to}")),
            ty: Type::Host(Host::Str),
            span: call.args_span,
        };
        let args = found.into_iter().map(|(value, _)| value).collect();
        let params = vec![("equation", spec)];
        Some(made(call, args, Over::None, params, ty))
    }

    /// A letter for each of some axes, its name's own where that is free.
    fn letters(&self, axes: &[Axis]) -> Vec<char> {
        let mut taken: Vec<char> = Vec::new();
        for axis in axes {
            let name = axis.name.map_or("", |name| self.program.symbols.name(name));
            let own = name.chars().next().map(|c| c.to_ascii_lowercase());
            let mut all = own.into_iter().filter(char::is_ascii_lowercase);
            let mut all = all.by_ref().chain('a'..='z').chain('A'..='Z');
            let free = all.find(|letter| !taken.contains(letter));
            taken.push(free.unwrap_or('a'));
        }
        taken
    }
}
