//! Host numbers: Python's ints, floats and bools, on paths without tensors.

use strand_array::Scalar;
use strand_ir::{Expr, ExprKind, Host, Type};
use strand_ops::OpId;
use strand_source::{Code, Span};

use crate::element::element_op;
use crate::error::{Fail, Run, fail, malformed};
use crate::graph::{ElementOp, Operand};
use crate::machine::{Frame, Machine};
use crate::python;
use crate::value::Val;

impl<'p> Machine<'p, '_> {
    /// The value of a host int.
    pub(crate) fn int(&mut self, frame: &mut Frame<'p>, e: &'p Expr) -> Run<i64> {
        match &e.kind {
            ExprKind::Int(v) => Ok(*v),
            ExprKind::Local(id) => match frame.get(*id) {
                Val::Int(v) => Ok(*v),
                _ => self.other_int(frame, e),
            },
            ExprKind::Size(size) => self.size(size, e.span),
            ExprKind::Op { op, args, .. } => match args.as_slice() {
                [a, b] if is_int(a) && is_int(b) => {
                    let x = self.int(frame, a)?;
                    let y = self.int(frame, b)?;
                    match int_op(*op, x, y) {
                        Some(Some(v)) => Ok(v),
                        Some(None) => Err(int_error(*op, x, y, e.span)),
                        None => self.host_function(frame, e, *op, args).map(Scalar::to_i64),
                    }
                }
                _ if matches!(op, OpId::Item | OpId::Len) => self.other_int(frame, e),
                _ => self.host_function(frame, e, *op, args).map(Scalar::to_i64),
            },
            _ => self.other_int(frame, e),
        }
    }

    #[inline(never)]
    fn other_int(&mut self, frame: &mut Frame<'p>, e: &'p Expr) -> Run<i64> {
        match self.value(frame, e)? {
            Val::Int(v) => Ok(v),
            Val::Bool(v) => Ok(i64::from(v)),
            Val::Tensor(tensor) => self.item(&tensor, e.span).map(Scalar::to_i64),
            _ => Err(malformed(e.span, "an int of another kind")),
        }
    }

    /// The value of a host int or float as a float.
    pub(crate) fn float(&mut self, frame: &mut Frame<'p>, e: &'p Expr) -> Run<f64> {
        if is_int(e) {
            return self.int(frame, e).map(|v| v as f64);
        }
        match &e.kind {
            ExprKind::Float(v) => Ok(*v),
            ExprKind::Local(id) => match frame.get(*id) {
                Val::Float(v) => Ok(*v),
                Val::Int(v) => Ok(*v as f64),
                _ => self.other_float(frame, e),
            },
            ExprKind::Op { op, args, .. } => match args.as_slice() {
                [a, b] if is_number(a) && is_number(b) => {
                    let x = self.float(frame, a)?;
                    let y = self.float(frame, b)?;
                    match float_op(*op, x, y) {
                        Some(Some(v)) => Ok(v),
                        Some(None) => Err(division_by_zero(e.span)),
                        None => self.float_function(e, *op, &[x, y]),
                    }
                }
                [a] if is_number(a) => {
                    let x = self.float(frame, a)?;
                    match op {
                        OpId::Neg => Ok(-x),
                        OpId::Abs => Ok(x.abs()),
                        _ => self.float_function(e, *op, &[x]),
                    }
                }
                _ if *op == OpId::Item => self.other_float(frame, e),
                _ => self.host_function(frame, e, *op, args).map(Scalar::to_f64),
            },
            _ => self.other_float(frame, e),
        }
    }

    #[inline(never)]
    fn other_float(&mut self, frame: &mut Frame<'p>, e: &'p Expr) -> Run<f64> {
        match self.value(frame, e)? {
            Val::Float(v) => Ok(v),
            Val::Int(v) => Ok(v as f64),
            Val::Tensor(tensor) => self.item(&tensor, e.span).map(Scalar::to_f64),
            _ => Err(malformed(e.span, "a float of another kind")),
        }
    }

    /// The value of a host bool. `and` and `or` don't evaluate what they don't need.
    pub(crate) fn boolean(&mut self, frame: &mut Frame<'p>, e: &'p Expr) -> Run<bool> {
        match &e.kind {
            ExprKind::Bool(v) => Ok(*v),
            ExprKind::Local(id) => match frame.get(*id) {
                Val::Bool(v) => Ok(*v),
                _ => self.other_boolean(frame, e),
            },
            ExprKind::Op { op, args, .. } => match (op, args.as_slice()) {
                (OpId::And, [a, b]) => Ok(self.boolean(frame, a)? && self.boolean(frame, b)?),
                (OpId::Or, [a, b]) => Ok(self.boolean(frame, a)? || self.boolean(frame, b)?),
                (OpId::Not, [a]) => Ok(!self.boolean(frame, a)?),
                (OpId::LogicalAnd | OpId::LogicalOr | OpId::LogicalXor, [a, b]) => {
                    let x = self.host_scalar(frame, a)?.to_bool();
                    let y = self.host_scalar(frame, b)?.to_bool();
                    Ok(match op {
                        OpId::LogicalAnd => x & y,
                        OpId::LogicalOr => x | y,
                        _ => x ^ y,
                    })
                }
                (_, [a, b]) if is_int(a) && is_int(b) => {
                    let (x, y) = (self.int(frame, a)?, self.int(frame, b)?);
                    self.compared(e, *op, compare(*op, &x, &y))
                }
                (_, [a, b]) if is_number(a) && is_number(b) => {
                    let (x, y) = (self.float(frame, a)?, self.float(frame, b)?);
                    self.compared(e, *op, compare(*op, &x, &y))
                }
                (OpId::Eq | OpId::Ne, [a, b]) => {
                    let (x, y) = (self.eval(frame, a)?, self.eval(frame, b)?);
                    let equal = match (&x, &y) {
                        (Val::Bool(x), Val::Bool(y)) => x == y,
                        (Val::Str(x), Val::Str(y)) => x == y,
                        _ => return Err(malformed(e.span, "a comparison of other kinds")),
                    };
                    Ok(equal == (*op == OpId::Eq))
                }
                (OpId::Item, _) => self.other_boolean(frame, e),
                _ => self.host_function(frame, e, *op, args).map(Scalar::to_bool),
            },
            _ => self.other_boolean(frame, e),
        }
    }

    fn compared(&self, e: &Expr, op: OpId, found: Option<bool>) -> Run<bool> {
        found.ok_or_else(|| malformed(e.span, op.name()))
    }

    #[inline(never)]
    fn other_boolean(&mut self, frame: &mut Frame<'p>, e: &'p Expr) -> Run<bool> {
        match self.value(frame, e)? {
            Val::Bool(v) => Ok(v),
            Val::Tensor(tensor) => self.item(&tensor, e.span).map(Scalar::to_bool),
            _ => Err(malformed(e.span, "a bool of another kind")),
        }
    }

    /// A function of floats, in f64.
    #[inline(never)]
    fn float_function(&mut self, e: &'p Expr, op: OpId, args: &[f64]) -> Run<f64> {
        let scalars: Vec<_> = args.iter().map(|v| Scalar::F64(*v)).collect();
        let value = self.scalar_function(op, &scalars, e.span)?.to_f64();
        self.in_domain(op, args, value, e.span)?;
        Ok(value)
    }

    /// Python's `math` raises where a function has no value or leaves the floats.
    pub(crate) fn in_domain(&self, op: OpId, args: &[f64], value: f64, span: Span) -> Run<()> {
        if value.is_finite() || args.iter().any(|v| !v.is_finite()) {
            return Ok(());
        }
        let args: Vec<_> = args.iter().map(|v| python::float(*v)).collect();
        let what = if value.is_nan() {
            "isn't defined"
        } else {
            "is past the floats"
        };
        let message = format!("{}({}) {what}", op.name(), args.join(", "));
        Err(fail(Code::R02, span, message))
    }

    /// A function of host values of any kind: computed in the result's kind.
    #[inline(never)]
    fn host_function(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        op: OpId,
        args: &'p [Expr],
    ) -> Run<Scalar> {
        if let (OpId::Where, [condition, then, otherwise]) = (op, args) {
            // As Python's conditional, which the text has: the other value isn't computed.
            let chosen = if self.boolean(frame, condition)? {
                then
            } else {
                otherwise
            };
            let value = self.host_scalar(frame, chosen)?;
            let float = e.ty == Type::Host(Host::Float);
            return Ok(if float {
                Scalar::F64(value.to_f64())
            } else {
                value
            });
        }
        let mut scalars = Vec::with_capacity(args.len());
        for arg in args {
            scalars.push(self.host_scalar(frame, arg)?);
        }
        if e.ty == Type::Host(Host::Float) {
            for scalar in &mut scalars {
                *scalar = Scalar::F64(scalar.to_f64());
            }
        }
        if let [Scalar::I64(v)] = scalars[..]
            && v == i64::MIN
            && matches!(op, OpId::Neg | OpId::Abs)
        {
            return Err(int_error(op, v, v, e.span));
        }
        let value = self.scalar_function(op, &scalars, e.span)?;
        if let Scalar::F64(v) = value {
            let args: Vec<_> = scalars.iter().map(|s| s.to_f64()).collect();
            self.in_domain(op, &args, v, e.span)?;
        }
        Ok(value)
    }

    /// An elementwise operation on scalars of one kind.
    pub(crate) fn scalar_function(&mut self, op: OpId, args: &[Scalar], span: Span) -> Run<Scalar> {
        if op == OpId::Clamp
            && let [x, low, high] = args
        {
            let low = self.scalar_function(OpId::Maximum, &[*x, *low], span)?;
            return self.scalar_function(OpId::Minimum, &[low, *high], span);
        }
        let Some(element) = element_op(op) else {
            return Err(malformed(span, op.name()));
        };
        self.graph.scalar(element, args, span)
    }
}

