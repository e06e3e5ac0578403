//! Folding many elements into one with a tree that depends on their number alone.
//!
//! Elements go in runs of `LEAF` into `LANES` partial results (element `i` into lane `i % LANES`),
//! the lanes are joined by halves, and the runs pairwise, as a binary counter counts. So a float
//! sum's error grows with the logarithm of the length, the loops vectorise, and rows and columns,
//! fused or not, give the same bits.

use super::binary::{maximum, minimum};
use super::span::Lane;

/// Partial results per run.
pub(crate) const LANES: usize = 16;
/// Elements per run.
pub(crate) const LEAF: usize = 256;

/// A way to join two elements, with the value that changes nothing.
pub(crate) trait Monoid<T: Lane> {
    const IDENTITY: T;
    fn join(a: T, b: T) -> T;
}

pub(crate) struct Sum;
pub(crate) struct Prod;
/// On bool: whether any is true.
pub(crate) struct Max;
/// On bool: whether all are true.
pub(crate) struct Min;

macro_rules! monoids {
    ($($t:ty: $zero:expr, $one:expr, $least:expr, $most:expr, $add:expr, $mul:expr;)*) => {$(
        impl Monoid<$t> for Sum {
            const IDENTITY: $t = $zero;
            #[inline(always)]
            fn join(a: $t, b: $t) -> $t {
                $add(a, b)
            }
        }
        impl Monoid<$t> for Prod {
            const IDENTITY: $t = $one;
            #[inline(always)]
            fn join(a: $t, b: $t) -> $t {
                $mul(a, b)
            }
        }
        impl Monoid<$t> for Max {
            const IDENTITY: $t = $least;
            #[inline(always)]
            fn join(a: $t, b: $t) -> $t {
                maximum(a, b)
            }
        }
        impl Monoid<$t> for Min {
            const IDENTITY: $t = $most;
            #[inline(always)]
            fn join(a: $t, b: $t) -> $t {
                minimum(a, b)
            }
        }
    )*};
}
monoids! {
    f32: 0.0, 1.0, f32::NEG_INFINITY, f32::INFINITY, |a, b| a + b, |a, b| a * b;
    f64: 0.0, 1.0, f64::NEG_INFINITY, f64::INFINITY, |a, b| a + b, |a, b| a * b;
    i64: 0, 1, i64::MIN, i64::MAX, i64::wrapping_add, i64::wrapping_mul;
    u8: 0, 1, 0, 1, |a: u8, b: u8| a | b, |a: u8, b: u8| a & b;
}

/// The loops of one way to join, compiled once for each element type. What folds holds them as pointers, so that its
/// own code is compiled once for each type rather than for each way too.
#[derive(Clone, Copy)]
pub(crate) struct Joins<T> {
    pub(crate) identity: T,
    /// Joins elements to those that stand before them.
    pub(crate) into: fn(&mut [T], &[T]),
    /// Joins elements that start at a lane boundary into the lanes.
    run: fn(&mut [T; LANES], &[T]),
}

impl<T: Lane> Joins<T> {
    pub(crate) const fn of<M: Monoid<T>>() -> Self {
        Self {
            identity: M::IDENTITY,
            into: join_into::<T, M>,
            run: join_run::<T, M>,
        }
    }

    pub(crate) fn two(&self, a: T, b: T) -> T {
        let mut joined = [a];
        (self.into)(&mut joined, &[b]);
        joined[0]
    }
}

fn join_into<T: Lane, M: Monoid<T>>(to: &mut [T], from: &[T]) {
    for (a, b) in to.iter_mut().zip(from) {
        *a = M::join(*a, *b);
    }
}

fn join_run<T: Lane, M: Monoid<T>>(lanes: &mut [T; LANES], values: &[T]) {
    let (groups, rest) = values.as_chunks::<LANES>();
    let mut sum = *lanes;
    for group in groups {
        for (s, v) in sum.iter_mut().zip(group) {
            *s = M::join(*s, *v);
        }
    }
    for (s, v) in sum.iter_mut().zip(rest) {
        *s = M::join(*s, *v);
    }
    *lanes = sum;
}

/// The fold of one row.
pub(crate) struct RowFold<T> {
    joins: Joins<T>,
    lanes: [T; LANES],
    in_leaf: usize,
    leaves: u64,
    partial: Vec<T>,
}

impl<T: Lane> RowFold<T> {
    pub(crate) fn new(joins: Joins<T>) -> Self {
        Self {
            joins,
            lanes: [joins.identity; LANES],
            in_leaf: 0,
            leaves: 0,
            partial: Vec::new(),
        }
    }

    fn join_lanes(&self) -> T {
        let mut sum = self.lanes;
        let mut half = LANES / 2;
        while half > 0 {
            let (low, high) = sum.split_at_mut(half);
            (self.joins.into)(low, &high[..half]);
            half /= 2;
        }
        sum[0]
    }

