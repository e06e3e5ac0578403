//! What a chain iterates: the indices of a size, the numbers of a range, or a tensor's slices.

use strand_ir::{Axis, Domain, Expr, Host, How, Iter, IterKind, Size, SymbolId, TensorType, Type};
use strand_ops::DType;
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast::{self, BinaryOp, SizeExprKind};

use crate::chains::StageCall;
use crate::context::Checker;

/// What goes into a stage.
pub(crate) enum Flow {
    /// A value; `iterated` if it is the result of a map or filter (decision 35).
    Value {
        /// The value.
        value: Expr,
        /// Whether its first axis is the one that a stage iterates without `over=`.
        iterated: bool,
    },
    /// A size, a range, or pairs: elements that aren't a tensor yet.
    Elements(Iter),
}

impl Flow {
    /// A value whose axes a stage must be told.
    pub(crate) fn value(value: Expr) -> Self {
        Self::Value {
            value,
            iterated: false,
        }
    }
}

/// What stands in `(e)`, at any depth.
pub(crate) fn without_parens(mut expr: &ast::Expr) -> &ast::Expr {
    while let ast::ExprKind::Paren(inner) = &expr.kind {
        expr = inner;
    }
    expr
}

impl Checker<'_> {
    /// What is iterated where `expr` is a chain's head or the other side of a zip; `None` where
    /// it is wrong.
    pub(crate) fn iteration(&mut self, expr: &ast::Expr) -> Option<Flow> {
        let inner = without_parens(expr);
        if let ast::ExprKind::Range(range) = &inner.kind {
            return self.range_elements(range).map(Flow::Elements);
        }
        if let Some(written) = self.written_size(inner) {
            return self.size_elements(expr, &written).map(Flow::Elements);
        }
        let iterated = self.is_iteration_result(inner);
        let value = self.expr(expr, None);
        Some(Flow::Value { value, iterated })
    }

    /// Whether an expression is the result of a map or filter: its last stage is one, through
    /// parentheses and one assignment to a name (decision 35).
    pub(crate) fn is_iteration_result(&self, expr: &ast::Expr) -> bool {
        match &without_parens(expr).kind {
            ast::ExprKind::Name(name) => self
                .variable(name)
                .is_some_and(|variable| self.body.iterated.get(&variable.local) == Some(&true)),
            _ => ends_in_iteration(expr),
        }
    }

    /// An expression made of whole numbers, dims and axis names alone, as a size.
    fn written_size(&mut self, expr: &ast::Expr) -> Option<ast::SizeExpr> {
        let kind = match &expr.kind {
            ast::ExprKind::Int(value) => SizeExprKind::Number(*value),
            ast::ExprKind::Name(name) => {
                if self.variable(name).is_some() {
                    return None;
                }
                self.symbol(name)?;
                SizeExprKind::Name(name.clone())
            }
            ast::ExprKind::Paren(inner) => self.written_size(inner)?.kind,
            ast::ExprKind::Unary {
                op: ast::UnaryOp::Neg,
                operand,
            } => SizeExprKind::Binary {
                op: BinaryOp::Sub,
                left: Box::new(ast::SizeExpr {
                    kind: SizeExprKind::Number(0),
                    span: expr.span,
                }),
                right: Box::new(self.written_size(operand)?),
            },
            ast::ExprKind::Binary {
                op: op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::FloorDiv),
                left,
                right,
                ..
            } => SizeExprKind::Binary {
                op: *op,
                left: Box::new(self.written_size(left)?),
                right: Box::new(self.written_size(right)?),
            },
            _ => return None,
        };
        let size = ast::SizeExpr {
            kind,
            span: expr.span,
        };
        // A quotient is a size only where it is exact by construction (decision 13).
        let inexact = is_quotient(&size) && self.silently(|checker| checker.size(&size)).is_none();
        (!inexact).then_some(size)
    }

    /// The indices of a size.
    fn size_elements(&mut self, head: &ast::Expr, written: &ast::SizeExpr) -> Option<Iter> {
        let inner = without_parens(head);
        if self.is_bad_number(inner) {
            return None;
        }
        if let Some(value) = constant(written)
            && value <= 0
        {
            self.report(
                Diagnostic::new(
                    Code::E2401,
                    inner.span,
                    format!("{value} isn't a positive size"),
                )
                .note("A chain iterates a size that is known to be positive."),
            );
            return None;
        }
        if has_minus(written) {
            self.refuse_minus(head, written);
            return None;
        }
        let size = self.size(written)?;
        if self.is_never_positive(&size) {
            let text = self.quote(inner.span);
            let message = format!("{text} isn't a positive size");
            self.error(Code::E2401, inner.span, message);
            return None;
        }
        let iter = self.indices(size, self.size_name(inner), inner.span);
        self.hover(inner.span, &self.whole_types(&iter));
        Some(iter)
    }

    /// Whether a number is one that the parser has refused as too large.
    fn is_bad_number(&self, expr: &ast::Expr) -> bool {
        matches!(expr.kind, ast::ExprKind::Int(i64::MAX))
            && self.diagnostics.iter().any(|found| found.span == expr.span)
    }

    /// The symbol that a bare dim or axis name is; nothing else names an axis (decision 13).
    fn size_name(&self, expr: &ast::Expr) -> Option<SymbolId> {
        match &without_parens(expr).kind {
            ast::ExprKind::Name(name) => self.symbol(name),
            _ => None,
        }
    }

    /// The indices of a size, each an index of the axis that is iterated.
    fn indices(&self, size: Size, name: Option<SymbolId>, span: Span) -> Iter {
        let axis = match name {
            Some(symbol) => self.axis_of(symbol),
            None => Axis::unnamed(size.clone()).made(How::Words("the chain's head"), span),
        };
        Iter {
            kind: IterKind::Size(size),
            parts: vec![Type::Tensor(index_type(axis.clone()))],
            axis,
            span,
        }
    }

    fn refuse_minus(&mut self, head: &ast::Expr, written: &ast::SizeExpr) {
        let inner = without_parens(head);
        let text = inner.span.text(self.text).to_owned();
        let quoted = self.quote(inner.span);
        let (message, note) = if has_negative(written) {
            (
                format!("{quoted} isn't a positive size"),
                "A chain iterates a size, which is never negative.",
            )
        } else {
            (
                format!("a chain's size is a sum or product, not {quoted}"),
                "A minus may make it negative; a range says where it starts and ends.",
            )
        };
        let mut finding = Diagnostic::new(Code::E2401, inner.span, message).note(note);
        if !has_negative(written) {
            let range = match inner.span == head.span {
                true => format!("0..{text}"),
                false => format!("0..({text})"),
            };
            finding = finding.write(head.span, range);
        }
        self.report(finding);
    }

    /// The numbers of a range whose ends are sizes.
    fn range_elements(&mut self, range: &ast::Range) -> Option<Iter> {
        let (Some(first), Some(last)) = (&range.start, &range.end) else {
            self.error(
                Code::E2401,
                range.span,
                "a range that is iterated needs both of its ends",
            );
            return None;
        };
        if let Some(step) = &range.step {
            self.error(
                Code::E2401,
                step.span,
                "a range that is iterated has no step",
            );
            return None;
        }
        let (start, end) = (self.range_end(first), self.range_end(last));
        let (start, end) = (start?, end?);
        let Ok(length) = end.sub(&start) else {
            self.error(Code::E0203, range.span, "this range is too large");
            return None;
        };
        if self.is_never_positive(&length) {
            self.refuse_empty(range, &start, &end, &length);
            return None;
        }
        let symbols = &self.program.symbols;
        if start.ground(symbols).as_constant() == Some(0) {
            let name = self.size_name(last);
            return Some(self.indices(end, name, range.span));
        }
        let number = TensorType::new(Vec::new(), DType::I64);
        Some(Iter {
            kind: IterKind::Range(start, end),
            axis: Axis::unnamed(length).made(How::Words("the range"), range.span),
            parts: vec![Type::Tensor(number)],
            span: range.span,
        })
    }

    /// An end of a range that is iterated.
    fn range_end(&mut self, end: &ast::Expr) -> Option<Size> {
        if let Some(written) = self.written_size(end) {
            if has_negative(&written) {
                let message = format!("{} isn't a size: it is negative", self.quote(end.span));
                self.error(Code::E2401, end.span, message);
                return None;
            }
            return self.size(&written);
        }
        let value = self.expr(end, None);
        if !value.ty.is_error() {
            self.refuse_iteration(&value, end.span);
        }
        None
    }

    fn refuse_empty(&mut self, range: &ast::Range, start: &Size, end: &Size, length: &Size) {
        let symbols = &self.program.symbols;
        let text = self.quote(range.span);
        let what = if length.ground(symbols).as_constant() == Some(0) {
            "is empty"
        } else {
            "runs backwards"
        };
        let mut finding = Diagnostic::new(Code::E2401, range.span, format!("{text} {what}"));
        if what == "runs backwards" {
            finding = finding.note(format!(
                "It starts at {} and ends before {}.",
                start.display(symbols),
                end.display(symbols)
            ));
        }
        self.report(finding);
    }

    /// Whether a size is 0 or less for all values of its axis names, which are never negative.
    fn is_never_positive(&self, size: &Size) -> bool {
        let ground = size.ground(&self.program.symbols);
        ground.terms().all(|(_, factor)| factor <= 0)
    }

    /// E2401 for a value that can't be iterated, and E3101's help for Python values.
    pub(crate) fn refuse_iteration(&mut self, value: &Expr, span: Span) {
        let text = self.quote(span);
        let finding = match &value.ty {
            Type::Error => return,
            Type::Tensor(_) => Diagnostic::new(
                Code::E2401,
                span,
                format!("{text} is one number: it has no axis to iterate"),
            ),
            Type::Host(Host::Int) => Diagnostic::new(
                Code::E2401,
                span,
                format!("a chain's size is known from the types; {text} is an int"),
            )
            .note(
                "The result's axis is the one iterated. A `for` loop runs to an int: \
                 `for i in 0..k:`.",
            ),
            Type::Py => Diagnostic::new(
                Code::E2401,
                span,
                format!("{text} is a Python value, whose shape isn't known"),
            )
            .note(format!(
                "Give it a shape with `as` first: `{} as [n D]`.",
                span.text(self.text).lines().next().unwrap_or_default()
            )),
            other => {
                let kind = self.kind_of(other);
                Diagnostic::new(
                    Code::E2401,
                    span,
                    format!("{text} is {kind}, which can't be iterated"),
                )
            }
        };
        self.report(finding);
    }

    /// The slices of a value that a stage iterates, along the axis that `over=` says, or the one
    /// that is clear without.
    pub(crate) fn slices(
        &mut self,
        value: Expr,
        iterated: bool,
        over: Option<&ast::Arg>,
        call: &StageCall<'_>,
    ) -> Option<Iter> {
        let Some(ty) = value.ty.tensor().cloned() else {
            self.refuse_iteration(&value, value.span);
            return None;
        };
        if ty.rank() == 0 {
            self.refuse_iteration(&value, value.span);
            return None;
        }
        let axis = match over {
            Some(over) => *self.over_axes(None, &ty, &over.value, false)?.first()?,
            None if ty.rank() == 1 || iterated => 0,
            None => {
                self.needs_over(&value, &ty, call);
                return None;
            }
        };
        Some(slices_along(value, &ty, axis))
    }

    /// E0406 at a stage, with a fix for each axis that `over=` can name.
    fn needs_over(&mut self, value: &Expr, ty: &TensorType, call: &StageCall<'_>) {
        let shape = ty.display_shape(&self.program.symbols);
        let message = format!(
            "{} needs over=: its input has the axes {shape}",
            call.name.name
        );
        let mut finding = Diagnostic::new(Code::E0406, call.span, message)
            .label(value.span, format!("{shape}, {} axes", ty.rank()));
        for at in 0..ty.rank().min(4) {
            let name = self.over_text(ty, at);
            let edit = call.insert_argument(&format!("over={name}"));
            finding = finding.fix_edits(format!("iterate {name}: over={name}"), vec![edit]);
        }
        self.report(finding);
    }

    /// E0405 for `over=` on a stage whose input isn't a tensor (decision 36).
    pub(crate) fn refuse_over(&mut self, over: &ast::Arg, input: &Iter, call: &StageCall<'_>) {
        let what = if input.parts.len() > 1 {
            "pairs"
        } else if matches!(input.kind, IterKind::Range(..)) {
            "a range"
        } else {
            "a size"
        };
        let message = format!("over= names an axis of a tensor; {what} is iterated here");
        let mut finding = Diagnostic::new(Code::E0405, over.value.span, message);
        if let Some(edit) = call.remove_argument(over) {
            finding = finding.fix_edits("leave out over=", vec![edit]);
        }
        self.report(finding);
    }

    /// What a type is, in words for a sentence.
    pub(crate) fn kind_of(&self, ty: &Type) -> String {
        match ty {
            Type::Tensor(tensor) => tensor.display(&self.program.symbols),
            Type::Host(Host::Int) => "an int".to_owned(),
            Type::Host(Host::Float) => "a float".to_owned(),
            Type::Host(Host::Bool) => "a bool".to_owned(),
            Type::Host(Host::Str) => "text".to_owned(),
            Type::Py => "a Python value".to_owned(),
            Type::Model(_) => "a model".to_owned(),
            Type::Optimizer => "an optimizer".to_owned(),
            Type::Tuple(_) => "a tuple".to_owned(),
            Type::Nothing => "nothing".to_owned(),
            Type::Error => "wrong".to_owned(),
        }
    }

    /// A short piece of the text for a sentence; "this" where it is long.
    pub(crate) fn quote(&self, span: Span) -> String {
        let text = span.text(self.text);
        if text.is_empty() || text.contains('\n') || text.chars().count() > 16 {
            "this".to_owned()
        } else {
            text.to_owned()
        }
    }
}

