//! Indexing and index assignment, under any chain levels.

use strand_array::{Array, IndexItem as EngineItem, ReduceOp, Scalar};
use strand_ir::{Expr, IndexItem, LocalId, Type};
use strand_source::{Code, Span};

use crate::error::{Fail, Run, fail, from_array, malformed};
use crate::graph::ElementOp;
use crate::levels::Levels;
use crate::machine::{Frame, Machine};
use crate::value::{Data, Tensor, Val};

/// An index item with computed values, for one axis of the base or none.
enum Item {
    /// Takes the axis away.
    Int(i64),
    Slice(i64, i64, i64),
    Whole,
    NewAxis,
    /// Positions; several items may share the shape that they broadcast to.
    Positions(Tensor),
}

/// What an axis of the array under way stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dim {
    Level(usize),
    /// An own axis of the result that isn't made by positions, in order.
    Plain(usize),
    /// An own axis that positions are taken of.
    Indexed,
    /// An own axis that positions make, in order.
    Made(usize),
}

/// The items of an index with the place of what positions make.
struct Plan {
    items: Vec<Item>,
    spans: Vec<Span>,
    /// How many plain own axes stand before what positions make (NumPy's rule).
    place: usize,
    /// The own rank that the positions broadcast to.
    made: usize,
}

/// What messages say of the indexed value.
#[derive(Clone, Copy)]
struct Base<'p> {
    ty: &'p Type,
    text: &'p str,
    span: Span,
}

