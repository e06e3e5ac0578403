//! Matrix products.

use crate::array::Array;
use crate::block::Pod;
use crate::context::{Context, LoopKind, Report};
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::expr::{Expr, Node, Out};
use crate::kernels::Lane;
use crate::layout::{broadcast_shapes, element_count};
use crate::ops::BinaryOp;
use crate::reduce::ReduceOp;
use crate::walk::Walk;

/// Rows and columns of the register tile.
const MR: usize = 4;
const NR: usize = 8;
/// Terms, rows and columns of a block that stays in cache. The order of a sum's terms depends on
/// the number of terms alone.
const KC: usize = 256;
const MC: usize = 64;
const NC: usize = 512;

/// Matrix product with `torch.matmul`'s rules: the last two axes are matrices, leading axes
/// broadcast, a vector on the left is a row and on the right a column, and its axis goes away.
///
/// # Errors
/// `ShapeMismatch` if the inner sizes differ or an operand has rank 0; `DTypeMismatch`,
/// `Unsupported` for bool, `Broadcast`, `OutOfMemory`.
pub fn matmul(ctx: &Context, a: &Array, b: &Array) -> Result<Array> {
    if a.dtype() != b.dtype() {
        return Err(ArrayError::DTypeMismatch {
            expected: a.dtype(),
            found: b.dtype(),
        });
    }
    if a.dtype() == DType::Bool {
        return Err(ArrayError::Unsupported {
            op: "matmul",
            dtype: DType::Bool,
        });
    }
    if let (Some(left), Some(right)) = (a.widened(ctx)?, b.widened(ctx)?) {
        return matmul(ctx, &left, &right)?.cast(ctx, a.dtype());
    }
    let mismatch = || ArrayError::ShapeMismatch {
        op: "matmul",
        left: a.shape().to_vec(),
        right: b.shape().to_vec(),
    };
    if a.rank() == 0 || b.rank() == 0 {
        return Err(mismatch());
    }
    let left = if a.rank() == 1 {
        a.insert_axis(0)?
    } else {
        a.clone()
    };
    let right = if b.rank() == 1 {
        b.insert_axis(1)?
    } else {
        b.clone()
    };
    let (m, k) = last_two(left.shape());
    let (inner, n) = last_two(right.shape());
    if k != inner {
        return Err(mismatch());
    }
    let mut product = if m == 1 || n == 1 {
        by_sums(ctx, &left, &right, n == 1)?
    } else {
        match left.dtype() {
            DType::F64 => blocked::<f64>(ctx, &left, &right)?,
            DType::I64 => blocked::<i64>(ctx, &left, &right)?,
            _ => blocked::<f32>(ctx, &left, &right)?,
        }
    };
    if b.rank() == 1 {
        product = product.drop_axis(product.rank() - 1)?;
    }
    if a.rank() == 1 {
        product = product.drop_axis(product.rank() + usize::from(b.rank() == 1) - 2)?;
    }
    Ok(product)
}

fn last_two(shape: &[usize]) -> (usize, usize) {
    match shape {
        [.., rows, columns] => (*rows, *columns),
        _ => (1, 1),
    }
}

/// Products with a vector read each matrix element once: a fused multiply and sum.
fn by_sums(ctx: &Context, a: &Array, b: &Array, by_column: bool) -> Result<Array> {
    let (left, right, drop) = if by_column {
        // [… m k] with [… 1 k], over k.
        (a.clone(), b.transpose(b.rank() - 2, b.rank() - 1)?, 0)
    } else {
        // [… k 1] with [… k n], over k.
        (a.transpose(a.rank() - 2, a.rank() - 1)?, b.clone(), 1)
    };
    let mut expr = Expr::new();
    let (x, y) = (expr.input(&left), expr.input(&right));
    let node = expr.push(Node::Binary(BinaryOp::Mul, x, y));
    let rank = left.rank().max(right.rank());
    let axes = vec![rank - 1 - drop];
    expr.outs.push(Out::Reduce {
        node,
        op: ReduceOp::Sum,
        axes,
        keepdims: true,
    });
    expr.eval_one(ctx)
}

