//! Programs against values recorded from PyTorch by tests/oracle/interp/record.py.

mod common;

use common::{Kept, run_with};
use serde_json::Value as Json;
use strand_interp::{Options, Value};

const TABLE: &str = include_str!("../../../tests/oracle/interp/values.json");

/// Relative and absolute tolerance of floats.
const RELATIVE: f64 = 1e-5;
const ABSOLUTE: f64 = 1e-6;

fn number(json: &Json) -> f64 {
    match json {
        Json::String(text) => match text.as_str() {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            _ => f64::NEG_INFINITY,
        },
        Json::Bool(v) => f64::from(u8::from(*v)),
        other => other.as_f64().unwrap(),
    }
}

fn close(found: f64, wanted: f64, exact: bool) -> bool {
    if found == wanted || (found.is_nan() && wanted.is_nan()) {
        return true;
    }
    !exact && (found - wanted).abs() <= ABSOLUTE + RELATIVE * wanted.abs()
}

fn dtype_of(value: &Value) -> String {
    match value {
        Value::Tensor(array) => match array.dtype().name() {
            "f32" => "float32",
            "f64" => "float64",
            "i64" => "int64",
            other => other,
        }
        .to_owned(),
        Value::Int(_) => "host int".to_owned(),
        Value::Float(_) => "host float".to_owned(),
        Value::Bool(_) => "host bool".to_owned(),
        other => other.kind().to_owned(),
    }
}

fn data_of(value: &Value) -> (Vec<usize>, Vec<f64>) {
    match value {
        Value::Tensor(array) => (array.shape().to_vec(), array.to_vec_f64()),
        Value::Int(v) => (vec![], vec![*v as f64]),
        Value::Float(v) => (vec![], vec![*v]),
        Value::Bool(v) => (vec![], vec![f64::from(u8::from(*v))]),
        _ => (vec![], vec![]),
    }
}

fn differs(found: &Value, wanted: &Json) -> Option<String> {
    let dtype = wanted["dtype"].as_str().unwrap();
    if dtype_of(found) != dtype {
        return Some(format!("{} instead of {dtype}", dtype_of(found)));
    }
    let (shape, data) = data_of(found);
    let wanted_shape: Vec<usize> = wanted["shape"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_u64().unwrap() as usize)
        .collect();
    if shape != wanted_shape {
        return Some(format!("shape {shape:?} instead of {wanted_shape:?}"));
    }
    let exact = !dtype.contains("float");
    let numbers: Vec<f64> = wanted["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(number)
        .collect();
    let wrong = data
        .iter()
        .zip(&numbers)
        .position(|(found, wanted)| !close(*found, *wanted, exact));
    match wrong {
        Some(at) => Some(format!("{} instead of {} at {at}", data[at], numbers[at])),
        None if data.len() != numbers.len() => Some("another number of elements".to_owned()),
        None => None,
    }
}

fn compare(case: &Json, options: &Options, faults: &mut Vec<String>) {
    let name = case["name"].as_str().unwrap();
    let text = case["strand"].as_str().unwrap();
    let found = strand_check::check(text);
    if let Some(error) = found.diagnostics.iter().find(|d| d.is_error()) {
        let place = error.span.text(text);
        faults.push(format!(
            "{name}: {} {} at {place:?}",
            error.code, error.message
        ));
        return;
    }
    let mut kept = Kept::default();
    if let Err(error) = run_with(text, options, &mut kept) {
        let place = error.span.text(text);
        faults.push(format!("{name}: {error} {:?} at {place:?}", error.notes));
    }
    let shown = case["shown"].as_array().unwrap();
    if shown.len() != kept.shown.len() {
        faults.push(format!(
            "{name}: {} values, not {}",
            kept.shown.len(),
            shown.len()
        ));
    }
    for (found, wanted) in kept.shown.iter().zip(shown) {
        if let Some(why) = differs(&found.value, wanted) {
            faults.push(format!(
                "{name}: `{}` (line {}): {why}",
                found.name, found.line
            ));
        }
    }
    let printed: Vec<_> = case["printed"].as_array().unwrap().iter().collect();
    let printed: Vec<_> = printed.iter().map(|line| line.as_str().unwrap()).collect();
    if printed != kept.printed {
        faults.push(format!(
            "{name}: prints {:?}, not {printed:?}",
            kept.printed
        ));
    }
}

fn compare_all(options: &Options) {
    let table: Json = serde_json::from_str(TABLE).unwrap();
    let cases = table["cases"].as_array().unwrap();
    assert!(cases.len() > 30);
    let mut faults = Vec::new();
    for case in cases {
        compare(case, options, &mut faults);
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn programs_give_the_values_of_pytorch() {
    compare_all(&Options::default());
}

#[test]
fn elements_by_position_are_those_of_views() {
    compare_all(&Options {
        always_gather: true,
        trace: true,
        ..Options::default()
    });
}

#[test]
fn masked_reductions_are_those_of_filtered_values() {
    compare_all(&Options {
        always_mask: true,
        ..Options::default()
    });
}
