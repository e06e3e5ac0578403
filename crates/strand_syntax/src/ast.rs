//! The tree of a text. Every node has its span; what couldn't be read is an `Error` node, so that
//! the rest of the text still means something.

use std::sync::Arc;

use strand_source::{Span, Spans};

/// A name as it counts: NFKC-normalised.
pub type Name = Arc<str>;

/// A name at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Ident {
    /// The normalised name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// A whole text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Declarations and script statements in source order.
    pub items: Vec<Item>,
    /// Every comment, in source order.
    pub comments: Vec<Comment>,
    /// What lacks its end, which was reported: brackets that aren't closed, with what they are the
    /// arguments or index of; operators without what follows them. What else is wrong there says
    /// nothing.
    pub unfinished: Spans,
}

/// A `#` comment.
#[derive(Clone, Debug, PartialEq)]
pub struct Comment {
    /// From `#` to the line's end.
    pub span: Span,
    /// The text after `#`, without the line end.
    pub text: String,
    /// Whether nothing else stands on its line.
    pub own_line: bool,
}

/// A declaration, or a statement of the script.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `dim D = 8`
    Dim(DimDecl),
    /// `fn …`, also as a model's method.
    Fn(FnDecl),
    /// `extern fn …`
    Extern(ExternDecl),
    /// `import python "m" as m`
    Import(ImportDecl),
    /// `model M:`
    Model(ModelDecl),
    /// `dataset`, `split`, `workers fn`, `export fn`, `sink`: reserved, read past with its block.
    Reserved(Reserved),
    /// A statement of the script.
    Stmt(Stmt),
}

impl Item {
    /// All of it.
    pub fn span(&self) -> Span {
        match self {
            Self::Dim(decl) => decl.span,
            Self::Fn(decl) => decl.span,
            Self::Extern(decl) => decl.span,
            Self::Import(decl) => decl.span,
            Self::Model(decl) => decl.span,
            Self::Reserved(reserved) => reserved.span,
            Self::Stmt(stmt) => stmt.span,
        }
    }
}

/// `dim D = 8`
#[derive(Clone, Debug, PartialEq)]
pub struct DimDecl {
    /// Its name.
    pub name: Ident,
    /// Its size: numbers and earlier dims.
    pub value: SizeExpr,
    /// The whole declaration.
    pub span: Span,
}

/// `fn name(parameters) -> result = expression`, or with a block.
#[derive(Clone, Debug, PartialEq)]
pub struct FnDecl {
    /// Its name.
    pub name: Ident,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// The result type where one is written.
    pub result: Option<TypeExpr>,
    /// What it computes.
    pub body: FnBody,
    /// From `fn` to the end of the signature, before `=` or `:`.
    pub signature: Span,
    /// The whole declaration with its block.
    pub span: Span,
}

/// What a function computes.
#[derive(Clone, Debug, PartialEq)]
pub enum FnBody {
    /// `= expression`
    Expr(Expr),
    /// `:` and a block.
    Block(Vec<Stmt>),
    /// Couldn't be read.
    Error(Span),
}

/// `mut name: Type = default`
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The span of `mut` where it stands.
    pub mutable: Option<Span>,
    /// Its name.
    pub name: Ident,
    /// Its type; without one the function is elementwise in it (or it is `self`).
    pub ty: Option<TypeExpr>,
    /// Its default, a literal.
    pub default: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// `extern fn name(parameters) -> result from "module"`
#[derive(Clone, Debug, PartialEq)]
pub struct ExternDecl {
    /// Its name here and in the module.
    pub name: Ident,
    /// Its parameters; all with a type or none.
    pub params: Vec<Param>,
    /// The result type where one is written.
    pub result: Option<TypeExpr>,
    /// The Python module.
    pub module: String,
    /// Where the module's text stands.
    pub module_span: Span,
    /// The whole declaration.
    pub span: Span,
}

/// `import python "module" as name`
#[derive(Clone, Debug, PartialEq)]
pub struct ImportDecl {
    /// The Python module.
    pub module: String,
    /// Where the module's text stands.
    pub module_span: Span,
    /// The name it has here.
    pub name: Ident,
    /// The whole declaration.
    pub span: Span,
}

/// `model Name[sizes]:` with fields and methods.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelDecl {
    /// Its name.
    pub name: Ident,
    /// `[I O]` of a parametric model.
    pub sizes: Vec<Ident>,
    /// Its fields, in order.
    pub fields: Vec<FieldDecl>,
    /// Its methods, in order.
    pub methods: Vec<FnDecl>,
    /// The whole declaration.
    pub span: Span,
}

