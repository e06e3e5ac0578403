//! Numeric findings, read off the values: no target has to know the machine's status flags.
//!
//! A NaN from operands without one is invalid. An infinite value from finite operands is an
//! overflow, or a division at one of the function's poles. A result below the normal numbers that
//! isn't exact is an underflow.

use crate::dtype::DType;
use crate::found::Found;
use crate::half::{bf16_to_f32, f16_to_f32};

use super::rules::{Case, Parts, Rule};

/// The findings of [`Found`] as bits, which kernels join.
pub(super) const DIVIDE: u8 = Found::DIVIDE.bits();
pub(super) const OVER: u8 = Found::OVERFLOW.bits();
pub(super) const UNDER: u8 = Found::UNDERFLOW.bits();
pub(super) const INVALID: u8 = Found::INVALID.bits();
/// An integer raised to a negative power: a value error of the call.
pub(super) const NEGATIVE_POWER: u8 = 16;

/// An operand of a finished block.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) ptr: *const u8,
    pub(super) dtype: DType,
}

impl Seen {
    /// # Safety
    /// There are more than `i` contiguous elements.
    #[allow(unsafe_code)]
    unsafe fn at(self, i: usize) -> Parts {
        macro_rules! read {
            ($t:ty) => {
                // SAFETY: the caller vouches for element i.
                unsafe { self.ptr.cast::<$t>().add(i).read_unaligned() }
            };
        }
        let (re, im) = match self.dtype {
            DType::F16 => (f64::from(f16_to_f32(read!(u16))), 0.0),
            DType::BF16 => (f64::from(bf16_to_f32(read!(u16))), 0.0),
            DType::F32 => (f64::from(read!(f32)), 0.0),
            DType::F64 => (read!(f64), 0.0),
            DType::C64 => {
                let [re, im] = read!([f32; 2]);
                (f64::from(re), f64::from(im))
            }
            DType::C128 => {
                let [re, im] = read!([f64; 2]);
                (re, im)
            }
            DType::I32 => (f64::from(read!(i32)), 0.0),
            DType::I64 => (read!(i64) as f64, 0.0),
            _ => (1.0, 0.0),
        };
        Parts { re, im }
    }

    /// Whether some of `n` contiguous elements is infinite or NaN, or, if asked for, tiny.
    ///
    /// # Safety
    /// There are `n` contiguous elements.
    #[allow(unsafe_code)]
    pub(super) unsafe fn is_odd(self, n: usize, tiny: bool) -> bool {
        macro_rules! scan {
            ($t:ty, $count:expr, $exponent:expr) => {{
                let ptr = self.ptr.cast::<$t>();
                let mut odd = false;
                for i in 0..$count {
                    // SAFETY: within the elements that the caller vouches for.
                    let e = unsafe { ptr.add(i).read_unaligned() } & $exponent;
                    odd |= (e == $exponent) | (tiny & (e == 0));
                }
                odd
            }};
        }
        match self.dtype {
            DType::F16 => scan!(u16, n, 0x7c00),
            DType::BF16 => scan!(u16, n, 0x7f80),
            DType::F32 => scan!(u32, n, 0x7f80_0000),
            DType::C64 => scan!(u32, n.saturating_mul(2), 0x7f80_0000),
            DType::F64 => scan!(u64, n, 0x7ff0_0000_0000_0000),
            DType::C128 => scan!(u64, n.saturating_mul(2), 0x7ff0_0000_0000_0000),
            _ => false,
        }
    }
}

/// The findings of a block.
///
/// # Safety
/// Every operand has `n` contiguous elements.
#[allow(unsafe_code)]
pub(super) unsafe fn classify(
    rule: Rule,
    inputs: &[Seen],
    outputs: &[Seen],
    n: usize,
    under: bool,
) -> u8 {
    // SAFETY: the caller vouches for n elements of each.
    let odd = outputs.iter().any(|out| unsafe { out.is_odd(n, under) });
    if !rule.looks() || !(odd || matches!(rule, Rule::LogAdd { .. })) {
        return 0;
    }
    let mut found = 0;
    for i in 0..n {
        // SAFETY: i < n.
        let read = |seen: &Seen| unsafe { seen.at(i) };
        let one = Parts { re: 1.0, im: 0.0 };
        // The remainder of a divmod says nothing that the quotient doesn't.
        let looked_at = if rule == Rule::DivMod {
            1
        } else {
            outputs.len()
        };
        for out in outputs.iter().take(looked_at) {
            let case = Case {
                a: inputs.first().map_or(one, read),
                b: inputs.get(1).map_or(one, read),
                out: read(out),
                dtype: out.dtype,
                under,
            };
            found |= case.findings(rule);
        }
    }
    found
}
