//! What the commands need beyond cargo, installed where it is missing.
//!
//! Tools go to the user's cache folder under their name and version, so a second checkout finds them. What can't be
//! installed from here ends the command with one line that says what to install.

mod apt;
pub mod chromium;
pub mod node;
pub mod python;
pub mod rust;

use std::path::PathBuf;

use crate::failure::{Failure, Outcome};
use crate::shell;

/// A program of the PATH, or the line that says how to get it.
fn required(name: &str, advice: &str) -> Outcome<PathBuf> {
    shell::find_program(name)
        .ok_or_else(|| Failure::new(format!("`{name}` isn't installed: {advice}")))
}
