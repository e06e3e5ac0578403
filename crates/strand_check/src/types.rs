//! Written types and sizes.

use strand_ir::{Axis, Domain, Size, Type};
use strand_syntax::ast;

use crate::context::Checker;

/// What an axis name that is not in scope means where a type is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypePlace {
    /// A parameter's type: binds it.
    Signature,
    /// A result's type or an annotation: E0401; `_` is an unknown size.
    Result,
    /// A constructor, `to`, an index's axis: E0401.
    Use,
    /// `as` and `load`: binds it for the rest of the body to the size that is found.
    As,
}

impl Checker<'_> {
    /// A written type. Errors are reported and give `Type::Error`.
    pub(crate) fn tensor_type(&mut self, _ty: &ast::TypeExpr, _place: TypePlace) -> Type {
        Type::Error
    }

    /// A written domain. `Index[n]`'s axis is read as `place` says.
    pub(crate) fn domain(
        &mut self,
        _domain: &ast::DomainExpr,
        _place: TypePlace,
    ) -> Option<Domain> {
        None
    }

    /// A written size whose names are all in scope; errors are reported.
    pub(crate) fn size(&mut self, _size: &ast::SizeExpr) -> Option<Size> {
        None
    }

    /// A written axis whose names are all in scope; errors are reported.
    pub(crate) fn axis(&mut self, size: &ast::SizeExpr) -> Option<Axis> {
        self.axis_in(size, TypePlace::Use)
    }

    /// A written axis; names that are not in scope are treated as `place` says.
    pub(crate) fn axis_in(&mut self, _size: &ast::SizeExpr, _place: TypePlace) -> Option<Axis> {
        None
    }
}
