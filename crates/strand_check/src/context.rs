//! What the checker knows while it types a text.

use std::collections::{BTreeMap, HashMap};

use strand_ir::{
    Axis, ExternId, FnId, ImportId, Local, LocalId, LocalKind, ModelId, Program, Size, SymbolId,
    SymbolInfo, SymbolKind, Type,
};
use strand_source::{Code, Diagnostic, LineIndex, Span};
use strand_syntax::ast::Name;

use crate::{Checked, Hover, Inlay};

/// The state of checking one text.
pub(crate) struct Checker<'a> {
    pub(crate) text: &'a str,
    pub(crate) lines: LineIndex<'a>,
    pub(crate) program: Program,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) inlays: Vec<Inlay>,
    pub(crate) hovers: Vec<Hover>,
    pub(crate) globals: Globals,
    /// The body that is being typed.
    pub(crate) body: BodyState,
    /// Above 0 while a body is typed again only to learn its types (joins of loops, bodies of
    /// untyped functions): findings, inlays, hovers and chains are dropped.
    pub(crate) silent: u32,
    births: u32,
}

/// The declared names. Functions and variables are apart.
#[derive(Default)]
pub(crate) struct Globals {
    pub(crate) dims: HashMap<Name, SymbolId>,
    pub(crate) functions: HashMap<Name, FnId>,
    pub(crate) externs: HashMap<Name, ExternId>,
    pub(crate) imports: HashMap<Name, ImportId>,
    pub(crate) models: HashMap<Name, ModelId>,
}

/// What is known inside one body (a function's, or the script).
#[derive(Default)]
pub(crate) struct BodyState {
    /// The function whose body it is; `None` for the script.
    pub(crate) function: Option<FnId>,
    pub(crate) locals: Vec<Local>,
    /// Variables in scope with their present types, innermost scope last.
    pub(crate) scopes: Vec<BTreeMap<Name, Variable>>,
    /// Axis names in scope: of the signature, and those that `as` bound.
    pub(crate) axis_names: BTreeMap<Name, SymbolId>,
    /// The declared result, where there is one.
    pub(crate) result: Option<Type>,
    /// The name that the statement now being typed will bind for the first time (E2402).
    pub(crate) pending: Vec<Name>,
    /// How many lambdas enclose the expression being typed.
    pub(crate) lambdas: u32,
    /// Names whose value is the result of a map or filter (decision 35).
    pub(crate) iterated: BTreeMap<LocalId, bool>,
    /// The nesting of `for` and `while` (for break and continue).
    pub(crate) loops: u32,
    /// The mode set by `with train:` or `with eval:`.
    pub(crate) mode: Option<bool>,
    /// The function's chains so far.
    pub(crate) chains: Vec<strand_ir::ChainInfo>,
}

/// A variable in scope.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) local: LocalId,
    pub(crate) ty: Type,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            lines: LineIndex::new(text),
            program: Program::default(),
            diagnostics: Vec::new(),
            inlays: Vec::new(),
            hovers: Vec::new(),
            globals: Globals::default(),
            body: BodyState::default(),
            silent: 0,
            births: 0,
        }
    }

    /// Adds a finding.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.silent == 0 {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Adds a finding without labels, notes or fixes.
    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message));
    }

    /// Notes what hover says of a piece of the text.
    pub(crate) fn hover(&mut self, span: Span, ty: &Type) {
        if self.silent == 0 && !ty.is_error() {
            let ty = self.program.display_type(ty);
            self.hovers.push(Hover { span, ty });
        }
    }

    /// Notes the type shown after `at`.
    pub(crate) fn inlay(&mut self, at: u32, text: String) {
        if self.silent == 0 {
            self.inlays.push(Inlay { at, text });
        }
    }

    /// A type as a program writes it.
    pub(crate) fn show(&self, ty: &Type) -> String {
        self.program.display_type(ty)
    }

    /// An axis as a shape writes it.
    pub(crate) fn show_axis(&self, axis: &Axis) -> String {
        axis.display(&self.program.symbols)
    }

    /// A size that only running the program tells, named `k1`, `k2` … past names in use.
    pub(crate) fn birth(&mut self, span: Span, story: impl Into<String>) -> Size {
        loop {
            self.births += 1;
            let name: Name = format!("k{}", self.births).into();
            let taken = self
                .program
                .symbols
                .iter()
                .any(|(_, info)| info.name == name);
            if !taken {
                let story = Some(story.into());
                let info = SymbolInfo {
                    name,
                    kind: SymbolKind::Birth,
                    span,
                    story,
                };
                return Size::symbol(self.program.symbols.add(info));
            }
        }
    }

    /// The dim or axis name in scope.
    pub(crate) fn symbol(&self, name: &str) -> Option<SymbolId> {
        let axis = self.body.axis_names.get(name);
        axis.or_else(|| self.globals.dims.get(name)).copied()
    }

    /// The variable in scope, the innermost first.
    pub(crate) fn variable(&self, name: &str) -> Option<&Variable> {
        self.body
            .scopes
            .iter()
            .rev()
            .find_map(|scope| scope.get(name))
    }

    /// Adds a variable or parameter to the body, and to the innermost scope.
    pub(crate) fn bind(&mut self, name: &Name, kind: LocalKind, ty: Type, span: Span) -> LocalId {
        let local = LocalId(self.body.locals.len() as u32);
        self.body.locals.push(Local {
            name: name.clone(),
            kind,
            ty: ty.clone(),
            span,
        });
        if self.body.scopes.is_empty() {
            self.body.scopes.push(BTreeMap::new());
        }
        if let Some(scope) = self.body.scopes.last_mut() {
            scope.insert(name.clone(), Variable { local, ty });
        }
        local
    }

    /// Types something whose findings, inlays, hovers and chains are dropped.
    pub(crate) fn silently<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.silent += 1;
        let result = work(self);
        self.silent -= 1;
        result
    }

    pub(crate) fn finish(mut self) -> Checked {
        self.diagnostics
            .sort_by_key(|d| (d.span.start, d.span.end, d.code));
        self.diagnostics.dedup();
        self.inlays.sort_by_key(|inlay| inlay.at);
        self.hovers.sort_by_key(|hover| hover.span);
        Checked {
            program: self.program,
            diagnostics: self.diagnostics,
            inlays: self.inlays,
            hovers: self.hovers,
        }
    }
}
