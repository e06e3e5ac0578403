//! Tokens to logical lines: brackets join lines and become one token each, so that a line and the
//! inside of a bracket are flat. That is what bounds the parser's stack: nothing recurses.

use std::ops::Range;

use strand_source::{Code, Diagnostic, Span};

use crate::MAX_FINDINGS;
use crate::ast::Name;
use crate::lex::{Lexed, RawLine};
use crate::token::{Kind, Role, Token, Value};
use crate::words;

/// How many brackets may stand in each other.
pub(crate) const MAX_BRACKETS: usize = 128;

/// A bracket and what stands in it.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub role: Role,
    /// Its tokens in the arena; brackets in it are single tokens.
    pub tokens: Range<usize>,
    pub span: Span,
    /// It isn't closed, which was reported: what else is wrong in it isn't.
    pub quiet: bool,
    /// It holds brackets past the deepest that are kept.
    pub too_deep: bool,
}

/// A statement's or declaration's line with all lines that continue it.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub tokens: Range<usize>,
    pub indent: u32,
    /// Where its indentation starts.
    pub start: u32,
    /// The groups before this number belong to it or to lines before it.
    pub groups: usize,
    /// What is wrong with it was reported.
    pub quiet: bool,
}

/// A laid-out text.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// The tokens of every line and group, each contiguous.
    pub arena: Vec<Token>,
    /// Inner groups before outer ones.
    pub groups: Vec<Group>,
    pub lines: Vec<Line>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Whether a type stands next, which makes `[` a shape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Typing {
    No,
    /// After `:`, `->`, `to`, `as`.
    Start,
    /// After a part of a type.
    Part,
}

/// An open bracket, or at the bottom the line itself.
struct Frame {
    /// `None` for the line.
    role: Option<Role>,
    open: Token,
    tokens: Vec<Token>,
    typing: Typing,
    /// Its first argument may be a type.
    shape_first: bool,
    /// It holds brackets past the deepest that are kept.
    too_deep: bool,
}

/// A place inside brackets at which a line starts, to come back to if they are never closed.
#[derive(Clone, Copy)]
struct Checkpoint {
    raw: usize,
    depth: usize,
    open: u32,
    arena: usize,
    groups: usize,
    diagnostics: usize,
}

struct Layouter<'l> {
    lexed: &'l Lexed,
    out: Layout,
    frames: Vec<Frame>,
    spare: Vec<Vec<Token>>,
    /// The brackets past the deepest that is kept.
    skipped: Vec<Token>,
    checkpoints: Vec<Checkpoint>,
    indent: u32,
    start: u32,
    quiet: bool,
    too_deep: bool,
    stray_closer: bool,
    /// How many lines may still be laid out a second time.
    rescans: usize,
    /// The number of the raw line and token that are read.
    raw: usize,
    at: usize,
}

/// Lays tokens out in lines. Linear in their number.
pub(crate) fn lay_out(lexed: &Lexed) -> Layout {
    let mut layouter = Layouter {
        lexed,
        out: Layout::default(),
        frames: Vec::new(),
        spare: Vec::new(),
        skipped: Vec::new(),
        checkpoints: Vec::new(),
        indent: 0,
        start: 0,
        quiet: false,
        too_deep: false,
        stray_closer: false,
        rescans: lexed.lines.len() * 2 + 16,
        raw: 0,
        at: 0,
    };
    layouter.open_frame(
        None,
        Token {
            kind: Kind::Bad,
            span: Span::empty(0),
            extra: 0,
        },
    );
    layouter.run();
    layouter.out
}

