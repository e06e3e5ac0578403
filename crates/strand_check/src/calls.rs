//! Calls of the program's own functions, extern functions, methods and Python values.

use strand_ir::{Expr, ExternId, FnId, ImportId, LocalId};
use strand_ops::OpId;
use strand_source::Span;
use strand_syntax::ast;

use crate::context::Checker;

/// An argument of a call.
pub(crate) enum CallArg<'t> {
    /// As it stands in the text.
    Written(&'t ast::Arg),
    /// A value that is typed already: what a pipe hands in.
    Typed(Expr),
}

/// What a path names in call or stage position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    /// A function of the program.
    Function(FnId),
    /// An extern function.
    Extern(ExternId),
    /// A built-in.
    Op(OpId),
    /// `map`, `filter`, `zip`, `enumerate`.
    Stage(&'static str),
    /// A built-in that isn't available yet.
    NotYet(&'static str),
    /// A model or Python value, called or with the path's further names read from it.
    Value(LocalId),
    /// An imported module, with the path's further names read from it.
    Module(ImportId),
}

impl Checker<'_> {
    /// What a path names; `None` where nothing has that name.
    pub(crate) fn resolve_function(&self, _path: &[ast::Ident]) -> Option<Callee> {
        None
    }

    /// A call of whatever `path` names. `args_span` is where the arguments stand (the path where
    /// there are no brackets), `span` the whole call or stage.
    pub(crate) fn call_path(
        &mut self,
        _path: &[ast::Ident],
        _args: &[CallArg<'_>],
        _args_span: Span,
        span: Span,
    ) -> Expr {
        self.wrong(span)
    }
}
