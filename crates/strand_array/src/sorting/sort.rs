//! `sort`, `argsort` and `lexsort`.

use super::order::Ordered;
use super::{SortOptions, by_reader, generic};
use crate::array::Array;
use crate::context::{Context, Report};
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::lanes::{Lanes, axis_of, build_bytes};
use crate::layout::c_strides;
use crate::layout::like_strides;

/// A sorted copy, in the memory order of the array; `np.sort`.
///
/// # Errors
/// `AxisOutOfRange`; `BadValue` for host values without order; `BadArgument` for a field that isn't one;
/// `OutOfMemory`.
pub fn sort(ctx: &Context, a: &Array, options: &SortOptions<'_>) -> Result<Array> {
    let (a, axis) = options.apply(ctx, a)?;
    if generic::is_generic(a.descr()) {
        return generic::sort(ctx, &a, axis).inspect(|result| report(ctx, "sort", &a, result));
    }
    sorted_lanes(ctx, "sort", &a, axis, options.order, &mut |_| {})
        .inspect(|result| report(ctx, "sort", &a, result))
}

/// The positions that sort the array, as `i64`; `np.argsort(a, kind="stable")`.
///
/// # Errors
/// As [`sort`].
pub fn argsort(ctx: &Context, a: &Array, options: &SortOptions<'_>) -> Result<Array> {
    let (a, axis) = options.apply_flat(ctx, a)?;
    if generic::is_generic(a.descr()) {
        return generic::argsort(ctx, &a, axis).inspect(|found| report(ctx, "argsort", &a, found));
    }
    let result = by_reader!("argsort", &a, options.order, read => {
        positions(ctx, &a, axis, |places, found| {
            let values: Vec<_> = places.iter().map(|&at| read(at)).collect();
            sort_positions(&values, found);
        })
    })?;
    report(ctx, "argsort", &a, &result);
    Ok(result)
}

/// Sorts positions of `values` by their values; those of equal ones stay as they are.
fn sort_positions<T: Ordered>(values: &[T], positions: &mut [usize]) {
    positions.sort_by(|&i, &j| match (values.get(i), values.get(j)) {
        (Some(a), Some(b)) => a.order(*b),
        _ => i.cmp(&j),
    });
}

/// The positions that sort by several keys, the last one first; `np.lexsort`.
///
/// # Errors
/// `BadCall` without keys; `ShapeMismatch` for keys of different shapes; `AxisOutOfRange`,
/// `Unsupported`, `OutOfMemory`.
pub fn lexsort(ctx: &Context, keys: &[Array], axis: i64) -> Result<Array> {
    let Some(first) = keys.first() else {
        return Err(ArrayError::BadCall {
            op: "lexsort",
            why: "at least one key is needed".into(),
        });
    };
    if let Some(other) = keys.iter().find(|key| key.shape() != first.shape()) {
        return Err(ArrayError::ShapeMismatch {
            op: "lexsort",
            left: first.shape().to_vec(),
            right: other.shape().to_vec(),
        });
    }
    if first.rank() == 0 && (axis == 0 || axis == -1) {
        return Array::scalar(ctx, crate::Scalar::I64(0));
    }
    let axis = axis_of(axis, first.rank())?;
    let lanes = Lanes::of_array(first, axis);
    let mut found: Vec<usize> = (0..lanes.starts.len())
        .flat_map(|_| 0..lanes.size)
        .collect();
    for key in keys {
        let lanes = Lanes::of_array(key, axis);
        by_reader!("lexsort", key, &[], read => {
            for (start, to) in lanes.starts.iter().zip(found.chunks_mut(lanes.size.max(1))) {
                let values: Vec<_> = lanes.places(*start).map(&read).collect();
                sort_positions(&values, to);
            }
            Ok(())
        })?;
    }
    let mut sorted = found.chunks(lanes.size.max(1));
    positions(ctx, first, axis, |_, to| {
        to.copy_from_slice(sorted.next().unwrap_or_default());
    })
}

/// Sorts every lane into a fresh array of the same memory order; `also` sees what it takes.
pub(super) fn sorted_lanes(
    ctx: &Context,
    op: &'static str,
    a: &Array,
    axis: usize,
    order: &[&str],
    also: &mut dyn FnMut(usize),
) -> Result<Array> {
    by_reader!(op, a, order, read => arranged(ctx, a, axis, read, |values| {
        also(values.len());
        values.sort_by(|a, b| a.order(*b));
    }))
}

/// A copy in the same memory order in which `arrange` has put every lane in another order.
pub(super) fn arranged<T: Ordered>(
    ctx: &Context,
    a: &Array,
    axis: usize,
    read: impl Fn(usize) -> T,
    mut arrange: impl FnMut(&mut [T]),
) -> Result<Array> {
    let (item, swapped) = (a.item_size(), a.descr().is_swapped());
    let strides = like_strides(a.shape(), a.strides(), item, item)?;
    let from = Lanes::of_array(a, axis);
    let to = Lanes::of(a.shape(), &strides, 0, axis);
    build_bytes(ctx, a.shape(), &strides, a.descr().clone(), |out| {
        let mut values = Vec::new();
        reserve(&mut values, from.size)?;
        for (&source, &target) in from.starts.iter().zip(&to.starts) {
            values.clear();
            values.extend(from.places(source).map(&read));
            arrange(&mut values);
            for (value, at) in values.iter().zip(to.places(target)) {
                if let Some(out) = out.get_mut(at..) {
                    value.store(out, swapped);
                }
            }
        }
        Ok(())
    })
}

fn reserve<T>(values: &mut Vec<T>, count: usize) -> Result<()> {
    let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
    values
        .try_reserve_exact(count)
        .map_err(|_| ArrayError::OutOfMemory {
            bytes,
            limit: crate::MAX_BYTES as u64,
        })
}

/// An `i64` array of the same shape: `arrange` gets the byte offsets of a lane's elements and puts
/// their positions in order.
pub(super) fn positions(
    ctx: &Context,
    a: &Array,
    axis: usize,
    mut arrange: impl FnMut(&[usize], &mut [usize]),
) -> Result<Array> {
    let strides = c_strides(a.shape(), DType::I64.size())?;
    let from = Lanes::of_array(a, axis);
    let to = Lanes::of(a.shape(), &strides, 0, axis);
    build_bytes(ctx, a.shape(), &strides, DType::I64, |out| {
        let (mut places, mut found) = (Vec::new(), Vec::new());
        reserve(&mut places, from.size)?;
        reserve(&mut found, from.size)?;
        for (&source, &target) in from.starts.iter().zip(&to.starts) {
            places.clear();
            places.extend(from.places(source));
            found.clear();
            found.extend(0..from.size);
            arrange(&places, &mut found);
            for (&position, at) in found.iter().zip(to.places(target)) {
                if let Some(out) = out.get_mut(at..) {
                    (position as i64).store(out, false);
                }
            }
        }
        Ok(())
    })
}

pub(super) fn report(ctx: &Context, op: &'static str, a: &Array, result: &Array) {
    ctx.report(|| Report::along_axis(op, &[a, result], result));
}
