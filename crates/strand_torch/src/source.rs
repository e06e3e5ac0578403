//! The tokens of the Strand text, to find what each piece of Python stands for.

use strand_ir::{Child, Expr, Stmt};
use strand_source::{LineIndex, Span, continues_name};

/// What sort of token it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    Number,
    Text,
    Mark,
}

/// A token of the Strand text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) span: Span,
    pub(crate) kind: TokenKind,
}

/// The Strand text with its tokens and lines.
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) lines: LineIndex<'a>,
    pub(crate) tokens: Vec<Token>,
}

const MARKS: &[&str] = &[
    "...", "|>", "=>", "->", "==", "!=", "<=", ">=", "//", "**", "..", "+=", "-=", "*=", "/=",
];

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            lines: LineIndex::new(text),
            tokens: tokens(text),
        }
    }

    pub(crate) fn line(&self, span: Span) -> u32 {
        self.lines.line(span.start)
    }

    /// The line of a span's last character.
    pub(crate) fn last_line(&self, span: Span) -> u32 {
        self.lines.line(span.end.max(span.start + 1) - 1)
    }

    /// The tokens that lie wholly in a span.
    pub(crate) fn within(&self, span: Span) -> &[Token] {
        let start = self.tokens.partition_point(|t| t.span.start < span.start);
        let end = self.tokens.partition_point(|t| t.span.end <= span.end);
        self.tokens.get(start..end).unwrap_or(&[])
    }

    /// The places of the words and numbers in a span.
    pub(crate) fn words(&self, span: Span) -> Vec<Span> {
        let means = |token: &&Token| matches!(token.kind, TokenKind::Word | TokenKind::Number);
        let found = self.within(span).iter().filter(means);
        found.map(|token| token.span).collect()
    }

    pub(crate) fn spelling(&self, token: Token) -> &'a str {
        token.span.text(self.text)
    }

    /// The first token of that spelling in a span.
    pub(crate) fn find(&self, span: Span, spelling: &str) -> Option<Span> {
        let found = self.within(span).iter();
        let mut found = found.filter(|token| self.spelling(**token) == spelling);
        found.next().map(|token| token.span)
    }

    /// The tokens of an expression that belong to none of its pieces.
    pub(crate) fn own(&self, expr: &Expr) -> Vec<Token> {
        let mut pieces = Vec::new();
        expr.each_child(&mut |child| {
            pieces.push(match child {
                Child::Expr(piece) => piece.span,
                Child::Lambda(lambda) => lambda.span,
            });
        });
        self.without(expr.span, pieces)
    }

    /// The tokens of a statement's header that belong to none of its expressions.
    pub(crate) fn own_of_stmt(&self, stmt: &Stmt) -> Vec<Token> {
        let mut pieces = Vec::new();
        stmt.each_child(&mut |child| {
            if let Child::Expr(piece) = child {
                pieces.push(piece.span);
            }
        });
        for block in stmt.blocks() {
            pieces.extend(block.iter().map(|stmt| stmt.span));
        }
        self.without(stmt.span, pieces)
    }

    /// The tokens in a span that lie in none of the pieces.
    fn without(&self, span: Span, pieces: Vec<Span>) -> Vec<Token> {
        let mut pieces = pieces;
        pieces.retain(|piece| *piece != span);
        strand_source::sort_by_key(&mut pieces, |piece| piece.start);
        let mut pieces = pieces.into_iter().peekable();
        // The end of those that start before the token.
        let mut end = 0;
        let mut own = Vec::new();
        for token in self.within(span) {
            while let Some(piece) = pieces.next_if(|piece| piece.start <= token.span.start) {
                end = end.max(piece.end);
            }
            if end < token.span.end {
                own.push(*token);
            }
        }
        own
    }

    /// The first of an expression's own tokens with one of the spellings.
    pub(crate) fn own_token(&self, expr: &Expr, spellings: &[&str]) -> Option<Span> {
        self.own(expr)
            .into_iter()
            .find(|token| spellings.contains(&self.spelling(*token)))
            .map(|token| token.span)
    }

    /// The number as written, where the span is just a number that Python reads the same.
    pub(crate) fn number(&self, span: Span) -> Option<String> {
        match self.within(span) {
            [token] if token.kind == TokenKind::Number && token.span == span => {
                Some(self.spelling(*token).to_ascii_lowercase())
            }
            _ => None,
        }
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (length, kind) = if c == '#' {
            (rest.find('\n').unwrap_or(rest.len()), None)
        } else if c.is_whitespace() {
            (c.len_utf8(), None)
        } else if c.is_ascii_digit() {
            (number_length(rest), Some(TokenKind::Number))
        } else if c == '"' {
            (text_length(rest), Some(TokenKind::Text))
        } else if rest.starts_with("f\"") {
            (1 + text_length(&rest[1..]), Some(TokenKind::Text))
        } else if is_word(c) {
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            (end, Some(TokenKind::Word))
        } else {
            let mark = MARKS.iter().find(|mark| rest.starts_with(**mark));
            (
                mark.map_or(c.len_utf8(), |mark| mark.len()),
                Some(TokenKind::Mark),
            )
        };
        if let Some(kind) = kind {
            let span = Span::new(at as u32, (at + length) as u32);
            tokens.push(Token { span, kind });
        }
        at += length;
    }
    tokens
}

fn is_word(c: char) -> bool {
    continues_name(c) || (!c.is_ascii() && !c.is_whitespace())
}

fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes
            .get(at)
            .is_some_and(|b| b.is_ascii_digit() || *b == b'_')
        {
            at += 1;
        }
        at
    };
    let mut at = digits(0);
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    if bytes.get(at) == Some(&b'.') && digit(at + 1) {
        at = digits(at + 1);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        if digit(at + 1 + sign) {
            at = digits(at + 1 + sign);
        }
    }
    at
}

fn text_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
