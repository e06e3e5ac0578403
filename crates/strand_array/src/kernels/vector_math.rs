//! Functions of vectors of f32: branch-free polynomials, the same bits on every target.
//!
//! Only operations that IEEE 754 rounds exactly are used, and no fused multiply-add.

use super::simd::{F32x4, F64x2, I32x4, I64x2, M32x4, Vector};

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
const SIN: [f32; 3] = [-0.16666655, 0.0083321845, -0.00019517206];
const COS: [f32; 3] = [0.041666646, -0.0013887305, 2.4431369e-5];
/// ln 2 in two parts; a multiple of the first by up to 150 is exact.
const LN2_HIGH: f32 = 0.693_145_75;
const LN2_LOW: f32 = 1.428_606_8e-6;
/// π/2 in two parts; a multiple of the first by up to 2²⁰ is exact.
const HALF_PI_HIGH: f64 = 1.570_796_326_734_125_6;
const HALF_PI_LOW: f64 = 6.077_100_506_506_192e-11;
/// The largest angle that is reduced by those two parts.
const LARGEST_ANGLE: f32 = 1e6;
/// Adding and subtracting this rounds a small number to a whole one.
const ROUNDER: f32 = 12_582_912.0;
const WIDE_ROUNDER: f64 = 6_755_399_441_055_744.0;

#[inline(always)]
fn number(v: f32) -> F32x4 {
    F32x4::splat(v)
}

#[inline(always)]
fn wide(v: f64) -> F64x2 {
    F64x2::splat(v)
}

#[inline(always)]
fn polynomial<const N: usize>(c: &[f32; N], x: F32x4) -> F32x4 {
    let mut sum = number(c[N - 1]);
    let mut i = N - 1;
    while i > 0 {
        i -= 1;
        sum = sum * x + number(c[i]);
    }
    sum
}

#[inline(always)]
fn wide_polynomial<const N: usize>(c: &[f64; N], x: F64x2) -> F64x2 {
    let mut sum = wide(c[N - 1]);
    let mut i = N - 1;
    while i > 0 {
        i -= 1;
        sum = sum * x + wide(c[i]);
    }
    sum
}

/// `eˣ`, within 1 ulp.
#[inline(always)]
pub(crate) fn exp(x: F32x4) -> F32x4 {
    // Beyond these the result is infinite or 0 in any case. A NaN passes.
    let x = x.smaller(number(89.0)).larger(number(-104.0));
    let shifted = x * number(std::f32::consts::LOG2_E) + number(ROUNDER);
    let n = shifted - number(ROUNDER);
    let r = (x - n * number(LN2_HIGH)) - n * number(LN2_LOW);
    let p = number(1.0) + (r + r * r * polynomial(&EXP, r));
    // 2ⁿ in two factors, so that subnormal results round once.
    let k = shifted.bits() - number(ROUNDER).bits();
    let half = k.shift_right::<1>();
    let power = |k: I32x4| (k + I32x4::splat(127)).shift_left::<23>().as_float();
    p * power(half) * power(k - half)
}

/// The natural logarithm, within 1 ulp.
#[inline(always)]
pub(crate) fn log(x: F32x4) -> F32x4 {
    let tiny = x.less(number(f32::MIN_POSITIVE));
    let y = tiny.select(x * number(8_388_608.0), x);
    // x = m · 2ᵏ with m from √½ to √2.
    let bits = y.bits();
    let k = (bits - I32x4::splat(0x3f35_04f3)).shift_right::<23>();
    let m = (bits - k.shift_left::<23>()).as_float();
    let e = k.to_float() - tiny.select(number(23.0), number(0.0));
    let f = m - number(1.0);
    let s = f * f;
    let tail = s * f * polynomial(&LOG, f) + e * number(LN2_LOW);
    let value = (f + (tail - number(0.5) * s)) + e * number(LN2_HIGH);
    let infinity = number(f32::INFINITY);
    let value = x.equal(infinity).select(x, value);
    let value = x.equal(number(0.0)).select(-infinity, value);
    // A NaN isn't among them.
    number(0.0).at_most(x).select(value, number(f32::NAN))
}

/// `log(1 + u)` for u ≥ 0, with the rounding of `1 + u` put right.
#[inline(always)]
fn log1p_positive(u: F32x4) -> F32x4 {
    let w = number(1.0) + u;
    let lost = u - (w - number(1.0));
    let value = log(w) + lost / w;
    w.equal(number(f32::INFINITY)).select(w, value)
}

/// The hyperbolic tangent, within 2 ulp.
#[inline(always)]
pub(crate) fn tanh(x: F32x4) -> F32x4 {
    let t = x.abs();
    let s = x * x;
    let near = x + x * s * polynomial(&TANH, s);
    let far = number(1.0) - number(2.0) / (exp(t + t) + number(1.0));
    t.less(number(0.64)).select(near, far.copysign(x))
}

/// The error function, within 1.5 ulp.
#[inline(always)]
pub(crate) fn erf(x: F32x4) -> F32x4 {
    let t = x.abs();
    let near = x + x * polynomial(&ERF, x * x);
    let c = t.smaller(number(3.95));
    let far = number(1.0) - exp(-polynomial(&ERFC_LOG, c));
    t.less(number(0.95)).select(near, far.copysign(x))
}

/// `1 / (1 + e⁻ˣ)`, within 2 ulp.
#[inline(always)]
pub(crate) fn sigmoid(x: F32x4) -> F32x4 {
    number(1.0) / (number(1.0) + exp(-x))
}

