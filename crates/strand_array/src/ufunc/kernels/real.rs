//! Operations on f32 and f64, with NumPy's values at every edge.

use crate::kernels::math::Float;

/// f32 and f64, with what NumPy's functions need beyond the engine's own.
pub(in crate::ufunc) trait Real: Float {
    const NAN: Self;
    const LN_2: Self;
    const LOG2_E: Self;
    /// 180 / π.
    const DEGREES: Self;
    /// π / 180.
    const RADIANS: Self;
    /// The smallest positive number.
    const TINY: Self;
    fn to_f64(self) -> f64;
    fn is_nan(self) -> bool;
    fn is_inf(self) -> bool;
    fn is_finite(self) -> bool;
    fn is_negative(self) -> bool;
    /// To the nearest whole number, ties to even.
    fn round(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn sqrt(self) -> Self;
    fn exp2(self) -> Self;
    fn cbrt(self) -> Self;
    fn asinh(self) -> Self;
    fn acosh(self) -> Self;
    fn atanh(self) -> Self;
    fn ldexp(self, by: i32) -> Self;
    fn frexp(self) -> (Self, i32);
    /// The next number in the order of the bits (`true`: away from zero).
    fn step(self, away: bool) -> Self;
}

/// Functions of one operand, by their paths.
macro_rules! unary {
    ($($name:ident => $f:expr),* $(,)?) => {$(
        #[inline(always)]
        fn $name(self) -> Self {
            $f(self)
        }
    )*};
}

macro_rules! real {
    ($t:ident, $($own:ident => $f:path),*; $ldexp:path, $frexp:path) => {
        impl Real for $t {
            const NAN: Self = $t::NAN;
            const LN_2: Self = std::$t::consts::LN_2;
            const LOG2_E: Self = std::$t::consts::LOG2_E;
            const DEGREES: Self = 180.0 / std::$t::consts::PI;
            const RADIANS: Self = std::$t::consts::PI / 180.0;
            const TINY: Self = $t::from_bits(1);
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                $t::is_nan(self)
            }
            #[inline(always)]
            fn is_inf(self) -> bool {
                $t::is_infinite(self)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                $t::is_finite(self)
            }
            #[inline(always)]
            fn is_negative(self) -> bool {
                $t::is_sign_negative(self)
            }
            unary! {
                round => $t::round_ties_even, ceil => $t::ceil, trunc => $t::trunc, sqrt => $t::sqrt,
                $($own => $f),*
            }
            #[inline(always)]
            fn ldexp(self, by: i32) -> Self {
                $ldexp(self, by)
            }
            #[inline(always)]
            fn frexp(self) -> (Self, i32) {
                if self.is_finite() {
                    $frexp(self)
                } else {
                    (self, 0)
                }
            }
            #[inline(always)]
            fn step(self, away: bool) -> Self {
                let bits = self.to_bits();
                $t::from_bits(if away {
                    bits.wrapping_add(1)
                } else {
                    bits.wrapping_sub(1)
                })
            }
        }
    };
}
/// Below its domain the library's function isn't NaN everywhere.
fn acoshf(x: f32) -> f32 {
    if x < 1.0 { f32::NAN } else { libm::acoshf(x) }
}

real!(f32, exp2 => libm::exp2f, cbrt => libm::cbrtf, asinh => libm::asinhf, acosh => acoshf, atanh => libm::atanhf; libm::ldexpf, libm::frexpf);
real!(f64, exp2 => libm::exp2, cbrt => libm::cbrt, asinh => libm::asinh, acosh => libm::acosh, atanh => libm::atanh; libm::ldexp, libm::frexp);

#[inline(always)]
pub(in crate::ufunc) fn negative<F: Real>(x: F) -> F {
    -x
}

/// 1, 0 or -1; NaN of NaN.
#[inline(always)]
pub(in crate::ufunc) fn sign<F: Real>(x: F) -> F {
    if x > F::ZERO {
        F::ONE
    } else if x < F::ZERO {
        -F::ONE
    } else if x == F::ZERO {
        F::ZERO
    } else {
        x
    }
}

#[inline(always)]
pub(in crate::ufunc) fn square<F: Real>(x: F) -> F {
    x.mul(x)
}

#[inline(always)]
pub(in crate::ufunc) fn reciprocal<F: Real>(x: F) -> F {
    F::ONE.div(x)
}

