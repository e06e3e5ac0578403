//! Arguments from outside: what they bind, and whether they are what the types say.

use strand_ir::{Function, Host as HostType, TensorType, Type};
use strand_source::{Code, Span};

use crate::error::{Run, fail};
use crate::machine::{Machine, engine_dtype};
use crate::value::{Tensor, Val, Value};

impl<'p> Machine<'p, '_> {
    /// Checks arguments against the parameters and binds the axis names (R01, R02).
    pub(crate) fn take_arguments(
        &mut self,
        function: &'p Function,
        args: Vec<Value>,
    ) -> Run<Vec<Val>> {
        if args.len() != function.params.len() {
            let message = format!(
                "{} takes {} arguments, not {}",
                function.name,
                function.params.len(),
                args.len()
            );
            return Err(fail(Code::R01, function.name_span, message));
        }
        let mut values = Vec::with_capacity(args.len());
        for (parameter, arg) in function.params.iter().zip(args) {
            let value =
                self.argument(parameter.ty.as_ref(), arg, &parameter.name, parameter.span)?;
            values.push(value);
        }
        // Sums and products are compared when every name in them is bound.
        for (parameter, value) in function.params.iter().zip(&values) {
            if let (Some(Type::Tensor(ty)), Val::Tensor(tensor)) = (&parameter.ty, value) {
                self.check_sizes(tensor, ty, &parameter.name, parameter.span)?;
                self.check_domain(tensor, &ty.domain, parameter.span)?;
            }
        }
        Ok(values)
    }

    /// A value from outside as one of a type: rank and dtype are checked, and axis names bound (R01).
    pub(crate) fn argument(
        &mut self,
        ty: Option<&Type>,
        arg: Value,
        name: &str,
        span: Span,
    ) -> Run<Val> {
        let wrong = |wanted: &str, found: &str| {
            fail(Code::R01, span, format!("{name} is {found}, not {wanted}"))
        };
        match (ty, arg) {
            (Some(Type::Tensor(ty)), Value::Tensor(array)) => {
                let tensor = Tensor::array(&mut self.graph, array, span);
                self.bind_declared(&tensor, ty, name, span)?;
                Ok(Val::Tensor(tensor))
            }
            (Some(Type::Tensor(ty)), value) if ty.rank() == 0 => {
                let scalar = match value {
                    Value::Int(v) => strand_array::Scalar::I64(v),
                    Value::Float(v) => strand_array::Scalar::F64(v),
                    Value::Bool(v) => strand_array::Scalar::Bool(v),
                    other => return Err(wrong("a tensor", other.kind())),
                };
                let dtype = engine_dtype(ty.dtype);
                Ok(Val::Tensor(Tensor::scalar(scalar.cast(dtype))))
            }
            (Some(Type::Host(HostType::Float)), Value::Int(v)) => Ok(Val::Float(v as f64)),
            (Some(Type::Host(HostType::Int)), value @ Value::Int(_))
            | (Some(Type::Host(HostType::Float)), value @ Value::Float(_))
            | (Some(Type::Host(HostType::Bool)), value @ Value::Bool(_))
            | (Some(Type::Host(HostType::Str)), value @ Value::Str(_))
            | (None | Some(Type::Py), value) => Ok(self.inside(value, span)),
            (Some(Type::Model(id)), value @ Value::Model(..)) => {
                self.model_argument(*id, value, name, span)
            }
            (Some(ty), value) => Err(wrong(&self.program.display_type(ty), value.kind())),
        }
    }

    /// Rank and dtype, and the axis names that stand alone.
    fn bind_declared(
        &mut self,
        tensor: &Tensor,
        ty: &TensorType,
        name: &str,
        span: Span,
    ) -> Run<()> {
        let symbols = &self.program.symbols;
        if tensor.rank() != ty.rank() {
            let message = format!(
                "{name} has {}, but {} has {}",
                axes(tensor.rank()),
                ty.display_shape(symbols),
                ty.rank()
            );
            return Err(fail(Code::R01, span, message));
        }
        let dtype = engine_dtype(ty.dtype);
        if tensor.dtype() != dtype {
            let message = format!("{name} is {}, not {dtype}", tensor.dtype());
            return Err(fail(Code::R01, span, message));
        }
        for (axis, size) in ty.axes.iter().zip(tensor.own_shape()) {
            if let Some(symbol) = axis.size.as_symbol()
                && self.symbol_size(symbol).is_none()
            {
                self.bind_size(symbol, *size as i64);
            }
        }
        Ok(())
    }

    fn check_sizes(&mut self, tensor: &Tensor, ty: &TensorType, name: &str, span: Span) -> Run<()> {
        for (at, (axis, found)) in ty.axes.iter().zip(tensor.own_shape()).enumerate() {
            let wanted = self.size(&axis.size, span)?;
            if wanted != *found as i64 {
                let text = axis.display(&self.program.symbols);
                let stated = crate::convert::stated_size(&text, wanted);
                let place = strand_ir::axis_place(at, ty.rank());
                let message = format!("the {place} of {name} has size {found}, {stated}");
                return Err(fail(Code::R01, span, message));
            }
        }
        Ok(())
    }

    /// A tensor from outside against a type that may bind names.
    pub(crate) fn check_declared(
        &mut self,
        tensor: &Tensor,
        ty: &TensorType,
        name: &str,
        span: Span,
    ) -> Run<()> {
        self.bind_declared(tensor, ty, name, span)?;
        self.check_sizes(tensor, ty, name, span)?;
        self.check_domain(tensor, &ty.domain, span)
    }

    /// The body of an untyped function that fits the arguments' dtypes; the first for others.
    pub(crate) fn matching_instance(&self, function: &Function, args: &[Val]) -> usize {
        let fits = |body: &strand_ir::Body| {
            body.params
                .iter()
                .zip(args)
                .all(|(id, arg)| match (&body.local(*id).ty, arg) {
                    (Type::Tensor(ty), Val::Tensor(tensor)) => {
                        engine_dtype(ty.dtype) == tensor.dtype()
                    }
                    (Type::Host(_), Val::Tensor(_)) | (Type::Tensor(_), _) => false,
                    _ => true,
                })
        };
        function.instances.iter().position(fits).unwrap_or(0)
    }
}

/// `1 axis`, `2 axes`
pub(crate) fn axes(count: usize) -> String {
    let noun = if count == 1 { "axis" } else { "axes" };
    format!("{count} {noun}")
}
