//! Any text has a program and findings: mutated programs neither panic nor pass with a typed
//! program that isn't well formed.

use strand_check::check;

const PROGRAMS: &[&str] = &[
    "dim D = 8\nfn f(x: [n D], w: [n]) -> [n D] = n |> map(i => x[i] * w[i])\n",
    "fn f(x: [n D]) -> [n n] = x |> map(a => x |> map(b => sum(a * b), over=n), over=n)\n",
    "fn f(x: [n D]) -> [] = x\n    |> map(row => sum(row), over=n)\n    |> filter(t => t > 0.0)\n    |> sum\n",
    "fn f(x: [n], w: [n]) -> [n] = x |> zip(w) |> filter((a, b) => a > b) |> map((a, b) => a * b) as [n]\n",
    "fn f(x: [n D]) -> [n] = x |> enumerate(over=n) |> map((i, r) => sum(r) * x[i - 1, 0])\n",
    "fn f(x: [n]) -> [(n - 1)] = 1..n |> map(i => x[i to Index[n]]) |> map(clamp(0.0, _, 1.0))\n",
    "fn g(v) = v * sigmoid(v)\nfn f(x: [n m k]) -> [n k m] = x |> map(to [k m], over=n) |> map(g)\n",
    "fn f(x: [n], c: bool) -> [n]:\n    y = x\n    for i in 0..n:\n        if c:\n            y[i] = x[-1]\n        y = y |> map(v => v + 1.0)\n    return y\n",
    "fn f(x: [n m]) -> [_]:\n    m = x > 0.0\n    k = x[1.., ..-1 by -1]\n    return x[m] + (x to [(m * n)])[..3 by 2]\n",
    "import python \"data\" as data\nx = data.load(3) as [k 4]\ny = k |> map(i => x[i, ..., newaxis])\ny |> sum\n",
];

const PIECES: &[&str] = &[
    "x",
    "n",
    "D",
    "(",
    ")",
    "[",
    "]",
    "|>",
    " map",
    " filter(",
    " zip(",
    " enumerate",
    "over=",
    "=>",
    "i",
    ",",
    "..",
    " to ",
    " as ",
    "f32",
    "Index[n]",
    "3",
    "0",
    "-",
    "+",
    "*",
    "_",
    "1.0",
    "9223372036854775807",
    "v => v",
    "(a, b) => a",
    "=",
    "\n",
    "    ",
    "...",
    "newaxis",
    " by ",
    "[0, 1]",
    "true",
    "@",
    "//",
    "[(n * D)]",
    "[n 1]",
    " if ",
    " else ",
    "mut ",
    ":",
    "é",
    "\"",
    "for i in 0..n:",
    "return ",
    "fn g(x: [n]) = ",
    "# ",
];

/// A small generator of numbers, so that a failure comes again.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

fn mutated(numbers: &mut Numbers) -> String {
    let text = PROGRAMS[numbers.below(PROGRAMS.len())].to_owned();
    mutation(numbers, text)
}

fn mutation(numbers: &mut Numbers, mut text: String) -> String {
    for _ in 0..=numbers.below(4) {
        let start = numbers.place(&text);
        let mut end = (start + numbers.below(9)).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        match numbers.below(3) {
            0 => text.replace_range(start..end, ""),
            1 => text.insert_str(start, PIECES[numbers.below(PIECES.len())]),
            _ => text.replace_range(start..end, PIECES[numbers.below(PIECES.len())]),
        }
    }
    text
}

#[test]
fn mutated_programs_are_checked() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for _ in 0..400 {
        let text = mutated(&mut numbers);
        assert_said(&text);
    }
}

/// A program without an error has nothing wrong in it.
fn assert_said(text: &str) {
    let checked = check(text);
    if !checked.has_errors() {
        let faults = strand_ir::verify(&checked.program);
        assert!(faults.is_empty(), "{text}\n{faults:#?}");
    }
}

/// The programs of the suites.
fn suite_programs() -> Vec<String> {
    let mut programs = Vec::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/suite");
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).expect("a folder");
        let mut paths: Vec<_> = entries
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let page = std::fs::read_to_string(&path).expect("a page");
            let fences = page.split("\n```strand").skip(1);
            programs.extend(fences.filter_map(|fence| {
                let (_, after) = fence.split_once('\n')?;
                Some(after.split_once("\n```")?.0.to_owned() + "\n")
            }));
        }
    }
    programs
}

