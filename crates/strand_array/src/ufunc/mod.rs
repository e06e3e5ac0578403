//! Ufuncs: elementwise functions with NumPy's names, types and values.
//!
//! [`Ufunc::named`] finds one of the built-in ones; [`Ufunc::call`] applies it to operands that broadcast
//! together. What a call needs besides them (memory, error modes, the size of buffers) is a [`Numerics`].

mod accumulate;
mod at;
mod call;
mod extension;
mod fold;
mod found;
mod fresh;
mod host;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "counters and positions within the operands, in the innermost loops"
)]
mod kernels;
mod machine;
mod method;
mod objects;
mod operand;
mod reduce;
mod resolve;
mod rules;
mod scalar;
mod state;
mod table;
mod weak;

pub use accumulate::AlongOptions;
pub use call::{CallOptions, CallReport, Called};
pub use extension::{Argument, Call, Extension, Output, defers};
pub use fresh::MemoryOrder;
pub use host::{HostFunction, HostUfunc};
pub use method::{MethodLoop, MethodReport, Reduced};
pub use operand::Operand;
pub use reduce::{Axes, Initial, ReduceOptions};
pub use resolve::{Signature, parse_signature};
pub(crate) use scalar::on_scalars;
pub use state::{Event, Mode, Modes, Numerics, Scope};
pub use table::Identity;

use crate::array::Array;
use crate::error::Result;
use crate::index::IndexItem;

/// An elementwise function.
#[derive(Clone, Copy)]
pub struct Ufunc(&'static table::Def);

impl Ufunc {
    /// The built-in ufunc of a NumPy name: `add`, `arctan2`, `abs`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        table::named(name).map(Self)
    }

    /// All built-in ufuncs.
    pub fn all() -> impl Iterator<Item = Self> {
        table::all().map(Self)
    }

    /// Functions beyond NumPy's ufuncs that are called in the same way: `clip`, `erf`, `gelu`.
    pub fn own() -> impl Iterator<Item = Self> {
        table::own().map(Self)
    }

    /// Its name; `ufunc.__name__`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The number of inputs; `ufunc.nin`.
    #[must_use]
    pub fn nin(self) -> usize {
        self.0.nin
    }

    /// The number of outputs; `ufunc.nout`.
    #[must_use]
    pub fn nout(self) -> usize {
        self.0.nout
    }

    /// What a reduction of no elements gives; `ufunc.identity`.
    #[must_use]
    pub fn identity(self) -> Identity {
        self.0.identity
    }

    /// The loops in the order in which they are tried; `ufunc.types`. `E` is bfloat16.
    pub fn types(self) -> impl Iterator<Item = &'static str> {
        self.0.loops().map(|run| run.signature)
    }

    /// Applies it to operands that broadcast together.
    ///
    /// # Errors
    /// `NoLoop`, `UfuncCast`, `OutOfType`, `Broadcast`, `OutputShape`, `ReadOnly`, `NegativePower`,
    /// `FloatingPoint` after the outputs are complete, `OutOfMemory`.
    pub fn call(
        self,
        numerics: &Numerics,
        inputs: &[Operand],
        options: &CallOptions,
    ) -> Result<Called> {
        if objects::takes(inputs, options) {
            return objects::call(numerics.context(), self.0.name, inputs, options);
        }
        call::call(numerics, self.0, inputs, options)
    }
}

impl Ufunc {
    /// Combines the elements along one axis or several; `ufunc.reduce`.
    ///
    /// # Errors
    /// `BadArgument` unless the ufunc takes two operands, for several axes if the order of operands
    /// matters, and for a mask without an initial value; `EmptyReduction`, `NoLoop`, `AxisOutOfRange`,
    /// `RepeatedAxis`, `OutputShape`, `ReadOnly`, `OutOfType`, `NegativePower`, `FloatingPoint`,
    /// `OutOfMemory`.
    pub fn reduce(
        self,
        numerics: &Numerics,
        array: &Array,
        options: &ReduceOptions,
    ) -> Result<Reduced> {
        reduce::reduce(numerics, self.0, array, options)
    }

    /// The results after each element along an axis; `ufunc.accumulate`.
    ///
    /// # Errors
    /// As [`Self::reduce`], and `BadArgument` for an array of rank 0.
    pub fn accumulate(
        self,
        numerics: &Numerics,
        array: &Array,
        options: &AlongOptions,
    ) -> Result<Reduced> {
        accumulate::accumulate(numerics, self.0, array, options)
    }

    /// The results of the spans of an axis that begin at the indices, each up to the next one;
    /// `ufunc.reduceat`. An index that isn't below the next gives the element there.
    ///
    /// # Errors
    /// As [`Self::accumulate`], and `IndexOutOfRange`.
    pub fn reduceat(
        self,
        numerics: &Numerics,
        array: &Array,
        indices: &[i64],
        options: &AlongOptions,
    ) -> Result<Reduced> {
        accumulate::reduceat(numerics, self.0, array, indices, options)
    }

    /// Applies it to each element that `items` choose, in turn, and stores the result there: an
    /// element chosen twice is changed twice; `ufunc.at`. A ufunc of two operands takes the second from
    /// `value`, which broadcasts.
    ///
    /// # Errors
    /// `BadArgument` for a ufunc of another form; `ReadOnly`, `NoLoop`, the errors of indexing,
    /// `Broadcast`, `NegativePower`, `FloatingPoint`.
    pub fn at(
        self,
        numerics: &Numerics,
        target: &Array,
        items: &[IndexItem],
        value: Option<&Operand>,
    ) -> Result<()> {
        at::at(numerics, self.0, target, items, value)
    }

    /// Applies it to every pair of elements of two operands; `ufunc.outer`.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn outer(
        self,
        numerics: &Numerics,
        first: &Operand,
        second: &Operand,
        options: &CallOptions,
    ) -> Result<Called> {
        at::outer(numerics, self.0, first, second, options)
    }
}

impl std::fmt::Debug for Ufunc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<ufunc '{}'>", self.0.name)
    }
}
