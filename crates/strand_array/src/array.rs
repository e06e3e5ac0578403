//! The array: a block, an offset, a shape and byte strides.

use std::rc::Rc;

use crate::block::{Block, Pod};
use crate::context::Context;
use crate::descr::Descr;
use crate::dtype::{DType, Element, Scalar, Wide, by_repr};
use crate::error::{ArrayError, Result};
use crate::half;
use crate::layout;
use crate::narrow;

/// A strided n-dimensional array. Cloning shares the memory. The language's operations make new
/// arrays; what writes in place, as NumPy does, says so: [`assign`](crate::assign), `out` arguments,
/// [`indexing::set`](crate::indexing::set), [`Array::set_element`].
#[derive(Clone)]
pub struct Array {
    pub(crate) block: Rc<Block>,
    pub(crate) offset: usize,
    /// Shared with arrays of the same layout: results have mostly that of an operand.
    pub(crate) shape: Rc<[usize]>,
    pub(crate) strides: Rc<[isize]>,
    pub(crate) descr: Descr,
    /// Whether elements may be written through this array; its views inherit it.
    pub(crate) writeable: bool,
    /// Whether it was made with its block, and isn't a view of another array.
    pub(crate) owner: bool,
}

/// Properties of a layout, by NumPy's definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    /// Elements follow each other in C order.
    pub c_contiguous: bool,
    /// Elements follow each other in Fortran order.
    pub f_contiguous: bool,
    /// Every element lies at a multiple of its type's alignment.
    pub aligned: bool,
    /// Elements may be written through the array.
    pub writeable: bool,
    /// The array was made with its block; a view wasn't.
    pub owndata: bool,
}

impl Array {
    /// An array over part of a block: every layout is made here. Fails if any reachable byte lies
    /// outside the block.
    pub(crate) fn from_parts(
        block: Rc<Block>,
        offset: usize,
        shape: &[usize],
        strides: &[isize],
        descr: impl Into<Descr>,
    ) -> Result<Self> {
        let descr = descr.into();
        layout::element_count(shape)?;
        if shape.len() != strides.len() {
            return Err(ArrayError::BadIndex {
                why: "a shape and its strides differ in length",
            });
        }
        if !layout::in_bounds(block.len(), offset, shape, strides, descr.size()) {
            return Err(ArrayError::OutOfBlock);
        }
        // Other bytes than the handles that were put there must never be read as handles.
        if descr.has_objects() && !block.holds_objects() {
            return Err(ArrayError::BadDescr {
                why: "host values live in arrays that were made for them".into(),
            });
        }
        Ok(Self {
            block,
            offset,
            shape: shape.into(),
            strides: strides.into(),
            descr,
            writeable: true,
            owner: false,
        })
    }

    /// A C-contiguous array over a fresh block.
    pub(crate) fn from_block(
        block: Block,
        shape: &[usize],
        descr: impl Into<Descr>,
    ) -> Result<Self> {
        let descr = descr.into();
        let strides = layout::c_strides(shape, descr.size())?;
        let array = Self::from_parts(Rc::new(block), 0, shape, &strides, descr)?;
        Ok(array.owning())
    }

    /// An array over a fresh block with the layout of another, which lies in C order and has no
    /// fewer bytes to an element: its layout was checked, and the block is as long as it reaches.
    pub(crate) fn like(block: Block, other: &Self) -> Self {
        debug_assert!(other.flags().c_contiguous && block.len() >= other.len() * other.item_size());
        Self {
            block: Rc::new(block),
            offset: 0,
            shape: other.shape.clone(),
            strides: other.strides.clone(),
            descr: other.descr.clone(),
            writeable: true,
            owner: true,
        }
    }

    /// Bytes of a C-contiguous array, checked.
    pub(crate) fn byte_count(shape: &[usize], item: usize) -> Result<usize> {
        let count = layout::element_count(shape)?;
        count.checked_mul(item).ok_or(ArrayError::TooLarge {
            what: "the number of bytes",
        })
    }

    /// A C-contiguous array whose elements `fill` writes, all of them.
    pub(crate) fn build<T: Pod>(
        ctx: &Context,
        shape: &[usize],
        descr: impl Into<Descr>,
        fill: impl FnOnce(&mut [T]) -> Result<()>,
    ) -> Result<Self> {
        let mut fill = Some(fill);
        Self::build_filled(ctx, shape, descr.into(), &mut |block| match fill.take() {
            Some(fill) => fill(block.slice_mut::<T>()),
            None => Ok(()),
        })
    }

