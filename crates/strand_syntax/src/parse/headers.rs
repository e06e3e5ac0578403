//! Headers of blocks: `if`, `while`, `for` and `with` up to their `:`.

use strand_source::{Code, Diagnostic, Span};

use super::blocks::{Blocks, Header, Read};
use super::build;
use super::context::Tokens;
use super::reader::Reader;
use crate::ast::*;
use crate::token::Kind;

/// A line of a header: what stands before `:`, the colon, what stands after it.
struct Head<'s> {
    before: Tokens<'s>,
    after: Tokens<'s>,
}

impl<'s> Blocks<'s> {
    /// Splits a header at its first `:`.
    fn head(&mut self, tokens: Tokens<'s>) -> Head<'s> {
        if let Some(colon) = tokens.iter().position(|token| token.kind == Kind::Colon) {
            return Head {
                before: tokens.get(1..colon).unwrap_or(&[]),
                after: tokens.get(colon + 1..).unwrap_or(&[]),
            };
        }
        Head {
            before: tokens.get(1..).unwrap_or(&[]),
            after: &[],
        }
    }

    /// `if c:`, `elif c:`, `while c:`
    pub(super) fn condition(&mut self, tokens: Tokens<'s>) -> (Expr, Tokens<'s>) {
        let head = self.head(tokens);
        if head.before.is_empty() {
            let word = tokens.first().map_or(Span::default(), |word| word.span);
            let message = format!(
                "a condition is missing after `{}`",
                word.text(self.reader.text())
            );
            self.reader.fault(tokens, Code::E0101, word, message);
            return (build::error(Span::empty(word.end)), head.after);
        }
        if let Some(equals) = head.before.iter().find(|token| token.kind == Kind::Eq) {
            let found = Diagnostic::new(
                Code::E0101,
                equals.span,
                "`=` binds a name; equality is `==`",
            );
            self.reader
                .report(tokens, found.fix("write `==`", equals.span, "=="));
            return (build::error(Reader::span(head.before)), head.after);
        }
        (self.values(head.before), head.after)
    }

    /// `elif c:` or `else:`
    pub(super) fn branch(&mut self, tokens: Tokens<'s>, has_condition: bool) -> Read<'s> {
        let Some(word) = tokens.first().copied() else {
            return Read::Nothing;
        };
        let (condition, after) = match tokens.get(1) {
            Some(next) if !has_condition && next.kind == Kind::If => {
                let span = word.span.to(next.span);
                let found =
                    Diagnostic::new(Code::E0101, span, "a further condition is written `elif`");
                self.reader
                    .report(tokens, found.fix("write `elif`", span, "elif"));
                let (condition, after) = self.condition(tokens.get(1..).unwrap_or(&[]));
                (Some(condition), after)
            }
            _ if has_condition => {
                let (condition, after) = self.condition(tokens);
                (Some(condition), after)
            }
            _ => {
                let head = self.head(tokens);
                if let Some(extra) = head.before.first() {
                    self.reader.fault(
                        tokens,
                        Code::E0101,
                        extra.span,
                        "`else` has no condition: `elif` has one",
                    );
                }
                (None, head.after)
            }
        };
        let Some((start, branches)) = self.take_if() else {
            if !self.follows_long_if() {
                let message = format!(
                    "`{}` follows no `if` of this block",
                    word.span.text(self.reader.text())
                );
                self.reader.fault(tokens, Code::E0101, word.span, message);
            }
            // An `elif` that follows nothing still has branches of its own.
            let header = match condition {
                Some(condition) if !self.follows_long_if() => Header::If {
                    start: word.span.start,
                    branches: Vec::new(),
                    condition: Some(condition),
                },
                _ => Header::Broken,
            };
            return Read::Block(header, after);
        };
        Read::Block(
            Header::If {
                start,
                branches,
                condition,
            },
            after,
        )
    }

    /// `for target in iter over axis by b = 32 pad t to 64:`
    pub(super) fn for_header(&mut self, tokens: Tokens<'s>) -> Read<'s> {
        let head = self.head(tokens);
        let colon = head
            .before
            .last()
            .map_or(Reader::span(tokens), |last| last.span);
        let header = tokens
            .first()
            .map_or(colon, |first| first.span)
            .to(Span::empty(colon.end));
        let broken = |iter| Header::For {
            target: Target::Error(header),
            iter,
            over: None,
            by: None,
            header,
        };
        let word = head.before.iter().position(|token| token.kind == Kind::In);
        let Some(at) = word.or_else(|| self.loop_equals(head.before, tokens)) else {
            let at = head
                .before
                .get(1)
                .or(tokens.first())
                .map_or(header, |token| token.span);
            self.reader.fault(
                tokens,
                Code::E0101,
                at,
                "a loop is `for name in range:`; `in` is missing",
            );
            return Read::Block(broken(build::error(header)), head.after);
        };
        let (target, rest) = (
            head.before.get(..at).unwrap_or(&[]),
            head.before.get(at + 1..).unwrap_or(&[]),
        );
        let word = head.before.get(at).map_or(header, |word| word.span);
        let target = if target.is_empty() {
            self.reader.fault(
                tokens,
                Code::E0101,
                word,
                "a name is missing between `for` and `in`",
            );
            Target::Error(word)
        } else {
            self.target(target)
        };
        let (iter, over, by) = self.loop_clauses(rest, word);
        Read::Block(
            Header::For {
                target,
                iter,
                over,
                by,
                header,
            },
            head.after,
        )
    }

    /// The `=` of `for i = 0..3:`, which is reported.
    fn loop_equals(&mut self, before: Tokens<'s>, tokens: Tokens<'s>) -> Option<usize> {
        let [name, equals, ..] = before else {
            return None;
        };
        if !name.kind.is_name() || equals.kind != Kind::Eq {
            return None;
        }
        let message = "a loop is `for name in range:`, with `in`";
        let found = Diagnostic::new(Code::E0101, equals.span, message);
        self.reader
            .report(tokens, found.fix("write `in`", equals.span, "in"));
        Some(1)
    }

    fn loop_clauses(
        &mut self,
        tokens: Tokens<'s>,
        word: Span,
    ) -> (Expr, Option<Ident>, Option<Span>) {
        let follows = |at: usize| {
            at.checked_sub(1)
                .and_then(|at| tokens.get(at))
                .is_some_and(|token| token.kind.ends_operand())
        };
        let is_range = tokens.iter().any(|token| token.kind == Kind::DotDot);
        let over = (1..tokens.len()).find(|at| tokens[*at].kind == Kind::Over && follows(*at));
        let by =
            (1..tokens.len()).find(|at| tokens[*at].kind == Kind::By && follows(*at) && !is_range);
        let end = over.into_iter().chain(by).min().unwrap_or(tokens.len());
        let iterated = tokens.get(..end).unwrap_or(&[]);
        let mut iter = if iterated.is_empty() {
            self.reader.fault(
                tokens,
                Code::E0101,
                word,
                "what the loop runs over is missing after `in`",
            );
            build::error(Span::empty(word.end))
        } else {
            self.values(iterated)
        };
        let over_axis = over.and_then(|at| {
            let end = by.filter(|by| *by > at).unwrap_or(tokens.len());
            match tokens.get(at + 1..end) {
                Some([axis]) if axis.kind.is_name() => Some(self.reader.context.ident(*axis)),
                other => {
                    let found = other.and_then(|rest| {
                        rest.get(usize::from(rest.first().is_some_and(|t| t.kind.is_name())))
                    });
                    let span = found.map_or(tokens[at].span, |found| found.span);
                    self.reader.fault(
                        tokens,
                        Code::E0101,
                        span,
                        "`over` takes the name of one axis",
                    );
                    iter = build::error(iter.span);
                    None
                }
            }
        });
        let by = by.and_then(|at| tokens.get(at..)).map(Reader::span);
        (iter, over_axis, by)
    }

    pub(super) fn is_with(&self, rest: Tokens<'s>) -> bool {
        matches!(rest.first(), Some(next) if next.kind.is_name())
    }

    /// `with train:`
    pub(super) fn with(&mut self, tokens: Tokens<'s>) -> Read<'s> {
        let head = self.head(tokens);
        match head.before {
            [mode] if mode.kind.is_name() => {
                let mode = self.reader.context.ident(*mode);
                Read::Block(Header::With(mode), head.after)
            }
            other => {
                let span = Reader::span(other);
                let message = "`with` sets a mode: `with train:` or `with eval:`";
                self.reader.fault(tokens, Code::E0101, span, message);
                Read::Block(Header::Broken, head.after)
            }
        }
    }
}
