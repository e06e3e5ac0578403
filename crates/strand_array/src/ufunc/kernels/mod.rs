//! Inner loops of the ufuncs: contiguous operands, one function per operation and type.
//!
//! A kernel gets the address of each operand's first element, inputs first, and a count. Addresses
//! need no alignment. An output either begins where an input of the same item size begins, or shares no byte
//! with any input. f16 and bf16 have almost no loops of their own: blocks of them are widened to f32,
//! computed and rounded by the caller.

#![allow(unsafe_code)]

pub(super) mod boolean;
pub(super) mod cmath;
pub(super) mod complex;
pub(super) mod half;
pub(super) mod int;
pub(super) mod real;
pub(super) mod sum;

/// The most operands that a built-in loop has.
pub(super) const MAX_OPERANDS: usize = 4;

/// Addresses of the operands' first elements; unused places hold any value.
pub(super) type Ptrs = [*mut u8; MAX_OPERANDS];

/// What a loop over integers found, as bits of [`Found`](crate::ufunc::Found); float loops are
/// classified from their data afterwards.
pub(super) type Kernel = unsafe fn(&Ptrs, usize) -> u8;

/// `acc = op(acc, x[k])` for k from 0 to n, each result also stored at `out + k * out_step`.
pub(super) type Fold =
    unsafe fn(acc: *mut u8, x: *const u8, step: isize, out: *mut u8, out_step: isize, n: usize);

/// One input, one output.
///
/// # Safety
/// `p[0]` is valid for reads of `n` values of `A`, `p[1]` for writes of `n` of `R`; see the module.
#[inline(always)]
pub(super) unsafe fn unary<A: Copy, R>(p: &Ptrs, n: usize, f: impl Fn(A) -> R) -> u8 {
    let (a, out) = (p[0].cast::<A>(), p[1].cast::<R>());
    for i in 0..n {
        // SAFETY: i < n, and the caller vouches for n elements of each operand.
        unsafe { out.add(i).write_unaligned(f(a.add(i).read_unaligned())) };
    }
    0
}

/// One input, two outputs.
///
/// # Safety
/// As for [`unary`], with `p[2]` valid for writes of `n` values of `S`.
#[inline(always)]
pub(super) unsafe fn unary_two<A: Copy, R, S>(p: &Ptrs, n: usize, f: impl Fn(A) -> (R, S)) -> u8 {
    let (a, out, other) = (p[0].cast::<A>(), p[1].cast::<R>(), p[2].cast::<S>());
    for i in 0..n {
        // SAFETY: i < n, and the caller vouches for n elements of each operand.
        unsafe {
            let (r, s) = f(a.add(i).read_unaligned());
            out.add(i).write_unaligned(r);
            other.add(i).write_unaligned(s);
        }
    }
    0
}

/// Two inputs, one output.
///
/// # Safety
/// `p[0]` and `p[1]` are valid for reads of `n` values of `A` and `B`, `p[2]` for writes of `n` of `R`.
#[inline(always)]
pub(super) unsafe fn binary<A: Copy, B: Copy, R>(p: &Ptrs, n: usize, f: impl Fn(A, B) -> R) -> u8 {
    let (a, b, out) = (p[0].cast::<A>(), p[1].cast::<B>(), p[2].cast::<R>());
    for i in 0..n {
        // SAFETY: i < n, and the caller vouches for n elements of each operand.
        unsafe {
            let r = f(a.add(i).read_unaligned(), b.add(i).read_unaligned());
            out.add(i).write_unaligned(r);
        }
    }
    0
}

/// One input, one output, with findings that are joined.
///
/// # Safety
/// As for [`unary`].
#[inline(always)]
pub(super) unsafe fn unary_found<A: Copy, R>(p: &Ptrs, n: usize, f: impl Fn(A) -> (R, u8)) -> u8 {
    let (a, out) = (p[0].cast::<A>(), p[1].cast::<R>());
    let mut found = 0;
    for i in 0..n {
        // SAFETY: i < n, and the caller vouches for n elements of each operand.
        unsafe {
            let (r, bits) = f(a.add(i).read_unaligned());
            out.add(i).write_unaligned(r);
            found |= bits;
        }
    }
    found
}

