//! The scan over the text's characters.

use std::collections::HashMap;
use std::sync::Arc;

use strand_source::{Code, Diagnostic, Edit, Span};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::text::{Stop, requoted, scan};
use super::{chars, number};
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
enum Mode {
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
struct Odd {
    edits: Vec<Edit>,
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    out: Lexed,
    names: HashMap<&'t str, u32>,
    modes: Vec<Mode>,
    tabs: Odd,
    spaces: Odd,
    invisible: Odd,
    line_ends: Odd,
    /// The end of the last run of characters that begin no token.
    stray_end: usize,
    /// `{` at a line's end was taken for `:`, so that `}` alone closes a block.
    brace_blocks: bool,
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
        names: HashMap::new(),
        modes: Vec::new(),
        tabs: Odd::default(),
        spaces: Odd::default(),
        invisible: Odd::default(),
        line_ends: Odd::default(),
        stray_end: usize::MAX,
        brace_blocks: false,
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
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text
            .as_bytes()
            .get(self.at + ahead)
            .copied()
            .unwrap_or(0)
    }

    fn span(&self, length: usize) -> Span {
        Span::new(self.at as u32, (self.at + length) as u32)
    }

    fn push(&mut self, kind: Kind, length: usize) {
        self.push_with(kind, length, 0);
    }

    fn push_with(&mut self, kind: Kind, length: usize, extra: u32) {
        let span = self.span(length);
        self.out.tokens.push(Token { kind, span, extra });
        self.at += length;
    }

