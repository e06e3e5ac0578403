//! Loop nests over any number of operands: the plan that a ufunc, a copy or an index runs.

use crate::array::Array;
use crate::context::{LoopKind, Report};
use crate::error::Result;
use crate::layout;
use crate::plan::pick;
use crate::walk::advance;

/// The order in which a plan visits positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The last axis varies fastest.
    C,
    /// The first axis varies fastest.
    F,
    /// As the operands lie in memory. The order of visits has no meaning.
    K,
}

/// How an operand moves along the inner loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Each element follows the one before.
    Contiguous,
    /// Always the same element.
    Scalar,
    /// A distance of its own.
    Strided,
}

/// Loops over a common shape: outer axes, and an inner loop that is as long and as sequential as
/// the layouts allow. Positions and strides are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loops {
    /// Sizes of the outer axes, outermost first.
    pub outer: Vec<usize>,
    /// Per operand its strides over `outer`.
    pub strides: Vec<Vec<isize>>,
    /// Elements of one inner loop.
    pub inner: usize,
    /// Per operand its stride along the inner loop.
    pub steps: Vec<isize>,
    /// Per operand the position of its first element in its block.
    pub starts: Vec<isize>,
}

/// An inner loop shorter than this gives way to one that is 8 times longer.
const SHORT: usize = 16;

impl Loops {
    /// Loops over `shape` for operands with the given strides over it and first positions. Axes of
    /// size 1 go away; in `K` order axes are ordered by stride, turned around where every
    /// operand runs backwards, and the cheapest one becomes the inner loop; neighbours that every
    /// operand walks through in one stride are joined. Numbers that are missing count as 0.
    #[must_use]
    pub fn new(shape: &[usize], strides: &[Vec<isize>], starts: &[isize], order: Order) -> Self {
        let mut axes: Vec<usize> = (0..shape.len()).collect();
        axes.retain(|&axis| shape.get(axis) != Some(&1));
        match order {
            Order::C => {}
            Order::F => axes.reverse(),
            Order::K => k_order(&mut axes, strides),
        }
        let mut plan = Self {
            outer: pick(&axes, shape),
            strides: strides.iter().map(|s| along(&axes, s)).collect(),
            inner: 1,
            steps: vec![],
            starts: starts.to_vec(),
        };
        plan.starts.resize(strides.len(), 0);
        if plan.outer.contains(&0) {
            return plan.without_elements();
        }
        if order == Order::K {
            plan.flip();
        }
        plan.join();
        let axis = match order {
            Order::K => plan.cheapest(),
            Order::C | Order::F => plan.outer.len().checked_sub(1),
        };
        plan.take_inner(axis);
        plan
    }

    /// Loops over arrays that broadcast to `shape`.
    ///
    /// # Errors
    /// `Broadcast` if one doesn't; `TooLarge` and `RankTooHigh` for the shape.
    pub fn over(shape: &[usize], arrays: &[&Array], order: Order) -> Result<Self> {
        layout::element_count(shape)?;
        let starts: Vec<isize> = arrays.iter().map(|a| a.offset() as isize).collect();
        if let Some(plan) = Self::all_contiguous(shape, arrays, &starts) {
            return Ok(plan);
        }
        let strides = arrays
            .iter()
            .map(|a| layout::broadcast_strides(a.shape(), a.strides(), shape))
            .collect::<Result<Vec<_>>>()?;
        Ok(Self::new(shape, &strides, &starts, order))
    }

    /// One loop, without planning, where all operands have the shape and are C-contiguous.
    fn all_contiguous(shape: &[usize], arrays: &[&Array], starts: &[isize]) -> Option<Self> {
        let plain = |a: &&Array| {
            a.shape() == shape && layout::is_c_contiguous(shape, a.strides(), a.item_size())
        };
        if shape.contains(&0) || !arrays.iter().all(plain) {
            return None;
        }
        let steps = arrays.iter().map(|a| a.item_size() as isize).collect();
        Some(Self {
            outer: vec![],
            strides: vec![vec![]; arrays.len()],
            inner: shape.iter().product(),
            steps,
            starts: starts.to_vec(),
        })
    }

    /// How an operand with items of `item` bytes moves along the inner loop.
    #[must_use]
    pub fn step(&self, operand: usize, item: usize) -> Step {
        match self.steps.get(operand).copied().unwrap_or(0) {
            step if step == item as isize => Step::Contiguous,
            0 => Step::Scalar,
            _ => Step::Strided,
        }
    }

    /// The number of inner loops; the greatest there is if they are more.
    #[must_use]
    pub fn count(&self) -> usize {
        if self.inner == 0 || self.outer.contains(&0) {
            0
        } else {
            self.outer.iter().fold(1, |n, &size| n.saturating_mul(size))
        }
    }

