//! The functions of floats on one vector, by number: what compiled loops ask for.

use crate::ops::{BinaryOp, UnaryOp};

/// The bit of a function of two operands.
const BINARY: u32 = 1 << 8;
/// The bit of a function of f64.
const WIDE: u32 = 1 << 9;

/// The number of a function of one float.
pub(crate) fn unary(op: UnaryOp, wide: bool) -> u32 {
    op as u32 | if wide { WIDE } else { 0 }
}

/// The number of a function of two.
pub(crate) fn binary(op: BinaryOp, wide: bool) -> u32 {
    op as u32 | BINARY | if wide { WIDE } else { 0 }
}

/// Puts the function of one or both vectors in the place of the first. They hold four f32 or two f64.
#[cfg(target_arch = "wasm32")]
pub(crate) fn compute(function: u32, [first, second]: &mut [[u8; 16]; 2]) {
    use super::span::{Span, SpanMut};

    macro_rules! lanes {
        ($span:ident, $t:ty, $n:literal) => {{
            let [x, y] = [&*first, second].map(|bytes| {
                let (parts, _) = bytes.as_chunks::<{ 16 / $n }>();
                std::array::from_fn::<$t, $n, _>(|i| {
                    parts.get(i).map_or(0.0, |part| <$t>::from_le_bytes(*part))
                })
            });
            let mut found = [0.0; $n];
            let (x, y, to) = (Span::$span(&x), Span::$span(&y), SpanMut::$span(&mut found));
            apply(function, [x, y], to);
            for (to, value) in first.chunks_exact_mut(16 / $n).zip(found) {
                to.copy_from_slice(&value.to_le_bytes());
            }
        }};
    }

    fn apply(function: u32, [x, y]: [Span<'_>; 2], to: SpanMut<'_>) {
        let number = (function & (BINARY - 1)) as usize;
        // A loop was made of a program whose operations have these types, and those of floats never fail.
        let _ = match function & BINARY {
            0 => UnaryOp::ALL.get(number).map(|op| super::unary(*op, x, to)),
            _ => BinaryOp::ALL
                .get(number)
                .map(|op| super::binary(*op, x, y, to)),
        };
    }

    match function & WIDE {
        0 => lanes!(F32, f32, 4),
        _ => lanes!(F64, f64, 2),
    }
}
