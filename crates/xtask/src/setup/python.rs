//! A Python environment with PyTorch, the oracle of the generated text.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{apt, required};
use crate::failure::{Failure, Outcome};
use crate::shell;
use crate::workspace::{self, Workspace};

/// What the environment holds. Recorded values name these versions, so a change here records them anew.
const REQUIREMENTS: [(&str, &str); 2] = [("torch", "2.15.0"), ("numpy", "2.4.6")];

const FOLDER: &str = "torch-venv";

/// The requirements that the environment was completed with.
const STAMP: &str = "strand-requirements.txt";

/// The environment's Python, which has PyTorch and NumPy.
pub fn ensure(workspace: &Workspace) -> Outcome<PathBuf> {
    let folder = workspace.cache.join(FOLDER);
    let python = folder.join("bin").join("python");
    let stamp = folder.join(STAMP);
    let wanted = requirements();
    if python.is_file() && workspace::read(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    if !has_requirements(&python) {
        install(&folder, &python)?;
    }
    workspace::write_if_changed(&stamp, &wanted)?;
    Ok(python)
}

fn install(folder: &Path, python: &Path) -> Outcome {
    shell::heading("Installing PyTorch and NumPy (once; some minutes and about 5 GB)");
    if !has_pip(python) {
        create(folder)?;
    }
    let mut pip = Command::new(python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    shell::run(pip.args(requirements().lines()))?;
    if has_requirements(python) {
        Ok(())
    } else {
        Err(Failure::new("PyTorch was installed but can't be imported"))
    }
}

fn create(folder: &Path) -> Outcome {
    let advice = "install Python 3.10 or newer (Debian: apt-get install python3 python3-venv)";
    let python3 = required("python3", advice)?;
    let venv = || {
        shell::capture(
            Command::new(&python3)
                .args(["-m", "venv", "--clear"])
                .arg(folder),
        )
    };
    if venv().is_err() {
        // Debian splits the module off, and says so only in prose.
        apt::install(&["python3-venv"], "Python's venv module")?;
        venv()?;
    }
    Ok(())
}

fn has_pip(python: &Path) -> bool {
    python.is_file()
        && shell::capture(Command::new(python).args(["-m", "pip", "--version"])).is_ok()
}

/// Whether exactly the wanted versions can be imported.
fn has_requirements(python: &Path) -> bool {
    let script = "import torch, numpy\nprint(torch.__version__.split('+')[0], numpy.__version__)";
    let wanted = REQUIREMENTS.map(|(_, version)| version).join(" ");
    python.is_file()
        && shell::capture(Command::new(python).args(["-c", script]))
            .is_ok_and(|found| found.trim() == wanted)
}

fn requirements() -> String {
    REQUIREMENTS
        .map(|(package, version)| format!("{package}=={version}"))
        .join("\n")
}
