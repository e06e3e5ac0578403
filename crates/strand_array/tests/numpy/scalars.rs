//! Row 13: scalars, their kinds, and their arithmetic past the ufunc machinery.

use serde_json::Value as Json;
use strand_array::{Array, Context, DType, Descr, Item, Operator, ScalarKind, Value, operate};

use crate::common::{bytes, canonical, cases, descr, finish};

/// A float as `float.hex` writes it.
fn hex_float(text: &str) -> f64 {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let Some(text) = text.strip_prefix("0x") else {
        return sign * text.parse::<f64>().unwrap();
    };
    let (mantissa, power) = text.split_once('p').unwrap();
    let digits = mantissa.replace('.', "");
    let whole = u64::from_str_radix(&digits, 16).unwrap() as f64;
    let shift = 4 * (digits.len() as i32 - 1);
    sign * whole * 2.0_f64.powi(power.parse::<i32>().unwrap() - shift)
}

fn items(ctx: &Context, name: &Json, hex: &Json) -> Vec<Value> {
    let descr = descr(name);
    let data = bytes(hex);
    let array = Array::from_elements(ctx, &data, &[data.len() / descr.size()], &descr).unwrap();
    let all = 0..array.len() as i64;
    all.map(|i| array.element_at(&[i]).unwrap()).collect()
}

fn weak(kind: &str, values: &Json) -> Vec<Value> {
    let part = |v: &Json, i: usize| hex_float(v[i].as_str().unwrap());
    let values = values.as_array().unwrap().iter();
    values
        .map(|v| match kind {
            "int" => Value::Int(v.as_str().unwrap().parse().unwrap()),
            "float" => Value::Float(part(v, 0)),
            _ => Value::Complex(part(v, 0), part(v, 1)),
        })
        .collect()
}

/// The parts of a number, for comparisons that allow a few units in the last place.
fn parts(value: &Value) -> Option<(f64, f64)> {
    match value {
        Value::Float(v) => Some((*v, 0.0)),
        Value::Complex(a, b) => Some((*a, *b)),
        _ => None,
    }
}

fn near(found: &Item, expected: &Item) -> bool {
    let (Some(a), Some(b)) = (parts(&found.value()), parts(&expected.value())) else {
        return false;
    };
    let epsilon = match found.dtype() {
        DType::F16 => 1e-3,
        DType::F32 | DType::C64 => 1.2e-7,
        _ => 2.3e-16,
    };
    let same = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan();
    if same(a.0, b.0) && same(a.1, b.1) {
        return true;
    }
    let size = b.0.hypot(b.1);
    (a.0 - b.0).hypot(a.1 - b.1) <= 8.0 * epsilon * size
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Item(item) => !item.truth(),
        Value::Int(v) => *v == 0,
        Value::Float(v) => *v == 0.0,
        _ => false,
    }
}

/// Whether a result isn't fixed to the bit: powers, and complex quotients and products.
fn loose(op: Operator, item: &Item) -> bool {
    op == Operator::Pow && !item.dtype().is_integer()
        || op == Operator::Div && item.dtype().is_complex()
        || op == Operator::Abs
}

fn is_complex(value: &Value) -> bool {
    match value {
        Value::Item(item) => item.dtype().is_complex(),
        other => matches!(other, Value::Complex(..)),
    }
}

/// What differs between a result and NumPy's.
fn differs(ctx: &Context, op: Operator, operands: &[&Value], expected: &Json) -> Option<String> {
    let complex = operands.iter().any(|value| is_complex(value));
    // NumPy's complex powers are far from exact, or Python's own, as a host complex number divided by a
    // float64 is.
    if complex && op == Operator::Pow || expected == "ZeroDivisionError" {
        return None;
    }
    let found = operate(op, operands);
    let (values, flags) = match (&found, expected) {
        (Err(error), Json::String(class)) if error.class() == class => return None,
        (Ok((value, found)), Json::Array(_)) => (
            match value {
                Value::Tuple(items) => items.to_vec(),
                one => vec![one.clone()],
            },
            found.bits(),
        ),
        (found, _) => return Some(format!("{found:?}, not {expected}")),
    };
    let mut unspecified = complex;
    for (value, wanted) in values.iter().zip(expected[0].as_array().unwrap()) {
        let wanted = items(ctx, &wanted[0], &wanted[1]).remove(0);
        let (Value::Item(value), Value::Item(wanted)) = (value, &wanted) else {
            return Some(format!("{value:?} is no scalar"));
        };
        if value.descr() != wanted.descr() {
            return Some(format!("{}, not {}", value.descr(), wanted.descr()));
        }
        let raw = |item: &Item| canonical(item.descr(), &item.to_bytes());
        unspecified |= loose(op, value);
        // Here NumPy's scalars report otherwise than its arrays, and f16 otherwise than f32.
        let by_zero = matches!(op, Operator::FloorDiv | Operator::Rem | Operator::DivMod);
        unspecified |= by_zero && !value.dtype().is_integer() && is_zero(operands[1]);
        let same = raw(value) == raw(wanted) || loose(op, value) && near(value, wanted);
        if !same {
            return Some(format!("{value:?}, not {wanted:?}"));
        }
    }
    let wanted = expected[1].as_u64().unwrap();
    (!unspecified && u64::from(flags) != wanted).then(|| format!("found {flags}, not {wanted}"))
}

