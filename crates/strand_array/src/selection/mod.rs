//! NumPy's functions that pick elements by position, by condition or by size, for every dtype.

mod by_condition;
mod by_position;
mod extremes;
mod rows;

pub use by_condition::{
    argwhere, compress, count_nonzero, extract, flatnonzero, nonzero, place, put_mask, where_,
};
pub use by_position::{Bounds, put, put_along_axis, take, take_along_axis, take_into};
pub use extremes::{argmax, argmin};

use crate::array::Array;
use crate::assign::{assign, copied};
use crate::cast::{Casting, astype, check_cast};
use crate::context::Context;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::lanes::{self, flat as flattened};

/// The axis of a number that may count from the end; an array of rank 0 counts as one of rank 1.
fn axis_of(axis: i64, rank: usize) -> Result<usize> {
    lanes::axis_of(axis, rank.max(1))
}

/// The array, with an axis of size 1 if it has none.
fn at_least_1d(array: &Array) -> Result<Array> {
    if array.rank() == 0 {
        array.insert_axis(0)
    } else {
        Ok(array.clone())
    }
}

/// Whether each element counts as true, as a bool array of the same shape.
fn truth(ctx: &Context, array: &Array) -> Result<Array> {
    if array.dtype() == DType::Bool {
        return Ok(array.clone());
    }
    Ok(astype(ctx, array, &Descr::new(DType::Bool), Casting::Unsafe)?.0)
}

/// Writes a result into the array that was given for it, by the rules of `out=` of these functions:
/// the exact shape, and a dtype that casts safely to the result's.
fn deliver(ctx: &Context, op: &'static str, result: &Array, out: &Array) -> Result<()> {
    if out.shape() != result.shape() {
        return Err(ArrayError::ShapeMismatch {
            op,
            left: result.shape().to_vec(),
            right: out.shape().to_vec(),
        });
    }
    check_cast(out.descr(), result.descr(), Casting::Safe)?;
    assign(ctx, out, result, Casting::Unsafe)?;
    Ok(())
}

/// Writes `change` makes to the elements of a flat array that may be a copy of `target`'s.
fn change_flat(
    ctx: &Context,
    target: &Array,
    change: impl FnOnce(&Array) -> Result<()>,
) -> Result<()> {
    if !target.flags().writeable {
        return Err(ArrayError::ReadOnly);
    }
    if let Some(view) = target.reshape_view(&[target.len()]) {
        return change(&view);
    }
    let copy = copied(ctx, target)?;
    let flat = copy.reshape_view(&[target.len()]);
    change(&flat.ok_or(ArrayError::OutOfBlock)?)?;
    assign(ctx, target, &copy, Casting::Unsafe)?;
    Ok(())
}
