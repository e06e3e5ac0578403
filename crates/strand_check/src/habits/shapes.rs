//! PyTorch's, NumPy's and einops' ways to write another shape.

use strand_ir::{Axis, Size, TensorType, Type};
use strand_syntax::ast;

use super::spell::{Rest, Spelling, axis_of_one};
use crate::context::Checker;
use crate::over::{place_of, position};
use crate::suggest::grouped;

impl Checker<'_> {
    /// A value rearranged to axes, each of which has a name or a number.
    fn rearranged(&self, value: &Spelling, axes: Vec<Axis>) -> Option<Spelling> {
        let parts: Option<Vec<String>> = axes.iter().map(|axis| self.shape_part(axis)).collect();
        let ty = value.ty.as_ref()?;
        let text = format!("{} to [{}]", grouped(&value.text), parts?.join(" "));
        Some(Spelling::new(text, Some(TensorType::new(axes, ty.dtype))))
    }

    fn shape_part(&self, axis: &Axis) -> Option<String> {
        self.known_size(&axis.size)?;
        Some(self.show_axis(axis))
    }

    /// `t`, `transpose(0, 1)`, `permute(1, 0)`
    pub(super) fn turned_text(
        &self,
        is_numpy: bool,
        name: &str,
        value: &Spelling,
        rest: &Rest<'_>,
    ) -> Option<Spelling> {
        let ty = value.ty.as_ref()?;
        let rank = ty.rank();
        let mut order: Vec<usize> = (0..rank).collect();
        let names = ["dims", "axes", "dim0", "dim1", "axis1", "axis2"];
        let given = flat(rest, &names)?;
        let places: Option<Vec<usize>> = given.iter().map(|part| place_of(part, rank)).collect();
        // PyTorch's `transpose(0, 1)` swaps two; NumPy's and all in brackets give the order.
        let whole = name == "permute" || (name == "transpose" && (is_numpy || rest.len() == 1));
        match places?.as_slice() {
            [] if rank == 2 && name != "permute" => order.swap(0, 1),
            [a, b] if !whole => order.swap(*a, *b),
            all if whole && all.len() == rank => order = all.to_vec(),
            _ => return None,
        }
        if (0..rank).any(|at| !order.contains(&at)) {
            return None;
        }
        let axes: Vec<Axis> = order.iter().map(|at| ty.axes[*at].clone()).collect();
        let turned = TensorType::new(axes.clone(), ty.dtype);
        if let Some(shape) = self.distinct_shape(axes) {
            let text = format!("{} to {shape}", grouped(&value.text));
            return Some(Spelling::new(text, Some(turned)));
        }
        let mut last: Vec<usize> = (0..rank).collect();
        last.swap(rank.checked_sub(2)?, rank - 1);
        (order == last).then(|| Spelling::new(format!("transpose({})", value.text), Some(turned)))
    }

    /// `view(b, -1)`: the axes in their order, some of them merged.
    pub(super) fn reshaped_text(&mut self, value: &Spelling, rest: &Rest<'_>) -> Option<Spelling> {
        let ty = value.ty.as_ref()?.clone();
        let mut targets: Vec<Option<Size>> = Vec::new();
        for part in flat(rest, &["shape", "newshape"])? {
            if position(part) == Some(-1) {
                targets.push(None);
                continue;
            }
            let typed = self.tried(|checker| checker.expr(part, None))?;
            let size = self
                .program
                .size_of(&typed)
                .or_else(|| self.foreign_size(part));
            targets.push(Some(size?));
        }
        let open = targets.iter().position(Option::is_none);
        let (head, tail) = match open {
            Some(at) if targets[at + 1..].iter().all(Option::is_some) => {
                (&targets[..at], &targets[at + 1..])
            }
            Some(_) => return None,
            None => (&targets[..], &targets[..0]),
        };
        let mut from = 0;
        let mut axes = Vec::new();
        for size in head.iter().flatten() {
            let taken = self.merged_run(&ty.axes[from..], size)?;
            axes.push(self.run_axis(&ty.axes[from..from + taken], size)?);
            from += taken;
        }
        let mut to = ty.rank();
        let mut last = Vec::new();
        let reversed: Vec<Axis> = ty.axes.iter().rev().cloned().collect();
        for size in tail.iter().rev().flatten() {
            let taken = self.merged_run(&reversed[ty.rank() - to..], size)?;
            let start = to.checked_sub(taken).filter(|start| *start >= from)?;
            last.push(self.run_axis(&ty.axes[start..to], size)?);
            to = start;
        }
        if open.is_some() {
            let left = &ty.axes[from..to];
            let mut size = Size::constant(1);
            for axis in left {
                size = size.mul(&axis.size).ok()?;
            }
            axes.push(self.run_axis(left, &size)?);
        } else if from != ty.rank() {
            return None;
        }
        axes.extend(last.into_iter().rev());
        self.rearranged_runs(value, axes)
    }

    /// The size of `x.shape[0]`, `x.size(0)` in another call's arguments.
    fn foreign_size(&mut self, part: &ast::Expr) -> Option<Size> {
        let (base, at) = match &part.kind {
            ast::ExprKind::Index { base, items } => match (&base.kind, items.as_slice()) {
                (ast::ExprKind::Field { base, name }, [ast::IndexItem::Expr(at)])
                    if &*name.name == "shape" =>
                {
                    (base, at)
                }
                _ => return None,
            },
            ast::ExprKind::Call { callee, args, .. } => match (&callee.kind, args.as_slice()) {
                (ast::ExprKind::Field { base, name }, [at]) if &*name.name == "size" => {
                    (base, &at.value)
                }
                _ => return None,
            },
            _ => return None,
        };
        let typed = self.tried(|checker| checker.expr(base, None))?;
        let Type::Tensor(ty) = typed.ty else {
            return None;
        };
        let at = place_of(at, ty.rank())?;
        Some(ty.axes[at].size.clone())
    }

    /// How many axes, from the first on, have a product of sizes that is `size`.
    fn merged_run(&self, axes: &[Axis], size: &Size) -> Option<usize> {
        let symbols = &self.program.symbols;
        let mut product = Size::constant(1);
        if size.as_constant() == Some(1) {
            return Some(0);
        }
        for (at, axis) in axes.iter().enumerate() {
            product = product.mul(&axis.size).ok()?;
            if product.same(size, symbols) {
                return Some(at + 1);
            }
        }
        None
    }

    /// The one axis that a run of axes makes, each factor kept in its text.
    fn run_axis(&self, run: &[Axis], size: &Size) -> Option<(String, Axis)> {
        match run {
            [one] => Some((self.shape_part(one)?, one.clone())),
            [] => Some(("1".to_owned(), Axis::unnamed(Size::constant(1)))),
            several => {
                let parts: Option<Vec<String>> =
                    several.iter().map(|axis| self.shape_part(axis)).collect();
                let text = format!("({})", parts?.join(" * "));
                Some((text, Axis::unnamed(size.clone())))
            }
        }
    }

    fn rearranged_runs(&self, value: &Spelling, axes: Vec<(String, Axis)>) -> Option<Spelling> {
        let ty = value.ty.as_ref()?;
        let (parts, axes): (Vec<String>, Vec<Axis>) = axes.into_iter().unzip();
        if axes == ty.axes {
            return Some(value.clone());
        }
        let text = format!("{} to [{}]", grouped(&value.text), parts.join(" "));
        Some(Spelling::new(text, Some(TensorType::new(axes, ty.dtype))))
    }

    /// `flatten()`, `flatten(1)`, `flatten(start_dim=1, end_dim=2)`
    pub(super) fn flattened_text(&self, value: &Spelling, rest: &Rest<'_>) -> Option<Spelling> {
        let ty = value.ty.as_ref()?;
        let [from, to] = named(rest, ["start_dim", "end_dim"])?;
        let place = |arg: Option<&ast::Expr>, otherwise: usize| match arg {
            Some(arg) => place_of(arg, ty.rank()),
            None => Some(otherwise),
        };
        let from = place(from, 0)?;
        let to = place(to, ty.rank().checked_sub(1)?)?;
        let run = ty.axes.get(from..=to).filter(|run| !run.is_empty())?;
        let mut size = Size::constant(1);
        for axis in run {
            size = size.mul(&axis.size).ok()?;
        }
        let kept = |axes: &[Axis]| {
            let parts = axes
                .iter()
                .map(|axis| Some((self.shape_part(axis)?, axis.clone())));
            parts.collect::<Option<Vec<(String, Axis)>>>()
        };
        let mut axes = kept(&ty.axes[..from])?;
        axes.push(self.run_axis(run, &size)?);
        axes.extend(kept(&ty.axes[to + 1..])?);
        self.rearranged_runs(value, axes)
    }

    /// `squeeze()`, `squeeze(1)`: only what has size 1 whatever the sizes are.
    pub(super) fn squeezed_text(&self, value: &Spelling, rest: &Rest<'_>) -> Option<Spelling> {
        let ty = value.ty.as_ref()?;
        let mut axes = ty.axes.clone();
        match axis_argument(rest) {
            None if rest.is_empty() => axes.retain(|axis| !axis.stretches()),
            at => {
                let at = place_of(at?, ty.rank())?;
                if !axes[at].stretches() {
                    return None;
                }
                axes.remove(at);
            }
        }
        if axes.len() == ty.rank() {
            return None;
        }
        self.rearranged(value, axes)
    }

    /// `unsqueeze(1)`
    pub(super) fn unsqueezed_text(&self, value: &Spelling, rest: &Rest<'_>) -> Option<Spelling> {
        let mut ty = value.ty.as_ref()?.clone();
        let rank = ty.rank();
        let at = place_of(axis_argument(rest)?, rank + 1)?;
        ty.axes.insert(at, Axis::unnamed(Size::constant(1)));
        let text = format!("{}{}", grouped(&value.text), axis_of_one(at, rank));
        Some(Spelling::new(text, Some(ty)))
    }

    /// `rearrange(x, "b t d -> t (b d)")`
    pub(super) fn einops_text(&self, value: &Spelling, rest: &Rest<'_>) -> Option<Spelling> {
        let [pattern] = rest else { return None };
        let ast::ExprKind::Str(pattern) = &pattern.value.kind else {
            return None;
        };
        let ty = value.ty.as_ref()?;
        let (from, to) = pattern.split_once("->")?;
        let names: Vec<&str> = from.split_whitespace().collect();
        if names.len() != ty.rank() || from.contains(['(', '.']) {
            return None;
        }
        let mut parts: Vec<String> = Vec::new();
        let mut group: Option<Vec<String>> = None;
        let spaced = to.replace('(', " ( ").replace(')', " ) ");
        for word in spaced.split_whitespace() {
            match word {
                "(" => group = Some(Vec::new()),
                ")" => {
                    let factors = group.take()?;
                    parts.push(match factors.as_slice() {
                        [] => "1".to_owned(),
                        [one] => one.clone(),
                        several => format!("({})", several.join(" * ")),
                    });
                }
                "1" => parts.push("1".to_owned()),
                name => {
                    let at = names.iter().position(|known| *known == name)?;
                    let part = self.shape_part(&ty.axes[at])?;
                    match &mut group {
                        Some(group) => group.push(part),
                        None => parts.push(part),
                    }
                }
            }
        }
        let text = format!("{} to [{}]", grouped(&value.text), parts.join(" "));
        Some(Spelling::new(text, None))
    }

    /// `einsum("ij,jk->ik", a, b)`: a product, a turn or a sum, or by the names of its axes.
    pub(super) fn einsum_text(&mut self, rest: &Rest<'_>) -> Option<Spelling> {
        let (pattern, operands) = rest.split_first()?;
        let ast::ExprKind::Str(pattern) = &pattern.value.kind else {
            return None;
        };
        let pattern: String = pattern.split_whitespace().collect();
        let (from, to) = pattern.split_once("->")?;
        let terms: Vec<&str> = from.split(',').collect();
        self.product_of(&terms, to, operands)
            .or_else(|| self.named_einsum(&terms, to, operands))
    }

    /// `einsum(a, b, over=J)`, its axes in the letters' order.
    fn named_einsum(
        &mut self,
        terms: &[&str],
        to: &str,
        operands: &[&ast::Arg],
    ) -> Option<Spelling> {
        let mut axes: Vec<(char, Axis)> = Vec::new();
        let mut parts = Vec::new();
        for (term, operand) in terms.iter().zip(operands) {
            let typed = self.tried(|checker| checker.expr(&operand.value, None))?;
            let tensor = typed.ty.tensor()?;
            if tensor.rank() != term.chars().count() || operand.name.is_some() {
                return None;
            }
            for (letter, axis) in term.chars().zip(&tensor.axes) {
                axis.name?;
                // Each letter is one name, and each name one letter.
                let mut known = axes.iter();
                match known.find(|(own, named)| *own == letter || named.name == axis.name) {
                    Some((own, named)) if *own == letter && named.name == axis.name => {}
                    Some(_) => return None,
                    None => axes.push((letter, axis.clone())),
                }
            }
            parts.push(self.source(operand));
        }
        let name = |axis: &Axis| axis.display(&self.program.symbols);
        let (kept, gone): (Vec<_>, Vec<_>) =
            axes.iter().partition(|(letter, _)| to.contains(*letter));
        let over: Vec<String> = gone.iter().map(|(_, axis)| name(axis)).collect();
        let over = match over.as_slice() {
            [] => return None,
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        };
        let text = format!("einsum({}, over={over})", parts.join(", "));
        let own: String = kept.iter().map(|(letter, _)| letter).collect();
        if own == to {
            return Some(Spelling::new(text, None));
        }
        let turned = to.chars().map(|letter| {
            let found = kept.iter().find(|(own, _)| *own == letter)?;
            Some(name(&found.1))
        });
        let turned: Option<Vec<String>> = turned.collect();
        let text = format!("{text} to [{}]", turned?.join(" "));
        Some(Spelling::new(text, None))
    }

    /// An einsum that is a product, a turn or a sum.
    fn product_of(&mut self, terms: &[&str], to: &str, operands: &[&ast::Arg]) -> Option<Spelling> {
        match (terms, operands) {
            ([a], [x]) => {
                let x = self.source(x);
                let turned: String = a.chars().rev().collect();
                (a.len() == 2 && to == turned)
                    .then(|| Spelling::new(format!("transpose({x})"), None))
            }
            ([a, b], [x, y]) => {
                let (x, y) = (self.source(x), self.source(y));
                if a == b && to.is_empty() {
                    let text = format!("sum({} * {})", grouped(&x), grouped(&y));
                    return Some(Spelling::new(text, None));
                }
                let shared: Vec<char> = a
                    .chars()
                    .filter(|c| b.contains(*c) && !to.contains(*c))
                    .collect();
                let [met] = shared[..] else { return None };
                let kept = |term: &str| term.chars().filter(|c| *c != met).collect::<String>();
                if a.len() > 2 || b.len() > 2 || format!("{}{}", kept(a), kept(b)) != to {
                    return None;
                }
                let left = if a.ends_with(met) {
                    grouped(&x)
                } else {
                    format!("transpose({x})")
                };
                let right = if b.starts_with(met) {
                    grouped(&y)
                } else {
                    format!("transpose({y})")
                };
                Some(Spelling::new(format!("{left} @ {right}"), None))
            }
            _ => None,
        }
    }
}

