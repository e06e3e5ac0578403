//! When variables die: a value that nothing reads any more needn't be kept, nor computed for its
//! own sake when a group is.

use strand_ir::{Body, Child, Expr, ExprKind, LocalId, Stmt, StmtKind};

/// The variables that no statement reads after each of a body's outermost ones.
#[derive(Debug)]
pub(crate) struct Lifetimes {
    ending: Vec<Vec<LocalId>>,
    /// Per variable, the statement without blocks that reads it for the last time, and only once.
    read_once: Vec<Option<usize>>,
}

impl Lifetimes {
    /// `kept` are read after the body too.
    pub(crate) fn of(body: &Body, kept: &[LocalId]) -> Self {
        let mut uses = Uses {
            last: vec![None; body.locals.len()],
            reads: vec![0; body.locals.len()],
            at: 0,
        };
        let mut read_once = vec![None; body.locals.len()];
        for (at, stmt) in body.stmts.iter().enumerate() {
            uses.at = at;
            uses.reads.fill(0);
            uses.stmt(stmt);
            let simple = matches!(
                stmt.kind,
                StmtKind::Bind { .. }
                    | StmtKind::Unpack { .. }
                    | StmtKind::Return(_)
                    | StmtKind::Expr(_)
            );
            for (once, reads) in read_once.iter_mut().zip(&uses.reads) {
                if *reads > 0 {
                    *once = (simple && *reads == 1).then_some(at);
                }
            }
        }
        for (once, last) in read_once.iter_mut().zip(&uses.last) {
            if once != last {
                *once = None;
            }
        }
        for local in kept.iter().map(|local| local.0 as usize) {
            for ends in [&mut uses.last, &mut read_once] {
                if let Some(ends) = ends.get_mut(local) {
                    *ends = None;
                }
            }
        }
        let mut ending = vec![Vec::new(); body.stmts.len()];
        for (local, last) in uses.last.iter().enumerate() {
            if let Some(locals) = last.and_then(|last| ending.get_mut(last)) {
                locals.push(LocalId(local as u32));
            }
        }
        Self { ending, read_once }
    }

    /// Whether the `at`-th statement reads the variable just once and nothing reads it later: the
    /// value can be taken.
    pub(crate) fn is_only_read(&self, at: usize, local: LocalId) -> bool {
        self.read_once.get(local.0 as usize) == Some(&Some(at))
    }

    /// The variables whose last use is in the `at`-th statement.
    pub(crate) fn ending(&self, at: usize) -> &[LocalId] {
        self.ending.get(at).map_or(&[], Vec::as_slice)
    }
}

/// The last outermost statement that names each variable.
struct Uses {
    last: Vec<Option<usize>>,
    /// How often the statement under way reads each variable.
    reads: Vec<u32>,
    at: usize,
}

impl Uses {
    fn local(&mut self, local: LocalId) {
        if let Some(last) = self.last.get_mut(local.0 as usize) {
            *last = Some(self.at);
        }
    }

    fn locals(&mut self, locals: &[Option<LocalId>]) {
        for local in locals.iter().flatten() {
            self.local(*local);
        }
    }

    fn block(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Bind { local, .. }
            | StmtKind::ForRange { local, .. }
            | StmtKind::ForSlices { local, .. }
            | StmtKind::ForModels { local, .. }
            | StmtKind::ForPy { local, .. } => self.locals(&[*local]),
            StmtKind::Unpack { locals, .. } => self.locals(locals),
            StmtKind::SetIndex { local, .. } => self.local(*local),
            _ => {}
        }
        stmt.each_child(&mut |child| self.child(child));
        for block in stmt.blocks() {
            self.block(block);
        }
    }

    fn child(&mut self, child: Child<'_>) {
        match child {
            Child::Expr(e) => self.expr(e),
            Child::Lambda(lambda) => {
                self.locals(&lambda.params);
                self.expr(&lambda.body);
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Local(local) = e.kind {
            self.local(local);
            if let Some(reads) = self.reads.get_mut(local.0 as usize) {
                *reads += 1;
            }
        }
        e.each_child(&mut |child| self.child(child));
    }
}
