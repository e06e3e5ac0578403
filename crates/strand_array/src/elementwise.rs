//! Single elementwise operations, copies and conversions: expressions of one node.

use crate::array::Array;
use crate::context::{Context, LoopKind, Report};
use crate::dtype::{DType, Scalar, by_repr};
use crate::error::Result;
use crate::expr::{Expr, Node, store_contiguous};
use crate::kernels::{self, Lane, SpanMut};
use crate::ops::{BinaryOp, UnaryOp};
use crate::reduce::map;

/// One function of an array.
///
/// # Errors
/// `Unsupported` for the dtype, `OutOfMemory`.
pub fn unary(ctx: &Context, op: UnaryOp, a: &Array) -> Result<Array> {
    map(ctx, op, a)
}

/// One function of two arrays that broadcast together.
///
/// # Errors
/// `Broadcast`, `Unsupported`, `ZeroDivision`, `NegativePower`, `OutOfMemory`.
pub fn binary(ctx: &Context, op: BinaryOp, a: &Array, b: &Array) -> Result<Array> {
    if let Some(result) = side_by_side(ctx, op, a, b)? {
        return Ok(result);
    }
    let mut expr = Expr::new();
    let (x, y) = (expr.input(a), expr.input(b));
    let node = expr.push(Node::Binary(op, x, y));
    expr.store(ctx, node)
}

/// The result for two arrays of one shape and of one of the types that expressions compute in, both
/// in C order: one loop without a plan.
pub(crate) fn side_by_side(
    ctx: &Context,
    op: BinaryOp,
    a: &Array,
    b: &Array,
) -> Result<Option<Array>> {
    let dtype = a.dtype();
    if a.shape() != b.shape() || a.descr() != b.descr() || a.descr().is_swapped() {
        return Ok(None);
    }
    let (Some(wide), Ok((operand, result))) = (dtype.wide(), op.types(dtype, dtype)) else {
        return Ok(None);
    };
    if operand != dtype || result.wide().is_none() {
        return Ok(None);
    }
    let spans = by_repr!(wide, T => match (a.as_slice::<T>(), b.as_slice::<T>()) {
        (Some(x), Some(y)) => Some((T::span(x), T::span(y))),
        _ => None,
    });
    let Some((x, y)) = spans else {
        return Ok(None);
    };
    let count = a.len();
    let mut block = ctx.block(Array::byte_count(a.shape(), result.size())?)?;
    if count > 0 {
        kernels::binary(op, x, y, SpanMut::of_block(&mut block, result, 0, count))?;
    }
    ctx.report(|| Report {
        ops: vec![op.name()],
        kind: LoopKind::One,
        shape: vec![count],
        strides: vec![vec![dtype.size() as isize]; 2],
        bytes: block.len(),
    });
    if result == dtype {
        return Ok(Some(Array::like(block, a)));
    }
    Array::from_block(block, a.shape(), result).map(Some)
}

/// The elements of `a` where the condition isn't zero, else those of `b`; `torch.where`.
///
/// # Errors
/// `Broadcast`, `OutOfMemory`.
pub fn select(ctx: &Context, condition: &Array, a: &Array, b: &Array) -> Result<Array> {
    let mut expr = Expr::new();
    let (c, x, y) = (expr.input(condition), expr.input(a), expr.input(b));
    let node = expr.push(Node::Select(c, x, y));
    expr.store(ctx, node)
}

/// The elements, at least `min` and at most `max`; `torch.clamp`. NaN stays.
///
/// # Errors
/// `OutOfMemory`.
pub fn clamp(ctx: &Context, a: &Array, min: Option<Scalar>, max: Option<Scalar>) -> Result<Array> {
    let mut expr = Expr::new();
    let mut node = expr.input(a);
    for (op, bound) in [(BinaryOp::Maximum, min), (BinaryOp::Minimum, max)] {
        if let Some(bound) = bound {
            let bound = expr.push(Node::Const(bound.cast(a.dtype())));
            node = expr.push(Node::Binary(op, node, bound));
        }
    }
    expr.store(ctx, node)
}

impl Array {
    /// The elements converted; shares memory if the dtype is the same; `tensor.to(dtype)`.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn cast(&self, ctx: &Context, dtype: DType) -> Result<Self> {
        if dtype == self.dtype() {
            return Ok(self.clone());
        }
        let mut expr = Expr::new();
        let x = expr.input(self);
        let node = expr.push(Node::Cast(dtype, x));
        expr.store(ctx, node)
    }

    /// The elements in the type that they are computed in, if that is another.
    pub(crate) fn widened(&self, ctx: &Context) -> Result<Option<Self>> {
        match self.dtype().widened() {
            Some(wide) if wide != self.dtype() => self.cast(ctx, wide).map(Some),
            _ => Ok(None),
        }
    }

    /// The array itself if it is C-contiguous and aligned, else a copy that is.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn to_contiguous(&self, ctx: &Context) -> Result<Self> {
        let flags = self.flags();
        if flags.c_contiguous && flags.aligned {
            return Ok(self.clone());
        }
        self.copy(ctx)
    }

    /// A C-contiguous copy.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn copy(&self, ctx: &Context) -> Result<Self> {
        let mut expr = Expr::new();
        let node = expr.input(self);
        store_contiguous(ctx, &expr, node)
    }
}
