//! What a value can be piped into.

use strand_ir::{TensorType, Type};
use strand_ops::{Class as OpClass, DType, DTypeRule, Effect, OPS, Op, View};

use super::offers::{Class, Offer, Offers};
use super::{Ground, ItemKind};

/// The rank of a built-in by how often programs use it.
pub(super) fn commonness(op: &Op) -> u32 {
    10 + op.traits.rarity
}

/// The proof that a built-in's offers may share.
pub(super) fn class_of(op: &Op) -> Class {
    match op.effect() {
        Some(_) => Class::Own,
        None => Class::Pure(op.is_elementwise()),
    }
}

impl Ground<'_> {
    pub(super) fn stages(&self, offers: &mut Offers) {
        let Some(value) = &self.known.value else {
            return;
        };
        self.iterators(value, offers);
        if self.known.parts > 0 {
            return;
        }
        if let Type::Tensor(tensor) = value {
            self.built_in_stages(tensor, offers);
            self.conversion_stages(tensor, offers);
        }
        self.own_stages(offers);
    }

    /// How `over=` names the axis at a place: by its name, else from the end.
    pub(super) fn axis_text(&self, tensor: &TensorType, at: usize) -> String {
        let back = || format!("-{}", tensor.rank() - at);
        let Some(name) = tensor.axes.get(at).and_then(|axis| axis.name) else {
            return back();
        };
        let same = tensor.axes.iter().filter(|axis| axis.name == Some(name));
        match same.count() {
            1 => self.program.symbols.name(name).to_owned(),
            _ => back(),
        }
    }

    /// `over=` of each axis where a stage must be told, else nothing.
    fn overs(&self, tensor: &TensorType) -> Vec<String> {
        let named = |at| format!("over={}", self.axis_text(tensor, at));
        (0..tensor.rank()).map(named).collect()
    }

    fn iterators(&self, value: &Type, offers: &mut Offers) {
        let stage = |template: &str, weight| {
            let name = template.split(['(', ' ']).next().unwrap_or("");
            let doc = strand_ops::stage(name).map_or("", |stage| stage.doc);
            let offer = Offer::new(ItemKind::Stage, template);
            let label = offer.insert.replace(" |> map((i, v) => v)", "");
            let label = if name == "enumerate" {
                label
            } else {
                offer.insert.clone()
            };
            offer.label(label).doc(doc).weight(weight).goes_on()
        };
        if self.known.parts > 1 {
            for body in ["a * b", "a + b", "a"] {
                let template = match self.known.parts {
                    2 => format!("map(({{a}}, {{b}}) => {{{body}}})"),
                    _ => format!("map(({{a}}, {{b}}, {{c}}) => {{{body}}})"),
                };
                offers.push(stage(&template, 1));
            }
            let template = match self.known.parts {
                2 => "filter(({a}, {b}) => {a > b})",
                _ => "filter(({a}, {b}, {c}) => {a > b})",
            };
            offers.push(stage(template, 3));
            return;
        }
        let Type::Tensor(tensor) = value else { return };
        let elements = self.known.parts == 1;
        let overs = match tensor.rank() {
            _ if elements => vec![String::new()],
            1 => vec![String::new()],
            _ => self
                .overs(tensor)
                .iter()
                .map(|o| format!(", {o}"))
                .collect(),
        };
        let part = match (elements, tensor.rank()) {
            (true, _) => self.fresh(&["i", "j", "k"]),
            (_, 0 | 1) => self.fresh(&["v", "u", "e"]),
            _ => self.fresh(&["row", "r", "part"]),
        };
        for (at, over) in overs.iter().enumerate() {
            let more = 30 * at as u32;
            if elements {
                for (name, ty) in self.tensors() {
                    let first = ty.axes.first();
                    let iterated = tensor.axes.first();
                    if first.is_some() && first.map(|a| &a.size) == iterated.map(|a| &a.size) {
                        let template = format!("map({{{part}}} => {{{name}[{part}]}})");
                        offers.push(stage(&template, 0));
                    }
                }
            }
            let template = format!("map({{{part}}} => {{{part}}}{over})");
            offers.push(stage(&template, 1 + more));
            let test = match (tensor.dtype, tensor.rank()) {
                (DType::Bool, 1) => part.clone(),
                (DType::Bool, _) => format!("any({part})"),
                (dtype, 1) if dtype.is_float() => format!("{part} > 0.0"),
                (_, 1) => format!("{part} > 0"),
                (dtype, _) if dtype.is_float() => format!("sum({part}) > 0.0"),
                _ => format!("sum({part}) > 0"),
            };
            offers.push(stage(
                &format!("filter({{{part}}} => {{{test}}}{over})"),
                8 + more,
            ));
            let over_alone = over
                .strip_prefix(", ")
                .map_or(String::new(), |o| format!("({o})"));
            let template = format!("enumerate{over_alone} |> map((i, v) => v)");
            offers.push(stage(&template, 16 + more));
            for (name, _) in self.tensors().filter(|(_, ty)| ty.rank() == 1).take(4) {
                let template = format!("zip({{{name}}}{over}) |> map((a, b) => {{a * b}})");
                offers.push(stage(&template, 9 + more));
            }
            // Where stages follow, pairs may be left.
            offers.push(stage(&format!("enumerate{over_alone}"), 16 + more));
        }
    }

    /// A name for a lambda's parameter that no dim or axis has.
    pub(super) fn fresh(&self, names: &[&str]) -> String {
        let taken = |name: &&&str| {
            let axis = self.known.axis_names.iter().any(|axis| &**axis == **name);
            let mut dims = self.program.dims.iter();
            axis || dims.any(|dim| self.program.symbols.name(dim.symbol) == **name)
        };
        let free = names.iter().find(|name| !taken(name));
        free.or(names.first())
            .map_or_else(String::new, |name| (*name).to_owned())
    }

    fn built_in_stages(&self, tensor: &TensorType, offers: &mut Offers) {
        for op in OPS {
            if strand_ops::find(op.name).is_none() || !takes(op, tensor.dtype) {
                continue;
            }
            let weight = commonness(op);
            let mut push = |arguments: &str, weight: u32| {
                let offer = Offer::new(ItemKind::Function, &format!("{}{arguments}", op.name));
                offers.push(
                    offer
                        .doc(op.doc)
                        .class(class_of(op))
                        .weight(weight)
                        .goes_on(),
                );
            };
            match op.class {
                OpClass::Elementwise { arity: 1 } | OpClass::Transpose => push("", weight),
                OpClass::Elementwise { .. } => {
                    self.second_arguments(op, tensor, &mut |arguments| {
                        push(&format!("({arguments})"), weight + 20);
                    })
                }
                OpClass::Reduce { .. } | OpClass::ArgReduce => {
                    if tensor.rank() > 1 {
                        for at in 0..tensor.rank() {
                            let over = format!("(over={{{}}})", self.axis_text(tensor, at));
                            push(&over, weight + 8 * at as u32);
                        }
                    }
                    push("", weight + 8 * u32::from(tensor.rank() > 1));
                }
                OpClass::Along if tensor.rank() > 1 => {
                    for at in (0..tensor.rank()).rev() {
                        let over = format!("(over={{{}}})", self.axis_text(tensor, at));
                        push(&over, weight + 8 * (tensor.rank() - 1 - at) as u32);
                    }
                }
                OpClass::Along => push("", weight),
                OpClass::Dropout => push("(p={0.5})", weight),
                OpClass::Effect(Effect::Show) => {
                    push("", weight);
                    for view in View::ALL {
                        push(&format!("(view={{\"{}\"}})", view.name()), weight + 1);
                    }
                }
                _ => {}
            }
        }
    }

    /// The arguments after the first of a built-in of several tensors.
    pub(super) fn second_arguments(
        &self,
        op: &Op,
        tensor: &TensorType,
        push: &mut dyn FnMut(&str),
    ) {
        let arity = op.tensors().unwrap_or(0);
        let bits =
            matches!(op.dtype, DTypeRule::Bits | DTypeRule::Bool) || op.name.starts_with("logical");
        if arity == 2 && !bits {
            push(&format!("{{{}}}", number(tensor.dtype, "1")));
        }
        if op.name == "clamp" {
            let (low, high) = (number(tensor.dtype, "0"), number(tensor.dtype, "1"));
            push(&format!("{{{low}}}, {{{high}}}"));
        }
        let alike = self
            .tensors()
            .filter(|(_, ty)| ty.dtype == tensor.dtype && ty.rank() == tensor.rank());
        if arity == 2 {
            for (name, _) in alike.take(3) {
                push(&format!("{{{name}}}"));
            }
        } else if op.name == "where" {
            for (name, _) in self.tensors().filter(|(_, ty)| ty.dtype.is_float()).take(2) {
                push(&format!("{{{name}}}, {{0.0}}"));
            }
        }
    }

    fn conversion_stages(&self, tensor: &TensorType, offers: &mut Offers) {
        for target in self.targets(&Type::Tensor(tensor.clone())) {
            let offer = Offer::new(ItemKind::Stage, &format!("to {target}"));
            let doc = "Converts the dtype or domain, or rearranges the axes.";
            offers.push(offer.doc(doc).weight(40).goes_on());
        }
        let shape = tensor.display_shape(&self.program.symbols);
        let offer = Offer::new(ItemKind::Stage, &format!("as {{{shape}}}"));
        let doc = "States a shape: names axes and checks their sizes.";
        offers.push(offer.doc(doc).weight(50).goes_on());
    }

    /// Functions of the program, and models that are values.
    fn own_stages(&self, offers: &mut Offers) {
        for function in self.callables() {
            let Some((_, rest)) = function.params.split_first() else {
                continue;
            };
            for arguments in self.fills(rest, None) {
                let call = match arguments.is_empty() {
                    true => function.name.to_owned(),
                    false => format!("{}({arguments})", function.name),
                };
                let offer = Offer::new(ItemKind::Function, &call)
                    .doc(function.signature.clone())
                    .class(Class::Call(function.name.to_owned()));
                offers.push(offer.weight(2).goes_on());
            }
        }
        for (name, ty) in &self.known.variables {
            if let Type::Model(_) = ty {
                let offer = Offer::new(ItemKind::Variable, name);
                offers.push(offer.doc("Runs the model's forward.").weight(2).goes_on());
            }
        }
    }
}

/// A number as a literal of a dtype.
pub(super) fn number(dtype: DType, digits: &str) -> String {
    match dtype.is_float() {
        true => format!("{digits}.0"),
        false => digits.to_owned(),
    }
}

/// Whether a dtype may go into an operation.
fn takes(op: &Op, dtype: DType) -> bool {
    match op.dtype {
        DTypeRule::Float | DTypeRule::FloatToBool => dtype.is_float(),
        DTypeRule::Number | DTypeRule::Order => dtype != DType::Bool,
        DTypeRule::Bits => !dtype.is_float(),
        DTypeRule::Bool | DTypeRule::Where => dtype == DType::Bool,
        _ => true,
    }
}
