//! Statements and scopes.

use strand_ir::{Expr, ExprKind, Host, LocalId, LocalKind, Stmt, StmtKind, TensorType, Type};
use strand_ops::DType;
use strand_source::{Code, Diagnostic, Span};
use strand_syntax::ast::{self, Target};

use crate::context::{Checker, Variable};
use crate::fit::Slot;
use crate::joins::Changes;
use crate::types::TypePlace;

impl Checker<'_> {
    /// Types a block; the second part says whether the statement after it can be reached.
    pub(crate) fn block(&mut self, stmts: &[ast::Stmt]) -> (Vec<Stmt>, bool) {
        let mut typed = Vec::with_capacity(stmts.len());
        let mut goes_on = true;
        for stmt in stmts {
            let (kind, on) = self.stmt(stmt);
            goes_on &= on;
            if let Some(kind) = kind {
                let span = stmt.span;
                typed.push(Stmt { kind, span });
            }
        }
        (typed, goes_on)
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> (Option<StmtKind>, bool) {
        let mut on = true;
        let kind = match &stmt.kind {
            ast::StmtKind::Assign { target, ty, value } => self.assign(target, ty.as_ref(), value),
            ast::StmtKind::Update {
                target,
                op,
                op_span,
                value,
            } => {
                let site = crate::operators::BinarySite {
                    op: *op,
                    op_span: *op_span,
                    span: stmt.span,
                };
                self.update(site, target, value)
            }
            ast::StmtKind::For { .. } => self.for_loop(stmt),
            ast::StmtKind::While { condition, body } => {
                let mut test = None;
                let body = self.loop_body(
                    stmt.span,
                    &mut |checker| test = Some(checker.condition(condition)),
                    body,
                );
                test.map(|condition| StmtKind::While { condition, body })
            }
            ast::StmtKind::If {
                branches,
                otherwise,
            } => {
                let (kind, goes_on) = self.branches(branches, otherwise.as_deref(), stmt.span);
                on = goes_on;
                Some(kind)
            }
            ast::StmtKind::With { mode, body } => {
                let (kind, goes_on) = self.with_mode(mode, body);
                on = goes_on;
                kind
            }
            ast::StmtKind::Return(value) => {
                on = false;
                self.return_value(value.as_ref(), stmt.span)
            }
            ast::StmtKind::Assert { condition, message } => {
                let condition = self.condition(condition);
                let message = message.as_ref().map(|text| self.text_of(text));
                Some(StmtKind::Assert { condition, message })
            }
            ast::StmtKind::Break => {
                on = false;
                self.leave(stmt.span, "break", StmtKind::Break)
            }
            ast::StmtKind::Continue => {
                on = false;
                self.leave(stmt.span, "continue", StmtKind::Continue)
            }
            ast::StmtKind::Pass => Some(StmtKind::Pass),
            ast::StmtKind::Expr(value) => Some(StmtKind::Expr(self.expr(value, None))),
            ast::StmtKind::Error => None,
        };
        (kind, on)
    }

    fn text_of(&mut self, text: &ast::Expr) -> Expr {
        let typed = self.expr(text, None);
        if matches!(typed.ty, Type::Host(Host::Str) | Type::Error) {
            return typed;
        }
        let ty = self.show(&typed.ty);
        let message = format!("an assertion's message is a text, not {ty}");
        self.error(Code::E0704, text.span, message);
        self.wrong(text.span)
    }

    /// A condition: a host bool or a `[] bool`; E0801.
    fn condition(&mut self, condition: &ast::Expr) -> Expr {
        let typed = self.expr(condition, None);
        let message = match &typed.ty {
            Type::Host(Host::Bool) | Type::Error => return typed,
            Type::Tensor(tensor) if tensor.dtype == DType::Bool && tensor.rank() == 0 => {
                return typed;
            }
            Type::Tensor(tensor) if tensor.dtype == DType::Bool => {
                let shape = tensor.display_shape(&self.program.symbols);
                format!("a condition is one truth value; this has the axes {shape}")
            }
            Type::Nothing | Type::Tuple(_) | Type::Py => {
                self.is_operand(&typed, "a condition");
                return self.wrong(condition.span);
            }
            other => format!("a condition is true or false; this is {}", self.show(other)),
        };
        let mut finding = Diagnostic::new(Code::E0801, typed.span, message);
        let text = typed.span.text(self.text);
        if typed
            .ty
            .tensor()
            .is_some_and(|tensor| tensor.dtype == DType::Bool)
        {
            for op in ["all", "any"] {
                finding = finding.fix(
                    format!("write `{op}(...)`"),
                    typed.span,
                    format!("{op}({text})"),
                );
            }
        } else {
            finding = finding.note("Compare it, as in `x > 0`.");
        }
        self.report(finding);
        self.wrong(condition.span)
    }

    /// `break` and `continue`: what the variables are there joins the loop's head.
    fn leave(&mut self, span: Span, word: &str, kind: StmtKind) -> Option<StmtKind> {
        if self.body.loops == 0 {
            let message = format!("`{word}` stands only in a loop");
            self.error(Code::E0804, span, message);
            return None;
        }
        let mark = self.body.exits.last().map_or(0, |exits| exits.mark);
        let state = self.changes(mark);
        if let Some(exits) = self.body.exits.last_mut() {
            exits.states.push(state);
        }
        Some(kind)
    }

    fn return_value(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<StmtKind> {
        let wanted = self.body.result.clone();
        let typed = value.map(|value| self.expr(value, wanted.as_ref()));
        if self.body.function.is_none() {
            self.error(Code::E0804, span, "`return` stands only in a function");
            return None;
        }
        let typed = match (typed, wanted) {
            (Some(value), Some(wanted)) => {
                let declared = self.body.result_span;
                Some(self.fit(value, &wanted, &Slot::Result(declared)))
            }
            (None, Some(wanted)) => {
                let wanted = self.show(&wanted);
                let message = format!("this returns nothing, but the result is {wanted}");
                self.error(Code::E0708, span, message);
                None
            }
            (value, None) => value,
        };
        let ty = typed
            .as_ref()
            .map_or(Type::Nothing, |value| value.ty.clone());
        let place = typed.as_ref().map_or(span, |value| value.span);
        self.body.returns.push((ty, place));
        Some(StmtKind::Return(typed))
    }

    fn branches(
        &mut self,
        branches: &[(ast::Expr, Vec<ast::Stmt>)],
        otherwise: Option<&[ast::Stmt]>,
        span: Span,
    ) -> (StmtKind, bool) {
        let mut typed = Vec::with_capacity(branches.len());
        let mut paths: Vec<Changes> = Vec::new();
        for (condition, block) in branches {
            let condition = self.condition(condition);
            let block = self.path(block, &mut paths);
            typed.push((condition, block));
        }
        let last = match otherwise {
            Some(block) => Some(self.path(block, &mut paths)),
            None => {
                paths.push(Changes::new());
                None
            }
        };
        self.meet(&paths, span);
        let kind = StmtKind::If {
            branches: typed,
            otherwise: last,
        };
        (kind, !paths.is_empty())
    }

    /// Types a branch from the state before it; its end is added to `paths` if it goes on.
    fn path(&mut self, block: &[ast::Stmt], paths: &mut Vec<Changes>) -> Vec<Stmt> {
        let mark = self.body.journal.len();
        let (stmts, goes_on) = self.block(block);
        if goes_on {
            paths.push(self.changes(mark));
        }
        self.rollback(mark);
        stmts
    }

    fn with_mode(&mut self, mode: &ast::Ident, body: &[ast::Stmt]) -> (Option<StmtKind>, bool) {
        let training = match &*mode.name {
            "train" => Some(true),
            "eval" => Some(false),
            other => {
                let mut finding = Diagnostic::new(
                    Code::E0301,
                    mode.span,
                    format!("there's no mode `{other}`: write `with train:` or `with eval:`"),
                );
                if let Some(near) = crate::suggest::nearest(other, ["train", "eval"].into_iter()) {
                    finding = finding.fix(format!("write `{near}`"), mode.span, near);
                }
                self.report(finding);
                None
            }
        };
        let outer = std::mem::replace(&mut self.body.mode, training.or(Some(false)));
        let (body, goes_on) = self.block(body);
        self.body.mode = outer;
        let kind = training.map(|training| StmtKind::With { training, body });
        (kind, goes_on)
    }

    fn assign(
        &mut self,
        target: &Target,
        annotation: Option<&ast::TypeExpr>,
        value: &ast::Expr,
    ) -> Option<StmtKind> {
        match target {
            Target::Index { base, items, span } => {
                return self.set_index(base, items, *span, IndexValue::Written(value));
            }
            Target::Field { base, name, span } => {
                self.set_field(base, name, *span, value);
                return None;
            }
            _ => {}
        }
        let wanted = annotation.map(|ty| self.tensor_type(ty, TypePlace::Result));
        let outer = std::mem::take(&mut self.body.pending);
        self.body.pending = self.unbound_targets(target);
        let mut typed = self.expr(value, wanted.as_ref());
        self.body.pending = outer;
        if let (Some(wanted), Some(annotation)) = (&wanted, annotation) {
            typed = self.fit(typed, wanted, &Slot::Annotation(annotation.span));
        }
        match target {
            Target::Name(name) => {
                if !typed.ty.is_error() && !self.is_value(&typed) {
                    typed = self.wrong(typed.span);
                }
                let value = self.raised(name.span, typed);
                let local = self.bind_name(name, &value);
                let local = Some(local);
                Some(StmtKind::Bind { local, value })
            }
            Target::Ignore(_) => Some(StmtKind::Bind {
                local: None,
                value: typed,
            }),
            Target::Tuple(parts, _) => self.unpack(parts, typed),
            Target::Index { .. } | Target::Field { .. } | Target::Error(_) => None,
        }
    }

    fn unbound_targets(&self, target: &Target) -> Vec<ast::Name> {
        match target {
            Target::Name(name) if self.variable(&name.name).is_none() => vec![name.name.clone()],
            Target::Tuple(parts, _) => {
                let names = parts.iter().flat_map(|part| self.unbound_targets(part));
                names.collect()
            }
            _ => Vec::new(),
        }
    }

    /// The value of a binding: a host number that a join makes a `[]` tensor is one from the start.
    fn raised(&mut self, place: Span, value: Expr) -> Expr {
        if matches!(value.ty, Type::Host(Host::Int | Host::Float | Host::Bool)) {
            self.body.raisable.insert(place);
            if let Some(dtype) = self.body.raised.get(&place).copied() {
                return self.lift(value, dtype);
            }
        }
        value
    }

    /// Binds a name by a statement: the same local each time.
    fn bind_name(&mut self, name: &ast::Ident, value: &Expr) -> LocalId {
        // The last stage is a map or filter: its iterated axis is known by the name too.
        let iterated = matches!(value.kind, ExprKind::Map { .. } | ExprKind::Filter { .. });
        let ty = value.ty.clone();
        self.bind_typed(name, ty, LocalKind::Variable, iterated)
    }

    fn bind_typed(
        &mut self,
        name: &ast::Ident,
        ty: Type,
        kind: LocalKind,
        iterated: bool,
    ) -> LocalId {
        let ty = if self.is_axis_or_dim(name) {
            Type::Error
        } else {
            ty
        };
        self.hover(name.span, &ty);
        let bound = self.variable(&name.name).map(|variable| variable.local);
        let known = bound.or_else(|| match kind {
            LocalKind::Variable => self.body.by_name.get(&name.name).copied(),
            _ => None,
        });
        let local = known.unwrap_or_else(|| {
            let local = LocalId(self.body.locals.len() as u32);
            self.body.locals.push(strand_ir::Local {
                name: name.name.clone(),
                kind,
                ty: ty.clone(),
                span: name.span,
            });
            local
        });
        if kind == LocalKind::Variable {
            self.body.by_name.insert(name.name.clone(), local);
        }
        let variable = Variable {
            local,
            ty,
            bound_at: vec![name.span],
        };
        self.set_variable(&name.name, Some(variable), iterated);
        local
    }

    /// E0303 of a name that is an axis's or a dim's.
    pub(crate) fn is_axis_or_dim(&mut self, name: &ast::Ident) -> bool {
        let Some(symbol) = self.symbol(&name.name) else {
            return false;
        };
        let info = self.program.symbols.get(symbol);
        let (place, what) = match info.kind {
            strand_ir::SymbolKind::Dim(_) => (info.span, "a dim"),
            _ => (info.span, "an axis name"),
        };
        let finding = Diagnostic::new(
            Code::E0303,
            name.span,
            format!(
                "`{}` is {what} here, so nothing else has that name",
                name.name
            ),
        )
        .label(place, format!("{what}: {}", name.name));
        self.report(finding);
        true
    }

    fn unpack(&mut self, parts: &[Target], value: Expr) -> Option<StmtKind> {
        let types: Vec<Type> = match &value.ty {
            Type::Tuple(types) if types.len() == parts.len() => types.clone(),
            Type::Error => vec![Type::Error; parts.len()],
            other => {
                self.not_parts(&value, other.clone(), parts.len());
                vec![Type::Error; parts.len()]
            }
        };
        let mut locals = Vec::with_capacity(parts.len());
        let mut seen: Vec<&ast::Ident> = Vec::new();
        for (part, ty) in parts.iter().zip(types) {
            match part {
                Target::Name(name) => {
                    if let Some(first) = seen.iter().find(|first| first.name == name.name) {
                        let finding = Diagnostic::new(
                            Code::E0302,
                            name.span,
                            format!("`{}` is bound twice here", name.name),
                        )
                        .label(first.span, "the first time");
                        self.report(finding);
                    }
                    seen.push(name);
                    locals.push(Some(self.bind_typed(name, ty, LocalKind::Variable, false)));
                }
                Target::Ignore(_) | Target::Error(_) => locals.push(None),
                Target::Tuple(_, span)
                | Target::Index { span, .. }
                | Target::Field { span, .. } => {
                    let message = "only names stand here; take the rest apart after it";
                    self.error(Code::E0304, *span, message);
                    locals.push(None);
                }
            }
        }
        Some(StmtKind::Unpack { locals, value })
    }

    fn not_parts(&mut self, value: &Expr, ty: Type, count: usize) {
        let text = self.name_of(value.span);
        let message = match &ty {
            Type::Tuple(types) => format!("{text} has {} parts, not {count}", types.len()),
            Type::Py => {
                let message = format!("{text} is a Python value; index its parts: `value[0]`");
                self.error(Code::E3101, value.span, message);
                return;
            }
            Type::Nothing => {
                self.no_value(value);
                return;
            }
            other => format!("{text} is {}, which has no parts", self.show(other)),
        };
        self.error(Code::E0704, value.span, message);
    }

    fn update(
        &mut self,
        site: crate::operators::BinarySite,
        target: &Target,
        value: &ast::Expr,
    ) -> Option<StmtKind> {
        match target {
            Target::Name(name) => {
                let held = ast::Expr {
                    kind: ast::ExprKind::Name(name.name.clone()),
                    span: name.span,
                };
                if self.variable(&name.name).is_none() && self.is_axis_or_dim(name) {
                    self.expr(value, None);
                    return None;
                }
                let typed = self.binary(site, &held, value);
                if self.variable(&name.name).is_none() {
                    return None;
                }
                let value = self.raised(name.span, typed);
                let local = Some(self.bind_name(name, &value));
                Some(StmtKind::Bind { local, value })
            }
            Target::Index { base, items, span } => {
                let held = ast::Expr {
                    kind: ast::ExprKind::Index {
                        base: base.clone(),
                        items: items.clone(),
                    },
                    span: *span,
                };
                let typed = self.binary(site, &held, value);
                if typed.ty.is_error() {
                    return None;
                }
                self.set_index(base, items, *span, IndexValue::Typed(typed))
            }
            Target::Field { base, name, span } => {
                self.set_field(base, name, *span, value);
                None
            }
            Target::Ignore(span) | Target::Tuple(_, span) => {
                self.expr(value, None);
                let text = format!("`{}=` changes one variable", site.op.as_str());
                self.error(Code::E0304, *span, text);
                None
            }
            Target::Error(_) => {
                self.expr(value, None);
                None
            }
        }
    }

    /// `m.w = e`
    fn set_field(&mut self, base: &ast::Expr, name: &ast::Ident, span: Span, value: &ast::Expr) {
        self.expr(value, None);
        let base = self.expr(base, None);
        if base.ty.is_error() {
            return;
        }
        let ty = self.show(&base.ty);
        let finding = Diagnostic::new(
            Code::E0304,
            span,
            format!("`{}` can't be assigned: {ty} has no fields", name.name),
        );
        self.report(finding);
    }

    /// `y[items] = e`: y becomes a changed copy.
    fn set_index(
        &mut self,
        base: &ast::Expr,
        items: &[ast::IndexItem],
        span: Span,
        value: IndexValue<'_>,
    ) -> Option<StmtKind> {
        let ast::ExprKind::Name(name) = &base.kind else {
            if let IndexValue::Written(value) = value {
                self.expr(value, None);
            }
            let mut finding = Diagnostic::new(
                Code::E0304,
                span,
                "only a variable's elements can be assigned",
            );
            if matches!(base.kind, ast::ExprKind::Index { .. }) {
                finding = finding.note("Write all the indices in one pair of brackets: `y[i, j]`.");
            }
            self.report(finding);
            return None;
        };
        let typed_base = self.expr(base, None);
        let Type::Tensor(tensor) = typed_base.ty.clone() else {
            if let IndexValue::Written(value) = value {
                self.expr(value, None);
            }
            if !typed_base.ty.is_error() {
                let ty = self.show(&typed_base.ty);
                let message = format!("`{name}` is {ty}: it has no elements to assign");
                self.error(Code::E0304, span, message);
            }
            return None;
        };
        let ExprKind::Local(local) = typed_base.kind else {
            return None;
        };
        let part = Type::Tensor(TensorType::new(Vec::new(), tensor.dtype));
        let value = match value {
            IndexValue::Written(value) => self.expr(value, Some(&part)),
            IndexValue::Typed(value) => value,
        };
        let (items, indexed) = self.index_items(&tensor, base.span, items)?;
        if value.ty.is_error() || !self.is_operand(&value, "an assignment") {
            return None;
        }
        if !self.fits_part(&value, &indexed, &tensor, base.span) {
            return None;
        }
        let mut kept = tensor;
        if !matches!(kept.domain, strand_ir::Domain::Index(_)) {
            kept.domain = strand_ir::Domain::Plain;
        }
        let variable = Variable {
            local,
            ty: Type::Tensor(kept),
            bound_at: vec![span],
        };
        self.set_variable(name, Some(variable), false);
        Some(StmtKind::SetIndex {
            local,
            items,
            value,
        })
    }

    /// Whether a value can be assigned to a part of a tensor: one dtype, and its shape stretches to
    /// the part's.
    fn fits_part(
        &mut self,
        value: &Expr,
        part: &TensorType,
        whole: &TensorType,
        place: Span,
    ) -> bool {
        let Some(given) = value.ty.tensor() else {
            return self.host_fits(value, whole.dtype, Some(place));
        };
        let symbols = &self.program.symbols;
        let pairs = given.axes.iter().rev().zip(part.axes.iter().rev());
        let fits = given.rank() <= part.rank()
            && pairs
                .into_iter()
                .all(|(given, part)| given.stretches() || given.agrees(part, symbols));
        if !fits {
            let (has, wants) = (given.display_shape(symbols), part.display_shape(symbols));
            let text = self.name_of(value.span);
            let finding = Diagnostic::new(
                Code::E0503,
                value.span,
                format!("{text} is {has}, but the part that is assigned is {wants}"),
            )
            .label(place, format!("this part is {wants}"));
            self.report(finding);
            return false;
        }
        if given.dtype != whole.dtype {
            let dtype = whole.dtype;
            let converted = format!(
                "{} to {dtype}",
                crate::suggest::grouped(value.span.text(self.text))
            );
            let finding = Diagnostic::new(
                Code::E0602,
                value.span,
                format!("{} can't be assigned into {dtype}", given.dtype),
            )
            .label(place, format!("{dtype}"))
            .fix(format!("convert to {dtype}"), value.span, converted);
            self.report(finding);
            return false;
        }
        if let strand_ir::Domain::Index(_) = whole.domain {
            if !given.domain.serves(&whole.domain, symbols) {
                let domain = whole.domain.display(symbols);
                let finding = Diagnostic::new(
                    Code::E0506,
                    value.span,
                    format!("the values that are assigned aren't known to be {domain}"),
                )
                .label(place, domain);
                self.report(finding);
                return false;
            }
        }
        true
    }

    fn for_loop(&mut self, stmt: &ast::Stmt) -> Option<StmtKind> {
        let ast::StmtKind::For {
            target,
            iter,
            over,
            by,
            body,
            ..
        } = &stmt.kind
        else {
            return None;
        };
        let span = stmt.span;
        if let Some(by) = by {
            self.error(Code::E0306, *by, "datasets aren't available yet");
            self.loop_over(span, target, Type::Error, body);
            return None;
        }
        if let ast::ExprKind::Range(range) = &without_parens(iter).kind {
            if let Some(over) = over {
                let message = "a range has no axis to name";
                self.error(Code::E0405, over.span, message);
            }
            return self.for_range(span, target, range, body);
        }
        let Some(value) = self.iterable(iter) else {
            self.loop_over(span, target, Type::Error, body);
            return None;
        };
        match value.ty.clone() {
            Type::Tensor(tensor) => {
                let axis = self.loop_axis(&tensor, &value, over.as_ref());
                let ty = match axis {
                    Some(axis) => {
                        let mut slice = tensor;
                        slice.axes.remove(axis);
                        Type::Tensor(slice)
                    }
                    None => Type::Error,
                };
                let (local, body) = self.loop_over(span, target, ty, body);
                let tensor = value;
                axis.map(|axis| StmtKind::ForSlices {
                    local,
                    tensor,
                    axis,
                    body,
                })
            }
            _ => {
                if let Some(over) = over {
                    let message = "a Python value has no axis to name";
                    self.error(Code::E3101, over.span, message);
                }
                let (local, body) = self.loop_over(span, target, Type::Py, body);
                Some(StmtKind::ForPy { local, value, body })
            }
        }
    }

    /// The tensor or Python value that a loop goes over; E0802 for others.
    fn iterable(&mut self, iter: &ast::Expr) -> Option<Expr> {
        if let Some(text) = self.range_call(iter) {
            let finding = Diagnostic::new(Code::E0802, iter.span, "Strand writes a range `a..b`")
                .fix(format!("write `{text}`"), iter.span, text);
            self.report(finding);
            return None;
        }
        let value = self.expr(iter, None);
        let text = self.name_of(value.span);
        let mut finding = match &value.ty {
            Type::Error => return None,
            Type::Py => return Some(value),
            Type::Tensor(tensor) if tensor.rank() > 0 => return Some(value),
            Type::Tensor(_) => Diagnostic::new(
                Code::E0802,
                value.span,
                format!("{text} has no axis to loop over"),
            ),
            Type::Host(Host::Int) => {
                let written = crate::suggest::grouped(value.span.text(self.text));
                let range = format!("0..{written}");
                Diagnostic::new(
                    Code::E0802,
                    value.span,
                    format!("{text} is a number; loop over a range"),
                )
                .fix(format!("write `{range}`"), value.span, range)
            }
            Type::Nothing => {
                self.no_value(&value);
                return None;
            }
            other => {
                let ty = self.show(other);
                Diagnostic::new(
                    Code::E0802,
                    value.span,
                    format!("{text} is {ty}, which can't be looped over"),
                )
            }
        };
        finding = finding.note("`for` goes over a range, a tensor's axis or a Python value.");
        self.report(finding);
        None
    }

    /// The range that `range(a, b, s)` of Python is.
    fn range_call(&self, iter: &ast::Expr) -> Option<String> {
        let ast::ExprKind::Call { callee, args, .. } = &without_parens(iter).kind else {
            return None;
        };
        let ast::ExprKind::Name(name) = &callee.kind else {
            return None;
        };
        if &**name != "range" || self.globals.functions.contains_key(name) {
            return None;
        }
        let part = |at: usize| {
            let text = args.get(at).map(|arg| arg.value.span.text(self.text));
            text.map(crate::suggest::grouped)
        };
        Some(match args.len() {
            1 => format!("0..{}", part(0)?),
            2 => format!("{}..{}", part(0)?, part(1)?),
            3 => format!("{}..{} by {}", part(0)?, part(1)?, part(2)?),
            _ => return None,
        })
    }

    fn loop_axis(
        &mut self,
        tensor: &TensorType,
        value: &Expr,
        over: Option<&ast::Ident>,
    ) -> Option<usize> {
        if let Some(over) = over {
            return self.named_axis(tensor, &over.name, over.span);
        }
        if tensor.rank() == 1 {
            return Some(0);
        }
        let shape = tensor.display_shape(&self.program.symbols);
        let mut finding = Diagnostic::new(
            Code::E0406,
            value.span,
            format!("the loop needs `over`: its tensor has the axes {shape}"),
        );
        for at in 0..tensor.rank().min(3) {
            if tensor.axes[at].name.is_some() {
                let text = format!("over {}", self.over_text(tensor, at));
                let end = Span::empty(value.span.end);
                finding = finding.fix(format!("write `{text}`"), end, format!(" {text}"));
            }
        }
        self.report(finding);
        None
    }

    fn for_range(
        &mut self,
        span: Span,
        target: &Target,
        range: &ast::Range,
        body: &[ast::Stmt],
    ) -> Option<StmtKind> {
        let zero = Expr {
            kind: ExprKind::Int(0),
            ty: Type::Host(Host::Int),
            span: Span::empty(range.span.start),
        };
        let start = range.start.as_ref().map_or(zero, |end| self.loop_end(end));
        let end = match &range.end {
            Some(end) => self.loop_end(end),
            None => {
                self.error(
                    Code::E0101,
                    range.span,
                    "a loop's range needs its end: `0..n`",
                );
                self.wrong(range.span)
            }
        };
        let step = range.step.as_ref().map(|step| self.loop_end(step));
        if let Some(ExprKind::Int(0)) = step.as_ref().map(|step| &step.kind) {
            let place = step.as_ref().map_or(range.span, |step| step.span);
            self.error(Code::E0802, place, "a step of 0 never ends");
        }
        let (local, body) = self.loop_over(span, target, Type::Host(Host::Int), body);
        Some(StmtKind::ForRange {
            local,
            start,
            end,
            step,
            body,
        })
    }

    /// An end or step of a loop's range: a host int.
    fn loop_end(&mut self, end: &ast::Expr) -> Expr {
        let typed = self.expr(end, None);
        match &typed.ty {
            Type::Host(Host::Int) | Type::Error => typed,
            other => {
                let ty = self.show(other);
                let text = self.name_of(typed.span);
                let mut finding = Diagnostic::new(
                    Code::E0704,
                    typed.span,
                    format!("a range's ends are host ints; {text} is {ty}"),
                );
                let whole = |tensor: &TensorType| tensor.rank() == 0 && tensor.dtype.is_int();
                if other.tensor().is_some_and(whole) {
                    let read = format!("item({})", typed.span.text(self.text));
                    finding = finding.fix(format!("write `{read}`"), typed.span, read);
                }
                self.report(finding);
                self.wrong(end.span)
            }
        }
    }

    /// A loop's body with its name bound to `ty`.
    fn loop_over(
        &mut self,
        span: Span,
        target: &Target,
        ty: Type,
        body: &[ast::Stmt],
    ) -> (Option<LocalId>, Vec<Stmt>) {
        let mut local = None;
        let mut start = |checker: &mut Self| {
            local = checker.loop_name(target, &ty);
        };
        let body = self.loop_body(span, &mut start, body);
        (local, body)
    }

    fn loop_name(&mut self, target: &Target, ty: &Type) -> Option<LocalId> {
        match target {
            Target::Name(name) => Some(self.bind_typed(name, ty.clone(), LocalKind::Loop, false)),
            Target::Ignore(_) | Target::Error(_) => None,
            Target::Tuple(parts, span) => {
                if !ty.is_error() {
                    let ty = self.show(ty);
                    let message = format!("each turn of the loop gives one value ({ty})");
                    self.error(Code::E0704, *span, message);
                }
                for part in parts {
                    self.loop_name(part, &Type::Error);
                }
                None
            }
            Target::Index { span, .. } | Target::Field { span, .. } => {
                self.error(Code::E0304, *span, "a loop binds a name");
                None
            }
        }
    }
}

/// What is assigned to an index: as written, or the typed sum of `y[i] += e`.
enum IndexValue<'v> {
    Written(&'v ast::Expr),
    Typed(Expr),
}

fn without_parens(mut expr: &ast::Expr) -> &ast::Expr {
    while let ast::ExprKind::Paren(inner) = &expr.kind {
        expr = inner;
    }
    expr
}
