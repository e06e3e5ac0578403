//! Tensors as bytes, for functions of the host.

use strand_array::{Array, Context, DType};
use strand_interp::engine_dtype;

/// The type that elements of a dtype have in bytes: `f16` and `bf16` go out and come in as `f32`, which hosts have.
fn carried(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        dtype => dtype,
    }
}

/// The elements in C order, in the machine's byte order; halves as `f32`.
///
/// # Errors
/// A sentence, where memory runs out.
pub fn elements(array: &Array) -> Result<Vec<u8>, String> {
    let found = match carried(array.dtype()) {
        dtype if dtype == array.dtype() => return Ok(array.to_bytes()),
        dtype => array.cast(&Context::default(), dtype),
    };
    found
        .map(|array| array.to_bytes())
        .map_err(|error| error.to_string())
}

/// A tensor of elements as [`elements`] gives them.
///
/// # Errors
/// A sentence, for another dtype or another number of elements than the shape has.
pub fn from_elements(dtype: &str, shape: &[usize], bytes: &[u8]) -> Result<Array, String> {
    let Some(dtype) = strand_ops::DType::parse(dtype).map(engine_dtype) else {
        return Err(format!("{dtype} isn't a dtype"));
    };
    let ctx = Context::default();
    let carried = carried(dtype);
    let array = Array::from_elements(&ctx, bytes, shape, &carried.into());
    let array = match array {
        Ok(array) if carried != dtype => array.cast(&ctx, dtype),
        array => array,
    };
    array.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_come_back_as_they_went() {
        let ctx = Context::default();
        let x = Array::from_slice(&ctx, &[1.5_f32, -2.0, 0.25, 3.0], &[2, 2]).unwrap();
        for dtype in strand_ops::DType::ALL.iter().copied().map(engine_dtype) {
            let x = x.cast(&ctx, dtype).unwrap().permute(&[1, 0]).unwrap();
            let back = from_elements(dtype.name(), &[2, 2], &elements(&x).unwrap()).unwrap();
            assert_eq!(back.dtype(), dtype);
            assert_eq!(back.to_vec_f64(), x.to_vec_f64());
        }
        assert!(from_elements("f32", &[3], &[0; 8]).is_err());
        assert!(from_elements("c64", &[1], &[0; 8]).is_err());
    }
}
