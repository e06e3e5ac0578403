//! Arithmetic on shapes and byte strides. Nothing here touches memory.

use crate::block::MAX_BYTES;
use crate::error::{ArrayError, Result};
use crate::multi::common_shape;
use crate::plan::pick;

/// The most axes that an array can have.
pub const MAX_RANK: usize = 64;

/// Checks the rank.
pub(crate) fn check_rank(rank: usize) -> Result<()> {
    if rank > MAX_RANK {
        Err(ArrayError::RankTooHigh { rank })
    } else {
        Ok(())
    }
}

/// Checks that `axis` is below `rank`.
pub(crate) fn check_axis(axis: usize, rank: usize) -> Result<()> {
    if axis < rank {
        Ok(())
    } else {
        Err(ArrayError::NoSuchAxis { axis, rank })
    }
}

/// Checks a set of axes and gives, per axis, whether it is in the set.
pub(crate) fn axis_flags(axes: &[usize], rank: usize) -> Result<Vec<bool>> {
    let mut flags = vec![false; rank];
    for &axis in axes {
        let flag = flags
            .get_mut(axis)
            .ok_or(ArrayError::NoSuchAxis { axis, rank })?;
        if std::mem::replace(flag, true) {
            return Err(ArrayError::RepeatedAxis { axis });
        }
    }
    Ok(flags)
}

/// The number of elements of a shape, also if it broadcasts; at most `i32::MAX`.
pub(crate) fn element_count(shape: &[usize]) -> Result<usize> {
    check_rank(shape.len())?;
    // Sizes beside a 0 are checked too, as NumPy does: products of some of them are needed.
    let count = shape
        .iter()
        .filter(|size| **size != 0)
        .try_fold(1_usize, |n, &size| {
            n.checked_mul(size).filter(|n| *n <= MAX_BYTES)
        })
        .ok_or(ArrayError::TooLarge {
            what: "the number of elements",
        })?;
    Ok(if shape.contains(&0) { 0 } else { count })
}

/// Byte strides of a C-contiguous array.
pub(crate) fn c_strides(shape: &[usize], item: usize) -> Result<Vec<isize>> {
    let too_large = ArrayError::TooLarge { what: "a stride" };
    let mut strides = vec![0; shape.len()];
    let mut step = item as i64;
    for (stride, &size) in strides.iter_mut().zip(shape).rev() {
        *stride = isize::try_from(step).map_err(|_| too_large.clone())?;
        step = i64::try_from(size.max(1))
            .ok()
            .and_then(|s| step.checked_mul(s))
            .ok_or(too_large.clone())?;
    }
    Ok(strides)
}

/// Byte strides of a fresh array whose axes follow each other as those of another of its shape;
/// NumPy's K order for one array.
pub(crate) fn like_strides(
    shape: &[usize],
    strides: &[isize],
    old_item: usize,
    item: usize,
) -> Result<Vec<isize>> {
    if is_c_contiguous(shape, strides, old_item) {
        return c_strides(shape, item);
    }
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    let size = |axis: &usize| strides.get(*axis).map_or(0, |stride| stride.unsigned_abs());
    if is_f_contiguous(shape, strides, old_item) {
        axes.reverse();
    } else {
        axes.sort_by_key(|axis| std::cmp::Reverse(size(axis)));
    }
    ordered_strides(shape, &axes, item)
}

/// Byte strides of an array without gaps whose axes lie in the given order, slowest first.
pub(crate) fn ordered_strides(shape: &[usize], axes: &[usize], item: usize) -> Result<Vec<isize>> {
    let sizes = pick(axes, shape);
    let mut result = vec![0; shape.len()];
    for (&axis, stride) in axes.iter().zip(c_strides(&sizes, item)?) {
        if let Some(to) = result.get_mut(axis) {
            *to = stride;
        }
    }
    Ok(result)
}

/// The lowest and highest byte offset of an element from the first one. Sizes aren't 0.
pub(crate) fn extent(shape: &[usize], strides: &[isize]) -> (i128, i128) {
    let mut low = 0_i128;
    let mut high = 0_i128;
    for (&size, &stride) in shape.iter().zip(strides) {
        // 64 bits times 64 bits fit; sums over the axes may not.
        let reach = (size as i128).wrapping_sub(1).wrapping_mul(stride as i128);
        low = low.saturating_add(reach.min(0));
        high = high.saturating_add(reach.max(0));
    }
    (low, high)
}

