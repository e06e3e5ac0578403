//! Statements: what each line says.

use strand_source::{Code, Diagnostic, Edit, Span};

use super::blocks::{Blocks, Header, Read};
use super::build;
use super::context::Tokens;
use super::explain;
use super::reader::Reader;
use crate::ast::*;
use crate::layout::Line;
use crate::lex::clip;
use crate::token::{Kind, Token};

impl<'s> Blocks<'s> {
    /// Reads a line that isn't a declaration's.
    pub(super) fn statement(&mut self, tokens: Tokens<'s>) -> Read<'s> {
        let Some(first) = tokens.first().copied() else {
            return Read::Nothing;
        };
        let rest = tokens.get(1..).unwrap_or(&[]);
        let before = self.reader.context.diagnostics.len();
        let read = match first.kind {
            Kind::For => self.for_header(tokens),
            Kind::While => {
                let (condition, after) = self.condition(tokens);
                Read::Block(Header::While(condition), after)
            }
            Kind::If => {
                let (condition, after) = self.condition(tokens);
                Read::Block(
                    Header::If {
                        start: first.span.start,
                        branches: Vec::new(),
                        condition: Some(condition),
                    },
                    after,
                )
            }
            Kind::Elif => self.branch(tokens, true),
            Kind::Else => self.branch(tokens, false),
            Kind::Name
                if self.reader.context.word(Some(&first)) == "with" && self.is_with(rest) =>
            {
                self.with(tokens)
            }
            _ => {
                let special = self.pasted(tokens).or_else(|| self.misspelt(tokens));
                return special.unwrap_or_else(|| self.plain(tokens));
            }
        };
        if self.reader.context.diagnostics.len() == before {
            self.expect_colon(tokens);
        }
        read
    }

    /// Reports a header without `:`.
    fn expect_colon(&mut self, tokens: Tokens<'s>) {
        if tokens.iter().any(|token| token.kind == Kind::Colon) {
            return;
        }
        let end = Reader::span(tokens).end;
        let last = tokens.last().map_or(Span::empty(end), |last| last.span);
        let found = Diagnostic::new(Code::E0101, last, "`:` is missing at the end of this line");
        self.reader
            .report(tokens, found.fix("write `:`", Span::empty(end), ":"));
    }

    /// A line without a block; one that ends in `:` like a header is an error.
    fn plain(&mut self, tokens: Tokens<'s>) -> Read<'s> {
        let annotated = matches!(tokens, [name, colon, ..] if name.kind.is_name() && colon.kind == Kind::Colon && tokens.len() > 2);
        let ends = tokens
            .last()
            .filter(|last| last.kind == Kind::Colon && !annotated);
        if let Some(colon) = ends {
            let message =
                "`:` opens a block only after fn, for, while, if, elif, else, with, model";
            self.reader.fault(tokens, Code::E0101, colon.span, message);
            return Read::Block(Header::Broken, &[]);
        }
        Read::Stmt(self.simple(tokens))
    }

    /// A statement without a block.
    pub(super) fn simple(&mut self, tokens: Tokens<'s>) -> StmtKind {
        let Some(first) = tokens.first().copied() else {
            return StmtKind::Pass;
        };
        let rest = tokens.get(1..).unwrap_or(&[]);
        match first.kind {
            Kind::Return if rest.is_empty() => StmtKind::Return(None),
            Kind::Return => StmtKind::Return(Some(self.values(rest))),
            Kind::Assert => self.assertion(first, rest),
            Kind::Break => self.alone(StmtKind::Break, first, rest),
            Kind::Continue => self.alone(StmtKind::Continue, first, rest),
            Kind::Pass => self.alone(StmtKind::Pass, first, rest),
            _ => self.binding(tokens),
        }
    }

    fn alone(&mut self, kind: StmtKind, word: Token, rest: Tokens<'s>) -> StmtKind {
        let Some(next) = rest.first() else {
            return kind;
        };
        let message = format!(
            "`{}` stands alone on its line",
            word.span.text(self.reader.text())
        );
        self.reader.fault(rest, Code::E0101, next.span, message);
        kind
    }

    fn assertion(&mut self, word: Token, rest: Tokens<'s>) -> StmtKind {
        let comma = rest.iter().position(|token| token.kind == Kind::Comma);
        let condition = rest.get(..comma.unwrap_or(rest.len())).unwrap_or(&[]);
        if condition.is_empty() {
            self.reader.fault(
                rest,
                Code::E0101,
                word.span,
                "a condition is missing after `assert`",
            );
            return StmtKind::Error;
        }
        let condition = self.reader.value(condition);
        let message = comma
            .and_then(|at| rest.get(at + 1..))
            .filter(|message| !message.is_empty());
        let message = message.map(|message| self.reader.value(message));
        StmtKind::Assert { condition, message }
    }

    /// `y = e`, `y: T = e`, `x += e`, an expression.
    fn binding(&mut self, tokens: Tokens<'s>) -> StmtKind {
        if let [name, colon, rest @ ..] = tokens
            && name.kind.is_name()
            && colon.kind == Kind::Colon
        {
            return self.annotated(*name, *colon, rest, tokens);
        }
        let Some(at) = tokens.iter().position(|token| token.kind.assigns()) else {
            return StmtKind::Expr(self.values(tokens));
        };
        let (before, op, value) = (
            tokens.get(..at).unwrap_or(&[]),
            tokens[at],
            tokens.get(at + 1..).unwrap_or(&[]),
        );
        if let Some(kind) = self.foreign_update(before, op, value, tokens) {
            return kind;
        }
        if before.is_empty() {
            let message = format!(
                "a name is missing before `{}`",
                op.span.text(self.reader.text())
            );
            self.reader.fault(tokens, Code::E0101, op.span, message);
        }
        let target = if before.is_empty() {
            Target::Error(op.span)
        } else {
            self.target(before)
        };
        let value = self.assigned(op, value, tokens);
        match build::operator(op.kind) {
            Some(binary) => StmtKind::Update {
                target,
                op: binary,
                op_span: op.span,
                value,
            },
            None => StmtKind::Assign {
                target,
                ty: None,
                value,
            },
        }
    }

    /// The right side of `=`.
    fn assigned(&mut self, op: Token, value: Tokens<'s>, tokens: Tokens<'s>) -> Expr {
        if value.is_empty() {
            let message = format!(
                "an expression is missing after `{}`",
                op.span.text(self.reader.text())
            );
            self.reader.fault(tokens, Code::E0101, op.span, message);
            return build::error(Span::empty(op.span.end));
        }
        if let Some(second) = value.iter().find(|token| token.kind.assigns()) {
            self.reader.fault(
                tokens,
                Code::E0101,
                second.span,
                "a statement binds once: write a line for each `=`",
            );
            return build::error(Reader::span(value));
        }
        self.values(value)
    }

    /// `x //= 2` and the like, which Strand doesn't have.
    fn foreign_update(
        &mut self,
        before: Tokens<'s>,
        op: Token,
        value: Tokens<'s>,
        tokens: Tokens<'s>,
    ) -> Option<StmtKind> {
        let (last, target) = before.split_last()?;
        if !last.kind.is_infix()
            || last.span.end != op.span.start
            || op.kind != Kind::Eq
            || target.is_empty()
        {
            return None;
        }
        let span = last.span.to(op.span);
        let written = Reader::span(target).text(self.reader.text());
        let operator = last.span.text(self.reader.text());
        let instead = format!("= {written} {operator}");
        let message = format!(
            "`{}` isn't an update: write `{}`",
            span.text(self.reader.text()),
            clip(&instead)
        );
        let found = Diagnostic::new(Code::E0101, span, message).fix(
            format!("write `{}`", clip(&instead)),
            span,
            instead,
        );
        self.reader.report(tokens, found);
        let target = self.target(target);
        let value = self.assigned(op, value, tokens);
        Some(StmtKind::Assign {
            target,
            ty: None,
            value: build::error(value.span),
        })
    }

    fn annotated(
        &mut self,
        name: Token,
        colon: Token,
        rest: Tokens<'s>,
        tokens: Tokens<'s>,
    ) -> StmtKind {
        let target = Target::Name(self.reader.context.ident(name));
        let equals = rest.iter().position(|token| token.kind == Kind::Eq);
        let ty = rest.get(..equals.unwrap_or(rest.len())).unwrap_or(&[]);
        let Some(at) = equals else {
            let message = "a value is missing: `name: Type = value`";
            self.reader.fault(
                tokens,
                Code::E0101,
                Reader::span(tokens.get(1..).unwrap_or(&[])),
                message,
            );
            let value = build::error(Span::empty(Reader::span(tokens).end));
            return StmtKind::Assign {
                target,
                ty: None,
                value,
            };
        };
        let equals = rest
            .first()
            .filter(|equals| equals.span.start == colon.span.end);
        let ty = if let (true, Some(equals)) = (ty.is_empty(), equals) {
            let span = colon.span.to(equals.span);
            let found = Diagnostic::new(Code::E0101, span, "a name is bound by `=` alone");
            self.reader
                .report(tokens, found.fix("write `=`", span, "="));
            build::bad_type(colon.span)
        } else if ty.is_empty() {
            self.reader.fault(
                tokens,
                Code::E0101,
                colon.span,
                "a type is missing after `:`",
            );
            build::bad_type(colon.span)
        } else {
            self.reader.ty(ty)
        };
        let value = match rest.get(at) {
            Some(op) => self.assigned(*op, rest.get(at + 1..).unwrap_or(&[]), tokens),
            None => build::error(colon.span),
        };
        StmtKind::Assign {
            target,
            ty: Some(ty),
            value,
        }
    }

    pub(super) fn target(&mut self, tokens: Tokens<'s>) -> Target {
        let value = self.values(tokens);
        let span = value.span;
        match build::target(value) {
            Ok(target) => target,
            Err(at) => {
                let message = "this can't be assigned: a name, a field or an indexed name can";
                self.reader.fault(tokens, Code::E0304, at, message);
                Target::Error(span)
            }
        }
    }

    /// An expression that commas would make a tuple: that takes brackets.
    pub(super) fn values(&mut self, tokens: Tokens<'s>) -> Expr {
        let comma = tokens.iter().position(|token| token.kind == Kind::Comma);
        let Some(comma) = comma.and_then(|at| tokens.get(at)) else {
            return self.reader.value(tokens);
        };
        let span = Reader::span(tokens);
        let trailing = tokens.last().is_some_and(|last| last.span == comma.span);
        let found = Diagnostic::new(Code::E0101, comma.span, "a tuple stands in brackets");
        let found = if trailing {
            found.fix("leave the comma out", comma.span, "")
        } else {
            let edits = vec![
                Edit {
                    span: Span::empty(span.start),
                    text: "(".into(),
                },
                Edit {
                    span: Span::empty(span.end),
                    text: ")".into(),
                },
            ];
            found.fix_edits("put brackets around it", edits)
        };
        // What is said of `n, d = x.shape` is that it has none.
        let after = self.reader.text().get(span.end as usize..).unwrap_or("");
        let line = after.lines().next().unwrap_or("");
        let line = line.split('#').next().unwrap_or("").trim();
        let takes_shape =
            line.starts_with('=') && (line.ends_with(".shape") || line.ends_with(".size()"));
        if !takes_shape {
            self.reader.report(tokens, found);
        }
        let pieces = tokens
            .split(|token| token.kind == Kind::Comma)
            .filter(|piece| !piece.is_empty());
        let mut parts: Vec<Expr> = pieces.map(|piece| self.reader.value(piece)).collect();
        match parts.pop() {
            Some(only) if trailing && parts.is_empty() => only,
            last => {
                parts.extend(last);
                build::expr(ExprKind::Tuple(parts), span)
            }
        }
    }

    /// A statement on the line of the header that it belongs to.
    pub(super) fn inline(&mut self, tokens: Tokens<'s>, header: Span, line: &Line) -> StmtKind {
        let span = Reader::span(tokens);
        let before = self.reader.text().get(..span.start as usize).unwrap_or("");
        let gap = (before.len() - before.trim_end_matches([' ', '\t']).len()) as u32;
        let indent = " ".repeat(line.indent as usize + 4);
        let found = Diagnostic::new(
            Code::E0101,
            Span::new(span.start, span.end),
            "a block starts on a line of its own",
        );
        let at = Span::new(span.start - gap, span.start);
        let whole = tokens.first().map_or(header, |first| first.span);
        let found = Diagnostic {
            span: whole,
            ..found
        };
        self.reader.report(
            tokens,
            found.fix("start a new line", at, format!("\n{indent}")),
        );
        let opens = matches!(
            tokens.first().map(|first| first.kind),
            Some(
                Kind::For | Kind::While | Kind::If | Kind::Elif | Kind::Else | Kind::Fn | Kind::Dim
            )
        );
        if opens {
            StmtKind::Error
        } else {
            self.simple(tokens)
        }
    }

    pub(super) fn keyword_fault(&mut self, tokens: Tokens<'s>, token: Token) {
        let found = explain::keyword_as_name(token, &self.reader.context);
        self.reader.report(tokens, found);
    }
}
