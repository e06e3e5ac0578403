//! Softmax of rows of f32, one pass over each.

use std::mem::MaybeUninit;

use super::fold::{Joins, LEAF, Max, Tree, join_vectors};
use super::simd::{self, F32x4, Vector};
use super::vector_math::{exp_down_begin, exp_down_end};

const N: usize = F32x4::N;

/// What a run's exponentials wait in between their two steps.
type Room = [MaybeUninit<f32>; LEAF];

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
        let (peak, divisor) = (F32x4::splat(peak), F32x4::splat(sum));
        let mut largest = F32x4::splat(f32::NEG_INFINITY);
        let mut pads = [[f32::NEG_INFINITY; N]; 4];
        let mut room = [const { MaybeUninit::uninit() }; LEAF];
        let mut tree = Tree::new();
        let mut left = row;
        loop {
            let (vectors, rest) = (left.min(LEAF) / N, left.min(LEAF) % N);
            // SAFETY: so many elements remain in each stream, or stand in the pads.
            let sums = unsafe {
                largest = self.begin(vectors, peak, divisor, largest, &mut room);
                let mut sums = self.end(vectors, &room);
                self = self.later(vectors);
                if rest > 0 {
                    let padded = self.pad(&mut pads, rest);
                    largest = padded.begin(1, peak, divisor, largest, &mut room);
                    let [last, ..] = padded.end(1, &room);
                    padded.take_out(self, rest);
                    sums[vectors % 4] = sums[vectors % 4] + last;
                }
                sums
            };
            tree.push(join_vectors(sums, |x, y| x + y), |x, y| x + y);
            left -= vectors * N + rest;
            if left == 0 {
                break;
            }
        }
        let sum = tree.close(None, |x, y| x + y).unwrap_or_default();
        (sum, largest.fold(F32x4::larger))
    }

    /// Divides elements of the row before, finds the largest of the next, and takes the first step of exponentials,
    /// of which one part goes to the result and one to the room.
    ///
    /// # Safety
    /// Each stream must have as many vectors, and the room too.
    #[inline(always)]
    unsafe fn begin(
        mut self,
        vectors: usize,
        peak: F32x4,
        divisor: F32x4,
        mut largest: F32x4,
        room: &mut Room,
    ) -> F32x4 {
        let first = exp_down_begin();
        let mut room: *mut f32 = room.as_mut_ptr().cast();
        for _ in 0..vectors {
            // SAFETY: the caller's promise.
            unsafe {
                (F32x4::read(self.before) / divisor).write(self.before);
                largest = largest.larger(F32x4::read(self.next));
                let (rest, power) = first(F32x4::read(self.now) - peak);
                rest.write(self.to);
                power.write(room);
                self = self.later(1);
                room = room.add(N);
            }
        }
        largest
    }

    /// Takes the second step, and gives the sums.
    ///
    /// # Safety
    /// [`Self::begin`] must have gone before.
    #[inline(always)]
    unsafe fn end(mut self, vectors: usize, room: &Room) -> [F32x4; 4] {
        let second = exp_down_end();
        let mut room: *const f32 = room.as_ptr().cast();
        let mut take = |sum: F32x4| {
            // SAFETY: the caller's promise.
            unsafe {
                let power = second(F32x4::read(self.to), F32x4::read(room));
                power.write(self.to);
                self.to = self.to.add(N);
                room = room.add(N);
                sum + power
            }
        };
        // The first is that of the vector to come.
        let [mut a, mut b, mut c, mut d] = [F32x4::splat(0.0); 4];
        for _ in 0..vectors / 4 {
            (a, b, c, d) = (take(a), take(b), take(c), take(d));
        }
        for turn in 0..4 {
            let sum = if turn < vectors % 4 { take(a) } else { a };
            (a, b, c, d) = (b, c, d, sum);
        }
        [a, b, c, d]
    }

    /// Copies the last elements to where whole vectors can be read and written; the rest there counts for nothing.
    ///
    /// # Safety
    /// `left` elements must remain in each stream.
    #[cold]
    unsafe fn pad(self, pads: &mut [[f32; N]; 4], left: usize) -> Self {
        let [now, next, before, to] = pads;
        for k in 0..left.min(N) {
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

    /// Copies back what [`Self::pad`] has taken.
    ///
    /// # Safety
    /// `left` elements must remain in each stream of `to`.
    #[cold]
    unsafe fn take_out(self, to: Self, left: usize) {
        for k in 0..left {
            // SAFETY: the caller's promise.
            unsafe {
                *to.before.add(k) = *self.before.add(k);
                *to.to.add(k) = *self.to.add(k);
            }
        }
    }

    /// # Safety
    /// As many vectors must remain in each stream.
    #[inline(always)]
    unsafe fn later(self, vectors: usize) -> Self {
        let step = vectors * N;
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                now: self.now.add(step),
                next: self.next.add(step),
                before: self.before.add(step),
                to: self.to.add(step),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Sum;
    use crate::kernels::vector_math::exp_down;

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
        let rows = [1, 2, 3, 4, 5, 15, 16, 17, 100, 255, 256, 257, 258, 1025];
        for row in rows.into_iter().filter(|n| !cfg!(miri) || *n < 18) {
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
