//! Built-ins on tensors, as PyTorch spells them.

use strand_ir::{Expr, ExprKind, Over, Type};
use strand_ops::{Class, DType, OpId};
use strand_source::Span;

use crate::expr::natural_dtype;
use crate::py::{Arg, Py};
use crate::writer::Writer;

/// The operator that PyTorch has for a built-in on tensors.
fn operator(op: OpId) -> Option<&'static str> {
    Some(match op {
        OpId::Add => "+",
        OpId::Sub => "-",
        OpId::Mul => "*",
        OpId::Div => "/",
        OpId::FloorDiv => "//",
        OpId::Remainder => "%",
        OpId::Pow => "**",
        OpId::Eq => "==",
        OpId::Ne => "!=",
        OpId::Lt => "<",
        OpId::Le => "<=",
        OpId::Gt => ">",
        OpId::Ge => ">=",
        OpId::And => "&",
        OpId::Or => "|",
        OpId::MatMul => "@",
        _ => return None,
    })
}

pub(crate) type Params = [(&'static str, Expr)];

impl<'a> Writer<'_, 'a> {
    /// A built-in.
    pub(crate) fn op(
        &mut self,
        e: &'a Expr,
        op: OpId,
        args: &'a [Expr],
        over: &Over,
        params: &'a Params,
    ) -> Py {
        if let Some(py) = self.masked_reduction(e, op, args, over) {
            return py;
        }
        let is_host = args.iter().all(|arg| !matches!(arg.ty, Type::Tensor(_)));
        let mut pys = Vec::new();
        let shapes = self.shapes.len();
        for (at, arg) in args.iter().enumerate() {
            // What follows is checked against the sizes of the first.
            if at == 1 && matches!(op, OpId::At | OpId::ReduceAt) {
                let first = pys.pop().unwrap_or_else(|| Py::int(0));
                pys.push(self.with_sizes(first, &args[0].ty, 0, "x"));
            }
            // The right side of a host's `and` is computed only sometimes.
            let is_lazy = is_host && at > 0 && matches!(op, OpId::And | OpId::Or);
            pys.push(if is_lazy {
                self.confine(|w| w.expr(arg))
            } else {
                self.expr(arg)
            });
        }
        self.shapes.truncate(shapes);
        match op.op().class {
            Class::Elementwise { .. } => self.elementwise(e, op, args, pys),
            Class::Special { .. } | Class::Method => self.special(e, op, pys, over, params),
            Class::MatMul => {
                let at = self.own(e, &["@"]);
                pys.into_iter()
                    .reduce(|left, right| Py::binary("@", left, right, at))
                    .unwrap_or_else(|| Py::int(0))
            }
            Class::Reduce { .. } | Class::ArgReduce => {
                let x = pys.into_iter().next().unwrap_or_else(|| Py::int(0));
                self.reduction(e, op, x, &args[0], (over, params))
            }
            Class::Along => {
                let x = pys.into_iter().next().unwrap_or_else(|| Py::int(0));
                self.along(e, op, x, &args[0], over, params)
            }
            Class::Transpose => {
                let x = pys.into_iter().next().unwrap_or_else(|| Py::int(0));
                x.attr("mT", self.op_span(e, op))
            }
            Class::Construct | Class::Draw | Class::Arange | Class::Dropout => {
                self.made(e, op, pys, params)
            }
            Class::Join => self.joined(e, op, pys, args, over),
            Class::Triangle | Class::Diagonal | Class::Square | Class::Length => {
                for (_, param) in params {
                    pys.push(self.expr(param));
                }
                self.torch_call(op, self.op_span(e, op), pys)
            }
            Class::Loss => self.torch_call(op, self.op_span(e, op), pys),
            Class::IndexLoss => {
                // PyTorch has the classes on the second axis, or the only one.
                let rank = args.first().and_then(|arg| arg.ty.tensor());
                let rank = rank.map_or(0, |ty| ty.rank());
                if let (Over::Axes(axes), true) = (over, rank > 1)
                    && let Some(axis) = axes.first().filter(|axis| **axis != 1)
                    && let Some(scores) = pys.first_mut()
                {
                    let from = if axis + 1 == rank { -1 } else { *axis as i64 };
                    let to = vec![Py::int(from), Py::int(1)];
                    *scores = scores.clone().method("movedim", None, to);
                }
                self.torch_call(op, self.op_span(e, op), pys)
            }
            Class::OneHot => {
                let span = self.op_span(e, op);
                let axes = e.ty.tensor().map_or(&[][..], |ty| ty.axes.as_slice());
                let symbols = self.cx.symbols();
                let is_fixed = |axis: &strand_ir::Axis| {
                    let mut parts = axis.size.symbols().into_iter();
                    parts.all(|symbol| symbols.dim_value(symbol).is_some())
                };
                let fixed = axes.last().is_some_and(is_fixed);
                let classes = axes.last().map(|axis| self.size(&axis.size));
                if fixed {
                    pys.extend(classes);
                    return self.torch_call(op, span, pys);
                }
                // PyTorch's own one_hot takes no 0 of classes.
                let index = pys.pop().unwrap_or_else(|| Py::int(0));
                let index = index.method("unsqueeze", span, vec![Py::int(-1)]);
                let range = Py::call_path("torch.arange", None, classes.into_iter().collect());
                let same = Py::binary("==", index, range, None).bracketed();
                same.converted(DType::I64, None, None)
            }
            Class::Effect(_) => self.effect(e, op, pys, params),
        }
    }

    /// The place of a built-in's name or operator.
    pub(crate) fn op_span(&self, e: &Expr, op: OpId) -> Option<Span> {
        let row = op.op();
        match row.operator {
            Some(operator) => self.own(e, &[operator, row.name]),
            None if op == OpId::Neg => self.own(e, &["-", "neg"]),
            None => self.own(e, &[row.name]),
        }
    }

    /// An elementwise built-in on arguments that were written before.
    pub(crate) fn elementwise(
        &mut self,
        e: &'a Expr,
        op: OpId,
        args: &'a [Expr],
        pys: Vec<Py>,
    ) -> Py {
        let span = self.op_span(e, op);
        let is_host = args.iter().all(|arg| matches!(arg.ty, Type::Host(_)));
        if is_host && matches!(e.ty, Type::Host(_)) {
            return self.host_op(e, op, args, pys, span);
        }
        let dtype = args.iter().find_map(|arg| arg.ty.tensor());
        let dtype = dtype.map_or(DType::F32, |ty| ty.dtype);
        if let Some(operator) = operator(op) {
            let mut pys = pys.into_iter();
            return match (pys.next(), pys.next()) {
                (Some(left), Some(right)) => Py::binary(operator, left, right, span),
                (left, _) => left.unwrap_or_else(|| Py::int(0)),
            };
        }
        let mut pys = pys;
        match (op, pys.len()) {
            (OpId::Neg, 1) => Py::unary("-", pys.remove(0), span),
            (OpId::Not, 1) => Py::unary("~", pys.remove(0), span),
            (OpId::Maximum | OpId::Minimum, 2) => self.extreme(op, args, pys, dtype, span),
            (OpId::Where, 3) => self.chosen(e, args, pys, span),
            (OpId::Clamp, 3) => self.clamped(args, pys, dtype, span),
            (
                OpId::Atan2 | OpId::Hypot | OpId::LogicalAnd | OpId::LogicalOr | OpId::LogicalXor,
                2,
            ) => {
                let pys = self.all_lifted(args, pys, dtype);
                self.torch_call(op, span, pys)
            }
            (OpId::Fmod, 2) => {
                pys[0] = self.lifted(pys[0].clone(), &args[0].ty, dtype);
                self.torch_call(op, span, pys)
            }
            _ => {
                let pys = if op == OpId::IsClose {
                    self.all_lifted(args, pys, dtype)
                } else {
                    pys
                };
                let mut call: Vec<Arg> = pys.into_iter().map(Arg::from).collect();
                if let ExprKind::Op { params, .. } = &e.kind {
                    for (name, value) in params {
                        let value = self.expr(value);
                        call.push(Arg::keyword(name, value));
                    }
                }
                self.torch_function(op, span).call(call)
            }
        }
    }

    fn all_lifted(&mut self, args: &[Expr], pys: Vec<Py>, dtype: DType) -> Vec<Py> {
        let pairs = pys.into_iter().zip(args);
        pairs
            .map(|(py, arg)| self.lifted(py, &arg.ty, dtype))
            .collect()
    }

    /// A call of PyTorch's function; of torch.nn.functional under its own name.
    pub(crate) fn torch_call(&mut self, op: OpId, span: Option<Span>, pys: Vec<Py>) -> Py {
        let callee = self.torch_function(op, span);
        callee.call(pys.into_iter().map(Arg::from).collect())
    }

    pub(crate) fn torch_function(&mut self, op: OpId, span: Option<Span>) -> Py {
        let path = op.op().torch;
        match path.strip_prefix("torch.nn.functional.") {
            Some(name) => {
                self.cx.needs.functional.insert(name);
                Py::name(name).at(span)
            }
            None => Py::path(path, span),
        }
    }

    /// maximum and minimum; with a number it is a clamp.
    fn extreme(
        &mut self,
        op: OpId,
        args: &'a [Expr],
        pys: Vec<Py>,
        dtype: DType,
        span: Option<Span>,
    ) -> Py {
        let host = args.iter().position(|arg| matches!(arg.ty, Type::Host(_)));
        match host {
            Some(host) if dtype != DType::Bool => {
                let mut pys = pys;
                let bound = pys.remove(host);
                let tensor = pys.remove(0);
                let keyword = if op == OpId::Maximum { "min" } else { "max" };
                Py::path("torch.clamp", span)
                    .call(vec![Arg::from(tensor), Arg::keyword(keyword, bound)])
            }
            _ => {
                let pys = self.all_lifted(args, pys, dtype);
                self.torch_call(op, span, pys)
            }
        }
    }

    fn chosen(&mut self, e: &'a Expr, args: &'a [Expr], pys: Vec<Py>, span: Option<Span>) -> Py {
        let dtype = e.ty.tensor().map_or(DType::F32, |ty| ty.dtype);
        let host = |at: usize| match args[at].ty {
            Type::Host(host) => Some(host),
            _ => None,
        };
        let mut pys = pys;
        if host(0).is_some() {
            pys[0] = self.lifted(pys[0].clone(), &args[0].ty, DType::Bool);
        }
        if let (Some(then), Some(otherwise)) = (host(1), host(2)) {
            let natural = natural_dtype(then).max(natural_dtype(otherwise));
            let py = self.torch_call(OpId::Where, span, pys);
            return if natural == Some(dtype) {
                py
            } else {
                py.converted(dtype, None, None)
            };
        }
        self.torch_call(OpId::Where, span, pys)
    }

    fn clamped(&mut self, args: &'a [Expr], pys: Vec<Py>, dtype: DType, span: Option<Span>) -> Py {
        let is_host = |at: usize| matches!(args[at].ty, Type::Host(_));
        let mut pys = pys;
        if is_host(0) {
            pys[0] = self.lifted(pys[0].clone(), &args[0].ty, dtype);
        }
        if is_host(1) == is_host(2) {
            return self.torch_call(OpId::Clamp, span, pys);
        }
        let high = pys.remove(2);
        let low = pys.remove(1);
        let clamp = |x: Py, keyword: &str, bound: Py| {
            Py::path("torch.clamp", span).call(vec![Arg::from(x), Arg::keyword(keyword, bound)])
        };
        let raised = clamp(pys.remove(0), "min", low);
        clamp(raised, "max", high)
    }

    /// The places of an `over=` and of its axes, for the Python tokens.
    fn over_spans(&self, e: &Expr) -> (Option<Span>, Vec<Span>) {
        let own = self.cx.source.own(e);
        let spelling = |token: &crate::source::Token| self.cx.source.spelling(*token);
        let Some(at) = own.iter().position(|token| spelling(token) == "over") else {
            return (None, Vec::new());
        };
        let axes = own[at + 1..]
            .iter()
            .filter(|token| token.kind != crate::source::TokenKind::Mark)
            .take_while(|token| spelling(token) != "over")
            .map(|token| token.span)
            .collect();
        (Some(own[at].span), axes)
    }

    /// A reduction.
    fn reduction(
        &mut self,
        e: &'a Expr,
        op: OpId,
        x: Py,
        arg: &'a Expr,
        (over, params): (&Over, &'a Params),
    ) -> Py {
        let span = self.op_span(e, op);
        let (rank, dtype) = arg
            .ty
            .tensor()
            .map_or((0, DType::F32), |ty| (ty.rank(), ty.dtype));
        let dims = reduced_axes(over, rank);
        let mut x = x;
        if matches!(op, OpId::ArgMax | OpId::ArgMin) && dtype == DType::Bool {
            x = x.method("to", None, vec![Py::path("torch.uint8", None)]);
        }
        if matches!(op, OpId::Any | OpId::All) && dtype == DType::U8 {
            x = Py::binary("!=", x, Py::int(0), None);
        }
        if op == OpId::Prod && dims.as_ref().is_some_and(|dims| dims.len() > 1) {
            return products(x, &dims.unwrap_or_default(), span);
        }
        let needs_dim = op == OpId::LogSumExp;
        let is_one = dims.is_some() || matches!(over, Over::Axes(_));
        let dims = match dims {
            None if op == OpId::Median && is_one => Some(vec![0]),
            None if needs_dim => Some((0..rank.max(1)).collect()),
            dims => dims,
        };
        let mut args = vec![Arg::from(x)];
        if let Some(dims) = dims {
            args.push(self.dim_argument(e, "dim", &dims, rank));
        }
        for (name, param) in params {
            let param = self.expr(param);
            args.push(Arg::keyword(name, param));
        }
        let call = self.torch_function(op, span).call(args);
        if op == OpId::Median && is_one {
            return call.attr("values", None);
        }
        call
    }

    /// `dim=-1`, `dim=(0, 1)`
    pub(crate) fn dim_argument(&self, e: &Expr, name: &str, dims: &[usize], rank: usize) -> Arg {
        let (over, axes) = self.over_spans(e);
        let value = match dims {
            [dim] => {
                let is_last = rank > 1 && dim + 1 == rank;
                let value = if is_last { -1 } else { *dim as i64 };
                let mut py = Py::int(value);
                if let Some(last) = py.leaves.last_mut() {
                    last.span = axes.first().copied();
                }
                py
            }
            _ => {
                let mut spans = axes.into_iter();
                let items = dims.iter();
                Py::tuple(
                    items
                        .map(|dim| Py::int(*dim as i64).at(spans.next()))
                        .collect(),
                )
            }
        };
        Arg::keyword(name, value).at(over)
    }

    /// `torch.cat((x, y), dim=0)`, `torch.stack((x, y))`
    fn joined(&mut self, e: &'a Expr, op: OpId, pys: Vec<Py>, args: &'a [Expr], over: &Over) -> Py {
        let mut call = vec![Arg::from(Py::tuple(pys))];
        if let Over::Axes(axes) = over {
            let rank = args.first().and_then(|arg| arg.ty.tensor());
            let rank = rank.map_or(1, |ty| ty.rank());
            call.push(self.dim_argument(e, "dim", axes, rank));
        }
        self.torch_function(op, self.op_span(e, op)).call(call)
    }

    /// An operation along an axis.
    fn along(
        &mut self,
        e: &'a Expr,
        op: OpId,
        x: Py,
        arg: &'a Expr,
        over: &Over,
        params: &'a Params,
    ) -> Py {
        let span = self.op_span(e, op);
        let rank = arg.ty.tensor().map_or(0, |ty| ty.rank());
        let axis = match over {
            Over::Axes(axes) => axes.first().copied().unwrap_or(0),
            _ => rank.saturating_sub(1),
        };
        if op == OpId::LayerNorm {
            return self.layer_norm(e, x, axis, rank);
        }
        let several = matches!(op, OpId::Flip | OpId::Roll);
        let keyword = if several { "dims" } else { "dim" };
        let mut dim = self.dim_argument(e, keyword, &[axis], rank.max(2));
        if axis + 1 == rank.max(1) {
            let spans = (
                dim.keyword.take(),
                dim.value.leaves.last().and_then(|leaf| leaf.span),
            );
            dim = Arg {
                keyword: spans.0,
                value: Py::int(-1),
            };
            if let Some(last) = dim.value.leaves.last_mut() {
                last.span = spans.1;
            }
        }
        if op == OpId::Flip {
            dim.value = Py::list(vec![dim.value]);
        }
        let mut call = vec![Arg::from(x)];
        for (_, param) in params {
            let param = self.expr(param);
            call.push(Arg::from(param));
        }
        call.push(dim);
        if op == OpId::ArgSort {
            // Equal elements keep their order, which PyTorch leaves open otherwise.
            call.push(Arg::keyword("stable", Py::name("True")));
        }
        let call = self.torch_function(op, span).call(call);
        match op {
            OpId::CumMax | OpId::CumMin | OpId::Sort => call.attr("values", None),
            _ => call,
        }
    }

    /// PyTorch normalises the last axes: another one is moved there and back.
    fn layer_norm(&mut self, e: &'a Expr, x: Py, axis: usize, rank: usize) -> Py {
        let span = self.op_span(e, OpId::LayerNorm);
        let shapes = self.shapes.len();
        let x = self.with_sizes(x, &e.ty, axis, "x");
        let axes = e.ty.tensor().map_or(&[][..], |ty| ty.axes.as_slice());
        let size = axes.get(axis).map(|axis| self.size(&axis.size));
        self.shapes.truncate(shapes);
        let shape = Py::tuple(size.into_iter().collect());
        let is_last = axis + 1 >= rank;
        let moved = |py: Py, from: i64, to: i64| {
            py.method("movedim", None, vec![Py::int(from), Py::int(to)])
        };
        let x = if is_last {
            x
        } else {
            moved(x, axis as i64, -1)
        };
        let normed = self.torch_call(OpId::LayerNorm, span, vec![x, shape]);
        if is_last {
            normed
        } else {
            moved(normed, -1, axis as i64)
        }
    }

    /// print, item and what else is more than a value.
    fn effect(&mut self, e: &'a Expr, op: OpId, pys: Vec<Py>, params: &'a Params) -> Py {
        let span = self.op_span(e, op);
        if op == OpId::Item {
            let mut pys = pys.into_iter();
            let tensor = pys.next().unwrap_or_else(|| Py::int(0));
            return tensor.method("item", span, Vec::new());
        }
        let pys: Vec<Py> = if let (OpId::Print, ExprKind::Op { args, .. }) = (op, &e.kind) {
            args.iter()
                .zip(pys)
                .map(|(arg, py)| printed(arg, py))
                .collect()
        } else {
            pys
        };
        let mut args: Vec<Arg> = pys.into_iter().map(Arg::from).collect();
        for (name, value) in params {
            let py = self.expr(value);
            args.push(Arg::keyword(name, py));
        }
        Py::path(op.op().torch, span).call(args)
    }
}

/// A value as `print` and f-strings write it: tensors as their numbers.
pub(crate) fn printed(e: &Expr, py: Py) -> Py {
    match e.ty {
        Type::Tensor(_) => py.method("tolist", None, Vec::new()),
        _ => py,
    }
}

/// The product over several axes, one after the other: PyTorch's takes one.
pub(crate) fn products(x: Py, dims: &[usize], span: Option<Span>) -> Py {
    let mut dims = dims.to_vec();
    strand_source::sort_by(&mut dims, |a, b| b.cmp(a));
    dims.into_iter().fold(x, |x, dim| {
        let dim = Arg::keyword("dim", Py::int(dim as i64));
        Py::path("torch.prod", span).call(vec![Arg::from(x), dim])
    })
}

/// The axes that are reduced; `None` where all are.
pub(crate) fn reduced_axes(over: &Over, rank: usize) -> Option<Vec<usize>> {
    match over {
        Over::None | Over::All => None,
        Over::Axes(axes) => {
            let mut sorted = axes.clone();
            strand_source::sort(&mut sorted);
            sorted.dedup();
            (sorted.len() < rank).then(|| axes.clone())
        }
    }
}