    /// What [`Self::build`] does for every type and every filler, compiled once.
    fn build_filled(
        ctx: &Context,
        shape: &[usize],
        descr: Descr,
        fill: &mut dyn FnMut(&mut Block) -> Result<()>,
    ) -> Result<Self> {
        let mut block = ctx.block(Self::byte_count(shape, descr.size())?)?;
        fill(&mut block)?;
        Self::from_block(block, shape, descr)
    }

    /// A C-contiguous array of the given elements; `np.array(data).reshape(shape)`.
    ///
    /// # Errors
    /// `CountMismatch` if the elements don't fill the shape; `OutOfMemory`.
    pub fn from_slice<T: Element>(ctx: &Context, data: &[T], shape: &[usize]) -> Result<Self> {
        if layout::element_count(shape)? != data.len() {
            return Err(ArrayError::CountMismatch {
                found: data.len(),
                shape: shape.to_vec(),
            });
        }
        Self::build::<T::Repr>(ctx, shape, T::DTYPE, |out| {
            for (to, from) in out.iter_mut().zip(data) {
                *to = from.to_repr();
            }
            Ok(())
        })
    }

    /// An array over a copy of `bytes` as its block, with any offset and byte strides;
    /// `np.ndarray(shape, dtype, bytearray(bytes), offset, strides)`.
    ///
    /// # Errors
    /// `OutOfBlock` if a byte of an element lies outside the block; `TooLarge`, `OutOfMemory`.
    pub fn from_bytes(
        ctx: &Context,
        bytes: &[u8],
        offset: usize,
        shape: &[usize],
        strides: &[isize],
        descr: impl Into<Descr>,
    ) -> Result<Self> {
        let mut block = ctx.block(bytes.len())?;
        block.slice_mut::<u8>().copy_from_slice(bytes);
        Self::from_parts(Rc::new(block), offset, shape, strides, descr).map(Self::owning)
    }

    /// A copy of all bytes of the block that the elements lie in.
    #[must_use]
    pub fn block_bytes(&self) -> Vec<u8> {
        self.block.slice::<u8>().to_vec()
    }

