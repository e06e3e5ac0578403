//! One format for all elements of an array: common widths, precision and notation.

use super::PrintOptions;
use super::digits::Float;
use super::element::{real, repr, text_of};
use super::float::{Style, Trim, pad_left};
use crate::descr::Descr;
use crate::dtype::DType;
use crate::half::{bf16_to_f32, f16_to_f32, f64_to_f16};
use crate::item::value_of;
use crate::value::Value;

/// When floats are printed in full: `floatmode=` of `np.printoptions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatMode {
    /// Exactly `precision` digits after the point.
    Fixed,
    /// As many digits as tell floats apart.
    Unique,
    /// Those, but at most `precision`.
    Maxprec,
    /// At most `precision`, and as many for all elements.
    MaxprecEqual,
}

/// The copied bytes of some elements: host code that printing calls can't change them.
pub(super) struct Elements {
    pub(super) list: Vec<Vec<u8>>,
    /// Whether they come from an array with axes.
    pub(super) axes: bool,
}

impl Elements {
    /// The same part of every element.
    fn part(&self, offset: usize, descr: &Descr) -> Self {
        let cut = |bytes: &[u8]| {
            let part = bytes.get(offset..offset + descr.size());
            part.unwrap_or_default().to_vec()
        };
        let (base, count) = match descr.sub() {
            Some((base, shape)) => (base, shape.iter().product()),
            None => (descr, 1),
        };
        let mut list = vec![];
        for element in &self.list {
            let part = cut(element);
            for i in 0..count {
                let one = part.get(i * base.size()..(i + 1) * base.size());
                list.push(one.unwrap_or_default().to_vec());
            }
        }
        Self {
            list,
            axes: self.axes || descr.sub().is_some(),
        }
    }
}

/// How each element of an array is written.
pub(super) enum Format {
    Bool { wide: bool },
    Int { width: usize, sign: char },
    Float(FloatFormat),
    Complex(FloatFormat, FloatFormat),
    Object,
    Text,
    Fields(Vec<Part>),
}

/// A field of a structured element.
pub(super) struct Part {
    offset: usize,
    descr: Descr,
    format: Format,
}

impl Format {
    /// A format that fits all of the elements.
    pub(super) fn new(descr: &Descr, data: &Elements, options: &PrintOptions) -> Self {
        Self::make(descr, data, options, false)
    }

    /// The format of a structured scalar, whose floats are written each by itself.
    pub(super) fn alone(descr: &Descr, data: &Elements, options: &PrintOptions) -> Self {
        Self::make(descr, data, options, true)
    }

    fn make(descr: &Descr, data: &Elements, options: &PrintOptions, alone: bool) -> Self {
        if let Some(fields) = descr.fields() {
            let part = |field: &crate::Field| {
                let data = data.part(field.offset(), field.descr());
                let base = field.descr().sub().map_or(field.descr(), |(base, _)| base);
                Part {
                    offset: field.offset(),
                    descr: field.descr().clone(),
                    format: Self::make(base, &data, options, alone),
                }
            };
            return Self::Fields(fields.iter().map(part).collect());
        }
        match descr.dtype() {
            DType::Bool => Self::Bool { wide: data.axes },
            dtype if dtype.is_integer() => int_format(descr, data, options),
            dtype if dtype.is_float() && alone => Self::Text,
            dtype if dtype.is_float() => Self::Float(FloatFormat::new(
                dtype,
                &natives(descr, data),
                options,
                options.sign,
            )),
            dtype if dtype.is_complex() => {
                let part = if dtype == DType::C64 {
                    DType::F32
                } else {
                    DType::F64
                };
                let halves = natives(descr, data);
                let half = |second: bool| -> Vec<Vec<u8>> {
                    let cut = |bytes: &Vec<u8>| {
                        let (re, im) = bytes.split_at(bytes.len() / 2);
                        if second { im.to_vec() } else { re.to_vec() }
                    };
                    halves.iter().map(cut).collect()
                };
                Self::Complex(
                    FloatFormat::new(part, &half(false), options, options.sign),
                    FloatFormat::new(part, &half(true), options, '+'),
                )
            }
            DType::Object => Self::Object,
            _ => Self::Text,
        }
    }

