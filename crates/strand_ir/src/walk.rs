//! The pieces of expressions and statements, in the order in which they are computed.

use crate::{Expr, ExprKind, FPart, IndexItem, Iter, IterKind, Lambda, PyExpr, Stmt, StmtKind};

macro_rules! walkers {
    ($Child:ident, $Expr:ty, $Lambda:ty, $Iter:ty, $Item:ty, $Stmt:ty,
     $expr:ident, $iter:ident, $item:ident, $stmt:ident, $blocks:ident, $Block:ty,
     [$($reference:tt)*], $each:ident) => {
        /// A piece of an expression.
        #[derive(Debug)]
        pub enum $Child<'a> {
            /// An expression that is computed once, before what holds it.
            Expr($Expr),
            /// The function of a map or filter.
            Lambda($Lambda),
        }

        fn $iter<'a>(iter: $Iter, f: &mut dyn FnMut($Child<'a>)) {
            match $($reference)* iter.kind {
                IterKind::Size(_) | IterKind::Range(..) => {}
                IterKind::Slices { tensor, .. } => f($Child::Expr(tensor)),
                IterKind::Zip(parts) => parts.$each().for_each(|part| $iter(part, f)),
                IterKind::Enumerate(inner) => $iter(inner, f),
                IterKind::Filter { input, lambda, .. } => {
                    $iter(input, f);
                    f($Child::Lambda(lambda));
                }
            }
        }

        fn $item<'a>(item: $Item, f: &mut dyn FnMut($Child<'a>)) {
            match item {
                IndexItem::Int(e) | IndexItem::Mask(e) | IndexItem::Tensor { index: e, .. } => {
                    f($Child::Expr(e));
                }
                IndexItem::Slice { start, end, step } => {
                    [start, end, step].into_iter().flatten().for_each(|e| f($Child::Expr(e)));
                }
                IndexItem::Ellipsis | IndexItem::NewAxis => {}
            }
        }

        fn $expr<'a>(expr: $Expr, f: &mut dyn FnMut($Child<'a>)) {
            match $($reference)* expr.kind {
                ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::Bool(_)
                | ExprKind::Str(_)
                | ExprKind::Local(_)
                | ExprKind::Size(_)
                | ExprKind::Error
                | ExprKind::Py(PyExpr::Module(_)) => {}
                ExprKind::FString(parts) => parts.$each().for_each(|part| match part {
                    FPart::Text(_) => {}
                    FPart::Expr(e) => f($Child::Expr(e)),
                }),
                ExprKind::Literal { elements: parts, .. } | ExprKind::Tuple(parts) => {
                    parts.$each().for_each(|part| f($Child::Expr(part)));
                }
                ExprKind::Lift(value)
                | ExprKind::Convert { value, .. }
                | ExprKind::Rearrange { value, .. }
                | ExprKind::As { value, .. }
                | ExprKind::Field { base: value, .. }
                | ExprKind::New { seed: value, .. }
                | ExprKind::Py(PyExpr::Attribute(value, _)) => f($Child::Expr(value)),
                ExprKind::Op { args, params, .. } => {
                    args.$each().for_each(|arg| f($Child::Expr(arg)));
                    params.$each().for_each(|param| f($Child::Expr($($reference)* param.1)));
                }
                ExprKind::Call { args, .. } | ExprKind::Extern { args, .. } => {
                    args.$each().for_each(|arg| f($Child::Expr(arg)));
                }
                ExprKind::Py(PyExpr::Call(callee, args)) => {
                    f($Child::Expr(callee));
                    args.$each().for_each(|arg| f($Child::Expr($($reference)* arg.1)));
                }
                ExprKind::Py(PyExpr::Index(base, items)) => {
                    f($Child::Expr(base));
                    items.$each().for_each(|item| f($Child::Expr(item)));
                }
                ExprKind::Index { base, items } => {
                    f($Child::Expr(base));
                    items.$each().for_each(|item| $item(item, f));
                }
                ExprKind::Element { base, index } => {
                    f($Child::Expr(base));
                    f($Child::Expr(index));
                }
                ExprKind::Map { iter, lambda, .. } => {
                    $iter(iter, f);
                    f($Child::Lambda(lambda));
                }
                ExprKind::Filter { iter } => $iter(iter, f),
                ExprKind::If { condition, then, otherwise } => {
                    f($Child::Expr(condition));
                    f($Child::Expr(then));
                    f($Child::Expr(otherwise));
                }
            }
        }

        fn $stmt<'a>(stmt: $Stmt, f: &mut dyn FnMut($Child<'a>)) {
            match $($reference)* stmt.kind {
                StmtKind::Bind { value, .. } | StmtKind::Unpack { value, .. } => {
                    f($Child::Expr(value));
                }
                StmtKind::SetIndex { items, value, .. } => {
                    items.$each().for_each(|item| $item(item, f));
                    f($Child::Expr(value));
                }
                StmtKind::SetField { base, value, .. } => {
                    f($Child::Expr(base));
                    f($Child::Expr(value));
                }
                StmtKind::ForRange { start, end, step, .. } => {
                    f($Child::Expr(start));
                    f($Child::Expr(end));
                    step.into_iter().for_each(|e| f($Child::Expr(e)));
                }
                StmtKind::ForSlices { tensor: value, .. }
                | StmtKind::ForModels { models: value, .. }
                | StmtKind::ForPy { value, .. }
                | StmtKind::While { condition: value, .. }
                | StmtKind::Expr(value) => f($Child::Expr(value)),
                StmtKind::If { branches, .. } => {
                    branches.$each().for_each(|branch| f($Child::Expr($($reference)* branch.0)));
                }
                StmtKind::Return(value) => value.into_iter().for_each(|e| f($Child::Expr(e))),
                StmtKind::Assert { condition, message } => {
                    f($Child::Expr(condition));
                    message.into_iter().for_each(|e| f($Child::Expr(e)));
                }
                StmtKind::With { .. } | StmtKind::Break | StmtKind::Continue | StmtKind::Pass => {}
            }
        }

        fn $blocks<'a>(stmt: $Stmt) -> Vec<$Block> {
            match $($reference)* stmt.kind {
                StmtKind::ForRange { body, .. }
                | StmtKind::ForSlices { body, .. }
                | StmtKind::ForModels { body, .. }
                | StmtKind::ForPy { body, .. }
                | StmtKind::While { body, .. }
                | StmtKind::With { body, .. } => vec![body],
                StmtKind::If { branches, otherwise } => {
                    let blocks = branches.$each().map(|branch| $($reference)* branch.1);
                    blocks.chain(otherwise).collect()
                }
                _ => Vec::new(),
            }
        }
    };
}