    /// A rank-1 array of the given elements.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn from_vec<T: Element>(ctx: &Context, data: Vec<T>) -> Result<Self> {
        Self::from_slice(ctx, &data, &[data.len()])
    }

    /// A rank-0 array.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn scalar(ctx: &Context, value: Scalar) -> Result<Self> {
        Self::full(ctx, &[], value)
    }

    /// An array of one value; `torch.full`.
    ///
    /// # Errors
    /// `OutOfMemory`, `TooLarge`.
    pub fn full(ctx: &Context, shape: &[usize], value: Scalar) -> Result<Self> {
        match value {
            Scalar::Bool(v) => Self::fill(ctx, shape, DType::Bool, u8::from(v)),
            Scalar::I64(v) => Self::fill(ctx, shape, DType::I64, v),
            Scalar::F32(v) => Self::fill(ctx, shape, DType::F32, v),
            Scalar::F64(v) => Self::fill(ctx, shape, DType::F64, v),
            Scalar::Int(dtype, v) => Self::fill(ctx, shape, DType::I64, v)?.cast(ctx, dtype),
            Scalar::Half(dtype, v) => Self::fill(ctx, shape, DType::F32, v)?.cast(ctx, dtype),
        }
    }

    fn fill<T: Pod>(ctx: &Context, shape: &[usize], dtype: DType, value: T) -> Result<Self> {
        Self::build::<T>(ctx, shape, dtype, |out| {
            out.fill(value);
            Ok(())
        })
    }

    /// An array of zeros.
    ///
    /// # Errors
    /// `OutOfMemory`, `TooLarge`.
    pub fn zeros(ctx: &Context, shape: &[usize], dtype: DType) -> Result<Self> {
        let mut block = ctx.block(Self::byte_count(shape, dtype.size())?)?;
        block.slice_mut::<u8>().fill(0);
        Self::from_block(block, shape, dtype)
    }

    /// An array of ones.
    ///
    /// # Errors
    /// `Unsupported` for the dtype; `OutOfMemory`, `TooLarge`.
    pub fn ones(ctx: &Context, shape: &[usize], dtype: DType) -> Result<Self> {
        if dtype.widened().is_none() {
            return Err(ArrayError::Unsupported { op: "ones", dtype });
        }
        Self::full(ctx, shape, Scalar::I64(1).cast(dtype))
    }

    /// `start, start + step, …` up to `stop`, which is left out; `torch.arange` on integers.
    ///
    /// # Errors
    /// `BadArgument` if the step is 0; `OutOfMemory`, `TooLarge`.
    pub fn arange(ctx: &Context, start: i64, stop: i64, step: i64) -> Result<Self> {
        if step == 0 {
            return Err(ArrayError::BadArgument {
                op: "arange",
                why: "the step is 0".into(),
            });
        }
        let count = if start == stop || (start < stop) != (step > 0) {
            0
        } else {
            (start.abs_diff(stop) - 1) / step.unsigned_abs() + 1
        };
        let count =
            usize::try_from(count).map_err(|_| ArrayError::TooLarge { what: "the range" })?;
        Self::build::<i64>(ctx, &[count], DType::I64, |out| {
            for (i, to) in out.iter_mut().enumerate() {
                *to = start.wrapping_add((i as i64).wrapping_mul(step));
            }
            Ok(())
        })
    }

    /// `start + i * step` below `stop`, in `dtype`; `torch.arange` on floats.
    ///
    /// # Errors
    /// `BadArgument` if the step is 0 or a bound isn't finite; `OutOfMemory`, `TooLarge`.
    pub fn arange_float(
        ctx: &Context,
        start: f64,
        stop: f64,
        step: f64,
        dtype: DType,
    ) -> Result<Self> {
        let why = |text: &str| ArrayError::BadArgument {
            op: "arange",
            why: text.into(),
        };
        if step == 0.0 {
            return Err(why("the step is 0"));
        }
        if !(start.is_finite() && stop.is_finite() && step.is_finite()) {
            return Err(why("the bounds and the step must be finite"));
        }
        let count = ((stop - start) / step).ceil().max(0.0);
        if count > crate::MAX_BYTES as f64 {
            return Err(ArrayError::TooLarge { what: "the range" });
        }
        Self::generate(ctx, count as usize, dtype, |i| start + i as f64 * step)
    }

    /// `count` values from `start` to `stop`, both included; `torch.linspace`.
    ///
    /// # Errors
    /// `OutOfMemory`, `TooLarge`.
    pub fn linspace(
        ctx: &Context,
        start: f64,
        stop: f64,
        count: usize,
        dtype: DType,
    ) -> Result<Self> {
        match dtype {
            DType::F32 => {
                let (a, b) = (start as f32, stop as f32);
                let step = (b - a) / (count.max(2) - 1) as f32;
                // From both ends, as PyTorch does, so that the last value is exact.
                Self::build::<f32>(ctx, &[count], dtype, |out| {
                    for (i, to) in out.iter_mut().enumerate() {
                        let low = i < count / 2 || count == 1;
                        *to = if low {
                            a + step * i as f32
                        } else {
                            b - step * (count - 1 - i) as f32
                        };
                    }
                    Ok(())
                })
            }
            _ => {
                let step = (stop - start) / (count.max(2) - 1) as f64;
                Self::generate(ctx, count, dtype, |i| {
                    let low = i < count / 2 || count == 1;
                    if low {
                        start + step * i as f64
                    } else {
                        stop - step * (count - 1 - i) as f64
                    }
                })
            }
        }
    }

    fn generate(
        ctx: &Context,
        count: usize,
        dtype: DType,
        value: impl Fn(usize) -> f64,
    ) -> Result<Self> {
        macro_rules! write {
            ($t:ty, $convert:expr) => {
                Self::build::<$t>(ctx, &[count], dtype, |out| {
                    for (i, to) in out.iter_mut().enumerate() {
                        *to = $convert(value(i));
                    }
                    Ok(())
                })
            };
        }
        match dtype {
            DType::Bool => write!(u8, |v: f64| u8::from(v != 0.0)),
            DType::I64 => write!(i64, crate::dtype::float_to_i64),
            DType::F32 => write!(f32, |v: f64| v as f32),
            DType::F64 => write!(f64, |v: f64| v),
            _ => match dtype.widened() {
                Some(wide) => Self::generate(ctx, count, wide, value)?.cast(ctx, dtype),
                None => Err(ArrayError::Unsupported {
                    op: "arange",
                    dtype,
                }),
            },
        }
    }

    /// Sizes of the axes.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Byte strides of the axes.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Byte offset of the first element in its block.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The kind of the elements.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.descr.dtype()
    }

    /// The full type of the elements; `array.dtype`.
    #[must_use]
    pub fn descr(&self) -> &Descr {
        &self.descr
    }

    /// Bytes per element; `array.itemsize`.
    #[must_use]
    pub fn item_size(&self) -> usize {
        self.descr.size()
    }

    /// The type that expressions are computed in, if the elements can be read as it.
    pub(crate) fn wide(&self, op: &'static str) -> Result<Wide> {
        self.descr.wide().ok_or(ArrayError::Unsupported {
            op,
            dtype: self.dtype(),
        })
    }

    /// The array as the owner of its block.
    pub(crate) fn owning(mut self) -> Self {
        self.owner = true;
        self
    }

    /// The array, as the owner of its block if no other array lies there and it shows every
    /// element: a result that was moved into shape isn't a view of anything.
    #[must_use]
    pub fn or_owner(mut self) -> Self {
        let shown = self.len().checked_mul(self.item_size());
        self.owner |= Rc::strong_count(&self.block) == 1 && shown == Some(self.block.len());
        self
    }

    /// The number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        // The constructor has checked that the product fits.
        if self.shape.contains(&0) {
            0
        } else {
            self.shape.iter().product()
        }
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// The block that the elements lie in.
    #[must_use]
    pub fn block(&self) -> &Rc<Block> {
        &self.block
    }

    /// Whether both are views of one block.
    #[must_use]
    pub fn shares_block(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.block, &other.block)
    }

    /// Contiguity and alignment, computed from the layout.
    #[must_use]
    pub fn flags(&self) -> Flags {
        let item = self.descr.size();
        Flags {
            c_contiguous: layout::is_c_contiguous(&self.shape, &self.strides, item),
            f_contiguous: layout::is_f_contiguous(&self.shape, &self.strides, item),
            aligned: self.lies_on_grid(self.descr.alignment()),
            writeable: self.writeable && !self.block.is_locked(),
            owndata: self.owner,
        }
    }

    /// Whether the elements of the block, taken as a slice, are the array's.
    pub(crate) fn is_aligned(&self) -> bool {
        self.lies_on_grid(self.descr.size())
    }

    /// Whether every element begins at a multiple of `grain` bytes.
    fn lies_on_grid(&self, grain: usize) -> bool {
        let grain = grain.max(1);
        let on_grid =
            |(&size, &stride): (&usize, &isize)| size <= 1 || stride % grain as isize == 0;
        self.is_empty()
            || self.offset.is_multiple_of(grain)
                && self.shape.iter().zip(self.strides.iter()).all(on_grid)
    }

    /// The elements in C order, without copying, if they lie so.
    pub(crate) fn as_slice<T: Pod>(&self) -> Option<&[T]> {
        let item = size_of::<T>();
        let contiguous = layout::is_c_contiguous(&self.shape, &self.strides, item);
        if item != self.descr.size() || !contiguous || !self.offset.is_multiple_of(item) {
            return None;
        }
        let first = self.offset / item;
        self.block.slice::<T>().get(first..first + self.len())
    }

    /// One element; negative indices count from the end.
    ///
    /// # Errors
    /// `IndexOutOfRange`; `TooManyIndices` if there isn't one index per axis.
    pub fn get(&self, index: &[i64]) -> Result<Scalar> {
        if index.len() != self.rank() {
            return Err(ArrayError::TooManyIndices {
                found: index.len(),
                rank: self.rank(),
            });
        }
        let mut at = self.offset as isize;
        for (axis, ((&i, &size), &stride)) in index
            .iter()
            .zip(self.shape.iter())
            .zip(self.strides.iter())
            .enumerate()
        {
            at += wrap_index(i, size, axis)? as isize * stride;
        }
        self.scalar_at(at)
    }

    /// The only element of an array with one; `tensor.item()`.
    ///
    /// # Errors
    /// `CountMismatch` if there isn't exactly one element.
    pub fn item(&self) -> Result<Scalar> {
        if self.len() != 1 {
            return Err(ArrayError::CountMismatch {
                found: self.len(),
                shape: vec![],
            });
        }
        self.scalar_at(self.offset as isize)
    }

    fn scalar_at(&self, at: isize) -> Result<Scalar> {
        let bytes = usize::try_from(at)
            .ok()
            .and_then(|at| self.block.slice::<u8>().get(at..));
        let bytes = bytes.ok_or(ArrayError::OutOfBlock)?;
        read_scalar(self.dtype(), bytes)
            .filter(|_| !self.descr.is_swapped())
            .ok_or(ArrayError::Unsupported {
                op: "item",
                dtype: self.dtype(),
            })
    }

    /// Visits the elements of a narrower type in C order.
    fn each_scalar(&self, visit: &mut dyn FnMut(Scalar)) {
        let bytes = self.block.slice::<u8>();
        crate::walk::offsets(&self.shape, &self.strides, self.offset, |at| {
            if let Some(value) = read_scalar(self.dtype(), bytes.get(at..).unwrap_or_default()) {
                visit(value);
            }
        });
    }

    /// The elements in C order, as their own type.
    ///
    /// # Errors
    /// `DTypeMismatch` if `T` isn't the array's type.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        if self.dtype() != T::DTYPE {
            return Err(ArrayError::DTypeMismatch {
                expected: T::DTYPE,
                found: self.dtype(),
            });
        }
        let mut found = Vec::new();
        self.each::<T::Repr>(&mut |v| found.push(T::from_repr(v)));
        Ok(found)
    }

    /// The elements in C order, converted.
    #[must_use]
    pub fn to_vec_f64(&self) -> Vec<f64> {
        let mut found = Vec::new();
        match self.descr.wide() {
            None => self.each_scalar(&mut |v| found.push(v.to_f64())),
            Some(Wide::Bool) => self.each::<u8>(&mut |v| found.push(f64::from(u8::from(v != 0)))),
            Some(Wide::I64) => self.each::<i64>(&mut |v| found.push(v as f64)),
            Some(Wide::F32) => self.each::<f32>(&mut |v| found.push(f64::from(v))),
            Some(Wide::F64) => self.each::<f64>(&mut |v| found.push(v)),
        }
        found
    }

    /// The elements in C order, converted as [`Scalar::to_i64`] does.
    #[must_use]
    pub fn to_vec_i64(&self) -> Vec<i64> {
        let mut found = Vec::new();
        match self.descr.wide() {
            Some(Wide::I64) => self.each::<i64>(&mut |v| found.push(v)),
            _ => found.extend(
                self.to_vec_f64()
                    .into_iter()
                    .map(crate::dtype::float_to_i64),
            ),
        }
        found
    }

    /// The elements in C order, true where they aren't zero.
    #[must_use]
    pub fn to_vec_bool(&self) -> Vec<bool> {
        let mut found = Vec::new();
        match self.descr.wide() {
            Some(wide) => {
                by_repr!(wide, T => self.each::<T>(&mut |v| found.push(v != T::default())));
            }
            None => self.each_scalar(&mut |v| found.push(v.to_bool())),
        }
        found
    }

    pub(crate) fn each<T: Pod>(&self, visit: &mut dyn FnMut(T)) {
        if let Some(slice) = self.as_slice::<T>() {
            slice.iter().for_each(|v| visit(*v));
        } else {
            let bytes = self.block.slice::<u8>();
            crate::walk::offsets(&self.shape, &self.strides, self.offset, |at| {
                visit(T::read(bytes.get(at..).unwrap_or_default()));
            });
        }
    }
}

