//! Operands of calls.

use crate::array::Array;
use crate::context::Context;
use crate::descr::Descr;
use crate::dtype::{DType, Scalar};
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::promote::{Weak, default_of};
use crate::value::Value;

/// An operand: an array, or a number of the host.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Operand {
    /// An array; a typed scalar is one of rank 0.
    Array(Array),
    /// A host truth value, which has the type bool.
    Bool(bool),
    /// A host integer: it takes the type of what it meets.
    Int(i128),
    /// A host float.
    Float(f64),
    /// A host complex number: real and imaginary part.
    Complex(f64, f64),
}

impl From<Array> for Operand {
    fn from(array: Array) -> Self {
        Self::Array(array)
    }
}

impl From<&Array> for Operand {
    fn from(array: &Array) -> Self {
        Self::Array(array.clone())
    }
}

/// What an operand says about the types of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Typed(DType),
    Weak(Weak),
}

impl Operand {
    /// The number as a value of the host, or the array.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Array(array) => Value::Array(array.clone()),
            Self::Bool(v) => Value::Bool(*v),
            Self::Int(v) => Value::Int(*v),
            Self::Float(v) => Value::Float(*v),
            Self::Complex(re, im) => Value::Complex(*re, *im),
        }
    }

    pub(super) fn given(&self) -> Given {
        match self {
            Self::Array(array) => Given::Typed(array.dtype()),
            Self::Bool(_) => Given::Typed(DType::Bool),
            Self::Int(_) => Given::Weak(Weak::Int),
            Self::Float(_) => Given::Weak(Weak::Float),
            Self::Complex(..) => Given::Weak(Weak::Complex),
        }
    }

    /// The descriptor that casting rules are applied to.
    pub(super) fn descr(&self) -> Descr {
        match (self, self.given()) {
            (Self::Array(array), _) => array.descr().clone(),
            (_, Given::Typed(dtype)) => Descr::new(dtype),
            (_, Given::Weak(weak)) => Descr::new(default_of(weak)),
        }
    }

    /// The operand as an array of its own type, which of a host integer is i64.
    ///
    /// # Errors
    /// `OutOfType` if a host integer is beyond it.
    pub(super) fn typed(&self, ctx: &Context) -> Result<Self> {
        Ok(Self::Array(self.to_array(ctx, self.descr().dtype())?.0))
    }

    /// The operand as an array; a host number becomes one of rank 0 and type `dtype`.
    ///
    /// # Errors
    /// `OutOfType` if a host integer isn't in the range of `dtype`.
    pub(super) fn to_array(&self, ctx: &Context, dtype: DType) -> Result<(Array, Found)> {
        let value = match self {
            Self::Array(array) => return Ok((array.clone(), Found::NONE)),
            Self::Bool(value) => {
                return Ok((Array::scalar(ctx, Scalar::Bool(*value))?, Found::NONE));
            }
            Self::Int(value) => return integer(ctx, *value, dtype),
            Self::Float(value) => (*value, 0.0),
            Self::Complex(re, im) => (*re, *im),
        };
        from_complex(ctx, value, dtype)
    }
}

fn out_of_type(value: i128, dtype: DType) -> ArrayError {
    ArrayError::OutOfType {
        value: value.to_string(),
        dtype,
    }
}

fn integer(ctx: &Context, value: i128, dtype: DType) -> Result<(Array, Found)> {
    if dtype.is_integer() {
        let (low, high) = dtype.whole_range();
        if value < low || value > high {
            return Err(out_of_type(value, dtype));
        }
        // The bytes of a whole number in the type's size.
        let bytes = value.to_ne_bytes();
        let size = dtype.size();
        let part = if cfg!(target_endian = "little") {
            bytes.get(..size)
        } else {
            bytes.get(bytes.len().saturating_sub(size)..)
        };
        return Ok((bytes_of(ctx, part.unwrap_or_default(), dtype)?, Found::NONE));
    }
    if dtype == DType::Bool {
        return Ok((Array::scalar(ctx, Scalar::Bool(value != 0))?, Found::NONE));
    }
    match i64::try_from(value) {
        Ok(small) if small.unsigned_abs() > 1 << 53 => {
            // One rounding, from the integer to the type.
            let exact = Array::scalar(ctx, Scalar::I64(small))?;
            let to = Descr::new(dtype);
            crate::cast::astype(ctx, &exact, &to, crate::Casting::Unsafe)
        }
        _ => from_complex(ctx, (value as f64, 0.0), dtype),
    }
}

fn from_complex(ctx: &Context, (re, im): (f64, f64), dtype: DType) -> Result<(Array, Found)> {
    let mut bytes = [0; 16];
    let (first, second) = bytes.split_at_mut(8);
    first.copy_from_slice(&re.to_ne_bytes());
    second.copy_from_slice(&im.to_ne_bytes());
    let exact = bytes_of(ctx, &bytes, DType::C128)?;
    let to = Descr::new(dtype);
    crate::cast::astype(ctx, &exact, &to, crate::Casting::Unsafe)
}

/// A rank-0 array of the given bytes.
pub(super) fn bytes_of(ctx: &Context, bytes: &[u8], dtype: DType) -> Result<Array> {
    Array::from_bytes(ctx, bytes, 0, &[], &[], Descr::new(dtype))
}
