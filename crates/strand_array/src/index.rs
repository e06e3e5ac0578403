//! Indexing with NumPy's meaning.

use std::rc::Rc;

use crate::array::{Array, wrap_index};
use crate::block::Pod;
use crate::context::{Context, LoopKind, Report};
use crate::dtype::{DType, by_width};
use crate::error::{ArrayError, Result};
use crate::kernels::count_set;
use crate::layout::{broadcast_shapes, check_axis, element_count, slice_range};
use crate::plan::Domain;
use crate::take::nonzero;
use crate::walk::Walk;

/// One item of an index list.
#[derive(Clone, Debug)]
pub enum IndexItem {
    /// One position; negative ones count from the end. The axis goes away.
    Int(i64),
    /// `start:stop:step` by Python's rules.
    Slice {
        /// The first position; the end that the step comes from if left out.
        start: Option<i64>,
        /// The position before which it ends.
        stop: Option<i64>,
        /// The step, not 0.
        step: i64,
    },
    /// A new axis of size 1.
    NewAxis,
    /// As many whole axes as are left.
    Ellipsis,
    /// Positions; an i64 array. Index arrays broadcast together.
    IntArray(Array),
    /// Where a mask is true; stands for as many axes as it has.
    BoolArray(Array),
}

/// An axis of the indexed array that takes its positions from an array.
struct Advanced {
    positions: Array,
    size: usize,
    stride: isize,
    axis: usize,
}

/// Byte positions, and the axes that are walked before and after them.
struct Selection {
    /// The shape that the index arrays broadcast to.
    shape: Vec<usize>,
    /// One byte position per element of `shape`.
    starts: Vec<usize>,
    before: Domain,
    after: Domain,
    /// Whether only slices, integers and new axes were used.
    basic: bool,
}

impl Selection {
    fn result_shape(&self) -> Vec<usize> {
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
                self.axis += 1;
                Ok((size, stride, axis))
            }
            _ => Err(ArrayError::NoSuchAxis {
                axis,
                rank: self.array.rank(),
            }),
        }
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

