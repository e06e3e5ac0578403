//! Manifests: every dependency says why it is there, by a comment above it in Cargo.toml or an entry of
//! `dependencyReasons` in a package.json; versions and lints stand in the workspace's manifest only.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use super::{Findings, texts};
use crate::failure::{Failure, Outcome};
use crate::workspace::{self, Workspace};

const MANIFEST: &str = "Cargo.toml";

pub fn check(workspace: &Workspace, files: &[PathBuf], findings: &mut Findings) -> Outcome {
    check_manifest(&workspace::read(&workspace.root.join(MANIFEST))?, findings);
    for (file, text) in texts(workspace, files, |file| {
        file.starts_with("crates") && file.ends_with(MANIFEST)
    })? {
        check_crate(&file.display().to_string(), &text, findings);
    }
    for (file, text) in texts(workspace, files, |file| file.ends_with("package.json"))? {
        let package = serde_json::from_str(&text)
            .map_err(|error| Failure::new(format!("{} isn't JSON: {error}", file.display())))?;
        check_package(&file.display().to_string(), &package, findings);
    }
    Ok(())
}

/// Crates of the workspace itself need no reason: the code map has it.
fn check_manifest(text: &str, findings: &mut Findings) {
    let mut has_reason = false;
    for line in section(text, |name| name == "workspace.dependencies") {
        if let Some(name) = dependency(line).filter(|_| !line.contains("path = "))
            && !has_reason
        {
            findings.error(format!(
                "{MANIFEST}: `{name}` needs a comment above it that says why it is there"
            ));
        }
        has_reason = line.starts_with('#');
    }
}

fn check_crate(file: &str, text: &str, findings: &mut Findings) {
    if !section(text, |name| name == "lints").any(|line| line == "workspace = true") {
        findings.error(format!("{file}: `[lints]` must say `workspace = true`"));
    }
    for line in section(text, |name| name.ends_with("dependencies")) {
        let name = dependency(line).filter(|_| !line.contains("workspace = true"));
        if let Some(name) = name {
            findings.error(format!(
                "{file}: `{name}` has its version here: give it in the workspace's {MANIFEST}"
            ));
        }
    }
}

/// The lines of the sections whose names are wanted.
fn section(text: &str, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            inside = wanted(name);
            return false;
        }
        inside
    })
}

/// The name of the dependency that a line begins. Continued lines are indented or close a bracket.
fn dependency(line: &str) -> Option<&str> {
    let name = line.split(['=', '.', ' ']).next()?;
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (line.contains('=') && !name.is_empty() && name.chars().all(valid)).then_some(name)
}

fn check_package(file: &str, package: &Value, findings: &mut Findings) {
    let keys = |name: &str| {
        package[name]
            .as_object()
            .into_iter()
            .flat_map(serde_json::Map::keys)
    };
    let used: BTreeSet<&String> = keys("dependencies")
        .chain(keys("devDependencies"))
        .collect();
    let given: BTreeSet<&String> = keys("dependencyReasons").collect();
    // Types come with the thing that they type.
    for name in used
        .difference(&given)
        .filter(|name| !name.starts_with("@types/"))
    {
        findings.error(format!("{file}: `dependencyReasons` lacks `{name}`"));
    }
    for name in given.difference(&used) {
        findings.error(format!(
            "{file}: `dependencyReasons` has `{name}`, which isn't a dependency"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn errors(check: impl Fn(&mut Findings)) -> Vec<String> {
        let mut findings = Findings::default();
        check(&mut findings);
        findings.errors
    }

    #[test]
    fn a_dependency_without_a_comment_is_found() {
        let text = "[workspace.dependencies]\nstrand_a = { path = \"crates/a\" }\n\n# Why.\nclap = \"4\"\nserde = \"1\"\n\
                    [workspace.lints.rust]\nmissing_docs = \"warn\"\n";
        let errors = errors(|findings| check_manifest(text, findings));
        assert_eq!(
            errors,
            ["Cargo.toml: `serde` needs a comment above it that says why it is there"]
        );
    }

    #[test]
    fn a_version_in_a_crate_is_found() {
        let text = "[package]\nversion = \"1\"\n[lints]\nworkspace = true\n[dependencies]\nclap.workspace = true\nserde = \"1\"\n\
                    [dev-dependencies]\nproptest = { workspace = true }\nrand = { version = \"1\" }\n";
        let errors = errors(|findings| check_crate("crates/a/Cargo.toml", text, findings));
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors[0].contains("`serde`") && errors[1].contains("`rand`"));
    }

    #[test]
    fn a_crate_with_lints_of_its_own_is_found() {
        let text = "[lints.rust]\nmissing_docs = \"allow\"\n[features]\nworkspace = true\n";
        let errors = errors(|findings| check_crate("crates/a/Cargo.toml", text, findings));
        assert_eq!(
            errors,
            ["crates/a/Cargo.toml: `[lints]` must say `workspace = true`"]
        );
    }

    #[test]
    fn reasons_of_a_package_match_its_dependencies() {
        let package = json!({
            "dependencies": {"preact": "11"}, "devDependencies": {"vite": "8", "@types/node": "20"},
            "dependencyReasons": {"preact": "why", "gone": "why"},
        });
        let errors = errors(|findings| check_package("package.json", &package, findings));
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors[0].contains("lacks `vite`") && errors[1].contains("has `gone`"));
    }
}
