//! Shape and type of nested sequences, found before any array is made.

use crate::cast::{Casting, can_cast};
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::layout::MAX_RANK;
use crate::promote::promote_types;
use crate::value::Value;

/// What is known of a value after it was looked through.
pub(crate) struct Discovered {
    /// The sizes on which all members agree.
    pub(crate) shape: Vec<usize>,
    /// The type that all elements have in common; none if there are no elements. `NoPromotion` if they
    /// have none in common, `UnsupportedDType` for texts.
    pub(super) descr: Result<Option<Descr>>,
    /// Whether members of one depth differ in size or kind, so that deeper axes were given up.
    pub(crate) ragged: bool,
    /// The axes that elements may be at most below.
    most: usize,
    /// Whether a tuple is an element, as for structured types.
    tuples: bool,
    /// Whether types matter, or one was asked for.
    typed: bool,
}

impl Discovered {
    /// Looks through a value. With `wanted`, types of elements don't matter.
    pub(crate) fn of(value: &Value, wanted: Option<&Descr>) -> Self {
        let mut found = Self {
            shape: vec![],
            descr: Ok(None),
            ragged: false,
            most: MAX_RANK,
            tuples: wanted.is_some_and(|descr| descr.fields().is_some()),
            typed: wanted.is_some(),
        };
        found.visit(value, 0);
        found.shape.truncate(found.most);
        found
    }

    fn visit(&mut self, value: &Value, depth: usize) {
        let members = match value {
            Value::Tuple(_) if self.tuples => None,
            Value::List(items) | Value::Tuple(items) => Some(items),
            _ => None,
        };
        if let Some(items) = members {
            if depth >= self.most {
                self.ragged = true;
            } else if self.axis(depth, items.len()) {
                for item in items.iter() {
                    self.visit(item, depth.saturating_add(1));
                }
            }
            return;
        }
        if let Value::Array(array) = value {
            for (depth, size) in (depth..).zip(array.shape()) {
                if depth >= self.most {
                    self.ragged = true;
                    return;
                }
                if !self.axis(depth, *size) {
                    return;
                }
            }
            self.leaf(depth.saturating_add(array.rank()));
            self.promote(|| Ok(array.descr().clone()));
        } else {
            self.leaf(depth);
            self.promote(|| type_of(value));
        }
    }

    /// A sequence of `size` members at a depth; false if others there have another size.
    fn axis(&mut self, depth: usize, size: usize) -> bool {
        match self.shape.get(depth) {
            None => {
                self.shape.push(size);
                true
            }
            Some(known) if *known == size => true,
            Some(_) => {
                self.ragged = true;
                self.most = depth;
                false
            }
        }
    }

    fn leaf(&mut self, depth: usize) {
        if depth < self.most {
            self.ragged |= self.shape.len() > depth;
            self.most = depth;
        }
    }

    fn promote(&mut self, other: impl FnOnce() -> Result<Descr>) {
        if self.typed {
            return;
        }
        let known = match &self.descr {
            Ok(known) => known.as_ref(),
            Err(_) => return,
        };
        self.descr = other().and_then(|other| match known {
            None => Ok(Some(other)),
            Some(known) if *known == other && known.fields().is_some() => Ok(Some(other)),
            Some(known) => promote_types(known, &other).map(Some),
        });
    }
}

/// The type that a single value has as an element.
fn type_of(value: &Value) -> Result<Descr> {
    let unsupported = |name: &str| Err(ArrayError::UnsupportedDType { name: name.into() });
    Ok(Descr::new(match value {
        Value::Bool(_) => DType::Bool,
        Value::Int(v) if i64::try_from(*v).is_ok() => DType::I64,
        Value::Int(v) if u64::try_from(*v).is_ok() => DType::U64,
        Value::Float(_) => DType::F64,
        Value::Complex(..) => DType::C128,
        Value::Item(item) => return Ok(item.descr().clone()),
        Value::Text(_) => return unsupported("str"),
        Value::Bytes(_) => return unsupported("bytes"),
        Value::Host(host) => match host.plain() {
            Some(Value::Host(_)) | None => DType::Object,
            Some(plain) => return type_of(&plain),
        },
        _ => DType::Object,
    }))
}

/// Fails if a value would lose something as an element of a type.
///
/// # Errors
/// `CannotCast` for a typed element or array whose type doesn't cast safely, `BadValue` for a number
/// that the type can't hold exactly, other than by rounding within floats.
pub(super) fn check_exact(value: &Value, descr: &Descr) -> Result<()> {
    let typed = match value {
        Value::Item(item) => Some(item.descr()),
        Value::Array(array) => Some(array.descr()),
        _ => None,
    };
    if let Some(from) = typed {
        if can_cast(from, descr, Casting::Safe) {
            return Ok(());
        }
        return Err(ArrayError::CannotCast {
            from: from.to_string(),
            to: descr.to_string(),
            casting: Casting::Safe,
        });
    }
    let dtype = descr.dtype();
    let whole = dtype == DType::Bool || dtype.is_integer();
    let loses = match value {
        Value::Int(v) if dtype == DType::Bool => *v != 0 && *v != 1,
        Value::Float(v) if dtype == DType::Bool => *v != 0.0 && *v != 1.0,
        Value::Float(v) if whole => v.fract() != 0.0,
        Value::Float(v) if dtype == DType::F32 => v.is_finite() && (*v as f32).is_infinite(),
        Value::Float(v) if dtype == DType::F16 => v.abs() >= 65520.0 && v.is_finite(),
        Value::Complex(..) => whole || dtype.is_float(),
        _ => false,
    };
    if loses {
        let why = format!("{} doesn't fit {descr} exactly", value.type_name());
        return Err(ArrayError::BadValue {
            class: "TypeError",
            why,
        });
    }
    Ok(())
}
