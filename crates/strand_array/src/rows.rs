//! Functions of whole rows that lie in one piece: several passes over each while it is in cache.

use crate::array::Array;
use crate::context::{Context, LoopKind, Report};
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::kernels::{self, RowFloat};
use crate::layout::axis_flags;

/// A function of rows, of one shape in and out.
#[derive(Clone, Copy)]
pub(crate) enum RowOp {
    Softmax,
    LogSoftmax,
    LayerNorm { eps: f64 },
}

impl RowOp {
    const fn name(self) -> &'static str {
        match self {
            Self::Softmax => "softmax",
            Self::LogSoftmax => "log_softmax",
            Self::LayerNorm { .. } => "layer_norm",
        }
    }
}

/// The result, if the array is of f32 or f64, lies in C order, and the axes are its last ones.
pub(crate) fn by_rows(
    ctx: &Context,
    op: RowOp,
    a: &Array,
    axes: &[usize],
) -> Result<Option<Array>> {
    let flags = axis_flags(axes, a.rank())?;
    let outer = a.rank() - axes.len();
    let trailing = flags.iter().skip(outer).all(|reduced| *reduced);
    let row: usize = a.shape().iter().skip(outer).product();
    if !trailing || row == 0 || a.is_empty() {
        return Ok(None);
    }
    match a.dtype() {
        DType::F32 => run::<f32>(ctx, op, a, row),
        DType::F64 => run::<f64>(ctx, op, a, row),
        _ => Ok(None),
    }
}

fn run<T: RowFloat>(ctx: &Context, op: RowOp, a: &Array, row: usize) -> Result<Option<Array>> {
    let Some(elements) = a.as_slice::<T>() else {
        return Ok(None);
    };
    let result = Array::build::<T>(ctx, a.shape(), a.dtype(), |out| {
        let pairs = elements.chunks_exact(row).zip(out.chunks_exact_mut(row));
        match op {
            RowOp::Softmax => T::softmax(elements, out, row),
            RowOp::LogSoftmax => {
                let mut room = room::<T>(ctx, row)?;
                pairs.for_each(|(from, to)| kernels::log_softmax(from, to, &mut room));
            }
            RowOp::LayerNorm { eps } => {
                let (mut wide, mut squares) = (room::<f64>(ctx, row)?, room::<f64>(ctx, row)?);
                pairs.for_each(|(from, to)| {
                    kernels::layer_norm(from, to, eps, [&mut wide, &mut squares]);
                });
            }
        }
        Ok(())
    })?;
    ctx.report(|| Report {
        ops: vec![op.name()],
        kind: LoopKind::Fused,
        shape: vec![elements.len() / row, row],
        strides: vec![vec![
            (row * size_of::<T>()) as isize,
            size_of::<T>() as isize,
        ]],
        bytes: result.block.len(),
    });
    Ok(Some(result))
}

/// Scratch elements for one row, within the memory limit.
fn room<T: Copy + Default>(ctx: &Context, row: usize) -> Result<Vec<T>> {
    let bytes = row.saturating_mul(size_of::<T>());
    let error = ArrayError::OutOfMemory {
        bytes: bytes as u64,
        limit: ctx.limit() as u64,
    };
    if ctx.used().saturating_add(bytes) > ctx.limit() {
        return Err(error);
    }
    let mut room = Vec::new();
    room.try_reserve_exact(row).map_err(|_| error)?;
    room.resize(row, T::default());
    Ok(room)
}
