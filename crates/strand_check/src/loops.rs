//! Loops that could be iterator chains (H2401).

use crate::context::Checker;

/// Reports H2401 with its proven fix.
pub(crate) fn hints(_checker: &mut Checker<'_>) {}
