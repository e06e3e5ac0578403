//! Arrays put together and cut apart, of every dtype and layout; NumPy's `concatenate`, `stack`, `split` and
//! what is made of them.
//!
//! What is put together is copied into a fresh array whose axes lie as those of its parts; what is cut apart
//! is views.

mod blocks;
mod split;

pub use blocks::{Nested, block, repeat, tile};
pub use split::{Cuts, array_split, dsplit, hsplit, split, unstack, vsplit};

use crate::array::Array;
use crate::assign::{assign, copy_into};
use crate::cast::{Casting, check_cast};
use crate::context::{Context, LoopKind, Report};
use crate::descr::Descr;
use crate::error::{ArrayError, Result};
use crate::lanes::{axis_of, flat};
use crate::layout::{self, check_rank};
use crate::memory::may_share;
use crate::promote::result_type;

/// How arrays are put together; the keyword arguments of `np.concatenate`.
#[derive(Clone, Debug)]
pub struct JoinOptions<'a> {
    /// Where the result goes, of exactly its shape.
    pub out: Option<&'a Array>,
    /// The type of the result; by default what all promote to.
    pub dtype: Option<Descr>,
    /// What the conversions may lose.
    pub casting: Casting,
}

impl Default for JoinOptions<'_> {
    /// A fresh result of the promoted dtype, `same_kind`.
    fn default() -> Self {
        Self {
            out: None,
            dtype: None,
            casting: Casting::SameKind,
        }
    }
}

fn bad(op: &'static str, why: impl Into<String>) -> ArrayError {
    ArrayError::BadArgument {
        op,
        why: why.into(),
    }
}

/// Arrays after each other along an axis that they have; without one, all their elements in C order;
/// `np.concatenate`.
///
/// # Errors
/// `BadArgument` without arrays or with numbers; `ShapeMismatch` where the other axes differ or `out` has
/// another shape; `BadCall` for `out` with `dtype`; `AxisOutOfRange`, `NoPromotion`, `CannotCast`, `ReadOnly`,
/// `TooLarge`, `OutOfMemory`.
pub fn concatenate(
    ctx: &Context,
    arrays: &[Array],
    axis: Option<i64>,
    options: &JoinOptions<'_>,
) -> Result<Array> {
    let Some(axis) = axis else {
        let flat: Vec<Array> = arrays.iter().map(|a| flat(ctx, a)).collect::<Result<_>>()?;
        return joined(ctx, "concatenate", &flat, 0, options);
    };
    let op = "concatenate";
    let first = arrays
        .first()
        .ok_or_else(|| bad(op, "at least one array is needed"))?;
    if first.rank() == 0 {
        return Err(bad(op, "numbers have no axis to be put together along"));
    }
    let axis = axis_of(axis, first.rank())?;
    joined(ctx, op, arrays, axis, options)
}

fn joined(
    ctx: &Context,
    op: &'static str,
    arrays: &[Array],
    axis: usize,
    options: &JoinOptions<'_>,
) -> Result<Array> {
    if options.dtype.is_some() && options.out.is_some() {
        return Err(ArrayError::BadCall {
            op,
            why: "out has a dtype already".into(),
        });
    }
    let shape = joined_shape(op, arrays, axis)?;
    if let Some(out) = options.out
        && out.shape() != shape
    {
        return Err(ArrayError::ShapeMismatch {
            op,
            left: shape,
            right: out.shape().to_vec(),
        });
    }
    let descr = joined_descr(arrays, options)?;
    let target = match options.out {
        Some(out) if !out.flags().writeable => return Err(ArrayError::ReadOnly),
        Some(out) if !arrays.iter().any(|a| may_share(a, out)) => out.clone(),
        _ => {
            let strides = joined_strides(&shape, arrays, descr.size())?;
            Array::with_strides(ctx, &shape, &strides, &descr)?
        }
    };
    let mut start = 0;
    for array in arrays {
        let size = array.shape().get(axis).copied().unwrap_or(0) as i64;
        let stop = size.saturating_add(start);
        copy_into(array, &target.slice(axis, Some(start), Some(stop), 1)?)?;
        start = stop;
    }
    ctx.report(|| Report {
        ops: vec![op],
        kind: LoopKind::Strided,
        shape: target.shape().to_vec(),
        strides: arrays.iter().map(|a| a.strides().to_vec()).collect(),
        bytes: target.block().len(),
    });
    match options.out {
        Some(out) if !out.shares_block(&target) => {
            assign(ctx, out, &target, Casting::Unsafe)?;
            Ok(out.clone())
        }
        _ => Ok(target),
    }
}

