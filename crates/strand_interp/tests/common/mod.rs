//! What the tests of this folder share: checking a text, running it, keeping what it gives.

#![allow(dead_code)]

use strand_check::Checked;
use strand_interp::{Host, Options, Report, RunError, Shown, Step, Value, call, run_script};

/// Keeps everything that a run gives.
#[derive(Default)]
pub struct Kept {
    pub shown: Vec<Shown>,
    pub printed: Vec<String>,
    pub steps: Vec<Step>,
    pub stop_after: Option<usize>,
}

impl Host for Kept {
    fn print(&mut self, text: &str) {
        self.printed.push(text.to_owned());
    }

    fn show(&mut self, shown: Shown) {
        self.shown.push(shown);
    }

    fn step(&mut self, step: Step) {
        self.steps.push(step);
    }

    fn stopped(&mut self) -> bool {
        match &mut self.stop_after {
            Some(0) => true,
            Some(left) => {
                *left -= 1;
                false
            }
            None => false,
        }
    }
}

/// The typed program of a text without errors.
pub fn checked(text: &str) -> Checked {
    let checked = strand_check::check(text);
    for finding in &checked.diagnostics {
        assert!(
            !finding.is_error(),
            "{} at {:?}: {}\n{text}",
            finding.code,
            finding.span.text(text),
            finding.message
        );
    }
    checked
}

/// Runs the script of a text.
pub fn run_with(text: &str, options: &Options, kept: &mut Kept) -> Result<Report, RunError> {
    let checked = checked(text);
    run_script(&checked.program, text, options, kept)
}

/// Runs the script of a text with the usual options.
pub fn run(text: &str) -> (Kept, Result<Report, RunError>) {
    let mut kept = Kept::default();
    let report = run_with(text, &Options::default(), &mut kept);
    (kept, report)
}

/// The error that stops a script, and what it gave before.
pub fn run_error(text: &str) -> (RunError, Kept) {
    let (kept, report) = run(text);
    match report {
        Ok(_) => panic!("no error from\n{text}"),
        Err(error) => (error, kept),
    }
}

/// Calls a function of a text.
pub fn call_named(text: &str, name: &str, args: Vec<Value>) -> Result<Value, RunError> {
    let checked = checked(text);
    let id = checked.program.find_function(name).expect(name);
    let mut kept = Kept::default();
    let options = Options::default();
    call(&checked.program, text, id, args, &options, &mut kept).map(|(value, _)| value)
}
