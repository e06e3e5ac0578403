//! Runs one loop over a strip: n elements of each operand at constant strides.
//!
//! Operands that lie as the kernel needs them are passed where they lie. All others go through rooms
//! of a few KB in blocks: gathered, cast, widened; computed; rounded, cast, scattered.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use super::found::{Seen, classify};
use super::kernels::half::{narrow_block, widen_block};
use super::kernels::{MAX_OPERANDS, Ptrs};
use super::resolve::Chosen;
use super::rules::Rule;
use super::table::Loop;
use crate::cast::Caster;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::Result;

/// Elements of one block: 4 KB of the widest type.
const BLOCK: usize = 256;

/// Elements after which findings are looked for, while the values are still in the cache.
const WATCH: usize = 1024;

/// One operand of a loop.
struct Lane {
    /// From memory to the loop's type, or back for an output.
    cast: Caster,
    /// Whether memory holds the loop's type.
    plain: bool,
    /// Bytes of an element in the loop's type.
    size: usize,
    dtype: DType,
    /// Whether the kernel sees f32 instead.
    widened: bool,
}

/// Room for one block of each operand.
struct Room {
    packed: MaybeUninit<[u128; BLOCK]>,
    wide: MaybeUninit<[f32; BLOCK]>,
}

/// A loop made ready for operands of certain types.
pub(super) struct Machine {
    run: &'static Loop,
    rule: Rule,
    lanes: Vec<Lane>,
    nin: usize,
    /// Whether findings matter, and those of underflow.
    watch: (bool, bool),
}

impl Machine {
    /// `descrs` are the types in memory, inputs first.
    pub(super) fn new(
        chosen: &Chosen,
        rule: Rule,
        descrs: &[Descr],
        nin: usize,
        watch: (bool, bool),
    ) -> Result<Self> {
        let lane = |(i, (memory, dtype)): (usize, (&Descr, &DType))| {
            let inside = Descr::new(*dtype);
            let (from, to) = if i < nin {
                (memory, &inside)
            } else {
                (&inside, memory)
            };
            Ok(Lane {
                cast: Caster::new(from, to)?,
                plain: *memory == inside,
                size: dtype.size(),
                dtype: *dtype,
                widened: chosen.run.widened && matches!(dtype, DType::F16 | DType::BF16),
            })
        };
        let pairs = descrs.iter().zip(&chosen.types);
        Ok(Self {
            run: chosen.run,
            rule,
            lanes: pairs.enumerate().map(lane).collect::<Result<_>>()?,
            nin,
            watch: (watch.0 && rule.looks(), watch.1),
        })
    }

    /// Runs the loop over `n` elements and gives what it found.
    ///
    /// # Errors
    /// What a cast says.
    ///
    /// # Safety
    /// `at[i] + k * steps[i]` for k < n is a live element of operand i; an output's elements are apart from
    /// each other, and each of them is an input's element of the same index or apart from all inputs.
    pub(super) unsafe fn strip(&self, at: &[*mut u8], steps: &[isize], n: usize) -> Result<u8> {
        let direct = |(lane, step): (&Lane, &isize)| {
            lane.plain && !lane.widened && *step == lane.size as isize
        };
        let (inputs, outputs) = at.split_at(self.nin.min(at.len()));
        let in_place = self.watch.0 && outputs.iter().any(|out| inputs.contains(out));
        if n == 1 || in_place || !self.lanes.iter().zip(steps).all(direct) {
            let contiguous =
                n == 1 && !in_place && self.lanes.iter().all(|l| l.plain && !l.widened);
            if !contiguous {
                // SAFETY: the caller's promise.
                return unsafe { self.blocks(at, steps, n, in_place) };
            }
        }
        let part = if self.watch.0 { WATCH } else { n };
        let mut found = 0;
        let mut done = 0;
        while done < n {
            let count = part.min(n - done);
            let mut ptrs: Ptrs = [std::ptr::null_mut(); MAX_OPERANDS];
            for ((ptr, base), lane) in ptrs.iter_mut().zip(at).zip(&self.lanes) {
                *ptr = base.wrapping_add(done * lane.size);
            }
            // SAFETY: all operands are contiguous elements of the loop's types.
            unsafe {
                found |= (self.run.kernel)(&ptrs, count);
                found |= self.look(&ptrs, count);
            }
            done += count;
        }
        Ok(found)
    }

