//! Reductions, and what is made of them: softmax, normalisation.

use crate::array::Array;
use crate::context::Context;
use crate::dtype::{DType, Scalar};
use crate::error::{ArrayError, Result};
use crate::expr::{Expr, Node, Out};
use crate::narrow::round_half;
use crate::ops::{BinaryOp, UnaryOp};
use crate::rows::{RowOp, by_rows};

/// How the elements along the reduced axes are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReduceOp {
    /// The sum, pairwise for floats; of bool and integers in i64.
    Sum,
    /// The product; of bool and integers in i64.
    Prod,
    /// The largest; NaN if there is one.
    Max,
    /// The smallest; NaN if there is one.
    Min,
    /// Whether any isn't zero.
    Any,
    /// Whether none is zero.
    All,
    /// How many aren't zero, in i64; `torch.count_nonzero`.
    Count,
    /// The arithmetic mean of floats.
    Mean,
    /// The variance: squared distances from the mean, over the count less `correction`.
    Var {
        /// 1, PyTorch's default, gives the unbiased estimate.
        correction: u32,
    },
    /// The square root of the variance.
    Std {
        /// As for the variance.
        correction: u32,
    },
    /// The square root of the sum of squares; `torch.linalg.vector_norm`.
    Norm,
    /// The logarithm of the sum of exponentials, without overflow.
    LogSumExp,
    /// The position of the first largest, among the reduced axes in C order; the first NaN wins.
    ArgMax,
    /// The position of the first smallest, likewise.
    ArgMin,
}

impl ReduceOp {
    /// PyTorch's name of it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Prod => "prod",
            Self::Max => "amax",
            Self::Min => "amin",
            Self::Any => "any",
            Self::All => "all",
            Self::Count => "count_nonzero",
            Self::Mean => "mean",
            Self::Var { .. } => "var",
            Self::Std { .. } => "std",
            Self::Norm => "norm",
            Self::LogSumExp => "logsumexp",
            Self::ArgMax => "argmax",
            Self::ArgMin => "argmin",
        }
    }

    /// Whether the result has the dtype of the elements; sums of whole numbers are i64.
    pub(crate) const fn keeps(self, dtype: DType) -> bool {
        match self {
            Self::Sum | Self::Prod => dtype.is_float(),
            Self::Any | Self::All | Self::Count | Self::ArgMax | Self::ArgMin => false,
            _ => true,
        }
    }

    /// Checks that the dtype has the reduction.
    pub(crate) fn check(self, dtype: DType) -> Result<()> {
        let floats_only = matches!(
            self,
            Self::Mean | Self::Var { .. } | Self::Std { .. } | Self::Norm | Self::LogSumExp
        );
        if floats_only && !dtype.is_float() {
            return Err(ArrayError::Unsupported {
                op: self.name(),
                dtype,
            });
        }
        Ok(())
    }
}

/// Joins the elements along `axes`, exactly those; `keepdims` keeps them with size 1.
///
/// # Errors
/// `NoSuchAxis`, `RepeatedAxis`, `Unsupported` for the dtype, `OutOfMemory`; `EmptyReduction` for
/// the largest, smallest or their position over no elements.
pub fn reduce(
    ctx: &Context,
    op: ReduceOp,
    a: &Array,
    axes: &[usize],
    keepdims: bool,
) -> Result<Array> {
    let mut expr = Expr::new();
    let node = expr.input(a);
    expr.outs.push(Out::Reduce {
        node,
        op,
        axes: axes.to_vec(),
        keepdims,
    });
    expr.eval_one(ctx)
}

/// One elementwise function of an array.
pub(crate) fn map(ctx: &Context, op: UnaryOp, a: &Array) -> Result<Array> {
    let mut expr = Expr::new();
    let x = expr.input(a);
    let y = expr.push(Node::Unary(op, x));
    expr.store(ctx, y)
}

/// Reductions that need a first result (a mean, a largest) before they can sum.
pub(crate) fn two_pass(
    ctx: &Context,
    op: ReduceOp,
    a: &Array,
    axes: &[usize],
    keepdims: bool,
) -> Result<Array> {
    match op {
        ReduceOp::Var { correction } => variance(ctx, a, axes, keepdims, correction),
        ReduceOp::Std { correction } => map(
            ctx,
            UnaryOp::Sqrt,
            &variance(ctx, a, axes, keepdims, correction)?,
        ),
        _ => logsumexp(ctx, a, axes, keepdims),
    }
}

fn variance(
    ctx: &Context,
    a: &Array,
    axes: &[usize],
    keepdims: bool,
    correction: u32,
) -> Result<Array> {
    let mean = reduce(ctx, ReduceOp::Mean, a, axes, true)?;
    let mut expr = Expr::new();
    let (x, m) = (expr.input(a), expr.input(&mean));
    let distance = expr.push(Node::Binary(BinaryOp::Sub, x, m));
    let node = expr.push(Node::Unary(UnaryOp::Square, distance));
    expr.outs.push(Out::Reduce {
        node,
        op: ReduceOp::Sum,
        axes: axes.to_vec(),
        keepdims,
    });
    let sum = expr.eval_one(ctx)?;
    let count: usize = axes.iter().filter_map(|&x| a.shape().get(x)).product();
    let divisor = (count as i64 - i64::from(correction)).max(0);
    let mut after = Expr::new();
    let s = after.input(&sum);
    let n = after.push(Node::Const(Scalar::I64(divisor).cast(a.dtype())));
    let quotient = after.push(Node::Binary(BinaryOp::Div, s, n));
    after.store(ctx, quotient)
}

