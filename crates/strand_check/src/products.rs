//! Nested chains of `sum(a * b)` that are one contraction (H2402).
//!
//! As with H2401, a hint is given only with an edit after which the program checks.

use strand_ir::{Expr, ExprKind, IndexItem, Iter, IterKind, Lambda, LocalId, Type};
use strand_ops::OpId;
use strand_source::{Code, Diagnostic, Span};

use crate::context::Checker;
use crate::suggest::grouped;

/// Reports H2402 with its fix, for every pair of vectors that two chains take from two tensors and
/// whose products they sum.
pub(crate) fn hints(checker: &mut Checker<'_>) {
    let mut found = Vec::new();
    let functions = checker.program.functions.iter();
    let typed = functions.filter_map(|function| function.instances.first());
    for body in typed.chain(std::iter::once(&checker.program.script)) {
        for stmt in &body.stmts {
            stmt.each_expr(&mut |e| found.extend(contraction(e, checker)));
        }
    }
    for hint in found {
        checker.report(hint);
    }
}

/// The hint at a chain, if it is one.
fn contraction(e: &Expr, checker: &Checker<'_>) -> Option<Diagnostic> {
    let text = checker.text;
    let (outer, lambda) = mapped(e)?;
    let (inner, product) = mapped(&lambda.body)?;
    let is_float = e.ty.tensor().is_some_and(|ty| ty.dtype.is_float());
    let (first, second) = factors(&product.body).filter(|_| is_float)?;
    let sides = [(outer, lambda), (inner, product)].map(|(iter, lambda)| Side::new(iter, lambda));
    let [Some(rows), Some(columns)] = sides else {
        return None;
    };
    let (left, right) = match (rows.source(first), columns.source(second)) {
        (Some(left), Some(right)) => (left, right),
        _ => (rows.source(second)?, columns.source(first)?),
    };
    let (left, right) = (left.written(text, false)?, right.written(text, true)?);
    let mut written = format!("{left} @ {right}");
    if e.span.text(text).starts_with('(') {
        written = format!("({written})");
    }
    written += &comments_in(e.span, checker)?;
    let hint = Diagnostic::new(
        Code::H2402,
        product.body.span,
        "these sums of products are one contraction",
    );
    let hint = hint.note("One `@` sums all of them at once, many times faster than the chains.");
    Some(hint.write(e.span, written))
}

/// The comments in a chain as they stand after what replaces it; `None` where more of its line does.
fn comments_in(chain: Span, checker: &Checker<'_>) -> Option<String> {
    let inside = checker.program.comments.iter();
    let inside = inside.filter(|comment| chain.contains(comment.span));
    let said: Vec<&str> = inside
        .map(|comment| comment.span.text(checker.text).trim_end())
        .collect();
    if said.is_empty() {
        return Some(String::new());
    }
    let rest = checker.text[chain.end as usize..].lines().next();
    let rest = rest.unwrap_or_default().trim_start();
    (rest.is_empty() || rest.starts_with('#')).then(|| format!("  {}", said.join(" ")))
}

/// A map and its function.
fn mapped(e: &Expr) -> Option<(&Iter, &Lambda)> {
    match &e.kind {
        ExprKind::Map { iter, lambda, .. } => Some((iter, lambda)),
        _ => None,
    }
}

/// The a and b of `sum(a * b)`, both vectors.
fn factors(body: &Expr) -> Option<(&Expr, &Expr)> {
    let ExprKind::Op {
        op: OpId::Sum,
        args,
        ..
    } = &body.kind
    else {
        return None;
    };
    let ExprKind::Op {
        op: OpId::Mul,
        args,
        ..
    } = &args.first()?.kind
    else {
        return None;
    };
    let is_vector = |e: &Expr| e.ty.tensor().is_some_and(|ty| ty.rank() == 1);
    let is_scalar = body.ty.tensor().is_some_and(|ty| ty.rank() == 0);
    match args.as_slice() {
        [a, b] if is_scalar && is_vector(a) && is_vector(b) => Some((a, b)),
        _ => None,
    }
}

/// Where one of both chains takes its vectors from.
struct Side<'e> {
    param: LocalId,
    /// The tensor with the iterated axis; an index of the axis where there is none.
    slices: Option<(&'e Expr, usize)>,
}

/// A matrix and which of its axes is iterated.
struct Source<'e> {
    matrix: &'e Expr,
    axis: usize,
}

impl<'e> Side<'e> {
    fn new(iter: &'e Iter, lambda: &Lambda) -> Option<Self> {
        let [Some(param)] = lambda.params.as_slice() else {
            return None;
        };
        let slices = match &iter.kind {
            IterKind::Size(_) => None,
            IterKind::Slices { tensor, axis } => Some((tensor, *axis)),
            _ => return None,
        };
        Some(Self {
            param: *param,
            slices,
        })
    }

    /// The matrix of which a factor is a row or column: the parameter, or `x[i]`.
    fn source(&self, factor: &'e Expr) -> Option<Source<'e>> {
        let is_param = |e: &Expr| matches!(e.kind, ExprKind::Local(local) if local == self.param);
        let (matrix, axis) = match (&self.slices, &factor.kind) {
            (Some((tensor, axis)), _) if is_param(factor) => (*tensor, *axis),
            (None, ExprKind::Index { base, items }) => match items.as_slice() {
                [
                    IndexItem::Tensor {
                        index, offset: 0, ..
                    },
                ] if is_param(index) => (&**base, 0),
                _ => return None,
            },
            _ => return None,
        };
        let is_matrix = matches!(&matrix.ty, Type::Tensor(ty) if ty.rank() == 2);
        let is_plain = matches!(matrix.kind, ExprKind::Local(_) | ExprKind::Field { .. });
        (is_matrix && is_plain).then_some(Source { matrix, axis })
    }
}

impl Source<'_> {
    /// The matrix with the iterated axis first, or last.
    fn written(&self, text: &str, last: bool) -> Option<String> {
        let name = text.get(self.matrix.span.range())?;
        let is_turned = (self.axis == 1) != last;
        Some(if is_turned {
            format!("transpose({name})")
        } else {
            grouped(name)
        })
    }
}
