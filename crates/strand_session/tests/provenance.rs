//! How each axis came to be, as hover tells it.

use strand_session::{Document, Severity};

fn told(text: &str, piece: &str) -> Vec<String> {
    let document = Document::new(text);
    let errors = document.diagnostics().iter();
    let errors: Vec<_> = errors
        .filter(|found| found.severity() == Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    let at = text.rfind(piece).expect("the piece stands in the text");
    document.provenance((at + piece.len()) as u32)
}

#[test]
fn every_step_is_told_with_its_line() {
    let text = "fn f(x: [n D]) -> [_ H]:
    a = x[1..]
    b = a to [D (n - 1)]
    c = b as [H m]
    d = transpose(c) |> map(row => row * 2.0, over=m)
    e = d |> filter(row => sum(row) > 0.0, over=m)
    return e
dim D = 3
dim H = 3
";
    let lines = told(text, "return e");
    let kept = "n: first axis of x, line 1; (n - 1): the slice on line 2; (n - 1): the `to` on line 3; \
                m: renamed by `as` on line 4; m: iterated by the map on line 5; \
                k1: kept by the filter on line 6";
    assert_eq!(lines[0], kept);
    let renamed = "D: last axis of x, line 1; D: the `to` on line 3; H: renamed by `as` on line 4";
    assert_eq!(lines[1], renamed);
}

#[test]
fn what_is_made_says_what_made_it() {
    let concat = told(
        "fn f(x: [n], y: [n]) -> [(2 * n)] = concat(x, y) * 1.0\n",
        "concat(x, y)",
    );
    assert_eq!(
        concat,
        ["n: only axis of x, line 1; (2 * n): the concat on line 1"]
    );
    let call = told(
        "fn f(x: [n]) -> [_] = x |> filter(v => v > 0.0)\n\
         fn g(x: [m]) -> [] = sum(f(x) * 1.0)\n",
        "f(x)",
    );
    assert_eq!(call.len(), 1);
    assert!(call[0].ends_with("k1: given by f on line 2"), "{call:?}");
    let product = told(
        "fn f(x: [n D], w: [D H]) -> [n H]:\n    y = x @ w\n    return y\ndim D = 2\ndim H = 3\n",
        "return y",
    );
    let kept = "n: first axis of x, line 1; n: kept by `@` on line 2";
    assert_eq!(product[0], kept);
    let made = told("fn f(x: [n]) -> [n] = zeros([n]) + x\n", "zeros([n])");
    assert_eq!(made, ["n: only axis of x, line 1; n: the zeros on line 1"]);
}

#[test]
fn a_chain_of_slices_without_end_stays_short() {
    let mut text = String::from("fn f(x: [n]) -> [_]:\n    y = x\n");
    for _ in 0..200 {
        text.push_str("    y = y[1..]\n");
    }
    text.push_str("    return y\n");
    let lines = told(&text, "return y");
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with("n: only axis of x, line 1; "));
    assert!(lines[0].matches("the slice").count() <= 12, "{lines:?}");
}
