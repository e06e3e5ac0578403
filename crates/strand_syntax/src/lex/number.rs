//! Number literals: `3`, `1_000`, `0.5`, `1e-3`.

use strand_source::{Code, Diagnostic, Span, continues_name, starts_name};

use super::clip;
use crate::token::{Kind, Value};

/// A number as read: what it is, its length in bytes, and what is wrong with it.
pub(super) struct Number {
    pub kind: Kind,
    pub value: Value,
    pub length: usize,
    pub problem: Option<Problem>,
}

/// A sentence, and what to write instead.
pub(super) struct Problem {
    message: String,
    instead: Option<String>,
}

impl Problem {
    fn new(message: impl Into<String>, instead: impl Into<Option<String>>) -> Self {
        Self {
            message: message.into(),
            instead: instead.into(),
        }
    }

    pub fn diagnostic(self, span: Span) -> Diagnostic {
        let found = Diagnostic::new(Code::E0105, span, self.message);
        match self.instead {
            Some(text) => found.fix(format!("write `{}`", clip(&text)), span, text),
            None => found,
        }
    }
}

/// Reads the number at the start of `rest`, which starts with a digit, or `.` and a digit.
pub(super) fn read(rest: &str) -> Number {
    let bytes = rest.as_bytes();
    if let Some(radix) = radix_of(bytes) {
        return read_radix(rest, radix);
    }
    let whole = digits(bytes, 0);
    let mut end = whole;
    let mut is_float = false;
    let mut lone_dot = whole == 0;
    let dot = bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.');
    let after = bytes.get(end + 1).copied().unwrap_or(b' ');
    if dot && (after.is_ascii_digit() || !starts_field(rest, end + 1)) {
        let fraction = digits(bytes, end + 1);
        lone_dot |= fraction == end + 1;
        end = fraction;
        is_float = true;
    }
    if let Some(after_exponent) = exponent(bytes, end) {
        end = after_exponent;
        is_float = true;
    }
    let tail = tail(rest, end);
    let text = rest.get(..end).unwrap_or("");
    let problem = if tail > end {
        Some(tail_problem(text, rest.get(end..tail).unwrap_or("")))
    } else if lone_dot {
        Some(Problem::new(
            "a float has digits on both sides of its point",
            with_zeros(text),
        ))
    } else {
        shape_problem(text, is_float)
    };
    finish(text, is_float, tail.max(end), problem)
}

fn finish(text: &str, is_float: bool, length: usize, problem: Option<Problem>) -> Number {
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    if is_float {
        let value = strand_source::parse_float(&plain).unwrap_or(0.0);
        let large = || Problem::new(format!("`{}` is larger than any float", clip(text)), None);
        let problem = problem.or_else(|| value.is_infinite().then(large));
        let value = if value.is_finite() { value } else { f64::MAX };
        return Number {
            kind: Kind::Float,
            value: Value::Float(value),
            length,
            problem,
        };
    }
    let value: Option<i64> = plain.parse().ok();
    let large = || {
        let message = format!("`{}` is larger than any 64-bit integer", clip(text));
        Problem::new(message, format!("{text}.0"))
    };
    let problem = problem.or_else(|| value.is_none().then(large));
    Number {
        kind: Kind::Int,
        value: Value::Int(value.unwrap_or(i64::MAX)),
        length,
        problem,
    }
}

/// Digits and underscores from `at`.
fn digits(bytes: &[u8], at: usize) -> usize {
    let run = bytes.get(at..).unwrap_or(&[]);
    if !run.first().is_some_and(u8::is_ascii_digit) {
        return at;
    }
    at + run
        .iter()
        .take_while(|b| b.is_ascii_digit() || **b == b'_')
        .count()
}

/// The end of `e-3` at `at`.
fn exponent(bytes: &[u8], at: usize) -> Option<usize> {
    if !matches!(bytes.get(at), Some(b'e' | b'E')) {
        return None;
    }
    let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
    let end = digits(bytes, at + 1 + sign);
    (end > at + 1 + sign).then_some(end)
}