    fn push_value(&mut self, kind: Kind, length: usize, value: Value) {
        let extra = self.out.values.len() as u32;
        self.out.values.push(value);
        self.push_with(kind, length, extra);
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.out.diagnostics.push(diagnostic);
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

    fn begin_line(&mut self, indent: u32, start: u32) {
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
            _ if character == '_' || unicode_ident::is_xid_start(character) => self.word(),
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
        if let Some(problem) = number.problem {
            self.report(problem.diagnostic(span));
        }
        self.push_value(number.kind, number.length, number.value);
    }

    fn word(&mut self) {
        let rest = self.rest();
        let ends = |c: char| !(unicode_ident::is_xid_continue(c) || c == '_');
        let length = rest.find(ends).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or("");
        let quote = rest.get(length..).and_then(|after| after.chars().next());
        if matches!(word, "f" | "F") && matches!(quote, Some('"' | '\'')) {
            return self.quoted(quote.unwrap_or('"'), 2);
        }
        let normal: Option<String> = match is_nfkc_quick(word.chars()) {
            IsNormalized::Yes => None,
            _ => Some(word.nfkc().collect()),
        };
        let kind = Kind::of_word(normal.as_deref().unwrap_or(word));
        if !(kind.is_name() || kind == Kind::Underscore) {
            return self.push(kind, length);
        }
        let extra = match self.names.get(word) {
            Some(extra) => *extra,
            None => {
                let name: Arc<str> = normal.as_deref().unwrap_or(word).into();
                let extra = self.out.values.len() as u32;
                self.out.values.push(Value::Name(name));
                self.names.insert(word, extra);
                extra
            }
        };
        self.push_with(kind, length, extra);
    }

    /// A text whose quote stands `prefix - 1` bytes on; `prefix` counts it too.
    fn quoted(&mut self, quote: char, prefix: usize) {
        let is_format = prefix == 2;
        let triple = self
            .rest()
            .get(prefix - 1..)
            .is_some_and(|rest| rest.starts_with(["\"\"\"", "'''"][usize::from(quote == '\'')]));
        if triple {
            return self.triple_quoted(quote, prefix);
        }
        if is_format {
            let open = self.span(prefix);
            let finding = (quote == '\'').then(|| {
                let found = Diagnostic::new(Code::E0101, open, "texts stand between `\"`, not `'`");
                self.report(found.fix("write `\"`", open, "f\""));
                self.out.diagnostics.len() - 1
            });
            self.push(Kind::FOpen, prefix);
            self.modes.push(Mode::FString {
                quote,
                finding,
                open,
            });
            return;
        }
        self.plain_text(quote);
    }

    fn plain_text(&mut self, quote: char) {
        let start = self.at + quote.len_utf8();
        let scanned = scan(self.text, start, quote, false, &mut self.out.diagnostics);
        let end = scanned.end;
        if scanned.stop == Stop::LineEnd {
            self.unclosed_text();
            return self.push_value(Kind::Str, end - self.at, Value::Text(scanned.text));
        }
        let closing = self
            .text
            .get(end..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8);
        let length = end + closing - self.at;
        if quote != '"' {
            let inner = requoted(self.text.get(start..end).unwrap_or(""));
            let span = self.span(length);
            let message = format!("texts stand between `\"`, not `{quote}`");
            self.report(Diagnostic::new(Code::E0101, span, message).fix("write `\"`", span, inner));
        }
        self.push_value(Kind::Str, length, Value::Text(scanned.text));
    }

    /// Reports the text that starts here and has no closing quote on its line.
    fn unclosed_text(&mut self) {
        let in_hole = match self.modes.as_slice() {
            [.., Mode::FString { quote, .. }, Mode::Hole { open, .. }]
                if Some(*quote) == self.peek() =>
            {
                Some(*open)
            }
            _ => None,
        };
        let rest = self.rest();
        let line = rest
            .get(..rest.find(['\n', '\r']).unwrap_or(rest.len()))
            .unwrap_or("");
        if let Some(open) = in_hole {
            let message = "`{` in this text is never closed";
            let end = Span::empty(self.at as u32);
            self.report(Diagnostic::new(Code::E0102, open, message).fix("write `}`", end, "}"));
        } else {
            let span = self.span(line.trim_end().len());
            let end = Span::empty(self.at as u32 + self.inside_brackets(line.trim_end()) as u32);
            let message = "this text isn't closed on its line";
            self.report(Diagnostic::new(Code::E0106, span, message).fix(
                "write `\"` at its end",
                end,
                "\"",
            ));
        }
        if let Some(line) = self.out.lines.last_mut() {
            line.cut = true;
        }
    }

    /// The length of `line` without the closing brackets at its end that were opened before it.
    fn inside_brackets(&self, line: &str) -> usize {
        let first = self.out.lines.last().map_or(0, |line| line.first as usize);
        let mut open = 0_usize;
        for token in self.out.tokens.get(first..).unwrap_or(&[]) {
            match token.kind {
                Kind::LParen | Kind::LBracket => open += 1,
                Kind::RParen | Kind::RBracket => open = open.saturating_sub(1),
                _ => {}
            }
        }
        let mut length = line.len();
        while open > 0 && length > 1 && matches!(line.as_bytes().get(length - 1), Some(b')' | b']'))
        {
            length -= 1;
            open -= 1;
        }
        length
    }

    fn triple_quoted(&mut self, quote: char, prefix: usize) {
        let marks = if quote == '"' { "\"\"\"" } else { "'''" };
        let start = self.at + prefix + 2;
        let inner = self.text.get(start..).unwrap_or("");
        let (inner, closed) = match inner.find(marks) {
            Some(at) => (inner.get(..at).unwrap_or(""), true),
            None => (inner, false),
        };
        let length = prefix + 2 + inner.len() + if closed { 3 } else { 0 };
        let span = self.span(length);
        let alone = self
            .out
            .lines
            .last()
            .is_some_and(|line| line.first as usize == self.out.tokens.len());
        let code = if closed { Code::E0101 } else { Code::E0106 };
        let message = if closed {
            "texts have one line; a comment starts with `#`"
        } else {
            "this text is never closed"
        };
        let mut found = Diagnostic::new(code, span, message);
        if closed && alone {
            let indent = self.out.lines.last().map_or(0, |line| line.indent as usize);
            found = found.fix("make it a comment", span, as_comment(inner, indent));
        }
        self.report(found);
        let text = inner.to_string();
        self.push_value(Kind::Str, length, Value::Text(text));
    }

    fn f_string_part(&mut self) {
        let Some(Mode::FString {
            quote,
            finding,
            open,
        }) = self.modes.last()
        else {
            return;
        };
        let (quote, finding, open) = (*quote, *finding, *open);
        let scanned = scan(self.text, self.at, quote, true, &mut self.out.diagnostics);
        if scanned.end > self.at {
            self.push_value(
                Kind::FText,
                scanned.end - self.at,
                Value::Text(scanned.text),
            );
        }
        match scanned.stop {
            Stop::Quote => {
                if let Some(found) = finding.and_then(|at| self.out.diagnostics.get_mut(at)) {
                    found.span = open.to(Span::new(self.at as u32, self.at as u32 + 1));
                    let edit = Edit {
                        span: Span::new(self.at as u32, self.at as u32 + 1),
                        text: "\"".into(),
                    };
                    found
                        .fixes
                        .iter_mut()
                        .for_each(|fix| fix.edits.push(edit.clone()));
                }
                self.push(Kind::FClose, 1);
                self.modes.pop();
            }
            Stop::Hole => {
                let open = self.span(1);
                self.push(Kind::HoleOpen, 1);
                self.modes.push(Mode::Hole {
                    braces: 0,
                    brackets: 0,
                    open,
                });
            }
            Stop::LineEnd => self.cut_modes(),
        }
    }

    /// Ends every f-string at a line's end, with one finding about the innermost open thing.
    fn cut_modes(&mut self) {
        if self.modes.is_empty() {
            return;
        }
        let reported = self.out.lines.last().is_some_and(|line| line.cut);
        let end = Span::empty(self.at as u32);
        let found = match self.modes.last() {
            Some(Mode::FString { open, .. }) => {
                let span = open.to(end);
                let message = "this text isn't closed on its line";
                Some(Diagnostic::new(Code::E0106, span, message).fix(
                    "write `\"` at its end",
                    end,
                    "\"",
                ))
            }
            Some(Mode::Hole { open, .. }) => Some(Diagnostic::new(
                Code::E0102,
                *open,
                "`{` in this text is never closed",
            )),
            None => None,
        };
        if let Some(found) = found.filter(|_| !reported) {
            self.report(found);
        }
        if let Some(line) = self.out.lines.last_mut() {
            line.cut = true;
        }
        while let Some(mode) = self.modes.pop() {
            self.push(
                if matches!(mode, Mode::Hole { .. }) {
                    Kind::HoleClose
                } else {
                    Kind::FClose
                },
                0,
            );
        }
    }

    fn symbol(&mut self, character: char) {
        if let Some(Mode::Hole {
            braces, brackets, ..
        }) = self.modes.last_mut()
        {
            match character {
                '}' if *braces == 0 => return self.close_hole(),
                '}' => *braces -= 1,
                '{' => *braces += 1,
                '(' | '[' => *brackets += 1,
                ')' | ']' => *brackets = brackets.saturating_sub(1),
                ':' | '!' | '=' => {
                    let flat = *braces + *brackets == 0;
                    if flat && self.at_hole_format(character) {
                        return self.skip_format();
                    }
                }
                _ => {}
            }
        }
        if let Some((kind, length)) = operator(self.rest().as_bytes()) {
            return self.push(kind, length);
        }
        if !self.substitute() {
            self.stray(character);
        }
    }

    fn close_hole(&mut self) {
        self.push(Kind::HoleClose, 1);
        self.modes.pop();
    }

    /// Whether a format such as `:.2f`, `!r` or `=` stands here, at the end of a hole.
    fn at_hole_format(&self, character: char) -> bool {
        match character {
            ':' => true,
            '!' => self.byte(1).is_ascii_alphabetic() && matches!(self.byte(2), b'}' | b':'),
            _ => matches!(self.byte(1), b'}'),
        }
    }

    fn skip_format(&mut self) {
        let rest = self.rest();
        let length = rest.find(['}', '"', '\n', '\r']).unwrap_or(rest.len());
        let span = self.span(length);
        let message = "a text shows a value as it is, without a format";
        self.report(Diagnostic::new(Code::E0101, span, message).fix(
            "leave the format out",
            span,
            "",
        ));
        self.at += length;
    }

    /// Spellings of other languages that stand for one token; each is reported once.
    fn substitute(&mut self) -> bool {
        let rest = self.rest();
        let (found, kind, instead): (&str, Kind, &str) = match rest.as_bytes() {
            [b'&', b'&', ..] => ("&&", Kind::And, "and"),
            [b'|', b'|', ..] => ("||", Kind::Or, "or"),
            [b'&', ..] => ("&", Kind::And, "and"),
            [b'|', ..] => ("|", Kind::Or, "or"),
            [b'^', ..] => ("^", Kind::StarStar, "**"),
            [b'!', ..] => ("!", Kind::Not, "not"),
            [b'~', ..] => ("~", Kind::Not, "not"),
            [b';', ..] => return self.semicolon(),
            [b'{' | b'}', ..] => return self.brace(),
            [b'\\', ..] => return self.backslash(),
            _ => return false,
        };
        let span = self.span(found.len());
        let message = match found {
            "^" => "`^` isn't an operator: `**` is a power, `!=` is exclusive or".to_string(),
            _ => format!("`{found}` isn't an operator: write `{instead}`"),
        };
        let mut diagnostic = Diagnostic::new(Code::E0101, span, message).fix(
            format!("write `{instead}`"),
            span,
            self.spaced(span, instead),
        );
        match found {
            "^" => diagnostic = diagnostic.fix("write `!=`", span, "!="),
            "&" | "|" => {
                diagnostic =
                    diagnostic.note(format!("On integers it is `bitwise_{instead}(a, b)`."))
            }
            _ => {}
        }
        self.report(diagnostic);
        self.push(kind, found.len());
        true
    }

    /// A word in place of a symbol, with spaces where it would stick to a word.
    fn spaced(&self, span: Span, word: &str) -> String {
        let sticks =
            |c: Option<char>| c.is_some_and(|c| unicode_ident::is_xid_continue(c) || c == '_');
        let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic());
        let before = self
            .text
            .get(..span.start as usize)
            .and_then(|t| t.chars().next_back());
        let after = self
            .text
            .get(span.end as usize..)
            .and_then(|t| t.chars().next());
        let gap = |needed: bool| if is_word && needed { " " } else { "" };
        let opens = after.is_some_and(|c| !c.is_whitespace());
        format!(
            "{}{word}{}",
            gap(sticks(before) || before == Some(')') || before == Some(']')),
            gap(opens)
        )
    }

