//! Where a parser stopped, said in the language's words, with the edit that mends it.

use strand_source::{Code, Diagnostic, Edit, Span};

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
                Some(last) => format!("{wanted} is missing after {}", shown(*last, context)),
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

/// `not` after an operator that binds tighter: it needs brackets.
pub(super) fn tight_not(tokens: Tokens<'_>, context: &Context<'_>) -> Option<Diagnostic> {
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
    let edits = vec![
        Edit {
            span: Span::empty(word.span.start),
            text: "(".into(),
        },
        Edit {
            span: Span::empty(end),
            text: ")".into(),
        },
    ];
    Some(
        Diagnostic::new(Code::E0101, word.span, message).fix_edits("put brackets around it", edits),
    )
}

/// A fault in an expression without pipes.
pub(super) fn expression(tokens: Tokens<'_>, fault: Fault, context: &Context<'_>) -> Diagnostic {
    let found = tokens.get(fault.at).copied();
    let before = fault
        .at
        .checked_sub(1)
        .and_then(|at| tokens.get(at))
        .copied();
    let special = found
        .and_then(|found| after_conversion(found, before, context))
        .or_else(|| increment(tokens, fault, context))
        .or_else(|| found.and_then(|found| operand_place(tokens, fault, found, context)))
        .or_else(|| found.and_then(|found| operator_place(tokens, fault, found, before, context)));
    special.unwrap_or_else(|| plain(tokens, fault, context))
}

/// `x to f32 ** 2`, `x to f32[0]`: what binds tighter than `to` needs brackets around the conversion.
fn after_conversion(
    found: Token,
    before: Option<Token>,
    context: &Context<'_>,
) -> Option<Diagnostic> {
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
    let edits = vec![
        Edit {
            span: Span::empty(conversion.start),
            text: "(".into(),
        },
        Edit {
            span: Span::empty(conversion.end),
            text: ")".into(),
        },
    ];
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
        Kind::Colon => finding("`:` can't stand in an expression"),
        Kind::Arrow => finding("`->` stands before a function's result type"),
        Kind::DotDot => finding("a range has two ends: `a..b`"),
        Kind::By => finding("`by` gives a range its step: `a..b by s`"),
        Kind::Comma => finding("a comma can't stand here"),
        Kind::Name if context.word(Some(&found)) == "is" => Some(identity(found, next, context)),
        Kind::Group(Role::Paren) if matches!(before.kind, Kind::Int | Kind::Float) => {
            let gap = Span::empty(span.start);
            finding("a product is written with `*`").map(|d| d.fix("write `*`", gap, " * "))
        }
        kind if kind.is_atom() => {
            let message = format!("an operator is missing before {}", shown(found, context));
            finding(&message)
        }
        _ => None,
    }
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

/// A fault in a stage, whose pipe's head starts at `start`.
pub(super) fn stage(
    tokens: Tokens<'_>,
    at: usize,
    start: u32,
    context: &Context<'_>,
) -> Diagnostic {
    let Some(found) = tokens.get(at).copied() else {
        let wanted = match tokens.last().map(|last| last.kind) {
            Some(Kind::To | Kind::As) => "a type",
            _ => "a name",
        };
        let last = tokens.last().map_or(Span::default(), |last| last.span);
        let message = format!(
            "{wanted} is missing after `{}`",
            clip(last.text(context.text))
        );
        return Diagnostic::new(Code::E0101, last, message);
    };
    let before = at.checked_sub(1).and_then(|at| tokens.get(at)).copied();
    let is_lambda = tokens
        .iter()
        .take(2)
        .any(|token| token.kind == Kind::FatArrow);
    let span = pointed(found);
    if is_lambda {
        let first = tokens.first().map_or(span, |first| first.span);
        let last = tokens.last().map_or(span, |last| last.span);
        let message = "a lambda isn't a stage: `map(…)` applies it to each element";
        let edits = vec![
            Edit {
                span: Span::empty(first.start),
                text: "map(".into(),
            },
            Edit {
                span: Span::empty(last.end),
                text: ")".into(),
            },
        ];
        return Diagnostic::new(Code::E3201, first, message).fix_edits("write `map(…)`", edits);
    }
    let Some(before) = before else {
        let message = match found.kind {
            Kind::Group(Role::Shape | Role::Literal) => {
                "a shape as a stage stands after `to` or `as`".to_string()
            }
            _ => format!(
                "{} isn't a stage: a function's name or call, `to` or `as` is",
                shown(found, context)
            ),
        };
        return Diagnostic::new(Code::E3201, span, message);
    };
    if matches!(before.kind, Kind::To | Kind::As | Kind::Dot) {
        let wanted = if before.kind == Kind::Dot {
            "a name"
        } else {
            "a type"
        };
        let message = format!("{wanted} should stand here, not {}", shown(found, context));
        return Diagnostic::new(Code::E0101, span, message);
    }
    let message = format!(
        "{} isn't part of a stage: put the pipe before it in brackets",
        shown(found, context)
    );
    let diagnostic = Diagnostic::new(Code::E3201, span, message);
    let operator = found.kind.is_infix()
        || matches!(
            found.kind,
            Kind::DotDot
                | Kind::If
                | Kind::Group(Role::Index | Role::Args)
                | Kind::Dot
                | Kind::StarStar
        );
    if !operator {
        return diagnostic;
    }
    let edits = vec![
        Edit {
            span: Span::empty(start),
            text: "(".into(),
        },
        Edit {
            span: Span::empty(before.span.end),
            text: ")".into(),
        },
    ];
    let pipe = Span::new(start, before.span.end).text(context.text);
    let title = if pipe.contains('\n') {
        "put the pipe in brackets".into()
    } else {
        format!("write `({})`", clip(pipe))
    };
    diagnostic.fix_edits(title, edits)
}

