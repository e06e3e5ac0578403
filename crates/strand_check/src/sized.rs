//! Models that take sizes, `model Linear[I O]:`, and sequences of submodels, `6 * Block`.

use strand_ir::{Axis, Expr, ExprKind, Field, Host, Model, ModelId, Size, SymbolInfo, SymbolKind};
use strand_ir::{StmtKind, Type};
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::binding::Bound;
use crate::context::Checker;
use crate::types::TypePlace;

/// The most submodels in a sequence.
const MOST: usize = 1000;

/// The most models of different sizes in a program: each of a chain of models that hold the one
/// before, for any size, is one in the sizes of all that follow it.
const MOST_MODELS: usize = 5000;

impl Checker<'_> {
    /// The axes of the names that a model's declaration takes.
    pub(crate) fn own_sizes(&mut self, decl: &ast::ModelDecl) -> Vec<Axis> {
        let mut axes: Vec<Axis> = Vec::with_capacity(decl.sizes.len());
        for size in &decl.sizes {
            let is_named = |axis: &Axis| axis.name.map(|name| self.program.symbols.name(name));
            if let Some(first) = axes.iter().find(|axis| is_named(axis) == Some(&size.name)) {
                let first = first.origin.span().unwrap_or(size.span);
                self.defined_twice(size, first);
                continue;
            }
            if let Some(dim) = self.globals.dims.get(&size.name).copied() {
                let message = format!(
                    "`{}` is a dim here, so nothing else has that name",
                    size.name
                );
                let place = self.program.symbols.get(dim).span;
                let finding = Diagnostic::new(Code::E0303, size.span, message)
                    .label(place, format!("a dim: {}", size.name));
                self.report(finding);
                continue;
            }
            let symbol = self.program.symbols.add(SymbolInfo {
                name: size.name.clone(),
                kind: SymbolKind::Axis,
                span: size.span,
                story: None,
            });
            axes.push(Axis::named(symbol).at(size.span));
        }
        axes
    }

    /// Brings the names that a model takes into scope.
    pub(crate) fn enter_model(&mut self, model: ModelId) {
        for axis in self.program.model(model).sizes.clone() {
            if let Some(symbol) = axis.name {
                let name = self.program.symbols.get(symbol).name.clone();
                self.body.axis_names.insert(name, symbol);
            }
        }
    }

    /// `Linear[D H]`: a declared model with the sizes that are written. E0701, E0703, E0704, E0513.
    pub(crate) fn sized_model(
        &mut self,
        declared: ModelId,
        name: &ast::Ident,
        sizes: &[ast::SizeExpr],
        place: TypePlace,
    ) -> Option<ModelId> {
        let own = self.program.model(declared).sizes.clone();
        let shape = || {
            let axes: Vec<String> = own.iter().map(|axis| self.show_axis(axis)).collect();
            format!("[{}]", axes.join(" "))
        };
        match (own.len(), sizes) {
            (0, []) => return Some(declared),
            (0, [first, ..]) => {
                let message = format!("`{}` takes no sizes", name.name);
                self.error(Code::E0704, first.span, message);
                return None;
            }
            (_, []) => {
                let message = format!("{} needs its sizes", name.name);
                let note = format!("It is declared as `model {}{}:`.", name.name, shape());
                self.report(Diagnostic::new(Code::E0703, name.span, message).note(note));
                return None;
            }
            (wanted, given) if wanted != given.len() => {
                let message = format!("{} takes the sizes {}", name.name, shape());
                let all = given
                    .iter()
                    .fold(given[0].span, |all, one| all.to(one.span));
                self.error(Code::E0701, all, message);
                return None;
            }
            _ => {}
        }
        let mut axes = Vec::with_capacity(sizes.len());
        for size in sizes {
            let axis = self.axis_in(size, place)?;
            if !self.is_fixed(&axis.size) {
                let text = size.span.text(self.text);
                let message = format!("a model's sizes are numbers and dims; `{text}` isn't fixed");
                self.error(Code::E0513, size.span, message);
                return None;
            }
            axes.push(axis);
        }
        self.of_sizes(declared, axes, name.span)
    }

    /// Whether a size is made of numbers, dims, the sizes that models take, and those of the function
    /// that is read.
    fn is_fixed(&self, size: &Size) -> bool {
        let of_function =
            |symbol| self.body.function.is_some() && self.signature_symbols().contains(&symbol);
        let of_model = |symbol| {
            let models = self.program.models.iter().enumerate();
            let mut declared = models.filter(|(at, model)| model.declaration.0 as usize == *at);
            declared.any(|(_, model)| model.sizes.iter().any(|axis| axis.name == Some(symbol)))
        };
        size.symbols().iter().all(|symbol| {
            let is_dim = self.program.symbols.dim_value(*symbol).is_some();
            is_dim || of_model(*symbol) || of_function(*symbol)
        })
    }

    /// The model of a declaration with these sizes, one for all that have the same.
    fn of_sizes(&mut self, declared: ModelId, sizes: Vec<Axis>, place: Span) -> Option<ModelId> {
        let same = |model: &Model| {
            let mut pairs = model.sizes.iter().zip(&sizes);
            model.declaration == declared
                && pairs.all(|(a, b)| a.name == b.name && a.size == b.size)
        };
        if let Some(at) = self.program.models.iter().position(same) {
            return Some(ModelId(at as u32));
        }
        if self.program.models.len() >= MOST_MODELS {
            if !std::mem::replace(&mut self.models_full, true) {
                let message = format!("models of more than {MOST_MODELS} sizes are too many");
                self.error(Code::E0203, place, message);
            }
            return None;
        }
        let id = ModelId(self.program.models.len() as u32);
        let shown: Vec<String> = sizes.iter().map(|axis| self.show_axis(axis)).collect();
        let model = self.program.model(declared);
        let model = Model {
            name: format!("{}[{}]", model.name, shown.join(" ")).into(),
            declaration: declared,
            sizes,
            sequence: None,
            fields: Vec::new(),
            methods: model.methods.clone(),
            span: model.span,
        };
        self.program.models.push(model);
        self.unfilled.push(id);
        // One that is being filled goes on to those that it asks for.
        if self.models_typed && !self.models_filling {
            self.fill_models();
        }
        Some(id)
    }

    /// How a model is made, for who writes its name alone.
    pub(crate) fn makes_one(&self, model: ModelId) -> String {
        let model = self.program.model(model);
        let sizes: Vec<String> = model
            .sizes
            .iter()
            .map(|axis| self.show_axis(axis))
            .collect();
        match sizes.join(" ") {
            sizes if sizes.is_empty() => format!("`{}(seed=0)` makes one", model.name),
            sizes => format!("`{}[{sizes}](seed=0)` makes one of its sizes", model.name),
        }
    }

    /// Gives models with sizes the fields of their declarations, in their own sizes.
    pub(crate) fn fill_models(&mut self) {
        self.models_filling = true;
        while let Some(id) = self.unfilled.pop() {
            let model = self.program.model(id);
            let declared = self.program.model(model.declaration);
            let bound = Bound::of(&declared.sizes, &model.sizes, model.span);
            let mut fields = declared.fields.clone();
            for field in &mut fields {
                field.ty = self.in_terms(&field.ty, &bound).unwrap_or(Type::Error);
                if let Some(init) = &mut field.init {
                    init.each_mut(&mut |e| {
                        if let ExprKind::Size(size) = &mut e.kind
                            && let Some(found) = bound.size(size)
                        {
                            *size = found;
                        }
                    });
                    init.ty = field.ty.clone();
                }
            }
            self.program.models[id.0 as usize].fields = fields;
        }
        self.models_filling = false;
    }

    /// A type in the terms of what its axis names are bound to; `None` past the sizes' bounds.
    pub(crate) fn in_terms(&mut self, ty: &Type, bound: &Bound) -> Option<Type> {
        match ty {
            Type::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.in_terms(part, bound));
                Some(Type::Tuple(parts.collect::<Option<_>>()?))
            }
            Type::Model(id) => {
                let model = self.program.model(*id);
                let (declared, span) = (model.declaration, model.span);
                if let Some((element, count)) = model.sequence.clone() {
                    let Some(Type::Model(element)) = self.in_terms(&Type::Model(element), bound)
                    else {
                        return None;
                    };
                    return self.sequence(element, count, span).map(Type::Model);
                }
                let sizes: Option<Vec<Axis>> =
                    model.sizes.iter().map(|axis| bound.axis(axis)).collect();
                self.of_sizes(declared, sizes?, span).map(Type::Model)
            }
            other => bound.ty(other),
        }
    }

    /// `6 * Block`
    pub(crate) fn sequence_type(
        &mut self,
        count: &ast::SizeExpr,
        element: &ast::TypeExpr,
    ) -> Option<Type> {
        let size = self.size(count);
        let ty = self.tensor_type(element, TypePlace::Use);
        let size = size?;
        let Type::Model(model) = ty else {
            if !ty.is_error() {
                let message = format!("a sequence is of models, not of {}", self.show(&ty));
                self.error(Code::E0902, element.span, message);
            }
            return None;
        };
        self.sequence(model, size, count.span).map(Type::Model)
    }

    /// The sequence of so many of a model. E0201, E0203, E0513.
    fn sequence(&mut self, element: ModelId, count: Size, place: Span) -> Option<ModelId> {
        let symbols = &self.program.symbols;
        let Some(number) = count.evaluate(&|symbol| symbols.dim_value(symbol)) else {
            let message = "how many submodels there are is made of numbers and dims";
            self.error(Code::E0513, place, message);
            return None;
        };
        if number < 1 {
            let message = format!("a sequence has a positive number of submodels, not {number}");
            self.error(Code::E0201, place, message);
            return None;
        }
        if number > MOST as i64 {
            self.too_large(place);
            return None;
        }
        let same = |model: &Model| {
            let sequence = model.sequence.as_ref();
            sequence.is_some_and(|(of, size)| *of == element && *size == count)
        };
        if let Some(at) = self.program.models.iter().position(same) {
            return Some(ModelId(at as u32));
        }
        let id = ModelId(self.program.models.len() as u32);
        let of = self.program.model(element);
        let field = |at: i64| Field {
            name: at.to_string().into(),
            ty: Type::Model(element),
            init: None,
            span: place,
        };
        let shown = Axis::unnamed(count.clone()).display(symbols);
        let model = Model {
            name: format!("{shown} * {}", of.name).into(),
            declaration: id,
            sizes: Vec::new(),
            fields: (0..number).map(field).collect(),
            sequence: Some((element, count)),
            methods: Vec::new(),
            span: place,
        };
        self.program.models.push(model);
        Some(id)
    }

    /// What a model's elements are, where it is a sequence, and how many there are.
    pub(crate) fn submodels(&self, ty: &Type) -> Option<(ModelId, usize)> {
        let Type::Model(id) = ty else { return None };
        let model = self.program.model(*id);
        let (element, _) = model.sequence.as_ref()?;
        Some((*element, model.fields.len()))
    }

    /// How many submodels the sequence holds that an expression names.
    pub(crate) fn count_of_sequence(&mut self, written: &ast::Expr) -> Option<Size> {
        let path = crate::calls::path_of(written)?;
        let (first, fields) = path.split_first()?;
        let mut ty = self.variable(&first.name)?.ty.clone();
        for name in fields {
            let Type::Model(id) = ty else { return None };
            let mut held = self.program.model(id).fields.iter();
            ty = held.find(|field| field.name == name.name)?.ty.clone();
        }
        let Type::Model(id) = ty else { return None };
        let (_, count) = self.program.model(id).sequence.as_ref()?;
        Some(count.clone())
    }

    /// `m.blocks[i]`. E0505, E0508, E0704.
    pub(crate) fn element(
        &mut self,
        base: Expr,
        (element, count): (ModelId, usize),
        items: &[ast::IndexItem],
        span: Span,
    ) -> Expr {
        let [ast::IndexItem::Expr(written)] = items else {
            let message = "a sequence is indexed by one host int";
            self.error(Code::E0505, span, message);
            return self.wrong(span);
        };
        let index = self.expr(written, None);
        if index.ty.is_error() {
            return self.wrong(span);
        }
        if index.ty != Type::Host(Host::Int) {
            let message = format!(
                "a sequence's index is a host int, not {}",
                self.show(&index.ty)
            );
            self.error(Code::E0704, index.span, message);
            return self.wrong(span);
        }
        let ty = Type::Model(element);
        let fixed = match &index.kind {
            ExprKind::Int(at) => Some(*at),
            ExprKind::Op {
                op: strand_ops::OpId::Neg,
                args,
                ..
            } => match args.as_slice() {
                [
                    Expr {
                        kind: ExprKind::Int(at),
                        ..
                    },
                ] => at.checked_neg(),
                _ => None,
            },
            _ => None,
        };
        let base = Box::new(base);
        let Some(at) = fixed else {
            let index = Box::new(index);
            let kind = ExprKind::Element { base, index };
            return Expr { kind, ty, span };
        };
        let place = if at < 0 {
            at.saturating_add(count as i64)
        } else {
            at
        };
        match usize::try_from(place).ok().filter(|place| *place < count) {
            Some(field) => {
                let kind = ExprKind::Field { base, field };
                Expr { kind, ty, span }
            }
            None => {
                let message = format!("{at} is outside a sequence of {count}");
                self.error(Code::E0508, index.span, message);
                self.wrong(span)
            }
        }
    }

    /// `for block in m.blocks:`
    pub(crate) fn for_models(
        &mut self,
        span: Span,
        target: &ast::Target,
        models: Expr,
        over: Option<&ast::Ident>,
        body: &[ast::Stmt],
    ) -> Option<StmtKind> {
        if let Some(over) = over {
            self.error(
                Code::E0405,
                over.span,
                "a sequence of models has no axis to name",
            );
        }
        let (element, _) = self.submodels(&models.ty)?;
        let (local, body) = self.loop_over(span, target, Type::Model(element), body);
        Some(StmtKind::ForModels {
            local,
            models,
            body,
        })
    }
}
