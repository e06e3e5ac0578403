//! Expressions: the dispatch, names, literals, conditional expressions.

use strand_ir::{Expr, ExprKind, Type};
use strand_source::Span;
use strand_syntax::ast;

use crate::context::Checker;

impl Checker<'_> {
    /// Types an expression. `wanted` is what its place needs, where that is known: it decides the
    /// dtype of literals and is never an obligation.
    pub(crate) fn expr(&mut self, expr: &ast::Expr, _wanted: Option<&Type>) -> Expr {
        self.wrong(expr.span)
    }

    /// The expression of something wrong.
    pub(crate) fn wrong(&self, span: Span) -> Expr {
        Expr {
            kind: ExprKind::Error,
            ty: Type::Error,
            span,
        }
    }
}
