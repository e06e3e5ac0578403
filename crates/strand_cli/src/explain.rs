//! `strand explain`

use strand_session::{codes, explain};

use crate::Status;
use crate::output::outln;

/// Prints what a code means, or the list of codes.
pub(crate) fn run(code: Option<&str>) -> Status {
    let Some(code) = code else {
        for (code, title) in codes() {
            outln!("{code}  {title}");
        }
        return Status::Fine;
    };
    match explain(code) {
        Some(page) => {
            outln!("{}", page.trim_end());
            Status::Fine
        }
        None => {
            eprintln!("there is no code {code}; `strand explain` lists them all");
            Status::Unreadable
        }
    }
}
