//! The vectors as WebAssembly has them.

use core::arch::wasm32::*;

use super::{
    Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Splat, Sub, Vector, WideSplat, operators,
};

#[derive(Clone, Copy)]
pub(crate) struct F32x4(v128);
#[derive(Clone, Copy)]
pub(crate) struct F64x2(v128);
#[derive(Clone, Copy)]
pub(crate) struct I32x4(v128);
#[derive(Clone, Copy)]
pub(crate) struct I64x2(v128);
#[derive(Clone, Copy)]
pub(crate) struct U8x16(v128);
/// A choice for each of four lanes: all bits of a lane, or none.
#[derive(Clone, Copy)]
pub(crate) struct M32x4(v128);
#[derive(Clone, Copy)]
pub(crate) struct M64x2(v128);

operators!(F32x4: Add add f32x4_add, Sub sub f32x4_sub, Mul mul f32x4_mul, Div div f32x4_div);
operators!(F64x2: Add add f64x2_add, Sub sub f64x2_sub, Mul mul f64x2_mul, Div div f64x2_div);
operators!(I32x4: Add add i32x4_add, Sub sub i32x4_sub, Mul mul i32x4_mul);
operators!(I64x2: Add add i64x2_add, Sub sub i64x2_sub, Mul mul i64x2_mul, BitAnd bitand v128_and, BitOr bitor v128_or, BitXor bitxor v128_xor);
operators!(M32x4: BitAnd bitand v128_and, BitOr bitor v128_or);
operators!(M64x2: BitAnd bitand v128_and, BitOr bitor v128_or);

macro_rules! vector {
    ($v:ident, $t:ty, $n:literal, $splat:path, $first:expr, $larger:path, $smaller:path, $ne:path, $eq:path, [$($upper:expr),*]) => {
        impl Vector for $v {
            type T = $t;
            const N: usize = $n;
            #[inline(always)]
            fn splat(value: $t) -> Self {
                Self($splat(value))
            }
            #[inline(always)]
            unsafe fn read(from: *const $t) -> Self {
                // SAFETY: the caller's pointer has 16 readable bytes; the instruction takes any alignment.
                Self(unsafe { v128_load(from.cast()) })
            }
            #[inline(always)]
            unsafe fn write(self, to: *mut $t) {
                // SAFETY: the caller's pointer has 16 writable bytes; the instruction takes any alignment.
                unsafe { v128_store(to.cast(), self.0) }
            }
            #[inline(always)]
            fn larger(self, b: Self) -> Self {
                Self($larger(self.0, b.0))
            }
            #[inline(always)]
            fn smaller(self, b: Self) -> Self {
                Self($smaller(self.0, b.0))
            }
            #[inline(always)]
            fn nans(self) -> Self {
                Self($ne(self.0, self.0))
            }
            #[inline(always)]
            fn any(self) -> bool {
                v128_any_true(self.0)
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                Self(v128_or(self.0, other.0))
            }
            #[inline(always)]
            fn same(self, other: Self) -> Self {
                Self($eq(self.0, other.0))
            }
            #[inline(always)]
            fn first(self) -> $t {
                $first(self.0)
            }
            #[inline(always)]
            fn fold(self, f: impl Fn(Self, Self) -> Self) -> $t {
                let v = self;
                $(let v = f(v, Self($upper(v.0, v.0)));)*
                v.first()
            }
        }
    };
}
vector!(
    F32x4,
    f32,
    4,
    f32x4_splat,
    f32x4_extract_lane::<0>,
    f32x4_pmax,
    f32x4_pmin,
    f32x4_ne,
    f32x4_eq,
    [i64x2_shuffle::<1, 1>, i32x4_shuffle::<1, 1, 1, 1>]
);
vector!(
    F64x2,
    f64,
    2,
    f64x2_splat,
    f64x2_extract_lane::<0>,
    f64x2_pmax,
    f64x2_pmin,
    f64x2_ne,
    f64x2_eq,
    [i64x2_shuffle::<1, 1>]
);
vector!(
    I64x2,
    i64,
    2,
    i64x2_splat,
    i64x2_extract_lane::<0>,
    i64_larger,
    i64_smaller,
    i64x2_ne,
    i64x2_eq,
    [i64x2_shuffle::<1, 1>]
);
vector!(
    U8x16,
    u8,
    16,
    u8x16_splat,
    u8x16_extract_lane::<0>,
    u8x16_max,
    u8x16_min,
    u8x16_ne,
    u8x16_eq,
    [
        i64x2_shuffle::<1, 1>,
        i32x4_shuffle::<1, 1, 1, 1>,
        i16x8_shuffle::<1, 1, 1, 1, 1, 1, 1, 1>,
        i8x16_shuffle::<1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1>
    ]
);