fn plan(ctx: &Context, array: &Array, items: &[IndexItem]) -> Result<Selection> {
    let used: usize = items.iter().map(axes_of).sum();
    if used > array.rank() {
        return Err(ArrayError::TooManyIndices {
            found: used,
            rank: array.rank(),
        });
    }
    if items
        .iter()
        .filter(|i| matches!(i, IndexItem::Ellipsis))
        .count()
        > 1
    {
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
        read_item(ctx, &mut reader, item, with_arrays, array.rank() - used)?;
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
                reader.offset += at as isize * stride;
            }
        }
        IndexItem::Slice { start, stop, step } => {
            reader.separate();
            let (size, stride, _) = reader.take_axis()?;
            let (first, count) = slice_range(*start, *stop, *step, size)?;
            if count > 0 {
                reader.offset += first as isize * stride;
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
        .get(reader.axis..reader.axis + mask.rank())
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
    let first = reader.array.offset as isize + reader.offset;
    let mut starts = reserve(ctx, count)?;
    starts.resize(count, first as usize);
    for item in &reader.advanced {
        let positions = item.positions.broadcast_to(&shape)?.to_contiguous(ctx)?;
        let positions = positions.as_slice::<i64>().unwrap_or_default();
        check_positions(&item.positions, item)?;
        for (start, &i) in starts.iter_mut().zip(positions) {
            *start = start
                .wrapping_add_signed(wrap_index(i, item.size, item.axis)? as isize * item.stride);
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
fn reserve(ctx: &Context, count: usize) -> Result<Vec<usize>> {
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

/// `x[items]`: a view if there are no index arrays, else a copy.
///
/// # Errors
/// `IndexOutOfRange`, `TooManyIndices`, `MaskShape`, `Broadcast` of the index arrays, `ZeroStep`,
/// `BadIndex`, `DTypeMismatch`, `OutOfMemory`.
pub fn index(ctx: &Context, array: &Array, items: &[IndexItem]) -> Result<Array> {
    if let [IndexItem::BoolArray(mask)] = items
        && let Some(chosen) = masked(ctx, array, mask)?
    {
        return Ok(chosen);
    }
    let selection = plan(ctx, array, items)?;
    if selection.basic {
        let (shape, strides) = (&selection.after.shape, selection.after.strides.first());
        let strides = strides.map(Vec::as_slice).unwrap_or_default();
        // Without elements nothing is reachable, so the place of the view doesn't matter.
        let empty = array.is_empty() || shape.contains(&0);
        let first = selection.starts.first().copied().filter(|_| !empty);
        ctx.report(|| report("index", LoopKind::View, &selection, 0));
        return Array::from_parts(
            Rc::clone(&array.block),
            first.unwrap_or(array.offset),
            shape,
            strides,
            array.descr.clone(),
        )
        .map(|view| Array {
            writeable: array.writeable,
            ..view
        });
    }
    gather(ctx, array, &selection, "index")
}

/// The elements where a mask of the same shape is true, if both lie in C order: without positions.
fn masked(ctx: &Context, array: &Array, mask: &Array) -> Result<Option<Array>> {
    if mask.dtype() != DType::Bool || mask.rank() == 0 || mask.shape() != array.shape() {
        return Ok(None);
    }
    let Some(bytes) = mask.as_slice::<u8>() else {
        return Ok(None);
    };
    let count = count_set(bytes);
    let result = by_width!(array.item_size(), T => {
        let Some(elements) = array.as_slice::<T>() else {
            return Ok(None);
        };
        Array::build::<T>(ctx, &[count], array.descr.clone(), |out| {
            // Every element is written to the next free place; one that is chosen keeps it.
            let mut next = 0;
            for (v, set) in elements.iter().zip(bytes) {
                if let Some(o) = out.get_mut(next) {
                    *o = *v;
                }
                next += usize::from(*set != 0);
            }
            Ok(())
        })
    }, else return Ok(None))?;
    ctx.report(|| Report {
        ops: vec!["index"],
        kind: LoopKind::Gather,
        shape: vec![count],
        strides: vec![vec![array.item_size() as isize]],
        bytes: result.block.len(),
    });
    Ok(Some(result))
}

fn report(op: &'static str, kind: LoopKind, selection: &Selection, bytes: usize) -> Report {
    let strides = Domain::join(&[&selection.before, &selection.after]).strides;
    Report {
        ops: vec![op],
        kind,
        shape: selection.result_shape(),
        strides,
        bytes,
    }
}

fn unsupported(op: &'static str, array: &Array) -> ArrayError {
    ArrayError::Unsupported {
        op,
        dtype: array.dtype(),
    }
}

fn gather(ctx: &Context, array: &Array, selection: &Selection, op: &'static str) -> Result<Array> {
    let shape = selection.result_shape();
    let result = by_width!(array.item_size(), T => {
        Array::build::<T>(ctx, &shape, array.descr.clone(), |out| {
            let bytes = array.block.slice::<u8>();
            let data = array.is_aligned().then(|| array.block.slice::<T>());
            let mut rest = out;
            visit_rows(selection, size_of::<T>(), &mut |at, step, n| {
                let (now, later) = std::mem::take(&mut rest).split_at_mut(n);
                read_row(data, bytes, at, step, now);
                rest = later;
            });
            Ok(())
        })
    }, else Err(unsupported(op, array)))?;
    ctx.report(|| report(op, LoopKind::Gather, selection, result.block.len()));
    Ok(result)
}

/// Calls `visit(byte position, byte stride, length)` for each inner row in the result's order.
fn visit_rows(selection: &Selection, item: usize, visit: &mut dyn FnMut(usize, isize, usize)) {
    if selection.before.shape.contains(&0) || selection.after.shape.contains(&0) {
        return;
    }
    let mut after = selection.after.clone();
    after.coalesce();
    let inner = after.split_last();
    let n = inner.shape.first().copied().unwrap_or(1);
    let stride = |d: &Domain| d.strides.first().cloned().unwrap_or_default();
    let step = stride(&inner).first().copied().unwrap_or(item as isize);
    let (outer_strides, before_strides) = (stride(&after), stride(&selection.before));
    let mut before = Walk::new(&selection.before.shape, &before_strides, 0);
    while let Some(lead) = before.next_offset() {
        for start in &selection.starts {
            let start = start.wrapping_add(lead);
            if after.shape.is_empty() {
                visit(start, step, n);
                continue;
            }
            let mut rows = Walk::new(&after.shape, &outer_strides, start);
            while let Some(at) = rows.next_offset() {
                visit(at, step, n);
            }
        }
    }
}

fn read_row<T: Pod>(data: Option<&[T]>, bytes: &[u8], at: usize, step: isize, out: &mut [T]) {
    let item = size_of::<T>();
    match data {
        Some(data) if step == item as isize => {
            let first = at / item;
            if let Some(from) = data.get(first..first + out.len()) {
                out.copy_from_slice(from);
            }
        }
        Some(data) => {
            let mut at = (at / item) as isize;
            for o in out {
                *o = data.get(at as usize).copied().unwrap_or_default();
                at += step / item as isize;
            }
        }
        None => {
            let mut at = at as isize;
            for o in out {
                *o = T::read(bytes.get(at as usize..).unwrap_or_default());
                at += step;
            }
        }
    }
}

/// A copy of `array` in which `x[items] = value`; the value is converted and broadcasts. Where an
/// index occurs twice the last value stays.
///
/// # Errors
/// As [`index`], and `Broadcast` if the value doesn't fit.
pub fn index_set(
    ctx: &Context,
    array: &Array,
    items: &[IndexItem],
    value: &Array,
) -> Result<Array> {
    let mut changed = array.copy(ctx)?;
    let selection = plan(ctx, &changed, items)?;
    let shape = selection.result_shape();
    let mut value = value.cast(ctx, array.dtype())?;
    while value.rank() > shape.len() && value.shape().first() == Some(&1) {
        value = value.drop_axis(0)?;
    }
    let value = value.broadcast_to(&shape)?.to_contiguous(ctx)?;
    by_width!(array.item_size(), T => {
        let mut values = value.as_slice::<T>().unwrap_or_default();
        let block = Rc::get_mut(&mut changed.block);
        let out = block.map(|b| b.slice_mut::<T>()).unwrap_or_default();
        visit_rows(&selection, size_of::<T>(), &mut |at, step, n| {
            let (now, later) = values.split_at(n.min(values.len()));
            values = later;
            let mut at = (at / size_of::<T>()) as isize;
            for v in now {
                if let Some(o) = out.get_mut(at as usize) {
                    *o = *v;
                }
                at += step / size_of::<T>() as isize;
            }
        });
    }, else return Err(unsupported("index_set", array)));
    ctx.report(|| {
        report(
            "index_set",
            LoopKind::Gather,
            &selection,
            changed.block.len(),
        )
    });
    Ok(changed)
}

/// `x[i]` under leading batch axes: `array` is `[B… N rest…]`, `positions` `[B… I…]`, both with
/// `batch_rank` batch axes that broadcast; the result is `[B… I… rest…]`. It is what
/// `torch.vmap` makes of indexing by a batched tensor.
///
/// # Errors
/// `IndexOutOfRange`, `Broadcast`, `NoSuchAxis`, `DTypeMismatch`, `OutOfMemory`.
pub fn take_batched(
    ctx: &Context,
    array: &Array,
    positions: &Array,
    batch_rank: usize,
) -> Result<Array> {
    if positions.dtype() != DType::I64 {
        return Err(ArrayError::DTypeMismatch {
            expected: DType::I64,
            found: positions.dtype(),
        });
    }
    check_axis(batch_rank, array.rank())?;
    check_axis(batch_rank, positions.rank() + 1)?;
    let (array_batch, rest) = array.shape().split_at(batch_rank);
    let (position_batch, index_shape) = positions.shape().split_at(batch_rank);
    let batch = broadcast_shapes(array_batch, position_batch)?;
    let with_batch = |tail: &[usize]| batch.iter().chain(tail).copied().collect::<Vec<_>>();
    let array = array.broadcast_to(&with_batch(rest))?;
    let places = positions
        .broadcast_to(&with_batch(index_shape))?
        .to_contiguous(ctx)?;
    let (size, stride) = (
        array.shape().get(batch_rank),
        array.strides().get(batch_rank),
    );
    let (size, stride) = (size.copied().unwrap_or(0), stride.copied().unwrap_or(0));
    let mut starts = reserve(ctx, places.len())?;
    let mut walk = Walk::new(&batch, &array.strides, array.offset);
    let per_batch: usize = index_shape.iter().product();
    for group in places
        .as_slice::<i64>()
        .unwrap_or_default()
        .chunks(per_batch.max(1))
    {
        let Some(base) = walk.next_offset() else {
            break;
        };
        for &i in group {
            let at = wrap_index(i, size, batch_rank)? as isize * stride;
            starts.push(base.wrapping_add_signed(at));
        }
    }
    let after = Domain {
        shape: array
            .shape()
            .get(batch_rank + 1..)
            .unwrap_or_default()
            .to_vec(),
        strides: vec![
            array
                .strides()
                .get(batch_rank + 1..)
                .unwrap_or_default()
                .to_vec(),
        ],
    };
    let before = Domain {
        shape: vec![],
        strides: vec![vec![]],
    };
    let selection = Selection {
        shape: with_batch(index_shape),
        starts,
        before,
        after,
        basic: false,
    };
    gather(ctx, &array, &selection, "take_batched")
}
