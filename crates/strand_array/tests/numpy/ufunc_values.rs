//! Rows 20 and 23: every loop on a grid of edge values, and the findings of each element alone.

use serde_json::Value;
use strand_array::ufunc::{CallOptions, Mode, Modes, Numerics, Operand, Ufunc, parse_signature};
use strand_array::{Array, Context};

use crate::common::{bytes, cases, descr, finish, sizes};
use crate::ufuncs::{tolerance, values_differ};

fn plain(ctx: &Context, value: &Value) -> Array {
    let descr = descr(&value["d"]);
    let (data, shape) = (bytes(&value["b"]), sizes(&value["s"]));
    let item = descr.size() as isize;
    Array::from_bytes(ctx, &data, 0, &shape, &[item], descr).unwrap()
}

/// The bits of NumPy's findings in the record.
fn bits(numerics: &Numerics) -> u32 {
    let kinds = ["divide by zero", "overflow", "underflow", "invalid value"];
    let record = numerics.take_record();
    let bit = |(k, kind): (usize, &&str)| {
        let found = record.iter().any(|event| event.text.starts_with(*kind));
        u32::from(found) << k
    };
    kinds.iter().enumerate().map(bit).sum()
}

fn one(array: &Array, i: usize) -> Array {
    let at = array.offset() + i * array.item_size();
    array
        .with_layout(
            at,
            &[1],
            &[array.item_size() as isize],
            array.descr().clone(),
        )
        .unwrap()
}

#[test]
fn row_23_every_loop_gives_numpys_values_at_the_edges() {
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("ufunc_values") {
        let numerics = Numerics::new(&Context::default());
        numerics.set_modes(Modes::all(Mode::Ignore));
        let name = case["u"].as_str().unwrap();
        let ufunc = Ufunc::named(name).unwrap();
        let types = case["types"].as_str().unwrap();
        let inputs: Vec<Array> = case["in"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| plain(numerics.context(), v))
            .collect();
        let operands: Vec<Operand> = inputs.iter().map(Operand::from).collect();
        let options = CallOptions {
            signature: Some(parse_signature(types, ufunc.nin(), ufunc.nout()).unwrap()),
            ..CallOptions::default()
        };
        let called = match ufunc.call(&numerics, &operands, &options) {
            Ok(called) => called,
            Err(error) => {
                complaints.push(format!("{name} {types}: {error}"));
                continue;
            }
        };
        let loose = case["loose"].as_str().unwrap_or("");
        for (out, expected) in called.outputs.iter().zip(case["v"].as_array().unwrap()) {
            let within = inputs[0].dtype();
            let ulps = tolerance(name, within).min(if within.is_complex() {
                f64::MAX
            } else if name.starts_with("logadd") {
                16.0
            } else {
                2.0
            });
            let wanted = plain(numerics.context(), expected);
            for i in 0..out.len() {
                checked += 1;
                if loose.as_bytes().get(i) == Some(&b'1') {
                    continue;
                }
                let mut single = expected.clone();
                single["s"] = serde_json::json!([1]);
                let hex: String = one(&wanted, i)
                    .to_bytes()
                    .iter()
                    .map(|b| format!("{b:02x}"))
                    .collect();
                single["b"] = hex.into();
                if let Some(difference) = values_differ(&one(out, i), &single, ulps, out.dtype()) {
                    let of: Vec<Vec<f64>> = inputs
                        .iter()
                        .map(|a| crate::ufuncs::numbers(a.descr(), &one(a, i).to_bytes()))
                        .collect();
                    complaints.push(format!("{name}: {types} of {of:?}: {difference}"));
                }
            }
        }
    }
    finish(checked, 10_000, &complaints);
}

#[test]
fn row_20_each_element_reports_what_numpy_reports() {
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("ufunc_values") {
        let Some(wanted) = case["found"].as_str() else {
            continue;
        };
        let numerics = Numerics::new(&Context::default());
        numerics.set_modes(Modes::all(Mode::Warn));
        let name = case["u"].as_str().unwrap();
        let ufunc = Ufunc::named(name).unwrap();
        let inputs: Vec<Array> = case["in"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| plain(numerics.context(), v))
            .collect();
        for (i, expected) in wanted.chars().enumerate() {
            let operands: Vec<Operand> = inputs.iter().map(|a| one(a, i).into()).collect();
            ufunc
                .call(&numerics, &operands, &CallOptions::default())
                .unwrap();
            let found = bits(&numerics);
            checked += 1;
            if expected != '?' && Some(found) != expected.to_digit(16) {
                let of: Vec<Vec<f64>> = inputs
                    .iter()
                    .map(|a| crate::ufuncs::numbers(a.descr(), &one(a, i).to_bytes()))
                    .collect();
                complaints.push(format!(
                    "{name}: {} of {of:?}: found {found}, not {expected}",
                    case["types"]
                ));
            }
        }
    }
    finish(checked, 1_000, &complaints);
}
