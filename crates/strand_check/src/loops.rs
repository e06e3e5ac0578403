//! Loops that could be iterator chains (H2401; the chapter's last section and decision 44).
//!
//! A hint is given only with an edit after which the program checks.

use strand_ir::{Child, Expr, ExprKind, IndexItem, LocalId, Stmt, StmtKind, SymbolKind, Type};
use strand_ops::OpId;
use strand_source::{Code, Diagnostic, Edit, Fix, Map, Set, Span};

use crate::context::Checker;
use crate::independence::Summaries;

/// Reports H2401 with its fix; the hint stands only if the fix is proven.
pub(crate) fn hints(checker: &mut Checker<'_>) {
    let known = std::mem::take(&mut checker.summaries);
    let mut candidates = Vec::new();
    {
        let program = &checker.program;
        let mut search = Search {
            checker,
            summaries: Summaries::with(program, known),
            found: &mut candidates,
        };
        let typed = program
            .functions
            .iter()
            .filter_map(|function| function.instances.first());
        for body in typed.chain(std::iter::once(&program.script)) {
            let mut params = body.params.iter().copied().collect();
            search.block(&body.stmts, &mut params);
        }
    }
    let errors = checker.diagnostics.iter().filter(|found| found.is_error());
    let mut errors: Vec<Span> = errors.map(|found| found.span).collect();
    strand_source::sort(&mut errors);
    for hint in candidates {
        let from = errors.partition_point(|error| error.start < hint.span.start);
        let inside = errors[from..].iter();
        let mut inside = inside.take_while(|error| error.start <= hint.span.end);
        // Where a loop is wrong, that comes first.
        if !inside.any(|error| hint.span.contains(*error)) {
            checker.report(hint);
        }
    }
}

struct Search<'s, 'p> {
    checker: &'s Checker<'p>,
    summaries: Summaries<'s>,
    found: &'s mut Vec<Diagnostic>,
}

/// What a loop's body adds up and binds.
#[derive(Default)]
struct LoopBody<'e> {
    /// Accumulators with their terms, in order.
    terms: Vec<(LocalId, &'e Expr)>,
    /// Values of one iteration.
    values: Map<LocalId, &'e Expr>,
}

impl Search<'_, '_> {
    /// Looks at a block's loops. `bound` are the variables bound before it, and are again after it.
    fn block(&mut self, stmts: &[Stmt], bound: &mut Set<LocalId>) {
        let mut own = Vec::new();
        for stmt in stmts {
            if let StmtKind::ForRange { .. } = stmt.kind {
                self.candidate(stmt, bound);
            }
            for inner in stmt.blocks() {
                self.block(inner, bound);
            }
            stmt.each(&mut |stmt| {
                own.extend(binds(stmt).into_iter().filter(|at| bound.insert(*at)))
            });
        }
        for local in own.into_iter().rev() {
            bound.remove(&local);
        }
    }

    fn candidate(&mut self, stmt: &Stmt, bound: &Set<LocalId>) -> Option<()> {
        let StmtKind::ForRange {
            local,
            start,
            end,
            step: None,
            body,
        } = &stmt.kind
        else {
            return None;
        };
        let axis = self.whole_axis(start, end)?;
        let body = self.body(body, bound)?;
        let index = *local;
        if let Some(index) = index {
            let exprs = body
                .terms
                .iter()
                .map(|(_, e)| *e)
                .chain(body.values.values().copied());
            if !exprs.into_iter().all(|expr| only_an_index(expr, index)) {
                return None;
            }
        }
        let fix = self.fix(stmt, &axis, index, &body)?;
        self.found.push(
            Diagnostic::new(
                Code::H2401,
                self.header(stmt.span),
                "no iteration of this loop needs another: it could be a chain",
            )
            .note(format!(
                "A chain computes all its elements at once: {}.",
                fix.edits
                    .first()
                    .and_then(|edit| edit.text.lines().last())
                    .unwrap_or("")
                    .trim()
            )),
        );
        if let Some(diagnostic) = self.found.last_mut() {
            diagnostic.fixes.push(fix);
        }
        Some(())
    }

