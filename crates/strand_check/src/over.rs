//! `over=`: the axes that an operation works over.

use strand_ir::{TensorType, Type};
use strand_ops::OpId;
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast::{self, UnaryOp};

use crate::builtins::OpCall;
use crate::calls::CallArg;
use crate::context::Checker;
use crate::heads::without_parens;
use crate::operators::short;
use crate::suggest;

/// How many axes are offered for a name that none has.
const MOST_OFFERED: usize = 3;

impl Checker<'_> {
    /// The positions that `over=arg` names among the axes of `ty`, in the order written: a name, a
    /// negative position, or where `several` a tuple of these. Errors (E0405, E0407, E0704) are
    /// reported.
    pub(crate) fn over_axes(
        &mut self,
        op: Option<OpId>,
        ty: &TensorType,
        arg: &ast::Expr,
        several: bool,
    ) -> Option<Vec<usize>> {
        let parts = match &without_parens(arg).kind {
            ast::ExprKind::Tuple(parts) if several => parts.as_slice(),
            ast::ExprKind::Tuple(_) => {
                let message = "over= takes one axis here";
                self.error(Code::E0704, arg.span, message);
                return None;
            }
            _ => std::slice::from_ref(arg),
        };
        let mut axes: Vec<usize> = Vec::with_capacity(parts.len());
        for part in parts {
            let at = self.over_axis(op, ty, part)?;
            if axes.contains(&at) {
                let text = part.span.text(self.text);
                let message = format!("`{text}` is named twice in over=");
                self.error(Code::E0407, part.span, message);
                return None;
            }
            axes.push(at);
        }
        Some(axes)
    }

    /// [`Self::over_axes`] of a built-in, whose name the finding may say.
    pub(crate) fn over_axes_of(
        &mut self,
        call: &OpCall<'_, '_>,
        ty: &TensorType,
        arg: &ast::Expr,
        several: bool,
    ) -> Option<Vec<usize>> {
        if let (ast::ExprKind::Tuple(_), false) = (&without_parens(arg).kind, several) {
            let message = format!("{} works along one axis", call.op.name);
            self.error(Code::E0704, arg.span, message);
            return None;
        }
        self.over_axes(Some(call.op.id), ty, arg, several)
    }

    fn over_axis(&mut self, op: Option<OpId>, ty: &TensorType, arg: &ast::Expr) -> Option<usize> {
        let arg = without_parens(arg);
        match &arg.kind {
            ast::ExprKind::Name(name) => self.named_axis(op, ty, name, arg.span),
            ast::ExprKind::Unary {
                op: UnaryOp::Neg,
                operand,
            } => match without_parens(operand).kind {
                ast::ExprKind::Int(back) if (1..=ty.rank() as i64).contains(&back) => {
                    Some(ty.rank() - back as usize)
                }
                _ => {
                    self.no_such_axis(op, ty, arg.span);
                    None
                }
            },
            ast::ExprKind::Int(position) => {
                let mut finding = self.no_axis(op, ty, arg.span);
                finding =
                    finding.note("over= takes an axis's name, or a position from the end: -1.");
                if let Some(at) = usize::try_from(*position).ok().filter(|at| *at < ty.rank()) {
                    let text = self.over_text(ty, at);
                    finding = finding.fix(format!("over={text}"), arg.span, text);
                }
                self.report(finding);
                None
            }
            ast::ExprKind::Error => None,
            _ => {
                self.no_such_axis(op, ty, arg.span);
                None
            }
        }
    }

    /// The position of the axis of a name: E0405 where none has it, E0407 where several have.
    pub(crate) fn named_axis(
        &mut self,
        op: Option<OpId>,
        ty: &TensorType,
        name: &ast::Name,
        span: Span,
    ) -> Option<usize> {
        if self.is_caret(span.start) {
            self.note_caret(Some((Type::Tensor(ty.clone()), 0)), None);
        }
        let symbol = self.symbol(name);
        let mut places = ty
            .axes
            .iter()
            .enumerate()
            .filter(|(_, axis)| axis.name.is_some() && axis.name == symbol)
            .map(|(at, _)| at);
        match (places.next(), places.next()) {
            (Some(at), None) => Some(at),
            (Some(_), Some(_)) => {
                let shape = ty.display_shape(&self.program.symbols);
                let message = short(
                    format!("`{name}` is more than one axis of {shape}: say which"),
                    format!("`{name}` is more than one of the axes: say which"),
                );
                let mut finding = Diagnostic::new(Code::E0407, span, message)
                    .note("Give the place from the end, or rename an axis with `as`.");
                let rank = ty.rank();
                finding.notes.extend(Self::torch_counts_axes(op, rank));
                let named = |at: &usize| symbol.is_some() && ty.axes[*at].name == symbol;
                for at in (0..rank).filter(named) {
                    let place = strand_ir::axis_place(at, rank);
                    if let Some(origin) = ty.axes[at].origin.span() {
                        finding = finding.label(origin, format!("{name}: {place}"));
                    }
                }
                for at in (0..rank).rev().filter(named).take(2) {
                    let back = format!("-{}", rank - at);
                    let place = strand_ir::axis_place(at, rank);
                    finding = finding
                        .fix(format!("over={back}"), span, back)
                        .meaning(format!("over the {place}"));
                }
                self.report(finding);
                None
            }
            (None, _) => {
                let mut finding = self.no_axis(op, ty, span);
                for text in self.axes_by_likeliness(ty, name) {
                    finding = finding.fix(format!("over={text}"), span, text);
                }
                self.report(finding);
                None
            }
        }
    }

    /// The axes as `over=` writes them, for what was meant by a name that none has: one that is
    /// written much like it first, then the last ones.
    fn axes_by_likeliness(&self, ty: &TensorType, name: &str) -> Vec<String> {
        let mut axes: Vec<String> = (0..ty.rank())
            .rev()
            .map(|at| self.over_text(ty, at))
            .collect();
        let near = suggest::nearest(name, axes.iter().map(String::as_str)).map(str::to_owned);
        if let Some(at) = axes.iter().position(|axis| Some(axis) == near.as_ref()) {
            let near = axes.remove(at);
            axes.insert(0, near);
        }
        axes.truncate(MOST_OFFERED);
        axes
    }

    fn no_such_axis(&mut self, op: Option<OpId>, ty: &TensorType, span: Span) {
        let finding = self.no_axis(op, ty, span);
        self.report(finding);
    }

    fn no_axis(&self, op: Option<OpId>, ty: &TensorType, span: Span) -> Diagnostic {
        let text = span.text(self.text);
        let shape = ty.display_shape(&self.program.symbols);
        let message = if ty.rank() == 0 {
            format!("`{text}` isn't an axis: the value has none")
        } else {
            short(
                format!("`{text}` isn't an axis of {shape}"),
                format!("`{text}` isn't an axis of this value"),
            )
        };
        let mut finding = Diagnostic::new(Code::E0405, span, message);
        finding = self.axes_labelled(finding, ty);
        finding.notes.extend(Self::torch_counts_axes(op, ty.rank()));
        finding
    }

    /// Labels that name the axes of a tensor.
    pub(crate) fn axes_labelled(&self, mut finding: Diagnostic, ty: &TensorType) -> Diagnostic {
        for (at, axis) in ty.axes.iter().take(4).enumerate() {
            if let Some(origin) = axis.origin.span() {
                let place = strand_ir::axis_place(at, ty.rank());
                finding = finding.label(origin, format!("{}: {place}", self.show_axis(axis)));
            }
        }
        finding
    }

    /// How `over=` writes the axis at a place: its name where that is clear, else from the end.
    pub(crate) fn over_text(&self, ty: &TensorType, at: usize) -> String {
        let name = ty.axes[at].name;
        let once = ty.axes.iter().filter(|axis| axis.name == name).count() == 1;
        match name {
            Some(symbol) if once => self.program.symbols.name(symbol).to_owned(),
            _ => format!("-{}", ty.rank() - at),
        }
    }

    /// E0701 of an axis given by position, as PyTorch takes it: `softmax(x, 1)`.
    pub(crate) fn over_without_name(
        &mut self,
        call: &OpCall<'_, '_>,
        first: &[&CallArg<'_>],
        arg: &CallArg<'_>,
    ) {
        let name = call.op.name;
        let mut finding = Diagnostic::new(
            Code::E0701,
            arg.span(),
            format!("{name} takes one value; the axis is named: `over=`"),
        );
        let pairwise = match call.op.id {
            OpId::Max => Some("maximum"),
            OpId::Min => Some("minimum"),
            _ => None,
        };
        let over = match (first.first(), arg) {
            // What stands first in PyTorch's norm is its order.
            (Some(value), CallArg::Written(arg)) if call.op.traits.torch_order.is_none() => {
                self.over_of_position(value, &arg.value)
            }
            _ => None,
        };
        if let Some(over) = over {
            let text = format!("over={over}");
            finding = finding.write(arg.span(), text);
        }
        if let (Some(pairwise), Some(name)) = (pairwise, call.path.first()) {
            finding = finding
                .note(format!(
                    "The greater or lesser of two values is `{pairwise}`."
                ))
                .write(name.span, pairwise);
        }
        self.report(finding);
        self.type_anyway(call.args);
    }

    /// How `over=` writes what PyTorch writes as `dim=arg` of a value.
    pub(crate) fn over_of_position(
        &mut self,
        value: &CallArg<'_>,
        arg: &ast::Expr,
    ) -> Option<String> {
        let typed = self.tried(|checker| checker.argument(value, None, false))?;
        let tensor = typed.ty.tensor()?;
        self.position_text(tensor, arg)
    }

    /// How `over=` writes a position, an axis name or a tuple of these.
    pub(crate) fn position_text(&self, tensor: &TensorType, arg: &ast::Expr) -> Option<String> {
        let arg = without_parens(arg);
        match &arg.kind {
            ast::ExprKind::Name(name) => {
                let symbol = self.symbol(name)?;
                let has = tensor.axes.iter().any(|axis| axis.name == Some(symbol));
                has.then(|| name.to_string())
            }
            ast::ExprKind::Tuple(parts) => {
                let parts: Option<Vec<String>> = parts
                    .iter()
                    .map(|part| self.position_text(tensor, part))
                    .collect();
                Some(format!("({})", parts?.join(", ")))
            }
            _ => Some(self.over_text(tensor, place_of(arg, tensor.rank())?)),
        }
    }

    /// E0702 of a keyword that the operation lacks; `dim=`, `axis=` are `over=`.
    pub(crate) fn unknown_op_keyword(
        &mut self,
        call: &OpCall<'_, '_>,
        first: &[&CallArg<'_>],
        keyword: &ast::Ident,
        arg: &CallArg<'_>,
    ) {
        let name = call.op.name;
        let mut finding = Diagnostic::new(
            Code::E0702,
            keyword.span,
            format!("{name} has no parameter `{}`", keyword.name),
        );
        let axis = matches!(&*keyword.name, "dim" | "axis" | "dims" | "axes" | "over");
        if axis && call.op.takes_over() {
            finding.message = format!("Strand writes `{}=` as `over=`", keyword.name);
            if let (Some(value), CallArg::Written(arg)) = (first.first(), arg)
                && let Some(text) = self.over_of_position(value, &arg.value)
            {
                let text = format!("over={text}");
                finding = finding.write(arg.span, text);
            }
        } else if axis {
            finding.message = if call.op.is_elementwise() {
                format!("{name} works on all axes; it has no over=")
            } else {
                format!("{name} has no over=")
            };
        } else if &*keyword.name == "keepdim" || &*keyword.name == "keepdims" {
            finding = finding.note("Index the result with `newaxis` to keep an axis of size 1.");
            finding = self.with_spelling(finding, call);
        } else {
            finding = self.with_spelling(finding, call);
            let known = call.op.params.iter().map(|param| param.name);
            if let Some(near) = suggest::nearest(&keyword.name, known) {
                finding = finding.write(keyword.span, near);
            }
        }
        self.report(finding);
        self.type_anyway(call.args);
    }
}

/// A position as PyTorch and NumPy give it: a whole number, perhaps negative.
pub(crate) fn position(expr: &ast::Expr) -> Option<i64> {
    match &expr.kind {
        ast::ExprKind::Int(value) => Some(*value),
        ast::ExprKind::Paren(inner) => position(inner),
        ast::ExprKind::Unary {
            op: UnaryOp::Neg,
            operand,
        } => position(operand)?.checked_neg(),
        _ => None,
    }
}

/// The place from the front, below `rank`, of a position that may count from the end.
pub(crate) fn place_of(expr: &ast::Expr, rank: usize) -> Option<usize> {
    let at = position(expr)?;
    let at = if at < 0 { at + rank as i64 } else { at };
    usize::try_from(at).ok().filter(|at| *at < rank)
}