/// The element that the bytes begin with.
fn read_scalar(dtype: DType, bytes: &[u8]) -> Option<Scalar> {
    Some(match dtype {
        DType::Bool => Scalar::Bool(u8::read(bytes) != 0),
        DType::I64 => Scalar::I64(i64::read(bytes)),
        DType::F32 => Scalar::F32(f32::read(bytes)),
        DType::F64 => Scalar::F64(f64::read(bytes)),
        DType::F16 => Scalar::Half(dtype, half::f16_to_f32(u16::read(bytes))),
        DType::BF16 => Scalar::Half(dtype, half::bf16_to_f32(u16::read(bytes))),
        _ if dtype.is_integer() && dtype.widened().is_some() => {
            let low = match dtype.size() {
                1 => i64::from(u8::read(bytes)),
                2 => i64::from(u16::read(bytes)),
                _ => i64::from(f32::read(bytes).to_bits()),
            };
            Scalar::Int(dtype, narrow::wrap(dtype, low))
        }
        _ => return None,
    })
}

/// Turns an index that may be negative into a position, or an error that names axis and size.
pub(crate) fn wrap_index(index: i64, size: usize, axis: usize) -> Result<usize> {
    let wrapped = if index < 0 {
        index.checked_add(size as i64)
    } else {
        Some(index)
    };
    match wrapped.map(usize::try_from) {
        Some(Ok(i)) if i < size => Ok(i),
        _ => Err(ArrayError::IndexOutOfRange { index, size, axis }),
    }
}

