//! The grammar of flat token runs. Brackets are single tokens whose insides were read before, so
//! that no parser is recursive and the stack that one needs is a constant.
//!
//! The next token decides at every place, so sequences are plain functions over the parsers' input;
//! combinators of them would weigh several times as much in WebAssembly. Binary operators are a
//! Pratt parser.

use chumsky::extra;
use chumsky::input::{InputRef, MapExtra};
use chumsky::pratt::{Associativity, Infix, infix, left, none, prefix};
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
type Input<'s, 'p> = InputRef<'s, 'p, Tokens<'s>, Extra<'s>>;

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
    /// `fn …`; the words that begin a declaration were looked at before.
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
        let operators = operators();
        Self {
            expression: custom(move |input| conditional(input, &operators)).boxed(),
            ty: custom(ty).boxed(),
            size: size(),
            axes: custom(axes).boxed(),
            stage: custom(stage).boxed(),
            param: custom(param).boxed(),
            function: custom(function).boxed(),
            external: custom(external).boxed(),
            import: custom(import).boxed(),
            model: custom(model).boxed(),
        }
    }
}

/// The number of the next token.
fn place(input: &mut Input<'_, '_>) -> usize {
    let here = input.cursor();
    input.span_since(&here).start
}

fn stop<T>(input: &mut Input<'_, '_>, expected: Expected) -> Result<T, Fault> {
    let fault = Fault::new(place(input), expected);
    input.state().stopped(fault);
    Err(fault)
}

/// The next token, if it is of some kinds.
fn maybe(input: &mut Input<'_, '_>, accepts: fn(Kind) -> bool) -> Option<Token> {
    let token = input.peek().filter(|token| accepts(token.kind))?;
    input.skip();
    Some(token)
}

/// The next token, which must be of some kinds.
fn token(
    input: &mut Input<'_, '_>,
    accepts: fn(Kind) -> bool,
    expected: Expected,
) -> Result<Token, Fault> {
    match maybe(input, accepts) {
        Some(token) => Ok(token),
        None => stop(input, expected),
    }
}

fn ident(input: &mut Input<'_, '_>) -> Result<Ident, Fault> {
    let name = token(input, Kind::is_name, Expected::Name)?;
    Ok(input.state().ident(name))
}

fn is_conversion(kind: Kind) -> bool {
    matches!(kind, Kind::To | Kind::As)
}

fn is_minus(kind: Kind) -> bool {
    kind == Kind::Minus
}

fn is_dot(kind: Kind) -> bool {
    kind == Kind::Dot
}

fn is_args(kind: Kind) -> bool {
    kind == Kind::Group(Role::Args)
}

/// An operand with calls, indexes and fields.
fn primary(input: &mut Input<'_, '_>) -> Result<Expr, Fault> {
    let atom = token(input, Kind::is_atom, Expected::Operand)?;
    let changed = match atom.kind {
        Kind::Mut => maybe(input, Kind::is_name),
        _ => None,
    };
    let mut base = match changed {
        Some(name) => build::changed(atom, name, input.state()),
        None => build::atom(atom, input.state()),
    };
    loop {
        let suffix = if maybe(input, is_dot).is_some() {
            let is_field = |kind: Kind| kind.is_name() || kind == Kind::Underscore;
            token(input, is_field, Expected::Name)?
        } else {
            let brackets =
                |kind| matches!(kind, Kind::Group(Role::Args | Role::Index | Role::Sizes));
            match maybe(input, brackets) {
                Some(group) => group,
                None => return Ok(base),
            }
        };
        base = build::suffix(base, suffix, input.state());
    }
}

fn minuses(input: &mut Input<'_, '_>) -> Vec<Token> {
    std::iter::from_fn(|| maybe(input, is_minus)).collect()
}

/// `a ** -b ** c`
fn power(input: &mut Input<'_, '_>) -> Result<Expr, Fault> {
    let base = primary(input)?;
    let mut powers = Vec::new();
    while let Some(op) = maybe(input, |kind| kind == Kind::StarStar) {
        let signs = minuses(input);
        powers.push(((op, signs), primary(input)?));
    }
    Ok(build::power(base, powers, input.state()))
}

/// `-x to T as T`
fn unary(input: &mut Input<'_, '_>) -> Result<Expr, Fault> {
    let mut signs = minuses(input);
    let mut value = build::least(&mut signs, power(input)?);
    while let Some(word) = maybe(input, is_conversion) {
        let ty = ty(input)?;
        value = build::convert(value, word, ty, input.state());
    }
    Ok(build::negated(signs, value))
}

