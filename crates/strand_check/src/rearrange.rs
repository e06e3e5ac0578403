//! `to [axes]`: permuting, splitting and merging axes (decision 20).

use strand_ir::{Axis, Expr, ExprKind, How, Rearrange, Size, SymbolId, TensorType, Type};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast::{self, BinaryOp, SizeExprKind};

use crate::clash::Row;
use crate::context::Checker;
use crate::operators::short;

/// How far products of products are taken apart.
const MAX_FACTORS: usize = 64;

impl Checker<'_> {
    /// Notes the factors of an axis that is written as a product, in the order they stand in, so
    /// that a later `to` can take it apart so.
    pub(crate) fn remember_factors(&mut self, written: &ast::SizeExpr) {
        if let Some(factors) = self.written_factors(written) {
            self.products.insert(written.span, factors);
        }
    }

    /// Notes the factors of a dim that is declared as a product.
    pub(crate) fn remember_dim(&mut self, dim: SymbolId, written: &ast::SizeExpr) {
        if let Some(factors) = self.written_factors(written) {
            self.dim_products.insert(dim, factors);
        }
    }

    fn written_factors(&mut self, written: &ast::SizeExpr) -> Option<Vec<Axis>> {
        let mut factors = Vec::new();
        self.collect_factors(written, &mut factors)?;
        (factors.len() > 1).then_some(factors)
    }

    fn collect_factors(&mut self, written: &ast::SizeExpr, out: &mut Vec<Axis>) -> Option<()> {
        match &written.kind {
            SizeExprKind::Binary {
                op: BinaryOp::Mul,
                left,
                right,
            } => {
                self.collect_factors(left, out)?;
                self.collect_factors(right, out)?;
            }
            SizeExprKind::Name(name) => {
                out.push(Axis::named(self.symbol(name)?).at(written.span));
            }
            _ => {
                let size = self.silently(|checker| checker.size(written))?;
                out.push(Axis::unnamed(size).at(written.span));
            }
        }
        (out.len() <= MAX_FACTORS).then_some(())
    }

    /// `value to [axes]`; E0511 where it is impossible. `written` is the type's place.
    pub(crate) fn rearrange(
        &mut self,
        value: Expr,
        axes: &[Axis],
        written: Span,
        span: Span,
    ) -> Option<Expr> {
        let from = value.ty.tensor()?.clone();
        let mut source = self.factors(&from.axes);
        let mut target = self.factors(axes);
        self.expand_dims(&mut source, &target);
        self.expand_dims(&mut target, &source);
        source.retain(|axis| !axis.stretches());
        target.retain(|axis| !axis.stretches());
        let permutation = match self.matched(&source, &target, &[true, false]) {
            Some(permutation) => Some(permutation),
            None => {
                let (merged_source, merged_target) = (merged(&source), merged(&target));
                let permutation = self.matched(&merged_source, &merged_target, &[true]);
                if permutation.is_some() {
                    source = merged_source;
                }
                permutation
            }
        };
        let Some(permutation) = permutation else {
            self.refuse_rearrangement(&value, &from, axes, (&source, &target), written);
            return None;
        };
        let placed = axes.iter().map(|axis| {
            let symbols = &self.program.symbols;
            let same = |own: &&Axis| own.agrees(axis, symbols);
            let part = |own: &&Axis| {
                let own = own.size.symbols();
                axis.size
                    .symbols()
                    .iter()
                    .any(|symbol| own.contains(symbol))
            };
            let own = from.axes.iter().find(same);
            let own = own.or_else(|| from.axes.iter().find(part));
            let before = own.map(|own| own.origin.clone()).unwrap_or_default();
            let place = axis.origin.span().unwrap_or(written);
            axis.clone()
                .made_from(&before, How::Words("the `to`"), place)
        });
        let ty = TensorType {
            axes: placed.collect(),
            dtype: from.dtype,
            domain: from.domain,
        };
        let split = source.into_iter().map(|axis| axis.size).collect();
        Some(Expr {
            kind: ExprKind::Rearrange {
                value: Box::new(value),
                how: Rearrange { split, permutation },
            },
            ty: Type::Tensor(ty),
            span,
        })
    }

    /// The factors of axes in order: each product axis taken apart as it was written.
    fn factors(&self, axes: &[Axis]) -> Vec<Axis> {
        axes.iter()
            .flat_map(|axis| self.axis_factors(axis))
            .collect()
    }

    fn axis_factors(&self, axis: &Axis) -> Vec<Axis> {
        if axis.name.is_some() {
            return vec![axis.clone()];
        }
        if let Some(factors) = self.remembered_factors(axis) {
            return factors.to_vec();
        }
        let mut terms = axis.size.terms();
        let (Some((symbols, factor)), None) = (terms.next(), terms.next()) else {
            return vec![axis.clone()];
        };
        if symbols.is_empty() || factor < 1 {
            return vec![axis.clone()];
        }
        let number = (factor > 1).then(|| Axis::unnamed(Size::constant(factor)));
        number
            .into_iter()
            .chain(symbols.iter().map(|symbol| Axis::named(*symbol)))
            .collect()
    }

    /// The factors of an axis that was written as a product, in the order written.
    pub(crate) fn remembered_factors(&self, axis: &Axis) -> Option<&[Axis]> {
        if axis.name.is_some() || self.products.is_empty() {
            return None;
        }
        let steps = axis.origin.steps();
        let mut written = steps
            .iter()
            .rev()
            .filter_map(|step| self.products.get(&step.span));
        // Elsewhere the same place stands for other sizes.
        let is_it = |factors: &&Vec<Axis>| {
            let product = self.product(factors);
            product.is_some_and(|product| product.same(&axis.size, &self.program.symbols))
        };
        written.find(is_it).map(Vec::as_slice)
    }

    fn product(&self, factors: &[Axis]) -> Option<Size> {
        factors.iter().try_fold(Size::constant(1), |product, axis| {
            product.mul(&axis.size).ok()
        })
    }

    /// Replaces dims that are declared as products by their factors, where the other side doesn't
    /// name the dim itself.
    fn expand_dims(&self, factors: &mut Vec<Axis>, other: &[Axis]) {
        let mut at = 0;
        while at < factors.len() && factors.len() <= MAX_FACTORS {
            let name = factors[at].name;
            let declared = name.and_then(|name| self.dim_products.get(&name));
            let count = |axes: &[Axis]| axes.iter().filter(|axis| axis.name == name).count();
            match declared {
                Some(declared) if count(factors) > count(other) => {
                    factors.splice(at..=at, declared.iter().cloned());
                }
                _ => at += 1,
            }
        }
    }

    /// For each target factor the place of the source factor that it is: the first that is left
    /// of the same name and size, else (in a pass that isn't exact) one that agrees. `None` unless
    /// all are matched.
    fn matched(&self, source: &[Axis], target: &[Axis], passes: &[bool]) -> Option<Vec<usize>> {
        if source.len() != target.len() {
            return None;
        }
        let symbols = &self.program.symbols;
        let mut taken = vec![false; source.len()];
        let mut places = vec![None; target.len()];
        for exact in passes.iter().copied() {
            for (place, wanted) in places.iter_mut().zip(target) {
                if place.is_some() {
                    continue;
                }
                let found = source.iter().enumerate().position(|(at, axis)| {
                    let fits = axis.agrees(wanted, symbols);
                    !taken[at] && fits && (!exact || axis.name == wanted.name)
                });
                if let Some(at) = found {
                    taken[at] = true;
                    *place = Some(at);
                }
            }
        }
        places.into_iter().collect()
    }

    fn refuse_rearrangement(
        &mut self,
        value: &Expr,
        from: &TensorType,
        axes: &[Axis],
        (source, target): (&[Axis], &[Axis]),
        written: Span,
    ) {
        let symbols = &self.program.symbols;
        let own = self.show_shape(from);
        let wanted = self.show_shape(&TensorType::new(axes.to_vec(), from.dtype));
        let text = self.quote(value.span);
        let mut finding = Diagnostic::new(
            Code::E0511,
            written,
            short(
                format!("{text} is {own}, which can't be rearranged to {wanted}"),
                short(
                    format!("{own} can't be rearranged to {wanted}"),
                    format!("{text} can't be rearranged to this shape"),
                ),
            ),
        )
        .label(value.span, format!("{text} is {own}"))
        .diff(self.by_name(
            Row {
                name: text,
                axes: &from.axes,
            },
            Row {
                name: "to".to_owned(),
                axes,
            },
        ));
        let missing = |of: &[Axis], among: &[Axis]| {
            let mut left = among.to_vec();
            let mut names: Vec<String> = Vec::new();
            for axis in of {
                match left.iter().position(|other| other.agrees(axis, symbols)) {
                    Some(at) => {
                        left.remove(at);
                    }
                    None => names.push(axis.display(symbols)),
                }
            }
            names.join(" and ")
        };
        let (unused, absent) = (missing(source, target), missing(target, source));
        if !absent.is_empty() {
            finding = finding.note(format!("Nothing in it gives {absent}."));
        }
        if !unused.is_empty() {
            let has = if unused.contains(" and ") {
                "have"
            } else {
                "has"
            };
            finding = finding.note(format!("{unused} {has} no place in {wanted}."));
        }
        if from.rank() == axes.len() {
            finding = finding.note("`to` keeps every axis; `as` gives axes other names.");
        }
        finding.notes.extend(self.torch_reshapes(&from.axes, axes));
        self.report(finding);
    }
}

