//! Lines to blocks, by their indentation.

use strand_source::{Code, Diagnostic, Edit, Span};

use super::context::Tokens;
use super::reader::Reader;
use crate::ast::*;
use crate::layout::Line;
use crate::token::Kind;

/// How many blocks and branches before one may stand around a statement.
const MAX_BLOCKS: u32 = 64;

/// Conditions with their blocks.
type Branches = Vec<(Expr, Vec<Stmt>)>;

/// What a line that opens a block declares or does.
pub(super) enum Header {
    Fn(FnDecl),
    Model(ModelDecl),
    /// Its block is read past; the findings from this number on are forgotten.
    Reserved(usize),
    For {
        target: Target,
        iter: Expr,
        over: Option<Ident>,
        by: Option<Span>,
        header: Span,
    },
    While(Expr),
    /// The branches before, and the condition of this one; `None` for `else`.
    If {
        start: u32,
        branches: Branches,
        condition: Option<Expr>,
    },
    With(Ident),
    /// Not a header that can be read: the block's statements belong to the block around it.
    Broken,
    /// Too deep: what stands in it is left out.
    TooDeep,
}

/// A line, read.
pub(super) enum Read<'s> {
    Item(Item),
    Field(FieldDecl),
    Stmt(StmtKind),
    /// A block follows; what stands after `:` on the same line, if anything.
    Block(Header, Tokens<'s>),
    Nothing,
}

/// A block whose end isn't reached.
struct Open {
    header: Header,
    /// The header's tokens.
    span: Span,
    /// The header's last token.
    last: Span,
    /// The header's column.
    indent: u32,
    /// The column of the body's lines, once one is there.
    body: Option<u32>,
    /// A wrong column that was reported.
    tolerated: Option<u32>,
    /// The number of the last line of a body that isn't indented, which was reported.
    undented: Option<usize>,
    /// A statement stands on the header's line.
    inline: bool,
    /// What is wrong with the header was reported.
    faulty: bool,
    level: u32,
    stmts: Vec<Stmt>,
    /// The last `if` of these statements has more branches than are kept.
    long_if: bool,
}

/// Puts the lines of a reader in blocks.
pub(super) struct Blocks<'s> {
    pub reader: Reader<'s>,
    module: Module,
    open: Vec<Open>,
    /// A wrong column at the top level that was reported.
    tolerated: Option<u32>,
    /// Something was wrong with the line before, so that a deeper line isn't reported too.
    faulty: bool,
    long_if: bool,
}

impl<'s> Blocks<'s> {
    pub fn new(reader: Reader<'s>) -> Self {
        Self {
            reader,
            module: Module::default(),
            open: Vec::new(),
            tolerated: None,
            faulty: false,
            long_if: false,
        }
    }

    /// Reads every line.
    pub fn read(mut self) -> (Module, Vec<Diagnostic>) {
        let layout = self.reader.layout;
        for (at, line) in layout.lines.iter().enumerate() {
            self.dedent(line, at);
            self.line(line);
        }
        self.close_to(0);
        (self.module, self.reader.context.diagnostics)
    }

    /// Closes the blocks that a line isn't in, and reports an indentation that fits none.
    fn dedent(&mut self, line: &Line, at: usize) {
        while let Some(top) = self.open.last() {
            if line.indent > top.indent || top.undented.is_some_and(|last| at <= last) {
                break;
            }
            if let Some(last) = self.undented_body(line, at) {
                self.report_undented(at, last);
                break;
            }
            self.close();
        }
        if self.misplaced_branch(line) {
            return;
        }
        let faulty = self.faulty;
        let (body, tolerated) = match self.open.last_mut() {
            Some(top) => (*top.body.get_or_insert(line.indent), &mut top.tolerated),
            None => (0, &mut self.tolerated),
        };
        if line.indent == body {
            *tolerated = None;
        } else if *tolerated != Some(line.indent) {
            let wrong = tolerated.replace(line.indent);
            let follows_wrong = line.indent > body && wrong.is_some_and(|wrong| wrong > body);
            if !(line.indent > body && faulty || follows_wrong) {
                self.report_indentation(line, at, body);
            }
        }
    }

    fn first_kind(&self, line: &Line) -> Kind {
        let first = self.reader.layout.arena.get(line.tokens.start);
        first.map_or(Kind::Bad, |first| first.kind)
    }

