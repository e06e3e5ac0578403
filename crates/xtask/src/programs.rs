//! Random programs whose types are right: the interpreter and real PyTorch agree on them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Outcome};
use crate::setup::python;
use crate::workspace::Workspace;
use crate::{differential, program, shell};

const WRITER: &str = "tests/torch/random_programs.py";
/// Compares the interpreter's values with PyTorch's.
pub const RUNNER: &str = "tests/torch/run.py";

/// Draws programs, runs them both ways, and says where a failing one lies.
pub fn run(workspace: &Workspace, seed: Option<u64>, count: u64) -> Outcome {
    let seed = seed.unwrap_or_else(differential::fresh_seed);
    shell::heading(&format!("{count} programs from seed {seed}"));
    let python = python::ensure(workspace)?;
    compare(workspace, &python, seed, count)
}

/// Draws programs from a seed and compares their values.
pub fn compare(workspace: &Workspace, python: &Path, seed: u64, count: u64) -> Outcome {
    let programs = workspace.target.join("random-programs.md");
    let cases = workspace.target.join("random-programs.json");
    let mut writer = program::script(workspace, python, Path::new(WRITER));
    let numbers = [seed.to_string(), count.to_string()];
    shell::run(writer.args(numbers).arg(&programs))?;
    let known = export(workspace, &programs, &cases)?;
    let mut runner = program::script(workspace, python, Path::new(RUNNER));
    program::give(workspace, &mut runner)?;
    shell::run(runner.arg(&cases).arg("--loose"))?;
    known
}

/// The interpreter's values; the inner outcome tells of programs that it can't run.
fn export(workspace: &Workspace, programs: &Path, cases: &PathBuf) -> Outcome<Outcome> {
    crate::workspace::remove_file(cases)?;
    let mut suite = Command::new(program::build(workspace)?);
    suite.arg("suite").arg(programs).arg("--export").arg(cases);
    let outcome = shell::run(suite.current_dir(&workspace.root));
    if cases.is_file() {
        return Ok(outcome);
    }
    outcome?;
    Err(Failure::new(format!("{} wasn't written", cases.display())))
}
