//! Elements fetched from and stored to places: the loops of indexing by arrays.
//!
//! A [`Places`] holds byte distances within one view, each made of positions that were checked
//! against the view's axes. The loops read and write nothing else.

use crate::array::{Array, wrap_index};
use crate::cast::Caster;
use crate::context::Context;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::indexing::select::{Place, Selection};
use crate::layout::element_count;
use crate::memory;
use crate::plan::{Loops, Order};
use crate::strip::{Strip, Strips};
use crate::walk::Walk;

/// Byte distances from the first element of the selection's view, one per position of the index
/// arrays in C order, each along the axes of the index arrays only.
pub(super) struct Places {
    at: Vec<isize>,
}

impl Places {
    /// Reads and checks all index arrays. Where they broadcast to no positions nothing is checked.
    ///
    /// # Errors
    /// `IndexOutOfRange`, `OutOfMemory`.
    pub(super) fn new(ctx: &Context, selection: &Selection) -> Result<Self> {
        let shape = &selection.places_shape;
        let mut at = reserve(ctx, element_count(shape)?)?;
        for (i, place) in selection.places.iter().enumerate() {
            let axis = selection.before + i;
            let (Some(&size), Some(&stride)) = (
                selection.view.shape().get(axis),
                selection.view.strides().get(axis),
            ) else {
                continue;
            };
            add_positions(place, shape, (size, stride), &mut at)?;
        }
        Ok(Self { at })
    }
}

/// Adds an index array's part to each distance.
fn add_positions(
    place: &Place,
    shape: &[usize],
    (size, stride): (usize, isize),
    at: &mut [isize],
) -> Result<()> {
    // A mask of rank 0 that is set stands for position 0.
    let Some(positions) = &place.positions else {
        return Ok(());
    };
    let mut rest = at;
    distances(positions, shape, (size, stride, place.axis), |found| {
        let (now, later) = std::mem::take(&mut rest).split_at_mut_checked(found.len())?;
        for (at, distance) in now.iter_mut().zip(found) {
            *at = at.wrapping_add(*distance);
        }
        rest = later;
        Some(())
    })
}

/// Calls `visit` with the distances that an i64 array's elements, stretched to `shape` and in C order,
/// stand for along an axis, a chunk at a time, until it gives nothing.
///
/// # Errors
/// `IndexOutOfRange`, before the chunk with the position in it is visited.
fn distances(
    positions: &Array,
    shape: &[usize],
    (size, stride, axis): (usize, isize, usize),
    mut visit: impl FnMut(&[isize]) -> Option<()>,
) -> Result<()> {
    let mut chunk = [0_i64; CHUNK];
    let mut found = [0_isize; CHUNK];
    let wrap = size as i64;
    each_chunk(positions, shape, &mut chunk, |chunk| {
        let mut inside = true;
        for (to, &i) in found.iter_mut().zip(chunk) {
            let at = i + (wrap & (i >> 63));
            inside &= (at as u64) < wrap as u64;
            // Strides of a view without elements may be of any size; nothing is reached by them.
            *to = (at as isize).wrapping_mul(stride);
        }
        if !inside {
            for &i in chunk {
                wrap_index(i, size, axis)?;
            }
        }
        visit(found.get(..chunk.len()).unwrap_or_default());
        Ok(())
    })
}

/// Calls `visit` with the elements of an i64 array stretched to `shape`, in C order, a chunk at a time.
fn each_chunk(
    positions: &Array,
    shape: &[usize],
    chunk: &mut [i64; CHUNK],
    mut visit: impl FnMut(&[i64]) -> Result<()>,
) -> Result<()> {
    debug_assert!(positions.descr() == &DType::I64.into());
    let plan = Loops::over(shape, &[positions], Order::C)?;
    let mut rows = Strips::new(&plan, &[positions])?;
    while let Some(&[row]) = rows.next_row() {
        for first in (0..row.len()).step_by(CHUNK) {
            let count = CHUNK.min(row.len().saturating_sub(first));
            let now = chunk.get_mut(..count).unwrap_or_default();
            row.part(first, count).copy_to(Strip::room(now));
            visit(now)?;
        }
    }
    Ok(())
}

/// Calls `visit` with the elements of an i64 array stretched to `shape`, in C order.
///
/// # Errors
/// What `visit` says.
pub(crate) fn each_position(
    positions: &Array,
    shape: &[usize],
    mut visit: impl FnMut(i64) -> Result<()>,
) -> Result<()> {
    each_chunk(positions, shape, &mut [0; CHUNK], |chunk| {
        chunk.iter().try_for_each(|&i| visit(i))
    })
}

/// An empty list with room for `count` distances, within the memory limit.
fn reserve(ctx: &Context, count: usize) -> Result<Vec<isize>> {
    let bytes = count.saturating_mul(size_of::<isize>());
    let error = ArrayError::OutOfMemory {
        bytes: bytes as u64,
        limit: ctx.limit() as u64,
    };
    if ctx.used().saturating_add(bytes) > ctx.limit() {
        return Err(error);
    }
    let mut places = Vec::new();
    places.try_reserve_exact(count).map_err(|_| error)?;
    places.resize(count, 0);
    Ok(places)
}

