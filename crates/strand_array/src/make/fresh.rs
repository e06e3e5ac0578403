//! New arrays from a descriptor, shape and strides.

use std::rc::Rc;

use crate::array::Array;
use crate::context::Context;
use crate::descr::Descr;
use crate::error::{ArrayError, Result};
use crate::layout;
use crate::object::Held;

impl Array {
    /// A C-contiguous array of zeros, or of `None` where elements are host values;
    /// `np.zeros(shape, descr)`. The axes of a subarray type follow those of the array.
    ///
    /// # Errors
    /// `OutOfMemory`, `TooLarge`, `RankTooHigh`.
    pub fn fresh(ctx: &Context, shape: &[usize], descr: &Descr) -> Result<Self> {
        let (shape, base) = absorbed(shape, descr);
        let strides = layout::c_strides(&shape, base.size())?;
        Self::with_strides(ctx, &shape, &strides, &base)
    }

    /// The same in Fortran order; `np.zeros(shape, descr, order="F")`.
    ///
    /// # Errors
    /// As for [`Self::fresh`].
    pub fn fresh_fortran(ctx: &Context, shape: &[usize], descr: &Descr) -> Result<Self> {
        let (shape, base) = absorbed(shape, descr);
        let reversed: Vec<usize> = shape.iter().rev().copied().collect();
        let mut strides = layout::c_strides(&reversed, base.size())?;
        strides.reverse();
        Self::with_strides(ctx, &shape, &strides, &base)
    }

    /// An array of zeros whose axes have these byte strides, none negative and each a multiple of
    /// the item size, over a block of its own; `PyArray_NewFromDescr` with strides.
    ///
    /// # Errors
    /// `BadArgument` for other strides; `OutOfMemory`, `TooLarge`.
    pub fn with_strides(
        ctx: &Context,
        shape: &[usize],
        strides: &[isize],
        descr: &Descr,
    ) -> Result<Self> {
        let item = descr.size();
        let on_grid = |stride: &isize| match item {
            0 => *stride == 0,
            _ => *stride >= 0 && (*stride as usize).is_multiple_of(item),
        };
        if shape.len() != strides.len() || !strides.iter().all(on_grid) {
            return Err(ArrayError::BadArgument {
                op: "with_strides",
                why: "strides must be multiples of the item size, one per axis".into(),
            });
        }
        let empty = layout::element_count(shape)? == 0;
        let (_, high) = if empty {
            (0, 0)
        } else {
            layout::extent(shape, strides)
        };
        let bytes = if empty {
            0
        } else {
            high.saturating_add(item as i128)
        };
        let bytes = usize::try_from(bytes).ok();
        let bytes = bytes.filter(|bytes| *bytes <= crate::MAX_BYTES);
        let bytes = bytes.ok_or(ArrayError::TooLarge {
            what: "the number of bytes",
        })?;
        let mut block = ctx.block(bytes)?;
        match Held::new(descr) {
            Some(held) => block = block.holding(held),
            None => block.slice_mut::<u8>().fill(0),
        }
        let array = Self::from_parts(Rc::new(block), 0, shape, strides, descr.clone())?;
        Ok(array.owning())
    }

    /// An array over a copy of the elements' bytes in C order; `np.frombuffer(bytes,
    /// descr).reshape(shape)`.
    ///
    /// # Errors
    /// `CountMismatch` if the bytes don't fill the shape; `BadDescr` for elements with host values.
    pub fn from_elements(
        ctx: &Context,
        bytes: &[u8],
        shape: &[usize],
        descr: &Descr,
    ) -> Result<Self> {
        let (shape, base) = absorbed(shape, descr);
        let wanted = Self::byte_count(&shape, base.size())?;
        if wanted != bytes.len() {
            return Err(ArrayError::CountMismatch {
                found: bytes.len().checked_div(base.size()).unwrap_or(0),
                shape,
            });
        }
        let strides = layout::c_strides(&shape, base.size())?;
        Self::from_bytes(ctx, bytes, 0, &shape, &strides, base)
    }
}

/// The shape with the axes of a subarray type, and the type below it.
fn absorbed(shape: &[usize], descr: &Descr) -> (Vec<usize>, Descr) {
    let mut shape = shape.to_vec();
    let mut base = descr;
    while let Some((inner, sizes)) = base.sub() {
        shape.extend_from_slice(sizes);
        base = inner;
    }
    (shape, base.clone())
}
