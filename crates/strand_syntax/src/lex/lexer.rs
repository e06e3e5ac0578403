//! The scan over the text's characters.

use std::sync::Arc;

use strand_source::{Code, Diagnostic, Edit, Span, continues_name, nfkc, starts_name};

use super::symbols::operator;
use super::{chars, number};
use crate::MAX_FINDINGS;
use crate::ast::Comment;
use crate::token::{Kind, Token, Value};

/// A line that holds at least one token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawLine {
    /// The number of its first token.
    pub first: u32,
    /// Its indentation in columns, a tab counting four.
    pub indent: u32,
    /// Where its indentation starts.
    pub start: u32,
    /// Whether a text on it is never closed, so that its brackets end with it.
    pub cut: bool,
}

/// A text's tokens.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    pub tokens: Vec<Token>,
    pub lines: Vec<RawLine>,
    pub values: Vec<Value>,
    pub comments: Vec<Comment>,
    pub diagnostics: Vec<Diagnostic>,
}

/// What the scan is inside of; the outermost is plain text of the program.
pub(super) enum Mode {
    /// An f-string that `quote` closes; the finding about its quotes waits for the closing one.
    FString {
        quote: char,
        finding: Option<usize>,
        open: Span,
    },
    /// `{…}` of an f-string, with the number of braces and of all brackets open in it.
    Hole {
        braces: u32,
        brackets: u32,
        open: Span,
    },
}

/// Characters of one kind that are reported together, each with what to write instead.
#[derive(Default)]
pub(super) struct Odd {
    edits: Vec<Edit>,
}

pub(super) struct Lexer<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) out: Lexed,
    /// The names read last, by [`slot`]: what they share is their text in memory.
    pub(super) names: Vec<(&'t str, u32)>,
    pub(super) modes: Vec<Mode>,
    pub(super) tabs: Odd,
    pub(super) spaces: Odd,
    pub(super) invisible: Odd,
    pub(super) line_ends: Odd,
    /// The last character that begins no token, and the line that it stands on.
    pub(super) stray: Option<(char, usize)>,
    /// The end of the last run of such characters.
    pub(super) stray_end: usize,
    /// The finding about `{` at line ends, taken for `:`; its fix mends all of them.
    pub(super) braces: Option<usize>,
}

/// How many names are kept in mind while a text is read.
const SLOTS: usize = 1 << 9;

/// The slot of a name.
fn slot(name: &str) -> usize {
    let add = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, add) as usize % SLOTS
}

/// Reads a text's tokens. Linear in its length.
pub(crate) fn lex(text: &str) -> Lexed {
    let start = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let mut lexer = Lexer {
        text,
        at: start,
        out: Lexed::default(),
        names: vec![("", 0); SLOTS],
        modes: Vec::new(),
        tabs: Odd::default(),
        spaces: Odd::default(),
        invisible: Odd::default(),
        line_ends: Odd::default(),
        stray: None,
        stray_end: usize::MAX,
        braces: None,
    };
    lexer.start_line();
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.cut_modes();
    lexer.report_odd();
    lexer.out
}

impl<'t> Lexer<'t> {
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn byte(&self, ahead: usize) -> u8 {
        self.text
            .as_bytes()
            .get(self.at + ahead)
            .copied()
            .unwrap_or(0)
    }

    pub(super) fn span(&self, length: usize) -> Span {
        Span::new(self.at as u32, (self.at + length) as u32)
    }

    pub(super) fn push(&mut self, kind: Kind, length: usize) {
        self.push_with(kind, length, 0);
    }

    pub(super) fn push_with(&mut self, kind: Kind, length: usize, extra: u32) {
        let span = self.span(length);
        self.out.tokens.push(Token { kind, span, extra });
        self.at += length;
    }

    pub(super) fn push_value(&mut self, kind: Kind, length: usize, value: Value) {
        let extra = self.out.values.len() as u32;
        self.out.values.push(value);
        self.push_with(kind, length, extra);
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.out.diagnostics.len() < MAX_FINDINGS {
            self.out.diagnostics.push(diagnostic);
        }
    }