    /// The text of one element.
    pub(super) fn write(&self, descr: &Descr, bytes: &[u8], options: &PrintOptions) -> String {
        let native = || super::native(descr, bytes);
        match self {
            Self::Bool { wide } => {
                let yes = bytes.iter().any(|byte| *byte != 0);
                match (yes, wide) {
                    (true, true) => " True".into(),
                    (yes, _) => super::truth_text(yes).into(),
                }
            }
            Self::Int { width, sign } => match value_of(descr, bytes) {
                Value::Int(value) => {
                    let text = match sign {
                        '+' | ' ' if value >= 0 => format!("{sign}{value}"),
                        _ => value.to_string(),
                    };
                    pad_left(text, *width)
                }
                _ => String::new(),
            },
            Self::Float(format) => format.write(&native(), options),
            Self::Complex(re, im) => {
                let native = native();
                let (a, b) = native.split_at(native.len() / 2);
                let (re, im) = (re.write(a, options), im.write(b, options));
                // The unit stands before the spaces at the end.
                let end = im.trim_end_matches(' ').len();
                let (number, spaces) = im.split_at(end);
                format!("{re}{number}j{spaces}")
            }
            Self::Object => match value_of(descr, bytes) {
                list @ Value::List(_) => format!("list({})", repr(&list)),
                other => repr(&other),
            },
            Self::Text => text_of(descr, bytes),
            Self::Fields(parts) => {
                let text = |part: &Part| {
                    let end = part.offset + part.descr.size();
                    let bytes = bytes.get(part.offset..end).unwrap_or_default();
                    part.write(bytes, options)
                };
                let texts: Vec<String> = parts.iter().map(text).collect();
                match texts.as_slice() {
                    [only] => format!("({only},)"),
                    texts => format!("({})", texts.join(", ")),
                }
            }
        }
    }
}

impl Part {
    fn write(&self, bytes: &[u8], options: &PrintOptions) -> String {
        match self.descr.sub() {
            None => self.format.write(&self.descr, bytes, options),
            Some((base, shape)) => {
                let count: usize = shape.iter().product();
                let summary = count > options.threshold;
                self.nested(base, shape, bytes, summary, options)
            }
        }
    }

    fn nested(
        &self,
        base: &Descr,
        shape: &[usize],
        bytes: &[u8],
        summary: bool,
        options: &PrintOptions,
    ) -> String {
        let Some((&size, rest)) = shape.split_first() else {
            return self.format.write(base, bytes, options);
        };
        let each = bytes.len() / size.max(1);
        let edge = options.edgeitems;
        let short = summary && size > edge.saturating_mul(2);
        let mut texts = vec![];
        for i in 0..size {
            if short && i == edge {
                texts.push("...".into());
            }
            if short && (edge..size - edge).contains(&i) {
                continue;
            }
            let part = bytes.get(i * each..(i + 1) * each).unwrap_or_default();
            texts.push(self.nested(base, rest, part, summary, options));
        }
        format!("[{}]", texts.join(", "))
    }
}

fn natives(descr: &Descr, data: &Elements) -> Vec<Vec<u8>> {
    let one = |bytes: &Vec<u8>| super::native(descr, bytes);
    data.list.iter().map(one).collect()
}

fn int_format(descr: &Descr, data: &Elements, options: &PrintOptions) -> Format {
    let values = data
        .list
        .iter()
        .filter_map(|bytes| match value_of(descr, bytes) {
            Value::Int(value) => Some(value),
            _ => None,
        });
    let (mut low, mut high) = (i128::MAX, i128::MIN);
    for value in values {
        low = low.min(value);
        high = high.max(value);
    }
    let mut sign = options.sign;
    if low > high {
        return Format::Int { width: 0, sign };
    }
    if sign == ' ' && low < 0 {
        sign = '-';
    }
    let signed = usize::from(high >= 0 && sign != '-');
    let width = (high.to_string().len() + signed).max(low.to_string().len());
    Format::Int { width, sign }
}

/// `FloatingFormat` of NumPy: notation, precision and widths for a set of floats.
pub(super) struct FloatFormat {
    dtype: DType,
    scientific: bool,
    style: Style,
}

/// The text before and after a character.
fn parts(text: &str, at: char) -> (usize, usize) {
    text.split_once(at)
        .map_or((text.len(), 0), |(a, b)| (a.len(), b.len()))
}

