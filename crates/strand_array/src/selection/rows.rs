//! Loops over rows: read in chunks and converted on the way, or chosen from two arrays.

use crate::array::Array;
use crate::cast::Caster;
use crate::dtype::DType;
use crate::error::Result;
use crate::plan::{Loops, Order};

/// Elements that are converted at once.
const CHUNK: usize = 128;

/// A row: its array, its axis, and the byte position of its first element as an iterator over all
/// but that axis gives it.
pub(super) struct Row<'a> {
    pub(super) array: &'a Array,
    pub(super) axis: usize,
    pub(super) start: usize,
}

impl Row<'_> {
    /// Calls `visit` with the position of the first element of each chunk and the chunk, until it says
    /// no. The caster makes the array's elements such as `T` is.
    ///
    /// # Errors
    /// What a host value says.
    pub(super) fn read<T: Number>(
        &self,
        caster: &Caster,
        mut visit: impl FnMut(usize, &[T]) -> bool,
    ) -> Result<()> {
        let shape = self.array.shape();
        let length = shape.get(self.axis).copied().unwrap_or(0);
        let stride = self.array.strides().get(self.axis).copied().unwrap_or(0);
        let base = self.array.block().ptr().cast_const();
        let mut room = [T::default(); CHUNK];
        let size = size_of::<T>() as isize;
        let mut at = 0;
        while at < length {
            let count = CHUNK.min(length - at);
            // SAFETY: the row's elements lie in the block, proved by the array's constructor; the
            // room holds a chunk of `T`, of which any bytes are one, and is nobody else's.
            unsafe {
                let from = base.offset(self.start as isize + at as isize * stride);
                caster.run((from, stride), (room.as_mut_ptr().cast(), size), count)?;
            }
            if !visit(at, room.get(..count).unwrap_or_default()) {
                break;
            }
            at += count;
        }
        Ok(())
    }
}

/// Writes the elements of `yes` where the mask is true and those of `no` elsewhere. All stretch to
/// the shape of `out`, which is fresh; all but the mask have its dtype, which holds no host values.
///
/// # Errors
/// `Broadcast`.
pub(super) fn choose(out: &Array, mask: &Array, yes: &Array, no: &Array) -> Result<()> {
    debug_assert!(mask.dtype() == DType::Bool && !out.descr().has_objects());
    let plan = Loops::over(out.shape(), &[out, mask, yes, no], Order::K)?;
    let &[to_step, flag_step, yes_step, no_step] = plan.steps.as_slice() else {
        return Ok(());
    };
    let steps = [to_step, flag_step, yes_step, no_step];
    let mut rows = plan.walk();
    while let Some(&[to, flag, yes_at, no_at]) = rows.next_row() {
        let at = |array: &Array, position: isize| array.block().ptr().wrapping_offset(position);
        let starts = [at(out, to), at(mask, flag), at(yes, yes_at), at(no, no_at)];
        // SAFETY: the plan walks over elements of all four, which lie in their blocks; the output is
        // fresh and apart from the others; elements have the sizes that are asked for.
        unsafe {
            match out.item_size() {
                1 => choose_items::<u8>(starts, steps, plan.inner),
                2 => choose_items::<u16>(starts, steps, plan.inner),
                4 => choose_items::<u32>(starts, steps, plan.inner),
                8 => choose_items::<u64>(starts, steps, plan.inner),
                16 => choose_items::<u128>(starts, steps, plan.inner),
                size => {
                    for i in 0..plan.inner as isize {
                        let [to, flag, yes, no] = starts;
                        let set = flag.offset(i * flag_step).read() != 0;
                        let (from, step) = if set { (yes, yes_step) } else { (no, no_step) };
                        to.offset(i * to_step)
                            .copy_from(from.offset(i * step), size);
                    }
                }
            }
        }
    }
    Ok(())
}

/// # Safety
/// Each pointer leads to `n` elements, its step apart: of `T`, of flags, of `T` and of `T`. All are
/// initialised, and the first ones are apart from the others.
unsafe fn choose_items<T: Copy>(starts: [*mut u8; 4], steps: [isize; 4], n: usize) {
    let size = size_of::<T>() as isize;
    // With the usual strides known the loop runs in vectors.
    if steps == [size, 1, size, size] {
        // SAFETY: as the caller promises.
        return unsafe { choose_steps::<T>(starts, [size, 1, size, size], n) };
    }
    // SAFETY: as the caller promises.
    unsafe { choose_steps::<T>(starts, steps, n) };
}

/// # Safety
/// As for [`choose_items`].
#[inline(always)]
unsafe fn choose_steps<T: Copy>(
    [to, flag, yes, no]: [*mut u8; 4],
    [to_step, flag_step, yes_step, no_step]: [isize; 4],
    n: usize,
) {
    for i in 0..n as isize {
        // SAFETY: element `i` of each, as the caller promises.
        unsafe {
            let set = flag.offset(i * flag_step).read() != 0;
            let yes = yes.offset(i * yes_step).cast::<T>().read_unaligned();
            let no = no.offset(i * no_step).cast::<T>().read_unaligned();
            let chosen = if set { yes } else { no };
            to.offset(i * to_step).cast::<T>().write_unaligned(chosen);
        }
    }
}

/// A number that elements are read as: any bytes of its size are one.
///
/// # Safety
/// The type has no padding and no invalid bit patterns.
pub(super) unsafe trait Number: Copy + Default + PartialOrd {}

macro_rules! number {
    ($($t:ty),*) => {$(
        // SAFETY: a primitive number.
        unsafe impl Number for $t {}
    )*};
}
number!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

/// A complex number, ordered by its parts; a NaN in either makes it one.
#[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
#[repr(C)]
pub(super) struct Complex(f64, f64);

// SAFETY: two numbers of one size, without padding.
unsafe impl Number for Complex {}
