//! What variables are where paths of a body meet: after branches, at the heads of loops.

use strand_ir::{Axis, Domain, Host, How, Size, Stmt, TensorType, Type};
use strand_ops::DType;
use strand_source::{Code, Diagnostic, Map, Span};
use strand_syntax::ast::{self, Name};

use crate::context::{Change, Checker, LoopExits, LoopNames, Variable};
use crate::operators::short;

/// Changed variables at the end of a path.
pub(crate) type Changes = Map<Name, Option<Variable>>;

/// How often a loop's body is typed until the types at its head stay.
const MAX_PASSES: usize = 5;

/// Sizes that one join made, so that the same pair of axes gives the same size.
#[derive(Default)]
struct Fresh(Vec<(Axis, Axis, Size)>);

/// How many findings and the like there were, to go back to.
#[derive(Clone, Copy)]
pub(crate) struct FindingsMark {
    pub(crate) diagnostics: usize,
    inlays: usize,
    hovers: usize,
    chains: usize,
    returns: usize,
    births: u32,
}

impl Checker<'_> {
    /// How far the findings have come.
    pub(crate) fn findings(&self) -> FindingsMark {
        FindingsMark {
            diagnostics: self.diagnostics.len(),
            inlays: self.inlays.len(),
            hovers: self.hovers.len(),
            chains: self.body.chains.len(),
            returns: self.body.returns.len(),
            births: self.body.births,
        }
    }

    /// Drops what was found since.
    pub(crate) fn drop_findings(&mut self, mark: FindingsMark) {
        self.diagnostics.truncate(mark.diagnostics);
        self.inlays.truncate(mark.inlays);
        self.hovers.truncate(mark.hovers);
        self.body.chains.truncate(mark.chains);
        self.body.returns.truncate(mark.returns);
    }

    /// The type of a value that comes from one of two paths; `None` where they differ. Axes that
    /// differ join to a size known only while running.
    pub(crate) fn join(&mut self, left: &Type, right: &Type, span: Span) -> Option<Type> {
        self.join_types(left, right, span, &mut Fresh::default())
    }

    fn join_types(
        &mut self,
        left: &Type,
        right: &Type,
        span: Span,
        fresh: &mut Fresh,
    ) -> Option<Type> {
        Some(match (left, right) {
            (Type::Error, _) | (_, Type::Error) => Type::Error,
            (left, right) if left == right => left.clone(),
            (Type::Host(a), Type::Host(b)) if *a != Host::Str && *b != Host::Str => {
                if *a == Host::Bool || *b == Host::Bool {
                    return None;
                }
                Type::Host(Host::Float)
            }
            (Type::Tensor(a), Type::Tensor(b)) => {
                Type::Tensor(self.join_tensors(a, b, span, fresh)?)
            }
            (Type::Host(host), Type::Tensor(tensor)) | (Type::Tensor(tensor), Type::Host(host)) => {
                let fits = match host {
                    Host::Int => tensor.dtype != DType::Bool,
                    Host::Float => tensor.dtype.is_float(),
                    Host::Bool => tensor.dtype == DType::Bool,
                    Host::Str => false,
                };
                if !fits || tensor.rank() > 0 {
                    return None;
                }
                Type::Tensor(TensorType::new(Vec::new(), tensor.dtype))
            }
            (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
                let mut parts = Vec::with_capacity(a.len());
                for (a, b) in a.iter().zip(b) {
                    parts.push(self.join_types(a, b, span, fresh)?);
                }
                Type::Tuple(parts)
            }
            _ => return None,
        })
    }

    fn join_tensors(
        &mut self,
        left: &TensorType,
        right: &TensorType,
        span: Span,
        fresh: &mut Fresh,
    ) -> Option<TensorType> {
        if left.rank() != right.rank() || left.dtype != right.dtype {
            return None;
        }
        let mut axes = Vec::with_capacity(left.rank());
        for (a, b) in left.axes.iter().zip(&right.axes) {
            axes.push(self.join_axes(a, b, span, fresh));
        }
        let domain = match (&left.domain, &right.domain) {
            (Domain::Index(a), Domain::Index(b)) => {
                self.joined_axis(a, b).map_or(Domain::Plain, Domain::Index)
            }
            (a, b) if a == b => a.clone(),
            (a, b) if a.serves(b, &self.program.symbols) => b.clone(),
            (a, b) if b.serves(a, &self.program.symbols) => a.clone(),
            _ => Domain::Plain,
        };
        Some(TensorType {
            axes,
            dtype: left.dtype,
            domain,
        })
    }

    fn join_axes(&mut self, left: &Axis, right: &Axis, span: Span, fresh: &mut Fresh) -> Axis {
        if let Some(axis) = self.joined_axis(left, right) {
            return axis;
        }
        for axis in [left, right] {
            let absorbs = axis.size.as_symbol();
            if absorbs.is_some_and(|symbol| self.body.absorbing.contains(&symbol)) {
                return axis.clone();
            }
        }
        let Fresh(made) = fresh;
        if let Some((_, _, size)) = made.iter().find(|(a, b, _)| a == left && b == right) {
            return joined_from(left, size.clone(), span);
        }
        let (a, b) = (self.show_axis(left), self.show_axis(right));
        let symbol = self.birth_symbol(span, format!("{a} on one path, {b} on another"));
        self.body.absorbing.insert(symbol);
        let size = Size::symbol(symbol);
        made.push((left.clone(), right.clone(), size.clone()));
        joined_from(left, size, span)
    }

    /// Sets or forgets a variable, so that it can be taken back.
    pub(crate) fn set_variable(&mut self, name: &Name, variable: Option<Variable>, iterated: bool) {
        let Some(scope) = self.body.scopes.first_mut() else {
            return;
        };
        let local = variable.as_ref().map(|variable| variable.local);
        let before = scope.set(name.clone(), variable);
        let held = before.as_ref().map(|before| before.local);
        let flag = held.and_then(|local| self.body.iterated.get(&local).copied());
        self.body.journal.push(Change {
            name: name.clone(),
            before,
            iterated: flag.unwrap_or(false),
        });
        if let Some(local) = local {
            self.body.iterated.insert(local, iterated);
        }
    }

    /// The variables that changed since the journal had `mark` entries, as they are now.
    pub(crate) fn changes(&self, mark: usize) -> Changes {
        let scope = self.body.scopes.first();
        let changed = self.body.journal.get(mark..).unwrap_or(&[]).iter();
        changed
            .map(|change| {
                let now = scope.and_then(|scope| scope.get(&change.name)).cloned();
                (change.name.clone(), now)
            })
            .collect()
    }

    /// The changed variables as they were when the journal had `mark` entries.
    fn before(&self, mark: usize) -> Changes {
        let mut before = Changes::new();
        for change in self.body.journal.get(mark..).unwrap_or(&[]) {
            before.get_or_insert_with(change.name.clone(), || change.before.clone());
        }
        before
    }

    /// Takes back every change since the journal had `mark` entries.
    pub(crate) fn rollback(&mut self, mark: usize) {
        while self.body.journal.len() > mark {
            let Some(change) = self.body.journal.pop() else {
                return;
            };
            let Some(scope) = self.body.scopes.first_mut() else {
                return;
            };
            if let Some(variable) = &change.before {
                self.body.iterated.insert(variable.local, change.iterated);
            }
            scope.set(change.name, change.before);
        }
    }

    /// Joins the ends of the paths that go on. Nothing is bound after an `if` that isn't bound on
    /// every one.
    pub(crate) fn meet(&mut self, paths: &[Changes], span: Span) {
        let mut names: Vec<&Name> = paths.iter().flat_map(|path| path.keys()).collect();
        strand_source::sort(&mut names);
        names.dedup();
        let mut fresh = Fresh::default();
        for name in names {
            let before = self.body.scopes.first().and_then(|scope| scope.get(name));
            let before = before.cloned();
            let ends: Vec<Option<Variable>> = paths
                .iter()
                .map(|path| path.get(name).cloned().unwrap_or_else(|| before.clone()))
                .collect();
            let bound: Vec<&Variable> = ends.iter().flatten().collect();
            if bound.len() < ends.len() {
                if let Some(place) = bound.first().and_then(|variable| variable.bound_at.first()) {
                    let why = "bound here, but not on every path";
                    self.body.lost.insert(name.clone(), (*place, why));
                }
                self.set_variable(name, None, false);
                continue;
            }
            let Some((first, rest)) = bound.split_first() else {
                continue;
            };
            let mut joined = (*first).clone();
            for other in rest {
                match self.join_variables(name, &joined, other, span, &mut fresh) {
                    Ok(variable) => joined = variable,
                    Err(clash) => {
                        self.report(*clash);
                        joined.ty = Type::Error;
                    }
                }
            }
            self.set_variable(name, Some(joined), false);
        }
    }

    fn join_variables(
        &mut self,
        name: &Name,
        left: &Variable,
        right: &Variable,
        span: Span,
        fresh: &mut Fresh,
    ) -> Result<Variable, Box<Diagnostic>> {
        let joined = self.join_types(&left.ty, &right.ty, span, fresh);
        let Some(ty) = joined else {
            return Err(Box::new(self.types_differ(name, left, right)));
        };
        for (host, tensor) in [(left, right), (right, left)] {
            if let (Type::Host(_), Type::Tensor(tensor)) = (&host.ty, &tensor.ty)
                && !self.raise(host, tensor.dtype)
            {
                return Err(Box::new(self.types_differ(name, left, right)));
            }
        }
        let mut bound_at = left.bound_at.clone();
        for place in &right.bound_at {
            if !bound_at.contains(place) && bound_at.len() < 16 {
                bound_at.push(*place);
            }
        }
        Ok(Variable {
            local: left.local,
            ty,
            bound_at,
        })
    }

    /// Makes the bindings of a host number `[]` tensors from the start. Parameters and names of
    /// loops stay what they are: `false`.
    fn raise(&mut self, variable: &Variable, dtype: DType) -> bool {
        let raisable = &self.body.raisable;
        if !variable.bound_at.iter().all(|at| raisable.contains(at)) {
            return false;
        }
        for place in &variable.bound_at {
            if self.body.raised.insert(*place, dtype) != Some(dtype) {
                self.body.raised_grew = true;
            }
        }
        true
    }

    fn types_differ(&self, name: &Name, left: &Variable, right: &Variable) -> Diagnostic {
        let place = |variable: &Variable| variable.bound_at.last().copied().unwrap_or_default();
        // What comes later in the text differs from what came before.
        let (left, right) = if place(left) <= place(right) {
            (left, right)
        } else {
            (right, left)
        };
        let (a, b) = (self.show(&left.ty), self.show(&right.ty));
        let mut finding = Diagnostic::new(
            Code::E0803,
            place(right),
            short(
                format!("{name} is {a} on one path and {b} on another"),
                short(
                    format!("{name} is {b} here and different on another path"),
                    format!("{name} has another type on another path"),
                ),
            ),
        )
        .label(place(left), format!("{name} is {a} here"));
        let number = match &left.ty {
            Type::Host(host) => *host != Host::Str,
            other => other.tensor().is_some_and(|tensor| tensor.rank() == 0),
        };
        if let (true, Type::Tensor(tensor)) = (number, &right.ty)
            && tensor.rank() > 0
            && tensor.axes.iter().all(|axis| self.writable(axis).is_some())
        {
            finding = finding.note(format!("Start with a tensor of that shape: `zeros({b})`."));
        }
        finding
    }

    /// Types the body of a loop until the types at its head hold at its end too. `start` binds the
    /// loop's names.
    pub(crate) fn loop_body(
        &mut self,
        span: Span,
        start: &mut dyn FnMut(&mut Self),
        body: &[ast::Stmt],
    ) -> Vec<Stmt> {
        let found = self.findings();
        let mark = self.body.journal.len();
        self.body.loop_names.push(LoopNames::of(body));
        for pass in 1.. {
            self.widen_head(span);
            let head = self.body.journal.len();
            self.body.exits.push(LoopExits {
                mark: head,
                states: Vec::new(),
            });
            self.body.loops += 1;
            let axis_names = self.body.axis_names.clone();
            start(self);
            let (stmts, goes_on) = self.block(body);
            self.end_axis_names(axis_names);
            self.body.loops -= 1;
            let mut states = self.body.exits.pop().unwrap_or_default().states;
            if goes_on {
                states.push(self.changes(head));
            }
            let before = self.before(head);
            self.rollback(head);
            let (after, stable) = self.join_head(span, &before, &states);
            if stable || pass >= MAX_PASSES {
                for (name, variable) in after {
                    self.set_variable(&name, Some(variable), false);
                }
                self.report_clashes(span, &before);
                self.body.loop_names.pop();
                return stmts;
            }
            self.rollback(mark);
            self.drop_findings(found);
            self.body.births = found.births;
        }
        Vec::new()
    }

    /// The types that earlier passes found for the loop's head.
    fn widen_head(&mut self, span: Span) {
        let known: Vec<(Name, Type)> = match self.body.heads.get(&span) {
            Some(heads) => heads.iter().map(|(n, t)| (n.clone(), t.clone())).collect(),
            None => return,
        };
        for (name, head) in known {
            let Some(before) = self.body.scopes.first().and_then(|scope| scope.get(&name)) else {
                continue;
            };
            let mut variable = before.clone();
            let joined = self.join(&head, &variable.ty, span);
            variable.ty = joined.unwrap_or(Type::Error);
            self.set_variable(&name, Some(variable), false);
        }
    }

    /// The variables at the loop's head and after it, and whether the head's types hold.
    fn join_head(
        &mut self,
        span: Span,
        before: &Changes,
        states: &[Changes],
    ) -> (Vec<(Name, Variable)>, bool) {
        let mut fresh = Fresh::default();
        let mut stable = true;
        let mut after = Vec::new();
        for (name, variable) in before {
            let Some(held) = variable else {
                let bound = states.iter().find_map(|state| state.get(name)?.as_ref());
                if let Some(place) = bound.and_then(|bound| bound.bound_at.first()) {
                    let why = "bound here, inside a loop that may not run";
                    self.body.lost.insert(name.clone(), (*place, why));
                }
                continue;
            };
            let mut joined = held.clone();
            // What is wrong at the end doesn't widen the head: the next pass would no longer see
            // why it is wrong.
            let mut wrong = false;
            for end in states.iter().filter_map(|state| state.get(name)) {
                let Some(end) = end else {
                    continue;
                };
                if end.ty.is_error() {
                    wrong = true;
                    continue;
                }
                match self.join_variables(name, &joined, end, span, &mut fresh) {
                    Ok(variable) => joined = variable,
                    Err(clash) => {
                        let clashes = self.body.clashes.get_or_default(span);
                        clashes.insert(name.clone(), *clash);
                        joined.ty = Type::Error;
                    }
                }
            }
            if joined.ty != held.ty {
                stable = false;
                let heads = self.body.heads.get_or_default(span);
                heads.insert(name.clone(), joined.ty.clone());
            }
            if wrong {
                joined.ty = Type::Error;
            }
            after.push((name.clone(), joined));
        }
        (after, stable)
    }

    fn report_clashes(&mut self, span: Span, before: &Changes) {
        let clashes: Vec<Diagnostic> = match self.body.clashes.get(&span) {
            Some(clashes) => clashes
                .iter()
                .filter(|(name, _)| before.contains_key(*name))
                .map(|(_, clash)| clash.clone())
                .collect(),
            None => return,
        };
        for clash in clashes {
            self.report(clash);
        }
    }
}

/// The axis of unknown size that two paths leave; it was `left` on the first.
fn joined_from(left: &Axis, size: Size, span: Span) -> Axis {
    Axis::unnamed(size).made_from(&left.origin, How::Words("joined where paths meet"), span)
}
