//! f16 and bf16: conversion of blocks to f32 and back, and what works on their bits.

use crate::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};

/// The two formats, by the bits of their infinity.
pub(in crate::ufunc) trait Half {
    const INFINITY: u16;
    /// Whether NumPy measures to the value above, whatever the sign.
    const UPWARDS: bool;
    fn widen(bits: u16) -> f32;
    fn narrow(value: f32) -> u16;
}

pub(in crate::ufunc) struct F16;
pub(in crate::ufunc) struct Bf16;

impl Half for F16 {
    const INFINITY: u16 = 0x7c00;
    const UPWARDS: bool = true;
    fn widen(bits: u16) -> f32 {
        f16_to_f32(bits)
    }
    fn narrow(value: f32) -> u16 {
        f32_to_f16(value)
    }
}

impl Half for Bf16 {
    const INFINITY: u16 = 0x7f80;
    const UPWARDS: bool = false;
    fn widen(bits: u16) -> f32 {
        bf16_to_f32(bits)
    }
    fn narrow(value: f32) -> u16 {
        f32_to_bf16(value)
    }
}

/// The next value from `x` towards `y`.
#[inline(always)]
pub(in crate::ufunc) fn nextafter<H: Half>(x: u16, y: u16) -> u16 {
    let (a, b) = (H::widen(x), H::widen(y));
    if a.is_nan() || b.is_nan() {
        return H::INFINITY | 0x40 | 0x200 & !H::INFINITY;
    }
    if a == b {
        return y;
    }
    if a == 0.0 {
        return 1 | (y & 0x8000);
    }
    // Away from zero counts the bits up.
    if (a < b) == (a > 0.0) { x + 1 } else { x - 1 }
}

/// The distance to the next value above; of a bfloat16 to that away from zero, with the sign of `x`.
#[inline(always)]
pub(in crate::ufunc) fn spacing<H: Half>(x: u16) -> u16 {
    let (magnitude, sign) = (x & 0x7fff, x & 0x8000);
    if magnitude >= H::INFINITY {
        return H::INFINITY | 0x40 | 0x200 & !H::INFINITY;
    }
    if H::UPWARDS && sign != 0 {
        let below = magnitude.saturating_sub(1);
        let step = if magnitude == 0 {
            H::widen(1)
        } else {
            H::widen(magnitude) - H::widen(below)
        };
        return H::narrow(step);
    }
    if magnitude + 1 == H::INFINITY {
        return H::INFINITY | sign;
    }
    H::narrow(H::widen(magnitude + 1) - H::widen(magnitude)) | sign
}

/// Widens `n` halves.
///
/// # Safety
/// `from` is valid for `n` reads of u16, `to` for `n` writes of f32, and they share no byte.
pub(in crate::ufunc) unsafe fn widen_block(bf16: bool, from: *const u8, to: *mut u8, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match bf16 {
            true => each(from, to, n, Bf16::widen),
            false => each(from, to, n, F16::widen),
        }
    }
}

/// Rounds `n` f32 to halves.
///
/// # Safety
/// `from` is valid for `n` reads of f32, `to` for `n` writes of u16, and they share no byte.
pub(in crate::ufunc) unsafe fn narrow_block(bf16: bool, from: *const u8, to: *mut u8, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match bf16 {
            true => each(from, to, n, Bf16::narrow),
            false => each(from, to, n, F16::narrow),
        }
    }
}

/// # Safety
/// `from` is valid for `n` reads of `A`, `to` for `n` writes of `B`, and they share no byte.
#[inline(always)]
unsafe fn each<A: Copy, B>(from: *const u8, to: *mut u8, n: usize, f: impl Fn(A) -> B) {
    let (from, to) = (from.cast::<A>(), to.cast::<B>());
    for i in 0..n {
        // SAFETY: i < n.
        unsafe { to.add(i).write_unaligned(f(from.add(i).read_unaligned())) };
    }
}
