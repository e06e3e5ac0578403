//! Functions of a complex variable, with the special values of C's Annex G.
//!
//! The inverse functions follow Hull, Fairgrieve and Tang, "Implementing the complex arcsine and
//! arccosine functions using exception handling" (1997), which has no cancellation anywhere.

use std::f64::consts::{FRAC_PI_2, LN_2, LN_10};

use super::complex::{Wide, new};

const EPSILON: f64 = f64::EPSILON;
/// Above this an inverse function is a logarithm.
const LARGE: f64 = 1.0 / EPSILON;
const NAN: f64 = f64::NAN;

/// 0 of a finite number, else NaN.
fn null(x: f64) -> f64 {
    if x.is_finite() { 0.0 } else { NAN }
}

fn two_product(a: f64, b: f64) -> (f64, f64) {
    const SPLIT: f64 = 134_217_729.0;
    let halves = |x: f64| {
        let t = SPLIT * x;
        let high = t - (t - x);
        (high, x - high)
    };
    let ((ah, al), (bh, bl)) = (halves(a), halves(b));
    let p = a * b;
    (p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
}

fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// `log |z|`, also where |z| is near 1.
fn log_size(z: Wide) -> f64 {
    let (a, b) = (z.re.abs(), z.im.abs());
    let (big, small) = if a >= b { (a, b) } else { (b, a) };
    if big > 0.5 && big < 2.0 && small < 2.0 {
        // log1p(big² - 1 + small²) / 2, with the sum made exactly first.
        let ((p, p_low), (q, q_low)) = (two_product(big, big), two_product(small, small));
        let (s, s_low) = two_sum(p, -1.0);
        let (t, t_low) = two_sum(s, q);
        return libm::log1p(t + (t_low + s_low + p_low + q_low)) / 2.0;
    }
    if big > 8e307 && big.is_finite() {
        return libm::log(libm::hypot(big / 2.0, small / 2.0)) + LN_2;
    }
    if big < 1e-290 && big > 0.0 {
        const UP: f64 = 18_014_398_509_481_984.0;
        return libm::log(libm::hypot(big * UP, small * UP)) - 54.0 * LN_2;
    }
    libm::log(libm::hypot(a, b))
}

pub(in crate::ufunc) fn log(z: Wide) -> Wide {
    new(log_size(z), libm::atan2(z.im, z.re))
}

pub(in crate::ufunc) fn log2(z: Wide) -> Wide {
    let w = log(z);
    new(w.re / LN_2, w.im / LN_2)
}

pub(in crate::ufunc) fn log10(z: Wide) -> Wide {
    let w = log(z);
    new(w.re / LN_10, w.im / LN_10)
}

/// `log(1 + z)`; for small z the size of 1 + z is `1 + x(2 + x) + y²`.
pub(in crate::ufunc) fn log1p(z: Wide) -> Wide {
    let im = libm::atan2(z.im, z.re + 1.0);
    if z.re.abs() < 0.5 && z.im.abs() < 0.5 {
        let ((p, p_low), (q, q_low)) = (two_product(z.re, z.re), two_product(z.im, z.im));
        let (s, s_low) = two_sum(p, 2.0 * z.re);
        let (t, t_low) = two_sum(s, q);
        return new(libm::log1p(t + (t_low + s_low + p_low + q_low)) / 2.0, im);
    }
    new(log_size(new(z.re + 1.0, z.im)), im)
}

pub(in crate::ufunc) fn exp(z: Wide) -> Wide {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return new(libm::exp(x), y);
    }
    if x == 0.0 {
        return new(libm::cos(y), libm::sin(y));
    }
    if !y.is_finite() {
        return match x {
            f64::NEG_INFINITY => new(0.0, 0.0_f64.copysign(y)),
            f64::INFINITY => new(x, NAN),
            _ => new(NAN, NAN),
        };
    }
    scaled_exp(x, y, 0)
}

/// `exp(x) · 2ᵏ · (cos y, sin y)`, without overflow on the way; y is finite.
fn scaled_exp(x: f64, y: f64, k: i32) -> Wide {
    let (sin, cos) = (libm::sin(y), libm::cos(y));
    if x.is_finite() && x > 709.0 && x < 1455.0 {
        // 1799 ln 2 is near to a double.
        let e = libm::exp(x - 1_246.971_777_827_341_6);
        return new(
            libm::ldexp(e * cos, 1799 + k),
            libm::ldexp(e * sin, 1799 + k),
        );
    }
    let e = libm::exp(x);
    let part = |p: f64| {
        libm::ldexp(
            if p == 0.0 && e.is_infinite() {
                p
            } else {
                e * p
            },
            k,
        )
    };
    new(part(cos), part(sin))
}

