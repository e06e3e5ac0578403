//! Models as classes of torch.nn: fields in order from one generator, methods, calls that change
//! values, and copies of models.

use strand_ir::{
    Comment, Expr, ExprKind, FnId, Function, LocalId, LocalKind, ModelId, Stmt, StmtKind, SymbolId,
    Type,
};
use strand_ops::OpId;
use strand_source::Span;

use crate::aliases::may_alias;
use crate::context::Context;
use crate::module::function_rows;
use crate::py::{Arg, Py};
use crate::rows::{Code, Row, text_literal};
use crate::writer::{Writer, remark};

/// Names that torch.nn.Module has already.
const TAKEN: &[&str] = &[
    "add_module",
    "apply",
    "bfloat16",
    "buffers",
    "children",
    "compile",
    "cpu",
    "cuda",
    "double",
    "dump_patches",
    "eval",
    "extra_repr",
    "float",
    "get_buffer",
    "get_extra_state",
    "get_parameter",
    "get_submodule",
    "half",
    "ipu",
    "load_state_dict",
    "modules",
    "mtia",
    "named_buffers",
    "named_children",
    "named_modules",
    "named_parameters",
    "parameters",
    "register_buffer",
    "register_module",
    "register_parameter",
    "requires_grad_",
    "set_extra_state",
    "set_submodule",
    "share_memory",
    "state_dict",
    "to",
    "to_empty",
    "train",
    "training",
    "type",
    "xpu",
    "zero_grad",
    "call_super_init",
    "T_destination",
];

/// The name of a model's field or method in the class.
pub(crate) fn attribute(name: &str, is_method: bool) -> String {
    let taken = TAKEN.contains(&name)
        || crate::names::is_keyword(name)
        || (name == "forward" && !is_method)
        || name.starts_with("__");
    if taken {
        format!("{name}_")
    } else {
        name.to_owned()
    }
}

/// Whether a parameter's changed value is given back: models are changed in place.
fn gives_back(function: &Function) -> Vec<usize> {
    let params = function.params.iter().enumerate();
    params
        .filter(|(_, param)| param.mutable && !matches!(param.ty, Some(Type::Model(_))))
        .map(|(at, _)| at)
        .collect()
}

