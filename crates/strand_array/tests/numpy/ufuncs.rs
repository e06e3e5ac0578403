//! What the families of ufuncs share: operands as `ufuncs.py` writes them, and how values compare.

use serde_json::Value;
use strand_array::ufunc::{Called, Operand};
use strand_array::{Array, Context, DType, Descr};

use crate::common::{array, bytes, canonical, descr, sizes, strides};

/// An operand; one in the block of `beside` refers to it.
pub fn operand(ctx: &Context, value: &Value, beside: Option<&Array>) -> Operand {
    if let Some(value) = value["bool"].as_bool() {
        return Operand::Bool(value);
    }
    if let Some(text) = value["int"].as_str() {
        return Operand::Int(text.parse().unwrap());
    }
    if let Some(value) = value["float"].as_f64() {
        return Operand::Float(value);
    }
    if let Some(parts) = value["complex"].as_array() {
        return Operand::Complex(parts[0].as_f64().unwrap(), parts[1].as_f64().unwrap());
    }
    Operand::Array(place(ctx, value, beside))
}

/// An array of its own, or one in the block of `beside`.
pub fn place(ctx: &Context, value: &Value, beside: Option<&Array>) -> Array {
    match beside {
        Some(beside) if value["same"].is_number() => beside
            .with_layout(
                value["o"].as_u64().unwrap() as usize,
                &sizes(&value["s"]),
                &strides(&value["t"]),
                descr(&value["d"]),
            )
            .unwrap(),
        _ => array(ctx, value),
    }
}

/// The operands of a case.
pub fn operands(ctx: &Context, case: &Value) -> Vec<Operand> {
    let mut found: Vec<Operand> = vec![];
    for value in case["in"].as_array().unwrap() {
        let beside = first_array(&found);
        found.push(operand(ctx, value, beside.as_ref()));
    }
    found
}

pub fn first_array(operands: &[Operand]) -> Option<Array> {
    operands.iter().find_map(|o| match o {
        Operand::Array(array) => Some(array.clone()),
        _ => None,
    })
}

/// Functions whose values aren't fixed to the last place, in units of it (f32 and f64).
pub fn tolerance(ufunc: &str, dtype: DType) -> f64 {
    let complex = dtype.is_complex();
    match ufunc {
        "power" | "float_power" if complex => 256.0,
        // NumPy's own loses digits near 0.
        "log1p" | "exp2" if complex => 4096.0,
        "multiply" | "divide" | "square" | "reciprocal" | "absolute" | "sign" if complex => 3.0,
        // The sum of x and a logarithm may cancel.
        "logaddexp" | "logaddexp2" => 16.0,
        "absolute" => 2.0,
        "arccos" | "arccosh" | "arcsin" | "arcsinh" | "arctan" | "arctan2" | "arctanh" | "cbrt"
        | "cos" | "cosh" | "exp" | "exp2" | "expm1" | "hypot" | "log" | "log10" | "log1p"
        | "log2" | "power" | "float_power" | "sin" | "sinh" | "sqrt" | "tan" | "tanh"
            if complex || ufunc != "sqrt" =>
        {
            if complex {
                8.0
            } else {
                4.0
            }
        }
        _ => 0.0,
    }
}

/// What differs between values, within `ulps` units in the last place of the type `within`.
pub fn values_differ(found: &Array, expected: &Value, ulps: f64, within: DType) -> Option<String> {
    sums_differ(found, expected, ulps, within, 0.0)
}

