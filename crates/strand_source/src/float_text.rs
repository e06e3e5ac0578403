//! Writing floats exactly, by whole numbers of many digits. The standard library's writer is faster, but it is four
//! algorithms with tables, a noticeable part of the engine that a page loads; what is written here is read by people.
//! A single `{}` of a float, anywhere, links all of it again.

/// A number as `0.d1d2d3… * 10^point`.
struct Digits {
    negative: bool,
    digits: Vec<u8>,
    point: i32,
}

/// Whole numbers, the lowest limb first, each below [`LIMB`].
struct Whole(Vec<u32>);

const LIMB: u32 = 1_000_000_000;
const LIMB_DIGITS: usize = 9;

/// The text of `{value:?}`: the shortest digits that read back as the same float. It shows that it is a float, with an exponent where it is very large or small.
pub fn float_literal(value: f64) -> String {
    with_special(value, || {
        let digits = Digits::shortest(value);
        if value != 0.0 && !(-3..=16).contains(&digits.point) {
            digits.scientific(0)
        } else {
            digits.plain(1)
        }
    })
}

/// The text of `{value:.places$}`: so many digits after the point; a tie goes to the even one.
pub fn float_fixed(value: f64, places: u16) -> String {
    with_special(value, || {
        let exact = Digits::exact(value);
        let kept = exact.point + i32::from(places);
        exact.rounded(kept).plain(places.into())
    })
}

/// The text of `{value:.places$e}`: so many digits after the point of the first, and an exponent.
pub fn float_scientific(value: f64, places: u16) -> String {
    with_special(value, || {
        let kept = 1 + i32::from(places);
        Digits::exact(value).rounded(kept).scientific(places.into())
    })
}

fn with_special(value: f64, finite: impl FnOnce() -> String) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "inf" } else { "-inf" }.to_owned()
    } else {
        finite()
    }
}

/// A float is `mantissa * 2^power`.
fn parts(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    match (bits >> 52) as i32 & 0x7ff {
        0 => (fraction, -1074),
        exponent => (fraction | 1 << 52, exponent - 1075),
    }
}

impl Whole {
    /// `mantissa * 2^power` in units of `10^min(power, 0)`: the half of 10 that isn't 2 is multiplied in.
    fn scaled(mantissa: u64, power: i32) -> Self {
        let limb = u64::from(LIMB);
        let mut whole = Self(Vec::new());
        let mut rest = mantissa;
        while rest > 0 {
            whole.0.push((rest % limb) as u32);
            rest /= limb;
        }
        let base = if power < 0 { 5_u32 } else { 2 };
        let mut left = power.unsigned_abs();
        while left > 0 {
            let step = left.min(13);
            whole.multiply(base.pow(step));
            left -= step;
        }
        whole
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0;
        for limb in &mut self.0 {
            let product = u64::from(*limb) * u64::from(factor) + carry;
            *limb = (product % u64::from(LIMB)) as u32;
            carry = product / u64::from(LIMB);
        }
        while carry > 0 {
            self.0.push((carry % u64::from(LIMB)) as u32);
            carry /= u64::from(LIMB);
        }
    }

    /// Its last `count` digits, with zeros in front.
    fn digits(&self, count: usize) -> Vec<u8> {
        let mut digits = vec![0; count];
        for (at, digit) in digits.iter_mut().rev().enumerate() {
            let limb = self.0.get(at / LIMB_DIGITS).copied().unwrap_or(0);
            *digit = (limb / 10_u32.pow((at % LIMB_DIGITS) as u32) % 10) as u8;
        }
        digits
    }
}

impl Digits {
    fn exact(value: f64) -> Self {
        let (mantissa, power) = parts(value);
        let whole = Whole::scaled(mantissa, power);
        let count = whole.0.len() * LIMB_DIGITS;
        Self::new(value, whole.digits(count), count as i32 + power.min(0))
    }

    fn new(value: f64, digits: Vec<u8>, point: i32) -> Self {
        let negative = value.is_sign_negative();
        Self {
            negative,
            digits,
            point,
        }
        .trimmed()
    }

    /// Takes zeros off both ends.
    fn trimmed(mut self) -> Self {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        let zeros = self.digits.iter().take_while(|digit| **digit == 0).count();
        self.digits.drain(..zeros);
        self.point -= zeros as i32;
        if self.digits.is_empty() {
            self.point = 0;
        }
        self
    }