#[test]
fn row_13_operators_on_scalars_give_numpys_values_types_and_findings() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("scalars") {
        let op = Operator::named(case["op"].as_str().unwrap()).unwrap();
        let left = items(&ctx, &case["a"], &case["left"]);
        let right = match case["b"].as_str() {
            None => vec![],
            Some(kind @ ("int" | "float" | "complex")) => weak(kind, &case["right"]),
            Some(_) => items(&ctx, &case["b"], &case["right"]),
        };
        for (n, expected) in case["r"].as_array().unwrap().iter().enumerate() {
            checked += 1;
            let at = |name: &str| case[name][n].as_u64().unwrap() as usize;
            let operands: Vec<&Value> = match (right.is_empty(), case["swapped"] == true) {
                (true, _) => vec![&left[n]],
                (false, false) => vec![&left[at("i")], &right[at("j")]],
                (false, true) => vec![&right[at("j")], &left[at("i")]],
            };
            if let Some(why) = differs(&ctx, op, &operands, expected) {
                complaints.push(format!("{op:?} {operands:?}: {why}"));
            }
        }
    }
    finish(checked, 1000, &complaints);
}

#[test]
fn row_13_kinds_of_scalars_form_numpys_tree() {
    let line = |dtype: DType| -> Vec<String> {
        ScalarKind::from(dtype)
            .line()
            .map(ScalarKind::name)
            .collect()
    };
    // `[c.__name__ for c in np.int8.__mro__]` without Python's own classes.
    assert_eq!(
        line(DType::I8),
        ["int8", "signedinteger", "integer", "number", "generic"]
    );
    assert_eq!(
        line(DType::U64),
        ["uint64", "unsignedinteger", "integer", "number", "generic"]
    );
    assert_eq!(
        line(DType::F16),
        ["float16", "floating", "inexact", "number", "generic"]
    );
    assert_eq!(
        line(DType::C64),
        [
            "complex64",
            "complexfloating",
            "inexact",
            "number",
            "generic"
        ]
    );
    assert_eq!(line(DType::Bool), ["bool", "generic"]);
    assert_eq!(line(DType::Void), ["void", "flexible", "generic"]);
    assert_eq!(line(DType::Object), ["object", "generic"]);
    assert!(ScalarKind::from(DType::F32).is(ScalarKind::Number));
    assert!(!ScalarKind::from(DType::Bool).is(ScalarKind::Number));
}

#[test]
fn row_13_a_structured_scalar_writes_through_to_its_array() {
    let ctx = Context::default();
    let parts = [
        ("x", Descr::new(DType::I32)),
        ("y", Descr::new(DType::F64).swapped()),
    ];
    let descr = Descr::structured(&parts).unwrap();
    let array = Array::fresh(&ctx, &[2], &descr).unwrap();
    let Value::Item(item) = array.element_at(&[1]).unwrap() else {
        panic!("no scalar");
    };
    item.set_field("y", &Value::Float(2.5)).unwrap();
    item.set_field("x", &Value::Int(-3)).unwrap();
    assert_eq!(array.field("y").unwrap().value_at::<f64>(&[1]), Ok(2.5));
    assert_eq!(item.to_string(), "(-3, 2.5)");
    assert_eq!(item.field("x").unwrap().to_string(), "np.int32(-3)");
    assert_eq!(item.field("z").unwrap_err().class(), "ValueError");
    let error = item.set_field("x", &Value::Int(1 << 40)).unwrap_err();
    assert_eq!(error.class(), "OverflowError");

    let locked = array.with_writeable(false).unwrap();
    let Value::Item(item) = locked.element_at(&[0]).unwrap() else {
        panic!("no scalar");
    };
    assert_eq!(
        item.set_field("x", &Value::Int(1)).unwrap_err().class(),
        "ValueError"
    );

    // A scalar of a number keeps its value when the array changes.
    let numbers = Array::from_vec(&ctx, vec![1_i64, 2]).unwrap();
    let first = numbers.element_at(&[0]).unwrap();
    numbers.set_element(&[0], &Value::Int(9)).unwrap();
    assert_eq!(first.to_string(), "np.int64(1)");
}
