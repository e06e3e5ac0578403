//! What is wrong, where, and the edit that mends it. Each text has one cause and one finding.

use crate::parse;

/// The only finding: its code, what its span holds, and the text that its first fix gives, which
/// must be right; `None` without a fix.
#[track_caller]
fn fault(text: &str, code: &str, at: &str, mended: Option<&str>) {
    let findings = parse(text).diagnostics;
    let shown: Vec<_> = findings
        .iter()
        .map(|found| (found.code, found.span.text(text), &found.message))
        .collect();
    assert_eq!(findings.len(), 1, "{text:?}: {shown:?}");
    let found = &findings[0];
    assert_eq!(
        (found.code.as_str(), found.span.text(text)),
        (code, at),
        "{text:?}: {}",
        found.message
    );
    let fixed = found
        .fixes
        .first()
        .map(|fix| fix.apply(text).expect("edits that fit"));
    assert_eq!(fixed.as_deref(), mended, "{text:?}: {}", found.message);
    for fix in &found.fixes {
        let fixed = fix.apply(text).expect("edits that fit");
        assert_eq!(
            parse(&fixed).diagnostics,
            [],
            "{} of {text:?} gives {fixed:?}",
            fix.title
        );
    }
}

#[test]
fn numbers() {
    fault("y = 1.", "E0105", "1.", Some("y = 1.0"));
    fault("y = .5", "E0105", ".5", Some("y = 0.5"));
    fault("y = 1.e5", "E0105", "1.e5", Some("y = 1.0e5"));
    fault("y = 1__0", "E0105", "1__0", Some("y = 1_0"));
    fault("y = 1_", "E0105", "1_", Some("y = 1"));
    fault("y = 0x1F", "E0105", "0x1F", Some("y = 31"));
    fault("y = 0b101", "E0105", "0b101", Some("y = 5"));
    fault("y = 0xZ", "E0105", "0xZ", None);
    fault("y = 007", "E0105", "007", Some("y = 7"));
    fault(
        "y = 99999999999999999999",
        "E0105",
        "99999999999999999999",
        Some("y = 99999999999999999999.0"),
    );
    fault("y = 1e999", "E0105", "1e999", None);
    fault("y = 2x", "E0105", "2x", Some("y = 2 * x"));
    fault("y = 1.5f", "E0105", "1.5f", Some("y = 1.5"));
    fault("y = 3f32", "E0105", "3f32", Some("y = (3 to f32)"));
    fault("y = 1.2.3", "E0105", "1.2.3", None);
}

#[test]
fn texts() {
    fault("y = \"abc", "E0106", "\"abc", Some("y = \"abc\""));
    fault(
        "print(\"abc)\nx = 1",
        "E0106",
        "\"abc)",
        Some("print(\"abc\")\nx = 1"),
    );
    fault(
        "y = f\"abc {x}",
        "E0106",
        "f\"abc {x}",
        Some("y = f\"abc {x}\""),
    );
    fault("y = f\"abc {x\nz = 1", "E0102", "{", None);
    fault("y = f\"{x\"", "E0102", "{", Some("y = f\"{x}\""));
    fault("y = 'a\"b'", "E0101", "'a\"b'", Some("y = \"a\\\"b\""));
    fault("y = f'a {x}'", "E0101", "f'a {x}'", Some("y = f\"a {x}\""));
    fault("y = “a”", "E0101", "“a”", Some("y = \"a\""));
    fault("y = \"a\\qb\"", "E0101", "\\q", Some("y = \"a\\\\qb\""));
    fault("y = \"\\x41\"", "E0101", "\\x41", Some("y = \"\\u{41}\""));
    fault("y = \"\\u{110000}\"", "E0101", "\\u{110000}", None);
    fault("y = f\"{x:.2f}\"", "E0101", ":.2f", Some("y = f\"{x}\""));
    fault("y = f\"{x!r}\"", "E0101", "!r", Some("y = f\"{x}\""));
    fault("y = f\"a } b\"", "E0101", "}", Some("y = f\"a }} b\""));
    fault("y = f\"{}\"", "E0101", "{}", None);
    fault(
        "\"\"\"a\nb\"\"\"\ny = 1",
        "E0101",
        "\"\"\"a\nb\"\"\"",
        Some("# a\n# b\ny = 1"),
    );
}

