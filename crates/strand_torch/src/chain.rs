//! Iterator chains: plain operations on whole tensors, torch.vmap, masks.

use strand_source::Set;

use strand_ir::{Expr, ExprKind, Iter, IterKind, Lambda, LocalId, Lowering, Size, Type};
use strand_ops::DType;

use crate::expr::{natural_dtype, permuted};
use crate::names::is_identifier;
use crate::plain::{count_whole_indexings, part_count, whole_indices};
use crate::py::{Arg, Item, Py};
use crate::writer::{Slot, Writer, shape_of};

/// How a part of an element is used by what comes after.
#[derive(Clone)]
pub(crate) struct Want {
    pub(crate) uses: usize,
    /// What it is called where it needs a name.
    pub(crate) name: String,
}

impl<'a> Writer<'_, 'a> {
    /// The tensor of a chain that ends in a map.
    pub(crate) fn map(
        &mut self,
        e: &'a Expr,
        iter: &'a Iter,
        lambda: &'a Lambda,
        lowering: &Lowering,
    ) -> Py {
        if lambda.params.len() != iter.parts.len() {
            return Py::name("None");
        }
        let uses_any = lambda
            .params
            .iter()
            .flatten()
            .any(|param| Self::count_uses(&lambda.body, *param) > 0);
        if !uses_any {
            return self.expanded(e, iter, lambda);
        }
        self.lowered(iter, lambda, lowering)
    }

    /// A function's results for every element, the iterated axis first.
    fn lowered(&mut self, iter: &'a Iter, lambda: &'a Lambda, lowering: &Lowering) -> Py {
        if *lowering == Lowering::Plain && self.is_plain(lambda) {
            let wants = self.plain_wants(iter, lambda);
            let slots = self.parts(iter, &wants);
            return self.plain_body(iter, lambda, slots, &wants);
        }
        let wants = self.wants(lambda);
        let slots = self.parts(iter, &wants);
        self.vmapped(iter, lambda, slots)
    }

    /// A chain whose function is the same for every element.
    fn expanded(&mut self, e: &'a Expr, iter: &'a Iter, lambda: &'a Lambda) -> Py {
        let length = self.length(iter);
        if let ExprKind::Lift(value) = &lambda.body.kind {
            let dtype = e.ty.tensor().map_or(DType::F32, |ty| ty.dtype);
            let natural = match value.ty {
                Type::Host(host) => natural_dtype(host),
                _ => None,
            };
            let py = self.expr(value);
            let mut args = vec![Arg::from(Py::tuple(vec![length])), Arg::from(py)];
            if natural != Some(dtype) {
                args.push(Arg::keyword("dtype", Py::path(dtype.torch(), None)));
            }
            return Py::path("torch.full", None).call(args);
        }
        let body = self.expr(&lambda.body);
        let mut sizes = vec![length];
        let axes = lambda.body.ty.tensor().map_or(&[][..], |ty| &ty.axes);
        for axis in axes {
            let size = self.try_size(&axis.size);
            sizes.push(size.unwrap_or_else(|| Py::int(-1)));
        }
        body.method("expand", None, sizes)
    }

    /// The number of elements of an iteration.
    fn length(&mut self, iter: &'a Iter) -> Py {
        if let Some(size) = self.try_size(&iter.axis.size) {
            return size;
        }
        let wants: Vec<Want> = (0..iter.parts.len())
            .map(|at| Want {
                uses: usize::from(at == 0),
                name: "items".to_owned(),
            })
            .collect();
        match self.parts(iter, &wants).into_iter().flatten().next() {
            Some(slot) => shape_of(slot.py, slot.axis),
            None => self.size(&iter.axis.size),
        }
    }

    /// How often a lambda uses each part of an element.
    fn wants(&self, lambda: &Lambda) -> Vec<Want> {
        lambda
            .params
            .iter()
            .map(|param| Want {
                uses: param.map_or(0, |param| Self::count_uses(&lambda.body, param)),
                name: self.param_hint(lambda, *param),
            })
            .collect()
    }

    /// The same for whole tensors, where an index that only indexes isn't needed as a number.
    fn plain_wants(&self, iter: &Iter, lambda: &Lambda) -> Vec<Want> {
        let whole = whole_indices(iter);
        let mut wants = self.wants(lambda);
        for ((want, param), whole) in wants.iter_mut().zip(&lambda.params).zip(whole) {
            if let (Some(param), true) = (param, whole) {
                want.uses = want
                    .uses
                    .saturating_sub(count_whole_indexings(&lambda.body, *param));
            }
        }
        wants
    }

    /// The name that a part gets where it needs one: the lambda's own, or one that says what it is.
    pub(crate) fn param_hint(&self, lambda: &Lambda, param: Option<LocalId>) -> String {
        let Some(param) = param else {
            return "items".to_owned();
        };
        if !lambda.by_name && is_identifier(&self.body.local(param).name) {
            return self.names.local(param).to_owned();
        }
        let rank = self.body.local(param).ty.tensor().map_or(0, |ty| ty.rank());
        ["v", "row"].get(rank).copied().unwrap_or("part").to_owned()
    }

    /// The tensors of the wanted parts of an iteration's elements.
    fn parts(&mut self, iter: &'a Iter, wants: &[Want]) -> Vec<Option<Slot>> {
        if wants.is_empty() || wants.len() != part_count(iter) {
            // Only in a program with errors.
            return vec![None; wants.len()];
        }
        match &iter.kind {
            IterKind::Size(size) => vec![self.indices(None, size, iter, &wants[0])],
            IterKind::Range(start, end) => {
                vec![self.indices(Some(start), end, iter, &wants[0])]
            }
            IterKind::Slices { tensor, axis } => {
                if wants[0].uses == 0 {
                    return vec![None];
                }
                let rank = tensor.ty.tensor().map_or(1, |ty| ty.rank());
                let py = self.expr(tensor);
                vec![Some(Slot {
                    py,
                    axis: *axis,
                    rank: rank.saturating_sub(1),
                    walrus: None,
                })]
            }
            IterKind::Zip(inner) => {
                let mut slots = Vec::new();
                for part in inner {
                    let from = slots.len();
                    slots.extend(self.parts(part, &wants[from..from + part_count(part)]));
                }
                slots
            }
            IterKind::Enumerate(inner) => self.enumerated(iter, inner, wants),
            IterKind::Filter {
                input,
                lambda,
                lowering,
            } => self.filtered(input, lambda, lowering, wants),
        }
    }

    fn indices(
        &mut self,
        start: Option<&Size>,
        end: &Size,
        iter: &Iter,
        want: &Want,
    ) -> Option<Slot> {
        if want.uses == 0 {
            return None;
        }
        let start = start.filter(|start| start.as_constant() != Some(0));
        let mut args: Vec<Py> = start.map(|start| self.size(start)).into_iter().collect();
        args.push(self.size(end));
        for (arg, token) in args.iter_mut().zip(self.cx.source.words(iter.span)) {
            *arg = arg.clone().at(Some(token));
        }
        Some(Slot {
            py: Py::call_path("torch.arange", None, args).tagged(iter.span),
            axis: 0,
            rank: 0,
            walrus: None,
        })
    }

    fn enumerated(&mut self, iter: &'a Iter, inner: &'a Iter, wants: &[Want]) -> Vec<Option<Slot>> {
        if wants[0].uses == 0 {
            let mut slots = vec![None];
            slots.extend(self.parts(inner, &wants[1..]));
            return slots;
        }
        let index = |length: Py| {
            Some(Slot {
                py: Py::call_path("torch.arange", None, vec![length]),
                axis: 0,
                rank: 0,
                walrus: None,
            })
        };
        if let Some(length) = self.try_size(&iter.axis.size) {
            let mut slots = vec![index(length)];
            slots.extend(self.parts(inner, &wants[1..]));
            return slots;
        }
        let mut more: Vec<Want> = wants[1..].to_vec();
        more[0].uses += 1;
        let name = more[0].name.clone();
        let mut slots = self.parts(inner, &more);
        let Some(first) = slots[0].take() else {
            slots.insert(0, None);
            return slots;
        };
        let mut first = self.shared(first, 2, &name);
        let length = shape_of(first.take(), first.axis);
        slots[0] = (wants[1].uses > 0).then_some(first);
        slots.insert(0, index(length));
        slots
    }

    /// The parts of the elements for which a function holds.
    fn filtered(
        &mut self,
        input: &'a Iter,
        lambda: &'a Lambda,
        lowering: &Lowering,
        wants: &[Want],
    ) -> Vec<Option<Slot>> {
        let (slots, mask) = self.masked_parts(input, lambda, lowering, wants);
        let wanted = wants.iter().filter(|want| want.uses > 0).count();
        let mask = Slot {
            py: mask,
            axis: 0,
            rank: 0,
            walrus: None,
        };
        let mut mask = self.shared(mask, wanted, "mask");
        slots
            .into_iter()
            .map(|slot| {
                slot.map(|mut slot| Slot {
                    py: slot.take().index(vec![Item::Value(mask.take())]),
                    axis: 0,
                    rank: slot.rank,
                    walrus: None,
                })
            })
            .collect()
    }

    /// The wanted parts, the iterated axis first, and the mask of a filter over them.
    pub(crate) fn masked_parts(
        &mut self,
        input: &'a Iter,
        lambda: &'a Lambda,
        lowering: &Lowering,
        wants: &[Want],
    ) -> (Vec<Option<Slot>>, Py) {
        let lowering = match lowering {
            Lowering::Masked(inner) => inner.as_ref(),
            other => other,
        };
        let is_plain = *lowering == Lowering::Plain && self.is_plain(lambda);
        let own = if is_plain {
            self.plain_wants(input, lambda)
        } else {
            self.wants(lambda)
        };
        let both: Vec<Want> = own
            .iter()
            .zip(wants)
            .map(|(own, after)| Want {
                uses: own.uses + usize::from(after.uses > 0),
                name: if own.uses > 0 { &own.name } else { &after.name }.clone(),
            })
            .collect();
        let slots = self.parts(input, &both);
        let mut slots: Vec<Option<Slot>> = slots
            .into_iter()
            .zip(&both)
            .map(|(slot, want)| slot.map(|slot| self.led(slot, want.uses, &want.name)))
            .collect();
        let uses_any = own.iter().any(|want| want.uses > 0)
            || lambda
                .params
                .iter()
                .flatten()
                .any(|param| Self::count_uses(&lambda.body, *param) > 0);
        let mask = if !uses_any {
            let length = self.length(input);
            let body = self.expr(&lambda.body);
            let body = self.lifted(body, &lambda.body.ty, DType::Bool);
            body.method("expand", None, vec![length])
        } else if is_plain {
            self.plain_with(input, lambda, &mut slots)
        } else {
            self.vmapped_with(input, lambda, &mut slots)
        };
        for (slot, want) in slots.iter_mut().zip(wants) {
            if want.uses == 0 {
                *slot = None;
            }
        }
        (slots, mask)
    }

    /// The tensor with the iterated axis first, under a name if it is used more than once.
    fn led(&mut self, slot: Slot, uses: usize, name: &str) -> Slot {
        let mut slot = slot;
        if slot.axis != 0 && slot.walrus.is_none() {
            slot.py = led(slot.py, slot.axis, slot.rank + 1);
            slot.axis = 0;
        }
        let is_short = slot.py.leaves.len() == 3 && slot.py.is_simple();
        if is_short {
            return slot;
        }
        self.shared(slot, uses, name)
    }

    /// The elements that a chain ending in a filter keeps.
    pub(crate) fn filter(&mut self, iter: &'a Iter) -> Py {
        let IterKind::Filter {
            input,
            lambda,
            lowering,
        } = &iter.kind
        else {
            return Py::name("None");
        };
        let wants = [Want {
            uses: 1,
            name: self.param_hint(lambda, lambda.params.first().copied().flatten()),
        }];
        let slots = self.filtered(input, lambda, lowering, &wants);
        let slot = slots.into_iter().flatten().next();
        slot.map_or_else(|| Py::name("None"), |mut slot| slot.take())
    }

    fn plain_body(
        &mut self,
        iter: &'a Iter,
        lambda: &'a Lambda,
        slots: Vec<Option<Slot>>,
        wants: &[Want],
    ) -> Py {
        let mut slots: Vec<Option<Slot>> = slots
            .into_iter()
            .zip(wants)
            .map(|(slot, want)| slot.map(|slot| self.led(slot, want.uses, &want.name)))
            .collect();
        self.plain_with(iter, lambda, &mut slots)
    }

    /// A plain body over tensors that have the iterated axis first. Names that it gives to the
    /// tensors stay in `slots`.
    fn plain_with(&mut self, iter: &'a Iter, lambda: &'a Lambda, slots: &mut [Option<Slot>]) -> Py {
        let whole = whole_indices(iter);
        for (at, param) in lambda.params.iter().enumerate() {
            let Some(param) = param else { continue };
            if at >= slots.len() || at >= whole.len() {
                break;
            }
            if let Some(slot) = slots[at].take() {
                self.slots.insert(*param, slot);
            }
            if whole[at] {
                self.whole.insert(*param);
            }
        }
        let vars: Set<LocalId> = lambda.params.iter().flatten().copied().collect();
        let py = self.plain(&lambda.body, &vars).py.tagged(lambda.span);
        for (at, param) in lambda.params.iter().enumerate() {
            let Some(param) = param else { continue };
            if at < slots.len() {
                slots[at] = self.slots.remove(param);
            }
            self.whole.remove(param);
        }
        py
    }

    fn vmapped(&mut self, iter: &'a Iter, lambda: &'a Lambda, slots: Vec<Option<Slot>>) -> Py {
        let mut slots = slots;
        self.vmapped_with(iter, lambda, &mut slots)
    }

    /// `torch.vmap(lambda row: body)(x)`
    fn vmapped_with(
        &mut self,
        iter: &'a Iter,
        lambda: &'a Lambda,
        slots: &mut [Option<Slot>],
    ) -> Py {
        let at = self.stage_word(iter, lambda);
        let used: Vec<(usize, LocalId)> = lambda
            .params
            .iter()
            .enumerate()
            .filter_map(|(at, param)| param.map(|param| (at, param)))
            .filter(|(at, param)| {
                slots.get(*at).is_some_and(Option::is_some)
                    && Self::count_uses(&lambda.body, *param) > 0
            })
            .collect();
        let mut args = Vec::new();
        let mut axes = Vec::new();
        for (at, _) in &used {
            if let Some(slot) = &mut slots[*at] {
                axes.push(slot.axis);
                args.push(Arg::from(slot.take()));
            }
        }
        let function = match self.named_function(lambda, &used) {
            Some(function) => function,
            None => self.lambda(lambda, &used),
        };
        let mut vmap = vec![Arg::from(function)];
        if axes.iter().any(|axis| *axis != 0) {
            let axes: Vec<Py> = axes.iter().map(|axis| Py::int(*axis as i64)).collect();
            let value = match axes.as_slice() {
                [axis] => axis.clone(),
                _ => Py::tuple(axes),
            };
            vmap.push(Arg::keyword("in_dims", value));
        }
        Py::path("torch.vmap", at).call(vmap).call(args)
    }

    /// The word `map` or `filter` of the stage.
    fn stage_word(&self, iter: &Iter, lambda: &Lambda) -> Option<strand_source::Span> {
        let start = iter.span.start.min(lambda.span.start);
        let before = strand_source::Span::new(start, lambda.span.start);
        let tokens = self.cx.source.within(before).iter().rev();
        let mut words = tokens.filter(|t| matches!(self.cx.source.spelling(**t), "map" | "filter"));
        words.next().map(|token| token.span)
    }

    /// The function itself, where the lambda only calls it on its parameters in order.
    fn named_function(&mut self, lambda: &'a Lambda, used: &[(usize, LocalId)]) -> Option<Py> {
        let (args, name, own) = match &lambda.body.kind {
            ExprKind::Call { function, args, .. }
                if !self.cx.takes_mode(*function)
                    && !self.cx.program.function(*function).is_method() =>
            {
                let own = &self.cx.program.function(*function).name;
                (
                    args,
                    self.cx.names.functions[function.0 as usize].clone(),
                    own,
                )
            }
            ExprKind::Extern { function, args, .. } => {
                let own = &self.cx.program.external(*function).name;
                (
                    args,
                    self.cx.names.externs[function.0 as usize].clone(),
                    own,
                )
            }
            _ => return None,
        };
        let is_param = |(arg, (_, param)): (&Expr, &(usize, LocalId))| matches!(arg.kind, ExprKind::Local(local) if local == *param);
        let fits = args.len() == used.len() && args.iter().zip(used).all(is_param);
        if let (true, ExprKind::Extern { function, .. }) = (fits, &lambda.body.kind) {
            self.cx.needs.externs.insert(function.0);
        }
        let at = self.cx.source.find(lambda.span, own);
        fits.then(|| Py::name(name).at(at))
    }

    fn lambda(&mut self, lambda: &'a Lambda, used: &[(usize, LocalId)]) -> Py {
        let mut params = Vec::new();
        let depth = self.lambda_names.len();
        for (_, param) in used {
            let name = if lambda.by_name {
                let hint = self.param_hint(lambda, Some(*param));
                let name = self.fresh(&hint);
                self.given.remove(&name);
                name
            } else {
                self.names.local(*param).to_owned()
            };
            let at = self.cx.source.find(
                strand_source::Span::new(lambda.span.start, lambda.body.span.start),
                &self.body.local(*param).name,
            );
            self.lambda_names.push(name.clone());
            let slot = Slot {
                py: Py::name(name.clone()),
                axis: 0,
                rank: 0,
                walrus: None,
            };
            self.slots.insert(*param, slot);
            params.push((name, at));
        }
        self.lambdas += 1;
        let body = self.confine(|w| w.expr(&lambda.body));
        let dtype = lambda.body.ty.tensor().map_or(DType::Bool, |ty| ty.dtype);
        let body = self.lifted(body, &lambda.body.ty, dtype);
        self.lambdas -= 1;
        for (_, param) in used {
            self.slots.remove(param);
        }
        self.lambda_names.truncate(depth);
        Py::lambda(params, body).tagged(lambda.span)
    }
}

/// The tensor with an axis first.
fn led(py: Py, axis: usize, rank: usize) -> Py {
    if rank == 2 && axis == 1 {
        return permuted(py, &[1, 0]);
    }
    py.method("movedim", None, vec![Py::int(axis as i64), Py::int(0)])
}