fn is_int(e: &Expr) -> bool {
    matches!(e.ty, Type::Host(Host::Int))
}

fn is_number(e: &Expr) -> bool {
    e.ty.is_host_number()
}

/// An int operation: `None` if there is none, `Some(None)` if it has no 64-bit value.
fn int_op(op: OpId, x: i64, y: i64) -> Option<Option<i64>> {
    Some(match op {
        OpId::Add => x.checked_add(y),
        OpId::Sub => x.checked_sub(y),
        OpId::Mul => x.checked_mul(y),
        OpId::FloorDiv => python::floor_div(x, y),
        OpId::Remainder => python::remainder(x, y),
        OpId::Pow if y >= 0 => python::int_pow(x, y),
        OpId::Pow => None,
        OpId::Maximum => Some(x.max(y)),
        OpId::Minimum => Some(x.min(y)),
        _ => return None,
    })
}

#[cold]
fn int_error(op: OpId, x: i64, y: i64, span: Span) -> Fail {
    if y == 0 && matches!(op, OpId::FloorDiv | OpId::Remainder) {
        return division_by_zero(span);
    }
    let message = match op {
        OpId::Pow if y < 0 => format!("{x} ** {y} isn't a whole number"),
        OpId::Neg => format!("-({x}) is past the 64 bits of an int"),
        OpId::Abs => format!("abs({x}) is past the 64 bits of an int"),
        _ => {
            let sign = op.op().operator.unwrap_or(op.name());
            format!("{x} {sign} {y} is past the 64 bits of an int")
        }
    };
    fail(Code::R02, span, message)
}

