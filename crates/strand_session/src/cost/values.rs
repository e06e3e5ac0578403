//! Expressions: what they compute, and which of their values take memory.

use strand_ir::{
    AsCheck, Axis, Expr, ExprKind, FPart, FnId, IndexItem, Iter, IterKind, Lambda, Lowering,
    ModelId, PyExpr, Size, SizeBinding, SymbolKind, TensorType, Type,
};

use super::Setting;
use super::operations::{OPERATION, alike};
use super::statements::{KEPT, Known, Walk, larger};

impl<'p> Walk<'_, 'p> {
    /// An expression whose elements are needed.
    pub fn forced(&mut self, expr: &'p Expr) -> Option<Known> {
        let known = self.expr(expr)?;
        self.force(known)
    }

    /// Takes the memory of a value that wasn't computed yet. What it is made of stays as long as
    /// it does: it may be computed later than it is bound.
    pub fn force(&mut self, mut known: Known) -> Option<Known> {
        if let Some(bytes) = known.pending.take() {
            known.fresh = true;
            known.ops = 0;
            known.is_index = false;
            let block = self.block(bytes);
            if let Some(deferred) = self.deferred.get_mut(block) {
                *deferred = true;
            }
            known.holds.push(block);
        }
        if known.holds.len() > KEPT + 1 {
            self.crowded(&mut known)?;
        }
        Some(known)
    }

    /// A value that would keep more than a deferred one does: it keeps as many blocks, each no smaller than any of its
    /// own.
    fn crowded(&mut self, known: &mut Known) -> Option<()> {
        let mut most = Size::default();
        for id in &known.holds {
            most = larger(&most, self.blocks.get(*id)?)?;
        }
        known.holds = (0..=KEPT).map(|_| self.block(most.clone())).collect();
        Some(())
    }

    /// A value of the expression's type that takes memory of its own.
    pub fn own(&mut self, ty: &Type, levels: u64) -> Option<Known> {
        let holds = match ty {
            Type::Tensor(tensor) => {
                let bytes = self.bytes(tensor, levels)?;
                vec![self.block(bytes)]
            }
            _ => Vec::new(),
        };
        Some(Known {
            levels,
            holds,
            fresh: true,
            ..Known::default()
        })
    }

    fn bytes(&self, tensor: &TensorType, levels: u64) -> Option<Size> {
        let elements = self.elements(tensor)?.mul(&self.batch(levels)?).ok()?;
        elements
            .mul(&Size::constant(tensor.dtype.size() as i64))
            .ok()
    }

    pub fn all(&mut self, exprs: impl IntoIterator<Item = &'p Expr>) -> Option<Known> {
        let mut all = Known::default();
        for expr in exprs {
            let known = self.forced(expr)?;
            all = all.with(&known);
        }
        Some(all)
    }

    /// An expression. What its parts made is let go once it has its value, but what that keeps.
    pub fn expr(&mut self, expr: &'p Expr) -> Option<Known> {
        let before = self.made.len();
        let known = self.value(expr)?;
        self.let_go(before, &known);
        Some(known)
    }

    fn value(&mut self, expr: &'p Expr) -> Option<Known> {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Size(_)
            | ExprKind::Error
            | ExprKind::Py(PyExpr::Module(_)) => Some(Known::default()),
            ExprKind::FString(parts) => self.all(parts.iter().filter_map(|part| match part {
                FPart::Text(_) => None,
                FPart::Expr(value) => Some(value),
            })),
            ExprKind::Local(local) => Some(self.variables.get(local).cloned().unwrap_or_default()),
            ExprKind::Lift(value) => self.expr(value),
            ExprKind::Literal { elements, .. } => {
                let parts = self.all(elements)?;
                let ty = expr.ty.tensor()?;
                if ty.dtype.size() < 8 {
                    // The numbers as they are written come first.
                    self.temporary(ty, parts.levels, 8)?;
                }
                self.own(&expr.ty, parts.levels)
            }
            ExprKind::Tuple(parts) => self.all(parts),
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => self.all([&**condition, then, otherwise]),
            ExprKind::Op {
                op, args, params, ..
            } => {
                for (_, param) in params {
                    self.forced(param)?;
                }
                self.operation(expr, *op, args)
            }
            ExprKind::Call {
                function,
                instance,
                args,
                sizes,
            } => self.call((*function, *instance), sizes, args),
            ExprKind::Extern { args, .. } => {
                self.overhead(OPERATION)?;
                let args = self.all(args)?;
                if let (true, Some(ty)) = (args.levels != 0, expr.ty.tensor()) {
                    // What the host gives for each element, in blocks of its own.
                    let elements = self.batch(args.levels)?;
                    self.laid_out(&elements, 64, &Size::constant(1))?;
                    self.temporary(ty, args.levels, ty.dtype.size() as i64)?;
                }
                let own = self.own(&expr.ty, args.levels)?;
                Some(own.with(&args).seen_otherwise())
            }
            ExprKind::Py(py) => {
                self.overhead(OPERATION)?;
                let parts = match py {
                    PyExpr::Module(_) => Known::default(),
                    PyExpr::Attribute(value, _) => self.forced(value)?,
                    PyExpr::Call(callee, args) => {
                        let callee = self.forced(callee)?;
                        self.all(args.iter().map(|(_, arg)| arg))?.with(&callee)
                    }
                    PyExpr::Index(base, items) => {
                        let base = self.forced(base)?;
                        self.all(items)?.with(&base)
                    }
                };
                self.own(&expr.ty, parts.levels)
            }
            ExprKind::Convert {
                value,
                dtype,
                check,
            } => {
                let known = self.expr(value)?;
                let known = match (check, value.ty.tensor()) {
                    (Some(_), Some(tensor)) => {
                        let known = self.force(known)?;
                        self.tested(tensor, known.levels)?;
                        known
                    }
                    _ => known,
                };
                match dtype {
                    Some(_) => self.elementwise(expr, vec![(value, known)]),
                    None => Some(known),
                }
            }
            ExprKind::As { value, checks, .. } => {
                let known = self.forced(value)?;
                self.named(value, checks);
                Some(known)
            }
            ExprKind::Rearrange { value, how } => {
                let known = self.forced(value)?;
                // Axes that are merged and lie in another order are copied.
                let rank = expr.ty.tensor().map_or(0, TensorType::rank);
                let in_order = how.permutation.is_sorted() && !known.loose;
                if rank < how.permutation.len() && !in_order {
                    let own = self.own(&expr.ty, known.levels)?;
                    return Some(own.keep(&known));
                }
                let loose = !in_order;
                let fresh = false;
                Some(Known {
                    loose,
                    fresh,
                    ..known
                })
            }
            ExprKind::Index { base, items } => self.index(expr, base, items),
            ExprKind::Map { iter, lambda, .. } => self.map(iter, lambda),
            ExprKind::Filter { iter } => {
                let mut kept = self.iter(iter)?;
                let part = kept.pop()?;
                Some(Known {
                    levels: part.levels & self.around(),
                    is_index: false,
                    ..part
                })
            }
            ExprKind::Element { base, index } => {
                self.expr(index)?;
                let base = self.expr(base)?;
                Some(Known {
                    levels: base.levels,
                    ..Known::default()
                })
            }
            ExprKind::Field { base, .. } => {
                let base = self.expr(base)?;
                Some(Known {
                    levels: base.levels,
                    ..Known::default()
                })
            }
            ExprKind::New { model, seed } => {
                self.forced(seed)?;
                self.model(*model)
            }
        }
    }

    /// What names that `as` binds are: the sizes that were there.
    fn named(&mut self, value: &Expr, checks: &[AsCheck]) {
        let Some(tensor) = value.ty.tensor() else {
            return;
        };
        for (axis, check) in tensor.axes.iter().zip(checks) {
            if let (AsCheck::Binds(symbol), Some(size)) = (check, self.size(&axis.size)) {
                self.births.insert(*symbol, size);
            }
        }
    }

    /// The truth of every element, and whether all hold.
    fn tested(&mut self, tensor: &TensorType, levels: u64) -> Option<()> {
        let truths = self.elements(tensor)?.mul(&self.batch(levels)?).ok()?;
        self.block(truths);
        self.block(Size::constant(1));
        Some(())
    }

    /// One multiply-add an element.
    pub fn computes(&mut self, ty: &TensorType, levels: u64) -> Option<()> {
        let elements = self.elements(ty)?.mul(&self.batch(levels)?).ok()?;
        self.multiply_adds(&elements)
    }

    /// Operands of the same shape are one pass with it; others are computed first.
    pub fn elementwise(&mut self, expr: &'p Expr, args: Vec<(&'p Expr, Known)>) -> Option<Known> {
        let Type::Tensor(ty) = &expr.ty else {
            return Some(Known::default());
        };
        let levels = args
            .iter()
            .fold(0, |levels, (_, known)| levels | known.levels);
        let mut all = Known::default();
        let mut ops = 1;
        for (arg, known) in args {
            let axes = arg.ty.tensor().map(|tensor| tensor.axes.as_slice());
            let whole = axes == Some(ty.axes.as_slice()) && known.levels == levels;
            let known = if whole && !known.is_index {
                known
            } else {
                self.force(known)?
            };
            ops += known.ops;
            all = all.with(&known);
        }
        self.computes(ty, levels)?;
        if ty.rank() == 0 && levels == 0 {
            // A number.
            return Some(Known::default());
        }
        let known = Known {
            levels,
            holds: all.holds,
            pending: Some(self.bytes(ty, levels)?),
            loose: all.loose,
            ops,
            ..Known::default()
        };
        let in_chain = !self.levels.is_empty();
        let mut reduced = self.seen.iter().filter(|(_, reduced)| *reduced);
        let shared = reduced.any(|(other, _)| alike(expr, other, in_chain));
        self.see(expr, false);
        if shared || ops > strand_interp::MAX_OPS {
            return self.force(known);
        }
        Some(known)
    }

    fn call(
        &mut self,
        (function, instance): (FnId, usize),
        sizes: &'p [SizeBinding],
        args: &'p [Expr],
    ) -> Option<Known> {
        let mut setting = Setting::default();
        let mut given = Known::default();
        for arg in args {
            let arg = self.forced(arg)?;
            setting.args.push((arg.levels, arg.loose));
            given = given.with(&arg);
        }
        if given.levels != 0 {
            setting.levels.clone_from(&self.levels);
        }
        if !setting.args.iter().any(|(_, loose)| *loose) && given.levels == 0 {
            setting.args.clear();
        }
        let called = self.estimator.bound(function, instance, setting)?;
        let mut bindings = Vec::with_capacity(sizes.len());
        for binding in sizes {
            bindings.push((binding.symbol, self.size(&binding.axis.size)?));
        }
        let here = |size: &Size| {
            let bound = |symbol| {
                let found = bindings.iter().find(|(name, _)| *name == symbol);
                found.map(|(_, size)| size.clone())
            };
            size.substitute(&bound).ok()
        };
        self.multiply_adds(&here(&called.multiply_adds)?)?;
        let overhead = here(&called.overhead)?;
        self.bound.overhead = self.bound.overhead.add(&overhead).ok()?;
        let live = self.live();
        for point in &called.points {
            let mut point = point.iter().map(here).collect::<Option<Vec<Size>>>()?;
            point.extend(live.iter().cloned());
            self.bound.point(point);
        }
        for size in &called.shown {
            let bytes = here(size)?;
            self.show(bytes);
        }
        let mut holds = Vec::with_capacity(called.result.len());
        for size in &called.result {
            let size = here(size)?;
            holds.push(self.block(size));
        }
        let result = Known {
            levels: called.levels,
            holds,
            loose: called.loose,
            ..Known::default()
        };
        Some(result.holding(&given))
    }

    /// Indexing by numbers, slices and the indices of chains is a view; else it copies.
    fn index(&mut self, expr: &'p Expr, base: &'p Expr, items: &'p [IndexItem]) -> Option<Known> {
        let known = self.forced(base)?;
        let ty = expr.ty.tensor()?;
        let mut by = 0;
        let mut view = true;
        let mut indices = 0;
        // Levels whose elements are a slice, and whether the elements that are left lie in order.
        let mut sliced = known.levels;
        let mut in_order = !known.loose;
        // Of the positions: whether they lie otherwise, are of one shape, and of how many axes.
        let (mut unordered, mut one_shape, mut ranks) = (false, true, 0);
        let mut shape: Option<(u64, &[Axis])> = None;
        for (at, item) in items.iter().enumerate() {
            match item {
                IndexItem::Int(value) => {
                    self.expr(value)?;
                }
                IndexItem::Tensor {
                    index: value,
                    offset,
                    checked,
                } => {
                    let index = self.expr(value)?;
                    // What counts from the end is picked.
                    let first = index.start.saturating_add(*offset);
                    let is_slice = index.is_index && index.levels & sliced == 0 && first >= 0;
                    if is_slice {
                        sliced |= index.levels;
                        in_order &= at == 0;
                        continue;
                    }
                    let index = self.force(index)?;
                    view = false;
                    indices += 1;
                    by |= index.levels;
                    unordered |= index.loose;
                    let axes = value.ty.tensor()?.axes.as_slice();
                    ranks = ranks.max(axes.len() + index.levels.count_ones() as usize);
                    let own = (index.levels, axes);
                    one_shape &= *shape.get_or_insert(own) == own;
                    if let (true, Some(tensor)) = (*offset != 0 || !checked, value.ty.tensor()) {
                        let bytes = self.bytes(tensor, index.levels)?;
                        self.block(bytes);
                    }
                }
                IndexItem::Mask(mask) => {
                    let truths = self.forced(mask)?;
                    if let Some(tensor) = mask.ty.tensor() {
                        // The positions that are kept.
                        let size = self
                            .elements(tensor)?
                            .mul(&self.batch(truths.levels)?)
                            .ok()?;
                        let places = 8 * tensor.rank() as i64 + i64::from(truths.loose);
                        self.block(size.mul(&Size::constant(places)).ok()?);
                    }
                    indices += 1;
                    one_shape = items.len() == 1;
                    view = false;
                }
                IndexItem::Slice { start, end, step } => {
                    for bound in [start, end, step].into_iter().flatten() {
                        self.expr(bound)?;
                    }
                    in_order &= step.is_none() && at + 1 == items.len() && at == 0;
                }
                IndexItem::Ellipsis | IndexItem::NewAxis => in_order = false,
            }
        }
        self.bound_births(expr, base, items);
        let levels = sliced | by;
        if view && ty.rank() == 0 && levels == 0 {
            // A number.
            return Some(Known::default());
        }
        if view {
            return Some(Known {
                levels,
                loose: !in_order || levels.count_ones() > 1,
                fresh: false,
                is_index: false,
                ..known
            });
        }
        self.overhead(OPERATION)?;
        let shared = sliced & by;
        for at in (0..self.levels.len()).filter(|at| shared & (1 << at) != 0) {
            let size = self.levels.get(at)?.clone();
            self.laid_out(&size, 8, &Size::constant(1))?;
        }
        if indices > 1 && !one_shape || shared != 0 && ranks > 1 || unordered {
            // One after the other is stretched to the places that they pick.
            let places = self.places(expr, items)?;
            let batch = self.batch(by)?;
            self.laid_out(&places, 8, &batch)?;
        }
        let own = self.own(&expr.ty, levels)?;
        let first = matches!(items.first(), Some(IndexItem::Tensor { .. }));
        let loose = !first || levels != 0;
        Some(Known { loose, ..own })
    }

    /// The places that index tensors pick together: as many as one has where all are alike, else at most the result's.
    fn places(&self, expr: &Expr, items: &[IndexItem]) -> Option<Size> {
        let mut shapes = items.iter().filter_map(|item| match item {
            IndexItem::Tensor { index, .. } => index.ty.tensor().filter(|ty| ty.rank() > 0),
            _ => None,
        });
        let masked = items.iter().any(|item| matches!(item, IndexItem::Mask(_)));
        let Some(first) = shapes.next().filter(|_| !masked) else {
            return match masked {
                true => self.elements(expr.ty.tensor()?),
                false => Some(Size::constant(1)),
            };
        };
        match shapes.all(|ty| ty.axes == first.axes) {
            true => self.elements(first),
            false => self.elements(expr.ty.tensor()?),
        }
    }

    /// Unknown sizes of slices and masks are at most those of the axes that they cut.
    fn bound_births(&mut self, expr: &Expr, base: &Expr, items: &[IndexItem]) {
        let (Some(result), Some(base)) = (expr.ty.tensor(), base.ty.tensor()) else {
            return;
        };
        let mut at = 0;
        let mut cut: Vec<Vec<&Axis>> = Vec::new();
        for item in items {
            let taken = match item {
                IndexItem::Mask(mask) => mask.ty.tensor().map_or(1, TensorType::rank),
                IndexItem::NewAxis => 0,
                IndexItem::Ellipsis => {
                    let plain = |item: &IndexItem| !matches!(item, IndexItem::NewAxis);
                    let others = items.iter().filter(|item| plain(item)).count() - 1;
                    base.rank().saturating_sub(others)
                }
                _ => 1,
            };
            if matches!(item, IndexItem::Mask(_) | IndexItem::Slice { .. }) {
                cut.push(base.axes.iter().skip(at).take(taken).collect());
            }
            at += taken;
        }
        let symbols = &self.estimator.program.symbols;
        let mut unknown = Vec::new();
        for axis in &result.axes {
            for symbol in axis.size.symbols() {
                let birth = symbols.get(symbol).kind == SymbolKind::Birth;
                if birth && !self.births.contains_key(&symbol) && !unknown.contains(&symbol) {
                    unknown.push(symbol);
                }
            }
        }
        // A slice of a known size leaves no unknown one; the rest stand in order.
        let from = cut.len().saturating_sub(unknown.len());
        for (symbol, axes) in unknown.into_iter().zip(cut.split_off(from)) {
            let mut most = Some(Size::constant(1));
            for axis in axes {
                most = most.and_then(|most| most.mul(&self.size(&axis.size)?).ok());
            }
            if let Some(most) = most {
                self.births.insert(symbol, most);
            }
        }
    }

    /// The levels of the chains around.
    fn around(&self) -> u64 {
        (1_u64 << self.levels.len().min(63)) - 1
    }

    fn map(&mut self, iter: &'p Iter, lambda: &'p Lambda) -> Option<Known> {
        let parts = self.iter(iter)?;
        let body = self.body_of(iter, lambda, parts)?;
        let level = 1 << self.levels.len();
        if body.levels & level == 0 {
            // The same for every element: stretched.
            return Some(self.force(body)?.seen_otherwise());
        }
        Some(Known {
            levels: body.levels & !level,
            ..body
        })
    }

    /// A stage's function with the parts of an element.
    fn body_of(&mut self, iter: &Iter, lambda: &'p Lambda, parts: Vec<Known>) -> Option<Known> {
        if self.levels.len() >= 60 {
            return None;
        }
        for (param, part) in lambda.params.iter().zip(parts) {
            if let Some(local) = param {
                self.variables.insert(*local, part);
            }
        }
        let size = self.size(&iter.axis.size)?;
        self.levels.push(size);
        let body = self.expr(&lambda.body);
        self.levels.pop();
        for local in lambda.params.iter().flatten() {
            self.variables.remove(local);
        }
        body
    }

    /// The parts of an element, each along the level that is begun next.
    fn iter(&mut self, iter: &'p Iter) -> Option<Vec<Known>> {
        let level = 1 << self.levels.len();
        let start = match &iter.kind {
            IterKind::Range(start, _) => start.as_constant().unwrap_or(0),
            _ => 0,
        };
        let index = |walk: &Self| {
            let bytes = walk.size(&iter.axis.size)?.mul(&Size::constant(8)).ok()?;
            Some(Known {
                levels: level,
                pending: Some(bytes),
                is_index: true,
                start,
                ..Known::default()
            })
        };
        match &iter.kind {
            IterKind::Size(_) | IterKind::Range(..) => Some(vec![index(self)?]),
            IterKind::Slices { tensor, axis } => {
                // Along the first axis they may stay deferred.
                let known = match axis {
                    0 => self.expr(tensor)?,
                    _ => self.forced(tensor)?.seen_otherwise(),
                };
                let known = if known.is_index {
                    self.force(known)?
                } else {
                    known
                };
                Some(vec![Known {
                    levels: known.levels | level,
                    is_assigned: false,
                    fresh: false,
                    ..known
                }])
            }
            IterKind::Zip(inner) => {
                let mut parts = Vec::new();
                for inner in inner {
                    parts.extend(self.iter(inner)?);
                }
                Some(parts)
            }
            IterKind::Enumerate(inner) => {
                let mut parts = vec![index(self)?];
                parts.extend(self.iter(inner)?);
                Some(parts)
            }
            IterKind::Filter {
                input,
                lambda,
                lowering,
            } => {
                let parts = self.iter(input)?;
                let mask = self.body_of(input, lambda, parts.clone())?;
                let size = self.size(&input.axis.size)?;
                if let Some(birth) = iter.axis.size.as_symbol() {
                    self.births.insert(birth, size.clone());
                }
                let around = self.around();
                // The truths, of every element of the chains around.
                let truths = size.mul(&self.batch(mask.levels & around)?).ok()?;
                let truths = self.block(truths);
                if mask.levels & level == 0 {
                    // One truth for every element is stretched, and picks by positions.
                    self.laid_out(&size, 9, &Size::constant(1))?;
                }
                let is_masked = matches!(lowering, Lowering::Masked(_));
                if is_masked && mask.levels & around != 0 {
                    // The reduction after it is one pass with it.
                    let mut mask = mask;
                    mask.hold(&[truths]);
                    let parts = parts.into_iter().map(|part| part.with(&mask));
                    return Some(parts.collect());
                }
                let mut kept = Vec::with_capacity(parts.len());
                for (part, ty) in parts.into_iter().zip(&iter.parts) {
                    let rank = ty.tensor().map_or(0, TensorType::rank);
                    let part = self.force(part)?;
                    if rank > 0 || part.loose || part.levels & around != 0 {
                        // Rows are picked by their positions.
                        self.laid_out(&size, 8, &Size::constant(1))?;
                    }
                    self.levels.push(size.clone());
                    let own = self.own(ty, part.levels | level);
                    self.levels.pop();
                    let own = own?;
                    kept.push(Known {
                        loose: part.loose || part.levels & around != 0,
                        ..own
                    });
                }
                Some(kept)
            }
        }
    }

    fn model(&mut self, model: ModelId) -> Option<Known> {
        let mut all = Known::default();
        let program = self.estimator.program;
        for field in &program.model(model).fields {
            let before = self.made.len();
            let known = match (&field.ty, &field.init) {
                (Type::Model(inner), _) => self.model(*inner)?,
                (ty, init) => {
                    if let (Some(init), Some(tensor)) = (init, ty.tensor()) {
                        self.drawn(init, tensor)?;
                    }
                    self.own(ty, 0)?
                }
            };
            self.let_go(before, &known);
            all = all.with(&known);
        }
        Some(all)
    }
}
