//! Generalised ufuncs: core dimensions, where they lie, and what is looped over.

use crate::array::Array;
use crate::error::{ArrayError, Result};
use crate::lanes::axis_of;
use crate::layout::broadcast_shapes;

/// A core dimension of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dim {
    /// Its place in the list of the signature's dimensions.
    pub(super) id: usize,
    /// Whether an operand may leave it out.
    pub(super) optional: bool,
}

/// Two inputs and an output with their core dimensions, as `np.matmul.signature` writes them.
#[derive(Debug)]
pub(super) struct Signature {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
    pub(super) operands: [&'static [Dim]; 3],
    /// The number of distinct dimensions.
    pub(super) dims: usize,
}

/// Which axes of the operands are the core ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct CoreAxes<'a> {
    /// The axes of each operand, output last; `axes=`. The output's may be left out if it has none.
    pub axes: Option<&'a [&'a [i64]]>,
    /// The one axis of every operand; `axis=`.
    pub axis: Option<i64>,
    /// Whether the summed axis stays, with size 1; `keepdims=`. `None` isn't the same as `false`: an
    /// operation that can't keep it refuses both.
    pub keepdims: Option<bool>,
}

/// What a call loops over, and where everything lies.
#[derive(Debug)]
pub(super) struct Plan {
    /// Sizes of the dimensions; 1 for one that was left out.
    pub(super) sizes: Vec<usize>,
    /// Which dimensions no operand has.
    pub(super) missing: Vec<bool>,
    /// The shape that is looped over.
    pub(super) outer: Vec<usize>,
    /// Per operand the axis of each core dimension that it has.
    pub(super) core: [Vec<usize>; 3],
    /// The shape of the output, its core axes where they belong.
    pub(super) shape: Vec<usize>,
}

impl Signature {
    fn bad(&self, why: String) -> ArrayError {
        ArrayError::BadArgument { op: self.name, why }
    }

    fn call(&self, why: String) -> ArrayError {
        ArrayError::BadCall { op: self.name, why }
    }

    /// Finds axes, sizes and the looped shape of a call.
    pub(super) fn plan(
        &self,
        inputs: [&Array; 2],
        out: Option<&Array>,
        axes: &CoreAxes<'_>,
    ) -> Result<Plan> {
        self.check_keywords(axes)?;
        let missing = self.missing(inputs)?;
        let keep = axes.keepdims == Some(true);
        let count = |operand: usize| match operand {
            2 if keep => 1,
            _ => self.present(operand, &missing).count(),
        };
        let counts = [count(0), count(1), count(2)];
        if let Some(out) = out
            && out.rank() < counts[2]
        {
            return Err(self.bad(format!(
                "the output has {} axes, but {} are needed",
                out.rank(),
                counts[2]
            )));
        }
        let loops = |rank: usize, operand: usize| {
            rank.saturating_sub(counts.get(operand).copied().unwrap_or(0))
        };
        let looped = loops(inputs[0].rank(), 0).max(loops(inputs[1].rank(), 1));
        let looped = looped.max(out.map_or(0, |o| loops(o.rank(), 2)));
        let ranks = [
            inputs[0].rank(),
            inputs[1].rank(),
            out.map_or(looped.saturating_add(counts[2]), Array::rank),
        ];
        let core = self.core_axes(axes, ranks, counts)?;
        let sizes = self.sizes(inputs, out, &core, &missing, keep)?;
        let outer = self.outer(inputs, out, &core)?;
        let shape = self.output_shape(&outer, &core[2], &sizes, &missing, keep, ranks[2]);
        Ok(Plan {
            sizes,
            missing,
            outer,
            core,
            shape,
        })
    }

    fn check_keywords(&self, axes: &CoreAxes<'_>) -> Result<()> {
        let [a, b, out] = self.operands;
        if axes.keepdims.is_some() && !(a.len() == b.len() && out.is_empty()) {
            return Err(
                self.call("keepdims needs one core axis per input and none in the output".into())
            );
        }
        if axes.axis.is_some() && axes.axes.is_some() {
            return Err(self.call("axis and axes can't be given together".into()));
        }
        if axes.axis.is_some() && self.dims != 1 {
            return Err(self.call(format!(
                "axis needs one core dimension, not those of {}",
                self.text
            )));
        }
        Ok(())
    }

    /// Which dimensions are left out: those of operands with too few axes, where they may be.
    fn missing(&self, inputs: [&Array; 2]) -> Result<Vec<bool>> {
        let mut missing = vec![false; self.dims];
        for (place, (input, dims)) in inputs.iter().zip(self.operands).enumerate() {
            let Some(mut lacking) = dims.len().checked_sub(input.rank()).filter(|n| *n > 0) else {
                continue;
            };
            for dim in dims.iter().filter(|d| d.optional) {
                if lacking > 0
                    && let Some(flag) = missing.get_mut(dim.id)
                {
                    *flag = true;
                    lacking = lacking.saturating_sub(1);
                }
            }
            if lacking > 0 {
                let need = dims.iter().filter(|d| !d.optional).count();
                return Err(self.bad(format!(
                    "input {place} has {} axes, but {} asks for {need}",
                    input.rank(),
                    self.text
                )));
            }
        }
        Ok(missing)
    }

