//! `partition` and `argpartition`.

use super::order::Ordered;
use super::sort::{arranged, positions, report};
use super::{SortOptions, by_reader};
use crate::array::Array;
use crate::context::Context;
use crate::error::{ArrayError, Result};

/// A copy in which the elements at the places `kth` are those that a sort would put there, smaller ones
/// before and larger ones after them; `np.partition`.
///
/// # Errors
/// `BadArgument` for a place outside the axis; otherwise as [`sort`](super::sort).
pub fn partition(
    ctx: &Context,
    a: &Array,
    kth: &[i64],
    options: &SortOptions<'_>,
) -> Result<Array> {
    let (a, axis) = options.apply(ctx, a)?;
    let places = places(kth, &a, axis)?;
    let result = by_reader!("partition", &a, options.order, read => {
        arranged(ctx, &a, axis, read, |values| select(values, &places, |a, b| a.order(*b)))
    })?;
    report(ctx, "partition", &a, &result);
    Ok(result)
}

/// The positions that [`partition`] would take its elements from, as `i64`; `np.argpartition`.
///
/// # Errors
/// As [`partition`].
pub fn argpartition(
    ctx: &Context,
    a: &Array,
    kth: &[i64],
    options: &SortOptions<'_>,
) -> Result<Array> {
    let (a, axis) = options.apply_flat(ctx, a)?;
    let wanted = places(kth, &a, axis)?;
    let result = by_reader!("argpartition", &a, options.order, read => {
        positions(ctx, &a, axis, |places, found| {
            let values: Vec<_> = places.iter().map(|&at| read(at)).collect();
            select(found, &wanted, |&i, &j| match (values.get(i), values.get(j)) {
                (Some(a), Some(b)) => a.order(*b),
                _ => i.cmp(&j),
            });
        })
    })?;
    report(ctx, "argpartition", &a, &result);
    Ok(result)
}

/// The places in order, each once; an array without elements has any.
fn places(kth: &[i64], a: &Array, axis: usize) -> Result<Vec<usize>> {
    if a.is_empty() {
        return Ok(vec![]);
    }
    let size = a.shape().get(axis).copied().unwrap_or(1);
    let mut found = Vec::with_capacity(kth.len());
    for &k in kth {
        let wrapped = if k < 0 {
            k.saturating_add(size as i64)
        } else {
            k
        };
        match usize::try_from(wrapped) {
            Ok(place) if place < size => found.push(place),
            _ => {
                return Err(ArrayError::BadArgument {
                    op: "partition",
                    why: format!("place {k} isn't on an axis of size {size}"),
                });
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Puts the elements of the given places where a sort would; the places rise.
fn select<T>(values: &mut [T], places: &[usize], compare: impl Fn(&T, &T) -> std::cmp::Ordering) {
    let mut done = 0;
    for &place in places {
        let Some(rest) = values.get_mut(done..) else {
            return;
        };
        if let Some(at) = place.checked_sub(done)
            && at < rest.len()
        {
            rest.select_nth_unstable_by(at, &compare);
            done = place.saturating_add(1);
        }
    }
}
