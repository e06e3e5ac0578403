//! Descriptors: what an element is, down to its bytes.

use std::fmt;

use crate::dtype::DType;

/// The full type of an array's elements: kind, size and byte order; `np.dtype`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Descr {
    dtype: DType,
    size: usize,
    swapped: bool,
}

impl Descr {
    /// The descriptor of a kind with a fixed size, in the machine's byte order; of `Void`, items
    /// without bytes.
    #[must_use]
    pub const fn new(dtype: DType) -> Self {
        Self {
            dtype,
            size: dtype.size(),
            swapped: false,
        }
    }

    /// `size` bytes without a meaning of their own; `np.dtype((np.void, size))`.
    #[must_use]
    pub const fn void(size: usize) -> Self {
        Self {
            dtype: DType::Void,
            size,
            swapped: false,
        }
    }

    /// The kind of the elements.
    #[must_use]
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// Bytes per element; `dtype.itemsize`.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// Whether the bytes of each number are in the order that isn't the machine's.
    #[must_use]
    pub const fn is_swapped(&self) -> bool {
        self.swapped
    }

    /// The multiple of bytes at which elements lie in an aligned array; `dtype.alignment`.
    #[must_use]
    pub const fn alignment(&self) -> usize {
        match self.dtype {
            DType::C64 | DType::C128 => self.size / 2,
            DType::Void | DType::User(_) => 1,
            _ => self.size,
        }
    }

    /// The same type in the other byte order; `dtype.newbyteorder("S")`. One-byte types and void
    /// have no order.
    #[must_use]
    pub const fn swapped(mut self) -> Self {
        if !matches!(self.dtype, DType::Void | DType::Object) && self.size > 1 {
            self.swapped = !self.swapped;
        }
        self
    }

    /// The type that expressions are computed in, if elements can be read as it where they lie.
    pub(crate) fn wide(&self) -> Option<crate::dtype::Wide> {
        self.dtype.wide().filter(|_| !self.swapped)
    }
}

impl From<DType> for Descr {
    fn from(dtype: DType) -> Self {
        Self::new(dtype)
    }
}

impl fmt::Display for Descr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.dtype.name())
    }
}