type Fold<'s, O> = fn(O, Token, O, &mut Map<'s, '_>) -> O;

/// A binary operator of some kinds. All have one type, so that their code is there once.
fn binary<'s, O>(
    associativity: Associativity,
    accepts: fn(Kind) -> bool,
    fold: Fold<'s, O>,
) -> Infix<
    's,
    impl Parser<'s, Tokens<'s>, Token, Extra<'s>> + Clone,
    Fold<'s, O>,
    O,
    Token,
    Tokens<'s>,
    Extra<'s>,
> {
    infix(associativity, operator(accepts), fold)
}

/// The token of an operator; that there is none is no fault.
fn operator<'s>(
    accepts: fn(Kind) -> bool,
) -> impl Parser<'s, Tokens<'s>, Token, Extra<'s>> + Clone {
    custom(
        move |input: &mut Input<'s, '_>| match maybe(input, accepts) {
            Some(token) => Ok(token),
            None => Err(Fault::nothing(place(input))),
        },
    )
}

/// Binary operators and `not`, loosest last.
fn operators<'s>() -> Rule<'s, Expr> {
    let nots = custom(|input: &mut Input<'s, '_>| {
        let words: Vec<Token> =
            std::iter::from_fn(|| maybe(input, |kind| kind == Kind::Not)).collect();
        if words.is_empty() {
            Err(Fault::nothing(place(input)))
        } else {
            Ok(words)
        }
    });
    let fold: Fold<'s, Expr> = |left, op, right, e| build::binary(left, op, right, e.state());
    let is_product = |kind| {
        matches!(
            kind,
            Kind::Star | Kind::Slash | Kind::SlashSlash | Kind::Percent | Kind::At
        )
    };
    custom(unary)
        .pratt((
            binary(left(8), is_product, fold),
            binary(
                left(7),
                |kind| matches!(kind, Kind::Plus | Kind::Minus),
                fold,
            ),
            binary(
                none(6),
                |kind| kind == Kind::DotDot,
                |start, _, end, _| build::range(start, end),
            ),
            binary(
                left(5),
                |kind| kind == Kind::By,
                |range, by, step, e| build::stepped(range, by, step, e.state()),
            ),
            binary(left(4), is_comparison, fold),
            prefix(3, nots, |words, operand, _: &mut Map<'s, '_>| {
                build::inverted(words, operand)
            }),
            binary(left(2), |kind| kind == Kind::And, fold),
            binary(left(1), |kind| kind == Kind::Or, fold),
        ))
        .boxed()
}

fn is_comparison(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::EqEq | Kind::NotEq | Kind::Lt | Kind::Le | Kind::Gt | Kind::Ge
    )
}

/// `a if b else c if d else e`
fn conditional<'s>(input: &mut Input<'s, '_>, operators: &Rule<'s, Expr>) -> Result<Expr, Fault> {
    let then = input.parse(operators)?;
    let mut rest = Vec::new();
    while maybe(input, |kind| kind == Kind::If).is_some() {
        let condition = input.parse(operators)?;
        token(input, |kind| kind == Kind::Else, Expected::Else)?;
        rest.push((condition, input.parse(operators)?));
    }
    Ok(build::conditional(then, rest))
}

/// `to T`, `as T`, or a path with arguments.
fn stage(input: &mut Input<'_, '_>) -> Result<StageKind, Fault> {
    if let Some(word) = maybe(input, is_conversion) {
        let how = if word.kind == Kind::To {
            Conversion::To
        } else {
            Conversion::As
        };
        return Ok(StageKind::Convert {
            how,
            ty: ty(input)?,
        });
    }
    let first = token(input, Kind::is_name, Expected::Stage)?;
    let mut path = vec![input.state().ident(first)];
    while maybe(input, is_dot).is_some() {
        path.push(ident(input)?);
    }
    let group = maybe(input, is_args);
    let args_span = group.map(|group| group.span);
    let args = group.and_then(|group| match input.state().take(group) {
        Parsed::Args(args) => Some(args),
        _ => None,
    });
    Ok(StageKind::Call {
        path,
        args,
        args_span,
    })
}

/// A name in a type with the sizes in brackets after it.
fn type_part(input: &mut Input<'_, '_>) -> Option<build::Part> {
    let name = maybe(input, |kind| kind == Kind::Name)?;
    Some((name, type_sizes(input)))
}

fn type_sizes(input: &mut Input<'_, '_>) -> Option<Token> {
    maybe(input, |kind| {
        matches!(kind, Kind::Group(Role::Sizes | Role::IndexSize))
    })
}

