//! Expressions: what each kind evaluates to. Host numbers have their own paths in `scalar`.

use strand_array::Scalar;
use strand_ir::{Expr, ExprKind, FPart, Host, PyExpr, Type};

use crate::error::{Run, malformed};
use crate::fits;
use crate::machine::{Frame, Machine, engine_dtype};
use crate::stmt::python_cannot_run;
use crate::value::{Tensor, Val};

impl<'p> Machine<'p, '_> {
    /// The value of an expression.
    pub(crate) fn eval(&mut self, frame: &mut Frame<'p>, e: &'p Expr) -> Run<Val> {
        match e.ty {
            Type::Host(Host::Int) => self.int(frame, e).map(Val::Int),
            Type::Host(Host::Float) => self.float(frame, e).map(Val::Float),
            Type::Host(Host::Bool) => self.boolean(frame, e).map(Val::Bool),
            _ => self.value(frame, e),
        }
    }

    /// The value of an expression of tensor type.
    pub(crate) fn tensor(&mut self, frame: &mut Frame<'p>, e: &'p Expr) -> Run<Tensor> {
        let value = self.eval(frame, e)?;
        match value {
            Val::Tensor(tensor) => Ok(tensor),
            Val::Int(v) => self.lift(Scalar::I64(v), &e.ty),
            Val::Float(v) => self.lift(Scalar::F64(v), &e.ty),
            Val::Bool(v) => self.lift(Scalar::Bool(v), &e.ty),
            _ => Err(malformed(e.span, "a tensor of another kind")),
        }
    }

    /// A host number as a `[]` tensor: of the type's dtype, or of its own kind's default.
    pub(crate) fn lift(&mut self, value: Scalar, ty: &Type) -> Run<Tensor> {
        let dtype = match (ty, value) {
            (Type::Tensor(tensor), _) => engine_dtype(tensor.dtype),
            (_, Scalar::F64(_)) => strand_array::DType::F32,
            (_, other) => other.dtype(),
        };
        Ok(Tensor::scalar(value.cast(dtype)))
    }

    /// The value of an expression that isn't a host number's own path.
    pub(crate) fn value(&mut self, frame: &mut Frame<'p>, e: &'p Expr) -> Run<Val> {
        if let ExprKind::Local(id) = &e.kind {
            return match frame.read(*id) {
                Val::Unset => Err(malformed(e.span, "a variable without a value")),
                value => Ok(value),
            };
        }
        self.enter(e.span)?;
        let value = self.compound(frame, e);
        self.leave();
        value
    }

    fn compound(&mut self, frame: &mut Frame<'p>, e: &'p Expr) -> Run<Val> {
        match &e.kind {
            ExprKind::Op {
                op,
                args,
                over,
                params,
            } => self.op(frame, e, *op, args, over, params),
            ExprKind::Call {
                function,
                instance,
                args,
                sizes,
            } => {
                let called = self.program.function(*function);
                let beside = args.iter().find_map(|arg| arg.ty.tensor());
                let mut values = Vec::with_capacity(args.len());
                for (at, arg) in args.iter().enumerate() {
                    let value = self.eval(frame, arg)?;
                    if let (Val::Int(number), Some(ty)) = (&value, beside)
                        && called.wants_tensor(at)
                    {
                        let number = Scalar::I64(*number);
                        fits::lifted(number, engine_dtype(ty.dtype), arg.span)?;
                    }
                    values.push(value);
                }
                let (value, changed) = self.call(*function, *instance, values, sizes, e.span)?;
                if !changed.is_empty() {
                    self.write_back(frame, *function, args, changed)?;
                }
                Ok(value)
            }
            ExprKind::Index { base, items } => self.index(frame, e, base, items),
            ExprKind::Map { iter, lambda, .. } => self.map(frame, e, iter, lambda),
            ExprKind::Filter { iter } => self.filter(frame, e, iter),
            ExprKind::Lift(value) => {
                let number = self.host_scalar(frame, value)?;
                if let Type::Tensor(ty) = &e.ty {
                    fits::lifted(number, engine_dtype(ty.dtype), value.span)?;
                }
                self.lift(number, &e.ty).map(Val::Tensor)
            }
            ExprKind::Convert {
                value,
                dtype,
                check,
            } => self.convert(frame, e, value, *dtype, check.as_ref()),
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                if self.condition(frame, condition)? {
                    self.eval(frame, then)
                } else {
                    self.eval(frame, otherwise)
                }
            }
            _ => self.rarer(frame, e),
        }
    }

    #[inline(never)]
    fn rarer(&mut self, frame: &mut Frame<'p>, e: &'p Expr) -> Run<Val> {
        match &e.kind {
            ExprKind::Int(v) => Ok(Val::Int(*v)),
            ExprKind::Float(v) => Ok(Val::Float(*v)),
            ExprKind::Bool(v) => Ok(Val::Bool(*v)),
            ExprKind::Str(text) => Ok(Val::Str(text.as_str().into())),
            ExprKind::Size(size) => self.size(size, e.span).map(Val::Int),
            ExprKind::FString(parts) => self.fstring(frame, parts).map(|s| Val::Str(s.into())),
            ExprKind::Literal { elements, shape } => self.literal(frame, e, elements, shape),
            ExprKind::Extern {
                function,
                args,
                sizes,
            } => self.external(frame, e, *function, args, sizes),
            ExprKind::Py(py) => self.python(frame, e, py),
            ExprKind::Rearrange { value, how } => self.rearrange(frame, e, value, how),
            ExprKind::As {
                value,
                checks,
                check,
            } => self.state(frame, e, value, checks, check.as_ref()),
            ExprKind::Tuple(parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for part in parts {
                    values.push(self.eval(frame, part)?);
                }
                Ok(Val::Tuple(values.into()))
            }
            ExprKind::Field { base, field } => self.field(frame, base, *field),
            ExprKind::Element { base, index } => self.submodel(frame, base, index),
            ExprKind::New { model, seed } => self.new_model(frame, *model, seed),
            _ => Err(malformed(e.span, "an expression with an error")),
        }
    }

    fn fstring(&mut self, frame: &mut Frame<'p>, parts: &'p [FPart]) -> Run<String> {
        let mut out = String::new();
        for part in parts {
            match part {
                FPart::Text(text) => out.push_str(text),
                FPart::Expr(e) => out.push_str(&self.text_of(frame, e)?),
            }
        }
        Ok(out)
    }

    /// A value as `print` writes it.
    pub(crate) fn text_of(&mut self, frame: &mut Frame<'p>, e: &'p Expr) -> Run<String> {
        let value = self.eval(frame, e)?;
        let value = self.outside(value, e.span)?;
        Ok(crate::format::printed(&value))
    }

    /// A function of an imported module, where the host has one.
    fn python(&mut self, frame: &mut Frame<'p>, e: &'p Expr, py: &'p PyExpr) -> Run<Val> {
        let PyExpr::Call(function, args) = py else {
            return Err(python_cannot_run(e.span));
        };
        let ExprKind::Py(PyExpr::Attribute(base, name)) = &function.kind else {
            return Err(python_cannot_run(e.span));
        };
        let ExprKind::Py(PyExpr::Module(import)) = &base.kind else {
            return Err(python_cannot_run(e.span));
        };
        let Some(import) = self.program.imports.get(import.0 as usize) else {
            return Err(malformed(e.span, "an import that isn't there"));
        };
        let mut values = Vec::new();
        for (keyword, arg) in args {
            if keyword.is_some() {
                return Err(python_cannot_run(e.span));
            }
            let value = self.eval(frame, arg)?;
            values.push(self.outside(value, arg.span)?);
        }
        match self.host.call(&import.module, name, &values) {
            Some(Ok(value)) => Ok(self.inside(value, e.span)),
            Some(Err(why)) => Err(crate::externs::host_failed(e.span, name, &why)),
            None => Err(python_cannot_run(e.span)),
        }
    }

    /// A tensor literal.
    fn literal(
        &mut self,
        frame: &mut Frame<'p>,
        e: &'p Expr,
        elements: &'p [Expr],
        shape: &[usize],
    ) -> Run<Val> {
        let Type::Tensor(ty) = &e.ty else {
            return Err(malformed(e.span, "a literal without a type"));
        };
        let dtype = engine_dtype(ty.dtype);
        let mut values = Vec::with_capacity(elements.len());
        for element in elements {
            let tensor = self.tensor(frame, element)?;
            values.push(self.cast(tensor, dtype, element.span)?);
        }
        self.assemble(values, shape, dtype, e.span).map(Val::Tensor)
    }

    /// The scalar of a host value.
    pub(crate) fn host_scalar(&mut self, frame: &mut Frame<'p>, e: &'p Expr) -> Run<Scalar> {
        match self.eval(frame, e)? {
            Val::Int(v) => Ok(Scalar::I64(v)),
            Val::Float(v) => Ok(Scalar::F64(v)),
            Val::Bool(v) => Ok(Scalar::Bool(v)),
            Val::Tensor(tensor) => self.item(&tensor, e.span),
            _ => Err(malformed(e.span, "a number of another kind")),
        }
    }
}
