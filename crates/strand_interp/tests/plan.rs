//! What runs: groups, views, nothing twice, nothing element by element.

mod common;

use common::{Kept, run_with};
use strand_interp::{Options, Step, StepKind};

fn steps(text: &str) -> Vec<Step> {
    let options = Options {
        trace: true,
        ..Options::default()
    };
    let mut kept = Kept::default();
    run_with(text, &options, &mut kept).unwrap();
    kept.steps
}

/// The steps that move elements, by line: their operations.
fn work(text: &str) -> Vec<(u32, Vec<&'static str>)> {
    let moving = steps(text)
        .into_iter()
        .filter(|step| step.kind != StepKind::View);
    moving.map(|step| (step.line, step.ops)).collect()
}

#[test]
fn a_plain_chain_is_one_pass_over_views() {
    let text = "fn f(x: [n D], w: [n]) -> [n D] = n |> map(i => exp(x[i] * w[i]) + 1.0)\ndim D = 8\n\
                x = normal([5 D], seed=1)\nw = normal([5], seed=2)\nf(x, w)\n";
    let steps = steps(text);
    let chain: Vec<_> = steps.iter().filter(|s| s.line == 1).collect();
    let (views, work): (Vec<&Step>, Vec<&Step>) =
        chain.into_iter().partition(|s| s.kind == StepKind::View);
    assert_eq!(views.len(), 2, "x[i] and w[i] share the memory of x and w");
    assert_eq!(work.len(), 1);
    assert_eq!(work[0].ops, ["mul", "exp", "add"]);
    assert_eq!(work[0].kind, StepKind::Fused);
    // w runs along n alone: stride 0 along D.
    assert_eq!(work[0].strides, [[32, 4], [4, 0]]);
    assert_eq!(work[0].bytes, 5 * 8 * 4);
}

#[test]
fn a_reduction_joins_the_group_that_it_ends() {
    let text = "x = normal([40 30], seed=1)\nsum(exp(x) * 2.0)\n";
    assert_eq!(work(text)[1..], [(2, vec!["exp", "mul", "sum"])]);
    // A variable that nothing reads later isn't stored.
    let text = "x = normal([40 30], seed=1)\ny = exp(x)\nz = y * 2.0\nsum(z)\n";
    let found = work(text);
    assert_eq!(found[1..], [(4, vec!["exp", "mul", "sum"])]);
}

#[test]
fn nothing_is_computed_twice() {
    let count = |text: &str, op: &str| {
        let steps = work(text);
        steps
            .iter()
            .flat_map(|(_, ops)| ops)
            .filter(|found| **found == op)
            .count()
    };
    let text = "x = normal([40 30], seed=1)\nsum(exp(x)) + mean(exp(x))\n";
    assert_eq!(count(text, "exp"), 1);
    let text = "x = normal([40 30], seed=1)\ne = exp(x)\ne / sum(e)\ne[0]\n";
    assert_eq!(count(text, "exp"), 1);
    let text = "x = normal([4 4], seed=1)\n(x @ x) + (x @ x)\n";
    assert_eq!(count(text, "matmul"), 1);
    // What broadcasts is computed at its own size.
    let text = "dim D = 30\nfn f(x: [n D], w: [n]) -> [n D] = n |> map(i => x[i] * exp(w[i]))\n\
                f(normal([40 D], seed=1), normal([40], seed=2))\n";
    let steps = steps(text);
    let exp = steps.iter().find(|s| s.ops.contains(&"exp")).unwrap();
    assert_eq!(exp.shape, [40]);
}

#[test]
fn a_result_takes_the_memory_of_what_is_read_for_the_last_time() {
    // Bytes of the products and of what is made of them, of squares of f32.
    let made_of = |side: usize, text: &str| -> Vec<usize> {
        let text = format!("x = normal([{side} {side}], seed=1)\n{text}");
        let steps = steps(&text).into_iter().filter(|step| step.line > 1);
        steps.map(|step| step.bytes).collect()
    };
    let made = |text: &str| made_of(100, text);
    let product = "y = x @ x\n";
    assert_eq!(made(&format!("{product}relu(y + 1.0)\n")), [40_000, 0]);
    // Its elements are wanted later, as they are or by a view.
    let later = format!("{product}relu(y + 1.0)\ny\n");
    assert_eq!(made(&later), [40_000, 40_000]);
    let view = format!("{product}z = y[0]\nrelu(y + 1.0)\nz\n");
    let made_of_view = made(&view);
    assert_eq!(
        made_of_view
            .iter()
            .filter(|bytes| **bytes == 40_000)
            .count(),
        2
    );
    // Other dtypes and small arrays have memory of their own.
    assert_eq!(
        made(&format!("{product}relu(y + 1.0) > 0.5\n")),
        [40_000, 10_000]
    );
    let text = format!("{product}relu(y + 1.0)\n");
    assert_eq!(made_of(90, &text), [32_400, 32_400]);
    assert_eq!(made_of(91, &text), [33_124, 0]);
}

