//! What is known at a caret, and texts tried there.
//!
//! Most texts are tried inside one reading of the program: the statement at the caret is typed once
//! for each of them, in the scope that it has. What comes after the statement, and what the passes
//! over the typed program find, needs a reading of its own ([`Trials::proven`]). Only what a text
//! at the caret can reach is read, as in proofs of fixes.

use strand_ir::{Program, Type};
use strand_source::{Code, Diagnostic, Set, Span};
use strand_syntax::Caret;
use strand_syntax::ast::{self, FnBody, Item, Name, Stmt, StmtKind};

use crate::context::Checker;
use crate::graph;
use crate::proof::{Counts, Proofs, counts, errors_within};
use crate::scope::Scope;

/// How much text is read for one caret: some 15 ms of an engine in a browser.
const MOST_BYTES: usize = 14_000;
/// What reading a text takes beside its bytes.
const READING: usize = 60;
/// How many functions that nothing calls yet stand by with their signatures.
const MOST_SIGNATURES: usize = 8;

/// What is known at a caret.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The variables in scope with their types, those bound last first.
    pub variables: Vec<(Name, Type)>,
    /// The axis names in scope.
    pub axis_names: Vec<Name>,
    /// The value that the caret's place works on: what is piped or converted, whose axis or field
    /// is named.
    pub value: Option<Type>,
    /// How many parts an element has where elements are piped that aren't a tensor yet.
    pub parts: usize,
    /// What the place needs, where that is known.
    pub wanted: Option<Type>,
    /// The function that the caret stands in.
    pub function: Option<Name>,
}

/// A text tried at a caret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The type of what was written, or of the smallest piece that it completes.
    pub ty: Option<Type>,
    /// The type as a program writes it; empty where there is none.
    pub shown: String,
    /// Whether the statement has no error that it hadn't before.
    pub stands: bool,
    /// Whether what was written has none itself, so that it may go on.
    pub goes_on: bool,
}

/// What a checker that reads a text for its caret holds.
pub(crate) struct AtCaret<'a> {
    /// Where the name at the caret starts.
    at: u32,
    known: Option<Known>,
    /// The statement in whose place others are typed.
    site: Span,
    trials: &'a [Trial<'a>],
    outcomes: Vec<Option<Outcome>>,
}

/// A statement to be typed at the caret.
struct Trial<'a> {
    stmt: Option<&'a Stmt>,
    /// What was tried, in the statement.
    item: Span,
    /// What the parser said of it.
    syntax: Vec<(Code, Span)>,
}

/// What typing one gave.
#[derive(Clone)]
struct Outcome {
    ty: Option<Type>,
    shown: String,
    errors: Counts,
    /// Errors of the item itself.
    inner: bool,
}

/// Texts tried at one caret.
pub struct Trials {
    /// The whole text with the marker, its tree, and where the marker stands.
    marked: String,
    module: ast::Module,
    at: Span,
    /// The functions that stand by.
    near: Set<Name>,
    effectful: Set<Name>,
    /// What a text at the caret can reach, with the marker.
    part: String,
    marker: Span,
    /// What stands where the marker does.
    raw: String,
    /// The statement at the caret as it is tried: its text before and after the marker, and its
    /// place.
    site: Option<(String, String, Span)>,
    known: Known,
    program: Program,
    /// The errors of each code that there may be.
    allowed: Counts,
    /// The same where what is written goes on.
    allowed_open: Counts,
    bytes: usize,
}

impl Trials {
    /// Reads a text for its caret. `raw` is what is written of the name there; `prefix` what of it
    /// stands before the caret.
    pub fn new(caret: &Caret, raw: &str, prefix: &str) -> Self {
        let module = strand_syntax::parse(&caret.marked).module;
        let near = near(&module, caret.marker, prefix);
        let (part, marker) = reachable(&caret.marked, &module, caret.marker, &near, None);
        let mut trials = Self {
            marked: caret.marked.clone(),
            effectful: effectful(&caret.marked, &module),
            module,
            near,
            at: caret.marker,
            part,
            marker,
            raw: raw.to_owned(),
            site: None,
            known: Known::default(),
            program: Program::default(),
            allowed: Counts::new(),
            allowed_open: Counts::new(),
            bytes: MOST_BYTES,
        };
        trials.read();
        trials
    }

    /// What is known at the caret.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// The typed program around it.
    pub fn program(&self) -> &Program {
        &self.program
    }

    fn spend(&mut self, bytes: usize) -> Option<()> {
        self.bytes = self.bytes.checked_sub(bytes + READING)?;
        Some(())
    }