#[test]
fn characters() {
    fault("y = a × b", "E0101", "×", Some("y = a * b"));
    fault("y = a − b", "E0101", "−", Some("y = a - b"));
    fault("y = a≤b", "E0101", "≤", Some("y = a<=b"));
    fault("y = ３", "E0101", "３", Some("y = 3"));
    fault("y = f（a)", "E0101", "（", Some("y = f(a)"));
    fault("y = a $ b", "E0101", "$", None);
    fault("y = 😀😀", "E0101", "😀😀", None);
    fault(
        "x =\u{a0}1\ny =\u{a0}2",
        "E0101",
        "\u{a0}",
        Some("x = 1\ny = 2"),
    );
    fault("x = a\u{200b}b", "E0101", "\u{200b}", Some("x = ab"));
    fault("x = 1\ry = 2", "E0101", "\r", Some("x = 1\ny = 2"));
}

#[test]
fn other_languages_operators() {
    fault(
        "y = (a > 0) & (b < 1)",
        "E0101",
        "&",
        Some("y = (a > 0) and (b < 1)"),
    );
    fault("y = a || b", "E0101", "||", Some("y = a or b"));
    fault("y = a|b", "E0101", "|", Some("y = a or b"));
    fault("y = a ^ 2", "E0101", "^", Some("y = a ** 2"));
    fault("y = !a", "E0101", "!", Some("y = not a"));
    fault("y = ~a", "E0101", "~", Some("y = not a"));
    fault("y = a <> b", "E0101", "<>", Some("y = a != b"));
    fault("x++", "E0101", "++", Some("x += 1"));
    fault("x //= 2", "E0101", "//=", Some("x = x // 2"));
    fault("y = x is not z", "E0101", "is not", Some("y = x != z"));
    fault("y = x in z", "E0101", "in", None);
    fault("y = +x", "E0101", "+", Some("y = x"));
    fault("y = 2(x + 1)", "E0101", "(", Some("y = 2 * (x + 1)"));
    fault("a = 1; b = 2", "E0101", ";", Some("a = 1\nb = 2"));
    fault("a = 1;", "E0101", ";", Some("a = 1"));
    fault(
        "if x = 3:\n    pass",
        "E0101",
        "=",
        Some("if x == 3:\n    pass"),
    );
    fault("y = f((a = 3))", "E0101", "=", Some("y = f((a == 3))"));
    fault("y = x ? 1 : 2", "E0101", "?", None);
    fault("y = {1: 2}", "E0101", "{", None);
    fault("// why", "E0101", "//", Some("# why"));
}

