//! Calls: what is called, its arguments, and the program's own functions and methods.

use std::sync::Arc;

use strand_ir::{Expr, ExprKind, ExternId, FnId, ImportId, LocalId, Parameter};
use strand_ir::{FunctionKind, ModelId, Type};
use strand_ops::OpId;
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::context::Checker;
use crate::suggest;
use crate::types::TypePlace;

/// An argument of a call.
pub(crate) enum CallArg<'t> {
    /// As it stands in the text.
    Written(&'t ast::Arg),
    /// A value that is typed already: what a pipe hands in.
    Typed(Expr),
    /// The same after a keyword: `w=_`.
    Keyed(&'t ast::Ident, Expr),
}

impl<'t> CallArg<'t> {
    /// Where its value stands.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Written(arg) => arg.value.span,
            Self::Typed(value) | Self::Keyed(_, value) => value.span,
        }
    }

    /// The keyword before it.
    pub(crate) fn keyword(&self) -> Option<&'t ast::Ident> {
        match self {
            Self::Written(arg) => arg.name.as_ref(),
            Self::Typed(_) => None,
            Self::Keyed(keyword, _) => Some(keyword),
        }
    }
}

/// What a path names in call or stage position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    /// A function of the program.
    Function(FnId),
    /// An extern function.
    Extern(ExternId),
    /// A built-in.
    Op(OpId),
    /// `map`, `filter`, `zip`, `enumerate`.
    Stage(&'static str),
    /// A model or Python value, called or with the path's further names read from it.
    Value(LocalId),
    /// An imported module, with the path's further names read from it.
    Module(ImportId),
    /// A model, which is made.
    Model(ModelId),
}

