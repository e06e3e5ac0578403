//! Losses: means over every axis of the program's own, the chain levels kept.

use strand_ir::{Expr, Over};
use strand_ops::OpId;
use strand_source::Span;

use crate::element::element_op;
use crate::error::{Run, malformed};
use crate::machine::{Frame, Machine};
use crate::op::own_axes;
use crate::value::Tensor;

impl<'p> Machine<'p, '_> {
    /// `mse(a, b)`
    pub(crate) fn mse(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        args: &'p [Expr],
    ) -> Run<Tensor> {
        let [a, b] = args else {
            return Err(malformed(e.span, "a loss of other than two"));
        };
        let (a, b) = (self.tensor(frame, a)?, self.tensor(frame, b)?);
        let difference = self.element_of(OpId::Sub, vec![a, b], e.span)?;
        let squares = self.element_of(OpId::Square, vec![difference], e.span)?;
        self.mean_of_all(&squares, e.span)
    }

    /// `cross_entropy(scores, labels)`; `over` is the scores' class axis.
    pub(crate) fn cross_entropy(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        args: &'p [Expr],
        over: &Over,
    ) -> Run<Tensor> {
        let [scores, labels] = args else {
            return Err(malformed(e.span, "a loss of other than two"));
        };
        let (scores, labels) = (self.tensor(frame, scores)?, self.tensor(frame, labels)?);
        let [axis] = own_axes(&scores, over, e.span)?[..] else {
            return Err(malformed(e.span, "classes on other than one axis"));
        };
        let levels = scores.levels.union(labels.levels);
        let (scores, labels) = (
            self.spread(&scores, levels, e.span)?,
            self.spread(&labels, levels, e.span)?,
        );
        let axis = levels.count() + axis;
        let (scores, labels) = (self.array(&scores, e.span)?, self.array(&labels, e.span)?);
        let ctx = &self.graph.ctx;
        let picked = strand_array::log_softmax(ctx, &scores, &[axis])
            .and_then(|logs| {
                let places = labels.insert_axis(axis)?;
                strand_array::take_along_axis(ctx, &logs, &places, axis)
            })
            .and_then(|picked| picked.drop_axis(axis));
        let picked = self.made(picked, e.span)?;
        let picked = Tensor { levels, ..picked };
        let mean = self.mean_of_all(&picked, e.span)?;
        self.element_of(OpId::Neg, vec![mean], e.span)
    }

    fn element_of(&mut self, op: OpId, args: Vec<Tensor>, span: Span) -> Run<Tensor> {
        match element_op(op) {
            Some(element) => self.apply(element, args, span),
            None => Err(malformed(span, op.name())),
        }
    }

    fn mean_of_all(&mut self, tensor: &Tensor, span: Span) -> Run<Tensor> {
        if tensor.rank() == 0 {
            return Ok(tensor.clone());
        }
        let axes: Vec<usize> = (0..tensor.rank()).collect();
        self.reduce(OpId::Mean, tensor, &axes, span)
    }
}
