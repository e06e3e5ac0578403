//! What a run is said to cost against what it takes.

use std::path::{Path, PathBuf};

use strand_session::{Document, Map, RunOptions, Step, StepKind};

/// Sizes of axis names that are no multiples of each other.
const SIZES: [i64; 4] = [61, 83, 47, 29];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            files(&entry, found);
        } else {
            found.push(entry);
        }
    }
}

/// The programs of the suites and the gallery.
fn programs() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    files(&root.join("tests/suite"), &mut found);
    files(&root.join("www/gallery"), &mut found);
    found.retain(|file| file.extension().is_some_and(|kind| kind == "md"));
    let texts = found.iter().flat_map(|file| {
        let text = std::fs::read_to_string(file).unwrap();
        let fences = text.split("```strand").skip(1);
        let programs = fences.filter_map(|fence| {
            let (_, rest) = fence.split_once('\n')?;
            rest.split_once("```")
        });
        programs
            .map(|(program, _)| program.to_owned())
            .collect::<Vec<_>>()
    });
    texts.collect()
}

/// What a program is said to take and takes.
struct Taken {
    said: f64,
    taken: f64,
}

/// More than this takes a test too long.
const MOST_WORK: f64 = 5e6;

impl Taken {
    /// Where it runs to its end and has a bound.
    fn of(
        document: &Document,
        sizes: &dyn Fn(usize) -> Option<i64>,
        most_work: f64,
    ) -> Option<Self> {
        let axes = document.sizes().iter().filter(|size| !size.is_dim);
        let asked = axes.enumerate();
        let asked = asked.filter_map(|(at, size)| Some((size.name.clone(), sizes(at)?)));
        let options = RunOptions {
            sizes: asked.collect::<Map<_, _>>(),
            ..RunOptions::default()
        };
        let cost = document.cost(&options)?;
        if cost.multiply_adds > most_work {
            return None;
        }
        // A page keeps what is shown.
        let mut shown = Vec::new();
        let outcome = document.run(&options, &mut |event| shown.push(event));
        outcome.error.is_none().then_some(Self {
            said: cost.bytes,
            taken: outcome.peak_bytes as f64,
        })
    }

    fn is_near(&self) -> bool {
        self.said <= 2.0 * self.taken
    }
}

#[test]
fn a_run_never_takes_more_than_is_said_and_seldom_less_than_half() {
    let documents = programs().into_iter().map(|text| Document::new(&text));
    let sound: Vec<Document> = documents
        .filter(|document| !document.has_errors())
        .collect();
    let mut large = Vec::new();
    let mut count = 0;
    for (name, sizes) in [
        ("sample", &(|_| None) as &dyn Fn(usize) -> Option<i64>),
        ("larger", &|at| Some(SIZES[at % SIZES.len()])),
    ] {
        for document in &sound {
            let Some(run) = Taken::of(document, sizes, MOST_WORK) else {
                continue;
            };
            let Taken { said, taken } = run;
            let text = document.text();
            assert!(
                said >= taken,
                "{name} sizes: {said} said, {taken} taken\n{text}"
            );
            count += 1;
            // Single numbers, which count by a round sum, hide the rest in small runs.
            if taken >= 2048.0 {
                large.push((run, name, text));
            }
        }
    }
    assert!(count > 900, "{count}");
    large.sort_by(|(a, ..), (b, ..)| (b.said / b.taken).total_cmp(&(a.said / a.taken)));
    let near = large.iter().filter(|(run, ..)| run.is_near()).count();
    let far = large.iter().filter(|(run, ..)| !run.is_near());
    let far = far.map(|(Taken { said, taken }, name, text)| {
        format!("\n== {name} sizes: {said} said, {taken} taken\n{text}")
    });
    assert!(
        near * 10 >= large.len() * 9,
        "{near} of {} runs within twice{}",
        large.len(),
        far.collect::<String>()
    );
}

