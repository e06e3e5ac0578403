//! The steps themselves.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Context, Ending, Step};
use crate::failure::{Failure, Outcome};
use crate::server::Server;
use crate::setup::{chromium, node, python};
use crate::workspace::{self, Workspace, cargo};
use crate::{engine, example, page, program, programs, shell, size, tidy};

/// Cheap and telling first.
pub const STEPS: [Step; 14] = [
    Step {
        name: "tidy",
        what: "the rules of the tree",
        run: |context| passed(tidy::check(context.workspace)),
    },
    Step {
        name: "format",
        what: "rustfmt",
        run: |context| passed(format(context.workspace)),
    },
    Step {
        name: "lint",
        what: "clippy, no warnings",
        run: |context| passed(lint(context.workspace)),
    },
    Step {
        name: "rust",
        what: "the Rust tests",
        run: |context| passed(rust_tests(context.workspace)),
    },
    Step {
        name: "suites",
        what: "the suites and the programs of the documents",
        run: |context| passed(suites(context.workspace)),
    },
    Step {
        name: "engine",
        what: "the engine as WebAssembly",
        run: |context| passed(context.engine()),
    },
    Step {
        name: "page",
        what: "the page",
        run: |context| passed(context.page()),
    },
    Step {
        name: "size",
        what: "gzipped sizes and their limits",
        run: |context| passed(size_gate(context)),
    },
    Step {
        name: "suites-wasm",
        what: "the suites and random expressions in the engine, under node",
        run: |context| passed(suites_wasm(context)),
    },
    Step {
        name: "torch",
        what: "the generated text on real PyTorch",
        run: torch,
    },
    Step {
        name: "scripts",
        what: "format and tests of the scripts of tests/",
        run: |context| passed(scripts(context.workspace)),
    },
    Step {
        name: "web-check",
        what: "types, lint and format of web/",
        run: |context| passed(web(context, "check")),
    },
    Step {
        name: "web-test",
        what: "the unit tests of web/",
        run: |context| passed(web(context, "test")),
    },
    Step {
        name: "browser",
        what: "the flows in Chromium",
        run: |context| passed(browser(context)),
    },
];

/// The Markdown suites of the language.
const SUITES: &str = "tests/suite";
/// Programs with a marked caret, which the Rust tests read.
const CARETS: &str = "tests/completion";
/// The suites with PyTorch programs that run in silence.
const SILENT: &str = "tests/suite/shape-bugs";
/// The seed and number of the random programs; `cargo xtask programs` draws others.
const RANDOM_PROGRAMS: (u64, u64) = (1, 1000);
/// The pages of the codes, whose programs are cases too.
const PAGES: &str = "crates/strand_session/pages";
/// The language's reference, likewise.
const REFERENCE: &str = "www/reference";

/// The programs of the gallery, each with its PyTorch text and an edit to try.
const GALLERY: &str = "www/gallery";

/// The address of the page under test.
const URL: &str = "STRAND_URL";

fn passed(outcome: Outcome) -> Outcome<Ending> {
    outcome.map(|()| Ending::Passed)
}

fn format(workspace: &Workspace) -> Outcome {
    shell::run(
        cargo()
            .args(["fmt", "--all", "--check"])
            .current_dir(&workspace.root),
    )
}

fn lint(workspace: &Workspace) -> Outcome {
    let arguments = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ];
    shell::run(cargo().args(arguments).current_dir(&workspace.root))
}

/// Compiles with progress on the terminal first, then runs with little to read but failures.
fn rust_tests(workspace: &Workspace) -> Outcome {
    let arguments = ["test", "--workspace", "--locked"];
    for last in ["--no-run", "--quiet"] {
        shell::run(
            cargo()
                .args(arguments)
                .arg(last)
                .current_dir(&workspace.root),
        )?;
    }
    Ok(())
}

fn size_gate(context: &Context<'_>) -> Outcome {
    context
        .page()
        .map_err(|_| Failure::new("the page can't be built"))?;
    size::check(context.workspace)
}

fn suites(workspace: &Workspace) -> Outcome {
    let strand = program::build(workspace)?;
    shell::run(
        Command::new(&strand)
            .args(["suite", SUITES, PAGES, GALLERY, REFERENCE])
            .current_dir(&workspace.root),
    )?;
    let mut documents = workspace.files()?;
    documents.retain(|file| {
        let is_case = [SUITES, PAGES, CARETS, GALLERY, REFERENCE]
            .iter()
            .any(|folder| file.starts_with(folder));
        file.extension().is_some_and(|it| it == "md") && !is_case
    });
    shell::run(
        Command::new(&strand)
            .arg("check")
            .args(documents)
            .current_dir(&workspace.root),
    )
}