/// A fault in a type.
pub(super) fn ty(tokens: Tokens<'_>, fault: Fault, context: &Context<'_>) -> Diagnostic {
    let Some(found) = tokens.get(fault.at).copied() else {
        return plain(tokens, fault, context);
    };
    let span = pointed(found);
    if fault.expects(Expected::Type) {
        let message = format!("a type should stand here, not {}", shown(found, context));
        return Diagnostic::new(Code::E0101, span, message);
    }
    let message = match found.kind {
        Kind::Group(Role::Shape | Role::Literal | Role::Index) => {
            "a type has its shape first: `[n D] f32`".to_string()
        }
        Kind::Dot => "a type is a name alone: `f32`, not `torch.float32`".to_string(),
        _ => format!("{} can't follow a type", shown(found, context)),
    };
    Diagnostic::new(Code::E0101, span, message)
}

/// A fault in the axes of a shape.
pub(super) fn axes(tokens: Tokens<'_>, fault: Fault, context: &Context<'_>) -> Diagnostic {
    let Some(found) = tokens.get(fault.at).copied() else {
        return plain(tokens, fault, context);
    };
    let span = pointed(found);
    let computed = matches!(
        found.kind,
        Kind::Plus | Kind::Minus | Kind::Star | Kind::SlashSlash
    );
    let operand = |token: &Token| {
        token.kind.is_name() || matches!(token.kind, Kind::Int | Kind::Group(Role::Size))
    };
    let before = fault
        .at
        .checked_sub(1)
        .and_then(|at| tokens.get(at))
        .filter(|token| operand(token));
    if let (true, Some(before)) = (computed, before) {
        let found = Diagnostic::new(
            Code::E0101,
            span,
            "a computed axis stands in brackets: `[(2 * n) D]`",
        );
        let rest = tokens.get(fault.at + 1..).unwrap_or(&[]);
        let Some(after) = rest.first().filter(|token| operand(token)) else {
            return found;
        };
        let edits = vec![
            Edit {
                span: Span::empty(before.span.start),
                text: "(".into(),
            },
            Edit {
                span: Span::empty(after.span.end),
                text: ")".into(),
            },
        ];
        return found.fix_edits("put brackets around it", edits);
    }
    let message = match found.kind {
        Kind::Ellipsis | Kind::DotDot => "a shape names every axis".to_string(),
        Kind::Float => "an axis is a name or a whole number".to_string(),
        Kind::Minus => "a size isn't negative".to_string(),
        kind if kind.is_keyword() => return keyword_as_name(found, context),
        _ => format!(
            "an axis is a name or a whole number, not {}",
            shown(found, context)
        ),
    };
    Diagnostic::new(Code::E0101, span, message)
}

/// A fault in a size.
pub(super) fn size(tokens: Tokens<'_>, fault: Fault, context: &Context<'_>) -> Diagnostic {
    let Some(found) = tokens.get(fault.at).copied() else {
        return plain(tokens, fault, context);
    };
    let span = pointed(found);
    let message = match found.kind {
        Kind::Float => "a size is a whole number".to_string(),
        Kind::Slash => "sizes divide by `//`".to_string(),
        Kind::Minus if fault.expects(Expected::Size) => "a size isn't negative".to_string(),
        kind if kind.is_keyword() => return keyword_as_name(found, context),
        _ => format!(
            "a size is made of names, whole numbers, `+ - * //`, not {}",
            shown(found, context)
        ),
    };
    let diagnostic = Diagnostic::new(Code::E0101, span, message);
    if found.kind == Kind::Slash {
        diagnostic.fix("write `//`", span, "//")
    } else {
        diagnostic
    }
}

/// A fault in a parameter.
pub(super) fn param(tokens: Tokens<'_>, fault: Fault, context: &Context<'_>) -> Diagnostic {
    let Some(found) = tokens.get(fault.at).copied() else {
        return plain(tokens, fault, context);
    };
    let span = pointed(found);
    if fault.expects(Expected::Type) {
        return plain(tokens, fault, context);
    }
    if matches!(found.kind, Kind::Star | Kind::StarStar) {
        return Diagnostic::new(
            Code::E0101,
            span,
            "a function has a fixed number of parameters",
        );
    }
    if found.kind.is_keyword() {
        return keyword_as_name(found, context);
    }
    if fault.at == 1 {
        let message = format!(
            "a parameter is `name: Type`; {} can't follow its name",
            shown(found, context)
        );
        return Diagnostic::new(Code::E0101, span, message);
    }
    ty(tokens, fault, context)
}

/// A fault in a declaration's line.
pub(super) fn declaration(tokens: Tokens<'_>, fault: Fault, context: &Context<'_>) -> Diagnostic {
    match tokens.get(fault.at) {
        Some(found) if found.kind.is_keyword() && fault.expects(Expected::Name) => {
            keyword_as_name(*found, context)
        }
        _ => plain(tokens, fault, context),
    }
}
