//! Copies in which two axes compete for the short stride: a transpose goes by square tiles.

use super::Expr;
use super::machine::Target;
use super::program::{Code, Program};
use crate::dtype::by_width;
use crate::kernels;
use crate::layout::c_strides;
use crate::plan::{Domain, pick};
use crate::walk::Walk;

/// The least size of both axes for which tiles pay.
const LEAST: usize = 8;

/// Writes the copy, if the program is one whose last axis isn't the operand's innermost; else false.
pub(super) fn copy(
    program: &Program,
    expr: &Expr,
    domain: &Domain,
    targets: &mut [Target],
) -> bool {
    let ([step], [target]) = (program.steps.as_slice(), targets) else {
        return false;
    };
    let Code::Load(k) = step.code else {
        return false;
    };
    let (Some(array), Some(strides)) = (expr.inputs.get(k), domain.strides.get(k)) else {
        return false;
    };
    let item = array.item_size();
    let (Some(last), true) = (domain.shape.len().checked_sub(1), array.is_aligned()) else {
        return false;
    };
    let Some(inner) = strides.iter().position(|s| *s == item as isize) else {
        return false;
    };
    let (Some(&rows), Some(&columns)) = (domain.shape.get(inner), domain.shape.get(last)) else {
        return false;
    };
    let from_stride = strides.get(last).copied().unwrap_or_default();
    if inner == last || from_stride <= 0 || rows < LEAST || columns < LEAST {
        return false;
    }
    let Ok(out_strides) = c_strides(&domain.shape, item) else {
        return false;
    };
    let from_stride = from_stride as usize / item;
    let to_stride = out_strides.get(inner).map_or(0, |s| *s as usize / item);
    let others: Vec<usize> = (0..last).filter(|axis| *axis != inner).collect();
    let (shape, from) = (pick(&others, &domain.shape), pick(&others, strides));
    let to = pick(&others, &out_strides);
    let mut sources = Walk::new(&shape, &from, array.offset);
    let mut places = Walk::new(&shape, &to, 0);
    by_width!(item, T => {
        let data = array.block.slice::<T>();
        let out = target.block.slice_mut::<T>();
        while let (Some(source), Some(place)) = (sources.next_offset(), places.next_offset()) {
            let from = data.get(source / item..).unwrap_or_default();
            let to = out.get_mut(place / item..).unwrap_or_default();
            kernels::transpose(from, from_stride, to, to_stride, (rows, columns));
        }
        true
    }, else false)
}