impl<'p> Machine<'p, '_> {
    /// `base[items]`
    #[inline(never)]
    pub(crate) fn index(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        base: &'p Expr,
        items: &'p [IndexItem],
    ) -> Run<Val> {
        let tensor = self.tensor(frame, base)?;
        let base = Base {
            ty: &base.ty,
            text: base.span.text(self.source),
            span: base.span,
        };
        let plan = self.plan(frame, &tensor, base, items, e.span)?;
        let result = self.indexed(&tensor, plan, e.span)?;
        let result = Val::Tensor(result);
        self.bind_births(&e.ty, &result);
        Ok(result)
    }

    fn plan(
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
        };
        let mut axis = 0;
        let mut masks = Vec::new();
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
                    masks.push(mask.clone());
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
                let end = if value < 0 {
                    value.checked_add(size as i64)
                } else {
                    Some(value)
                };
                let inside = end.filter(|v| (0..=size as i64).contains(v));
                *found = Some((
                    inside.ok_or_else(|| self.out_of_range(value, size, base, axis, e.span))?,
                    e.span,
                ));
            }
        }
        let [from, to] = ends.map(|end| end.map(|(value, _)| value));
        if step < 0 {
            // A stop of -1 stands for "through the first", which Python writes by leaving it out.
            let first = from.unwrap_or(size as i64 - 1).min(size as i64 - 1);
            return Ok(Item::Slice(first, to.unwrap_or(-1), step));
        }
        let (from, to) = (from.unwrap_or(0), to.unwrap_or(size as i64));
        if from > to {
            let span = ends[0].or(ends[1]).map_or(base.span, |(_, span)| span);
            let message = format!("the slice {from}..{to} runs backwards");
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
        let named = base.ty.tensor().and_then(|ty| ty.axes.get(axis));
        let named = named.and_then(|axis| axis.name);
        let place = match named {
            Some(name) => format!("axis {}", self.program.symbols.name(name)),
            None => format!("axis {axis}"),
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
        self.graph.collect(span);
        for positions in found {
            let positions = Tensor::array(&mut self.graph, positions, span);
            plan.push(Item::Positions(positions), span);
        }
        Ok(())
    }

    fn indexed(&mut self, tensor: &Tensor, plan: Plan, span: Span) -> Run<Tensor> {
        if let Some(value) = self.element(tensor, &plan, span)? {
            return Ok(Tensor::scalar(value));
        }
        let mut view = View {
            array: self.array(tensor, span)?,
            dims: tensor.levels.iter().map(Dim::Level).collect(),
            levels: tensor.levels,
            span,
        };
        let mut indices = Vec::new();
        let mut axis = view.dims.len();
        let mut plain = 0;
        for (item, item_span) in plan.items.into_iter().zip(plan.spans) {
            match item {
                Item::Int(i) => view.change(|a| a.select(axis, i))?,
                Item::Slice(from, to, step) => {
                    let to = if step < 0 && to < 0 { None } else { Some(to) };
                    view.change(|a| a.slice(axis, Some(from), to, step))?;
                    view.push(Dim::Plain(plain), &mut axis);
                    plain += 1;
                }
                Item::NewAxis => {
                    view.change(|a| a.insert_axis(axis))?;
                    view.push(Dim::Plain(plain), &mut axis);
                    plain += 1;
                }
                Item::Whole => {
                    view.push(Dim::Plain(plain), &mut axis);
                    plain += 1;
                }
                Item::Positions(positions) => {
                    if let Some(level) = self.level_slice(&mut view, &positions, axis)? {
                        view.push(Dim::Level(level), &mut axis);
                        view.levels = view.levels.union(Levels::single(level));
                    } else {
                        view.push(Dim::Indexed, &mut axis);
                        indices.push((positions, item_span));
                    }
                }
            }
        }
        if indices.is_empty() {
            let levels = view.levels;
            let array = view.ordered(plan.place)?;
            self.graph.record_view("index", &array, span);
            let node = self.graph.ready(array, span);
            return Ok(Tensor::node(node, levels));
        }
        self.gather(view, indices, plan.place, plan.made)
    }

    /// A single element by host ints, for which no view is needed.
    fn element(&mut self, tensor: &Tensor, plan: &Plan, span: Span) -> Run<Option<Scalar>> {
        if !tensor.levels.is_empty() {
            return Ok(None);
        }
        let mut at = Vec::with_capacity(plan.items.len());
        for item in &plan.items {
            match item {
                Item::Int(i) => at.push(*i),
                _ => return Ok(None),
            }
        }
        let array = self.array(tensor, span)?;
        let value = array.get(&at).map_err(|e| from_array(&e, span))?;
        if self.graph.recorder.is_on() {
            self.graph.recorder.scalar("index", span);
        }
        Ok(Some(value))
    }

    /// Where an axis is indexed by a level's own `start, start + 1, …`, its elements are a slice
    /// whose axis is the level's: no gather. `None` where it isn't so.
    fn level_slice(
        &mut self,
        view: &mut View,
        positions: &Tensor,
        axis: usize,
    ) -> Run<Option<usize>> {
        let Data::Node(node) = &positions.data else {
            return Ok(None);
        };
        let (Some(start), [count]) = (node.iota(), node.shape()) else {
            return Ok(None);
        };
        let level = match positions.levels.iter().collect::<Vec<_>>()[..] {
            [level] if !self.options.always_gather && !view.levels.has(level) => level,
            _ => return Ok(None),
        };
        let size = view.array.shape().get(axis).copied().unwrap_or(0) as i64;
        let end = start.saturating_add(*count as i64);
        if start < 0 || end > size {
            return Ok(None);
        }
        view.change(|a| a.slice(axis, Some(start), Some(end), 1))?;
        Ok(Some(level))
    }

    /// Takes elements by position. Levels on which both the array and the positions depend are
    /// walked together; the others on their own.
    fn gather(
        &mut self,
        view: View,
        indices: Vec<(Tensor, Span)>,
        place: usize,
        made: usize,
    ) -> Run<Tensor> {
        let span = view.span;
        let by = indices
            .iter()
            .fold(Levels::NONE, |all, (t, _)| all.union(t.levels));
        let levels = view.levels.union(by);
        let alone = view.levels.minus(by);
        let shared = view.levels.intersection(by);
        let view = view.arranged(|dim| match dim {
            Dim::Level(level) if alone.has(level) => 0,
            Dim::Level(_) => 1,
            Dim::Indexed => 2,
            Dim::Plain(_) | Dim::Made(_) => 3,
        })?;
        let mut items = vec![whole(); alone.count()];
        for level in shared.iter() {
            items.push(EngineItem::IntArray(
                self.level_positions(level, by, made, span)?,
            ));
        }
        for (positions, span) in &indices {
            let array = self.aligned_array(positions, by, made, *span)?;
            items.push(EngineItem::IntArray(array));
        }
        let array = strand_array::index(&self.graph.ctx, &view.array, &items);
        let array = array.map_err(|e| from_array(&e, span))?;
        self.graph.collect(span);
        let dims = alone
            .iter()
            .chain(by.iter())
            .map(Dim::Level)
            .chain((0..made).map(Dim::Made))
            .chain(
                view.dims
                    .iter()
                    .copied()
                    .filter(|d| matches!(d, Dim::Plain(_))),
            );
        let result = View {
            dims: dims.collect(),
            array,
            levels,
            span,
        };
        let array = result.ordered(place)?;
        Ok(Tensor::node(self.graph.ready(array, span), levels))
    }

    /// `0, 1, …` along one of `levels`, size 1 along the others and `rank` own axes.
    fn level_positions(
        &mut self,
        level: usize,
        levels: Levels,
        rank: usize,
        span: Span,
    ) -> Run<Array> {
        let node = self.graph.iota(0, self.level_size(level) as i64, span);
        let tensor = Tensor::node(node, Levels::single(level));
        self.aligned_array(&tensor, levels, rank, span)
    }

    /// `local[items] = value`: the variable becomes a changed copy.
    #[inline(never)]
    pub(crate) fn set_index(
        &mut self,
        frame: &mut Frame<'p>,
        local: LocalId,
        items: &'p [IndexItem],
        value: &'p Expr,
        span: Span,
    ) -> Run<()> {
        let Val::Tensor(tensor) = frame.get(local).clone() else {
            return Err(malformed(
                span,
                "an index assignment to what isn't a tensor",
            ));
        };
        let dtype = tensor.dtype();
        let assigned = match value.ty {
            Type::Host(_) => Tensor::scalar(self.host_scalar(frame, value)?.cast(dtype)),
            _ => self.tensor(frame, value)?,
        };
        let assigned = self.cast(assigned, dtype, value.span)?;
        let changed = match items {
            [IndexItem::Mask(mask)] if assigned.rank() == 0 => {
                let mask_value = self.tensor(frame, mask)?;
                let mask = self.leading_mask(&mask_value, tensor.rank(), mask.span)?;
                self.apply(ElementOp::Select, vec![mask, assigned, tensor], span)?
            }
            _ => {
                let variable = frame.body.local(local);
                let base = Base {
                    ty: &variable.ty,
                    text: &variable.name,
                    span,
                };
                let plan = self.plan(frame, &tensor, base, items, span)?;
                self.assigned(&tensor, plan, &assigned, span)?
            }
        };
        frame.set(local, Val::Tensor(changed));
        Ok(())
    }

    /// A mask over the first axes of `rank`, lined up with them.
    fn leading_mask(&mut self, mask: &Tensor, rank: usize, span: Span) -> Run<Tensor> {
        let mut shape = mask.shape().to_vec();
        shape.extend(std::iter::repeat_n(1, rank.saturating_sub(mask.rank())));
        let node = self.whole_node(mask, span)?;
        let node = self.graph.with_ones(&node, &shape, span)?;
        Ok(Tensor::node(node, mask.levels))
    }

    fn assigned(&mut self, tensor: &Tensor, plan: Plan, value: &Tensor, span: Span) -> Run<Tensor> {
        let wrong = |e: strand_array::ArrayError| from_array(&e, span);
        let mut by = Levels::NONE;
        let mut positions = Vec::new();
        for item in &plan.items {
            if let Item::Positions(tensor) = item {
                by = by.union(tensor.levels);
                positions.push(tensor.clone());
            }
        }
        let levels = tensor.levels.union(value.levels).union(by);
        let target = self.spread(tensor, levels, span)?;
        let region = self.region(&plan, tensor, &positions, span)?;
        let value = self.region_value(value, &plan, levels, &region, span)?;

        // The array's axes: levels that the positions don't depend on, those that they do, indexed
        // axes, others. The value's axes are in the same order.
        let lead = levels.count();
        let position = |level| levels.position(level);
        let alone = levels.minus(by);
        let mut order: Vec<usize> = alone.iter().chain(by.iter()).map(position).collect();
        let mut items = vec![whole(); alone.count()];
        for level in by.iter() {
            let array = self.level_positions(level, by, plan.made, span)?;
            items.push(EngineItem::IntArray(array));
        }
        for tensor in &positions {
            let array = self.aligned_array(tensor, by, plan.made, span)?;
            items.push(EngineItem::IntArray(array));
        }
        let own = plan
            .items
            .iter()
            .filter(|item| !matches!(item, Item::NewAxis));
        let own: Vec<(usize, &Item)> = own.enumerate().collect();
        let is_indexed = |item: &Item| matches!(item, Item::Positions(_));
        order.extend(
            own.iter()
                .filter(|(_, i)| is_indexed(i))
                .map(|(at, _)| lead + at),
        );
        order.extend(
            own.iter()
                .filter(|(_, i)| !is_indexed(i))
                .map(|(at, _)| lead + at),
        );
        items.extend(own.iter().filter_map(|(_, item)| plain_item(item)));

        let array = self.array(&target, span)?.permute(&order).map_err(wrong)?;
        let value_order: Vec<usize> = alone
            .iter()
            .chain(by.iter())
            .map(position)
            .chain(lead..value.rank())
            .collect();
        let value = value.permute(&value_order).map_err(wrong)?;
        let changed = strand_array::index_set(&self.graph.ctx, &array, &items, &value);
        let changed = changed.map_err(wrong)?;
        self.graph.collect(span);
        let mut back = vec![0; order.len()];
        for (to, from) in order.iter().enumerate() {
            if let Some(place) = back.get_mut(*from) {
                *place = to;
            }
        }
        let changed = changed.permute(&back).map_err(wrong)?;
        Ok(Tensor::node(self.graph.ready(changed, span), levels))
    }

    /// The sizes of the indexed region's own axes, as `base[items]` would have them.
    fn region(
        &mut self,
        plan: &Plan,
        tensor: &Tensor,
        positions: &[Tensor],
        span: Span,
    ) -> Run<Vec<usize>> {
        let mut made = Vec::new();
        for tensor in positions {
            made = strand_array::broadcast_shapes(&made, tensor.own_shape())
                .map_err(|e| from_array(&e, span))?;
        }
        let mut sizes = tensor.own_shape().iter();
        let mut plain = Vec::new();
        for item in &plan.items {
            match item {
                Item::NewAxis => plain.push(1),
                Item::Whole => plain.push(sizes.next().copied().unwrap_or(0)),
                Item::Slice(from, to, step) => {
                    sizes.next();
                    plain.push(slice_count(*from, *to, *step));
                }
                Item::Int(_) | Item::Positions(_) => {
                    sizes.next();
                }
            }
        }
        let place = plan.place.min(plain.len());
        plain.splice(place..place, made);
        Ok(plain)
    }

    /// The value over the region, its axes as the engine's items have them: levels, what positions
    /// make, then each other axis of the base.
    fn region_value(
        &mut self,
        value: &Tensor,
        plan: &Plan,
        levels: Levels,
        region: &[usize],
        span: Span,
    ) -> Run<Array> {
        let wrong = |e: strand_array::ArrayError| from_array(&e, span);
        let lead = levels.count();
        let array = self.aligned_array(value, levels, region.len(), span)?;
        let mut shape = array.shape().get(..lead).unwrap_or(&[]).to_vec();
        shape.extend_from_slice(region);
        let array = array.broadcast_to(&shape).map_err(wrong)?;
        let made = lead + plan.place..lead + plan.place + plan.made;
        let mut order: Vec<usize> = (0..lead).chain(made.clone()).collect();
        order.extend((lead..lead + region.len()).filter(|axis| !made.contains(axis)));
        let mut array = array.permute(&order).map_err(wrong)?;
        let mut axis = lead + plan.made;
        for item in &plan.items {
            match item {
                Item::NewAxis => array = array.drop_axis(axis).map_err(wrong)?,
                Item::Int(_) => {
                    array = array.insert_axis(axis).map_err(wrong)?;
                    axis += 1;
                }
                Item::Slice(..) | Item::Whole => axis += 1,
                Item::Positions(_) => {}
            }
        }
        Ok(array)
    }
}

