//! Which values of the text may share their elements: what an index assignment changes in place is
//! seen by every name of the same elements.

use strand_ir::{Body, Child, Expr, ExprKind, FnId, IndexItem, LocalId, Program, StmtKind, Type};
use strand_ops::{Class, OpId};
use strand_source::Set;

use crate::context::bodies;

/// Whether a value may share its elements with one of some variables.
pub(crate) fn may_alias(e: &Expr, is_one: impl Fn(LocalId) -> bool + Copy) -> bool {
    if is_fresh(e) || !matches!(e.ty, Type::Tensor(_) | Type::Tuple(_)) {
        return false;
    }
    if let ExprKind::Local(local) = e.kind {
        return is_one(local);
    }
    let mut aliases = false;
    e.each_child(&mut |child| {
        aliases |= match child {
            Child::Expr(piece) => may_alias(piece, is_one),
            Child::Lambda(lambda) => may_alias(&lambda.body, is_one),
        };
    });
    aliases
}

/// Whether an expression's elements are its own, each at a place of its own.
pub(crate) fn is_fresh(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Op { op, .. } => computes(*op),
        ExprKind::Literal { .. } | ExprKind::Lift(_) | ExprKind::Filter { .. } => true,
        ExprKind::Convert { value, dtype, .. } => dtype.is_some() || is_fresh(value),
        ExprKind::Index { items, .. } => {
            items.iter().any(|item| matches!(item, IndexItem::Mask(_)))
        }
        ExprKind::Map { lambda, .. } => {
            let params: Vec<LocalId> = lambda.params.iter().flatten().copied().collect();
            let body = &lambda.body;
            // torch.vmap repeats one tensor where the elements don't differ.
            matches!(body.kind, ExprKind::Op { .. }) && is_fresh(body) && reads(body, &params)
        }
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Size(_) => true,
        _ => false,
    }
}

/// Whether a built-in's text gives a tensor of its own rather than a view, or what it is given.
fn computes(op: OpId) -> bool {
    !matches!(op, OpId::Expand | OpId::Reshape | OpId::Einsum)
        && !matches!(
            op.op().class,
            Class::Transpose | Class::Dropout | Class::Effect(_)
        )
}

/// Whether a value depends on the elements of one of some variables, not just on a size.
fn reads(e: &Expr, params: &[LocalId]) -> bool {
    match &e.kind {
        ExprKind::Local(local) => return params.contains(local),
        ExprKind::Op { op: OpId::Len, .. } => return false,
        _ => {}
    }
    let mut found = false;
    e.each_child(&mut |child| {
        found |= match child {
            Child::Expr(piece) => reads(piece, params),
            Child::Lambda(lambda) => reads(&lambda.body, params),
        };
    });
    found
}

/// The variables of a body that an index assignment changes.
pub(crate) fn changed_locals(body: &Body) -> Set<LocalId> {
    let mut changed = Set::new();
    for stmt in &body.stmts {
        stmt.each(&mut |stmt| {
            if let StmtKind::SetIndex { local, .. } = stmt.kind {
                changed.insert(local);
            }
        });
    }
    changed
}

/// The parameters of functions whose elements a caller changes in place, before or after the call.
pub(crate) struct Lent {
    params: Set<(FnId, usize)>,
}

impl Lent {
    /// Only what is kept in a field outlives a call: without fields that are set there are none.
    pub(crate) fn new(program: &Program) -> Self {
        let mut lent = Self { params: Set::new() };
        let bodies = bodies(program);
        if !bodies.iter().any(|(id, body)| id.is_some() && keeps(body)) {
            return lent;
        }
        loop {
            let before = lent.params.len();
            for (id, body) in &bodies {
                let mut seen = lent.in_body(program, *id, body);
                seen.extend(changed_locals(body));
                let is_seen = |local: LocalId| seen.contains(&local);
                for stmt in &body.stmts {
                    stmt.each_expr(&mut |e| {
                        let ExprKind::Call { function, args, .. } = &e.kind else {
                            return;
                        };
                        for (at, arg) in args.iter().enumerate() {
                            if may_alias(arg, is_seen) {
                                lent.params.insert((*function, at));
                            }
                        }
                    });
                }
            }
            if lent.params.len() == before {
                return lent;
            }
        }
    }

    /// The variables of a body that may share their elements with such parameters of its function.
    pub(crate) fn in_body(
        &self,
        program: &Program,
        function: Option<FnId>,
        body: &Body,
    ) -> Set<LocalId> {
        let mut lent: Set<LocalId> = Set::new();
        let Some(id) = function else {
            return lent;
        };
        let params = body.params.iter().enumerate();
        let own = params.filter(|(at, _)| self.params.contains(&(id, *at)));
        lent.extend(own.map(|(_, local)| *local));
        let mut before = 0;
        while lent.len() > before {
            before = lent.len();
            for stmt in &body.stmts {
                stmt.each(&mut |stmt| lend(&stmt.kind, &mut lent));
                stmt.each_expr(&mut |e| lend_changed(program, e, &mut lent));
            }
        }
        lent
    }
}

/// The variables that a statement binds are lent where its value is.
fn lend(stmt: &StmtKind, lent: &mut Set<LocalId>) {
    let (value, locals) = match stmt {
        StmtKind::Bind { local, value } => (value, std::slice::from_ref(local)),
        StmtKind::Unpack { locals, value } => (value, locals.as_slice()),
        StmtKind::ForSlices { local, tensor, .. } => (tensor, std::slice::from_ref(local)),
        _ => return,
    };
    if may_alias(value, |local| lent.contains(&local)) {
        lent.extend(locals.iter().flatten().copied());
    }
}

/// What a call changes may get the elements of another argument.
fn lend_changed(program: &Program, e: &Expr, lent: &mut Set<LocalId>) {
    let ExprKind::Call { function, args, .. } = &e.kind else {
        return;
    };
    let params = &program.function(*function).params;
    if args
        .iter()
        .any(|arg| may_alias(arg, |local| lent.contains(&local)))
    {
        for (param, arg) in params.iter().zip(args) {
            if let (true, ExprKind::Local(local)) = (param.mutable, &arg.kind) {
                lent.insert(*local);
            }
        }
    }
}

/// Whether a body gives a field a value.
fn keeps(body: &Body) -> bool {
    let mut found = false;
    for stmt in &body.stmts {
        stmt.each(&mut |stmt| found |= matches!(stmt.kind, StmtKind::SetField { .. }));
        stmt.each_expr(&mut |e| {
            found |= matches!(&e.kind, ExprKind::Call { args, .. }
                if args.iter().any(|arg| matches!(arg.kind, ExprKind::Field { .. })));
        });
    }
    found
}
