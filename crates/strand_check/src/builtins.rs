//! Calls of built-in functions, by the table's classes and rules.

use strand_ir::TensorType;
use strand_syntax::ast;

use crate::context::Checker;

impl Checker<'_> {
    /// The positions that `over=arg` names among the axes of `ty`, in the order written: a name, a
    /// negative position, or where `several` a tuple of these. Errors (E0405, E0407, E0704) are
    /// reported.
    pub(crate) fn over_axes(
        &mut self,
        _ty: &TensorType,
        _arg: &ast::Expr,
        _several: bool,
    ) -> Option<Vec<usize>> {
        None
    }
}
