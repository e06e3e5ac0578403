//! The reader of a laid-out text: values, pipes and stages of flat token runs.

use chumsky::Parser;
use strand_source::{Code, Span, Spans};

use super::build;
use super::context::{Context, Fault, Parsed, Tokens};
use super::explain;
use super::grammar::{Grammar, Rule};
use crate::ast::{
    Expr, ExprKind, Lambda, LambdaParam, SizeExpr, SizeExprKind, Stage, StageKind, TypeExpr,
};
use crate::layout::Layout;
use crate::token::{Kind, Role, Token};

/// How deep the tree of one expression may be, and how many operators and stages may follow each
/// other: a chain of them is as deep as it is long.
pub(super) const MAX_DEPTH: u32 = 140;

/// Reads lines and groups of a layout.
pub(super) struct Reader<'s> {
    pub layout: &'s Layout,
    /// See [`Layout::unfinished`].
    pub unfinished: &'s Spans,
    pub grammar: Grammar<'s>,
    pub context: Context<'s>,
    /// The depth of each group's tree.
    pub depths: Vec<u32>,
    /// Whether a group holds something too deep, which was reported.
    pub too_deep: Vec<bool>,
    /// Where each lexical finding starts, in order.
    pub lexical: Vec<u32>,
    /// Nothing that is found now is reported.
    pub quiet: bool,
}

