//! What calls change: a variable that a call changes is named once in its statement (E0705), and
//! such a call stands where it is sure to run.

use strand_ir::{Child, Expr, ExprKind, LocalId, Program, Stmt, StmtKind, Type};
use strand_ops::OpId;
use strand_source::{Code, Diagnostic, Map, Span};

use crate::context::Checker;

/// The variable, and the fields from it on, that an expression names.
pub(crate) fn place_of(expr: &Expr) -> Option<(LocalId, Vec<usize>)> {
    match &expr.kind {
        ExprKind::Local(local) => Some((*local, Vec::new())),
        ExprKind::Field { base, field } => {
            let (local, mut path) = place_of(base)?;
            path.push(*field);
            Some((local, path))
        }
        _ => None,
    }
}

/// Reports E0705 for every statement that names a changed variable twice, and for calls that
/// change a variable and may not run.
pub(crate) fn check(checker: &mut Checker<'_>) {
    let mut found = Vec::new();
    let program = &checker.program;
    if !program
        .functions
        .iter()
        .any(|f| f.params.iter().any(|p| p.mutable))
    {
        return;
    }
    let functions = program.functions.iter().flat_map(|f| &f.instances);
    for body in functions.chain(std::iter::once(&program.script)) {
        for stmt in &body.stmts {
            stmt.each(&mut |stmt| statement(stmt, program, &mut found));
        }
    }
    for finding in found {
        checker.report(finding);
    }
}

/// A variable or field that is named in a statement.
struct Mention {
    path: Vec<usize>,
    span: Span,
    changed: bool,
}

#[derive(Default)]
struct Mentions {
    of: Map<LocalId, Vec<Mention>>,
    /// Calls that change something in a branch of an expression.
    unsure: Vec<Span>,
}

fn statement(stmt: &Stmt, program: &Program, found: &mut Vec<Diagnostic>) {
    let mut mentions = Mentions::default();
    stmt.each_child(&mut |child| mentions.child(child, program, false));
    if let StmtKind::SetIndex { local, .. } = stmt.kind {
        mentions.add(local, Vec::new(), stmt.span, false);
    }
    for span in mentions.unsure {
        let message = "this call may not run, so it can't change a variable here";
        let finding = Diagnostic::new(Code::E0705, span, message)
            .note("Call it in a statement of its own, or in an `if`.");
        found.push(finding);
    }
    for named in mentions.of.values() {
        let twice = named.iter().enumerate().find_map(|(at, changed)| {
            let others = named.iter().enumerate().filter(|(other, _)| *other != at);
            let mut others = others.map(|(_, other)| other);
            let clash = others.find(|other| {
                other.path.starts_with(&changed.path) || changed.path.starts_with(&other.path)
            });
            clash
                .filter(|_| changed.changed)
                .map(|other| (changed, other))
        });
        if let Some((changed, other)) = twice {
            let (first, second) = if changed.span.start <= other.span.start {
                (changed.span, other.span)
            } else {
                (other.span, changed.span)
            };
            let message = "a variable that a call changes stands only once in a statement";
            let finding = Diagnostic::new(Code::E0705, second, message)
                .label(first, "here already")
                .note("Bind the other value first, in a statement before this one.");
            found.push(finding);
        }
    }
}

impl Mentions {
    fn add(&mut self, local: LocalId, path: Vec<usize>, span: Span, changed: bool) {
        let mention = Mention {
            path,
            span,
            changed,
        };
        self.of.get_or_default(local).push(mention);
    }

    fn child(&mut self, child: Child<'_>, program: &Program, unsure: bool) {
        match child {
            Child::Expr(expr) => self.expr(expr, program, unsure),
            // E2403 is said of what changes something there.
            Child::Lambda(lambda) => self.expr(&lambda.body, program, false),
        }
    }

    fn expr(&mut self, expr: &Expr, program: &Program, unsure: bool) {
        if let Some((local, path)) = place_of(expr) {
            return self.add(local, path, expr.span, false);
        }
        match &expr.kind {
            ExprKind::Call { function, args, .. } => {
                let params = &program.function(*function).params;
                for (at, arg) in args.iter().enumerate() {
                    let mutable = params.get(at).is_some_and(|param| param.mutable);
                    match place_of(arg).filter(|_| mutable) {
                        Some((local, path)) => {
                            self.add(local, path, arg.span, true);
                            if unsure {
                                self.unsure.push(expr.span);
                            }
                        }
                        None => self.expr(arg, program, unsure),
                    }
                }
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition, program, unsure);
                self.expr(then, program, true);
                self.expr(otherwise, program, true);
            }
            // Of tensors both sides are computed.
            ExprKind::Op {
                op: OpId::And | OpId::Or,
                args,
                ..
            } if matches!(expr.ty, Type::Host(_)) => {
                for (at, arg) in args.iter().enumerate() {
                    self.expr(arg, program, unsure || at > 0);
                }
            }
            _ => expr.each_child(&mut |child| self.child(child, program, unsure)),
        }
    }
}
