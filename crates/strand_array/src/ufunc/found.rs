//! Numeric findings, read off the values: no target has to know the machine's status flags.
//!
//! A NaN from operands without one is invalid. An infinite value from finite operands is an
//! overflow, or a division at one of the function's poles. A result below the normal numbers that
//! isn't exact is an underflow.

#![allow(unsafe_code)]

use crate::dtype::DType;
use crate::half::{bf16_to_f32, f16_to_f32};

pub(super) const DIVIDE: u8 = 1;
pub(super) const OVER: u8 = 2;
pub(super) const UNDER: u8 = 4;
pub(super) const INVALID: u8 = 8;
/// An integer raised to a negative power: a value error of the call.
pub(super) const NEGATIVE_POWER: u8 = 16;

/// Where a function of finite operands is infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pole {
    Nowhere,
    /// At 0.
    Zero,
    /// At -1.
    MinusOne,
    /// At -1 and 1.
    Ones,
    /// Where the second operand is 0, and the first isn't.
    Divisor,
    /// 0 to a negative power.
    Power,
}

/// Which findings a function has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// None: values are copied, compared or rounded.
    Nothing,
    /// The general rule.
    General(Pole),
    /// As `General`, where a tiny result may be exact: a sum always is.
    Sum,
    Product,
    Square,
    Quotient,
    FloorDivide,
    DivMod,
    Remainder,
    /// `logaddexp` and `logaddexp2`: infinite operands go through a NaN.
    LogAdd,
    NextAfter,
    Spacing,
}

impl Rule {
    /// Whether outputs have to be looked at.
    pub(super) fn looks(self) -> bool {
        self != Self::Nothing
    }
}

/// An operand of a finished block.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) ptr: *const u8,
    pub(super) dtype: DType,
}

/// One element as its parts.
#[derive(Clone, Copy)]
struct Parts {
    re: f64,
    im: f64,
}

impl Parts {
    fn is_nan(self) -> bool {
        self.re.is_nan() || self.im.is_nan()
    }

    fn is_inf(self) -> bool {
        self.re.is_infinite() || self.im.is_infinite()
    }

    fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }

    fn is_zero(self) -> bool {
        self.re == 0.0 && self.im == 0.0
    }
}

impl Seen {
    /// # Safety
    /// There are more than `i` contiguous elements.
    unsafe fn at(self, i: usize) -> Parts {
        macro_rules! read {
            ($t:ty) => {
                // SAFETY: the caller vouches for element i.
                unsafe { self.ptr.cast::<$t>().add(i).read_unaligned() }
            };
        }
        let (re, im) = match self.dtype {
            DType::F16 => (f64::from(f16_to_f32(read!(u16))), 0.0),
            DType::BF16 => (f64::from(bf16_to_f32(read!(u16))), 0.0),
            DType::F32 => (f64::from(read!(f32)), 0.0),
            DType::F64 => (read!(f64), 0.0),
            DType::C64 => {
                let [re, im] = read!([f32; 2]);
                (f64::from(re), f64::from(im))
            }
            DType::C128 => {
                let [re, im] = read!([f64; 2]);
                (re, im)
            }
            DType::I32 => (f64::from(read!(i32)), 0.0),
            DType::I64 => (read!(i64) as f64, 0.0),
            _ => (1.0, 0.0),
        };
        Parts { re, im }
    }

    /// Whether some of `n` contiguous elements is infinite or NaN, or, if asked for, tiny.
    ///
    /// # Safety
    /// There are `n` contiguous elements.
    unsafe fn is_odd(self, n: usize, tiny: bool) -> bool {
        macro_rules! scan {
            ($t:ty, $count:expr, $exponent:expr) => {{
                let ptr = self.ptr.cast::<$t>();
                let mut odd = false;
                for i in 0..$count {
                    // SAFETY: within the elements that the caller vouches for.
                    let e = unsafe { ptr.add(i).read_unaligned() } & $exponent;
                    odd |= (e == $exponent) | (tiny & (e == 0));
                }
                odd
            }};
        }
        match self.dtype {
            DType::F16 => scan!(u16, n, 0x7c00),
            DType::BF16 => scan!(u16, n, 0x7f80),
            DType::F32 => scan!(u32, n, 0x7f80_0000),
            DType::C64 => scan!(u32, 2 * n, 0x7f80_0000),
            DType::F64 => scan!(u64, n, 0x7ff0_0000_0000_0000),
            DType::C128 => scan!(u64, 2 * n, 0x7ff0_0000_0000_0000),
            _ => false,
        }
    }

    /// The least normal number.
    fn least(self) -> f64 {
        match self.dtype {
            DType::F16 => 6.103_515_625e-5,
            DType::F64 | DType::C128 => f64::MIN_POSITIVE,
            _ => f64::from(f32::MIN_POSITIVE),
        }
    }

