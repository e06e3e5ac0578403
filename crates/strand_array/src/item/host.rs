//! Arithmetic of the host's own values, as Python has it: what loops over host values do per element.

use super::compare::order_of;
use super::operate::Operator;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::item::Item;
use crate::ufunc::on_scalars;
use crate::value::Value;

fn bad(class: &'static str, why: String) -> ArrayError {
    ArrayError::BadValue { class, why }
}

fn no_operator(op: Operator, operands: &[&Value]) -> ArrayError {
    let types: Vec<String> = operands.iter().map(|value| value.type_name()).collect();
    bad(
        "TypeError",
        format!("{} isn't defined for {}", op.ufunc(), types.join(" and ")),
    )
}

/// Applies an operator to values of the host, none of which is a typed scalar.
///
/// # Errors
/// `BadValue` with Python's class: operands without the operator, divisions by zero, whole numbers
/// beyond 128 bits.
pub(super) fn plain(op: Operator, operands: &[&Value]) -> Result<Value> {
    match operands {
        [value] => unary(op, value),
        [left, right] => match op.holds(order_of(left, right)) {
            Some(holds) => compared(op, operands, holds),
            None => binary(op, left, right),
        },
        _ => Err(no_operator(op, operands)),
    }
}

fn compared(op: Operator, operands: &[&Value], holds: bool) -> Result<Value> {
    let equality = matches!(op, Operator::Eq | Operator::Ne);
    let real = |value: &Value| matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_));
    let ordered = match operands {
        [a, b] => real(a) && real(b) || order_of(a, b).is_some() && !complex(a) && !complex(b),
        _ => false,
    };
    if equality || ordered {
        Ok(Value::Bool(holds))
    } else {
        Err(no_operator(op, operands))
    }
}

fn complex(value: &Value) -> bool {
    matches!(value, Value::Complex(..) | Value::None)
}

/// The value as a whole number, if it is one.
fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Bool(v) => Some((*v).into()),
        Value::Int(v) => Some(*v),
        _ => None,
    }
}

fn unary(op: Operator, value: &Value) -> Result<Value> {
    let none = || no_operator(op, &[value]);
    let large = || bad("OverflowError", "the whole number is too large".into());
    Ok(match (op, value) {
        (Operator::Neg, Value::Float(v)) => Value::Float(-v),
        (Operator::Neg, Value::Complex(a, b)) => Value::Complex(-a, -b),
        (Operator::Pos, Value::Float(_) | Value::Complex(..)) => value.clone(),
        (Operator::Abs, Value::Float(v)) => Value::Float(v.abs()),
        (Operator::Abs, Value::Complex(..)) => by_loop(op, &[value], DType::C128)?,
        _ => {
            let v = whole(value).ok_or_else(none)?;
            Value::Int(match op {
                Operator::Neg => v.checked_neg().ok_or_else(large)?,
                Operator::Pos => v,
                Operator::Abs => v.checked_abs().ok_or_else(large)?,
                Operator::Invert => !v,
                _ => return Err(none()),
            })
        }
    })
}

fn binary(op: Operator, left: &Value, right: &Value) -> Result<Value> {
    let none = || no_operator(op, &[left, right]);
    if let (Some(a), Some(b)) = (whole(left), whole(right)) {
        if let (Value::Bool(a), Value::Bool(b)) = (left, right) {
            match op {
                Operator::And => return Ok(Value::Bool(a & b)),
                Operator::Or => return Ok(Value::Bool(a | b)),
                Operator::Xor => return Ok(Value::Bool(a ^ b)),
                _ => {}
            }
        }
        return integers(op, a, b);
    }
    let number = |value: &Value| {
        whole(value).is_some() || matches!(value, Value::Float(_) | Value::Complex(..))
    };
    if number(left) && number(right) {
        let is_complex = |value: &Value| matches!(value, Value::Complex(..));
        let both = [left, right];
        let dtype = if both.iter().any(|value| is_complex(value)) {
            DType::C128
        } else {
            DType::F64
        };
        return match op {
            Operator::Add | Operator::Sub | Operator::Mul | Operator::Pow => {
                by_loop(op, &both, power_type(op, left, right, dtype))
            }
            Operator::Div if !is_zero(right) => by_loop(op, &both, dtype),
            Operator::FloorDiv | Operator::Rem | Operator::DivMod
                if dtype == DType::F64 && !is_zero(right) =>
            {
                by_loop(op, &both, dtype)
            }
            Operator::Div if is_zero(right) => Err(by_zero()),
            Operator::FloorDiv | Operator::Rem | Operator::DivMod if dtype == DType::F64 => {
                Err(by_zero())
            }
            _ => Err(none()),
        };
    }
    match (op, left, right) {
        (Operator::Add, Value::Text(a), Value::Text(b)) => {
            Ok(Value::Text(format!("{a}{b}").into()))
        }
        (Operator::Add, Value::List(a), Value::List(b)) => {
            Ok(Value::list(a.iter().chain(b.iter()).cloned()))
        }
        (Operator::Add, Value::Tuple(a), Value::Tuple(b)) => {
            Ok(Value::tuple(a.iter().chain(b.iter()).cloned()))
        }
        (Operator::Mul, Value::Text(_) | Value::List(_) | Value::Tuple(_), count) => {
            repeated(left, whole(count).ok_or_else(none)?)
        }
        (Operator::Mul, count, Value::Text(_) | Value::List(_) | Value::Tuple(_)) => {
            repeated(right, whole(count).ok_or_else(none)?)
        }
        _ => Err(none()),
    }
}

