//! Host numbers among the operands: when they have types of their own.

use super::operand::{Given, Operand};
use super::table::{Def, Resolver};
use crate::array::Array;
use crate::context::Context;
use crate::dtype::{DType, Scalar};
use crate::error::Result;

/// Inputs with types of their own where the rules for host numbers ask for it: if all are host
/// numbers, for truth values, and in comparisons with an integer outside the range of the other side.
pub(super) fn typed_inputs(
    ctx: &Context,
    def: &Def,
    inputs: &[Operand],
) -> Result<Option<Vec<Operand>>> {
    let weak = |o: &Operand| matches!(o.given(), Given::Weak(_));
    if !inputs.iter().any(weak) {
        return Ok(None);
    }
    if def.resolver == Resolver::Compare {
        return integers_in(ctx, inputs, inputs.iter().find_map(integer_of));
    }
    let free = inputs
        .iter()
        .all(|o| weak(o) || matches!(o, Operand::Bool(_)));
    if !free && def.resolver != Resolver::Logical {
        return Ok(None);
    }
    if let [Operand::Int(value)] = inputs
        && i64::try_from(*value).is_err()
    {
        // One number alone may be of the largest type.
        let array = Operand::Int(*value).to_array(ctx, DType::U64)?.0;
        return Ok(Some(vec![Operand::Array(array)]));
    }
    let whole = def
        .loops()
        .any(|run| run.types().next() == Some(DType::I64));
    let fraction = |o: &Operand| matches!(o, Operand::Float(_) | Operand::Complex(..));
    let float = def.resolver != Resolver::Logical && (!whole || inputs.iter().any(fraction));
    let typed = |o: &Operand| match o {
        Operand::Int(value) if float && i64::try_from(*value).is_err() => {
            Operand::Float(*value as f64).typed(ctx)
        }
        other => other.typed(ctx),
    };
    inputs.iter().map(typed).collect::<Result<_>>().map(Some)
}

pub(super) fn is_whole(operand: &Operand) -> bool {
    let bools = operand.given() == Given::Typed(DType::Bool);
    bools || integer_of(operand).is_some()
}

/// The integer type of a typed operand.
fn integer_of(operand: &Operand) -> Option<DType> {
    match operand.given() {
        Given::Typed(dtype) if dtype.is_integer() => Some(dtype),
        _ => None,
    }
}

/// Host integers outside the range of `other` in the integer type that holds them; all of them
/// if no other operand has one and none is a float.
fn integers_in(
    ctx: &Context,
    inputs: &[Operand],
    other: Option<DType>,
) -> Result<Option<Vec<Operand>>> {
    let (low, high) = match other {
        Some(other) => other.whole_range(),
        None if inputs.iter().all(|o| matches!(o, Operand::Int(_))) => (1, 0),
        None => return Ok(None),
    };
    let wide = |o: &Operand| match o {
        Operand::Int(value) if *value < low || *value > high => Some(*value),
        _ => None,
    };
    if inputs.iter().find_map(wide).is_none() {
        return Ok(None);
    }
    let replace = |o: &Operand| match wide(o) {
        None => Ok(o.clone()),
        Some(value) if i64::try_from(value).is_ok() => {
            Ok(Operand::Array(o.to_array(ctx, DType::I64)?.0))
        }
        Some(value) if u64::try_from(value).is_ok() => {
            Ok(Operand::Array(o.to_array(ctx, DType::U64)?.0))
        }
        Some(value) => {
            // Beyond every integer type: all of them are on one side of it.
            let side = f64::INFINITY.copysign(if value < 0 { -1.0 } else { 1.0 });
            Ok(Operand::Array(Array::scalar(ctx, Scalar::F64(side))?))
        }
    };
    inputs.iter().map(replace).collect::<Result<_>>().map(Some)
}
