//! Sums along a strip, in NumPy's order and rounded where it rounds.

use super::complex::Complex;
use super::half::{Bf16, F16, Half};
use super::real::{Real, pairwise, pairwise_complex};
use crate::dtype::DType;

/// Adds `n` elements at a step to an accumulator. The accumulator is valid for reads and writes of one element of
/// the sum's type, and `x + k * step` for k < n for a read of one.
pub(in crate::ufunc) type Sum = unsafe fn(acc: *mut u8, x: *const u8, step: isize, n: usize);

/// How sums of a type are made.
pub(in crate::ufunc) fn sum_of(dtype: DType) -> Option<Sum> {
    Some(match dtype {
        // SAFETY: the caller's promise.
        DType::F16 => |acc, x, step, n| unsafe { sum_half::<F16>(acc, x, step, n) },
        // SAFETY: the caller's promise.
        DType::BF16 => |acc, x, step, n| unsafe { sum_half::<Bf16>(acc, x, step, n) },
        // SAFETY: the caller's promise.
        DType::F32 => |acc, x, step, n| unsafe { sum_real::<f32>(acc, x, step, n) },
        // SAFETY: the caller's promise.
        DType::F64 => |acc, x, step, n| unsafe { sum_real::<f64>(acc, x, step, n) },
        // SAFETY: the caller's promise.
        DType::C64 => |acc, x, step, n| unsafe { sum_complex::<f32>(acc, x, step, n) },
        // SAFETY: the caller's promise.
        DType::C128 => |acc, x, step, n| unsafe { sum_complex::<f64>(acc, x, step, n) },
        _ => return None,
    })
}

/// Differences, products and quotients of halves are rounded once per inner loop, as NumPy does.
pub(in crate::ufunc) fn half_fold(name: &str, dtype: DType) -> Option<Sum> {
    macro_rules! fold {
        ($op:tt) => {
            match dtype {
                // SAFETY: the caller's promise.
                DType::F16 => |acc, x, step, n| unsafe {
                    fold_half::<F16>(acc, x, step, n, |a, b| a $op b);
                },
                // SAFETY: the caller's promise.
                DType::BF16 => |acc, x, step, n| unsafe {
                    fold_half::<Bf16>(acc, x, step, n, |a, b| a $op b);
                },
                _ => return None,
            }
        };
    }
    Some(match name {
        "subtract" => fold!(-),
        "multiply" => fold!(*),
        "divide" => fold!(/),
        _ => return None,
    })
}

/// # Safety
/// `acc` is one half, `x` are `n` at a step.
unsafe fn sum_half<H: Half>(acc: *mut u8, x: *const u8, step: isize, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let load = |p: *const u8| H::widen(p.cast::<u16>().read_unaligned());
        let acc = acc.cast::<u16>();
        let sum = H::widen(acc.read_unaligned()) + pairwise(x, step, n, &load);
        acc.write_unaligned(H::narrow(sum));
    }
}

/// # Safety
/// As for [`sum_half`].
unsafe fn fold_half<H: Half>(
    acc: *mut u8,
    x: *const u8,
    step: isize,
    n: usize,
    op: impl Fn(f32, f32) -> f32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let load = |p: *const u8| H::widen(p.cast::<u16>().read_unaligned());
        let acc = acc.cast::<u16>();
        let mut value = H::widen(acc.read_unaligned());
        for k in 0..n as isize {
            value = op(value, load(x.offset(k * step)));
        }
        acc.write_unaligned(H::narrow(value));
    }
}

/// # Safety
/// `acc` is one `F`, `x` are `n` at a step.
unsafe fn sum_real<F: Real>(acc: *mut u8, x: *const u8, step: isize, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let load = |p: *const u8| p.cast::<F>().read_unaligned();
        let acc = acc.cast::<F>();
        let sum = acc.read_unaligned().add(pairwise(x, step, n, &load));
        acc.write_unaligned(sum);
    }
}

/// # Safety
/// `acc` is one complex number, `x` are `n` at a step.
unsafe fn sum_complex<F: Real>(acc: *mut u8, x: *const u8, step: isize, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let acc = acc.cast::<Complex<F>>();
        let part = pairwise_complex::<F>(x, step, n);
        let sum = acc.read_unaligned();
        acc.write_unaligned(Complex {
            re: sum.re.add(part.0),
            im: sum.im.add(part.1),
        });
    }
}
