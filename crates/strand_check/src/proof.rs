//! Fixes are proven: one is kept only if the text with it has an error fewer and none that is new.
//!
//! Where none is so good, those are kept that mend their error and show one that it hid, further down: what had no type
//! before the fix couldn't be found wrong. They say where it is.
//!
//! Only what an edit can reach is read again: the edited function with those that it calls, or the
//! script with its functions, cut out of the text.

use strand_ir::{Host, Type};
use strand_source::{Code, Diagnostic, Fix, Map, Severity, Span};
use strand_syntax::ast::{Item, Module, Name};

use crate::{Checked, graph};

/// How much text is read again to prove fixes.
const MOST_BYTES: usize = 200_000;
/// How often text is read again to prove fixes.
const MOST_CHECKS: usize = 64;

/// How many findings of each code there are.
pub(crate) type Counts = Map<Code, usize>;

/// Takes away the fixes that don't mend, and fills in what the others give. Fixes past the bound
/// of work are taken away too.
pub(crate) fn prove(text: &str, module: &Module, checked: &mut Checked) {
    if checked
        .diagnostics
        .iter()
        .all(|found| found.fixes.is_empty())
    {
        return;
    }
    let mut proofs = Proofs::new(text, module);
    for found in &mut checked.diagnostics {
        let code = found.code;
        let fixes = std::mem::take(&mut found.fixes);
        let kept = fixes.into_iter().filter_map(|fix| proofs.proven(fix, code));
        // What stands before the finding wasn't hidden by it: the fix itself is what breaks it.
        let start = found.span.start;
        let kept = kept.filter(|fix| fix.leaves.is_none_or(|place| place.start > start));
        found.fixes = kept.collect();
        if found.fixes.iter().any(|fix| fix.leaves.is_none()) {
            found.fixes.retain(|fix| fix.leaves.is_none());
        }
        if !found.fixes.is_empty() {
            found.free = axis_names(&checked.program, found.span);
        }
    }
    let stands = |found: &Diagnostic| !is_edit(found.code) || !found.fixes.is_empty();
    checked.diagnostics.retain(stands);
}

/// The axis names of the function around a place.
fn axis_names(program: &strand_ir::Program, place: Span) -> Vec<String> {
    let mut functions = program.functions.iter();
    let around = functions.find(|function| function.span.contains(place));
    let names = around.map(|function| function.axis_names.as_slice());
    let names = names.unwrap_or_default().iter();
    names
        .map(|symbol| program.symbols.name(*symbol).to_owned())
        .collect()
}

/// The part of a text that an edit can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    All,
    Script,
    Function(usize),
}

/// What is cut out of a text, in its order.
#[derive(Default)]
struct Cut {
    text: String,
    /// The pieces: where they stand in the whole text, and where they start here.
    pieces: Vec<(Span, u32)>,
}

impl Cut {
    fn add(&mut self, piece: Span, whole: &str) {
        self.pieces.push((piece, self.text.len() as u32));
        self.text.push_str(piece.text(whole));
        self.text.push('\n');
    }

    /// The place here of a piece of the whole text.
    fn here(&self, span: Span) -> Option<Span> {
        let last = self
            .pieces
            .partition_point(|(piece, _)| piece.start <= span.start);
        let (piece, start) = self.pieces.get(last.checked_sub(1)?)?;
        let at = |offset: u32| offset - piece.start + start;
        piece
            .contains(span)
            .then(|| Span::new(at(span.start), at(span.end)))
    }

    /// The place in the whole text of a piece here.
    fn there(&self, span: Span) -> Option<Span> {
        let last = self
            .pieces
            .partition_point(|(_, start)| *start <= span.start);
        let (piece, start) = self.pieces.get(last.checked_sub(1)?)?;
        let at = |offset: u32| (offset - start + piece.start).min(piece.end);
        Some(Span::new(at(span.start), at(span.end)))
    }

    /// A fix of the whole text as one of this.
    fn fix(&self, fix: &Fix) -> Option<Fix> {
        let mut here = fix.clone();
        for edit in &mut here.edits {
            edit.span = self.here(edit.span)?;
        }
        Some(here)
    }
}

/// A part of the text.
struct Part {
    cut: Cut,
    counts: Counts,
    /// The errors by code and place.
    errors: Vec<(Code, u32)>,
}

pub(crate) struct Proofs<'t> {
    text: &'t str,
    module: &'t Module,
    functions: Map<Name, usize>,
    parts: Map<Reach, Part>,
    bytes: usize,
    checks: usize,
}

