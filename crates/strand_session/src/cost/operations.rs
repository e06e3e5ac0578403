//! Built-in operations by class: the arrays that their passes make, as the engine makes them.

use strand_ir::{Expr, ExprKind, Over, Size, TensorType, Type};
use strand_ops::{Class, DType, OpId};

use super::statements::{Known, Walk};

/// What an operation takes beside its elements, in multiply-adds.
pub(super) const OPERATION: i64 = 200;

/// Bytes of an element as it is computed: whole numbers in i64, halves in f32.
pub(super) fn wide(dtype: DType) -> i64 {
    match dtype {
        DType::U8 | DType::I8 | DType::I16 | DType::I32 => 8,
        DType::F16 | DType::BF16 => 4,
        _ => dtype.size() as i64,
    }
}

/// Whether elements are computed in another type.
pub(super) fn is_narrow(dtype: DType) -> bool {
    wide(dtype) != dtype.size() as i64
}

/// Whether the only axis that an operation works along is the last one.
pub(super) fn along_last(over: &Over, rank: usize) -> bool {
    match over {
        Over::Axes(axes) => matches!(axes.as_slice(), [axis] if axis + 1 == rank),
        Over::None | Over::All => rank <= 1,
    }
}

impl<'p> Walk<'_, 'p> {
    /// Takes memory for the elements of a type, of so many bytes each, until the expression has its value.
    pub fn temporary(&mut self, ty: &TensorType, levels: u64, width: i64) -> Option<()> {
        let elements = self.elements(ty)?;
        let batch = self.batch(levels)?;
        self.laid_out(&elements, width, &batch)
    }

    /// The type of an operation's rows: without the axes that it works along.
    fn rows(ty: &TensorType, over: &Over) -> TensorType {
        let mut rows = ty.clone();
        match over {
            Over::Axes(gone) => {
                let axes = ty.axes.iter().enumerate();
                let kept = axes.filter(|(at, _)| !gone.contains(at));
                rows.axes = kept.map(|(_, axis)| axis.clone()).collect();
            }
            Over::None | Over::All => rows.axes.clear(),
        }
        rows
    }

    pub fn operation(&mut self, expr: &'p Expr, op: OpId, args: &'p [Expr]) -> Option<Known> {
        let class = op.op().class;
        if op == OpId::Show {
            for arg in args {
                self.hand_out(arg)?;
            }
            return Some(Known::default());
        }
        if let Class::Special { .. } | Class::Method = class {
            self.overhead(OPERATION)?;
            return self.special(expr, op, args);
        }
        let Type::Tensor(ty) = &expr.ty else {
            self.all(args)?;
            return Some(Known::default());
        };
        self.overhead(OPERATION)?;
        match (class, args) {
            (Class::Elementwise { .. }, _) => {
                let mut known = Vec::with_capacity(args.len());
                for arg in args {
                    known.push((arg, self.expr(arg)?));
                }
                let known = self.elementwise(expr, known)?;
                let may_fail = matches!(
                    op,
                    OpId::FloorDiv | OpId::Remainder | OpId::Fmod | OpId::Pow
                );
                if may_fail && !ty.dtype.is_float() {
                    // Its mistakes show at its own place: it isn't deferred.
                    return self.force(known);
                }
                Some(known)
            }
            (Class::Reduce { .. } | Class::ArgReduce, [arg]) => self.reduction(expr, op, arg),
            (Class::Loss, [a, b]) if op != OpId::BinaryCrossEntropy => {
                // One pass over both.
                let (known_a, known_b) = (self.expr(a)?, self.expr(b)?);
                let parts = self.elementwise(a, vec![(a, known_a), (b, known_b)])?;
                self.temporary(ty, parts.levels, wide(ty.dtype))?;
                let own = self.own(&expr.ty, parts.levels)?;
                Some(own.keep(&parts))
            }
            (Class::Along, [arg]) => self.along(expr, op, arg),
            (Class::MatMul, [a, b]) => {
                let (a, b) = ((a, self.forced(a)?), (b, self.forced(b)?));
                self.product_of(expr, (a.0, &a.1), (b.0, &b.1))
            }
            _ => self.rarer(expr, op, args),
        }
    }

    /// A reduction, which is one pass with what it reduces.
    fn reduction(&mut self, expr: &'p Expr, op: OpId, arg: &'p Expr) -> Option<Known> {
        let mut known = self.expr(arg)?;
        let from = arg.ty.tensor()?;
        self.computes(from, known.levels)?;
        let levels = known.levels;
        let ty = expr.ty.tensor()?;
        let width = wide(from.dtype);
        if op == OpId::Median {
            return self.median(expr, arg, known);
        }
        let centred = matches!(op, OpId::Std | OpId::Var | OpId::LogSumExp);
        if known.is_index || (known.pending.is_some() && !centred && self.is_shared(arg)) {
            known = self.force(known)?;
        }
        let results = match op {
            _ if centred => {
                // They centre or scale a copy.
                self.temporary(from, levels, width)?;
                3
            }
            OpId::Prod if is_narrow(from.dtype) && from.dtype.is_float() => {
                // Factor by factor, of a copy in rows.
                self.temporary(from, levels, width)?;
                self.temporary(from, levels, width)?;
                1
            }
            OpId::Mean | OpId::Norm => 1,
            _ => 0,
        };
        for _ in 0..results {
            self.temporary(ty, levels, wide(ty.dtype))?;
        }
        if is_narrow(ty.dtype) {
            self.temporary(ty, levels, wide(ty.dtype))?;
        }
        if let ExprKind::Filter { .. } = arg.kind {
            // How many are kept is counted beside it.
            self.temporary(ty, levels, 8)?;
            self.temporary(ty, levels, wide(ty.dtype))?;
            self.temporary(ty, levels, 1)?;
        }
        let own = self.own(&expr.ty, levels)?;
        Some(Known {
            loose: known.loose && ty.rank() + levels.count_ones() as usize > 1,
            ..own.keep(&known)
        })
    }

    /// Whether the elements of an expression are wanted by something else in the body too, so that they are stored.
    fn is_shared(&mut self, expr: &'p Expr) -> bool {
        let in_chain = !self.levels.is_empty();
        let seen = self
            .seen
            .iter()
            .any(|(other, _)| alike(expr, other, in_chain));
        self.see(expr, true);
        seen
    }

    /// Remembers a deferred expression; `reduced` if a reduction ends it.
    pub fn see(&mut self, expr: &'p Expr, reduced: bool) {
        /// How many are remembered.
        const MOST_SEEN: usize = 48;
        if self.seen.len() >= MOST_SEEN {
            self.seen.remove(0);
        }
        self.seen.push((expr, reduced));
    }

    fn median(&mut self, expr: &'p Expr, arg: &'p Expr, known: Known) -> Option<Known> {
        let known = self.force(known)?;
        let from = arg.ty.tensor()?;
        let ExprKind::Op { over, .. } = &expr.kind else {
            return None;
        };
        let flat = !matches!(over, Over::Axes(_));
        let (levels, width) = (known.levels, wide(from.dtype));
        if is_narrow(from.dtype) {
            self.temporary(from, levels, width)?;
            self.temporary(from, levels, width)?;
        } else if known.loose || !(flat || along_last(over, from.rank())) {
            self.temporary(from, levels, width)?;
        }
        // The middle is read where it lies in the sorted copy.
        let sorted = self.own(&arg.ty, levels)?;
        let own = self.own(&expr.ty, levels)?;
        Some(Known {
            loose: true,
            ..own.keep(&sorted)
        })
    }

    /// What keeps the shape and works along an axis.
    fn along(&mut self, expr: &'p Expr, op: OpId, arg: &'p Expr) -> Option<Known> {
        let known = self.forced(arg)?;
        let from = arg.ty.tensor()?;
        let ExprKind::Op { over, .. } = &expr.kind else {
            return None;
        };
        let (levels, width) = (known.levels, wide(from.dtype));
        self.computes(from, levels)?;
        if op == OpId::Flip {
            return Some(known.seen_otherwise());
        }
        let rank = from.rank();
        let last = along_last(over, rank);
        if op == OpId::Roll {
            let first = rank <= 1 || matches!(over, Over::Axes(axes) if axes.as_slice() == [0]);
            if known.loose || !first || levels != 0 {
                self.temporary(from, levels, from.dtype.size() as i64)?;
            }
            return self.own(&expr.ty, levels);
        }
        if is_narrow(from.dtype) {
            self.temporary(from, levels, width)?;
        }
        let lies = last && !known.loose;
        let rows = Self::rows(from, over);
        let by_rows = match op {
            OpId::Softmax | OpId::LogSoftmax | OpId::LayerNorm => lies,
            OpId::Normalize => false,
            _ => {
                self.lined_up(expr, op, from, (levels, lies))?;
                let own = self.own(&expr.ty, levels)?;
                return Some(Known {
                    loose: !last,
                    ..own
                });
            }
        };
        if !by_rows {
            for _ in 0..4 {
                self.temporary(&rows, levels, 8)?;
            }
        }
        if op == OpId::Softmax && !by_rows {
            // The powers, before they are divided.
            self.temporary(from, levels, width)?;
        }
        if is_narrow(from.dtype) {
            self.temporary(from, levels, width)?;
        }
        let own = self.own(&expr.ty, levels)?;
        Some(Known {
            loose: known.loose,
            ..own
        })
    }

    /// The copies of scans and sorts, which read rows that lie in one piece.
    fn lined_up(
        &mut self,
        expr: &Expr,
        op: OpId,
        from: &TensorType,
        (levels, lies): (u64, bool),
    ) -> Option<()> {
        let is_scan = !matches!(op, OpId::Sort | OpId::ArgSort);
        let is_bool = from.dtype == DType::Bool && is_scan;
        let width = if is_bool { 8 } else { wide(from.dtype) };
        if is_bool {
            self.temporary(from, levels, width)?;
        }
        if !lies {
            self.temporary(from, levels, width)?;
        }
        if expr.ty.tensor()?.dtype.size() as i64 != width && op != OpId::ArgSort {
            self.temporary(from, levels, width)?;
        }
        Some(())
    }

    /// A matrix product: what doesn't lie as it is read is laid out for it.
    pub fn product_of(
        &mut self,
        expr: &'p Expr,
        (a, left): (&'p Expr, &Known),
        (b, right): (&'p Expr, &Known),
    ) -> Option<Known> {
        let (first, second) = (a.ty.tensor()?, b.ty.tensor()?);
        let levels = left.levels | right.levels;
        let contracted = self.size(&first.axes.last()?.size)?;
        let elements = self.elements(expr.ty.tensor()?)?;
        let products = elements.mul(&contracted).ok()?;
        let batch = self.batch(levels)?;
        self.multiply_adds(&products.mul(&batch).ok()?)?;
        let both = left.levels & right.levels;
        let flat = first.rank() <= 2 && second.rank() <= 2;
        for (ty, known, is_right) in [(first, left, false), (second, right, true)] {
            let only = known.levels & !both;
            let many = only.count_ones() as usize + usize::from(ty.rank() == 2);
            // Levels of its own join its rows or columns.
            let parted = only != 0 && both != 0 && only.trailing_zeros() < both.ilog2();
            let moved = if is_right {
                only != 0 && ty.rank() == 2
            } else {
                known.loose || parted
            };
            if flat && many > 1 && (moved || known.loose) {
                self.temporary(ty, known.levels, ty.dtype.size() as i64)?;
            }
            if is_narrow(ty.dtype) {
                self.temporary(ty, known.levels, wide(ty.dtype))?;
            }
        }
        let ty = expr.ty.tensor()?;
        if is_narrow(ty.dtype) {
            self.temporary(ty, levels, wide(ty.dtype))?;
        }
        let own = self.own(&expr.ty, levels)?;
        let in_order =
            right.levels == 0 || (right.levels & !left.levels == 0 && left.levels == right.levels);
        Some(Known {
            loose: !in_order,
            ..own
        })
    }

    fn rarer(&mut self, expr: &'p Expr, op: OpId, args: &'p [Expr]) -> Option<Known> {
        let class = op.op().class;
        let mut all = Known::default();
        let mut parts = Vec::with_capacity(args.len());
        for arg in args {
            let known = self.forced(arg)?;
            all = all.with(&known);
            parts.push(known);
        }
        let levels = all.levels;
        for (arg, part) in args.iter().zip(&parts) {
            let apart = part.loose || part.levels != levels;
            if let (Class::Join, true, Some(ty)) = (class, apart, arg.ty.tensor()) {
                self.temporary(ty, levels, ty.dtype.size() as i64)?;
            }
        }
        let ty = expr.ty.tensor()?;
        let first = args.first().and_then(|arg| arg.ty.tensor());
        match class {
            Class::Transpose => return Some(all.seen_otherwise()),
            Class::Diagonal if ty.rank() == 1 => return Some(all.seen_otherwise()),
            Class::Triangle | Class::Diagonal | Class::Square => {
                // The numbers of rows and columns.
                for axis in ty.axes.iter().rev().take(2) {
                    let size = self.size(&axis.size)?;
                    self.laid_out(&size, 8, &Size::constant(1))?;
                }
                if class == Class::Diagonal {
                    self.temporary(ty, levels, ty.dtype.size() as i64)?;
                }
                if let Some(first) = first {
                    self.computes(first, levels)?;
                }
            }
            Class::OneHot => {
                let classes = self.size(&ty.axes.last()?.size)?;
                self.laid_out(&classes, 8, &Size::constant(1))?;
                self.computes(first?, levels)?;
            }
            Class::Draw => self.drawn(expr, ty)?,
            Class::Dropout => {
                self.computes(first?, levels)?;
                self.temporary(ty, levels, 4)?;
                let own = self.own(&expr.ty, levels)?;
                return Some(own.keep(&all));
            }
            Class::IndexLoss => self.cross_entropy(expr, args, &all)?,
            Class::Loss => {
                let first = first?;
                self.computes(first, levels)?;
                self.temporary(first, levels, 1)?;
                self.temporary(ty, levels, wide(ty.dtype))?;
                let own = self.own(&expr.ty, levels)?;
                return Some(own.keep(&all));
            }
            _ => {}
        }
        self.own(&expr.ty, levels)
    }

    /// What a draw makes beside its numbers.
    pub fn drawn(&mut self, expr: &Expr, ty: &TensorType) -> Option<()> {
        let ExprKind::Op { op, params, .. } = &expr.kind else {
            return Some(());
        };
        let scaled = params
            .iter()
            .any(|(name, _)| matches!(*name, "low" | "high"));
        let copies = match (op, ty.dtype) {
            (OpId::Normal, DType::F32) | (OpId::RandInt, DType::I64) => 0,
            (OpId::Uniform, DType::F32) => i64::from(scaled),
            _ => 2,
        };
        for _ in 0..copies {
            self.temporary(ty, 0, 8.min(wide(ty.dtype)))?;
        }
        Some(())
    }

    fn cross_entropy(&mut self, expr: &Expr, args: &[Expr], all: &Known) -> Option<()> {
        let [scores, labels] = args else {
            return None;
        };
        let (scores, labels) = (scores.ty.tensor()?, labels.ty.tensor()?);
        let (levels, width) = (all.levels, wide(scores.dtype));
        self.computes(scores, levels)?;
        if is_narrow(scores.dtype) {
            self.temporary(scores, levels, width)?;
            self.temporary(scores, levels, scores.dtype.size() as i64)?;
        }
        let ExprKind::Op { over, .. } = &expr.kind else {
            return None;
        };
        if all.loose || !along_last(over, scores.rank()) || levels != 0 {
            for _ in 0..3 {
                self.temporary(labels, levels, width)?;
            }
        }
        self.temporary(scores, levels, width)?;
        // Which are picked, by the places of every label.
        for axis in &labels.axes {
            let size = self.size(&axis.size)?;
            self.laid_out(&size, 8, &Size::constant(1))?;
        }
        self.temporary(labels, levels, 8)?;
        self.temporary(labels, levels, width)?;
        self.temporary(expr.ty.tensor()?, levels, width)
    }
}

/// Whether two expressions are the same computation, or perhaps, in stages whose parameters differ.
pub(super) fn alike(a: &Expr, b: &Expr, in_chain: bool) -> bool {
    if std::ptr::eq(a, b) || !same_head(a, b, in_chain) {
        return false;
    }
    let (mut parts, mut others) = (Vec::new(), Vec::new());
    a.each(&mut |part| parts.push(part));
    b.each(&mut |part| others.push(part));
    let mut pairs = parts.iter().zip(&others);
    parts.len() == others.len() && pairs.all(|(a, b)| same_head(a, b, in_chain))
}

fn same_head(a: &Expr, b: &Expr, in_chain: bool) -> bool {
    if a.ty != b.ty {
        return false;
    }
    match (&a.kind, &b.kind) {
        (ExprKind::Local(a), ExprKind::Local(b)) => a == b || in_chain,
        (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
        (ExprKind::Float(a), ExprKind::Float(b)) => a == b,
        (ExprKind::Op { op: a, .. }, ExprKind::Op { op: b, .. }) => a == b,
        (ExprKind::Call { function: a, .. }, ExprKind::Call { function: b, .. }) => a == b,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}
