//! Arrays from parts of others: joining, shifting, triangles, diagonals.

use crate::array::Array;
use crate::block::Pod;
use crate::context::{Context, LoopKind, Report};
use crate::dtype::{DType, Scalar, by_width};
use crate::error::{ArrayError, Result};
use crate::expr::{Expr, Node};
use crate::layout::check_axis;
use crate::ops::BinaryOp;
use crate::reduce::{ReduceOp, reduce};

/// Arrays after each other along an axis; dtypes promote; `torch.cat`.
///
/// # Errors
/// `ShapeMismatch` if another axis differs; `BadArgument` for no arrays; `NoSuchAxis`,
/// `TooLarge`, `OutOfMemory`.
pub fn concat(ctx: &Context, arrays: &[Array], axis: usize) -> Result<Array> {
    let first = arrays.first().ok_or_else(|| ArrayError::BadArgument {
        op: "concat",
        why: "there are no arrays to join".into(),
    })?;
    check_axis(axis, first.rank())?;
    let without = |shape: &[usize]| {
        shape
            .iter()
            .enumerate()
            .filter(|(a, _)| *a != axis)
            .map(|(_, s)| *s)
            .collect::<Vec<_>>()
    };
    let mut total = 0_usize;
    for array in arrays {
        if array.rank() != first.rank() || without(array.shape()) != without(first.shape()) {
            return Err(ArrayError::ShapeMismatch {
                op: "concat",
                left: first.shape().to_vec(),
                right: array.shape().to_vec(),
            });
        }
        total = total.saturating_add(array.shape().get(axis).copied().unwrap_or(0));
    }
    let dtype = arrays
        .iter()
        .fold(first.dtype(), |d, a| d.promote(a.dtype()));
    let mut shape = first.shape().to_vec();
    if let Some(size) = shape.get_mut(axis) {
        *size = total;
    }
    let inner: usize = shape.iter().skip(axis).skip(1).product();
    let result = by_width!(dtype.size(), T => Array::build::<T>(ctx, &shape, dtype, |out| {
        let mut from = 0;
        for array in arrays {
            let part = array.cast(ctx, dtype)?.to_contiguous(ctx)?;
            let size = array.shape().get(axis).copied().unwrap_or(0);
            let width = size.saturating_mul(inner);
            let part = part.as_slice::<T>().unwrap_or_default();
            copy_columns(part, width, out, from, total.saturating_mul(inner));
            from = width.saturating_add(from);
        }
        Ok(())
    }), else Err(ArrayError::Unsupported { op: "concat", dtype }))?;
    ctx.report(|| Report {
        ops: vec!["concat"],
        kind: LoopKind::Strided,
        shape: shape.clone(),
        strides: arrays.iter().map(|a| a.strides().to_vec()).collect(),
        bytes: result.block.len(),
    });
    Ok(result)
}

/// Writes rows of `width` elements into rows of `row` elements, `from` elements in.
fn copy_columns<T: Pod>(part: &[T], width: usize, out: &mut [T], from: usize, row: usize) {
    if width == 0 || row == 0 {
        return;
    }
    for (to, values) in out.chunks_exact_mut(row).zip(part.chunks_exact(width)) {
        if let Some(to) = to.get_mut(from..from.saturating_add(width)) {
            to.copy_from_slice(values);
        }
    }
}

/// Arrays of one shape along a new axis; `torch.stack`.
///
/// # Errors
/// As [`concat()`].
pub fn stack(ctx: &Context, arrays: &[Array], axis: usize) -> Result<Array> {
    let parts = arrays
        .iter()
        .map(|a| a.insert_axis(axis))
        .collect::<Result<Vec<_>>>()?;
    concat(ctx, &parts, axis)
}

/// The axis moved on by `shift` positions, around its end; `torch.roll`.
///
/// # Errors
/// `NoSuchAxis`, `OutOfMemory`.
pub fn roll(ctx: &Context, a: &Array, shift: i64, axis: usize) -> Result<Array> {
    check_axis(axis, a.rank())?;
    let size = a.shape().get(axis).copied().unwrap_or(0) as i64;
    if size == 0 {
        return Ok(a.clone());
    }
    let cut = match shift.rem_euclid(size) {
        0 => 0,
        on => size.saturating_sub(on),
    };
    let tail = a.slice(axis, Some(cut), None, 1)?;
    concat(ctx, &[tail, a.slice(axis, None, Some(cut), 1)?], axis)
}

