//! Views: other layouts over the same block. None of these copies, except `reshape` where it must.

use std::rc::Rc;

use crate::array::{Array, wrap_index};
use crate::context::{Context, LoopKind, Report};
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::layout;

impl Array {
    /// Another layout made of this array's own elements.
    pub(crate) fn relayout(
        &self,
        offset: usize,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self> {
        Self::from_parts(
            Rc::clone(&self.block),
            offset,
            shape,
            strides,
            self.descr.clone(),
        )
        .map(|view| Self {
            writeable: self.writeable,
            ..view
        })
    }

    /// Another layout over the same block, of any type, from `offset`; `np.ndarray(shape, dtype,
    /// base.data, offset, strides)`. It can be written if this array can.
    ///
    /// # Errors
    /// `OutOfBlock` if a byte of an element lies outside the block; `TooLarge`; `Unsupported` for
    /// host values, which no other layout may cut apart.
    pub fn with_layout(
        &self,
        offset: usize,
        shape: &[usize],
        strides: &[isize],
        descr: impl Into<Descr>,
    ) -> Result<Self> {
        let descr = descr.into();
        if self.descr.has_objects() || descr.has_objects() {
            return Err(ArrayError::Unsupported {
                op: "another layout of the same memory",
                dtype: DType::Object,
            });
        }
        let view = Self::from_parts(Rc::clone(&self.block), offset, shape, strides, descr)?;
        Ok(Self {
            writeable: self.writeable,
            ..view
        })
    }

    /// The array with its elements locked or unlocked; `array.flags.writeable = …`. What is a view
    /// of it already keeps its own flag.
    ///
    /// # Errors
    /// `ReadOnly` if a view of read-only memory is to be unlocked.
    pub fn with_writeable(self, writeable: bool) -> Result<Self> {
        if writeable && !self.writeable && !self.owner {
            return Err(ArrayError::ReadOnly);
        }
        Ok(Self { writeable, ..self })
    }

    /// All items of the block, from the first that starts where one of the elements could.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn block_items(&self) -> Result<Self> {
        let item = self.item_size().max(1);
        let first = self.offset.checked_rem(item).unwrap_or(0);
        let count = self.block.len().saturating_sub(first).checked_div(item);
        let count = count.unwrap_or(0);
        self.relayout(first, &[count], &[item as isize])
    }

    fn size_at(&self, axis: usize) -> Result<usize> {
        let error = ArrayError::NoSuchAxis {
            axis,
            rank: self.rank(),
        };
        self.shape.get(axis).copied().ok_or(error)
    }

    /// `x[…, start:stop:step, …]` on one axis, by Python's rules; steps may be negative.
    ///
    /// # Errors
    /// `ZeroStep`, `NoSuchAxis`.
    pub fn slice(
        &self,
        axis: usize,
        start: Option<i64>,
        stop: Option<i64>,
        step: i64,
    ) -> Result<Self> {
        let size = self.size_at(axis)?;
        let (first, count) = layout::slice_range(start, stop, step, size)?;
        let (mut shape, mut strides) = (self.shape.to_vec(), self.strides.to_vec());
        let mut offset = self.offset;
        let (Some(size), Some(stride)) = (shape.get_mut(axis), strides.get_mut(axis)) else {
            return Err(ArrayError::NoSuchAxis {
                axis,
                rank: self.rank(),
            });
        };
        *size = count;
        if count > 0 && !self.is_empty() {
            offset = offset.wrapping_add_signed((first as isize).wrapping_mul(*stride));
        }
        // A step beyond the axis has one element: its stride isn't used.
        let step = isize::try_from(step)
            .ok()
            .and_then(|s| stride.checked_mul(s));
        *stride = if count > 1 {
            step.ok_or(ArrayError::TooLarge { what: "a stride" })?
        } else {
            *stride
        };
        self.relayout(offset, &shape, &strides)
    }

    /// Every `step`-th window of `size` elements along an axis, a new last axis in each;
    /// `torch.Tensor.unfold`, `np.lib.stride_tricks.sliding_window_view`.
    ///
    /// # Errors
    /// `BadArgument` if there is no window; `ZeroStep`, `NoSuchAxis`.
    pub fn windows(&self, axis: usize, size: usize, step: usize) -> Result<Self> {
        let Some(last) = self.size_at(axis)?.checked_sub(size) else {
            return Err(ArrayError::BadArgument {
                op: "windows",
                why: format!("a window of {size} doesn't fit into the axis"),
            });
        };
        // A step past the axis leads nowhere, however long it is.
        let step = i64::try_from(step).unwrap_or(i64::MAX);
        let end = (last as i64).saturating_add(1);
        let view = self.slice(axis, None, Some(end), step)?;
        let stride = self.strides.get(axis).copied().unwrap_or(1);
        let (shape, strides) = ([view.shape(), &[size]], [view.strides(), &[stride]]);
        self.relayout(view.offset, &shape.concat(), &strides.concat())
    }

