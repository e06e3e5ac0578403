//! The grammar of flat token runs. Brackets are single tokens whose insides were read before, so
//! that no parser is recursive and the stack that one needs is a constant.

use chumsky::error::LabelError;
use chumsky::extra;
use chumsky::input::MapExtra;
use chumsky::pratt::{infix, left, none, prefix};
use chumsky::prelude::*;
use strand_source::Span;

use super::build;
use super::context::{Context, Expected, Fault, Parsed, Tokens};
use crate::ast::{Conversion, Expr, Ident, Param, SizeExpr, StageKind, TypeExpr};
use crate::token::{Kind, Role, Token};

pub(super) type Extra<'s> = extra::Full<Fault, Context<'s>, ()>;
/// A parser of flat tokens.
pub(super) type Rule<'s, O> = Boxed<'s, 's, Tokens<'s>, O, Extra<'s>>;
type Map<'s, 'p> = MapExtra<'s, 'p, Tokens<'s>, Extra<'s>>;

/// `name(parameters) -> result`
pub(super) struct Signature {
    pub name: Ident,
    pub params: Vec<Param>,
    pub result: Option<TypeExpr>,
    pub end: u32,
}

/// `mut name: Type`
pub(super) struct ParamHead {
    pub mutable: Option<Span>,
    pub name: Ident,
    pub ty: Option<TypeExpr>,
}

/// Every parser, built once for a text.
pub(super) struct Grammar<'s> {
    /// An expression without pipes: operators, conversions, calls.
    pub expression: Rule<'s, Expr>,
    pub ty: Rule<'s, TypeExpr>,
    pub size: Rule<'s, SizeExpr>,
    /// The axes of a shape.
    pub axes: Rule<'s, Vec<SizeExpr>>,
    /// What stands after `|>`.
    pub stage: Rule<'s, StageKind>,
    pub param: Rule<'s, ParamHead>,
    /// `fn …`, the word itself being anything.
    pub function: Rule<'s, Signature>,
    /// `extern fn … from "module"`
    pub external: Rule<'s, (Signature, Token)>,
    /// `import python "module" as name`
    pub import: Rule<'s, (Token, Ident)>,
    /// `model Name[sizes]`
    pub model: Rule<'s, (Ident, Vec<SizeExpr>)>,
}

impl<'s> Grammar<'s> {
    pub fn new() -> Self {
        let ty = ty();
        let size = size();
        let signature = signature(ty.clone());
        let param = one(|kind| kind == Kind::Mut)
            .or_not()
            .then(ident(Kind::is_name))
            .then(
                one(|kind| kind == Kind::Colon)
                    .ignore_then(ty.clone())
                    .or_not(),
            )
            .map(|((mutable, name), ty)| ParamHead {
                mutable: mutable.map(|token| token.span),
                name,
                ty,
            });
        let bare = ident(Kind::is_name).map(|name| ParamHead {
            mutable: None,
            name,
            ty: None,
        });
        let is = |kind| any().filter(move |token: &Token| token.kind == kind);
        Self {
            expression: expression(ty.clone()),
            stage: stage(ty.clone()),
            param: param.or(bare).boxed(),
            function: any().ignore_then(signature.clone()).boxed(),
            external: word("extern")
                .ignore_then(is(Kind::Fn))
                .ignore_then(signature)
                .then_ignore(is(Kind::From).labelled(Expected::From))
                .then(is(Kind::Str).labelled(Expected::Module))
                .boxed(),
            import: word("import")
                .ignore_then(word("python"))
                .ignore_then(is(Kind::Str).labelled(Expected::Module))
                .then_ignore(is(Kind::As).labelled(Expected::As))
                .then(ident(Kind::is_name))
                .boxed(),
            model: word("model")
                .ignore_then(ident(Kind::is_name))
                .then(sizes().or_not())
                .map(|(name, sizes)| (name, sizes.unwrap_or_default()))
                .boxed(),
            axes: axis().repeated().collect().boxed(),
            ty,
            size,
        }
    }
}

/// A token of some kinds.
fn one<'s>(accepts: fn(Kind) -> bool) -> impl Parser<'s, Tokens<'s>, Token, Extra<'s>> + Copy {
    any().filter(move |token: &Token| accepts(token.kind))
}

