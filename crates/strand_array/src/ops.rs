//! The elementwise operations and their dtype rules, which are PyTorch's.

use crate::dtype::DType;
use crate::error::{ArrayError, Result};

macro_rules! ops {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident => $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// Every operation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name that PyTorch gives it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }
    };
}

ops! {
    /// A function of one element.
    UnaryOp {
        /// `|x|`; wraps for the least integer.
        Abs => "abs",
        /// `-x`; wraps for the least integer.
        Neg => "neg",
        /// -1, 0 or 1; 0 for NaN, as PyTorch has it.
        Sign => "sign",
        /// `eˣ`; of f32 within 1 ulp.
        Exp => "exp",
        /// `eˣ - 1`, exact near 0.
        Expm1 => "expm1",
        /// The natural logarithm; of f32 within 1 ulp.
        Log => "log",
        /// `log(1 + x)`, exact near 0.
        Log1p => "log1p",
        /// The logarithm to base 2.
        Log2 => "log2",
        /// The logarithm to base 10.
        Log10 => "log10",
        /// The square root.
        Sqrt => "sqrt",
        /// `1 / sqrt(x)`.
        Rsqrt => "rsqrt",
        /// `x * x`.
        Square => "square",
        /// `1 / x`.
        Reciprocal => "reciprocal",
        /// The sine; of f32 within 2 ulp.
        Sin => "sin",
        /// The cosine; of f32 within 2 ulp.
        Cos => "cos",
        /// The tangent.
        Tan => "tan",
        /// The inverse sine.
        Asin => "asin",
        /// The inverse cosine.
        Acos => "acos",
        /// The inverse tangent.
        Atan => "atan",
        /// The hyperbolic sine.
        Sinh => "sinh",
        /// The hyperbolic cosine.
        Cosh => "cosh",
        /// The hyperbolic tangent; of f32 within 2 ulp.
        Tanh => "tanh",
        /// `1 / (1 + e⁻ˣ)`; of f32 within 2 ulp.
        Sigmoid => "sigmoid",
        /// `max(x, 0)`; NaN stays.
        Relu => "relu",
        /// `x * Φ(x)`, by erf.
        Gelu => "gelu",
        /// `x * sigmoid(x)`.
        Silu => "silu",
        /// `log(1 + eˣ)`; x above 20. Of f32 within 2 ulp.
        Softplus => "softplus",
        /// The error function; of f32 within 1.5 ulp.
        Erf => "erf",
        /// Down to a whole number.
        Floor => "floor",
        /// Up to a whole number.
        Ceil => "ceil",
        /// To the nearest whole number, halves to the even one.
        Round => "round",
        /// Towards 0 to a whole number.
        Trunc => "trunc",
        /// Whether it is NaN.
        IsNan => "isnan",
        /// Whether it is an infinity.
        IsInf => "isinf",
        /// Whether it is neither NaN nor an infinity.
        IsFinite => "isfinite",
        /// Whether it is zero.
        LogicalNot => "logical_not",
        /// Every bit turned; of bool, the other value.
        BitwiseNot => "bitwise_not",
    }
}

ops! {
    /// A function of two elements of one dtype.
    BinaryOp {
        /// `a + b`; of bools, or.
        Add => "add",
        /// `a - b`.
        Sub => "sub",
        /// `a * b`; of bools, and.
        Mul => "mul",
        /// `a / b`; of integers, in f32.
        Div => "div",
        /// `a // b`, down, as Python and PyTorch do.
        FloorDiv => "floor_divide",
        /// `a % b` with the sign of `b`.
        Remainder => "remainder",
        /// `a % b` with the sign of `a`.
        Fmod => "fmod",
        /// `a ** b`; of f32 within 1 ulp.
        Pow => "pow",
        /// The larger; NaN if either is.
        Maximum => "maximum",
        /// The smaller; NaN if either is.
        Minimum => "minimum",
        /// The angle of the point (b, a).
        Atan2 => "atan2",
        /// `sqrt(a² + b²)` without overflow.
        Hypot => "hypot",
        /// `a == b`.
        Eq => "eq",
        /// `a != b`.
        Ne => "ne",
        /// `a < b`.
        Lt => "lt",
        /// `a <= b`.
        Le => "le",
        /// `a > b`.
        Gt => "gt",
        /// `a >= b`.
        Ge => "ge",
        /// Both not zero.
        LogicalAnd => "logical_and",
        /// Either not zero.
        LogicalOr => "logical_or",
        /// One of them not zero.
        LogicalXor => "logical_xor",
        /// And of the bits.
        BitwiseAnd => "bitwise_and",
        /// Or of the bits.
        BitwiseOr => "bitwise_or",
        /// Exclusive or of the bits.
        BitwiseXor => "bitwise_xor",
    }
}

impl UnaryOp {
    /// Operand dtype to convert to, and result dtype.
    ///
    /// # Errors
    /// `Unsupported` where PyTorch has no such function.
    pub fn types(self, x: DType) -> Result<(DType, DType)> {
        use UnaryOp as U;
        let unsupported = ArrayError::Unsupported {
            op: self.name(),
            dtype: x,
        };
        match self {
            U::Neg | U::Abs | U::Relu | U::Floor | U::Ceil | U::Round | U::Trunc
                if x == DType::Bool =>
            {
                Err(unsupported)
            }
            U::Square if x == DType::Bool => Ok((DType::I64, DType::I64)),
            U::Abs | U::Neg | U::Sign | U::Relu | U::Square => Ok((x, x)),
            U::Floor | U::Ceil | U::Round | U::Trunc => Ok((x, x)),
            U::IsNan | U::IsInf | U::IsFinite | U::LogicalNot => Ok((x, DType::Bool)),
            U::BitwiseNot if x.is_float() => Err(unsupported),
            U::BitwiseNot => Ok((x, x)),
            U::Gelu | U::Silu | U::Softplus if !x.is_float() => Err(unsupported),
            _ => Ok((x.to_float(), x.to_float())),
        }
    }
}

impl BinaryOp {
    /// Whether the result is bool: comparisons and logical operations.
    #[must_use]
    pub const fn is_predicate(self) -> bool {
        use BinaryOp as B;
        matches!(
            self,
            B::Eq
                | B::Ne
                | B::Lt
                | B::Le
                | B::Gt
                | B::Ge
                | B::LogicalAnd
                | B::LogicalOr
                | B::LogicalXor
        )
    }

    /// Operand dtype to convert both to, and result dtype.
    ///
    /// # Errors
    /// `Unsupported` where PyTorch has no such function.
    pub fn types(self, a: DType, b: DType) -> Result<(DType, DType)> {
        use BinaryOp as B;
        let common = a.promote(b);
        let unsupported = ArrayError::Unsupported {
            op: self.name(),
            dtype: common,
        };
        match self {
            _ if self.is_predicate() => Ok((common, DType::Bool)),
            B::Hypot if !common.is_float() => Err(unsupported),
            B::Div | B::Atan2 | B::Hypot => Ok((common.to_float(), common.to_float())),
            B::BitwiseAnd | B::BitwiseOr | B::BitwiseXor if common.is_float() => Err(unsupported),
            B::Sub | B::FloorDiv | B::Remainder | B::Fmod | B::Pow if common == DType::Bool => {
                Err(unsupported)
            }
            _ => Ok((common, common)),
        }
    }
}
