//! Indexing, slices, masks and conversions.

mod common;

use common::{gives, mended, right, wrong};

/// Index tensors of each axis of x, for `oracle/index_shapes.txt`.
fn indices() -> String {
    let sizes = [5, 7, 11, 13];
    let shapes = [("a", ""), ("i", "3"), ("j", "2 1"), ("k", "2 3")];
    let of = |size: &i32| {
        let param =
            |(name, shape): &(&str, &str)| format!("{name}{size}: [{shape}] i64 Index[{size}]");
        shapes.iter().map(param).collect::<Vec<_>>().join(", ")
    };
    sizes.iter().map(of).collect::<Vec<_>>().join(", ")
}

#[test]
fn shapes_are_numpys() {
    for line in include_str!("oracle/index_shapes.txt").lines() {
        let (items, shape) = line.split_once(" => ").expect("items and a shape");
        let text = format!("fn f(x: [5 7 11 13], {}) = x[{items}]", indices());
        gives(&text, shape);
    }
}

#[test]
fn there_are_at_most_as_many_indices_as_axes() {
    wrong("E0505", "fn f(x: [n]) -> [] = x[0, «1»]");
    wrong("E0505", "fn f(x: [n m]) -> [] = x[0, 1, «..», 0]");
    wrong("E0505", "fn f(x: []) -> [] = x[«0»]");
    wrong("E0505", "fn f(x: [n m]) -> [] = x[..., «...», 0]");
    right("fn f(x: [n m]) -> [] = x[0, ..., 0]");
    right("fn f(x: [n m]) -> [1 n m] = x[newaxis, .., ..]");
}

#[test]
fn host_ints_are_checked_where_the_size_is_known() {
    wrong("E0508", "dim D = 8\nfn f(x: [D]) -> [] = x[«8»]");
    wrong("E0508", "dim D = 8\nfn f(x: [D]) -> [] = x[«-9»]");
    right("dim D = 8\nfn f(x: [D]) -> [] = x[-8] + x[7]");
    wrong("E0508", "fn f(x: [n]) -> [] = x[«n»]");
    right("fn f(x: [n]) -> [] = x[n - 1]");
    right("fn f(x: [n], k: int) -> [] = x[k]");
    right("fn f(x: [n]) -> [] = x[1000]");
    right("fn f(x: [n]) -> [n]:\n    for j in 0..n:\n        y = x[j]\n    return x\n");
}

#[test]
fn literals_index_any_axis() {
    gives("dim D = 8\nfn f(x: [D]) = x[[0, 7, -1]]", "[3]");
    wrong("E0508", "dim D = 8\nfn f(x: [D]) -> [2] = x[[0, «8»]]");
    gives("fn f(x: [n]) = x[[0, 100]]", "[2]");
    gives("fn f(x: [n], k: int) = x[[0, k]]", "[2]");
    gives("fn f(x: [3 D]) = x[[true, false, true]]", "[k1 D]");
}

#[test]
fn an_index_tensor_is_an_index_of_its_axis() {
    gives("fn f(x: [n D], i: [k] i64 Index[n]) = x[i]", "[k D]");
    gives("fn f(x: [n D], i: [k] i64 Index[D]) = x[.., i]", "[n k]");
    mended(
        "E0507",
        "fn f(x: [n D], i: [] i64 Index[D]) -> [n] = x[«i»]",
        "fn f(x: [n D], i: [] i64 Index[D]) -> [n] = x[.., i]",
    );
    mended(
        "E0506",
        "fn f(x: [n D], i: [k] i64) -> [k D] = x[«i»]",
        "fn f(x: [n D], i: [k] i64) -> [k D] = x[i to Index[n]]",
    );
    mended(
        "E0506",
        "fn f(x: [n], i: [k] i64) -> [k] = x[«i + i»]",
        "fn f(x: [n], i: [k] i64) -> [k] = x[(i + i) to Index[n]]",
    );
    wrong("E0506", "fn f(x: [n], i: [k]) -> [k] = x[«i»]");
    wrong("E0506", "fn f(x: [n]) -> [] = x[«0.5»]");
    wrong("E0704", "fn f(x: [n]) -> [] = x[«\"a\"»]");
    gives("fn f(x: [n] i64 Index[m], y: [m]) = y[x]", "[n]");
    gives(
        "fn f(x: [n] i64 Index[m], y: [m]) = n |> map(i => y[x[i]])",
        "[n]",
    );
}

