//! Types of values.

use strand_ops::DType;
use strand_source::Span;

use crate::{How, ModelId, Origin, Size, SymbolId, Symbols};

/// An axis: a size, and the dim or axis name that it is called by, where it has one.
///
/// Axes are nominal: two with names agree only if the names are the same. One without a name
/// agrees with any axis of an equal size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    /// Its name.
    pub name: Option<SymbolId>,
    /// Its size.
    pub size: Size,
    /// How it came to be.
    pub origin: Origin,
}

impl Axis {
    /// The axis of a dim or axis name.
    pub fn named(symbol: SymbolId) -> Self {
        Self {
            name: Some(symbol),
            size: Size::symbol(symbol),
            origin: Origin::default(),
        }
    }

    /// An axis without a name.
    pub fn unnamed(size: Size) -> Self {
        Self {
            name: None,
            size,
            origin: Origin::default(),
        }
    }

    /// The axis, as it is written at a place.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        self.made(How::Written, span)
    }

    /// The axis, as something at a place made it.
    #[must_use]
    pub fn made(self, how: How, span: Span) -> Self {
        self.made_from(&Origin::default(), how, span)
    }

    /// The axis, as something at a place made it of an axis with that origin.
    #[must_use]
    pub fn made_from(mut self, before: &Origin, how: How, span: Span) -> Self {
        self.origin = before.then(self.name, self.size.clone(), how, span);
        self
    }

    /// Whether it is one without a name and of size 1: the only kind that stretches.
    pub fn stretches(&self) -> bool {
        self.name.is_none() && self.size.as_constant() == Some(1)
    }

    /// Whether both may be the same axis (decision 14).
    pub fn agrees(&self, other: &Self, symbols: &Symbols) -> bool {
        match (self.name, other.name) {
            (Some(left), Some(right)) => left == right,
            _ => self.size.same(&other.size, symbols),
        }
    }

    /// As in a shape: `n`, `3`, `(2 * n)`.
    pub fn display(&self, symbols: &Symbols) -> String {
        if let Some(name) = self.name {
            return symbols.name(name).to_owned();
        }
        let text = self.size.display(symbols);
        if text.contains(' ') || text.starts_with('-') {
            format!("({text})")
        } else {
            text
        }
    }
}

/// An axis by its place in a shape, for sentences: "only axis", "first axis", "last axis".
pub fn axis_place(at: usize, rank: usize) -> String {
    const ORDINALS: [&str; 8] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
    ];
    match (at, ORDINALS.get(at)) {
        (_, _) if rank == 1 => "only axis".to_owned(),
        (0, _) => "first axis".to_owned(),
        (at, _) if at + 1 == rank => "last axis".to_owned(),
        (_, Some(ordinal)) => format!("{ordinal} axis"),
        (at, None) => format!("axis {} of {rank}", at + 1),
    }
}

/// What is known of a tensor's values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Nothing.
    Plain,
    /// i64 values from 0 up to the axis's size.
    Index(Axis),
    /// Floats in 0..1.
    Prob,
    /// Floats above 0.
    Positive,
    /// Floats not below 0.
    NonNegative,
    /// Floats that are neither NaN nor infinite.
    Finite,
}

impl Domain {
    /// Whether a value of this domain may stand where `wanted` is (without a check).
    pub fn serves(&self, wanted: &Self, symbols: &Symbols) -> bool {
        match (self, wanted) {
            (_, Self::Plain) => true,
            (Self::Index(a), Self::Index(b)) => a.agrees(b, symbols),
            (Self::Prob | Self::Positive, Self::NonNegative) => true,
            (a, b) => a == b,
        }
    }

    /// As in a type; empty for a plain one.
    pub fn display(&self, symbols: &Symbols) -> String {
        match self {
            Self::Plain => String::new(),
            Self::Index(axis) => format!("Index[{}]", axis.display(symbols)),
            Self::Prob => "Prob".to_owned(),
            Self::Positive => "Positive".to_owned(),
            Self::NonNegative => "NonNegative".to_owned(),
            Self::Finite => "Finite".to_owned(),
        }
    }
}

/// The type of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorType {
    /// Its axes, outermost first.
    pub axes: Vec<Axis>,
    /// Its dtype.
    pub dtype: DType,
    /// What is known of its values.
    pub domain: Domain,
}

impl TensorType {
    /// A tensor of which nothing is known but shape and dtype.
    pub fn new(axes: Vec<Axis>, dtype: DType) -> Self {
        Self {
            axes,
            dtype,
            domain: Domain::Plain,
        }
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.axes.len()
    }

    /// The shape alone: `[n D]`.
    pub fn display_shape(&self, symbols: &Symbols) -> String {
        let axes: Vec<_> = self.axes.iter().map(|axis| axis.display(symbols)).collect();
        format!("[{}]", axes.join(" "))
    }

    /// As in a program; f32 is left out: `[n D]`, `[k] i64 Index[n]`.
    pub fn display(&self, symbols: &Symbols) -> String {
        let mut out = self.display_shape(symbols);
        if self.dtype != DType::F32 {
            out.push_str(&format!(" {}", self.dtype));
        }
        let domain = self.domain.display(symbols);
        if !domain.is_empty() {
            out.push_str(&format!(" {domain}"));
        }
        out
    }
}

/// Types of Python's own values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Host {
    Int,
    Float,
    Bool,
    Str,
}

impl Host {
    /// The name in a type.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Float => "float",
            Self::Bool => "bool",
            Self::Str => "str",
        }
    }
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A tensor.
    Tensor(TensorType),
    /// A host value.
    Host(Host),
    /// A Python value.
    Py,
    /// A model.
    Model(ModelId),
    /// An optimizer.
    Optimizer,
    /// Several values.
    Tuple(Vec<Type>),
    /// What a function without a result gives.
    Nothing,
    /// The type of something wrong: agrees with everything, so that no error follows another.
    Error,
}

impl Type {
    /// The tensor type of a tensor.
    pub fn tensor(&self) -> Option<&TensorType> {
        match self {
            Self::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// Whether it is the type of something wrong.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Error)
    }

    /// Whether it is a host int or float.
    pub fn is_host_number(&self) -> bool {
        matches!(self, Self::Host(Host::Int | Host::Float))
    }

    /// As in a program; models are named by `models`.
    pub fn display(&self, symbols: &Symbols, models: &dyn Fn(ModelId) -> String) -> String {
        match self {
            Self::Tensor(tensor) => tensor.display(symbols),
            Self::Host(host) => host.as_str().to_owned(),
            Self::Py => "py".to_owned(),
            Self::Model(id) => models(*id),
            Self::Optimizer => "optimizer".to_owned(),
            Self::Tuple(parts) => {
                let parts: Vec<_> = parts
                    .iter()
                    .map(|part| part.display(symbols, models))
                    .collect();
                format!("({})", parts.join(", "))
            }
            Self::Nothing => "nothing".to_owned(),
            Self::Error => "?".to_owned(),
        }
    }
}
