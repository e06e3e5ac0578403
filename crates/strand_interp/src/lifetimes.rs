//! When variables die: a value that nothing reads any more needn't be kept, nor computed for its
//! own sake when a group is.

use strand_ir::{
    Body, Expr, ExprKind, FPart, IndexItem, Iter, IterKind, Lambda, LocalId, PyExpr, Stmt, StmtKind,
};

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
            StmtKind::Bind { local, value } => {
                self.locals(&[*local]);
                self.expr(value);
            }
            StmtKind::Unpack { locals, value } => {
                self.locals(locals);
                self.expr(value);
            }
            StmtKind::SetIndex {
                local,
                items,
                value,
            } => {
                self.local(*local);
                self.items(items);
                self.expr(value);
            }
            StmtKind::SetField { base, value, .. } => {
                self.expr(base);
                self.expr(value);
            }
            StmtKind::ForRange {
                local,
                start,
                end,
                step,
                body,
            } => {
                self.locals(&[*local]);
                self.expr(start);
                self.expr(end);
                self.exprs(step);
                self.block(body);
            }
            StmtKind::ForSlices {
                local,
                tensor: value,
                body,
                ..
            }
            | StmtKind::ForPy { local, value, body } => {
                self.locals(&[*local]);
                self.expr(value);
                self.block(body);
            }
            StmtKind::While { condition, body } => {
                self.expr(condition);
                self.block(body);
            }
            StmtKind::If {
                branches,
                otherwise,
            } => {
                for (condition, body) in branches {
                    self.expr(condition);
                    self.block(body);
                }
                self.block(otherwise.as_deref().unwrap_or(&[]));
            }
            StmtKind::With { body, .. } => self.block(body),
            StmtKind::Return(value) => self.exprs(value),
            StmtKind::Assert { condition, message } => {
                self.expr(condition);
                self.exprs(message);
            }
            StmtKind::Expr(value) => self.expr(value),
            StmtKind::Break | StmtKind::Continue | StmtKind::Pass => {}
        }
    }

    fn exprs<'a>(&mut self, all: impl IntoIterator<Item = &'a Expr>) {
        for e in all {
            self.expr(e);
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Local(local) => {
                self.local(*local);
                if let Some(reads) = self.reads.get_mut(local.0 as usize) {
                    *reads += 1;
                }
            }
            ExprKind::FString(parts) => {
                for part in parts {
                    if let FPart::Expr(e) = part {
                        self.expr(e);
                    }
                }
            }
            ExprKind::Literal { elements, .. } | ExprKind::Tuple(elements) => self.exprs(elements),
            ExprKind::Op { args, params, .. } => {
                self.exprs(args);
                self.exprs(params.iter().map(|(_, value)| value));
            }
            ExprKind::Call { args, .. } | ExprKind::Extern { args, .. } => self.exprs(args),
            ExprKind::Py(py) => self.python(py),
            ExprKind::Lift(value)
            | ExprKind::Convert { value, .. }
            | ExprKind::Rearrange { value, .. }
            | ExprKind::As { value, .. }
            | ExprKind::Field { base: value, .. }
            | ExprKind::New { seed: value, .. } => self.expr(value),
            ExprKind::Index { base, items } => {
                self.expr(base);
                self.items(items);
            }
            ExprKind::Map { iter, lambda, .. } => {
                self.iter(iter);
                self.lambda(lambda);
            }
            ExprKind::Filter { iter } => self.iter(iter),
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition);
                self.expr(then);
                self.expr(otherwise);
            }
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Size(_)
            | ExprKind::Error => {}
        }
    }

    fn python(&mut self, py: &PyExpr) {
        match py {
            PyExpr::Module(_) => {}
            PyExpr::Attribute(base, _) => self.expr(base),
            PyExpr::Call(function, args) => {
                self.expr(function);
                self.exprs(args.iter().map(|(_, arg)| arg));
            }
            PyExpr::Index(base, items) => {
                self.expr(base);
                self.exprs(items);
            }
        }
    }

    fn items(&mut self, items: &[IndexItem]) {
        for item in items {
            match item {
                IndexItem::Int(e) | IndexItem::Mask(e) | IndexItem::Tensor { index: e, .. } => {
                    self.expr(e);
                }
                IndexItem::Slice { start, end, step } => {
                    self.exprs([start, end, step].into_iter().flatten());
                }
                IndexItem::Ellipsis | IndexItem::NewAxis => {}
            }
        }
    }

    fn iter(&mut self, iter: &Iter) {
        match &iter.kind {
            IterKind::Size(_) | IterKind::Range(..) => {}
            IterKind::Slices { tensor, .. } => self.expr(tensor),
            IterKind::Zip(iters) => {
                for iter in iters {
                    self.iter(iter);
                }
            }
            IterKind::Enumerate(inner) => self.iter(inner),
            IterKind::Filter { input, lambda, .. } => {
                self.iter(input);
                self.lambda(lambda);
            }
        }
    }

    fn lambda(&mut self, lambda: &Lambda) {
        self.locals(&lambda.params);
        self.expr(&lambda.body);
    }
}
