//! What PyTorch would do with the same operation: for which sizes it runs, and what it then computes.
//!
//! A sentence is said only where it is true for the sizes that it names; where PyTorch fails too,
//! nothing is said.

use strand_ir::{Axis, Size, Symbols, TensorType};
use strand_ops::{DType, OpId};

use crate::context::Checker;

/// When PyTorch takes two sizes in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
enum When {
    Always,
    Never,
    /// Where this says that one is 1.
    Stretched(String),
    /// For the sizes that this says, of which the last is given alone too.
    If(String, Option<String>),
}

impl Checker<'_> {
    /// Of an elementwise operation on shapes that don't line up. `op` is the operator as written.
    pub(crate) fn torch_broadcasts(
        &self,
        op: &str,
        (left, x): (&[Axis], &str),
        (right, w): (&[Axis], &str),
    ) -> Option<String> {
        let symbols = &self.program.symbols;
        let pairs = left.iter().rev().zip(right.iter().rev());
        let clashes: Vec<(&Axis, &Axis)> = pairs
            .filter(|(a, b)| !a.agrees(b, symbols) && !a.stretches() && !b.stretches())
            .collect();
        let [(a, b)] = clashes.as_slice() else {
            let never = |(a, b): &(&Axis, &Axis)| self.stretched_or_equal(a, b) == When::Never;
            return (!clashes.iter().any(never)).then(|| {
                "PyTorch runs when each of these pairs has equal sizes or a 1, and says nothing."
                    .to_owned()
            });
        };
        let computed = self.columns_not_rows(op, left, right).unwrap_or_else(|| {
            format!(
                "pairs {} of {x} with {} of {w}",
                self.show_axis(a),
                self.show_axis(b)
            )
        });
        Some(match self.stretched_or_equal(a, b) {
            When::Never => return None,
            When::Always if self.size_of_both(a, b).is_some() => {
                format!("PyTorch runs this: it {computed}, and says nothing.")
            }
            When::Always => {
                "PyTorch runs this: it stretches the size 1, and says nothing.".to_owned()
            }
            When::Stretched(sizes) | When::If(sizes, None) => {
                format!("PyTorch runs when {sizes}: it stretches that axis, and says nothing.")
            }
            When::If(sizes, Some(equal)) => {
                let most = self.most(&[a, b]);
                format!(
                    "PyTorch fails for {most}, but runs when {sizes}. At {equal} it {computed}, and says nothing."
                )
            }
        })
    }

    /// `[n D]` with `[n]`: the weight of a row is taken for that of a column.
    fn columns_not_rows(&self, op: &str, left: &[Axis], right: &[Axis]) -> Option<String> {
        let ([row, _], [only]) = (left, right) else {
            return None;
        };
        let same = row.agrees(only, &self.program.symbols);
        same.then(|| match op {
            "*" => "scales columns, not rows".to_owned(),
            "/" => "divides columns, not rows".to_owned(),
            "-" => "takes from columns, not rows".to_owned(),
            "+" => "adds to columns, not rows".to_owned(),
            _ => "works on columns, not rows".to_owned(),
        })
    }

    /// Of `@` whose contracted axes are `a` and `b`; the others line up.
    pub(crate) fn torch_contracts(&self, a: &Axis, b: &Axis) -> Option<String> {
        let (x, y) = (self.show_axis(a), self.show_axis(b));
        let computed = format!("contracts {x} with {y}, and says nothing.");
        Some(match self.equal(a, b) {
            When::Never => return None,
            When::Always => format!("PyTorch runs this: it {computed}"),
            When::Stretched(sizes) | When::If(sizes, _) => {
                let most = self.most(&[a, b]);
                format!("PyTorch fails for {most}, but runs when {sizes}: it {computed}")
            }
        })
    }

    /// Of a value in a place of another shape: PyTorch compares no shapes there, so that equal
    /// sizes are taken for the same axes.
    pub(crate) fn torch_passes(&self, given: &[Axis], wanted: &[Axis]) -> Option<String> {
        if given.len() != wanted.len() {
            return None;
        }
        let symbols = &self.program.symbols;
        let pairs = given.iter().zip(wanted);
        let clashes = pairs.filter(|(a, b)| !a.agrees(b, symbols));
        let mut when: Vec<String> = Vec::new();
        for (a, b) in clashes {
            match self.equal(a, b) {
                When::Never => return None,
                When::Always => {}
                When::Stretched(sizes) | When::If(sizes, _) => when.push(sizes),
            }
        }
        let sizes = match when.is_empty() {
            true => "the sizes are equal".to_owned(),
            false => when.join(" and "),
        };
        let since = if when.is_empty() { "since" } else { "when" };
        Some(format!(
            "PyTorch can't tell these shapes apart {since} {sizes}."
        ))
    }

    /// Of a result of another shape.
    pub(crate) fn torch_returns(&self, given: &TensorType) -> String {
        format!(
            "PyTorch checks no result: it gives {} and says nothing.",
            self.show_shape(given)
        )
    }

    /// Of an index tensor that isn't known to lie in the axis.
    pub(crate) fn torch_indexes(&self, dtype: DType, axis: &Axis) -> Option<String> {
        let size = self.bare_size(axis);
        matches!(dtype, DType::I64 | DType::I32)
            .then(|| format!("PyTorch runs while its values go from -{size} up to {size} - 1."))
    }

    /// Of an index of the axis `of` where another axis stands.
    pub(crate) fn torch_picks(&self, of: &Axis, axis: &Axis) -> String {
        let symbols = &self.program.symbols;
        let known = |axis: &Axis| axis.size.ground(symbols).as_constant();
        let (from, along) = (self.show_axis(of), self.show_axis(axis));
        match (known(of), known(axis)) {
            (Some(a), Some(b)) if a <= b => format!(
                "PyTorch runs this: it picks along {along} by positions of {from}, and says nothing."
            ),
            _ => format!(
                "PyTorch runs while its values are below {}: it picks along {along}, and says nothing.",
                self.bare_size(axis)
            ),
        }
    }

    /// Of tensors that are joined along `over`, or stacked, and differ in another axis too.
    pub(crate) fn torch_joins(
        &self,
        first: &[Axis],
        other: &[Axis],
        over: Option<usize>,
    ) -> Option<String> {
        let mut when: Vec<String> = Vec::new();
        for (at, (a, b)) in first.iter().zip(other).enumerate() {
            if Some(at) == over || a.agrees(b, &self.program.symbols) {
                continue;
            }
            match self.equal(a, b) {
                When::Never => return None,
                When::Always => {}
                When::Stretched(sizes) | When::If(sizes, _) => when.push(sizes),
            }
        }
        let joined = "it joins different axes, and says nothing.";
        Some(match when.is_empty() {
            true => format!("PyTorch runs this, since the sizes are equal: {joined}"),
            false => format!("PyTorch runs when {}: {joined}", when.join(" and ")),
        })
    }

    /// Of a cross-entropy whose labels are indices of the axis `of`, which the scores don't have.
    pub(crate) fn torch_takes_classes(&self, of: &Axis, scores: &[Axis]) -> Option<String> {
        let second = scores.get(1)?;
        let symbols = &self.program.symbols;
        let known = |axis: &Axis| axis.size.ground(symbols).as_constant();
        let classes = self.show_axis(second);
        Some(match (known(of), known(second)) {
            (Some(a), Some(b)) if a <= b => {
                format!("PyTorch runs this: it takes {classes} for the classes, and says nothing.")
            }
            _ => format!(
                "PyTorch runs while the labels are below {}: it takes {classes} for the classes.",
                self.bare_size(second)
            ),
        })
    }

    /// Of a mask with an axis `own` where `axis` stands, the others being the same.
    pub(crate) fn torch_masks(&self, mask: &[Axis], axes: &[Axis]) -> Option<String> {
        let symbols = &self.program.symbols;
        let clashes = mask.iter().zip(axes).filter(|(a, b)| !a.agrees(b, symbols));
        let mut when: Vec<String> = Vec::new();
        for (a, b) in clashes {
            match self.equal(a, b) {
                When::Never => return None,
                When::Always => {}
                When::Stretched(sizes) | When::If(sizes, _) => when.push(sizes),
            }
        }
        Some(match when.is_empty() {
            true => "PyTorch runs this, since the sizes are equal, and says nothing.".to_owned(),
            false => format!(
                "PyTorch runs when {}, and says nothing.",
                when.join(" and ")
            ),
        })
    }

    /// Of `to [axes]` that can't be: PyTorch's reshape only counts elements.
    pub(crate) fn torch_reshapes(&self, from: &[Axis], to: &[Axis]) -> Option<String> {
        let product = |axes: &[Axis]| {
            let one = Size::constant(1);
            axes.iter()
                .try_fold(one, |size, axis| size.mul(&axis.size).ok())
        };
        let symbols = &self.program.symbols;
        let (has, wants) = (product(from)?, product(to)?);
        if has.same(&wants, symbols) {
            return Some(
                "PyTorch's reshape runs: it keeps the elements' order and mixes the axes."
                    .to_owned(),
            );
        }
        if never_equal(&has, &wants, symbols) {
            return None;
        }
        let (has, wants) = without_common(&has, &wants)?;
        let (has, wants) = (has.display(symbols), wants.display(symbols));
        let (open, known) = if has.parse::<i64>().is_ok() {
            (wants, has)
        } else {
            (has, wants)
        };
        Some(format!(
            "PyTorch's reshape runs when {open} is {known}, and never asks which axis is which."
        ))
    }

    /// Of an operation along an axis without `over=`, on a tensor of `rank` axes.
    pub(crate) fn torch_without_over(&self, op: OpId, ty: &TensorType) -> Option<String> {
        let rank = ty.rank();
        let (spelling, at, how) = match op {
            OpId::Softmax | OpId::LogSoftmax => {
                let name = if op == OpId::Softmax {
                    "softmax"
                } else {
                    "log_softmax"
                };
                let at = usize::from(rank != 3);
                (format!("F.{name}"), at, ", with a warning")
            }
            OpId::Normalize => ("F.normalize".to_owned(), 1, ", and says nothing"),
            OpId::Sort => ("sort".to_owned(), rank - 1, ", and says nothing"),
            OpId::Concat => ("cat".to_owned(), 0, ", and says nothing"),
            OpId::ArgSort => ("argsort".to_owned(), rank - 1, ", and says nothing"),
            _ => return None,
        };
        let axis = self.show_axis(ty.axes.get(at)?);
        let place = strand_ir::axis_place(at, rank);
        Some(format!(
            "PyTorch's {spelling} without dim takes the {place}, {axis}{how}."
        ))
    }

    /// Of an `over=` that names no axis.
    pub(crate) fn torch_counts_axes(rank: usize) -> Option<String> {
        (rank > 1).then(|| {
            format!(
                "PyTorch counts axes: any dim from -{rank} to {} runs.",
                rank - 1
            )
        })
    }

    /// Whether two sizes broadcast.
    fn stretched_or_equal(&self, a: &Axis, b: &Axis) -> When {
        let symbols = &self.program.symbols;
        let known = |axis: &Axis| axis.size.ground(symbols).as_constant();
        let (x, y) = (self.bare_size(a), self.bare_size(b));
        match (known(a), known(b)) {
            (Some(a), Some(b)) if a == b || a == 1 || b == 1 => When::Always,
            (Some(_), Some(_)) => When::Never,
            (Some(1), None) | (None, Some(1)) => When::Always,
            (Some(size), None) => {
                When::If(format!("{y} is 1 or {size}"), Some(format!("{y} = {size}")))
            }
            (None, Some(size)) => {
                When::If(format!("{x} is 1 or {size}"), Some(format!("{x} = {size}")))
            }
            (None, None) if never_equal(&a.size, &b.size, symbols) => {
                When::Stretched(format!("{x} or {y} is 1"))
            }
            (None, None) => When::If(
                format!("{x} and {y} are equal or one is 1"),
                Some(format!("{x} = {y}")),
            ),
        }
    }

    /// Whether two sizes are equal.
    fn equal(&self, a: &Axis, b: &Axis) -> When {
        let symbols = &self.program.symbols;
        let known = |axis: &Axis| axis.size.ground(symbols).as_constant();
        if a.size.same(&b.size, symbols) {
            return When::Always;
        }
        let (x, y) = (self.bare_size(a), self.bare_size(b));
        match (known(a), known(b)) {
            (Some(_), Some(_)) => When::Never,
            (Some(size), None) => When::If(format!("{y} is {size}"), None),
            (None, Some(size)) => When::If(format!("{x} is {size}"), None),
            (None, None) if never_equal(&a.size, &b.size, symbols) => When::Never,
            (None, None) => When::If(format!("{x} = {y}"), None),
        }
    }

    /// "most n" where it hangs on one name.
    fn most(&self, axes: &[&Axis]) -> String {
        let symbols = &self.program.symbols;
        let mut names = Vec::new();
        for axis in axes {
            names.extend(axis.size.ground(symbols).symbols());
        }
        names.dedup();
        match names.as_slice() {
            [name] => format!("most {}", symbols.name(*name)),
            _ => "most sizes".to_owned(),
        }
    }

    fn size_of_both(&self, a: &Axis, b: &Axis) -> Option<i64> {
        let symbols = &self.program.symbols;
        let known = |axis: &Axis| axis.size.ground(symbols).as_constant();
        known(a).filter(|size| known(b) == Some(*size))
    }

    /// A size as a sentence writes it.
    fn bare_size(&self, axis: &Axis) -> String {
        let shown = self.show_axis(axis);
        let bare = shown
            .strip_prefix('(')
            .and_then(|shown| shown.strip_suffix(')'));
        bare.map_or_else(|| shown.clone(), str::to_owned)
    }
}

/// Whether two sizes are equal for no size above 0: they differ by a number (`n`, `n - 1`), or one
/// is a multiple of the other.
fn never_equal(a: &Size, b: &Size, symbols: &Symbols) -> bool {
    let difference = a.sub(b).ok().map(|size| size.ground(symbols));
    let by = difference.and_then(|size| size.as_constant());
    let (a, b) = (a.ground(symbols), b.ground(symbols));
    by.is_some_and(|by| by != 0) || (by.is_none() && without_common(&a, &b).is_none())
}

/// Two products without the factors that both have; `None` where only numbers are left, which
/// differ for every size but 0.
fn without_common(a: &Size, b: &Size) -> Option<(Size, Size)> {
    let (mut a, mut b) = (a.clone(), b.clone());
    for symbol in a.symbols() {
        while let (Some(less), Some(other)) = (a.divide_by(symbol), b.divide_by(symbol)) {
            (a, b) = (less, other);
        }
    }
    let numbers = a.as_constant().is_some() && b.as_constant().is_some();
    (!numbers).then_some((a, b))
}
