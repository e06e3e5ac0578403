//! Nodes of the tree from tokens and the nodes below.

use strand_source::{Code, Edit, Fix, Span};

use super::context::{Context, Parsed};
use crate::ast::*;
use crate::lex::clip;
use crate::token::{Kind, Token, Value};
use crate::words;

pub(super) fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

pub(super) fn error(span: Span) -> Expr {
    expr(ExprKind::Error, span)
}

pub(super) fn bad_type(span: Span) -> TypeExpr {
    TypeExpr {
        kind: TypeExprKind::Error,
        span,
    }
}

pub(super) fn atom(token: Token, context: &mut Context<'_>) -> Expr {
    let kind = match token.kind {
        Kind::Int | Kind::Float | Kind::Str => match context.values.get(token.extra as usize) {
            Some(Value::Int(value)) => ExprKind::Int(*value),
            Some(Value::Float(value)) => ExprKind::Float(*value),
            Some(Value::Text(text)) => ExprKind::Str(text.clone()),
            _ => ExprKind::Error,
        },
        Kind::True => ExprKind::Bool(true),
        Kind::False => ExprKind::Bool(false),
        Kind::Underscore => ExprKind::Placeholder,
        Kind::Group(_) => match context.take(token) {
            Parsed::Expr(expr) => return expr,
            _ => ExprKind::Error,
        },
        Kind::Bad => ExprKind::Error,
        _ => ExprKind::Name(context.name(token)),
    };
    expr(kind, token.span)
}

/// `mut m`
pub(super) fn changed(word: Token, name: Token, context: &mut Context<'_>) -> Expr {
    let value = atom(name, context);
    let span = word.span.to(value.span);
    expr(ExprKind::Mut(Box::new(value)), span)
}

/// A call, an index or a field.
pub(super) fn suffix(base: Expr, token: Token, context: &mut Context<'_>) -> Expr {
    let span = base.span.to(token.span);
    let base = Box::new(base);
    let kind = if let Kind::Group(_) = token.kind {
        match context.take(token) {
            Parsed::Args(args) => ExprKind::Call {
                callee: base,
                args,
                args_span: token.span,
            },
            Parsed::Index(items) => ExprKind::Index { base, items },
            Parsed::Sizes(sizes) => match base.kind {
                ExprKind::Name(name) => ExprKind::Sized {
                    name: Ident {
                        name,
                        span: base.span,
                    },
                    sizes,
                },
                _ => ExprKind::Error,
            },
            _ => ExprKind::Error,
        }
    } else {
        ExprKind::Field {
            base,
            name: context.ident(token),
        }
    };
    expr(kind, span)
}

/// `a ** -b ** c`: right-associative, with minus signs on the right.
pub(super) fn power(
    base: Expr,
    powers: Vec<((Token, Vec<Token>), Expr)>,
    context: &mut Context<'_>,
) -> Expr {
    let mut bases = vec![base];
    let mut signs = Vec::with_capacity(powers.len());
    for (sign, operand) in powers {
        signs.push(sign);
        bases.push(operand);
    }
    let mut right = bases.pop().unwrap_or_else(|| error(Span::default()));
    while let (Some((op, mut minuses)), Some(left)) = (signs.pop(), bases.pop()) {
        let operand = least(&mut minuses, right);
        let exponent = negated(minuses, operand);
        right = binary(left, op, exponent, context);
    }
    right
}

/// The least 64-bit integer takes the sign before it: its digits alone are too large.
pub(super) fn least(minuses: &mut Vec<Token>, operand: Expr) -> Expr {
    match operand.kind {
        ExprKind::Int(i64::MIN) => {
            let sign = minuses.pop().map_or(operand.span, |minus| minus.span);
            expr(operand.kind, sign.to(operand.span))
        }
        _ => operand,
    }
}

pub(super) fn negated(minuses: Vec<Token>, operand: Expr) -> Expr {
    minuses.into_iter().rev().fold(operand, |operand, minus| {
        unary(UnaryOp::Neg, minus, operand)
    })
}

pub(super) fn inverted(words: Vec<Token>, operand: Expr) -> Expr {
    words
        .into_iter()
        .rev()
        .fold(operand, |operand, word| unary(UnaryOp::Not, word, operand))
}

