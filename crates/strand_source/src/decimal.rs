//! Reading decimal numbers exactly, digit by digit. The standard library's reader is faster, but its tables of powers
//! are a noticeable part of the engine that a page loads, and a program's text has few floats.

/// More significant digits than the middle between two floats can have, so that what follows only breaks ties.
const DIGITS: usize = 800;

/// Digits that a float holds exactly, whatever they are.
const EXACT_DIGITS: usize = 15;

/// The largest power of ten that is a float exactly.
const EXACT_POWER: i32 = 22;

/// The float nearest to a decimal number such as `12.5e-3`, with or without a sign; ties go to the even one, and what
/// is past the largest float is an infinity. `None` where it isn't one.
pub fn parse_float(text: &str) -> Option<f64> {
    let (negative, unsigned) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        all => (false, all),
    };
    let mut number = Decimal::default();
    let mut rest = unsigned;
    let mut has_digits = false;
    let mut after_point = false;
    while let [byte, later @ ..] = rest {
        match byte {
            b'0'..=b'9' => {
                has_digits = true;
                number.push(byte - b'0', after_point);
            }
            b'.' if !after_point => after_point = true,
            _ => break,
        }
        rest = later;
    }
    if !has_digits {
        return None;
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        number.point = number.point.saturating_add(parse_exponent(exponent)?);
    } else if !rest.is_empty() {
        return None;
    }
    let value = number.nearest();
    Some(if negative { -value } else { value })
}

fn parse_exponent(text: &[u8]) -> Option<i32> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        all => (false, all),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0_i32;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value
            .saturating_mul(10)
            .saturating_add(i32::from(digit - b'0'));
    }
    Some(if negative { -value } else { value })
}

/// `0.d1d2d3… * 10^point`; the first digit isn't 0.
#[derive(Default)]
struct Decimal {
    digits: Vec<u8>,
    point: i32,
}

impl Decimal {
    fn push(&mut self, digit: u8, after_point: bool) {
        if self.digits.is_empty() && digit == 0 {
            self.point -= i32::from(after_point);
            return;
        }
        self.point = self.point.saturating_add(i32::from(!after_point));
        match self.digits.get_mut(DIGITS) {
            None => self.digits.push(digit),
            Some(last) => *last |= digit,
        }
    }

    fn nearest(mut self) -> f64 {
        if self.digits.is_empty() || self.point < -330 {
            return 0.0;
        }
        if self.point > 310 {
            return f64::INFINITY;
        }
        if let Some(value) = self.at_once() {
            return value;
        }
        // From here on the number is `0.d1d2… * 2^power`.
        let mut power = 0;
        while self.point > 0 {
            self.halve();
            power += 1;
        }
        while self.point < 0 || self.digits.first().is_none_or(|first| *first < 5) {
            self.double();
            power -= 1;
        }
        // Small floats have fewer bits.
        while power < f64::MIN_EXP {
            self.halve();
            power += 1;
        }
        let mut mantissa = 0_u64;
        for _ in 0..f64::MANTISSA_DIGITS {
            mantissa = 2 * mantissa + u64::from(self.double_fraction());
        }
        let rest = self.digits.as_slice();
        let is_past_middle = match (self.point, rest) {
            (0, [5]) => mantissa % 2 == 1,
            (0, [first, ..]) => *first >= 5,
            _ => false,
        };
        mantissa += u64::from(is_past_middle);
        scaled(mantissa, power - f64::MANTISSA_DIGITS as i32)
    }

    /// The value where one exact product or quotient of floats gives it.
    fn at_once(&self) -> Option<f64> {
        let scale = self.point - i32::try_from(self.digits.len()).ok()?;
        if self.digits.len() > EXACT_DIGITS || scale.abs() > EXACT_POWER {
            return None;
        }
        let whole = |sum, digit: &u8| 10.0 * sum + f64::from(*digit);
        let value = self.digits.iter().fold(0.0, whole);
        let power = (0..scale.abs()).fold(1.0, |power, _| 10.0 * power);
        Some(if scale < 0 {
            value / power
        } else {
            value * power
        })
    }

