//! Declarations: dims, functions, extern functions, imports, models; then bodies and the script.

use std::sync::Arc;

use strand_ir::{
    Comment, Extern, ExternId, FnId, Function, FunctionKind, Import, ImportId, ItemRef, ModelId,
    Type,
};
use strand_source::{Code, Diagnostic, Map, Span, continues_name, starts_name};
use strand_syntax::ast::{self, Item, Name, TypeExprKind};

use crate::bodies::{BodyStart, BodyText};
use crate::context::{BodyState, Checker, FunctionState, bound_names};
use crate::graph;
use crate::types::TypePlace;

impl<'a> Checker<'a> {
    /// Types a whole text.
    pub(crate) fn module(&mut self, module: &'a ast::Module) {
        self.unfinished.clone_from(&module.unfinished);
        self.program.comments = module.comments.iter().map(comment).collect();
        let script: Vec<&ast::Stmt> = module
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Stmt(stmt) => Some(stmt),
                _ => None,
            })
            .collect();
        let mut bound = Vec::new();
        for stmt in &script {
            bound_names(std::slice::from_ref(*stmt), &mut bound);
        }
        self.script_names = bound.into_iter().collect();
        self.dims(module);
        self.names(module);
        for item in &module.items {
            match item {
                Item::Extern(decl) => self.extern_fn(decl),
                Item::Import(decl) => self.import(decl),
                _ => {}
            }
        }
        self.models(module);
        for id in 0..self.functions.len() {
            self.signature(FnId(id as u32));
        }
        let order = self.calling_order();
        self.order = order.into_iter().map(|id| FnId(id as u32)).collect();
        for id in self.order.clone() {
            if !self.functions[id.0 as usize].begun {
                self.function(id);
            }
        }
        self.script(&script);
        self.take_early();
    }

    pub(crate) fn defined_twice(&mut self, name: &ast::Ident, first: Span) {
        let finding = Diagnostic::new(
            Code::E0302,
            name.span,
            format!("`{}` is defined twice", name.name),
        )
        .label(first, "the first time");
        self.report(finding);
    }

    /// Gives every function, extern function, import and model its id.
    fn names(&mut self, module: &'a ast::Module) {
        // Of equal names the last one given stands: the first of the text.
        let names = module.items.iter().rev().filter_map(declared);
        let places: Map<Name, Span> = names.map(|name| (name.name.clone(), name.span)).collect();
        let mut functions = Vec::new();
        for item in &module.items {
            if let Item::Reserved(reserved) = item {
                self.not_yet(reserved.word, reserved.span);
            }
            let Some(name) = declared(item) else { continue };
            let first = places.get(&name.name).copied();
            let first = first.filter(|place| *place != name.span);
            if let Some(first) = first {
                self.defined_twice(name, first);
            }
            if strand_ops::is_fixed(&name.name) {
                let message = format!("`{}` is reserved: it can't be defined", name.name);
                self.error(Code::E0305, name.span, message);
            }
            match item {
                Item::Fn(decl) => {
                    let id = self.function_name(decl, None);
                    if first.is_none() {
                        functions.push((name.name.clone(), id));
                    }
                }
                Item::Model(decl) => self.model_name(decl, first.is_none()),
                _ => {}
            }
        }
        self.globals.functions = functions.into_iter().collect();
    }

    /// Gives a function its id; of a method it is no name by itself.
    pub(crate) fn function_name(&mut self, decl: &'a ast::FnDecl, model: Option<ModelId>) -> FnId {
        let id = FnId(self.functions.len() as u32);
        self.functions.push(FunctionState {
            decl,
            model,
            found: 0..0,
            begun: false,
            axis_names: Map::new(),
            declared: None,
            open: false,
            broken: false,
            partial: false,
            needs_mode: false,
            instances: Vec::new(),
        });
        let untyped = decl.params.iter().any(|param| param.ty.is_none());
        if model.is_none() {
            self.program.order.push(ItemRef::Function(id));
        }
        self.program.functions.push(Function {
            name: decl.name.name.clone(),
            kind: match model {
                Some(model) => FunctionKind::Method(model),
                None if untyped => FunctionKind::Elementwise,
                None => FunctionKind::Typed,
            },
            params: Vec::new(),
            result: Type::Error,
            axis_names: Vec::new(),
            instances: Vec::new(),
            signature: String::new(),
            effects: Vec::new(),
            in_chain: false,
            chains: Vec::new(),
            has_error: false,
            name_span: decl.name.span,
            span: decl.span,
        });
        id
    }

    fn import(&mut self, decl: &ast::ImportDecl) {
        self.module_name(&decl.module, decl.module_span);
        let id = ImportId(self.program.imports.len() as u32);
        self.globals
            .imports
            .get_or_insert_with(decl.name.name.clone(), || id);
        self.program.order.push(ItemRef::Import(id));
        self.program.imports.push(Import {
            module: decl.module.clone(),
            name: decl.name.name.clone(),
            span: decl.span,
        });
    }

    /// E0704 of a module name that isn't a dotted identifier.
    fn module_name(&mut self, module: &str, span: Span) {
        let identifier = |part: &str| {
            let mut letters = part.chars();
            letters.next().is_some_and(starts_name) && letters.all(continues_name)
        };
        if !module.split('.').all(identifier) {
            let message = "a module's name is like `torch.linalg`";
            self.error(Code::E0704, span, message);
        }
    }

    fn extern_fn(&mut self, decl: &ast::ExternDecl) {
        self.module_name(&decl.module, decl.module_span);
        self.body = BodyState::default();
        let (params, _) = self.parameters(&decl.params, None);
        if let Some(changed) = decl.params.iter().find_map(|param| param.mutable) {
            let message = "an extern function's parameter can't be `mut`";
            self.error(Code::E0705, changed, message);
        }
        let typed = params.iter().any(|param| param.ty.is_some());
        if let (true, Some(odd)) = (typed, params.iter().find(|param| param.ty.is_none())) {
            let message = "an extern function has types on all its parameters or on none";
            self.error(Code::E0704, odd.span, message);
        }
        if decl.module == "math" {
            let tensor = |param: &&ast::Param| {
                let ty = param.ty.as_ref().map(|ty| &ty.kind);
                matches!(ty, Some(TypeExprKind::Tensor { .. }))
            };
            if let Some(odd) = decl.params.iter().find(tensor) {
                let message = "functions of Python's math take numbers, not tensors";
                self.error(Code::E0704, odd.span, message);
            }
        }
        let result = decl.result.as_ref();
        let result = result.map(|ty| self.tensor_type(ty, TypePlace::Result));
        if typed && result.is_none() {
            let message = format!("{} has types, so it needs a result type", decl.name.name);
            self.error(Code::E0708, decl.name.span, message);
        }
        let axis_names = self.signature_symbols();
        let id = ExternId(self.program.externs.len() as u32);
        self.globals
            .externs
            .get_or_insert_with(decl.name.name.clone(), || id);
        self.program.order.push(ItemRef::Extern(id));
        self.program.externs.push(Extern {
            name: decl.name.name.clone(),
            module: decl.module.clone(),
            params,
            result,
            axis_names,
            pure: is_pure(&decl.module, &decl.name.name),
            span: decl.span,
        });
    }

    /// The order in which bodies are typed, what is called first; recursion is E0706.
    fn calling_order(&mut self) -> Vec<usize> {
        let names: Map<Name, usize> = self
            .globals
            .functions
            .iter()
            .map(|(name, id)| (name.clone(), id.0 as usize))
            .collect();
        let calls: Vec<Vec<graph::Edge>> = self
            .functions
            .iter()
            .map(|state| graph::calls_of(&state.decl.body, &names))
            .collect();
        let (order, cycles) = graph::order(&calls);
        for (from, edge) in cycles {
            let (caller, called) = (
                &self.program.functions[from],
                &self.program.functions[edge.to],
            );
            let message = if from == edge.to {
                format!("{} calls itself", caller.name)
            } else {
                format!(
                    "{} calls {}, which calls it in turn",
                    caller.name, called.name
                )
            };
            let finding = self.repeats(message, FnId(edge.to as u32), edge.span);
            self.report(finding);
        }
        order
    }

    /// Types a function's body.
    pub(crate) fn function(&mut self, id: FnId) {
        self.functions[id.0 as usize].begun = true;
        let kind = self.program.function(id).kind;
        if kind == FunctionKind::Elementwise {
            if !self.functions[id.0 as usize].broken {
                self.check_untyped(id);
            }
            return;
        }
        let state = &self.functions[id.0 as usize];
        let decl = state.decl;
        let params = decl.params.iter().zip(&self.program.function(id).params);
        let params = params
            .map(|(written, param)| {
                let ty = param.ty.clone().unwrap_or(Type::Error);
                (written.name.clone(), ty)
            })
            .collect();
        let declared = state.declared.clone();
        let start = BodyStart {
            function: Some(id),
            params,
            axis_names: state.axis_names.clone(),
            result: declared.clone().zip(decl.result.as_ref().map(|ty| ty.span)),
            untyped: false,
            body: BodyText::Function(&decl.body),
        };
        self.functions[id.0 as usize].open = true;
        let typed = self.typed_body(&start);
        let state = &mut self.functions[id.0 as usize];
        state.open = false;
        state.partial = typed.partial;
        state.needs_mode = typed.needs_mode;
        // What could not be inferred is said in the body.
        state.broken |= declared.is_none() && typed.result.is_error();
        let function = &mut self.program.functions[id.0 as usize];
        function.result = typed.result;
        function.instances = vec![typed.body];
        function.chains = typed.chains;
        if declared.is_none() {
            let signature = self.signature_text(id);
            self.program.functions[id.0 as usize].signature = signature;
        }
    }

    fn script(&mut self, stmts: &[&ast::Stmt]) {
        self.body = BodyState::default();
        let start = BodyStart {
            function: None,
            params: Vec::new(),
            axis_names: Map::new(),
            result: None,
            untyped: false,
            body: BodyText::Script(stmts),
        };
        let typed = self.typed_body(&start);
        self.program.script = typed.body;
        self.program.script_chains = typed.chains;
        let mut order = std::mem::take(&mut self.program.order);
        strand_source::sort_by_key(&mut order, |item| match item {
            ItemRef::Dim(at) => self.program.dims[*at].span,
            ItemRef::Function(id) => self.program.functions[id.0 as usize].span,
            ItemRef::Extern(id) => self.program.externs[id.0 as usize].span,
            ItemRef::Import(id) => self.program.imports[id.0 as usize].span,
            ItemRef::Model(id) => self.program.models[id.0 as usize].span,
        });
        self.program.order = order;
    }
}

