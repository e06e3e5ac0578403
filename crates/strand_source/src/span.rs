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
/// Pieces of a text, to ask which lie over or in another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    sorted: Vec<Span>,
    /// The furthest end of each piece and those before it.
    ends: Vec<u32>,
}

impl Spans {
    /// The pieces in any order.
    pub fn new(mut pieces: Vec<Span>) -> Self {
        crate::sort(&mut pieces);
        let mut furthest = 0;
        let end = |piece: &Span| {
            furthest = piece.end.max(furthest);
            furthest
        };
        let ends = pieces.iter().map(end).collect();
        let sorted = pieces;
        Self { sorted, ends }
    }

    /// Whether a piece and `span` have a byte in common, or one is empty and lies inside the other.
    pub fn any_meets(&self, span: Span) -> bool {
        let before = self.sorted.partition_point(|piece| piece.start < span.end);
        let last = before.checked_sub(1);
        last.is_some_and(|last| span.start < self.ends[last])
    }

    /// Whether `span` holds one of the pieces.
    pub fn any_inside(&self, span: Span) -> bool {
        self.inside(span).next().is_some()
    }

    /// The places of the pieces that `span` holds, by their order.
    pub fn inside(&self, span: Span) -> impl Iterator<Item = usize> {
        let from = self
            .sorted
            .partition_point(|piece| piece.start < span.start);
        let rest = self.sorted[from..].iter().enumerate();
        let near = rest.take_while(move |(_, piece)| piece.start <= span.end);
        let held = near.filter(move |(_, piece)| {
            crate::count_steps(1);
            span.contains(**piece)
        });
        held.map(move |(at, _)| from + at)
    }
}