    fn close_leaf(&mut self) {
        let mut value = self.join_lanes();
        let mut count = self.leaves;
        while count & 1 == 1 {
            if let Some(before) = self.partial.pop() {
                value = self.joins.two(before, value);
            }
            count >>= 1;
        }
        self.partial.push(value);
        self.leaves += 1;
        self.in_leaf = 0;
        self.lanes = [self.joins.identity; LANES];
    }

    /// The result; the fold is as new afterwards.
    pub(crate) fn finish(&mut self) -> T {
        let mut value = (self.leaves == 0 || self.in_leaf > 0).then(|| self.join_lanes());
        while let Some(before) = self.partial.pop() {
            value = Some(value.map_or(before, |v| self.joins.two(before, v)));
        }
        self.leaves = 0;
        self.in_leaf = 0;
        self.lanes = [self.joins.identity; LANES];
        value.unwrap_or(self.joins.identity)
    }

    /// Takes the next elements.
    pub(crate) fn feed(&mut self, mut values: &[T]) {
        while !values.is_empty() {
            // Up to the next lane boundary one by one, so that a run may be cut anywhere.
            let lane = self.in_leaf % LANES;
            let room = LEAF - self.in_leaf;
            let n = if lane == 0 { room } else { LANES - lane }.min(values.len());
            let (now, later) = values.split_at(n);
            if lane == 0 {
                (self.joins.run)(&mut self.lanes, now);
            } else {
                (self.joins.into)(&mut self.lanes[lane..], now);
            }
            self.in_leaf += n;
            if self.in_leaf == LEAF {
                self.close_leaf();
            }
            values = later;
        }
    }
}

/// The fold of many columns side by side: the same tree as [`RowFold`] in each.
pub(crate) struct TileFold<T> {
    joins: Joins<T>,
    width: usize,
    lanes: Vec<T>,
    in_leaf: usize,
    leaves: u64,
    partial: Vec<Vec<T>>,
    spare: Vec<Vec<T>>,
}

impl<T: Lane> TileFold<T> {
    /// A fold of `width` columns.
    pub(crate) fn new(joins: Joins<T>, width: usize) -> Self {
        Self {
            joins,
            width,
            lanes: Vec::new(),
            in_leaf: 0,
            leaves: 0,
            partial: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Adds one row of `width` elements.
    fn feed_row(&mut self, row: &[T]) {
        let start = self.in_leaf % LANES * self.width;
        if self.in_leaf < LANES {
            // A lane's first element: joined with the identity, as a row's is.
            self.lanes.resize(start + self.width, self.joins.identity);
        }
        if let Some(lane) = self.lanes.get_mut(start..start + self.width) {
            (self.joins.into)(lane, row);
        }
        self.in_leaf += 1;
        if self.in_leaf == LEAF {
            self.close_leaf();
        }
    }

    fn join_lanes(&mut self) {
        // A lane that was never fed holds the identity in a row; joining it changes nothing.
        let mut half = LANES / 2;
        while half > 0 {
            let cut = (half * self.width).min(self.lanes.len());
            let (low, high) = self.lanes.split_at_mut(cut);
            (self.joins.into)(low, high);
            half /= 2;
        }
        self.lanes.truncate(self.width);
    }

    fn close_leaf(&mut self) {
        self.join_lanes();
        let mut value = std::mem::replace(&mut self.lanes, self.spare.pop().unwrap_or_default());
        let mut count = self.leaves;
        while count & 1 == 1 {
            if let Some(mut before) = self.partial.pop() {
                (self.joins.into)(&mut before, &value);
                value.clear();
                self.spare.push(std::mem::replace(&mut value, before));
            }
            count >>= 1;
        }
        self.partial.push(value);
        self.leaves += 1;
        self.in_leaf = 0;
    }

    /// Writes the results of all columns; the fold is as new afterwards.
    pub(crate) fn finish(&mut self, out: &mut [T]) {
        if self.in_leaf == 0 && self.leaves == 0 {
            return out.fill(self.joins.identity);
        }
        let mut value = None;
        if self.in_leaf > 0 {
            self.join_lanes();
            value = Some(std::mem::take(&mut self.lanes));
        }
        while let Some(mut before) = self.partial.pop() {
            if let Some(v) = value {
                (self.joins.into)(&mut before, &v);
            }
            value = Some(before);
        }
        for (o, v) in out.iter_mut().zip(value.iter().flatten()) {
            *o = *v;
        }
        self.lanes = value
            .map(|mut v| {
                v.clear();
                v
            })
            .unwrap_or_default();
        self.in_leaf = 0;
        self.leaves = 0;
    }

    /// Takes the next rows.
    pub(crate) fn feed(&mut self, values: &[T]) {
        for row in values.chunks_exact(self.width.max(1)) {
            self.feed_row(row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(n: usize) -> Vec<f32> {
        (0..n)
            .map(|i| ((i * 7919 + 13) % 1000) as f32 * 0.37 - 150.0)
            .collect()
    }

    #[test]
    fn cutting_a_row_anywhere_gives_the_same_bits() {
        for n in [0, 1, 15, 16, 17, 255, 256, 257, 700, 5000] {
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
    fn columns_fold_as_rows_do() {
        for n in [0, 1, 5, 16, 17, 256, 257, 1025, 3000] {
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
