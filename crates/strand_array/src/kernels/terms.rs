//! What the mathematics of f32 is written in: vectors, or terms of which the emitter makes code.
//!
//! A function over these traits is compiled twice: with [`F32x4`] it computes, with the emitter's
//! values it writes the instructions that would. So both paths are one text, and have one result.

use std::ops::{Add, BitAnd, Div, Mul, Neg, Sub};

use super::lanes;
use super::simd::{F32x4, F64x2, I32x4, I64x2, M32x4, Splat, Vector, WideSplat};
use super::vector_math::patch;
use crate::ops::{BinaryOp, UnaryOp};

/// A function whose lanes the polynomials don't all reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fallback {
    Sin,
    Cos,
    Pow,
}

impl Fallback {
    /// The function for [`lanes::compute`].
    pub(crate) fn code(self) -> u32 {
        match self {
            Self::Sin => lanes::unary(UnaryOp::Sin, false),
            Self::Cos => lanes::unary(UnaryOp::Cos, false),
            Self::Pow => lanes::binary(BinaryOp::Pow, false),
        }
    }

    fn of(self, x: f32, y: f32) -> f32 {
        match self {
            Self::Sin => libm::sinf(x),
            Self::Cos => libm::cosf(x),
            Self::Pow => libm::powf(x, y),
        }
    }
}

/// Numbers in lanes.
pub(crate) trait Numbers:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// `a < b ? b : a` in each lane: of a NaN in `b` nothing stays.
    fn larger(self, b: Self) -> Self;
    /// `b < a ? b : a` in each lane.
    fn smaller(self, b: Self) -> Self;
    fn nearest(self) -> Self;
}

/// Four numbers of f32.
pub(crate) trait Single: Numbers + Neg<Output = Self> {
    type Bits: Bits<Float = Self, Mask = Self::Mask>;
    type Mask: Choice<Self>;
    type Wide: Double;
    /// A constant, where this value is made.
    fn number(self, of: &'static Splat) -> Self;
    fn abs(self) -> Self;
    fn copysign(self, sign: Self) -> Self;
    fn less(self, b: Self) -> Self::Mask;
    fn at_most(self, b: Self) -> Self::Mask;
    fn equal(self, b: Self) -> Self::Mask;
    fn bits(self) -> Self::Bits;
    fn widen(self) -> [Self::Wide; 2];
    fn narrow(pair: [Self::Wide; 2]) -> Self;
    /// Itself in the lanes of `near`, the function of `x` and `y` in the others.
    fn rescued(self, near: Self::Mask, function: Fallback, x: Self, y: Self) -> Self;
}

/// Two numbers of f64.
pub(crate) trait Double: Numbers {
    type Bits: Add<Output = Self::Bits> + Copy;
    fn wide(self, of: &'static WideSplat) -> Self;
    fn bits(self) -> Self::Bits;
    fn to_exponent(bits: Self::Bits) -> Self::Bits;
    fn of_bits(bits: Self::Bits) -> Self;
}

/// The bits of four numbers.
pub(crate) trait Bits: Copy + Add<Output = Self> + Sub<Output = Self> {
    type Float;
    type Mask;
    fn shift_left<const BITS: u32>(self) -> Self;
    fn shift_right<const BITS: u32>(self) -> Self;
    fn plus(self, n: i32) -> Self;
    fn as_float(self) -> Self::Float;
    fn to_float(self) -> Self::Float;
    fn has_bit(self, bit: i32) -> Self::Mask;
}

/// A choice for each lane.
pub(crate) trait Choice<V>: Copy + BitAnd<Output = Self> {
    fn select(self, yes: V, no: V) -> V;
}

/// Passes on to the vector's own methods.
macro_rules! own {
    ($($name:ident($($argument:ident: $t:ty),*) -> $r:ty;)*) => {$(
        #[inline(always)]
        fn $name(self, $($argument: $t),*) -> $r {
            self.$name($($argument),*)
        }
    )*};
}

macro_rules! numbers {
    ($v:ident) => {
        impl Numbers for $v {
            own! { nearest() -> Self; }
            #[inline(always)]
            fn larger(self, b: Self) -> Self {
                Vector::larger(self, b)
            }
            #[inline(always)]
            fn smaller(self, b: Self) -> Self {
                Vector::smaller(self, b)
            }
        }
    };
}
numbers!(F32x4);
numbers!(F64x2);

impl Single for F32x4 {
    type Bits = I32x4;
    type Mask = M32x4;
    type Wide = F64x2;
    own! {
        abs() -> Self;
        copysign(sign: Self) -> Self;
        less(b: Self) -> M32x4;
        at_most(b: Self) -> M32x4;
        equal(b: Self) -> M32x4;
        bits() -> I32x4;
        widen() -> [F64x2; 2];
    }
    #[inline(always)]
    fn number(self, of: &'static Splat) -> Self {
        Self::constant(of)
    }
    #[inline(always)]
    fn narrow(pair: [F64x2; 2]) -> Self {
        Self::narrow(pair)
    }
    #[inline(always)]
    fn rescued(self, near: M32x4, function: Fallback, x: Self, y: Self) -> Self {
        if (!near).any() {
            return patch(self, near, |i| function.of(x.lanes()[i], y.lanes()[i]));
        }
        self
    }
}

impl Double for F64x2 {
    type Bits = I64x2;
    own! { bits() -> I64x2; }
    #[inline(always)]
    fn wide(self, of: &'static WideSplat) -> Self {
        Self::constant(of)
    }
    #[inline(always)]
    fn to_exponent(bits: I64x2) -> I64x2 {
        bits.shift_left::<52>()
    }
    #[inline(always)]
    fn of_bits(bits: I64x2) -> Self {
        bits.as_float()
    }
}

impl Bits for I32x4 {
    type Float = F32x4;
    type Mask = M32x4;
    own! {
        as_float() -> F32x4;
        to_float() -> F32x4;
        has_bit(bit: i32) -> M32x4;
    }
    #[inline(always)]
    fn shift_left<const BITS: u32>(self) -> Self {
        self.shift_left::<BITS>()
    }
    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        self.shift_right::<BITS>()
    }
    #[inline(always)]
    fn plus(self, n: i32) -> Self {
        self + Self::splat(n)
    }
}

impl Choice<F32x4> for M32x4 {
    #[inline(always)]
    fn select(self, yes: F32x4, no: F32x4) -> F32x4 {
        self.select(yes, no)
    }
}
