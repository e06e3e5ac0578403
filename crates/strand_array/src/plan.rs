//! The planner: from shapes and strides to loops.
//!
//! Broadcast, drop axes of size 1, order axes by stride, coalesce. What is left is a domain whose
//! last axis is the inner loop. The plan is plain data.

mod loops;

pub(crate) use loops::k_order;
pub use loops::{Loops, Order, Outer, Step, k_strides};

/// A loop nest: sizes, outermost first, and byte strides of each operand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Domain {
    pub(crate) shape: Vec<usize>,
    /// One list per operand, as long as `shape`.
    pub(crate) strides: Vec<Vec<isize>>,
}

impl Domain {
    /// The axes of `axes`, in that order, of operands that lie over the common shape.
    pub(crate) fn of_axes(axes: &[usize], shape: &[usize], operands: &[Vec<isize>]) -> Self {
        Self {
            shape: pick(axes, shape),
            strides: operands.iter().map(|strides| pick(axes, strides)).collect(),
        }
    }

    /// The axes of several domains after each other.
    pub(crate) fn join(parts: &[&Self]) -> Self {
        let operands = parts.first().map_or(0, |d| d.strides.len());
        let strides = |k: usize| {
            parts
                .iter()
                .filter_map(|d| d.strides.get(k))
                .flatten()
                .copied()
                .collect()
        };
        Self {
            shape: parts.iter().flat_map(|d| d.shape.iter().copied()).collect(),
            strides: (0..operands).map(strides).collect(),
        }
    }

    /// Takes the last axis off as a domain of its own; of rank 0 if there is none.
    pub(crate) fn split_last(&mut self) -> Self {
        Self {
            shape: self.shape.pop().into_iter().collect(),
            strides: self
                .strides
                .iter_mut()
                .map(|s| s.pop().into_iter().collect())
                .collect(),
        }
    }

    /// Joins neighbouring axes that every operand walks through in one stride.
    pub(crate) fn coalesce(&mut self) {
        let mut outer = 0_usize;
        while outer.saturating_add(1) < self.shape.len() {
            if !self.strides.iter().all(|s| self.joins(s, outer)) {
                outer = outer.saturating_add(1);
                continue;
            }
            let size = self.shape.remove(outer);
            if let Some(inner) = self.shape.get_mut(outer) {
                *inner = inner.saturating_mul(size);
            }
            for strides in &mut self.strides {
                strides.remove(outer);
            }
        }
    }

    fn joins(&self, strides: &[isize], outer: usize) -> bool {
        let inner = outer.saturating_add(1);
        match (
            strides.get(outer),
            strides.get(inner),
            self.shape.get(inner),
        ) {
            (Some(a), Some(b), Some(&size)) => b.checked_mul(size as isize) == Some(*a),
            _ => false,
        }
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The sum of the operands' strides on an axis: what a step along it costs.
    pub(crate) fn cost(&self, axis: usize) -> usize {
        let strides = self.strides.iter().filter_map(|s| s.get(axis));
        strides.fold(0, |sum: usize, s| sum.saturating_add(s.unsigned_abs()))
    }
}

/// The elements of `from` at the given places.
pub(crate) fn pick<T: Copy>(places: &[usize], from: &[T]) -> Vec<T> {
    places
        .iter()
        .filter_map(|&i| from.get(i).copied())
        .collect()
}

/// Orders axes from the largest stride to the smallest, as NumPy's K order does: an axis moves
/// outwards if some operand asks for it and none is against; broadcast axes have no say.
pub(crate) fn order_by_stride(axes: &mut [usize], operands: &[Vec<isize>]) {
    for end in 1..axes.len() {
        for at in (0..end).rev() {
            let inner = at.saturating_add(1);
            if !belongs_outside(axes, (at, inner), operands) {
                break;
            }
            axes.swap(at, inner);
        }
    }
}

/// Whether the second of two places has an axis that belongs outside that of the first.
fn belongs_outside(
    axes: &[usize],
    (outer, inner): (usize, usize),
    operands: &[Vec<isize>],
) -> bool {
    let mut wanted = false;
    for strides in operands {
        let stride = |place: usize| {
            axes.get(place)
                .and_then(|&a| strides.get(a))
                .map_or(0, |s| s.unsigned_abs())
        };
        let (outer, inner) = (stride(outer), stride(inner));
        if outer != 0 && inner != 0 {
            if outer > inner {
                return false;
            }
            wanted |= inner > outer;
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contiguous_axes_become_one() {
        let operands = vec![vec![96, 32, 4], vec![96, 32, 4]];
        let mut domain = Domain::of_axes(&[0, 1, 2], &[2, 3, 8], &operands);
        domain.coalesce();
        assert_eq!(domain.shape, [48]);
        assert_eq!(domain.strides, [[4], [4]]);
        let mut domain = Domain::of_axes(&[0, 1], &[3, 8], &[vec![32, 4], vec![0, 4]]);
        domain.coalesce();
        assert_eq!(domain.shape, [3, 8]);
    }

    #[test]
    fn a_transposed_operand_turns_the_loops_around() {
        let mut axes = vec![0, 1, 2];
        order_by_stride(&mut axes, &[vec![4, 40, 400], vec![0, 0, 4]]);
        assert_eq!(axes, [2, 1, 0]);
        let mut axes = vec![0, 1];
        order_by_stride(&mut axes, &[vec![4, 40], vec![40, 4]]);
        assert_eq!(axes, [0, 1]);
    }
}
