//! `--update`: what came of the cases, written into their fences.

use super::case::Outcome;
use super::markdown::Case;

/// The file's text with the expected texts replaced by what came.
pub(crate) fn updated(text: &str, cases: &[Case], outcomes: &[Outcome]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut replacements = Vec::new();
    for (case, outcome) in cases.iter().zip(outcomes) {
        for fence in &case.fences {
            let actual = match fence.kind.as_str() {
                // A part of the text that still stands in it stays a part.
                "python"
                    if !fence.content.trim().is_empty()
                        && outcome.python.contains(fence.content.trim_end()) =>
                {
                    continue;
                }
                "python" => &outcome.python,
                "python edited" => &outcome.edited_python,
                "output" => &outcome.output,
                "diagnostics" => &outcome.diagnostics,
                "strand fixed" => &outcome.fixed,
                _ => continue,
            };
            replacements.push((
                fence.line as usize - 1,
                fence.content.lines().count(),
                actual,
            ));
        }
    }
    for (start, count, actual) in replacements.into_iter().rev() {
        let new = actual.trim_end().lines().map(str::to_owned);
        lines.splice(start..start + count, new);
    }
    let mut out = lines.join("\n");
    out.push('\n');
    out
}