/// The name that a function, extern function, import or model declares.
fn declared(item: &Item) -> Option<&ast::Ident> {
    match item {
        Item::Fn(decl) => Some(&decl.name),
        Item::Extern(decl) => Some(&decl.name),
        Item::Import(decl) => Some(&decl.name),
        Item::Model(decl) => Some(&decl.name),
        Item::Reserved(_) | Item::Dim(_) | Item::Stmt(_) => None,
    }
}

fn comment(comment: &ast::Comment) -> Comment {
    Comment {
        span: comment.span,
        text: comment.text.clone(),
        own_line: comment.own_line,
    }
}

/// Whether an extern function only computes a value: one of torch or math that neither draws nor
/// changes its arguments.
fn is_pure(module: &str, name: &Arc<str>) -> bool {
    let known = module == "math" || module == "torch" || module.starts_with("torch.");
    let draws = [
        "rand",
        "randn",
        "randint",
        "randperm",
        "rand_like",
        "randn_like",
        "randint_like",
        "normal",
        "bernoulli",
        "multinomial",
        "poisson",
        "binomial",
        "dropout",
        "alpha_dropout",
        "feature_dropout",
        "feature_alpha_dropout",
        "dropout1d",
        "dropout2d",
        "dropout3d",
        "rrelu",
        "gumbel_softmax",
        "manual_seed",
        "seed",
    ];
    known && !name.ends_with('_') && !draws.contains(&&**name)
}
