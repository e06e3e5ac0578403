//! The one conversion between any two descriptors, over strided memory.

use super::gather::move_items;
use super::loops::{self, Loop, Mid};
use super::parts::{self, Part};
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::strip::Strip;

/// Elements that pass through the buffers at once: 2 KB of the widest type.
const CHUNK: usize = 128;

/// How one descriptor's elements become another's; made once, run over any number of strips.
pub(crate) struct Caster {
    step: Step,
    source_size: usize,
    target_size: usize,
}

enum Step {
    /// The same bits, in runs of `unit` bytes that are reversed if it isn't 0.
    Move { size: usize, unit: usize },
    /// A numeric value, widened and narrowed.
    Number(Number),
    /// The first bytes, and zeros after them.
    Bytes { from: usize, to: usize },
    /// Handles of host values, counted.
    Handles,
    /// Fields or elements of a subarray, each its own way.
    Parts(Vec<(Part, Caster)>),
    /// By way of a value of the host.
    Values(Descr, Descr),
}

struct Number {
    read: Loop,
    /// Whether only the real part goes on.
    real: bool,
    write: Loop,
    from: Side,
    to: Side,
    /// Both steps in one, for plain items on both sides.
    direct: Option<Loop>,
    /// Whether the source is of the middle type already, or the target still.
    middle: (bool, bool),
}

/// The bytes of one side's items.
#[derive(Clone, Copy)]
struct Side {
    size: usize,
    /// Bytes of a run to reverse; 0 for none.
    unit: usize,
}

impl Side {
    fn of(descr: &Descr) -> Self {
        let unit = if descr.is_swapped() { run_of(descr) } else { 0 };
        Self {
            size: descr.size(),
            unit,
        }
    }

    /// Whether items at this stride are as the loops need them.
    fn is_plain(self, stride: isize) -> bool {
        self.unit == 0 && stride == self.size as isize
    }
}

/// Bytes of a number whose order can be reversed: half an item of a complex type.
fn run_of(descr: &Descr) -> usize {
    if descr.dtype().is_complex() {
        descr.size() / 2
    } else {
        descr.size()
    }
}

/// Whether elements of the two types differ in byte order at most.
fn same_bits(from: &Descr, to: &Descr) -> bool {
    let (a, b) = (from.dtype(), to.dtype());
    let plain = from.user().is_none() && a != DType::Void && a != DType::Object;
    plain && (a == b || a.is_integer() && b.is_integer() && from.size() == to.size())
}

/// Whether fields cover an element. What lies between them is left as it is in the target, as in NumPy, where a field
/// that was written before may lie.
fn is_filled(descr: &Descr) -> bool {
    if let Some((base, _)) = descr.sub() {
        return is_filled(base);
    }
    let Some(fields) = descr.fields() else {
        return true;
    };
    let range = |field: &crate::Field| {
        let end = field.offset().saturating_add(field.descr().size());
        (field.offset(), end)
    };
    let mut ranges: Vec<(usize, usize)> = fields.iter().map(range).collect();
    ranges.sort_unstable();
    let mut ranges = ranges.into_iter();
    let reach = ranges.try_fold(0, |reach: usize, (start, end)| {
        (start <= reach).then(|| reach.max(end))
    });
    reach == Some(descr.size()) && fields.iter().all(|field| is_filled(field.descr()))
}

impl Caster {
    /// # Errors
    /// `NoCast` if there is no conversion at all.
    pub(crate) fn new(from: &Descr, to: &Descr) -> Result<Self> {
        let step = if same_bits(from, to) {
            let unit = if from.is_swapped() == to.is_swapped() {
                0
            } else {
                run_of(to)
            };
            let size = to.size();
            Step::Move { size, unit }
        } else if from == to && !from.has_objects() && is_filled(to) {
            let size = to.size();
            Step::Move { size, unit: 0 }
        } else if let Some(number) = Number::new(from, to) {
            Step::Number(number)
        } else {
            by_parts(from, to)?
        };
        Ok(Self {
            step,
            source_size: from.size(),
            target_size: to.size(),
        })
    }