/// Whether every reachable byte lies within `len` bytes.
pub(crate) fn in_bounds(
    len: usize,
    offset: usize,
    shape: &[usize],
    strides: &[isize],
    item: usize,
) -> bool {
    if shape.contains(&0) {
        return offset <= len;
    }
    let (low, high) = extent(shape, strides);
    let offset = offset as i128;
    let end = offset.saturating_add(high).saturating_add(item as i128);
    offset.saturating_add(low) >= 0 && end <= len as i128
}

/// NumPy's C_CONTIGUOUS: strides of axes of size 1 don't matter, and no elements are contiguous.
pub(crate) fn is_c_contiguous(shape: &[usize], strides: &[isize], item: usize) -> bool {
    if shape.contains(&0) {
        return true;
    }
    let mut step = item as i128;
    for (&size, &stride) in shape.iter().zip(strides).rev() {
        if size != 1 {
            if stride as i128 != step {
                return false;
            }
            // A stride times a size: 128 bits hold it.
            step = step.wrapping_mul(size as i128);
        }
    }
    true
}

/// NumPy's F_CONTIGUOUS.
pub(crate) fn is_f_contiguous(shape: &[usize], strides: &[isize], item: usize) -> bool {
    let reverse = |v: &mut dyn Iterator<Item = usize>| v.collect::<Vec<_>>();
    let shape = reverse(&mut shape.iter().rev().copied());
    let strides: Vec<isize> = strides.iter().rev().copied().collect();
    is_c_contiguous(&shape, &strides, item)
}

/// The shape that both broadcast to, by NumPy's rules: aligned from the right, sizes equal or 1.
///
/// # Errors
/// `Broadcast` if a pair of sizes differs and neither is 1.
pub fn broadcast_shapes(left: &[usize], right: &[usize]) -> Result<Vec<usize>> {
    common_shape(&[left, right])
}

/// Strides over `target` of an array that broadcasts to it.
pub(crate) fn broadcast_strides(
    shape: &[usize],
    strides: &[isize],
    target: &[usize],
) -> Result<Vec<isize>> {
    let error = || ArrayError::Broadcast {
        left: shape.to_vec(),
        right: target.to_vec(),
    };
    let extra = target.len().checked_sub(shape.len()).ok_or_else(error)?;
    let mut result = vec![0; target.len()];
    for (((to, &stride), &size), &wanted) in result
        .iter_mut()
        .skip(extra)
        .zip(strides)
        .zip(shape)
        .zip(target.iter().skip(extra))
    {
        *to = match size {
            s if s == wanted => stride,
            1 => 0,
            _ => return Err(error()),
        };
    }
    Ok(result)
}

/// Strides that show the same elements in C order under another shape, if there are any.
pub(crate) fn reshape_strides(
    shape: &[usize],
    strides: &[isize],
    target: &[usize],
    item: usize,
) -> Option<Vec<isize>> {
    if shape.contains(&0) {
        return c_strides(target, item).ok();
    }
    let old: Vec<(usize, isize)> = shape
        .iter()
        .copied()
        .zip(strides.iter().copied())
        .filter(|(size, _)| *size != 1)
        .collect();
    let mut result = vec![item as isize; target.len()];
    let (mut old, mut target) = (old.as_slice(), target);
    let mut rest = result.as_mut_slice();
    while !old.is_empty() {
        // Take axes from both sides until the products are equal.
        let (mut old_count, mut new_count) = (1_usize, 1_usize);
        let (mut old_size, mut new_size) = (old.first()?.0, *target.first()?);
        while old_size != new_size {
            if old_size < new_size {
                old_size = old_size.checked_mul(old.get(old_count)?.0)?;
                old_count = old_count.checked_add(1)?;
            } else {
                new_size = new_size.checked_mul(*target.get(new_count)?)?;
                new_count = new_count.checked_add(1)?;
            }
        }
        let (group, sizes, strides);
        (group, old) = old.split_at_checked(old_count)?;
        (sizes, target) = target.split_at_checked(new_count)?;
        (strides, rest) = rest.split_at_mut_checked(new_count)?;
        let joined = group
            .iter()
            .zip(group.iter().skip(1))
            .all(|(outer, inner)| inner.1.checked_mul(inner.0 as isize) == Some(outer.1));
        if !joined {
            return None;
        }
        let mut step = group.last()?.1;
        for (to, &size) in strides.iter_mut().zip(sizes).rev() {
            *to = step;
            step = step.wrapping_mul(size as isize);
        }
    }
    Some(result)
}

