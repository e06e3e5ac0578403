//! Products of vectors and matrices, on every dtype and layout: NumPy's generalised ufuncs.
//!
//! Leading axes broadcast; the core axes are the last ones, or those that [`CoreAxes`] names. Inputs
//! are converted to the type that both promote to; `bf16` takes part as `f32`, unless `dtype` asks for it.
//! Integers wrap, and bools give whether any pair is true. 16-bit floats are summed in `f32`, the others in
//! `f64`.

mod product;
mod ring;
mod signature;

pub use signature::CoreAxes;

use crate::array::Array;
use crate::assign::assign;
use crate::cast::{Casting, check_cast};
use crate::context::Context;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::lanes::{common_type, native};
use crate::memory::shares;
use signature::{Dim, Signature};

/// How a product is called; the keyword arguments of `np.matmul`.
#[derive(Clone, Debug)]
pub struct ProductOptions<'a> {
    /// Where the result goes.
    pub out: Option<&'a Array>,
    /// The core axes.
    pub core: CoreAxes<'a>,
    /// The type that is computed in.
    pub dtype: Option<Descr>,
    /// What inputs and output may lose.
    pub casting: Casting,
}

impl Default for ProductOptions<'_> {
    /// A fresh result, the last axes, the promoted dtype, `same_kind`.
    fn default() -> Self {
        Self {
            out: None,
            core: CoreAxes::default(),
            dtype: None,
            casting: Casting::SameKind,
        }
    }
}

const fn dim(id: usize) -> Dim {
    Dim {
        id,
        optional: false,
    }
}

const fn optional(id: usize) -> Dim {
    Dim { id, optional: true }
}

static MATMUL: Signature = Signature {
    name: "matmul",
    text: "(n?,k),(k,m?)->(n?,m?)",
    operands: [
        &[optional(0), dim(1)],
        &[dim(1), optional(2)],
        &[optional(0), optional(2)],
    ],
    dims: 3,
};

static VECDOT: Signature = Signature {
    name: "vecdot",
    text: "(n),(n)->()",
    operands: [&[dim(0)], &[dim(0)], &[]],
    dims: 1,
};

static MATVEC: Signature = Signature {
    name: "matvec",
    text: "(m,n),(n)->(m)",
    operands: [&[dim(0), dim(1)], &[dim(1)], &[dim(0)]],
    dims: 2,
};

static VECMAT: Signature = Signature {
    name: "vecmat",
    text: "(n),(n,m)->(m)",
    operands: [&[dim(0)], &[dim(0), dim(1)], &[dim(1)]],
    dims: 2,
};

/// The product of matrices; a vector on the left is a row, one on the right a column; `np.matmul`.
///
/// # Errors
/// `BadArgument` for too few axes or sizes that differ; `Broadcast`, `ShapeMismatch`,
/// `AxisOutOfRange`, `RepeatedAxis`, `CoreAxes` for the axes; `BadCall` for `axis` and `keepdims`, which it
/// can't have; `NoPromotion`, `CannotCast`, `Unsupported` for the dtypes; `OutOfMemory`.
pub fn matmul(ctx: &Context, a: &Array, b: &Array, options: &ProductOptions<'_>) -> Result<Array> {
    run(ctx, &MATMUL, [a, b], false, options)
}

/// The sum of products of two vectors, the first one conjugated; `np.vecdot`.
///
/// # Errors
/// As [`matmul`].
pub fn vecdot(ctx: &Context, a: &Array, b: &Array, options: &ProductOptions<'_>) -> Result<Array> {
    run(ctx, &VECDOT, [a, b], true, options)
}

/// A matrix times a vector; `np.matvec`.
///
/// # Errors
/// As [`matmul`].
pub fn matvec(ctx: &Context, a: &Array, b: &Array, options: &ProductOptions<'_>) -> Result<Array> {
    run(ctx, &MATVEC, [a, b], false, options)
}

/// A vector, conjugated, times a matrix; `np.vecmat`.
///
/// # Errors
/// As [`matmul`].
pub fn vecmat(ctx: &Context, a: &Array, b: &Array, options: &ProductOptions<'_>) -> Result<Array> {
    run(ctx, &VECMAT, [a, b], true, options)
}

fn run(
    ctx: &Context,
    signature: &Signature,
    inputs: [&Array; 2],
    conjugate: bool,
    options: &ProductOptions<'_>,
) -> Result<Array> {
    let descr = loop_descr(signature, inputs, options)?;
    let plan = signature.plan(inputs, options.out, &options.core)?;
    let native = [
        native(ctx, inputs[0], &descr)?,
        native(ctx, inputs[1], &descr)?,
    ];
    let result = product::product(ctx, signature, &plan, &native, conjugate, &descr)?;
    let Some(out) = options.out else {
        return Ok(result);
    };
    debug_assert!(!shares(&result, out));
    assign(ctx, out, &result, options.casting)?;
    Ok(out.clone())
}

/// The type that is computed in, if inputs and output may be converted.
fn loop_descr(
    signature: &Signature,
    inputs: [&Array; 2],
    options: &ProductOptions<'_>,
) -> Result<Descr> {
    let descr = match &options.dtype {
        Some(descr) => Descr::new(descr.dtype()),
        None => common_type(inputs[0].descr(), inputs[1].descr())?,
    };
    if matches!(descr.dtype(), DType::Void | DType::Object | DType::User(_)) {
        return Err(ArrayError::Unsupported {
            op: signature.name,
            dtype: descr.dtype(),
        });
    }
    for input in inputs {
        check_cast(input.descr(), &descr, options.casting)?;
    }
    if let Some(out) = options.out {
        check_cast(&descr, out.descr(), options.casting)?;
    }
    Ok(descr)
}
