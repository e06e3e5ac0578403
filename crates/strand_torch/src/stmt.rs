//! Statements.

use strand_ir::{Expr, ExprKind, LocalId, Stmt, StmtKind, Type};
use strand_ops::OpId;
use strand_source::{Map, Span};

use crate::aliases::{is_fresh, may_alias};
use crate::arguments::Around;
use crate::linear::Counted;
use crate::py::Py;
use crate::rows::{Code, Row, text_literal};
use crate::said::shown_value;
use crate::writer::{Mode, Writer};

/// How many loops CPython takes in each other, else "too many statically nested blocks".
const MOST_LOOPS: usize = 20;

impl<'a> Writer<'_, 'a> {
    /// Statements of the body itself.
    pub(crate) fn top_block(&mut self, stmts: &'a [Stmt]) {
        for local in self.body.params.clone() {
            self.owned.remove(&local);
        }
        for stmt in stmts {
            self.clone_changed_params(stmt);
            self.stmt(stmt);
        }
        self.return_changed(stmts);
    }

    /// A parameter that an index assignment in `stmt` changes is copied first.
    fn clone_changed_params(&mut self, stmt: &'a Stmt) {
        if self.in_chain {
            return;
        }
        let mut changed: Vec<LocalId> = Vec::new();
        stmt.each(&mut |inner| {
            if let StmtKind::SetIndex { local, .. } = inner.kind {
                changed.push(local);
            }
        });
        for local in changed {
            if self.body.params.contains(&local) && self.owned.insert(local) {
                self.copy_own(local);
            }
        }
    }

    fn block(&mut self, stmts: &'a [Stmt]) {
        self.depth += 1;
        let before = self.rows.len();
        for stmt in stmts {
            self.stmt(stmt);
        }
        let is_code = |row: &Row| matches!(row, Row::Code { .. });
        if !self.rows[before..].iter().any(is_code) {
            self.code(Code::default().word("pass", None));
        }
        self.forget_bound(stmts);
        self.depth -= 1;
    }

    /// What a statement's variables have from here on.
    fn bound_by(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Bind {
                local: Some(local),
                value,
            } => self.has_type(*local, &value.ty),
            StmtKind::Unpack { locals, value } => {
                let Type::Tuple(parts) = &value.ty else {
                    return;
                };
                for (local, ty) in locals.iter().zip(parts) {
                    if let Some(local) = local {
                        self.has_type(*local, ty);
                    }
                }
            }
            _ => {}
        }
    }

    pub(crate) fn stmt(&mut self, stmt: &'a Stmt) {
        let blocks = stmt.blocks();
        let first = blocks.iter().flat_map(|block| block.first()).next();
        let header_end = first.map_or(stmt.span.end, |stmt| stmt.span.start);
        if first.is_some() {
            self.comments_before(stmt.span.start);
        } else {
            self.comments_before(stmt.span.end);
        }
        self.gap(self.cx.source.line(stmt.span));
        self.given.clear();
        self.checked.clear();
        self.target = None;
        if is_loop(stmt) {
            self.forget_bound(std::slice::from_ref(stmt));
            self.loops += 1;
        }
        if self.loops > MOST_LOOPS {
            self.refuse_loop(stmt);
        } else {
            self.kind_of_stmt(stmt, header_end);
        }
        self.loops -= usize::from(is_loop(stmt));
        self.bound_by(stmt);
        self.given.clear();
        if first.is_none() {
            let line = self.cx.source.last_line(stmt.span);
            self.last_line = Some(line);
            self.trailing_comment(line, u32::MAX);
        } else {
            // Comments that stand as deep as the block belong to it.
            self.depth += 1;
            self.comments_before(stmt.span.end);
            self.depth -= 1;
            self.last_line = Some(self.cx.source.last_line(stmt.span));
        }
    }

    /// Says of a loop that Python has no text for it.
    fn refuse_loop(&mut self, stmt: &Stmt) {
        let line = self.cx.source.line(stmt.span);
        let message =
            format!("line {line}: Python takes {MOST_LOOPS} nested loops; put some in a function");
        let message = Py::text(text_literal(&message));
        let error = Py::call_path("NotImplementedError", None, vec![message]);
        self.code(Code::keyword("raise", None, error).tagged(stmt.span));
    }

    /// What follows a block's header on its line.
    fn after_header(&mut self, header_end: u32, span: Span) {
        let line = self.cx.source.line(span);
        self.trailing_comment(line, header_end);
        self.last_line = Some(line);
    }

    pub(crate) fn word(&self, stmt: &Stmt, spelling: &str) -> Option<Span> {
        let own = self.cx.source.own_of_stmt(stmt);
        let mut found = own
            .into_iter()
            .filter(|token| self.cx.source.spelling(*token) == spelling);
        found.next().map(|token| token.span)
    }

    /// Where a statement has the name of a variable.
    pub(crate) fn word_of(&self, stmt: &Stmt, local: LocalId) -> Option<Span> {
        self.word(stmt, &self.body.local(local).name)
    }

    fn kind_of_stmt(&mut self, stmt: &'a Stmt, header_end: u32) {
        match &stmt.kind {
            StmtKind::Bind { local, value } => self.bind(stmt, *local, value),
            StmtKind::Unpack { locals, value } => {
                if self.changing_stmt(stmt, value, locals) {
                    return;
                }
                let mut words: Map<&str, Span> = Map::new();
                for token in self.cx.source.own_of_stmt(stmt) {
                    words.get_or_insert_with(self.cx.source.spelling(token), || token.span);
                }
                let targets = locals.iter().map(|local| match local {
                    Some(local) => {
                        let at = words.get(&*self.body.local(*local).name).copied();
                        Py::name(self.names.local(*local)).at(at)
                    }
                    None => Py::name("_"),
                });
                let targets = Py::bare_tuple(targets.collect());
                self.around = self
                    .is_script
                    .then_some((value.span, Around::Target(targets.clone())));
                let py = match &value.kind {
                    ExprKind::Tuple(parts) if parts.len() == locals.len() => {
                        let parts = parts.iter().zip(locals);
                        let parts = parts.map(|(part, local)| self.value_for(part, *local));
                        Py::bare_tuple(parts.collect()).tagged(value.span)
                    }
                    _ => self.value_for(value, None),
                };
                self.around = None;
                self.code(Code::assign(targets, py).tagged(stmt.span));
                self.copy_shared(value, locals);
                self.copy_parts(locals);
            }
            StmtKind::SetIndex {
                local,
                items,
                value,
            } => {
                let at = self.word(stmt, &self.body.local(*local).name);
                self.set_index(*local, items, value, at);
            }
            StmtKind::SetField { base, field, value } => {
                let name = crate::models::attribute(&self.field_name(base, *field), false);
                let target = self.expr(base).attr(&name, None);
                let py = self.field_value(value);
                self.code(Code::assign(target, py).tagged(stmt.span));
            }
            StmtKind::ForRange {
                local,
                start,
                end,
                step,
                body,
            } => {
                let mut args = Vec::new();
                let is_zero = matches!(start.kind, ExprKind::Int(0));
                if !is_zero || step.is_some() {
                    args.push(self.expr(start));
                }
                args.push(self.expr(end));
                args.extend(step.as_ref().map(|step| self.expr(step)));
                let range = Py::call_path("range", None, args);
                let program = self.cx.program;
                let counted = local.and_then(|local| {
                    Counted::new(local, start, end, step.as_ref(), body, program)
                });
                let is_counted = counted.is_some();
                self.counted.extend(counted);
                self.for_loop(stmt, *local, range, body, header_end);
                if is_counted {
                    self.counted.pop();
                }
            }
            StmtKind::ForSlices {
                local,
                tensor,
                axis,
                body,
            } => {
                let mut py = self.value_for(tensor, None);
                if *axis != 0 {
                    py = py.method("unbind", None, vec![Py::int(*axis as i64)]);
                }
                self.for_loop(stmt, *local, py, body, header_end);
            }
            StmtKind::ForModels {
                local,
                models,
                body,
            } => {
                let mut py = self.expr(models);
                if self.changes_models(body) {
                    py = self.copied(py);
                }
                self.for_loop(stmt, *local, py, body, header_end);
            }
            StmtKind::ForPy { local, value, body } => {
                let py = self.expr(value);
                self.for_loop(stmt, *local, py, body, header_end);
            }
            StmtKind::While { condition, body } => {
                self.while_loop(stmt, condition, body, header_end)
            }
            StmtKind::If {
                branches,
                otherwise,
            } => {
                self.if_chain(stmt, branches, otherwise.as_deref());
            }
            StmtKind::With { training, body } => {
                let outer = self.mode;
                self.mode = if *training {
                    Mode::Training
                } else {
                    Mode::Eval
                };
                self.after_header(header_end, stmt.span);
                for stmt in body {
                    self.stmt(stmt);
                }
                self.mode = outer;
            }
            StmtKind::Return(None) => {
                let at = self.word(stmt, "return");
                let code = match self.returned(None) {
                    Some(py) => Code::keyword("return", at, py),
                    None => Code::default().word("return", at),
                };
                self.code(code);
            }
            StmtKind::Return(Some(value)) if shown_value(value).is_some() => {
                self.lone(stmt, value);
                if let Some(py) = self.returned(None) {
                    self.code(Code::keyword("return", None, py));
                }
            }
            StmtKind::Return(Some(value)) => {
                let at = self.word(stmt, "return");
                let py = self.expr(value);
                let py = self.returned(Some(py)).unwrap_or_else(|| Py::name("None"));
                self.code(Code::keyword("return", at, py).tagged(stmt.span));
            }
            StmtKind::Assert { condition, message } => {
                self.assert(stmt, condition, message.as_ref());
            }
            StmtKind::Expr(value) => self.lone(stmt, value),
            StmtKind::Break => self.jump(stmt, "break"),
            StmtKind::Continue => self.jump(stmt, "continue"),
            StmtKind::Pass => self.jump(stmt, "pass"),
        }
    }

    fn jump(&mut self, stmt: &Stmt, word: &str) {
        self.code(Code::default().word(word, Some(stmt.span)));
    }

    /// A value that is bound: a copy where it would share elements with a variable that an index
    /// assignment changes.
    pub(crate) fn value_for(&mut self, value: &'a Expr, local: Option<LocalId>) -> Py {
        let is_changed = |id: LocalId| self.changed.contains(&id);
        let copies = !self.in_chain
            && matches!(value.ty, Type::Tensor(_))
            && !is_fresh(value)
            && (local.is_some_and(is_changed) || may_alias(value, is_changed));
        let py = self.expr(value);
        if copies {
            py.method("clone", None, Vec::new())
        } else {
            py
        }
    }

    /// Copies the tensors of a tuple that was taken apart where they would share elements with a
    /// variable that an index assignment changes.
    fn copy_shared(&mut self, value: &'a Expr, locals: &[Option<LocalId>]) {
        let is_tuple = matches!(value.kind, ExprKind::Tuple(_));
        if self.in_chain || is_tuple || is_fresh(value) {
            return;
        }
        let is_changed = |id: LocalId| self.changed.contains(&id);
        let aliases = may_alias(value, is_changed);
        for local in locals.iter().flatten() {
            let is_tensor = matches!(self.body.local(*local).ty, Type::Tensor(_));
            if is_tensor && (aliases || self.changed.contains(local)) {
                self.copy_own(*local);
            }
        }
    }

    fn bind(&mut self, stmt: &'a Stmt, local: Option<LocalId>, value: &'a Expr) {
        let Some(local) = local else {
            let py = self.expr(value);
            self.code(Code::assign(Py::name("_"), py).tagged(stmt.span));
            return;
        };
        if self.changing_stmt(stmt, value, &[Some(local)]) {
            return;
        }
        let at = self.word_of(stmt, local);
        let name = self.names.local(local).to_owned();
        let target = Py::name(name.clone()).at(at);
        if let Some((operator, right)) = self.host_update(stmt, local, value) {
            let at = self.word(stmt, &format!("{operator}="));
            let right = self.expr(right);
            let mut code = Code::update(target, operator, right);
            if let Some(leaf) = code.leaves.get_mut(1) {
                leaf.span = at;
            }
            self.code(code.tagged(stmt.span));
            return;
        }
        self.target = Some((value.span, name.clone()));
        let around = (value.span, Around::Target(target.clone()));
        self.around = self.is_script.then_some(around);
        let py = self.value_for(value, Some(local));
        self.around = None;
        let py = self.model_for(value, py);
        self.target = None;
        self.owns(local);
        if py.as_name() == Some(name.as_str()) {
            return;
        }
        self.code(Code::assign(target, py).tagged(stmt.span));
    }

    /// `k += 1` of a host number, which no other name can see.
    fn host_update(
        &self,
        stmt: &Stmt,
        local: LocalId,
        value: &'a Expr,
    ) -> Option<(&'static str, &'a Expr)> {
        let ExprKind::Op { op, args, .. } = &value.kind else {
            return None;
        };
        let operator = match op {
            OpId::Add => "+",
            OpId::Sub => "-",
            OpId::Mul => "*",
            OpId::Div => "/",
            _ => return None,
        };
        self.word(stmt, &format!("{operator}="))?;
        let is_own = matches!(args.first()?.kind, ExprKind::Local(id) if id == local);
        let is_host = matches!(value.ty, Type::Host(_));
        (is_own && is_host)
            .then(|| Some((operator, args.get(1)?)))
            .flatten()
    }

    fn for_loop(
        &mut self,
        stmt: &'a Stmt,
        local: Option<LocalId>,
        over: Py,
        body: &'a [Stmt],
        header_end: u32,
    ) {
        let target = match local {
            Some(local) => {
                let at = self.word(stmt, &self.body.local(local).name);
                Py::name(self.names.local(local)).at(at)
            }
            None => Py::name("_"),
        };
        let (at_for, at_in) = (self.word(stmt, "for"), self.word(stmt, "in"));
        let code = Code::default()
            .word("for", at_for)
            .add(target.softly_bracketed())
            .word("in", at_in)
            .add(over.softly_bracketed())
            .colon();
        self.code(code);
        self.after_header(header_end, stmt.span);
        let is_changed = |id: &LocalId| self.changed.contains(id);
        if let Some(local) = local.filter(is_changed)
            && !self.in_chain
        {
            self.depth += 1;
            self.copy_own(local);
            self.depth -= 1;
        }
        self.block(body);
    }

    fn while_loop(
        &mut self,
        stmt: &'a Stmt,
        condition: &'a Expr,
        body: &'a [Stmt],
        header_end: u32,
    ) {
        let at = self.word(stmt, "while");
        let before = self.rows.len();
        self.depth += 1;
        let py = self.expr(condition);
        self.depth -= 1;
        if self.rows.len() == before {
            self.code(Code::keyword("while", at, py).colon());
            self.after_header(header_end, stmt.span);
            self.block(body);
            return;
        }
        // What the condition binds is computed anew each time.
        let bound = self.rows.split_off(before);
        self.code(Code::keyword("while", at, Py::name("True")).colon());
        self.after_header(header_end, stmt.span);
        self.rows.extend(bound);
        self.depth += 1;
        self.code(Code::keyword("if", None, Py::negated(py, None)).colon());
        self.depth += 1;
        self.code(Code::default().word("break", None));
        self.depth -= 2;
        self.block(body);
    }

    fn if_chain(
        &mut self,
        stmt: &'a Stmt,
        branches: &'a [(Expr, Vec<Stmt>)],
        otherwise: Option<&'a [Stmt]>,
    ) {
        let own = self.cx.source.own_of_stmt(stmt);
        let words = |spelling: &str| -> Vec<Span> {
            let found = own
                .iter()
                .filter(|token| self.cx.source.spelling(**token) == spelling);
            found.map(|token| token.span).collect()
        };
        let (ifs, elifs, elses) = (words("if"), words("elif"), words("else"));
        let outer_depth = self.depth;
        for (at, (condition, body)) in branches.iter().enumerate() {
            let span = if at == 0 {
                ifs.first()
            } else {
                elifs.get(at - 1)
            }
            .copied();
            if at > 0 {
                self.depth += 1;
                self.comments_before(span.map_or(condition.span.start, |span| span.start));
                self.depth -= 1;
            }
            let before = self.rows.len();
            let py = self.expr(condition);
            let binds = self.rows.len() > before;
            if binds && at > 0 {
                // What a later condition binds stands in the `else` before it.
                let bound = self.rows.split_off(before);
                self.code(Code::default().word("else", None).colon());
                self.depth += 1;
                self.rows.extend(bound.into_iter().map(indented));
            }
            let word = if at == 0 || binds { "if" } else { "elif" };
            self.code(Code::keyword(word, span, py).colon());
            let end = body
                .first()
                .map_or(condition.span.end, |stmt| stmt.span.start);
            self.after_header(end, condition.span);
            self.block(body);
        }
        if let Some(body) = otherwise {
            let span = elses.first().copied();
            self.depth += 1;
            self.comments_before(span.map_or(0, |span| span.start));
            self.depth -= 1;
            self.code(Code::default().word("else", span).colon());
            if let Some(span) = span {
                let end = body.first().map_or(span.end, |stmt| stmt.span.start);
                self.after_header(end, span);
            }
            self.block(body);
        }
        self.depth = outer_depth;
    }
}

fn indented(row: Row) -> Row {
    match row {
        Row::Code {
            depth,
            code,
            remark,
        } => Row::Code {
            depth: depth + 1,
            code,
            remark,
        },
        other => other,
    }
}

fn is_loop(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::ForRange { .. }
            | StmtKind::ForSlices { .. }
            | StmtKind::ForModels { .. }
            | StmtKind::ForPy { .. }
            | StmtKind::While { .. }
    )
}
