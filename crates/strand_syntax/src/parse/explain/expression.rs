//! Faults in expressions.

use strand_source::{Code, Diagnostic, Span};

use super::types::module_dtype;
use super::{around, plain, pointed, shown};
use crate::lex::clip;
use crate::parse::context::{Context, Expected, Fault, Tokens};
use crate::token::{Kind, Role, Token};

/// `not` after an operator that binds tighter: it needs brackets.
pub(in crate::parse) fn tight_not(tokens: Tokens<'_>, context: &Context<'_>) -> Option<Diagnostic> {
    let loose = |kind| {
        matches!(
            kind,
            Kind::And | Kind::Or | Kind::Not | Kind::If | Kind::Else
        )
    };
    let at = tokens.windows(2).position(|pair| {
        let [before, word] = pair else { return false };
        let tight = before.kind.is_infix() || matches!(before.kind, Kind::DotDot | Kind::By);
        word.kind == Kind::Not && tight && !loose(before.kind)
    })?;
    let (before, word) = (tokens.get(at)?, tokens.get(at + 1)?);
    let operand = tokens.get(at + 2..)?;
    let ends = |token: &Token| matches!(token.kind, Kind::And | Kind::Or | Kind::If | Kind::Else);
    let length = operand.iter().position(ends).unwrap_or(operand.len());
    let end = operand
        .get(..length)?
        .last()
        .map_or(word.span.end, |last| last.span.end);
    let message = format!(
        "`not` after `{}` needs brackets",
        before.span.text(context.text)
    );
    let edits = around(word.span.start, end);
    Some(
        Diagnostic::new(Code::E0101, word.span, message).fix_edits("put brackets around it", edits),
    )
}

/// A fault in an expression without pipes.
pub(in crate::parse) fn expression(
    tokens: Tokens<'_>,
    fault: Fault,
    context: &Context<'_>,
) -> Diagnostic {
    let found = tokens.get(fault.at).copied();
    let before = fault
        .at
        .checked_sub(1)
        .and_then(|at| tokens.get(at))
        .copied();
    let special = after_conversion(tokens, fault, context)
        .or_else(|| increment(tokens, fault, context))
        .or_else(|| found.and_then(|found| operand_place(tokens, fault, found, context)))
        .or_else(|| found.and_then(|found| operator_place(tokens, fault, found, before, context)));
    special.unwrap_or_else(|| plain(tokens, fault, context))
}

/// `x to f32 ** 2`, `x to f32[0]`: what binds tighter than `to` needs brackets around the conversion.
fn after_conversion(tokens: Tokens<'_>, fault: Fault, context: &Context<'_>) -> Option<Diagnostic> {
    let found = *tokens.get(fault.at)?;
    let before = fault
        .at
        .checked_sub(1)
        .and_then(|at| tokens.get(at))
        .copied();
    if let Some(found) = before.and_then(|before| module_dtype(tokens, fault.at, before, context)) {
        return Some(found);
    }
    let conversion = context
        .conversion
        .filter(|span| Some(span.end) == before.map(|token| token.span.end))?;
    let tight = matches!(
        found.kind,
        Kind::StarStar | Kind::Dot | Kind::Group(Role::Args | Role::Index | Role::Paren)
    );
    if !tight {
        return None;
    }
    let message = format!(
        "{} binds tighter than the conversion before it",
        shown(found, context)
    );
    let edits = around(conversion.start, conversion.end);
    Some(
        Diagnostic::new(Code::E0101, pointed(found), message)
            .fix_edits("put brackets around the conversion", edits),
    )
}

/// `x++`, `x--`
fn increment(tokens: Tokens<'_>, fault: Fault, context: &Context<'_>) -> Option<Diagnostic> {
    let [before @ .., first, second] = tokens else {
        return None;
    };
    let plus = first.kind == Kind::Plus && second.kind == Kind::Plus;
    let minus = first.kind == Kind::Minus && second.kind == Kind::Minus;
    let adjacent = first.span.end == second.span.start;
    if !((plus || minus) && adjacent && fault.at + 1 >= tokens.len() && !before.is_empty()) {
        return None;
    }
    let span = first.span.to(second.span);
    let written = span.text(context.text);
    let update = if plus { " += 1" } else { " -= 1" };
    let message = format!(
        "`{written}` isn't an operator: write `{}`",
        update.trim_start()
    );
    Some(Diagnostic::new(Code::E0101, span, message).fix(
        format!("write `{}`", update.trim_start()),
        span,
        update,
    ))
}

