//! Models: making them, their fields, what calls change.

use std::rc::Rc;

use strand_array::random::Generator;
use strand_array::{Array, Context, Scalar};
use strand_ir::{Expr, ExprKind, FnId, LocalId, ModelId, Program, SymbolId, Type};
use strand_ops::OpId;
use strand_source::{Code, Span};

use crate::error::{Run, fail, from_array, malformed};
use crate::machine::{Frame, Machine, engine_dtype};
use crate::random::{normal, uniform};
use crate::value::{Val, Value};

/// A model's first values: one generator, fields in order, submodels depth first.
///
/// # Errors
/// The memory limit (R04); a dtype that the playground hasn't (R07); a deviation or bounds that
/// can't be (R02). `sizes` gives the sizes that the model was made with.
pub(crate) fn made(
    program: &Program,
    ctx: &Context,
    model: ModelId,
    seed: i64,
    sizes: Sizes<'_>,
) -> Run<Value> {
    let mut generator = Generator::new(seed as u64);
    fields(program, ctx, model, &mut generator, sizes)
}

/// The value of a size's name.
type Sizes<'s> = &'s dyn Fn(SymbolId) -> Option<i64>;

fn fields(
    program: &Program,
    ctx: &Context,
    model: ModelId,
    generator: &mut Generator,
    sizes: Sizes<'_>,
) -> Run<Value> {
    let model = program.model(model);
    let mut made = Vec::with_capacity(model.fields.len());
    for field in &model.fields {
        let value = match (&field.ty, &field.init) {
            (Type::Model(inner), _) => fields(program, ctx, *inner, generator, sizes)?,
            (_, Some(init)) => Value::Tensor(initial(ctx, init, generator, sizes)?),
            _ => return Err(malformed(field.span, "a field without first values")),
        };
        made.push((field.name.to_string(), value));
    }
    Ok(Value::Model(model.name.to_string(), made))
}

fn initial(ctx: &Context, init: &Expr, generator: &mut Generator, sizes: Sizes<'_>) -> Run<Array> {
    let span = init.span;
    let (ExprKind::Op { op, params, .. }, Type::Tensor(ty)) = (&init.kind, &init.ty) else {
        return Err(malformed(span, "first values of another kind"));
    };
    let mut shape = Vec::with_capacity(ty.rank());
    for axis in &ty.axes {
        let size = axis.size.evaluate(sizes);
        let size = size.and_then(|size| usize::try_from(size).ok());
        shape.push(size.ok_or_else(|| malformed(span, "a field's size isn't known"))?);
    }
    let dtype = engine_dtype(ty.dtype);
    let number = |name: &str, default: f64| match params.iter().find(|(given, _)| *given == name) {
        Some((_, value)) => constant(value, sizes)
            .map(|value| value.to_f64())
            .ok_or_else(|| malformed(value.span, "a number that isn't known")),
        None => Ok(default),
    };
    let array = match op {
        OpId::Zeros => Array::zeros(ctx, &shape, dtype),
        OpId::Ones => Array::full(ctx, &shape, Scalar::I64(1).cast(dtype)),
        OpId::Full => {
            let value = params.first().and_then(|(_, value)| constant(value, sizes));
            let value = value.ok_or_else(|| malformed(span, "a number that isn't known"))?;
            Array::full(ctx, &shape, value.cast(dtype))
        }
        OpId::Normal => {
            let (std, mean) = (number("std", 1.0)?, number("mean", 0.0)?);
            if std < 0.0 {
                return Err(fail(Code::R02, span, "the deviation is negative"));
            }
            normal(ctx, generator, &shape, dtype, mean, std)
        }
        OpId::RandInt => {
            let (low, high) = (number("low", 0.0)?, number("high", 0.0)?);
            generator.randint(ctx, low as i64, high as i64, &shape)
        }
        OpId::Uniform => {
            let (low, high) = (number("low", 0.0)?, number("high", 1.0)?);
            if low > high {
                return Err(fail(Code::R02, span, "low is above high"));
            }
            uniform(ctx, generator, &shape, dtype, low, high)
        }
        _ => return Err(malformed(span, "first values of another kind")),
    };
    array.map_err(|e| from_array(&e, span))
}

