//! Moving what an index list selects, row by row.

use super::plan::Selection;
use crate::array::Array;
use crate::block::Pod;
use crate::context::{Context, LoopKind, Report};
use crate::dtype::by_width;
use crate::error::{ArrayError, Result};
use crate::plan::Domain;
use crate::walk::Walk;

pub(super) fn report(
    op: &'static str,
    kind: LoopKind,
    selection: &Selection,
    bytes: usize,
) -> Report {
    let strides = Domain::join(&[&selection.before, &selection.after]).strides;
    Report {
        ops: vec![op],
        kind,
        shape: selection.result_shape(),
        strides,
        bytes,
    }
}

pub(super) fn unsupported(op: &'static str, array: &Array) -> ArrayError {
    ArrayError::Unsupported {
        op,
        dtype: array.dtype(),
    }
}

pub(super) fn gather(
    ctx: &Context,
    array: &Array,
    selection: &Selection,
    op: &'static str,
) -> Result<Array> {
    let shape = selection.result_shape();
    let result = by_width!(array.item_size(), T => {
        Array::build::<T>(ctx, &shape, array.descr.clone(), |out| {
            let bytes = array.block.slice::<u8>();
            let data = array.is_aligned().then(|| array.block.slice::<T>());
            let mut rest = out;
            visit_rows(selection, size_of::<T>(), &mut |at, step, n| {
                let (now, later) = std::mem::take(&mut rest).split_at_mut(n);
                read_row(data, bytes, at, step, now);
                rest = later;
            });
            Ok(())
        })
    }, else Err(unsupported(op, array)))?;
    ctx.report(|| report(op, LoopKind::Gather, selection, result.block.len()));
    Ok(result)
}

/// Calls `visit(byte position, byte stride, length)` for each inner row in the result's order.
pub(super) fn visit_rows(
    selection: &Selection,
    item: usize,
    visit: &mut dyn FnMut(usize, isize, usize),
) {
    if selection.before.shape.contains(&0) || selection.after.shape.contains(&0) {
        return;
    }
    let mut after = selection.after.clone();
    after.coalesce();
    let inner = after.split_last();
    let n = inner.shape.first().copied().unwrap_or(1);
    let stride = |d: &Domain| d.strides.first().cloned().unwrap_or_default();
    let step = stride(&inner).first().copied().unwrap_or(item as isize);
    let (outer_strides, before_strides) = (stride(&after), stride(&selection.before));
    let mut before = Walk::new(&selection.before.shape, &before_strides, 0);
    while let Some(lead) = before.next_offset() {
        for start in &selection.starts {
            let start = start.wrapping_add(lead);
            if after.shape.is_empty() {
                visit(start, step, n);
                continue;
            }
            let mut rows = Walk::new(&after.shape, &outer_strides, start);
            while let Some(at) = rows.next_offset() {
                visit(at, step, n);
            }
        }
    }
}

fn read_row<T: Pod>(data: Option<&[T]>, bytes: &[u8], at: usize, step: isize, out: &mut [T]) {
    let item = size_of::<T>();
    match data {
        Some(data) if step == item as isize => {
            let first = at.checked_div(item).unwrap_or(0);
            if let Some(from) = data.get(first..first.saturating_add(out.len())) {
                out.copy_from_slice(from);
            }
        }
        Some(data) => {
            for (o, at) in out.iter_mut().zip(places::<T>(at, step)) {
                *o = data.get(at).copied().unwrap_or_default();
            }
        }
        None => {
            for (o, at) in out.iter_mut().zip(places::<u8>(at, step)) {
                *o = T::read(bytes.get(at..).unwrap_or_default());
            }
        }
    }
}

/// From a byte position on at a byte stride, the positions among elements of a type.
pub(super) fn places<T: Pod>(at: usize, step: isize) -> impl Iterator<Item = usize> {
    let item = size_of::<T>();
    let step = step.checked_div(item as isize).unwrap_or(0);
    let mut next = at.checked_div(item).unwrap_or(0);
    std::iter::repeat_with(move || {
        let now = next;
        next = next.wrapping_add_signed(step);
        now
    })
}