/// The arguments without the brackets around them: `view(b, -1)`, `reshape((b, -1))`; `None`
/// where one has a name that isn't of `names`.
pub(super) fn flat<'a>(rest: &Rest<'a>, names: &[&str]) -> Option<Vec<&'a ast::Expr>> {
    let mut all = Vec::new();
    for arg in rest {
        if let Some(name) = &arg.name
            && !names.contains(&&*name.name)
        {
            return None;
        }
        match &arg.value.kind {
            ast::ExprKind::Tuple(parts) | ast::ExprKind::Literal(parts) => all.extend(parts),
            _ => all.push(&arg.value),
        }
    }
    Some(all)
}

/// The arguments of two parameters, by place or by name; `None` where there are others.
pub(super) fn named<'a>(rest: &Rest<'a>, names: [&str; 2]) -> Option<[Option<&'a ast::Expr>; 2]> {
    let mut found = [None; 2];
    for (place, arg) in rest.iter().enumerate() {
        let at = match &arg.name {
            Some(name) => names.iter().position(|known| *known == &*name.name)?,
            None => place,
        };
        let free = found.get_mut(at).filter(|found| found.is_none())?;
        *free = Some(&arg.value);
    }
    Some(found)
}

/// The only argument, an axis: `dim` in PyTorch, `axis` in NumPy.
fn axis_argument<'a>(rest: &Rest<'a>) -> Option<&'a ast::Expr> {
    let [arg] = rest else { return None };
    let name = arg.name.as_ref().map(|name| &*name.name);
    matches!(name, None | Some("dim" | "axis")).then_some(&arg.value)
}
