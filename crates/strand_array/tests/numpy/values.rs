//! Comparing results by their values: shape, dtype and the bytes in C order.

use serde_json::Value;
use strand_array::{Array, Casting, Context, DType, Descr, Result, astype};

use crate::common::{bytes, class_differs, descr, sizes};

/// The elements in C order as bytes, every NaN the same; bool as 0 or 1.
pub fn plain(ctx: &Context, array: &Array) -> Vec<u8> {
    let (array, _) = astype(ctx, array, array.descr(), Casting::Unsafe).unwrap();
    let mut bytes = array.block_bytes();
    canonical(&mut bytes, array.descr());
    bytes
}

fn canonical(bytes: &mut [u8], descr: &Descr) {
    if let Some(fields) = descr.fields() {
        // Bytes that are no field's aren't part of the value.
        for item in bytes.chunks_exact_mut(descr.size().max(1)) {
            let mut parts = vec![0; item.len()];
            for field in fields.iter() {
                let part = field.offset()..field.offset() + field.descr().size();
                canonical(&mut item[part.clone()], field.descr());
                parts[part.clone()].copy_from_slice(&item[part]);
            }
            item.copy_from_slice(&parts);
        }
    } else if let Some((base, _)) = descr.sub() {
        canonical(bytes, base);
    }
    let part = if descr.dtype().is_complex() { 2 } else { 1 };
    if descr.dtype() == DType::Bool {
        bytes.iter_mut().for_each(|b| *b = u8::from(*b != 0));
    }
    if !(descr.dtype().is_float() || descr.dtype().is_complex()) {
        return;
    }
    let little = descr.is_swapped() == cfg!(target_endian = "big");
    for item in bytes.chunks_exact_mut(descr.size() / part) {
        let mut bits = [0; 8];
        for (i, b) in item.iter().enumerate() {
            bits[if little { i } else { item.len() - 1 - i }] = *b;
        }
        let (bits, infinity) = (
            u64::from_le_bytes(bits),
            match (item.len(), descr.dtype()) {
                (2, DType::BF16) => 0x7f80,
                (2, _) => 0x7c00,
                (4, _) => 0x7f80_0000,
                _ => 0x7ff0_0000_0000_0000_u64,
            },
        );
        if bits & (u64::MAX >> (65 - 8 * item.len())) > infinity {
            item.fill(0xff);
        }
    }
}

/// What differs from a result of NumPy's that was written by its values, or from its error.
pub fn differs(ctx: &Context, found: &Result<Array>, expected: &Value) -> Option<String> {
    if let Some(why) = class_differs(found, expected) {
        return Some(why);
    }
    let (Ok(found), Some(expected)) = (found, expected.get("v")) else {
        return None;
    };
    if let Some(why) = form_differs(found, expected) {
        return Some(why);
    }
    let mut wanted = bytes(&expected["b"]);
    canonical(&mut wanted, found.descr());
    let bytes = plain(ctx, found);
    (bytes != wanted).then(|| format!("bytes {bytes:02x?}, not {wanted:02x?}"))
}

/// What differs in dtype and shape.
pub fn form_differs(found: &Array, expected: &Value) -> Option<String> {
    let wanted = (descr(&expected["d"]), sizes(&expected["s"]));
    let form = (found.descr().clone(), found.shape().to_vec());
    (form != wanted).then(|| format!("{form:?}, not {wanted:?}"))
}

/// The elements in C order as complex numbers.
pub fn complex(ctx: &Context, array: &Array) -> Vec<(f64, f64)> {
    let (array, _) = astype(ctx, array, &DType::C128.into(), Casting::Unsafe).unwrap();
    parts(&array.block_bytes())
}

/// The elements of a written result as complex numbers.
pub fn complex_of(ctx: &Context, written: &Value) -> Vec<(f64, f64)> {
    let (shape, descr) = (sizes(&written["s"]), descr(&written["d"]));
    let mut strides = vec![];
    let mut stride = descr.size() as isize;
    for size in shape.iter().rev() {
        strides.insert(0, stride);
        stride *= *size as isize;
    }
    let array = Array::from_bytes(ctx, &bytes(&written["b"]), 0, &shape, &strides, descr);
    complex(ctx, &array.unwrap())
}

fn parts(bytes: &[u8]) -> Vec<(f64, f64)> {
    let items = bytes.chunks_exact(16);
    let part = |b: &[u8]| f64::from_ne_bytes(b.try_into().unwrap());
    items.map(|b| (part(&b[..8]), part(&b[8..]))).collect()
}

/// What differs from a result of NumPy's by more than a share of each element.
pub fn relative(
    ctx: &Context,
    found: &Result<Array>,
    expected: &Value,
    share: f64,
) -> Option<String> {
    if let Some(why) = class_differs(found, expected) {
        return Some(why);
    }
    let (Ok(found), Some(expected)) = (found, expected.get("v")) else {
        return None;
    };
    if let Some(why) = form_differs(found, expected) {
        return Some(why);
    }
    let pairs = complex(ctx, found)
        .into_iter()
        .zip(complex_of(ctx, expected));
    for (i, (a, b)) in pairs.enumerate() {
        let bound = share * b.0.hypot(b.1);
        let near = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= bound;
        if !(near(a.0, b.0) && near(a.1, b.1)) {
            return Some(format!("element {i} is {a:?}, not {b:?}"));
        }
    }
    None
}
