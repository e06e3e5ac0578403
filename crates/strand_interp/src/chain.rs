//! Chains: every stage is one batched computation over a leading axis, never a loop.

use std::rc::Rc;

use strand_array::{BinaryOp, DType, ReduceOp, Scalar};
use strand_ir::{Expr, ExprKind, Iter, IterKind, Lambda, Over, Type};
use strand_ops::OpId;
use strand_source::{Code, Span};

use crate::error::{Run, fail, from_array, malformed};
use crate::fits;
use crate::graph::ElementOp;
use crate::levels::Levels;
use crate::machine::{Frame, Machine, engine_dtype};
use crate::op::own_axes;
use crate::value::{Data, Tensor, Val};

/// What is iterated: tensors whose first own axis is the iterated one, all of one size.
pub(crate) struct Parts {
    size: usize,
    tensors: Vec<Tensor>,
}

impl<'p> Machine<'p, '_> {
    /// A map that ends a chain: `[iterated axis, axes of the body]`.
    #[inline(never)]
    pub(crate) fn map(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        iter: &'p Iter,
        lambda: &'p Lambda,
    ) -> Run<Val> {
        let parts = self.iterate(frame, iter)?;
        self.for_each(frame, &parts, lambda, e.span)
            .map(Val::Tensor)
    }

    /// A filter that ends a chain: the elements for which it holds.
    #[inline(never)]
    pub(crate) fn filter(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        iter: &'p Iter,
    ) -> Run<Val> {
        let mut parts = self.iterate(frame, iter)?;
        match parts.tensors.pop() {
            Some(tensor) => Ok(Val::Tensor(tensor)),
            None => Err(malformed(e.span, "a filter of nothing")),
        }
    }

    fn iterate(&mut self, frame: &mut Frame<'p>, iter: &'p Iter) -> Run<Parts> {
        self.enter(iter.span)?;
        let parts = self.iterate_kind(frame, iter);
        self.leave();
        let parts = parts?;
        if let Some(symbol) = iter.axis.size.as_symbol()
            && self.symbol_size(symbol) != Some(parts.size as i64)
        {
            self.bind_iterated(symbol, parts.size);
        }
        Ok(parts)
    }

    /// A birth's size is new at every evaluation.
    fn bind_iterated(&mut self, symbol: strand_ir::SymbolId, size: usize) {
        if self.program.symbols.get(symbol).kind == strand_ir::SymbolKind::Birth {
            self.bind_size(symbol, size as i64);
        }
    }

    fn iterate_kind(&mut self, frame: &mut Frame<'p>, iter: &'p Iter) -> Run<Parts> {
        match &iter.kind {
            IterKind::Size(size) => {
                let size = self.axis_size(size, iter.span)?;
                self.indices(0, size as i64, iter.span)
            }
            IterKind::Range(start, end) => {
                let start = self.size(start, iter.span)?;
                let end = self.size(end, iter.span)?;
                self.indices(start, end, iter.span)
            }
            IterKind::Slices { tensor, axis } => self.slices(frame, tensor, *axis),
            IterKind::Zip(iters) => self.zip(frame, iters, iter.span),
            IterKind::Enumerate(inner) => {
                let mut parts = self.iterate(frame, inner)?;
                let indices = self.indices(0, parts.size as i64, iter.span)?;
                parts.tensors.splice(0..0, indices.tensors);
                Ok(parts)
            }
            IterKind::Filter { input, lambda, .. } => {
                let parts = self.iterate(frame, input)?;
                let mask = self.for_each(frame, &parts, lambda, iter.span)?;
                self.keep(parts, &mask, iter.span)
            }
        }
    }

    fn indices(&mut self, start: i64, end: i64, span: Span) -> Run<Parts> {
        let tensor = self.range(start, end, span)?;
        let size = tensor.own_shape().first().copied().unwrap_or(0);
        Ok(Parts {
            size,
            tensors: vec![tensor],
        })
    }

    fn slices(&mut self, frame: &mut Frame<'p>, e: &'p Expr, axis: usize) -> Run<Parts> {
        let tensor = self.tensor(frame, e)?;
        let Some(size) = tensor.own_shape().get(axis).copied() else {
            return Err(malformed(e.span, "an axis that the tensor hasn't"));
        };
        let tensor = if axis == 0 {
            tensor
        } else {
            let lead = tensor.levels.count();
            let array = self.array(&tensor, e.span)?;
            let array = array.move_axis(lead + axis, lead);
            let array = array.map_err(|error| from_array(&error, e.span))?;
            self.graph.record_view("movedim", &array, e.span);
            Tensor::node(self.graph.ready(array, e.span), tensor.levels)
        };
        Ok(Parts {
            size,
            tensors: vec![tensor],
        })
    }

    fn zip(&mut self, frame: &mut Frame<'p>, iters: &'p [Iter], span: Span) -> Run<Parts> {
        let mut all: Option<Parts> = None;
        for iter in iters {
            let parts = self.iterate(frame, iter)?;
            match &mut all {
                None => all = Some(parts),
                Some(all) if all.size == parts.size => all.tensors.extend(parts.tensors),
                Some(all) => {
                    let message =
                        format!("{} elements can't be zipped with {}", all.size, parts.size);
                    return Err(fail(Code::R01, iter.span, message));
                }
            }
        }
        all.ok_or_else(|| malformed(span, "a zip of nothing"))
    }

    /// Runs a function for all elements together: `[iterated axis, axes of the body]`.
    fn for_each(
        &mut self,
        frame: &mut Frame<'p>,
        parts: &Parts,
        lambda: &'p Lambda,
        span: Span,
    ) -> Run<Tensor> {
        let level = self.push_level(parts.size, span)?;
        let at = Levels::single(level);
        for (param, tensor) in lambda.params.iter().zip(&parts.tensors) {
            if let Some(param) = param {
                let element = element_of(tensor, at);
                frame.set(*param, Val::Tensor(element));
            }
        }
        let body = match (&lambda.body.kind, &lambda.body.ty) {
            // One number for all elements: what the tensor is full of.
            (ExprKind::Lift(value), Type::Tensor(ty)) => {
                let number = self.host_scalar(frame, value)?;
                let dtype = engine_dtype(ty.dtype);
                Tensor::scalar(fits::element(number, dtype, value.span)?)
            }
            _ => self.tensor(frame, &lambda.body)?,
        };
        for param in lambda.params.iter().flatten() {
            frame.take(*param);
        }
        let whole = self.spread(&body, at, lambda.span)?;
        self.pop_level();
        // The level's axis is the last of the leading ones: it becomes the first own axis.
        Ok(Tensor {
            data: whole.data,
            levels: whole.levels.minus(at),
        })
    }

    /// The elements at which a mask is true.
    fn keep(&mut self, parts: Parts, mask: &Tensor, span: Span) -> Run<Parts> {
        if !mask.levels.is_empty() {
            let what = "a filter inside a lambda that no reduction ends";
            return Err(malformed(span, what));
        }
        let mask = self.array(mask, span)?;
        let mut size = 0;
        let mut tensors = Vec::with_capacity(parts.tensors.len());
        for tensor in &parts.tensors {
            let axis = tensor.levels.count();
            let array = self.array(tensor, span)?;
            let kept = strand_array::compress(&self.graph.ctx, &array, &mask, axis);
            let kept = kept.map_err(|e| from_array(&e, span))?;
            self.graph.collect(span, &kept);
            size = kept.shape().get(axis).copied().unwrap_or(0);
            tensors.push(Tensor::node(self.graph.ready(kept, span), tensor.levels));
        }
        Ok(Parts { size, tensors })
    }

    // Masked reductions

    /// A filter that a reduction ends at once, inside a lambda: elements that the filter drops are
    /// replaced by what doesn't change the reduction.
    #[inline(never)]
    pub(crate) fn masked_reduction(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        op: OpId,
        iter: &'p Iter,
        over: &Over,
    ) -> Run<Tensor> {
        let (mut parts, mask) = self.masked_iterate(frame, iter)?;
        let mask = mask.ok_or_else(|| malformed(e.span, "a filter without a mask"))?;
        if mask.levels.is_empty() && !self.options.always_mask {
            parts = self.keep(parts, &mask, e.span)?;
            let Some(kept) = parts.tensors.pop() else {
                return Err(malformed(e.span, "a filter of nothing"));
            };
            let axes = own_axes(&kept, over, e.span)?;
            return self.reduce(op, &kept, &axes, e.span);
        }
        let Some(tensor) = parts.tensors.pop() else {
            return Err(malformed(e.span, "a filter of nothing"));
        };
        let axes = own_axes(&tensor, over, e.span)?;
        if !axes.contains(&0) {
            return Err(malformed(e.span, "a masked reduction that keeps the axis"));
        }
        self.reduce_masked(op, tensor, &mask, &axes, e.span)
    }

    fn masked_iterate(
        &mut self,
        frame: &mut Frame<'p>,
        iter: &'p Iter,
    ) -> Run<(Parts, Option<Tensor>)> {
        let IterKind::Filter { input, lambda, .. } = &iter.kind else {
            return Ok((self.iterate(frame, iter)?, None));
        };
        let (parts, before) = self.masked_iterate(frame, input)?;
        let mask = self.for_each(frame, &parts, lambda, iter.span)?;
        let mask = match before {
            None => mask,
            Some(before) => {
                let both = ElementOp::Binary(BinaryOp::LogicalAnd);
                self.apply(both, vec![before, mask], iter.span)?
            }
        };
        Ok((parts, Some(mask)))
    }

    fn reduce_masked(
        &mut self,
        op: OpId,
        tensor: Tensor,
        mask: &Tensor,
        axes: &[usize],
        span: Span,
    ) -> Run<Tensor> {
        let dtype = tensor.dtype();
        let fill = match op {
            OpId::Prod | OpId::All => Scalar::I64(1).cast(dtype),
            OpId::Max | OpId::LogSumExp => least(dtype),
            OpId::Min => greatest(dtype),
            OpId::Sum | OpId::Mean | OpId::Any | OpId::Count => Scalar::I64(0).cast(dtype),
            _ => return Err(malformed(span, "a masked reduction of another kind")),
        };
        let others: usize = axes
            .iter()
            .filter(|axis| **axis != 0)
            .filter_map(|axis| tensor.own_shape().get(*axis))
            .product();
        let column = self.as_column(mask, tensor.rank(), span)?;
        let filled = vec![column, tensor, Tensor::scalar(fill)];
        let filled = self.apply(ElementOp::Select, filled, span)?;
        // A value that is the same for every outer element still has a mask per element.
        let filled = self.spread(&filled, mask.levels, span)?;
        match op {
            OpId::Mean => {
                let sum = self.reduce(OpId::Sum, &filled, axes, span)?;
                let kept = self.reduce(OpId::Sum, mask, &[0], span)?;
                let kept = self.cast(kept, dtype, span)?;
                let count = Tensor::scalar(Scalar::I64(others as i64).cast(dtype));
                let times = ElementOp::Binary(BinaryOp::Mul);
                let count = self.apply(times, vec![kept, count], span)?;
                self.apply(ElementOp::Binary(BinaryOp::Div), vec![sum, count], span)
            }
            OpId::Max | OpId::Min => {
                let result = self.reduce(op, &filled, axes, span)?;
                let kept = self.reduce(OpId::Any, mask, &[0], span)?;
                let all = self.whole_node(&kept, span)?;
                let levels = (0..all.shape().len()).collect();
                let all = self.graph.reduce(ReduceOp::All, all, levels, span)?;
                let all = Tensor::node(all, Levels::NONE);
                if self.item(&all, span)?.to_bool() {
                    return Ok(result);
                }
                let message = format!("{} of no elements has no value", op.name());
                Err(fail(Code::R02, span, message))
            }
            _ => self.reduce(op, &filled, axes, span),
        }
    }

    /// A mask over the first of `rank` own axes, lined up with them.
    fn as_column(&mut self, mask: &Tensor, rank: usize, span: Span) -> Run<Tensor> {
        let mut shape = mask.shape().to_vec();
        shape.extend(std::iter::repeat_n(1, rank.saturating_sub(1)));
        let node = self.whole_node(mask, span)?;
        let node = self.graph.with_ones(&node, &shape, span)?;
        Ok(Tensor::node(node, mask.levels))
    }
}

/// An element of an iterated tensor: its first own axis is the level from here on.
fn element_of(tensor: &Tensor, level: Levels) -> Tensor {
    let data = match &tensor.data {
        Data::Node(node) => Data::Node(Rc::clone(node)),
        Data::Scalar(value) => Data::Scalar(*value),
    };
    Tensor {
        data,
        levels: tensor.levels.union(level),
    }
}

pub(crate) fn least(dtype: DType) -> Scalar {
    if dtype.is_float() {
        Scalar::F64(f64::NEG_INFINITY).cast(dtype)
    } else {
        Scalar::I64(dtype.bounds().0).cast(dtype)
    }
}

pub(crate) fn greatest(dtype: DType) -> Scalar {
    if dtype.is_float() {
        Scalar::F64(f64::INFINITY).cast(dtype)
    } else {
        Scalar::I64(dtype.bounds().1).cast(dtype)
    }
}
