//! The variables of a body, or of a stage's function.

use strand_ir::LocalId;
use strand_source::Map;
use strand_syntax::ast::{FnBody, Name};

use crate::bodies::BodyText;
use crate::context::{Variable, bound_names};

/// Variables by name with their present types.
///
/// What the statements of a body bind has its place from the start: a map that grows by one name after the other would
/// move its entries at each.
#[derive(Default)]
pub(crate) struct Scope(Map<Name, Held>);

#[derive(Default)]
struct Held {
    /// The variable, while it is bound.
    variable: Option<Variable>,
    /// The local that stands for it wherever a statement binds it.
    local: Option<LocalId>,
}

impl Scope {
    /// The scope of a body, with nothing bound yet.
    pub(crate) fn of(body: &BodyText<'_>) -> Self {
        let mut names = Vec::new();
        match body {
            BodyText::Function(FnBody::Block(stmts)) => bound_names(stmts, &mut names),
            BodyText::Function(FnBody::Expr(_) | FnBody::Error(_)) => {}
            BodyText::Script(stmts) => {
                for stmt in *stmts {
                    bound_names(std::slice::from_ref(*stmt), &mut names);
                }
            }
        }
        let places = names.into_iter().map(|name| (name, Held::default()));
        Self(places.collect())
    }

    /// The variable of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Variable> {
        self.0.get(name)?.variable.as_ref()
    }

    /// Binds a name, or forgets it; gives back what it was.
    pub(crate) fn set(&mut self, name: Name, variable: Option<Variable>) -> Option<Variable> {
        std::mem::replace(&mut self.0.get_or_default(name).variable, variable)
    }

    /// The local of a name that a statement has bound.
    pub(crate) fn local(&self, name: &str) -> Option<LocalId> {
        self.0.get(name)?.local
    }

    /// Notes the local of a name that a statement binds.
    pub(crate) fn set_local(&mut self, name: Name, local: LocalId) {
        self.0.get_or_default(name).local = Some(local);
    }

    /// The variables that are bound, by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Name, &Variable)> {
        let all = self.0.iter();
        all.filter_map(|(name, held)| Some((name, held.variable.as_ref()?)))
    }
}