/// A name that reads so.
fn word<'s>(text: &'static str) -> impl Parser<'s, Tokens<'s>, Token, Extra<'s>> + Clone {
    any().try_map_with(move |token: Token, e: &mut Map<'s, '_>| {
        let span = e.span();
        let fits = e.state().word(Some(&token)) == text;
        if fits {
            Ok(token)
        } else {
            Err(LabelError::expected_found([Expected::Name], None, span))
        }
    })
}

fn ident<'s>(accepts: fn(Kind) -> bool) -> impl Parser<'s, Tokens<'s>, Ident, Extra<'s>> + Clone {
    one(accepts)
        .map_with(|token, e: &mut Map<'s, '_>| e.state().ident(token))
        .labelled(Expected::Name)
}

fn expression<'s>(ty: Rule<'s, TypeExpr>) -> Rule<'s, Expr> {
    let atom = one(Kind::is_atom)
        .map_with(|token, e: &mut Map<'s, '_>| build::atom(token, e.state()))
        .labelled(Expected::Operand);
    let suffix =
        one(|kind| matches!(kind, Kind::Group(Role::Args | Role::Index))).or(one(|kind| {
            kind == Kind::Dot
        })
        .ignore_then(
            one(|kind| kind.is_name() || kind.is_keyword() || kind == Kind::Underscore)
                .labelled(Expected::Name),
        ));
    let primary = atom
        .foldl_with(suffix.repeated(), |base, token, e: &mut Map<'s, '_>| {
            build::suffix(base, token, e.state())
        })
        .boxed();
    let minuses = one(|kind| kind == Kind::Minus)
        .repeated()
        .collect::<Vec<Token>>()
        .boxed();
    let power = primary
        .clone()
        .then(
            one(|kind| kind == Kind::StarStar)
                .then(minuses.clone())
                .then(primary)
                .repeated()
                .collect::<Vec<_>>(),
        )
        .map_with(|(base, powers), e: &mut Map<'s, '_>| build::power(base, powers, e.state()))
        .boxed();
    let converted = power.foldl_with(
        one(|kind| matches!(kind, Kind::To | Kind::As))
            .then(ty)
            .repeated(),
        |value, (word, ty), e: &mut Map<'s, '_>| build::convert(value, word, ty, e.state()),
    );
    let unary = minuses
        .then(converted)
        .map_with(|(minuses, operand), e: &mut Map<'s, '_>| {
            build::negated(minuses, operand, e.state())
        })
        .boxed();
    let binary = |left, op, right, e: &mut Map<'s, '_>| build::binary(left, op, right, e.state());
    let operators = unary
        .pratt((
            infix(
                left(8),
                one(|kind| {
                    matches!(
                        kind,
                        Kind::Star | Kind::Slash | Kind::SlashSlash | Kind::Percent | Kind::At
                    )
                }),
                binary,
            ),
            infix(
                left(7),
                one(|kind| matches!(kind, Kind::Plus | Kind::Minus)),
                binary,
            ),
            infix(
                none(6),
                one(|kind| kind == Kind::DotDot),
                |start, _, end, _: &mut Map<'s, '_>| build::range(start, end),
            ),
            infix(
                left(5),
                one(|kind| kind == Kind::By),
                |range, by, step, e: &mut Map<'s, '_>| build::stepped(range, by, step, e.state()),
            ),
            infix(left(4), one(is_comparison), binary),
            prefix(
                3,
                one(|kind| kind == Kind::Not)
                    .repeated()
                    .at_least(1)
                    .collect::<Vec<_>>(),
                |words, operand, _: &mut Map<'s, '_>| build::inverted(words, operand),
            ),
            infix(left(2), one(|kind| kind == Kind::And), binary),
            infix(left(1), one(|kind| kind == Kind::Or), binary),
        ))
        .boxed();
    operators
        .clone()
        .then(
            one(|kind| kind == Kind::If)
                .ignore_then(operators.clone())
                .then_ignore(one(|kind| kind == Kind::Else).labelled(Expected::Else))
                .then(operators)
                .repeated()
                .collect::<Vec<_>>(),
        )
        .map(|(then, rest)| build::conditional(then, rest))
        .boxed()
}

fn is_comparison(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::EqEq | Kind::NotEq | Kind::Lt | Kind::Le | Kind::Gt | Kind::Ge
    )
}

