//! The one table of operations: names, classes, parameters, dtype and domain rules, PyTorch
//! spellings, a line of documentation each.
//!
//! The checker, the interpreter, the PyTorch text, hover, highlighting and the reference read it;
//! an operation that is new in it and needs no new mathematics needs no other change.

mod dtype;
mod table;
mod view;

pub use dtype::DType;
pub use table::{OPS, OpId};
pub use view::View;

/// A row of the table.
#[derive(Debug)]
pub struct Op {
    /// Its place in the table.
    pub id: OpId,
    /// The function's name, or the operator where it has no name (`==`, `@`).
    pub name: &'static str,
    /// The operator as written, where there is one.
    pub operator: Option<&'static str>,
    /// How its result's shape comes from its arguments.
    pub class: Class,
    /// Which dtypes it takes and gives.
    pub dtype: DTypeRule,
    /// What is certain of its values.
    pub domain: ValueRule,
    /// Its parameters after the leading tensors, in order.
    pub params: &'static [Param],
    /// How PyTorch spells it: a function's dotted path, or an operator.
    pub torch: &'static str,
    /// One sentence: what it gives.
    pub doc: &'static str,
    /// What only few operations have.
    pub traits: Traits,
}

/// What only few operations have.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// Whether numbers of the host are taken as tensors: Python's `math` has no such function.
    pub has_no_host_form: bool,
    /// Whether how much it gives depends on the values, which a stage's elements can't (E2403).
    pub counts_values: bool,
    /// What PyTorch's function takes before its axis, of which Strand has only these: the order
    /// of a norm or difference, as it is written.
    pub torch_order: Option<&'static [&'static str]>,
    /// The axis of PyTorch's function where its `dim` isn't given; `None` where it must be, or
    /// where all are meant.
    pub torch_dim: Option<TorchDim>,
    /// Its place by how often programs use it, from 0 on.
    pub rarity: u32,
}

/// The axis that PyTorch takes where none is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TorchDim {
    /// The first of three axes, else the second; it warns.
    Guessed,
    /// The one at this place from the front.
    At(usize),
    /// The last.
    Last,
}

impl Traits {
    /// None of them, and rare.
    pub const NONE: Self = Self {
        has_no_host_form: false,
        counts_values: false,
        torch_order: None,
        torch_dim: None,
        rarity: 50,
    };
}

/// How the result's shape comes from the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Element by element over `arity` leading arguments, which broadcast.
    Elementwise {
        /// How many leading tensors.
        arity: u8,
    },
    /// Takes away the axes of `over=`, all of them without it.
    Reduce {
        /// Whether `over=` may be a tuple.
        several: bool,
    },
    /// Takes away one axis and gives indices of it; all axes, flat, without `over=`.
    ArgReduce,
    /// Keeps the shape and works along one axis; `over=` is needed with two or more axes.
    Along,
    /// Swaps the last two axes.
    Transpose,
    /// Puts tensors of one dtype together: along an axis of each, or along a new first one.
    Join,
    /// Keeps the shape and zeroes what lies on one side of a diagonal of the last two axes.
    Triangle,
    /// Of a square matrix its diagonal, of a vector the matrix that has it there.
    Diagonal,
    /// Adds the axis that the values are indices of, last.
    OneHot,
    /// The mean, over every axis, of what two tensors of one shape differ by.
    Loss,
    /// The mean loss of scores along the axis that the labels are indices of.
    IndexLoss,
    /// A square matrix of a size.
    Square,
    /// The size of the first axis, as a host int.
    Length,
    /// Contracts the left's last with the right's last but one (or only) axis.
    MatMul,
    /// Makes a tensor of a type that is its first argument.
    Construct,
    /// Makes a tensor of drawn numbers, of a type that is its first argument.
    Draw,
    /// Keeps the shape and zeroes elements at random; needs a mode.
    Dropout,
    /// `arange(n)`, `arange(a, b)`: sizes to a rank 1 tensor.
    Arange,
    /// Has a shape rule of its own.
    Special {
        /// How many leading tensors.
        arity: u8,
    },
    /// Takes the name of a binary function first: `reduce(add, x, over=n)`.
    Method,
    /// Does something beside computing a value: print, save, load, log records, sinks.
    Effect(Effect),
}

/// What an operation does beside computing a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// `print`
    Print,
    /// `show`
    Show,
    /// `save`
    Save,
    /// `load`
    Load,
    /// `log(loss=l)`
    Record,
    /// `sink`
    Sink,
    /// `value_and_grad`
    Gradient,
    /// `sgd`, `adam`, `adamw`
    Optimizer,
    /// `update`
    Update,
    /// `cosine`, `linear`, `constant`
    Schedule,
    /// A dataset.
    Dataset,
    /// dropout and the draws.
    Random,
    /// `item`: reads the device.
    Item,
}

