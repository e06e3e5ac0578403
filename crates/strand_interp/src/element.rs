//! Elementwise operations on tensors, and the lining up of their operands.

use std::rc::Rc;

use strand_array::{
    Array, BinaryOp, DType, Expr as EngineExpr, Node as Step, Out, Scalar, UnaryOp,
};
use strand_ir::{Expr, Type};
use strand_ops::OpId;
use strand_source::Span;

use crate::error::{Run, from_array, malformed};
use crate::fits;
use crate::graph::{ElementOp, Graph, Node, Operand, element_dtype};
use crate::levels::Levels;
use crate::machine::{Frame, Machine, engine_dtype};
use crate::value::{Data, Tensor, Val, floats, whole_numbers};

impl ElementOp {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Unary(op) => op.name(),
            Self::Binary(op) => op.name(),
            Self::Select => "where",
            Self::Cast(_) => "to",
        }
    }
}

/// The engine's operation of a row of the table; none for `clamp`, which is two.
pub(crate) fn element_op(op: OpId) -> Option<ElementOp> {
    if op == OpId::Where {
        return Some(ElementOp::Select);
    }
    unary(op)
        .map(ElementOp::Unary)
        .or_else(|| binary(op).map(ElementOp::Binary))
}

fn unary(op: OpId) -> Option<UnaryOp> {
    Some(match op {
        OpId::Not => UnaryOp::LogicalNot,
        OpId::Neg => UnaryOp::Neg,
        OpId::Abs => UnaryOp::Abs,
        OpId::Sign => UnaryOp::Sign,
        OpId::Exp => UnaryOp::Exp,
        OpId::Expm1 => UnaryOp::Expm1,
        OpId::Log => UnaryOp::Log,
        OpId::Log1p => UnaryOp::Log1p,
        OpId::Log2 => UnaryOp::Log2,
        OpId::Log10 => UnaryOp::Log10,
        OpId::Sqrt => UnaryOp::Sqrt,
        OpId::Rsqrt => UnaryOp::Rsqrt,
        OpId::Square => UnaryOp::Square,
        OpId::Reciprocal => UnaryOp::Reciprocal,
        OpId::Sin => UnaryOp::Sin,
        OpId::Cos => UnaryOp::Cos,
        OpId::Tan => UnaryOp::Tan,
        OpId::Asin => UnaryOp::Asin,
        OpId::Acos => UnaryOp::Acos,
        OpId::Atan => UnaryOp::Atan,
        OpId::Sinh => UnaryOp::Sinh,
        OpId::Cosh => UnaryOp::Cosh,
        OpId::Tanh => UnaryOp::Tanh,
        OpId::Sigmoid => UnaryOp::Sigmoid,
        OpId::Relu => UnaryOp::Relu,
        OpId::Gelu => UnaryOp::Gelu,
        OpId::Silu => UnaryOp::Silu,
        OpId::Softplus => UnaryOp::Softplus,
        OpId::Erf => UnaryOp::Erf,
        OpId::Floor => UnaryOp::Floor,
        OpId::Ceil => UnaryOp::Ceil,
        OpId::Round => UnaryOp::Round,
        OpId::Trunc => UnaryOp::Trunc,
        OpId::IsNan => UnaryOp::IsNan,
        OpId::IsInf => UnaryOp::IsInf,
        OpId::IsFinite => UnaryOp::IsFinite,
        _ => return None,
    })
}

fn binary(op: OpId) -> Option<BinaryOp> {
    Some(match op {
        OpId::Add => BinaryOp::Add,
        OpId::Sub => BinaryOp::Sub,
        OpId::Mul => BinaryOp::Mul,
        OpId::Div => BinaryOp::Div,
        OpId::FloorDiv => BinaryOp::FloorDiv,
        OpId::Remainder => BinaryOp::Remainder,
        OpId::Pow => BinaryOp::Pow,
        OpId::Eq => BinaryOp::Eq,
        OpId::Ne => BinaryOp::Ne,
        OpId::Lt => BinaryOp::Lt,
        OpId::Le => BinaryOp::Le,
        OpId::Gt => BinaryOp::Gt,
        OpId::Ge => BinaryOp::Ge,
        OpId::And | OpId::LogicalAnd => BinaryOp::LogicalAnd,
        OpId::Or | OpId::LogicalOr => BinaryOp::LogicalOr,
        OpId::LogicalXor => BinaryOp::LogicalXor,
        OpId::BitwiseAnd => BinaryOp::BitwiseAnd,
        OpId::BitwiseOr => BinaryOp::BitwiseOr,
        OpId::BitwiseXor => BinaryOp::BitwiseXor,
        OpId::Maximum => BinaryOp::Maximum,
        OpId::Minimum => BinaryOp::Minimum,
        OpId::Atan2 => BinaryOp::Atan2,
        OpId::Hypot => BinaryOp::Hypot,
        OpId::Fmod => BinaryOp::Fmod,
        _ => return None,
    })
}

