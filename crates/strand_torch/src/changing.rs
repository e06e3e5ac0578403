//! Calls that change variables: what they give back goes to the variables.

use strand_ir::{Expr, ExprKind, FnId, LocalId, Stmt, StmtKind, Type};

use crate::aliases::may_alias;
use crate::py::Py;
use crate::rows::Code;
use crate::writer::Writer;

impl<'a> Writer<'_, 'a> {
    /// The variables that a call changes; `None` where there is none, or where a field is changed.
    /// Models change in place.
    fn changed_variables(&self, e: &Expr) -> Option<Vec<LocalId>> {
        let ExprKind::Call { function, args, .. } = &e.kind else {
            return None;
        };
        let params = &self.cx.program.function(*function).params;
        let mut changed = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            if !param.mutable || matches!(arg.ty, Type::Model(_)) {
                continue;
            }
            match arg.kind {
                ExprKind::Local(local) => changed.push(local),
                _ => return None,
            }
        }
        (!changed.is_empty()).then_some(changed)
    }

    /// A statement that is just a call that changes variables, its result going to `targets`:
    /// `z, y = f(y)`. Whether it is one.
    pub(crate) fn changing_stmt(
        &mut self,
        stmt: &'a Stmt,
        value: &'a Expr,
        targets: &[Option<LocalId>],
    ) -> bool {
        let Some(changed) = self.changed_variables(value) else {
            return false;
        };
        let ExprKind::Call { function, args, .. } = &value.kind else {
            return false;
        };
        if changed.iter().any(|local| targets.contains(&Some(*local))) {
            return false;
        }
        let pys = self.exprs(args);
        let call = self.call(value, *function, pys).tagged(value.span);
        let named = |w: &Self, local: LocalId| Py::name(w.names.local(local));
        let mut results: Vec<Py> = Vec::new();
        for target in targets {
            results.push(match target {
                Some(local) => named(self, *local).at(self.word_of(stmt, *local)),
                None => Py::name("_"),
            });
        }
        let mut all = match value.ty {
            Type::Tuple(_) if results.len() > 1 => vec![Py::tuple(results)],
            _ => results,
        };
        let own = args
            .iter()
            .filter(|arg| matches!(arg.kind, ExprKind::Local(local) if changed.contains(&local)));
        let spans: Vec<_> = own.map(|arg| arg.span).collect();
        for (local, span) in changed.iter().zip(spans) {
            all.push(named(self, *local).at(Some(span)));
        }
        let left = match all.len() {
            1 => all.remove(0),
            _ => Py::bare_tuple(all),
        };
        self.code(Code::assign(left, call).tagged(stmt.span));
        self.copy_aliases(value, *function, &changed, targets);
        true
    }

    /// Copies what a call gave that may share its elements with a variable that an index
    /// assignment changes.
    fn copy_aliases(
        &mut self,
        call: &Expr,
        function: FnId,
        changed: &[LocalId],
        targets: &[Option<LocalId>],
    ) {
        let mut copied = self.rebound_shared(call, function, changed);
        let is_changed = |id: LocalId| self.changed.contains(&id);
        let aliases = may_alias(call, is_changed);
        for local in targets.iter().flatten() {
            if is_changed(*local) || aliases {
                copied.push(*local);
            }
        }
        for local in copied {
            if matches!(self.body.local(local).ty, Type::Tensor(_)) {
                self.copy_own(local);
            }
        }
        for local in targets.iter().flatten() {
            self.owns(*local);
        }
    }

    /// The variables, of those that a call changes, that it may have given the elements of another
    /// argument, where an index assignment changes one of both.
    pub(crate) fn rebound_shared(
        &self,
        call: &Expr,
        function: FnId,
        changed: &[LocalId],
    ) -> Vec<LocalId> {
        let ExprKind::Call { args, .. } = &call.kind else {
            return Vec::new();
        };
        if !self.may_rebind(function) {
            return Vec::new();
        }
        let is_changed = |id: LocalId| self.changed.contains(&id);
        let aliases = args.iter().any(|arg| may_alias(arg, is_changed));
        let shared = changed.iter().copied();
        shared
            .filter(|local| aliases || is_changed(*local))
            .collect()
    }

    /// Whether a function may give a parameter the elements of another tensor.
    pub(crate) fn may_rebind(&self, function: FnId) -> bool {
        let Some(body) = self.cx.program.function(function).written_body() else {
            return false;
        };
        let is_param = |local: &LocalId| body.params.contains(local);
        let mut found = false;
        for stmt in &body.stmts {
            stmt.each(&mut |stmt| {
                found |= match &stmt.kind {
                    StmtKind::Bind { local, .. } => local.as_ref().is_some_and(is_param),
                    StmtKind::Unpack { locals, .. } => locals.iter().flatten().any(is_param),
                    _ => false,
                };
            });
            stmt.each_expr(&mut |e| found |= self.changed_variables(e).is_some());
        }
        found
    }
}
