//! What the methods of ufuncs share: the loop that they run, their outputs and reports.

use super::call::watch;
use super::fold::Folder;
use super::found::NEGATIVE_POWER;
use super::operand::{Given, Operand};
use super::resolve::{Chosen, Request, exact_loop, resolve};
use super::state::{Modes, Numerics};
use super::table::{Def, Identity, Resolver};
use crate::array::Array;
use crate::assign::copy_into;
use crate::cast::{Casting, can_cast};
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::memory;

/// How a method ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodLoop {
    /// There was nothing to combine: no elements, or only initial values.
    None,
    /// One element each.
    One,
    /// Strips where they lie.
    Strided,
    /// Strips through a buffer, cast or byte-swapped.
    Buffered,
}

/// How a method ran, as plain data.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodReport {
    /// The type that was computed in.
    pub dtype: DType,
    /// The style of the loop.
    pub style: MethodLoop,
    /// Calls of the one-dimensional loop.
    pub inner_calls: usize,
}

impl MethodReport {
    /// What a folder did in so many calls.
    pub(super) fn of(folder: &Folder, dtype: DType, inner_calls: usize, empty: bool) -> Self {
        let style = match inner_calls {
            _ if empty && inner_calls == 0 => MethodLoop::None,
            0 => MethodLoop::One,
            _ if folder.is_buffered() => MethodLoop::Buffered,
            _ => MethodLoop::Strided,
        };
        Self {
            dtype,
            style,
            inner_calls,
        }
    }
}

/// The result of a method.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The array that was given, or a fresh one.
    pub output: Array,
    /// Whether it stands for a scalar: of rank 0, and no array was given.
    pub scalar: bool,
    /// How it ran.
    pub report: MethodReport,
}

pub(super) fn no_method(def: &Def, what: &str) -> ArrayError {
    ArrayError::BadArgument {
        op: def.name,
        why: what.into(),
    }
}

/// Checks that the ufunc takes two operands and gives one.
pub(super) fn check_binary(def: &Def, method: &'static str) -> Result<()> {
    if (def.nin, def.nout) == (2, 1) {
        return Ok(());
    }
    let why = format!("{} doesn't take two operands and give one", def.name);
    Err(ArrayError::BadArgument { op: method, why })
}

/// The loop `tt->t` of a method: of the type asked for, or of the types of array and output; sums and
/// products of small integers and bools are made in 64 bits.
pub(super) fn loop_of(
    def: &Def,
    array: DType,
    out: Option<DType>,
    dtype: Option<DType>,
) -> Result<Chosen> {
    let none = || ArrayError::NoLoop {
        ufunc: def.name.into(),
        types: format!("a reduction of {}", dtype.unwrap_or(array).name()),
    };
    if let Some(dtype) = dtype {
        return exact_loop(def, &[dtype; 3]).ok_or_else(none);
    }
    if def.resolver == Resolver::Logical {
        return exact_loop(def, &[DType::Bool; 3]).ok_or_else(none);
    }
    let widens = out.is_none() && matches!(def.name, "add" | "multiply");
    let array = match array {
        small if !widens => small,
        DType::Bool | DType::I8 | DType::I16 | DType::I32 => DType::I64,
        DType::U8 | DType::U16 | DType::U32 => DType::U64,
        other => other,
    };
    let inputs = [out.unwrap_or(array), array].map(Given::Typed);
    let request = Request {
        inputs: &inputs,
        outputs: &[],
        signature: None,
        casting: Casting::Unsafe,
    };
    let chosen = resolve(def, &request)?;
    let [first, second, result] = chosen.types.as_slice() else {
        return Err(none());
    };
    if first == result && second == result {
        return Ok(chosen);
    }
    // What is computed goes into the next step: another loop, if the elements cast to its type.
    let result = *result;
    match exact_loop(def, &[result; 3]) {
        Some(chosen) if can_cast(&array.into(), &result.into(), Casting::Safe) => Ok(chosen),
        _ => Err(none()),
    }
}

