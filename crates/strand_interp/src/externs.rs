//! Extern functions: those of torch and math that are built-ins under another name, a few of
//! linear algebra, and what the host registers.

mod host;
mod matrices;

pub(crate) use host::host_failed;

use strand_array::{DType, Scalar};
use strand_ir::{Expr, ExternId, Host as HostType, SizeBinding, Type};
use strand_ops::{Class, OPS, OpId};
use strand_source::{Code, Span};

use crate::error::{Fail, Run, fail, malformed, with_note};
use crate::fits;
use crate::machine::{Frame, Machine};
use crate::value::{Data, Tensor, Val};

/// An extern function that runs here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// A row of the table, on all axes where it reduces.
    Op(OpId),
    /// The determinant of square matrices.
    Det,
    /// The inverse of square matrices.
    Inverse,
    /// The sum of a matrix's diagonal.
    Trace,
    /// The sum of products of two vectors.
    Dot,
    /// All products of the elements of two vectors.
    Outer,
    /// 2 to a power.
    Exp2,
    /// log(x / (1 - x)).
    Logit,
}

/// Names of the torch modules whose functions are those of the table or of this list.
const ALIASES: &[(&str, &str, Known)] = &[
    ("torch.linalg", "det", Known::Det),
    ("torch", "det", Known::Det),
    ("torch.linalg", "inv", Known::Inverse),
    ("torch", "inverse", Known::Inverse),
    ("torch", "trace", Known::Trace),
    ("torch", "dot", Known::Dot),
    ("torch", "vdot", Known::Dot),
    ("torch.linalg", "vecdot", Known::Dot),
    ("torch", "inner", Known::Dot),
    ("torch", "outer", Known::Outer),
    ("torch", "exp2", Known::Exp2),
    ("torch.special", "exp2", Known::Exp2),
    ("torch", "logit", Known::Logit),
    ("torch.special", "logit", Known::Logit),
    ("torch.special", "expit", Known::Op(OpId::Sigmoid)),
    ("torch.special", "erf", Known::Op(OpId::Erf)),
    ("torch.special", "expm1", Known::Op(OpId::Expm1)),
    ("torch.special", "log1p", Known::Op(OpId::Log1p)),
    ("torch.special", "round", Known::Op(OpId::Round)),
    ("torch.nn.functional", "relu", Known::Op(OpId::Relu)),
    ("torch.nn.functional", "sigmoid", Known::Op(OpId::Sigmoid)),
    ("torch.nn.functional", "tanh", Known::Op(OpId::Tanh)),
    ("torch.linalg", "norm", Known::Op(OpId::Norm)),
    ("torch.linalg", "matmul", Known::Op(OpId::MatMul)),
    ("torch", "mm", Known::Op(OpId::MatMul)),
    ("torch", "mv", Known::Op(OpId::MatMul)),
    ("torch", "bmm", Known::Op(OpId::MatMul)),
    ("torch", "norm", Known::Op(OpId::Norm)),
    ("torch", "multiply", Known::Op(OpId::Mul)),
    ("torch", "divide", Known::Op(OpId::Div)),
    ("torch", "true_divide", Known::Op(OpId::Div)),
    ("torch", "subtract", Known::Op(OpId::Sub)),
    ("torch", "absolute", Known::Op(OpId::Abs)),
    ("torch", "negative", Known::Op(OpId::Neg)),
    ("torch", "arcsin", Known::Op(OpId::Asin)),
    ("torch", "arccos", Known::Op(OpId::Acos)),
    ("torch", "arctan", Known::Op(OpId::Atan)),
    ("torch", "arctan2", Known::Op(OpId::Atan2)),
    ("torch", "greater", Known::Op(OpId::Gt)),
    ("torch", "greater_equal", Known::Op(OpId::Ge)),
    ("torch", "less", Known::Op(OpId::Lt)),
    ("torch", "less_equal", Known::Op(OpId::Le)),
    ("torch", "not_equal", Known::Op(OpId::Ne)),
    ("torch", "clip", Known::Op(OpId::Clamp)),
    ("torch", "fix", Known::Op(OpId::Trunc)),
];

