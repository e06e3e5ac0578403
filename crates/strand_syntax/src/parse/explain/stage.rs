//! Faults in stages.

use strand_source::{Code, Diagnostic, Edit, Span};

use super::types::module_dtype;
use super::{around, pointed, shown};
use crate::lex::clip;
use crate::parse::context::{Context, Fault, Tokens};
use crate::token::{Kind, Role};

/// A fault in a stage, whose pipe's head starts at `start`.
pub(in crate::parse) fn stage(
    tokens: Tokens<'_>,
    fault: Fault,
    start: u32,
    context: &Context<'_>,
) -> Diagnostic {
    let at = fault.at;
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
    if let Some(found) = before.and_then(|before| module_dtype(tokens, at, before, context)) {
        return found;
    }
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
        let diagnostic = Diagnostic::new(Code::E3201, span, message);
        let is_shape = found.kind == Kind::Group(Role::Shape);
        let gap = Span::empty(span.start);
        return if is_shape {
            diagnostic.fix("write `as`", gap, "as ")
        } else {
            diagnostic
        };
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
    if matches!(found.kind, Kind::To | Kind::As) {
        let word = found.span.text(context.text);
        let message = format!("`{word}` after a stage is a stage of its own: `|> {word} …`");
        let gap = Span::empty(found.span.start);
        return Diagnostic::new(Code::E3201, span, message).fix(
            format!("write `|> {word}`"),
            gap,
            "|> ",
        );
    }
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
    let edits = around(start, before.span.end);
    let pipe = Span::new(start, before.span.end).text(context.text);
    let title = if pipe.contains('\n') {
        "put the pipe in brackets".into()
    } else {
        format!("write `({})`", clip(pipe))
    };
    diagnostic.fix_edits(title, edits)
}
