//! Expressions: what they compute, and which of their values take memory.

use strand_ir::{
    AsCheck, Axis, Expr, ExprKind, FPart, FnId, IndexItem, Iter, IterKind, Lambda, Lowering,
    ModelId, Over, PyExpr, Size, SizeBinding, SymbolKind, TensorType, Type,
};
use strand_ops::{Class, DType, OpId};

use super::statements::{KEPT, Known, Walk, larger};

/// What an operation takes beside its elements, in multiply-adds.
const OPERATION: i64 = 200;

impl<'p> Walk<'_, 'p> {
    /// An expression whose elements are needed.
    pub fn forced(&mut self, expr: &'p Expr) -> Option<Known> {
        let known = self.expr(expr)?;
        self.force(known)
    }

    /// Takes the memory of a value that wasn't computed yet. What it is made of stays as long as
    /// it does: it may be computed later than it is bound.
    fn force(&mut self, mut known: Known) -> Option<Known> {
        if let Some(bytes) = known.pending.take() {
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
                // The numbers as they are written, then in the dtype.
                self.own(&expr.ty, parts.levels)?;
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
            } => {
                let args = self.all(args)?;
                self.call(*function, *instance, sizes, args)
            }
            ExprKind::Extern { args, .. } => {
                self.overhead(OPERATION)?;
                let args = self.all(args)?;
                let own = self.own(&expr.ty, args.levels)?;
                Some(own.with(&args))
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
                // Axes that are merged may lie in another order: then they are copied.
                let rank = expr.ty.tensor().map_or(0, TensorType::rank);
                if rank < how.permutation.len() {
                    let own = self.own(&expr.ty, known.levels)?;
                    return Some(own.with(&known));
                }
                Some(known)
            }
            ExprKind::Index { base, items } => self.index(expr, base, items),
            ExprKind::Map { iter, lambda, .. } => self.map(expr, iter, lambda),
            ExprKind::Filter { iter } => {
                let parts = self.iter(iter)?;
                if let (
                    IterKind::Filter {
                        lowering: Lowering::Masked(_),
                        ..
                    },
                    [part],
                ) = (&iter.kind, parts.as_slice())
                {
                    // The reduction after it is one pass with it.
                    let levels = part.levels & self.around();
                    return Some(Known {
                        levels,
                        ..part.clone()
                    });
                }
                let levels = parts.iter().fold(0, |levels, part| levels | part.levels);
                self.own(&expr.ty, levels & self.around())
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

    fn operation(&mut self, expr: &'p Expr, op: OpId, args: &'p [Expr]) -> Option<Known> {
        if let Class::Special { .. } | Class::Method = op.op().class {
            self.overhead(OPERATION)?;
            return self.special(expr, op, args);
        }
        if op == OpId::Show {
            for arg in args {
                self.hand_out(arg)?;
            }
            return Some(Known::default());
        }
        if !matches!(expr.ty, Type::Tensor(_)) {
            let known = self.all(args)?;
            for arg in args {
                // Numbers are read from a copy.
                self.own(&arg.ty, known.levels)?;
            }
            return Some(known);
        }
        self.overhead(OPERATION)?;
        let class = op.op().class;
        if !matches!(class, Class::Elementwise { .. }) {
            self.widened(expr, args)?;
        }
        if let Class::Elementwise { .. } = class {
            let mut known = Vec::with_capacity(args.len());
            for arg in args {
                known.push((arg, self.expr(arg)?));
            }
            return self.elementwise(expr, known);
        }
        if let (Class::Reduce { .. }, [arg]) = (class, args) {
            // It is one pass with what it reduces.
            let known = self.expr(arg)?;
            self.computes(arg.ty.tensor()?, known.levels)?;
            let own = self.own(&expr.ty, known.levels)?;
            if !matches!(op, OpId::Sum | OpId::Prod | OpId::Max | OpId::Min) {
                // What is scaled or counted in another dtype comes after the pass.
                self.own(&expr.ty, known.levels)?;
            }
            if matches!(
                op,
                OpId::Median | OpId::Std | OpId::Var | OpId::LogSumExp | OpId::Norm
            ) {
                // They sort, centre or scale a copy first.
                self.own(&arg.ty, known.levels)?;
                if op == OpId::Median {
                    self.own(&arg.ty, known.levels)?;
                }
                for _ in 0..3 {
                    self.own(&expr.ty, known.levels)?;
                }
            }
            if matches!(arg.kind, ExprKind::Filter { .. }) {
                // How many are kept is counted beside it.
                self.own(&expr.ty, known.levels)?;
                self.own(&expr.ty, known.levels)?;
            }
            return Some(own.with(&known));
        }
        let known = self.all(args)?;
        let first = args.first().and_then(|arg| arg.ty.tensor());
        match class {
            Class::MatMul => {
                let contracted = first.and_then(|ty| ty.axes.last())?;
                let contracted = self.size(&contracted.size)?;
                let elements = self.elements(expr.ty.tensor()?)?;
                let products = elements.mul(&contracted).ok()?;
                let batch = self.batch(known.levels)?;
                self.multiply_adds(&products.mul(&batch).ok()?)?;
                for arg in args {
                    // What lies in another order is laid out for it.
                    if matches!(arg.kind, ExprKind::Rearrange { .. }) {
                        self.own(&arg.ty, known.levels)?;
                    }
                }
            }
            Class::Join => {
                self.own(&expr.ty, known.levels)?;
            }
            Class::Transpose => return Some(known),
            Class::Construct => {
                self.own(&expr.ty, known.levels)?;
            }
            Class::Draw => {
                self.own(&expr.ty, known.levels)?;
                self.own(&expr.ty, known.levels)?;
            }
            Class::Along | Class::ArgReduce | Class::Dropout => {
                self.computes(first?, known.levels)?;
                // Passes before the last leave something; those of softmax a number for each row.
                if matches!(op, OpId::Softmax | OpId::LogSoftmax) {
                    self.rows(expr, known.levels)?;
                } else {
                    self.own(&expr.ty, known.levels)?;
                    self.own(&expr.ty, known.levels)?;
                }
            }
            Class::Loss | Class::IndexLoss | Class::Triangle | Class::Diagonal | Class::OneHot => {
                // Made of several passes over the first argument.
                let first = first?;
                self.computes(first, known.levels)?;
                for _ in 0..4 {
                    self.own(&Type::Tensor(first.clone()), known.levels)?;
                }
                self.own(&expr.ty, known.levels)?;
            }
            _ => {}
        }
        self.own(&expr.ty, known.levels)
    }

    /// Passes over narrower types work on copies in the type that they are computed in.
    fn widened(&mut self, expr: &'p Expr, args: &'p [Expr]) -> Option<()> {
        let types = args.iter().map(|arg| &arg.ty).chain([&expr.ty]);
        for ty in types.filter_map(Type::tensor) {
            let wide = match ty.dtype {
                DType::U8 | DType::I8 | DType::I16 | DType::I32 => 8,
                DType::F16 | DType::BF16 => 4,
                _ => continue,
            };
            let elements = self.elements(ty)?;
            let batch = self.batch(self.around())?;
            self.laid_out(&elements, 2 * wide, &batch)?;
        }
        Some(())
    }

    /// A few numbers for each row of an operation along axes.
    fn rows(&mut self, expr: &Expr, levels: u64) -> Option<()> {
        let ExprKind::Op { over, .. } = &expr.kind else {
            return Some(());
        };
        let ty = expr.ty.tensor()?;
        let mut rows = ty.clone();
        match over {
            Over::Axes(gone) => {
                let axes = ty.axes.iter().enumerate();
                let kept = axes.filter(|(at, _)| !gone.contains(at));
                rows.axes = kept.map(|(_, axis)| axis.clone()).collect();
            }
            Over::None | Over::All => rows.axes.clear(),
        }
        for _ in 0..4 {
            self.own(&Type::Tensor(rows.clone()), levels)?;
        }
        Some(())
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
    fn computes(&mut self, ty: &TensorType, levels: u64) -> Option<()> {
        let elements = self.elements(ty)?.mul(&self.batch(levels)?).ok()?;
        self.multiply_adds(&elements)
    }

    /// Operands of the same shape are one pass with it; others are computed first.
    fn elementwise(&mut self, expr: &'p Expr, args: Vec<(&'p Expr, Known)>) -> Option<Known> {
        let Type::Tensor(ty) = &expr.ty else {
            return Some(Known::default());
        };
        let levels = args
            .iter()
            .fold(0, |levels, (_, known)| levels | known.levels);
        let mut all = Known::default();
        for (arg, known) in args {
            let axes = arg.ty.tensor().map(|tensor| tensor.axes.as_slice());
            let whole = axes == Some(ty.axes.as_slice()) && known.levels == levels;
            let known = if whole && !known.is_index {
                known
            } else {
                self.force(known)?
            };
            all = all.with(&known);
        }
        self.computes(ty, levels)?;
        if ty.rank() == 0 && levels == 0 && !self.in_chain {
            // A number.
            return Some(Known::default());
        }
        Some(Known {
            levels,
            holds: all.holds,
            pending: Some(self.bytes(ty, levels)?),
            is_index: false,
            is_assigned: false,
        })
    }

    fn call(
        &mut self,
        function: FnId,
        instance: usize,
        sizes: &'p [SizeBinding],
        args: Known,
    ) -> Option<Known> {
        let called = self.estimator.bound(function, instance)?;
        let batch = self.batch(args.levels)?;
        let mut bindings = Vec::with_capacity(sizes.len());
        for binding in sizes {
            bindings.push((binding.symbol, self.size(&binding.axis.size)?));
        }
        let once = |size: &Size| {
            let bound = |symbol| {
                let found = bindings.iter().find(|(name, _)| *name == symbol);
                found.map(|(_, size)| size.clone())
            };
            size.substitute(&bound).ok()
        };
        let here = |size: &Size| once(size)?.mul(&batch).ok();
        self.multiply_adds(&here(&called.multiply_adds)?)?;
        // All elements of a chain are computed in the same steps.
        let overhead = once(&called.overhead)?;
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
            holds,
            ..Known::default()
        };
        Some(result.with(&args))
    }

    /// Indexing by numbers, slices and the index of a chain is a view; else it copies.
    fn index(&mut self, expr: &'p Expr, base: &'p Expr, items: &'p [IndexItem]) -> Option<Known> {
        let known = self.forced(base)?;
        let mut all = known.clone();
        let mut view = true;
        let mut indices = 0;
        for item in items {
            match item {
                IndexItem::Int(value) | IndexItem::Tensor { index: value, .. } => {
                    let index = self.expr(value)?;
                    let plain = index.is_index || matches!(value.ty, Type::Host(_));
                    indices += usize::from(!matches!(value.ty, Type::Host(_)));
                    view &= plain;
                    let index = if plain { index } else { self.force(index)? };
                    if let IndexItem::Tensor {
                        offset, checked, ..
                    } = item
                        && (*offset != 0 || !checked)
                        && let Some(tensor) = value.ty.tensor()
                    {
                        view = false;
                        let bytes = self.bytes(tensor, index.levels)?;
                        self.block(bytes.clone());
                        self.block(bytes);
                        self.tested(tensor, index.levels)?;
                    }
                    all = all.with(&Known {
                        levels: index.levels,
                        ..Known::default()
                    });
                }
                IndexItem::Mask(mask) => {
                    let truths = self.forced(mask)?;
                    if let Some(tensor) = mask.ty.tensor() {
                        // The positions that are kept.
                        let size = self
                            .elements(tensor)?
                            .mul(&self.batch(truths.levels)?)
                            .ok()?;
                        let places = 8 * (tensor.rank() as i64 + 1);
                        self.block(size.mul(&Size::constant(places)).ok()?);
                    }
                    view = false;
                }
                IndexItem::Slice { start, end, step } => {
                    for bound in [start, end, step].into_iter().flatten() {
                        self.expr(bound)?;
                    }
                }
                IndexItem::Ellipsis | IndexItem::NewAxis => {}
            }
        }
        self.bound_births(expr, base, items);
        // One index of a chain is a view of the iterated axis; of several the diagonal is copied.
        if view && indices <= 1 {
            all.is_index = false;
            return Some(all);
        }
        self.overhead(OPERATION)?;
        let stepped = |item: &IndexItem| matches!(item, IndexItem::Slice { step: Some(_), .. });
        if items.iter().any(stepped) {
            self.own(&expr.ty, all.levels)?;
            self.own(&expr.ty, all.levels)?;
        }
        let levels = all.levels.count_ones() as usize;
        if indices + levels > 1 {
            // Each index, and that of each chain around, is broadcast to the places that they pick.
            let indices = indices + levels;
            let places = self.places(expr, items)?;
            let places = places.mul(&self.batch(all.levels)?).ok()?;
            self.block(places.mul(&Size::constant(8 * indices as i64)).ok()?);
        }
        let own = self.own(&expr.ty, all.levels)?;
        Some(own.with(&known))
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

    fn map(&mut self, expr: &'p Expr, iter: &'p Iter, lambda: &'p Lambda) -> Option<Known> {
        let parts = self.iter(iter)?;
        let body = self.body_of(iter, lambda, parts)?;
        let level = 1 << self.levels.len();
        if body.levels & level == 0 {
            // The same for every element: expanded.
            let own = self.own(&expr.ty, body.levels)?;
            return Some(own.with(&body));
        }
        Some(Known {
            levels: body.levels & !level,
            is_index: false,
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
        let index = |walk: &Self| {
            let bytes = walk.size(&iter.axis.size)?.mul(&Size::constant(8)).ok()?;
            Some(Known {
                levels: level,
                holds: Vec::new(),
                pending: Some(bytes),
                is_index: true,
                is_assigned: false,
            })
        };
        match &iter.kind {
            IterKind::Size(_) | IterKind::Range(..) => Some(vec![index(self)?]),
            IterKind::Slices { tensor, .. } => {
                let known = self.forced(tensor)?;
                Some(vec![Known {
                    levels: known.levels | level,
                    is_index: false,
                    is_assigned: false,
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
                if let Lowering::Masked(_) = lowering {
                    let size = self.size(&input.axis.size)?;
                    if let Some(birth) = iter.axis.size.as_symbol() {
                        self.births.insert(birth, size);
                    }
                    return Some(parts.into_iter().map(|part| part.with(&mask)).collect());
                }
                self.force(mask)?;
                let size = self.size(&input.axis.size)?;
                if let Some(birth) = iter.axis.size.as_symbol() {
                    self.births.insert(birth, size.clone());
                }
                // The positions that are kept, then the elements.
                let positions = size.mul(&Size::constant(8)).ok()?;
                self.block(positions);
                let mut kept = Vec::with_capacity(parts.len());
                for (part, ty) in parts.iter().zip(&iter.parts) {
                    self.levels.push(size.clone());
                    let own = self.own(ty, part.levels | level);
                    self.levels.pop();
                    kept.push(own?);
                }
                Some(kept)
            }
        }
    }

    fn model(&mut self, model: ModelId) -> Option<Known> {
        let mut all = Known::default();
        let program = self.estimator.program;
        for field in &program.model(model).fields {
            let known = match &field.ty {
                Type::Model(inner) => self.model(*inner)?,
                ty => {
                    // Drawn in a wider dtype.
                    self.own(ty, 0)?;
                    self.own(ty, 0)?
                }
            };
            all = all.with(&known);
        }
        Some(all)
    }
}
