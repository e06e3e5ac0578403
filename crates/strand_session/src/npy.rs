//! Values as files.

use strand_array::{Array, Context, DType, Scalar};
use strand_interp::Value;

/// A tensor as a `.npy` file; a host number or bool as one without axes.
///
/// # Errors
/// A sentence, where the value is neither or the file would be too large.
pub fn npy(value: &Value) -> Result<Vec<u8>, String> {
    let scalar = match value {
        Value::Tensor(array) => return write(array),
        Value::Int(v) => Scalar::I64(*v),
        Value::Float(v) => Scalar::F64(*v),
        Value::Bool(v) => Scalar::Bool(*v),
        other => return Err(format!("{} has no .npy form", other.kind())),
    };
    let array = Array::full(&Context::default(), &[], scalar);
    write(&array.map_err(|error| error.to_string())?)
}

/// NumPy has no bf16: its values go out as f32, which holds them all.
fn write(array: &Array) -> Result<Vec<u8>, String> {
    let known = match array.dtype() {
        DType::BF16 => array.cast(&Context::default(), DType::F32),
        _ => Ok(array.clone()),
    };
    known
        .and_then(|array| strand_array::npy::write(&array))
        .map_err(|error| error.to_string())
}
