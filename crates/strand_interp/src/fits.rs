//! Host numbers as elements, where PyTorch takes none that doesn't fit the dtype: as what is
//! assigned, as what a tensor is made of, as a bound. What it computes with wraps or overflows.

use strand_array::{DType, Scalar};
use strand_ops::OpId;
use strand_source::{Code, Span};

use crate::element::is_half;
use crate::error::{Fail, Run, fail};
use crate::machine::engine_dtype;

/// The number as an element of a dtype; R02 where it doesn't fit. A negative one of no more digits
/// than the dtype has wraps in u8.
pub(crate) fn element(value: Scalar, dtype: DType, span: Span) -> Run<Scalar> {
    match past(value, dtype) {
        Some(_) => Err(refused(value, dtype, span)),
        None => Ok(value.cast(dtype)),
    }
}

/// The number as a `[]` tensor: of floats one that is too large is infinite, as in `torch.tensor`.
pub(crate) fn lifted(value: Scalar, dtype: DType, span: Span) -> Run<Scalar> {
    match dtype.is_integer() {
        true => element(value, dtype, span),
        false => Ok(value.cast(dtype)),
    }
}

/// An argument of an elementwise built-in that is a host number.
pub(crate) fn argument(
    op: OpId,
    at: usize,
    value: Scalar,
    dtype: DType,
    span: Span,
) -> Run<Scalar> {
    match (op, at) {
        // A number of halves is chosen as it is computed with.
        (OpId::Where, _) if is_half(dtype) => Ok(value.cast(dtype)),
        (OpId::Where, _) => element(value, dtype, span),
        (OpId::Pow, 1) if dtype != DType::F32 => element(value, dtype, span),
        (OpId::LogicalAnd | OpId::LogicalOr | OpId::LogicalXor | OpId::IsClose, _)
        | (OpId::Clamp | OpId::Fmod, 0) => lifted(value, dtype, span),
        (OpId::Maximum, _) | (OpId::Clamp, 1) => bound(value, dtype, span, true),
        (OpId::Minimum, _) | (OpId::Clamp, 2) => bound(value, dtype, span, false),
        _ => Ok(value.cast(dtype)),
    }
}

/// A bound of elements: one that no element passes changes nothing, one that every element passes
/// is R02, as is any that a float dtype doesn't hold.
fn bound(value: Scalar, dtype: DType, span: Span, is_least: bool) -> Run<Scalar> {
    let (Scalar::I64(number), true) = (value, dtype.is_integer()) else {
        return element(value, dtype, span);
    };
    let (low, high) = dtype.bounds();
    match (number < low, number > high) {
        (true, _) if is_least => Ok(Scalar::I64(low).cast(dtype)),
        (_, true) if !is_least => Ok(Scalar::I64(high).cast(dtype)),
        (false, false) => Ok(value.cast(dtype)),
        _ => Err(refused(value, dtype, span)),
    }
}

/// What a number is past: the least or the most that may become an element of the dtype.
fn past(value: Scalar, dtype: DType) -> Option<f64> {
    if let (Scalar::I64(number), true) = (value, dtype.is_integer()) {
        let (least, most) = dtype.bounds();
        let least = if dtype == DType::U8 { -most } else { least };
        let inside = (least..=most).contains(&number);
        return (!inside).then_some(number as f64);
    }
    let number = value.to_f64();
    let most = match dtype {
        DType::F16 => 65504.0,
        DType::BF16 => f64::from(f32::from_bits(0x7f7f_0000)),
        DType::F32 => f64::from(f32::MAX),
        _ => return None,
    };
    (number.is_finite() && number.abs() > most).then_some(number)
}

fn refused(value: Scalar, dtype: DType, span: Span) -> Fail {
    let name = strand_ops::DType::ALL
        .iter()
        .find(|own| engine_dtype(**own) == dtype)
        .map_or("the dtype", |own| own.as_str());
    let message = match value {
        Scalar::I64(number) if dtype.is_integer() => {
            let (least, most) = dtype.bounds();
            format!("{number} doesn't fit {name}, which goes from {least} to {most}")
        }
        _ => {
            let number = crate::python::float(value.to_f64());
            format!("{number} is too large for {name}")
        }
    };
    fail(Code::R02, span, message)
}
