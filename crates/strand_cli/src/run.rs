//! `strand run`

use std::path::{Path, PathBuf};

use strand_session::{
    CallOutcome, Document, Event, FnId, LineIndex, RunError, RunOptions, RunReport, ShownValue,
    Value, draw, parse_argument, value_format,
};

use crate::output::{out, outln};
use crate::{Status, input};

/// `strand run`
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A `.strand` file, or `-` for standard input.
    file: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Call this function instead of running the script.
    #[arg(long, value_name = "FUNCTION")]
    call: Option<String>,
    /// An argument of the call: `x=x.npy`, or a number, true, false or text for a host parameter.
    #[arg(long = "arg", value_name = "NAME=VALUE", requires = "call")]
    arguments: Vec<String>,
    /// The most bytes that values may take at once.
    #[arg(long, value_name = "BYTES")]
    memory: Option<usize>,
}

/// Runs the script or one function. Without a script every function runs with sample arguments.
pub(crate) fn run(arguments: &Arguments) -> Status {
    let text = match input::read(&arguments.file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{error}");
            return Status::Unreadable;
        }
    };
    let document = Document::new(&text);
    if document.has_errors() {
        return refuse(arguments, &document);
    }
    let mut options = RunOptions::default();
    options.memory_limit = arguments.memory.unwrap_or(options.memory_limit);
    match &arguments.call {
        Some(name) => call(arguments, &document, name, &options),
        None => script(arguments, &document, &options),
    }
}

/// A program with errors isn't run; its findings go to standard error.
fn refuse(arguments: &Arguments, document: &Document) -> Status {
    for diagnostic in document.diagnostics().iter().filter(|d| d.is_error()) {
        eprintln!("{}", draw(diagnostic, document.text()));
    }
    if arguments.json {
        return print_json(&RunReport::default()).max(Status::Errors);
    }
    eprintln!(
        "{}: not run, because of its errors",
        arguments.file.display()
    );
    Status::Errors
}

fn script(arguments: &Arguments, document: &Document, options: &RunOptions) -> Status {
    let lines = LineIndex::new(document.text());
    let mut report = RunReport::default();
    let json = arguments.json;
    let mut failed = false;
    let mut on_event = |event: Event| match event {
        Event::Value(shown) if json => report.add_value(&shown),
        Event::Print(text) if json => report.output.push(text),
        Event::Call(call) if json => report.add_call(&call, &lines),
        Event::Call(call) => {
            let names: Vec<&str> = call.arguments.iter().map(|arg| arg.name.as_str()).collect();
            outln!("{}({})", call.name, names.join(", "));
            call.arguments.iter().for_each(print_value);
            match &call.outcome {
                CallOutcome::Result(shown) => print_value(shown),
                CallOutcome::Error(error) => {
                    failed = true;
                    print_error(error, document);
                }
                CallOutcome::Skipped(why) => outln!("not called: {why}"),
            }
        }
        event => out!("{event}"),
    };
    let outcome = if document.has_script() {
        document.run_script(options, &mut on_event)
    } else {
        document.run(options, &mut on_event)
    };
    if let Some(error) = &outcome.error {
        report.set_error(error, &lines);
        if !json {
            print_error(error, document);
        }
    }
    report.add_steps(&outcome.steps);
    finish(json, &report, failed || outcome.error.is_some())
}

fn call(arguments: &Arguments, document: &Document, name: &str, options: &RunOptions) -> Status {
    let values = document.find_function(name).and_then(|id| {
        let values = bind(document, id, &arguments.arguments)?;
        Ok((id, values))
    });
    let (id, values) = match values {
        Ok(found) => found,
        Err(error) => {
            eprintln!("{error}");
            return Status::Unreadable;
        }
    };
    let lines = LineIndex::new(document.text());
    let mut report = RunReport::default();
    let json = arguments.json;
    let mut on_event = |event: Event| match event {
        Event::Print(text) if json => report.output.push(text),
        event => out!("{event}"),
    };
    let failed = match document.call(id, values, options, &mut on_event) {
        Ok((shown, outcome)) => {
            report.add_value(&shown);
            report.add_steps(&outcome.steps);
            if !json {
                outln!("{}", value_format::printed(&shown.value));
            }
            false
        }
        Err(error) => {
            report.set_error(&error, &lines);
            if !json {
                print_error(&error, document);
            }
            true
        }
    };
    finish(json, &report, failed)
}

/// The arguments of a call, in the parameters' order.
fn bind(document: &Document, id: FnId, given: &[String]) -> Result<Vec<Value>, String> {
    let mut pairs = Vec::new();
    for argument in given {
        let (name, value) = argument
            .split_once('=')
            .ok_or_else(|| format!("--arg {argument}: write --arg NAME=VALUE"))?;
        pairs.push((name, value));
    }
    let read = |path: &str| {
        let failed = |error| format!("{path} can't be read: {error}");
        std::fs::read(Path::new(path)).map_err(failed)
    };
    document.arguments(id, &pairs, &|param, value| {
        parse_argument(param, value, &read)
    })
}

fn print_value(shown: &ShownValue) {
    let text = match &shown.value {
        Value::Tensor(array) => value_format::table(array),
        value => value_format::printed(value),
    };
    outln!("  {}: {}", shown.name, shown.ty);
    for line in text.lines() {
        outln!("    {line}");
    }
}

fn print_error(error: &RunError, document: &Document) {
    out!("{}", draw(&error.to_diagnostic(), document.text()));
}

fn finish(json: bool, report: &RunReport, failed: bool) -> Status {
    let status = if failed { Status::Failed } else { Status::Fine };
    if json {
        print_json(report).max(status)
    } else {
        status
    }
}

fn print_json(report: &RunReport) -> Status {
    match serde_json::to_string_pretty(report) {
        Ok(text) => {
            outln!("{text}");
            Status::Fine
        }
        Err(error) => {
            eprintln!("the report can't be written as JSON: {error}");
            Status::Unreadable
        }
    }
}
