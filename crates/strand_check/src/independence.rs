//! Independence: what functions do beside computing a value, and what a stage's function may not
//! (E2403), filters inside a mapped lambda (E2405) and their masked reductions.
//!
//! The input of a chain, the other side of a zip and `over=` are computed once, before the stage:
//! they belong to what encloses the chain.

use strand_ir::{
    Child, ChildMut, Expr, ExprKind, FnId, IndexItem, Iter, IterKind, Lambda, Lowering, Over,
    Program, PyExpr, Stmt, StmtKind,
};
use strand_ops::{Effect, OpId};
use strand_source::{Code, Diagnostic, Map, Span};

use crate::context::Checker;
use crate::operators::short;
use crate::sentences::only_computes;

/// Fills in every function's effects and `in_chain`, reports E2403 and E2405, and marks the
/// filters that are kept inside the reduction that ends them.
pub(crate) fn check(checker: &mut Checker<'_>) {
    let mut summaries = Summaries::new(&checker.program);
    let ids: Vec<FnId> = (0..checker.program.functions.len() as u32)
        .map(FnId)
        .collect();
    // What is called comes first, so that long chains of calls aren't deep.
    for id in &checker.order {
        summaries.of(*id);
    }
    let mut found = Vec::new();
    let mut reached = Vec::new();
    for body in bodies(&checker.program) {
        for stmt in body {
            stmt.each(&mut |stmt| {
                stmt.each_child(&mut |child| {
                    outside(child, &mut summaries, &mut found, &mut reached);
                });
            });
        }
    }
    for call in &checker.dropped_calls {
        if let ExprKind::Call { function, .. } = call.kind {
            found.extend(call_finding(call, function, &mut summaries));
        }
    }
    let in_chain = closure(&checker.program, reached);
    let effects: Vec<_> = ids.iter().map(|id| summaries.of(*id).effects).collect();
    let known = summaries.known;
    for (id, effects) in ids.iter().zip(effects) {
        let function = &mut checker.program.functions[id.0 as usize];
        function.effects = effects;
        function.in_chain = in_chain[id.0 as usize];
    }
    checker.summaries = known;
    mask_filters(&mut checker.program);
    found
        .into_iter()
        .for_each(|diagnostic| checker.report(diagnostic));
}

/// The statements of every body of a program.
fn bodies(program: &Program) -> impl Iterator<Item = &[Stmt]> {
    let functions = program
        .functions
        .iter()
        .flat_map(|function| &function.instances);
    functions
        .chain(std::iter::once(&program.script))
        .map(|body| body.stmts.as_slice())
}

/// Something that a stage's function can't do.
#[derive(Clone, Debug)]
pub(crate) struct Construct {
    /// As a sentence names it: "print".
    pub(crate) phrase: String,
    /// Where it stands.
    pub(crate) span: Span,
    code: Code,
}

/// What a function does beside computing a value, itself and through calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    constructs: Vec<Construct>,
    effects: Vec<(Effect, Span)>,
}

/// The summaries of a program's functions, computed once each.
pub(crate) struct Summaries<'p> {
    program: &'p Program,
    known: Map<FnId, Option<Summary>>,
}

impl<'p> Summaries<'p> {
    /// No summary is computed yet.
    fn new(program: &'p Program) -> Self {
        Self::with(program, Map::new())
    }

    /// With the summaries that were computed before.
    pub(crate) fn with(program: &'p Program, known: Map<FnId, Option<Summary>>) -> Self {
        Self { program, known }
    }

    /// The summary; empty inside a recursion, which is E0706.
    fn of(&mut self, id: FnId) -> Summary {
        if let Some(known) = self.known.get(&id) {
            return known.clone().unwrap_or_default();
        }
        self.known.insert(id, None);
        let mut summary = Summary::default();
        let program = self.program;
        for body in &program.function(id).instances {
            for stmt in &body.stmts {
                self.stmt(stmt, &mut summary);
            }
        }
        strand_source::sort_by_key(&mut summary.constructs, |construct| construct.span);
        summary.constructs.dedup_by_key(|construct| construct.span);
        self.known.insert(id, Some(summary.clone()));
        summary
    }

    fn stmt(&mut self, stmt: &Stmt, summary: &mut Summary) {
        stmt.each(&mut |stmt| {
            if let Some(construct) = stmt_construct(stmt) {
                summary.constructs.push(construct);
            }
            stmt.each_child(&mut |child| match child {
                Child::Expr(expr) => self.expr(expr, summary),
                Child::Lambda(lambda) => self.expr(&lambda.body, summary),
            });
        });
    }

