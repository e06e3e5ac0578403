//! Operations on whole numbers. Arithmetic wraps; what NumPy leaves to the machine is fixed here.

use crate::ufunc::found::{DIVIDE, NEGATIVE_POWER, OVER};

/// The integer types of arrays.
pub(in crate::ufunc) trait Int: Copy + Ord + 'static {
    const ZERO: Self;
    const ONE: Self;
    const MIN: Self;
    /// Whether negative values exist.
    const SIGNED: bool;
    fn add(self, y: Self) -> Self;
    fn sub(self, y: Self) -> Self;
    fn mul(self, y: Self) -> Self;
    /// Truncating; the divisor isn't 0.
    fn quotient(self, y: Self) -> Self;
    /// With the sign of `self`; the divisor isn't 0.
    fn rest(self, y: Self) -> Self;
    fn and(self, y: Self) -> Self;
    fn or(self, y: Self) -> Self;
    fn xor(self, y: Self) -> Self;
    fn not(self) -> Self;
    fn shl(self, by: u32) -> Self;
    fn shr(self, by: u32) -> Self;
    fn neg(self) -> Self;
    /// The magnitude, wrapped into the type.
    fn abs(self) -> Self;
    /// The number of ones in the magnitude.
    fn ones(self) -> u8;
    /// As a shift count: `None` if negative or at least the width.
    fn count(self) -> Option<u32>;
}

macro_rules! int {
    ($($t:ident $u:ident $signed:literal $abs:expr;)*) => {$(
        impl Int for $t {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const MIN: Self = $t::MIN;
            const SIGNED: bool = $signed;
            #[inline(always)]
            fn add(self, y: Self) -> Self { self.wrapping_add(y) }
            #[inline(always)]
            fn sub(self, y: Self) -> Self { self.wrapping_sub(y) }
            #[inline(always)]
            fn mul(self, y: Self) -> Self { self.wrapping_mul(y) }
            #[inline(always)]
            fn quotient(self, y: Self) -> Self { self.wrapping_div(y) }
            #[inline(always)]
            fn rest(self, y: Self) -> Self { self.wrapping_rem(y) }
            #[inline(always)]
            fn and(self, y: Self) -> Self { self & y }
            #[inline(always)]
            fn or(self, y: Self) -> Self { self | y }
            #[inline(always)]
            fn xor(self, y: Self) -> Self { self ^ y }
            #[inline(always)]
            fn not(self) -> Self { !self }
            #[inline(always)]
            fn shl(self, by: u32) -> Self { self.wrapping_shl(by) }
            #[inline(always)]
            fn shr(self, by: u32) -> Self { self.wrapping_shr(by) }
            #[inline(always)]
            fn neg(self) -> Self { self.wrapping_neg() }
            #[inline(always)]
            fn abs(self) -> Self { $abs(self) }
            #[inline(always)]
            fn ones(self) -> u8 { ($abs(self) as $u).count_ones() as u8 }
            #[inline(always)]
            fn count(self) -> Option<u32> {
                u32::try_from(self).ok().filter(|by| *by < Self::BITS)
            }
        }
    )*};
}
int! {
    i8 u8 true i8::wrapping_abs;
    u8 u8 false |x: u8| x;
    i16 u16 true i16::wrapping_abs;
    u16 u16 false |x: u16| x;
    i32 u32 true i32::wrapping_abs;
    u32 u32 false |x: u32| x;
    i64 u64 true i64::wrapping_abs;
    u64 u64 false |x: u64| x;
}

#[inline(always)]
pub(in crate::ufunc) fn same<T>(x: T) -> T {
    x
}

#[inline(always)]
pub(in crate::ufunc) fn sign<T: Int>(x: T) -> T {
    if x > T::ZERO {
        T::ONE
    } else if x < T::ZERO {
        T::ONE.neg()
    } else {
        T::ZERO
    }
}

