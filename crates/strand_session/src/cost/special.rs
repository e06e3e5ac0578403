//! Built-ins with rules of their own: what they compute and what their passes leave.

use strand_ir::{Expr, ExprKind, Over, Size, SymbolKind, TensorType, Type};
use strand_ops::OpId;

use super::operations::{along_last, is_narrow, wide};
use super::statements::{Known, Walk};

impl<'p> Walk<'_, 'p> {
    /// A built-in with a shape rule of its own or a method of a binary function.
    pub fn special(&mut self, expr: &'p Expr, op: OpId, args: &'p [Expr]) -> Option<Known> {
        if let (OpId::Dot, [a, b]) = (op, args) {
            let (left, right) = (self.forced(a)?, self.forced(b)?);
            return self.product_of(expr, (a, &left), (b, &right));
        }
        let mut known = Known::default();
        let mut levels_of = Vec::with_capacity(args.len());
        for arg in args {
            let part = self.forced(arg)?;
            levels_of.push(part.levels);
            known = known.with(&part);
        }
        if op == OpId::Expand {
            return Some(known.seen_otherwise());
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
        let width = types.first().map_or(0, |ty| wide(ty.dtype));
        let narrow = types.first().is_some_and(|ty| is_narrow(ty.dtype));
        // What doesn't lie in one piece is copied.
        let apart = known.loose || levels_of.iter().any(|own| *own != levels);
        let mut work = first.clone();
        match (op, types.as_slice()) {
            (OpId::Conv1d | OpId::Conv2d, [input, weights, ..]) => {
                work = self.convolution(expr, (input, weights), &batch, apart)?;
            }
            (OpId::MaxPool2d, [input]) => {
                work = first.mul(&Size::constant(4)).ok()?;
                self.padded(expr, input, 2, &batch)?;
            }
            (OpId::Einsum, operands) => work = self.products(operands, &batch)?,
            (OpId::ReduceAt, [_, offsets]) => {
                let parts = self.elements(offsets)?;
                work = first.mul(&parts).ok()?;
                self.laid_out(&parts, 16, &batch)?;
                let ExprKind::Op { over, .. } = &expr.kind else {
                    return None;
                };
                let axes = &types.first()?.axes;
                let at = match over {
                    Over::Axes(at) => *at.first()?,
                    Over::None | Over::All => 0,
                };
                if axes.len() > 1 || apart {
                    // Which elements are of which part, for each of the other axes.
                    let size = self.size(&axes.get(at)?.size)?;
                    self.laid_out(&parts.mul(&size).ok()?, 1, &batch)?;
                }
                for axis in &types.first()?.axes {
                    let size = self.size(&axis.size)?;
                    self.laid_out(&size, 8, &Size::constant(1))?;
                }
                if narrow {
                    self.temporary(expr.ty.tensor()?, levels, width)?;
                }
            }
            (OpId::TopK, [input]) => {
                let ExprKind::Op { over, .. } = &expr.kind else {
                    return None;
                };
                if narrow {
                    self.laid_out(&first, width, &batch)?;
                }
                if apart || !along_last(over, input.rank()) {
                    self.laid_out(&first, width, &batch)?;
                }
                // The places of the greatest are a part of those of all.
                self.laid_out(&first, 8, &batch)?;
                let places = *self.made.last()?;
                let mut all = Known::default();
                for ty in results {
                    // By their places, stretched.
                    self.temporary(ty.tensor()?, levels, 8)?;
                    all = all.with(&self.own(ty, levels)?);
                }
                for axis in &input.axes {
                    let size = self.size(&axis.size)?;
                    self.laid_out(&size, 8, &Size::constant(1))?;
                }
                all.hold(&[places]);
                self.multiply_adds(&work.mul(&batch).ok()?)?;
                return Some(all.seen_otherwise());
            }
            (OpId::Unique, _) => {
                let copies = i64::from(apart) + 2 * i64::from(narrow) + 1;
                self.laid_out(&first, copies * width + 2, &batch)?;
            }
            (OpId::BinCount, _) => {
                let copies = 1 + i64::from(apart);
                self.laid_out(&first, 8 * copies, &batch)?;
                self.temporary(expr.ty.tensor()?, levels, 8)?;
            }
            (OpId::NonZero, [input]) => {
                self.laid_out(&first, 1 + i64::from(apart), &batch)?;
                self.laid_out(&first, 8 * input.rank() as i64, &batch)?;
            }
            (OpId::At, [_, index, values]) => {
                if narrow {
                    self.laid_out(&first, 2 * width, &batch)?;
                    self.temporary(values, levels, width)?;
                }
                if apart {
                    self.laid_out(&first, width, &batch)?;
                    self.temporary(values, levels, width)?;
                    self.temporary(index, levels, 8)?;
                }
                work = work.add(&self.elements(values)?).ok()?;
            }
            (OpId::SearchSorted, [_, values]) => {
                if apart || narrow {
                    let copies = i64::from(apart) + i64::from(narrow);
                    self.laid_out(&first, width * copies, &batch)?;
                    self.temporary(values, levels, width * copies)?;
                }
                work = work.add(&self.elements(values)?).ok()?;
            }
            _ => {}
        }
        self.multiply_adds(&work.mul(&batch).ok()?)?;
        let mut all = Known::default();
        for ty in results {
            all = all.with(&self.own(ty, levels)?);
        }
        // What is reduced last is deferred, and keeps what it is made of.
        let is_deferred = matches!(op, OpId::Einsum | OpId::Diff | OpId::MaxPool2d);
        let holds = if is_deferred { all.keep(&known) } else { all };
        let is_turned = matches!(op, OpId::Conv1d | OpId::Conv2d);
        Some(Known {
            loose: apart || is_turned,
            fresh: true,
            ..holds
        })
    }

    /// The windows in rows beside each other, the sums of each, and those in the order of the result.
    fn convolution(
        &mut self,
        expr: &Expr,
        (input, weights): (&TensorType, &TensorType),
        batch: &Size,
        apart: bool,
    ) -> Option<Size> {
        let ty = expr.ty.tensor()?;
        let width = ty.dtype.size() as i64;
        let sums = self.elements(ty)?;
        let deep = self.product(weights.axes.get(1..)?)?;
        let spatial = weights.rank().checked_sub(2)?;
        let channels = input.rank().checked_sub(spatial + 1)?;
        let mut places = ty.axes.clone();
        places.remove(channels);
        let rows = self.product(&places)?.mul(&deep).ok()?;
        let before = self.made.len();
        self.padded(expr, input, spatial, batch)?;
        self.laid_out(&rows, width, batch)?;
        let rows_at = self.made.pop()?;
        self.made.push(rows_at);
        self.end();
        self.made.truncate(before);
        self.made.push(rows_at);
        let weights = self.elements(weights)?;
        if apart {
            self.laid_out(&weights, width, batch)?;
        }
        let ExprKind::Op { args, .. } = &expr.kind else {
            return None;
        };
        if args.len() > 2 {
            self.laid_out(&sums, width, batch)?;
        }
        if is_narrow(ty.dtype) {
            let wide = wide(ty.dtype);
            self.laid_out(&rows, wide, batch)?;
            self.laid_out(&weights, wide, batch)?;
            self.laid_out(&sums, wide, batch)?;
        }
        sums.mul(&deep).ok()
    }

    /// The input with its padding, axis by axis.
    fn padded(
        &mut self,
        expr: &Expr,
        input: &TensorType,
        along: usize,
        batch: &Size,
    ) -> Option<()> {
        let padding = match padding_of(expr) {
            Some(padding) => Size::constant(padding.max(0)),
            None => return None,
        };
        if padding == Size::constant(0) {
            return Some(());
        }
        let mut sizes = Vec::with_capacity(input.rank());
        for axis in &input.axes {
            sizes.push(self.size(&axis.size)?);
        }
        let width = input.dtype.size() as i64;
        for at in input.rank().checked_sub(along)?..input.rank() {
            let product = |sizes: &[Size]| {
                let mut sizes = sizes.iter();
                sizes.try_fold(Size::constant(1), |all, size| all.mul(size).ok())
            };
            // The ends, and what they are joined to.
            let mut ends = sizes.clone();
            *ends.get_mut(at)? = padding.clone();
            self.laid_out(&product(&ends)?, width, batch)?;
            let size = sizes.get_mut(at)?;
            *size = size.add(&padding).ok()?.add(&padding).ok()?;
            self.laid_out(&product(&sizes)?, width, batch)?;
        }
        Some(())
    }

    /// The products of all operands; those of the first ones are stored where there are more than two.
    fn products(&mut self, operands: &[&TensorType], batch: &Size) -> Option<Size> {
        let mut axes: Vec<strand_ir::Axis> = Vec::new();
        for (at, operand) in operands.iter().enumerate() {
            for axis in &operand.axes {
                if !axes.iter().any(|known| known.name == axis.name) {
                    axes.push(axis.clone());
                }
            }
            if at > 0 && at + 1 < operands.len() {
                let elements = self.product(&axes)?;
                self.laid_out(&elements, wide(operand.dtype), batch)?;
            }
        }
        self.product(&axes)
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
