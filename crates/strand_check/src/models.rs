//! Models: their declarations, fields, methods, values, and what may be changed.

use strand_ir::{Expr, ExprKind, Field, FnId, Host, Model, ModelId, Over};
use strand_ir::{StmtKind, Type};
use strand_ops::{Class, OpId};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast::{self, Item};

use crate::binding::CallSite;
use crate::calls::CallArg;
use crate::context::{BodyState, Checker};
use crate::fit::Slot;
use crate::suggest;
use crate::types::TypePlace;

/// What is assigned to a field: as written, or the typed sum of `m.w += e`.
pub(crate) enum FieldValue<'v> {
    Written(&'v ast::Expr),
    Typed(Expr),
}

impl<'a> Checker<'a> {
    /// Gives a model and its methods their ids.
    pub(crate) fn model_name(&mut self, decl: &'a ast::ModelDecl, new: bool) {
        let id = ModelId(self.program.models.len() as u32);
        if new {
            self.globals.models.insert(decl.name.name.clone(), id);
        }
        let methods = decl.methods.iter();
        let methods = methods
            .map(|method| self.function_name(method, Some(id)))
            .collect();
        self.program.order.push(strand_ir::ItemRef::Model(id));
        let sizes = self.own_sizes(decl);
        self.program.models.push(Model {
            name: decl.name.name.clone(),
            declaration: id,
            sizes,
            sequence: None,
            fields: Vec::new(),
            methods,
            span: decl.span,
        });
    }

    /// Types the fields of every model.
    pub(crate) fn models(&mut self, module: &'a ast::Module) {
        let decls = module.items.iter().filter_map(|item| match item {
            Item::Model(decl) => Some(decl),
            _ => None,
        });
        let decls: Vec<&ast::ModelDecl> = decls.collect();
        for (at, decl) in decls.iter().enumerate() {
            self.model_names_once(decl);
            for field in &decl.fields {
                self.body = BodyState::default();
                self.enter_model(ModelId(at as u32));
                let field = self.declared_field(field);
                self.program.models[at].fields.push(field);
            }
        }
        for at in 0..decls.len() {
            self.refuse_endless(at);
        }
        self.models_typed = true;
        self.fill_models();
    }

    /// E0302 for two fields or methods of one name.
    fn model_names_once(&mut self, decl: &ast::ModelDecl) {
        let fields = decl.fields.iter().map(|field| &field.name);
        let names: Vec<&ast::Ident> = decl
            .sizes
            .iter()
            .chain(fields)
            .chain(decl.methods.iter().map(|method| &method.name))
            .collect();
        for (at, name) in names.iter().enumerate().skip(decl.sizes.len()) {
            if let Some(first) = names[..at].iter().find(|first| first.name == name.name) {
                self.defined_twice(name, first.span);
            }
        }
    }

    fn declared_field(&mut self, field: &ast::FieldDecl) -> Field {
        let ty = self.tensor_type(&field.ty, TypePlace::Use);
        let (ty, init) = match (&ty, &field.init) {
            (Type::Error, _) => (Type::Error, None),
            (Type::Tensor(_), Some(init)) => {
                let init = self.initialiser(init, &ty);
                (ty, Some(init))
            }
            (Type::Tensor(_), None) => {
                let finding = Diagnostic::new(
                    Code::E0703,
                    field.name.span,
                    format!("`{}` needs its first values", field.name.name),
                )
                .note(
                    "Write `= zeros`, `= ones`, `= full(v)`, `= normal(s)` or `= uniform(a, b)`.",
                );
                self.report(finding);
                (ty, None)
            }
            (Type::Model(_), Some(init)) => {
                let message = "a submodel makes its own fields: it takes no `=`";
                self.error(Code::E0902, init.span, message);
                (ty, None)
            }
            (Type::Model(_), None) => (ty, None),
            (other, _) => {
                let message = format!("a field is a tensor or a model, not {}", self.show(other));
                self.error(Code::E0902, field.ty.span, message);
                (Type::Error, None)
            }
        };
        self.hover(field.name.span, &ty);
        Field {
            name: field.name.name.clone(),
            ty,
            init,
            span: field.span,
        }
    }

