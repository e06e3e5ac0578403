//! How each map and filter is written and run: plain tensor operations where its function is
//! elementwise in its parameters, torch.vmap otherwise (the chapter, "How iterator chains run").

use strand_ir::{
    ChainInfo, Expr, ExprKind, FunctionKind, IndexItem, Iter, IterKind, Lambda, LocalId, Lowering,
    Program, Stmt, Symbols, Type,
};
use strand_source::Span;

/// Why a chain is plain, as its listing says it.
const PLAIN_REASON: &str = "elementwise in its parameters";
/// Why a filter is masked, as its chain's listing says it.
const MASKED_REASON: &str = "a filter inside a stage's function is kept in its reduction";

/// Decides every pending lowering, says it in the listings of the chains, and gives each stage
/// with its own.
pub(crate) fn decide(program: &mut Program) -> Vec<Decided> {
    let mut all = Vec::new();
    let facts = Facts::new(program);
    for function in &mut program.functions {
        let mut decided = Vec::new();
        for body in &mut function.instances {
            decide_body(&mut body.stmts, &facts, &mut decided);
        }
        list(&mut function.chains, &decided);
        all.append(&mut decided);
    }
    let mut decided = Vec::new();
    decide_body(&mut program.script.stmts, &facts, &mut decided);
    list(&mut program.script_chains, &decided);
    all.append(&mut decided);
    all
}

/// What deciding needs to know of the program, apart from the bodies that are changed.
struct Facts {
    symbols: Symbols,
    elementwise_functions: Vec<bool>,
    elementwise_externs: Vec<bool>,
}

impl Facts {
    fn new(program: &Program) -> Self {
        Self {
            symbols: program.symbols.clone(),
            elementwise_functions: program
                .functions
                .iter()
                .map(|function| function.kind == FunctionKind::Elementwise)
                .collect(),
            elementwise_externs: program
                .externs
                .iter()
                .map(|external| external.params.iter().all(|param| param.ty.is_none()))
                .collect(),
        }
    }
}

/// A stage with its lowering.
pub(crate) type Decided = (Span, Lowering);

fn decide_body(stmts: &mut [Stmt], facts: &Facts, decided: &mut Vec<Decided>) {
    for stmt in stmts {
        stmt.each_expr_mut(&mut |expr| match &mut expr.kind {
            ExprKind::Map {
                iter,
                lambda,
                lowering,
            } => {
                decide_iter(iter, facts, decided);
                if *lowering == Lowering::Pending {
                    *lowering = of_lambda(lambda, iter, facts);
                }
                decided.push((expr.span, lowering.clone()));
            }
            ExprKind::Filter { iter } => decide_iter(iter, facts, decided),
            _ => {}
        });
    }
}

/// Decides the filters of an iteration itself; those of its tensors are expressions of their own.
fn decide_iter(iter: &mut Iter, facts: &Facts, decided: &mut Vec<Decided>) {
    match &mut iter.kind {
        IterKind::Size(_) | IterKind::Range(..) | IterKind::Slices { .. } => {}
        IterKind::Zip(parts) => parts
            .iter_mut()
            .for_each(|part| decide_iter(part, facts, decided)),
        IterKind::Enumerate(inner) => decide_iter(inner, facts, decided),
        IterKind::Filter {
            input,
            lambda,
            lowering,
        } => {
            decide_iter(input, facts, decided);
            match lowering {
                Lowering::Pending => *lowering = of_lambda(lambda, input, facts),
                Lowering::Masked(mask) => **mask = of_lambda(lambda, input, facts),
                Lowering::Plain | Lowering::Vmap { .. } => {}
            }
            decided.push((iter.span, lowering.clone()));
        }
    }
}

/// What a lambda's lowering depends on.
struct Elementwise<'a> {
    facts: &'a Facts,
    params: Vec<LocalId>,
    /// The parameters that are the index of a size.
    size_indices: Vec<LocalId>,
    result: &'a Type,
}

/// Plain where the function is elementwise in its parameters, vmap with the first construct that
/// isn't otherwise.
fn of_lambda(lambda: &Lambda, iter: &Iter, facts: &Facts) -> Lowering {
    let mut sizes = Vec::new();
    size_parts(iter, &mut sizes);
    let size_indices = lambda
        .params
        .iter()
        .zip(sizes)
        .filter_map(|(param, is_size)| {
            let param = *param;
            param.filter(|_| is_size)
        });
    let scope = Elementwise {
        facts,
        params: lambda.params.iter().flatten().copied().collect(),
        size_indices: size_indices.collect(),
        result: &lambda.body.ty,
    };
    match scope.check(&lambda.body) {
        None => Lowering::Plain,
        Some((reason, construct)) => Lowering::Vmap { reason, construct },
    }
}

/// Per part of an element, whether it is the index of a size.
fn size_parts(iter: &Iter, out: &mut Vec<bool>) {
    match &iter.kind {
        IterKind::Size(_) => out.push(true),
        IterKind::Range(..) | IterKind::Slices { .. } => out.push(false),
        IterKind::Zip(parts) => parts.iter().for_each(|part| size_parts(part, out)),
        IterKind::Enumerate(inner) => {
            out.push(false);
            size_parts(inner, out);
        }
        // What is left of a size's indices isn't all of them.
        IterKind::Filter { input, .. } => out.extend(input.parts.iter().map(|_| false)),
    }
}