    /// `x[…, index, …]`: the axis goes away; `torch.select`.
    ///
    /// # Errors
    /// `IndexOutOfRange`, `NoSuchAxis`.
    pub fn select(&self, axis: usize, index: i64) -> Result<Self> {
        let i = wrap_index(index, self.size_at(axis)?, axis)?;
        let (mut shape, mut strides) = (self.shape.to_vec(), self.strides.to_vec());
        shape.remove(axis);
        let stride = strides.remove(axis);
        let step = if self.is_empty() {
            0
        } else {
            (i as isize).wrapping_mul(stride)
        };
        self.relayout(self.offset.wrapping_add_signed(step), &shape, &strides)
    }

    /// Axes in another order: result axis `i` is axis `order[i]`; `torch.permute`.
    ///
    /// # Errors
    /// `NoSuchAxis`, `RepeatedAxis`; `ShapeMismatch` if an axis is missing.
    pub fn permute(&self, order: &[usize]) -> Result<Self> {
        layout::axis_flags(order, self.rank())?;
        if order.len() != self.rank() {
            return Err(ArrayError::ShapeMismatch {
                op: "permute",
                left: self.shape.to_vec(),
                right: order.to_vec(),
            });
        }
        let shape: Vec<_> = order
            .iter()
            .filter_map(|&a| self.shape.get(a).copied())
            .collect();
        let strides: Vec<_> = order
            .iter()
            .filter_map(|&a| self.strides.get(a).copied())
            .collect();
        self.relayout(self.offset, &shape, &strides)
    }

    /// Moves one axis; the others keep their order; `torch.movedim`.
    ///
    /// # Errors
    /// `NoSuchAxis`.
    pub fn move_axis(&self, from: usize, to: usize) -> Result<Self> {
        layout::check_axis(from, self.rank())?;
        layout::check_axis(to, self.rank())?;
        let mut order: Vec<usize> = (0..self.rank()).filter(|a| *a != from).collect();
        order.insert(to, from);
        self.permute(&order)
    }

    /// Exchanges two axes; `torch.transpose`.
    ///
    /// # Errors
    /// `NoSuchAxis`.
    pub fn transpose(&self, a: usize, b: usize) -> Result<Self> {
        layout::check_axis(a, self.rank())?;
        layout::check_axis(b, self.rank())?;
        let mut order: Vec<usize> = (0..self.rank()).collect();
        order.swap(a, b);
        self.permute(&order)
    }

    /// Adds an axis of size 1 before `axis`, which may be the rank; `torch.unsqueeze`.
    ///
    /// # Errors
    /// `NoSuchAxis`, `RankTooHigh`.
    pub fn insert_axis(&self, axis: usize) -> Result<Self> {
        layout::check_axis(axis, self.rank().saturating_add(1))?;
        let (mut shape, mut strides) = (self.shape.to_vec(), self.strides.to_vec());
        shape.insert(axis, 1);
        strides.insert(axis, 0);
        self.relayout(self.offset, &shape, &strides)
    }

    /// Drops an axis of size 1; `torch.squeeze(x, axis)`, but another size is an error.
    ///
    /// # Errors
    /// `NoSuchAxis`, `NotSizeOne`.
    pub fn drop_axis(&self, axis: usize) -> Result<Self> {
        match self.size_at(axis)? {
            1 => self.select(axis, 0),
            0 => Err(ArrayError::NotSizeOne { axis, size: 0 }),
            size => Err(ArrayError::NotSizeOne { axis, size }),
        }
    }

    /// Drops every axis of size 1; `torch.squeeze(x)`.
    ///
    /// # Errors
    /// None in practice: the layout only shrinks.
    pub fn squeeze(&self) -> Result<Self> {
        let kept = || {
            self.shape
                .iter()
                .zip(self.strides.iter())
                .filter(|(size, _)| **size != 1)
        };
        let shape: Vec<_> = kept().map(|(size, _)| *size).collect();
        let strides: Vec<_> = kept().map(|(_, stride)| *stride).collect();
        self.relayout(self.offset, &shape, &strides)
    }

