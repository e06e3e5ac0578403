//! Broadcasting of any number of arrays: their common shape, and views of them under it.

use crate::array::Array;
use crate::error::{ArrayError, Result};
use crate::layout;

/// The most operands that broadcast together.
pub const MAX_OPERANDS: usize = 64;

/// The shape that all broadcast to: aligned from the right, sizes equal or 1;
/// `np.broadcast_shapes`. No shapes give `[]`.
///
/// # Errors
/// `Broadcast` if two sizes differ and neither is 1; `TooLarge` for the product, which counts
/// though no memory of that size is needed.
pub fn broadcast_all(shapes: &[&[usize]]) -> Result<Vec<usize>> {
    let common = common_shape(shapes)?;
    layout::element_count(&common)?;
    Ok(common)
}

/// The same without the check of the product.
pub(crate) fn common_shape(shapes: &[&[usize]]) -> Result<Vec<usize>> {
    let rank = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
    layout::check_rank(rank)?;
    let mut common = vec![1; rank];
    for shape in shapes {
        let aligned = common.iter_mut().rev().zip(shape.iter().rev());
        for (size, &own) in aligned {
            match (*size, own) {
                (_, 1) => {}
                (1, _) => *size = own,
                (a, b) if a == b => {}
                _ => return Err(clash(shapes, shape)),
            }
        }
    }
    Ok(common)
}

/// The error that names the first shape which doesn't fit `shape`.
fn clash(shapes: &[&[usize]], shape: &[usize]) -> ArrayError {
    let fits = |other: &&&[usize]| {
        let pairs = other.iter().rev().zip(shape.iter().rev());
        pairs.into_iter().all(|(a, b)| a == b || *a == 1 || *b == 1)
    };
    ArrayError::Broadcast {
        left: shapes
            .iter()
            .find(|s| !fits(s))
            .map_or(vec![], |s| s.to_vec()),
        right: shape.to_vec(),
    }
}

/// Views of all arrays under their common shape; `np.broadcast_arrays`. Broadcast axes have
/// stride 0, and a view that has one can't be written.
///
/// # Errors
/// As [`broadcast_all`].
pub fn broadcast_arrays(arrays: &[&Array]) -> Result<Vec<Array>> {
    let shapes: Vec<&[usize]> = arrays.iter().map(|a| a.shape()).collect();
    let common = broadcast_all(&shapes)?;
    arrays
        .iter()
        .map(|a| {
            let same = a.shape() == common;
            let mut view = a.broadcast_to(&common)?;
            view.writeable &= same;
            Ok(view)
        })
        .collect()
}
