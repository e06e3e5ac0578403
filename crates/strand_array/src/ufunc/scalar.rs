//! One loop run on single elements: the direct path of scalar arithmetic.
//!
//! There is nothing to broadcast, plan or allocate: operands lie in small buffers, and the loop that a
//! call would take runs once.

use super::found::NEGATIVE_POWER;
use super::machine::Machine;
use super::operand::Given;
use super::resolve::{Request, resolve};
use super::table;
use crate::cast::Casting;
use crate::descr::Descr;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::item::{Item, store};
use crate::promote::Weak;
use crate::strip::{Cell, Strip};
use crate::value::Value;

/// Applies a ufunc to single values, typed or weak, and gives the outputs as scalars.
///
/// # Errors
/// `NoLoop` if no loop takes them, `BadValue` for a weak number outside the loop's type,
/// `NegativePower`.
pub(crate) fn on_scalars(name: &'static str, operands: &[&Value]) -> Result<(Vec<Item>, Found)> {
    let unsupported = || ArrayError::NoLoop {
        ufunc: name.into(),
        types: operands
            .iter()
            .map(|value| value.type_name())
            .collect::<Vec<_>>()
            .join(", "),
    };
    let def = table::named(name).ok_or_else(unsupported)?;
    let given: Option<Vec<Given>> = operands.iter().map(|value| given(value)).collect();
    let given = given.ok_or_else(unsupported)?;
    let request = Request {
        inputs: &given,
        outputs: &[],
        signature: None,
        casting: Casting::SameKind,
    };
    let chosen = resolve(def, &request)?;
    let mut places = [Cell::default(); super::kernels::MAX_OPERANDS];
    let mut found = Found::NONE;
    let mut descrs = Vec::with_capacity(chosen.types.len());
    for (i, dtype) in chosen.types.iter().enumerate() {
        let descr = match operands.get(i) {
            Some(Value::Item(item)) => item.descr().clone(),
            _ => Descr::new(*dtype),
        };
        if let (Some(value), Some(place)) = (operands.get(i), places.get_mut(i)) {
            let room = place
                .bytes_mut()
                .get_mut(..descr.size())
                .ok_or_else(unsupported)?;
            found |= store(&descr, room, value)?;
        }
        descrs.push(descr);
    }
    let machine = Machine::new(&chosen, def.rule, &descrs, def.nin, (true, true))?;
    let strips = places.iter_mut().zip(&descrs);
    let strips: Vec<Strip<'_>> = strips
        .map(|(place, descr)| Strip::cell(place, descr.size()))
        .collect();
    let bits = machine.run(&strips)?;
    if bits & NEGATIVE_POWER != 0 {
        return Err(ArrayError::NegativePower);
    }
    let outputs = descrs.iter().zip(&places).skip(def.nin);
    let items = outputs.map(|(descr, place)| {
        let bytes = place.bytes().get(..descr.size());
        Item::from_native(descr, bytes.unwrap_or_default())
    });
    Ok((items.collect(), found | Found::from_bits(bits)))
}

/// What a value says about the types; none if it is no number.
fn given(value: &Value) -> Option<Given> {
    Some(match value {
        Value::Item(item) => Given::Typed(item.dtype()),
        Value::Bool(_) => Given::Typed(crate::DType::Bool),
        Value::Int(_) => Given::Weak(Weak::Int),
        Value::Float(_) => Given::Weak(Weak::Float),
        Value::Complex(..) => Given::Weak(Weak::Complex),
        _ => return None,
    })
}
