//! Element types and scalars.

use std::fmt;

use crate::block::Pod;

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DType {
    /// One byte, read as `!= 0`; `torch.bool`.
    Bool,
    /// `torch.int64`; arithmetic wraps.
    I64,
    /// `torch.float32`.
    F32,
    /// `torch.float64`.
    F64,
}

impl DType {
    /// Bytes per element.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
        }
    }

    /// Whether the type is a floating-point one.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// The short name: `bool`, `i64`, `f32`, `f64`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The type that both convert to, as `torch.promote_types` has it.
    #[must_use]
    pub fn promote(self, other: Self) -> Self {
        self.max(other)
    }

    /// The type that a floating-point function computes in: floats stay, the rest become
    /// `F32`, PyTorch's default.
    #[must_use]
    pub const fn to_float(self) -> Self {
        match self {
            Self::F64 => Self::F64,
            _ => Self::F32,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One element with its type.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Scalar {
    /// A `Bool` element.
    Bool(bool),
    /// An `I64` element.
    I64(i64),
    /// An `F32` element.
    F32(f32),
    /// An `F64` element.
    F64(f64),
}

impl Scalar {
    /// The type of the element.
    #[must_use]
    pub const fn dtype(self) -> DType {
        match self {
            Self::Bool(_) => DType::Bool,
            Self::I64(_) => DType::I64,
            Self::F32(_) => DType::F32,
            Self::F64(_) => DType::F64,
        }
    }

    /// The value as `f64`; large `i64` values round.
    #[must_use]
    pub const fn to_f64(self) -> f64 {
        match self {
            Self::Bool(v) => v as u8 as f64,
            Self::I64(v) => v as f64,
            Self::F32(v) => v as f64,
            Self::F64(v) => v,
        }
    }

    /// The value as `i64`; floats truncate and saturate, NaN gives `i64::MIN`.
    #[must_use]
    pub const fn to_i64(self) -> i64 {
        match self {
            Self::Bool(v) => v as i64,
            Self::I64(v) => v,
            Self::F32(v) => float_to_i64(v as f64),
            Self::F64(v) => float_to_i64(v),
        }
    }

    /// Whether the value differs from zero.
    #[must_use]
    pub const fn to_bool(self) -> bool {
        match self {
            Self::Bool(v) => v,
            Self::I64(v) => v != 0,
            Self::F32(v) => v != 0.0,
            Self::F64(v) => v != 0.0,
        }
    }

    /// The value converted to `dtype`, as an array of it would be.
    #[must_use]
    pub const fn cast(self, dtype: DType) -> Self {
        match dtype {
            DType::Bool => Self::Bool(self.to_bool()),
            DType::I64 => Self::I64(self.to_i64()),
            DType::F32 => Self::F32(match self {
                // Straight from i64: by way of f64 the value would round twice.
                Self::I64(v) => v as f32,
                other => other.to_f64() as f32,
            }),
            DType::F64 => Self::F64(self.to_f64()),
        }
    }
}

/// Truncates and saturates; NaN gives `i64::MIN`.
pub(crate) const fn float_to_i64(v: f64) -> i64 {
    if v.is_nan() { i64::MIN } else { v as i64 }
}

/// A Rust type that is the host form of a [`DType`].
pub trait Element: Copy + 'static {
    /// The array type of it.
    const DTYPE: DType;
    /// How it lies in memory.
    type Repr: Pod;
    /// To its form in memory.
    fn to_repr(self) -> Self::Repr;
    /// From its form in memory.
    fn from_repr(repr: Self::Repr) -> Self;
}

impl Element for bool {
    const DTYPE: DType = DType::Bool;
    type Repr = u8;
    fn to_repr(self) -> u8 {
        u8::from(self)
    }
    fn from_repr(repr: u8) -> Self {
        repr != 0
    }
}

macro_rules! plain_element {
    ($($t:ty => $d:ident),*) => {$(
        impl Element for $t {
            const DTYPE: DType = DType::$d;
            type Repr = $t;
            fn to_repr(self) -> $t {
                self
            }
            fn from_repr(repr: $t) -> Self {
                repr
            }
        }
    )*};
}
plain_element!(i64 => I64, f32 => F32, f64 => F64);

/// Runs an expression with `$t` bound to the memory form of a dtype.
macro_rules! by_repr {
    ($dtype:expr, $t:ident => $body:expr) => {
        match $dtype {
            $crate::DType::Bool => {
                type $t = u8;
                $body
            }
            $crate::DType::I64 => {
                type $t = i64;
                $body
            }
            $crate::DType::F32 => {
                type $t = f32;
                $body
            }
            $crate::DType::F64 => {
                type $t = f64;
                $body
            }
        }
    };
}
pub(crate) use by_repr;

/// Runs an expression that only moves elements, with `$t` bound to a type of the dtype's width.
macro_rules! by_width {
    ($dtype:expr, $t:ident => $body:expr) => {
        match $dtype {
            $crate::DType::Bool => {
                type $t = u8;
                $body
            }
            $crate::DType::F32 => {
                type $t = f32;
                $body
            }
            $crate::DType::I64 | $crate::DType::F64 => {
                type $t = i64;
                $body
            }
        }
    };
}
pub(crate) use by_width;
