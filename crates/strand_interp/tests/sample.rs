//! Sample arguments, and functions called with them at sizes where both paths must agree.

mod common;

use strand_source::Map;

use common::{Kept, checked};
use strand_interp::{Fill, Options, Value, call, sample_arguments};
use strand_source::Code;

const LIMIT: usize = 1 << 26;

fn sizes(given: &[(&str, i64)]) -> Map<String, i64> {
    given
        .iter()
        .map(|(name, size)| ((*name).to_owned(), *size))
        .collect()
}

fn samples(text: &str, name: &str, given: &[(&str, i64)], fill: Fill) -> Vec<Value> {
    let checked = checked(text);
    let id = checked.program.find_function(name).unwrap();
    let found = sample_arguments(&checked.program, id, &sizes(given), fill, LIMIT);
    found.unwrap().0
}

fn data(value: &Value) -> (Vec<usize>, Vec<f64>) {
    match value {
        Value::Tensor(array) => (array.shape().to_vec(), array.to_vec_f64()),
        other => panic!("{other:?} isn't a tensor"),
    }
}

#[test]
fn values_are_their_own_index_and_sizes_differ() {
    let text = "dim D = 3\nfn f(x: [n D], w: [m], k: [m] i64, at: [m] i64 Index[n], b: [m] bool, \
                p: [n D] Prob, q: [n] Positive, c: int, t: [n m D], r: float = 0.25) -> [] = sum(x)\n";
    let checked = checked(text);
    let id = checked.program.find_function("f").unwrap();
    let (values, used) =
        sample_arguments(&checked.program, id, &Map::new(), Fill::Index, LIMIT).unwrap();
    assert_eq!(used, [("n".to_owned(), 5), ("m".to_owned(), 7)]);
    let (shape, x) = data(&values[0]);
    assert_eq!(shape, [5, 3]);
    assert_eq!(x[2 * 3 + 1] as f32, 2.1);
    assert_eq!(data(&values[1]).1, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(data(&values[2]).1, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(data(&values[3]).1, [0.0, 1.0, 2.0, 3.0, 4.0, 0.0, 1.0]);
    assert_eq!(data(&values[4]).1, [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    assert!(data(&values[5]).1.iter().all(|p| (0.0..=1.0).contains(p)));
    assert!(data(&values[6]).1.iter().all(|q| *q > 0.0));
    assert!(matches!(values[7], Value::Int(3)));
    assert!(matches!(values[9], Value::Float(v) if v == 0.25));
    let (shape, t) = data(&values[8]);
    assert_eq!(shape, [5, 7, 3]);
    assert_eq!(t[2 * 21 + 3 + 2] as f32, 2.12);
}

#[test]
fn given_sizes_hold_and_the_others_keep_their_primes() {
    let text = "fn f(x: [n m], y: [m (2 * n)]) -> [] = sum(x)\n";
    let values = samples(text, "f", &[("n", 3)], Fill::Index);
    assert_eq!(data(&values[0]).0, [3, 7]);
    assert_eq!(data(&values[1]).0, [7, 6]);
    let values = samples(text, "f", &[("n", 0)], Fill::Normal(1));
    assert_eq!(data(&values[0]).0, [0, 7]);
}

#[test]
fn a_size_that_can_t_be_is_named_with_its_reason() {
    let error = |text: &str, given: &[(&str, i64)]| {
        let checked = checked(text);
        let id = checked.program.find_function("f").unwrap();
        let found = sample_arguments(&checked.program, id, &sizes(given), Fill::Index, LIMIT);
        let error = found.unwrap_err();
        (error.code, error.message)
    };
    let text = "dim D = 4\nfn f(x: [n], y: [(n - 6)]) -> [] = sum(x)\n";
    assert_eq!(
        error(text, &[]),
        (Code::R01, "n - 6 would be -1: n is 5".to_owned())
    );
    let (_, message) = error(text, &[("n", -2)]);
    assert_eq!(message, "n can't be -2: a size isn't negative");
    let (_, message) = error(text, &[("n", 8), ("D", 5)]);
    assert_eq!(message, "D can't be 5: the program says dim D = 4");
    let (code, _) = error(
        "fn f(x: [n m]) -> [] = sum(x)\n",
        &[("n", 1 << 20), ("m", 1 << 20)],
    );
    assert_eq!(code, Code::R04);
}

#[test]
fn draws_are_those_of_the_seed() {
    let text = "fn f(x: [n], i: [n] i64 Index[n], p: [n] Prob) -> [] = sum(x)\n";
    let first = samples(text, "f", &[], Fill::Normal(1));
    let again = samples(text, "f", &[], Fill::Normal(1));
    let other = samples(text, "f", &[], Fill::Normal(2));
    assert_eq!(data(&first[0]), data(&again[0]));
    assert_ne!(data(&first[0]), data(&other[0]));
    assert!(data(&first[1]).1.iter().all(|i| (0.0..5.0).contains(i)));
    assert!(data(&first[2]).1.iter().all(|p| (0.0..1.0).contains(p)));
}

const FUNCTIONS: &str = "
dim D = 3
fn scale_rows(x: [n D], w: [n]) -> [n D] = n |> map(i => x[i] * w[i])
fn per_row(x: [n D], w: [D D]) -> [n D] = x |> map(row => softmax(row @ w, over=D), over=n)
fn gram(x: [n D]) -> [n n] = x |> map(a => x |> map(b => sum(a * b), over=n), over=n)
fn positive(x: [n D]) -> [] = x |> map(row => sum(row), over=n) |> filter(t => t > 2.0) |> sum
fn around(x: [n D]) -> [n D] = n |> map(i => x[i - 1] * 0.5 + x[i])
fn pick(x: [n D], at: [n] i64 Index[D]) -> [n] = n |> map(i => x[i, at[i]])
fn masked(x: [n D]) -> [n] = x |> map(r => r |> filter(v => v > 0.5) |> sum, over=n)
fn means(x: [n D]) -> [n] = x |> map(a => x |> filter(b => sum(a * b) > 2.0, over=n) |> mean, over=n)
fn products(a: [n D D], b: [n D D]) -> [n n D D] = a |> map(p => b |> map(q => p @ q, over=n), over=n)
fn numbered(x: [n D]) -> [n D] = x |> enumerate(over=n) |> map((i, r) => r * (i to f32))
fn paired(x: [n D], y: [n D]) -> [n] = x |> zip(y, over=n) |> map((a, b) => a @ b)
fn turned(x: [n D]) -> [D n] = x |> map(c => cumsum(c), over=D)
fn literals(x: [n]) -> [n 2] = x |> map(v => [v, 1.0])
fn changed(r: [D], k: [] i64 Index[D]) -> [D]:
    y = r
    y[k] = 9.0
    return y
fn written(x: [n D], at: [n] i64 Index[D]) -> [n D] = n |> map(i => changed(x[i], at[i]))
";

/// All functions at all sizes, with values of both kinds: the paths by view and by position, and
/// masked and filtered, agree to the bit where the operations are the same.
#[test]
fn both_ways_agree_at_every_size() {
    let checked = checked(FUNCTIONS);
    let program = &checked.program;
    for n in [0, 1, 2, 7] {
        for fill in [Fill::Index, Fill::Normal(3)] {
            for (at, function) in program.functions.iter().enumerate() {
                let id = strand_ir::FnId(at as u32);
                let given = sizes(&[("n", n)]);
                let sample = || {
                    sample_arguments(program, id, &given, fill, LIMIT)
                        .unwrap()
                        .0
                };
                let run = |options: &Options| {
                    let mut kept = Kept::default();
                    let found = call(program, FUNCTIONS, id, sample(), options, &mut kept);
                    let (value, _) =
                        found.unwrap_or_else(|e| panic!("{} at {n}: {e}", function.name));
                    data(&value)
                };
                let usual = run(&Options::default());
                let by_position = run(&Options {
                    always_gather: true,
                    ..Options::default()
                });
                let same = |a: &(Vec<usize>, Vec<f64>), b: &(Vec<usize>, Vec<f64>)| {
                    a.0 == b.0
                        && a.1
                            .iter()
                            .zip(&b.1)
                            .all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
                };
                assert!(same(&usual, &by_position), "{} at {n}", function.name);
                if function.name.as_ref() != "changed" {
                    let first = usual.0.first().copied();
                    assert!(matches!(first, None | Some(3)) || first == Some(n as usize));
                }
            }
        }
    }
}
