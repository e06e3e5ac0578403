//! Functions of vectors of f32: branch-free polynomials, the same bits on every target.
//!
//! Only operations that IEEE 754 rounds exactly are used, and no fused multiply-add.

use super::simd::{F32x4, M32x4, Splat, Vector, WideSplat, splats, wide_splats};
use super::terms::{Bits, Choice, Double, Fallback, Numbers, Single};

// The coefficients are minimax-like fits that are rounded to f32 one after another; printed in
// their shortest decimal form.
static EXP: [Splat; 5] = splats([0.5, 0.16666503, 0.041666437, 0.008370629, 0.001393776]);
static LOG: [Splat; 9] = splats([
    0.3333331,
    -0.25,
    0.20002241,
    -0.16668555,
    0.14217648,
    -0.12395288,
    0.11891852,
    -0.11736028,
    0.06809946,
]);
static TANH: [Splat; 5] = splats([
    -0.3333327,
    0.13331081,
    -0.053709093,
    0.02053767,
    -0.005590202,
]);
static ERF: [Splat; 7] = splats([
    0.12837917,
    -0.3761263,
    0.11283618,
    -0.026855124,
    0.005190726,
    -0.0008030654,
    7.919902e-5,
]);
/// `-log(erfc(t))` for t from 0.95 to 3.95.
static ERFC_LOG: [Splat; 9] = splats([
    -0.0001845786,
    1.1295623,
    0.6332518,
    0.10838405,
    -0.025186006,
    0.004195934,
    -0.0004394165,
    2.1473916e-5,
    7.692683e-9,
]);
static SIN: [Splat; 3] = splats([-0.16666655, 0.0083321845, -0.00019517206]);
static COS: [Splat; 3] = splats([0.041666646, -0.0013887305, 2.4431369e-5]);