/// The type that accumulators have: sums of bfloat16 are made in f32.
pub(super) fn accumulating(def: &Def, chosen: Chosen) -> Chosen {
    if def.name == "add" && chosen.types.first() == Some(&DType::BF16) {
        return exact_loop(def, &[DType::F32; 3]).unwrap_or(chosen);
    }
    chosen
}

/// Where a method writes: the given array, or one of the loop's type that is written back.
pub(super) struct Target {
    pub(super) array: Array,
    given: Option<Array>,
    result: Descr,
}

impl Target {
    /// A target of `shape` whose elements are of the loop's type `dtype`; the result is of type `result`.
    pub(super) fn new(
        numerics: &Numerics,
        shape: &[usize],
        (dtype, result): (DType, DType),
        out: Option<&Array>,
        inputs: &[&Array],
    ) -> Result<Self> {
        if let Some(out) = out {
            if out.shape() != shape {
                return Err(ArrayError::OutputShape {
                    found: out.shape().to_vec(),
                    shape: shape.to_vec(),
                });
            }
            if !out.flags().writeable {
                return Err(ArrayError::ReadOnly);
            }
        }
        let descr = Descr::new(dtype);
        let direct = out.filter(|out| {
            let apart = inputs.iter().all(|input| !memory::shares(input, out));
            *out.descr() == descr && apart && !memory::overlaps_itself(out)
        });
        let array = match direct {
            Some(out) => out.clone(),
            None => {
                let axes: Vec<usize> = (0..shape.len()).collect();
                super::fresh::zeroed(numerics.context(), shape, &axes, &descr)?
            }
        };
        Ok(Self {
            array,
            given: out.cloned(),
            result: Descr::new(result),
        })
    }

    /// Writes back, handles what was found, and gives the result.
    ///
    /// # Errors
    /// `NegativePower`, before anything is written back; `FloatingPoint` after it; `OutOfMemory`.
    pub(super) fn finish(
        self,
        numerics: &Numerics,
        def: &Def,
        modes: Modes,
        found: u8,
        report: MethodReport,
    ) -> Result<Reduced> {
        if found & NEGATIVE_POWER != 0 {
            return Err(ArrayError::NegativePower);
        }
        let (output, scalar, written) = self.written(numerics)?;
        numerics.handle(modes, Found::from_bits(found) | written, def.name)?;
        Ok(Reduced {
            output,
            scalar,
            report,
        })
    }

    fn written(self, numerics: &Numerics) -> Result<(Array, bool, Found)> {
        match self.given {
            Some(given) if given.shares_block(&self.array) => Ok((given, false, Found::NONE)),
            Some(given) => {
                let found = copy_into(&self.array, &given)?;
                Ok((given, false, found))
            }
            None => {
                let scalar = self.array.rank() == 0;
                if *self.array.descr() == self.result {
                    return Ok((self.array, scalar, Found::NONE));
                }
                let (array, found) =
                    super::fresh::copy(numerics.context(), &self.array, &self.result)?;
                Ok((array, scalar, found))
            }
        }
    }
}

/// The folder of a method's loop over elements of `array`.
pub(super) fn folder(
    numerics: &Numerics,
    modes: Modes,
    def: &Def,
    chosen: Chosen,
    array: &Array,
) -> Result<Folder> {
    Folder::new(def, chosen, array.descr(), watch(modes), numerics.bufsize())
}

/// The value that a reduction of no elements has.
pub(super) fn identity_of(def: &Def, dtype: DType) -> Option<Operand> {
    match def.identity {
        Identity::None | Identity::Reorderable => None,
        // All ones.
        Identity::Int(-1) if dtype.is_unsigned() => Some(Operand::Int(dtype.whole_range().1)),
        Identity::Int(value) => Some(Operand::Int(value.into())),
        Identity::NegInfinity => Some(Operand::Float(f64::NEG_INFINITY)),
        Identity::Bool(value) => Some(Operand::Bool(value)),
    }
}
