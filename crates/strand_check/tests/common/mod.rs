//! What the tests of the checker share: programs with their errors marked in them.

#![allow(dead_code)]

use strand_check::{Checked, check};
use strand_source::{Diagnostic, Span};

/// Every error as `code: the text it marks`.
fn listed(text: &str, checked: &Checked) -> Vec<String> {
    let errors = checked.diagnostics.iter().filter(|found| found.is_error());
    errors
        .map(|found| {
            let at = found.span;
            format!(
                "{} {}..{} `{}`: {}",
                found.code,
                at.start,
                at.end,
                at.text(text),
                found.message
            )
        })
        .collect()
}

/// A program without its `«` and `»`, and the span that they mark.
fn unmarked(marked: &str) -> (String, Span) {
    let start = marked.find('«').expect("the place is marked");
    let end = marked.find('»').expect("the place is marked") - '«'.len_utf8();
    let text = marked.replace(['«', '»'], "");
    (text, Span::new(start as u32, end as u32))
}

/// A program without errors, whose typed program is well formed.
#[track_caller]
pub fn right(text: &str) -> Checked {
    let checked = check(text);
    let errors = listed(text, &checked);
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    let faults = strand_ir::verify(&checked.program);
    assert!(faults.is_empty(), "{text}\n{faults:#?}");
    checked
}

/// A program with just one error, of this code at the marked place.
#[track_caller]
pub fn wrong(code: &str, marked: &str) -> Diagnostic {
    let (text, span) = unmarked(marked);
    let checked = check(&text);
    let errors = listed(&text, &checked);
    assert_eq!(errors.len(), 1, "{marked}\n{errors:#?}");
    let found = checked.diagnostics.iter().find(|found| found.is_error());
    let found = found.expect("there is one").clone();
    let same = found.code.as_str() == code && found.span == span;
    assert!(same, "{marked}\nwanted {code}, found {errors:#?}");
    let length = found.message.chars().count();
    assert!(length <= 80, "{length} characters: {}", found.message);
    found
}

/// A wrong program that a fix of its error mends.
#[track_caller]
pub fn mended(code: &str, marked: &str, by: &str) {
    let found = wrong(code, marked);
    let (text, _) = unmarked(marked);
    let texts: Vec<String> = found
        .fixes
        .iter()
        .filter_map(|fix| fix.apply(&text))
        .collect();
    assert!(texts.iter().any(|text| text == by), "{marked}\n{texts:#?}");
    right(by);
}

/// A program without errors whose last function gives a type.
#[track_caller]
pub fn gives(text: &str, ty: &str) {
    let checked = right(text);
    let last = checked.program.functions.last().expect("a function");
    assert_eq!(checked.program.display_type(&last.result), ty, "{text}");
}

/// The hints of a program without errors: the line, and the type at its end.
#[track_caller]
pub fn hints(text: &str) -> Vec<String> {
    let checked = right(text);
    let lines = strand_source::LineIndex::new(text);
    let hint = |hint: &strand_check::Inlay| {
        let at = lines.position(hint.at);
        format!("{}:{} {}", at.line, at.column, hint.text)
    };
    checked.inlays.iter().map(hint).collect()
}

/// The chains of a program's last function: each one's stages with their types.
#[track_caller]
pub fn chains(text: &str) -> Vec<Vec<String>> {
    let checked = right(text);
    let last = checked.program.functions.last().expect("a function");
    let stages = |chain: &strand_ir::ChainInfo| {
        let stage = |stage: &strand_ir::StageInfo| format!("{} {}", stage.name, stage.ty);
        chain.stages.iter().map(stage).collect()
    };
    last.chains.iter().map(stages).collect()
}
