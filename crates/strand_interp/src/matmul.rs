//! `@`: one matrix product of the engine, whatever chain levels its operands depend on.

use strand_array::Array;
use strand_source::Span;

use crate::error::{Run, from_array};
use crate::graph::Key;
use crate::levels::Levels;
use crate::machine::Machine;
use crate::value::Tensor;

impl Machine<'_, '_> {
    /// `a @ b` of tensors with an axis or more.
    pub(crate) fn matmul(&mut self, a: &Tensor, b: &Tensor, span: Span) -> Run<Tensor> {
        let (left, right) = (self.whole_node(a, span)?, self.whole_node(b, span)?);
        let levels = a.levels.union(b.levels);
        // An element of a chain has its tensor's node: which axes are levels tells them apart.
        let [a_levels, b_levels] = [a, b].map(|operand| operand.levels.bits() as i64);
        let numbers = vec![a_levels, b_levels, a.rank() as i64, b.rank() as i64];
        let key = Key::Other("@", vec![left.id(), right.id()], numbers);
        // Both are computed first: the steps then stand in the program's order.
        self.graph.force(&left)?;
        self.graph.force(&right)?;
        if let Some(node) = self.graph.find(&key) {
            return Ok(Tensor::node(node, levels));
        }
        let array = if a.rank() <= 2 && b.rank() <= 2 {
            self.contract(a, b, span)?
        } else {
            self.batched(a, b, span)?
        };
        self.graph.collect(span, &array);
        let node = self.graph.ready(array, span);
        self.graph.remember(key, &node);
        Ok(Tensor::node(node, levels))
    }

    /// Of vectors and matrices. Levels that only one operand depends on join its rows or columns:
    /// a vector per element times one matrix is one matrix product, not one per element.
    fn contract(&mut self, a: &Tensor, b: &Tensor, span: Span) -> Run<Array> {
        let both = a.levels.intersection(b.levels);
        let (only_a, only_b) = (a.levels.minus(both), b.levels.minus(both));
        let wrong = |e: strand_array::ArrayError| from_array(&e, span);

        let left = self.array(a, span)?;
        let left = left.permute(&level_order(a, both, only_a)).map_err(wrong)?;
        let (batch, rows) = split_shape(left.shape(), both.count(), 1);
        let inner = left.shape().last().copied().unwrap_or(1);
        let left = self.reshaped(&left, &batch, &[product(&rows), inner], span)?;

        // The contracted axis of b goes before the levels that only b has.
        let right = self.array(b, span)?;
        let mut order = level_order(b, both, only_b);
        let contracted = if b.rank() == 2 {
            order.len() - 2
        } else {
            order.len() - 1
        };
        let axis = order.remove(contracted);
        order.insert(both.count(), axis);
        let right = right.permute(&order).map_err(wrong)?;
        let columns = right
            .shape()
            .get(both.count() + 1..)
            .unwrap_or(&[])
            .to_vec();
        let deep = right.shape().get(both.count()).copied().unwrap_or(1);
        let right = self.reshaped(&right, &batch, &[deep, product(&columns)], span)?;

        let result = strand_array::matmul(&self.graph.ctx, &left, &right).map_err(wrong)?;
        let result = self.reshaped(&result, &batch, &[rows, columns].concat(), span)?;
        let order = result_order(both, only_a, only_b, a.rank() == 2, b.rank() == 2);
        result.permute(&order).map_err(wrong)
    }

    fn reshaped(&self, array: &Array, batch: &[usize], rest: &[usize], span: Span) -> Run<Array> {
        let shape = [batch, rest].concat();
        if array.shape() == shape {
            return Ok(array.clone());
        }
        array
            .reshape(&self.graph.ctx, &shape)
            .map_err(|e| from_array(&e, span))
    }

    /// With batch axes of its own: all leading axes broadcast.
    fn batched(&mut self, a: &Tensor, b: &Tensor, span: Span) -> Run<Array> {
        let levels = a.levels.union(b.levels);
        let wrong = |e: strand_array::ArrayError| from_array(&e, span);
        let (row, column) = (a.rank() == 1, b.rank() == 1);
        let rank = a.rank().max(b.rank()).max(2);
        let mut left = self.aligned_array(a, levels, a.rank(), span)?;
        let mut right = self.aligned_array(b, levels, b.rank(), span)?;
        if row {
            left = left.insert_axis(levels.count()).map_err(wrong)?;
        }
        if column {
            right = right.insert_axis(right.rank()).map_err(wrong)?;
        }
        for operand in [&mut left, &mut right] {
            while operand.rank() < levels.count() + rank {
                *operand = operand.insert_axis(levels.count()).map_err(wrong)?;
            }
        }
        let mut result = strand_array::matmul(&self.graph.ctx, &left, &right).map_err(wrong)?;
        if row {
            result = result.drop_axis(result.rank() - 2).map_err(wrong)?;
        }
        if column {
            result = result.drop_axis(result.rank() - 1).map_err(wrong)?;
        }
        Ok(result)
    }
}

/// The axes of a tensor's array: levels of both operands, levels of this one, its own.
fn level_order(tensor: &Tensor, both: Levels, only: Levels) -> Vec<usize> {
    let position = |level| tensor.levels.position(level);
    let lead = tensor.levels.count();
    both.iter()
        .map(position)
        .chain(only.iter().map(position))
        .chain(lead..lead + tensor.rank())
        .collect()
}

/// The first `lead` sizes, and those after them but for the last `last`.
fn split_shape(shape: &[usize], lead: usize, last: usize) -> (Vec<usize>, Vec<usize>) {
    let end = shape.len().saturating_sub(last).max(lead);
    let take = |from: usize, to: usize| shape.get(from..to).unwrap_or(&[]).to_vec();
    (take(0, lead), take(lead, end))
}

fn product(sizes: &[usize]) -> usize {
    sizes.iter().fold(1, |all, size| all.saturating_mul(*size))
}

/// How to order `[both, only a, row?, only b, column?]` as `[levels in order, row?, column?]`.
fn result_order(
    both: Levels,
    only_a: Levels,
    only_b: Levels,
    row: bool,
    column: bool,
) -> Vec<usize> {
    let row_at = both.count() + only_a.count();
    let after_row = row_at + usize::from(row);
    let column_at = after_row + only_b.count();
    let place = |level| {
        if both.has(level) {
            both.position(level)
        } else if only_a.has(level) {
            both.count() + only_a.position(level)
        } else {
            after_row + only_b.position(level)
        }
    };
    let levels = both.union(only_a).union(only_b);
    let mut order: Vec<usize> = levels.iter().map(place).collect();
    order.extend(row.then_some(row_at));
    order.extend(column.then_some(column_at));
    order
}