    /// The axis name of `0..n`.
    fn whole_axis(&self, start: &Expr, end: &Expr) -> Option<String> {
        let symbols = &self.checker.program.symbols;
        let starts_at_0 = match &start.kind {
            ExprKind::Int(0) => true,
            ExprKind::Size(size) => size.as_constant() == Some(0),
            _ => false,
        };
        let ExprKind::Size(size) = &end.kind else {
            return None;
        };
        let symbol = size.as_symbol().filter(|_| starts_at_0)?;
        let info = symbols.get(symbol);
        (info.kind != SymbolKind::Birth).then(|| info.name.to_string())
    }

    /// The terms and values of a body in which every statement binds a value of its iteration or
    /// adds a term to an accumulator, and does nothing more.
    fn body<'e>(&mut self, stmts: &'e [Stmt], bound: &Set<LocalId>) -> Option<LoopBody<'e>> {
        let mut body = LoopBody::default();
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Pass => {}
                StmtKind::Bind {
                    local: Some(local),
                    value,
                } if bound.contains(local) => {
                    body.terms.push((*local, term(value, *local)?));
                }
                StmtKind::Bind {
                    local: Some(local),
                    value,
                } => {
                    let again = body.values.insert(*local, value).is_some();
                    if again {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        let accumulators: Set<_> = body.terms.iter().map(|(local, _)| *local).collect();
        let independent = |expr: &Expr| !reads_any(expr, &accumulators);
        let pure = {
            let terms = body.terms.iter().map(|(_, e)| *e);
            let mut exprs = terms.chain(body.values.values().copied());
            exprs.all(|e| independent(e) && self.summaries.first_construct(e).is_none())
        };
        (pure && !body.terms.is_empty()).then_some(body)
    }

    /// `acc = acc + (n |> map(i => e) |> sum(over=n))` for each accumulator, in place of the loop.
    fn fix(
        &self,
        stmt: &Stmt,
        axis: &str,
        index: Option<LocalId>,
        body: &LoopBody<'_>,
    ) -> Option<Fix> {
        let text = self.checker.text;
        let whole = Span::new(stmt.span.start, stmt.span.end);
        let lines = &self.checker.lines;
        let line_start = lines.line_start(lines.line(stmt.span.start))?;
        let indent = Span::new(line_start, stmt.span.start).text(text);
        let header = self.header(stmt.span).text(text);
        let name = header.strip_prefix("for")?.split(" in ").next()?.trim();
        let name = if index.is_some() { name } else { "_" };
        // The loop's comments stand before what replaces it.
        let comments = self.checker.program.comments.iter();
        let inside = comments.filter(|comment| whole.contains(comment.span));
        let mut statements: Vec<String> = inside
            .map(|comment| comment.span.text(text).trim_end().to_owned())
            .collect();
        for (accumulator, term) in &body.terms {
            let term = inlined(term, &body.values, text, 0)?;
            let accumulator = self.local_name(*accumulator, stmt)?;
            statements.push(format!(
                "{accumulator} = {accumulator} + ({axis} |> map({name} => {term}) |> sum(over={axis}))"
            ));
        }
        let replacement = statements.join(&format!("\n{indent}"));
        let end = stmt.span.start + whole.text(text).trim_end().len() as u32;
        Some(Fix {
            title: "write it as a chain".to_owned(),
            meaning: None,
            leaves: None,
            gives: None,
            edits: vec![Edit {
                span: Span::new(stmt.span.start, end),
                text: replacement,
            }],
        })
    }

    fn local_name(&self, local: LocalId, stmt: &Stmt) -> Option<String> {
        let program = &self.checker.program;
        let holder = program
            .functions
            .iter()
            .find(|function| function.span.contains(stmt.span));
        let body = holder
            .and_then(|function| function.instances.first())
            .unwrap_or(&program.script);
        body.locals
            .get(local.0 as usize)
            .map(|local| local.name.to_string())
    }

    /// The loop's first line without its `:` and comment.
    fn header(&self, span: Span) -> Span {
        let comments = self.checker.program.comments.iter();
        let comment = comments
            .map(|comment| comment.span.start)
            .find(|start| span.range().contains(&(*start as usize)));
        let code = Span::new(span.start, comment.unwrap_or(span.end));
        let line = code.text(self.checker.text).lines().next().unwrap_or("");
        let line = line.trim_end().trim_end_matches(':').trim_end();
        Span::new(span.start, span.start + line.len() as u32)
    }
}

