//! Elements by their positions: `take`, `put` and their kin.

use super::{at_least_1d, axis_of, change_flat, deliver, flattened};
use crate::array::{Array, wrap_index};
use crate::cast::{Casting, astype, check_cast};
use crate::context::Context;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::index::IndexItem;
use crate::indexing::{self, each_position};

/// What positions outside their axis mean; `mode=`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bounds {
    /// An error; negative ones count from the end.
    #[default]
    Raise,
    /// They go around.
    Wrap,
    /// The nearest end; negative ones are position 0.
    Clip,
}

impl Bounds {
    /// The mode of a name: `raise`, `wrap`, `clip`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "raise" => Some(Self::Raise),
            "wrap" => Some(Self::Wrap),
            "clip" => Some(Self::Clip),
            _ => None,
        }
    }

    fn place(self, i: i64, size: usize, axis: usize) -> Result<i64> {
        match self {
            Self::Wrap if size > 0 => Ok(i.rem_euclid(size as i64)),
            Self::Clip if size > 0 => Ok(i.clamp(0, (size as i64).saturating_sub(1))),
            _ => wrap_index(i, size, axis).map(|at| at as i64),
        }
    }
}

/// Positions as i64, and where they are in an axis of `size`.
fn placed(
    ctx: &Context,
    positions: &Array,
    casting: Casting,
    (bounds, size, axis): (Bounds, usize, usize),
) -> Result<Array> {
    let positions = astype(ctx, positions, &Descr::new(DType::I64), casting)?.0;
    Array::build::<i64>(ctx, positions.shape(), DType::I64, |out| {
        let mut to = out.iter_mut();
        each_position(&positions, positions.shape(), |i| {
            if let Some(to) = to.next() {
                *to = bounds.place(i, size, axis)?;
            }
            Ok(())
        })
    })
}

/// The slices of an axis at the given positions, whose axes take its place, or elements of the
/// flattened array without an axis; `np.take`.
///
/// # Errors
/// `NoSuchAxis`, `IndexOutOfRange`; `EmptyAxis` if there is nothing to take from; `CannotCast` for
/// positions that aren't whole numbers; `OutOfMemory`.
pub fn take(
    ctx: &Context,
    array: &Array,
    positions: &Array,
    axis: Option<i64>,
    bounds: Bounds,
) -> Result<Array> {
    let (array, axis) = match axis {
        None => (flattened(ctx, array)?, 0),
        Some(axis) => {
            let axis = axis_of(axis, array.rank())?;
            (at_least_1d(array)?, axis)
        }
    };
    let (before, rest) = array.shape().split_at(axis);
    let size = rest.first().copied().unwrap_or(0);
    let after = rest.get(1..).unwrap_or_default();
    let shape = [before, positions.shape(), after].concat();
    if size == 0 && !shape.contains(&0) {
        return Err(ArrayError::EmptyAxis { axis });
    }
    // Where no slice is looked at no position is checked, as in NumPy.
    let skipped = before.contains(&0) || (size == 0 && bounds != Bounds::Raise);
    let bounds = if skipped {
        (Bounds::Wrap, 1, axis)
    } else {
        (bounds, size, axis)
    };
    let positions = placed(ctx, positions, Casting::SameKind, bounds)?;
    if skipped {
        return Array::fresh(ctx, &shape, array.descr());
    }
    indexing::take_slices(ctx, &array, axis, &positions)
}

/// The same into an array of the result's shape; `np.take(…, out=out)`.
///
/// # Errors
/// As [`take`]; `ReadOnly`; `ShapeMismatch`; `CannotCast` if `out`'s dtype isn't one that casts
/// safely to the array's.
pub fn take_into(
    ctx: &Context,
    array: &Array,
    positions: &Array,
    axis: Option<i64>,
    bounds: Bounds,
    out: &Array,
) -> Result<()> {
    let result = take(ctx, array, positions, axis, bounds)?;
    deliver(ctx, "take", &result, out)
}