fn unary(op: UnaryOp, token: Token, operand: Expr) -> Expr {
    let span = token.span.to(operand.span);
    expr(
        ExprKind::Unary {
            op,
            operand: Box::new(operand),
        },
        span,
    )
}

pub(super) fn convert(value: Expr, word: Token, ty: TypeExpr, context: &mut Context<'_>) -> Expr {
    let span = value.span.to(ty.span);
    context.conversion = Some(span);
    if let TypeExprKind::Tuple(_) = ty.kind {
        context.report(
            Code::E0101,
            ty.span,
            "a tuple of types only stands in a declaration",
        );
        return error(span);
    }
    let how = if word.kind == Kind::To {
        Conversion::To
    } else {
        Conversion::As
    };
    expr(
        ExprKind::Convert {
            how,
            value: Box::new(value),
            ty,
        },
        span,
    )
}

pub(super) fn binary(left: Expr, token: Token, right: Expr, context: &mut Context<'_>) -> Expr {
    let span = left.span.to(right.span);
    let Some(op) = operator(token.kind) else {
        return error(span);
    };
    if op.is_comparison()
        && let Some(chain) = chained(&left, token, &right, context)
    {
        return chain;
    }
    let (left, right) = (Box::new(left), Box::new(right));
    expr(
        ExprKind::Binary {
            op,
            op_span: token.span,
            left,
            right,
        },
        span,
    )
}

pub(super) fn operator(kind: Kind) -> Option<BinaryOp> {
    Some(match kind {
        Kind::Or => BinaryOp::Or,
        Kind::And => BinaryOp::And,
        Kind::EqEq => BinaryOp::Eq,
        Kind::NotEq => BinaryOp::Ne,
        Kind::Lt => BinaryOp::Lt,
        Kind::Le => BinaryOp::Le,
        Kind::Gt => BinaryOp::Gt,
        Kind::Ge => BinaryOp::Ge,
        Kind::Plus | Kind::PlusEq => BinaryOp::Add,
        Kind::Minus | Kind::MinusEq => BinaryOp::Sub,
        Kind::Star | Kind::StarEq => BinaryOp::Mul,
        Kind::Slash | Kind::SlashEq => BinaryOp::Div,
        Kind::SlashSlash => BinaryOp::FloorDiv,
        Kind::Percent => BinaryOp::Mod,
        Kind::At => BinaryOp::MatMul,
        Kind::StarStar => BinaryOp::Pow,
        _ => return None,
    })
}

/// `a < b < c`: one finding for the whole chain, whose fix joins the comparisons with `and`.
fn chained(left: &Expr, token: Token, right: &Expr, context: &mut Context<'_>) -> Option<Expr> {
    let span = left.span.to(right.span);
    let middle = match (&left.kind, context.chain) {
        (ExprKind::Binary { op, right, .. }, _) if op.is_comparison() => right.span,
        (ExprKind::Error, Some((_, last))) if last.end == left.span.end => last,
        _ => return None,
    };
    let edit = Edit {
        span: Span::empty(middle.end),
        text: format!(" and {}", middle.text(context.text)),
    };
    let open = context
        .chain
        .filter(|(_, last)| last.end == left.span.end)
        .map(|(at, _)| at);
    let at = match open.filter(|at| {
        context
            .diagnostics
            .get(*at)
            .is_some_and(|d| d.code == Code::E0104)
    }) {
        Some(at) => at,
        None => {
            let found = context.report(
                Code::E0104,
                token.span,
                "comparisons don't chain: join them with `and`",
            );
            found.fixes.push(Fix {
                title: String::new(),
                meaning: None,
                leaves: None,
                gives: None,
                edits: Vec::new(),
            });
            context.diagnostics.len() - 1
        }
    };
    context.chain = Some((at, right.span));
    let text = context.text;
    if let Some(fix) = context
        .diagnostics
        .get_mut(at)
        .and_then(|found| found.fixes.first_mut())
    {
        fix.edits.push(edit);
        fix.title = match fix.edits.len() {
            1 => format!("write `{}`", clip(&joined(text, span, middle))),
            _ => "join the comparisons with `and`".to_string(),
        };
    }
    Some(error(span))
}

fn joined(text: &str, span: Span, middle: Span) -> String {
    let before = Span::new(span.start, middle.end).text(text);
    let after = Span::new(middle.end, span.end).text(text);
    format!("{before} and {}{after}", middle.text(text))
}