/// `exp(z) - 1`, without cancellation near 0.
pub(in crate::ufunc) fn expm1(z: Wide) -> Wide {
    let a = libm::sin(z.im / 2.0);
    let re = libm::expm1(z.re) * libm::cos(z.im) - 2.0 * a * a;
    new(re, libm::exp(z.re) * libm::sin(z.im))
}

pub(in crate::ufunc) fn exp2(z: Wide) -> Wide {
    let e = libm::exp2(z.re);
    if z.im == 0.0 {
        return new(e, z.im);
    }
    if !z.re.is_finite() || !z.im.is_finite() || e.is_infinite() {
        return exp(new(z.re * LN_2, z.im * LN_2));
    }
    let angle = z.im * LN_2;
    new(e * libm::cos(angle), e * libm::sin(angle))
}

pub(in crate::ufunc) fn sqrt(z: Wide) -> Wide {
    let (a, b) = (z.re, z.im);
    if a == 0.0 && b == 0.0 {
        return new(0.0, b);
    }
    if b.is_infinite() {
        return new(f64::INFINITY, b);
    }
    if a.is_nan() {
        return new(NAN, NAN);
    }
    if a.is_infinite() {
        let rest = null(b);
        return if a < 0.0 {
            new(rest.abs(), a.abs().copysign(b))
        } else {
            new(a, rest.copysign(b))
        };
    }
    let (mut x, mut y, mut scale) = (a, b, 1.0);
    if x.abs().max(y.abs()) > 4e307 {
        (x, y, scale) = (x / 4.0, y / 4.0, 2.0);
    } else if x.abs().max(y.abs()) < 1e-290 {
        const UP: f64 = 18_014_398_509_481_984.0;
        (x, y, scale) = (x * UP, y * UP, 1.0 / 134_217_728.0);
    }
    let t = ((x.abs() + libm::hypot(x, y)) * 0.5).sqrt();
    if x >= 0.0 {
        new(t * scale, y / (2.0 * t) * scale)
    } else {
        new(y.abs() / (2.0 * t) * scale, (t * scale).copysign(b))
    }
}

pub(in crate::ufunc) fn cosh(z: Wide) -> Wide {
    let (x, y) = (z.re, z.im);
    let sign = |v: f64| {
        if (x < 0.0) != (y.is_sign_negative()) {
            -v
        } else {
            v
        }
    };
    if x.is_finite() && y.is_finite() {
        if y == 0.0 {
            return new(libm::cosh(x), x * y);
        }
        if x.abs() < 22.0 {
            return new(libm::cosh(x) * libm::cos(y), libm::sinh(x) * libm::sin(y));
        }
        let w = scaled_exp(x.abs(), y, -1);
        return new(w.re, w.im * 1.0_f64.copysign(x));
    }
    if x == 0.0 {
        return new(NAN, 0.0);
    }
    if y == 0.0 {
        return new(
            x * x,
            if x.is_infinite() {
                sign(0.0)
            } else {
                0.0_f64.copysign(y)
            },
        );
    }
    if x.is_finite() {
        return new(NAN, NAN);
    }
    if x.is_infinite() {
        return if y.is_finite() {
            new(x * x * libm::cos(y), x * libm::sin(y))
        } else {
            new(x * x, NAN)
        };
    }
    new(NAN, NAN)
}

pub(in crate::ufunc) fn sinh(z: Wide) -> Wide {
    let (x, y) = (z.re, z.im);
    if x.is_finite() && y.is_finite() {
        if y == 0.0 {
            return new(libm::sinh(x), y);
        }
        if x.abs() < 22.0 {
            return new(libm::sinh(x) * libm::cos(y), libm::cosh(x) * libm::sin(y));
        }
        let w = scaled_exp(x.abs(), y, -1);
        return new(w.re * 1.0_f64.copysign(x), w.im);
    }
    if x == 0.0 {
        return new(x, NAN);
    }
    if y == 0.0 {
        return new(if x.is_nan() { x } else { x + x }, y);
    }
    if x.is_finite() {
        return new(NAN, NAN);
    }
    if x.is_infinite() {
        return if y.is_finite() {
            new(x * libm::cos(y), f64::INFINITY * libm::sin(y))
        } else {
            new(f64::INFINITY, NAN)
        };
    }
    new(NAN, NAN)
}

