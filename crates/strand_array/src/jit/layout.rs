//! What a compiled loop is told: the block of words that its one parameter points to.

use crate::dtype::DType;

/// Bytes from the start of the words to the number of rows.
pub(super) const ROWS: u32 = 0;
/// To the number of elements of a row.
pub(super) const LENGTH: u32 = 4;
/// To the place of the engine's helper in its table of functions.
pub(super) const HELPER: u32 = 8;
/// To 32 bytes for what the helper takes and gives.
pub(super) const SCRATCH: u32 = 16;
/// To the streams, each three words: address, bytes from a row's end to the next row, bytes from an
/// element to the next.
pub(super) const STREAMS: u32 = 48;
pub(super) const STREAM: u32 = 12;

/// How the elements of a row follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// One after the other.
    Run,
    /// One element for the whole row.
    One,
    /// A stride apart.
    Strided,
}

/// An operand or a result of a compiled loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stream {
    /// How its elements lie in memory.
    pub(crate) dtype: DType,
    pub(crate) access: Access,
}

impl Stream {
    /// Bytes from an element to the next; `stride` where that differs from array to array.
    pub(super) fn step(self, stride: isize) -> isize {
        match self.access {
            Access::Run => self.dtype.size() as isize,
            Access::One => 0,
            Access::Strided => stride,
        }
    }
}
