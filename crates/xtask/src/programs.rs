//! Random programs whose types are right: the interpreter and real PyTorch agree on them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::failure::{Failure, Outcome};
use crate::setup::python;
use crate::workspace::{self, Workspace};
use crate::{differential, program, shell};

const WRITER: &str = "tests/torch/random_programs.py";
/// Compares the interpreter's values with PyTorch's.
pub const RUNNER: &str = "tests/torch/run.py";

/// Programs that are drawn, run and compared together: more would only take more memory.
const BATCH: u64 = 125;

/// Draws programs, runs them both ways, and says where a failing one lies.
pub fn run(workspace: &Workspace, seed: Option<u64>, count: u64) -> Outcome {
    let seed = seed.unwrap_or_else(differential::fresh_seed);
    shell::heading(&format!("{count} programs from seed {seed}"));
    let python = python::ensure(workspace)?;
    compare(workspace, &python, seed, count)
}

/// Draws programs from a seed and compares their values. While PyTorch runs those of one batch, the
/// interpreter runs those of the next. All are run, and the failure says which didn't agree.
pub fn compare(workspace: &Workspace, python: &Path, seed: u64, count: u64) -> Outcome {
    let strand = program::build(workspace)?;
    let folder = workspace.target.join("random-programs");
    let mut failed = Vec::new();
    let mut ended = |first: u64, outcome: Outcome| {
        if let Err(failure) = outcome {
            shell::line(&failure.to_string());
            failed.push(first.to_string());
        }
    };
    thread::scope(|scope| -> Outcome {
        let mut running = None;
        let end = seed.saturating_add(count);
        let mut first = seed;
        while first < end {
            let batch = Batch {
                workspace,
                python,
                strand: &strand,
                folder: &folder,
                first,
                count: BATCH.min(end - first),
            };
            let known = batch.export()?;
            if let Some((at, thread)) = running.take() {
                ended(at, joined(thread));
            }
            ended(first, known);
            running = Some((first, scope.spawn(move || batch.compare())));
            first += BATCH.min(end - first);
        }
        if let Some((at, thread)) = running {
            ended(at, joined(thread));
        }
        Ok(())
    })?;
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the {BATCH} programs from seed {} don't all agree: {}/*.md",
        failed.join(", "),
        folder.display()
    )))
}

fn joined(thread: thread::ScopedJoinHandle<'_, Outcome>) -> Outcome {
    let died = || Failure::new("the comparison with PyTorch broke off");
    thread.join().map_err(|_| died())?
}

/// Programs whose files stand under the seed of the first.
struct Batch<'a> {
    workspace: &'a Workspace,
    python: &'a Path,
    strand: &'a Path,
    folder: &'a Path,
    first: u64,
    count: u64,
}

impl Batch<'_> {
    fn file(&self, extension: &str) -> PathBuf {
        self.folder.join(format!("{}.{extension}", self.first))
    }

    /// Draws the programs and writes them with the interpreter's values; the inner outcome tells of
    /// those that it can't run.
    fn export(&self) -> Outcome<Outcome> {
        let (programs, cases) = (self.file("md"), self.file("json"));
        std::fs::create_dir_all(self.folder)
            .map_err(|error| Failure::io("create", self.folder, &error))?;
        let mut writer = program::script(self.workspace, self.python, Path::new(WRITER));
        let numbers = [self.first.to_string(), self.count.to_string()];
        shell::run(writer.args(numbers).arg(&programs))?;
        workspace::remove_file(&cases)?;
        let mut suite = Command::new(self.strand);
        suite
            .arg("suite")
            .arg(&programs)
            .arg("--export")
            .arg(&cases);
        let outcome = shell::run(suite.current_dir(&self.workspace.root));
        if cases.is_file() {
            return Ok(outcome);
        }
        outcome?;
        Err(Failure::new(format!("{} wasn't written", cases.display())))
    }

    /// Runs the programs' text. Of a batch that agrees nothing is kept.
    fn compare(&self) -> Outcome {
        let (programs, cases) = (self.file("md"), self.file("json"));
        let mut runner = program::script(self.workspace, self.python, Path::new(RUNNER));
        shell::run(runner.arg(&cases).arg("--loose"))?;
        workspace::remove_file(&programs)?;
        workspace::remove_file(&cases)
    }
}