/// Programs of one operation each, and of each way in which one lays out what it works on.
#[test]
fn an_operation_takes_what_is_said() {
    let text = include_str!("cost/operations.txt");
    let prelude = "dim D = 4\ndim C = 6\ndim H = 2\ndim K = 2\n";
    for program in text.split("\n\n").filter(|text| !text.trim().is_empty()) {
        let document = Document::new(&format!("{prelude}{program}\n"));
        let found = document.diagnostics();
        assert!(!document.has_errors(), "{program}\n{found:?}");
        for size in [7, 40] {
            let sizes = |at: usize| Some(size + [0, 10, -3, 7][at % 4]);
            let run = Taken::of(&document, &sizes, f64::MAX).expect(program);
            let Taken { said, taken } = run;
            assert!(said >= taken, "{said} said, {taken} taken\n{program}");
            let is_far = program.contains("# far");
            assert!(
                is_far || said <= 2.0 * taken + 512.0,
                "{said} said, {taken} taken\n{program}"
            );
        }
    }
}

/// A limit of what is said to be needed is enough.
#[test]
fn what_is_said_is_limit_enough() {
    for text in [
        "fn f(x: [n]) -> [n] = x * 2.0\n",
        "fn f(x: [n]) -> [n] f64 = x to f64\n",
        "fn f(x: [n], y: [n]) -> [] = sum(x * y)\n",
        "x = ones([1000000])\ny = x * 2.0\nsum(y)\n",
        "x = arange(1000000) to f32\nx * 2.0\n",
    ] {
        let document = Document::new(text);
        for size in [1000, 65_537, 1_000_000] {
            let mut options = RunOptions {
                sizes: Map::from([("n".to_owned(), size)]),
                ..RunOptions::default()
            };
            options.memory_limit = document.cost(&options).expect(text).bytes as usize;
            let outcome = document.run(&options, &mut |_| {});
            assert!(
                outcome.error.is_none(),
                "{size}: {:?}\n{text}",
                outcome.error
            );
        }
    }
}

/// The products of the matrix products that ran.
fn counted(steps: &[Step]) -> f64 {
    let is_product = |step: &&Step| step.kind == StepKind::Matmul || step.ops == ["mul", "sum"];
    let products = steps.iter().filter(is_product);
    let size = |step: &Step| step.shape.iter().map(|size| *size as f64).product::<f64>();
    products.map(size).sum()
}

#[test]
fn products_are_counted_as_they_run() {
    let text = "dim D = 5\ndim C = 7\n\
        fn one(x: [n D], w: [D C]) -> [n C] = x @ w\n\
        fn two(x: [n D], w: [D C], v: [C D]) -> [n D] = x @ w @ v\n\
        fn each(x: [b n D], w: [D]) -> [b n] = x |> map(a => a @ w, over=b)\n";
    let document = Document::new(text);
    assert!(!document.has_errors());
    let formulas: Vec<String> = document
        .functions()
        .into_iter()
        .map(|function| function.cost.unwrap().multiply_adds)
        .collect();
    assert_eq!(formulas, ["n * D * C", "2 * n * D * C", "b * n * D"]);
    let outcome = document.run(&RunOptions::default(), &mut |_| {});
    let axes = document.axis_sizes(&Map::new());
    let size = |name: &str| axes[name] as f64;
    let said = 3.0 * size("n") * 35.0 + size("b") * size("n") * 5.0;
    assert_eq!(counted(&outcome.steps), said, "{:?}", outcome.steps);
}

#[test]
fn calls_loops_and_filters_are_in_the_terms_of_the_caller() {
    let text = "dim D = 4\n\
        fn scores(x: [n D], w: [D]) -> [n] = x @ w\n\
        fn twice(x: [m D], w: [D]) -> [m] = scores(x, w) + scores(x, w)\n\
        fn sums(x: [n D]) -> [D]:\n    acc = zeros([D])\n    for i in 0..n:\n        acc = acc + x[i]\n    return acc\n\
        fn above(x: [n]) -> [] = x |> filter(v => v > 0.0) |> sum\n\
        fn endless(x: [n]) -> []:\n    y = sum(x)\n    while y < 1.0:\n        y = y * 2.0\n    return y\n";
    let document = Document::new(text);
    assert!(!document.has_errors(), "{:?}", document.diagnostics());
    let functions = document.functions().into_iter();
    let costs: Vec<Option<String>> = functions
        .map(|function| function.cost.map(|cost| cost.multiply_adds))
        .collect();
    let said: Vec<Option<&str>> = costs.iter().map(Option::as_deref).collect();
    let expected = [
        Some("n * D"),
        Some("2 * m * D + m"),
        Some("n * D"),
        Some("2 * n"),
        None,
    ];
    assert_eq!(said, expected);
}