#[inline(always)]
pub(in crate::ufunc) fn degrees<F: Real>(x: F) -> F {
    x.mul(F::DEGREES)
}

#[inline(always)]
pub(in crate::ufunc) fn radians<F: Real>(x: F) -> F {
    x.mul(F::RADIANS)
}

/// The distance to the next number away from zero, with the sign of `x`.
#[inline(always)]
pub(in crate::ufunc) fn spacing<F: Real>(x: F) -> F {
    if !x.is_finite() {
        return F::NAN;
    }
    if x == F::ZERO {
        return F::TINY;
    }
    x.step(true).sub(x)
}

/// The next number from `x` towards `y`.
#[inline(always)]
pub(in crate::ufunc) fn nextafter<F: Real>(x: F, y: F) -> F {
    if x.is_nan() || y.is_nan() {
        return F::NAN;
    }
    if x == y {
        return y;
    }
    if x == F::ZERO {
        return F::TINY.copysign(y);
    }
    x.step((x < y) == (x > F::ZERO))
}

/// The fraction and the whole part, both with the sign of `x`.
#[inline(always)]
pub(in crate::ufunc) fn modf<F: Real>(x: F) -> (F, F) {
    let whole = x.trunc();
    let fraction = if x.is_inf() { F::ZERO } else { x.sub(whole) };
    (fraction.copysign(x), whole)
}

/// `x % y` with the sign of `y`, zeros too.
#[inline(always)]
pub(in crate::ufunc) fn remainder<F: Real>(x: F, y: F) -> F {
    let r = x.fmod(y);
    if y == F::ZERO || r.is_nan() {
        r
    } else if r == F::ZERO {
        F::ZERO.copysign(y)
    } else if (y < F::ZERO) == (r < F::ZERO) {
        r
    } else {
        r.add(y)
    }
}

#[inline(always)]
pub(in crate::ufunc) fn floor_divide<F: Real>(x: F, y: F) -> F {
    divmod(x, y).0
}

/// The quotient rounded down and the remainder that belongs to it.
#[inline(always)]
pub(in crate::ufunc) fn divmod<F: Real>(x: F, y: F) -> (F, F, u8) {
    let r = x.fmod(y);
    if y == F::ZERO {
        return (x.div(y), r, 0);
    }
    let mut quotient = x.sub(r).div(y);
    let rest = if r == F::ZERO {
        F::ZERO.copysign(y)
    } else if (y < F::ZERO) != (r < F::ZERO) {
        quotient = quotient.sub(F::ONE);
        r.add(y)
    } else {
        r
    };
    if quotient == F::ZERO {
        return (F::ZERO.copysign(x.div(y)), rest, 0);
    }
    let floor = quotient.floor();
    let floor = if quotient.sub(floor) > F::from_f64(0.5) {
        floor.add(F::ONE)
    } else {
        floor
    };
    (floor, rest, 0)
}

/// `xʸ`; 1 to any power and any power of 0 are 1.
#[inline(always)]
pub(in crate::ufunc) fn power<F: Real>(x: F, y: F) -> F {
    x.pow(y)
}

/// `x · 2ⁿ`; exponents beyond an i32 saturate.
#[inline(always)]
pub(in crate::ufunc) fn ldexp_long<F: Real>(x: F, n: i64) -> F {
    x.ldexp(n.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32)
}

/// 0, `h` or 1 for `x` below, at and above 0.
#[inline(always)]
pub(in crate::ufunc) fn heaviside<F: Real>(x: F, h: F) -> F {
    if x.is_nan() {
        x
    } else if x == F::ZERO {
        h
    } else if x < F::ZERO {
        F::ZERO
    } else {
        F::ONE
    }
}

/// `log(exp(x) + exp(y))`.
#[inline(always)]
pub(in crate::ufunc) fn logaddexp<F: Real>(x: F, y: F) -> F {
    if x == y {
        // Equal infinities too.
        return x.add(F::LN_2);
    }
    let d = x.sub(y);
    if d > F::ZERO {
        x.add((-d).exp().log1p())
    } else if d <= F::ZERO {
        y.add(d.exp().log1p())
    } else {
        d
    }
}

