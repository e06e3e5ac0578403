//! The chapter's sections "What a chain iterates", "Stages" and "Functions", sentence by sentence.

mod common;

use common::{chains, gives, hints, mended, right, wrong};

const CHAPTER: &str = "\
dim D = 8
dim C = 4

fn scale_rows(x: [n D], w: [n]) -> [n D] = n |> map(i => x[i] * w[i])

fn per_row(x: [n D], w: [D C]) -> [n C] = x |> map(row => softmax(row @ w, over=C), over=n)

fn gram(x: [n D]) -> [n n] = x |> map(a => x |> map(b => sum(a * b), over=n), over=n)

fn table() -> [3 D] f32 = 3 |> map(i => D |> map(j => j to f32))

fn positive(x: [n D]) -> [] = x
    |> map(row => sum(row), over=n)
    |> filter(t => t > 0.0)
    |> sum
";

#[test]
fn the_chapters_functions_check() {
    right(CHAPTER);
}

#[test]
fn hints_stand_at_the_ends_of_pipe_lines() {
    let expected = [
        "4:70 [n D]",
        "6:92 [n C] Prob",
        "8:86 [n n]",
        "10:65 [3 D]",
        "12:32 [n D]",
        "13:36 [n]",
        "14:28 [k1]",
        "15:11 []",
    ];
    assert_eq!(hints(CHAPTER), expected);
}

#[test]
fn chains_are_listed_with_what_is_nested_after() {
    let gram = "\
fn gram(x: [n D]) -> [n n] = x |> map(a => x |> map(b => sum(a * b), over=n), over=n)
";
    assert_eq!(chains(gram), [["map [n n]"], ["map [n]"]]);
    let several = "\
fn f(x: [n D], w: [n]) -> [] f64 = x |> zip(w, over=n) |> filter((r, v) => v > 0.0)
    |> map((r, v) => sum(r) * v) |> to f64
    |> sum
";
    let expected = [[
        "zip ([n D], [n])",
        "filter ([k1 D], [k1])",
        "map [k1]",
        "to f64 [k1] f64",
        "sum [] f64",
    ]];
    assert_eq!(chains(several), expected);
}

// What a chain iterates: a size.

#[test]
fn a_size_is_an_axis_name_a_dim_a_number_or_a_sum_or_product() {
    gives("fn f(x: [n D]) = n |> map(i => sum(x[i]))", "[n]");
    gives("dim D = 8\nfn f() = D |> map(i => i to f32)", "[D]");
    gives("fn f() = 3 |> map(i => i to f32)", "[3]");
    gives("fn f(x: [n]) = 2 * n |> map(i => i to f32)", "[(2 * n)]");
    gives(
        "fn f(x: [n m]) = n + m + 1 |> map(i => i to f32)",
        "[(n + m + 1)]",
    );
    gives("fn f(x: [n]) = (n) |> map(i => x[i])", "[n]");
    gives("fn f(x: [n]) = (2 * n) |> map(i => i to f32)", "[(2 * n)]");
}

#[test]
fn the_elements_of_a_size_are_its_indices() {
    gives("fn f(x: [n]) = n |> map(i => i)", "[n] i64 Index[n]");
    gives("fn f() = 3 |> map(i => i)", "[3] i64 Index[3]");
    gives(
        "fn f(x: [n]) = 2 * n |> map(i => i)",
        "[(2 * n)] i64 Index[(2 * n)]",
    );
}

#[test]
fn an_index_takes_its_axis_as_any_index_does() {
    gives("fn f(x: [n D]) = n |> map(i => x[i])", "[n D]");
    gives("fn f(x: [n D]) = n |> map(i => x[i, 0])", "[n]");
    wrong("E0507", "fn f(x: [n D]) -> [n] = D |> map(j => x[«j»])");
    wrong(
        "E0507",
        "fn f(x: [n], y: [m]) -> [n] = n |> map(i => x[i] + y[«i»])",
    );
    gives("fn f(x: [n D]) = D |> map(j => x[.., j])", "[D n]");
}

#[test]
fn axes_of_equal_sizes_are_different_axes() {
    let text = "dim D = 8\ndim E = 8\nfn f(e: [E]) -> [D] = D |> map(i => e[«i»])";
    let found = wrong("E0507", text);
    assert_eq!(found.labels.len(), 2);
    right("dim D = 8\nfn f(e: [D]) -> [8] = 8 |> map(i => e[i])");
}

