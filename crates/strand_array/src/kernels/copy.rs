//! Copies of rows that are mostly short.

use super::simd::{U8x16, Vector};
use crate::block::Pod;

/// Longer rows are left to the host's own copy, a call of which costs as much as some hundred bytes.
const LONG_ROW: usize = 1 << 10;

/// `to = from`, of one length: for rows of which many are short.
#[inline]
pub(crate) fn copy_row<T: Pod>(from: &[T], to: &mut [T]) {
    if let ([from], [to]) = (from, &mut *to) {
        *to = *from;
        return;
    }
    let bytes = size_of_val(from);
    if from.len() != to.len() || !(U8x16::N..=LONG_ROW).contains(&bytes) {
        return to.copy_from_slice(from);
    }
    let (from, to): (*const u8, *mut u8) = (from.as_ptr().cast(), to.as_mut_ptr().cast());
    let mut at = 0;
    while at < bytes {
        // The last vectors may be ones that were copied before, so that none reaches past the end.
        let places = [0, 1, 2, 3].map(|k| (at + k * U8x16::N).min(bytes - U8x16::N));
        // SAFETY: both have so many bytes, a vector or more, and each place has a vector's bytes behind it. The bytes
        // are moved, whatever they mean.
        unsafe {
            let vectors = places.map(|place| U8x16::read(from.add(place)));
            for (vector, place) in vectors.into_iter().zip(places) {
                vector.write(to.add(place));
            }
        }
        at += 4 * U8x16::N;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_any_length_are_copied_and_nothing_behind_them() {
        for n in [
            0, 1, 2, 3, 4, 5, 7, 15, 16, 17, 33, 64, 65, 255, 256, 257, 300,
        ] {
            let from: Vec<f32> = (0..n).map(|i| i as f32 + 1.0).collect();
            let mut to = vec![-1.0; n + 1];
            copy_row(&from, &mut to[..n]);
            assert_eq!((&to[..n], to[n]), (&from[..], -1.0));
        }
    }
}
