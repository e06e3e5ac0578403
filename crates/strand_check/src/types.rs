//! Written types and sizes.

use strand_ir::{Axis, Domain, Host, Size, SizeError, SymbolInfo, SymbolKind, TensorType, Type};
use strand_ops::DType;
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast::{self, BinaryOp, SizeExprKind, TypeExprKind};
use strand_syntax::dtype_alias;

use crate::context::Checker;
use crate::sentences::MADE_OF;
use crate::suggest;

/// What PyTorch does with a size that is only known while running.
pub(crate) const NOT_KNOWN: &str = "PyTorch takes any size here, and learns it while it runs.";

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

impl TypePlace {
    fn binds(self) -> bool {
        matches!(self, Self::Signature | Self::As)
    }
}

impl Checker<'_> {
    /// A written type. Errors are reported and give `Type::Error`.
    pub(crate) fn tensor_type(&mut self, ty: &ast::TypeExpr, place: TypePlace) -> Type {
        match &ty.kind {
            TypeExprKind::Tensor {
                shape,
                dtype,
                domain,
            } => self
                .written_tensor(ty, shape.as_ref(), dtype.as_ref(), domain.as_ref(), place)
                .map_or(Type::Error, Type::Tensor),
            TypeExprKind::Named { name, sizes } => self.named_type(name, sizes, place),
            TypeExprKind::Tuple(parts) if place == TypePlace::Result => {
                let parts: Vec<Type> = parts.iter().map(|p| self.tensor_type(p, place)).collect();
                if parts.iter().any(Type::is_error) {
                    return Type::Error;
                }
                Type::Tuple(parts)
            }
            TypeExprKind::Tuple(_) => {
                let message = "only results are tuples; write a parameter for each part";
                self.error(Code::E0704, ty.span, message);
                Type::Error
            }
            TypeExprKind::Sequence { count, element } => {
                self.sequence_type(count, element).unwrap_or(Type::Error)
            }
            TypeExprKind::Error => Type::Error,
        }
    }

    fn named_type(&mut self, name: &ast::Ident, sizes: &[ast::SizeExpr], place: TypePlace) -> Type {
        let host = match &*name.name {
            "int" => Some(Type::Host(Host::Int)),
            "float" => Some(Type::Host(Host::Float)),
            "bool" => Some(Type::Host(Host::Bool)),
            "str" => Some(Type::Host(Host::Str)),
            "py" => Some(Type::Py),
            _ => None,
        };
        if let Some(host) = host {
            if let Some(size) = sizes.first() {
                let message = format!("`{}` takes no sizes", name.name);
                self.error(Code::E0704, size.span, message);
                return Type::Error;
            }
            return host;
        }
        if let Some(model) = self.globals.models.get(&name.name) {
            let model = *model;
            let sized = self.sized_model(model, name, sizes, place);
            return sized.map_or(Type::Error, Type::Model);
        }
        // What stands in the brackets was said to be no shape.
        let is_said = |size: &ast::SizeExpr| matches!(size.kind, SizeExprKind::Error);
        if !sizes.iter().any(is_said) {
            self.unknown_type(name);
        }
        Type::Error
    }

    pub(crate) fn unknown_type(&mut self, name: &ast::Ident) {
        let mut finding = Diagnostic::new(
            Code::E0301,
            name.span,
            format!("there's no type named `{}`", name.name),
        );
        if let Some(dtype) = dtype_alias(&name.name) {
            // After a shape it is the dtype; alone it is that of a tensor without axes.
            let before = self.text.get(..name.span.start as usize).unwrap_or("");
            let written = match before.trim_end().ends_with([']', 'o']) {
                true => dtype.to_owned(),
                false => format!("[] {dtype}"),
            };
            finding = finding.write(name.span, written);
        } else if matches!(
            &*name.name,
            "Tensor" | "tensor" | "ndarray" | "array" | "FloatTensor" | "LongTensor"
        ) {
            finding.message = "a tensor's type is its shape, as in `[n D]`".to_owned();
        } else if &*name.name == "None" {
            finding.message = "a function without a result has no `->`".to_owned();
            let before = self.text.get(..name.span.start as usize).unwrap_or("");
            if let Some(head) = before.trim_end().strip_suffix("->") {
                let from = Span::new(head.trim_end().len() as u32, name.span.end);
                finding = finding.fix("leave it out", from, "");
            }
        } else {
            let hosts = ["int", "float", "bool", "str", "py"];
            let models = self.globals.models.keys().map(|name| &**name);
            let dtypes = DType::ALL.iter().map(|dtype| dtype.as_str());
            let known = hosts.into_iter().chain(dtypes).chain(models);
            if let Some(near) = suggest::nearest(&name.name, known) {
                finding = finding.write(name.span, near);
            } else {
                let shape = format!("[{}]", name.name);
                finding = finding
                    .note("A tensor's type is its shape: `[n D]`, `[n D] i64`.")
                    .write(name.span, shape);
            }
        }
        self.report(finding);
    }

    fn written_tensor(
        &mut self,
        ty: &ast::TypeExpr,
        shape: Option<&ast::Shape>,
        dtype: Option<&ast::Ident>,
        domain: Option<&ast::DomainExpr>,
        place: TypePlace,
    ) -> Option<TensorType> {
        let Some(shape) = shape else {
            let text = ty.span.text(self.text);
            let finding = Diagnostic::new(
                Code::E0101,
                ty.span,
                format!("`{text}` has no shape; a tensor without axes is `[] {text}`"),
            )
            .fix(format!("[] {text}"), Span::empty(ty.span.start), "[] ");
            self.report(finding);
            return None;
        };
        let mut axes = Some(Vec::with_capacity(shape.axes.len()));
        for size in &shape.axes {
            let axis = self.axis_in(size, place);
            match (axis, &mut axes) {
                (Some(axis), Some(axes)) => axes.push(axis),
                _ => axes = None,
            }
        }
        let written = match dtype {
            Some(name) => Some(self.dtype(name)?),
            None => None,
        };
        let domain = match domain {
            Some(domain) => self.domain(domain, place)?,
            None => Domain::Plain,
        };
        let dtype = self.dtype_with_domain(written, &domain, ty.span)?;
        Some(TensorType {
            axes: axes?,
            dtype,
            domain,
        })
    }

    /// The dtype of a type: f32 (i64 with Index) where none is written; one that the domain can't
    /// have is E0603.
    pub(crate) fn dtype_with_domain(
        &mut self,
        written: Option<DType>,
        domain: &Domain,
        span: Span,
    ) -> Option<DType> {
        match (domain, written) {
            (Domain::Plain, dtype) => Some(dtype.unwrap_or(DType::F32)),
            (Domain::Index(_), None | Some(DType::I64)) => Some(DType::I64),
            (Domain::Index(_), Some(other)) => {
                self.error(Code::E0603, span, format!("an Index is i64, not {other}"));
                None
            }
            (_, None) => Some(DType::F32),
            (_, Some(dtype)) if dtype.is_float() => Some(dtype),
            (domain, Some(dtype)) => {
                let domain = domain.display(&self.program.symbols);
                self.error(
                    Code::E0603,
                    span,
                    format!("{domain} is of floats, not {dtype}"),
                );
                None
            }
        }
    }

    /// A written dtype; an unknown one is E0301.
    pub(crate) fn dtype(&mut self, name: &ast::Ident) -> Option<DType> {
        let dtype = DType::parse(&name.name);
        if dtype.is_none() {
            self.unknown_type(name);
        }
        dtype
    }

    /// A written domain. `Index[n]`'s axis is read as `place` says.
    pub(crate) fn domain(&mut self, domain: &ast::DomainExpr, place: TypePlace) -> Option<Domain> {
        match (&*domain.name.name, &domain.index) {
            ("Index", Some(size)) => self.axis_in(size, place).map(Domain::Index),
            ("Index", None) => {
                let message = "`Index` needs the axis that it indexes: `Index[n]`";
                self.error(Code::E0703, domain.span, message);
                None
            }
            (_, Some(size)) => {
                let message = format!("`{}` takes no axis", domain.name.name);
                self.error(Code::E0704, size.span, message);
                None
            }
            ("Prob", None) => Some(Domain::Prob),
            ("Positive", None) => Some(Domain::Positive),
            ("NonNegative", None) => Some(Domain::NonNegative),
            ("Finite", None) => Some(Domain::Finite),
            _ => {
                let known = ["Index", "Prob", "Positive", "NonNegative", "Finite"];
                let mut finding = Diagnostic::new(
                    Code::E0301,
                    domain.name.span,
                    format!("there's no domain named `{}`", domain.name.name),
                );
                if let Some(near) = suggest::nearest(&domain.name.name, known.into_iter()) {
                    finding = finding.write(domain.name.span, near);
                }
                self.report(finding);
                None
            }
        }
    }

    /// A written size whose names are all in scope; errors are reported.
    pub(crate) fn size(&mut self, size: &ast::SizeExpr) -> Option<Size> {
        match &size.kind {
            SizeExprKind::Name(name) => match self.symbol(name) {
                Some(symbol) => Some(Size::symbol(symbol)),
                None => {
                    self.unbound_axis(name, size.span);
                    None
                }
            },
            SizeExprKind::Number(value) => Some(Size::constant(*value)),
            SizeExprKind::Unknown => {
                let message = "`_` is an axis of unknown size, in result types only";
                self.error(Code::E0401, size.span, message);
                None
            }
            SizeExprKind::Binary { op, left, right } => {
                let left_size = self.size(left);
                let right_size = self.size(right);
                self.size_of(*op, (left_size?, right_size?), size.span)
            }
            SizeExprKind::Error => None,
        }
    }

    fn size_of(&mut self, op: BinaryOp, (left, right): (Size, Size), span: Span) -> Option<Size> {
        let result = match op {
            BinaryOp::Add => left.add(&right),
            BinaryOp::Sub => left.sub(&right),
            BinaryOp::Mul => left.mul(&right),
            BinaryOp::FloorDiv => return self.quotient(&left, &right, span),
            _ => {
                let message = "a size is made of `+`, `-`, `*` and `//`";
                self.error(Code::E0201, span, message);
                return None;
            }
        };
        if result == Err(SizeError) {
            self.too_large(span);
        }
        result.ok()
    }

    /// `P // Q`: exact where P holds Q as a factor, or is a dim that is declared so.
    fn quotient(&mut self, left: &Size, right: &Size, span: Span) -> Option<Size> {
        let exact = self.program.exact_quotient(left, right);
        if exact.is_none() {
            let symbols = &self.program.symbols;
            let (left, right) = (left.display(symbols), right.display(symbols));
            let finding = Diagnostic::new(
                Code::E0201,
                span,
                format!("`{left} // {right}` isn't known to be a whole number"),
            )
            .note(format!(
                "Declare {left} as a product of {right}, as in `dim {left} = {right} * 4`."
            ));
            self.report(finding);
        }
        exact
    }

    /// A written axis; names that are not in scope are treated as `place` says.
    pub(crate) fn axis_in(&mut self, size: &ast::SizeExpr, place: TypePlace) -> Option<Axis> {
        match &size.kind {
            SizeExprKind::Name(name) => {
                let symbol = match self.symbol(name) {
                    Some(symbol) => symbol,
                    None if place.binds() => self.bind_axis_name(name, size.span)?,
                    None => {
                        self.unbound_axis(name, size.span);
                        return None;
                    }
                };
                Some(Axis::named(symbol).at(size.span))
            }
            SizeExprKind::Unknown if place == TypePlace::Result => {
                let size_found = self.birth(size.span, crate::clash::LEFT_OPEN);
                Some(Axis::unnamed(size_found).at(size.span))
            }
            _ => {
                let value = self.size(size)?;
                self.remember_factors(size);
                if value.ground(&self.program.symbols).as_constant() < Some(1)
                    && value.ground(&self.program.symbols).as_constant().is_some()
                {
                    let text = size.span.text(self.text);
                    let message = format!("an axis has a positive whole size, not `{text}`");
                    self.error(Code::E0201, size.span, message);
                    return None;
                }
                Some(Axis::unnamed(value).at(size.span))
            }
        }
    }

    /// Brings an axis name into scope.
    pub(crate) fn bind_axis_name(
        &mut self,
        name: &ast::Name,
        span: Span,
    ) -> Option<strand_ir::SymbolId> {
        if let Some(variable) = self.variable(name) {
            let bound_at = variable.bound_at.first().copied();
            let mut finding = Diagnostic::new(
                Code::E0303,
                span,
                format!("`{name}` is a variable here, so it can't name an axis too"),
            );
            if let Some(bound_at) = bound_at {
                finding = finding.label(bound_at, format!("the variable {name}"));
            }
            self.report(finding);
            return None;
        }
        let symbol = self.program.symbols.add(SymbolInfo {
            name: name.clone(),
            kind: SymbolKind::Axis,
            span,
            story: None,
        });
        self.body.axis_names.insert(name.clone(), symbol);
        Some(symbol)
    }

    /// Whether a function, or outside functions a line, has said of a name that it is no size.
    fn is_known_unbound(&self, name: &ast::Name, span: Span) -> bool {
        let line = self.lines.line_start(self.lines.line(span.start));
        let around = match self.body.function {
            Some(id) => self.program.function(id).span,
            None => Span::new(line.unwrap_or(0), span.end),
        };
        self.diagnostics.iter().any(|found| {
            matches!(found.code, Code::E0401 | Code::E0513)
                && around.contains(found.span)
                && found.span.text(self.text) == &**name
        })
    }

    /// The findings in the parameters of the function whose signature or body is read.
    fn parameter_findings(&self) -> impl Iterator<Item = Code> {
        let function = self.body.function;
        let params = function.map_or(Span::default(), |id| {
            let decl = self.functions[id.0 as usize].decl;
            let end = match &decl.result {
                Some(result) => result.span.start,
                None => decl.signature.end,
            };
            Span::new(decl.name.span.end, end)
        });
        let known = function.map_or(0..0, |id| self.functions[id.0 as usize].found.clone());
        let known = known.start..known.end.min(self.diagnostics.len());
        let found = self.diagnostics.get(known).unwrap_or_default().iter();
        let found = found.filter(move |found| found.is_error() && params.contains(found.span));
        let parsed = self.parsed_in(params).filter(move |_| function.is_some());
        found.map(|found| found.code).chain(parsed)
    }

    /// Whether a wrong parameter may be what would bind an axis name.
    fn has_wrong_parameter(&self) -> bool {
        self.parameter_findings().next().is_some()
    }

    /// Whether parameters couldn't be read, so that their names aren't known.
    pub(crate) fn header_is_unread(&self) -> bool {
        self.parameter_findings()
            .any(|code| code.as_str().starts_with("E01"))
    }

    /// E0401, or E0513 where a host number stands for a size; once for each name.
    fn unbound_axis(&mut self, name: &ast::Name, span: Span) {
        if self.is_known_unbound(name, span) || self.has_wrong_parameter() {
            return;
        }
        let variable = self.variable(name).map(|variable| &variable.ty);
        if let Some(ty) = variable.or_else(|| self.body.host_params.get(name)) {
            let ty = self.show(ty);
            let message = format!("`{name}` is a value ({ty}), not a size known before running");
            let bound_at = self
                .variable(name)
                .and_then(|variable| variable.bound_at.first());
            let mut finding = Diagnostic::new(Code::E0513, span, message).note(MADE_OF);
            if let Some(place) = bound_at {
                finding = finding.label(*place, format!("{name} is bound here"));
            }
            self.report(finding.note(NOT_KNOWN));
            return;
        }
        if let Some((place, why)) = self.body.lost.get(name).copied() {
            let message = format!("the size `{name}` isn't bound here");
            let finding = Diagnostic::new(Code::E0401, span, message).label(place, why);
            self.report(finding);
            return;
        }
        let names = self.body.axis_names.keys();
        let names = names.chain(self.globals.dims.keys()).map(|name| &**name);
        let near = suggest::nearest(name, names).map(str::to_owned);
        let mut finding = Diagnostic::new(
            Code::E0401,
            span,
            format!("no parameter or dim gives the size `{name}`"),
        );
        if let Some(twin) = suggest::look_alike(name, |known| self.symbol(known).is_some()) {
            finding = finding.note(twin.sentence).write(span, twin.name);
        } else if let Some(near) = near {
            finding = finding.write(span, near);
        } else if self.body.function.is_some() {
            finding = finding.note(format!(
                "An axis name is bound where a parameter's type has it alone, as in `[{name}]`."
            ));
        } else {
            finding = finding.note(format!("In the script sizes are dims: `dim {name} = 4`."));
        }
        self.report(finding);
    }
}
