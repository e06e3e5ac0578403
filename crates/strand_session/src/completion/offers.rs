//! Texts that may stand at a caret, before they are tried.

use strand_source::{Span, continues_name};

use super::ItemKind;

/// Offers that only differ in what no error can come from share one proof.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// Proven alone.
    Own,
    /// A built-in without effect, elementwise or not.
    Pure(bool),
    /// A variable.
    Variable,
    /// A call of this function of the program.
    Call(String),
}

/// A text that may stand at a caret.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    pub label: String,
    pub insert: String,
    pub holes: Vec<Span>,
    pub kind: ItemKind,
    pub doc: String,
    /// What is shown as its type, where that isn't what trying it gives.
    pub detail: Option<String>,
    pub class: Class,
    /// How common it is: the least first.
    pub weight: u32,
    /// How far it is from what is written: 0 begins so.
    pub likeness: u8,
    /// Whether `|> ` may follow where it can't be the last.
    pub may_go_on: bool,
    /// Whether it is only a beginning: `to `.
    pub unfinished: bool,
}

impl Offer {
    /// An offer whose holes are in braces: `softmax(over={n})`.
    pub fn new(kind: ItemKind, template: &str) -> Self {
        let mut insert = String::with_capacity(template.len());
        let mut holes = Vec::new();
        let mut open = 0;
        for letter in template.chars() {
            match letter {
                '{' => open = insert.len() as u32,
                '}' => holes.push(Span::new(open, insert.len() as u32)),
                _ => insert.push(letter),
            }
        }
        Self {
            label: insert.clone(),
            insert,
            holes,
            kind,
            doc: String::new(),
            detail: None,
            class: Class::Own,
            weight: 100,
            likeness: 0,
            may_go_on: false,
            unfinished: false,
        }
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub fn doc(mut self, doc: impl Into<String>) -> Self {
        self.doc = doc.into();
        self
    }

    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    pub fn class(mut self, class: Class) -> Self {
        self.class = class;
        self
    }

    pub fn weight(mut self, weight: u32) -> Self {
        self.weight = weight;
        self
    }

    pub fn goes_on(mut self) -> Self {
        self.may_go_on = true;
        self
    }

    pub fn unfinished(mut self) -> Self {
        self.unfinished = true;
        self
    }

    /// Leaves the name alone: its arguments are there.
    pub fn drop_arguments(&mut self) {
        if let Some(at) = self.insert.find('(') {
            self.insert.truncate(at);
            self.holes.clear();
            self.label.clone_from(&self.insert);
        }
    }
}

/// Offers that are like what is written so far.
pub(super) struct Offers {
    prefix: String,
    list: Vec<Offer>,
}

impl Offers {
    pub fn new(prefix: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
            list: Vec::new(),
        }
    }

    /// Whether something is written already.
    pub fn is_begun(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// Adds an offer if it is like what is written and isn't there.
    pub fn push(&mut self, mut offer: Offer) {
        let Some(likeness) = likeness(&offer.label, &self.prefix) else {
            return;
        };
        let double = |other: &Offer| other.label == offer.label && other.insert == offer.insert;
        if !self.list.iter().any(double) {
            offer.likeness = likeness;
            self.list.push(offer);
        }
    }

    /// The likeliest.
    pub fn best(mut self, most: usize) -> Vec<Offer> {
        strand_source::sort_by_key(&mut self.list, |offer| (offer.likeness, offer.weight));
        self.list.truncate(most);
        self.list
    }
}

/// How far a label is from what is written: it begins so, does in the other case, has a word that
/// does, or holds it; `None` where it has nothing of it.
fn likeness(label: &str, prefix: &str) -> Option<u8> {
    if label.starts_with(prefix) {
        return Some(0);
    }
    let (label, prefix) = (label.to_ascii_lowercase(), prefix.to_ascii_lowercase());
    if label.starts_with(&prefix) {
        return Some(1);
    }
    let at = label.find(&prefix)?;
    let head = label.get(..at).unwrap_or("");
    let name = head.chars().all(|c| continues_name(c) || c == '.');
    let word = name && head.ends_with(|c: char| !continues_name(c) || c == '_');
    match (word, name) {
        (true, _) => Some(2),
        (_, true) if prefix.len() > 1 => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_where_the_braces_were() {
        let offer = Offer::new(ItemKind::Stage, "map({v} => {v}, over=n)");
        assert_eq!(offer.insert, "map(v => v, over=n)");
        let pieces = offer.holes.iter().map(|hole| hole.text(&offer.insert));
        assert_eq!(pieces.collect::<Vec<_>>(), ["v", "v"]);
    }

    #[test]
    fn a_label_is_like_what_it_begins_with_or_holds() {
        assert_eq!(likeness("softmax(over=n)", "so"), Some(0));
        assert_eq!(likeness("MLP", "ml"), Some(1));
        assert_eq!(likeness("log_softmax", "so"), Some(2));
        assert_eq!(likeness("self.w", "w"), Some(2));
        assert_eq!(likeness("softmax", "max"), Some(3));
        assert_eq!(likeness("sum(over=n)", "over"), None);
        assert_eq!(likeness("relu", "so"), None);
    }
}
