//! Values written into an array, converted and stretched: `np.copyto`, and what assignment by slices is.

use crate::array::Array;
use crate::cast::{Caster, Casting, check_cast};
use crate::context::Context;
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

/// A C-contiguous copy in fresh memory, of any dtype.
///
/// # Errors
/// `OutOfMemory`.
pub(crate) fn copied(ctx: &Context, array: &Array) -> Result<Array> {
    let copy = Array::fresh(ctx, array.shape(), array.descr())?;
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
        let mut found = Found::NONE;
        let mut rows = plan.walk();
        while let (Some(&[a, b]), &[step_a, step_b]) = (rows.next_row(), plan.steps.as_slice()) {
            // SAFETY: the plan walks over elements of both arrays, whose constructor proved that
            // they lie in their blocks; they are apart or the same, says the caller.
            found |= unsafe {
                caster.run((from.offset(b), step_b), (to.offset(a), step_a), plan.inner)?
            };
        }
        Ok((found, plan))
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
