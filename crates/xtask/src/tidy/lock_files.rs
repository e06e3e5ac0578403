//! Lock files name the public registries only: anyone else's can't be reached from elsewhere.

use std::path::{Path, PathBuf};

use super::{Findings, texts};
use crate::failure::Outcome;
use crate::workspace::Workspace;

const PUBLIC: [&str; 2] = [
    "https://registry.npmjs.org/",
    "registry+https://github.com/rust-lang/crates.io-index",
];

pub fn check(workspace: &Workspace, files: &[PathBuf], findings: &mut Findings) -> Outcome {
    for (file, text) in texts(workspace, files, is_lock)? {
        for line in text.lines().filter(|line| !is_public(line)) {
            findings.error(format!(
                "{}: not the public registry: {}",
                file.display(),
                line.trim()
            ));
        }
    }
    Ok(())
}

fn is_lock(file: &Path) -> bool {
    file.ends_with("Cargo.lock") || file.ends_with("package-lock.json")
}

/// Whether a line gives no source, or one of the public ones.
fn is_public(line: &str) -> bool {
    let source = line
        .trim()
        .strip_prefix("\"resolved\": \"")
        .or_else(|| line.strip_prefix("source = \""));
    source.is_none_or(|source| PUBLIC.iter().any(|public| source.starts_with(public)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_sources_are_found() {
        assert!(is_public(
            "      \"resolved\": \"https://registry.npmjs.org/preact/-/preact-11.tgz\","
        ));
        assert!(!is_public(
            "      \"resolved\": \"https://mirror.example/preact/-/preact-11.tgz\","
        ));
        assert!(is_public(
            "source = \"registry+https://github.com/rust-lang/crates.io-index\""
        ));
        assert!(!is_public("source = \"git+https://example.org/fork\""));
        assert!(is_public("version = \"1.0.0\""));
    }
}