pub(super) fn range(start: Expr, end: Expr) -> Expr {
    let span = start.span.to(end.span);
    expr(
        ExprKind::Range(Box::new(Range {
            start: Some(start),
            end: Some(end),
            step: None,
            span,
        })),
        span,
    )
}

/// `a..b by s`
pub(super) fn stepped(range: Expr, by: Token, step: Expr, context: &mut Context<'_>) -> Expr {
    let span = range.span.to(step.span);
    match range.kind {
        ExprKind::Range(mut inner) if inner.step.is_none() => {
            inner.step = Some(step);
            inner.span = span;
            expr(ExprKind::Range(inner), span)
        }
        _ => {
            context.report(
                Code::E0101,
                by.span,
                "`by` gives a range its step: `a..b by s`",
            );
            error(span)
        }
    }
}

/// `a if c else b if d else e`
pub(super) fn conditional(then: Expr, rest: Vec<(Expr, Expr)>) -> Expr {
    if rest.is_empty() {
        return then;
    }
    let mut values = vec![then];
    let mut conditions = Vec::with_capacity(rest.len());
    for (condition, value) in rest {
        conditions.push(condition);
        values.push(value);
    }
    let mut last = values.pop().unwrap_or_else(|| error(Span::default()));
    while let (Some(condition), Some(then)) = (conditions.pop(), values.pop()) {
        let span = then.span.to(last.span);
        let kind = ExprKind::If {
            then: Box::new(then),
            condition: Box::new(condition),
            otherwise: Box::new(last),
        };
        last = expr(kind, span);
    }
    last
}

pub(super) fn type_tuple(group: Token, context: &mut Context<'_>) -> TypeExpr {
    match context.take(group) {
        Parsed::TypeTuple(types) => TypeExpr {
            kind: TypeExprKind::Tuple(types),
            span: group.span,
        },
        _ => bad_type(group.span),
    }
}

/// A name of a type with the sizes in its brackets.
pub(super) type Part = (Token, Option<Token>);

/// `[n D] dtype Domain`
pub(super) fn shaped_type(shape: Token, parts: Vec<Part>, context: &mut Context<'_>) -> TypeExpr {
    let span = parts.last().map_or(shape.span, |(name, sizes)| {
        shape.span.to(sizes.unwrap_or(*name).span)
    });
    let Parsed::Shape(shape) = context.take(shape) else {
        parts
            .iter()
            .filter_map(|part| part.1)
            .for_each(|group| drop(context.take(group)));
        return bad_type(span);
    };
    let mut parts = parts.into_iter().peekable();
    let dtype = parts.next_if(|part| words::DTYPES.contains(&context.word(Some(&part.0))));
    let domain = parts.next_if(|part| words::DOMAINS.contains(&context.word(Some(&part.0))));
    if let Some((wrong, _)) = parts.next() {
        unknown_part(wrong, dtype.is_some() || domain.is_some(), context);
        return bad_type(span);
    }
    let dtype = dtype.map(|(name, _)| context.ident(name));
    let domain = domain.map(|part| self::domain(part, context));
    TypeExpr {
        kind: TypeExprKind::Tensor {
            shape: Some(shape),
            dtype,
            domain,
        },
        span,
    }
}

/// A type that begins with a name.
pub(super) fn named_type(first: Part, second: Option<Part>, context: &mut Context<'_>) -> TypeExpr {
    let (token, group) = first;
    let last = second.map_or(first, |second| second);
    let span = token.span.to(last.1.unwrap_or(last.0).span);
    let name = context.word(Some(&token));
    let tensor = |dtype, domain| TypeExprKind::Tensor {
        shape: None,
        dtype,
        domain,
    };
    if words::DOMAINS.contains(&name) {
        let domain = domain(first, context);
        if let Some((wrong, _)) = second {
            unknown_part(wrong, true, context);
            return bad_type(span);
        }
        return TypeExpr {
            kind: tensor(None, Some(domain)),
            span,
        };
    }
    let is_dtype = words::DTYPES.contains(&name);
    let refines = second.filter(|part| words::DOMAINS.contains(&context.word(Some(&part.0))));
    if let (Some((wrong, _)), None) = (second, refines) {
        unknown_part(wrong, true, context);
        return bad_type(span);
    }
    if is_dtype && (name != "bool" || refines.is_some()) {
        let dtype = context.ident(token);
        let domain = refines.map(|part| domain(part, context));
        return TypeExpr {
            kind: tensor(Some(dtype), domain),
            span,
        };
    }
    let sizes = group.map(|group| sizes(group, context)).unwrap_or_default();
    TypeExpr {
        kind: TypeExprKind::Named {
            name: context.ident(token),
            sizes,
        },
        span,
    }
}

