//! Statements: what lives after each, what loops repeat.

use strand_ir::{
    Body, Child, Expr, ExprKind, LocalId, Size, Stmt, StmtKind, SymbolId, SymbolKind, TensorType,
    Type,
};
use strand_ops::OpId;
use strand_source::Map;

use super::uses::{last_uses, read_once};
use super::{Bound, Estimator, Setting};

/// What a statement of host numbers takes, in multiply-adds.
const HOST_STEP: i64 = 30;
/// How many arrays a deferred value keeps at most: the interpreter's bound.
pub(super) const KEPT: usize = strand_interp::MAX_LEAVES as usize;

/// The most statements that are walked: longer bodies have no known cost.
const MOST_STATEMENTS: usize = 10_000;

/// What is known of a value while a body is walked.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// The chains' levels that it differs along, a bit each.
    pub levels: u64,
    /// What it keeps in memory, each once and in order.
    pub holds: Vec<usize>,
    /// The bytes that it takes once something needs its elements.
    pub pending: Option<Size>,
    /// Whether it is the index of a chain or range, by which reading is a view.
    pub is_index: bool,
    /// Whether it is an array that an element was assigned in: it keeps nothing that came before it.
    pub is_assigned: bool,
    /// Whether it is an array of its own, no view.
    pub fresh: bool,
    /// Whether its elements may lie in another order than its axes have.
    pub loose: bool,
    /// How many operations are deferred in it.
    pub ops: u32,
    /// Where an index starts at least.
    pub start: i64,
}

impl Known {
    /// What keeps what both keep.
    pub fn with(mut self, other: &Self) -> Self {
        self.is_assigned = false;
        self.fresh = false;
        self.loose |= other.loose;
        self.keep(other)
    }

    /// It, which keeps what another keeps too and differs along its levels.
    pub fn keep(mut self, other: &Self) -> Self {
        self.levels |= other.levels;
        self.holding(other)
    }

    /// It, which keeps what another keeps too.
    pub fn holding(mut self, other: &Self) -> Self {
        self.hold(&other.holds);
        self
    }

    /// A view of it with other strides.
    pub fn seen_otherwise(self) -> Self {
        Self {
            fresh: false,
            loose: true,
            ..self
        }
    }

    /// Keeps more.
    pub fn hold(&mut self, more: &[usize]) {
        self.holds.extend(more);
        strand_source::sort(&mut self.holds);
        self.holds.dedup();
    }
}

/// A walk through one body.
pub(super) struct Walk<'e, 'p> {
    pub estimator: &'e mut Estimator<'p>,
    pub body: &'p Body,
    is_script: bool,
    pub bound: Bound,
    pub variables: Map<LocalId, Known>,
    /// The most that host ints can be.
    most: Map<LocalId, Size>,
    /// What unknown sizes are at most.
    pub births: Map<SymbolId, Size>,
    /// The bytes of every value that takes memory.
    pub blocks: Vec<Size>,
    /// Whether each is of a deferred value, which others are made of without it.
    pub deferred: Vec<bool>,
    /// Those that the statement under way made.
    pub made: Vec<usize>,
    /// Those that models hold, which stay until the body's end.
    pub replaced: Vec<usize>,
    /// Those that the program shows, which stay until the run's end.
    pub shown: Vec<usize>,
    /// Those that the loops around walk over.
    pub walked_over: Vec<usize>,
    /// Variables that one statement outside blocks binds and one such reads, once.
    read_once: Vec<LocalId>,
    /// Deferred expressions, and whether a reduction ends each.
    pub seen: Vec<(&'p Expr, bool)>,
    /// The sizes of the chains around, outermost first.
    pub levels: Vec<Size>,
    /// Whether a loop around is being walked.
    in_loop: bool,
    /// How many statements were walked.
    walked: usize,
}

impl<'e, 'p> Walk<'e, 'p> {
    pub fn new(
        estimator: &'e mut Estimator<'p>,
        body: &'p Body,
        is_script: bool,
        setting: &Setting,
    ) -> Self {
        let of = |(levels, loose): &(u64, bool)| Known {
            levels: *levels,
            loose: *loose,
            ..Known::default()
        };
        let args = setting.args.iter().map(of);
        let variables = body.params.iter().copied().zip(args);
        Self {
            estimator,
            body,
            is_script,
            bound: Bound::default(),
            variables: variables.collect(),
            most: Map::new(),
            births: Map::new(),
            blocks: Vec::new(),
            deferred: Vec::new(),
            made: Vec::new(),
            replaced: Vec::new(),
            shown: Vec::new(),
            walked_over: Vec::new(),
            read_once: read_once(body),
            seen: Vec::new(),
            levels: setting.levels.clone(),
            in_loop: false,
            walked: 0,
        }
    }

