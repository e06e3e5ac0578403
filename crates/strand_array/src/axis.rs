//! Operations that run along one axis: scans and sorting.

use crate::array::Array;
use crate::block::Pod;
use crate::context::{Context, Report};
use crate::dtype::{DType, by_repr};
use crate::error::{ArrayError, Result};
use crate::kernels::running_sums;
use crate::layout::check_axis;
use crate::take::take_along_axis;

/// A running reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScanOp {
    /// Running sum; of bool and integers in i64.
    Sum,
    /// Running product; of bool and integers in i64.
    Prod,
    /// Running largest; NaN stays.
    Max,
    /// Running smallest; NaN stays.
    Min,
    /// Running logarithm of the sum of exponentials.
    LogSumExp,
}

impl ScanOp {
    /// PyTorch's name of it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "cumsum",
            Self::Prod => "cumprod",
            Self::Max => "cummax",
            Self::Min => "cummin",
            Self::LogSumExp => "logcumsumexp",
        }
    }
}

/// Runs `each(row, result row)` over all rows along `axis`; the result has the same shape.
fn along<A: Pod, R: Pod>(
    ctx: &Context,
    op: &'static str,
    a: &Array,
    axis: usize,
    dtype: DType,
    mut each: impl FnMut(&[A], &mut [R]),
) -> Result<Array> {
    together(ctx, op, a, axis, dtype, |size, rows, out| {
        for (row, to) in rows.chunks(size).zip(out.chunks_mut(size)) {
            each(row, to);
        }
    })
}

/// Runs `all(elements of a row, rows, result rows)` with all rows along `axis`.
fn together<A: Pod, R: Pod>(
    ctx: &Context,
    op: &'static str,
    a: &Array,
    axis: usize,
    dtype: DType,
    all: impl FnOnce(usize, &[A], &mut [R]),
) -> Result<Array> {
    let last = a.rank() - 1;
    let moved = a.move_axis(axis, last)?.to_contiguous(ctx)?;
    let size = moved.shape().last().copied().unwrap_or(1);
    let result = Array::build::<R>(ctx, moved.shape(), dtype, |out| {
        let rows = moved.as_slice::<A>().unwrap_or_default();
        all(size.max(1), rows, out);
        Ok(())
    })?;
    ctx.report(|| Report::along_axis(op, &[&moved], &result));
    result.move_axis(last, axis)
}

fn running<A: Pod, S: Copy>(
    row: &[A],
    out: &mut [A],
    start: S,
    join: impl Fn(S, A) -> S,
    value: impl Fn(S) -> A,
) {
    let mut sum = start;
    for (o, v) in out.iter_mut().zip(row) {
        sum = join(sum, *v);
        *o = value(sum);
    }
}

/// Running reduction along an axis; `torch.cumsum` and the like. Of a rank-0 array, itself.
///
/// # Errors
/// `NoSuchAxis`, `Unsupported` for the dtype, `OutOfMemory`.
pub fn scan(ctx: &Context, op: ScanOp, a: &Array, axis: usize) -> Result<Array> {
    check_axis(axis, a.rank())?;
    if let Some(wide) = a.widened(ctx)? {
        let found = scan(ctx, op, &wide, axis)?;
        // Running sums and products of whole numbers are i64.
        let whole = matches!(op, ScanOp::Sum | ScanOp::Prod) && !a.dtype().is_float();
        return if whole {
            Ok(found)
        } else {
            found.cast(ctx, a.dtype())
        };
    }
    let name = op.name();
    let unsupported = || ArrayError::Unsupported {
        op: name,
        dtype: a.dtype(),
    };
    match a.dtype() {
        DType::Bool | DType::I64 => {
            let each: fn(&[i64], &mut [i64]) = match op {
                ScanOp::Sum => |row, out| running(row, out, 0, i64::wrapping_add, |s| s),
                ScanOp::Prod => |row, out| running(row, out, 1, i64::wrapping_mul, |s| s),
                ScanOp::Max => |row, out| running(row, out, i64::MIN, i64::max, |s| s),
                ScanOp::Min => |row, out| running(row, out, i64::MAX, i64::min, |s| s),
                ScanOp::LogSumExp => return Err(unsupported()),
            };
            let wide = a.cast(ctx, DType::I64)?;
            let found = along(ctx, name, &wide, axis, DType::I64, each)?;
            match op {
                ScanOp::Max | ScanOp::Min => found.cast(ctx, a.dtype()),
                _ => Ok(found),
            }
        }
        DType::F32 => {
            let each: fn(&[f32], &mut [f32]) = match op {
                ScanOp::Sum => {
                    return together(ctx, name, a, axis, DType::F32, running_sums);
                }
                ScanOp::Prod => {
                    |row, out| running(row, out, 1.0, |s, v| s * f64::from(v), |s| s as f32)
                }
                ScanOp::Max => |row, out| running(row, out, f32::NEG_INFINITY, larger, |s| s),
                ScanOp::Min => |row, out| running(row, out, f32::INFINITY, smaller, |s| s),
                ScanOp::LogSumExp => |row, out| {
                    let join = |s, v| log_add_exp(s, f64::from(v));
                    running(row, out, f64::NEG_INFINITY, join, |s| s as f32);
                },
            };
            along(ctx, name, a, axis, DType::F32, each)
        }
        DType::F64 => {
            let each: fn(&[f64], &mut [f64]) = match op {
                ScanOp::Sum => |row, out| running(row, out, 0.0, |s, v| s + v, |s| s),
                ScanOp::Prod => |row, out| running(row, out, 1.0, |s, v| s * v, |s| s),
                ScanOp::Max => |row, out| running(row, out, f64::NEG_INFINITY, larger, |s| s),
                ScanOp::Min => |row, out| running(row, out, f64::INFINITY, smaller, |s| s),
                ScanOp::LogSumExp => {
                    |row, out| running(row, out, f64::NEG_INFINITY, log_add_exp, |s| s)
                }
            };
            along(ctx, name, a, axis, DType::F64, each)
        }
        _ => Err(unsupported()),
    }
}

