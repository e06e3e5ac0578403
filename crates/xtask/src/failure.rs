//! What a command reports when it can't go on: one sentence for the person at the terminal.

use std::fmt;
use std::io;
use std::path::Path;

/// A reason that ends a command or a test step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(String);

/// The result of anything that can end a command.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub fn new(reason: impl Into<String>) -> Failure {
        Failure(reason.into())
    }

    /// A failed file operation, with the path that the operating system's own message leaves out.
    pub fn io(action: &str, path: &Path, error: &io::Error) -> Failure {
        Failure(format!("can't {action} {}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