/// The value of numbers and sizes, and arithmetic of them.
fn constant(e: &Expr, sizes: Sizes<'_>) -> Option<Scalar> {
    Some(match &e.kind {
        ExprKind::Int(v) => Scalar::I64(*v),
        ExprKind::Float(v) => Scalar::F64(*v),
        ExprKind::Bool(v) => Scalar::Bool(*v),
        ExprKind::Size(size) => Scalar::I64(size.evaluate(sizes)?),
        ExprKind::Op { op, args, .. } => {
            let args: Option<Vec<Scalar>> = args.iter().map(|arg| constant(arg, sizes)).collect();
            let args = args?;
            if let (OpId::Add | OpId::Sub | OpId::Mul, [Scalar::I64(a), Scalar::I64(b)]) =
                (op, args.as_slice())
            {
                return Some(Scalar::I64(match op {
                    OpId::Add => a.checked_add(*b)?,
                    OpId::Sub => a.checked_sub(*b)?,
                    _ => a.checked_mul(*b)?,
                }));
            }
            let args: Vec<f64> = args.iter().map(|arg| arg.to_f64()).collect();
            Scalar::F64(match (op, args.as_slice()) {
                (OpId::Neg, [a]) => -a,
                (OpId::Sqrt, [a]) => a.sqrt(),
                (OpId::Add, [a, b]) => a + b,
                (OpId::Sub, [a, b]) => a - b,
                (OpId::Mul, [a, b]) => a * b,
                (OpId::Div, [a, b]) => a / b,
                _ => return None,
            })
        }
        _ => return None,
    })
}

