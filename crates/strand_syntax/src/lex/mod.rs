//! Text to tokens. Total: what isn't a token is reported once and left out or replaced.

mod chars;
mod lexer;
mod number;
mod quoted;
mod symbols;
mod text;

pub(crate) use lexer::{Lexed, RawLine, lex};

/// At most the first characters of `text`, for a message.
pub(crate) fn clip(text: &str) -> String {
    const LONGEST: usize = 24;
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() <= LONGEST && line.len() == text.len() {
        return line.to_string();
    }
    let mut out: String = line.chars().take(LONGEST).collect();
    out.push('…');
    out
}