fn domain((name, group): Part, context: &mut Context<'_>) -> DomainExpr {
    let index = group.and_then(|group| sizes(group, context).into_iter().next());
    let span = name.span.to(group.unwrap_or(name).span);
    DomainExpr {
        name: context.ident(name),
        index,
        span,
    }
}

/// A word in a type that is neither a dtype nor a domain, or stands after one.
fn unknown_part(token: Token, after: bool, context: &mut Context<'_>) {
    let name = context.word(Some(&token));
    let known = words::DTYPES.contains(&name) || words::DOMAINS.contains(&name);
    if known || after {
        let message = format!(
            "a type is `[axes] dtype Domain`: `{}` can't stand here",
            clip(name)
        );
        context.report(Code::E0101, token.span, message);
        return;
    }
    if matches!(name, "torch" | "np" | "numpy" | "jnp" | "tf") {
        // The point after it is what can't follow: that fault says more.
        return;
    }
    let alias = words::dtype_alias(name);
    let message = format!("`{}` is neither a dtype nor a domain", clip(name));
    let found = context.report(Code::E0301, token.span, message);
    if let Some(alias) = alias {
        found.fixes.push(Fix {
            title: format!("write `{alias}`"),
            meaning: None,
            leaves: None,
            gives: None,
            edits: vec![Edit {
                span: token.span,
                text: alias.to_string(),
            }],
        });
    } else {
        found
            .notes
            .push(format!("The dtypes are {}.", words::DTYPES.join(", ")));
    }
}

pub(super) fn sizes(group: Token, context: &mut Context<'_>) -> Vec<SizeExpr> {
    match context.take(group) {
        Parsed::Sizes(sizes) => sizes,
        _ => Vec::new(),
    }
}

pub(super) fn axis(token: Token, context: &mut Context<'_>) -> SizeExpr {
    let kind = match token.kind {
        Kind::Int => match context.values.get(token.extra as usize) {
            Some(Value::Int(value)) => SizeExprKind::Number(*value),
            _ => SizeExprKind::Error,
        },
        Kind::Underscore => SizeExprKind::Unknown,
        Kind::Group(_) => match sizes(token, context).pop() {
            Some(inner) => inner.kind,
            None => SizeExprKind::Error,
        },
        Kind::Bad => SizeExprKind::Error,
        _ => SizeExprKind::Name(context.name(token)),
    };
    SizeExpr {
        kind,
        span: token.span,
    }
}

pub(super) fn size_binary(left: SizeExpr, token: Token, right: SizeExpr) -> SizeExpr {
    let span = left.span.to(right.span);
    let kind = match operator(token.kind) {
        Some(op) => SizeExprKind::Binary {
            op,
            left: Box::new(left),
            right: Box::new(right),
        },
        None => SizeExprKind::Error,
    };
    SizeExpr { kind, span }
}

/// `_` and names before `=>`.
pub(super) fn lambda_param(token: Token, context: &Context<'_>) -> LambdaParam {
    let name = (token.kind != Kind::Underscore).then(|| context.name(token));
    LambdaParam {
        name,
        span: token.span,
    }
}

/// What a statement binds, from an expression; `None` where it can't be bound.
pub(super) fn target(value: Expr) -> Result<Target, Span> {
    let span = value.span;
    match value.kind {
        ExprKind::Name(name) => Ok(Target::Name(Ident { name, span })),
        ExprKind::Placeholder => Ok(Target::Ignore(span)),
        ExprKind::Error => Ok(Target::Error(span)),
        ExprKind::Index { base, items } => Ok(Target::Index { base, items, span }),
        ExprKind::Field { base, name } => Ok(Target::Field { base, name, span }),
        ExprKind::Tuple(parts) => {
            let targets = parts
                .into_iter()
                .map(target)
                .collect::<Result<Vec<_>, _>>()?;
            Ok(Target::Tuple(targets, span))
        }
        ExprKind::Paren(inner) => target(*inner),
        _ => Err(span),
    }
}
