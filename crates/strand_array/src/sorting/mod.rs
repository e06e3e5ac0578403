//! Sorting, partitioning and searching, of every dtype and layout.
//!
//! NaNs come last. Complex numbers compare by real part, then by imaginary part; void items field by
//! field in the order of the fields, or as bytes if they have none. Every sort here is stable, as all of
//! NumPy's kinds may be.

mod generic;
mod order;
mod partition;
mod search;
mod sort;

pub use partition::{argpartition, partition};
pub use search::{Side, searchsorted};
pub use sort::{argsort, lexsort, sort};

use crate::array::Array;
use crate::context::Context;
use crate::error::{ArrayError, Result};
use crate::lanes::{axis_of, flat};

/// What is sorted along, and by what.
#[derive(Clone, Debug)]
pub struct SortOptions<'a> {
    /// The axis, counted from the end if negative; `None` sorts all elements as one lane in C order.
    pub axis: Option<i64>,
    /// Names of fields that decide first, of a structured dtype.
    pub order: &'a [&'a str],
}

impl Default for SortOptions<'_> {
    /// Along the last axis.
    fn default() -> Self {
        Self {
            axis: Some(-1),
            order: &[],
        }
    }
}

impl SortOptions<'_> {
    /// The same for positions: a number counts as an axis of one.
    fn apply_flat(&self, ctx: &Context, a: &Array) -> Result<(Array, usize)> {
        match self.axis {
            Some(0 | -1) if a.rank() == 0 => Ok((flat(ctx, a)?, 0)),
            _ => self.apply(ctx, a),
        }
    }

    /// The array as it is sorted, and the axis.
    fn apply(&self, ctx: &Context, a: &Array) -> Result<(Array, usize)> {
        if !self.order.is_empty() {
            order::ItemOrder::new(a.descr(), self.order)?;
        }
        match self.axis {
            Some(axis) => Ok((a.clone(), axis_of(axis, a.rank())?)),
            None => Ok((flat(ctx, a)?, 0)),
        }
    }
}

fn unsupported(op: &'static str, a: &Array) -> ArrayError {
    ArrayError::Unsupported {
        op,
        dtype: a.dtype(),
    }
}

/// Runs an expression with each `$read` bound to a function that reads the element at a byte offset of
/// its array's block, in a form that has an order. All arrays have the same dtype.
macro_rules! by_reader {
    ($op:expr, $array:expr, $order:expr, $read:ident => $body:expr) => {
        $crate::sorting::by_reader!($op, $order, $array, [$read of $array] => $body)
    };
    ($op:expr, $order:expr, $first:expr, [$($read:ident of $array:expr),*] => $body:expr) => {{
        let first: &Array = $first;
        let names: &[&str] = $order;
        if first.dtype() == $crate::DType::Void {
            let order = $crate::sorting::order::ItemOrder::new(first.descr(), names)?;
            let size = first.item_size();
            $(
                let bytes = $array.block().slice::<u8>();
                let $read = |at: usize| $crate::sorting::order::Item {
                    bytes: bytes.get(at..at.saturating_add(size)).unwrap_or_default(),
                    order: &order,
                };
            )*
            $body
        } else {
            if !names.is_empty() {
                $crate::sorting::order::ItemOrder::new(first.descr(), names)?;
            }
            $crate::sorting::order::by_key!(first.dtype(), T => {
                use $crate::sorting::order::Key;
                $(
                    let (bytes, swapped) = ($array.block().slice::<u8>(), $array.descr().is_swapped());
                    let $read = |at: usize| <T as Key>::read(bytes.get(at..).unwrap_or_default(), swapped);
                )*
                $body
            }, else Err($crate::sorting::unsupported($op, first)))
        }
    }};
}
use by_reader;
