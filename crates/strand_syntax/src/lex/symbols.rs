//! Operators and brackets, and the spellings of other languages that stand for one.

use strand_source::{Code, Diagnostic, Edit, Span, continues_name};

use super::lexer::{Lexer, Mode};
use crate::token::Kind;

impl Lexer<'_> {
    pub(super) fn symbol(&mut self, character: char) {
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
        if self.rest().starts_with("<>") && self.substitute() {
            return;
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
            [b'<', b'>', ..] => ("<>", Kind::NotEq, "!="),
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
                if found == "|" {
                    diagnostic = diagnostic.fix("write `|>`", span, "|>");
                }
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
    pub(super) fn spaced(&self, span: Span, word: &str) -> String {
        let sticks = |c: Option<char>| c.is_some_and(continues_name);
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

    /// `{` at a line's end stands for `:`, and then `}` at a line's start for nothing.
    fn brace(&mut self) -> bool {
        let opens = self.byte(0) == b'{';
        let after = self.rest().get(1..).unwrap_or("");
        let after_gap = after.trim_start_matches([' ', '\t']);
        let ends_line = after_gap.is_empty() || after_gap.starts_with(['\n', '\r', '#']);
        let starts_line = self
            .out
            .lines
            .last()
            .is_some_and(|line| line.first as usize == self.out.tokens.len());
        if opens && ends_line && !starts_line && self.modes.is_empty() {
            self.opening_brace();
            return true;
        }
        if !opens && starts_line && self.braces.is_some() {
            self.closing_brace(ends_line, after.len() - after_gap.len());
            return true;
        }
        self.push(if opens { Kind::LBrace } else { Kind::RBrace }, 1);
        true
    }

    fn opening_brace(&mut self) {
        let span = self.span(1);
        let before = self.text.get(..self.at).unwrap_or("");
        let gap = (before.len() - before.trim_end_matches(' ').len()) as u32;
        let colon = Edit {
            span: Span::new(span.start - gap, span.end),
            text: ":".into(),
        };
        if self.braces.is_none() {
            let message = "a block opens with `:` and is indented, without braces";
            let found = Diagnostic::new(Code::E0101, span, message);
            self.braces = Some(self.out.diagnostics.len());
            self.report(found.fix_edits("write `:` and no braces", Vec::new()));
        }
        self.add_brace_edit(colon);
        self.push(Kind::Colon, 1);
    }

    fn add_brace_edit(&mut self, edit: Edit) {
        let finding = self.braces.and_then(|at| self.out.diagnostics.get_mut(at));
        if let Some(fix) = finding.and_then(|found| found.fixes.first_mut()) {
            fix.edits.push(edit);
        }
    }

    /// `}` at a line's start: its line goes where nothing else stands on it.
    fn closing_brace(&mut self, ends_line: bool, gap: usize) {
        let before = self.text.get(..self.at).unwrap_or("");
        let line_end = before.rfind('\n').unwrap_or(0);
        let start = if ends_line { line_end } else { self.at };
        let end = if ends_line {
            self.at + 1
        } else {
            self.at + 1 + gap
        };
        self.add_brace_edit(Edit {
            span: Span::new(start as u32, end as u32),
            text: String::new(),
        });
        self.at += 1;
    }

    /// `\` at a line's end joins the lines.
    fn backslash(&mut self) -> bool {
        let length = match (self.byte(1), self.byte(2)) {
            (b'\n', _) => 2,
            (b'\r', b'\n') => 3,
            _ => return false,
        };
        let span = self.span(1);
        let message = "a line goes on after an operator or in brackets, without `\\`";
        let found = Diagnostic::new(Code::E0101, span, message);
        let next = self.rest().get(length..).unwrap_or("").trim_start();
        let goes_on = self
            .out
            .tokens
            .last()
            .is_some_and(|token| token.kind.continues_line());
        let found = match goes_on || next.starts_with("|>") {
            true => found.fix("leave `\\` out", span, ""),
            false => found.note("Move the next line's operator to the end of this one."),
        };
        self.report(found);
        self.at += length;
        true
    }
}

/// The operator or bracket at the start, the longest first.
pub(super) fn operator(bytes: &[u8]) -> Option<(Kind, usize)> {
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
