//! `strand words`

use strand_session::highlight_words;

use crate::Status;
use crate::output::outln;

/// Prints the words to highlight, one kind a line or as JSON.
pub(crate) fn run(json: bool) -> Status {
    let words = highlight_words();
    if json {
        match serde_json::to_string_pretty(&words) {
            Ok(text) => outln!("{text}"),
            Err(error) => {
                eprintln!("the words can't be written as JSON: {error}");
                return Status::Unreadable;
            }
        }
        return Status::Fine;
    }
    outln!("keywords: {}", words.keywords.join(" "));
    outln!("contextual: {}", words.contextual.join(" "));
    outln!("builtins: {}", words.builtins.join(" "));
    outln!("dtypes: {}", words.dtypes.join(" "));
    outln!("domains: {}", words.domains.join(" "));
    Status::Fine
}