/// First position, count and step of `start:stop:step` on an axis, by Python's rules.
pub(crate) fn slice_range(
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
    size: usize,
) -> Result<(usize, usize)> {
    if step == 0 {
        return Err(ArrayError::ZeroStep);
    }
    let n = size as i64;
    let (low, high) = if step > 0 {
        (0, n)
    } else {
        (-1, n.saturating_sub(1))
    };
    let place = |v: i64| {
        if v < 0 {
            v.saturating_add(n).max(low)
        } else {
            v.min(high)
        }
    };
    let first = start.map_or(if step > 0 { low } else { high }, place);
    let end = stop.map_or(if step > 0 { high } else { low }, place);
    let (from, to) = if step > 0 { (first, end) } else { (end, first) };
    let span = to.saturating_sub(from).max(0) as u64;
    let count = span.div_ceil(step.unsigned_abs().max(1));
    Ok((first.max(0) as usize, count as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_follow_python() {
        let sizes = if cfg!(miri) { 4..5_i64 } else { 0..6 };
        for size in sizes {
            for step in [-7, -3, -2, -1, 1, 2, 3, 7, i64::MIN, i64::MAX] {
                for start in (-8..8)
                    .map(Some)
                    .chain([None, Some(i64::MIN), Some(i64::MAX)])
                {
                    for stop in (-8..8)
                        .map(Some)
                        .chain([None, Some(i64::MIN), Some(i64::MAX)])
                    {
                        let (first, count) = slice_range(start, stop, step, size as usize).unwrap();
                        let walked = walk(start, stop, step, size);
                        assert_eq!(count, walked.len(), "{start:?}:{stop:?}:{step} of {size}");
                        if let Some(&expected) = walked.first() {
                            assert_eq!(first as i64, expected);
                        }
                    }
                }
            }
        }
    }

    /// Python's definition, element by element.
    fn walk(start: Option<i64>, stop: Option<i64>, step: i64, n: i64) -> Vec<i64> {
        let fix = |v: i64| if v < 0 { v.saturating_add(n) } else { v };
        let first = start.map_or(if step > 0 { 0 } else { n - 1 }, |s| {
            if step > 0 {
                fix(s).clamp(0, n)
            } else {
                fix(s).clamp(-1, n.saturating_sub(1))
            }
        });
        let stop = stop.map(|s| {
            if step > 0 {
                fix(s).clamp(0, n)
            } else {
                fix(s).clamp(-1, n.saturating_sub(1))
            }
        });
        let stop = stop.unwrap_or(if step > 0 { n } else { -1 });
        let mut found = vec![];
        let mut i = first;
        while if step > 0 { i < stop } else { i > stop } {
            found.push(i);
            i = i.saturating_add(step);
        }
        found
    }

    #[test]
    fn bounds_agree_with_brute_force() {
        for stride in -5..6_isize {
            for other in -3..4_isize {
                for offset in 0..12 {
                    let shape = [3, 2];
                    let strides = [stride, other];
                    let brute = (0..3).all(|i| {
                        (0..2).all(|j| {
                            let at = offset as isize + i * stride + j * other;
                            at >= 0 && at + 2 <= 12
                        })
                    });
                    assert_eq!(in_bounds(12, offset, &shape, &strides, 2), brute);
                }
            }
        }
        assert!(!in_bounds(
            16,
            0,
            &[usize::MAX, 2],
            &[isize::MAX, isize::MAX],
            8
        ));
        assert!(in_bounds(16, 16, &[0, 5], &[1, 1], 8));
        assert!(!in_bounds(16, 17, &[0, 5], &[1, 1], 8));
    }

    #[test]
    fn element_counts_are_checked() {
        assert_eq!(element_count(&[1 << 20, 0]), Ok(0));
        assert!(element_count(&[usize::MAX, 0]).is_err());
        assert_eq!(element_count(&[]), Ok(1));
        assert!(element_count(&[1 << 20, 1 << 20]).is_err());
        assert_eq!(
            element_count(&[1; 65]),
            Err(ArrayError::RankTooHigh { rank: 65 })
        );
    }
}
