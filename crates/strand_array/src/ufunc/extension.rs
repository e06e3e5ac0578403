//! Extension array types: they wrap results, take over calls, or refuse them.

use std::any::Any;
use std::rc::Rc;

use super::accumulate::AlongOptions;
use super::call::CallOptions;
use super::operand::Operand;
use super::reduce::ReduceOptions;
use super::state::Numerics;
use super::{Reduced, Ufunc};
use crate::array::Array;
use crate::error::{ArrayError, Result};
use crate::item::Operator;

/// An array-like type of the host that takes part in calls of ufuncs.
pub trait Extension: Any {
    /// The name of the type, for errors and to ask each type once.
    fn type_name(&self) -> &str;

    /// The elements; `np.asarray`.
    fn array(&self) -> Array;

    /// Who wraps the results: the highest wins, of equal ones the first; `__array_priority__`.
    fn priority(&self) -> f64 {
        0.0
    }

    /// Whether the type is derived from that of `other`, and is asked before it.
    fn derives_from(&self, other: &dyn Extension) -> bool {
        let _ = other;
        false
    }

    /// Whether ufuncs aren't defined for the type at all; `__array_ufunc__ = None`.
    fn refuses(&self) -> bool {
        false
    }

    /// Takes the whole call over: the outputs, or nothing if the type can't; `__array_ufunc__`.
    fn take_over(&self, call: &Call<'_>) -> Option<Result<Vec<Output>>> {
        let _ = call;
        None
    }

    /// Whether [`Self::take_over`] means something, so that calls which all such types decline are
    /// errors.
    fn takes_over(&self) -> bool {
        false
    }

    /// A result in the type's form; `__array_wrap__`. With a context that it doesn't understand a type
    /// gives nothing, and is asked again without.
    fn wrap(&self, array: &Array, context: Option<&Call<'_>>) -> Option<Output> {
        let _ = (array, context);
        None
    }

    /// Whether the type defines an operator for itself as the right operand; `__radd__`.
    fn has_reversed(&self, operator: Operator) -> bool {
        let _ = operator;
        false
    }

    /// The value as itself, for the host.
    fn as_any(&self) -> &dyn Any;
}

/// An operand of a call with extension types.
#[derive(Clone)]
pub enum Argument {
    /// An array or number.
    Plain(Operand),
    /// A value of an extension type.
    Extension(Rc<dyn Extension>),
}

/// A result of such a call.
#[derive(Clone)]
pub enum Output {
    /// An array.
    Array(Array),
    /// A scalar: an array of rank 0 that stands for one.
    Scalar(Array),
    /// A value of an extension type.
    Extension(Rc<dyn Extension>),
}

/// The call that an extension type takes over, or that its result comes from.
pub struct Call<'a> {
    /// The ufunc.
    pub ufunc: Ufunc,
    /// `call`, `reduce`, `accumulate`.
    pub method: &'static str,
    /// The inputs.
    pub inputs: &'a [Argument],
    /// Which of the outputs it is.
    pub output: usize,
}

impl Argument {
    fn extension(&self) -> Option<&Rc<dyn Extension>> {
        match self {
            Self::Plain(_) => None,
            Self::Extension(extension) => Some(extension),
        }
    }

    fn operand(&self) -> Operand {
        match self {
            Self::Plain(operand) => operand.clone(),
            Self::Extension(extension) => Operand::Array(extension.array()),
        }
    }
}

impl Ufunc {
    /// Applies it to operands of which some are of extension types, and wraps the results. `outs` are
    /// the outputs of extension types that are given beside those of `options`; they take part in
    /// taking the call over.
    ///
    /// # Errors
    /// As [`Self::call`]; `NoLoop` if a type refuses ufuncs, or all that might take the call over
    /// decline; what the type that takes it over says.
    pub fn call_extended(
        self,
        numerics: &Numerics,
        inputs: &[Argument],
        outs: &[Rc<dyn Extension>],
        options: &CallOptions,
    ) -> Result<Vec<Output>> {
        let call = |output| Call {
            ufunc: self,
            method: "call",
            inputs,
            output,
        };
        if let Some(taken) = take_over(&call(0), outs)? {
            return Ok(taken);
        }
        let operands: Vec<Operand> = inputs.iter().map(Argument::operand).collect();
        let mut options = options.clone();
        for (k, out) in outs.iter().enumerate() {
            let place = options.out.get_mut(k);
            match place {
                Some(place) => *place = Some(out.array()),
                None => options.out.push(Some(out.array())),
            }
        }
        let called = self.call(numerics, &operands, &options)?;
        let results = called.outputs.into_iter().zip(called.scalars).enumerate();
        let wrapped = results.map(|(k, (array, scalar))| {
            // What was given is the result, as it is.
            if let Some(out) = outs.get(k) {
                return Output::Extension(Rc::clone(out));
            }
            if options.out.get(k).is_some_and(Option::is_some) {
                return Output::Array(array);
            }
            wrap(inputs, array, scalar, Some(&call(k)))
        });
        Ok(wrapped.collect())
    }

