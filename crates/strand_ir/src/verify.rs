//! Whether a typed program is well formed.

use crate::{
    Axis, Body, Child, Domain, Expr, ExprKind, IndexItem, Iter, IterKind, Lambda, LocalId,
    Lowering, Over, Program, PyExpr, SizeBinding, Stmt, StmtKind, SymbolId, Type,
};

/// What is wrong with a program that the checker called right: a fault of the checker, never of
/// the text. Empty for a well-formed one.
///
/// What must hold: every id lies in its table, and every symbol in the program's; no lowering is
/// pending; nothing is wrong ([`ExprKind::Error`], [`Type::Error`]), neither an expression nor a
/// variable, parameter, field or result; an operation has the table's number of arguments and its
/// axes lie in its first one; a call gives every parameter one argument and every axis name of the
/// function one size; a field is one of its model's; a lambda has a parameter per part; a map's
/// type is the iterated axis before the body's.
pub fn verify(program: &Program) -> Vec<String> {
    let mut verifier = Verifier {
        program,
        faults: Vec::new(),
        owner: String::new(),
    };
    verifier.models();
    for function in &program.functions {
        verifier.owner = function.name.to_string();
        let types = function.params.iter().filter_map(|param| param.ty.as_ref());
        types.for_each(|ty| verifier.ty(ty));
        for body in &function.instances {
            verifier.body(body, function.params.len());
        }
    }
    verifier.owner = "the script".to_owned();
    verifier.body(&program.script, 0);
    verifier.faults
}

struct Verifier<'p> {
    program: &'p Program,
    faults: Vec<String>,
    owner: String,
}

impl<'p> Verifier<'p> {
    fn fault(&mut self, what: impl Into<String>) {
        self.faults.push(format!("{}: {}", self.owner, what.into()));
    }

    fn models(&mut self) {
        let program = self.program;
        for model in &program.models {
            self.owner = model.name.to_string();
            for field in &model.fields {
                self.ty(&field.ty);
                match (&field.ty, &field.init) {
                    (Type::Tensor(_), Some(init)) => {
                        if init.ty != field.ty {
                            self.fault("a field's first values are of another type");
                        }
                        self.expr(init, &program.script);
                    }
                    (Type::Model(_), None) => {}
                    _ => self.fault("a field is neither made nor a model"),
                }
            }
            let functions = program.functions.len();
            if model.methods.iter().any(|id| functions <= id.0 as usize) {
                self.fault("a method isn't there");
            }
        }
    }

