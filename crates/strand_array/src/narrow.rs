//! Types that are computed in a wider one: whole numbers in i64, halves in f32.

use crate::dtype::DType;

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
    64 - 8 * dtype.size() as u32
}

/// The nearest value of `F16` or `BF16`, ties to even.
pub(crate) const fn round_half(dtype: DType, v: f32) -> f32 {
    match dtype {
        DType::F16 => f16_value(f16_bits(v)),
        _ => bf16_value(bf16_bits(v)),
    }
}

/// The bits of the nearest IEEE half-precision number, ties to even; a NaN stays one.
pub(crate) const fn f16_bits(v: f32) -> u16 {
    let bits = v.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // From 65520 on the nearest is an infinity.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Subnormal: adding 1/2 leaves the multiple of 2⁻²⁴, rounded, in the low bits.
        let sum = f32::from_bits(magnitude) + 0.5;
        return sign | (sum.to_bits() - 0x3f00_0000) as u16;
    }
    let odd = magnitude >> 13 & 1;
    let rounded = magnitude - 0x3800_0000 + 0xfff + odd;
    sign | (rounded >> 13) as u16
}

/// The value of the bits of a half-precision number.
pub(crate) const fn f16_value(bits: u16) -> f32 {
    let sign = (bits as u32 & 0x8000) << 16;
    let magnitude = (bits as u32 & 0x7fff) << 13;
    let value = match bits & 0x7c00 {
        0x7c00 => f32::from_bits(magnitude | 0x7f80_0000),
        // Subnormal: a multiple of 2⁻²⁴.
        0 => (bits & 0x3ff) as f32 / 16_777_216.0,
        _ => f32::from_bits(magnitude + 0x3800_0000),
    };
    f32::from_bits(value.to_bits() | sign)
}

/// The upper half of the bits of the nearest number that has no others, ties to even.
pub(crate) const fn bf16_bits(v: f32) -> u16 {
    let bits = v.to_bits();
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        return (bits >> 16) as u16 | 0x0040;
    }
    (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

/// The value of those bits.
pub(crate) const fn bf16_value(bits: u16) -> f32 {
    f32::from_bits((bits as u32) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_there_and_back() {
        for bits in 0..=u16::MAX {
            let (half, brain) = (f16_value(bits), bf16_value(bits));
            if !half.is_nan() {
                assert_eq!(f16_bits(half), bits);
            }
            if !brain.is_nan() {
                assert_eq!(bf16_bits(brain), bits);
            }
        }
    }

    #[test]
    fn halves_round_to_the_nearest_even() {
        for low in 0..0x7c00_u16 {
            let (a, b) = (f16_value(low), f16_value(low + 1));
            if b.is_infinite() {
                continue;
            }
            let middle = (f64::from(a) + f64::from(b)) / 2.0;
            let even = if low % 2 == 0 { low } else { low + 1 };
            assert_eq!(f16_bits(middle as f32), even, "{low:x}");
            assert_eq!(f16_bits((middle as f32).next_down()), low);
            assert_eq!(f16_bits((middle as f32).next_up()), low + 1);
        }
        assert_eq!(f16_bits(65_519.996), 0x7bff);
        assert_eq!(f16_bits(65_520.0), 0x7c00);
        assert_eq!(f16_bits(-1e30), 0xfc00);
        assert!(f16_value(f16_bits(f32::NAN)).is_nan());
        assert!(bf16_value(bf16_bits(-f32::NAN)).is_nan());
    }

    #[test]
    fn whole_numbers_wrap() {
        assert_eq!(wrap(DType::I8, 200), -56);
        assert_eq!(wrap(DType::U8, -1), 255);
        assert_eq!(wrap(DType::U32, -1), i64::from(u32::MAX));
        assert_eq!(wrap(DType::I64, i64::MIN), i64::MIN);
    }
}