    fn double(&mut self) {
        if self.double_fraction() {
            self.digits.insert(0, 1);
            self.point += 1;
        }
    }

    /// Doubles what stands after `point` and gives the carry, without putting it in front.
    fn double_fraction(&mut self) -> bool {
        if self.point < 0 {
            // There is a zero in front, which takes the carry.
            self.digits.insert(0, 0);
            self.point += 1;
            self.double_fraction();
            self.trim();
            return false;
        }
        let mut carry = 0;
        for digit in self.digits.iter_mut().rev() {
            let twice = 2 * *digit + carry;
            *digit = twice % 10;
            carry = twice / 10;
        }
        self.trim();
        carry == 1
    }

    fn halve(&mut self) {
        let mut rest = 0;
        for digit in &mut self.digits {
            let here = 10 * rest + *digit;
            *digit = here / 2;
            rest = here % 2;
        }
        if rest == 1 {
            self.digits.push(5);
        }
        self.trim();
    }

    /// Takes zeros off both ends.
    fn trim(&mut self) {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        let zeros = self.digits.iter().take_while(|digit| **digit == 0).count();
        self.digits.drain(..zeros);
        self.point -= zeros as i32;
    }
}

/// `mantissa * 2^power`, both within what a float holds.
fn scaled(mantissa: u64, power: i32) -> f64 {
    let hidden = 1 << (f64::MANTISSA_DIGITS - 1);
    if mantissa < hidden {
        return f64::from_bits(mantissa);
    }
    // Adding rather than setting the exponent: a mantissa that was rounded up to 2^53 carries into it.
    let exponent = power - (f64::MIN_EXP - f64::MANTISSA_DIGITS as i32) + 1;
    if exponent > 2046 {
        return f64::INFINITY;
    }
    f64::from_bits(
        (exponent as u64 - 1)
            .wrapping_mul(hidden)
            .wrapping_add(mantissa),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        let expected: f64 = text.parse().unwrap();
        let found = parse_float(text).unwrap();
        assert_eq!(found.to_bits(), expected.to_bits(), "{text}");
    }

    #[test]
    fn it_reads_as_the_standard_library_does() {
        for text in [
            "0",
            "0.0",
            "-0.0",
            "1",
            "1.",
            ".5",
            "0.1",
            "0.5",
            "5e-1",
            "000123.4500",
            "9007199254740993",
            "9007199254740992.999999999999999999999999",
            "9007199254740993.000000000000000000000001",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "1.8e308",
            "1e309",
            "1e999999999999",
            "2.2250738585072014e-308",
            "2.2250738585072011e-308",
            "2.2250738585072012e-308",
            "4.9e-324",
            "5e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "2.47e-324",
            "1e-400",
            "1e-9999999999",
            "0e99999999999",
            "123456789012345678901234567890",
            "1e22",
            "1e23",
            "8.5e22",
            "0.000000000000000000000000000001",
        ] {
            check(text);
        }
        let mut state = 1_u64;
        let mut next = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..300 {
            let mut text = String::new();
            for _ in 0..=next(30) {
                text.push(char::from(b'0' + next(10) as u8));
            }
            text.push('.');
            for _ in 0..next(30) {
                text.push(char::from(b'0' + next(10) as u8));
            }
            let exponent = next(660) as i64 - 340;
            check(&format!("{text}e{exponent}"));
            let bits = next(1 << 31) << 33 | next(1 << 31) << 2;
            let float = f64::from_bits(bits & !(1 << 63));
            if float.is_finite() {
                check(&format!("{float:e}"));
            }
        }
        for odd in 0..50 {
            // In the middle of two floats, exactly and just past it.
            let middle = (1_u128 << 53) + 1 + 2 * odd;
            check(&middle.to_string());
            check(&format!("{middle}.0000000000000000000000000001"));
            // 2^-10 of it.
            check(&format!("{}e-10", middle * 9_765_625));
            check(&format!("{}e-10", middle * 9_765_625 - 1));
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "", ".", "-", "e5", "1e", "1e+", "1.2.3", "0x10", "1_0", "inf", "nan", " 1", "1 ",
        ] {
            assert_eq!(parse_float(text), None, "{text}");
        }
    }
}