    /// Walks over the beginnings of the inner loops.
    #[must_use]
    pub fn walk(&self) -> Outer<'_> {
        Outer {
            plan: self,
            coords: vec![0; self.outer.len()],
            at: self.starts.clone(),
            left: self.count(),
            begun: false,
        }
    }

    /// Where an operand would rather walk along the last outer axis than along the inner loop, as
    /// one side of a transposition does: the size of that axis, and a plan of the axes outside it.
    pub(crate) fn split_tiles(&self) -> Option<(usize, Self)> {
        let mut operands = self.strides.iter().zip(&self.steps);
        let competes = operands.any(|(outer, step)| {
            let last = outer.last().map_or(0, |s| s.unsigned_abs());
            last != 0 && last < step.unsigned_abs()
        });
        let lines = *self.outer.last()?;
        if !competes || lines < SHORT || self.inner < SHORT {
            return None;
        }
        let mut across = self.clone();
        across.outer.pop();
        across.strides.iter_mut().for_each(|s| {
            s.pop();
        });
        Some((lines, across))
    }

    /// What the trace says of the plan: its kind, its loops and the operands' strides.
    pub(crate) fn report(&self, op: &'static str) -> Report {
        let with_inner = |list: &[isize], last: isize| [list, &[last]].concat();
        let operands = self.strides.iter().zip(&self.steps);
        Report {
            ops: vec![op],
            kind: if self.outer.is_empty() {
                LoopKind::One
            } else {
                LoopKind::Strided
            },
            shape: [self.outer.as_slice(), &[self.inner]].concat(),
            strides: operands
                .map(|(list, &last)| with_inner(list, last))
                .collect(),
            bytes: 0,
        }
    }

    fn without_elements(mut self) -> Self {
        self.outer.clear();
        self.strides.iter_mut().for_each(Vec::clear);
        self.inner = 0;
        self.steps = vec![0; self.strides.len()];
        self
    }

    /// Turns around the axes on which every operand runs backwards or stands still.
    fn flip(&mut self) {
        for axis in 0..self.outer.len() {
            let along = |s: &Vec<isize>| s.get(axis).copied().unwrap_or(0);
            let backwards = self.strides.iter().any(|s| along(s) < 0)
                && self.strides.iter().all(|s| along(s) <= 0);
            let size = self.outer.get(axis).copied().unwrap_or(1);
            if !backwards {
                continue;
            }
            for (strides, start) in self.strides.iter_mut().zip(&mut self.starts) {
                if let Some(stride) = strides.get_mut(axis) {
                    let way = (size as isize).wrapping_sub(1).wrapping_mul(*stride);
                    *start = start.wrapping_add(way);
                    *stride = stride.wrapping_neg();
                }
            }
        }
    }

    /// Joins neighbouring axes.
    fn join(&mut self) {
        let mut at = 0_usize;
        loop {
            let after = at.saturating_add(1);
            let (Some(&size), Some(&next)) = (self.outer.get(at), self.outer.get(after)) else {
                return;
            };
            let joins = self.strides.iter().all(|s| {
                let (outer, inner) = (s.get(at).copied(), s.get(after).copied());
                outer == inner.and_then(|i| i.checked_mul(next as isize))
            });
            if !joins {
                at = after;
                continue;
            }
            self.outer.remove(at);
            if let Some(joined) = self.outer.get_mut(at) {
                *joined = size.saturating_mul(next);
            }
            for strides in &mut self.strides {
                strides.remove(at);
            }
        }
    }

    /// The axis with the smallest sum of strides, of equal ones the longer, unless that makes
    /// the inner loops shorter than those of the last axis, or too short to be worth starting.
    fn cheapest(&self) -> Option<usize> {
        let size = |axis: usize| self.outer.get(axis).copied().unwrap_or(1);
        let cost = |axis: usize| {
            let along = self.strides.iter().filter_map(|s| s.get(axis));
            along.map(|s| s.unsigned_abs() as u128).sum::<u128>()
        };
        let last = self.outer.len().checked_sub(1)?;
        let mut best = last;
        for axis in (0..last).rev() {
            let (new, old) = (cost(axis), cost(best));
            if (new < old && size(axis) >= size(last)) || (new == old && size(axis) > size(best)) {
                best = axis;
            }
        }
        let longest = (0..=last).max_by_key(|&axis| size(axis)).unwrap_or(best);
        let worth = size(best) < SHORT && size(longest) / 8 >= size(best);
        Some(if worth { longest } else { best })
    }

    /// Makes an axis the inner loop; what stands around it may join.
    fn take_inner(&mut self, axis: Option<usize>) {
        let Some(axis) = axis else {
            self.steps = vec![0; self.strides.len()];
            return;
        };
        self.inner = self.outer.remove(axis);
        self.steps = self.strides.iter_mut().map(|s| s.remove(axis)).collect();
        self.join();
    }
}

/// An operand's strides along the given axes.
fn along(axes: &[usize], strides: &[isize]) -> Vec<isize> {
    let stride = |&axis: &usize| strides.get(axis).copied().unwrap_or(0);
    axes.iter().map(stride).collect()
}