/// The same, where units are those of numbers of at least the size `terms`: of sums that may cancel.
pub fn sums_differ(
    found: &Array,
    expected: &Value,
    ulps: f64,
    within: DType,
    terms: f64,
) -> Option<String> {
    let wanted = descr(&expected["d"]);
    if found.descr().dtype() != wanted.dtype() {
        return Some(format!("dtype {}, not {wanted}", found.descr()));
    }
    if found.shape() != sizes(&expected["s"]) {
        return Some(format!("shape {:?}, not {}", found.shape(), expected["s"]));
    }
    let a = canonical(found.descr(), &found.to_bytes());
    let b = canonical(&wanted, &bytes(&expected["b"]));
    if a == b && found.descr() == &wanted {
        return None;
    }
    let (x, y) = (numbers(found.descr(), &a), numbers(&wanted, &b));
    let parts = if wanted.dtype().is_complex() { 2 } else { 1 };
    let (tiny, unit) = [within, wanted.dtype()]
        .map(units)
        .into_iter()
        .reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)))
        .unwrap();
    for (i, (p, q)) in x.chunks(parts).zip(y.chunks(parts)).enumerate() {
        let size = q
            .iter()
            .filter(|v| v.is_finite())
            .fold(0.0_f64, |m, v| m.max(v.abs()));
        let limit = ulps * unit * size.max(tiny).max(terms);
        let same = p.iter().zip(q).all(|(a, b)| {
            a == b || (a.is_nan() && b.is_nan()) || (ulps > 0.0 && (a - b).abs() <= limit)
        });
        // Parts that the limited range of c64 makes NaN in NumPy are computed in c128 here.
        let same =
            same || (within == DType::C64 && q[0].is_infinite() && q.iter().any(|v| v.is_nan()));
        if !same {
            return Some(format!("element {i} is {p:?}, not {q:?}"));
        }
    }
    None
}

/// The least normal number and the distance from 1 to the next one.
fn units(dtype: DType) -> (f64, f64) {
    match dtype {
        DType::F16 => (6.2e-5, 1.0 / 1024.0),
        DType::BF16 => (f64::from(f32::MIN_POSITIVE), 1.0 / 128.0),
        DType::F32 | DType::C64 => (f64::from(f32::MIN_POSITIVE), f64::from(f32::EPSILON)),
        _ => (f64::MIN_POSITIVE, f64::EPSILON),
    }
}

/// The parts of all elements.
pub fn numbers(descr: &Descr, data: &[u8]) -> Vec<f64> {
    let part = match descr.dtype() {
        DType::C64 => 4,
        DType::C128 => 8,
        other => other.size(),
    };
    let number = |item: &[u8]| {
        let mut item = item.to_vec();
        if descr.is_swapped() {
            item.reverse();
        }
        let mut wide = [0; 8];
        wide[..part].copy_from_slice(&item);
        let bits = u64::from_le_bytes(wide);
        match descr.dtype() {
            DType::F16 => half(bits as u16),
            DType::BF16 => f64::from(f32::from_bits((bits as u32) << 16)),
            DType::F32 | DType::C64 => f64::from(f32::from_bits(bits as u32)),
            DType::F64 | DType::C128 => f64::from_bits(bits),
            DType::Bool => f64::from(bits != 0),
            _ => bits as f64,
        }
    };
    data.chunks_exact(part).map(number).collect()
}

fn half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2.0_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2.0_f64.powi(exponent - 15),
    }
}

/// What differs between the outputs of a call and those of NumPy.
pub fn outputs_differ(name: &str, called: &Called, case: &Value) -> Option<String> {
    let wanted = case["v"].as_array().unwrap();
    for (k, (out, value)) in called.outputs.iter().zip(wanted).enumerate() {
        // What NumPy's own value may be off by, where that is more.
        let least = case["ulps"].as_f64().unwrap_or(0.0);
        let ulps = tolerance(name, called_type(called)).max(least);
        let difference = values_differ(out, value, ulps, called_type(called)).or_else(|| {
            let fresh = value["t"].is_array();
            (fresh && moving(out, out.strides()) != moving(out, &strides(&value["t"])))
                .then(|| format!("strides {:?}, not {}", out.strides(), value["t"]))
        });
        if let Some(difference) = difference {
            return Some(format!("output {k}: {difference}"));
        }
        if called.scalars[k] != value["scalar"].as_bool().unwrap() {
            return Some(format!("output {k}: scalar {}", called.scalars[k]));
        }
    }
    None
}

/// The strides of the axes that have more than one element.
fn moving(array: &Array, strides: &[isize]) -> Vec<isize> {
    let axes = strides.iter().zip(array.shape());
    axes.filter(|(_, size)| **size > 1)
        .map(|(s, _)| *s)
        .collect()
}

/// The type that the loop computed in.
fn called_type(called: &Called) -> DType {
    match called.report.types.chars().next() {
        Some('e') => DType::F16,
        Some('f') => DType::F32,
        Some('F') => DType::C64,
        Some('D') => DType::C128,
        _ => DType::F64,
    }
}
