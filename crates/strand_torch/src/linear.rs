//! Host ints as sums of sizes and variables, to prove that one is no larger than another.

use strand_source::Map;

use strand_ir::{Expr, ExprKind, LocalId, Program, Size, Stmt, StmtKind, Symbols};
use strand_ops::OpId;

/// A size plus multiples of variables.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    pub(crate) size: Size,
    locals: Map<LocalId, i64>,
}

/// What the variable of a `for` lies between, both ends included.
pub(crate) struct Counted {
    local: LocalId,
    low: Linear,
    high: Linear,
}

impl Linear {
    pub(crate) fn constant(value: i64) -> Self {
        Self::of(Size::constant(value))
    }

    pub(crate) fn of(size: Size) -> Self {
        Self {
            size,
            locals: Map::new(),
        }
    }

    /// A host int, where it is made of whole numbers, sizes and variables.
    pub(crate) fn new(program: &Program, e: &Expr) -> Option<Self> {
        if let Some(size) = program.size_of(e) {
            return Some(Self::of(size));
        }
        let part = |e: &Expr| Self::new(program, e);
        match &e.kind {
            ExprKind::Local(local) => Some(Self {
                size: Size::constant(0),
                locals: Map::from([(*local, 1)]),
            }),
            ExprKind::Op { op, args, .. } => match (op, args.as_slice()) {
                (OpId::Neg, [value]) => part(value)?.times(-1),
                (OpId::Add, [left, right]) => part(left)?.plus(&part(right)?),
                (OpId::Sub, [left, right]) => part(left)?.minus(&part(right)?),
                (OpId::Mul, [left, right]) => {
                    let (left, right) = (part(left)?, part(right)?);
                    match (left.as_constant(), right.as_constant()) {
                        (Some(factor), _) => right.times(factor),
                        (_, Some(factor)) => left.times(factor),
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn as_constant(&self) -> Option<i64> {
        self.as_size()?.as_constant()
    }

    /// The size, where no variable is in it.
    pub(crate) fn as_size(&self) -> Option<&Size> {
        self.locals.is_empty().then_some(&self.size)
    }

    fn times(&self, factor: i64) -> Option<Self> {
        let mut locals = Map::new();
        for (local, count) in &self.locals {
            locals.insert(*local, count.checked_mul(factor)?);
        }
        locals.retain(|_, count| *count != 0);
        let size = self.size.mul(&Size::constant(factor)).ok()?;
        Some(Self { size, locals })
    }

    pub(crate) fn plus(&self, other: &Self) -> Option<Self> {
        let mut locals = self.locals.clone();
        for (local, count) in &other.locals {
            let sum = locals.get_or_insert_with(*local, || 0);
            *sum = sum.checked_add(*count)?;
        }
        locals.retain(|_, count| *count != 0);
        let size = self.size.add(&other.size).ok()?;
        Some(Self { size, locals })
    }

    pub(crate) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.times(-1)?)
    }

    /// Something that it is never below, without the variables that loops count.
    fn floor(&self, counted: &[Counted]) -> Option<Self> {
        let mut floor = self.clone();
        for at in counted.iter().rev() {
            let Some(count) = floor.locals.get(&at.local).copied() else {
                continue;
            };
            let end = if count > 0 { &at.low } else { &at.high };
            floor.locals.remove(&at.local);
            floor = floor.plus(&end.times(count)?)?;
        }
        Some(floor)
    }

    /// Whether it is 0 or more for all sizes, inside the loops that count `counted`.
    pub(crate) fn is_never_negative(&self, counted: &[Counted], symbols: &Symbols) -> bool {
        let Some(floor) = self.floor(counted) else {
            return false;
        };
        let proven = |value: &Self| {
            let size = value.as_size().map(|size| size.ground(symbols));
            size.is_some_and(|size| size.terms().all(|(_, factor)| factor > 0))
        };
        if proven(&floor) {
            return true;
        }
        // A loop that runs has an element: its range isn't empty.
        counted.iter().any(|at| {
            let length = at.high.minus(&at.low).and_then(|l| l.floor(counted));
            length.is_some_and(|length| floor.minus(&length).as_ref().is_some_and(proven))
        })
    }
}

impl Counted {
    /// What a loop counts, where its body doesn't change it and the ends are simple.
    pub(crate) fn new(
        local: LocalId,
        start: &Expr,
        end: &Expr,
        step: Option<&Expr>,
        body: &[Stmt],
        program: &Program,
    ) -> Option<Self> {
        let changes = |local| body.iter().any(|stmt| binds(stmt, local, program));
        if changes(local) {
            return None;
        }
        let step = match step {
            Some(step) => Linear::new(program, step)?.as_constant()?,
            None => 1,
        };
        let (start, end) = (Linear::new(program, start)?, Linear::new(program, end)?);
        // The ends are those at the loop's start.
        let mut locals = start.locals.keys().chain(end.locals.keys());
        if locals.any(|local| changes(*local)) {
            return None;
        }
        let one = Linear::constant(1);
        let (low, high) = match step {
            1.. => (start, end.minus(&one)?),
            ..=-1 => (end.plus(&one)?, start),
            0 => return None,
        };
        Some(Self { local, low, high })
    }
}

/// Whether a statement, or one in it, gives a variable another value.
pub(crate) fn binds(stmt: &Stmt, local: LocalId, program: &Program) -> bool {
    let mut found = false;
    stmt.each(&mut |stmt| {
        found |= match &stmt.kind {
            StmtKind::Bind { local: at, .. }
            | StmtKind::ForRange { local: at, .. }
            | StmtKind::ForSlices { local: at, .. }
            | StmtKind::ForModels { local: at, .. }
            | StmtKind::ForPy { local: at, .. } => *at == Some(local),
            StmtKind::Unpack { locals, .. } => locals.contains(&Some(local)),
            _ => false,
        };
    });
    stmt.each_expr(&mut |e| found |= changes(e, local, program));
    found
}

/// Whether a call, not what is in it, changes a variable that it is given.
pub(crate) fn changes(e: &Expr, local: LocalId, program: &Program) -> bool {
    let ExprKind::Call { function, args, .. } = &e.kind else {
        return false;
    };
    let params = &program.function(*function).params;
    args.iter()
        .zip(params)
        .any(|(arg, param)| param.mutable && matches!(arg.kind, ExprKind::Local(at) if at == local))
}
