//! Completion in JavaScript's terms.

use strand_session::{CompletionItem as Item, Span};

use crate::edge::Places;
use crate::plain::plain;
use crate::types::Range;

plain! {
    /// Something that may stand at a caret.
    pub struct CompletionItem {
        /// How a list shows it.
        pub label: String,
        /// What is written.
        pub insert: String,
        /// The pieces of `insert` that a reader may want to change, by their UTF-16 offsets in it.
        pub holes: Vec<Range>,
        /// What it is: `stage`, `function`, `method`, `variable`, `field`, `axis`, `size`, `type`,
        /// `keyword`.
        pub kind: String,
        /// The type that it gives, or what it is; may be empty.
        pub r#type: String,
        /// One sentence.
        pub doc: String,
        /// Whether more must follow.
        pub goes_on: bool,
    }

    /// What may stand at a caret.
    pub struct Completions {
        /// What an item replaces.
        pub range: Range,
        /// The likeliest first.
        pub items: Vec<CompletionItem>,
    }
}

/// What may stand at a UTF-16 offset.
pub(crate) fn complete(text: &str, offset: u32) -> Completions {
    let places = Places::new(text);
    let found = strand_session::complete(text, places.byte(offset));
    Completions {
        range: places.range(found.replaced),
        items: found.items.into_iter().map(item).collect(),
    }
}

fn item(item: Item) -> CompletionItem {
    let inserted = Places::new(&item.insert);
    let hole = |hole: &Span| inserted.range(*hole);
    CompletionItem {
        holes: item.holes.iter().map(hole).collect(),
        label: item.label,
        insert: item.insert.clone(),
        kind: item.kind.as_str().to_owned(),
        r#type: item.ty,
        doc: item.doc,
        goes_on: item.goes_on,
    }
}