    /// Bytes of an element that is read.
    pub(super) fn source_size(&self) -> usize {
        self.source_size
    }

    /// Converts elements, as many as both strips have. The result is right if an element written is the
    /// same bytes as the one read for it and no others, or apart from all that are read.
    ///
    /// # Errors
    /// `OutOfBlock` for elements of another size; what a host value or a registered type says.
    pub(crate) fn convert(&self, from: Strip<'_>, to: Strip<'_>) -> Result<Found> {
        if (from.size(), to.size()) != (self.source_size, self.target_size) {
            return Err(ArrayError::OutOfBlock);
        }
        let n = from.len().min(to.len());
        let (src, dst) = (from.ptr().cast_const(), to.ptr());
        // SAFETY: both strips have n elements of the sizes that are moved.
        unsafe { self.run((src, from.step()), (dst, to.step()), n) }
    }

    /// The same for the bytes of one element.
    ///
    /// # Errors
    /// As for [`Self::convert`].
    pub(super) fn convert_slices(&self, from: &[u8], to: &mut [u8]) -> Result<Found> {
        if (from.len(), to.len()) != (self.source_size, self.target_size) {
            return Err(ArrayError::OutOfBlock);
        }
        // SAFETY: either slice is one element, and nothing else reaches the one that is written.
        unsafe { self.run((from.as_ptr(), 0), (to.as_mut_ptr(), 0), 1) }
    }

    /// The same for `n` elements at addresses and steps.
    ///
    /// # Errors
    /// What a host value or a registered type says.
    ///
    /// # Safety
    /// Every item of both sides lies in live, initialised memory, has the size of the caster's types, and is
    /// reached by no slice.
    pub(crate) unsafe fn run(
        &self,
        src: (*const u8, isize),
        dst: (*mut u8, isize),
        n: usize,
    ) -> Result<Found> {
        match &self.step {
            Step::Move { size, unit } => {
                // SAFETY: the caller vouches for the items.
                unsafe { move_items(src, dst, n, *size, *unit) };
                Ok(Found::NONE)
            }
            // SAFETY: as above.
            Step::Number(number) => Ok(unsafe { number.run(src, dst, n) }),
            Step::Handles => {
                // SAFETY: as above; a handle has 8 bytes.
                unsafe { parts::run_handles(src, dst, n) };
                Ok(Found::NONE)
            }
            // SAFETY: as above; the parts were made for these types.
            Step::Parts(list) => unsafe { parts::run_parts(list, src, dst, n) },
            // SAFETY: as above.
            Step::Values(from, to) => unsafe { parts::run_values((from, to), src, dst, n) },
            Step::Bytes { from, to } => {
                let common = *from.min(to);
                // SAFETY: `common` bytes are within both items; the zeros within the written one.
                unsafe {
                    move_items(src, dst, n, common, 0);
                    for i in 0..n as isize {
                        let rest = dst.0.offset(i * dst.1).add(common);
                        rest.write_bytes(0, *to - common);
                    }
                }
                Ok(Found::NONE)
            }
        }
    }
}

