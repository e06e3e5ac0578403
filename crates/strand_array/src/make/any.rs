//! Arrays from anything that has elements: `PyArray_FromAny`.

use super::discover::{Discovered, check_exact};
use super::requirements::Requirements;
use super::writeback::WriteBack;
use crate::array::Array;
use crate::assign::assign;
use crate::cast::{Casting, check_cast};
use crate::context::Context;
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::layout::{MAX_RANK, like_strides};
use crate::value::Value;

/// Whether copies are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Copies {
    /// Only where one is needed; `copy=None`.
    #[default]
    IfNeeded,
    /// Always; `copy=True`.
    Always,
    /// Never: where one is needed, there is an error; `copy=False`.
    Never,
}

/// How [`from_any`] makes an array.
#[derive(Clone, Debug, Default)]
pub struct AnyOptions<'a> {
    /// The type of the elements; by default the one that they have in common.
    pub descr: Option<&'a Descr>,
    /// The fewest axes.
    pub min_rank: usize,
    /// The most axes, if there is a limit.
    pub max_rank: Option<usize>,
    /// What the array must be like.
    pub requirements: Requirements,
    /// Whether copies are made.
    pub copies: Copies,
}

/// An array of nested sequences, of an array, of a scalar, or of a value that offers the array
/// interface. The result shares memory with the value unless a requirement hinders it. An
/// extension's value gives its plain array.
///
/// # Errors
/// `CannotCast` or `BadValue` for what would lose something, unless `FORCECAST` is asked for;
/// `BadValue` with class `ValueError` for members that differ in size, too few or too many axes, or
/// a copy under [`Copies::Never`]; `BadArgument` for `WRITEBACKIFCOPY`, which [`inout`] gives.
pub fn from_any(ctx: &Context, value: &Value, options: &AnyOptions<'_>) -> Result<Array> {
    if options.requirements.has(Requirements::WRITEBACKIFCOPY) {
        return Err(ArrayError::BadArgument {
            op: "from_any",
            why: "WRITEBACKIFCOPY needs a guard: inout gives one".into(),
        });
    }
    let array = match shared(ctx, value)? {
        Some(array) => meet(ctx, &array, options)?,
        None => fresh(ctx, value, options)?,
    };
    check_rank(&array, options)?;
    Ok(array)
}

/// As [`from_any`], but an extension's value whose array meets the requirements is given as it is, unless
/// `ENSUREARRAY` asks for a plain array; `np.asanyarray`.
///
/// # Errors
/// As for [`from_any`].
pub fn from_any_subtype(ctx: &Context, value: &Value, options: &AnyOptions<'_>) -> Result<Value> {
    let array = from_any(ctx, value, options)?;
    let own = match value {
        Value::Host(host) => host.array().filter(|offer| offer.is_subtype()),
        _ => None,
    };
    let shares = own.and_then(|offer| offer.share());
    let shares = shares.is_some_and(|own| own.shares_block(&array));
    let plain = options.requirements.has(Requirements::ENSUREARRAY);
    Ok(if shares && !plain {
        value.clone()
    } else {
        Value::Array(array)
    })
}

/// An array that is read and written: the value's own if it meets the requirements, else a copy that
/// [`WriteBack::resolve`] writes back.
///
/// # Errors
/// As for [`from_any`]; `BadValue` if the value isn't an array, `ReadOnly` if it can't be written.
pub fn inout(ctx: &Context, value: &Value, options: &AnyOptions<'_>) -> Result<WriteBack> {
    let base = shared(ctx, value)?.ok_or_else(|| ArrayError::BadValue {
        class: "TypeError",
        why: format!(
            "an array is wanted to write back to, not {}",
            value.type_name()
        ),
    })?;
    if !base.flags().writeable {
        return Err(ArrayError::ReadOnly);
    }
    check_rank(&base, options)?;
    let options = AnyOptions {
        requirements: options.requirements | Requirements::WRITEABLE,
        min_rank: 0,
        ..options.clone()
    };
    let array = meet(ctx, &base, &options)?;
    let copied = !array.shares_block(&base);
    Ok(WriteBack::new(ctx, array, copied.then_some(base)))
}

/// The array that a value is or offers without copying its elements.
fn shared(ctx: &Context, value: &Value) -> Result<Option<Array>> {
    match value {
        Value::Array(array) => Ok(Some(array.clone())),
        Value::Host(host) => match host.array() {
            Some(offer) => match offer.share() {
                Some(array) => Ok(Some(array)),
                None => offer.to_array(ctx).map(Some),
            },
            None => Ok(None),
        },
        _ => Ok(None),
    }
}

fn bad(why: String) -> ArrayError {
    ArrayError::BadValue {
        class: "ValueError",
        why,
    }
}

