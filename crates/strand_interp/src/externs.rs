//! Extern functions: those of torch and math that are built-ins under another name, a few of
//! linear algebra, and what the host registers.

use strand_array::{DType, Scalar};
use strand_ir::{Expr, ExternId, Host as HostType, SizeBinding, Type};
use strand_ops::{Class, OPS, OpId};
use strand_source::{Code, Span};

use crate::error::{Fail, Run, fail, from_array, malformed, with_note};
use crate::levels::Levels;
use crate::machine::{Frame, Machine};
use crate::value::{Tensor, Val, Value};

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
        self.take_dtype_of_tensors(values, &mut tensors);
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

    /// Host numbers take the dtype of the tensors beside them.
    fn take_dtype_of_tensors(&mut self, values: &[Val], tensors: &mut [Tensor]) {
        let is_tensor = |value: &Val| matches!(value, Val::Tensor(_));
        let typed = values
            .iter()
            .zip(tensors.iter())
            .find(|(v, _)| is_tensor(v));
        let dtype = typed.map_or(DType::F32, |(_, tensor)| tensor.dtype());
        for (value, tensor) in values.iter().zip(tensors) {
            if let (false, crate::value::Data::Scalar(scalar)) =
                (is_tensor(value), &mut tensor.data)
            {
                *scalar = scalar.cast(dtype);
            }
        }
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

    fn host_external(&mut self, id: ExternId, values: Vec<Val>, e: &'p Expr) -> Run<Val> {
        let function = self.program.external(id);
        let levels = values.iter().fold(Levels::NONE, |all, value| match value {
            Val::Tensor(tensor) => all.union(tensor.levels),
            _ => all,
        });
        if levels != Levels::NONE {
            return self.host_batch(id, values, levels, e);
        }
        let mut outside = Vec::with_capacity(values.len());
        for value in values {
            outside.push(self.outside(value, e.span)?);
        }
        let value = self.host_call(id, &outside, e.span)?;
        self.returned(&function.name, value, e)
    }

    fn host_call(&mut self, id: ExternId, args: &[Value], span: Span) -> Run<Value> {
        let function = self.program.external(id);
        let (module, name) = (&function.module, &function.name);
        self.flush();
        match self.host.call(module, name, args) {
            Some(Ok(value)) => Ok(value),
            Some(Err(why)) => Err(host_failed(span, name, &why)),
            None => Err(unknown_external(module, name, span)),
        }
    }

    /// For all elements of the chains around: a function without types takes them together, as it takes every tensor;
    /// one with types is called for each.
    fn host_batch(
        &mut self,
        id: ExternId,
        values: Vec<Val>,
        levels: Levels,
        e: &'p Expr,
    ) -> Run<Val> {
        let function = self.program.external(id);
        let what = format!("{}'s result", function.name);
        let Type::Tensor(ty) = &e.ty else {
            return Err(unknown_external(&function.module, &function.name, e.span));
        };
        let wrong = |error: strand_array::ArrayError| from_array(&error, e.span);
        let sizes: Vec<usize> = levels.iter().map(|level| self.level_size(level)).collect();
        let together = function.result.is_none();
        let mut args = Vec::with_capacity(values.len());
        for value in values {
            args.push(match value {
                Val::Tensor(tensor) if together => {
                    Value::Tensor(self.aligned_array(&tensor, levels, ty.rank(), e.span)?)
                }
                Val::Tensor(tensor) if tensor.levels != Levels::NONE => {
                    let whole = self.spread(&tensor, levels, e.span)?;
                    Value::Tensor(self.array(&whole, e.span)?)
                }
                // The same for each, in a tuple to tell it from those of elements.
                other => Value::Tuple(vec![self.outside(other, e.span)?]),
            });
        }
        if together {
            let args: Vec<Value> = args.into_iter().map(alone).collect();
            let value = self.host_call(id, &args, e.span)?;
            let own = self.shape_of(e)?;
            let Value::Tensor(array) = value else {
                let message = format!("{what} is {}, not a tensor", value.kind());
                return Err(fail(Code::R01, e.span, message));
            };
            let shape = [sizes.as_slice(), &own.0].concat();
            if array.shape() != shape || array.dtype() != own.1 {
                let message = format!("{what} isn't of its argument's shape and dtype");
                return Err(fail(Code::R01, e.span, message));
            }
            let node = self.graph.ready(array, e.span);
            return Ok(Val::Tensor(Tensor::node(node, levels)));
        }
        let count: usize = sizes.iter().product();
        let mut made = Vec::with_capacity(count.min(1 << 16));
        for at in 0..count {
            self.tick(e.span)?;
            let mut own = Vec::with_capacity(args.len());
            for arg in &args {
                own.push(match arg {
                    Value::Tensor(array) => {
                        Value::Tensor(element_at(array, &sizes, at).map_err(wrong)?)
                    }
                    same => alone(same.clone()),
                });
            }
            let value = self.host_call(id, &own, e.span)?;
            let Val::Tensor(tensor) = self.returned(&function.name, value, e)? else {
                return Err(malformed(e.span, "a result of another kind"));
            };
            made.push(self.array(&tensor, e.span)?);
        }
        let ctx = &self.graph.ctx;
        let whole = match made.first() {
            None => {
                let own = self.shape_of(e)?;
                let shape = [sizes.as_slice(), &own.0].concat();
                strand_array::Array::zeros(ctx, &shape, own.1).map_err(wrong)?
            }
            Some(first) => {
                let own = first.shape().to_vec();
                let shape = [sizes.as_slice(), &own].concat();
                let rows = strand_array::stack(ctx, &made, 0).map_err(wrong)?;
                rows.reshape(ctx, &shape).map_err(wrong)?
            }
        };
        self.graph.collect(e.span, &whole);
        let node = self.graph.ready(whole, e.span);
        Ok(Val::Tensor(Tensor::node(node, levels)))
    }

    /// What a function of the host gave, if it is of the type that was declared (R01, R02).
    fn returned(&mut self, name: &str, value: Value, e: &'p Expr) -> Run<Val> {
        let what = format!("{name}'s result");
        if let Value::Tensor(array) = &value {
            // A call before may have bound them to other sizes.
            let tensor = Tensor::array(&mut self.graph, array.clone(), e.span);
            self.bind_births(&e.ty, &Val::Tensor(tensor));
        }
        let found = self.argument(Some(&e.ty), value, &what, e.span)?;
        if let (Type::Tensor(ty), Val::Tensor(tensor)) = (&e.ty, &found) {
            self.check_declared(tensor, ty, &what, e.span)?;
        }
        Ok(found)
    }

    // Linear algebra

    fn determinant(&mut self, a: &Tensor, span: Span) -> Run<Tensor> {
        self.by_matrix(a, span, 0, |matrix, n, out| {
            out.push(eliminate(matrix, n, None))
        })
    }

    fn inverse(&mut self, a: &Tensor, span: Span) -> Run<Tensor> {
        let mut singular = false;
        let result = self.by_matrix(a, span, 2, |matrix, n, out| {
            let mut inverse = vec![0.0; n * n];
            for at in 0..n {
                inverse[at * n + at] = 1.0;
            }
            singular |= eliminate(matrix, n, Some(&mut inverse)) == 0.0;
            out.extend(inverse);
        })?;
        if singular {
            return Err(fail(Code::R02, span, "a singular matrix has no inverse"));
        }
        Ok(result)
    }

    /// Runs a function for each matrix of the last two own axes; it gives a number (`rank` 0) or a
    /// matrix (2). Computed in f64, as the sums are short.
    fn by_matrix(
        &mut self,
        a: &Tensor,
        span: Span,
        rank: usize,
        mut each: impl FnMut(&mut [f64], usize, &mut Vec<f64>),
    ) -> Run<Tensor> {
        let array = self.array(a, span)?;
        let (&[rows, columns], Some(lead)) = (
            array.shape().last_chunk::<2>().unwrap_or(&[0, 1]),
            array.rank().checked_sub(2),
        ) else {
            return Err(wrong_count(span));
        };
        if a.rank() < 2 || rows != columns {
            return Err(fail(Code::R01, span, "a square matrix is needed"));
        }
        let n = rows;
        let mut shape = array.shape().get(..lead).unwrap_or(&[]).to_vec();
        let count: usize = shape.iter().product();
        let mut values = array.to_vec_f64();
        let mut out = Vec::new();
        if n == 0 {
            for _ in 0..count {
                each(&mut [], 0, &mut out);
            }
        }
        for matrix in values.chunks_exact_mut((n * n).max(1)) {
            each(matrix, n, &mut out);
        }
        if rank == 2 {
            shape.extend([n, n]);
        }
        let made = crate::value::floats(&self.graph.ctx, &out, &shape, array.dtype());
        let tensor = self.made(made, span)?;
        Ok(Tensor {
            levels: a.levels,
            ..tensor
        })
    }

    fn trace(&mut self, a: &Tensor, span: Span) -> Run<Tensor> {
        let array = self.array(a, span)?;
        let lead = a.levels.count();
        let diagonal = array.diagonal(0, lead, lead + 1);
        let diagonal = diagonal.map_err(|e| from_array(&e, span))?;
        let node = self.graph.ready(diagonal, span);
        self.reduce(OpId::Sum, &Tensor::node(node, a.levels), &[0], span)
    }

    fn outer(&mut self, a: &Tensor, b: &Tensor, span: Span) -> Run<Tensor> {
        let mut shape = a.shape().to_vec();
        shape.push(1);
        let node = self.whole_node(a, span)?;
        let node = self.graph.with_ones(&node, &shape, span)?;
        let column = Tensor::node(node, a.levels);
        self.elementwise(OpId::Mul, vec![column, b.clone()], span)
    }
}

