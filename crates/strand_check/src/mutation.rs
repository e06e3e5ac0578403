//! What calls change: a variable that a call changes is named once in its statement (E0705), and
//! such a call stands where it is sure to run.

use strand_ir::{
    Child, Expr, ExprKind, LocalId, LocalKind, Parameter, Program, Stmt, StmtKind, Type,
};
use strand_ops::OpId;
use strand_source::{Code, Diagnostic, Map, Span};
use strand_syntax::ast;

use crate::calls::CallArg;
use crate::context::{Checker, Variable};

/// The variable, and the fields from it on, that an expression names.
pub(crate) fn place_of(expr: &Expr) -> Option<Place> {
    match &expr.kind {
        ExprKind::Local(local) => Some((*local, Vec::new())),
        ExprKind::Field { base, field } => {
            let (local, mut path) = place_of(base)?;
            path.push(*field);
            Some((local, path))
        }
        // Any of the elements.
        ExprKind::Element { base, .. } => place_of(base),
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
        // What stands for a field while elements of it are assigned.
        let mut fields = Map::default();
        for stmt in &body.stmts {
            stmt.each(&mut |stmt| {
                if let StmtKind::Bind {
                    local: Some(local),
                    value,
                } = &stmt.kind
                    && body
                        .locals
                        .get(local.0 as usize)
                        .is_some_and(|local| local.kind == LocalKind::Field)
                    && let Some(place) = place_of(value)
                {
                    fields.insert(*local, place);
                }
                statement(stmt, program, &fields, &mut found);
            });
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

/// A variable, and the fields from it on.
type Place = (LocalId, Vec<usize>);

fn statement(
    stmt: &Stmt,
    program: &Program,
    fields: &Map<LocalId, Place>,
    found: &mut Vec<Diagnostic>,
) {
    let mut mentions = Mentions::default();
    stmt.each_child(&mut |child| mentions.child(child, program, false));
    if let StmtKind::SetIndex { local, .. } = stmt.kind {
        let whole = (local, Vec::new());
        let (local, path) = fields.get(&local).cloned().unwrap_or(whole);
        mentions.add(local, path, stmt.span, false);
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
            // Of host values only one is computed.
            ExprKind::Op {
                op: OpId::Where,
                args,
                ..
            } if matches!(expr.ty, Type::Host(_)) => {
                for (at, arg) in args.iter().enumerate() {
                    self.expr(arg, program, unsure || at > 0);
                }
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

impl Checker<'_> {
    /// E0705: `mut` stands before an argument just where the parameter has it.
    pub(crate) fn mutability(&mut self, param: &Parameter, arg: &CallArg<'_>) -> bool {
        let written = match arg {
            // Of what can't be read enough was said.
            CallArg::Written(arg) => {
                arg.mutable.is_some() || matches!(arg.value.kind, ast::ExprKind::Error)
            }
            CallArg::Typed(_) | CallArg::Keyed(..) => false,
        };
        if !param.mutable || written {
            return true;
        }
        let place = arg.span();
        let finding = Diagnostic::new(
            Code::E0705,
            place,
            format!(
                "{} is changed by the call, so write `mut` before it",
                param.name
            ),
        )
        .label(param.span, format!("mut {}", param.name))
        .fix("add `mut`", Span::empty(place.start), "mut ");
        self.report(finding);
        false
    }

    pub(crate) fn needless_mut(&mut self, word: Span) {
        let place = Span::new(word.start, word.start + 3);
        let finding = Diagnostic::new(Code::E0705, place, "nothing is changed by this call").fix(
            "remove `mut`",
            word,
            "",
        );
        self.report(finding);
    }

    /// Whether a model's fields may be assigned: a variable's, or a `mut` parameter's. E0304.
    pub(crate) fn may_change(&mut self, base: &Expr, span: Span) -> bool {
        let Some((local, _)) = place_of(base) else {
            let message = "only the fields of a variable can be assigned";
            self.error(Code::E0304, span, message);
            return false;
        };
        if self.is_element_copy(local, Code::E0304, span) {
            return false;
        }
        if self.parameter(local).is_none_or(|param| param.mutable) {
            return true;
        }
        let finding = self.fixed_parameter(local, Code::E0304, span);
        self.report(finding);
        false
    }

    /// A loop's submodel is a copy, and changing it would change nothing else.
    fn is_element_copy(&mut self, local: LocalId, code: Code, span: Span) -> bool {
        let Some(found) = self.body.locals.get(local.0 as usize) else {
            return false;
        };
        if found.kind != LocalKind::Loop || !matches!(found.ty, Type::Model(_)) {
            return false;
        }
        let message = format!(
            "`{}` is the loop's own: changing it changes no model",
            found.name
        );
        let finding = Diagnostic::new(code, span, message)
            .note("Change the element itself, as in `mut m.blocks[i].step(x)`.");
        self.report(finding);
        true
    }

    /// The parameter that a variable is.
    pub(crate) fn parameter(&self, local: LocalId) -> Option<&Parameter> {
        let function = self.program.function(self.body.function?);
        function.params.get(local.0 as usize)
    }

    pub(crate) fn fixed_parameter(&self, local: LocalId, code: Code, span: Span) -> Diagnostic {
        let declared = &self.body.locals[local.0 as usize];
        let (name, place) = (&declared.name, declared.span);
        Diagnostic::new(
            code,
            span,
            format!("{name} isn't `mut`, so it can't be changed here"),
        )
        .label(place, "the parameter")
        .fix("add `mut`", Span::empty(place.start), "mut ")
        .note("A copy can be changed: bind it to another name first.")
    }

    /// Whether an argument can be given to a `mut` parameter; a variable has the parameter's
    /// domain afterwards. E0705.
    pub(crate) fn changed_argument(
        &mut self,
        value: &Expr,
        given: &Type,
        wanted: &Type,
        param: &Parameter,
    ) -> bool {
        let finding = |message: String| {
            Diagnostic::new(Code::E0705, value.span, message)
                .label(param.span, format!("mut {}", param.name))
        };
        let Some((local, path)) = place_of(value) else {
            let found = match &value.kind {
                ExprKind::Lift(_) => {
                    let (has, wants) = (self.show(given), self.show(wanted));
                    finding(format!("a `mut` argument is {wants} already, not {has}"))
                }
                _ => finding("a `mut` argument is a variable, or a field of one".to_owned()),
            };
            self.report(found);
            return false;
        };
        if self.is_element_copy(local, Code::E0705, value.span) {
            return false;
        }
        let root_is_model = !path.is_empty() || matches!(given, Type::Model(_));
        if root_is_model && self.parameter(local).is_some_and(|own| !own.mutable) {
            let found = self.fixed_parameter(local, Code::E0705, value.span);
            self.report(found);
            return false;
        }
        let (Type::Tensor(given), Type::Tensor(wanted)) = (given, wanted) else {
            if given != wanted {
                let (has, wants) = (self.show(given), self.show(wanted));
                let found = finding(format!("a `mut` argument is {wants} already, not {has}"));
                self.report(found);
                return false;
            }
            return true;
        };
        if !path.is_empty() {
            let keeps = wanted.domain.serves(&given.domain, &self.program.symbols);
            if !keeps {
                let domain = given.domain.display(&self.program.symbols);
                let message = format!("the field is {domain}, and the call may change that");
                self.error(Code::E0902, value.span, message);
            }
            return keeps;
        }
        let name = self.body.locals[local.0 as usize].name.clone();
        let mut kept = given.clone();
        kept.domain = wanted.domain.clone();
        let ty = self.kept_parameter(
            &ast::Ident {
                name: name.clone(),
                span: value.span,
            },
            Type::Tensor(kept),
        );
        let bound_at = vec![value.span];
        let variable = Variable {
            local,
            ty,
            bound_at,
        };
        self.set_variable(&name, Some(variable), false);
        true
    }

    /// The type of a name that is bound: a `mut` parameter keeps its own, which its caller relies
    /// on; E0502. A model is changed field by field; E0304.
    pub(crate) fn kept_parameter(&mut self, name: &ast::Ident, ty: Type) -> Type {
        let Some(variable) = self.variable(&name.name) else {
            return ty;
        };
        let local = variable.local;
        let Some(param) = self.parameter(local).filter(|param| param.mutable) else {
            return ty;
        };
        let (place, declared) = (param.span, self.body.locals[local.0 as usize].ty.clone());
        if ty.is_error() || declared.is_error() {
            return ty;
        }
        if matches!(declared, Type::Model(_)) {
            let finding = Diagnostic::new(
                Code::E0304,
                name.span,
                format!("`{}` is changed by its fields, not bound anew", name.name),
            )
            .label(place, format!("mut {}", name.name))
            .note("Assign its fields, as in `m.w = ...`.");
            self.report(finding);
            return declared;
        }
        let symbols = &self.program.symbols;
        let keeps = match (&ty, &declared) {
            (Type::Tensor(given), Type::Tensor(wanted)) => {
                let axes = given.axes.iter().zip(&wanted.axes);
                given.rank() == wanted.rank()
                    && given.dtype == wanted.dtype
                    && axes.into_iter().all(|(a, b)| a.agrees(b, symbols))
                    && given.domain.serves(&wanted.domain, symbols)
            }
            (given, wanted) => given == wanted,
        };
        if !keeps {
            let (has, wants) = (self.show(&ty), self.show(&declared));
            let message = format!("`{}` is {wants} for its caller, not {has}", name.name);
            let finding = Diagnostic::new(Code::E0502, name.span, message)
                .label(place, format!("{wants} is written here"));
            self.report(finding);
        }
        declared
    }
}
