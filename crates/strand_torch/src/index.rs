//! Indexing and index assignment.

use strand_ir::{Expr, ExprKind, IndexItem, LocalId, LocalKind, Type};
use strand_ops::DType;

use crate::py::{Arg, Item, Py};
use crate::rows::Code;
use crate::writer::{Writer, shape_of};

impl<'a> Writer<'_, 'a> {
    /// `x[items]`
    pub(crate) fn indexed(&mut self, base: &'a Expr, items: &'a [IndexItem]) -> Py {
        let py = self.expr(base);
        let flipped: Vec<usize> = items
            .iter()
            .enumerate()
            .filter(|(_, item)| is_backwards(item))
            .map(|(at, _)| at)
            .collect();
        let rank = base.ty.tensor().map_or(0, |ty| ty.rank());
        self.check_indices(&py, items, rank);
        let py = if flipped.is_empty() {
            py
        } else {
            // PyTorch has no negative steps: the axes are reversed first.
            let dims = flipped
                .iter()
                .map(|at| Py::int(axis_of(items, *at, rank) as i64));
            let dims = Arg::keyword("dims", Py::list(dims.collect()));
            Py::path("torch.flip", None).call(vec![py.into(), dims])
        };
        let mut written = Vec::new();
        for item in items {
            written.push(self.item(item));
        }
        let is_whole = |item: &Item| {
            matches!(
                item,
                Item::Slice {
                    start: None,
                    end: None,
                    step: None
                }
            )
        };
        if written.iter().all(is_whole) && !flipped.is_empty() {
            return py;
        }
        py.index(written)
    }

    pub(crate) fn item(&mut self, item: &'a IndexItem) -> Item {
        match item {
            IndexItem::Int(e) | IndexItem::Mask(e) => Item::Value(self.expr(e)),
            IndexItem::Tensor { index, offset, .. } => {
                let py = match self.index_list(index) {
                    Some(list) => list,
                    None => self.expr(index),
                };
                Item::Value(match *offset {
                    0 => py,
                    k if k < 0 => Py::binary("-", py, Py::int(-k), None),
                    k => Py::binary("+", py, Py::int(k), None),
                })
            }
            IndexItem::Slice { start, end, step } => {
                let backwards = is_backwards(item);
                let mut part = |e: &'a Option<Expr>| e.as_ref().map(|e| self.expr(e));
                if backwards {
                    let step = step.as_ref().and_then(constant).filter(|step| *step != -1);
                    return Item::Slice {
                        start: None,
                        end: None,
                        step: step.map(|step| Py::int(-step)),
                    };
                }
                Item::Slice {
                    start: part(start),
                    end: part(end),
                    step: part(step),
                }
            }
            IndexItem::Ellipsis => Item::Value(Py::name("...")),
            IndexItem::NewAxis => Item::new_axis(),
        }
    }

    /// Literal indices as a list, which reads better than a tensor.
    fn index_list(&mut self, index: &'a Expr) -> Option<Py> {
        let ExprKind::Literal { elements, shape } = &index.kind else {
            return None;
        };
        let is_host = |e: &Expr| matches!(e.ty, Type::Host(_));
        let fits = shape.len() == 1 && !self.in_chain && self.lambdas == 0;
        (fits && elements.iter().all(is_host)).then(|| Py::list(self.exprs(elements)))
    }

    /// Checks of host indices and bounds that may lie outside their axes.
    fn check_indices(&mut self, base: &Py, items: &'a [IndexItem], rank: usize) {
        if !self.can_bind() || self.in_chain || base.as_name().is_none() {
            return;
        }
        for (at, item) in items.iter().enumerate() {
            let axis = axis_of(items, at, rank);
            match item {
                IndexItem::Int(e) if self.is_open(e) => {
                    let py = self.expr(e);
                    let size = shape_of(base.clone(), axis);
                    self.check_host_index(e, &py, size, axis);
                }
                _ => {}
            }
        }
    }

    /// Whether a host number's value isn't certain: a variable that no `for` counts.
    fn is_open(&self, e: &Expr) -> bool {
        let mut open = false;
        e.each(&mut |piece| {
            open |= match &piece.kind {
                ExprKind::Local(local) => self.body.local(*local).kind != LocalKind::Loop,
                ExprKind::Call { .. } | ExprKind::Py(_) => true,
                _ => false,
            };
        });
        open
    }

    /// `y[items] = value`
    pub(crate) fn set_index(
        &mut self,
        local: LocalId,
        items: &'a [IndexItem],
        value: &'a Expr,
        target_span: Option<strand_source::Span>,
    ) {
        let name = Py::name(self.names.local(local)).at(target_span);
        let rank = self.body.local(local).ty.tensor().map_or(0, |ty| ty.rank());
        if self.in_chain {
            let py = self.set_out_of_place(local, items, value, rank);
            self.code(Code::assign(name, py));
            return;
        }
        self.check_indices(&name, items, rank);
        let inner = match &value.kind {
            ExprKind::Lift(inner) => inner.as_ref(),
            _ => value,
        };
        let mut py = self.expr(inner);
        let overlaps = items
            .iter()
            .any(|item| matches!(item, IndexItem::Slice { .. }))
            && self.may_alias(inner, |id| id == local);
        if overlaps && !items.iter().any(is_backwards) {
            py = py.method("clone", None, Vec::new());
        }
        py = self.reversed_value(py, items, inner, rank);
        let items = items.iter().map(|item| self.item(item)).collect();
        self.code(Code::assign(name.index(items), py));
    }

    /// What is assigned, reversed along the axes whose steps are negative.
    fn reversed_value(&mut self, py: Py, items: &'a [IndexItem], value: &Expr, rank: usize) -> Py {
        let value_rank = value.ty.tensor().map_or(0, |ty| ty.rank());
        let keeps = |item: &IndexItem| !matches!(item, IndexItem::Int(_));
        let used: usize = items.len();
        let rest = rank.saturating_sub(used);
        let mut dims = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let after = items[at + 1..].iter().filter(|item| keeps(item)).count() + rest;
            if is_backwards(item) && after < value_rank {
                dims.push(Py::int(-(after as i64) - 1));
            }
        }
        if dims.is_empty() {
            return py;
        }
        let dims = Arg::keyword("dims", Py::list(dims));
        Py::path("torch.flip", None).call(vec![py.into(), dims])
    }

    fn set_out_of_place(
        &mut self,
        local: LocalId,
        items: &'a [IndexItem],
        value: &'a Expr,
        rank: usize,
    ) -> Py {
        let base = Py::name(self.names.local(local));
        let dtype = self
            .body
            .local(local)
            .ty
            .tensor()
            .map_or(DType::F32, |ty| ty.dtype);
        let py = self.expr(value);
        let value_rank = value.ty.tensor().map_or(0, |ty| ty.rank());
        if let [IndexItem::Mask(mask)] = items {
            let own = mask.ty.tensor().map_or(1, |ty| ty.rank());
            let mut mask = self.expr(mask);
            if own < rank {
                let mut axes = crate::check::whole_axes(own);
                axes.extend((own..rank).map(|_| Item::new_axis()));
                mask = mask.index(axes);
            }
            return Py::call_path("torch.where", None, vec![mask, py, base]);
        }
        let simple = |item: &IndexItem| {
            matches!(item, IndexItem::Int(_) | IndexItem::Slice { .. }) && !is_backwards(item)
        };
        let py = self.lifted(py, &value.ty, dtype);
        if items.iter().all(simple) {
            let items: Vec<&IndexItem> = items.iter().collect();
            return self.scattered(base, &items, 0, py, value_rank, rank);
        }
        let mut indices = Vec::new();
        for (at, item) in items.iter().enumerate() {
            match self.item(item) {
                Item::Value(py) => indices.push(match item {
                    IndexItem::Int(e) => self.lifted(py, &e.ty, DType::I64),
                    _ => py,
                }),
                Item::Slice { start, end, step } => {
                    let size = shape_of(base.clone(), axis_of(items, at, rank));
                    let args = [start, Some(end.unwrap_or(size)), step];
                    let args = args.into_iter().flatten().collect();
                    indices.push(Py::call_path("torch.arange", None, args));
                }
            }
        }
        base.method("index_put", None, vec![Py::tuple(indices), py])
    }

    /// Nested select_scatter and slice_scatter for whole numbers and slices.
    fn scattered(
        &mut self,
        base: Py,
        items: &[&'a IndexItem],
        dim: usize,
        value: Py,
        value_rank: usize,
        rank: usize,
    ) -> Py {
        let Some((first, rest)) = items.split_first() else {
            return if value_rank < rank {
                value.method("expand_as", None, vec![base])
            } else {
                value
            };
        };
        let at = Py::int(dim as i64);
        match first {
            IndexItem::Int(e) => {
                let index = self.expr(e);
                let mut items = crate::check::whole_axes(dim);
                items.push(Item::Value(index.clone()));
                let part = base.clone().index(items);
                let inner = self.scattered(part, rest, dim, value, value_rank, rank - 1);
                let mut args: Vec<Arg> = vec![base.into(), inner.into()];
                args.extend([Arg::keyword("dim", at), Arg::keyword("index", index)]);
                Py::path("torch.select_scatter", None).call(args)
            }
            IndexItem::Slice {
                start: None,
                end: None,
                step: None,
            } => self.scattered(base, rest, dim + 1, value, value_rank, rank),
            IndexItem::Slice { start, end, step } => {
                let mut part = |e: &'a Option<Expr>| e.as_ref().map(|e| self.expr(e));
                let (start, end, step) = (part(start), part(end), part(step));
                let mut items = crate::check::whole_axes(dim);
                items.push(Item::Slice {
                    start: start.clone(),
                    end: end.clone(),
                    step: step.clone(),
                });
                let piece = base.clone().index(items);
                let inner = self.scattered(piece, rest, dim + 1, value, value_rank, rank);
                let mut args: Vec<Arg> = vec![base.into(), inner.into()];
                args.push(Arg::keyword("dim", at));
                for (name, part) in [("start", start), ("end", end), ("step", step)] {
                    args.extend(part.map(|py| Arg::keyword(name, py)));
                }
                Py::path("torch.slice_scatter", None).call(args)
            }
            _ => value,
        }
    }

    /// Whether a value may share its elements with one of some variables.
    pub(crate) fn may_alias(&self, e: &Expr, is_one: impl Fn(LocalId) -> bool + Copy) -> bool {
        if is_fresh(e) || !matches!(e.ty, Type::Tensor(_) | Type::Tuple(_)) {
            return false;
        }
        if let ExprKind::Local(local) = e.kind {
            return is_one(local);
        }
        let mut aliases = false;
        e.each_child(&mut |child| {
            aliases |= match child {
                strand_ir::Child::Expr(piece) => self.may_alias(piece, is_one),
                strand_ir::Child::Lambda(lambda) => self.may_alias(&lambda.body, is_one),
            };
        });
        aliases
    }
}

