//! What a program's comments say is expected of it.

/// An expectation about a line of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expectation {
    /// The 1-based line that it speaks of.
    pub(crate) line: u32,
    /// What is expected there.
    pub(crate) what: What,
}

/// What is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// `# error: E2401 at x[i]`: a finding of this code whose span starts on the line; the text of
    /// its span where it is given.
    Finding {
        /// `E2401`
        code: String,
        /// `x[i]`
        at: Option<String>,
    },
    /// `# run error: R03 at x[i]`
    RunError {
        /// `R03`
        code: String,
        /// `x[i]`
        at: Option<String>,
    },
    /// `# type: [n D]`: an inlay of the line, or the hover of what the line binds.
    Type(String),
    /// `# lowering: vmap`: of the outermost chain that starts on the line, or of each, separated by
    /// commas.
    Lowering(Vec<String>),
}

/// The expectations in a program's comments. `# next error: …` speaks of the line after it, and
/// `# error: …; type: …` says several things.
pub(crate) fn expectations(program: &str) -> Vec<Expectation> {
    let mut found = Vec::new();
    for (at, text) in program.lines().enumerate() {
        let Some((_, comment)) = text.rsplit_once("# ") else {
            continue;
        };
        let (line, comment) = match comment.strip_prefix("next ") {
            Some(rest) => (at as u32 + 2, rest),
            None => (at as u32 + 1, comment),
        };
        for part in comment.split("; ") {
            if let Some(what) = expectation(part.trim()) {
                found.push(Expectation { line, what });
            }
        }
    }
    found
}

fn expectation(text: &str) -> Option<What> {
    let (kind, rest) = text.split_once(": ")?;
    let placed = || match rest.split_once(" at ") {
        Some((code, at)) => (code.trim().to_owned(), Some(at.trim().to_owned())),
        None => (rest.trim().to_owned(), None),
    };
    Some(match kind {
        "error" | "warning" | "hint" => {
            let (code, at) = placed();
            What::Finding { code, at }
        }
        "run error" => {
            let (code, at) = placed();
            What::RunError { code, at }
        }
        "type" => What::Type(rest.trim().to_owned()),
        "lowering" => What::Lowering(rest.split(',').map(|word| word.trim().to_owned()).collect()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_that_expect_are_told_from_others() {
        let program = "x = 1  # a note: nothing\ny[i]  # error: E0506 at i; type: [n]\n\
                       # next error: E0106\n\"\n";
        let finding = |line, code: &str, at: Option<&str>| Expectation {
            line,
            what: What::Finding {
                code: code.into(),
                at: at.map(str::to_owned),
            },
        };
        let expected = [
            finding(2, "E0506", Some("i")),
            Expectation {
                line: 2,
                what: What::Type("[n]".into()),
            },
            finding(4, "E0106", None),
        ];
        assert_eq!(expectations(program), expected);
    }
}
