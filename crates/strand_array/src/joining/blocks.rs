//! Blocks of arrays, and copies of one.

use super::{JoinOptions, bad, concatenate, view};
use crate::array::Array;
use crate::assign::copy_into;
use crate::cast::{Casting, astype};
use crate::context::Context;
use crate::error::{ArrayError, Result};
use crate::lanes::{axis_of, flat};
use crate::layout::check_rank;

/// Arrays in nested lists.
#[derive(Clone, Debug)]
pub enum Nested {
    /// An array, or a number as an array.
    Array(Array),
    /// Blocks side by side.
    List(Vec<Nested>),
}

impl Nested {
    fn depth(&self, at: usize) -> Result<usize> {
        let Self::List(items) = self else {
            return Ok(at);
        };
        let at = at.saturating_add(1);
        check_rank(at)?;
        let mut depths = items.iter().map(|item| item.depth(at));
        let first = depths
            .next()
            .ok_or_else(|| bad("block", "a list is empty"))??;
        for depth in depths {
            if depth? != first {
                return Err(bad("block", "lists are nested to different depths"));
            }
        }
        Ok(first)
    }

    fn rank(&self) -> usize {
        match self {
            Self::Array(a) => a.rank(),
            Self::List(items) => items.iter().map(Self::rank).max().unwrap_or(0),
        }
    }

    fn joined(&self, ctx: &Context, depth: usize, rank: usize) -> Result<Array> {
        let items = match self {
            Self::Array(a) => return at_front(a, rank),
            Self::List(items) => items,
        };
        let parts: Vec<Array> = items
            .iter()
            .map(|item| item.joined(ctx, depth.saturating_sub(1), rank))
            .collect::<Result<_>>()?;
        let options = JoinOptions::default();
        concatenate(ctx, &parts, Some((depth as i64).wrapping_neg()), &options)
    }
}

fn at_front(a: &Array, rank: usize) -> Result<Array> {
    let mut found = a.clone();
    while found.rank() < rank {
        found = found.insert_axis(0)?;
    }
    Ok(found)
}

/// An array of blocks: the innermost lists are put together along the last axis, those around them along the
/// one before; `np.block`.
///
/// # Errors
/// `BadArgument` for an empty list or lists of different depth; as [`concatenate`].
pub fn block(ctx: &Context, blocks: &Nested) -> Result<Array> {
    let depth = blocks.depth(0)?;
    let rank = depth.max(blocks.rank());
    let found = blocks.joined(ctx, depth, rank)?;
    if depth == 0 {
        // Always a copy.
        return astype(ctx, &found, found.descr(), Casting::No).map(|(copy, _)| copy);
    }
    Ok(found)
}

/// Copies of an array side by side, so many along each axis; `np.tile`.
///
/// # Errors
/// `BadArgument` for a negative number; `TooLarge`, `RankTooHigh`, `OutOfMemory`.
pub fn tile(ctx: &Context, a: &Array, times: &[i64]) -> Result<Array> {
    let rank = a.rank().max(times.len());
    check_rank(rank.saturating_mul(2))?;
    let a = at_front(a, rank)?;
    let missing = rank.saturating_sub(times.len());
    // Every axis is split in two: the copies, of stride 0 in the source, and the elements.
    let (mut shape, mut strides) = (vec![], vec![]);
    let mut whole = Vec::with_capacity(rank);
    for (axis, (&size, &stride)) in a.shape().iter().zip(a.strides()).enumerate() {
        let copies = match axis.checked_sub(missing) {
            Some(at) => times.get(at).copied().unwrap_or(1),
            None => 1,
        };
        let copies =
            usize::try_from(copies).map_err(|_| bad("tile", "a number of copies is negative"))?;
        shape.extend([copies, size]);
        strides.extend([0, stride]);
        whole.push(copies.checked_mul(size).ok_or(ArrayError::TooLarge {
            what: "a tiled axis",
        })?);
    }
    let source = view(&a, a.offset(), &shape, &strides)?;
    let out = Array::fresh(ctx, &shape, a.descr())?;
    copy_into(&source, &out)?;
    out.reshape(ctx, &whole)
}

/// Every element, or every slice along an axis, so many times; one number for all, or one each;
/// `np.repeat`.
///
/// # Errors
/// `BadArgument` for a negative number or another count of them than the axis has; `AxisOutOfRange`,
/// `TooLarge`, `OutOfMemory`.
pub fn repeat(ctx: &Context, a: &Array, times: &[i64], axis: Option<i64>) -> Result<Array> {
    let (a, axis) = match axis {
        None => (flat(ctx, a)?, 0),
        Some(0 | -1) if a.rank() == 0 => (flat(ctx, a)?, 0),
        Some(axis) => (a.clone(), axis_of(axis, a.rank())?),
    };
    let size = a.shape().get(axis).copied().unwrap_or(0);
    if times.len() != 1 && times.len() != size {
        return Err(bad(
            "repeat",
            format!("{} numbers for an axis of size {size}", times.len()),
        ));
    }
    let mut counts = Vec::with_capacity(size);
    let mut total = 0_usize;
    for count in times.iter().cycle().take(size) {
        let count =
            usize::try_from(*count).map_err(|_| bad("repeat", "a number of copies is negative"))?;
        total = total.checked_add(count).ok_or(ArrayError::TooLarge {
            what: "the repeated axis",
        })?;
        counts.push(count);
    }
    let mut shape = a.shape().to_vec();
    if let Some(size) = shape.get_mut(axis) {
        *size = total;
    }
    let out = Array::fresh(ctx, &shape, a.descr())?;
    let mut start = 0_i64;
    for (at, count) in (0_i64..).zip(counts) {
        let stop = start.saturating_add(count as i64);
        let slice = a.slice(axis, Some(at), Some(at.saturating_add(1)), 1)?;
        let part = out.slice(axis, Some(start), Some(stop), 1)?;
        copy_into(&slice.broadcast_to(part.shape())?, &part)?;
        start = stop;
    }
    Ok(out)
}