#[test]
fn an_index_is_a_tensor_and_converts_to_its_value() {
    gives("fn f(x: [n]) = n |> map(i => i to f32)", "[n]");
    gives("fn f(x: [n]) = n |> map(i => x[i] * (i to f32))", "[n]");
    wrong("E0602", "fn f(x: [n]) -> [n] = n |> map(i => x[i] * «i»)");
}

#[test]
fn the_axis_is_named_like_the_size_only_where_that_is_a_name() {
    gives("fn f(x: [n]) = n |> map(i => 1.0) |> sum(over=n)", "[]");
    wrong(
        "E0405",
        "fn f(x: [n]) -> [] = 2 * n |> map(i => 1.0) |> sum(over=«n»)",
    );
    gives("fn f(x: [n]) = 1 * n |> map(i => 1.0)", "[n]");
    wrong(
        "E0405",
        "fn f(x: [n]) -> [] = 1 * n |> map(i => 1.0) |> sum(over=«n»)",
    );
}

#[test]
fn a_size_with_a_minus_is_written_as_a_range() {
    mended(
        "E2401",
        "fn f(x: [n]) -> [(n - 1)] = «n - 1» |> map(i => x[i to Index[n]])",
        "fn f(x: [n]) -> [(n - 1)] = 0..n - 1 |> map(i => x[i to Index[n]])",
    );
    wrong("E2401", "fn f(x: [n]) -> [n] = («-n») |> map(i => 1.0)");
}

#[test]
fn a_size_is_positive() {
    wrong("E2401", "fn f() -> [3] = «0» |> map(i => 1.0)");
    wrong("E2401", "fn f(x: [n]) -> [n] = «0 * n» |> map(i => 1.0)");
    right("fn f() -> [1] = 1 |> map(i => 1.0)");
}

// What a chain iterates: a range.

#[test]
fn a_range_gives_the_indices_between_its_ends() {
    gives("fn f(x: [n]) = 1..n |> map(i => i)", "[(n - 1)] i64");
    gives(
        "fn f(x: [n]) = n..2 * n + 1 |> map(i => i)",
        "[(n + 1)] i64",
    );
    gives(
        "dim D = 8\nfn f() = 2..D |> map(i => i to f32)",
        "[(D - 2)]",
    );
}

#[test]
fn a_range_from_0_is_its_size() {
    gives("fn f(x: [n]) = 0..n |> map(i => i)", "[n] i64 Index[n]");
    gives("fn f(x: [n]) = 0..n |> map(i => x[i]) |> sum(over=n)", "[]");
    gives(
        "fn f(x: [n]) = 0..n - 1 |> map(i => i)",
        "[(n - 1)] i64 Index[(n - 1)]",
    );
}

#[test]
fn the_elements_of_another_range_are_no_indices() {
    mended(
        "E0506",
        "fn f(x: [n]) -> [(n - 1)] = 1..n |> map(i => x[«i»])",
        "fn f(x: [n]) -> [(n - 1)] = 1..n |> map(i => x[i to Index[n]])",
    );
}

#[test]
fn an_index_with_a_number_added_still_indexes_its_axis() {
    right("fn f(x: [n]) -> [n] = n |> map(i => x[i] - x[i - 1])");
    right("fn f(x: [n]) -> [n] = n |> map(i => x[i + 1])");
    wrong(
        "E0506",
        "fn f(x: [n], k: int) -> [n] = n |> map(i => x[«i + k»])",
    );
    wrong("E0506", "fn f(x: [n]) -> [n] = n |> map(i => x[«i * 2»])");
    wrong(
        "E0507",
        "fn f(x: [n m]) -> [n] = m |> map(i => sum(x[«i + 1»]))",
    );
    wrong(
        "E0506",
        "fn f(x: [n]) -> [(n - 1)] = 1..n |> map(i => x[«i - 1»])",
    );
}

#[test]
fn a_range_neither_is_empty_nor_runs_backwards() {
    wrong("E2401", "fn f() -> [3] = «3..3» |> map(i => 1.0)");
    wrong("E2401", "fn f() -> [3] = «5..2» |> map(i => 1.0)");
    wrong("E2401", "fn f(x: [n]) -> [n] = «n..n» |> map(i => 1.0)");
    wrong("E2401", "fn f(x: [n]) -> [n] = «n + 2..n» |> map(i => 1.0)");
    right("fn f() -> [1] = 3..4 |> map(i => 1.0)");
    right("fn f(x: [n]) -> [n] = n..2 * n |> map(i => 1.0)");
}

