//! The two 16-bit floating-point formats, as bits.

/// `np.float16` bits to the exact `f32`.
#[inline]
pub(crate) const fn f16_to_f32(bits: u16) -> f32 {
    let sign = (bits as u32 & 0x8000) << 16;
    let rest = bits as u32 & 0x7fff;
    // The exponent is rebiased by a multiplication, which also makes subnormals normal.
    let magnitude = if rest >= 0x7c00 {
        f32::from_bits((rest << 13) | 0x7f80_0000)
    } else {
        f32::from_bits(rest << 13) * f32::from_bits(0x7780_0000)
    };
    f32::from_bits(magnitude.to_bits() | sign)
}

/// The nearest `np.float16` of an `f64`, ties to even.
#[inline]
pub(crate) const fn f64_to_f16(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 48) & 0x8000) as u16;
    let magnitude = bits & (u64::MAX >> 1);
    if magnitude > 0x7ff0_0000_0000_0000 {
        // A quiet NaN with the top of the payload.
        return sign | 0x7e00 | ((magnitude >> 42) & 0x3ff) as u16;
    }
    if magnitude >= 0x40ef_fe00_0000_0000 {
        // 65520 and above.
        return sign | 0x7c00;
    }
    if magnitude < 0x3f10_0000_0000_0000 {
        // Below the least normal number, 2^-14: adding 2^28 leaves units of 2^-24 in the last bits.
        let shifted = f64::from_bits(magnitude) + 268_435_456.0;
        return sign | (shifted.to_bits() & 0x7ff) as u16;
    }
    let odd = (magnitude >> 42) & 1;
    let scaled = magnitude.wrapping_sub(1008 << 52);
    let rounded = scaled.wrapping_add(0x1ff_ffff_ffff).wrapping_add(odd);
    sign | (rounded >> 42) as u16
}

/// The nearest `np.float16` of an `f32`, ties to even.
#[inline(always)]
pub(crate) const fn f32_to_f16(value: f32) -> u16 {
    f64_to_f16(value as f64)
}

/// bfloat16 bits to the exact `f32`.
#[inline]
pub(crate) const fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits((bits as u32) << 16)
}

/// The nearest bfloat16 of an `f32`, ties to even; a NaN stays one.
#[inline]
pub(crate) const fn f32_to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        return ((bits >> 16) as u16 & 0x8000) | 0x7fc0;
    }
    let odd = (bits >> 16) & 1;
    (bits.wrapping_add(0x7fff).wrapping_add(odd) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_way_to_f32_and_back() {
        for bits in (0..=u16::MAX).step_by(if cfg!(miri) { 61 } else { 1 }) {
            let value = f16_to_f32(bits);
            if value.is_nan() {
                assert!(
                    (bits & 0x7fff) > 0x7c00 && (f64_to_f16(f64::from(value)) & 0x7fff) > 0x7c00
                );
            } else {
                assert_eq!(f64_to_f16(f64::from(value)), bits);
            }
            let value = bf16_to_f32(bits);
            if value.is_nan() {
                assert_eq!(f32_to_bf16(value) & 0x7fff, 0x7fc0);
            } else {
                assert_eq!(f32_to_bf16(value), bits);
            }
        }
    }
}
