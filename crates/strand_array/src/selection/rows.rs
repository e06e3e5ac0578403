//! Loops over rows: read in chunks and converted on the way, or chosen from two arrays.

use crate::array::Array;
use crate::cast::Caster;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::plan::{Loops, Order};
use crate::strip::{Plain, Strip, Strips};

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
        let row = Strip::of(self.array, self.start as isize, stride, length)?;
        let mut room = [T::default(); CHUNK];
        for at in (0..length).step_by(CHUNK) {
            let part = row.part(at, CHUNK);
            caster.convert(part, Strip::room(&mut room))?;
            if !visit(at, room.get(..part.len()).unwrap_or_default()) {
                break;
            }
        }
        Ok(())
    }
}

/// Writes the elements of `yes` where the mask is true and those of `no` elsewhere. All stretch to
/// the shape of `out`, which is fresh; all but the mask have its dtype, which holds no host values.
///
/// # Errors
/// `Broadcast`.
#[allow(unsafe_code)]
pub(super) fn choose(out: &Array, mask: &Array, yes: &Array, no: &Array) -> Result<()> {
    debug_assert!(mask.dtype() == DType::Bool && !out.descr().has_objects());
    let plan = Loops::over(out.shape(), &[out, mask, yes, no], Order::K)?;
    let arrays = [out, mask, yes, no];
    let alike = arrays.map(Array::item_size);
    let size = out.item_size();
    if alike != [size, 1, size, size] {
        return Err(ArrayError::OutOfBlock);
    }
    let mut rows = Strips::new(&plan, &arrays)?;
    while let Some(&[out, mask, yes, no]) = rows.next_row() {
        let strips = [out, mask, yes, no];
        let (starts, steps) = (strips.map(Strip::ptr), strips.map(Strip::step));
        // SAFETY: all four are strips of one row and have its length, elements of the sizes that were
        // compared above, and are initialised.
        unsafe {
            match size {
                1 => choose_items::<u8>(starts, steps, plan.inner),
                2 => choose_items::<u16>(starts, steps, plan.inner),
                4 => choose_items::<u32>(starts, steps, plan.inner),
                8 => choose_items::<u64>(starts, steps, plan.inner),
                16 => choose_items::<u128>(starts, steps, plan.inner),
                _ => {
                    for i in 0..plan.inner {
                        let from = if mask.is_set(i) { yes } else { no };
                        from.part(i, 1).copy_to(out.part(i, 1));
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
#[allow(unsafe_code)]
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
#[allow(unsafe_code)]
#[inline(always)]
unsafe fn choose_steps<T: Copy>(
    [to, flag, yes, no]: [*mut u8; 4],
    [to_step, flag_step, yes_step, no_step]: [isize; 4],
    n: usize,
) {
    for i in 0..n as isize {
        // SAFETY: element `i` of each, as the caller promises.
        unsafe {
            let set = flag.offset(i.wrapping_mul(flag_step)).read() != 0;
            let yes = yes
                .offset(i.wrapping_mul(yes_step))
                .cast::<T>()
                .read_unaligned();
            let no = no
                .offset(i.wrapping_mul(no_step))
                .cast::<T>()
                .read_unaligned();
            let chosen = if set { yes } else { no };
            to.offset(i.wrapping_mul(to_step))
                .cast::<T>()
                .write_unaligned(chosen);
        }
    }
}

/// A number that elements are read as and compared.
pub(super) trait Number: Plain + PartialOrd {}
impl<T: Plain + PartialOrd> Number for T {}

/// A complex number, ordered by its parts; a NaN in either makes it one.
#[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
#[repr(C)]
pub(super) struct Complex(f64, f64);

// SAFETY: two numbers of one size, without padding.
#[allow(unsafe_code)]
unsafe impl Plain for Complex {}
