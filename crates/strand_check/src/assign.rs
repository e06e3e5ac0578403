//! Assignments: names, tuples, parts of a tensor, updates.

use strand_ir::{Domain, Expr, ExprKind, Host, LocalId, LocalKind, StmtKind, TensorType, Type};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast::{self, Target};

use crate::clash::Row;
use crate::context::{Checker, Variable};
use crate::fit::Slot;
use crate::models::FieldValue;
use crate::operators::short;
use crate::types::TypePlace;

/// A variable of which a part is assigned.
struct PartOf<'p> {
    /// The variable's name; none of a model's field, whose elements are changed in a local.
    name: Option<&'p ast::Name>,
    local: LocalId,
    ty: TensorType,
    /// The variable as an expression.
    value: Expr,
    /// Where the part stands.
    span: Span,
    /// What makes the variable of a field, and puts it back.
    around: Option<Around>,
}

/// Statements before and after another, all in one place of the text.
pub(crate) type Around = Box<(StmtKind, StmtKind)>;

/// What an assignment becomes.
pub(crate) struct Assigned {
    pub(crate) kind: StmtKind,
    pub(crate) around: Option<Around>,
}

impl From<StmtKind> for Assigned {
    fn from(kind: StmtKind) -> Self {
        Self { kind, around: None }
    }
}

