//! Where the largest and the smallest elements are.

use std::cmp::Ordering;

use super::rows::{Complex, Number, Row};
use super::{at_least_1d, axis_of, deliver, flattened};
use crate::array::Array;
use crate::cast::Caster;
use crate::context::Context;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::iter::Iter;
use crate::value::Value;

/// The position along an axis, or in the flattened array, of the largest element: the first of equal
/// ones, and the first NaN before all; `np.argmax`.
///
/// # Errors
/// `NoSuchAxis`; `EmptyReduction` if there is nothing to choose from; `Unsupported` for types without
/// an order; with `out` `ShapeMismatch`, `CannotCast`, `ReadOnly`.
pub fn argmax(
    ctx: &Context,
    array: &Array,
    axis: Option<i64>,
    keep_axes: bool,
    out: Option<&Array>,
) -> Result<Array> {
    extreme(ctx, array, axis, keep_axes, out, Side::Largest)
}

/// The same of the smallest element; `np.argmin`.
///
/// # Errors
/// As [`argmax`].
pub fn argmin(
    ctx: &Context,
    array: &Array,
    axis: Option<i64>,
    keep_axes: bool,
    out: Option<&Array>,
) -> Result<Array> {
    extreme(ctx, array, axis, keep_axes, out, Side::Smallest)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Largest,
    Smallest,
}

impl Side {
    fn op(self) -> &'static str {
        match self {
            Self::Largest => "argmax",
            Self::Smallest => "argmin",
        }
    }

    fn beats(self, order: Option<Ordering>) -> bool {
        match self {
            Self::Largest => order == Some(Ordering::Greater),
            Self::Smallest => order == Some(Ordering::Less),
        }
    }
}

fn extreme(
    ctx: &Context,
    array: &Array,
    axis: Option<i64>,
    keep_axes: bool,
    out: Option<&Array>,
    side: Side,
) -> Result<Array> {
    let whole = axis.is_none();
    let (data, axis) = match axis {
        None => (flattened(ctx, array)?, 0),
        Some(axis) => {
            let axis = axis_of(axis, array.rank())?;
            (at_least_1d(array)?, axis)
        }
    };
    let mut shape = data.shape().to_vec();
    let length = shape.remove(axis);
    if length == 0 {
        return Err(ArrayError::EmptyReduction { op: side.op() });
    }
    let (rows, _) = Iter::all_but_axis(&data, axis)?;
    let found = search(&data, axis, rows, side)?;
    let result = Array::from_slice(ctx, &found, &shape)?;
    let result = if keep_axes {
        let kept: Vec<usize> = match whole {
            true => vec![1; array.rank()],
            false => (0..array.rank())
                .map(|at| {
                    if at == axis {
                        1
                    } else {
                        array.shape().get(at).copied().unwrap_or(1)
                    }
                })
                .collect(),
        };
        result.reshape(ctx, &kept)?
    } else {
        result
    };
    match out {
        None => Ok(result),
        Some(out) => {
            deliver(ctx, side.op(), &result, out)?;
            Ok(out.clone())
        }
    }
}

/// The position in each row.
fn search(data: &Array, axis: usize, rows: Iter, side: Side) -> Result<Vec<i64>> {
    macro_rules! by_type {
        ($($t:ident => $number:ty),*) => {
            match compared_as(data.dtype()) {
                $(Some(DType::$t) => match side {
                    Side::Largest => numbers::<$number, true>(data, axis, rows, DType::$t),
                    Side::Smallest => numbers::<$number, false>(data, axis, rows, DType::$t),
                },)*
                _ => values(data, axis, rows, side),
            }
        };
    }
    by_type!(
        I8 => i8, I16 => i16, I32 => i32, I64 => i64, U8 => u8, U16 => u16, U32 => u32, U64 => u64,
        F32 => f32, F64 => f64, C128 => Complex
    )
}

