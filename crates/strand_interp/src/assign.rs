//! Index assignment under any chain levels: a changed copy, or the variable's own array where nothing else sees it.

use strand_array::{Array, IndexItem as EngineItem};
use strand_ir::{Expr, IndexItem, LocalId, Type};
use strand_source::Span;

use crate::element::is_half;
use crate::error::{Run, from_array, malformed};
use crate::fits;
use crate::graph::ElementOp;
use crate::index::whole;
use crate::index_plan::{Base, Item, Plan};
use crate::levels::Levels;
use crate::machine::{Frame, Machine};
use crate::value::{Tensor, Val};

impl<'p> Machine<'p, '_> {
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
            Type::Host(_) => {
                let number = self.host_scalar(frame, value)?;
                // A single element of halves is computed, and overflows.
                let alone = items.iter().all(|item| matches!(item, IndexItem::Int(_)));
                Tensor::scalar(match alone && is_half(dtype) {
                    true => number.cast(dtype),
                    false => fits::element(number, dtype, value.span)?,
                })
            }
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
                // Until the end of the statement the variable is in nobody's hands but these.
                frame.take(local);
                self.assigned(tensor, plan, assigned, span)?
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

    fn assigned(&mut self, tensor: Tensor, plan: Plan, value: Tensor, span: Span) -> Run<Tensor> {
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
        let region = self.region(&plan, &tensor, &positions, span)?;
        let given = self.region_value(&value, &plan, levels, &region, span)?;
        // What it was computed of lets the variable go.
        drop(value);
        let target = self.spread(&tensor, levels, span)?;
        drop(tensor);

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

        let value_order: Vec<usize> = alone
            .iter()
            .chain(by.iter())
            .map(position)
            .chain(lead..given.rank())
            .collect();
        let given = given.permute(&value_order).map_err(wrong)?;
        let array = self.only_array(target, span)?.permute(&order);
        let array = array.map_err(wrong)?;
        let changed = strand_array::index_put(&self.graph.ctx, array, &items, &given);
        let changed = changed.map_err(wrong)?;
        self.graph.collect(span, &changed);
        let mut back = vec![0; order.len()];
        for (to, from) in order.iter().enumerate() {
            if let Some(place) = back.get_mut(*from) {
                *place = to;
            }
        }
        let changed = changed.permute(&back).map_err(wrong)?;
        Ok(Tensor::node(self.graph.ready(changed, span), levels))
    }

    /// A tensor's array, let go by its node where nothing else has that.
    fn only_array(&mut self, tensor: Tensor, span: Span) -> Run<Array> {
        let array = self.array(&tensor, span)?;
        drop(tensor);
        Ok(array)
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

/// How many positions a slice has, whose ends lie in the axis; `to` may be -1 for a negative step.
fn slice_count(from: i64, to: i64, step: i64) -> usize {
    let span = if step > 0 { to - from } else { from - to };
    let step = step.unsigned_abs();
    (span.max(0) as u64).div_ceil(step) as usize
}
