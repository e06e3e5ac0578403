//! How each map and filter is written and run: plain, vmap or masked.

use strand_ir::Program;

/// Decides every pending lowering.
pub(crate) fn decide(_program: &mut Program) {}