    fn semicolon(&mut self) -> bool {
        let span = self.span(1);
        self.at += 1;
        let gap = self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
        let next = self.rest().get(gap..).and_then(|rest| rest.chars().next());
        let last = next.is_none_or(|c| matches!(c, '\n' | '\r' | '#' | ';'));
        let found = Diagnostic::new(
            Code::E0101,
            span,
            "a line ends a statement: `;` isn't needed",
        );
        if last {
            self.report(found.fix("leave `;` out", span, ""));
            return true;
        }
        let (indent, start) = self
            .out
            .lines
            .last()
            .map_or((0, 0), |line| (line.indent, line.start));
        self.report(found.fix(
            "start a new line",
            Span::new(span.start, span.end + gap as u32),
            format!("\n{}", " ".repeat(indent as usize)),
        ));
        self.begin_line(indent, start);
        true
    }

    /// `{` at a line's end stands for `:`; `}` alone on a line for a block's end.
    fn brace(&mut self) -> bool {
        let opens = self.byte(0) == b'{';
        let after = self
            .rest()
            .get(1..)
            .unwrap_or("")
            .trim_start_matches([' ', '\t']);
        let ends_line = after.is_empty() || after.starts_with(['\n', '\r', '#']);
        let alone = self
            .out
            .lines
            .last()
            .is_some_and(|line| line.first as usize == self.out.tokens.len());
        if opens && ends_line && !alone && self.modes.is_empty() {
            let span = self.span(1);
            let before = self.text.get(..self.at).unwrap_or("");
            let gap = (before.len() - before.trim_end_matches(' ').len()) as u32;
            let found = Diagnostic::new(
                Code::E0101,
                span,
                "a block opens with `:` and is indented, without braces",
            );
            self.report(found.fix("write `:`", Span::new(span.start - gap, span.end), ":"));
            self.push(Kind::Colon, 1);
            self.brace_blocks = true;
            return true;
        }
        if !opens && alone && self.brace_blocks {
            self.at += 1;
            return true;
        }
        self.push(if opens { Kind::LBrace } else { Kind::RBrace }, 1);
        true
    }