/// The variables that a statement itself binds.
fn binds(stmt: &Stmt) -> Vec<LocalId> {
    match &stmt.kind {
        StmtKind::Bind { local, .. }
        | StmtKind::ForRange { local, .. }
        | StmtKind::ForSlices { local, .. }
        | StmtKind::ForModels { local, .. }
        | StmtKind::ForPy { local, .. } => local.iter().copied().collect(),
        StmtKind::Unpack { locals, .. } => locals.iter().flatten().copied().collect(),
        _ => Vec::new(),
    }
}

/// The e of `acc + e` or `e + acc`.
fn term(value: &Expr, accumulator: LocalId) -> Option<&Expr> {
    let ExprKind::Op {
        op: OpId::Add,
        args,
        ..
    } = &value.kind
    else {
        return None;
    };
    let [left, right] = args.as_slice() else {
        return None;
    };
    let is_accumulator = |e: &Expr| match &e.kind {
        ExprKind::Local(local) => *local == accumulator,
        ExprKind::Lift(inner) => {
            matches!(inner.kind, ExprKind::Local(local) if local == accumulator)
        }
        _ => false,
    };
    let term = match (is_accumulator(left), is_accumulator(right)) {
        (true, false) => right,
        (false, true) => left,
        _ => return None,
    };
    matches!(value.ty, Type::Tensor(_)).then_some(term)
}

fn reads_any(expr: &Expr, locals: &Set<LocalId>) -> bool {
    let mut reads = false;
    expr.each(&mut |inner| {
        if let ExprKind::Local(local) = inner.kind {
            reads |= locals.contains(&local);
        }
    });
    reads
}

/// Whether a loop variable stands only as a whole index, `x[i]`.
fn only_an_index(expr: &Expr, index: LocalId) -> bool {
    let is_index = |e: &Expr| matches!(e.kind, ExprKind::Local(local) if local == index);
    let mut only = !is_index(expr);
    if let ExprKind::Index { base, items } = &expr.kind {
        only &= only_an_index(base, index);
        for item in items {
            only &= match item {
                IndexItem::Int(e) if is_index(e) => true,
                IndexItem::Int(e) | IndexItem::Mask(e) | IndexItem::Tensor { index: e, .. } => {
                    only_an_index(e, index)
                }
                IndexItem::Slice { start, end, step } => {
                    let mut bounds = [start, end, step].into_iter().flatten();
                    bounds.all(|bound| only_an_index(bound, index))
                }
                IndexItem::Ellipsis | IndexItem::NewAxis => true,
            };
        }
        return only;
    }
    expr.each_child(&mut |child| match child {
        Child::Expr(inner) => only &= only_an_index(inner, index),
        Child::Lambda(lambda) => only &= only_an_index(&lambda.body, index),
    });
    only
}

/// The text of an expression with the iteration's values written in their places.
fn inlined(expr: &Expr, values: &Map<LocalId, &Expr>, text: &str, depth: usize) -> Option<String> {
    if depth > 8 {
        return None;
    }
    let mut places: Vec<(Span, LocalId)> = Vec::new();
    expr.each(&mut |inner| {
        if let ExprKind::Local(local) = inner.kind
            && values.contains_key(&local)
        {
            places.push((inner.span, local));
        }
    });
    strand_source::sort_by_key(&mut places, |(span, _)| *span);
    places.dedup();
    let mut out = String::new();
    let mut at = expr.span.start;
    for (span, local) in places {
        let value = inlined(values.get(&local)?, values, text, depth + 1)?;
        out.push_str(text.get(at as usize..span.start as usize)?);
        out.push_str(&format!("({value})"));
        at = span.end;
    }
    out.push_str(text.get(at as usize..expr.span.end as usize)?);
    Some(out)
}
