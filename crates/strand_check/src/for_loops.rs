//! `for` loops: over ranges, along an axis, over Python values.

use strand_ir::{Expr, ExprKind, Host, LocalId, LocalKind, Stmt, StmtKind, TensorType, Type};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast::{self, Target};

use crate::context::Checker;
use crate::heads::without_parens;

impl Checker<'_> {
    pub(crate) fn for_loop(&mut self, stmt: &ast::Stmt) -> Option<StmtKind> {
        let ast::StmtKind::For {
            target,
            iter,
            over,
            by,
            body,
            ..
        } = &stmt.kind
        else {
            return None;
        };
        let span = stmt.span;
        if let Some(by) = by {
            self.error(Code::E0306, *by, "datasets aren't available yet");
            self.loop_over(span, target, Type::Error, body);
            return None;
        }
        if let ast::ExprKind::Range(range) = &without_parens(iter).kind {
            if let Some(over) = over {
                let message = "a range has no axis to name";
                self.error(Code::E0405, over.span, message);
            }
            return self.for_range(span, target, range, body);
        }
        let Some(value) = self.iterable(iter) else {
            self.loop_over(span, target, Type::Error, body);
            return None;
        };
        match value.ty.clone() {
            Type::Tensor(tensor) => {
                let axis = self.loop_axis(&tensor, &value, over.as_ref());
                let ty = match axis {
                    Some(axis) => {
                        let mut slice = tensor;
                        slice.axes.remove(axis);
                        Type::Tensor(slice)
                    }
                    None => Type::Error,
                };
                let (local, body) = self.loop_over(span, target, ty, body);
                let tensor = value;
                axis.map(|axis| StmtKind::ForSlices {
                    local,
                    tensor,
                    axis,
                    body,
                })
            }
            Type::Model(_) => self.for_models(span, target, value, over.as_ref(), body),
            _ => {
                if let Some(over) = over {
                    let message = "a Python value has no axis to name";
                    self.error(Code::E3101, over.span, message);
                }
                let (local, body) = self.loop_over(span, target, Type::Py, body);
                Some(StmtKind::ForPy { local, value, body })
            }
        }
    }

    /// The tensor or Python value that a loop goes over; E0802 for others.
    fn iterable(&mut self, iter: &ast::Expr) -> Option<Expr> {
        if let Some(text) = self.range_call(iter) {
            let finding = Diagnostic::new(Code::E0802, iter.span, "Strand writes a range `a..b`")
                .write(iter.span, text);
            self.report(finding);
            return None;
        }
        let value = self.expr(iter, None);
        let text = self.name_of(value.span);
        let mut finding = match &value.ty {
            Type::Error => return None,
            Type::Py => return Some(value),
            ty if self.submodels(ty).is_some() => return Some(value),
            Type::Tensor(tensor) if tensor.rank() > 0 => return Some(value),
            Type::Tensor(_) => Diagnostic::new(
                Code::E0802,
                value.span,
                format!("{text} has no axis to loop over"),
            ),
            Type::Host(Host::Int) => {
                let written = crate::suggest::grouped(value.span.text(self.text));
                let range = format!("0..{written}");
                Diagnostic::new(
                    Code::E0802,
                    value.span,
                    format!("{text} is a number; loop over a range"),
                )
                .write(value.span, range)
            }
            Type::Nothing => {
                self.no_value(&value);
                return None;
            }
            other => {
                let ty = self.show(other);
                Diagnostic::new(
                    Code::E0802,
                    value.span,
                    format!("{text} is {ty}, which can't be looped over"),
                )
            }
        };
        finding = finding.note("`for` goes over a range, a tensor's axis or a Python value.");
        self.report(finding);
        None
    }

    /// The range that `range(a, b, s)` of Python is.
    fn range_call(&self, iter: &ast::Expr) -> Option<String> {
        let ast::ExprKind::Call { callee, args, .. } = &without_parens(iter).kind else {
            return None;
        };
        let ast::ExprKind::Name(name) = &callee.kind else {
            return None;
        };
        if &**name != "range" || self.globals.functions.contains_key(name) {
            return None;
        }
        let part = |at: usize| {
            let text = args.get(at).map(|arg| arg.value.span.text(self.text));
            text.map(crate::suggest::grouped)
        };
        Some(match args.len() {
            1 => format!("0..{}", part(0)?),
            2 => format!("{}..{}", part(0)?, part(1)?),
            3 => format!("{}..{} by {}", part(0)?, part(1)?, part(2)?),
            _ => return None,
        })
    }

    fn loop_axis(
        &mut self,
        tensor: &TensorType,
        value: &Expr,
        over: Option<&ast::Ident>,
    ) -> Option<usize> {
        if let Some(over) = over {
            return self.named_axis(None, tensor, &over.name, over.span);
        }
        if tensor.rank() == 1 {
            return Some(0);
        }
        let shape = tensor.display_shape(&self.program.symbols);
        let mut finding = Diagnostic::new(
            Code::E0406,
            value.span,
            format!("the loop needs `over`: its tensor has the axes {shape}"),
        );
        for at in 0..tensor.rank().min(3) {
            if tensor.axes[at].name.is_some() {
                let text = format!("over {}", self.over_text(tensor, at));
                let end = Span::empty(value.span.end);
                finding = finding.fix(&*text, end, format!(" {text}"));
            }
        }
        self.report(finding);
        None
    }

    fn for_range(
        &mut self,
        span: Span,
        target: &Target,
        range: &ast::Range,
        body: &[ast::Stmt],
    ) -> Option<StmtKind> {
        let zero = Expr {
            kind: ExprKind::Int(0),
            ty: Type::Host(Host::Int),
            span: Span::empty(range.span.start),
        };
        let start = range.start.as_ref().map_or(zero, |end| self.loop_end(end));
        let end = match &range.end {
            Some(end) => self.loop_end(end),
            None => {
                self.error(
                    Code::E0101,
                    range.span,
                    "a loop's range needs its end: `0..n`",
                );
                self.wrong(range.span)
            }
        };
        let step = range.step.as_ref().map(|step| self.loop_end(step));
        if let Some(ExprKind::Int(0)) = step.as_ref().map(|step| &step.kind) {
            let place = step.as_ref().map_or(range.span, |step| step.span);
            self.error(Code::E0802, place, "a step of 0 never ends");
        }
        let (local, body) = self.loop_over(span, target, Type::Host(Host::Int), body);
        Some(StmtKind::ForRange {
            local,
            start,
            end,
            step,
            body,
        })
    }

    /// An end or step of a loop's range: a host int.
    fn loop_end(&mut self, end: &ast::Expr) -> Expr {
        let typed = self.expr(end, None);
        match &typed.ty {
            Type::Host(Host::Int) | Type::Error => typed,
            other => {
                let ty = self.show(other);
                let text = self.name_of(typed.span);
                let mut finding = Diagnostic::new(
                    Code::E0704,
                    typed.span,
                    format!("a range's ends are host ints; {text} is {ty}"),
                );
                let whole = |tensor: &TensorType| tensor.rank() == 0 && tensor.dtype.is_int();
                if other.tensor().is_some_and(whole) {
                    let read = format!("item({})", typed.span.text(self.text));
                    finding = finding.write(typed.span, read);
                }
                self.report(finding);
                self.wrong(end.span)
            }
        }
    }

    /// A loop's body with its name bound to `ty`.
    pub(crate) fn loop_over(
        &mut self,
        span: Span,
        target: &Target,
        ty: Type,
        body: &[ast::Stmt],
    ) -> (Option<LocalId>, Vec<Stmt>) {
        let mut local = None;
        let mut start = |checker: &mut Self| {
            local = checker.loop_name(target, &ty);
        };
        let body = self.loop_body(span, &mut start, body);
        (local, body)
    }

    fn loop_name(&mut self, target: &Target, ty: &Type) -> Option<LocalId> {
        match target {
            Target::Name(name) => Some(self.bind_typed(name, ty.clone(), LocalKind::Loop, false)),
            Target::Ignore(_) | Target::Error(_) => None,
            Target::Tuple(parts, span) => {
                if !ty.is_error() {
                    let ty = self.show(ty);
                    let message = format!("each turn of the loop gives one value ({ty})");
                    self.error(Code::E0704, *span, message);
                }
                for part in parts {
                    self.loop_name(part, &Type::Error);
                }
                None
            }
            Target::Index { span, .. } | Target::Field { span, .. } => {
                self.error(Code::E0304, *span, "a loop binds a name");
                None
            }
        }
    }
}
