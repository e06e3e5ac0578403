//! Values put to places, and places found for values.

use crate::array::Array;
use crate::block::Pod;
use crate::context::{Context, Report};
use crate::dtype::{DType, by_repr};
use crate::error::{ArrayError, Result};
use crate::kernels::{maximum, minimum};
use crate::ops::BinaryOp;

/// A number that values are put to.
trait Put: Pod {
    fn put(self, op: BinaryOp, value: Self) -> Self;
}

macro_rules! put {
    ($t:ty, $add:expr, $multiply:expr) => {
        impl Put for $t {
            fn put(self, op: BinaryOp, value: Self) -> Self {
                let (add, multiply): (fn($t, $t) -> $t, fn($t, $t) -> $t) = ($add, $multiply);
                match op {
                    BinaryOp::Add => add(self, value),
                    BinaryOp::Mul => multiply(self, value),
                    BinaryOp::Minimum => minimum(self, value),
                    _ => maximum(self, value),
                }
            }
        }
    };
}
put!(u8, |a, b| a | b, |a, b| a & b);
put!(i64, i64::wrapping_add, i64::wrapping_mul);
put!(f32, |a, b| a + b, |a, b| a * b);
put!(f64, |a, b| a + b, |a, b| a * b);

/// A copy of the array with values put by a function to the slices at positions, one after the
/// other; `np.add.at`, `torch.index_add`, `torch.index_reduce`.
///
/// After `lead` axes that all share, the array is `[n, …]`, the positions are `[k]` in i64 and the
/// values `[k, …]` in the array's dtype.
///
/// # Errors
/// `IndexOutOfRange`; `ShapeMismatch` for other shapes; `OutOfMemory`.
pub fn put_at(
    ctx: &Context,
    op: BinaryOp,
    array: &Array,
    positions: &Array,
    values: &Array,
    lead: usize,
) -> Result<Array> {
    let mismatch = || ArrayError::ShapeMismatch {
        op: "at",
        left: array.shape().to_vec(),
        right: values.shape().to_vec(),
    };
    if lead >= array.rank() {
        return Err(mismatch());
    }
    let after = lead.saturating_add(1);
    let wanted = [positions.shape(), array.shape().get(after..).unwrap_or(&[])].concat();
    if positions.rank() != after
        || values.shape() != wanted
        || array.shape().get(..lead) != positions.shape().get(..lead)
    {
        return Err(mismatch());
    }
    if let Some(wide) = array.widened(ctx)? {
        let values = values.cast(ctx, wide.dtype())?;
        return put_at(ctx, op, &wide, positions, &values, lead)?.cast(ctx, array.dtype());
    }
    let size = array.shape().get(lead).copied().unwrap_or(0);
    let count = positions.shape().get(lead).copied().unwrap_or(0);
    let inner: usize = wanted.iter().skip(after).product();
    let dtype = array.dtype();
    let array = array.to_contiguous(ctx)?;
    let values = values.cast(ctx, dtype)?.to_contiguous(ctx)?;
    let positions = positions.cast(ctx, DType::I64)?.to_contiguous(ctx)?;
    let positions = positions.as_slice::<i64>().unwrap_or_default();
    let made = by_repr!(array.wide("at")?, T => Array::build::<T>(ctx, array.shape(), dtype, |out| {
        out.copy_from_slice(array.as_slice::<T>().unwrap_or_default());
        let values = values.as_slice::<T>().unwrap_or_default();
        let mut values = values.chunks_exact(inner.max(1));
        let lists = positions.chunks_exact(count.max(1));
        for (list, out) in lists.zip(out.chunks_exact_mut(size.saturating_mul(inner).max(1))) {
            for position in list {
                let place = usize::try_from(*position).ok().filter(|place| *place < size);
                let Some(place) = place else {
                    return Err(ArrayError::IndexOutOfRange { index: *position, size, axis: lead });
                };
                let to = out.chunks_exact_mut(inner.max(1)).nth(place);
                let (Some(to), Some(from)) = (to, values.next()) else {
                    return Err(mismatch());
                };
                for (to, from) in to.iter_mut().zip(from) {
                    *to = to.put(op, *from);
                }
            }
        }
        Ok(())
    }))?;
    ctx.report(|| Report::along_axis("at", &[&made], &made));
    Ok(made)
}

/// For each value how many of the numbers, which are in rising order, are less; `torch.searchsorted`.
///
/// After `lead` axes that both share, the numbers are `[n]`; the values are of the same dtype. NaN
/// is after all numbers.
///
/// # Errors
/// `ShapeMismatch` for other shapes; `OutOfMemory`.
pub fn searchsorted(ctx: &Context, sorted: &Array, values: &Array, lead: usize) -> Result<Array> {
    if sorted.rank().checked_sub(1) != Some(lead)
        || sorted.shape().get(..lead) != values.shape().get(..lead)
    {
        return Err(ArrayError::ShapeMismatch {
            op: "searchsorted",
            left: sorted.shape().to_vec(),
            right: values.shape().to_vec(),
        });
    }
    if let Some(wide) = sorted.widened(ctx)? {
        return searchsorted(ctx, &wide, &values.cast(ctx, wide.dtype())?, lead);
    }
    let size = sorted.shape().get(lead).copied().unwrap_or(0);
    let each: usize = values.shape().iter().skip(lead).product();
    let dtype = sorted.dtype();
    let values = values.cast(ctx, dtype)?.to_contiguous(ctx)?;
    let sorted = sorted.to_contiguous(ctx)?;
    let made = by_repr!(sorted.wide("searchsorted")?, T => Array::build::<i64>(ctx, values.shape(), DType::I64, |out| {
        let sorted = sorted.as_slice::<T>().unwrap_or_default();
        let values = values.as_slice::<T>().unwrap_or_default();
        for (at, (to, value)) in out.iter_mut().zip(values).enumerate() {
            let row = at.checked_div(each).unwrap_or(0).saturating_mul(size);
            let row = sorted.get(row..row.saturating_add(size)).unwrap_or_default();
            // In torch's steps: numbers out of order, and NaN among them, give what it gives.
            let (mut start, mut end) = (0, row.len());
            while start < end {
                let middle = start.midpoint(end);
                let at_least = row.get(middle).is_some_and(|number| number >= value);
                if at_least {
                    end = middle;
                } else {
                    start = middle.saturating_add(1);
                }
            }
            *to = start as i64;
        }
        Ok(())
    }))?;
    ctx.report(|| Report::along_axis("searchsorted", &[&made], &made));
    Ok(made)
}
