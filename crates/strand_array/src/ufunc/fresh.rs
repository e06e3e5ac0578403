//! Arrays made for results and copies.

use crate::array::Array;
use crate::assign::copy_into;
use crate::context::Context;
use crate::descr::Descr;
use crate::error::Result;
use crate::found::Found;
use crate::layout;
use crate::plan::k_order;

/// How a fresh array lies in memory; `order=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryOrder {
    /// As the operands do, as far as they agree.
    K,
    /// F if all inputs lie so, else C.
    A,
    /// The last axis varies fastest.
    C,
    /// The first axis varies fastest.
    F,
}

/// The axes of `shape` from the slowest to the fastest of a fresh output.
pub(super) fn axis_order(
    shape: &[usize],
    inputs: &[Array],
    outs: &[Option<Array>],
    mask: Option<&Array>,
    order: MemoryOrder,
) -> Vec<usize> {
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    let all = || inputs.iter().chain(outs.iter().flatten()).chain(mask);
    match order {
        MemoryOrder::C => {}
        MemoryOrder::F => axes.reverse(),
        // Resolved by who knows more of the inputs.
        MemoryOrder::A if !all().all(|a| a.flags().f_contiguous) => {}
        MemoryOrder::A => axes.reverse(),
        MemoryOrder::K => {
            let strides: Vec<Vec<isize>> = all().map(|a| votes(a, shape)).collect();
            k_order(&mut axes, &strides);
        }
    }
    axes
}

/// Strides over the common shape, where broadcast axes and those of size 1 have no say.
fn votes(array: &Array, shape: &[usize]) -> Vec<isize> {
    let mut found = vec![0; shape.len().saturating_sub(array.rank())];
    let axes = array.shape().iter().zip(array.strides());
    found.extend(axes.map(|(&size, &stride)| if size == 1 { 0 } else { stride }));
    found
}

/// An array of zeros whose axes lie in the given order, slowest first.
pub(super) fn zeroed(
    ctx: &Context,
    shape: &[usize],
    axes: &[usize],
    descr: &Descr,
) -> Result<Array> {
    let strides = layout::ordered_strides(shape, axes, descr.size())?;
    Array::with_strides(ctx, shape, &strides, descr)
}

/// A copy in another type that lies in memory as the original does.
pub(super) fn copy(ctx: &Context, array: &Array, descr: &Descr) -> Result<(Array, Found)> {
    let axes = axis_order(
        array.shape(),
        std::slice::from_ref(array),
        &[],
        None,
        MemoryOrder::K,
    );
    let copy = zeroed(ctx, array.shape(), &axes, descr)?;
    let found = copy_into(array, &copy)?;
    Ok((copy, found))
}