/// Two inputs, one output, with findings that are joined.
///
/// # Safety
/// As for [`binary`].
#[inline(always)]
pub(super) unsafe fn binary_found<A: Copy, R>(
    p: &Ptrs,
    n: usize,
    f: impl Fn(A, A) -> (R, u8),
) -> u8 {
    let (a, b, out) = (p[0].cast::<A>(), p[1].cast::<A>(), p[2].cast::<R>());
    let mut found = 0;
    for i in 0..n {
        // SAFETY: i < n, and the caller vouches for n elements of each operand.
        unsafe {
            let (r, bits) = f(a.add(i).read_unaligned(), b.add(i).read_unaligned());
            out.add(i).write_unaligned(r);
            found |= bits;
        }
    }
    found
}

/// Two inputs, two outputs, with findings that are joined.
///
/// # Safety
/// As for [`binary`], with `p[3]` valid for writes of `n` values of `R`.
#[inline(always)]
pub(super) unsafe fn binary_two<A: Copy, R>(
    p: &Ptrs,
    n: usize,
    f: impl Fn(A, A) -> (R, R, u8),
) -> u8 {
    let (a, b) = (p[0].cast::<A>(), p[1].cast::<A>());
    let (out, other) = (p[2].cast::<R>(), p[3].cast::<R>());
    let mut found = 0;
    for i in 0..n {
        // SAFETY: i < n, and the caller vouches for n elements of each operand.
        unsafe {
            let (r, s, bits) = f(a.add(i).read_unaligned(), b.add(i).read_unaligned());
            out.add(i).write_unaligned(r);
            other.add(i).write_unaligned(s);
            found |= bits;
        }
    }
    found
}

/// Three inputs and an output of one type.
///
/// # Safety
/// `p[0]` to `p[2]` are valid for reads of `n` values of `T`, `p[3]` for writes of as many.
#[inline(always)]
pub(super) unsafe fn ternary<T: Copy>(p: &Ptrs, n: usize, f: impl Fn(T, T, T) -> T) -> u8 {
    let [a, b, c, out] = p.map(|ptr| ptr.cast::<T>());
    for i in 0..n {
        // SAFETY: i < n, and the caller vouches for n elements of each operand.
        unsafe {
            let (x, y, z) = (
                a.add(i).read_unaligned(),
                b.add(i).read_unaligned(),
                c.add(i).read_unaligned(),
            );
            out.add(i).write_unaligned(f(x, y, z));
        }
    }
    0
}

/// The loop of a [`Fold`].
///
/// # Safety
/// `acc` is valid for reads and writes of one `T`; `x + k * step` and `out + k * out_step` for k < n are valid for
/// a read and a write of one. `out` may be `acc` with step 0, or lie where `x` lies, element by element.
#[inline(always)]
pub(super) unsafe fn fold<T: Copy>(
    acc: *mut u8,
    x: *const u8,
    step: isize,
    out: *mut u8,
    out_step: isize,
    n: usize,
    f: impl Fn(T, T) -> T,
) {
    // SAFETY: each access is one that the caller vouches for.
    unsafe {
        let mut sum = acc.cast::<T>().read_unaligned();
        if out_step == 0 {
            for k in 0..n as isize {
                sum = f(sum, x.offset(k * step).cast::<T>().read_unaligned());
            }
        } else {
            for k in 0..n as isize {
                sum = f(sum, x.offset(k * step).cast::<T>().read_unaligned());
                out.offset(k * out_step).cast::<T>().write_unaligned(sum);
            }
        }
        acc.cast::<T>().write_unaligned(sum);
    }
}