fn larger<T: PartialOrd + Copy>(a: T, b: T) -> T {
    if a > b || a.partial_cmp(&a).is_none() {
        a
    } else {
        b
    }
}

fn smaller<T: PartialOrd + Copy>(a: T, b: T) -> T {
    if a < b || a.partial_cmp(&a).is_none() {
        a
    } else {
        b
    }
}

fn log_add_exp(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if high.is_infinite() && low == high {
        return high;
    }
    if low.is_nan() || high.is_nan() {
        f64::NAN
    } else {
        high + libm::log1p(libm::exp(low - high))
    }
}

/// A number that sorts as the value does: NaN counts as larger than all, as PyTorch has it, and both zeros are equal.
trait SortKey: Pod {
    fn key(self) -> u64;
}

impl SortKey for u8 {
    fn key(self) -> u64 {
        u64::from(self)
    }
}

impl SortKey for i64 {
    fn key(self) -> u64 {
        self.cast_unsigned() ^ (1 << 63)
    }
}

impl SortKey for f64 {
    fn key(self) -> u64 {
        if self.is_nan() {
            return u64::MAX;
        }
        // Adding zero makes a negative zero positive.
        let bits = (self + 0.0).to_bits();
        if bits >> 63 == 0 {
            bits | 1 << 63
        } else {
            !bits
        }
    }
}

impl SortKey for f32 {
    fn key(self) -> u64 {
        f64::from(self).key()
    }
}

/// Fills in each key's place and sorts them; equal keys stay in the order of their places.
fn sort_places(keys: &mut [(u64, usize)], descending: bool) {
    for (place, (key, at)) in keys.iter_mut().enumerate() {
        *at = place;
        if descending {
            *key = !*key;
        }
    }
    keys.sort_unstable();
}

/// Runs `each(positions in order, row, result row)` over all rows along `axis`.
fn in_order<T: SortKey, R: Pod>(
    ctx: &Context,
    op: &'static str,
    a: &Array,
    (axis, descending): (usize, bool),
    dtype: DType,
    each: fn(usize, &[T]) -> R,
) -> Result<Array> {
    let mut keys = Vec::new();
    let size = a.shape().get(axis).copied().unwrap_or(1);
    keys.try_reserve_exact(size)
        .map_err(|_| ArrayError::OutOfMemory {
            bytes: size_of::<(u64, usize)>().saturating_mul(size) as u64,
            limit: ctx.limit() as u64,
        })?;
    along::<T, R>(ctx, op, a, axis, dtype, |row, out| {
        keys.clear();
        keys.extend(row.iter().map(|v| (v.key(), 0)));
        sort_places(&mut keys, descending);
        for (o, (_, at)) in out.iter_mut().zip(&keys) {
            *o = each(*at, row);
        }
    })
}

/// The positions that sort an axis, in i64. Stable; NaN counts as the largest;
/// `torch.argsort(x, axis, descending, stable=True)`.
///
/// # Errors
/// `NoSuchAxis`, `OutOfMemory`.
pub fn argsort(ctx: &Context, a: &Array, axis: usize, descending: bool) -> Result<Array> {
    check_axis(axis, a.rank())?;
    if let Some(wide) = a.widened(ctx)? {
        return argsort(ctx, &wide, axis, descending);
    }
    let how = (axis, descending);
    by_repr!(a.wide("argsort")?, T => in_order::<T, i64>(ctx, "argsort", a, how, DType::I64, |at, _| at as i64))
}

/// The elements of an axis in order; NaN last, or first if descending; `torch.sort`.
///
/// # Errors
/// `NoSuchAxis`, `OutOfMemory`.
pub fn sort(ctx: &Context, a: &Array, axis: usize, descending: bool) -> Result<Array> {
    check_axis(axis, a.rank())?;
    if let Some(wide) = a.widened(ctx)? {
        return sort(ctx, &wide, axis, descending)?.cast(ctx, a.dtype());
    }
    let how = (axis, descending);
    by_repr!(a.wide("sort")?, T => in_order::<T, T>(ctx, "sort", a, how, a.dtype(), |at, row| {
        row.get(at).copied().unwrap_or_default()
    }))
}

/// The `k` largest elements of an axis, largest first, and their positions; `torch.topk`.
///
/// # Errors
/// `NoSuchAxis`; `BadArgument` if the axis has fewer than `k`; `OutOfMemory`.
pub fn topk(ctx: &Context, a: &Array, k: usize, axis: usize) -> Result<(Array, Array)> {
    check_axis(axis, a.rank())?;
    let size = a.shape().get(axis).copied().unwrap_or(0);
    if k > size {
        return Err(ArrayError::BadArgument {
            op: "topk",
            why: format!("k is {k}, but the axis has {size}"),
        });
    }
    let order = argsort(ctx, a, axis, true)?.slice(axis, None, Some(k as i64), 1)?;
    let values = take_along_axis(ctx, a, &order, axis)?;
    Ok((values, order))
}