    fn with(&self, text: &str) -> String {
        replaced(&self.part, self.marker, text)
    }

    fn read(&mut self) {
        let parse = strand_syntax::parse(&self.part);
        self.site = site(&self.part, &parse.module, self.marker);
        let mut checker = Checker::new(&self.part);
        checker.suggest_below = 0;
        checker.caret = Some(AtCaret {
            at: self.marker.start,
            known: None,
            site: Span::default(),
            trials: &[],
            outcomes: Vec::new(),
        });
        let mut checker = crate::typed_by(checker, &parse.module, parse.diagnostics);
        checker.settle();
        let marked = counts(&checker.diagnostics);
        let found = checker.caret.take().and_then(|caret| caret.known);
        self.known = found.unwrap_or_default();
        self.program = std::mem::take(&mut checker.program);
        drop(checker);
        let raw = counts(&crate::findings(&self.with(&self.raw)));
        self.allowed = raw
            .iter()
            .filter_map(|(code, count)| Some((*code, *marked.get(code)?.min(count))))
            .collect();
        self.allowed_open = raw;
        self.bytes = self.bytes.saturating_sub(2 * self.part.len());
    }

    /// Types the statement at the caret with each text; `None` for those that can't be typed so:
    /// what spans lines, and carets outside of statements.
    pub fn tried(&mut self, texts: &[String]) -> Vec<Option<Tried>> {
        let Some((head, tail, site)) = self.site.clone() else {
            return vec![None; texts.len()];
        };
        let marker = self.marker.text(&self.part).to_owned();
        let mut text = self.part.clone();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let from = text.len() as u32;
        text.push_str("fn caret_():\n");
        // The text as it is, and with the marker, tell which errors there may be.
        let all = [&self.raw, &marker].into_iter().chain(texts);
        let items: Vec<Span> = all
            .map(|item| {
                text.push(' ');
                text.push_str(&head);
                let start = text.len() as u32;
                // Broken lines can't stand here; they are left out below.
                text.push_str(if item.contains('\n') { "" } else { item });
                let span = Span::new(start, text.len() as u32);
                text.push_str(&tail);
                text.push('\n');
                span
            })
            .collect();
        self.bytes = self.bytes.saturating_sub(text.len());
        let mut parse = strand_syntax::parse(&text);
        let stmts = match parse.module.items.pop() {
            Some(Item::Fn(ast::FnDecl {
                body: FnBody::Block(stmts),
                span,
                ..
            })) if span.start == from => stmts,
            _ => return vec![None; texts.len()],
        };
        let (mut outside, inside): (Vec<Diagnostic>, Vec<Diagnostic>) = parse
            .diagnostics
            .into_iter()
            .partition(|found| found.span.start < from);
        outside.retain(|found| found.span.end <= from);
        let trials = pair(&items, head.len() as u32, &stmts, &inside);
        let mut checker = Checker::new(&text);
        checker.suggest_below = 0;
        checker.caret = Some(AtCaret {
            at: self.marker.start,
            known: None,
            site,
            trials: &trials,
            outcomes: vec![None; trials.len()],
        });
        let mut checker = typed_only(checker, &parse.module, outside);
        let outcomes = checker.caret.take().map(|caret| caret.outcomes);
        judged(outcomes.unwrap_or_default(), texts)
    }

    /// Whether the text with this at the caret checks without a new error: `None` past the bound
    /// of work. `open` if what is written goes on, as `relu |> `.
    pub fn proven(&mut self, text: &str, open: bool) -> Option<bool> {
        let text = self.with(text);
        self.spend(text.len())?;
        let after = counts(&crate::findings_for_proof(&text));
        let allowed = if open {
            &self.allowed_open
        } else {
            &self.allowed
        };
        Some(errors_within(&after, allowed))
    }

    /// Whether a function of the program does something beside computing a value, itself or
    /// through those that it calls, as far as its words say.
    pub fn may_have_effect(&self, function: &str) -> bool {
        self.effectful.contains(function)
    }

    /// [`Self::proven`] of a call of such a function: it is read with what it calls.
    pub fn proven_call(&mut self, text: &str, function: &str) -> Option<bool> {
        let (part, marker) = reachable(
            &self.marked,
            &self.module,
            self.at,
            &self.near,
            Some(function),
        );
        if part == self.part {
            return self.proven(text, false);
        }
        self.spend(2 * part.len())?;
        let before = counts(&crate::findings_for_proof(&replaced(
            &part, marker, &self.raw,
        )));
        let after = counts(&crate::findings_for_proof(&replaced(&part, marker, text)));
        Some(errors_within(&after, &before))
    }
}