/// Writes values to positions of the flattened array, one after the other, the values as often over
/// as needed; `np.put`. Nothing is written if a position is wrong.
///
/// # Errors
/// `ReadOnly`, `IndexOutOfRange`; `EmptyAxis` if there are no elements; `CannotCast` for positions
/// that don't cast safely to i64.
pub fn put(
    ctx: &Context,
    array: &Array,
    positions: &Array,
    values: &Array,
    bounds: Bounds,
) -> Result<()> {
    check_cast(positions.descr(), &Descr::new(DType::I64), Casting::Safe)?;
    if !array.flags().writeable {
        return Err(ArrayError::ReadOnly);
    }
    if array.is_empty() && !positions.is_empty() {
        return Err(ArrayError::EmptyAxis { axis: 0 });
    }
    if positions.is_empty() || values.is_empty() {
        return Ok(());
    }
    let positions = flattened(ctx, positions)?;
    let at = placed(ctx, &positions, Casting::Safe, (bounds, array.len(), 0))?;
    let values = repeated(ctx, values, at.len())?;
    change_flat(ctx, array, |flat| {
        indexing::set(ctx, flat, &[IndexItem::IntArray(at)], &values).map(drop)
    })
}

/// `count` values, again from the first after the last.
pub(super) fn repeated(ctx: &Context, values: &Array, count: usize) -> Result<Array> {
    let values = flattened(ctx, values)?;
    let order = Array::arange(ctx, 0, count as i64, 1)?;
    take(ctx, &values, &order, Some(0), Bounds::Wrap)
}

/// Per axis the positions that choose along `axis` by `positions` and everywhere else the element
/// itself.
fn along_axis(
    ctx: &Context,
    array: &Array,
    positions: &Array,
    axis: usize,
) -> Result<Vec<IndexItem>> {
    if !positions.dtype().is_integer() {
        return Err(ArrayError::BadIndex {
            why: "positions must be whole numbers",
        });
    }
    if positions.rank() != array.rank() {
        return Err(ArrayError::ShapeMismatch {
            op: "take_along_axis",
            left: array.shape().to_vec(),
            right: positions.shape().to_vec(),
        });
    }
    let items = array.shape().iter().enumerate().map(|(other, &size)| {
        if other == axis {
            return Ok(IndexItem::IntArray(positions.clone()));
        }
        let mut shape = vec![1; array.rank()];
        if let Some(s) = shape.get_mut(other) {
            *s = size;
        }
        let own = Array::arange(ctx, 0, size as i64, 1)?.reshape(ctx, &shape)?;
        Ok(IndexItem::IntArray(own))
    });
    items.collect()
}

/// One element along an axis for each position; `np.take_along_axis`. Without an axis the array is
/// flattened.
///
/// # Errors
/// `NoSuchAxis`, `IndexOutOfRange`; `ShapeMismatch` if the ranks differ; `IndexShapes`; `BadIndex`.
pub fn take_along_axis(
    ctx: &Context,
    array: &Array,
    positions: &Array,
    axis: Option<i64>,
) -> Result<Array> {
    let (array, axis) = match axis {
        None => (flattened(ctx, array)?, 0),
        Some(axis) => (array.clone(), axis_of(axis, array.rank())?),
    };
    let items = along_axis(ctx, &array, positions, axis)?;
    let found = indexing::get(ctx, &array, &items)?;
    found.array().cloned().ok_or(ArrayError::BadIndex {
        why: "positions along an axis need an axis",
    })
}

/// Writes values to one position along an axis each; `np.put_along_axis`.
///
/// # Errors
/// As [`take_along_axis`]; `ReadOnly`; `Broadcast` if the values don't stretch to the positions.
pub fn put_along_axis(
    ctx: &Context,
    array: &Array,
    positions: &Array,
    values: &Array,
    axis: Option<i64>,
) -> Result<()> {
    let write = |array: &Array, axis: usize| {
        let items = along_axis(ctx, array, positions, axis)?;
        indexing::set(ctx, array, &items, values).map(drop)
    };
    match axis {
        None => change_flat(ctx, array, |flat| write(flat, 0)),
        Some(axis) => write(array, axis_of(axis, array.rank())?),
    }
}
