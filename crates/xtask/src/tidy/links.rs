//! Links between the documents resolve: files exist, and headings that are pointed at too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Findings, texts};
use crate::failure::Outcome;
use crate::workspace::{self, Workspace};

pub fn check(workspace: &Workspace, files: &[PathBuf], findings: &mut Findings) -> Outcome {
    for (file, text) in texts(workspace, files, |file| {
        file.extension().is_some_and(|it| it == "md")
    })? {
        for (line, target) in links(&text) {
            if let Some(problem) = problem(workspace, &file, &text, target) {
                findings.error(format!("{}:{line}: {problem}", file.display()));
            }
        }
    }
    Ok(())
}

/// What is wrong with a link; links to other hosts and to the built site aren't followed.
fn problem(workspace: &Workspace, file: &Path, text: &str, target: &str) -> Option<String> {
    if target.starts_with('/') || target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, heading) = target
        .split_once('#')
        .map_or((target, None), |(path, heading)| (path, Some(heading)));
    let linked = workspace
        .root
        .join(file.parent().unwrap_or(Path::new("")))
        .join(path);
    if !path.is_empty() && !linked.exists() {
        return Some(format!("the link to {target} leads nowhere"));
    }
    let heading = heading.filter(|_| path.is_empty() || path.ends_with(".md"))?;
    let found = if path.is_empty() {
        anchors(text).contains(heading)
    } else {
        workspace::read(&linked).is_ok_and(|linked| anchors(&linked).contains(heading))
    };
    (!found).then(|| format!("the link to {target} names no heading"))
}

/// The targets of `[text](target)` and `[label]: target`, with their lines, outside code.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        if let Some(target) = definition(line) {
            found.push((number, target));
        }
        found.extend(
            inline_targets(line)
                .into_iter()
                .map(|target| (number, target)),
        );
    }
    found
}

fn definition(line: &str) -> Option<&str> {
    let (label, target) = line.strip_prefix('[')?.split_once("]: ")?;
    if label.contains(']') {
        None
    } else {
        target.split_whitespace().next()
    }
}

fn inline_targets(line: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    let mut in_code = false;
    for (at, character) in line.char_indices() {
        if character == '`' {
            in_code = !in_code;
        }
        if let Some(rest) = line[at..].strip_prefix("](").filter(|_| !in_code) {
            targets.extend(
                rest.split([')', ' '])
                    .next()
                    .filter(|target| !target.is_empty()),
            );
        }
    }
    targets
}

/// Numbered lines outside fences.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let trimmed = line.trim_start();
        let marker = ["```", "~~~"]
            .into_iter()
            .find(|marker| trimmed.starts_with(marker));
        match (fence, marker) {
            (None, Some(marker)) => fence = Some(marker),
            (Some(open), Some(marker)) if open == marker => fence = None,
            (None, None) => return Some((index + 1, line)),
            _ => {}
        }
        None
    })
}

/// The anchors that GitHub gives to the headings of a document.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text)
        .map(|(_, line)| line)
        .filter(|line| line.starts_with('#'));
    headings
        .map(|line| anchor(line.trim_start_matches('#').trim()))
        .collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c })
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> Workspace {
        Workspace::find().unwrap()
    }

    #[test]
    fn links_are_found_outside_code_only() {
        let text = "see [a](b.md#c) and `x[i](j)`\n```\n[no](no.md)\n```\n[label]: d.md \"title\"\n![p](p.png)\n";
        assert_eq!(links(text), [(1, "b.md#c"), (5, "d.md"), (6, "p.png")]);
    }

    #[test]
    fn headings_become_anchors() {
        let anchors =
            anchors("# How to add an *operation*\n```\n# comment\n```\n## `xtask`, again\n");
        assert_eq!(
            anchors.into_iter().collect::<Vec<_>>(),
            ["how-to-add-an-operation", "xtask-again"]
        );
    }

    #[test]
    fn a_missing_file_and_a_missing_heading_are_found() {
        let problem = |target| {
            problem(
                &workspace(),
                Path::new("crates/README.md"),
                "# Here\n",
                target,
            )
        };
        assert_eq!(problem("../Cargo.toml"), None);
        assert_eq!(problem("#here"), None);
        assert_eq!(problem("https://example.org/x"), None);
        assert_eq!(
            problem("no-such-file.md").as_deref(),
            Some("the link to no-such-file.md leads nowhere")
        );
        assert_eq!(
            problem("#there").as_deref(),
            Some("the link to #there names no heading")
        );
    }
}
