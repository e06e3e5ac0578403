//! Where the largest and the smallest elements are.

use std::cmp::Ordering;

use super::rows::Row;
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
    match wide_type(data.dtype()) {
        Some(wide) => numbers(data, axis, rows, side, wide),
        None => values(data, axis, rows, side),
    }
}

/// The type that numbers of a type are compared as, without loss.
fn wide_type(dtype: DType) -> Option<DType> {
    match dtype {
        DType::I64 | DType::I32 | DType::I16 | DType::I8 => Some(DType::I64),
        DType::Bool | DType::U8 | DType::U16 | DType::U32 | DType::U64 => Some(DType::U64),
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Some(DType::F64),
        DType::C64 | DType::C128 => Some(DType::C128),
        _ => None,
    }
}

/// The best element seen so far of a row.
struct Best<T> {
    at: i64,
    value: Option<T>,
    /// Whether it is a NaN, which nothing beats.
    settled: bool,
}

impl<T> Best<T> {
    fn new() -> Self {
        Self {
            at: 0,
            value: None,
            settled: false,
        }
    }

    fn offer(&mut self, at: i64, value: T, is_nan: bool, beats: impl FnOnce(&T, &T) -> bool) {
        if self.settled {
            return;
        }
        let wins = is_nan || self.value.as_ref().is_none_or(|best| beats(&value, best));
        if wins {
            *self = Self {
                at,
                value: Some(value),
                settled: is_nan,
            };
        }
    }
}

fn numbers(data: &Array, axis: usize, rows: Iter, side: Side, wide: DType) -> Result<Vec<i64>> {
    let to = Descr::new(wide);
    let caster = Caster::new(data.descr(), &to)?;
    let word = |bytes: &[u8], at: usize| -> [u8; 8] {
        let part = bytes.get(at..).and_then(|b| b.first_chunk());
        part.copied().unwrap_or_default()
    };
    let mut found = vec![];
    for start in rows {
        let row = Row {
            array: data,
            axis,
            start,
        };
        macro_rules! scan {
            ($read:expr, $nan:expr, $order:expr) => {{
                let mut best = Best::new();
                row.read(&caster, to.size(), |at, bytes| {
                    let items = bytes.chunks_exact(to.size());
                    for (i, item) in items.enumerate() {
                        let value = $read(item);
                        best.offer((at + i) as i64, value, $nan(&value), |a, b| {
                            side.beats($order(a, b))
                        });
                    }
                    !best.settled
                })?;
                found.push(best.at);
            }};
        }
        match wide {
            DType::I64 => scan!(
                |b| i64::from_ne_bytes(word(b, 0)),
                |_: &i64| false,
                |a: &i64, b: &i64| a.partial_cmp(b)
            ),
            DType::U64 => scan!(
                |b| u64::from_ne_bytes(word(b, 0)),
                |_: &u64| false,
                |a: &u64, b: &u64| a.partial_cmp(b)
            ),
            DType::F64 => scan!(
                |b| f64::from_ne_bytes(word(b, 0)),
                |v: &f64| v.is_nan(),
                |a: &f64, b: &f64| a.partial_cmp(b)
            ),
            _ => scan!(
                |b| (
                    f64::from_ne_bytes(word(b, 0)),
                    f64::from_ne_bytes(word(b, 8))
                ),
                |v: &(f64, f64)| v.0.is_nan() || v.1.is_nan(),
                |a: &(f64, f64), b: &(f64, f64)| a.partial_cmp(b)
            ),
        }
    }
    Ok(found)
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
            let at = row.wrapping_add_signed(i as isize * stride);
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
