//! Slices whose sizes differ by a number: the literal bound that makes them equal.

use strand_ir::{Axis, How, Symbols};
use strand_source::Span;

use crate::context::Checker;
use crate::mends::Mend;

/// How many bounds are offered.
const MOST_OFFERED: usize = 3;

/// The ends of a slice as they are written: nothing where one is left out.
struct Written<'t> {
    start: &'t str,
    end: &'t str,
}

impl Checker<'_> {
    /// Bounds that give two slices the same size where one of them is moved by as much as the
    /// sizes differ. Those that make the smaller one larger come first. Each axis comes with the
    /// place of its value: where that computes with slices, one bound says nothing of the others.
    pub(crate) fn moved_bounds(&self, left: (&Axis, Span), right: (&Axis, Span)) -> Vec<Mend> {
        let Some(more) = difference(left.0, right.0, &self.program.symbols) else {
            return Vec::new();
        };
        let sides = match more < 0 {
            true => [(left, more.saturating_neg()), (right, more)],
            false => [(right, more), (left, more.saturating_neg())],
        };
        let mut found = Vec::new();
        for ((axis, value), by) in sides {
            let own = |span: &Span| !value.contains(*span) || span.end + 1 == value.end;
            let Some(span) = sliced_at(axis).filter(own) else {
                continue;
            };
            let slice = span.text(self.text);
            let moved = Written::read(slice).map(|written| written.moved(by));
            found.extend(moved.unwrap_or_default().into_iter().map(|text| Mend {
                title: format!("{text} in place of {slice}"),
                span,
                text,
            }));
        }
        found.truncate(MOST_OFFERED);
        found
    }
}

/// How much larger the left axis is, where that is the same for all sizes.
fn difference(left: &Axis, right: &Axis, symbols: &Symbols) -> Option<i64> {
    let (left, right) = (left.size.ground(symbols), right.size.ground(symbols));
    left.sub(&right).ok()?.as_constant()
}

/// Where the slice stands that gave the axis its size.
pub(crate) fn sliced_at(axis: &Axis) -> Option<Span> {
    let steps = axis.origin.steps();
    let last = steps.last()?;
    matches!(last.how, How::Words("the slice")).then_some(last.span)
}

impl<'t> Written<'t> {
    /// `1..-2`; not one with a step.
    fn read(text: &'t str) -> Option<Self> {
        let (start, end) = text.split_once("..")?;
        (!end.contains([' ', '.'])).then_some(Self { start, end })
    }

    /// With `by` more elements, at its end or at its start: what would take the whole axis isn't
    /// meant as a slice.
    fn moved(&self, by: i64) -> Vec<String> {
        let end = bound(self.end, by, true).map(|end| format!("{}..{end}", self.start));
        let start = by.checked_neg().and_then(|by| bound(self.start, by, false));
        let start = start.map(|start| format!("{start}..{}", self.end));
        let both = [end, start].into_iter().flatten();
        both.filter(|text| text != "..").collect()
    }
}

/// A literal bound, or one that is left out, moved by a number while it counts from where it did.
fn bound(written: &str, by: i64, is_end: bool) -> Option<String> {
    let from: i64 = match written {
        "" => 0,
        literal => literal.parse().ok()?,
    };
    let from_end = from < 0 || (written.is_empty() && is_end);
    let moved = from.checked_add(by)?;
    match moved {
        0 if from_end == is_end => Some(String::new()),
        ..0 if from_end => Some(moved.to_string()),
        1.. if !from_end => Some(moved.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_stay_on_their_side_of_the_axis() {
        let moved = |text: &str, by| Written::read(text).unwrap().moved(by);
        assert_eq!(moved("1..-2", 1), ["1..-1", "..-2"]);
        assert_eq!(moved("1..-2", 2), ["1.."]);
        assert_eq!(moved("2..", 1), ["1.."]);
        assert_eq!(moved("1..", -1), ["1..-1", "2.."]);
        assert_eq!(moved("..-1", -1), ["..-2", "1..-1"]);
        assert_eq!(moved("..3", -3), ["3..3"]);
        assert_eq!(moved("-2..", 1), ["-3.."]);
        assert_eq!(moved("1..", 1), Vec::<String>::new());
        assert_eq!(moved("a..b", 1), Vec::<String>::new());
        assert!(Written::read("1..9 by 2").is_none());
    }
}