impl<'t> Proofs<'t> {
    pub(crate) fn new(text: &'t str, module: &'t Module) -> Self {
        let items = module.items.iter().enumerate();
        let functions = items.filter_map(|(at, item)| match item {
            Item::Fn(decl) => Some((decl.name.name.clone(), at)),
            _ => None,
        });
        Self {
            text,
            module,
            functions: functions.collect(),
            parts: Map::new(),
            bytes: MOST_BYTES,
            checks: MOST_CHECKS,
        }
    }

    fn proven(&mut self, mut fix: Fix, code: Code) -> Option<Fix> {
        if self.checks == 0 {
            return None;
        }
        let reach = self.reach(&fix);
        if !self.parts.contains_key(&reach) {
            let part = self.part(reach)?;
            self.parts.insert(reach, part);
        }
        self.spend(self.parts.get(&reach)?.cut.text.len())?;
        let part = self.parts.get(&reach)?;
        let here = part.cut.fix(&fix)?;
        let edited = here.apply(&part.cut.text)?;
        let parse = strand_syntax::parse(&edited);
        let mut mended = crate::typed_for_proof(&edited, &parse.module, parse.diagnostics);
        mended.settle();
        if !is_better(code, &part.counts, &counts(&mended.diagnostics)) {
            let shown = shown_by(&here, code, &part.errors, &mended.diagnostics)?;
            fix.leaves = Some(part.cut.there(shown)?);
        } else if code.severity() == Severity::Error {
            let warned = warned_by(&here, &part.counts, &mended.diagnostics);
            fix.leaves = warned.and_then(|place| part.cut.there(place));
        }
        if fix.gives.is_none() {
            let ty = edited_span(&here).and_then(|span| type_at(&mended.hovers, span));
            let says = |ty: &&Type| !matches!(ty, Type::Nothing | Type::Host(Host::Str));
            let ty = ty.filter(says);
            fix.gives = ty.map(|ty| mended.show(ty));
        }
        Some(fix)
    }

    fn spend(&mut self, bytes: usize) -> Option<()> {
        self.checks = self.checks.checked_sub(1)?;
        self.bytes = self.bytes.checked_sub(bytes)?;
        Some(())
    }

    fn reach(&self, fix: &Fix) -> Reach {
        let whole = fix.edits.iter().map(|edit| edit.span).reduce(Span::to);
        whole.map_or(Reach::All, |whole| self.reach_of(whole))
    }

    /// What edits in a piece can reach: a function with types and a result is known to others by
    /// its signature alone.
    pub(crate) fn reach_of(&self, whole: Span) -> Reach {
        let items = &self.module.items;
        let last = items.partition_point(|item| item.span().start <= whole.start);
        let at = last.checked_sub(1);
        let found = at.and_then(|at| Some((at, items.get(at)?)));
        let found = found.filter(|(_, item)| item.span().contains(whole));
        match found {
            Some((_, Item::Stmt(_))) => Reach::Script,
            Some((at, Item::Fn(decl))) => {
                let typed = decl.params.iter().all(|param| param.ty.is_some());
                if typed && decl.result.is_some() && whole.start >= decl.signature.end {
                    Reach::Function(at)
                } else {
                    Reach::All
                }
            }
            _ => Reach::All,
        }
    }

    fn part(&mut self, reach: Reach) -> Option<Part> {
        let cut = self.cut(reach);
        self.spend(cut.text.len())?;
        let found = crate::findings(&cut.text);
        Some(Part {
            cut,
            counts: counts(&found),
            errors: places(&found),
        })
    }

    /// The items that a part needs, and the functions that `also` calls with itself; `None` if all
    /// of them.
    pub(crate) fn kept(&self, reach: Reach, also: Option<&str>) -> Option<Vec<bool>> {
        if reach == Reach::All {
            return None;
        }
        let items = &self.module.items;
        let mut kept = vec![false; items.len()];
        let also = also.and_then(|name| self.functions.get(name).copied());
        let mut open = Vec::from_iter(also);
        for (at, item) in items.iter().enumerate() {
            match item {
                Item::Fn(_) if reach == Reach::Function(at) => open.push(at),
                Item::Fn(_) => {}
                Item::Stmt(stmt) if reach == Reach::Script => {
                    kept[at] = true;
                    let calls = graph::calls_of_stmt(stmt, &self.functions);
                    open.extend(calls.iter().map(|edge| edge.to));
                }
                Item::Stmt(_) => {}
                _ => kept[at] = true,
            }
        }
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut kept[at], true) {
                continue;
            }
            if let Item::Fn(decl) = &items[at] {
                let calls = graph::calls_of(&decl.body, &self.functions);
                open.extend(calls.iter().map(|edge| edge.to));
            }
        }
        Some(kept)
    }

    /// The statements and functions that a part needs, and all other declarations.
    fn cut(&self, reach: Reach) -> Cut {
        let mut cut = Cut::default();
        let Some(kept) = self.kept(reach, None) else {
            cut.add(Span::new(0, self.text.len() as u32), self.text);
            return cut;
        };
        let items = self.module.items.iter().zip(&kept);
        for (item, _) in items.filter(|(_, kept)| **kept) {
            cut.add(item.span(), self.text);
        }
        cut
    }
}

