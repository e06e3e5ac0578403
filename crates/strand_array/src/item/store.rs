//! Values of the host to elements, by the rules of NumPy's assignments.

use super::value::{to_native, truth_of};
use crate::cast::convert_one;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::layout::{broadcast_strides, c_strides};
use crate::make::Discovered;
use crate::object;
use crate::value::Value;

/// A zeroed element on its way into an array; the handles in it are its own until taken.
pub(crate) struct Fresh {
    bytes: Vec<u8>,
    handles: Vec<usize>,
}

impl Fresh {
    pub(crate) fn new(descr: &Descr) -> Self {
        Self {
            bytes: vec![0; descr.size()],
            handles: descr.object_offsets(),
        }
    }

    /// A copy of an element that holds its values, whatever becomes of the original.
    pub(crate) fn copy_of(descr: &Descr, element: &[u8]) -> Self {
        let handles = descr.object_offsets();
        object::retain_all(element, &handles);
        Self {
            bytes: element.to_vec(),
            handles,
        }
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, whose handles are the caller's now.
    pub(crate) fn take(mut self) -> Vec<u8> {
        self.handles.clear();
        std::mem::take(&mut self.bytes)
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        object::release_all(&self.bytes, &self.handles);
    }
}

fn bad(class: &'static str, why: String) -> ArrayError {
    ArrayError::BadValue { class, why }
}

/// Writes a value into an element whose bytes are all zero, in the descriptor's byte order.
///
/// # Errors
/// `BadValue` with NumPy's class if the value can't be such an element. Handles written until then
/// stay in `bytes`.
pub(crate) fn store(descr: &Descr, bytes: &mut [u8], value: &Value) -> Result<Found> {
    if let Some(fields) = descr.fields() {
        return store_fields(descr, fields, bytes, value);
    }
    if let Some((base, shape)) = descr.sub() {
        return store_sub(base, shape, bytes, value);
    }
    match (descr.dtype(), value) {
        (DType::Object, value) => {
            bytes.copy_from_slice(&object::put(value.clone()).to_ne_bytes());
            Ok(Found::NONE)
        }
        (DType::Void, _) => store_bytes(bytes, value),
        (_, Value::Item(item)) if item.dtype() != DType::Void => {
            convert_one(item.descr(), &item.to_bytes(), descr, bytes)
        }
        (_, Value::Array(array)) if array.rank() == 0 && array.dtype() != DType::Object => {
            convert_one(array.descr(), &array.to_bytes(), descr, bytes)
        }
        (_, Value::Array(array)) if array.rank() == 0 => store(descr, bytes, &array.element()?),
        (DType::User(_), _) => {
            if let Some(table) = descr.user() {
                table.set(bytes, value)?;
                to_native(descr, bytes);
            }
            Ok(Found::NONE)
        }
        (DType::Bool, Value::Array(_)) => Err(no_sequence()),
        (DType::Bool, _) => {
            bytes.fill(u8::from(truth_of(value)));
            Ok(Found::NONE)
        }
        (dtype, _) if dtype.is_integer() => store_int(descr, bytes, value),
        (dtype, _) if dtype.is_float() => {
            let number = to_float(value)?.to_ne_bytes();
            convert_one(&Descr::new(DType::F64), &number, descr, bytes)
        }
        _ => {
            let (re, im) = to_complex(value)?;
            let number = [re.to_ne_bytes(), im.to_ne_bytes()].concat();
            convert_one(&Descr::new(DType::C128), &number, descr, bytes)
        }
    }
}

fn no_sequence() -> ArrayError {
    bad("ValueError", "an element can't be set to a sequence".into())
}

fn not_a_number(value: &Value) -> ArrayError {
    bad(
        "TypeError",
        format!("a number is wanted, not {}", value.type_name()),
    )
}

/// Fields from a tuple of as many values, or each from the same value.
fn store_fields(
    descr: &Descr,
    fields: &crate::descr::Fields,
    bytes: &mut [u8],
    value: &Value,
) -> Result<Found> {
    let mut found = Found::NONE;
    match value {
        Value::Tuple(values) if values.len() != fields.len() => {
            let (given, wanted) = (values.len(), fields.len());
            return Err(bad(
                "ValueError",
                format!("a tuple of {given} values can't fill {wanted} fields"),
            ));
        }
        Value::Item(item) if item.dtype() == DType::Void => {
            return convert_one(item.descr(), &item.to_bytes(), descr, bytes);
        }
        Value::Array(array) if array.rank() == 0 && array.dtype() == DType::Void => {
            return convert_one(array.descr(), &array.to_bytes(), descr, bytes);
        }
        _ => {}
    }
    for (i, field) in fields.iter().enumerate() {
        let part = bytes.get_mut(field.range()).unwrap_or_default();
        let one = match value {
            Value::Tuple(values) => values.get(i).unwrap_or(&Value::None),
            other => other,
        };
        // Fields may overlap: what an earlier one wrote gives way.
        part.fill(0);
        found |= store(field.descr(), part, one)?;
    }
    Ok(found)
}

/// A subarray from nested sequences or an array that stretch to its shape.
fn store_sub(base: &Descr, shape: &[usize], bytes: &mut [u8], value: &Value) -> Result<Found> {
    let given = Discovered::of(value, Some(base));
    if given.ragged {
        return Err(no_sequence());
    }
    let given = Descr::subarray(base.clone(), &given.shape).map(|own| (own, given.shape))?;
    let (own, given) = given;
    // All members are converted before any is written.
    let mut fresh = Fresh::new(&own);
    let found = store_members(base, &given, fresh.bytes(), value)?;
    let fits = given.iter().rev().zip(shape.iter().rev());
    let fits = given.len() <= shape.len() && fits.into_iter().all(|(a, b)| a == b || *a == 1);
    if !fits {
        return Err(bad(
            "ValueError",
            format!("values of shape {given:?} don't fill {shape:?}"),
        ));
    }
    let (size, offsets) = (base.size(), base.object_offsets());
    let strides = c_strides(&given, size)?;
    let strides = broadcast_strides(&given, &strides, shape)?;
    let members = fresh.bytes();
    let mut targets = bytes.chunks_exact_mut(size.max(1));
    crate::walk::offsets(shape, &strides, 0, |at| {
        if let (Some(to), Some(from)) = (targets.next(), members.get(at..at.saturating_add(size))) {
            object::retain_all(from, &offsets);
            to.copy_from_slice(from);
        }
    });
    Ok(found)
}

/// Members of nested sequences or of an array into zeroed elements in C order.
fn store_members(base: &Descr, shape: &[usize], bytes: &mut [u8], value: &Value) -> Result<Found> {
    let Some((&size, rest)) = shape.split_first() else {
        return store(base, bytes, value);
    };
    let mut found = Found::NONE;
    if let Value::Array(array) = value {
        let (all, from) = (array.to_bytes(), array.descr());
        let sources = all.chunks_exact(from.size().max(1));
        for (to, source) in bytes.chunks_exact_mut(base.size().max(1)).zip(sources) {
            found |= convert_one(from, source, base, to)?;
        }
        return Ok(found);
    }
    let each = bytes.len().checked_div(size).unwrap_or(0);
    let members = value.members().unwrap_or_default();
    for (part, member) in bytes.chunks_exact_mut(each.max(1)).zip(members) {
        found |= store_members(base, rest, part, member)?;
    }
    Ok(found)
}

/// Plain void takes bytes: the first ones, and zeros after them.
fn store_bytes(out: &mut [u8], value: &Value) -> Result<Found> {
    let bytes = match value {
        Value::Bytes(bytes) => bytes.to_vec(),
        Value::Item(item) => item.to_bytes(),
        Value::Array(array) if array.dtype() != DType::Object => array.to_bytes(),
        other => {
            return Err(bad(
                "TypeError",
                format!("bytes are wanted, not {}", other.type_name()),
            ));
        }
    };
    for (to, from) in out.iter_mut().zip(bytes) {
        *to = from;
    }
    Ok(Found::NONE)
}

fn store_int(descr: &Descr, bytes: &mut [u8], value: &Value) -> Result<Found> {
    let number = to_int(value)?;
    let (low, high) = descr.dtype().whole_range();
    if number < low || number > high {
        return Err(bad(
            "OverflowError",
            format!("{number} is out of range for {}", descr.dtype()),
        ));
    }
    for (to, byte) in bytes.iter_mut().zip(number.to_le_bytes()) {
        *to = byte;
    }
    if cfg!(target_endian = "big") {
        bytes.reverse();
    }
    to_native(descr, bytes);
    Ok(Found::NONE)
}

/// A value as a whole number: floats truncate.
pub(crate) fn to_int(value: &Value) -> Result<i128> {
    match value {
        Value::Bool(v) => Ok((*v).into()),
        Value::Int(v) => Ok(*v),
        Value::Float(v) if v.is_nan() => Err(bad("ValueError", "NaN is no whole number".into())),
        Value::Float(v) if v.abs() >= 1.7e38 => Err(bad(
            "OverflowError",
            "the float is too large for a whole number".into(),
        )),
        Value::Float(v) => Ok(*v as i128),
        Value::Text(text) => text.trim().parse().map_err(|_| {
            let why = format!("{text:?} is no whole number");
            bad("ValueError", why)
        }),
        Value::Bytes(_) => Err(bad("ValueError", "bytes are no whole number".into())),
        Value::Item(item) if item.dtype() != DType::Void => to_int(&item.value()),
        Value::Array(_) => Err(no_sequence()),
        Value::Host(host) => match host.plain() {
            Some(plain) => to_int(&plain),
            None => Err(not_a_number(value)),
        },
        other => Err(not_a_number(other)),
    }
}

/// A value as a float; `None` is NaN.
pub(crate) fn to_float(value: &Value) -> Result<f64> {
    match value {
        Value::None => Ok(f64::NAN),
        Value::Bool(v) => Ok(f64::from(u8::from(*v))),
        Value::Int(v) => Ok(*v as f64),
        Value::Float(v) => Ok(*v),
        Value::Text(text) => text.trim().parse().map_err(|_| {
            let why = format!("{text:?} is no number");
            bad("ValueError", why)
        }),
        Value::Bytes(_) => Err(bad("ValueError", "bytes are no number".into())),
        Value::Item(item) if item.dtype() != DType::Void => to_float(&item.value()),
        Value::List(_) | Value::Tuple(_) | Value::Array(_) => Err(no_sequence()),
        Value::Host(host) => match host.plain() {
            Some(plain) => to_float(&plain),
            None => Err(not_a_number(value)),
        },
        other => Err(not_a_number(other)),
    }
}

/// A value as real and imaginary part; `None` is NaN in both.
fn to_complex(value: &Value) -> Result<(f64, f64)> {
    match value {
        Value::None => Ok((f64::NAN, f64::NAN)),
        Value::Complex(a, b) => Ok((*a, *b)),
        Value::Item(item) if item.dtype().is_complex() => to_complex(&item.value()),
        Value::Host(host) => match host.plain() {
            Some(plain) => to_complex(&plain),
            None => Err(not_a_number(value)),
        },
        Value::List(_) | Value::Tuple(_) | Value::Array(_) => Err(not_a_number(value)),
        other => Ok((to_float(other)?, 0.0)),
    }
}
