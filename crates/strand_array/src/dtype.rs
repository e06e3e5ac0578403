//! Element types and scalars.

use std::fmt;

use crate::block::Pod;
use crate::narrow;

/// The kind of an array's elements; [`Descr`](crate::Descr) adds byte order, fields and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DType {
    /// One byte, read as `!= 0`; `np.bool`.
    Bool,
    /// `np.int8`.
    I8,
    /// `np.uint8`.
    U8,
    /// `np.int16`.
    I16,
    /// `np.uint16`.
    U16,
    /// `np.int32`.
    I32,
    /// `np.uint32`.
    U32,
    /// `np.int64`; arithmetic wraps.
    I64,
    /// `np.uint64`.
    U64,
    /// `np.float16`.
    F16,
    /// `ml_dtypes.bfloat16`, `torch.bfloat16`.
    BF16,
    /// `np.float32`.
    F32,
    /// `np.float64`.
    F64,
    /// `np.complex64`: two `f32`.
    C64,
    /// `np.complex128`: two `f64`.
    C128,
    /// Bytes of a fixed number, with or without fields; `np.void`.
    Void,
    /// A host value; `np.object_`.
    Object,
    /// A type that a program registered, by its number.
    User(u16),
}

/// The four types that expressions are computed in. The other numeric types are widened to one
/// of them when they are loaded, and rounded when they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wide {
    Bool,
    I64,
    F32,
    F64,
}