    pub fn bound(mut self) -> Option<Bound> {
        let last = last_uses(self.body);
        for (at, stmt) in self.body.stmts.iter().enumerate() {
            self.stmt(stmt)?;
            let is_model = |local: &LocalId| matches!(self.body.local(*local).ty, Type::Model(_));
            let ended = |local: &LocalId| {
                last.get(local).is_none_or(|last| *last <= at) && !is_model(local)
            };
            self.variables.retain(|local, _| !ended(local));
        }
        let shown = self.shown.iter().filter_map(|id| self.blocks.get(*id));
        self.bound.shown = shown.cloned().collect();
        Some(self.bound)
    }

    /// Adds to what takes time beside multiply-adds.
    pub fn overhead(&mut self, amount: i64) -> Option<()> {
        let amount = Size::constant(amount);
        self.bound.overhead = self.bound.overhead.add(&amount).ok()?;
        Some(())
    }

    pub fn multiply_adds(&mut self, amount: &Size) -> Option<()> {
        self.bound.multiply_adds = self.bound.multiply_adds.add(amount).ok()?;
        Some(())
    }

    /// A size without unknown ones; `None` where one has no bound.
    pub fn size(&self, size: &Size) -> Option<Size> {
        let known = size
            .substitute(&|symbol| self.births.get(&symbol).cloned())
            .ok()?;
        let symbols = &self.estimator.program.symbols;
        let unknown = |symbol: &SymbolId| symbols.get(*symbol).kind == SymbolKind::Birth;
        (!known.symbols().iter().any(unknown)).then_some(known)
    }

    /// The elements of a tensor.
    pub fn elements(&self, ty: &TensorType) -> Option<Size> {
        let mut elements = Size::constant(1);
        for axis in &ty.axes {
            elements = elements.mul(&self.size(&axis.size)?).ok()?;
        }
        Some(elements)
    }

    /// How often a value that differs along these levels is computed.
    pub fn batch(&self, levels: u64) -> Option<Size> {
        let mut batch = Size::constant(1);
        for (at, size) in self.levels.iter().enumerate() {
            if levels & (1 << at) != 0 {
                batch = batch.mul(size).ok()?;
            }
        }
        Some(batch)
    }

    /// Takes memory.
    pub fn block(&mut self, bytes: Size) -> usize {
        self.blocks.push(bytes);
        self.deferred.push(false);
        self.made.push(self.blocks.len() - 1);
        self.blocks.len() - 1
    }

    /// What lives now.
    pub fn live(&self) -> Vec<Size> {
        let held = self.variables.values().flat_map(|known| &known.holds);
        let ids = held.chain(&self.made).chain(&self.replaced);
        let ids = ids.chain(&self.walked_over);
        let mut ids: Vec<usize> = ids.chain(&self.shown).copied().collect();
        strand_source::sort(&mut ids);
        ids.dedup();
        let blocks = ids.iter().filter_map(|id| self.blocks.get(*id));
        blocks.cloned().collect()
    }

    fn block_of(&mut self, stmts: &'p [Stmt]) -> Option<()> {
        for stmt in stmts {
            self.stmt(stmt)?;
        }
        Some(())
    }

