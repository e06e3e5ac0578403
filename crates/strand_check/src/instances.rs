//! Untyped functions: elementwise, typed again for each signature they are called with.

use strand_ir::{Expr, ExprKind, FnId, Host, TensorType, Type};
use strand_ops::DType;
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::bodies::{BodyStart, BodyText};
use crate::calls::CallArg;
use crate::context::Checker;
use crate::fit::Slot;

/// How much of the nesting that [`Checker::expr`] allows an untyped function's body takes.
const BODY_DEPTH: u32 = 2;

/// Up to how many parameters without types are tried with two of other kinds.
const EVERY_KIND: usize = 3;
/// More parameters without types than these are all of one kind.
const MANY: usize = 12;

impl Checker<'_> {
    /// Whether a function's parameters have no shapes, as elementwise code needs.
    pub(crate) fn is_elementwise_function(&self, id: FnId) -> bool {
        let params = &self.program.function(id).params;
        params
            .iter()
            .all(|param| !matches!(param.ty, Some(Type::Tensor(_) | Type::Model(_) | Type::Py)))
    }

    /// A call of an untyped function with its matched arguments.
    pub(crate) fn call_untyped(
        &mut self,
        id: FnId,
        args: Vec<Option<&CallArg<'_>>>,
        span: Span,
    ) -> Expr {
        let function = self.program.function(id);
        let (name, params) = (function.name.clone(), function.params.clone());
        let mut values = Vec::with_capacity(params.len());
        let mut fine = true;
        for (param, arg) in params.iter().zip(args) {
            let value = match (arg, &param.default) {
                (Some(arg), _) => self.argument(arg, param.ty.as_ref(), param.mutable),
                (None, Some(default)) => default.clone(),
                (None, None) => self.wrong(span),
            };
            let value = match &param.ty {
                Some(wanted) => {
                    let slot = Slot::Argument {
                        function: &name,
                        param,
                    };
                    self.fit(value, wanted, &slot)
                }
                None => value,
            };
            fine &= !value.ty.is_error();
            if fine && param.ty.is_none() {
                fine &= self.is_operand(&value, &name);
            }
            values.push(value);
        }
        let state = &self.functions[id.0 as usize];
        if !fine || state.broken {
            return self.wrong(span);
        }
        let types: Vec<Type> = values.iter().map(|value| value.ty.clone()).collect();
        let Some(instance) = self.instance(id, types, span) else {
            return self.wrong(span);
        };
        let ty = self.program.function(id).instances[instance]
            .result
            .clone()
            .unwrap_or(Type::Nothing);
        let ty = self.untyped_result_at_call(&ty, &values, &name, span);
        if ty.is_error() {
            return self.wrong(span);
        }
        let kind = ExprKind::Call {
            function: id,
            instance,
            args: values,
            sizes: Vec::new(),
        };
        Expr { kind, ty, span }
    }

    /// The body of an untyped function for the types of its arguments; `None` where it can't be
    /// called with them, which is reported once, at the first such call.
    fn instance(&mut self, id: FnId, types: Vec<Type>, span: Span) -> Option<usize> {
        let state = &self.functions[id.0 as usize];
        let known = state.instances.iter().find(|(known, _)| *known == types);
        if let Some((_, instance)) = known {
            return *instance;
        }
        if state.open {
            // E0706 is said of it.
            return None;
        }
        if !self.has_room() {
            self.too_deep(span);
            return None;
        }
        let (typed, findings) = self.try_instance(id, &types);
        let known = match findings.into_iter().find(Diagnostic::is_error) {
            None => {
                let function = &mut self.program.functions[id.0 as usize];
                function.instances.push(typed);
                Some(function.instances.len() - 1)
            }
            // Too deep from here; not so from elsewhere.
            Some(wrong) if wrong.code == Code::E0107 => {
                self.too_deep(span);
                return None;
            }
            Some(wrong) => {
                let name = self.program.function(id).name.clone();
                let finding = Diagnostic::new(
                    wrong.code,
                    span,
                    crate::operators::short(
                        format!("in {name}: {}", wrong.message),
                        format!("{name} can't take these values"),
                    ),
                )
                .label(wrong.span, wrong.message);
                self.report(finding);
                None
            }
        };
        let state = &mut self.functions[id.0 as usize];
        state.instances.push((types, known));
        known
    }

    fn too_deep(&mut self, span: Span) {
        let message = "calls of functions without types are nested too deep here";
        self.error(Code::E0107, span, message);
    }

    /// Types an untyped function's body for the types of its arguments, apart from what is being
    /// typed.
    fn try_instance(&mut self, id: FnId, types: &[Type]) -> (strand_ir::Body, Vec<Diagnostic>) {
        let decl = self.functions[id.0 as usize].decl;
        let params = decl.params.iter().zip(types);
        let start = BodyStart {
            function: Some(id),
            params: params
                .map(|(param, ty)| (param.name.clone(), ty.clone()))
                .collect(),
            axis_names: strand_source::Map::new(),
            result: None,
            untyped: true,
            body: BodyText::Function(&decl.body),
        };
        self.functions[id.0 as usize].open = true;
        let outer = std::mem::take(&mut self.diagnostics);
        let silent = std::mem::take(&mut self.silent);
        let (inlays, hovers) = (self.inlays.len(), self.hovers.len());
        self.depth += BODY_DEPTH;
        let mut typed = self.typed_body(&start);
        self.depth -= BODY_DEPTH;
        self.silent = silent;
        let findings = std::mem::replace(&mut self.diagnostics, outer);
        let state = &mut self.functions[id.0 as usize];
        // What hover says is of the first body, which is typed at the declaration.
        if !state.instances.is_empty() || silent > 0 {
            self.inlays.truncate(inlays);
            self.hovers.truncate(hovers);
        }
        state.open = false;
        state.partial |= typed.partial;
        state.needs_mode |= typed.needs_mode;
        typed.body.result = Some(typed.result);
        (typed.body, findings)
    }

    /// Checks an untyped function where it is declared, with the first scalars that it takes. What
    /// no call could mend is reported there and keeps it from being called; where only the kinds
    /// that were tried don't fit, calls say so.
    pub(crate) fn check_untyped(&mut self, id: FnId) {
        let decl = self.functions[id.0 as usize].decl;
        if let Some((place, what)) = crate::elementwise::first_other(self, &decl.body) {
            let finding = Diagnostic::new(
                Code::E0704,
                place,
                format!("{what} isn't elementwise; a function without types must be"),
            )
            .label(decl.name.span, format!("{} has no types", decl.name.name))
            .note("Write the parameters' types, as in `x: [n D]`.");
            self.report(finding);
            self.functions[id.0 as usize].broken = true;
            return;
        }
        let params = self.program.function(id).params.clone();
        let open = params.iter().filter(|param| param.ty.is_none()).count();
        let mut common: Option<Vec<Diagnostic>> = None;
        for kinds in tried_kinds(open) {
            let mut kinds = kinds.into_iter();
            let types: Vec<Type> = params
                .iter()
                .map(|param| param.ty.clone().or_else(|| kinds.next()))
                .map(|ty| ty.unwrap_or(Type::Error))
                .collect();
            let (inlays, hovers) = (self.inlays.len(), self.hovers.len());
            let (body, findings) = self.try_instance(id, &types);
            if findings.iter().any(Diagnostic::is_error) {
                self.inlays.truncate(inlays);
                self.hovers.truncate(hovers);
                let same = |a: &Diagnostic, b: &Diagnostic| a.code == b.code && a.span == b.span;
                match &mut common {
                    None => common = Some(findings),
                    Some(common) => {
                        common.retain(|held| findings.iter().any(|found| same(held, found)));
                    }
                }
                if common.iter().flatten().any(|found| !is_of_kinds(found)) {
                    break;
                }
                continue;
            }
            for finding in findings {
                self.report(finding);
            }
            let function = &mut self.program.functions[id.0 as usize];
            function.result = body.result.clone().unwrap_or(Type::Nothing);
            function.instances.push(body);
            let at = function.instances.len() - 1;
            self.functions[id.0 as usize]
                .instances
                .push((types, Some(at)));
            return;
        }
        let common = common.unwrap_or_default();
        self.functions[id.0 as usize].broken = common.iter().any(Diagnostic::is_error);
        for finding in common {
            self.report(finding);
        }
    }

    /// Whether a parameter of a function without types may have the type that is written: a host
    /// type; E0704 otherwise.
    pub(crate) fn beside_untyped(&mut self, param: &ast::Param, ty: &Type) {
        if matches!(ty, Type::Host(_) | Type::Error) {
            return;
        }
        let place = param.ty.as_ref().map_or(param.span, |ty| ty.span);
        let finding = Diagnostic::new(
            Code::E0704,
            place,
            "beside a parameter without a type, types are int, float, bool or str",
        )
        .note("Write every parameter's type, or no shapes.");
        self.report(finding);
    }
}

