//! Ufuncs on host values: each element by the host's own operation.

use super::call::{CallOptions, CallReport, Called};
use super::operand::Operand;
use crate::array::Array;
use crate::assign::assign_where;
use crate::cast::{Casting, astype, check_cast};
use crate::context::{Context, LoopKind};
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::item::{Operator, operate, order_of, truth_of};
use crate::multi::broadcast_all;
use crate::value::Value;
use crate::walk::each_index;

/// Whether an operand or output holds host values.
pub(super) fn takes(inputs: &[Operand], options: &CallOptions) -> bool {
    let object = |operand: &Operand| match operand {
        Operand::Array(array) => array.dtype() == DType::Object,
        _ => false,
    };
    inputs.iter().any(object) || options.dtype == Some(DType::Object)
}

/// Applies the function of that name to each element.
///
/// # Errors
/// What a host value says, `NoLoop` for functions that host values don't have; `Broadcast`,
/// `CannotCast`, `ReadOnly`, `OutOfMemory`.
pub(super) fn call(
    ctx: &Context,
    name: &'static str,
    inputs: &[Operand],
    options: &CallOptions,
) -> Result<Called> {
    let arrays: Vec<Array> = inputs
        .iter()
        .map(|input| values_of(ctx, input))
        .collect::<Result<_>>()?;
    let mut shapes: Vec<&[usize]> = arrays.iter().map(Array::shape).collect();
    let out = options.out.first().and_then(Option::as_ref);
    shapes.extend(out.map(Array::shape));
    shapes.extend(options.mask.as_ref().map(Array::shape));
    let shape = broadcast_all(&shapes)?;
    let truth = options.dtype != Some(DType::Object) && is_question(name);
    let (dtype, code) = if truth {
        (DType::Bool, '?')
    } else {
        (DType::Object, 'O')
    };
    let result = Array::fresh(ctx, &shape, &dtype.into())?;
    let mask = options.mask.as_ref().map(|mask| mask.broadcast_to(&shape));
    let mask = mask.transpose()?;
    each_element(name, &arrays, mask.as_ref(), &result)?;
    let output = match out {
        Some(out) => {
            check_cast(result.descr(), out.descr(), options.casting)?;
            assign_where(ctx, out, &result, mask.as_ref(), options.casting)?;
            out.clone()
        }
        None => result,
    };
    Ok(Called {
        scalars: vec![out.is_none() && shape.is_empty()],
        report: CallReport {
            types: format!("{}->{code}", "O".repeat(inputs.len())),
            kind: LoopKind::One,
            inner_calls: 1,
            inner: output.len(),
            outer: vec![],
            buffered: vec![],
            copied: vec![],
            steps: vec![],
            strides: vec![],
        },
        outputs: vec![output],
    })
}

/// An operand as an array of host values.
fn values_of(ctx: &Context, operand: &Operand) -> Result<Array> {
    let object = Descr::new(DType::Object);
    if let Operand::Array(array) = operand {
        return Ok(astype(ctx, array, &object, Casting::Safe)?.0);
    }
    let array = Array::fresh(ctx, &[], &object)?;
    array.assign_value(&operand.value())?;
    Ok(array)
}

/// Writes the function of the operands' elements to the result where the mask is true.
fn each_element(
    name: &'static str,
    operands: &[Array],
    mask: Option<&Array>,
    result: &Array,
) -> Result<()> {
    let shape = result.shape();
    let stretched = operands.iter().map(|array| array.broadcast_to(shape));
    let operands: Vec<Array> = stretched.collect::<Result<_>>()?;
    each_index(shape, |index| {
        if let Some(mask) = mask
            && mask.value_at::<u8>(index)? == 0
        {
            return Ok(());
        }
        let values = operands.iter().map(|array| array.element_at(index));
        let values: Vec<Value> = values.collect::<Result<_>>()?;
        result.set_element(index, &one(name, &values)?)?;
        Ok(())
    })
}

/// Whether the function answers with a truth value.
fn is_question(name: &str) -> bool {
    let comparison = Operator::named(name).is_some_and(Operator::is_comparison);
    comparison || name == "logical_xor"
}

/// The function on the values of one element.
fn one(name: &'static str, values: &[Value]) -> Result<Value> {
    let operands: Vec<&Value> = values.iter().collect();
    let apply = |op: Operator, operands: &[&Value]| operate(op, operands).map(|(value, _)| value);
    let first = operands.first().copied().unwrap_or(&Value::None);
    let second = operands.get(1).copied().unwrap_or(&Value::None);
    if name != "divmod"
        && let Some(op) = Operator::named(name)
    {
        return apply(op, &operands);
    }
    let greater = || apply(Operator::Ge, &[first, second]).map(|v| truth_of(&v));
    Ok(match name {
        "maximum" | "fmax" => (if greater()? { first } else { second }).clone(),
        "minimum" | "fmin" => {
            let less = apply(Operator::Le, &[first, second])?;
            (if truth_of(&less) { first } else { second }).clone()
        }
        "square" => apply(Operator::Mul, &[first, first])?,
        "reciprocal" => apply(Operator::Div, &[&Value::Float(1.0), first])?,
        "logical_not" => Value::Bool(!truth_of(first)),
        // Python's `and` and `or`: one of the operands itself.
        "logical_and" => (if truth_of(first) { second } else { first }).clone(),
        "logical_or" => (if truth_of(first) { first } else { second }).clone(),
        "logical_xor" => Value::Bool(truth_of(first) != truth_of(second)),
        "sign" => match order_of(first, &Value::Int(0)) {
            Some(order) => Value::Int(order as i128),
            None => return Err(no_method(name, first)),
        },
        "conjugate" => match first {
            Value::Complex(a, b) => Value::Complex(*a, -*b),
            Value::Bool(v) => Value::Int((*v).into()),
            Value::Int(_) | Value::Float(_) => first.clone(),
            other => host_method(name, other)?,
        },
        _ => host_method(name, first)?,
    })
}

/// A method of the host value, such as `sin`.
fn host_method(name: &'static str, value: &Value) -> Result<Value> {
    match value {
        Value::Host(host) => match host.operate(name, None, false) {
            Some(found) => found,
            None => Err(no_method(name, value)),
        },
        other => Err(no_method(name, other)),
    }
}

fn no_method(name: &str, value: &Value) -> ArrayError {
    ArrayError::NoLoop {
        ufunc: name.into(),
        types: value.type_name(),
    }
}
