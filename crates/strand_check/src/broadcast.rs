//! How shapes line up: broadcasting and `@`.

use strand_ir::{Axis, Expr, How, Step, SymbolKind, TensorType, Type};
use strand_ops::{DType, OpId};
use strand_source::{Code, Diagnostic, Span};

use crate::clash::Row;
use crate::context::Checker;
use crate::mends::Mend;
use crate::operators::{BinarySite, edit, short, takes};
use crate::rearrange::swap_last;
use crate::suggest::grouped;

/// A tensor and where it stands.
type Placed<'t> = (&'t TensorType, Span);

/// How long the names of tensors are at most in the words for a fix.
const MOST_NAMES: usize = 12;

/// Whether an axis was added in a piece of the text, as in `w to [n 1]`: who writes that means it to stretch.
fn is_added_in(axis: &Axis, piece: Span) -> bool {
    let steps = axis.origin.steps();
    let added = |step: &&Step| !matches!(step.how, How::Words("the literal"));
    let last = steps.last().copied().filter(added);
    last.is_some_and(|step| piece.contains(step.span))
}

/// A pair of axes that don't line up, counted from the right.
pub(crate) struct Clash {
    pub(crate) from_right: usize,
    pub(crate) left: Axis,
    pub(crate) right: Axis,
}

