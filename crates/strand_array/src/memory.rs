//! Whether arrays share memory.
//!
//! Bounds are compared first. The exact answer is the solution of a bounded linear Diophantine
//! equation: some byte of some element of the one lies where some byte of the other does. That is
//! NP-hard in general, so the search has a work limit.

use crate::array::Array;
use crate::error::{ArrayError, Result};
use crate::layout;

/// Steps of the search after which operations give up and make a copy.
const WORK: u64 = 64;

/// What is known of two arrays' memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// No byte belongs to both.
    No,
    /// Some byte belongs to both.
    Yes,
    /// The work limit was reached before an answer was found.
    Unknown,
}

/// Whether the bounds of both arrays' memory overlap; `np.may_share_memory`.
#[must_use]
pub fn may_share(a: &Array, b: &Array) -> bool {
    bounds_overlap(a, b).is_some()
}

/// Whether some byte belongs to both arrays, as far as a short search tells: where it doesn't
/// end in time they are taken to share.
#[must_use]
pub fn shares(a: &Array, b: &Array) -> bool {
    overlap(a, b, Some(WORK)) != Overlap::No
}

/// Whether some byte belongs to both arrays, exactly; `np.shares_memory`.
///
/// # Errors
/// `TooHard` if more than `most_work` steps would be needed.
pub fn shares_memory(a: &Array, b: &Array, most_work: Option<u64>) -> Result<bool> {
    match overlap(a, b, most_work) {
        Overlap::No => Ok(false),
        Overlap::Yes => Ok(true),
        Overlap::Unknown => Err(ArrayError::TooHard),
    }
}

/// Searches for a byte that belongs to both arrays, within `most_work` steps.
#[must_use]
pub fn overlap(a: &Array, b: &Array, most_work: Option<u64>) -> Overlap {
    let Some(reach) = bounds_overlap(a, b) else {
        return Overlap::No;
    };
    if most_work == Some(0) {
        return Overlap::Unknown;
    }
    let mut terms = terms_of(a);
    terms.extend(terms_of(b));
    solve(simplified(terms, reach), reach, most_work, None)
}

/// Whether two different positions of one array may lie on the same bytes, as far as a short
/// search tells.
#[must_use]
pub fn overlaps_itself(array: &Array) -> bool {
    let flags = array.flags();
    if array.len() <= 1 || flags.c_contiguous || flags.f_contiguous {
        return false;
    }
    internal_overlap(array, Some(WORK)) != Overlap::No
}

/// Searches for two positions of one array that lie on the same bytes.
#[must_use]
pub fn internal_overlap(array: &Array, most_work: Option<u64>) -> Overlap {
    if array.is_empty() || array.item_size() == 0 {
        return Overlap::No;
    }
    // Two positions x and y: with z = x + (bound - y), Σ|stride|·z = Σ|stride|·bound, and z isn't
    // the bound itself everywhere.
    let mut terms = terms_of(array);
    if array
        .shape()
        .iter()
        .zip(array.strides())
        .any(|(&size, &stride)| size > 1 && stride == 0)
    {
        return Overlap::Yes;
    }
    let middle = terms.iter().map(|t| t.factor * t.bound).sum();
    for term in &mut terms {
        term.bound *= 2;
    }
    terms.sort_by_key(|t| std::cmp::Reverse(t.factor));
    let trivial: Vec<i128> = terms.iter().map(|t| t.bound / 2).collect();
    solve(terms, middle, most_work, Some(&trivial))
}

/// Whether element k of both lies at the same bytes for every k, with no byte in two elements:
/// an operation over both then reads each element before it writes it.
#[must_use]
pub fn same_elements(a: &Array, b: &Array) -> bool {
    a.shares_block(b)
        && a.offset() == b.offset()
        && a.item_size() == b.item_size()
        && a.shape() == b.shape()
        && a.shape()
            .iter()
            .zip(a.strides().iter().zip(b.strides()))
            .all(|(&size, (x, y))| size <= 1 || x == y)
        && !overlaps_itself(a)
}

/// Whether an input has to be copied before an elementwise operation writes to `out`.
#[must_use]
pub fn must_copy(input: &Array, out: &Array) -> bool {
    shares(input, out) && !same_elements(input, out)
}

