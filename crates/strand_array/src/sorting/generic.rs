//! Sorts by a type's own order: registered types and host values.
//!
//! Such an order may be none, or contradict itself, so the sort is a merge that takes any answer. What has no
//! order with itself, like NaN, comes last.

use std::cmp::Ordering;

use super::sort::positions;
use crate::array::Array;
use crate::context::Context;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::item::{Fresh, compare};

/// Whether elements are sorted here.
pub(super) fn is_generic(descr: &Descr) -> bool {
    matches!(descr.dtype(), DType::Object | DType::User(_))
}

/// The positions that sort every lane, stable.
///
/// # Errors
/// `BadValue` if two elements have no order; `OutOfMemory`.
pub(super) fn argsort(ctx: &Context, a: &Array, axis: usize) -> Result<Array> {
    let (descr, size) = (a.descr(), a.item_size());
    let mut apart = false;
    let found = positions(ctx, a, axis, |places, found| {
        // Copies, since comparing host values may run code that writes.
        let element = |at: &usize| {
            let block = a.block().slice::<u8>();
            let bytes = block.get(*at..at.saturating_add(size));
            Fresh::copy_of(descr, bytes.unwrap_or_default())
        };
        let elements: Vec<Fresh> = places.iter().map(element).collect();
        let own = |i: usize| {
            let element = elements.get(i).map(Fresh::as_bytes).unwrap_or_default();
            (element, compare(descr, element, element).is_some())
        };
        merge_sort(found, &mut |i, j| {
            let ((a, ordered), (b, other)) = (own(i), own(j));
            match (ordered, other) {
                (true, true) => compare(descr, a, b).unwrap_or_else(|| {
                    apart = true;
                    Ordering::Equal
                }),
                (a, b) => b.cmp(&a),
            }
        });
    })?;
    if apart {
        return Err(ArrayError::BadValue {
            class: "TypeError",
            why: "some elements have no order".into(),
        });
    }
    Ok(found)
}

/// A sorted copy.
///
/// # Errors
/// As [`argsort`].
pub(super) fn sort(ctx: &Context, a: &Array, axis: usize) -> Result<Array> {
    let positions = argsort(ctx, a, axis)?;
    crate::selection::take_along_axis(ctx, a, &positions, Some(axis as i64))
}

/// Merges runs of growing length; equal elements keep their order.
fn merge_sort(items: &mut [usize], order: &mut dyn FnMut(usize, usize) -> Ordering) {
    let mut merged = Vec::with_capacity(items.len());
    let mut run = 1_usize;
    while run < items.len() {
        let both = run.saturating_mul(2);
        for pair in items.chunks_mut(both) {
            let Some((mut left, mut right)) = pair.split_at_checked(run) else {
                continue;
            };
            merged.clear();
            while let (Some((&a, more)), Some((&b, others))) =
                (left.split_first(), right.split_first())
            {
                if order(a, b).is_gt() {
                    merged.push(b);
                    right = others;
                } else {
                    merged.push(a);
                    left = more;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
            pair.copy_from_slice(&merged);
        }
        run = both;
    }
}