/// Whether the last stage of an expression is map or filter, through parentheses.
pub(crate) fn ends_in_iteration(expr: &ast::Expr) -> bool {
    let ast::ExprKind::Pipe { stages, .. } = &without_parens(expr).kind else {
        return false;
    };
    let last = stages.last().and_then(crate::chains::iterator_name);
    matches!(last, Some("map" | "filter"))
}

/// The slices of a tensor along one of its axes.
pub(crate) fn slices_along(value: Expr, ty: &TensorType, axis: usize) -> Iter {
    let mut part = ty.clone();
    let iterated = part.axes.remove(axis);
    Iter {
        span: value.span,
        kind: IterKind::Slices {
            tensor: value,
            axis,
        },
        axis: iterated,
        parts: vec![Type::Tensor(part)],
    }
}

/// The type of one index of an axis.
pub(crate) fn index_type(axis: Axis) -> TensorType {
    TensorType {
        axes: Vec::new(),
        dtype: DType::I64,
        domain: Domain::Index(axis),
    }
}

/// An iteration that stands for a wrong one, so that its stage's function is looked at all the
/// same.
pub(crate) fn wrong_iteration(value: Expr) -> Iter {
    Iter {
        span: value.span,
        kind: IterKind::Slices {
            tensor: value,
            axis: 0,
        },
        axis: Axis::unnamed(Size::constant(1)),
        parts: vec![Type::Error],
    }
}