walkers!(
    Child, &'a Expr, &'a Lambda, &'a Iter, &'a IndexItem, &'a Stmt,
    each_of_expr, each_of_iter, each_of_item, each_of_stmt, blocks_of, &'a Vec<Stmt>,
    [&], iter
);
walkers!(
    ChildMut, &'a mut Expr, &'a mut Lambda, &'a mut Iter, &'a mut IndexItem, &'a mut Stmt,
    each_of_expr_mut, each_of_iter_mut, each_of_item_mut, each_of_stmt_mut, blocks_of_mut,
    &'a mut Vec<Stmt>, [&mut], iter_mut
);

impl Expr {
    /// Calls `f` with the pieces of the expression itself, not theirs.
    pub fn each_child<'a>(&'a self, f: &mut dyn FnMut(Child<'a>)) {
        each_of_expr(self, f);
    }

    /// Calls `f` with the pieces of the expression itself, not theirs.
    pub fn each_child_mut<'a>(&'a mut self, f: &mut dyn FnMut(ChildMut<'a>)) {
        each_of_expr_mut(self, f);
    }

    /// Calls `f` with the expression and everything in it, bodies of lambdas too, outermost first.
    pub fn each<'a>(&'a self, f: &mut dyn FnMut(&'a Self)) {
        f(self);
        self.each_child(&mut |child| match child {
            Child::Expr(expr) => expr.each(f),
            Child::Lambda(lambda) => lambda.body.each(f),
        });
    }

    /// Calls `f` with everything in the expression, then the expression itself.
    pub fn each_mut(&mut self, f: &mut dyn FnMut(&mut Self)) {
        self.each_child_mut(&mut |child| match child {
            ChildMut::Expr(expr) => expr.each_mut(f),
            ChildMut::Lambda(lambda) => lambda.body.each_mut(f),
        });
        f(self);
    }
}

impl Iter {
    /// Calls `f` with the pieces of the iteration, a filter's function too.
    pub fn each_child<'a>(&'a self, f: &mut dyn FnMut(Child<'a>)) {
        each_of_iter(self, f);
    }
}

impl Stmt {
    /// Calls `f` with the expressions of the statement itself, not those of its blocks.
    pub fn each_child<'a>(&'a self, f: &mut dyn FnMut(Child<'a>)) {
        each_of_stmt(self, f);
    }

    /// Calls `f` with the expressions of the statement itself, not those of its blocks.
    pub fn each_child_mut<'a>(&'a mut self, f: &mut dyn FnMut(ChildMut<'a>)) {
        each_of_stmt_mut(self, f);
    }

    /// The statement's blocks, in order.
    pub fn blocks(&self) -> Vec<&Vec<Self>> {
        blocks_of(self)
    }

    /// The statement's blocks, in order.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Self>> {
        blocks_of_mut(self)
    }

    /// Calls `f` with the statement and every statement in its blocks, outermost first.
    pub fn each<'a>(&'a self, f: &mut dyn FnMut(&'a Self)) {
        f(self);
        for block in self.blocks() {
            block.iter().for_each(|stmt| stmt.each(f));
        }
    }

    /// Calls `f` with every expression of the statement and its blocks, outermost first.
    pub fn each_expr<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.each(&mut |stmt| {
            stmt.each_child(&mut |child| match child {
                Child::Expr(expr) => expr.each(f),
                Child::Lambda(lambda) => lambda.body.each(f),
            });
        });
    }

    /// Calls `f` with every expression of the statement and its blocks, innermost first.
    pub fn each_expr_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        self.each_child_mut(&mut |child| match child {
            ChildMut::Expr(expr) => expr.each_mut(f),
            ChildMut::Lambda(lambda) => lambda.body.each_mut(f),
        });
        for block in self.blocks_mut() {
            block.iter_mut().for_each(|stmt| stmt.each_expr_mut(f));
        }
    }
}
