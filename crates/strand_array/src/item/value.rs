//! Elements to values of the host.

use crate::descr::Descr;
use crate::dtype::DType;
use crate::half::{bf16_to_f32, f16_to_f32};
use crate::item::Item;
use crate::object;
use crate::value::Value;

/// The first `N` bytes in the machine's order.
pub(super) fn chunk<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

/// Changes the bytes of an element to the machine's byte order.
pub(crate) fn to_native(descr: &Descr, bytes: &mut [u8]) {
    if let Some(fields) = descr.fields() {
        for field in fields.iter() {
            to_native(
                field.descr(),
                bytes.get_mut(field.range()).unwrap_or_default(),
            );
        }
    } else if let Some((base, _)) = descr.sub() {
        for part in bytes.chunks_exact_mut(base.size().max(1)) {
            to_native(base, part);
        }
    } else if descr.is_swapped() {
        match descr.user() {
            Some(table) => table.swap(bytes),
            None if descr.dtype().is_complex() => {
                let half = descr.size() / 2;
                bytes.chunks_exact_mut(half).for_each(<[u8]>::reverse);
            }
            None => bytes.reverse(),
        }
    }
}

/// An element as the host has it: numbers without a type, bytes, tuples of fields, nested lists, or
/// the value that an object element names.
pub(crate) fn value_of(descr: &Descr, bytes: &[u8]) -> Value {
    if let Some(fields) = descr.fields() {
        let part = |field: &crate::Field| bytes.get(field.range()).unwrap_or_default();
        let values = fields
            .iter()
            .map(|field| value_of(field.descr(), part(field)));
        return Value::tuple(values);
    }
    if let Some((base, shape)) = descr.sub() {
        return nested(base, shape, bytes);
    }
    if descr.is_swapped() {
        let mut native = bytes.to_vec();
        to_native(descr, &mut native);
        return value_of(&descr.clone().native(), &native);
    }
    let int = |v: i128| Value::Int(v);
    match descr.dtype() {
        DType::Bool => Value::Bool(chunk::<1>(bytes) != [0]),
        DType::I8 => int(i8::from_ne_bytes(chunk(bytes)).into()),
        DType::U8 => int(u8::from_ne_bytes(chunk(bytes)).into()),
        DType::I16 => int(i16::from_ne_bytes(chunk(bytes)).into()),
        DType::U16 => int(u16::from_ne_bytes(chunk(bytes)).into()),
        DType::I32 => int(i32::from_ne_bytes(chunk(bytes)).into()),
        DType::U32 => int(u32::from_ne_bytes(chunk(bytes)).into()),
        DType::I64 => int(i64::from_ne_bytes(chunk(bytes)).into()),
        DType::U64 => int(u64::from_ne_bytes(chunk(bytes)).into()),
        DType::F16 => Value::Float(f16_to_f32(u16::from_ne_bytes(chunk(bytes))).into()),
        DType::F32 => Value::Float(f32::from_ne_bytes(chunk(bytes)).into()),
        DType::F64 => Value::Float(f64::from_ne_bytes(chunk(bytes))),
        DType::C64 => {
            let [a, b] = parts::<4>(bytes).map(f32::from_ne_bytes);
            Value::Complex(a.into(), b.into())
        }
        DType::C128 => {
            let [a, b] = parts::<8>(bytes).map(f64::from_ne_bytes);
            Value::Complex(a, b)
        }
        DType::BF16 => Value::Float(bf16_to_f32(u16::from_ne_bytes(chunk(bytes))).into()),
        DType::Object => object::get(u64::from_ne_bytes(chunk(bytes))),
        DType::Void => Value::Bytes(bytes.into()),
        DType::User(_) => match descr.user() {
            Some(table) => table.get(bytes),
            None => Value::Item(Item::from_native(descr, bytes)),
        },
    }
}

/// Two halves of a complex number.
fn parts<const N: usize>(bytes: &[u8]) -> [[u8; N]; 2] {
    [chunk(bytes), chunk(bytes.get(N..).unwrap_or_default())]
}

fn nested(base: &Descr, shape: &[usize], bytes: &[u8]) -> Value {
    match shape.split_first() {
        None => value_of(base, bytes),
        Some((&size, rest)) => {
            let each = bytes.len().checked_div(size).unwrap_or(0);
            let mut parts = bytes.chunks_exact(each.max(1));
            Value::list((0..size).map(|_| nested(base, rest, parts.next().unwrap_or_default())))
        }
    }
}

/// Whether an element counts as true: it differs from zero, one of its fields does, or the host
/// says so.
pub(crate) fn truth(descr: &Descr, bytes: &[u8]) -> bool {
    if let Some(fields) = descr.fields() {
        return fields
            .iter()
            .any(|field| truth(field.descr(), bytes.get(field.range()).unwrap_or_default()));
    }
    if descr.dtype() == DType::Void {
        return bytes.iter().any(|byte| *byte != 0);
    }
    if let Some(table) = descr.user() {
        let mut native = bytes.to_vec();
        to_native(descr, &mut native);
        return table.is_nonzero(&native);
    }
    truth_of(&value_of(descr, bytes))
}

/// Whether a value counts as true, as the host's `bool` has it.
pub(crate) fn truth_of(value: &Value) -> bool {
    match value {
        Value::None => false,
        Value::Bool(v) => *v,
        Value::Int(v) => *v != 0,
        Value::Float(v) => *v != 0.0,
        Value::Complex(a, b) => *a != 0.0 || *b != 0.0,
        Value::Text(text) => !text.is_empty(),
        Value::Bytes(bytes) => !bytes.is_empty(),
        Value::List(items) | Value::Tuple(items) => !items.is_empty(),
        Value::Item(item) => item.truth(),
        Value::Array(array) => !array.is_empty(),
        Value::Host(value) => value.truth(),
    }
}
