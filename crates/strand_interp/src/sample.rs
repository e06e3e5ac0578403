//! Sample arguments: values that teach, so that a function can be run before anyone gives it any.

use strand_array::random::Generator;
use strand_array::{Array, Context, DType, Scalar};
use strand_ir::{Domain, Expr, ExprKind, FnId, Host as HostType, Parameter, Program, Size};
use strand_ir::{SymbolId, TensorType, Type};
use strand_ops::OpId;
use strand_source::{Code, Map, Span};

use crate::error::{Run, RunError, fail, from_array};
use crate::machine::engine_dtype;
use crate::value::{Value, floats, whole_numbers};

/// What sample tensors hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Every value is its own index: `x[2, 1]` is 2.1.
    Index,
    /// Draws of the normal distribution by torch's generator.
    Normal(u64),
}

/// Sample arguments, and the sizes of the function's axis names that they have.
pub type Sample = (Vec<Value>, Vec<(String, i64)>);

/// Arguments for a function: every axis name a prime of its own (5, 7, 11 …) in order of
/// appearance unless `sizes` has it, defaults where a parameter has one.
///
/// # Errors
/// The first size that can't be, with its reason (R01); a parameter of a type that can't be
/// sampled (R07); the memory limit (R04).
pub fn sample_arguments(
    program: &Program,
    function: FnId,
    sizes: &Map<String, i64>,
    fill: Fill,
    memory_limit: usize,
) -> Result<Sample, RunError> {
    let mut sampler = Sampler {
        program,
        ctx: Context::new(memory_limit),
        generator: match fill {
            Fill::Index => None,
            Fill::Normal(seed) => Some(Generator::new(seed)),
        },
        sizes: Map::new(),
    };
    sampler.arguments(function, sizes).map_err(|error| *error)
}

struct Sampler<'a> {
    program: &'a Program,
    ctx: Context,
    generator: Option<Generator>,
    sizes: Map<SymbolId, i64>,
}

