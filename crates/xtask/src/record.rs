//! Runs the scripts that record expected values from real NumPy and PyTorch.

use std::path::Path;

use crate::failure::{Failure, Outcome};
use crate::setup::python;
use crate::workspace::Workspace;
use crate::{program, shell};

/// Recorders of what NumPy and PyTorch answer to the engine's questions.
const ENGINE: [&str; 2] = ["tests/oracle", "tests/numpy"];

/// Recorders of what PyTorch makes of generated text, which they get from the program.
const TORCH: &str = "tests/torch";

/// Runs every recorder whose path contains `filter`.
pub fn run(workspace: &Workspace, filter: Option<&str>) -> Outcome {
    let mut scripts = workspace.files()?;
    scripts.retain(|file| {
        is_recorder(file) && filter.is_none_or(|part| file.to_string_lossy().contains(part))
    });
    if scripts.is_empty() {
        return Err(Failure::new(
            "no recorder (record.py or generate.py below tests/oracle, tests/numpy or tests/torch) fits",
        ));
    }
    let python = python::ensure_for_engine(workspace)?;
    for script in scripts {
        shell::heading(&script.display().to_string());
        let mut command = program::script(workspace, &python, &script);
        if script.starts_with(TORCH) {
            program::give(workspace, &mut command)?;
        }
        shell::run(&mut command)?;
    }
    Ok(())
}

fn is_recorder(file: &Path) -> bool {
    file.file_name()
        .is_some_and(|name| name == "record.py" || name == "generate.py")
        && (ENGINE.iter().any(|folder| file.starts_with(folder)) || file.starts_with(TORCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorders_are_found_by_their_place() {
        assert!(is_recorder(Path::new("tests/oracle/indexing/record.py")));
        assert!(is_recorder(Path::new("tests/oracle/array/generate.py")));
        assert!(is_recorder(Path::new("tests/numpy/record.py")));
        assert!(is_recorder(Path::new("tests/torch/record.py")));
        assert!(!is_recorder(Path::new("tests/torch/run.py")));
        assert!(!is_recorder(Path::new("web/record.py")));
    }
}
