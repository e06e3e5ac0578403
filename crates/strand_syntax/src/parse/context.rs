//! What the parsers share: the text, the side tables, what was read so far, and the findings.

use std::cmp::Ordering;

use chumsky::DefaultExpected;
use chumsky::error::{Error, LabelError};
use chumsky::input::{Checkpoint, Cursor};
use chumsky::inspector::Inspector;
use chumsky::span::SimpleSpan;
use chumsky::util::MaybeRef;
use strand_source::{Code, Diagnostic, Span};

use crate::MAX_FINDINGS;
use crate::ast::{
    Arg, Expr, Ident, IndexItem, LambdaParam, Name, Param, Shape, SizeExpr, TypeExpr,
};
use crate::token::{Kind, Role, Token, Value};

/// A flat run of tokens: a line, or what stands in a bracket.
pub(super) type Tokens<'s> = &'s [Token];

/// What stood in a bracket, until the tokens around it take it.
#[derive(Debug, Default)]
pub(super) enum Parsed {
    Args(Vec<Arg>),
    /// `(e)`, a tuple, a literal, an f-string or what stands in `{…}` of one: a whole expression.
    Expr(Expr),
    Index(Vec<IndexItem>),
    Shape(Shape),
    Sizes(Vec<SizeExpr>),
    TypeTuple(Vec<TypeExpr>),
    Params(Vec<Param>),
    LambdaParams(Vec<LambdaParam>),
    /// Couldn't be read, or was taken.
    #[default]
    Taken,
}

/// The state of every parser.
pub(super) struct Context<'s> {
    pub text: &'s str,
    pub values: &'s [Value],
    /// One for each group, in the order of their numbers.
    pub parsed: Vec<Parsed>,
    pub diagnostics: Vec<Diagnostic>,
    /// A finding past the last that is kept.
    pub forgotten: Option<Diagnostic>,
    /// The comparison chain that was read last: its finding, and where its last operand stands.
    pub chain: Option<(usize, Span)>,
    /// The conversion that was read last.
    pub conversion: Option<Span>,
    /// The furthest place at which the rule that runs stopped.
    pub stopped: Option<Fault>,
    /// What the tokens stand in; `None` for a line.
    pub inside: Option<Role>,
}

impl<'s> Context<'s> {
    pub fn name(&self, token: Token) -> Name {
        match self.values.get(token.extra as usize) {
            Some(Value::Name(name)) if token.kind.is_name() || token.kind == Kind::Underscore => {
                name.clone()
            }
            _ => token.span.text(self.text).into(),
        }
    }

    /// The name's characters; empty for what isn't a name.
    pub fn word(&self, token: Option<&Token>) -> &'s str {
        match token
            .filter(|token| token.kind.is_name())
            .and_then(|token| self.values.get(token.extra as usize))
        {
            Some(Value::Name(name)) => name,
            _ => "",
        }
    }

    pub fn ident(&self, token: Token) -> Ident {
        Ident {
            name: self.name(token),
            span: token.span,
        }
    }

    pub fn string(&self, token: Token) -> String {
        match self.values.get(token.extra as usize) {
            Some(Value::Text(text)) => text.clone(),
            _ => String::new(),
        }
    }

    pub fn take(&mut self, group: Token) -> Parsed {
        self.parsed
            .get_mut(group.extra as usize)
            .map(std::mem::take)
            .unwrap_or_default()
    }

    pub fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.push(Diagnostic::new(code, span, message))
    }

    /// Remembers where a rule stopped.
    pub fn stopped(&mut self, fault: Fault) {
        self.stopped = Some(self.stopped.map_or(fault, |before| before.further(fault)));
    }

    /// Keeps a finding, or past the last that is kept forgets it.
    pub fn push(&mut self, diagnostic: Diagnostic) -> &mut Diagnostic {
        let at = self.diagnostics.len();
        if at >= MAX_FINDINGS {
            return self.forgotten.insert(diagnostic);
        }
        self.diagnostics.push(diagnostic);
        &mut self.diagnostics[at]
    }
}

impl<'s> Inspector<'s, Tokens<'s>> for Context<'_> {
    type Checkpoint = ();

    fn on_token(&mut self, _: &Token) {}

    fn on_save<'parse>(&self, _: &Cursor<'s, 'parse, Tokens<'s>>) {}

    fn on_rewind<'parse>(&mut self, _: &Checkpoint<'s, 'parse, Tokens<'s>, ()>) {}
}

/// What could have stood where a parser stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Operand = 1,
    Type = 2,
    Name = 4,
    Size = 8,
    Stage = 16,
    Module = 32,
    Params = 64,
    As = 128,
    From = 256,
    Else = 512,
}

/// Where a parser stopped, and a set of [`Expected`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fault {
    /// The number of the token, or of tokens at the end.
    pub at: usize,
    expected: u16,
}

impl Fault {
    pub fn new(at: usize, expected: Expected) -> Self {
        Self {
            at,
            expected: expected as u16,
        }
    }

    /// Nothing in particular was expected.
    pub fn nothing(at: usize) -> Self {
        Self { at, expected: 0 }
    }

    /// The one further on; of two at one place, both.
    pub fn further(self, other: Self) -> Self {
        match self.at.cmp(&other.at) {
            Ordering::Less => other,
            Ordering::Greater => self,
            Ordering::Equal => Self {
                at: self.at,
                expected: self.expected | other.expected,
            },
        }
    }

    pub fn expects(self, what: Expected) -> bool {
        self.expected & what as u16 != 0
    }

    /// What was expected, for a message; `None` where only an operator or the end could follow.
    pub fn wanted(self) -> Option<&'static str> {
        const WORDS: &[(Expected, &str)] = &[
            (Expected::Type, "a type"),
            (Expected::Size, "a name or a whole number"),
            (Expected::Stage, "a stage"),
            (Expected::Params, "parameters in `(…)`"),
            (Expected::Module, "the module's name as a text"),
            (Expected::As, "`as` and a name"),
            (Expected::From, "`from` and the module's name"),
            (Expected::Else, "`else`"),
            (Expected::Name, "a name"),
            (Expected::Operand, "an expression"),
        ];
        WORDS
            .iter()
            .find(|(what, _)| self.expects(*what))
            .map(|(_, words)| *words)
    }
}

impl<'s> Error<'s, Tokens<'s>> for Fault {
    fn merge(self, other: Self) -> Self {
        self.further(other)
    }
}

impl<'s> LabelError<'s, Tokens<'s>, DefaultExpected<'s, Token>> for Fault {
    fn expected_found<E: IntoIterator<Item = DefaultExpected<'s, Token>>>(
        _: E,
        _: Option<MaybeRef<'s, Token>>,
        span: SimpleSpan,
    ) -> Self {
        Self {
            at: span.start,
            expected: 0,
        }
    }
}
