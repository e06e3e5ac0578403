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
        None => strips::copy(target, &source, order, &caster)?,
        Some(mask) => strips::copy_where(target, &source, mask, order, &caster)?,
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
    strips::copy_where(target, source, mask, Order::C, &caster).map(|(found, _)| found)
}

/// Writes all elements of `source` in C order; as [`copy_where`].
///
/// # Errors
/// As for [`copy_where`].
pub(crate) fn copy_into(source: &Array, target: &Array) -> Result<Found> {
    let caster = Caster::new(source.descr(), target.descr())?;
    strips::copy(target, source, Order::C, &caster).map(|(found, _)| found)
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
    strips::copy(&copy, array, Order::K, &caster)?;
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
    strips::copy(&copy, array, Order::K, &caster)?;
    Ok(copy)
}

/// Strips of memory, copied by a caster.
#[allow(unsafe_code)]
mod strips {
    use super::{Array, Caster, Found, Loops, Order, Result};

    /// Copies every element; the source stretches to the target's shape, and either has no byte in
    /// common with it or the same elements. With the findings comes the plan that ran.
    pub(super) fn copy(
        target: &Array,
        source: &Array,
        order: Order,
        caster: &Caster,
    ) -> Result<(Found, Loops)> {
        let plan = Loops::over(target.shape(), &[target, source], order)?;
        let (to, from) = (target.block().ptr(), source.block().ptr().cast_const());
        let &[step_a, step_b] = plan.steps.as_slice() else {
            return Ok((Found::NONE, plan));
        };
        let mut found = Found::NONE;
        let mut run = |a: isize, b: isize, n: usize| -> Result<()> {
            // SAFETY: `n` elements of both arrays from these positions on, as the plan has them; the
            // constructor proved that they lie in their blocks, and they are apart or the same, says
            // the caller.
            found |= unsafe { caster.run((from.offset(b), step_b), (to.offset(a), step_a), n)? };
            Ok(())
        };
        if let Some((lines, across)) = plan.split_tiles().filter(|_| order == Order::K) {
            let mut blocks = across.walk();
            while let Some(&[a, b]) = blocks.next_row() {
                tiles(&plan, lines, (a, b), &mut run)?;
            }
            return Ok((found, plan));
        }
        let mut rows = plan.walk();
        while let Some(&[a, b]) = rows.next_row() {
            run(a, b, plan.inner)?;
        }
        Ok((found, plan))
    }

    /// Lines and columns of a tile: a few cache lines of either side.
    const TILE: usize = 32;

    /// The last outer axis and the inner one, tile by tile, from these positions on.
    fn tiles(
        plan: &Loops,
        lines: usize,
        (a, b): (isize, isize),
        run: &mut dyn FnMut(isize, isize, usize) -> Result<()>,
    ) -> Result<()> {
        let last = |k: usize| {
            plan.strides
                .get(k)
                .and_then(|s| s.last())
                .copied()
                .unwrap_or(0)
        };
        let step = |k: usize| plan.steps.get(k).copied().unwrap_or(0);
        for line in (0..lines).step_by(TILE) {
            for column in (0..plan.inner).step_by(TILE) {
                let n = TILE.min(plan.inner - column);
                for i in line..lines.min(line + TILE) {
                    let (i, j) = (i as isize, column as isize);
                    run(
                        a + i * last(0) + j * step(0),
                        b + i * last(1) + j * step(1),
                        n,
                    )?;
                }
            }
        }
        Ok(())
    }

    /// The same for the elements where a bool array, apart from the target, is true.
    pub(super) fn copy_where(
        target: &Array,
        source: &Array,
        mask: &Array,
        order: Order,
        caster: &Caster,
    ) -> Result<(Found, Loops)> {
        let plan = Loops::over(target.shape(), &[target, source, mask], order)?;
        let (to, from) = (target.block().ptr(), source.block().ptr().cast_const());
        let flags = mask.block().ptr().cast_const();
        let &[step_a, step_b, step_m] = plan.steps.as_slice() else {
            return Ok((Found::NONE, plan));
        };
        let mut found = Found::NONE;
        let mut rows = plan.walk();
        while let Some(&[a, b, m]) = rows.next_row() {
            // SAFETY: the plan walks over the mask's elements, one initialised byte each.
            let flag = |i: usize| unsafe { flags.offset(m + i as isize * step_m).read() } != 0;
            let mut at = 0;
            while at < plan.inner {
                let start = at + (at..plan.inner).take_while(|&i| !flag(i)).count();
                let length = (start..plan.inner).take_while(|&i| flag(i)).count();
                let i = start as isize;
                // SAFETY: as for `copy`, for a part of a strip.
                found |= unsafe {
                    let from = from.offset(b + i * step_b);
                    let to = to.offset(a + i * step_a);
                    caster.run((from, step_b), (to, step_a), length)?
                };
                at = start + length;
            }
        }
        Ok((found, plan))
    }
}
