//! Index items with computed values, checked against the axes they index.

use strand_array::{ReduceOp, Scalar};
use strand_ir::{Expr, ExprKind, IndexItem, TensorType, Type};
use strand_source::{Code, Span};

use crate::error::{Fail, Run, fail, from_array, malformed};
use crate::graph::ElementOp;
use crate::levels::Levels;
use crate::machine::{Frame, Machine};
use crate::value::{Data, Tensor};

/// An index item with computed values, for one axis of the base or none.
pub(crate) enum Item {
    /// Takes the axis away.
    Int(i64),
    Slice(i64, i64, i64),
    Whole,
    NewAxis,
    /// Positions; several items may share the shape that they broadcast to.
    Positions(Tensor),
}

/// The items of an index with the place of what positions make.
pub(crate) struct Plan {
    pub(crate) items: Vec<Item>,
    pub(crate) spans: Vec<Span>,
    /// How many plain own axes stand before what positions make (NumPy's rule).
    pub(crate) place: usize,
    /// The own rank that the positions broadcast to.
    pub(crate) made: usize,
    /// Where an ellipsis stood: even one of no axes parts index tensors.
    parted_at: Option<usize>,
}

/// What messages say of the indexed value.
#[derive(Clone, Copy)]
pub(crate) struct Base<'p> {
    pub(crate) ty: &'p Type,
    pub(crate) text: &'p str,
    pub(crate) span: Span,
}

