//! Indexing: what PyTorch's brackets take, in NumPy's meaning.

use strand_ir::{Expr, ExprKind, IndexItem, Type};

use crate::check::whole_axes;
use crate::py::{Arg, Item, Py};
use crate::slices::{Cut, Guard, Side};
use crate::writer::Writer;

/// An item of an index, its values written.
#[derive(Clone)]
pub(crate) enum Part {
    /// A host int: takes the axis away.
    Int(Py),
    /// An index tensor with its rank.
    Tensor(Py, usize),
    /// A mask with its rank.
    Mask(Py, usize),
    Slice(Cut),
    Ellipsis,
    NewAxis,
}

/// An index with its values written, each once.
pub(crate) struct Written {
    pub(crate) parts: Vec<Part>,
    pub(crate) guard: Guard,
    /// How many axes an ellipsis stands for.
    pub(crate) hidden: usize,
}

/// Axes made by index tensors that PyTorch puts elsewhere than NumPy, which puts them first.
pub(crate) struct Misplaced {
    from: usize,
    count: usize,
}

impl<'a> Writer<'_, 'a> {
    /// `x[items]`
    pub(crate) fn indexed(&mut self, base: &'a Expr, items: &'a [IndexItem]) -> Py {
        let py = self.expr(base);
        let (py, written) = self.written(py, &base.ty, items);
        let Some((holds, message)) = written.guard else {
            return self.picked(py, written.parts, written.hidden);
        };
        let picked = self.picked(py, written.parts, written.hidden);
        self.fails_unless(picked, holds, &message)
    }

    /// The items of an index with their checks, and the tensor, under a name if a check needs one.
    pub(crate) fn written(
        &mut self,
        base: Py,
        ty: &'a Type,
        items: &'a [IndexItem],
    ) -> (Py, Written) {
        let rank = ty.tensor().map_or(0, |ty| ty.rank());
        let taken: usize = items.iter().map(taken).sum();
        let mut written = Written {
            parts: Vec::with_capacity(items.len()),
            guard: None,
            hidden: rank.saturating_sub(taken),
        };
        let mut base = base;
        for (at, item) in items.iter().enumerate() {
            let axis = axis_of(items, at, rank);
            let side = Side { ty, axis };
            let part = self.part(&mut base, &side, item, &mut written.guard);
            written.parts.push(part);
        }
        (base, written)
    }

    fn part(
        &mut self,
        base: &mut Py,
        side: &Side<'a>,
        item: &'a IndexItem,
        guard: &mut Guard,
    ) -> Part {
        match item {
            IndexItem::Int(e) => Part::Int(self.host_index(base, side, e)),
            IndexItem::Mask(e) => {
                let rank = e.ty.tensor().map_or(1, |ty| ty.rank());
                Part::Mask(self.expr(e), rank)
            }
            IndexItem::Tensor { index, offset, .. } => {
                let rank = index.ty.tensor().map_or(0, |ty| ty.rank());
                let py = match self.index_list(index) {
                    Some(list) => list,
                    None => self.expr(index),
                };
                Part::Tensor(self.moved_index(base, side, index, py, *offset), rank)
            }
            IndexItem::Slice { start, end, step } => {
                let ends = [start.as_ref(), end.as_ref(), step.as_ref()];
                Part::Slice(self.cut(base, side, ends, guard))
            }
            IndexItem::Ellipsis => Part::Ellipsis,
            IndexItem::NewAxis => Part::NewAxis,
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

    /// What the parts pick of a tensor.
    pub(crate) fn picked(&mut self, base: Py, parts: Vec<Part>, hidden: usize) -> Py {
        let (base, parts) = self.turned(base, parts, hidden);
        if parts.iter().all(Part::is_whole) {
            return base;
        }
        let Some(misplaced) = misplaced(&parts, hidden) else {
            return base.index(parts.into_iter().map(Part::item).collect());
        };
        let has_scalar = parts.iter().any(|part| matches!(part, Part::Tensor(_, 0)));
        let batches = self.in_chain || self.lambdas > 0;
        let (base, parts) = if has_scalar && batches {
            // torch.vmap makes an index tensor of a batched `[]` one: it goes first, alone.
            without_scalars(base, parts)
        } else {
            (base, parts)
        };
        let picked = base.index(parts.into_iter().map(Part::item).collect());
        moved_first(picked, &misplaced)
    }

    /// PyTorch has no negative steps: such axes are cut and reversed first.
    fn turned(&mut self, base: Py, parts: Vec<Part>, hidden: usize) -> (Py, Vec<Part>) {
        let mut base = base;
        let mut axis = 0;
        let mut cuts = Vec::new();
        let mut dims = Vec::new();
        let mut left = Vec::with_capacity(parts.len());
        for part in parts {
            let takes = part.takes(hidden);
            left.push(match part {
                Part::Slice(Cut::Backward { low, high, step }) => {
                    dims.push(axis);
                    if low.is_some() || high.is_some() {
                        cuts.push((axis, low, high));
                    }
                    let step = (step != 1).then(|| Py::int(step));
                    Part::Slice(Cut::Forward([None, None, step]))
                }
                Part::Slice(Cut::Listed(positions)) => {
                    let args = vec![Py::int(axis as i64), positions];
                    base = base.method("index_select", None, args);
                    Part::Slice(Cut::Forward([None, None, None]))
                }
                part => part,
            });
            axis += takes;
        }
        if let Some((last, ..)) = cuts.last() {
            let mut items = whole_axes(last + 1);
            for (axis, low, high) in cuts {
                items[axis] = Item::Slice {
                    start: low,
                    end: high,
                    step: None,
                };
            }
            base = base.index(items);
        }
        if !dims.is_empty() {
            let dims = dims.iter().map(|axis| Py::int(*axis as i64)).collect();
            let dims = Arg::keyword("dims", Py::list(dims));
            base = Py::path("torch.flip", None).call(vec![base.into(), dims]);
        }
        (base, left)
    }
}

impl Part {
    /// How many axes of the tensor it takes.
    fn takes(&self, hidden: usize) -> usize {
        match self {
            Self::Int(_) | Self::Tensor(..) | Self::Slice(_) => 1,
            Self::Mask(_, rank) => *rank,
            Self::Ellipsis => hidden,
            Self::NewAxis => 0,
        }
    }

    fn is_whole(&self) -> bool {
        matches!(self, Self::Slice(Cut::Forward([None, None, None])))
    }

    /// Whether NumPy counts it among the index tensors.
    fn is_advanced(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Tensor(..) | Self::Mask(..))
    }

    /// Whether it takes an axis away at once, as far as PyTorch is concerned.
    fn is_scalar(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Tensor(_, 0))
    }

    pub(crate) fn item(self) -> Item {
        match self {
            Self::Int(py) | Self::Tensor(py, _) | Self::Mask(py, _) => Item::Value(py),
            Self::Slice(Cut::Forward([start, end, step])) => Item::Slice { start, end, step },
            // Turned before.
            Self::Slice(_) => Item::whole(),
            Self::Ellipsis => Item::Value(Py::name("...")),
            Self::NewAxis => Item::new_axis(),
        }
    }
}

