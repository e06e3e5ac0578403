//! Loops over two and three operands.

use super::math::Float;
use super::simd::{self, F32x4, F64x2, FloatVector, I64x2, Source};
use super::span::{Lane, Span, SpanMut};
use super::vector_math as vector;
use crate::block::Pod;
use crate::error::{ArrayError, Result};
use crate::ops::BinaryOp;

/// The elements of two operands side by side; one with a single element gives it again and again.
#[inline(always)]
fn zip<A: Pod, R: Pod>(a: &[A], b: &[A], out: &mut [R], f: impl Fn(A, A) -> R) {
    let mask = |operand: &[A]| if operand.len() == 1 { 0 } else { usize::MAX };
    let (in_a, in_b) = (mask(a), mask(b));
    for (i, o) in out.iter_mut().enumerate() {
        if let (Some(x), Some(y)) = (a.get(i & in_a), b.get(i & in_b)) {
            *o = f(*x, *y);
        }
    }
}

/// `out = op(a, b)`. Both operands have the dtype that the operation computes in; one with a single
/// element stands for that many.
pub(crate) fn binary(op: BinaryOp, a: Span<'_>, b: Span<'_>, out: SpanMut<'_>) -> Result<()> {
    if op.is_predicate() {
        let out = out.get::<u8>()?;
        return match a {
            Span::Bool(a) => predicate(op, a, b.get()?, out),
            Span::I64(a) => predicate(op, a, b.get()?, out),
            Span::F32(a) => {
                let b = b.get()?;
                if comparison(op, Source::of(a), Source::of(b), out) {
                    return Ok(());
                }
                predicate(op, a, b, out)
            }
            Span::F64(a) => predicate(op, a, b.get()?, out),
        };
    }
    match (a, out) {
        (Span::F32(a), SpanMut::F32(out)) => {
            let b = b.get()?;
            if lanes::<F32x4>(op, Source::of(a), Source::of(b), out) {
                return Ok(());
            }
            if op == BinaryOp::Pow {
                simd::zip(Source::of(a), Source::of(b), out, vector::pow::<F32x4>);
                return Ok(());
            }
            float(op, a, b, out)
        }
        (Span::F64(a), SpanMut::F64(out)) => {
            let b = b.get()?;
            if lanes::<F64x2>(op, Source::of(a), Source::of(b), out) {
                return Ok(());
            }
            float(op, a, b, out)
        }
        (Span::I64(a), SpanMut::I64(out)) => {
            let b = b.get()?;
            if whole_lanes(op, Source::of(a), Source::of(b), out) {
                return Ok(());
            }
            integer(op, a, b, out)
        }
        (Span::Bool(a), SpanMut::Bool(out)) => bools(op, a, b.get()?, out),
        (a, _) => Err(ArrayError::Unsupported {
            op: op.name(),
            dtype: a.dtype(),
        }),
    }
}

/// What vectors compute in one instruction or few; whether the operation is among it.
fn lanes<V: FloatVector>(
    op: BinaryOp,
    a: Source<'_, V::T>,
    b: Source<'_, V::T>,
    out: &mut [V::T],
) -> bool {
    use BinaryOp as B;
    match op {
        B::Add => simd::zip(a, b, out, |x: V, y| x + y),
        B::Sub => simd::zip(a, b, out, |x: V, y| x - y),
        B::Mul => simd::zip(a, b, out, |x: V, y| x * y),
        B::Div => simd::zip(a, b, out, |x: V, y| x / y),
        B::Maximum => simd::zip(a, b, out, V::maximum),
        B::Minimum => simd::zip(a, b, out, V::minimum),
        _ => return false,
    }
    true
}

fn whole_lanes(op: BinaryOp, a: Source<'_, i64>, b: Source<'_, i64>, out: &mut [i64]) -> bool {
    use BinaryOp as B;
    match op {
        B::Add => simd::zip(a, b, out, |x: I64x2, y| x + y),
        B::Sub => simd::zip(a, b, out, |x: I64x2, y| x - y),
        B::Mul => simd::zip(a, b, out, |x: I64x2, y| x * y),
        _ => return false,
    }
    true
}

fn comparison(op: BinaryOp, a: Source<'_, f32>, b: Source<'_, f32>, out: &mut [u8]) -> bool {
    use BinaryOp as B;
    match op {
        B::Eq => simd::compare(a, b, out, F32x4::equal),
        B::Ne => simd::compare(a, b, out, F32x4::not_equal),
        B::Lt => simd::compare(a, b, out, F32x4::less),
        B::Le => simd::compare(a, b, out, F32x4::at_most),
        B::Gt => simd::compare(b, a, out, F32x4::less),
        B::Ge => simd::compare(b, a, out, F32x4::at_most),
        _ => return false,
    }
    true
}

fn predicate<T: Lane>(op: BinaryOp, a: &[T], b: &[T], out: &mut [u8]) -> Result<()> {
    use BinaryOp as B;
    let zero = T::default();
    match op {
        B::Eq => zip(a, b, out, |x, y| u8::from(x == y)),
        B::Ne => zip(a, b, out, |x, y| u8::from(x != y)),
        B::Lt => zip(a, b, out, |x, y| u8::from(x < y)),
        B::Le => zip(a, b, out, |x, y| u8::from(x <= y)),
        B::Gt => zip(a, b, out, |x, y| u8::from(x > y)),
        B::Ge => zip(a, b, out, |x, y| u8::from(x >= y)),
        B::LogicalAnd => zip(a, b, out, |x, y| u8::from(x != zero) & u8::from(y != zero)),
        B::LogicalOr => zip(a, b, out, |x, y| u8::from(x != zero) | u8::from(y != zero)),
        B::LogicalXor => zip(a, b, out, |x, y| u8::from(x != zero) ^ u8::from(y != zero)),
        _ => {
            return Err(ArrayError::Unsupported {
                op: op.name(),
                dtype: T::DTYPE,
            });
        }
    }
    Ok(())
}

