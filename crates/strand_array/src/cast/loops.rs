//! Casting loops over contiguous elements in the machine's byte order.
//!
//! Readers widen to one of four types, exactly; writers narrow from one. A pair of them makes
//! each cast, and rounding happens once.

use crate::dtype::{DType, float_to_i64};
use crate::found::Found;
use crate::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f64_to_f16};

/// The four types between reading and writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mid {
    I64,
    U64,
    F64,
    C128,
}

impl Mid {
    /// The type that `dtype` widens to without loss; none if it isn't numeric.
    pub(super) fn of(dtype: DType) -> Option<Self> {
        Some(match dtype {
            DType::U64 => Self::U64,
            d if d == DType::Bool || d.is_integer() => Self::I64,
            d if d.is_float() => Self::F64,
            d if d.is_complex() => Self::C128,
            _ => return None,
        })
    }
}

impl Mid {
    /// Whether elements of `dtype` are of the middle type as they are. Signed and unsigned integers of
    /// 64 bits share their writers to integers, but not to floats.
    pub(super) fn is(self, dtype: DType) -> bool {
        match self {
            Self::I64 => dtype == DType::I64,
            Self::U64 => dtype == DType::U64,
            Self::F64 => dtype == DType::F64,
            Self::C128 => dtype == DType::C128,
        }
    }
}

/// A loop: source, destination, count.
pub(super) type Loop = unsafe fn(*const u8, *mut u8, usize) -> Found;

/// Maps `n` contiguous items.
///
/// # Safety
/// `src` is readable for `n` items of `A` and `dst` writable for `n` of `B`; the two are apart, or
/// start at one address with items of equal size.
#[inline(always)]
unsafe fn map<A: Copy, B: Copy>(src: *const u8, dst: *mut u8, n: usize, mut f: impl FnMut(A) -> B) {
    for i in 0..n {
        // SAFETY: `i` is below `n`.
        unsafe {
            let value = src.cast::<A>().add(i).read_unaligned();
            dst.cast::<B>().add(i).write_unaligned(f(value));
        }
    }
}

/// Loops that find nothing.
macro_rules! quiet {
    ($($name:ident: $a:ty => $b:ty, $f:expr;)*) => {$(
        unsafe fn $name(src: *const u8, dst: *mut u8, n: usize) -> Found {
            // SAFETY: the caller vouches for `n` items on both sides.
            unsafe { map::<$a, $b>(src, dst, n, $f) }
            Found::NONE
        }
    )*};
}

quiet! {
    read_bool: u8 => i64, |v| i64::from(v != 0);
    read_i8: i8 => i64, i64::from;
    read_u8: u8 => i64, i64::from;
    read_i16: i16 => i64, i64::from;
    read_u16: u16 => i64, i64::from;
    read_i32: i32 => i64, i64::from;
    read_u32: u32 => i64, i64::from;
    read_64: u64 => u64, |v| v;
    read_f16: u16 => f64, |v| f64::from(f16_to_f32(v));
    read_bf16: u16 => f64, |v| f64::from(bf16_to_f32(v));
    read_f32: f32 => f64, f64::from;
    read_c64: [f32; 2] => [f64; 2], |v: [f32; 2]| v.map(f64::from);
    read_c128: [f64; 2] => [f64; 2], |v| v;
    real: [f64; 2] => f64, |v: [f64; 2]| v[0];
    int_bool: i64 => u8, |v| u8::from(v != 0);
    int_8: i64 => u8, |v| v as u8;
    int_16: i64 => u16, |v| v as u16;
    int_32: i64 => u32, |v| v as u32;
    int_f32: i64 => f32, |v| v as f32;
    int_f64: i64 => f64, |v| v as f64;
    int_c64: i64 => [f32; 2], |v| [v as f32, 0.0];
    int_c128: i64 => [f64; 2], |v| [v as f64, 0.0];
    int_bf16: i64 => u16, |v| f32_to_bf16(v as f32);
    uint_f32: u64 => f32, |v| v as f32;
    uint_f64: u64 => f64, |v| v as f64;
    uint_c64: u64 => [f32; 2], |v| [v as f32, 0.0];
    uint_c128: u64 => [f64; 2], |v| [v as f64, 0.0];
    uint_bf16: u64 => u16, |v| f32_to_bf16(v as f32);
    float_bool: f64 => u8, |v| u8::from(v != 0.0);
    float_c128: f64 => [f64; 2], |v| [v, 0.0];
    complex_bool: [f64; 2] => u8, |v: [f64; 2]| u8::from(v[0] != 0.0 || v[1] != 0.0);
}

