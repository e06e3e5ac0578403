//! Values, outside and inside a run.

use std::rc::Rc;

use strand_array::{Array, Context, DType, Scalar};
use strand_ir::ModelId;
use strand_source::Span;

use crate::graph::{Graph, Node};
use crate::levels::Levels;

/// A value as it goes into a run and comes out of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value {
    /// A tensor.
    Tensor(Array),
    /// A host int.
    Int(i64),
    /// A host float.
    Float(f64),
    /// A host bool.
    Bool(bool),
    /// A text.
    Str(String),
    /// Several values.
    Tuple(Vec<Value>),
    /// A model: its name and its fields in order.
    Model(String, Vec<(String, Value)>),
    /// What a function without a result gives.
    Nothing,
}

impl Value {
    /// The kind, for messages: "a tensor", "an int".
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Tensor(_) => "a tensor",
            Self::Int(_) => "an int",
            Self::Float(_) => "a float",
            Self::Bool(_) => "a bool",
            Self::Str(_) => "a text",
            Self::Tuple(_) => "a tuple",
            Self::Model(..) => "a model",
            Self::Nothing => "nothing",
        }
    }
}

/// A value inside a run.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Tensor(Tensor),
    Int(i64),
    Float(f64),
    Bool(bool),
    Str(Rc<str>),
    Tuple(Rc<[Val]>),
    /// The fields of a model, copied when one of several holders changes them.
    Model(ModelId, Rc<Vec<Val>>),
    Nothing,
    /// A variable that hasn't been bound.
    Unset,
}

/// A tensor inside a run: its elements, and the chain levels that its leading axes are.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    pub(crate) data: Data,
    pub(crate) levels: Levels,
}

/// The elements of a tensor.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    /// A `[]` tensor that no array is needed for.
    Scalar(Scalar),
    Node(Rc<Node>),
}

/// An array of whole numbers as `dtype`, i64 or bool.
pub(crate) fn whole_numbers(
    ctx: &Context,
    values: &[i64],
    shape: &[usize],
    dtype: DType,
) -> strand_array::Result<Array> {
    Array::from_slice(ctx, values, shape)?.cast(ctx, dtype)
}

/// An array of floats as `dtype`, f64 or f32.
pub(crate) fn floats(
    ctx: &Context,
    values: &[f64],
    shape: &[usize],
    dtype: DType,
) -> strand_array::Result<Array> {
    Array::from_slice(ctx, values, shape)?.cast(ctx, dtype)
}

impl Tensor {
    pub(crate) fn scalar(value: Scalar) -> Self {
        Self {
            data: Data::Scalar(value),
            levels: Levels::NONE,
        }
    }

    pub(crate) fn node(node: Rc<Node>, levels: Levels) -> Self {
        Self {
            data: Data::Node(node),
            levels,
        }
    }

    /// A tensor of a computed array without chain levels.
    pub(crate) fn array(graph: &mut Graph, array: Array, span: Span) -> Self {
        Self::node(graph.ready(array, span), Levels::NONE)
    }

    pub(crate) fn dtype(&self) -> DType {
        match &self.data {
            Data::Scalar(value) => value.dtype(),
            Data::Node(node) => node.dtype(),
        }
    }

    /// The array's shape: levels first.
    pub(crate) fn shape(&self) -> &[usize] {
        match &self.data {
            Data::Scalar(_) => &[],
            Data::Node(node) => node.shape(),
        }
    }

    /// The sizes of the tensor's own axes.
    pub(crate) fn own_shape(&self) -> &[usize] {
        self.shape().get(self.levels.count()..).unwrap_or(&[])
    }

    /// How many axes of its own it has.
    pub(crate) fn rank(&self) -> usize {
        self.own_shape().len()
    }
}
