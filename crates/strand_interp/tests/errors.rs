//! What stops a run: the code, the place, the sentence, and what was shown before.

mod common;

use common::{Kept, call_named, checked, run_error, run_with};
use strand_array::{Array, Context};
use strand_interp::{Options, RunError, Value};
use strand_source::Code;

/// The error of a script: its code, the text at its place, its sentence.
fn stopped(text: &str) -> (Code, String, String) {
    let (error, _) = run_error(text);
    let place = error.span.text(text).to_owned();
    (error.code, place, error.message)
}

fn is(text: &str, code: Code, place: &str, message: &str) {
    let found = stopped(text);
    assert_eq!(
        found,
        (code, place.to_owned(), message.to_owned()),
        "{text}"
    );
}

#[test]
fn what_came_before_stays_shown() {
    let text = "print(\"one\")\n1 + 1\ny = [1, 2] // [1, 0]\nprint(\"two\")\ny\n";
    let (error, kept) = run_error(text);
    assert_eq!(error.code, Code::R02);
    assert_eq!(error.span.text(text), "[1, 2] // [1, 0]");
    assert_eq!(kept.printed, ["one"]);
    assert_eq!(kept.shown.len(), 1);
    assert_eq!((kept.shown[0].line, &*kept.shown[0].name), (2, "1 + 1"));
}

#[test]
fn host_numbers_don_t_leave_their_range() {
    let overflow = |text: &str, place: &str, message: &str| is(text, Code::R02, place, message);
    overflow(
        "k = 9223372036854775807\nk + 1\n",
        "k + 1",
        "9223372036854775807 + 1 is past the 64 bits of an int",
    );
    overflow(
        "k = 3037000500\nk * k\n",
        "k * k",
        "3037000500 * 3037000500 is past the 64 bits of an int",
    );
    overflow(
        "k = 10\nk ** 30\n",
        "k ** 30",
        "10 ** 30 is past the 64 bits of an int",
    );
    overflow("k = 0\n7 // k\n", "7 // k", "division by zero");
    overflow("k = 0\n7 % k\n", "7 % k", "division by zero");
    overflow("k = 0.0\n7.0 / k\n", "7.0 / k", "division by zero");
    overflow("k = -1.0\nsqrt(k)\n", "sqrt(k)", "sqrt(-1.0) isn't defined");
    overflow(
        "k = 1000.0\nexp(k)\n",
        "exp(k)",
        "exp(1000.0) is past the floats",
    );
}

#[test]
fn whole_tensors_divide_as_torch_does() {
    let (code, place, message) = stopped("x = [1, 2, 3]\nx % 0\n");
    assert_eq!((code, &*place), (Code::R02, "x % 0"));
    assert_eq!(message, "integer division by zero");
    is(
        "x = [2, 3]\nx ** [1, -1]\n",
        Code::R02,
        "x ** [1, -1]",
        "integers to negative integer powers aren't defined",
    );
}

#[test]
fn values_outside_a_domain_are_named_with_their_place() {
    is(
        "x = [[0.5, 1.0], [0.25, 1.5]]\nx to Prob\n",
        Code::R02,
        "x",
        "1.5 isn't a value of Prob, at [1, 1]",
    );
    is(
        "x = [0.0, 1.0]\nx to Positive\n",
        Code::R02,
        "x",
        "0.0 isn't a value of Positive, at [0]",
    );
    is(
        "x = [1.0, 2.0] / 0.0\nx to Finite\n",
        Code::R02,
        "x",
        "inf isn't a value of Finite, at [0]",
    );
    is(
        "dim D = 3\nk = [0, 2, 3]\nk to Index[D]\n",
        Code::R02,
        "k",
        "3 isn't a value of Index[D], at [2]",
    );
    // NaN is excluded by Finite alone.
    let mut kept = Kept::default();
    let text = "x = log([-1.0])\nx to Prob\nx to Positive\n";
    assert!(run_with(text, &Options::default(), &mut kept).is_ok());
}

