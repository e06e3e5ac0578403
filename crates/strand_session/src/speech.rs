//! A diagnostic as it is read aloud, and as Markdown.

use strand_source::{Diagnostic, DiffRow, LineIndex, Mark, Pairing, ShapeDiff};

use crate::drawing::{checked, draw, meaning};
use crate::source_lines::visible;

/// How many characters of a fixed program are shown with a fix.
const MOST_TEXT: usize = 4000;

/// A diagnostic of `text` as sentences: where it is, both shapes axis by axis or the message, and
/// how many fixes there are.
pub fn speech(diagnostic: &Diagnostic, text: &str) -> String {
    speak(diagnostic, &LineIndex::new(text))
}

/// [`speech`] of the text that `lines` indexes.
pub fn speak(diagnostic: &Diagnostic, lines: &LineIndex) -> String {
    let line = lines.line(diagnostic.span.start);
    let mut severity = diagnostic.severity().as_str().to_owned();
    if let Some(first) = severity.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let mut out = format!("{severity} {}, line {line}.", diagnostic.code);
    match &diagnostic.diff {
        Some(diff) => speak_diff(&mut out, diff),
        None => {
            out.push(' ');
            out.push_str(&visible(&diagnostic.message));
            out.push('.');
        }
    }
    match diagnostic.fixes.len() {
        0 => {}
        1 => out.push_str(" One fix."),
        2 => out.push_str(" Two fixes."),
        3 => out.push_str(" Three fixes."),
        many => out.push_str(&format!(" {many} fixes.")),
    }
    out
}

fn speak_diff(out: &mut String, diff: &ShapeDiff) {
    for row in &diff.rows {
        let axes: Vec<&str> = row.axes.iter().flatten().map(String::as_str).collect();
        let has = match axes.len() {
            0 => " has no axes.".to_owned(),
            1 => format!(" has axis {}.", axes[0]),
            _ => format!(" has axes {}.", axes.join(", ")),
        };
        out.push(' ');
        out.push_str(&visible(&row.name));
        out.push_str(&has);
    }
    let pairs = diff.marks.iter().enumerate();
    let pairs = pairs.filter_map(|(at, mark)| speak_pair(diff, at, *mark));
    let mut pairs: Vec<String> = pairs.collect();
    out.push_str(match diff.pairing {
        Pairing::FromRight => {
            pairs.reverse();
            " From the right: "
        }
        Pairing::InOrder | Pairing::Masked => " In order: ",
        Pairing::Contracted => " Contracted: ",
        Pairing::ByName => " By name: ",
    });
    out.push_str(&pairs.join("; "));
    out.push('.');
}

/// "D meets n, different axes"
fn speak_pair(diff: &ShapeDiff, at: usize, mark: Mark) -> Option<String> {
    let axis = |row: &DiffRow| row.axes.get(at).cloned().flatten();
    let axes: Vec<Option<String>> = diff.rows.iter().map(axis).collect();
    let mut present = axes.iter().flatten();
    let first = present.next()?;
    Some(match (present.next(), mark) {
        (None, Mark::Same) => return None,
        (None, _) => format!("{first} meets nothing"),
        (Some(second), Mark::Same) => format!("{first} meets {second}, the same"),
        (Some(second), Mark::Stretches) => format!("{first} meets {second}, the 1 stretches"),
        (Some(second), _) => format!("{first} meets {second}, different axes"),
    })
}

/// A diagnostic of `text` as Markdown: its message, the drawing, and each fix with the lines that
/// it changes.
pub fn markdown(diagnostic: &Diagnostic, text: &str) -> String {
    let message = escaped(&visible(&diagnostic.message));
    let mut out = format!("**{}** {message}\n\n", diagnostic.code);
    let drawn = draw(diagnostic, text);
    let index = LineIndex::new(text);
    let mut lines: Vec<&str> = drawn.lines().skip(1).collect();
    // Fixes and what follows them stand below as code.
    lines.pop();
    lines.truncate(lines.len().saturating_sub(diagnostic.fixes.len()));
    fence(&mut out, "text", &lines.join("\n"));
    for (at, fix) in diagnostic.fixes.iter().enumerate() {
        let gives = fix
            .gives
            .as_deref()
            .map_or(String::new(), |ty| format!(" gives `{ty}`"));
        let meaning = meaning(fix, &index)
            .as_deref()
            .map_or(String::new(), |text| format!(", {text}"));
        out.push_str(&format!("\nFix {}{gives}{meaning}:\n\n", at + 1));
        fence(&mut out, "strand", &changed_lines(fix, text));
    }
    if let Some(checked) = checked(diagnostic) {
        out.push_str(&format!("\n{checked}\n"));
    }
    out
}

/// The lines that a fix changes, after it.
fn changed_lines(fix: &strand_source::Fix, text: &str) -> String {
    let Some(after) = fix.apply(text) else {
        return fix.title.clone();
    };
    let same = text
        .lines()
        .zip(after.lines())
        .take_while(|(a, b)| a == b)
        .count();
    let back = text.lines().rev().zip(after.lines().rev());
    let back = back.take_while(|(a, b)| a == b).count();
    let count = after.lines().count();
    let end = count.saturating_sub(back).max(same);
    let changed: Vec<&str> = after.lines().take(end).skip(same).collect();
    let changed = changed.join("\n");
    if changed.is_empty() || changed.len() > MOST_TEXT {
        return fix.title.clone();
    }
    changed
}

/// A fenced block; the fence is longer than any run of backticks inside.
fn fence(out: &mut String, kind: &str, content: &str) {
    let mut longest = 2;
    let mut run = 0;
    for c in content.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let ticks = "`".repeat(longest + 1);
    out.push_str(&format!("{ticks}{kind}\n{content}\n{ticks}\n"));
}

/// Text in which nothing is a sign of Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '*' | '_' | '[' | ']' | '<' | '>' | '\\' | '#' | '|' | '~'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use strand_source::{Code, Span};

    fn finding(text: &str) -> Diagnostic {
        let row = |name: &str, axes: [Option<&str>; 2]| DiffRow {
            name: name.to_owned(),
            axes: axes.iter().map(|axis| axis.map(str::to_owned)).collect(),
        };
        let start = text.find("x * w").unwrap() as u32;
        Diagnostic::new(
            Code::E0503,
            Span::new(start + 4, start + 5),
            "x * w don't line up",
        )
        .diff(Box::new(ShapeDiff {
            pairing: Pairing::FromRight,
            rows: vec![
                row("x", [Some("n"), Some("D")]),
                row("w", [None, Some("n")]),
            ],
            marks: vec![Mark::Missing, Mark::Differs],
            note: String::new(),
        }))
        .fix(
            "x * (w to [n 1])",
            Span::new(start + 4, start + 5),
            "(w to [n 1])",
        )
    }

    #[test]
    fn shapes_are_read_axis_by_axis() {
        let text = "\n\n\n\nx * w\n";
        assert_eq!(
            speech(&finding(text), text),
            "Error E0503, line 5. x has axes n, D. w has axis n. \
             From the right: D meets n, different axes; n meets nothing. One fix."
        );
    }

    #[test]
    fn markdown_has_the_drawing_and_the_changed_lines() {
        let text = "a\nx * w\nb\n";
        let written = markdown(&finding(text), text);
        assert!(
            written.starts_with("**E0503** x \\* w don't line up\n\n```text\n"),
            "{written}"
        );
        assert!(
            written.contains("```strand\nx * (w to [n 1])\n```\n"),
            "{written}"
        );
        assert!(!written.contains("Fix 1  "), "{written}");
    }
}
