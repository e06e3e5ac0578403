//! Arrays cut into views.

use super::{bad, view};
use crate::array::Array;
use crate::error::{ArrayError, Result};
use crate::lanes::axis_of;

/// Where an axis is cut.
#[derive(Clone, Debug)]
pub enum Cuts<'a> {
    /// Into so many parts.
    Parts(i64),
    /// Before these positions; negative ones count from the end, as in slices.
    Before(&'a [i64]),
}

/// Views of the parts of an axis, which all have the same size if a number of them is given; `np.split`.
///
/// # Errors
/// `BadArgument` if the axis has no such parts; `AxisOutOfRange`.
pub fn split(a: &Array, cuts: &Cuts<'_>, axis: i64) -> Result<Vec<Array>> {
    if let Cuts::Parts(parts) = *cuts {
        let place = axis_of(axis, a.rank())?;
        let size = a.shape().get(place).copied().unwrap_or(0) as i64;
        match size.checked_rem(parts) {
            Some(0) => {}
            // NumPy divides before it looks.
            None => return Err(ArrayError::ZeroDivision { op: "split" }),
            Some(_) => {
                return Err(bad(
                    "split",
                    format!("an axis of size {size} has no {parts} equal parts"),
                ));
            }
        }
    }
    array_split(a, cuts, axis)
}

/// Views of the parts of an axis; of a number of them, the first ones may be longer by one; `np.array_split`.
///
/// # Errors
/// `BadArgument` for fewer than one part; `AxisOutOfRange`.
pub fn array_split(a: &Array, cuts: &Cuts<'_>, axis: i64) -> Result<Vec<Array>> {
    let axis = axis_of(axis, a.rank())?;
    let size = a.shape().get(axis).copied().unwrap_or(0) as i64;
    let mut bounds = vec![0];
    match *cuts {
        Cuts::Parts(parts) if parts <= 0 => {
            return Err(bad("split", "at least one part is needed"));
        }
        Cuts::Parts(parts) => {
            if parts > crate::MAX_BYTES as i64 {
                return Err(ArrayError::TooLarge {
                    what: "the number of parts",
                });
            }
            let (each, longer) = (size.div_euclid(parts), size.rem_euclid(parts));
            let end = |i: i64| i.saturating_mul(each).saturating_add(i.min(longer));
            bounds.extend((1..=parts).map(end));
        }
        Cuts::Before(places) => {
            bounds.extend_from_slice(places);
            bounds.push(size);
        }
    }
    let pairs = bounds.iter().zip(bounds.iter().skip(1));
    pairs
        .map(|(&start, &stop)| a.slice(axis, Some(start), Some(stop), 1))
        .collect()
}

/// Along the second axis, a vector along its only one; `np.hsplit`.
///
/// # Errors
/// `BadArgument` for a number; as [`split`].
pub fn hsplit(a: &Array, cuts: &Cuts<'_>) -> Result<Vec<Array>> {
    match a.rank() {
        0 => Err(bad("hsplit", "a number can't be split")),
        1 => split(a, cuts, 0),
        _ => split(a, cuts, 1),
    }
}

/// Along the first axis of two or more; `np.vsplit`.
///
/// # Errors
/// `BadArgument` for fewer than two axes; as [`split`].
pub fn vsplit(a: &Array, cuts: &Cuts<'_>) -> Result<Vec<Array>> {
    match a.rank() {
        0 | 1 => Err(bad("vsplit", "two axes are needed")),
        _ => split(a, cuts, 0),
    }
}

/// Along the third axis; `np.dsplit`.
///
/// # Errors
/// `BadArgument` for fewer than three axes; as [`split`].
pub fn dsplit(a: &Array, cuts: &Cuts<'_>) -> Result<Vec<Array>> {
    match a.rank() {
        0..=2 => Err(bad("dsplit", "three axes are needed")),
        _ => split(a, cuts, 2),
    }
}

/// Views of the slices of an axis, which goes away; `np.unstack`.
///
/// # Errors
/// `BadArgument` for a number; `AxisOutOfRange`.
pub fn unstack(a: &Array, axis: i64) -> Result<Vec<Array>> {
    if a.rank() == 0 {
        return Err(bad("unstack", "a number has no axis"));
    }
    let axis = axis_of(axis, a.rank())?;
    let (mut shape, mut strides) = (a.shape().to_vec(), a.strides().to_vec());
    let (size, stride) = (shape.remove(axis), strides.remove(axis));
    let step = if a.is_empty() { 0 } else { stride };
    let at = |i: usize| {
        a.offset()
            .wrapping_add_signed((i as isize).wrapping_mul(step))
    };
    (0..size)
        .map(|i| view(a, at(i), &shape, &strides))
        .collect()
}