#[test]
fn the_ends_of_a_range_are_sizes() {
    wrong("E2401", "fn f(k: int) -> [3] = 0..«k» |> map(i => 1.0)");
    wrong("E2401", "fn f(x: []) -> [3] = «x»..3 |> map(i => 1.0)");
    wrong("E2401", "fn f(x: [n]) -> [n] = «-1»..n |> map(i => 1.0)");
    wrong("E0301", "fn f(x: [n]) -> [n] = 0..«q» |> map(i => 1.0)");
    wrong(
        "E2401",
        "fn f(x: [n]) -> [n] = 0..n by «2» |> map(i => 1.0)",
    );
}

// What a chain iterates: a tensor.

#[test]
fn a_tensor_is_iterated_along_over() {
    gives("fn f(x: [n D]) = x |> map(r => r, over=n)", "[n D]");
    gives("fn f(x: [n D]) = x |> map(r => r, over=D)", "[D n]");
    gives("fn f(x: [n D]) = x |> map(r => r, over=-1)", "[D n]");
    gives(
        "fn f(x: [n m k]) = x |> map(r => sum(r, over=n), over=m)",
        "[m k]",
    );
    gives(
        "fn f(x: [n] i64 Index[m]) = x |> map(v => v)",
        "[n] i64 Index[m]",
    );
}

#[test]
fn over_is_an_axis_of_the_tensor() {
    wrong(
        "E0405",
        "fn f(x: [n D]) -> [n] = x |> map(r => sum(r), over=«m»)",
    );
    wrong(
        "E0405",
        "fn f(x: [n D], y: [m]) -> [n] = x |> map(r => sum(r), over=«m»)",
    );
    wrong(
        "E0407",
        "fn f(x: [n n]) -> [n] = x |> map(r => sum(r), over=«n»)",
    );
    right("fn f(x: [n n]) -> [n] = x |> map(r => sum(r), over=-1)");
}

#[test]
fn the_only_axis_needs_no_over() {
    gives("fn f(x: [n]) = x |> map(v => v * 2.0)", "[n]");
    gives("fn f(x: [n]) = x |> map(v => v * 2.0, over=n)", "[n]");
}

#[test]
fn the_axis_of_a_map_or_filter_needs_no_over() {
    gives(
        "fn f(x: [n D]) = x |> map(r => r * 2.0, over=n) |> map(r => sum(r))",
        "[n]",
    );
    gives(
        "fn f(x: [n D]) = x |> filter(r => sum(r) > 0.0, over=n) |> map(r => sum(r))",
        "[k1]",
    );
    gives(
        "fn f(x: [n D]) = (x |> map(r => r * 2.0, over=n)) |> map(r => sum(r))",
        "[n]",
    );
    let named = "fn f(x: [n D]):\n    y = x |> map(r => r * 2.0, over=n)\n    return y |> map(r => sum(r))\n";
    gives(named, "[n]");
    let named = "fn f(x: [n D]):\n    y = (x |> map(r => r * 2.0, over=n))\n    return (y) |> map(r => sum(r))\n";
    gives(named, "[n]");
}

#[test]
fn only_the_last_stage_and_one_name_keep_the_axis() {
    wrong(
        "E0406",
        "fn f(x: [n D]) -> [n] = x |> map(r => r, over=n) |> relu |> «map(r => sum(r))»",
    );
    wrong(
        "E0406",
        "fn f(x: [n D]) -> [n] = (x |> map(r => r, over=n)) * 2.0 |> «map(r => sum(r))»",
    );
    wrong(
        "E0406",
        "fn f(x: [n D]) -> [n]:\n    y = x |> map(r => r, over=n)\n    z = y\n    return z |> «map(r => sum(r))»\n",
    );
    wrong(
        "E0406",
        "fn g(x: [n D]) -> [n D] = x |> map(r => r, over=n)\nfn f(x: [n D]) -> [n] = g(x) |> «map(r => sum(r))»",
    );
    wrong(
        "E0406",
        "fn f(x: [n D], c: bool) -> [n]:\n    y = x |> map(r => r, over=n)\n    if c:\n        y = x * 2.0\n    return y |> «map(r => sum(r))»\n",
    );
}