fn stage<'s>(ty: Rule<'s, TypeExpr>) -> Rule<'s, StageKind> {
    let convert = one(|kind| matches!(kind, Kind::To | Kind::As))
        .then(ty)
        .map(|(word, ty)| StageKind::Convert {
            how: if word.kind == Kind::To {
                Conversion::To
            } else {
                Conversion::As
            },
            ty,
        });
    let path = ident(Kind::is_name)
        .separated_by(one(|kind| kind == Kind::Dot))
        .at_least(1)
        .collect::<Vec<_>>();
    let call = path
        .then(one(|kind| kind == Kind::Group(Role::Args)).or_not())
        .map_with(|(path, args), e: &mut Map<'s, '_>| {
            let args_span = args.map(|group| group.span);
            let args = args.and_then(|group| match e.state().take(group) {
                Parsed::Args(args) => Some(args),
                _ => None,
            });
            StageKind::Call {
                path,
                args,
                args_span,
            }
        });
    convert.or(call).labelled(Expected::Stage).boxed()
}

fn ty<'s>() -> Rule<'s, TypeExpr> {
    let tuple = one(|kind| kind == Kind::Group(Role::TypeTuple))
        .map_with(|group, e: &mut Map<'s, '_>| build::type_tuple(group, e.state()));
    let part = one(|kind| kind == Kind::Name)
        .then(one(|kind| matches!(kind, Kind::Group(Role::Sizes | Role::IndexSize))).or_not());
    let shaped = one(|kind| kind == Kind::Group(Role::Shape))
        .then(part.repeated().at_most(2).collect::<Vec<_>>())
        .map_with(|(shape, parts), e: &mut Map<'s, '_>| {
            build::shaped_type(shape, parts, e.state())
        });
    let named = one(Kind::is_name)
        .then(one(|kind| matches!(kind, Kind::Group(Role::Sizes | Role::IndexSize))).or_not())
        .then(part.or_not())
        .map_with(|(first, second), e: &mut Map<'s, '_>| {
            build::named_type(first, second, e.state())
        });
    let bad = one(|kind| kind == Kind::Bad).map(|token| build::bad_type(token.span));
    choice((tuple, shaped, named, bad))
        .labelled(Expected::Type)
        .boxed()
}

/// The sizes in `Linear[D H]`.
fn sizes<'s>() -> impl Parser<'s, Tokens<'s>, Vec<SizeExpr>, Extra<'s>> + Clone {
    one(|kind| kind == Kind::Group(Role::Sizes))
        .map_with(|group, e: &mut Map<'s, '_>| build::sizes(group, e.state()))
}

/// A name, a number, `_`, or a size in brackets.
fn axis<'s>() -> Rule<'s, SizeExpr> {
    one(|kind| {
        kind.is_name()
            || matches!(
                kind,
                Kind::Int | Kind::Underscore | Kind::Bad | Kind::Group(Role::Size)
            )
    })
    .map_with(|token, e: &mut Map<'s, '_>| build::axis(token, e.state()))
    .labelled(Expected::Size)
    .boxed()
}

fn size<'s>() -> Rule<'s, SizeExpr> {
    let combine = |left, op, right, _: &mut Map<'s, '_>| build::size_binary(left, op, right);
    axis()
        .pratt((
            infix(
                left(2),
                one(|kind| matches!(kind, Kind::Star | Kind::SlashSlash)),
                combine,
            ),
            infix(
                left(1),
                one(|kind| matches!(kind, Kind::Plus | Kind::Minus)),
                combine,
            ),
        ))
        .boxed()
}

fn signature<'s>(ty: Rule<'s, TypeExpr>) -> Rule<'s, Signature> {
    ident(Kind::is_name)
        .then(one(|kind| kind == Kind::Group(Role::Params)).labelled(Expected::Params))
        .then(one(|kind| kind == Kind::Arrow).ignore_then(ty).or_not())
        .map_with(|((name, group), result), e: &mut Map<'s, '_>| {
            let end = result.as_ref().map_or(group.span, |result| result.span).end;
            let params = match e.state().take(group) {
                Parsed::Params(params) => params,
                _ => Vec::new(),
            };
            Signature {
                name,
                params,
                result,
                end,
            }
        })
        .boxed()
}
