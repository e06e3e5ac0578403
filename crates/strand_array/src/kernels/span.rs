//! Typed runs of elements.

use crate::block::{Block, Pod};
use crate::dtype::{DType, Scalar, Wide};
use crate::error::{ArrayError, Result};

/// Elements to read.
#[derive(Clone, Copy)]
pub(crate) enum Span<'a> {
    Bool(&'a [u8]),
    I64(&'a [i64]),
    F32(&'a [f32]),
    F64(&'a [f64]),
}

/// Elements to write.
pub(crate) enum SpanMut<'a> {
    Bool(&'a mut [u8]),
    I64(&'a mut [i64]),
    F32(&'a mut [f32]),
    F64(&'a mut [f64]),
}

/// A block of scratch elements that stays in the first-level cache.
#[derive(Default)]
pub(crate) enum Reg {
    #[default]
    Empty,
    Bool(Vec<u8>),
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// A memory type with its place in the enums above.
pub(crate) trait Lane: Pod {
    const DTYPE: DType;
    fn span(elements: &[Self]) -> Span<'_>;
    fn of(span: Span<'_>) -> Option<&[Self]>;
    fn of_mut(span: SpanMut<'_>) -> Option<&mut [Self]>;
}

macro_rules! lanes {
    ($($t:ty => $v:ident),*) => {$(
        impl Lane for $t {
            const DTYPE: DType = DType::$v;
            fn span(elements: &[Self]) -> Span<'_> {
                Span::$v(elements)
            }
            fn of(span: Span<'_>) -> Option<&[Self]> {
                if let Span::$v(s) = span { Some(s) } else { None }
            }
            fn of_mut(span: SpanMut<'_>) -> Option<&mut [Self]> {
                if let SpanMut::$v(s) = span { Some(s) } else { None }
            }
        }
    )*};
}
lanes!(u8 => Bool, i64 => I64, f32 => F32, f64 => F64);

impl<'a> Span<'a> {
    pub(crate) fn dtype(self) -> DType {
        match self {
            Self::Bool(_) => DType::Bool,
            Self::I64(_) => DType::I64,
            Self::F32(_) => DType::F32,
            Self::F64(_) => DType::F64,
        }
    }

    /// The elements as `T`, which the caller knows them to be.
    pub(crate) fn get<T: Lane>(self) -> Result<&'a [T]> {
        let found = self.dtype();
        T::of(self).ok_or(ArrayError::DTypeMismatch {
            expected: T::DTYPE,
            found,
        })
    }

    /// `n` elements of a block from element `first`.
    pub(crate) fn of_block(block: &'a Block, dtype: DType, first: usize, n: usize) -> Self {
        fn cut<T: Pod>(block: &Block, first: usize, n: usize) -> &[T] {
            block.slice::<T>().get(first..first + n).unwrap_or_default()
        }
        match dtype.wide() {
            None => Self::Bool(&[]),
            Some(Wide::Bool) => Self::Bool(cut(block, first, n)),
            Some(Wide::I64) => Self::I64(cut(block, first, n)),
            Some(Wide::F32) => Self::F32(cut(block, first, n)),
            Some(Wide::F64) => Self::F64(cut(block, first, n)),
        }
    }
}

impl<'a> SpanMut<'a> {
    /// `n` elements of a block from element `first`, to write.
    pub(crate) fn of_block(block: &'a mut Block, dtype: DType, first: usize, n: usize) -> Self {
        fn cut<T: Pod>(block: &mut Block, first: usize, n: usize) -> &mut [T] {
            block
                .slice_mut::<T>()
                .get_mut(first..first + n)
                .unwrap_or_default()
        }
        match dtype.wide() {
            None => Self::Bool(&mut []),
            Some(Wide::Bool) => Self::Bool(cut(block, first, n)),
            Some(Wide::I64) => Self::I64(cut(block, first, n)),
            Some(Wide::F32) => Self::F32(cut(block, first, n)),
            Some(Wide::F64) => Self::F64(cut(block, first, n)),
        }
    }

    pub(crate) fn dtype(&self) -> DType {
        match self {
            Self::Bool(_) => DType::Bool,
            Self::I64(_) => DType::I64,
            Self::F32(_) => DType::F32,
            Self::F64(_) => DType::F64,
        }
    }

    pub(crate) fn get<T: Lane>(self) -> Result<&'a mut [T]> {
        let found = self.dtype();
        T::of_mut(self).ok_or(ArrayError::DTypeMismatch {
            expected: T::DTYPE,
            found,
        })
    }

    /// The first elements.
    pub(crate) fn part(&mut self, n: usize) -> SpanMut<'_> {
        match self {
            Self::Bool(v) => SpanMut::Bool(cut(v, n)),
            Self::I64(v) => SpanMut::I64(cut(v, n)),
            Self::F32(v) => SpanMut::F32(cut(v, n)),
            Self::F64(v) => SpanMut::F64(cut(v, n)),
        }
    }

    /// Makes every element the first one.
    pub(crate) fn spread(self) {
        fn all<T: Pod>(v: &mut [T]) {
            if let Some(first) = v.first().copied() {
                v.fill(first);
            }
        }
        match self {
            Self::Bool(v) => all(v),
            Self::I64(v) => all(v),
            Self::F32(v) => all(v),
            Self::F64(v) => all(v),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bool(v) => v.len(),
            Self::I64(v) => v.len(),
            Self::F32(v) => v.len(),
            Self::F64(v) => v.len(),
        }
    }

    /// Copies elements of the same type; a single one to every place.
    pub(crate) fn copy_from(self, from: Span<'_>) -> Result<()> {
        fn copy<T: Pod>(to: &mut [T], from: &[T]) {
            match from {
                [one] => to.fill(*one),
                _ if to.len() == from.len() => to.copy_from_slice(from),
                _ => {}
            }
        }
        match self {
            Self::Bool(to) => copy(to, from.get()?),
            Self::I64(to) => copy(to, from.get()?),
            Self::F32(to) => copy(to, from.get()?),
            Self::F64(to) => copy(to, from.get()?),
        }
        Ok(())
    }
}

fn cut<T>(v: &mut [T], n: usize) -> &mut [T] {
    let n = n.min(v.len());
    v.split_at_mut(n).0
}

impl Reg {
    pub(crate) fn new(dtype: DType, len: usize) -> Self {
        match dtype.widened().and_then(DType::wide) {
            None => Self::Empty,
            Some(Wide::Bool) => Self::Bool(vec![0; len]),
            Some(Wide::I64) => Self::I64(vec![0; len]),
            Some(Wide::F32) => Self::F32(vec![0.0; len]),
            Some(Wide::F64) => Self::F64(vec![0.0; len]),
        }
    }

    pub(crate) fn filled(value: Scalar, len: usize) -> Self {
        match value {
            Scalar::Bool(v) => Self::Bool(vec![u8::from(v); len]),
            Scalar::I64(v) => Self::I64(vec![v; len]),
            Scalar::F32(v) => Self::F32(vec![v; len]),
            Scalar::F64(v) => Self::F64(vec![v; len]),
            Scalar::Int(_, v) => Self::I64(vec![v; len]),
            Scalar::Half(_, v) => Self::F32(vec![v; len]),
        }
    }

    pub(crate) fn span(&self, n: usize) -> Span<'_> {
        match self {
            Self::Empty => Span::Bool(&[]),
            Self::Bool(v) => Span::Bool(v.get(..n).unwrap_or(v)),
            Self::I64(v) => Span::I64(v.get(..n).unwrap_or(v)),
            Self::F32(v) => Span::F32(v.get(..n).unwrap_or(v)),
            Self::F64(v) => Span::F64(v.get(..n).unwrap_or(v)),
        }
    }

    pub(crate) fn span_mut(&mut self, n: usize) -> SpanMut<'_> {
        match self {
            Self::Empty => SpanMut::Bool(&mut []),
            Self::Bool(v) => SpanMut::Bool(cut(v, n)),
            Self::I64(v) => SpanMut::I64(cut(v, n)),
            Self::F32(v) => SpanMut::F32(cut(v, n)),
            Self::F64(v) => SpanMut::F64(cut(v, n)),
        }
    }
}
