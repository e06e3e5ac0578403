//! Loops over bool arrays: the positions where one is true, and the elements there.

use crate::array::Array;
use crate::context::Context;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::indexing::gather::{CHUNK, Mover, Way, element};
use crate::plan::{Loops, Order};

/// Whether a bool array of rank 0 is true.
pub(super) fn is_set(mask: &Array) -> bool {
    let mut set = false;
    each_flag(mask, |flag| set = flag);
    set
}

/// The number of true elements.
pub(crate) fn count(mask: &Array) -> usize {
    let mut found = 0;
    each_flag(mask, |flag| found += usize::from(flag));
    found
}

/// Per axis an i64 array of the positions where a bool array is true, in C order.
///
/// # Errors
/// `OutOfMemory`.
pub(crate) fn positions(ctx: &Context, mask: &Array) -> Result<Vec<Array>> {
    let found = count(mask);
    let mut flat = Vec::new();
    let bytes = found.saturating_mul(size_of::<usize>()) as u64;
    flat.try_reserve_exact(found)
        .map_err(|_| ArrayError::OutOfMemory {
            bytes,
            limit: ctx.limit() as u64,
        })?;
    let mut index = 0;
    each_flag(mask, |flag| {
        if flag {
            flat.push(index);
        }
        index += 1;
    });
    let mut below = mask.len();
    let axes = mask.shape().iter().map(|&size| {
        below = below.checked_div(size).unwrap_or(0);
        Array::build::<i64>(ctx, &[found], DType::I64, |out| {
            for (o, &i) in out.iter_mut().zip(&flat) {
                *o = (i / below.max(1) % size.max(1)) as i64;
            }
            Ok(())
        })
    });
    axes.collect()
}

/// Calls `visit` with the elements of a bool array in C order.
fn each_flag(mask: &Array, mut visit: impl FnMut(bool)) {
    debug_assert!(mask.dtype() == DType::Bool);
    let strides = [mask.strides().to_vec()];
    let plan = Loops::new(mask.shape(), &strides, &[mask.offset() as isize], Order::C);
    let step = plan.steps.first().copied().unwrap_or(0);
    let base = mask.block().ptr().cast_const();
    let mut rows = plan.walk();
    while let Some(&[at]) = rows.next_row() {
        for i in 0..plan.inner as isize {
            // SAFETY: the plan walks over the elements of `mask`, one initialised byte each.
            visit(unsafe { base.offset(at + i * step).read() } != 0);
        }
    }
}

/// Checks a mask of the array's rank and size against its axes. An axis of size 0 of the mask chooses
/// nothing, whatever it stands for.
pub(super) fn check_shape(array: &Array, mask: &Array) -> Result<()> {
    let mut sizes = mask.shape().iter().zip(array.shape());
    if sizes.all(|(own, size)| own == size || *own == 0) {
        return Ok(());
    }
    Err(ArrayError::MaskShape {
        mask: mask.shape().to_vec(),
        axes: array.shape().to_vec(),
    })
}

/// Moves the elements of `array` where `mask`, of the same shape, is true to or from `other`, in C
/// order. `other` has rank 1, an element for each of them and the array's dtype, and no byte in common
/// with it.
///
/// # Errors
/// `MaskShape` for another shape; what a host value says.
pub(super) fn exchange(array: &Array, mask: &Array, other: &Array, way: Way) -> Result<()> {
    check_shape(array, mask)?;
    if mask.is_empty() {
        return Ok(());
    }
    let found = count(mask);
    if other.shape() != [found] {
        return Err(ArrayError::MaskValues {
            found: other.len(),
            places: found,
        });
    }
    let plan = Loops::over(array.shape(), &[array, mask], Order::C)?;
    let (Some(&step), Some(&flag_step)) = (plan.steps.first(), plan.steps.get(1)) else {
        return Ok(());
    };
    let stride = other.strides().first().copied().unwrap_or(0);
    let flags = mask.block().ptr().cast_const();
    let (mover, alone) = (Mover::new(array, other, way)?, element());
    let mut to = other.offset() as isize;
    let mut places = Vec::with_capacity(CHUNK);
    let mut flush = |places: &mut Vec<isize>| {
        // SAFETY: the places are elements of `array`; as many were found true as `other` has
        // elements, and the mask isn't written meanwhile: the two don't overlap, and a mask that
        // overlaps the array was copied by the caller.
        let done = unsafe { mover.row(places, 0, (to, stride), &alone) };
        to = to.wrapping_add((places.len() as isize).wrapping_mul(stride));
        places.clear();
        done
    };
    let mut rows = plan.walk();
    while let Some(&[at, flag_at]) = rows.next_row() {
        for i in 0..plan.inner as isize {
            // SAFETY: the plan walks over the elements of `mask`.
            let set = unsafe { flags.offset(flag_at + i * flag_step).read() } != 0;
            if set {
                places.push(at + i * step);
                if places.len() == CHUNK {
                    flush(&mut places)?;
                }
            }
        }
    }
    flush(&mut places)
}