    /// Whether an element of the output's type asks for a closer look.
    ///
    /// # Safety
    /// `element` is one element of the loop's output type.
    pub(super) unsafe fn is_odd(&self, element: *const u8) -> bool {
        let dtype = self.lanes.last().map_or(DType::Bool, |lane| lane.dtype);
        let seen = Seen {
            ptr: element,
            dtype,
        };
        // SAFETY: one element, says the caller.
        unsafe { seen.is_odd(1, self.watch.1) }
    }

    /// Findings of a finished block.
    ///
    /// # Safety
    /// `ptrs` are `n` contiguous elements of each operand in the loop's types.
    unsafe fn look(&self, ptrs: &Ptrs, n: usize) -> u8 {
        if !self.watch.0 {
            return 0;
        }
        let mut seen = [Seen {
            ptr: std::ptr::null(),
            dtype: DType::Bool,
        }; MAX_OPERANDS];
        for ((seen, ptr), lane) in seen.iter_mut().zip(ptrs).zip(&self.lanes) {
            seen.ptr = ptr.cast_const();
            seen.dtype = lane.dtype;
        }
        let used = self.lanes.len().min(MAX_OPERANDS);
        let (inputs, outputs) = seen.split_at(self.nin.min(used));
        let outputs = outputs.get(..used - self.nin.min(used)).unwrap_or_default();
        // SAFETY: the caller's promise.
        unsafe { classify(self.rule, inputs, outputs, n, self.watch.1) }
    }

    /// # Safety
    /// As for [`Self::strip`].
    unsafe fn blocks(
        &self,
        at: &[*mut u8],
        steps: &[isize],
        n: usize,
        in_place: bool,
    ) -> Result<u8> {
        let mut rooms: [Room; MAX_OPERANDS] = std::array::from_fn(|_| Room {
            packed: MaybeUninit::uninit(),
            wide: MaybeUninit::uninit(),
        });
        let mut found = 0;
        let mut done = 0;
        while done < n {
            let count = BLOCK.min(n - done);
            // Where each operand's block lies packed, and what the kernel sees.
            let mut packed: Ptrs = [std::ptr::null_mut(); MAX_OPERANDS];
            let mut inner = packed;
            let lanes = self.lanes.iter().zip(at).zip(steps).zip(&mut rooms);
            for (i, (((lane, base), step), room)) in lanes.enumerate() {
                let memory = base.wrapping_offset(done as isize * step);
                let own = room.packed.as_mut_ptr().cast::<u8>();
                let stays = lane.plain && *step == lane.size as isize;
                let input = i < self.nin;
                let here = if stays && (input || !in_place) {
                    memory
                } else {
                    own
                };
                let fresh = done == 0 || *step != 0;
                if input && here == own && fresh {
                    let from = (memory.cast_const(), *step);
                    // SAFETY: `count` elements of the operand are live; the room holds BLOCK
                    // elements of up to 16 bytes and is apart from all memory.
                    let bits = unsafe { lane.cast.run(from, (own, lane.size as isize), count)? };
                    found |= bits.bits();
                }
                let wide = room.wide.as_mut_ptr().cast::<u8>();
                if input && lane.widened && fresh {
                    // SAFETY: `here` is `count` packed halves, `wide` room for BLOCK floats.
                    unsafe { widen_block(lane.dtype == DType::BF16, here, wide, count) };
                }
                if let (Some(p), Some(k)) = (packed.get_mut(i), inner.get_mut(i)) {
                    *p = here;
                    *k = if lane.widened { wide } else { here };
                }
            }
            // SAFETY: inputs are packed elements in the kernel's types, outputs have room for them.
            found |= unsafe { (self.run.kernel)(&inner, count) };
            for (i, lane) in self.lanes.iter().enumerate().skip(self.nin) {
                if let (true, Some(p), Some(k)) = (lane.widened, packed.get(i), inner.get(i)) {
                    // SAFETY: the kernel wrote `count` floats at k; p has room for as many halves.
                    unsafe { narrow_block(lane.dtype == DType::BF16, *k, *p, count) };
                }
            }
            // SAFETY: all blocks lie packed in the loop's types.
            found |= unsafe { self.look(&packed, count) };
            let lanes = self.lanes.iter().zip(at).zip(steps).zip(&packed);
            for (((lane, base), step), here) in lanes.skip(self.nin) {
                let memory = base.wrapping_offset(done as isize * step);
                if *here != memory {
                    let from = (here.cast_const(), lane.size as isize);
                    // SAFETY: `count` packed elements are initialised, and the output's are live.
                    let bits = unsafe { lane.cast.run(from, (memory, *step), count)? };
                    found |= bits.bits();
                }
            }
            done += count;
        }
        Ok(found)
    }
}