/// `w1: [D H] = normal(0.02)`
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDecl {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: TypeExpr,
    /// How it is initialised.
    pub init: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// A declaration that is reserved and not available yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Reserved {
    /// The word: `dataset`, `split`, `workers`, `export`, `sink`.
    pub word: &'static str,
    /// The first line.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// All of it, with its blocks.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `target = e`, `y: T = e`
    Assign {
        /// What is bound.
        target: Target,
        /// The annotation.
        ty: Option<TypeExpr>,
        /// The value.
        value: Expr,
    },
    /// `x += e`
    Update {
        /// What is changed.
        target: Target,
        /// The operator without `=`.
        op: BinaryOp,
        /// Where `+=` stands.
        op_span: Span,
        /// The right side.
        value: Expr,
    },
    /// `for target in iter over axis:`
    For {
        /// The loop's names.
        target: Target,
        /// What is looped over.
        iter: Expr,
        /// `over axis`
        over: Option<Ident>,
        /// `by b = 32 pad t to 64`, reserved.
        by: Option<Span>,
        /// The body.
        body: Vec<Stmt>,
        /// `for` to `:`.
        header: Span,
    },
    /// `while condition:`
    While {
        /// The condition.
        condition: Expr,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `if` and its `elif`s in order, then `else`.
    If {
        /// Conditions with their blocks.
        branches: Vec<(Expr, Vec<Stmt>)>,
        /// The last block.
        otherwise: Option<Vec<Stmt>>,
    },
    /// `with train:` or `with eval:`
    With {
        /// `train` or `eval`.
        mode: Ident,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `return e`
    Return(Option<Expr>),
    /// `assert e, "text"`
    Assert {
        /// What must hold.
        condition: Expr,
        /// The text.
        message: Option<Expr>,
    },
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `pass`
    Pass,
    /// An expression on its own.
    Expr(Expr),
    /// Couldn't be read.
    Error,
}

/// What a statement binds or changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// `y`
    Name(Ident),
    /// `_`
    Ignore(Span),
    /// `(a, b)`
    Tuple(Vec<Target>, Span),
    /// `y[items]`
    Index {
        /// What is indexed: a name, or what E0304 refuses.
        base: Box<Expr>,
        /// The index.
        items: Vec<IndexItem>,
        /// All of it.
        span: Span,
    },
    /// `m.w`
    Field {
        /// The model.
        base: Box<Expr>,
        /// The field.
        name: Ident,
        /// All of it.
        span: Span,
    },
    /// Something that can't be assigned (E0304 was given).
    Error(Span),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// All of it.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `1_000`; one past i64 is saturated after E0105.
    Int(i64),
    /// `0.5`
    Float(f64),
    /// `true`
    Bool(bool),
    /// `"text"`, unescaped.
    Str(String),
    /// `f"…{e}…"`
    FString(Vec<FPart>),
    /// `[1.0, 2.0]`; nested literals are elements.
    Literal(Vec<Expr>),
    /// A name.
    Name(Name),
    /// `_` as an argument of a stage.
    Placeholder,
    /// `(e)`
    Paren(Box<Expr>),
    /// `(a, b)`
    Tuple(Vec<Expr>),
    /// `-x`, `not x`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// Arithmetic, comparisons, `and`, `or`, `@`.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Where the operator stands.
        op_span: Span,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `x to T`, `x as T`; in `map(to T)` of a placeholder that has no text.
    Convert {
        /// `to` or `as`.
        how: Conversion,
        /// What is converted.
        value: Box<Expr>,
        /// The type.
        ty: TypeExpr,
    },
    /// `f(a, over=n)`
    Call {
        /// What is called.
        callee: Box<Expr>,
        /// The arguments.
        args: Vec<Arg>,
        /// The brackets with what stands in them.
        args_span: Span,
    },
    /// `x[i, 1..3]`
    Index {
        /// What is indexed.
        base: Box<Expr>,
        /// The items.
        items: Vec<IndexItem>,
    },
    /// `Linear[D H]`, a model with its sizes, where it is made.
    Sized {
        /// The model.
        name: Ident,
        /// Its sizes.
        sizes: Vec<SizeExpr>,
    },
    /// `mut m`, where a method that changes `m` is called: `mut m.step(x)`.
    Mut(Box<Expr>),
    /// `m.w`
    Field {
        /// The model, module or value.
        base: Box<Expr>,
        /// The field.
        name: Ident,
    },
    /// `a..b by s` as a chain's head, in zip and in for.
    Range(Box<Range>),
    /// `head |> stage |> …`
    Pipe {
        /// What goes in.
        head: Box<Expr>,
        /// At least one stage.
        stages: Vec<Stage>,
    },
    /// `v => e`, `(a, b) => e`
    Lambda(Box<Lambda>),
    /// `a if c else b`
    If {
        /// The value where it holds.
        then: Box<Expr>,
        /// The condition.
        condition: Box<Expr>,
        /// The value where it doesn't.
        otherwise: Box<Expr>,
    },
    /// A type as the first argument of zeros ones full normal uniform randint load.
    Type(TypeExpr),
    /// Couldn't be read; its diagnostic was given.
    Error,
}

/// A part of an f-string.
#[derive(Clone, Debug, PartialEq)]
pub enum FPart {
    /// Plain text, unescaped.
    Text(String),
    /// `{e}`
    Expr(Expr),
}

/// `-` and `not`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x`
    Neg,
    /// `not x`
    Not,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
    MatMul,
    Pow,
}