impl DType {
    /// The built-in numeric types, in NumPy's order of kinds and sizes; `BF16` after `F16`.
    pub const NUMERIC: &'static [Self] = &[
        Self::Bool,
        Self::I8,
        Self::U8,
        Self::I16,
        Self::U16,
        Self::I32,
        Self::U32,
        Self::I64,
        Self::U64,
        Self::F16,
        Self::BF16,
        Self::F32,
        Self::F64,
        Self::C64,
        Self::C128,
    ];

    /// Bytes per element; 0 for `Void` and `User`, whose size a [`Descr`](crate::Descr) knows.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 | Self::C64 | Self::Object => 8,
            Self::C128 => 16,
            Self::Void | Self::User(_) => 0,
        }
    }

    /// Whether the type is a floating-point one; complex types aren't.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64)
    }

    /// The least and the greatest whole number of the type, if it is one of whole numbers of at
    /// most 64 bits with sign; of bool 0 and 1.
    #[must_use]
    pub const fn bounds(self) -> (i64, i64) {
        match self {
            Self::Bool => (0, 1),
            _ if self.is_unsigned() && self.size() < 8 => (0, (u64::MAX >> self.unused(64)) as i64),
            _ if self.is_signed() && self.size() < 8 => {
                (i64::MIN >> self.unused(64), i64::MAX >> self.unused(64))
            }
            _ => (i64::MIN, i64::MAX),
        }
    }

    /// The least and the greatest value of a type of whole numbers.
    pub(crate) const fn whole_range(self) -> (i128, i128) {
        if self.is_signed() {
            (i128::MIN >> self.unused(128), i128::MAX >> self.unused(128))
        } else {
            (0, (u128::MAX >> self.unused(128)) as i128)
        }
    }

    /// How many of so many bits an element of at least one byte leaves.
    const fn unused(self, bits: u32) -> u32 {
        let used = (self.size() as u32).saturating_mul(8);
        bits.saturating_sub(if used == 0 { 8 } else { used })
    }

    /// Whether the type is one of whole numbers; bool isn't.
    #[must_use]
    pub const fn is_integer(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// `I8` to `I64`.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// `U8` to `U64`.
    #[must_use]
    pub const fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }

    /// `C64` and `C128`.
    #[must_use]
    pub const fn is_complex(self) -> bool {
        matches!(self, Self::C64 | Self::C128)
    }

    /// The short name: `bool`, `i64`, `bf16`, `c128`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I16 => "i16",
            Self::U16 => "u16",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::C64 => "c64",
            Self::C128 => "c128",
            Self::Void => "void",
            Self::Object => "object",
            Self::User(_) => "user",
        }
    }

    /// What a conversion to the type is called where steps are named.
    pub(crate) const fn conversion(self) -> &'static str {
        match self {
            Self::Bool => "to bool",
            Self::I8 => "to i8",
            Self::U8 => "to u8",
            Self::I16 => "to i16",
            Self::I32 => "to i32",
            Self::I64 => "to i64",
            Self::F16 => "to f16",
            Self::BF16 => "to bf16",
            Self::F32 => "to f32",
            Self::F64 => "to f64",
            _ => "to",
        }
    }

    /// The type that both convert to, as `torch.promote_types` has it.
    #[must_use]
    pub fn promote(self, other: Self) -> Self {
        let (low, high) = (self.min(other), self.max(other));
        match (low, high) {
            (Self::U8, high) if high.is_signed() => high.max(Self::I16),
            (Self::I8, Self::U8) => Self::I16,
            (Self::F16, Self::BF16) => Self::F32,
            _ => high,
        }
    }

    /// The type that a floating-point function computes in: floats stay, the rest become
    /// `F32`, PyTorch's default.
    #[must_use]
    pub const fn to_float(self) -> Self {
        if self.is_float() || self.is_complex() {
            self
        } else {
            Self::F32
        }
    }

    /// The type that expressions of this one are computed in; none for types that they don't
    /// take. Each operation rounds its result, so that no digit is kept that the type hasn't.
    #[must_use]
    pub const fn widened(self) -> Option<Self> {
        match self {
            Self::Bool => Some(Self::Bool),
            Self::I8 | Self::U8 | Self::I16 | Self::U16 | Self::I32 | Self::U32 | Self::I64 => {
                Some(Self::I64)
            }
            Self::F16 | Self::BF16 | Self::F32 => Some(Self::F32),
            Self::F64 => Some(Self::F64),
            _ => None,
        }
    }

    /// The type itself, if it is one of the four that expressions are computed in.
    pub(crate) const fn wide(self) -> Option<Wide> {
        match self {
            Self::Bool => Some(Wide::Bool),
            Self::I64 => Some(Wide::I64),
            Self::F32 => Some(Wide::F32),
            Self::F64 => Some(Wide::F64),
            _ => None,
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
    /// An element of a narrower integer type, `I8` to `U32`, and its value.
    Int(DType, i64),
    /// An element of `F16` or `BF16`, and its value.
    Half(DType, f32),
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
            Self::Int(dtype, _) | Self::Half(dtype, _) => dtype,
        }
    }

    /// The value as `f64`; large `i64` values round.
    #[must_use]
    pub const fn to_f64(self) -> f64 {
        match self {
            Self::Bool(v) => v as u8 as f64,
            Self::I64(v) | Self::Int(_, v) => v as f64,
            Self::F32(v) | Self::Half(_, v) => v as f64,
            Self::F64(v) => v,
        }
    }

    /// The value as `i64`; floats truncate and saturate, NaN gives `i64::MIN`.
    #[must_use]
    pub const fn to_i64(self) -> i64 {
        match self {
            Self::Bool(v) => v as i64,
            Self::I64(v) | Self::Int(_, v) => v,
            Self::F32(v) | Self::Half(_, v) => float_to_i64(v as f64),
            Self::F64(v) => float_to_i64(v),
        }
    }

    /// Whether the value differs from zero.
    #[must_use]
    pub const fn to_bool(self) -> bool {
        match self {
            Self::Bool(v) => v,
            Self::I64(v) | Self::Int(_, v) => v != 0,
            Self::F32(v) | Self::Half(_, v) => v != 0.0,
            Self::F64(v) => v != 0.0,
        }
    }

    /// The value converted to `dtype`, as an array of it would be; unchanged if no [`Scalar`] has
    /// that type.
    #[must_use]
    pub const fn cast(self, dtype: DType) -> Self {
        match dtype {
            DType::Bool => Self::Bool(self.to_bool()),
            DType::I64 => Self::I64(self.to_i64()),
            DType::F32 => Self::F32(self.to_f32()),
            DType::F64 => Self::F64(self.to_f64()),
            DType::F16 | DType::BF16 => Self::Half(dtype, narrow::round_half(dtype, self.to_f32())),
            _ if dtype.is_integer() && dtype.widened().is_some() => {
                Self::Int(dtype, narrow::wrap(dtype, self.to_i64()))
            }
            _ => self,
        }
    }

    /// The value as `f32`, rounded once.
    const fn to_f32(self) -> f32 {
        match self {
            // Straight from i64: by way of f64 the value would round twice.
            Self::I64(v) | Self::Int(_, v) => v as f32,
            other => other.to_f64() as f32,
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

/// Runs an expression with `$t` bound to the memory form of a wide type.
macro_rules! by_repr {
    ($wide:expr, $t:ident => $body:expr) => {
        match $wide {
            $crate::dtype::Wide::Bool => {
                type $t = u8;
                $body
            }
            $crate::dtype::Wide::I64 => {
                type $t = i64;
                $body
            }
            $crate::dtype::Wide::F32 => {
                type $t = f32;
                $body
            }
            $crate::dtype::Wide::F64 => {
                type $t = f64;
                $body
            }
        }
    };
}
pub(crate) use by_repr;

/// Runs an expression that only moves elements, with `$t` bound to a type of the item's size, or
/// gives `$other` for a size that no such type has.
macro_rules! by_width {
    ($size:expr, $t:ident => $body:expr, else $other:expr) => {
        match $size {
            1 => {
                type $t = u8;
                $body
            }
            2 => {
                type $t = u16;
                $body
            }
            4 => {
                type $t = f32;
                $body
            }
            8 => {
                type $t = i64;
                $body
            }
            _ => $other,
        }
    };
}
pub(crate) use by_width;
