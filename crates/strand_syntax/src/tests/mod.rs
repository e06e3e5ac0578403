//! Tests of the crate as a whole.

mod deep;
mod dump;
mod faults;
mod format;
mod property;
mod tree;

use crate::ast::Module;
use crate::parse;

/// The chapter's programs.
pub const CHAPTER: &str = r#"dim D = 8
dim C = 4

fn scale_rows(x: [n D], w: [n]) -> [n D] = n |> map(i => x[i] * w[i])

fn per_row(x: [n D], w: [D C]) -> [n C] = x |> map(row => softmax(row @ w, over=C), over=n)

fn gram(x: [n D]) -> [n n] = x |> map(a => x |> map(b => sum(a * b), over=n), over=n)

fn table() -> [3 D] f32 = 3 |> map(i => D |> map(j => j to f32))

fn positive(x: [n D]) -> [] = x
    |> map(row => sum(row), over=n)
    |> filter(t => t > 0.0)
    |> sum
"#;

/// The module of a text that is right.
pub fn module(text: &str) -> Module {
    let parse = parse(text);
    assert_eq!(parse.diagnostics, [], "in {text}");
    parse.module
}

/// The tree of a text that is right.
pub fn tree(text: &str) -> String {
    dump::module(&module(text))
}
