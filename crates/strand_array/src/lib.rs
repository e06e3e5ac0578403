//! A strided n-dimensional array engine with NumPy's semantics.
//!
//! An [`Array`] is a shared block of bytes, an offset, a shape and byte strides. Views are other
//! layouts over the same block. Operations take a [`Context`], which limits memory and collects
//! reports of what ran. Values follow PyTorch; layouts and indexing follow NumPy.

#![deny(unsafe_code)]

mod array;
#[allow(unsafe_code)]
mod block;
mod context;
mod dtype;
mod elementwise;
mod error;
mod expr;
mod kernels;
mod layout;
mod ops;
mod plan;
mod reduce;
mod views;
mod walk;

pub use array::{Array, Flags};
pub use block::{ALIGN, Block, MAX_BYTES, Pod};
pub use context::{Context, LoopKind, Report};
pub use dtype::{DType, Element, Scalar};
pub use elementwise::{binary, clamp, select, unary};
pub use error::{ArrayError, Result};
pub use expr::{Expr, Node, Out};
pub use layout::{MAX_RANK, broadcast_shapes};
pub use ops::{BinaryOp, UnaryOp};
pub use reduce::{ReduceOp, layer_norm, log_softmax, normalize, reduce, softmax};
