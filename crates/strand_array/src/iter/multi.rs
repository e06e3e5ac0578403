//! Several iterators that walk over their common shape together.

use crate::array::Array;
use crate::error::{ArrayError, Result};
use crate::iter::{Iter, Row, largest_axis};
use crate::layout::MAX_RANK;
use crate::multi::{MAX_OPERANDS, broadcast_all};

/// Iterators over arrays that broadcast together, each with the common shape; `np.broadcast`,
/// `PyArrayMultiIterObject`.
#[derive(Clone, Debug)]
pub struct MultiIter {
    shape: Vec<usize>,
    len: usize,
    index: usize,
    iters: Vec<Iter>,
}

impl MultiIter {
    /// Broadcasts up to 64 arrays; none walk over one position.
    ///
    /// # Errors
    /// `Broadcast`, `TooLarge`; `TooManyOperands` for more than 64.
    pub fn new(arrays: &[&Array]) -> Result<Self> {
        if arrays.len() > MAX_OPERANDS {
            return Err(ArrayError::TooManyOperands {
                found: arrays.len(),
            });
        }
        let shapes: Vec<&[usize]> = arrays.iter().map(|a| a.shape()).collect();
        let shape = broadcast_all(&shapes)?;
        let iters = arrays.iter().map(|a| Iter::stretched(a, &shape));
        let iters = iters.collect::<Result<Vec<_>>>()?;
        debug_assert!(shape.len() <= MAX_RANK);
        Ok(Self {
            len: if shape.contains(&0) {
                0
            } else {
                shape.iter().product()
            },
            shape,
            index: 0,
            iters,
        })
    }

    /// Broadcasts arrays and leaves the axis out on which they move least: the beginnings of the
    /// rows, and what a row is for each array.
    ///
    /// # Errors
    /// As [`MultiIter::new`].
    pub fn all_but_largest(arrays: &[&Array]) -> Result<(Self, Vec<Row>)> {
        let mut multi = Self::new(arrays)?;
        let strides: Vec<&[isize]> = multi.iters.iter().map(|i| i.strides.as_slice()).collect();
        let single = Row { length: 1, step: 0 };
        let Some(axis) = largest_axis(&multi.shape, &strides) else {
            let rows = vec![single; arrays.len()];
            return Ok((multi, rows));
        };
        let rows = multi.iters.iter_mut();
        let rows = rows.map(|i| i.leave_out(axis).unwrap_or(single)).collect();
        if let Some(size) = multi.shape.get_mut(axis) {
            multi.len = multi.len.checked_div(*size).unwrap_or(0);
            *size = 1;
        }
        Ok((multi, rows))
    }

    /// The common shape.
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

    /// The iterators, one per array.
    #[must_use]
    pub fn iters(&self) -> &[Iter] {
        &self.iters
    }

    /// The byte positions of the arrays' current elements, until the end.
    #[must_use]
    pub fn positions(&self) -> Option<Vec<usize>> {
        let at = self.iters.iter().map(|i| i.at as usize);
        (self.index < self.len).then(|| at.collect())
    }

    /// To the next position.
    pub fn advance(&mut self) {
        self.index = self.index.saturating_add(1);
        self.iters.iter_mut().for_each(Iter::advance);
    }

    /// Back to the first position; `broadcast.reset`.
    pub fn reset(&mut self) {
        self.index = 0;
        self.iters.iter_mut().for_each(Iter::reset);
    }
}
