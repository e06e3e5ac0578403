//! Any text at all gives a tree and findings; any right text is formatted without a change of meaning.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::{CHAPTER, dump};
use crate::{format, parse};

/// The same cases in every run.
fn check<S: Strategy>(
    cases: u32,
    strategy: &S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let result = TestRunner::new_with_rng(config, rng).run(strategy, test);
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// Every span that a debug form shows.
fn spans(debug: &str) -> Vec<(usize, usize)> {
    let number = |text: &str| {
        text.chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
            .parse()
            .unwrap_or(usize::MAX)
    };
    let parts = debug.split("Span { start: ").skip(1);
    parts
        .map(|part| {
            (
                number(part),
                part.split_once("end: ")
                    .map_or(usize::MAX, |(_, end)| number(end)),
            )
        })
        .collect()
}

fn sound(text: &str) -> Result<(), TestCaseError> {
    let parse = parse(text);
    for (start, end) in spans(&format!("{:?}{:?}", parse.module, parse.diagnostics)) {
        prop_assert!(
            start <= end && text.get(start..end).is_some(),
            "span {start}..{end} of {text:?}"
        );
    }
    for found in &parse.diagnostics {
        prop_assert!(
            found.message.chars().count() <= 80,
            "long: {}",
            found.message
        );
        for fix in &found.fixes {
            prop_assert!(
                fix.apply(text).is_some(),
                "{} of {} in {text:?}",
                fix.title,
                found.message
            );
        }
    }
    if parse.diagnostics.is_empty() {
        same_meaning(text)?;
    } else {
        prop_assert_eq!(format(text), text);
    }
    Ok(())
}

fn same_meaning(text: &str) -> Result<(), TestCaseError> {
    let formatted = format(text);
    let (before, after) = (parse(text), parse(&formatted));
    prop_assert_eq!(&after.diagnostics, &[], "{}", formatted);
    prop_assert_eq!(
        dump::module(&before.module),
        dump::module(&after.module),
        "{}",
        formatted
    );
    let comments = |parse: &crate::Parse| -> Vec<String> {
        parse
            .module
            .comments
            .iter()
            .map(|comment| comment.text.trim_end().to_string())
            .collect()
    };
    prop_assert_eq!(comments(&before), comments(&after), "{}", formatted);
    prop_assert_eq!(
        format(&formatted),
        formatted.clone(),
        "not idempotent: {}",
        text
    );
    Ok(())
}

const PIECES: &[&str] = &[
    "dim",
    "fn",
    "return",
    "for",
    "while",
    "break",
    "pass",
    "in",
    "if",
    "elif",
    "else",
    "and",
    "or",
    "not",
    "to",
    "as",
    "assert",
    "true",
    "newaxis",
    "mut",
    "over",
    "by",
    "from",
    "with",
    "model",
    "extern",
    "import",
    "python",
    "dataset",
    "def",
    "lambda",
    "class",
    "x",
    "y",
    "n",
    "D",
    "f32",
    "Index",
    "zeros",
    "map",
    "_",
    "1",
    "0.5",
    "1.",
    ".5",
    "1__0",
    "0x1",
    "\"a\"",
    "\"",
    "'",
    "f\"",
    "f\"{x}\"",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    ".",
    "..",
    "...",
    "->",
    "=>",
    "|>",
    "=",
    "+=",
    "==",
    "<",
    "<=",
    "+",
    "-",
    "*",
    "**",
    "/",
    "//",
    "%",
    "@",
    "&",
    "|",
    "^",
    "!",
    ";",
    "#",
    "# c\n",
    "\\",
    "\n",
    "\n    ",
    "\n        ",
    "\t",
    "\r",
    "\r\n",
    "\u{feff}",
    "\u{a0}",
    "\u{200b}",
    "×",
    "−",
    "“",
    "”",
    "λ",
    "😀",
    "ﬁ",
    "\"\"\"",
    "++",
    "$",
    "?",
    "x = ",
    "f(",
    "x[",
    "|> map(i => ",
    "if x:\n    ",
    "for i in 0..n:\n    ",
];

#[test]
fn any_characters() {
    check(1_500, &"(?s).{0,60}", |text| sound(&text));
    check(1_500, &"[ -~\n]{0,80}", |text| sound(&text));
}

#[test]
fn any_words() {
    let soup = vec((select(PIECES), select(&["", " "][..])), 0..40);
    check(4_000, &soup, |pieces| {
        sound(
            &pieces
                .into_iter()
                .map(|(word, gap)| format!("{word}{gap}"))
                .collect::<String>(),
        )
    });
}

#[test]
fn the_chapter_with_changes() {
    let change = (any::<prop::sample::Index>(), 0..6_usize, select(PIECES));
    check(1_000, &vec(change, 1..4), |changes| {
        let mut text: Vec<char> = CHAPTER.chars().collect();
        for (at, removed, put) in changes {
            let at = at.index(text.len() + 1);
            let end = (at + removed).min(text.len());
            text.splice(at..end, put.chars());
        }
        sound(&text.into_iter().collect::<String>())
    });
}

/// An expression that is right wherever one may stand.
fn expression() -> BoxedStrategy<String> {
    let leaf = select(
        &[
            "x",
            "y",
            "n",
            "1",
            "0.5",
            "true",
            "\"a # b\"",
            "f\"{x}\"",
            "long_name_of_a_value",
        ][..],
    );
    let leaf = leaf.prop_map(str::to_string).boxed();
    leaf.prop_recursive(4, 40, 4, |inner| {
        let operator = select(&["+", "-", "*", "/", "//", "%", "@", "**"][..]);
        let logical = select(&["and", "or"][..]);
        let gap = select(&["", " ", "  "][..]);
        let list = vec(inner.clone(), 1..4).prop_map(|items| items.join(" ,"));
        let ty = select(
            &[
                "f32",
                "[n D]",
                "[n (2*n)] i64 Index[n]",
                "Prob",
                "i64 Index [ n ]",
            ][..],
        );
        prop_oneof![
            (inner.clone(), gap, operator, inner.clone())
                .prop_map(|(a, gap, op, b)| format!("{a}{gap}{op}{gap}{b}")),
            (inner.clone(), logical, inner.clone()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
            inner.clone().prop_map(|a| format!("-{a}")),
            inner.clone().prop_map(|a| format!("(not {a})")),
            inner.clone().prop_map(|a| format!("( {a}\n)")),
            list.clone()
                .prop_map(|items| format!("f({items}, over =n)")),
            list.clone().prop_map(|items| format!("[{items}]")),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("x[{a}, {b} .. , ..., ..{b} by -1]")),
            (inner.clone(), ty).prop_map(|(a, ty)| format!("({a} to {ty})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a} if {b} else {c})")),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("({a}|>map(i=>{b})|> sum(over=n))")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("f({a}, # why\n  {b})")),
        ]
    })
    .boxed()
}

