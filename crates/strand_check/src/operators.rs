//! Operators: broadcasting, dtypes, `@`, `and or not`.

use strand_ir::{Axis, Expr};
use strand_ops::DType;

use crate::context::Checker;

impl Checker<'_> {
    /// A host number or bool as a `[]` tensor of `dtype`; E0601 where it doesn't fit. Tensors and
    /// wrong expressions stay as they are.
    pub(crate) fn lift(&mut self, value: Expr, _dtype: DType) -> Expr {
        value
    }

    /// The axis that both are, with the name that one of them has; `None` where they differ
    /// (decision 14).
    pub(crate) fn joined_axis(&self, left: &Axis, right: &Axis) -> Option<Axis> {
        if !left.agrees(right, &self.program.symbols) {
            return None;
        }
        Some(if left.name.is_some() {
            left.clone()
        } else {
            right.clone()
        })
    }
}