#[test]
fn checks_in_a_lambda_see_every_element() {
    let text = "dim D = 2\nfn f(x: [n D]) -> [n D] = x |> map(r => r to Prob, over=n)\n\
                f([[0.5, 0.5], [0.5, 0.5], [2.0, 0.5]])\n";
    let (code, place, message) = stopped(text);
    assert_eq!((code, &*place), (Code::R02, "r"));
    assert_eq!(message, "2.0 isn't a value of Prob, at [2, 0]");
    let text = "dim D = 2\nfn positive(r: [D]) -> [D]:\n    assert all(r > 0.0), \"not positive\"\n    \
                return r\nfn f(x: [n D]) -> [n D] = x |> map(positive, over=n)\n\
                f([[0.5, 0.5], [0.5, -0.5]])\n";
    let (code, _, message) = stopped(text);
    assert_eq!((code, &*message), (Code::R02, "not positive"));
}

#[test]
fn asserts_say_their_text() {
    let text = "x = [1.0, -1.0]\nassert all(x > 0.0), \"x must be positive\"\n";
    let (error, _) = run_error(text);
    assert_eq!(error.code, Code::R02);
    assert_eq!(error.message, "x must be positive");
    assert_eq!(error.notes, ["this doesn't hold: all(x > 0.0)"]);
    is(
        "k = 3\nassert k < 3\n",
        Code::R02,
        "k < 3",
        "this doesn't hold: k < 3",
    );
}

#[test]
fn positions_outside_an_axis_are_named_with_axis_and_size() {
    let text = "fn f(x: [n], k: int) -> [] = x[k]\nf([1.0, 2.0], 5)\n";
    is(
        text,
        Code::R03,
        "k",
        "index 5 is out of range: axis n of x has size 2",
    );
    let text = "fn f(x: [n], k: int) -> [] = x[k]\nf([1.0, 2.0], -3)\n";
    is(
        text,
        Code::R03,
        "k",
        "index -3 is out of range: axis n of x has size 2",
    );
    let text = "fn f(x: [n]) -> [n] = n |> map(i => x[i + 1])\nf([1.0, 2.0])\n";
    let (code, _, message) = stopped(text);
    assert_eq!(code, Code::R03);
    assert_eq!(message, "index 2 is out of range: axis n of x has size 2");
    let text = "fn f(x: [n], k: int) -> [_] = x[0..k]\nf([1.0, 2.0], 3)\n";
    is(
        text,
        Code::R03,
        "k",
        "index 3 is out of range: axis n of x has size 2",
    );
    let text = "x = [1.0, 2.0, 3.0]\na = 2\nb = 1\nx[a..b]\n";
    let (code, _, message) = stopped(text);
    assert_eq!(
        (code, &*message),
        (Code::R03, "the slice 2..1 ends before it starts")
    );
    let text = "y = [1.0, 2.0]\nfor i in 0..5:\n    y[i] = 0.0\n";
    is(
        text,
        Code::R03,
        "i",
        "index 2 is out of range: the only axis of y has size 2",
    );
}

#[test]
fn stated_shapes_name_both_sizes() {
    let text =
        "dim D = 3\nx = [1.0, 2.0, 3.0, -1.0]\nkept = x[x > 0.0] as [D]\nkept\nx[x > 1.5] as [D]\n";
    let (error, kept) = run_error(text);
    assert_eq!(error.code, Code::R01);
    assert_eq!(error.span.text(text), "x[x > 1.5] as [D]");
    assert_eq!(error.message, "the only axis has size 2, but D is 3");
    assert_eq!(kept.shown.len(), 1);
    let text = "x = normal([6], seed=1)\na = x[x > 100.0] as [k]\nb = x[x < 100.0] as [k]\n";
    let (code, _, message) = stopped(text);
    assert_eq!(
        (code, &*message),
        (Code::R01, "the only axis has size 6, but k is 0")
    );
}

