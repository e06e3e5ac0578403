//! Mathematics of single elements, with the same bits on every target.
//!
//! The f32 functions that programs use most are those of vectors; the rest is the `libm` crate's.
//! Only operations that IEEE 754 rounds exactly are used, and no fused multiply-add.

use super::simd::{F32x4, Vector};
use super::vector_math as vector;
use super::vector_math::single;

/// A floating-point type with the functions that the engine has for it.
pub(crate) trait Float: super::span::Lane + std::ops::Neg<Output = Self> {
    const ZERO: Self;
    const ONE: Self;
    fn from_f64(v: f64) -> Self;
    fn abs(self) -> Self;
    fn copysign(self, sign: Self) -> Self;
    fn floor(self) -> Self;
    fn exp(self) -> Self;
    fn expm1(self) -> Self;
    fn log(self) -> Self;
    fn log1p(self) -> Self;
    fn log2(self) -> Self;
    fn log10(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn tan(self) -> Self;
    fn asin(self) -> Self;
    fn acos(self) -> Self;
    fn atan(self) -> Self;
    fn sinh(self) -> Self;
    fn cosh(self) -> Self;
    fn tanh(self) -> Self;
    fn erf(self) -> Self;
    fn sigmoid(self) -> Self;
    fn softplus(self) -> Self;
    fn pow(self, y: Self) -> Self;
    fn atan2(self, x: Self) -> Self;
    fn hypot(self, y: Self) -> Self;
    fn add(self, y: Self) -> Self;
    fn sub(self, y: Self) -> Self;
    fn mul(self, y: Self) -> Self;
    fn div(self, y: Self) -> Self;
    fn fmod(self, y: Self) -> Self;

    /// `a % b` with the sign of `b`.
    #[inline(always)]
    fn remainder(self, b: Self) -> Self {
        let r = self.fmod(b);
        if r != Self::ZERO && (b < Self::ZERO) != (r < Self::ZERO) {
            r.add(b)
        } else {
            r
        }
    }

    /// `a // b`, made from the exact remainder so that it agrees with `remainder`.
    #[inline(always)]
    fn floor_div(self, b: Self) -> Self {
        if b == Self::ZERO {
            return self.div(b);
        }
        let r = self.fmod(b);
        let mut quotient = self.sub(r).div(b);
        if r != Self::ZERO && (b < Self::ZERO) != (r < Self::ZERO) {
            quotient = quotient.sub(Self::ONE);
        }
        if quotient == Self::ZERO {
            return Self::ZERO.copysign(self.div(b));
        }
        let floor = quotient.floor();
        if quotient.sub(floor) > Self::from_f64(0.5) {
            floor.add(Self::ONE)
        } else {
            floor
        }
    }
}

macro_rules! common_float {
    ($t:ty) => {
        const ZERO: Self = 0.0;
        const ONE: Self = 1.0;
        #[inline(always)]
        fn from_f64(v: f64) -> Self {
            v as $t
        }
        #[inline(always)]
        fn abs(self) -> Self {
            <$t>::abs(self)
        }
        #[inline(always)]
        fn copysign(self, sign: Self) -> Self {
            <$t>::copysign(self, sign)
        }
        #[inline(always)]
        fn floor(self) -> Self {
            <$t>::floor(self)
        }
        #[inline(always)]
        fn add(self, y: Self) -> Self {
            self + y
        }
        #[inline(always)]
        fn sub(self, y: Self) -> Self {
            self - y
        }
        #[inline(always)]
        fn mul(self, y: Self) -> Self {
            self * y
        }
        #[inline(always)]
        fn div(self, y: Self) -> Self {
            self / y
        }
        #[inline(always)]
        fn fmod(self, y: Self) -> Self {
            self % y
        }
    };
}

macro_rules! from_libm {
    ($($name:ident => $f:path),*) => {$(
        #[inline(always)]
        fn $name(self) -> Self {
            $f(self)
        }
    )*};
}

macro_rules! from_vectors {
    ($($name:ident),*) => {$(
        #[inline(always)]
        fn $name(self) -> Self {
            single(vector::$name, self)
        }
    )*};
}

macro_rules! from_libm_pair {
    ($($name:ident => $f:path),*) => {$(
        #[inline(always)]
        fn $name(self, y: Self) -> Self {
            $f(self, y)
        }
    )*};
}

impl Float for f32 {
    common_float!(f32);
    from_vectors!(exp, log, tanh, erf, sigmoid, softplus, sin, cos);
    from_libm!(
        expm1 => libm::expm1f, log1p => libm::log1pf, log2 => libm::log2f, log10 => libm::log10f,
        tan => libm::tanf, asin => libm::asinf,
        acos => libm::acosf, atan => libm::atanf, sinh => libm::sinhf, cosh => libm::coshf);
    from_libm_pair!(atan2 => libm::atan2f, hypot => libm::hypotf);

