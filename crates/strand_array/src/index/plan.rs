//! Reading an index list: which bytes it selects.

use super::IndexItem;
use crate::array::{Array, wrap_index};
use crate::context::Context;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::layout::{broadcast_shapes, element_count, slice_range};
use crate::plan::Domain;
use crate::take::nonzero;

/// An axis of the indexed array that takes its positions from an array.
struct Advanced {
    positions: Array,
    size: usize,
    stride: isize,
    axis: usize,
}

/// Byte positions, and the axes that are walked before and after them.
pub(super) struct Selection {
    /// The shape that the index arrays broadcast to.
    pub(super) shape: Vec<usize>,
    /// One byte position per element of `shape`.
    pub(super) starts: Vec<usize>,
    pub(super) before: Domain,
    pub(super) after: Domain,
    /// Whether only slices, integers and new axes were used.
    pub(super) basic: bool,
}

impl Selection {
    pub(super) fn result_shape(&self) -> Vec<usize> {
        [&self.before.shape, &self.shape, &self.after.shape]
            .into_iter()
            .flatten()
            .copied()
            .collect()
    }
}

/// The state of reading an index list.
struct Reader<'a> {
    array: &'a Array,
    axis: usize,
    offset: isize,
    dims: Vec<(usize, isize)>,
    advanced: Vec<Advanced>,
    /// Number of plain axes read before each advanced item.
    places: Vec<usize>,
    /// Whether something stood between two advanced items.
    apart: bool,
    ended: bool,
}

impl Reader<'_> {
    fn take_axis(&mut self) -> Result<(usize, isize, usize)> {
        let axis = self.axis;
        match (self.array.shape.get(axis), self.array.strides.get(axis)) {
            (Some(&size), Some(&stride)) => {
                self.axis = axis.saturating_add(1);
                Ok((size, stride, axis))
            }
            _ => Err(ArrayError::NoSuchAxis {
                axis,
                rank: self.array.rank(),
            }),
        }
    }

    /// Without elements nothing is reached, and strides may be of any size.
    fn move_by(&mut self, steps: usize, stride: isize) {
        let way = (steps as isize).wrapping_mul(stride);
        self.offset = self.offset.wrapping_add(way);
    }

    fn plain(&mut self, size: usize, stride: isize) {
        self.dims.push((size, stride));
    }

    /// Notes that an item other than an index array was read.
    fn separate(&mut self) {
        self.ended |= !self.advanced.is_empty();
    }

    fn add_advanced(&mut self, item: Advanced) {
        self.apart |= self.ended;
        self.places.push(self.dims.len());
        self.advanced.push(item);
    }
}

fn is_array(item: &IndexItem) -> bool {
    matches!(item, IndexItem::IntArray(_) | IndexItem::BoolArray(_))
}

/// Axes of the array that an item stands for.
fn axes_of(item: &IndexItem) -> usize {
    match item {
        IndexItem::NewAxis | IndexItem::Ellipsis => 0,
        IndexItem::BoolArray(mask) => mask.rank(),
        _ => 1,
    }
}

pub(super) fn plan(ctx: &Context, array: &Array, items: &[IndexItem]) -> Result<Selection> {
    let used: usize = items.iter().map(axes_of).sum();
    let left = array.rank().checked_sub(used);
    let left = left.ok_or(ArrayError::TooManyIndices {
        found: used,
        rank: array.rank(),
    })?;
    let ellipses = items.iter().filter(|i| matches!(i, IndexItem::Ellipsis));
    if ellipses.count() > 1 {
        return Err(ArrayError::BadIndex {
            why: "an index can have one `...` only",
        });
    }
    let with_arrays = items.iter().any(is_array);
    let mut reader = Reader {
        array,
        axis: 0,
        offset: 0,
        dims: vec![],
        advanced: vec![],
        places: vec![],
        apart: false,
        ended: false,
    };
    for item in items {
        read_item(ctx, &mut reader, item, with_arrays, left)?;
    }
    while reader.axis < array.rank() {
        let (size, stride, _) = reader.take_axis()?;
        reader.plain(size, stride);
    }
    finish(ctx, reader)
}

