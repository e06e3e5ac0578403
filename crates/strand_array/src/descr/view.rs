//! Views of the fields of structured arrays.

use std::rc::Rc;

use super::Descr;
use crate::array::Array;
use crate::error::{ArrayError, Result};
use crate::layout;

impl Array {
    /// One field of every element, as a view; `array[name]`. A subarray's axes follow the array's.
    ///
    /// # Errors
    /// `NoSuchField`; `RankTooHigh` with a subarray's axes.
    pub fn field(&self, name: &str) -> Result<Self> {
        let field = self.descr().fields().and_then(|fields| fields.named(name));
        let field = field.ok_or_else(|| ArrayError::NoSuchField { name: name.into() })?;
        self.part(field.offset(), field.descr())
    }

    /// Some fields of every element, as a view whose elements keep their size;
    /// `array[["a", "b"]]`.
    ///
    /// # Errors
    /// `NoSuchField`; `BadDescr` if a name comes twice.
    pub fn choose_fields(&self, names: &[&str]) -> Result<Self> {
        self.part(0, &self.descr().choose(names)?)
    }

    /// The bytes from `offset` on of every element, as another type; a subarray becomes axes.
    pub(crate) fn part(&self, offset: usize, descr: &Descr) -> Result<Self> {
        let (mut shape, mut strides) = (self.shape().to_vec(), self.strides().to_vec());
        let mut descr = descr;
        while let Some((base, sizes)) = descr.sub() {
            shape.extend_from_slice(sizes);
            strides.extend(layout::c_strides(sizes, base.size())?);
            descr = base;
        }
        layout::check_rank(shape.len())?;
        let empty = self.is_empty();
        let at = if empty {
            self.offset()
        } else {
            self.offset().saturating_add(offset)
        };
        let mut view =
            Self::from_parts(Rc::clone(self.block()), at, &shape, &strides, descr.clone())?;
        view.writeable = self.writeable;
        Ok(view)
    }
}