/// The shape of the whole: all axes but one agree.
fn joined_shape(op: &'static str, arrays: &[Array], axis: usize) -> Result<Vec<usize>> {
    let Some(first) = arrays.first() else {
        return Err(bad(op, "at least one array is needed"));
    };
    let mut shape = first.shape().to_vec();
    let mut total = 0_usize;
    for array in arrays {
        let fits = array.rank() == shape.len()
            && array
                .shape()
                .iter()
                .zip(&shape)
                .enumerate()
                .all(|(at, (a, b))| at == axis || a == b);
        if !fits {
            return Err(ArrayError::ShapeMismatch {
                op,
                left: first.shape().to_vec(),
                right: array.shape().to_vec(),
            });
        }
        let size = array.shape().get(axis).copied().unwrap_or(0);
        let what = "the joined axis";
        total = total
            .checked_add(size)
            .ok_or(ArrayError::TooLarge { what })?;
    }
    if let Some(size) = shape.get_mut(axis) {
        *size = total;
    }
    Ok(shape)
}

fn joined_descr(arrays: &[Array], options: &JoinOptions<'_>) -> Result<Descr> {
    let descr = match (&options.dtype, options.out) {
        (Some(descr), _) => descr.clone(),
        (None, Some(out)) => out.descr().clone(),
        (None, None) => {
            let descrs: Vec<&Descr> = arrays.iter().map(Array::descr).collect();
            result_type(&descrs, None)?
        }
    };
    for array in arrays {
        check_cast(array.descr(), &descr, options.casting)?;
    }
    Ok(descr)
}

/// Strides without gaps, axes in the order in which the parts have them in memory.
fn joined_strides(shape: &[usize], arrays: &[Array], item: usize) -> Result<Vec<isize>> {
    Array::byte_count(shape, item)?;
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    for end in 1..axes.len() {
        let mut to = end;
        for at in (0..end).rev() {
            match (axes.get(end), axes.get(at)) {
                (Some(&inner), Some(&outer)) => match goes_outside(arrays, inner, outer) {
                    Some(true) => to = at,
                    Some(false) => break,
                    None => {}
                },
                _ => break,
            }
        }
        if let Some(moved) = axes.get_mut(to..=end) {
            moved.rotate_right(1);
        }
    }
    let mut strides = vec![0; shape.len()];
    let mut stride = item as isize;
    for &axis in axes.iter().rev() {
        if let (Some(to), Some(&size)) = (strides.get_mut(axis), shape.get(axis)) {
            *to = stride;
            stride = stride.saturating_mul(size.max(1) as isize);
        }
    }
    Ok(strides)
}

/// Whether the parts have axis `inner` outside of `outer`; none if they don't tell.
fn goes_outside(arrays: &[Array], inner: usize, outer: usize) -> Option<bool> {
    let mut found = None;
    for array in arrays {
        let size = |axis: usize| array.shape().get(axis).copied().unwrap_or(1);
        if size(inner) == 1 || size(outer) == 1 {
            continue;
        }
        let stride = |axis: usize| array.strides().get(axis).map_or(0, |s| s.unsigned_abs());
        if stride(inner) <= stride(outer) {
            found = Some(false);
        } else if found.is_none() {
            found = Some(true);
        }
    }
    found
}

