//! `strand torch`

use std::path::Path;

use strand_session::Document;

use crate::output::out;
use crate::{Status, check, input};

/// Prints the PyTorch text of a program without errors, else says its findings beside it: what is
/// printed may go to a file.
pub(crate) fn run(file: &Path) -> Status {
    let text = match input::read(file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{error}");
            return Status::Unreadable;
        }
    };
    let document = Document::new(&text);
    match document.torch() {
        Some(torch) => {
            out!("{}", torch.text);
            Status::Fine
        }
        None => {
            eprint!("{}", check::findings(file, &document));
            Status::Errors
        }
    }
}
