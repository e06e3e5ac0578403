//! Loops over bool arrays: the positions where one is true, and the elements there.

use crate::array::Array;
use crate::context::Context;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::indexing::gather::{Mover, Way, element};
use crate::iter::{Iter, Row};
use crate::plan::{Loops, Order};
use crate::strip::Strip;

/// Whether a bool array of rank 0 is true.
pub(super) fn is_set(mask: &Array) -> bool {
    count(mask) > 0
}

/// The number of true elements.
pub(crate) fn count(mask: &Array) -> usize {
    let mut found = 0;
    let strides = [mask.strides().to_vec()];
    let plan = Loops::new(mask.shape(), &strides, &[mask.offset() as isize], Order::K);
    each_run(mask, &plan, 0, |_, flags| {
        // A byte counts a run without overflow.
        let set: u8 = flags.iter().map(|f| u8::from(*f != 0)).sum();
        found = usize::from(set).saturating_add(found);
        Ok(())
    })
    .ok();
    found
}

/// Per axis an i64 array of the positions where a bool array is true, in C order.
///
/// # Errors
/// `OutOfMemory`.
pub(crate) fn positions(ctx: &Context, mask: &Array) -> Result<Vec<Array>> {
    let (found, rank) = (count(mask), mask.rank());
    let Some(last) = rank.checked_sub(1) else {
        return Ok(vec![]);
    };
    let (mut rows, row) = Iter::all_but_axis(mask, last)?;
    let all = Array::build::<i64>(ctx, &[rank, found], DType::I64, |out| {
        let mut axes: Vec<&mut [i64]> = out.chunks_exact_mut(found.max(1)).collect();
        let mut first = 0_usize;
        while let Some(at) = rows.byte() {
            let plan = along(row, at);
            let coords = rows.coords();
            let begun = first;
            let inner = axes.last_mut().map_or(&mut [][..], |axis| axis);
            each_run(mask, &plan, 0, |run, flags| {
                for (i, _) in flags.iter().enumerate().filter(|(_, f)| **f != 0) {
                    if let Some(to) = inner.get_mut(first) {
                        *to = run.index.saturating_add(i) as i64;
                    }
                    first = first.saturating_add(1);
                }
                Ok(())
            })?;
            for (axis, &coord) in axes.iter_mut().zip(&coords).take(last) {
                if let Some(part) = axis.get_mut(begun..first) {
                    part.fill(coord as i64);
                }
            }
            rows.advance();
        }
        Ok(())
    })?;
    (0..rank as i64).map(|axis| all.select(0, axis)).collect()
}

/// The plan of one row.
fn along(row: Row, at: usize) -> Loops {
    Loops::new(&[row.length], &[vec![row.step]], &[at as isize], Order::C)
}

/// The bytes of flags that are looked at together, few enough for a byte to count them.
const RUN: usize = 128;

/// Where a run of flags begins.
struct Run {
    /// How many flags of its row lie before it.
    index: usize,
    /// The position of the plan's first operand at its first flag.
    at: isize,
}

/// Calls `visit` with runs of the mask's elements in the order of a plan, of which it is operand
/// number `operand`.
///
/// # Errors
/// What `visit` says.
fn each_run(
    mask: &Array,
    plan: &Loops,
    operand: usize,
    mut visit: impl FnMut(Run, &[u8]) -> Result<()>,
) -> Result<()> {
    debug_assert!(mask.dtype() == DType::Bool);
    let step = plan.steps.get(operand).copied().unwrap_or(0);
    let first_step = plan.steps.first().copied().unwrap_or(0);
    let mut room = [0_u8; RUN];
    let mut rows = plan.walk();
    while let Some(starts) = rows.next_row() {
        let (Some(&at), Some(&lead)) = (starts.get(operand), starts.first()) else {
            break;
        };
        let row = Strip::of(mask, at, step, plan.inner)?;
        for index in (0..plan.inner).step_by(RUN) {
            let part = row.part(index, RUN);
            let flags = room.get_mut(..part.len()).unwrap_or_default();
            part.copy_to(Strip::room(flags));
            let run = Run {
                index,
                at: lead.wrapping_add((index as isize).wrapping_mul(first_step)),
            };
            visit(run, flags)?;
        }
    }
    Ok(())
}

/// Moves the elements of `array` where `mask`, of the same shape, is true to or from `other`, in C
/// order. `other` has rank 1, an element for each of them and the array's dtype, and no byte in common
/// with it.
///
/// # Errors
/// `MaskValues` if `other` has another number of elements; what a host value says.
#[allow(unsafe_code)]
pub(super) fn exchange(array: &Array, mask: &Array, other: &Array, way: Way) -> Result<()> {
    debug_assert_eq!(array.shape(), mask.shape());
    let found = count(mask);
    if other.shape() != [found] {
        return Err(ArrayError::MaskValues {
            found: other.len(),
            places: found,
        });
    }
    let plan = Loops::over(array.shape(), &[array, mask], Order::C)?;
    let step = plan.steps.first().copied().unwrap_or(0);
    let stride = other.strides().first().copied().unwrap_or(0);
    let (mover, alone) = (Mover::new(array, other, way)?, element());
    let mut to = other.offset() as isize;
    let mut places = [0_isize; RUN + 1];
    let mut left = found;
    each_run(mask, &plan, 1, |run, flags| {
        let mut set = 0;
        for (i, flag) in flags.iter().enumerate() {
            // Written in any case and kept if the flag is set: there is no branch to mispredict.
            if let Some(place) = places.get_mut(set) {
                *place = run.at.wrapping_add((i as isize).wrapping_mul(step));
            }
            set = usize::from(*flag != 0).wrapping_add(set);
        }
        // Code of the host, run by an element that goes, may have changed the mask.
        set = set.min(left);
        left = left.saturating_sub(set);
        let chosen = places.get(..set).unwrap_or_default();
        // SAFETY: the places are elements of `array`; no more than `other` has elements
        // are moved in all; the two have no byte in common, says the caller.
        unsafe { mover.row(chosen, 0, (to, stride), &alone)? };
        to = to.wrapping_add((set as isize).wrapping_mul(stride));
        Ok(())
    })
}
