//! Indexing with NumPy's meaning.

mod plan;
mod rows;

use std::rc::Rc;

use self::plan::{Selection, plan, reserve};
use self::rows::{gather, places, report, unsupported, visit_rows};
use crate::array::{Array, wrap_index};
use crate::context::{Context, LoopKind, Report};
use crate::dtype::{DType, by_width};
use crate::error::{ArrayError, Result};
use crate::kernels::count_set;
use crate::layout::{broadcast_shapes, check_axis};
use crate::memory;
use crate::plan::Domain;
use crate::walk::Walk;

/// One item of an index list.
#[derive(Clone, Debug)]
pub enum IndexItem {
    /// One position; negative ones count from the end. The axis goes away.
    Int(i64),
    /// `start:stop:step` by Python's rules.
    Slice {
        /// The first position; the end that the step comes from if left out.
        start: Option<i64>,
        /// The position before which it ends.
        stop: Option<i64>,
        /// The step, not 0.
        step: i64,
    },
    /// A new axis of size 1.
    NewAxis,
    /// As many whole axes as are left.
    Ellipsis,
    /// Positions; an i64 array. Index arrays broadcast together.
    IntArray(Array),
    /// Where a mask is true; stands for as many axes as it has.
    BoolArray(Array),
}

/// `x[items]`: a view if there are no index arrays, else a copy.
///
/// # Errors
/// `IndexOutOfRange`, `TooManyIndices`, `MaskShape`, `Broadcast` of the index arrays, `ZeroStep`,
/// `BadIndex`, `DTypeMismatch`, `OutOfMemory`.
pub fn index(ctx: &Context, array: &Array, items: &[IndexItem]) -> Result<Array> {
    if let [IndexItem::BoolArray(mask)] = items
        && let Some(chosen) = masked(ctx, array, mask)?
    {
        return Ok(chosen);
    }
    let selection = plan(ctx, array, items)?;
    if selection.basic {
        let (shape, strides) = (&selection.after.shape, selection.after.strides.first());
        let strides = strides.map(Vec::as_slice).unwrap_or_default();
        // Without elements nothing is reachable, so the place of the view doesn't matter.
        let empty = array.is_empty() || shape.contains(&0);
        let first = selection.starts.first().copied().filter(|_| !empty);
        ctx.report(|| report("index", LoopKind::View, &selection, 0));
        return Array::from_parts(
            Rc::clone(&array.block),
            first.unwrap_or(array.offset),
            shape,
            strides,
            array.descr.clone(),
        )
        .map(|view| Array {
            writeable: array.writeable,
            ..view
        });
    }
    gather(ctx, array, &selection, "index")
}

/// The elements where a mask of the same shape is true, if both lie in C order: without positions.
fn masked(ctx: &Context, array: &Array, mask: &Array) -> Result<Option<Array>> {
    if mask.dtype() != DType::Bool || mask.rank() == 0 || mask.shape() != array.shape() {
        return Ok(None);
    }
    let Some(bytes) = mask.as_slice::<u8>() else {
        return Ok(None);
    };
    let count = count_set(bytes);
    let result = by_width!(array.item_size(), T => {
        let Some(elements) = array.as_slice::<T>() else {
            return Ok(None);
        };
        Array::build::<T>(ctx, &[count], array.descr.clone(), |out| {
            // Every element is written to the next free place; one that is chosen keeps it.
            let mut next = 0_usize;
            for (v, set) in elements.iter().zip(bytes) {
                if let Some(o) = out.get_mut(next) {
                    *o = *v;
                }
                next = usize::from(*set != 0).wrapping_add(next);
            }
            Ok(())
        })
    }, else return Ok(None))?;
    ctx.report(|| Report {
        ops: vec!["index"],
        kind: LoopKind::Gather,
        shape: vec![count],
        strides: vec![vec![array.item_size() as isize]],
        bytes: result.block.len(),
    });
    Ok(Some(result))
}

/// A copy of `array` in which `x[items] = value`; the value is converted and broadcasts. Where an
/// index occurs twice the last value stays.
///
/// # Errors
/// As [`index`], and `Broadcast` if the value doesn't fit.
pub fn index_set(
    ctx: &Context,
    array: &Array,
    items: &[IndexItem],
    value: &Array,
) -> Result<Array> {
    index_put(ctx, array.clone(), items, value)
}

