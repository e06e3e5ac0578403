//! The chain levels that a tensor depends on.

/// How deep chains may nest while the program runs; with a tensor's own axes they stay below the
/// engine's 64.
pub(crate) const MAX_LEVELS: usize = 40;

/// A set of chain levels: level `k` is the k-th enclosing map or filter, outermost first.
///
/// A tensor's array has one leading axis per level of its set, in this order, before its own axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Levels(u64);

impl Levels {
    /// No level: a value that is the same for every element of every chain.
    pub(crate) const NONE: Self = Self(0);

    /// The set of one level.
    pub(crate) fn single(level: usize) -> Self {
        Self(1 << level)
    }

    /// The levels of either.
    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The levels of both.
    pub(crate) fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The levels of this one that the other lacks.
    pub(crate) fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The set as a number, for keys.
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// Whether a level is in the set.
    pub(crate) fn has(self, level: usize) -> bool {
        self.0 & (1 << level) != 0
    }

    /// Whether every level of the other is in the set.
    pub(crate) fn includes(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether there are none.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many there are: the number of leading axes.
    pub(crate) fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The axis at which a level stands, or would.
    pub(crate) fn position(self, level: usize) -> usize {
        (self.0 & ((1 << level) - 1)).count_ones() as usize
    }

    /// The levels, outermost first.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        (0..64).filter(move |level| self.has(*level))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_the_levels_before() {
        let set = Levels::single(1).union(Levels::single(4));
        assert_eq!(set.position(4), 1);
        assert_eq!(set.position(3), 1);
        assert_eq!(set.iter().collect::<Vec<_>>(), [1, 4]);
        assert_eq!(set.minus(Levels::single(4)), Levels::single(1));
    }
}
