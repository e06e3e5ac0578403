//! Runs typed programs: values of the script as they come, functions with given arguments.
//!
//! Chains are batched, never looped: inside a lambda, and in the functions that it calls, a tensor
//! carries the chain levels that it depends on as leading axes. Elementwise operations are
//! deferred and run in groups with the reduction that ends them. All input and output goes through
//! a [`Host`]; nothing reads a clock.

mod arguments;
mod assemble;
mod assign;
mod chain;
mod convert;
mod element;
mod error;
mod expr;
mod externs;
mod fits;
pub mod format;
mod graph;
mod group;
mod host;
mod index;
mod index_plan;
mod levels;
mod lifetimes;
mod losses;
mod machine;
mod matmul;
mod models;
mod op;
pub mod python;
mod random;
mod sample;
mod scalar;
mod special;
mod stmt;
mod summary;
mod trace;
mod value;

pub use error::RunError;
pub use graph::{MAX_LEAVES, MAX_OPS};
pub use host::{Host, Made, Picture, Shown, Step, StepKind};
pub use machine::engine_dtype;
pub use sample::{Fill, Sample, sample_arguments, sample_sizes};
pub use summary::{Summary, summary};
pub use trace::MOST_STEPS;
pub use value::Value;

use machine::Machine;
use strand_array::jit::Kernels;
use strand_ir::{FnId, Program};

/// How a program is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most bytes that the arrays of a run may hold together (R04).
    pub memory_limit: usize,
    /// Whether executed steps are given to [`Host::step`].
    pub trace: bool,
    /// Whether steps say the range of their values, which takes a look at each.
    pub inspect: bool,
    /// Loops that the host compiles while programs run.
    pub kernels: Option<Kernels>,
    /// Takes every element by its position, also where a view has them. For tests: nothing that a
    /// program can see depends on it.
    #[doc(hidden)]
    pub always_gather: bool,
    /// Masks a filter that a reduction ends, also where its elements could be taken. For tests,
    /// likewise.
    #[doc(hidden)]
    pub always_mask: bool,
}

impl Default for Options {
    /// 1 GiB, without steps.
    fn default() -> Self {
        Self {
            memory_limit: 1 << 30,
            trace: false,
            inspect: false,
            kernels: None,
            always_gather: false,
            always_mask: false,
        }
    }
}

/// What a finished run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The most bytes that its arrays held together.
    pub peak_bytes: usize,
    /// Recorded steps, where [`Options::trace`] is on; at most [`MOST_STEPS`].
    pub steps: usize,
}

/// Runs the statements at top level, in order. The program must have no errors; `source` is its
/// text.
///
/// # Errors
/// The error that stopped the run; what came before it was given to the host.
pub fn run_script(
    program: &Program,
    source: &str,
    options: &Options,
    host: &mut dyn Host,
) -> Result<Report, RunError> {
    let mut machine = Machine::new(program, source, options, host);
    machine.script().map_err(|error| *error)?;
    Ok(machine.report())
}

/// Calls a function with arguments for all its parameters, in order. Tensors must have the
/// parameters' dtypes; axis names are bound to their sizes.
///
/// # Errors
/// An argument that isn't what its type says (R01, R02), and what running may give.
pub fn call(
    program: &Program,
    source: &str,
    function: FnId,
    args: Vec<Value>,
    options: &Options,
    host: &mut dyn Host,
) -> Result<(Value, Report), RunError> {
    let mut machine = Machine::new(program, source, options, host);
    let value = machine.entry(function, args).map_err(|error| *error)?;
    Ok((value, machine.report()))
}
