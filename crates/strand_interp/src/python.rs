//! Numbers as Python writes them.

use strand_source::float_literal;

/// `repr` of a float: the shortest text that reads back as the same number.
pub fn float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let text = float_literal(value);
    let Some((digits, exponent)) = text.split_once('e') else {
        return text;
    };
    exponential(digits, exponent)
}

/// `1e+16` and `1.5e-05`: a sign and at least two digits.
pub(crate) fn exponential(digits: &str, exponent: &str) -> String {
    match exponent.strip_prefix('-') {
        Some(exponent) => format!("{digits}e-{exponent:0>2}"),
        None => format!("{digits}e+{exponent:0>2}"),
    }
}

/// `True` or `False`.
pub fn boolean(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// `a // b` of Python's ints; `None` past 64 bits or by 0.
pub(crate) fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    let inexact = a.checked_rem(b)? != 0;
    Some(if inexact && ((a < 0) != (b < 0)) {
        quotient - 1
    } else {
        quotient
    })
}

/// `a % b` of Python's ints, with the sign of b; `None` by 0.
pub(crate) fn remainder(a: i64, b: i64) -> Option<i64> {
    if b == 0 {
        return None;
    }
    let rest = a.wrapping_rem(b);
    Some(if rest != 0 && ((rest < 0) != (b < 0)) {
        rest + b
    } else {
        rest
    })
}

/// `a % b` of Python's floats, with the sign of b. b isn't 0.
pub(crate) fn float_remainder(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest == 0.0 {
        return 0.0f64.copysign(b);
    }
    if (rest < 0.0) == (b < 0.0) {
        rest
    } else {
        rest + b
    }
}

/// `a // b` of Python's floats. b isn't 0.
pub(crate) fn float_floor_div(a: f64, b: f64) -> f64 {
    let rest = a % b;
    let mut quotient = (a - rest) / b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) {
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return 0.0f64.copysign(a / b);
    }
    let floor = quotient.floor();
    if quotient - floor > 0.5 {
        floor + 1.0
    } else {
        floor
    }
}

/// `a ** b` of Python's ints with b not negative; `None` past 64 bits.
pub(crate) fn int_pow(a: i64, b: i64) -> Option<i64> {
    match a {
        0 | 1 => Some(if b == 0 { 1 } else { a }),
        -1 => Some(if b % 2 == 0 { 1 } else { -1 }),
        // Larger bases pass 64 bits long before the exponent passes 32.
        _ => a.checked_pow(u32::try_from(b).ok()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_as_python_does() {
        // From CPython 3.13's repr.
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (f64::from(0.1f32), "0.10000000149011612"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e-5, "1.5e-05"),
            (0.0001, "0.0001"),
            (1e-300, "1e-300"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(float(value), text);
        }
    }

    #[test]
    fn division_rounds_down() {
        assert_eq!(floor_div(-7, 2), Some(-4));
        assert_eq!(floor_div(i64::MIN, -1), None);
        assert_eq!(remainder(-7, 2), Some(1));
        assert_eq!(remainder(7, -2), Some(-1));
        assert_eq!(remainder(i64::MIN, -1), Some(0));
        assert_eq!(float_floor_div(-7.5, 2.0), -4.0);
        assert_eq!(float_remainder(-7.5, 2.0), 0.5);
        assert_eq!(int_pow(2, 63), None);
        assert_eq!(int_pow(-1, i64::MAX), Some(-1));
    }
}
