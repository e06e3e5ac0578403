//! Loops that a program makes: functions of the host over single elements.
//!
//! They stand for ufuncs of their own, for loops of built-in ufuncs on registered types, and for what
//! built-in ufuncs do with object arrays. A function may call the engine again: nothing is borrowed
//! while it runs.

use std::cell::RefCell;
use std::rc::Rc;

use super::call::{CallOptions, CallReport, Called, check_mask};
use super::fresh::{axis_order, copy, zeroed};
use super::operand::Operand;
use super::state::Numerics;
use super::table::Def;
use crate::array::Array;
use crate::assign::copy_into;
use crate::cast::{Casting, can_cast, check_cast};
use crate::context::LoopKind;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::item::{Operator, operate};
use crate::memory;
use crate::multi::broadcast_all;
use crate::value::Value;
use crate::walk;

/// A function of the host over the elements of one position: inputs to outputs.
pub type HostFunction = Rc<dyn Fn(&[Value]) -> Result<Vec<Value>>>;

/// A loop of the host for certain types.
#[derive(Clone)]
struct HostLoop {
    ufunc: Rc<str>,
    /// Types of the operands, inputs first.
    types: Vec<Descr>,
    run: HostFunction,
}

/// Loops that were registered for built-in ufuncs.
#[derive(Default)]
pub(super) struct UserLoops(RefCell<Vec<HostLoop>>);

impl UserLoops {
    /// The first loop to which all inputs cast safely.
    fn find(&self, ufunc: &str, inputs: &[Descr]) -> Option<HostLoop> {
        let fits = |run: &&HostLoop| {
            let mut pairs = inputs.iter().zip(&run.types);
            &*run.ufunc == ufunc && pairs.all(|(from, to)| can_cast(from, to, Casting::Safe))
        };
        self.0.borrow().iter().find(fits).cloned()
    }
}

impl Numerics {
    /// Registers a loop of a built-in ufunc for types of the program's own; loops are tried in the
    /// order of registration, before the built-in ones.
    ///
    /// # Errors
    /// `BadArgument` if there is no such ufunc, or `types` aren't as many as its operands.
    pub fn register_loop(
        &self,
        ufunc: &str,
        types: &[Descr],
        run: impl Fn(&[Value]) -> Result<Vec<Value>> + 'static,
    ) -> Result<()> {
        let def = super::table::named(ufunc);
        if def.is_none_or(|def| def.operands() != types.len()) {
            return Err(ArrayError::BadArgument {
                op: "register_loop",
                why: format!("{ufunc} isn't a ufunc of {} operands", types.len()),
            });
        }
        self.loops.0.borrow_mut().push(HostLoop {
            ufunc: def.map_or(ufunc, |def| def.name).into(),
            types: types.to_vec(),
            run: Rc::new(run),
        });
        Ok(())
    }
}

/// A ufunc made of a function of the host; `np.frompyfunc`, and with types `np.vectorize`.
#[derive(Clone)]
pub struct HostUfunc {
    name: Rc<str>,
    nin: usize,
    nout: usize,
    identity: Option<Value>,
    run: HostLoop,
}

impl HostUfunc {
    /// A ufunc that gives the function the elements as plain host values and makes object arrays of
    /// what it returns.
    ///
    /// # Errors
    /// `BadArgument` without outputs, or with more than 64 operands.
    pub fn from_function(
        name: &str,
        (nin, nout): (usize, usize),
        run: impl Fn(&[Value]) -> Result<Vec<Value>> + 'static,
    ) -> Result<Self> {
        let object = Descr::new(DType::Object);
        // More than there may be is refused as one too many.
        let count = nin.saturating_add(nout).min(crate::multi::MAX_OPERANDS + 1);
        Self::typed(name, nin, &vec![object; count], run)
    }

