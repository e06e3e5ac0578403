//! The rows of a module before they are broken into lines.

use strand_source::Span;

use crate::py::{Kind, Leaf, Py, Region};

/// A comment of the Strand text, ready for Python.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    pub(crate) text: String,
    pub(crate) span: Option<Span>,
}

/// What stands on a line, or on several once it is broken.
#[derive(Clone, Debug)]
pub(crate) enum Row {
    Blank,
    Remark {
        depth: usize,
        remark: Remark,
    },
    Code {
        depth: usize,
        code: Code,
        remark: Option<Remark>,
    },
    /// A docstring; `header` is the Strand text that it repeats.
    Doc {
        depth: usize,
        text: String,
        header: Option<Span>,
    },
    /// Fixed text, as a helper has it.
    Verbatim(&'static str),
}

impl Row {
    /// How often the row's code has a name, other than as an attribute of something.
    pub(crate) fn times_named(&self, name: &str) -> usize {
        let Self::Code { code, .. } = self else {
            return 0;
        };
        let mut times = 0;
        let mut after_dot = false;
        for leaf in &code.leaves {
            times += usize::from(leaf.text == name && !after_dot);
            after_dot = leaf.kind == Kind::Dot;
        }
        times
    }
}

/// A statement's leaves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) regions: Vec<Region>,
}

impl Code {
    pub(crate) fn word(mut self, text: &str, span: Option<Span>) -> Self {
        let mut leaf = Leaf::new(text, Kind::Name).at(span);
        leaf.space = !self.leaves.is_empty();
        self.leaves.push(leaf);
        self
    }

    pub(crate) fn mark(mut self, text: &str, kind: Kind) -> Self {
        self.leaves.push(Leaf::new(text, kind));
        self
    }

    pub(crate) fn add(mut self, py: Py) -> Self {
        let offset = self.leaves.len();
        self.leaves.extend(py.leaves);
        if offset > 0
            && let Some(first) = self.leaves.get_mut(offset)
        {
            first.space = true;
        }
        let moved = |region: &Region| Region {
            span: region.span,
            start: region.start + offset,
            end: region.end + offset,
        };
        self.regions.extend(py.regions.iter().map(moved));
        self
    }

    /// The whole stands for a piece of Strand text.
    pub(crate) fn tagged(mut self, span: Span) -> Self {
        let end = self.leaves.len();
        self.regions.push(Region {
            span,
            start: 0,
            end,
        });
        self
    }

    pub(crate) fn colon(self) -> Self {
        self.mark(":", Kind::Operator)
    }

    /// `target = value`
    pub(crate) fn assign(target: Py, value: Py) -> Self {
        let target = if target.prec == crate::py::Prec::Tuple {
            target.softly_bracketed()
        } else {
            target
        };
        let mut code = Self::default().add(target);
        code.leaves.push(Leaf::new("=", Kind::Assign).spaced());
        code.add(value.softly_bracketed())
    }

    /// `target += value`, of host numbers.
    pub(crate) fn update(target: Py, operator: &str, value: Py) -> Self {
        let mut code = Self::default().add(target);
        let operator = format!("{operator}=");
        code.leaves.push(Leaf::new(operator, Kind::Assign).spaced());
        code.add(value.softly_bracketed())
    }

    /// `return value`, `if value` and the like.
    pub(crate) fn keyword(word: &str, span: Option<Span>, value: Py) -> Self {
        Self::default()
            .word(word, span)
            .add(value.softly_bracketed())
    }

    /// Where the statement ends if it stands on one line.
    pub(crate) fn columns(&self, depth: usize) -> usize {
        let shown = self.leaves.iter().filter(|leaf| !leaf.hidden);
        let columns = shown.map(|leaf| crate::layout::width(&leaf.text) + usize::from(leaf.space));
        4 * depth + columns.sum::<usize>()
    }

    pub(crate) fn expression(py: Py) -> Self {
        Self::default().add(py)
    }
}

/// The text after `#`, as Python and black have it.
pub(crate) fn remark_text(text: &str) -> String {
    let visible: String = text
        .chars()
        .map(|c| if is_unseen(c) { ' ' } else { c })
        .collect();
    let visible = visible.trim();
    if visible.is_empty() {
        "#".to_owned()
    } else {
        format!("# {visible}")
    }
}

/// Whether a reader of the Python text can't see the character: controls, line and paragraph
/// separators, and the marks that turn the direction of what follows.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A text as a Python literal, in the quotes that need fewer escapes.
pub(crate) fn text_literal(text: &str) -> String {
    let quote = fewer_escapes([text].into_iter());
    format!("{quote}{}{quote}", escaped(text, quote))
}

/// The quote that is rarer in the parts of a text; `"` where both are as often there.
pub(crate) fn fewer_escapes<'t>(parts: impl Iterator<Item = &'t str>) -> char {
    let more = parts.fold(0_isize, |more, part| {
        more + part.matches('"').count() as isize - part.matches('\'').count() as isize
    });
    if more > 0 { '\'' } else { '"' }
}

/// A text with Python's escapes, for a literal in `quote`s.
pub(crate) fn escaped(text: &str, quote: char) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if is_unseen(c) => {
                let code = c as u32;
                if code <= 0xff {
                    out.push_str(&format!("\\x{code:02x}"));
                } else {
                    out.push_str(&format!("\\u{code:04x}"));
                }
            }
            c => out.push(c),
        }
    }
    out
}
