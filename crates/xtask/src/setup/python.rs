//! A Python environment with PyTorch, the oracle of the generated text, and the tools that read its style.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{apt, required};
use crate::failure::{Failure, Outcome};
use crate::shell;
use crate::workspace::{self, Workspace};

/// Packages that are installed together into the environment.
struct Group {
    /// Names and versions.
    packages: [(&'static str, &'static str); 2],
    /// The file that holds the requirements once they are met, so that nothing is asked again.
    stamp: &'static str,
    /// What is said while they are installed.
    heading: &'static str,
}

/// The version that every group keeps.
const NUMPY: (&str, &str) = ("numpy", "2.4.6");

/// Recorded values name these versions, so a change here records them anew.
const VALUES: Group = Group {
    packages: [("torch", "2.15.0"), NUMPY],
    stamp: "strand-requirements.txt",
    heading: "Installing PyTorch and NumPy (once; some minutes and about 5 GB)",
};

/// NumPy's bfloat16, which the engine's values are compared with.
const BFLOAT16: Group = Group {
    packages: [NUMPY, ("ml_dtypes", "0.6.0")],
    stamp: "strand-bfloat16.txt",
    heading: "Installing NumPy's bfloat16 (once)",
};

/// Black's layout and ruff's own choice of rules change from version to version.
const STYLE: Group = Group {
    packages: [("black", "26.10.1"), ("ruff", "0.17.6")],
    stamp: "strand-style.txt",
    heading: "Installing black and ruff (once)",
};

const FOLDER: &str = "torch-venv";

/// The environment's Python, which has PyTorch and NumPy.
pub fn ensure(workspace: &Workspace) -> Outcome<PathBuf> {
    ensure_group(workspace, &VALUES)
}

/// The same with NumPy's bfloat16, for the engine's values.
pub fn ensure_for_engine(workspace: &Workspace) -> Outcome<PathBuf> {
    ensure(workspace)?;
    ensure_group(workspace, &BFLOAT16)
}

/// Black and ruff beside the environment's Python.
pub fn ensure_style(workspace: &Workspace) -> Outcome {
    ensure_group(workspace, &STYLE).map(|_| ())
}

fn ensure_group(workspace: &Workspace, group: &Group) -> Outcome<PathBuf> {
    let folder = workspace.cache.join(FOLDER);
    let python = folder.join("bin").join("python");
    let stamp = folder.join(group.stamp);
    let wanted = group.requirements();
    if python.is_file() && workspace::read(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    if !group.is_met(&python) {
        install(&folder, &python, group)?;
    }
    workspace::write_if_changed(&stamp, &wanted)?;
    Ok(python)
}

fn install(folder: &Path, python: &Path, group: &Group) -> Outcome {
    shell::heading(group.heading);
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
    shell::run(pip.args(group.requirements().lines()))?;
    if group.is_met(python) {
        Ok(())
    } else {
        let names = group.packages.map(|(package, _)| package).join(" and ");
        Err(Failure::new(format!(
            "{names} were installed but can't be used"
        )))
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

impl Group {
    /// Whether exactly the wanted versions are there and their modules load.
    fn is_met(&self, python: &Path) -> bool {
        let names = self.packages.map(|(package, _)| package);
        let script = format!(
            "import {}\nfrom importlib.metadata import version\n\
             print(*(version(name).split('+')[0] for name in {names:?}))",
            names.join(", ")
        );
        let wanted = self.packages.map(|(_, version)| version).join(" ");
        python.is_file()
            && shell::capture(Command::new(python).args(["-c", &script]))
                .is_ok_and(|found| found.trim() == wanted)
    }

    /// As pip reads them, one a line.
    fn requirements(&self) -> String {
        self.packages
            .map(|(package, version)| format!("{package}=={version}"))
            .join("\n")
    }
}
