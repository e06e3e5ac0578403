//! Tokens: small and copied freely; what they say beyond their kind lies in a side table.

use strand_source::Span;

use crate::ast::Name;

/// A token at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
    /// For names, numbers and texts the index of their `Value`; for a group its number.
    pub extra: u32,
}

/// What a literal or name says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// A normalised name.
    Name(Name),
    /// A whole number, saturated.
    Int(i64),
    /// A float.
    Float(f64),
    /// A text, unescaped.
    Text(String),
}

/// What a bracketed group means, which the tokens before and after it decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// `f(…)`
    Args,
    /// `(e)` or a tuple.
    Paren,
    /// `[1.0, 2.0]`
    Literal,
    /// `x[…]`
    Index,
    /// `[n D]`
    Shape,
    /// `Linear[D H]`, `model Linear[I O]`
    Sizes,
    /// `Index[n]`
    IndexSize,
    /// `(2 * n)` in a shape or a dim.
    Size,
    /// `(A, B)` where a type stands.
    TypeTuple,
    /// The parameters of a declaration.
    Params,
    /// `(a, b)` before `=>`.
    LambdaParams,
    /// `f"…"`
    FString,
    /// `{e}` in it.
    Hole,
    /// `{…}`, which Strand doesn't have.
    Braces,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Kind {
    Name,
    // Words that are names except where the grammar asks for them.
    By,
    Over,
    Mut,
    From,
    Pad,
    Underscore,
    Dim,
    Fn,
    Return,
    For,
    While,
    Break,
    Continue,
    Pass,
    In,
    If,
    Elif,
    Else,
    And,
    Or,
    Not,
    To,
    As,
    Assert,
    True,
    False,
    Newaxis,
    Int,
    Float,
    Str,
    FOpen,
    FText,
    FClose,
    HoleOpen,
    HoleClose,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Comma,
    Colon,
    Dot,
    DotDot,
    Ellipsis,
    Arrow,
    FatArrow,
    Pipe,
    Eq,
    PlusEq,
    MinusEq,
    StarEq,
    SlashEq,
    EqEq,
    NotEq,
    Lt,
    Le,
    Gt,
    Ge,
    Plus,
    Minus,
    Star,
    Slash,
    SlashSlash,
    Percent,
    At,
    StarStar,
    /// What was already reported; stands for an operand.
    Bad,
    /// A bracket with all that stands in it.
    Group(Role),
}

/// The keywords, which are never names.
pub(crate) const KEYWORDS: &[(&str, Kind)] = &[
    ("dim", Kind::Dim),
    ("fn", Kind::Fn),
    ("return", Kind::Return),
    ("for", Kind::For),
    ("while", Kind::While),
    ("break", Kind::Break),
    ("continue", Kind::Continue),
    ("pass", Kind::Pass),
    ("in", Kind::In),
    ("if", Kind::If),
    ("elif", Kind::Elif),
    ("else", Kind::Else),
    ("and", Kind::And),
    ("or", Kind::Or),
    ("not", Kind::Not),
    ("to", Kind::To),
    ("as", Kind::As),
    ("assert", Kind::Assert),
    ("true", Kind::True),
    ("false", Kind::False),
    ("newaxis", Kind::Newaxis),
];

/// Names that some places read as words.
const CONTEXTUAL: &[(&str, Kind)] = &[
    ("by", Kind::By),
    ("over", Kind::Over),
    ("mut", Kind::Mut),
    ("from", Kind::From),
    ("pad", Kind::Pad),
    ("_", Kind::Underscore),
];

impl Kind {
    /// The kind of a word.
    pub fn of_word(word: &str) -> Self {
        let found = KEYWORDS
            .iter()
            .chain(CONTEXTUAL)
            .find(|(text, _)| *text == word);
        found.map_or(Self::Name, |(_, kind)| *kind)
    }

    /// Whether it may stand for a name.
    pub fn is_name(self) -> bool {
        matches!(
            self,
            Self::Name | Self::By | Self::Over | Self::Mut | Self::From | Self::Pad
        )
    }

    /// Whether it is a keyword.
    pub fn is_keyword(self) -> bool {
        KEYWORDS.iter().any(|(_, kind)| *kind == self)
    }

    /// Whether an operand may begin with it, as one token.
    pub fn is_atom(self) -> bool {
        self.is_name()
            || matches!(
                self,
                Self::Underscore
                    | Self::True
                    | Self::False
                    | Self::Int
                    | Self::Float
                    | Self::Str
                    | Self::Bad
                    | Self::Group(Role::Paren | Role::Literal | Role::FString | Role::Braces)
            )
    }

    /// Whether an operand may end with it, so that `(` calls and `[` indexes.
    pub fn ends_operand(self) -> bool {
        self.is_atom() || matches!(self, Self::Group(_) | Self::Newaxis)
    }

    /// Whether it stands between two operands and so continues a line that ends in it.
    pub fn is_infix(self) -> bool {
        matches!(
            self,
            Self::And
                | Self::Or
                | Self::EqEq
                | Self::NotEq
                | Self::Lt
                | Self::Le
                | Self::Gt
                | Self::Ge
                | Self::Plus
                | Self::Minus
                | Self::Star
                | Self::Slash
                | Self::SlashSlash
                | Self::Percent
                | Self::At
                | Self::StarStar
        )
    }

    /// Whether a line that ends in it goes on.
    pub fn continues_line(self) -> bool {
        self.is_infix() || self.assigns() || matches!(self, Self::DotDot)
    }

    /// Whether it is `=` or an update.
    pub fn assigns(self) -> bool {
        matches!(
            self,
            Self::Eq | Self::PlusEq | Self::MinusEq | Self::StarEq | Self::SlashEq
        )
    }

    /// Whether it adds a level to the tree of the expression that it stands in.
    pub fn adds_depth(self) -> bool {
        self.is_infix()
            || matches!(
                self,
                Self::Not
                    | Self::To
                    | Self::As
                    | Self::Dot
                    | Self::DotDot
                    | Self::If
                    | Self::Group(_)
            )
    }

    /// Whether only a statement or declaration can begin with it.
    pub fn starts_statement(self) -> bool {
        matches!(
            self,
            Self::Dim
                | Self::Fn
                | Self::Return
                | Self::While
                | Self::Break
                | Self::Continue
                | Self::Pass
                | Self::Assert
                | Self::Elif
        )
    }
}