impl Sampler<'_> {
    fn arguments(&mut self, id: FnId, given: &Map<String, i64>) -> Run<Sample> {
        let function = self.program.function(id);
        self.check_dims(given, function.name_span)?;
        let mut used = Vec::new();
        let mut primes = sample_sizes();
        for symbol in &function.axis_names {
            let name = self.program.symbols.name(*symbol);
            // A prime is used up even where a size is given: the other axes keep theirs.
            let prime = primes.next().unwrap_or(5);
            let size = given.get(name).copied().unwrap_or(prime);
            if size < 0 {
                let message = format!("{name} can't be {size}: a size isn't negative");
                return Err(fail(Code::R01, function.name_span, message));
            }
            self.sizes.insert(*symbol, size);
            used.push((name.to_owned(), size));
        }
        let mut values = Vec::with_capacity(function.params.len());
        let body = function.instances.first();
        for (at, parameter) in function.params.iter().enumerate() {
            let local = body.and_then(|body| Some(body.local(*body.params.get(at)?)));
            let tried = local.map(|local| &local.ty);
            values.push(self.argument(parameter, tried)?);
        }
        Ok((values, used))
    }

    /// A dim's value is the program's: another one is another program.
    fn check_dims(&self, given: &Map<String, i64>, span: Span) -> Run<()> {
        for dim in &self.program.dims {
            let name = self.program.symbols.name(dim.symbol);
            let value = self.program.symbols.dim_value(dim.symbol);
            if let (Some(wanted), Some(value)) = (given.get(name), value)
                && *wanted != value
            {
                let message =
                    format!("{name} can't be {wanted}: the program says dim {name} = {value}");
                return Err(fail(Code::R01, span, message));
            }
        }
        Ok(())
    }

    /// `tried` is the parameter's type in the function's first body.
    fn argument(&mut self, parameter: &Parameter, tried: Option<&Type>) -> Run<Value> {
        if let Some(default) = &parameter.default
            && let Some(value) = literal(default)
        {
            return Ok(match (&parameter.ty, value) {
                (Some(Type::Tensor(ty)), value) => {
                    self.default_tensor(ty, &value, parameter.span)?
                }
                (Some(Type::Host(HostType::Float)), Value::Int(v)) => Value::Float(v as f64),
                (_, value) => value,
            });
        }
        let untyped = parameter.ty.is_none();
        match parameter.ty.as_ref().or(tried) {
            Some(Type::Tensor(ty)) if untyped => {
                let made = self.untyped(ty.dtype);
                made.map_err(|e| from_array(&e, parameter.span))
            }
            None => {
                let message = format!("no value of {} is known to fit", parameter.name);
                Err(fail(Code::R07, parameter.span, message))
            }
            Some(Type::Tensor(ty)) => self.tensor(ty, parameter).map(Value::Tensor),
            Some(Type::Model(id)) => {
                crate::models::made(self.program, &self.ctx, *id, 0, &|symbol| {
                    self.known(symbol)
                })
            }
            Some(Type::Host(HostType::Int)) => Ok(Value::Int(3)),
            Some(Type::Host(HostType::Float)) => Ok(Value::Float(0.5)),
            Some(Type::Host(HostType::Bool)) => Ok(Value::Bool(true)),
            Some(Type::Host(HostType::Str)) => Ok(Value::Str("text".to_owned())),
            Some(ty) => {
                let ty = self.program.display_type(ty);
                let message = format!("{} is a {ty}: it can't be made up", parameter.name);
                Err(fail(Code::R07, parameter.span, message))
            }
        }
    }

    fn default_tensor(&self, ty: &TensorType, value: &Value, span: Span) -> Run<Value> {
        let scalar = match value {
            Value::Int(v) => Scalar::I64(*v),
            Value::Float(v) => Scalar::F64(*v),
            Value::Bool(v) => Scalar::Bool(*v),
            _ => return Err(fail(Code::R07, span, "a default of another kind")),
        };
        let dtype = engine_dtype(ty.dtype);
        Array::full(&self.ctx, &[], scalar.cast(dtype))
            .map(Value::Tensor)
            .map_err(|e| from_array(&e, span))
    }

    /// Any shape will do for a function without types.
    fn untyped(&mut self, dtype: strand_ops::DType) -> strand_array::Result<Value> {
        let counted = Array::arange(&self.ctx, 0, 5, 1)?;
        let array = match (&mut self.generator, dtype) {
            (_, strand_ops::DType::Bool) => {
                whole_numbers(&self.ctx, &[1, 0, 1, 0, 1], &[5], DType::Bool)?
            }
            (_, dtype) if !dtype.is_float() => counted,
            (Some(generator), _) => generator.normal(&self.ctx, &[5], 0.0, 1.0)?,
            (None, _) => counted.cast(&self.ctx, DType::F32)?,
        };
        array
            .cast(&self.ctx, engine_dtype(dtype))
            .map(Value::Tensor)
    }

    fn tensor(&mut self, ty: &TensorType, parameter: &Parameter) -> Run<Array> {
        let span = parameter.span;
        let mut shape = Vec::with_capacity(ty.rank());
        for axis in &ty.axes {
            shape.push(self.axis_size(&axis.size, &parameter.name, span)?);
        }
        let dtype = engine_dtype(ty.dtype);
        // The limit is asked before the values are made one by one.
        let room = Array::zeros(&self.ctx, &shape, dtype).map_err(|e| from_array(&e, span))?;
        let count = room.len();
        drop(room);
        let array = match (&ty.domain, dtype) {
            (Domain::Index(axis), _) => {
                let size = self.axis_size(&axis.size, &parameter.name, span)?;
                self.indices(&shape, count, size, parameter)
            }
            (_, dtype) if dtype.is_integer() => Array::arange(&self.ctx, 0, count as i64, 1)
                .and_then(|a| a.reshape(&self.ctx, &shape))
                .and_then(|a| a.cast(&self.ctx, dtype)),
            (_, DType::Bool) => {
                let values: Vec<i64> = (0..count).map(|at| i64::from(at % 2 == 0)).collect();
                whole_numbers(&self.ctx, &values, &shape, DType::Bool)
            }
            (domain, dtype) => self.floats(&shape, count, domain, dtype),
        };
        array.map_err(|e| from_array(&e, span))
    }

    fn known(&self, symbol: SymbolId) -> Option<i64> {
        let dim = self.program.symbols.dim_value(symbol);
        dim.or_else(|| self.sizes.get(&symbol).copied())
    }

    fn axis_size(&self, size: &Size, parameter: &str, span: Span) -> Run<usize> {
        let symbols = &self.program.symbols;
        let value = size.evaluate(&|symbol| self.known(symbol));
        let text = size.display(symbols);
        let Some(value) = value else {
            let message = format!("the size {text} of {parameter} can't be found");
            return Err(fail(Code::R01, span, message));
        };
        usize::try_from(value).map_err(|_| {
            let names = size.symbols().into_iter().filter_map(|symbol| {
                let value = self.sizes.get(&symbol)?;
                Some(format!("{} is {value}", symbols.name(symbol)))
            });
            let names: Vec<_> = names.collect();
            let message = format!("{text} would be {value}: {}", names.join(", "));
            fail(Code::R01, span, message)
        })
    }

    fn indices(
        &mut self,
        shape: &[usize],
        count: usize,
        size: usize,
        parameter: &Parameter,
    ) -> strand_array::Result<Array> {
        if size == 0 && count > 0 {
            return Err(strand_array::ArrayError::BadArgument {
                op: "sample",
                why: format!("{} can't hold indices of an empty axis", parameter.name),
            });
        }
        if let Some(generator) = &mut self.generator
            && count > 0
        {
            return generator.randint(&self.ctx, 0, size as i64, shape);
        }
        let values: Vec<i64> = (0..count).map(|at| (at % size.max(1)) as i64).collect();
        whole_numbers(&self.ctx, &values, shape, DType::I64)
    }

    fn floats(
        &mut self,
        shape: &[usize],
        count: usize,
        domain: &Domain,
        dtype: DType,
    ) -> strand_array::Result<Array> {
        let values: Vec<f64> = match &mut self.generator {
            None => (0..count).map(|at| index_value(at, shape)).collect(),
            Some(generator) => {
                let drawn = match domain {
                    Domain::Prob => generator.uniform(&self.ctx, shape)?,
                    _ => generator.normal(&self.ctx, shape, 0.0, 1.0)?,
                };
                drawn.to_vec_f64()
            }
        };
        let drawn = self.generator.is_some();
        let top = values.iter().fold(0.0f64, |top, v| top.max(*v)).floor() + 1.0;
        let values = values.into_iter().map(|v| match domain {
            Domain::Prob if !drawn => v / top,
            Domain::Positive if drawn => v.abs() + 0.01,
            Domain::Positive => v + 0.5,
            Domain::NonNegative if drawn => v.abs(),
            _ => v,
        });
        let values: Vec<f64> = values.collect();
        floats(&self.ctx, &values, shape, dtype)
    }
}

