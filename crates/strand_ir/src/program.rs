//! A whole typed program.

use std::sync::Arc;

use strand_ops::{Effect, OpId};
use strand_source::Span;

use crate::{Axis, Expr, ExprKind, Host, Size, Stmt, SymbolId, Symbols, Type};

/// A function, by its place in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FnId(pub u32);
/// An extern function, by its place in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExternId(pub u32);
/// An imported Python module, by its place in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImportId(pub u32);
/// A model, by its place in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelId(pub u32);
/// A variable or parameter, by its place in its body's locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub u32);

/// A typed program. It is run and written as text only if it has no errors.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Dims, axis names and births.
    pub symbols: Symbols,
    /// The dims, in source order.
    pub dims: Vec<DimDef>,
    /// The functions and methods, in source order.
    pub functions: Vec<Function>,
    /// The extern functions, in source order.
    pub externs: Vec<Extern>,
    /// The imported modules, in source order.
    pub imports: Vec<Import>,
    /// The models, in source order.
    pub models: Vec<Model>,
    /// The statements at top level.
    pub script: Body,
    /// The chains among them, outermost first, in source order.
    pub script_chains: Vec<ChainInfo>,
    /// Every declaration in source order.
    pub order: Vec<ItemRef>,
    /// Every comment, in source order.
    pub comments: Vec<Comment>,
}

/// A declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemRef {
    /// By its place in `dims`.
    Dim(usize),
    /// A function; methods stand with their model.
    Function(FnId),
    /// An extern function.
    Extern(ExternId),
    /// An imported module.
    Import(ImportId),
    /// A model.
    Model(ModelId),
}

/// `dim D = 8`
#[derive(Clone, Debug)]
pub struct DimDef {
    /// Its symbol, which knows name and value.
    pub symbol: SymbolId,
    /// Its definition over earlier dims: `4 * H`.
    pub definition: Size,
    /// The declaration.
    pub span: Span,
}

/// A comment of the source.
#[derive(Clone, Debug)]
pub struct Comment {
    /// From `#` to the line's end.
    pub span: Span,
    /// What follows `#`.
    pub text: String,
    /// Whether nothing else stands on its line.
    pub own_line: bool,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// What sort it is.
    pub kind: FunctionKind,
    /// Its parameters.
    pub params: Vec<Parameter>,
    /// What it gives; of an untyped function that of its first body.
    pub result: Type,
    /// The axis names that its parameters bind.
    pub axis_names: Vec<SymbolId>,
    /// One body for a function with types; one per signature it is called with for one without
    /// (and one in any case, so that it can be written as text).
    pub instances: Vec<Body>,
    /// Its signature as Strand writes it: `fn scale(x: [n D], w: [n]) -> [n D]`.
    pub signature: String,
    /// What it does beside computing a value, itself or through calls, with the first place.
    pub effects: Vec<(Effect, Span)>,
    /// Whether a stage's function can reach it, so that index assignment must be out of place.
    pub in_chain: bool,
    /// Its chains, outermost first, in source order.
    pub chains: Vec<ChainInfo>,
    /// Whether one of its diagnostics is an error.
    pub has_error: bool,
    /// Its name's place.
    pub name_span: Span,
    /// The whole declaration.
    pub span: Span,
}

/// What sort of function it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// Its parameters have types.
    Typed,
    /// It is elementwise: at least one parameter has no type.
    Elementwise,
    /// A model's method; its first parameter is the model.
    Method(ModelId),
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Arc<str>,
    /// Its type; `None` takes a tensor of any shape.
    pub ty: Option<Type>,
    /// Its default, a literal.
    pub default: Option<Expr>,
    /// Whether it is `mut`.
    pub mutable: bool,
    /// Its name's place.
    pub span: Span,
}

/// Statements with their variables.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Every variable and parameter, lambdas' too.
    pub locals: Vec<Local>,
    /// The locals of the parameters, in order.
    pub params: Vec<LocalId>,
    /// The statements. An expression body is one `Return`.
    pub stmts: Vec<Stmt>,
    /// What it gives.
    pub result: Option<Type>,
    /// Whether it was written as `= expression`.
    pub is_expression: bool,
}

/// A variable or parameter.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name.
    pub name: Arc<str>,
    /// What sort it is.
    pub kind: LocalKind,
    /// Its type at its first binding.
    pub ty: Type,
    /// Where it was bound first.
    pub span: Span,
}

/// What sort of variable it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalKind {
    /// A parameter of the function.
    Param,
    /// Bound by a statement.
    Variable,
    /// Bound by a `for`.
    Loop,
    /// A parameter of a lambda.
    Lambda,
    /// A model's field while elements of it are assigned: no name of the program.
    Field,
}

/// An extern function.
#[derive(Clone, Debug)]
pub struct Extern {
    /// Its name here and in the module.
    pub name: Arc<str>,
    /// The Python module.
    pub module: String,
    /// Its parameters; without types it is elementwise.
    pub params: Vec<Parameter>,
    /// What it gives; `None`: as its elementwise arguments.
    pub result: Option<Type>,
    /// The axis names that its parameters bind.
    pub axis_names: Vec<SymbolId>,
    /// Whether it only computes a value: one of torch or math that neither draws nor changes.
    pub pure: bool,
    /// The whole declaration.
    pub span: Span,
}

/// `import python "module" as name`
#[derive(Clone, Debug)]
pub struct Import {
    /// The Python module.
    pub module: String,
    /// The name it has here.
    pub name: Arc<str>,
    /// The whole declaration.
    pub span: Span,
}

