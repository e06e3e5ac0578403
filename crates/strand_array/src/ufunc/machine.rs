//! Runs one loop over a strip of each operand.
//!
//! Operands that lie as the kernel needs them are passed where they lie. All others go through rooms
//! of a few KB in blocks: gathered, cast, widened; computed; rounded, cast, scattered.

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
use crate::error::{ArrayError, Result};
use crate::strip::Strip;

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
    /// Bytes of an element in memory.
    memory: usize,
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
                memory: memory.size(),
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

    /// Runs the loop over strips of one length, and gives what it found. The result is right if an output's
    /// elements are apart from each other, and each of them is an input's element of the same index or apart
    /// from all inputs.
    ///
    /// # Errors
    /// `OutOfBlock` unless there is a strip of each operand, of its type in memory; what a cast says.
    pub(super) fn run(&self, operands: &[Strip<'_>]) -> Result<u8> {
        let n = operands.first().map_or(0, |strip| strip.len());
        let mut lanes = self.lanes.iter().zip(operands);
        let fits = lanes.all(|(lane, strip)| lane.memory == strip.size() && strip.len() == n);
        if !fits || operands.len() != self.lanes.len() || operands.len() > MAX_OPERANDS {
            return Err(ArrayError::OutOfBlock);
        }
        let (inputs, outputs) = operands.split_at(self.nin.min(operands.len()));
        let in_place = self.watch.0
            && outputs
                .iter()
                .any(|out| inputs.iter().any(|input| input.ptr() == out.ptr()));
        let plain = |lane: &Lane| lane.plain && !lane.widened;
        let mut lanes = self.lanes.iter().zip(operands);
        let direct = !in_place
            && lanes
                .all(|(lane, strip)| plain(lane) && (n == 1 || strip.step() == lane.size as isize));
        if direct {
            Ok(self.direct(operands, n))
        } else {
            self.blocks(operands, n, in_place)
        }
    }

    /// Runs the loop on operands that are contiguous and in its types.
    #[allow(unsafe_code)]
    fn direct(&self, operands: &[Strip<'_>], n: usize) -> u8 {
        let part = if self.watch.0 { WATCH } else { n };
        let mut found = 0;
        for done in (0..n).step_by(part.max(1)) {
            let count = part.min(n.saturating_sub(done));
            let mut ptrs: Ptrs = [std::ptr::null_mut(); MAX_OPERANDS];
            for (ptr, strip) in ptrs.iter_mut().zip(operands) {
                *ptr = strip.part(done, count).ptr();
            }
            // SAFETY: each strip has n contiguous elements of the loop's type, as `run` found.
            unsafe {
                found |= (self.run.kernel)(&ptrs, count);
                found |= self.look(&ptrs, count);
            }
        }
        found
    }

    /// Whether an element of the output's type asks for a closer look.
    #[allow(unsafe_code)]
    pub(super) fn is_odd(&self, element: Strip<'_>) -> bool {
        let Some(lane) = self.lanes.last() else {
            return false;
        };
        let seen = Seen {
            ptr: element.ptr(),
            dtype: lane.dtype,
        };
        // SAFETY: the strip has an element of that type's size.
        element.len() > 0 && element.size() == lane.size && unsafe { seen.is_odd(1, self.watch.1) }
    }

    /// Findings of a finished block.
    ///
    /// # Safety
    /// `ptrs` are `n` contiguous elements of each operand in the loop's types.
    #[allow(unsafe_code)]
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
        let outputs = outputs
            .get(..used.saturating_sub(self.nin))
            .unwrap_or_default();
        // SAFETY: the caller's promise.
        unsafe { classify(self.rule, inputs, outputs, n, self.watch.1) }
    }

    /// Runs the loop in blocks by way of rooms.
    #[allow(unsafe_code)]
    fn blocks(&self, operands: &[Strip<'_>], n: usize, in_place: bool) -> Result<u8> {
        let mut rooms: [Room; MAX_OPERANDS] = std::array::from_fn(|_| Room {
            packed: MaybeUninit::uninit(),
            wide: MaybeUninit::uninit(),
        });
        let mut found = 0;
        for done in (0..n).step_by(BLOCK) {
            let count = BLOCK.min(n.saturating_sub(done));
            // Where each operand's block lies packed, and what the kernel sees.
            let mut packed: Ptrs = [std::ptr::null_mut(); MAX_OPERANDS];
            let mut inner = packed;
            let lanes = self.lanes.iter().zip(operands).zip(&mut rooms);
            for (i, ((lane, strip), room)) in lanes.enumerate() {
                let (part, step) = (strip.part(done, count), strip.step());
                let memory = part.ptr();
                let own = room.packed.as_mut_ptr().cast::<u8>();
                let stays = lane.plain && step == lane.size as isize;
                let input = i < self.nin;
                let here = if stays && (input || !in_place) {
                    memory
                } else {
                    own
                };
                let fresh = done == 0 || step != 0;
                if input && here == own && fresh {
                    let from = (memory.cast_const(), step);
                    // SAFETY: the strip has `count` elements of the type that is cast from; the room
                    // holds BLOCK elements of up to 16 bytes and is apart from all memory.
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
            let lanes = self.lanes.iter().zip(operands).zip(&packed);
            for ((lane, strip), here) in lanes.skip(self.nin) {
                let memory = strip.part(done, count).ptr();
                if *here != memory {
                    let from = (here.cast_const(), lane.size as isize);
                    // SAFETY: the kernel wrote `count` packed elements, and the strip has as many.
                    let bits = unsafe { lane.cast.run(from, (memory, strip.step()), count)? };
                    found |= bits.bits();
                }
            }
        }
        Ok(found)
    }
}