impl<'p> Machine<'p, '_> {
    /// The items of an index of `tensor`.
    pub(crate) fn plan(
        &mut self,
        frame: &mut Frame<'p>,
        tensor: &Tensor,
        base: Base<'p>,
        items: &'p [IndexItem],
        span: Span,
    ) -> Run<Plan> {
        let rank = tensor.rank();
        let mut plan = Plan {
            items: Vec::with_capacity(items.len()),
            spans: Vec::with_capacity(items.len()),
            place: 0,
            made: 0,
            parted_at: None,
        };
        let mut axis = 0;
        for (at, item) in items.iter().enumerate() {
            let size = tensor.own_shape().get(axis).copied();
            let missing = || malformed(span, "an index of an axis that isn't there");
            match item {
                IndexItem::Int(e) => {
                    let size = size.ok_or_else(missing)?;
                    let i = self.int(frame, e)?;
                    let i = wrapped(i, size)
                        .ok_or_else(|| self.out_of_range(i, size, base, axis, e.span))?;
                    plan.push(Item::Int(i), e.span);
                    axis += 1;
                }
                IndexItem::Slice { start, end, step } => {
                    let size = size.ok_or_else(missing)?;
                    let slice = self.slice_item(frame, [start, end, step], size, base, axis)?;
                    plan.push(slice, span);
                    axis += 1;
                }
                IndexItem::NewAxis => plan.push(Item::NewAxis, span),
                IndexItem::Ellipsis => {
                    plan.parted_at = Some(plan.items.len());
                    let after = axes_of(items.get(at + 1..).unwrap_or(&[]));
                    let whole = rank.saturating_sub(axis + after);
                    for _ in 0..whole {
                        plan.push(Item::Whole, span);
                    }
                    axis += whole;
                }
                IndexItem::Tensor {
                    index,
                    offset,
                    checked,
                } => {
                    let size = size.ok_or_else(missing)?;
                    let positions = self.tensor(frame, index)?;
                    let positions =
                        self.positions(positions, *offset, *checked, size, base, axis, index.span)?;
                    plan.push(Item::Positions(positions), index.span);
                    axis += 1;
                }
                IndexItem::Mask(e) => {
                    let mask = self.tensor(frame, e)?;
                    axis += mask.rank();
                    self.mask_items(&mask, &mut plan, e.span)?;
                }
            }
        }
        while axis < rank {
            plan.push(Item::Whole, span);
            axis += 1;
        }
        plan.finish();
        Ok(plan)
    }

    fn slice_item(
        &mut self,
        frame: &mut Frame<'p>,
        [start, end, step]: [&'p Option<Expr>; 3],
        size: usize,
        base: Base<'p>,
        axis: usize,
    ) -> Run<Item> {
        let step = match step {
            Some(e) => match self.int(frame, e)? {
                0 => return Err(fail(Code::R02, e.span, "a slice's step can't be 0")),
                step => step,
            },
            None => 1,
        };
        let mut ends = [None, None];
        for (found, e) in ends.iter_mut().zip([start, end]) {
            if let Some(e) = e {
                let value = self.int(frame, e)?;
                // Only a literal counts from the end: the type's sizes mean the others as they are.
                let end = if value < 0 && matches!(e.kind, ExprKind::Int(_)) {
                    value.checked_add(size as i64)
                } else {
                    Some(value)
                };
                let lowest = if step < 0 { -1 } else { 0 };
                let highest = size as i64 + lowest;
                let inside = end.filter(|v| (lowest..=highest).contains(v));
                *found = Some((
                    inside.ok_or_else(|| self.out_of_range(value, size, base, axis, e.span))?,
                    e.span,
                ));
            }
        }
        let [from, to] = ends.map(|end| end.map(|(value, _)| value));
        // A backward slice starts at its last element and ends before its first: an end of -1
        // stands for "through the first", which Python writes by leaving it out.
        let whole = match step < 0 {
            true => (size as i64 - 1, -1),
            false => (0, size as i64),
        };
        let (from, to) = (from.unwrap_or(whole.0), to.unwrap_or(whole.1));
        if if step < 0 { from < to } else { from > to } {
            let span = ends[0].or(ends[1]).map_or(base.span, |(_, span)| span);
            let message = format!("the slice {from}..{to} ends before it starts");
            return Err(fail(Code::R03, span, message));
        }
        Ok(Item::Slice(from, to, step))
    }

    /// Positions with the offset of `i + k`; those that aren't known to lie in the axis are
    /// checked.
    #[allow(clippy::too_many_arguments)]
    fn positions(
        &mut self,
        positions: Tensor,
        offset: i64,
        checked: bool,
        size: usize,
        base: Base<'p>,
        axis: usize,
        span: Span,
    ) -> Run<Tensor> {
        if positions.dtype() != strand_array::DType::I64 {
            return Err(malformed(span, "positions that aren't i64"));
        }
        if offset == 0 && checked {
            return Ok(positions);
        }
        let iota = match &positions.data {
            Data::Node(node) => node.iota().zip(node.shape().first()),
            Data::Scalar(_) => None,
        };
        let moved = match (iota, offset) {
            (_, 0) => positions,
            (Some((start, count)), _) if start.saturating_add(offset) >= 0 => {
                let from = start.saturating_add(offset);
                let node = self
                    .graph
                    .iota(from, from.saturating_add(*count as i64), span);
                Tensor::node(node, positions.levels)
            }
            _ => {
                let by = Tensor::scalar(Scalar::I64(offset));
                let add = ElementOp::Binary(strand_array::BinaryOp::Add);
                self.apply(add, vec![positions, by], span)?
            }
        };
        self.check_positions(&moved, size, base, axis, span)?;
        Ok(moved)
    }

    fn check_positions(
        &mut self,
        positions: &Tensor,
        size: usize,
        base: Base<'p>,
        axis: usize,
        span: Span,
    ) -> Run<()> {
        let node = self.whole_node(positions, span)?;
        if node.shape().contains(&0) {
            return Ok(());
        }
        if let (Some(start), [count]) = (node.iota(), node.shape()) {
            let last = start.saturating_add(*count as i64 - 1);
            let outside = [start, last]
                .into_iter()
                .find(|i| wrapped(*i, size).is_none());
            return match outside {
                None => Ok(()),
                // The first that is past the end, not the last of all.
                Some(_) => Err(self.out_of_range(start.max(size as i64), size, base, axis, span)),
            };
        }
        let axes: Vec<usize> = (0..node.shape().len()).collect();
        let mut ends = [0; 2];
        for (end, op) in ends.iter_mut().zip([ReduceOp::Min, ReduceOp::Max]) {
            let found = self.graph.reduce(op, node.clone(), axes.clone(), span)?;
            let found = Tensor::node(found, Levels::NONE);
            *end = self.item(&found, span)?.to_i64();
        }
        if ends.iter().all(|i| wrapped(*i, size).is_some()) {
            return Ok(());
        }
        let all = self.graph.force(&node)?.to_vec_i64();
        let first = all.into_iter().find(|i| wrapped(*i, size).is_none());
        Err(self.out_of_range(first.unwrap_or(ends[1]), size, base, axis, span))
    }

    fn out_of_range(&self, i: i64, size: usize, base: Base<'_>, axis: usize, span: Span) -> Fail {
        let ty = base.ty.tensor();
        let named = ty
            .and_then(|ty| ty.axes.get(axis))
            .and_then(|axis| axis.name);
        let place = match named {
            Some(name) => format!("axis {}", self.program.symbols.name(name)),
            None => {
                let rank = ty.map_or(0, TensorType::rank);
                format!("the {}", strand_ir::axis_place(axis, rank))
            }
        };
        let of = base.text;
        let of = if of.is_empty() || of.len() > 24 || of.contains('\n') {
            String::new()
        } else {
            format!(" of {of}")
        };
        let message = format!("index {i} is out of range: {place}{of} has size {size}");
        fail(Code::R03, span, message)
    }

    /// A mask as one array of positions per axis of it.
    fn mask_items(&mut self, mask: &Tensor, plan: &mut Plan, span: Span) -> Run<()> {
        if !mask.levels.is_empty() {
            return Err(malformed(span, "a mask that depends on a chain's element"));
        }
        let array = self.array(mask, span)?;
        let found = strand_array::nonzero(&self.graph.ctx, &array);
        let found = found.map_err(|e| from_array(&e, span))?;
        if let Some(last) = found.last() {
            self.graph.collect(span, last);
        }
        for positions in found {
            let positions = Tensor::array(&mut self.graph, positions, span);
            plan.push(Item::Positions(positions), span);
        }
        Ok(())
    }
}

