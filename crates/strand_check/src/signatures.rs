//! Signatures: parameters with their types and defaults, the axis names that they bind, results.

use strand_ir::{FnId, FunctionKind, How, ModelId, Parameter, Type};
use strand_source::{Code, Diagnostic};
use strand_syntax::ast::{self, SizeExprKind, TypeExprKind};

use crate::context::{BodyState, Checker};
use crate::fit::Slot;
use crate::types::TypePlace;

impl Checker<'_> {
    /// The axis names bound so far, in the order in which they were bound.
    pub(crate) fn signature_symbols(&self) -> Vec<strand_ir::SymbolId> {
        let mut symbols: Vec<_> = self.body.axis_names.values().copied().collect();
        strand_source::sort(&mut symbols);
        symbols
    }

    /// The parameters of a signature; its axis names come into scope. Says too whether all is well.
    /// `model` is the one whose method it is, so that the first parameter is `self`.
    pub(crate) fn parameters(
        &mut self,
        params: &[ast::Param],
        model: Option<ModelId>,
    ) -> (Vec<Parameter>, bool) {
        for param in params {
            if let Some(ty) = &param.ty {
                self.bind_bare_names(ty);
            }
        }
        let mut typed: Vec<Parameter> = Vec::with_capacity(params.len());
        let mut fine = true;
        let mut first_default: Option<&ast::Param> = None;
        for param in params {
            if let Some(first) = typed.iter().find(|first| first.name == param.name.name) {
                let first = first.span;
                self.defined_twice(&param.name, first);
                fine = false;
            }
            fine &= !self.is_axis_or_dim(&param.name);
            let written = param.ty.as_ref();
            let ty = match (written, model) {
                (None, Some(model)) if typed.is_empty() => Some(Type::Model(model)),
                _ => written.map(|ty| self.tensor_type(ty, TypePlace::Signature)),
            };
            let ty = ty.map(|ty| self.of_parameter(ty, &param.name.name));
            fine &= ty.as_ref().is_none_or(|ty| !ty.is_error());
            if let Some(host @ Type::Host(_)) = &ty {
                let name = param.name.name.clone();
                self.body.host_params.insert(name, host.clone());
            }
            let default = param.default.as_ref();
            let default = default.map(|value| self.default(value, ty.as_ref(), param));
            match (&default, first_default) {
                (Some(_), None) => first_default = Some(param),
                (None, Some(first)) => {
                    let finding = Diagnostic::new(
                        Code::E0703,
                        param.name.span,
                        format!(
                            "{} needs a default, as one before it has one",
                            param.name.name
                        ),
                    )
                    .label(first.span, "the one with a default");
                    self.report(finding);
                    first_default = None;
                }
                _ => {}
            }
            typed.push(Parameter {
                name: param.name.name.clone(),
                ty,
                default,
                mutable: param.mutable.is_some(),
                span: param.name.span,
            });
        }
        (typed, fine)
    }

    /// A parameter's type, whose axes know that they are the parameter's.
    fn of_parameter(&mut self, ty: Type, name: &ast::Name) -> Type {
        let Type::Tensor(mut tensor) = ty else {
            return ty;
        };
        let rank = tensor.rank().min(255) as u8;
        for (at, axis) in tensor.axes.iter_mut().enumerate() {
            let how = How::Parameter(at.min(255) as u8, rank, name.clone());
            let place = axis.origin.span().unwrap_or_default();
            *axis = axis.clone().made(how, place);
            if let Some(symbol) = axis.name
                && !self.origins.contains_key(&symbol)
            {
                self.origins.insert(symbol, axis.origin.clone());
            }
        }
        Type::Tensor(tensor)
    }

    /// Binds the names that stand alone in a parameter's type.
    fn bind_bare_names(&mut self, ty: &ast::TypeExpr) {
        let (shape, domain, sizes) = match &ty.kind {
            TypeExprKind::Tensor { shape, domain, .. } => {
                (shape.as_ref(), domain.as_ref(), &[][..])
            }
            TypeExprKind::Named { sizes, .. } => (None, None, sizes.as_slice()),
            _ => return,
        };
        let axes = shape.into_iter().flat_map(|shape| &shape.axes);
        let index = domain.and_then(|domain| domain.index.as_ref());
        for size in axes.chain(index).chain(sizes) {
            if let SizeExprKind::Name(name) = &size.kind
                && self.symbol(name).is_none()
            {
                self.bind_axis_name(name, size.span);
            }
        }
    }

    fn default(
        &mut self,
        value: &ast::Expr,
        ty: Option<&Type>,
        param: &ast::Param,
    ) -> strand_ir::Expr {
        let mut typed = self.expr(value, ty);
        if typed.ty.is_error() {
            return typed;
        }
        if !self.is_literal(&typed) {
            let message = "a default is a literal: a number, true, false or a text";
            self.error(Code::E0704, value.span, message);
            return self.wrong(value.span);
        }
        if let (Some(ty), Some(written)) = (ty, &param.ty) {
            typed = self.fit(typed, ty, &Slot::Annotation(written.span));
        }
        typed
    }

    pub(crate) fn signature(&mut self, id: FnId) {
        let decl = self.functions[id.0 as usize].decl;
        let found = self.diagnostics.len();
        self.functions[id.0 as usize].found = found..usize::MAX;
        self.body = BodyState {
            function: Some(id),
            ..BodyState::default()
        };
        let model = self.functions[id.0 as usize].model;
        if let Some(model) = model {
            self.enter_model(model);
        }
        let (params, mut fine) = self.parameters(&decl.params, model);
        let untyped = params.iter().any(|param| param.ty.is_none());
        if model.is_some() {
            fine &= self.method_parameters(decl);
        } else if untyped {
            if let Some(changed) = decl.params.iter().find_map(|param| param.mutable) {
                let message = "a function without types changes nothing: write its types";
                self.error(Code::E0705, changed, message);
                fine = false;
            }
            for (param, typed) in decl.params.iter().zip(&params) {
                if let Some(ty) = typed.ty.clone() {
                    self.beside_untyped(param, &ty);
                }
            }
        }
        let axis_names = self.signature_symbols();
        let declared = decl.result.as_ref();
        let declared = declared.map(|ty| self.tensor_type(ty, TypePlace::Result));
        fine &= declared.as_ref().is_none_or(|ty| !ty.is_error());
        let state = &mut self.functions[id.0 as usize];
        state.axis_names = std::mem::take(&mut self.body.axis_names);
        state.declared.clone_from(&declared);
        // A wrong signature has said so; calls of it say nothing more.
        state.broken = !fine;
        state.found.end = self.diagnostics.len();
        let function = &mut self.program.functions[id.0 as usize];
        function.params = params;
        function.axis_names = axis_names;
        function.result = declared.unwrap_or(Type::Error);
        let signature = self.signature_text(id);
        self.program.functions[id.0 as usize].signature = signature;
    }

    /// `fn scale(x: [n D], w: [n]) -> [n D]`
    pub(crate) fn signature_text(&self, id: FnId) -> String {
        let function = self.program.function(id);
        let decl = self.functions[id.0 as usize].decl;
        let params = function.params.iter().zip(&decl.params);
        let params: Vec<String> = params
            .map(|(param, written)| {
                let mut text = String::new();
                if param.mutable {
                    text.push_str("mut ");
                }
                text.push_str(&param.name);
                let is_self = function.is_method() && written.ty.is_none();
                if let Some(ty) = param.ty.as_ref().filter(|_| !is_self) {
                    let ty = match (ty, &written.ty) {
                        (Type::Error, Some(written)) => written.span.text(self.text).to_owned(),
                        (ty, _) => self.show(ty),
                    };
                    text.push_str(&format!(": {ty}"));
                }
                if let Some(default) = &written.default {
                    text.push_str(&format!(" = {}", default.span.text(self.text)));
                }
                text
            })
            .collect();
        let mut text = format!("fn {}({})", function.name, params.join(", "));
        let untyped = function.kind == FunctionKind::Elementwise;
        match &function.result {
            Type::Nothing => {}
            Type::Error => {
                if let Some(written) = &decl.result {
                    text.push_str(&format!(" -> {}", written.span.text(self.text)));
                }
            }
            _ if untyped && decl.result.is_none() => {}
            result if self.has_births(result) && decl.result.is_some() => {
                let written = decl.result.as_ref().map(|ty| ty.span.text(self.text));
                text.push_str(&format!(" -> {}", written.unwrap_or("?")));
            }
            result => text.push_str(&format!(" -> {}", self.show(result))),
        }
        text
    }

    /// Whether sizes in a type are known only while running.
    fn has_births(&self, ty: &Type) -> bool {
        match ty {
            Type::Tensor(tensor) => tensor
                .axes
                .iter()
                .any(|axis| axis.size.symbols().into_iter().any(|s| self.is_birth(s))),
            Type::Tuple(parts) => parts.iter().any(|part| self.has_births(part)),
            _ => false,
        }
    }
}