fn read_item(
    ctx: &Context,
    reader: &mut Reader<'_>,
    item: &IndexItem,
    with_arrays: bool,
    left: usize,
) -> Result<()> {
    match item {
        IndexItem::Int(i) => {
            let (size, stride, axis) = reader.take_axis()?;
            let at = wrap_index(*i, size, axis)?;
            if with_arrays {
                let positions = Array::scalar(ctx, crate::Scalar::I64(*i))?;
                reader.add_advanced(Advanced {
                    positions,
                    size,
                    stride,
                    axis,
                });
            } else {
                reader.move_by(at, stride);
            }
        }
        IndexItem::Slice { start, stop, step } => {
            reader.separate();
            let (size, stride, _) = reader.take_axis()?;
            let (first, count) = slice_range(*start, *stop, *step, size)?;
            if count > 0 {
                reader.move_by(first, stride);
            }
            let step = isize::try_from(*step)
                .ok()
                .and_then(|s| stride.checked_mul(s));
            reader.plain(count, if count > 1 { step.unwrap_or(0) } else { stride });
        }
        IndexItem::NewAxis => {
            reader.separate();
            reader.plain(1, 0);
        }
        IndexItem::Ellipsis => {
            reader.separate();
            for _ in 0..left {
                let (size, stride, _) = reader.take_axis()?;
                reader.plain(size, stride);
            }
        }
        IndexItem::IntArray(positions) => {
            if positions.dtype() != DType::I64 {
                return Err(ArrayError::DTypeMismatch {
                    expected: DType::I64,
                    found: positions.dtype(),
                });
            }
            let (size, stride, axis) = reader.take_axis()?;
            reader.add_advanced(Advanced {
                positions: positions.clone(),
                size,
                stride,
                axis,
            });
        }
        IndexItem::BoolArray(mask) => read_mask(ctx, reader, mask)?,
    }
    Ok(())
}

fn read_mask(ctx: &Context, reader: &mut Reader<'_>, mask: &Array) -> Result<()> {
    if mask.dtype() != DType::Bool {
        return Err(ArrayError::DTypeMismatch {
            expected: DType::Bool,
            found: mask.dtype(),
        });
    }
    if mask.rank() == 0 {
        // A mask of rank 0 is a new axis with one position or none.
        let count = usize::from(mask.item()?.to_bool());
        let positions = Array::zeros(ctx, &[count], DType::I64)?;
        reader.add_advanced(Advanced {
            positions,
            size: 1,
            stride: 0,
            axis: reader.axis,
        });
        return Ok(());
    }
    let axes = reader
        .array
        .shape
        .get(reader.axis..reader.axis.saturating_add(mask.rank()))
        .unwrap_or_default();
    if axes != mask.shape() {
        return Err(ArrayError::MaskShape {
            mask: mask.shape().to_vec(),
            axes: axes.to_vec(),
        });
    }
    for positions in nonzero(ctx, mask)? {
        let (size, stride, axis) = reader.take_axis()?;
        reader.add_advanced(Advanced {
            positions,
            size,
            stride,
            axis,
        });
    }
    Ok(())
}

fn finish(ctx: &Context, reader: Reader<'_>) -> Result<Selection> {
    let shape = reader.advanced.iter().try_fold(Vec::new(), |all, item| {
        broadcast_shapes(&all, item.positions.shape())
    })?;
    let count = element_count(&shape)?;
    let first = reader.array.offset.wrapping_add_signed(reader.offset);
    let mut starts = reserve(ctx, count)?;
    starts.resize(count, first);
    for item in &reader.advanced {
        let positions = item.positions.broadcast_to(&shape)?.to_contiguous(ctx)?;
        let positions = positions.as_slice::<i64>().unwrap_or_default();
        check_positions(&item.positions, item)?;
        for (start, &i) in starts.iter_mut().zip(positions) {
            let at = wrap_index(i, item.size, item.axis)? as isize;
            *start = start.wrapping_add_signed(at.wrapping_mul(item.stride));
        }
    }
    let place = if reader.apart {
        0
    } else {
        reader.places.first().copied().unwrap_or(0)
    };
    let (before, after) = reader.dims.split_at(place.min(reader.dims.len()));
    let domain = |dims: &[(usize, isize)]| Domain {
        shape: dims.iter().map(|d| d.0).collect(),
        strides: vec![dims.iter().map(|d| d.1).collect()],
    };
    let basic = reader.advanced.is_empty();
    Ok(Selection {
        shape,
        starts,
        before: domain(before),
        after: domain(after),
        basic,
    })
}

/// Checks positions even if they broadcast to none.
fn check_positions(positions: &Array, item: &Advanced) -> Result<()> {
    positions
        .to_vec_i64()
        .into_iter()
        .try_for_each(|i| wrap_index(i, item.size, item.axis).map(|_| ()))
}

/// An empty vector with room for `count` positions, within the memory limit.
pub(super) fn reserve(ctx: &Context, count: usize) -> Result<Vec<usize>> {
    let bytes = count.saturating_mul(size_of::<usize>());
    let error = ArrayError::OutOfMemory {
        bytes: bytes as u64,
        limit: ctx.limit() as u64,
    };
    if ctx.used().saturating_add(bytes) > ctx.limit() {
        return Err(error);
    }
    let mut positions = Vec::new();
    positions.try_reserve_exact(count).map_err(|_| error)?;
    Ok(positions)
}
