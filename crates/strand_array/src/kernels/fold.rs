//! Folding many elements into one with a tree that depends on their number alone.
//!
//! Elements go in runs of `LEAF` into `LANES` partial results (element `i` into lane `i % LANES`),
//! the lanes are joined by halves, and the runs pairwise, as a binary counter counts. So a float
//! sum's error grows with the logarithm of the length, the loops vectorise, and rows and columns,
//! fused or not, give the same bits.

use std::mem::MaybeUninit;

use super::simd::{self, F32x4, F64x2, FloatVector, I64x2, U8x16, Vector};
use super::span::Lane;

/// Partial results per run.
pub(crate) const LANES: usize = 16;
/// Elements per run.
pub(crate) const LEAF: usize = 256;

/// A way to join two elements, with the value that changes nothing.
pub(crate) trait Monoid<T: Lane>: Sized {
    type V: Vector<T = T>;
    const IDENTITY: T;
    /// Whether [`Self::step`] loses a NaN, which must be watched for then.
    const WATCH: bool;
    /// What a watched NaN makes of the result.
    const NAN: T;
    /// Joins each lane.
    fn each(a: Self::V, b: Self::V) -> Self::V;
    /// As [`Self::each`] but for NaN, faster.
    fn step(a: Self::V, b: Self::V) -> Self::V;
    /// Joins at most [`LEAF`] elements to lanes, and those to one.
    fn fold(values: &[T]) -> T;
    /// As [`Self::fold`], of a whole run.
    fn leaf(values: &[T; LEAF]) -> T;
    /// The fold of a row that lies in one piece.
    fn row(row: &[T]) -> T {
        Joins::of::<Self>().piecewise(row)
    }
    /// Joins whole groups of [`LANES`] elements to lanes.
    fn run(lanes: &mut [T; LANES], values: &[T]);
    /// In vectors, as a choice between two floats would be a branch that is hard to foretell.
    #[inline(always)]
    fn join(a: T, b: T) -> T {
        Self::each(Self::V::splat(a), Self::V::splat(b)).first()
    }
}

pub(crate) struct Sum;
pub(crate) struct Prod;
/// On bool: whether any is true.
pub(crate) struct Max;
/// On bool: whether all are true.
pub(crate) struct Min;

/// Joins the groups to as many vectors as hold [`LANES`] lanes; each has a name and a number.
macro_rules! groups {
    ($m:ty, $t:ty, $v:ty, $values:expr, $start:expr, [$($acc:ident $k:literal),*]) => {{
        let values = $values;
        let start = $start;
        $(let mut $acc: $v = start($k);)*
        let mut watch = <$v>::splat(Default::default());
        let groups = values.len() / LANES;
        let mut at = values.as_ptr();
        let mut group = 0;
        while group < groups {
            // SAFETY: `groups` groups of LANES elements lie in the slice, and `at` points to one
            // of them; each vector has N of its elements, the last one ends it.
            unsafe {
                $(
                    let value = <$v>::read(at.add($k * <$v>::N));
                    if <$m as Monoid<$t>>::WATCH {
                        watch = watch.or(value.nans());
                    }
                    $acc = <$m as Monoid<$t>>::step($acc, value);
                )*
                at = at.add(LANES);
            }
            group += 1;
        }
        (watch, [$($acc),*])
    }};
}

fn is_nan<T: PartialOrd>(value: &T) -> bool {
    value.partial_cmp(value).is_none()
}

