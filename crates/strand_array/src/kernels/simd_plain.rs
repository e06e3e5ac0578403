//! The vectors as arrays, for machines whose own SIMD the compiler may choose.

use super::{
    Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Splat, Sub, Vector, WideSplat, operators,
};

#[derive(Clone, Copy)]
pub(crate) struct F32x4([f32; 4]);
#[derive(Clone, Copy)]
pub(crate) struct F64x2([f64; 2]);
#[derive(Clone, Copy)]
pub(crate) struct I32x4([i32; 4]);
#[derive(Clone, Copy)]
pub(crate) struct I64x2([i64; 2]);
#[derive(Clone, Copy)]
pub(crate) struct U8x16([u8; 16]);
/// A choice for each of four lanes.
#[derive(Clone, Copy)]
pub(crate) struct M32x4([bool; 4]);
#[derive(Clone, Copy)]
pub(crate) struct M64x2([bool; 2]);

/// Applies a function to each lane of two vectors.
#[inline(always)]
fn each<A: Copy, R, const N: usize>(a: [A; N], b: [A; N], f: impl Fn(A, A) -> R) -> [R; N] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

macro_rules! lanes {
    ($($name:ident($t:ty, $n:literal) $f:expr;)*) => {$(
        #[inline(always)]
        fn $name(a: [$t; $n], b: [$t; $n]) -> [$t; $n] {
            each(a, b, $f)
        }
    )*};
}
lanes! {
    f32_add(f32, 4) |a, b| a + b;
    f32_sub(f32, 4) |a, b| a - b;
    f32_mul(f32, 4) |a, b| a * b;
    f32_div(f32, 4) |a, b| a / b;
    f64_add(f64, 2) |a, b| a + b;
    f64_sub(f64, 2) |a, b| a - b;
    f64_mul(f64, 2) |a, b| a * b;
    f64_div(f64, 2) |a, b| a / b;
    i32_add(i32, 4) i32::wrapping_add;
    i32_sub(i32, 4) i32::wrapping_sub;
    i32_mul(i32, 4) i32::wrapping_mul;
    i64_add(i64, 2) i64::wrapping_add;
    i64_sub(i64, 2) i64::wrapping_sub;
    i64_mul(i64, 2) i64::wrapping_mul;
    i64_and(i64, 2) |a, b| a & b;
    i64_or(i64, 2) |a, b| a | b;
    i64_xor(i64, 2) |a, b| a ^ b;
    m32_and(bool, 4) |a, b| a & b;
    m32_or(bool, 4) |a, b| a | b;
    m64_and(bool, 2) |a, b| a & b;
    m64_or(bool, 2) |a, b| a | b;
}
operators!(F32x4: Add add f32_add, Sub sub f32_sub, Mul mul f32_mul, Div div f32_div);
operators!(F64x2: Add add f64_add, Sub sub f64_sub, Mul mul f64_mul, Div div f64_div);
operators!(I32x4: Add add i32_add, Sub sub i32_sub, Mul mul i32_mul);
operators!(I64x2: Add add i64_add, Sub sub i64_sub, Mul mul i64_mul, BitAnd bitand i64_and, BitOr bitor i64_or, BitXor bitxor i64_xor);
operators!(M32x4: BitAnd bitand m32_and, BitOr bitor m32_or);
operators!(M64x2: BitAnd bitand m64_and, BitOr bitor m64_or);