/// The functions with a word of an effect, and those that call them.
fn effectful(text: &str, module: &ast::Module) -> Set<Name> {
    let effects = strand_ops::OPS.iter().filter(|op| op.effect().is_some());
    let words: Vec<&str> = effects.map(|op| op.name).chain(["mut ", "log("]).collect();
    let fns = module.items.iter().filter_map(|item| match item {
        Item::Fn(decl) => Some(decl),
        _ => None,
    });
    let fns: Vec<&ast::FnDecl> = fns.collect();
    let places = fns.iter().enumerate();
    let places = places
        .map(|(at, decl)| (decl.name.name.clone(), at))
        .collect();
    let calls: Vec<Vec<graph::Edge>> = fns
        .iter()
        .map(|decl| graph::calls_of(&decl.body, &places))
        .collect();
    let has_word = |decl: &&ast::FnDecl| {
        let text = decl.span.text(text);
        words.iter().any(|word| text.contains(word))
    };
    let mut has: Vec<bool> = fns.iter().map(has_word).collect();
    // What is called stands before its callers in this order.
    for at in graph::order(&calls).0 {
        has[at] |= calls[at].iter().any(|edge| has[edge.to]);
    }
    let names = fns.iter().zip(&has).filter(|(_, has)| **has);
    names.map(|(decl, _)| decl.name.name.clone()).collect()
}

fn replaced(text: &str, span: Span, by: &str) -> String {
    let start = text.get(..span.start as usize).unwrap_or("");
    let end = text.get(span.end as usize..).unwrap_or("");
    [start, by, end].concat()
}

/// Typing without the passes after it, which trials don't need.
fn typed_only<'a>(
    mut checker: Checker<'a>,
    module: &'a ast::Module,
    diagnostics: Vec<Diagnostic>,
) -> Checker<'a> {
    checker.after_parsing(diagnostics);
    checker.module(module);
    checker
}

/// The statements of the trials by their lines.
fn pair<'a>(
    items: &[Span],
    head: u32,
    stmts: &'a [Stmt],
    findings: &[Diagnostic],
) -> Vec<Trial<'a>> {
    let starts: Vec<u32> = items
        .iter()
        .map(|item| item.start.saturating_sub(head))
        .chain([u32::MAX])
        .collect();
    let ends = starts.get(1..).unwrap_or_default();
    let trial = |((item, start), end): ((&Span, &u32), &u32)| {
        let within = |span: Span| *start <= span.start && span.start < *end;
        let first = stmts.partition_point(|stmt| stmt.span.start < *start);
        let own = stmts.get(first..).unwrap_or_default();
        let stmt = match own {
            [one, rest @ ..] if within(one.span) => {
                let alone = rest.first().is_none_or(|next| !within(next.span));
                alone.then_some(one)
            }
            _ => None,
        };
        let syntax = findings
            .iter()
            .filter(|found| found.is_error() && within(found.span));
        Trial {
            stmt,
            item: *item,
            syntax: syntax.map(|found| (found.code, found.span)).collect(),
        }
    };
    items.iter().zip(&starts).zip(ends).map(trial).collect()
}

/// The outcomes against the two that say which errors there may be.
fn judged(outcomes: Vec<Option<Outcome>>, texts: &[String]) -> Vec<Option<Tried>> {
    let mut outcomes = outcomes.into_iter();
    let bounds: Vec<Counts> = outcomes
        .by_ref()
        .take(2)
        .map(|outcome| outcome.map(|outcome| outcome.errors).unwrap_or_default())
        .collect();
    let [raw, marked] = bounds.as_slice() else {
        return vec![None; texts.len()];
    };
    let least = |(code, count): (&Code, &usize)| Some((*code, *marked.get(code)?.min(count)));
    let allowed: Counts = raw.iter().filter_map(least).collect();
    texts
        .iter()
        .zip(outcomes.chain(std::iter::repeat(None)))
        .map(|(text, outcome)| {
            if text.contains('\n') {
                return None;
            }
            let outcome = outcome?;
            Some(Tried {
                stands: errors_within(&outcome.errors, &allowed),
                goes_on: !outcome.inner,
                ty: outcome.ty,
                shown: outcome.shown,
            })
        })
        .collect()
}

impl<'a> Checker<'a> {
    /// Whether the name at the caret starts here.
    pub(crate) fn is_caret(&self, at: u32) -> bool {
        self.caret.as_ref().is_some_and(|caret| caret.at == at)
    }

