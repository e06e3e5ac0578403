//! Where a parser stopped, said in the language's words, with the edit that mends it.

mod expression;
mod stage;
mod types;

pub(super) use expression::{expression, tight_not};
pub(super) use stage::stage;
pub(super) use types::{axes, param, size, ty};

use strand_source::{Code, Diagnostic, Edit, Span};

use self::types::module_dtype;
use super::context::{Context, Expected, Fault, Tokens};
use crate::lex::clip;
use crate::token::{Kind, Role, Token};

/// A token as a message names it.
fn shown(token: Token, context: &Context<'_>) -> String {
    match token.kind {
        Kind::Group(Role::FString) | Kind::Str => "this text".into(),
        Kind::Group(_) => {
            let open = Span::new(token.span.start, token.span.start + 1).text(context.text);
            format!("`{open}`")
        }
        _ => format!("`{}`", clip(token.span.text(context.text))),
    }
}

/// The end of a token as a message names it: a bracket by what closes it.
fn shown_end(token: Token, context: &Context<'_>) -> String {
    let closing = token.span.text(context.text).chars().next_back();
    match (token.kind, closing) {
        (Kind::Group(Role::FString), _) | (_, None) => shown(token, context),
        (Kind::Group(_), Some(closing)) => format!("`{closing}`"),
        _ => shown(token, context),
    }
}

fn at_end(tokens: Tokens<'_>) -> Span {
    tokens.last().map_or(Span::default(), |last| last.span)
}

/// What a bracket or token is pointed at by: a bracket by its first character.
fn pointed(token: Token) -> Span {
    match token.kind {
        Kind::Group(_) => Span::new(token.span.start, token.span.start + 1),
        _ => token.span,
    }
}

/// The finding for a fault that nothing more is known about.
fn plain(tokens: Tokens<'_>, fault: Fault, context: &Context<'_>) -> Diagnostic {
    let wanted = fault.wanted();
    match (tokens.get(fault.at), wanted) {
        (Some(found), Some(wanted)) => {
            let message = format!("{wanted} should stand here, not {}", shown(*found, context));
            Diagnostic::new(Code::E0101, pointed(*found), message)
        }
        (Some(found), None) => {
            let message = format!("{} can't follow here", shown(*found, context));
            Diagnostic::new(Code::E0101, pointed(*found), message)
        }
        (None, wanted) => {
            let wanted = wanted.unwrap_or("something");
            let message = match tokens.last() {
                Some(last) => format!("{wanted} is missing after {}", shown_end(*last, context)),
                None => format!("{wanted} is missing here"),
            };
            Diagnostic::new(Code::E0101, at_end(tokens), message)
        }
    }
}

/// A keyword where a name should stand.
pub(super) fn keyword_as_name(token: Token, context: &Context<'_>) -> Diagnostic {
    let word = token.span.text(context.text);
    let message = format!("`{word}` is a keyword and can't be a name");
    Diagnostic::new(Code::E0101, token.span, message).fix(
        format!("write `{word}_`"),
        token.span,
        format!("{word}_"),
    )
}

/// A fault in a declaration's line.
pub(super) fn declaration(tokens: Tokens<'_>, fault: Fault, context: &Context<'_>) -> Diagnostic {
    let Some(found) = tokens.get(fault.at).copied() else {
        return plain(tokens, fault, context);
    };
    let before = fault
        .at
        .checked_sub(1)
        .and_then(|at| tokens.get(at))
        .copied();
    if let Some(found) = before.and_then(|before| module_dtype(tokens, fault.at, before, context)) {
        return found;
    }
    if found.kind.is_keyword() && fault.expects(Expected::Name) {
        return keyword_as_name(found, context);
    }
    if before.is_some_and(|before| before.kind == Kind::Group(Role::Params)) {
        let message = "a result's type stands after `->`";
        match found.kind {
            Kind::FatArrow => {
                return Diagnostic::new(Code::E0101, found.span, message).fix(
                    "write `->`",
                    found.span,
                    "->",
                );
            }
            Kind::Group(Role::Shape) => {
                let gap = Span::empty(found.span.start);
                return Diagnostic::new(Code::E0101, pointed(found), message).fix(
                    "write `->`",
                    gap,
                    "-> ",
                );
            }
            _ => {}
        }
    }
    let arrow = tokens.iter().position(|token| token.kind == Kind::Arrow);
    if let (Kind::Comma, Some(arrow)) = (found.kind, arrow) {
        let finding = Diagnostic::new(
            Code::E0101,
            found.span,
            "several results stand in brackets: `-> ([n D], int)`",
        );
        let (first, last) = (tokens.get(arrow + 1), tokens.last());
        return match (first, last) {
            (Some(first), Some(last)) if last.kind != Kind::Comma => finding.fix_edits(
                "put brackets around them",
                around(first.span.start, last.span.end),
            ),
            _ => finding,
        };
    }
    plain(tokens, fault, context)
}

/// Edits that put brackets around a part of the text.
fn around(start: u32, end: u32) -> Vec<Edit> {
    vec![
        Edit {
            span: Span::empty(start),
            text: "(".into(),
        },
        Edit {
            span: Span::empty(end),
            text: ")".into(),
        },
    ]
}
