//! Lines whose first word is nearly a keyword: they are read as if it were.

use strand_source::{Code, Diagnostic};

use super::blocks::{Blocks, Header, Read};
use super::context::Tokens;
use crate::ast::StmtKind;
use crate::token::{Kind, Token};

const HEADERS: &[(&str, Kind)] = &[
    ("for", Kind::For),
    ("while", Kind::While),
    ("if", Kind::If),
    ("elif", Kind::Elif),
    ("else", Kind::Else),
];

impl<'s> Blocks<'s> {
    /// `whlie c:`, `retrun x`; `None` for any other line.
    pub(super) fn misspelt(&mut self, tokens: Tokens<'s>) -> Option<Read<'s>> {
        let [first, next, ..] = tokens else {
            return None;
        };
        let word = self.reader.context.word(Some(first));
        if word.is_empty() {
            return None;
        }
        let opens = tokens.last().is_some_and(|last| last.kind == Kind::Colon);
        let operand = next.kind.is_atom() || next.kind == Kind::Not;
        if !opens {
            let is_return = operand && is_near(word, "return");
            return is_return.then(|| {
                self.report_misspelt(*first, "return");
                let value = self.values(tokens.get(1..).unwrap_or(&[]));
                Read::Stmt(StmtKind::Return(Some(value)))
            });
        }
        let fits = |(known, kind): &&(&str, Kind)| {
            let is_else = *kind == Kind::Else;
            let shape = if is_else { tokens.len() == 2 } else { operand };
            shape && is_near(word, known)
        };
        let (keyword, kind) = match word {
            "elseif" if operand => ("elif", Kind::Elif),
            _ => *HEADERS.iter().find(fits)?,
        };
        self.report_misspelt(*first, keyword);
        Some(match kind {
            Kind::For => self.for_header(tokens),
            Kind::Elif | Kind::Else => self.branch(tokens, kind == Kind::Elif),
            _ => {
                let (condition, after) = self.condition(tokens);
                let header = match kind {
                    Kind::While => Header::While(condition),
                    _ => Header::If {
                        start: first.span.start,
                        branches: Vec::new(),
                        condition: Some(condition),
                    },
                };
                Read::Block(header, after)
            }
        })
    }

    fn report_misspelt(&mut self, word: Token, keyword: &str) {
        let written = word.span.text(self.reader.text());
        let message = format!("`{written}` isn't a keyword: write `{keyword}`");
        let found = Diagnostic::new(Code::E0101, word.span, message);
        let fix = found.fix(format!("write `{keyword}`"), word.span, keyword);
        self.reader.report(&[], fix);
    }
}

/// Whether a word is a keyword but for one letter, two swapped ones or capitals.
fn is_near(word: &str, keyword: &str) -> bool {
    let word: Vec<char> = word.to_ascii_lowercase().chars().collect();
    let keyword: Vec<char> = keyword.chars().collect();
    let start = word
        .iter()
        .zip(&keyword)
        .take_while(|(a, b)| a == b)
        .count();
    let rest = |letters: &[char], from: usize| letters.get(from..).unwrap_or(&[]).to_vec();
    let (left, right) = (rest(&word, start), rest(&keyword, start));
    let swapped = match (left.as_slice(), right.as_slice()) {
        ([a, b, left @ ..], [c, d, right @ ..]) => a == d && b == c && left == right,
        _ => false,
    };
    let replaced = rest(&left, 1) == rest(&right, 1) && keyword.len() > 2;
    let inserted = rest(&left, 1) == right;
    let left_out = left == rest(&right, 1) && word.len() > 1;
    swapped || replaced || inserted || left_out
}
