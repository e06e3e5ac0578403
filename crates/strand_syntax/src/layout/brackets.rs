//! Brackets: each becomes one token, and one that isn't closed ends where its line can't go on.

use std::ops::Range;

use strand_source::{Code, Diagnostic, Span};

use super::{Checkpoint, Frame, Group, Layouter, MAX_BRACKETS, Typing};
use crate::lex::RawLine;
use crate::token::{Kind, Role, Token};

impl Layouter<'_> {
    pub(super) fn checkpoint(&mut self, line: RawLine) {
        let first = line.first as usize;
        let statement = match self.kind_at(first) {
            Kind::For | Kind::If => true,
            kind => {
                kind.is_name()
                    && !matches!(
                        self.kind_at(first + 1),
                        Kind::Comma | Kind::RParen | Kind::RBracket
                    )
            }
        };
        let comma = self
            .lexed
            .lines
            .get(self.raw + 1)
            .map_or(self.lexed.tokens.len(), |next| next.first as usize);
        let comma = comma
            .checked_sub(1)
            .is_some_and(|last| self.kind_at(last) == Kind::Comma);
        if line.indent > self.indent || !statement || comma || !self.skipped.is_empty() {
            return;
        }
        let Some(top) = self.frames.last() else {
            return;
        };
        self.checkpoints.push(Checkpoint {
            raw: self.raw,
            depth: self.frames.len(),
            open: top.open.span.start,
            arena: self.out.arena.len(),
            groups: self.out.groups.len(),
            diagnostics: self.out.diagnostics.len(),
            unfinished: self.out.unfinished.len(),
        });
    }

    pub(super) fn token(&mut self, token: Token) {
        match token.kind {
            Kind::LParen | Kind::LBracket | Kind::LBrace | Kind::FOpen | Kind::HoleOpen => {
                self.open(token)
            }
            Kind::RParen | Kind::RBracket | Kind::RBrace | Kind::FClose | Kind::HoleClose => {
                self.close(token)
            }
            _ if !self.skipped.is_empty() => {}
            _ => {
                if self.ends_brackets(token) {
                    self.report_unclosed();
                    self.close_quietly();
                }
                self.push(token)
            }
        }
    }

    /// Whether a token stands only outside the open brackets: `->` after parameters, the `:` at the
    /// end of a header's line.
    fn ends_brackets(&self, token: Token) -> bool {
        let header = || {
            let first = self.frames.first().and_then(|line| line.tokens.first());
            let word = first.map_or(Kind::Bad, |first| first.kind);
            let last = self.at + 1 == self.line_end();
            let opens = matches!(
                word,
                Kind::Fn | Kind::For | Kind::While | Kind::If | Kind::Elif
            );
            opens && last
        };
        match token.kind {
            Kind::Arrow => self.is_open() && self.frames.get(1).is_some_and(is_params),
            // A half-written parameter's `:` follows its name.
            Kind::Colon if self.frames.last().is_some_and(ends_in_name) => false,
            Kind::Colon => self.is_open() && header(),
            _ => false,
        }
    }

    pub(super) fn open(&mut self, token: Token) {
        if self.frames.len() > MAX_BRACKETS || !self.skipped.is_empty() {
            if !self.too_deep {
                let message = format!("brackets stand in each other more than {MAX_BRACKETS} deep");
                let found = Diagnostic::new(Code::E0107, token.span, message);
                self.report(found.note("Give a part of it a name of its own."));
            }
            self.too_deep = true;
            if let Some(frame) = self.frames.last_mut() {
                frame.too_deep = true;
            }
            self.skipped.push(token);
            return;
        }
        let role = self.role_of(token);
        let shape_first = role == Role::Args && self.calls_constructor();
        self.open_frame(Some(role), token);
        if let Some(frame) = self.frames.last_mut() {
            frame.shape_first = shape_first;
            if role == Role::TypeTuple {
                frame.typing = Typing::Start;
            }
        }
    }

    pub(super) fn open_frame(&mut self, role: Option<Role>, open: Token) {
        let tokens = self.spare.pop().unwrap_or_default();
        self.frames.push(Frame {
            role,
            open,
            tokens,
            typing: Typing::No,
            shape_first: false,
            too_deep: false,
        });
    }

    pub(super) fn close(&mut self, token: Token) {
        if let Some(open) = self.skipped.pop() {
            if self.skipped.is_empty() {
                self.push(Token {
                    kind: Kind::Bad,
                    span: open.span.to(token.span),
                    extra: 0,
                });
            }
            return;
        }
        let matching = self
            .frames
            .iter()
            .rposition(|frame| frame.role.is_some() && closes(frame.open.kind, token.kind));
        let Some(depth) = matching else {
            return self.stray_closer(token);
        };
        if depth + 1 < self.frames.len() && !token.span.is_empty() {
            self.report_unclosed();
        }
        while self.frames.len() > depth + 1 {
            self.finish_group(Span::empty(token.span.start), true);
        }
        self.finish_group(token.span, token.span.is_empty());
    }

    pub(super) fn stray_closer(&mut self, token: Token) {
        let open = self
            .frames
            .last()
            .filter(|frame| frame.role.is_some())
            .map(|frame| frame.open);
        let written = bracket(token.kind);
        let Some(open) = open.filter(|open| !self.closed_soon(*open)) else {
            if !self.stray_closer {
                let message = format!("`{written}` closes no bracket");
                let found = Diagnostic::new(Code::E0101, token.span, message);
                self.report(found.fix(format!("leave `{written}` out"), token.span, ""));
            }
            self.stray_closer = true;
            return;
        };
        let wanted = bracket(closer(open.kind));
        let message = format!(
            "`{}` is closed by `{wanted}`, not by `{written}`",
            bracket(open.kind)
        );
        let found =
            Diagnostic::new(Code::E0101, token.span, message).label(open.span, "opened here");
        self.report(found.fix(format!("write `{wanted}`"), token.span, wanted));
        self.finish_group(token.span, false);
    }

    /// Whether the bracket's own closer follows near on the same line.
    pub(super) fn closed_soon(&self, open: Token) -> bool {
        const NEAR: usize = 48;
        let end = self
            .lexed
            .lines
            .get(self.raw + 1)
            .map_or(self.lexed.tokens.len(), |next| next.first as usize);
        let rest = self.lexed.tokens.get(self.at + 1..end).unwrap_or(&[]);
        let mut depth = 0;
        for token in rest.iter().take(NEAR) {
            if token.kind == open.kind {
                depth += 1;
            } else if token.kind == closer(open.kind) {
                if depth == 0 {
                    return true;
                }
                depth -= 1;
            }
        }
        false
    }

    pub(super) fn finish_group(&mut self, close: Span, quiet: bool) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let Some(mut role) = frame.role else {
            self.frames.push(frame);
            return;
        };
        if role == Role::Paren && self.kind_at(self.at + 1) == Kind::FatArrow && !quiet {
            role = Role::LambdaParams;
        }
        let too_deep = frame.too_deep;
        let tokens = self.store(frame.tokens);
        let span = frame.open.span.to(close);
        if let Some(parent) = self.frames.last_mut() {
            parent.too_deep |= too_deep;
            if quiet || too_deep {
                self.out.unfinished.push(called_by(&parent.tokens, span));
            }
        }
        let extra = self.out.groups.len() as u32;
        self.out.groups.push(Group {
            role,
            tokens,
            span,
            quiet,
            too_deep,
        });
        self.push(Token {
            kind: Kind::Group(role),
            span,
            extra,
        });
    }

    pub(super) fn store(&mut self, mut tokens: Vec<Token>) -> Range<usize> {
        let start = self.out.arena.len();
        self.out.arena.append(&mut tokens);
        self.spare.push(tokens);
        start..self.out.arena.len()
    }

    pub(super) fn report_unclosed(&mut self) {
        let Some(open) = self.frames.last().map(|frame| frame.open) else {
            return;
        };
        if matches!(
            open.kind,
            Kind::LParen | Kind::LBracket | Kind::LBrace | Kind::HoleOpen
        ) {
            let message = format!("`{}` is never closed", bracket(open.kind));
            self.report(Diagnostic::new(Code::E0102, open.span, message));
        }
    }

    /// Closes brackets that the text's end or a declaration leaves open. `true` if an earlier line
    /// was found at which the text is read on instead.
    pub(super) fn close_open(&mut self) -> bool {
        if !self.is_open() {
            return false;
        }
        if self.skipped.is_empty() {
            let resumed = self.resume();
            self.report_unclosed();
            self.close_quietly();
            if resumed {
                self.finish_line();
            }
            return resumed;
        }
        self.close_quietly();
        false
    }

    /// Goes back to the first line after the unclosed bracket that looks like a statement.
    pub(super) fn resume(&mut self) -> bool {
        let (depth, Some(top)) = (self.frames.len(), self.frames.last()) else {
            return false;
        };
        let open = top.open.span.start;
        let found = self
            .checkpoints
            .iter()
            .find(|c| c.depth == depth && c.open == open)
            .copied();
        let Some(checkpoint) = found else {
            return false;
        };
        let again = self.raw - checkpoint.raw;
        let Some(left) = self.rescans.checked_sub(again + 1) else {
            return false;
        };
        let Some(line) = self.lexed.lines.get(checkpoint.raw) else {
            return false;
        };
        self.rescans = left;
        self.raw = checkpoint.raw;
        self.out.arena.truncate(checkpoint.arena);
        self.out.groups.truncate(checkpoint.groups);
        self.out.diagnostics.truncate(checkpoint.diagnostics);
        self.out.unfinished.truncate(checkpoint.unfinished);
        for frame in &mut self.frames {
            let kept = frame
                .tokens
                .partition_point(|token| token.span.end <= line.start);
            frame.tokens.truncate(kept);
        }
        true
    }

    pub(super) fn close_quietly(&mut self) {
        let end = self.last_end();
        if let Some(open) = self.skipped.first().copied() {
            self.skipped.clear();
            self.push(Token {
                kind: Kind::Bad,
                span: open.span,
                extra: 0,
            });
        }
        while self.is_open() {
            self.finish_group(Span::empty(end), true);
        }
    }

    /// Where the last token of the open brackets ends.
    pub(super) fn last_end(&self) -> u32 {
        let ends = self
            .frames
            .iter()
            .flat_map(|frame| [Some(frame.open), frame.tokens.last().copied()]);
        ends.flatten()
            .map(|token| token.span.end)
            .max()
            .unwrap_or(0)
    }
}

