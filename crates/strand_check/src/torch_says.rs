//! What PyTorch would do with the same operation: for which sizes it runs, and what it then computes.
//!
//! A sentence is said only where it is true for the sizes that it names; where PyTorch fails too,
//! nothing is said.

use strand_ir::{Axis, Expr, Size, Symbols, TensorType};
use strand_ops::{Class, DType, OpId, TorchDim};

use crate::context::Checker;
use crate::slice_fixes::sliced_at;

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
        // A slice that may well be as long as the other says nothing of what goes wrong.
        let is_open = |axis: &Axis| sliced_at(axis).is_some() && self.is_born(axis);
        if is_open(a) || is_open(b) {
            return None;
        }
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

    /// What differs in a call from an operator, in the findings from `found` on: `mse_loss` warns
    /// of sizes that aren't the same; `clamp` takes no number beside a tensor.
    pub(crate) fn torch_of_call(&mut self, op: OpId, values: &[Expr], found: usize) {
        let is_tensor = |value: &Expr| value.ty.tensor().is_some();
        let bounds = values.get(1..).unwrap_or(&[]);
        let mixed = bounds.iter().any(is_tensor) && !bounds.iter().all(is_tensor);
        let fails = match op {
            OpId::Clamp if mixed => true,
            OpId::BinaryCrossEntropy => true,
            OpId::Mse => false,
            _ => return,
        };
        for finding in self.diagnostics.iter_mut().skip(found) {
            if fails {
                finding.notes.retain(|note| !note.starts_with("PyTorch"));
                continue;
            }
            for note in &mut finding.notes {
                *note = note.replace("and says nothing", "and only warns");
            }
        }
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
        let when = self.all_equal(given.iter().zip(wanted))?;
        let sizes = when.map_or("since the sizes are equal".to_owned(), |sizes| {
            format!("when {sizes}")
        });
        Some(format!("PyTorch can't tell these shapes apart {sizes}."))
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
        let last = axis.size.sub(&Size::constant(1)).ok()?;
        let (size, last) = (self.show_axis(axis), last.display(&self.program.symbols));
        matches!(dtype, DType::I64 | DType::I32)
            .then(|| format!("PyTorch runs while its values go from -{size} up to {last}."))
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
        let pairs = first.iter().zip(other).enumerate();
        let pairs = pairs.filter(|(at, _)| Some(*at) != over);
        let joined = "it joins different axes, and says nothing.";
        Some(match self.all_equal(pairs.map(|(_, pair)| pair))? {
            None => format!("PyTorch runs this, since the sizes are equal: {joined}"),
            Some(sizes) => format!("PyTorch runs when {sizes}: {joined}"),
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
        Some(match self.all_equal(mask.iter().zip(axes))? {
            None => "PyTorch runs this, since the sizes are equal, and says nothing.".to_owned(),
            Some(sizes) => format!("PyTorch runs when {sizes}, and says nothing."),
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
        let row = op.op();
        let (at, how) = match row.traits.torch_dim? {
            TorchDim::Guessed => (usize::from(rank != 3), ", with a warning"),
            TorchDim::At(at) => (at, ", and says nothing"),
            TorchDim::Last => (rank.checked_sub(1)?, ", and says nothing"),
        };
        let is_functional = row.traits.torch_dim == Some(TorchDim::Guessed)
            || row.torch.starts_with("torch.nn.functional");
        let spelling = row.torch.rsplit('.').next().unwrap_or(row.name);
        let module = if is_functional { "F." } else { "" };
        let axis = self.show_axis(ty.axes.get(at)?);
        let place = strand_ir::axis_place(at, rank);
        Some(format!(
            "PyTorch's {module}{spelling} without dim takes the {place}, {axis}{how}."
        ))
    }

    /// Of an `over=` that names no axis, of an operation whose dim PyTorch only counts: what joins
    /// asks for the sizes of the other axes too.
    pub(crate) fn torch_counts_axes(op: Option<OpId>, rank: usize) -> Option<String> {
        let counts = match op?.op().class {
            Class::Reduce { .. } | Class::ArgReduce => true,
            Class::Along => op != Some(OpId::LayerNorm),
            _ => matches!(op, Some(OpId::Diff | OpId::TopK)),
        };
        (counts && rank > 1).then(|| {
            format!(
                "PyTorch counts axes: any dim from -{rank} to {} runs.",
                rank - 1
            )
        })
    }

    /// When the sizes of all pairs are equal: `None` where they never are, no words where they
    /// always are.
    #[allow(clippy::option_option)]
    fn all_equal<'a>(
        &self,
        pairs: impl Iterator<Item = (&'a Axis, &'a Axis)>,
    ) -> Option<Option<String>> {
        let symbols = &self.program.symbols;
        let mut when: Vec<String> = Vec::new();
        // What must be 0, in the least number of equations.
        let mut zero: Vec<Size> = Vec::new();
        for (a, b) in pairs.filter(|(a, b)| !a.agrees(b, symbols)) {
            let sizes = match self.equal(a, b) {
                When::Never => return None,
                When::Always => continue,
                When::Stretched(sizes) | When::If(sizes, _) => sizes,
            };
            let less = a.size.ground(symbols).sub(&b.size.ground(symbols)).ok()?;
            // Both can't be 0 where they are a number other than 0 apart.
            if zero
                .iter()
                .any(|known| apart(known, &less).any(|by| by != 0))
            {
                return None;
            }
            if !zero
                .iter()
                .any(|known| apart(known, &less).any(|by| by == 0))
            {
                zero.push(less);
                when.push(sizes);
            }
        }
        Some((!when.is_empty()).then(|| when.join(" and ")))
    }

    /// Whether two sizes broadcast.
    fn stretched_or_equal(&self, a: &Axis, b: &Axis) -> When {
        let symbols = &self.program.symbols;
        let known = |axis: &Axis| axis.size.ground(symbols).as_constant();
        let one_of = |axis: &Axis, size: i64| {
            let x = self.bare_size(axis);
            match (
                may_be(&axis.size, 1, symbols),
                may_be(&axis.size, size, symbols),
            ) {
                (true, true) => {
                    When::If(format!("{x} is 1 or {size}"), Some(format!("{x} = {size}")))
                }
                (true, false) => When::Stretched(format!("{x} is 1")),
                (false, true) => When::If(format!("{x} is {size}"), Some(format!("{x} = {size}"))),
                (false, false) => When::Never,
            }
        };
        let (x, y) = (self.bare_size(a), self.bare_size(b));
        match (known(a), known(b)) {
            (Some(a), Some(b)) if a == b || a == 1 || b == 1 => When::Always,
            (Some(_), Some(_)) => When::Never,
            (Some(1), None) | (None, Some(1)) => When::Always,
            (Some(size), None) => one_of(b, size),
            (None, Some(size)) => one_of(a, size),
            (None, None) => {
                let ones = [(a, &x), (b, &y)];
                let ones = ones
                    .iter()
                    .filter(|(axis, _)| may_be(&axis.size, 1, symbols));
                let ones: Vec<&str> = ones.map(|(_, size)| size.as_str()).collect();
                let equal = !never_equal(&a.size, &b.size, symbols);
                let same = format!("{x} = {y}");
                match (ones.as_slice(), equal) {
                    ([], false) => When::Never,
                    (ones, false) => When::Stretched(format!("{} is 1", ones.join(" or "))),
                    ([], true) => When::If(same.clone(), Some(same)),
                    ([one], true) => When::If(format!("{same} or {one} is 1"), Some(same)),
                    (_, true) => When::If(format!("{x} and {y} are equal or one is 1"), Some(same)),
                }
            }
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
            (Some(size), None) if may_be(&b.size, size, symbols) => {
                When::If(format!("{y} is {size}"), None)
            }
            (None, Some(size)) if may_be(&a.size, size, symbols) => {
                When::If(format!("{x} is {size}"), None)
            }
            (None, None) if !never_equal(&a.size, &b.size, symbols) => {
                When::If(format!("{x} = {y}"), None)
            }
            _ => When::Never,
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

/// Whether two sizes are equal for no size above 0: their difference is never 0, or one is a
/// multiple of the other.
fn never_equal(a: &Size, b: &Size, symbols: &Symbols) -> bool {
    let (a, b) = (a.ground(symbols), b.ground(symbols));
    let less = a.sub(&b);
    less.is_ok_and(|less| less.as_constant() != Some(0) && !may_be(&less, 0, symbols))
        || (!a.same(&b, symbols) && without_common(&a, &b).is_none())
}

/// Whether a size may have a value while its names are 1 or more: `2 * n` is never 3, `n + 4`
/// never below 5. It may say so of one that can't, never the other way round.
fn may_be(size: &Size, value: i64, symbols: &Symbols) -> bool {
    let size = size.ground(symbols);
    let mut rest = i128::from(value);
    let (mut factor, mut least) = (0_u64, 0_i128);
    let (mut rises, mut falls) = (false, false);
    for (names, count) in size.terms() {
        if names.is_empty() {
            rest -= i128::from(count);
            continue;
        }
        factor = gcd(factor, count.unsigned_abs());
        least += i128::from(count);
        rises |= count > 0;
        falls |= count < 0;
    }
    match factor {
        0 => rest == 0,
        factor => {
            rest % i128::from(factor) == 0 && (falls || rest >= least) && (rises || rest <= least)
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The numbers by which two sizes, or one and the other's negative, differ.
fn apart(a: &Size, b: &Size) -> impl Iterator<Item = i64> {
    let both = [a.sub(b), a.add(b)];
    both.into_iter().filter_map(|size| size.ok()?.as_constant())
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
