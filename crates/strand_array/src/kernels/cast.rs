//! Loops that convert between dtypes.

use super::span::{Span, SpanMut};
use crate::dtype::float_to_i64;

#[inline(always)]
fn map<A: Copy, R>(a: &[A], out: &mut [R], f: impl Fn(A) -> R) {
    for (o, x) in out.iter_mut().zip(a) {
        *o = f(*x);
    }
}

/// `out = a` converted: to bool by `!= 0`, from float to integer truncated and saturated, with NaN
/// as the least integer.
pub(crate) fn cast(a: Span<'_>, out: SpanMut<'_>) {
    match (a, out) {
        (Span::Bool(a), SpanMut::Bool(out)) => map(a, out, |x| u8::from(x != 0)),
        (Span::I64(a), SpanMut::Bool(out)) => map(a, out, |x| u8::from(x != 0)),
        (Span::F32(a), SpanMut::Bool(out)) => map(a, out, |x| u8::from(x != 0.0)),
        (Span::F64(a), SpanMut::Bool(out)) => map(a, out, |x| u8::from(x != 0.0)),
        (Span::Bool(a), SpanMut::I64(out)) => map(a, out, |x| i64::from(x != 0)),
        (Span::I64(a), SpanMut::I64(out)) => map(a, out, |x| x),
        (Span::F32(a), SpanMut::I64(out)) => map(a, out, |x| float_to_i64(f64::from(x))),
        (Span::F64(a), SpanMut::I64(out)) => map(a, out, float_to_i64),
        (Span::Bool(a), SpanMut::F32(out)) => map(a, out, |x| f32::from(u8::from(x != 0))),
        (Span::I64(a), SpanMut::F32(out)) => map(a, out, |x| x as f32),
        (Span::F32(a), SpanMut::F32(out)) => map(a, out, |x| x),
        (Span::F64(a), SpanMut::F32(out)) => map(a, out, |x| x as f32),
        (Span::Bool(a), SpanMut::F64(out)) => map(a, out, |x| f64::from(u8::from(x != 0))),
        (Span::I64(a), SpanMut::F64(out)) => map(a, out, |x| x as f64),
        (Span::F32(a), SpanMut::F64(out)) => map(a, out, f64::from),
        (Span::F64(a), SpanMut::F64(out)) => map(a, out, |x| x),
    }
}
