//! How an axis came to be: a chain of steps that all values with the axis share.

use std::sync::Arc;

use strand_source::Span;

use crate::{Axis, Size, SymbolId, Symbols, axis_place};

/// How many steps a chain has at most: past that the ones between its first and last go.
const MOST_STEPS: u8 = 12;

/// What made an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// It is written so, in a type or a shape.
    Written,
    /// It stands so in the type of a parameter: its place, how many axes there are, and the
    /// parameter's name.
    Parameter(u8, u8, Arc<str>),
    /// Something that takes no name: "the slice", "kept by the filter".
    Words(&'static str),
    /// Something with a name after the words: "given by", `f`.
    Named(&'static str, Arc<str>),
}

impl How {
    /// The words for it: "first axis of x", "the slice", "kept by the filter"; none for what is
    /// just written.
    pub fn words(&self) -> Option<String> {
        Some(match self {
            Self::Written => return None,
            Self::Parameter(at, rank, name) => {
                format!(
                    "{} of {name}",
                    axis_place(usize::from(*at), usize::from(*rank))
                )
            }
            Self::Words(words) => (*words).to_owned(),
            Self::Named(words, name) => format!("{words} {name}"),
        })
    }
}

/// One step of an axis's history.
#[derive(Debug)]
pub struct Step {
    /// What happened.
    pub how: How,
    /// Where.
    pub span: Span,
    name: Option<SymbolId>,
    size: Size,
    before: Origin,
    depth: u8,
}

impl Step {
    /// The axis as it was after the step.
    pub fn axis(&self) -> Axis {
        Axis {
            name: self.name,
            size: self.size.clone(),
            origin: Origin::default(),
        }
    }

    /// `n: first axis of x, line 3`, `n - 1: the slice on line 5`.
    pub fn display(&self, symbols: &Symbols, line: u32) -> String {
        let axis = self.axis().display(symbols);
        match (&self.how, self.how.words()) {
            (How::Parameter(..), Some(words)) => format!("{axis}: {words}, line {line}"),
            (_, Some(words)) => format!("{axis}: {words} on line {line}"),
            (_, None) => format!("{axis}: written on line {line}"),
        }
    }
}

/// The last step of an axis's history. It takes no part in comparing axes.
#[derive(Clone, Debug, Default)]
pub struct Origin(Option<Arc<Step>>);

impl Origin {
    /// Where the last step happened.
    pub fn span(&self) -> Option<Span> {
        self.0.as_ref().map(|step| step.span)
    }

    /// The steps, the first one first.
    pub fn steps(&self) -> Vec<&Step> {
        let mut steps = Vec::new();
        let mut at = self.0.as_deref();
        while let Some(step) = at {
            steps.push(step);
            at = step.before.0.as_deref();
        }
        steps.reverse();
        steps
    }

    /// The history with another step.
    pub(crate) fn then(&self, name: Option<SymbolId>, size: Size, how: How, span: Span) -> Self {
        let mut before = self.clone();
        let mut depth = before.0.as_ref().map_or(0, |step| step.depth) + 1;
        if depth > MOST_STEPS {
            before = before.first();
            depth = 2;
        }
        Self(Some(Arc::new(Step {
            how,
            span,
            name,
            size,
            before,
            depth,
        })))
    }

    /// The history up to its first step.
    fn first(&self) -> Self {
        let mut at = self;
        while let Some(step) = &at.0 {
            if step.before.0.is_none() {
                break;
            }
            at = &step.before;
        }
        at.clone()
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origin {}

impl std::hash::Hash for Origin {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_is_bounded_and_keeps_its_first_step() {
        let mut axis = Axis::unnamed(Size::constant(9)).at(Span::new(0, 1));
        for at in 1..100_000 {
            let before = axis.origin.clone();
            axis = axis.made_from(&before, How::Words("the slice"), Span::new(at, at + 1));
        }
        let steps = axis.origin.steps();
        assert!(steps.len() <= usize::from(MOST_STEPS));
        assert_eq!(steps[0].how, How::Written);
        assert_eq!(axis.origin.span(), Some(Span::new(99_999, 100_000)));
        let last = steps[steps.len() - 1].display(&Symbols::default(), 7);
        assert_eq!(last, "9: the slice on line 7");
    }
}
