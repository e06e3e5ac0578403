//! Casts of elements that have parts: fields, subarrays, host values, registered types.

use super::convert::Caster;
use super::gather::move_items;
use crate::descr::Descr;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::item::{Fresh, store, value_of};
use crate::layout;
use crate::object;
use crate::walk;

/// One part of an element: where it comes from (or zeros), where it goes, and how.
pub(super) struct Part {
    from: Option<usize>,
    to: usize,
}

impl Part {
    /// The bytes at `from` of the source's element go to `to` of the target's.
    pub(super) fn at(from: usize, to: usize) -> Self {
        let from = Some(from);
        Self { from, to }
    }
}

/// Fields in order, each to the field at the same place.
pub(super) fn of_fields(from: &Descr, to: &Descr) -> Result<Vec<(Part, Caster)>> {
    let none = || ArrayError::NoCast {
        from: from.to_string(),
        to: to.to_string(),
    };
    let list = |descr: &Descr| match descr.fields() {
        Some(fields) => {
            let part = |field: &crate::Field| (field.offset(), field.descr().clone());
            fields.iter().map(part).collect()
        }
        None => vec![(0, descr.clone())],
    };
    let (sources, targets) = (list(from), list(to));
    let broadcast = from.fields().is_none();
    if !broadcast && sources.len() != targets.len() {
        return Err(none());
    }
    let pairs = targets.iter().enumerate().map(|(i, (at, target))| {
        let source = if broadcast {
            sources.first()
        } else {
            sources.get(i)
        };
        let (start, source) = source.ok_or_else(none)?;
        Ok((Part::at(*start, *at), Caster::new(source, target)?))
    });
    pairs.collect()
}

/// Every element of the target's subarray, from the source's element that broadcasts to it; zeros
/// where the source has none.
pub(super) fn of_subarrays(from: &Descr, to: &Descr) -> Result<Vec<(Part, Caster)>> {
    let (base_from, sizes_from) = from.sub().unwrap_or((from, &[]));
    let (base_to, sizes_to) = to.sub().unwrap_or((to, &[]));
    let steps_from = layout::c_strides(sizes_from, base_from.size())?;
    let steps_to = layout::c_strides(sizes_to, base_to.size())?;
    let mut parts = vec![];
    let mut index = vec![0; sizes_to.len()];
    walk::offsets(sizes_to, &steps_to, 0, |at| {
        let source = place(&index, sizes_from, &steps_from);
        parts.push(Part {
            from: source,
            to: at,
        });
        walk::advance(&mut index, sizes_to, |_, _| {});
    });
    let caster = |part| Ok((part, Caster::new(base_from, base_to)?));
    parts.into_iter().map(caster).collect()
}

/// The byte offset of the source element for a target index, aligned from the right.
fn place(index: &[usize], sizes: &[usize], steps: &[isize]) -> Option<usize> {
    let mut at = 0_usize;
    for ((i, &size), &step) in index
        .iter()
        .rev()
        .zip(sizes.iter().rev())
        .zip(steps.iter().rev())
    {
        let i = if size == 1 { 0 } else { *i };
        if i >= size {
            return None;
        }
        at = at.saturating_add(i.saturating_mul(step as usize));
    }
    Some(at)
}

/// Converts each part of `n` elements.
///
/// # Safety
/// As for [`Caster::run`]; `parts` were made for the elements' types.
pub(super) unsafe fn run_parts(
    parts: &[(Part, Caster)],
    src: (*const u8, isize),
    dst: (*mut u8, isize),
    n: usize,
) -> Result<Found> {
    let mut found = Found::NONE;
    let most = parts.iter().filter(|(part, _)| part.from.is_none());
    let most = most.map(|(_, caster)| caster.source_size()).max();
    let zeros = vec![0_u8; most.unwrap_or(0)];
    for (part, caster) in parts {
        // SAFETY: a part lies within its element. Zeros, as many as an element to read has bytes, stand
        // for a part that the source lacks.
        found |= unsafe {
            let to = (dst.0.add(part.to), dst.1);
            match part.from {
                Some(from) => caster.run((src.0.add(from), src.1), to, n)?,
                None => caster.run((zeros.as_ptr(), 0), to, n)?,
            }
        };
    }
    Ok(found)
}

/// Copies handles: the new value counts one more, the overwritten one less.
///
/// # Safety
/// As for [`Caster::run`], with elements of 8 bytes.
pub(super) unsafe fn run_handles(src: (*const u8, isize), dst: (*mut u8, isize), n: usize) {
    for i in 0..n as isize {
        // SAFETY: element `i` of either side is the caller's.
        let old = unsafe {
            let from = src.0.offset(i.wrapping_mul(src.1)).cast::<u64>();
            let to = dst.0.offset(i.wrapping_mul(dst.1)).cast::<u64>();
            let handle = from.read_unaligned();
            let old = to.read_unaligned();
            object::retain(handle);
            to.write_unaligned(handle);
            old
        };
        object::release(old);
    }
}

/// Converts each element by way of a value of the host.
///
/// # Safety
/// As for [`Caster::run`].
pub(super) unsafe fn run_values(
    (from, to): (&Descr, &Descr),
    src: (*const u8, isize),
    dst: (*mut u8, isize),
    n: usize,
) -> Result<Found> {
    let mut found = Found::NONE;
    let offsets = to.object_offsets();
    let mut element = vec![0; from.size()];
    let mut old = vec![0; to.size()];
    for i in 0..n as isize {
        // SAFETY: element `i` of either side is the caller's, and the buffers are apart.
        unsafe {
            let item = (src.0.offset(i.wrapping_mul(src.1)), 0);
            move_items(item, (element.as_mut_ptr(), 0), 1, from.size(), 0);
        }
        let value = value_of(from, &element);
        let mut fresh = Fresh::new(to);
        found |= store(to, fresh.bytes(), &value)?;
        let fresh = fresh.take();
        // SAFETY: as above.
        unsafe {
            let item = dst.0.offset(i.wrapping_mul(dst.1));
            move_items(
                (item.cast_const(), 0),
                (old.as_mut_ptr(), 0),
                1,
                to.size(),
                0,
            );
            move_items((fresh.as_ptr(), 0), (item, 0), 1, to.size(), 0);
        }
        object::release_all(&old, &offsets);
    }
    Ok(found)
}