/// Whether other kinds of parameters may mend what was found.
fn is_of_kinds(found: &Diagnostic) -> bool {
    let code = found.code.as_str();
    let kinds = ["E05", "E06", "E08", "E0704", "E0708"];
    !found.is_error() || kinds.iter().any(|start| code.starts_with(start))
}

/// The kinds of the parameters without types with which a body is tried: all of one kind, then
/// with one of them of another, then two.
fn tried_kinds(params: usize) -> Vec<Vec<Type>> {
    let tensor = |dtype| Type::Tensor(TensorType::new(Vec::new(), dtype));
    let tensors = [DType::F32, DType::Bool, DType::I64].map(tensor);
    let hosts = [Host::Bool, Host::Int, Host::Float].map(Type::Host);
    let kinds = || tensors.iter().chain(&hosts);
    let mut tried: Vec<Vec<Type>> = tensors
        .iter()
        .map(|kind| vec![kind.clone(); params])
        .collect();
    let others = |base: &[Type], from: usize| {
        let places = (from..params).flat_map(|at| kinds().map(move |kind| (at, kind)));
        let differ = places.filter(|(at, kind)| base.get(*at) != Some(*kind));
        let tried = differ.map(|(at, kind)| {
            let mut types = base.to_vec();
            types[at] = kind.clone();
            (at + 1, types)
        });
        tried.collect::<Vec<_>>()
    };
    let bases = if params <= MANY { &tensors[..] } else { &[] };
    let mut second = Vec::new();
    for base in bases {
        for (next, one) in others(&vec![base.clone(); params], 0) {
            if params <= EVERY_KIND {
                second.extend(others(&one, next).into_iter().map(|(_, two)| two));
            }
            tried.push(one);
        }
    }
    tried.append(&mut second);
    tried
}
