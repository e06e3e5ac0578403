//! Conversions between dtypes, and which of them each casting rule allows.

#[allow(unsafe_code)]
mod astype;
#[allow(unsafe_code)]
mod convert;
#[allow(unsafe_code)]
mod gather;
#[allow(unsafe_code)]
mod loops;

pub use astype::astype;
#[allow(unused_imports, reason = "for modules that fill views")]
pub(crate) use astype::copy_into;
#[allow(unused_imports, reason = "for loops over strips")]
pub(crate) use convert::{Caster, convert};

use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::promote;

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
    casting >= strictest(from, to)
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

/// The strictest rule that allows the conversion.
fn strictest(from: &Descr, to: &Descr) -> Casting {
    let (a, b) = (from.dtype(), to.dtype());
    if a == b && from.size() == to.size() {
        return if from.is_swapped() == to.is_swapped() {
            Casting::No
        } else {
            Casting::Equiv
        };
    }
    match (a, b) {
        (_, DType::Object) => Casting::Safe,
        (DType::Object, _) => Casting::Unsafe,
        (DType::Void, DType::Void) if from.size() > to.size() => Casting::SameKind,
        (_, DType::Void) if from.size() <= to.size() => Casting::Safe,
        (_, DType::Void) | (DType::Void, _) => Casting::Unsafe,
        _ if promote::numbers(a, b) == Some(b) => Casting::Safe,
        (_, DType::BF16) => Casting::SameKind,
        (DType::BF16, DType::F16) => Casting::Unsafe,
        _ if promote::kind(a) <= promote::kind(b) => Casting::SameKind,
        _ => Casting::Unsafe,
    }
}
