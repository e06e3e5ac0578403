//! One case: what comes of its program, and where that isn't what is expected.

use strand_session::{Document, LineIndex, RunOptions, draw};

use super::edits;
use super::expect::{What, expectations};
use super::markdown::Case;

/// What came of a case.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Where it isn't what was expected; empty for a case that passes.
    pub(crate) faults: Vec<String>,
    /// The findings as drawn.
    pub(crate) diagnostics: String,
    /// The PyTorch text after its imports.
    pub(crate) python: String,
    /// The same of the program after its edit.
    pub(crate) edited_python: String,
    /// What the program printed and showed.
    pub(crate) output: String,
    /// The program after the first fix.
    pub(crate) fixed: String,
}

/// Runs a case.
pub(crate) fn run(case: &Case) -> Outcome {
    let document = Document::new(&case.program);
    let mut outcome = Outcome::default();
    findings(case, &document, &mut outcome);
    facts(case, &document, &mut outcome);
    formatting(case, &document, &mut outcome);
    fixes(case, &document, &mut outcome);
    if !document.has_errors() {
        execution(case, &document, &mut outcome);
    }
    outcome.faults.extend(edits::faults(case));
    if let Some(Ok(text)) = edits::edited(case) {
        let torch = Document::new(&text).torch();
        outcome.edited_python = torch
            .map(|torch| after_imports(&torch.text))
            .unwrap_or_default();
    }
    fences(case, &mut outcome);
    outcome
}

/// The findings of an author's fence that it doesn't ask for, each with its line in the file.
pub(crate) fn check_fence(case: &Case) -> Vec<String> {
    let wanted: Vec<&str> = case
        .words
        .iter()
        .filter_map(|word| word.strip_prefix("error="))
        .collect();
    let document = Document::new(&case.program);
    let lines = LineIndex::new(&case.program);
    let mut faults = Vec::new();
    let errors = || document.diagnostics().iter().filter(|d| d.is_error());
    for error in errors().filter(|error| !wanted.contains(&error.code.as_str())) {
        let line = case.line + lines.line(error.span.start) - 1;
        faults.push(format!("{line}: {}  {}", error.code, error.message));
    }
    for code in wanted
        .iter()
        .filter(|code| !errors().any(|e| e.code.as_str() == **code))
    {
        faults.push(format!("{}: the program doesn't give {code}", case.line));
    }
    faults
}

/// Every finding is expected, and every expected one is there.
fn findings(case: &Case, document: &Document, outcome: &mut Outcome) {
    let lines = LineIndex::new(&case.program);
    let mut open: Vec<(u32, String, Option<String>)> = expectations(&case.program)
        .into_iter()
        .filter_map(|expectation| match expectation.what {
            What::Finding { code, at } => Some((expectation.line, code, at)),
            _ => None,
        })
        .chain(case.words.iter().filter_map(|word| {
            let code = ["error=", "warning=", "hint="]
                .iter()
                .find_map(|severity| word.strip_prefix(severity))?;
            Some((0, code.to_owned(), None))
        }))
        .collect();
    for diagnostic in document.diagnostics() {
        outcome
            .diagnostics
            .push_str(&draw(diagnostic, &case.program));
        let line = lines.line(diagnostic.span.start);
        let text = diagnostic.span.text(&case.program);
        let matches = |(at_line, code, at): &(u32, String, Option<String>)| {
            (*at_line == line || *at_line == 0)
                && code == diagnostic.code.as_str()
                && at.as_deref().is_none_or(|at| at == text)
        };
        match open.iter().position(matches) {
            Some(found) => drop(open.remove(found)),
            None => outcome.faults.push(format!(
                "not expected, at `{}` on line {line}:\n{}",
                text,
                draw(diagnostic, &case.program)
            )),
        }
    }
    for (line, code, at) in open {
        let place = at.map(|at| format!(" at `{at}`")).unwrap_or_default();
        outcome
            .faults
            .push(format!("line {line} doesn't give {code}{place}"));
    }
}

/// Expected types and lowerings.
fn facts(case: &Case, document: &Document, outcome: &mut Outcome) {
    let lines = LineIndex::new(&case.program);
    for expectation in expectations(&case.program) {
        let line = expectation.line;
        match expectation.what {
            What::Type(wanted) => {
                let types = types_on(document, &lines, line);
                if !types.contains(&wanted) {
                    outcome
                        .faults
                        .push(format!("line {line} has type {wanted} not in {types:?}"));
                }
            }
            What::Lowering(wanted) => {
                let functions = document.functions();
                let chains = functions.iter().flat_map(|function| &function.chains);
                let chains = chains.chain(&document.program().script_chains);
                let here: Vec<&str> = chains
                    .filter(|chain| lines.line(chain.span.start) == line)
                    .map(|chain| chain.lowering)
                    .collect();
                if here.get(..wanted.len()).is_none_or(|first| first != wanted) {
                    outcome.faults.push(format!(
                        "the chains of line {line} are {here:?}, not {wanted:?}"
                    ));
                }
            }
            What::Finding { .. } | What::RunError { .. } => {}
        }
    }
}

