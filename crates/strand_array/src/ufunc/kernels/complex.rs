//! Operations on complex numbers. Functions beyond arithmetic are computed in c128 for c64 too.

use super::cmath;
use super::real::Real;

/// A complex number as it lies in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(in crate::ufunc) struct Complex<F> {
    pub(in crate::ufunc) re: F,
    pub(in crate::ufunc) im: F,
}

/// A `c128` element.
pub(in crate::ufunc) type Wide = Complex<f64>;

#[inline(always)]
pub(in crate::ufunc) fn new<F>(re: F, im: F) -> Complex<F> {
    Complex { re, im }
}

impl<F: Real> Complex<F> {
    #[inline(always)]
    pub(in crate::ufunc) fn is_nan(self) -> bool {
        self.re.is_nan() || self.im.is_nan()
    }

    fn is_zero(self) -> bool {
        self.re == F::ZERO && self.im == F::ZERO
    }
}

/// NumPy's order: by the real parts, then by the imaginary ones; with a NaN nothing is ordered.
impl<F: Real> PartialOrd for Complex<F> {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        if self.im.is_nan() || other.im.is_nan() {
            return None;
        }
        match self.re.partial_cmp(&other.re) {
            Some(std::cmp::Ordering::Equal) => self.im.partial_cmp(&other.im),
            order => order,
        }
    }
}

#[inline(always)]
pub(in crate::ufunc) fn add<F: Real>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    new(a.re.add(b.re), a.im.add(b.im))
}

#[inline(always)]
pub(in crate::ufunc) fn subtract<F: Real>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    new(a.re.sub(b.re), a.im.sub(b.im))
}

#[inline(always)]
pub(in crate::ufunc) fn multiply<F: Real>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    new(
        a.re.mul(b.re).sub(a.im.mul(b.im)),
        a.re.mul(b.im).add(a.im.mul(b.re)),
    )
}

/// Smith's division.
#[inline(always)]
pub(in crate::ufunc) fn divide<F: Real>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    let (re, im) = (b.re.abs(), b.im.abs());
    if re >= im {
        if re == F::ZERO && im == F::ZERO {
            return new(a.re.div(re), a.im.div(re));
        }
        let ratio = b.im.div(b.re);
        let scale = F::ONE.div(b.re.add(b.im.mul(ratio)));
        new(
            a.re.add(a.im.mul(ratio)).mul(scale),
            a.im.sub(a.re.mul(ratio)).mul(scale),
        )
    } else {
        let ratio = b.re.div(b.im);
        let scale = F::ONE.div(b.im.add(b.re.mul(ratio)));
        new(
            a.re.mul(ratio).add(a.im).mul(scale),
            a.im.mul(ratio).sub(a.re).mul(scale),
        )
    }
}

#[inline(always)]
pub(in crate::ufunc) fn reciprocal<F: Real>(a: Complex<F>) -> Complex<F> {
    if a.im.abs() <= a.re.abs() {
        let ratio = a.im.div(a.re);
        let d = a.re.add(a.im.mul(ratio));
        new(F::ONE.div(d), (-ratio).div(d))
    } else {
        let ratio = a.re.div(a.im);
        let d = a.re.mul(ratio).add(a.im);
        new(ratio.div(d), (-F::ONE).div(d))
    }
}

#[inline(always)]
pub(in crate::ufunc) fn square<F: Real>(a: Complex<F>) -> Complex<F> {
    new(
        a.re.mul(a.re).sub(a.im.mul(a.im)),
        a.re.mul(a.im).add(a.im.mul(a.re)),
    )
}

#[inline(always)]
pub(in crate::ufunc) fn negative<F: Real>(a: Complex<F>) -> Complex<F> {
    new(-a.re, -a.im)
}

#[inline(always)]
pub(in crate::ufunc) fn conjugate<F: Real>(a: Complex<F>) -> Complex<F> {
    new(a.re, -a.im)
}

#[inline(always)]
pub(in crate::ufunc) fn absolute<F: Real>(a: Complex<F>) -> F {
    a.re.hypot(a.im)
}

/// `a / |a|`, the direction of an infinite number included; 0 of 0.
#[inline(always)]
pub(in crate::ufunc) fn sign<F: Real>(a: Complex<F>) -> Complex<F> {
    let size = absolute(a);
    let unit = |x: F| F::ONE.copysign(x);
    if size.is_nan() || (a.re.is_inf() && a.im.is_inf()) {
        new(F::NAN, F::NAN)
    } else if a.re.is_inf() {
        new(unit(a.re), F::ZERO)
    } else if a.im.is_inf() {
        new(F::ZERO, unit(a.im))
    } else if size == F::ZERO {
        new(F::ZERO, F::ZERO)
    } else {
        new(a.re.div(size), a.im.div(size))
    }
}

#[inline(always)]
pub(in crate::ufunc) fn rint<F: Real>(a: Complex<F>) -> Complex<F> {
    new(a.re.round(), a.im.round())
}

/// NaN if either is.
#[inline(always)]
pub(in crate::ufunc) fn maximum<F: Real>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    if a.is_nan() || a >= b { a } else { b }
}

/// NaN if either is.
#[inline(always)]
pub(in crate::ufunc) fn minimum<F: Real>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    if a.is_nan() || a <= b { a } else { b }
}

/// The other if one is NaN.
#[inline(always)]
pub(in crate::ufunc) fn fmax<F: Real>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    if b.is_nan() || a >= b { a } else { b }
}

/// The other if one is NaN.
#[inline(always)]
pub(in crate::ufunc) fn fmin<F: Real>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    if b.is_nan() || a <= b { a } else { b }
}

#[inline(always)]
pub(in crate::ufunc) fn is_true<F: Real>(a: Complex<F>) -> bool {
    !a.is_zero()
}

/// A function of c128, rounded to the type of the operand.
#[inline(always)]
pub(in crate::ufunc) fn widely<F: Real>(a: Complex<F>, f: impl Fn(Wide) -> Wide) -> Complex<F> {
    let r = f(new(a.re.to_f64(), a.im.to_f64()));
    new(F::from_f64(r.re), F::from_f64(r.im))
}

/// `aᵇ`. Small whole exponents are products in the operands' own precision, as NumPy has it.
pub(in crate::ufunc) fn power<F: Real>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    if b.is_zero() {
        return new(F::ONE, F::ZERO);
    }
    if a.is_zero() {
        return if b.re > F::ZERO {
            new(F::ZERO, F::ZERO)
        } else {
            new(F::NAN, F::NAN)
        };
    }
    let n = b.re.to_f64();
    if b.im == F::ZERO && n.trunc() == n && n.abs() < 100.0 {
        return whole_power(a, n as i32);
    }
    let exponent = new(n, b.im.to_f64());
    widely(a, |a| cmath::exp(multiply(exponent, cmath::log(a))))
}

fn whole_power<F: Real>(a: Complex<F>, n: i32) -> Complex<F> {
    match n {
        1 => return a,
        2 => return multiply(a, a),
        3 => return multiply(a, multiply(a, a)),
        _ => {}
    }
    let mut result = new(F::ONE, F::ZERO);
    let (mut base, mut left) = (a, n.unsigned_abs());
    loop {
        if left & 1 == 1 {
            result = multiply(result, base);
        }
        left >>= 1;
        if left == 0 {
            break;
        }
        base = multiply(base, base);
    }
    if n < 0 {
        divide(new(F::ONE, F::ZERO), result)
    } else {
        result
    }
}
