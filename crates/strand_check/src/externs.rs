//! Calls of extern functions and of Python's modules and values.

use strand_ir::{Expr, ExprKind, ExternId, Host, ImportId, PyExpr, TensorType, Type};
use strand_ops::DType;
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::calls::CallArg;
use crate::context::Checker;

impl Checker<'_> {
    /// Whether an extern function's types have no shapes: it has none, or those of host values.
    pub(crate) fn is_elementwise_extern(&self, id: ExternId) -> bool {
        let external = self.program.external(id);
        let params = external.params.iter().filter_map(|param| param.ty.as_ref());
        let typed = external.params.is_empty() || external.params.iter().any(|p| p.ty.is_some());
        let result = external.result.as_ref().filter(|_| typed);
        params
            .chain(result)
            .all(|ty| matches!(ty, Type::Host(_) | Type::Error))
    }

    pub(crate) fn call_extern(
        &mut self,
        id: ExternId,
        args: &[CallArg<'_>],
        args_span: Span,
        span: Span,
    ) -> Expr {
        let function = self.program.external(id);
        let (name, module) = (function.name.clone(), function.module.clone());
        let params = function.params.clone();
        let (result, axis_names) = (function.result.clone(), function.axis_names.clone());
        let site = crate::binding::CallSite {
            name: &name,
            args_span,
            span,
        };
        let typed = params.iter().any(|param| param.ty.is_some());
        if self.body.untyped && !self.is_elementwise_extern(id) {
            // Said at the declaration of the untyped function.
            self.type_anyway(args);
            return self.wrong(span);
        }
        let Some(matched) = self.given(&site, &params, args) else {
            return self.wrong(span);
        };
        if let (true, Some(result)) = (typed || params.is_empty(), result) {
            let Some((args, bound)) = self.bind_call(&site, &params, matched) else {
                return self.wrong(span);
            };
            let ty = self.result_at_call(&result, &bound, &name, span);
            let kind = ExprKind::Extern {
                function: id,
                args,
                sizes: bound.size_bindings(&axis_names),
            };
            return Expr { kind, ty, span };
        }
        let given = matched.into_iter().flatten();
        let values: Vec<Expr> = given.map(|arg| self.argument(arg, None, false)).collect();
        let ty = self.extern_elementwise(&name, &module, &values);
        match ty {
            Some(ty) => {
                let kind = ExprKind::Extern {
                    function: id,
                    args: values,
                    sizes: Vec::new(),
                };
                Expr { kind, ty, span }
            }
            None => self.wrong(span),
        }
    }

    /// The type that an extern function without types gives of its arguments.
    pub(crate) fn extern_elementwise(
        &mut self,
        name: &str,
        module: &str,
        values: &[Expr],
    ) -> Option<Type> {
        if values.iter().any(|value| value.ty.is_error()) {
            return None;
        }
        for value in values {
            if !self.is_operand(value, name) {
                return None;
            }
            if module == "math" && value.ty.tensor().is_some() {
                let finding = Diagnostic::new(
                    Code::E0704,
                    value.span,
                    format!("{name} is of Python's math: it takes numbers, not tensors"),
                );
                self.report(finding);
                return None;
            }
        }
        if module == "math" {
            return Some(Type::Host(Host::Float));
        }
        self.elementwise_type(name, values, None)
            .map(Type::Tensor)
            .or_else(|| {
                let hosts = values.iter().all(|value| value.ty.tensor().is_none());
                hosts.then(|| Type::Tensor(TensorType::new(Vec::new(), DType::F32)))
            })
    }

    pub(crate) fn call_module(
        &mut self,
        path: &[ast::Ident],
        import: ImportId,
        args: &[CallArg<'_>],
        span: Span,
    ) -> Expr {
        let mut value = Expr {
            kind: ExprKind::Py(PyExpr::Module(import)),
            ty: Type::Py,
            span: path[0].span,
        };
        if path.len() == 1 {
            let message = format!("`{}` is a module; call a name of it", path[0].name);
            self.error(Code::E0707, path[0].span, message);
            self.type_anyway(args);
            return self.wrong(span);
        }
        for name in &path[1..] {
            let whole = value.span.to(name.span);
            value = self.field_of(value, name, whole);
        }
        self.call_value(value, args, span)
    }

    pub(crate) fn call_py(&mut self, callee: Expr, args: &[CallArg<'_>], span: Span) -> Expr {
        let mut typed = Vec::with_capacity(args.len());
        let mut wrong = false;
        for arg in args {
            let value = self.argument(arg, None, false);
            wrong |= !self.is_value(&value);
            let keyword = arg.keyword().map(|keyword| keyword.name.to_string());
            typed.push((keyword, value));
        }
        if wrong {
            return self.wrong(span);
        }
        Expr {
            kind: ExprKind::Py(PyExpr::Call(Box::new(callee), typed)),
            ty: Type::Py,
            span,
        }
    }
}