pub(crate) fn counts(found: &[Diagnostic]) -> Counts {
    let mut counts = Counts::new();
    for diagnostic in found {
        *counts.get_or_insert_with(diagnostic.code, || 0) += 1;
    }
    counts
}

/// Whether a hint is withheld unless its edit checks.
fn is_edit(code: Code) -> bool {
    matches!(code, Code::H2401 | Code::H2402)
}

/// Whether a finding of `code` is gone and no other error came.
fn is_better(code: Code, before: &Counts, after: &Counts) -> bool {
    let of = |counts: &Counts, code| counts.get(&code).copied().unwrap_or(0);
    // These hints aren't looked for again.
    let gone = is_edit(code) || of(after, code) < of(before, code);
    gone && errors_within(after, before)
}

/// The errors by code and place.
fn places(found: &[Diagnostic]) -> Vec<(Code, u32)> {
    let errors = found.iter().filter(|found| found.is_error());
    errors.map(|found| (found.code, found.span.start)).collect()
}

/// The place, in the text before the edits, of the one error that a fix shows: the fix mends its finding, and what is new
/// stands on a later line, where it was hidden.
fn shown_by(fix: &Fix, code: Code, before: &[(Code, u32)], after: &[Diagnostic]) -> Option<Span> {
    // Only what spoils a type can hide something.
    let family = code.as_str().get(..3)?;
    if !matches!(family, "E04" | "E05" | "E06") && code != Code::E2401 {
        return None;
    }
    let edited = edited_span(fix)?;
    let last = fix.edits.iter().map(|edit| edit.span.end).max()?;
    let moved = i64::from(edited.end) - i64::from(last);
    let old = |at: u32| {
        if at < edited.start {
            return Some(at);
        }
        u32::try_from(i64::from(at) - moved)
            .ok()
            .filter(|at| *at >= last)
    };
    let mut new = Vec::new();
    for found in after.iter().filter(|found| found.is_error()) {
        let place = old(found.span.start)?;
        if !before.contains(&(found.code, place)) {
            new.push(Span::new(place, place + found.span.len()));
        }
    }
    let [shown] = new.as_slice() else { return None };
    let is_gone = before.len() == places(after).len() && before.iter().any(|(of, _)| *of == code);
    (is_gone && shown.start > last).then_some(*shown)
}

/// The place of a warning that comes with a fix, on a later line.
fn warned_by(fix: &Fix, before: &Counts, after: &[Diagnostic]) -> Option<Span> {
    let of = |code: Code| before.get(&code).copied().unwrap_or(0);
    let last = fix.edits.iter().map(|edit| edit.span.end).max()?;
    let moved = i64::from(edited_span(fix)?.end) - i64::from(last);
    let all = counts(after);
    let new = after.iter().find(|found| {
        let more = all
            .get(&found.code)
            .is_some_and(|count| *count > of(found.code));
        found.severity() == Severity::Warning && more
    })?;
    let place = u32::try_from(i64::from(new.span.start) - moved).ok()?;
    (place > last).then(|| Span::new(place, place + new.span.len()))
}

/// Whether there are no more errors of any code than before.
pub(crate) fn errors_within(after: &Counts, before: &Counts) -> bool {
    let of = |code| before.get(code).copied().unwrap_or(0);
    let mut errors = after
        .iter()
        .filter(|(code, _)| code.severity() == Severity::Error);
    errors.all(|(code, count)| *count <= of(code))
}

/// Where the edited piece stands in the edited text.
fn edited_span(fix: &Fix) -> Option<Span> {
    let mut edits: Vec<_> = fix.edits.iter().collect();
    strand_source::sort_by_key(&mut edits, |edit| edit.span);
    let start = edits.first()?.span.start;
    let mut end = i64::from(edits.last()?.span.end);
    for edit in &edits {
        end += edit.text.len() as i64 - i64::from(edit.span.len());
    }
    Some(Span::new(start, u32::try_from(end).ok()?))
}

/// The type of the piece, or of the smallest expression around it; around where something was
/// left out stands what lies on both sides.
fn type_at(hovers: &[(Span, Type)], span: Span) -> Option<&Type> {
    let holds = |place: Span| {
        let around = place.start < span.start && span.end < place.end;
        place.contains(span) && (around || !span.is_empty())
    };
    let around = hovers.iter().filter(|(place, _)| holds(*place));
    let smallest = around.min_by_key(|(place, _)| place.len())?;
    Some(&smallest.1)
}
