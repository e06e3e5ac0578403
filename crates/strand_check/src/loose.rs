//! Sizes that are known only as the bound of an index (E0401).
//!
//! `i: [m] i64 Index[n]` names n, but no argument has n elements along an axis: neither a call nor the PyTorch text can
//! tell how large it is. Such a name may stand in types; where its size is computed with, it must come from somewhere.

use strand_ir::{Axis, Domain, Expr, ExprKind, Function, Program, SymbolId, TensorType, Type};
use strand_source::{Code, Diagnostic, Span};

use crate::context::Checker;

/// Reports E0401 for each function that computes with such a size.
pub(crate) fn check(checker: &mut Checker<'_>) {
    let mut found = Vec::new();
    for function in &checker.program.functions {
        let loose = loose_sizes(function, &checker.program);
        let Some(body) = function.instances.first().filter(|_| !loose.is_empty()) else {
            continue;
        };
        let mut first: Option<(SymbolId, Span)> = None;
        let mut look = |expr: &Expr| {
            if first.is_none() {
                first = computed_with(expr, &loose).map(|symbol| (symbol, expr.span));
            }
        };
        body.stmts.iter().for_each(|stmt| stmt.each_expr(&mut look));
        if let Some((symbol, span)) = first {
            let param = function
                .params
                .iter()
                .find(|param| bounds(param.ty.as_ref(), symbol));
            found.push((
                symbol,
                span,
                param.map(|param| (param.name.clone(), param.span)),
            ));
        }
    }
    for (symbol, span, param) in found {
        let n = checker.program.symbols.name(symbol).to_owned();
        let message = format!("no argument says how large {n} is, which this needs");
        let mut finding = Diagnostic::new(Code::E0401, span, message);
        if let Some((name, place)) = param {
            finding = finding
                .label(
                    place,
                    format!("{name} only says that its values are below {n}"),
                )
                .note(format!(
                    "Take a tensor with the axis {n} as well, or declare `dim {n} = …`."
                ));
        }
        checker.report(finding);
    }
}

/// The axis names that parameters have in domains alone: neither a tensor's axis nor a model's size.
fn loose_sizes(function: &Function, program: &Program) -> Vec<SymbolId> {
    let mut bound: Vec<SymbolId> = Vec::new();
    for ty in function.params.iter().filter_map(|param| param.ty.as_ref()) {
        let axes = match ty {
            Type::Model(id) => program.model(*id).sizes.iter().collect(),
            _ => tensors(ty).into_iter().flat_map(|of| &of.axes).collect(),
        };
        let axes: Vec<&Axis> = axes;
        bound.extend(axes.into_iter().flat_map(|axis| axis.size.symbols()));
    }
    let names = function.axis_names.iter().copied();
    names
        .filter(|name| {
            let mut params = function.params.iter();
            !bound.contains(name) && params.any(|param| bounds(param.ty.as_ref(), *name))
        })
        .collect()
}

/// Whether a type's indices are below a size.
fn bounds(ty: Option<&Type>, symbol: SymbolId) -> bool {
    let mut tensors = ty.into_iter().flat_map(tensors);
    tensors.any(|tensor| match &tensor.domain {
        Domain::Index(axis) => has(axis, &[symbol]).is_some(),
        _ => false,
    })
}

/// A tensor, or those of a tuple.
fn tensors(ty: &Type) -> Vec<&TensorType> {
    match ty {
        Type::Tensor(tensor) => vec![tensor],
        Type::Tuple(parts) => parts.iter().flat_map(tensors).collect(),
        _ => Vec::new(),
    }
}

fn has(axis: &Axis, loose: &[SymbolId]) -> Option<SymbolId> {
    let symbols = axis.size.symbols();
    loose
        .iter()
        .copied()
        .find(|symbol| symbols.contains(symbol))
}

/// The size that an expression computes with: it is its value, or an axis of it, or what its values are checked against.
fn computed_with(expr: &Expr, loose: &[SymbolId]) -> Option<SymbolId> {
    match &expr.kind {
        ExprKind::Size(size) => {
            let symbols = size.symbols();
            return loose
                .iter()
                .copied()
                .find(|symbol| symbols.contains(symbol));
        }
        ExprKind::Convert {
            check: Some(Domain::Index(axis)),
            ..
        } => return has(axis, loose),
        _ => {}
    }
    let tensor = expr.ty.tensor()?;
    tensor.axes.iter().find_map(|axis| has(axis, loose))
}