/// The product of halves, which stand in f32: rounded after each factor, as PyTorch has it.
pub(crate) fn half_product(
    ctx: &Context,
    wide: &Array,
    dtype: DType,
    reduced: &[bool],
    keepdims: bool,
) -> Result<Array> {
    let axes = |gone: bool| {
        let axes = reduced.iter().enumerate();
        axes.filter(move |(_, reduced)| **reduced == gone)
            .map(|(axis, _)| axis)
    };
    let order: Vec<usize> = axes(false).chain(axes(true)).collect();
    let rows = wide.permute(&order)?.to_contiguous(ctx)?;
    let sizes = |gone: bool| axes(gone).filter_map(|axis| wide.shape().get(axis).copied());
    let kept: Vec<usize> = sizes(false).collect();
    let row: usize = sizes(true).product();
    let product = Array::build::<f32>(ctx, &kept, DType::F32, |out| {
        let mut factors = rows.as_slice::<f32>().unwrap_or_default().iter();
        for product in out {
            let row = factors.by_ref().take(row);
            *product = row.fold(1.0, |product, factor| round_half(dtype, product * factor));
        }
        Ok(())
    })?;
    let mut product = product.cast(ctx, dtype)?;
    for axis in axes(true).filter(|_| keepdims) {
        product = product.insert_axis(axis)?;
    }
    Ok(product)
}

/// The largest elements, with infinities as 0 so that subtracting them gives no NaN.
fn finite_peak(ctx: &Context, a: &Array, axes: &[usize]) -> Result<Array> {
    let peak = reduce(ctx, ReduceOp::Max, a, axes, true)?;
    let mut expr = Expr::new();
    let m = expr.input(&peak);
    let infinite = expr.push(Node::Unary(UnaryOp::IsInf, m));
    let zero = expr.push(Node::Const(Scalar::F64(0.0).cast(a.dtype())));
    let node = expr.push(Node::Select(infinite, zero, m));
    expr.store(ctx, node)
}

fn logsumexp(ctx: &Context, a: &Array, axes: &[usize], keepdims: bool) -> Result<Array> {
    let count: usize = axes.iter().filter_map(|&x| a.shape().get(x)).product();
    if count == 0 {
        let sum = reduce(ctx, ReduceOp::Sum, a, axes, keepdims)?;
        return map(ctx, UnaryOp::Log, &sum);
    }
    let peak = finite_peak(ctx, a, axes)?;
    let mut expr = Expr::new();
    let (x, m) = (expr.input(a), expr.input(&peak));
    let shifted = expr.push(Node::Binary(BinaryOp::Sub, x, m));
    let node = expr.push(Node::Unary(UnaryOp::Exp, shifted));
    expr.outs.push(Out::Reduce {
        node,
        op: ReduceOp::Sum,
        axes: axes.to_vec(),
        keepdims: true,
    });
    let sum = expr.eval_one(ctx)?;
    let mut after = Expr::new();
    let (s, m) = (after.input(&sum), after.input(&peak));
    let log = after.push(Node::Unary(UnaryOp::Log, s));
    let result = after.push(Node::Binary(BinaryOp::Add, log, m));
    let mut array = after.store(ctx, result)?;
    if !keepdims {
        for axis in (0..array.rank()).rev().filter(|axis| axes.contains(axis)) {
            array = array.drop_axis(axis)?;
        }
    }
    Ok(array)
}

fn needs_float(op: &'static str, a: &Array) -> Result<()> {
    if a.dtype().is_float() {
        Ok(())
    } else {
        Err(ArrayError::Unsupported {
            op,
            dtype: a.dtype(),
        })
    }
}

/// Exponentials over their sum along the axes, without overflow; `torch.softmax`.
///
/// # Errors
/// `Unsupported` for dtypes that aren't float; `NoSuchAxis`, `RepeatedAxis`, `OutOfMemory`.
pub fn softmax(ctx: &Context, a: &Array, axes: &[usize]) -> Result<Array> {
    needs_float("softmax", a)?;
    if let Some(wide) = a.widened(ctx)? {
        return softmax(ctx, &wide, axes)?.cast(ctx, a.dtype());
    }
    if let Some(array) = by_rows(ctx, RowOp::Softmax, a, axes)? {
        return Ok(array);
    }
    if a.is_empty() {
        return Ok(a.clone());
    }
    let peak = reduce(ctx, ReduceOp::Max, a, axes, true)?;
    let mut expr = Expr::new();
    let (x, m) = (expr.input(a), expr.input(&peak));
    let shifted = expr.push(Node::Binary(BinaryOp::Sub, x, m));
    let exp = expr.push(Node::Unary(UnaryOp::Exp, shifted));
    let powers = expr.store(ctx, exp)?;
    let sum = reduce(ctx, ReduceOp::Sum, &powers, axes, true)?;
    let mut after = Expr::new();
    let (p, s) = (after.input(&powers), after.input(&sum));
    let quotient = after.push(Node::Binary(BinaryOp::Div, p, s));
    after.store(ctx, quotient)
}

