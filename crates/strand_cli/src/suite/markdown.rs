//! Cases of a Markdown file: a heading names a case, a `strand` fence is its program, further
//! fences hold what else is expected of it.

/// A program with what is expected of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    /// The headings above it, and a number where one heading has several programs.
    pub(crate) name: String,
    /// The 1-based line of the program's first line in the file.
    pub(crate) line: u32,
    /// Words after `strand` on the fence: `error=E0503`, `fixed`.
    pub(crate) words: Vec<String>,
    /// The program.
    pub(crate) program: String,
    /// The fences that follow it up to the next program or heading.
    pub(crate) fences: Vec<Fence>,
}

/// A fence that isn't a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// `python`, `output`, `diagnostics`, `strand fixed`.
    pub(crate) kind: String,
    /// What stands in it.
    pub(crate) content: String,
    /// The 1-based line of the content's first line in the file.
    pub(crate) line: u32,
}

/// The cases of a file, in order.
pub(crate) fn cases(markdown: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut headings: Vec<(usize, String)> = Vec::new();
    let mut below = false;
    let mut lines = markdown.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if let Some((level, title)) = heading(line) {
            headings.retain(|(known, _)| *known < level);
            headings.push((level, title.to_owned()));
            below = false;
            continue;
        }
        let Some((marker, info)) = opening(line) else {
            continue;
        };
        let mut content = String::new();
        for (_, line) in lines.by_ref() {
            if line.trim_end() == marker {
                break;
            }
            content.push_str(line);
            content.push('\n');
        }
        let line = at as u32 + 2;
        let mut words = info.split_whitespace().map(str::to_owned);
        let is_program = words.next().as_deref() == Some("strand");
        let words: Vec<String> = words.collect();
        if is_program && !words.iter().any(|word| word == "fixed") {
            let name = name(&headings, &cases);
            cases.push(Case {
                name,
                line,
                words,
                program: content,
                fences: Vec::new(),
            });
            below = true;
        } else if let Some(case) = cases.last_mut().filter(|_| below) {
            case.fences.push(Fence {
                kind: info.trim().to_owned(),
                content,
                line,
            });
        }
    }
    cases
}

fn name(headings: &[(usize, String)], cases: &[Case]) -> String {
    let titles: Vec<&str> = headings.iter().map(|(_, title)| title.as_str()).collect();
    let title = titles.join(" › ");
    let same = |case: &&Case| case.name == title || case.name.starts_with(&format!("{title} #"));
    match cases.iter().filter(same).count() {
        0 => title,
        earlier => format!("{title} #{}", earlier + 1),
    }
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(level..)?.strip_prefix(' ')?;
    (1..=6).contains(&level).then_some((level, title.trim()))
}

/// The backticks and the info of a fence's first line.
fn opening(line: &str) -> Option<(&str, &str)> {
    let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
    (ticks >= 3).then(|| line.split_at(ticks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_a_program_with_the_fences_below_it() {
        let text = "# Chains\n\n## Plain\n\ntext\n\n```strand\nx = 1\n# a comment\n```\n\n```python\nx\n```\n\n\
                    ```strand error=E0301\ny\n```\n\n```strand fixed\nz\n```\n";
        let cases = cases(text);
        let names: Vec<_> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["Chains › Plain", "Chains › Plain #2"]);
        assert_eq!(cases[0].line, 8);
        assert_eq!(cases[0].program, "x = 1\n# a comment\n");
        assert_eq!(cases[0].fences[0].kind, "python");
        assert_eq!(cases[1].words, ["error=E0301"]);
        assert_eq!(cases[1].fences[0].content, "z\n");
    }

    #[test]
    fn an_open_fence_ends_with_the_file() {
        assert_eq!(cases("# A\n```strand\nx\n")[0].program, "x\n");
    }
}
