//! Functions of JavaScript that extern declarations find.

use std::rc::Rc;

use js_sys::{Array, BigInt, Function, Number, Reflect, Uint8Array};
use strand_session::{Externs, Value, elements, from_elements};
use wasm_bindgen::prelude::*;

use crate::plain::Plain;
use crate::types::CarriedTensor;

/// The externs of a function `call(module, name, arguments)`. It gives `undefined` where there is no such function,
/// and throws where one fails. Tensors go out and come in as [`CarriedTensor`]; ints beyond 2^53 are BigInts.
pub(crate) fn externs(call: &Function) -> Externs {
    let call = call.clone();
    Externs(Rc::new(move |module, name, args| {
        let given = Array::new();
        for arg in args {
            match outside(arg) {
                Ok(value) => given.push(&value),
                Err(why) => return Some(Err(why)),
            };
        }
        match call.call3(&JsValue::NULL, &module.into(), &name.into(), &given) {
            Ok(value) if value.is_undefined() => None,
            Ok(value) => Some(inside(&value)),
            Err(thrown) => Some(Err(reason(&thrown))),
        }
    }))
}

/// What was thrown, as a sentence.
fn reason(thrown: &JsValue) -> String {
    let message = match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().as_string(),
        None => thrown.as_string(),
    };
    message.unwrap_or_else(|| "it threw something that isn't an error".to_owned())
}

fn outside(value: &Value) -> Result<JsValue, String> {
    Ok(match value {
        Value::Tensor(array) => CarriedTensor {
            dtype: array.dtype().name().to_owned(),
            shape: array.shape().iter().map(|size| *size as f64).collect(),
            bytes: Uint8Array::from(elements(array)?.as_slice()),
        }
        .plain(),
        Value::Int(v) if v.unsigned_abs() <= Number::MAX_SAFE_INTEGER as u64 => {
            JsValue::from(*v as f64)
        }
        Value::Int(v) => BigInt::from(*v).into(),
        Value::Float(v) => (*v).into(),
        Value::Bool(v) => (*v).into(),
        Value::Str(text) => text.as_str().into(),
        Value::Nothing => JsValue::NULL,
        other => return Err(format!("it takes no {}", other.kind())),
    })
}

fn inside(value: &JsValue) -> Result<Value, String> {
    if let Some(v) = value.as_f64() {
        let whole = v.fract() == 0.0 && v.abs() <= Number::MAX_SAFE_INTEGER;
        return Ok(if whole && !(v == 0.0 && v.is_sign_negative()) {
            Value::Int(v as i64)
        } else {
            Value::Float(v)
        });
    }
    if let Some(v) = value.as_bool() {
        return Ok(Value::Bool(v));
    }
    if let Some(text) = value.as_string() {
        return Ok(Value::Str(text));
    }
    if value.is_null() {
        return Ok(Value::Nothing);
    }
    if value.is_bigint() {
        let found = i64::try_from(value.clone());
        return found
            .map(Value::Int)
            .map_err(|_| "it gave an int past 64 bits".to_owned());
    }
    tensor(value).unwrap_or_else(|| Err("it gave what is no value".to_owned()))
}

/// A tensor; none for an object of another form.
fn tensor(value: &JsValue) -> Option<Result<Value, String>> {
    let field = |name: &str| Reflect::get(value, &name.into()).ok();
    let dtype = field("dtype")?.as_string()?;
    let shape: Array = field("shape")?.dyn_into().ok()?;
    let shape: Option<Vec<usize>> = shape
        .iter()
        .map(|size| {
            size.as_f64()
                .filter(|n| *n >= 0.0 && n.fract() == 0.0 && *n < 4e9)
                .map(|n| n as usize)
        })
        .collect();
    let bytes: Uint8Array = field("bytes")?.dyn_into().ok()?;
    Some(from_elements(&dtype, &shape?, &bytes.to_vec()).map(Value::Tensor))
}
