//! The function of a map or filter: a lambda, or a pipe stage applied to each element.

use strand_ir::{Expr, ExprKind, Iter, Lambda, Local, LocalId, LocalKind, Type};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast::{self, Name};

use crate::calls::{CallArg, path_of};
use crate::chains::iterator_path;
use crate::context::Checker;
use crate::heads::without_parens;
use crate::scope::Scope;

/// A stage as it stands where a function is wanted.
enum NamedStage<'t> {
    /// `gelu`, `clamp(0.0, 1.0)`
    Call {
        path: Vec<ast::Ident>,
        args: Option<&'t [ast::Arg]>,
        args_span: Span,
    },
    /// `to f32`
    Convert {
        how: ast::Conversion,
        ty: &'t ast::TypeExpr,
    },
}

impl Checker<'_> {
    /// The function of a stage, on elements of the iteration `input`. `None` where it is wrong
    /// as a whole.
    pub(crate) fn stage_function(
        &mut self,
        function: &ast::Expr,
        input: &Iter,
        stage: &str,
    ) -> Option<Lambda> {
        if let ast::ExprKind::Lambda(lambda) = &without_parens(function).kind {
            return Some(self.lambda(lambda, function.span, input));
        }
        if matches!(function.kind, ast::ExprKind::Error) {
            return None;
        }
        let Some(named) = named_stage(function) else {
            self.refuse_function(function, stage);
            return None;
        };
        if let NamedStage::Call { path, .. } = &named
            && let Some(inner) = iterator_path(path)
        {
            let message = format!("{stage}'s function can't be {inner}, which needs a pipe");
            let note = format!("A chain for each element is a lambda: v => v |> {inner}(...).");
            self.report(Diagnostic::new(Code::E3201, function.span, message).note(note));
            return None;
        }
        if input.parts.len() > 1 {
            self.refuse_pairs(function, &named, input.parts.len());
            return None;
        }
        let part = input.parts.first().cloned().unwrap_or(Type::Error);
        Some(self.named_function(&named, function.span, part))
    }

    fn refuse_function(&mut self, function: &ast::Expr, stage: &str) {
        let message = format!("{stage}'s function is a lambda or a stage, not a value");
        let note = "Write `v => ...`, or a stage as `gelu`, `clamp(0.0, 1.0)` or `to f32`.";
        let mut finding = Diagnostic::new(Code::E3201, function.span, message).note(note);
        if let ast::ExprKind::Pipe { head, .. } = &function.kind
            && named_stage(head).is_some()
        {
            let lambda = format!("v => v |> {}", function.span.text(self.text));
            finding = finding.write(function.span, lambda);
        }
        self.report(finding);
    }

    /// E3206 for a stage given by name where elements have several parts.
    fn refuse_pairs(&mut self, function: &ast::Expr, named: &NamedStage<'_>, parts: usize) {
        let what = if parts == 2 { "pairs" } else { "triples" };
        let text = self.quote(function.span);
        let message = format!("{text} takes one element; these are {what}");
        let mut finding = Diagnostic::new(Code::E3206, function.span, message)
            .note("A lambda takes them apart: (a, b) => ...");
        if let NamedStage::Call { args: None, .. } = named {
            let names = ["a", "b", "c", "d"];
            if let Some(names) = names.get(..parts) {
                let list = names.join(", ");
                let call = format!("({list}) => {text}({list})");
                finding = finding.write(function.span, call);
            }
        }
        self.report(finding);
    }

    /// A lambda on the elements of an iteration.
    fn lambda(&mut self, lambda: &ast::Lambda, span: Span, input: &Iter) -> Lambda {
        let wrong = input.parts.iter().any(Type::is_error);
        let fits = lambda.params.len() == input.parts.len();
        if !fits && !wrong {
            self.refuse_parameters(lambda, input);
        }
        let axis_names = self.body.axis_names.clone();
        self.body.scopes.push(Scope::default());
        self.body.lambdas += 1;
        let params = (0..lambda.params.len())
            .map(|at| {
                let ty = input.parts.get(at).filter(|_| fits);
                self.lambda_parameter(&lambda.params, at, ty.cloned().unwrap_or(Type::Error))
            })
            .collect();
        let body = self.expr(&lambda.body, None);
        self.body.lambdas -= 1;
        self.body.scopes.pop();
        self.body.axis_names = axis_names;
        Lambda {
            params,
            body,
            by_name: false,
            span,
        }
    }

    fn lambda_parameter(
        &mut self,
        params: &[ast::LambdaParam],
        at: usize,
        ty: Type,
    ) -> Option<LocalId> {
        let param = &params[at];
        let name = param.name.as_ref()?;
        if let Some(symbol) = self.symbol(name) {
            let origin = self.program.symbols.get(symbol).span;
            let finding = Diagnostic::new(
                Code::E0303,
                param.span,
                format!("{name} is a size here: a parameter can't have its name"),
            )
            .label(origin, format!("{name} is this axis or dim"));
            self.report(finding);
        } else if let Some(first) = params[..at]
            .iter()
            .find(|other| other.name.as_ref() == Some(name))
        {
            let finding = Diagnostic::new(
                Code::E0302,
                param.span,
                format!("{name} is a parameter of this lambda already"),
            )
            .label(first.span, "the first one");
            self.report(finding);
        }
        self.hover(param.span, &ty);
        Some(self.bind(name, LocalKind::Lambda, ty, param.span))
    }

    /// E3206 for a lambda without just one parameter for each part.
    fn refuse_parameters(&mut self, lambda: &ast::Lambda, input: &Iter) {
        let (parts, given) = (input.parts.len(), lambda.params.len());
        let what = match parts {
            1 => "an element is one value".to_owned(),
            2 => "an element is a pair".to_owned(),
            3 => "an element is a triple".to_owned(),
            _ => format!("an element has {parts} parts"),
        };
        let plural = if given == 1 { "" } else { "s" };
        let message = format!("{what}, and this lambda has {given} parameter{plural}");
        let types: Vec<_> = input.parts.iter().map(|part| self.show(part)).collect();
        let mut finding = Diagnostic::new(Code::E3206, lambda.params_span, message)
            .note(format!("The parts are {}.", types.join(" and ")));
        if let Some(mended) = mended_parameters(&lambda.params, parts) {
            finding = finding.write(lambda.params_span, mended);
        }
        self.report(finding);
    }

    /// A stage given by name, as the call of it on one parameter.
    fn named_function(&mut self, named: &NamedStage<'_>, span: Span, part: Type) -> Lambda {
        let param = self.element_parameter(part.clone(), span);
        let element = Expr {
            kind: ExprKind::Local(param),
            ty: part,
            span,
        };
        self.body.lambdas += 1;
        let body = match named {
            NamedStage::Call {
                path,
                args,
                args_span,
            } => self.call_with(path, *args, *args_span, element, span),
            NamedStage::Convert { how, ty } => self.convert_value(span, *how, element, ty),
        };
        self.body.lambdas -= 1;
        Lambda {
            params: vec![Some(param)],
            body,
            by_name: true,
            span,
        }
    }

    /// The parameter that a stage given by name is applied to. No name in the text reaches it.
    fn element_parameter(&mut self, ty: Type, span: Span) -> LocalId {
        let mut name: Name = "v".into();
        let mut count = 1;
        while self.variable(&name).is_some() || self.symbol(&name).is_some() {
            count += 1;
            name = format!("v{count}").into();
        }
        let id = LocalId(self.body.locals.len() as u32);
        self.body.locals.push(Local {
            name,
            kind: LocalKind::Lambda,
            ty,
            span,
        });
        id
    }

    /// The call of a path on the value that a pipe hands in, at the place of its `_` or else
    /// first.
    pub(crate) fn call_with(
        &mut self,
        path: &[ast::Ident],
        args: Option<&[ast::Arg]>,
        args_span: Span,
        value: Expr,
        span: Span,
    ) -> Expr {
        let args = args.unwrap_or_default();
        let mut value = Some(value);
        let mut list = Vec::with_capacity(args.len() + 1);
        let mut wrong = false;
        for arg in args {
            if !matches!(arg.value.kind, ast::ExprKind::Placeholder) {
                list.push(CallArg::Written(arg));
                continue;
            }
            if let Some(keyword) = arg.name.as_ref().filter(|name| &*name.name == "over") {
                wrong = true;
                let message = format!("{}= names an axis; the value can't be one", keyword.name);
                self.error(Code::E0704, arg.value.span, message);
                continue;
            }
            match value.take() {
                Some(value) => list.push(match &arg.name {
                    Some(keyword) => CallArg::Keyed(keyword, value),
                    None => CallArg::Typed(value),
                }),
                None => {
                    wrong = true;
                    let message = "the value goes to one `_`, and this is the second";
                    self.error(Code::E3204, arg.value.span, message);
                }
            }
        }
        if let Some(value) = value {
            // A value that was meant for a deeper `_` isn't the first argument too.
            let deep = args.iter().find_map(|arg| placeholder_in(&arg.value));
            if let Some(deep) = deep.filter(|_| !wrong) {
                wrong = true;
                let message = "`_` is a whole argument of the stage, not a part of one";
                let note = "A lambda uses the value anywhere: `map(v => ...)`.";
                self.report(Diagnostic::new(Code::E3203, deep, message).note(note));
            }
            list.insert(0, CallArg::Typed(value));
        }
        if wrong {
            return self.wrong(span);
        }
        self.call_path(path, &list, args_span, span)
    }
}