#[test]
fn several_axes_need_over() {
    mended(
        "E0406",
        "fn f(x: [n D]) -> [n] = x |> «map(r => sum(r))»",
        "fn f(x: [n D]) -> [n] = x |> map(r => sum(r), over=n)",
    );
    wrong(
        "E0406",
        "fn f(x: [n D]) -> [n] = x |> «filter(r => sum(r) > 0.0)» |> map(r => sum(r))",
    );
    mended(
        "E0406",
        "fn f(x: [n n]) -> [n] = x |> «map(sum)»",
        "fn f(x: [n n]) -> [n] = x |> map(sum, over=-1)",
    );
    wrong(
        "E0406",
        "fn f(x: [n D]) -> [n] = x |> «enumerate» |> map((i, r) => sum(r))",
    );
    wrong(
        "E0406",
        "fn f(x: [n D], w: [n]) -> [n] = x |> «zip(w)» |> map((r, v) => sum(r) * v)",
    );
}

#[test]
fn over_on_a_size_a_range_or_pairs_is_not_an_axis() {
    mended(
        "E0405",
        "fn f(x: [n]) -> [n] = n |> map(i => x[i], over=«n»)",
        "fn f(x: [n]) -> [n] = n |> map(i => x[i])",
    );
    wrong(
        "E0405",
        "fn f(x: [n]) -> [(n - 1)] = 1..n |> map(i => 1.0, over=«n»)",
    );
    wrong(
        "E0405",
        "fn f(x: [n], w: [n]) -> [n] = x |> zip(w) |> map((a, b) => a * b, over=«n»)",
    );
}

// What a chain iterates: anything else.

#[test]
fn an_int_value_is_no_size() {
    wrong("E2401", "fn f(k: int) -> [3] = «k» |> map(i => 1.0)");
    wrong(
        "E2401",
        "fn f(x: [n], k: int) -> [n] = «n + k» |> map(i => 1.0)",
    );
    wrong("E2401", "fn f(x: [n]) -> [n] = «n // 2» |> map(i => 1.0)");
    wrong(
        "E2401",
        "fn f(x: [n]) -> [n]:\n    k = n\n    return «k» |> map(i => x[i])\n",
    );
    wrong(
        "E2401",
        "fn f(x: [n]) -> [n]:\n    for j in 0..n:\n        y = «j» |> map(i => 1.0)\n    return x\n",
    );
    wrong("E2401", "fn f() -> [3] = «2.5» |> map(i => 1.0)");
}

#[test]
fn one_number_has_no_axis() {
    wrong("E2401", "fn f(x: []) -> [3] = «x» |> map(v => v)");
    wrong(
        "E2401",
        "fn f(x: [n]) -> [] = «x |> sum» |> map(v => v) |> sum",
    );
}

#[test]
fn a_python_value_needs_a_shape_first() {
    let head = "import python \"mypkg.data\" as data\nfn f() -> [] = ";
    wrong(
        "E2401",
        &format!("{head}«data.load(3)» |> map(v => v) |> sum"),
    );
    right(&format!(
        "{head}data.load(3) as [k] |> map(v => v * 2.0) |> sum"
    ));
}

// Stages: zip and enumerate.

#[test]
fn zip_pairs_elements() {
    gives(
        "fn f(x: [n], w: [n]) = x |> zip(w) |> map((a, b) => a * b)",
        "[n]",
    );
    gives(
        "fn f(x: [n D], w: [n]) = x |> zip(w, over=n) |> map((r, v) => r * v)",
        "[n D]",
    );
    gives(
        "fn f(x: [n], w: [n]) = n |> zip(w) |> map((i, v) => x[i] * v)",
        "[n]",
    );
    gives(
        "fn f(x: [n]) = x |> zip(n) |> map((v, i) => v + x[i])",
        "[n]",
    );
    gives(
        "fn f(x: [n]) = x |> zip(1..n + 1) |> map((v, i) => v * (i to f32))",
        "[n]",
    );
    gives("fn f(x: [3]) = 3 |> zip(x) |> map((i, v) => v)", "[3]");
}

