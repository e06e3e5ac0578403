//! Declarations: dims, functions, extern functions, imports, models; then bodies and the script.

use strand_syntax::ast;

use crate::context::Checker;

impl Checker<'_> {
    /// Types a whole text.
    pub(crate) fn module(&mut self, _module: &ast::Module) {}
}
