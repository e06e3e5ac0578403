//! Lines as other languages write them: each gets its own message and, where one is sure, its fix.

use strand_source::{Code, Diagnostic, Span};

use super::blocks::{Blocks, Header, Read};
use super::context::Tokens;
use super::reader::Reader;
use crate::ast::{Item, ModelDecl, StmtKind};
use crate::lex::clip;
use crate::token::{Kind, Role, Token};

impl<'s> Blocks<'s> {
    /// Reads a line that begins like another language's; `None` for any other line.
    pub(super) fn pasted(&mut self, tokens: Tokens<'s>) -> Option<Read<'s>> {
        let (first, next) = (*tokens.first()?, tokens.get(1).copied());
        let word = self.reader.context.word(Some(&first));
        let before_name = next.is_some_and(|next| next.kind.is_name());
        let opens = tokens.last().is_some_and(|last| last.kind == Kind::Colon);
        match word {
            "def" | "func" | "function" | "fun" if before_name => Some(self.def(first, tokens)),
            "let" | "var" | "const" | "auto" if before_name => {
                Some(self.let_binding(first, tokens))
            }
            "import" if before_name => Some(self.import_line(tokens)),
            "from" if before_name => {
                let message = "a Python module is imported whole: `import python \"m\" as m`";
                Some(self.refuse(first.span, message, tokens, false))
            }
            "class" | "struct" if before_name && opens => Some(self.class(tokens)),
            "class" | "struct" if before_name => {
                let message = "a model is declared as `model Name:`, with fields and methods";
                Some(self.refuse(first.span, message, tokens, opens))
            }
            "async" | "await" | "del" | "global" | "nonlocal" | "raise" | "yield"
                if before_name || next.is_none() =>
            {
                let message = format!("`{word}` isn't part of Strand");
                Some(self.refuse(first.span, &message, tokens, opens))
            }
            "try" | "except" | "finally" | "match" | "case" | "switch" | "unless" | "until"
            | "loop"
                if opens =>
            {
                let message = format!("`{word}` begins no block of Strand");
                Some(self.refuse(first.span, &message, tokens, true))
            }
            "print" if next.is_some_and(|next| matches!(next.kind, Kind::Str | Kind::Name)) => {
                let rest = Reader::span(tokens.get(1..)?);
                let gap = Span::new(first.span.end, rest.start);
                let found = Diagnostic::new(
                    Code::E0101,
                    first.span,
                    "`print` is a function: its arguments stand in brackets",
                );
                let edits = vec![
                    strand_source::Edit {
                        span: gap,
                        text: "(".into(),
                    },
                    strand_source::Edit {
                        span: Span::empty(rest.end),
                        text: ")".into(),
                    },
                ];
                self.reader
                    .report(tokens, found.fix_edits("write `print(…)`", edits));
                Some(Read::Stmt(StmtKind::Error))
            }
            _ if first.kind == Kind::At && next.is_some() => {
                Some(self.refuse(first.span, "there are no decorators", tokens, false))
            }
            _ => None,
        }
    }

    /// A line that is reported and left out; its block's statements stay.
    fn refuse(&mut self, span: Span, message: &str, tokens: Tokens<'s>, opens: bool) -> Read<'s> {
        self.reader.fault(tokens, Code::E0101, span, message);
        if opens {
            Read::Block(Header::Broken, &[])
        } else {
            Read::Stmt(StmtKind::Error)
        }
    }

    /// `def f(x):` is read as `fn f(x):`.
    pub(super) fn def(&mut self, word: Token, tokens: Tokens<'s>) -> Read<'s> {
        if !tokens
            .get(2)
            .is_some_and(|token| matches!(token.kind, Kind::Group(Role::Params | Role::Args)))
        {
            return Read::Stmt(self.simple(tokens));
        }
        let written = word.span.text(self.reader.text());
        let message = format!("a function is declared with `fn`, not `{}`", clip(written));
        let mut found =
            Diagnostic::new(Code::E0101, word.span, message).fix("write `fn`", word.span, "fn");
        let read = self.function(tokens);
        let decl = match &read {
            Read::Item(Item::Fn(decl)) | Read::Block(Header::Fn(decl), _) => Some(decl),
            _ => None,
        };
        let params = decl.map_or(&[][..], |decl| &decl.params).iter();
        let mut params = params.filter(|param| &*param.name.name != "self");
        let first = params.clone().next();
        if let Some(first) = first.filter(|_| params.all(|param| param.ty.is_none())) {
            found = found.note(format!(
                "Then say which axes each parameter has, as in `{}: [n D]`.",
                first.name.name
            ));
        }
        self.reader.report(&[], found);
        read
    }

    /// `class Net(nn.Module):` is read as `model Net:`.
    fn class(&mut self, tokens: Tokens<'s>) -> Read<'s> {
        let (Some(first), Some(name), Some(colon)) = (tokens.first(), tokens.get(1), tokens.last())
        else {
            return Read::Stmt(StmtKind::Error);
        };
        let head = Span::new(first.span.start, colon.span.start);
        let model = format!("model {}", name.span.text(self.reader.text()));
        let message = "a model is declared as `model Name:`, with fields and methods";
        let found = Diagnostic::new(Code::E0101, first.span, message);
        self.reader.report(&[], found.write(head, model));
        let name = self.reader.context.ident(*name);
        Read::Block(
            Header::Model(ModelDecl {
                name,
                sizes: Vec::new(),
                fields: Vec::new(),
                methods: Vec::new(),
                span: Reader::span(tokens),
            }),
            &[],
        )
    }

    /// `let x = 3` is read as `x = 3`.
    fn let_binding(&mut self, word: Token, tokens: Tokens<'s>) -> Read<'s> {
        let rest = tokens.get(1..).unwrap_or(&[]);
        let written = word.span.text(self.reader.text());
        let gap = Span::new(word.span.start, Reader::span(rest).start);
        let found = Diagnostic::new(
            Code::E0101,
            word.span,
            format!("a name is bound by `=` alone, without `{written}`"),
        );
        self.reader
            .report(&[], found.fix(format!("leave `{written}` out"), gap, ""));
        Read::Stmt(self.simple(rest))
    }

    /// `import torch`, `import numpy as np`
    fn import_line(&mut self, tokens: Tokens<'s>) -> Read<'s> {
        let span = Reader::span(tokens);
        let path_end = tokens
            .iter()
            .position(|token| token.kind == Kind::As)
            .unwrap_or(tokens.len());
        let path = Reader::span(tokens.get(1..path_end).unwrap_or(&[])).text(self.reader.text());
        let name = match tokens.get(path_end + 1) {
            Some(name) => name.span.text(self.reader.text()),
            None => path.rsplit('.').next().unwrap_or(path),
        };
        let torch = matches!(path.split('.').next(), Some("torch" | "numpy" | "math"));
        let found = Diagnostic::new(
            Code::E0101,
            span,
            "a Python module is imported by `import python \"m\" as m`",
        );
        let found = if torch {
            let line = Span::new(span.start, span.end);
            found
                .note("Strand's functions need no import.")
                .fix("leave the line out", line, "")
        } else {
            let instead = format!("import python \"{path}\" as {name}");
            found.fix(format!("write `{}`", clip(&instead)), span, instead)
        };
        self.reader.report(tokens, found);
        Read::Stmt(StmtKind::Error)
    }
}
