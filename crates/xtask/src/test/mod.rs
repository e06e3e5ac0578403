//! `cargo xtask test`: every check of the project, step by step, with a summary at the end.

mod steps;

use std::cell::OnceCell;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Outcome};
use crate::shell;
use crate::workspace::Workspace;
use crate::{engine, page};

use steps::STEPS;

/// The widest reason in the summary.
const REASON_WIDTH: usize = 100;

/// One check.
struct Step {
    name: &'static str,
    what: &'static str,
    run: fn(&Context<'_>) -> Outcome<Ending>,
}

/// How a step ends that didn't fail.
enum Ending {
    Passed,
    /// What it needs can't be had on this machine, and the reason.
    Skipped(String),
}

/// What steps share: things that are built once however many steps need them.
struct Context<'a> {
    workspace: &'a Workspace,
    engine: OnceCell<Outcome>,
    page: OnceCell<Outcome>,
}

impl Context<'_> {
    fn engine(&self) -> Outcome {
        self.engine
            .get_or_init(|| engine::build(self.workspace))
            .clone()
    }

    fn page(&self) -> Outcome {
        self.engine()
            .map_err(|_| Failure::new("the engine can't be built"))?;
        self.page
            .get_or_init(|| page::build(self.workspace))
            .clone()
    }
}

/// A finished step.
struct Finished {
    name: &'static str,
    outcome: Outcome<Ending>,
    time: Duration,
}

/// Prints the names of the steps.
pub fn list() {
    for step in &STEPS {
        shell::line(&format!("{:<12} {}", step.name, step.what));
    }
}

/// Runs the named steps, or all. A failed step doesn't keep the others from running.
pub fn run(workspace: &Workspace, names: &[String]) -> Outcome<ExitCode> {
    let context = Context {
        workspace,
        engine: OnceCell::new(),
        page: OnceCell::new(),
    };
    let finished: Vec<Finished> = chosen(names)?
        .into_iter()
        .map(|step| run_step(step, &context))
        .collect();
    Ok(summarise(&finished))
}

fn chosen(names: &[String]) -> Outcome<Vec<&'static Step>> {
    if let Some(unknown) = names
        .iter()
        .find(|name| STEPS.iter().all(|step| step.name != name.as_str()))
    {
        return Err(Failure::new(format!(
            "there is no step `{unknown}`: see `cargo xtask test --list`"
        )));
    }
    Ok(STEPS
        .iter()
        .filter(|step| names.is_empty() || names.iter().any(|name| name == step.name))
        .collect())
}

fn run_step(step: &Step, context: &Context<'_>) -> Finished {
    shell::heading(&format!("{}: {}", step.name, step.what));
    let start = Instant::now();
    let outcome = (step.run)(context);
    let time = start.elapsed();
    let ending = match &outcome {
        Ok(Ending::Passed) => shell::paint("32", "passed"),
        Ok(Ending::Skipped(reason)) => format!("{}: {reason}", shell::paint("33", "skipped")),
        Err(failure) => format!("{}: {failure}", shell::paint("31", "failed")),
    };
    shell::line(&format!(
        "--- {} {ending} ({})\n",
        step.name,
        shell::duration(time)
    ));
    Finished {
        name: step.name,
        outcome,
        time,
    }
}

/// The table; its last line counts, and a program that reads it looks for `N passed, N failed`.
fn summarise(finished: &[Finished]) -> ExitCode {
    shell::heading("Summary");
    for step in finished {
        let (word, reason) = match &step.outcome {
            Ok(Ending::Passed) => ("passed", String::new()),
            Ok(Ending::Skipped(reason)) => ("skipped", reason.clone()),
            Err(failure) => ("FAILED", first_line(failure)),
        };
        let row = format!(
            "{:<12} {word:<8} {:>12}  {reason}",
            step.name,
            shell::duration(step.time)
        );
        shell::line(row.trim_end());
    }
    let failed = finished.iter().filter(|step| step.outcome.is_err()).count();
    let passed = finished
        .iter()
        .filter(|step| matches!(step.outcome, Ok(Ending::Passed)))
        .count();
    shell::line(&format!("{passed} passed, {failed} failed"));
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// What fits beside a step's name; the whole reason stands above.
fn first_line(failure: &Failure) -> String {
    failure
        .to_string()
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(REASON_WIDTH)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_run_in_their_own_order_and_unknown_ones_are_refused() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        let chosen_names = |list: &[&str]| {
            chosen(&names(list)).map(|steps| steps.iter().map(|step| step.name).collect::<Vec<_>>())
        };
        assert_eq!(chosen_names(&["size", "tidy"]), Ok(vec!["tidy", "size"]));
        assert_eq!(chosen_names(&[]).map(|steps| steps.len()), Ok(STEPS.len()));
        assert!(
            chosen_names(&["siez"])
                .unwrap_err()
                .to_string()
                .contains("no step `siez`")
        );
    }

    #[test]
    fn names_of_steps_differ() {
        let mut names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
    }
}