/// The value of a written size without names, where it fits.
fn constant(size: &ast::SizeExpr) -> Option<i64> {
    match &size.kind {
        SizeExprKind::Number(value) => Some(*value),
        SizeExprKind::Binary { op, left, right } => {
            let (left, right) = (constant(left)?, constant(right)?);
            match op {
                BinaryOp::Add => left.checked_add(right),
                BinaryOp::Sub => left.checked_sub(right),
                BinaryOp::Mul => left.checked_mul(right),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_quotient(size: &ast::SizeExpr) -> bool {
    matches!(
        size.kind,
        SizeExprKind::Binary {
            op: BinaryOp::FloorDiv,
            ..
        }
    )
}

/// Whether a difference is part of a written size, which may make it negative.
fn has_minus(size: &ast::SizeExpr) -> bool {
    match &size.kind {
        SizeExprKind::Binary { op, left, right } => {
            *op == BinaryOp::Sub || has_minus(left) || has_minus(right)
        }
        _ => false,
    }
}

/// Whether a number or name in a written size has a minus of its own, as in `-3`.
fn has_negative(size: &ast::SizeExpr) -> bool {
    match &size.kind {
        SizeExprKind::Binary { op, left, right } => {
            let own = *op == BinaryOp::Sub && left.kind == SizeExprKind::Number(0);
            own && left.span == size.span || has_negative(left) || has_negative(right)
        }
        _ => false,
    }
}
