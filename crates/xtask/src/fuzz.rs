//! The fuzz targets of tests/fuzz.

use std::process::Command;

use crate::failure::{Failure, Outcome};
use crate::setup::rust;
use crate::shell;
use crate::workspace::Workspace;

const FOLDER: &str = "tests/fuzz";

/// What each of the targets in `tests/fuzz/targets` feeds.
const TARGETS: [&str; 9] = [
    "layout", "index", "ufunc", "methods", "objects", "joining", "npy", "archive", "text",
];

/// Runs the targets one after another, each for so many seconds; a finding ends it with its input.
pub fn run(workspace: &Workspace, targets: &[String], seconds: u64) -> Outcome {
    if let Some(unknown) = targets
        .iter()
        .find(|name| !TARGETS.contains(&name.as_str()))
    {
        let known = TARGETS.join(", ");
        return Err(Failure::new(format!(
            "no target {unknown}; there are {known}"
        )));
    }
    let program = rust::ensure_cargo_fuzz(workspace)?;
    let chosen = TARGETS
        .iter()
        .filter(|name| targets.is_empty() || targets.iter().any(|t| t == *name));
    for target in chosen {
        shell::heading(&format!("{target}, {seconds} s"));
        let mut command = Command::new(&program);
        command
            .args(["run", "--fuzz-dir", ".", target, "--"])
            .arg(format!("-max_total_time={seconds}"))
            .args(["-rss_limit_mb=2048", "-max_len=600", "-len_control=0"])
            // The address sanitizer is a flag that a stable compiler has, but doesn't offer.
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_DIR", workspace.target.join("fuzz"))
            .current_dir(workspace.root.join(FOLDER));
        shell::run(&mut command)?;
    }
    Ok(())
}
