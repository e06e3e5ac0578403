//! Runs the scripts that record expected values from real NumPy and PyTorch.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Outcome};
use crate::setup::python;
use crate::shell;
use crate::workspace::Workspace;

/// Runs every recorder whose path contains `filter`.
pub fn run(workspace: &Workspace, filter: Option<&str>) -> Outcome {
    let mut scripts = workspace.files()?;
    scripts.retain(|file| {
        is_recorder(file) && filter.is_none_or(|part| file.to_string_lossy().contains(part))
    });
    if scripts.is_empty() {
        return Err(Failure::new(
            "no recorder (tests/oracle/**/record.py, tests/torch/record.py) fits",
        ));
    }
    let python = python::ensure(workspace)?;
    for script in scripts {
        shell::heading(&script.display().to_string());
        shell::run(&mut command(workspace, &python, &script))?;
    }
    Ok(())
}

/// A Python script of the checkout, run at its root.
pub fn command(workspace: &Workspace, python: &PathBuf, script: &Path) -> Command {
    let mut command = Command::new(python);
    command
        .arg(script)
        .current_dir(&workspace.root)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

fn is_recorder(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == "record.py")
        && (file.starts_with("tests/oracle") || file.starts_with("tests/torch"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorders_are_found_by_their_place() {
        assert!(is_recorder(Path::new("tests/oracle/indexing/record.py")));
        assert!(is_recorder(Path::new("tests/torch/record.py")));
        assert!(!is_recorder(Path::new("tests/torch/run.py")));
        assert!(!is_recorder(Path::new("web/record.py")));
    }
}