macro_rules! vector {
    ($v:ident, $t:ty, $n:literal, $bits:expr, $from_bits:expr) => {
        impl Vector for $v {
            type T = $t;
            const N: usize = $n;
            #[inline(always)]
            fn splat(value: $t) -> Self {
                Self([value; $n])
            }
            #[inline(always)]
            unsafe fn read(from: *const $t) -> Self {
                // SAFETY: the caller's pointer has N readable elements.
                Self(unsafe { from.cast::<[$t; $n]>().read() })
            }
            #[inline(always)]
            unsafe fn write(self, to: *mut $t) {
                // SAFETY: the caller's pointer has N writable elements.
                unsafe { to.cast::<[$t; $n]>().write(self.0) }
            }
            #[inline(always)]
            fn larger(self, b: Self) -> Self {
                Self(each(self.0, b.0, |a, b| if a < b { b } else { a }))
            }
            #[inline(always)]
            fn smaller(self, b: Self) -> Self {
                Self(each(self.0, b.0, |a, b| if b < a { b } else { a }))
            }
            #[inline(always)]
            #[allow(clippy::eq_op)]
            fn nans(self) -> Self {
                Self(self.0.map(|v| $from_bits(if v != v { !0 } else { 0 })))
            }
            #[inline(always)]
            fn any(self) -> bool {
                self.0.iter().any(|v| $bits(*v) != 0)
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                Self(each(self.0, other.0, |a, b| {
                    $from_bits($bits(a) | $bits(b))
                }))
            }
            #[inline(always)]
            fn same(self, other: Self) -> Self {
                Self(each(self.0, other.0, |a, b| {
                    $from_bits(if a == b { !0 } else { 0 })
                }))
            }
            #[inline(always)]
            fn first(self) -> $t {
                self.0[0]
            }
            #[inline(always)]
            fn fold(mut self, f: impl Fn(Self, Self) -> Self) -> $t {
                let mut half = $n / 2;
                while half > 0 {
                    self = f(self, Self(std::array::from_fn(|i| self.0[i % half + half])));
                    half /= 2;
                }
                self.0[0]
            }
        }
    };
}
vector!(F32x4, f32, 4, f32::to_bits, f32::from_bits);
vector!(F64x2, f64, 2, f64::to_bits, f64::from_bits);
vector!(I64x2, i64, 2, |v: i64| v, |v: i64| v);
vector!(U8x16, u8, 16, |v: u8| v, |v: u8| v);

macro_rules! floats {
    ($v:ident, $m:ident, $t:ty) => {
        impl Neg for $v {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(self.0.map(|v| -v))
            }
        }

        #[allow(dead_code)]
        impl $v {
            #[inline(always)]
            pub(crate) fn abs(self) -> Self {
                Self(self.0.map(<$t>::abs))
            }
            #[inline(always)]
            pub(crate) fn sqrt(self) -> Self {
                Self(self.0.map(<$t>::sqrt))
            }
            #[inline(always)]
            pub(crate) fn floor(self) -> Self {
                Self(self.0.map(<$t>::floor))
            }
            #[inline(always)]
            pub(crate) fn ceil(self) -> Self {
                Self(self.0.map(<$t>::ceil))
            }
            #[inline(always)]
            pub(crate) fn trunc(self) -> Self {
                Self(self.0.map(<$t>::trunc))
            }
            #[inline(always)]
            pub(crate) fn nearest(self) -> Self {
                Self(self.0.map(<$t>::round_ties_even))
            }
            #[inline(always)]
            pub(crate) fn less(self, b: Self) -> $m {
                $m(each(self.0, b.0, |a, b| a < b))
            }
            #[inline(always)]
            pub(crate) fn at_most(self, b: Self) -> $m {
                $m(each(self.0, b.0, |a, b| a <= b))
            }
            #[inline(always)]
            pub(crate) fn equal(self, b: Self) -> $m {
                $m(each(self.0, b.0, |a, b| a == b))
            }
            #[inline(always)]
            pub(crate) fn not_equal(self, b: Self) -> $m {
                $m(each(self.0, b.0, |a, b| a != b))
            }
            #[inline(always)]
            pub(crate) fn copysign(self, sign: Self) -> Self {
                Self(each(self.0, sign.0, <$t>::copysign))
            }
        }

        #[allow(dead_code)]
        impl $m {
            #[inline(always)]
            pub(crate) fn select(self, yes: $v, no: $v) -> $v {
                $v(std::array::from_fn(|i| {
                    if self.0[i] { yes.0[i] } else { no.0[i] }
                }))
            }
            #[inline(always)]
            pub(crate) fn any(self) -> bool {
                self.0.contains(&true)
            }
        }

        impl Not for $m {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                Self(self.0.map(|v| !v))
            }
        }
    };
}
floats!(F32x4, M32x4, f32);
floats!(F64x2, M64x2, f64);

impl F32x4 {
    #[inline(always)]
    pub(crate) fn constant(of: &'static Splat) -> Self {
        Self(of.0)
    }

    /// The bits of each lane.
    #[inline(always)]
    pub(crate) fn bits(self) -> I32x4 {
        I32x4(self.0.map(|v| v.to_bits().cast_signed()))
    }

    /// The lower two lanes and the upper two, widened.
    #[inline(always)]
    pub(crate) fn widen(self) -> [F64x2; 2] {
        let [a, b, c, d] = self.0.map(f64::from);
        [F64x2([a, b]), F64x2([c, d])]
    }