#[inline(always)]
fn i64_larger(a: v128, b: v128) -> v128 {
    v128_bitselect(b, a, i64x2_gt(b, a))
}

#[inline(always)]
fn i64_smaller(a: v128, b: v128) -> v128 {
    v128_bitselect(b, a, i64x2_lt(b, a))
}

macro_rules! floats {
    ($v:ident, $m:ident, $neg:path, $abs:path, $sqrt:path, $floor:path, $ceil:path, $trunc:path, $nearest:path,
     $lt:path, $le:path, $eq:path, $ne:path, $sign:expr) => {
        impl Neg for $v {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self($neg(self.0))
            }
        }

        #[allow(dead_code)]
        impl $v {
            #[inline(always)]
            pub(crate) fn abs(self) -> Self {
                Self($abs(self.0))
            }
            #[inline(always)]
            pub(crate) fn sqrt(self) -> Self {
                Self($sqrt(self.0))
            }
            #[inline(always)]
            pub(crate) fn floor(self) -> Self {
                Self($floor(self.0))
            }
            #[inline(always)]
            pub(crate) fn ceil(self) -> Self {
                Self($ceil(self.0))
            }
            #[inline(always)]
            pub(crate) fn trunc(self) -> Self {
                Self($trunc(self.0))
            }
            #[inline(always)]
            pub(crate) fn nearest(self) -> Self {
                Self($nearest(self.0))
            }
            #[inline(always)]
            pub(crate) fn less(self, b: Self) -> $m {
                $m($lt(self.0, b.0))
            }
            #[inline(always)]
            pub(crate) fn at_most(self, b: Self) -> $m {
                $m($le(self.0, b.0))
            }
            #[inline(always)]
            pub(crate) fn equal(self, b: Self) -> $m {
                $m($eq(self.0, b.0))
            }
            #[inline(always)]
            pub(crate) fn not_equal(self, b: Self) -> $m {
                $m($ne(self.0, b.0))
            }
            #[inline(always)]
            pub(crate) fn copysign(self, sign: Self) -> Self {
                Self(v128_bitselect(sign.0, self.0, $sign))
            }
        }

        #[allow(dead_code)]
        impl $m {
            #[inline(always)]
            pub(crate) fn select(self, yes: $v, no: $v) -> $v {
                $v(v128_bitselect(yes.0, no.0, self.0))
            }
            #[inline(always)]
            pub(crate) fn any(self) -> bool {
                v128_any_true(self.0)
            }
        }

        impl Not for $m {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                Self(v128_not(self.0))
            }
        }
    };
}
floats!(
    F32x4,
    M32x4,
    f32x4_neg,
    f32x4_abs,
    f32x4_sqrt,
    f32x4_floor,
    f32x4_ceil,
    f32x4_trunc,
    f32x4_nearest,
    f32x4_lt,
    f32x4_le,
    f32x4_eq,
    f32x4_ne,
    i32x4_splat(i32::MIN)
);
floats!(
    F64x2,
    M64x2,
    f64x2_neg,
    f64x2_abs,
    f64x2_sqrt,
    f64x2_floor,
    f64x2_ceil,
    f64x2_trunc,
    f64x2_nearest,
    f64x2_lt,
    f64x2_le,
    f64x2_eq,
    f64x2_ne,
    i64x2_splat(i64::MIN)
);

