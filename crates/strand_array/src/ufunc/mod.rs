//! Ufuncs: elementwise functions with NumPy's names, types and values.
//!
//! [`Ufunc::named`] finds one of the built-in ones; [`Ufunc::call`] applies it to operands that broadcast
//! together. What a call needs besides them (memory, error modes, the size of buffers) is a [`Numerics`].

#![allow(dead_code, reason = "methods come next")]

mod call;
mod found;
mod fresh;
mod host;
mod kernels;
mod operand;
mod resolve;
mod rules;
mod scalar;
mod state;
mod strip;
mod table;

pub use call::{CallOptions, CallReport, Called};
pub use fresh::MemoryOrder;
pub use host::HostLoop;
pub use operand::Operand;
pub use resolve::{Signature, parse_signature};
pub(crate) use scalar::on_scalars;
pub use state::{Event, Mode, Modes, Numerics, Scope};
pub use table::Identity;

use crate::error::Result;

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
        call::call(numerics, self.0, inputs, options)
    }
}

impl std::fmt::Debug for Ufunc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<ufunc '{}'>", self.0.name)
    }
}