    fn expr(&mut self, expr: &Expr, summary: &mut Summary) {
        let mut filters = Filters::default();
        filters.visit(expr, false);
        summary
            .constructs
            .extend(filters.loose.into_iter().map(loose_filter));
        expr.each(&mut |expr| {
            if let Some(construct) = expr_construct(expr, self.program) {
                summary.constructs.push(construct);
            }
            // In a lambda typing says it of the masks that depend on its parameters; what a
            // function masks by depends on what it is given.
            if let ExprKind::Index { items, .. } = &expr.kind
                && let Some(mask) = items.iter().find_map(mask_of)
            {
                let phrase = "a mask, which picks a number of elements".to_owned();
                summary.constructs.push(Construct {
                    phrase,
                    span: mask.span,
                    code: Code::E2403,
                });
            }
            if let ExprKind::Op { op, .. } = expr.kind
                && op.op().traits.counts_values
                && !expr.ty.tensor().is_some_and(|ty| {
                    let symbols = &self.program.symbols;
                    ty.axes.iter().all(|axis| !is_born(axis, symbols))
                })
            {
                summary.constructs.push(Construct {
                    phrase: format!("{}, whose size its values decide", op.name()),
                    span: expr.span,
                    code: Code::E2403,
                });
            }
            if let ExprKind::Op { op, .. } = expr.kind
                && let Some(effect) = op.op().effect()
                && !summary.effects.iter().any(|(known, _)| *known == effect)
            {
                summary.effects.push((effect, expr.span));
            }
            if let ExprKind::Call { function, .. } = expr.kind {
                let called = self.of(function);
                for (effect, _) in called.effects {
                    if !summary.effects.iter().any(|(known, _)| *known == effect) {
                        summary.effects.push((effect, expr.span));
                    }
                }
                summary.constructs.extend(called.constructs);
            }
        });
    }

    /// The first thing in an expression that a stage's function can't do, itself or in what it
    /// calls.
    pub(crate) fn first_construct(&mut self, expr: &Expr) -> Option<Construct> {
        let mut summary = Summary::default();
        self.expr(expr, &mut summary);
        summary
            .constructs
            .into_iter()
            .find(|construct| construct.code == Code::E2403)
    }
}

/// What a statement itself does that a function called in a stage can't.
fn stmt_construct(stmt: &Stmt) -> Option<Construct> {
    let at = |phrase: &str, span| {
        Some(Construct {
            phrase: phrase.to_owned(),
            span,
            code: Code::E2403,
        })
    };
    match &stmt.kind {
        StmtKind::SetField { .. } => at("a change of a model's field", stmt.span),
        StmtKind::ForPy { value, .. } => at("a loop over a Python value", value.span),
        StmtKind::With { .. } => at("a mode", stmt.span),
        StmtKind::If { branches, .. } => branches
            .iter()
            .find(|(condition, _)| condition.ty.tensor().is_some())
            .and_then(|(condition, _)| at("an `if` on a tensor", condition.span)),
        StmtKind::While { condition, .. } if condition.ty.tensor().is_some() => {
            at("a `while` on a tensor", condition.span)
        }
        _ => None,
    }
}

/// What an expression itself does, calls aside, that a stage's function can't.
fn expr_construct(expr: &Expr, program: &Program) -> Option<Construct> {
    let at = |phrase: String, span| {
        Some(Construct {
            phrase,
            span,
            code: Code::E2403,
        })
    };
    match &expr.kind {
        ExprKind::Op { op, .. } => {
            let effect = op.op().effect()?;
            let phrase = match op {
                OpId::Dropout => "dropout, which draws in order".to_owned(),
                OpId::Normal | OpId::Uniform | OpId::RandInt => {
                    format!("{}, a random draw", op.name())
                }
                _ => effect.phrase().to_owned(),
            };
            at(phrase, expr.span)
        }
        ExprKind::Py(PyExpr::Call(..) | PyExpr::Index(..) | PyExpr::Attribute(..)) => {
            at("Python".to_owned(), expr.span)
        }
        ExprKind::Extern { function, .. } => {
            let external = program.external(*function);
            if external.pure {
                return None;
            }
            let phrase = format!("{}, from {} in Python", external.name, external.module);
            let is_short = phrase.len() <= 32;
            at(
                if is_short {
                    phrase
                } else {
                    "Python".to_owned()
                },
                expr.span,
            )
        }
        ExprKind::New { .. } => at("a new model, whose values are drawn".to_owned(), expr.span),
        ExprKind::Call { function, args, .. } => {
            let params = &program.function(*function).params;
            let changed = params.iter().zip(args).find(|(param, _)| param.mutable);
            changed.and_then(|(_, arg)| at("a `mut` argument".to_owned(), arg.span))
        }
        ExprKind::Index { items, .. } => {
            let bound = items.iter().find_map(tensor_bound)?;
            at("a bound from a parameter".to_owned(), bound.span)
        }
        _ => None,
    }
}