#[cold]
fn division_by_zero(span: Span) -> Fail {
    fail(Code::R02, span, "division by zero")
}

/// A float operation, likewise.
fn float_op(op: OpId, x: f64, y: f64) -> Option<Option<f64>> {
    Some(match op {
        OpId::Add => Some(x + y),
        OpId::Sub => Some(x - y),
        OpId::Mul => Some(x * y),
        OpId::Div => (y != 0.0).then(|| x / y),
        OpId::FloorDiv => (y != 0.0).then(|| python::float_floor_div(x, y)),
        OpId::Remainder => (y != 0.0).then(|| python::float_remainder(x, y)),
        OpId::Pow if x == 0.0 && y < 0.0 => None,
        _ => return None,
    })
}

fn compare<T: PartialOrd>(op: OpId, x: &T, y: &T) -> Option<bool> {
    Some(match op {
        OpId::Eq => x == y,
        OpId::Ne => x != y,
        OpId::Lt => x < y,
        OpId::Le => x <= y,
        OpId::Gt => x > y,
        OpId::Ge => x >= y,
        _ => return None,
    })
}

impl crate::graph::Graph {
    /// An elementwise operation on numbers.
    pub(crate) fn scalar(&mut self, op: ElementOp, args: &[Scalar], span: Span) -> Run<Scalar> {
        if self.recorder.is_on() {
            self.recorder.scalar(op.name(), span);
        }
        if let Some(value) = simple_scalar(op, args) {
            return Ok(value);
        }
        let operands: Vec<_> = args.iter().map(|v| Operand::Scalar(*v)).collect();
        self.scalar_by_engine(op, &operands, span)
    }
}