fn suites_wasm(context: &Context<'_>) -> Outcome {
    let workspace = context.workspace;
    context
        .engine()
        .map_err(|_| Failure::new("the engine can't be built"))?;
    let mut runner = Command::new("node");
    runner
        .arg("tests/wasm/run.mjs")
        .arg(engine::package_folder(workspace))
        .arg(program::build(workspace)?);
    shell::run(runner.current_dir(&workspace.root))?;
    let mut carets = Command::new("node");
    carets
        .arg("tests/wasm/completion.mjs")
        .arg(engine::package_folder(workspace));
    shell::run(carets.current_dir(&workspace.root))?;
    let mut compiling = Command::new("node");
    compiling
        .arg("tests/wasm/compiling.mjs")
        .arg(engine::package_folder(workspace));
    shell::run(compiling.current_dir(&workspace.root))?;
    let mut kernels = Command::new("node");
    kernels
        .arg("tests/wasm/kernels.mjs")
        .arg(example::build(workspace, "kernels")?);
    shell::run(kernels.current_dir(&workspace.root))
}

/// Recorded values stand in for PyTorch where it can't be installed: the Rust tests compare with them anyway.
fn torch(context: &Context<'_>) -> Outcome<Ending> {
    let workspace = context.workspace;
    let script = Path::new(programs::RUNNER);
    if !workspace.root.join(script).is_file() {
        return Err(Failure::new(format!("{} is missing", script.display())));
    }
    let python = match python::ensure(workspace) {
        Ok(python) => python,
        Err(failure) => {
            let reason = failure.to_string();
            let reason = reason.lines().next().unwrap_or_default();
            return Ok(Ending::Skipped(format!(
                "no PyTorch here, recorded values only ({reason})"
            )));
        }
    };
    let export = export_suites(workspace)?;
    let mut command = program::script(workspace, &python, script);
    program::give(workspace, &mut command)?;
    shell::run(command.arg(&export).arg("--both"))?;
    let (seed, count) = RANDOM_PROGRAMS;
    programs::compare(workspace, &python, seed, count)?;
    silent(workspace, &python)?;
    style(workspace, &python, &export)
}

/// What black and ruff say of the texts, and how long they are beside their programs.
fn style(workspace: &Workspace, python: &Path, export: &Path) -> Outcome<Ending> {
    if let Err(failure) = python::ensure_style(workspace) {
        let reason = failure.to_string();
        let reason = reason.lines().next().unwrap_or_default();
        return Ok(Ending::Skipped(format!(
            "the style of the texts: no black and ruff here ({reason})"
        )));
    }
    let mut command = program::script(workspace, python, Path::new("tests/torch/style.py"));
    passed(shell::run(command.arg(export)))
}

/// The PyTorch programs beside the shape bugs, which show what PyTorch says nothing of.
fn silent(workspace: &Workspace, python: &Path) -> Outcome {
    let mut files = workspace.files()?;
    files.retain(|file| file.starts_with(SILENT) && file.extension().is_some_and(|it| it == "md"));
    if files.is_empty() {
        return Err(Failure::new(format!("{SILENT}/ holds no *.md")));
    }
    let mut command = program::script(workspace, python, Path::new("tests/torch/silent.py"));
    shell::run(command.args(files))
}

/// The right programs of the suites with their values, as the interpreter has them. A case that fails isn't among
/// them, which the suites' own step says.
fn export_suites(workspace: &Workspace) -> Outcome<PathBuf> {
    let export = workspace.target.join("strand-suites.json");
    workspace::remove_file(&export)?;
    let mut suite = Command::new(program::build(workspace)?);
    suite
        .args(["suite", SUITES, PAGES, GALLERY, REFERENCE, "--export"])
        .arg(&export)
        .current_dir(&workspace.root);
    match shell::capture(&mut suite) {
        Err(failure) if !export.is_file() => Err(failure),
        _ => Ok(export),
    }
}

fn scripts(workspace: &Workspace) -> Outcome {
    node::ensure_packages(&workspace.root)?;
    node::run_script(&workspace.root, "check")?;
    node::run_script(&workspace.root, "test")
}

/// Types of the engine and the words of the language are generated, and the page's sources import both.
fn web(context: &Context<'_>, script: &str) -> Outcome {
    context
        .page()
        .map_err(|_| Failure::new("the page can't be built"))?;
    node::run_script(&page::folder(context.workspace), script)
}

/// Serves the page and runs each `*.flow.mjs` against it, one after the other: some of them measure time.
fn browser(context: &Context<'_>) -> Outcome {
    let workspace = context.workspace;
    node::ensure_packages(&workspace.root)?;
    let chromium = chromium::ensure()?;
    context
        .page()
        .map_err(|_| Failure::new("the page can't be built"))?;
    let mut flows = workspace.files()?;
    flows.retain(|file| {
        file.starts_with("tests/browser") && file.to_string_lossy().ends_with(".flow.mjs")
    });
    if flows.is_empty() {
        return Err(Failure::new("tests/browser/ holds no *.flow.mjs"));
    }
    let server = Server::bind(&page::site(workspace), 0)?;
    let url = server.url();
    server.run_in_background();
    let mut runner = Command::new("node");
    runner
        .args(["--test", "--test-concurrency=1"])
        .args(flows)
        .current_dir(&workspace.root);
    shell::run(runner.env(URL, url).env(chromium::VARIABLE, chromium))
}
