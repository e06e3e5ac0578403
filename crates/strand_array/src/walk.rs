//! Walking over the positions of a strided layout in C order.

use crate::error::Result;

/// Calls `visit` with the byte offset of every element in C order.
pub(crate) fn offsets(
    shape: &[usize],
    strides: &[isize],
    start: usize,
    mut visit: impl FnMut(usize),
) {
    let mut walk = Walk::new(shape, strides, start);
    while let Some(at) = walk.next_offset() {
        visit(at);
    }
}

/// Calls `visit` with every index of a shape in C order.
///
/// # Errors
/// What `visit` says.
pub(crate) fn each_index(
    shape: &[usize],
    mut visit: impl FnMut(&[i64]) -> Result<()>,
) -> Result<()> {
    if shape.contains(&0) {
        return Ok(());
    }
    let mut index = vec![0; shape.len()];
    let mut coords = vec![0; shape.len()];
    loop {
        visit(&index)?;
        if !advance(&mut coords, shape, |_, _| {}) {
            return Ok(());
        }
        for (to, &coord) in index.iter_mut().zip(&coords) {
            *to = coord as i64;
        }
    }
}

/// The odometer that every walk is made of: moves coordinates on to the next position in C order, tells
/// `moved` how many steps that is on each axis that moves, and whether there was a next position.
#[inline(always)]
pub(crate) fn advance(
    coords: &mut [usize],
    shape: &[usize],
    mut moved: impl FnMut(usize, isize),
) -> bool {
    for (axis, (coord, &size)) in coords.iter_mut().zip(shape).enumerate().rev() {
        *coord = coord.wrapping_add(1);
        if *coord < size {
            moved(axis, 1);
            return true;
        }
        *coord = 0;
        moved(axis, 1_isize.wrapping_sub_unsigned(size));
    }
    false
}

/// A walk over a shape that keeps the byte offset of its position.
pub(crate) struct Walk<'a> {
    shape: &'a [usize],
    strides: &'a [isize],
    index: Vec<usize>,
    offset: isize,
    left: usize,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(shape: &'a [usize], strides: &'a [isize], start: usize) -> Self {
        let left = if shape.contains(&0) {
            0
        } else {
            shape.iter().product()
        };
        Self {
            shape,
            strides,
            index: vec![0; shape.len()],
            offset: start as isize,
            left,
        }
    }

    /// The offset of the next position, until all were given.
    pub(crate) fn next_offset(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let at = self.offset as usize;
        let (strides, offset) = (self.strides, &mut self.offset);
        advance(&mut self.index, self.shape, |axis, steps| {
            let stride = strides.get(axis).copied().unwrap_or(0);
            // Past the end, a stride that was never used may be of any size.
            *offset = offset.wrapping_add(steps.wrapping_mul(stride));
        });
        Some(at)
    }
}
