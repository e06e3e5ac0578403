//! Tokens on one line, with the spaces between them.

use crate::layout::{Group, Layout};
use crate::token::{Kind, Role, Token};

/// Tokens of one text.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub text: &'t str,
    pub layout: &'t Layout,
}

impl<'t> Source<'t> {
    pub fn group(&self, token: &Token) -> Option<&'t Group> {
        match token.kind {
            Kind::Group(_) => self.layout.groups.get(token.extra as usize),
            _ => None,
        }
    }

    pub fn inner(&self, group: &Group) -> &'t [Token] {
        self.layout.arena.get(group.tokens.clone()).unwrap_or(&[])
    }

    /// The tokens on one line. `role` is the bracket that they stand in, `None` for a line.
    pub fn flat(&self, tokens: &[Token], role: Option<Role>) -> String {
        let mut out = String::new();
        for (at, token) in tokens.iter().enumerate() {
            if self.space_before(tokens, at, role) {
                out.push(' ');
            }
            self.token(token, &mut out);
        }
        out
    }

    fn token(&self, token: &Token, out: &mut String) {
        match self.group(token) {
            // A text is kept to the letter.
            Some(group) if group.role != Role::FString => {
                out.push_str(self.open(token));
                out.push_str(&self.flat(self.inner(group), Some(group.role)));
                out.push_str(self.close(token));
            }
            _ => out.push_str(token.span.text(self.text)),
        }
    }

    /// A bracket's opening character.
    pub fn open(&self, token: &Token) -> &'t str {
        let text = token.span.text(self.text);
        text.get(..1).unwrap_or("")
    }

    /// A bracket's closing character.
    pub fn close(&self, token: &Token) -> &'t str {
        let text = token.span.text(self.text);
        text.get(text.len().saturating_sub(1)..).unwrap_or("")
    }

    /// Whether a space stands before the token of a number.
    pub fn space_before(&self, tokens: &[Token], at: usize, role: Option<Role>) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return false;
        };
        let (Some(left), Some(right)) = (tokens.get(before), tokens.get(at)) else {
            return false;
        };
        match (left.kind, right.kind) {
            (_, Kind::Comma | Kind::Colon | Kind::Dot) | (Kind::Dot, _) => false,
            (Kind::Comma | Kind::Colon, _) => true,
            (Kind::DotDot, Kind::By) => true,
            (Kind::DotDot, _) | (_, Kind::DotDot) => false,
            (Kind::Eq, _) | (_, Kind::Eq) => self.spaced_equals(tokens, at, role),
            (Kind::Minus, _) if is_sign(tokens, before) => false,
            (
                _,
                Kind::Group(
                    Role::Args | Role::Index | Role::Params | Role::Sizes | Role::IndexSize,
                ),
            ) => false,
            _ => true,
        }
    }

    /// `=` of an argument, and of a parameter without a type, stands without spaces.
    fn spaced_equals(&self, tokens: &[Token], at: usize, role: Option<Role>) -> bool {
        match role {
            Some(Role::Args) => false,
            Some(Role::Params) => {
                let before = tokens.get(..at).unwrap_or(&[]).iter().rev();
                before
                    .take_while(|token| token.kind != Kind::Comma)
                    .any(|token| token.kind == Kind::Colon)
            }
            _ => true,
        }
    }
}

/// Whether the minus of a number is a sign, not an operator between two operands.
fn is_sign(tokens: &[Token], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|before| tokens.get(before)) else {
        return true;
    };
    let operand_before = at
        .checked_sub(2)
        .and_then(|before| tokens.get(before))
        .is_some_and(|t| t.kind.ends_operand());
    let is_word = before.kind == Kind::By
        && (operand_before
            || at
                .checked_sub(2)
                .and_then(|b| tokens.get(b))
                .is_some_and(|t| t.kind == Kind::DotDot));
    !before.kind.ends_operand() || is_word
}