/// A model's class.
pub(crate) fn class_rows<'a>(
    cx: &mut Context<'a>,
    id: ModelId,
    comments: &[&'a Comment],
) -> Vec<Row> {
    let model = cx.program.model(id);
    let name = cx.names.models[id.0 as usize].clone();
    let at = cx.source.find(model.span, &model.name);
    let header = Py::name(name)
        .at(at)
        .call(vec![Arg::from(Py::path("nn.Module", None))]);
    let code = Code::default().word("class", None).add(header).colon();
    let row = |depth, code| Row::Code {
        depth,
        code,
        remark: None,
    };
    let mut rows = vec![row(0, code)];
    // Of a model without sizes the signature says no more than the line above.
    if !model.sizes.is_empty() {
        rows.push(Row::Doc {
            depth: 1,
            text: cx.program.model_signature(id),
            header: None,
        });
        rows.push(Row::Blank);
    }
    let mut methods = Vec::new();
    for method in model.methods.clone() {
        let span = cx.program.function(method).span;
        let inside: Vec<&Comment> = comments
            .iter()
            .copied()
            .filter(|c| span.contains(c.span))
            .collect();
        methods.push(Row::Blank);
        methods.extend(function_rows(cx, method, &inside).into_iter().map(deeper));
    }
    let names: Vec<(SymbolId, String)> = model
        .sizes
        .iter()
        .filter_map(|axis| axis.name)
        .map(|name| {
            (
                name,
                cx.names.model_sizes.get(&name).cloned().unwrap_or_default(),
            )
        })
        .collect();
    let mut params = vec![Arg::from(Py::name("self"))];
    params.extend(
        names
            .iter()
            .map(|(_, name)| Arg::from(Py::name(name.clone()))),
    );
    params.push(Arg::from(Py::name("generator")));
    let init = Py::name("__init__").call(params);
    rows.push(row(1, Code::default().word("def", None).add(init).colon()));
    let parent = Py::name("super")
        .call(Vec::new())
        .method("__init__", None, Vec::new());
    rows.push(row(2, Code::expression(parent)));
    for (symbol, name) in names {
        if cx.needs.model_sizes.contains(&symbol) {
            let target = Py::name("self").attr(&attribute(&name, false), None);
            rows.push(row(2, Code::assign(target, Py::name(name))));
        }
    }
    let in_method = |comment: &Comment| {
        let mut methods = model.methods.iter();
        methods.any(|id| cx.program.function(*id).span.contains(comment.span))
    };
    let mut own: Vec<&Comment> = comments.iter().copied().filter(|c| !in_method(c)).collect();
    for field in &model.fields {
        let line = cx.source.line(field.span);
        while let Some(first) = own.first()
            && first.span.start < field.span.start
        {
            rows.push(Row::Remark {
                depth: 2,
                remark: remark(first),
            });
            own.remove(0);
        }
        let beside = own
            .first()
            .filter(|c| cx.source.line(c.span) == line)
            .copied();
        if beside.is_some() {
            own.remove(0);
        }
        let attr = attribute(&field.name, false);
        let place = cx.source.find(field.span, &field.name);
        let target = Py::name("self").attr(&attr, place);
        let code = match (&field.ty, &field.init) {
            (Type::Model(inner), _) => {
                let script = &cx.program.script;
                let mut writer = Writer::new(cx, script);
                let value = writer.submodel_made(*inner);
                Code::assign(target, value)
            }
            (ty, Some(init)) => {
                let value = initial(cx, init);
                if ty.tensor().is_some_and(|ty| ty.dtype.is_float()) {
                    Code::assign(target, parameter(value))
                } else {
                    let register = Py::path("self.register_buffer", None);
                    let name = Py::text(text_literal(&attr));
                    Code::expression(register.call(vec![Arg::from(name), Arg::from(value)]))
                }
            }
            _ => continue,
        };
        rows.push(Row::Code {
            depth: 2,
            code: code.tagged(field.span),
            remark: beside.map(remark),
        });
    }
    for comment in own {
        rows.push(Row::Remark {
            depth: 2,
            remark: remark(comment),
        });
    }
    rows.extend(methods);
    rows
}

fn deeper(row: Row) -> Row {
    match row {
        Row::Code {
            depth,
            code,
            remark,
        } => Row::Code {
            depth: depth + 1,
            code,
            remark,
        },
        Row::Doc {
            depth,
            text,
            header,
        } => Row::Doc {
            depth: depth + 1,
            text,
            header,
        },
        Row::Remark { depth, remark } => Row::Remark {
            depth: depth + 1,
            remark,
        },
        other => other,
    }
}

fn parameter(value: Py) -> Py {
    Py::path("nn.Parameter", None).call(vec![Arg::from(value)])
}

/// A field's first values.
fn initial<'a>(cx: &mut Context<'a>, init: &'a Expr) -> Py {
    let script = &cx.program.script;
    let mut writer = Writer::new(cx, script);
    let ExprKind::Op { op, params, .. } = &init.kind else {
        return Py::name("None");
    };
    match op {
        OpId::Normal | OpId::Uniform | OpId::RandInt => writer.drawn(
            init,
            *op,
            params,
            Some(init.span),
            Some(Py::name("generator")),
        ),
        _ => writer.expr(init),
    }
}

