//! Softmax of rows of f32, one pass over each.

use super::fold::{Joins, LEAF, Max, Tree, join_vectors};
use super::simd::{self, F32x4, Vector};
use super::vector_math::exp_down;

/// Exponentials over their sum, for rows of `row` elements; at least one row, and none empty.
///
/// While the exponentials of a row are computed, the row before is divided by its sum and the largest of the next is
/// found: what waits for memory or for a division is hidden behind arithmetic.
pub(crate) fn softmax(data: &[f32], out: &mut [f32], row: usize) {
    let rows = data.len().min(out.len()) / row.max(1);
    let Some(first) = data.get(..row) else {
        return;
    };
    let mut peak = Joins::<f32>::of::<Max>().row(first);
    let mut sum = 1.0;
    let (from, to) = (data.as_ptr(), out.as_mut_ptr());
    for at in 0..rows {
        let (before, next) = (at.saturating_sub(1), (at + 1).min(rows - 1));
        // SAFETY: both slices have `rows` rows, and all the numbers are below that.
        let streams = unsafe {
            Streams {
                now: from.add(at * row),
                next: from.add(next * row),
                before: to.add(before * row),
                to: to.add(at * row),
            }
        };
        // SAFETY: each stream has a row; the first row is written after it was read as the one before.
        (sum, peak) = unsafe { streams.pass(row, peak, sum) };
    }
    let last = out.get_mut((rows - 1) * row..rows * row);
    let sum = F32x4::splat(sum);
    simd::map_in_place(last.unwrap_or_default(), |x: F32x4| x / sum);
}

/// Where the rows of a pass start.
#[derive(Clone, Copy)]
struct Streams {
    now: *const f32,
    next: *const f32,
    before: *mut f32,
    to: *mut f32,
}

impl Streams {
    /// Gives the sum of the exponentials less `peak`, and the largest of the next row but for NaN; `sum` is that of
    /// the row before. What is NaN makes the sum of its row so.
    ///
    /// # Safety
    /// Each stream must have `row` elements.
    unsafe fn pass(mut self, row: usize, peak: f32, sum: f32) -> (f32, f32) {
        const N: usize = F32x4::N;
        let (peak, divisor) = (F32x4::splat(peak), F32x4::splat(sum));
        let zero = F32x4::splat(0.0);
        let mut largest = F32x4::splat(f32::NEG_INFINITY);
        let mut pads = [[f32::NEG_INFINITY; N]; 4];
        let mut tree = Tree::new();
        let mut left = row;
        loop {
            // The first is that of the vector to come.
            let [mut a, mut b, mut c, mut d] = [zero; 4];
            let end = left.saturating_sub(LEAF);
            let mut vectors = (left - end).div_ceil(N);
            let turns = vectors % 4;
            while vectors > 0 {
                let at = self;
                if left < N {
                    // SAFETY: `left` elements remain in each stream.
                    self = unsafe { self.pad(&mut pads, left) };
                }
                // SAFETY: a vector's elements remain, or stand in the pads.
                unsafe {
                    (F32x4::read(self.before) / divisor).write(self.before);
                    largest = largest.larger(F32x4::read(self.next));
                    let power = exp_down(F32x4::read(self.now) - peak);
                    power.write(self.to);
                    (a, b, c, d) = (b, c, d, a + power);
                }
                if left < N {
                    for k in 0..left {
                        // SAFETY: as above.
                        unsafe {
                            *at.before.add(k) = *self.before.add(k);
                            *at.to.add(k) = *self.to.add(k);
                        }
                    }
                    left = N;
                }
                // SAFETY: a vector was there.
                self = unsafe { self.later() };
                left -= N;
                vectors -= 1;
            }
            for _ in turns..4 {
                (a, b, c, d) = (b, c, d, a);
            }
            tree.push(join_vectors([a, b, c, d], |x, y| x + y), |x, y| x + y);
            if left == 0 {
                break;
            }
        }
        let sum = tree.close(None, |x, y| x + y).unwrap_or_default();
        (sum, largest.fold(F32x4::larger))
    }

    /// Copies the last elements to where whole vectors can be read and written; the rest there counts for nothing.
    ///
    /// # Safety
    /// `left` elements must remain in each stream.
    #[cold]
    unsafe fn pad(self, pads: &mut [[f32; F32x4::N]; 4], left: usize) -> Self {
        let [now, next, before, to] = pads;
        for k in 0..left.min(F32x4::N) {
            // SAFETY: the caller's promise.
            unsafe {
                now[k] = *self.now.add(k);
                next[k] = *self.next.add(k);
                before[k] = *self.before.add(k);
            }
        }
        Self {
            now: now.as_ptr(),
            next: next.as_ptr(),
            before: before.as_mut_ptr(),
            to: to.as_mut_ptr(),
        }
    }

    /// # Safety
    /// A vector's elements must remain in each stream.
    #[inline(always)]
    unsafe fn later(self) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                now: self.now.add(F32x4::N),
                next: self.next.add(F32x4::N),
                before: self.before.add(F32x4::N),
                to: self.to.add(F32x4::N),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Sum;

    /// One step after another.
    fn plainly(row: &[f32]) -> Vec<f32> {
        let peak = F32x4::splat(Joins::<f32>::of::<Max>().row(row));
        let mut powers = vec![0.0; row.len()];
        simd::map(row, &mut powers, |x: F32x4| exp_down(x - peak));
        let sum = Joins::<f32>::of::<Sum>().row(&powers);
        powers.iter().map(|power| power / sum).collect()
    }

    #[test]
    fn rows_one_behind_another_have_the_bits_of_single_steps() {
        for row in [1, 2, 3, 4, 5, 15, 16, 17, 100, 255, 256, 257, 258, 1025] {
            let value = |i: usize| ((i * 7919 + 13) % 1000) as f32 * 0.03 - 15.0;
            let mut data: Vec<f32> = (0..4 * row).map(value).collect();
            data[row] = f32::NAN;
            data[2 * row - 1] = f32::NEG_INFINITY;
            for rows in 1..=4 {
                let data = &data[..rows * row];
                let mut found = vec![7.0; data.len()];
                softmax(data, &mut found, row);
                let wanted = data.chunks(row).flat_map(plainly);
                for (found, wanted) in found.into_iter().zip(wanted) {
                    let both = found.is_nan() && wanted.is_nan();
                    assert!(both || found.to_bits() == wanted.to_bits(), "{row}");
                }
            }
        }
    }
}