fn known(module: &str, name: &str) -> Option<Known> {
    let alias = ALIASES.iter().find(|(m, n, _)| *m == module && *n == name);
    if let Some((_, _, known)) = alias {
        return Some(*known);
    }
    let path = format!("{module}.{name}");
    let row = OPS.iter().find(|op| op.torch == path)?;
    let runs = matches!(
        row.class,
        Class::Elementwise { .. } | Class::Reduce { .. } | Class::ArgReduce | Class::MatMul
    );
    runs.then_some(Known::Op(row.id))
}

impl<'p> Machine<'p, '_> {
    /// A call of an extern function.
    #[inline(never)]
    pub(crate) fn external(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        id: ExternId,
        args: &'p [Expr],
        sizes: &'p [SizeBinding],
    ) -> Run<Val> {
        let function = self.program.external(id);
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.eval(frame, arg)?);
        }
        for binding in sizes {
            if let Some(size) = self.known_size(&binding.axis.size) {
                self.bind_size(binding.symbol, size);
            }
        }
        if function.module == "math" {
            return self.math(&function.name, &values, e);
        }
        let result = match known(&function.module, &function.name) {
            Some(known) => self.known_external(known, &values, e)?,
            None => self.host_external(id, values, e)?,
        };
        self.bind_births(&e.ty, &result);
        Ok(result)
    }

    fn known_external(&mut self, known: Known, values: &[Val], e: &'p Expr) -> Run<Val> {
        let mut tensors = Vec::with_capacity(values.len());
        for value in values {
            tensors.push(match value {
                Val::Tensor(tensor) => tensor.clone(),
                Val::Int(v) => Tensor::scalar(Scalar::I64(*v)),
                Val::Float(v) => Tensor::scalar(Scalar::F64(*v)),
                Val::Bool(v) => Tensor::scalar(Scalar::Bool(*v)),
                _ => return Err(malformed(e.span, "an argument of another kind")),
            });
        }
        take_dtype_of_tensors(values, &mut tensors, e.span)?;
        let result = match (known, tensors.as_slice()) {
            (Known::Op(op), _) => self.known_op(op, tensors, e.span)?,
            (Known::Det, [a]) => self.determinant(a, e.span)?,
            (Known::Inverse, [a]) => self.inverse(a, e.span)?,
            (Known::Trace, [a]) => self.trace(a, e.span)?,
            (Known::Dot, [a, b]) => self.matmul(a, b, e.span)?,
            (Known::Outer, [a, b]) => self.outer(a, b, e.span)?,
            (Known::Exp2, [x]) => {
                let two = Tensor::scalar(Scalar::F64(2.0).cast(x.dtype()));
                self.elementwise(OpId::Pow, vec![two, x.clone()], e.span)?
            }
            (Known::Logit, [x]) => {
                let one = Tensor::scalar(Scalar::F64(1.0).cast(x.dtype()));
                let rest = self.elementwise(OpId::Sub, vec![one, x.clone()], e.span)?;
                let odds = self.elementwise(OpId::Div, vec![x.clone(), rest], e.span)?;
                self.elementwise(OpId::Log, vec![odds], e.span)?
            }
            _ => return Err(wrong_count(e.span)),
        };
        Ok(Val::Tensor(result))
    }

    fn known_op(&mut self, op: OpId, tensors: Vec<Tensor>, span: Span) -> Run<Tensor> {
        match (op.op().class, tensors.as_slice()) {
            (Class::Elementwise { arity }, _) if tensors.len() == arity as usize => {
                self.elementwise(op, tensors, span)
            }
            (Class::Reduce { .. } | Class::ArgReduce, [a]) => {
                let axes: Vec<usize> = (0..a.rank()).collect();
                self.reduce(op, a, &axes, span)
            }
            (Class::MatMul, [a, b]) => self.matmul(a, b, span),
            _ => Err(wrong_count(span)),
        }
    }

    /// A function of Python's math on host numbers.
    fn math(&mut self, name: &str, values: &[Val], e: &'p Expr) -> Run<Val> {
        let mut floats = Vec::with_capacity(values.len());
        for value in values {
            floats.push(match value {
                Val::Int(v) => *v as f64,
                Val::Float(v) => *v,
                Val::Bool(v) => f64::from(u8::from(*v)),
                _ => return Err(malformed(e.span, "an argument of another kind")),
            });
        }
        if let ("gcd" | "lcm", [Val::Int(a), Val::Int(b)]) = (name, values) {
            return common_divisor(name, *a, *b, e.span).map(Val::Int);
        }
        let Some(op) = math_op(name, floats.len()) else {
            return Err(unknown_external("math", name, e.span));
        };
        let scalars: Vec<_> = floats.iter().map(|v| Scalar::F64(*v)).collect();
        let value = self.scalar_function(op, &scalars, e.span)?.to_f64();
        self.in_domain(op, &floats, value, e.span)?;
        Ok(match e.ty {
            Type::Host(HostType::Int) => Val::Int(value as i64),
            Type::Host(HostType::Bool) => Val::Bool(value != 0.0),
            _ => Val::Float(value),
        })
    }
}

