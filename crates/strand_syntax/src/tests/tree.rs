//! The tree of right programs, a construct at a time.

use super::{CHAPTER, module, tree};
use crate::ast::*;

#[track_caller]
fn reads(text: &str, expected: &str) {
    assert_eq!(tree(text), expected, "{text}");
}

/// The tree of an expression.
#[track_caller]
fn value(text: &str, expected: &str) {
    reads(&format!("y = {text}"), &format!("(= y {expected})"));
}

#[test]
fn the_chapters_programs() {
    let expected = [
        "(dim D 8)",
        "(dim C 4)",
        "(fn scale_rows [x: <[n D]> w: <[n]>] -> <[n D]> (|> n (map (=> [i] (* (index x i) (index w i))))))",
        "(fn per_row [x: <[n D]> w: <[D C]>] -> <[n C]> (|> x (map (=> [row] (call softmax (@ row w) over=C)) over=n)))",
        "(fn gram [x: <[n D]>] -> <[n n]> (|> x (map (=> [a] (|> x (map (=> [b] (call sum (* a b))) over=n))) over=n)))",
        "(fn table [] -> <[3 D] f32> (|> 3 (map (=> [i] (|> D (map (=> [j] (to j <f32>))))))))",
        "(fn positive [x: <[n D]>] -> <[]> (|> x (map (=> [row] (call sum row)) over=n) (filter (=> [t] (> t 0.0))) sum))",
    ];
    reads(CHAPTER, &expected.join("\n"));
}

#[test]
fn precedence_loosest_first() {
    value("a or b and not c == d", "(or a (and b (not (== c d))))");
    value("a + b * c - d @ e", "(- (+ a (* b c)) (@ d e))");
    value("-x ** 2", "(neg (** x 2))");
    value("a ** b ** -c ** d", "(** a (** b (neg (** c d))))");
    value("-a * b", "(* (neg a) b)");
    value("x * w to f32", "(* x (to w <f32>))");
    value("-x to f32", "(neg (to x <f32>))");
    value("2 ** x to f32", "(to (** 2 x) <f32>)");
    value("2 ** -x to f32", "(to (** 2 (neg x)) <f32>)");
    value(
        "x to [D n] as [n D] + 1",
        "(+ (as (to x <[D n]>) <[n D]>) 1)",
    );
    value("a < b + 1", "(< a (+ b 1))");
    value("a % b // c / d", "(/ (// (% a b) c) d)");
    value("a if b else c if d else e", "(if-else b a (if-else d c e))");
    value(
        "a or b if c and d else e + f",
        "(if-else (and c d) (or a b) (+ e f))",
    );
    value("a + b |> f", "(|> (+ a b) f)");
    value("a if b else c |> f", "(|> (if-else b a c) f)");
    value("not not a", "(not (not a))");
    value("f(a)[0].b(c)", "(call (. (index (call f a) 0) b) c)");
}

#[test]
fn pipes_and_lambdas() {
    value(
        "x |> f |> g(a, _) |> m.forward |> d.load(3)",
        "(|> x f (g a _) m.forward (d.load 3))",
    );
    value(
        "x |> to f32 |> as [n D] |> to i64 Index[n]",
        "(|> x (to <f32>) (as <[n D]>) (to <i64 Index[n]>))",
    );
    value(
        "0..n by 2 |> map((a, _) => a)",
        "(|> (.. 0 n by 2) (map (=> [a _] a)))",
    );
    value(
        "2 * n |> map(_ => 1, over=n)",
        "(|> (* 2 n) (map (=> [_] 1) over=n))",
    );
    value(
        "n |> map(i => D |> map(j => i))",
        "(|> n (map (=> [i] (|> D (map (=> [j] i))))))",
    );
    value("x |> map(to f32)", "(|> x (map (to _ <f32>)))");
}

#[test]
fn types_in_expressions_are_greedy() {
    value("x to bool", "(to x <named bool>)");
    value("x to [n] bool", "(to x <[n] bool>)");
    value("x to Index[2 * n]", "(to x <Index[(* 2 n)]>)");
    value(
        "x as [(2 * n) D 3 _ (n - 1)] f64",
        "(as x <[(* 2 n) D 3 _ (- n 1)] f64>)",
    );
    value("x as [] Prob", "(as x <[] Prob>)");
    value(
        "zeros([n D] i64 Index[n])",
        "(call zeros <[n D] i64 Index[n]>)",
    );
    value("full([n], [1.0, 2.0])", "(call full <[n]> [1.0 2.0])");
    value("load([n D], \"file\")", "(call load <[n D]> \"file\")");
    value("m.zeros([1, 2])", "(call (. m zeros) [1 2])");
}