/// A stage where a function is wanted; `None` for what can't be one.
fn named_stage(function: &ast::Expr) -> Option<NamedStage<'_>> {
    match &function.kind {
        ast::ExprKind::Call {
            callee,
            args,
            args_span,
        } => Some(NamedStage::Call {
            path: path_of(callee)?,
            args: Some(args),
            args_span: *args_span,
        }),
        ast::ExprKind::Convert { how, value, ty } => {
            matches!(value.kind, ast::ExprKind::Placeholder)
                .then_some(NamedStage::Convert { how: *how, ty })
        }
        _ => Some(NamedStage::Call {
            path: path_of(function)?,
            args: None,
            args_span: function.span,
        }),
    }
}

/// The first `_` in an argument that isn't one of a pipe inside it.
fn placeholder_in(expr: &ast::Expr) -> Option<Span> {
    use ast::ExprKind as Kind;
    match &expr.kind {
        Kind::Placeholder => (!expr.span.is_empty()).then_some(expr.span),
        Kind::Paren(inner) | Kind::Unary { operand: inner, .. } => placeholder_in(inner),
        Kind::Convert { value, .. } | Kind::Field { base: value, .. } => placeholder_in(value),
        Kind::Binary { left, right, .. } => placeholder_in(left).or_else(|| placeholder_in(right)),
        Kind::Tuple(parts) | Kind::Literal(parts) => parts.iter().find_map(placeholder_in),
        Kind::Call { args, .. } => args.iter().find_map(|arg| placeholder_in(&arg.value)),
        Kind::Index { base, items } => placeholder_in(base).or_else(|| {
            items.iter().find_map(|item| match item {
                ast::IndexItem::Expr(expr) => placeholder_in(expr),
                _ => None,
            })
        }),
        Kind::If {
            then,
            condition,
            otherwise,
        } => [then, condition, otherwise]
            .into_iter()
            .find_map(|part| placeholder_in(part)),
        Kind::Pipe { head, .. } => placeholder_in(head),
        _ => None,
    }
}

/// Parameters for so many parts: those that are there, then `_`.
fn mended_parameters(params: &[ast::LambdaParam], parts: usize) -> Option<String> {
    if params.len() >= parts {
        return None;
    }
    let names: Vec<&str> = params
        .iter()
        .map(|param| param.name.as_deref().unwrap_or("_"))
        .chain(std::iter::repeat("_"))
        .take(parts)
        .collect();
    Some(format!("({})", names.join(", ")))
}
