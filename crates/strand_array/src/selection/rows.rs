//! Rows of an array read in chunks, converted on the way.

use crate::array::Array;
use crate::cast::Caster;
use crate::error::Result;

/// Elements that are converted at once.
const CHUNK: usize = 128;

/// Bytes of the widest element that rows are converted to.
const WIDEST: usize = 16;

/// A row: its array, its axis, and the byte position of its first element as an iterator over all
/// but that axis gives it.
pub(super) struct Row<'a> {
    pub(super) array: &'a Array,
    pub(super) axis: usize,
    pub(super) start: usize,
}

impl Row<'_> {
    /// Calls `visit` with the position of the first element of each chunk and the chunk's bytes,
    /// `size` for an element, until it says no. The caster makes the array's elements such.
    ///
    /// # Errors
    /// What a host value says.
    pub(super) fn read(
        &self,
        caster: &Caster,
        size: usize,
        mut visit: impl FnMut(usize, &[u8]) -> bool,
    ) -> Result<()> {
        debug_assert!(size <= WIDEST);
        let shape = self.array.shape();
        let length = shape.get(self.axis).copied().unwrap_or(0);
        let stride = self.array.strides().get(self.axis).copied().unwrap_or(0);
        let base = self.array.block().ptr().cast_const();
        let mut room = [0_u8; CHUNK * WIDEST];
        let mut at = 0;
        while at < length {
            let count = CHUNK.min(length - at);
            // SAFETY: the row's elements lie in the block, proved by the array's constructor; the
            // room holds `CHUNK` elements of the widest type and is nobody else's.
            unsafe {
                let from = base.offset(self.start as isize + at as isize * stride);
                caster.run((from, stride), (room.as_mut_ptr(), size as isize), count)?;
            }
            if !visit(at, room.get(..count * size).unwrap_or_default()) {
                break;
            }
            at += count;
        }
        Ok(())
    }
}
