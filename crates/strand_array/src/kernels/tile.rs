//! Folding many columns side by side, each as a row is folded.

use super::fold::{Joins, LANES, LEAF};
use super::span::Lane;

/// The fold of many columns side by side: the tree of rows in each.
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
        let end = start + self.width;
        if self.lanes.len() < end {
            self.lanes.resize(end, self.joins.identity);
        }
        if let Some(lane) = self.lanes.get_mut(start..end) {
            if self.in_leaf < LANES {
                // A lane's first element: joined with the identity, as a row's is.
                lane.fill(self.joins.identity);
            }
            (self.joins.into)(lane, row);
        }
        self.in_leaf += 1;
        if self.in_leaf == LEAF {
            self.close_leaf();
        }
    }

    /// Joins the lanes of a run.
    fn join_lanes(&mut self) -> Vec<T> {
        // A lane that was never fed holds the identity in a row; joining it changes nothing.
        let fed = LANES.min(self.in_leaf) * self.width;
        let mut lanes = self.lanes.get_mut(..fed).unwrap_or_default();
        let mut half = LANES / 2;
        while half > 0 {
            let cut = (half * self.width).min(lanes.len());
            let (low, high) = lanes.split_at_mut(cut);
            (self.joins.into)(low, high);
            lanes = low;
            half /= 2;
        }
        let mut joined = self.spare.pop().unwrap_or_default();
        joined.clear();
        joined.extend_from_slice(lanes);
        self.in_leaf = 0;
        joined
    }

    fn close_leaf(&mut self) {
        let mut value = self.join_lanes();
        let mut count = self.leaves;
        while count & 1 == 1 {
            if let Some(mut before) = self.partial.pop() {
                (self.joins.into)(&mut before, &value);
                self.spare.push(std::mem::replace(&mut value, before));
            }
            count >>= 1;
        }
        self.partial.push(value);
        self.leaves += 1;
    }

    /// Writes the results of all columns; the fold is as new afterwards.
    pub(crate) fn finish(&mut self, out: &mut [T]) {
        if self.in_leaf == 0 && self.leaves == 0 {
            return out.fill(self.joins.identity);
        }
        let mut value = (self.in_leaf > 0).then(|| self.join_lanes());
        while let Some(mut before) = self.partial.pop() {
            if let Some(v) = value {
                (self.joins.into)(&mut before, &v);
                self.spare.push(v);
            }
            value = Some(before);
        }
        if let Some(value) = value {
            for (o, v) in out.iter_mut().zip(&value) {
                *o = *v;
            }
            self.spare.push(value);
        }
        self.leaves = 0;
    }

    /// Takes the next `rows` rows, which start `stride` elements apart; whole runs but for the last.
    pub(crate) fn feed_apart(&mut self, values: &[T], stride: usize, rows: usize) {
        let mut done = 0;
        while done < rows {
            let now = LEAF.min(rows - done);
            let leaf = values.get(done * stride..).unwrap_or_default();
            let fed = LANES.min(now) * self.width;
            if self.lanes.len() < fed {
                self.lanes.resize(fed, self.joins.identity);
            }
            let lanes = self.lanes.chunks_exact_mut(self.width.max(1));
            for (lane, to) in lanes.enumerate().take(now) {
                let first = leaf.get(lane * stride..).unwrap_or_default();
                (self.joins.columns)(to, first, stride * LANES, (now - lane).div_ceil(LANES));
            }
            self.in_leaf = now;
            if now == LEAF {
                self.close_leaf();
            }
            done += now;
        }
    }

    /// Takes the next rows.
    pub(crate) fn feed(&mut self, values: &[T]) {
        for row in values.chunks_exact(self.width.max(1)) {
            self.feed_row(row);
        }
    }
}