/// The text with one of its whole numbers replaced by one at the bounds of sizes.
fn stretched(numbers: &mut Numbers, text: &str) -> String {
    const BOUNDS: [&str; 6] = [
        "9223372036854775807",
        "-9223372036854775807",
        "4611686018427387904",
        "-1",
        "0",
        "1",
    ];
    let is_digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let starts = (0..text.len()).filter(|at| is_digit(*at) && (*at == 0 || !is_digit(at - 1)));
    let starts: Vec<usize> = starts.collect();
    let Some(start) = starts.get(numbers.below(starts.len())) else {
        return text.to_owned();
    };
    let end = (*start..).find(|at| !is_digit(*at)).unwrap_or(*start);
    let mut text = text.to_owned();
    text.replace_range(*start..end, BOUNDS[numbers.below(BOUNDS.len())]);
    text
}

#[test]
fn what_is_wrong_in_a_suite_program_is_said() {
    let rounds = std::env::var("STRAND_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let programs = suite_programs();
    assert!(programs.len() > 500, "{} programs", programs.len());
    for program in programs {
        assert_said(&program);
        for _ in 0..rounds.unwrap_or(1) {
            let text = stretched(&mut numbers, &program);
            assert_said(&text);
            assert_said(&mutation(&mut numbers, text));
        }
    }
}

/// Checks a text on a stack as small as a browser's; builds without optimisation take twice as
/// much.
fn codes_on_small_stack(text: String) -> Vec<String> {
    let size = (1 << 20) * if cfg!(debug_assertions) { 2 } else { 1 };
    let thread = std::thread::Builder::new().stack_size(size).spawn(move || {
        let found = check(&text).diagnostics;
        found.iter().map(|found| found.code.to_string()).collect()
    });
    thread.expect("a thread").join().expect("no overflow")
}

/// Functions without types, each of which calls the one before inside nested blocks.
fn calls(count: usize, blocks: usize) -> String {
    let mut text = "fn f0(x):\n    return x + 1.0\n".to_owned();
    for k in 1..count {
        text.push_str(&format!("fn f{k}(x):\n    y = x\n"));
        for depth in 1..=blocks {
            text.push_str(&format!("{}if 1 < 2:\n", "    ".repeat(depth)));
        }
        let indent = "    ".repeat(blocks + 1);
        text.push_str(&format!("{indent}y = -f{}(x)\n    return y\n", k - 1));
    }
    text + &format!("fn g(x: [n]) = f{}(x)\n", count - 1)
}

#[test]
fn calls_of_untyped_functions_fit_a_small_stack() {
    let fits = if cfg!(debug_assertions) { 30 } else { 45 };
    let found = codes_on_small_stack(calls(fits, 0));
    assert!(found.is_empty(), "{fits} functions: {found:?}");
    for (count, blocks) in [(200, 0), (100, 3), (20, 60)] {
        let found = codes_on_small_stack(calls(count, blocks));
        assert_eq!(found, ["E0107"], "{count} functions, {blocks} blocks");
    }
    let nested = format!("{}x{}", "exp(".repeat(127), ")".repeat(127));
    let text = format!("fn f(x: [n]) = {nested}\n");
    assert!(codes_on_small_stack(text).is_empty());
}

/// What is typed for a fix alone isn't typed again for each call around it.
#[test]
fn nested_spellings_are_typed_once() {
    let nested = |open: &str, inside: &str, close: &str| {
        let (open, close) = (open.repeat(40), close.repeat(40));
        format!("fn f(x: [n n]) = {open}{inside}{close}\n")
    };
    for text in [
        nested("softmax(", "x", ", 1)"),
        nested("transpose(", "x", ", 0, 1)"),
        nested("torch.matmul(x, ", "x", ")"),
        nested("torch.exp(", "x", ")"),
        nested("x.reshape(", "n", ")"),
        nested("torch.zeros_like(", "x", ")"),
        nested("nn.ReLU()(", "x", ")"),
        nested("max(", "x", ", 1)[0]"),
        nested("concat([", "x", "])"),
        nested("mean(", "x", ", over=n, keepdim=true)"),
    ] {
        let found = check(&text);
        assert!(!found.diagnostics.is_empty(), "{text}");
    }
}
