//! `cases OUT.json FILE.strand…`: the PyTorch text of programs with calls of their functions on
//! sample arguments and what the interpreter gives, for `tests/torch/run.py`. A program with plain
//! chains is written once more with torch.vmap in their place: both must give the same.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use strand_array::DType;
use strand_interp::{Fill, Host, Options, Shown, Value};
use strand_ir::{ExprKind, FnId, Iter, IterKind, Lowering, Program};
use strand_source::{Code, Span};

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
        let program = checked.program;
        let text = strand_torch::emit(&program, &source).text;
        // On an empty axis some vmapped bodies raise in PyTorch.
        let sizes: &[i64] = if text.contains("torch.vmap") {
            &[1, 2, 7]
        } else {
            &[0, 1, 2, 7]
        };
        cases.push(json!({
            "name": path,
            "python": text,
            "calls": calls(&program, &source, sizes),
            "prints": prints(&program, &source),
        }));
        let vmapped = strand_torch::emit(&with_vmap(&program), &source).text;
        if vmapped != text {
            cases.push(json!({
                "name": format!("{path} with vmap"),
                "python": vmapped,
                "calls": calls(&program, &source, &[1, 2, 7]),
            }));
        }
    }
    let text = serde_json::to_string(&cases).unwrap_or_default();
    if std::fs::write(&out, text).is_err() {
        eprintln!("{out} can't be written");
    }
}

/// The program with torch.vmap for every plain chain.
fn with_vmap(program: &Program) -> Program {
    let mut program = program.clone();
    let functions = program.functions.iter_mut();
    let bodies = functions.flat_map(|function| &mut function.instances);
    for stmt in bodies.flat_map(|body| &mut body.stmts) {
        stmt.each_expr_mut(&mut |expr| match &mut expr.kind {
            ExprKind::Map { iter, lowering, .. } => {
                vmap(lowering);
                vmap_filters(iter);
            }
            ExprKind::Filter { iter } => vmap_filters(iter),
            _ => {}
        });
    }
    program
}

fn vmap_filters(iter: &mut Iter) {
    match &mut iter.kind {
        IterKind::Zip(parts) => parts.iter_mut().for_each(vmap_filters),
        IterKind::Enumerate(inner) => vmap_filters(inner),
        IterKind::Filter {
            input, lowering, ..
        } => {
            vmap(lowering);
            vmap_filters(input);
        }
        IterKind::Size(_) | IterKind::Range(..) | IterKind::Slices { .. } => {}
    }
}

fn vmap(lowering: &mut Lowering) {
    match lowering {
        Lowering::Plain => {
            *lowering = Lowering::Vmap {
                reason: String::new(),
                construct: Span::default(),
            };
        }
        Lowering::Masked(mask) => vmap(mask),
        Lowering::Pending | Lowering::Vmap { .. } => {}
    }
}

fn prints(program: &Program, source: &str) -> Json {
    let mut host = Script { shown: Vec::new() };
    match strand_interp::run_script(program, source, &Options::default(), &mut host) {
        Ok(_) => Json::Array(host.shown),
        Err(error) => json!({ "error": error.message }),
    }
}

fn calls(program: &Program, source: &str, sizes: &[i64]) -> Vec<Json> {
    let mut calls = Vec::new();
    for (at, function) in program.functions.iter().enumerate() {
        let id = FnId(at as u32);
        for size in sizes.iter().copied() {
            let fill = match size {
                7 => Fill::Index,
                _ => Fill::Normal(size.unsigned_abs()),
            };
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
                Err(error) if error.code == Code::R07 => continue,
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