impl Checker<'_> {
    /// What a path names; `None` where nothing has that name.
    pub(crate) fn resolve_function(&self, path: &[ast::Ident]) -> Option<Callee> {
        let (first, rest) = path.split_first()?;
        let name = &first.name;
        if let Some(variable) = self.variable(name) {
            let holds = matches!(variable.ty, Type::Py | Type::Model(_) | Type::Error);
            if holds || !rest.is_empty() {
                return Some(Callee::Value(variable.local));
            }
        }
        if !rest.is_empty() {
            return self.globals.imports.get(name).map(|id| Callee::Module(*id));
        }
        if let Some(id) = self.globals.functions.get(name) {
            return Some(Callee::Function(*id));
        }
        if let Some(id) = self.globals.externs.get(name) {
            return Some(Callee::Extern(*id));
        }
        if let Some(id) = self.globals.models.get(name) {
            return Some(Callee::Model(*id));
        }
        if let Some(stage) = strand_ops::stage(name) {
            return Some(Callee::Stage(stage.name));
        }
        if let Some(op) = strand_ops::find(name) {
            return Some(Callee::Op(op.id));
        }
        if let Some(id) = self.globals.imports.get(name) {
            return Some(Callee::Module(*id));
        }
        None
    }

    /// Whether something that can be called has the name.
    pub(crate) fn is_function_name(&self, name: &ast::Name) -> bool {
        let ident = ast::Ident {
            name: name.clone(),
            span: Span::default(),
        };
        self.resolve_function(&[ident]).is_some()
    }

    /// `callee(args)`
    pub(crate) fn call(
        &mut self,
        callee: &ast::Expr,
        args: &[ast::Arg],
        args_span: Span,
        span: Span,
    ) -> Expr {
        let list: Vec<CallArg<'_>> = args.iter().map(CallArg::Written).collect();
        if let Some(path) = path_of(callee) {
            return self.call_path(&path, &list, args_span, span);
        }
        match &callee.kind {
            ast::ExprKind::Field { base, name } => {
                if let Some((changed, word)) = without_mut(base) {
                    let base = self.expr(&changed, None);
                    return self.call_changing(base, word, name, &list, span);
                }
                let base = self.expr(base, None);
                self.call_method(base, name, &list, span)
            }
            ast::ExprKind::Mut(changed) => {
                let word = Span::new(callee.span.start, changed.span.start);
                let base = self.expr(changed, None);
                self.call_forward(base, Some(word), &list, span)
            }
            ast::ExprKind::Error => {
                self.type_anyway(&list);
                self.wrong(span)
            }
            ast::ExprKind::Sized { name, sizes } => {
                let declared = self.globals.models.get(&name.name).copied();
                let Some(declared) = declared else {
                    self.unknown_type(name);
                    self.type_anyway(&list);
                    return self.wrong(span);
                };
                match self.sized_model(declared, name, sizes, TypePlace::Use) {
                    Some(model) => self.new_model(model, &list, args_span, span),
                    None => {
                        self.type_anyway(&list);
                        self.wrong(span)
                    }
                }
            }
            _ if self.layer_call(callee, &list, span) => self.wrong(span),
            _ => {
                let callee = self.expr(callee, None);
                self.call_value(callee, &list, span)
            }
        }
    }

    /// A call of whatever `path` names. `args_span` is where the arguments stand (the path where
    /// there are no brackets), `span` the whole call or stage.
    pub(crate) fn call_path(
        &mut self,
        path: &[ast::Ident],
        args: &[CallArg<'_>],
        args_span: Span,
        span: Span,
    ) -> Expr {
        match self.resolve_function(path) {
            Some(Callee::Function(id)) => self.call_function(id, args, args_span, span),
            Some(Callee::Extern(id)) => self.call_extern(id, args, args_span, span),
            Some(Callee::Op(op)) => self.call_op(op, path, args, args_span, span),
            Some(Callee::Value(local)) => self.call_through(path, local, args, span),
            Some(Callee::Module(id)) => self.call_module(path, id, args, span),
            Some(Callee::Model(id)) => self.new_model(id, args, args_span, span),
            Some(Callee::Stage(name)) => {
                let finding = Diagnostic::new(
                    Code::E0301,
                    path[0].span,
                    format!("`{name}` is a pipe stage: write `x |> {name}(...)`"),
                );
                self.report(finding);
                self.wrong(span)
            }
            None => {
                self.unknown_callee(path, args, span);
                self.wrong(span)
            }
        }
    }

    /// Types the arguments of a call that can't be made, for the findings in them.
    pub(crate) fn type_anyway(&mut self, args: &[CallArg<'_>]) {
        for arg in args {
            let CallArg::Written(arg) = arg else {
                continue;
            };
            let over = arg
                .name
                .as_ref()
                .is_some_and(|name| matches!(&*name.name, "over" | "dim" | "axis"));
            let value = !matches!(
                arg.value.kind,
                ast::ExprKind::Type(_) | ast::ExprKind::Placeholder | ast::ExprKind::Lambda(_)
            );
            if value && !over {
                self.expr(&arg.value, None);
            }
        }
    }

    fn unknown_callee(&mut self, path: &[ast::Ident], args: &[CallArg<'_>], span: Span) {
        let Some(first) = path.first() else {
            return;
        };
        if self.foreign_call(path, args, span) {
            return;
        }
        self.type_anyway(args);
        let name = &first.name;
        if let Some(variable) = self.variable(name) {
            let ty = self.show(&variable.ty);
            let message = format!("`{name}` is a value ({ty}), not a function");
            self.error(Code::E0707, first.span, message);
            return;
        }
        let mut finding = Diagnostic::new(
            Code::E0301,
            first.span,
            format!("there's no function named `{name}`"),
        );
        if self.symbol(name).is_some() {
            finding = Diagnostic::new(
                Code::E0707,
                first.span,
                format!("`{name}` is a size, not a function"),
            );
        } else if path.len() == 1 {
            let ident = |name: &str| ast::Ident {
                name: name.into(),
                span: first.span,
            };
            let known = |name: &str| self.resolve_function(&[ident(name)]).is_some();
            if let Some(twin) = suggest::look_alike(name, known) {
                finding = finding.note(twin.sentence).write(first.span, twin.name);
            } else if let Some(near) = self.nearest_function(name) {
                finding = finding.write(first.span, near);
            }
        } else {
            finding.message = format!("there's nothing named `{name}` here");
        }
        self.report(finding);
    }

    fn nearest_function(&self, name: &str) -> Option<String> {
        let own = self.globals.functions.keys();
        let own = own.chain(self.globals.externs.keys());
        let own = own.chain(self.globals.models.keys()).map(|name| &**name);
        let built_in = strand_ops::OPS.iter().map(|op| op.name);
        let built_in = built_in.filter(|name| strand_ops::find(name).is_some());
        let near = self
            .suggests()
            .then(|| suggest::nearest(name, own.chain(built_in)));
        near.flatten().map(str::to_owned)
    }

    /// The value of an argument. `mut` before it is E0705 unless `mutable`.
    pub(crate) fn argument(
        &mut self,
        arg: &CallArg<'_>,
        wanted: Option<&Type>,
        mutable: bool,
    ) -> Expr {
        match arg {
            CallArg::Typed(value) | CallArg::Keyed(_, value) => value.clone(),
            CallArg::Written(arg) => {
                if let (Some(place), false) = (arg.mutable, mutable) {
                    let finding = Diagnostic::new(
                        Code::E0705,
                        place,
                        "this parameter isn't `mut`: it isn't changed",
                    )
                    .fix(
                        "remove `mut`",
                        Span::new(place.start, arg.value.span.start),
                        "",
                    );
                    self.report(finding);
                }
                self.expr(&arg.value, wanted)
            }
        }
    }

    /// The argument of each parameter; E0701, E0702. Missing ones are left `None`.
    pub(crate) fn match_args<'x, 't>(
        &mut self,
        what: &str,
        names: &[Arc<str>],
        args: &'x [CallArg<'t>],
    ) -> Option<Vec<Option<&'x CallArg<'t>>>> {
        let mut found: Vec<Option<&CallArg<'t>>> = vec![None; names.len()];
        let mut next = 0;
        for arg in args {
            let at = match arg.keyword() {
                None => {
                    next += 1;
                    next - 1
                }
                Some(keyword) => match names.iter().position(|name| *name == keyword.name) {
                    Some(at) => at,
                    None => {
                        self.unknown_keyword(what, keyword, names);
                        return None;
                    }
                },
            };
            if at >= names.len() {
                self.too_many(what, names, args, arg);
                return None;
            }
            if found[at].is_some() {
                let place = arg.keyword().map_or(arg.span(), |keyword| keyword.span);
                let message = format!("{what} gets `{}` twice", names[at]);
                self.error(Code::E0702, place, message);
                return None;
            }
            found[at] = Some(arg);
        }
        Some(found)
    }

    fn too_many(
        &mut self,
        what: &str,
        names: &[Arc<str>],
        args: &[CallArg<'_>],
        arg: &CallArg<'_>,
    ) {
        let given = args.iter().filter(|arg| arg.keyword().is_none()).count();
        let takes = match names.len() {
            0 => "no arguments".to_owned(),
            1 => "1 argument".to_owned(),
            many => format!("{many} arguments"),
        };
        let message = format!("{what} takes {takes}, not {given}");
        self.error(Code::E0701, arg.span(), message);
    }

    fn unknown_keyword(&mut self, what: &str, keyword: &ast::Ident, names: &[Arc<str>]) {
        let mut finding = Diagnostic::new(
            Code::E0702,
            keyword.span,
            format!("{what} has no parameter `{}`", keyword.name),
        );
        let known = names.iter().map(|name| &**name);
        if let Some(near) = suggest::nearest(&keyword.name, known) {
            finding = finding.write(keyword.span, near);
        } else if !names.is_empty() {
            finding = finding.note(format!("It has {}.", list(names)));
        }
        self.report(finding);
    }

    fn call_function(
        &mut self,
        id: FnId,
        args: &[CallArg<'_>],
        args_span: Span,
        span: Span,
    ) -> Expr {
        if self.body.untyped && !self.is_elementwise_function(id) {
            self.type_anyway(args);
            return self.wrong(span);
        }
        let function = self.program.function(id);
        let (name, kind) = (function.name.clone(), function.kind);
        let params = function.params.clone();
        let site = crate::binding::CallSite {
            name: &name,
            args_span,
            span,
        };
        let Some(matched) = self.given(&site, &params, args) else {
            return self.wrong(span);
        };
        if kind == FunctionKind::Elementwise {
            return self.call_untyped(id, matched, span);
        }
        self.call_typed(id, &site, &params, matched)
    }

    /// A call of a function or method with types, its arguments matched to `params`.
    pub(crate) fn call_typed(
        &mut self,
        id: FnId,
        site: &crate::binding::CallSite<'_>,
        params: &[Parameter],
        matched: Vec<Option<&CallArg<'_>>>,
    ) -> Expr {
        let (name, span) = (site.name, site.span);
        let Some((args, bound)) = self.bind_call(site, params, matched) else {
            return self.wrong(span);
        };
        if !self.typed_before(id, span) {
            return self.wrong(span);
        }
        let axis_names = self.program.function(id).axis_names.clone();
        let state = &self.functions[id.0 as usize];
        if state.broken {
            return self.wrong(span);
        }
        if state.needs_mode {
            self.needs_mode(span, name);
        }
        let result = self.program.function(id).result.clone();
        let ty = self.result_at_call(&result, &bound, name, span);
        let kind = ExprKind::Call {
            function: id,
            instance: 0,
            args,
            sizes: bound.size_bindings(&axis_names),
        };
        if ty.is_error() {
            return self.wrong(span);
        }
        Expr { kind, ty, span }
    }

    /// A use of dropout, by itself or through a function: E2201 in the script outside a mode.
    pub(crate) fn needs_mode(&mut self, span: Span, name: &str) {
        if self.body.mode.is_some() {
            return;
        }
        if self.body.function.is_some() {
            self.body.needs_mode = true;
            return;
        }
        let finding = Diagnostic::new(
            Code::E2201,
            span,
            match name {
                "dropout" => "dropout needs a mode".to_owned(),
                name => format!("{name} uses dropout, so it needs a mode"),
            },
        )
        .note("Put it in `with train:` or `with eval:`.");
        self.report(finding);
    }

    /// The arguments in the parameters' order; E0703 for one that must be given.
    pub(crate) fn given<'x, 't>(
        &mut self,
        site: &crate::binding::CallSite<'_>,
        params: &[Parameter],
        args: &'x [CallArg<'t>],
    ) -> Option<Vec<Option<&'x CallArg<'t>>>> {
        let names: Vec<Arc<str>> = params.iter().map(|param| param.name.clone()).collect();
        let Some(found) = self.match_args(site.name, &names, args) else {
            self.type_anyway(args);
            return None;
        };
        for (param, arg) in params.iter().zip(&found) {
            if arg.is_none() && param.default.is_none() {
                let finding = Diagnostic::new(
                    Code::E0703,
                    site.args_span,
                    format!("{} needs `{}`", site.name, param.name),
                )
                .label(param.span, format!("the parameter {}", param.name));
                self.report(finding);
                self.type_anyway(args);
                return None;
            }
        }
        Some(found)
    }

    /// `value.a.b(args)` where the path's first name is a variable.
    fn call_through(
        &mut self,
        path: &[ast::Ident],
        local: LocalId,
        args: &[CallArg<'_>],
        span: Span,
    ) -> Expr {
        let ty = self
            .variable(&path[0].name)
            .map(|variable| variable.ty.clone());
        let mut value = Expr {
            kind: ExprKind::Local(local),
            ty: ty.unwrap_or(Type::Error),
            span: path[0].span,
        };
        self.hover(path[0].span, &value.ty);
        let (last, between) = match path.split_last() {
            Some((last, between)) if !between.is_empty() => (last, &between[1..]),
            _ => return self.call_value(value, args, span),
        };
        for name in between {
            let whole = value.span.to(name.span);
            value = self.field_of(value, name, whole);
        }
        self.call_method(value, last, args, span)
    }

    pub(crate) fn call_method(
        &mut self,
        base: Expr,
        name: &ast::Ident,
        args: &[CallArg<'_>],
        span: Span,
    ) -> Expr {
        if self.is_caret(name.span.start) {
            self.note_caret(Some((base.ty.clone(), 0)), None);
        }
        match &base.ty {
            Type::Tensor(_) => {
                self.tensor_method(&base, name, args, span);
                self.wrong(span)
            }
            Type::Error if self.is_spelled(base.span) => {
                self.tensor_method(&base, name, args, span);
                self.wrong(span)
            }
            Type::Model(model) => {
                let model = *model;
                self.model_method(base, model, None, name, args, span)
            }
            _ => {
                let whole = base.span.to(name.span);
                let value = self.field_of(base, name, whole);
                self.call_value(value, args, span)
            }
        }
    }

    /// A call of a value: a Python value's call, E0707 otherwise.
    pub(crate) fn call_value(&mut self, callee: Expr, args: &[CallArg<'_>], span: Span) -> Expr {
        match callee.ty {
            Type::Py => self.call_py(callee, args, span),
            Type::Model(_) => self.call_forward(callee, None, args, span),
            Type::Error => {
                self.type_anyway(args);
                self.wrong(span)
            }
            _ => {
                let ty = self.show(&callee.ty);
                let message = format!("a value of type {ty} can't be called");
                self.error(Code::E0707, callee.span, message);
                self.type_anyway(args);
                self.wrong(span)
            }
        }
    }
}

/// The expression without the `mut` before it, and the place of that.
fn without_mut(expr: &ast::Expr) -> Option<(ast::Expr, Span)> {
    match &expr.kind {
        ast::ExprKind::Mut(inner) => {
            let word = Span::new(expr.span.start, inner.span.start);
            Some(((**inner).clone(), word))
        }
        ast::ExprKind::Field { base, name } => {
            let (base, word) = without_mut(base)?;
            let span = Span::new(base.span.start, expr.span.end);
            let name = name.clone();
            let base = Box::new(base);
            let kind = ast::ExprKind::Field { base, name };
            Some((ast::Expr { kind, span }, word))
        }
        ast::ExprKind::Index { base, items } => {
            let (base, word) = without_mut(base)?;
            let span = Span::new(base.span.start, expr.span.end);
            let items = items.clone();
            let base = Box::new(base);
            let kind = ast::ExprKind::Index { base, items };
            Some((ast::Expr { kind, span }, word))
        }
        _ => None,
    }
}

/// The names of `a.b.c`.
pub(crate) fn path_of(expr: &ast::Expr) -> Option<Vec<ast::Ident>> {
    match &expr.kind {
        ast::ExprKind::Name(name) => Some(vec![ast::Ident {
            name: name.clone(),
            span: expr.span,
        }]),
        ast::ExprKind::Field { base, name } => {
            let mut path = path_of(base)?;
            path.push(name.clone());
            Some(path)
        }
        _ => None,
    }
}

/// `x, w and b`
pub(crate) fn list(names: &[Arc<str>]) -> String {
    match names {
        [] => String::new(),
        [one] => one.to_string(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
