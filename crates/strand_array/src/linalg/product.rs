//! The loops of a product: a matrix product for every position of the leading axes.

use super::ring::{Brain, ComplexDouble, ComplexSingle, Double, Half, Ring, Single, Truth};
use super::signature::{Plan, Signature};
use std::ops::Range;

use crate::array::Array;
use crate::context::{Context, LoopKind, Report};
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::lanes::build_bytes;
use crate::layout::{broadcast_strides, c_strides};
use crate::walk::Walk;

/// Products whose terms are summed before they are added to others: the error grows with this, and
/// with the logarithm of the number of blocks.
const BLOCK: usize = 128;

/// One matrix of an operand: first byte, and bytes to the next row and column.
#[derive(Clone, Copy)]
struct Matrix<'a> {
    bytes: &'a [u8],
    at: usize,
    row: isize,
    column: isize,
}

impl<'a> Matrix<'a> {
    fn element(&self, row: usize, column: usize) -> &'a [u8] {
        let down = (row as isize).wrapping_mul(self.row);
        let step = (column as isize)
            .wrapping_mul(self.column)
            .wrapping_add(down);
        self.bytes
            .get(self.at.wrapping_add_signed(step)..)
            .unwrap_or_default()
    }
}

/// An operand as matrices: strides over the looped shape, and of rows and columns.
struct Operand<'a> {
    array: &'a Array,
    outer: Vec<isize>,
    row: isize,
    column: isize,
}

impl<'a> Operand<'a> {
    /// `dims` are the dimensions of rows and of columns; an operand without one has a single row or
    /// column.
    fn new(
        signature: &Signature,
        plan: &Plan,
        place: usize,
        array: &'a Array,
        dims: [Option<usize>; 2],
    ) -> Result<Self> {
        let core = plan.core.get(place).map(Vec::as_slice).unwrap_or_default();
        let stride = |wanted: Option<usize>| {
            let mut present = signature.present(place, &plan.missing).zip(core);
            let found = present.find(|(dim, _)| Some(dim.id) == wanted);
            found.and_then(|(_, &axis)| array.strides().get(axis).copied())
        };
        let looped = |from: &[usize], strides: &[isize]| -> (Vec<usize>, Vec<isize>) {
            let axes = from.iter().zip(strides).enumerate();
            axes.filter(|(axis, _)| !core.contains(axis))
                .map(|(_, (&size, &stride))| (size, stride))
                .unzip()
        };
        let (shape, strides) = looped(array.shape(), array.strides());
        Ok(Self {
            array,
            outer: broadcast_strides(&shape, &strides, &plan.outer)?,
            row: stride(dims[0]).unwrap_or(0),
            column: stride(dims[1]).unwrap_or(0),
        })
    }

    fn matrix(&self, at: usize) -> Matrix<'a> {
        Matrix {
            bytes: self.array.block().slice::<u8>(),
            at,
            row: self.row,
            column: self.column,
        }
    }
}

/// Dimensions of rows, of the sum and of columns: which one of the signature each is.
fn roles(signature: &Signature) -> [Option<usize>; 3] {
    match signature.name {
        "matmul" => [Some(0), Some(1), Some(2)],
        "matvec" => [Some(0), Some(1), None],
        "vecmat" => [None, Some(0), Some(1)],
        _ => [None, Some(0), None],
    }
}

/// The product of native inputs as a fresh array of the plan's shape.
pub(super) fn product(
    ctx: &Context,
    signature: &Signature,
    plan: &Plan,
    inputs: &[Array; 2],
    conjugate: bool,
    descr: &Descr,
) -> Result<Array> {
    let [rows, terms, columns] = roles(signature);
    let size = |dim: Option<usize>| dim.and_then(|d| plan.sizes.get(d).copied()).unwrap_or(1);
    let sizes = [size(rows), size(terms), size(columns)];
    let left = Operand::new(signature, plan, 0, &inputs[0], [rows, terms])?;
    let right = Operand::new(signature, plan, 1, &inputs[1], [terms, columns])?;
    let mut shape = plan.outer.clone();
    shape.extend([sizes[0], sizes[2]]);
    let strides = c_strides(&shape, descr.size())?;
    let result = build_bytes(ctx, &shape, &strides, descr.clone(), |out| {
        let conjugate = conjugate && descr.dtype().is_complex();
        let sizes = &sizes;
        let outer = &plan.outer;
        match descr.dtype() {
            DType::Bool => batched::<Truth>(outer, &left, &right, sizes, conjugate, out),
            DType::I8 | DType::U8 => batched::<u8>(outer, &left, &right, sizes, conjugate, out),
            DType::I16 | DType::U16 => batched::<u16>(outer, &left, &right, sizes, conjugate, out),
            DType::I32 | DType::U32 => batched::<u32>(outer, &left, &right, sizes, conjugate, out),
            DType::I64 | DType::U64 => batched::<u64>(outer, &left, &right, sizes, conjugate, out),
            DType::F16 => batched::<Half>(outer, &left, &right, sizes, conjugate, out),
            DType::BF16 => batched::<Brain>(outer, &left, &right, sizes, conjugate, out),
            DType::F32 => batched::<Single>(outer, &left, &right, sizes, conjugate, out),
            DType::F64 => batched::<Double>(outer, &left, &right, sizes, conjugate, out),
            DType::C64 => batched::<ComplexSingle>(outer, &left, &right, sizes, conjugate, out),
            DType::C128 => batched::<ComplexDouble>(outer, &left, &right, sizes, conjugate, out),
            dtype => {
                return Err(ArrayError::Unsupported {
                    op: signature.name,
                    dtype,
                });
            }
        }
        Ok(())
    })?;
    ctx.report(|| Report {
        ops: vec![signature.name],
        kind: LoopKind::Matmul,
        shape: shape.clone(),
        strides: inputs.iter().map(|a| a.strides().to_vec()).collect(),
        bytes: result.block().len(),
    });
    placed(result, plan, [rows, columns])
}