    /// The number of the last line of a function's body that stands where its header does: up to
    /// its last `return`, which stands nowhere else.
    fn undented_body(&self, line: &Line, at: usize) -> Option<usize> {
        let top = self.open.last()?;
        let bare = top.body.is_none() && !top.inline && matches!(top.header, Header::Fn(_));
        if !bare || line.indent != top.indent {
            return None;
        }
        let lines = self.reader.layout.lines.get(at..)?;
        let mut last = None;
        for (after, line) in lines.iter().enumerate() {
            let kind = self.first_kind(line);
            if line.indent < top.indent || matches!(kind, Kind::Fn | Kind::Dim) {
                break;
            }
            if line.indent == top.indent && kind == Kind::Return {
                last = Some(at + after);
            }
        }
        last
    }

    fn report_undented(&mut self, at: usize, last: usize) {
        let Some(lines) = self.reader.layout.lines.get(at..=last) else {
            return;
        };
        let first = lines
            .first()
            .and_then(|line| self.reader.layout.arena.get(line.tokens.start));
        let span = first.map_or(Span::default(), |first| first.span);
        let mut edits: Vec<Edit> = Vec::new();
        for line in lines {
            let Some(first) = self.reader.layout.arena.get(line.tokens.start) else {
                continue;
            };
            if edits
                .last()
                .is_none_or(|edit| edit.span.start != line.start)
            {
                edits.push(Edit {
                    span: Span::new(line.start, first.span.start),
                    text: " ".repeat(line.indent as usize + 4),
                });
            }
        }
        let message = "a function's body is indented deeper than its `fn`";
        let found = Diagnostic::new(Code::E0103, span, message);
        self.reader
            .context
            .push(found.fix_edits("indent them deeper", edits));
        if let Some(top) = self.open.last_mut() {
            top.undented = Some(last);
        }
    }

    /// An `elif` or `else` that stands deeper than its `if`: it ends the block before it all the
    /// same.
    fn misplaced_branch(&mut self, line: &Line) -> bool {
        let Some(top) = self.open.last() else {
            return false;
        };
        let branch = matches!(self.first_kind(line), Kind::Elif | Kind::Else);
        let goes_on = matches!(
            &top.header,
            Header::If {
                condition: Some(_),
                ..
            }
        );
        let inner_if = top.body == Some(line.indent)
            && matches!(top.stmts.last(), Some(stmt) if is_open_if(stmt));
        if !branch || !goes_on || inner_if || line.indent <= top.indent {
            return false;
        }
        let indent = top.indent as usize;
        let Some(first) = self.reader.layout.arena.get(line.tokens.start) else {
            return false;
        };
        let word = first.span.text(self.reader.text());
        let message = format!("`{word}` stands right under its `if`");
        let found = Diagnostic::new(Code::E0103, first.span, message).fix(
            "indent it like its `if`",
            Span::new(line.start, first.span.start),
            " ".repeat(indent),
        );
        self.reader.context.push(found);
        self.close();
        true
    }

    fn report_indentation(&mut self, line: &Line, at: usize, body: u32) {
        let Some(first) = self.reader.layout.arena.get(line.tokens.start) else {
            return;
        };
        let message = if line.indent > body {
            "this line is indented deeper than its block"
        } else {
            "this line's indentation fits no block"
        };
        let mut edits: Vec<Edit> = Vec::new();
        for other in self.reader.layout.lines.get(at..).unwrap_or(&[]) {
            let deeper = line.indent > body && other.indent > line.indent;
            if !(deeper || other.indent == line.indent) || edits.len() > 100 {
                break;
            }
            let Some(token) = self.reader.layout.arena.get(other.tokens.start) else {
                break;
            };
            // Statements after `;` stand on a line that is mended already.
            if edits
                .last()
                .is_some_and(|edit| edit.span.start == other.start)
            {
                continue;
            }
            let indent = (body + other.indent - line.indent) as usize;
            edits.push(Edit {
                span: Span::new(other.start, token.span.start),
                text: " ".repeat(indent),
            });
        }
        let found = Diagnostic::new(Code::E0103, first.span, message);
        self.reader
            .context
            .push(found.fix_edits("indent it like its block", edits));
    }