/// What rounding `from` to `to` (given exactly) with least normal number `least` brings.
#[inline(always)]
fn rounding(from: f64, to: f64, least: f64) -> (bool, bool) {
    let over = to.is_infinite() && from.is_finite();
    let under = to.abs() < least && to != from && !from.is_nan();
    (over, under)
}

const LEAST_F16: f64 = 6.103_515_625e-5;
const LEAST_F32: f64 = f32::MIN_POSITIVE as f64;

/// Loops that narrow a float and look for overflow and underflow.
macro_rules! narrowing {
    ($($name:ident: $a:ty => $b:ty, $least:expr, $wide:expr, $to:expr, $back:expr, $make:expr;)*) => {$(
        unsafe fn $name(src: *const u8, dst: *mut u8, n: usize) -> Found {
            let (mut over, mut under) = (false, false);
            // SAFETY: the caller vouches for `n` items on both sides.
            unsafe {
                map::<$a, $b>(src, dst, n, |v| {
                    let mut one = |v: f64| {
                        let to = $to(v);
                        let (o, u) = rounding(v, $back(to), $least);
                        over |= o;
                        under |= u;
                        to
                    };
                    $make($wide(v), &mut one)
                });
            }
            Found::OVERFLOW.when(over) | Found::UNDERFLOW.when(under)
        }
    )*};
}

narrowing! {
    int_f16: i64 => u16, LEAST_F16, |v| v as f64, f64_to_f16, wide_f16,
        |v, one: &mut dyn FnMut(f64) -> u16| one(v);
    uint_f16: u64 => u16, LEAST_F16, |v| v as f64, f64_to_f16, wide_f16,
        |v, one: &mut dyn FnMut(f64) -> u16| one(v);
    float_f16: f64 => u16, LEAST_F16, |v| v, f64_to_f16, wide_f16,
        |v, one: &mut dyn FnMut(f64) -> u16| one(v);
    float_bf16: f64 => u16, LEAST_F32, |v| v, |v| f32_to_bf16(v as f32), wide_bf16,
        |v, one: &mut dyn FnMut(f64) -> u16| one(v);
    float_f32: f64 => f32, LEAST_F32, |v| v, |v| v as f32, f64::from,
        |v, one: &mut dyn FnMut(f64) -> f32| one(v);
    float_c64: f64 => [f32; 2], LEAST_F32, |v| v, |v| v as f32, f64::from,
        |v, one: &mut dyn FnMut(f64) -> f32| [one(v), 0.0];
    complex_c64: [f64; 2] => [f32; 2], LEAST_F32, |v| v, |v| v as f32, f64::from,
        |v: [f64; 2], one: &mut dyn FnMut(f64) -> f32| v.map(one);
}

#[inline(always)]
fn wide_f16(bits: u16) -> f64 {
    f64::from(f16_to_f32(bits))
}

#[inline(always)]
fn wide_bf16(bits: u16) -> f64 {
    f64::from(bf16_to_f32(bits))
}

/// Loops from float to integer: truncated and saturated at 64 bits, then wrapped.
macro_rules! to_int {
    ($($name:ident: $t:ty, $b:ty;)*) => {$(
        unsafe fn $name(src: *const u8, dst: *mut u8, n: usize) -> Found {
            let mut outside = false;
            // SAFETY: the caller vouches for `n` items on both sides.
            unsafe {
                map::<f64, $b>(src, dst, n, |v| {
                    let whole = v.trunc();
                    let past = <$t>::MAX as f64 + if <$t>::MAX as u64 >> 53 == 0 { 1.0 } else { 0.0 };
                    outside |= !(whole >= <$t>::MIN as f64 && whole < past);
                    if <$t>::MAX as u64 == u64::MAX && whole > 0.0 {
                        v as u64 as $b
                    } else {
                        float_to_i64(v) as $b
                    }
                });
            }
            Found::INVALID.when(outside)
        }
    )*};
}

to_int! {
    float_i8: i8, u8;
    float_u8: u8, u8;
    float_i16: i16, u16;
    float_u16: u16, u16;
    float_i32: i32, u32;
    float_u32: u32, u32;
    float_i64: i64, u64;
    float_u64: u64, u64;
}

