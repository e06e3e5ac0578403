//! Lanes: the elements along one axis, for every position of the others.

use crate::array::Array;
use crate::cast::{Casting, astype, can_cast};
use crate::context::Context;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::promote::promote_types;
use crate::walk::Walk;

/// The axis that a signed number names; `-1` is the last.
///
/// # Errors
/// `NoSuchAxis`.
pub(crate) fn axis_of(axis: i64, rank: usize) -> Result<usize> {
    let wrapped = if axis < 0 {
        axis.saturating_add(rank as i64)
    } else {
        axis
    };
    match usize::try_from(wrapped) {
        Ok(found) if found < rank => Ok(found),
        _ => Err(ArrayError::AxisOutOfRange { axis, rank }),
    }
}

/// One axis of a layout, and the positions of the others.
pub(crate) struct Lanes {
    /// Elements of a lane.
    pub(crate) size: usize,
    /// Bytes from one element of a lane to the next.
    pub(crate) stride: isize,
    /// Byte offset of each lane's first element, in C order of the other axes.
    pub(crate) starts: Vec<usize>,
}

impl Lanes {
    /// The lanes along `axis`, which is below the rank.
    pub(crate) fn of(shape: &[usize], strides: &[isize], offset: usize, axis: usize) -> Self {
        let (mut outer, mut steps) = (shape.to_vec(), strides.to_vec());
        let (size, stride) = (outer.remove(axis), steps.remove(axis));
        let mut starts = vec![];
        let mut walk = Walk::new(&outer, &steps, offset);
        if size > 0 {
            while let Some(at) = walk.next_offset() {
                starts.push(at);
            }
        }
        Self {
            size,
            stride,
            starts,
        }
    }

    /// The lanes of an array along `axis`.
    pub(crate) fn of_array(a: &Array, axis: usize) -> Self {
        Self::of(a.shape(), a.strides(), a.offset(), axis)
    }

    /// Byte offsets of a lane's elements.
    pub(crate) fn places(&self, start: usize) -> impl Iterator<Item = usize> + '_ {
        let stride = self.stride;
        (0..self.size).map(move |i| start.wrapping_add_signed((i as isize).wrapping_mul(stride)))
    }
}

/// A fresh array that `fill` writes as bytes, of the given layout without gaps.
pub(crate) fn build_bytes(
    ctx: &Context,
    shape: &[usize],
    strides: &[isize],
    descr: impl Into<Descr>,
    fill: impl FnOnce(&mut [u8]) -> Result<()>,
) -> Result<Array> {
    let descr = descr.into();
    let mut block = ctx.block(Array::byte_count(shape, descr.size())?)?;
    fill(block.slice_mut::<u8>())?;
    Array::from_parts(std::rc::Rc::new(block), 0, shape, strides, descr).map(Array::owning)
}

/// The array in the machine's byte order as `descr`: itself if it is that already.
///
/// # Errors
/// `CannotCast` if there is no such conversion; `OutOfMemory`.
pub(crate) fn native(ctx: &Context, a: &Array, descr: &Descr) -> Result<Array> {
    if a.descr() == descr {
        return Ok(a.clone());
    }
    astype(ctx, a, descr, Casting::Unsafe).map(|(array, _)| array)
}

/// All elements in C order as one axis: a view where the layout allows it.
///
/// # Errors
/// `OutOfMemory`.
pub(crate) fn flat(ctx: &Context, a: &Array) -> Result<Array> {
    if let Some(view) = a.reshape_view(&[a.len()]) {
        return Ok(view);
    }
    let (copy, _) = astype(ctx, a, a.descr(), Casting::No)?;
    copy.reshape(ctx, &[a.len()])
}

/// The type that a function of two numbers is computed in: the one that both promote to, or, where a
/// 16-bit float has no promotion with the other, the first type to which both convert safely.
///
/// # Errors
/// `NoPromotion`.
pub(crate) fn common_type(a: &Descr, b: &Descr) -> Result<Descr> {
    if a.dtype() != DType::BF16 && b.dtype() != DType::BF16 {
        return promote_types(a, b);
    }
    let types = DType::NUMERIC.iter().map(|&dtype| Descr::new(dtype));
    let mut fitting = types.filter(|to| {
        let fits = |from: &Descr| can_cast(from, to, Casting::Safe);
        to.dtype() != DType::BF16 && fits(a) && fits(b)
    });
    match fitting.next() {
        Some(found) => Ok(found),
        None => promote_types(a, b),
    }
}
