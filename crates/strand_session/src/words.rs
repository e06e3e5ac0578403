//! The words that an editor highlights, from the grammar's and the operations' own tables.

use serde::Serialize;

/// The words by kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HighlightWords {
    /// Never names.
    pub keywords: Vec<&'static str>,
    /// Keywords only where the grammar asks for them.
    pub contextual: Vec<&'static str>,
    /// Built-in functions and stages.
    pub builtins: Vec<&'static str>,
    /// Element types, and types of host values.
    pub dtypes: Vec<&'static str>,
    /// What refines a dtype.
    pub domains: Vec<&'static str>,
}

/// Every word that an editor highlights.
pub fn highlight_words() -> HighlightWords {
    let words = strand_syntax::words();
    let is_word = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let named = strand_ops::OPS
        .iter()
        .map(|op| op.name)
        .filter(|name| strand_ops::find(name).is_some())
        .filter(is_word);
    HighlightWords {
        keywords: words.keywords.to_vec(),
        contextual: words.contextual.to_vec(),
        builtins: named
            .chain(strand_ops::STAGES.iter().map(|stage| stage.name))
            .collect(),
        dtypes: words
            .dtypes
            .iter()
            .chain(words.host_types)
            .copied()
            .collect(),
        domains: words.domains.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_no_words() {
        let words = highlight_words();
        assert!(words.builtins.contains(&"softmax") && words.builtins.contains(&"map"));
        assert!(
            words
                .builtins
                .iter()
                .all(|word| word.chars().all(|c| c.is_alphanumeric() || c == '_'))
        );
    }
}
