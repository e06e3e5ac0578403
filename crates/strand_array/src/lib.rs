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

//!
//! # Unsafe code
//!
//! It stands where memory is made (`block`), where elements are computed or moved (`kernels`, and of
//! `ufunc` `kernels`, `table`, `machine`, `fold` and `found`; `cast`, `indexing::gather`, `indexing::mask`,
//! `selection::rows`), where compiled loops are called (`jit::call`), and in `strip`, which makes addresses of
//! positions that it has checked. Its proofs argue from these:
//!
//! - I1: a block is one live allocation, 64-byte aligned, at most [`MAX_BYTES`], all of it initialised, of one
//!   thread.
//! - I2: every byte of every element of an array lies in its block; array and strip check it, in wide numbers.
//! - I3: a block that several arrays share is written through raw pointers alone, with no slice of it alive.
//! - I4: a loop gets `n` elements of each operand. That an output is an input's elements or apart from them is
//!   a matter of values: loops read and write single elements through raw pointers.
//! - I5: an index array isn't written between the check of its positions and their use.
//! - I6: a host value is named by a number that is looked up; one that names nothing is `None`.

#![deny(unsafe_code)]
// A panic ends the page's engine. Tests may.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

#[allow(
    clippy::arithmetic_side_effects,
    reason = "sizes and offsets of arrays that are proved to lie in their blocks"
)]
mod array;
mod assign;
#[allow(
    clippy::arithmetic_side_effects,
    reason = "positions on axes of arrays"
)]
mod axis;
#[allow(unsafe_code)]
#[allow(
    clippy::arithmetic_side_effects,
    reason = "sizes of at most 2 GiB, and counts of blocks"
)]
mod block;
mod cast;
mod context;
#[allow(
    clippy::arithmetic_side_effects,
    reason = "positions on axes of arrays"
)]
pub mod cumulative;
mod descr;
mod dtype;
mod elementwise;
mod error;
#[allow(
    clippy::arithmetic_side_effects,
    reason = "positions in blocks of a fixed size and rows of arrays"
)]
mod expr;
pub mod extend;
mod found;
mod half;
mod index;
pub mod indexing;
mod item;
pub mod iter;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "numbers of locals, nodes and bytes of the code that it writes"
)]
pub mod jit;
mod join;
pub mod joining;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "counters and positions within the operands, in the innermost loops"
)]
mod kernels;
mod lanes;
mod layout;
pub mod linalg;
mod make;
#[allow(
    clippy::arithmetic_side_effects,
    reason = "positions in panels and tiles of arrays"
)]
mod matmul;
#[allow(
    clippy::arithmetic_side_effects,
    reason = "sums of products of 64-bit numbers, in 128 bits"
)]
pub mod memory;
pub mod multi;
mod narrow;
pub mod npy;
mod object;
mod ops;
mod place;
mod plan;
#[allow(
    clippy::arithmetic_side_effects,
    reason = "digits, columns and positions in a line of text"
)]
mod print;
mod promote;
pub mod random;
#[allow(
    clippy::arithmetic_side_effects,
    reason = "positions on axes of arrays"
)]
mod reduce;
#[allow(
    clippy::arithmetic_side_effects,
    reason = "positions in rows of arrays"
)]
mod rows;
pub mod selection;
pub mod sorting;
#[cfg(test)]
mod sound;
#[allow(unsafe_code)]
mod strip;
#[allow(
    clippy::arithmetic_side_effects,
    reason = "positions on axes of arrays"
)]
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
pub use index::{IndexItem, index, index_put, index_set, take_batched};
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
pub use value::{ArrayInterface, HostValue, Sequence, Value};