    /// Stretches axes of size 1 and adds leading ones, with stride 0; `torch.broadcast_to`.
    ///
    /// # Errors
    /// `Broadcast`, `TooLarge`.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Self> {
        let strides = layout::broadcast_strides(&self.shape, &self.strides, shape)?;
        self.relayout(self.offset, shape, &strides)
    }

    /// Stretches one axis of size 1 to `size`; `torch.expand` on one axis.
    ///
    /// # Errors
    /// `NotSizeOne`, `NoSuchAxis`.
    pub fn expand(&self, axis: usize, size: usize) -> Result<Self> {
        let found = self.size_at(axis)?;
        if found != 1 && found != size {
            return Err(ArrayError::NotSizeOne { axis, size: found });
        }
        let mut shape = self.shape.to_vec();
        if let Some(s) = shape.get_mut(axis) {
            *s = size;
        }
        self.broadcast_to(&shape)
    }

    /// The axis backwards; `torch.flip` as a view.
    ///
    /// # Errors
    /// `NoSuchAxis`.
    pub fn flip(&self, axis: usize) -> Result<Self> {
        self.slice(axis, None, None, -1)
    }

    /// The diagonal of two axes as a last axis; `torch.diagonal(x, k, a, b)` as a view.
    ///
    /// # Errors
    /// `NoSuchAxis`, `RepeatedAxis`.
    pub fn diagonal(&self, k: i64, a: usize, b: usize) -> Result<Self> {
        layout::axis_flags(&[a, b], self.rank())?;
        let (rows, columns) = (self.size_at(a)? as i64, self.size_at(b)? as i64);
        let (row, column) = (k.saturating_neg().max(0), k.max(0));
        let left = |size: i64, skipped: i64| size.saturating_sub(skipped).max(0);
        let count = left(rows, row).min(left(columns, column));
        let corner = self
            .slice(a, Some(row), None, 1)?
            .slice(b, Some(column), None, 1)?;
        let strides = [a, b].into_iter().filter_map(|axis| self.strides.get(axis));
        let step = strides.fold(0_isize, |sum, stride| sum.wrapping_add(*stride));
        let keep = |axis: &usize| *axis != a && *axis != b;
        let mut shape: Vec<_> = (0..self.rank())
            .filter(keep)
            .filter_map(|x| self.shape.get(x).copied())
            .collect();
        let mut strides: Vec<_> = (0..self.rank())
            .filter(keep)
            .filter_map(|x| self.strides.get(x).copied())
            .collect();
        shape.push(count as usize);
        strides.push(step);
        self.relayout(corner.offset, &shape, &strides)
    }

    /// The same elements in C order under another shape, if no copy is needed.
    #[must_use]
    pub fn reshape_view(&self, shape: &[usize]) -> Option<Self> {
        if layout::element_count(shape).ok()? != self.len() {
            return None;
        }
        let strides = layout::reshape_strides(&self.shape, &self.strides, shape, self.item_size())?;
        self.relayout(self.offset, shape, &strides).ok()
    }

    /// The same elements in C order under another shape: a view where the layout allows it, else a
    /// copy; `torch.reshape`.
    ///
    /// # Errors
    /// `CountMismatch`, `OutOfMemory`.
    pub fn reshape(&self, ctx: &Context, shape: &[usize]) -> Result<Self> {
        if layout::element_count(shape)? != self.len() {
            return Err(ArrayError::CountMismatch {
                found: self.len(),
                shape: shape.to_vec(),
            });
        }
        if let Some(view) = self.reshape_view(shape) {
            ctx.report(|| Report {
                ops: vec!["reshape"],
                kind: LoopKind::View,
                shape: shape.to_vec(),
                strides: vec![view.strides.to_vec()],
                bytes: 0,
            });
            return Ok(view);
        }
        let copy = self.to_contiguous(ctx)?;
        copy.reshape_view(shape).ok_or(ArrayError::OutOfBlock)
    }

    /// Several neighbouring axes as one; a view where the layout allows it.
    ///
    /// # Errors
    /// `NoSuchAxis`, `OutOfMemory`.
    pub fn merge_axes(&self, ctx: &Context, first: usize, count: usize) -> Result<Self> {
        let end = first.saturating_add(count);
        if end > self.rank() {
            return Err(ArrayError::NoSuchAxis {
                axis: end,
                rank: self.rank(),
            });
        }
        let mut shape = self.shape.to_vec();
        let merged: usize = shape.drain(first..end).fold(1, usize::saturating_mul);
        shape.insert(first, merged);
        self.reshape(ctx, &shape)
    }
}
