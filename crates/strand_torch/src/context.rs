//! What the writing of a module needs everywhere: the program, its text, names, imports.

use strand_ir::{Body, ExprKind, FnId, Program, Stmt, StmtKind, SymbolId, Symbols};
use strand_ops::{Class, OpId};
use strand_source::{Set, Span};

use crate::aliases::Lent;
use crate::names::{IMPORTED, ModuleNames};
use crate::source::Source;

/// What the text must import and define.
#[derive(Default)]
pub(crate) struct Needs {
    pub(crate) functional: Set<&'static str>,
    pub(crate) externs: Set<u32>,
    pub(crate) imports: Set<u32>,
    /// `_check`: a value check that also runs under torch.vmap.
    pub(crate) check: bool,
    /// `_fail`: raises in an expression.
    pub(crate) fail: bool,
    /// `_reduceat`: reductions of the parts of an axis.
    pub(crate) reduceat: bool,
    /// The sizes of models that methods read.
    pub(crate) model_sizes: Set<SymbolId>,
}

pub(crate) struct Context<'a> {
    pub(crate) program: &'a Program,
    pub(crate) source: Source<'a>,
    pub(crate) names: ModuleNames,
    pub(crate) needs: Needs,
    /// Functions that use dropout, themselves or through calls.
    drops: Set<FnId>,
    /// Whether nothing but draws with seeds of their own reads PyTorch's own generator.
    pub(crate) seeds_own: bool,
    pub(crate) lent: Lent,
}

impl<'a> Context<'a> {
    pub(crate) fn new(program: &'a Program, text: &'a str) -> Self {
        let imported: Vec<OpId> = IMPORTED
            .iter()
            .copied()
            .filter(|op| uses_op(program, *op))
            .collect();
        let has_script = !program.script.stmts.is_empty();
        Self {
            names: ModuleNames::new(program, &imported, has_script),
            source: Source::new(text),
            needs: Needs::default(),
            drops: functions_that_drop(program),
            seeds_own: program.imports.is_empty()
                && program.externs.is_empty()
                && !uses_op(program, OpId::Dropout),
            lent: Lent::new(program),
            program,
        }
    }

    pub(crate) fn symbols(&self) -> &'a Symbols {
        &self.program.symbols
    }

    /// Whether a function takes `training`.
    pub(crate) fn takes_mode(&self, id: FnId) -> bool {
        self.drops.contains(&id)
    }
}

/// Every body that is written as text, with its function.
pub(crate) fn bodies(program: &Program) -> Vec<(Option<FnId>, &Body)> {
    let functions = program.functions.iter().enumerate();
    let mut all: Vec<(Option<FnId>, &Body)> = functions
        .filter_map(|(at, function)| Some((Some(FnId(at as u32)), function.written_body()?)))
        .collect();
    all.push((None, &program.script));
    all
}

fn each_op(stmts: &[Stmt], f: &mut dyn FnMut(&ExprKind)) {
    for stmt in stmts {
        stmt.each_expr(&mut |expr| f(&expr.kind));
    }
}

fn uses_op(program: &Program, wanted: OpId) -> bool {
    let mut found = false;
    for (_, body) in bodies(program) {
        each_op(&body.stmts, &mut |kind| {
            found |= matches!(kind, ExprKind::Op { op, .. } if *op == wanted);
        });
    }
    found
}

fn functions_that_drop(program: &Program) -> Set<FnId> {
    let mut drops: Set<FnId> = Set::new();
    loop {
        let before = drops.len();
        for (id, body) in bodies(program) {
            let Some(id) = id else { continue };
            // A `with` in it sets the mode of what stands there.
            let mut set: Vec<Span> = Vec::new();
            for stmt in &body.stmts {
                stmt.each(&mut |stmt| {
                    if let StmtKind::With { .. } = stmt.kind {
                        set.push(stmt.span);
                    }
                });
            }
            let mut found = false;
            for stmt in &body.stmts {
                stmt.each_expr(&mut |expr| {
                    let drops = match &expr.kind {
                        ExprKind::Op { op, .. } => op.op().class == Class::Dropout,
                        ExprKind::Call { function, .. } => drops.contains(function),
                        _ => false,
                    };
                    found |= drops && !set.iter().any(|with| with.contains(expr.span));
                });
            }
            if found {
                drops.insert(id);
            }
        }
        if drops.len() == before {
            return drops;
        }
    }
}