fn check_rank(array: &Array, options: &AnyOptions<'_>) -> Result<()> {
    let rank = array.rank();
    match options.max_rank {
        Some(most) if rank > most => {
            Err(bad(format!("{rank} axes, but at most {most} are wanted")))
        }
        _ if rank < options.min_rank => Err(bad(format!(
            "{rank} axes, but at least {} are wanted",
            options.min_rank
        ))),
        _ => Ok(()),
    }
}

/// The array itself if it meets the requirements, else a copy that does.
fn meet(ctx: &Context, array: &Array, options: &AnyOptions<'_>) -> Result<Array> {
    let wants = |one: Requirements| options.requirements.has(one);
    let mut descr = options.descr.unwrap_or(array.descr()).clone();
    if wants(Requirements::NOTSWAPPED) {
        descr = descr.native();
    }
    let casting = if wants(Requirements::FORCECAST) {
        Casting::Unsafe
    } else {
        Casting::Safe
    };
    check_cast(array.descr(), &descr, casting)?;
    let flags = array.flags();
    let copy = options.copies == Copies::Always
        || wants(Requirements::ENSURECOPY)
        || descr != *array.descr()
        || wants(Requirements::C_CONTIGUOUS) && !flags.c_contiguous
        || wants(Requirements::F_CONTIGUOUS) && !flags.f_contiguous
        || wants(Requirements::ALIGNED) && !flags.aligned
        || wants(Requirements::WRITEABLE) && !flags.writeable;
    if !copy {
        return Ok(array.clone());
    }
    if options.copies == Copies::Never {
        return Err(bad("a copy is needed, but none may be made".into()));
    }
    // A copy that is made for its flags alone is in C order, as np.require has it.
    let for_flags = descr == *array.descr()
        && !wants(Requirements::ENSURECOPY)
        && options.copies != Copies::Always;
    let only_fortran = flags.f_contiguous && !flags.c_contiguous;
    let fortran = for_flags && only_fortran && !wants(Requirements::C_CONTIGUOUS);
    let out = if wants(Requirements::F_CONTIGUOUS) || fortran {
        Array::fresh_fortran(ctx, array.shape(), &descr)?
    } else if wants(Requirements::C_CONTIGUOUS) || for_flags {
        Array::fresh(ctx, array.shape(), &descr)?
    } else {
        let (shape, strides) = (array.shape(), array.strides());
        let strides = like_strides(shape, strides, array.item_size(), descr.size())?;
        Array::with_strides(ctx, array.shape(), &strides, &descr)?
    };
    assign(ctx, &out, array, Casting::Unsafe)?;
    Ok(out)
}

/// A new array of a scalar or of nested sequences.
fn fresh(ctx: &Context, value: &Value, options: &AnyOptions<'_>) -> Result<Array> {
    if options.copies == Copies::Never {
        return Err(bad("a copy is needed, but none may be made".into()));
    }
    let value = &plain(value);
    let found = Discovered::of(value, options.descr);
    let object = options
        .descr
        .is_some_and(|descr| descr.dtype() == DType::Object);
    if found.ragged && !object {
        let rank = found.shape.len();
        let what = if rank >= MAX_RANK {
            format!("sequences nest more than {MAX_RANK} deep")
        } else {
            format!("members differ in size or depth below {:?}", found.shape)
        };
        return Err(bad(what));
    }
    let descr = match options.descr {
        Some(descr) => descr.clone(),
        None => found.descr?.unwrap_or(Descr::new(DType::F64)),
    };
    let descr = if options.requirements.has(Requirements::NOTSWAPPED) {
        descr.native()
    } else {
        descr
    };
    let out = if options.requirements.has(Requirements::F_CONTIGUOUS) {
        Array::fresh_fortran(ctx, &found.shape, &descr)?
    } else {
        Array::fresh(ctx, &found.shape, &descr)?
    };
    let exact = !options.requirements.has(Requirements::FORCECAST);
    fill(ctx, &out, value, exact)?;
    Ok(out)
}

/// What a host value stands for, if it is a number or a sequence.
fn plain(value: &Value) -> Value {
    match value {
        Value::Host(host) => host.plain().unwrap_or_else(|| value.clone()),
        other => other.clone(),
    }
}

/// Writes the members of nested sequences into an array of their shape.
fn fill(ctx: &Context, out: &Array, value: &Value, exact: bool) -> Result<()> {
    if out.rank() == 0 {
        if exact && out.dtype() != DType::Object {
            check_exact(value, out.descr())?;
        }
        return out.assign_value(value).map(drop);
    }
    if let Value::Array(array) = value {
        if exact {
            check_exact(value, out.descr())?;
        }
        if array.shape() != out.shape() {
            return Err(bad(format!(
                "an array of shape {:?} can't fill {:?}",
                array.shape(),
                out.shape()
            )));
        }
        return assign(ctx, out, array, Casting::Unsafe).map(drop);
    }
    for (i, member) in value.members().unwrap_or_default().iter().enumerate() {
        fill(ctx, &out.select(0, i as i64)?, member, exact)?;
    }
    Ok(())
}
