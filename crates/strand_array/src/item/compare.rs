//! Order and equality of elements and of values of the host.

use std::cmp::Ordering;

use super::operate::Operator;
use super::store::Fresh;
use super::value::{to_native, value_of};
use crate::array::Array;
use crate::cast::{Casting, astype};
use crate::context::Context;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::layout::broadcast_shapes;
use crate::value::Value;
use crate::walk::Walk;

/// The order of two elements: fields one after the other, complex numbers by real part first. None if
/// they have no order, as with NaN.
pub(crate) fn compare(descr: &Descr, left: &[u8], right: &[u8]) -> Option<Ordering> {
    if let Some(fields) = descr.fields() {
        for field in fields.iter() {
            let (a, b) = (left.get(field.range())?, right.get(field.range())?);
            match compare(field.descr(), a, b)? {
                Ordering::Equal => {}
                order => return Some(order),
            }
        }
        return Some(Ordering::Equal);
    }
    if let Some((base, _)) = descr.sub() {
        let size = base.size().max(1);
        for (a, b) in left.chunks_exact(size).zip(right.chunks_exact(size)) {
            match compare(base, a, b)? {
                Ordering::Equal => {}
                order => return Some(order),
            }
        }
        return Some(Ordering::Equal);
    }
    if let Some(table) = descr.user() {
        let native = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            to_native(descr, &mut bytes);
            bytes
        };
        return table.compare(&native(left), &native(right));
    }
    if descr.dtype() == DType::Void {
        return Some(left.cmp(right));
    }
    order_of(&value_of(descr, left), &value_of(descr, right))
}

/// The order of two values of the host; none if they have none.
pub(crate) fn order_of(left: &Value, right: &Value) -> Option<Ordering> {
    order_within(left, right, 0)
}

/// How deep sequences may nest to have an order.
const MAX_NESTED: usize = 500;

fn order_within(left: &Value, right: &Value, depth: usize) -> Option<Ordering> {
    match (left, right) {
        (Value::None, Value::None) => Some(Ordering::Equal),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
        (Value::List(a), Value::List(b)) | (Value::Tuple(a), Value::Tuple(b)) => {
            if depth >= MAX_NESTED {
                return None;
            }
            for (a, b) in a.iter().zip(b.iter()) {
                match order_within(a, b, depth.saturating_add(1))? {
                    Ordering::Equal => {}
                    order => return Some(order),
                }
            }
            Some(a.len().cmp(&b.len()))
        }
        (Value::Item(a), b) if a.dtype() != DType::Void => order_of(&a.value(), b),
        (a, Value::Item(b)) if b.dtype() != DType::Void => order_of(a, &b.value()),
        (Value::Host(a), b) => a.compare(b),
        (a, Value::Host(b)) => b.compare(a).map(Ordering::reverse),
        _ => numbers(left, right),
    }
}

/// Numbers compare by value, whole numbers and floats exactly.
fn numbers(left: &Value, right: &Value) -> Option<Ordering> {
    let int = |value: &Value| match value {
        Value::Bool(v) => Some(i128::from(*v)),
        Value::Int(v) => Some(*v),
        _ => None,
    };
    let parts = |value: &Value| match value {
        Value::Float(v) => Some((*v, 0.0)),
        Value::Complex(a, b) => Some((*a, *b)),
        other => int(other).map(|v| (v as f64, 0.0)),
    };
    match (int(left), int(right), left, right) {
        (Some(a), Some(b), ..) => Some(a.cmp(&b)),
        (Some(a), None, _, Value::Float(b)) => int_against(a, *b),
        (None, Some(b), Value::Float(a), _) => int_against(b, *a).map(Ordering::reverse),
        _ => {
            let ((a, b), (c, d)) = (parts(left)?, parts(right)?);
            Some(a.partial_cmp(&c)?.then(b.partial_cmp(&d)?))
        }
    }
}

/// A whole number against a float, without rounding it.
fn int_against(int: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float.abs() >= 1.7e38 {
        return Some(if float > 0.0 {
            Ordering::Less
        } else {
            Ordering::Greater
        });
    }
    let whole = float.trunc();
    let rest = 0.0.partial_cmp(&(float - whole))?;
    Some(int.cmp(&(whole as i128)).then(rest))
}

/// Whether elements of two void arrays are equal: field by field in the types that they have in common,
/// or byte by byte; `a == b` on structured arrays.
///
/// # Errors
/// `NoPromotion` if fields differ in name or number or have no common type, or the sizes of plain
/// void differ; `Unsupported` if the arrays aren't void; `Broadcast`, `OutOfMemory`.
pub fn void_equal(ctx: &Context, left: &Array, right: &Array) -> Result<Array> {
    let dtype = left.dtype().max(right.dtype());
    if left.dtype() != DType::Void || right.dtype() != DType::Void {
        let op = "void_equal";
        return Err(ArrayError::Unsupported { op, dtype });
    }
    compare_arrays(ctx, Operator::Eq, left, right)
}

/// Compares the elements of two arrays of any type, in the type that they have in common, by that type's own
/// order: what `==` to `>=` do on registered types, host values and structures.
///
/// # Errors
/// `NoPromotion`; `NoLoop` if the operator is no comparison, or orders void; `Broadcast`,
/// `OutOfMemory`.
pub fn compare_arrays(ctx: &Context, op: Operator, left: &Array, right: &Array) -> Result<Array> {
    let common = crate::promote_types(left.descr(), right.descr())?;
    let orders = !matches!(op, Operator::Eq | Operator::Ne);
    if op.holds(None).is_none() || orders && common.dtype() == DType::Void {
        return Err(ArrayError::NoLoop {
            ufunc: op.ufunc().into(),
            types: format!("{}, {}", left.descr(), right.descr()),
        });
    }
    let shape = broadcast_shapes(left.shape(), right.shape())?;
    let (left, _) = astype(ctx, left, &common, Casting::Unsafe)?;
    let (right, _) = astype(ctx, right, &common, Casting::Unsafe)?;
    let (left, right) = (left.broadcast_to(&shape)?, right.broadcast_to(&shape)?);
    let size = common.size();
    let mut lefts = Walk::new(&shape, left.strides(), left.offset());
    let mut rights = Walk::new(&shape, right.strides(), right.offset());
    let mut found = vec![];
    while let (Some(a), Some(b)) = (lefts.next_offset(), rights.next_offset()) {
        // Copies, since comparing host values may run code that writes.
        let copy = |array: &Array, at: usize| {
            let block = array.block().slice::<u8>();
            let bytes = block.get(at..at.saturating_add(size));
            Fresh::copy_of(&common, bytes.unwrap_or_default())
        };
        let (one, two) = (copy(&left, a), copy(&right, b));
        let order = compare(&common, one.as_bytes(), two.as_bytes());
        found.push(op.holds(order) == Some(true));
    }
    Array::from_slice(ctx, &found, &shape)
}
