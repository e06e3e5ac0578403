//! What is wrong, where, why and what to do: plain data for every renderer.

use crate::{Code, Severity, ShapeDiff, Span};

/// One finding about a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The code, which fixes the severity.
    pub code: Code,
    /// One sentence in the program's own names, at most about 80 characters.
    pub message: String,
    /// The wrong argument or stage itself, not the whole call.
    pub span: Span,
    /// Where each clashing thing came from.
    pub labels: Vec<Label>,
    /// The shapes that clash, lined up.
    pub diff: Option<Box<ShapeDiff>>,
    /// Further sentences: the rule, what PyTorch would do, help in words.
    pub notes: Vec<String>,
    /// Edits that a person can accept, the best first.
    pub fixes: Vec<Fix>,
    /// The axis names for every size of which the fixes were checked.
    pub free: Vec<String>,
}

/// A secondary place and what it has to do with the finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// An edit that mends a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// What stands there afterwards, in short: `0..n`; or what it does, where that says more.
    pub title: String,
    /// What it means, in a few words: "each row by its weight".
    pub meaning: Option<String>,
    /// The place of a finding further down, in the text as it stands, that only shows once this one is mended.
    pub leaves: Option<Span>,
    /// The type that the mended expression has, where that is known.
    pub gives: Option<String>,
    /// Replacements that don't overlap, in the text's order.
    pub edits: Vec<Edit>,
}

/// A replacement of a range of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// What is replaced; empty to insert.
    pub span: Span,
    /// What stands there afterwards.
    pub text: String,
}

impl Diagnostic {
    /// A finding without labels, notes or fixes.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code,
            message,
            span,
            labels: Vec::new(),
            diff: None,
            notes: Vec::new(),
            fixes: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Adds a secondary place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Adds a sentence.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a fix that replaces one range.
    #[must_use]
    pub fn fix(self, title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        self.fix_edits(
            title,
            vec![Edit {
                span,
                text: text.into(),
            }],
        )
    }

    /// Adds a fix that is named by what it writes in the place of a range.
    #[must_use]
    pub fn write(self, span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        self.fix(text.clone(), span, text)
    }

    /// Adds a fix of several replacements.
    #[must_use]
    pub fn fix_edits(mut self, title: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fixes.push(Fix {
            title: title.into(),
            meaning: None,
            leaves: None,
            gives: None,
            edits,
        });
        self
    }

    /// Adds the clashing shapes.
    #[must_use]
    pub fn diff(mut self, diff: Box<ShapeDiff>) -> Self {
        self.diff = Some(diff);
        self
    }

    /// Says in a few words what the fix added last means.
    #[must_use]
    pub fn meaning(mut self, text: impl Into<String>) -> Self {
        if let Some(fix) = self.fixes.last_mut() {
            fix.meaning = Some(text.into());
        }
        self
    }

    /// The severity that the code fixes.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Whether the program can't run because of it.
    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }
}

impl Fix {
    /// The text with the fix applied; `None` where the edits overlap or lie outside.
    pub fn apply(&self, text: &str) -> Option<String> {
        let mut edits: Vec<&Edit> = self.edits.iter().collect();
        crate::sort_by_key(&mut edits, |edit| edit.span);
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for edit in edits {
            out.push_str(text.get(at..edit.span.start as usize)?);
            out.push_str(&edit.text);
            at = edit.span.end as usize;
        }
        out.push_str(text.get(at..)?);
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fix_is_applied_in_order_and_refused_where_it_overlaps() {
        let edit = |start, end, text: &str| Edit {
            span: Span::new(start, end),
            text: text.into(),
        };
        let fix = |edits| Fix {
            title: String::new(),
            meaning: None,
            leaves: None,
            gives: None,
            edits,
        };
        let text = "sum(x) / n";
        assert_eq!(
            fix(vec![edit(6, 6, ")"), edit(0, 0, "(")])
                .apply(text)
                .unwrap(),
            "(sum(x)) / n"
        );
        assert_eq!(fix(vec![edit(0, 5, ""), edit(3, 6, "")]).apply(text), None);
    }
}
