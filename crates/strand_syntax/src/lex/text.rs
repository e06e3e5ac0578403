//! What stands between quotation marks: characters and escapes.

use strand_source::{Code, Diagnostic, Span};

use super::clip;

/// Where a text's scan stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// At the closing quote.
    Quote,
    /// At `{` of an f-string.
    Hole,
    /// At the line's end: it is never closed.
    LineEnd,
}

/// Characters up to a stop.
pub(super) struct Scanned {
    /// Unescaped.
    pub text: String,
    /// The byte at which the stop stands.
    pub end: usize,
    pub stop: Stop,
}

/// Reads from `at` to `quote`, the line's end, or in an f-string to `{`.
pub(super) fn scan(
    text: &str,
    at: usize,
    quote: char,
    holes: bool,
    found: &mut Vec<Diagnostic>,
) -> Scanned {
    let mut out = String::new();
    let mut at = at;
    loop {
        let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            return Scanned {
                text: out,
                end: at,
                stop: Stop::LineEnd,
            };
        };
        let doubled = text
            .get(at + character.len_utf8()..)
            .is_some_and(|rest| rest.starts_with(character));
        match character {
            '\n' | '\r' => {
                return Scanned {
                    text: out,
                    end: at,
                    stop: Stop::LineEnd,
                };
            }
            _ if closes(character, quote) => {
                return Scanned {
                    text: out,
                    end: at,
                    stop: Stop::Quote,
                };
            }
            '{' | '}' if holes && doubled => {
                out.push(character);
                at += 2;
            }
            '{' if holes => {
                return Scanned {
                    text: out,
                    end: at,
                    stop: Stop::Hole,
                };
            }
            '}' if holes => {
                found.push(lone_brace(at));
                at += 1;
            }
            '\\' => at = escape(text, at, quote, &mut out, found),
            _ => {
                out.push(character);
                at += character.len_utf8();
            }
        }
    }
}

/// Whether `character` ends a text that was opened with `quote`.
fn closes(character: char, quote: char) -> bool {
    match quote {
        '"' | '\'' => character == quote,
        '“' | '„' | '”' => matches!(character, '”' | '“' | '"'),
        '‘' | '’' => matches!(character, '’' | '\''),
        '«' | '»' => matches!(character, '«' | '»'),
        _ => character == quote || character == '"',
    }
}

fn lone_brace(at: usize) -> Diagnostic {
    let span = Span::new(at as u32, at as u32 + 1);
    let message = "`}` closes nothing in this text: a brace itself is written `}}`";
    Diagnostic::new(Code::E0101, span, message).fix("write `}}`", span, "}}")
}

/// Reads the escape at `at`; gives the byte after it.
fn escape(
    text: &str,
    at: usize,
    quote: char,
    out: &mut String,
    found: &mut Vec<Diagnostic>,
) -> usize {
    let rest = text.get(at + 1..).unwrap_or("");
    let Some(letter) = rest.chars().next().filter(|c| !matches!(c, '\n' | '\r')) else {
        found.push(bad_escape(text, at, at + 1, Some("\\\\".into())));
        return at + 1;
    };
    let plain = match letter {
        'n' => Some('\n'),
        't' => Some('\t'),
        '"' => Some('"'),
        '\\' => Some('\\'),
        // The quotes themselves are what is reported.
        '\'' if quote == '\'' => Some('\''),
        _ => None,
    };
    if let Some(character) = plain {
        out.push(character);
        return at + 2;
    }
    if letter == 'u' && rest.as_bytes().get(1) == Some(&b'{') {
        return code_point(text, at, out, found);
    }
    let (length, character) = foreign_escape(rest, letter);
    out.extend(character);
    let instead = match character {
        Some('\'') => "'".to_string(),
        Some(character) => format!("\\u{{{:x}}}", character as u32),
        None => format!("\\\\{letter}"),
    };
    let end = at + 1 + length;
    found.push(bad_escape(text, at, end, Some(instead)));
    end
}

/// Escapes that Python has and Strand hasn't: the bytes after `\`, and the character meant.
fn foreign_escape(rest: &str, letter: char) -> (usize, Option<char>) {
    let hexadecimal = |length: usize| {
        let digits = rest
            .get(1..=length)
            .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let character = digits
            .and_then(|d| u32::from_str_radix(d, 16).ok())
            .and_then(char::from_u32);
        (if character.is_some() { 1 + length } else { 1 }, character)
    };
    match letter {
        '\'' => (1, Some('\'')),
        'r' => (1, Some('\r')),
        '0' => (1, Some('\0')),
        'a' => (1, Some('\u{7}')),
        'b' => (1, Some('\u{8}')),
        'f' => (1, Some('\u{c}')),
        'v' => (1, Some('\u{b}')),
        'x' => hexadecimal(2),
        'u' => hexadecimal(4),
        'U' => hexadecimal(8),
        _ => (letter.len_utf8(), None),
    }
}

/// `\u{1f600}`
fn code_point(text: &str, at: usize, out: &mut String, found: &mut Vec<Diagnostic>) -> usize {
    let digits_at = at + 3;
    let rest = text.get(digits_at..).unwrap_or("");
    let length = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
    let digits = rest.get(..length).unwrap_or("");
    let closed = rest.as_bytes().get(length) == Some(&b'}');
    let end = digits_at + length + usize::from(closed);
    let character = u32::from_str_radix(digits, 16)
        .ok()
        .and_then(char::from_u32);
    match character.filter(|_| closed) {
        Some(character) => out.push(character),
        None => {
            let span = Span::new(at as u32, end as u32);
            let message = format!(
                "`{}` is no character: write `\\u{{41}}`",
                clip(span.text(text))
            );
            found.push(Diagnostic::new(Code::E0101, span, message));
        }
    }
    end
}

fn bad_escape(text: &str, at: usize, end: usize, instead: Option<String>) -> Diagnostic {
    let span = Span::new(at as u32, end as u32);
    let message = format!(
        "`{}` isn't an escape of Strand's texts",
        clip(span.text(text))
    );
    let diagnostic = Diagnostic::new(Code::E0101, span, message)
        .note("The escapes are `\\n`, `\\t`, `\\\"`, `\\\\` and `\\u{…}`.");
    match instead {
        Some(text) => diagnostic.fix(format!("write `{text}`"), span, text),
        None => diagnostic,
    }
}

/// How the text between other quotes is written between `"`.
pub(super) fn requoted(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len() + 2);
    out.push('"');
    let mut characters = inner.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if characters.peek() == Some(&'\'') => {}
            '\\' => {
                out.push('\\');
                out.extend(characters.next());
            }
            '"' => out.push_str("\\\""),
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}
