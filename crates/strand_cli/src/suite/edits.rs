//! Edits that a page suggests: an `edit` fence has whole lines of the program after `-`, and what
//! stands there afterwards after `+`; an empty line begins another place. The edited program is
//! right and runs, or has just the error that `edit error=E0503` names.

use strand_session::{Document, RunOptions};

use super::markdown::Case;

/// A case's program after its edit; `None` without one, or where it can't be made.
pub(crate) fn edited(case: &Case) -> Option<Result<String, String>> {
    let fence = case
        .fences
        .iter()
        .find(|fence| fence.kind.starts_with("edit"))?;
    Some(applied(&case.program, &fence.content))
}

/// Why a case's edit isn't as it should be; empty where it is, or where there is none.
pub(crate) fn faults(case: &Case) -> Vec<String> {
    let fence = case
        .fences
        .iter()
        .find(|fence| fence.kind.starts_with("edit"));
    let asked = fence.and_then(|fence| fence.kind.strip_prefix("edit error="));
    let text = match edited(case) {
        None => return Vec::new(),
        Some(Err(fault)) => return vec![fault],
        Some(Ok(text)) => text,
    };
    let document = Document::new(&text);
    let errors = document
        .diagnostics()
        .iter()
        .filter(|found| found.is_error());
    let codes: Vec<&str> = errors.map(|found| found.code.as_str()).collect();
    match (asked, codes.as_slice()) {
        (Some(code), found) if !found.is_empty() && found.iter().all(|it| *it == code) => {
            Vec::new()
        }
        (None, []) => {
            let run = document.run(&RunOptions::default(), &mut |_| {});
            let failed = run
                .error
                .map(|error| format!("the edited program: {}", error.message));
            failed.into_iter().collect()
        }
        (asked, found) => {
            let asked = asked.unwrap_or("no error");
            vec![format!("the edited program gives {found:?}, not {asked}")]
        }
    }
}

/// The program after an edit.
fn applied(program: &str, edit: &str) -> Result<String, String> {
    let mut text = format!("\n{program}");
    for place in edit.split("\n\n") {
        let (old, new) = sides(place)?;
        let places = text.matches(old.as_str()).count();
        if places != 1 {
            return Err(format!(
                "what the edit replaces stands {places} times in the program:{old}"
            ));
        }
        text = text.replacen(&old, &new, 1);
    }
    text.remove(0);
    Ok(text)
}

/// The lines before and after, each beginning and ending with a line end.
fn sides(place: &str) -> Result<(String, String), String> {
    let (mut old, mut new) = (String::from("\n"), String::from("\n"));
    for line in place.lines() {
        let (side, rest) = match line.split_at_checked(1) {
            Some(("-", rest)) => (&mut old, rest),
            Some(("+", rest)) => (&mut new, rest),
            _ => return Err(format!("a line of an edit begins with - or +: {line}")),
        };
        side.push_str(rest.strip_prefix(' ').unwrap_or(rest));
        side.push('\n');
    }
    Ok((old, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: &str, edit: &str) -> Case {
        let text =
            format!("# A\n```strand\nx = [1.0, 2.0]\ny = x * 2.0\n```\n```{kind}\n{edit}```\n");
        super::super::markdown::cases(&text).remove(0)
    }

    #[test]
    fn an_edit_is_right_or_gives_its_error() {
        for (kind, edit) in [
            ("edit", "- y = x * 2.0\n+ y = x * 3.0\n"),
            (
                "edit",
                "- x = [1.0, 2.0]\n+ x = [1.0]\n+ z = x\n\n- y = x * 2.0\n+ y = z\n",
            ),
            ("edit error=E0301", "- y = x * 2.0\n+ y = q\n"),
        ] {
            assert_eq!(faults(&of(kind, edit)), [""; 0], "{edit}");
        }
    }

    #[test]
    fn an_edit_that_isnt_what_it_says_is_a_fault() {
        for (kind, edit) in [
            ("edit", "- y = x * 2.0\n+ y = q\n"),
            ("edit error=E0503", "- y = x * 2.0\n+ y = q\n"),
            ("edit error=E0503", "- y = x * 2.0\n+ y = x\n"),
            ("edit", "- y = x\n+ y = x\n"),
            ("edit", "- y = x * 2.0\n+ assert false\n"),
            ("edit", "y = x * 2.0\n"),
        ] {
            assert_eq!(faults(&of(kind, edit)).len(), 1, "{edit}");
        }
    }
}