impl<'s> Reader<'s> {
    pub fn text(&self) -> &'s str {
        self.context.text
    }

    pub fn span(tokens: &[Token]) -> Span {
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => Span::default(),
        }
    }

    /// Whether a bracket that isn't closed is part of the tokens, which was reported.
    pub fn is_unfinished(&self, tokens: &[Token]) -> bool {
        self.unfinished.any_inside(Self::span(tokens))
    }

    /// Reports unless the tokens hold what was reported before.
    pub fn report(&mut self, tokens: &[Token], found: strand_source::Diagnostic) {
        let span = Self::span(tokens).to(found.span);
        let lexical = self.lexical.partition_point(|start| *start < span.start);
        let known = self
            .lexical
            .get(lexical)
            .is_some_and(|start| *start <= span.end);
        let bad = tokens.iter().any(|token| token.kind == Kind::Bad);
        if !(known || bad || self.quiet) {
            self.context.push(found);
        }
    }

    /// Reports `message` at `span` unless the tokens hold what was reported before.
    pub fn fault(&mut self, tokens: &[Token], code: Code, span: Span, message: impl Into<String>) {
        self.report(tokens, strand_source::Diagnostic::new(code, span, message));
    }

    /// The depth of the tree that `tokens` make at most, or `None` after reporting that it is too deep.
    pub fn depth(&mut self, tokens: Tokens<'s>) -> Option<u32> {
        let (mut chain, mut inner, mut known) = (0, 1, false);
        let mut exceeds = None;
        for token in tokens {
            let counts =
                token.kind.adds_depth() || matches!(token.kind, Kind::Pipe | Kind::FatArrow);
            chain += u32::from(counts);
            if let Kind::Group(_) = token.kind {
                let group = token.extra as usize;
                inner = inner.max(self.depths.get(group).copied().unwrap_or(0));
                known |= self.too_deep.get(group).copied().unwrap_or(false);
            }
            if exceeds.is_none() && chain + inner > MAX_DEPTH {
                exceeds = Some(token.span);
            }
        }
        let Some(span) = exceeds else {
            return Some(chain + inner);
        };
        if !known {
            let message = "this expression is nested too deep or too long";
            let found = strand_source::Diagnostic::new(Code::E0107, span, message);
            self.report(tokens, found.note("Give a part of it a name of its own."));
        }
        None
    }

    /// An expression with its pipes, or a lambda. `tokens` isn't empty.
    pub fn value(&mut self, tokens: Tokens<'s>) -> Expr {
        let mut rest = tokens;
        let mut lambdas: Vec<(Vec<LambdaParam>, Span)> = Vec::new();
        if self.depth(tokens).is_none() {
            return build::error(Self::span(tokens));
        }
        while let Some((params, span, body)) = self.lambda_head(rest) {
            lambdas.push((params, span));
            rest = body;
        }
        let mut body = if rest.is_empty() {
            let arrow = tokens.last().map_or(Span::default(), |token| token.span);
            self.fault(
                tokens,
                Code::E0101,
                arrow,
                "a lambda's body is missing after `=>`",
            );
            build::error(Span::empty(arrow.end))
        } else {
            self.piped(rest)
        };
        while let Some((params, params_span)) = lambdas.pop() {
            let span = params_span.to(body.span);
            body = build::expr(
                ExprKind::Lambda(Box::new(Lambda {
                    params,
                    body,
                    params_span,
                })),
                span,
            );
        }
        body
    }

    fn lambda_head(&mut self, tokens: Tokens<'s>) -> Option<(Vec<LambdaParam>, Span, Tokens<'s>)> {
        let first = *tokens.first()?;
        if tokens
            .get(1)
            .is_some_and(|token| token.kind == Kind::FatArrow)
        {
            let params = match first.kind {
                Kind::Group(Role::LambdaParams) => match self.context.take(first) {
                    Parsed::LambdaParams(params) => params,
                    _ => Vec::new(),
                },
                kind if kind.is_name() || kind == Kind::Underscore => {
                    vec![build::lambda_param(first, &self.context)]
                }
                _ => return None,
            };
            return Some((params, first.span, tokens.get(2..).unwrap_or(&[])));
        }
        self.python_lambda(first, tokens)
    }

    /// `lambda x, y: body`
    fn python_lambda(
        &mut self,
        first: Token,
        tokens: Tokens<'s>,
    ) -> Option<(Vec<LambdaParam>, Span, Tokens<'s>)> {
        if self.context.word(Some(&first)) != "lambda" {
            return None;
        }
        let colon = tokens.iter().position(|token| token.kind == Kind::Colon)?;
        let names: Vec<Token> = tokens
            .get(1..colon)?
            .iter()
            .copied()
            .filter(|token| token.kind.is_name() || token.kind == Kind::Underscore)
            .collect();
        let params: Vec<LambdaParam> = names
            .iter()
            .map(|name| build::lambda_param(*name, &self.context))
            .collect();
        let span = Span::new(first.span.start, tokens.get(colon)?.span.end);
        let written: Vec<&str> = names
            .iter()
            .map(|name| name.span.text(self.text()))
            .collect();
        let head = if names.len() == 1 {
            format!("{} =>", written.concat())
        } else {
            format!("({}) =>", written.join(", "))
        };
        let found = strand_source::Diagnostic::new(
            Code::E0101,
            span,
            format!("a lambda is written `{head} …`"),
        );
        self.report(&[], found.fix(format!("write `{head}`"), span, head));
        Some((params, span, tokens.get(colon + 1..).unwrap_or(&[])))
    }

    /// `head |> stage |> …`
    fn piped(&mut self, tokens: Tokens<'s>) -> Expr {
        let mut pieces = tokens.split(|token| token.kind == Kind::Pipe);
        let head_tokens = pieces.next().unwrap_or(&[]);
        let mut pipes = tokens
            .iter()
            .filter(|token| token.kind == Kind::Pipe)
            .copied();
        if head_tokens.len() == tokens.len() {
            return self.operators(tokens);
        }
        let span = Self::span(tokens);
        let head = if head_tokens.is_empty() {
            let pipe = tokens.first().map_or(span, |token| token.span);
            self.fault(
                tokens,
                Code::E0101,
                pipe,
                "nothing stands before `|>` that could flow into it",
            );
            build::error(Span::empty(pipe.start))
        } else {
            self.operators(head_tokens)
        };
        let mut stages = Vec::new();
        let mut missing = false;
        for stage in pieces {
            let pipe = pipes.next().map_or(span, |token| token.span);
            if stage.is_empty() {
                if !missing {
                    self.fault(tokens, Code::E0101, pipe, "a stage is missing after `|>`");
                }
                missing = true;
                stages.push(Stage {
                    kind: StageKind::Error,
                    pipe,
                    span: Span::empty(pipe.end),
                });
                continue;
            }
            stages.push(self.stage(stage, pipe, span.start));
        }
        build::expr(
            ExprKind::Pipe {
                head: Box::new(head),
                stages,
            },
            span,
        )
    }

    fn stage(&mut self, tokens: Tokens<'s>, pipe: Span, start: u32) -> Stage {
        let span = Self::span(tokens);
        let kind = match self.run(|grammar| &grammar.stage, tokens) {
            Ok(kind) => kind,
            Err(fault) => {
                let found = explain::stage(tokens, fault, start, &self.context);
                self.report(tokens, found);
                StageKind::Error
            }
        };
        Stage { kind, pipe, span }
    }

    /// An expression without pipes. `tokens` isn't empty.
    pub fn operators(&mut self, tokens: Tokens<'s>) -> Expr {
        self.context.chain = None;
        self.context.conversion = None;
        if let Some(found) = explain::tight_not(tokens, &self.context) {
            self.report(tokens, found);
            return build::error(Self::span(tokens));
        }
        match self.run(|grammar| &grammar.expression, tokens) {
            Ok(expr) => expr,
            Err(fault) => {
                let found = explain::expression(tokens, fault, &self.context);
                self.report(tokens, found);
                build::error(Self::span(tokens))
            }
        }
    }

    /// A type that the tokens hold whole. `tokens` isn't empty.
    pub fn ty(&mut self, tokens: Tokens<'s>) -> TypeExpr {
        let span = Self::span(tokens);
        if self.depth(tokens).is_none() {
            return build::bad_type(span);
        }
        match self.run(|grammar| &grammar.ty, tokens) {
            Ok(ty) => ty,
            Err(fault) => {
                let found = explain::ty(tokens, fault, &self.context);
                self.report(tokens, found);
                build::bad_type(span)
            }
        }
    }

    /// A size that the tokens hold whole.
    pub fn size(&mut self, tokens: Tokens<'s>) -> SizeExpr {
        let span = Self::span(tokens);
        let bad = SizeExpr {
            kind: SizeExprKind::Error,
            span,
        };
        if self.depth(tokens).is_none() {
            return bad;
        }
        match self.run(|grammar| &grammar.size, tokens) {
            Ok(size) => size,
            Err(fault) => {
                let found = explain::size(tokens, fault, &self.context);
                self.report(tokens, found);
                bad
            }
        }
    }

    /// Runs a rule over all of `tokens`. Where it stops early, what it found on the way is forgotten:
    /// the fault is the cause.
    pub fn run<O>(
        &mut self,
        rule: for<'g> fn(&'g Grammar<'s>) -> &'g Rule<'s, O>,
        tokens: Tokens<'s>,
    ) -> Result<O, Fault> {
        let before = self.context.diagnostics.len();
        self.context.stopped = None;
        let read = rule(&self.grammar).parse_with_state(tokens, &mut self.context);
        let (output, faults) = read.into_output_errors();
        if let Some(output) = output {
            return Ok(output);
        }
        self.context.diagnostics.truncate(before);
        let end = faults.into_iter().next().unwrap_or_default();
        Err(self
            .context
            .stopped
            .map_or(end, |stopped| stopped.further(end)))
    }
}
