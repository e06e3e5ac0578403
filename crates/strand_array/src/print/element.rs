//! Texts of single elements and of values of the host.

use super::digits::Float;
use super::float::{Trim, scalar};
use crate::descr::Descr;
use crate::dtype::DType;
use crate::half::{bf16_to_f32, f16_to_f32};
use crate::item::{Item, value_of};
use crate::value::Value;

/// The bits of up to 8 bytes.
fn bits(bytes: &[u8]) -> u64 {
    let mut wide = [0; 8];
    for (to, from) in wide.iter_mut().zip(bytes) {
        *to = *from;
    }
    if cfg!(target_endian = "little") {
        u64::from_le_bytes(wide)
    } else {
        u64::from_be_bytes(wide) >> (64 - 8 * bytes.len().clamp(1, 8))
    }
}

/// A native element of a real floating-point type: its parts and its value.
pub(super) fn real(dtype: DType, bytes: &[u8]) -> (Float, f64) {
    let bits = bits(bytes);
    let value = match dtype {
        DType::F16 => f16_to_f32(bits as u16).into(),
        DType::BF16 => bf16_to_f32(bits as u16).into(),
        DType::F32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    };
    (Float::of(dtype, bits), value)
}

/// From which size on a scalar of the type is written with an exponent.
fn most(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 1e3,
        DType::F32 | DType::C64 | DType::BF16 => 1e6,
        _ => 1e16,
    }
}

fn float_text(dtype: DType, bytes: &[u8], trim: Trim, plus: bool) -> String {
    let (float, value) = real(dtype, bytes);
    scalar(float, value.abs(), most(dtype), trim, plus)
}

fn complex_text(part: DType, bytes: &[u8]) -> String {
    let (re, im) = bytes.split_at(bytes.len() / 2);
    let (_, value) = real(part, re);
    if value == 0.0 && value.is_sign_positive() {
        return format!("{}j", float_text(part, im, Trim::Point, false));
    }
    let re = float_text(part, re, Trim::Point, false);
    format!("({re}{}j)", float_text(part, im, Trim::Point, true))
}

/// An element as `str` of its scalar gives it.
pub(crate) fn text_of(descr: &Descr, bytes: &[u8]) -> String {
    if descr.fields().is_some() {
        return super::structured_text(descr, bytes);
    }
    let native = super::native(descr, bytes);
    if let Some(table) = descr.user() {
        return table.print(&native);
    }
    let bytes = native.as_slice();
    match descr.dtype() {
        DType::Bool => super::truth_text(bytes.iter().any(|b| *b != 0)).into(),
        dtype if dtype.is_float() => float_text(dtype, bytes, Trim::LeaveOne, false),
        DType::C64 => complex_text(DType::F32, bytes),
        DType::C128 => complex_text(DType::F64, bytes),
        DType::Void if descr.is_plain_void() => hex_text(bytes),
        _ => match value_of(&descr.clone().native(), bytes) {
            Value::Int(value) => value.to_string(),
            Value::Text(text) => text.to_string(),
            other => repr(&other),
        },
    }
}

/// Plain void: every byte in hex.
fn hex_text(bytes: &[u8]) -> String {
    let mut text = String::from("b'");
    for byte in bytes {
        text.push_str("\\x");
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from(if digit < 10 {
                b'0' + digit
            } else {
                b'A' + digit - 10
            }));
        }
    }
    text.push('\'');
    text
}

/// A scalar as its `repr`: `np.float32(0.5)`, `np.True_`.
pub(crate) fn item_repr(item: &Item) -> String {
    let (descr, bytes) = (item.descr(), item.to_bytes());
    let text = text_of(descr, &bytes);
    match descr.dtype() {
        DType::Bool => format!("np.{text}_"),
        DType::User(_) => text,
        DType::Void if descr.is_plain_void() => format!("np.void({text})"),
        DType::Void => format!("np.void({text}, dtype={})", descr.repr()),
        DType::C64 | DType::C128 => {
            let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
            format!("np.{}({})", descr.long_name(), inner.unwrap_or(&text))
        }
        DType::BF16 => text,
        _ => {
            let text = text
                .strip_suffix(".0")
                .map_or(text.clone(), |t| format!("{t}.0"));
            format!("np.{}({text})", descr.long_name())
        }
    }
}

