//! Examples of the array engine's crate as WebAssembly modules.

use std::path::PathBuf;

use crate::failure::Outcome;
use crate::setup::rust;
use crate::workspace::{Workspace, cargo};
use crate::{engine, shell};

/// Compiles an example with the flags of the page's engine; gives the module.
pub fn build(workspace: &Workspace, name: &str) -> Outcome<PathBuf> {
    rust::ensure_wasm_target(workspace)?;
    let arguments = [
        "build",
        "--locked",
        "--profile",
        "wasm",
        "--target",
        rust::WASM_TARGET,
        "--package",
        "strand_array",
        "--example",
        name,
    ];
    shell::run(
        cargo()
            .args(arguments)
            .current_dir(&workspace.root)
            .env("CARGO_ENCODED_RUSTFLAGS", engine::rust_flags(workspace)),
    )?;
    let folder = workspace.target.join(rust::WASM_TARGET).join("wasm");
    Ok(folder.join("examples").join(format!("{name}.wasm")))
}
