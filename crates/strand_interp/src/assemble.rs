//! Tensors put together of others, triangles and diagonals: the chain levels stay in front.

use strand_array::Array;
use strand_ir::{Expr, Over};
use strand_ops::OpId;

use crate::error::{Run, malformed};
use crate::levels::Levels;
use crate::machine::{Frame, Machine};
use crate::op::{Params, own_axes};
use crate::value::Tensor;

impl<'p> Machine<'p, '_> {
    /// `concat(a, b, over=n)`, `stack(a, b)`
    pub(crate) fn joined(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        op: OpId,
        args: &'p [Expr],
        over: &Over,
    ) -> Run<Tensor> {
        let mut parts = Vec::with_capacity(args.len());
        let mut levels = Levels::NONE;
        for arg in args {
            let part = self.tensor(frame, arg)?;
            levels = levels.union(part.levels);
            parts.push(part);
        }
        let Some(first) = parts.first() else {
            return Err(malformed(e.span, "a join of nothing"));
        };
        let axis = match own_axes(first, over, e.span)?[..] {
            _ if op == OpId::Stack => 0,
            [axis] => axis,
            _ => return Err(malformed(e.span, "a join along other than one axis")),
        };
        let mut arrays = Vec::with_capacity(parts.len());
        for part in &parts {
            let part = self.spread(part, levels, e.span)?;
            arrays.push(self.array(&part, e.span)?);
        }
        let (ctx, axis) = (&self.graph.ctx, levels.count() + axis);
        let array = if op == OpId::Stack {
            strand_array::stack(ctx, &arrays, axis)
        } else {
            strand_array::concat(ctx, &arrays, axis)
        };
        self.made(array, e.span)
            .map(|tensor| Tensor { levels, ..tensor })
    }

    /// `tril(x)`, `triu(x)`
    pub(crate) fn triangle(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        op: OpId,
        args: &'p [Expr],
        params: &'p Params,
    ) -> Run<Tensor> {
        let tensor = self.only(frame, e, args)?;
        let k = match params.first() {
            Some((_, k)) => self.int(frame, k)?,
            None => 0,
        };
        self.computed(op, &tensor, &[k], e.span, |ctx, array| {
            if op == OpId::Tril {
                strand_array::tril(ctx, array, k)
            } else {
                strand_array::triu(ctx, array, k)
            }
        })
    }

    /// `diag(x)`
    pub(crate) fn diagonal(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        args: &'p [Expr],
    ) -> Run<Tensor> {
        let tensor = self.only(frame, e, args)?;
        let lead = tensor.levels.count();
        if tensor.rank() == 2 {
            return self.computed(OpId::Diag, &tensor, &[], e.span, |_, array| {
                array.diagonal(0, lead, lead + 1)
            });
        }
        let size = tensor.own_shape().first().copied().unwrap_or(0);
        self.computed(OpId::Diag, &tensor, &[], e.span, |ctx, array| {
            // Each row as often as it has elements, and all but the diagonal zeroed.
            let mut shape = array.shape().to_vec();
            shape.insert(lead, size);
            let rows = array.insert_axis(lead)?.broadcast_to(&shape)?;
            let lower = strand_array::tril(ctx, &rows, 0)?;
            strand_array::triu(ctx, &lower, 0)
        })
    }

    /// `one_hot(labels)`
    pub(crate) fn one_hot(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        args: &'p [Expr],
    ) -> Run<Tensor> {
        let tensor = self.only(frame, e, args)?;
        let (shape, dtype) = self.shape_of(e)?;
        let classes = shape.last().copied().unwrap_or(0);
        self.computed(
            OpId::OneHot,
            &tensor,
            &[classes as i64],
            e.span,
            |ctx, array| strand_array::one_hot(ctx, array, classes, dtype),
        )
    }

    /// `eye(n)`
    pub(crate) fn eye(&mut self, e: &'p Expr) -> Run<Tensor> {
        let (shape, dtype) = self.shape_of(e)?;
        let size = shape.first().copied().unwrap_or(0);
        let array = Array::eye(&self.graph.ctx, size, size, dtype);
        self.made(array, e.span)
    }

    /// `len(x)`
    pub(crate) fn length(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        args: &'p [Expr],
    ) -> Run<i64> {
        let tensor = self.only(frame, e, args)?;
        let size = tensor.own_shape().first().copied();
        size.and_then(|size| i64::try_from(size).ok())
            .ok_or_else(|| malformed(e.span, "the length of a tensor without axes"))
    }

    fn only(&mut self, frame: &mut Frame<'p>, e: &'p Expr, args: &'p [Expr]) -> Run<Tensor> {
        match args {
            [arg] => self.tensor(frame, arg),
            _ => Err(malformed(e.span, "an operation of other than one")),
        }
    }
}
