//! Arrays converted whole.

use super::{Caster, Casting, check_cast};
use crate::array::Array;
use crate::assign::copy_into;
use crate::context::Context;
use crate::descr::Descr;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::item::{Fresh, store};
use crate::strip::Strip;
use crate::value::Value;
use crate::walk;

/// The elements of `array` as another type, in a fresh C-contiguous array; `array.astype(descr,
/// order="C", casting=…)`. With the array come the numeric findings.
///
/// # Errors
/// `CannotCast`, `NoCast`, `OutOfMemory`.
pub fn astype(
    ctx: &Context,
    array: &Array,
    descr: &Descr,
    casting: Casting,
) -> Result<(Array, Found)> {
    check_cast(array.descr(), descr, casting)?;
    if descr.sub().is_some() {
        return Err(ArrayError::BadDescr {
            why: "elements can't become subarrays".into(),
        });
    }
    let out = Array::fresh(ctx, array.shape(), descr)?;
    let found = copy_into(array, &out)?;
    Ok((out, found))
}

/// Converts the bytes of one element.
///
/// # Errors
/// As for [`Caster::new`] and [`Caster::run`].
pub(crate) fn convert_one(from: &Descr, src: &[u8], to: &Descr, dst: &mut [u8]) -> Result<Found> {
    Caster::new(from, to)?.convert_slices(src, dst)
}

/// Puts the bytes of an element, with its handles, in place of the one of a rank-0 array, whose
/// handles are released.
///
/// # Errors
/// `ReadOnly`; `OutOfBlock` if it isn't one element of that size.
fn write_element(array: &Array, bytes: &[u8]) -> Result<()> {
    if !array.flags().writeable {
        return Err(ArrayError::ReadOnly);
    }
    if array.rank() > 0 || bytes.len() != array.item_size() {
        return Err(ArrayError::OutOfBlock);
    }
    let old = array.to_bytes();
    Strip::of(array, array.offset() as isize, 0, 1)?.write(bytes);
    crate::object::release_all(&old, &array.descr().object_offsets());
    Ok(())
}

impl Array {
    /// Writes a value into an array of rank 0; `array[()] = value`, with the numeric findings.
    ///
    /// # Errors
    /// `ReadOnly`; `BadValue` if the value can't be an element; `OutOfBlock` if the rank isn't 0.
    pub fn assign_value(&self, value: &Value) -> Result<Found> {
        if !self.flags().writeable {
            return Err(ArrayError::ReadOnly);
        }
        let mut fresh = Fresh::new(self.descr());
        let found = store(self.descr(), fresh.bytes(), value)?;
        let bytes = fresh.take();
        write_element(self, &bytes)?;
        Ok(found)
    }

    /// The elements' bytes in C order; `array.tobytes()`.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let size = self.item_size();
        let mut bytes = Vec::with_capacity(self.len().saturating_mul(size));
        let block = self.block().slice::<u8>();
        walk::offsets(self.shape(), self.strides(), self.offset(), |at| {
            bytes.extend_from_slice(block.get(at..at.saturating_add(size)).unwrap_or_default());
        });
        bytes
    }
}
