//! Statements and scopes.

use strand_ir::{Expr, Host, Stmt, StmtKind, SymbolId, Type};
use strand_ops::DType;
use strand_source::{Code, Diagnostic, Map, Span};
use strand_syntax::ast::{self, Name};

use crate::assign::Assigned;
use crate::context::Checker;
use crate::fit::Slot;
use crate::joins::Changes;

/// Puts a statement before the last and one after it, all in one place of the text. Not inlined:
/// blocks nest deep, and their frames are small.
#[inline(never)]
fn surround(typed: &mut Vec<Stmt>, (before, after): (StmtKind, StmtKind)) {
    let Some(last) = typed.pop() else { return };
    let span = last.span;
    typed.push(Stmt { kind: before, span });
    typed.push(last);
    typed.push(Stmt { kind: after, span });
}

impl Checker<'_> {
    /// Types a block; the second part says whether the statement after it can be reached.
    pub(crate) fn block(&mut self, stmts: &[ast::Stmt]) -> (Vec<Stmt>, bool) {
        let mut typed = Vec::with_capacity(stmts.len());
        let mut goes_on = true;
        for stmt in stmts {
            self.try_at(stmt.span, false);
            let (kind, on) = self.stmt(stmt);
            goes_on &= on;
            if let Some(Assigned { kind, around }) = kind {
                let span = stmt.span;
                typed.push(Stmt { kind, span });
                if let Some(around) = around {
                    surround(&mut typed, *around);
                }
            }
        }
        (typed, goes_on)
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> (Option<Assigned>, bool) {
        let mut on = true;
        let kind = match &stmt.kind {
            ast::StmtKind::Assign { target, ty, value } => {
                return (self.assign(target, ty.as_ref(), value), true);
            }
            ast::StmtKind::Update {
                target,
                op,
                op_span,
                value,
            } => {
                let site = crate::operators::BinarySite {
                    op: *op,
                    op_span: *op_span,
                    span: stmt.span,
                };
                return (self.update(site, target, value), true);
            }
            ast::StmtKind::For { .. } => self.for_loop(stmt),
            ast::StmtKind::While { condition, body } => {
                let mut test = None;
                let body = self.loop_body(
                    stmt.span,
                    &mut |checker| test = Some(checker.condition(condition)),
                    body,
                );
                test.map(|condition| StmtKind::While { condition, body })
            }
            ast::StmtKind::If {
                branches,
                otherwise,
            } => {
                let (kind, goes_on) = self.branches(branches, otherwise.as_deref(), stmt.span);
                on = goes_on;
                Some(kind)
            }
            ast::StmtKind::With { mode, body } => {
                let (kind, goes_on) = self.with_mode(mode, body);
                on = goes_on;
                kind
            }
            ast::StmtKind::Return(value) => {
                on = false;
                self.return_value(value.as_ref(), stmt.span)
            }
            ast::StmtKind::Assert { condition, message } => {
                let condition = self.condition(condition);
                let message = message.as_ref().map(|text| self.text_of(text));
                Some(StmtKind::Assert { condition, message })
            }
            ast::StmtKind::Break => {
                on = false;
                self.leave(stmt.span, "break", StmtKind::Break)
            }
            ast::StmtKind::Continue => {
                on = false;
                self.leave(stmt.span, "continue", StmtKind::Continue)
            }
            ast::StmtKind::Pass => Some(StmtKind::Pass),
            ast::StmtKind::Expr(value) => {
                self.body.alone = value.span;
                Some(StmtKind::Expr(self.expr(value, None)))
            }
            ast::StmtKind::Error => None,
        };
        (kind.map(Assigned::from), on)
    }

    fn text_of(&mut self, text: &ast::Expr) -> Expr {
        let typed = self.expr(text, None);
        if matches!(typed.ty, Type::Host(Host::Str) | Type::Error) {
            return typed;
        }
        let ty = self.show(&typed.ty);
        let message = format!("an assertion's message is a text, not {ty}");
        self.error(Code::E0704, text.span, message);
        self.wrong(text.span)
    }

    /// A condition: a host bool or a `[] bool`; E0801.
    fn condition(&mut self, condition: &ast::Expr) -> Expr {
        let typed = self.expr(condition, None);
        let message = match &typed.ty {
            Type::Host(Host::Bool) | Type::Error => return typed,
            Type::Tensor(tensor) if tensor.dtype == DType::Bool && tensor.rank() == 0 => {
                return typed;
            }
            Type::Tensor(tensor) if tensor.dtype == DType::Bool => {
                let shape = tensor.display_shape(&self.program.symbols);
                format!("a condition is one truth value; this has the axes {shape}")
            }
            Type::Nothing | Type::Tuple(_) | Type::Py => {
                self.is_operand(&typed, "a condition");
                return self.wrong(condition.span);
            }
            other => format!("a condition is true or false; this is {}", self.show(other)),
        };
        let mut finding = Diagnostic::new(Code::E0801, typed.span, message);
        let text = typed.span.text(self.text);
        if typed
            .ty
            .tensor()
            .is_some_and(|tensor| tensor.dtype == DType::Bool)
        {
            for op in ["all", "any"] {
                finding = finding.fix(format!("{op}(...)"), typed.span, format!("{op}({text})"));
            }
        } else {
            finding = finding.note("Compare it, as in `x > 0`.");
        }
        self.report(finding);
        self.wrong(condition.span)
    }

    /// `break` and `continue`: what the variables are there joins the loop's head.
    fn leave(&mut self, span: Span, word: &str, kind: StmtKind) -> Option<StmtKind> {
        if self.body.loops == 0 {
            let message = format!("`{word}` stands only in a loop");
            self.error(Code::E0804, span, message);
            return None;
        }
        let mark = self.body.exits.last().map_or(0, |exits| exits.mark);
        let state = self.changes(mark);
        if let Some(exits) = self.body.exits.last_mut() {
            exits.states.push(state);
        }
        Some(kind)
    }

    fn return_value(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<StmtKind> {
        let wanted = self.body.result.clone();
        let typed = value.map(|value| self.expr(value, wanted.as_ref()));
        if self.body.function.is_none() {
            self.error(Code::E0804, span, "`return` stands only in a function");
            return None;
        }
        let typed = match (typed, wanted) {
            (Some(value), Some(wanted)) => {
                let declared = self.body.result_span;
                Some(self.fit(value, &wanted, &Slot::Result(declared)))
            }
            (None, Some(wanted)) => {
                let wanted = self.show(&wanted);
                let message = format!("this returns nothing, but the result is {wanted}");
                self.error(Code::E0708, span, message);
                None
            }
            (value, None) => value,
        };
        let ty = typed
            .as_ref()
            .map_or(Type::Nothing, |value| value.ty.clone());
        let place = typed.as_ref().map_or(span, |value| value.span);
        self.body.returns.push((ty, place));
        Some(StmtKind::Return(typed))
    }

    fn branches(
        &mut self,
        branches: &[(ast::Expr, Vec<ast::Stmt>)],
        otherwise: Option<&[ast::Stmt]>,
        span: Span,
    ) -> (StmtKind, bool) {
        let mut typed = Vec::with_capacity(branches.len());
        let mut paths: Vec<Changes> = Vec::new();
        for (condition, block) in branches {
            let condition = self.condition(condition);
            let block = self.path(block, &mut paths);
            typed.push((condition, block));
        }
        let last = match otherwise {
            Some(block) => Some(self.path(block, &mut paths)),
            None => {
                paths.push(Changes::new());
                None
            }
        };
        self.meet(&paths, span);
        let kind = StmtKind::If {
            branches: typed,
            otherwise: last,
        };
        (kind, !paths.is_empty())
    }

    /// Types a branch from the state before it; its end is added to `paths` if it goes on.
    fn path(&mut self, block: &[ast::Stmt], paths: &mut Vec<Changes>) -> Vec<Stmt> {
        let mark = self.body.journal.len();
        let (stmts, goes_on) = self.inner_block(block);
        if goes_on {
            paths.push(self.changes(mark));
        }
        self.rollback(mark);
        stmts
    }

    /// Types a block of a statement: the axis names that it binds end with it (decision 16).
    fn inner_block(&mut self, block: &[ast::Stmt]) -> (Vec<Stmt>, bool) {
        let outer = self.body.axis_names.clone();
        let typed = self.block(block);
        self.end_axis_names(outer);
        typed
    }

    /// Goes back to the axis names that were in scope before a block or a part of an expression.
    pub(crate) fn end_axis_names(&mut self, outer: Map<Name, SymbolId>) {
        let inner = std::mem::replace(&mut self.body.axis_names, outer);
        for (name, symbol) in inner {
            if !self.body.axis_names.contains_key(&name) {
                let place = self.program.symbols.get(symbol).span;
                let why = "bound here, in a block that has ended";
                self.body.lost.insert(name, (place, why));
            }
        }
    }

    fn with_mode(&mut self, mode: &ast::Ident, body: &[ast::Stmt]) -> (Option<StmtKind>, bool) {
        let training = match &*mode.name {
            "train" => Some(true),
            "eval" => Some(false),
            other => {
                let mut finding = Diagnostic::new(
                    Code::E0301,
                    mode.span,
                    format!("there's no mode `{other}`: write `with train:` or `with eval:`"),
                );
                if let Some(near) = crate::suggest::nearest(other, ["train", "eval"].into_iter()) {
                    finding = finding.write(mode.span, near);
                }
                self.report(finding);
                None
            }
        };
        let outer = std::mem::replace(&mut self.body.mode, training.or(Some(false)));
        let (body, goes_on) = self.inner_block(body);
        self.body.mode = outer;
        let kind = training.map(|training| StmtKind::With { training, body });
        (kind, goes_on)
    }
}
