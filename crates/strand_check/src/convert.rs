//! `to` and `as`.

use strand_ir::Expr;
use strand_source::Span;
use strand_syntax::ast;

use crate::context::Checker;

impl Checker<'_> {
    /// `value to T`, `value as T`.
    pub(crate) fn convert(
        &mut self,
        span: Span,
        how: ast::Conversion,
        value: &ast::Expr,
        ty: &ast::TypeExpr,
    ) -> Expr {
        let value = self.expr(value, None);
        self.convert_value(span, how, value, ty)
    }

    /// The conversion of a value that is typed already: a stage's.
    pub(crate) fn convert_value(
        &mut self,
        span: Span,
        _how: ast::Conversion,
        _value: Expr,
        _ty: &ast::TypeExpr,
    ) -> Expr {
        self.wrong(span)
    }
}