/// Operations whose result is the same to the bit however they are computed.
fn simple_scalar(op: ElementOp, args: &[Scalar]) -> Option<Scalar> {
    use strand_array::{BinaryOp as B, UnaryOp as U};
    Some(match (op, args) {
        (ElementOp::Cast(dtype), [a]) => a.cast(dtype),
        (ElementOp::Binary(op), [Scalar::F32(a), Scalar::F32(b)]) => match op {
            B::Add => Scalar::F32(a + b),
            B::Sub => Scalar::F32(a - b),
            B::Mul => Scalar::F32(a * b),
            B::Div => Scalar::F32(a / b),
            _ => return scalar_compare(op, a, b),
        },
        (ElementOp::Binary(op), [Scalar::F64(a), Scalar::F64(b)]) => match op {
            B::Add => Scalar::F64(a + b),
            B::Sub => Scalar::F64(a - b),
            B::Mul => Scalar::F64(a * b),
            B::Div => Scalar::F64(a / b),
            _ => return scalar_compare(op, a, b),
        },
        (ElementOp::Binary(op), [Scalar::I64(a), Scalar::I64(b)]) => match op {
            B::Add => Scalar::I64(a.wrapping_add(*b)),
            B::Sub => Scalar::I64(a.wrapping_sub(*b)),
            B::Mul => Scalar::I64(a.wrapping_mul(*b)),
            _ => return scalar_compare(op, a, b),
        },
        (ElementOp::Unary(U::Neg), [Scalar::F32(a)]) => Scalar::F32(-a),
        (ElementOp::Unary(U::LogicalNot), [Scalar::Bool(a)]) => Scalar::Bool(!a),
        (ElementOp::Select, [c, a, b]) if a.dtype() == b.dtype() => {
            if c.to_bool() {
                *a
            } else {
                *b
            }
        }
        _ => return None,
    })
}

fn scalar_compare<T: PartialOrd>(op: strand_array::BinaryOp, a: &T, b: &T) -> Option<Scalar> {
    use strand_array::BinaryOp as B;
    Some(Scalar::Bool(match op {
        B::Eq => a == b,
        B::Ne => a != b,
        B::Lt => a < b,
        B::Le => a <= b,
        B::Gt => a > b,
        B::Ge => a >= b,
        _ => return None,
    }))
}