    fn stmt(&mut self, stmt: &'p Stmt) -> Option<()> {
        self.overhead(HOST_STEP)?;
        self.walked += 1;
        if self.walked > MOST_STATEMENTS {
            return None;
        }
        let outer = std::mem::take(&mut self.made);
        match &stmt.kind {
            StmtKind::Bind { local, value } => {
                let mut known = self.expr(value)?;
                // What is read once is one pass with what reads it.
                if known.is_index || !local.is_some_and(|local| self.read_once.contains(&local)) {
                    known = self.force(known)?;
                }
                self.end();
                if let Some(local) = local {
                    self.variables.insert(*local, known);
                }
            }
            StmtKind::Unpack { locals, value } => {
                let known = self.forced(value)?;
                self.end();
                for local in locals.iter().flatten() {
                    self.variables.insert(*local, known.clone());
                }
            }
            StmtKind::SetIndex {
                local,
                items,
                value,
            } => self.assigned(*local, items, value)?,
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let mut known = self.forced(value)?;
                    self.bound.loose |= known.loose;
                    self.bound.levels |= known.levels;
                    let is_number = value.ty.tensor().is_some_and(|ty| ty.rank() == 0);
                    if is_number && known.holds.is_empty() {
                        known.holds = self.own(&value.ty, 0)?.holds;
                    }
                    let held = known.holds.iter().filter_map(|id| self.blocks.get(*id));
                    let mut result: Vec<Size> = held.cloned().collect();
                    strand_source::sort(&mut result);
                    if !super::holds(&self.bound.result, &result) {
                        self.bound.result.extend(result);
                        strand_source::sort(&mut self.bound.result);
                    }
                }
                self.end();
            }
            StmtKind::Expr(value) => {
                if self.is_script && value.ty != Type::Nothing {
                    self.hand_out(value)?;
                } else {
                    self.forced(value)?;
                }
                self.end();
            }
            StmtKind::ForRange {
                local,
                start,
                end,
                step,
                body,
            } => {
                let down = step
                    .as_ref()
                    .and_then(constant)
                    .is_some_and(|step| step < 0);
                let (low, high) = if down { (end, start) } else { (start, end) };
                let high = self.most(high)?;
                let count = not_negative(high.sub(&self.least(low)).ok()?)?;
                if let Some(local) = local {
                    self.most.insert(*local, high);
                }
                self.repeated(body, &count)?;
            }
            StmtKind::ForSlices {
                local,
                tensor,
                axis,
                body,
            } => {
                let known = self.forced(tensor)?.seen_otherwise();
                let outer = self.walked_over.len();
                self.walked_over.extend(&known.holds);
                if let Some(local) = local {
                    self.variables.insert(*local, known);
                }
                let axis = tensor.ty.tensor()?.axes.get(*axis)?;
                let count = self.size(&axis.size)?;
                self.repeated(body, &count)?;
                self.walked_over.truncate(outer);
            }
            StmtKind::ForModels {
                local,
                models,
                body,
            } => {
                let known = self.forced(models)?;
                if let Some(local) = local {
                    self.variables.insert(*local, known);
                }
                let Type::Model(id) = models.ty else {
                    return None;
                };
                let count = self.estimator.program.model(id).fields.len();
                self.repeated(body, &Size::constant(count as i64))?;
            }
            StmtKind::While { .. } | StmtKind::ForPy { .. } => return None,
            StmtKind::If {
                branches,
                otherwise,
            } => self.branches(branches, otherwise.as_deref())?,
            StmtKind::With { body, .. } => self.block_of(body)?,
            StmtKind::SetField { value, .. } => {
                let known = self.forced(value)?;
                // Whoever called with the model has the field's old value until the call ends.
                self.replaced.extend(known.holds);
                self.end();
            }
            StmtKind::Assert { .. } | StmtKind::Break | StmtKind::Continue | StmtKind::Pass => {
                let mut failed = false;
                stmt.each_child(&mut |child| {
                    if let Child::Expr(expr) = child {
                        failed |= self.forced(expr).is_none();
                    }
                });
                if failed {
                    return None;
                }
                self.end();
            }
        }
        self.made = outer;
        Some(())
    }

    /// A value that leaves the run, which has it until its end: what is a view of something else is
    /// copied.
    pub fn hand_out(&mut self, value: &'p Expr) -> Option<()> {
        let known = self.forced(value)?;
        if !known.holds.iter().any(|id| self.made.contains(id)) {
            let copy = self.own(&value.ty, 0)?;
            self.shown.extend(copy.holds);
        }
        self.shown.extend(known.holds);
        Some(())
    }

    /// Takes memory until the run's end.
    pub fn show(&mut self, bytes: Size) {
        let block = self.block(bytes);
        self.shown.push(block);
    }

    /// Notes what lives where a value is there with all that was made for it since `before`; then only what it keeps
    /// does.
    pub fn let_go(&mut self, before: usize, known: &Known) {
        let made = self.made.get(before..).unwrap_or_default();
        if made.iter().all(|id| known.holds.contains(id)) {
            return;
        }
        self.end();
        let mut kept = self.made.split_off(before);
        kept.retain(|id| known.holds.contains(id));
        self.made.append(&mut kept);
    }

    /// Notes what lives where a statement has everything that it makes.
    pub fn end(&mut self) {
        let point = self.live();
        self.bound.point(point);
    }

    fn branches(
        &mut self,
        branches: &'p [(Expr, Vec<Stmt>)],
        otherwise: Option<&'p [Stmt]>,
    ) -> Option<()> {
        for (condition, _) in branches {
            self.forced(condition)?;
        }
        let before = (
            self.bound.multiply_adds.clone(),
            self.bound.overhead.clone(),
            self.variables.clone(),
        );
        let mut most = (before.0.clone(), before.1.clone());
        let mut after = before.2.clone();
        for block in branches
            .iter()
            .map(|(_, block)| block.as_slice())
            .chain(otherwise)
        {
            self.block_of(block)?;
            most.0 = larger(&most.0, &self.bound.multiply_adds)?;
            most.1 = larger(&most.1, &self.bound.overhead)?;
            for (local, known) in &self.variables {
                let before = after.get(local).cloned().unwrap_or_default();
                let joined = self.joined(before, known);
                after.insert(*local, joined);
            }
            self.bound.multiply_adds.clone_from(&before.0);
            self.bound.overhead.clone_from(&before.1);
            self.variables.clone_from(&before.2);
        }
        (self.bound.multiply_adds, self.bound.overhead) = most;
        self.variables = after;
        Some(())
    }

    /// What a variable keeps after one of two paths.
    fn joined(&self, one: Known, other: &Known) -> Known {
        let size = |known: &Known| match known.holds.as_slice() {
            [only] if known.is_assigned => self.blocks.get(*only).cloned(),
            _ => None,
        };
        // Of two arrays of one size there is one.
        if size(&one).is_some_and(|one| size(other) == Some(one)) {
            return other.clone();
        }
        one.with(other)
    }

    /// A loop's body. That of an outermost loop is walked twice, so that what one turn leaves to the next lives too:
    /// the loops inside it are then walked twice as well.
    fn repeated(&mut self, body: &'p [Stmt], count: &Size) -> Option<()> {
        let is_outermost = !std::mem::replace(&mut self.in_loop, true);
        let walked = self.turns(body, count, is_outermost);
        self.in_loop = !is_outermost;
        walked
    }

    fn turns(&mut self, body: &'p [Stmt], count: &Size, twice: bool) -> Option<()> {
        let before = (
            self.bound.multiply_adds.clone(),
            self.bound.overhead.clone(),
        );
        let first = self.blocks.len();
        let shown = self.shown.len();
        self.block_of(body)?;
        let each: Vec<usize> = self.shown.get(shown..).unwrap_or_default().to_vec();
        let grown = |now: &Size, before: &Size| now.sub(before).ok()?.mul(count).ok();
        let times = (
            grown(&self.bound.multiply_adds, &before.0)?
                .add(&before.0)
                .ok()?,
            grown(&self.bound.overhead, &before.1)?
                .add(&before.1)
                .ok()?,
        );
        let second = self.blocks.len();
        if twice {
            self.block_of(body)?;
        }
        (self.bound.multiply_adds, self.bound.overhead) = times;
        for id in &each {
            // What a turn shows stays beside what the next one shows.
            let all = self.blocks.get(*id)?.mul(count).ok()?;
            self.show(all);
        }
        if !each.is_empty() {
            self.end();
        }
        // What a deferred value gathers turn by turn.
        let mut more = Vec::new();
        for known in self.variables.values_mut() {
            let gathers = !known.is_assigned && known.holds.iter().any(|id| *id >= second);
            // Single numbers are kept as numbers, where they aren't those of a chain's elements.
            let in_chain = !self.levels.is_empty();
            let grows = |size: &Size| in_chain || size.as_constant().is_none_or(|bytes| bytes > 8);
            let is_old = |id: &usize| {
                (first..second).contains(id)
                    && (in_chain || self.deferred.get(*id) == Some(&false))
                    && self.blocks.get(*id).is_some_and(grows)
            };
            let old: Vec<usize> = known.holds.iter().copied().filter(is_old).collect();
            if !gathers {
                continue;
            }
            for id in old {
                for _ in 2..KEPT {
                    // Past all others: the order holds.
                    known.holds.push(self.blocks.len() + more.len());
                    more.extend(self.blocks.get(id).cloned());
                }
            }
        }
        if !more.is_empty() {
            self.deferred.extend(more.iter().map(|_| false));
            self.blocks.extend(more);
            self.end();
        }
        Some(())
    }

    /// The most that a host int can be.
    fn most(&self, expr: &Expr) -> Option<Size> {
        match &expr.kind {
            ExprKind::Int(value) => Some(Size::constant(*value)),
            ExprKind::Size(size) => self.size(size),
            ExprKind::Local(local) => self.most.get(local).cloned(),
            ExprKind::Op { op, args, .. } => {
                let [left, right] = args.as_slice() else {
                    return None;
                };
                match op {
                    OpId::Add => self.most(left)?.add(&self.most(right)?).ok(),
                    OpId::Sub => self.most(left)?.sub(&self.least(right)).ok(),
                    OpId::Mul => self.most(left)?.mul(&self.most(right)?).ok(),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The least that a host int can be, as far as it is known; else 0.
    fn least(&self, expr: &Expr) -> Size {
        match &expr.kind {
            ExprKind::Size(size) => self.size(size).unwrap_or_default(),
            _ => constant(expr).map_or_else(Size::default, Size::constant),
        }
    }
}

fn constant(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Op {
            op: OpId::Neg,
            args,
            ..
        } => args.first().and_then(constant).and_then(i64::checked_neg),
        _ => None,
    }
}

/// A count of turns: what could be negative, so that there are none, counts without its negative terms.
fn not_negative(count: Size) -> Option<Size> {
    let mut least: i64 = 0;
    let mut falls = false;
    for (product, factor) in count.terms() {
        least = least.saturating_add(factor);
        falls |= factor < 0 && !product.is_empty();
    }
    if least >= 0 && !falls {
        return Some(count);
    }
    larger(&Size::default(), &count)
}

/// A polynomial that is no less than both, term by term.
pub(super) fn larger(a: &Size, b: &Size) -> Option<Size> {
    let rest = b.sub(a).ok()?;
    let mut most = a.clone();
    for (product, factor) in rest.terms().filter(|(_, factor)| *factor > 0) {
        let mut term = Size::constant(factor);
        for symbol in product {
            term = term.mul(&Size::symbol(*symbol)).ok()?;
        }
        most = most.add(&term).ok()?;
    }
    Some(most)
}
