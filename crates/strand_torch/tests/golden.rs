//! The text of whole programs, as it was reviewed, and the map between both texts.
//!
//! `STRAND_BLESS=1 cargo test -p strand_torch` writes the texts anew, to be reviewed.

use std::collections::HashSet;
use std::path::PathBuf;

use strand_source::Span;
use strand_torch::TorchText;

const PROGRAMS: &[&str] = &[
    "assignment",
    "chains",
    "chapter",
    "checks",
    "comments",
    "hosts",
    "names",
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn emitted(name: &str) -> (String, TorchText) {
    let path = folder().join(format!("{name}.strand"));
    let source = std::fs::read_to_string(path).expect("the program is there");
    let checked = strand_check::check(&source);
    let errors: Vec<_> = checked
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.is_error())
        .map(|diagnostic| diagnostic.message.clone())
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:?}");
    let faults = strand_ir::verify(&checked.program);
    assert!(faults.is_empty(), "{name}: {faults:?}");
    let torch = strand_torch::emit(&checked.program, &source);
    (source, torch)
}

#[test]
fn texts_are_as_reviewed() {
    for name in PROGRAMS {
        let (_, torch) = emitted(name);
        let path = folder().join(format!("{name}.py"));
        if std::env::var_os("STRAND_BLESS").is_some() {
            std::fs::write(&path, &torch.text).expect("the text can be written");
        }
        let reviewed = std::fs::read_to_string(&path).expect("the text is there");
        assert_eq!(torch.text, reviewed, "{name}");
    }
}

/// The words, numbers and texts of a text, without comments.
fn tokens(text: &str, comment: char) -> Vec<Span> {
    let mut found = Vec::new();
    let mut at = 0;
    let is_word = |c: char| c == '_' || c == '.' || c.is_alphanumeric();
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if c == comment {
            rest.find('\n').unwrap_or(rest.len())
        } else if is_word(c) && c != '.' {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            // `0..n` isn't a number with dots.
            rest[..end].find("..").unwrap_or(end)
        } else {
            c.len_utf8()
        };
        if c != comment && is_word(c) && c != '.' {
            found.push(Span::new(at as u32, (at + length) as u32));
        }
        at += length;
    }
    found
}

#[test]
fn tokens_of_strand_have_their_python() {
    for name in PROGRAMS {
        let (source, torch) = emitted(name);
        let is_mapped = |token: &Span| {
            let mut pairs = torch.spans.iter();
            pairs.any(|(strand, python)| strand.contains(*token) && !python.is_empty())
        };
        let all = tokens(&source, '#');
        let lacking: Vec<_> = all
            .iter()
            .filter(|token| !is_mapped(token))
            .map(|token| token.text(&source))
            .collect();
        let share = 1.0 - lacking.len() as f64 / all.len() as f64;
        assert!(share >= 0.95, "{name}: {share:.3} without {lacking:?}");
    }
}

#[test]
fn a_mapped_word_is_its_python_word() {
    let (source, torch) = emitted("chapter");
    let pairs: HashSet<(&str, &str)> = torch
        .spans
        .iter()
        .map(|(strand, python)| (strand.text(&source), python.text(&torch.text)))
        .collect();
    let wanted = [
        ("scale_rows", "scale_rows"),
        ("fn", "def"),
        ("softmax", "softmax"),
        ("map", "vmap"),
        ("over", "dim"),
        ("*", "*"),
        ("@", "@"),
        ("f32", "float"),
        ("0.0", "0.0"),
        ("n", "n"),
    ];
    for pair in wanted {
        assert!(pairs.contains(&pair), "{pair:?}");
    }
}

#[test]
fn words_of_python_have_their_strand() {
    let boilerplate = ["import", "torch", "return", "None", "shape", "if", "raise"];
    let (_, torch) = emitted("chapter");
    for token in tokens(&torch.text, '#') {
        let word = token.text(&torch.text);
        let is_boilerplate = word.split('.').all(|part| boilerplate.contains(&part));
        let is_mapped = torch
            .spans
            .iter()
            .any(|(_, python)| python.contains(token) || token.contains(*python));
        assert!(is_boilerplate || is_mapped, "{word}");
    }
}

#[test]
fn spans_lie_in_their_texts() {
    for name in PROGRAMS {
        let (source, torch) = emitted(name);
        for (strand, python) in &torch.spans {
            assert!(source.get(strand.range()).is_some(), "{name}: {strand:?}");
            let text = torch.text.get(python.range());
            assert!(text.is_some(), "{name}: {python:?}");
        }
    }
}

#[test]
fn a_program_with_errors_gives_some_text() {
    let programs = [
        "fn f(x: [n D]) -> [n] = x |> map((a, b) => a, over=n)",
        "fn f(x: [n]) -> [n] = x |> enumerate |> filter(v => v > 0.0)",
        "fn f(x: [n]) -> [n] = x |> zip(x) |> sum",
        "fn f( = |> map(",
        "dim D = D\nfn f() -> [D] = zeros([D])",
        "x = y |> map(i => x[i])",
        "fn f(x) -> [n] = x |> filter",
    ];
    for source in programs {
        let checked = strand_check::check(source);
        let torch = strand_torch::emit(&checked.program, source);
        assert!(torch.text.starts_with("# Written by Strand"), "{source}");
    }
}

#[test]
fn loops_deeper_than_python_takes_are_refused_where_they_run() {
    let loops = |count: usize| {
        let mut source = "t = 0\n".to_owned();
        for depth in 0..count {
            source += &format!("{}for i{depth} in 0..1:\n", "    ".repeat(depth));
        }
        source += &format!("{}t += 1\nt\n", "    ".repeat(count));
        let checked = strand_check::check(&source);
        strand_torch::emit(&checked.program, &source).text
    };
    let refusal = "line 22: Python takes 20 nested loops; put some in a function";
    let deep = loops(21);
    assert!(deep.contains("raise NotImplementedError("), "{deep}");
    assert!(deep.contains(refusal), "{deep}");
    assert!(!deep.contains("i20"), "{deep}");
    assert!(!loops(20).contains("NotImplementedError"));
}