#[test]
fn zips_other_is_iterated_along_its_clear_axis() {
    let result = "fn f(x: [n], y: [m n]) = x |> zip(y |> map(c => c * 2.0, over=n)) |> map((a, c) => a + sum(c))";
    gives(result, "[n]");
    gives(
        "fn f(x: [n D], y: [m n]) = x |> zip(y, over=n) |> map((r, c) => sum(r) + sum(c))",
        "[n]",
    );
    wrong(
        "E0406",
        "fn f(x: [n], y: [m D]) -> [n] = x |> zip(«y») |> map((a, c) => a)",
    );
    wrong(
        "E0407",
        "fn f(x: [n], y: [n n]) -> [n] = x |> zip(«y») |> map((a, c) => a)",
    );
    wrong(
        "E2401",
        "fn f(x: [n], y: []) -> [n] = x |> zip(«y») |> map((a, c) => a)",
    );
    wrong(
        "E2401",
        "fn f(x: [n], k: int) -> [n] = x |> zip(«k») |> map((a, c) => a)",
    );
}

#[test]
fn zipped_axes_agree() {
    let found = wrong(
        "E0501",
        "fn f(x: [n], w: [m]) -> [n] = x |> zip(«w») |> map((a, b) => a * b)",
    );
    assert_eq!(found.labels.len(), 2);
    wrong(
        "E0501",
        "fn f(x: [n]) -> [n] = x |> filter(v => v > 0.0) |> zip(«x») |> map((a, b) => a * b)",
    );
    wrong(
        "E0501",
        "fn f(x: [n]) -> [n]:\n    a = x |> filter(v => v > 0.0)\n    b = x |> filter(v => v > 1.0)\n    return a |> zip(«b») |> map((p, q) => p * q)\n",
    );
    gives(
        "fn f(x: [n]):\n    a = x |> filter(v => v > 0.0)\n    return a |> zip(a) |> map((p, q) => p * q)\n",
        "[k1]",
    );
}

#[test]
fn a_third_iteration_gives_triples() {
    gives(
        "fn f(x: [n], w: [n], v: [n]) = x |> zip(w) |> zip(v) |> map((a, b, c) => a * b + c)",
        "[n]",
    );
    gives(
        "fn f(x: [n], w: [n]) = x |> enumerate |> zip(w) |> map((i, a, b) => a * b)",
        "[n]",
    );
    wrong(
        "E3206",
        "fn f(x: [n], w: [n], v: [n]) -> [n] = x |> zip(w) |> zip(v) |> map(«(a, b)» => a * b)",
    );
}

#[test]
fn enumerate_pairs_with_the_index() {
    gives(
        "fn f(x: [n D], w: [n]) = x |> enumerate(over=n) |> map((i, r) => sum(r) * w[i])",
        "[n]",
    );
    gives(
        "fn f(x: [n]) = x |> enumerate |> map((i, v) => i)",
        "[n] i64 Index[n]",
    );
    gives(
        "fn f(x: [n]) = x[1..] |> enumerate |> map((i, v) => i)",
        "[(n - 1)] i64 Index[(n - 1)]",
    );
}

#[test]
fn enumerate_after_a_filter_gives_plain_numbers() {
    let text = "fn f(x: [n]) = x |> filter(v => v > 0.0) |> enumerate |> map((i, v) => i)";
    gives(text, "[k1] i64");
}

#[test]
fn enumerate_takes_no_pairs() {
    wrong(
        "E3205",
        "fn f(x: [n], w: [n]) -> [n] = x |> zip(w) |> «enumerate» |> map((i, a, b) => a * b)",
    );
}

#[test]
fn pairs_are_taken_apart_by_a_lambda_with_a_parameter_each() {
    mended(
        "E3206",
        "fn f(x: [n], w: [n]) -> [n] = x |> zip(w) |> map(«p» => 1.0)",
        "fn f(x: [n], w: [n]) -> [n] = x |> zip(w) |> map((p, _) => 1.0)",
    );
    wrong(
        "E3206",
        "fn f(x: [n], w: [n]) -> [n] = x |> zip(w) |> map(«(a, b, c)» => a)",
    );
    wrong("E3206", "fn f(x: [n]) -> [n] = x |> map(«(a, b)» => a)");
    wrong(
        "E3206",
        "fn f(x: [n]) -> [n] = x |> enumerate |> filter(«v» => v > 0.0) |> map((i, v) => v)",
    );
    right("fn f(x: [n], w: [n]) -> [n] = x |> zip(w) |> map((_, b) => b)");
    right("fn f(x: [n], w: [n]) -> [n] = x |> zip(w) |> map((_, _) => 1.0)");
}