macro_rules! monoid {
    ($name:ident $t:ty, $v:ty, $vectors:tt, $zero:expr, $watch:expr, $nan:expr, $each:expr, $step:expr $(, $row:expr)?) => {
        impl Monoid<$t> for $name {
            type V = $v;
            const IDENTITY: $t = $zero;
            const WATCH: bool = $watch;
            const NAN: $t = $nan;
            #[inline(always)]
            fn each(a: $v, b: $v) -> $v {
                $each(a, b)
            }
            #[inline(always)]
            fn step(a: $v, b: $v) -> $v {
                $step(a, b)
            }
            #[inline(always)]
            fn leaf(leaf: &[$t; LEAF]) -> $t {
                let start = |_| <$v>::splat(<Self as Monoid<$t>>::IDENTITY);
                let (watch, vectors) = groups!(Self, $t, $v, leaf, start, $vectors);
                if <Self as Monoid<$t>>::WATCH && watch.any() {
                    return <Self as Monoid<$t>>::NAN;
                }
                join_vectors(vectors, <Self as Monoid<$t>>::step)
            }
            $(fn row(row: &[$t]) -> $t {
                $row(row)
            })?
            fn fold(leaf: &[$t]) -> $t {
                let start = |_| <$v>::splat(<Self as Monoid<$t>>::IDENTITY);
                let (groups, rest) = leaf.as_chunks::<LANES>();
                let (mut watch, mut vectors) =
                    groups!(Self, $t, $v, groups.as_flattened(), start, $vectors);
                if !rest.is_empty() {
                    let mut last = [<Self as Monoid<$t>>::IDENTITY; LANES];
                    last[..rest.len()].copy_from_slice(rest);
                    let before = |k: usize| vectors[k];
                    let (seen, joined) = groups!(Self, $t, $v, &last, before, $vectors);
                    (watch, vectors) = (watch.or(seen), joined);
                }
                if <Self as Monoid<$t>>::WATCH && watch.any() {
                    return <Self as Monoid<$t>>::NAN;
                }
                join_vectors(vectors, <Self as Monoid<$t>>::step)
            }
            fn run(lanes: &mut [$t; LANES], values: &[$t]) {
                let start = |k: usize| {
                    simd::read_some::<$v>(&lanes[k * <$v>::N..], <Self as Monoid<$t>>::IDENTITY)
                };
                let (watch, vectors) = groups!(Self, $t, $v, values, start, $vectors);
                for (to, vector) in lanes.chunks_exact_mut(<$v>::N).zip(vectors) {
                    simd::write_some(vector, to);
                }
                if <Self as Monoid<$t>>::WATCH && watch.any() {
                    lanes[0] = <Self as Monoid<$t>>::NAN;
                }
            }
        }
    };
}

macro_rules! monoids {
    ($($t:ty, $v:ident, $vectors:tt, $zero:expr, $one:expr;)*) => {$(
        monoid!(Sum $t, $v, $vectors, $zero, false, $zero, |a: $v, b| a + b, |a: $v, b| a + b, in_one::<$t, Sum>);
        monoid!(Prod $t, $v, $vectors, $one, false, $one, |a: $v, b| a * b, |a: $v, b| a * b);
    )*};
}
monoids! {
    f32, F32x4, [a 0, b 1, c 2, d 3], 0.0, 1.0;
    f64, F64x2, [a 0, b 1, c 2, d 3, e 4, f 5, g 6, h 7], 0.0, 1.0;
    i64, I64x2, [a 0, b 1, c 2, d 3, e 4, f 5, g 6, h 7], 0, 1;
}

macro_rules! extremes {
    ($($t:ty, $v:ident, $vectors:tt, $least:expr, $most:expr, $watch:expr, $nan:expr, $max_each:expr, $min_each:expr;)*) => {$(
        monoid!(Max $t, $v, $vectors, $least, $watch, $nan, $max_each, $v::larger);
        monoid!(Min $t, $v, $vectors, $most, $watch, $nan, $min_each, $v::smaller);
    )*};
}
extremes! {
    f32, F32x4, [a 0, b 1, c 2, d 3], f32::NEG_INFINITY, f32::INFINITY, true, f32::NAN, F32x4::maximum, F32x4::minimum;
    f64, F64x2, [a 0, b 1, c 2, d 3, e 4, f 5, g 6, h 7], f64::NEG_INFINITY, f64::INFINITY, true, f64::NAN, F64x2::maximum, F64x2::minimum;
    i64, I64x2, [a 0, b 1, c 2, d 3, e 4, f 5, g 6, h 7], i64::MIN, i64::MAX, false, 0, I64x2::larger, I64x2::smaller;
    u8, U8x16, [a 0], 0, 1, false, 0, U8x16::larger, U8x16::smaller;
}

