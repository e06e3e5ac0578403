//! Reductions of what a filter keeps, where the filter can't be an index.

use strand_ir::{Axis, Expr, ExprKind, IterKind, Lowering, Over, Type};
use strand_ops::{DType, OpId};

use crate::chain::Want;
use crate::ops::{products, reduced_axes};
use crate::plain::with_axes;
use crate::py::{Arg, Py};
use crate::writer::{Slot, Writer};

impl<'a> Writer<'_, 'a> {
    /// A reduction of what a filter keeps, where the filter can't be written as an index: the
    /// others become the reduction's neutral value.
    pub(crate) fn masked_reduction(
        &mut self,
        e: &'a Expr,
        op: OpId,
        args: &'a [Expr],
        over: &Over,
    ) -> Option<Py> {
        let filter = args.first()?;
        let ExprKind::Filter { iter } = &filter.kind else {
            return None;
        };
        let IterKind::Filter {
            input,
            lambda,
            lowering: lowering @ Lowering::Masked(_),
        } = &iter.kind
        else {
            return None;
        };
        let Type::Tensor(kept) = &filter.ty else {
            return None;
        };
        let wants = [Want {
            uses: 2,
            name: self.param_hint(lambda, lambda.params.first().copied().flatten()),
        }];
        let (slots, mask) = self.masked_parts(input, lambda, lowering, &wants);
        let mut values = slots.into_iter().flatten().next()?;
        let uses = match op {
            OpId::Mean | OpId::Max | OpId::Min => 2,
            _ => 1,
        };
        let mask = Slot {
            py: mask,
            axis: 0,
            rank: 0,
            walrus: None,
        };
        let mut mask = self.shared(mask, uses, "mask");
        let rank = kept.rank();
        let lined_up = match rank {
            0 | 1 => mask.take(),
            _ => with_axes(mask.take(), rank - 1),
        };
        let shapes = self.shapes.len();
        let values = match op {
            OpId::Mean => self.with_sizes(values.take(), &filter.ty, 1, "values"),
            _ => values.take(),
        };
        let chosen = neutral(op, kept.dtype, lined_up, values);
        let dims = reduced_axes(over, rank);
        let reduced = self.reduced(e, op, chosen, dims.as_deref(), rank);
        Some(match op {
            OpId::Mean => {
                let span = self.op_span(e, op);
                let count = Py::call_path("torch.sum", span, vec![mask.take()]);
                let others = self.others(&kept.axes, dims.as_deref());
                self.shapes.truncate(shapes);
                let count = others
                    .into_iter()
                    .fold(count, |count, size| Py::binary("*", count, size, None));
                Py::binary("/", reduced, count, None)
            }
            OpId::Max | OpId::Min => {
                let line = self.cx.source.line(e.span);
                let message = format!("line {line}: {} of no elements", op.name());
                let any = Py::call_path("torch.any", None, vec![mask.take()]);
                self.required(reduced, any, &message)
            }
            _ => reduced,
        })
    }

    /// The reduction of values among which those that weren't kept are neutral.
    fn reduced(&mut self, e: &'a Expr, op: OpId, x: Py, dims: Option<&[usize]>, rank: usize) -> Py {
        let span = self.op_span(e, op);
        let path = match op {
            OpId::Mean => OpId::Sum.op().torch,
            _ => op.op().torch,
        };
        let all: Vec<usize> = (0..rank).collect();
        let dims = match dims {
            None if op == OpId::LogSumExp => Some(all.as_slice()),
            dims => dims,
        };
        match dims {
            None => Py::call_path(path, span, vec![x]),
            Some(dims) if op == OpId::Prod && dims.len() > 1 => products(x, dims, span),
            Some(dims) => {
                let dim = self.dim_argument(e, "dim", dims, rank);
                Py::path(path, span).call(vec![Arg::from(x), dim])
            }
        }
    }

    /// The sizes of the reduced axes other than the filtered one.
    fn others(&mut self, axes: &[Axis], dims: Option<&[usize]>) -> Vec<Py> {
        let is_reduced = |at: &usize| dims.is_none_or(|dims| dims.contains(at));
        let others: Vec<usize> = (1..axes.len()).filter(is_reduced).collect();
        others
            .into_iter()
            .map(|at| self.size(&axes[at].size))
            .collect()
    }
}

/// The values, where the mask doesn't hold replaced by what doesn't change the result.
fn neutral(op: OpId, dtype: DType, mask: Py, values: Py) -> Py {
    let chosen =
        |mask, values, neutral| Py::call_path("torch.where", None, vec![mask, values, neutral]);
    let float = dtype.is_float();
    let number =
        |float_text: &str, int_text: &str| Py::number(if float { float_text } else { int_text });
    match op {
        OpId::Any | OpId::All | OpId::Count => {
            let holds = if dtype == DType::Bool {
                values
            } else {
                Py::binary("!=", values, Py::int(0), None)
            };
            if op == OpId::All {
                Py::binary("|", Py::unary("~", mask, None), holds, None)
            } else {
                Py::binary("&", mask, holds, None)
            }
        }
        OpId::Prod if dtype == DType::Bool => {
            Py::binary("|", Py::unary("~", mask, None), values, None)
        }
        OpId::Prod => chosen(mask, values, number("1.0", "1")),
        OpId::Max | OpId::Min | OpId::LogSumExp => {
            let end = if op == OpId::Min { "max" } else { "min" };
            let limit = if float {
                let infinity = Py::path("torch.inf", None);
                if op == OpId::Min {
                    infinity
                } else {
                    Py::unary("-", infinity, None)
                }
            } else {
                Py::call_path("torch.iinfo", None, vec![Py::path(dtype.torch(), None)])
                    .attr(end, None)
            };
            chosen(mask, values, limit)
        }
        _ if dtype == DType::Bool => Py::binary("&", mask, values, None),
        _ => chosen(mask, values, number("0.0", "0")),
    }
}