    /// Notes what is known at the caret; `value` is what its place works on.
    pub(crate) fn note_caret(&mut self, value: Option<(Type, usize)>, wanted: Option<&Type>) {
        let mut variables: Vec<(Span, Name, Type)> = Vec::new();
        let mut seen = Set::new();
        for (name, variable) in self.body.scopes.iter().rev().flat_map(Scope::iter) {
            if seen.insert(name.clone()) {
                let place = variable.bound_at.last().copied().unwrap_or_default();
                variables.push((place, name.clone(), variable.ty.clone()));
            }
        }
        strand_source::sort_by_key(&mut variables, |(place, ..)| std::cmp::Reverse(place.start));
        let variables = variables.into_iter().map(|(_, name, ty)| (name, ty));
        let axis_names = self.body.axis_names.keys().cloned().collect();
        let function = self.body.function.map(|id| self.program.function(id));
        let function = function.map(|function| function.name.clone());
        let (value, parts) = value.map_or((None, 0), |(ty, parts)| (Some(ty), parts));
        let known = Known {
            variables: variables.collect(),
            axis_names,
            value,
            parts,
            wanted: wanted.cloned(),
            function,
        };
        if let Some(caret) = &mut self.caret {
            caret.known = Some(known);
        }
    }

    /// Types the trials in the place of the statement at `site`.
    pub(crate) fn try_at(&mut self, site: Span, is_body: bool) {
        let Some(caret) = &self.caret else { return };
        if caret.site != site || self.silent > 0 {
            return;
        }
        let trials = caret.trials;
        let mut outcomes = Vec::with_capacity(trials.len());
        for trial in trials {
            outcomes.push(trial.stmt.map(|stmt| self.try_one(trial, stmt, is_body)));
        }
        if let Some(caret) = &mut self.caret {
            caret.outcomes = outcomes;
        }
    }

    fn try_one(&mut self, trial: &Trial<'a>, stmt: &'a Stmt, is_body: bool) -> Outcome {
        let found = self.findings();
        let before = (self.diagnostics.len(), self.hovers.len());
        let journal = self.body.journal.len();
        let raised = (self.body.raised.clone(), self.body.raised_grew);
        match &stmt.kind {
            StmtKind::Expr(value) if is_body => drop(self.expression_body(value)),
            _ => drop(self.block(std::slice::from_ref(stmt))),
        }
        let hovers = self.hovers.get(before.1..).unwrap_or_default();
        let ty = item_type(hovers, trial.item);
        let shown = ty.as_ref().map_or_else(String::new, |ty| self.show(ty));
        let errors = self.diagnostics.get(before.0..).unwrap_or_default();
        let errors = errors.iter().filter(|found| found.is_error());
        let errors = errors.map(|found| (found.code, found.span));
        let errors: Vec<_> = errors.chain(trial.syntax.iter().copied()).collect();
        let mut counted = Counts::new();
        for (code, _) in &errors {
            *counted.get_or_insert_with(*code, || 0) += 1;
        }
        let mut places = errors.iter().map(|(_, span)| *span);
        let inner = ty.is_none() || places.any(|span| trial.item.contains(span));
        self.rollback(journal);
        self.drop_findings(found);
        (self.body.raised, self.body.raised_grew) = raised;
        Outcome {
            ty,
            shown,
            errors: counted,
            inner,
        }
    }
}

/// The type of a piece, or of the smallest that holds it and starts before it.
fn item_type(hovers: &[(Span, Type)], item: Span) -> Option<Type> {
    let own = hovers
        .iter()
        .filter(|(span, _)| span.start == item.start && item.contains(*span) && !span.is_empty());
    let around = || {
        let around = hovers
            .iter()
            .filter(|(span, _)| span.start < item.start && item.end <= span.end);
        around.min_by_key(|(span, _)| span.len())
    };
    own.max_by_key(|(span, _)| span.len())
        .or_else(around)
        .map(|(_, ty)| ty.clone())
}

/// What a text at the marker can reach, and where the marker stands in it. Other functions stand
/// there with their signatures alone, as extern functions, but for the `whole` one.
fn reachable(
    text: &str,
    module: &ast::Module,
    marker: Span,
    near: &Set<Name>,
    whole: Option<&str>,
) -> (String, Span) {
    let proofs = Proofs::new(text, module);
    let everything = || (text.to_owned(), marker);
    let Some(kept) = proofs.kept(proofs.reach_of(marker), whole) else {
        return everything();
    };
    let mut part = String::new();
    let mut at = None;
    for (item, kept) in module.items.iter().zip(&kept) {
        let span = item.span();
        let before = text.get(..span.start as usize).unwrap_or("");
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        match item {
            Item::Fn(decl) if !kept && !near.contains(&decl.name.name) => continue,
            Item::Fn(decl) if !kept && is_typed(decl) => {
                part.push_str("extern ");
                part.push_str(decl.signature.text(text).trim_end());
                part.push_str(" from \"torch\"\n");
                continue;
            }
            Item::Fn(_) => {}
            _ if !kept => continue,
            _ => {}
        }
        if span.contains(marker) {
            at = Some(part.len() as u32 + marker.start - start as u32);
        }
        part.push_str(text.get(start..span.end as usize).unwrap_or(""));
        part.push('\n');
    }
    match at {
        Some(start) => (part, Span::new(start, start + marker.len())),
        None => everything(),
    }
}

