//! Typed access to single elements, for any rank.

use crate::array::Array;
use crate::cast::convert_one;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::Result;
use crate::found::Found;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type whose values are elements of one dtype.
pub trait Number: Copy + sealed::Sealed {
    /// The dtype.
    const DTYPE: DType;
    /// The value's bytes, as an element has them.
    fn to_bytes(self) -> Vec<u8>;
    /// The value of an element's bytes.
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($t:ty => $dtype:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Number for $t {
            const DTYPE: DType = DType::$dtype;
            fn to_bytes(self) -> Vec<u8> {
                self.to_ne_bytes().to_vec()
            }
            fn from_bytes(bytes: &[u8]) -> Self {
                Self::from_ne_bytes(bytes.first_chunk().copied().unwrap_or_default())
            }
        }
    )*};
}

numbers!(
    i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64,
    f32 => F32, f64 => F64
);

impl Array {
    /// The element at one index per axis, converted to a Rust type; `PyArray_GETPTR` with
    /// `*(double *)`, but of any dtype, byte order and alignment.
    ///
    /// # Errors
    /// `IndexOutOfRange`, `TooManyIndices`; `NoCast` if elements aren't numbers.
    pub fn value_at<T: Number>(&self, index: &[i64]) -> Result<T> {
        let bytes = self.at(index)?.to_bytes();
        let to = Descr::new(T::DTYPE);
        let mut value = vec![0; to.size()];
        convert_one(self.descr(), &bytes, &to, &mut value)?;
        Ok(T::from_bytes(&value))
    }

    /// Writes a Rust number, converted to the array's type, with the numeric findings.
    ///
    /// # Errors
    /// As for [`Self::value_at`]; `ReadOnly`.
    pub fn set_value_at<T: Number>(&self, index: &[i64], value: T) -> Result<Found> {
        let one = self.at(index)?;
        let from = Descr::new(T::DTYPE);
        let item = crate::item::Item::from_native(&from, &value.to_bytes());
        one.assign_value(&crate::value::Value::Item(item))
    }

    /// The element of a rank-1 array.
    ///
    /// # Errors
    /// As for [`Self::value_at`].
    pub fn at1<T: Number>(&self, i: i64) -> Result<T> {
        self.value_at(&[i])
    }

    /// The element of a rank-2 array.
    ///
    /// # Errors
    /// As for [`Self::value_at`].
    pub fn at2<T: Number>(&self, i: i64, j: i64) -> Result<T> {
        self.value_at(&[i, j])
    }

    /// The element of a rank-3 array.
    ///
    /// # Errors
    /// As for [`Self::value_at`].
    pub fn at3<T: Number>(&self, i: i64, j: i64, k: i64) -> Result<T> {
        self.value_at(&[i, j, k])
    }

    /// The element of a rank-4 array.
    ///
    /// # Errors
    /// As for [`Self::value_at`].
    pub fn at4<T: Number>(&self, i: i64, j: i64, k: i64, l: i64) -> Result<T> {
        self.value_at(&[i, j, k, l])
    }
}