/// Lines at an indentation.
fn statement() -> BoxedStrategy<Vec<String>> {
    let simple = prop_oneof![
        expression().prop_map(|e| format!("y = {e}")),
        expression().prop_map(|e| format!("y[i, ..] += {e} # note")),
        (expression(), expression()).prop_map(|(a, b)| format!(
            "z: [n D] f32 = {a}\n            |> f({b}) # one\n            # two\n            |> g"
        )),
        expression().prop_map(|e| format!("assert x == {e} , \"text\"")),
        Just("# a comment".to_string()),
        Just(String::new()),
        Just("pass".to_string()),
    ];
    let simple = simple
        .prop_map(|lines| lines.split('\n').map(str::to_string).collect::<Vec<_>>())
        .boxed();
    simple
        .prop_recursive(3, 12, 3, |inner| {
            let body = (vec(inner, 1..4), 1..5_usize).prop_map(|(statements, indent)| {
                let lines = statements.into_iter().flatten().chain(["pass".to_string()]);
                lines
                    .map(|line| {
                        if line.is_empty() {
                            line
                        } else {
                            format!("{}{line}", " ".repeat(indent))
                        }
                    })
                    .collect::<Vec<_>>()
            });
            let header = select(
                &[
                    "if x :",
                    "for i in 0 .. n by 2:",
                    "for row in x over n: # rows",
                    "while y:",
                    "with train :",
                ][..],
            );
            (header, body).prop_map(|(header, body)| [vec![header.to_string()], body].concat())
        })
        .boxed()
}

fn program() -> impl Strategy<Value = String> {
    let function = (vec(statement(), 1..3), expression()).prop_map(|(body, result)| {
        let body = body.into_iter().flatten().map(|line| {
            if line.is_empty() {
                line
            } else {
                format!("  {line}")
            }
        });
        let lines: Vec<String> = body.chain([format!("  return {result}")]).collect();
        [
            vec!["fn f( x:[n D],k :int=3, mut m:M,s=2 )->[n]:".to_string()],
            lines,
        ]
        .concat()
    });
    let one_line = expression().prop_map(|e| vec![format!("fn g(x: [n  D] ,y)=x|> h |>k({e})")]);
    vec(prop_oneof![statement(), function, one_line], 1..4).prop_map(|parts| {
        let mut text = parts.concat().join("\n");
        text.push('\n');
        text
    })
}

#[test]
fn right_programs_are_formatted_without_a_change_of_meaning() {
    check(400, &program(), |text| {
        let found = parse(&text).diagnostics;
        prop_assert_eq!(&found, &[], "{}", text);
        same_meaning(&text)
    });
}
