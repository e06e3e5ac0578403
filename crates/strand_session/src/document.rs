//! A checked text and what can be asked of it.

use strand_check::{Checked, Hover, Inlay};

use crate::cost::{CostFormula, Estimator};
use strand_ir::{ChainInfo, FnId, FunctionKind, Program, SymbolKind, Type};
use strand_source::{Diagnostic, Fix, LineIndex, Map, Span};
use strand_syntax::ast::{Item, Module, SizeExprKind};
use strand_torch::TorchText;

/// A text that has been checked once.
#[derive(Clone, Debug)]
pub struct Document {
    text: String,
    checked: Checked,
    sizes: Vec<SizeInfo>,
}

/// A function as a list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionInfo {
    /// Its name.
    pub name: String,
    /// `fn scale(x: [n D], w: [n]) -> [n D]`
    pub signature: String,
    /// The whole declaration.
    pub span: Span,
    /// Names and types of its parameters.
    pub params: Vec<(String, String)>,
    /// What it gives.
    pub result: String,
    /// Its chains, outermost first, in source order.
    pub chains: Vec<ChainInfo>,
    /// What it costs at most; `None` with errors, or where there is no bound.
    pub cost: Option<CostFormula>,
    /// Whether it can't be run.
    pub has_error: bool,
}

/// What is known of a piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoverInfo {
    /// The piece.
    pub span: Span,
    /// Its type.
    pub ty: String,
    /// A line each: how its axes came to be, a call's signature and cost, what it does.
    pub detail: Vec<String>,
}

/// A size that a reader may look at and change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeInfo {
    /// The dim's or axis name.
    pub name: String,
    /// Whether it is a dim.
    pub is_dim: bool,
    /// A dim's value; of an axis name the size that sample arguments have unless another is asked
    /// for: a prime of its own, so that no two sizes agree by accident.
    pub value: i64,
    /// Whether it can be changed: an axis name, or a dim that is written as a number.
    pub changeable: bool,
}

impl Document {
    /// Reads and checks a text.
    pub fn new(text: &str) -> Self {
        Self::with_dims(text, &Map::new())
    }

