//! Floats as text, with NumPy's options.

use super::digits::{Decimal, Finite, Float};

/// What becomes of zeros at the end of a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trim {
    /// Zeros fill up to the precision.
    Keep,
    /// They go; the point stays.
    Zeros,
    /// They go, but one stays after the point.
    LeaveOne,
    /// They go, and the point with them.
    Point,
}

/// The options of `np.format_float_positional` and `np.format_float_scientific`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Digits after the point at most.
    pub(crate) precision: Option<usize>,
    /// Digits after the point at least, where more are known.
    pub(crate) least: usize,
    /// Whether the shortest digits are enough.
    pub(crate) unique: bool,
    pub(crate) trim: Trim,
    /// Whether a plus sign is written.
    pub(crate) plus: bool,
    /// Characters before the point, filled with spaces.
    pub(crate) left: usize,
    /// Digits after the point, filled with spaces.
    pub(crate) right: usize,
    /// Digits of the exponent.
    pub(crate) exponent: usize,
}

impl Style {
    pub(crate) const PLAIN: Self = Self {
        precision: None,
        least: 0,
        unique: true,
        trim: Trim::Keep,
        plus: false,
        left: 0,
        right: 0,
        exponent: 2,
    };

    /// The digits of a value whose digit `first + precision` is the last allowed.
    fn digits(&self, value: Finite, first: impl Fn(&Decimal) -> i32) -> Decimal {
        let exact = value.exact();
        let count = |digits: usize| first(&exact).saturating_add(digits as i32);
        let most = self.precision.map(count);
        if !self.unique {
            return most.map_or_else(|| exact.clone(), |most| exact.round(most));
        }
        let shortest = value.shortest();
        let have = shortest.digits.len() as i32;
        match most {
            Some(most) if have > most => exact.round(most),
            _ if have < count(self.least) => exact.round(count(self.least)),
            _ => shortest,
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus) {
            (true, _) => "-",
            (false, true) => "+",
            (false, false) => "",
        }
    }

    /// The fraction's digits after trimming and filling, and whether the point is written.
    fn fraction(&self, mut digits: String) -> (String, bool) {
        if self.trim == Trim::Keep {
            while digits.len() < self.precision.unwrap_or(0) {
                digits.push('0');
            }
        } else {
            digits.truncate(digits.trim_end_matches('0').len());
        }
        if self.trim == Trim::LeaveOne && digits.is_empty() {
            digits.push('0');
        }
        let point = self.trim != Trim::Point || !digits.is_empty();
        (digits, point)
    }

    /// `123.456`.
    pub(crate) fn positional(&self, value: Finite) -> String {
        let decimal = self.digits(value, |exact| exact.point);
        let (whole, fraction) = split(&decimal);
        let (fraction, point) = self.fraction(fraction);
        let mut text = format!("{}{whole}", self.sign(value.negative));
        text = pad_left(text, self.left);
        if point {
            text.push('.');
        } else if self.right > 0 {
            text.push(' ');
        }
        let spaces = self.right.saturating_sub(fraction.len());
        text.push_str(&fraction);
        text.extend(std::iter::repeat_n(' ', spaces));
        text
    }

    /// `1.23e+02`.
    pub(crate) fn scientific(&self, value: Finite) -> String {
        let decimal = self.digits(value, |_| 1);
        let mut digits = decimal.digits.iter().map(|digit| char::from(b'0' + digit));
        let first = digits.next().unwrap_or('0');
        let (fraction, point) = self.fraction(digits.collect());
        let mut text = format!("{}{first}", self.sign(value.negative));
        text = pad_left(text, self.left);
        if point {
            text.push('.');
        }
        text.push_str(&fraction);
        let power = if decimal.digits.is_empty() {
            0
        } else {
            decimal.point - 1
        };
        text.push_str(if power < 0 { "e-" } else { "e+" });
        let power = power.unsigned_abs().to_string();
        text.extend(std::iter::repeat_n(
            '0',
            self.exponent.saturating_sub(power.len()),
        ));
        text + &power
    }
}

pub(super) fn pad_left(text: String, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    let mut padded: String = std::iter::repeat_n(' ', missing).collect();
    padded.push_str(&text);
    padded
}

/// The digits before the point, `0` if there are none, and those after it.
fn split(decimal: &Decimal) -> (String, String) {
    let digit = |digit: &u8| char::from(b'0' + digit);
    let before = usize::try_from(decimal.point).unwrap_or(0);
    let mut whole: String = decimal.digits.iter().take(before).map(digit).collect();
    while whole.len() < before {
        whole.push('0');
    }
    if whole.is_empty() {
        whole.push('0');
    }
    let zeros = usize::try_from(-decimal.point).unwrap_or(0);
    let mut fraction = String::new();
    if decimal.digits.len() > before {
        fraction.extend(std::iter::repeat_n('0', zeros));
        fraction.extend(decimal.digits.iter().skip(before).map(digit));
    }
    (whole, fraction)
}

/// A float alone, as `str` of a NumPy scalar gives it: shortest, with an exponent from
/// `most` on and below 10⁻⁴.
pub(crate) fn scalar(value: Float, size: f64, most: f64, trim: Trim, plus: bool) -> String {
    let style = Style {
        trim,
        plus,
        ..Style::PLAIN
    };
    match value {
        Float::Nan if plus => "+nan".into(),
        Float::Nan => "nan".into(),
        Float::Infinite { negative } => format!("{}inf", style.sign(negative)),
        Float::Finite(finite) if size == 0.0 || (1e-4..most).contains(&size) => {
            style.positional(finite)
        }
        Float::Finite(finite) => Style {
            trim: Trim::Point,
            ..style
        }
        .scientific(finite),
    }
}