/// A model: as it is declared; one of these with its sizes given, `Linear[D H]`; or a sequence of
/// submodels, `6 * Block`, whose elements are its fields.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name, as a type is written.
    pub name: Arc<str>,
    /// The declaration that it comes of: itself where it is one, or a sequence.
    pub declaration: ModelId,
    /// Its sizes: of a declaration axes of its own names.
    pub sizes: Vec<Axis>,
    /// Of a sequence, what each element is, and how many there are.
    pub sequence: Option<(ModelId, Size)>,
    /// Its fields, in order.
    pub fields: Vec<Field>,
    /// Its methods, in order.
    pub methods: Vec<FnId>,
    /// The whole declaration.
    pub span: Span,
}

/// A field of a model.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
    /// How it is initialised: a draw, zeros, ones, full; `None` for a submodel.
    pub init: Option<Expr>,
    /// The whole field.
    pub span: Span,
}

/// A chain as `check --json` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainInfo {
    /// The whole pipe.
    pub span: Span,
    /// Its stages after the head.
    pub stages: Vec<StageInfo>,
    /// `plain`, `vmap` or `masked`: that of the stage that decides.
    pub lowering: &'static str,
    /// Why.
    pub reason: String,
}

/// A stage of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageInfo {
    /// `map`, `filter`, `sum`, `to f32`.
    pub name: String,
    /// What it gives, as its inlay says it.
    pub ty: String,
    /// The stage.
    pub span: Span,
}

impl Program {
    /// A function.
    ///
    /// # Panics
    /// Never for an id of this program.
    pub fn function(&self, id: FnId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// An extern function.
    ///
    /// # Panics
    /// Never for an id of this program.
    pub fn external(&self, id: ExternId) -> &Extern {
        &self.externs[id.0 as usize]
    }

    /// A model.
    ///
    /// # Panics
    /// Never for an id of this program.
    pub fn model(&self, id: ModelId) -> &Model {
        &self.models[id.0 as usize]
    }

    /// The function of a name.
    pub fn find_function(&self, name: &str) -> Option<FnId> {
        let at = self
            .functions
            .iter()
            .position(|f| &*f.name == name && !f.is_method())?;
        Some(FnId(at as u32))
    }

    /// A model's declaration as its first line is written: `model Linear[I O]`.
    pub fn model_signature(&self, id: ModelId) -> String {
        let model = self.model(id);
        let sizes: Vec<String> = model
            .sizes
            .iter()
            .map(|axis| axis.display(&self.symbols))
            .collect();
        match sizes.as_slice() {
            [] => format!("model {}", model.name),
            _ => format!("model {}[{}]", model.name, sizes.join(" ")),
        }
    }

    /// A type as a program writes it.
    pub fn display_type(&self, ty: &Type) -> String {
        ty.display(&self.symbols, &|id| self.model(id).name.to_string())
    }
}

impl Function {
    /// Whether it is a model's method.
    pub fn is_method(&self) -> bool {
        matches!(self.kind, FunctionKind::Method(_))
    }

    /// The body that a function's text is written from: of an untyped function the one whose
    /// parameters are tensors most often.
    pub fn written_body(&self) -> Option<&Body> {
        let tensors = |body: &&Body| {
            let is_tensor = |at: &&LocalId| matches!(body.local(**at).ty, Type::Tensor(_));
            body.params.iter().filter(is_tensor).count()
        };
        // The first of several with as many.
        self.instances.iter().rev().max_by_key(tensors)
    }

    /// Whether a function without types is given a tensor for a parameter, by any call.
    pub fn wants_tensor(&self, param: usize) -> bool {
        self.kind == FunctionKind::Elementwise
            && self.written_body().is_some_and(|body| {
                let local = body.params.get(param).map(|id| body.local(*id));
                local.is_some_and(|local| matches!(local.ty, Type::Tensor(_)))
            })
    }
}

impl Body {
    /// A variable.
    ///
    /// # Panics
    /// Never for an id of this body.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }
}

impl Program {
    /// `left // right`, where it is a whole number by construction: of constants, or of a product
    /// and a factor of it, as a dim's declaration may say.
    pub fn exact_quotient(&self, left: &Size, right: &Size) -> Option<Size> {
        if let (Some(a), Some(b)) = (left.as_constant(), right.as_constant()) {
            return (b > 0 && a % b == 0).then(|| Size::constant(a / b));
        }
        let factor = right.as_symbol()?;
        if let Some(quotient) = left.divide_by(factor) {
            return Some(quotient);
        }
        let symbol = left.as_symbol()?;
        let dim = self.dims.iter().find(|dim| dim.symbol == symbol)?;
        dim.definition.divide_by(factor)
    }

    /// The size that a host int is, where it is made of whole numbers, dims, axis names and lengths
    /// with `+ - * //`.
    pub fn size_of(&self, value: &Expr) -> Option<Size> {
        match &value.kind {
            ExprKind::Int(number) => Some(Size::constant(*number)),
            ExprKind::Size(size) => Some(size.clone()),
            ExprKind::Op { op, args, .. } if value.ty == Type::Host(Host::Int) => {
                match (op, args.as_slice()) {
                    (OpId::Len, [tensor]) => Some(tensor.ty.tensor()?.axes.first()?.size.clone()),
                    (OpId::Neg, [value]) => self.size_of(value)?.mul(&Size::constant(-1)).ok(),
                    (_, [left, right]) => {
                        let (left, right) = (self.size_of(left)?, self.size_of(right)?);
                        match op {
                            OpId::Add => left.add(&right).ok(),
                            OpId::Sub => left.sub(&right).ok(),
                            OpId::Mul => left.mul(&right).ok(),
                            OpId::FloorDiv => self.exact_quotient(&left, &right),
                            _ => None,
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
