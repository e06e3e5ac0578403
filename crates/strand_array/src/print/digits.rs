//! Decimal digits of binary floats: exact, shortest and rounded.

use std::cmp::Ordering;

use crate::dtype::DType;

/// A float of any format, taken apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Float {
    Nan,
    Infinite { negative: bool },
    Finite(Finite),
}

/// `mantissa * 2^exponent`, with its sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Finite {
    pub(crate) negative: bool,
    mantissa: u64,
    exponent: i32,
    /// Whether the next float below is half as far away as the next above.
    narrow: bool,
}

impl Float {
    /// The float of these bits in a real floating-point type.
    pub(crate) fn of(dtype: DType, bits: u64) -> Self {
        let (size, fraction) = match dtype {
            DType::F16 => (16, 10),
            DType::BF16 => (16, 7),
            DType::F32 => (32, 23),
            _ => (64, 52),
        };
        let widest = (1_u64 << (size - 1 - fraction)) - 1;
        let negative = bits >> (size - 1) & 1 == 1;
        let power = bits >> fraction & widest;
        let low = bits & ((1 << fraction) - 1);
        if power == widest {
            return if low == 0 {
                Self::Infinite { negative }
            } else {
                Self::Nan
            };
        }
        let hidden = if power == 0 { 0 } else { 1 << fraction };
        let bias = (widest >> 1) as i32 + fraction;
        Self::Finite(Finite {
            negative,
            mantissa: low | hidden,
            exponent: power.max(1) as i32 - bias,
            narrow: low == 0 && power > 1,
        })
    }

    pub(crate) fn of_f64(value: f64) -> Self {
        Self::of(DType::F64, value.to_bits())
    }
}

/// `0.d₀d₁d₂… · 10^point`; no digits are zero. Neither the first nor the last digit is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) digits: Vec<u8>,
    pub(crate) point: i32,
}

impl Decimal {
    fn compare(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => self
                .point
                .cmp(&other.point)
                .then_with(|| self.digits.cmp(&other.digits)),
        }
    }

    fn trimmed(mut self) -> Self {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
        self
    }

    /// The first `count` digits, the last of them one higher if `up`.
    fn cut(&self, count: usize, up: bool) -> Self {
        let mut digits: Vec<u8> = self.digits.iter().take(count).copied().collect();
        let mut point = self.point;
        if up {
            while digits.last() == Some(&9) {
                digits.pop();
            }
            match digits.last_mut() {
                Some(last) => *last += 1,
                None => {
                    digits.push(1);
                    point += 1;
                }
            }
        }
        Self { digits, point }.trimmed()
    }

    /// Whether what comes after `count` digits rounds up, ties to an even digit.
    fn rounds_up(&self, count: usize) -> bool {
        let rest = self.digits.get(count..).unwrap_or_default();
        match rest.split_first() {
            None => false,
            Some((&5, [])) => count > 0 && self.digits.get(count - 1).is_some_and(|d| d % 2 == 1),
            Some((&first, _)) => first >= 5,
        }
    }

    /// Rounded to `count` digits, ties to even; to a power of ten or zero if `count` isn't positive.
    pub(crate) fn round(&self, count: i32) -> Self {
        match usize::try_from(count) {
            Ok(count) => self.cut(count, self.rounds_up(count)),
            Err(_) => Self {
                digits: vec![],
                point: 0,
            },
        }
    }
}

impl Finite {
    /// All digits of the value.
    pub(crate) fn exact(self) -> Decimal {
        expand(self.mantissa, self.exponent)
    }

