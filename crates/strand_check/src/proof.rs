//! Fixes are proven: one is kept only if the text with it has an error fewer and none that is new.

use std::collections::BTreeMap;

use strand_source::{Code, Diagnostic, Fix, Span};

use crate::{Checked, Hover, Work};

/// Takes away the fixes that don't mend, and fills in what the others give. `work` bounds how much
/// text is read again; a fix past it is taken away too.
pub(crate) fn prove(text: &str, checked: &mut Checked, work: &mut Work) {
    if checked.diagnostics.iter().all(|found| found.fixes.is_empty()) {
        return;
    }
    let before = counts(&checked.diagnostics);
    for found in &mut checked.diagnostics {
        let code = found.code;
        let fixes = std::mem::take(&mut found.fixes);
        found.fixes = fixes
            .into_iter()
            .filter_map(|fix| proven(text, fix, code, &before, work))
            .collect();
    }
}

fn proven(
    text: &str,
    mut fix: Fix,
    code: Code,
    before: &BTreeMap<Code, usize>,
    work: &mut Work,
) -> Option<Fix> {
    let edited = fix.apply(text)?;
    if !work.take(edited.len()) {
        return None;
    }
    let mended = crate::check_without_hints(&edited);
    if !is_better(code, before, &counts(&mended.diagnostics)) {
        return None;
    }
    if fix.gives.is_none() {
        fix.gives = edited_span(&fix).and_then(|span| type_at(&mended.hovers, span));
    }
    Some(fix)
}

/// How many findings of each code there are.
fn counts(found: &[Diagnostic]) -> BTreeMap<Code, usize> {
    let mut counts = BTreeMap::new();
    for diagnostic in found {
        *counts.entry(diagnostic.code).or_insert(0) += 1;
    }
    counts
}

/// Whether a finding of `code` is gone and no other error came.
fn is_better(code: Code, before: &BTreeMap<Code, usize>, after: &BTreeMap<Code, usize>) -> bool {
    let of = |counts: &BTreeMap<Code, usize>, code| counts.get(&code).copied().unwrap_or(0);
    // Hints of loops aren't looked for again.
    let hint = code == Code::H2401;
    let gone = hint || of(after, code) < of(before, code);
    let errors = after
        .iter()
        .filter(|(code, _)| code.severity() == strand_source::Severity::Error);
    gone && errors.into_iter().all(|(code, count)| *count <= of(before, *code))
}

/// Where the edited piece stands in the edited text.
fn edited_span(fix: &Fix) -> Option<Span> {
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| edit.span);
    let start = edits.first()?.span.start;
    let mut end = i64::from(edits.last()?.span.end);
    for edit in &edits {
        end += edit.text.len() as i64 - i64::from(edit.span.len());
    }
    Some(Span::new(start, u32::try_from(end).ok()?))
}

/// The type of the piece, or of the smallest expression around it.
fn type_at(hovers: &[Hover], span: Span) -> Option<String> {
    let around = hovers.iter().filter(|hover| hover.span.contains(span));
    let smallest = around.min_by_key(|hover| hover.span.len())?;
    Some(smallest.ty.clone())
}
