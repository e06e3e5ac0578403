//! `strand check`

use std::path::{Path, PathBuf};

use strand_session::{CheckReport, Document, Drawing, LineIndex};

use crate::output::{out, outln};
use crate::{Status, input, suite};

/// Checks every file; the worst status counts.
pub(crate) fn run(files: &[PathBuf], json: bool) -> Status {
    if json && files.len() != 1 {
        eprintln!("--json takes one file");
        return Status::Unreadable;
    }
    files
        .iter()
        .map(|file| check_file(file, json))
        .max()
        .unwrap_or(Status::Fine)
}

fn check_file(file: &Path, json: bool) -> Status {
    let text = match input::read(file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{error}");
            return Status::Unreadable;
        }
    };
    if file.extension().is_some_and(|extension| extension == "md") && !json {
        return suite::check_markdown(file, &text);
    }
    let document = Document::new(&text);
    if json {
        return print_json(&document);
    }
    out!("{}", findings(file, &document));
    status(&document)
}

fn status(document: &Document) -> Status {
    if document.has_errors() {
        Status::Errors
    } else {
        Status::Fine
    }
}

fn print_json(document: &Document) -> Status {
    match serde_json::to_string_pretty(&CheckReport::new(document)) {
        Ok(text) => outln!("{text}"),
        Err(error) => {
            eprintln!("the report can't be written as JSON: {error}");
            return Status::Unreadable;
        }
    }
    status(document)
}

/// Every finding drawn, then how many errors there are under the file's name.
pub(crate) fn findings(file: &Path, document: &Document) -> String {
    let lines = LineIndex::new(document.text());
    let drawn = document.diagnostics().iter();
    let drawn = drawn.map(|found| Drawing::new(found, &lines).rendered + "\n");
    let errors = document.diagnostics().iter();
    let name = file.display();
    let count = match errors.filter(|found| found.is_error()).count() {
        0 => format!("{name}: no errors\n"),
        1 => format!("{name}: 1 error\n"),
        errors => format!("{name}: {errors} errors\n"),
    };
    drawn.chain([count]).collect()
}