fn float<F: Float>(op: BinaryOp, a: &[F], b: &[F], out: &mut [F]) -> Result<()> {
    use BinaryOp as B;
    match op {
        B::FloorDiv => zip(a, b, out, F::floor_div),
        B::Remainder => zip(a, b, out, F::remainder),
        B::Fmod => zip(a, b, out, F::fmod),
        // Of f32 it is computed in vectors.
        B::Pow => zip(a, b, out, F::pow),
        B::Atan2 => zip(a, b, out, F::atan2),
        B::Hypot => zip(a, b, out, F::hypot),
        _ => {
            return Err(ArrayError::Unsupported {
                op: op.name(),
                dtype: F::DTYPE,
            });
        }
    }
    Ok(())
}

/// The larger; NaN if either is. A select, not a branch.
#[inline(always)]
#[allow(clippy::eq_op)]
pub(crate) fn maximum<T: PartialOrd + Copy>(a: T, b: T) -> T {
    if (a > b) | (a != a) { a } else { b }
}

/// The smaller; NaN if either is.
#[inline(always)]
#[allow(clippy::eq_op)]
pub(crate) fn minimum<T: PartialOrd + Copy>(a: T, b: T) -> T {
    if (a < b) | (a != a) { a } else { b }
}

fn integer(op: BinaryOp, a: &[i64], b: &[i64], out: &mut [i64]) -> Result<()> {
    use BinaryOp as B;
    if matches!(op, B::FloorDiv | B::Remainder | B::Fmod) && b.contains(&0) {
        return Err(ArrayError::ZeroDivision { op: op.name() });
    }
    if op == B::Pow && b.iter().any(|y| *y < 0) {
        return Err(ArrayError::NegativePower);
    }
    match op {
        B::FloorDiv => zip(a, b, out, floor_div),
        B::Remainder => zip(a, b, out, |x, y| {
            x.wrapping_sub(floor_div(x, y).wrapping_mul(y))
        }),
        B::Fmod => zip(a, b, out, i64::wrapping_rem),
        B::Pow => zip(a, b, out, power),
        B::Maximum => zip(a, b, out, i64::max),
        B::Minimum => zip(a, b, out, i64::min),
        B::BitwiseAnd => zip(a, b, out, |x, y| x & y),
        B::BitwiseOr => zip(a, b, out, |x, y| x | y),
        B::BitwiseXor => zip(a, b, out, |x, y| x ^ y),
        _ => {
            return Err(ArrayError::Unsupported {
                op: op.name(),
                dtype: i64::DTYPE,
            });
        }
    }
    Ok(())
}

/// The quotient rounded down; the divisor isn't 0.
#[inline(always)]
fn floor_div(x: i64, y: i64) -> i64 {
    let (q, r) = (x.wrapping_div(y), x.wrapping_rem(y));
    if r != 0 && (r < 0) != (y < 0) {
        q.wrapping_sub(1)
    } else {
        q
    }
}

/// `xʸ` modulo 2⁶⁴ for y ≥ 0, by squaring: an exponent may be larger than `u32`.
fn power(mut x: i64, mut y: i64) -> i64 {
    let mut result = 1_i64;
    while y > 0 {
        if y & 1 == 1 {
            result = result.wrapping_mul(x);
        }
        x = x.wrapping_mul(x);
        y >>= 1;
    }
    result
}

fn bools(op: BinaryOp, a: &[u8], b: &[u8], out: &mut [u8]) -> Result<()> {
    use BinaryOp as B;
    match op {
        B::Add | B::Maximum | B::BitwiseOr => zip(a, b, out, |x, y| u8::from((x | y) != 0)),
        B::Mul | B::Minimum | B::BitwiseAnd => {
            zip(a, b, out, |x, y| u8::from(x != 0) & u8::from(y != 0))
        }
        B::BitwiseXor => zip(a, b, out, |x, y| u8::from(x != 0) ^ u8::from(y != 0)),
        _ => {
            return Err(ArrayError::Unsupported {
                op: op.name(),
                dtype: u8::DTYPE,
            });
        }
    }
    Ok(())
}

/// `out = a where the condition holds, else b`. An operand with a single element stands for many.
pub(crate) fn select(
    condition: Span<'_>,
    a: Span<'_>,
    b: Span<'_>,
    out: SpanMut<'_>,
) -> Result<()> {
    fn pick<T: Lane>(c: &[u8], a: &[T], b: &[T], out: &mut [T]) {
        let mask = |one: bool| if one { 0 } else { usize::MAX };
        let (in_a, in_b) = (mask(a.len() == 1), mask(b.len() == 1));
        for (i, (o, c)) in out.iter_mut().zip(c).enumerate() {
            let chosen = if *c != 0 {
                a.get(i & in_a)
            } else {
                b.get(i & in_b)
            };
            if let Some(v) = chosen {
                *o = *v;
            }
        }
    }
    let c = condition.get::<u8>()?;
    if let ([one], true) = (c, out.len() > 1) {
        let chosen = if *one != 0 { a } else { b };
        return out.copy_from(chosen);
    }
    match out {
        SpanMut::Bool(out) => pick(c, a.get()?, b.get()?, out),
        SpanMut::I64(out) => pick(c, a.get()?, b.get()?, out),
        SpanMut::F32(out) => {
            simd::select(c, Source::of(a.get()?), Source::of(b.get()?), out);
        }
        SpanMut::F64(out) => pick(c, a.get()?, b.get()?, out),
    }
    Ok(())
}
