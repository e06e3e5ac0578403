//! The words that the page's tokenizer colours, from the language's own tables.

use serde::Deserialize;

use crate::failure::{Failure, Outcome};
use crate::shell;
use crate::workspace::{self, Workspace};

const FILE: &str = "web/src/generated/words.ts";

/// What `strand words --json` prints.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    keywords: Vec<String>,
    contextual: Vec<String>,
    builtins: Vec<String>,
    dtypes: Vec<String>,
    domains: Vec<String>,
}

/// Writes the words as a TypeScript module.
pub fn generate(workspace: &Workspace) -> Outcome {
    let mut strand = workspace::cargo();
    strand
        .args([
            "run",
            "--quiet",
            "--package",
            "strand_cli",
            "--bin",
            "strand",
            "--",
            "words",
            "--json",
        ])
        .current_dir(&workspace.root);
    let json = shell::capture(&mut strand)?;
    workspace::write_if_changed(&workspace.root.join(FILE), &typescript(&json)?)
}

fn typescript(json: &str) -> Outcome<String> {
    let words: Words = serde_json::from_str(json).map_err(|error| {
        Failure::new(format!(
            "`strand words --json` isn't the object it should be: {error}"
        ))
    })?;
    let lists = [
        ("keywords", "Reserved everywhere.", words.keywords),
        (
            "contextual",
            "Reserved in some places only, names elsewhere.",
            words.contextual,
        ),
        (
            "builtins",
            "Functions and chain stages that every program has.",
            words.builtins,
        ),
        ("dtypes", "Element types.", words.dtypes),
        ("domains", "Domains of a dim or an Index.", words.domains),
    ];
    let mut text =
        String::from("// Written by `cargo xtask words` from the tables of the language.\n");
    for (name, doc, list) in lists {
        if list.iter().any(String::is_empty) {
            return Err(Failure::new(format!(
                "`strand words --json` has an empty word in {name}"
            )));
        }
        text.push_str(&format!(
            "\n/** {doc} */\nexport const {name}: readonly string[] = [\n"
        ));
        for word in list {
            // A JSON string is a string literal of TypeScript too.
            text.push_str(&format!("  {},\n", serde_json::Value::from(word)));
        }
        text.push_str("];\n");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_list_becomes_a_constant_in_the_tables_order() {
        let json = r#"{"keywords": ["fn", "dim"], "contextual": ["over"], "builtins": ["sum"],
                       "dtypes": ["f32"], "domains": ["Index"]}"#;
        let text = typescript(json).unwrap();
        assert!(
            text.contains(
                "export const keywords: readonly string[] = [\n  \"fn\",\n  \"dim\",\n];\n"
            ),
            "{text}"
        );
        for name in ["contextual", "builtins", "dtypes", "domains"] {
            assert!(
                text.contains(&format!("export const {name}: readonly string[] = [\n  \"")),
                "{text}"
            );
        }
    }

    #[test]
    fn a_word_cannot_end_its_literal() {
        let json = r#"{"keywords": ["a\"];alert(1)//"], "contextual": [], "builtins": [], "dtypes": [], "domains": []}"#;
        assert!(typescript(json).unwrap().contains(r#""a\"];alert(1)//","#));
    }

    #[test]
    fn another_shape_is_refused() {
        for json in ["", "[]", r#"{"keywords": []}"#, r#"{"keywords": [1]}"#] {
            assert!(typescript(json).is_err(), "{json}");
        }
        let empty =
            r#"{"keywords": [""], "contextual": [], "builtins": [], "dtypes": [], "domains": []}"#;
        assert!(typescript(empty).is_err());
    }
}
