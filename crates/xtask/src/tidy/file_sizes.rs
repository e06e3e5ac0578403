//! Files are about one thing: a long one is usually about two.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{Findings, texts};
use crate::failure::Outcome;
use crate::workspace::Workspace;

const SOFT_LIMIT: usize = 600;
const HARD_LIMIT: usize = 1000;
const EXTENSIONS: [&str; 6] = ["rs", "ts", "tsx", "mjs", "py", "md"];

pub fn check(workspace: &Workspace, files: &[PathBuf], findings: &mut Findings) -> Outcome {
    for (file, text) in texts(workspace, files, is_source)? {
        judge(&file, text.lines().count(), findings);
    }
    Ok(())
}

fn is_source(file: &Path) -> bool {
    let source = file
        .extension()
        .and_then(OsStr::to_str)
        .is_some_and(|extension| EXTENSIONS.contains(&extension));
    source
        && !file
            .components()
            .any(|part| part.as_os_str() == "generated")
}

fn judge(file: &Path, lines: usize, findings: &mut Findings) {
    let name = file.display();
    if lines > HARD_LIMIT {
        findings.error(format!(
            "{name} has {lines} lines, over the limit of {HARD_LIMIT}: split it by subject"
        ));
    } else if lines > SOFT_LIMIT {
        findings.warning(format!("{name} has {lines} lines, more than {SOFT_LIMIT}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_allowed_warned_of_and_refused() {
        let judged = |lines| {
            let mut findings = Findings::default();
            judge(Path::new("a.rs"), lines, &mut findings);
            (findings.warnings.len(), findings.errors.len())
        };
        assert_eq!(judged(SOFT_LIMIT), (0, 0));
        assert_eq!(judged(SOFT_LIMIT + 1), (1, 0));
        assert_eq!(judged(HARD_LIMIT), (1, 0));
        assert_eq!(judged(HARD_LIMIT + 1), (0, 1));
    }

    #[test]
    fn generated_files_and_data_are_no_sources() {
        assert!(
            is_source(Path::new("web/src/app.ts")) && is_source(Path::new("tests/suite/chains.md"))
        );
        assert!(!is_source(Path::new("web/src/generated/words.ts")));
        assert!(
            !is_source(Path::new("web/package-lock.json")) && !is_source(Path::new("Cargo.lock"))
        );
    }
}