pub(in crate::ufunc) fn tanh(z: Wide) -> Wide {
    let (x, y) = (z.re, z.im);
    if !x.is_finite() {
        if x.is_nan() {
            return new(x, if y == 0.0 { y } else { NAN });
        }
        let angle = if y.is_infinite() {
            y
        } else {
            libm::sin(y) * libm::cos(y)
        };
        return new(1.0_f64.copysign(x), 0.0_f64.copysign(angle));
    }
    if !y.is_finite() {
        return new(if x == 0.0 { x } else { NAN }, NAN);
    }
    if x.abs() >= 22.0 {
        let e = libm::exp(-x.abs());
        return new(
            1.0_f64.copysign(x),
            4.0 * libm::sin(y) * libm::cos(y) * e * e,
        );
    }
    let t = libm::tan(y);
    let beta = 1.0 + t * t;
    let s = libm::sinh(x);
    let rho = (1.0 + s * s).sqrt();
    if t.is_infinite() {
        return new(rho / s, 1.0 / t);
    }
    let denominator = 1.0 + beta * s * s;
    new(beta * rho * s / denominator, t / denominator)
}

/// A function of a number turned by a right angle: `-i f(iz)`.
fn turned(z: Wide, f: impl Fn(Wide) -> Wide) -> Wide {
    let w = f(new(-z.im, z.re));
    new(w.im, -w.re)
}

pub(in crate::ufunc) fn sin(z: Wide) -> Wide {
    if z.im.is_infinite() && !z.re.is_finite() {
        return new(NAN, f64::INFINITY);
    }
    turned(z, sinh)
}

pub(in crate::ufunc) fn cos(z: Wide) -> Wide {
    cosh(new(-z.im, z.re))
}

pub(in crate::ufunc) fn tan(z: Wide) -> Wide {
    turned(z, tanh)
}

/// `(hypot(a, b) - b) / 2` without cancellation; `h` is the hypotenuse.
fn half_difference(a: f64, b: f64, h: f64) -> f64 {
    if b < 0.0 {
        (h - b) / 2.0
    } else if b == 0.0 {
        a / 2.0
    } else {
        a * a / (h + b) / 2.0
    }
}

/// What the inverse sine needs of x, y ≥ 0: its real part, and the angle as an arcsine or as an
/// arctangent of two numbers.
struct Hard {
    real: f64,
    sine: Option<f64>,
    opposite: f64,
    adjacent: f64,
}

fn hard_work(x: f64, y: f64) -> Hard {
    let (r, s) = (libm::hypot(x, y + 1.0), libm::hypot(x, y - 1.0));
    let a = ((r + s) / 2.0).max(1.0);
    let apart = x >= EPSILON * (y - 1.0).abs();
    let real = if a >= 10.0 {
        libm::log(a + (a * a - 1.0).sqrt())
    } else if y == 1.0 && x < EPSILON * EPSILON / 128.0 {
        x.sqrt()
    } else if apart {
        let less = half_difference(x, 1.0 + y, r) + half_difference(x, 1.0 - y, s);
        libm::log1p(less + (less * (a + 1.0)).sqrt())
    } else if y < 1.0 {
        x / ((1.0 - y) * (1.0 + y)).sqrt()
    } else {
        libm::log1p((y - 1.0) + ((y - 1.0) * (y + 1.0)).sqrt())
    };
    let angle = |opposite: f64, adjacent: f64| Hard {
        real,
        sine: None,
        opposite,
        adjacent,
    };
    if y < 5.966_672_584_960_166e-154 {
        return angle(y * (2.0 / EPSILON), a * (2.0 / EPSILON));
    }
    let b = y / a;
    if b <= 0.6417 {
        return Hard {
            real,
            sine: Some(b),
            opposite: y,
            adjacent: a,
        };
    }
    if y == 1.0 && x < EPSILON / 128.0 {
        angle(y, x.sqrt() * ((a + y) / 2.0).sqrt())
    } else if apart {
        let less = half_difference(x, y + 1.0, r) + half_difference(x, y - 1.0, s);
        angle(y, (less * (a + y)).sqrt())
    } else if y > 1.0 {
        let up = 4.0 / EPSILON / EPSILON;
        angle(y * up, x * up * y / ((y + 1.0) * (y - 1.0)).sqrt())
    } else {
        angle(y, ((1.0 - y) * (1.0 + y)).sqrt())
    }
}

fn is_large(z: Wide) -> bool {
    z.re.abs() > LARGE || z.im.abs() > LARGE
}

