//! Strips: elements at a constant step, known to be live.
//!
//! Here the positions of a plan become addresses. A [`Strip`] exists only after the bytes of all its elements
//! were found to lie in their block, so that whoever is given one may read and write them. Overlap is a matter
//! of values, not of safety: what works on strips goes by raw pointers, element by element.

use std::marker::PhantomData;

use crate::array::Array;
use crate::cast::move_items;
use crate::error::{ArrayError, Result};
use crate::layout::in_bounds;
use crate::plan::{Loops, Outer};

/// `len` elements of `size` bytes, `step` bytes apart.
///
/// For every k < `len` the `size` bytes at `ptr + k * step` are initialised and live for `'a`, and no slice
/// reaches them meanwhile (I1 to I3).
#[derive(Clone, Copy)]
pub(crate) struct Strip<'a> {
    ptr: *mut u8,
    step: isize,
    len: usize,
    size: usize,
    held: PhantomData<&'a Array>,
}

impl<'a> Strip<'a> {
    /// Elements of an array from a byte position of its block on.
    ///
    /// # Errors
    /// `OutOfBlock` unless all of them lie in the block.
    pub(crate) fn of(array: &'a Array, at: isize, step: isize, len: usize) -> Result<Self> {
        let block = array.block();
        let size = array.item_size();
        let first = usize::try_from(at).map_err(|_| ArrayError::OutOfBlock);
        if len > 0 && !in_bounds(block.len(), first?, &[len], &[step], size) {
            return Err(ArrayError::OutOfBlock);
        }
        Ok(Self {
            ptr: block.ptr().wrapping_offset(at),
            step,
            len,
            size,
            held: PhantomData,
        })
    }

    /// The elements of a slice.
    pub(crate) fn room<T: Plain>(room: &'a mut [T]) -> Self {
        Self {
            ptr: room.as_mut_ptr().cast(),
            step: size_of::<T>() as isize,
            len: room.len(),
            size: size_of::<T>(),
            held: PhantomData,
        }
    }

    /// One element of at most 16 bytes in a cell of its own.
    pub(crate) fn cell(cell: &'a mut Cell, size: usize) -> Self {
        Self::cells(std::slice::from_mut(cell), size)
    }

    /// As many packed elements of at most 16 bytes as there are cells.
    pub(crate) fn cells(cells: &'a mut [Cell], size: usize) -> Self {
        let size = size.min(size_of::<Cell>());
        Self {
            ptr: cells.as_mut_ptr().cast(),
            step: size as isize,
            len: cells.len(),
            size,
            held: PhantomData,
        }
    }

    /// Where the first element lies. Reads and writes beyond the strip's own elements aren't covered.
    pub(crate) fn ptr(self) -> *mut u8 {
        self.ptr
    }

    pub(crate) fn step(self) -> isize {
        self.step
    }

    pub(crate) fn len(self) -> usize {
        self.len
    }

    /// Bytes of an element.
    pub(crate) fn size(self) -> usize {
        self.size
    }

    /// At most `len` elements from number `start` on, as many as there are.
    pub(crate) fn part(self, start: usize, len: usize) -> Self {
        let start = start.min(self.len);
        Self {
            ptr: self.address(start),
            len: len.min(self.len.saturating_sub(start)),
            ..self
        }
    }

    /// Where element `k` lies, or would lie.
    fn address(self, k: usize) -> *mut u8 {
        self.ptr
            .wrapping_offset((k as isize).wrapping_mul(self.step))
    }

    /// Copies the elements to others of the same size, as many as both have.
    pub(crate) fn copy_to(self, to: Strip<'_>) {
        let n = self.len.min(to.len);
        if self.size != to.size {
            return;
        }
        // SAFETY: both strips have n elements of the size.
        unsafe { move_items((self.ptr, self.step), (to.ptr, to.step), n, self.size, 0) };
    }

    /// Writes the bytes of the first element, as many as it has.
    pub(crate) fn write(self, bytes: &[u8]) {
        let n = if self.len > 0 { self.size } else { 0 };
        // SAFETY: the first element is live, and no slice reaches it.
        unsafe { self.ptr.copy_from(bytes.as_ptr(), n.min(bytes.len())) };
    }

    /// Whether the first byte of element `k` isn't 0, as of a bool that is true.
    #[inline]
    pub(crate) fn is_set(self, k: usize) -> bool {
        // SAFETY: element k is live and has a byte.
        k < self.len && self.size > 0 && unsafe { self.address(k).read() } != 0
    }

