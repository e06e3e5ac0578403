//! Which findings an element's operands and result amount to.

use super::found::{DIVIDE, INVALID, OVER, UNDER};
use crate::dtype::DType;

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
    /// At -i and i.
    Imaginary,
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
    /// As `General`; a result of 0 isn't exact either.
    Growth(Pole),
    /// As `General`, where a tiny result may be exact: a sum always is.
    Sum,
    Product,
    Square,
    Quotient,
    Reciprocal,
    FloorDivide,
    DivMod,
    Remainder,
    Ldexp,
    Hypot,
    /// `logaddexp` and `logaddexp2`: infinite operands go through a NaN.
    LogAdd {
        binary: bool,
    },
    NextAfter,
    Spacing,
}

impl Rule {
    /// Whether outputs have to be looked at.
    pub(super) fn looks(self) -> bool {
        self != Self::Nothing
    }
}

/// One element as its parts.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    pub(super) re: f64,
    pub(super) im: f64,
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

/// One element of a finished block.
pub(super) struct Case {
    pub(super) a: Parts,
    pub(super) b: Parts,
    pub(super) out: Parts,
    /// The type of the result.
    pub(super) dtype: DType,
    /// Whether underflow matters.
    pub(super) under: bool,
}

impl Case {
    pub(super) fn findings(&self, rule: Rule) -> u8 {
        let (a, b, out) = (self.a, self.b, self.out);
        match rule {
            Rule::Nothing => return 0,
            Rule::Spacing => return self.spacing(),
            Rule::LogAdd { binary } => return self.log_add(binary),
            Rule::NextAfter => return self.next_after(),
            Rule::FloorDivide => return self.floor_divide(),
            Rule::DivMod => {
                let both = b.is_zero() && !a.is_nan() && !a.is_zero();
                return self.floor_divide() | if both { INVALID } else { 0 };
            }
            Rule::Quotient if self.dtype.is_complex() && b.is_zero() => {
                return over_zero(a.re) | over_zero(a.im);
            }
            _ => {}
        }
        if out.is_nan() {
            return if a.is_nan() || b.is_nan() { 0 } else { INVALID };
        }
        if out.is_inf() {
            return self.infinite(rule);
        }
        if self.under && self.is_tiny(rule) {
            UNDER
        } else {
            0
        }
    }

    /// NumPy's halves have a loop of their own, which reports what it can't measure.
    fn spacing(&self) -> u8 {
        let size = self.a.re.abs();
        if self.out.is_inf() {
            OVER
        } else if self.dtype == DType::F16 {
            if size.is_finite() { 0 } else { INVALID }
        } else if self.under && size != 0.0 && size + self.out.re.abs() < self.least() {
            UNDER
        } else {
            0
        }
    }

    fn next_after(&self) -> u8 {
        if self.out.is_inf() && self.a.is_finite() {
            OVER
        } else if self.under && self.a.re != self.b.re && self.out.re.abs() < self.least() {
            UNDER
        } else {
            0
        }
    }

    /// The function computes the difference of its operands, compares it with 0, and takes an
    /// exponential of it.
    fn log_add(&self, binary: bool) -> u8 {
        if self.out.is_nan() {
            return INVALID;
        }
        let (a, b) = (self.a.re, self.b.re);
        if !a.is_finite() || !b.is_finite() || a == b {
            return if self.out.is_inf() && a.is_finite() && b.is_finite() {
                OVER
            } else {
                0
            };
        }
        let (apart, limit) = match self.dtype {
            DType::F64 => (a - b, 1022.0),
            _ => (f64::from((a - b) as f32), 126.0),
        };
        let limit = if binary {
            limit
        } else {
            limit * std::f64::consts::LN_2
        };
        if apart.is_infinite() {
            OVER
        } else if self.under && apart.abs() > limit {
            UNDER
        } else {
            0
        }
    }