/// A text or sequence several times over; negative counts are 0.
fn repeated(value: &Value, count: i128) -> Result<Value> {
    let length = match value {
        Value::Text(text) => text.len(),
        other => other.members().map_or(0, <[Value]>::len),
    };
    let total = (length as i128).saturating_mul(count.max(0));
    let count = match usize::try_from(total) {
        Ok(0) => 0,
        Ok(total) if total <= crate::MAX_BYTES / 64 => total.checked_div(length).unwrap_or(0),
        _ => {
            return Err(ArrayError::OutOfMemory {
                bytes: u64::try_from(total).unwrap_or(u64::MAX),
                limit: crate::MAX_BYTES as u64,
            });
        }
    };
    let members = || {
        let members = value.members().unwrap_or_default();
        std::iter::repeat_n(members, count).flatten().cloned()
    };
    Ok(match value {
        Value::Text(text) => Value::Text(text.repeat(count).into()),
        Value::Tuple(_) => Value::tuple(members()),
        _ => Value::list(members()),
    })
}

/// A negative float to a fraction is complex.
fn power_type(op: Operator, base: &Value, power: &Value, dtype: DType) -> DType {
    let negative = match base {
        Value::Float(v) => *v < 0.0 && v.is_finite(),
        other => whole(other).is_some_and(|v| v < 0),
    };
    let broken = matches!(power, Value::Float(v) if v.is_finite() && v.fract() != 0.0);
    if op == Operator::Pow && negative && broken {
        DType::C128
    } else {
        dtype
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Float(v) => *v == 0.0,
        Value::Complex(a, b) => *a == 0.0 && *b == 0.0,
        other => whole(other) == Some(0),
    }
}

fn by_zero() -> ArrayError {
    bad("ZeroDivisionError", "division by zero".into())
}

/// Floats by the ufunc's own loop, so that they have the same bits everywhere.
fn by_loop(op: Operator, operands: &[&Value], dtype: DType) -> Result<Value> {
    let descr = Descr::new(dtype);
    let typed = operands
        .iter()
        .map(|value| Item::new(&descr, value).map(Value::Item))
        .collect::<Result<Vec<_>>>()?;
    let typed: Vec<&Value> = typed.iter().collect();
    let (items, _) = on_scalars(op.ufunc(), &typed)?;
    let mut values = items.iter().map(Item::value);
    let first = values.next().unwrap_or_default();
    Ok(match values.next() {
        Some(second) => Value::tuple([first, second]),
        None => first,
    })
}

fn integers(op: Operator, a: i128, b: i128) -> Result<Value> {
    let large = || bad("OverflowError", "the whole number is too large".into());
    let floor = || {
        if b == 0 {
            return Err(by_zero());
        }
        let (quotient, rest) = (
            a.checked_div(b).ok_or_else(large)?,
            a.checked_rem(b).ok_or_else(large)?,
        );
        Ok(if rest != 0 && (rest < 0) != (b < 0) {
            (quotient.wrapping_sub(1), rest.wrapping_add(b))
        } else {
            (quotient, rest)
        })
    };
    let count = || {
        u32::try_from(b).map_err(|_| {
            let why = "a shift must be a small number, not negative".into();
            bad("ValueError", why)
        })
    };
    let found = match op {
        Operator::Add => a.checked_add(b).ok_or_else(large)?,
        Operator::Sub => a.checked_sub(b).ok_or_else(large)?,
        Operator::Mul => a.checked_mul(b).ok_or_else(large)?,
        Operator::FloorDiv => floor()?.0,
        Operator::Rem => floor()?.1,
        Operator::DivMod => {
            let (quotient, rest) = floor()?;
            return Ok(Value::tuple([Value::Int(quotient), Value::Int(rest)]));
        }
        Operator::Div if b == 0 => return Err(by_zero()),
        Operator::Div => return Ok(Value::Float(a as f64 / b as f64)),
        Operator::Pow if b < 0 && a == 0 => return Err(by_zero()),
        Operator::Pow if b < 0 => {
            let both = [&Value::Float(a as f64), &Value::Float(b as f64)];
            return by_loop(op, &both, DType::F64);
        }
        Operator::Pow => {
            let power = u32::try_from(b).map_err(|_| large())?;
            a.checked_pow(power).ok_or_else(large)?
        }
        Operator::Shl => {
            let count = count()?;
            let shifted = a
                .checked_shl(count)
                .filter(|v| v.checked_shr(count) == Some(a));
            shifted.ok_or_else(large)?
        }
        Operator::Shr if b > 127 => a >> 127,
        Operator::Shr => a >> count()?.min(127),
        Operator::And => a & b,
        Operator::Or => a | b,
        Operator::Xor => a ^ b,
        _ => return Err(no_operator(op, &[&Value::Int(a), &Value::Int(b)])),
    };
    Ok(Value::Int(found))
}
