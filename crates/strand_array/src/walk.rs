//! Walking over the positions of a strided layout in C order.

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

/// An odometer over a shape that keeps the byte offset of its position.
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
        for ((i, &size), &stride) in self
            .index
            .iter_mut()
            .zip(self.shape)
            .zip(self.strides)
            .rev()
        {
            *i += 1;
            // Past the end of an axis, a stride that was never used may be of any size.
            self.offset = self.offset.wrapping_add(stride);
            if *i < size {
                break;
            }
            let back = stride.wrapping_mul(size as isize);
            self.offset = self.offset.wrapping_sub(back);
            *i = 0;
        }
        Some(at)
    }
}
