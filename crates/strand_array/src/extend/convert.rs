//! Converters: from a value of the host to what a function works with.

use std::rc::Rc;

use crate::array::Array;
use crate::cast::Casting;
use crate::context::Context;
use crate::descr::Descr;
use crate::error::{ArrayError, Result};
use crate::make::{AnyOptions, Copies, Requirements, WriteBack, from_any, inout};
use crate::ufunc::{MemoryOrder, Mode};
use crate::value::Value;

/// What an array argument must be like.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// The type of the elements; by default as they come.
    pub descr: Option<Descr>,
    /// The fewest axes.
    pub min_rank: usize,
    /// The most axes, if there is a limit.
    pub max_rank: Option<usize>,
    /// Further requirements.
    pub requirements: Requirements,
}

impl Needs {
    fn options(&self) -> AnyOptions<'_> {
        AnyOptions {
            descr: self.descr.as_ref(),
            min_rank: self.min_rank,
            max_rank: self.max_rank,
            requirements: self.requirements,
            copies: Copies::IfNeeded,
        }
    }
}

/// How an argument is converted.
#[derive(Clone, Debug)]
pub enum Converter {
    /// A dtype by its name; `PyArray_DescrConverter`. `None` is `float64`.
    Descr,
    /// An array of anything, as needed; `PyArray_FromAny`.
    Array(Needs),
    /// An array that is read and written, written back if it had to be copied.
    InOut(Needs),
    /// An axis number, or `None` for all axes; `PyArray_AxisConverter`.
    Axis,
    /// A casting rule by its name; `PyArray_CastingConverter`.
    Casting,
    /// `C`, `F`, `A` or `K`; `PyArray_OrderConverter`. `None` is K.
    Order,
    /// An error mode by its name: ignore, warn, raise, call, print, log.
    Mode,
    /// A whole number of 64 bits.
    Int,
    /// A number.
    Float,
    /// Whether a value counts as true; `PyArray_BoolConverter`.
    Bool,
    /// A text.
    Text,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// The value as it comes.
    Any,
}

/// What a converter gives.
pub(super) enum Converted {
    Descr(Descr),
    Array(Array),
    InOut(WriteBack),
    Axis(Option<i64>),
    Casting(Casting),
    Order(MemoryOrder),
    Mode(Mode),
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(Rc<str>),
    Value(Value),
}

/// The error modes by their names.
const MODES: [(&str, Mode); 6] = [
    ("ignore", Mode::Ignore),
    ("warn", Mode::Warn),
    ("raise", Mode::Raise),
    ("call", Mode::Call),
    ("print", Mode::Print),
    ("log", Mode::Log),
];

fn error(class: &'static str, why: String) -> ArrayError {
    ArrayError::BadValue { class, why }
}

fn wrong_type(value: &Value, wanted: &str) -> ArrayError {
    error("TypeError", format!("{} isn't {wanted}", value.type_name()))
}

fn text<'v>(value: &'v Value, wanted: &str) -> Result<&'v Rc<str>> {
    match value {
        Value::Text(text) => Ok(text),
        _ => Err(wrong_type(value, wanted)),
    }
}

impl Converter {
    pub(super) fn convert(&self, ctx: &Context, value: &Value) -> Result<Converted> {
        Ok(match self {
            Self::Descr => Converted::Descr(descr(value)?),
            Self::Array(needs) => Converted::Array(from_any(ctx, value, &needs.options())?),
            Self::InOut(needs) => Converted::InOut(inout(ctx, value, &needs.options())?),
            Self::Axis => Converted::Axis(match value {
                Value::None => None,
                _ => Some(whole(value)?),
            }),
            Self::Casting => {
                let name = text(value, "the name of a casting rule")?;
                let rule = Casting::named(name);
                Converted::Casting(rule.ok_or_else(|| {
                    let names = Casting::ALL.map(Casting::name);
                    unknown(name, &names)
                })?)
            }
            Self::Order => Converted::Order(order(value)?),
            Self::Mode => {
                let name = text(value, "the name of an error mode")?;
                let found = MODES.iter().find(|(known, _)| *known == &**name);
                let names = MODES.map(|(name, _)| name);
                Converted::Mode(found.ok_or_else(|| unknown(name, &names))?.1)
            }
            Self::Int => Converted::Int(whole(value)?),
            Self::Float => Converted::Float(float(value)?),
            Self::Bool => Converted::Bool(truth(value)?),
            Self::Text => Converted::Text(Rc::clone(text(value, "a text")?)),
            Self::Choice(names) => {
                let name = text(value, "a text")?;
                if !names.contains(&&**name) {
                    return Err(unknown(name, names));
                }
                Converted::Text(Rc::clone(name))
            }
            Self::Any => Converted::Value(value.clone()),
        })
    }
}

