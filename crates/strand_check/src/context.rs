//! What the checker knows while it types a text.

use strand_ir::{
    Axis, Expr, ExternId, FnId, ImportId, Local, LocalId, LocalKind, ModelId, Origin, Program,
    Size, SymbolId, SymbolInfo, SymbolKind, TensorType, Type,
};
use strand_ops::DType;
use strand_source::{Code, Diagnostic, LineIndex, Map, Set, Span, Spans};
use strand_syntax::ast::{self, Name};

use crate::early::Early;
use crate::independence::Summary;
use crate::scope::Scope;
use crate::{Checked, Hover, Inlay};

/// How many characters a message has at most: a line of a list.
pub(crate) const MESSAGE: usize = 80;

/// A message that quotes long pieces of a text, and what doesn't fit its line: the words after its
/// last `:` or `;`, as a sentence. Without these it is cut.
fn one_line(message: &str) -> (String, Option<String>) {
    let flat: String = message
        .chars()
        .map(|c| if c == '\n' { ' ' } else { c })
        .collect();
    if flat.chars().count() <= MESSAGE {
        return (flat, None);
    }
    let clause = flat.rmatch_indices([':', ';']).map(|(at, _)| at);
    let outside = |at: &usize| {
        let head = flat.get(..*at).unwrap_or("");
        let quoted = head.matches('`').count() % 2 == 1;
        let words = flat.get(at + 1..).is_some_and(|rest| rest.starts_with(' '));
        words && !quoted && head.chars().count() <= MESSAGE
    };
    if let Some(at) = clause.into_iter().find(outside) {
        let (head, rest) = flat.split_at(at);
        let rest = rest.trim_start_matches([':', ';', ' ']);
        let mut letters = rest.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        let sentence = first.into_iter().chain(letters).collect::<String>();
        return (head.to_owned(), Some(sentence + "."));
    }
    let kept: String = flat.chars().take(MESSAGE - 3).collect();
    (format!("{}...", kept.trim_end()), None)
}

/// How many findings a text may have before unknown names get no nearest one.
const SUGGEST_BELOW: usize = 100;

/// The state of checking one text.
pub(crate) struct Checker<'a> {
    pub(crate) text: &'a str,
    pub(crate) lines: LineIndex<'a>,
    pub(crate) program: Program,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// What lacks its end: see [`ast::Module::unfinished`].
    pub(crate) unfinished: Spans,
    /// The errors of the parser, by [`Self::parsed_at`].
    pub(crate) parsed: Vec<Code>,
    /// Where they stand.
    pub(crate) parsed_at: Spans,
    pub(crate) inlays: Vec<Inlay>,
    pub(crate) hovers: Vec<(Span, Type)>,
    pub(crate) globals: Globals,
    /// What is known of each function beside its entry in the program, by its id.
    pub(crate) functions: Vec<FunctionState<'a>>,
    /// The functions, what is called first.
    pub(crate) order: Vec<FnId>,
    /// What each function does beside computing a value, once that is known.
    pub(crate) summaries: Map<FnId, Option<Summary>>,
    /// The names that the script binds, for what functions say that read them.
    pub(crate) script_names: Set<Name>,
    /// How deep expressions and bodies are nested while they are typed.
    pub(crate) depth: u32,
    /// Where the stack stood when typing began.
    pub(crate) stack: usize,
    /// The body that is being typed.
    pub(crate) body: BodyState,
    /// Above 0 while a body is typed again only to learn its types (joins of loops, bodies of
    /// untyped functions): findings, inlays, hovers and chains are dropped.
    pub(crate) silent: u32,
    /// Unknown names get the nearest known one only below so many findings: the search goes
    /// through every name.
    pub(crate) suggest_below: usize,
    /// Calls in stages' functions that aren't part of the typed program, because they give nothing.
    pub(crate) dropped_calls: Vec<Expr>,
    /// What is written in PyTorch's or NumPy's spelling, for what stands around it.
    pub(crate) spelled: Vec<crate::habits::Spelled>,
    /// What is looked for at a caret, where the text is read for one.
    pub(crate) caret: Option<crate::trials::AtCaret<'a>>,
    /// What was found in functions that were typed at a call of them.
    pub(crate) early: Early,
    /// The factors of axes that are written as products, by the places of these.
    pub(crate) products: Map<Span, Vec<Axis>>,
    /// How axis names and dims came to be.
    pub(crate) origins: Map<SymbolId, Origin>,
    /// The factors of dims that are declared as products.
    pub(crate) dim_products: Map<SymbolId, Vec<Axis>>,
    /// Models with sizes that have no fields yet.
    pub(crate) unfilled: Vec<ModelId>,
    /// Whether models of too many sizes were reported.
    pub(crate) models_full: bool,
    /// Whether the fields of every declared model are typed.
    pub(crate) models_typed: bool,
    /// Whether models with sizes are being given their fields.
    pub(crate) models_filling: bool,
}

