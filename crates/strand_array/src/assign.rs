//! Values written into an array, converted and stretched: `np.copyto`, and what assignment by slices is.

use crate::array::Array;
use crate::cast::{Caster, Casting, check_cast};
use crate::context::Context;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::indexing::without_leading_ones;
use crate::memory;
use crate::plan::{Loops, Order};
use crate::strip::{Strip, Strips};

/// `target[...] = source`: converted and stretched to the target's shape, as if the source had
/// been copied first. A target whose elements overlap is filled in C order. With it come the
/// numeric findings of the conversion.
///
/// # Errors
/// `ReadOnly`, `CannotCast`, `Broadcast`, `OutOfMemory`.
pub fn assign(ctx: &Context, target: &Array, source: &Array, casting: Casting) -> Result<Found> {
    assign_where(ctx, target, source, None, casting)
}

/// `np.copyto(target, source, casting, where=mask)`: only where the mask, which is bool and
/// stretched to the target's shape, is true.
///
/// # Errors
/// As [`assign`]; `DTypeMismatch` if the mask isn't bool.
pub fn assign_where(
    ctx: &Context,
    target: &Array,
    source: &Array,
    mask: Option<&Array>,
    casting: Casting,
) -> Result<Found> {
    if !target.flags().writeable {
        return Err(ArrayError::ReadOnly);
    }
    check_cast(source.descr(), target.descr(), casting)?;
    if let Some(mask) = mask.filter(|m| m.dtype() != DType::Bool) {
        return Err(ArrayError::DTypeMismatch {
            expected: DType::Bool,
            found: mask.dtype(),
        });
    }
    let mut source = without_leading_ones(source, target.rank())?;
    let stretched = source.broadcast_to(target.shape())?;
    let mut mask = match mask {
        Some(mask) => Some(mask.broadcast_to(target.shape())?),
        None => None,
    };
    if memory::must_copy(&stretched, target) {
        source = copied(ctx, &source)?;
    }
    if let Some(own) = mask.as_mut().filter(|m| memory::shares(m, target)) {
        *own = copied(ctx, own)?;
    }
    let order = if memory::overlaps_itself(target) {
        Order::C
    } else {
        Order::K
    };
    let caster = Caster::new(source.descr(), target.descr())?;
    let (found, plan) = match &mask {
        None => copy_all(target, &source, order, &caster)?,
        Some(mask) => copy_masked(target, &source, mask, order, &caster)?,
    };
    ctx.report(|| plan.report("copyto"));
    Ok(found)
}

/// Writes the elements of `source` where `mask` is true, in C order. Both stretch to the target's
/// shape and share no byte with it.
///
/// # Errors
/// As for [`Caster::new`] and [`Caster::run`]; `Broadcast`.
pub(crate) fn copy_where(source: &Array, target: &Array, mask: &Array) -> Result<Found> {
    let caster = Caster::new(source.descr(), target.descr())?;
    copy_masked(target, source, mask, Order::C, &caster).map(|(found, _)| found)
}

/// Writes all elements of `source` in C order; as [`copy_where`].
///
/// # Errors
/// As for [`copy_where`].
pub(crate) fn copy_into(source: &Array, target: &Array) -> Result<Found> {
    let caster = Caster::new(source.descr(), target.descr())?;
    copy_all(target, source, Order::C, &caster).map(|(found, _)| found)
}

/// A fresh C-contiguous array that is written whole before it is read: zeros only where elements
/// are host values.
///
/// # Errors
/// `OutOfMemory`, `TooLarge`.
pub(crate) fn unfilled(ctx: &Context, shape: &[usize], descr: &Descr) -> Result<Array> {
    if descr.has_objects() || descr.sub().is_some() {
        return Array::fresh(ctx, shape, descr);
    }
    let block = ctx.block(Array::byte_count(shape, descr.size())?)?;
    Array::from_block(block, shape, descr.clone())
}

/// A C-contiguous copy in fresh memory, of any dtype.
///
/// # Errors
/// `OutOfMemory`.
pub(crate) fn copied(ctx: &Context, array: &Array) -> Result<Array> {
    let copy = unfilled(ctx, array.shape(), array.descr())?;
    let caster = Caster::new(array.descr(), array.descr())?;
    copy_all(&copy, array, Order::K, &caster)?;
    Ok(copy)
}

/// A copy in fresh memory whose axes are ordered as the array's are; `array.copy("K")`.
///
/// # Errors
/// `OutOfMemory`.
pub fn copy_in_order(ctx: &Context, array: &Array) -> Result<Array> {
    let item = array.item_size();
    let strides = crate::layout::like_strides(array.shape(), array.strides(), item, item)?;
    let copy = Array::with_strides(ctx, array.shape(), &strides, array.descr())?;
    let caster = Caster::new(array.descr(), array.descr())?;
    copy_all(&copy, array, Order::K, &caster)?;
    Ok(copy)
}

/// Lines and columns of a tile: a few cache lines of either side.
const TILE: usize = 32;

/// Copies every element; the source stretches to the target's shape, and either has no byte in common with it
/// or the same elements. With the findings comes the plan that ran.
fn copy_all(
    target: &Array,
    source: &Array,
    order: Order,
    caster: &Caster,
) -> Result<(Found, Loops)> {
    let plan = Loops::over(target.shape(), &[target, source], order)?;
    let mut found = Found::NONE;
    if let Some((lines, across)) = plan.split_tiles().filter(|_| order == Order::K) {
        let mut blocks = across.walk();
        while let Some(&[to, from]) = blocks.next_row() {
            for line in (0..lines).step_by(TILE) {
                let strips = (line..lines.min(line.saturating_add(TILE)))
                    .map(|i| {
                        let line = |k, array, at| line_of(&plan, k, array, at, i);
                        Ok((line(0, target, to)?, line(1, source, from)?))
                    })
                    .collect::<Result<Vec<_>>>()?;
                for column in (0..plan.inner).step_by(TILE) {
                    for (to, from) in &strips {
                        found |= caster.convert(from.part(column, TILE), to.part(column, TILE))?;
                    }
                }
            }
        }
        return Ok((found, plan));
    }
    let mut rows = Strips::new(&plan, &[target, source])?;
    while let Some(&[to, from]) = rows.next_row() {
        found |= caster.convert(from, to)?;
    }
    Ok((found, plan))
}

/// Line `i` of the last outer axis of a plan's operand `k`, from the position of its first line on.
fn line_of<'a>(plan: &Loops, k: usize, array: &'a Array, at: isize, i: usize) -> Result<Strip<'a>> {
    let across = plan.strides.get(k).and_then(|s| s.last()).copied();
    let way = (i as isize).wrapping_mul(across.unwrap_or(0));
    let step = plan.steps.get(k).copied().unwrap_or(0);
    Strip::of(array, at.wrapping_add(way), step, plan.inner)
}

/// The same for the elements where a bool array, apart from the target, is true.
fn copy_masked(
    target: &Array,
    source: &Array,
    mask: &Array,
    order: Order,
    caster: &Caster,
) -> Result<(Found, Loops)> {
    let plan = Loops::over(target.shape(), &[target, source, mask], order)?;
    let mut found = Found::NONE;
    let mut rows = Strips::new(&plan, &[target, source, mask])?;
    while let Some(&[to, from, mask]) = rows.next_row() {
        for (start, length) in mask.set_runs() {
            found |= caster.convert(from.part(start, length), to.part(start, length))?;
        }
    }
    Ok((found, plan))
}
