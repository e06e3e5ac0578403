//! Typed expressions and statements.

use strand_ops::{DType, OpId};
use strand_source::Span;

use crate::{Axis, Domain, ExternId, FnId, ImportId, LocalId, ModelId, Size, SymbolId, Type};

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// What it gives.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// What an expression computes.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A host int.
    Int(i64),
    /// A host float.
    Float(f64),
    /// A host bool.
    Bool(bool),
    /// A text.
    Str(String),
    /// `f"…"`
    FString(Vec<FPart>),
    /// A tensor literal: its elements in row-major order (host numbers, bools or `[]` tensors) and
    /// its shape. The type's dtype is what they are converted to.
    Literal {
        /// The elements.
        elements: Vec<Expr>,
        /// The sizes, outermost first.
        shape: Vec<usize>,
    },
    /// A variable, parameter, loop variable or parameter of a lambda.
    Local(LocalId),
    /// A size as a host int.
    Size(Size),
    /// A host number or bool where a `[]` tensor of the type's dtype is wanted.
    Lift(Box<Expr>),
    /// A built-in. Where every argument is a host value so is the result.
    ///
    /// Leading arguments of a tensor operation may be host numbers: they take the dtype of the
    /// others. `over` is resolved to positions of the first argument.
    Op {
        /// Which.
        op: OpId,
        /// The leading arguments.
        args: Vec<Expr>,
        /// The axes of `over=`.
        over: Over,
        /// Values of the row's other parameters that were given, in the row's order.
        params: Vec<(&'static str, Expr)>,
    },
    /// A call of the program's own function. Arguments are in the parameters' order, defaults
    /// filled in.
    Call {
        /// Which.
        function: FnId,
        /// Which of its bodies: always 0 for one with types.
        instance: usize,
        /// The arguments.
        args: Vec<Expr>,
        /// What each axis name of the function is at this call.
        sizes: Vec<SizeBinding>,
    },
    /// A call of an extern function, or of one given by its Python path.
    Extern {
        /// Which.
        function: ExternId,
        /// The arguments.
        args: Vec<Expr>,
        /// What each axis name of its types is at this call.
        sizes: Vec<SizeBinding>,
    },
    /// Python values.
    Py(PyExpr),
    /// `x to f32`, `x to Prob`: the dtype first, then the check of the domain's values.
    Convert {
        /// What is converted.
        value: Box<Expr>,
        /// The dtype, where it changes.
        dtype: Option<DType>,
        /// The domain whose values are to be checked, where they aren't certain.
        check: Option<Domain>,
    },
    /// `x to [D n]`
    Rearrange {
        /// What is rearranged.
        value: Box<Expr>,
        /// How.
        how: Rearrange,
    },
    /// `x as [n D]`: states a shape. A `py` value becomes a tensor of the type.
    As {
        /// What is stated about.
        value: Box<Expr>,
        /// What is done per axis of the type.
        checks: Vec<AsCheck>,
        /// The domain whose values are to be checked.
        check: Option<Domain>,
    },
    /// `x[items]`
    Index {
        /// What is indexed.
        base: Box<Expr>,
        /// The items as written; an ellipsis stands only where one was written.
        items: Vec<IndexItem>,
    },
    /// The last stage of an iteration is a map: `[iterated axis, axes of the body]`.
    Map {
        /// What is iterated.
        iter: Box<Iter>,
        /// The function.
        lambda: Box<Lambda>,
        /// How it is written and run.
        lowering: Lowering,
    },
    /// The last stage is a filter of one-part elements: the elements for which it holds.
    Filter {
        /// An iteration of kind `Filter` with one part.
        iter: Box<Iter>,
    },
    /// `a if c else b` with a host bool.
    If {
        /// The condition.
        condition: Box<Expr>,
        /// The value where it holds.
        then: Box<Expr>,
        /// The value where it doesn't.
        otherwise: Box<Expr>,
    },
    /// Several values.
    Tuple(Vec<Expr>),
    /// `m.w`
    Field {
        /// The model.
        base: Box<Expr>,
        /// The field's place in the model.
        field: usize,
    },
    /// `m.blocks[i]`, with a host int that is only known when the program runs.
    Element {
        /// The sequence.
        base: Box<Expr>,
        /// The place; negative counts from the end.
        index: Box<Expr>,
    },
    /// `MLP(seed=0)`
    New {
        /// The model.
        model: ModelId,
        /// The seed.
        seed: Box<Expr>,
    },
    /// Something wrong. A program with one is not run.
    Error,
}

/// The axes that an operation works over: positions in its first argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Over {
    /// The operation has no `over=`.
    None,
    /// No `over=` was written: every axis (reductions), or the only one.
    All,
    /// These, in the order written.
    Axes(Vec<usize>),
}

/// What an axis name of a function is at a call.
#[derive(Clone, Debug)]
pub struct SizeBinding {
    /// The callee's axis name.
    pub symbol: SymbolId,
    /// The axis in the caller's terms.
    pub axis: Axis,
}

/// Python values.
#[derive(Clone, Debug)]
pub enum PyExpr {
    /// An imported module.
    Module(ImportId),
    /// `value.name`
    Attribute(Box<Expr>, String),
    /// `value(args, name=arg)`
    Call(Box<Expr>, Vec<(Option<String>, Expr)>),
    /// `value[index]`
    Index(Box<Expr>, Vec<Expr>),
}

/// A part of an f-string.
#[derive(Clone, Debug)]
pub enum FPart {
    /// Plain text.
    Text(String),
    /// A value.
    Expr(Expr),
}