#[test]
fn an_index_parameter_moved_by_a_number_is_an_index() {
    right("fn f(x: [n], i: [] i64 Index[n]) -> [] = x[i + 1] - x[i - 1]");
    wrong(
        "E0506",
        "fn f(x: [n], i: [] i64 Index[n]) -> []:\n    j = i + 1\n    return x[«j»]\n",
    );
    wrong(
        "E0506",
        "fn f(x: [n], i: [] i64 Index[n]) -> [] = x[«1 + i»]",
    );
}

#[test]
fn index_tensors_line_up() {
    gives(
        "fn f(x: [n m], i: [k] i64 Index[n], j: [k] i64 Index[m]) = x[i, j]",
        "[k]",
    );
    gives(
        "fn f(x: [n m], i: [k 1] i64 Index[n], j: [l] i64 Index[m]) = x[i, j]",
        "[k l]",
    );
    wrong(
        "E0503",
        "fn f(x: [n m], i: [k] i64 Index[n], j: [l] i64 Index[m]) -> [k] = x[i, «j»]",
    );
}

#[test]
fn a_mask_has_the_axes_it_stands_at() {
    gives("fn f(x: [n D]) = x[sum(x, over=D) > 0.0]", "[k1 D]");
    gives("fn f(x: [n D]) = x[x > 0.0]", "[k1]");
    gives("fn f(x: [n D], m: [D] bool) = x[.., m]", "[n k1]");
    wrong("E0510", "fn f(x: [n D], m: [D] bool) -> [_] = x[«m»]");
    wrong("E0510", "fn f(x: [n], m: [n D] bool) -> [_] = x[«m»]");
    wrong("E0510", "fn f(x: [n], m: [] bool) -> [_] = x[«m»]");
    wrong("E0510", "fn f(x: [n]) -> [_] = x[«true»]");
}

#[test]
fn a_mask_picks_as_many_wherever_the_same_value_stands() {
    right("fn f(x: [n], y: [n], m: [n] bool) -> [_] = x[m] + y[m]");
    let twice = "fn f(x: [n], y: [n]) -> [_]:\n    m = x > 0.0\n    return x[m] * y[m]\n";
    right(twice);
    wrong(
        "E0503",
        "fn f(x: [n], y: [n]) -> [_] = x[x > 0.0] + «y[y > 0.0]»",
    );
    wrong(
        "E0503",
        "fn f(x: [n], y: [n]) -> [_]:\n    m = x > 0.0\n    a = x[m]\n    m = y > 0.0\n    return a + «y[m]»\n",
    );
}

#[test]
fn a_mask_that_changes_picks_another_number() {
    let changed = |stmts: &str| {
        format!(
            "fn f(x: [n], y: [n]) -> [n]:\n    m = x > 0.0\n    a = x[m]\n{stmts}    return y\n"
        )
    };
    wrong("E0503", &changed("    m[0] = true\n    b = a + «x[m]»\n"));
    wrong(
        "E0503",
        &changed("    for i in 0..3:\n        b = a + «x[m]»\n        m = x > 1.0\n"),
    );
    right(&changed("    for i in 0..3:\n        b = a + x[m]\n"));
    right(&changed(
        "    for i in 0..3:\n        m = y > 1.0\n        b = x[m] + y[m]\n",
    ));
}