pub(in crate::ufunc) fn asinh(z: Wide) -> Wide {
    let (x, y) = (z.re, z.im);
    if x.is_nan() || y.is_nan() {
        return if x.is_infinite() {
            new(x, NAN)
        } else if y.is_infinite() {
            new(y.abs(), NAN)
        } else if y == 0.0 {
            new(NAN, y)
        } else {
            new(NAN, NAN)
        };
    }
    if is_large(z) {
        let w = log(new(x.abs(), y.abs()));
        return new((w.re + LN_2).copysign(x), w.im.copysign(y));
    }
    if x.abs() < 9e-9 && y.abs() < 9e-9 {
        return z;
    }
    let hard = hard_work(x.abs(), y.abs());
    let angle = match hard.sine {
        Some(sine) => libm::asin(sine),
        None => libm::atan2(hard.opposite, hard.adjacent),
    };
    new(hard.real.copysign(x), angle.copysign(y))
}

pub(in crate::ufunc) fn asin(z: Wide) -> Wide {
    let w = asinh(new(z.im, z.re));
    new(w.im, w.re)
}

pub(in crate::ufunc) fn acos(z: Wide) -> Wide {
    let (x, y) = (z.re, z.im);
    if x.is_nan() || y.is_nan() {
        return if x.is_infinite() {
            new(NAN, f64::NEG_INFINITY)
        } else if y.is_infinite() {
            new(NAN, -y)
        } else if x == 0.0 {
            new(FRAC_PI_2, NAN)
        } else {
            new(NAN, NAN)
        };
    }
    let turn = |v: f64| if y.is_sign_negative() { v } else { -v };
    if is_large(z) {
        let w = log(z);
        return new(w.im.abs(), turn(w.re + LN_2));
    }
    if x == 1.0 && y == 0.0 {
        return new(0.0, -y);
    }
    if x.abs() < 9e-9 && y.abs() < 9e-9 {
        return new(FRAC_PI_2 - (x - 6.123_233_995_736_766e-17), -y);
    }
    let hard = hard_work(y.abs(), x.abs());
    let signed = |v: f64| if x.is_sign_negative() { -v } else { v };
    let angle = match hard.sine {
        Some(sine) => libm::acos(signed(sine)),
        None => libm::atan2(hard.adjacent, signed(hard.opposite)),
    };
    new(angle, turn(hard.real))
}

pub(in crate::ufunc) fn acosh(z: Wide) -> Wide {
    let w = acos(z);
    match (w.re.is_nan(), w.im.is_nan()) {
        (true, true) => w,
        (true, false) => new(w.im.abs(), w.re),
        (false, true) => new(w.im, w.re),
        (false, false) => new(w.im.abs(), w.re.copysign(z.im)),
    }
}

pub(in crate::ufunc) fn atanh(z: Wide) -> Wide {
    let (x, y) = (z.re, z.im);
    let (ax, ay) = (x.abs(), y.abs());
    if y == 0.0 && ax <= 1.0 {
        return new(libm::atanh(x), y);
    }
    if x == 0.0 {
        return new(x, libm::atan(y));
    }
    if x.is_nan() || y.is_nan() {
        return if x.is_infinite() {
            new(0.0_f64.copysign(x), NAN)
        } else if y.is_infinite() {
            new(0.0_f64.copysign(x), FRAC_PI_2.copysign(y))
        } else {
            new(NAN, NAN)
        };
    }
    if is_large(z) {
        return new(real_of_reciprocal(x, y), FRAC_PI_2.copysign(y));
    }
    if ax < 1e-8 && ay < 1e-8 {
        return z;
    }
    let real = if ax == 1.0 && ay < EPSILON {
        (LN_2 - libm::log(ay)) / 2.0
    } else {
        let d = ax - 1.0;
        let sum = if ay < 1.5e-154 {
            d * d
        } else {
            d * d + ay * ay
        };
        libm::log1p(4.0 * ax / sum) / 4.0
    };
    let angle = if ax == 1.0 {
        libm::atan2(2.0, -ay)
    } else if ay < EPSILON {
        libm::atan2(2.0 * ay, (1.0 - ax) * (1.0 + ax))
    } else {
        libm::atan2(2.0 * ay, (1.0 - ax) * (1.0 + ax) - ay * ay)
    };
    new(real.copysign(x), (angle / 2.0).copysign(y))
}

/// The real part of `1 / (x + iy)`, without overflow.
fn real_of_reciprocal(x: f64, y: f64) -> f64 {
    if x.is_infinite() || y.is_infinite() {
        return 0.0_f64.copysign(x);
    }
    let (x, y, scale) = if x.abs().max(y.abs()) > 1e150 {
        (x * 1e-154, y * 1e-154, 1e-154)
    } else {
        (x, y, 1.0)
    };
    x / (x * x + y * y) * scale
}

pub(in crate::ufunc) fn atan(z: Wide) -> Wide {
    let w = atanh(new(z.im, z.re));
    new(w.im, w.re)
}
