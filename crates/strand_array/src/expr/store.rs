//! Results that keep the common shape.

use super::machine::{Machine, Target};
use super::program::{Code, Program};
use super::spent::{self, Spent};
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

/// Results that are to be stored, before there is memory for them.
struct Plan {
    program: Program,
    domain: Domain,
    /// The axes in the order in which results lie.
    order: Vec<usize>,
}

impl Plan {
    /// Results that lie as the inputs do, or in C order.
    fn new(expr: &Expr, shape: &[usize], nodes: &[usize], as_inputs: bool) -> Result<Self> {
        element_count(shape)?;
        let program =
            Program::compile(expr, &nodes.iter().map(|n| (*n, None)).collect::<Vec<_>>())?;
        let strides = input_strides(expr, shape)?;
        let mut order: Vec<usize> = (0..shape.len()).collect();
        if as_inputs {
            order_by_stride(&mut order, &strides);
        }
        let long: Vec<usize> = order
            .iter()
            .copied()
            .filter(|a| shape.get(*a) != Some(&1))
            .collect();
        let mut domain = Domain::of_axes(&long, shape, &strides);
        domain.coalesce();
        Ok(Self {
            program,
            domain,
            order,
        })
    }

    fn run(
        self,
        ctx: &Context,
        expr: &Expr,
        shape: &[usize],
        spent: Option<Spent>,
    ) -> Result<Vec<Array>> {
        let (program, domain) = (&self.program, &self.domain);
        let places = spent.as_ref().map(|spent| (spent.operand, spent.result));
        let (mut targets, fresh) = make_targets(ctx, program, shape, spent)?;
        if !shape.contains(&0) && !turned::copy(program, expr, domain, &mut targets) {
            let mut machine = Machine::new(ctx, program, &expr.inputs, domain);
            machine.spent = places;
            machine.run(&mut targets, &mut |_, _, _| Ok(()))?;
        }
        ctx.report(|| Report {
            ops: names(program),
            kind: loop_kind(program, domain),
            shape: domain.shape.clone(),
            strides: domain.strides.clone(),
            bytes: fresh,
        });
        targets
            .into_iter()
            .map(|t| array_in_order(t.block, t.dtype, shape, &self.order))
            .collect()
    }
}

/// Evaluates the nodes in one pass and stores each.
pub(super) fn store(
    ctx: &Context,
    expr: &Expr,
    shape: &[usize],
    nodes: &[usize],
) -> Result<Vec<Array>> {
    Plan::new(expr, shape, nodes, true)?.run(ctx, expr, shape, None)
}

/// As [`store`], where an input that nobody else holds may give its memory to a result.
pub(super) fn store_spending(
    ctx: &Context,
    mut expr: Expr,
    shape: &[usize],
    nodes: &[usize],
) -> Result<Vec<Array>> {
    let plan = Plan::new(&expr, shape, nodes, true)?;
    let spent = spent::find(ctx, &mut expr.inputs, &plan.program, &plan.domain)?;
    plan.run(ctx, &expr, shape, spent)
}

/// Stores one node C-contiguous, whatever the layout of the inputs.
pub(crate) fn store_contiguous(ctx: &Context, expr: &Expr, node: usize) -> Result<Array> {
    let shape = expr.shape()?;
    let plan = Plan::new(expr, &shape, &[node], false)?;
    let mut arrays = plan.run(ctx, expr, &shape, None)?;
    arrays.pop().ok_or(ArrayError::BadExpr { why: "no result" })
}

/// Whether a result's step is computed straight into the result's block.
pub(super) fn is_direct(program: &Program, step: usize) -> bool {
    let used = program.steps.iter().any(|s| s.code.uses(step));
    let once = program.results.iter().filter(|r| **r == step).count() == 1;
    program.steps.get(step).is_some_and(|found| {
        let computed = !matches!(found.code, Code::Const(_) | Code::Load(_));
        computed && once && !used && found.dtype.wide().is_some()
    })
}

/// A target for each result, one of which may have an operand's block, and the bytes that the others take.
fn make_targets(
    ctx: &Context,
    program: &Program,
    shape: &[usize],
    mut spent: Option<Spent>,
) -> Result<(Vec<Target>, usize)> {
    let mut targets = Vec::with_capacity(program.results.len());
    let mut fresh = 0;
    for (number, &step) in program.results.iter().enumerate() {
        let found = program.steps.get(step).ok_or(ArrayError::BadExpr {
            why: "no such step",
        })?;
        let block = match spent.take_if(|spent| spent.result == number) {
            Some(spent) => spent.block,
            None => {
                let bytes = Array::byte_count(shape, found.dtype.size())?;
                fresh += bytes;
                ctx.block(bytes)?
            }
        };
        targets.push(Target {
            step,
            block,
            dtype: found.dtype,
            direct: is_direct(program, step),
        });
    }
    Ok((targets, fresh))
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
