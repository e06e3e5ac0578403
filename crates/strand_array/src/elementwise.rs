//! Single elementwise operations, copies and conversions: expressions of one node.

use crate::array::Array;
use crate::context::Context;
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::expr::{Expr, Node, store_contiguous};
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
    let mut expr = Expr::new();
    let (x, y) = (expr.input(a), expr.input(b));
    let node = expr.push(Node::Binary(op, x, y));
    expr.store(ctx, node)
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
