//! Results that keep the common shape.

use super::machine::{Machine, Target};
use super::program::{Code, Program};
use super::{Expr, turned};
use crate::array::Array;
use crate::block::Block;
use crate::context::{Context, LoopKind, Report};
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::layout::{broadcast_strides, c_strides, element_count};
use crate::plan::{Domain, order_by_stride, pick};

/// Strides of every input over the common shape.
pub(super) fn input_strides(expr: &Expr, shape: &[usize]) -> Result<Vec<Vec<isize>>> {
    expr.inputs
        .iter()
        .map(|a| broadcast_strides(a.shape(), a.strides(), shape))
        .collect()
}

/// Names of the operations; a bare load is a copy.
pub(super) fn names(program: &Program) -> Vec<&'static str> {
    if program.names.is_empty() {
        vec!["copy"]
    } else {
        program.names.clone()
    }
}

pub(super) fn loop_kind(program: &Program, domain: &Domain) -> LoopKind {
    if program.was_compiled.get() {
        return LoopKind::Compiled;
    }
    match (program.names.len(), domain.shape.len()) {
        (0 | 1, 0 | 1) => LoopKind::One,
        (0 | 1, _) => LoopKind::Strided,
        _ => LoopKind::Fused,
    }
}

/// Evaluates the nodes in one pass and stores each.
pub(super) fn store(
    ctx: &Context,
    expr: &Expr,
    shape: &[usize],
    nodes: &[usize],
) -> Result<Vec<Array>> {
    element_count(shape)?;
    let program = Program::compile(expr, &nodes.iter().map(|n| (*n, None)).collect::<Vec<_>>())?;
    let strides = input_strides(expr, shape)?;
    let mut order: Vec<usize> = (0..shape.len()).collect();
    order_by_stride(&mut order, &strides);
    store_in_order(ctx, expr, &program, shape, &strides, &order)
}

/// Stores one node C-contiguous, whatever the layout of the inputs.
pub(crate) fn store_contiguous(ctx: &Context, expr: &Expr, node: usize) -> Result<Array> {
    let shape = expr.shape()?;
    let program = Program::compile(expr, &[(node, None)])?;
    let strides = input_strides(expr, &shape)?;
    let order: Vec<usize> = (0..shape.len()).collect();
    let mut arrays = store_in_order(ctx, expr, &program, &shape, &strides, &order)?;
    arrays.pop().ok_or(ArrayError::BadExpr { why: "no result" })
}

fn store_in_order(
    ctx: &Context,
    expr: &Expr,
    program: &Program,
    shape: &[usize],
    strides: &[Vec<isize>],
    order: &[usize],
) -> Result<Vec<Array>> {
    let long: Vec<usize> = order
        .iter()
        .copied()
        .filter(|a| shape.get(*a) != Some(&1))
        .collect();
    let mut domain = Domain::of_axes(&long, shape, strides);
    domain.coalesce();
    let mut targets = make_targets(ctx, program, shape)?;
    if !shape.contains(&0) && !turned::copy(program, expr, &domain, &mut targets) {
        let mut machine = Machine::new(ctx, program, &expr.inputs, &domain);
        machine.run(&mut targets, &mut |_, _, _| Ok(()))?;
    }
    ctx.report(|| Report {
        ops: names(program),
        kind: loop_kind(program, &domain),
        shape: domain.shape.clone(),
        strides: domain.strides.clone(),
        bytes: targets.iter().map(|t| t.block.len()).sum(),
    });
    targets
        .into_iter()
        .map(|t| array_in_order(t.block, t.dtype, shape, order))
        .collect()
}

fn make_targets(ctx: &Context, program: &Program, shape: &[usize]) -> Result<Vec<Target>> {
    let used = |step: usize| program.steps.iter().any(|s| s.code.uses(step));
    let once = |step: usize| program.results.iter().filter(|r| **r == step).count() == 1;
    let targets = program.results.iter().map(|&step| {
        let found = program.steps.get(step).ok_or(ArrayError::BadExpr {
            why: "no such step",
        })?;
        let computed = !matches!(found.code, Code::Const(_) | Code::Load(_));
        let block = ctx.block(Array::byte_count(shape, found.dtype.size())?)?;
        let direct = computed && once(step) && !used(step) && found.dtype.wide().is_some();
        Ok(Target {
            step,
            block,
            dtype: found.dtype,
            direct,
        })
    });
    targets.collect()
}

/// A result whose elements were written with the axes in `order`.
pub(super) fn array_in_order(
    block: Block,
    dtype: DType,
    shape: &[usize],
    order: &[usize],
) -> Result<Array> {
    let ordered = c_strides(&pick(order, shape), dtype.size())?;
    let mut strides = vec![0; shape.len()];
    for (&axis, &stride) in order.iter().zip(&ordered) {
        if let Some(s) = strides.get_mut(axis) {
            *s = stride;
        }
    }
    Array::from_parts(block.into(), 0, shape, &strides, dtype).map(Array::owning)
}
