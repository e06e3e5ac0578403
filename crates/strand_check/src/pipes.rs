//! Pipe stages.

use strand_ir::Expr;
use strand_source::Span;
use strand_syntax::ast;

use crate::context::Checker;

impl Checker<'_> {
    /// A pipe: its head through its stages.
    pub(crate) fn pipe(&mut self, span: Span, _head: &ast::Expr, _stages: &[ast::Stage]) -> Expr {
        self.wrong(span)
    }
}