fn tensor_bound(item: &IndexItem) -> Option<&Expr> {
    let IndexItem::Slice { start, end, step } = item else {
        return None;
    };
    [start, end, step]
        .into_iter()
        .flatten()
        .find(|bound| bound.ty.tensor().is_some())
}

fn is_born(axis: &strand_ir::Axis, symbols: &strand_ir::Symbols) -> bool {
    let born = |symbol| symbols.get(symbol).kind == strand_ir::SymbolKind::Birth;
    axis.size.symbols().into_iter().any(born)
}

fn mask_of(item: &IndexItem) -> Option<&Expr> {
    match item {
        IndexItem::Mask(mask) => Some(mask),
        _ => None,
    }
}

fn loose_filter(span: Span) -> Construct {
    Construct {
        phrase: "a filter that no reduction ends at once".to_owned(),
        span,
        code: Code::E2405,
    }
}

/// Filters of a piece of program: those that a reduction ends at once, and the others.
#[derive(Default)]
struct Filters {
    loose: Vec<Span>,
}

impl Filters {
    fn visit(&mut self, expr: &Expr, ended: bool) {
        let ends = ends_filter(expr);
        if let ExprKind::Filter { iter } = &expr.kind
            && !ended
        {
            self.loose.push(iter.span);
        }
        if let ExprKind::Map { iter, .. } = &expr.kind {
            self.loose_inside(iter);
        }
        expr.each_child(&mut |child| match child {
            Child::Expr(inner) => self.visit(inner, ends),
            Child::Lambda(lambda) => self.visit(&lambda.body, false),
        });
    }

    /// Filters of pairs, and filters under a filter.
    fn loose_inside(&mut self, iter: &Iter) {
        match &iter.kind {
            IterKind::Filter { .. } => self.loose.push(iter.span),
            IterKind::Zip(parts) => parts.iter().for_each(|part| self.loose_inside(part)),
            IterKind::Enumerate(inner) => self.loose_inside(inner),
            IterKind::Size(_) | IterKind::Range(..) | IterKind::Slices { .. } => {}
        }
    }
}

/// Whether an expression is a reduction over the filtered axis of its first argument, of the kinds
/// that can be written masked.
fn ends_filter(expr: &Expr) -> bool {
    let ExprKind::Op { op, over, .. } = &expr.kind else {
        return false;
    };
    let masked = matches!(
        op,
        OpId::Sum
            | OpId::Mean
            | OpId::Prod
            | OpId::Max
            | OpId::Min
            | OpId::Any
            | OpId::All
            | OpId::Count
            | OpId::LogSumExp
    );
    let over_first = match over {
        Over::All => true,
        Over::Axes(axes) => axes.contains(&0),
        Over::None => false,
    };
    masked && over_first
}

/// Looks for lambdas below an expression that no lambda encloses.
fn outside(
    child: Child<'_>,
    summaries: &mut Summaries<'_>,
    found: &mut Vec<Diagnostic>,
    reached: &mut Vec<FnId>,
) {
    match child {
        Child::Expr(expr) => {
            expr.each_child(&mut |child| outside(child, summaries, found, reached));
        }
        Child::Lambda(lambda) => inside(lambda, summaries, found, reached),
    }
}

