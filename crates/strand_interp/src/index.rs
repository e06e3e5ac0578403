//! Indexing under any chain levels: views where there are no positions, else one gather.

use strand_array::{Array, IndexItem as EngineItem, Scalar};
use strand_ir::{Expr, IndexItem};
use strand_source::Span;

use crate::error::{Run, from_array};
use crate::index_plan::{Base, Item, Plan};
use crate::levels::Levels;
use crate::machine::{Frame, Machine};
use crate::value::{Data, Tensor, Val};

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
        self.graph.collect(span, &array);
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
    pub(crate) fn level_positions(
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
        strand_source::sort_by_key(&mut order, |at| {
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

/// Every position of an axis.
pub(crate) fn whole() -> EngineItem {
    EngineItem::Slice {
        start: None,
        stop: None,
        step: 1,
    }
}