impl Layouter<'_> {
    fn run(&mut self) {
        loop {
            while self.raw < self.lexed.lines.len() {
                self.raw_line();
            }
            if self.was_cut() {
                self.close_quietly();
            }
            if !self.close_open() {
                break;
            }
        }
        self.finish_line();
    }

    fn raw_line(&mut self) {
        let lines = &self.lexed.lines;
        let (Some(line), next) = (lines.get(self.raw).copied(), lines.get(self.raw + 1)) else {
            return;
        };
        let end = next.map_or(self.lexed.tokens.len(), |next| next.first as usize);
        if line.first as usize >= end {
            self.raw += 1;
            return;
        }
        if !self.begin(line) {
            return;
        }
        for at in line.first as usize..end {
            self.at = at;
            if let Some(token) = self.lexed.tokens.get(at) {
                self.token(*token);
            }
        }
        self.raw += 1;
    }

    /// Decides whether a line goes on with the one before; `false` to read from another line on.
    fn begin(&mut self, line: RawLine) -> bool {
        let first = line.first as usize;
        if self.is_open() {
            if self.was_cut() {
                self.close_quietly();
            } else if self.closes_brackets(line) {
                if self.close_open() {
                    return false;
                }
            } else {
                self.checkpoint(line);
                return true;
            }
        } else if self.continues(line, first) {
            return true;
        }
        self.finish_line();
        self.indent = line.indent;
        self.start = line.start;
        true
    }

    fn is_open(&self) -> bool {
        self.frames.len() > 1
    }

    /// Whether a text on the line before is never closed, so that its brackets end with it.
    fn was_cut(&self) -> bool {
        self.raw
            .checked_sub(1)
            .and_then(|at| self.lexed.lines.get(at))
            .is_some_and(|line| line.cut)
    }

    fn kind_at(&self, at: usize) -> Kind {
        self.lexed
            .tokens
            .get(at)
            .map_or(Kind::Bad, |token| token.kind)
    }

    fn name_at(&self, at: usize) -> Option<&Name> {
        let token = self.lexed.tokens.get(at)?;
        match self.lexed.values.get(token.extra as usize)? {
            Value::Name(name) if token.kind == Kind::Name => Some(name),
            _ => None,
        }
    }

    fn starts_declaration(&self, at: usize) -> bool {
        let next = self.kind_at(at + 1);
        match self.kind_at(at) {
            Kind::Dim | Kind::Fn => true,
            Kind::Name => {
                let word = self.name_at(at).map_or("", |name| name);
                let fn_word = matches!(word, "extern" | "export" | "workers") && next == Kind::Fn;
                let name_word = matches!(
                    word,
                    "import" | "model" | "dataset" | "split" | "sink" | "def" | "class"
                );
                fn_word || (name_word && next == Kind::Name)
            }
            _ => false,
        }
    }

    /// Whether this line can't stand inside brackets.
    fn closes_brackets(&self, line: RawLine) -> bool {
        let first = line.first as usize;
        (line.indent == 0 && self.starts_declaration(first))
            || (line.indent <= self.indent && self.kind_at(first).starts_statement())
    }

    fn checkpoint(&mut self, line: RawLine) {
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
        });
    }

    fn last_kind(&self) -> Option<Kind> {
        self.frames.first()?.tokens.last().map(|token| token.kind)
    }

    /// Whether a line outside brackets continues the one before.
    fn continues(&mut self, line: RawLine, first: usize) -> bool {
        let Some(last) = self.last_kind() else {
            return false;
        };
        let deeper = line.indent > self.indent;
        let is_pipe = self.kind_at(first) == Kind::Pipe;
        if !is_pipe && !last.continues_line() {
            return false;
        }
        if deeper {
            return true;
        }
        if is_pipe {
            self.report_shallow(
                line,
                first,
                "a `|>` line is indented deeper than the line it continues",
            );
            return true;
        }
        let complete = self.starts_declaration(first) || self.kind_at(first).starts_statement();
        if !complete && !matches!(self.kind_at(first), Kind::For | Kind::If) {
            self.report_shallow(
                line,
                first,
                "the line before goes on here: indent this line deeper",
            );
            self.quiet = true;
        }
        false
    }

    fn report_shallow(&mut self, line: RawLine, first: usize, message: &str) {
        let Some(token) = self.lexed.tokens.get(first) else {
            return;
        };
        let found = Diagnostic::new(Code::E0103, token.span, message);
        let tokens = self.lexed.tokens.get(first..self.line_end()).unwrap_or(&[]);
        let statement = tokens
            .iter()
            .any(|token| token.kind.assigns() || token.kind == Kind::Colon);
        if token.kind != Kind::Pipe && statement {
            return self.report(found);
        }
        let indentation = Span::new(line.start, token.span.start);
        let deeper = " ".repeat(self.indent as usize + 4);
        self.report(found.fix("indent it deeper", indentation, deeper));
    }

    /// The number of the token after the raw line.
    fn line_end(&self) -> usize {
        self.lexed
            .lines
            .get(self.raw + 1)
            .map_or(self.lexed.tokens.len(), |next| next.first as usize)
    }

    fn report(&mut self, found: Diagnostic) {
        if self.out.diagnostics.len() < MAX_FINDINGS {
            self.out.diagnostics.push(found);
        }
    }

    fn token(&mut self, token: Token) {
        match token.kind {
            Kind::LParen | Kind::LBracket | Kind::LBrace | Kind::FOpen | Kind::HoleOpen => {
                self.open(token)
            }
            Kind::RParen | Kind::RBracket | Kind::RBrace | Kind::FClose | Kind::HoleClose => {
                self.close(token)
            }
            _ if !self.skipped.is_empty() => {}
            _ => self.push(token),
        }
    }

    fn push(&mut self, token: Token) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        // After a point any word is a field: `x.to` isn't a conversion.
        let is_field = frame
            .tokens
            .last()
            .is_some_and(|last| last.kind == Kind::Dot);
        let token = match token.kind.is_keyword() && is_field {
            true => Token {
                kind: Kind::Name,
                extra: u32::MAX,
                ..token
            },
            false => token,
        };
        let declares = match frame.role {
            Some(Role::Params) => true,
            None => {
                frame.tokens.len() == 1
                    && frame
                        .tokens
                        .first()
                        .is_some_and(|first| first.kind.is_name())
            }
            _ => false,
        };
        frame.typing = match token.kind {
            Kind::Arrow | Kind::To | Kind::As => Typing::Start,
            Kind::Colon if declares => Typing::Start,
            Kind::Comma if frame.role == Some(Role::TypeTuple) => Typing::Start,
            Kind::Name if frame.typing != Typing::No => Typing::Part,
            Kind::Group(Role::Shape | Role::TypeTuple | Role::Sizes | Role::IndexSize) => {
                Typing::Part
            }
            _ => Typing::No,
        };
        frame.tokens.push(token);
    }

    fn open(&mut self, token: Token) {
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

    fn open_frame(&mut self, role: Option<Role>, open: Token) {
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

    fn name_of(&self, token: Option<&Token>) -> &str {
        let token = token.filter(|token| token.kind == Kind::Name);
        match token.and_then(|token| self.lexed.values.get(token.extra as usize)) {
            Some(Value::Name(name)) => name,
            _ => "",
        }
    }

    /// Whether the name before `(` is `zeros`, `ones` …, not a field of that name.
    fn calls_constructor(&self) -> bool {
        let Some(frame) = self.frames.last() else {
            return false;
        };
        let mut before = frame.tokens.iter().rev();
        words::SHAPE_FIRST.contains(&self.name_of(before.next()))
            && before.next().is_none_or(|t| t.kind != Kind::Dot)
    }

    fn role_of(&self, token: Token) -> Role {
        let Some(frame) = self.frames.last() else {
            return Role::Paren;
        };
        let last = frame.tokens.last();
        let before = frame
            .tokens
            .len()
            .checked_sub(2)
            .and_then(|at| frame.tokens.get(at));
        let after_operand = last.is_some_and(|last| last.kind.ends_operand());
        let sizes = matches!(
            frame.role,
            Some(Role::Shape | Role::Size | Role::IndexSize | Role::Sizes)
        ) || (frame.role.is_none()
            && frame
                .tokens
                .first()
                .is_some_and(|first| first.kind == Kind::Dim));
        match token.kind {
            Kind::FOpen => Role::FString,
            Kind::HoleOpen => Role::Hole,
            Kind::LBrace => Role::Braces,
            Kind::LParen => {
                let declares = |token: Option<&Token>| {
                    token.is_some_and(|token| {
                        token.kind == Kind::Fn || self.name_of(Some(token)) == "def"
                    })
                };
                let number = last.is_some_and(|last| matches!(last.kind, Kind::Int | Kind::Float));
                if frame.role.is_none() && (declares(before) || declares(last)) {
                    Role::Params
                } else if sizes {
                    Role::Size
                } else if frame.typing == Typing::Start {
                    Role::TypeTuple
                } else if after_operand && !number {
                    Role::Args
                } else {
                    Role::Paren
                }
            }
            _ => {
                let name = self.name_of(last);
                let refined = words::DTYPES.contains(&name)
                    || (words::DOMAINS.contains(&name) && name != "Index");
                let first = frame.shape_first && frame.tokens.is_empty();
                let declares_model = frame.role.is_none()
                    && frame.tokens.len() == 2
                    && self.name_of(before) == "model";
                match frame.typing {
                    Typing::Start => Role::Shape,
                    _ if last.is_some_and(|last| last.kind == Kind::Pipe) => Role::Shape,
                    Typing::Part if name == "Index" => Role::IndexSize,
                    Typing::Part if !name.is_empty() && !refined => Role::Sizes,
                    _ if first => Role::Shape,
                    _ if declares_model => Role::Sizes,
                    _ if after_operand => Role::Index,
                    _ => Role::Literal,
                }
            }
        }
    }

    fn close(&mut self, token: Token) {
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

    fn stray_closer(&mut self, token: Token) {
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
    fn closed_soon(&self, open: Token) -> bool {
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

    fn finish_group(&mut self, close: Span, quiet: bool) {
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

    fn store(&mut self, mut tokens: Vec<Token>) -> Range<usize> {
        let start = self.out.arena.len();
        self.out.arena.append(&mut tokens);
        self.spare.push(tokens);
        start..self.out.arena.len()
    }

    fn report_unclosed(&mut self) {
        let Some(open) = self.frames.last().map(|frame| frame.open) else {
            return;
        };
        if matches!(open.kind, Kind::LParen | Kind::LBracket | Kind::HoleOpen) {
            let message = format!("`{}` is never closed", bracket(open.kind));
            self.report(Diagnostic::new(Code::E0102, open.span, message));
        }
    }

    /// Closes brackets that the text's end or a declaration leaves open. `true` if an earlier line
    /// was found at which the text is read on instead.
    fn close_open(&mut self) -> bool {
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
    fn resume(&mut self) -> bool {
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
        for frame in &mut self.frames {
            let kept = frame
                .tokens
                .partition_point(|token| token.span.end <= line.start);
            frame.tokens.truncate(kept);
        }
        true
    }

    fn close_quietly(&mut self) {
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
    fn last_end(&self) -> u32 {
        let ends = self
            .frames
            .iter()
            .flat_map(|frame| [Some(frame.open), frame.tokens.last().copied()]);
        ends.flatten()
            .map(|token| token.span.end)
            .max()
            .unwrap_or(0)
    }

    fn finish_line(&mut self) {
        let Some(frame) = self.frames.first_mut() else {
            return;
        };
        let tokens = std::mem::take(&mut frame.tokens);
        frame.typing = Typing::No;
        let quiet = std::mem::take(&mut self.quiet);
        self.too_deep = false;
        self.stray_closer = false;
        self.checkpoints.clear();
        if tokens.is_empty() {
            return;
        }
        let tokens = self.store(tokens);
        let groups = self.out.groups.len();
        self.out.lines.push(Line {
            tokens,
            indent: self.indent,
            start: self.start,
            groups,
            quiet,
        });
    }
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
