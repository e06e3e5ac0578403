//! What a bracket means, from the tokens before it.

use super::{Layouter, Typing};
use crate::token::{Kind, Role, Token, Value};
use crate::words;

impl Layouter<'_> {
    pub(super) fn push(&mut self, token: Token) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        // After a point any word is a field: `x.to` isn't a conversion.
        let is_field = frame
            .tokens
            .last()
            .is_some_and(|last| last.kind == Kind::Dot);
        let token = match token.kind.is_keyword() && is_field {
            true => Token {
                kind: Kind::Name,
                extra: u32::MAX,
                ..token
            },
            false => token,
        };
        let declares = match frame.role {
            Some(Role::Params) => true,
            None => {
                frame.tokens.len() == 1
                    && frame
                        .tokens
                        .first()
                        .is_some_and(|first| first.kind.is_name())
            }
            _ => false,
        };
        frame.typing = match token.kind {
            Kind::Arrow | Kind::To | Kind::As => Typing::Start,
            // Meant as `->`.
            Kind::FatArrow if frame.tokens.last().is_some_and(is_params) => Typing::Start,
            Kind::Colon if declares => Typing::Start,
            Kind::Comma if frame.role == Some(Role::TypeTuple) => Typing::Start,
            Kind::Name if frame.typing != Typing::No => Typing::Part,
            Kind::Group(Role::Shape | Role::TypeTuple | Role::Sizes | Role::IndexSize) => {
                Typing::Part
            }
            _ => Typing::No,
        };
        frame.tokens.push(token);
    }

    pub(super) fn name_of(&self, token: Option<&Token>) -> &str {
        let token = token.filter(|token| token.kind == Kind::Name);
        match token.and_then(|token| self.lexed.values.get(token.extra as usize)) {
            Some(Value::Name(name)) => name,
            _ => "",
        }
    }

    /// Whether the name before `(` is `zeros`, `ones` …, not a field of that name.
    pub(super) fn calls_constructor(&self) -> bool {
        let Some(frame) = self.frames.last() else {
            return false;
        };
        let mut before = frame.tokens.iter().rev();
        words::SHAPE_FIRST.contains(&self.name_of(before.next()))
            && before.next().is_none_or(|t| t.kind != Kind::Dot)
    }

    /// Whether a name is that of a model that is declared with sizes, and no field.
    fn takes_sizes(&self, name: &str, before: Option<&Token>) -> bool {
        self.sized.iter().any(|sized| &**sized == name)
            && before.is_none_or(|before| before.kind != Kind::Dot)
    }

    /// The names after `model` and before a bracket.
    pub(super) fn find_sized(&mut self) {
        let tokens = &self.lexed.tokens;
        for three in tokens.windows(3) {
            let [word, name, bracket] = three else {
                continue;
            };
            if bracket.kind == Kind::LBracket
                && self.name_of(Some(word)) == "model"
                && let Some(Value::Name(name)) = self.lexed.values.get(name.extra as usize)
            {
                self.sized.push(name.clone());
            }
        }
    }

    pub(super) fn role_of(&self, token: Token) -> Role {
        let Some(frame) = self.frames.last() else {
            return Role::Paren;
        };
        let last = frame.tokens.last();
        let before = frame
            .tokens
            .len()
            .checked_sub(2)
            .and_then(|at| frame.tokens.get(at));
        let after_operand = last.is_some_and(|last| last.kind.ends_operand());
        let sizes = matches!(
            frame.role,
            Some(Role::Shape | Role::Size | Role::IndexSize | Role::Sizes)
        ) || (frame.role.is_none()
            && frame
                .tokens
                .first()
                .is_some_and(|first| first.kind == Kind::Dim));
        match token.kind {
            Kind::FOpen => Role::FString,
            Kind::HoleOpen => Role::Hole,
            Kind::LBrace => Role::Braces,
            Kind::LParen => {
                let declares = |token: Option<&Token>| {
                    token.is_some_and(|token| {
                        token.kind == Kind::Fn || self.name_of(Some(token)) == "def"
                    })
                };
                let foreign = matches!(self.name_of(before), "func" | "function" | "fun");
                let number = last.is_some_and(|last| matches!(last.kind, Kind::Int | Kind::Float));
                if frame.role.is_none() && (declares(before) || declares(last) || foreign) {
                    Role::Params
                } else if sizes {
                    Role::Size
                } else if frame.typing == Typing::Start {
                    Role::TypeTuple
                } else if after_operand && !number {
                    Role::Args
                } else {
                    Role::Paren
                }
            }
            _ => {
                let name = self.name_of(last);
                let refined = words::DTYPES.contains(&name)
                    || (words::DOMAINS.contains(&name) && name != "Index");
                let first = frame.shape_first && frame.tokens.is_empty();
                let declares_model = frame.role.is_none()
                    && frame.tokens.len() == 2
                    && last.is_some_and(|last| last.kind.is_name())
                    && self.name_of(before) == "model";
                match frame.typing {
                    Typing::Start => Role::Shape,
                    _ if last.is_some_and(is_params) => Role::Shape,
                    _ if last.is_some_and(|last| last.kind == Kind::Pipe) => Role::Shape,
                    Typing::Part if name == "Index" => Role::IndexSize,
                    Typing::Part if !name.is_empty() && !refined => Role::Sizes,
                    _ if first => Role::Shape,
                    _ if declares_model => Role::Sizes,
                    _ if after_operand && self.takes_sizes(name, before) => Role::Sizes,
                    _ if after_operand => Role::Index,
                    _ => Role::Literal,
                }
            }
        }
    }
}

fn is_params(token: &Token) -> bool {
    token.kind == Kind::Group(Role::Params)
}
