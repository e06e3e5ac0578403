//! Tensors that are made of a shape: zeros, ones, full, arange, and random draws.

use strand_ir::{Expr, ExprKind, Host, Size, Type};
use strand_ops::{DType, OpId};
use strand_source::Span;

use crate::ops::Params;
use crate::py::{Arg, Py};
use crate::writer::Writer;

/// The fewest elements of f32 that PyTorch draws from the normal distribution in vectors.
const LEAST_OF_VECTORS: i64 = 16;

/// Whether a number is written and not negative, so that PyTorch takes it as a deviation.
fn is_scale(e: &Expr) -> bool {
    match e.kind {
        ExprKind::Int(number) => number >= 0,
        ExprKind::Float(number) => number >= 0.0,
        _ => false,
    }
}

impl<'a> Writer<'_, 'a> {
    pub(crate) fn dtype_argument(&self, e: &Expr, natural: DType) -> Option<Arg> {
        let dtype = e.ty.tensor()?.dtype;
        (dtype != natural).then(|| Arg::keyword("dtype", Py::path(dtype.torch(), None)))
    }

    /// zeros, ones, full, arange, draws and dropout.
    pub(crate) fn made(&mut self, e: &'a Expr, op: OpId, pys: Vec<Py>, params: &'a Params) -> Py {
        let span = self.op_span(e, op);
        let param = |name: &str| params.iter().find(|(key, _)| *key == name).map(|(_, e)| e);
        match op {
            OpId::Full => {
                let host = param("value").map(|e| &e.ty);
                let value = param("value").map_or_else(|| Py::int(0), |e| self.expr(e));
                let natural = match host {
                    Some(Type::Host(Host::Int)) => DType::I64,
                    Some(Type::Host(Host::Bool)) => DType::Bool,
                    _ => DType::F32,
                };
                let shape = Py::tuple(self.shape(&e.ty));
                let mut args = vec![Arg::from(shape), Arg::from(value)];
                args.extend(self.dtype_argument(e, natural));
                Py::path("torch.full", span).call(args)
            }
            OpId::Arange => {
                let mut args: Vec<Arg> = pys.into_iter().map(Arg::from).collect();
                if args.is_empty() {
                    args.extend(self.shape(&e.ty).into_iter().map(Arg::from));
                }
                Py::path("torch.arange", span).call(args)
            }
            OpId::Normal | OpId::Uniform | OpId::RandInt => self.drawn(e, op, params, span, None),
            OpId::Dropout => {
                let mut args: Vec<Arg> = pys.into_iter().map(Arg::from).collect();
                if let Some(p) = param("p") {
                    args.push(Arg::keyword("p", self.expr(p)));
                }
                args.push(self.training());
                self.torch_function(op, span).call(args)
            }
            _ => {
                let shape = self.shape(&e.ty);
                let mut args: Vec<Arg> = if shape.is_empty() {
                    vec![Arg::from(Py::tuple(Vec::new()))]
                } else {
                    shape.into_iter().map(Arg::from).collect()
                };
                args.extend(self.dtype_argument(e, DType::F32));
                self.torch_function(op, span).call(args)
            }
        }
    }

    /// A random draw, from the generator that is given or one of its own seed.
    pub(crate) fn drawn(
        &mut self,
        e: &'a Expr,
        op: OpId,
        params: &'a Params,
        span: Option<Span>,
        generator: Option<Py>,
    ) -> Py {
        let given = |w: &mut Self, name: &str| {
            let found = params.iter().find(|(key, _)| *key == name);
            found.map(|(_, e)| w.expr(e))
        };
        let float = |value: Option<Py>, default: &str| value.unwrap_or_else(|| Py::number(default));
        let seed = given(self, "seed").unwrap_or_else(|| Py::int(0));
        let generator = generator.unwrap_or_else(|| self.seeded(seed));
        let generator = Arg::keyword("generator", generator);
        if op == OpId::RandInt {
            let bounds = [given(self, "low"), given(self, "high")]
                .into_iter()
                .flatten();
            let mut args: Vec<Arg> = bounds.map(Arg::from).collect();
            args.push(Arg::from(Py::tuple(self.shape(&e.ty))));
            args.push(generator);
            args.extend(self.dtype_argument(e, DType::I64));
            return Py::path("torch.randint", span).call(args);
        }
        let is_standard = |(key, _): &(&str, Expr)| *key != "mean" && *key != "std";
        if op == OpId::Normal && params.iter().all(is_standard) {
            let mut args = self.sizes_given(e);
            args.push(generator);
            args.extend(self.dtype_argument(e, DType::F32));
            return Py::path("torch.randn", span).call(args);
        }
        let is_centred = params.iter().all(|(key, _)| *key != "mean");
        let std = params.iter().find(|(key, _)| *key == "std");
        let is_scale = std.is_none_or(|(_, std)| is_scale(std));
        if op == OpId::Normal && is_centred && is_scale && self.scales_as_elements(e) {
            let std = float(given(self, "std"), "1.0");
            let mut args = self.sizes_given(e);
            args.push(generator);
            args.extend(self.dtype_argument(e, DType::F32));
            return Py::binary("*", std, Py::path("torch.randn", span).call(args), None);
        }
        if op == OpId::Normal {
            let mean = float(given(self, "mean"), "0.0");
            let std = float(given(self, "std"), "1.0");
            let shape = Py::tuple(self.shape(&e.ty));
            let mut args: Vec<Arg> = [mean, std, shape].into_iter().map(Arg::from).collect();
            args.push(generator);
            args.extend(self.dtype_argument(e, DType::F32));
            return Py::path("torch.normal", span).call(args);
        }
        let (low, high) = (given(self, "low"), given(self, "high"));
        let mut shape = self.sizes_given(e);
        if low.is_none() && high.is_none() {
            shape.push(generator);
            shape.extend(self.dtype_argument(e, DType::F32));
            return Py::path("torch.rand", span).call(shape);
        }
        shape.extend(self.dtype_argument(e, DType::F32));
        let args = vec![
            Arg::from(float(low, "0.0")),
            Arg::from(float(high, "1.0")),
            generator,
        ];
        Py::path("torch.empty", span)
            .call(shape)
            .attr("uniform_", span)
            .call(args)
    }

    /// Whether normal draws are scaled in their own dtype: of f32 only where there are enough of
    /// them for PyTorch's vectors, since fewer are scaled in f64 and rounded once.
    fn scales_as_elements(&self, e: &Expr) -> bool {
        let Some(ty) = e.ty.tensor() else {
            return false;
        };
        let size = |size: &Size| size.ground(self.cx.symbols()).as_constant();
        let sizes: Option<Vec<i64>> = ty.axes.iter().map(|axis| size(&axis.size)).collect();
        let count = sizes.map_or(0, |sizes| sizes.into_iter().fold(1, i64::saturating_mul));
        ty.dtype == DType::F64 || ty.dtype == DType::F32 && count >= LEAST_OF_VECTORS
    }

    /// A generator with a seed: in the script PyTorch's own, unless what else draws from that could
    /// tell. A function that others call leaves it alone.
    pub(crate) fn seeded(&self, seed: Py) -> Py {
        if self.is_script && self.cx.seeds_own {
            return Py::call_path("torch.manual_seed", None, vec![seed]);
        }
        let new = Py::call_path("torch.Generator", None, Vec::new());
        new.method("manual_seed", None, vec![seed])
    }

    /// The sizes of a shape as arguments of their own; `()` for none.
    fn sizes_given(&mut self, e: &Expr) -> Vec<Arg> {
        let mut sizes: Vec<Arg> = self.shape(&e.ty).into_iter().map(Arg::from).collect();
        if sizes.is_empty() {
            sizes.push(Arg::from(Py::tuple(Vec::new())));
        }
        sizes
    }
}