/// Joins the vectors by halves, and then the lanes of the last one.
#[inline(always)]
pub(super) fn join_vectors<V: Vector>(vectors: impl AsRef<[V]>, f: impl Fn(V, V) -> V) -> V::T {
    let vectors = vectors.as_ref();
    let at = |k: usize| vectors[k];
    let last = match vectors.len() {
        1 => at(0),
        4 => f(f(at(0), at(2)), f(at(1), at(3))),
        _ => f(
            f(f(at(0), at(4)), f(at(2), at(6))),
            f(f(at(1), at(5)), f(at(3), at(7))),
        ),
    };
    last.fold(f)
}

/// The loops of one way to join, compiled once for each element type. What folds holds them as pointers, so that its
/// own code is compiled once for each type rather than for each way too.
#[derive(Clone, Copy)]
pub(crate) struct Joins<T> {
    pub(crate) identity: T,
    pub(crate) two: fn(T, T) -> T,
    /// Joins elements to those that stand before them.
    pub(crate) into: fn(&mut [T], &[T]),
    /// Joins whole groups of elements into the lanes.
    run: fn(&mut [T; LANES], &[T]),
    /// Joins the elements of a run.
    leaf: fn(&[T]) -> T,
    /// Joins the elements of a row.
    whole: fn(&[T]) -> T,
    /// Joins elements that lie `stride` apart, as many as the last number says, in each of the columns that start
    /// with the slice.
    pub(super) columns: fn(&mut [T], &[T], usize, usize),
    /// The first place of a row's fold, among extremes; of NaN too.
    pub(crate) place: fn(&[T]) -> usize,
}

impl<T: Lane> Joins<T> {
    pub(crate) const fn of<M: Monoid<T>>() -> Self {
        Self {
            identity: M::IDENTITY,
            two: M::join,
            into: join_into::<T, M>,
            run: M::run,
            leaf: M::fold,
            whole: M::row,
            columns: join_columns::<T, M>,
            place: place::<T, M>,
        }
    }

    /// The fold of a row that lies in one piece.
    pub(crate) fn row(&self, row: &[T]) -> T {
        (self.whole)(row)
    }

    /// As [`Self::row`], by calls for each run.
    fn piecewise(&self, row: &[T]) -> T {
        let Some((first, later)) = row.split_at_checked(LEAF) else {
            return (self.leaf)(row);
        };
        let mut tree = Tree::new();
        tree.push((self.leaf)(first), self.two);
        for leaf in later.chunks(LEAF) {
            tree.push((self.leaf)(leaf), self.two);
        }
        tree.close(None, self.two).unwrap_or(self.identity)
    }
}

/// The fold of a row that lies in one piece, with all of it in one loop: calls would cost a third of a sum's time.
fn in_one<T: Lane, M: Monoid<T>>(row: &[T]) -> T {
    let (leaves, rest) = row.as_chunks::<LEAF>();
    if leaves.is_empty() {
        return M::fold(rest);
    }
    let mut tree = Tree::new();
    for leaf in leaves {
        tree.put(M::leaf(leaf), M::join);
    }
    let last = (!rest.is_empty()).then(|| M::fold(rest));
    tree.close(last, M::join).unwrap_or(M::IDENTITY)
}

/// The place is sought in the first run that has the row's fold.
fn place<T: Lane, M: Monoid<T>>(row: &[T]) -> usize {
    let (mut best, mut start) = (M::IDENTITY, 0);
    for (number, leaf) in row.chunks(LEAF).enumerate() {
        let joined = M::join(best, M::fold(leaf));
        if (joined != best) & !is_nan(&best) {
            start = number * LEAF;
        }
        best = joined;
    }
    let leaf = row
        .get(start..row.len().min(start + LEAF))
        .unwrap_or_default();
    let place = if is_nan(&best) {
        leaf.iter().position(is_nan)
    } else {
        simd::find::<M::V>(leaf, best)
    };
    start + place.unwrap_or_default()
}

fn join_into<T: Lane, M: Monoid<T>>(to: &mut [T], from: &[T]) {
    simd::join(to, from, M::each);
}

