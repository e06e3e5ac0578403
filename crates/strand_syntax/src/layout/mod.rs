//! Tokens to logical lines: brackets join lines and become one token each, so that a line and the
//! inside of a bracket are flat. That is what bounds the parser's stack: nothing recurses.

mod brackets;
mod roles;

use std::ops::Range;

use strand_source::{Code, Diagnostic, Span};

use crate::MAX_FINDINGS;
use crate::ast::Name;
use crate::lex::{Lexed, RawLine};
use crate::token::{Kind, Role, Token, Value};

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
    /// The brackets that aren't closed, with the names or operands right before them; operators
    /// whose line should go on.
    pub unfinished: Vec<Span>,
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
    unfinished: usize,
}

struct Layouter<'l> {
    lexed: &'l Lexed,
    out: Layout,
    frames: Vec<Frame>,
    spare: Vec<Vec<Token>>,
    /// The models that are declared with sizes.
    sized: Vec<Name>,
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
        sized: Vec::new(),
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
    layouter.find_sized();
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
        if complete || matches!(self.kind_at(first), Kind::For | Kind::If) {
            return false;
        }
        let message = "the line before goes on here: indent this line deeper";
        if !self.is_statement(first) {
            self.report_shallow(line, first, message);
            return true;
        }
        // A statement of its own: only the line before lacks something.
        if let Some(token) = self.lexed.tokens.get(first) {
            self.report(Diagnostic::new(Code::E0103, token.span, message));
        }
        let last = self.frames.first().and_then(|line| line.tokens.last());
        self.out.unfinished.extend(last.map(|last| last.span));
        self.quiet = true;
        false
    }

    /// Whether the raw line from a token on binds something or opens a block.
    fn is_statement(&self, first: usize) -> bool {
        let mut depth = 0_u32;
        let tokens = self.lexed.tokens.get(first..self.line_end()).unwrap_or(&[]);
        tokens.iter().any(|token| {
            match token.kind {
                Kind::LParen | Kind::LBracket | Kind::LBrace => depth += 1,
                Kind::RParen | Kind::RBracket | Kind::RBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && (token.kind.assigns() || token.kind == Kind::Colon)
        })
    }

    fn report_shallow(&mut self, line: RawLine, first: usize, message: &str) {
        let Some(token) = self.lexed.tokens.get(first) else {
            return;
        };
        let found = Diagnostic::new(Code::E0103, token.span, message);
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
