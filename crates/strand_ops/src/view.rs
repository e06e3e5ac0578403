//! How `show` draws a value.

/// A picture of a value, by the word after `view=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The numbers themselves.
    Table,
    /// Each number as a colour.
    Heat,
    /// Grey, or red, green and blue.
    Image,
    /// An image for each place of the first axis.
    Frames,
    /// A point for each row.
    Scatter,
    /// A line along the last axis.
    Line,
    /// A bar for each number.
    Bars,
    /// How many numbers lie where.
    Hist,
}

impl View {
    /// Every view.
    pub const ALL: [Self; 8] = [
        Self::Table,
        Self::Heat,
        Self::Image,
        Self::Frames,
        Self::Scatter,
        Self::Line,
        Self::Bars,
        Self::Hist,
    ];

    /// The word after `view=`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Heat => "heat",
            Self::Image => "image",
            Self::Frames => "frames",
            Self::Scatter => "scatter",
            Self::Line => "line",
            Self::Bars => "bars",
            Self::Hist => "hist",
        }
    }

    /// The view of a word.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }

    /// One sentence: what is drawn.
    pub fn doc(self) -> &'static str {
        match self {
            Self::Table => "The numbers in rows and columns.",
            Self::Heat => "Each number as a colour, by how far from 0 it is.",
            Self::Image => "Each number as a grey, or each three as a colour.",
            Self::Frames => "An image for each place of the first axis.",
            Self::Scatter => "A point for each row.",
            Self::Line => "A line along the last axis, for each row one.",
            Self::Bars => "A bar for each number.",
            Self::Hist => "How many of the numbers lie where.",
        }
    }

    /// Which shapes it draws, as a sentence goes on after the view's name.
    pub fn draws(self) -> &'static str {
        match self {
            Self::Table => "any value",
            Self::Heat => "two axes or more",
            Self::Image => "[h w], or [h w 3] in colour",
            Self::Frames => "[t h w], or [t h w 3] in colour",
            Self::Scatter => "[n 2], a point in each row",
            Self::Line => "one axis, or two with a line for each row",
            Self::Bars => "one axis",
            Self::Hist => "one axis or more",
        }
    }

    /// Whether it draws a shape of these sizes; `None` stands for one that isn't a known number.
    pub fn takes(self, sizes: &[Option<i64>]) -> bool {
        let last = |size| sizes.last() == Some(&Some(size));
        match self {
            Self::Table => true,
            Self::Heat => sizes.len() >= 2,
            Self::Image => sizes.len() == 2 || (sizes.len() == 3 && last(3)),
            Self::Frames => sizes.len() == 3 || (sizes.len() == 4 && last(3)),
            Self::Scatter => sizes.len() == 2 && last(2),
            Self::Line => matches!(sizes.len(), 1 | 2),
            Self::Bars => sizes.len() == 1,
            Self::Hist => !sizes.is_empty(),
        }
    }

    /// Whether truth values can be drawn.
    pub fn takes_bools(self) -> bool {
        matches!(self, Self::Table | Self::Heat | Self::Image | Self::Frames)
    }

    /// The view that has an option of `show`; `None` where all have it.
    pub fn of_option(option: &str) -> Option<Self> {
        Some(match option {
            "color" => Self::Scatter,
            "bins" => Self::Hist,
            "fps" => Self::Frames,
            _ => return None,
        })
    }

    /// The most that a whole number given as an option may be; the least is 1.
    pub fn most(option: &str) -> i64 {
        if option == "fps" { 60 } else { 200 }
    }
}
