//! What numeric loops find out about the values they made.

use std::ops::{BitOr, BitOrAssign};

/// A set of numeric findings; the floating-point status of NumPy's loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found(u8);

impl Found {
    /// Nothing to report.
    pub const NONE: Self = Self(0);
    /// A finite operand at a pole, or an integer division by zero.
    pub const DIVIDE: Self = Self(1);
    /// A result too large for its type, from finite operands.
    pub const OVERFLOW: Self = Self(2);
    /// An inexact result below the least normal number.
    pub const UNDERFLOW: Self = Self(4);
    /// A NaN from operands that had none, or a value outside the target's range.
    pub const INVALID: Self = Self(8);

    /// The finding if `yes`.
    #[must_use]
    pub const fn when(self, yes: bool) -> Self {
        if yes { self } else { Self::NONE }
    }

    /// Whether all of `other` is among the findings.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether there is nothing to report.
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The findings of NumPy's bits; others are left out.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & 15)
    }

    /// NumPy's bits: divide 1, overflow 2, underflow 4, invalid 8.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }
}

impl BitOr for Found {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Found {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