    /// The fewest digits that no other float of the format is nearer to, and of those the nearest.
    pub(crate) fn shortest(self) -> Decimal {
        let value = self.exact();
        let low = if self.narrow { 1 } else { 2 };
        let lowest = expand(
            4 * self.mantissa - low.min(4 * self.mantissa),
            self.exponent - 2,
        );
        let highest = expand(4 * self.mantissa + 2, self.exponent - 2);
        let even = self.mantissa.is_multiple_of(2);
        let inside = |order: Ordering| order == Ordering::Less || even && order == Ordering::Equal;
        for count in 1..value.digits.len() {
            let (down, up) = (value.cut(count, false), value.cut(count, true));
            let down_fits = inside(lowest.compare(&down));
            let up_fits = inside(up.compare(&highest));
            match (down_fits, up_fits) {
                (false, false) => {}
                (true, false) => return down,
                (false, true) => return up,
                (true, true) => return if value.rounds_up(count) { up } else { down },
            }
        }
        value
    }
}

/// The decimal digits of `mantissa * 2^exponent`, all of them: a binary fraction of `k` bits is
/// `mantissa * 5^k` with the point `k` digits from the right.
fn expand(mantissa: u64, exponent: i32) -> Decimal {
    let mut limbs = vec![mantissa as u32, (mantissa >> 32) as u32];
    if exponent >= 0 {
        for _ in 0..exponent / 31 {
            multiply(&mut limbs, 1 << 31);
        }
        multiply(&mut limbs, 1 << (exponent % 31));
    } else {
        for _ in 0..-exponent / 13 {
            multiply(&mut limbs, 1_220_703_125);
        }
        multiply(&mut limbs, 5_u32.pow((-exponent % 13) as u32));
    }
    let mut digits = vec![];
    while limbs.iter().any(|limb| *limb != 0) {
        let mut nine = divide(&mut limbs, 1_000_000_000);
        for _ in 0..9 {
            digits.push((nine % 10) as u8);
            nine /= 10;
        }
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
    }
    while digits.last() == Some(&0) {
        digits.pop();
    }
    digits.reverse();
    let point = digits.len() as i32 + exponent.min(0);
    Decimal { digits, point }.trimmed()
}

fn multiply(limbs: &mut Vec<u32>, by: u32) {
    let mut carry = 0;
    for limb in limbs.iter_mut() {
        let wide = u64::from(*limb) * u64::from(by) + carry;
        *limb = wide as u32;
        carry = wide >> 32;
    }
    if carry > 0 {
        limbs.push(carry as u32);
    }
}

/// Divides in place and gives the remainder.
fn divide(limbs: &mut [u32], by: u32) -> u32 {
    let mut rest = 0;
    for limb in limbs.iter_mut().rev() {
        let wide = rest << 32 | u64::from(*limb);
        *limb = (wide / u64::from(by)) as u32;
        rest = wide % u64::from(by);
    }
    rest as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(decimal: &Decimal) -> String {
        let digits: String = decimal
            .digits
            .iter()
            .map(|d| char::from(b'0' + d))
            .collect();
        format!("0.{digits}e{}", decimal.point)
    }

    #[test]
    fn shortest_digits_read_back_as_the_same_float() {
        let mut state = 1_u64;
        for i in 0..if cfg!(miri) { 12 } else { 4000_u64 } {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(i);
            for value in [f64::from_bits(state), i as f64, 1.0 / (i + 1) as f64] {
                if let Float::Finite(finite) = Float::of_f64(value.abs()) {
                    let found = text(&finite.shortest());
                    assert_eq!(found.parse::<f64>().unwrap(), value.abs(), "{found}");
                    let plain = format!("{:e}", value.abs());
                    let digits = plain.split('e').next().unwrap().replace('.', "");
                    let wanted = digits.trim_end_matches('0').len();
                    assert_eq!(finite.shortest().digits.len(), wanted, "{plain}");
                }
            }
        }
    }

    #[test]
    fn powers_of_two_have_a_nearer_neighbour_below() {
        for power in (-1074..1023).step_by(if cfg!(miri) { 149 } else { 1 }) {
            let value = 2.0_f64.powi(power);
            if let Float::Finite(finite) = Float::of_f64(value) {
                assert_eq!(text(&finite.shortest()).parse::<f64>().unwrap(), value);
            }
        }
    }
}
