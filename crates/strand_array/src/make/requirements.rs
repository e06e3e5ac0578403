//! What an array must be like; `NPY_ARRAY_…` flags.

use std::ops::BitOr;

/// A set of requirements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Requirements(u16);

impl Requirements {
    /// Nothing in particular.
    pub const NONE: Self = Self(0);
    /// Elements follow each other in C order.
    pub const C_CONTIGUOUS: Self = Self(1);
    /// Elements follow each other in Fortran order.
    pub const F_CONTIGUOUS: Self = Self(2);
    /// Every element lies on the grid of its type.
    pub const ALIGNED: Self = Self(4);
    /// Elements can be written.
    pub const WRITEABLE: Self = Self(8);
    /// Numbers are in the machine's byte order.
    pub const NOTSWAPPED: Self = Self(16);
    /// Conversions that lose something are made.
    pub const FORCECAST: Self = Self(32);
    /// The array is a copy in any case.
    pub const ENSURECOPY: Self = Self(64);
    /// The array is a plain one, not an extension's.
    pub const ENSUREARRAY: Self = Self(128);
    /// If the array has to be a copy, what is written into it is written back.
    pub const WRITEBACKIFCOPY: Self = Self(256);
    /// Aligned and writeable, in the machine's byte order.
    pub const BEHAVED: Self = Self(4 | 8 | 16);
    /// An argument that is read; `NPY_ARRAY_IN_ARRAY`.
    pub const IN: Self = Self(1 | 4);
    /// A result that is written; `NPY_ARRAY_OUT_ARRAY`.
    pub const OUT: Self = Self(1 | 4 | 8);
    /// An argument that is read and written; `NPY_ARRAY_INOUT_ARRAY2`.
    pub const INOUT: Self = Self(1 | 4 | 8 | 256);

    /// Whether all of `other` is asked for.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Requirements {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
