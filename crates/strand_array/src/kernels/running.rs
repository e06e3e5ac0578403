//! Running sums of rows of f32, in f64 as PyTorch has them on a CPU.

use super::simd::{F32x4, F64x2, Vector};

/// Rows that are summed side by side: a sum waits for the one before it.
const ROWS: usize = 4;

/// Running sums of rows of `size` elements, which isn't 0.
pub(crate) fn running_sums(size: usize, rows: &[f32], out: &mut [f32]) {
    let blocks = rows.chunks(ROWS * size);
    for (rows, out) in blocks.zip(out.chunks_mut(ROWS * size)) {
        let mut done = 0;
        let mut sums = [0.0; ROWS];
        if rows.len() == ROWS * size && out.len() == rows.len() {
            done = side_by_side(size, rows, out, &mut sums);
        }
        let pairs = rows.chunks(size).zip(out.chunks_mut(size));
        for ((row, out), sum) in pairs.zip(sums) {
            let mut sum = sum;
            for (o, v) in out.iter_mut().zip(row).skip(done) {
                sum += f64::from(*v);
                *o = sum as f32;
            }
        }
    }
}

/// Whole vectors of four rows; gives how many elements of each that are. Both slices have four times `size`.
fn side_by_side(size: usize, rows: &[f32], out: &mut [f32], sums: &mut [f64; ROWS]) -> usize {
    let (from, to) = (rows.as_ptr(), out.as_mut_ptr());
    let [mut first, mut second] = [F64x2::splat(0.0); 2];
    let mut at = 0;
    while at + F32x4::N <= size {
        // SAFETY: a vector from `at` on lies in each of the four rows.
        unsafe {
            first = pair(first, from.add(at), to.add(at), size);
            let later = at + 2 * size;
            second = pair(second, from.add(later), to.add(later), size);
        }
        at += F32x4::N;
    }
    // SAFETY: four elements.
    unsafe {
        first.write(sums.as_mut_ptr());
        second.write(sums.as_mut_ptr().add(F64x2::N));
    }
    at
}

/// Adds vectors of two rows to the rows' sums.
///
/// # Safety
/// A vector must lie at both pointers, and `size` elements behind them.
#[inline(always)]
unsafe fn pair(mut sum: F64x2, from: *const f32, to: *mut f32, size: usize) -> F64x2 {
    // SAFETY: the caller's promise.
    let rows = unsafe { [F32x4::read(from), F32x4::read(from.add(size))] };
    let mut next = |columns: F32x4| {
        let [one, other] = columns.widen();
        let before = sum + one;
        sum = before + other;
        F32x4::narrow([before, sum])
    };
    let [low, high] = F32x4::interleave(rows);
    let sums = [next(low), next(high)];
    let [one, other] = F32x4::apart(sums);
    // SAFETY: the caller's promise.
    unsafe {
        one.write(to);
        other.write(to.add(size));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_side_by_side_have_the_sums_of_single_rows() {
        for size in [1, 3, 4, 7, 8, 33] {
            for count in 1..=if cfg!(miri) && size > 4 { 3 } else { 9 } {
                let value = |i: usize| ((i * 7919 + 13) % 1000) as f32 * 0.37 - 150.0;
                let data: Vec<f32> = (0..count * size).map(value).collect();
                let mut found = vec![0.0; data.len()];
                running_sums(size, &data, &mut found);
                for (row, found) in data.chunks(size).zip(found.chunks(size)) {
                    let mut sum = 0.0;
                    for (v, found) in row.iter().zip(found) {
                        sum += f64::from(*v);
                        assert_eq!(sum as f32, *found, "{size} {count}");
                    }
                }
            }
        }
    }
}
