//! Index assignment: in place where that is seen by no other name, else a changed copy.

use strand_ir::{Expr, ExprKind, IndexItem, LocalId, Type};
use strand_ops::DType;

use crate::aliases::may_alias;
use crate::check::whole_axes;
use crate::expr::flat;
use crate::index::{Part, Written, axis_of, misplaced};
use crate::py::{Arg, Item, Py};
use crate::rows::Code;
use crate::slices::Cut;
use crate::writer::{Writer, shape_of};

impl<'a> Writer<'_, 'a> {
    /// `y[items] = value`
    pub(crate) fn set_index(
        &mut self,
        local: LocalId,
        items: &'a [IndexItem],
        value: &'a Expr,
        target_span: Option<strand_source::Span>,
    ) {
        let name = Py::name(self.names.local(local)).at(target_span);
        let first = &self.body.local(local).ty;
        let ty = self.bound.get(&local).copied().unwrap_or(first);
        let (_, written) = self.written(name.clone(), ty, items);
        let forwards = self.forwards(&written, items, ty);
        let forwards = forwards.filter(|_| misplaced(&written.parts, written.hidden).is_none());
        if self.in_chain || forwards.is_none() {
            let dtype = ty.tensor().map_or(DType::F32, |ty| ty.dtype);
            let py = self.expr(value);
            let py = self.lifted(py, &value.ty, dtype);
            let py = match forwards {
                Some((parts, flips)) => {
                    let py = flipped(py, &flips, rank_of(&value.ty));
                    self.put(&name, written.hidden, parts, py, [ty, &value.ty])
                }
                None => self.put_by_position(&name, written.parts, written.hidden, py, ty),
            };
            self.code(Code::assign(name, py));
            return;
        }
        let Some((parts, flips)) = forwards else {
            return;
        };
        let inner = match &value.kind {
            ExprKind::Lift(inner) => inner.as_ref(),
            ExprKind::Convert {
                value: number,
                check: Some(domain),
                ..
            } if self.is_certain(number, domain) => match &number.kind {
                ExprKind::Lift(inner) => inner.as_ref(),
                _ => value,
            },
            _ => value,
        };
        let py = self.expr(inner);
        let mut py = flipped(py, &flips, rank_of(&inner.ty));
        // PyTorch puts values by a mask or by indices only where they lie elsewhere; one number goes
        // by a mask without being put.
        let several = |item: &IndexItem| match item {
            IndexItem::Slice { .. } => true,
            IndexItem::Tensor { .. } => true,
            IndexItem::Mask(_) => rank_of(&inner.ty) > 0,
            _ => false,
        };
        let overlaps = items.iter().any(several) && may_alias(inner, |id| id == local);
        if overlaps && flips.is_empty() {
            py = py.method("clone", None, Vec::new());
        }
        let items = parts.into_iter().map(Part::item).collect();
        self.code(Code::assign(name.index(items), py));
    }

    /// The parts with slices that run backwards turned to run forwards, and the axes, counted from
    /// the end of what is assigned, along which that must be reversed for it.
    fn forwards(
        &self,
        written: &Written,
        items: &[IndexItem],
        ty: &Type,
    ) -> Option<(Vec<Part>, Vec<usize>)> {
        let makes = |part: &Part| matches!(part, Part::Tensor(..) | Part::Mask(..));
        let turns = |part: &Part| matches!(part, Part::Slice(Cut::Backward { .. }));
        if written.parts.iter().any(makes) && written.parts.iter().any(turns) {
            return None;
        }
        let has_ellipsis = items.iter().any(|item| matches!(item, IndexItem::Ellipsis));
        // Axes that the index doesn't mention come last.
        let mut after = if has_ellipsis { 0 } else { written.hidden };
        let mut flips = Vec::new();
        let mut parts = written.parts.clone();
        for (at, part) in parts.iter_mut().enumerate().rev() {
            after += match part {
                Part::Slice(Cut::Listed(_)) => return None,
                Part::Slice(Cut::Backward { low, high, step }) => {
                    let axis = axis_of(items, at, rank_of(ty));
                    let start = match *step {
                        1 => low.take(),
                        step => {
                            let size = &ty.tensor()?.axes.get(axis)?.size;
                            let size = size.ground(self.cx.symbols()).as_constant();
                            Some(Py::int(first_of(low, high, step, size)?))
                        }
                    };
                    let step = (*step != 1).then(|| Py::int(*step));
                    *part = Part::Slice(Cut::Forward([start, high.take(), step]));
                    flips.push(after);
                    1
                }
                Part::Slice(Cut::Forward(_)) | Part::NewAxis => 1,
                Part::Ellipsis => written.hidden,
                Part::Int(_) | Part::Tensor(..) | Part::Mask(..) => 0,
            };
        }
        Some((parts, flips))
    }

    /// The changed tensor by the flat positions that the index picks.
    fn put_by_position(
        &mut self,
        name: &Py,
        parts: Vec<Part>,
        hidden: usize,
        value: Py,
        ty: &Type,
    ) -> Py {
        let count = name.clone().method("numel", None, Vec::new());
        let all = Py::call_path("torch.arange", None, vec![count]);
        let shape = || name.clone().attr("shape", None);
        let put = |base: Py, positions: Py| {
            let args = vec![Py::tuple(vec![positions]), value];
            base.method("index_put", None, args)
        };
        if rank_of(ty) < 2 {
            let positions = self.picked(all, parts, hidden);
            return put(name.clone(), positions);
        }
        let all = all.method("reshape", None, vec![shape()]);
        let positions = self.picked(all, parts, hidden);
        let flat = name.clone().method("flatten", None, Vec::new());
        put(flat, positions).method("reshape", None, vec![shape()])
    }

    /// The changed tensor, where nothing may be changed in place.
    fn put(
        &mut self,
        base: &Py,
        hidden: usize,
        parts: Vec<Part>,
        value: Py,
        [ty, value_ty]: [&Type; 2],
    ) -> Py {
        let rank = rank_of(ty);
        if let [Part::Mask(mask, own)] = parts.as_slice()
            && rank_of(value_ty) <= rank.saturating_sub(*own)
        {
            let mut mask = mask.clone();
            if *own < rank {
                let mut axes = whole_axes(*own);
                axes.extend((*own..rank).map(|_| Item::new_axis()));
                mask = mask.index(axes);
            }
            return Py::call_path("torch.where", None, vec![mask, value, base.clone()]);
        }
        let simple = |part: &Part| matches!(part, Part::Int(_) | Part::Slice(_));
        if parts.iter().all(simple) {
            let axes = value_ty.tensor().map_or(&[][..], |ty| ty.axes.as_slice());
            let stretches = axes.iter().any(|axis| axis.size.as_constant() == Some(1));
            let value_rank = if stretches { 0 } else { axes.len() };
            let parts: Vec<Part> = parts
                .into_iter()
                .enumerate()
                .map(|(axis, part)| self.counted_from_start(base, ty, part, axis))
                .collect();
            return scattered(base.clone(), &parts, 0, value, value_rank, rank);
        }
        let picks = |part: &Part| matches!(part, Part::Int(_) | Part::Tensor(..));
        if !parts.iter().all(picks) {
            return self.put_by_position(base, parts, hidden, value, ty);
        }
        let index = |part| match part {
            Part::Int(py) => Py::call_path("torch.tensor", None, vec![py]),
            Part::Tensor(py, _) | Part::Mask(py, _) => py,
            _ => Py::name("None"),
        };
        let indices = parts.into_iter().map(index).collect();
        let args = vec![Py::tuple(indices), value];
        base.clone().method("index_put", None, args)
    }

    /// A slice with its ends counted from the axis's start: torch.vmap of slice_scatter takes no
    /// others.
    fn counted_from_start(&self, base: &Py, ty: &Type, part: Part, axis: usize) -> Part {
        let Part::Slice(Cut::Forward([start, end, step])) = part else {
            return part;
        };
        let size = ty.tensor().and_then(|ty| ty.axes.get(axis));
        let size = size.and_then(|axis| axis.size.ground(self.cx.symbols()).as_constant());
        let counted = |py: Py| match (flat(&py).parse::<i64>(), size) {
            (Ok(place @ ..=-1), Some(size)) => Py::int(size.saturating_add(place)),
            (Ok(place @ ..=-1), None) => {
                let size = shape_of(base.clone(), axis);
                Py::binary("-", size, Py::int(place.saturating_neg()), None)
            }
            _ => py,
        };
        Part::Slice(Cut::Forward([start.map(counted), end.map(counted), step]))
    }

    /// A variable's elements are its own from here on, whatever way the body goes.
    pub(crate) fn owns(&mut self, local: LocalId) {
        if self.depth == 1 {
            self.owned.insert(local);
        }
    }

    /// Gives a variable elements of its own.
    pub(crate) fn copy_own(&mut self, local: LocalId) {
        let name = Py::name(self.names.local(local));
        let copy = name.clone().method("clone", None, Vec::new());
        self.code(Code::assign(name, copy));
    }
}

