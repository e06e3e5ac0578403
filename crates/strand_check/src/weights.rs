//! Weights that are contracted along another axis than the one they sum to 1 over (W0502).
//!
//! `softmax(scores, over=n) @ v` runs in PyTorch whatever n is, and gives sums that are no weighted means. Only weights
//! that go into the product as softmax gave them are looked at: divided or masked ones may have been mended on the way.

use strand_ir::{Axis, Body, Expr, ExprKind, LocalId, Over, Stmt, StmtKind};
use strand_ops::OpId;
use strand_source::{Code, Diagnostic, Edit, Fix, Map, Span};

use crate::context::Checker;

/// The weights that softmax gave.
#[derive(Clone, Copy)]
struct Weights {
    /// The position of the axis that they sum to 1 over.
    over: usize,
    /// The call of softmax.
    call: Span,
}

/// Reports W0502.
pub(crate) fn warnings(checker: &mut Checker<'_>) {
    let mut found = Vec::new();
    let program = &checker.program;
    let functions = program.functions.iter();
    let bodies = functions.filter_map(|function| function.instances.first());
    for body in bodies.chain(std::iter::once(&program.script)) {
        let known = bound_once(body);
        let mut look = |expr: &Expr| {
            if let Some(product) = along_another(expr, &known) {
                found.push(product);
            }
        };
        body.stmts.iter().for_each(|stmt| stmt.each_expr(&mut look));
    }
    for (product, weights) in found {
        if let Some(finding) = finding(checker, &product, weights) {
            checker.report(finding);
        }
    }
}

/// The variables that hold weights and nothing else.
fn bound_once(body: &Body) -> Map<LocalId, Weights> {
    let mut known: Map<LocalId, Option<Weights>> = Map::new();
    let mut bind = |stmt: &Stmt| {
        if let StmtKind::Bind {
            local: Some(local),
            value,
        } = &stmt.kind
        {
            let is_first = known.get(local).is_none();
            known.insert(*local, weights(value).filter(|_| is_first));
        }
    };
    body.stmts.iter().for_each(|stmt| stmt.each(&mut bind));
    known
        .iter()
        .filter_map(|(local, weights)| Some((*local, (*weights)?)))
        .collect()
}

fn weights(expr: &Expr) -> Option<Weights> {
    let ExprKind::Op {
        op: OpId::Softmax,
        over,
        ..
    } = &expr.kind
    else {
        return None;
    };
    match over {
        Over::Axes(axes) => match axes.as_slice() {
            [axis] => Some(Weights {
                over: *axis,
                call: expr.span,
            }),
            _ => None,
        },
        _ => None,
    }
}

/// A product whose left side are weights along another axis than its last.
fn along_another(expr: &Expr, known: &Map<LocalId, Weights>) -> Option<(Expr, Weights)> {
    let ExprKind::Op {
        op: OpId::MatMul,
        args,
        ..
    } = &expr.kind
    else {
        return None;
    };
    let left = args.first()?;
    let found = match &left.kind {
        ExprKind::Local(local) => known.get(local).copied(),
        _ => weights(left),
    }?;
    let rank = left.ty.tensor()?.rank();
    (found.over + 1 != rank).then(|| (left.clone(), found))
}

fn finding(checker: &Checker<'_>, left: &Expr, weights: Weights) -> Option<Diagnostic> {
    let axes = &left.ty.tensor()?.axes;
    let (over, along) = (axes.get(weights.over)?, axes.last()?);
    let (n, m) = (checker.show_axis(over), checker.show_axis(along));
    let name = checker.name_of(left.span);
    let message = format!("`@` adds {name} up along {m}, but they sum to 1 over {n}");
    let mut found = Diagnostic::new(Code::W0502, left.span, message)
        .label(weights.call, format!("they sum to 1 over {n}"))
        .note(format!(
            "Each result is then a sum of {m} terms whose weights don't sum to 1."
        ))
        .note("PyTorch runs this for every size, and says nothing.");
    found.fixes.extend(fix(checker, over, along, weights.call));
    Some(found)
}

/// The softmax over the axis that is added up.
fn fix(checker: &Checker<'_>, over: &Axis, along: &Axis, call: Span) -> Option<Fix> {
    let (n, m) = (checker.show_axis(over), checker.show_axis(along));
    along.name?;
    let text = call.text(checker.text);
    let keyword = format!("over={n}");
    let at = text.rfind(&keyword)?;
    let start = call.start + at as u32;
    Some(Fix {
        title: format!("over={m}"),
        meaning: Some(format!("the weights of each {n} sum to 1")),
        gives: None,
        leaves: None,
        edits: vec![Edit {
            span: Span::new(start, start + keyword.len() as u32),
            text: format!("over={m}"),
        }],
    })
}