/// Arrays of one shape along a new axis; `np.stack`.
///
/// # Errors
/// As [`concatenate`]; `ShapeMismatch` if the shapes differ.
pub fn stack(
    ctx: &Context,
    arrays: &[Array],
    axis: i64,
    options: &JoinOptions<'_>,
) -> Result<Array> {
    let op = "stack";
    let first = arrays
        .first()
        .ok_or_else(|| bad(op, "at least one array is needed"))?;
    if let Some(other) = arrays.iter().find(|a| a.shape() != first.shape()) {
        return Err(ArrayError::ShapeMismatch {
            op,
            left: first.shape().to_vec(),
            right: other.shape().to_vec(),
        });
    }
    let rank = first.rank().saturating_add(1);
    check_rank(rank)?;
    let axis = axis_of(axis, rank)?;
    let expanded: Vec<Array> = arrays
        .iter()
        .map(|a| a.insert_axis(axis))
        .collect::<Result<_>>()?;
    joined(ctx, op, &expanded, axis, options)
}

/// The array with at least so many axes: new ones of size 1 in front; for three, a vector becomes the middle
/// one and a matrix the first two; `np.atleast_1d`, `np.atleast_2d`, `np.atleast_3d`.
///
/// # Errors
/// None in practice.
pub fn at_least(a: &Array, rank: usize) -> Result<Array> {
    if rank == 3 {
        return match a.rank() {
            0 => a.insert_axis(0)?.insert_axis(0)?.insert_axis(0),
            1 => a.insert_axis(0)?.insert_axis(2),
            2 => a.insert_axis(2),
            _ => Ok(a.clone()),
        };
    }
    let mut found = a.clone();
    while found.rank() < rank {
        found = found.insert_axis(0)?;
    }
    Ok(found)
}

fn raised(arrays: &[Array], rank: usize) -> Result<Vec<Array>> {
    arrays.iter().map(|a| at_least(a, rank)).collect()
}

/// Arrays as rows, one below the other; `np.vstack`.
///
/// # Errors
/// As [`concatenate`].
pub fn vstack(ctx: &Context, arrays: &[Array], options: &JoinOptions<'_>) -> Result<Array> {
    concatenate(ctx, &raised(arrays, 2)?, Some(0), options)
}

/// Arrays beside each other: along the second axis, vectors along their only one; `np.hstack`.
///
/// # Errors
/// As [`concatenate`].
pub fn hstack(ctx: &Context, arrays: &[Array], options: &JoinOptions<'_>) -> Result<Array> {
    let raised = raised(arrays, 1)?;
    let axis = i64::from(raised.first().is_none_or(|a| a.rank() != 1));
    concatenate(ctx, &raised, Some(axis), options)
}

/// Arrays behind each other, along the third axis; `np.dstack`.
///
/// # Errors
/// As [`concatenate`].
pub fn dstack(ctx: &Context, arrays: &[Array], options: &JoinOptions<'_>) -> Result<Array> {
    concatenate(ctx, &raised(arrays, 3)?, Some(2), options)
}

/// Vectors as columns, and matrices beside them; `np.column_stack`.
///
/// # Errors
/// As [`concatenate`].
pub fn column_stack(ctx: &Context, arrays: &[Array], options: &JoinOptions<'_>) -> Result<Array> {
    let columns: Vec<Array> = arrays
        .iter()
        .map(|a| match a.rank() {
            0 => a.insert_axis(0)?.insert_axis(1),
            1 => a.insert_axis(1),
            _ => Ok(a.clone()),
        })
        .collect::<Result<_>>()?;
    concatenate(ctx, &columns, Some(1), options)
}

/// `values` after `a` along an axis, or all elements of both; `np.append`.
///
/// # Errors
/// As [`concatenate`].
pub fn append(ctx: &Context, a: &Array, values: &Array, axis: Option<i64>) -> Result<Array> {
    concatenate(
        ctx,
        &[a.clone(), values.clone()],
        axis,
        &JoinOptions::default(),
    )
}

/// An array over the same memory with another layout; the constructor proves the bounds.
fn view(a: &Array, offset: usize, shape: &[usize], strides: &[isize]) -> Result<Array> {
    layout::element_count(shape)?;
    let mut view = Array::from_parts(
        std::rc::Rc::clone(a.block()),
        offset,
        shape,
        strides,
        a.descr().clone(),
    )?;
    view.writeable = a.writeable;
    Ok(view)
}