fn ends_in_name(frame: &Frame) -> bool {
    is_params(frame) && frame.tokens.last().is_some_and(|last| last.kind.is_name())
}

fn is_params(frame: &Frame) -> bool {
    frame.role == Some(Role::Params)
}

/// A bracket with what it is the arguments or index of.
fn called_by(before: &[Token], bracket: Span) -> Span {
    let mut start = bracket.start;
    for token in before.iter().rev() {
        let suffixed = token.kind.ends_operand() || token.kind == Kind::Dot;
        if !suffixed || token.span.end != start {
            break;
        }
        start = token.span.start;
    }
    Span::new(start, bracket.end)
}

fn closer(open: Kind) -> Kind {
    match open {
        Kind::LParen => Kind::RParen,
        Kind::LBracket => Kind::RBracket,
        Kind::LBrace => Kind::RBrace,
        Kind::FOpen => Kind::FClose,
        _ => Kind::HoleClose,
    }
}

fn closes(open: Kind, close: Kind) -> bool {
    closer(open) == close
}

fn bracket(kind: Kind) -> &'static str {
    match kind {
        Kind::LParen => "(",
        Kind::RParen => ")",
        Kind::LBracket => "[",
        Kind::RBracket => "]",
        Kind::LBrace | Kind::HoleOpen => "{",
        Kind::RBrace | Kind::HoleClose => "}",
        _ => "\"",
    }
}
