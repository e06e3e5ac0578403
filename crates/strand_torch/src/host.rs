//! Built-ins on host numbers and bools: Python's operators and its math module.

use strand_ir::{Expr, ExprKind, Host, Type};
use strand_ops::OpId;
use strand_source::Span;

use crate::py::Py;
use crate::writer::Writer;

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
        OpId::And => "and",
        OpId::Or => "or",
        OpId::BitwiseAnd => "&",
        OpId::BitwiseOr => "|",
        OpId::BitwiseXor => "^",
        _ => return None,
    })
}

/// The operator on bools of a function of truth values, which computes both.
fn of_bools(op: OpId) -> Option<&'static str> {
    Some(match op {
        OpId::LogicalAnd => "&",
        OpId::LogicalOr => "|",
        OpId::LogicalXor => "^",
        _ => return None,
    })
}

/// The function of math of the same meaning.
fn math_function(op: OpId) -> Option<&'static str> {
    Some(match op {
        OpId::Exp => "exp",
        OpId::Expm1 => "expm1",
        OpId::Log => "log",
        OpId::Log1p => "log1p",
        OpId::Log2 => "log2",
        OpId::Log10 => "log10",
        OpId::Sqrt => "sqrt",
        OpId::Sin => "sin",
        OpId::Cos => "cos",
        OpId::Tan => "tan",
        OpId::Asin => "asin",
        OpId::Acos => "acos",
        OpId::Atan => "atan",
        OpId::Sinh => "sinh",
        OpId::Cosh => "cosh",
        OpId::Tanh => "tanh",
        OpId::Erf => "erf",
        OpId::IsNan => "isnan",
        OpId::IsInf => "isinf",
        OpId::IsFinite => "isfinite",
        OpId::Atan2 => "atan2",
        OpId::Hypot => "hypot",
        OpId::Fmod => "fmod",
        OpId::Floor => "floor",
        OpId::Ceil => "ceil",
        OpId::Trunc => "trunc",
        _ => return None,
    })
}

impl<'a> Writer<'_, 'a> {
    /// An elementwise built-in of host values.
    pub(crate) fn host_op(
        &mut self,
        e: &'a Expr,
        op: OpId,
        args: &'a [Expr],
        pys: Vec<Py>,
        span: Option<Span>,
    ) -> Py {
        let is_float = matches!(e.ty, Type::Host(Host::Float));
        let is_int = args
            .iter()
            .all(|arg| matches!(arg.ty, Type::Host(Host::Int)));
        if let Some(operator) = operator(op) {
            return pys
                .into_iter()
                .reduce(|left, right| Py::binary(operator, left, right, span))
                .unwrap_or_else(|| Py::int(0));
        }
        if let Some(operator) = of_bools(op) {
            let truths = pys.into_iter().zip(args).map(|(py, arg)| match arg.ty {
                Type::Host(Host::Bool) => py,
                _ => Py::call_path("bool", None, vec![py]),
            });
            return truths
                .reduce(|left, right| Py::binary(operator, left, right, span))
                .unwrap_or_else(|| Py::int(0));
        }
        let mut pys = pys;
        let rounds = matches!(op, OpId::Floor | OpId::Ceil | OpId::Trunc | OpId::Round);
        if rounds && is_int {
            return pys.remove(0);
        }
        if let Some(name) = math_function(op) {
            let call = Py::call_path(&format!("math.{name}"), span, pys);
            return if rounds && is_float {
                as_float(call)
            } else {
                call
            };
        }
        let call = |name: &str, pys| Py::call_path(name, span, pys);
        match op {
            OpId::Neg => Py::unary("-", pys.remove(0), span),
            OpId::Not => Py::negated(pys.remove(0), span),
            OpId::Abs => call("abs", pys),
            OpId::Maximum => call("max", pys),
            OpId::Minimum => call("min", pys),
            OpId::Relu => {
                let zero = if is_float {
                    Py::number("0.0")
                } else {
                    Py::int(0)
                };
                pys.push(zero);
                call("max", pys)
            }
            OpId::Clamp => {
                let high = pys.remove(2);
                call("min", vec![call("max", pys), high])
            }
            OpId::Round if is_float => as_float(call("round", pys)),
            OpId::Square => Py::binary("**", pys.remove(0), Py::int(2), span),
            OpId::Reciprocal => Py::binary("/", Py::int(1), pys.remove(0), span),
            OpId::Rsqrt => Py::binary("/", Py::int(1), Py::call_path("math.sqrt", span, pys), None),
            OpId::Where => {
                let mut arm = |at: usize| {
                    let py = pys.remove(at);
                    match (is_float, &args[at].kind, &args[at].ty) {
                        (true, ExprKind::Int(value), _) => Py::number(&format!("{value}.0")),
                        (true, _, Type::Host(Host::Int)) => call("float", vec![py]),
                        _ => py,
                    }
                };
                let otherwise = arm(2);
                let then = arm(1);
                Py::ternary(then, pys.remove(0), otherwise, [span, None])
            }
            _ => self.through_tensor(op, args, pys, span),
        }
    }

    /// The built-in on a `[]` tensor, read back: where Python has no function for it.
    fn through_tensor(
        &mut self,
        op: OpId,
        args: &'a [Expr],
        pys: Vec<Py>,
        span: Option<Span>,
    ) -> Py {
        let dtype = if args
            .iter()
            .all(|arg| matches!(arg.ty, Type::Host(Host::Int)))
        {
            strand_ops::DType::I64
        } else {
            strand_ops::DType::F64
        };
        let pairs = pys.into_iter().zip(args);
        let tensors = pairs
            .map(|(py, arg)| self.lifted(py, &arg.ty, dtype))
            .collect();
        self.torch_call(op, span, tensors)
            .method("item", None, Vec::new())
    }
}

fn as_float(py: Py) -> Py {
    Py::call_path("float", None, vec![py])
}
