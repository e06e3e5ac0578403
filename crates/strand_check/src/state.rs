//! `as` states a shape: it renames axes and checks sizes.

use strand_ir::{AsCheck, Axis, Domain, Expr, ExprKind, Host, How, SymbolId, TensorType, Type};
use strand_ops::DType;
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast::{self, Conversion, SizeExprKind, TypeExprKind};

use crate::clash::Row;
use crate::context::Checker;
use crate::convert::Target;
use crate::operators::short;

impl Checker<'_> {
    /// `value as T`
    pub(crate) fn state(&mut self, span: Span, value: Expr, ty: &ast::TypeExpr) -> Option<Expr> {
        let fresh = self.unbound_names(ty);
        let target = self.target(ty, Conversion::As)?;
        match &value.ty {
            Type::Error => None,
            Type::Py => self.state_python(span, value, &target, &fresh, ty),
            Type::Tensor(_) => self.state_tensor(span, value, target, &fresh, ty),
            Type::Host(Host::Int | Host::Float | Host::Bool) if target.axes.is_some() => {
                let value = self.lifted_to(value, &target);
                self.state_tensor(span, value, target, &fresh, ty)
            }
            _ => {
                self.refuse_conversion(&value, ty, Conversion::As);
                None
            }
        }
    }

    /// The axis names of a type that aren't in scope before it.
    fn unbound_names(&self, ty: &ast::TypeExpr) -> Vec<ast::Name> {
        let TypeExprKind::Tensor {
            shape: Some(shape), ..
        } = &ty.kind
        else {
            return Vec::new();
        };
        let names = shape.axes.iter().filter_map(|axis| match &axis.kind {
            SizeExprKind::Name(name) if self.symbol(name).is_none() => Some(name.clone()),
            _ => None,
        });
        names.collect()
    }

    fn state_python(
        &mut self,
        span: Span,
        value: Expr,
        target: &Target,
        fresh: &[ast::Name],
        ty: &ast::TypeExpr,
    ) -> Option<Expr> {
        let (stated, checks) = match (&target.axes, target.host) {
            (_, Some(host)) => (Type::Host(host), Vec::new()),
            (Some(axes), None) => {
                let domain = target.domain.clone().unwrap_or(Domain::Plain);
                let dtype = self.dtype_with_domain(target.dtype, &domain, ty.span)?;
                let checks = self.axis_checks(axes, None, fresh);
                let stated = TensorType {
                    axes: axes.clone(),
                    dtype,
                    domain,
                };
                (Type::Tensor(stated), checks)
            }
            (None, None) => {
                self.needs_shape(ty);
                return None;
            }
        };
        let check = target
            .domain
            .clone()
            .filter(|domain| *domain != Domain::Plain);
        Some(Expr {
            kind: ExprKind::As {
                value: Box::new(value),
                checks,
                check,
            },
            ty: stated,
            span,
        })
    }

    fn needs_shape(&mut self, ty: &ast::TypeExpr) {
        let text = self.quote(ty.span);
        let finding = Diagnostic::new(
            Code::E0605,
            ty.span,
            format!("`as` states a shape, and {text} has none"),
        )
        .fix(format!("[] {text}"), Span::empty(ty.span.start), "[] ");
        self.report(finding);
    }

    fn state_tensor(
        &mut self,
        span: Span,
        value: Expr,
        target: Target,
        fresh: &[ast::Name],
        ty: &ast::TypeExpr,
    ) -> Option<Expr> {
        let from = value.ty.tensor()?.clone();
        let Some(axes) = target.axes else {
            self.refuse_as_conversion(ty);
            return None;
        };
        let wanted = match (&target.domain, target.dtype) {
            (Some(Domain::Index(_)), None) => Some(DType::I64),
            (_, dtype) => dtype,
        };
        if let Some(dtype) = wanted.filter(|dtype| *dtype != from.dtype) {
            self.refuse_as_dtype(&value, from.dtype, dtype, ty);
            return None;
        }
        if axes.len() != from.rank() {
            self.refuse_rank(&value, &from, &axes, ty);
            return None;
        }
        let clash = axes.iter().zip(&from.axes).position(|(stated, own)| {
            let own_size = &own.size;
            let difference = stated.size.sub(own_size).ok();
            difference
                .and_then(|difference| difference.ground(&self.program.symbols).as_constant())
                .is_some_and(|difference| difference != 0)
        });
        if let Some(at) = clash {
            self.refuse_size(&value, &from, &axes[at], at, ty);
            return None;
        }
        let checks = self.axis_checks(&axes, Some(&from.axes), fresh);
        // What is bound to a known size agrees with every axis without a name of that size.
        for (check, own) in checks.iter().zip(&from.axes) {
            let size = own.size.ground(&self.program.symbols).as_constant();
            if let (AsCheck::Binds(name), Some(size)) = (check, size) {
                self.program.symbols.state(*name, size);
            }
        }
        let check = target
            .domain
            .clone()
            .filter(|domain| !from.domain.serves(domain, &self.program.symbols));
        let renamed = axes.into_iter().zip(&from.axes).map(|(axis, own)| {
            let how = match axis.name {
                Some(_) if axis.name != own.name => "renamed by `as`",
                _ => "stated by `as`",
            };
            let place = axis.origin.span().unwrap_or(ty.span);
            axis.made_from(&own.origin, How::Words(how), place)
        });
        let renamed: Vec<Axis> = renamed.collect();
        for axis in &renamed {
            if let Some(symbol) = axis.name
                && !self.origins.contains_key(&symbol)
            {
                self.origins.insert(symbol, axis.origin.clone());
            }
        }
        let stated = TensorType {
            axes: renamed,
            dtype: from.dtype,
            domain: target.domain.unwrap_or(from.domain),
        };
        Some(Expr {
            kind: ExprKind::As {
                value: Box::new(value),
                checks,
                check,
            },
            ty: Type::Tensor(stated),
            span,
        })
    }

    /// What is done for each stated axis: an axis name that wasn't in scope is bound where it
    /// stands first, and everything else is compared unless it is proven.
    fn axis_checks(
        &self,
        stated: &[Axis],
        own: Option<&[Axis]>,
        fresh: &[ast::Name],
    ) -> Vec<AsCheck> {
        let symbols = &self.program.symbols;
        let mut bound: Vec<SymbolId> = Vec::new();
        let check = |(at, axis): (usize, &Axis)| {
            let own = own.and_then(|own| own.get(at));
            if own.is_some_and(|own| own.size.same(&axis.size, symbols)) {
                return AsCheck::Proven;
            }
            match axis.name {
                Some(name)
                    if !bound.contains(&name)
                        && fresh.iter().any(|fresh| **fresh == *symbols.name(name)) =>
                {
                    bound.push(name);
                    AsCheck::Binds(name)
                }
                _ => AsCheck::Equals(axis.size.clone()),
            }
        };
        stated.iter().enumerate().map(check).collect()
    }

    fn refuse_as_conversion(&mut self, ty: &ast::TypeExpr) {
        let text = self.quote(ty.span);
        let finding = Diagnostic::new(
            Code::E0605,
            ty.span,
            format!("`as` states a shape, and {text} has none"),
        )
        .note("`to` converts a dtype or domain.");
        self.report(finding);
    }

    fn refuse_as_dtype(&mut self, value: &Expr, from: DType, to: DType, ty: &ast::TypeExpr) {
        let span = match &ty.kind {
            TypeExprKind::Tensor {
                dtype: Some(dtype), ..
            } => dtype.span,
            TypeExprKind::Tensor {
                domain: Some(domain),
                ..
            } => domain.span,
            _ => ty.span,
        };
        let message = format!("`as` keeps the dtype: {} is {from}", self.quote(value.span));
        let finding = Diagnostic::new(Code::E0605, span, message)
            .note(format!("`to {to}` converts it; `as` only states a shape."));
        self.report(finding);
    }

    fn refuse_rank(&mut self, value: &Expr, from: &TensorType, axes: &[Axis], ty: &ast::TypeExpr) {
        let own = from.display_shape(&self.program.symbols);
        let stated = TensorType::new(axes.to_vec(), from.dtype);
        let stated = stated.display_shape(&self.program.symbols);
        let text = self.quote(value.span);
        let finding = Diagnostic::new(
            Code::E0502,
            ty.span,
            short(
                format!("{text} is {own}: {stated} has another number of axes"),
                format!("{stated} has another number of axes"),
            ),
        )
        .label(value.span, format!("{text} is {own}"))
        .diff(self.in_order(
            Row {
                name: text,
                axes: &from.axes,
            },
            Row {
                name: "as".to_owned(),
                axes,
            },
        ));
        self.report(finding);
    }

    fn refuse_size(
        &mut self,
        value: &Expr,
        from: &TensorType,
        stated: &Axis,
        at: usize,
        ty: &ast::TypeExpr,
    ) {
        let own = &from.axes[at];
        let symbols = &self.program.symbols;
        let message = format!(
            "the {} of {} has size {}, never {}",
            strand_ir::axis_place(at, from.rank()),
            self.quote(value.span),
            own.size.ground(symbols).display(symbols),
            stated.size.ground(symbols).display(symbols)
        );
        let span = match &ty.kind {
            TypeExprKind::Tensor {
                shape: Some(shape), ..
            } => shape.axes.get(at).map_or(ty.span, |axis| axis.span),
            _ => ty.span,
        };
        let finding = Diagnostic::new(Code::E0502, span, message);
        let place = crate::broadcast::place(at, from.rank());
        let role = format!("{place} of {}", self.quote(value.span));
        let finding = self.trace(finding, own, &role, value.span);
        self.report(finding);
    }
}