/// The only value of a tuple of one; others as they are.
fn alone(value: Value) -> Value {
    match value {
        Value::Tuple(mut parts) if parts.len() == 1 => parts.pop().unwrap_or(Value::Nothing),
        other => other,
    }
}

/// The part of an array that belongs to the `at`-th element of chains of these sizes, whose axes come first.
fn element_at(
    array: &strand_array::Array,
    sizes: &[usize],
    at: usize,
) -> strand_array::Result<strand_array::Array> {
    let mut array = array.clone();
    let mut rest = at;
    for (axis, size) in sizes.iter().enumerate().rev() {
        array = array.select(axis, (rest % size) as i64)?;
        rest /= size;
    }
    Ok(array)
}

/// Gauss-Jordan elimination with the largest pivot of each column: the determinant, and on
/// `inverse`, the identity before, the same steps.
fn eliminate(a: &mut [f64], n: usize, mut inverse: Option<&mut Vec<f64>>) -> f64 {
    let mut determinant = 1.0;
    for column in 0..n {
        let size = |row: usize| a[row * n + column].abs();
        let pivot = (column..n).fold(
            column,
            |best, row| if size(row) > size(best) { row } else { best },
        );
        let value = a[pivot * n + column];
        if value == 0.0 {
            return 0.0;
        }
        if pivot != column {
            determinant = -determinant;
            for at in 0..n {
                a.swap(pivot * n + at, column * n + at);
                if let Some(inverse) = &mut inverse {
                    inverse.swap(pivot * n + at, column * n + at);
                }
            }
        }
        determinant *= value;
        let rows = if inverse.is_some() {
            0..n
        } else {
            column + 1..n
        };
        for row in rows.filter(|row| *row != column) {
            let factor = a[row * n + column] / value;
            for at in 0..n {
                a[row * n + at] -= factor * a[column * n + at];
                if let Some(inverse) = &mut inverse {
                    inverse[row * n + at] -= factor * inverse[column * n + at];
                }
            }
        }
    }
    if let Some(inverse) = inverse {
        for row in 0..n {
            let value = a[row * n + row];
            for at in 0..n {
                inverse[row * n + at] /= value;
            }
        }
    }
    determinant
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

/// How long a message is at most.
const MOST_MESSAGE: usize = 80;

/// A function of the host that failed; a reason for which a line has no room is a note.
pub(crate) fn host_failed(span: Span, name: &str, why: &str) -> Fail {
    let message = format!("{name} failed: {why}");
    if message.len() > MOST_MESSAGE || message.contains('\n') {
        return with_note(fail(Code::R07, span, format!("{name} failed")), why);
    }
    fail(Code::R07, span, message)
}
