//! Expressions: the dispatch, names, literals, conditional expressions.

use strand_ir::{Expr, ExprKind, FPart, Host, PyExpr, Size, TensorType, Type};
use strand_ops::DType;
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast;

use crate::context::Checker;
use crate::operators::{BinarySite, short};
use crate::scope::Scope;
use crate::suggest;

/// How deep expressions and the bodies of untyped functions may be nested together.
const MAX_DEPTH: u32 = 400;
/// How many bytes of stack they may take, which deep blocks around them reach first: a wasm stack of
/// 1 MB holds them. Builds without optimisation take twice as many.
const MAX_STACK: usize = (760 << 10) * if cfg!(debug_assertions) { 2 } else { 1 };

impl Checker<'_> {
    /// Types an expression. `wanted` is what its place needs, where that is known: it decides the
    /// dtype of literals and is never an obligation.
    pub(crate) fn expr(&mut self, expr: &ast::Expr, wanted: Option<&Type>) -> Expr {
        if self.depth >= MAX_DEPTH || self.stack_used() > MAX_STACK {
            let message = "this is nested too deep";
            self.error(Code::E0107, expr.span, message);
            return self.wrong(expr.span);
        }
        if self.is_caret(expr.span.start) {
            self.note_caret(None, wanted);
        }
        self.depth += 1;
        strand_source::count_steps(1);
        let typed = self.dispatch(expr, wanted);
        self.depth -= 1;
        if !matches!(expr.kind, ast::ExprKind::Paren(_)) {
            self.hover(expr.span, &typed.ty);
        }
        typed
    }

    /// How many bytes of stack typing takes here.
    fn stack_used(&self) -> usize {
        self.stack.abs_diff(stack_address())
    }

    /// Whether there is room for the body of another untyped function.
    pub(crate) fn has_room(&self) -> bool {
        self.depth < MAX_DEPTH * 3 / 4 && self.stack_used() < MAX_STACK * 3 / 4
    }

    /// The expression of something wrong.
    pub(crate) fn wrong(&self, span: Span) -> Expr {
        Expr {
            kind: ExprKind::Error,
            ty: Type::Error,
            span,
        }
    }

    fn dispatch(&mut self, expr: &ast::Expr, wanted: Option<&Type>) -> Expr {
        let span = expr.span;
        let host = |kind, host| Expr {
            kind,
            ty: Type::Host(host),
            span,
        };
        match &expr.kind {
            ast::ExprKind::Int(value) => host(ExprKind::Int(*value), Host::Int),
            ast::ExprKind::Float(value) => host(ExprKind::Float(*value), Host::Float),
            ast::ExprKind::Bool(value) => host(ExprKind::Bool(*value), Host::Bool),
            ast::ExprKind::Str(text) => host(ExprKind::Str(text.clone()), Host::Str),
            ast::ExprKind::FString(parts) => self.f_string(parts, span),
            ast::ExprKind::Literal(elements) => self.literal(elements, wanted, span),
            ast::ExprKind::Name(name) => self.name(name, span),
            ast::ExprKind::Placeholder => {
                self.placeholder(span);
                self.wrong(span)
            }
            ast::ExprKind::Paren(inner) => {
                let mut typed = self.expr(inner, wanted);
                typed.span = span;
                typed
            }
            ast::ExprKind::Tuple(parts) => self.tuple(parts, wanted, span),
            ast::ExprKind::Unary { op, operand } => self.unary(*op, operand, span),
            ast::ExprKind::Binary {
                op,
                op_span,
                left,
                right,
            } => {
                let site = BinarySite {
                    op: *op,
                    op_span: *op_span,
                    span,
                };
                self.binary(site, left, right)
            }
            ast::ExprKind::Convert { how, value, ty } => self.convert(span, *how, value, ty),
            ast::ExprKind::Call {
                callee,
                args,
                args_span,
            } => self.call(callee, args, *args_span, span),
            ast::ExprKind::Index { base, items } => self.indexed(base, items, span),
            ast::ExprKind::Field { base, name } => self.field(base, name, span),
            ast::ExprKind::Sized { name, .. } => {
                let text = self.quote(span);
                let message = format!("{text} is a model; `{text}(seed=0)` makes one");
                if self.globals.models.contains_key(&name.name) {
                    self.error(Code::E0704, span, message);
                } else {
                    self.unknown_type(name);
                }
                self.wrong(span)
            }
            ast::ExprKind::Mut(inner) => {
                let place = Span::new(span.start, inner.span.start);
                let finding = Diagnostic::new(
                    Code::E0705,
                    span,
                    "`mut` stands before an argument or a method's call",
                )
                .fix("remove `mut`", place, "");
                self.report(finding);
                self.wrong(span)
            }
            ast::ExprKind::Range(_) => {
                let message = "a range stands in `for`, an index, a chain's head or zip";
                self.error(Code::E0101, span, message);
                self.wrong(span)
            }
            ast::ExprKind::Pipe { head, stages } => self.pipe(span, head, stages),
            ast::ExprKind::Lambda(_) => {
                let message = "a lambda stands only in `map` and `filter`: it isn't a value";
                self.error(Code::E3202, span, message);
                self.wrong(span)
            }
            ast::ExprKind::If {
                then,
                condition,
                otherwise,
            } => self.conditional((then, condition, otherwise), wanted, span),
            ast::ExprKind::Type(_) => {
                let message = "a type can't stand for a value; `zeros` makes a tensor of one";
                self.error(Code::E0101, span, message);
                self.wrong(span)
            }
            ast::ExprKind::Error => self.wrong(span),
        }
    }

    /// E3203, unless the parser has said it.
    fn placeholder(&mut self, span: Span) {
        if !self.diagnostics.iter().any(|found| found.span == span) {
            let message = "`_` stands for the piped value, as a whole argument of a stage";
            self.error(Code::E3203, span, message);
        }
    }

    fn f_string(&mut self, parts: &[ast::FPart], span: Span) -> Expr {
        let mut typed = Vec::with_capacity(parts.len());
        let mut wrong = false;
        for part in parts {
            match part {
                ast::FPart::Text(text) => typed.push(FPart::Text(text.clone())),
                ast::FPart::Expr(value) => {
                    let value = self.expr(value, None);
                    wrong |= value.ty.is_error();
                    if !wrong && !self.is_value(&value) {
                        wrong = true;
                    }
                    typed.push(FPart::Expr(value));
                }
            }
        }
        if wrong {
            return self.wrong(span);
        }
        Expr {
            kind: ExprKind::FString(typed),
            ty: Type::Host(Host::Str),
            span,
        }
    }

    /// Whether an expression gives a value that can be stored or passed on; E0708 and E0704
    /// otherwise.
    pub(crate) fn is_value(&mut self, value: &Expr) -> bool {
        match &value.ty {
            Type::Nothing => {
                self.no_value(value);
                false
            }
            Type::Tuple(_) => {
                let message = "a tuple can only be taken apart: `(a, b) = ...`";
                self.error(Code::E0704, value.span, message);
                false
            }
            Type::Error => false,
            _ => true,
        }
    }

    /// E0708 of an expression that gives nothing.
    pub(crate) fn no_value(&mut self, value: &Expr) {
        let text = self.name_of(value.span);
        let mut finding =
            Diagnostic::new(Code::E0708, value.span, format!("{text} gives no value"));
        if let ExprKind::Call { function, .. } = &value.kind {
            let called = self.program.function(*function);
            let (name, place) = (called.name.clone(), called.name_span);
            if self.functions[function.0 as usize].partial {
                finding.message = format!("{name} gives a value on some paths only");
            }
            finding = finding.label(place, format!("{name} is declared here"));
        }
        self.report(finding);
    }

    fn tuple(&mut self, parts: &[ast::Expr], wanted: Option<&Type>, span: Span) -> Expr {
        let wanted = match wanted {
            Some(Type::Tuple(types)) if types.len() == parts.len() => types.as_slice(),
            _ => &[],
        };
        let mut typed = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            let value = self.expr(part, wanted.get(at));
            if !self.is_value(&value) {
                typed.push(self.wrong(part.span));
            } else {
                typed.push(value);
            }
        }
        if typed.iter().any(|part| part.ty.is_error()) {
            return self.wrong(span);
        }
        let ty = Type::Tuple(typed.iter().map(|part| part.ty.clone()).collect());
        let kind = ExprKind::Tuple(typed);
        Expr { kind, ty, span }
    }

    fn name(&mut self, name: &ast::Name, span: Span) -> Expr {
        if let Some(variable) = self.variable(name) {
            return Expr {
                kind: ExprKind::Local(variable.local),
                ty: variable.ty.clone(),
                span,
            };
        }
        if let Some(symbol) = self.symbol(name) {
            return Expr {
                kind: ExprKind::Size(Size::symbol(symbol)),
                ty: Type::Host(Host::Int),
                span,
            };
        }
        if let Some(import) = self.globals.imports.get(name) {
            return Expr {
                kind: ExprKind::Py(PyExpr::Module(*import)),
                ty: Type::Py,
                span,
            };
        }
        self.unknown_name(name, span);
        self.wrong(span)
    }

    fn unknown_name(&mut self, name: &ast::Name, span: Span) {
        if self.body.pending.contains(name) {
            let finding = if self.body.lambdas > 0 {
                Diagnostic::new(
                    Code::E2402,
                    span,
                    format!("this reads {name}, the result that it builds"),
                )
                .note("The elements of a stage are computed together; none reads another.")
                .note("Compute each from the one before in a `for` loop.")
            } else {
                Diagnostic::new(
                    Code::E0301,
                    span,
                    format!("`{name}` isn't bound before this statement"),
                )
            };
            self.report(finding);
            return;
        }
        if let Some((place, why)) = self.body.lost.get(name).copied() {
            let finding = Diagnostic::new(
                Code::E0301,
                span,
                format!("`{name}` isn't bound on every path to here"),
            )
            .label(place, why);
            self.report(finding);
            return;
        }
        if self.foreign_name(name, span) || self.header_is_unread() {
            return;
        }
        let mut finding = Diagnostic::new(
            Code::E0301,
            span,
            format!("there's nothing named `{name}` here"),
        );
        if self.is_function_name(name) {
            // `x | f` was said to be no pipe.
            let before = self.text.get(..span.start as usize).unwrap_or("");
            if before.trim_end().ends_with('|') {
                return;
            }
            finding.message = match self.globals.models.get(name) {
                Some(id) => short(
                    format!("`{name}` is a model; {}", self.makes_one(*id)),
                    format!("`{name}` is a model: call it with `seed=` to make one"),
                ),
                None => format!("`{name}` is a function: call it, `{name}(...)`"),
            };
        } else if self.body.function.is_some() && self.script_names.contains(name) {
            finding.message = format!("`{name}` is the script's; a function doesn't see it");
            finding = finding.note(format!("Give the function a parameter and pass {name}."));
        } else {
            finding = self.with_nearest(finding, name, span);
        }
        self.report(finding);
    }

    fn with_nearest(&self, finding: Diagnostic, name: &str, span: Span) -> Diagnostic {
        let known = |name: &str| self.variable(name).is_some() || self.symbol(name).is_some();
        if let Some(twin) = suggest::look_alike(name, known) {
            return finding.note(twin.sentence).write(span, twin.name);
        }
        if !self.suggests() {
            return finding;
        }
        let variables = self.body.scopes.iter().flat_map(Scope::iter);
        let variables = variables.map(|(name, _)| name);
        let axes = self.body.axis_names.keys();
        let names = variables.chain(axes).chain(self.globals.dims.keys());
        match suggest::nearest(name, names.map(|name| &**name)) {
            Some(near) => finding.write(span, near),
            None => finding,
        }
    }

    fn literal(&mut self, elements: &[ast::Expr], wanted: Option<&Type>, span: Span) -> Expr {
        let mut flat = Vec::new();
        let mut shape = Vec::new();
        if !self.literal_level(elements, 0, &mut shape, &mut flat) {
            return self.wrong(span);
        }
        let wanted = wanted.and_then(Type::tensor).map(|tensor| tensor.dtype);
        let Some(dtype) = self.literal_dtype(&flat, wanted) else {
            return self.wrong(span);
        };
        for element in &flat {
            if !self.host_fits(element, dtype, None) {
                return self.wrong(span);
            }
        }
        let axes = shape
            .iter()
            .map(|size| {
                let axis = strand_ir::Axis::unnamed(Size::constant(*size as i64));
                axis.made(strand_ir::How::Words("the literal"), span)
            })
            .collect();
        let ty = Type::Tensor(TensorType::new(axes, dtype));
        let elements = flat;
        let kind = ExprKind::Literal { elements, shape };
        Expr { kind, ty, span }
    }

    /// Collects the elements of a literal's level in row-major order and checks its lengths.
    fn literal_level(
        &mut self,
        elements: &[ast::Expr],
        level: usize,
        shape: &mut Vec<usize>,
        flat: &mut Vec<Expr>,
    ) -> bool {
        if level == shape.len() {
            shape.push(elements.len());
        }
        let mut fine = true;
        for element in elements {
            match &element.kind {
                ast::ExprKind::Literal(inner) => {
                    let expected = shape.get(level + 1).copied();
                    let first = flat.is_empty() && expected.is_none();
                    if expected != Some(inner.len()) && !first {
                        let message = match expected {
                            Some(length) => format!("this row has {}, not {length}", inner.len()),
                            None => "this is a row where the others are numbers".to_owned(),
                        };
                        self.error(Code::E0512, element.span, message);
                        return false;
                    }
                    fine &= self.literal_level(inner, level + 1, shape, flat);
                }
                _ if shape.len() > level + 1 => {
                    let message = "this is a number where the others are rows";
                    self.error(Code::E0512, element.span, message);
                    return false;
                }
                _ => {
                    let value = self.expr(element, None);
                    fine &= self.is_element(&value);
                    flat.push(value);
                }
            }
            if !fine {
                return false;
            }
        }
        if elements.is_empty() {
            let message = "an empty literal has no type; `zeros` makes an empty tensor";
            let whole = flat.last().map_or(Span::default(), |last| last.span);
            if level > 0 {
                self.error(Code::E0101, whole, message);
            }
            return false;
        }
        true
    }

    fn is_element(&mut self, value: &Expr) -> bool {
        if !self.is_operand(value, "a tensor literal") {
            return false;
        }
        if let Some(tensor) = value.ty.tensor().filter(|tensor| tensor.rank() > 0) {
            let shape = tensor.display_shape(&self.program.symbols);
            let message = format!("a literal's elements have no axes; this is {shape}");
            self.error(Code::E0512, value.span, message);
            return false;
        }
        true
    }

    fn literal_dtype(&mut self, flat: &[Expr], wanted: Option<DType>) -> Option<DType> {
        let tensors: Vec<&Expr> = flat.iter().collect();
        if flat.iter().any(|element| element.ty.tensor().is_some()) {
            return self.common_dtype(&tensors);
        }
        let is = |host| flat.iter().any(|element| element.ty == Type::Host(host));
        let (bools, floats) = (is(Host::Bool), is(Host::Float));
        if bools && (floats || is(Host::Int)) {
            let odd = flat.iter().find(|e| e.ty != flat[0].ty)?;
            let message = "numbers and true or false don't mix";
            self.error(Code::E0602, odd.span, message);
            return None;
        }
        Some(match wanted {
            _ if bools => DType::Bool,
            Some(dtype) if dtype.is_float() || (dtype.is_int() && !floats) => dtype,
            _ if floats => DType::F32,
            _ => DType::I64,
        })
    }

    fn conditional(
        &mut self,
        (then, condition, otherwise): (&ast::Expr, &ast::Expr, &ast::Expr),
        wanted: Option<&Type>,
        span: Span,
    ) -> Expr {
        let test = self.expr(condition, None);
        let axis_names = self.body.axis_names.clone();
        let then = self.expr(then, wanted);
        self.end_axis_names(axis_names.clone());
        let otherwise = self.expr(otherwise, wanted);
        self.end_axis_names(axis_names);
        match &test.ty {
            Type::Host(Host::Bool) | Type::Error => {}
            Type::Tensor(tensor) if tensor.dtype == DType::Bool => {
                let finding = Diagnostic::new(
                    Code::E0801,
                    test.span,
                    "`if` in an expression needs a host bool; this is a tensor",
                );
                let (a, b) = (then.span.text(self.text), otherwise.span.text(self.text));
                let chosen = format!("where({}, {a}, {b})", test.span.text(self.text));
                let finding = finding.fix("choose element by element", span, chosen);
                self.report(finding);
                return self.wrong(span);
            }
            other => {
                let ty = self.show(other);
                let message = format!("a condition is true or false; this is {ty}");
                self.error(Code::E0801, test.span, message);
                return self.wrong(span);
            }
        }
        if test.ty.is_error() || !self.is_value(&then) || !self.is_value(&otherwise) {
            return self.wrong(span);
        }
        let (then, otherwise) = match (then.ty.tensor(), otherwise.ty.tensor()) {
            (Some(tensor), None) if tensor.rank() == 0 => {
                let dtype = tensor.dtype;
                (then, self.lift(otherwise, dtype))
            }
            (None, Some(tensor)) if tensor.rank() == 0 => {
                let dtype = tensor.dtype;
                (self.lift(then, dtype), otherwise)
            }
            _ => (then, otherwise),
        };
        let joined = self.join(&then.ty, &otherwise.ty, span);
        let Some(ty) = joined else {
            let (a, b) = (self.show(&then.ty), self.show(&otherwise.ty));
            let message = format!("the branches differ: {a} and {b}");
            self.error(Code::E0803, otherwise.span, message);
            return self.wrong(span);
        };
        let kind = ExprKind::If {
            condition: Box::new(test),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        };
        Expr { kind, ty, span }
    }

    fn indexed(&mut self, base: &ast::Expr, items: &[ast::IndexItem], span: Span) -> Expr {
        if let ast::ExprKind::Field { base: inner, name } = &base.kind
            && let Some(handled) = self.shape_item(inner, name, items, span)
        {
            return handled;
        }
        if self.range_of_positions(items) {
            return self.wrong(span);
        }
        if let (ast::ExprKind::Call { .. }, [ast::IndexItem::Expr(at)]) = (&base.kind, items)
            && let ast::ExprKind::Int(part @ 0..=1) = at.kind
        {
            let value = self.expr(base, None);
            if self.part_of_pair(base.span, part == 0, span) {
                return self.wrong(span);
            }
            return self.index_value_of(span, base, value, items);
        }
        self.index(span, base, items)
    }

    /// `value.name`: an attribute of a Python value, a field of a model.
    fn field(&mut self, base: &ast::Expr, name: &ast::Ident, span: Span) -> Expr {
        if self.foreign_field(base, name, span) {
            return self.wrong(span);
        }
        let base = self.expr(base, None);
        let first = match &*name.name {
            "values" => Some(true),
            "indices" => Some(false),
            _ => None,
        };
        if first.is_some_and(|first| self.part_of_pair(base.span, first, span)) {
            return self.wrong(span);
        }
        self.field_of(base, name, span)
    }

    /// `base.name` of a typed value.
    pub(crate) fn field_of(&mut self, base: Expr, name: &ast::Ident, span: Span) -> Expr {
        if self.is_caret(name.span.start) {
            self.note_caret(Some((base.ty.clone(), 0)), None);
        }
        match &base.ty {
            Type::Error => self.wrong(span),
            Type::Py => {
                let attribute = PyExpr::Attribute(Box::new(base), name.name.to_string());
                Expr {
                    kind: ExprKind::Py(attribute),
                    ty: Type::Py,
                    span,
                }
            }
            Type::Tensor(_) => {
                self.tensor_field(&base, name, span);
                self.wrong(span)
            }
            Type::Model(model) => {
                let model = *model;
                self.model_field(base, model, name, span)
            }
            _ => {
                let ty = self.show(&base.ty);
                let message = format!("{ty} has no field `{}`", name.name);
                self.error(Code::E0901, name.span, message);
                self.wrong(span)
            }
        }
    }
}

/// Where the stack stands.
#[inline(never)]
pub(crate) fn stack_address() -> usize {
    let mark = 0_u8;
    std::hint::black_box(std::ptr::from_ref(&mark)) as usize
}