/// A token that can't begin an operand.
fn operand_place(
    tokens: Tokens<'_>,
    fault: Fault,
    found: Token,
    context: &Context<'_>,
) -> Option<Diagnostic> {
    if !fault.expects(Expected::Operand) {
        return None;
    }
    let span = pointed(found);
    let finding = |message: String| Some(Diagnostic::new(Code::E0101, span, message));
    let before = fault.at.checked_sub(1).and_then(|at| tokens.get(at));
    match found.kind {
        Kind::Plus if before.is_none_or(|before| before.kind != Kind::Plus) => {
            finding("a number has no plus sign before it".into())
                .map(|d| d.fix("leave `+` out", span, ""))
        }
        Kind::Star | Kind::StarStar if before.is_none() => {
            finding("arguments aren't unpacked: give each of them".into())
        }
        Kind::Group(Role::Shape) => {
            finding("a shape stands after `to`, `as`, `:`, `->` or first in `zeros(…)`".into())
        }
        Kind::DotDot => finding("a range has a start here: `0..n`".into())
            .map(|d| d.fix("write `0..`", span, "0..")),
        Kind::Ellipsis => finding("`...` only stands in an index".into()),
        Kind::Newaxis => finding("`newaxis` only stands in an index".into()),
        Kind::FatArrow => finding("a lambda's parameter is missing before `=>`".into()),
        Kind::SlashSlash if before.is_none() => {
            finding("a comment starts with `#`".into()).map(|d| d.fix("write `#`", span, "#"))
        }
        Kind::Eq => finding("an expression is missing before `=`".into()),
        kind if kind.is_infix() => match before {
            Some(before) => finding(format!(
                "an expression is missing between `{}` and `{}`",
                before.span.text(context.text),
                found.span.text(context.text)
            )),
            None => finding(format!(
                "an expression is missing before {}",
                shown(found, context)
            )),
        },
        kind if kind.is_keyword() => finding(format!(
            "{} is a keyword and can't be a value",
            shown(found, context)
        )),
        _ => None,
    }
}

/// A token after a complete operand that can't follow one.
fn operator_place(
    tokens: Tokens<'_>,
    fault: Fault,
    found: Token,
    before: Option<Token>,
    context: &Context<'_>,
) -> Option<Diagnostic> {
    let before = before?;
    if !before.kind.ends_operand()
        || (fault.wanted().is_some() && found.kind != Kind::Group(Role::Shape))
    {
        return None;
    }
    let span = pointed(found);
    let next = tokens.get(fault.at + 1).copied();
    let finding = |message: &str| Some(Diagnostic::new(Code::E0101, span, message));
    match found.kind {
        Kind::Eq => {
            finding("`=` binds a name; equality is `==`").map(|d| d.fix("write `==`", span, "=="))
        }
        Kind::FatArrow => finding("a lambda's parameters are names: `x => …`, `(a, b) => …`"),
        Kind::For => Some(comprehension(tokens, fault.at, span, context)),
        Kind::In => finding("`in` only stands in `for`: compare with `==` and `any`"),
        Kind::Not if next.is_some_and(|next| next.kind == Kind::In) => {
            finding("`not in` isn't an operator: compare with `!=` and `all`")
        }
        Kind::Colon | Kind::Arrow if is_lambda(tokens, fault.at, context) => {
            let parameter = clip(before.span.text(context.text));
            let gap = Span::new(before.span.end, span.end);
            finding(&format!("a lambda is written `{parameter} => …`"))
                .map(|d| d.fix("write `=>`", gap, " =>"))
        }
        Kind::Colon => finding("`:` can't stand in an expression"),
        Kind::Arrow => finding("`->` stands before a function's result type"),
        Kind::Ellipsis => finding("a range is written with two points: `a..b`")
            .map(|d| d.fix("write `..`", span, "..")),
        Kind::DotDot => finding("a range has two ends: `a..b`"),
        Kind::By => finding("`by` gives a range its step: `a..b by s`"),
        Kind::Comma => finding("a comma can't stand here"),
        Kind::Name if context.word(Some(&found)) == "is" => Some(identity(found, next, context)),
        Kind::Group(Role::Paren) if matches!(before.kind, Kind::Int | Kind::Float) => {
            let gap = Span::empty(span.start);
            finding("a product is written with `*`").map(|d| d.fix("write `*`", gap, " * "))
        }
        kind if kind.is_atom() => Some(adjacent(found, before, context)),
        _ => None,
    }
}