/// As [`index_set`], in the array's own memory where no other array sees it.
///
/// # Errors
/// As [`index_set`].
pub fn index_put(
    ctx: &Context,
    mut array: Array,
    items: &[IndexItem],
    value: &Array,
) -> Result<Array> {
    // A stretched array has fewer places than elements.
    let whole = array.len().checked_mul(array.item_size()) == Some(array.block.len())
        && !memory::overlaps_itself(&array);
    let alone = whole
        && array.flags().writeable
        && array.is_aligned()
        && Rc::get_mut(&mut array.block).is_some_and(|block| !block.holds_objects());
    let mut changed = if alone { array } else { array.copy(ctx)? };
    let selection = plan(ctx, &changed, items)?;
    let shape = selection.result_shape();
    let mut value = value.cast(ctx, changed.dtype())?;
    while value.rank() > shape.len() && value.shape().first() == Some(&1) {
        value = value.drop_axis(0)?;
    }
    let value = value.broadcast_to(&shape)?.to_contiguous(ctx)?;
    by_width!(changed.item_size(), T => {
        let mut values = value.as_slice::<T>().unwrap_or_default();
        let block = Rc::get_mut(&mut changed.block);
        let out = block.map(|b| b.slice_mut::<T>()).unwrap_or_default();
        visit_rows(&selection, size_of::<T>(), &mut |at, step, n| {
            let (now, later) = values.split_at(n.min(values.len()));
            values = later;
            for (v, at) in now.iter().zip(places::<T>(at, step)) {
                if let Some(o) = out.get_mut(at) {
                    *o = *v;
                }
            }
        });
    }, else return Err(unsupported("index_set", &changed)));
    let made = if alone { 0 } else { changed.block.len() };
    ctx.report(|| report("index_set", LoopKind::Gather, &selection, made));
    Ok(changed)
}

/// `x[i]` under leading batch axes: `array` is `[B… N rest…]`, `positions` `[B… I…]`, both with
/// `batch_rank` batch axes that broadcast; the result is `[B… I… rest…]`. It is what
/// `torch.vmap` makes of indexing by a batched tensor.
///
/// # Errors
/// `IndexOutOfRange`, `Broadcast`, `NoSuchAxis`, `DTypeMismatch`, `OutOfMemory`.
pub fn take_batched(
    ctx: &Context,
    array: &Array,
    positions: &Array,
    batch_rank: usize,
) -> Result<Array> {
    if positions.dtype() != DType::I64 {
        return Err(ArrayError::DTypeMismatch {
            expected: DType::I64,
            found: positions.dtype(),
        });
    }
    check_axis(batch_rank, array.rank())?;
    check_axis(batch_rank, positions.rank().saturating_add(1))?;
    let (array_batch, rest) = array.shape().split_at(batch_rank);
    let (position_batch, index_shape) = positions.shape().split_at(batch_rank);
    let batch = broadcast_shapes(array_batch, position_batch)?;
    let with_batch = |tail: &[usize]| batch.iter().chain(tail).copied().collect::<Vec<_>>();
    let array = array.broadcast_to(&with_batch(rest))?;
    let places = positions
        .broadcast_to(&with_batch(index_shape))?
        .to_contiguous(ctx)?;
    let selection = Selection {
        starts: batched_starts(ctx, &array, &places, &batch, index_shape)?,
        shape: with_batch(index_shape),
        before: Domain {
            shape: vec![],
            strides: vec![vec![]],
        },
        after: Domain {
            shape: array
                .shape()
                .iter()
                .skip(batch_rank)
                .skip(1)
                .copied()
                .collect(),
            strides: vec![
                array
                    .strides()
                    .iter()
                    .skip(batch_rank)
                    .skip(1)
                    .copied()
                    .collect(),
            ],
        },
        basic: false,
    };
    gather(ctx, &array, &selection, "take_batched")
}

/// The byte position of each place along the axis after the batch axes of its own batch.
fn batched_starts(
    ctx: &Context,
    array: &Array,
    places: &Array,
    batch: &[usize],
    index_shape: &[usize],
) -> Result<Vec<usize>> {
    let axis = batch.len();
    let size = array.shape().get(axis).copied().unwrap_or(0);
    let stride = array.strides().get(axis).copied().unwrap_or(0);
    let mut starts = reserve(ctx, places.len())?;
    let mut walk = Walk::new(batch, &array.strides, array.offset);
    let per_batch: usize = index_shape.iter().product();
    let places = places.as_slice::<i64>().unwrap_or_default();
    for group in places.chunks(per_batch.max(1)) {
        let Some(base) = walk.next_offset() else {
            break;
        };
        for &i in group {
            let at = wrap_index(i, size, axis)? as isize;
            starts.push(base.wrapping_add_signed(at.wrapping_mul(stride)));
        }
    }
    Ok(starts)
}