#[test]
fn pasted_python() {
    fault("y = x[:, 0]", "E0101", ":", Some("y = x[.., 0]"));
    fault(
        "y = x[1:3, ::2, a:b:-1]",
        "E0101",
        ":",
        Some("y = x[1..3, .. by 2, a..b by -1]"),
    );
    fault(
        "def f(x):\n    return x",
        "E0101",
        "def",
        Some("fn f(x):\n    return x"),
    );
    fault(
        "y = f(lambda x: x + 1)",
        "E0101",
        "lambda x:",
        Some("y = f(x => x + 1)"),
    );
    fault(
        "y = f(lambda a, b: a)",
        "E0101",
        "lambda a, b:",
        Some("y = f((a, b) => a)"),
    );
    fault("if c: x = 1", "E0101", "x", Some("if c:\n    x = 1"));
    fault(
        "    \nfn f(x): return x",
        "E0101",
        "return",
        Some("    \nfn f(x):\n    return x"),
    );
    fault("y = zeros([2, 3])", "E0101", ",", Some("y = zeros([2 3])"));
    fault(
        "fn f(x: [n,D]) = x",
        "E0101",
        ",",
        Some("fn f(x: [n D]) = x"),
    );
    fault(
        "fn f(x: [n D] float32) = x",
        "E0301",
        "float32",
        Some("fn f(x: [n D] f32) = x"),
    );
    fault(
        "y = x to torch.float32",
        "E0101",
        "torch.float32",
        Some("y = x to f32"),
    );
    fault(
        "y = x |> to np.int64",
        "E0101",
        "np.int64",
        Some("y = x |> to i64"),
    );
    fault(
        "import torch.nn as nn\n",
        "E0101",
        "import torch.nn as nn",
        Some("\n"),
    );
    fault(
        "import pkg.data as d",
        "E0101",
        "import pkg.data as d",
        Some("import python \"pkg.data\" as d"),
    );
    fault("from torch import nn", "E0101", "from", None);
    fault(
        "class Net(Module):\n    pass",
        "E0101",
        "class",
        Some("model Net:\n    pass"),
    );
    fault("@jit\nfn f(x) = x", "E0101", "@", None);
    fault("print x", "E0101", "print", Some("print(x)"));
    fault("let x = 3", "E0101", "let", Some("x = 3"));
    fault("try:\n    x = 1", "E0101", "try", None);
    fault(
        "y = [f(i) for i in range(n)]",
        "E0101",
        "for",
        Some("y = n |> map(i => f(i))"),
    );
    fault("y = f(*a)", "E0101", "*", None);
    fault("a, b = f(x)", "E0101", ",", Some("(a, b) = f(x)"));
    fault("return a, b", "E0101", ",", Some("return (a, b)"));
    fault(
        "if a:\n    x = 1\nelse if b:\n    x = 2",
        "E0101",
        "else if",
        Some("if a:\n    x = 1\nelif b:\n    x = 2"),
    );
    let braces =
        "for i in x {\n    if a {\n        y = 1\n    } else {\n        y = 2\n    }\n}\nz = 1";
    let mended = "for i in x:\n    if a:\n        y = 1\n    else:\n        y = 2\nz = 1";
    fault(braces, "E0101", "{", Some(mended));
}

#[test]
fn brackets() {
    fault("y = f(a, b\nz = 1", "E0102", "(", None);
    fault("y = f(\n    a,\nfn g(x) = x", "E0102", "(", None);
    fault("y = f(g(a\nreturn y", "E0102", "(", None);
    fault("y = f(a]\nz = 1", "E0101", "]", Some("y = f(a)\nz = 1"));
    fault("y = f(a])\nz = 1", "E0101", "]", Some("y = f(a)\nz = 1"));
    fault("y = a)", "E0101", ")", Some("y = a"));
    fault("fn f(x: [n D, y) = x", "E0102", "[", None);
    fault("y = ()", "E0101", "()", None);
    fault("y = []", "E0101", "[]", None);
    fault("y = x[]", "E0101", "[]", None);
    fault("y = f(a, , b)", "E0101", ",", Some("y = f(a,  b)"));
    fault("y = [1.0 2.0]", "E0101", "2.0", Some("y = [1.0, 2.0]"));
}

#[test]
fn indentation() {
    fault(
        "if c:\n\tx = 1\n\ty = 2",
        "E0103",
        "\t",
        Some("if c:\n    x = 1\n    y = 2"),
    );
    fault("y = x\n|> f", "E0103", "|>", Some("y = x\n    |> f"));
    fault("y = x +\nz", "E0103", "z", Some("y = x +\n    z"));
    fault("y = x +\nz = 1", "E0103", "z", None);
    fault("if c:\nx = 1", "E0103", ":", Some("if c:\n    pass\nx = 1"));
    fault("fn f(x):", "E0103", ":", Some("fn f(x):\n    pass"));
    fault(
        "x = 1\n  y = 2\n  z = 3\nw = 4",
        "E0103",
        "y",
        Some("x = 1\ny = 2\nz = 3\nw = 4"),
    );
    fault(
        "if c:\n    x = 1\n  y = 2\n  z = 3",
        "E0103",
        "y",
        Some("if c:\n    x = 1\n    y = 2\n    z = 3"),
    );
}

