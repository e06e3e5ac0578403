//! Loops over two and three operands.

use super::math::Float;
use super::span::{Lane, Span, SpanMut};
use crate::block::Pod;
use crate::error::{ArrayError, Result};
use crate::ops::BinaryOp;

#[inline(always)]
fn zip<A: Pod, R: Pod>(a: &[A], b: &[A], out: &mut [R], f: impl Fn(A, A) -> R) {
    for ((o, x), y) in out.iter_mut().zip(a).zip(b) {
        *o = f(*x, *y);
    }
}

/// `out = op(a, b)`. Both operands have the dtype that the operation computes in.
pub(crate) fn binary(op: BinaryOp, a: Span<'_>, b: Span<'_>, out: SpanMut<'_>) -> Result<()> {
    if op.is_predicate() {
        let out = out.get::<u8>()?;
        return match a {
            Span::Bool(a) => predicate(op, a, b.get()?, out),
            Span::I64(a) => predicate(op, a, b.get()?, out),
            Span::F32(a) => predicate(op, a, b.get()?, out),
            Span::F64(a) => predicate(op, a, b.get()?, out),
        };
    }
    match (a, out) {
        (Span::F32(a), SpanMut::F32(out)) => float(op, a, b.get()?, out),
        (Span::F64(a), SpanMut::F64(out)) => float(op, a, b.get()?, out),
        (Span::I64(a), SpanMut::I64(out)) => integer(op, a, b.get()?, out),
        (Span::Bool(a), SpanMut::Bool(out)) => bools(op, a, b.get()?, out),
        (a, _) => Err(ArrayError::Unsupported {
            op: op.name(),
            dtype: a.dtype(),
        }),
    }
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
        B::Add => zip(a, b, out, F::add),
        B::Sub => zip(a, b, out, F::sub),
        B::Mul => zip(a, b, out, F::mul),
        B::Div => zip(a, b, out, F::div),
        B::FloorDiv => zip(a, b, out, F::floor_div),
        B::Remainder => zip(a, b, out, F::remainder),
        B::Fmod => zip(a, b, out, F::fmod),
        B::Pow => zip(a, b, out, F::pow),
        B::Maximum => zip(a, b, out, maximum),
        B::Minimum => zip(a, b, out, minimum),
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
        B::Add => zip(a, b, out, i64::wrapping_add),
        B::Sub => zip(a, b, out, i64::wrapping_sub),
        B::Mul => zip(a, b, out, i64::wrapping_mul),
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

/// `out = a where the condition holds, else b`.
pub(crate) fn select(
    condition: Span<'_>,
    a: Span<'_>,
    b: Span<'_>,
    out: SpanMut<'_>,
) -> Result<()> {
    fn pick<T: Lane>(c: &[u8], a: &[T], b: &[T], out: &mut [T]) {
        for (((o, x), y), c) in out.iter_mut().zip(a).zip(b).zip(c) {
            *o = if *c != 0 { *x } else { *y };
        }
    }
    let c = condition.get::<u8>()?;
    match out {
        SpanMut::Bool(out) => pick(c, a.get()?, b.get()?, out),
        SpanMut::I64(out) => pick(c, a.get()?, b.get()?, out),
        SpanMut::F32(out) => pick(c, a.get()?, b.get()?, out),
        SpanMut::F64(out) => pick(c, a.get()?, b.get()?, out),
    }
    Ok(())
}