impl F32x4 {
    #[inline(always)]
    pub(crate) fn constant(of: &'static Splat) -> Self {
        let from: *const v128 = std::ptr::from_ref(of).cast();
        // SAFETY: a static of 16 bytes, aligned to 16. Volatile, or it would be no load.
        Self(unsafe { from.read_volatile() })
    }

    /// The bits of each lane.
    #[inline(always)]
    pub(crate) fn bits(self) -> I32x4 {
        I32x4(self.0)
    }

    /// The lower two lanes and the upper two, widened.
    #[inline(always)]
    pub(crate) fn widen(self) -> [F64x2; 2] {
        [
            F64x2(f64x2_promote_low_f32x4(self.0)),
            F64x2(f64x2_promote_low_f32x4(i64x2_shuffle::<1, 1>(
                self.0, self.0,
            ))),
        ]
    }

    /// The lanes of two vectors, rounded. Of a shuffle that it sees through the compiler makes a conversion of four
    /// lanes, which the machine doesn't have: one by one. So the upper lanes come by a swizzle that it can't know.
    #[inline(always)]
    pub(crate) fn narrow([low, high]: [F64x2; 2]) -> Self {
        static UPPER: v128 = u64x2(u64::MAX, 0x0706_0504_0302_0100);
        // SAFETY: a static. Volatile, or it would be known.
        let upper = unsafe { std::ptr::from_ref(&UPPER).read_volatile() };
        let high = i8x16_swizzle(f32x4_demote_f64x2_zero(high.0), upper);
        Self(v128_or(f32x4_demote_f64x2_zero(low.0), high))
    }

    #[inline(always)]
    pub(crate) fn from_lanes(lanes: [f32; 4]) -> Self {
        Self(f32x4(lanes[0], lanes[1], lanes[2], lanes[3]))
    }

    #[inline(always)]
    pub(crate) fn lanes(self) -> [f32; 4] {
        [
            f32x4_extract_lane::<0>(self.0),
            f32x4_extract_lane::<1>(self.0),
            f32x4_extract_lane::<2>(self.0),
            f32x4_extract_lane::<3>(self.0),
        ]
    }

    /// The lanes of two vectors in turn.
    #[inline(always)]
    pub(crate) fn interleave([a, b]: [Self; 2]) -> [Self; 2] {
        [
            Self(i32x4_shuffle::<0, 4, 1, 5>(a.0, b.0)),
            Self(i32x4_shuffle::<2, 6, 3, 7>(a.0, b.0)),
        ]
    }

    /// Undoes [`Self::interleave`].
    #[inline(always)]
    pub(crate) fn apart([a, b]: [Self; 2]) -> [Self; 2] {
        [
            Self(i32x4_shuffle::<0, 2, 4, 6>(a.0, b.0)),
            Self(i32x4_shuffle::<1, 3, 5, 7>(a.0, b.0)),
        ]
    }

    /// Columns of four vectors become rows.
    #[inline(always)]
    pub(crate) fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let low = |x: Self, y: Self| i32x4_shuffle::<0, 4, 1, 5>(x.0, y.0);
        let high = |x: Self, y: Self| i32x4_shuffle::<2, 6, 3, 7>(x.0, y.0);
        let (ab, cd) = ((low(a, b), high(a, b)), (low(c, d), high(c, d)));
        [
            Self(i64x2_shuffle::<0, 2>(ab.0, cd.0)),
            Self(i64x2_shuffle::<1, 3>(ab.0, cd.0)),
            Self(i64x2_shuffle::<0, 2>(ab.1, cd.1)),
            Self(i64x2_shuffle::<1, 3>(ab.1, cd.1)),
        ]
    }
}

impl F64x2 {
    #[inline(always)]
    pub(crate) fn constant(of: &'static WideSplat) -> Self {
        let from: *const v128 = std::ptr::from_ref(of).cast();
        // SAFETY: a static of 16 bytes, aligned to 16. Volatile, or it would be no load.
        Self(unsafe { from.read_volatile() })
    }