macro_rules! numbers {
    ($($(#[$meta:meta])* $name:ident = $value:expr;)*) => {$(
        $(#[$meta])*
        static $name: Splat = splats([$value])[0];
    )*};
}
numbers! {
    ZERO = 0.0;
    HALF = 0.5;
    ONE = 1.0;
    TWO = 2.0;
    INFINITY = f32::INFINITY;
    NAN = f32::NAN;
    SMALLEST = f32::MIN_POSITIVE;
    LARGEST = f32::MAX;
    LOG2_E = std::f32::consts::LOG2_E;
    /// ln 2 in two parts; a multiple of the first by up to 150 is exact.
    LN2_HIGH = 0.693_145_75;
    LN2_LOW = 1.428_606_8e-6;
    ROOT_HALF = std::f32::consts::FRAC_1_SQRT_2;
    /// Adding and subtracting this rounds a small number to a whole one.
    ROUNDER = 12_582_912.0;
    /// Beyond these an exponential is infinite or 0 in any case.
    EXP_MOST = 89.0;
    EXP_LEAST = -104.0;
    /// Less than this is nothing beside 1, and no subnormal number.
    EXP_VANISHES = -86.0;
    UP_24 = 16_777_216.0;
    DOWN_24 = 1.0 / 16_777_216.0;
    /// Its bits are those of √½, near enough.
    MIDDLE = f32::from_bits(0x3f35_04f3);
    /// 2²³ and its logarithm, for subnormal numbers.
    RAISE = 8_388_608.0;
    RAISED = 23.0;
    TANH_NEAR = 0.64;
    /// From here on it is 1.
    TANH_MOST = 10.0;
    ERF_NEAR = 0.95;
    ERF_MOST = 3.95;
    SOFTPLUS_FAR = 20.0;
    /// The largest angle that is reduced by the two parts of π/2.
    LARGEST_ANGLE = 1e6;
}

macro_rules! wide_numbers {
    ($($(#[$meta:meta])* $name:ident = $value:expr;)*) => {$(
        $(#[$meta])*
        static $name: WideSplat = wide_splats([$value])[0];
    )*};
}
wide_numbers! {
    WIDE_ONE = 1.0;
    TWO_OVER_PI = std::f64::consts::FRAC_2_PI;
    /// π/2 in two parts; a multiple of the first by up to 2²⁰ is exact.
    HALF_PI_HIGH = 1.570_796_326_734_125_6;
    HALF_PI_LOW = 6.077_100_506_506_192e-11;
    WIDE_ROUNDER = 6_755_399_441_055_744.0;
    /// Beyond these a power is infinite or 0 in any case.
    POWER_MOST = 200.0;
    POWER_LEAST = -200.0;
}

/// `c[0] + x (c[1] + x (…))`, written out: a loop over so few terms would stay one.
macro_rules! polynomial {
    ($number:ident $c:ident[$i:literal], $x:expr) => {
        $number(&$c[$i])
    };
    ($number:ident $c:ident[$i:literal $($rest:literal)+], $x:expr) => {
        polynomial!($number $c[$($rest)+], $x) * $x + $number(&$c[$i])
    };
}

/// `eˣ = e^r · 2ᵏ`: r near 0, and a number whose bits, shifted left by 23, are k in an exponent's place.
#[inline(always)]
fn exp_rest<V: Single>(x: V, number: impl Fn(&'static Splat) -> V) -> (V, V) {
    let shifted = x * number(&LOG2_E) + number(&ROUNDER);
    let n = shifted - number(&ROUNDER);
    let r = (x - n * number(&LN2_HIGH)) - n * number(&LN2_LOW);
    (r, shifted)
}

/// `e^r` of a number near 0.
#[inline(always)]
fn exp_series<V: Single>(r: V, number: impl Fn(&'static Splat) -> V) -> V {
    number(&ONE) + (r + r * r * polynomial!(number EXP[0 1 2 3 4], r))
}

/// `eˣ = p · 2ᵏ`: p near 1, and k as [`exp_rest`] has it.
#[inline(always)]
fn exp_parts<V: Single>(x: V) -> (V, V) {
    let number = |of| x.number(of);
    let (r, shifted) = exp_rest(x, number);
    (exp_series(r, number), shifted)
}

/// `p · 2ᵏ` with `2ᵏ` as one factor, whose exponent starts from that of `bias`.
#[inline(always)]
fn raised<V: Single>(p: V, shifted: V, bias: V) -> V {
    p * (shifted.bits().shift_left::<23>() + bias.bits()).as_float()
}

/// `eˣ` with `2ᵏ` as one factor, whose exponent starts from that of `bias`.
#[inline(always)]
fn exp_from<V: Single>(x: V, bias: &'static Splat) -> V {
    let (p, shifted) = exp_parts(x);
    raised(p, shifted, x.number(bias))
}

/// `eˣ`, within 1 ulp.
#[inline(always)]
pub(crate) fn exp<V: Single>(x: V) -> V {
    let number = |of| x.number(of);
    // A NaN passes.
    let x = x.smaller(number(&EXP_MOST)).larger(number(&EXP_LEAST));
    let (p, shifted) = exp_parts(x);
    // 2ⁿ in two factors, so that subnormal results round once.
    let k = shifted.bits() - number(&ROUNDER).bits();
    let half = k.shift_right::<1>();
    let power = |k: V::Bits| (k.shift_left::<23>() + number(&ONE).bits()).as_float();
    p * power(half) * power(k - half)
}

/// [`exp`] of numbers that aren't above 0, with the same bits.
#[inline(always)]
pub(crate) fn exp_down<V: Single>(x: V) -> V {
    let number = |of| x.number(of);
    exp_from(x.larger(number(&EXP_LEAST)), &UP_24) * number(&DOWN_24)
}

/// Constants that a loop keeps in registers, where few enough do.
macro_rules! kept {
    ($($name:ident = $of:expr),*) => {{
        $(let $name = F32x4::constant(&$of);)*
        move |of: &'static Splat| {
            $(if std::ptr::eq(of, &raw const $of) {
                return $name;
            })*
            F32x4::constant(of)
        }
    }};
}

/// The first of two steps of [`exp_down`], each for a loop of its own: what this gives, the other takes. A processor
/// looks ahead over as many instructions as one step of some vectors has, which hides how long each waits for the one
/// before; both steps together wait twice as long and are too many.
pub(crate) fn exp_down_begin() -> impl Fn(F32x4) -> (F32x4, F32x4) {
    let number = kept!(
        least = EXP_LEAST,
        log = LOG2_E,
        rounder = ROUNDER,
        high = LN2_HIGH,
        low = LN2_LOW
    );
    move |x| exp_rest(Vector::larger(x, number(&EXP_LEAST)), number)
}

/// The second step.
pub(crate) fn exp_down_end() -> impl Fn(F32x4, F32x4) -> F32x4 {
    let number = kept!(
        a = EXP[0],
        b = EXP[1],
        c = EXP[2],
        d = EXP[3],
        e = EXP[4],
        one = ONE,
        up = UP_24,
        down = DOWN_24
    );
    move |r, shifted| raised(exp_series(r, number), shifted, number(&UP_24)) * number(&DOWN_24)
}

/// [`exp`], but for what vanishes beside 1.
#[inline(always)]
fn exp_up<V: Single>(x: V) -> V {
    let number = |of| x.number(of);
    let x = x.smaller(number(&EXP_MOST)).larger(number(&EXP_VANISHES));
    exp_from(x, &HALF) * number(&TWO)
}

/// The natural logarithm, within 1 ulp.
#[inline(always)]
pub(crate) fn log<V: Single>(x: V) -> V {
    let number = |of| x.number(of);
    let tiny = x.less(number(&SMALLEST));
    let y = tiny.select(x * number(&RAISE), x);
    // x = m · 2ᵏ with m from √½ to √2.
    let bits = y.bits();
    let k = (bits - number(&MIDDLE).bits()).shift_right::<23>();
    let m = (bits - k.shift_left::<23>()).as_float();
    let e = k.to_float() - tiny.select(number(&RAISED), number(&ZERO));
    let f = m - number(&ONE);
    let s = f * f;
    let tail = s * f * polynomial!(number LOG[0 1 2 3 4 5 6 7 8], f) + e * number(&LN2_LOW);
    let value = (f + (tail - number(&HALF) * s)) + e * number(&LN2_HIGH);
    let infinity = number(&INFINITY);
    let value = x.equal(infinity).select(x, value);
    let value = x.equal(number(&ZERO)).select(-infinity, value);
    // A NaN isn't among them.
    number(&ZERO).at_most(x).select(value, number(&NAN))
}

/// `log(1 + u)` for u ≥ 0, with the rounding of `1 + u` put right.
#[inline(always)]
fn log1p_positive<V: Single>(u: V) -> V {
    let number = |of| u.number(of);
    let w = number(&ONE) + u;
    let lost = u - (w - number(&ONE));
    let value = log(w) + lost / w;
    w.equal(number(&INFINITY)).select(w, value)
}

/// The hyperbolic tangent, within 2 ulp.
#[inline(always)]
pub(crate) fn tanh<V: Single>(x: V) -> V {
    let number = |of| x.number(of);
    let t = x.abs();
    let s = x * x;
    let near = x + x * s * polynomial!(number TANH[0 1 2 3 4], s);
    let u = t.smaller(number(&TANH_MOST));
    let far = number(&ONE) - number(&TWO) / (exp_from(u + u, &ONE) + number(&ONE));
    t.less(number(&TANH_NEAR)).select(near, far.copysign(x))
}

/// The error function, within 1.5 ulp.
#[inline(always)]
pub(crate) fn erf<V: Single>(x: V) -> V {
    let number = |of| x.number(of);
    let t = x.abs();
    let s = x * x;
    let near = x + x * polynomial!(number ERF[0 1 2 3 4 5 6], s);
    let c = t.smaller(number(&ERF_MOST));
    let log = -polynomial!(number ERFC_LOG[0 1 2 3 4 5 6 7 8], c);
    let far = number(&ONE) - exp_from(log, &ONE);
    t.less(number(&ERF_NEAR)).select(near, far.copysign(x))
}

/// `1 / (1 + e⁻ˣ)`, within 2 ulp.
#[inline(always)]
pub(crate) fn sigmoid<V: Single>(x: V) -> V {
    let number = |of| x.number(of);
    number(&ONE) / (number(&ONE) + exp_up(-x))
}

/// `x / (1 + e⁻ˣ)`.
#[inline(always)]
pub(crate) fn silu<V: Single>(x: V) -> V {
    let number = |of| x.number(of);
    x / (number(&ONE) + exp_up(-x))
}

/// `x Φ(x)`.
#[inline(always)]
pub(crate) fn gelu<V: Single>(x: V) -> V {
    let number = |of| x.number(of);
    let root_half = number(&ROOT_HALF);
    x * number(&HALF) * (number(&ONE) + erf(x * root_half))
}

/// `log(1 + eˣ)`, and x above 20; within 2 ulp.
#[inline(always)]
pub(crate) fn softplus<V: Single>(x: V) -> V {
    let number = |of| x.number(of);
    let soft = log1p_positive(exp(x));
    number(&SOFTPLUS_FAR).less(x).select(x, soft)
}

/// The sine, within 2 ulp.
#[inline(always)]
pub(crate) fn sin<V: Single>(x: V) -> V {
    shifted_sine(x, 0, Fallback::Sin)
}

/// The cosine, within 2 ulp.
#[inline(always)]
pub(crate) fn cos<V: Single>(x: V) -> V {
    shifted_sine(x, 1, Fallback::Cos)
}

/// The sine of `x + quarters · π/2`; `beyond` takes angles too large for the reduction, infinities and NaN.
#[inline(always)]
fn shifted_sine<V: Single>(x: V, quarters: i32, beyond: Fallback) -> V {
    let number = |of| x.number(of);
    let near = x.abs().at_most(number(&LARGEST_ANGLE));
    let whole = |d: V::Wide| (d * d.wide(&TWO_OVER_PI)).nearest();
    let rest = |d: V::Wide, n: V::Wide| (d - n * d.wide(&HALF_PI_HIGH)) - n * d.wide(&HALF_PI_LOW);
    let [a, b] = x.widen();
    let (m, n) = (whole(a), whole(b));
    let n_narrow = V::narrow([m, n]);
    // Also -0 stays as it is.
    let r = n_narrow
        .equal(number(&ZERO))
        .select(x, V::narrow([rest(a, m), rest(b, n)]));
    let z = r * r;
    let sine = r + r * z * polynomial!(number SIN[0 1 2], z);
    let cosine = (number(&ONE) - z * number(&HALF)) + z * z * polynomial!(number COS[0 1 2], z);
    let k = (n_narrow + number(&ROUNDER)).bits().plus(quarters);
    let value = k.has_bit(1).select(cosine, sine);
    let value = k.has_bit(2).select(-value, value);
    value.rescued(near, beyond, x, x)
}

/// The lanes that are chosen, with a value of their own for each of the others.
#[cold]
#[inline(never)]
pub(crate) fn patch(value: F32x4, chosen: M32x4, own: impl Fn(usize) -> f32) -> F32x4 {
    let (lanes, chosen) = (
        value.lanes(),
        chosen
            .select(F32x4::constant(&ONE), F32x4::constant(&ZERO))
            .lanes(),
    );
    F32x4::from_lanes(std::array::from_fn(|i| {
        if chosen[i] == 0.0 { own(i) } else { lanes[i] }
    }))
}

static LOG2_SERIES: [WideSplat; 8] = wide_splats({
    // 2/ln 2 · 1/(2i + 1), the series of log2((1 + s)/(1 - s)) over s.
    let mut c = [0.0; 8];
    let mut i = 0;
    while i < 8 {
        c[i] = 2.0 * std::f64::consts::LOG2_E / (2 * i + 1) as f64;
        i += 1;
    }
    c
});
static EXP2_SERIES: [WideSplat; 10] = wide_splats({
    // (ln 2)ⁱ / i!
    let mut c = [1.0; 10];
    let mut i = 1;
    while i < 10 {
        c[i] = c[i - 1] * std::f64::consts::LN_2 / i as f64;
        i += 1;
    }
    c
});

/// `xʸ`, within 1 ulp: in f64 where x is positive and normal and both are finite; else lane by lane.
#[inline(always)]
pub(crate) fn pow<V: Single>(x: V, y: V) -> V {
    let number = |of| x.number(of);
    let most = number(&LARGEST);
    let plain = number(&SMALLEST).at_most(x) & x.at_most(most) & y.abs().at_most(most);
    let bits = x.bits();
    let k = (bits - number(&MIDDLE).bits()).shift_right::<23>();
    let m = (bits - k.shift_left::<23>()).as_float();
    let (m, k, e) = (m.widen(), k.to_float().widen(), y.widen());
    let value = V::narrow([power(m[0], k[0], e[0]), power(m[1], k[1], e[1])]);
    value.rescued(plain, Fallback::Pow, x, y)
}

/// `(m · 2ᵏ)ʸ`.
#[inline(always)]
fn power<D: Double>(m: D, k: D, y: D) -> D {
    let wide = |of| m.wide(of);
    let s = (m - wide(&WIDE_ONE)) / (m + wide(&WIDE_ONE));
    let z = s * s;
    let log2 = k + s * polynomial!(wide LOG2_SERIES[0 1 2 3 4 5 6 7], z);
    // Beyond these the result is infinite or 0 in any case.
    let t = wide(&POWER_LEAST).larger(wide(&POWER_MOST).smaller(y * log2));
    let shifted = t + wide(&WIDE_ROUNDER);
    let r = t - (shifted - wide(&WIDE_ROUNDER));
    let exponent = shifted.bits();
    polynomial!(wide EXP2_SERIES[0 1 2 3 4 5 6 7 8 9], r)
        * D::of_bits(D::to_exponent(exponent) + wide(&WIDE_ONE).bits())
}

/// A function of one element by that of vectors.
#[inline(always)]
pub(crate) fn single(f: impl Fn(F32x4) -> F32x4, x: f32) -> f32 {
    f(F32x4::splat(x)).first()
}
