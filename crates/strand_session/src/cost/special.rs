//! Built-ins with rules of their own: what they compute and what their passes leave.

use strand_ir::{Expr, ExprKind, Size, SymbolKind, TensorType, Type};
use strand_ops::OpId;

use super::statements::{Known, Walk};

impl<'p> Walk<'_, 'p> {
    /// A built-in with a shape rule of its own or a method of a binary function.
    pub fn special(&mut self, expr: &'p Expr, op: OpId, args: &'p [Expr]) -> Option<Known> {
        let known = self.all(args)?;
        if op == OpId::Expand {
            return Some(known);
        }
        let levels = known.levels;
        let types: Vec<&TensorType> = args.iter().filter_map(|arg| arg.ty.tensor()).collect();
        let first = match types.first() {
            Some(ty) => self.elements(ty)?,
            None => Size::constant(0),
        };
        let results = match &expr.ty {
            Type::Tuple(parts) => parts.as_slice(),
            ty => std::slice::from_ref(ty),
        };
        self.bound_counts((op, padding_of(expr)), results, &first, &types);
        let batch = self.batch(levels)?;
        let mut work = first.clone();
        // Bytes of what its passes leave, for each element of the first argument.
        let mut passes = 0;
        match (op, types.as_slice()) {
            (OpId::Conv1d | OpId::Conv2d, [input, weights, ..]) => {
                let ty = expr.ty.tensor()?;
                let sums = self.elements(ty)?;
                let deep = self.product(weights.axes.get(1..)?)?;
                work = sums.mul(&deep).ok()?;
                // The windows stand in rows beside each other.
                let channels = input.rank() - (weights.rank() - 1);
                let mut places = ty.axes.clone();
                places.remove(channels);
                let rows = self.product(&places)?.mul(&deep).ok()?;
                self.laid_out(&rows, 4, &batch)?;
                let weights = self.elements(weights)?;
                self.laid_out(&weights, 4, &batch)?;
                self.laid_out(&sums, 8, &batch)?;
                passes = 8;
            }
            (OpId::Einsum, operands) => {
                let mut axes: Vec<strand_ir::Axis> = Vec::new();
                for axis in operands.iter().flat_map(|ty| &ty.axes) {
                    if !axes.iter().any(|known| known.name == axis.name) {
                        axes.push(axis.clone());
                    }
                }
                work = self.product(&axes)?;
            }
            (OpId::ReduceAt, [_, offsets]) => {
                let parts = self.elements(offsets)?;
                work = first.mul(&parts).ok()?;
                self.laid_out(&parts, 256, &batch)?;
                passes = 8;
            }
            (OpId::MaxPool2d, _) => {
                work = first.mul(&Size::constant(4)).ok()?;
                passes = 24;
            }
            (OpId::TopK | OpId::Unique | OpId::BinCount | OpId::NonZero, _) => passes = 48,
            (OpId::At | OpId::SearchSorted, _) => {
                for ty in types.iter().skip(1) {
                    let elements = self.elements(ty)?;
                    work = work.add(&elements).ok()?;
                    self.laid_out(&elements, 16, &batch)?;
                }
                passes = 8;
            }
            _ => {}
        }
        self.multiply_adds(&work.mul(&batch).ok()?)?;
        if passes > 0 {
            self.laid_out(&first, passes, &batch)?;
        }
        let mut all = Known::default();
        for ty in results {
            self.own(ty, levels)?;
            all = all.with(&self.own(ty, levels)?);
        }
        Some(all.with(&known))
    }

    fn product(&self, axes: &[strand_ir::Axis]) -> Option<Size> {
        axes.iter().try_fold(Size::constant(1), |all, axis| {
            all.mul(&self.size(&axis.size)?).ok()
        })
    }

    /// Takes memory for elements of so many bytes.
    pub fn laid_out(&mut self, elements: &Size, bytes: i64, batch: &Size) -> Option<()> {
        let all = elements.mul(batch).ok()?.mul(&Size::constant(bytes)).ok()?;
        self.block(all);
        Some(())
    }

    /// How many there are of what the values decide: at most as many as elements. What `bincount`
    /// counts has no bound.
    fn bound_counts(
        &mut self,
        (op, padding): (OpId, Option<i64>),
        results: &[Type],
        first: &Size,
        args: &[&TensorType],
    ) {
        let Some(result) = results.first().and_then(Type::tensor) else {
            return;
        };
        for (at, axis) in result.axes.iter().enumerate() {
            let symbols = &self.estimator.program.symbols;
            let birth = axis.size.as_symbol();
            let birth = birth.filter(|id| symbols.get(*id).kind == SymbolKind::Birth);
            let Some(birth) = birth.filter(|id| !self.births.contains_key(id)) else {
                continue;
            };
            let own = args.first().and_then(|ty| ty.axes.get(at));
            let own = own.and_then(|axis| self.size(&axis.size));
            let most = match op {
                OpId::NonZero | OpId::Unique => Some(first.clone()),
                // A window has at most a place for each element and for each that pads it.
                OpId::Conv1d | OpId::Conv2d | OpId::MaxPool2d => {
                    let padding = padding.map(|padding| Size::constant(padding.max(0)));
                    own.zip(padding)
                        .and_then(|(size, padding)| size.add(&padding).ok()?.add(&padding).ok())
                }
                OpId::TopK => own,
                _ => None,
            };
            if let Some(most) = most {
                self.births.insert(birth, most);
            }
        }
    }
}

/// How much a window's axis is padded at each end; `None` where only running tells.
fn padding_of(expr: &Expr) -> Option<i64> {
    let ExprKind::Op { params, .. } = &expr.kind else {
        return None;
    };
    match params.iter().find(|(name, _)| *name == "padding") {
        None => Some(0),
        Some((_, value)) => match value.kind {
            ExprKind::Int(padding) => Some(padding),
            _ => None,
        },
    }
}
