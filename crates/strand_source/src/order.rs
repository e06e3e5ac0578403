//! Sorting without a copy of the standard library's sort for each type: what is sorted here is short, and the engine
//! that a page loads is weighed.

use std::cmp::Ordering;

use crate::work::count_steps;

/// Sorts in place and keeps the order of equals, as [`slice::sort_by`].
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    sort_each(items, &mut compare);
}

/// Once for each type, not for each comparison.
fn sort_each<T>(items: &mut [T], compare: &mut dyn FnMut(&T, &T) -> Ordering) {
    let mut order = order_by(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    rearrange(&mut order, &mut |a, b| items.swap(a, b));
}

/// Sorts in place by a key and keeps the order of equals, as [`slice::sort_by_key`].
pub fn sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts in place, as [`slice::sort`].
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// The places of `len` things in the order of their comparison by place; equals stay in theirs. Merges runs of doubled
/// length.
fn order_by(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    count_steps(len);
    if (1..len).all(|at| compare(at - 1, at) != Ordering::Greater) {
        return order;
    }
    let mut merged = Vec::with_capacity(len);
    let mut run = 1;
    while run < len {
        count_steps(len);
        for start in (0..len).step_by(2 * run) {
            let middle = len.min(start + run);
            let end = len.min(middle + run);
            let (mut left, mut right) = (start, middle);
            while left < middle || right < end {
                let takes_left = right == end
                    || left < middle && compare(order[left], order[right]) != Ordering::Greater;
                let from = if takes_left { &mut left } else { &mut right };
                merged.push(order[*from]);
                *from += 1;
            }
        }
        std::mem::swap(&mut order, &mut merged);
        merged.clear();
        run *= 2;
    }
    order
}

/// Brings what stands at `order[at]` to `at` by swaps along the cycles.
fn rearrange(order: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start || from == at {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_sorts_as_the_standard_library_does() {
        let mut state = 1_u32;
        for len in 0..200 {
            let mut items: Vec<(u32, usize)> = (0..len)
                .map(|at| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    ((state >> 16) % 17, at)
                })
                .collect();
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            sort_by_key(&mut items, |(key, _)| *key);
            assert_eq!(items, expected);
            expected.sort_by(|a, b| b.cmp(a));
            sort_by(&mut items, |a, b| b.cmp(a));
            assert_eq!(items, expected);
            expected.sort();
            sort(&mut items);
            assert_eq!(items, expected);
        }
    }
}
