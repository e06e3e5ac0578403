//! Elements by their positions along an axis, and the positions of what isn't zero.

use crate::array::Array;
use crate::context::Context;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::index::{IndexItem, index};
use crate::layout::check_axis;

/// Positions of the elements that aren't zero: one i64 array per axis, in C order;
/// `torch.nonzero(x, as_tuple=True)`.
///
/// # Errors
/// `OutOfMemory`.
pub fn nonzero(ctx: &Context, array: &Array) -> Result<Vec<Array>> {
    let truth = array.cast(ctx, DType::Bool)?.to_contiguous(ctx)?;
    let mask = truth.as_slice::<u8>().unwrap_or_default();
    let count = mask.iter().filter(|v| **v != 0).count();
    let mut found = Vec::new();
    let mut step = mask.len();
    for &size in array.shape() {
        step = step.checked_div(size).unwrap_or(0);
        found.push(Array::build::<i64>(ctx, &[count], DType::I64, |out| {
            let set = mask.iter().enumerate().filter(|(_, v)| **v != 0);
            for (o, (i, _)) in out.iter_mut().zip(set) {
                *o = (i / step.max(1) % size.max(1)) as i64;
            }
            Ok(())
        })?);
    }
    Ok(found)
}

/// The slices of an axis at the given positions, whose axes take the axis' place;
/// `np.take(x, positions, axis)`.
///
/// # Errors
/// As [`index`], `NoSuchAxis`.
pub fn take(ctx: &Context, array: &Array, positions: &Array, axis: usize) -> Result<Array> {
    check_axis(axis, array.rank())?;
    let whole = IndexItem::Slice {
        start: None,
        stop: None,
        step: 1,
    };
    let mut items = vec![whole; axis];
    items.push(IndexItem::IntArray(positions.clone()));
    index(ctx, array, &items)
}

/// The slices of an axis where a mask is true; `np.compress`.
///
/// # Errors
/// `MaskShape` if the mask's size isn't the axis'; as [`index`].
pub fn compress(ctx: &Context, array: &Array, mask: &Array, axis: usize) -> Result<Array> {
    check_axis(axis, array.rank())?;
    let whole = IndexItem::Slice {
        start: None,
        stop: None,
        step: 1,
    };
    let mut items = vec![whole; axis];
    if mask.rank() != 1 {
        return Err(ArrayError::MaskShape {
            mask: mask.shape().to_vec(),
            axes: array.shape().to_vec(),
        });
    }
    items.push(IndexItem::BoolArray(mask.clone()));
    index(ctx, array, &items)
}

/// Elements at positions along an axis, one position per element of the result;
/// `np.take_along_axis`, `torch.gather`.
///
/// # Errors
/// `ShapeMismatch` if the ranks differ; as [`index`].
pub fn take_along_axis(
    ctx: &Context,
    array: &Array,
    positions: &Array,
    axis: usize,
) -> Result<Array> {
    check_axis(axis, array.rank())?;
    if positions.rank() != array.rank() {
        return Err(ArrayError::ShapeMismatch {
            op: "take_along_axis",
            left: array.shape().to_vec(),
            right: positions.shape().to_vec(),
        });
    }
    let mut items = Vec::new();
    for (other, &size) in positions.shape().iter().enumerate() {
        if other == axis {
            items.push(IndexItem::IntArray(positions.clone()));
            continue;
        }
        let mut shape = vec![1; array.rank()];
        if let Some(s) = shape.get_mut(other) {
            *s = size;
        }
        let places = Array::arange(ctx, 0, size as i64, 1)?.reshape(ctx, &shape)?;
        items.push(IndexItem::IntArray(places));
    }
    index(ctx, array, &items)
}
