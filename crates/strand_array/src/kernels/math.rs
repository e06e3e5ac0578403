//! Mathematics of single elements, with the same bits on every target.
//!
//! The f32 functions that programs use most (exp, log, tanh, erf and what is made of them) are
//! branch-free polynomials, so that a loop over them vectorises; the rest is the `libm` crate's.
//! Only operations that IEEE 754 rounds exactly are used, and no fused multiply-add.

// The coefficients are minimax-like fits that are rounded to f32 one after another; printed in
// their shortest decimal form.
const EXP: [f32; 5] = [0.5, 0.16666503, 0.041666437, 0.008370629, 0.001393776];
const LOG: [f32; 9] = [
    0.3333331,
    -0.25,
    0.20002241,
    -0.16668555,
    0.14217648,
    -0.12395288,
    0.11891852,
    -0.11736028,
    0.06809946,
];
const TANH: [f32; 5] = [
    -0.3333327,
    0.13331081,
    -0.053709093,
    0.02053767,
    -0.005590202,
];
const ERF: [f32; 7] = [
    0.12837917,
    -0.3761263,
    0.11283618,
    -0.026855124,
    0.005190726,
    -0.0008030654,
    7.919902e-5,
];
/// `-log(erfc(t))` for t from 0.95 to 3.95.
const ERFC_LOG: [f32; 9] = [
    -0.0001845786,
    1.1295623,
    0.6332518,
    0.10838405,
    -0.025186006,
    0.004195934,
    -0.0004394165,
    2.1473916e-5,
    7.692683e-9,
];
/// ln 2 in two parts; a multiple of the first by up to 150 is exact.
const LN2_HIGH: f32 = 0.693_145_75;
const LN2_LOW: f32 = 1.428_606_8e-6;
/// Adding and subtracting this rounds a small number to a whole one.
const ROUNDER: f32 = 12_582_912.0;

#[inline(always)]
fn polynomial<const N: usize>(c: &[f32; N], x: f32) -> f32 {
    let mut sum = c[N - 1];
    let mut i = N - 1;
    while i > 0 {
        i -= 1;
        sum = sum * x + c[i];
    }
    sum
}

#[inline(always)]
pub(super) fn exp_f32(x: f32) -> f32 {
    // Beyond these the result is infinite or 0 in any case. NaN passes.
    let x = if x > 89.0 { 89.0 } else { x };
    let x = if x < -104.0 { -104.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUNDER;
    let n = shifted - ROUNDER;
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    let p = 1.0 + (r + r * r * polynomial(&EXP, r));
    // 2ⁿ in two factors, so that subnormal results round once.
    let k = (shifted.to_bits() as i32).wrapping_sub(ROUNDER.to_bits() as i32);
    let half = k >> 1;
    let power = |k: i32| f32::from_bits((k.wrapping_add(127) as u32) << 23);
    p * power(half) * power(k.wrapping_sub(half))
}

#[inline(always)]
pub(super) fn log_f32(x: f32) -> f32 {
    let tiny = x < f32::MIN_POSITIVE;
    let y = if tiny { x * 8_388_608.0 } else { x };
    // x = m · 2ᵏ with m from √½ to √2.
    let bits = y.to_bits();
    let k = (bits.wrapping_sub(0x3f35_04f3) as i32) >> 23;
    let m = f32::from_bits(bits.wrapping_sub((k as u32) << 23));
    let e = k.wrapping_sub(if tiny { 23 } else { 0 }) as f32;
    let f = m - 1.0;
    let s = f * f;
    let tail = s * f * polynomial(&LOG, f) + e * LN2_LOW;
    let value = (f + (tail - 0.5 * s)) + e * LN2_HIGH;
    let value = if x == f32::INFINITY { x } else { value };
    let value = if x == 0.0 { f32::NEG_INFINITY } else { value };
    // NaN isn't among them.
    if x >= 0.0 { value } else { f32::NAN }
}

/// `log(1 + u)` for u ≥ 0, with the rounding of `1 + u` put right.
#[inline(always)]
fn log1p_positive_f32(u: f32) -> f32 {
    let w = 1.0 + u;
    let lost = u - (w - 1.0);
    let value = log_f32(w) + lost / w;
    if w == f32::INFINITY { w } else { value }
}

#[inline(always)]
fn tanh_f32(x: f32) -> f32 {
    let t = x.abs();
    let s = x * x;
    let near = x + x * s * polynomial(&TANH, s);
    let far = (1.0 - 2.0 / (exp_f32(t + t) + 1.0)).copysign(x);
    if t < 0.64 { near } else { far }
}

#[inline(always)]
fn erf_f32(x: f32) -> f32 {
    let t = x.abs();
    let near = x + x * polynomial(&ERF, x * x);
    let c = if t > 3.95 { 3.95 } else { t };
    let far = (1.0 - exp_f32(-polynomial(&ERFC_LOG, c))).copysign(x);
    if t < 0.95 { near } else { far }
}

#[inline(always)]
fn sigmoid_f32(x: f32) -> f32 {
    1.0 / (1.0 + exp_f32(-x))
}

/// A floating-point type with the functions that the engine has for it.
pub(crate) trait Float: super::span::Lane + std::ops::Neg<Output = Self> {
    const ZERO: Self;
    const ONE: Self;
    fn from_f64(v: f64) -> Self;
    fn abs(self) -> Self;
    fn copysign(self, sign: Self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn round(self) -> Self;
    fn sqrt(self) -> Self;
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
        fn ceil(self) -> Self {
            <$t>::ceil(self)
        }
        #[inline(always)]
        fn trunc(self) -> Self {
            <$t>::trunc(self)
        }
        #[inline(always)]
        fn round(self) -> Self {
            <$t>::round_ties_even(self)
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            <$t>::sqrt(self)
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
    from_libm!(exp => exp_f32, log => log_f32, tanh => tanh_f32, erf => erf_f32, sigmoid => sigmoid_f32,
        expm1 => libm::expm1f, log1p => libm::log1pf, log2 => libm::log2f, log10 => libm::log10f,
        sin => libm::sinf, cos => libm::cosf, tan => libm::tanf, asin => libm::asinf,
        acos => libm::acosf, atan => libm::atanf, sinh => libm::sinhf, cosh => libm::coshf);
    from_libm_pair!(pow => libm::powf, atan2 => libm::atan2f, hypot => libm::hypotf);

    #[inline(always)]
    fn softplus(self) -> Self {
        let soft = log1p_positive_f32(exp_f32(self));
        if self > 20.0 { self } else { soft }
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
        // Every 4,099th pattern covers all exponents and both signs.
        for bits in (0..=u32::MAX).step_by(4099) {
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
    fn f32_functions_are_within_two_ulps_of_the_exact_values() {
        type Case = (&'static str, fn(f32) -> f32, fn(f64) -> f64, f64);
        let cases: [Case; 6] = [
            ("exp", exp_f32, libm::exp, 1.0),
            ("log", log_f32, libm::log, 1.0),
            ("tanh", tanh_f32, libm::tanh, 2.0),
            ("erf", erf_f32, libm::erf, 1.5),
            ("sigmoid", sigmoid_f32, |x| 1.0 / (1.0 + libm::exp(-x)), 2.0),
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
