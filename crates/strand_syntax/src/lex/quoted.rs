//! Texts and f-strings between their quotes.

use strand_source::{Code, Diagnostic, Edit, Span};

use super::lexer::{Lexer, Mode};
use super::text::{Stop, requoted, scan};
use crate::token::{Kind, Value};

impl Lexer<'_> {
    /// A text whose quote stands `prefix - 1` bytes on; `prefix` counts it too.
    pub(super) fn quoted(&mut self, quote: char, prefix: usize) {
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

    pub(super) fn plain_text(&mut self, quote: char) {
        let start = self.at + quote.len_utf8();
        let scanned = scan(self.text, start, quote, false, &mut self.out.diagnostics);
        let end = scanned.end;
        if scanned.stop == Stop::LineEnd {
            if self.ends_broken_text(quote) {
                return self.push(Kind::Bad, end - self.at);
            }
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

    /// Whether the quote here closes a text that the line before leaves open, which was reported:
    /// a text broken over two lines.
    fn ends_broken_text(&mut self, quote: char) -> bool {
        let line_start = self.out.lines.last().map_or(0, |line| line.start);
        let broken = |found: &mut Diagnostic| {
            let open = found.code == Code::E0106 && found.span.end < line_start;
            let between = self.text.get(found.span.end as usize..line_start as usize);
            let next = between.is_some_and(|gap| gap.trim().is_empty() && gap.lines().count() == 1);
            open && next && found.span.text(self.text).starts_with(quote)
        };
        let Some(found) = self.out.diagnostics.pop_if(broken) else {
            return false;
        };
        let end = Span::new(found.span.end, line_start);
        let message = "this text goes on in the next line: a text has one line";
        let found = Diagnostic::new(Code::E0106, found.span, message);
        self.report(found.fix("write `\\n` for the line's end", end, "\\n"));
        if let Some(line) = self.out.lines.last_mut() {
            line.cut = true;
        }
        true
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

    pub(super) fn f_string_part(&mut self) {
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
    pub(super) fn cut_modes(&mut self) {
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
