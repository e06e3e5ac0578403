//! Elementwise expressions, evaluated in one pass over memory.

mod compiled;
mod direct;
mod machine;
pub(crate) mod program;
mod reduce_out;
mod spent;
mod store;
mod turned;

pub(crate) use store::store_contiguous;

use crate::array::Array;
use crate::context::Context;
use crate::dtype::{DType, Scalar};
use crate::elementwise::side_by_side;
use crate::error::{ArrayError, Result};
use crate::layout::broadcast_shapes;
use crate::ops::{BinaryOp, UnaryOp};
use crate::reduce::ReduceOp;

/// One step of an expression. Operands are numbers of earlier nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node {
    /// An input array.
    Input(usize),
    /// A constant.
    Const(Scalar),
    /// A function of one operand.
    Unary(UnaryOp, usize),
    /// A function of two operands, which promote to a common dtype.
    Binary(BinaryOp, usize, usize),
    /// The second operand where the first isn't zero, else the third; `torch.where`.
    Select(usize, usize, usize),
    /// A conversion.
    Cast(DType, usize),
}

/// What becomes of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Out {
    /// An array of the common shape.
    Store(usize),
    /// A reduction of the node over some axes of the common shape.
    Reduce {
        /// The node.
        node: usize,
        /// How its elements are joined.
        op: ReduceOp,
        /// The axes that go away; exactly these.
        axes: Vec<usize>,
        /// Whether they stay with size 1.
        keepdims: bool,
    },
}

/// A group of elementwise operations over inputs that broadcast to one shape, with what to keep.
///
/// The result has the same bits as the operations done one at a time.
#[derive(Clone, Debug, Default)]
pub struct Expr {
    /// Arrays that broadcast together.
    pub inputs: Vec<Array>,
    /// Steps; each refers to earlier ones only.
    pub nodes: Vec<Node>,
    /// Results, in order.
    pub outs: Vec<Out>,
}

impl Expr {
    /// An expression without nodes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an input array; gives its node.
    pub fn input(&mut self, array: &Array) -> usize {
        self.inputs.push(array.clone());
        self.push(Node::Input(self.inputs.len() - 1))
    }

    /// Adds a node; gives its number.
    pub fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The shape that the inputs broadcast to; rank 0 without inputs.
    ///
    /// # Errors
    /// `Broadcast`.
    pub fn shape(&self) -> Result<Vec<usize>> {
        let shapes = self.inputs.iter().map(Array::shape);
        shapes
            .into_iter()
            .try_fold(Vec::new(), |all, shape| broadcast_shapes(&all, shape))
    }

    /// The dtype of each node.
    ///
    /// # Errors
    /// `Unsupported` operations; `BadExpr` for a reference to no earlier node.
    pub fn dtypes(&self) -> Result<Vec<DType>> {
        let mut found: Vec<DType> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let of = |n: usize| {
                found.get(n).copied().ok_or(ArrayError::BadExpr {
                    why: "a node refers to a later one",
                })
            };
            found.push(match *node {
                Node::Input(k) => {
                    let input = self.inputs.get(k);
                    input
                        .ok_or(ArrayError::BadExpr {
                            why: "a node refers to an input that isn't there",
                        })?
                        .dtype()
                }
                Node::Const(value) => value.dtype(),
                Node::Unary(op, a) => op.types(of(a)?)?.1,
                Node::Binary(op, a, b) => op.types(of(a)?, of(b)?)?.1,
                Node::Select(c, a, b) => {
                    of(c)?;
                    of(a)?.promote(of(b)?)
                }
                Node::Cast(dtype, a) => {
                    of(a)?;
                    dtype
                }
            });
        }
        Ok(found)
    }

    /// Evaluates the group; one array per item of `outs`.
    ///
    /// Stored results have NumPy's K-order layout: they are contiguous in the order in which the
    /// inputs lie.
    ///
    /// # Errors
    /// `Broadcast`, `Unsupported`, `ZeroDivision`, `NegativePower`, `EmptyReduction`,
    /// `OutOfMemory`, `BadExpr`.
    pub fn eval(&self, ctx: &Context) -> Result<Vec<Array>> {
        if let ([Node::Input(0), Node::Input(1), Node::Binary(op, 0, 1)], [Out::Store(2)], [a, b]) = (
            self.nodes.as_slice(),
            self.outs.as_slice(),
            self.inputs.as_slice(),
        ) && let Some(result) = side_by_side(ctx, *op, a, b)?
        {
            return Ok(vec![result]);
        }
        let shape = self.shape()?;
        self.dtypes()?;
        let mut results: Vec<Option<Array>> = vec![None; self.outs.len()];
        let stored: Vec<usize> = self
            .outs
            .iter()
            .filter_map(|o| {
                if let Out::Store(n) = o {
                    Some(*n)
                } else {
                    None
                }
            })
            .collect();
        if !stored.is_empty() {
            let mut arrays = store::store(ctx, self, &shape, &stored)?.into_iter();
            for (result, out) in results.iter_mut().zip(&self.outs) {
                if matches!(out, Out::Store(_)) {
                    *result = arrays.next();
                }
            }
        }
        for (result, out) in results.iter_mut().zip(&self.outs) {
            if let Out::Reduce {
                node,
                op,
                axes,
                keepdims,
            } = out
            {
                *result = Some(reduce_out::reduce(
                    ctx, self, &shape, *node, *op, axes, *keepdims,
                )?);
            }
        }
        results
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .ok_or(ArrayError::BadExpr { why: "no result" })
    }

    /// As [`Self::eval`], for the last use of its inputs: one that nobody else holds may give its memory to a result
    /// of its dtype and layout, as NumPy's temporary elision does for operators. The bits are the same.
    ///
    /// # Errors
    /// As [`Self::eval`].
    pub fn eval_spending(self, ctx: &Context) -> Result<Vec<Array>> {
        let node = |out: &Out| match out {
            Out::Store(node) => Some(*node),
            Out::Reduce { .. } => None,
        };
        let nodes: Option<Vec<usize>> = self.outs.iter().map(node).collect();
        match nodes {
            Some(nodes) if self.inputs.iter().any(|x| spent::may_be(ctx, x)) => {
                let shape = self.shape()?;
                self.dtypes()?;
                store::store_spending(ctx, self, &shape, &nodes)
            }
            _ => self.eval(ctx),
        }
    }

    /// Evaluates an expression with one result.
    pub(crate) fn eval_one(&self, ctx: &Context) -> Result<Array> {
        self.eval(ctx)?
            .pop()
            .ok_or(ArrayError::BadExpr { why: "no result" })
    }

    /// Evaluates and stores one node.
    pub(crate) fn store(mut self, ctx: &Context, node: usize) -> Result<Array> {
        self.outs = vec![Out::Store(node)];
        self.eval_one(ctx)
    }
}
