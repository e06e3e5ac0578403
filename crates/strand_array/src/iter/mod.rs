//! Iterators over the elements of strided arrays, in C order.

mod multi;

pub use multi::MultiIter;

use crate::array::Array;
use crate::error::{ArrayError, Result};
use crate::layout::{broadcast_strides, check_axis, element_count, is_c_contiguous};
use crate::walk::advance;

/// How far apart elements of a row are, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Elements of the row.
    pub length: usize,
    /// Bytes from one to the next.
    pub step: isize,
}

/// What a step has to look after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Walk {
    /// One stride leads to every element; coordinates follow from the flat index.
    Contiguous(isize),
    One,
    Two,
    Many,
}

/// The state of an N-dimensional loop over one array: where it is, in bytes, as coordinates and as a
/// flat index; `ndarray.flat`, `PyArrayIterObject`.
#[derive(Clone, Debug)]
pub struct Iter {
    shape: Vec<usize>,
    strides: Vec<isize>,
    walk: Walk,
    start: isize,
    len: usize,
    at: isize,
    index: usize,
    /// Not kept up to date while the walk is contiguous.
    coords: Vec<usize>,
}

impl Iter {
    /// All elements of an array.
    #[must_use]
    pub fn new(array: &Array) -> Self {
        let item = array.item_size();
        let contiguous = is_c_contiguous(array.shape(), array.strides(), item);
        let walk = contiguous.then_some(Walk::Contiguous(item as isize));
        Self::of(array, array.shape(), array.strides().to_vec(), walk)
    }

    /// All elements of an array stretched to `shape`; `PyArray_BroadcastToShape`.
    ///
    /// # Errors
    /// `Broadcast` if the array doesn't stretch to it; `TooLarge`, `RankTooHigh` for the shape.
    pub fn stretched(array: &Array, shape: &[usize]) -> Result<Self> {
        if array.shape() == shape {
            return Ok(Self::new(array));
        }
        element_count(shape)?;
        let strides = broadcast_strides(array.shape(), array.strides(), shape)?;
        Ok(Self::of(array, shape, strides, None))
    }

    /// The beginnings of the rows along one axis; `PyArray_IterAllButAxis`. Without elements there
    /// are no rows.
    ///
    /// # Errors
    /// `NoSuchAxis`.
    pub fn all_but_axis(array: &Array, axis: usize) -> Result<(Self, Row)> {
        check_axis(axis, array.rank())?;
        let mut iter = Self::new(array);
        Ok(iter.leave_out(axis).map_or_else(
            || (Self::new(array), Row { length: 1, step: 0 }),
            |row| (iter.clone(), row),
        ))
    }

    /// The beginnings of the rows along the axis on which the array moves least, the longer of
    /// equal ones. An array of rank 0 is one row.
    #[must_use]
    pub fn all_but_largest(array: &Array) -> (Self, Row) {
        let mut iter = Self::new(array);
        let axis = largest_axis(&iter.shape, &[&iter.strides]);
        let row = axis.and_then(|axis| iter.leave_out(axis));
        (iter, row.unwrap_or(Row { length: 1, step: 0 }))
    }

    fn of(array: &Array, shape: &[usize], strides: Vec<isize>, walk: Option<Walk>) -> Self {
        let start = array.offset() as isize;
        Self {
            walk: walk.unwrap_or(walk_of(shape.len())),
            start,
            len: if shape.contains(&0) {
                0
            } else {
                shape.iter().product()
            },
            at: start,
            index: 0,
            coords: vec![0; shape.len()],
            shape: shape.to_vec(),
            strides,
        }
    }

    /// Keeps an axis at its first position from now on.
    fn leave_out(&mut self, axis: usize) -> Option<Row> {
        let size = self.shape.get_mut(axis)?;
        let row = Row {
            length: std::mem::replace(size, 1),
            step: *self.strides.get(axis)?,
        };
        self.len = self.len.checked_div(row.length).unwrap_or(0);
        self.walk = walk_of(self.shape.len());
        self.reset();
        Some(row)
    }

    /// The sizes of the axes that it walks over.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many positions lie behind.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The byte position of the current element in its block, until the end.
    #[must_use]
    pub fn byte(&self) -> Option<usize> {
        (self.index < self.len).then_some(self.at as usize)
    }

    /// The coordinates of the current element; `flat.coords`.
    #[must_use]
    pub fn coords(&self) -> Vec<usize> {
        match self.walk {
            Walk::Contiguous(_) => unravel(self.index, &self.shape),
            _ => self.coords.clone(),
        }
    }

    /// Back to the first element; `PyArray_ITER_RESET`.
    pub fn reset(&mut self) {
        self.at = self.start;
        self.index = 0;
        self.coords.fill(0);
    }

    /// To the element with a flat index; `PyArray_ITER_GOTO1D`.
    ///
    /// # Errors
    /// `IndexOutOfRange`.
    pub fn go_to_index(&mut self, index: usize) -> Result<()> {
        if index >= self.len {
            return Err(out_of_range(index, self.len, 0));
        }
        match self.walk {
            Walk::Contiguous(step) => {
                let way = (index as isize).wrapping_mul(step);
                self.at = self.start.wrapping_add(way);
            }
            _ => self.place(unravel(index, &self.shape)),
        }
        self.index = index;
        Ok(())
    }

    /// To the element with coordinates; `PyArray_ITER_GOTO`.
    ///
    /// # Errors
    /// `IndexOutOfRange`; `TooManyIndices` if there isn't a coordinate per axis.
    pub fn go_to(&mut self, coords: &[usize]) -> Result<()> {
        if coords.len() != self.shape.len() {
            return Err(ArrayError::TooManyIndices {
                found: coords.len(),
                rank: self.shape.len(),
            });
        }
        let mut index = 0_usize;
        for (axis, (&coord, &size)) in coords.iter().zip(&self.shape).enumerate() {
            if coord >= size {
                return Err(out_of_range(coord, size, axis));
            }
            index = index.saturating_mul(size).saturating_add(coord);
        }
        self.index = index;
        self.place(coords.to_vec());
        Ok(())
    }

