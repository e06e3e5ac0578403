//! The wasm target of the compiler, and the programs that cargo installs.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Outcome};
use crate::shell;
use crate::workspace::{self, Workspace};

pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

const WASM_PACK: Tool = Tool {
    program: "wasm-pack",
    package: "wasm-pack",
    locked: true,
};

/// Its own lock file pins crates that newer compilers warn about; the version is exact all the same.
const WASM_BINDGEN: Tool = Tool {
    program: "wasm-bindgen",
    package: "wasm-bindgen-cli",
    locked: false,
};

const CARGO_FUZZ: Tool = Tool {
    program: "cargo-fuzz",
    package: "cargo-fuzz",
    locked: true,
};

const CARGO_FUZZ_VERSION: &str = "0.13.2";

const WASM_PACK_VERSION: &str = "0.15.1";

struct Tool {
    program: &'static str,
    package: &'static str,
    locked: bool,
}

/// Makes sure that the compiler can build for wasm.
pub fn ensure_wasm_target(workspace: &Workspace) -> Outcome {
    let sysroot = shell::capture(
        Command::new("rustc")
            .args(["--print", "sysroot"])
            .current_dir(&workspace.root),
    )?;
    if has_target(Path::new(sysroot.trim())) {
        return Ok(());
    }
    let advice =
        "add it with rustup (https://rustup.rs): `rustup target add wasm32-unknown-unknown`";
    if shell::find_program("rustup").is_none() {
        return Err(Failure::new(format!(
            "the compiler lacks the target {WASM_TARGET}: {advice}"
        )));
    }
    shell::heading(&format!("Adding the target {WASM_TARGET}"));
    shell::run(
        Command::new("rustup")
            .args(["target", "add", WASM_TARGET])
            .current_dir(&workspace.root),
    )
    .map_err(|failure| {
        Failure::new(format!(
            "{failure}\nthe compiler lacks the target {WASM_TARGET}: {advice}"
        ))
    })
}

/// The folders of wasm-pack and of the wasm-bindgen program that fits the crate, both installed if need be.
pub fn ensure_wasm_tools(workspace: &Workspace) -> Outcome<Vec<PathBuf>> {
    let wasm_bindgen_version = workspace.locked_version("wasm-bindgen")?;
    Ok(vec![
        ensure_installed(workspace, &WASM_PACK, WASM_PACK_VERSION)?,
        ensure_installed(workspace, &WASM_BINDGEN, &wasm_bindgen_version)?,
    ])
}

/// The cargo-fuzz program, installed if need be.
pub fn ensure_cargo_fuzz(workspace: &Workspace) -> Outcome<PathBuf> {
    let folder = ensure_installed(workspace, &CARGO_FUZZ, CARGO_FUZZ_VERSION)?;
    Ok(folder.join(CARGO_FUZZ.program))
}

fn ensure_installed(workspace: &Workspace, tool: &Tool, version: &str) -> Outcome<PathBuf> {
    let root = workspace.cache.join(format!("{}-{version}", tool.package));
    let folder = root.join("bin");
    if folder.join(tool.program).is_file() {
        return Ok(folder);
    }
    shell::heading(&format!(
        "Installing {} {version} (once; two to four minutes)",
        tool.package
    ));
    workspace::create_folder(&root)?;
    shell::run_long(&mut install_command(tool, version, &root)).map_err(|failure| {
        Failure::new(format!(
            "{failure}\n{} {version} can't be had: is crates.io reachable?",
            tool.package
        ))
    })?;
    Ok(folder)
}

/// The variables and the working folder of a build in the checkout must not reach a tool's build.
fn install_command(tool: &Tool, version: &str, root: &Path) -> Command {
    let mut command = workspace::cargo();
    command
        .args([
            "install",
            tool.package,
            "--version",
            &format!("={version}"),
            "--root",
        ])
        .arg(root);
    if tool.locked {
        command.arg("--locked");
    }
    command
        .current_dir(root)
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTFLAGS");
    command
}

fn has_target(sysroot: &Path) -> bool {
    sysroot
        .join("lib/rustlib")
        .join(WASM_TARGET)
        .join("lib")
        .is_dir()
}