    /// [`Self::reduce`] of an extension array, wrapped without a context.
    ///
    /// # Errors
    /// As [`Self::reduce`] and [`Self::call_extended`].
    pub fn reduce_extended(
        self,
        numerics: &Numerics,
        array: &Argument,
        options: &ReduceOptions,
    ) -> Result<Output> {
        let given = options.out.is_some();
        self.method(array, "reduce", given, |plain| {
            self.reduce(numerics, plain, options)
        })
    }

    /// [`Self::accumulate`] of an extension array, wrapped without a context.
    ///
    /// # Errors
    /// As [`Self::accumulate`] and [`Self::call_extended`].
    pub fn accumulate_extended(
        self,
        numerics: &Numerics,
        array: &Argument,
        options: &AlongOptions,
    ) -> Result<Output> {
        let given = options.out.is_some();
        self.method(array, "accumulate", given, |plain| {
            self.accumulate(numerics, plain, options)
        })
    }

    fn method(
        self,
        array: &Argument,
        method: &'static str,
        given: bool,
        run: impl Fn(&Array) -> Result<Reduced>,
    ) -> Result<Output> {
        let inputs = std::slice::from_ref(array);
        let call = Call {
            ufunc: self,
            method,
            inputs,
            output: 0,
        };
        if let Some(mut taken) = take_over(&call, &[])?
            && let Some(first) = taken.pop()
        {
            return Ok(first);
        }
        let Operand::Array(plain) = array.operand() else {
            return Err(ArrayError::NoLoop {
                ufunc: self.name().into(),
                types: format!("{method} of a number"),
            });
        };
        let reduced = run(&plain)?;
        if given {
            return Ok(Output::Array(reduced.output));
        }
        Ok(wrap(inputs, reduced.output, reduced.scalar, None))
    }
}

/// Asks the types of the operands, each once, left to right and derived ones first.
fn take_over(call: &Call<'_>, outs: &[Rc<dyn Extension>]) -> Result<Option<Vec<Output>>> {
    let mut asked: Vec<&Rc<dyn Extension>> = vec![];
    let all = call
        .inputs
        .iter()
        .filter_map(Argument::extension)
        .chain(outs);
    for extension in all {
        if asked.iter().any(|a| a.type_name() == extension.type_name()) {
            continue;
        }
        let before = asked
            .iter()
            .position(|a| extension.derives_from(a.as_ref()))
            .unwrap_or(asked.len());
        asked.insert(before, extension);
    }
    let none = |why: &str| ArrayError::NoLoop {
        ufunc: call.ufunc.name().into(),
        types: why.to_string(),
    };
    if let Some(refusing) = asked.iter().find(|a| a.refuses()) {
        let why = format!("{}, which refuses ufuncs", refusing.type_name());
        return Err(none(&why));
    }
    let mut declined = false;
    for extension in asked.iter().filter(|a| a.takes_over()) {
        match extension.take_over(call) {
            Some(taken) => return taken.map(Some),
            None => declined = true,
        }
    }
    if declined {
        return Err(none("operands whose types all decline"));
    }
    Ok(None)
}

/// The result in the form of the input type with the highest priority, or as it is.
fn wrap(inputs: &[Argument], array: Array, scalar: bool, context: Option<&Call<'_>>) -> Output {
    let mut best: Option<&Rc<dyn Extension>> = None;
    for extension in inputs.iter().filter_map(Argument::extension) {
        if best.is_none_or(|b| extension.priority() > b.priority()) {
            best = Some(extension);
        }
    }
    let with = |best: &Rc<dyn Extension>| {
        let wrapped = context.and_then(|context| best.wrap(&array, Some(context)));
        wrapped.or_else(|| best.wrap(&array, None))
    };
    match best.and_then(with) {
        Some(wrapped) => wrapped,
        None if scalar => Output::Scalar(array),
        None => Output::Array(array),
    }
}

/// Whether an operator of arrays leaves the work to its right operand: of higher priority, with the
/// reversed operator; or one that refuses ufuncs.
#[must_use]
pub fn defers(operator: Operator, left: &Argument, right: &Argument) -> bool {
    let Some(right) = right.extension() else {
        return false;
    };
    let priority = left.extension().map_or(0.0, |left| left.priority());
    right.refuses() || (right.priority() > priority && right.has_reversed(operator))
}