#[test]
fn slices_have_the_size_between_their_ends() {
    gives("fn f(x: [n]) = x[1..n]", "[(n - 1)]");
    gives("fn f(x: [n]) = x[1..]", "[(n - 1)]");
    gives("fn f(x: [n]) = x[..-1]", "[(n - 1)]");
    gives("fn f(x: [n]) = x[2..n - 2]", "[(n - 4)]");
    gives("fn f(x: [(2 * n)], y: [n]) = x[n..]", "[n]");
    gives("fn f(x: [n]) = x[.. by -1]", "[n]");
    gives("fn f(x: [n]) = x[.. by 2]", "[k1]");
    gives("dim D = 8\nfn f(x: [D]) = x[.. by 3]", "[3]");
    gives("fn f(x: [n], a: int) = x[a..]", "[k1]");
    right("fn f(x: [n]) -> [(n - 1)] = x[1..] - x[..-1]");
}

#[test]
fn only_a_whole_slice_keeps_the_axis() {
    right("fn f(x: [n D]) -> [n] = x[.., 0]");
    wrong("E0405", "fn f(x: [n D]) -> [D] = sum(x[0..n], over=«n»)");
    right("fn f(x: [n D]) -> [n D] = x[0..n]");
}

#[test]
fn slices_that_are_certainly_outside_are_refused() {
    wrong("E0509", "dim D = 8\nfn f(x: [D]) -> [_] = x[0..«9»]");
    wrong("E0509", "fn f(x: [n]) -> [_] = x[0..«n + 1»]");
    wrong("E0509", "dim D = 8\nfn f(x: [D]) -> [_] = x[«-9»..]");
    wrong("E0509", "dim D = 8\nfn f(x: [D]) -> [_] = x[«5..2»]");
    wrong("E0509", "fn f(x: [n]) -> [_] = x[0..2 by «0»]");
    wrong(
        "E0509",
        "dim D = 8\nfn f(x: [D]) -> [_] = x[2..5 by -1]"
            .replace("2..5 by -1", "«2..5 by -1»")
            .as_str(),
    );
    right("fn f(x: [n]) -> [5] = x[..5]");
    right("dim D = 8\nfn f(x: [D]) -> [D] = x[0..8]");
}

#[test]
fn the_ends_of_slices_are_ints() {
    mended(
        "E0704",
        "fn f(x: [n], i: [] i64) -> [_] = x[0..«i»]",
        "fn f(x: [n], i: [] i64) -> [_] = x[0..item(i)]",
    );
    wrong("E0704", "fn f(x: [n]) -> [_] = x[0..«0.5»]");
}

#[test]
fn only_tensors_are_indexed() {
    wrong("E0704", "fn f(k: int) -> [] = «k»[0]");
    wrong("E0301", "fn f(x: [n]) -> [] = «q»[0.5]");
}

#[test]
fn assigning_by_an_index_checks_its_items() {
    right("fn f(x: [n D], w: [D]) -> [n D]:\n    y = x\n    y[0] = w\n    return y\n");
    wrong(
        "E0507",
        "fn f(x: [n D], i: [] i64 Index[D]) -> [n D]:\n    y = x\n    y[«i»] = 0.0\n    return y\n",
    );
    right("fn f(x: [n]) -> [n]:\n    y = x\n    y[y > 1.0] = 1.0\n    return y\n");
}

// Conversions.