/// What is known of a function while the text is typed.
pub(crate) struct FunctionState<'a> {
    /// Its declaration.
    pub(crate) decl: &'a ast::FnDecl,
    /// The axis names of its signature.
    pub(crate) axis_names: Map<Name, SymbolId>,
    /// The result type as written.
    pub(crate) declared: Option<Type>,
    /// The model whose method it is.
    pub(crate) model: Option<ModelId>,
    /// The findings of its signature.
    pub(crate) found: std::ops::Range<usize>,
    /// Whether its body was typed, or is being typed.
    pub(crate) begun: bool,
    /// Whether its body is being typed.
    pub(crate) open: bool,
    /// Whether its signature or construct is wrong, so that calls of it give the type of something
    /// wrong.
    pub(crate) broken: bool,
    /// Where it goes on without a value although it gives one elsewhere, or gives none (E0708).
    pub(crate) partial: bool,
    /// Whether it needs a mode set by its caller (dropout).
    pub(crate) needs_mode: bool,
    /// The bodies of an untyped function by the types it is called with; `None` where it can't be
    /// called so.
    pub(crate) instances: Vec<(Vec<Type>, Option<usize>)>,
}

/// The declared names. Functions and variables are apart.
#[derive(Default)]
pub(crate) struct Globals {
    pub(crate) dims: Map<Name, SymbolId>,
    pub(crate) functions: Map<Name, FnId>,
    pub(crate) externs: Map<Name, ExternId>,
    pub(crate) imports: Map<Name, ImportId>,
    pub(crate) models: Map<Name, ModelId>,
}

/// What is known inside one body (a function's, or the script).
#[derive(Default)]
pub(crate) struct BodyState {
    /// The function whose body it is; `None` for the script.
    pub(crate) function: Option<FnId>,
    pub(crate) locals: Vec<Local>,
    /// The parameters that are host values, while a signature is read: none of them is a size.
    pub(crate) host_params: Map<Name, Type>,
    /// Variables in scope with their present types, innermost scope last.
    pub(crate) scopes: Vec<Scope>,
    /// Axis names in scope: of the signature, and those that `as` bound.
    pub(crate) axis_names: Map<Name, SymbolId>,
    /// Where the result type is written.
    pub(crate) result_span: Span,
    /// The declared result, where there is one.
    pub(crate) result: Option<Type>,
    /// The name that the statement now being typed will bind for the first time (E2402).
    pub(crate) pending: Vec<Name>,
    /// The expression that is a statement of its own, while it is typed.
    pub(crate) alone: Span,
    /// How many lambdas enclose the expression being typed.
    pub(crate) lambdas: u32,
    /// How many pipes enclose the expression being typed, its own included.
    pub(crate) pipes: u32,
    /// The unknown sizes of masks: one for every use of a variable whose value comes from just
    /// the binding at that place (decision 21).
    pub(crate) masks: Map<(LocalId, Span), Size>,
    /// Names whose value is the result of a map or filter (decision 35).
    pub(crate) iterated: Map<LocalId, bool>,
    /// The nesting of `for` and `while` (for break and continue).
    pub(crate) loops: u32,
    /// The mode set by `with train:` or `with eval:`.
    pub(crate) mode: Option<bool>,
    /// The function's chains so far.
    pub(crate) chains: Vec<strand_ir::ChainInfo>,
    /// What statements changed, so that branches and loops can go back.
    pub(crate) journal: Vec<Change>,
    /// Names that are bound somewhere but not on every path, with that place and the reason.
    pub(crate) lost: Map<Name, (Span, &'static str)>,
    /// Bindings of host numbers that are `[]` tensors from the start.
    pub(crate) raised: Map<Span, DType>,
    /// Whether `raised` grew while the body was typed, so that it must be typed again.
    pub(crate) raised_grew: bool,
    /// Bindings of host numbers that can become `[]` tensors.
    pub(crate) raisable: Set<Span>,
    /// The types of variables at the heads of loops, by the loop's place.
    pub(crate) heads: Map<Span, Map<Name, Type>>,
    /// Variables whose types at a loop's head and end differ, by the loop's place.
    pub(crate) clashes: Map<Span, Map<Name, Diagnostic>>,
    /// Unknown sizes that joins made: any size joins to them.
    pub(crate) absorbing: Set<SymbolId>,
    /// What each enclosing loop binds.
    pub(crate) loop_names: Vec<LoopNames>,
    /// What `break` and `continue` leave of each enclosing loop.
    pub(crate) exits: Vec<LoopExits>,
    /// What the body's `return`s give.
    pub(crate) returns: Vec<(Type, Span)>,
    /// Whether it is the body of an untyped function.
    pub(crate) untyped: bool,
    /// Whether it uses dropout outside `with train:` and `with eval:`.
    pub(crate) needs_mode: bool,
    /// How many births it has had.
    pub(crate) births: u32,
    /// How many findings there were before it.
    pub(crate) found_before: usize,
}

/// A variable in scope.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) local: LocalId,
    pub(crate) ty: Type,
    /// The bindings that its value may come from.
    pub(crate) bound_at: Vec<Span>,
}

