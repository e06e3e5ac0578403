//! Slices: `a..b by s` of an axis, whose size is a polynomial where the ends are (decision 18).

use strand_ir::{Axis, Expr, ExprKind, Host, How, IndexItem, LocalKind, Size, Type};
use strand_ops::OpId;
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::context::Checker;
use crate::heads::without_parens;
use crate::index::Base;
use crate::operators::short;

/// An end of a slice.
struct Bound {
    value: Expr,
    /// Its place in the axis, counted from the start, where that is known.
    place: Option<Size>,
}

/// A slice's step.
enum Step {
    By(i64),
    Unknown,
}

impl Checker<'_> {
    /// A slice of the axis at `at`, with the axis that it leaves.
    pub(crate) fn slice(
        &mut self,
        range: &ast::Range,
        base: &Base<'_>,
        at: usize,
    ) -> Option<(IndexItem, Axis)> {
        let axis = base.ty.axes[at].clone();
        let start = range.start.as_ref().map(|bound| self.bound(bound, &axis));
        let end = range.end.as_ref().map(|bound| self.bound(bound, &axis));
        let step = range.step.as_ref().map(|step| self.step(step));
        let (start, end, step) = (all(start)?, all(end)?, all(step)?);
        let left = if start.is_none() && end.is_none() && step.is_none() {
            axis
        } else {
            let by = step.as_ref().map_or(&Step::By(1), |(_, by)| by);
            let size = match by {
                Step::By(by) => {
                    self.slice_size(range, base, at, start.as_ref(), end.as_ref(), *by)?
                }
                Step::Unknown => None,
            };
            let size = match size {
                Some(size) => size,
                None => self.birth(range.span, "taken by the slice"),
            };
            Axis::unnamed(size).made_from(&axis.origin, How::Words("the slice"), range.span)
        };
        let item = IndexItem::Slice {
            start: start.map(|bound| bound.value),
            end: end.map(|bound| bound.value),
            step: step.map(|(value, _)| value),
        };
        Some((item, left))
    }

    /// An end of a slice. Negative literals count from the axis's end.
    fn bound(&mut self, written: &ast::Expr, axis: &Axis) -> Option<Bound> {
        if let Some(value) = negative_literal(written) {
            let place = axis.size.add(&Size::constant(value)).ok();
            let value = Expr {
                kind: ExprKind::Int(value),
                ty: Type::Host(Host::Int),
                span: written.span,
            };
            return Some(Bound { value, place });
        }
        let value = self.expr(written, None);
        match &value.ty {
            Type::Error => None,
            Type::Host(Host::Int) => {
                let place = self.program.size_of(&value);
                Some(Bound { value, place })
            }
            // What depends on a stage's element is said of the stage (E2403).
            Type::Tensor(ty)
                if ty.rank() == 0 && ty.dtype.is_int() && self.uses_element(&value) =>
            {
                Some(Bound { value, place: None })
            }
            _ => {
                self.refuse_bound(&value, written);
                None
            }
        }
    }

    fn refuse_bound(&mut self, value: &Expr, written: &ast::Expr) {
        let what = self.kind_of(&value.ty);
        let text = self.quote(written.span);
        let message = format!("a slice's ends and step are ints; {text} is {what}");
        let mut finding = Diagnostic::new(Code::E0704, written.span, message);
        let number = value
            .ty
            .tensor()
            .is_some_and(|ty| ty.rank() == 0 && ty.dtype.is_int());
        if number {
            let mended = format!("item({})", written.span.text(self.text));
            finding = finding
                .note("`item` reads a tensor's number, so the size is known only then.")
                .write(written.span, mended);
        }
        self.report(finding);
    }

    /// Whether a value depends on a parameter of a lambda.
    pub(crate) fn uses_element(&self, value: &Expr) -> bool {
        let mut uses = false;
        value.each(&mut |expr| {
            if let ExprKind::Local(local) = expr.kind {
                let local = self.body.locals.get(local.0 as usize);
                uses |= local.is_some_and(|local| local.kind == LocalKind::Lambda);
            }
        });
        uses
    }

    fn step(&mut self, written: &ast::Expr) -> Option<(Expr, Step)> {
        if let Some(step) = negative_literal(written) {
            let value = Expr {
                kind: ExprKind::Int(step),
                ty: Type::Host(Host::Int),
                span: written.span,
            };
            return Some((value, Step::By(step)));
        }
        let value = self.expr(written, None);
        match &value.ty {
            Type::Error => return None,
            Type::Host(Host::Int) => {}
            _ => {
                self.refuse_bound(&value, written);
                return None;
            }
        }
        let known = self
            .program
            .size_of(&value)
            .and_then(|size| size.ground(&self.program.symbols).as_constant());
        match known {
            Some(0) => {
                self.error(Code::E0509, written.span, "a slice's step can't be 0");
                None
            }
            Some(step) => Some((value, Step::By(step))),
            None => Some((value, Step::Unknown)),
        }
    }

    /// How many elements a slice takes, where its ends are sizes: `Some(None)` where only running
    /// the program tells, `None` where it is certainly outside (E0509).
    fn slice_size(
        &mut self,
        range: &ast::Range,
        base: &Base<'_>,
        at: usize,
        start: Option<&Bound>,
        end: Option<&Bound>,
        step: i64,
    ) -> Option<Option<Size>> {
        let size = base.ty.axes[at].size.clone();
        let one = Size::constant(1);
        let place = |bound: Option<&Bound>, otherwise: Option<Size>| match bound {
            Some(bound) => bound.place.clone(),
            None => otherwise,
        };
        // A slice that runs backwards starts at its last element and ends before its first.
        let (first, last) = if step > 0 {
            (Some(Size::constant(0)), Some(size.clone()))
        } else {
            (size.sub(&one).ok(), Some(Size::constant(-1)))
        };
        let (from, to) = (place(start, first), place(end, last));
        let (low, high) = if step > 0 {
            (from.clone(), to.clone())
        } else {
            let next = |place: &Size| place.add(&one).ok();
            (to.as_ref().and_then(next), from.as_ref().and_then(next))
        };
        let (low_bound, high_bound) = if step > 0 { (start, end) } else { (end, start) };
        if let Some(low) = &low
            && self.is_certainly_negative(low)
        {
            self.refuse_slice(range, low_bound, base, at, "lies before the start of");
            return None;
        }
        if let Some(over) = high.as_ref().and_then(|high| size.sub(high).ok())
            && self.is_certainly_negative(&over)
        {
            self.refuse_slice(range, high_bound, base, at, "lies past the end of");
            return None;
        }
        let apart = start.zip(end).filter(|_| step == 1);
        let length = match (low, high) {
            (Some(low), Some(high)) => high.sub(&low),
            // `j..j + K` has K elements wherever it starts: its ends are checked.
            _ => match apart.and_then(|(start, end)| self.between(&start.value, &end.value)) {
                Some(length) => Ok(length),
                None => return Some(None),
            },
        };
        let Ok(length) = length else {
            self.error(
                Code::E0203,
                range.span,
                "the size of this slice is too large",
            );
            return None;
        };
        if self.is_certainly_negative(&length) {
            self.refuse_backwards(range, base, at, step);
            return None;
        }
        if step.abs() == 1 {
            return Some(Some(length));
        }
        let known = length.ground(&self.program.symbols).as_constant();
        let count = known.and_then(|length| {
            let step = i64::try_from(step.unsigned_abs()).ok()?;
            Some(length / step + i64::from(length % step != 0))
        });
        Some(count.map(Size::constant))
    }

    /// How far one number is from another that is computed from the same one.
    fn between(&self, start: &Expr, end: &Expr) -> Option<Size> {
        let (from, less) = self.parted(start)?;
        let (to, more) = self.parted(end)?;
        let same = from?.text(self.text) == to?.text(self.text);
        more.sub(&less).ok().filter(|_| same)
    }

    /// A number as one that only running tells, where one is in it, and a size that is added.
    fn parted(&self, value: &Expr) -> Option<(Option<Span>, Size)> {
        if let Some(size) = self.program.size_of(value) {
            return Some((None, size));
        }
        let whole = Some((Some(value.span), Size::constant(0)));
        match &value.kind {
            ExprKind::Local(_) => whole,
            ExprKind::Lift(inner) => self.parted(inner),
            ExprKind::Op { op, args, .. } => {
                let [left, right] = args.as_slice() else {
                    return None;
                };
                // Both are made of variables and sizes, so that they are what they were.
                let (left, right) = (self.parted(left)?, self.parted(right)?);
                match (op, left, right) {
                    (OpId::Add, (base, a), (None, b)) | (OpId::Add, (None, a), (base, b)) => {
                        Some((base, a.add(&b).ok()?))
                    }
                    (OpId::Sub, (base, a), (None, b)) => Some((base, a.sub(&b).ok()?)),
                    (OpId::Add | OpId::Sub | OpId::Mul, ..) => whole,
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether a size is below 0 for all values of its axis names.
    fn is_certainly_negative(&self, size: &Size) -> bool {
        let ground = size.ground(&self.program.symbols);
        let mut below = false;
        for (product, factor) in ground.terms() {
            if factor > 0 {
                return false;
            }
            below |= product.is_empty();
        }
        below
    }

    fn refuse_slice(
        &mut self,
        range: &ast::Range,
        bound: Option<&Bound>,
        base: &Base<'_>,
        at: usize,
        how: &str,
    ) {
        let span = bound.map_or(range.span, |bound| bound.value.span);
        let size = base.ty.axes[at].size.ground(&self.program.symbols);
        let size = size.display(&self.program.symbols);
        let (text, place) = (self.quote(span), self.axis_place(base, at));
        let message = short(
            format!("{text} {how} {place}, whose size is {size}"),
            format!("{text} {how} an axis of size {size}"),
        );
        let mut finding = Diagnostic::new(Code::E0509, span, message);
        finding = self.trace(finding, &base.ty.axes[at], &place, base.span);
        if range.step.is_none() {
            finding = finding.note("PyTorch cuts the slice to the axis, and says nothing.");
        }
        self.report(finding);
    }

    fn refuse_backwards(&mut self, range: &ast::Range, base: &Base<'_>, at: usize, step: i64) {
        let place = self.axis_place(base, at);
        let message = format!(
            "{} of {place} ends before it starts",
            self.quote(range.span)
        );
        let message = message.replace(" of the only axis of ", " of ");
        let mut finding = Diagnostic::new(Code::E0509, range.span, message);
        if step == 1 && range.step.is_none() {
            finding = finding
                .note("A negative step runs backwards: `5..2 by -1`.")
                .note("PyTorch takes no elements here, and says nothing.");
        }
        self.report(finding);
    }
}

/// The value of `-3`.
fn negative_literal(written: &ast::Expr) -> Option<i64> {
    match &without_parens(written).kind {
        ast::ExprKind::Unary {
            op: ast::UnaryOp::Neg,
            operand,
        } => match without_parens(operand).kind {
            ast::ExprKind::Int(value) if value != 0 => value.checked_neg(),
            _ => None,
        },
        ast::ExprKind::Int(value) if *value < 0 => Some(*value),
        _ => None,
    }
}

/// `None` where what is there is wrong.
fn all<T>(part: Option<Option<T>>) -> Option<Option<T>> {
    match part {
        None => Some(None),
        Some(None) => None,
        Some(some) => Some(some),
    }
}
