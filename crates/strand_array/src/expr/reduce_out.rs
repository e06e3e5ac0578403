//! Results that reduce a node over axes.

use super::direct;
use super::machine::{CHUNK, Machine};
use super::program::Program;
use super::store::{array_in_order, input_strides, loop_kind, names};
use super::{Expr, Node};
use crate::array::Array;
use crate::block::Block;
use crate::context::{Context, Report};
use crate::dtype::{DType, Scalar};
use crate::error::{ArrayError, Result};
use crate::kernels::{Joins, Lane, Max, Min, Prod, RowFold, Sum, TileFold};
use crate::layout::{axis_flags, element_count};
use crate::ops::{BinaryOp, UnaryOp};
use crate::plan::{Domain, order_by_stride, pick};
use crate::reduce::{self, ReduceOp};

/// Columns that are folded side by side: their lanes fit the first-level cache.
const TILE: usize = CHUNK / 2;

/// Evaluates one reduction of `node`.
pub(super) fn reduce(
    ctx: &Context,
    expr: &Expr,
    shape: &[usize],
    node: usize,
    op: ReduceOp,
    axes: &[usize],
    keepdims: bool,
) -> Result<Array> {
    element_count(shape)?;
    let reduced = axis_flags(axes, shape.len())?;
    let dtype = *expr.dtypes()?.get(node).ok_or(ArrayError::BadExpr {
        why: "no such node",
    })?;
    op.check(dtype)?;
    let count: usize = axes.iter().filter_map(|&a| shape.get(a)).product();
    let mut group = Expr {
        inputs: expr.inputs.clone(),
        nodes: expr.nodes.clone(),
        outs: vec![],
    };
    let plan = Reduction {
        ctx,
        shape,
        reduced: &reduced,
        op,
        keepdims,
    };
    if let (None, Some(computed)) = (dtype.wide(), dtype.widened()) {
        let wide = group.push(Node::Cast(computed, node));
        if op == ReduceOp::Prod && dtype.is_float() {
            let whole = group.store(ctx, wide)?.broadcast_to(shape)?;
            return reduce::half_product(ctx, &whole, dtype, &reduced, keepdims);
        }
        let found = reduce(ctx, &group, shape, wide, op, axes, keepdims)?;
        return match found.dtype() == computed && op.keeps(dtype) {
            true => found.cast(ctx, dtype),
            false => Ok(found),
        };
    }
    match op {
        ReduceOp::Sum | ReduceOp::Prod if !dtype.is_float() => {
            let wide = group.push(Node::Cast(DType::I64, node));
            plan.fold(&group, wide, DType::I64)
        }
        ReduceOp::Sum | ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min => {
            plan.fold(&group, node, dtype)
        }
        ReduceOp::Any | ReduceOp::All => {
            let truth = group.push(Node::Cast(DType::Bool, node));
            plan.fold(&group, truth, DType::Bool)
        }
        ReduceOp::Count => {
            let truth = group.push(Node::Cast(DType::Bool, node));
            let number = group.push(Node::Cast(DType::I64, truth));
            plan.fold(&group, number, DType::I64)
        }
        ReduceOp::Mean => {
            let sum = plan.fold(&group, node, dtype)?;
            let mut after = Expr::new();
            let sum = after.input(&sum);
            let n = after.push(Node::Const(Scalar::I64(count as i64).cast(dtype)));
            let mean = after.push(Node::Binary(BinaryOp::Div, sum, n));
            ctx.quietly(|| after.store(ctx, mean)).0
        }
        ReduceOp::Norm => {
            let square = group.push(Node::Unary(UnaryOp::Square, node));
            let sum = plan.fold(&group, square, dtype)?;
            ctx.quietly(|| reduce::map(ctx, UnaryOp::Sqrt, &sum)).0
        }
        ReduceOp::ArgMax | ReduceOp::ArgMin => plan.position(&group, node, dtype),
        ReduceOp::Var { .. } | ReduceOp::Std { .. } | ReduceOp::LogSumExp => {
            let whole = group.store(ctx, node)?.broadcast_to(shape)?;
            reduce::two_pass(ctx, op, &whole, axes, keepdims)
        }
    }
}

