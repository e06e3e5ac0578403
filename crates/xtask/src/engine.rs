//! The engine that a page loads: `strand_wasm`, compiled with SIMD and optimised.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Outcome};
use crate::setup::{node, rust};
use crate::shell;
use crate::workspace::{self, Workspace};

/// What today's compiler emits by default, and SIMD. The module itself no longer says: its section of features is
/// stripped.
const WASM_FEATURES: [&str; 8] = [
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-simd",
];

/// Small as it is downloaded, that is gzipped: what inlining, shared subexpressions and fewer parameters save in the
/// module itself costs more repetition than it is worth, and neighbours by name are instances of the same code.
/// No address of the first kilobyte is read by way of an address past the last, so that sums of addresses may be
/// offsets: a pointer and what it points to lie on one side.
const OPTIMISE: [&str; 7] = [
    "-Oz",
    "--low-memory-unused",
    "--skip-pass=inlining",
    "--skip-pass=inlining-optimizing",
    "--skip-pass=dae-optimizing",
    "--skip-pass=local-cse",
    "--reorder-functions-by-name",
];

const MODULE: &str = "strand_wasm_bg.wasm";

/// The compiled module that the optimised one was made from.
const STAMP: &str = ".optimised-from.wasm";

/// The folder with the JavaScript glue, its types and the optimised module.
pub fn package_folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("web").join("pkg")
}

/// Builds the engine into `web/pkg`.
pub fn build(workspace: &Workspace) -> Outcome {
    rust::ensure_wasm_target(workspace)?;
    let tools = rust::ensure_wasm_tools(workspace)?;
    node::ensure_packages(&workspace.root)?;
    let compiled = workspace.target.join("strand-engine");
    shell::heading("Compiling the engine to WebAssembly");
    compile(workspace, &tools, &compiled)?;
    publish(workspace, &compiled)
}

fn compile(workspace: &Workspace, tools: &[PathBuf], out: &Path) -> Outcome {
    let mut wasm_pack = Command::new(tools[0].join("wasm-pack"));
    wasm_pack
        .args([
            "--log-level",
            "error",
            "build",
            "--mode",
            "no-install",
            "--no-opt",
            "--target",
            "web",
            "--profile",
            "wasm",
            "--out-dir",
        ])
        .arg(out)
        .arg(workspace.root.join("crates").join("strand_wasm"))
        .current_dir(&workspace.root)
        .env("PATH", shell::path_with(tools)?)
        .env("CARGO_ENCODED_RUSTFLAGS", rust_flags(workspace))
        .env("CARGO_TARGET_DIR", &workspace.target);
    shell::run_long(&mut wasm_pack)
}

/// SIMD, and no paths of this machine in the panic messages that the module carries.
pub fn rust_flags(workspace: &Workspace) -> OsString {
    let mut flags = vec![
        OsString::from("-Ctarget-feature=+simd128"),
        // Loops that are compiled while a program runs are put into the table of functions.
        OsString::from("-Clink-arg=--export-table"),
        OsString::from("-Clink-arg=--growable-table"),
        remap(&workspace.root, "."),
    ];
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo"));
    flags.extend(cargo_home.or(home).map(|folder| remap(&folder, "cargo")));
    // Cargo splits this variable at the unit separator, so that paths may hold spaces.
    flags.join(&OsString::from("\u{1f}"))
}

fn remap(folder: &Path, name: &str) -> OsString {
    let mut flag = OsString::from("--remap-path-prefix=");
    flag.push(folder);
    flag.push(format!("={name}"));
    flag
}

/// Optimises the module and puts the whole package in place, the module last: what watches the folder never sees an
/// engine that is half written.
fn publish(workspace: &Workspace, compiled: &Path) -> Outcome {
    let package = package_folder(workspace);
    workspace::create_folder(&package)?;
    for name in [
        "strand_wasm.js",
        "strand_wasm.d.ts",
        "strand_wasm_bg.wasm.d.ts",
        "package.json",
    ] {
        let text = workspace::read(&compiled.join(name))?;
        workspace::write_if_changed(&package.join(name), &text)?;
    }
    let source = compiled.join(MODULE);
    let stamp = package.join(STAMP);
    if package.join(MODULE).is_file() && same_bytes(&source, &stamp) {
        return Ok(());
    }
    shell::heading("Optimising the engine");
    let optimised = compiled.join("optimised.wasm");
    optimise(workspace, &source, &optimised)?;
    copy(&optimised, &package.join(MODULE))?;
    copy(&source, &stamp)
}

/// Optimises a module as the page's engine is.
pub fn optimise(workspace: &Workspace, source: &Path, out: &Path) -> Outcome {
    let mut wasm_opt = Command::new(workspace.root.join("node_modules/.bin/wasm-opt"));
    wasm_opt
        .args(OPTIMISE)
        .args(WASM_FEATURES)
        .arg(source)
        .arg("-o")
        .arg(out);
    shell::run(&mut wasm_opt)
}

fn same_bytes(left: &Path, right: &Path) -> bool {
    matches!((fs::read(left), fs::read(right)), (Ok(left), Ok(right)) if left == right)
}

/// Copies through a neighbour, so that the file is replaced in one step.
fn copy(from: &Path, to: &Path) -> Outcome {
    let partial = to.with_extension("partial");
    fs::copy(from, &partial).map_err(|error| Failure::io("copy", from, &error))?;
    fs::rename(&partial, to).map_err(|error| Failure::io("write", to, &error))
}
