//! `strand fmt`

use std::path::{Path, PathBuf};

use crate::output::{out, outln};
use crate::{Status, input};

/// Formats every file in place, or says which aren't formatted; the worst status counts.
pub(crate) fn run(files: &[PathBuf], check: bool) -> Status {
    files
        .iter()
        .map(|file| format_file(file, check))
        .max()
        .unwrap_or(Status::Fine)
}

fn format_file(file: &Path, check: bool) -> Status {
    let text = match input::read(file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{error}");
            return Status::Unreadable;
        }
    };
    let formatted = strand_session::format(&text);
    let from_input = file.as_os_str() == "-";
    if check {
        if formatted != text {
            outln!("{} isn't formatted", file.display());
            return Status::Errors;
        }
    } else if from_input {
        out!("{formatted}");
    } else if formatted != text
        && let Err(error) = std::fs::write(file, formatted)
    {
        eprintln!("{} can't be written: {error}", file.display());
        return Status::Unreadable;
    }
    Status::Fine
}