/// f16 and bf16
pub(crate) fn is_half(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// Whether PyTorch computes with a number beside a tensor of halves as it is, in f32: elsewhere it
/// rounds the number first.
fn scalar_is_wide(op: OpId, at: usize) -> bool {
    match op {
        OpId::Mul | OpId::Div => true,
        OpId::FloorDiv => at == 1,
        _ => false,
    }
}

impl<'p> Machine<'p, '_> {
    /// A call of an elementwise built-in with at least one tensor.
    pub(crate) fn element_call(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        op: OpId,
        args: &'p [Expr],
        params: &'p crate::op::Params,
    ) -> Run<Val> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(match &arg.ty {
                Type::Host(_) => Tensor::scalar(self.host_scalar(frame, arg)?),
                _ => self.tensor(frame, arg)?,
            });
        }
        // Host numbers take the dtype of the others; a condition has its own.
        let first = usize::from(op == OpId::Where);
        let typed = args.iter().zip(&values).skip(first);
        let dtype = typed
            .clone()
            .find(|(arg, _)| !matches!(arg.ty, Type::Host(_)))
            .map(|(_, value)| value.dtype());
        let dtype = match dtype {
            Some(dtype) => dtype,
            None => match &e.ty {
                Type::Tensor(ty) => engine_dtype(ty.dtype),
                _ => DType::F32,
            },
        };
        for (at, (arg, value)) in args.iter().zip(&mut values).enumerate().skip(first) {
            if let (Type::Host(_), Data::Scalar(scalar)) = (&arg.ty, &mut value.data) {
                *scalar = match scalar_is_wide(op, at) && is_half(dtype) {
                    true => Scalar::Half(dtype, scalar.to_f64() as f32),
                    false => fits::argument(op, at, *scalar, dtype, arg.span)?,
                };
            }
        }
        if let (OpId::Div, [number, divisor]) = (op, args)
            && matches!(number.ty, Type::Host(_))
            && !matches!(divisor.ty, Type::Host(_))
            && dtype.is_float()
        {
            return self.number_over(values, e.span).map(Val::Tensor);
        }
        if op.op().traits.has_no_host_form && !values.is_empty() {
            return self
                .element_special(frame, e, op, values, params)
                .map(Val::Tensor);
        }
        self.elementwise(op, values, e.span).map(Val::Tensor)
    }

    /// A host number divided by a tensor: PyTorch multiplies its reciprocal by the number, which is NaN for 0 and the
    /// least numbers.
    fn number_over(&mut self, mut values: Vec<Tensor>, span: Span) -> Run<Tensor> {
        let (Some(divisor), Some(number)) = (values.pop(), values.pop()) else {
            return Err(malformed(span, "a division of fewer than two"));
        };
        let over = self.apply(ElementOp::Unary(UnaryOp::Reciprocal), vec![divisor], span)?;
        let times = ElementOp::Binary(BinaryOp::Mul);
        self.apply(times, vec![over, number], span)
    }

    /// An elementwise built-in of tensors of one dtype (`where`: the last two).
    pub(crate) fn elementwise(
        &mut self,
        op: OpId,
        mut args: Vec<Tensor>,
        span: Span,
    ) -> Run<Tensor> {
        if op == OpId::Clamp {
            let (Some(high), Some(low), Some(x)) = (args.pop(), args.pop(), args.pop()) else {
                return Err(malformed(span, "clamp of fewer than three"));
            };
            let low = self.apply(ElementOp::Binary(BinaryOp::Maximum), vec![x, low], span)?;
            return self.apply(ElementOp::Binary(BinaryOp::Minimum), vec![low, high], span);
        }
        match element_op(op) {
            Some(element) => self.apply(element, args, span),
            None => Err(malformed(span, op.name())),
        }
    }

    /// An operation of the engine on tensors, whose levels and axes are lined up.
    pub(crate) fn apply(&mut self, op: ElementOp, args: Vec<Tensor>, span: Span) -> Run<Tensor> {
        let mut scalars = Vec::with_capacity(3);
        for arg in &args {
            match self.as_scalar(arg)? {
                Some(value) => scalars.push(value),
                None => break,
            }
        }
        if scalars.len() == args.len() {
            return self.graph.scalar(op, &scalars, span).map(Tensor::scalar);
        }
        let levels = args
            .iter()
            .fold(Levels::NONE, |all, arg| all.union(arg.levels));
        let rank = args.iter().map(Tensor::rank).max().unwrap_or(0);
        let mut operands = Vec::with_capacity(args.len());
        for arg in args {
            operands.push(self.operand(arg, levels, rank, span)?);
        }
        self.keep_rank(&mut operands, levels.count() + rank, span)?;
        let node = self.graph.element(op, operands, span)?;
        Ok(Tensor::node(node, levels))
    }

    /// Operands leave out leading axes of size 1, as broadcasting brings them back: but not where
    /// every operand does, so that levels of size 1 stay in the result.
    fn keep_rank(&mut self, operands: &mut [Operand], rank: usize, span: Span) -> Run<()> {
        let rank_of = |operand: &Operand| match operand {
            Operand::Node(node) => node.shape().len(),
            Operand::Scalar(_) => 0,
        };
        if operands.iter().any(|operand| rank_of(operand) == rank) {
            return Ok(());
        }
        if let Some(Operand::Node(node)) =
            operands.iter_mut().max_by_key(|operand| rank_of(operand))
        {
            let mut shape = vec![1; rank - node.shape().len()];
            shape.extend_from_slice(node.shape());
            *node = self.graph.with_ones(node, &shape, span)?;
        }
        Ok(())
    }

    /// The number of a `[]` tensor that depends on no chain; it is computed for that.
    fn as_scalar(&mut self, tensor: &Tensor) -> Run<Option<Scalar>> {
        match &tensor.data {
            Data::Scalar(value) => Ok(Some(*value)),
            Data::Node(node) if node.shape().is_empty() => {
                let node = Rc::clone(node);
                let array = self.graph.force(&node)?;
                let value = array.get(&[]).map_err(|e| from_array(&e, node.span()))?;
                Ok(Some(value))
            }
            Data::Node(_) => Ok(None),
        }
    }

    fn operand(&mut self, tensor: Tensor, levels: Levels, rank: usize, span: Span) -> Run<Operand> {
        if let Some(value) = self.as_scalar(&tensor)? {
            return Ok(Operand::Scalar(value));
        }
        self.aligned(&tensor, levels, rank, span).map(Operand::Node)
    }

    /// The tensor's node with axes of size 1 for the levels it lacks and for missing own axes, so
    /// that it broadcasts with others of `levels` and `rank`. Leading axes of size 1 are left out.
    pub(crate) fn aligned(
        &mut self,
        tensor: &Tensor,
        levels: Levels,
        rank: usize,
        span: Span,
    ) -> Run<Rc<Node>> {
        let node = match &tensor.data {
            Data::Scalar(_) => {
                let array = self.array(tensor, span)?;
                return Ok(self.graph.ready(array, span));
            }
            Data::Node(node) => node,
        };
        if tensor.levels.is_empty() || (tensor.levels == levels && tensor.rank() == rank) {
            return Ok(Rc::clone(node));
        }
        let shape = aligned_shape(tensor, levels, rank);
        let lead = shape.len() - node.shape().len();
        if shape[..lead].iter().all(|size| *size == 1) && shape[lead..] == *node.shape() {
            return Ok(Rc::clone(node));
        }
        self.graph.with_ones(node, &shape, span)
    }

    /// The tensor's array with an axis for every one of `levels` (size 1 where it doesn't depend
    /// on it) and `rank` own axes.
    pub(crate) fn aligned_array(
        &mut self,
        tensor: &Tensor,
        levels: Levels,
        rank: usize,
        span: Span,
    ) -> Run<Array> {
        let array = self.array(tensor, span)?;
        let shape = aligned_shape(tensor, levels, rank);
        self.graph.same_elements(&array, &shape, span)
    }

    /// The tensor in another dtype.
    pub(crate) fn cast(&mut self, tensor: Tensor, dtype: DType, span: Span) -> Run<Tensor> {
        if tensor.dtype() == dtype {
            return Ok(tensor);
        }
        let levels = tensor.levels;
        match tensor.data {
            Data::Scalar(value) => Ok(Tensor::scalar(value.cast(dtype))),
            Data::Node(node) => {
                let cast = ElementOp::Cast(dtype);
                let node = self.graph.element(cast, vec![Operand::Node(node)], span)?;
                Ok(Tensor::node(node, levels))
            }
        }
    }

    /// Stretches a tensor along levels that it doesn't depend on, by stride 0.
    pub(crate) fn spread(&mut self, tensor: &Tensor, levels: Levels, span: Span) -> Run<Tensor> {
        if tensor.levels.includes(levels) {
            return Ok(tensor.clone());
        }
        let all = tensor.levels.union(levels);
        let array = self.aligned_array(tensor, all, tensor.rank(), span)?;
        let mut shape = array.shape().to_vec();
        for (axis, level) in all.iter().enumerate() {
            if !tensor.levels.has(level)
                && let Some(size) = shape.get_mut(axis)
            {
                *size = self.level_size(level);
            }
        }
        let array = array
            .broadcast_to(&shape)
            .map_err(|e| from_array(&e, span))?;
        self.graph.record_view("expand", &array, span);
        Ok(Tensor::node(self.graph.ready(array, span), all))
    }

    /// A tensor of elements in row-major order, each a `[]` tensor of one dtype.
    pub(crate) fn assemble(
        &mut self,
        elements: Vec<Tensor>,
        shape: &[usize],
        dtype: DType,
        span: Span,
    ) -> Run<Tensor> {
        let mut scalars = Vec::with_capacity(elements.len());
        for element in &elements {
            match self.as_scalar(element)? {
                Some(value) => scalars.push(value),
                None => break,
            }
        }
        if scalars.len() == elements.len() {
            let array = array_of(&self.graph.ctx, &scalars, shape, dtype);
            let array = array.map_err(|e| from_array(&e, span))?;
            self.graph.collect(span, &array);
            return Ok(Tensor::array(&mut self.graph, array, span));
        }
        let levels = elements
            .iter()
            .fold(Levels::NONE, |all, e| all.union(e.levels));
        let mut arrays = Vec::with_capacity(elements.len());
        for element in &elements {
            let whole = self.spread(element, levels, span)?;
            arrays.push(self.array(&whole, span)?);
        }
        let count = levels.count();
        let stacked = strand_array::stack(&self.graph.ctx, &arrays, count);
        let stacked = stacked.map_err(|e| from_array(&e, span))?;
        let mut whole = stacked.shape().get(..count).unwrap_or(&[]).to_vec();
        whole.extend_from_slice(shape);
        let array = stacked.reshape(&self.graph.ctx, &whole);
        let array = array.map_err(|e| from_array(&e, span))?;
        self.graph.collect(span, &array);
        Ok(Tensor::node(self.graph.ready(array, span), levels))
    }
}