    fn floor_divide(&self) -> u8 {
        let (a, b, out) = (self.a, self.b, self.out);
        if a.is_nan() || b.is_nan() {
            return 0;
        }
        if b.is_zero() {
            return match () {
                () if a.is_zero() => INVALID,
                () if a.is_inf() => 0,
                () => DIVIDE,
            };
        }
        if out.is_nan() {
            INVALID
        } else if out.is_inf() && a.is_finite() && b.is_finite() {
            // The quotient is compared with its floor; of halves both are finite.
            if self.dtype == DType::F16 {
                OVER
            } else {
                OVER | INVALID
            }
        } else if self.under && out.is_zero() && a.is_finite() && b.is_finite() && !a.is_zero() {
            let quotient = (a.re / b.re).abs();
            // Halves are divided as f32.
            let small = self.dtype != DType::F16 && quotient < self.least();
            let exact = exact_quotient(a.re, b.re, a.re / b.re, self.last_place());
            if small && !exact { UNDER } else { 0 }
        } else {
            0
        }
    }

    fn infinite(&self, rule: Rule) -> u8 {
        let (a, b) = (self.a, self.b);
        if !(a.is_finite() && b.is_finite()) {
            return 0;
        }
        let pole = match rule {
            Rule::General(pole) | Rule::Growth(pole) => pole,
            Rule::Quotient => Pole::Divisor,
            Rule::Reciprocal => Pole::Zero,
            _ => Pole::Nowhere,
        };
        let at_pole = match pole {
            Pole::Nowhere => false,
            Pole::Zero => a.is_zero(),
            Pole::MinusOne => a.re == -1.0 && a.im == 0.0,
            Pole::Ones => a.re.abs() == 1.0 && a.im == 0.0,
            Pole::Imaginary => a.re == 0.0 && a.im.abs() == 1.0,
            Pole::Divisor => b.is_zero(),
            Pole::Power => a.is_zero() && b.re < 0.0,
        };
        if at_pole { DIVIDE } else { OVER }
    }

    /// Whether a result below the least normal number isn't exact.
    fn is_tiny(&self, rule: Rule) -> bool {
        let (a, b, out) = (self.a, self.b, self.out);
        let below = out.re.abs() < self.least() && out.im.abs() < self.least();
        if !below || !a.is_finite() || !b.is_finite() {
            return false;
        }
        let last = self.last_place();
        // A function that is as small as its operand is taken for exact there.
        let follows = out.re.abs() == a.re.abs();
        match rule {
            Rule::Square => !a.is_zero() && !exact_product(a.re, a.re, last),
            Rule::Product => !a.is_zero() && !b.is_zero() && !exact_product(a.re, b.re, last),
            Rule::Quotient => {
                !a.is_zero() && !b.is_zero() && !exact_quotient(a.re, b.re, out.re, last)
            }
            Rule::Ldexp => !a.is_zero() && f64::from(odd_part(a.re).1) + b.re < f64::from(last),
            Rule::Growth(_) => !a.is_zero(),
            Rule::Hypot => !a.is_zero() && !b.is_zero(),
            Rule::General(_) => !out.is_zero() && !follows,
            Rule::Reciprocal => true,
            _ => false,
        }
    }

    /// The least normal number.
    fn least(&self) -> f64 {
        match self.dtype {
            DType::F16 => 6.103_515_625e-5,
            DType::F64 | DType::C128 => f64::MIN_POSITIVE,
            _ => f64::from(f32::MIN_POSITIVE),
        }
    }

    /// The exponent of the last place of the subnormal numbers.
    fn last_place(&self) -> i32 {
        match self.dtype {
            DType::F16 => -24,
            DType::BF16 => -133,
            DType::F64 | DType::C128 => -1074,
            _ => -149,
        }
    }
}

/// A part of a complex number divided by 0.
fn over_zero(x: f64) -> u8 {
    if x == 0.0 {
        INVALID
    } else if x.is_finite() {
        DIVIDE
    } else {
        0
    }
}

/// A number as an odd whole number times a power of two.
fn odd_part(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (whole, power) = match exponent {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, exponent.wrapping_sub(1075)),
    };
    let zeros = whole.trailing_zeros().min(63);
    (whole >> zeros, power.wrapping_add(zeros as i32))
}

fn exact_product(a: f64, b: f64, last: i32) -> bool {
    odd_part(a).1.saturating_add(odd_part(b).1) >= last
}

fn exact_quotient(a: f64, b: f64, quotient: f64, last: i32) -> bool {
    let ((m, e), (n, f), (q, g)) = (odd_part(a), odd_part(b), odd_part(quotient));
    let product = u128::from(q).wrapping_mul(n.into());
    quotient != 0.0 && product == m.into() && g.wrapping_add(f) == e && g >= last
}