    /// Start and length of each run of elements that are true.
    pub(crate) fn set_runs(self) -> impl Iterator<Item = (usize, usize)> {
        let mut flags = (0..self.len).map(move |k| self.is_set(k)).enumerate();
        std::iter::from_fn(move || {
            let (start, _) = flags.find(|(_, set)| *set)?;
            // Past the run, and the flag that ends it.
            let end = flags.find(|(_, set)| !set).map_or(self.len, |(at, _)| at);
            Some((start, end.saturating_sub(start)))
        })
    }
}

/// Room for one element, aligned for all of them.
#[repr(align(16))]
#[derive(Clone, Copy, Default)]
pub(crate) struct Cell([u8; 16]);

impl Cell {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

/// A number that elements are read as.
///
/// # Safety
/// The type has no padding, and any bytes of its size are one.
pub(crate) unsafe trait Plain: Copy + Default {}

macro_rules! plain {
    ($($t:ty),*) => {$(
        // SAFETY: a primitive number.
        unsafe impl Plain for $t {}
    )*};
}
plain!(i8, i16, i32, i64, u8, u16, u32, u64, u128, f32, f64);

/// The strips of a plan's operands, row by row.
pub(crate) struct Strips<'a, 'p> {
    rows: Outer<'p>,
    bases: Vec<*mut u8>,
    now: Vec<Strip<'a>>,
}

impl<'a, 'p> Strips<'a, 'p> {
    /// The rows of a plan over arrays.
    ///
    /// # Errors
    /// `OutOfBlock` unless every position of the plan is of an element inside the array's block.
    pub(crate) fn new(plan: &'p Loops, arrays: &[&'a Array]) -> Result<Self> {
        let missing = ArrayError::OutOfBlock;
        let mut now = Vec::with_capacity(arrays.len());
        let layouts = plan.strides.iter().zip(&plan.steps).zip(&plan.starts);
        for (array, ((strides, &step), &start)) in arrays.iter().zip(layouts) {
            let (block, size) = (array.block(), array.item_size());
            let shape = [plan.outer.as_slice(), &[plan.inner]].concat();
            let strides = [strides.as_slice(), &[step]].concat();
            let inside = usize::try_from(start)
                .is_ok_and(|start| in_bounds(block.len(), start, &shape, &strides, size));
            if !inside || strides.len() != shape.len() {
                return Err(missing);
            }
            now.push(Strip {
                ptr: block.ptr(),
                step,
                len: plan.inner,
                size,
                held: PhantomData,
            });
        }
        if now.len() != arrays.len() {
            return Err(missing);
        }
        Ok(Self {
            rows: plan.walk(),
            bases: arrays.iter().map(|array| array.block().ptr()).collect(),
            now,
        })
    }

    /// The operands' strips of the next row.
    pub(crate) fn next_row(&mut self) -> Option<&[Strip<'a>]> {
        let row = self.rows.next_row()?;
        for ((strip, base), at) in self.now.iter_mut().zip(&self.bases).zip(row) {
            strip.ptr = base.wrapping_offset(*at);
        }
        Some(&self.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Order;
    use crate::{Context, DType};

    #[test]
    fn a_plan_that_leaves_its_block_is_refused() {
        let ctx = Context::default();
        let a = Array::arange(&ctx, 0, 12, 1).unwrap();
        let mut plan = Loops::over(&[12], &[&a], Order::C).unwrap();
        assert!(Strips::new(&plan, &[&a]).is_ok());
        assert!(Strips::new(&plan, &[&a, &a]).is_err());
        plan.inner = 13;
        assert!(Strips::new(&plan, &[&a]).is_err());
        assert!(Strip::of(&a, 8, 8, 11).is_ok());
        for (at, step, len) in [(8, 8, 12), (-8, 8, 1), (0, -8, 2), (0, isize::MAX, 3)] {
            assert!(Strip::of(&a, at, step, len).is_err());
        }
    }

    #[test]
    fn runs_are_those_of_true_elements() {
        let mut flags = [0_u8, 1, 7, 0, 0, 1];
        let runs: Vec<_> = Strip::room(&mut flags).set_runs().collect();
        assert_eq!(runs, [(1, 2), (5, 1)]);
        assert_eq!(Strip::room::<u8>(&mut []).set_runs().count(), 0);
    }

    #[test]
    fn parts_stay_within_the_strip() {
        let ctx = Context::default();
        let a = Array::from_vec(&ctx, vec![1.0_f64, 2.0, 3.0]).unwrap();
        let b = Array::zeros(&ctx, &[3], DType::F64).unwrap();
        let whole = |a| Strip::of(a, 0, 8, 3).unwrap();
        assert_eq!(whole(&a).part(5, 9).len(), 0);
        whole(&a).part(1, 9).copy_to(whole(&b));
        assert_eq!(b.to_vec_f64(), [2.0, 3.0, 0.0]);
    }
}