quiet! {
    bool_f32: u8 => f32, |v| f32::from(u8::from(v != 0));
    u8_f32: u8 => f32, f32::from;
    i32_f32: i32 => f32, |v| v as f32;
    f16_f32: u16 => f32, f16_to_f32;
    bf16_f32: u16 => f32, bf16_to_f32;
}

narrowing! {
    f32_f16: f32 => u16, LEAST_F16, f64::from, f64_to_f16, wide_f16,
        |v, one: &mut dyn FnMut(f64) -> u16| one(v);
    f32_bf16: f32 => u16, LEAST_F32, f64::from, |v| f32_to_bf16(v as f32), wide_bf16,
        |v, one: &mut dyn FnMut(f64) -> u16| one(v);
}

/// The loop of a pair that is common and has neither side as a middle type.
pub(super) fn direct(from: DType, to: DType) -> Option<Loop> {
    Some(match (from, to) {
        (DType::Bool, DType::F32) => bool_f32,
        (DType::U8, DType::F32) => u8_f32,
        (DType::I32, DType::F32) => i32_f32,
        (DType::F16, DType::F32) => f16_f32,
        (DType::BF16, DType::F32) => bf16_f32,
        (DType::F32, DType::F16) => f32_f16,
        (DType::F32, DType::BF16) => f32_bf16,
        _ => return None,
    })
}

/// The loop that widens a numeric type.
pub(super) fn reader(dtype: DType) -> Option<Loop> {
    Some(match dtype {
        DType::Bool => read_bool,
        DType::I8 => read_i8,
        DType::U8 => read_u8,
        DType::I16 => read_i16,
        DType::U16 => read_u16,
        DType::I32 => read_i32,
        DType::U32 => read_u32,
        DType::I64 | DType::U64 | DType::F64 => read_64,
        DType::F16 => read_f16,
        DType::BF16 => read_bf16,
        DType::F32 => read_f32,
        DType::C64 => read_c64,
        DType::C128 => read_c128,
        DType::Void | DType::Object | DType::User(_) => return None,
    })
}

/// The loop that narrows to a numeric type. Complex goes to the real types by way of [`real_part`].
pub(super) fn writer(from: Mid, dtype: DType) -> Option<Loop> {
    use DType as D;
    Some(match (from, dtype) {
        (Mid::I64 | Mid::U64, D::Bool) => int_bool,
        (Mid::I64 | Mid::U64, D::I8 | D::U8) => int_8,
        (Mid::I64 | Mid::U64, D::I16 | D::U16) => int_16,
        (Mid::I64 | Mid::U64, D::I32 | D::U32) => int_32,
        (Mid::I64 | Mid::U64, D::I64 | D::U64) | (Mid::F64, D::F64) => read_64,
        (Mid::I64, D::F16) => int_f16,
        (Mid::I64, D::BF16) => int_bf16,
        (Mid::I64, D::F32) => int_f32,
        (Mid::I64, D::F64) => int_f64,
        (Mid::I64, D::C64) => int_c64,
        (Mid::I64, D::C128) => int_c128,
        (Mid::U64, D::F16) => uint_f16,
        (Mid::U64, D::BF16) => uint_bf16,
        (Mid::U64, D::F32) => uint_f32,
        (Mid::U64, D::F64) => uint_f64,
        (Mid::U64, D::C64) => uint_c64,
        (Mid::U64, D::C128) => uint_c128,
        (Mid::F64, D::Bool) => float_bool,
        (Mid::F64, D::I8) => float_i8,
        (Mid::F64, D::U8) => float_u8,
        (Mid::F64, D::I16) => float_i16,
        (Mid::F64, D::U16) => float_u16,
        (Mid::F64, D::I32) => float_i32,
        (Mid::F64, D::U32) => float_u32,
        (Mid::F64, D::I64) => float_i64,
        (Mid::F64, D::U64) => float_u64,
        (Mid::F64, D::F16) => float_f16,
        (Mid::F64, D::BF16) => float_bf16,
        (Mid::F64, D::F32) => float_f32,
        (Mid::F64, D::C64) => float_c64,
        (Mid::F64, D::C128) => float_c128,
        (Mid::C128, D::Bool) => complex_bool,
        (Mid::C128, D::C64) => complex_c64,
        (Mid::C128, D::C128) => read_c128,
        _ => return None,
    })
}

/// The real parts of `C128` items, packed in place.
pub(super) const REAL_PART: Loop = real;