    /// The same for operands of certain types, inputs first: inputs cast safely to them, and outputs
    /// are arrays of them.
    ///
    /// # Errors
    /// As [`Self::from_function`].
    pub fn typed(
        name: &str,
        nin: usize,
        types: &[Descr],
        run: impl Fn(&[Value]) -> Result<Vec<Value>> + 'static,
    ) -> Result<Self> {
        if types.len() <= nin || types.len() > crate::multi::MAX_OPERANDS {
            return Err(ArrayError::BadArgument {
                op: "from_function",
                why: format!("{name} needs an output, and at most 64 operands"),
            });
        }
        let name: Rc<str> = name.into();
        Ok(Self {
            run: HostLoop {
                ufunc: Rc::clone(&name),
                types: types.to_vec(),
                run: Rc::new(run),
            },
            nout: types.len().saturating_sub(nin),
            identity: None,
            name,
            nin,
        })
    }

    /// The same with the value that a reduction of no elements has.
    #[must_use]
    pub fn with_identity(mut self, identity: Value) -> Self {
        self.identity = Some(identity);
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of inputs and of outputs.
    #[must_use]
    pub fn arity(&self) -> (usize, usize) {
        (self.nin, self.nout)
    }

    /// Applies the function to operands that broadcast together.
    ///
    /// # Errors
    /// What the function says; `NoLoop` for another number of operands, `UfuncCast`, `Broadcast`,
    /// `OutputShape`, `ReadOnly`, `OutOfMemory`.
    pub fn call(
        &self,
        numerics: &Numerics,
        inputs: &[Operand],
        options: &CallOptions,
    ) -> Result<Called> {
        if inputs.len() != self.nin || options.out.len() > self.nout {
            return Err(ArrayError::NoLoop {
                ufunc: self.name.to_string(),
                types: format!("{} inputs", inputs.len()),
            });
        }
        run(numerics, &self.run, self.nin, inputs, options)
    }

    /// Combines the elements along an axis, from the identity if there is one, else from the first
    /// element.
    ///
    /// # Errors
    /// `BadArgument` unless the function takes two operands and gives one, `EmptyReduction`,
    /// `AxisOutOfRange`, what the function says.
    pub fn reduce(&self, numerics: &Numerics, array: &Array, axis: i64) -> Result<Array> {
        if (self.nin, self.nout) != (2, 1) {
            return Err(ArrayError::BadArgument {
                op: "reduce",
                why: format!("{} doesn't take two operands and give one", self.name),
            });
        }
        let ctx = numerics.context();
        let axis = crate::lanes::axis_of(axis, array.rank())?;
        let mut shape = array.shape().to_vec();
        let size = shape.remove(axis);
        let descr = self.run.types.last().cloned();
        let out = Array::fresh(ctx, &shape, &descr.unwrap_or(Descr::new(DType::Object)))?;
        let first = match &self.identity {
            None if size == 0 => return Err(ArrayError::EmptyReduction { op: "reduce" }),
            identity => identity,
        };
        walk::each_index(&shape, |index| {
            let mut values = (0..size as i64).map(|k| {
                let mut whole = index.to_vec();
                whole.insert(axis, k);
                array.element_at(&whole).map(plain)
            });
            let mut acc = match first {
                Some(value) => value.clone(),
                None => values.next().unwrap_or(Ok(Value::None))?,
            };
            for value in values {
                acc = one(&self.run, &[acc, value?], 1)?.swap_remove(0);
            }
            out.set_element(index, &acc).map(|_| ())
        })?;
        Ok(out)
    }
}

/// A value of the host without an element's type.
fn plain(value: Value) -> Value {
    match value {
        Value::Item(item) => item.value(),
        other => other,
    }
}

/// Calls the function and checks the number of its results.
fn one(run: &HostLoop, values: &[Value], nout: usize) -> Result<Vec<Value>> {
    let results = (run.run)(values)?;
    if results.len() == nout {
        return Ok(results);
    }
    Err(ArrayError::Host {
        why: format!("{}: {} results instead of {nout}", run.ufunc, results.len()),
    })
}

/// A loop of the host for a call of a built-in ufunc, if its operands ask for one: registered types,
/// or objects.
pub(super) fn call_of(
    numerics: &Numerics,
    def: &Def,
    inputs: &[Operand],
    options: &CallOptions,
) -> Option<Result<Called>> {
    let own = |dtype: DType| matches!(dtype, DType::User(_) | DType::Object);
    let asked = options.dtype.is_some_and(own);
    let descrs: Vec<Descr> = inputs.iter().map(Operand::descr).collect();
    if !asked && !descrs.iter().any(|d| own(d.dtype())) {
        return None;
    }
    let run = numerics.loops.find(def.name, &descrs).or_else(|| {
        descrs
            .iter()
            .any(|d| d.dtype() == DType::Object)
            .then(|| of_objects(def))
    });
    let none = || ArrayError::NoLoop {
        ufunc: def.name.into(),
        types: descrs
            .iter()
            .map(Descr::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    };
    Some(match run {
        Some(found) => run_checked(numerics, &found, def, inputs, options),
        None => Err(none()),
    })
}

fn run_checked(
    numerics: &Numerics,
    found: &HostLoop,
    def: &Def,
    inputs: &[Operand],
    options: &CallOptions,
) -> Result<Called> {
    if inputs.len() != def.nin || options.out.len() > def.nout {
        return Err(ArrayError::NoLoop {
            ufunc: def.name.into(),
            types: format!("{} inputs", inputs.len()),
        });
    }
    run(numerics, found, def.nin, inputs, options)
}

/// The loop of a built-in ufunc on objects: each value's own operation of that name.
fn of_objects(def: &Def) -> HostLoop {
    let name = def.name;
    let compares = def.resolver == super::table::Resolver::Compare;
    let mut types = vec![Descr::new(DType::Object); def.operands()];
    if compares && let Some(result) = types.last_mut() {
        *result = Descr::new(DType::Bool);
    }
    HostLoop {
        ufunc: name.into(),
        types,
        run: Rc::new(move |values| object_operation(name, values)),
    }
}

fn object_operation(name: &'static str, values: &[Value]) -> Result<Vec<Value>> {
    let operands: Vec<&Value> = values.iter().collect();
    if let Some(op) = Operator::named(name) {
        let (value, _) = operate(op, &operands)?;
        return Ok(match (op, &value) {
            (Operator::DivMod, Value::Tuple(parts)) => parts.iter().cloned().map(plain).collect(),
            _ => vec![plain(value)],
        });
    }
    for (i, value) in values.iter().enumerate() {
        if let Value::Host(host) = value
            && let Some(found) = host.operate(
                name,
                values.get(usize::from(i == 0)).filter(|_| values.len() > 1),
                i > 0,
            )
        {
            return found.map(|value| vec![value]);
        }
    }
    if values.iter().any(|value| matches!(value, Value::Host(_))) {
        let names: Vec<String> = values.iter().map(Value::type_name).collect();
        return Err(ArrayError::NoLoop {
            ufunc: name.into(),
            types: names.join(", "),
        });
    }
    let (items, _) = super::scalar::on_scalars(name, &operands)?;
    Ok(items.into_iter().map(|item| item.value()).collect())
}

/// The operand as an array of a loop's type.
fn input(numerics: &Numerics, operand: &Operand, descr: &Descr, name: &str) -> Result<Array> {
    let ctx = numerics.context();
    let Operand::Array(array) = operand else {
        let array = Array::fresh(ctx, &[], descr)?;
        array.set_element(&[], &operand.value())?;
        return Ok(array);
    };
    if array.descr() == descr {
        return Ok(array.clone());
    }
    check_cast(array.descr(), descr, Casting::Safe).map_err(|_| ArrayError::UfuncCast {
        ufunc: name.into(),
        operand: "an input".into(),
        from: array.descr().to_string(),
        to: descr.to_string(),
        casting: Casting::Safe,
    })?;
    Ok(copy(ctx, array, descr)?.0)
}

/// Runs a loop of the host over all positions in C order.
fn run(
    numerics: &Numerics,
    run: &HostLoop,
    nin: usize,
    inputs: &[Operand],
    options: &CallOptions,
) -> Result<Called> {
    let mut outs = options.out.clone();
    outs.resize(run.types.len().saturating_sub(nin), None);
    if outs.iter().flatten().any(|out| !out.flags().writeable) {
        return Err(ArrayError::ReadOnly);
    }
    let arrays = inputs_of(numerics, run, inputs, &outs)?;
    let mask = options.mask.as_ref().map(check_mask).transpose()?;
    let given = arrays.iter().chain(outs.iter().flatten()).chain(&mask);
    let shapes: Vec<&[usize]> = given.map(Array::shape).collect();
    let shape = broadcast_all(&shapes)?;
    let axes = axis_order(&shape, &arrays, &outs, mask.as_ref(), options.order);
    let mut results = vec![];
    for (out, descr) in outs.iter().zip(run.types.iter().skip(nin)) {
        results.push(match out {
            None => zeroed(numerics.context(), &shape, &axes, descr)?,
            Some(out) => {
                let room = || zeroed(numerics.context(), &shape, &axes, descr);
                room_for(out, descr, &shape, mask.is_some(), options.casting, room)?
            }
        });
    }
    let inner_calls = run_each(run, &shape, &arrays, &results, mask.as_ref())?;
    let mut found = Found::NONE;
    for (out, result) in outs.iter().zip(&mut results) {
        if let Some(out) = out
            && !out.shares_block(result)
        {
            found |= copy_into(result, out)?;
            *result = out.clone();
        }
    }
    numerics.handle(numerics.modes(), found, &run.ufunc)?;
    let scalars = outs.iter().map(|out| out.is_none() && shape.is_empty());
    Ok(Called {
        scalars: scalars.collect(),
        outputs: results,
        report: CallReport {
            types: "O".into(),
            kind: LoopKind::Strided,
            inner_calls,
            inner: 1,
            outer: shape.clone(),
            buffered: vec![],
            copied: vec![],
            steps: vec![],
            strides: vec![],
        },
    })
}

/// The inputs as arrays of the loop's types, apart from the outputs.
fn inputs_of(
    numerics: &Numerics,
    run: &HostLoop,
    inputs: &[Operand],
    outs: &[Option<Array>],
) -> Result<Vec<Array>> {
    let mut arrays = vec![];
    for (operand, descr) in inputs.iter().zip(&run.types) {
        let mut array = input(numerics, operand, descr, &run.ufunc)?;
        let mut outs = outs.iter().flatten();
        if outs.any(|out| memory::must_copy(&array, out)) {
            array = copy(numerics.context(), &array, array.descr())?.0;
        }
        arrays.push(array);
    }
    Ok(arrays)
}

/// The given output itself, or room of the loop's type that is written back to it.
fn room_for(
    out: &Array,
    descr: &Descr,
    shape: &[usize],
    masked: bool,
    casting: Casting,
    room: impl FnOnce() -> Result<Array>,
) -> Result<Array> {
    if out.shape() != shape {
        return Err(ArrayError::OutputShape {
            found: out.shape().to_vec(),
            shape: shape.to_vec(),
        });
    }
    if out.descr() == descr {
        return Ok(out.clone());
    }
    check_cast(descr, out.descr(), casting)?;
    let room = room()?;
    if masked {
        copy_into(out, &room)?;
    }
    Ok(room)
}

/// Calls the function for every position where the mask is true, and gives the number of calls.
fn run_each(
    run: &HostLoop,
    shape: &[usize],
    arrays: &[Array],
    results: &[Array],
    mask: Option<&Array>,
) -> Result<usize> {
    let stretched = |array: &Array| array.broadcast_to(shape);
    let views: Vec<Array> = arrays.iter().map(stretched).collect::<Result<_>>()?;
    let mask = mask.map(stretched).transpose()?;
    let object = |i: usize| run.types.get(i).is_some_and(|d| d.dtype() == DType::Object);
    let mut calls = 0_usize;
    walk::each_index(shape, |index| {
        if let Some(mask) = &mask
            && matches!(plain(mask.element_at(index)?), Value::Bool(false))
        {
            return Ok(());
        }
        let mut values = vec![];
        for (i, view) in views.iter().enumerate() {
            let value = view.element_at(index)?;
            values.push(if object(i) { plain(value) } else { value });
        }
        calls = calls.saturating_add(1);
        for (result, value) in results.iter().zip(one(run, &values, results.len())?) {
            result.set_element(index, &value)?;
        }
        Ok(())
    })?;
    Ok(calls)
}