    /// Nothing in a type is wrong or unknown.
    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Error => self.fault("a type is wrong"),
            Type::Tuple(parts) => parts.iter().for_each(|part| self.ty(part)),
            Type::Model(id) if self.program.models.len() <= id.0 as usize => {
                self.fault("a type is of a model that isn't there");
            }
            Type::Tensor(tensor) => {
                tensor.axes.iter().for_each(|axis| self.axis(axis));
                if let Domain::Index(axis) = &tensor.domain {
                    self.axis(axis);
                }
            }
            _ => {}
        }
    }

    fn axis(&mut self, axis: &Axis) {
        let named = axis.name.into_iter();
        let mut symbols = axis.size.symbols().into_iter().chain(named);
        let known = self.program.symbols.len();
        if symbols.any(|symbol| known <= symbol.0 as usize) {
            self.fault("an axis has a symbol that isn't there");
        }
    }

    fn body(&mut self, body: &'p Body, params: usize) {
        if body.params.len() != params {
            self.fault("a parameter has no variable");
        }
        self.locals(body.params.iter(), body);
        body.locals.iter().for_each(|local| self.ty(&local.ty));
        body.result.iter().for_each(|result| self.ty(result));
        for stmt in &body.stmts {
            stmt.each(&mut |stmt| self.stmt(stmt, body));
        }
    }

    fn stmt(&mut self, stmt: &'p Stmt, body: &'p Body) {
        match &stmt.kind {
            StmtKind::Bind { local, .. }
            | StmtKind::ForRange { local, .. }
            | StmtKind::ForSlices { local, .. }
            | StmtKind::ForPy { local, .. } => self.locals(local.iter(), body),
            StmtKind::Unpack { locals, value } => {
                self.locals(locals.iter().flatten(), body);
                let parts = match &value.ty {
                    Type::Tuple(parts) => parts.len(),
                    _ => 0,
                };
                if parts != locals.len() {
                    self.fault("a tuple is taken apart into another number of parts");
                }
            }
            StmtKind::SetIndex { local, .. } => self.locals(std::iter::once(local), body),
            StmtKind::SetField { base, field, value } => {
                let model = match &base.ty {
                    Type::Model(id) => self.program.models.get(id.0 as usize),
                    _ => None,
                };
                if model.is_none_or(|model| model.fields.len() <= *field) || value.ty.is_error() {
                    self.fault("a field that is assigned isn't one of its model's");
                }
            }
            _ => {}
        }
        stmt.each_child(&mut |child| self.child(child, body));
    }

    fn child(&mut self, child: Child<'p>, body: &'p Body) {
        match child {
            Child::Expr(expr) => self.expr(expr, body),
            Child::Lambda(lambda) => self.expr(&lambda.body, body),
        }
    }

    fn locals<'l>(&mut self, locals: impl Iterator<Item = &'l LocalId>, body: &Body) {
        for local in locals {
            if local.0 as usize >= body.locals.len() {
                self.fault("a variable isn't one of the body's");
            }
        }
    }

    fn expr(&mut self, expr: &'p Expr, body: &'p Body) {
        self.ty(&expr.ty);
        match &expr.kind {
            ExprKind::Error => self.fault("an expression is wrong"),
            ExprKind::Local(local) => self.locals(std::iter::once(local), body),
            ExprKind::Op { op, args, over, .. } => {
                let op = op.op();
                if op.tensors().is_some_and(|tensors| tensors > args.len()) {
                    self.fault(format!("{} has {} arguments", op.name, args.len()));
                }
                let rank = args
                    .first()
                    .and_then(|arg| arg.ty.tensor())
                    .map_or(0, |ty| ty.rank());
                if let Over::Axes(axes) = over
                    && axes.iter().any(|axis| *axis >= rank)
                {
                    self.fault(format!("{} works over an axis that isn't there", op.name));
                }
            }
            ExprKind::Call {
                function,
                instance,
                args,
                sizes,
            } => match self.program.functions.get(function.0 as usize) {
                None => self.fault("a call of a function that isn't there"),
                Some(callee) if callee.params.len() != args.len() => {
                    self.fault(format!(
                        "{} is called with {} arguments",
                        callee.name,
                        args.len()
                    ));
                }
                Some(callee) if callee.instances.len() <= *instance => {
                    self.fault(format!("{} has no body {instance}", callee.name));
                }
                Some(callee) => self.sizes(&callee.name, &callee.axis_names, sizes),
            },
            ExprKind::Extern {
                function, sizes, ..
            } => match self.program.externs.get(function.0 as usize) {
                None => self.fault("a call of an extern function that isn't there"),
                Some(callee) => self.sizes(&callee.name, &callee.axis_names, sizes),
            },
            ExprKind::Field { base, field } => {
                let model = match &base.ty {
                    Type::Model(id) => self.program.models.get(id.0 as usize),
                    _ => None,
                };
                let held = model.and_then(|model| model.fields.get(*field));
                if held.is_none_or(|held| held.ty != expr.ty) {
                    self.fault("a field isn't one of its model's");
                }
            }
            ExprKind::New { model, .. } if expr.ty != Type::Model(*model) => {
                self.fault("a model is made as another type");
            }
            ExprKind::Py(PyExpr::Module(import))
                if self.program.imports.len() <= import.0 as usize =>
            {
                self.fault("a Python module isn't there");
            }
            ExprKind::Index { base, items } => self.index(base, items),
            ExprKind::Map {
                iter,
                lambda,
                lowering,
            } => {
                self.iter(iter, body);
                self.lambda(lambda, iter, body);
                self.lowering(lowering);
                self.map_type(expr, iter, lambda);
            }
            ExprKind::Filter { iter } => {
                self.iter(iter, body);
                if !matches!(iter.kind, IterKind::Filter { .. }) || iter.parts.len() != 1 {
                    self.fault("a filter's tensor is no filter of one part");
                }
            }
            _ => {}
        }
        expr.each_child(&mut |child| self.child(child, body));
    }

    /// A call says of every axis name what it is.
    fn sizes(&mut self, callee: &str, names: &[SymbolId], sizes: &[SizeBinding]) {
        let given = sizes.iter().map(|binding| &binding.symbol);
        if !given.eq(names) {
            self.fault(format!("{callee} is called without all of its sizes"));
        }
        sizes.iter().for_each(|binding| self.axis(&binding.axis));
    }

    fn index(&mut self, base: &Expr, items: &[IndexItem]) {
        let taken: usize = items
            .iter()
            .map(|item| match item {
                IndexItem::Mask(mask) => mask.ty.tensor().map_or(1, |ty| ty.rank()),
                IndexItem::Ellipsis | IndexItem::NewAxis => 0,
                _ => 1,
            })
            .sum();
        if base.ty.tensor().is_some_and(|ty| ty.rank() < taken) {
            self.fault("an index takes more axes than there are");
        }
    }

    fn iter(&mut self, iter: &Iter, body: &Body) {
        match &iter.kind {
            IterKind::Size(_) | IterKind::Range(..) => {}
            IterKind::Slices { tensor, axis } => {
                if tensor.ty.tensor().is_none_or(|ty| *axis >= ty.rank()) {
                    self.fault("a chain iterates an axis that isn't there");
                }
            }
            IterKind::Zip(parts) => parts.iter().for_each(|part| self.iter(part, body)),
            IterKind::Enumerate(inner) => self.iter(inner, body),
            IterKind::Filter {
                input,
                lambda,
                lowering,
            } => {
                self.iter(input, body);
                self.lambda(lambda, input, body);
                self.lowering(lowering);
            }
        }
    }

    fn lambda(&mut self, lambda: &Lambda, iter: &Iter, body: &Body) {
        self.locals(lambda.params.iter().flatten(), body);
        if lambda.params.len() != iter.parts.len() {
            self.fault(format!(
                "a stage's function has {} parameters for {} parts",
                lambda.params.len(),
                iter.parts.len()
            ));
        }
    }

    fn lowering(&mut self, lowering: &Lowering) {
        match lowering {
            Lowering::Pending => self.fault("a lowering is pending"),
            Lowering::Masked(mask) => self.lowering(mask),
            Lowering::Plain | Lowering::Vmap { .. } => {}
        }
    }

    fn map_type(&mut self, expr: &Expr, iter: &Iter, lambda: &Lambda) {
        let (Type::Tensor(map), Type::Tensor(element)) = (&expr.ty, &lambda.body.ty) else {
            return self.fault("a map doesn't give a tensor");
        };
        let leads = map.axes.first() == Some(&iter.axis);
        if !leads || map.axes.get(1..) != Some(&element.axes) || map.dtype != element.dtype {
            self.fault("a map's type isn't the iterated axis before the body's");
        }
    }
}