/// Host numbers take the dtype of the tensors beside them (R02 where one doesn't fit).
fn take_dtype_of_tensors(values: &[Val], tensors: &mut [Tensor], span: Span) -> Run<()> {
    let is_tensor = |value: &Val| matches!(value, Val::Tensor(_));
    let typed = values
        .iter()
        .zip(tensors.iter())
        .find(|(v, _)| is_tensor(v));
    let dtype = typed.map_or(DType::F32, |(_, tensor)| tensor.dtype());
    for (value, tensor) in values.iter().zip(tensors) {
        if let (false, Data::Scalar(scalar)) = (is_tensor(value), &mut tensor.data) {
            *scalar = fits::lifted(*scalar, dtype, span)?;
        }
    }
    Ok(())
}

fn math_op(name: &str, count: usize) -> Option<OpId> {
    let op = match (name, count) {
        ("fabs", 1) => OpId::Abs,
        ("pow", 2) => OpId::Pow,
        ("atan2", 2) => OpId::Atan2,
        ("hypot", 2) => OpId::Hypot,
        ("fmod", 2) => OpId::Fmod,
        (
            "sqrt" | "exp" | "expm1" | "log" | "log1p" | "log2" | "log10" | "sin" | "cos" | "tan"
            | "asin" | "acos" | "atan" | "sinh" | "cosh" | "tanh" | "erf" | "floor" | "ceil"
            | "trunc" | "isnan" | "isinf" | "isfinite",
            1,
        ) => strand_ops::find(name)?.id,
        _ => return None,
    };
    Some(op)
}

fn common_divisor(name: &str, a: i64, b: i64, span: Span) -> Run<i64> {
    let (mut x, mut y) = (a.unsigned_abs(), b.unsigned_abs());
    while y != 0 {
        (x, y) = (y, x % y);
    }
    let found = match (name, x) {
        ("gcd", _) => Some(x),
        (_, 0) => Some(0),
        _ => (a.unsigned_abs() / x).checked_mul(b.unsigned_abs()),
    };
    let found = found.and_then(|v| i64::try_from(v).ok());
    found.ok_or_else(|| {
        let message = format!("{name}({a}, {b}) is past the 64 bits of an int");
        fail(Code::R02, span, message)
    })
}

fn wrong_count(span: Span) -> Fail {
    fail(
        Code::R07,
        span,
        "this extern function can't run in the playground with these arguments",
    )
}

fn unknown_external(module: &str, name: &str, span: Span) -> Fail {
    with_note(
        fail(
            Code::R07,
            span,
            format!("{module}.{name} can't run in the playground"),
        ),
        "Everything before it has run. The PyTorch text is whole and runs as it stands.",
    )
}