impl BinaryOp {
    /// The operator as written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::And => "and",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::FloorDiv => "//",
            Self::Mod => "%",
            Self::MatMul => "@",
            Self::Pow => "**",
        }
    }

    /// Whether it compares.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge
        )
    }
}

/// `to` and `as`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// Converts a dtype or domain, or rearranges.
    To,
    /// States a shape.
    As,
}

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// The keyword of `name=e`; `over` too.
    pub name: Option<Ident>,
    /// The span of `mut` where it stands.
    pub mutable: Option<Span>,
    /// The value. For `over=` a name, a negative number or a tuple of these.
    pub value: Expr,
    /// All of it.
    pub span: Span,
}

/// An item between the brackets of an index.
#[derive(Clone, Debug, PartialEq)]
pub enum IndexItem {
    /// An index, host int, mask.
    Expr(Expr),
    /// `a..b by s`
    Slice(Box<Range>),
    /// `...`
    Ellipsis(Span),
    /// `newaxis`
    NewAxis(Span),
}

impl IndexItem {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Self::Expr(e) => e.span,
            Self::Slice(range) => range.span,
            Self::Ellipsis(span) | Self::NewAxis(span) => *span,
        }
    }
}

/// `a..b by s`
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The first; left out: the start. Only an index may leave it out.
    pub start: Option<Expr>,
    /// One past the last; left out: the end. Only an index may leave it out.
    pub end: Option<Expr>,
    /// The step.
    pub step: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// A pipe stage with the `|>` before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// What it is.
    pub kind: StageKind,
    /// Where `|>` stands.
    pub pipe: Span,
    /// The stage without `|>`.
    pub span: Span,
}

/// What a pipe stage is.
#[derive(Clone, Debug, PartialEq)]
pub enum StageKind {
    /// `f`, `m.forward`, `f(a, _)`: a path with arguments or without. map, filter, zip and
    /// enumerate are calls of these names.
    Call {
        /// The names of the path, joined by `.`.
        path: Vec<Ident>,
        /// The arguments where brackets stand.
        args: Option<Vec<Arg>>,
        /// The brackets with what stands in them.
        args_span: Option<Span>,
    },
    /// `to T`, `as T`
    Convert {
        /// `to` or `as`.
        how: Conversion,
        /// The type.
        ty: TypeExpr,
    },
    /// Not a stage (E3201 or E0101 was given).
    Error,
}

/// `v => body`
#[derive(Clone, Debug, PartialEq)]
pub struct Lambda {
    /// One parameter per part of an element.
    pub params: Vec<LambdaParam>,
    /// The body.
    pub body: Expr,
    /// The parameters with their brackets.
    pub params_span: Span,
}

/// A parameter of a lambda.
#[derive(Clone, Debug, PartialEq)]
pub struct LambdaParam {
    /// Its name; `None` for `_`.
    pub name: Option<Name>,
    /// Where it stands.
    pub span: Span,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeExprKind,
    /// All of it.
    pub span: Span,
}

/// What a written type is.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeExprKind {
    /// `[axes] dtype Domain`, each part optional, at least one there.
    Tensor {
        /// `[n D]`
        shape: Option<Shape>,
        /// `f32`
        dtype: Option<Ident>,
        /// `Index[n]`, `Prob`
        domain: Option<DomainExpr>,
    },
    /// `int`, `float`, `bool`, `str`, `py`, a model's name with its sizes. (`bool` alone is written
    /// here; after a shape it is the dtype.)
    Named {
        /// The name.
        name: Ident,
        /// `[D H]` of a parametric model.
        sizes: Vec<SizeExpr>,
    },
    /// `(A, B)`
    Tuple(Vec<TypeExpr>),
    /// `6 * Block`: so many submodels.
    Sequence {
        /// How many.
        count: SizeExpr,
        /// What each is.
        element: Box<TypeExpr>,
    },
    /// Couldn't be read.
    Error,
}

/// `[n D]`
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The axes in order.
    pub axes: Vec<SizeExpr>,
    /// With its brackets.
    pub span: Span,
}

/// `Prob`, `Index[n]`
#[derive(Clone, Debug, PartialEq)]
pub struct DomainExpr {
    /// `Index`, `Prob`, `Positive`, `NonNegative`, `Finite`.
    pub name: Ident,
    /// The axis of `Index[n]`.
    pub index: Option<SizeExpr>,
    /// All of it.
    pub span: Span,
}

/// A size: `n`, `3`, `2 * n`, `n - 1`, `D // H`, `_`.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeExpr {
    /// What it is.
    pub kind: SizeExprKind,
    /// All of it, with its brackets.
    pub span: Span,
}

/// What a written size is.
#[derive(Clone, Debug, PartialEq)]
pub enum SizeExprKind {
    /// A dim or an axis name.
    Name(Name),
    /// A whole number.
    Number(i64),
    /// `_`: an unknown size, in result types only.
    Unknown,
    /// `+ - * //`
    Binary {
        /// Add, Sub, Mul or FloorDiv.
        op: BinaryOp,
        /// The left operand.
        left: Box<SizeExpr>,
        /// The right operand.
        right: Box<SizeExpr>,
    },
    /// Couldn't be read.
    Error,
}