    /// Reads a line's indentation; a line with a token is remembered.
    fn start_line(&mut self) {
        let start = self.at as u32;
        let mut indent = 0;
        let mut tabs = Vec::new();
        while let Some(character) = self.peek() {
            match character {
                ' ' => indent += 1,
                '\t' => {
                    indent += 4;
                    tabs.push(Edit {
                        span: self.span(1),
                        text: "    ".into(),
                    });
                }
                '\u{c}' => {}
                _ if chars::is_odd_space(character) => {
                    indent += 1;
                    self.spaces.edits.push(Edit {
                        span: self.span(character.len_utf8()),
                        text: " ".into(),
                    });
                }
                _ if chars::is_invisible(character) => {
                    self.invisible.edits.push(Edit {
                        span: self.span(character.len_utf8()),
                        text: String::new(),
                    });
                }
                _ => break,
            }
            self.at += character.len_utf8();
        }
        let blank = self
            .peek()
            .is_none_or(|c| matches!(c, '\n' | '#') || chars::is_odd_line_end(c));
        if !blank {
            self.tabs.edits.append(&mut tabs);
            self.begin_line(indent, start);
        }
    }

    pub(super) fn begin_line(&mut self, indent: u32, start: u32) {
        let first = self.out.tokens.len() as u32;
        self.out.lines.push(RawLine {
            first,
            indent,
            start,
            cut: false,
        });
    }

    fn step(&mut self) {
        if let Some(Mode::FString { .. }) = self.modes.last() {
            return self.f_string_part();
        }
        let Some(character) = self.peek() else { return };
        match character {
            ' ' | '\t' | '\u{c}' => self.at += 1,
            '\n' => self.end_line(1),
            '\r' if self.byte(1) == b'\n' => self.end_line(2),
            '#' => self.comment(),
            '"' => self.quoted('"', 1),
            '\'' => self.quoted('\'', 1),
            '0'..='9' => self.number(),
            '.' if self.byte(1).is_ascii_digit() && !self.after_operand() => self.number(),
            _ if starts_name(character) => self.word(),
            _ if character.is_ascii() => self.symbol(character),
            _ => self.foreign(character),
        }
    }

    /// Whether the character just before belongs to an operand, so that `.` reads a field.
    fn after_operand(&self) -> bool {
        let last = self.out.tokens.last();
        last.is_some_and(|token| {
            token.span.end as usize == self.at
                && (token.kind.ends_operand()
                    || matches!(token.kind, Kind::RParen | Kind::RBracket))
        })
    }

    fn end_line(&mut self, length: usize) {
        self.cut_modes();
        self.at += length;
        self.start_line();
    }

    fn comment(&mut self) {
        let rest = self.rest();
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let line_start = self
            .text
            .get(..self.at)
            .and_then(|t| t.rfind(['\n', '\r']))
            .map_or(0, |at| at + 1);
        let before = self.text.get(line_start..self.at).unwrap_or("");
        let own_line = before
            .chars()
            .all(|c| c.is_whitespace() || chars::is_invisible(c));
        let text = rest.get(1..length).unwrap_or("").to_string();
        self.out.comments.push(Comment {
            span: self.span(length),
            text,
            own_line,
        });
        self.at += length;
    }

    fn number(&mut self) {
        let number = number::read(self.rest());
        let span = self.span(number.length);
        if let Some(minus) = self.least(number.length) {
            let after = self.rest().get(number.length..).unwrap_or("");
            if !after.trim_start().starts_with("**") {
                return self.push_value(number.kind, number.length, Value::Int(i64::MIN));
            }
            let written = "(-9223372036854775807 - 1)";
            let message = "a power takes the digits alone, which are too large";
            let found = Diagnostic::new(Code::E0105, span, message);
            self.report(found.write(minus.to(span), written));
        } else if let Some(problem) = number.problem {
            self.report(problem.diagnostic(span));
        }
        self.push_value(number.kind, number.length, number.value);
    }

    /// The sign before i64's least, whose digits alone are too large.
    fn least(&self, length: usize) -> Option<Span> {
        let [before @ .., minus] = self.out.tokens.as_slice() else {
            return None;
        };
        let is_least = self.rest().get(..length) == Some("9223372036854775808");
        let after_value = before.last().is_some_and(|token| {
            token.kind.ends_operand() || matches!(token.kind, Kind::RParen | Kind::RBracket)
        });
        (is_least && minus.kind == Kind::Minus && !after_value).then_some(minus.span)
    }

