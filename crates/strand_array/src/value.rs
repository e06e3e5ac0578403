//! Values of the host: what an object array holds, and what sequences are made of.

use std::any::Any;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

use crate::array::Array;
use crate::error::Result;
use crate::item::Item;

/// A value of the host language.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Value {
    /// `None`; what a fresh object array holds.
    #[default]
    None,
    /// A truth value, which has a type: `bool`.
    Bool(bool),
    /// A whole number without a size.
    Int(i128),
    /// A float without a size.
    Float(f64),
    /// A complex number without a size: real and imaginary part.
    Complex(f64, f64),
    /// A text.
    Text(Rc<str>),
    /// Bytes; what an element of plain void holds.
    Bytes(Rc<[u8]>),
    /// A sequence that nests into the axes of an array.
    List(Sequence),
    /// A sequence that fills the fields of a structured element, and elsewhere nests as a list.
    Tuple(Sequence),
    /// An element of an array, with its type.
    Item(Item),
    /// An array.
    Array(Array),
    /// Anything else.
    Host(Rc<dyn HostValue>),
}

/// The members of a list or tuple, shared by its clones. However deep they nest, they are let go one after the other.
#[derive(Clone, Debug)]
pub struct Sequence(Rc<[Value]>);

impl Deref for Sequence {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.0
    }
}

impl FromIterator<Value> for Sequence {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl<const N: usize> From<[Value; N]> for Sequence {
    fn from(items: [Value; N]) -> Self {
        Self(items.into())
    }
}

impl Sequence {
    /// Moves the sequences among the members of one that nothing else holds into a list.
    fn part(&mut self, open: &mut Vec<Self>) {
        for item in Rc::get_mut(&mut self.0).into_iter().flatten() {
            if let Value::List(items) | Value::Tuple(items) = item
                && !items.is_empty()
            {
                open.push(Self(std::mem::take(&mut items.0)));
            }
        }
    }
}

impl Drop for Sequence {
    fn drop(&mut self) {
        let mut open = Vec::new();
        self.part(&mut open);
        while let Some(mut sequence) = open.pop() {
            sequence.part(&mut open);
        }
    }
}

/// What the engine asks of a value that only the host understands. Any of these may call the engine
/// again.
pub trait HostValue: Any {
    /// The name of its type, for errors.
    fn type_name(&self) -> &str;

    /// The value as printed.
    fn repr(&self) -> String;

    /// The same value as a number, a text or a sequence, if it is one.
    fn plain(&self) -> Option<Value> {
        None
    }

    /// Whether it counts as true.
    fn truth(&self) -> bool {
        true
    }

    /// Its order against another value; none if the two have none.
    fn compare(&self, other: &Value) -> Option<Ordering> {
        let _ = other;
        None
    }

    /// What an operation of that name gives with this value as the left operand, or as the right
    /// one if `reversed`; none if it has no such operation.
    fn operate(&self, op: &str, other: Option<&Value>, reversed: bool) -> Option<Result<Value>> {
        let _ = (op, other, reversed);
        None
    }

    /// Its elements, if it offers the array interface.
    fn array(&self) -> Option<&dyn ArrayInterface> {
        None
    }

    /// The value as itself, for a host that knows its types.
    fn as_any(&self) -> &dyn Any;
}

/// A value that has an array.
pub trait ArrayInterface {
    /// Its elements where they lie; no copy is made.
    fn share(&self) -> Option<Array> {
        None
    }

    /// Its elements in an array that may be made for the purpose.
    ///
    /// # Errors
    /// What hinders the host.
    fn to_array(&self, ctx: &crate::Context) -> Result<Array>;

    /// Whether the value takes part as itself where arrays are wanted, unless ENSUREARRAY asks for a
    /// plain one.
    fn is_subtype(&self) -> bool {
        false
    }
}

impl fmt::Debug for dyn HostValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.repr())
    }
}

impl Value {
    /// A list of values.
    #[must_use]
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(items.into_iter().collect())
    }

    /// A tuple of values.
    #[must_use]
    pub fn tuple(items: impl IntoIterator<Item = Self>) -> Self {
        Self::Tuple(items.into_iter().collect())
    }

    /// The members of a list or tuple.
    #[must_use]
    pub fn members(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) | Self::Tuple(items) => Some(items),
            _ => None,
        }
    }

    /// The name of the value's type, for errors.
    #[must_use]
    pub fn type_name(&self) -> String {
        match self {
            Self::None => "NoneType".into(),
            Self::Bool(_) => "bool".into(),
            Self::Int(_) => "int".into(),
            Self::Float(_) => "float".into(),
            Self::Complex(..) => "complex".into(),
            Self::Text(_) => "str".into(),
            Self::Bytes(_) => "bytes".into(),
            Self::List(_) => "list".into(),
            Self::Tuple(_) => "tuple".into(),
            Self::Item(item) => item.descr().to_string(),
            Self::Array(_) => "array".into(),
            Self::Host(value) => value.type_name().into(),
        }
    }
}

macro_rules! from {
    ($($t:ty => $make:expr;)*) => {$(
        impl From<$t> for Value {
            fn from(value: $t) -> Self {
                $make(value)
            }
        }
    )*};
}

from! {
    bool => Value::Bool;
    i64 => |v| Value::Int(i128::from(v));
    i32 => |v| Value::Int(i128::from(v));
    f64 => Value::Float;
    &str => |v: &str| Value::Text(v.into());
    Array => Value::Array;
    Item => Value::Item;
    Rc<dyn HostValue> => Value::Host;
}