/// Orders axes from the outermost to the innermost as NumPy's K order does: a stable insertion
/// sort in which an axis moves outwards past another only if some operand asks for it and none is
/// against; an operand that stands still on either axis has no say.
pub(crate) fn k_order(axes: &mut [usize], operands: &[Vec<isize>]) {
    // From the inside out: an axis is put in among those that it encloses.
    axes.reverse();
    for end in 1..axes.len() {
        let mut place = end;
        for at in (0..end).rev() {
            let (Some(&moved), Some(&other)) = (axes.get(end), axes.get(at)) else {
                break;
            };
            match goes_inside(moved, other, operands) {
                Some(true) => place = at,
                Some(false) => break,
                None => {}
            }
        }
        if let Some(part) = axes.get_mut(place..=end) {
            part.rotate_right(1);
        }
    }
    axes.reverse();
}

/// Byte strides of a fresh array in K order: its axes are ordered as the operands' are; those that
/// they don't order, or order in different ways, keep C order. The strides are over `shape`.
#[must_use]
pub fn k_strides(shape: &[usize], operands: &[Vec<isize>], item: usize) -> Vec<isize> {
    let still = |s: &Vec<isize>| -> Vec<isize> {
        let axes = s.iter().zip(shape);
        axes.map(|(&stride, &size)| if size == 1 { 0 } else { stride })
            .collect()
    };
    let operands: Vec<Vec<isize>> = operands.iter().map(still).collect();
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    k_order(&mut axes, &operands);
    let mut strides = vec![0; shape.len()];
    let mut step = item as isize;
    for axis in axes.into_iter().rev() {
        if let (Some(stride), Some(&size)) = (strides.get_mut(axis), shape.get(axis)) {
            *stride = step;
            step = step.saturating_mul(size as isize);
        }
    }
    strides
}

/// Whether axis `moved` belongs inside axis `other`, or nothing if no operand tells.
fn goes_inside(moved: usize, other: usize, operands: &[Vec<isize>]) -> Option<bool> {
    let mut told = None;
    for strides in operands {
        let along = |axis: usize| strides.get(axis).map_or(0, |s| s.unsigned_abs());
        let (moved, other) = (along(moved), along(other));
        if moved != 0 && other != 0 {
            if other <= moved {
                return Some(false);
            }
            told = Some(true);
        }
    }
    told
}

/// A walk over the outer axes that keeps every operand's position.
#[derive(Clone, Debug)]
pub struct Outer<'a> {
    plan: &'a Loops,
    coords: Vec<usize>,
    at: Vec<isize>,
    left: usize,
    begun: bool,
}

impl Outer<'_> {
    /// The positions at which the operands' next inner loop begins.
    pub fn next_row(&mut self) -> Option<&[isize]> {
        self.left = self.left.checked_sub(1)?;
        if self.begun {
            self.advance();
        }
        self.begun = true;
        Some(&self.at)
    }

    /// How far the walk is along each outer axis.
    #[must_use]
    pub fn coords(&self) -> &[usize] {
        &self.coords
    }

    fn advance(&mut self) {
        let (plan, positions) = (self.plan, &mut self.at);
        advance(&mut self.coords, &plan.outer, |axis, steps| {
            for (at, strides) in positions.iter_mut().zip(&plan.strides) {
                let stride = strides.get(axis).copied().unwrap_or(0);
                *at = at.wrapping_add(steps.wrapping_mul(stride));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contiguous_operands_are_one_loop() {
        let strides = vec![vec![96, 32, 4], vec![96, 32, 4]];
        let plan = Loops::new(&[2, 3, 8], &strides, &[0, 64], Order::K);
        assert_eq!((plan.inner, plan.count()), (48, 1));
        assert_eq!(plan.steps, [4, 4]);
    }

    #[test]
    fn transposed_and_reversed_operands_run_forwards_in_memory() {
        let plan = Loops::new(&[3, 4], &[vec![-4, -12]], &[44], Order::K);
        assert_eq!((plan.inner, &plan.starts), (12, &vec![0]));
        assert_eq!(plan.step(0, 4), Step::Contiguous);
        let plan = Loops::new(&[3, 4], &[vec![-4, -12]], &[44], Order::C);
        assert_eq!((plan.inner, plan.count(), &plan.starts), (4, 3, &vec![44]));
    }

    #[test]
    fn a_walk_gives_every_position_once() {
        let plan = Loops::new(
            &[2, 3, 4],
            &[vec![100, 4, 20], vec![0, 1, 0]],
            &[8, 0],
            Order::C,
        );
        let (mut rows, mut walk) = (vec![], plan.walk());
        while let Some(at) = walk.next_row() {
            rows.push(at.to_vec());
        }
        let expected = [[8, 0], [12, 1], [16, 2], [108, 0], [112, 1], [116, 2]];
        assert_eq!(rows, expected);
        assert_eq!(plan.steps, [20, 0]);
        let plan = Loops::new(&[2, 0, 4], &[vec![1, 1, 1]], &[0], Order::K);
        assert!(plan.walk().next_row().is_none());
        let plan = Loops::new(&[], &[vec![]], &[5], Order::K);
        assert_eq!(plan.walk().next_row(), Some([5].as_slice()));
    }
}