    /// The fewest digits that no other float is nearer to, and of those the nearest to the float.
    fn shortest(value: f64) -> Self {
        let (mantissa, power) = parts(value);
        // The float below is half as far where the mantissa is the least of its power of two.
        let is_least = mantissa == 1 << 52 && power > -1074;
        let power = power - 2;
        let high = Whole::scaled(4 * mantissa + 2, power);
        let count = high.0.len() * LIMB_DIGITS;
        let high = high.digits(count);
        let exact = Whole::scaled(4 * mantissa, power).digits(count);
        let below = if is_least { 1 } else { 2 };
        let low = Whole::scaled((4 * mantissa).saturating_sub(below), power).digits(count);
        // A float's own edges round to it where its mantissa is even.
        let has_edges = mantissa % 2 == 0;
        let is_inside = |digits: &[u8]| {
            let inside = *low < *digits && *digits < *high;
            inside || has_edges && (*digits == *low || *digits == *high)
        };
        let first = exact.iter().take_while(|digit| **digit == 0).count();
        let mut found = exact.clone();
        for kept in first + 1..count {
            let (mut down, mut up) = (exact.clone(), exact.clone());
            down[kept..].fill(0);
            up[kept..].fill(0);
            increment(&mut up[..kept]);
            let nearer_up = exact[kept] >= 5;
            let (nearer, other) = if nearer_up { (up, down) } else { (down, up) };
            if let Some(short) = [nearer, other].into_iter().find(|it| is_inside(it)) {
                found = short;
                break;
            }
        }
        Self::new(value, found, count as i32 + power.min(0))
    }

    /// The nearest number of so many digits; a tie goes to the even one.
    fn rounded(mut self, kept: i32) -> Self {
        let Ok(kept) = usize::try_from(kept) else {
            self.digits.clear();
            return self.trimmed();
        };
        let Some((next, rest)) = self.digits.get(kept..).and_then(<[u8]>::split_first) else {
            return self;
        };
        let odd = kept > 0 && self.digits[kept - 1] % 2 == 1;
        let is_past = rest.iter().any(|digit| *digit > 0);
        let up = *next > 5 || *next == 5 && (is_past || odd);
        self.digits.truncate(kept);
        if up && increment(&mut self.digits) {
            self.digits.insert(0, 1);
            self.point += 1;
        }
        self.trimmed()
    }

    fn sign(&self) -> String {
        if self.negative { "-" } else { "" }.to_owned()
    }

    /// The digit at a place after the point, or before it where that is negative.
    fn digit(&self, place: i32) -> char {
        let at = usize::try_from(place + self.point);
        let digit = at.ok().and_then(|at| self.digits.get(at));
        char::from(b'0' + digit.unwrap_or(&0))
    }

    /// Without an exponent, and with as many places after the point as there are digits, at least `places`.
    fn plain(&self, places: usize) -> String {
        let mut text = self.sign();
        text.extend((-self.point.max(1)..0).map(|place| self.digit(place)));
        let places = (self.digits.len() as i32 - self.point).max(places as i32);
        if places > 0 {
            text.push('.');
            text.extend((0..places).map(|place| self.digit(place)));
        }
        text
    }

    /// With an exponent, and at least `places` digits after the point of the first.
    fn scientific(&self, places: usize) -> String {
        let mut text = self.sign();
        let first = -self.point;
        text.push(self.digit(first));
        let places = (self.digits.len().saturating_sub(1)).max(places) as i32;
        if places > 0 {
            text.push('.');
            text.extend((first + 1..=first + places).map(|place| self.digit(place)));
        }
        let exponent = if self.digits.is_empty() {
            0
        } else {
            self.point - 1
        };
        text.push('e');
        text.push_str(&exponent.to_string());
        text
    }
}

/// Adds one to the last digit; whether all were nines, which are zeros then.
fn increment(digits: &mut [u8]) -> bool {
    for digit in digits.iter_mut().rev() {
        if *digit < 9 {
            *digit += 1;
            return false;
        }
        *digit = 0;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: f64) {
        assert_eq!(float_literal(value), format!("{value:?}"));
        for places in [0, 1, 4] {
            let at = usize::from(places);
            assert_eq!(float_fixed(value, places), format!("{value:.at$}"));
            let expected = format!("{value:.at$e}");
            assert_eq!(float_scientific(value, places), expected);
        }
    }

    #[test]
    fn it_writes_as_the_standard_library_does() {
        for value in [
            0.0,
            0.5,
            1.5,
            2.5,
            0.05,
            0.25,
            0.000_05,
            0.999_95,
            9.9999,
            99.99999,
            0.1,
            1e-4,
            1e-5,
            1e15,
            1e16,
            1e17,
            1e22,
            1e23,
            5e-324,
            9_007_199_254_740_993.0,
            f64::MAX,
            f64::MIN_POSITIVE,
            f64::EPSILON,
            f64::INFINITY,
            f64::NAN,
        ] {
            check(value);
            check(-value);
        }
        for power in -1074..1024 {
            check(2_f64.powi(power));
        }
        let mut state = 1_u64;
        for _ in 0..3000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            check(f64::from_bits(state ^ state >> 29));
            check(f64::from((state >> 40) as f32 / 1000.0));
            check((state >> 44) as f64 / 64.0);
        }
    }
}
