//! What a program says while it runs: assertions, values that are shown, expressions of their own.

use strand_ir::{Expr, ExprKind, LocalId, Stmt, Type};
use strand_ops::{Effect, OpId};
use strand_source::Span;

use crate::arguments::Around;
use crate::layout::WIDTH;
use crate::py::{Prec, Py};
use crate::rows::{Code, Remark, Row, remark_text, text_literal};
use crate::writer::Writer;

impl<'a> Writer<'_, 'a> {
    pub(crate) fn assert(
        &mut self,
        stmt: &'a Stmt,
        condition: &'a Expr,
        message: Option<&'a Expr>,
    ) {
        let line = self.cx.source.line(stmt.span);
        let prefix = format!("line {line}: ");
        let is_unsaid = message.is_none();
        let message = match message.map(|e| &e.kind) {
            None => Py::text(text_literal(&format!(
                "line {line}: the assertion doesn't hold"
            ))),
            Some(ExprKind::Str(text)) => {
                Py::text(text_literal(&(prefix + text))).at(message.map(|e| e.span))
            }
            Some(_) => {
                let py = message.map_or_else(|| Py::int(0), |e| self.expr(e));
                Py::binary("+", Py::text(text_literal(&prefix)), py, None)
            }
        };
        let py = self.expr(condition);
        if self.in_chain && matches!(condition.ty, Type::Tensor(_)) {
            self.cx.needs.check = true;
            let (first, later) = self.twice(py, "holds");
            let check = Py::call_path("_check", None, vec![first, later, message]);
            self.code(Code::expression(check).tagged(stmt.span));
            return;
        }
        let at = self.word(stmt, "assert");
        let said = |message: &Py| {
            let said = Py::bare_tuple(vec![py.clone(), message.clone()]);
            Code::default().word("assert", at).add(said)
        };
        // Of an assertion without a text the line alone says enough.
        let short = is_unsaid.then(|| Py::text(text_literal(&format!("line {line}"))));
        for message in [Some(message.clone()), short].iter().flatten() {
            let code = said(message);
            if code.columns(self.depth) <= WIDTH {
                self.code(code.tagged(stmt.span));
                return;
            }
        }
        let before = self.rows.len();
        self.raise_unless(py, "AssertionError", message);
        for row in &mut self.rows[before..] {
            if let Row::Code { code, .. } = row {
                if let Some(first) = code.leaves.first_mut() {
                    first.span = first.span.or(at);
                }
                *code = std::mem::take(code).tagged(stmt.span);
            }
        }
    }

    /// `show` is a comment: PyTorch draws nothing. What it shows is computed only where that does
    /// more than give a value.
    fn show(&mut self, stmt: &'a Stmt, call: Span, value: &'a Expr) {
        if self.does_more(value) && !self.changing_stmt(stmt, value, &[None]) {
            let py = self.expr(value);
            self.code(Code::expression(py).tagged(stmt.span));
        }
        let text = call.text(self.cx.source.text);
        let mut line = String::new();
        let depth = self.depth;
        let mut row = |text: &str| {
            let text = remark_text(text);
            let span = Some(call);
            let remark = Remark { text, span };
            self.rows.push(Row::Remark { depth, remark });
        };
        let most = (WIDTH - 2).saturating_sub(4 * depth);
        for word in text.split_whitespace() {
            let wide = line.chars().count() + 1 + word.chars().count();
            if !line.is_empty() && wide > most {
                row(&line);
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        row(&line);
    }

    /// Whether computing a value changes a model or prints.
    fn does_more(&self, value: &Expr) -> bool {
        let mut more = false;
        value.each(&mut |piece| {
            if let ExprKind::Call { function, .. } = &piece.kind {
                let called = self.cx.program.function(*function);
                let prints = called.effects.iter().any(|(effect, _)| {
                    !matches!(effect, Effect::Random | Effect::Item | Effect::Show)
                });
                more |= prints || called.params.iter().any(|param| param.mutable);
            }
        });
        more
    }

    /// An expression on its own; in the script its value is shown.
    pub(crate) fn lone(&mut self, stmt: &'a Stmt, value: &'a Expr) {
        if let Some(shown) = shown_value(value) {
            self.show(stmt, value.span, shown);
            return;
        }
        let results: &[Option<LocalId>] = match &value.ty {
            Type::Nothing => &[],
            _ => &[None],
        };
        let unseen = !self.is_script || value.ty == Type::Nothing;
        if unseen && self.changing_stmt(stmt, value, results) {
            return;
        }
        self.around = self.is_script.then_some((value.span, Around::Print));
        let py = self.expr(value);
        self.around = None;
        if value.ty == Type::Nothing && py.as_name() == Some("None") {
            return;
        }
        let shows = self.is_script && value.ty != Type::Nothing;
        let py = if shows {
            let items = if py.prec == Prec::Tuple {
                vec![py.bracketed()]
            } else {
                vec![py]
            };
            Py::call_path("print", None, items)
        } else {
            py
        };
        self.code(Code::expression(py).tagged(stmt.span));
    }
}

/// The value that a call of `show` shows.
pub(crate) fn shown_value(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Op {
            op: OpId::Show,
            args,
            ..
        } => args.first(),
        _ => None,
    }
}