/// An element type with multiplication and addition.
trait Ring: Lane {
    fn multiply_add(self, a: Self, b: Self) -> Self;
    fn plus(self, other: Self) -> Self;
}

macro_rules! ring {
    ($($t:ty: $add:expr, $mul:expr;)*) => {$(
        impl Ring for $t {
            #[inline(always)]
            fn multiply_add(self, a: Self, b: Self) -> Self {
                $add(self, $mul(a, b))
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                $add(self, other)
            }
        }
    )*};
}
ring! {
    f32: |a, b| a + b, |a, b| a * b;
    f64: |a, b| a + b, |a, b| a * b;
    i64: i64::wrapping_add, i64::wrapping_mul;
}

/// A matrix in a slice, with strides in elements.
#[derive(Clone, Copy)]
struct Matrix<'a, T> {
    data: &'a [T],
    first: usize,
    rows: usize,
    columns: usize,
    row_stride: isize,
    column_stride: isize,
}

impl<T: Pod> Matrix<'_, T> {
    fn at(&self, row: usize, column: usize) -> T {
        let step = row as isize * self.row_stride + column as isize * self.column_stride;
        self.data
            .get(self.first.wrapping_add_signed(step))
            .copied()
            .unwrap_or_default()
    }
}

fn blocked<T: Ring>(ctx: &Context, a: &Array, b: &Array) -> Result<Array> {
    let (a, b) = (aligned(ctx, a)?, aligned(ctx, b)?);
    // One matrix on the right: the left one's leading axes are more rows of one product.
    if b.rank() == 2 && a.rank() > 2 {
        let (m, k) = last_two(a.shape());
        let lead: usize = a.shape().iter().rev().skip(2).product();
        if let Some(flat) = a.reshape_view(&[lead * m, k]) {
            let mut shape = a.shape().to_vec();
            if let Some(last) = shape.last_mut() {
                *last = last_two(b.shape()).1;
            }
            return blocked::<T>(ctx, &flat, &b)?.reshape(ctx, &shape);
        }
    }
    let (m, k) = last_two(a.shape());
    let n = last_two(b.shape()).1;
    let lead = |x: &Array| x.shape().get(..x.rank() - 2).unwrap_or_default().to_vec();
    let batch = broadcast_shapes(&lead(&a), &lead(&b))?;
    let mut shape = batch.clone();
    shape.extend([m, n]);
    element_count(&shape)?;
    let whole = |x: &Array, rows: usize, columns: usize| {
        let mut shape = batch.clone();
        shape.extend([rows, columns]);
        x.broadcast_to(&shape)
    };
    let (a, b) = (whole(&a, m, k)?, whole(&b, k, n)?);
    let result = Array::build::<T>(ctx, &shape, a.dtype(), |out| {
        if out.is_empty() {
            return Ok(());
        }
        if k == 0 {
            out.fill(T::default());
            return Ok(());
        }
        let mut scratch = Scratch::default();
        let mut left = Walk::new(&batch, &a.strides, a.offset);
        let mut right = Walk::new(&batch, &b.strides, b.offset);
        for result in out.chunks_exact_mut(m * n) {
            if let (Some(x), Some(y)) = (left.next_offset(), right.next_offset()) {
                multiply(matrix(&a, x), matrix(&b, y), result, &mut scratch);
            }
        }
        Ok(())
    })?;
    ctx.report(|| Report {
        ops: vec!["matmul"],
        kind: LoopKind::Matmul,
        shape: shape.iter().copied().chain([k]).collect(),
        strides: vec![a.strides.clone(), b.strides.clone()],
        bytes: result.block.len(),
    });
    Ok(result)
}

fn aligned(ctx: &Context, a: &Array) -> Result<Array> {
    if a.is_aligned() {
        Ok(a.clone())
    } else {
        a.copy(ctx)
    }
}