/// One unknown of the equation: `factor * x` with `0 <= x <= bound`.
#[derive(Clone, Copy)]
struct Term {
    factor: i128,
    bound: i128,
}

/// First and past-the-last byte of the array in its block, if it has any.
pub(crate) fn byte_range(array: &Array) -> Option<(i128, i128)> {
    if array.is_empty() || array.item_size() == 0 {
        return None;
    }
    let (low, high) = layout::extent(array.shape(), array.strides());
    let at = array.offset() as i128;
    Some((at + low, at + high + array.item_size() as i128))
}

/// The right side of the equation if the arrays' bounds overlap.
fn bounds_overlap(a: &Array, b: &Array) -> Option<i128> {
    if !a.shares_block(b) {
        return None;
    }
    let (start, end) = byte_range(a)?;
    let (other_start, other_end) = byte_range(b)?;
    let apart = start >= other_end || other_start >= end;
    (!apart).then(|| (other_end - 1 - start).min(end - 1 - other_start))
}

/// An unknown per axis that moves, and one for the byte within an element.
fn terms_of(array: &Array) -> Vec<Term> {
    let axes = array.shape().iter().zip(array.strides());
    let mut terms: Vec<Term> = axes
        .filter(|(size, stride)| **size > 1 && **stride != 0)
        .map(|(&size, &stride)| Term {
            factor: (stride as i128).abs(),
            bound: size as i128 - 1,
        })
        .collect();
    if array.item_size() > 1 {
        terms.push(Term {
            factor: 1,
            bound: array.item_size() as i128 - 1,
        });
    }
    terms
}

/// The same equation with equal factors joined and bounds no higher than the sum allows.
fn simplified(mut terms: Vec<Term>, sum: i128) -> Vec<Term> {
    terms.sort_by_key(|t| std::cmp::Reverse(t.factor));
    let mut joined: Vec<Term> = vec![];
    for term in terms {
        match joined.last_mut() {
            Some(last) if last.factor == term.factor => last.bound += term.bound,
            _ => joined.push(term),
        }
    }
    for term in &mut joined {
        term.bound = term.bound.min(sum / term.factor);
    }
    joined.retain(|t| t.bound > 0);
    joined
}

/// Whether Σ factor·x = `sum` has a solution within the bounds, other than `trivial`.
fn solve(terms: Vec<Term>, sum: i128, most_work: Option<u64>, trivial: Option<&[i128]>) -> Overlap {
    if sum < 0 {
        return Overlap::No;
    }
    if terms.is_empty() {
        return yes(trivial.is_none() && sum == 0);
    }
    let mut search = Search {
        heads: heads(&terms),
        found: vec![0; terms.len()],
        terms,
        left: most_work,
        trivial,
    };
    let last = search.terms.len() - 1;
    search.descend(last, sum)
}

fn yes(found: bool) -> Overlap {
    if found { Overlap::Yes } else { Overlap::No }
}

/// What the terms up to one can sum to: a multiple of `gcd`, at most `most`.
#[derive(Clone, Copy)]
struct Head {
    gcd: i128,
    most: i128,
    /// `factor * v` is `gcd`, up to multiples of the gcd of the terms before.
    v: i128,
}

fn heads(terms: &[Term]) -> Vec<Head> {
    let mut found: Vec<Head> = vec![];
    for term in terms {
        let (before, most) = found.last().map_or((0, 0), |h| (h.gcd, h.most));
        let (gcd, v) = euclid(before, term.factor);
        found.push(Head {
            gcd,
            most: most + term.factor * term.bound,
            v,
        });
    }
    found
}

/// The greatest common divisor of two numbers, and how often it takes the second.
fn euclid(a: i128, b: i128) -> (i128, i128) {
    let (mut r, mut t) = ((a, b), (0, 1));
    while r.1 != 0 {
        let q = r.0 / r.1;
        r = (r.1, r.0 - q * r.1);
        t = (t.1, t.0 - q * t.1);
    }
    (r.0, t.0)
}

struct Search<'a> {
    terms: Vec<Term>,
    heads: Vec<Head>,
    found: Vec<i128>,
    left: Option<u64>,
    trivial: Option<&'a [i128]>,
}

