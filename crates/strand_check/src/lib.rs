//! Tree to typed program: names, sizes, axes, dtypes, domains, purity, lowerings, hints, inlays.
//!
//! Total: any tree gives a program and diagnostics. Errors don't cascade: what is wrong has the
//! type [`Type::Error`](strand_ir::Type::Error), which agrees with everything.
//!
//! Typing comes first (`declare`, `statements`, `expressions` and what they call); then passes over
//! the typed program: `independence` (effects, E2403, E2405), `lowering` (plain, vmap, masked),
//! `loops` (H2401), `products` (H2402).

mod assemble;
mod assign;
mod binding;
mod bodies;
mod broadcast;
mod builtins;
mod calls;
mod chains;
mod clash;
mod constructors;
mod context;
mod contractions;
mod convert;
mod declare;
mod declared_index;
mod dims;
mod early;
mod elementwise;
mod expressions;
mod externs;
mod fit;
mod for_loops;
mod functions;
mod graph;
mod habits;
mod heads;
mod independence;
mod index;
mod index_checks;
mod instances;
mod joins;
mod loops;
mod loose;
mod losses;
mod lowering;
mod mends;
mod methods;
mod models;
mod mutation;
mod operators;
mod over;
mod pipes;
mod products;
mod proof;
mod rearrange;
mod scope;
mod sentences;
mod signatures;
mod sized;
mod slice_fixes;
mod slices;
mod special;
mod state;
mod statements;
mod suggest;
mod torch_says;
mod trials;
mod types;
mod views;
mod weights;
mod windows;

pub use trials::{Known, Trials, Tried};

use strand_ir::Program;
use strand_source::{Diagnostic, Span};
use strand_syntax::ast::Module;

/// What the checker found.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The typed program; run and written as text only if no diagnostic is an error.
    pub program: Program,
    /// Findings of the parser and the checker in the text's order.
    pub diagnostics: Vec<Diagnostic>,
    /// Types at the ends of pipe lines.
    pub inlays: Vec<Inlay>,
    /// Types of names and expressions.
    pub hovers: Vec<Hover>,
}

/// A type shown at the end of a pipe line or head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inlay {
    /// The byte offset it follows.
    pub at: u32,
    /// The type.
    pub text: String,
    /// What the stage did to the axes: `D gone`, `n → k1, size unknown`; empty where it kept them.
    pub change: String,
    /// How a map's or filter's chain is lowered: `plain`, `vmap`, `masked`.
    pub lowering: Option<&'static str>,
}

impl Inlay {
    /// All of it as it stands at the end of a line: `[n D] plain`, `[n] vmap · D gone`.
    pub fn shown(&self) -> String {
        let mut out = self.text.clone();
        if let Some(lowering) = self.lowering {
            out.push(' ');
            out.push_str(lowering);
        }
        if !self.change.is_empty() {
            out.push_str(" · ");
            out.push_str(&self.change);
        }
        out
    }
}

/// What is known of a piece of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Hover {
    /// The piece.
    pub span: Span,
    /// Its type.
    pub ty: strand_ir::Type,
}

impl Checked {
    /// Whether a diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Reads and checks a text. Every fix is proven: applied, the text has an error fewer and none that
/// is new.
pub fn check(text: &str) -> Checked {
    let parse = strand_syntax::parse(text);
    check_module(text, &parse.module, parse.diagnostics)
}

/// Checks a tree. `diagnostics` are the parser's.
pub fn check_module(text: &str, module: &Module, diagnostics: Vec<Diagnostic>) -> Checked {
    let mut checked = check_unproven(text, module, diagnostics);
    proof::prove(text, module, &mut checked);
    checked
}

/// [`check_module`] without the proof of fixes, which may read the text several times.
pub fn check_unproven(text: &str, module: &Module, diagnostics: Vec<Diagnostic>) -> Checked {
    let mut checker = typed(text, module, diagnostics);
    let stages = lowering::decide(&mut checker.program);
    loops::hints(&mut checker);
    products::hints(&mut checker);
    pipes::show_lowerings(&stages, &mut checker.inlays);
    checker.finish()
}

/// What typing and the passes that find errors say of a text.
fn findings(text: &str) -> Vec<Diagnostic> {
    let parse = strand_syntax::parse(text);
    let mut checker = typed(text, &parse.module, parse.diagnostics);
    checker.settle();
    checker.diagnostics
}

/// The same without the nearest names.
fn findings_for_proof(text: &str) -> Vec<Diagnostic> {
    let parse = strand_syntax::parse(text);
    let mut checker = typed_for_proof(text, &parse.module, parse.diagnostics);
    checker.settle();
    checker.diagnostics
}

fn typed<'a>(
    text: &'a str,
    module: &'a Module,
    diagnostics: Vec<Diagnostic>,
) -> context::Checker<'a> {
    typed_by(context::Checker::new(text), module, diagnostics)
}

/// The same without the nearest names, which no proof of a fix needs.
fn typed_for_proof<'a>(
    text: &'a str,
    module: &'a Module,
    diagnostics: Vec<Diagnostic>,
) -> context::Checker<'a> {
    let mut checker = context::Checker::new(text);
    checker.suggest_below = 0;
    typed_by(checker, module, diagnostics)
}

fn typed_by<'a>(
    mut checker: context::Checker<'a>,
    module: &'a Module,
    diagnostics: Vec<Diagnostic>,
) -> context::Checker<'a> {
    checker.after_parsing(diagnostics);
    checker.module(module);
    mutation::check(&mut checker);
    independence::check(&mut checker);
    loose::check(&mut checker);
    weights::warnings(&mut checker);
    checker
}
