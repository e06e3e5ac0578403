//! `ufunc.at` and `ufunc.outer`.

use super::call::{CallOptions, Called, call, watch};
use super::found::NEGATIVE_POWER;
use super::machine::Machine;
use super::method::no_method;
use super::operand::Operand;
use super::resolve::{Request, resolve};
use super::state::Numerics;
use super::table::Def;
use crate::array::Array;
use crate::cast::Casting;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::index::IndexItem;
use crate::indexing::elements;
use crate::iter::Iter;
use crate::memory;
use crate::strip::Strip;

/// Applies the ufunc to each chosen element in turn, so that an element chosen twice is changed twice.
pub(super) fn at(
    numerics: &Numerics,
    def: &Def,
    target: &Array,
    items: &[IndexItem],
    value: Option<&Operand>,
) -> Result<()> {
    if def.nout != 1 || def.nin > 2 || (def.nin == 2) != value.is_some() {
        return Err(no_method(
            def,
            "at takes a ufunc of one output, and a value for its second operand",
        ));
    }
    if !target.flags().writeable {
        return Err(ArrayError::ReadOnly);
    }
    let ctx = numerics.context();
    // Host numbers have their own types here.
    let value = value.map(|value| value.typed(ctx)).transpose()?;
    let value = value.as_ref();
    let first = Operand::Array(target.clone());
    let given: Vec<_> = std::iter::once(&first)
        .chain(value)
        .map(Operand::given)
        .collect();
    let request = Request {
        inputs: &given,
        outputs: &[],
        signature: None,
        casting: Casting::Unsafe,
    };
    let chosen = resolve(def, &request)?;
    let (shape, places) = elements(ctx, target, items)?;
    let dtype = chosen.types.get(1).copied().unwrap_or(DType::Bool);
    let mut found = Found::NONE;
    let value = match value {
        Some(value) => {
            let (mut array, bits) = value.to_array(ctx, dtype)?;
            found |= bits;
            if memory::shares(&array, target) {
                array = super::fresh::copy(ctx, &array, array.descr())?.0;
            }
            let trimmed = crate::indexing::without_leading_ones(&array, shape.len())?;
            Some(trimmed.broadcast_to(&shape)?)
        }
        None => None,
    };
    let mut descrs = vec![target.descr().clone()];
    descrs.extend(value.as_ref().map(|v| v.descr().clone()));
    descrs.push(target.descr().clone());
    let modes = numerics.modes();
    let machine = Machine::new(&chosen, def.rule, &descrs, def.nin, watch(modes))?;
    let bits = each_place(&machine, target, &places, value.as_ref())?;
    numerics.handle(modes, found | Found::from_bits(bits), def.name)
}

/// Runs the machine on one element after the other, each with the next one of `value`.
fn each_place(
    machine: &Machine,
    target: &Array,
    places: &[usize],
    value: Option<&Array>,
) -> Result<u8> {
    let mut values = value.map(|value| (value, Iter::new(value)));
    let mut bits = 0;
    for &place in places {
        let element = Strip::of(target, place as isize, 0, 1)?;
        bits |= match &mut values {
            Some((value, walk)) => {
                let Some(place) = walk.next() else {
                    break;
                };
                machine.run(&[element, Strip::of(value, place as isize, 0, 1)?, element])?
            }
            None => machine.run(&[element, element])?,
        };
        if bits & NEGATIVE_POWER != 0 {
            return Err(ArrayError::NegativePower);
        }
    }
    Ok(bits)
}

/// Applies the ufunc to every pair of elements of two operands.
pub(super) fn outer(
    numerics: &Numerics,
    def: &Def,
    first: &Operand,
    second: &Operand,
    options: &CallOptions,
) -> Result<Called> {
    if def.nin != 2 {
        return Err(no_method(def, "outer takes a ufunc of two operands"));
    }
    let rank = match second {
        Operand::Array(array) => array.rank(),
        _ => 0,
    };
    let first = match first {
        Operand::Array(array) => {
            let mut array = array.clone();
            for _ in 0..rank {
                array = array.insert_axis(array.rank())?;
            }
            Operand::Array(array)
        }
        other => other.clone(),
    };
    call(numerics, def, &[first, second.clone()], options)
}
