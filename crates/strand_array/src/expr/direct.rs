//! Reductions of an array's own elements, read where they lie.
//!
//! The bits are those of the block-wise evaluation: both fold with the same tree.

use super::Expr;
use super::program::{Code, Program};
use crate::array::Array;
use crate::kernels::{Joins, Lane, TileFold};
use crate::plan::Domain;
use crate::walk::Walk;

/// Bytes of a row of a tile: rows are read in long pieces, and the lanes fit the second-level cache.
const TILE_BYTES: usize = 16 << 10;

/// The operand of a program that loads it and does nothing else, with its strides and its elements.
fn operand<'a, T: Lane>(
    program: &Program,
    expr: &'a Expr,
    domain: &'a Domain,
) -> Option<(&'a Array, &'a [isize], &'a [T])> {
    let [step] = program.steps.as_slice() else {
        return None;
    };
    let Code::Load(k) = step.code else {
        return None;
    };
    let array = expr.inputs.get(k)?;
    if array.dtype() != T::DTYPE || !array.is_aligned() {
        return None;
    }
    Some((array, domain.strides.get(k)?, array.block.slice::<T>()))
}

/// Writes `f(row)` for every row of `count` elements that lie in one piece; false if they don't.
pub(super) fn rows<T: Lane, R>(
    program: &Program,
    expr: &Expr,
    domain: &Domain,
    count: usize,
    out: &mut [R],
    f: impl Fn(&[T]) -> R,
) -> bool {
    let Some((array, strides, data)) = operand::<T>(program, expr, domain) else {
        return false;
    };
    let (Some((size, shape)), Some((stride, outer))) =
        (domain.shape.split_last(), strides.split_last())
    else {
        return false;
    };
    if *size != count || *stride != size_of::<T>() as isize {
        return false;
    }
    let mut walk = Walk::new(shape, outer, array.offset);
    for o in out {
        let first = walk.next_offset().unwrap_or_default() / size_of::<T>();
        *o = f(data.get(first..first + count).unwrap_or_default());
    }
    true
}

/// Folds the last axis but one, whose rows lie in one piece each; false if they don't.
pub(super) fn columns<T: Lane>(
    program: &Program,
    expr: &Expr,
    domain: &Domain,
    joins: Joins<T>,
    count: usize,
    out: &mut [T],
) -> bool {
    let Some((array, strides, data)) = operand::<T>(program, expr, domain) else {
        return false;
    };
    let item = size_of::<T>() as isize;
    let ([shape @ .., rows, width], [outer @ .., apart, step]) = (domain.shape.as_slice(), strides)
    else {
        return false;
    };
    if *rows != count || *step != item || *apart < 0 {
        return false;
    }
    let apart = (*apart / item) as usize;
    let mut from = 0;
    while from < *width {
        let tile = (TILE_BYTES / size_of::<T>()).min(width - from);
        let mut fold = TileFold::new(joins, tile);
        let mut walk = Walk::new(shape, outer, array.offset);
        for results in out.chunks_exact_mut(*width) {
            let first = walk.next_offset().unwrap_or_default() / size_of::<T>() + from;
            fold.feed_apart(data.get(first..).unwrap_or_default(), apart, *rows);
            if let Some(results) = results.get_mut(from..from + tile) {
                fold.finish(results);
            }
        }
        from += tile;
    }
    true
}
