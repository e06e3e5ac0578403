//! A strided n-dimensional array engine with NumPy's semantics.
//!
//! An [`Array`] is a shared block of bytes, an offset, a shape and byte strides. Views are other
//! layouts over the same block. Errors are [`ArrayError`] values. The crate has two faces:
//!
//! - What the language runs on, at the root: expressions ([`Expr`], [`unary`], [`binary`]), reductions,
//!   [`matmul`], [`index`], [`sort()`], [`concat()`]. They take a [`Context`], which limits memory and collects
//!   reports of what ran, make new arrays, and have PyTorch's values and promotion. The page's engine
//!   links these alone, with [`npy::read`].
//! - NumPy, with its names, its values and its writing in place, on every dtype, byte order and layout:
//!   [`ufunc`], [`indexing`], [`selection`], [`sorting`], [`joining`], [`cumulative`], [`linalg`], [`iter`],
//!   [`memory`], [`npy`], [`assign()`], [`from_any`], [`astype`]. [`extend`] makes modules of functions of them.

#![deny(unsafe_code)]

mod array;
mod assign;
mod axis;
#[allow(unsafe_code)]
mod block;
mod cast;
mod context;
pub mod cumulative;
mod descr;
mod dtype;
mod elementwise;
mod error;
mod expr;
pub mod extend;
mod found;
mod half;
mod index;
pub mod indexing;
mod item;
pub mod iter;
mod join;
pub mod joining;
mod kernels;
mod lanes;
mod layout;
pub mod linalg;
mod make;
mod matmul;
pub mod memory;
pub mod multi;
mod narrow;
pub mod npy;
mod object;
mod ops;
mod place;
mod plan;
mod print;
mod promote;
pub mod random;
mod reduce;
mod rows;
pub mod selection;
pub mod sorting;
mod take;
pub mod ufunc;
mod value;
mod views;
mod walk;

pub use array::{Array, Flags};
pub use assign::{assign, assign_where, copy_in_order};
pub use axis::{ScanOp, argsort, scan, sort, topk};
pub use block::{ALIGN, Block, MAX_BYTES, Pod, allocated};
pub use cast::{Casting, astype, can_cast, check_cast};
pub use context::{Context, IndexPath, LoopKind, Report};
pub use descr::{Descr, Field, Fields, Functions, UserType, register};
pub use dtype::{DType, Element, Scalar};
pub use elementwise::{binary, clamp, select, unary};
pub use error::{ArrayError, Result};
pub use expr::{Expr, Node, Out};
pub use found::Found;
pub use index::{IndexItem, index, index_set, take_batched};
pub use item::{Item, Operator, ScalarKind, compare_arrays, operate, void_equal};
pub use join::{concat, diag, one_hot, roll, stack, tril, triu};
pub use layout::{MAX_RANK, broadcast_shapes};
pub use make::{
    AnyOptions, Copies, Number, Requirements, WriteBack, from_any, from_any_subtype, inout,
};
pub use matmul::matmul;
pub use object::live_objects;
pub use ops::{BinaryOp, UnaryOp};
pub use place::{put_at, searchsorted};
pub use plan::{Loops, Order, Outer, Step, k_strides};
pub use print::{FloatMode, PrintOptions, array_repr, array_str};
pub use promote::{Weak, promote_types, result_type, with_weak};
pub use reduce::{ReduceOp, layer_norm, log_softmax, normalize, reduce, softmax};
pub use take::{compress, nonzero, take, take_along_axis};
pub use value::{ArrayInterface, HostValue, Value};
