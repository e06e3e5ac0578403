//! The `strand` program, and the Python scripts that ask it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Outcome;
use crate::shell;
use crate::workspace::{Workspace, cargo};

/// Where a script finds the program.
const VARIABLE: &str = "STRAND_PROGRAM";

/// Builds the program, with the profile of the Rust tests, and gives its path.
pub fn build(workspace: &Workspace) -> Outcome<PathBuf> {
    let arguments = [
        "build",
        "--quiet",
        "--locked",
        "--package",
        "strand_cli",
        "--bin",
        "strand",
    ];
    shell::run(cargo().args(arguments).current_dir(&workspace.root))?;
    Ok(workspace
        .target
        .join("debug")
        .join(format!("strand{}", env::consts::EXE_SUFFIX)))
}

/// A Python script of the checkout, to be run at its root.
pub fn script(workspace: &Workspace, python: &Path, script: &Path) -> Command {
    let mut command = Command::new(python);
    command
        .arg(script)
        .current_dir(&workspace.root)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// Lets a script find the program, which is built for it.
pub fn give(workspace: &Workspace, script: &mut Command) -> Outcome {
    script.env(VARIABLE, build(workspace)?);
    Ok(())
}