#[test]
fn nothing_has_no_largest() {
    let text = "x = [1.0, 2.0]\nx |> filter(v => v > 5.0) |> max\n";
    let (code, _, message) = stopped(text);
    assert_eq!(
        (code, &*message),
        (Code::R02, "max of no elements has no value")
    );
    let text = "dim D = 2\nfn f(x: [n D]) -> [n] = x |> map(r => r |> filter(v => v > 0.5) |> max, over=n)\n\
                f([[1.0, 2.0], [0.0, 0.0]])\n";
    let (code, _, message) = stopped(text);
    assert_eq!(
        (code, &*message),
        (Code::R02, "max of no elements has no value")
    );
}

#[test]
fn memory_is_asked_before_it_is_taken() {
    let options = Options {
        memory_limit: 1 << 20,
        ..Options::default()
    };
    let out = |text: &str| {
        let mut kept = Kept::default();
        let error = run_with(text, &options, &mut kept).unwrap_err();
        assert_eq!(error.code, Code::R04, "{error}");
        (error.span.text(text).to_owned(), error.notes[0].clone())
    };
    let (place, note) = out("zeros([1000 1000])\n");
    assert_eq!(place, "zeros([1000 1000])");
    assert!(note.starts_with("4000000 bytes are needed"), "{note}");
    let (place, _) = out("x = normal([1000], seed=1)\ny = x * (x to [1000 1])\ny\n");
    assert_eq!(place, "x * (x to [1000 1])");
    // A reduction of the same product needs no memory for it.
    let mut kept = Kept::default();
    let text = "x = normal([1000], seed=1)\nsum(x * (x to [1000 1]))\n";
    run_with(text, &options, &mut kept).unwrap();
    assert_eq!(kept.shown.len(), 1);
    // What no name holds is given back.
    let text = "x = zeros([300 300])\nfor i in 0..20:\n    x = x * 0.5 + i\n";
    run_with(text, &options, &mut kept).unwrap();
}

#[test]
fn a_run_can_be_stopped() {
    let text = "n = 0\nfor i in 0..10000:\n    for j in 0..10000:\n        for k in 0..10000:\n            \
                n = n + 1\n";
    let mut kept = Kept {
        stop_after: Some(100),
        ..Kept::default()
    };
    let error = run_with(text, &Options::default(), &mut kept).unwrap_err();
    assert_eq!(error.code, Code::R05);
}

#[test]
fn what_the_playground_lacks_is_said_at_its_place() {
    let text = "import python \"mypkg.data\" as data\nprint(\"before\")\nx = data.load(3) as [n]\n";
    let (error, kept) = run_error(text);
    assert_eq!(error.code, Code::R07);
    assert_eq!(error.span.text(text), "data.load(3)");
    assert_eq!(kept.printed, ["before"]);
    let text =
        "extern fn solve(a: [k k], b: [k]) -> [k] from \"mypkg.linalg\"\nsolve([[1.0]], [2.0])\n";
    let (code, place, message) = stopped(text);
    assert_eq!((code, &*place), (Code::R07, "solve([[1.0]], [2.0])"));
    assert_eq!(message, "mypkg.linalg.solve can't run in the playground");
}

#[test]
fn a_long_chain_of_calls_is_an_error_not_a_crash() {
    let mut text = String::new();
    for i in 0..1000 {
        text.push_str(&format!("fn f{i}(x: [n]) -> [n] = f{}(x) * 2.0\n", i + 1));
    }
    text.push_str("fn f1000(x: [n]) -> [n] = x\nf0([1.0])\n");
    let checked = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn({
            let text = text.clone();
            move || checked(&text)
        })
        .unwrap()
        .join()
        .unwrap();
    let run = move || {
        let mut kept = Kept::default();
        let options = Options::default();
        strand_interp::run_script(&checked.program, &text, &options, &mut kept).unwrap_err()
    };
    let small = std::thread::Builder::new().stack_size(1 << 20);
    let error: RunError = small.spawn(run).unwrap().join().unwrap();
    assert_eq!(error.code, Code::R07);
}