/// The position in its block of every element that a selection chooses, in C order.
pub(super) fn all_bytes(selection: &Selection, places: &Places) -> Vec<usize> {
    let mut found = vec![];
    let (before, after) = selection.rest();
    if places.at.is_empty() || after.contains(&0) {
        return found;
    }
    let strides = selection.view.strides();
    let last = selection.before + selection.places.len();
    let (lead, trail) = (
        strides.get(..selection.before).unwrap_or_default(),
        strides.get(last..).unwrap_or_default(),
    );
    crate::walk::offsets(before, lead, selection.view.offset(), |start| {
        for place in &places.at {
            let start = start.wrapping_add_signed(*place);
            crate::walk::offsets(after, trail, start, |at| found.push(at));
        }
    });
    found
}

/// Which way elements go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// From the places to the other array.
    Get,
    /// From the other array to the places.
    Set,
}

/// Moves the elements at all places to or from `other`, which has the selection's shape and dtype
/// and no byte in common with the view.
///
/// # Errors
/// What a host value says.
pub(super) fn exchange(
    selection: &Selection,
    places: &Places,
    other: &Array,
    way: Way,
) -> Result<()> {
    debug_assert_eq!(other.shape(), selection.shape());
    debug_assert!(!memory::shares(&selection.view, other));
    if other.is_empty() {
        return Ok(());
    }
    let view = &selection.view;
    let (count, first) = (selection.places.len(), selection.before);
    let middle = selection.places_shape.len();
    let part = |strides: &[isize], from: usize, to: usize| {
        strides
            .get(from..to.min(strides.len()))
            .unwrap_or_default()
            .to_vec()
    };
    let end = usize::MAX;
    let (shape, own, others) = (other.shape(), view.strides(), other.strides());
    // Within the part after the index arrays the order of writes matters if elements overlap.
    let order = if memory::overlaps_itself(view) {
        Order::C
    } else {
        Order::K
    };
    let after = Loops::new(
        shape.get(first + middle..).unwrap_or_default(),
        &[
            part(own, first + count, end),
            part(others, first + middle, end),
        ],
        &[0, 0],
        order,
    );
    let across = Loops::new(
        &selection.places_shape,
        &[part(others, first, first + middle)],
        &[0],
        Order::C,
    );
    let before = shape.get(..first).unwrap_or_default();
    let lead = |strides: &[isize]| part(strides, 0, first);
    let (own, others) = (lead(own), lead(others));
    let mut own_before = Walk::new(before, &own, view.offset());
    let mut other_before = Walk::new(before, &others, other.offset());
    let mover = Mover::new(view, other, way)?;
    while let (Some(own), Some(other)) = (own_before.next_offset(), other_before.next_offset()) {
        let mut list = places.at.as_slice();
        let mut rows = across.walk();
        let step = across.steps.first().copied().unwrap_or(0);
        while let Some(&[row]) = rows.next_row() {
            let (now, later) = list.split_at(across.inner.min(list.len()));
            list = later;
            let start = other as isize + row;
            // SAFETY: `own` walks over the view's axes before, `now` holds checked distances along
            // the index arrays' axes, and the plan `after` walks over the axes after: each
            // position is an element of the view. `row`, `step` and `after` are coordinates of
            // `other` likewise. The two have no byte in common, says the caller.
            unsafe { mover.row(now, own as isize, (start, step), &after)? };
        }
    }
    Ok(())
}

/// Moves items between a view and another array of its type.
pub(super) struct Mover<'a> {
    view: *mut u8,
    other: *mut u8,
    size: usize,
    way: Way,
    /// For elements that are more than their bytes.
    caster: Option<Caster>,
    keep: std::marker::PhantomData<&'a Array>,
}

impl<'a> Mover<'a> {
    pub(super) fn new(view: &'a Array, other: &'a Array, way: Way) -> Result<Self> {
        let caster = if view.descr().has_objects() {
            Some(Caster::new(view.descr(), other.descr())?)
        } else {
            None
        };
        Ok(Self {
            view: view.block().ptr(),
            other: other.block().ptr(),
            size: view.item_size(),
            way,
            caster,
            keep: std::marker::PhantomData,
        })
    }

    /// Moves what lies at `own + places[i]` to or from `other.0 + i * other.1`: an element, or
    /// all that the plan `after` walks over from there.
    ///
    /// # Safety
    /// Every position reached is an element of its array, the arrays have the same dtype and no byte
    /// in common, and no slice into either block lives.
    pub(super) unsafe fn row(
        &self,
        places: &[isize],
        own: isize,
        other: (isize, isize),
        after: &Loops,
    ) -> Result<()> {
        let single = after.inner == 1 && after.outer.is_empty();
        if single && self.caster.is_none() {
            // SAFETY: as the caller promises.
            unsafe { self.items(places, own, other) };
            return Ok(());
        }
        if let (true, &[own_start, other_start]) = (after.outer.is_empty(), after.starts.as_slice())
        {
            for (i, place) in places.iter().enumerate() {
                let (a, b) = (own + place + own_start, other.0 + i as isize * other.1);
                // SAFETY: as above, for each element of the strip.
                unsafe { self.strip(a, b + other_start, after)? };
            }
            return Ok(());
        }
        for (i, place) in places.iter().enumerate() {
            let (a, b) = (own + place, other.0 + i as isize * other.1);
            let mut rows = after.walk();
            while let Some(&[own, other]) = rows.next_row() {
                // SAFETY: as above, for each element of the strip.
                unsafe { self.strip(a + own, b + other, after)? };
            }
        }
        Ok(())
    }

