//! Byte ranges of a text.

use std::ops::Range;

/// A half-open byte range of a text of at most 4 GiB. Its ends lie on character boundaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`; an end before the start gives the empty range at the start.
    pub fn new(start: u32, end: u32) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    /// The empty range at `at`.
    pub fn empty(at: u32) -> Self {
        Self { start: at, end: at }
    }

    /// The smallest range that holds both.
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Whether `offset` lies in the range or at its end.
    pub fn touches(self, offset: u32) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// Whether `other` lies wholly in this range.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The number of bytes.
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// Whether the range holds no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The range as an index into the text.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The text of the range; empty where the range isn't one of `text`.
    pub fn text(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or("")
    }
}