#[test]
fn pairs_go_nowhere_else() {
    wrong("E3205", "fn f(x: [n], w: [n]) = x |> «zip(w)»");
    wrong("E3205", "fn f(x: [n], w: [n]) -> [] = x |> zip(w) |> «sum»");
    wrong(
        "E3205",
        "fn f(x: [n], w: [n]) -> [n] = x |> zip(w) |> «to f32»",
    );
    wrong("E3205", "fn f(x: [n]) = x |> «enumerate»");
    wrong(
        "E3205",
        "fn f(x: [n], w: [n]) = x |> zip(w) |> «filter((a, b) => a > b)»",
    );
    wrong(
        "E3205",
        "fn f(x: [n], w: [n]) -> [n] = x |> zip(w |> «enumerate») |> map((a, b) => a)",
    );
}

#[test]
fn a_filter_of_pairs_keeps_pairs() {
    gives(
        "fn f(x: [n], w: [n]) = x |> zip(w) |> filter((a, b) => a > b) |> map((a, b) => a * b)",
        "[k1]",
    );
    wrong(
        "E3206",
        "fn f(x: [n], w: [n]) -> [n] = x |> zip(w) |> filter((a, b) => a > b) |> map(«a» => a)",
    );
}

// Stages: composing.

#[test]
fn a_maps_result_keeps_the_iterated_axis() {
    gives(
        "fn f(x: [n D]) = x |> map(row => relu(row), over=n) |> sum(over=n)",
        "[D]",
    );
    gives(
        "fn f(x: [n D]) = x |> map(row => relu(row), over=D) |> sum(over=n)",
        "[D]",
    );
}

#[test]
fn a_filters_axis_has_no_name_and_an_unknown_size() {
    gives(
        "fn f(x: [n D]) = x |> filter(r => sum(r) > 0.0, over=n)",
        "[k1 D]",
    );
    wrong(
        "E0405",
        "fn f(x: [n]) -> [] = x |> filter(v => v > 0.0) |> sum(over=«n»)",
    );
    gives(
        "fn f(x: [n D]) = x |> filter(r => sum(r) > 0.0, over=n) |> sum",
        "[]",
    );
    gives(
        "fn f(x: [n D]) = x |> filter(r => sum(r) > 0.0, over=n) |> sum(over=D)",
        "[k1]",
    );
    gives(
        "fn f(x: [n]) = n |> filter(i => x[i] > 0.0)",
        "[k1] i64 Index[n]",
    );
    let text = "fn f(x: [n], y: [n]) -> [n]:\n    kept = x |> filter(v => v > 0.0)\n    return kept + «y»\n";
    let found = wrong("E0503", text);
    assert!(
        found
            .notes
            .iter()
            .any(|note| note.contains("kept by the filter"))
            || !found.labels.is_empty()
    );
}

#[test]
fn each_pipe_line_gets_its_hint() {
    let text = "\
fn f(x: [n D], w: [n]) -> [] = x
    |> zip(w, over=n)
    |> filter((r, v) => v > 0.0)
    |> map((r, v) => r * v)
    |> sum
";
    let expected = [
        "1:33 [n D]",
        "2:22 ([n D], [n])",
        "3:33 ([k1 D], [k1])",
        "4:28 [k1 D]",
        "5:11 []",
    ];
    assert_eq!(hints(text), expected);
    let size = "fn f(x: [n]) -> [(n - 1)] = 1..n\n    |> map(i => i to f32)\n";
    assert_eq!(hints(size), ["1:33 [(n - 1)] i64", "2:26 [(n - 1)]"]);
    let pairs = "fn f(x: [n]) -> [n] = x\n    |> enumerate\n    |> map((i, v) => v)\n";
    assert_eq!(
        hints(pairs),
        ["1:24 [n]", "2:17 ([n] i64 Index[n], [n])", "3:24 [n]"]
    );
    assert!(hints("fn f(x: [n]) -> [] = x |> relu |> sum").is_empty());
}

// Functions.

#[test]
fn a_lambdas_parameters_are_in_scope_only_in_its_body() {
    wrong(
        "E0301",
        "fn f(x: [n]) -> [n]:\n    y = n |> map(i => x[i])\n    return y * «i»\n",
    );
    wrong(
        "E0301",
        "fn f(x: [n]) -> [n] = n |> map(i => x[i]) |> map(v => x[«i»])",
    );
    right("fn f(x: [n]) -> [n] = n |> map(i => x[i]) |> map(i => i * 2.0)");
    right("fn f(x: [n], v: [n]) -> [n] = x |> map(v => v * 2.0)");
}

