//! `searchsorted`.

use std::cmp::Ordering;

use super::by_reader;
use super::order::Ordered;
use crate::array::Array;
use crate::context::Context;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::lanes::{build_bytes, common_type, native};
use crate::layout::c_strides;
use crate::walk;

/// Which of the places that keep the order is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Before elements that are equal.
    #[default]
    Left,
    /// After them.
    Right,
}

fn why(why: impl Into<String>) -> ArrayError {
    ArrayError::BadArgument {
        op: "searchsorted",
        why: why.into(),
    }
}

/// Where each element of `values` goes into `sorted`, which is in order, or in the order that the
/// positions of `sorter` give it; `np.searchsorted`. The result is `i64` of the shape of `values`.
///
/// Both are compared in the dtype that they promote to.
///
/// # Errors
/// `BadArgument` if `sorted` isn't of rank 1, if `sorter` has another size or a position outside; `BadCall` if
/// it isn't of integers; `Unsupported`, `OutOfMemory`.
pub fn searchsorted(
    ctx: &Context,
    sorted: &Array,
    values: &Array,
    side: Side,
    sorter: Option<&Array>,
) -> Result<Array> {
    let &[size] = sorted.shape() else {
        return Err(why(format!(
            "one axis is searched, but there are {}",
            sorted.rank()
        )));
    };
    let common = common_type(sorted.descr(), values.descr())?;
    let sorter = sorter.map(|s| positions_of(ctx, s, size)).transpose()?;
    let (sorted, values) = (native(ctx, sorted, &common)?, native(ctx, values, &common)?);
    let strides = c_strides(values.shape(), DType::I64.size())?;
    build_bytes(ctx, values.shape(), &strides, DType::I64, |out| {
        by_reader!("searchsorted", &[], &sorted, [of_sorted of sorted, of_value of values] => {
            let stride = sorted.strides().first().copied().unwrap_or(0);
            let at = |i: usize| of_sorted(sorted.offset().wrapping_add_signed((i as isize).wrapping_mul(stride)));
            let mut search = Search::new(size, side);
            let mut out = out.chunks_exact_mut(8);
            let mut done = Ok(());
            walk::offsets(values.shape(), values.strides(), values.offset(), |place| {
                match (search.place(of_value(place), &at, sorter.as_deref()), out.next()) {
                    (Some(found), Some(out)) => (found as i64).store(out, false),
                    _ => done = Err(why("a position of the sorter is out of range")),
                }
            });
            done
        })
    })
}

fn positions_of(ctx: &Context, sorter: &Array, size: usize) -> Result<Vec<i64>> {
    if !(sorter.dtype().is_integer() || sorter.dtype() == DType::Bool) {
        return Err(ArrayError::BadCall {
            op: "searchsorted",
            why: "a sorter has integers".into(),
        });
    }
    if sorter.shape() != [size] {
        return Err(why("the sorter isn't as long as the searched array"));
    }
    native(ctx, sorter, &DType::I64.into())?.to_vec::<i64>()
}

/// A binary search that begins where the last one ended, if the values rise.
struct Search<T> {
    size: usize,
    before: fn(Ordering) -> bool,
    low: usize,
    high: usize,
    last: Option<T>,
}

impl<T: Ordered> Search<T> {
    fn new(size: usize, side: Side) -> Self {
        Self {
            size,
            before: match side {
                Side::Left => Ordering::is_lt,
                Side::Right => Ordering::is_le,
            },
            low: 0,
            high: size,
            last: None,
        }
    }

    fn place(
        &mut self,
        value: T,
        at: &impl Fn(usize) -> T,
        sorter: Option<&[i64]>,
    ) -> Option<usize> {
        let last = self.last.replace(value).unwrap_or(value);
        if (self.before)(last.order(value)) {
            self.high = self.size;
        } else {
            self.low = 0;
            self.high = self.high.saturating_add(1).min(self.size);
        }
        while self.low < self.high {
            let middle = self.low.midpoint(self.high);
            let place = match sorter {
                Some(sorter) => {
                    let place = usize::try_from(*sorter.get(middle)?).ok()?;
                    (place < self.size).then_some(place)?
                }
                None => middle,
            };
            if (self.before)(at(place).order(value)) {
                self.low = middle.saturating_add(1);
            } else {
                self.high = middle;
            }
        }
        Some(self.low)
    }
}