    /// `zeros`, `ones`, `full(v)`, `normal(std, mean)`, `uniform(low, high)` of a field's type.
    fn initialiser(&mut self, init: &ast::Expr, ty: &Type) -> Expr {
        let (callee, args, args_span) = match &init.kind {
            ast::ExprKind::Call {
                callee,
                args,
                args_span,
            } => (&**callee, args.as_slice(), *args_span),
            _ => (init, &[][..], init.span),
        };
        let known = match &callee.kind {
            ast::ExprKind::Name(name) => strand_ops::find(name),
            _ => None,
        };
        let known = known.filter(|op| matches!(op.class, Class::Construct | Class::Draw));
        let Some(op) = known else {
            let finding = Diagnostic::new(
                Code::E0902,
                init.span,
                "a field starts as zeros, ones, full, normal or uniform",
            )
            .note("For example `= normal(0.02)`; other values are assigned to the model's field.");
            self.report(finding);
            return self.wrong(init.span);
        };
        let list: Vec<CallArg<'_>> = args.iter().map(CallArg::Written).collect();
        // The model's own seed draws every field.
        let taken = op.params.iter().filter(|param| param.name != "seed");
        let names: Vec<std::sync::Arc<str>> = taken.clone().map(|p| p.name.into()).collect();
        let Some(matched) = self.match_args(op.name, &names, &list) else {
            return self.wrong(init.span);
        };
        let mut params = Vec::new();
        for (param, arg) in taken.zip(matched) {
            let Some(arg) = arg else {
                if param.default == strand_ops::Default::Required {
                    let message = format!("{} needs `{}`", op.name, param.name);
                    self.error(Code::E0703, args_span, message);
                    return self.wrong(init.span);
                }
                continue;
            };
            let value = self.argument(arg, None, false);
            if value.ty.is_error() || !self.param_takes(op, param, &value) {
                return self.wrong(init.span);
            }
            if !is_constant(&value) {
                let message = "a field's first values are given by numbers known before running";
                self.error(Code::E0704, value.span, message);
                return self.wrong(init.span);
            }
            params.push((param.name, value));
        }
        let Some(tensor) = ty.tensor() else {
            return self.wrong(init.span);
        };
        if !self.makes(op, tensor, &params, init.span) {
            return self.wrong(init.span);
        }
        if let Some(finding) = self.made_outside(op, tensor, init.span) {
            self.report(finding);
            return self.wrong(init.span);
        }
        let kind = ExprKind::Op {
            op: op.id,
            args: Vec::new(),
            over: Over::None,
            params,
        };
        Expr {
            kind,
            ty: ty.clone(),
            span: init.span,
        }
    }

    /// E0706 for a model that holds itself.
    fn refuse_endless(&mut self, start: usize) {
        let target = ModelId(start as u32);
        for at in 0..self.program.models[start].fields.len() {
            let mut seen = vec![false; self.program.models.len()];
            let mut left = vec![self.program.models[start].fields[at].ty.clone()];
            while let Some(ty) = left.pop() {
                let Type::Model(id) = ty else { continue };
                let id = self.program.model(id).declaration;
                if id == target {
                    let name = self.program.models[start].name.clone();
                    let field = &mut self.program.models[start].fields[at];
                    field.ty = Type::Error;
                    let span = field.span;
                    let message = format!("a {name} would hold another {name}, without an end");
                    self.error(Code::E0706, span, message);
                    break;
                }
                if !std::mem::replace(&mut seen[id.0 as usize], true) {
                    let fields = &self.program.model(id).fields;
                    left.extend(fields.iter().map(|field| field.ty.clone()));
                }
            }
        }
    }

    /// Whether a method's parameters are `self` and others with types.
    pub(crate) fn method_parameters(&mut self, decl: &ast::FnDecl) -> bool {
        match decl.params.split_first() {
            Some((first, rest)) if &*first.name.name == "self" && first.ty.is_none() => {
                let Some(untyped) = rest.iter().find(|param| param.ty.is_none()) else {
                    return true;
                };
                let message = "a method's parameters after `self` have types";
                let name = &untyped.name.name;
                let finding = Diagnostic::new(Code::E0704, untyped.span, message)
                    .note(format!("Say which axes {name} has, as in `{name}: [n D]`."));
                self.report(finding);
                false
            }
            _ => {
                let message = "a method's first parameter is `self`, without a type";
                let place = decl
                    .params
                    .first()
                    .map_or(decl.name.span, |first| first.span);
                self.error(Code::E0704, place, message);
                false
            }
        }
    }

    /// `m.w`
    pub(crate) fn model_field(
        &mut self,
        base: Expr,
        model: ModelId,
        name: &ast::Ident,
        span: Span,
    ) -> Expr {
        let Some((field, ty)) = self.find_field(model, name) else {
            return self.wrong(span);
        };
        self.hover(name.span, &ty);
        if ty.is_error() {
            return self.wrong(span);
        }
        let base = Box::new(base);
        let kind = ExprKind::Field { base, field };
        Expr { kind, ty, span }
    }

