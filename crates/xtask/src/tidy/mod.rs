//! Rules about the tree that neither the compiler nor a linter knows.

mod code_map;

mod file_sizes;
mod layers;
mod links;
mod lock_files;
mod manifests;

use std::path::{Path, PathBuf};

use crate::failure::{Failure, Outcome};
use crate::shell;
use crate::workspace::{self, Workspace, cargo_metadata};

/// What the rules found. Errors fail the command, warnings don't.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Findings {
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Findings {
    fn error(&mut self, text: impl Into<String>) {
        self.errors.push(text.into());
    }

    fn warning(&mut self, text: impl Into<String>) {
        self.warnings.push(text.into());
    }
}

/// Checks the whole tree.
pub fn check(workspace: &Workspace) -> Outcome {
    let findings = examine(workspace)?;
    for warning in &findings.warnings {
        shell::line(&format!("{}: {warning}", shell::paint("33", "warning")));
    }
    for error in &findings.errors {
        shell::line(&format!("{}: {error}", shell::paint("31", "error")));
    }
    match findings.errors.len() {
        0 => Ok(()),
        1 => Err(Failure::new(findings.errors[0].clone())),
        count => Err(Failure::new(format!(
            "{count} rules of the tree are broken"
        ))),
    }
}

fn examine(workspace: &Workspace) -> Outcome<Findings> {
    let mut findings = Findings::default();
    let files = workspace.files()?;
    let code_map = code_map::Table::read(workspace, code_map::CODE_MAP)?;
    let readme = code_map::Table::read(workspace, code_map::README)?;
    let metadata = cargo_metadata(&workspace.root, &[])?;
    let graph = layers::Graph::from_metadata(&metadata)?;
    code_map::check(&code_map, &readme, &graph, &mut findings);
    layers::check(&graph, &code_map, &mut findings);
    file_sizes::check(workspace, &files, &mut findings)?;
    links::check(workspace, &files, &mut findings)?;
    lock_files::check(workspace, &files, &mut findings)?;
    manifests::check(workspace, &files, &mut findings)?;
    Ok(findings)
}

/// The texts of the files that `wanted` chooses.
fn texts(
    workspace: &Workspace,
    files: &[PathBuf],
    wanted: impl Fn(&Path) -> bool,
) -> Outcome<Vec<(PathBuf, String)>> {
    let chosen = files.iter().filter(|file| wanted(file));
    chosen
        .map(|file| Ok((file.clone(), workspace::read(&workspace.root.join(file))?)))
        .collect()
}