fn unknown(name: &str, names: &[&str]) -> ArrayError {
    error(
        "ValueError",
        format!("{name:?} is none of {}", names.join(", ")),
    )
}

fn descr(value: &Value) -> Result<Descr> {
    match value {
        Value::None => Ok(crate::DType::F64.into()),
        Value::Text(name) => {
            Descr::named(name).map_err(|found| error("TypeError", found.to_string()))
        }
        _ => Err(wrong_type(value, "the name of a dtype")),
    }
}

fn order(value: &Value) -> Result<MemoryOrder> {
    if let Value::None = value {
        return Ok(MemoryOrder::K);
    }
    let name = text(value, "a memory order")?;
    match &**name {
        "C" | "c" => Ok(MemoryOrder::C),
        "F" | "f" => Ok(MemoryOrder::F),
        "A" | "a" => Ok(MemoryOrder::A),
        "K" | "k" => Ok(MemoryOrder::K),
        _ => Err(unknown(name, &["C", "F", "A", "K"])),
    }
}

/// The single element of a number: of an item, of a host value that is one, or of an array of rank 0.
fn plain(value: &Value) -> Option<Value> {
    match value {
        Value::Item(item) => Some(item.value()),
        Value::Array(array) if array.rank() == 0 => match array.element().ok()? {
            Value::Item(item) => Some(item.value()),
            other => Some(other),
        },
        Value::Host(host) => host.plain(),
        _ => None,
    }
}

/// A whole number, as Python's `operator.index` takes it.
fn whole(value: &Value) -> Result<i64> {
    match value {
        Value::Int(v) => {
            i64::try_from(*v).map_err(|_| error("OverflowError", format!("{v} is past 64 bits")))
        }
        Value::Bool(v) => Ok(i64::from(*v)),
        _ => match plain(value) {
            Some(found @ Value::Int(_)) => whole(&found),
            _ => Err(wrong_type(value, "a whole number")),
        },
    }
}

fn float(value: &Value) -> Result<f64> {
    match value {
        Value::Float(v) => Ok(*v),
        Value::Int(v) => Ok(*v as f64),
        Value::Bool(v) => Ok(f64::from(u8::from(*v))),
        _ => match plain(value) {
            Some(found @ (Value::Float(_) | Value::Int(_) | Value::Bool(_))) => float(&found),
            _ => Err(wrong_type(value, "a number")),
        },
    }
}

fn truth(value: &Value) -> Result<bool> {
    Ok(match value {
        Value::None => false,
        Value::Bool(v) => *v,
        Value::Int(v) => *v != 0,
        Value::Float(v) => *v != 0.0,
        Value::Complex(re, im) => *re != 0.0 || *im != 0.0,
        Value::Text(text) => !text.is_empty(),
        Value::Bytes(bytes) => !bytes.is_empty(),
        Value::List(items) | Value::Tuple(items) => !items.is_empty(),
        Value::Item(item) => item.truth(),
        Value::Host(host) => host.truth(),
        Value::Array(array) if array.len() == 1 => {
            let one = array.reshape_view(&[]).unwrap_or_else(|| array.clone());
            match one.element()? {
                Value::Array(_) => return Err(many()),
                value => truth(&value)?,
            }
        }
        Value::Array(_) => return Err(many()),
    })
}

fn many() -> ArrayError {
    error(
        "ValueError",
        "whether an array of several elements is true isn't clear".into(),
    )
}
