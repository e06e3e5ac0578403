//! Which functions call which, as the tree says: the order in which bodies are typed, recursion.

use strand_source::{Map, Span};
use strand_syntax::ast::{self, ExprKind, Name, StmtKind, Target};

/// A call of a function by its place in the list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) to: usize,
    pub(crate) span: Span,
}

/// The order in which every function comes after those it calls, and the calls that close a cycle
/// with the function they stand in.
pub(crate) fn order(calls: &[Vec<Edge>]) -> (Vec<usize>, Vec<(usize, Edge)>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; calls.len()];
    let mut order = Vec::with_capacity(calls.len());
    let mut cycles = Vec::new();
    for start in 0..calls.len() {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let from = *at;
            let Some(edge) = calls[from].get(*next).copied() else {
                marks[from] = Mark::Done;
                order.push(from);
                path.pop();
                continue;
            };
            *next += 1;
            match marks[edge.to] {
                Mark::New => {
                    marks[edge.to] = Mark::Open;
                    path.push((edge.to, 0));
                }
                Mark::Open => cycles.push((from, edge)),
                Mark::Done => {}
            }
        }
    }
    (order, cycles)
}

/// The functions that a body calls, each with its first place.
pub(crate) fn calls_of(body: &ast::FnBody, functions: &Map<Name, usize>) -> Vec<Edge> {
    let mut walk = Walk {
        functions,
        edges: Vec::new(),
    };
    match body {
        ast::FnBody::Expr(expr) => walk.expr(expr),
        ast::FnBody::Block(stmts) => walk.block(stmts),
        ast::FnBody::Error(_) => {}
    }
    walk.edges
}

/// The functions that statements call.
pub(crate) fn calls_of_stmt(stmt: &ast::Stmt, functions: &Map<Name, usize>) -> Vec<Edge> {
    let mut walk = Walk {
        functions,
        edges: Vec::new(),
    };
    walk.stmt(stmt);
    walk.edges
}

struct Walk<'w> {
    functions: &'w Map<Name, usize>,
    edges: Vec<Edge>,
}

impl Walk<'_> {
    fn name(&mut self, name: &Name, span: Span) {
        if let Some(to) = self.functions.get(name).copied()
            && !self.edges.iter().any(|edge| edge.to == to)
        {
            self.edges.push(Edge { to, span });
        }
    }

    fn block(&mut self, stmts: &[ast::Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &ast::Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, value, .. } | StmtKind::Update { target, value, .. } => {
                self.target(target);
                self.expr(value);
            }
            StmtKind::For { iter, body, .. } => {
                self.expr(iter);
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
                for (condition, block) in branches {
                    self.expr(condition);
                    self.block(block);
                }
                self.block(otherwise.as_deref().unwrap_or_default());
            }
            StmtKind::With { body, .. } => self.block(body),
            StmtKind::Return(Some(value)) | StmtKind::Expr(value) => self.expr(value),
            StmtKind::Assert { condition, message } => {
                self.expr(condition);
                self.all(message);
            }
            StmtKind::Return(None)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Pass
            | StmtKind::Error => {}
        }
    }

    fn target(&mut self, target: &Target) {
        match target {
            Target::Index { items, .. } => self.items(items),
            Target::Tuple(parts, _) => parts.iter().for_each(|part| self.target(part)),
            _ => {}
        }
    }

    fn all<'e>(&mut self, exprs: impl IntoIterator<Item = &'e ast::Expr>) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    fn range(&mut self, range: &ast::Range) {
        self.all(&range.start);
        self.all(&range.end);
        self.all(&range.step);
    }

    fn items(&mut self, items: &[ast::IndexItem]) {
        for item in items {
            match item {
                ast::IndexItem::Expr(expr) => self.expr(expr),
                ast::IndexItem::Slice(range) => self.range(range),
                ast::IndexItem::Ellipsis(_) | ast::IndexItem::NewAxis(_) => {}
            }
        }
    }

    /// The arguments; a function's name alone is one where map and filter take it.
    fn args(&mut self, args: &[ast::Arg], stage: bool) {
        for arg in args {
            match &arg.value.kind {
                ExprKind::Name(name) if stage => self.name(name, arg.value.span),
                _ => self.expr(&arg.value),
            }
        }
    }

    fn expr(&mut self, expr: &ast::Expr) {
        match &expr.kind {
            ExprKind::FString(parts) => {
                for part in parts {
                    if let ast::FPart::Expr(value) = part {
                        self.expr(value);
                    }
                }
            }
            ExprKind::Literal(parts) | ExprKind::Tuple(parts) => self.all(parts),
            ExprKind::Paren(inner) | ExprKind::Mut(inner) => self.expr(inner),
            ExprKind::Unary { operand, .. } => self.expr(operand),
            ExprKind::Binary { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Convert { value, .. } => self.expr(value),
            ExprKind::Call { callee, args, .. } => {
                match &callee.kind {
                    ExprKind::Name(name) => self.name(name, callee.span),
                    _ => self.expr(callee),
                }
                self.args(args, false);
            }
            ExprKind::Index { base, items } => {
                self.expr(base);
                self.items(items);
            }
            ExprKind::Field { base, .. } => self.expr(base),
            ExprKind::Range(range) => self.range(range),
            ExprKind::Pipe { head, stages } => {
                self.expr(head);
                for stage in stages {
                    if let ast::StageKind::Call { path, args, .. } = &stage.kind {
                        if let [name] = path.as_slice() {
                            self.name(&name.name, name.span);
                        }
                        self.args(args.as_deref().unwrap_or_default(), true);
                    }
                }
            }
            ExprKind::Lambda(lambda) => self.expr(&lambda.body),
            ExprKind::If {
                then,
                condition,
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
            | ExprKind::Name(_)
            | ExprKind::Placeholder
            | ExprKind::Sized { .. }
            | ExprKind::Type(_)
            | ExprKind::Error => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(list: &[&[usize]]) -> Vec<Vec<Edge>> {
        let edge = |to: &usize| Edge {
            to: *to,
            span: Span::default(),
        };
        list.iter()
            .map(|to| to.iter().map(edge).collect())
            .collect()
    }

    #[test]
    fn what_is_called_comes_first() {
        let (order, cycles) = order(&edges(&[&[2], &[0], &[]]));
        assert_eq!(order, [2, 0, 1]);
        assert!(cycles.is_empty());
    }

    #[test]
    fn a_cycle_is_found_at_the_call_that_closes_it() {
        let (order, cycles) = order(&edges(&[&[1], &[0, 1], &[1]]));
        assert_eq!(order.len(), 3);
        let closing: Vec<_> = cycles.iter().map(|(from, edge)| (*from, edge.to)).collect();
        assert_eq!(closing, [(1, 0), (1, 1)]);
    }
}