/// The functions nearest to the marker that are like what is written.
fn near(module: &ast::Module, marker: Span, prefix: &str) -> Set<Name> {
    let prefix = prefix.to_ascii_lowercase();
    let fns = module.items.iter().filter_map(|item| match item {
        Item::Fn(decl) if decl.name.name.to_ascii_lowercase().contains(&prefix) => Some(decl),
        _ => None,
    });
    let mut fns: Vec<&ast::FnDecl> = fns.collect();
    strand_source::sort_by_key(&mut fns, |decl| decl.span.start.abs_diff(marker.start));
    let nearest = fns.iter().take(MOST_SIGNATURES);
    nearest.map(|decl| decl.name.name.clone()).collect()
}

/// Whether a function can be called by what its signature says.
fn is_typed(decl: &ast::FnDecl) -> bool {
    let typed = |param: &ast::Param| param.ty.is_some() && param.mutable.is_none();
    decl.result.is_some() && !decl.params.is_empty() && decl.params.iter().all(typed)
}

/// The statement at the marker as a line of its own: its text before and after the marker, and
/// where it stands. Of one with a block the header.
fn site(text: &str, module: &ast::Module, marker: Span) -> Option<(String, String, Span)> {
    let split = |span: Span, before: &str, after: &str| {
        let head = text.get(span.start as usize..marker.start as usize)?;
        let tail = text.get(marker.end as usize..span.end as usize)?;
        Some(([before, head].concat(), [tail, after].concat()))
    };
    let found = module.items.iter().find_map(|item| match item {
        Item::Fn(decl) => in_body(&decl.body, marker),
        Item::Model(model) => {
            let mut methods = model.methods.iter();
            methods.find_map(|method| in_body(&method.body, marker))
        }
        Item::Stmt(stmt) => in_stmts(std::slice::from_ref(stmt), marker),
        _ => None,
    })?;
    let (head, tail) = match &found {
        Site::Whole(span) => split(*span, "", ""),
        Site::Header(header, _) => split(*header, "", "\n  pass"),
        Site::Condition(condition, word, _) => split(*condition, word, ":\n  pass"),
    }?;
    let span = match found {
        Site::Whole(span) | Site::Header(_, span) | Site::Condition(_, _, span) => span,
    };
    Some((head, tail, span))
}

/// The piece of a statement that is tried, and the statement where it is more.
enum Site {
    Whole(Span),
    Header(Span, Span),
    Condition(Span, &'static str, Span),
}

fn in_body(body: &FnBody, marker: Span) -> Option<Site> {
    match body {
        FnBody::Expr(value) if value.span.contains(marker) => Some(Site::Whole(value.span)),
        FnBody::Block(stmts) => in_stmts(stmts, marker),
        _ => None,
    }
}

fn in_stmts(stmts: &[Stmt], marker: Span) -> Option<Site> {
    let stmt = stmts.iter().find(|stmt| stmt.span.contains(marker))?;
    match &stmt.kind {
        StmtKind::For { header, body, .. } => match header.contains(marker) {
            true => Some(Site::Header(*header, stmt.span)),
            false => in_stmts(body, marker),
        },
        StmtKind::While { condition, body } => match condition.span.contains(marker) {
            true => Some(Site::Condition(condition.span, "while ", stmt.span)),
            false => in_stmts(body, marker),
        },
        StmtKind::If {
            branches,
            otherwise,
        } => {
            let condition = branches.iter().map(|(condition, _)| condition.span);
            let mut conditions = condition.filter(|span| span.contains(marker));
            if let Some(span) = conditions.next() {
                return Some(Site::Condition(span, "if ", stmt.span));
            }
            let blocks = branches.iter().map(|(_, block)| block.as_slice());
            let last = otherwise.as_deref();
            blocks.chain(last).find_map(|block| in_stmts(block, marker))
        }
        StmtKind::With { body, .. } => in_stmts(body, marker),
        StmtKind::Error => None,
        _ => Some(Site::Whole(stmt.span)),
    }
}
