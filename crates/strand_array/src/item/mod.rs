//! Array scalars: single elements with their type, as a full integer index gives them.

mod compare;
mod host;
mod kind;
mod operate;
mod store;
mod value;

use std::fmt;

pub(crate) use compare::{compare, order_of};
pub use compare::{compare_arrays, void_equal};
pub use kind::ScalarKind;
pub use operate::{Operator, operate};
pub(crate) use store::{Fresh, store};
pub(crate) use value::{to_native, truth, truth_of, value_of};

use crate::array::Array;
use crate::context::Context;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::value::Value;

/// One element with its type, in the machine's byte order; an instance of `np.generic`. It doesn't
/// change, but the fields of a structured element write through to the array that it came from.
#[derive(Clone)]
pub struct Item {
    descr: Descr,
    data: Data,
}

#[derive(Clone)]
enum Data {
    /// The bytes of a number.
    Number([u8; 16]),
    /// The bytes of any other element without host values.
    Bytes(std::rc::Rc<[u8]>),
    /// A structured element, where it lies: an array of rank 0.
    Part(Array),
}

impl Item {
    /// An element of `descr.size()` bytes in the machine's byte order, without host values.
    pub(crate) fn from_native(descr: &Descr, bytes: &[u8]) -> Self {
        let mut number = [0; 16];
        let data = match number.get_mut(..bytes.len()) {
            Some(room) if descr.dtype() != DType::Void => {
                room.copy_from_slice(bytes);
                Data::Number(number)
            }
            _ => Data::Bytes(bytes.into()),
        };
        let descr = descr.clone();
        Self { descr, data }
    }

    /// An element of a type from a value of the host; `np.dtype(…).type(value)`.
    ///
    /// # Errors
    /// `BadValue` if the value can't be one; `BadDescr` for host objects and structured types, whose
    /// elements live in arrays.
    pub fn new(descr: &Descr, value: &Value) -> Result<Self> {
        if descr.has_objects() || descr.fields().is_some() || descr.sub().is_some() {
            return Err(ArrayError::BadDescr {
                why: format!("an element of {descr} lives in an array"),
            });
        }
        let native = descr.clone().native();
        let mut fresh = Fresh::new(&native);
        store(&native, fresh.bytes(), value)?;
        Ok(Self::from_native(&native, &fresh.take()))
    }

    /// The element's type; `scalar.dtype`.
    #[must_use]
    pub fn descr(&self) -> &Descr {
        &self.descr
    }

    /// The kind of the element.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.descr.dtype()
    }

    /// The element's bytes, in the machine's byte order; `scalar.tobytes()`.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        match &self.data {
            Data::Number(bytes) => bytes.get(..self.descr.size()).unwrap_or_default().to_vec(),
            Data::Bytes(bytes) => bytes.to_vec(),
            Data::Part(array) => array.to_bytes(),
        }
    }

    /// The element as a value of the host; `scalar.item()`.
    #[must_use]
    pub fn value(&self) -> Value {
        value_of(&self.descr, &self.to_bytes())
    }

    /// Whether the element differs from zero; `bool(scalar)`.
    #[must_use]
    pub fn truth(&self) -> bool {
        truth(&self.descr, &self.to_bytes())
    }

    /// The element in a fresh array of rank 0; `np.asarray(scalar)`.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn to_array(&self, ctx: &Context) -> Result<Array> {
        if let Data::Part(array) = &self.data {
            let out = Array::fresh(ctx, &[], array.descr())?;
            crate::assign::copy_into(array, &out)?;
            return Ok(out);
        }
        Array::from_bytes(ctx, &self.to_bytes(), 0, &[], &[], self.descr.clone())
    }

    /// A field of a structured element; `scalar[name]`. A field that is an array is a view.
    ///
    /// # Errors
    /// `NoSuchField`.
    pub fn field(&self, name: &str) -> Result<Value> {
        self.field_view(name)?.element()
    }

    /// Writes a field of a structured element, through to the array that the element came from;
    /// `scalar[name] = value`.
    ///
    /// # Errors
    /// `NoSuchField`, `ReadOnly`; `BadValue` if the value doesn't fit the field.
    pub fn set_field(&self, name: &str, value: &Value) -> Result<()> {
        self.field_view(name)?.assign_value(value).map(drop)
    }

    fn field_view(&self, name: &str) -> Result<Array> {
        match &self.data {
            Data::Part(array) => array.field(name),
            _ => Err(ArrayError::NoSuchField { name: name.into() }),
        }
    }
}

impl fmt::Debug for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:?})", self.descr, self.value())
    }
}

impl Array {
    /// The element of an array of rank 0 as `array[()]` gives it: the host value of an object array,
    /// else an [`Item`]; a view if the rank isn't 0.
    ///
    /// # Errors
    /// None on rank 0.
    pub fn element(&self) -> Result<Value> {
        if self.rank() > 0 {
            return Ok(Value::Array(self.clone()));
        }
        let descr = self.descr();
        if descr.dtype() == DType::Object {
            return Ok(value_of(descr, &self.to_bytes()));
        }
        if descr.fields().is_some() {
            let (descr, data) = (descr.clone(), Data::Part(self.clone()));
            return Ok(Value::Item(Item { descr, data }));
        }
        let mut bytes = self.to_bytes();
        let native = descr.clone().native();
        to_native(descr, &mut bytes);
        Ok(Value::Item(Item::from_native(&native, &bytes)))
    }

    /// The element at one index per axis, negative ones from the end; `array[i, j]`.
    ///
    /// # Errors
    /// `IndexOutOfRange`; `TooManyIndices` if there isn't one index per axis.
    pub fn element_at(&self, index: &[i64]) -> Result<Value> {
        self.at(index)?.element()
    }

    /// Writes one element; `array[i, j] = value`, with the numeric findings of its conversion.
    ///
    /// # Errors
    /// As for [`Self::element_at`]; `ReadOnly`; `BadValue` if the value can't be an element.
    pub fn set_element(&self, index: &[i64], value: &Value) -> Result<crate::Found> {
        self.at(index)?.assign_value(value)
    }

    /// The rank-0 view of one element.
    pub(crate) fn at(&self, index: &[i64]) -> Result<Self> {
        if index.len() != self.rank() {
            return Err(ArrayError::TooManyIndices {
                found: index.len(),
                rank: self.rank(),
            });
        }
        let mut at = self.offset() as isize;
        let axes = index.iter().zip(self.shape()).zip(self.strides());
        for (axis, ((&i, &size), &stride)) in axes.enumerate() {
            let i = crate::array::wrap_index(i, size, axis)? as isize;
            at = at.wrapping_add(i.wrapping_mul(stride));
        }
        let block = std::rc::Rc::clone(self.block());
        let at = usize::try_from(at).map_err(|_| ArrayError::OutOfBlock)?;
        let mut view = Self::from_parts(block, at, &[], &[], self.descr().clone())?;
        view.writeable = self.writeable;
        Ok(view)
    }
}