/// One reduction over the common shape.
struct Reduction<'a> {
    ctx: &'a Context,
    shape: &'a [usize],
    reduced: &'a [bool],
    op: ReduceOp,
    keepdims: bool,
}

/// Axes in loop order, apart into those that stay and those that go.
struct Split {
    kept_order: Vec<usize>,
    kept: Domain,
    gone: Domain,
}

impl Reduction<'_> {
    fn split(&self, expr: &Expr) -> Result<Split> {
        let strides = input_strides(expr, self.shape)?;
        let axes =
            |gone: bool| (0..self.shape.len()).filter(move |a| self.reduced.get(*a) == Some(&gone));
        let mut kept_order: Vec<usize> = axes(false).collect();
        order_by_stride(&mut kept_order, &strides);
        let long = |axis: &usize| self.shape.get(*axis) != Some(&1);
        let kept_long: Vec<usize> = kept_order.iter().copied().filter(long).collect();
        // Reduced axes keep their logical order: it decides which elements are joined first.
        let gone_long: Vec<usize> = axes(true).filter(long).collect();
        let mut kept = Domain::of_axes(&kept_long, self.shape, &strides);
        let mut gone = Domain::of_axes(&gone_long, self.shape, &strides);
        kept.coalesce();
        gone.coalesce();
        Ok(Split {
            kept_order,
            kept,
            gone,
        })
    }

    fn fold(&self, expr: &Expr, node: usize, dtype: DType) -> Result<Array> {
        match (self.op, dtype) {
            (ReduceOp::Prod, DType::I64) => self.fold_as(expr, node, Joins::<i64>::of::<Prod>()),
            (ReduceOp::Prod, DType::F32) => self.fold_as(expr, node, Joins::<f32>::of::<Prod>()),
            (ReduceOp::Prod, _) => self.fold_as(expr, node, Joins::<f64>::of::<Prod>()),
            (ReduceOp::Any | ReduceOp::Max, DType::Bool) => {
                self.fold_as(expr, node, Joins::<u8>::of::<Max>())
            }
            (ReduceOp::Max, DType::I64) => self.fold_as(expr, node, Joins::<i64>::of::<Max>()),
            (ReduceOp::Max, DType::F32) => self.fold_as(expr, node, Joins::<f32>::of::<Max>()),
            (ReduceOp::Max, DType::F64) => self.fold_as(expr, node, Joins::<f64>::of::<Max>()),
            (ReduceOp::All | ReduceOp::Min, DType::Bool) => {
                self.fold_as(expr, node, Joins::<u8>::of::<Min>())
            }
            (ReduceOp::Min, DType::I64) => self.fold_as(expr, node, Joins::<i64>::of::<Min>()),
            (ReduceOp::Min, DType::F32) => self.fold_as(expr, node, Joins::<f32>::of::<Min>()),
            (ReduceOp::Min, DType::F64) => self.fold_as(expr, node, Joins::<f64>::of::<Min>()),
            (_, DType::F32) => self.fold_as(expr, node, Joins::<f32>::of::<Sum>()),
            (_, DType::F64) => self.fold_as(expr, node, Joins::<f64>::of::<Sum>()),
            (_, DType::I64) => self.fold_as(expr, node, Joins::<i64>::of::<Sum>()),
            _ => Err(ArrayError::Unsupported {
                op: self.op.name(),
                dtype,
            }),
        }
    }

    fn fold_as<T: Lane>(&self, expr: &Expr, node: usize, joins: Joins<T>) -> Result<Array> {
        let program = Program::compile(expr, &[(node, None)])?;
        let Split {
            kept_order,
            mut kept,
            gone,
        } = self.split(expr)?;
        let count = gone.len();
        if count == 0 && matches!(self.op, ReduceOp::Max | ReduceOp::Min) {
            return Err(ArrayError::EmptyReduction { op: self.op.name() });
        }
        let mut block = self.ctx.block(kept.len() * size_of::<T>())?;
        let out = block.slice_mut::<T>();
        let by_columns = runs_by_columns(&kept, &gone);
        let domain = if by_columns {
            let inner = kept.split_last();
            let domain = Domain::join(&[&kept, &gone, &inner]);
            let width = inner.len();
            if count == 0 {
                out.fill(joins.identity);
            } else if !out.is_empty()
                && !direct::columns(&program, expr, &domain, joins, count, out)
            {
                let machine = Machine::new(self.ctx, &program, &expr.inputs, &domain);
                fold_columns(machine, joins, width, count, out)?;
            }
            domain
        } else {
            let domain = Domain::join(&[&kept, &gone]);
            if count == 0 {
                out.fill(joins.identity);
            } else if !out.is_empty()
                && !direct::rows(&program, expr, &domain, count, out, |row| joins.row(row))
            {
                let machine = Machine::new(self.ctx, &program, &expr.inputs, &domain);
                fold_rows(machine, joins, count, out)?;
            }
            domain
        };
        self.report(&program, &domain, block.len());
        self.finish(block, T::DTYPE, &kept_order)
    }

    fn position(&self, expr: &Expr, node: usize, dtype: DType) -> Result<Array> {
        match (self.op, dtype) {
            (ReduceOp::ArgMax, DType::I64) => {
                self.position_as(expr, node, Joins::<i64>::of::<Max>())
            }
            (ReduceOp::ArgMax, DType::F32) => {
                self.position_as(expr, node, Joins::<f32>::of::<Max>())
            }
            (ReduceOp::ArgMax, DType::F64) => {
                self.position_as(expr, node, Joins::<f64>::of::<Max>())
            }
            (_, DType::I64) => self.position_as(expr, node, Joins::<i64>::of::<Min>()),
            (_, DType::F32) => self.position_as(expr, node, Joins::<f32>::of::<Min>()),
            (_, DType::F64) => self.position_as(expr, node, Joins::<f64>::of::<Min>()),
            _ => Err(ArrayError::Unsupported {
                op: self.op.name(),
                dtype,
            }),
        }
    }

    fn position_as<T: Lane>(&self, expr: &Expr, node: usize, joins: Joins<T>) -> Result<Array> {
        let program = Program::compile(expr, &[(node, None)])?;
        let Split {
            kept_order,
            kept,
            gone,
        } = self.split(expr)?;
        let count = gone.len();
        if count == 0 {
            return Err(ArrayError::EmptyReduction { op: self.op.name() });
        }
        let domain = Domain::join(&[&kept, &gone]);
        let mut block = self.ctx.block(kept.len() * size_of::<i64>())?;
        let out = block.slice_mut::<i64>();
        let place = |row: &[T]| (joins.place)(row) as i64;
        if !out.is_empty() && !direct::rows(&program, expr, &domain, count, out, place) {
            let machine = Machine::new(self.ctx, &program, &expr.inputs, &domain);
            find_rows(machine, joins, count, out)?;
        }
        self.report(&program, &domain, block.len());
        self.finish(block, DType::I64, &kept_order)
    }

    fn report(&self, program: &Program, domain: &Domain, bytes: usize) {
        self.ctx.report(|| {
            let mut ops = if program.names.is_empty() {
                vec![]
            } else {
                names(program)
            };
            ops.push(self.op.name());
            let kind = loop_kind(program, domain);
            let kind = if ops.len() > 1 && kind != crate::LoopKind::Compiled {
                crate::LoopKind::Fused
            } else {
                kind
            };
            Report {
                ops,
                kind,
                shape: domain.shape.clone(),
                strides: domain.strides.clone(),
                bytes,
            }
        });
    }

    /// The result's array: reduced axes of size 1, or left out.
    fn finish(&self, block: Block, dtype: DType, kept_order: &[usize]) -> Result<Array> {
        let gone: Vec<usize> = self
            .reduced
            .iter()
            .enumerate()
            .filter(|(_, r)| **r)
            .map(|(a, _)| a)
            .collect();
        let mut shape = self.shape.to_vec();
        for &axis in &gone {
            if let Some(size) = shape.get_mut(axis) {
                *size = 1;
            }
        }
        let order: Vec<usize> = kept_order.iter().chain(&gone).copied().collect();
        let mut array = array_in_order(block, dtype, &shape, &order)?;
        if !self.keepdims {
            let kept = |axis: &usize| self.reduced.get(*axis) != Some(&true);
            let axes: Vec<usize> = (0..shape.len()).filter(kept).collect();
            array.shape = pick(&axes, &array.shape).into();
            array.strides = pick(&axes, &array.strides).into();
        }
        Ok(array)
    }
}

