//! Laid-out tokens to the tree.

mod blocks;
mod build;
mod context;
mod declarations;
mod explain;
mod grammar;
mod groups;
mod headers;
mod misspelt;
mod pasted;
mod reader;
mod statements;

use strand_source::{Diagnostic, Spans};

use crate::Parse;
use crate::ast::Module;
use crate::layout::{Layout, lay_out};
use crate::lex::{Lexed, lex};
use blocks::Blocks;
use context::Context;
use grammar::Grammar;
use reader::Reader;

/// Reads a text.
pub(crate) fn parse(text: &str) -> Parse {
    let lexed = lex(text);
    let mut layout = lay_out(&lexed);
    let unfinished = Spans::new(std::mem::take(&mut layout.unfinished));
    let (module, mut diagnostics) = read(text, &lexed, &layout, &unfinished);
    diagnostics.extend(lexed.diagnostics);
    diagnostics.extend(layout.diagnostics);
    strand_source::sort_by_key(&mut diagnostics, |found| (found.span.start, found.span.end));
    Parse {
        module: Module {
            comments: lexed.comments,
            unfinished,
            ..module
        },
        diagnostics,
    }
}

fn read<'s>(
    text: &'s str,
    lexed: &'s Lexed,
    layout: &'s Layout,
    unfinished: &'s Spans,
) -> (Module, Vec<Diagnostic>) {
    let mut lexical: Vec<u32> = lexed
        .diagnostics
        .iter()
        .map(|found| found.span.start)
        .collect();
    strand_source::sort(&mut lexical);
    let context = Context {
        text,
        values: &lexed.values,
        parsed: Vec::with_capacity(layout.groups.len()),
        diagnostics: Vec::new(),
        forgotten: None,
        chain: None,
        conversion: None,
        stopped: None,
        inside: None,
    };
    let reader = Reader {
        layout,
        unfinished,
        grammar: Grammar::new(),
        context,
        depths: Vec::with_capacity(layout.groups.len()),
        too_deep: Vec::with_capacity(layout.groups.len()),
        lexical,
        quiet: false,
    };
    Blocks::new(reader).read()
}