#[inline(always)]
pub(in crate::ufunc) fn square<T: Int>(x: T) -> T {
    x.mul(x)
}

/// The quotient rounded down: 0 of a division by 0, `MIN` of `MIN // -1`.
#[inline(always)]
pub(in crate::ufunc) fn floor_divide<T: Int>(x: T, y: T) -> (T, u8) {
    let (q, _, found) = divmod(x, y);
    (q, found)
}

/// `x % y` with the sign of `y`; 0 for y = 0.
#[inline(always)]
pub(in crate::ufunc) fn remainder<T: Int>(x: T, y: T) -> (T, u8) {
    let (_, r, found) = divmod(x, y);
    (r, found & DIVIDE)
}

#[inline(always)]
pub(in crate::ufunc) fn divmod<T: Int>(x: T, y: T) -> (T, T, u8) {
    if y == T::ZERO {
        return (T::ZERO, T::ZERO, DIVIDE);
    }
    if T::SIGNED && x == T::MIN && y == T::ONE.neg() {
        return (T::MIN, T::ZERO, OVER);
    }
    let (q, r) = (x.quotient(y), x.rest(y));
    if T::SIGNED && r != T::ZERO && (r < T::ZERO) != (y < T::ZERO) {
        (q.sub(T::ONE), r.add(y), 0)
    } else {
        (q, r, 0)
    }
}

/// `x % y` with the sign of `x`; 0 for y = 0.
#[inline(always)]
pub(in crate::ufunc) fn fmod<T: Int>(x: T, y: T) -> (T, u8) {
    if y == T::ZERO {
        (T::ZERO, DIVIDE)
    } else {
        (x.rest(y), 0)
    }
}

#[inline(always)]
pub(in crate::ufunc) fn reciprocal<T: Int>(x: T) -> (T, u8) {
    if x == T::ZERO {
        (T::ZERO, DIVIDE)
    } else {
        (T::ONE.quotient(x), 0)
    }
}

/// By squaring; a negative exponent is a value error of the call.
#[inline(always)]
pub(in crate::ufunc) fn power<T: Int>(x: T, y: T) -> (T, u8) {
    if y < T::ZERO {
        return (T::ZERO, NEGATIVE_POWER);
    }
    let (mut base, mut left, mut result) = (x, y, T::ONE);
    while left != T::ZERO {
        if left.and(T::ONE) == T::ONE {
            result = result.mul(base);
        }
        base = base.mul(base);
        left = left.shr(1);
    }
    (result, 0)
}

#[inline(always)]
pub(in crate::ufunc) fn left_shift<T: Int>(x: T, y: T) -> T {
    y.count().map_or(T::ZERO, |by| x.shl(by))
}

#[inline(always)]
pub(in crate::ufunc) fn right_shift<T: Int>(x: T, y: T) -> T {
    match y.count() {
        Some(by) => x.shr(by),
        None if x < T::ZERO => T::ZERO.not(),
        None => T::ZERO,
    }
}

#[inline(always)]
pub(in crate::ufunc) fn gcd<T: Int>(x: T, y: T) -> T {
    // On magnitudes modulo 2ⁿ: only MIN stays negative, and its remainders are right up to sign.
    let (mut a, mut b) = (x.abs(), y.abs());
    while b != T::ZERO {
        let r = a.rest(b);
        a = b;
        b = r;
    }
    a.abs()
}

#[inline(always)]
pub(in crate::ufunc) fn lcm<T: Int>(x: T, y: T) -> T {
    let g = gcd(x, y);
    if g == T::ZERO {
        T::ZERO
    } else {
        // The magnitude of MIN lies in the type as a negative number.
        let part = x.abs().quotient(g);
        let part = if part < T::ZERO { part.neg() } else { part };
        part.mul(y.abs())
    }
}

/// 0 below 0.
#[inline(always)]
pub(in crate::ufunc) fn positive_part<T: Int>(x: T) -> T {
    x.max(T::ZERO)
}