    /// Reads and checks a text with other values for the dims that are written as numbers.
    pub fn with_dims(text: &str, dims: &Map<String, i64>) -> Self {
        let mut parse = strand_syntax::parse(text);
        replace_dims(&mut parse.module, dims);
        let mut checked = strand_check::check_module(text, &parse.module, parse.diagnostics);
        say_same_text(text, dims, &mut checked.diagnostics);
        let sizes = sizes(&parse.module, &checked.program);
        Self {
            text: text.to_owned(),
            checked,
            sizes,
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The typed program; run and written as text only without errors.
    pub fn program(&self) -> &Program {
        &self.checked.program
    }

    /// The findings in the text's order.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.checked.diagnostics
    }

    /// Whether a finding is an error.
    pub fn has_errors(&self) -> bool {
        self.checked.has_errors()
    }

    /// Whether there are statements at top level.
    pub fn has_script(&self) -> bool {
        !self.program().script.stmts.is_empty()
    }

    /// The types at the ends of pipe lines.
    pub fn inlays(&self) -> &[Inlay] {
        &self.checked.inlays
    }

    /// The dims and axis names, dims first.
    pub fn sizes(&self) -> &[SizeInfo] {
        &self.sizes
    }

    /// The program's functions and models' methods, in source order.
    pub fn functions(&self) -> Vec<FunctionInfo> {
        let program = self.program();
        let show = |ty: &Option<Type>| {
            ty.as_ref()
                .map_or_else(|| "any".to_owned(), |ty| program.display_type(ty))
        };
        let mut estimator = Estimator::new(program);
        // Where callers come first, those that they call are bounded first.
        for (at, function) in program.functions.iter().enumerate().rev() {
            if !function.has_error {
                estimator.prepare(FnId(at as u32));
            }
        }
        let mut cost = |at: usize, function: &strand_ir::Function| {
            let sound = !function.has_error;
            sound.then(|| estimator.formula(FnId(at as u32)))?
        };
        let info = |(at, function): (usize, &strand_ir::Function)| FunctionInfo {
            cost: cost(at, function),
            name: match function.kind {
                FunctionKind::Method(model) => {
                    format!("{}.{}", program.model(model).name, function.name)
                }
                _ => function.name.to_string(),
            },
            signature: function.signature.clone(),
            span: function.span,
            params: function
                .params
                .iter()
                .map(|p| (p.name.to_string(), show(&p.ty)))
                .collect(),
            result: match function.kind {
                FunctionKind::Elementwise => "any".to_owned(),
                _ => program.display_type(&function.result),
            },
            chains: function.chains.clone(),
            has_error: function.has_error,
        };
        program.functions.iter().enumerate().map(info).collect()
    }

    /// What is known of the smallest piece of the text at a byte offset: its type and how each of
    /// its axes came to be.
    pub fn hover(&self, offset: u32) -> Option<HoverInfo> {
        let around = self.hovered(offset);
        let named = crate::hover::of_name(self, offset, around.map(|hover| &hover.ty));
        if named.is_some() {
            return named;
        }
        let hover = around?;
        Some(HoverInfo {
            span: hover.span,
            ty: self.program().display_type(&hover.ty),
            detail: self.provenance_of(&hover.ty),
        })
    }

    /// How each axis of the smallest expression at a byte offset came to be, a line for each:
    /// `n: first axis of x, line 3; n - 1: the slice on line 5`.
    pub fn provenance(&self, offset: u32) -> Vec<String> {
        let hover = self.hovered(offset);
        hover
            .map(|hover| self.provenance_of(&hover.ty))
            .unwrap_or_default()
    }

    fn hovered(&self, offset: u32) -> Option<&Hover> {
        let hovers = self.checked.hovers.iter();
        let around = hovers.filter(|hover| hover.span.touches(offset));
        around.min_by_key(|hover| hover.span.len())
    }

    fn provenance_of(&self, ty: &Type) -> Vec<String> {
        let Type::Tensor(tensor) = ty else {
            return Vec::new();
        };
        let lines = LineIndex::new(&self.text);
        let symbols = &self.program().symbols;
        let of = |axis: &strand_ir::Axis| {
            let steps = axis.origin.steps();
            let step = |step: &&strand_ir::Step| step.display(symbols, lines.line(step.span.start));
            let mut told: Vec<String> = steps.iter().map(step).collect();
            told.dedup();
            told.join("; ")
        };
        let told = tensor.axes.iter().map(of);
        told.filter(|line| !line.is_empty()).collect()
    }

    /// The size of every axis name: what `asked` says, else its own prime.
    pub fn axis_sizes(&self, asked: &Map<String, i64>) -> Map<String, i64> {
        let axes = self.sizes.iter().filter(|size| !size.is_dim);
        axes.map(|size| {
            let value = asked.get(&size.name).copied().unwrap_or(size.value);
            (size.name.clone(), value)
        })
        .collect()
    }

    /// Faults of the typed program, which only a fault of the checker can bring.
    pub fn verify(&self) -> Vec<String> {
        strand_ir::verify(self.program())
    }

    /// The PyTorch text with torch.vmap for every plain chain, which must give the same values.
    pub fn torch_with_vmap(&self) -> Option<TorchText> {
        let program = strand_ir::with_vmap(self.program());
        (!self.has_errors()).then(|| strand_torch::emit(&program, &self.text))
    }

    /// The PyTorch text; `None` while there are errors.
    pub fn torch(&self) -> Option<TorchText> {
        (!self.has_errors()).then(|| strand_torch::emit(self.program(), &self.text))
    }
}

/// How long a text is at most whose fixes are compared as PyTorch text, and for how many findings.
const COMPARED_BYTES: usize = 4000;
const COMPARED_FINDINGS: usize = 2;

/// Says of fixes that give the first one's PyTorch text that they do.
fn say_same_text(text: &str, dims: &Map<String, i64>, found: &mut [Diagnostic]) {
    if text.len() > COMPARED_BYTES {
        return;
    }
    let several = found.iter_mut().filter(|found| found.fixes.len() > 1);
    for found in several.take(COMPARED_FINDINGS) {
        let mut fixes = found.fixes.iter_mut().take(3);
        let first = fixes.next().and_then(|fix| torch_after(text, dims, fix));
        let Some(first) = first else { continue };
        for fix in fixes {
            if torch_after(text, dims, fix).as_ref() == Some(&first) {
                fix.meaning = Some("the same PyTorch text".to_owned());
            }
        }
    }
}

/// The PyTorch text after a fix; `None` where there are errors left.
fn torch_after(text: &str, dims: &Map<String, i64>, fix: &Fix) -> Option<String> {
    let text = fix.apply(text)?;
    let mut parse = strand_syntax::parse(&text);
    replace_dims(&mut parse.module, dims);
    let checked = strand_check::check_unproven(&text, &parse.module, parse.diagnostics);
    (!checked.has_errors()).then(|| strand_torch::emit(&checked.program, &text).text)
}

fn replace_dims(module: &mut Module, dims: &Map<String, i64>) {
    for item in &mut module.items {
        if let Item::Dim(dim) = item
            && let SizeExprKind::Number(value) = &mut dim.value.kind
            && let Some(wanted) = dims.get(&*dim.name.name)
        {
            *value = *wanted;
        }
    }
}

fn sizes(module: &Module, program: &Program) -> Vec<SizeInfo> {
    let mut sizes: Vec<SizeInfo> = Vec::new();
    for item in &module.items {
        let Item::Dim(dim) = item else { continue };
        let symbol = program
            .dims
            .iter()
            .find(|def| program.symbols.name(def.symbol) == &*dim.name.name);
        let Some(value) = symbol.and_then(|def| program.symbols.dim_value(def.symbol)) else {
            continue;
        };
        let changeable = matches!(dim.value.kind, SizeExprKind::Number(_));
        sizes.push(SizeInfo {
            name: dim.name.name.to_string(),
            is_dim: true,
            value,
            changeable,
        });
    }
    let names = program
        .functions
        .iter()
        .flat_map(|function| &function.axis_names);
    let mut primes = strand_interp::sample_sizes();
    let free = names
        .clone()
        .map(|symbol| (program.symbols.name(*symbol), false));
    let dims: Vec<String> = sizes.iter().map(|size| size.name.clone()).collect();
    let declared = dims.iter().map(|name| (&**name, true));
    let mut listed: Map<&str, bool> = free.chain(declared).collect();
    for symbol in names {
        let info = program.symbols.get(*symbol);
        let listed = listed.get_mut(&*info.name);
        let new = listed.is_some_and(|listed| !std::mem::replace(listed, true));
        if info.kind == SymbolKind::Axis && new {
            let name = info.name.to_string();
            let value = primes.next().unwrap_or(5);
            sizes.push(SizeInfo {
                name,
                is_dim: false,
                value,
                changeable: true,
            });
        }
    }
    sizes
}
