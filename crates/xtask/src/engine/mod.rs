//! The engine that a page loads: `strand_wasm`, compiled with SIMD and optimised.

mod parts;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Outcome};
use crate::setup::{node, rust};
use crate::shell;
use crate::workspace::{self, Workspace};
use parts::Parts;

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
/// module itself costs more repetition than it is worth.
/// No address of the first kilobyte is read by way of an address past the last, so that sums of addresses may be
/// offsets: a pointer and what it points to lie on one side.
const OPTIMISE: [&str; 6] = [
    "-Oz",
    "--low-memory-unused",
    "--skip-pass=inlining",
    "--skip-pass=inlining-optimizing",
    "--skip-pass=dae-optimizing",
    "--skip-pass=local-cse",
];

/// Neighbours by name are instances of the same code, which gzip sees. The names themselves go.
const FINISH: [&str; 4] = [
    "--reorder-functions-by-name",
    "--strip-debug",
    "--strip-producers",
    "--strip-target-features",
];

/// The first part, by the name that the glue gives the whole.
const FIRST: &str = "strand_wasm_bg.wasm";

/// The later part.
const LATER: &str = "strand_wasm_later.wasm";

/// How the engine asks for its later part, beside the glue that imports it.
const LATER_GLUE: [&str; 2] = ["later.js", "later.d.ts"];

/// What both parts were made from.
const STAMP: &str = ".made-from";

/// What the tour looks at: the page's first program.
const OPENING: &str = "www/gallery/01-scale-every-row.md";

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

/// Makes both parts and puts the whole package in place, the modules last: what watches the folder never sees an engine
/// that is half written.
fn publish(workspace: &Workspace, compiled: &Path) -> Outcome {
    let package = package_folder(workspace);
    workspace::create_folder(&package)?;
    let source_folder = workspace.root.join("crates").join("strand_wasm");
    for name in LATER_GLUE {
        let text = workspace::read(&source_folder.join(name))?;
        workspace::write_if_changed(&package.join(name), &text)?;
        workspace::write_if_changed(&compiled.join(name), &text)?;
    }
    for name in [
        "strand_wasm.js",
        "strand_wasm.d.ts",
        "strand_wasm_bg.wasm.d.ts",
        "package.json",
    ] {
        let text = workspace::read(&compiled.join(name))?;
        workspace::write_if_changed(&package.join(name), &text)?;
    }
    let tour = Tour::of(workspace);
    let stamp = tour.stamp(&compiled.join(FIRST))?;
    let made = |name: &str| package.join(name).is_file();
    if made(FIRST) && made(LATER) && fs::read(package.join(STAMP)).is_ok_and(|old| old == stamp) {
        return Ok(());
    }
    shell::heading("Optimising the engine");
    let parts = make_parts(workspace, compiled, &tour)?;
    for (name, bytes) in [(LATER, parts.later), (FIRST, parts.first)] {
        let split = compiled.join("split.wasm");
        write(&split, &bytes)?;
        let finished = compiled.join("finished.wasm");
        wasm_opt(workspace, &FINISH, &split, &finished)?;
        copy(&finished, &package.join(name))?;
    }
    write(&package.join(STAMP), &stamp)
}

/// Optimises the compiled module and splits it by what the tour enters.
fn make_parts(workspace: &Workspace, compiled: &Path, tour: &Tour) -> Outcome<Parts> {
    let whole = compiled.join("whole.wasm");
    let arguments = [OPTIMISE.as_slice(), &["--debuginfo"]].concat();
    wasm_opt(workspace, &arguments, &compiled.join(FIRST), &whole)?;
    let whole = read(&whole)?;
    let watched = compiled.join("watched.wasm");
    write(&watched, &parts::watched(&whole)?)?;
    parts::split(&whole, &tour.entered(compiled, &watched)?)
}

/// What a visitor's first moments ask of the engine: `tour.mjs` and the program that it looks at.
struct Tour {
    script: PathBuf,
    program: PathBuf,
    /// The description of the package that optimises, with its version.
    optimiser: PathBuf,
}