#[test]
fn costs_are_told_in_time_of_the_text() {
    let doubled = format!(
        "fn f(x: [n]) -> [n]:\n    y = x\n{}    return y\n",
        "    y = y + y\n".repeat(300)
    );
    let mut nested = String::from("fn f(x: [n]) -> [n]:\n    y = x\n");
    for depth in 1..=40 {
        nested += &format!("{}for i{depth} in 0..n:\n", "    ".repeat(depth));
    }
    nested += &format!("{}y = y * 2.0\n    return y\n", "    ".repeat(41));
    let long: String = (0..3000)
        .map(|at| format!("x{at} = [1.0] * {at}.0\n"))
        .collect();
    let mut calls = String::from("fn f0(x) = x\n");
    for at in 1..=25 {
        let last = at - 1;
        calls += &format!("fn f{at}(x) = f{last}(f{last}(x))\n");
    }
    calls += "fn g(x: [n]) = f25(x)\n";
    for text in [&doubled, &nested, &long, &calls] {
        let document = Document::new(text);
        assert!(!document.has_errors(), "{:?}", document.diagnostics());
        document.functions();
        document.cost(&RunOptions::default());
    }
}

#[test]
fn passes_before_the_last_are_in_the_bytes() {
    let text = "dim D = 4\n\
        fn a(x: [n D]) -> [D] = std(x, over=n)\n\
        fn b(x: [n D]) -> [D] = logsumexp(x, over=n)\n\
        fn c(x: [n D]) -> [_] = x[x > 1.0]\n\
        fn d(x: [n D], y: [D m]) -> [(n + m) D] = concat(x, y to [m D], over=n)\n\
        fn e(x: [n D], c: [n] i64 Index[D]) -> [n] = n |> map(i => x[i, c[i]])\n\
        fn f(w: [t s], v: [t D]) -> [s D] = (w to [s t]) @ v\n";
    for one in text.lines().filter(|line| line.starts_with("fn")) {
        let document = Document::new(&format!("dim D = 4\n{one}\n"));
        assert!(!document.has_errors(), "{:?}", document.diagnostics());
        let Taken { said, taken } = Taken::of(&document, &|_| Some(300), f64::MAX).unwrap();
        assert!(said >= taken, "{said} said, {taken} taken\n{one}");
    }
}

#[test]
fn a_loop_that_may_have_no_turns_takes_nothing_off() {
    let text = "fn f(x: [n n]) -> [n n]:\n    y = x @ x\n    for i in 0..n - 100:\n        y = x @ x\n    return y\n";
    let document = Document::new(text);
    let cost = document.functions().remove(0).cost.unwrap();
    assert_eq!(cost.multiply_adds, "n * n * n * n + n * n * n");
}

/// Bounds follow calls into bodies that come later, but only so deep.
#[test]
fn a_thousand_functions_that_call_each_other_are_no_deep_stack() {
    let calling = |at: usize| format!("fn f{at}(x: [n]) -> [n] = f{}(x) + 1.0\n", at - 1);
    let callers_first: String = (1..1000).rev().map(calling).collect();
    let document = Document::new(&format!("{callers_first}fn f0(x: [n]) -> [n] = x\n"));
    assert!(!document.has_errors());
    let functions = document.functions();
    assert_eq!(functions.len(), 1000);
    assert!(functions.iter().all(|function| function.cost.is_some()));
}
