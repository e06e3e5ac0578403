//! `cases OUT.json FILE.strand…`: the PyTorch text of programs with calls of their functions on
//! sample arguments and what the interpreter gives, for `tests/torch/run.py`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use strand_array::DType;
use strand_interp::{Fill, Host, Options, Shown, Value};
use strand_ir::{FnId, Program};

/// What a script shows and prints, in order.
struct Script {
    shown: Vec<Json>,
}

impl Host for Script {
    fn show(&mut self, shown: Shown) {
        self.shown.push(value(&shown.value));
    }

    fn print(&mut self, text: &str) {
        self.shown.push(json!({ "text": text }));
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(out) = args.next() else { return };
    let mut cases = Vec::new();
    for path in args {
        let Ok(source) = std::fs::read_to_string(&path) else {
            continue;
        };
        let checked = strand_check::check(&source);
        if checked.has_errors() {
            eprintln!("{path}: {}", checked.diagnostics[0].message);
            continue;
        }
        let text = strand_torch::emit(&checked.program, &source).text;
        cases.push(json!({
            "name": path,
            "python": text,
            "strand": source,
            "calls": calls(&checked.program, &source),
            "prints": prints(&checked.program, &source),
        }));
    }
    let text = serde_json::to_string(&cases).unwrap_or_default();
    if std::fs::write(&out, text).is_err() {
        eprintln!("{out} can't be written");
    }
}

fn prints(program: &Program, source: &str) -> Json {
    let mut host = Script { shown: Vec::new() };
    match strand_interp::run_script(program, source, &Options::default(), &mut host) {
        Ok(_) => Json::Array(host.shown),
        Err(error) => json!({ "error": error.message }),
    }
}

fn calls(program: &Program, source: &str) -> Vec<Json> {
    let mut calls = Vec::new();
    for (at, function) in program.functions.iter().enumerate() {
        let id = FnId(at as u32);
        for (size, fill) in [(1, Fill::Normal(1)), (2, Fill::Normal(2)), (7, Fill::Index)] {
            let names = function.axis_names.iter();
            let sizes: BTreeMap<String, i64> = names
                .map(|symbol| (program.symbols.name(*symbol).to_owned(), size))
                .collect();
            let options = Options::default();
            let Ok((args, _)) =
                strand_interp::sample_arguments(program, id, &sizes, fill, options.memory_limit)
            else {
                continue;
            };
            let given: Vec<Json> = function
                .params
                .iter()
                .zip(&args)
                .map(|(param, arg)| {
                    let mut json = value(arg);
                    json["name"] = json!(&*param.name);
                    json
                })
                .collect();
            let mut host = Script { shown: Vec::new() };
            let result = strand_interp::call(program, source, id, args, &options, &mut host);
            let result = match result {
                Ok((result, _)) => value(&result),
                Err(error) => json!({ "error": error.message }),
            };
            calls.push(json!({ "function": &*function.name, "args": given, "result": result }));
        }
    }
    calls
}

fn value(value: &Value) -> Json {
    match value {
        Value::Tensor(array) => {
            let data: Vec<Json> = match array.dtype() {
                DType::Bool => array.to_vec_bool().into_iter().map(Json::from).collect(),
                DType::I64 => array.to_vec_i64().into_iter().map(Json::from).collect(),
                _ => array.to_vec_f64().into_iter().map(float).collect(),
            };
            let dtype = array.dtype().to_string();
            json!({ "dtype": dtype, "shape": array.shape(), "data": data })
        }
        Value::Int(v) => json!({ "value": v }),
        Value::Float(v) => json!({ "value": float(*v), "float": true }),
        Value::Bool(v) => json!({ "value": v }),
        Value::Str(v) => json!({ "value": v }),
        Value::Tuple(parts) => {
            json!({ "tuple": parts.iter().map(self::value).collect::<Vec<_>>() })
        }
        _ => Json::Null,
    }
}

fn float(value: f64) -> Json {
    if value.is_nan() {
        json!("NaN")
    } else if value.is_infinite() {
        json!(if value > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        json!(value)
    }
}