impl Tour {
    fn of(workspace: &Workspace) -> Self {
        Self {
            script: workspace.root.join("crates/strand_wasm/tour.mjs"),
            program: workspace.root.join(OPENING),
            optimiser: workspace.root.join("node_modules/binaryen/package.json"),
        }
    }

    /// All that the parts depend on, each piece after its length: what moves from one into the next shows too.
    fn stamp(&self, module: &Path) -> Outcome<Vec<u8>> {
        let mut pieces = vec![read(module)?];
        for path in [&self.script, &self.program, &self.optimiser] {
            pieces.push(read(path)?);
        }
        let flags = [OPTIMISE.as_slice(), &FINISH, &WASM_FEATURES].concat();
        pieces.push(flags.join(" ").into_bytes());
        pieces.push(include_bytes!("parts.rs").to_vec());
        let mut stamp = Vec::new();
        for piece in pieces {
            stamp.extend(piece.len().to_le_bytes());
            stamp.extend(piece);
        }
        Ok(stamp)
    }

    /// The numbers of the functions that a watched module enters.
    fn entered(&self, package: &Path, watched: &Path) -> Outcome<BTreeSet<usize>> {
        let mut node = Command::new("node");
        node.arg(&self.script)
            .arg(package)
            .arg(watched)
            .arg(&self.program);
        let written = shell::capture(&mut node)?;
        serde_json::from_str(&written)
            .map_err(|error| Failure::new(format!("the engine's tour gave no numbers: {error}")))
    }
}

/// Optimises a module as the page's engine is.
pub fn optimise(workspace: &Workspace, source: &Path, out: &Path) -> Outcome {
    wasm_opt(workspace, &OPTIMISE, source, out)
}

fn wasm_opt(workspace: &Workspace, arguments: &[&str], source: &Path, out: &Path) -> Outcome {
    let mut wasm_opt = Command::new(workspace.root.join("node_modules/.bin/wasm-opt"));
    wasm_opt
        .args(arguments)
        .args(WASM_FEATURES)
        .arg(source)
        .arg("-o")
        .arg(out);
    shell::run(&mut wasm_opt)
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|error| Failure::io("read", path, &error))
}

fn write(path: &Path, bytes: &[u8]) -> Outcome {
    fs::write(path, bytes).map_err(|error| Failure::io("write", path, &error))
}

/// Copies through a neighbour, so that the file is replaced in one step.
fn copy(from: &Path, to: &Path) -> Outcome {
    let partial = to.with_extension("partial");
    fs::copy(from, &partial).map_err(|error| Failure::io("copy", from, &error))?;
    fs::rename(&partial, to).map_err(|error| Failure::io("write", to, &error))
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process};

    use super::*;

    #[test]
    fn the_stamp_is_another_when_anything_that_the_parts_are_made_of_is() {
        let folder = env::temp_dir().join(format!("strand-stamp-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let files = ["module", "script", "program", "optimiser"].map(|name| folder.join(name));
        let [module, script, program, optimiser] = files.clone();
        let tour = Tour {
            script,
            program,
            optimiser,
        };
        for file in &files {
            fs::write(file, "as it is").unwrap();
        }
        let before = tour.stamp(&module).unwrap();
        assert_eq!(tour.stamp(&module).unwrap(), before);
        for file in &files {
            fs::write(file, "as it is now").unwrap();
            assert_ne!(tour.stamp(&module).unwrap(), before, "{}", file.display());
            fs::write(file, "as it is").unwrap();
        }
        assert_eq!(tour.stamp(&module).unwrap(), before);
        fs::write(&files[1], "as it").unwrap();
        fs::write(&files[2], " isas it is").unwrap();
        assert_ne!(
            tour.stamp(&module).unwrap(),
            before,
            "the same bytes otherwise cut"
        );
        fs::remove_file(&files[0]).unwrap();
        assert!(tour.stamp(&module).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
