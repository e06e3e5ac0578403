//! Text to tree and diagnostics; the formatter; the words to highlight.
//!
//! Total: any text gives a tree and diagnostics.

pub mod ast;

use strand_source::Diagnostic;

/// A text's tree and what is wrong with it.
#[derive(Clone, Debug, Default)]
pub struct Parse {
    /// The tree; what couldn't be read is an error node in it.
    pub module: ast::Module,
    /// Lexical and syntactic findings in the text's order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a text. Never panics; the depth of the tree is bounded (E0107).
pub fn parse(_text: &str) -> Parse {
    Parse::default()
}
