//! Matrix products.

use std::ops::Range;

use crate::array::Array;
use crate::block::Pod;
use crate::context::{Context, LoopKind, Report};
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::expr::{Expr, Node, Out};
use crate::kernels::{Lines, MR, Ring, Tile, multiply_panels, transpose};
use crate::layout::{broadcast_shapes, element_count};
use crate::ops::BinaryOp;
use crate::reduce::ReduceOp;
use crate::walk::Walk;

/// Terms, rows and columns of a block that stays in cache. The order of a sum's terms depends on
/// the number of terms alone.
const KC: usize = 512;
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

impl<'a, T: Pod> Matrix<'a, T> {
    fn place(&self, row: usize, column: usize) -> usize {
        let step = row as isize * self.row_stride + column as isize * self.column_stride;
        self.first.wrapping_add_signed(step)
    }

    /// Some rows, with some of their columns as terms.
    fn row_lines(&self, rows: Range<usize>, terms: Range<usize>) -> Lines<'a, T> {
        Lines {
            data: self.data,
            first: self.place(rows.start, terms.start),
            lines: rows.len(),
            terms: terms.len(),
            line_stride: self.row_stride,
            term_stride: self.column_stride,
        }
    }

    fn transposed(&self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..*self
        }
    }

    /// Whether both are the same elements in the same places.
    fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self.data, other.data)
            && (self.first, self.rows, self.columns) == (other.first, other.rows, other.columns)
            && (self.row_stride, self.column_stride) == (other.row_stride, other.column_stride)
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
        strides: vec![a.strides.to_vec(), b.strides.to_vec()],
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

/// `out = a · b`, row by row. No size is 0. Of a matrix times its own transpose the lower half is
/// computed and mirrored: both halves have the same terms in the same order.
fn multiply<T: Ring>(a: Matrix<'_, T>, b: Matrix<'_, T>, out: &mut [T], scratch: &mut Scratch<T>) {
    let turned = b.transposed();
    let symmetric = turned.is(&a);
    for column in (0..b.columns).step_by(NC) {
        let columns = column..b.columns.min(column + NC);
        for term in (0..a.columns).step_by(KC) {
            let terms = term..a.columns.min(term + KC);
            let lines = turned.row_lines(columns.clone(), terms.clone());
            lines.pack(T::NR, &mut scratch.right);
            let start = if symmetric { column / MC * MC } else { 0 };
            for row in (start..a.rows).step_by(MC) {
                let rows = row..a.rows.min(row + MC);
                let lines = a.row_lines(rows.clone(), terms.clone());
                lines.pack(MR, &mut scratch.left);
                let block = Window {
                    rows,
                    columns: columns.clone(),
                    width: b.columns,
                    symmetric,
                    add: term > 0,
                };
                multiply_block(scratch, terms.len(), out, &block);
            }
        }
    }
    if symmetric {
        mirror(out, b.columns);
    }
}

/// The part of the result that a block of panels makes.
struct Window {
    rows: Range<usize>,
    columns: Range<usize>,
    width: usize,
    symmetric: bool,
    add: bool,
}

fn multiply_block<T: Ring>(scratch: &Scratch<T>, terms: usize, out: &mut [T], window: &Window) {
    let rights = scratch.right.chunks_exact(terms * T::NR);
    for (column, right) in window.columns.clone().step_by(T::NR).zip(rights) {
        let lefts = scratch.left.chunks_exact(terms * MR);
        for (row, left) in window.rows.clone().step_by(MR).zip(lefts) {
            let rows = MR.min(window.rows.end - row);
            if window.symmetric && row + rows <= column {
                continue;
            }
            let tile = Tile {
                first: row * window.width + column,
                width: window.width,
                rows,
                columns: T::NR.min(window.columns.end - column),
                add: window.add,
            };
            multiply_panels(left, right, out, tile);
        }
    }
}

/// Copies what lies below the diagonal of a square matrix to above it, in bands of rows.
fn mirror<T: Pod>(out: &mut [T], size: usize) {
    const BAND: usize = 16;
    for first in (0..size).step_by(BAND) {
        let (above, band) = out.split_at_mut(first * size);
        let rows = BAND.min(size - first);
        if let Some(above) = above.get_mut(first..) {
            transpose(band, size, above, size, (first, rows));
        }
        for row in 0..rows {
            for column in row + 1..rows {
                let value = band.get(column * size + first + row).copied();
                if let (Some(value), Some(to)) = (value, band.get_mut(row * size + first + column))
                {
                    *to = value;
                }
            }
        }
    }
}