#[test]
fn memory_that_passes_on_is_taken_once() {
    let peak = |text: &str| {
        let mut kept = Kept::default();
        let report = run_with(text, &Options::default(), &mut kept).unwrap();
        report.peak_bytes
    };
    let block = peak("zeros([200 200])\n");
    let product = "x = zeros([200 200])\ny = x @ x\nz = sigmoid(y + 1.0)\nz\n";
    let passed = peak(&format!("{product}x\n"));
    let kept = peak(&format!("{product}x\ny\n"));
    assert_eq!(kept - passed, block);
}

#[test]
fn vectors_of_a_chain_times_one_matrix_are_one_product() {
    let text = "dim D = 8\nfn f(x: [n D], w: [D D]) -> [n D] = x |> map(r => r @ w, over=n)\n\
                f(normal([5 D], seed=1), normal([D D], seed=2))\n";
    let products: Vec<_> = steps(text)
        .into_iter()
        .filter(|s| s.kind == StepKind::Matmul)
        .collect();
    assert_eq!(products.len(), 1);
    assert_eq!(products[0].bytes, 5 * 8 * 4);
}

#[test]
fn a_chain_has_as_many_steps_for_any_number_of_elements() {
    let text = |n: usize| {
        format!(
            "dim D = 4\nfn f(x: [n D]) -> [n n] = x |> map(a => x |> map(b => sum(abs(a - b)), over=n), over=n)\n\
             fn g(x: [n D]) -> [n] = x |> map(r => r |> filter(v => v > 0.0) |> sum, over=n)\n\
             x = normal([{n} D], seed=1)\nf(x)\ng(x)\n"
        )
    };
    assert_eq!(work(&text(2)).len(), work(&text(60)).len());
}

#[test]
fn a_long_loop_builds_no_endless_graph() {
    // 3,000 additions to a vector, forced in groups; the depth of a group is bounded, so this runs
    // on a small stack.
    let text = "x = normal([7], seed=1)\nacc = zeros([7])\nfor i in 0..3000:\n    acc = acc + x * 0.5\nacc\n";
    let run = move || {
        let mut kept = Kept::default();
        run_with(text, &Options::default(), &mut kept).unwrap();
        kept.shown.len()
    };
    let small = std::thread::Builder::new().stack_size(1 << 20);
    assert_eq!(small.spawn(run).unwrap().join().unwrap(), 1);
    let groups = work(text);
    assert!(groups.len() < 300, "{} groups", groups.len());
}

#[test]
fn records_end_where_they_would_fill_the_memory() {
    let text = "x = [1.0, 2.0]\ns = 0.0\nfor i in 0..8000:\n    s = s + x[0] * 2.0\ns\n";
    let options = Options {
        trace: true,
        ..Options::default()
    };
    let mut kept = Kept::default();
    let report = run_with(text, &options, &mut kept).unwrap();
    assert_eq!(kept.steps.len(), 10_000);
    assert!(report.steps >= kept.steps.len());
    assert_eq!(kept.shown.len(), 1);
}

/// Conversions that the engine makes by itself are steps too: halves are computed in f32, sums in i64.
#[test]
fn steps_name_what_is_converted() {
    let text =
        "x = [[1.0, 2.0], [3.0, 4.0]] to f16\nx @ x\nsum([1, 2] to u8)\n([1, 2] to f32) + 1.0\n";
    let steps = steps(text);
    let of = |line: u32| {
        let steps = steps.iter().filter(move |step| step.line == line);
        steps
            .map(|step| (step.ops.join(" "), step.bytes))
            .collect::<Vec<_>>()
    };
    let product = [
        ("to f32", 16),
        ("to f32", 16),
        ("matmul", 16),
        ("to f16", 8),
    ];
    assert_eq!(of(2), product.map(|(ops, bytes)| (ops.to_owned(), bytes)));
    assert_eq!(of(3).last(), Some(&("to u8 to i64 sum".to_owned(), 8)));
    assert_eq!(of(4).last(), Some(&("to f32 add".to_owned(), 8)));
}
