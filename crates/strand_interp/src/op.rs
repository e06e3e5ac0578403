//! Built-ins that aren't elementwise: by class of the operation table.

use std::rc::Rc;

use strand_array::{Array, ArrayError, Context, DType, ReduceOp, Scalar, ScanOp};
use strand_ir::{Expr, ExprKind, Lowering, Over, Type};
use strand_ops::{Class, Effect, OpId};
use strand_source::Span;

use crate::error::{Run, from_array, malformed};
use crate::fits;
use crate::graph::{Key, Node};
use crate::machine::{Frame, Machine, engine_dtype};
use crate::stmt::not_yet;
use crate::value::{Data, Tensor, Val};

/// The parameters of a call that were given, in the row's order.
pub(crate) type Params = [(&'static str, Expr)];

impl<'p> Machine<'p, '_> {
    /// A call of a built-in.
    pub(crate) fn op(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        op: OpId,
        args: &'p [Expr],
        over: &'p Over,
        params: &'p Params,
    ) -> Run<Val> {
        match op.op().class {
            Class::Elementwise { .. } => self.element_call(frame, e, op, args, params),
            Class::Reduce { .. } | Class::ArgReduce => self
                .reduction(frame, e, op, args, (over, params))
                .map(Val::Tensor),
            Class::Along => self
                .along(frame, e, op, args, over, params)
                .map(Val::Tensor),
            Class::Join => self.joined(frame, e, op, args, over).map(Val::Tensor),
            Class::Triangle => self.triangle(frame, e, op, args, params).map(Val::Tensor),
            Class::Diagonal => self.diagonal(frame, e, args).map(Val::Tensor),
            Class::Loss => self.loss(frame, e, op, args).map(Val::Tensor),
            Class::Special { .. } | Class::Method => self.special(frame, e, op, args, over, params),
            Class::IndexLoss => self.cross_entropy(frame, e, args, over).map(Val::Tensor),
            Class::OneHot => self.one_hot(frame, e, args).map(Val::Tensor),
            Class::Square => self.eye(e).map(Val::Tensor),
            Class::Length => self.length(frame, e, args).map(Val::Int),
            Class::MatMul => match args {
                [a, b] => {
                    let a = self.tensor(frame, a)?;
                    let b = self.tensor(frame, b)?;
                    self.matmul(&a, &b, e.span).map(Val::Tensor)
                }
                _ => Err(malformed(e.span, "@ of other than two")),
            },
            Class::Transpose => Err(malformed(e.span, "transpose that isn't a rearrangement")),
            Class::Construct => self.construct(frame, e, op, params).map(Val::Tensor),
            Class::Draw => self.draw(frame, e, op, params).map(Val::Tensor),
            Class::Dropout => self.dropout(frame, e, args, params).map(Val::Tensor),
            Class::Arange => self.arange(frame, e, args).map(Val::Tensor),
            Class::Effect(effect) => self.effect(frame, e, effect, args, params),
        }
    }

    fn effect(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        effect: Effect,
        args: &'p [Expr],
        params: &'p Params,
    ) -> Run<Val> {
        match effect {
            Effect::Print => {
                let mut parts = Vec::with_capacity(args.len());
                for arg in args {
                    parts.push(self.text_of(frame, arg)?);
                }
                self.flush();
                self.host.print(&parts.join(" "));
                Ok(Val::Nothing)
            }
            Effect::Show => self.show_call(frame, e, args, params),
            Effect::Item => match args {
                [arg] => {
                    let tensor = self.tensor(frame, arg)?;
                    Ok(match self.item(&tensor, e.span)? {
                        Scalar::Bool(v) => Val::Bool(v),
                        Scalar::I64(v) | Scalar::Int(_, v) => Val::Int(v),
                        other => Val::Float(other.to_f64()),
                    })
                }
                _ => Err(malformed(e.span, "item of other than one")),
            },
            other => Err(not_yet(e.span, other.phrase())),
        }
    }

    // Reductions

    fn reduction(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        op: OpId,
        args: &'p [Expr],
        (over, params): (&Over, &'p Params),
    ) -> Run<Tensor> {
        let [arg] = args else {
            return Err(malformed(e.span, "a reduction of other than one"));
        };
        if let ExprKind::Filter { iter } = &arg.kind
            && let strand_ir::IterKind::Filter {
                lowering: Lowering::Masked(_),
                ..
            } = iter.kind
        {
            return self.masked_reduction(frame, e, op, iter, over);
        }
        let tensor = self.tensor(frame, arg)?;
        if op == OpId::Median {
            return self.median(&tensor, over, e.span);
        }
        let axes = own_axes(&tensor, over, e.span)?;
        let given = params.iter().find(|(name, _)| *name == "correction");
        let Some((_, given)) = given else {
            return self.reduce(op, &tensor, &axes, e.span);
        };
        let correction = self.int(frame, given)?;
        let Ok(correction) = u32::try_from(correction) else {
            let message = format!("the correction is a number from 0 up, not {correction}");
            return Err(crate::error::fail(
                strand_source::Code::R02,
                given.span,
                message,
            ));
        };
        let reduce = match op {
            OpId::Var => ReduceOp::Var { correction },
            _ => ReduceOp::Std { correction },
        };
        self.reduce_by(reduce, &tensor, &axes, e.span)
    }

    /// A reduction over own axes of a tensor.
    pub(crate) fn reduce(
        &mut self,
        op: OpId,
        tensor: &Tensor,
        axes: &[usize],
        span: Span,
    ) -> Run<Tensor> {
        let Some(reduce) = reduce_op(op) else {
            return Err(malformed(span, op.name()));
        };
        self.reduce_by(reduce, tensor, axes, span)
    }

    fn reduce_by(
        &mut self,
        reduce: ReduceOp,
        tensor: &Tensor,
        axes: &[usize],
        span: Span,
    ) -> Run<Tensor> {
        let node = self.whole_node(tensor, span)?;
        let lead = tensor.levels.count();
        let axes = axes.iter().map(|axis| axis + lead).collect();
        let node = self.graph.reduce(reduce, node, axes, span)?;
        Ok(Tensor::node(node, tensor.levels))
    }

    /// The tensor's node; a number becomes one.
    pub(crate) fn whole_node(&mut self, tensor: &Tensor, span: Span) -> Run<Rc<Node>> {
        match &tensor.data {
            Data::Node(node) => Ok(Rc::clone(node)),
            Data::Scalar(_) => {
                let array = self.array(tensor, span)?;
                Ok(self.graph.ready(array, span))
            }
        }
    }

    // Along an axis

    fn along(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        op: OpId,
        args: &'p [Expr],
        over: &Over,
        params: &'p Params,
    ) -> Run<Tensor> {
        let [arg] = args else {
            return Err(malformed(e.span, "an operation of other than one"));
        };
        let tensor = self.tensor(frame, arg)?;
        let axes = own_axes(&tensor, over, e.span)?;
        // The only one that such an operation has: the places that roll moves by.
        let shift = match params.first() {
            Some((_, shift)) => self.int(frame, shift)?,
            None => 0,
        };
        let [axis] = axes[..] else {
            if tensor.rank() == 0 {
                return self.along_nothing(op, tensor, shift, e.span);
            }
            return Err(malformed(e.span, "an operation along several axes"));
        };
        self.along_axis(op, &tensor, axis, shift, e.span)
    }

    fn along_axis(
        &mut self,
        op: OpId,
        tensor: &Tensor,
        axis: usize,
        shift: i64,
        span: Span,
    ) -> Run<Tensor> {
        let axis = tensor.levels.count() + axis;
        self.computed(op, tensor, &[axis as i64, shift], span, |ctx, array| {
            along(ctx, op, array, axis, shift)
        })
    }

    /// What the engine computes of a tensor's array, levels first. `numbers` are what it depends on
    /// beside the array.
    pub(crate) fn computed(
        &mut self,
        op: OpId,
        tensor: &Tensor,
        numbers: &[i64],
        span: Span,
        compute: impl FnOnce(&Context, &Array) -> strand_array::Result<Array>,
    ) -> Run<Tensor> {
        let node = self.whole_node(tensor, span)?;
        let key = Key::Other(op.name(), vec![node.id()], numbers.to_vec());
        let node = self.graph.other(key, span, |graph| {
            let array = graph.force(&node)?;
            compute(&graph.ctx, &array).map_err(|e| from_array(&e, span))
        })?;
        Ok(Tensor::node(node, tensor.levels))
    }

    /// An operation along an axis of a `[]` tensor, which PyTorch sees as one element.
    fn along_nothing(&mut self, op: OpId, tensor: Tensor, shift: i64, span: Span) -> Run<Tensor> {
        let lead = tensor.levels.count();
        let mut shape = tensor.shape().to_vec();
        let node = self.whole_node(&tensor, span)?;
        shape.push(1);
        let row = self.graph.with_ones(&node, &shape, span)?;
        let row = Tensor::node(row, tensor.levels);
        let done = self.along_axis(op, &row, 0, shift, span)?;
        shape.truncate(lead);
        let node = self.whole_node(&done, span)?;
        let node = self.graph.with_ones(&node, &shape, span)?;
        Ok(Tensor::node(node, tensor.levels))
    }

    // Making tensors

    /// The shape of an expression's type, as sizes.
    pub(crate) fn shape_of(&self, e: &Expr) -> Run<(Vec<usize>, DType)> {
        let Type::Tensor(ty) = &e.ty else {
            return Err(malformed(e.span, "a tensor without a type"));
        };
        let sizes = ty.axes.iter();
        let shape: Run<Vec<_>> = sizes
            .map(|axis| self.axis_size(&axis.size, e.span))
            .collect();
        Ok((shape?, engine_dtype(ty.dtype)))
    }

    fn construct(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        op: OpId,
        params: &'p Params,
    ) -> Run<Tensor> {
        let (shape, dtype) = self.shape_of(e)?;
        let value = match op {
            OpId::Zeros => Scalar::I64(0),
            OpId::Ones => Scalar::I64(1),
            _ => match params.iter().find(|(name, _)| *name == "value") {
                Some((_, value)) => self.host_scalar(frame, value)?,
                None => return Err(malformed(e.span, "full without a value")),
            },
        };
        let value = fits::element(value, dtype, e.span)?;
        if shape.is_empty() {
            return Ok(Tensor::scalar(value));
        }
        let array = Array::full(&self.graph.ctx, &shape, value);
        self.made(array, e.span)
    }

    /// A tensor of an array that the engine made.
    pub(crate) fn made(&mut self, array: strand_array::Result<Array>, span: Span) -> Run<Tensor> {
        let array = array.map_err(|e| from_array(&e, span))?;
        self.graph.collect(span, &array);
        Ok(Tensor::array(&mut self.graph, array, span))
    }

    fn arange(&mut self, frame: &mut Frame<'p>, e: &'p Expr, args: &'p [Expr]) -> Run<Tensor> {
        let (start, end) = match args {
            [end] => (0, self.int(frame, end)?),
            [start, end] => (self.int(frame, start)?, self.int(frame, end)?),
            _ => return Err(malformed(e.span, "arange of other than one or two")),
        };
        self.range(start, end, e.span)
    }

    /// The whole numbers from `start` up to `end`.
    pub(crate) fn range(&mut self, start: i64, end: i64, span: Span) -> Run<Tensor> {
        if end < start {
            let message = format!("the range {start}..{end} runs backwards");
            return Err(crate::error::fail(strand_source::Code::R01, span, message));
        }
        let count = end
            .checked_sub(start)
            .and_then(|count| isize::try_from(count).ok());
        if count.is_none() {
            let message = format!("the range {start}..{end} is past the memory limit");
            return Err(crate::error::fail(strand_source::Code::R04, span, message));
        }
        let node = self.graph.iota(start, end, span);
        Ok(Tensor::node(node, crate::levels::Levels::NONE))
    }
}

/// The own axes that `over` names.
pub(crate) fn own_axes(tensor: &Tensor, over: &Over, span: Span) -> Run<Vec<usize>> {
    let rank = tensor.rank();
    match over {
        Over::None | Over::All => Ok((0..rank).collect()),
        Over::Axes(axes) if axes.iter().all(|axis| *axis < rank) => Ok(axes.clone()),
        Over::Axes(_) => Err(malformed(span, "an axis that the tensor hasn't")),
    }
}

pub(crate) fn reduce_op(op: OpId) -> Option<ReduceOp> {
    Some(match op {
        OpId::Sum => ReduceOp::Sum,
        OpId::Mean => ReduceOp::Mean,
        OpId::Prod => ReduceOp::Prod,
        OpId::Max => ReduceOp::Max,
        OpId::Min => ReduceOp::Min,
        OpId::Any => ReduceOp::Any,
        OpId::All => ReduceOp::All,
        OpId::Count => ReduceOp::Count,
        OpId::Var => ReduceOp::Var { correction: 1 },
        OpId::Std => ReduceOp::Std { correction: 1 },
        OpId::Norm => ReduceOp::Norm,
        OpId::LogSumExp => ReduceOp::LogSumExp,
        OpId::ArgMax => ReduceOp::ArgMax,
        OpId::ArgMin => ReduceOp::ArgMin,
        _ => return None,
    })
}

fn along(
    ctx: &Context,
    op: OpId,
    array: &Array,
    axis: usize,
    shift: i64,
) -> strand_array::Result<Array> {
    let scan = |op| strand_array::scan(ctx, op, array, axis);
    match op {
        OpId::CumSum => scan(ScanOp::Sum),
        OpId::CumProd => scan(ScanOp::Prod),
        OpId::CumMax => scan(ScanOp::Max),
        OpId::CumMin => scan(ScanOp::Min),
        OpId::Softmax => strand_array::softmax(ctx, array, &[axis]),
        OpId::LogSoftmax => strand_array::log_softmax(ctx, array, &[axis]),
        OpId::Normalize => strand_array::normalize(ctx, array, &[axis]),
        OpId::Sort => strand_array::sort(ctx, array, axis, false),
        OpId::ArgSort => strand_array::argsort(ctx, array, axis, false),
        OpId::LayerNorm => strand_array::layer_norm(ctx, array, &[axis], 1e-5),
        OpId::Flip => array.flip(axis),
        OpId::Roll => strand_array::roll(ctx, array, shift, axis),
        _ => Err(ArrayError::Unsupported {
            op: op.name(),
            dtype: array.dtype(),
        }),
    }
}