impl Search<'_> {
    /// Looks for values of the terms up to `at` that sum to `sum`.
    fn descend(&mut self, at: usize, sum: i128) -> Overlap {
        match &mut self.left {
            Some(0) => return Overlap::Unknown,
            Some(left) => *left -= 1,
            None => {}
        }
        let (Some(&term), Some(&head)) = (self.terms.get(at), self.heads.get(at)) else {
            return Overlap::No;
        };
        if sum < 0 || sum > head.most || sum % head.gcd != 0 {
            return Overlap::No;
        }
        let Some(below) = at.checked_sub(1).and_then(|i| self.heads.get(i)).copied() else {
            // The bounds hold: sum is at most factor * bound.
            self.note(at, sum / term.factor);
            return yes(!self.is_trivial());
        };
        // x = x0 + step·k for whole k leaves a multiple of the gcd of the terms below.
        let step = below.gcd / head.gcd;
        let x0 = (sum / head.gcd % step * (head.v.rem_euclid(step))).rem_euclid(step);
        // What is left must be between 0 and what the terms below reach.
        let least = div_ceil(sum - below.most, term.factor).max(0);
        let most = (sum / term.factor).min(term.bound);
        let mut x = x0 + div_ceil(least - x0, step) * step;
        while x <= most {
            self.note(at, x);
            match self.descend(at - 1, sum - term.factor * x) {
                Overlap::No => x += step,
                found => return found,
            }
        }
        Overlap::No
    }

    fn note(&mut self, at: usize, value: i128) {
        if let Some(x) = self.found.get_mut(at) {
            *x = value;
        }
    }

    fn is_trivial(&self) -> bool {
        self.trivial.is_some_and(|t| t == self.found)
    }
}

fn div_ceil(a: i128, b: i128) -> i128 {
    let q = a.div_euclid(b);
    if a.rem_euclid(b) == 0 { q } else { q + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, DType};

    fn view(ctx: &Context, base: &Array, at: usize, shape: &[usize], strides: &[isize]) -> Array {
        let _ = ctx;
        Array::from_parts(base.block.clone(), at, shape, strides, base.descr.clone()).unwrap()
    }

    #[test]
    fn every_pair_of_small_layouts_agrees_with_counting_bytes() {
        let ctx = Context::default();
        let base = Array::zeros(&ctx, &[24], DType::F32).unwrap();
        let bytes = |a: &Array| {
            let mut found = std::collections::BTreeSet::new();
            crate::walk::offsets(a.shape(), a.strides(), a.offset(), |at| {
                found.extend(at..at + 4);
            });
            found
        };
        let layouts: Vec<Array> = [
            (0, vec![3, 2], vec![16, 6]),
            (1, vec![4], vec![8]),
            (5, vec![4], vec![8]),
            (4, vec![2, 2], vec![20, 8]),
            (44, vec![4, 2], vec![-10, 3]),
            (8, vec![], vec![]),
            (8, vec![0], vec![4]),
            (60, vec![3, 3], vec![0, -9]),
        ]
        .into_iter()
        .map(|(at, shape, strides)| view(&ctx, &base, at, &shape, &strides))
        .collect();
        for a in &layouts {
            let distinct = bytes(a).len() == 4 * a.len();
            assert_eq!(
                internal_overlap(a, None),
                if distinct { Overlap::No } else { Overlap::Yes },
                "{a:?}"
            );
            for b in &layouts {
                let both = bytes(a).intersection(&bytes(b)).next().is_some();
                assert_eq!(shares_memory(a, b, None), Ok(both), "{a:?} {b:?}");
            }
        }
        let other = Array::zeros(&ctx, &[4], DType::F32).unwrap();
        assert!(!may_share(&base, &other));
    }

    #[test]
    fn a_search_that_takes_too_long_is_given_up() {
        let ctx = Context::default();
        let base = Array::zeros(&ctx, &[200_000], DType::Bool).unwrap();
        let shape = [7, 7, 7, 7, 7, 7];
        let a = view(&ctx, &base, 0, &shape, &[4620, 3003, 2002, 1430, 1155, 910]);
        let b = view(&ctx, &base, 3, &shape, &[4620, 3003, 2002, 1430, 1155, 910]);
        assert_eq!(overlap(&a, &b, Some(0)), Overlap::Unknown);
        assert!(may_share(&a, &b) && shares(&a, &b));
    }
}
