//! Running one loop along a strip: `acc = op(acc, x[k])`.

#![allow(unsafe_code)]

use super::kernels::complex::Complex;
use super::kernels::real::{Real, pairwise, pairwise_complex};
use super::resolve::Chosen;
use super::rules::Rule;
use super::strip::Machine;
use super::table::Def;
use crate::array::Array;
use crate::cast::Caster;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::Result;
use crate::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};

/// Adds `n` elements at a step to an accumulator, in NumPy's order.
type Sum = unsafe fn(acc: *mut u8, x: *const u8, step: isize, n: usize);

/// A loop `tt->t` made ready to run along strips of elements of some type in memory.
pub(super) struct Folder {
    chosen: Chosen,
    /// Elements to the loop's type.
    cast: Caster,
    plain: bool,
    size: usize,
    sum: Option<Sum>,
    /// The loop on an accumulator and elements in memory, element by element.
    pub(super) across: Machine,
    /// The same on elements of the loop's type.
    single: Machine,
    watch: (bool, bool),
    room: Vec<u128>,
    part: usize,
}

/// Room for one element, aligned for all.
#[repr(align(16))]
#[derive(Clone, Copy)]
struct Cell([u8; 16]);

impl Folder {
    pub(super) fn new(
        def: &Def,
        chosen: Chosen,
        memory: &Descr,
        watch: (bool, bool),
        bufsize: usize,
    ) -> Result<Self> {
        let dtype = chosen.types.first().copied().unwrap_or(DType::Bool);
        let inside = Descr::new(dtype);
        let machine = |x: &Descr| {
            let descrs = [inside.clone(), x.clone(), inside.clone()];
            Machine::new(&chosen, def.rule, &descrs, 2, watch)
        };
        let (across, single) = (machine(memory)?, machine(&inside)?);
        let plain = *memory == inside;
        // 16 bytes hold the widest element.
        let room = if plain { 0 } else { bufsize };
        Ok(Self {
            sum: match def.name {
                "add" => sum_of(dtype),
                name => half_fold(name, dtype),
            },
            cast: Caster::new(memory, &inside)?,
            plain,
            size: dtype.size(),
            across,
            single,
            watch: (watch.0 && def.rule != Rule::Nothing, watch.1),
            room: vec![0; room],
            part: if plain { usize::MAX } else { bufsize },
            chosen,
        })
    }

    /// Whether elements pass through a buffer.
    pub(super) fn is_buffered(&self) -> bool {
        !self.plain
    }

    /// Folds `n` elements into the accumulator. With `out`, every intermediate result is written there.
    /// Gives the findings and the number of inner calls.
    ///
    /// # Errors
    /// What a cast says.
    ///
    /// # Safety
    /// `acc` is one element of the loop's type; `x` and `out` are `n` elements at their steps, `x` in memory's
    /// type and `out` in the loop's. `acc` is apart from both, and `out` from `x` except element by element.
    pub(super) unsafe fn run(
        &mut self,
        acc: *mut u8,
        x: (*const u8, isize),
        out: Option<(*mut u8, isize)>,
        n: usize,
    ) -> Result<(u8, usize)> {
        let (mut found, mut calls, mut done) = (0, 0, 0);
        while done < n {
            let count = self.part.min(n - done);
            let memory = (x.0.wrapping_offset(done as isize * x.1), x.1);
            let mut here = memory;
            if !self.plain {
                let room = self.room.as_mut_ptr().cast::<u8>();
                // SAFETY: the room has 16 bytes for each of `part` elements, and is its own memory.
                let bits = unsafe { self.cast.run(memory, (room, self.size as isize), count)? };
                found |= bits.bits();
                here = (room.cast_const(), self.size as isize);
            }
            let out = out.map(|(ptr, step)| (ptr.wrapping_offset(done as isize * step), step));
            // SAFETY: `here` are `count` elements of the loop's type; the rest is the caller's.
            found |= unsafe { self.fold(acc, here, out, count)? };
            calls += 1;
            done += count;
        }
        Ok((found, calls))
    }

    /// # Safety
    /// As for [`Self::run`], with `x` in the loop's type.
    unsafe fn fold(
        &self,
        acc: *mut u8,
        x: (*const u8, isize),
        out: Option<(*mut u8, isize)>,
        n: usize,
    ) -> Result<u8> {
        let mut before = Cell([0; 16]);
        let kept = before.0.as_mut_ptr();
        // SAFETY: an element has at most 16 bytes; the accumulator is one.
        unsafe { kept.copy_from_nonoverlapping(acc, self.size) };
        // In place the elements are gone once results are written: they are folded one by one.
        let in_place = out.is_some_and(|(ptr, _)| ptr.cast_const() == x.0);
        // SAFETY: the caller's promise.
        unsafe {
            match (self.sum, self.chosen.run.fold, out) {
                (Some(sum), _, None) => sum(acc, x.0, x.1, n),
                (_, Some(fold), _) if !(in_place && self.watch.0) => {
                    let (ptr, step) = out.unwrap_or((acc, 0));
                    fold(acc, x.0, x.1, ptr, step, n);
                }
                _ => return self.each(acc, x, out, n),
            }
            if self.watch.0 && self.single.is_odd(acc) {
                // What went wrong is found by going through the elements again.
                return self.each(kept, x, None, n);
            }
        }
        Ok(0)
    }

