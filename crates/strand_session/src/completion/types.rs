//! Types, sizes, axes and fields.

use strand_ir::{Axis, FunctionKind, TensorType, Type};
use strand_ops::DType;
use strand_source::{Span, continues_name};
use strand_syntax::ast::Conversion;

use super::offers::{Class, Offer, Offers};
use super::{Ground, ItemKind};

/// Dtypes by how often programs use them.
const DTYPES: [DType; 10] = [
    DType::F32,
    DType::I64,
    DType::Bool,
    DType::F64,
    DType::I32,
    DType::F16,
    DType::BF16,
    DType::U8,
    DType::I16,
    DType::I8,
];

/// What the values of floats may be said to be.
const DOMAINS: [&str; 4] = ["Prob", "Positive", "NonNegative", "Finite"];
/// What an index's values are.
const INDEX: &str = "Each is the place of an element along that axis.";

impl Ground<'_> {
    /// `over=`: exactly the value's axes.
    pub(super) fn axes(&self, offers: &mut Offers) {
        let Some(Type::Tensor(tensor)) = &self.known.value else {
            return;
        };
        for at in 0..tensor.rank() {
            let text = self.axis_text(tensor, at);
            let place = strand_ir::axis_place(at, tensor.rank());
            let offer = Offer::new(ItemKind::Axis, &text);
            offers.push(offer.doc(format!("The {place}.")).weight(at as u32));
        }
    }

    /// What a value may be converted to, as written after `to`.
    pub(super) fn targets(&self, value: &Type) -> Vec<String> {
        let (dtype, axes) = match value {
            Type::Tensor(tensor) => (Some(tensor.dtype), tensor.axes.as_slice()),
            Type::Host(_) => (None, &[] as &[Axis]),
            _ => return Vec::new(),
        };
        let mut targets = Vec::new();
        let display = |axis: &Axis| axis.display(&self.program.symbols);
        if axes.len() == 2 || axes.len() == 3 {
            for order in permutations(axes.len()) {
                let names: Vec<String> = order.iter().map(|at| display(&axes[*at])).collect();
                targets.push(format!("[{}]", names.join(" ")));
            }
            targets.remove(0);
        }
        for other in DTYPES.iter().filter(|other| Some(**other) != dtype) {
            targets.push(other.to_string());
        }
        if dtype.is_some_and(DType::is_float) {
            targets.extend(DOMAINS.map(str::to_owned));
        }
        if dtype.is_some_and(DType::is_int) {
            let names = self.known.axis_names.iter().map(|name| name.to_string());
            let dims = self.program.dims.iter();
            let dims = dims.map(|dim| self.program.symbols.name(dim.symbol).to_owned());
            targets.extend(names.chain(dims).map(|name| format!("Index[{{{name}}}]")));
        }
        if axes.len() > 1 {
            let sizes: Vec<String> = axes.iter().map(display).collect();
            targets.push(format!("[({})]", sizes.join(" * ")));
            targets.push(format!("[{} 1]", sizes.join(" ")));
        } else if let [axis] = axes {
            targets.push(format!("[{} 1]", display(axis)));
            targets.push(format!("[1 {}]", display(axis)));
        }
        targets
    }

    pub(super) fn conversions(&self, how: Conversion, offers: &mut Offers) {
        let Some(value) = &self.known.value else {
            return;
        };
        let mut push = |template: &str, weight: usize, doc: &str| {
            let offer = Offer::new(ItemKind::Type, template);
            offers.push(offer.doc(doc).weight(weight as u32).goes_on());
        };
        match (how, value) {
            (Conversion::To, value) => {
                for (at, target) in self.targets(value).iter().enumerate() {
                    let doc = match target.starts_with('[') {
                        true => "Rearranges the axes.",
                        false => "Converts the values.",
                    };
                    push(target, at, doc);
                }
            }
            (Conversion::As, Type::Tensor(tensor)) => {
                let doc = "States the shape: names its axes and checks their sizes.";
                for (at, shape) in self.statements_of(tensor).iter().enumerate() {
                    push(shape, at, doc);
                }
            }
            (Conversion::As, Type::Py) => {
                for (at, shape) in self.shapes().iter().enumerate() {
                    push(shape, at, "States what the Python value is.");
                }
            }
            _ => {}
        }
    }

    /// Shapes that a tensor may be stated to have: unknown sizes get names, known ones others.
    fn statements_of(&self, tensor: &TensorType) -> Vec<String> {
        let symbols = &self.program.symbols;
        let mut free = ["k", "m", "n", "p", "q"].into_iter().filter(|name| {
            let mut taken = self.known.axis_names.iter().map(|axis| &**axis);
            let mut bound = self.known.variables.iter().map(|(name, _)| &**name);
            !taken.any(|axis| axis == *name) && !bound.any(|bound| bound == *name)
        });
        let named: Vec<String> = tensor
            .axes
            .iter()
            .map(|axis| match axis.name {
                Some(_) => axis.display(symbols),
                None if axis.size.as_constant().is_some() => axis.display(symbols),
                None => free.next().unwrap_or("k").to_owned(),
            })
            .collect();
        let holes: Vec<String> = named.iter().map(|axis| format!("{{{axis}}}")).collect();
        let mut shapes = vec![format!("[{}]", holes.join(" "))];
        for (at, axis) in tensor.axes.iter().enumerate() {
            let value = axis.size.ground(symbols);
            for dim in &self.program.dims {
                let name = symbols.name(dim.symbol);
                let same = symbols.dim_value(dim.symbol) == value.as_constant();
                if same && value.as_constant().is_some() && named[at] != name {
                    let mut axes = named.clone();
                    axes[at] = format!("{{{name}}}");
                    shapes.push(format!("[{}]", axes.join(" ")));
                }
            }
        }
        shapes
    }

    /// The names of sizes that a shape here may use.
    fn size_names(&self) -> Vec<(String, String)> {
        let symbols = &self.program.symbols;
        let mut names: Vec<(String, String)> = Vec::new();
        let mut add = |name: &str, what: String| {
            let marker = self.caret.marker.text(&self.caret.marked);
            if name != marker && !names.iter().any(|(known, _)| known == name) {
                names.push((name.to_owned(), what));
            }
        };
        for axis in &self.known.axis_names {
            add(axis, "axis".to_owned());
        }
        for axis in self.signature_names() {
            add(&axis, "axis".to_owned());
        }
        for dim in &self.program.dims {
            let value = symbols.dim_value(dim.symbol).unwrap_or_default();
            add(symbols.name(dim.symbol), value.to_string());
        }
        for function in &self.program.functions {
            for axis in &function.axis_names {
                add(symbols.name(*axis), "axis".to_owned());
            }
        }
        add("n", "axis".to_owned());
        names
    }

    /// The axis names in the signature that the caret stands in.
    fn signature_names(&self) -> Vec<String> {
        let before = self.text.get(..self.caret.replaced.start as usize);
        let line = before.and_then(|before| before.rfind("fn ")).unwrap_or(0);
        let start = Span::new(line as u32, self.caret.replaced.start);
        let mut names = Vec::new();
        let text = start.text(self.text);
        let words = |c: char| !continues_name(c);
        for shape in text.split('[').skip(1) {
            let shape = shape.split(']').next().unwrap_or("");
            let axes = shape
                .split(words)
                .filter(|word| word.starts_with(|c: char| c.is_lowercase()) && !self.is_word(word));
            names.extend(axes.map(str::to_owned));
        }
        names
    }

    fn is_word(&self, word: &str) -> bool {
        DType::parse(word).is_some()
    }

    pub(super) fn sizes(&self, offers: &mut Offers) {
        for (at, (name, what)) in self.size_names().into_iter().enumerate() {
            let kind = if what == "axis" {
                ItemKind::Axis
            } else {
                ItemKind::Size
            };
            let offer = Offer::new(kind, &name).detail(what).weight(at as u32);
            offers.push(offer);
        }
    }

    /// Shapes of the sizes that are known here.
    fn shapes(&self) -> Vec<String> {
        let names: Vec<String> = self
            .size_names()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let mut shapes: Vec<String> = Vec::new();
        for first in names.iter().take(3) {
            shapes.push(format!("[{{{first}}}]"));
        }
        for first in names.iter().take(3) {
            for second in names.iter().take(3).filter(|second| *second != first) {
                shapes.push(format!("[{{{first}}} {{{second}}}]"));
            }
        }
        shapes.push("[]".to_owned());
        shapes
    }

    pub(super) fn types(&self, offers: &mut Offers) {
        let mut all = self.shapes();
        let model = |model: &strand_ir::Model| model.name.to_string();
        all.extend(self.program.models.iter().map(model));
        all.extend(["int", "float", "bool", "str"].map(str::to_owned));
        for (at, ty) in all.iter().enumerate() {
            let offer = Offer::new(ItemKind::Type, ty).detail("");
            offers.push(offer.weight(at as u32));
        }
    }

    /// Dtypes and domains after a shape; only domains after a dtype.
    pub(super) fn elements(&self, dtype: Option<&str>, offers: &mut Offers) {
        let names: Vec<String> = self
            .size_names()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let written = dtype.and_then(DType::parse);
        let mut all: Vec<(String, &str)> = Vec::new();
        let index = |prefix: &str, name: &String| (format!("{prefix}Index[{{{name}}}]"), INDEX);
        if dtype.is_none() {
            all.push(("i64".to_owned(), "Whole numbers."));
            all.extend(names.iter().map(|name| index("i64 ", name)));
            let others = DTYPES.iter().filter(|dtype| **dtype != DType::I64);
            all.extend(others.map(|dtype| (dtype.to_string(), "")));
        } else if written.is_some_and(DType::is_int) {
            all.extend(names.iter().map(|name| index("", name)));
        }
        if dtype.is_none() || written.is_some_and(DType::is_float) {
            all.extend(DOMAINS.map(|domain| (domain.to_owned(), "Its values are checked.")));
        }
        for (at, (text, doc)) in all.iter().enumerate() {
            let offer = Offer::new(ItemKind::Type, text).detail("");
            offers.push(offer.doc(*doc).weight(at as u32));
        }
    }

    /// The fields and methods of the model before the point.
    pub(super) fn fields(&self, offers: &mut Offers) {
        let Some(Type::Model(id)) = &self.known.value else {
            return;
        };
        let model = self.program.model(*id);
        for (at, field) in model.fields.iter().enumerate() {
            let offer = Offer::new(ItemKind::Field, &field.name);
            let offer = offer.detail(self.show(&field.ty)).weight(at as u32);
            offers.push(offer.class(Class::Own));
        }
        for method in &model.methods {
            let method = self.program.function(*method);
            if !matches!(method.kind, FunctionKind::Method(_)) {
                continue;
            }
            let params = method.params.get(1..).unwrap_or_default();
            for fill in self.fills(params, None) {
                let offer = Offer::new(ItemKind::Method, &format!("{}({fill})", method.name));
                offers.push(offer.doc(method.signature.clone()).weight(20));
            }
        }
    }
}

/// Every order of the first numbers, the rising one first, the falling one second.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    match count {
        2 => vec![vec![0, 1], vec![1, 0]],
        _ => [
            [0, 1, 2],
            [2, 1, 0],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
        ]
        .iter()
        .map(|order| order.to_vec())
        .collect(),
    }
}
