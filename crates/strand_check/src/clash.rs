//! What every finding about two shapes says: both lined up, and how each clashing axis came to be.

use strand_ir::{Axis, How};
use strand_source::{Diagnostic, DiffRow, Mark, Pairing, ShapeDiff, Span};

use crate::context::Checker;

/// The story of a size that a result's type leaves open.
pub(crate) const LEFT_OPEN: &str = "left open by `_`";
/// How many labels the history of one axis gives at most.
const MOST_LABELS: usize = 4;

/// A shape by the columns of a table.
#[derive(Clone)]
pub(crate) struct Row<'a> {
    /// What has it: a tensor as it is written, `expected`, `result`.
    pub(crate) name: String,
    /// Its axes.
    pub(crate) axes: &'a [Axis],
}

/// An axis in each column, of the upper shape and of the lower.
type Columns<'a> = Vec<(Option<&'a Axis>, Option<&'a Axis>)>;

impl Checker<'_> {
    /// Two shapes lined up from the right, as broadcasting does.
    pub(crate) fn lined_up(&self, upper: Row<'_>, lower: Row<'_>) -> Box<ShapeDiff> {
        let rank = upper.axes.len().max(lower.axes.len());
        let at = |axes: &'_ [Axis], column: usize| (column + axes.len()).checked_sub(rank);
        let columns = (0..rank)
            .map(|column| {
                let of = |row: &Row<'_>| at(row.axes, column);
                (
                    of(&upper).map(|at| &upper.axes[at]),
                    of(&lower).map(|at| &lower.axes[at]),
                )
            })
            .collect();
        self.table(Pairing::FromRight, [&upper.name, &lower.name], columns)
    }

    /// Two shapes lined up in order: the first with the first. Where one has more axes, those that
    /// are the same stand in one column.
    pub(crate) fn in_order(&self, upper: Row<'_>, lower: Row<'_>) -> Box<ShapeDiff> {
        let columns = if upper.axes.len() == lower.axes.len() {
            paired(upper.axes, lower.axes).collect()
        } else {
            self.matched_in_order(upper.axes, lower.axes)
        };
        self.table(Pairing::InOrder, [&upper.name, &lower.name], columns)
    }

    /// Two shapes that are joined along the axis at `free`, which may differ.
    pub(crate) fn joined(
        &self,
        upper: Row<'_>,
        lower: Row<'_>,
        free: Option<usize>,
    ) -> Box<ShapeDiff> {
        let mut diff = self.in_order(upper.clone(), lower.clone());
        if let (Some(at), true) = (free, upper.axes.len() == lower.axes.len()) {
            diff.marks[at] = Mark::Same;
            let pairs = upper.axes.iter().zip(lower.axes).enumerate();
            let mut clashes = pairs.filter(|(column, _)| diff.marks[*column] == Mark::Differs);
            let note = clashes.next().map(|(_, (a, b))| self.difference(a, b));
            diff.note = note.unwrap_or_default();
        }
        diff
    }

    /// A mask below the shape of what it masks, from the first axis that it takes.
    pub(crate) fn masked(&self, upper: Row<'_>, mask: Row<'_>) -> Box<ShapeDiff> {
        let columns = paired(upper.axes, mask.axes).collect();
        self.table(Pairing::Masked, [&upper.name, &mask.name], columns)
    }

    fn matched_in_order<'a>(&self, upper: &'a [Axis], lower: &'a [Axis]) -> Columns<'a> {
        let mut columns = Columns::new();
        let (mut first, mut rest) = (0, lower);
        for (column, axis) in upper.iter().enumerate() {
            let same = |other: &Axis| other.agrees(axis, &self.program.symbols);
            if let Some(at) = rest.iter().position(same) {
                columns.extend(paired(&upper[first..column], &rest[..at]));
                columns.push((Some(axis), rest.get(at)));
                (first, rest) = (column + 1, &rest[at + 1..]);
            }
        }
        columns.extend(paired(&upper[first..], rest));
        columns
    }

    /// Two shapes lined up by name, as `to` rearranges.
    pub(crate) fn by_name(&self, upper: Row<'_>, lower: Row<'_>) -> Box<ShapeDiff> {
        let mut left: Vec<&Axis> = lower.axes.iter().collect();
        let mut columns = Columns::new();
        for axis in upper.axes {
            let same = |other: &&Axis| other.agrees(axis, &self.program.symbols);
            let other = left.iter().position(same).map(|at| left.remove(at));
            columns.push((Some(axis), other));
        }
        columns.extend(left.into_iter().map(|other| (None, Some(other))));
        self.table(Pairing::ByName, [&upper.name, &lower.name], columns)
    }

    /// The shapes of `upper @ lower`: the axis `at` of the right meets the left's last one.
    pub(crate) fn contraction(&self, upper: Row<'_>, lower: Row<'_>, at: usize) -> Box<ShapeDiff> {
        let (batch, kept) = upper.axes.split_at(upper.axes.len().saturating_sub(2));
        let (other_batch, _) = lower.axes.split_at(lower.axes.len().saturating_sub(2));
        let rank = batch.len().max(other_batch.len());
        let of = |axes: &'_ [Axis], column: usize| (column + axes.len()).checked_sub(rank);
        let mut columns: Columns<'_> = (0..rank)
            .map(|column| {
                (
                    of(batch, column).map(|at| &batch[at]),
                    of(other_batch, column).map(|at| &other_batch[at]),
                )
            })
            .collect();
        if let [row, _] = kept {
            columns.push((Some(row), None));
        }
        columns.push((upper.axes.last(), lower.axes.get(at)));
        if let Some(column) = lower.axes.get(at + 1) {
            columns.push((None, Some(column)));
        }
        self.table(Pairing::Contracted, [&upper.name, &lower.name], columns)
    }

    fn table(&self, pairing: Pairing, names: [&String; 2], columns: Columns<'_>) -> Box<ShapeDiff> {
        let mark = |(upper, lower): &(Option<&Axis>, Option<&Axis>)| match (upper, lower) {
            (Some(a), Some(b)) if a.agrees(b, &self.program.symbols) || self.is_open(b) => {
                Mark::Same
            }
            (Some(a), Some(b))
                if pairing == Pairing::FromRight && a.stretches() | b.stretches() =>
            {
                Mark::Stretches
            }
            (Some(_), Some(_)) => Mark::Differs,
            _ if matches!(pairing, Pairing::Contracted | Pairing::Masked) => Mark::Same,
            _ => Mark::Missing,
        };
        let marks: Vec<Mark> = columns.iter().map(mark).collect();
        let shown = |axis: &Option<&Axis>| match axis {
            Some(axis) if self.is_open(axis) => Some("_".to_owned()),
            axis => axis.map(|axis| self.show_axis(axis)),
        };
        // A long value is "this" in a sentence, and has no name in a table.
        let named = |name: &String| match name.as_str() {
            "this" => "value".to_owned(),
            _ => name.clone(),
        };
        let [upper, lower] = names.map(named);
        let rows = vec![
            DiffRow {
                name: upper.clone(),
                axes: columns.iter().map(|(axis, _)| shown(axis)).collect(),
            },
            DiffRow {
                name: lower.clone(),
                axes: columns.iter().map(|(_, axis)| shown(axis)).collect(),
            },
        ];
        let of = |wanted: Mark| {
            let mut all = marks.iter();
            let at = match pairing {
                Pairing::FromRight => all.rposition(|mark| *mark == wanted),
                _ => all.position(|mark| *mark == wanted),
            };
            at.map(|at| columns[at])
        };
        let first = of(Mark::Differs).or_else(|| of(Mark::Stretches));
        let first = first.or_else(|| of(Mark::Missing).filter(|_| pairing != Pairing::FromRight));
        let note = match first {
            Some((Some(a), Some(b))) if pairing == Pairing::FromRight && a.stretches() => {
                format!("1 stretches to {}", self.show_axis(b))
            }
            Some((Some(a), Some(b))) if pairing == Pairing::FromRight && b.stretches() => {
                format!("1 stretches to {}", self.show_axis(a))
            }
            Some((Some(a), Some(b))) => self.difference(a, b),
            Some((Some(a), None)) => format!("{} is only in {upper}", self.show_axis(a)),
            Some((None, Some(b))) => format!("{} is only in {lower}", self.show_axis(b)),
            _ => String::new(),
        };
        Box::new(ShapeDiff {
            pairing,
            rows,
            marks,
            note,
        })
    }

    /// Whether an axis is one that a result's type leaves open, as `_`.
    fn is_open(&self, axis: &Axis) -> bool {
        let size = axis
            .size
            .as_symbol()
            .map(|symbol| self.program.symbols.get(symbol));
        size.is_some_and(|size| size.story.as_deref() == Some(LEFT_OPEN))
    }

    /// Why two axes aren't the same one.
    fn difference(&self, left: &Axis, right: &Axis) -> String {
        let (a, b) = (self.show_axis(left), self.show_axis(right));
        let symbols = &self.program.symbols;
        let known = |axis: &Axis| axis.size.ground(symbols).as_constant();
        let named = left.name.is_some() && right.name.is_some();
        match (known(left), known(right)) {
            (Some(x), Some(y)) if x == y => {
                format!("{a} and {b} are different axes, though both are {x}")
            }
            (Some(x), Some(y)) => {
                let bare = |name: &str, size: i64| name == size.to_string();
                match (bare(&a, x), bare(&b, y)) {
                    (true, true) => format!("{a} isn't {b}"),
                    (true, false) => format!("{b} is {y}, not {a}"),
                    (false, true) => format!("{a} is {x}, not {b}"),
                    (false, false) => format!("{a} is {x}, {b} is {y}"),
                }
            }
            (Some(size), None) | (None, Some(size)) if named => {
                format!("{a} and {b} are different axes, even when both are {size}")
            }
            (Some(_), None) => format!("{b} isn't known to be {a}"),
            (None, Some(_)) => format!("{a} isn't known to be {b}"),
            (None, None) if named => {
                format!("{a} and {b} are different axes, even at the same size")
            }
            (None, None) => {
                let difference = left.size.sub(&right.size).ok();
                let difference = difference.map(|size| size.ground(symbols).as_constant());
                match difference.flatten() {
                    Some(_) => format!("{a} is never {b}"),
                    None => format!("{a} and {b} aren't known to be equal"),
                }
            }
        }
    }

    /// Labels that tell how an axis came to be, a step each; at the last one `role` says what it is
    /// here. `at` is where the value with the axis stands.
    pub(crate) fn trace(
        &self,
        mut finding: Diagnostic,
        axis: &Axis,
        role: &str,
        at: Span,
    ) -> Diagnostic {
        let mut steps = axis.origin.steps();
        while steps.len() > MOST_LABELS {
            steps.remove(1);
        }
        let shown = self.show_axis(axis);
        let role = &role.replace(" of this", " here");
        let Some(last) = steps.pop() else {
            return labelled(finding, at, format!("{shown}: {role}"));
        };
        for step in steps {
            if let Some(words) = step.how.words() {
                let was = self.show_axis(&step.axis());
                finding = labelled(finding, step.span, format!("{was}: {words}"));
            }
        }
        let text = match last.how.words() {
            Some(words)
                if !matches!(last.how, How::Parameter(..))
                    && !words.starts_with("the ")
                    && words != "declared" =>
            {
                format!("{shown}: {role}, {words}")
            }
            _ => format!("{shown}: {role}"),
        };
        labelled(finding, last.span, text)
    }
}

/// The axes of two shapes in order, with nothing where one has no more.
fn paired<'a>(
    upper: &'a [Axis],
    lower: &'a [Axis],
) -> impl Iterator<Item = (Option<&'a Axis>, Option<&'a Axis>)> {
    (0..upper.len().max(lower.len())).map(|at| (upper.get(at), lower.get(at)))
}

/// The finding with a label that it hasn't yet.
fn labelled(finding: Diagnostic, span: Span, text: String) -> Diagnostic {
    let known = finding
        .labels
        .iter()
        .any(|label| label.span == span && label.text == text);
    if known {
        finding
    } else {
        finding.label(span, text)
    }
}