#[test]
fn a_parameter_is_not_named_like_an_axis_or_dim() {
    wrong("E0303", "fn f(x: [n]) -> [n] = x |> map(«n» => 1.0)");
    wrong(
        "E0303",
        "dim D = 8\nfn f(x: [n]) -> [n] = x |> map(«D» => 1.0)",
    );
    wrong(
        "E0303",
        "fn f(x: [n m]) -> [n] = n |> map(i => sum(x[i] |> map(«m» => 1.0)))",
    );
    right("fn f(x: [n]) -> [n] = x |> map(m => m)");
}

#[test]
fn parameters_are_distinct() {
    wrong(
        "E0302",
        "fn f(x: [n], w: [n]) -> [n] = x |> zip(w) |> map((a, «a») => 1.0)",
    );
}

#[test]
fn a_body_may_be_another_chain() {
    gives(
        "dim D = 8\nfn f() = 3 |> map(i => D |> map(j => j to f32))",
        "[3 D]",
    );
    gives(
        "fn f(x: [n D]) = n |> map(i => D |> map(j => x[i, j]))",
        "[n D]",
    );
    gives(
        "fn f(x: [n D]) = D |> map(j => n |> map(i => x[i, j]))",
        "[D n]",
    );
}

#[test]
fn a_lambda_stands_nowhere_else() {
    wrong(
        "E3202",
        "fn f(x: [n]) -> [n]:\n    g = «v => v»\n    return x\n",
    );
    wrong("E3202", "fn f(x: [n]) -> [] = sum(«v => v»)");
    wrong(
        "E3202",
        "fn f(x: [n]) -> [n] = x |> zip(«v => v») |> map((a, b) => a)",
    );
    wrong("E3202", "fn f(x: [n]) -> [n n] = x |> map(v => «u => u»)");
}

#[test]
fn a_function_is_given_by_name() {
    gives("fn f(x: [n D]) = x |> map(gelu, over=n)", "[n D]");
    gives("fn f(x: [n D]) = x |> map(normalize, over=n)", "[n D]");
    gives("fn f(x: [n D]) = x |> map(sum, over=n)", "[n]");
    gives(
        "fn g(r: [k]) -> [] = sum(r) * 2.0\nfn f(x: [n D]) = x |> map(g, over=n)",
        "[n]",
    );
    gives(
        "fn sq(v) = v * v\nfn f(x: [n D]) = x |> map(sq, over=n)",
        "[n D]",
    );
    wrong("E0301", "fn f(x: [n D]) -> [n] = x |> map(«frob», over=n)");
    wrong(
        "E0406",
        "fn f(x: [n m k]) -> [n m k] = x |> map(«softmax», over=n)",
    );
}

#[test]
fn a_call_takes_the_element_first_or_at_its_placeholder() {
    gives("fn f(x: [n]) = x |> map(clamp(0.0, 1.0))", "[n]");
    gives("fn f(x: [n]) = x |> map(sub(1.0, _))", "[n]");
    gives(
        "fn f(x: [n D]) = x |> map(softmax(over=D), over=n)",
        "[n D] Prob",
    );
    wrong("E3204", "fn f(x: [n]) -> [n] = x |> map(sub(_, «_»))");
    wrong(
        "E3203",
        "fn f(x: [n]) -> [n] = x |> map(sub(1.0, 2.0 * «_»))",
    );
    gives(
        "fn g(a: [k], w: []) -> [k] = a * w\nfn f(x: [n], y: [m]) = x |> map(g(y, w=_))",
        "[n m]",
    );
    wrong(
        "E0704",
        "fn f(x: [n], y: [m]) -> [n m] = x |> map(softmax(y, over=«_»))",
    );
}

#[test]
fn a_conversion_is_a_function_too() {
    gives("fn f(x: [n] i64) = x |> map(to f32)", "[n]");
    gives("fn f(x: [n m k]) = x |> map(to [k m], over=n)", "[n k m]");
    gives("fn f(x: [n m]) = n |> map(to f64)", "[n] f64");
}

