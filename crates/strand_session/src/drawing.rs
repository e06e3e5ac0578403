//! A diagnostic as plain text: source lines with what stands under them, notes, fixes.

use strand_source::{Diagnostic, LineIndex, Span};
use unicode_width::UnicodeWidthStr;

/// A mark under a source line.
struct Mark<'a> {
    span: Span,
    sign: char,
    text: &'a str,
}

/// Draws a diagnostic of `text`, with a line end after its last line.
///
/// The first line is the code and the message. Every line that a span lies on follows with its
/// number; under it `~` marks the wrong piece itself and `^` what it clashes with. Wide characters
/// count two columns, so that the marks stand under what they mark in a terminal.
pub fn draw(diagnostic: &Diagnostic, text: &str) -> String {
    let lines = LineIndex::new(text);
    let mut out = format!("{}  {}\n", diagnostic.code, diagnostic.message);
    let mut marks: Vec<Mark> = diagnostic
        .labels
        .iter()
        .map(|label| Mark {
            span: label.span,
            sign: '^',
            text: &label.text,
        })
        .collect();
    marks.push(Mark {
        span: diagnostic.span,
        sign: '~',
        text: "",
    });
    strand_source::sort_by_key(&mut marks, |mark| {
        (lines.line(mark.span.start), mark.span.start, mark.span.end)
    });
    let last = marks.last().map_or(1, |mark| lines.line(mark.span.start));
    let width = last.to_string().len();
    let mut shown = 0;
    for mark in &marks {
        let line = lines.line(mark.span.start);
        if line != shown {
            let source = visible(lines.line_text(line));
            out.push_str(format!(" {line:width$} │ {source}").trim_end());
            out.push('\n');
            shown = line;
        }
        out.push_str(&draw_mark(mark, &lines, line, width));
    }
    let indent = " ".repeat(width + 2);
    for note in &diagnostic.notes {
        for line in note.lines() {
            out.push_str(format!("{indent}{line}").trim_end());
            out.push('\n');
        }
    }
    for (at, fix) in diagnostic.fixes.iter().enumerate() {
        out.push_str(&format!("{indent}Fix {}  {}", at + 1, fix.title));
        if let Some(gives) = &fix.gives {
            out.push_str(&format!("     gives {gives}"));
        }
        out.push('\n');
    }
    out
}

fn draw_mark(mark: &Mark, lines: &LineIndex, line: u32, width: usize) -> String {
    let start = lines.line_start(line).unwrap_or(0);
    let source = lines.line_text(line);
    let line_end = start + source.len() as u32;
    let before = Span::new(start, mark.span.start.min(line_end)).text(lines.text());
    let inside = Span::new(mark.span.start, mark.span.end.min(line_end)).text(lines.text());
    let blank = " ".repeat(visible(before).width());
    let signs = mark.sign.to_string().repeat(visible(inside).width().max(1));
    let row = format!(" {:width$} │ {blank}{signs} {}", "", mark.text);
    format!("{}\n", row.trim_end())
}

/// The line as it is drawn: a tab as four blanks, other control characters as a replacement.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' => out.push_str("    "),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use strand_source::Code;

    #[test]
    fn marks_stand_under_what_they_mark() {
        let text = "fn scale(x: [n D], w: [n]) -> [n D] =\n    x * w\n";
        let at = |needle: &str, from: usize| {
            let start = text[from..].find(needle).unwrap() + from;
            Span::new(start as u32, (start + needle.len()) as u32)
        };
        let diagnostic = Diagnostic::new(Code::E0503, at("w\n", 30), "x * w don't line up")
            .label(at("D]", 0), "D: last axis of x")
            .note("Axes pair up from the right, by name.")
            .fix("write `y`", at("x * w", 0), "y");
        let expected = "E0503  x * w don't line up\n \
            1 │ fn scale(x: [n D], w: [n]) -> [n D] =\n   \
            │                ^^ D: last axis of x\n \
            2 │     x * w\n   \
            │         ~\n   \
            Axes pair up from the right, by name.\n   \
            Fix 1  write `y`\n";
        assert_eq!(draw(&diagnostic, text), expected);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let text = "\"漢字\" + y\n";
        let start = text.find('y').unwrap() as u32;
        let drawn = draw(
            &Diagnostic::new(Code::E0301, Span::new(start, start + 1), "no y"),
            text,
        );
        assert!(drawn.contains("\n   │          ~\n"), "{drawn}");
    }
}