impl FloatFormat {
    fn new(dtype: DType, data: &[Vec<u8>], options: &PrintOptions, sign: char) -> Self {
        let all: Vec<(Float, f64)> = data.iter().map(|bytes| real(dtype, bytes)).collect();
        let finite: Vec<_> = all
            .iter()
            .filter_map(|(float, _)| match float {
                Float::Finite(finite) => Some(*finite),
                _ => None,
            })
            .collect();
        let scientific = needs_exponent(dtype, &all, options.suppress);
        let fixed = options.floatmode == FloatMode::Fixed;
        let precision = (options.floatmode != FloatMode::Unique).then_some(options.precision);
        let mut style = Style {
            precision,
            unique: !fixed,
            trim: if fixed { Trim::Keep } else { Trim::Zeros },
            plus: sign == '+',
            ..Style::PLAIN
        };
        let (mut left, mut right) = (0, 0);
        if scientific {
            let (mut fraction, mut exponent) = (0, 0);
            for value in &finite {
                let text = style.scientific(*value);
                let (number, power) = text.split_once('e').unwrap_or((&text, ""));
                let (whole, digits) = parts(number, '.');
                left = left.max(whole);
                fraction = fraction.max(digits);
                exponent = exponent.max(power.len().saturating_sub(1));
            }
            style.trim = Trim::Keep;
            style.precision = Some(fraction);
            style.least = fraction;
            style.exponent = exponent;
            right = exponent + 2 + fraction;
        } else {
            for value in &finite {
                let (whole, digits) = parts(&style.positional(*value), '.');
                left = left.max(whole);
                right = right.max(digits);
            }
            if !finite.is_empty() {
                if matches!(
                    options.floatmode,
                    FloatMode::Fixed | FloatMode::MaxprecEqual
                ) {
                    style.precision = Some(right);
                    style.least = right;
                    style.trim = Trim::Keep;
                } else {
                    style.trim = Trim::Zeros;
                }
            }
        }
        if sign == ' ' && !finite.iter().any(|value| value.negative) {
            left += 1;
        }
        if finite.len() < all.len() {
            let low = |(float, _): &(Float, f64)| *float == Float::Infinite { negative: true };
            let signed = usize::from(sign != '-' || all.iter().any(low));
            let offset = right + 1;
            left = left.max(options.nan.len().saturating_sub(offset));
            left = left.max((options.inf.len() + signed).saturating_sub(offset));
        }
        style.left = left;
        style.right = right;
        Self {
            dtype,
            scientific,
            style,
        }
    }

    fn write(&self, bytes: &[u8], options: &PrintOptions) -> String {
        let width = self.style.left + self.style.right + 1;
        let plus = if self.style.plus { "+" } else { "" };
        match real(self.dtype, bytes).0 {
            Float::Nan => pad_left(format!("{plus}{}", options.nan), width),
            Float::Infinite { negative } => {
                let sign = if negative { "-" } else { plus };
                pad_left(format!("{sign}{}", options.inf), width)
            }
            Float::Finite(value) if self.scientific => self.style.scientific(value),
            Float::Finite(value) => self.style.positional(value),
        }
    }
}

/// Whether the set has a value too large or small, or reaches over too much, for plain notation.
fn needs_exponent(dtype: DType, all: &[(Float, f64)], suppress: bool) -> bool {
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for (float, value) in all {
        let size = value.abs();
        if matches!(float, Float::Finite(_)) && size > 0.0 {
            low = low.min(size);
            high = high.max(size);
        }
    }
    if high == 0.0 {
        return false;
    }
    // The bounds and the quotient are rounded as the type rounds them.
    let round = |v: f64| match dtype {
        DType::F16 => f16_to_f32(f64_to_f16(v)).into(),
        DType::BF16 => bf16_to_f32(crate::half::f32_to_bf16(v as f32)).into(),
        DType::F32 => f64::from(v as f32),
        _ => v,
    };
    let most = match dtype {
        DType::F16 => 1e3,
        DType::F32 | DType::BF16 => 1e6,
        _ => 1e8,
    };
    high >= most || !suppress && (low < round(0.0001) || round(high / low) > 1000.0)
}