#[test]
fn a_stage_given_by_name_takes_no_pairs() {
    mended(
        "E3206",
        "fn f(x: [n], w: [n]) -> [n] = x |> zip(w) |> map(«maximum»)",
        "fn f(x: [n], w: [n]) -> [n] = x |> zip(w) |> map((a, b) => maximum(a, b))",
    );
    wrong(
        "E3206",
        "fn f(x: [n], w: [n]) -> [n] = x |> zip(w) |> map(«to f32»)",
    );
    wrong(
        "E3206",
        "fn f(x: [n]) -> [n] = x |> enumerate |> filter(«isnan») |> map((i, v) => v)",
    );
}

#[test]
fn a_stages_function_is_no_value_and_no_chain_stage() {
    wrong("E3201", "fn f(x: [n]) -> [n] = x |> map(«3»)");
    wrong("E3201", "fn f(x: [n]) -> [] = sum(«to f32»)");
    mended(
        "E3201",
        "fn f(x: [n]) -> [n] = x |> map(«exp |> log»)",
        "fn f(x: [n]) -> [n] = x |> map(v => v |> exp |> log)",
    );
    wrong("E3201", "fn f(x: [n]) -> [n] = n |> map(«x[0]»)");
    wrong(
        "E3201",
        "fn f(x: [n D]) -> [n] = x |> map(«map(relu)», over=n)",
    );
    wrong("E0703", "fn f(x: [n]) -> [n] = x |> «map()»");
    wrong("E0703", "fn f(x: [n]) -> [n] = x |> «map»");
    wrong("E0701", "fn f(x: [n]) -> [n] = x |> map(relu, «gelu»)");
    wrong("E0702", "fn f(x: [n]) -> [n] = x |> map(relu, «along»=n)");
    wrong(
        "E0701",
        "fn f(x: [n]) -> [n] = x |> enumerate(«n») |> map((i, v) => v)",
    );
}

#[test]
fn a_map_gives_a_tensor() {
    gives("fn f(x: [n]) = n |> map(i => 1)", "[n] i64");
    gives("fn f(x: [n]) = n |> map(i => 0.5)", "[n]");
    gives("fn f(x: [n]) = n |> map(i => true)", "[n] bool");
    gives("fn f(x: [n]) = n |> map(i => x)", "[n n]");
    wrong("E2403", "fn f(x: [n]) -> [n] = n |> map(i => «\"text\"»)");
    wrong(
        "E2403",
        "fn f(x: [n]) -> [n] = n |> map(i => «(x[i], x[i])»)",
    );
}

#[test]
fn a_filter_asks_for_one_bool() {
    right("fn f(x: [n]) -> [_] = x |> filter(v => true)");
    wrong("E0502", "fn f(x: [n]) -> [_] = x |> filter(v => «v»)");
    wrong(
        "E0502",
        "fn f(x: [n D]) -> [_ D] = x |> filter(r => «r > 0.0», over=n)",
    );
    wrong("E0502", "fn f(x: [n]) -> [_] = x |> filter(«relu»)");
    right("fn f(x: [n]) -> [_] = x |> filter(isfinite)");
}

// Independence: what typing alone tells.

#[test]
fn a_lambda_does_not_read_the_result_it_builds() {
    wrong(
        "E2402",
        "fn f(x: [n]) -> [n]:\n    y = n |> map(i => «y»[i - 1] + x[i])\n    return y\n",
    );
    wrong(
        "E2402",
        "fn f(x: [n]) -> [n n]:\n    y = n |> map(i => n |> map(j => «y»[j, i]))\n    return y\n",
    );
    right(
        "fn f(x: [n]) -> [n]:\n    y = x\n    y = n |> map(i => y[i - 1] + x[i])\n    return y\n",
    );
    right("fn f(x: [n]) -> [n]:\n    y = x |> map(y => y * 2.0)\n    return y\n");
    wrong(
        "E0301",
        "fn f(x: [n]) -> [n]:\n    y = «y» |> map(v => v)\n    return y\n",
    );
}

#[test]
fn one_mistake_gives_one_error() {
    wrong(
        "E0301",
        "fn f(x: [n]) -> [n] = «q» |> map(v => v) |> filter(v => v > 0.0) |> sum",
    );
    wrong(
        "E0301",
        "fn f(x: [n]) -> [n] = n |> map(i => «q»[i]) |> map(v => v * 2.0)",
    );
    wrong(
        "E2401",
        "fn f(x: [], y: [n]) -> [n] = «x» |> zip(y) |> map((a, b) => a) |> sum(over=q)",
    );
}