fn matrix<T: Pod>(array: &Array, offset: usize) -> Matrix<'_, T> {
    let item = size_of::<T>();
    let (rows, columns) = last_two(array.shape());
    let stride = |from_end: usize| {
        array
            .strides
            .iter()
            .rev()
            .nth(from_end)
            .map_or(0, |s| s / item as isize)
    };
    Matrix {
        data: array.block.slice::<T>(),
        first: offset / item,
        rows,
        columns,
        row_stride: stride(1),
        column_stride: stride(0),
    }
}

/// Packed panels, kept from one product to the next.
#[derive(Default)]
struct Scratch<T> {
    left: Vec<T>,
    right: Vec<T>,
}

/// `out = a · b`, row by row. No size is 0.
fn multiply<T: Ring>(a: Matrix<'_, T>, b: Matrix<'_, T>, out: &mut [T], scratch: &mut Scratch<T>) {
    for column in (0..b.columns).step_by(NC) {
        let columns = NC.min(b.columns - column);
        for term in (0..a.columns).step_by(KC) {
            let terms = KC.min(a.columns - term);
            pack::<T, NR>(&mut scratch.right, columns, terms, |j, p| {
                b.at(term + p, column + j)
            });
            for row in (0..a.rows).step_by(MC) {
                let rows = MC.min(a.rows - row);
                pack::<T, MR>(&mut scratch.left, rows, terms, |i, p| {
                    a.at(row + i, term + p)
                });
                let block = Window {
                    row,
                    rows,
                    column,
                    columns,
                    width: b.columns,
                };
                multiply_block(scratch, terms, out, block, term == 0);
            }
        }
    }
}

/// Panels of `W` lines, term by term, padded with zeros.
fn pack<T: Ring, const W: usize>(
    to: &mut Vec<T>,
    lines: usize,
    terms: usize,
    at: impl Fn(usize, usize) -> T,
) {
    to.clear();
    for first in (0..lines).step_by(W) {
        let count = W.min(lines - first);
        for term in 0..terms {
            let mut group = [T::default(); W];
            for (i, g) in group.iter_mut().take(count).enumerate() {
                *g = at(first + i, term);
            }
            to.extend_from_slice(&group);
        }
    }
}

/// The part of the result that a block of panels makes.
#[derive(Clone, Copy)]
struct Window {
    row: usize,
    rows: usize,
    column: usize,
    columns: usize,
    width: usize,
}

fn multiply_block<T: Ring>(
    scratch: &Scratch<T>,
    terms: usize,
    out: &mut [T],
    window: Window,
    first: bool,
) {
    for (pj, right) in scratch.right.chunks_exact(terms * NR).enumerate() {
        for (pi, left) in scratch.left.chunks_exact(terms * MR).enumerate() {
            let tile = multiply_panels(left, right);
            let columns = NR.min(window.columns - pj * NR);
            for (i, values) in tile.iter().take(window.rows - pi * MR).enumerate() {
                let at = (window.row + pi * MR + i) * window.width + window.column + pj * NR;
                let line = out.get_mut(at..at + columns).unwrap_or_default();
                for (o, v) in line.iter_mut().zip(values) {
                    *o = if first { *v } else { o.plus(*v) };
                }
            }
        }
    }
}

/// One register tile: `MR` rows by `NR` columns over all terms of the panels.
#[inline(always)]
fn multiply_panels<T: Ring>(left: &[T], right: &[T]) -> [[T; NR]; MR] {
    let mut tile = [[T::default(); NR]; MR];
    for (x, y) in left
        .as_chunks::<MR>()
        .0
        .iter()
        .zip(right.as_chunks::<NR>().0)
    {
        for (line, x) in tile.iter_mut().zip(x) {
            for (sum, y) in line.iter_mut().zip(y) {
                *sum = sum.multiply_add(*x, *y);
            }
        }
    }
    tile
}