    /// # Safety
    /// As for [`Mover::row`].
    unsafe fn strip(&self, own: isize, other: isize, after: &Loops) -> Result<()> {
        let (Some(&own_step), Some(&other_step)) = (after.steps.first(), after.steps.get(1)) else {
            return Ok(());
        };
        // SAFETY: the caller's positions are elements, `steps` apart.
        unsafe {
            let own = (self.view.offset(own), own_step);
            let other = (self.other.offset(other), other_step);
            let (from, to) = match self.way {
                Way::Get => (own, other),
                Way::Set => (other, own),
            };
            let from = (from.0.cast_const(), from.1);
            match &self.caster {
                Some(caster) => caster.run(from, to, after.inner).map(|_| ()),
                None => {
                    crate::cast::move_items(from, to, after.inner, self.size, 0);
                    Ok(())
                }
            }
        }
    }

    /// # Safety
    /// As for [`Mover::row`].
    unsafe fn items(&self, places: &[isize], own: isize, other: (isize, isize)) {
        let step = other.1;
        // SAFETY: as the caller promises; the type has the item's size.
        unsafe {
            match self.size {
                1 => self.items_of::<u8>(places, own, other),
                2 => self.items_of::<u16>(places, own, other),
                4 => self.items_of::<u32>(places, own, other),
                8 => self.items_of::<u64>(places, own, other),
                16 => self.items_of::<u128>(places, own, other),
                size => {
                    let mut at = other.0;
                    for place in places {
                        let own = self.view.offset(own + place);
                        let other = self.other.offset(at);
                        match self.way {
                            Way::Get => own.copy_to(other, size),
                            Way::Set => other.copy_to(own, size),
                        }
                        at = at.wrapping_add(step);
                    }
                }
            }
        }
    }

    /// # Safety
    /// As for [`Mover::row`], and items have the size of `T`.
    unsafe fn items_of<T: Copy>(&self, places: &[isize], own: isize, other: (isize, isize)) {
        debug_assert_eq!(size_of::<T>(), self.size);
        let own = |place: isize| {
            self.view
                .wrapping_offset(own.wrapping_add(place))
                .cast::<T>()
        };
        let base = self.other.wrapping_offset(other.0);
        let other = |i: usize| {
            let ahead = (i as isize).wrapping_mul(other.1);
            base.wrapping_offset(ahead).cast::<T>()
        };
        // SAFETY: both positions are elements of `size_of::<T>()` bytes in initialised memory. An
        // element of the other array is never written by the view's.
        unsafe {
            match (self.way, other(1) == other(0)) {
                (Way::Get, _) => {
                    for (i, &place) in places.iter().enumerate() {
                        other(i).write_unaligned(own(place).read_unaligned());
                    }
                }
                (Way::Set, true) if !places.is_empty() => {
                    let value = other(0).read_unaligned();
                    for &place in places {
                        own(place).write_unaligned(value);
                    }
                }
                (Way::Set, _) => {
                    for (i, &place) in places.iter().enumerate() {
                        own(place).write_unaligned(other(i).read_unaligned());
                    }
                }
            }
        }
    }
}

/// `out[i] = array[positions[i]]` for an array of rank 1, positions checked as they are read. The
/// output is fresh, C-contiguous and has the positions' shape.
///
/// # Errors
/// `IndexOutOfRange`; what a host value says.
pub(super) fn take_one(array: &Array, positions: &Array, axis: usize, out: &Array) -> Result<()> {
    let (size, stride) = (
        array.shape().first().copied().unwrap_or(0),
        array.strides().first().copied().unwrap_or(0),
    );
    let mover = Mover::new(array, out, Way::Get)?;
    let item = array.item_size() as isize;
    let alone = element();
    let (mut to, own) = (out.offset() as isize, array.offset() as isize);
    let mut done = Ok(());
    distances(
        positions,
        positions.shape(),
        (size, stride, axis),
        |places| {
            // SAFETY: each place is a checked position times the stride, an element of the array; the
            // output has an element for every position, and is fresh.
            done = unsafe { mover.row(places, own, (to, item), &alone) };
            to += places.len() as isize * item;
            done.is_ok().then_some(())
        },
    )?;
    done
}

/// The plan of a single element on both sides.
pub(super) fn element() -> Loops {
    Loops::new(&[], &[vec![], vec![]], &[0, 0], Order::C)
}

/// Positions that are looked up at once.
pub(super) const CHUNK: usize = 256;
