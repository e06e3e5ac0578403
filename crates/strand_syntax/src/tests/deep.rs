//! Texts that are nested or long beyond measure, on a small stack.

use strand_source::Code;

use crate::{format, parse};

const LEVELS: usize = if cfg!(debug_assertions) {
    8_000
} else {
    100_000
};
const MOST: usize = 100_000;
const STACK: usize = 1 << 20;

/// Runs on a thread with a stack as small as a browser's.
fn on_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run);
    thread
        .expect("a thread")
        .join()
        .expect("no overflow and no panic");
}

#[track_caller]
fn is_too_deep(text: String) {
    on_small_stack(move || {
        let parse = parse(&text);
        let found = parse
            .diagnostics
            .iter()
            .filter(|found| found.code == Code::E0107)
            .count();
        let start: String = text.chars().take(40).collect();
        assert_eq!(found, 1, "findings of E0107 in {start:?}…");
        // The tree can be walked and dropped on the same stack.
        assert!(format!("{:?}", parse.module).len() > 10);
    });
}

fn nested(open: &str, inner: &str, close: &str) -> String {
    format!(
        "y = {}{inner}{}\n",
        open.repeat(LEVELS),
        close.repeat(LEVELS)
    )
}

#[test]
fn brackets_of_every_kind() {
    for (open, inner, close) in [
        ("(", "x", ")"),
        ("[", "1", "]"),
        ("f(", "x", ")"),
        ("x[", "0", "]"),
        ("f(a=", "x", ")"),
        ("(1, ", "x", ")"),
        ("x |> map(a => ", "a", ")"),
        ("x |> f(", "a", ")"),
        ("f(a, (b, c) => ", "a", ")"),
        ("x to [(", "n", ")]"),
        ("f\"{", "x", "}\""),
        ("f\"{f(", "x", ")}\""),
        ("-(", "x", ")"),
        ("not (", "x", ")"),
        ("1 + (", "x", ")"),
        ("(1 if c else ", "x", ")"),
        ("zeros([", "n", "])"),
        ("{", "x", "}"),
    ] {
        is_too_deep(nested(open, inner, close));
    }
}

#[test]
fn the_deepest() {
    for (open, close) in [
        ("(", ")"),
        ("f(", ")"),
        ("x |> map(a => ", ")"),
        ("f\"{", "}\""),
    ] {
        is_too_deep(format!(
            "y = {}x{}\n",
            open.repeat(MOST),
            close.repeat(MOST)
        ));
    }
    for unit in ["a + ", "-", "not ", "a ** "] {
        is_too_deep(format!("y = {}a\n", unit.repeat(MOST)));
    }
}

#[test]
fn brackets_that_are_never_closed() {
    for open in ["(", "[", "f(", "x[", "{", "a => (", "f\"{"] {
        is_too_deep(nested(open, "", ""));
    }
}

#[test]
fn chains_of_every_operator() {
    for (before, unit, after) in [
        ("", "a + ", "a"),
        ("", "a ** ", "a"),
        ("", "a ** -", "a"),
        ("", "a and ", "a"),
        ("", "a @ ", "a"),
        ("", "a < ", "a"),
        ("", "a..", "a"),
        ("", "-", "a"),
        ("", "not ", "a"),
        ("", "not -", "a"),
        ("", "a if b else ", "a"),
        ("", "a => ", "a"),
        ("a", "()", ""),
        ("a", "[0]", ""),
        ("a", ".b", ""),
        ("a", " to f32", ""),
        ("a", " as [n]", ""),
        ("a", " |> f", ""),
        ("a", " |> f(1)", ""),
        ("a", "\n    |> f", ""),
    ] {
        is_too_deep(format!("y = {before}{}{after}\n", unit.repeat(LEVELS)));
    }
    is_too_deep(format!("dim D = {}1\n", "1 + ".repeat(LEVELS)));
    is_too_deep(format!(
        "dim D = {}1{}\n",
        "(".repeat(LEVELS),
        ")".repeat(LEVELS)
    ));
    is_too_deep(format!(
        "fn f(x: {}int{}) = x\n",
        "(".repeat(LEVELS),
        ")".repeat(LEVELS)
    ));
    is_too_deep(format!(
        "{} = 1\n",
        "(a, ".repeat(LEVELS) + "b" + &")".repeat(LEVELS)
    ));
}

#[test]
fn branches_and_blocks() {
    is_too_deep(format!(
        "if a:\n    pass\n{}",
        "elif b:\n    pass\n".repeat(LEVELS)
    ));
    let levels = 1_500;
    let blocks: String = (0..levels)
        .map(|level| format!("{}if a:\n", " ".repeat(level)))
        .collect();
    is_too_deep(format!("{blocks}{}pass\n", " ".repeat(levels)));
}

#[test]
fn just_deep_enough_is_fine() {
    on_small_stack(|| {
        for (open, close) in [
            ("(", ")"),
            ("f(", ")"),
            ("x[", "]"),
            ("x |> map(a => ", ")"),
        ] {
            let levels = if open.contains("=>") { 30 } else { 60 };
            let text = format!("y = {}x{}\n", open.repeat(levels), close.repeat(levels));
            assert_eq!(parse(&text).diagnostics, []);
            let formatted = format(&text);
            assert_eq!(format(&formatted), formatted);
        }
        let sum = format!("y = {}a\n", "a + ".repeat(120));
        assert_eq!(parse(&sum).diagnostics, []);
    });
}

#[test]
fn a_long_list_is_not_deep() {
    on_small_stack(|| {
        let row = format!("[{}1 + 2]", "1 + 2, ".repeat(500));
        let text = format!("y = [{}{row}]\n", format!("{row},\n    ").repeat(50));
        assert_eq!(parse(&text).diagnostics, []);
    });
}