fn aligned_shape(tensor: &Tensor, levels: Levels, rank: usize) -> Vec<usize> {
    let shape = tensor.shape();
    let mut own = shape.iter().copied();
    let mut aligned: Vec<usize> = levels
        .iter()
        .map(|level| {
            if tensor.levels.has(level) {
                own.next().unwrap_or(1)
            } else {
                1
            }
        })
        .collect();
    aligned.extend(std::iter::repeat_n(1, rank.saturating_sub(tensor.rank())));
    aligned.extend(own);
    aligned
}

fn array_of(
    ctx: &strand_array::Context,
    scalars: &[Scalar],
    shape: &[usize],
    dtype: DType,
) -> strand_array::Result<Array> {
    if dtype.is_float() {
        let values: Vec<f64> = scalars.iter().map(|s| s.to_f64()).collect();
        return floats(ctx, &values, shape, dtype);
    }
    let values: Vec<i64> = scalars.iter().map(|s| s.to_i64()).collect();
    whole_numbers(ctx, &values, shape, dtype)
}

impl Graph {
    /// An operation on numbers by the engine's own kernels.
    #[inline(never)]
    pub(crate) fn scalar_by_engine(
        &mut self,
        op: ElementOp,
        args: &[Operand],
        span: Span,
    ) -> Run<Scalar> {
        element_dtype(op, args, span)?;
        let mut expr = EngineExpr::new();
        let mut places = Vec::with_capacity(args.len());
        for arg in args {
            if let Operand::Scalar(value) = arg {
                let array = Array::scalar(&self.ctx, *value).map_err(|e| from_array(&e, span))?;
                places.push(expr.input(&array));
            }
        }
        let node = match (op, places.as_slice()) {
            (ElementOp::Unary(op), [a]) => Step::Unary(op, *a),
            (ElementOp::Binary(op), [a, b]) => Step::Binary(op, *a, *b),
            (ElementOp::Select, [c, a, b]) => Step::Select(*c, *a, *b),
            (ElementOp::Cast(dtype), [a]) => Step::Cast(dtype, *a),
            _ => return Err(malformed(span, "a wrong number of operands")),
        };
        let node = expr.push(node);
        expr.outs.push(Out::Store(node));
        let found = expr.eval(&self.ctx).map_err(|e| from_array(&e, span));
        // The step is recorded as one on numbers.
        drop(self.ctx.take_reports());
        let found = found?.pop();
        let found = found.ok_or_else(|| malformed(span, "an operation without result"))?;
        found.get(&[]).map_err(|e| from_array(&e, span))
    }
}