/// Whether an expression's elements are its own.
pub(crate) fn is_fresh(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Op { op, .. } => op.op().class != strand_ops::Class::Dropout,
        ExprKind::Literal { .. } | ExprKind::Lift(_) | ExprKind::Filter { .. } => true,
        ExprKind::Convert { dtype, .. } => dtype.is_some(),
        ExprKind::Index { items, .. } => {
            items.iter().any(|item| matches!(item, IndexItem::Mask(_)))
        }
        ExprKind::Map { lambda, .. } => {
            let uses = lambda
                .params
                .iter()
                .flatten()
                .any(|param| Writer::count_uses(&lambda.body, *param) > 0);
            uses && matches!(lambda.body.kind, ExprKind::Op { .. }) && is_fresh(&lambda.body)
        }
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Size(_) => true,
        _ => false,
    }
}

fn constant(e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Op {
            op: strand_ops::OpId::Neg,
            args,
            ..
        } => constant(&args[0]).map(|v| -v),
        _ => None,
    }
}

/// A slice with a negative step.
fn is_backwards(item: &IndexItem) -> bool {
    match item {
        IndexItem::Slice {
            step: Some(step), ..
        } => constant(step).is_some_and(|step| step < 0),
        _ => false,
    }
}

/// The axis that an item indexes.
fn axis_of(items: &[IndexItem], at: usize, rank: usize) -> usize {
    let taken = |item: &IndexItem| match item {
        IndexItem::Mask(mask) => mask.ty.tensor().map_or(1, |ty| ty.rank()),
        IndexItem::Ellipsis | IndexItem::NewAxis => 0,
        _ => 1,
    };
    let before: usize = items[..at].iter().map(taken).sum();
    let skips = items[..at]
        .iter()
        .any(|item| matches!(item, IndexItem::Ellipsis));
    if skips {
        let after: usize = items[at..].iter().map(taken).sum();
        return rank.saturating_sub(after);
    }
    before
}
