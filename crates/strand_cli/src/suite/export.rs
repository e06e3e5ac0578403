//! Right programs with the interpreter's values, for the run on real PyTorch.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value as Json, json};
use strand_session::{CallOutcome, Document, Event, RunOptions, Value, data, value_dtype};

use super::markdown::Case;

/// The sizes that every axis name takes, beside each its own prime.
const SIZES: [i64; 3] = [1, 2, 7];

/// A program for PyTorch.
#[derive(Debug, Serialize)]
pub(crate) struct Exported {
    name: String,
    python: String,
    calls: Vec<Json>,
    prints: Vec<Json>,
}

/// A case's program; `None` for one with errors, with run errors, or that needs a module that only
/// its author has.
pub(crate) fn case(file: &Path, case: &Case) -> Option<Exported> {
    let document = Document::new(&case.program);
    let python = document.torch()?.text;
    if case.program.contains("run error:") || needs_modules(&document) {
        return None;
    }
    let mut exported = Exported {
        name: format!("{}: {}", file.display(), case.name),
        python,
        calls: Vec::new(),
        prints: Vec::new(),
    };
    document.run_script(&RunOptions::default(), &mut |event| match event {
        Event::Value(shown) => exported.prints.push(described(&shown.value)),
        Event::Print(text) => exported.prints.push(json!({ "text": text })),
        Event::Call(_) => {}
    });
    add_calls(&document, &RunOptions::default(), &mut exported.calls);
    for size in SIZES {
        let sizes = document.axis_sizes(&Default::default());
        let sizes = sizes.into_keys().map(|name| (name, size)).collect();
        add_calls(
            &document,
            &RunOptions {
                sizes,
                ..RunOptions::default()
            },
            &mut exported.calls,
        );
    }
    Some(exported)
}

fn needs_modules(document: &Document) -> bool {
    let program = document.program();
    let known = |module: &str| module == "math" || module.split('.').next() == Some("torch");
    !program.imports.is_empty()
        || program
            .externs
            .iter()
            .any(|external| !known(&external.module))
}

fn add_calls(document: &Document, options: &RunOptions, calls: &mut Vec<Json>) {
    document.run(options, &mut |event| {
        let Event::Call(call) = event else { return };
        if let CallOutcome::Result(result) = &call.outcome {
            let args: Vec<Json> = call
                .arguments
                .iter()
                .map(|arg| described(&arg.value))
                .collect();
            let result = described(&result.value);
            calls.push(json!({ "function": call.name, "args": args, "result": result }));
        }
    });
}

/// A tensor as dtype, shape and nested data; a host value as itself.
fn described(value: &Value) -> Json {
    match value {
        Value::Tensor(array) => {
            json!({ "dtype": array.dtype().name(), "shape": array.shape(), "data": data(value) })
        }
        Value::Tuple(parts) => json!({ "tuple": parts.iter().map(described).collect::<Vec<_>>() }),
        value => json!({ "kind": value_dtype(value), "value": data(value) }),
    }
}

/// Writes the programs as one JSON file.
pub(crate) fn write(path: &Path, programs: &[Exported]) -> std::io::Result<()> {
    std::fs::write(path, serde_json::to_vec(programs)?)
}