/// A float of the host: shortest, with an exponent from 10¹⁶ on.
fn host_float(value: f64, trim: Trim, plus: bool) -> String {
    scalar(Float::of_f64(value), value.abs(), 1e16, trim, plus)
}

/// How deep nested sequences are written.
const MAX_DEPTH: usize = 64;

/// A value as the host's `repr` writes it.
pub(crate) fn repr(value: &Value) -> String {
    nested_repr(value, MAX_DEPTH)
}

fn nested_repr(value: &Value, depth: usize) -> String {
    let Some(depth) = depth.checked_sub(1) else {
        return "...".into();
    };
    match value {
        Value::None => "None".into(),
        Value::Bool(v) => super::truth_text(*v).into(),
        Value::Int(v) => v.to_string(),
        Value::Float(v) => host_float(*v, Trim::LeaveOne, false),
        Value::Complex(re, im) => {
            let bytes = [re.to_ne_bytes(), im.to_ne_bytes()].concat();
            complex_text(DType::F64, &bytes)
        }
        Value::Text(text) => quoted(text),
        Value::Bytes(bytes) => format!("b{}", quoted_bytes(bytes)),
        Value::List(items) => format!("[{}]", joined(items, depth)),
        Value::Tuple(items) => match &**items {
            [only] => format!("({},)", nested_repr(only, depth)),
            items => format!("({})", joined(items, depth)),
        },
        Value::Item(item) => item_repr(item),
        Value::Array(array) => super::array_repr(array, &super::PrintOptions::default()),
        Value::Host(value) => value.repr(),
    }
}

fn joined(items: &[Value], depth: usize) -> String {
    let text = |item: &Value| nested_repr(item, depth);
    let texts: Vec<String> = items.iter().map(text).collect();
    texts.join(", ")
}

/// A text as Python writes it: in single quotes, or in double ones if it has a single one inside and
/// no double one.
pub(crate) fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut found = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => found.push_str("\\\\"),
            '\n' => found.push_str("\\n"),
            '\r' => found.push_str("\\r"),
            '\t' => found.push_str("\\t"),
            c if c == quote => found.extend(['\\', c]),
            c if is_printable(c) => found.push(c),
            c => found.push_str(&match u32::from(c) {
                code @ 0..0x100 => format!("\\x{code:02x}"),
                code @ 0..0x1_0000 => format!("\\u{code:04x}"),
                code => format!("\\U{code:08x}"),
            }),
        }
    }
    found.push(quote);
    found
}

/// Whether Python writes a character as itself: spaces but the plain one, controls and characters of
/// private use are escaped.
fn is_printable(c: char) -> bool {
    c == ' '
        || !(c.is_control()
            || c.is_whitespace()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
            || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}'))
}

fn quoted_bytes(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') {
        b'"'
    } else {
        b'\''
    };
    let mut out = String::from(char::from(quote));
    for &byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            b'\\' => out.push_str("\\\\"),
            byte if byte == quote => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=b'~' => out.push(char::from(byte)),
            byte => {
                out.push_str("\\x");
                for digit in [byte >> 4, byte & 15] {
                    out.push(char::from_digit(digit.into(), 16).unwrap_or('0'));
                }
            }
        }
    }
    out.push(char::from(quote));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_written_as_python_does() {
        assert_eq!(quoted("a"), "'a'");
        assert_eq!(quoted("it's"), "\"it's\"");
        assert_eq!(quoted("\u{200b}\u{7f}é\""), "'\\u200b\\x7fé\"'");
        assert_eq!(quoted("'\""), "'\\'\"'");
    }

    #[test]
    fn texts_of_host_values_are_python_literals() {
        let value = Value::from("a\0b\u{200b}");
        assert_eq!(value.to_string(), r"'a\x00b\u200b'");
    }
}