#[test]
fn dtypes_and_domains_convert() {
    gives("fn f(x: [n]) = x to i64", "[n] i64");
    gives("fn f(x: [n] i64) = x to Index[n]", "[n] i64 Index[n]");
    gives("fn f(x: [n] i32) = x to i64 Index[n]", "[n] i64 Index[n]");
    gives("fn f(x: [n]) = x to Prob", "[n] Prob");
    gives("fn f(x: [n] i64 Index[m]) = x to i64", "[n] i64");
    gives("fn f(x: [n] Prob) = x to f64", "[n] f64");
    gives("fn f(x: [n] i64) = x to bool", "[n] bool");
    gives("fn f() = 3 to f32", "[]");
    gives("fn f() = 0.5 to i64", "[] i64");
    mended(
        "E0605",
        "fn f(x: [n]) -> [n] i64 Index[n] = x to «Index[n]»",
        "fn f(x: [n]) -> [n] i64 Index[n] = x to i64 to Index[n]",
    );
    wrong("E0605", "fn f(x: [n] i64) -> [n] = x to «Prob»");
    wrong("E0605", "fn f(x: [n]) -> [n] = x to «int»");
    wrong(
        "E3101",
        "import python \"m\" as m\nfn f() -> [] = «m.load()» to f32",
    );
}

#[test]
fn literals_outside_a_domain_are_refused() {
    wrong("E0604", "fn f() -> [] Prob = «1.5» to Prob");
    right("fn f() -> [] Prob = 0.5 to Prob");
    wrong(
        "E0604",
        "dim D = 8\nfn f() -> [] i64 Index[D] = «8» to Index[D]",
    );
    right("dim D = 8\nfn f() -> [] i64 Index[D] = 7 to Index[D]");
    right("fn f(x: [n]) -> [] i64 Index[n] = 7 to Index[n]");
}

#[test]
fn axes_are_rearranged() {
    gives("fn f(x: [n D]) = x to [D n]", "[D n]");
    gives("fn f(x: [n D]) = x to [(n * D)]", "[(n * D)]");
    gives("fn f(x: [(n * D)], y: [n D]) = x to [n D]", "[n D]");
    gives("fn f(x: [n D]) = x to [(n * D)] to [n D]", "[n D]");
    gives("fn f(x: [n D]) = x to [n 1 D]", "[n 1 D]");
    gives("fn f(x: [n 1]) = x to [n]", "[n]");
    gives("fn f(x: [12]) = x to [3 4]", "[3 4]");
    gives("fn f(x: [n 3 4]) = x to [n 12]", "[n 12]");
    gives("fn f(x: [n n]) = x to [n n]", "[n n]");
    gives(
        "dim H = 2\ndim K = 4\ndim D = H * K\nfn f(x: [n D]) = x to [n K H]",
        "[n K H]",
    );
    gives(
        "dim H = 2\ndim K = 4\ndim D = H * K\nfn f(x: [H K]) = x to [D]",
        "[D]",
    );
    gives("fn f(x: [n D]) = x to [D n] i64", "[D n] i64");
    gives(
        "dim D = 8\nfn f(x: [n m] i64 Index[D]) = x to [m n]",
        "[m n] i64 Index[D]",
    );
    wrong("E0511", "fn f(x: [n D], y: [m]) -> [n m] = x to «[n m]»");
    wrong("E0511", "dim D = 8\nfn f(x: [D]) -> [2 4] = x to «[2 4]»");
    wrong("E0511", "fn f(x: [12]) -> [5 2] = x to «[5 2]»");
}

#[test]
fn as_states_shapes() {
    gives("fn f(x: [n D], y: [m]) = x as [n m]", "[n m]");
    gives("dim D = 8\ndim E = 8\nfn f(x: [D]) = x as [E]", "[E]");
    wrong(
        "E0502",
        "dim D = 8\ndim E = 4\nfn f(x: [D]) -> [E] = x as [«E»]",
    );
    wrong("E0502", "fn f(x: [n D]) -> [n] = x as «[n]»");
    wrong("E0605", "fn f(x: [n]) -> [n] = x as [n] «i64»");
    let bound = "fn f(x: [n]) -> []:\n    kept = x |> filter(v => v > 0.0)\n    y = kept as [k]\n    return k |> map(i => y[i]) |> sum(over=k)\n";
    right(bound);
    gives(
        "fn f(x: [n] i64) = x as [n] i64 Index[n]",
        "[n] i64 Index[n]",
    );
}
