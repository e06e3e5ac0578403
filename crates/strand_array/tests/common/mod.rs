//! Reading the recorded tables and comparing with them.
#![allow(dead_code)]

use serde_json::Value;
use strand_array::{Array, Context, DType, Result};

pub fn table(name: &str) -> Value {
    let path = format!(
        "{}/../../tests/oracle/array/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let table: Value = serde_json::from_str(&text).unwrap();
    table["cases"].clone()
}

pub fn sizes(value: &Value) -> Vec<usize> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_u64().unwrap() as usize)
        .collect()
}

pub fn decode(ctx: &Context, value: &Value) -> Array {
    let shape = sizes(&value["s"]);
    let bits: Vec<i64> = value["v"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_i64().unwrap())
        .collect();
    match value["d"].as_str().unwrap() {
        "bool" => Array::from_slice(
            ctx,
            &bits.iter().map(|v| *v != 0).collect::<Vec<_>>(),
            &shape,
        ),
        "i64" => Array::from_slice(ctx, &bits, &shape),
        "f32" => {
            let values: Vec<f32> = bits.iter().map(|v| f32::from_bits(*v as u32)).collect();
            Array::from_slice(ctx, &values, &shape)
        }
        "f64" => {
            let values: Vec<f64> = bits.iter().map(|v| f64::from_bits(*v as u64)).collect();
            Array::from_slice(ctx, &values, &shape)
        }
        other => panic!("dtype {other}"),
    }
    .unwrap()
}

/// Applies recorded view steps.
pub fn view(array: &Array, steps: &Value) -> Array {
    let mut array = array.clone();
    for step in steps.as_array().unwrap() {
        let number = |i: usize| step[i].as_i64().unwrap();
        array = match step[0].as_str().unwrap() {
            "permute" => array.permute(&sizes(&step[1])),
            "slice" => array.slice(
                number(1) as usize,
                step[2].as_i64(),
                step[3].as_i64(),
                number(4),
            ),
            "insert" => array.insert_axis(number(1) as usize),
            "select" => array.select(number(1) as usize, number(2)),
            "flip" => array.flip(number(1) as usize),
            "broadcast" => array.broadcast_to(&sizes(&step[1])),
            other => panic!("step {other}"),
        }
        .unwrap();
    }
    array
}

/// How near a float has to be.
#[derive(Clone, Copy, Debug)]
pub enum Near {
    /// The same value; the sign of a zero and the bits of a NaN don't count.
    Exact,
    /// Units in the last place.
    Ulps(u64),
    /// Relative, with an absolute floor.
    Relative(f64, f64),
}

fn ordered(x: f64, dtype: DType) -> i64 {
    let bits = if dtype == DType::F32 {
        i64::from((x as f32).to_bits() as i32)
    } else {
        x.to_bits() as i64
    };
    let sign = if dtype == DType::F32 {
        i64::from(i32::MIN)
    } else {
        i64::MIN
    };
    if bits < 0 {
        sign.wrapping_sub(bits)
    } else {
        bits
    }
}

pub fn near(found: f64, expected: f64, dtype: DType, how: Near) -> bool {
    if found == expected || (found.is_nan() && expected.is_nan()) {
        return true;
    }
    match how {
        Near::Exact => false,
        Near::Ulps(n) => {
            !found.is_nan()
                && !expected.is_nan()
                && ordered(found, dtype).abs_diff(ordered(expected, dtype)) <= n
        }
        Near::Relative(relative, absolute) => {
            (found - expected).abs() <= relative * expected.abs() + absolute
        }
    }
}

/// Compares a result with a recorded one; says what differs.
pub fn differs(
    ctx: &Context,
    found: &Result<Array>,
    expected: &Value,
    how: Near,
) -> Option<String> {
    if let Some(error) = expected.get("error") {
        return found
            .as_ref()
            .ok()
            .map(|a| format!("expected {error}, found {a:?}"));
    }
    let found = match found {
        Ok(found) => found,
        Err(error) => return Some(format!("expected a value, found the error: {error}")),
    };
    let expected = decode(ctx, expected);
    if found.shape() != expected.shape() || found.dtype() != expected.dtype() {
        return Some(format!(
            "expected {} {:?}, found {} {:?}",
            expected.dtype(),
            expected.shape(),
            found.dtype(),
            found.shape()
        ));
    }
    if found.dtype() == DType::I64 {
        let (f, e) = (found.to_vec_i64(), expected.to_vec_i64());
        return (f != e).then(|| format!("expected {e:?}, found {f:?}"));
    }
    let (f, e) = (found.to_vec_f64(), expected.to_vec_f64());
    let at = f
        .iter()
        .zip(&e)
        .position(|(f, e)| !near(*f, *e, found.dtype(), how));
    at.map(|i| format!("element {i}: expected {:e}, found {:e}", e[i], f[i]))
}

/// Fails with all complaints, if there are any.
pub fn finish(checked: usize, at_least: usize, complaints: &[String]) {
    assert!(checked >= at_least, "only {checked} cases were checked");
    let shown: Vec<_> = complaints.iter().take(40).cloned().collect();
    assert!(
        complaints.is_empty(),
        "{} of {checked}:\n{}",
        complaints.len(),
        shown.join("\n")
    );
}
