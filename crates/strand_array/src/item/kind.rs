//! The tree of scalar types.

use crate::dtype::DType;

/// A type of scalars, concrete or not; what `np.issubdtype` takes as its second argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// Any scalar; `np.generic`.
    Generic,
    /// Any number; `np.number`. Bool isn't one.
    Number,
    /// `np.integer`
    Integer,
    /// `np.signedinteger`
    SignedInteger,
    /// `np.unsignedinteger`
    UnsignedInteger,
    /// Floats and complex numbers; `np.inexact`.
    Inexact,
    /// `np.floating`
    Floating,
    /// `np.complexfloating`
    ComplexFloating,
    /// Elements of any size; `np.flexible`.
    Flexible,
    /// One concrete type.
    Exact(DType),
}

impl ScalarKind {
    /// The kind that this one is the next special case of.
    #[must_use]
    pub const fn parent(self) -> Option<Self> {
        Some(match self {
            Self::Generic => return None,
            Self::Number | Self::Flexible => Self::Generic,
            Self::Integer | Self::Inexact => Self::Number,
            Self::SignedInteger | Self::UnsignedInteger => Self::Integer,
            Self::Floating | Self::ComplexFloating => Self::Inexact,
            Self::Exact(dtype) if dtype.is_signed() => Self::SignedInteger,
            Self::Exact(dtype) if dtype.is_unsigned() => Self::UnsignedInteger,
            // bfloat16 stands beside NumPy's types, as in ml_dtypes.
            Self::Exact(DType::BF16) => Self::Generic,
            Self::Exact(dtype) if dtype.is_float() => Self::Floating,
            Self::Exact(dtype) if dtype.is_complex() => Self::ComplexFloating,
            Self::Exact(DType::Void) => Self::Flexible,
            Self::Exact(_) => Self::Generic,
        })
    }

    /// NumPy's name of the abstract kinds, and of the types their own.
    #[must_use]
    pub fn name(self) -> String {
        let name = match self {
            Self::Generic => "generic",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::SignedInteger => "signedinteger",
            Self::UnsignedInteger => "unsignedinteger",
            Self::Inexact => "inexact",
            Self::Floating => "floating",
            Self::ComplexFloating => "complexfloating",
            Self::Flexible => "flexible",
            Self::Exact(DType::Void) => "void",
            Self::Exact(dtype) => return crate::Descr::new(dtype).long_name(),
        };
        name.into()
    }

    /// This kind and those above it, up to [`Self::Generic`].
    pub fn line(self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |kind| kind.parent())
    }

    /// Whether this kind is `other` or a special case of it; `np.issubdtype`.
    #[must_use]
    pub fn is(self, other: Self) -> bool {
        self.line().any(|kind| kind == other)
    }
}

impl From<DType> for ScalarKind {
    fn from(dtype: DType) -> Self {
        Self::Exact(dtype)
    }
}