/// A change of a variable by a statement: what it was before.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) name: Name,
    pub(crate) before: Option<Variable>,
    pub(crate) iterated: bool,
}

/// The names that the statements of a loop's body bind, at any depth.
#[derive(Clone, Debug)]
pub(crate) struct LoopNames {
    /// Where the body stands.
    pub(crate) span: Span,
    /// The names.
    pub(crate) names: Set<Name>,
}

impl LoopNames {
    /// The names that a loop's body binds.
    pub(crate) fn of(body: &[ast::Stmt]) -> Self {
        let whole = body.iter().map(|stmt| stmt.span).reduce(Span::to);
        let mut names = Vec::new();
        bound_names(body, &mut names);
        Self {
            span: whole.unwrap_or_default(),
            names: names.into_iter().collect(),
        }
    }
}

/// The names that statements bind, at any depth.
pub(crate) fn bound_names(stmts: &[ast::Stmt], names: &mut Vec<Name>) {
    for stmt in stmts {
        match &stmt.kind {
            ast::StmtKind::Assign { target, .. } | ast::StmtKind::Update { target, .. } => {
                target_names(target, names);
            }
            ast::StmtKind::For { target, body, .. } => {
                target_names(target, names);
                bound_names(body, names);
            }
            ast::StmtKind::While { body, .. } | ast::StmtKind::With { body, .. } => {
                bound_names(body, names);
            }
            ast::StmtKind::If {
                branches,
                otherwise,
            } => {
                for (_, block) in branches {
                    bound_names(block, names);
                }
                bound_names(otherwise.as_deref().unwrap_or_default(), names);
            }
            _ => {}
        }
    }
}

fn target_names(target: &ast::Target, names: &mut Vec<Name>) {
    match target {
        ast::Target::Name(name) => {
            names.push(name.name.clone());
        }
        ast::Target::Tuple(parts, _) => {
            for part in parts {
                target_names(part, names);
            }
        }
        ast::Target::Index { base, .. } => {
            if let ast::ExprKind::Name(name) = &base.kind {
                names.push(name.clone());
            }
        }
        ast::Target::Ignore(_) | ast::Target::Field { .. } | ast::Target::Error(_) => {}
    }
}