/// Whether the inner loop should run over an axis that stays.
fn runs_by_columns(kept: &Domain, gone: &Domain) -> bool {
    let (Some(kept_last), Some(gone_last)) = (
        kept.shape.len().checked_sub(1),
        gone.shape.len().checked_sub(1),
    ) else {
        return !kept.shape.is_empty();
    };
    kept.cost(kept_last) < gone.cost(gone_last)
}

fn fold_rows<T: Lane>(
    mut machine: Machine<'_>,
    joins: Joins<T>,
    count: usize,
    out: &mut [T],
) -> Result<()> {
    let mut fold = RowFold::new(joins);
    let mut results = out.iter_mut();
    machine.run(&mut [], &mut |machine, start, len| {
        let mut values = machine.result(0, len).get::<T>()?;
        let mut at = start % count;
        while !values.is_empty() {
            let (now, later) = values.split_at((count - at).min(values.len()));
            fold.feed(now);
            at += now.len();
            if at == count {
                at = 0;
                if let Some(result) = results.next() {
                    *result = fold.finish();
                }
            }
            values = later;
        }
        Ok(())
    })
}

/// Folds `count` rows of `width` elements at a time into one row of results.
fn fold_columns<T: Lane>(
    mut machine: Machine<'_>,
    joins: Joins<T>,
    width: usize,
    count: usize,
    out: &mut [T],
) -> Result<()> {
    let mut from = 0;
    while from < width {
        let tile = TILE.min(width - from);
        let mut fold = TileFold::new(joins, tile);
        let mut results = out.chunks_exact_mut(width);
        let mut done = 0;
        machine.narrow_last(from, tile);
        machine.run(&mut [], &mut |machine, _, len| {
            let mut values = machine.result(0, len).get::<T>()?;
            while !values.is_empty() {
                let rows = (count - done).min(values.len() / tile);
                let (now, later) = values.split_at(rows * tile);
                fold.feed(now);
                done += rows;
                if done == count {
                    done = 0;
                    if let Some(row) = results.next().and_then(|r| r.get_mut(from..from + tile)) {
                        fold.finish(row);
                    }
                }
                values = later;
            }
            Ok(())
        })?;
        machine.widen_last(from, width);
        from += tile;
    }
    Ok(())
}