    /// The dimensions that an operand has in this call.
    pub(super) fn present<'m>(
        &self,
        operand: usize,
        missing: &'m [bool],
    ) -> impl Iterator<Item = Dim> + use<'m> {
        let dims = self.operands.get(operand).copied().unwrap_or_default();
        dims.iter()
            .copied()
            .filter(|dim| missing.get(dim.id) != Some(&true))
    }

    fn core_axes(
        &self,
        given: &CoreAxes<'_>,
        ranks: [usize; 3],
        counts: [usize; 3],
    ) -> Result<[Vec<usize>; 3]> {
        if let Some(axes) = given.axes
            && axes.len() != 3
            && !(axes.len() == 2 && self.operands[2].is_empty())
        {
            return Err(self.bad("axes has one entry for each of the 3 operands".into()));
        }
        let mut found = [vec![], vec![], vec![]];
        for (operand, to) in found.iter_mut().enumerate() {
            let (rank, count) = (
                ranks.get(operand).copied().unwrap_or(0),
                counts.get(operand).copied().unwrap_or(0),
            );
            let entry = match (given.axes, given.axis) {
                (Some(axes), _) if operand < axes.len() => axes.get(operand).copied(),
                _ => None,
            };
            *to = match (entry, given.axis) {
                (Some(entry), _) => self.entry(operand, entry, rank, count)?,
                (None, Some(axis)) if count == 1 => vec![axis_of(axis, rank)?],
                _ => (rank.saturating_sub(count)..rank).collect(),
            };
        }
        Ok(found)
    }

    fn entry(
        &self,
        operand: usize,
        entry: &[i64],
        rank: usize,
        count: usize,
    ) -> Result<Vec<usize>> {
        if entry.len() != count {
            return Err(ArrayError::CoreAxes {
                op: self.name,
                operand,
                found: entry.len(),
                expected: count,
            });
        }
        let mut found = Vec::with_capacity(count);
        for &axis in entry {
            let axis = axis_of(axis, rank)?;
            if found.contains(&axis) {
                return Err(ArrayError::RepeatedAxis { axis });
            }
            found.push(axis);
        }
        Ok(found)
    }

    /// The size of every dimension, on which all operands that have it must agree.
    fn sizes(
        &self,
        inputs: [&Array; 2],
        out: Option<&Array>,
        core: &[Vec<usize>; 3],
        missing: &[bool],
        keep: bool,
    ) -> Result<Vec<usize>> {
        let mut sizes: Vec<Option<usize>> = vec![None; self.dims];
        let operands = [Some(inputs[0]), Some(inputs[1]), out.filter(|_| !keep)];
        for (operand, array) in operands.iter().enumerate() {
            let Some(array) = array else { continue };
            let axes = core.get(operand).map(Vec::as_slice).unwrap_or_default();
            for (dim, &axis) in self.present(operand, missing).zip(axes) {
                let size = array.shape().get(axis).copied().unwrap_or(1);
                match sizes.get_mut(dim.id) {
                    Some(Some(known)) if *known != size => {
                        return Err(self.bad(format!(
                            "operand {operand} has size {size} where {known} is needed"
                        )));
                    }
                    Some(known) => *known = Some(size),
                    None => {}
                }
            }
        }
        if let (true, Some(out)) = (keep, out)
            && let Some(&axis) = core[2].first()
            && out.shape().get(axis) != Some(&1)
        {
            return Err(self.bad("the kept axis of the output must have size 1".into()));
        }
        Ok(sizes.into_iter().map(|s| s.unwrap_or(1)).collect())
    }

    fn outer(
        &self,
        inputs: [&Array; 2],
        out: Option<&Array>,
        core: &[Vec<usize>; 3],
    ) -> Result<Vec<usize>> {
        let outer_of = |array: &Array, core: &[usize]| -> Vec<usize> {
            let axes = array.shape().iter().enumerate();
            axes.filter(|(axis, _)| !core.contains(axis))
                .map(|(_, &size)| size)
                .collect()
        };
        let [a, b, of_out] = core;
        let mut outer = broadcast_shapes(&outer_of(inputs[0], a), &outer_of(inputs[1], b))?;
        if let Some(out) = out {
            let wanted = outer_of(out, of_out);
            outer = broadcast_shapes(&outer, &wanted)?;
            if outer != wanted {
                return Err(ArrayError::ShapeMismatch {
                    op: self.name,
                    left: outer,
                    right: wanted,
                });
            }
        }
        Ok(outer)
    }

    fn output_shape(
        &self,
        outer: &[usize],
        core: &[usize],
        sizes: &[usize],
        missing: &[bool],
        keep: bool,
        rank: usize,
    ) -> Vec<usize> {
        let mut of_core = self
            .present(2, missing)
            .map(|dim| sizes.get(dim.id).copied().unwrap_or(1));
        let mut sized = vec![None; rank];
        for &axis in core {
            let size = if keep { Some(1) } else { of_core.next() };
            if let Some(to) = sized.get_mut(axis) {
                *to = size;
            }
        }
        let mut outer = outer.iter().copied();
        sized
            .into_iter()
            .map(|size| size.or_else(|| outer.next()).unwrap_or(1))
            .collect()
    }
}