    /// A field's place and type; E0901.
    fn find_field(&mut self, model: ModelId, name: &ast::Ident) -> Option<(usize, Type)> {
        let declared = self.program.model(model);
        let found = declared.fields.iter().position(|f| f.name == name.name);
        if let Some(at) = found {
            return Some((at, declared.fields[at].ty.clone()));
        }
        let mut finding = Diagnostic::new(
            Code::E0901,
            name.span,
            format!("{} has no field `{}`", declared.name, name.name),
        );
        if self.find_method(model, &name.name).is_some() {
            finding.message = format!("`{}` is a method: call it", name.name);
        } else {
            let names = declared.fields.iter().map(|field| &*field.name);
            let methods = declared.methods.iter();
            let methods = methods.map(|id| &*self.program.function(*id).name);
            if let Some(near) = suggest::nearest(&name.name, names.chain(methods)) {
                finding = finding.write(name.span, near);
            }
        }
        self.report(finding);
        None
    }

    fn find_method(&self, model: ModelId, name: &str) -> Option<FnId> {
        let mut methods = self.program.model(model).methods.iter().copied();
        methods.find(|id| &*self.program.function(*id).name == name)
    }

    /// `m.step(args)`, and `m.enc(args)` of a submodel. `word` is where `mut` stands.
    pub(crate) fn model_method(
        &mut self,
        base: Expr,
        model: ModelId,
        word: Option<Span>,
        name: &ast::Ident,
        args: &[CallArg<'_>],
        span: Span,
    ) -> Expr {
        if let Some(id) = self.find_method(model, &name.name) {
            return self.call_with_self(id, base, word, args, span);
        }
        let whole = base.span.to(name.span);
        let field = self.model_field(base, model, name, whole);
        self.call_forward(field, word, args, span)
    }

    /// `mut m.step(args)`
    pub(crate) fn call_changing(
        &mut self,
        base: Expr,
        word: Span,
        name: &ast::Ident,
        args: &[CallArg<'_>],
        span: Span,
    ) -> Expr {
        match base.ty {
            Type::Model(model) => self.model_method(base, model, Some(word), name, args, span),
            Type::Error => {
                self.type_anyway(args);
                self.wrong(span)
            }
            _ => {
                self.needless_mut(word);
                self.call_method(base, name, args, span)
            }
        }
    }

    /// `m(args)`: the method `forward`; E0903 where there is none.
    pub(crate) fn call_forward(
        &mut self,
        callee: Expr,
        word: Option<Span>,
        args: &[CallArg<'_>],
        span: Span,
    ) -> Expr {
        let Type::Model(model) = callee.ty else {
            if let Some(word) = word
                && !callee.ty.is_error()
            {
                self.needless_mut(word);
            }
            return self.call_value(callee, args, span);
        };
        if let Some(id) = self.find_method(model, "forward") {
            return self.call_with_self(id, callee, word, args, span);
        }
        self.type_anyway(args);
        let name = self.program.model(model).name.clone();
        let text = self.name_of(callee.span);
        let mut finding = Diagnostic::new(
            Code::E0903,
            callee.span,
            format!("{text} can't be called: {name} has no `forward`"),
        );
        let methods = &self.program.model(model).methods;
        let methods: Vec<String> = methods
            .iter()
            .map(|id| format!("`{}`", self.program.function(*id).name))
            .collect();
        if !methods.is_empty() {
            finding = finding.note(format!("Its methods are {}.", methods.join(", ")));
        }
        self.report(finding);
        self.wrong(span)
    }

    fn call_with_self(
        &mut self,
        id: FnId,
        base: Expr,
        word: Option<Span>,
        args: &[CallArg<'_>],
        span: Span,
    ) -> Expr {
        let function = self.program.function(id);
        let name = function.name.clone();
        let params = function.params.clone();
        let Some((own, rest)) = params.split_first() else {
            self.type_anyway(args);
            return self.wrong(span);
        };
        let site = CallSite {
            name: &name,
            args_span: span,
            span,
        };
        let Some(mut matched) = self.given(&site, rest, args) else {
            return self.wrong(span);
        };
        match (own.mutable, word) {
            (false, Some(word)) => self.needless_mut(word),
            (true, None) => {
                let finding = Diagnostic::new(
                    Code::E0705,
                    base.span,
                    format!("{name} changes its model, so write `mut` before it"),
                )
                .label(own.span, "mut self")
                .fix("add `mut`", Span::empty(base.span.start), "mut ");
                self.report(finding);
                self.type_anyway(args);
                return self.wrong(span);
            }
            _ => {}
        }
        let changes = own.mutable;
        if changes && !self.changed_argument(&base, &base.ty.clone(), &base.ty.clone(), own) {
            self.type_anyway(args);
            return self.wrong(span);
        }
        let base = CallArg::Typed(base);
        matched.insert(0, Some(&base));
        // That `mut` stands where it has to has been said.
        let mut params = params.clone();
        params[0].mutable = false;
        self.call_typed(id, &site, &params, matched)
    }

    /// `M(seed=0)`
    pub(crate) fn new_model(
        &mut self,
        model: ModelId,
        args: &[CallArg<'_>],
        args_span: Span,
        span: Span,
    ) -> Expr {
        let name = self.program.model(model).name.clone();
        let found = self.program.model(model);
        if found.declaration == model && !found.sizes.is_empty() {
            let axes = found.sizes.iter().map(|axis| self.show_axis(axis));
            let shape = axes.collect::<Vec<_>>().join(" ");
            let finding = Diagnostic::new(Code::E0703, span, format!("{name} needs its sizes"))
                .note(format!(
                    "Write `{name}[{shape}](seed=0)`, with numbers or dims."
                ));
            self.report(finding);
            self.type_anyway(args);
            return self.wrong(span);
        }
        let Some(matched) = self.match_args(&name, &["seed".into()], args) else {
            self.type_anyway(args);
            return self.wrong(span);
        };
        let Some(Some(seed)) = matched.first() else {
            let mut finding =
                Diagnostic::new(Code::E0703, args_span, format!("{name} needs `seed`"));
            if args_span != span {
                finding = finding.fix("seed=0", args_span, "(seed=0)");
            }
            self.report(finding);
            return self.wrong(span);
        };
        let seed = self.argument(seed, None, false);
        if seed.ty.is_error() {
            return self.wrong(span);
        }
        if seed.ty != Type::Host(Host::Int) {
            let ty = self.show(&seed.ty);
            let message = format!("a seed is a host int, not {ty}");
            self.error(Code::E0704, seed.span, message);
            return self.wrong(span);
        }
        let seed = Box::new(seed);
        Expr {
            kind: ExprKind::New { model, seed },
            ty: Type::Model(model),
            span,
        }
    }

    /// `m.w = e`
    pub(crate) fn set_field(
        &mut self,
        base: &ast::Expr,
        name: &ast::Ident,
        span: Span,
        value: FieldValue<'_>,
    ) -> Option<StmtKind> {
        let base = self.expr(base, None);
        let found = self.assigned_field(&base, name, span);
        let wanted = found.as_ref().map(|(_, (_, ty))| ty);
        let value = match value {
            FieldValue::Written(value) => self.expr(value, wanted),
            FieldValue::Typed(value) => value,
        };
        let (model, (field, ty)) = found?;
        if !self.may_change(&base, span) || ty.is_error() {
            return None;
        }
        let declared = self.program.model(model).fields[field].span;
        let value = self.fit(value, &ty, &Slot::Field(declared));
        if value.ty.is_error() {
            return None;
        }
        Some(StmtKind::SetField { base, field, value })
    }

    /// A model and its field that is assigned. E0304 of what has no fields.
    fn assigned_field(
        &mut self,
        base: &Expr,
        name: &ast::Ident,
        span: Span,
    ) -> Option<(ModelId, (usize, Type))> {
        match base.ty {
            Type::Model(model) => self.find_field(model, name).map(|found| (model, found)),
            Type::Error => None,
            _ => {
                let ty = self.show(&base.ty);
                let message = format!("`{}` can't be assigned: {ty} has no fields", name.name);
                self.error(Code::E0304, span, message);
                None
            }
        }
    }

    /// The field of which elements are to be changed, and its model with its place in it. E0304, and
    /// what forbids changing the model.
    pub(crate) fn field_to_change(
        &mut self,
        base: &ast::Expr,
        name: &ast::Ident,
        span: Span,
    ) -> Option<(Expr, (Expr, usize))> {
        let base = self.expr(base, None);
        let (_, (field, ty)) = self.assigned_field(&base, name, span)?;
        if !self.may_change(&base, span) || ty.is_error() {
            return None;
        }
        let kind = ExprKind::Field {
            base: Box::new(base.clone()),
            field,
        };
        Some((Expr { kind, ty, span }, (base, field)))
    }
}

/// Whether a host number is known before running: numbers and sizes, and arithmetic of them.
fn is_constant(value: &Expr) -> bool {
    let number = value.ty.is_host_number() || value.ty == Type::Host(Host::Bool);
    number
        && match &value.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Size(_) => true,
            ExprKind::Op { op, args, .. } => {
                let known = matches!(
                    op,
                    OpId::Neg | OpId::Add | OpId::Sub | OpId::Mul | OpId::Div | OpId::Sqrt
                );
                known && args.iter().all(is_constant)
            }
            _ => false,
        }
}