/// Writes the first position of each row's largest or smallest element; the first NaN wins.
fn find_rows<T: Lane>(
    mut machine: Machine<'_>,
    joins: Joins<T>,
    count: usize,
    out: &mut [i64],
) -> Result<()> {
    let mut best: Option<(T, usize)> = None;
    let mut results = out.iter_mut();
    machine.run(&mut [], &mut |machine, start, len| {
        let mut values = machine.result(0, len).get::<T>()?;
        let mut at = start % count;
        while !values.is_empty() {
            let (now, later) = values.split_at((count - at).min(values.len()));
            best = better(joins, best, now, at);
            at += now.len();
            if at == count {
                at = 0;
                if let (Some(result), Some((_, position))) = (results.next(), best.take()) {
                    *result = position as i64;
                }
            }
            values = later;
        }
        Ok(())
    })
}

/// The better of what was found before and the run that starts at position `at`.
fn better<T: Lane>(
    joins: Joins<T>,
    before: Option<(T, usize)>,
    run: &[T],
    at: usize,
) -> Option<(T, usize)> {
    let place = (joins.place)(run);
    let value = *run.get(place)?;
    if let Some((old, _)) = before {
        let joined = (joins.two)(old, value);
        if old.partial_cmp(&old).is_none() || joined == old {
            return before;
        }
    }
    Some((value, at + place))
}
