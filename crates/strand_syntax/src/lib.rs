//! Text to tree and diagnostics; the formatter; the words to highlight.
//!
//! A text is lexed, laid out in logical lines whose brackets are single tokens, and read from the
//! inside out, so that neither reading a text nor walking its tree needs a deep stack. Total: any
//! text gives a tree and diagnostics.

pub mod ast;
mod caret;
mod format;
mod layout;
mod lex;
mod parse;
mod token;
mod words;

#[cfg(test)]
mod tests;

pub use caret::{Caret, Place, caret};
pub use format::format;
pub use words::{SHAPE_FIRST, Words, dtype_alias, module_dtype, words};

use strand_source::Diagnostic;

/// How many findings each stage keeps: more would only be noise.
const MAX_FINDINGS: usize = 500;

/// A text's tree and what is wrong with it.
#[derive(Clone, Debug, Default)]
pub struct Parse {
    /// The tree; what couldn't be read is an error node in it.
    pub module: ast::Module,
    /// Lexical and syntactic findings in the text's order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a text. Never panics; the depth of the tree is bounded (E0107).
pub fn parse(text: &str) -> Parse {
    parse::parse(text)
}