impl Checker<'_> {
    /// The axes of two tensors lined up from the right. Reports E0503 where they don't; H0501 and
    /// W0501 where an axis of size 1 stretches. `site` is the operator, where it is one.
    pub(crate) fn broadcast(
        &mut self,
        site: Option<BinarySite>,
        left: Placed<'_>,
        right: Placed<'_>,
    ) -> Option<Vec<Axis>> {
        match self.line_up(&left.0.axes, &right.0.axes) {
            Ok(axes) => {
                if self.silent == 0 {
                    self.stretched(left, right);
                }
                Some(axes)
            }
            Err(clash) => {
                if self.silent == 0 {
                    self.clash(site, left, right, &clash);
                }
                None
            }
        }
    }

    /// The axes of two shapes aligned from the right, or the first pair that clashes.
    pub(crate) fn line_up(&self, left: &[Axis], right: &[Axis]) -> Result<Vec<Axis>, Clash> {
        let rank = left.len().max(right.len());
        let mut axes = Vec::with_capacity(rank);
        for from_right in 0..rank {
            let at = |axes: &[Axis]| {
                axes.len()
                    .checked_sub(from_right + 1)
                    .map(|at| axes[at].clone())
            };
            let axis = match (at(left), at(right)) {
                (Some(a), Some(b)) => match self.joined_axis(&a, &b) {
                    Some(axis) => axis,
                    None if a.stretches() => b,
                    None if b.stretches() => a,
                    None => {
                        return Err(Clash {
                            from_right,
                            left: a,
                            right: b,
                        });
                    }
                },
                (Some(axis), None) | (None, Some(axis)) => axis,
                (None, None) => continue,
            };
            axes.push(axis);
        }
        axes.reverse();
        Ok(axes)
    }

    /// Whether two shapes line up, in silence.
    pub(crate) fn lines_up(&self, left: &[Axis], right: &[Axis]) -> bool {
        self.line_up(left, right).is_ok()
    }

    /// W0501 for `[n]` met with `[n 1]`, else H0501 for an axis that stretches.
    fn stretched(&mut self, left: Placed<'_>, right: Placed<'_>) {
        for (thin, wide) in [(left, right), (right, left)] {
            let pairs = thin.0.axes.iter().rev().zip(wide.0.axes.iter().rev());
            for (from_right, (one, other)) in pairs.enumerate() {
                let stretches = one.stretches() && !other.stretches();
                if !stretches || other.size.as_constant() == Some(1) {
                    continue;
                }
                let before = thin.0.axes.len().checked_sub(from_right + 2);
                let doubled = wide.0.rank() == from_right + 1
                    && before
                        .is_some_and(|at| thin.0.axes[at].agrees(other, &self.program.symbols));
                if doubled {
                    self.crossed(thin, wide, from_right);
                } else if !is_added_in(one, thin.1) {
                    let name = self.name_of(thin.1);
                    let other = self.show_axis(other);
                    let message = format!("the axis of size 1 of {name} stretches to {other}");
                    let mut finding = Diagnostic::new(Code::H0501, thin.1, message)
                        .diff(self.lined_up(self.row(left), self.row(right)));
                    finding = self.stretch_labelled(finding, (thin, wide), from_right);
                    self.report(finding);
                }
                return;
            }
        }
    }

    /// Labels of an axis of size 1 and the axis that it stretches to.
    fn stretch_labelled(
        &self,
        mut finding: Diagnostic,
        (thin, wide): (Placed<'_>, Placed<'_>),
        from_right: usize,
    ) -> Diagnostic {
        for (ty, span) in [thin, wide] {
            let at = ty.rank() - 1 - from_right;
            let role = format!("{} of {}", place(at, ty.rank()), self.name_of(span));
            finding = self.trace(finding, &ty.axes[at], &role, span);
        }
        finding
    }

    fn crossed(&mut self, thin: Placed<'_>, wide: Placed<'_>, from_right: usize) {
        let symbols = &self.program.symbols;
        let (thin_shape, wide_shape) =
            (thin.0.display_shape(symbols), wide.0.display_shape(symbols));
        let (thin_name, wide_name) = (self.name_of(thin.1), self.name_of(wide.1));
        let message = short(
            format!(
                "{thin_name} is {thin_shape}, {wide_name} is {wide_shape}: every pair is combined"
            ),
            short(
                format!("{wide_shape} meets {thin_shape}: every pair is combined"),
                format!("{thin_name} meets {wide_name}: every pair is combined"),
            ),
        );
        let flat = format!("{} to {wide_shape}", grouped(thin.1.text(self.text)));
        let (upper, lower) = if thin.1 < wide.1 {
            (thin, wide)
        } else {
            (wide, thin)
        };
        let finding = Diagnostic::new(Code::W0501, thin.1, message)
            .diff(self.lined_up(self.row(upper), self.row(lower)))
            .note("A loss computed so is wrong without an error, in PyTorch too.")
            .fix(flat.clone(), thin.1, format!("({flat})"))
            .meaning("drops the axis of size 1");
        let finding = self.stretch_labelled(finding, (thin, wide), from_right);
        self.report(finding);
    }

    fn clash(
        &mut self,
        site: Option<BinarySite>,
        left: Placed<'_>,
        right: Placed<'_>,
        clash: &Clash,
    ) {
        let (x, w) = (self.name_of(left.1), self.name_of(right.1));
        let (a, b) = (self.show_axis(&clash.left), self.show_axis(&clash.right));
        let op = site.map_or("and", |site| site.op.as_str());
        let message = if clash.from_right == 0 {
            short(
                format!("{x} {op} {w} don't line up: {x} ends in {a}, {w} ends in {b}"),
                format!("these don't line up: the left ends in {a}, the right in {b}"),
            )
        } else {
            short(
                format!("{x} {op} {w} don't line up: {a} of {x} meets {b} of {w}"),
                format!("these don't line up: {a} on the left meets {b} on the right"),
            )
        };
        let mut finding = Diagnostic::new(Code::E0503, right.1, message);
        for (tensor, axis) in [(left, &clash.left), (right, &clash.right)] {
            let name = self.name_of(tensor.1);
            let place = place(tensor.0.rank() - 1 - clash.from_right, tensor.0.rank());
            finding = self.trace(finding, axis, &format!("{place} of {name}"), tensor.1);
        }
        let (upper, lower) = (self.row(left), self.row(right));
        finding = finding.diff(self.lined_up(upper, lower));
        let torch = self.torch_broadcasts(op, (&left.0.axes, &x), (&right.0.axes, &w));
        finding.notes.extend(torch);
        match site {
            Some(site) => finding = self.line_up_fixes(finding, site, left, right, clash),
            None => {
                for (moved, fixed) in [(left, right), (right, left)] {
                    if let Some((shape, _)) = self.spread(moved.0, fixed.0) {
                        let text = format!("{} to {shape}", grouped(moved.1.text(self.text)));
                        finding = finding.write(moved.1, text);
                    }
                }
            }
        }
        for (side, own, other) in [
            (left, &clash.left, &clash.right),
            (right, &clash.right, &clash.left),
        ] {
            // A reduction that left one of the two and took the other away.
            let text = side.1.text(self.text);
            let (own, other) = (self.show_axis(own), self.show_axis(other));
            let kept = text.strip_suffix(&format!("over={other})"));
            if let Some(kept) = kept {
                let text = format!("{kept}over={own})");
                finding = finding.write(side.1, text);
            }
        }
        self.report(finding);
    }

    /// A tensor as a row of a table.
    fn row<'t>(&self, (ty, span): Placed<'t>) -> Row<'t> {
        Row {
            name: self.name_of(span),
            axes: &ty.axes,
        }
    }

    /// What lines two operands up: the chain first, then an axis of size 1 beside the operation as it is, then what may
    /// have been meant. Elements of something computed are taken only where nothing shorter is offered.
    fn line_up_fixes(
        &self,
        mut finding: Diagnostic,
        site: BinarySite,
        left: Placed<'_>,
        right: Placed<'_>,
        clash: &Clash,
    ) -> Diagnostic {
        let op = site.op.as_str();
        let spread = self.spread_fixes(site, left, right);
        let simple = |span: Span| !span.text(self.text).contains(['(', ' ']);
        let chain = if simple(left.1) && simple(right.1) || spread.is_empty() {
            self.chain_that_lines_up(op, left, right)
        } else {
            None
        };
        if let Some(chain) = chain {
            let text = self.as_part(site.span, &chain);
            finding = finding.fix(chain, site.span, text);
            if let ([_, _], [_]) = (left.0.axes.as_slice(), right.0.axes.as_slice()) {
                let (x, w) = (self.name_of(left.1), self.name_of(right.1));
                let words = match x.len() + w.len() <= MOST_NAMES {
                    true => format!("each row of {x} with its own {w}"),
                    false => "row by row".to_owned(),
                };
                finding = finding.meaning(words);
            }
        }
        for mend in spread {
            finding = finding.write(mend.span, mend.text).meaning(mend.title);
        }
        for mend in self.moved_bounds((&clash.left, left.1), (&clash.right, right.1)) {
            finding = finding
                .fix(mend.title, mend.span, mend.text)
                .meaning("as many elements as the other slice");
        }
        let symbols = &self.program.symbols;
        if clash.left.size.same(&clash.right.size, symbols) {
            let mut axes = right.0.axes.clone();
            let at = axes.len() - 1 - clash.from_right;
            axes[at] = clash.left.clone();
            let shape = TensorType::new(axes, right.0.dtype).display_shape(symbols);
            let text = format!("({} as {shape})", grouped(right.1.text(self.text)));
            let title = format!("{} {op} {text}", self.operand(left.1));
            finding = finding
                .fix(title, right.1, text)
                .meaning("says that they are the same axis");
        }
        if let Some(text) = self.stated_equal(site, left, right, clash) {
            finding = finding
                .fix(&*text, site.span, text.clone())
                .meaning("states one size, and checks it when it runs");
        }
        for mend in self.other_pairings(site, left, right, clash) {
            finding = finding.write(mend.span, mend.text).meaning(mend.title);
        }
        finding
    }

    /// `(a as [k]) - (b as [k])`, where both clashing sizes are only known while running; where one
    /// is, that one as the other.
    fn stated_equal(
        &self,
        site: BinarySite,
        left: Placed<'_>,
        right: Placed<'_>,
        clash: &Clash,
    ) -> Option<String> {
        let symbols = &self.program.symbols;
        let is_born = |axis: &Axis| self.is_born(axis);
        let k = match (is_born(&clash.left), is_born(&clash.right)) {
            (true, true) => self.free_name(&["k", "kept", "k2", "k3"])?.to_owned(),
            (true, false) => self.writable(&clash.right)?,
            (false, true) => self.writable(&clash.left)?,
            (false, false) => return None,
        };
        let stated = |(ty, span): Placed<'_>| {
            let at = ty.rank().checked_sub(clash.from_right + 1)?;
            let mut parts = Vec::with_capacity(ty.rank());
            for (place, axis) in ty.axes.iter().enumerate() {
                match place == at {
                    true => parts.push(k.clone()),
                    false if is_born(axis) => return None,
                    false => parts.push(axis.display(symbols)),
                }
            }
            let value = grouped(span.text(self.text));
            Some(format!("({value} as [{}])", parts.join(" ")))
        };
        let side = |placed: Placed<'_>, axis: &Axis| match is_born(axis) {
            true => stated(placed),
            false => Some(self.operand(placed.1)),
        };
        let (x, w) = (side(left, &clash.left)?, side(right, &clash.right)?);
        Some(format!("{x} {} {w}", site.op.as_str()))
    }

    /// Whether only running the program tells an axis's size.
    pub(crate) fn is_born(&self, axis: &Axis) -> bool {
        let mut parts = axis.size.symbols().into_iter();
        parts.any(|symbol| self.is_birth(symbol))
    }

    /// `x * (w to [n 1])`
    fn spread_fixes(&self, site: BinarySite, left: Placed<'_>, right: Placed<'_>) -> Vec<Mend> {
        let mut found = Vec::new();
        let op = site.op.as_str();
        for (moved, fixed) in [(left, right), (right, left)] {
            let Some((shape, along)) = self.spread(moved.0, fixed.0) else {
                continue;
            };
            let placed = format!("({} to {shape})", grouped(moved.1.text(self.text)));
            let (x, w) = if moved.1 == left.1 {
                (placed, self.operand(right.1))
            } else {
                (self.operand(left.1), placed)
            };
            let name = self.name_of(moved.1);
            let title = match name.len() <= MOST_NAMES {
                true => format!("{name} stretches along {along}"),
                false => format!("stretches along {along}"),
            };
            let (span, text) = (site.span, format!("{x} {op} {w}"));
            found.push(Mend { title, span, text });
        }
        found
    }

    fn operand(&self, span: Span) -> String {
        span.text(self.text).to_owned()
    }

    /// `n |> map(i => x[i] * w[i])`, where both begin with the same named axis and their rests line
    /// up.
    fn chain_that_lines_up(&self, op: &str, left: Placed<'_>, right: Placed<'_>) -> Option<String> {
        let (first, rest) = left.0.axes.split_first()?;
        let (other, other_rest) = right.0.axes.split_first()?;
        let same = first.name.is_some() && first.name == other.name;
        if !same || !self.lines_up(rest, other_rest) {
            return None;
        }
        let i = self.free_name(&["i", "j", "k", "p", "q"])?;
        let x = grouped(left.1.text(self.text));
        let w = grouped(right.1.text(self.text));
        let n = self.show_axis(first);
        Some(format!("{n} |> map({i} => {x}[{i}] {op} {w}[{i}])"))
    }

    /// The shape of `moved` with an axis of size 1 for each axis of `fixed` that it lacks, from the
    /// first that it has: `[n 1]` for `[n]` beside `[n D]`; and the axes along which it stretches.
    fn spread(&self, moved: &TensorType, fixed: &TensorType) -> Option<(String, String)> {
        let mut left: Vec<_> = moved.axes.iter().map(|axis| axis.name).collect();
        if left.iter().any(Option::is_none) || moved.rank() >= fixed.rank() {
            return None;
        }
        let mut parts: Vec<String> = Vec::new();
        let mut along: Vec<String> = Vec::new();
        for axis in &fixed.axes {
            let found = left.iter().position(|name| *name == axis.name);
            match found {
                Some(at) => {
                    left.remove(at);
                    parts.push(self.show_axis(axis));
                }
                None if parts.is_empty() => {}
                None => {
                    parts.push("1".to_owned());
                    along.push(self.show_axis(axis));
                }
            }
        }
        let shape = format!("[{}]", parts.join(" "));
        left.is_empty().then(|| (shape, along.join(" and ")))
    }

    /// The first of the names that nothing in scope has.
    pub(crate) fn free_name(&self, names: &[&'static str]) -> Option<&'static str> {
        names
            .iter()
            .copied()
            .find(|name| self.variable(name).is_none() && self.symbol(name).is_none())
    }

    /// A pipe in the place of `span`: in parentheses unless it is all of its line's expression.
    pub(crate) fn as_part(&self, span: Span, pipe: &str) -> String {
        let before = self.text.get(..span.start as usize).unwrap_or("");
        let before = before.trim_end_matches(' ');
        let whole_before = before.ends_with('\n')
            || before.is_empty()
            || before.ends_with("return")
            || (before.ends_with('=') && !before.ends_with("=="))
            || before.ends_with("=>");
        let after = self.text.get(span.end as usize..).unwrap_or("");
        let after = after.trim_start_matches(' ');
        let whole_after = after.is_empty() || after.starts_with(['\n', '\r', '#', ')', ',']);
        if whole_before && whole_after {
            pipe.to_owned()
        } else {
            format!("({pipe})")
        }
    }

    /// The type of `left @ right`. E0504, E0503, E0602, E0603.
    pub(crate) fn matmul(&mut self, left: &Expr, right: &Expr) -> Option<Type> {
        let (Some(a), Some(b)) = (left.ty.tensor(), right.ty.tensor()) else {
            let side = if left.ty.tensor().is_none() {
                left
            } else {
                right
            };
            let message = "`@` needs tensors with axes; with a number write `*`";
            self.error(Code::E0504, side.span, message);
            return None;
        };
        for (side, tensor) in [(left, a), (right, b)] {
            if tensor.axes.is_empty() {
                let name = self.name_of(side.span);
                let message = format!("{name} has no axis for `@` to contract; write `*`");
                let between = Span::new(left.span.end, right.span.start);
                let title = format!("{} * {}", self.operand(left.span), self.operand(right.span));
                let mut finding = Diagnostic::new(Code::E0504, side.span, message);
                if between.text(self.text).trim() == "@" {
                    finding = finding.fix(title, between, " * ");
                }
                self.report(finding);
                return None;
            }
        }
        let dtype = self.common_dtype(&[left, right])?;
        if !takes(OpId::MatMul.op().dtype, dtype) {
            self.error(Code::E0603, left.span, "`@` isn't defined for bool");
            return None;
        }
        let axes = self.contracted((a, left.span), (b, right.span))?;
        Some(Type::Tensor(TensorType::new(axes, dtype)))
    }

    fn contracted(&mut self, left: Placed<'_>, right: Placed<'_>) -> Option<Vec<Axis>> {
        let (a, b) = (&left.0.axes, &right.0.axes);
        let at = b.len().saturating_sub(2);
        let (last, met) = (a.last()?, &b[at]);
        if !last.agrees(met, &self.program.symbols) {
            self.cannot_contract(left, right, at);
            return None;
        }
        let batch = |axes: &[Axis]| {
            let kept = axes.len().saturating_sub(2);
            TensorType::new(axes[..kept].to_vec(), DType::F32)
        };
        if let Err(clash) = self.line_up(&batch(a).axes, &batch(b).axes) {
            if self.silent == 0 {
                let from_right = clash.from_right + 2;
                let clash = Clash {
                    from_right,
                    ..clash
                };
                self.clash(None, left, right, &clash);
            }
            return None;
        }
        let mut axes = self.broadcast(None, (&batch(a), left.1), (&batch(b), right.1))?;
        let kept = |axis: &Axis| {
            let how = How::Words("kept by `@`");
            axis.clone()
                .made_from(&axis.origin, how, left.1.to(right.1))
        };
        if a.len() > 1 {
            axes.push(kept(&a[a.len() - 2]));
        }
        if b.len() > 1 {
            axes.push(kept(&b[b.len() - 1]));
        }
        Some(axes)
    }

    fn cannot_contract(&mut self, left: Placed<'_>, right: Placed<'_>, at: usize) {
        let (x, w) = (self.name_of(left.1), self.name_of(right.1));
        let last = left.0.axes.len() - 1;
        let (end, met) = (&left.0.axes[last], &right.0.axes[at]);
        let (a, b) = (self.show_axis(end), self.show_axis(met));
        let ends = if at + 1 == right.0.rank() && at > 0 {
            "ends in"
        } else if at == 0 {
            "starts with"
        } else {
            "has last but one"
        };
        let message = short(
            format!("{x} @ {w} can't contract: {x} ends in {a}, {w} {ends} {b}"),
            format!("`@` can't contract {a} on the left with {b} on the right"),
        );
        let mut finding = Diagnostic::new(Code::E0504, right.1, message);
        for (tensor, at) in [(left, last), (right, at)] {
            let name = self.name_of(tensor.1);
            let role = format!("{} of {name}", place(at, tensor.0.rank()));
            finding = self.trace(finding, &tensor.0.axes[at], &role, tensor.1);
        }
        finding = finding.diff(self.contraction(self.row(left), self.row(right), at));
        let batch = |tensor: &TensorType| tensor.axes[..tensor.rank().saturating_sub(2)].to_vec();
        if self.lines_up(&batch(left.0), &batch(right.0)) {
            finding.notes.extend(self.torch_contracts(end, met));
        }
        let symbols = &self.program.symbols;
        // A swap of the last two axes of one side, where that makes them meet.
        if right.0.rank() >= 2 {
            let swapped = self.swapped(right.0);
            if swapped.axes[at].agrees(end, symbols) {
                let shape = swapped.display_shape(symbols);
                let text = format!("({} to {shape})", grouped(right.1.text(self.text)));
                let title = format!("{x} @ {text}");
                finding = finding
                    .fix(title, right.1, text)
                    .meaning(format!("{w} with its axes swapped"));
            }
        }
        if left.0.rank() >= 2 {
            let swapped = self.swapped(left.0);
            if swapped.axes[last].agrees(met, symbols) {
                let shape = swapped.display_shape(symbols);
                let text = format!("({} to {shape})", grouped(left.1.text(self.text)));
                finding = finding
                    .fix_edits(format!("{text} @ {w}"), vec![edit(left.1, text)])
                    .meaning(format!("{x} with its axes swapped"));
            }
        }
        self.report(finding);
    }

    fn swapped(&self, tensor: &TensorType) -> TensorType {
        let mut axes = tensor.axes.clone();
        swap_last(&mut axes);
        TensorType::new(axes, tensor.dtype)
    }

    /// Whether a symbol is a size that only running the program tells.
    pub(crate) fn is_birth(&self, symbol: strand_ir::SymbolId) -> bool {
        self.program.symbols.get(symbol).kind == SymbolKind::Birth
    }
}

/// How a label names an axis's place: "the only axis", "first axis", "last axis".
pub(crate) fn place(at: usize, rank: usize) -> String {
    let place = strand_ir::axis_place(at, rank);
    if rank == 1 {
        format!("the {place}")
    } else {
        place
    }
}
