//! Findings that several places report, each with its one sentence.

use strand_ir::{Expr, FnId};
use strand_source::{Code, Diagnostic, Span};

use crate::context::Checker;

/// The note where a host number stands for a size.
pub(crate) const MADE_OF: &str = "A size is made of whole numbers, dims and axis names.";

/// E2403 for what a stage's function does beside computing a value: "print".
pub(crate) fn only_computes(phrase: &str, span: Span) -> Diagnostic {
    let message = format!("a stage's function only computes a value, not {phrase}");
    Diagnostic::new(Code::E2403, span, message)
        .note("All elements are computed together, so that none may do more than that.")
}

/// E0704 for a constructor that gets a value in its type's place.
pub(crate) fn type_first(name: &str, span: Span) -> Diagnostic {
    let message = format!("{name} takes a type first, as in `{name}([n D])`");
    Diagnostic::new(Code::E0704, span, message)
}

impl Checker<'_> {
    /// E0306 for a word that the language has and that does nothing yet.
    pub(crate) fn not_yet(&mut self, word: &str, span: Span) {
        let message = format!("`{word}` isn't available yet");
        self.error(Code::E0306, span, message);
    }

    /// E0203
    pub(crate) fn too_large(&mut self, span: Span) {
        self.error(Code::E0203, span, "this size is too large");
    }

    /// E3101 for a Python value where a tensor is wanted.
    pub(crate) fn python_shape(&self, value: &Expr) -> Diagnostic {
        let text = self.name_of(value.span);
        let message = format!("{text} is a Python value; give it a shape with `as`");
        Diagnostic::new(Code::E3101, value.span, message).note("For example `value as [n D] f32`.")
    }

    /// E0706 at a call by which a function would run itself.
    pub(crate) fn repeats(&self, message: String, called: FnId, span: Span) -> Diagnostic {
        let called = self.program.function(called);
        Diagnostic::new(Code::E0706, span, message)
            .label(
                called.name_span,
                format!("{} is declared here", called.name),
            )
            .note("Repeat with a `for` or `while` loop.")
    }
}