/// The inlays of a line, and what hover says of the first thing on it.
fn types_on(document: &Document, lines: &LineIndex, line: u32) -> Vec<String> {
    let inlays = document
        .inlays()
        .iter()
        .filter(|inlay| lines.line(inlay.at) == line);
    let mut types: Vec<String> = inlays.map(|inlay| inlay.text.clone()).collect();
    let text = lines.line_text(line);
    let indent = (text.len() - text.trim_start().len()) as u32;
    let first = lines.line_start(line).unwrap_or(0) + indent;
    types.extend(document.hover(first).map(|hover| hover.ty.clone()));
    types
}

/// Formatting twice changes nothing, and the formatted text gives the same findings.
fn formatting(case: &Case, document: &Document, outcome: &mut Outcome) {
    let formatted = strand_session::format(&case.program);
    if strand_session::format(&formatted) != formatted {
        outcome
            .faults
            .push(format!("formatting twice changes the text:\n{formatted}"));
    }
    let codes = |document: &Document| -> Vec<_> {
        document
            .diagnostics()
            .iter()
            .map(|diagnostic| diagnostic.code)
            .collect()
    };
    let again = Document::new(&formatted);
    if codes(&again) != codes(document) {
        outcome.faults.push(format!(
            "the formatted text gives other findings:\n{formatted}"
        ));
    }
}

/// Every fix, applied, leaves one finding of its kind fewer and no new one, but the one that it says it shows.
fn fixes(case: &Case, document: &Document, outcome: &mut Outcome) {
    for diagnostic in document.diagnostics() {
        for fix in &diagnostic.fixes {
            let Some(fixed) = fix.apply(&case.program) else {
                outcome
                    .faults
                    .push(format!("the fix `{}` can't be applied", fix.title));
                continue;
            };
            if outcome.fixed.is_empty() {
                outcome.fixed.clone_from(&fixed);
            }
            let errors = |document: &Document| {
                document
                    .diagnostics()
                    .iter()
                    .filter(|d| d.is_error())
                    .count()
            };
            let after = Document::new(&fixed);
            let fewer = usize::from(diagnostic.is_error() && fix.leaves.is_none());
            if errors(&after) + fewer > errors(document) {
                outcome
                    .faults
                    .push(format!("the fix `{}` doesn't mend:\n{fixed}", fix.title));
            }
        }
    }
}

/// A right program is well formed, has PyTorch text, and runs.
fn execution(case: &Case, document: &Document, outcome: &mut Outcome) {
    for fault in document.verify() {
        outcome
            .faults
            .push(format!("the typed program isn't well formed: {fault}"));
    }
    outcome.python = document
        .torch()
        .map(|torch| after_imports(&torch.text))
        .unwrap_or_default();
    let mut output = String::new();
    let run = document.run(&RunOptions::default(), &mut |event| {
        output.push_str(&event.to_string())
    });
    outcome.output = output;
    let mut wanted = expectations(&case.program)
        .into_iter()
        .filter_map(|expectation| match expectation.what {
            What::RunError { code, at } => Some((expectation.line, code, at)),
            _ => None,
        });
    let lines = LineIndex::new(&case.program);
    match (run.error, wanted.next()) {
        (None, None) => {}
        (None, Some((line, code, _))) => {
            outcome
                .faults
                .push(format!("running doesn't give {code} on line {line}"));
        }
        (Some(error), None) => {
            outcome
                .faults
                .push(format!("running gives {}  {}", error.code, error.message));
        }
        (Some(error), Some((line, code, at))) => {
            let found = lines.line(error.span.start);
            let text = error.span.text(&case.program);
            if error.code.as_str() != code || found != line || at.is_some_and(|at| at != text) {
                outcome.faults.push(format!(
                    "running gives {} at `{text}` on line {found}, not {code} on line {line}: {}",
                    error.code, error.message
                ));
            }
        }
    }
}

/// The text after its header and imports.
fn after_imports(text: &str) -> String {
    let is_head = |line: &&str| {
        line.is_empty()
            || line.starts_with('#')
            || line.starts_with("import ")
            || line.starts_with("from ")
    };
    let body: Vec<&str> = text.lines().skip_while(is_head).collect();
    format!("{}\n", body.join("\n").trim_end())
}

fn fences(case: &Case, outcome: &mut Outcome) {
    for fence in &case.fences {
        let (actual, whole) = match fence.kind.as_str() {
            "python" => (&outcome.python, false),
            "python edited" => (&outcome.edited_python, true),
            "output" => (&outcome.output, true),
            "diagnostics" => (&outcome.diagnostics, true),
            "strand fixed" => (&outcome.fixed, true),
            _ => continue,
        };
        let (actual, wanted) = (actual.trim_end(), fence.content.trim_end());
        if if whole {
            actual != wanted
        } else {
            !actual.contains(wanted) || wanted.is_empty()
        } {
            outcome
                .faults
                .push(format!("{} is\n{actual}\nnot\n{wanted}", fence.kind));
        }
    }
}
