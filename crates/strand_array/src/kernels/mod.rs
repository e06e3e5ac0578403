//! Inner loops over contiguous blocks of elements.
//!
//! Each operation and dtype has one loop, chosen once per block. The loops are plain Rust over
//! slices, written so that LLVM turns them into SIMD, and give the same bits on every target.

mod binary;
mod cast;
#[allow(unsafe_code)]
mod fold;
pub(crate) mod lanes;
pub(crate) mod math;
mod narrow;
#[allow(unsafe_code)]
mod product;
mod rows;
#[allow(unsafe_code)]
mod running;
#[allow(unsafe_code)]
mod simd;
#[allow(unsafe_code)]
mod softmax;
mod span;
pub(crate) mod terms;
mod tile;
#[allow(unsafe_code)]
mod transpose;
mod unary;
pub(crate) mod vector_math;

pub(crate) use binary::{binary, maximum, minimum, select};
pub(crate) use cast::cast;
pub(crate) use fold::{Joins, Max, Min, Prod, RowFold, Sum};
pub(crate) use narrow::{Raw, round, store, widen};
pub(crate) use product::{Lines, MR, Ring, Tile, multiply_panels};
pub(crate) use rows::{RowFloat, layer_norm, log_softmax};
pub(crate) use running::running_sums;
pub(crate) use simd::{Splat, WideSplat, count_set};
pub(crate) use span::{Lane, Reg, Span, SpanMut};
pub(crate) use tile::TileFold;
pub(crate) use transpose::transpose;
pub(crate) use unary::unary;
