//! Built-ins with rules of their own, as PyTorch spells them.

use strand_ir::{Expr, ExprKind, Over, Type};
use strand_ops::{DType, OpId};

use crate::ops::Params;
use crate::py::{Arg, Py};
use crate::writer::Writer;

impl<'a> Writer<'_, 'a> {
    /// A built-in with a rule of its own, or a method of a binary function.
    pub(crate) fn special(
        &mut self,
        e: &'a Expr,
        op: OpId,
        pys: Vec<Py>,
        over: &Over,
        params: &'a Params,
    ) -> Py {
        let span = self.op_span(e, op);
        let rank = match &e.kind {
            ExprKind::Op { args, .. } => args.first().and_then(|arg| arg.ty.tensor()),
            _ => None,
        };
        let rank = rank.map_or(1, |ty| ty.rank());
        let dim = match over {
            Over::Axes(axes) => Some(self.dim_argument(e, "dim", axes, rank)),
            _ => None,
        };
        let mut values = pys.into_iter();
        let none = || Py::int(0);
        match op {
            OpId::Expand => {
                let x = values.next().unwrap_or_else(none);
                let sizes = self.shape(&e.ty);
                return x.method("expand", span, sizes);
            }
            OpId::At => {
                let x = values.next().unwrap_or_else(none);
                let name = if function(params) == "add" {
                    "index_add"
                } else {
                    "index_reduce"
                };
                let mut args = vec![Arg::from(Py::int(0))];
                args.extend(values.map(Arg::from));
                let how = match function(params) {
                    "add" => None,
                    "multiply" => Some("prod"),
                    "maximum" => Some("amax"),
                    _ => Some("amin"),
                };
                args.extend(how.map(|how| Arg::from(Py::text(format!("\"{how}\"")))));
                return x.attr(name, span).call(args);
            }
            OpId::ReduceAt => {
                let dtype = e.ty.tensor().map_or(DType::F32, |ty| ty.dtype);
                return self.reduced_parts(values.collect(), dim, params, dtype);
            }
            _ => {}
        }
        let mut args: Vec<Arg> = Vec::new();
        if let (OpId::Einsum, Some((_, equation))) = (op, params.first()) {
            args.push(Arg::from(self.expr(equation)));
        }
        args.extend(values.map(Arg::from));
        match op {
            OpId::BinCount => {
                let born = e.ty.tensor().and_then(|ty| ty.axes.first());
                let born = born
                    .and_then(|axis| axis.size.as_symbol())
                    .is_some_and(|symbol| {
                        self.cx.symbols().get(symbol).kind == strand_ir::SymbolKind::Birth
                    });
                let axes = e.ty.tensor().map_or(&[][..], |ty| ty.axes.as_slice());
                if let (Some(axis), false) = (axes.last(), born) {
                    let size = self.size(&axis.size);
                    args.push(Arg::keyword("minlength", size));
                }
            }
            OpId::Einsum => {}
            // What every call has stands without its name.
            _ => {
                for (name, value) in params {
                    let value = self.expr(value);
                    args.push(match *name {
                        "stride" | "padding" => Arg::keyword(name, value),
                        _ => Arg::from(value),
                    });
                }
            }
        }
        args.extend(dim);
        self.torch_function(op, span).call(args)
    }

    /// `_reduceat(torch.sum, x, offsets, 0.0, dim=0)`
    fn reduced_parts(
        &mut self,
        pys: Vec<Py>,
        dim: Option<Arg>,
        params: &Params,
        dtype: DType,
    ) -> Py {
        self.cx.needs.reduceat = true;
        let least = |end: &str| format!("torch.iinfo({}).{end}", dtype.torch());
        let (path, outside) = match (function(params), dtype.is_float()) {
            ("multiply", _) => ("torch.prod", "1".to_owned()),
            ("maximum", true) => ("torch.amax", "-torch.inf".to_owned()),
            ("minimum", true) => ("torch.amin", "torch.inf".to_owned()),
            ("maximum", false) => ("torch.amax", least("min")),
            ("minimum", false) => ("torch.amin", least("max")),
            _ => ("torch.sum", "0".to_owned()),
        };
        let mut args = vec![Arg::from(Py::path(path, None))];
        args.extend(pys.into_iter().map(Arg::from));
        args.push(Arg::from(Py::name(outside)));
        args.extend(dim);
        Py::name("_reduceat").call(args)
    }
}

/// The binary function that a method is of.
fn function(params: &Params) -> &str {
    match params.first().map(|(_, value)| (&value.kind, &value.ty)) {
        Some((ExprKind::Str(name), Type::Host(_))) => name,
        _ => "",
    }
}
