//! Right programs with the interpreter's values, for the run on real PyTorch.

use std::path::Path;
use strand_session::Map;

use serde::Serialize;
use serde_json::{Value as Json, json};
use strand_session::{
    ArrayDType, CallOutcome, Code, Document, Event, RunOptions, SampleCall, Value, data,
};

use super::markdown::Case;

/// The sizes that every axis name takes, beside each its own prime. PyTorch's vmap of an empty axis
/// raises for some bodies, so 0 is left to texts without it.
const SIZES: [i64; 3] = [1, 2, 7];

/// A program for PyTorch, in the form that `tests/torch/run.py` reads.
#[derive(Debug, Serialize)]
pub(crate) struct Exported {
    name: String,
    /// The program, beside the text that a person reads of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    python: String,
    /// Only to be read: what it needs isn't here, or it raises.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    only_text: bool,
    calls: Vec<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prints: Option<Vec<Json>>,
}

/// A case's program, and once more with torch.vmap for its plain chains; none for one with errors.
/// One with errors while running, or that needs a module that only its author has, is only text.
pub(crate) fn case(file: &Path, case: &Case) -> Vec<Exported> {
    let document = Document::new(&case.program);
    let texts = (document.torch(), document.torch_with_vmap());
    let (Some(torch), Some(vmapped)) = texts else {
        return Vec::new();
    };
    let name = format!("{}: {}", file.display(), case.name);
    if case.program.contains("run error:") || needs_modules(&document) {
        return vec![Exported {
            name,
            source: Some(case.program.clone()),
            python: torch.text,
            only_text: true,
            calls: Vec::new(),
            prints: None,
        }];
    }
    let mut prints = Vec::new();
    document.run_script(&RunOptions::default(), &mut |event| match event {
        // The text has `show` as a comment.
        Event::Value(shown) if shown.picture.is_some() => {}
        Event::Value(shown) => prints.push(described(&shown.value)),
        Event::Print(text) => prints.push(json!({ "text": text })),
        Event::Call(_) => {}
    });
    let mut calls = calls(&document, &SIZES);
    let vmapped = (vmapped.text != torch.text).then(|| Exported {
        name: format!("{name} (vmapped)"),
        source: None,
        only_text: false,
        python: vmapped.text,
        calls: calls.clone(),
        prints: Some(prints.clone()),
    });
    if !torch.text.contains("torch.vmap") {
        calls.extend(self::calls(&document, &[0]));
    }
    let plain = Exported {
        name,
        source: Some(case.program.clone()),
        only_text: false,
        python: torch.text,
        calls,
        prints: Some(prints),
    };
    std::iter::once(plain).chain(vmapped).collect()
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

/// Every function on sample arguments: each axis its own prime, then all of each of `sizes`.
fn calls(document: &Document, sizes: &[i64]) -> Vec<Json> {
    let mut calls = Vec::new();
    let primes = document.axis_sizes(&Map::new());
    let uniform = |size: &i64| primes.keys().map(|name| (name.clone(), *size)).collect();
    for sizes in std::iter::once(primes.clone()).chain(sizes.iter().map(uniform)) {
        document.run(
            &RunOptions {
                sizes,
                ..RunOptions::default()
            },
            &mut |event| {
                if let Event::Call(call) = event
                    && is_comparable(document, &call)
                {
                    calls.extend(described_call(&call));
                }
            },
        );
    }
    calls
}

/// Whether a function's text gives just its result, of arguments that aren't models.
fn is_comparable(document: &Document, call: &SampleCall) -> bool {
    let program = document.program();
    let Some(id) = program.find_function(&call.name) else {
        return false;
    };
    let is_model = |value: &Value| matches!(value, Value::Model(..));
    let changes = program
        .function(id)
        .params
        .iter()
        .any(|param| param.mutable);
    let gives = matches!(&call.outcome, CallOutcome::Result(result) if is_model(&result.value));
    !changes && !gives && !call.arguments.iter().any(|arg| is_model(&arg.value))
}

/// `None` for a call that can't run here.
fn described_call(call: &SampleCall) -> Option<Json> {
    let result = match &call.outcome {
        CallOutcome::Result(result) => described(&result.value),
        CallOutcome::Error(error) if error.code == Code::R07 || call.arguments.is_empty() => {
            return None;
        }
        CallOutcome::Error(error) => json!({ "error": error.message }),
        CallOutcome::Skipped(_) => return None,
    };
    let named = |arg: &strand_session::ShownValue| {
        let mut described = described(&arg.value);
        described["name"] = json!(arg.name);
        described
    };
    let args: Vec<Json> = call.arguments.iter().map(named).collect();
    Some(json!({ "function": call.name, "args": args, "result": result }))
}

/// A tensor as dtype, shape and its elements in row-major order; a host value as itself.
fn described(value: &Value) -> Json {
    match value {
        Value::Tensor(array) => {
            let elements: Vec<Json> = match array.dtype() {
                ArrayDType::Bool => array.to_vec_bool().into_iter().map(Json::from).collect(),
                dtype if dtype.is_integer() => {
                    array.to_vec_i64().into_iter().map(Json::from).collect()
                }
                _ => array
                    .to_vec_f64()
                    .into_iter()
                    .map(|v| data(&Value::Float(v)))
                    .collect(),
            };
            json!({ "dtype": array.dtype().name(), "shape": array.shape(), "data": elements })
        }
        Value::Tuple(parts) => json!({ "tuple": parts.iter().map(described).collect::<Vec<_>>() }),
        Value::Float(_) => json!({ "value": data(value), "float": true }),
        value => json!({ "value": data(value) }),
    }
}

/// Writes the programs as one JSON file.
pub(crate) fn write(path: &Path, programs: &[Exported]) -> std::io::Result<()> {
    std::fs::write(path, serde_json::to_vec(programs)?)
}
