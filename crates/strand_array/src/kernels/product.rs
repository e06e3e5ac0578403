//! The innermost loops of matrix products: packing of panels, and one tile of the result.

use super::simd::{F32x4, F64x2, I64x2, NumberVector, Vector, write_some};
use super::span::Lane;

/// Rows of a tile: with its sums, a factor each and the vectors across, just what 16 registers hold.
pub(crate) const MR: usize = 4;
/// Vectors side by side in a tile.
const ACROSS: usize = 2;
/// The most columns of a tile.
const MOST: usize = 16;

/// An element type that matrices can be multiplied in.
pub(crate) trait Ring: Lane {
    type V: NumberVector<T = Self>;
    /// Columns of a tile.
    const NR: usize = ACROSS * Self::V::N;
}
impl Ring for f32 {
    type V = F32x4;
}
impl Ring for f64 {
    type V = F64x2;
}
impl Ring for i64 {
    type V = I64x2;
}

/// Lines of a matrix, rows or columns, and the terms along them, with strides in elements.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'a, T> {
    pub(crate) data: &'a [T],
    pub(crate) first: usize,
    pub(crate) lines: usize,
    pub(crate) terms: usize,
    pub(crate) line_stride: isize,
    pub(crate) term_stride: isize,
}

impl<T: Lane> Lines<'_, T> {
    fn place(&self, line: usize, term: usize) -> usize {
        let step = line as isize * self.line_stride + term as isize * self.term_stride;
        self.first.wrapping_add_signed(step)
    }

    /// Writes panels of `width` lines, term by term, padded with zeros.
    pub(crate) fn pack(&self, width: usize, to: &mut Vec<T>) {
        let panels = self.lines.div_ceil(width);
        to.clear();
        to.resize(panels * width * self.terms, T::default());
        for (panel, out) in to.chunks_exact_mut(width * self.terms).enumerate() {
            let first = panel * width;
            let count = width.min(self.lines - first);
            if self.line_stride == 1 {
                for (term, group) in out.chunks_exact_mut(width).enumerate() {
                    let at = self.place(first, term);
                    if let (Some(from), Some(group)) =
                        (self.data.get(at..at + count), group.get_mut(..count))
                    {
                        group.copy_from_slice(from);
                    }
                }
                continue;
            }
            for line in 0..count {
                self.pack_line(first + line, out.get_mut(line..).unwrap_or_default(), width);
            }
        }
    }

    /// Writes a line to every `width`th element.
    fn pack_line(&self, line: usize, out: &mut [T], width: usize) {
        let at = self.place(line, 0);
        if self.term_stride == 1 {
            let from = self.data.get(at..at + self.terms).unwrap_or_default();
            for (o, v) in out.iter_mut().step_by(width).zip(from) {
                *o = *v;
            }
            return;
        }
        for (term, o) in out.iter_mut().step_by(width).enumerate() {
            let at = self.place(line, term);
            *o = self.data.get(at).copied().unwrap_or_default();
        }
    }
}

/// Where a tile lies in the result.
#[derive(Clone, Copy)]
pub(crate) struct Tile {
    /// The first element, and elements from a row to the next.
    pub(crate) first: usize,
    pub(crate) width: usize,
    /// Rows and columns that the result has there.
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Whether sums are added to what stands there.
    pub(crate) add: bool,
}

/// Multiplies a panel of rows with a panel of columns, term after term. A sum's terms are added in
/// their order.
#[inline(never)]
pub(crate) fn multiply_panels<T: Ring>(left: &[T], right: &[T], out: &mut [T], tile: Tile) {
    let terms = (left.len() / MR).min(right.len() / T::NR);
    let zero = T::V::splat(T::default());
    let mut sums = [[zero; ACROSS]; MR];
    macro_rules! accumulate {
        ($($row:literal $a:ident $b:ident),*) => {
            $(let (mut $a, mut $b) = (zero, zero);)*
            let (mut x, mut y) = (left.as_ptr(), right.as_ptr());
            for _ in 0..terms {
                // SAFETY: `terms` groups of MR factors lie in the left panel and of NR elements in
                // the right one; the pointers go from group to group.
                unsafe {
                    let (p, q) = (T::V::read(y), T::V::read(y.add(T::V::N)));
                    $(
                        let factor = T::V::splat(*x.add($row));
                        $a = $a + factor * p;
                        $b = $b + factor * q;
                    )*
                    x = x.add(MR);
                    y = y.add(T::NR);
                }
            }
            $(sums[$row] = [$a, $b];)*
        };
    }
    accumulate!(0 a b, 1 c d, 2 e f, 3 g h);
    for (row, vectors) in sums.iter().enumerate().take(tile.rows) {
        let at = tile.first + row * tile.width;
        let Some(line) = out.get_mut(at..at + tile.columns) else {
            return;
        };
        store(*vectors, line, tile.add);
    }
}

#[inline(always)]
fn store<V: NumberVector>(sums: [V; ACROSS], line: &mut [V::T], add: bool) {
    if line.len() == ACROSS * V::N {
        for (k, mut sum) in sums.into_iter().enumerate() {
            // SAFETY: the line has ACROSS vectors of N elements, and k is below ACROSS.
            unsafe {
                let at = line.as_mut_ptr().add(k * V::N);
                if add {
                    sum = V::read(at) + sum;
                }
                sum.write(at);
            }
        }
        return;
    }
    for (part, sum) in line.chunks_mut(V::N).zip(sums) {
        let mut before = [V::T::default(); MOST];
        if add {
            before[..part.len()].copy_from_slice(part);
        }
        // SAFETY: the array has MOST elements, and N is at most that.
        let before = unsafe { V::read(before.as_ptr()) };
        write_some(if add { before + sum } else { sum }, part);
    }
}
