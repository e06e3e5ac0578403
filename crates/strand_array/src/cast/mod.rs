//! Conversions between dtypes, and which of them each casting rule allows.

mod astype;
#[allow(unsafe_code)]
#[allow(
    clippy::arithmetic_side_effects,
    reason = "addresses of elements that are vouched for"
)]
mod convert;
#[allow(unsafe_code)]
#[allow(
    clippy::arithmetic_side_effects,
    reason = "addresses of elements that are vouched for"
)]
mod gather;
#[allow(unsafe_code)]
#[allow(
    clippy::arithmetic_side_effects,
    reason = "addresses of elements that are vouched for"
)]
mod loops;
#[allow(unsafe_code)]
mod parts;
mod rules;

pub use astype::astype;
pub(crate) use astype::convert_one;
pub(crate) use convert::Caster;
pub(crate) use gather::move_items;

use crate::descr::Descr;
use crate::error::{ArrayError, Result};

/// How much a conversion may lose; the `casting=` of NumPy's functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Casting {
    /// The same type, byte order included.
    No,
    /// The same type, in any byte order.
    Equiv,
    /// Every value stays what it is.
    Safe,
    /// Safe, or within a kind: `f64` to `f32`.
    SameKind,
    /// Anything.
    Unsafe,
}

impl Casting {
    /// The rule of a name: `no`, `equiv`, `safe`, `same_kind`, `unsafe`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// All rules, the strictest first.
    pub const ALL: [Self; 5] = [
        Self::No,
        Self::Equiv,
        Self::Safe,
        Self::SameKind,
        Self::Unsafe,
    ];

    /// NumPy's name of the rule.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Equiv => "equiv",
            Self::Safe => "safe",
            Self::SameKind => "same_kind",
            Self::Unsafe => "unsafe",
        }
    }
}

/// Whether `casting` allows the conversion; `np.can_cast`.
#[must_use]
pub fn can_cast(from: &Descr, to: &Descr, casting: Casting) -> bool {
    rules::strictest(from, to).is_some_and(|rule| casting >= rule)
}

/// Fails unless `casting` allows the conversion.
///
/// # Errors
/// `CannotCast` with both types and the rule.
pub fn check_cast(from: &Descr, to: &Descr, casting: Casting) -> Result<()> {
    if can_cast(from, to, casting) {
        Ok(())
    } else {
        Err(ArrayError::CannotCast {
            from: from.to_string(),
            to: to.to_string(),
            casting,
        })
    }
}
