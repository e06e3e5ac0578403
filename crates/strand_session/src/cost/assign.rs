//! Index assignment: what it copies, and where it writes in place.

use strand_ir::{Expr, IndexItem, LocalId, Size, TensorType};

use super::statements::{Known, Walk, larger};

impl<'p> Walk<'_, 'p> {
    /// `local[items] = value`: a changed copy, or the variable's own array where nothing else sees that.
    pub fn assigned(
        &mut self,
        local: LocalId,
        items: &'p [IndexItem],
        value: &'p Expr,
    ) -> Option<()> {
        let given = self.expr(value)?;
        // What is computed for it keeps nothing of what it is made of.
        let mut seen = match given.pending {
            Some(_) => Known {
                levels: given.levels,
                ..Known::default()
            },
            None => given.clone(),
        };
        self.force(given)?;
        let mut masked = false;
        for item in items {
            match item {
                IndexItem::Int(index) | IndexItem::Tensor { index, .. } => {
                    let index = self.forced(index)?;
                    seen = seen.with(&index);
                }
                IndexItem::Mask(mask) => {
                    masked = true;
                    let mask = self.forced(mask)?;
                    seen = seen.with(&mask);
                }
                IndexItem::Slice { start, end, step } => {
                    for bound in [start, end, step].into_iter().flatten() {
                        self.expr(bound)?;
                    }
                }
                IndexItem::Ellipsis | IndexItem::NewAxis => {}
            }
        }
        let ty = self.body.local(local).ty.tensor().or(value.ty.tensor())?;
        let held = self.variables.get(&local).cloned().unwrap_or_default();
        let width = ty.dtype.size() as i64;
        let levels = held.levels | seen.levels;
        let batch = self.batch(levels)?;
        let is_number = value.ty.tensor().is_none_or(|value| value.rank() == 0);
        if let ([IndexItem::Mask(_)], true) = (items, is_number) {
            // One or the other, in one pass that may come later.
            let whole = self.elements(ty)?.mul(&batch).ok()?;
            let whole = self.block(whole.mul(&Size::constant(width)).ok()?);
            self.end();
            let mut known = held.with(&seen);
            known.hold(&[whole]);
            self.variables.insert(local, known);
            return Some(());
        }
        let region = self.region(ty, items)?;
        // What is assigned, stretched over its places, and which those are.
        self.laid_out(&region, width, &batch)?;
        if value
            .ty
            .tensor()
            .is_some_and(|value| value.dtype != ty.dtype)
        {
            self.laid_out(&region, width, &batch)?;
        }
        for item in items {
            let places = match item {
                IndexItem::Tensor { index: places, .. } | IndexItem::Mask(places) => places,
                _ => continue,
            };
            // One after the other is stretched to the places that they pick.
            let places = self.elements(places.ty.tensor()?)?;
            self.laid_out(&places, 8, &batch)?;
        }
        let holds = if self.is_alone(local, &held, &seen) && !masked {
            self.end();
            held.holds
        } else {
            let copy = self.elements(ty)?.mul(&batch).ok()?;
            let copy = self.block(copy.mul(&Size::constant(width)).ok()?);
            self.end();
            vec![copy]
        };
        let known = Known {
            levels,
            holds,
            is_assigned: true,
            fresh: true,
            loose: held.loose || levels != 0,
            ..Known::default()
        };
        self.variables.insert(local, known);
        Some(())
    }

    /// Whether a variable is the only one that sees its array, which `seen` sees too.
    fn is_alone(&self, local: LocalId, held: &Known, seen: &Known) -> bool {
        let [only] = held.holds.as_slice() else {
            return false;
        };
        let mut others = self.variables.iter().filter(|(other, _)| **other != local);
        let elsewhere = [&self.replaced, &self.shown, &self.walked_over];
        held.fresh
            && seen.levels & !held.levels == 0
            && !seen.holds.contains(only)
            && !elsewhere.iter().any(|list| list.contains(only))
            && !others.any(|(_, other)| other.holds.contains(only))
    }

    /// At most how many elements an index picks.
    fn region(&self, ty: &TensorType, items: &[IndexItem]) -> Option<Size> {
        let places = |item: &IndexItem| match item {
            IndexItem::Tensor { index, .. } => index.ty.tensor().cloned(),
            _ => None,
        };
        let mut region = Size::constant(1);
        for places in items.iter().filter_map(places) {
            region = larger(&region, &self.elements(&places)?)?;
        }
        let mut axes = ty.axes.iter();
        for item in items {
            match item {
                IndexItem::Int(_) | IndexItem::Tensor { .. } => {
                    axes.next();
                }
                IndexItem::Slice { .. } => {
                    region = region.mul(&self.size(&axes.next()?.size)?).ok()?;
                }
                IndexItem::Mask(_) => return self.elements(ty),
                IndexItem::Ellipsis => {
                    let plain = |item: &&IndexItem| !matches!(item, IndexItem::NewAxis);
                    let others = items.iter().filter(plain).count() - 1;
                    for axis in axes.by_ref().take(ty.rank().saturating_sub(others)) {
                        region = region.mul(&self.size(&axis.size)?).ok()?;
                    }
                }
                IndexItem::NewAxis => {}
            }
        }
        for axis in axes {
            region = region.mul(&self.size(&axis.size)?).ok()?;
        }
        Some(region)
    }
}
