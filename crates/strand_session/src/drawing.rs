//! A diagnostic as plain text: source lines with what stands under them, the shapes lined up,
//! notes, fixes.

use strand_source::{Diagnostic, Fix, LineIndex, ShapeDiff, Span};

use crate::source_lines::{Window, clipped, columns, visible, width};

/// How long the lines of words are.
const LINE: usize = 80;
/// How many columns of a piece of text are drawn at most where it can't be broken.
const PIECE: usize = 100;
/// How many columns of a name in a table are drawn at most.
const CELL: usize = 24;

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
/// count two columns, so that the marks stand under what they mark in a terminal; long lines are
/// cut around the marks. Then come the shapes lined up, further sentences, and the fixes.
pub fn draw(diagnostic: &Diagnostic, text: &str) -> String {
    Drawing::new(diagnostic, &LineIndex::new(text)).rendered
}

/// A diagnostic drawn, and its first part for those who draw the rest themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The whole.
    pub rendered: String,
    /// The message and the source lines with their marks.
    pub source: String,
}

impl Drawing {
    /// [`draw`] of the text that `lines` indexes.
    pub fn new(diagnostic: &Diagnostic, lines: &LineIndex) -> Self {
        let source = draw_source(diagnostic, lines);
        let mut rendered = source.clone();
        draw_rest(&mut rendered, diagnostic, lines);
        Self { rendered, source }
    }
}

fn draw_rest(out: &mut String, diagnostic: &Diagnostic, lines: &LineIndex) {
    let indent = " ".repeat(number_width(diagnostic, lines) + 2);
    if let Some(diff) = &diagnostic.diff {
        draw_diff(out, diff, &indent);
    }
    for note in &diagnostic.notes {
        for line in note.lines() {
            wrap(out, line, &indent);
        }
    }
    draw_fixes(out, &diagnostic.fixes, lines, &indent);
    out.push_str(&indent);
    if let Some(checked) = checked(diagnostic) {
        out.push_str(&checked);
        out.push_str("  ");
    }
    out.push_str(&format!("More: {}\n", diagnostic.code));
}

fn draw_source(diagnostic: &Diagnostic, lines: &LineIndex) -> String {
    let message = clipped(&diagnostic.message, PIECE);
    let mut out = format!("{}  {message}\n", diagnostic.code);
    let label = |label: &'_ strand_source::Label| (label.span, label.text.clone());
    let labels: Vec<(Span, String)> = diagnostic.labels.iter().map(label).collect();
    // What is said of the wrong piece itself stands beside its own mark.
    let own = labels.iter().find(|(span, _)| *span == diagnostic.span);
    let mut marks: Vec<Mark> = labels
        .iter()
        .filter(|label| own.is_none_or(|own| !std::ptr::eq(own, *label)))
        .map(|(span, text)| Mark {
            span: *span,
            sign: '^',
            text,
        })
        .collect();
    marks.push(Mark {
        span: diagnostic.span,
        sign: '~',
        text: match own {
            Some((_, text)) => text,
            None if labels.is_empty() => "",
            None => "this one",
        },
    });
    strand_source::sort_by_key(&mut marks, |mark| {
        (lines.line(mark.span.start), mark.span.start, mark.span.end)
    });
    let width = number_width(diagnostic, lines);
    let mut rest = marks.as_slice();
    while let Some(first) = rest.first() {
        let line = lines.line(first.span.start);
        let here = rest
            .iter()
            .take_while(|mark| lines.line(mark.span.start) == line);
        let (here, below) = rest.split_at(here.count());
        draw_line(&mut out, line, here, lines, width);
        rest = below;
    }
    out
}

/// How many columns the line numbers of a drawing take.
fn number_width(diagnostic: &Diagnostic, lines: &LineIndex) -> usize {
    let spans = diagnostic.labels.iter().map(|label| label.span);
    let spans = spans.chain([diagnostic.span]);
    let last = spans.map(|span| lines.line(span.start)).max().unwrap_or(1);
    last.to_string().len()
}

