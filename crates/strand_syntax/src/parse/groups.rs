//! What stands in brackets, read piece by piece between commas, so that a bad piece costs no other.

use strand_source::{Code, Diagnostic, Edit, Span, continues_name};

use super::build;
use super::context::{Parsed, Tokens};
use super::explain;
use super::reader::Reader;
use crate::ast::*;
use crate::layout::Group;
use crate::lex::clip;
use crate::token::{Kind, Role, Token};

impl<'s> Reader<'s> {
    /// Reads the group of the next number.
    pub fn group(&mut self, group: &'s Group) {
        let tokens = self.layout.arena.get(group.tokens.clone()).unwrap_or(&[]);
        let quiet = self.quiet;
        self.quiet |= group.quiet;
        self.context.inside = Some(group.role);
        let before = self.context.diagnostics.len();
        let parsed = match group.role {
            Role::Args => Parsed::Args(self.args(tokens)),
            Role::Paren => Parsed::Expr(self.paren(tokens, group.span)),
            Role::Literal => Parsed::Expr(self.literal(tokens, group.span)),
            Role::Index => Parsed::Index(self.index(tokens, group.span)),
            Role::Shape => self.shape(tokens, group.span),
            Role::Sizes => Parsed::Sizes(match self.quoted_shape(tokens, group.span) {
                Some(bad) => vec![bad],
                None => self.axes(tokens),
            }),
            Role::IndexSize | Role::Size => Parsed::Sizes(self.one_size(tokens, group.span)),
            Role::TypeTuple => Parsed::TypeTuple(self.types(tokens, group.span)),
            Role::Params => Parsed::Params(self.params(tokens)),
            Role::LambdaParams => Parsed::LambdaParams(self.lambda_params(tokens, group.span)),
            Role::FString => Parsed::Expr(self.f_string(tokens, group.span)),
            Role::Hole => Parsed::Expr(self.hole(tokens, group.span)),
            Role::Braces => Parsed::Expr(self.braces(tokens, group.span)),
        };
        self.quiet = quiet;
        self.context.inside = None;
        let too_deep = self
            .context
            .diagnostics
            .get(before..)
            .is_some_and(|new| new.iter().any(|d| d.code == Code::E0107));
        let holds = |token: &Token| {
            matches!(token.kind, Kind::Group(_))
                && self.too_deep.get(token.extra as usize) == Some(&true)
        };
        self.too_deep
            .push(too_deep || group.too_deep || tokens.iter().any(holds));
        let deepest = tokens
            .split(|token| token.kind == Kind::Comma)
            .map(|piece| self.piece_depth(piece, group.role))
            .max();
        self.depths.push(deepest.unwrap_or(1));
        self.context.parsed.push(parsed);
    }

    /// The depth of a piece's tree; one that was too deep was left out.
    fn piece_depth(&self, tokens: &[Token], role: Role) -> u32 {
        let children = tokens
            .iter()
            .filter(|token| matches!(token.kind, Kind::Group(_)));
        let inner = children
            .filter_map(|token| self.depths.get(token.extra as usize))
            .max()
            .copied()
            .unwrap_or(0);
        if matches!(role, Role::FString | Role::Shape | Role::Sizes) {
            return 1 + inner;
        }
        let counts = |kind: Kind| kind.adds_depth() || matches!(kind, Kind::Pipe | Kind::FatArrow);
        let chain = tokens.iter().filter(|token| counts(token.kind)).count() as u32;
        let depth = chain + inner.max(1);
        if depth > super::reader::MAX_DEPTH {
            1
        } else {
            depth
        }
    }

