//! Values: variables, sizes, calls whose arguments are filled with what is there.

use strand_ir::{ModelId, Parameter, TensorType, Type};
use strand_ops::{Class as OpClass, Default as Given, OPS, Op, ParamKind, View};
use strand_source::float_literal;
use strand_syntax::ast::Name;

use super::offers::{Class, Offer, Offers};
use super::stages::{class_of, commonness, number};
use super::{Ground, ItemKind};

/// How many variables a call's first argument is tried with.
const FIRST_ARGUMENTS: usize = 3;
/// Built-ins below this rank are offered before something is written.
const UNASKED: u32 = 26;

/// A function of the program, or an extern one.
pub(super) struct Callable<'g> {
    pub name: &'g str,
    pub params: &'g [Parameter],
    pub signature: String,
}

impl Ground<'_> {
    /// The tensors in scope, those bound last first.
    pub(super) fn tensors(&self) -> impl Iterator<Item = (&Name, &TensorType)> {
        let variables = self.known.variables.iter();
        variables.filter_map(|(name, ty)| Some((name, ty.tensor()?)))
    }

    /// The functions that may be called by name.
    pub(super) fn callables(&self) -> Vec<Callable<'_>> {
        let own = self.program.functions.iter().filter(|f| !f.is_method());
        let own = own.map(|function| Callable {
            name: &function.name,
            params: &function.params,
            signature: function.signature.clone(),
        });
        let foreign = self.program.externs.iter().map(|external| Callable {
            name: &external.name,
            params: &external.params,
            signature: self.signature(&external.name, &external.params, external.result.as_ref()),
        });
        let around = self.known.function.as_deref();
        own.chain(foreign)
            .filter(|callable| Some(callable.name) != around)
            .collect()
    }

    fn signature(&self, name: &str, params: &[Parameter], result: Option<&Type>) -> String {
        let param = |param: &Parameter| match &param.ty {
            Some(ty) => format!("{}: {}", param.name, self.show(ty)),
            None => param.name.to_string(),
        };
        let params: Vec<String> = params.iter().map(param).collect();
        let result = result.map_or_else(String::new, |ty| format!(" -> {}", self.show(ty)));
        format!("fn {name}({}){result}", params.join(", "))
    }

    /// Arguments for parameters, from what is in scope: the first tensor is tried with several.
    /// Parameters with a default are left out.
    pub(super) fn fills(&self, params: &[Parameter], first: Option<&str>) -> Vec<String> {
        let mut fills = vec![Vec::new()];
        for param in params.iter().filter(|param| param.default.is_none()) {
            let mut values = self.arguments_for(param);
            if fills.len() > 1 || first.is_some() {
                values.truncate(1);
            }
            let word = if param.mutable { "mut " } else { "" };
            fills = fills
                .iter()
                .flat_map(|fill: &Vec<String>| {
                    values.iter().map(move |value| {
                        let mut fill = fill.clone();
                        fill.push(format!("{word}{{{value}}}"));
                        fill
                    })
                })
                .collect();
        }
        fills.iter().map(|fill| fill.join(", ")).collect()
    }

    /// What may be given for a parameter, the likeliest first.
    fn arguments_for(&self, param: &Parameter) -> Vec<String> {
        let of = |fits: &dyn Fn(&Type) -> bool| -> Vec<String> {
            let variables = self.known.variables.iter().filter(|(_, ty)| fits(ty));
            variables.map(|(name, _)| name.to_string()).collect()
        };
        let mut found = match &param.ty {
            Some(Type::Tensor(wanted)) => {
                let mut found = of(&|ty| {
                    let tensor = ty.tensor();
                    tensor.is_some_and(|t| t.rank() == wanted.rank() && t.dtype == wanted.dtype)
                });
                if wanted.rank() == 0 {
                    found.push(number(wanted.dtype, "1"));
                } else if found.is_empty() {
                    let shape = wanted.display(&self.program.symbols);
                    found.push(format!("zeros({shape})"));
                }
                found
            }
            Some(Type::Host(host)) => {
                let mut found = of(&|ty| *ty == Type::Host(*host));
                found.push(
                    match host.as_str() {
                        "int" => "1",
                        "float" => "0.5",
                        "bool" => "true",
                        _ => "\"text\"",
                    }
                    .to_owned(),
                );
                found
            }
            Some(wanted) => of(&|ty| ty == wanted),
            None => of(&|ty| ty.tensor().is_some()),
        };
        // One of the parameter's own name first.
        strand_source::sort_by_key(&mut found, |value| **value != *param.name);
        found.truncate(FIRST_ARGUMENTS);
        found
    }

    pub(super) fn values(&self, offers: &mut Offers) {
        self.variables(offers);
        self.own_sizes(offers);
        self.own_calls(offers);
        self.models(offers);
        self.chains(offers);
        self.constructors(offers);
        self.built_ins(offers);
        for word in ["true", "false"] {
            let offer = Offer::new(ItemKind::Keyword, word).doc("A truth value.");
            offers.push(offer.weight(70));
        }
    }

    fn variables(&self, offers: &mut Offers) {
        for (at, (name, ty)) in self.known.variables.iter().enumerate() {
            let offer = Offer::new(ItemKind::Variable, name);
            let offer = offer.detail(self.show(ty)).weight(at.min(9) as u32);
            offers.push(offer.class(Class::Variable));
            if let Type::Model(model) = ty {
                self.model_parts(name, *model, offers);
            }
        }
        for import in &self.program.imports {
            let offer = Offer::new(ItemKind::Variable, &import.name);
            offers.push(
                offer
                    .doc(format!("The Python module {}.", import.module))
                    .weight(30),
            );
        }
    }

    /// What a model holds, and its call.
    fn model_parts(&self, name: &str, model: ModelId, offers: &mut Offers) {
        let model = self.program.model(model);
        for (at, field) in model.fields.iter().enumerate() {
            let offer = Offer::new(ItemKind::Field, &format!("{name}.{}", field.name));
            let offer = offer
                .detail(self.show(&field.ty))
                .weight(10 + at.min(9) as u32);
            offers.push(offer.class(Class::Variable));
        }
        for id in &model.methods {
            let method = self.program.function(*id);
            let params = method.params.get(1..).unwrap_or_default();
            for fill in self.fills(params, None) {
                let call = match &*method.name {
                    "forward" => format!("{name}({fill})"),
                    other => format!("{name}.{other}({fill})"),
                };
                let offer = Offer::new(ItemKind::Method, &call);
                offers.push(offer.doc(method.signature.clone()).weight(12));
            }
        }
    }

    fn own_sizes(&self, offers: &mut Offers) {
        for axis in &self.known.axis_names {
            let offer = Offer::new(ItemKind::Axis, axis).detail("int");
            offers.push(offer.doc("An axis name: its size here.").weight(24));
        }
        for dim in &self.program.dims {
            let name = self.program.symbols.name(dim.symbol);
            let value = self.program.symbols.dim_value(dim.symbol);
            let value = value.map_or_else(String::new, |value| format!("A dim: {value}."));
            let offer = Offer::new(ItemKind::Size, name).detail("int").doc(value);
            offers.push(offer.weight(25));
        }
    }

    fn own_calls(&self, offers: &mut Offers) {
        for function in self.callables() {
            for fill in self.fills(function.params, None) {
                let call = format!("{}({fill})", function.name);
                let offer = Offer::new(ItemKind::Function, &call)
                    .doc(function.signature.clone())
                    .class(Class::Call(function.name.to_owned()));
                offers.push(offer.weight(14));
            }
        }
    }

    fn models(&self, offers: &mut Offers) {
        for model in &self.program.models {
            let offer = Offer::new(ItemKind::Function, &format!("{}(seed={{0}})", model.name));
            offers.push(offer.doc("A model with drawn weights.").weight(22));
        }
    }

    /// `n |> map(i => x[i])`
    fn chains(&self, offers: &mut Offers) {
        let index = self.fresh(&["i", "j", "k"]);
        for (name, tensor) in self.tensors().take(FIRST_ARGUMENTS) {
            let Some(axis) = tensor.axes.first().and_then(|axis| axis.name) else {
                continue;
            };
            let size = self.program.symbols.name(axis);
            let template = format!("{size} |> map({index} => {{{name}[{index}]}})");
            let offer = Offer::new(ItemKind::Stage, &template);
            offers.push(offer.doc("A tensor, element by element.").weight(23));
        }
    }

    fn constructors(&self, offers: &mut Offers) {
        let wanted = self.known.wanted.as_ref().and_then(Type::tensor);
        let nearest = self.tensors().next().map(|(_, tensor)| tensor);
        let shape = wanted
            .or(nearest)
            .map(|t| t.display_shape(&self.program.symbols));
        let shape = shape.unwrap_or_else(|| "[3]".to_owned());
        let dtype = wanted.map_or(strand_ops::DType::F32, |tensor| tensor.dtype);
        let ty = match wanted {
            Some(tensor) if dtype != strand_ops::DType::F32 => format!("{shape} {}", tensor.dtype),
            _ => shape,
        };
        let value = number(dtype, "0");
        let makes = |op: &&Op| matches!(op.class, OpClass::Construct | OpClass::Draw);
        for op in OPS.iter().filter(makes) {
            let needed = op.params.iter();
            let needed = needed.filter(|param| param.default == Given::Required);
            let given = needed.map(|param| match (param.kind, param.name) {
                (ParamKind::Value, _) => Some(format!(", {{{value}}}")),
                (_, "seed") => Some(", seed={0}".to_owned()),
                _ => None,
            });
            let Some(given) = given.collect::<Option<String>>() else {
                continue;
            };
            let call = format!("{}({{{ty}}}{given})", op.name);
            let offer = Offer::new(ItemKind::Function, &call);
            offers.push(offer.doc(op.doc).weight(27));
        }
        let axes = self.known.axis_names.iter().map(|name| name.to_string());
        let dims = self.program.dims.iter();
        let dims = dims.map(|dim| self.program.symbols.name(dim.symbol).to_owned());
        for size in axes.chain(dims).chain(["10".to_owned()]).take(4) {
            let doc = strand_ops::find("arange").map_or("", |op| op.doc);
            let offer = Offer::new(ItemKind::Function, &format!("arange({{{size}}})"));
            offers.push(offer.doc(doc).weight(28));
        }
    }

    fn built_ins(&self, offers: &mut Offers) {
        for op in OPS {
            let weight = commonness(op);
            let asked = offers.is_begun() || weight < UNASKED;
            if strand_ops::find(op.name).is_none() || !asked {
                continue;
            }
            for (name, tensor) in self.tensors().take(FIRST_ARGUMENTS) {
                self.calls_of(op, name, tensor, &mut |call, more| {
                    let offer = Offer::new(ItemKind::Function, call);
                    let offer = offer.doc(op.doc).class(class_of(op));
                    offers.push(offer.weight(20 + weight + more));
                });
            }
        }
    }

    /// A built-in's calls with one tensor as its first argument.
    fn calls_of(&self, op: &Op, name: &str, tensor: &TensorType, push: &mut dyn FnMut(&str, u32)) {
        let called = op.name;
        let overs = |push: &mut dyn FnMut(&str, u32)| {
            for at in (0..tensor.rank()).rev() {
                let axis = self.axis_text(tensor, at);
                push(&format!("{called}({{{name}}}, over={{{axis}}})"), 0);
            }
        };
        match op.class {
            OpClass::Elementwise { arity: 1 } | OpClass::Transpose => {
                push(&format!("{called}({{{name}}})"), 0);
            }
            OpClass::Elementwise { .. } => self.second_arguments(op, tensor, &mut |rest| {
                push(&format!("{called}({{{name}}}, {rest})"), 10);
            }),
            OpClass::Reduce { .. } | OpClass::ArgReduce => {
                if tensor.rank() > 1 {
                    overs(push);
                }
                push(&format!("{called}({{{name}}})"), 1);
            }
            OpClass::Along if tensor.rank() > 1 => overs(push),
            OpClass::Along => push(&format!("{called}({{{name}}})"), 0),
            OpClass::Dropout => push(&format!("{called}({{{name}}}, p={{0.5}})"), 0),
            OpClass::Effect(_) if matches!(called, "print" | "item" | "show") => {
                push(&format!("{called}({{{name}}})"), 0);
            }
            _ => {}
        }
    }

    pub(super) fn index(&self, offers: &mut Offers) {
        for (text, doc) in [
            ("0", "The first."),
            ("-1", "The last."),
            ("..", "All of the axis."),
            ("0..1", "A slice."),
            ("newaxis", "A new axis of size 1."),
            ("...", "All the axes between."),
        ] {
            let offer = Offer::new(ItemKind::Keyword, text).detail("");
            offers.push(offer.doc(doc).weight(30));
        }
    }

    pub(super) fn arguments(&self, path: &[Name], given: &[Name], offers: &mut Offers) {
        if let [name] = path
            && matches!(&**name, "map" | "filter")
        {
            self.lambdas(name, offers);
        }
        self.keywords(path, given, offers);
        self.values(offers);
    }

    fn lambdas(&self, name: &str, offers: &mut Offers) {
        let part = self.fresh(&["v", "u", "e"]);
        let bodies: &[&str] = match name {
            "map" => &["{}", "{} * 2.0", "sum({})"],
            _ => &["{} > 0.0", "sum({}) > 0.0", "{} > 0", "{}"],
        };
        for (at, body) in bodies.iter().enumerate() {
            let body = body.replace("{}", &part);
            let offer = Offer::new(ItemKind::Stage, &format!("{{{part}}} => {{{body}}}"));
            let doc = "A function of one element.";
            offers.push(offer.doc(doc).weight(at as u32));
        }
        for op in OPS {
            let plain = matches!(
                op.class,
                OpClass::Elementwise { arity: 1 } | OpClass::Reduce { .. }
            );
            if plain && strand_ops::find(op.name).is_some() {
                let offer = Offer::new(ItemKind::Function, op.name).doc(op.doc);
                offers.push(offer.class(class_of(op)).weight(commonness(op)));
            }
        }
        for function in self.callables() {
            if function.params.len() == 1 {
                let offer = Offer::new(ItemKind::Function, function.name);
                let offer = offer.doc(function.signature).weight(5);
                offers.push(offer.class(Class::Call(function.name.to_owned())));
            }
        }
    }

    /// Keywords of what is called that aren't given yet.
    fn keywords(&self, path: &[Name], given: &[Name], offers: &mut Offers) {
        let [name] = path else { return };
        let is_given = |name: &str| given.iter().any(|given| &**given == name);
        let mut push = |template: String, doc: &str, detail: &str| {
            let offer = Offer::new(ItemKind::Keyword, &template);
            offers.push(offer.doc(doc).detail(detail).weight(3));
        };
        let stage = strand_ops::stage(name).is_some();
        let own = self.callables().into_iter().find(|own| own.name == &**name);
        let op = strand_ops::find(name).filter(|_| own.is_none());
        if (stage || op.is_some_and(Op::takes_over)) && !is_given("over") {
            let dims = self.program.dims.iter();
            let dims = dims.map(|dim| self.program.symbols.name(dim.symbol));
            let axes = self.known.axis_names.iter().map(|name| &**name);
            for axis in axes.chain(dims) {
                push(
                    format!("over={{{axis}}}"),
                    "The axis that it works over.",
                    "axis",
                );
            }
            push("over={-1}".to_owned(), "The last axis.", "axis");
        }
        for param in op.map(|op| op.params).unwrap_or_default() {
            if param.kind == ParamKind::Over || is_given(param.name) {
                continue;
            }
            if param.kind == ParamKind::Text {
                for view in View::ALL {
                    let template = format!("{}={{\"{}\"}}", param.name, view.name());
                    push(template, view.doc(), "view");
                }
                continue;
            }
            if param.kind == ParamKind::Tensor {
                for (name, tensor) in self.tensors().take(FIRST_ARGUMENTS) {
                    let template = format!("{}={{{name}}}", param.name);
                    push(template, "", &self.show(&Type::Tensor(tensor.clone())));
                }
                continue;
            }
            let (value, detail) = match (param.kind, param.default) {
                (ParamKind::Int, Given::Absent) => ("10".to_owned(), "int"),
                (ParamKind::Int, _) => ("0".to_owned(), "int"),
                (_, Given::Number(value)) => (float_literal(value), "float"),
                _ => ("1.0".to_owned(), "float"),
            };
            push(format!("{}={{{value}}}", param.name), "", detail);
        }
        for param in own.map(|own| own.params).unwrap_or_default() {
            if is_given(&param.name) {
                continue;
            }
            let shown = param
                .ty
                .as_ref()
                .map_or_else(String::new, |ty| self.show(ty));
            for value in self.arguments_for(param).iter().take(1) {
                push(format!("{}={{{value}}}", param.name), "", &shown);
            }
        }
        if self.program.models.iter().any(|model| model.name == *name) && !is_given("seed") {
            push("seed={0}".to_owned(), "Where its draws start.", "int");
        }
    }
}