#[test]
fn literals_and_indexing() {
    value("[[1, 2], [3, 4]]", "[[1 2] [3 4]]");
    value(
        "1_000 + 0.5 + 1e-3 + 2.5E4",
        "(+ (+ (+ 1000 0.5) 0.001) 25000.0)",
    );
    value("[true, false,]", "[true false]");
    value(r#""a\n\t\"\\\u{1f600}""#, r#""a\n\t\"\\😀""#);
    value(
        "x[i, -1, a..b, ..b, a.., .., a..b by -1, .. by 2, ..., newaxis]",
        "(index x i (neg 1) (.. a b) (.. - b) (.. a -) (.. - -) (.. a b by (neg 1)) (.. - - by 2) ... newaxis)",
    );
    value("(a,)", "(tuple a)");
    value("(a, (b))", "(tuple a (paren b))");
    value(
        r#"f"{x + 1} {f"{y}"} {{}} {g("a")}""#,
        r#"(f (+ x 1) " " (f y) " {} " (call g "a"))"#,
    );
    value("x.to + x.in", "(+ (. x to) (. x in))");
}

#[test]
fn names_are_normalised() {
    reads("ｘ = ﬁ", "(= x fi)");
    reads("𝐱́ = Ａ_１", "(= x́ A_1)");
}

#[test]
fn contextual_words_are_names_elsewhere() {
    reads(
        "by = over + mut + from + pad",
        "(= by (+ (+ (+ over mut) from) pad))",
    );
    reads("model = dataset.split", "(= model (. dataset split))");
    reads(
        "sink = train(eval, by=3, over=over)",
        "(= sink (call train eval by=3 over=over))",
    );
    reads(
        "import = 3\nextern = with_",
        "(= import 3)\n(= extern with_)",
    );
    reads("def = lambda", "(= def lambda)");
}

#[test]
fn declarations() {
    reads(
        "dim H = 4 * D - (2 + D) // 3",
        "(dim H (- (* 4 D) (// (+ 2 D) 3)))",
    );
    reads("fn f(x, y=2) = x", "(fn f [x y=2] x)");
    reads(
        "fn f(mut m: MLP, k: int = 3, t: (int, [n]), i: [k] i64 Index[n]) -> ([n D], py):\n    return",
        "(fn f [mut m: <named MLP> k: <named int>=3 t: <tuple <named int> <[n]>> i: <[k] i64 Index[n]>] -> <tuple <[n D]> <named py>> {(return)})",
    );
    reads(
        "extern fn erf(x) from \"torch.special\"",
        "(extern erf [x] \"torch.special\")",
    );
    reads(
        "extern fn det(a: [k k]) -> [] from \"torch.linalg\"",
        "(extern det [a: <[k k]>] -> <[]> \"torch.linalg\")",
    );
    reads("import python \"a.b\" as c", "(import \"a.b\" c)");
    reads(
        "model Linear[I O]:\n    w: [I O] = normal(0.02)\n    enc: Linear[D H]\n    fn forward(self, x: [n I]) = x @ self.w\n    fn step(mut self):\n        pass",
        "(model Linear [I O] (field w <[I O]> (call normal 0.02)) (field enc <named Linear[D H]>) (fn forward [self x: <[n I]>] (@ x (. self w))) (fn step [mut self] {pass}))",
    );
}

#[test]
fn reserved_declarations_are_read_past_with_their_blocks() {
    let text = "dataset Digits:\n    image: [D]\n    what ever ((\nsplit H\nworkers fn f(x: [n]):\n    y = = 1\nexport fn g(x) = x\nsink jsonl(\"a\")\nx = 1";
    let read = crate::parse(text);
    assert_eq!(
        super::dump::module(&read.module),
        "(reserved dataset)\n(reserved split)\n(reserved workers)\n(reserved export)\n(reserved sink)\n(= x 1)"
    );
}

#[test]
fn statements() {
    reads(
        "(a, (b, _)) = f(x)\n_ = g()",
        "(= (a (b _)) (call f x))\n(= _ (call g ))",
    );
    reads(
        "y[i, ..] = 3\nm.w = 2\nx += 1\nx -= 1\nx *= 2\nx /= 2",
        "(= (index y i (.. - -)) 3)\n(= (. m w) 2)\n(+= x 1)\n(-= x 1)\n(*= x 2)\n(/= x 2)",
    );
    reads(
        "y: [n D] f32 = x\nk : int = 3",
        "(= y: <[n D] f32> x)\n(= k: <named int> 3)",
    );
    reads(
        "for i in 0..n by 2:\n    pass",
        "(for i (.. 0 n by 2) {pass})",
    );
    reads(
        "for row in x over n:\n    break",
        "(for row x over n {break})",
    );
    reads(
        "for (x, y) in train by b = 32 pad t to 64:\n    continue",
        "(for (x y) train by {continue})",
    );
    reads("while c:\n    pass", "(while c {pass})");
    reads(
        "if a:\n    x = 1\nelif b:\n    x = 2\nelse:\n    x = 3",
        "(if a {(= x 1)} b {(= x 2)} else {(= x 3)})",
    );
    reads("with train:\n    x = 1", "(with train {(= x 1)})");
    reads(
        "assert a > b, \"text\"\nassert c",
        "(assert (> a b) \"text\")\n(assert c)",
    );
    reads("update(mut m, mut opt, g)", "(call update mut m mut opt g)");
}

#[test]
fn lines_go_on_in_brackets_after_operators_and_before_pipes() {
    reads("y = f(\na,\n  b\n)\nz = 1", "(= y (call f a b))\n(= z 1)");
    reads("y = a +\n  b\nz =\n  1", "(= y (+ a b))\n(= z 1)");
    reads(
        "y = x\n  |> f\n\n  # why\n    |> g\nz = 1",
        "(= y (|> x f g))\n(= z 1)",
    );
    reads("if a and\n    b:\n    x = 1", "(if (and a b) {(= x 1)})");
    reads("fn f(x) =\n    x", "(fn f [x] x)");
    reads("\u{feff}x = 1\r\ny = 2\r\n", "(= x 1)\n(= y 2)");
}

#[test]
fn spans_hold_their_node() {
    let text = "dim D = 8\nfn f(x: [n D], k: int = 3) -> [n]:\n    y = x |> map(i => i + 1, over=n) |> to f32  # c\n    return y[0, 1..k]\n";
    let module = module(text);
    let at = |span: strand_source::Span| span.text(text);
    let Item::Fn(decl) = &module.items[1] else {
        panic!("a function")
    };
    assert_eq!(at(decl.signature), "fn f(x: [n D], k: int = 3) -> [n]");
    assert_eq!(
        at(decl.span),
        text[10..].split("\n\n").next().unwrap().trim_end()
    );
    assert_eq!(at(decl.params[0].span), "x: [n D]");
    assert_eq!(at(decl.params[1].default.as_ref().unwrap().span), "3");
    assert_eq!(at(decl.result.as_ref().unwrap().span), "[n]");
    let FnBody::Block(body) = &decl.body else {
        panic!("a block")
    };
    let StmtKind::Assign { value, .. } = &body[0].kind else {
        panic!("a binding")
    };
    assert_eq!(at(value.span), "x |> map(i => i + 1, over=n) |> to f32");
    let ExprKind::Pipe { stages, .. } = &value.kind else {
        panic!("a pipe")
    };
    assert_eq!(
        (at(stages[0].span), at(stages[0].pipe)),
        ("map(i => i + 1, over=n)", "|>")
    );
    assert_eq!(at(stages[1].span), "to f32");
    let StageKind::Call {
        args: Some(args),
        args_span,
        ..
    } = &stages[0].kind
    else {
        panic!("a call")
    };
    assert_eq!(at(args_span.unwrap()), "(i => i + 1, over=n)");
    assert_eq!(at(args[1].span), "over=n");
    let ExprKind::Lambda(lambda) = &args[0].value.kind else {
        panic!("a lambda")
    };
    let ExprKind::Binary { op_span, .. } = &lambda.body.kind else {
        panic!("a sum")
    };
    assert_eq!(
        (at(lambda.params_span), at(lambda.body.span), at(*op_span)),
        ("i", "i + 1", "+")
    );
    let StmtKind::Return(Some(result)) = &body[1].kind else {
        panic!("a return")
    };
    let ExprKind::Index { items, .. } = &result.kind else {
        panic!("an index")
    };
    assert_eq!(at(items[1].span()), "1..k");
    assert_eq!(
        (
            module.comments[0].text.as_str(),
            module.comments[0].own_line
        ),
        (" c", false)
    );
}

#[test]
fn a_bad_part_costs_no_other() {
    let tree = |text: &str| super::dump::module(&crate::parse(text).module);
    assert_eq!(
        tree("y = f(1 2, g(3), over=n)"),
        "(= y (call f ERROR (call g 3) over=n))"
    );
    assert_eq!(tree("y = x |> 3 |> g"), "(= y (|> x ERROR g))");
    assert_eq!(tree("y = )(\nz = 1"), "(= y ERROR)\n(= z 1)");
    assert_eq!(
        tree("for i n x:\n    y = 1\nz = 2"),
        "(for ERROR ERROR {(= y 1)})\n(= z 2)"
    );
    assert_eq!(
        tree("fn f(x: 3, y) = x\nz = 1"),
        "(fn f [x: <ERROR> y] x)\n(= z 1)"
    );
    assert_eq!(tree("y = f(a, b\nz = 1"), "(= y (call f a b))\n(= z 1)");
    assert_eq!(tree("y = \"abc\nz = 1"), "(= y \"abc\")\n(= z 1)");
}