/// The variables at the places where a loop's body is left early.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoopExits {
    /// The journal's length where the body starts.
    pub(crate) mark: usize,
    /// The changed variables at each `break` and `continue`.
    pub(crate) states: Vec<Map<Name, Option<Variable>>>,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            lines: LineIndex::new(text),
            program: Program::default(),
            diagnostics: Vec::new(),
            unfinished: Spans::default(),
            parsed: Vec::new(),
            parsed_at: Spans::default(),
            inlays: Vec::new(),
            hovers: Vec::new(),
            globals: Globals::default(),
            functions: Vec::new(),
            order: Vec::new(),
            summaries: Map::new(),
            script_names: Set::new(),
            depth: 0,
            stack: crate::expressions::stack_address(),
            body: BodyState::default(),
            silent: 0,
            spelled: Vec::new(),
            suggest_below: SUGGEST_BELOW,
            dropped_calls: Vec::new(),
            caret: None,
            early: Early::default(),
            products: Map::new(),
            origins: Map::new(),
            dim_products: Map::new(),
            unfilled: Vec::new(),
            models_full: false,
            models_typed: false,
            models_filling: false,
        }
    }

    /// Takes the parser's findings, which are in the text's order.
    pub(crate) fn after_parsing(&mut self, diagnostics: Vec<Diagnostic>) {
        let mut errors: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.is_error()).collect();
        strand_source::sort_by_key(&mut errors, |found| found.span);
        self.parsed = errors.iter().map(|found| found.code).collect();
        self.parsed_at = Spans::new(errors.iter().map(|found| found.span).collect());
        self.diagnostics = diagnostics;
    }

    /// The parser's errors in a piece of the text.
    pub(crate) fn parsed_in(&self, span: Span) -> impl Iterator<Item = Code> {
        let inside = self.parsed_at.inside(span);
        inside.filter_map(|at| self.parsed.get(at).copied())
    }

    /// Whether an unknown name gets the nearest known one.
    pub(crate) fn suggests(&self) -> bool {
        self.diagnostics.len() < self.suggest_below
    }

    /// Adds a finding. Where something lacks its end, what else is wrong says nothing.
    pub(crate) fn report(&mut self, mut diagnostic: Diagnostic) {
        let guessed = self.unfinished.any_meets(diagnostic.span);
        if self.silent == 0 && !guessed {
            if diagnostic.message.len() > MESSAGE || diagnostic.message.contains('\n') {
                let (message, rest) = one_line(&diagnostic.message);
                diagnostic.message = message;
                diagnostic.notes.extend(rest);
            }
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
            self.hovers.push((span, ty.clone()));
        }
    }

    /// Notes the type shown after `at`.
    pub(crate) fn inlay(&mut self, at: u32, text: String, change: String) {
        if self.silent == 0 {
            self.inlays.push(Inlay {
                at,
                text,
                change,
                lowering: None,
            });
        }
    }

    /// A type as a program writes it.
    pub(crate) fn show(&self, ty: &Type) -> String {
        match ty {
            Type::Tensor(tensor) => self.show_tensor(tensor),
            other => self.program.display_type(other),
        }
    }

    /// A tensor's type as a program writes it.
    pub(crate) fn show_tensor(&self, ty: &TensorType) -> String {
        let symbols = &self.program.symbols;
        let plain = ty.display_shape(symbols);
        let rest = ty.display(symbols).split_off(plain.len());
        self.show_shape(ty) + &rest
    }

    /// A shape as a program writes it.
    pub(crate) fn show_shape(&self, ty: &TensorType) -> String {
        let axes: Vec<_> = ty.axes.iter().map(|axis| self.show_axis(axis)).collect();
        format!("[{}]", axes.join(" "))
    }

    /// An axis as a shape writes it; one that was written as a product with its factors in that
    /// order.
    pub(crate) fn show_axis(&self, axis: &Axis) -> String {
        let symbols = &self.program.symbols;
        let Some(factors) = self.remembered_factors(axis) else {
            return axis.display(symbols);
        };
        let factors: Vec<_> = factors.iter().map(|axis| axis.display(symbols)).collect();
        format!("({})", factors.join(" * "))
    }

    /// A size that only running the program tells, named `k1`, `k2` … past names in use.
    pub(crate) fn birth(&mut self, span: Span, story: impl Into<String>) -> Size {
        Size::symbol(self.birth_symbol(span, story.into()))
    }

    /// The symbol of a new birth.
    pub(crate) fn birth_symbol(&mut self, span: Span, story: String) -> SymbolId {
        loop {
            self.body.births += 1;
            let name: Name = format!("k{}", self.body.births).into();
            if self.symbol(&name).is_none() && self.variable(&name).is_none() {
                return self.program.symbols.add(SymbolInfo {
                    name,
                    kind: SymbolKind::Birth,
                    span,
                    story: Some(story),
                });
            }
        }
    }

    /// The axis of a dim or axis name, with how that came to be.
    pub(crate) fn axis_of(&self, symbol: SymbolId) -> Axis {
        let mut axis = Axis::named(symbol);
        if let Some(origin) = self.origins.get(&symbol) {
            axis.origin = origin.clone();
        }
        axis
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
            self.body.scopes.push(Scope::default());
        }
        if let Some(scope) = self.body.scopes.last_mut() {
            let bound_at = vec![span];
            let variable = Variable {
                local,
                ty,
                bound_at,
            };
            scope.set(name.clone(), Some(variable));
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

    /// What a piece is typed as, for a fix alone: nothing while it is typed silently already, as
    /// pieces in pieces would be typed again and again.
    pub(crate) fn tried<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.silent == 0).then(|| self.silently(work))
    }

    /// The findings in the text's order, each once.
    pub(crate) fn settle(&mut self) {
        strand_source::sort_by_key(&mut self.diagnostics, |d| {
            (d.span.start, d.span.end, d.code)
        });
        self.diagnostics.dedup();
    }

    pub(crate) fn finish(mut self) -> Checked {
        self.settle();
        let errors: Vec<Span> = self
            .diagnostics
            .iter()
            .filter(|found| found.is_error())
            .map(|found| found.span)
            .collect();
        for function in &mut self.program.functions {
            // Sorted by their starts: the first that doesn't start before the function.
            let from = errors.partition_point(|span| span.start < function.span.start);
            let inside = errors[from..].iter();
            let mut inside = inside.take_while(|span| span.start <= function.span.end);
            function.has_error = inside.any(|span| function.span.contains(*span));
        }
        strand_source::sort_by_key(&mut self.inlays, |inlay| inlay.at);
        strand_source::sort_by_key(&mut self.hovers, |(span, _)| *span);
        let hovers = std::mem::take(&mut self.hovers).into_iter();
        let hovers = hovers.map(|(span, ty)| Hover { span, ty }).collect();
        Checked {
            hovers,
            program: self.program,
            diagnostics: self.diagnostics,
            inlays: self.inlays,
        }
    }
}
