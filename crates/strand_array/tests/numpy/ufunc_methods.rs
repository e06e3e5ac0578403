//! Row 21: reduce, accumulate, reduceat, outer and at.

use serde_json::Value;
use strand_array::ufunc::{
    AlongOptions, Axes, CallOptions, Initial, Numerics, ReduceOptions, Reduced, Ufunc,
    parse_signature,
};
use strand_array::{Array, ArrayError, Context, DType, IndexItem, Result};

use crate::common::{array, cases, class_differs, finish};
use crate::ufunc_calls::kinds;
use crate::ufuncs::{operand, operands, place, sums_differ, tolerance};

fn dtype(case: &Value) -> Option<DType> {
    case["dtype"]
        .as_str()
        .and_then(|code| parse_signature(code, 0, 1).unwrap()[0])
}

fn out(ctx: &Context, case: &Value, beside: &Array) -> Option<Array> {
    case["out"]
        .is_object()
        .then(|| place(ctx, &case["out"], Some(beside)))
}

fn axis_list(case: &Value) -> Axes {
    match &case["axis"] {
        Value::Null => Axes::All,
        Value::Array(list) => Axes::These(list.iter().map(|a| a.as_i64().unwrap()).collect()),
        axis => Axes::One(axis.as_i64().unwrap()),
    }
}

fn reduce(numerics: &Numerics, ufunc: Ufunc, case: &Value) -> Result<Reduced> {
    let ctx = numerics.context();
    let source = array(ctx, &case["a"]);
    let initial = match &case["initial"] {
        Value::Null => Initial::Identity,
        value if value["none"].is_number() => Initial::First,
        value => Initial::Value(operand(ctx, value, None)),
    };
    let options = ReduceOptions {
        axes: axis_list(case),
        dtype: dtype(case),
        out: out(ctx, case, &source),
        keepdims: case["keepdims"].as_bool().unwrap(),
        initial,
        mask: case["where"]
            .is_object()
            .then(|| array(ctx, &case["where"])),
    };
    ufunc.reduce(numerics, &source, &options)
}

fn along(numerics: &Numerics, ufunc: Ufunc, case: &Value) -> Result<Reduced> {
    let ctx = numerics.context();
    let source = array(ctx, &case["a"]);
    let options = AlongOptions {
        axis: case["axis"].as_i64().unwrap(),
        dtype: dtype(case),
        out: out(ctx, case, &source),
    };
    match case["indices"].as_array() {
        Some(indices) => {
            let indices: Vec<i64> = indices.iter().map(|i| i.as_i64().unwrap()).collect();
            ufunc.reduceat(numerics, &source, &indices, &options)
        }
        None => ufunc.accumulate(numerics, &source, &options),
    }
}

fn at(numerics: &Numerics, ufunc: Ufunc, case: &Value) -> Result<Array> {
    let ctx = numerics.context();
    let target = array(ctx, &case["a"]);
    let items: Vec<IndexItem> = case["x"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| match item["s"].as_array() {
            Some(parts) => IndexItem::Slice {
                start: parts[0].as_i64(),
                stop: parts[1].as_i64(),
                step: parts[2].as_i64().unwrap(),
            },
            None => IndexItem::IntArray(array(ctx, &item["a"])),
        })
        .collect();
    let value = operand(ctx, &case["b"], None);
    ufunc.at(numerics, &target, &items, Some(&value))?;
    Ok(target)
}

fn result(numerics: &Numerics, ufunc: Ufunc, case: &Value) -> Result<(Array, Option<bool>)> {
    let reduced = |r: Reduced| (r.output, Some(r.scalar));
    match case["m"].as_str().unwrap() {
        "reduce" => reduce(numerics, ufunc, case).map(reduced),
        "accumulate" | "reduceat" => along(numerics, ufunc, case).map(reduced),
        "at" => at(numerics, ufunc, case).map(|a| (a, None)),
        "outer" => {
            let inputs = operands(numerics.context(), case);
            let mut called =
                ufunc.outer(numerics, &inputs[0], &inputs[1], &CallOptions::default())?;
            Ok((called.outputs.remove(0), Some(called.scalars[0])))
        }
        other => unreachable!("{other}"),
    }
}

/// Runs the cases of one method.
fn check(method: &str) {
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("ufunc_methods")
        .iter()
        .filter(|case| case["m"] == method)
    {
        let numerics = Numerics::new(&Context::default());
        let name = case["u"].as_str().unwrap();
        let found = result(&numerics, Ufunc::named(name).unwrap(), case);
        checked += 1;
        let loose = case["loose"].is_number();
        // What the machine makes of a float outside an integer's range may be a negative power.
        let refused = found
            .as_ref()
            .is_err_and(|e| *e == ArrayError::NegativePower);
        if loose && (refused || case["e"] == "ValueError") {
            continue;
        }
        let difference = class_differs(&found, case).or_else(|| {
            let (output, scalar) = found.as_ref().ok()?;
            if loose {
                return None;
            }
            let expected = &case["v"][0];
            if scalar.is_some_and(|s| Some(s) != case["scalar"].as_bool()) {
                return Some(format!("scalar {scalar:?}"));
            }
            let wanted: Option<Vec<&str>> = case["w"]
                .as_array()
                .map(|w| w.iter().filter_map(Value::as_str).collect());
            let kinds = kinds(&numerics);
            let steps = if method == "outer" { 1.0 } else { 8.0 };
            let half = output.dtype() == DType::F16
                && matches!(name, "add" | "multiply" | "divide" | "subtract");
            let ulps = if half {
                4.0
            } else {
                steps * tolerance(name, output.dtype())
            };
            let sum = name == "add" && (output.dtype().is_float() || output.dtype().is_complex());
            // The largest of the values that are drawn.
            let (ulps, terms) = match name {
                _ if sum || half => (4.0, 100.25),
                "multiply" if !output.dtype().is_integer() => (4.0_f64.max(ulps), 0.0),
                _ => (ulps, 0.0),
            };
            sums_differ(output, expected, ulps, output.dtype(), terms).or_else(|| {
                let wanted = wanted?;
                (kinds != wanted).then(|| format!("found {kinds:?}, not {wanted:?}"))
            })
        });
        if let Some(difference) = difference {
            let text: String = case.to_string().chars().take(700).collect();
            complaints.push(format!("{name}: {difference}\n    {text}"));
        }
    }
    finish(checked, 100, &complaints);
}

#[test]
fn row_21_reduce() {
    check("reduce");
}

#[test]
fn row_21_accumulate() {
    check("accumulate");
}

#[test]
fn row_21_reduceat() {
    check("reduceat");
}

#[test]
fn row_21_outer() {
    check("outer");
}

#[test]
fn row_21_at() {
    check("at");
}
