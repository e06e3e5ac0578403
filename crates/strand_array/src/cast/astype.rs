//! Arrays converted whole.

use super::{Caster, Casting, check_cast};
use crate::array::Array;
use crate::context::Context;
use crate::descr::Descr;
use crate::error::Result;
use crate::found::Found;
use crate::layout;
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
    let strides = layout::c_strides(array.shape(), descr.size())?;
    let mut block = ctx.block(Array::byte_count(array.shape(), descr.size())?)?;
    block.slice_mut::<u8>().fill(0);
    let out = Array::from_parts(block.into(), 0, array.shape(), &strides, descr.clone())?;
    let found = copy_into(array, &out)?;
    Ok((out.owning(), found))
}

/// Writes the elements of `from` into `to`, which has the same shape and other memory.
pub(crate) fn copy_into(from: &Array, to: &Array) -> Result<Found> {
    debug_assert_eq!(from.shape(), to.shape());
    let caster = Caster::new(from.descr(), to.descr())?;
    let (outer, inner) = match from.rank().checked_sub(1) {
        Some(outer) => (outer, from.shape().get(outer).copied().unwrap_or(1)),
        None => (0, 1),
    };
    let part = |strides: &[isize]| strides.get(outer).copied().unwrap_or(0);
    let (step_from, step_to) = (part(from.strides()), part(to.strides()));
    let mut found = Found::NONE;
    if from.is_empty() {
        return Ok(found);
    }
    let shape = from.shape().get(..outer).unwrap_or_default();
    let mut sources = walk::Walk::new(
        shape,
        from.strides().get(..outer).unwrap_or_default(),
        from.offset(),
    );
    let mut targets = walk::Walk::new(
        shape,
        to.strides().get(..outer).unwrap_or_default(),
        to.offset(),
    );
    while let (Some(a), Some(b)) = (sources.next_offset(), targets.next_offset()) {
        // SAFETY: both constructors proved that every element lies in its block, and a strip along
        // the last axis is made of elements; the blocks aren't the same, says the caller, and no slice
        // into them lives.
        found |= unsafe {
            let src = from.block().ptr().add(a).cast_const();
            let dst = to.block().ptr().add(b);
            caster.run((src, step_from), (dst, step_to), inner)?
        };
    }
    Ok(found)
}

impl Array {
    /// The elements' bytes in C order; `array.tobytes()`.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let size = self.item_size();
        let mut bytes = Vec::with_capacity(self.len() * size);
        let block = self.block().slice::<u8>();
        walk::offsets(self.shape(), self.strides(), self.offset(), |at| {
            bytes.extend_from_slice(block.get(at..at + size).unwrap_or_default());
        });
        bytes
    }
}
