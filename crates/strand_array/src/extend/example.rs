//! # A worked example: two arrays in, one in and out
//!
//! The function takes two arguments of which arrays are made, and one that has to be an array. It gives
//! nothing: it adds the product of the first two to the third, element by element, in place. Written in C
//! against NumPy, this is the `example_wrapper` of "How to extend NumPy"; each part of that has its place here.
//!
//! ## Parameters
//!
//! `PyArg_ParseTuple(args, "OOO!", …)` with `PyArray_FROM_OTF(arg1, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY)` becomes a
//! [`Converter`] for each parameter. [`Needs::read`](super::Needs::read) asks for C order and alignment: nested lists, numbers
//! and arrays of other types are copied, a fitting array isn't. [`Needs::written`](super::Needs::written) is `NPY_ARRAY_INOUT_ARRAY2`:
//! the argument must be a writeable array, and if it has to be copied, the copy is written back.
//!
//! ```
//! use strand_array::extend::{Call, Converter, Function, Needs, Parameter};
//! use strand_array::{ArrayError, DType, Result, Value};
//!
//! fn add_product(call: &Call<'_>) -> Result<Value> {
//!     let (a, b) = (call.array("a")?, call.array("b")?);
//!     let out = call.inout("out")?.array();
//!     if a.shape() != out.shape() || b.shape() != out.shape() {
//!         return Err(ArrayError::ShapeMismatch {
//!             op: "add_product",
//!             left: a.shape().to_vec(),
//!             right: out.shape().to_vec(),
//!         });
//!     }
//!     for i in 0..out.shape()[0] as i64 {
//!         for j in 0..out.shape()[1] as i64 {
//!             let sum = out.at2::<f64>(i, j)? + a.at2::<f64>(i, j)? * b.at2::<f64>(i, j)?;
//!             out.set_value_at(&[i, j], sum)?;
//!         }
//!     }
//!     Ok(Value::None)
//! }
//!
//! let matrix = |needs: Needs| Needs { min_rank: 2, max_rank: Some(2), ..needs };
//! let function = Function::new(
//!     "add_product",
//!     "Adds a times b to out, in place.",
//!     vec![
//!         Parameter::required("a", Converter::Array(matrix(Needs::read(DType::F64)))),
//!         Parameter::required("b", Converter::Array(matrix(Needs::read(DType::F64)))),
//!         Parameter::required("out", Converter::InOut(matrix(Needs::written(DType::F64)))),
//!     ],
//!     add_product,
//! )?;
//! assert_eq!(function.signature(), "add_product(a, b, out)");
//! # Ok::<(), ArrayError>(())
//! ```
//!
//! ## Reference counts, `goto fail`, write-back
//!
//! There are none to keep: what was converted before a failure is let go by its owner. When the function
//! gives an error, its write-back copy is discarded and the argument is as it was, writeable again. When it
//! ends well, the copy is resolved, as `PyArray_ResolveWritebackIfCopy` does.
//!
//! ## Calling it
//!
//! [`function()`] is the same function for use elsewhere, with one thing more: an infinite sum is an error, found
//! before anything is written. Here `out` lies in Fortran order as `f32`, so that it is copied and written back:
//!
//! ```
//! use strand_array::extend::example;
//! use strand_array::{Array, Context, DType, Value};
//!
//! let ctx = Context::default();
//! let function = example::function()?;
//! let out = Array::fresh_fortran(&ctx, &[2, 2], &DType::F32.into())?;
//! let rows = |a: [f64; 4]| {
//!     Value::list([Value::list([a[0].into(), a[1].into()]), Value::list([a[2].into(), a[3].into()])])
//! };
//! let (a, b) = (rows([1.0, 2.0, 3.0, 4.0]), rows([0.5, 0.5, 2.0, 2.0]));
//! function.call(&ctx, &[a.clone(), b, out.clone().into()], &[])?;
//! assert_eq!(out.to_vec::<f32>()?, [0.5, 1.0, 6.0, 8.0]);
//!
//! // What isn't an array can't be written.
//! let error = function.call(&ctx, &[a.clone(), a.clone(), a.clone()], &[]).unwrap_err();
//! assert_eq!(error.class(), "TypeError");
//!
//! // A failure changes nothing.
//! let error = function.call(&ctx, &[a, rows([1.0, 1.0, f64::INFINITY, 1.0]), out.clone().into()], &[]);
//! assert!(error.is_err());
//! assert_eq!(out.to_vec::<f32>()?, [0.5, 1.0, 6.0, 8.0]);
//! assert!(out.flags().writeable && ctx.take_faults().is_empty());
//! # Ok::<(), strand_array::ArrayError>(())
//! ```

use super::{Call, Converter, Function, Needs, Parameter};
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::value::Value;

/// `add_product(a, b, out)`: adds `a` times `b` to `out`, which are matrices of one shape. An infinite sum is an
/// error, and then `out` is as it was.
///
/// # Errors
/// None in practice: the parameters are right.
pub fn function() -> Result<Function> {
    let matrix = |needs: Needs| Needs {
        min_rank: 2,
        max_rank: Some(2),
        ..needs
    };
    Function::new(
        "add_product",
        "Adds a times b to out, in place.",
        vec![
            Parameter::required("a", Converter::Array(matrix(Needs::read(DType::F64)))),
            Parameter::required("b", Converter::Array(matrix(Needs::read(DType::F64)))),
            Parameter::required("out", Converter::InOut(matrix(Needs::written(DType::F64)))),
        ],
        add_product,
    )
}

fn add_product(call: &Call<'_>) -> Result<Value> {
    let (a, b) = (call.array("a")?, call.array("b")?);
    let out = call.inout("out")?.array();
    for input in [a, b] {
        if input.shape() != out.shape() {
            return Err(ArrayError::ShapeMismatch {
                op: "add_product",
                left: input.shape().to_vec(),
                right: out.shape().to_vec(),
            });
        }
    }
    let size = |axis: usize| out.shape().get(axis).copied().unwrap_or(0) as i64;
    let mut sums = Vec::with_capacity(out.len());
    for i in 0..size(0) {
        for j in 0..size(1) {
            let sum = out.at2::<f64>(i, j)? + a.at2::<f64>(i, j)? * b.at2::<f64>(i, j)?;
            if sum.is_infinite() {
                return Err(ArrayError::BadArgument {
                    op: "add_product",
                    why: format!("the sum at [{i}, {j}] is infinite"),
                });
            }
            sums.push(([i, j], sum));
        }
    }
    for (place, sum) in sums {
        out.set_value_at(&place, sum)?;
    }
    Ok(Value::None)
}
