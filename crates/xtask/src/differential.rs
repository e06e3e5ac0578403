//! The array engine against real NumPy, on cases that nobody has seen before.

use std::fs::{self, File};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::failure::{Failure, Outcome};
use crate::setup::python;
use crate::workspace::{Workspace, cargo};
use crate::{program, shell};

/// Where a family's cases come from: a script each, beside what they share.
const SCRIPTS: &str = "tests/numpy";
const SHARED: [&str; 3] = ["common", "record", "ufuncs"];

/// The tests that read them: a module for each family.
const TESTS: &str = "crates/strand_array/tests/numpy";

/// Where the tests find the fresh cases.
const VARIABLE: &str = "STRAND_NUMPY_CASES";

/// Draws cases of the families and runs the engine's tests on them.
pub fn run(
    workspace: &Workspace,
    families: &[String],
    seed: Option<u64>,
    count: Option<u64>,
) -> Outcome {
    let known = known_families(workspace)?;
    if let Some(unknown) = families.iter().find(|name| !known.contains(name)) {
        return Err(Failure::new(format!(
            "no family {unknown}; there are {}",
            known.join(", ")
        )));
    }
    let chosen = if families.is_empty() {
        &known
    } else {
        families
    };
    let tests = workspace.root.join(TESTS);
    let tested = |family: &String| tests.join(format!("{family}.rs")).is_file();
    if let Some(family) = chosen.iter().find(|family| !tested(family)) {
        return Err(Failure::new(format!("{TESTS} has no tests of {family}")));
    }
    let seed = seed.unwrap_or_else(fresh_seed);
    let python = python::ensure_for_engine(workspace)?;
    let folder = workspace.target.join("differential");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)
        .map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
    for family in chosen {
        shell::heading(&format!("{family}, seed {seed}"));
        draw(workspace, &python, &folder, family, seed, count)?;
        let module = format!("{family}::");
        let arguments = [
            "test",
            "--quiet",
            "--release",
            "--locked",
            "--package",
            "strand_array",
        ];
        let test = ["--test", "numpy", "--", &module];
        let mut command = cargo();
        command.args(arguments).args(test).env(VARIABLE, &folder);
        shell::run(command.current_dir(&workspace.root))?;
    }
    Ok(())
}

fn draw(
    workspace: &Workspace,
    python: &Path,
    folder: &Path,
    family: &str,
    seed: u64,
    count: Option<u64>,
) -> Outcome {
    let target = folder.join(format!("{family}.jsonl"));
    let file = File::create(&target)
        .map_err(|error| Failure::new(format!("{}: {error}", target.display())))?;
    let script = Path::new(SCRIPTS).join(format!("{family}.py"));
    let mut command = program::script(workspace, python, &script);
    command.args(["--seed", &seed.to_string()]);
    if let Some(count) = count {
        command.args(["--count", &count.to_string()]);
    }
    shell::run(command.stdout(file))
}

fn known_families(workspace: &Workspace) -> Outcome<Vec<String>> {
    let mut found: Vec<String> = workspace
        .files()?
        .iter()
        .filter(|file| file.parent() == Some(Path::new(SCRIPTS)))
        .filter(|file| file.extension().is_some_and(|extension| extension == "py"))
        .filter_map(|file| Some(file.file_stem()?.to_string_lossy().into_owned()))
        .filter(|name| !SHARED.contains(&name.as_str()))
        .collect();
    found.sort();
    Ok(found)
}

/// A seed that is another one every time.
pub fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |time| time.as_secs())
}