fn join_columns<T: Lane, M: Monoid<T>>(out: &mut [T], data: &[T], stride: usize, count: usize) {
    simd::join_columns(out, data, stride, count, M::V::splat(M::IDENTITY), M::each);
}

/// The most runs that a row can have are numbered by so many bits.
const LEVELS: usize = 32;

/// The folds of a row's runs, joined pairwise as a binary counter counts.
pub(super) struct Tree<T> {
    leaves: u32,
    /// How many of `partial` are in use.
    waiting: usize,
    partial: [MaybeUninit<T>; LEVELS],
}

impl<T: Lane> Tree<T> {
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self {
            leaves: 0,
            waiting: 0,
            partial: [const { MaybeUninit::uninit() }; LEVELS],
        }
    }

    fn pop(&mut self) -> Option<T> {
        self.waiting = self.waiting.checked_sub(1)?;
        let top = self.partial.get(self.waiting)?;
        // SAFETY: `push` has written what lies below `waiting`.
        Some(unsafe { top.assume_init() })
    }

    pub(super) fn push(&mut self, value: T, join: fn(T, T) -> T) {
        self.put(value, join);
    }

    /// As [`Self::push`], within the caller's loop.
    #[inline(always)]
    fn put(&mut self, mut value: T, join: impl Fn(T, T) -> T) {
        let mut count = self.leaves;
        while count & 1 == 1 {
            if let Some(before) = self.pop() {
                value = join(before, value);
            }
            count >>= 1;
        }
        if let Some(place) = self.partial.get_mut(self.waiting) {
            place.write(value);
            self.waiting += 1;
        }
        self.leaves += 1;
    }

    /// The fold of all runs, and of `last` behind them; the tree is as new afterwards.
    pub(super) fn close(&mut self, last: Option<T>, join: fn(T, T) -> T) -> Option<T> {
        self.leaves = 0;
        let mut value = last.or_else(|| self.pop())?;
        while let Some(before) = self.pop() {
            value = join(before, value);
        }
        Some(value)
    }
}

/// The fold of one row.
pub(crate) struct RowFold<T> {
    joins: Joins<T>,
    lanes: [T; LANES],
    in_leaf: usize,
    tree: Tree<T>,
}

impl<T: Lane> RowFold<T> {
    pub(crate) fn new(joins: Joins<T>) -> Self {
        Self {
            joins,
            lanes: [joins.identity; LANES],
            in_leaf: 0,
            tree: Tree::new(),
        }
    }

    /// The result; the fold is as new afterwards.
    pub(crate) fn finish(&mut self) -> T {
        let rest = self.tree.leaves == 0 || self.in_leaf > 0;
        let last = rest.then(|| (self.joins.leaf)(&self.lanes));
        self.in_leaf = 0;
        self.lanes = [self.joins.identity; LANES];
        let found = self.tree.close(last, self.joins.two);
        found.unwrap_or(self.joins.identity)
    }