impl std::fmt::Debug for Array {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Array")
            .field("dtype", &self.descr)
            .field("shape", &self.shape)
            .field("strides", &self.strides)
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryOp, IndexItem, ReduceOp, binary, index, index_set, matmul, reduce, sort};

    /// The same elements, each one byte off its grid.
    fn shifted(ctx: &Context, array: &Array) -> Array {
        let values = array.to_vec::<f32>().unwrap();
        let mut block = ctx.block(values.len() * 4 + 1).unwrap();
        for (i, v) in values.iter().enumerate() {
            block.slice_mut::<u8>()[1 + 4 * i..5 + 4 * i].copy_from_slice(&v.to_ne_bytes());
        }
        let strides = layout::c_strides(array.shape(), 4).unwrap();
        Array::from_parts(Rc::new(block), 1, array.shape(), &strides, DType::F32).unwrap()
    }

    #[test]
    fn unaligned_arrays_work_everywhere() {
        let ctx = Context::default();
        let (rows, columns) = if cfg!(miri) { (4, 9) } else { (20, 30) };
        let values: Vec<f32> = (0..rows * columns)
            .map(|i| ((i * 37) % 101) as f32 - 50.0)
            .collect();
        let x = Array::from_slice(&ctx, &values, &[rows, columns]).unwrap();
        let y = shifted(&ctx, &x);
        assert!(!y.flags().aligned && y.flags().c_contiguous);
        let same = |a: Result<Array>, b: Result<Array>| {
            assert_eq!(a.unwrap().to_vec_f64(), b.unwrap().to_vec_f64())
        };
        same(Ok(x.clone()), Ok(y.clone()));
        same(
            binary(&ctx, BinaryOp::Mul, &x, &x),
            binary(&ctx, BinaryOp::Mul, &y, &y),
        );
        same(
            x.transpose(0, 1).unwrap().copy(&ctx),
            y.transpose(0, 1).unwrap().copy(&ctx),
        );
        for axis in [0, 1] {
            same(
                reduce(&ctx, ReduceOp::Sum, &x, &[axis], false),
                reduce(&ctx, ReduceOp::Sum, &y, &[axis], false),
            );
            same(sort(&ctx, &x, axis, true), sort(&ctx, &y, axis, true));
        }
        same(
            matmul(&ctx, &x, &x.transpose(0, 1).unwrap()),
            matmul(&ctx, &y, &y.transpose(0, 1).unwrap()),
        );
        let places = IndexItem::IntArray(Array::from_vec(&ctx, vec![3_i64, -1, 0]).unwrap());
        for items in [vec![places.clone()], vec![IndexItem::Ellipsis, places]] {
            same(index(&ctx, &x, &items), index(&ctx, &y, &items));
            let zero = Array::scalar(&ctx, Scalar::F32(0.0)).unwrap();
            same(
                index_set(&ctx, &x, &items, &zero),
                index_set(&ctx, &y, &items, &zero),
            );
        }
        assert_eq!(x.get(&[3, -2]).unwrap(), y.get(&[3, -2]).unwrap());
    }

    #[test]
    fn a_layout_outside_its_block_is_refused() {
        let ctx = Context::default();
        let x = Array::zeros(&ctx, &[4], DType::F32).unwrap();
        let make = |offset, shape: &[usize], strides: &[isize]| {
            Array::from_parts(Rc::clone(&x.block), offset, shape, strides, DType::F32)
        };
        assert!(make(0, &[4], &[4]).is_ok());
        assert!(make(12, &[4], &[-4]).is_ok());
        for (offset, shape, strides) in [
            (0, vec![5], vec![4]),
            (1, vec![4], vec![4]),
            (8, vec![4], vec![-4]),
            (0, vec![2, 2], vec![8, 8]),
            (17, vec![0], vec![4]),
            (0, vec![usize::MAX], vec![isize::MAX]),
            (usize::MAX, vec![1], vec![1]),
        ] {
            assert!(
                make(offset, &shape, &strides).is_err(),
                "{offset} {shape:?} {strides:?}"
            );
        }
    }
}