impl Plan {
    fn push(&mut self, item: Item, span: Span) {
        self.items.push(item);
        self.spans.push(span);
    }

    /// Finds where NumPy puts the axes that positions make: in place where the items that are
    /// advanced indices stand next to each other, else first.
    fn finish(&mut self) {
        self.made = self.items.iter().filter_map(own_rank).max().unwrap_or(0);
        let advanced = |item: &Item| matches!(item, Item::Int(_) | Item::Positions(_));
        let first = self.items.iter().position(advanced);
        let last = self.items.iter().rposition(advanced);
        let (Some(first), Some(last)) = (first, last) else {
            return;
        };
        let parted = self.parted_at.is_some_and(|at| first < at && at <= last);
        let together = !parted && self.items.iter().take(last).skip(first).all(advanced);
        self.place = if together { first } else { 0 };
    }
}

fn own_rank(item: &Item) -> Option<usize> {
    match item {
        Item::Positions(tensor) => Some(tensor.rank()),
        _ => None,
    }
}

fn axes_of(items: &[IndexItem]) -> usize {
    items
        .iter()
        .map(|item| match item {
            IndexItem::Ellipsis | IndexItem::NewAxis => 0,
            IndexItem::Mask(mask) => mask.ty.tensor().map_or(1, |ty| ty.rank()),
            _ => 1,
        })
        .sum()
}

/// An index that may be negative as a position in an axis of `size`.
fn wrapped(i: i64, size: usize) -> Option<i64> {
    let at = if i < 0 {
        i.checked_add(size as i64)?
    } else {
        i
    };
    (0..size as i64).contains(&at).then_some(at)
}
