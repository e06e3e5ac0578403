//! Markdown suites: every case is parsed, formatted, checked, verified, run and written as PyTorch
//! text, and what comes of it is compared with what the case expects.

mod case;
mod edits;
mod expect;
mod export;
mod markdown;
mod rewrite;

use std::path::{Path, PathBuf};

use crate::output::outln;
use crate::{Status, input};
use case::Outcome;

/// `strand suite`
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Markdown files, or folders that hold them.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Only cases whose name holds this.
    #[arg(long)]
    only: Option<String>,
    /// Write what came of the cases into their `python`, `output`, `diagnostics` and `strand fixed` fences.
    #[arg(long)]
    update: bool,
    /// Write the right programs with their values to this file, for the run on real PyTorch.
    #[arg(long)]
    export: Option<PathBuf>,
}

/// Runs the suites; the last line counts the cases.
pub(crate) fn run(arguments: &Arguments) -> Status {
    let mut files = Vec::new();
    for path in &arguments.paths {
        if let Err(error) = collect(path, &mut files) {
            eprintln!("{error}");
            return Status::Unreadable;
        }
    }
    files.sort();
    let mut totals = Totals::default();
    let mut exported = Vec::new();
    for file in &files {
        let text = match input::read(file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{error}");
                return Status::Unreadable;
            }
        };
        let only = arguments.only.as_deref().unwrap_or("");
        let cases: Vec<_> = markdown::cases(&text)
            .into_iter()
            .filter(|case| case.name.contains(only))
            .collect();
        let outcomes: Vec<Outcome> = cases.iter().map(case::run).collect();
        if arguments.update {
            let updated = rewrite::updated(&text, &cases, &outcomes);
            if updated != text
                && let Err(error) = std::fs::write(file, updated)
            {
                eprintln!("{} can't be written: {error}", file.display());
                return Status::Unreadable;
            }
        }
        for (case, outcome) in cases.iter().zip(&outcomes) {
            totals.add(file, case, outcome);
            if arguments.export.is_some() && outcome.faults.is_empty() {
                exported.extend(export::case(file, case));
                if let Some(Ok(program)) = edits::edited(case) {
                    let name = format!("{} (edited)", case.name);
                    let edited = markdown::Case {
                        name,
                        program,
                        ..case.clone()
                    };
                    exported.extend(export::case(file, &edited));
                }
            }
        }
    }
    if let Some(path) = &arguments.export
        && let Err(error) = export::write(path, &exported)
    {
        eprintln!("{} can't be written: {error}", path.display());
        return Status::Unreadable;
    }
    outln!("{} passed, {} failed", totals.passed, totals.failed);
    if totals.failed > 0 {
        Status::Errors
    } else {
        Status::Fine
    }
}

#[derive(Default)]
struct Totals {
    passed: usize,
    failed: usize,
}

impl Totals {
    fn add(&mut self, file: &Path, case: &markdown::Case, outcome: &Outcome) {
        if outcome.faults.is_empty() {
            self.passed += 1;
            return;
        }
        self.failed += 1;
        outln!("{}:{}: {}", file.display(), case.line, case.name);
        for fault in &outcome.faults {
            outln!("    {}", fault.replace('\n', "\n    "));
        }
        outln!(
            "    rerun: cargo run -q -p strand_cli -- suite {} --only '{}'",
            file.display(),
            case.name
        );
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{} can't be read: {error}", path.display());
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?.path();
        if entry.is_dir() {
            collect(&entry, files)?;
        } else if entry.extension().is_some_and(|extension| extension == "md") {
            files.push(entry);
        }
    }
    Ok(())
}

/// Checks every `strand` fence of an author's Markdown file: without errors, or with just the one
/// that `error=E0503` on the fence asks for. Places are the file's own lines.
pub(crate) fn check_markdown(file: &Path, text: &str) -> Status {
    let mut worst = Status::Fine;
    for case in markdown::cases(text) {
        for fault in case::check_fence(&case) {
            outln!("{}:{}", file.display(), fault);
            worst = Status::Errors;
        }
    }
    if worst == Status::Fine {
        outln!("{}: no errors", file.display());
    }
    worst
}
