//! The type that two types have in common, by NumPy's tables; bfloat16 by `ml_dtypes`'.

use crate::cast::{Casting, can_cast};
use crate::descr::{Descr, Field};
use crate::dtype::DType;
use crate::error::{ArrayError, Result};

/// A number of the host without a size of its own: it takes the type of what it meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weak {
    /// A host integer.
    Int,
    /// A host float.
    Float,
    /// A host complex number.
    Complex,
}

/// The kinds of numbers, each within the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Bool,
    Unsigned,
    Signed,
    Float,
    Complex,
    Other,
}

pub(crate) const fn kind(dtype: DType) -> Kind {
    match dtype {
        DType::Bool => Kind::Bool,
        d if d.is_unsigned() => Kind::Unsigned,
        d if d.is_signed() => Kind::Signed,
        d if d.is_float() => Kind::Float,
        d if d.is_complex() => Kind::Complex,
        _ => Kind::Other,
    }
}

/// The smallest type to which both convert safely, in the machine's byte order;
/// `np.promote_types`.
///
/// # Errors
/// `NoPromotion` if the two have no type in common.
pub fn promote_types(left: &Descr, right: &Descr) -> Result<Descr> {
    let (a, b) = (left.dtype(), right.dtype());
    let error = || ArrayError::NoPromotion {
        left: left.to_string(),
        right: right.to_string(),
    };
    match (a, b) {
        (DType::Object, _) | (_, DType::Object) => Ok(Descr::new(DType::Object)),
        (DType::User(_), _) | (_, DType::User(_)) => registered(left, right).ok_or_else(error),
        (DType::Void, DType::Void) => parts(left, right)?.ok_or_else(error),
        _ => numbers(a, b).map(Descr::new).ok_or_else(error),
    }
}

/// Of a registered type and another, the one to which the other casts safely.
fn registered(left: &Descr, right: &Descr) -> Option<Descr> {
    let safe = |from, to| can_cast(from, to, Casting::Safe);
    if safe(left, right) {
        Some(right.clone().native())
    } else if safe(right, left) {
        Some(left.clone().native())
    } else {
        None
    }
}

/// Structured types with the same names in the same order, and subarrays of one shape, promote part by
/// part; plain void of one size is itself.
fn parts(left: &Descr, right: &Descr) -> Result<Option<Descr>> {
    if let (Some(a), Some(b)) = (left.fields(), right.fields()) {
        let names = a.iter().map(Field::name);
        if a.len() != b.len() || !names.eq(b.iter().map(Field::name)) {
            return Ok(None);
        }
        let pairs = a.iter().zip(b.iter());
        let list = pairs
            .map(|(one, two)| Ok((one.name(), promote_types(one.descr(), two.descr())?)))
            .collect::<Result<Vec<_>>>()?;
        return if a.is_aligned() || b.is_aligned() {
            Descr::aligned(&list).map(Some)
        } else {
            Descr::structured(&list).map(Some)
        };
    }
    if let (Some((a, one)), Some((b, two))) = (left.sub(), right.sub()) {
        if one != two {
            return Ok(None);
        }
        return Descr::subarray(promote_types(a, b)?, one).map(Some);
    }
    let plain = left.is_plain_void() && right.is_plain_void();
    Ok((plain && left.size() == right.size()).then(|| left.clone()))
}

/// The promotion of two numeric types, if there is one.
pub(crate) fn numbers(a: DType, b: DType) -> Option<DType> {
    let (low, high) = (a.min(b), a.max(b));
    if low == high {
        return (kind(low) < Kind::Other).then_some(low);
    }
    match (kind(low), kind(high)) {
        (Kind::Other, _) | (_, Kind::Other) => None,
        (Kind::Bool, _) => Some(high),
        _ if low == DType::BF16 || high == DType::BF16 => with_bf16(low, high),
        (_, Kind::Complex) => {
            let part = numbers(float_for(low), float_of(high))?;
            Some(if part == DType::F64 {
                DType::C128
            } else {
                DType::C64
            })
        }
        (_, Kind::Float) => Some(float_for(low).max(high)),
        (Kind::Unsigned, Kind::Signed) | (Kind::Signed, Kind::Unsigned) => Some(mixed(low, high)),
        _ => Some(high),
    }
}