    fn line(&mut self, line: &'s Line) {
        let tokens = self
            .reader
            .layout
            .arena
            .get(line.tokens.clone())
            .unwrap_or(&[]);
        let before = self.reader.context.diagnostics.len();
        self.reader.quiet = line.quiet;
        let groups = self.reader.context.parsed.len();
        for group in self
            .reader
            .layout
            .groups
            .get(groups..line.groups)
            .unwrap_or(&[])
        {
            self.reader.group(group);
        }
        let read = self.classify(tokens, before);
        let span = Reader::span(tokens);
        self.faulty = line.quiet
            || self.reader.context.diagnostics.len() > before
            || self.reader.is_unfinished(tokens);
        match read {
            Read::Item(item) => self.item(item),
            Read::Field(field) => match self.open.last_mut().map(|open| &mut open.header) {
                Some(Header::Model(model)) => model.fields.push(field),
                _ => self.stmt(Stmt {
                    kind: StmtKind::Error,
                    span,
                }),
            },
            Read::Stmt(kind) => self.stmt(Stmt { kind, span }),
            Read::Block(header, rest) => self.open_block(header, rest, tokens, line),
            Read::Nothing => {}
        }
        self.reader.quiet = false;
    }

    fn item(&mut self, item: Item) {
        match (item, self.open.last_mut().map(|open| &mut open.header)) {
            (Item::Fn(method), Some(Header::Model(model))) => model.methods.push(method),
            (item, _) => self.module.items.push(item),
        }
    }

    fn stmt(&mut self, stmt: Stmt) {
        match self.open.last_mut() {
            Some(open) => {
                open.stmts.push(stmt);
                open.long_if = false;
            }
            None => {
                self.module.items.push(Item::Stmt(stmt));
                self.long_if = false;
            }
        }
    }

    fn open_block(&mut self, header: Header, rest: Tokens<'s>, tokens: Tokens<'s>, line: &Line) {
        let span = Reader::span(tokens);
        let last = tokens.last().map_or(span, |last| last.span);
        let branches = match &header {
            Header::If { branches, .. } => branches.len() as u32,
            _ => 0,
        };
        let level = self.open.last().map_or(0, |open| open.level) + 1 + branches;
        let header = if level > MAX_BLOCKS {
            self.too_deep(header, tokens)
        } else {
            header
        };
        let inline = !rest.is_empty();
        let mut open = Open {
            header,
            span,
            last,
            indent: line.indent,
            body: None,
            tolerated: None,
            undented: None,
            inline,
            faulty: self.faulty,
            level,
            stmts: Vec::new(),
            long_if: false,
        };
        if inline {
            let kind = self.inline(rest, span, line);
            open.stmts.push(Stmt {
                kind,
                span: Reader::span(rest),
            });
        }
        self.open.push(open);
    }

    /// Reports a block that is too deep, once for all that stand in it.
    fn too_deep(&mut self, header: Header, tokens: Tokens<'s>) -> Header {
        let span = Reader::span(tokens);
        let around = self
            .open
            .last()
            .is_some_and(|open| matches!(open.header, Header::TooDeep));
        let mut known = around;
        if let Header::If {
            start, branches, ..
        } = header
            && !branches.is_empty()
        {
            known |= *self.long_if();
            let span = Span::new(start, span.start);
            self.stmt(Stmt {
                kind: StmtKind::If {
                    branches,
                    otherwise: None,
                },
                span,
            });
            *self.long_if() = true;
        }
        let is_branch = *self.long_if();
        if !known {
            let message = if is_branch {
                "this `if` has too many branches"
            } else {
                "blocks stand in each other too deep"
            };
            let word = tokens.first().map_or(span, |first| first.span);
            self.reader
                .context
                .report(Code::E0107, word, message)
                .notes
                .push("Put a part of it into a function of its own.".into());
        }
        Header::TooDeep
    }

    fn long_if(&mut self) -> &mut bool {
        match self.open.last_mut() {
            Some(open) => &mut open.long_if,
            None => &mut self.long_if,
        }
    }

