//! The page: static files in `web/dist`, ready for any host.

use std::path::PathBuf;

use crate::failure::{Failure, Outcome};
use crate::setup::node;
use crate::workspace::Workspace;
use crate::{engine, shell, words};

pub fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("web")
}

/// The files to serve.
pub fn site(workspace: &Workspace) -> PathBuf {
    folder(workspace).join("dist")
}

/// Builds the engine, then the page around it.
pub fn build_all(workspace: &Workspace) -> Outcome {
    engine::build(workspace)?;
    build(workspace)
}

/// Builds the page around an engine that is there already.
pub fn build(workspace: &Workspace) -> Outcome {
    node::ensure_packages(&folder(workspace))?;
    shell::heading("Building the page");
    words::generate(workspace)?;
    node::run_script(&folder(workspace), "build")?;
    let index = site(workspace).join("index.html");
    if index.is_file() {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "the build left no {}",
            index.display()
        )))
    }
}
