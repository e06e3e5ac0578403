//! Elements by a condition: `nonzero`, `where`, `compress` and their kin.

use super::by_position::repeated;
use super::{Bounds, change_flat, flattened, rows, take, truth};
use crate::array::Array;
use crate::assign::{assign, assign_where};
use crate::cast::{Casting, check_cast};
use crate::context::{Context, LoopKind, Report};
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::index::IndexItem;
use crate::indexing::{self, mask};
use crate::lanes::native;
use crate::multi::broadcast_arrays;
use crate::plan::k_strides;
use crate::promote::promote_types;

/// Per axis the positions of the elements that aren't zero, in C order; `np.nonzero`.
///
/// # Errors
/// `BadArgument` for rank 0; `OutOfMemory`.
pub fn nonzero(ctx: &Context, array: &Array) -> Result<Vec<Array>> {
    if array.rank() == 0 {
        return Err(ArrayError::BadArgument {
            op: "nonzero",
            why: "an array without axes has no positions".into(),
        });
    }
    mask::positions(ctx, &truth(ctx, array)?)
}

/// The positions in the flattened array of the elements that aren't zero; `np.flatnonzero`.
///
/// # Errors
/// `OutOfMemory`.
pub fn flatnonzero(ctx: &Context, array: &Array) -> Result<Array> {
    let flat = flattened(ctx, &truth(ctx, array)?)?;
    let mut found = mask::positions(ctx, &flat)?;
    found.pop().ok_or(ArrayError::OutOfBlock)
}

/// A row of coordinates for each element that isn't zero; `np.argwhere`.
///
/// # Errors
/// `OutOfMemory`.
pub fn argwhere(ctx: &Context, array: &Array) -> Result<Array> {
    let truth = truth(ctx, array)?;
    let columns = mask::positions(ctx, &truth)?;
    let rows = mask::count(&truth);
    let out = Array::zeros(ctx, &[rows, columns.len()], DType::I64)?;
    for (axis, column) in columns.iter().enumerate() {
        assign(ctx, &out.select(1, axis as i64)?, column, Casting::No)?;
    }
    Ok(out)
}

/// How many elements aren't zero; `np.count_nonzero`.
///
/// # Errors
/// `OutOfMemory`.
pub fn count_nonzero(ctx: &Context, array: &Array) -> Result<usize> {
    Ok(mask::count(&truth(ctx, array)?))
}

/// The elements of `yes` where the condition is true and those of `no` elsewhere, all stretched to
/// a common shape, in the type that both promote to; `np.where`.
///
/// # Errors
/// `Broadcast`, `OutOfMemory`; as `promote_types`.
pub fn where_(ctx: &Context, condition: &Array, yes: &Array, no: &Array) -> Result<Array> {
    let descr = promote_types(yes.descr(), no.descr())?;
    let stretched = broadcast_arrays(&[condition, yes, no])?;
    let condition = truth(ctx, condition)?;
    let shape = stretched.first().map_or(&[][..], |a| a.shape());
    let strides: Vec<_> = stretched.iter().map(|a| a.strides().to_vec()).collect();
    let strides = k_strides(shape, &strides, descr.size());
    let out = Array::with_strides(ctx, shape, &strides, &descr)?;
    let (filled, _) = ctx.quietly(|| {
        if descr.has_objects() {
            assign(ctx, &out, no, Casting::Unsafe)?;
            return assign_where(ctx, &out, yes, Some(&condition), Casting::Unsafe).map(drop);
        }
        let as_result = |array: &Array| native(ctx, array, &descr);
        rows::choose(&out, &condition, &as_result(yes)?, &as_result(no)?)
    });
    filled?;
    ctx.report(|| Report {
        ops: vec!["where"],
        kind: LoopKind::Strided,
        shape: out.shape().to_vec(),
        strides: vec![out.strides().to_vec()],
        bytes: out.block().len(),
    });
    Ok(out)
}

/// The slices of an axis where a condition with one axis is true, or elements of the flattened array
/// without an axis; `np.compress`. The condition may be shorter than the axis.
///
/// # Errors
/// `BadArgument` if the condition hasn't one axis; `IndexOutOfRange` if it is true beyond the axis;
/// `NoSuchAxis`.
pub fn compress(
    ctx: &Context,
    condition: &Array,
    array: &Array,
    axis: Option<i64>,
) -> Result<Array> {
    if condition.rank() != 1 {
        return Err(ArrayError::BadArgument {
            op: "compress",
            why: format!("a condition has one axis, not {}", condition.rank()),
        });
    }
    let positions = flatnonzero(ctx, condition)?;
    take(ctx, array, &positions, axis, Bounds::Raise)
}

/// The elements where a condition is true, both flattened; `np.extract`.
///
/// # Errors
/// `IndexOutOfRange` if the condition is true beyond the array.
pub fn extract(ctx: &Context, condition: &Array, array: &Array) -> Result<Array> {
    let positions = flatnonzero(ctx, condition)?;
    take(ctx, array, &positions, None, Bounds::Raise)
}

/// Writes values where a mask of the array's size is true, each at its own position in the
/// flattened array, the values as often over as needed; `np.putmask`.
///
/// # Errors
/// `ReadOnly`; `MaskShape` if the mask has another size; `CannotCast` if the values don't cast
/// safely.
pub fn put_mask(ctx: &Context, array: &Array, mask: &Array, values: &Array) -> Result<()> {
    write_masked(ctx, array, mask, values.descr(), |places| {
        if values.is_empty() {
            return Ok(None);
        }
        let values = flattened(ctx, values)?;
        take(ctx, &values, places, Some(0), Bounds::Wrap).map(Some)
    })
}

/// Writes values one after the other where a mask of the array's size is true, as often over as
/// needed; `np.place`.
///
/// # Errors
/// `ReadOnly`; `MaskShape` if the mask has another size; `BadArgument` if there are no values for it;
/// `CannotCast` if they don't cast safely.
pub fn place(ctx: &Context, array: &Array, mask: &Array, values: &Array) -> Result<()> {
    write_masked(ctx, array, mask, values.descr(), |places| {
        if values.is_empty() && !places.is_empty() {
            return Err(ArrayError::BadArgument {
                op: "place",
                why: "there are no values to insert".into(),
            });
        }
        if values.is_empty() {
            return Ok(None);
        }
        repeated(ctx, values, places.len()).map(Some)
    })
}

/// Writes what `values` gives for the positions where a mask is true.
fn write_masked(
    ctx: &Context,
    array: &Array,
    mask: &Array,
    descr: &Descr,
    values: impl FnOnce(&Array) -> Result<Option<Array>>,
) -> Result<()> {
    if mask.len() != array.len() {
        return Err(ArrayError::ShapeMismatch {
            op: "a mask",
            left: array.shape().to_vec(),
            right: mask.shape().to_vec(),
        });
    }
    check_cast(descr, array.descr(), Casting::Safe)?;
    let places = flatnonzero(ctx, mask)?;
    let values = values(&places)?;
    change_flat(ctx, array, |flat| match values {
        Some(values) => indexing::set(ctx, flat, &[IndexItem::IntArray(places)], &values).map(drop),
        None => Ok(()),
    })
}