/// The element's index as a decimal: the first axis before the point, the others after it, each
/// with as many digits as its size needs. 0.5 without axes.
fn index_value(at: usize, shape: &[usize]) -> f64 {
    if shape.is_empty() {
        return 0.5;
    }
    let place = crate::convert::unravel(at, shape);
    let mut text = String::new();
    for (axis, (index, size)) in place.iter().zip(shape).enumerate() {
        if axis == 0 {
            text.push_str(&format!("{index}."));
            continue;
        }
        let digits = size.saturating_sub(1).max(1).ilog10() as usize + 1;
        text.push_str(&format!("{index:0digits$}"));
    }
    strand_source::parse_float(&text).unwrap_or(0.0)
}

/// The value of a literal default.
fn literal(e: &Expr) -> Option<Value> {
    Some(match &e.kind {
        ExprKind::Int(v) => Value::Int(*v),
        ExprKind::Float(v) => Value::Float(*v),
        ExprKind::Bool(v) => Value::Bool(*v),
        ExprKind::Str(text) => Value::Str(text.clone()),
        ExprKind::Lift(inner) => literal(inner)?,
        ExprKind::Op {
            op: OpId::Neg,
            args,
            ..
        } => match literal(args.first()?)? {
            Value::Int(v) => Value::Int(v.checked_neg()?),
            Value::Float(v) => Value::Float(-v),
            _ => return None,
        },
        _ => return None,
    })
}

/// The sizes that axis names get where none are asked for, each its own: 5, 7, 11, 13 …
pub fn sample_sizes() -> impl Iterator<Item = i64> {
    let is_prime = |n: &i64| {
        (3..)
            .step_by(2)
            .take_while(|d| d * d <= *n)
            .all(|d| n % d != 0)
    };
    (5..).step_by(2).filter(is_prime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_name_gets_its_own_prime() {
        let found: Vec<_> = sample_sizes().take(5).collect();
        assert_eq!(found, [5, 7, 11, 13, 17]);
    }

    #[test]
    fn a_value_is_its_own_index() {
        assert_eq!(index_value(7, &[5, 3]), 2.1);
        assert_eq!(index_value(4, &[5]), 4.0);
        assert_eq!(index_value(12 * 3 + 5, &[5, 12]), 3.05);
        assert_eq!(index_value(4 * 5 * 2 + 5 + 3, &[5, 4, 5]), 2.13);
    }
}
