//! Loops over one operand.

use super::math::Float;
use super::simd::{self, F32x4, F64x2, FloatVector};
use super::span::{Lane, Span, SpanMut};
use super::vector_math as vector;
use crate::block::Pod;
use crate::error::{ArrayError, Result};
use crate::ops::UnaryOp;

#[inline(always)]
fn map<A: Pod, R: Pod>(a: &[A], out: &mut [R], f: impl Fn(A) -> R) {
    for (o, x) in out.iter_mut().zip(a) {
        *o = f(*x);
    }
}

/// `out = op(a)`. The operand has the dtype that the operation computes in.
pub(crate) fn unary(op: UnaryOp, a: Span<'_>, out: SpanMut<'_>) -> Result<()> {
    match (a, out) {
        (Span::F32(a), SpanMut::F32(out)) => {
            if lanes::<F32x4>(op, a, out) || functions(op, a, out) {
                return Ok(());
            }
            float(op, a, out)
        }
        (Span::F64(a), SpanMut::F64(out)) => {
            if lanes::<F64x2>(op, a, out) {
                return Ok(());
            }
            float(op, a, out)
        }
        (Span::I64(a), SpanMut::I64(out)) => integer(op, a, out),
        (Span::F32(a), SpanMut::Bool(out)) => float_test(op, a, out),
        (Span::F64(a), SpanMut::Bool(out)) => float_test(op, a, out),
        (Span::I64(a), SpanMut::Bool(out)) => integer_test(op, a, out),
        (Span::Bool(a), SpanMut::Bool(out)) => bool_test(op, a, out),
        (a, _) => Err(ArrayError::Unsupported {
            op: op.name(),
            dtype: a.dtype(),
        }),
    }
}

/// What vectors compute in one instruction or few; whether the operation is among it.
fn lanes<V: FloatVector>(op: UnaryOp, a: &[V::T], out: &mut [V::T]) -> bool
where
    V::T: Float,
{
    use UnaryOp as U;
    let one = V::splat(V::T::ONE);
    match op {
        U::Abs => simd::map(a, out, V::abs),
        U::Neg => simd::map(a, out, |x: V| -x),
        U::Sqrt => simd::map(a, out, V::sqrt),
        U::Rsqrt => simd::map(a, out, |x: V| one / x.sqrt()),
        U::Square => simd::map(a, out, |x: V| x * x),
        U::Reciprocal => simd::map(a, out, |x: V| one / x),
        U::Relu => simd::map(a, out, V::relu),
        U::Floor => simd::map(a, out, V::floor),
        U::Ceil => simd::map(a, out, V::ceil),
        U::Round => simd::map(a, out, V::nearest),
        U::Trunc => simd::map(a, out, V::trunc),
        _ => return false,
    }
    true
}

/// Functions of f32 that are computed in vectors; whether the operation is among them.
fn functions(op: UnaryOp, a: &[f32], out: &mut [f32]) -> bool {
    use UnaryOp as U;
    match op {
        U::Exp => simd::map(a, out, vector::exp::<F32x4>),
        U::Log => simd::map(a, out, vector::log::<F32x4>),
        U::Sin => simd::map(a, out, vector::sin::<F32x4>),
        U::Cos => simd::map(a, out, vector::cos::<F32x4>),
        U::Tanh => simd::map(a, out, vector::tanh::<F32x4>),
        U::Sigmoid => simd::map(a, out, vector::sigmoid::<F32x4>),
        U::Silu => simd::map(a, out, vector::silu::<F32x4>),
        U::Gelu => simd::map(a, out, vector::gelu::<F32x4>),
        U::Erf => simd::map(a, out, vector::erf::<F32x4>),
        U::Softplus => simd::map(a, out, vector::softplus::<F32x4>),
        _ => return false,
    }
    true
}