    /// The pieces between commas with the comma after each; an empty last piece is left out.
    fn pieces(&mut self, tokens: Tokens<'s>, what: &str) -> Vec<Tokens<'s>> {
        let mut pieces = self.split_at_commas(tokens);
        if pieces.last().is_some_and(|last| last.is_empty()) {
            pieces.pop();
        }
        if pieces.iter().any(|piece| piece.is_empty()) {
            let mut before_comma = tokens
                .iter()
                .zip(std::iter::once(Kind::Comma).chain(tokens.iter().map(|t| t.kind)));
            let lone = before_comma
                .find(|(token, before)| token.kind == Kind::Comma && *before == Kind::Comma);
            let span = lone.map_or(Self::span(tokens), |(token, _)| token.span);
            let message = format!("{what} is missing before this comma");
            self.report(
                tokens,
                Diagnostic::new(Code::E0101, span, message).fix("leave the comma out", span, ""),
            );
            pieces.retain(|piece| !piece.is_empty());
        }
        pieces
    }

    /// The runs between commas; those of `lambda a, b: e` separate nothing.
    fn split_at_commas(&self, tokens: Tokens<'s>) -> Vec<Tokens<'s>> {
        let mut pieces = Vec::new();
        let mut start = 0;
        let mut colon_from = 0;
        for (at, token) in tokens.iter().enumerate() {
            if token.kind != Kind::Comma || at < colon_from {
                continue;
            }
            let piece = tokens.get(start..at).unwrap_or(&[]);
            let is_lambda = self.context.word(piece.first()) == "lambda";
            if is_lambda && !piece.iter().any(|token| token.kind == Kind::Colon) {
                let rest = tokens.get(at..).unwrap_or(&[]);
                if let Some(colon) = rest.iter().position(|token| token.kind == Kind::Colon) {
                    colon_from = at + colon;
                    continue;
                }
            }
            pieces.push(piece);
            start = at + 1;
        }
        pieces.push(tokens.get(start..).unwrap_or(&[]));
        pieces
    }

    fn args(&mut self, tokens: Tokens<'s>) -> Vec<Arg> {
        let pieces = self.pieces(tokens, "an argument");
        pieces.into_iter().map(|piece| self.arg(piece)).collect()
    }

    fn arg(&mut self, tokens: Tokens<'s>) -> Arg {
        let span = Self::span(tokens);
        let mut rest = tokens;
        let mut name = None;
        if let [first, equals, value @ ..] = rest
            && equals.kind == Kind::Eq
            && (first.kind.is_name() || first.kind.is_keyword())
        {
            // `dim=0` is PyTorch's `over=`, which the checker says.
            if first.kind.is_keyword() && first.kind != Kind::Dim {
                let found = explain::keyword_as_name(*first, &self.context);
                self.report(tokens, found);
            }
            name = Some(self.context.ident(*first));
            rest = value;
            if value.is_empty() {
                let message = format!(
                    "a value is missing after `{}=`",
                    clip(first.span.text(self.text()))
                );
                self.fault(tokens, Code::E0101, equals.span, message);
                return Arg {
                    name,
                    mutable: None,
                    value: build::error(Span::empty(equals.span.end)),
                    span,
                };
            }
        }
        let mut mutable = None;
        if let [first, second, ..] = rest
            && first.kind == Kind::Mut
        {
            let apart = first.span.end < second.span.start;
            if second.kind.is_name() {
                mutable = Some(first.span);
                rest = rest.get(1..).unwrap_or(&[]);
            } else if apart && (second.kind.is_atom() || matches!(second.kind, Kind::Group(_))) {
                let message = "a `mut` argument is a variable, or a field of one";
                self.fault(tokens, Code::E0705, Reader::span(rest), message);
                return Arg {
                    name,
                    mutable: None,
                    value: build::error(Reader::span(rest)),
                    span,
                };
            }
        }
        let value = self.arg_value(rest);
        Arg {
            name,
            mutable,
            value,
            span,
        }
    }

    /// A value, or a type where a shape stands first.
    fn arg_value(&mut self, tokens: Tokens<'s>) -> Expr {
        if tokens
            .first()
            .is_some_and(|first| first.kind == Kind::Group(Role::Shape))
        {
            let ty = self.ty(tokens);
            let span = ty.span;
            return build::expr(ExprKind::Type(ty), span);
        }
        // `map(to f32)`: the stage `to f32`, of the element that stands before it.
        if let [word, rest @ ..] = tokens
            && matches!(word.kind, Kind::To | Kind::As)
            && !rest.is_empty()
        {
            let element = build::expr(ExprKind::Placeholder, Span::empty(word.span.start));
            let ty = self.ty(rest);
            return build::convert(element, *word, ty, &mut self.context);
        }
        self.value(tokens)
    }

    fn paren(&mut self, tokens: Tokens<'s>, span: Span) -> Expr {
        if tokens.is_empty() {
            self.fault(
                tokens,
                Code::E0101,
                span,
                "an expression is missing in these brackets",
            );
            return build::error(span);
        }
        let pieces = self.pieces(tokens, "an element");
        let is_tuple = tokens.iter().any(|token| token.kind == Kind::Comma);
        let mut values: Vec<Expr> = pieces.into_iter().map(|piece| self.value(piece)).collect();
        match values.pop() {
            Some(only) if !is_tuple => build::expr(ExprKind::Paren(Box::new(only)), span),
            last => {
                values.extend(last);
                build::expr(ExprKind::Tuple(values), span)
            }
        }
    }

    fn literal(&mut self, tokens: Tokens<'s>, span: Span) -> Expr {
        if tokens.is_empty() {
            let found = Diagnostic::new(Code::E0101, span, "a literal holds at least one element");
            self.report(
                tokens,
                found.note("A tensor without elements is made by `zeros([0])`."),
            );
            return build::error(span);
        }
        let pieces = self.pieces(tokens, "an element");
        let values = pieces.into_iter().map(|piece| self.value(piece)).collect();
        build::expr(ExprKind::Literal(values), span)
    }

    fn index(&mut self, tokens: Tokens<'s>, span: Span) -> Vec<IndexItem> {
        if tokens.is_empty() {
            self.fault(
                tokens,
                Code::E0101,
                span,
                "an index is missing in these brackets",
            );
            return vec![IndexItem::Expr(build::error(span))];
        }
        let pieces = self.pieces(tokens, "an index");
        self.python_slices(tokens, &pieces);
        let sliced = tokens.iter().any(|token| token.kind == Kind::Colon);
        pieces
            .into_iter()
            .map(|piece| match self.python_none(piece).filter(|_| sliced) {
                Some(none) => IndexItem::NewAxis(none),
                None => self.index_item(piece),
            })
            .collect()
    }

    fn index_item(&mut self, tokens: Tokens<'s>) -> IndexItem {
        let span = Self::span(tokens);
        if let [only] = tokens {
            match only.kind {
                Kind::Ellipsis => return IndexItem::Ellipsis(only.span),
                Kind::Newaxis => return IndexItem::NewAxis(only.span),
                _ => {}
            }
        }
        let Some(dots) = tokens
            .iter()
            .position(|token| matches!(token.kind, Kind::DotDot | Kind::Colon))
        else {
            return IndexItem::Expr(self.value(tokens));
        };
        let (start, rest) = (
            tokens.get(..dots).unwrap_or(&[]),
            tokens.get(dots + 1..).unwrap_or(&[]),
        );
        let is_by = |token: &Token| matches!(token.kind, Kind::By | Kind::Colon);
        let (end, step) = match rest.iter().position(is_by) {
            Some(by) => (
                rest.get(..by).unwrap_or(&[]),
                Some(rest.get(by..).unwrap_or(&[])),
            ),
            None => (rest, None),
        };
        let start = self.bound(start);
        let end = self.bound(end);
        let step = match step {
            Some([by]) if by.kind == Kind::By => {
                self.fault(tokens, Code::E0101, by.span, "a step is missing after `by`");
                None
            }
            Some([_, step @ ..]) => self.bound(step),
            _ => None,
        };
        IndexItem::Slice(Box::new(Range {
            start,
            end,
            step,
            span,
        }))
    }

    fn bound(&mut self, tokens: Tokens<'s>) -> Option<Expr> {
        (!tokens.is_empty()).then(|| self.value(tokens))
    }

    /// `1:3`, `:`, `::-1`: one finding for all of an index, whose fix writes them with `..`.
    fn python_slices(&mut self, tokens: Tokens<'s>, pieces: &[Tokens<'s>]) {
        let Some(first) = tokens.iter().find(|token| token.kind == Kind::Colon) else {
            return;
        };
        let mut edits = Vec::new();
        for piece in pieces {
            let colons: Vec<Span> = piece
                .iter()
                .filter(|token| token.kind == Kind::Colon)
                .map(|token| token.span)
                .collect();
            if let Some(none) = self.python_none(piece) {
                edits.push(Edit {
                    span: none,
                    text: "newaxis".into(),
                });
            }
            let Some(slice) = colons.first() else {
                continue;
            };
            edits.push(Edit {
                span: *slice,
                text: "..".into(),
            });
            if let Some(step) = colons.get(1) {
                let has_step = piece.last().is_some_and(|last| last.span != *step);
                let text = if has_step { " by " } else { "" };
                edits.push(Edit {
                    span: *step,
                    text: text.into(),
                });
            }
        }
        let found = Diagnostic::new(
            Code::E0101,
            first.span,
            "a slice is written with `..`, as in `1..3`",
        );
        let title = match edits.as_slice() {
            [_] => "write `..`".to_string(),
            _ => format!("write `[{}]`", clip(&self.edited(tokens, &edits))),
        };
        self.report(&[], found.fix_edits(title, edits));
    }

    /// The text of some tokens after edits, which stand in order.
    fn edited(&self, tokens: Tokens<'s>, edits: &[Edit]) -> String {
        let whole = Self::span(tokens);
        let (mut text, mut at) = (String::new(), whole.start);
        for edit in edits {
            text.push_str(Span::new(at, edit.span.start).text(self.text()));
            text.push_str(&edit.text);
            at = edit.span.end;
        }
        text.push_str(Span::new(at, whole.end).text(self.text()));
        text
    }

    /// Python's `None` as a whole item of an index.
    fn python_none(&self, piece: Tokens<'s>) -> Option<Span> {
        match piece {
            [only] if self.context.word(Some(only)) == "None" => Some(only.span),
            [module, dot, name]
                if dot.kind == Kind::Dot && name.span.text(self.text()) == "newaxis" =>
            {
                Some(module.span.to(name.span))
            }
            _ => None,
        }
    }

    fn shape(&mut self, tokens: Tokens<'s>, span: Span) -> Parsed {
        Parsed::Shape(Shape {
            axes: self.axes(tokens),
            span,
        })
    }

    /// `Float[Tensor, "n d"]`: the shape as a text.
    fn quoted_shape(&mut self, tokens: Tokens<'s>, span: Span) -> Option<SizeExpr> {
        let [.., comma, text] = tokens else {
            return None;
        };
        if comma.kind != Kind::Comma || text.kind != Kind::Str {
            return None;
        }
        let quoted = text.span.text(self.text()).trim_matches(['"', '\'']);
        let before = self.text().get(..span.start as usize).unwrap_or("");
        let word = before.trim_end_matches(continues_name);
        let named = before.get(word.len()..).unwrap_or("");
        let dtype = match named {
            "Int" | "Int64" | "Integer" => " i64",
            "Int32" => " i32",
            "Bool" => " bool",
            "Float64" => " f64",
            _ => "",
        };
        let whole = Span::new(word.len() as u32, span.end);
        let shape = format!("[{quoted}]{dtype}");
        let message = "a tensor's type is its shape, as in `[n D]`";
        let found = Diagnostic::new(Code::E0101, whole, message);
        let found = found.write(whole, shape);
        self.report(&[], found);
        Some(SizeExpr {
            kind: SizeExprKind::Error,
            span,
        })
    }

    fn axes(&mut self, tokens: Tokens<'s>) -> Vec<SizeExpr> {
        let commas: Vec<&Token> = tokens
            .iter()
            .filter(|token| token.kind == Kind::Comma)
            .collect();
        if let Some(first) = commas.first() {
            let edits = commas
                .iter()
                .map(|comma| self.comma_edit(comma.span))
                .collect();
            let found = Diagnostic::new(
                Code::E0101,
                first.span,
                "axes stand next to each other, without commas",
            );
            self.report(&[], found.fix_edits("leave the commas out", edits));
        }
        let mut axes = Vec::new();
        for piece in tokens.split(|token| token.kind == Kind::Comma) {
            match self.run(|grammar| &grammar.axes, piece) {
                Ok(read) => axes.extend(read),
                Err(fault) => {
                    let found = explain::axes(piece, fault, &self.context);
                    self.report(piece, found);
                    axes.push(SizeExpr {
                        kind: SizeExprKind::Error,
                        span: Self::span(piece),
                    });
                }
            }
        }
        axes
    }

    /// A comma becomes a space where none follows.
    fn comma_edit(&self, span: Span) -> Edit {
        let spaced = self
            .text()
            .get(span.end as usize..)
            .is_some_and(|rest| rest.starts_with([' ', ']', '\n']));
        Edit {
            span,
            text: if spaced { String::new() } else { " ".into() },
        }
    }

    fn one_size(&mut self, tokens: Tokens<'s>, span: Span) -> Vec<SizeExpr> {
        if tokens.is_empty() {
            self.fault(
                tokens,
                Code::E0101,
                span,
                "a size is missing in these brackets",
            );
            return vec![SizeExpr {
                kind: SizeExprKind::Error,
                span,
            }];
        }
        vec![self.size(tokens)]
    }

    fn types(&mut self, tokens: Tokens<'s>, span: Span) -> Vec<TypeExpr> {
        if tokens.is_empty() {
            self.fault(
                tokens,
                Code::E0101,
                span,
                "a type is missing in these brackets",
            );
            return vec![build::bad_type(span)];
        }
        let pieces = self.pieces(tokens, "a type");
        pieces.into_iter().map(|piece| self.ty(piece)).collect()
    }

    fn params(&mut self, tokens: Tokens<'s>) -> Vec<Param> {
        let pieces = self.pieces(tokens, "a parameter");
        pieces.into_iter().map(|piece| self.param(piece)).collect()
    }

    fn param(&mut self, tokens: Tokens<'s>) -> Param {
        let span = Self::span(tokens);
        let equals = tokens.iter().position(|token| token.kind == Kind::Eq);
        let head = tokens.get(..equals.unwrap_or(tokens.len())).unwrap_or(&[]);
        let default = equals.map(|at| {
            let value = tokens.get(at + 1..).unwrap_or(&[]);
            if value.is_empty() {
                let equals = tokens.get(at).map_or(span, |token| token.span);
                self.fault(
                    tokens,
                    Code::E0101,
                    equals,
                    "a default is missing after `=`",
                );
                return build::error(Span::empty(equals.end));
            }
            self.value(value)
        });
        if self.depth(head).is_none() {
            return self.bad_param(tokens, default);
        }
        match self.run(|grammar| &grammar.param, head) {
            Ok(read) => Param {
                mutable: read.mutable,
                name: read.name,
                ty: read.ty,
                default,
                span,
            },
            Err(fault) => {
                let found = explain::param(head, fault, &self.context);
                self.report(tokens, found);
                self.bad_param(tokens, default)
            }
        }
    }

    /// Keeps the parameter's place and, where there is one, its name.
    fn bad_param(&mut self, tokens: Tokens<'s>, default: Option<Expr>) -> Param {
        let span = Self::span(tokens);
        let name = tokens.iter().find(|token| token.kind == Kind::Name);
        let name = name.map_or(
            Ident {
                name: "_".into(),
                span,
            },
            |token| self.context.ident(*token),
        );
        Param {
            mutable: None,
            name,
            ty: Some(build::bad_type(span)),
            default,
            span,
        }
    }

    fn lambda_params(&mut self, tokens: Tokens<'s>, span: Span) -> Vec<LambdaParam> {
        if tokens.is_empty() {
            self.fault(
                tokens,
                Code::E0101,
                span,
                "a lambda has a parameter for each part of an element",
            );
            return vec![LambdaParam { name: None, span }];
        }
        let pieces = self.pieces(tokens, "a parameter");
        let mut params = Vec::with_capacity(pieces.len());
        for piece in pieces {
            match piece {
                [only] if only.kind.is_name() || only.kind == Kind::Underscore => {
                    params.push(build::lambda_param(*only, &self.context));
                }
                _ => {
                    let span = Self::span(piece);
                    self.fault(
                        piece,
                        Code::E0101,
                        span,
                        "a lambda's parameter is a name alone",
                    );
                    params.push(LambdaParam { name: None, span });
                }
            }
        }
        params
    }

    fn f_string(&mut self, tokens: Tokens<'s>, span: Span) -> Expr {
        let mut parts = Vec::with_capacity(tokens.len());
        for token in tokens {
            match token.kind {
                Kind::FText => parts.push(FPart::Text(self.context.string(*token))),
                Kind::Group(Role::Hole) => {
                    let hole = match self.context.take(*token) {
                        Parsed::Expr(hole) => hole,
                        _ => build::error(token.span),
                    };
                    parts.push(FPart::Expr(hole));
                }
                Kind::Bad => parts.push(FPart::Expr(build::error(token.span))),
                _ => {}
            }
        }
        build::expr(ExprKind::FString(parts), span)
    }

    fn hole(&mut self, tokens: Tokens<'s>, span: Span) -> Expr {
        if tokens.is_empty() {
            self.fault(
                tokens,
                Code::E0101,
                span,
                "an expression is missing between `{` and `}`",
            );
            return build::error(span);
        }
        self.value(tokens)
    }

    fn braces(&mut self, tokens: Tokens<'s>, span: Span) -> Expr {
        let brace = Span::new(span.start, span.start + 1);
        let found = Diagnostic::new(Code::E0101, brace, "`{…}` isn't part of Strand");
        self.report(
            tokens,
            found.note("Blocks are indented after `:`; there are no dicts or sets."),
        );
        build::error(span)
    }
}
