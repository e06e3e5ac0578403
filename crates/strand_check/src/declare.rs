//! Declarations: dims, functions, extern functions, imports, models; then bodies and the script.

use strand_syntax::ast;

use crate::context::Checker;

impl<'a> Checker<'a> {
    /// Types a whole text.
    pub(crate) fn module(&mut self, _module: &'a ast::Module) {}
}