/// A source line with its marks; again for marks that lie far from the others.
fn draw_line(out: &mut String, number: u32, marks: &[Mark], lines: &LineIndex, width: usize) {
    let start = lines.line_start(number).unwrap_or(0);
    let source = lines.line_text(number);
    let inside = |offset: u32| {
        let mut at = (offset.saturating_sub(start) as usize).min(source.len());
        while !source.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let places: Vec<(usize, usize)> = marks
        .iter()
        .map(|mark| (inside(mark.span.start), inside(mark.span.end)))
        .collect();
    let mut from = 0;
    while from < marks.len() {
        let (window, count) = Window::around(source, &places[from..]);
        let drawn = format!(" {number:width$} │ {}", window.draw(source));
        out.push_str(drawn.trim_end());
        out.push('\n');
        for (mark, place) in marks[from..].iter().zip(&places[from..]).take(count) {
            let (before, taken) = window.place(source, *place);
            let signs = mark.sign.to_string().repeat(taken);
            let text = clipped(mark.text, PIECE);
            let row = format!(" {:width$} │ {:before$}{signs} {text}", "", "");
            out.push_str(row.trim_end());
            out.push('\n');
        }
        from += count;
    }
}

/// A sentence broken into lines.
fn wrap(out: &mut String, text: &str, indent: &str) {
    let mut line = String::new();
    for word in visible(text).split(' ') {
        let word = clipped(word, PIECE);
        if !line.is_empty() && indent.len() + width(&line) + 1 + width(&word) > LINE {
            out.push_str(&format!("{indent}{line}\n"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    out.push_str(format!("{indent}{line}").trim_end());
    out.push('\n');
}

/// The shapes as a table with a sign under each column that isn't the same in both.
fn draw_diff(out: &mut String, diff: &ShapeDiff, indent: &str) {
    wrap(out, diff.pairing.title(), indent);
    let cell = |axis: &Option<String>| clipped(axis.as_deref().unwrap_or(""), CELL);
    let names: Vec<String> = diff
        .rows
        .iter()
        .map(|row| clipped(&row.name, CELL))
        .collect();
    let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..diff.marks.len())
        .map(|at| {
            let cells = diff.rows.iter().filter_map(|row| row.axes.get(at));
            cells
                .map(|axis| width(&cell(axis)))
                .max()
                .unwrap_or(0)
                .max(1)
        })
        .collect();
    let row = |name: &str, cells: &mut dyn Iterator<Item = String>| {
        let mut line = format!("{indent}     {}", padded(name, widest));
        for (text, width) in cells.zip(&widths) {
            line.push_str("    ");
            line.push_str(&padded(&text, *width));
        }
        line
    };
    for (name, shape) in names.iter().zip(&diff.rows) {
        out.push_str(row(name, &mut shape.axes.iter().map(cell)).trim_end());
        out.push('\n');
    }
    let signs = row(
        "",
        &mut diff.marks.iter().map(|mark| mark.sign().to_owned()),
    );
    let note = clipped(&diff.note, PIECE);
    if width(&signs) + 8 + width(&note) <= PIECE {
        out.push_str(format!("{signs}        {note}").trim_end());
        out.push('\n');
    } else {
        out.push_str(signs.trim_end());
        out.push('\n');
        wrap(out, &format!("{}.", diff.note), indent);
    }
}

fn padded(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(missing))
}

/// What a fix means, in words, with the line of the error that it shows.
pub fn meaning(fix: &Fix, lines: &LineIndex) -> Option<String> {
    let Some(left) = fix.leaves else {
        return fix.meaning.clone();
    };
    let line = lines.line(left.start);
    let left = format!("line {line} then has a finding of its own");
    Some(match &fix.meaning {
        Some(meaning) => format!("{meaning}; {left}"),
        None => left,
    })
}

fn draw_fixes(out: &mut String, fixes: &[Fix], lines: &LineIndex, indent: &str) {
    let titles: Vec<String> = fixes.iter().map(|fix| one_line(&fix.title)).collect();
    let gives: Vec<String> = fixes
        .iter()
        .map(|fix| {
            fix.gives
                .as_deref()
                .map_or(String::new(), |ty| format!("gives {ty}"))
        })
        .collect();
    // Titles that are much longer than the others don't push these to the right.
    let widest = |texts: &[String]| {
        let widths = texts
            .iter()
            .map(|text| columns(text))
            .filter(|width| *width <= LINE / 2);
        widths.max().unwrap_or(0)
    };
    let (title_width, gives_width) = (widest(&titles), widest(&gives));
    for (at, fix) in fixes.iter().enumerate() {
        let title = padded(&titles[at], title_width);
        let given = padded(&gives[at], gives_width);
        let meaning = meaning(fix, lines).unwrap_or_default();
        let gap = if gives_width == 0 { "" } else { "   " };
        let line = format!("{indent}Fix {}  {title}     {given}{gap}{meaning}", at + 1);
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    clipped(&words.join(" "), PIECE)
}

/// What was proven of the fixes: "Both fixes were checked for every n."
pub fn checked(diagnostic: &Diagnostic) -> Option<String> {
    let fixes = match diagnostic.fixes.len() {
        0 => return None,
        1 => "This fix was checked".to_owned(),
        2 => "Both fixes were checked".to_owned(),
        many => format!("All {many} fixes were checked"),
    };
    let free: Vec<String> = diagnostic
        .free
        .iter()
        .map(|name| clipped(name, CELL))
        .collect();
    let names = match free.as_slice() {
        [] => return Some(format!("{fixes}.")),
        [name] => name.clone(),
        [first, second] => format!("{first} and {second}"),
        [first, second, third] => format!("{first}, {second} and {third}"),
        _ => "size".to_owned(),
    };
    Some(format!("{fixes} for every {names}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use strand_source::{Code, DiffRow, Mark as Column, Pairing};

    #[test]
    fn marks_stand_under_what_they_mark() {
        let text = "fn scale(x: [n D], w: [n]) -> [n D] =\n    x * w\n";
        let at = |needle: &str, from: usize| {
            let start = text[from..].find(needle).unwrap() + from;
            Span::new(start as u32, (start + needle.len()) as u32)
        };
        let row = |name: &str, axes: [&str; 2]| DiffRow {
            name: name.to_owned(),
            axes: axes
                .iter()
                .map(|axis| (!axis.is_empty()).then(|| (*axis).to_owned()))
                .collect(),
        };
        let diff = ShapeDiff {
            pairing: Pairing::FromRight,
            rows: vec![row("x", ["n", "D"]), row("w", ["", "n"])],
            marks: vec![Column::Missing, Column::Differs],
            note: "D and n are different axes, even when both are 3".to_owned(),
        };
        let mut diagnostic = Diagnostic::new(Code::E0503, at("w\n", 30), "x * w don't line up")
            .label(at("D", 0), "D: last axis of x")
            .label(at("n]", 15), "n: the only axis of w")
            .diff(Box::new(diff))
            .note(
                "PyTorch fails for most n, but runs when n is 1 or 3. At n = 3 it scales \
                 columns, not rows, and says nothing.",
            )
            .fix("n |> map(i => x[i] * w[i])", at("x * w", 0), "y")
            .meaning("each row by its weight")
            .fix("x * (w to [n 1])", at("x * w", 0), "y")
            .meaning("the same PyTorch text");
        for fix in &mut diagnostic.fixes {
            fix.gives = Some("[n D]".to_owned());
        }
        diagnostic.free.push("n".to_owned());
        let expected = "\
E0503  x * w don't line up
 1 │ fn scale(x: [n D], w: [n]) -> [n D] =
   │                ^ D: last axis of x
   │                        ^^ n: the only axis of w
 2 │     x * w
   │         ~ this one
   Axes pair up from the right, by name:
        x    n    D
        w         n
             +    ≠        D and n are different axes, even when both are 3
   PyTorch fails for most n, but runs when n is 1 or 3. At n = 3 it scales
   columns, not rows, and says nothing.
   Fix 1  n |> map(i => x[i] * w[i])     gives [n D]   each row by its weight
   Fix 2  x * (w to [n 1])               gives [n D]   the same PyTorch text
   Both fixes were checked for every n.  More: E0503
";
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

    #[test]
    fn a_line_without_end_is_cut_around_every_mark() {
        let text = format!("{}y{}", "x + ".repeat(250_000), " + x".repeat(250_000));
        let at = 1_000_000;
        let finding = Diagnostic::new(Code::E0301, Span::new(at, at + 1), "there's no y")
            .label(Span::new(0, 1), "x")
            .label(Span::new(4, text.len() as u32), "the rest");
        let drawn = draw(&finding, &text);
        assert!(drawn.lines().all(|line| width(line) <= 120), "{drawn}");
        assert!(drawn.contains("~ this one"), "{drawn}");
    }
}
