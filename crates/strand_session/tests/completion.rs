//! Every marked caret of `tests/completion`: each item that is accepted leaves no new error, and
//! the expected one is among the first five.

use std::collections::BTreeMap;
use std::path::Path;

use strand_session::{Code, CompletionItem, Document, complete};

/// The fewest carets that the suite holds.
const FEWEST: usize = 60;

/// A program with a caret and what is expected there.
struct Case {
    name: String,
    text: String,
    caret: usize,
    /// A label, with its type after ` : `.
    expected: Vec<String>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/completion");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let page = std::fs::read_to_string(&file).unwrap();
        for section in page.split("\n## ").skip(1) {
            let (name, rest) = section.split_once('\n').unwrap();
            let fence = |word: &str| {
                let start = format!("```{word}\n");
                let (_, text) = rest.split_once(start.as_str())?;
                Some(text.split_once("```")?.0.to_owned())
            };
            let marked = fence("strand").unwrap_or_else(|| panic!("{name} has a program"));
            let expected = fence("expected").unwrap_or_else(|| panic!("{name} expects an item"));
            let caret = marked
                .find('‸')
                .unwrap_or_else(|| panic!("{name} has a caret"));
            cases.push(Case {
                name: format!("{}: {name}", file.file_stem().unwrap().to_string_lossy()),
                text: marked.replace('‸', ""),
                caret,
                expected: expected.lines().map(str::to_owned).collect(),
            });
        }
    }
    cases
}

/// How many errors of each code a text has.
fn errors(text: &str) -> BTreeMap<Code, usize> {
    let mut counts = BTreeMap::new();
    let document = Document::new(text);
    for found in document
        .diagnostics()
        .iter()
        .filter(|found| found.is_error())
    {
        *counts.entry(found.code).or_insert(0) += 1;
    }
    counts
}

fn shown(item: &CompletionItem) -> String {
    let goes_on = if item.goes_on { " ..." } else { "" };
    format!("{} : {}{goes_on}", item.label, item.ty)
}

#[test]
fn what_is_accepted_checks_and_what_is_expected_comes_first() {
    let cases = cases();
    assert!(cases.len() >= FEWEST, "only {} carets", cases.len());
    let mut failures = Vec::new();
    let mut items = 0;
    for case in &cases {
        let completions = complete(&case.text, case.caret as u32);
        let before = errors(&case.text);
        items += completions.items.len();
        for item in &completions.items {
            let mut text = case.text.clone();
            text.replace_range(completions.replaced.range(), &item.insert);
            let after = errors(&text);
            let new = after
                .iter()
                .find(|(code, count)| *count > before.get(code).unwrap_or(&0));
            if let Some((code, _)) = new {
                failures.push(format!("{}: `{}` brings {code}", case.name, item.insert));
            }
            if item
                .holes
                .iter()
                .any(|hole| hole.text(&item.insert).is_empty())
            {
                failures.push(format!(
                    "{}: `{}` has an empty hole",
                    case.name, item.insert
                ));
            }
        }
        let first: Vec<String> = completions.items.iter().take(5).map(shown).collect();
        for expected in &case.expected {
            let found = first.iter().any(|shown| {
                shown == expected || shown.split(" : ").next() == Some(expected.as_str())
            });
            if !found {
                let more: Vec<String> = completions.items.iter().take(12).map(shown).collect();
                failures.push(format!("{}: no `{expected}` in {more:#?}", case.name));
            }
        }
    }
    let summary = format!("{} carets, {items} items", cases.len());
    assert!(failures.is_empty(), "{summary}\n{}", failures.join("\n"));
}

/// The programs of the suites' pages and the page's examples.
fn programs() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = Vec::new();
    for folder in [
        "tests/suite/chapter",
        "tests/suite/models",
        "web/src/examples",
    ] {
        let mut files: Vec<_> = std::fs::read_dir(root.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            match file.extension().and_then(|kind| kind.to_str()) {
                Some("strand") => texts.push(text),
                Some("md") => {
                    let fences = text.split("```strand\n").skip(1);
                    texts.extend(
                        fences.filter_map(|text| Some(text.split_once("```")?.0.to_owned())),
                    );
                }
                _ => {}
            }
        }
    }
    texts
}

#[test]
fn at_every_caret_of_whole_programs_what_is_accepted_checks() {
    let mut carets = 0;
    let mut failures = Vec::new();
    for (number, text) in programs().iter().enumerate() {
        let before = errors(text);
        let starts = text.char_indices().map(|(at, _)| at);
        // Carets at prime distances meet all sorts of places; stages and axes are met each.
        let prime = [31, 37, 41][number % 3];
        let marked = |at: &usize| {
            let head = text.get(..*at).unwrap_or("");
            head.ends_with("|> ") || head.ends_with("over=") || at.is_multiple_of(prime)
        };
        for at in starts.filter(marked) {
            carets += 1;
            let completions = complete(text, at as u32);
            for item in completions.items.iter().take(8) {
                let mut edited = text.clone();
                edited.replace_range(completions.replaced.range(), &item.insert);
                let after = errors(&edited);
                let mut new = after.iter();
                if let Some((code, _)) =
                    new.find(|(code, count)| *count > before.get(code).unwrap_or(&0))
                {
                    let (head, tail) = text.split_at(at);
                    let head = head.rsplit('\n').next().unwrap_or("");
                    let tail = tail.lines().next().unwrap_or("");
                    failures.push(format!("{head}‸{tail}: `{}` brings {code}", item.insert));
                }
            }
        }
    }
    assert!(carets > 300, "{carets}");
    let shown: Vec<&String> = failures.iter().take(40).collect();
    assert!(
        failures.is_empty(),
        "{carets} carets, {} fail: {shown:#?}",
        failures.len()
    );
}

#[test]
fn any_caret_of_a_broken_text_is_answered() {
    let texts = [
        "",
        "\u{feff}x |> ",
        "fn f(x: [n",
        "x |> |> |>",
        "sum(x, over=",
        "f\"{x",
        "a[b(c[",
        "for i in",
        "\u{1F600} |> ä.b",
        "model M:\n    w: [",
    ];
    for text in texts {
        for at in 0..=text.len() + 2 {
            let completions = complete(text, at as u32);
            assert!(completions.replaced.end as usize <= text.len());
        }
    }
}