#[test]
fn arguments_are_checked() {
    let ctx = Context::default();
    let tensor = |data: &[f32], shape: &[usize]| {
        Value::Tensor(Array::from_slice(&ctx, data, shape).unwrap())
    };
    let text = "fn f(x: [n D], w: [n]) -> [n D] = n |> map(i => x[i] * w[i])\ndim D = 2\n";
    let x = || tensor(&[1.0, 2.0, 3.0, 4.0], &[2, 2]);
    assert!(call_named(text, "f", vec![x(), tensor(&[1.0, 2.0], &[2])]).is_ok());
    let error = call_named(text, "f", vec![x(), tensor(&[1.0], &[1])]).unwrap_err();
    assert_eq!(error.code, Code::R01);
    assert_eq!(error.message, "the only axis of w has size 1, but n is 2");
    let error = call_named(text, "f", vec![x(), tensor(&[1.0, 2.0], &[1, 2])]).unwrap_err();
    assert_eq!(error.message, "w has 2 axes, but [n] has 1");
    let error = call_named(text, "f", vec![x()]).unwrap_err();
    assert_eq!(error.message, "f takes 2 arguments, not 1");
    let whole = Array::from_slice(&ctx, &[1i64, 2], &[2]).unwrap();
    let error = call_named(text, "f", vec![x(), Value::Tensor(whole)]).unwrap_err();
    assert_eq!(error.message, "w is i64, not f32");
    let text = "fn g(p: [n] Prob) -> [n] = p * 1.0\n";
    let error = call_named(text, "g", vec![tensor(&[0.5, 2.0], &[2])]).unwrap_err();
    assert_eq!(error.code, Code::R02);
}

#[test]
fn functions_of_the_host_are_called() {
    struct Doubling(Kept);
    impl strand_interp::Host for Doubling {
        fn print(&mut self, text: &str) {
            self.0.print(text);
        }
        fn show(&mut self, shown: strand_interp::Shown) {
            self.0.show(shown);
        }
        fn call(
            &mut self,
            module: &str,
            name: &str,
            args: &[Value],
        ) -> Option<Result<Value, String>> {
            match (module, name, args) {
                ("mypkg", "double", [Value::Float(v)]) => Some(Ok(Value::Float(v * 2.0))),
                ("mypkg", "load", []) => {
                    let ones = Array::ones(&Context::default(), &[3], strand_array::DType::F32);
                    Some(ones.map(Value::Tensor).map_err(|e| e.to_string()))
                }
                ("mypkg", "fails", []) => Some(Err("no luck".to_owned())),
                _ => None,
            }
        }
    }
    let text = "extern fn double(x: float) -> float from \"mypkg\"\nimport python \"mypkg\" as p\n\
                double(1.5)\nx = p.load() as [k]\nsum(x)\ny = p.load() as [2]\n";
    let checked = checked(text);
    let mut host = Doubling(Kept::default());
    let options = Options::default();
    let error = strand_interp::run_script(&checked.program, text, &options, &mut host).unwrap_err();
    assert_eq!(error.code, Code::R01);
    assert_eq!(error.message, "the only axis has size 3, not 2");
    let shown: Vec<_> = host
        .0
        .shown
        .iter()
        .map(|s| strand_interp::format::printed(&s.value))
        .collect();
    assert_eq!(shown, ["3.0", "3.0"]);
}

