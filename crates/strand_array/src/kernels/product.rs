//! The innermost loops of matrix products: packing of panels, and one tile of the result.

use super::simd::{F32x4, F64x2, I64x2, NumberVector, Vector, read_some, write_some};
use super::span::Lane;
use super::transpose::transpose;

/// Rows of a tile: eight sums, two vectors across, four factors and a product are what fifteen registers hold. With a
/// ninth sum one would lie in memory, and all wait for it.
pub(crate) const MR: usize = 4;
/// Vectors side by side in a tile.
const ACROSS: usize = 2;

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

impl<T: Ring> Lines<'_, T> {
    fn place(&self, line: usize, term: usize) -> usize {
        let step = line as isize * self.line_stride + term as isize * self.term_stride;
        self.first.wrapping_add_signed(step)
    }

    /// Writes panels of `width` lines, term by term, padded with zeros.
    pub(crate) fn pack(&self, width: usize, to: &mut Vec<T>) {
        to.resize(
            self.lines.div_ceil(width) * width * self.terms,
            T::default(),
        );
        for (panel, out) in to.chunks_exact_mut(width * self.terms).enumerate() {
            let first = panel * width;
            let count = width.min(self.lines - first);
            if count < width {
                out.fill(T::default());
            }
            let at = self.place(first, 0);
            match (self.line_stride, self.term_stride) {
                (1, _) => self.pack_groups(first, out, width, count),
                (1.., 1) => {
                    let from = self.data.get(at..).unwrap_or_default();
                    let stride = self.line_stride as usize;
                    transpose(from, stride, out, width, (self.terms, count));
                }
                _ => {
                    for (term, group) in out.chunks_exact_mut(width).enumerate() {
                        for (line, o) in group.iter_mut().enumerate().take(count) {
                            let at = self.place(first + line, term);
                            *o = self.data.get(at).copied().unwrap_or_default();
                        }
                    }
                }
            }
        }
    }

    /// Writes `count` lines that lie side by side in each term.
    fn pack_groups(&self, first: usize, out: &mut [T], width: usize, count: usize) {
        for (term, group) in out.chunks_exact_mut(width).enumerate() {
            let at = self.place(first, term);
            let from = self.data.get(at..at + count).unwrap_or_default();
            if count == width && count.is_multiple_of(T::V::N) && from.len() == count {
                for k in (0..count).step_by(T::V::N) {
                    // SAFETY: both slices have `count` elements, whole vectors.
                    unsafe { T::V::read(from.as_ptr().add(k)).write(group.as_mut_ptr().add(k)) };
                }
                continue;
            }
            for (o, v) in group.iter_mut().zip(from) {
                *o = *v;
            }
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
    macro_rules! accumulate {
        ($($row:literal $a:ident $b:ident),*) => {{
            $(let (mut $a, mut $b) = (zero, zero);)*
            let (mut x, mut y) = (left.as_ptr(), right.as_ptr());
            for _ in 0..terms {
                // SAFETY: `terms` groups of MR factors lie in the left panel and of NR elements in
                // the right one; the pointers go from group to group.
                unsafe {
                    let read = |k: usize| T::V::read(y.add(k * T::V::N));
                    let (p, q) = (read(0), read(1));
                    $(
                        let factor = T::V::splat(*x.add($row));
                        $a = $a + factor * p;
                        $b = $b + factor * q;
                    )*
                    x = x.add(MR);
                    y = y.add(T::NR);
                }
            }
            [$([$a, $b]),*]
        }};
    }
    let sums: [[T::V; ACROSS]; MR] = accumulate!(0 a b, 1 c d, 2 e f, 3 g h);
    let Some(out) = out.get_mut(tile.first..) else {
        return;
    };
    let whole = (tile.rows, tile.columns) == (MR, T::NR);
    if whole && out.len() >= (MR - 1) * tile.width + T::NR {
        macro_rules! write {
            ($($row:literal)*) => {$(
                // SAFETY: MR rows of NR elements lie in the slice, `width` apart.
                unsafe {
                    let to = out.as_mut_ptr().add($row * tile.width);
                    let [mut p, mut q] = sums[$row];
                    let at = |k: usize| to.add(k * T::V::N);
                    if tile.add {
                        p = T::V::read(at(0)) + p;
                        q = T::V::read(at(1)) + q;
                    }
                    p.write(at(0));
                    q.write(at(1));
                }
            )*};
        }
        write!(0 1 2 3);
        return;
    }
    for (row, vectors) in sums.into_iter().enumerate().take(tile.rows) {
        let at = row * tile.width;
        let Some(line) = out.get_mut(at..at + tile.columns) else {
            return;
        };
        for (part, sum) in line.chunks_mut(T::V::N).zip(vectors) {
            let before = read_some::<T::V>(part, T::default());
            write_some(if tile.add { before + sum } else { sum }, part);
        }
    }
}