fn float<F: Float>(op: UnaryOp, a: &[F], out: &mut [F]) -> Result<()> {
    use UnaryOp as U;
    let zero = F::ZERO;
    let half = F::from_f64(0.5);
    let root_half = F::from_f64(std::f64::consts::FRAC_1_SQRT_2);
    match op {
        U::Sign => map(a, out, |x| {
            let up = if x > zero { F::ONE } else { zero };
            let down = if x < zero { F::ONE } else { zero };
            up.sub(down)
        }),
        U::Exp => map(a, out, F::exp),
        U::Expm1 => map(a, out, F::expm1),
        U::Log => map(a, out, F::log),
        U::Log1p => map(a, out, F::log1p),
        U::Log2 => map(a, out, F::log2),
        U::Log10 => map(a, out, F::log10),
        U::Sin => map(a, out, F::sin),
        U::Cos => map(a, out, F::cos),
        U::Tan => map(a, out, F::tan),
        U::Asin => map(a, out, F::asin),
        U::Acos => map(a, out, F::acos),
        U::Atan => map(a, out, F::atan),
        U::Sinh => map(a, out, F::sinh),
        U::Cosh => map(a, out, F::cosh),
        U::Tanh => map(a, out, F::tanh),
        U::Sigmoid => map(a, out, F::sigmoid),
        U::Gelu => map(a, out, |x| {
            x.mul(half).mul(F::ONE.add(x.mul(root_half).erf()))
        }),
        U::Silu => map(a, out, |x| x.div(F::ONE.add((-x).exp()))),
        U::Softplus => map(a, out, F::softplus),
        U::Erf => map(a, out, F::erf),
        _ => {
            return Err(ArrayError::Unsupported {
                op: op.name(),
                dtype: F::DTYPE,
            });
        }
    }
    Ok(())
}

fn integer(op: UnaryOp, a: &[i64], out: &mut [i64]) -> Result<()> {
    use UnaryOp as U;
    match op {
        U::Abs => map(a, out, i64::wrapping_abs),
        U::Neg => map(a, out, i64::wrapping_neg),
        U::Sign => map(a, out, i64::signum),
        U::Square => map(a, out, |x| x.wrapping_mul(x)),
        U::Relu => map(a, out, |x| x.max(0)),
        U::Floor | U::Ceil | U::Round | U::Trunc => map(a, out, |x| x),
        U::BitwiseNot => map(a, out, |x| !x),
        _ => {
            return Err(ArrayError::Unsupported {
                op: op.name(),
                dtype: i64::DTYPE,
            });
        }
    }
    Ok(())
}

fn float_test<F: Float>(op: UnaryOp, a: &[F], out: &mut [u8]) -> Result<()> {
    let infinity = F::ONE.div(F::ZERO);
    match op {
        UnaryOp::IsNan => map(a, out, |x| u8::from(is_nan(x))),
        UnaryOp::IsInf => map(a, out, |x| u8::from(x.abs() == infinity)),
        UnaryOp::IsFinite => map(a, out, |x| u8::from(x.abs() < infinity)),
        UnaryOp::LogicalNot => map(a, out, |x| u8::from(x == F::ZERO)),
        _ => {
            return Err(ArrayError::Unsupported {
                op: op.name(),
                dtype: F::DTYPE,
            });
        }
    }
    Ok(())
}

/// Only NaN differs from itself; the method of that name isn't in the trait.
#[inline(always)]
#[allow(clippy::eq_op)]
fn is_nan<F: Float>(x: F) -> bool {
    x != x
}

fn integer_test(op: UnaryOp, a: &[i64], out: &mut [u8]) -> Result<()> {
    match op {
        UnaryOp::IsNan | UnaryOp::IsInf => out.fill(0),
        UnaryOp::IsFinite => out.fill(1),
        UnaryOp::LogicalNot => map(a, out, |x| u8::from(x == 0)),
        _ => {
            return Err(ArrayError::Unsupported {
                op: op.name(),
                dtype: i64::DTYPE,
            });
        }
    }
    Ok(())
}

fn bool_test(op: UnaryOp, a: &[u8], out: &mut [u8]) -> Result<()> {
    match op {
        UnaryOp::IsNan | UnaryOp::IsInf => out.fill(0),
        UnaryOp::IsFinite => out.fill(1),
        UnaryOp::LogicalNot | UnaryOp::BitwiseNot => map(a, out, |x| u8::from(x == 0)),
        UnaryOp::Sign => map(a, out, |x| u8::from(x != 0)),
        _ => {
            return Err(ArrayError::Unsupported {
                op: op.name(),
                dtype: u8::DTYPE,
            });
        }
    }
    Ok(())
}