/// A value with its last two axes swapped. `ty` is its type, of two or more axes.
pub(crate) fn transposed(value: Expr, ty: &TensorType, span: Span) -> Expr {
    let split = ty.axes.iter().map(|axis| axis.size.clone()).collect();
    let mut permutation: Vec<usize> = (0..ty.rank()).collect();
    swap_last(&mut permutation);
    let mut swapped = ty.clone();
    swap_last(&mut swapped.axes);
    Expr {
        kind: ExprKind::Rearrange {
            value: Box::new(value),
            how: Rearrange { split, permutation },
        },
        ty: Type::Tensor(swapped),
        span,
    }
}

/// Swaps the last two, as `transpose` does with axes.
pub(crate) fn swap_last<T>(parts: &mut [T]) {
    if let [.., a, b] = parts {
        std::mem::swap(a, b);
    }
}

/// Factors with each run of neighbouring numbers multiplied, as row-major order allows; those
/// whose product is past the sizes' bounds stay.
fn merged(factors: &[Axis]) -> Vec<Axis> {
    let mut out: Vec<Axis> = Vec::with_capacity(factors.len());
    for axis in factors {
        let number = |axis: &Axis| axis.name.is_none() && axis.size.as_constant().is_some();
        let last = out.last_mut().filter(|last| number(last) && number(axis));
        let product = last.and_then(|last| Some((last.size.mul(&axis.size).ok()?, last)));
        match product {
            Some((product, last)) => last.size = product,
            None => out.push(axis.clone()),
        }
    }
    out
}