/// A signed and an unsigned type: the signed one if it is wider, else the next wider one.
fn mixed(low: DType, high: DType) -> DType {
    let (signed, unsigned) = if low.is_signed() {
        (low, high)
    } else {
        (high, low)
    };
    let wide = match unsigned {
        DType::U8 => DType::I16,
        DType::U16 => DType::I32,
        DType::U32 => DType::I64,
        _ => return DType::F64,
    };
    wide.max(signed)
}

/// bfloat16 takes in the 8-bit integers and is taken in by `f32` and what is above.
fn with_bf16(low: DType, high: DType) -> Option<DType> {
    match (low, high) {
        (DType::I8 | DType::U8, DType::BF16) => Some(DType::BF16),
        (DType::BF16, DType::F32 | DType::F64 | DType::C64 | DType::C128) => Some(high),
        _ => None,
    }
}

/// The float that holds every value of a real type.
fn float_for(dtype: DType) -> DType {
    match (kind(dtype), dtype.size()) {
        (Kind::Float | Kind::Complex, _) => float_of(dtype),
        (_, 1) => DType::F16,
        (_, 2) => DType::F32,
        _ => DType::F64,
    }
}

/// The type of a complex type's parts, or the float itself.
fn float_of(dtype: DType) -> DType {
    match dtype {
        DType::C64 => DType::F32,
        DType::C128 => DType::F64,
        other => other,
    }
}

/// The common type of any number of types and of a weak number among them; `np.result_type`.
///
/// # Errors
/// `NoPromotion`; `BadArgument` if there is neither a type nor a number.
pub fn result_type(descrs: &[&Descr], weak: Option<Weak>) -> Result<Descr> {
    let Some((first, rest)) = descrs.split_first() else {
        return match weak {
            Some(weak) => Ok(Descr::new(default_of(weak))),
            None => Err(ArrayError::BadArgument {
                op: "result_type",
                why: "at least one type is needed".into(),
            }),
        };
    };
    // The highest type first: beside a float, whole numbers don't meet each other.
    let mut ordered: Vec<&Descr> = std::iter::once(*first)
        .chain(rest.iter().copied())
        .collect();
    ordered.sort_by_key(|descr| std::cmp::Reverse(descr.dtype()));
    let mut common: Option<Descr> = None;
    for descr in ordered {
        common = Some(promote_types(common.as_ref().unwrap_or(descr), descr)?);
    }
    let common = common.unwrap_or_else(|| (*first).clone());
    match weak {
        Some(weak) => with_weak(&common, weak),
        None => Ok(common),
    }
}

/// The type that an operand of type `descr` and a weak number are computed in.
///
/// # Errors
/// `NoPromotion` if the type isn't one of numbers.
pub fn with_weak(descr: &Descr, weak: Weak) -> Result<Descr> {
    let dtype = descr.dtype();
    let found = match (kind(dtype), weak) {
        (Kind::Other, _) if dtype == DType::Object => dtype,
        (Kind::Other, _) => {
            return promote_types(descr, &Descr::new(default_of(weak)));
        }
        (Kind::Bool, _) | (Kind::Unsigned | Kind::Signed, Weak::Float | Weak::Complex) => {
            default_of(weak)
        }
        (Kind::Float, Weak::Complex) => match dtype {
            DType::F64 => DType::C128,
            _ => DType::C64,
        },
        _ => dtype,
    };
    Ok(Descr::new(found))
}

/// The type of a weak number alone.
#[must_use]
pub const fn default_of(weak: Weak) -> DType {
    match weak {
        Weak::Int => DType::I64,
        Weak::Float => DType::F64,
        Weak::Complex => DType::C128,
    }
}
