//! Indexing: items, slices, masks, and index assignment's left side.

use strand_ir::{Expr, IndexItem, TensorType};
use strand_source::Span;
use strand_syntax::ast;

use crate::context::Checker;

impl Checker<'_> {
    /// `base[items]`
    pub(crate) fn index(
        &mut self,
        span: Span,
        _base: &ast::Expr,
        _items: &[ast::IndexItem],
    ) -> Expr {
        self.wrong(span)
    }

    /// The items of an index of a tensor, with the type of what they pick.
    pub(crate) fn index_items(
        &mut self,
        _base: &TensorType,
        _base_span: Span,
        _items: &[ast::IndexItem],
    ) -> Option<(Vec<IndexItem>, TensorType)> {
        None
    }
}
