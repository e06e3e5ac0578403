//! The names that things have in the Python text.

use strand_source::{Map, Set, continues_name, starts_name};

use strand_ir::{Body, ItemRef, LocalId, LocalKind, Program, SymbolId};
use strand_ops::OpId;

/// Python's keywords, and what the text itself calls.
const RESERVED: &[&str] = &[
    "False",
    "None",
    "True",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "while",
    "with",
    "yield",
    "torch",
    "math",
    "print",
    "range",
    "float",
    "int",
    "bool",
    "str",
    "abs",
    "max",
    "min",
    "round",
    "tuple",
    "super",
    "copy",
    "ValueError",
    "IndexError",
    "AssertionError",
    "NotImplementedError",
    "_check",
    "_Check",
    "_fail",
    "_reduceat",
    "__name__",
    "__debug__",
];

/// Built-ins that the text imports by their own names.
pub(crate) const IMPORTED: &[OpId] = &[
    OpId::Gelu,
    OpId::Silu,
    OpId::Softplus,
    OpId::Normalize,
    OpId::Dropout,
    OpId::OneHot,
    OpId::LayerNorm,
    OpId::Mse,
    OpId::CrossEntropy,
    OpId::BinaryCrossEntropy,
    OpId::Conv1d,
    OpId::Conv2d,
    OpId::MaxPool2d,
];

/// The name that a built-in is imported by: `mse_loss`.
fn imported_name(op: OpId) -> &'static str {
    op.op().torch.rsplit('.').next().unwrap_or_default()
}

/// Names at the module's top.
#[derive(Default)]
pub(crate) struct ModuleNames {
    pub(crate) functions: Vec<String>,
    pub(crate) externs: Vec<String>,
    pub(crate) imports: Vec<String>,
    pub(crate) models: Vec<String>,
    pub(crate) dims: Map<SymbolId, String>,
    /// The names that models' declarations take, as parameters of `__init__`.
    pub(crate) model_sizes: Map<SymbolId, String>,
    pub(crate) taken: Set<String>,
}

impl ModuleNames {
    /// Gives every declaration its name; `imported` are the built-ins imported by name.
    pub(crate) fn new(program: &Program, imported: &[OpId], has_script: bool) -> Self {
        let mut names = Self {
            functions: vec![String::new(); program.functions.len()],
            externs: vec![String::new(); program.externs.len()],
            imports: vec![String::new(); program.imports.len()],
            models: vec![String::new(); program.models.len()],
            ..Self::default()
        };
        if !program.models.is_empty() {
            names.taken.insert("nn".to_owned());
        }
        names
            .taken
            .extend(RESERVED.iter().map(|name| (*name).to_owned()));
        names
            .taken
            .extend(imported.iter().map(|op| imported_name(*op).to_owned()));
        if has_script {
            names.taken.insert("main".to_owned());
        }
        for dim in &program.dims {
            let name = names.take(program.symbols.name(dim.symbol));
            names.dims.insert(dim.symbol, name);
        }
        for item in &program.order {
            names.name_item(program, *item);
        }
        for item in &program.order {
            if let ItemRef::Model(id) = item {
                for symbol in program.model(*id).sizes.iter().filter_map(|axis| axis.name) {
                    let is_taken = |name: &str| name == "generator" || names.taken.contains(name);
                    let name = free(program.symbols.name(symbol), is_taken);
                    names.model_sizes.insert(symbol, name);
                }
            }
        }
        names
    }

    fn name_item(&mut self, program: &Program, item: ItemRef) {
        match item {
            ItemRef::Dim(_) => {}
            ItemRef::Function(id) => {
                self.functions[id.0 as usize] = self.take(&program.function(id).name);
            }
            ItemRef::Extern(id) => {
                self.externs[id.0 as usize] = self.take(&program.external(id).name);
            }
            ItemRef::Import(id) => {
                self.imports[id.0 as usize] = self.take(&program.imports[id.0 as usize].name);
            }
            ItemRef::Model(id) => {
                self.models[id.0 as usize] = self.take(&program.model(id).name);
            }
        }
    }

    fn take(&mut self, name: &str) -> String {
        let name = free(name, |name| self.taken.contains(name));
        self.taken.insert(name.clone());
        name
    }
}

/// The name with as many `_` after it as keep it from being taken.
fn free(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut name = name.to_owned();
    while is_taken(&name) {
        name.push('_');
    }
    name
}

/// Names in a function or the script.
#[derive(Default)]
pub(crate) struct BodyNames {
    locals: Vec<String>,
    /// Names of variables and parameters, which a lambda's parameter may hide but no value that
    /// is given a name may change.
    pub(crate) fixed: Set<String>,
    sizes: Map<SymbolId, String>,
}

impl BodyNames {
    pub(crate) fn new(body: &Body, module: &ModuleNames) -> Self {
        let mut names = Self::default();
        let mut given: Map<&str, String> = Map::new();
        for local in &body.locals {
            let wanted = local.name.as_ref();
            if local.kind == LocalKind::Field {
                names.locals.push(String::new());
                continue;
            }
            let name = given.get_or_insert_with(wanted, || {
                let wanted = if is_identifier(wanted) { wanted } else { "x" };
                free(wanted, |name| {
                    module.taken.contains(name) || names.fixed.contains(name)
                })
            });
            if local.kind != LocalKind::Lambda {
                names.fixed.insert(name.clone());
            }
            names.locals.push(name.clone());
        }
        let mut fields: Map<&str, String> = Map::new();
        for (at, local) in body.locals.iter().enumerate() {
            if local.kind == LocalKind::Field {
                let wanted = local.name.as_ref();
                let name = fields.get_or_insert_with(wanted, || {
                    let wanted = if is_identifier(wanted) { wanted } else { "x" };
                    free(wanted, |name| {
                        module.taken.contains(name) || names.fixed.contains(name)
                    })
                });
                names.fixed.insert(name.clone());
                names.locals[at] = name.clone();
            }
        }
        names
    }

    pub(crate) fn local(&self, id: LocalId) -> &str {
        self.locals.get(id.0 as usize).map_or("_", String::as_str)
    }

    /// The name of an axis's size.
    pub(crate) fn size(&mut self, id: SymbolId, name: &str, module: &ModuleNames) -> String {
        if let Some(name) = self.sizes.get(&id) {
            return name.clone();
        }
        let name = free(name, |name| {
            module.taken.contains(name) || self.fixed.contains(name)
        });
        self.fixed.insert(name.clone());
        self.sizes.insert(id, name.clone());
        name
    }
}

/// Whether it is a word of Python's own.
pub(crate) fn is_keyword(name: &str) -> bool {
    let mut words = RESERVED.iter().take_while(|word| **word != "torch");
    words.any(|word| *word == name)
}

/// Whether Python reads it as a name that means something.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(starts_name);
    starts && name != "_" && chars.all(|c| continues_name(c) || !c.is_ascii())
}