    fn place(&mut self, coords: Vec<usize>) {
        let steps = coords.iter().zip(&self.strides);
        self.at = steps.fold(self.start, |at, (&coord, &stride)| {
            at.wrapping_add((coord as isize).wrapping_mul(stride))
        });
        self.coords = coords;
    }

    /// To the next element; `PyArray_ITER_NEXT`.
    pub fn advance(&mut self) {
        self.index = self.index.saturating_add(1);
        // After the last element the position has no meaning.
        match self.walk {
            Walk::Contiguous(step) => self.at = self.at.wrapping_add(step),
            Walk::One => {
                let step = self.strides.first().copied().unwrap_or(0);
                self.at = self.at.wrapping_add(step);
                if let Some(coord) = self.coords.first_mut() {
                    *coord = coord.saturating_add(1);
                }
            }
            Walk::Two => self.advance_two(),
            Walk::Many => self.advance_many(),
        }
    }

    fn advance_two(&mut self) {
        if let ([c0, c1], [s0, s1], [_, n1]) = (
            self.coords.as_mut_slice(),
            self.strides.as_slice(),
            self.shape.as_slice(),
        ) {
            *c1 = c1.saturating_add(1);
            if *c1 < *n1 {
                self.at = self.at.wrapping_add(*s1);
            } else {
                *c1 = 0;
                *c0 = c0.saturating_add(1);
                let back = (*n1 as isize).wrapping_sub(1).wrapping_mul(*s1);
                self.at = self.at.wrapping_add(*s0).wrapping_sub(back);
            }
        }
    }

    fn advance_many(&mut self) {
        let (strides, at) = (&self.strides, &mut self.at);
        advance(&mut self.coords, &self.shape, |axis, steps| {
            let stride = strides.get(axis).copied().unwrap_or(0);
            *at = at.wrapping_add(steps.wrapping_mul(stride));
        });
    }
}

impl Iterator for Iter {
    type Item = usize;

    /// The current byte position; steps past it.
    fn next(&mut self) -> Option<usize> {
        let at = self.byte()?;
        self.advance();
        Some(at)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.len.saturating_sub(self.index);
        (left, Some(left))
    }
}

fn walk_of(rank: usize) -> Walk {
    match rank {
        0 | 1 => Walk::One,
        2 => Walk::Two,
        _ => Walk::Many,
    }
}

/// The axis with the smallest sum of strides over all operands; of equal ones the longer.
fn largest_axis(shape: &[usize], operands: &[&[isize]]) -> Option<usize> {
    let cost = |axis: usize| -> u128 {
        let along = operands.iter().filter_map(|s| s.get(axis));
        along.map(|s| s.unsigned_abs() as u128).sum()
    };
    let moving = |axis: &usize| shape.get(*axis).is_some_and(|size| *size != 1);
    let axes = (0..shape.len()).filter(moving);
    axes.min_by_key(|&axis| (cost(axis), std::cmp::Reverse(shape.get(axis).copied())))
        .or(shape.len().checked_sub(1))
}

/// The coordinates of a flat index in C order; `np.unravel_index`.
fn unravel(index: usize, shape: &[usize]) -> Vec<usize> {
    let mut rest = index;
    let mut coords: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&size| {
            let coord = rest.checked_rem(size).unwrap_or(0);
            rest = rest.checked_div(size).unwrap_or(0);
            coord
        })
        .collect();
    coords.reverse();
    coords
}

fn out_of_range(index: usize, size: usize, axis: usize) -> ArrayError {
    ArrayError::IndexOutOfRange {
        index: index as i64,
        size,
        axis,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;

    #[test]
    fn going_to_a_place_and_walking_there_agree() {
        let ctx = Context::default();
        let base = Array::arange(&ctx, 0, 24, 1)
            .unwrap()
            .reshape(&ctx, &[2, 3, 4])
            .unwrap();
        for array in [
            base.clone(),
            base.transpose(0, 2).unwrap(),
            base.flip(1).unwrap(),
        ] {
            let (mut walked, mut jumped) = (Iter::new(&array), Iter::new(&array));
            for index in 0..24 {
                jumped.go_to_index(index).unwrap();
                assert_eq!(walked.byte(), jumped.byte());
                assert_eq!(walked.coords(), jumped.coords());
                jumped.go_to(&walked.coords()).unwrap();
                assert_eq!(
                    (walked.byte(), walked.index()),
                    (jumped.byte(), jumped.index())
                );
                walked.advance();
            }
            assert_eq!(walked.byte(), None);
            assert!(jumped.go_to_index(24).is_err() && jumped.go_to(&[0, 9, 0]).is_err());
        }
    }

    #[test]
    fn the_largest_axis_moves_least() {
        let ctx = Context::default();
        let x = Array::arange(&ctx, 0, 24, 1)
            .unwrap()
            .reshape(&ctx, &[2, 3, 4])
            .unwrap();
        let (rows, row) = Iter::all_but_largest(&x.transpose(0, 2).unwrap());
        assert_eq!((rows.len(), row), (6, Row { length: 4, step: 8 }));
        let scalar = Array::scalar(&ctx, crate::Scalar::I64(3)).unwrap();
        let (rows, row) = Iter::all_but_largest(&scalar);
        assert_eq!((rows.len(), row.length), (1, 1));
        assert!(Iter::all_but_axis(&scalar, 0).is_err());
    }
}