/// `to [axes]` in steps that NumPy and PyTorch have: reshape to `split`, permute, reshape to the
/// type's shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rearrange {
    /// The value's axes, product axes replaced by their factors and 1s dropped.
    pub split: Vec<Size>,
    /// `split`'s axes in the order of the result.
    pub permutation: Vec<usize>,
}

/// What `as` does with an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AsCheck {
    /// Proven equal: nothing.
    Proven,
    /// Compared with this size when the program runs (R01).
    Equals(Size),
    /// The symbol is bound to the size that is found.
    Binds(SymbolId),
}

/// An item of an index, typed.
#[derive(Clone, Debug)]
pub enum IndexItem {
    /// A host int: takes the axis away. Negative counts from the end.
    Int(Expr),
    /// An integer tensor. `offset` is the k of `i + k`, with its range check (R03).
    Tensor {
        /// The indices.
        index: Expr,
        /// What is added to each.
        offset: i64,
        /// Whether the values are known to lie in the axis.
        checked: bool,
    },
    /// A bool tensor over as many axes as it has.
    Mask(Expr),
    /// `a..b by s`; each a host int.
    Slice {
        /// The first.
        start: Option<Expr>,
        /// One past the last.
        end: Option<Expr>,
        /// The step.
        step: Option<Expr>,
    },
    /// `...`
    Ellipsis,
    /// `newaxis`
    NewAxis,
}

/// What a chain's stage iterates: an axis, and a part or several at every place of it.
#[derive(Clone, Debug)]
pub struct Iter {
    /// What it is.
    pub kind: IterKind,
    /// The iterated axis.
    pub axis: Axis,
    /// The types of an element's parts, without the iterated axis.
    pub parts: Vec<Type>,
    /// Where it stands.
    pub span: Span,
}

/// What is iterated.
#[derive(Clone, Debug)]
pub enum IterKind {
    /// The indices of a size.
    Size(Size),
    /// The whole numbers from the first size up to the second.
    Range(Size, Size),
    /// A tensor's slices along an axis.
    Slices {
        /// The tensor.
        tensor: Expr,
        /// The axis's position.
        axis: usize,
    },
    /// Elements of all side by side: two or three, each with one part or more.
    Zip(Vec<Iter>),
    /// An index before each element.
    Enumerate(Box<Iter>),
    /// The elements for which the function holds.
    Filter {
        /// What is filtered.
        input: Box<Iter>,
        /// The function; its body is a `[] bool`.
        lambda: Box<Lambda>,
        /// How the mask is written and run.
        lowering: Lowering,
    },
}

/// The function of a map or filter.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// One per part; `None` ignores it.
    pub params: Vec<Option<LocalId>>,
    /// The body. A stage given by name is its call on the one parameter.
    pub body: Expr,
    /// Whether it was a stage given by name or `to T`, not a lambda.
    pub by_name: bool,
    /// Where it stands.
    pub span: Span,
}

/// How a map or a filter's mask is written and run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lowering {
    /// Not decided yet; never in a finished program.
    Pending,
    /// Plain tensor operations: the lambda is elementwise in its parameters.
    Plain,
    /// torch.vmap, with the construct that keeps it from being plain.
    Vmap {
        /// In words, for the inlay and the PyTorch tab: "`@` isn't elementwise".
        reason: String,
        /// The construct.
        construct: Span,
    },
    /// Of a filter only: kept inside the reduction that ends it at once. The mask itself is plain
    /// or vmapped.
    Masked(Box<Lowering>),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// All of it.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `y = e`, also of an update `y += e`. `None` ignores the value.
    Bind {
        /// The variable.
        local: Option<LocalId>,
        /// The value.
        value: Expr,
    },
    /// `(a, b) = e`
    Unpack {
        /// A variable per part; `None` ignores it.
        locals: Vec<Option<LocalId>>,
        /// A tuple.
        value: Expr,
    },
    /// `y[items] = e`: y becomes a changed copy.
    SetIndex {
        /// The variable.
        local: LocalId,
        /// The index.
        items: Vec<IndexItem>,
        /// What is assigned; broadcasts to the indexed shape.
        value: Expr,
    },
    /// `m.w = e`
    SetField {
        /// The model.
        base: Expr,
        /// The field's place.
        field: usize,
        /// The value.
        value: Expr,
    },
    /// `for i in a..b by s:`
    ForRange {
        /// The host int.
        local: Option<LocalId>,
        /// The first; host int.
        start: Expr,
        /// One past the last; host int.
        end: Expr,
        /// The step; host int.
        step: Option<Expr>,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `for row in x over n:`
    ForSlices {
        /// The slice.
        local: Option<LocalId>,
        /// The tensor.
        tensor: Expr,
        /// The axis's position.
        axis: usize,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `for block in m.blocks:`
    ForModels {
        /// The submodel.
        local: Option<LocalId>,
        /// The sequence.
        models: Expr,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `for item in py_value:`
    ForPy {
        /// The item.
        local: Option<LocalId>,
        /// The Python value.
        value: Expr,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `while c:` with a host bool or a `[] bool`.
    While {
        /// The condition.
        condition: Expr,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `if`, its `elif`s, and `else`.
    If {
        /// Conditions with their blocks.
        branches: Vec<(Expr, Vec<Stmt>)>,
        /// The last block.
        otherwise: Option<Vec<Stmt>>,
    },
    /// `with train:`, `with eval:`
    With {
        /// Whether it is `train`.
        training: bool,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `return e`
    Return(Option<Expr>),
    /// `assert e, "text"`
    Assert {
        /// What must hold: a host bool or a `[] bool`.
        condition: Expr,
        /// The text.
        message: Option<Expr>,
    },
    /// An expression on its own: in the script its value is shown.
    Expr(Expr),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `pass`
    Pass,
}