/// Row and column numbers of the last two axes, compared: `column - row op k`.
fn triangle(ctx: &Context, a: &Array, k: i64, op: BinaryOp, name: &'static str) -> Result<Array> {
    let [.., rows, columns] = *a.shape() else {
        return Err(ArrayError::BadArgument {
            op: name,
            why: "it takes at least two axes".into(),
        });
    };
    let row = Array::arange(ctx, 0, rows as i64, 1)?.insert_axis(1)?;
    let column = Array::arange(ctx, 0, columns as i64, 1)?;
    let mut expr = Expr::new();
    let (x, i, j) = (expr.input(a), expr.input(&row), expr.input(&column));
    let distance = expr.push(Node::Binary(BinaryOp::Sub, j, i));
    let k = expr.push(Node::Const(Scalar::I64(k)));
    let inside = expr.push(Node::Binary(op, distance, k));
    let zero = expr.push(Node::Const(Scalar::Bool(false).cast(a.dtype())));
    let result = expr.push(Node::Select(inside, x, zero));
    expr.store(ctx, result)
}

/// The lower triangle of the last two axes, up to diagonal `k`; zero elsewhere; `torch.tril`.
///
/// # Errors
/// `BadArgument` below rank 2; `OutOfMemory`.
pub fn tril(ctx: &Context, a: &Array, k: i64) -> Result<Array> {
    triangle(ctx, a, k, BinaryOp::Le, "tril")
}

/// The upper triangle of the last two axes, from diagonal `k`; zero elsewhere; `torch.triu`.
///
/// # Errors
/// `BadArgument` below rank 2; `OutOfMemory`.
pub fn triu(ctx: &Context, a: &Array, k: i64) -> Result<Array> {
    triangle(ctx, a, k, BinaryOp::Ge, "triu")
}

/// Of a matrix, its diagonal `k` (a view); of a vector, the square matrix that has it there;
/// `torch.diag`.
///
/// # Errors
/// `BadArgument` for other ranks; `TooLarge`, `OutOfMemory`.
pub fn diag(ctx: &Context, a: &Array, k: i64) -> Result<Array> {
    match *a.shape() {
        [_, _] => a.diagonal(k, 0, 1),
        [n] => {
            let too_large = ArrayError::TooLarge { what: "the matrix" };
            let shift = usize::try_from(k.unsigned_abs()).map_err(|_| too_large.clone())?;
            let size = n.checked_add(shift).ok_or(too_large)?;
            let (above, below) = if k >= 0 { (shift, 0) } else { (0, shift) };
            let vector = a.to_contiguous(ctx)?;
            by_width!(a.item_size(), T => Array::build::<T>(ctx, &[size, size], a.dtype(), |out| {
                out.fill(T::default());
                let rows = out.chunks_exact_mut(size.max(1)).skip(below);
                let values = vector.as_slice::<T>().unwrap_or_default();
                for ((row, value), column) in rows.zip(values).zip(above..) {
                    if let Some(to) = row.get_mut(column) {
                        *to = *value;
                    }
                }
                Ok(())
            }), else Err(ArrayError::Unsupported { op: "diag", dtype: a.dtype() }))
        }
        _ => Err(ArrayError::BadArgument {
            op: "diag",
            why: "it takes a vector or a matrix".into(),
        }),
    }
}

/// Each class number as a vector with a one at it; `torch.nn.functional.one_hot` in `dtype`.
///
/// # Errors
/// `IndexOutOfRange` for a number outside the classes; `DTypeMismatch` unless i64; `OutOfMemory`.
pub fn one_hot(ctx: &Context, numbers: &Array, classes: usize, dtype: DType) -> Result<Array> {
    if numbers.dtype() != DType::I64 {
        return Err(ArrayError::DTypeMismatch {
            expected: DType::I64,
            found: numbers.dtype(),
        });
    }
    let axes: Vec<usize> = (0..numbers.rank()).collect();
    if !numbers.is_empty() {
        for op in [ReduceOp::Min, ReduceOp::Max] {
            let index = reduce(ctx, op, numbers, &axes, false)?.item()?.to_i64();
            if !usize::try_from(index).is_ok_and(|i| i < classes) {
                return Err(ArrayError::IndexOutOfRange {
                    index,
                    size: classes,
                    axis: numbers.rank(),
                });
            }
        }
    }
    let places = Array::arange(ctx, 0, classes as i64, 1)?;
    let mut expr = Expr::new();
    let (x, p) = (
        expr.input(&numbers.insert_axis(numbers.rank())?),
        expr.input(&places),
    );
    let equal = expr.push(Node::Binary(BinaryOp::Eq, x, p));
    let result = expr.push(Node::Cast(dtype, equal));
    expr.store(ctx, result)
}

impl Array {
    /// Ones on the diagonal, zeros elsewhere; `torch.eye`.
    ///
    /// # Errors
    /// `TooLarge`, `OutOfMemory`.
    pub fn eye(ctx: &Context, rows: usize, columns: usize, dtype: DType) -> Result<Self> {
        let row = Self::arange(ctx, 0, rows as i64, 1)?.insert_axis(1)?;
        let column = Self::arange(ctx, 0, columns as i64, 1)?;
        let mut expr = Expr::new();
        let (i, j) = (expr.input(&row), expr.input(&column));
        let equal = expr.push(Node::Binary(BinaryOp::Eq, i, j));
        let result = expr.push(Node::Cast(dtype, equal));
        expr.store(ctx, result)
    }
}