    /// The `if` that an `elif` or `else` goes on: the last statement of the block.
    pub fn take_if(&mut self) -> Option<(u32, Branches)> {
        let last = match self.open.last_mut() {
            Some(open) => open.stmts.pop_if(|stmt| is_open_if(stmt)),
            None => match self
                .module
                .items
                .pop_if(|item| matches!(item, Item::Stmt(stmt) if is_open_if(stmt)))
            {
                Some(Item::Stmt(stmt)) => Some(stmt),
                _ => None,
            },
        };
        let last = last?;
        match last.kind {
            StmtKind::If { branches, .. } => Some((last.span.start, branches)),
            _ => None,
        }
    }

    /// Whether the `if` before has more branches than are kept.
    pub fn follows_long_if(&self) -> bool {
        self.open.last().map_or(self.long_if, |open| open.long_if)
    }

    /// Whether lines are read past.
    pub fn in_reserved(&self) -> bool {
        self.open
            .iter()
            .any(|open| matches!(open.header, Header::Reserved(_)))
    }

    /// Adds a declaration whose block is read past.
    pub fn declare(&mut self, item: Item) {
        self.item(item);
    }

    /// Whether lines of the innermost block are a model's.
    pub fn in_model(&self) -> bool {
        self.open
            .last()
            .is_some_and(|open| matches!(open.header, Header::Model(_)))
    }

    /// Whether lines stand at the top level, a broken block's counted in.
    pub fn at_top(&self) -> bool {
        self.open
            .iter()
            .all(|open| matches!(open.header, Header::Broken | Header::Reserved(_)))
    }

    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            self.close();
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let empty = open.body.is_none() && !open.inline;
        if empty
            && !open.faulty
            && !matches!(
                open.header,
                Header::Reserved(_) | Header::TooDeep | Header::Broken
            )
        {
            self.report_empty(&open);
        }
        let last = open
            .stmts
            .last()
            .map_or(open.span.end, |stmt| stmt.span.end);
        let span = open.span.to(Span::empty(last));
        let body = open.stmts;
        let mut span = span;
        let kind = match open.header {
            Header::Fn(decl) => return self.close_function(decl, body, empty, span),
            Header::Model(mut decl) => {
                let ends = decl
                    .fields
                    .iter()
                    .map(|field| field.span)
                    .chain(decl.methods.iter().map(|method| method.span));
                decl.span = ends.fold(span, Span::to);
                return self.item(Item::Model(decl));
            }
            Header::Reserved(before) => return self.reader.context.diagnostics.truncate(before),
            Header::TooDeep => return,
            Header::Broken => {
                self.stmt(Stmt {
                    kind: StmtKind::Error,
                    span: open.span,
                });
                return body.into_iter().for_each(|stmt| self.stmt(stmt));
            }
            Header::For {
                target,
                iter,
                over,
                by,
                header,
            } => StmtKind::For {
                target,
                iter,
                over,
                by,
                body,
                header,
            },
            Header::While(condition) => StmtKind::While { condition, body },
            Header::If {
                start,
                mut branches,
                condition,
            } => {
                span.start = start;
                match condition {
                    Some(condition) => {
                        branches.push((condition, body));
                        StmtKind::If {
                            branches,
                            otherwise: None,
                        }
                    }
                    None => StmtKind::If {
                        branches,
                        otherwise: Some(body),
                    },
                }
            }
            Header::With(mode) => StmtKind::With { mode, body },
        };
        self.stmt(Stmt { kind, span });
    }

    fn close_function(&mut self, mut decl: FnDecl, body: Vec<Stmt>, empty: bool, span: Span) {
        decl.span = span;
        if let FnBody::Block(_) = decl.body {
            decl.body = if empty {
                FnBody::Error(span)
            } else {
                FnBody::Block(body)
            };
        }
        self.item(Item::Fn(decl));
    }

    fn report_empty(&mut self, open: &Open) {
        let colon = open.last;
        let indent = " ".repeat(open.indent as usize + 4);
        let found = Diagnostic::new(
            Code::E0103,
            colon,
            "a block is missing: indent its lines deeper than this one",
        );
        self.reader.context.push(found.fix(
            "write `pass`",
            Span::empty(open.span.end),
            format!("\n{indent}pass"),
        ));
    }
}

/// Whether a statement is an `if` that an `elif` or `else` can go on.
fn is_open_if(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::If {
            otherwise: None,
            ..
        }
    )
}