    fn backslash(&mut self) -> bool {
        let length = match (self.byte(1), self.byte(2)) {
            (b'\n', _) => 2,
            (b'\r', b'\n') => 3,
            _ => return false,
        };
        let message = "a line goes on after an operator or in brackets, without `\\`";
        let found = Diagnostic::new(Code::E0101, self.span(1), message);
        let fix = self.span(1);
        self.report(found.fix("leave `\\` out", fix, ""));
        self.at += length;
        true
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

    fn stray(&mut self, character: char) {
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
        self.report(Diagnostic::new(Code::E0101, span, message));
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

/// The operator or bracket at the start, the longest first.
fn operator(bytes: &[u8]) -> Option<(Kind, usize)> {
    let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
    Some(match (at(0), at(1), at(2)) {
        (b'.', b'.', b'.') => (Kind::Ellipsis, 3),
        (b'.', b'.', _) => (Kind::DotDot, 2),
        (b'.', _, _) => (Kind::Dot, 1),
        (b'*', b'*', _) => (Kind::StarStar, 2),
        (b'*', b'=', _) => (Kind::StarEq, 2),
        (b'*', _, _) => (Kind::Star, 1),
        (b'/', b'/', _) => (Kind::SlashSlash, 2),
        (b'/', b'=', _) => (Kind::SlashEq, 2),
        (b'/', _, _) => (Kind::Slash, 1),
        (b'-', b'>', _) => (Kind::Arrow, 2),
        (b'-', b'=', _) => (Kind::MinusEq, 2),
        (b'-', _, _) => (Kind::Minus, 1),
        (b'+', b'=', _) => (Kind::PlusEq, 2),
        (b'+', _, _) => (Kind::Plus, 1),
        (b'=', b'=', _) => (Kind::EqEq, 2),
        (b'=', b'>', _) => (Kind::FatArrow, 2),
        (b'=', _, _) => (Kind::Eq, 1),
        (b'!', b'=', _) => (Kind::NotEq, 2),
        (b'<', b'=', _) => (Kind::Le, 2),
        (b'<', b'>', _) => (Kind::NotEq, 2),
        (b'<', _, _) => (Kind::Lt, 1),
        (b'>', b'=', _) => (Kind::Ge, 2),
        (b'>', _, _) => (Kind::Gt, 1),
        (b'|', b'>', _) => (Kind::Pipe, 2),
        (b'%', _, _) => (Kind::Percent, 1),
        (b'@', _, _) => (Kind::At, 1),
        (b',', _, _) => (Kind::Comma, 1),
        (b':', _, _) => (Kind::Colon, 1),
        (b'(', _, _) => (Kind::LParen, 1),
        (b')', _, _) => (Kind::RParen, 1),
        (b'[', _, _) => (Kind::LBracket, 1),
        (b']', _, _) => (Kind::RBracket, 1),
        _ => return None,
    })
}

/// The lines of a text as comments at an indentation.
fn as_comment(inner: &str, indent: usize) -> String {
    let mut out = String::new();
    for line in inner.trim().lines() {
        if !out.is_empty() {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
        }
        out.push_str(format!("# {}", line.trim()).trim_end());
    }
    if out.is_empty() { "#".into() } else { out }
}
