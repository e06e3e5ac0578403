//! The browser that the flows drive.

use std::env;
use std::path::PathBuf;

use super::apt;
use crate::failure::{Failure, Outcome};
use crate::shell;

/// The variable that names a browser other than the one on the PATH.
pub const VARIABLE: &str = "STRAND_CHROMIUM";

const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];

/// The path of a Chromium, installed where that is possible.
pub fn ensure() -> Outcome<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE).map(PathBuf::from) {
        let missing = || {
            Failure::new(format!(
                "{VARIABLE} names {}, which isn't a file",
                named.display()
            ))
        };
        return if named.is_file() {
            Ok(named.clone())
        } else {
            Err(missing())
        };
    }
    if let Some(found) = on_path() {
        return Ok(found);
    }
    apt::install(&["chromium"], "Chromium")?;
    on_path().ok_or_else(|| {
        Failure::new(format!(
            "Chromium was installed but isn't on the PATH: set {VARIABLE}"
        ))
    })
}

fn on_path() -> Option<PathBuf> {
    NAMES.iter().find_map(|name| shell::find_program(name))
}