/// `[axes] dtype Domain`, a name, a tuple: as much as there is.
fn ty(input: &mut Input<'_, '_>) -> Result<TypeExpr, Fault> {
    let starts = |kind: Kind| {
        kind.is_name() || matches!(kind, Kind::Bad | Kind::Group(Role::Shape | Role::TypeTuple))
    };
    let first = token(input, starts, Expected::Type)?;
    Ok(match first.kind {
        Kind::Group(Role::TypeTuple) => build::type_tuple(first, input.state()),
        Kind::Group(_) => {
            let parts = [type_part(input), type_part(input)]
                .into_iter()
                .flatten()
                .collect();
            build::shaped_type(first, parts, input.state())
        }
        Kind::Bad => build::bad_type(first.span),
        _ => {
            let sizes = type_sizes(input);
            let second = type_part(input);
            build::named_type((first, sizes), second, input.state())
        }
    })
}

/// A name, a number, `_`, or a size in brackets.
fn axis(input: &mut Input<'_, '_>) -> Result<SizeExpr, Fault> {
    let starts = |kind: Kind| {
        kind.is_name()
            || matches!(
                kind,
                Kind::Int | Kind::Underscore | Kind::Bad | Kind::Group(Role::Size)
            )
    };
    let token = token(input, starts, Expected::Size)?;
    Ok(build::axis(token, input.state()))
}

fn axes(input: &mut Input<'_, '_>) -> Result<Vec<SizeExpr>, Fault> {
    let mut axes = Vec::new();
    while input.peek().is_some() {
        axes.push(axis(input)?);
    }
    Ok(axes)
}

fn size<'s>() -> Rule<'s, SizeExpr> {
    let fold: Fold<'s, SizeExpr> = |left, op, right, _| build::size_binary(left, op, right);
    custom(axis)
        .pratt((
            binary(
                left(2),
                |kind| matches!(kind, Kind::Star | Kind::SlashSlash),
                fold,
            ),
            binary(
                left(1),
                |kind| matches!(kind, Kind::Plus | Kind::Minus),
                fold,
            ),
        ))
        .boxed()
}

/// `mut name: Type`
fn param(input: &mut Input<'_, '_>) -> Result<ParamHead, Fault> {
    let first = token(input, Kind::is_name, Expected::Name)?;
    let second = if first.kind == Kind::Mut {
        maybe(input, Kind::is_name)
    } else {
        None
    };
    let name = input.state().ident(second.unwrap_or(first));
    let ty = match maybe(input, |kind| kind == Kind::Colon) {
        Some(_) => Some(ty(input)?),
        None => None,
    };
    Ok(ParamHead {
        mutable: second.map(|_| first.span),
        name,
        ty,
    })
}

fn signature(input: &mut Input<'_, '_>) -> Result<Signature, Fault> {
    let name = ident(input)?;
    let group = token(
        input,
        |kind| kind == Kind::Group(Role::Params),
        Expected::Params,
    )?;
    let result = match maybe(input, |kind| kind == Kind::Arrow) {
        Some(_) => Some(ty(input)?),
        None => None,
    };
    let end = result.as_ref().map_or(group.span, |result| result.span).end;
    let params = match input.state().take(group) {
        Parsed::Params(params) => params,
        _ => Vec::new(),
    };
    Ok(Signature {
        name,
        params,
        result,
        end,
    })
}

fn function(input: &mut Input<'_, '_>) -> Result<Signature, Fault> {
    input.skip();
    signature(input)
}

fn external(input: &mut Input<'_, '_>) -> Result<(Signature, Token), Fault> {
    input.skip();
    input.skip();
    let signature = signature(input)?;
    token(input, |kind| kind == Kind::From, Expected::From)?;
    Ok((
        signature,
        token(input, |kind| kind == Kind::Str, Expected::Module)?,
    ))
}

fn import(input: &mut Input<'_, '_>) -> Result<(Token, Ident), Fault> {
    input.skip();
    input.skip();
    let module = token(input, |kind| kind == Kind::Str, Expected::Module)?;
    token(input, |kind| kind == Kind::As, Expected::As)?;
    Ok((module, ident(input)?))
}

fn model(input: &mut Input<'_, '_>) -> Result<(Ident, Vec<SizeExpr>), Fault> {
    input.skip();
    let name = ident(input)?;
    let sizes = match maybe(input, |kind| kind == Kind::Group(Role::Sizes)) {
        Some(group) => build::sizes(group, input.state()),
        None => Vec::new(),
    };
    Ok((name, sizes))
}