/// `log2(2**x + 2**y)`.
#[inline(always)]
pub(in crate::ufunc) fn logaddexp2<F: Real>(x: F, y: F) -> F {
    if x == y {
        return x.add(F::ONE);
    }
    let d = x.sub(y);
    if d > F::ZERO {
        x.add(F::LOG2_E.mul((-d).exp2().log1p()))
    } else if d <= F::ZERO {
        y.add(F::LOG2_E.mul(d.exp2().log1p()))
    } else {
        d
    }
}

/// NaN if either is.
#[inline(always)]
pub(in crate::ufunc) fn maximum<F: Real>(a: F, b: F) -> F {
    if (a >= b) | a.is_nan() { a } else { b }
}

/// NaN if either is.
#[inline(always)]
pub(in crate::ufunc) fn minimum<F: Real>(a: F, b: F) -> F {
    if (a <= b) | a.is_nan() { a } else { b }
}

/// The other if one is NaN.
#[inline(always)]
pub(in crate::ufunc) fn fmax<F: Real>(a: F, b: F) -> F {
    if (a >= b) | b.is_nan() { a } else { b }
}

/// The other if one is NaN.
#[inline(always)]
pub(in crate::ufunc) fn fmin<F: Real>(a: F, b: F) -> F {
    if (a <= b) | b.is_nan() { a } else { b }
}

/// NumPy's order of addition: eight running sums over runs of at most 128, joined in pairs.
///
/// # Safety
/// `x + k * step` for k < n is valid for a read of one `F`.
pub(in crate::ufunc) unsafe fn pairwise<F: Real>(
    x: *const u8,
    step: isize,
    n: usize,
    load: &impl Fn(*const u8) -> F,
) -> F {
    let at = |k: usize| load(x.wrapping_offset(k as isize * step));
    if n < 8 {
        // Starting at -0 keeps the sign of a sum of negative zeros.
        return (0..n).fold(-F::ZERO, |sum, k| sum.add(at(k)));
    }
    if n > 128 {
        let half = n / 2 / 8 * 8;
        // SAFETY: both parts lie within the n elements that the caller vouches for.
        return unsafe {
            let low = pairwise(x, step, half, load);
            low.add(pairwise(
                x.offset(half as isize * step),
                step,
                n - half,
                load,
            ))
        };
    }
    let mut r: [F; 8] = std::array::from_fn(at);
    let whole = n - n % 8;
    for i in (8..whole).step_by(8) {
        for (k, sum) in r.iter_mut().enumerate() {
            *sum = sum.add(at(i + k));
        }
    }
    let low = r[0].add(r[1]).add(r[2].add(r[3]));
    let high = r[4].add(r[5]).add(r[6].add(r[7]));
    (whole..n).fold(low.add(high), |sum, k| sum.add(at(k)))
}

/// NumPy's order of addition of complex numbers, which is that of their parts: four running sums of
/// each over runs of at most 64.
///
/// # Safety
/// `x + k * step` for k < n is valid for a read of two `F`.
pub(in crate::ufunc) unsafe fn pairwise_complex<F: Real>(
    x: *const u8,
    step: isize,
    n: usize,
) -> (F, F) {
    let at = |k: usize| {
        let part = x.wrapping_offset(k as isize * step).cast::<F>();
        // SAFETY: the caller vouches for both parts of element k.
        unsafe { (part.read_unaligned(), part.add(1).read_unaligned()) }
    };
    let add = |a: (F, F), b: (F, F)| (a.0.add(b.0), a.1.add(b.1));
    if n < 4 {
        return (0..n).fold((-F::ZERO, -F::ZERO), |sum, k| add(sum, at(k)));
    }
    if n > 64 {
        // In parts, as NumPy counts them: half of the 2n parts, down to a multiple of 8.
        let half = n / 8 * 4;
        // SAFETY: both halves lie within the n elements that the caller vouches for.
        return unsafe {
            let low = pairwise_complex(x, step, half);
            add(
                low,
                pairwise_complex(x.offset(half as isize * step), step, n - half),
            )
        };
    }
    let mut r: [(F, F); 4] = std::array::from_fn(at);
    let whole = n - n % 4;
    for i in (4..whole).step_by(4) {
        for (k, sum) in r.iter_mut().enumerate() {
            *sum = add(*sum, at(i + k));
        }
    }
    let total = add(add(r[0], r[1]), add(r[2], r[3]));
    (whole..n).fold(total, |sum, k| add(sum, at(k)))
}
