//! Inputs that nobody needs any more, whose memory becomes a result's.
//!
//! Both the memory that a run takes and what a pass moves are less so: a result in other memory is fetched before it
//! is written.

use std::rc::Rc;

use super::program::{Code, Program, Step};
use super::store::is_direct;
use crate::array::Array;
use crate::block::Block;
use crate::context::Context;
use crate::error::Result;
use crate::jit::Kernels;
use crate::layout::is_c_contiguous;
use crate::plan::Domain;

/// Smaller results go where the allocator says: they stay in cache.
const LEAST: usize = 32 << 10;
/// A single step has a loop of its own, for two blocks; only beyond the cache is a compiled one in one block better.
const LEAST_OF_ONE: usize = 1 << 20;

/// The fewest bytes that are worth it.
fn least(ctx: &Context, one_step: bool) -> usize {
    match (ctx.kernels().is_some_and(Kernels::is_eager), one_step) {
        (true, _) => 1,
        (false, true) => LEAST_OF_ONE,
        (false, false) => LEAST,
    }
}

/// Whether [`find`] may find one.
pub(super) fn may_be(ctx: &Context, input: &Array) -> bool {
    input.block.len() >= least(ctx, false) && ctx.owns_alone(&input.block)
}

/// The block of an operand for a result.
pub(super) struct Spent {
    pub(super) operand: usize,
    pub(super) result: usize,
    pub(super) block: Block,
}

/// Takes the block out of the first input that a result can have; an empty array stands there then.
///
/// Nothing else may hold the block, its elements must lie where those of the result are to be, each at its own place,
/// and they must be loaded, for the last time, before the result is computed.
pub(super) fn find(
    ctx: &Context,
    inputs: &mut [Array],
    program: &Program,
    domain: &Domain,
) -> Result<Option<Spent>> {
    let bytes = |item: usize| domain.len().checked_mul(item);
    let one_step = program.computed() < 2;
    let least = least(ctx, one_step);
    for (loaded, step) in program.steps.iter().enumerate() {
        let Code::Load(operand) = step.code else {
            continue;
        };
        let again = |later: &Step| later.code == step.code;
        if program.steps.iter().skip(loaded + 1).any(again) {
            continue;
        }
        let (Some(input), Some(strides)) = (inputs.get_mut(operand), domain.strides.get(operand))
        else {
            continue;
        };
        if one_step && (ctx.kernels().is_none() || !step.dtype.is_float()) {
            continue;
        }
        let item = input.item_size();
        let fits = input.offset == 0
            && input.is_aligned()
            && bytes(item) == Some(input.block.len())
            && is_c_contiguous(&domain.shape, strides, item);
        if !fits || input.block.len() < least || !ctx.owns_alone(&input.block) {
            continue;
        }
        let result = program.results.iter().position(|&result| {
            let dtype = program.steps.get(result).map(|step| step.dtype);
            loaded < result && dtype == Some(step.dtype) && is_direct(program, result)
        });
        let Some(result) = result else {
            continue;
        };
        let empty = Array::from_block(ctx.block(0)?, &[0], step.dtype)?;
        let input = std::mem::replace(input, empty);
        if let Ok(block) = Rc::try_unwrap(input.block) {
            ctx.count_spent();
            return Ok(Some(Spent {
                operand,
                result,
                block,
            }));
        }
    }
    Ok(None)
}