impl Checker<'_> {
    pub(crate) fn assign(
        &mut self,
        target: &Target,
        annotation: Option<&ast::TypeExpr>,
        value: &ast::Expr,
    ) -> Option<Assigned> {
        match target {
            Target::Index { base, items, span } => {
                return self.set_index(base, items, *span, value);
            }
            Target::Field { base, name, span } => {
                let set = self.set_field(base, name, *span, FieldValue::Written(value));
                return set.map(Assigned::from);
            }
            Target::Tuple(parts, span) if self.sizes_unpacked(parts, *span, value) => return None,
            _ => {}
        }
        let wanted = annotation.map(|ty| self.tensor_type(ty, TypePlace::Result));
        let outer = std::mem::take(&mut self.body.pending);
        self.body.pending = self.unbound_targets(target);
        let mut typed = self.expr(value, wanted.as_ref());
        self.body.pending = outer;
        if let (Some(wanted), Some(annotation)) = (&wanted, annotation) {
            typed = self.fit(typed, wanted, &Slot::Annotation(annotation.span));
            if let (Type::Tensor(given), Type::Tensor(wanted)) = (&mut typed.ty, wanted) {
                self.take_annotation(given, wanted);
            }
        }
        let kind = match target {
            Target::Name(name) => {
                if !typed.ty.is_error() && !self.is_value(&typed) {
                    typed = self.wrong(typed.span);
                }
                let value = self.raised(name.span, typed);
                let local = self.bind_name(name, &value);
                let local = Some(local);
                Some(StmtKind::Bind { local, value })
            }
            Target::Ignore(_) => Some(StmtKind::Bind {
                local: None,
                value: typed,
            }),
            Target::Tuple(parts, _) => self.unpack(parts, typed),
            Target::Index { .. } | Target::Field { .. } | Target::Error(_) => None,
        };
        kind.map(Assigned::from)
    }

    /// A value has the axes and the domain that are written; `_` leaves the axis it has.
    fn take_annotation(&self, given: &mut TensorType, wanted: &TensorType) {
        for (given, wanted) in given.axes.iter_mut().zip(&wanted.axes) {
            let open = wanted.size.as_symbol().filter(|_| wanted.name.is_none());
            if !open.is_some_and(|symbol| self.is_birth(symbol)) {
                *given = wanted.clone();
            }
        }
        given.domain = wanted.domain.clone();
    }

    fn unbound_targets(&self, target: &Target) -> Vec<ast::Name> {
        match target {
            Target::Name(name) if self.variable(&name.name).is_none() => vec![name.name.clone()],
            Target::Tuple(parts, _) => {
                let names = parts.iter().flat_map(|part| self.unbound_targets(part));
                names.collect()
            }
            _ => Vec::new(),
        }
    }

    /// The value of a binding: a host number that a join makes a `[]` tensor is one from the start.
    fn raised(&mut self, place: Span, value: Expr) -> Expr {
        if matches!(value.ty, Type::Host(Host::Int | Host::Float | Host::Bool)) {
            self.body.raisable.insert(place);
            if let Some(dtype) = self.body.raised.get(&place).copied() {
                return self.lift(value, dtype);
            }
        }
        value
    }

    /// Binds a name by a statement: the same local each time.
    fn bind_name(&mut self, name: &ast::Ident, value: &Expr) -> LocalId {
        // The last stage is a map or filter: its iterated axis is known by the name too.
        let iterated = matches!(value.kind, ExprKind::Map { .. } | ExprKind::Filter { .. });
        let ty = value.ty.clone();
        self.bind_typed(name, ty, LocalKind::Variable, iterated)
    }

    pub(crate) fn bind_typed(
        &mut self,
        name: &ast::Ident,
        ty: Type,
        kind: LocalKind,
        iterated: bool,
    ) -> LocalId {
        let ty = if self.is_axis_or_dim(name) {
            Type::Error
        } else {
            ty
        };
        self.hover(name.span, &ty);
        let ty = self.kept_parameter(name, ty);
        let bound = self.variable(&name.name).map(|variable| variable.local);
        let known = bound.or_else(|| match kind {
            LocalKind::Variable => self.body.scopes.first()?.local(&name.name),
            _ => None,
        });
        let local = known.unwrap_or_else(|| {
            let local = LocalId(self.body.locals.len() as u32);
            self.body.locals.push(strand_ir::Local {
                name: name.name.clone(),
                kind,
                ty: ty.clone(),
                span: name.span,
            });
            local
        });
        if kind == LocalKind::Variable
            && let Some(scope) = self.body.scopes.first_mut()
        {
            scope.set_local(name.name.clone(), local);
        }
        let variable = Variable {
            local,
            ty,
            bound_at: vec![name.span],
        };
        self.set_variable(&name.name, Some(variable), iterated);
        local
    }

    /// E0303 of a name that is an axis's or a dim's.
    pub(crate) fn is_axis_or_dim(&mut self, name: &ast::Ident) -> bool {
        let Some(symbol) = self.symbol(&name.name) else {
            return false;
        };
        let info = self.program.symbols.get(symbol);
        let (place, what) = match info.kind {
            strand_ir::SymbolKind::Dim(_) => (info.span, "a dim"),
            _ => (info.span, "an axis name"),
        };
        let finding = Diagnostic::new(
            Code::E0303,
            name.span,
            format!(
                "`{}` is {what} here, so nothing else has that name",
                name.name
            ),
        )
        .label(place, format!("{what}: {}", name.name));
        self.report(finding);
        true
    }

    fn unpack(&mut self, parts: &[Target], value: Expr) -> Option<StmtKind> {
        let types: Vec<Type> = match &value.ty {
            Type::Tuple(types) if types.len() == parts.len() => types.clone(),
            Type::Error => vec![Type::Error; parts.len()],
            other => {
                self.not_parts(&value, other.clone(), parts.len());
                vec![Type::Error; parts.len()]
            }
        };
        let mut locals = Vec::with_capacity(parts.len());
        let mut seen: Vec<&ast::Ident> = Vec::new();
        for (part, ty) in parts.iter().zip(types) {
            match part {
                Target::Name(name) => {
                    if let Some(first) = seen.iter().find(|first| first.name == name.name) {
                        let finding = Diagnostic::new(
                            Code::E0302,
                            name.span,
                            format!("`{}` is bound twice here", name.name),
                        )
                        .label(first.span, "the first time");
                        self.report(finding);
                    }
                    seen.push(name);
                    locals.push(Some(self.bind_typed(name, ty, LocalKind::Variable, false)));
                }
                Target::Ignore(_) | Target::Error(_) => locals.push(None),
                Target::Tuple(_, span)
                | Target::Index { span, .. }
                | Target::Field { span, .. } => {
                    let message = "only names stand here; take the rest apart after it";
                    self.error(Code::E0304, *span, message);
                    locals.push(None);
                }
            }
        }
        Some(StmtKind::Unpack { locals, value })
    }

    fn not_parts(&mut self, value: &Expr, ty: Type, count: usize) {
        let text = self.name_of(value.span);
        let message = match &ty {
            Type::Tuple(types) => format!("{text} has {} parts, not {count}", types.len()),
            Type::Py => {
                let message = format!("{text} is a Python value; index its parts: `value[0]`");
                self.error(Code::E3101, value.span, message);
                return;
            }
            Type::Nothing => {
                self.no_value(value);
                return;
            }
            other => format!("{text} is {}, which has no parts", self.show(other)),
        };
        self.error(Code::E0704, value.span, message);
    }

    pub(crate) fn update(
        &mut self,
        site: crate::operators::BinarySite,
        target: &Target,
        value: &ast::Expr,
    ) -> Option<Assigned> {
        match target {
            Target::Name(name) => {
                let held = ast::Expr {
                    kind: ast::ExprKind::Name(name.name.clone()),
                    span: name.span,
                };
                if self.variable(&name.name).is_none() && self.is_axis_or_dim(name) {
                    self.expr(value, None);
                    return None;
                }
                let typed = self.binary(site, &held, value);
                self.variable(&name.name)?;
                let value = self.raised(name.span, typed);
                let local = Some(self.bind_name(name, &value));
                Some(StmtKind::Bind { local, value }.into())
            }
            Target::Index { base, items, span } => {
                let Some(part) = self.part_of(base, *span) else {
                    self.expr(value, None);
                    return None;
                };
                // Typed once for what is read and what is assigned: a mask's size is the same.
                let picked = self.index_items(&part.ty, base.span, items);
                let right = self.expr(value, None);
                let (items, indexed) = picked?;
                let held = Expr {
                    kind: ExprKind::Index {
                        base: Box::new(part.value.clone()),
                        items: items.clone(),
                    },
                    ty: Type::Tensor(indexed.clone()),
                    span: *span,
                };
                let typed = self.binary_typed(site, held, right);
                // What an operation gives is plain: it is checked, as no `to` can stand there.
                let typed = self.checked_to_serve(typed, &part.ty, part.around.is_some());
                self.set_part(part, base.span, (items, indexed), typed)
            }
            Target::Field { base, name, span } => {
                let held = ast::Expr {
                    kind: ast::ExprKind::Field {
                        base: base.clone(),
                        name: name.clone(),
                    },
                    span: *span,
                };
                let typed = self.binary(site, &held, value);
                let set = self.set_field(base, name, *span, FieldValue::Typed(typed));
                set.map(Assigned::from)
            }
            Target::Ignore(span) | Target::Tuple(_, span) => {
                self.expr(value, None);
                let text = format!("`{}=` changes one variable", site.op.as_str());
                self.error(Code::E0304, *span, text);
                None
            }
            Target::Error(_) => {
                self.expr(value, None);
                None
            }
        }
    }

    /// `y[items] = e`: y becomes a changed copy.
    fn set_index(
        &mut self,
        base: &ast::Expr,
        items: &[ast::IndexItem],
        span: Span,
        value: &ast::Expr,
    ) -> Option<Assigned> {
        let Some(part) = self.part_of(base, span) else {
            self.expr(value, None);
            return None;
        };
        let element = Type::Tensor(TensorType::new(Vec::new(), part.ty.dtype));
        let value = self.expr(value, Some(&element));
        let picked = self.index_items(&part.ty, base.span, items)?;
        self.set_part(part, base.span, picked, value)
    }

    /// The variable before the index of `y[items] = e`; E0304 where it is none with elements.
    fn part_of<'b>(&mut self, base: &'b ast::Expr, span: Span) -> Option<PartOf<'b>> {
        if let ast::ExprKind::Field { base: model, name } = &base.kind {
            return self.part_of_field(base.span, model, name, span);
        }
        let ast::ExprKind::Name(name) = &base.kind else {
            let message = "only elements of a variable or a field can be assigned";
            let mut finding = Diagnostic::new(Code::E0304, span, message);
            if matches!(base.kind, ast::ExprKind::Index { .. }) {
                finding = finding.note("Write all the indices in one pair of brackets: `y[i, j]`.");
            }
            self.report(finding);
            return None;
        };
        let value = self.expr(base, None);
        let Type::Tensor(ty) = value.ty.clone() else {
            if !value.ty.is_error() {
                let ty = self.show(&value.ty);
                let message = format!("`{name}` is {ty}: it has no elements to assign");
                self.error(Code::E0304, span, message);
            }
            return None;
        };
        let ExprKind::Local(local) = value.kind else {
            return None;
        };
        Some(PartOf {
            name: Some(name),
            local,
            ty,
            value,
            span,
            around: None,
        })
    }

    /// `m.w[0] = e` is `w = m.w`, `w[0] = e` and `m.w = w`, with a w that has no name.
    fn part_of_field(
        &mut self,
        field: Span,
        model: &ast::Expr,
        name: &ast::Ident,
        span: Span,
    ) -> Option<PartOf<'static>> {
        let (held, kept) = self.field_to_change(model, name, field)?;
        let Type::Tensor(ty) = held.ty.clone() else {
            let ty = self.show(&held.ty);
            let message = format!("`{}` is {ty}: it has no elements to assign", name.name);
            self.error(Code::E0304, span, message);
            return None;
        };
        let locals = &mut self.body.locals;
        let is_own =
            |local: &strand_ir::Local| local.kind == LocalKind::Field && local.span == field;
        let at = locals.iter().position(is_own).unwrap_or_else(|| {
            locals.push(strand_ir::Local {
                name: name.name.clone(),
                kind: LocalKind::Field,
                ty: held.ty.clone(),
                span: field,
            });
            locals.len() - 1
        });
        let local = LocalId(at as u32);
        let value = Expr {
            kind: ExprKind::Local(local),
            ty: held.ty.clone(),
            span: field,
        };
        let before = StmtKind::Bind {
            local: Some(local),
            value: held,
        };
        let (base, place) = kept;
        let after = StmtKind::SetField {
            base,
            field: place,
            value: value.clone(),
        };
        Some(PartOf {
            name: None,
            local,
            ty,
            value,
            span,
            around: Some(Box::new((before, after))),
        })
    }

    fn set_part(
        &mut self,
        part: PartOf<'_>,
        place: Span,
        (items, indexed): (Vec<strand_ir::IndexItem>, TensorType),
        value: Expr,
    ) -> Option<Assigned> {
        if value.ty.is_error() || !self.is_operand(&value, "an assignment") {
            return None;
        }
        let keeps = keeps_domain(&part.ty, part.around.is_some());
        if !self.fits_part(&value, &indexed, &part.ty, place)
            || (keeps && !self.serves_part(&value, &part.ty, place))
        {
            return None;
        }
        let inside = self.in_domain(&value, &part.ty);
        let value = if keeps {
            self.checked_number(value, &part.ty, inside)?
        } else {
            value
        };
        let mut kept = part.ty;
        let promised = self
            .parameter(part.local)
            .is_some_and(|param| param.mutable && inside == Some(true));
        if !promised && !keeps {
            kept.domain = Domain::Plain;
        }
        if let Some(name) = part.name {
            let named = ast::Ident {
                name: name.clone(),
                span: place,
            };
            let variable = Variable {
                local: part.local,
                ty: self.kept_parameter(&named, Type::Tensor(kept)),
                bound_at: vec![part.span],
            };
            self.set_variable(name, Some(variable), false);
        }
        let kind = StmtKind::SetIndex {
            local: part.local,
            items,
            value,
        };
        let around = part.around;
        Some(Assigned { kind, around })
    }

    /// Whether a value that is assigned is in the domain of the whole; `None` where only running tells.
    fn in_domain(&self, value: &Expr, whole: &TensorType) -> Option<bool> {
        match &value.ty {
            Type::Tensor(given) => {
                let serves = given.domain.serves(&whole.domain, &self.program.symbols);
                serves.then_some(true)
            }
            // Where there is an element to assign, the axis that it is an index of has a place 0.
            _ if matches!(
                (&whole.domain, &value.kind),
                (Domain::Index(_), ExprKind::Int(0))
            ) =>
            {
                Some(true)
            }
            _ => self.number_in(value, whole),
        }
    }

    /// A number that becomes an element, checked where it isn't certain to be in the domain. E0604.
    fn checked_number(
        &mut self,
        value: Expr,
        whole: &TensorType,
        inside: Option<bool>,
    ) -> Option<Expr> {
        match inside {
            Some(true) => return Some(value),
            Some(false) => {
                self.refuse_constant(&value, &whole.domain);
                return None;
            }
            None => {}
        }
        let lifted = self.lift(value, whole.dtype);
        Some(checked_to(lifted, &whole.domain))
    }

    /// A tensor of the whole's dtype that is assigned to elements which keep their domain, with a
    /// check where it isn't known to be in it.
    fn checked_to_serve(&self, value: Expr, whole: &TensorType, is_field: bool) -> Expr {
        let symbols = &self.program.symbols;
        match &value.ty {
            Type::Tensor(given)
                if keeps_domain(whole, is_field)
                    && given.dtype == whole.dtype
                    && !given.domain.serves(&whole.domain, symbols) =>
            {
                checked_to(value, &whole.domain)
            }
            _ => value,
        }
    }

    /// Whether a tensor that is assigned is known to be in the domain of the elements: E0506 of
    /// indices, E0604 of other domains.
    fn serves_part(&mut self, value: &Expr, whole: &TensorType, place: Span) -> bool {
        let symbols = &self.program.symbols;
        let Some(given) = value.ty.tensor() else {
            return true;
        };
        if given.domain.serves(&whole.domain, symbols) {
            return true;
        }
        let domain = whole.domain.display(symbols);
        let code = match whole.domain {
            Domain::Index(_) => Code::E0506,
            _ => Code::E0604,
        };
        let converted = format!(
            "{} to {domain}",
            crate::suggest::grouped(value.span.text(self.text))
        );
        let finding = Diagnostic::new(
            code,
            value.span,
            format!("the values that are assigned aren't known to be {domain}"),
        )
        .label(place, domain)
        .fix(converted.clone(), value.span, converted);
        self.report(finding);
        false
    }

    /// Whether a value can be assigned to a part of a tensor: one dtype, and its shape stretches to
    /// the part's.
    fn fits_part(
        &mut self,
        value: &Expr,
        part: &TensorType,
        whole: &TensorType,
        place: Span,
    ) -> bool {
        let Some(given) = value.ty.tensor() else {
            return self.host_fits(value, whole.dtype, Some(place));
        };
        let symbols = &self.program.symbols;
        let pairs = given.axes.iter().rev().zip(part.axes.iter().rev());
        let fits = given.rank() <= part.rank()
            && pairs
                .into_iter()
                .all(|(given, part)| given.stretches() || given.agrees(part, symbols));
        if !fits {
            let (has, wants) = (given.display_shape(symbols), part.display_shape(symbols));
            let text = self.name_of(value.span);
            let finding = Diagnostic::new(
                Code::E0503,
                value.span,
                short(
                    format!("{text} is {has}, but the part that is assigned is {wants}"),
                    format!("this is {has}, not the shape of the part"),
                ),
            )
            .label(place, format!("this part is {wants}"))
            .diff(self.lined_up(
                Row {
                    name: "part".to_owned(),
                    axes: &part.axes,
                },
                Row {
                    name: text,
                    axes: &given.axes,
                },
            ));
            self.report(finding);
            return false;
        }
        if given.dtype != whole.dtype {
            let dtype = whole.dtype;
            let converted = format!(
                "{} to {dtype}",
                crate::suggest::grouped(value.span.text(self.text))
            );
            let finding = Diagnostic::new(
                Code::E0602,
                value.span,
                format!("{} can't be assigned into {dtype}", given.dtype),
            )
            .label(place, format!("{dtype}"))
            .fix(format!("convert to {dtype}"), value.span, converted);
            self.report(finding);
            return false;
        }
        true
    }
}

/// Whether elements keep their domain when others are assigned: those of a variable only indices.
fn keeps_domain(whole: &TensorType, is_field: bool) -> bool {
    match whole.domain {
        Domain::Plain => false,
        Domain::Index(_) => true,
        _ => is_field,
    }
}

/// A tensor whose values are checked to be in a domain.
fn checked_to(value: Expr, domain: &Domain) -> Expr {
    let (span, mut ty) = (value.span, value.ty.clone());
    if let Type::Tensor(ty) = &mut ty {
        ty.domain = domain.clone();
    }
    let kind = ExprKind::Convert {
        value: Box::new(value),
        dtype: None,
        check: Some(domain.clone()),
    };
    Expr { kind, ty, span }
}