/// Where PyTorch puts the axes of index tensors, if that isn't where NumPy does: first if anything
/// stands between items that are advanced, whole numbers among them, else in place. PyTorch takes
/// whole numbers first and doesn't see an ellipsis of no axes.
pub(crate) fn misplaced(parts: &[Part], hidden: usize) -> Option<Misplaced> {
    let first = parts.iter().position(Part::is_advanced)?;
    let last = parts.iter().rposition(Part::is_advanced)?;
    if parts[first..=last].iter().all(Part::is_advanced) {
        return None;
    }
    let seen = |part: &&Part| !part.is_scalar() && (hidden > 0 || !matches!(part, Part::Ellipsis));
    let seen: Vec<&Part> = parts.iter().filter(seen).collect();
    let first = seen.iter().position(|part| part.is_advanced())?;
    let last = seen.iter().rposition(|part| part.is_advanced())?;
    if !seen[first..=last].iter().all(|part| part.is_advanced()) {
        return None;
    }
    let from: usize = seen[..first]
        .iter()
        .map(|part| match part {
            Part::Ellipsis => hidden,
            _ => 1,
        })
        .sum();
    let ranks = seen[first..=last].iter().map(|part| match part {
        Part::Tensor(_, rank) => *rank,
        _ => 1,
    });
    let count = ranks.max().unwrap_or(0);
    (from > 0 && count > 0).then_some(Misplaced { from, count })
}

/// The axes that index tensors made, moved to the front.
fn moved_first(py: Py, misplaced: &Misplaced) -> Py {
    let places = |from: usize| {
        let places = (from..from + misplaced.count).map(|at| Py::int(at as i64));
        match misplaced.count {
            1 => Py::int(from as i64),
            _ => Py::tuple(places.collect()),
        }
    };
    py.method("movedim", None, vec![places(misplaced.from), places(0)])
}

/// The tensor indexed by the whole numbers and `[]` tensors alone, and the other parts.
fn without_scalars(base: Py, parts: Vec<Part>) -> (Py, Vec<Part>) {
    let mut items = Vec::new();
    let mut left = Vec::new();
    let mut count = 0;
    for part in parts {
        if part.is_scalar() {
            items.push(part.item());
            count = items.len();
            continue;
        }
        match part {
            Part::Mask(_, rank) => items.extend(whole_axes(rank)),
            Part::Ellipsis => items.push(Item::Value(Py::name("..."))),
            Part::NewAxis => {}
            _ => items.push(Item::whole()),
        }
        left.push(part);
    }
    items.truncate(count);
    (base.index(items), left)
}

/// How many axes of the tensor an item takes; an ellipsis what is left.
fn taken(item: &IndexItem) -> usize {
    match item {
        IndexItem::Mask(mask) => mask.ty.tensor().map_or(1, |ty| ty.rank()),
        IndexItem::Ellipsis | IndexItem::NewAxis => 0,
        _ => 1,
    }
}

/// The axis that an item indexes.
pub(crate) fn axis_of(items: &[IndexItem], at: usize, rank: usize) -> usize {
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
