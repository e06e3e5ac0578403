//! Types that are computed in a wider one: whole numbers in i64, halves in f32.

use crate::dtype::DType;
use crate::half;

/// The value of the low bytes of `v` in a type of whole numbers.
pub(crate) const fn wrap(dtype: DType, v: i64) -> i64 {
    let shift = unused_bits(dtype);
    if dtype.is_unsigned() {
        ((v as u64) << shift >> shift) as i64
    } else {
        v << shift >> shift
    }
}

/// How many of the 64 bits a type of whole numbers doesn't have.
pub(crate) const fn unused_bits(dtype: DType) -> u32 {
    64_u32.saturating_sub((dtype.size() as u32).saturating_mul(8))
}

/// The nearest value of `F16` or `BF16`, ties to even.
pub(crate) const fn round_half(dtype: DType, v: f32) -> f32 {
    match dtype {
        DType::F16 => half::f16_to_f32(half::f32_to_f16(v)),
        _ => half::bf16_to_f32(half::f32_to_bf16(v)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_to_the_nearest_even() {
        for low in (0..0x7bff_u16).step_by(if cfg!(miri) { 53 } else { 1 }) {
            let (a, b) = (half::f16_to_f32(low), half::f16_to_f32(low + 1));
            let middle = ((f64::from(a) + f64::from(b)) / 2.0) as f32;
            let even = if low % 2 == 0 { a } else { b };
            assert_eq!(round_half(DType::F16, middle), even, "{low:x}");
            assert_eq!(round_half(DType::F16, middle.next_down()), a);
            assert_eq!(round_half(DType::F16, middle.next_up()), b);
        }
        assert_eq!(round_half(DType::F16, 65_519.996), 65_504.0);
        assert_eq!(round_half(DType::F16, -65_520.0), f32::NEG_INFINITY);
        assert!(round_half(DType::BF16, -f32::NAN).is_nan());
    }

    #[test]
    fn whole_numbers_wrap() {
        assert_eq!(wrap(DType::I8, 200), -56);
        assert_eq!(wrap(DType::U8, -1), 255);
        assert_eq!(wrap(DType::U32, -1), i64::from(u32::MAX));
        assert_eq!(wrap(DType::I64, i64::MIN), i64::MIN);
    }
}
