//! Copies that are written back.

use crate::array::Array;
use crate::cast::Casting;
use crate::context::Context;
use crate::error::{ArrayError, Result};
use crate::found::Found;

/// An array to read and write in place of another. If it is a copy, the other is read-only until
/// [`Self::resolve`] writes the copy back or [`Self::discard`] forgets it. Dropping it with neither is
/// a mistake, which the context records as `UnresolvedWriteback`.
#[must_use = "what is written into the copy is lost unless it is resolved"]
pub struct WriteBack {
    ctx: Context,
    array: Array,
    base: Option<Array>,
}

impl WriteBack {
    pub(super) fn new(ctx: &Context, array: Array, base: Option<Array>) -> Self {
        if let Some(base) = &base {
            base.block().lock();
        }
        Self {
            ctx: ctx.clone(),
            array,
            base,
        }
    }

    /// The array to read and write.
    #[must_use]
    pub fn array(&self) -> &Array {
        &self.array
    }

    /// Whether it is a copy; `flags.writebackifcopy`.
    #[must_use]
    pub fn is_copy(&self) -> bool {
        self.base.is_some()
    }

    /// Writes the copy back, converted to the other array's type, and unlocks that;
    /// `PyArray_ResolveWritebackIfCopy`. With it come the numeric findings of the conversion.
    ///
    /// # Errors
    /// What a host value or a registered type says; the array is unlocked all the same.
    pub fn resolve(mut self) -> Result<Found> {
        let Some(base) = self.base.take() else {
            return Ok(Found::NONE);
        };
        base.block().unlock();
        crate::assign::assign(&self.ctx, &base, &self.array, Casting::Unsafe)
    }

    /// Forgets what was written, and unlocks the other array;
    /// `PyArray_DiscardWritebackIfCopy`.
    pub fn discard(mut self) {
        if let Some(base) = self.base.take() {
            base.block().unlock();
        }
    }
}

impl Drop for WriteBack {
    fn drop(&mut self) {
        if let Some(base) = self.base.take() {
            base.block().unlock();
            self.ctx.record_fault(ArrayError::UnresolvedWriteback);
        }
    }
}