/// The logarithm of [`softmax`], computed without it; `torch.log_softmax`.
///
/// # Errors
/// As [`softmax`].
pub fn log_softmax(ctx: &Context, a: &Array, axes: &[usize]) -> Result<Array> {
    needs_float("log_softmax", a)?;
    if let Some(wide) = a.widened(ctx)? {
        return log_softmax(ctx, &wide, axes)?.cast(ctx, a.dtype());
    }
    if let Some(array) = by_rows(ctx, RowOp::LogSoftmax, a, axes)? {
        return Ok(array);
    }
    if a.is_empty() {
        return Ok(a.clone());
    }
    let peak = reduce(ctx, ReduceOp::Max, a, axes, true)?;
    let mut expr = Expr::new();
    let (x, m) = (expr.input(a), expr.input(&peak));
    let shifted = expr.push(Node::Binary(BinaryOp::Sub, x, m));
    let node = expr.push(Node::Unary(UnaryOp::Exp, shifted));
    expr.outs.push(Out::Reduce {
        node,
        op: ReduceOp::Sum,
        axes: axes.to_vec(),
        keepdims: true,
    });
    let sum = expr.eval_one(ctx)?;
    let mut after = Expr::new();
    let (x, m, s) = (after.input(a), after.input(&peak), after.input(&sum));
    let shifted = after.push(Node::Binary(BinaryOp::Sub, x, m));
    let log = after.push(Node::Unary(UnaryOp::Log, s));
    let result = after.push(Node::Binary(BinaryOp::Sub, shifted, log));
    after.store(ctx, result)
}

/// Each vector along the axes over its L2 norm, at least 1e-12; `torch.nn.functional.normalize`.
///
/// # Errors
/// As [`softmax`].
pub fn normalize(ctx: &Context, a: &Array, axes: &[usize]) -> Result<Array> {
    needs_float("normalize", a)?;
    if let Some(wide) = a.widened(ctx)? {
        return normalize(ctx, &wide, axes)?.cast(ctx, a.dtype());
    }
    let norm = reduce(ctx, ReduceOp::Norm, a, axes, true)?;
    let mut expr = Expr::new();
    let (x, n) = (expr.input(a), expr.input(&norm));
    let least = expr.push(Node::Const(Scalar::F64(1e-12).cast(a.dtype())));
    let divisor = expr.push(Node::Binary(BinaryOp::Maximum, n, least));
    let quotient = expr.push(Node::Binary(BinaryOp::Div, x, divisor));
    expr.store(ctx, quotient)
}

/// Each group along the axes with its mean taken off, over its biased deviation;
/// `torch.nn.functional.layer_norm` without weights (`eps` is 1e-5 there). Mean and deviation
/// are kept in f64: what is left of an element near the mean is only as exact as the mean.
///
/// # Errors
/// As [`softmax`].
pub fn layer_norm(ctx: &Context, a: &Array, axes: &[usize], eps: f64) -> Result<Array> {
    needs_float("layer_norm", a)?;
    if let Some(wide) = a.widened(ctx)? {
        return layer_norm(ctx, &wide, axes, eps)?.cast(ctx, a.dtype());
    }
    if let Some(array) = by_rows(ctx, RowOp::LayerNorm { eps }, a, axes)? {
        return Ok(array);
    }
    let averaged = |mut expr: Expr, node: usize| {
        expr.outs.push(Out::Reduce {
            node,
            op: ReduceOp::Mean,
            axes: axes.to_vec(),
            keepdims: true,
        });
        expr.eval_one(ctx)
    };
    let mut expr = Expr::new();
    let x = expr.input(a);
    let wide = expr.push(Node::Cast(DType::F64, x));
    let mean = averaged(expr, wide)?;
    let distance = |expr: &mut Expr| {
        let (x, m) = (expr.input(a), expr.input(&mean));
        let wide = expr.push(Node::Cast(DType::F64, x));
        expr.push(Node::Binary(BinaryOp::Sub, wide, m))
    };
    let mut expr = Expr::new();
    let from = distance(&mut expr);
    let square = expr.push(Node::Unary(UnaryOp::Square, from));
    let spread = averaged(expr, square)?;
    let mut expr = Expr::new();
    let from = distance(&mut expr);
    let v = expr.input(&spread);
    let eps = expr.push(Node::Const(Scalar::F64(eps)));
    let padded = expr.push(Node::Binary(BinaryOp::Add, v, eps));
    let scale = expr.push(Node::Unary(UnaryOp::Rsqrt, padded));
    let result = expr.push(Node::Binary(BinaryOp::Mul, from, scale));
    let result = expr.push(Node::Cast(a.dtype(), result));
    expr.store(ctx, result)
}
