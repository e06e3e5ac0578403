//! Passes over one row that is in the first-level cache, for functions that need several.
//!
//! Each gives the bits of the same operations done one at a time over whole arrays.

use super::fold::{Joins, Max, Sum};
use super::math::Float;
use super::simd::{self, F32x4, F64x2, FloatVector, Vector};
use super::softmax;
use super::vector_math as vector;

/// A floating-point type with its passes.
pub(crate) trait RowFloat: Float {
    type V: FloatVector<T = Self>;
    const MAX: Joins<Self>;
    const SUM: Joins<Self>;
    /// Exponentials over their sum, of each row of `row` elements.
    fn softmax(data: &[Self], out: &mut [Self], row: usize);
    /// `out = exp(row - shift)`, of which none is above 0.
    fn exp_less(row: &[Self], shift: Self, out: &mut [Self]);
    fn widen(row: &[Self], out: &mut [f64]);
    /// `out = (wide - mean) * scale`, rounded.
    fn normalise(wide: &[f64], mean: f64, scale: f64, out: &mut [Self]);
}

impl RowFloat for f32 {
    type V = F32x4;
    const MAX: Joins<Self> = Joins::of::<Max>();
    const SUM: Joins<Self> = Joins::of::<Sum>();

    fn softmax(data: &[Self], out: &mut [Self], row: usize) {
        softmax::softmax(data, out, row);
    }

    fn exp_less(row: &[Self], shift: Self, out: &mut [Self]) {
        let shift = F32x4::splat(shift);
        simd::map(row, out, |x: F32x4| vector::exp_down(x - shift));
    }

    fn widen(row: &[Self], out: &mut [f64]) {
        simd::widen(row, out);
    }

    fn normalise(wide: &[f64], mean: f64, scale: f64, out: &mut [Self]) {
        let (m, s) = (F64x2::splat(mean), F64x2::splat(scale));
        simd::map_narrow(wide, out, |x| (x - m) * s);
    }
}

impl RowFloat for f64 {
    type V = F64x2;
    const MAX: Joins<Self> = Joins::of::<Max>();
    const SUM: Joins<Self> = Joins::of::<Sum>();

    fn softmax(data: &[Self], out: &mut [Self], row: usize) {
        for (row, out) in data.chunks_exact(row).zip(out.chunks_exact_mut(row)) {
            Self::exp_less(row, <Self as RowFloat>::MAX.row(row), out);
            let sum = F64x2::splat(Self::SUM.row(out));
            simd::map_in_place(out, |x: F64x2| x / sum);
        }
    }

    fn exp_less(row: &[Self], shift: Self, out: &mut [Self]) {
        for (o, x) in out.iter_mut().zip(row) {
            *o = (x - shift).exp();
        }
    }

    fn widen(row: &[Self], out: &mut [f64]) {
        out.copy_from_slice(row);
    }

    fn normalise(wide: &[f64], mean: f64, scale: f64, out: &mut [Self]) {
        let (mean, scale) = (F64x2::splat(mean), F64x2::splat(scale));
        simd::map(wide, out, |x: F64x2| (x - mean) * scale);
    }
}

/// The logarithm of a softmax; `room` has a row's length.
pub(crate) fn log_softmax<T: RowFloat>(row: &[T], out: &mut [T], room: &mut [T]) {
    let peak = T::MAX.row(row);
    T::exp_less(row, peak, room);
    let log = T::V::splat(T::SUM.row(room).log());
    let peak = T::V::splat(peak);
    simd::map(row, out, |x: T::V| (x - peak) - log);
}

/// The row less its mean, over its deviation; the rooms have a row's length.
pub(crate) fn layer_norm<T: RowFloat>(
    row: &[T],
    out: &mut [T],
    eps: f64,
    [wide, squares]: [&mut [f64]; 2],
) {
    let count = row.len() as f64;
    T::widen(row, wide);
    let mean = f64::SUM.row(wide) / count;
    let middle = F64x2::splat(mean);
    simd::map(wide, squares, |x: F64x2| {
        let distance = x - middle;
        distance * distance
    });
    let spread = f64::SUM.row(squares) / count;
    T::normalise(wide, mean, 1.0 / (spread + eps).sqrt(), out);
}