    fn word(&mut self) {
        let rest = self.rest();
        let ends = |c: char| !continues_name(c);
        let length = rest.find(ends).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or("");
        let quote = rest.get(length..).and_then(|after| after.chars().next());
        if matches!(word, "f" | "F") && matches!(quote, Some('"' | '\'')) {
            return self.quoted(quote.unwrap_or('"'), 2);
        }
        let normal: Option<String> = if word.is_ascii() {
            None
        } else {
            Some(nfkc(word))
        };
        let kind = Kind::of_word(normal.as_deref().unwrap_or(word));
        if !(kind.is_name() || kind == Kind::Underscore) {
            return self.push(kind, length);
        }
        let at = slot(word);
        let extra = match self.names.get(at) {
            Some((known, extra)) if *known == word => *extra,
            _ => {
                let name: Arc<str> = normal.as_deref().unwrap_or(word).into();
                let extra = self.out.values.len() as u32;
                self.out.values.push(Value::Name(name));
                if let Some(held) = self.names.get_mut(at) {
                    *held = (word, extra);
                }
                extra
            }
        };
        self.push_with(kind, length, extra);
    }

    fn foreign(&mut self, character: char) {
        let length = character.len_utf8();
        let span = self.span(length);
        if chars::is_odd_space(character) {
            self.spaces.edits.push(Edit {
                span,
                text: " ".into(),
            });
            self.at += length;
        } else if chars::is_invisible(character) {
            self.invisible.edits.push(Edit {
                span,
                text: String::new(),
            });
            self.at += length;
        } else if chars::is_curly_quote(character) {
            self.plain_text(character);
        } else if chars::is_odd_line_end(character) {
            self.odd_line_end(character);
        } else {
            self.stray(character);
        }
    }

    fn odd_line_end(&mut self, character: char) {
        let span = self.span(character.len_utf8());
        self.line_ends.edits.push(Edit {
            span,
            text: "\n".into(),
        });
        self.end_line(character.len_utf8());
    }

    pub(super) fn stray(&mut self, character: char) {
        if character == '\r' {
            return self.odd_line_end(character);
        }
        let length = character.len_utf8();
        let span = self.span(length);
        let meant = chars::look_alike(character);
        if let Some(meant) = meant {
            let message = format!("`{character}` isn't part of Strand: write `{meant}`");
            let found = Diagnostic::new(Code::E0101, span, message);
            self.report(found.fix(format!("write `{meant}`"), span, self.spaced(span, meant)));
            return self.push_meant(meant, length);
        }
        // A run of them, such as emoji, is one finding.
        let goes_on = self.stray_end == self.at;
        self.stray_end = self.at + length;
        if goes_on {
            if let Some(last) = self.out.diagnostics.last_mut() {
                last.span.end = span.end;
            }
            if let Some(token) = self.out.tokens.last_mut() {
                token.span.end = span.end;
            }
            self.at += length;
            return;
        }
        let message = match character {
            '$' | '?' | '`' => format!("`{character}` isn't part of Strand"),
            _ => format!("{} begins nothing in Strand", chars::spelled(character)),
        };
        let here = (character, self.out.lines.len());
        if self.stray.replace(here) != Some(here) {
            self.report(Diagnostic::new(Code::E0101, span, message));
        }
        self.push(Kind::Bad, length);
    }

    /// The token that a look-alike stands for.
    fn push_meant(&mut self, meant: &str, length: usize) {
        if meant.starts_with(|c: char| c.is_ascii_digit()) {
            let value = meant.parse().unwrap_or(0);
            return self.push_value(Kind::Int, length, Value::Int(value));
        }
        let kind = match operator(meant.as_bytes()) {
            Some((kind, _)) => kind,
            None => match meant {
                "and" | "&" => Kind::And,
                "or" | "|" => Kind::Or,
                "not" | "!" | "~" => Kind::Not,
                "^" => Kind::StarStar,
                _ => Kind::Bad,
            },
        };
        self.push(kind, length);
    }

    /// One finding for each kind of character that can't be seen, with all its places in the fix.
    fn report_odd(&mut self) {
        let groups = [
            (
                std::mem::take(&mut self.tabs),
                Code::E0103,
                "lines are indented with spaces, not tabs",
                "indent with spaces",
            ),
            (
                std::mem::take(&mut self.spaces),
                Code::E0101,
                "this space isn't the plain one",
                "write plain spaces",
            ),
            (
                std::mem::take(&mut self.invisible),
                Code::E0101,
                "a character that can't be seen stands here",
                "leave it out",
            ),
            (
                std::mem::take(&mut self.line_ends),
                Code::E0101,
                "lines end with `\\n`, not with this character",
                "write `\\n`",
            ),
        ];
        for (odd, code, message, title) in groups {
            if let Some(first) = odd.edits.first() {
                let found = Diagnostic::new(code, first.span, message);
                self.report(found.fix_edits(title, odd.edits));
            }
        }
    }
}