    /// The exponent of the last place of the subnormal numbers.
    fn last_place(self) -> i32 {
        match self.dtype {
            DType::F16 => -24,
            DType::BF16 => -133,
            DType::F64 | DType::C128 => -1074,
            _ => -149,
        }
    }
}

/// The findings of a block.
///
/// # Safety
/// Every operand has `n` contiguous elements.
pub(super) unsafe fn classify(
    rule: Rule,
    inputs: &[Seen],
    outputs: &[Seen],
    n: usize,
    under: bool,
) -> u8 {
    // SAFETY: the caller vouches for n elements of each.
    let odd = outputs.iter().any(|out| unsafe { out.is_odd(n, under) });
    if !odd || !rule.looks() {
        return 0;
    }
    let mut found = 0;
    for i in 0..n {
        // SAFETY: i < n.
        let read = |seen: &Seen| unsafe { seen.at(i) };
        let zero = Parts { re: 0.0, im: 0.0 };
        let a = inputs.first().map_or(zero, read);
        let b = inputs.get(1).map_or(zero, read);
        for out in outputs {
            found |= one(rule, a, b, inputs.len(), read(out), *out, under);
        }
    }
    found
}

fn one(rule: Rule, a: Parts, b: Parts, count: usize, out: Parts, seen: Seen, under: bool) -> u8 {
    let b = if count > 1 {
        b
    } else {
        Parts { re: 1.0, im: 0.0 }
    };
    let quiet = a.is_nan() || b.is_nan();
    match rule {
        Rule::Nothing => return 0,
        Rule::Spacing => return if out.is_nan() && !quiet { INVALID } else { 0 },
        Rule::FloorDivide | Rule::DivMod => return floor_divide(a, b, out),
        _ => {}
    }
    if out.is_nan() {
        let expected = rule == Rule::LogAdd && quiet;
        return if quiet || expected { 0 } else { INVALID };
    }
    if out.is_inf() {
        return infinite(rule, a, b);
    }
    if under && tiny(rule, a, b, out, seen) {
        UNDER
    } else {
        0
    }
}

fn floor_divide(a: Parts, b: Parts, out: Parts) -> u8 {
    if a.is_nan() || b.is_nan() {
        return 0;
    }
    if b.is_zero() {
        return if a.is_zero() || a.is_inf() {
            INVALID
        } else {
            DIVIDE
        };
    }
    if out.is_nan() {
        INVALID
    } else if out.is_inf() && a.is_finite() && b.is_finite() {
        OVER
    } else {
        0
    }
}

fn infinite(rule: Rule, a: Parts, b: Parts) -> u8 {
    if !(a.is_finite() && b.is_finite()) {
        return 0;
    }
    let pole = match rule {
        Rule::General(pole) => pole,
        Rule::Quotient => Pole::Divisor,
        _ => Pole::Nowhere,
    };
    let at_pole = match pole {
        Pole::Nowhere => false,
        Pole::Zero => a.is_zero(),
        Pole::MinusOne => a.re == -1.0,
        Pole::Ones => a.re.abs() == 1.0,
        Pole::Divisor => b.is_zero(),
        Pole::Power => a.is_zero() && b.re < 0.0,
    };
    if at_pole { DIVIDE } else { OVER }
}

/// Whether a result below the least normal number isn't exact.
fn tiny(rule: Rule, a: Parts, b: Parts, out: Parts, seen: Seen) -> bool {
    let below = out.re.abs() < seen.least() && out.im.abs() < seen.least();
    let plain = a.is_finite() && b.is_finite() && !a.is_zero();
    if !below || !plain {
        return false;
    }
    match rule {
        Rule::Sum
        | Rule::Nothing
        | Rule::Spacing
        | Rule::FloorDivide
        | Rule::DivMod
        | Rule::Remainder => false,
        Rule::Square => !exact_product(a.re, a.re, seen),
        Rule::NextAfter => a.re != b.re,
        Rule::Product => !b.is_zero() && !exact_product(a.re, b.re, seen),
        Rule::Quotient => !b.is_zero() && !exact_quotient(a.re, b.re, out.re, seen),
        Rule::LogAdd => out.re != 0.0,
        Rule::General(_) => true,
    }
}

/// A number as an odd whole number times a power of two.
fn odd_part(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (whole, power) = match exponent {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, exponent - 1075),
    };
    let zeros = whole.trailing_zeros().min(63);
    (whole >> zeros, power + zeros as i32)
}

fn exact_product(a: f64, b: f64, seen: Seen) -> bool {
    odd_part(a).1 + odd_part(b).1 >= seen.last_place()
}

fn exact_quotient(a: f64, b: f64, quotient: f64, seen: Seen) -> bool {
    let ((m, e), (n, f), (q, g)) = (odd_part(a), odd_part(b), odd_part(quotient));
    quotient != 0.0
        && u128::from(q) * u128::from(n) == u128::from(m)
        && g + f == e
        && g >= seen.last_place()
}
