//! Random bodies, once as a chain and once as a loop over the elements: batching changes nothing.

mod common;

use common::{Kept, checked};
use strand_interp::{Options, Shown, Value, run_script};

/// Marsaglia's xorshift: the same programs in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// Writes an expression; `k` is in scope as an index of D where `inner` is set.
fn scalar(random: &mut Random, depth: usize, inner: bool) -> String {
    let leaf = depth == 0;
    match random.below(if leaf { 4 } else { 17 }) {
        0 => "w[i]".to_owned(),
        1 if inner => "x[i, k]".to_owned(),
        1 => "x[i, at[i]]".to_owned(),
        2 if inner => "m[at[i], k]".to_owned(),
        2 => "x[i, 1]".to_owned(),
        3 if inner => "m[k, at[i]]".to_owned(),
        3 => "w[i] * 0.5".to_owned(),
        4 => format!("sum({})", row(random, depth - 1, inner)),
        5 => format!("max({})", row(random, depth - 1, inner)),
        6 => format!(
            "({} @ {})",
            row(random, depth - 1, inner),
            row(random, depth - 1, inner)
        ),
        7 => format!(
            "({} + {})",
            scalar(random, depth - 1, inner),
            scalar(random, depth - 1, inner)
        ),
        8 => format!("tanh({})", scalar(random, depth - 1, inner)),
        9 => format!(
            "where({} > {}, {}, 0.25)",
            scalar(random, depth - 1, inner),
            scalar(random, depth - 1, inner),
            scalar(random, depth - 1, inner)
        ),
        10 => format!(
            "sum({} |> filter(v => v > {}))",
            row(random, depth - 1, inner),
            scalar(random, depth - 1, inner)
        ),
        11 => format!("({})[at[i]]", row(random, depth - 1, inner)),
        12 => format!("({})[2]", row(random, depth - 1, inner)),
        13 => format!("looped({})", row(random, depth - 1, inner)),
        14 => format!("logsumexp({})", row(random, depth - 1, inner)),
        15 => format!("mean({} to f64) to f32", row(random, depth - 1, inner)),
        _ => format!("(sum({} > 0.0) to f32)", row(random, depth - 1, inner)),
    }
}

fn row(random: &mut Random, depth: usize, inner: bool) -> String {
    let leaf = depth == 0;
    match random.below(if leaf { 3 } else { 17 }) {
        0 => "x[i]".to_owned(),
        1 => "m[at[i]]".to_owned(),
        2 => "v".to_owned(),
        3 => format!(
            "({} + {})",
            row(random, depth - 1, inner),
            row(random, depth - 1, inner)
        ),
        4 => format!(
            "({} * {})",
            row(random, depth - 1, inner),
            scalar(random, depth - 1, inner)
        ),
        5 => format!("(m @ {})", row(random, depth - 1, inner)),
        6 => format!("({} @ m)", row(random, depth - 1, inner)),
        7 => format!("softmax({})", row(random, depth - 1, inner)),
        8 => format!("cumsum({})", row(random, depth - 1, inner)),
        9 => format!("flip({})", row(random, depth - 1, inner)),
        10 => format!("sort({})", row(random, depth - 1, inner)),
        11 => format!("({})[order]", row(random, depth - 1, inner)),
        12 if !inner => format!("(D |> map(k => {}))", scalar(random, depth - 1, true)),
        12 => "x[i] * v".to_owned(),
        13 => format!("changed({})", row(random, depth - 1, inner)),
        14 => format!("sum(m * {}, over=-1)", row(random, depth - 1, inner)),
        15 => format!(
            "(((({} as [4]) to [2 2]) @ [[1.0, 2.0], [3.0, 4.0]]) to [4] as [D])",
            row(random, depth - 1, inner)
        ),
        _ => format!("clamp({}, -1.0, 1.0)", row(random, depth - 1, inner)),
    }
}

const DECLARATIONS: &str = "
dim D = 4
fn looped(r: [D]) -> []:
    acc = 0.0
    for k in 0..D:
        acc = acc * 0.5 + r[k]
    return acc
fn changed(r: [D]) -> [D]:
    y = r
    y[1] = sum(r)
    y[2..4] = r[0..2]
    return y
";

fn arguments() -> &'static str {
    "(normal([5 D], seed=1), normal([5], seed=2), normal([D D], std=0.4, seed=3), normal([D], seed=4), \
     [3, 0, 2, 2, 1] to Index[D], [1, 3, 0, 2] to Index[D])"
}

fn program(body: &str, scalar: bool) -> String {
    let parameters =
        "(x: [n D], w: [n], m: [D D], v: [D], at: [n] i64 Index[D], order: [D] i64 Index[D])";
    let (ty, zero) = if scalar {
        ("[n]", "[n]")
    } else {
        ("[n D]", "[n D]")
    };
    format!(
        "{DECLARATIONS}fn chain{parameters} -> {ty} = n |> map(i => {body})\n\
         fn loops{parameters} -> {ty}:\n    y = zeros({zero})\n    for i in 0..n:\n        y[i] = {body}\n    \
         return y\nchain{args}\nloops{args}\n",
        args = arguments()
    )
}

fn numbers(shown: &Shown) -> Vec<f64> {
    match &shown.value {
        Value::Tensor(array) => array.to_vec_f64(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_chain_gives_what_a_loop_gives() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut ran = 0;
    for at in 0..80 {
        let is_scalar = at % 3 == 0;
        let body = if is_scalar {
            scalar(&mut random, 3, false)
        } else {
            row(&mut random, 3, false)
        };
        let text = program(&body, is_scalar);
        let checked = checked(&text);
        for always in [false, true] {
            let options = Options {
                always_gather: always,
                always_mask: always,
                ..Options::default()
            };
            let mut kept = Kept::default();
            let report = run_script(&checked.program, &text, &options, &mut kept);
            report.unwrap_or_else(|e| {
                panic!("{e} {:?} at {:?}\n{text}", e.notes, e.span.text(&text))
            });
            let [chain, loops] = &kept.shown[..] else {
                panic!("{text}")
            };
            for (a, b) in numbers(chain).iter().zip(numbers(loops)) {
                let same = a == &b
                    || (a - b).abs() <= 1e-5 * b.abs().max(1.0)
                    || (a.is_nan() && b.is_nan());
                assert!(same, "{a} and {b} from {body}");
            }
            assert_eq!(numbers(chain).len(), numbers(loops).len());
        }
        ran += 1;
    }
    assert_eq!(ran, 80);
}
