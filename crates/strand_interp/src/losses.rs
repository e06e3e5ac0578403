//! Losses: means over every axis of the program's own, the chain levels kept.

use strand_array::{ReduceOp, Scalar};
use strand_ir::{Expr, Over};
use strand_ops::OpId;
use strand_source::{Code, Span};

use crate::element::element_op;
use crate::error::{Run, fail, malformed};
use crate::levels::Levels;
use crate::machine::{Frame, Machine};
use crate::op::own_axes;
use crate::value::Tensor;

impl<'p> Machine<'p, '_> {
    /// `mse(a, b)`, `binary_cross_entropy(p, y)`
    pub(crate) fn loss(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        op: OpId,
        args: &'p [Expr],
    ) -> Run<Tensor> {
        let [a, b] = args else {
            return Err(malformed(e.span, "a loss of other than two"));
        };
        let (a, b) = (self.tensor(frame, a)?, self.tensor(frame, b)?);
        if op == OpId::BinaryCrossEntropy {
            return self.binary_cross_entropy(&a, &b, e.span);
        }
        let difference = self.element_of(OpId::Sub, vec![a, b], e.span)?;
        let squares = self.element_of(OpId::Square, vec![difference], e.span)?;
        self.mean_of_all(&squares, e.span)
    }

    /// `(y - 1) * log1p(-p) - y * log(p)`, no logarithm below -100, as PyTorch has it.
    fn binary_cross_entropy(&mut self, p: &Tensor, y: &Tensor, span: Span) -> Run<Tensor> {
        let scalar = |value: f64| Tensor::scalar(Scalar::F64(value).cast(p.dtype()));
        for part in [p, y] {
            let above = self.element_of(OpId::Ge, vec![part.clone(), scalar(0.0)], span)?;
            let below = self.element_of(OpId::Le, vec![part.clone(), scalar(1.0)], span)?;
            let inside = self.element_of(OpId::And, vec![above, below], span)?;
            let node = self.whole_node(&inside, span)?;
            drop(inside);
            let axes = (0..node.shape().len()).collect();
            let all = self.graph.reduce(ReduceOp::All, node, axes, span)?;
            if !self.item(&Tensor::node(all, Levels::NONE), span)?.to_bool() {
                let message = "binary_cross_entropy needs numbers from 0 to 1";
                return Err(fail(Code::R02, span, message));
            }
        }
        let mut logs = Vec::with_capacity(2);
        let minus = self.element_of(OpId::Neg, vec![p.clone()], span)?;
        for (op, value) in [(OpId::Log1p, minus), (OpId::Log, p.clone())] {
            let log = self.element_of(op, vec![value], span)?;
            logs.push(self.element_of(OpId::Maximum, vec![log, scalar(-100.0)], span)?);
        }
        let (Some(of_one), Some(of_other)) = (logs.pop(), logs.pop()) else {
            return Err(malformed(span, "a loss without its logarithms"));
        };
        let less = self.element_of(OpId::Sub, vec![y.clone(), scalar(1.0)], span)?;
        let first = self.element_of(OpId::Mul, vec![less, of_other], span)?;
        let second = self.element_of(OpId::Mul, vec![y.clone(), of_one], span)?;
        let whole = self.element_of(OpId::Sub, vec![first, second], span)?;
        self.mean_of_all(&whole, span)
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
