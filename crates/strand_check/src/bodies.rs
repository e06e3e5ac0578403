//! Bodies of functions and the script: what they bind, and what they give.

use strand_ir::{Body, ExprKind, FnId, LocalKind, Stmt, StmtKind, SymbolId, Type};
use strand_source::{Code, Diagnostic, Map, Span};
use strand_syntax::ast::{self, Name};

use crate::context::{BodyState, Checker};
use crate::fit::Slot;
use crate::operators::short;
use crate::scope::Scope;

/// How often a body is typed until no more host numbers turn out to be tensors.
const MAX_PASSES: usize = 4;

/// What a body starts from.
pub(crate) struct BodyStart<'b> {
    /// The function; `None` for the script.
    pub(crate) function: Option<FnId>,
    /// The parameters with their types.
    pub(crate) params: Vec<(ast::Ident, Type)>,
    /// The axis names of the signature.
    pub(crate) axis_names: Map<Name, SymbolId>,
    /// The declared result with its place.
    pub(crate) result: Option<(Type, Span)>,
    /// Whether the function has no types.
    pub(crate) untyped: bool,
    /// The body.
    pub(crate) body: BodyText<'b>,
}

/// A body's text.
#[derive(Clone, Copy)]
pub(crate) enum BodyText<'b> {
    Function(&'b ast::FnBody),
    Script(&'b [&'b ast::Stmt]),
}

/// A typed body and what it told.
pub(crate) struct TypedBody {
    pub(crate) body: Body,
    /// What the function gives: as declared, or of its returns.
    pub(crate) result: Type,
    /// Whether it gives a value on some paths only.
    pub(crate) partial: bool,
    /// Whether it needs a mode.
    pub(crate) needs_mode: bool,
    /// Its chains.
    pub(crate) chains: Vec<strand_ir::ChainInfo>,
}