impl Effect {
    /// How a sentence names it: "print", "a random draw".
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Print => "print",
            Self::Show => "show",
            Self::Save => "save",
            Self::Load => "load",
            Self::Record => "a log record",
            Self::Sink => "a sink",
            Self::Gradient => "value_and_grad",
            Self::Optimizer => "an optimizer",
            Self::Update => "update",
            Self::Schedule => "a schedule",
            Self::Dataset => "a dataset",
            Self::Random => "a random draw",
            Self::Item => "item, which reads the device",
        }
    }
}

/// Which dtypes an operation takes and gives. All leading tensors have one dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DTypeRule {
    /// Any dtype, kept.
    Any,
    /// Any but bool, kept.
    Number,
    /// Floats only, kept (E0603 otherwise; help: `to f32`).
    Float,
    /// Whole numbers and bool, kept.
    Bits,
    /// Bool only, kept.
    Bool,
    /// Any dtype; gives bool.
    AnyToBool,
    /// Any but bool for an order; gives bool.
    Order,
    /// Floats; gives bool.
    FloatToBool,
    /// Any; whole numbers and bool give i64, floats themselves.
    Sum,
    /// Any; gives i64.
    AnyToI64,
    /// The condition is bool, the other two of one dtype, kept.
    Where,
    /// What the type argument says.
    FromType,
}

/// What is certain of an operation's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRule {
    /// Nothing.
    Plain,
    /// In 0..1.
    Prob,
    /// Not negative, where they are floats.
    NonNegative,
    /// Indices of the axis that is taken away or iterated.
    Index,
    /// What was certain before: the values are some of the argument's.
    Kept,
}

/// A parameter after the leading tensors.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name, as a keyword.
    pub name: &'static str,
    /// What it takes.
    pub kind: ParamKind,
    /// Whether it must be given, and what it is otherwise.
    pub default: Default,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// An axis of the first tensor, or several.
    Over,
    /// A host int.
    Int,
    /// A host int or float.
    Number,
    /// A text.
    Text,
    /// A host int, float or bool.
    Value,
    /// A tensor.
    Tensor,
}

/// What a parameter is where it isn't given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// It must be given.
    Required,
    /// It may be left out, with a meaning of its own.
    Absent,
    /// This number.
    Number(f64),
}

impl Op {
    /// Whether it computes element by element (the chapter's "elementwise functions").
    pub fn is_elementwise(&self) -> bool {
        matches!(self.class, Class::Elementwise { .. })
    }

    /// How many leading tensors it takes; `None` where any number.
    pub fn tensors(&self) -> Option<usize> {
        match self.class {
            Class::Elementwise { arity } | Class::Special { arity } => Some(arity as usize),
            Class::MatMul | Class::Loss | Class::IndexLoss => Some(2),
            Class::Reduce { .. }
            | Class::ArgReduce
            | Class::Along
            | Class::Transpose
            | Class::Triangle
            | Class::Diagonal
            | Class::OneHot
            | Class::Length
            | Class::Dropout => Some(1),
            Class::Construct | Class::Draw | Class::Arange | Class::Square => Some(0),
            Class::Join | Class::Method | Class::Effect(_) => None,
        }
    }

    /// The effect that keeps it out of a stage's function (E2403).
    pub fn effect(&self) -> Option<Effect> {
        match self.class {
            Class::Effect(effect) => Some(effect),
            Class::Draw | Class::Dropout => Some(Effect::Random),
            _ => None,
        }
    }

    /// Whether `over=` is one of its parameters.
    pub fn takes_over(&self) -> bool {
        self.params
            .iter()
            .any(|param| param.kind == ParamKind::Over)
    }
}

impl OpId {
    /// The row.
    pub fn op(self) -> &'static Op {
        &OPS[self as usize]
    }

    /// The name, or the operator.
    pub fn name(self) -> &'static str {
        self.op().name
    }
}

/// The operation that a call names; operators without a name aren't found.
pub fn find(name: &str) -> Option<&'static Op> {
    OPS.iter()
        .find(|op| op.name == name && name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// A stage of a chain.
#[derive(Debug)]
pub struct Stage {
    /// Its name.
    pub name: &'static str,
    /// One sentence: what it gives.
    pub doc: &'static str,
}

/// The stages of chains.
pub const STAGES: [Stage; 4] = [
    Stage {
        name: "map",
        doc: "A tensor of what the function gives for each element.",
    },
    Stage {
        name: "filter",
        doc: "The elements for which the function holds, in order.",
    },
    Stage {
        name: "zip",
        doc: "Elements of both side by side.",
    },
    Stage {
        name: "enumerate",
        doc: "Each element after its index.",
    },
];

/// The stage of a name.
pub fn stage(name: &str) -> Option<&'static Stage> {
    STAGES.iter().find(|stage| stage.name == name)
}

/// Functions whose first argument is a type.
pub const TYPE_FIRST: &[&str] = &[
    "zeros", "ones", "full", "normal", "uniform", "randint", "load",
];

/// Whether a name is a built-in one that a program can't define (E0305).
pub fn is_fixed(name: &str) -> bool {
    stage(name).is_some() || TYPE_FIRST.contains(&name)
}