/// The result's matrices moved to where the output has its core axes.
fn placed(result: Array, plan: &Plan, dims: [Option<usize>; 2]) -> Result<Array> {
    let outer = plan.outer.len();
    let present = |dim: Option<usize>| dim.is_some_and(|d| plan.missing.get(d) == Some(&false));
    let mut core = vec![];
    for (place, dim) in (outer..).zip(dims) {
        if present(dim) {
            core.push(place);
        }
    }
    let [_, _, of_out] = &plan.core;
    // A kept axis is one of size 1 that the signature doesn't have.
    let kept = of_out.len() > core.len();
    let mut from: Vec<usize> = (0..outer).collect();
    let mut order = Vec::with_capacity(plan.shape.len());
    let mut rest = from.drain(..);
    for axis in 0..plan.shape.len() {
        let place = of_out.iter().position(|a| *a == axis);
        let source = match place {
            Some(_) if kept => Some(outer),
            Some(place) => core.get(place).copied(),
            None => rest.next(),
        };
        order.extend(source);
    }
    let (shape, strides): (Vec<_>, Vec<_>) = order
        .iter()
        .filter_map(|&axis| Some((*result.shape().get(axis)?, *result.strides().get(axis)?)))
        .unzip();
    let moved = Array::from_parts(
        std::rc::Rc::clone(result.block()),
        result.offset(),
        &shape,
        &strides,
        result.descr().clone(),
    )?;
    Ok(moved.owning())
}

fn batched<R: Ring>(
    outer: &[usize],
    left: &Operand<'_>,
    right: &Operand<'_>,
    &[rows, terms, columns]: &[usize; 3],
    conjugate: bool,
    out: &mut [u8],
) {
    let mut lefts = Walk::new(outer, &left.outer, left.array.offset());
    let mut rights = Walk::new(outer, &right.outer, right.array.offset());
    let mut sums = vec![R::Sum::default(); columns];
    let mut out = out.chunks_exact_mut(columns.saturating_mul(R::SIZE).max(1));
    while let (Some(a), Some(b)) = (lefts.next_offset(), rights.next_offset()) {
        let (a, b) = (left.matrix(a), right.matrix(b));
        for (row, out) in (0..rows).zip(&mut out) {
            if columns > 1 && b.column == R::SIZE as isize {
                by_rows::<R>(a, b, row, 0..terms, conjugate, &mut sums);
            } else {
                for (column, sum) in sums.iter_mut().enumerate() {
                    *sum = dot::<R>(a, b, (row, column), 0..terms, conjugate);
                }
            }
            for (sum, out) in sums.iter().zip(out.chunks_exact_mut(R::SIZE)) {
                R::store(*sum, out);
            }
        }
    }
}

/// Two parts of about the same number of terms, the first of whole blocks.
fn halves(terms: Range<usize>) -> (Range<usize>, Range<usize>) {
    let half = (terms.len() / 2).next_multiple_of(BLOCK);
    let middle = terms.start.saturating_add(half).min(terms.end);
    (terms.start..middle, middle..terms.end)
}

/// The sum over some terms, in halves down to a block.
fn dot<R: Ring>(
    a: Matrix<'_>,
    b: Matrix<'_>,
    at: (usize, usize),
    terms: Range<usize>,
    conjugate: bool,
) -> R::Sum {
    if terms.len() > BLOCK {
        let (left, right) = halves(terms);
        return R::join(
            dot::<R>(a, b, at, left, conjugate),
            dot::<R>(a, b, at, right, conjugate),
        );
    }
    terms.fold(R::Sum::default(), |sum, term| {
        R::add_product(sum, a.element(at.0, term), b.element(term, at.1), conjugate)
    })
}

/// One row of the result, a row of `b` at a time: the loop over columns is contiguous.
fn by_rows<R: Ring>(
    a: Matrix<'_>,
    b: Matrix<'_>,
    row: usize,
    terms: Range<usize>,
    conjugate: bool,
    sums: &mut [R::Sum],
) {
    if terms.len() > BLOCK {
        let (left, right) = halves(terms);
        let mut others = sums.to_vec();
        by_rows::<R>(a, b, row, left, conjugate, sums);
        by_rows::<R>(a, b, row, right, conjugate, &mut others);
        for (sum, other) in sums.iter_mut().zip(others) {
            *sum = R::join(*sum, other);
        }
        return;
    }
    sums.fill(R::Sum::default());
    for term in terms {
        let factor = a.element(row, term);
        let factor = factor.get(..R::SIZE).unwrap_or(factor);
        let items = b.element(term, 0).chunks_exact(R::SIZE);
        for (sum, item) in sums.iter_mut().zip(items) {
            *sum = R::add_product(*sum, factor, item, conjugate);
        }
    }
}