    #[inline(always)]
    fn pow(self, y: Self) -> Self {
        single(|x| vector::pow(x, F32x4::splat(y)), self)
    }
}

impl Float for f64 {
    common_float!(f64);
    from_libm!(exp => libm::exp, log => libm::log, tanh => libm::tanh, erf => libm::erf,
        expm1 => libm::expm1, log1p => libm::log1p, log2 => libm::log2, log10 => libm::log10,
        sin => libm::sin, cos => libm::cos, tan => libm::tan, asin => libm::asin,
        acos => libm::acos, atan => libm::atan, sinh => libm::sinh, cosh => libm::cosh);
    from_libm_pair!(pow => libm::pow, atan2 => libm::atan2, hypot => libm::hypot);

    #[inline(always)]
    fn sigmoid(self) -> Self {
        1.0 / (1.0 + libm::exp(-self))
    }

    #[inline(always)]
    fn softplus(self) -> Self {
        if self > 20.0 {
            self
        } else {
            libm::log1p(libm::exp(self))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units in the last place between an f32 and the exact value.
    fn ulps(found: f32, exact: f64) -> f64 {
        if f64::from(found) == exact || (found.is_nan() && exact.is_nan()) {
            return 0.0;
        }
        let near = exact as f32;
        if near.is_infinite() || found.is_infinite() {
            return if near == found { 0.0 } else { f64::INFINITY };
        }
        let unit = f64::from(f32::from_bits((near.abs().to_bits()) + 1)) - f64::from(near.abs());
        (f64::from(found) - exact).abs() / unit
    }

    fn worst(found: impl Fn(f32) -> f32, exact: impl Fn(f64) -> f64) -> (f64, f32) {
        let mut worst = (0.0, 0.0);
        // Every 32,771st pattern covers all exponents and both signs.
        for bits in (0..=u32::MAX).step_by(if cfg!(miri) { 32771 * 12000 } else { 32771 }) {
            let x = f32::from_bits(bits);
            let (found, exact) = (found(x), exact(f64::from(x)));
            // A sigmoid this small is 0, as PyTorch's is: its exponential is infinite.
            if found == 0.0 && exact.abs() < f64::from(f32::MIN_POSITIVE) {
                continue;
            }
            let error = ulps(found, exact);
            if error > worst.0 || error.is_nan() {
                worst = (error, x);
            }
        }
        worst
    }

    #[test]
    fn powers_are_within_one_ulp() {
        let some = |count: u32| (0..count).map(move |i| f32::from_bits(u32::MAX / count * i));
        let exponents = [
            0.0,
            1.0,
            -1.0,
            2.5,
            -3.0,
            0.1,
            1e-3,
            7.0,
            33.3,
            -120.0,
            1e30,
            f32::INFINITY,
        ];
        for x in some(if cfg!(miri) { 2 } else { 5000 }).chain([0.5, 1.0, 1.000001, 0.9999999, 2.0])
        {
            for y in exponents
                .into_iter()
                .step_by(if cfg!(miri) { 3 } else { 1 })
            {
                let error = ulps(x.pow(y), libm::pow(f64::from(x), f64::from(y)));
                assert!(error <= 1.0, "{x:e} ** {y:e} is {error} ulps off");
            }
        }
    }

    #[test]
    fn f32_functions_are_within_two_ulps_of_the_exact_values() {
        type Case = (&'static str, fn(f32) -> f32, fn(f64) -> f64, f64);
        let cases: [Case; 8] = [
            ("exp", Float::exp, libm::exp, 1.0),
            ("log", Float::log, libm::log, 1.0),
            ("tanh", Float::tanh, libm::tanh, 2.0),
            ("erf", Float::erf, libm::erf, 1.5),
            ("sin", Float::sin, libm::sin, 2.0),
            ("cos", Float::cos, libm::cos, 2.0),
            (
                "sigmoid",
                Float::sigmoid,
                |x| 1.0 / (1.0 + libm::exp(-x)),
                2.0,
            ),
            (
                "softplus",
                Float::softplus,
                |x| {
                    if x > 20.0 {
                        x
                    } else {
                        libm::log1p(libm::exp(x))
                    }
                },
                2.0,
            ),
        ];
        for (name, found, exact, limit) in cases {
            let (error, at) = worst(found, exact);
            assert!(error <= limit, "{name}({at:e}) is {error} ulps off");
        }
    }
}