/// The type that numbers of a type are compared as, without loss.
fn compared_as(dtype: DType) -> Option<DType> {
    match dtype {
        DType::Bool => Some(DType::U8),
        DType::F16 | DType::BF16 => Some(DType::F32),
        DType::C64 => Some(DType::C128),
        DType::Void | DType::Object | DType::User(_) => None,
        same => Some(same),
    }
}

/// Numbers that are compared side by side.
const LANES: usize = 16;

fn numbers<T: Number, const LARGEST: bool>(
    data: &Array,
    axis: usize,
    rows: Iter,
    dtype: DType,
) -> Result<Vec<i64>> {
    let caster = Caster::new(data.descr(), &Descr::new(dtype))?;
    let beats = |a: T, b: T| if LARGEST { a > b } else { a < b };
    let mut found = vec![];
    for start in rows {
        let row = Row {
            array: data,
            axis,
            start,
        };
        let (mut at, mut best) = (0, None);
        row.read(&caster, |first, values: &[T]| {
            let Some((top, odd)) = top_of(values, beats) else {
                return true;
            };
            let wins = odd || best.is_none_or(|best| beats(top, best));
            if wins {
                let mut values = values.iter();
                // A NaN is the one that differs from itself.
                let here = values.position(|&v| if odd { is_odd(v) } else { v == top });
                at = first.saturating_add(here.unwrap_or(0)) as i64;
                best = Some(top);
            }
            !odd
        })?;
        found.push(at);
    }
    Ok(found)
}

#[expect(clippy::eq_op, reason = "only a NaN differs from itself")]
fn is_odd<T: Number>(value: T) -> bool {
    value != value
}

/// The best of some numbers, and whether a NaN is among them.
fn top_of<T: Number>(values: &[T], beats: impl Fn(T, T) -> bool) -> Option<(T, bool)> {
    let better = |value: T, top: T| if beats(value, top) { value } else { top };
    let odd = values.iter().fold(false, |odd, &v| odd | is_odd(v));
    let (groups, rest) = values.as_chunks::<LANES>();
    let mut tops = [*values.first()?; LANES];
    for group in groups {
        for (top, &value) in tops.iter_mut().zip(group) {
            *top = better(value, *top);
        }
    }
    let [first, others @ ..] = tops;
    let all = others.iter().chain(rest);
    Some((all.fold(first, |top, &value| better(value, top)), odd))
}

/// Host values and elements of registered types, by their own order.
fn values(data: &Array, axis: usize, rows: Iter, side: Side) -> Result<Vec<i64>> {
    let length = data.shape().get(axis).copied().unwrap_or(0);
    let stride = data.strides().get(axis).copied().unwrap_or(0);
    let unordered = || ArrayError::Unsupported {
        op: side.op(),
        dtype: data.dtype(),
    };
    let mut found = vec![];
    for row in rows {
        let mut best: Option<(usize, Value, Vec<u8>)> = None;
        for i in 0..length {
            let at = row.wrapping_add_signed((i as isize).wrapping_mul(stride));
            let element = data.relayout(at, &[], &[])?;
            let (value, bytes) = (element.element()?, element.to_bytes());
            let wins = match &best {
                None => true,
                Some((_, old, old_bytes)) => {
                    let order = match data.descr().user() {
                        Some(table) => table.compare(&bytes, old_bytes),
                        None => compare(&value, old),
                    };
                    side.beats(Some(order.ok_or_else(unordered)?))
                }
            };
            if wins {
                best = Some((i, value, bytes));
            }
        }
        found.push(best.map_or(0, |(at, _, _)| at as i64));
    }
    Ok(found)
}

/// The order of two values of the host, if they have one.
fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Host(host), other) => host.compare(other),
        (other, Value::Host(host)) => host.compare(other).map(Ordering::reverse),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        _ => number(a)?.partial_cmp(&number(b)?),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(v) => Some(f64::from(u8::from(*v))),
        Value::Int(v) => Some(*v as f64),
        Value::Float(v) => Some(*v),
        _ => None,
    }
}