/// Reports what the outermost lambda and everything in it can't do.
fn inside(
    lambda: &Lambda,
    summaries: &mut Summaries<'_>,
    found: &mut Vec<Diagnostic>,
    reached: &mut Vec<FnId>,
) {
    let mut filters = Filters::default();
    filters.visit(&lambda.body, false);
    for span in filters.loose {
        found.push(
            Diagnostic::new(
                Code::E2405,
                span,
                "a filter inside a stage's function must be reduced at once",
            )
            .note("Every element must have the same shape, and a filter's size differs by element.")
            .note("End it with sum, mean, prod, max, min, any, all, count or logsumexp."),
        );
    }
    // A call through Python is one finding, not one for each name and value in it.
    let mut python: Option<Span> = None;
    lambda.body.each(&mut |expr| {
        let inside_python = python.is_some_and(|outer| outer.contains(expr.span));
        if let Some(construct) = expr_construct(expr, summaries.program)
            && !(inside_python && matches!(expr.kind, ExprKind::Py(_)))
        {
            if matches!(expr.kind, ExprKind::Py(_)) {
                python = Some(expr.span);
            }
            let mut finding = only_computes(&construct.phrase, construct.span);
            if matches!(expr.kind, ExprKind::Index { .. }) {
                let window =
                    "As a window: `K |> map(k => x[(j + k) to Index[n]])`, or a `for` loop.";
                finding = finding.note(window);
            }
            found.push(finding);
        }
        if let ExprKind::Call { function, .. } = &expr.kind {
            reached.push(*function);
            found.extend(call_finding(expr, *function, summaries));
        }
    });
}

/// What a function that a stage calls does that it can't: one finding, at the call.
fn call_finding(call: &Expr, id: FnId, summaries: &mut Summaries<'_>) -> Option<Diagnostic> {
    let summary = summaries.of(id);
    let construct = summary.constructs.first()?;
    let name = &summaries.program.function(id).name;
    let message = match construct.code {
        Code::E2405 => short(
            format!("{name} filters without reducing at once, so no stage can call it"),
            format!("{name} filters: no stage can call it"),
        ),
        _ => short(
            format!("{name} does more than compute a value, so no stage can call it"),
            format!("{name} does more than compute a value"),
        ),
    };
    Some(Diagnostic::new(construct.code, call.span, message).label(
        construct.span,
        format!("{} in {name}, or in what it calls", construct.phrase),
    ))
}

/// Which functions a lambda can reach, through calls at any depth.
fn closure(program: &Program, mut open: Vec<FnId>) -> Vec<bool> {
    let mut reached = vec![false; program.functions.len()];
    while let Some(id) = open.pop() {
        let slot = &mut reached[id.0 as usize];
        if *slot {
            continue;
        }
        *slot = true;
        for body in &program.function(id).instances {
            for stmt in &body.stmts {
                stmt.each_expr(&mut |expr| {
                    if let ExprKind::Call { function, .. } = expr.kind {
                        open.push(function);
                    }
                });
            }
        }
    }
    reached
}

/// Marks filters that a reduction ends at once as masked: inside lambdas, and in every function
/// that a lambda can reach.
fn mask_filters(program: &mut Program) {
    for function in &mut program.functions {
        let everywhere = function.in_chain;
        for body in &mut function.instances {
            for stmt in &mut body.stmts {
                mask_stmt(stmt, everywhere);
            }
        }
    }
    for stmt in &mut program.script.stmts {
        mask_stmt(stmt, false);
    }
}

fn mask_stmt(stmt: &mut Stmt, masked: bool) {
    stmt.each_child_mut(&mut |child| mask_child(child, masked, false));
    for block in stmt.blocks_mut() {
        block.iter_mut().for_each(|inner| mask_stmt(inner, masked));
    }
}

fn mask_child(child: ChildMut<'_>, masked: bool, ended: bool) {
    let (expr, masked, ended) = match child {
        ChildMut::Expr(expr) => (expr, masked, ended),
        ChildMut::Lambda(lambda) => (&mut lambda.body, true, false),
    };
    if let ExprKind::Filter { iter } = &mut expr.kind
        && let IterKind::Filter { lowering, .. } = &mut iter.kind
        && masked
        && ended
    {
        *lowering = Lowering::Masked(Box::new(Lowering::Pending));
    }
    let ends = ends_filter(expr);
    expr.each_child_mut(&mut |child| mask_child(child, masked, ends));
}

#[cfg(test)]
mod tests {
    use super::*;
    use strand_ir::Type;
    use strand_ops::{Class, OPS};

    #[test]
    fn only_reductions_of_the_table_end_a_filter() {
        for op in OPS {
            let kind = ExprKind::Op {
                op: op.id,
                args: Vec::new(),
                over: Over::All,
                params: Vec::new(),
            };
            let expr = Expr {
                kind,
                ty: Type::Error,
                span: Span::default(),
            };
            assert!(
                !ends_filter(&expr) || matches!(op.class, Class::Reduce { .. }),
                "{}",
                op.name
            );
        }
    }
}