    /// The bits of each lane.
    #[inline(always)]
    pub(crate) fn bits(self) -> I64x2 {
        I64x2(self.0)
    }
}

impl I64x2 {
    #[inline(always)]
    pub(crate) fn shift_left<const BITS: u32>(self) -> Self {
        Self(i64x2_shl(self.0, BITS))
    }
    #[inline(always)]
    pub(crate) fn as_float(self) -> F64x2 {
        F64x2(self.0)
    }
}

impl I32x4 {
    #[inline(always)]
    pub(crate) fn splat(value: i32) -> Self {
        Self(i32x4_splat(value))
    }
    #[inline(always)]
    pub(crate) fn shift_left<const BITS: u32>(self) -> Self {
        Self(i32x4_shl(self.0, BITS))
    }
    /// With the sign.
    #[inline(always)]
    pub(crate) fn shift_right<const BITS: u32>(self) -> Self {
        Self(i32x4_shr(self.0, BITS))
    }
    #[inline(always)]
    pub(crate) fn as_float(self) -> F32x4 {
        F32x4(self.0)
    }
    #[inline(always)]
    pub(crate) fn to_float(self) -> F32x4 {
        F32x4(f32x4_convert_i32x4(self.0))
    }
    /// Which lanes have the bit set.
    #[inline(always)]
    pub(crate) fn has_bit(self, bit: i32) -> M32x4 {
        let bit = i32x4_splat(bit);
        M32x4(i32x4_eq(v128_and(self.0, bit), bit))
    }
}

/// Writes 1 for each lane that is chosen and 0 for the others.
///
/// # Safety
/// `to` must point to 16 writable bytes.
#[inline(always)]
pub(crate) unsafe fn write_bytes([a, b, c, d]: [M32x4; 4], to: *mut u8) {
    let bytes = i8x16_narrow_i16x8(i16x8_narrow_i32x4(a.0, b.0), i16x8_narrow_i32x4(c.0, d.0));
    // SAFETY: the caller's pointer has 16 writable bytes.
    unsafe { v128_store(to.cast(), v128_and(bytes, i8x16_splat(1))) }
}

/// Chooses the lanes whose byte isn't 0.
///
/// # Safety
/// `from` must point to 16 readable bytes.
#[inline(always)]
pub(crate) unsafe fn read_bytes(from: *const u8) -> [M32x4; 4] {
    // SAFETY: the caller's pointer has 16 readable bytes.
    let set = i8x16_ne(unsafe { v128_load(from.cast()) }, i8x16_splat(0));
    let (low, high) = (i16x8_extend_low_i8x16(set), i16x8_extend_high_i8x16(set));
    [
        M32x4(i32x4_extend_low_i16x8(low)),
        M32x4(i32x4_extend_high_i16x8(low)),
        M32x4(i32x4_extend_low_i16x8(high)),
        M32x4(i32x4_extend_high_i16x8(high)),
    ]
}

/// How many of 16 times `groups` bytes aren't 0; at most 255 groups.
///
/// # Safety
/// `from` must point to 16 times `groups` readable bytes.
pub(crate) unsafe fn count_bytes(from: *const u8, groups: usize) -> usize {
    let mut counts = i8x16_splat(0);
    for group in 0..groups {
        // SAFETY: below `groups`.
        let bytes = unsafe { v128_load(from.add(16 * group).cast()) };
        counts = i8x16_sub(counts, i8x16_ne(bytes, i8x16_splat(0)));
    }
    let wide = u32x4_extadd_pairwise_u16x8(u16x8_extadd_pairwise_u8x16(counts));
    let sum = i32x4_extract_lane::<0>(wide)
        + i32x4_extract_lane::<1>(wide)
        + i32x4_extract_lane::<2>(wide)
        + i32x4_extract_lane::<3>(wide);
    sum as usize
}