/// The array of an index under way.
struct View {
    array: Array,
    dims: Vec<Dim>,
    levels: Levels,
    span: Span,
}

impl View {
    fn change(&mut self, f: impl FnOnce(&Array) -> strand_array::Result<Array>) -> Run<()> {
        self.array = f(&self.array).map_err(|e| from_array(&e, self.span))?;
        Ok(())
    }

    fn push(&mut self, dim: Dim, axis: &mut usize) {
        self.dims.push(dim);
        *axis += 1;
    }

    /// The axes sorted by a key; equal ones keep their order, levels stand in theirs.
    fn arranged(self, key: impl Fn(Dim) -> usize) -> Run<Self> {
        let mut order: Vec<usize> = (0..self.dims.len()).collect();
        let dims = &self.dims;
        order.sort_by_key(|at| {
            let dim = dims.get(*at).copied().unwrap_or(Dim::Indexed);
            let within = if let Dim::Level(level) = dim {
                level
            } else {
                0
            };
            (key(dim), within)
        });
        let array = self
            .array
            .permute(&order)
            .map_err(|e| from_array(&e, self.span))?;
        let dims = order.iter().filter_map(|at| self.dims.get(*at).copied());
        Ok(Self {
            dims: dims.collect(),
            array,
            ..self
        })
    }