/// Whether the point before `at` reads a field: `3.real`, which isn't a float with a tail.
fn starts_field(rest: &str, at: usize) -> bool {
    let mut after = rest.get(at..).unwrap_or("").chars();
    let first = after.next().unwrap_or(' ');
    let exponent =
        matches!(first, 'e' | 'E') && after.next().is_some_and(|c| c.is_ascii_digit() || c == '-');
    !exponent && starts_name(first)
}

/// The end of letters, digits and points that stick to the number at `at`.
fn tail(rest: &str, at: usize) -> usize {
    let mut end = at;
    let mut characters = rest.get(at..).unwrap_or("").chars().peekable();
    while let Some(character) = characters.next() {
        let goes_on = characters.peek().is_some_and(char::is_ascii_digit);
        if continues_name(character) || (character == '.' && goes_on && end > 0) {
            end += character.len_utf8();
        } else {
            break;
        }
    }
    end
}

fn tail_problem(text: &str, tail: &str) -> Problem {
    if tail.starts_with('.') {
        return Problem::new("a number has one point", None);
    }
    if matches!(tail, "f" | "F" | "l" | "L" | "u" | "U" | "d" | "D") {
        let message = format!("a number has no suffix: `{}`", clip(tail));
        return Problem::new(message, text.to_string());
    }
    let is_dtype = crate::words::DTYPES.contains(&tail);
    if is_dtype {
        let message = format!("a number has no suffix: `{tail}` is said by `to`");
        return Problem::new(message, format!("({text} to {tail})"));
    }
    let is_name = !tail.starts_with('_') && tail.starts_with(starts_name);
    let message = format!(
        "`{}` is neither a number nor a name",
        clip(&format!("{text}{tail}"))
    );
    Problem::new(message, is_name.then(|| format!("{text} * {tail}")))
}

/// What is wrong with underscores and leading zeros.
fn shape_problem(text: &str, is_float: bool) -> Option<Problem> {
    let bytes = text.as_bytes();
    let lone = bytes.iter().enumerate().any(|(at, byte)| {
        let digit = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at))
                .is_some_and(u8::is_ascii_digit)
        };
        *byte == b'_' && !(digit(at.checked_sub(1)) && digit(Some(at + 1)))
    });
    if lone {
        let message = "an underscore in a number stands alone between two digits";
        return Some(Problem::new(message, tidy_underscores(text)));
    }
    let zero =
        bytes.len() > 1 && bytes[0] == b'0' && (bytes[1].is_ascii_digit() || bytes[1] == b'_');
    if zero && !is_float {
        let plain = text.trim_start_matches(['0', '_']);
        let plain = if plain.is_empty() { "0" } else { plain };
        return Some(Problem::new(
            "a whole number has no leading zeros",
            plain.to_string(),
        ));
    }
    None
}

fn tidy_underscores(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        let next_is_digit = text.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit);
        if character != '_' || (next_is_digit && out.ends_with(|c: char| c.is_ascii_digit())) {
            out.push(character);
        }
    }
    out
}

/// `1.` as `1.0`, `.5` as `0.5`, `1.e3` as `1.0e3`.
fn with_zeros(text: &str) -> String {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = if rest.starts_with(|c: char| c.is_ascii_digit()) {
        ""
    } else {
        "0"
    };
    format!("{whole}.{fraction}{rest}")
}

fn radix_of(bytes: &[u8]) -> Option<u32> {
    if bytes.first() != Some(&b'0') {
        return None;
    }
    match bytes.get(1)? {
        b'x' | b'X' => Some(16),
        b'o' | b'O' => Some(8),
        b'b' | b'B' => Some(2),
        _ => None,
    }
}

fn read_radix(rest: &str, radix: u32) -> Number {
    let length = tail(rest, 2);
    let written = rest.get(2..length).unwrap_or("");
    let plain: String = written.chars().filter(|c| *c != '_').collect();
    let value = i64::from_str_radix(&plain, radix).ok();
    let problem = Problem::new(
        "numbers are written in base ten",
        value.map(|v| v.to_string()),
    );
    Number {
        kind: Kind::Int,
        value: Value::Int(value.unwrap_or(0)),
        length,
        problem: Some(problem),
    }
}