/// `x / (1 + e⁻ˣ)`.
#[inline(always)]
pub(crate) fn silu(x: F32x4) -> F32x4 {
    x / (number(1.0) + exp(-x))
}

/// `x Φ(x)`.
#[inline(always)]
pub(crate) fn gelu(x: F32x4) -> F32x4 {
    let root_half = number(std::f32::consts::FRAC_1_SQRT_2);
    x * number(0.5) * (number(1.0) + erf(x * root_half))
}

/// `log(1 + eˣ)`, and x above 20; within 2 ulp.
#[inline(always)]
pub(crate) fn softplus(x: F32x4) -> F32x4 {
    let soft = log1p_positive(exp(x));
    number(20.0).less(x).select(x, soft)
}

/// The sine, within 1.5 ulp.
#[inline(always)]
pub(crate) fn sin(x: F32x4) -> F32x4 {
    turn(x, 0, libm::sinf)
}

/// The cosine, within 1.5 ulp.
#[inline(always)]
pub(crate) fn cos(x: F32x4) -> F32x4 {
    turn(x, 1, libm::cosf)
}

/// The sine of `x + quarters · π/2`; `far` takes angles too large for the reduction, infinities and NaN.
#[inline(always)]
fn turn(x: F32x4, quarters: i32, far: fn(f32) -> f32) -> F32x4 {
    let near = x.abs().at_most(number(LARGEST_ANGLE));
    let whole = |d: F64x2| (d * wide(std::f64::consts::FRAC_2_PI)).nearest();
    let rest = |d: F64x2, n: F64x2| (d - n * wide(HALF_PI_HIGH)) - n * wide(HALF_PI_LOW);
    let [a, b] = x.widen();
    let (m, n) = (whole(a), whole(b));
    let n_narrow = F32x4::narrow([m, n]);
    // Also -0 stays as it is.
    let r = n_narrow
        .equal(number(0.0))
        .select(x, F32x4::narrow([rest(a, m), rest(b, n)]));
    let z = r * r;
    let sine = r + r * z * polynomial(&SIN, z);
    let cosine = (number(1.0) - z * number(0.5)) + z * z * polynomial(&COS, z);
    let k = (n_narrow + number(ROUNDER)).bits() + I32x4::splat(quarters);
    let value = k.has_bit(1).select(cosine, sine);
    let value = k.has_bit(2).select(-value, value);
    if (!near).any() {
        return patch(value, near, |i| far(x.lanes()[i]));
    }
    value
}

/// The lanes that are chosen, with a value of their own for each of the others.
#[cold]
#[inline(never)]
fn patch(value: F32x4, chosen: M32x4, own: impl Fn(usize) -> f32) -> F32x4 {
    let (lanes, chosen) = (
        value.lanes(),
        chosen.select(number(1.0), number(0.0)).lanes(),
    );
    F32x4::from_lanes(std::array::from_fn(|i| {
        if chosen[i] == 0.0 { own(i) } else { lanes[i] }
    }))
}

const LOG2_SERIES: [f64; 8] = {
    // 2/ln 2 · 1/(2i + 1), the series of log2((1 + s)/(1 - s)) over s.
    let mut c = [0.0; 8];
    let mut i = 0;
    while i < 8 {
        c[i] = 2.0 * std::f64::consts::LOG2_E / (2 * i + 1) as f64;
        i += 1;
    }
    c
};
const EXP2_SERIES: [f64; 10] = {
    // (ln 2)ⁱ / i!
    let mut c = [1.0; 10];
    let mut i = 1;
    while i < 10 {
        c[i] = c[i - 1] * std::f64::consts::LN_2 / i as f64;
        i += 1;
    }
    c
};

/// `xʸ`, within 1 ulp: in f64 where x is positive and normal and both are finite; else lane by lane.
#[inline(always)]
pub(crate) fn pow(x: F32x4, y: F32x4) -> F32x4 {
    let most = number(f32::MAX);
    let plain: M32x4 =
        number(f32::MIN_POSITIVE).at_most(x) & x.at_most(most) & y.abs().at_most(most);
    let bits = x.bits();
    let k = (bits - I32x4::splat(0x3f35_04f3)).shift_right::<23>();
    let m = (bits - k.shift_left::<23>()).as_float();
    let (m, k, e) = (m.widen(), k.to_float().widen(), y.widen());
    let value = F32x4::narrow([power(m[0], k[0], e[0]), power(m[1], k[1], e[1])]);
    if (!plain).any() {
        return patch(value, plain, |i| libm::powf(x.lanes()[i], y.lanes()[i]));
    }
    value
}

/// `(m · 2ᵏ)ʸ`.
#[inline(always)]
fn power(m: F64x2, k: F64x2, y: F64x2) -> F64x2 {
    let s = (m - wide(1.0)) / (m + wide(1.0));
    let log2 = k + s * wide_polynomial(&LOG2_SERIES, s * s);
    // Beyond these the result is infinite or 0 in any case.
    let t = wide(-200.0).larger(wide(200.0).smaller(y * log2));
    let shifted = t + wide(WIDE_ROUNDER);
    let r = t - (shifted - wide(WIDE_ROUNDER));
    let exponent = shifted.bits() - wide(WIDE_ROUNDER).bits() + I64x2::splat(1023);
    wide_polynomial(&EXP2_SERIES, r) * exponent.shift_left::<52>().as_float()
}

/// A function of one element by that of vectors.
#[inline(always)]
pub(crate) fn single(f: impl Fn(F32x4) -> F32x4, x: f32) -> f32 {
    f(number(x)).first()
}