impl<'p> Machine<'p, '_> {
    /// `M(seed=0)`
    #[inline(never)]
    pub(crate) fn new_model(
        &mut self,
        frame: &mut Frame<'p>,
        model: ModelId,
        seed: &'p Expr,
    ) -> Run<Val> {
        let number = self.int(frame, seed)?;
        let sizes = |symbol| self.symbol_size(symbol);
        let made = made(self.program, &self.graph.ctx, model, number, &sizes)?;
        Ok(self.record(model, made, seed.span))
    }

    /// A model's fields as they are in a run.
    fn record(&mut self, model: ModelId, value: Value, span: Span) -> Val {
        let Value::Model(_, fields) = value else {
            return self.inside(value, span);
        };
        let types = self.program.model(model).fields.iter();
        let fields = types.zip(fields).map(|(field, (_, value))| match field.ty {
            Type::Model(inner) => self.record(inner, value, span),
            _ => self.inside(value, span),
        });
        Val::Model(model, Rc::new(fields.collect()))
    }

    pub(crate) fn model_inside(
        &mut self,
        name: &str,
        fields: Vec<(String, Value)>,
        span: Span,
    ) -> Val {
        let found = self.program.models.iter().position(|m| &*m.name == name);
        match found {
            Some(at) => {
                let value = Value::Model(name.to_owned(), fields);
                self.record(ModelId(at as u32), value, span)
            }
            None => Val::Nothing,
        }
    }

    pub(crate) fn model_outside(&mut self, id: ModelId, fields: &[Val], span: Span) -> Run<Value> {
        let model = self.program.model(id);
        let mut out = Vec::with_capacity(fields.len());
        for (field, value) in model.fields.iter().zip(fields) {
            out.push((field.name.to_string(), self.outside(value.clone(), span)?));
        }
        Ok(Value::Model(model.name.to_string(), out))
    }

    /// A model from outside: of this model, with a value for each field (R01).
    pub(crate) fn model_argument(
        &mut self,
        id: ModelId,
        value: Value,
        name: &str,
        span: Span,
    ) -> Run<Val> {
        let model = self.program.model(id);
        let Value::Model(found, fields) = value else {
            return Err(malformed(span, "a model of another kind"));
        };
        if *found != *model.name || fields.len() != model.fields.len() {
            let message = format!("{name} is a {found}, not a {}", model.name);
            return Err(fail(Code::R01, span, message));
        }
        let mut values = Vec::with_capacity(fields.len());
        for (field, (_, value)) in model.fields.iter().zip(fields) {
            values.push(match (&field.ty, value) {
                (Type::Model(inner), value) => self.model_argument(*inner, value, name, span)?,
                (Type::Tensor(ty), value @ Value::Tensor(_)) => {
                    let value = self.inside(value, span);
                    if let Val::Tensor(tensor) = &value {
                        self.check_declared(tensor, ty, &field.name, span)?;
                    }
                    value
                }
                (ty, value) => {
                    let wanted = self.program.display_type(ty);
                    let message = format!("{} is {}, not {wanted}", field.name, value.kind());
                    return Err(fail(Code::R01, span, message));
                }
            });
        }
        Ok(Val::Model(id, Rc::new(values)))
    }

    /// `m.w`
    #[inline(never)]
    pub(crate) fn field(
        &mut self,
        frame: &mut Frame<'p>,
        base: &'p Expr,
        field: usize,
    ) -> Run<Val> {
        match self.eval(frame, base)? {
            Val::Model(_, fields) => match fields.get(field) {
                Some(value) => Ok(value.clone()),
                None => Err(malformed(base.span, "a field that isn't there")),
            },
            _ => Err(malformed(base.span, "a model of another kind")),
        }
    }

    /// `m.blocks[i]`
    #[inline(never)]
    pub(crate) fn submodel(
        &mut self,
        frame: &mut Frame<'p>,
        base: &'p Expr,
        index: &'p Expr,
    ) -> Run<Val> {
        let Val::Model(_, elements) = self.eval(frame, base)? else {
            return Err(malformed(base.span, "a sequence of another kind"));
        };
        let at = self.place_in(frame, elements.len(), index)?;
        Ok(elements[at].clone())
    }

    /// The place that an index has in a sequence; R03.
    fn place_in(&mut self, frame: &mut Frame<'p>, count: usize, index: &'p Expr) -> Run<usize> {
        let written = self.int(frame, index)?;
        let from_end = if written < 0 { count as i64 } else { 0 };
        let place = usize::try_from(written.saturating_add(from_end)).ok();
        place.filter(|place| *place < count).ok_or_else(|| {
            let message = format!("index {written} is outside a sequence of {count}");
            fail(Code::R03, index.span, message)
        })
    }

    /// The variable, and the places of fields and elements from it on, that an expression names.
    fn path(&mut self, frame: &mut Frame<'p>, e: &'p Expr) -> Run<Option<(LocalId, Vec<usize>)>> {
        let (base, last) = match &e.kind {
            ExprKind::Local(local) => return Ok(Some((*local, Vec::new()))),
            ExprKind::Field { base, field } => (base, *field),
            ExprKind::Element { base, index } => {
                let count = match base.ty {
                    Type::Model(id) => self.program.model(id).fields.len(),
                    _ => 0,
                };
                (base, self.place_in(frame, count, index)?)
            }
            _ => return Ok(None),
        };
        Ok(self.path(frame, base)?.map(|(local, mut path)| {
            path.push(last);
            (local, path)
        }))
    }

    /// `m.w = e`: no other holder of the model sees it.
    #[inline(never)]
    pub(crate) fn set_field(
        &mut self,
        frame: &mut Frame<'p>,
        base: &'p Expr,
        field: usize,
        value: &'p Expr,
    ) -> Run<()> {
        let value = match value.ty {
            Type::Tensor(_) => Val::Tensor(self.tensor(frame, value)?),
            _ => self.eval(frame, value)?,
        };
        let path = self.path(frame, base)?.map(|(local, mut path)| {
            path.push(field);
            (local, path)
        });
        match path.and_then(|(local, path)| slot(frame, local, &path)) {
            Some(slot) => {
                *slot = value;
                Ok(())
            }
            None => Err(malformed(base.span, "a field that can't be assigned")),
        }
    }

    /// Gives the arguments of `mut` parameters what the call made of them.
    #[inline(never)]
    pub(crate) fn write_back(
        &mut self,
        frame: &mut Frame<'p>,
        function: FnId,
        args: &'p [Expr],
        changed: Vec<Val>,
    ) -> Run<()> {
        let params = &self.program.function(function).params;
        let mutable = params.iter().zip(args).filter(|(param, _)| param.mutable);
        for ((_, arg), value) in mutable.zip(changed) {
            // A default is nothing that has a name.
            if let Some((local, path)) = self.path(frame, arg)? {
                if path.is_empty() {
                    frame.set(local, value);
                } else if let Some(slot) = slot(frame, local, &path) {
                    *slot = value;
                }
            }
        }
        Ok(())
    }
}

/// What a variable's model holds at a path of fields, for this holder alone.
fn slot<'f>(frame: &'f mut Frame<'_>, local: LocalId, path: &[usize]) -> Option<&'f mut Val> {
    let mut held = frame.slots.get_mut(local.0 as usize)?;
    for field in path {
        let Val::Model(_, fields) = held else {
            return None;
        };
        held = Rc::make_mut(fields).get_mut(*field)?;
    }
    Some(held)
}