/// The step for types that aren't both numbers.
fn by_parts(from: &Descr, to: &Descr) -> Result<Step> {
    let none = || ArrayError::NoCast {
        from: from.to_string(),
        to: to.to_string(),
    };
    Ok(match (from.dtype(), to.dtype()) {
        (DType::Object, DType::Object) => Step::Handles,
        (DType::Object, _) | (_, DType::Object) => Step::Values(from.clone(), to.clone()),
        _ if from.sub().is_some() || to.sub().is_some() => {
            Step::Parts(parts::of_subarrays(from, to)?)
        }
        _ if to.fields().is_some() => Step::Parts(parts::of_fields(from, to)?),
        _ if from.fields().is_some() => {
            let fields = from.fields().filter(|fields| fields.len() == 1);
            let only = fields.and_then(|fields| fields.iter().next());
            let only = only.filter(|_| !to.is_plain_void()).ok_or_else(none)?;
            Step::Parts(vec![(
                Part::at(only.offset(), 0),
                Caster::new(only.descr(), to)?,
            )])
        }
        (DType::User(_), DType::Void) | (DType::Void, DType::User(_)) => return Err(none()),
        (_, DType::Void) => Step::Bytes {
            from: from.size(),
            to: to.size(),
        },
        (DType::Void, _) => return Err(none()),
        _ => Step::Values(from.clone(), to.clone()),
    })
}

/// Room for a chunk of the widest elements, aligned for all of them.
#[repr(align(64))]
struct Room([u128; CHUNK]);

impl Number {
    fn new(from: &Descr, to: &Descr) -> Option<Self> {
        let mid = Mid::of(from.dtype())?;
        let real = mid == Mid::C128 && !to.dtype().is_complex() && to.dtype() != DType::Bool;
        let last = if real { Mid::F64 } else { mid };
        Some(Self {
            read: loops::reader(from.dtype())?,
            real,
            write: loops::writer(last, to.dtype())?,
            from: Side::of(from),
            to: Side::of(to),
            direct: loops::direct(from.dtype(), to.dtype()),
            middle: (mid.is(from.dtype()), last.is(to.dtype())),
        })
    }

    /// # Safety
    /// As for [`Caster::run`].
    unsafe fn run(&self, src: (*const u8, isize), dst: (*mut u8, isize), n: usize) -> Found {
        let plain = (self.from.is_plain(src.1), self.to.is_plain(dst.1));
        if let (Some(run), (true, true)) = (self.direct, plain) {
            // SAFETY: the items of both sides are packed and in the machine's byte order.
            return unsafe { run(src.0, dst.0, n) };
        }
        let mut found = Found::NONE;
        let mut items = Room([0; CHUNK]);
        let mut wide = Room([0; CHUNK]);
        let (items, wide) = (
            items.0.as_mut_ptr().cast::<u8>(),
            wide.0.as_mut_ptr().cast::<u8>(),
        );
        let mut done = 0;
        while done < n {
            let count = CHUNK.min(n - done);
            // SAFETY: items `done..done + count` of both sides are the caller's; the two rooms hold
            // `CHUNK` items of 16 bytes, the widest type, and are apart from both. Real parts are packed
            // within the room only, so that no source is written.
            unsafe {
                let from = src.0.offset(done as isize * src.1);
                let to = dst.0.offset(done as isize * dst.1);
                let packed = if plain.0 {
                    from
                } else {
                    let packed = (items, self.from.size as isize);
                    move_items((from, src.1), packed, count, self.from.size, self.from.unit);
                    items.cast_const()
                };
                let middle = if self.middle.0 && !self.real {
                    packed
                } else if self.middle.1 && plain.1 && !self.real {
                    found |= (self.read)(packed, to, count);
                    done += count;
                    continue;
                } else {
                    found |= (self.read)(packed, wide, count);
                    if self.real {
                        loops::REAL_PART(wide, wide, count);
                    }
                    wide.cast_const()
                };
                if plain.1 {
                    found |= (self.write)(middle, to, count);
                } else {
                    // What lies in `items` makes room for the target's items.
                    let middle = if middle == items.cast_const() {
                        middle.copy_to_nonoverlapping(wide, count * self.from.size);
                        wide.cast_const()
                    } else {
                        middle
                    };
                    found |= (self.write)(middle, items, count);
                    let packed = (items.cast_const(), self.to.size as isize);
                    move_items(packed, (to, dst.1), count, self.to.size, self.to.unit);
                }
            }
            done += count;
        }
        found
    }
}