#[test]
fn comparisons_do_not_chain() {
    fault("y = a < b < c", "E0104", "<", Some("y = a < b and b < c"));
    fault(
        "y = a < f(b) <= c == d",
        "E0104",
        "<=",
        Some("y = a < f(b) and f(b) <= c and c == d"),
    );
    assert_eq!(parse("y = (a < b) == c").diagnostics, []);
}

#[test]
fn conversions_and_stages() {
    fault(
        "y = x to f32 ** 2",
        "E0101",
        "**",
        Some("y = (x to f32) ** 2"),
    );
    fault(
        "y = a * x as [n D][0]",
        "E0101",
        "[",
        Some("y = a * (x as [n D])[0]"),
    );
    fault("y = x to", "E0101", "to", None);
    fault(
        "y = x |> sum(over=n) / n",
        "E3201",
        "/",
        Some("y = (x |> sum(over=n)) / n"),
    );
    fault(
        "y = x |> f[0] |> g",
        "E3201",
        "[",
        Some("y = (x |> f)[0] |> g"),
    );
    fault("y = x |> f == 3", "E3201", "==", Some("y = (x |> f) == 3"));
    fault("y = x |> f(1)(2)", "E3201", "(", Some("y = (x |> f(1))(2)"));
    fault(
        "y = x |> i => i + 1",
        "E3201",
        "i",
        Some("y = x |> map(i => i + 1)"),
    );
    fault(
        "y = x |> f to f32",
        "E3201",
        "to",
        Some("y = x |> f |> to f32"),
    );
    fault("y = x |> [n D]", "E3201", "[", Some("y = x |> as [n D]"));
    fault("y = x |> 3 |> f", "E3201", "3", None);
    fault("y = x |>", "E0101", "|>", None);
    fault("|> f", "E0101", "|>", None);
    fault(
        "fn f(x: [n + 1 D]) = x",
        "E0101",
        "+",
        Some("fn f(x: [(n + 1) D]) = x"),
    );
    fault(
        "y = not a == not b and c",
        "E0101",
        "not",
        Some("y = not a == (not b) and c"),
    );
}

#[test]
fn statements_and_declarations() {
    fault("f(x) = 3", "E0304", "f(x)", None);
    fault("x = y = 3", "E0101", "=", None);
    fault("to = 3", "E0101", "to", None);
    fault("fn for(x) = x", "E0101", "for", Some("fn for_(x) = x"));
    fault("y = f(to=3)", "E0101", "to", Some("y = f(to_=3)"));
    fault(
        "while true\n    pass",
        "E0101",
        "true",
        Some("while true:\n    pass"),
    );
    fault(
        "fn f(x)\n    return x",
        "E0101",
        "(x)",
        Some("fn f(x):\n    return x"),
    );
    fault(
        "fn f(x) -> [n], int = x",
        "E0101",
        ",",
        Some("fn f(x) -> ([n], int) = x"),
    );
    fault("for i n x:\n    pass", "E0101", "n", None);
    fault("for i in x over:\n    pass", "E0101", "over", None);
    fault("else:\n    pass", "E0101", "else", None);
    fault("elif a:\n    pass\nelse:\n    pass", "E0101", "elif", None);
    fault("with no_grad():\n    pass", "E0101", "no_grad()", None);
    fault("what x:\n    y = 1", "E0101", ":", None);
    fault("y: [n D]", "E0101", ": [n D]", None);
    fault("y =", "E0101", "=", None);
    fault("y = x +", "E0101", "+", None);
    fault("y = x if c", "E0101", "c", None);
    fault("dim D", "E0101", "D", None);
    fault("dim D = n / 2", "E0101", "/", Some("dim D = n // 2"));
    fault("extern fn f(x)", "E0101", "(x)", None);
    fault("if a:\n    fn f(x) = x", "E0101", "fn", None);
    fault("model M:\n    x = 1", "E0101", "x", None);
    fault("model M:\n    blocks: 6 * [2]", "E0101", "[", None);
    fault("break x", "E0101", "x", None);
    fault("f(x) g(y)", "E0101", "g", None);
}
