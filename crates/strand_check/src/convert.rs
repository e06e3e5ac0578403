//! `to` converts a dtype or domain, or rearranges; what `to` and `as` share.

use strand_ir::{Axis, Domain, Expr, ExprKind, Host, TensorType, Type};
use strand_ops::DType;
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast::{self, Conversion, TypeExprKind};
use strand_syntax::dtype_alias;

use crate::context::Checker;
use crate::types::TypePlace;

/// The type of a conversion, by its parts.
#[derive(Default)]
pub(crate) struct Target {
    pub(crate) axes: Option<Vec<Axis>>,
    pub(crate) dtype: Option<DType>,
    pub(crate) domain: Option<Domain>,
    /// `as int` of a Python value.
    pub(crate) host: Option<Host>,
}

impl Checker<'_> {
    /// `value to T`, `value as T`.
    pub(crate) fn convert(
        &mut self,
        span: Span,
        how: Conversion,
        value: &ast::Expr,
        ty: &ast::TypeExpr,
    ) -> Expr {
        // `to f32` as an argument, with nothing before it.
        if matches!(value.kind, ast::ExprKind::Placeholder) && value.span.is_empty() {
            let text = self.quote(span);
            let message = format!("{text} is a stage: it stands after |>, in map and filter");
            self.error(Code::E3201, span, message);
            return self.wrong(span);
        }
        let value = self.expr(value, None);
        self.convert_value(span, how, value, ty)
    }

    /// The conversion of a value that is typed already: a stage's.
    pub(crate) fn convert_value(
        &mut self,
        span: Span,
        how: Conversion,
        value: Expr,
        ty: &ast::TypeExpr,
    ) -> Expr {
        if self.is_caret(ty.span.start) {
            self.note_caret(Some((value.ty.clone(), 0)), None);
        }
        let converted = match how {
            Conversion::To => self.to(span, value, ty),
            Conversion::As => self.state(span, value, ty),
        };
        converted.unwrap_or_else(|| self.wrong(span))
    }

    /// The parts of the type of a conversion. Errors are reported.
    pub(crate) fn target(&mut self, ty: &ast::TypeExpr, how: Conversion) -> Option<Target> {
        let place = match how {
            Conversion::To => TypePlace::Use,
            Conversion::As => TypePlace::As,
        };
        match &ty.kind {
            TypeExprKind::Tensor {
                shape,
                dtype,
                domain,
            } => {
                let axes = match shape {
                    Some(shape) => Some(self.target_axes(shape, place)?),
                    None => None,
                };
                let dtype = match dtype {
                    Some(name) => Some(self.dtype(name)?),
                    None => None,
                };
                let domain = match domain {
                    Some(domain) => Some(self.domain(domain, place)?),
                    None => None,
                };
                if let (Some(_), Some(domain)) = (dtype, &domain) {
                    self.dtype_with_domain(dtype, domain, ty.span)?;
                }
                Some(Target {
                    axes,
                    dtype,
                    domain,
                    host: None,
                })
            }
            TypeExprKind::Named { name, .. } => self.named_target(name, ty, how),
            TypeExprKind::Tuple(_) => {
                self.error(Code::E0605, ty.span, "nothing converts to a tuple");
                None
            }
            TypeExprKind::Sequence { .. } | TypeExprKind::Error => None,
        }
    }

    fn target_axes(&mut self, shape: &ast::Shape, place: TypePlace) -> Option<Vec<Axis>> {
        let axes: Vec<Option<Axis>> = shape
            .axes
            .iter()
            .map(|axis| self.axis_in(axis, place))
            .collect();
        axes.into_iter().collect()
    }

    /// `to bool` names a dtype, and `as int` a host type; other names are no conversion.
    fn named_target(
        &mut self,
        name: &ast::Ident,
        ty: &ast::TypeExpr,
        how: Conversion,
    ) -> Option<Target> {
        let host = match &*name.name {
            "int" => Host::Int,
            "float" => Host::Float,
            "bool" => Host::Bool,
            "str" => Host::Str,
            _ => {
                // The type itself may be unknown, which is the better thing to say.
                if !self.tensor_type(ty, TypePlace::Use).is_error() {
                    let message = format!("nothing converts to {}", name.name);
                    self.error(Code::E0605, ty.span, message);
                }
                return None;
            }
        };
        match (how, host) {
            (Conversion::As, _) => Some(Target {
                host: Some(host),
                ..Target::default()
            }),
            (Conversion::To, Host::Bool) => Some(Target {
                dtype: Some(DType::Bool),
                ..Target::default()
            }),
            (Conversion::To, _) => {
                let message = format!("`to` gives a tensor, and {} is a host type", name.name);
                let mut finding = Diagnostic::new(Code::E0605, ty.span, message);
                if let Some(dtype) = dtype_alias(&name.name) {
                    finding = finding
                        .note("`item` gives the number in a tensor without axes.")
                        .write(ty.span, dtype);
                }
                self.report(finding);
                None
            }
        }
    }

    /// `value to T`
    fn to(&mut self, span: Span, value: Expr, ty: &ast::TypeExpr) -> Option<Expr> {
        let target = self.target(ty, Conversion::To);
        if value.ty.is_error() {
            return None;
        }
        let target = target?;
        let value = match &value.ty {
            Type::Host(Host::Int | Host::Float | Host::Bool) => self.lifted_to(value, &target),
            Type::Tensor(_) => value,
            _ => {
                self.refuse_conversion(&value, ty, Conversion::To);
                return None;
            }
        };
        if value.ty.is_error() {
            return None;
        }
        let value = match &target.axes {
            Some(axes) => self.rearrange(value, axes, ty.span, span)?,
            None => value,
        };
        if target.dtype.is_none() && target.domain.is_none() {
            return Some(Expr { span, ..value });
        }
        self.with_values(span, value, &target, ty)
    }

    /// A host number or bool as a `[]` tensor, of the target's dtype where a number literal can
    /// have it.
    pub(crate) fn lifted_to(&mut self, value: Expr, target: &Target) -> Expr {
        let natural = match value.ty {
            Type::Host(Host::Int) => DType::I64,
            Type::Host(Host::Bool) => DType::Bool,
            _ => DType::F32,
        };
        let wanted = match (&target.domain, target.dtype) {
            (_, Some(dtype)) => dtype,
            (Some(Domain::Index(_)), None) => DType::I64,
            (Some(_), None) if natural == DType::I64 => DType::F32,
            _ => natural,
        };
        let first = match value.ty {
            Type::Host(Host::Int) if wanted != DType::Bool => wanted,
            Type::Host(Host::Float) if wanted.is_float() => wanted,
            // All of a float's digits count where it is cut to a whole number.
            Type::Host(Host::Float) => DType::F64,
            _ => natural,
        };
        self.lift(value, first)
    }

    /// The conversion of a tensor's dtype and domain.
    fn with_values(
        &mut self,
        span: Span,
        value: Expr,
        target: &Target,
        ty: &ast::TypeExpr,
    ) -> Option<Expr> {
        let from = value.ty.tensor()?.clone();
        let dtype = match (&target.domain, target.dtype) {
            (Some(Domain::Index(axis)), _) if from.dtype.is_float() => {
                self.refuse_float_index(&value, &axis.clone(), ty);
                return None;
            }
            (Some(Domain::Index(_)), _) => DType::I64,
            (_, Some(dtype)) => dtype,
            (Some(domain), None) if !from.dtype.is_float() => {
                let shown = domain.display(&self.program.symbols);
                let finding = Diagnostic::new(
                    Code::E0605,
                    ty.span,
                    format!("{shown} is of floats; this is {}", from.dtype),
                )
                .fix(format!("f32 {shown}"), Span::empty(ty.span.start), "f32 ");
                self.report(finding);
                return None;
            }
            _ => from.dtype,
        };
        let domain = target.domain.clone().unwrap_or(Domain::Plain);
        let kept = from.dtype == dtype && from.domain.serves(&domain, &self.program.symbols);
        let checked = TensorType {
            domain: domain.clone(),
            ..from.clone()
        };
        let check = match self.constant_in(&value, &checked) {
            Some(false) => {
                self.refuse_constant(&value, &domain);
                return None;
            }
            Some(true) => None,
            None => (!kept && domain != Domain::Plain).then(|| domain.clone()),
        };
        let converted = TensorType {
            axes: from.axes,
            dtype,
            domain,
        };
        Some(Expr {
            kind: ExprKind::Convert {
                value: Box::new(value),
                dtype: (from.dtype != dtype).then_some(dtype),
                check,
            },
            ty: Type::Tensor(converted),
            span,
        })
    }

    fn refuse_float_index(&mut self, value: &Expr, axis: &Axis, ty: &ast::TypeExpr) {
        let text = self.quote(value.span);
        let index = format!("Index[{}]", self.show_axis(axis));
        let mended = match &ty.kind {
            TypeExprKind::Tensor {
                domain: Some(domain),
                ..
            } => format!("i64 to {}", domain.span.text(self.text)),
            _ => format!("i64 to {index}"),
        };
        let finding = Diagnostic::new(
            Code::E0605,
            ty.span,
            format!("{text} is a float, and an index is a whole number"),
        )
        .note("Converting to i64 first says that it is cut towards 0.")
        .fix(format!("to {mended}"), ty.span, mended);
        self.report(finding);
    }

    /// Whether a literal's value lies in a domain; `None` where only running the program tells.
    fn constant_in(&self, value: &Expr, wanted: &TensorType) -> Option<bool> {
        let ExprKind::Lift(number) = &value.kind else {
            return None;
        };
        self.number_in(number, wanted)
    }

    /// The same of a host number.
    pub(crate) fn number_in(&self, number: &Expr, wanted: &TensorType) -> Option<bool> {
        let domain = &wanted.domain;
        if let (Domain::Index(axis), ExprKind::Int(index)) = (domain, &number.kind) {
            if *index < 0 {
                return Some(false);
            }
            let size = axis.size.ground(&self.program.symbols).as_constant()?;
            return Some(*index < size);
        }
        // A size that is the axis's own or larger is none of its indices, whatever it is.
        if let (Domain::Index(axis), ExprKind::Size(size)) = (domain, &number.kind) {
            let over = size.sub(&axis.size).ok()?.ground(&self.program.symbols);
            return (over.as_constant()? >= 0).then_some(false);
        }
        let number = match number.kind {
            ExprKind::Float(number) => number,
            ExprKind::Int(number) => number as f64,
            _ => return None,
        };
        match domain {
            Domain::Plain => Some(true),
            Domain::Index(_) => None,
            Domain::Prob => Some((0.0..=1.0).contains(&number)),
            // What is above 0 may round to it.
            Domain::Positive => {
                (number <= 0.0 || number >= least(wanted.dtype)).then_some(number > 0.0)
            }
            Domain::NonNegative => Some(number >= 0.0),
            Domain::Finite => Some(number.is_finite()),
        }
    }

    /// E0604
    pub(crate) fn refuse_constant(&mut self, value: &Expr, domain: &Domain) {
        let symbols = &self.program.symbols;
        let what = match domain {
            Domain::Index(axis) => {
                let (of, size) = (axis.display(symbols), axis.size.ground(symbols));
                match size.display(symbols) {
                    size if size == of => format!("a value of Index[{of}]"),
                    size => format!("an index of {of}, whose size is {size}"),
                }
            }
            Domain::Prob => "a probability, from 0 to 1".to_owned(),
            Domain::Positive => "above 0".to_owned(),
            Domain::NonNegative => "0 or above".to_owned(),
            Domain::Finite | Domain::Plain => "finite".to_owned(),
        };
        let message = format!("{} isn't {what}", self.quote(value.span));
        self.error(Code::E0604, value.span, message);
    }

    pub(crate) fn refuse_conversion(&mut self, value: &Expr, ty: &ast::TypeExpr, how: Conversion) {
        let text = self.quote(value.span);
        let what = self.kind_of(&value.ty);
        let finding = match (&value.ty, how) {
            (Type::Py, Conversion::To) => Diagnostic::new(
                Code::E3101,
                value.span,
                format!("{text} is a Python value: only `as` gives it a shape"),
            )
            .note("For example `value as [n D] f32`."),
            (Type::Nothing, _) => {
                Diagnostic::new(Code::E0708, value.span, format!("{text} gives no value"))
            }
            (_, Conversion::As) => Diagnostic::new(
                Code::E0605,
                ty.span,
                format!("`as` states the shape of a tensor; {text} is {what}"),
            ),
            (_, Conversion::To) => Diagnostic::new(
                Code::E0605,
                ty.span,
                format!("`to` converts tensors and numbers; {text} is {what}"),
            ),
        };
        self.report(finding);
    }
}

/// A number that stays above 0 in a float dtype, as all larger ones do.
fn least(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 6e-8,
        DType::BF16 => 1e-40,
        DType::F32 => 1.5e-45,
        _ => 0.0,
    }
}