impl Elementwise<'_> {
    /// The first construct that isn't elementwise in the parameters.
    fn check(&self, expr: &Expr) -> Option<(String, Span)> {
        if !self.uses(expr) || expr.ty.is_error() {
            return None;
        }
        let part = |reason: &str| Some((reason.to_owned(), expr.span));
        match &expr.kind {
            ExprKind::Local(_) => {}
            ExprKind::Op {
                op, args, params, ..
            } => {
                let op = op.op();
                if !op.is_elementwise() {
                    let name = if op.operator.is_some() {
                        format!("`{}`", op.name)
                    } else {
                        op.name.to_owned()
                    };
                    return part(&format!("{name} isn't elementwise"));
                }
                let args = args.iter().chain(params.iter().map(|(_, value)| value));
                if let Some(found) = self.first(args) {
                    return Some(found);
                }
            }
            ExprKind::Lift(value) | ExprKind::Convert { value, .. } => {
                if let Some(found) = self.check(value) {
                    return Some(found);
                }
            }
            ExprKind::Index { base, items } => {
                if self.uses(base) || !self.is_whole_index(items) {
                    return part("an index other than x[i] with i the index of a size");
                }
            }
            ExprKind::Call { function, args, .. } => {
                if !self.facts.elementwise_functions[function.0 as usize] {
                    return part("a function whose parameters have shapes isn't elementwise");
                }
                if let Some(found) = self.first(args.iter()) {
                    return Some(found);
                }
            }
            ExprKind::Extern { function, args, .. } => {
                if !self.facts.elementwise_externs[function.0 as usize] {
                    return part(
                        "an extern function whose parameters have shapes isn't elementwise",
                    );
                }
                if let Some(found) = self.first(args.iter()) {
                    return Some(found);
                }
            }
            ExprKind::Map { .. } | ExprKind::Filter { .. } => {
                return part("a chain that uses a parameter isn't elementwise");
            }
            ExprKind::Rearrange { .. } | ExprKind::As { .. } => {
                return part("a conversion of the shape isn't elementwise");
            }
            _ => return part("it isn't elementwise in its parameters"),
        }
        if self.is_shaped(&expr.ty) {
            None
        } else {
            part("a part has another shape than the whole")
        }
    }

    fn first<'e>(&self, parts: impl Iterator<Item = &'e Expr>) -> Option<(String, Span)> {
        parts.into_iter().find_map(|part| self.check(part))
    }

    fn uses(&self, expr: &Expr) -> bool {
        let mut uses = false;
        expr.each(&mut |inner| {
            if let ExprKind::Local(local) = inner.kind {
                uses |= self.params.contains(&local);
            }
        });
        uses
    }

    /// Whether an index is just `[i]` with i the index of a size.
    fn is_whole_index(&self, items: &[IndexItem]) -> bool {
        let [
            IndexItem::Tensor {
                index,
                offset: 0,
                checked: true,
            },
        ] = items
        else {
            return false;
        };
        matches!(index.kind, ExprKind::Local(local) if self.size_indices.contains(&local))
    }

    /// Whether a part is shaped like the body, or has no axes.
    fn is_shaped(&self, ty: &Type) -> bool {
        match (ty, self.result) {
            (Type::Tensor(part), Type::Tensor(whole)) => {
                let same =
                    |(a, b): (&strand_ir::Axis, &strand_ir::Axis)| a.agrees(b, &self.facts.symbols);
                part.rank() == 0
                    || part.rank() == whole.rank() && part.axes.iter().zip(&whole.axes).all(same)
            }
            _ => true,
        }
    }
}

/// Says in the chains' listings what was decided. A stage belongs to the innermost chain around it.
///
/// Spans are nested or apart. In the order of their starts, the chains that start before a stage
/// and haven't ended stand on a stack, the innermost last.
fn list(chains: &mut [ChainInfo], decided: &[Decided]) {
    for chain in chains.iter_mut() {
        chain.lowering = "plain";
        chain.reason = PLAIN_REASON.to_owned();
    }
    let place = |span: Span| (span.start, std::cmp::Reverse(span.end));
    let mut order: Vec<usize> = (0..chains.len()).collect();
    strand_source::sort_by_key(&mut order, |at| place(chains[*at].span));
    let mut stages: Vec<&Decided> = decided.iter().collect();
    strand_source::sort_by_key(&mut stages, |(span, _)| place(*span));
    let mut order = order.into_iter().peekable();
    let mut around: Vec<usize> = Vec::new();
    for (span, lowering) in stages {
        while let Some(at) = order.next_if(|at| place(chains[*at].span) <= place(*span)) {
            let start = chains[at].span.start;
            while around
                .pop_if(|outer| chains[*outer].span.end <= start)
                .is_some()
            {}
            around.push(at);
        }
        let mut innermost = around.iter().rev();
        if let Some(at) = innermost.find(|at| chains[**at].span.contains(*span)) {
            say(&mut chains[*at], lowering);
        }
    }
}

fn say(chain: &mut ChainInfo, lowering: &Lowering) {
    match lowering {
        Lowering::Masked(_) => {
            chain.lowering = "masked";
            chain.reason = MASKED_REASON.to_owned();
        }
        Lowering::Vmap { reason, .. } if chain.lowering == "plain" => {
            chain.lowering = "vmap";
            chain.reason = reason.clone();
        }
        Lowering::Vmap { .. } | Lowering::Plain | Lowering::Pending => {}
    }
}