/// Functions of a host in chains: with types once for each element, without them once for all.
#[test]
fn functions_of_the_host_are_called_in_chains() {
    #[derive(Default)]
    struct Counting(Kept, usize);
    impl strand_interp::Host for Counting {
        fn print(&mut self, text: &str) {
            self.0.print(text);
        }
        fn show(&mut self, shown: strand_interp::Shown) {
            self.0.show(shown);
        }
        fn call(&mut self, _: &str, name: &str, args: &[Value]) -> Option<Result<Value, String>> {
            self.1 += 1;
            let ctx = Context::default();
            let of = |values: &[f32], shape: &[usize]| {
                let made = Array::from_slice(&ctx, values, shape);
                Some(made.map(Value::Tensor).map_err(|e| e.to_string()))
            };
            match (name, args) {
                ("total", [Value::Tensor(row)]) => {
                    assert_eq!(row.rank(), 1);
                    of(&[row.to_vec_f64().iter().sum::<f64>() as f32], &[])
                }
                ("scaled", [Value::Tensor(row), Value::Float(by), Value::Tensor(of_row)]) => {
                    let add = of_row.to_vec_f64().iter().sum::<f64>();
                    let row = row.to_vec_f64();
                    let values: Vec<f32> = row.iter().map(|v| (v * by + add) as f32).collect();
                    of(&values, &[values.len()])
                }
                ("halve", [Value::Tensor(all)]) => {
                    let values: Vec<f32> =
                        all.to_vec_f64().iter().map(|v| *v as f32 / 2.0).collect();
                    of(&values, all.shape())
                }
                ("flat", [Value::Tensor(x)]) => of(&vec![0.0; x.len()], &[x.len()]),
                ("throws", _) => Some(Err("no luck".to_owned())),
                _ => None,
            }
        }
    }
    let run = |text: &str| {
        let checked = checked(text);
        let mut host = Counting::default();
        let ran = strand_interp::run_script(&checked.program, text, &Options::default(), &mut host);
        let shown = host.0.shown.iter();
        let shown: Vec<String> = shown
            .map(|s| strand_interp::format::printed(&s.value))
            .collect();
        let failed = ran.err().map(|error| (error.code, error.message));
        (shown.join(" "), host.1, failed)
    };
    let declared = "dim D = 2\n\
        extern fn total(x: [n]) -> [] from \"torch.special\"\n\
        extern fn scaled(x: [n], by: float, w: [m]) -> [n] from \"torch.special\"\n\
        extern fn halve(x) from \"torch.special\"\n\
        extern fn flat(x) from \"torch.special\"\n\
        extern fn throws(x: []) -> [] from \"torch.special\"\n\
        extern fn unknown(x: []) -> [] from \"torch.special\"\n\
        x = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] as [a D]\n";
    let cases = [
        ("x |> map(r => total(r), over=a)", "[3.0, 7.0, 11.0]", 3),
        ("x |> map(total, over=D)", "[9.0, 12.0]", 2),
        (
            "x |> map(r => scaled(r, 2.0, x[0]), over=a)",
            "[[5.0, 7.0], [9.0, 11.0], [13.0, 15.0]]",
            3,
        ),
        (
            "x |> map(r => x |> map(q => total(r * q), over=a), over=a)",
            "[[5.0, 11.0, 17.0], [11.0, 25.0, 39.0], [17.0, 39.0, 61.0]]",
            9,
        ),
        (
            "x |> map(r => halve(r) + 1.0, over=a)",
            "[[1.5, 2.0], [2.5, 3.0], [3.5, 4.0]]",
            1,
        ),
        (
            "x |> map(r => r |> map(v => halve(v)), over=a)",
            "[[0.5, 1.0], [1.5, 2.0], [2.5, 3.0]]",
            1,
        ),
        ("x[0..0] |> map(r => total(r), over=-2)", "[]", 0),
        (
            "x |> filter(r => total(r) > 5.0, over=a)",
            "[[3.0, 4.0], [5.0, 6.0]]",
            3,
        ),
    ];
    for (call, values, calls) in cases {
        let found = run(&format!("{declared}{call}\n"));
        assert_eq!(found, (values.to_owned(), calls, None), "{call}");
    }
    let wrong = [
        (
            "x |> map(r => flat(r), over=a)",
            1,
            Some((
                Code::R01,
                "flat's result isn't of its argument's shape and dtype",
            )),
        ),
        (
            "x[0] |> map(v => throws(v))",
            1,
            Some((Code::R07, "throws failed: no luck")),
        ),
        (
            "x[0] |> map(v => unknown(v))",
            1,
            Some((
                Code::R07,
                "torch.special.unknown can't run in the playground",
            )),
        ),
    ];
    for (call, calls, error) in wrong {
        let (_, count, failed) = run(&format!("{declared}{call}\n"));
        let failed = failed
            .as_ref()
            .map(|(code, message)| (*code, message.as_str()));
        assert_eq!((count, failed), (calls, error), "{call}");
    }
}
