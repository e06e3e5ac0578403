//! The functions of f32 against exact values that mpmath computed.

use serde_json::Value;
use strand_array::{Array, BinaryOp, Context, UnaryOp, binary, unary};

/// The recorded rows of numbers of a function.
fn rows(name: &str) -> Vec<Vec<u64>> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/oracle/functions/functions.json"
    );
    let text = std::fs::read_to_string(path).unwrap();
    let table: Value = serde_json::from_str(&text).unwrap();
    let numbers = |row: &Value| {
        let row = row.as_array().unwrap().iter();
        row.map(|v| v.as_u64().unwrap()).collect()
    };
    table[name]
        .as_array()
        .unwrap()
        .iter()
        .map(numbers)
        .collect()
}

fn column(rows: &[Vec<u64>], at: usize) -> Vec<f32> {
    rows.iter().map(|r| f32::from_bits(r[at] as u32)).collect()
}

/// Units in the last place of f32 between a result and the exact value.
fn ulps(found: f32, exact: f64) -> f64 {
    let near = exact as f32;
    if near.is_infinite() || found.is_infinite() {
        return if near == found { 0.0 } else { f64::INFINITY };
    }
    let next = f32::from_bits(near.abs().to_bits() + 1);
    let unit = f64::from(next) - f64::from(near.abs());
    (f64::from(found) - exact).abs() / unit
}

/// The largest error, in ulps, with its row.
fn worst(found: &Array, rows: &[Vec<u64>]) -> (f64, Vec<u64>) {
    let errors = found.to_vec::<f32>().unwrap().into_iter().zip(rows);
    errors
        .map(|(v, row)| {
            let exact = f64::from_bits(row[row.len() - 1]);
            (ulps(v, exact), row.clone())
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap()
}

#[test]
fn functions_are_as_close_as_their_documentation_says() {
    let ctx = Context::default();
    let limits = [
        (UnaryOp::Exp, 1.0),
        (UnaryOp::Log, 1.0),
        (UnaryOp::Tanh, 2.0),
        (UnaryOp::Erf, 1.5),
        (UnaryOp::Sigmoid, 2.0),
        (UnaryOp::Softplus, 2.0),
        (UnaryOp::Sin, 2.0),
        (UnaryOp::Cos, 2.0),
    ];
    for (op, limit) in limits {
        let rows = rows(op.name());
        assert!(rows.len() > 400);
        let x = Array::from_vec(&ctx, column(&rows, 0)).unwrap();
        let (error, row) = worst(&unary(&ctx, op, &x).unwrap(), &rows);
        let at = f32::from_bits(row[0] as u32);
        assert!(error <= limit, "{}({at:e}) is {error} ulps off", op.name());
    }
}

#[test]
fn powers_are_within_one_ulp() {
    let ctx = Context::default();
    let rows = rows("pow");
    let x = Array::from_vec(&ctx, column(&rows, 0)).unwrap();
    let y = Array::from_vec(&ctx, column(&rows, 1)).unwrap();
    let (error, row) = worst(&binary(&ctx, BinaryOp::Pow, &x, &y).unwrap(), &rows);
    assert!(error <= 1.0, "{row:?}: {error} ulps");
}

/// A lane's result never depends on its neighbours, nor on where in a block it stands.
#[test]
fn an_element_alone_gives_the_same_bits() {
    let ctx = Context::default();
    for op in [UnaryOp::Sin, UnaryOp::Exp, UnaryOp::Gelu, UnaryOp::Log] {
        let mut values = column(&rows(op.name()), 0);
        values.extend([f32::INFINITY, 1e9, f32::NAN, -0.0, 3e-45]);
        let whole = unary(&ctx, op, &Array::from_vec(&ctx, values.clone()).unwrap()).unwrap();
        for (v, together) in values.into_iter().zip(whole.to_vec::<f32>().unwrap()) {
            let one = Array::from_vec(&ctx, vec![v]).unwrap();
            let alone = unary(&ctx, op, &one).unwrap().to_vec::<f32>().unwrap()[0];
            let same = alone.to_bits() == together.to_bits() || alone.is_nan() && together.is_nan();
            assert!(same, "{}({v:e}): {alone:e} {together:e}", op.name());
        }
    }
}
