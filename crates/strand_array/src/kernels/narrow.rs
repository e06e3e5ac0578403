//! Loading, storing and rounding of types that are computed in a wider one.

use super::span::{Span, SpanMut};
use crate::block::Pod;
use crate::dtype::DType;
use crate::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use crate::narrow::{round_half, unused_bits};

/// Elements as they lie in memory, by their size.
pub(crate) enum Raw<'a> {
    One(&'a [u8]),
    Two(&'a [u16]),
    Four(&'a [f32]),
}

fn map<A: Copy, R>(a: &[A], out: &mut [R], f: impl Fn(A) -> R) {
    for (o, x) in out.iter_mut().zip(a) {
        *o = f(*x);
    }
}

/// `out = a`, whose elements are of `dtype`.
pub(crate) fn widen(dtype: DType, a: Raw<'_>, out: SpanMut<'_>) {
    match (a, out, dtype) {
        (Raw::One(a), SpanMut::I64(out), DType::I8) => map(a, out, |x| i64::from(x as i8)),
        (Raw::One(a), SpanMut::I64(out), _) => map(a, out, i64::from),
        (Raw::Two(a), SpanMut::I64(out), DType::I16) => map(a, out, |x| i64::from(x as i16)),
        (Raw::Two(a), SpanMut::I64(out), _) => map(a, out, i64::from),
        (Raw::Four(a), SpanMut::I64(out), DType::I32) => {
            map(a, out, |x| i64::from(x.to_bits() as i32));
        }
        (Raw::Four(a), SpanMut::I64(out), _) => map(a, out, |x| i64::from(x.to_bits())),
        (Raw::Two(a), SpanMut::F32(out), DType::F16) => map(a, out, f16_to_f32),
        (Raw::Two(a), SpanMut::F32(out), _) => map(a, out, bf16_to_f32),
        _ => {}
    }
}

/// Writes values that `dtype` has into `out`, memory of that type.
pub(crate) fn store(dtype: DType, a: Span<'_>, out: &mut [u8]) {
    match (a, dtype) {
        (Span::I64(a), _) => match dtype.size() {
            1 => map(a, out, |x| x as u8),
            2 => write(a, out, |x| (x as u16).to_ne_bytes()),
            _ => write(a, out, |x| (x as u32).to_ne_bytes()),
        },
        (Span::F32(a), DType::F16) => write(a, out, |x| f32_to_f16(x).to_ne_bytes()),
        (Span::F32(a), _) => write(a, out, |x| f32_to_bf16(x).to_ne_bytes()),
        _ => {}
    }
}

fn write<A: Pod, const N: usize>(a: &[A], out: &mut [u8], f: impl Fn(A) -> [u8; N]) {
    for (o, x) in out.chunks_exact_mut(N).zip(a) {
        o.copy_from_slice(&f(*x));
    }
}

/// `out = a`, each element rounded to a value that `dtype` has.
pub(crate) fn round(dtype: DType, a: Span<'_>, out: SpanMut<'_>) {
    let shift = unused_bits(dtype);
    match (a, out) {
        (Span::I64(a), SpanMut::I64(out)) if dtype.is_unsigned() => {
            map(a, out, |x| ((x as u64) << shift >> shift) as i64);
        }
        (Span::I64(a), SpanMut::I64(out)) => map(a, out, |x| x << shift >> shift),
        (Span::F32(a), SpanMut::F32(out)) if dtype == DType::F16 => {
            map(a, out, |x| round_half(DType::F16, x));
        }
        (Span::F32(a), SpanMut::F32(out)) => map(a, out, |x| round_half(DType::BF16, x)),
        _ => {}
    }
}
