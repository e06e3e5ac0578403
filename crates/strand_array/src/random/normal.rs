//! Blocks of normal numbers with the bits of PyTorch's vectorised CPU code.
//!
//! That code takes logarithm, sine and cosine from the Cephes library's single-precision
//! approximations, compiled to fused multiply-adds. Equal draws need the same approximations and
//! the same fusing, so these functions serve the generator alone.

use libm::fmaf;

/// Coefficients of the logarithm from 1/√2 - 1 to √2 - 1, highest power first.
const LOG: [f32; 9] = [
    7.037_683_6e-2,
    -1.151_461e-1,
    1.167_699_84e-1,
    -1.242_014_1e-1,
    1.424_932_3e-1,
    -1.666_805_8e-1,
    2.000_071_4e-1,
    -2.499_999_4e-1,
    3.333_333e-1,
];
const COS: [f32; 3] = [2.443_315_7e-5, -1.388_731_6e-3, 4.166_664_6e-2];
const SIN: [f32; 3] = [-1.951_529_6e-4, 8.332_161e-3, -1.666_665_5e-1];
/// π/4 in three parts.
const QUARTER: [f32; 3] = [0.785_156_25, 2.418_756_5e-4, 3.774_895e-8];

fn horner(coefficients: &[f32], x: f32) -> f32 {
    coefficients
        .iter()
        .copied()
        .reduce(|sum, c| fmaf(sum, x, c))
        .unwrap_or_default()
}

/// The logarithm of a number above 0.
fn log(x: f32) -> f32 {
    let bits = x.max(f32::MIN_POSITIVE).to_bits();
    let exponent = ((bits >> 23) as i32).wrapping_sub(126);
    let mantissa = f32::from_bits(bits & 0x007f_ffff | 0x3f00_0000);
    let low = mantissa < std::f32::consts::FRAC_1_SQRT_2;
    let e = exponent.wrapping_sub(low.into()) as f32;
    let m = mantissa - 1.0 + if low { mantissa } else { 0.0 };
    let square = m * m;
    let tail = fmaf(horner(&LOG, m) * m, square, e * -2.121_944_4e-4) - square * 0.5;
    m + tail + e * 0.693_359_4
}

/// Sine and cosine of an angle from 0 to 2π.
fn sin_cos(angle: f32) -> (f32, f32) {
    // The octant, up to an even one.
    let octant = (angle * (4.0 / std::f32::consts::PI)) as i32;
    let octant = octant.wrapping_add(1) & !1;
    let x = QUARTER
        .iter()
        .fold(angle, |x, part| fmaf(-(octant as f32), *part, x));
    let square = x * x;
    let cosine = fmaf(horner(&COS, square) * square, square, square * -0.5) + 1.0;
    let sine = fmaf(horner(&SIN, square) * square, x, x);
    let (s, c) = if octant & 2 == 0 {
        (sine, cosine)
    } else {
        (cosine, sine)
    };
    let s = if octant & 4 == 0 { s } else { -s };
    let c = if octant.wrapping_sub(2) & 4 == 0 {
        -c
    } else {
        c
    };
    (s, c)
}

/// Turns 16 uniform numbers into normal ones: radii from the first half, angles from the second.
pub(super) fn transform(block: &mut [f32; 16], mean: f32, std: f32) {
    let (low, high) = block.split_at_mut(8);
    for (a, b) in low.iter_mut().zip(high) {
        let radius = (-2.0 * log(1.0 - *a)).sqrt();
        let (sine, cosine) = sin_cos(std::f32::consts::TAU * *b);
        *a = fmaf(radius * cosine, std, mean);
        *b = fmaf(radius * sine, std, mean);
    }
}
