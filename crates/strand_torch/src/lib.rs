//! Typed program to PyTorch text: a module that reads as a person would write it, with a map from
//! every piece of the Strand text to the piece of Python that it became.

mod aliases;
mod arguments;
mod certain;
mod chain;
mod changing;
mod check;
mod context;
mod expr;
mod helpers;
mod host;
mod imports;
mod index;
mod layout;
mod linear;
mod making;
mod masked;
mod models;
mod module;
mod names;
mod ops;
mod plain;
mod py;
mod rows;
mod said;
mod setting;
mod slices;
mod source;
mod special;
mod stmt;
mod text;
mod writer;

use strand_ir::Program;
use strand_source::Span;

/// A program as PyTorch text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TorchText {
    /// The whole module.
    pub text: String,
    /// Pieces of the Strand text with the pieces of Python that they became, sorted. A piece may
    /// occur several times, on both sides.
    pub spans: Vec<(Span, Span)>,
}

/// Writes a program without errors as a module for PyTorch.
///
/// `source` is the text that the program was made from: its lines are named in messages, and its
/// tokens in the map. A program with errors gives some text, which need not run.
pub fn emit(program: &Program, source: &str) -> TorchText {
    let mut context = context::Context::new(program, source);
    let mut rows = module::module(&mut context);
    if !context.needs.model_sizes.is_empty() {
        // A class is written before the functions that ask for its sizes.
        let model_sizes = std::mem::take(&mut context.needs.model_sizes);
        context = context::Context::new(program, source);
        context.needs.model_sizes = model_sizes;
        rows = module::module(&mut context);
    }
    let mut text = text::Text::default();
    text.rows(rows, &context.source);
    let (text, spans) = text.spans(&context.source);
    TorchText { text, spans }
}