    /// # Safety
    /// As for [`Self::fold`].
    unsafe fn each(
        &self,
        acc: *mut u8,
        x: (*const u8, isize),
        out: Option<(*mut u8, isize)>,
        n: usize,
    ) -> Result<u8> {
        let mut found = 0;
        for k in 0..n as isize {
            let element = x.0.wrapping_offset(k * x.1).cast_mut();
            // SAFETY: one accumulator and one element of the loop's type; a result is as large.
            unsafe {
                found |= self.single.strip(&[acc, element, acc], &[0, 0, 0], 1)?;
                if let Some((ptr, step)) = out {
                    ptr.offset(k * step).copy_from(acc, self.size);
                }
            }
        }
        Ok(found)
    }
}

/// How sums of a type are made.
fn sum_of(dtype: DType) -> Option<Sum> {
    Some(match dtype {
        DType::F16 => |acc, x, step, n| {
            // SAFETY: both are valid for the reads and writes of halves, as the caller says.
            unsafe {
                let load = |p: *const u8| f16_to_f32(p.cast::<u16>().read_unaligned());
                let acc = acc.cast::<u16>();
                let sum = f16_to_f32(acc.read_unaligned()) + pairwise(x, step, n, &load);
                acc.write_unaligned(f32_to_f16(sum));
            }
        },
        DType::BF16 => |acc, x, step, n| {
            // SAFETY: as above.
            unsafe {
                let load = |p: *const u8| bf16_to_f32(p.cast::<u16>().read_unaligned());
                let acc = acc.cast::<u16>();
                let sum = bf16_to_f32(acc.read_unaligned()) + pairwise(x, step, n, &load);
                acc.write_unaligned(f32_to_bf16(sum));
            }
        },
        // SAFETY: the caller's promise.
        DType::F32 => |acc, x, step, n| unsafe { sum_real::<f32>(acc, x, step, n) },
        // SAFETY: the caller's promise.
        DType::F64 => |acc, x, step, n| unsafe { sum_real::<f64>(acc, x, step, n) },
        // SAFETY: the caller's promise.
        DType::C64 => |acc, x, step, n| unsafe { sum_complex::<f32>(acc, x, step, n) },
        // SAFETY: the caller's promise.
        DType::C128 => |acc, x, step, n| unsafe { sum_complex::<f64>(acc, x, step, n) },
        _ => return None,
    })
}

/// Differences, products and quotients of halves are rounded once per inner loop, as NumPy does.
fn half_fold(name: &str, dtype: DType) -> Option<Sum> {
    macro_rules! fold {
        ($op:tt) => {
            match dtype {
                // SAFETY: both are valid for the reads and writes of halves, as the caller says.
                DType::F16 => |acc, x, step, n| unsafe {
                    fold_half(acc, x, step, n, f16_to_f32, f32_to_f16, |a, b| a $op b);
                },
                // SAFETY: as above.
                DType::BF16 => |acc, x, step, n| unsafe {
                    fold_half(acc, x, step, n, bf16_to_f32, f32_to_bf16, |a, b| a $op b);
                },
                _ => return None,
            }
        };
    }
    Some(match name {
        "subtract" => fold!(-),
        "multiply" => fold!(*),
        "divide" => fold!(/),
        _ => return None,
    })
}

/// # Safety
/// `acc` is one half, `x` are `n` at a step.
unsafe fn fold_half(
    acc: *mut u8,
    x: *const u8,
    step: isize,
    n: usize,
    widen: impl Fn(u16) -> f32,
    narrow: impl Fn(f32) -> u16,
    op: impl Fn(f32, f32) -> f32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let acc = acc.cast::<u16>();
        let mut value = widen(acc.read_unaligned());
        for k in 0..n as isize {
            value = op(
                value,
                widen(x.offset(k * step).cast::<u16>().read_unaligned()),
            );
        }
        acc.write_unaligned(narrow(value));
    }
}

/// # Safety
/// `acc` is one `F`, `x` are `n` at a step.
unsafe fn sum_real<F: Real>(acc: *mut u8, x: *const u8, step: isize, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let load = |p: *const u8| p.cast::<F>().read_unaligned();
        let acc = acc.cast::<F>();
        let sum = acc.read_unaligned().add(pairwise(x, step, n, &load));
        acc.write_unaligned(sum);
    }
}

/// # Safety
/// `acc` is one complex number, `x` are `n` at a step.
unsafe fn sum_complex<F: Real>(acc: *mut u8, x: *const u8, step: isize, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let acc = acc.cast::<Complex<F>>();
        let part = pairwise_complex::<F>(x, step, n);
        let sum = acc.read_unaligned();
        acc.write_unaligned(Complex {
            re: sum.re.add(part.0),
            im: sum.im.add(part.1),
        });
    }
}

/// The address of an array's first element.
pub(super) fn first_of(array: &Array) -> *mut u8 {
    array.block().ptr().wrapping_add(array.offset())
}
