//! Two shapes lined up: a table with a column for each pair of axes.

/// How the columns of a [`ShapeDiff`] pair up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Broadcasting: from the right.
    FromRight,
    /// An argument with its parameter, a result with its type: first with first.
    InOrder,
    /// A mask with the first axes of what it masks.
    Masked,
    /// `@`: the axis that is contracted, and those of a batch.
    Contracted,
    /// `to [axes]`: each axis with the one of its name, wherever it stands.
    ByName,
}

impl Pairing {
    /// The rule, as the line above the table.
    pub fn title(self) -> &'static str {
        match self {
            Self::FromRight => "Axes pair up from the right, by name:",
            Self::InOrder => "Axes pair up in order, by name:",
            Self::Masked => "A mask's axes pair up in order, by name:",
            Self::Contracted => "`@` contracts one axis of each, which must be the same:",
            Self::ByName => "Axes pair up by name, in any order:",
        }
    }

    /// The rule's name in JSON and at the WebAssembly edge.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FromRight => "from right",
            Self::InOrder => "in order",
            Self::Masked => "masked",
            Self::Contracted => "contracted",
            Self::ByName => "by name",
        }
    }
}

/// What a column says of its axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The same axis, or one that pairs with nothing by the rule.
    Same,
    /// Different axes.
    Differs,
    /// One shape has no axis here.
    Missing,
    /// An axis of size 1 stretches to the other.
    Stretches,
}

impl Mark {
    /// The sign under the column; empty for the same axis.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Same => "",
            Self::Differs => "≠",
            Self::Missing => "+",
            Self::Stretches => "↔",
        }
    }

    /// The mark's name in JSON and at the WebAssembly edge.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Differs => "differs",
            Self::Missing => "missing",
            Self::Stretches => "stretches",
        }
    }
}

/// A shape in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffRow {
    /// What has the shape: a tensor's name, `expected`, `result`.
    pub name: String,
    /// Its axis in each column; `None` where it has none.
    pub axes: Vec<Option<String>>,
}

/// Two shapes lined up, axis by axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeDiff {
    /// How the columns pair up.
    pub pairing: Pairing,
    /// The shapes, each with as many columns as there are marks.
    pub rows: Vec<DiffRow>,
    /// What each column says.
    pub marks: Vec<Mark>,
    /// A sentence without its full stop, beside the marks; may be empty.
    pub note: String,
}