impl Checker<'_> {
    /// Types a body; the state of the body around it is kept.
    pub(crate) fn typed_body(&mut self, start: &BodyStart<'_>) -> TypedBody {
        let outer = std::mem::take(&mut self.body);
        let found = self.findings();
        let mut raised = Map::new();
        let mut pass = 1;
        let typed = loop {
            self.body = BodyState {
                function: start.function,
                axis_names: start.axis_names.clone(),
                result: start.result.as_ref().map(|(ty, _)| ty.clone()),
                result_span: start
                    .result
                    .as_ref()
                    .map(|(_, span)| *span)
                    .unwrap_or_default(),
                scopes: vec![Scope::of(&start.body)],
                found_before: found.diagnostics,
                untyped: start.untyped,
                raised: std::mem::take(&mut raised),
                ..BodyState::default()
            };
            let typed = self.one_pass(start);
            if !self.body.raised_grew || pass == MAX_PASSES {
                break typed;
            }
            pass += 1;
            raised = std::mem::take(&mut self.body.raised);
            self.drop_findings(found);
        };
        self.body = outer;
        typed
    }

    fn one_pass(&mut self, start: &BodyStart<'_>) -> TypedBody {
        let mut params = Vec::with_capacity(start.params.len());
        for (name, ty) in &start.params {
            self.hover(name.span, ty);
            params.push(self.bind(&name.name, LocalKind::Param, ty.clone(), name.span));
        }
        let (stmts, goes_on) = match start.body {
            BodyText::Function(ast::FnBody::Expr(value)) => (self.expression_body(value), false),
            BodyText::Function(ast::FnBody::Block(stmts)) => self.block(stmts),
            BodyText::Function(ast::FnBody::Error(_)) => {
                self.body.returns.push((Type::Error, Span::default()));
                (Vec::new(), false)
            }
            BodyText::Script(stmts) => self.script_block(stmts),
        };
        let is_expression = matches!(start.body, BodyText::Function(ast::FnBody::Expr(_)));
        let (result, partial) = self.body_result(start, goes_on);
        TypedBody {
            body: Body {
                locals: std::mem::take(&mut self.body.locals),
                params,
                stmts,
                result: start.function.is_some().then(|| result.clone()),
                is_expression,
            },
            result,
            partial,
            needs_mode: self.body.needs_mode,
            chains: std::mem::take(&mut self.body.chains),
        }
    }

    fn script_block(&mut self, stmts: &[&ast::Stmt]) -> (Vec<Stmt>, bool) {
        let mut typed = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            let (mut one, _) = self.block(std::slice::from_ref(*stmt));
            typed.append(&mut one);
        }
        (typed, true)
    }

    pub(crate) fn expression_body(&mut self, value: &ast::Expr) -> Vec<Stmt> {
        self.try_at(value.span, true);
        let wanted = self.body.result.clone();
        let mut typed = self.expr(value, wanted.as_ref());
        if let Some(wanted) = &wanted {
            typed = self.fit(typed, wanted, &Slot::Result(self.body.result_span));
        }
        let span = value.span;
        if typed.ty == Type::Nothing {
            if let ExprKind::Call { function, .. } = &typed.kind
                && self.functions[function.0 as usize].partial
            {
                self.no_value(&typed);
            }
            // Nothing to give: a statement.
            let kind = StmtKind::Expr(typed);
            return vec![Stmt { kind, span }];
        }
        self.body.returns.push((typed.ty.clone(), span));
        let kind = StmtKind::Return(Some(typed));
        vec![Stmt { kind, span }]
    }

    /// Whether a part of a function couldn't be read, which may have been what it lacks.
    fn is_unread(&self, function: Option<FnId>) -> bool {
        let Some(id) = function else { return false };
        let span = self.program.function(id).span;
        let syntax = |code: Code| code.as_str().starts_with("E01");
        let found = |range: std::ops::Range<usize>| {
            let end = range.end.min(self.diagnostics.len());
            let found = self.diagnostics.get(range.start..end).unwrap_or_default();
            let mut found = found.iter();
            found.any(|found| syntax(found.code) && span.contains(found.span))
        };
        found(self.functions[id.0 as usize].found.clone())
            || found(self.body.found_before..usize::MAX)
            || self.parsed_in(span).any(syntax)
            || self.unfinished.any_inside(span)
    }

    /// What a body gives and whether it does so on some paths only. E0708 where a result is
    /// declared.
    fn body_result(&mut self, start: &BodyStart<'_>, goes_on: bool) -> (Type, bool) {
        let returns = std::mem::take(&mut self.body.returns);
        if let Some((declared, span)) = &start.result {
            if goes_on && !declared.is_error() && !self.is_unread(start.function) {
                let wanted = self.show(declared);
                let message = if returns.is_empty() {
                    short(
                        format!("nothing is returned, but the result is {wanted}"),
                        "nothing is returned, but a result is declared".to_owned(),
                    )
                } else {
                    short(
                        format!("some paths return nothing, but the result is {wanted}"),
                        "some paths return nothing".to_owned(),
                    )
                };
                let mut finding = Diagnostic::new(Code::E0708, *span, message);
                if let Some(fix) = self.last_expression(start) {
                    finding =
                        finding.fix("return the last line", Span::empty(fix.start), "return ");
                }
                self.report(finding);
            }
            return (declared.clone(), false);
        }
        let mut given: Option<(Type, Span)> = None;
        for (ty, place) in returns {
            given = Some(match given {
                None => (ty, place),
                Some((held, first)) => {
                    let joined = if (held == Type::Nothing) == (ty == Type::Nothing) {
                        self.join(&held, &ty, place)
                    } else {
                        return (Type::Nothing, true);
                    };
                    let joined = joined.unwrap_or_else(|| {
                        let (a, b) = (self.show(&held), self.show(&ty));
                        let finding = Diagnostic::new(
                            Code::E0502,
                            place,
                            short(
                                format!("this returns {b}, another path {a}"),
                                "another path returns another type".to_owned(),
                            ),
                        )
                        .label(first, format!("{a} here"));
                        self.report(finding);
                        Type::Error
                    });
                    (joined, first)
                }
            });
        }
        match given {
            Some((ty, _)) if goes_on && ty != Type::Nothing => (Type::Nothing, !ty.is_error()),
            Some((ty, _)) => (ty, false),
            None => (Type::Nothing, false),
        }
    }

    /// The last statement of a block, where it is an expression that could be returned.
    fn last_expression(&self, start: &BodyStart<'_>) -> Option<Span> {
        let BodyText::Function(ast::FnBody::Block(stmts)) = start.body else {
            return None;
        };
        let last = stmts.last()?;
        matches!(last.kind, ast::StmtKind::Expr(_)).then_some(last.span)
    }

    /// Whether a typed expression is a literal: what a default may be.
    pub(crate) fn is_literal(&self, value: &strand_ir::Expr) -> bool {
        match &value.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Str(_) => true,
            ExprKind::Lift(inner) => self.is_literal(inner),
            _ => false,
        }
    }
}
