//! Loops over tiles of four rows and four columns.

use std::ops::Range;

use super::simd::{F32x4, Vector};
use crate::block::Pod;

/// Rows of an image whose columns lie in one piece: `out[i * to_stride + j] = from[j * from_stride + i]`
/// for `i` below `rows` and `j` below `columns`.
pub(crate) fn transpose<T: Pod>(
    from: &[T],
    from_stride: usize,
    out: &mut [T],
    to_stride: usize,
    (rows, columns): (usize, usize),
) {
    let fits = |len: usize, stride: usize, lines: usize, along: usize| {
        let last = lines.saturating_sub(1).checked_mul(stride);
        last.is_some_and(|last| along <= len && last <= len - along)
    };
    if rows == 0
        || columns == 0
        || !fits(from.len(), from_stride, columns, rows)
        || !fits(out.len(), to_stride, rows, columns)
    {
        return;
    }
    let (from, out) = (from.as_ptr(), out.as_mut_ptr());
    for top in (0..rows).step_by(SIDE) {
        let bottom = rows.min(top + SIDE);
        for left in (0..columns).step_by(SIDE) {
            let right = columns.min(left + SIDE);
            // SAFETY: the corners of both images were checked, and the tile lies between them.
            unsafe { transpose_tile(from, from_stride, out, to_stride, top..bottom, left..right) };
        }
    }
}

/// Rows and columns of a tile that is turned at once.
const SIDE: usize = 32;

/// # Safety
/// `from` and `out` must have the elements that [`transpose`] describes, for these rows and columns.
unsafe fn transpose_tile<T: Pod>(
    from: *const T,
    from_stride: usize,
    out: *mut T,
    to_stride: usize,
    rows: Range<usize>,
    columns: Range<usize>,
) {
    let mut i = rows.start;
    if size_of::<T>() == size_of::<f32>() {
        while i + 4 <= rows.end {
            let mut j = columns.start;
            while j + 4 <= columns.end {
                // SAFETY: four elements from row i on and from column j on lie in the images. Of
                // a type of this size the bits are moved, whatever they mean.
                unsafe {
                    let line = |k: usize| F32x4::read(from.add((j + k) * from_stride + i).cast());
                    let [p, q, r, s] = F32x4::transpose([line(0), line(1), line(2), line(3)]);
                    let to = |k: usize| out.add((i + k) * to_stride + j).cast();
                    p.write(to(0));
                    q.write(to(1));
                    r.write(to(2));
                    s.write(to(3));
                }
                j += 4;
            }
            for k in i..i + 4 {
                for j in j..columns.end {
                    // SAFETY: an element of a row and a column of the images.
                    unsafe { *out.add(k * to_stride + j) = *from.add(j * from_stride + k) };
                }
            }
            i += 4;
        }
    }
    for i in i..rows.end {
        for j in columns.clone() {
            // SAFETY: an element of a row and a column of the images.
            unsafe { *out.add(i * to_stride + j) = *from.add(j * from_stride + i) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_transposed_whatever_its_size() {
        let sizes = [(1, 1), (4, 4), (5, 7), (33, 5), (33, 64), (40, 35)];
        for (rows, columns) in sizes.into_iter().take(if cfg!(miri) { 4 } else { 6 }) {
            let (from_stride, to_stride) = (rows + 2, columns + 3);
            let from: Vec<f32> = (0..columns * from_stride).map(|v| v as f32).collect();
            let wide: Vec<i64> = (0..columns * from_stride).map(|v| v as i64).collect();
            let mut out = vec![-1.0; rows * to_stride];
            let mut wide_out = vec![-1; rows * to_stride];
            transpose(&from, from_stride, &mut out, to_stride, (rows, columns));
            transpose(
                &wide,
                from_stride,
                &mut wide_out,
                to_stride,
                (rows, columns),
            );
            for (at, (v, w)) in out.iter().zip(&wide_out).enumerate() {
                let (i, j) = (at / to_stride, at % to_stride);
                let expected = if j < columns {
                    (j * from_stride + i) as i64
                } else {
                    -1
                };
                assert_eq!((*v as i64, *w), (expected, expected));
            }
        }
    }
}
