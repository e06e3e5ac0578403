//! Faults in types, shapes, sizes and parameters.

use strand_source::{Code, Diagnostic, Span};

use super::{around, keyword_as_name, plain, pointed, shown};
use crate::parse::context::{Context, Expected, Fault, Tokens};
use crate::token::{Kind, Role, Token};
use crate::words;

/// `torch.float32` where a type stands.
pub(in crate::parse) fn module_dtype(
    tokens: Tokens<'_>,
    at: usize,
    before: Token,
    context: &Context<'_>,
) -> Option<Diagnostic> {
    let module = context.word(Some(&before));
    let is_module = matches!(module, "torch" | "np" | "numpy" | "jnp" | "tf");
    let (dot, name) = (tokens.get(at)?, tokens.get(at + 1)?);
    if dot.kind != Kind::Dot || !is_module {
        return None;
    }
    let span = before.span.to(name.span);
    if matches!(
        context.word(Some(name)),
        "Tensor" | "ndarray" | "Array" | "FloatTensor" | "LongTensor"
    ) {
        let message = "a tensor's type is its shape, as in `[n D]`";
        return Some(Diagnostic::new(Code::E0101, span, message));
    }
    let dtype = words::module_dtype(module, context.word(Some(name)));
    let message = format!("a dtype is a name alone: `{}`", dtype.unwrap_or("f32"));
    let found = Diagnostic::new(Code::E0101, span, message);
    Some(match dtype {
        Some(dtype) => found.fix(format!("write `{dtype}`"), span, dtype),
        None => found,
    })
}

/// A fault in a type.
pub(in crate::parse) fn ty(tokens: Tokens<'_>, fault: Fault, context: &Context<'_>) -> Diagnostic {
    let Some(found) = tokens.get(fault.at).copied() else {
        return plain(tokens, fault, context);
    };
    let span = pointed(found);
    let before = fault
        .at
        .checked_sub(1)
        .and_then(|at| tokens.get(at))
        .copied();
    if let Some(found) = before.and_then(|before| module_dtype(tokens, fault.at, before, context)) {
        return found;
    }
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
pub(in crate::parse) fn axes(
    tokens: Tokens<'_>,
    fault: Fault,
    context: &Context<'_>,
) -> Diagnostic {
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
        let edits = around(before.span.start, after.span.end);
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
pub(in crate::parse) fn size(
    tokens: Tokens<'_>,
    fault: Fault,
    context: &Context<'_>,
) -> Diagnostic {
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
pub(in crate::parse) fn param(
    tokens: Tokens<'_>,
    fault: Fault,
    context: &Context<'_>,
) -> Diagnostic {
    let Some(found) = tokens.get(fault.at).copied() else {
        return plain(tokens, fault, context);
    };
    let span = pointed(found);
    if let (Kind::Colon, Some(next)) = (found.kind, next_param(tokens, fault.at)) {
        let message = format!("a comma is missing before {}", shown(next, context));
        let gap = Span::empty(next.span.start);
        let before = tokens.get(fault.at.saturating_sub(2));
        let gap = before.map_or(gap, |before| Span::new(before.span.end, next.span.start));
        return Diagnostic::new(Code::E0101, next.span, message).fix("write `,`", gap, ", ");
    }
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
    if fault.at == 0 {
        let message = format!("a parameter is `name: Type`, not {}", shown(found, context));
        return Diagnostic::new(Code::E0101, span, message);
    }
    if fault.at == 1 {
        let message = format!(
            "a parameter is `name: Type`; {} can't follow its name",
            shown(found, context)
        );
        let finding = Diagnostic::new(Code::E0101, span, message);
        return match (found.kind, tokens.first()) {
            (Kind::Group(Role::Index), Some(name)) => {
                let gap = Span::new(name.span.end, span.start);
                finding.fix("write `:`", gap, ": ")
            }
            _ => finding,
        };
    }
    ty(tokens, fault, context)
}

/// The name before a second `:`, which another parameter begins with.
fn next_param(tokens: Tokens<'_>, colon: usize) -> Option<Token> {
    let name = tokens.get(colon.checked_sub(1)?)?;
    (colon > 2 && name.kind.is_name()).then_some(*name)
}