    /// The array with its axes in the result's order.
    fn ordered(self, place: usize) -> Run<Array> {
        let sorted = self.arranged(|dim| match dim {
            Dim::Level(_) => 0,
            Dim::Plain(at) if at < place => 1 + at,
            Dim::Made(at) => 1 + place + at,
            Dim::Plain(at) => 1 + place + strand_array::MAX_RANK + at,
            Dim::Indexed => usize::MAX,
        })?;
        Ok(sorted.array)
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
        let together = self.items.iter().take(last).skip(first).all(advanced);
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

fn whole() -> EngineItem {
    EngineItem::Slice {
        start: None,
        stop: None,
        step: 1,
    }
}

fn plain_item(item: &Item) -> Option<EngineItem> {
    match item {
        Item::Whole => Some(whole()),
        Item::Slice(from, to, step) => Some(EngineItem::Slice {
            start: Some(*from),
            stop: (*step > 0 || *to >= 0).then_some(*to),
            step: *step,
        }),
        Item::Int(i) => Some(EngineItem::Slice {
            start: Some(*i),
            stop: Some(*i + 1),
            step: 1,
        }),
        Item::NewAxis | Item::Positions(_) => None,
    }
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

/// How many positions a slice has, whose ends lie in the axis; `to` may be -1 for a negative step.
fn slice_count(from: i64, to: i64, step: i64) -> usize {
    let span = if step > 0 { to - from } else { from - to };
    let step = step.unsigned_abs();
    (span.max(0) as u64).div_ceil(step) as usize
}