/// Whether a token stands between an argument's first name and more: where `=>` would.
fn is_lambda(tokens: Tokens<'_>, at: usize, context: &Context<'_>) -> bool {
    let name = tokens.first().is_some_and(|first| first.kind.is_name());
    name && at == 1 && tokens.len() > 2 && context.inside == Some(Role::Args)
}

/// Two operands next to each other: in a list a comma is missing, elsewhere an operator.
fn adjacent(found: Token, before: Token, context: &Context<'_>) -> Diagnostic {
    let span = pointed(found);
    let shown = shown(found, context);
    let gap = Span::new(before.span.end, found.span.start);
    let listed = matches!(
        context.inside,
        Some(Role::Args | Role::Literal | Role::Index | Role::Params)
    );
    if !listed {
        return Diagnostic::new(
            Code::E0101,
            span,
            format!("an operator is missing before {shown}"),
        );
    }
    let message = format!("a comma or an operator is missing before {shown}");
    Diagnostic::new(Code::E0101, span, message).fix("write `,`", gap, ", ")
}

/// `x is None`, `x is not y`
fn identity(found: Token, next: Option<Token>, context: &Context<'_>) -> Diagnostic {
    let negated = next.filter(|next| next.kind == Kind::Not);
    let span = negated.map_or(found.span, |next| found.span.to(next.span));
    let instead = if negated.is_some() { "!=" } else { "==" };
    let message = format!(
        "`{}` isn't an operator: write `{instead}`",
        span.text(context.text)
    );
    Diagnostic::new(Code::E0101, span, message).fix(format!("write `{instead}`"), span, instead)
}

/// `[f(i) for i in range(n)]`: a chain says it.
fn comprehension(tokens: Tokens<'_>, at: usize, span: Span, context: &Context<'_>) -> Diagnostic {
    let found = Diagnostic::new(
        Code::E0101,
        span,
        "there are no comprehensions: `n |> map(i => …)` makes a tensor",
    );
    let (body, rest) = tokens.split_at(at);
    let (Some(body_first), Some(body_last), [_, name, word, iterated @ ..]) =
        (body.first(), body.last(), rest)
    else {
        return found;
    };
    let plain = iterated
        .iter()
        .all(|token| !matches!(token.kind, Kind::If | Kind::For));
    let (Some(first), Some(last)) = (iterated.first(), iterated.last()) else {
        return found;
    };
    if !name.kind.is_name() || word.kind != Kind::In || !plain {
        return found;
    }
    let body = body_first.span.to(body_last.span).text(context.text);
    let head = match iterated {
        [range, args]
            if context.word(Some(range)) == "range" && args.kind == Kind::Group(Role::Args) =>
        {
            let inner = args.span.text(context.text);
            let inner = inner.get(1..inner.len() - 1).unwrap_or("");
            if inner.contains([',', '(']) {
                return found;
            }
            inner
        }
        _ => first.span.to(last.span).text(context.text),
    };
    let whole = body_first.span.to(last.span);
    // The brackets around it go too where they stand directly around it.
    let around = Span::new(whole.start.saturating_sub(1), whole.end + 1);
    let whole =
        if around.text(context.text).starts_with('[') && around.text(context.text).ends_with(']') {
            around
        } else {
            whole
        };
    let chain = format!("{head} |> map({} => {body})", name.span.text(context.text));
    found.fix(format!("write `{}`", clip(&chain)), whole, chain)
}