    /// Takes the next elements.
    pub(crate) fn feed(&mut self, mut values: &[T]) {
        while !values.is_empty() {
            if self.in_leaf == 0
                && let Some((leaf, later)) = values.split_at_checked(LEAF)
            {
                self.tree.push((self.joins.leaf)(leaf), self.joins.two);
                values = later;
                continue;
            }
            // Up to the next lane boundary one by one, so that a run may be cut anywhere.
            let lane = self.in_leaf % LANES;
            let whole = (LEAF - self.in_leaf).min(values.len()) / LANES * LANES;
            let n = if lane == 0 && whole > 0 {
                whole
            } else {
                (LANES - lane).min(values.len())
            };
            let (now, later) = values.split_at(n);
            if n.is_multiple_of(LANES) {
                (self.joins.run)(&mut self.lanes, now);
            } else {
                (self.joins.into)(&mut self.lanes[lane..], now);
            }
            self.in_leaf += n;
            if self.in_leaf == LEAF {
                self.tree
                    .push((self.joins.leaf)(&self.lanes), self.joins.two);
                self.in_leaf = 0;
                self.lanes = [self.joins.identity; LANES];
            }
            values = later;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::TileFold;
    use super::*;

    fn values(n: usize) -> Vec<f32> {
        (0..n)
            .map(|i| ((i * 7919 + 13) % 1000) as f32 * 0.37 - 150.0)
            .collect()
    }

    /// Under Miri only the short ones.
    fn lengths<const N: usize>(all: [usize; N]) -> impl Iterator<Item = usize> {
        all.into_iter().filter(|n| !cfg!(miri) || *n < 300)
    }

    #[test]
    fn cutting_a_row_anywhere_gives_the_same_bits() {
        for n in lengths([0, 1, 15, 16, 17, 255, 256, 257, 700, 5000]) {
            let row = values(n);
            let mut whole: RowFold<f32> = RowFold::new(Joins::of::<Sum>());
            whole.feed(&row);
            let expected = whole.finish();
            for piece in [1, 3, 16, 100, 256, 300] {
                let mut fold = RowFold::new(Joins::of::<Sum>());
                row.chunks(piece).for_each(|c| fold.feed(c));
                assert_eq!(
                    fold.finish().to_bits(),
                    expected.to_bits(),
                    "{n} in pieces of {piece}"
                );
            }
        }
    }

    #[test]
    fn a_row_in_one_piece_folds_as_pieces_do() {
        for n in lengths([0, 1, 15, 16, 100, 255, 256, 257, 700, 5000]) {
            let mut row = values(n);
            for (joins, nan) in [(Joins::of::<Sum>(), false), (Joins::of::<Max>(), true)] {
                let mut fold = RowFold::new(joins);
                row.chunks(7).for_each(|c| fold.feed(c));
                assert_eq!(fold.finish().to_bits(), joins.row(&row).to_bits(), "{n}");
                if let (Some(last), true) = (row.last_mut(), nan) {
                    *last = f32::NAN;
                    assert!(joins.row(&row).is_nan());
                }
            }
        }
    }

    #[test]
    fn rows_that_lie_apart_fold_as_rows_one_by_one() {
        for n in lengths([1, 5, 16, 17, 256, 257, 1025]) {
            if cfg!(miri) && n > 100 {
                continue;
            }
            let (width, stride) = if cfg!(miri) { (17, 18) } else { (37, 40) };
            let data = values(n * stride);
            let (mut one, mut other) = (vec![0.0; width], vec![0.0; width]);
            let mut tile = TileFold::new(Joins::of::<Sum>(), width);
            tile.feed_apart(&data, stride, n);
            tile.finish(&mut one);
            data.chunks(stride).for_each(|row| tile.feed(&row[..width]));
            tile.finish(&mut other);
            assert_eq!(one, other, "{n} rows");
        }
    }

    #[test]
    fn places_of_values_are_the_first_ones() {
        let joins = Joins::<f32>::of::<Max>();
        for n in [1, 3, 16, 17, 100] {
            let mut row = values(n);
            for at in [0, n / 2, n - 1] {
                let before = std::mem::replace(&mut row[at], 1e9);
                assert_eq!((joins.place)(&row), at);
                row[at] = before;
            }
        }
        assert_eq!((joins.place)(&[1.0, f32::NAN, f32::NAN]), 1);
    }

    #[test]
    fn columns_fold_as_rows_do() {
        for n in lengths([0, 1, 5, 16, 17, 256, 257, 1025, 3000]) {
            let columns: Vec<Vec<f32>> = (0..3).map(|c| values(n + c).split_off(c)).collect();
            let mut tile = TileFold::new(Joins::of::<Sum>(), 3);
            for i in 0..n {
                tile.feed(&columns.iter().map(|c| c[i]).collect::<Vec<_>>());
            }
            let mut found = [0.0; 3];
            tile.finish(&mut found);
            for (column, found) in columns.iter().zip(found) {
                let mut row = RowFold::new(Joins::of::<Sum>());
                row.feed(column);
                assert_eq!(row.finish().to_bits(), found.to_bits(), "{n} rows");
            }
        }
    }

    #[test]
    fn nan_wins() {
        let mut fold = RowFold::new(Joins::of::<Max>());
        let mut row = values(1000);
        row[700] = f32::NAN;
        fold.feed(&row);
        assert!(fold.finish().is_nan());
    }
}