fn rank_of(ty: &Type) -> usize {
    ty.tensor().map_or(0, |ty| ty.rank())
}

/// What is assigned, reversed along axes counted from its end, as far as it has them.
fn flipped(py: Py, axes: &[usize], rank: usize) -> Py {
    let own = axes.iter().filter(|at| **at < rank);
    let dims: Vec<Py> = own.map(|at| Py::int(-(*at as i64) - 1)).collect();
    if dims.is_empty() {
        return py;
    }
    let dims = Arg::keyword("dims", Py::list(dims));
    Py::path("torch.flip", None).call(vec![py.into(), dims])
}

/// The first of `high - 1`, `high - 1 - step`, … down to `low`.
fn first_of(low: &Option<Py>, high: &Option<Py>, step: i64, size: Option<i64>) -> Option<i64> {
    let place = |end: &Option<Py>, otherwise: Option<i64>| match end {
        None => otherwise,
        Some(py) => match flat(py).parse::<i64>().ok()? {
            value if value < 0 => value.checked_add(size?),
            value => Some(value),
        },
    };
    let (low, high) = (place(low, Some(0))?, place(high, size)?);
    low.checked_add(high.checked_sub(low)?.checked_sub(1)?.rem_euclid(step))
}

/// Nested select_scatter and slice_scatter for whole numbers and slices.
fn scattered(
    base: Py,
    parts: &[Part],
    dim: usize,
    value: Py,
    value_rank: usize,
    rank: usize,
) -> Py {
    let Some((first, rest)) = parts.split_first() else {
        return if value_rank < rank {
            value.method("expand_as", None, vec![base])
        } else {
            value
        };
    };
    let at = Py::int(dim as i64);
    match first {
        Part::Int(index) => {
            let mut items = whole_axes(dim);
            items.push(Item::Value(index.clone()));
            let piece = base.clone().index(items);
            let inner = scattered(piece, rest, dim, value, value_rank, rank - 1);
            let mut args: Vec<Arg> = vec![base.into(), inner.into()];
            let index = Arg::keyword("index", index.clone());
            args.extend([Arg::keyword("dim", at), index]);
            Py::path("torch.select_scatter", None).call(args)
        }
        Part::Slice(Cut::Forward([None, None, None])) => {
            scattered(base, rest, dim + 1, value, value_rank, rank)
        }
        Part::Slice(Cut::Forward([start, end, step])) => {
            let mut items = whole_axes(dim);
            items.push(Item::Slice {
                start: start.clone(),
                end: end.clone(),
                step: step.clone(),
            });
            let piece = base.clone().index(items);
            let inner = scattered(piece, rest, dim + 1, value, value_rank, rank);
            let mut args: Vec<Arg> = vec![base.into(), inner.into()];
            args.push(Arg::keyword("dim", at));
            for (name, part) in [("start", start), ("end", end), ("step", step)] {
                args.extend(part.clone().map(|py| Arg::keyword(name, py)));
            }
            Py::path("torch.slice_scatter", None).call(args)
        }
        _ => value,
    }
}