    /// The lanes of two vectors, rounded.
    #[inline(always)]
    pub(crate) fn narrow([low, high]: [F64x2; 2]) -> Self {
        Self([low.0[0], low.0[1], high.0[0], high.0[1]].map(|v| v as f32))
    }

    #[inline(always)]
    pub(crate) fn from_lanes(lanes: [f32; 4]) -> Self {
        Self(lanes)
    }

    #[inline(always)]
    pub(crate) fn lanes(self) -> [f32; 4] {
        self.0
    }

    /// The lanes of two vectors in turn.
    #[inline(always)]
    pub(crate) fn interleave([a, b]: [Self; 2]) -> [Self; 2] {
        let ([a, c, e, g], [b, d, f, h]) = (a.0, b.0);
        [Self([a, b, c, d]), Self([e, f, g, h])]
    }

    /// Undoes [`Self::interleave`].
    #[inline(always)]
    pub(crate) fn apart([a, b]: [Self; 2]) -> [Self; 2] {
        let ([a, b, c, d], [e, f, g, h]) = (a.0, b.0);
        [Self([a, c, e, g]), Self([b, d, f, h])]
    }

    /// Columns of four vectors become rows.
    #[inline(always)]
    pub(crate) fn transpose(rows: [Self; 4]) -> [Self; 4] {
        std::array::from_fn(|i| Self(rows.map(|row| row.0[i])))
    }
}

impl F64x2 {
    #[inline(always)]
    pub(crate) fn constant(of: &'static WideSplat) -> Self {
        Self(of.0)
    }

    /// The bits of each lane.
    #[inline(always)]
    pub(crate) fn bits(self) -> I64x2 {
        I64x2(self.0.map(|v| v.to_bits().cast_signed()))
    }
}

impl I64x2 {
    #[inline(always)]
    pub(crate) fn shift_left<const BITS: u32>(self) -> Self {
        Self(self.0.map(|v| v << BITS))
    }
    #[inline(always)]
    pub(crate) fn as_float(self) -> F64x2 {
        F64x2(self.0.map(|v| f64::from_bits(v.cast_unsigned())))
    }
}

impl I32x4 {
    #[inline(always)]
    pub(crate) fn splat(value: i32) -> Self {
        Self([value; 4])
    }
    #[inline(always)]
    pub(crate) fn shift_left<const BITS: u32>(self) -> Self {
        Self(self.0.map(|v| v << BITS))
    }
    /// With the sign.
    #[inline(always)]
    pub(crate) fn shift_right<const BITS: u32>(self) -> Self {
        Self(self.0.map(|v| v >> BITS))
    }
    #[inline(always)]
    pub(crate) fn as_float(self) -> F32x4 {
        F32x4(self.0.map(|v| f32::from_bits(v.cast_unsigned())))
    }
    #[inline(always)]
    pub(crate) fn to_float(self) -> F32x4 {
        F32x4(self.0.map(|v| v as f32))
    }
    /// Which lanes have the bit set.
    #[inline(always)]
    pub(crate) fn has_bit(self, bit: i32) -> M32x4 {
        M32x4(self.0.map(|v| v & bit == bit))
    }
}

/// Writes 1 for each lane that is chosen and 0 for the others.
///
/// # Safety
/// `to` must point to 16 writable bytes.
#[inline(always)]
pub(crate) unsafe fn write_bytes(masks: [M32x4; 4], to: *mut u8) {
    let bytes = std::array::from_fn(|i| u8::from(masks[i / 4].0[i % 4]));
    // SAFETY: the caller's pointer has 16 writable bytes.
    unsafe { to.cast::<[u8; 16]>().write(bytes) }
}

/// Chooses the lanes whose byte isn't 0.
///
/// # Safety
/// `from` must point to 16 readable bytes.
#[inline(always)]
pub(crate) unsafe fn read_bytes(from: *const u8) -> [M32x4; 4] {
    // SAFETY: the caller's pointer has 16 readable bytes.
    let bytes = unsafe { from.cast::<[u8; 16]>().read() };
    std::array::from_fn(|k| M32x4(std::array::from_fn(|i| bytes[4 * k + i] != 0)))
}

/// How many of 16 times `groups` bytes aren't 0; at most 255 groups.
///
/// # Safety
/// `from` must point to 16 times `groups` readable bytes.
pub(crate) unsafe fn count_bytes(from: *const u8, groups: usize) -> usize {
    // SAFETY: the caller's pointer has that many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(from, 16 * groups) };
    bytes.iter().filter(|b| **b != 0).count()
}