impl<'a> Writer<'_, 'a> {
    /// `Linear(D, H, generator)`, or a list of so many.
    fn submodel_made(&mut self, model: ModelId) -> Py {
        let program = self.cx.program;
        let found = program.model(model);
        if let Some((element, count)) = &found.sequence {
            let made = self.submodel_made(*element);
            let list = Py::repeated(made, self.size(count));
            return Py::call_path("nn.ModuleList", None, vec![list]);
        }
        let class = Py::name(self.cx.names.models[found.declaration.0 as usize].clone());
        let sizes = found.sizes.iter().map(|axis| self.size(&axis.size));
        let mut args: Vec<Arg> = sizes.map(Arg::from).collect();
        args.push(Arg::from(Py::name("generator")));
        class.call(args)
    }

    /// Whether an expression is a sequence of submodels.
    pub(crate) fn is_sequence(&self, e: &Expr) -> bool {
        match e.ty {
            Type::Model(id) => self.cx.program.model(id).sequence.is_some(),
            _ => false,
        }
    }

    /// `M(seed=0)`
    pub(crate) fn new_model(&mut self, e: &'a Expr, model: ModelId, seed: &'a Expr) -> Py {
        let declared = self.cx.program.model(model).declaration;
        let name = self.cx.names.models[declared.0 as usize].clone();
        let seed = self.expr(seed);
        let at = self.own(e, &[&self.cx.program.model(declared).name]);
        let generator = self.seeded(seed);
        let program = self.cx.program;
        let sizes = program.model(model).sizes.iter();
        let mut args: Vec<Arg> = sizes.map(|axis| Arg::from(self.size(&axis.size))).collect();
        args.push(Arg::from(generator));
        Py::name(name).at(at).call(args)
    }

    /// The callee of a method's call: the model itself for `forward`.
    pub(crate) fn method_callee(&mut self, base: Py, function: &Function, at: Option<Span>) -> Py {
        if &*function.name == "forward" {
            base
        } else {
            base.attr(&attribute(&function.name, true), at)
        }
    }

    /// The names of a function's own parameters whose changed values it gives back.
    fn own_changed(&self) -> Vec<Py> {
        let Some(id) = self.function else {
            return Vec::new();
        };
        let places = gives_back(self.cx.program.function(id));
        let names = places.into_iter().filter_map(|at| self.body.params.get(at));
        names
            .map(|local| Py::name(self.names.local(*local)))
            .collect()
    }

    /// What a `return` gives: the value, then the changed parameters.
    pub(crate) fn returned(&mut self, value: Option<Py>) -> Option<Py> {
        let changed = self.own_changed();
        if changed.is_empty() {
            return value;
        }
        let value = value.map(|py| match py.prec {
            crate::py::Prec::Tuple => py.bracketed(),
            _ => py,
        });
        let mut all: Vec<Py> = value.into_iter().chain(changed).collect();
        match all.len() {
            1 => all.pop(),
            _ => Some(Py::bare_tuple(all)),
        }
    }

    /// Returns the changed parameters where a body ends without `return`.
    pub(crate) fn return_changed(&mut self, stmts: &[Stmt]) {
        if !leaves(stmts)
            && let Some(py) = self.returned(None)
        {
            self.code(Code::keyword("return", None, py));
        }
    }

    /// A call whose function gives changed values back: they are bound, and the result is named.
    pub(crate) fn changing_call(
        &mut self,
        e: &'a Expr,
        id: FnId,
        args: &'a [Expr],
        call: Py,
    ) -> Py {
        let places = gives_back(self.cx.program.function(id));
        let given: Vec<&'a Expr> = places.into_iter().filter_map(|at| args.get(at)).collect();
        let mut targets = Vec::new();
        for arg in given.iter().copied() {
            let is_trained = matches!(&arg.ty, Type::Tensor(ty) if ty.dtype.is_float());
            let named = matches!(
                arg.kind,
                ExprKind::Local(_) | ExprKind::Field { .. } | ExprKind::Element { .. }
            );
            let target = if named { self.expr(arg) } else { Py::name("_") };
            targets.push((target, is_trained));
        }
        if targets.is_empty() {
            return call;
        }
        let fields = args
            .iter()
            .any(|arg| matches!(arg.kind, ExprKind::Field { .. }));
        let result = (e.ty != Type::Nothing).then(|| self.fresh("result"));
        let mut all: Vec<Py> = result.iter().map(|name| Py::name(name.clone())).collect();
        let mut later = Vec::new();
        for (target, is_trained) in targets {
            if fields && target.as_name().is_none() {
                let name = self.fresh("changed");
                all.push(Py::name(name.clone()));
                later.push((target, name, is_trained));
            } else {
                all.push(target);
            }
        }
        let left = match all.len() {
            1 => all.pop().unwrap_or_else(|| Py::name("_")),
            _ => Py::bare_tuple(all),
        };
        self.code(Code::assign(left, call).tagged(e.span));
        let seen = |id: LocalId| self.changed.contains(&id) || self.lent.contains(&id);
        let shares = self.may_rebind(id) && args.iter().any(|arg| may_alias(arg, seen));
        for (target, name, is_trained) in later {
            let mut value = Py::name(name);
            if shares {
                value = value.method("clone", None, Vec::new());
            }
            let value = if is_trained { parameter(value) } else { value };
            self.code(Code::assign(target, value));
        }
        let is_tensor = |arg: &&Expr| matches!(arg.ty, Type::Tensor(_));
        let locals = given
            .into_iter()
            .filter(is_tensor)
            .filter_map(|arg| match arg.kind {
                ExprKind::Local(local) => Some(local),
                _ => None,
            });
        let locals: Vec<LocalId> = locals.collect();
        for local in self.rebound_shared(e, id, &locals) {
            self.copy_own(local);
        }
        Py::name(result.unwrap_or_else(|| "None".to_owned()))
    }

    /// Whether a value shares its elements with what a caller changes later in place.
    fn lends(&self, value: &Expr) -> bool {
        matches!(value.ty, Type::Tensor(_)) && may_alias(value, |id| self.lent.contains(&id))
    }

    /// The value that a field is given.
    pub(crate) fn field_value(&mut self, value: &'a Expr) -> Py {
        // A field's own elements were copied to be changed, and nothing else holds them.
        let is_own = |local: LocalId| self.body.local(local).kind == LocalKind::Field;
        let py = match value.kind {
            ExprKind::Local(local) if is_own(local) => self.expr(value),
            _ if self.lends(value) => self.expr(value).method("clone", None, Vec::new()),
            _ => self.value_for(value, None),
        };
        match &value.ty {
            Type::Tensor(ty) if ty.dtype.is_float() => parameter(py),
            Type::Model(_) if !matches!(value.kind, ExprKind::New { .. }) => self.copied(py),
            _ => py,
        }
    }

    pub(crate) fn copied(&mut self, py: Py) -> Py {
        Py::call_path("copy.deepcopy", None, vec![py])
    }

    /// A model that gets another name: a copy where one of the body's models changes.
    pub(crate) fn model_for(&mut self, value: &'a Expr, py: Py) -> Py {
        let is_new = matches!(value.kind, ExprKind::New { .. });
        if is_new || !matches!(value.ty, Type::Model(_)) || !self.changes_models(&self.body.stmts) {
            return py;
        }
        self.copied(py)
    }

    /// Copies the models among the parts of a tuple that was taken apart.
    pub(crate) fn copy_parts(&mut self, locals: &[Option<LocalId>]) {
        if !self.changes_models(&self.body.stmts) {
            return;
        }
        for local in locals.iter().flatten() {
            if matches!(self.body.local(*local).ty, Type::Model(_)) {
                let name = Py::name(self.names.local(*local));
                let copy = self.copied(name.clone());
                self.code(Code::assign(name, copy));
            }
        }
    }

    /// Whether statements change a model.
    pub(crate) fn changes_models(&self, stmts: &[Stmt]) -> bool {
        let mut found = false;
        for stmt in stmts {
            stmt.each(&mut |stmt| found |= matches!(stmt.kind, StmtKind::SetField { .. }));
            stmt.each_expr(&mut |e| {
                if let ExprKind::Call { function, args, .. } = &e.kind {
                    let params = &self.cx.program.function(*function).params;
                    let mut given = params.iter().zip(args);
                    found |= given.any(|(param, arg)| {
                        let model = matches!(arg.ty, Type::Model(_));
                        param.mutable && (model || matches!(arg.kind, ExprKind::Field { .. }))
                    });
                }
            });
        }
        found
    }
}

/// Whether statements always end in `return`.
fn leaves(stmts: &[Stmt]) -> bool {
    match stmts.last().map(|stmt| &stmt.kind) {
        Some(StmtKind::Return(_)) => true,
        Some(StmtKind::If {
            branches,
            otherwise: Some(last),
        }) => leaves(last) && branches.iter().all(|(_, block)| leaves(block)),
        Some(StmtKind::With { body, .. }) => leaves(body),
        _ => false,
    }
}
