//! Declarations, and which lines are one.

use strand_source::{Code, Diagnostic, Span};

use super::blocks::{Blocks, Header, Read};
use super::build;
use super::context::{Fault, Tokens};
use super::explain;
use super::reader::Reader;
use crate::ast::*;
use crate::token::{Kind, Role, Token};

impl<'s> Blocks<'s> {
    /// Reads a line. `before` is the number of findings before its brackets were read.
    pub(super) fn classify(&mut self, tokens: Tokens<'s>, before: usize) -> Read<'s> {
        let Some(first) = tokens.first().copied() else {
            return Read::Nothing;
        };
        let next = tokens.get(1).map_or(Kind::Bad, |token| token.kind);
        if self.in_reserved() {
            return Read::Nothing;
        }
        if self.in_model() {
            return self.model_line(tokens);
        }
        let word = self.reader.context.word(Some(&first));
        let read = match (word, first.kind, next) {
            (_, Kind::Dim, _) => self.dim(tokens),
            (_, Kind::Fn, _) => self.function(tokens),
            ("extern", _, Kind::Fn) => self.external(tokens),
            ("import", _, Kind::Name) if self.second_word(tokens) == "python" => {
                self.import(tokens)
            }
            ("model", _, kind) if kind.is_name() => self.model(tokens),
            ("export" | "workers", _, Kind::Fn) => self.reserved(tokens, before),
            ("dataset" | "split" | "sink", _, kind) if kind.is_name() => {
                self.reserved(tokens, before)
            }
            _ => return self.statement(tokens),
        };
        if !self.at_top() {
            let message = format!(
                "`{}` stands at the top level, not in a block",
                first.span.text(self.reader.text())
            );
            self.reader.fault(tokens, Code::E0101, first.span, message);
        }
        read
    }

    pub(super) fn second_word(&self, tokens: Tokens<'s>) -> &'s str {
        self.reader.context.word(tokens.get(1))
    }

    fn declaration_fault(&mut self, tokens: Tokens<'s>, fault: Fault) {
        let found = explain::declaration(tokens, fault, &self.reader.context);
        self.reader.report(tokens, found);
    }

    /// `dim D = 8`
    fn dim(&mut self, tokens: Tokens<'s>) -> Read<'s> {
        let span = Reader::span(tokens);
        let bad = |span| SizeExpr {
            kind: SizeExprKind::Error,
            span,
        };
        let [_, name, equals, value @ ..] = tokens else {
            let last = tokens.last().map_or(span, |last| last.span);
            let keyword = tokens.get(1).filter(|name| name.kind.is_keyword());
            match (keyword, tokens.get(1).filter(|name| name.kind.is_name())) {
                (Some(keyword), _) => self.keyword_fault(tokens, *keyword),
                _ => self.reader.fault(
                    tokens,
                    Code::E0101,
                    last,
                    "a dim is declared as `dim D = 8`",
                ),
            }
            return match tokens.get(1).filter(|name| name.kind.is_name()) {
                Some(name) => {
                    let name = self.reader.context.ident(*name);
                    Read::Item(Item::Dim(DimDecl {
                        name,
                        value: bad(last),
                        span,
                    }))
                }
                None => Read::Stmt(StmtKind::Error),
            };
        };
        if name.kind.is_keyword() {
            self.keyword_fault(tokens, *name);
            return Read::Stmt(StmtKind::Error);
        }
        if !name.kind.is_name() || equals.kind != Kind::Eq {
            let wrong = if name.kind.is_name() { equals } else { name };
            self.reader.fault(
                tokens,
                Code::E0101,
                wrong.span,
                "a dim is declared as `dim D = 8`",
            );
            if !name.kind.is_name() {
                return Read::Stmt(StmtKind::Error);
            }
            let name = self.reader.context.ident(*name);
            return Read::Item(Item::Dim(DimDecl {
                name,
                value: bad(equals.span),
                span,
            }));
        }
        let value = if value.is_empty() {
            self.reader.fault(
                tokens,
                Code::E0101,
                equals.span,
                "a size is missing after `=`",
            );
            bad(Span::empty(equals.span.end))
        } else {
            self.reader.size(value)
        };
        let name = self.reader.context.ident(*name);
        Read::Item(Item::Dim(DimDecl { name, value, span }))
    }

    /// `fn name(parameters) -> result = expression` or `:`
    pub(super) fn function(&mut self, tokens: Tokens<'s>) -> Read<'s> {
        let split = tokens
            .iter()
            .position(|token| matches!(token.kind, Kind::Eq | Kind::Colon));
        let head = tokens.get(..split.unwrap_or(tokens.len())).unwrap_or(&[]);
        let body = split.and_then(|at| tokens.get(at + 1..)).unwrap_or(&[]);
        let opens = split
            .and_then(|at| tokens.get(at))
            .is_some_and(|token| token.kind == Kind::Colon);
        let Some(mut decl) = self.signature(head, tokens) else {
            return if opens {
                Read::Block(Header::Broken, &[])
            } else {
                Read::Stmt(StmtKind::Error)
            };
        };
        match split.and_then(|at| tokens.get(at)) {
            Some(colon) if colon.kind == Kind::Colon && is_result(body) => {
                let message = "a result's type stands after `->`";
                let found = Diagnostic::new(Code::E0101, colon.span, message);
                self.reader
                    .report(tokens, found.fix("write `->`", colon.span, " ->"));
                decl.body = FnBody::Error(colon.span);
                let opens = body.last().is_some_and(|last| last.kind == Kind::Colon);
                match opens {
                    true => Read::Block(Header::Fn(decl), &[]),
                    false => Read::Item(Item::Fn(decl)),
                }
            }
            Some(colon) if colon.kind == Kind::Colon => {
                decl.body = if matches!(decl.body, FnBody::Error(_)) {
                    decl.body
                } else {
                    FnBody::Block(Vec::new())
                };
                Read::Block(Header::Fn(decl), body)
            }
            Some(equals) => {
                if body.is_empty() {
                    self.reader.fault(
                        tokens,
                        Code::E0101,
                        equals.span,
                        "an expression is missing after `=`",
                    );
                    decl.body = FnBody::Error(equals.span);
                } else if !matches!(decl.body, FnBody::Error(_)) {
                    decl.body = FnBody::Expr(self.values(body));
                }
                Read::Item(Item::Fn(decl))
            }
            None => {
                let end = Reader::span(tokens).end;
                if !matches!(decl.body, FnBody::Error(_)) && !self.reader.is_unfinished(tokens) {
                    let last = tokens.last().map_or(Span::empty(end), |last| last.span);
                    let found = Diagnostic::new(
                        Code::E0101,
                        last,
                        "a function's body is missing: `= expression` or `:`",
                    );
                    self.reader
                        .report(tokens, found.fix("write `:`", Span::empty(end), ":"));
                }
                Read::Block(Header::Fn(decl), &[])
            }
        }
    }

    /// The signature; where it can't be read, its name and body stay so that calls mean something.
    fn signature(&mut self, head: Tokens<'s>, tokens: Tokens<'s>) -> Option<FnDecl> {
        let span = Reader::span(tokens);
        let start = Reader::span(head).start;
        let fault = match self.reader.run(|grammar| &grammar.function, head) {
            Ok(read) => {
                let signature = Span::new(start, read.end);
                let (name, params, result) = (read.name, read.params, read.result);
                return Some(FnDecl {
                    name,
                    params,
                    result,
                    body: FnBody::Block(Vec::new()),
                    signature,
                    span,
                });
            }
            Err(fault) => fault,
        };
        self.declaration_fault(head, fault);
        let name = head.get(1).filter(|name| name.kind.is_name())?;
        let name = self.reader.context.ident(*name);
        let body = FnBody::Error(Reader::span(head));
        Some(FnDecl {
            name,
            params: Vec::new(),
            result: None,
            body,
            signature: Reader::span(head),
            span,
        })
    }

    fn external(&mut self, tokens: Tokens<'s>) -> Read<'s> {
        let span = Reader::span(tokens);
        match self.reader.run(|grammar| &grammar.external, tokens) {
            Ok((read, module)) => {
                let (name, params, result) = (read.name, read.params, read.result);
                let (module, module_span) = (self.reader.context.string(module), module.span);
                Read::Item(Item::Extern(ExternDecl {
                    name,
                    params,
                    result,
                    module,
                    module_span,
                    span,
                }))
            }
            Err(fault) => {
                self.declaration_fault(tokens, fault);
                self.unreadable(tokens.get(2), tokens)
            }
        }
    }

    /// A function of which only the name is known, so that calls of it mean something.
    fn unreadable(&mut self, name: Option<&Token>, tokens: Tokens<'s>) -> Read<'s> {
        let span = Reader::span(tokens);
        let Some(name) = name.filter(|name| name.kind.is_name()) else {
            return Read::Stmt(StmtKind::Error);
        };
        let name = self.reader.context.ident(*name);
        let decl = FnDecl {
            name,
            params: Vec::new(),
            result: None,
            body: FnBody::Error(span),
            signature: span,
            span,
        };
        Read::Item(Item::Fn(decl))
    }

    fn import(&mut self, tokens: Tokens<'s>) -> Read<'s> {
        let span = Reader::span(tokens);
        match self.reader.run(|grammar| &grammar.import, tokens) {
            Ok((module, name)) => {
                let (module, module_span) = (self.reader.context.string(module), module.span);
                Read::Item(Item::Import(ImportDecl {
                    module,
                    module_span,
                    name,
                    span,
                }))
            }
            Err(fault) => {
                self.declaration_fault(tokens, fault);
                Read::Stmt(StmtKind::Error)
            }
        }
    }

    fn model(&mut self, tokens: Tokens<'s>) -> Read<'s> {
        let span = Reader::span(tokens);
        let colon = tokens.iter().position(|token| token.kind == Kind::Colon);
        let head = tokens.get(..colon.unwrap_or(tokens.len())).unwrap_or(&[]);
        if colon.is_none() {
            let last = tokens.last().map_or(span, |last| last.span);
            let found =
                Diagnostic::new(Code::E0101, last, "`:` is missing at the end of this line");
            self.reader
                .report(tokens, found.fix("write `:`", Span::empty(span.end), ":"));
        }
        let rest = colon.and_then(|at| tokens.get(at + 1..)).unwrap_or(&[]);
        let (name, sizes) = match self.reader.run(|grammar| &grammar.model, head) {
            Ok((name, sizes)) => (name, self.size_names(sizes)),
            Err(fault) => {
                self.declaration_fault(head, fault);
                let Some(name) = head.get(1) else {
                    return Read::Stmt(StmtKind::Error);
                };
                (self.reader.context.ident(*name), Vec::new())
            }
        };
        Read::Block(
            Header::Model(ModelDecl {
                name,
                sizes,
                fields: Vec::new(),
                methods: Vec::new(),
                span,
            }),
            rest,
        )
    }

    fn size_names(&mut self, sizes: Vec<SizeExpr>) -> Vec<Ident> {
        let mut names = Vec::with_capacity(sizes.len());
        for size in sizes {
            match size.kind {
                SizeExprKind::Name(name) => names.push(Ident {
                    name,
                    span: size.span,
                }),
                SizeExprKind::Error => {}
                _ => self.reader.fault(
                    &[],
                    Code::E0101,
                    size.span,
                    "a model's sizes are names: `model Linear[I O]:`",
                ),
            }
        }
        names
    }

    /// A field or method.
    fn model_line(&mut self, tokens: Tokens<'s>) -> Read<'s> {
        match tokens {
            [first, ..] if first.kind == Kind::Fn => self.function(tokens),
            [first, name, ..]
                if self.reader.context.word(Some(first)) == "def" && name.kind.is_name() =>
            {
                self.def(*first, tokens)
            }
            [only] if only.kind == Kind::Pass => Read::Nothing,
            [name, colon, rest @ ..] if name.kind.is_name() && colon.kind == Kind::Colon => {
                self.field(*name, *colon, rest, tokens)
            }
            _ => {
                let span = tokens.first().map_or(Span::default(), |first| first.span);
                let message = "a model holds fields, `name: Type = value`, and methods, `fn …`";
                self.reader.fault(tokens, Code::E0101, span, message);
                let opens = tokens.last().is_some_and(|last| last.kind == Kind::Colon);
                if opens {
                    Read::Block(Header::TooDeep, &[])
                } else {
                    Read::Nothing
                }
            }
        }
    }

    fn field(
        &mut self,
        name: Token,
        colon: Token,
        rest: Tokens<'s>,
        tokens: Tokens<'s>,
    ) -> Read<'s> {
        let span = Reader::span(tokens);
        let equals = rest.iter().position(|token| token.kind == Kind::Eq);
        let ty = rest.get(..equals.unwrap_or(rest.len())).unwrap_or(&[]);
        let ty = match ty {
            [] => {
                self.reader.fault(
                    tokens,
                    Code::E0101,
                    colon.span,
                    "a type is missing after `:`",
                );
                build::bad_type(colon.span)
            }
            _ => self.field_type(ty),
        };
        let init = equals.and_then(|at| {
            let value = rest.get(at + 1..).unwrap_or(&[]);
            if value.is_empty() {
                let equals = rest.get(at).map_or(span, |token| token.span);
                self.reader.fault(
                    tokens,
                    Code::E0101,
                    equals,
                    "an expression is missing after `=`",
                );
                return None;
            }
            Some(self.reader.value(value))
        });
        let name = self.reader.context.ident(name);
        Read::Field(FieldDecl {
            name,
            ty,
            init,
            span,
        })
    }

    /// A field's type: `6 * Block` is a sequence of submodels.
    fn field_type(&mut self, ty: Tokens<'s>) -> TypeExpr {
        let times = ty.iter().rposition(|token| token.kind == Kind::Star);
        let parts = times.and_then(|at| Some((ty.get(..at)?, ty.get(at + 1..)?)));
        match parts {
            Some((count @ [_, ..], element @ [_, ..])) => TypeExpr {
                span: Reader::span(ty),
                kind: TypeExprKind::Sequence {
                    count: self.reader.size(count),
                    element: Box::new(self.reader.ty(element)),
                },
            },
            _ => self.reader.ty(ty),
        }
    }

    /// A declaration that isn't available yet; what follows in its block is read past.
    fn reserved(&mut self, tokens: Tokens<'s>, before: usize) -> Read<'s> {
        let words: [&'static str; 5] = ["dataset", "split", "workers", "export", "sink"];
        let first = self.reader.context.word(tokens.first());
        let word = words
            .into_iter()
            .find(|word| *word == first)
            .unwrap_or("export");
        let span = Reader::span(tokens);
        let opens = tokens.last().is_some_and(|last| last.kind == Kind::Colon);
        self.reader.context.diagnostics.truncate(before);
        let item = Item::Reserved(Reserved { word, span });
        if opens {
            self.declare(item);
            return Read::Block(Header::Reserved(before), &[]);
        }
        Read::Item(item)
    }
}

/// Whether what follows a function's `:` is its result's type, with what follows that.
fn is_result(body: Tokens<'_>) -> bool {
    let shape = body
        .first()
        .is_some_and(|first| matches!(first.kind, Kind::Group(Role::Shape | Role::Literal)));
    let goes_on = |token: &Token| matches!(token.kind, Kind::Eq | Kind::Colon);
    shape && body.iter().any(goes_on)
}
