//! Results in the memory of operands that nobody else holds.

use strand_array::{Array, BinaryOp, Context, DType, Expr, Node, Out, Scalar, UnaryOp};

const ROWS: usize = 200;
const COLUMNS: usize = 300;

fn numbers(ctx: &Context, first: f32) -> Array {
    let values: Vec<f32> = (0..ROWS * COLUMNS)
        .map(|i| first + (i % 977) as f32 * 0.01)
        .collect();
    Array::from_slice(ctx, &values, &[ROWS, COLUMNS]).unwrap()
}

/// `exp(x * 0.5) + y`, of operands that it takes.
fn expression(x: Array, y: Array) -> Expr {
    let mut expr = Expr::new();
    let (a, b) = (expr.input(&x), expr.input(&y));
    let half = expr.push(Node::Const(Scalar::F32(0.5)));
    let halved = expr.push(Node::Binary(BinaryOp::Mul, a, half));
    let power = expr.push(Node::Unary(UnaryOp::Exp, halved));
    let sum = expr.push(Node::Binary(BinaryOp::Add, power, b));
    expr.outs = vec![Out::Store(sum)];
    expr
}

fn bits(array: &Array) -> Vec<u64> {
    array.to_vec_f64().into_iter().map(f64::to_bits).collect()
}

#[test]
fn a_result_has_the_memory_of_an_operand_and_the_same_bits() {
    let ctx = Context::default();
    let (x, y) = (numbers(&ctx, 0.0), numbers(&ctx, -3.0));
    let wanted = expression(x.clone(), y.clone()).eval(&ctx).unwrap();
    let own = x.copy(&ctx).unwrap();
    let used = ctx.used();
    let found = expression(own, y.clone()).eval_spending(&ctx).unwrap();
    assert_eq!((ctx.spent(), ctx.used()), (1, used));
    assert_eq!(bits(&found[0]), bits(&wanted[0]));
    drop(found);
    assert!(ctx.used() < used);
}

#[test]
fn what_is_held_elsewhere_stays() {
    let ctx = Context::default();
    let (x, y) = (numbers(&ctx, 0.0), numbers(&ctx, -3.0));
    let before = bits(&x);
    expression(x.clone(), y.clone())
        .eval_spending(&ctx)
        .unwrap();
    // A view holds the memory too, though the array itself is gone.
    let view = x.slice(0, None, None, 2).unwrap();
    let odd: Vec<u64> = bits(&view);
    expression(x, y.clone()).eval_spending(&ctx).unwrap();
    assert_eq!(ctx.spent(), 0);
    assert_eq!(bits(&view), odd);
    assert_eq!(odd[..COLUMNS], before[..COLUMNS]);
    // The same array twice is held twice.
    let z = y.copy(&ctx).unwrap();
    let twice = expression(z.clone(), z);
    twice.eval_spending(&ctx).unwrap();
    assert_eq!(ctx.spent(), 0);
}

#[test]
fn memory_of_another_size_layout_or_limit_does_not_pass_on() {
    let ctx = Context::default();
    let y = numbers(&ctx, -3.0);
    let keep = y.clone();
    // A row that broadcasts, a turned image, every second row, another context's.
    let row = Array::from_slice(&ctx, &vec![1.0_f32; COLUMNS], &[COLUMNS]).unwrap();
    let turned = Array::from_slice(&ctx, &vec![2.0_f32; ROWS * COLUMNS], &[COLUMNS, ROWS]);
    let turned = turned.unwrap().transpose(0, 1).unwrap();
    let long = Array::from_slice(
        &ctx,
        &vec![3.0_f32; 2 * ROWS * COLUMNS],
        &[2 * ROWS, COLUMNS],
    );
    let half = long.unwrap().slice(0, None, None, 2).unwrap();
    let foreign = numbers(&Context::default(), 0.0);
    for x in [row, turned, half, foreign] {
        let wanted = expression(x.clone(), y.clone()).eval(&ctx).unwrap();
        let found = expression(x, keep.clone()).eval_spending(&ctx).unwrap();
        assert_eq!(bits(&found[0]), bits(&wanted[0]));
    }
    assert_eq!(ctx.spent(), 0);
    // Of another dtype than the result, which is f64.
    let wide = y.cast(&ctx, DType::F64).unwrap();
    let narrow = y.copy(&ctx).unwrap();
    expression(narrow, wide.clone())
        .eval_spending(&ctx)
        .unwrap();
    assert_eq!(ctx.spent(), 0);
    drop((y, keep));
    expression(wide, numbers(&ctx, 0.0))
        .eval_spending(&ctx)
        .unwrap();
    assert_eq!(ctx.spent(), 1, "what is f64 too gives its memory");
}

#[test]
fn a_result_that_is_computed_before_its_operand_is_read_has_memory_of_its_own() {
    let ctx = Context::default();
    let (x, y) = (numbers(&ctx, 0.0), numbers(&ctx, -3.0));
    let before = bits(&x);
    // The first result is written while the second operand hasn't been loaded.
    let two = |x: &Array, y: Array| {
        let mut expr = Expr::new();
        let a = expr.input(x);
        let negative = expr.push(Node::Unary(UnaryOp::Neg, a));
        let b = expr.input(&y);
        let power = expr.push(Node::Unary(UnaryOp::Exp, b));
        expr.outs = vec![Out::Store(negative), Out::Store(power)];
        expr
    };
    let wanted = two(&x, y.clone()).eval(&ctx).unwrap();
    let found = two(&x, y.copy(&ctx).unwrap()).eval_spending(&ctx).unwrap();
    assert_eq!(ctx.spent(), 1);
    for (found, wanted) in found.iter().zip(&wanted) {
        assert_eq!(bits(found), bits(wanted));
    }
    assert_eq!(bits(&x), before);
}

#[test]
fn an_operand_that_is_loaded_again_after_a_result_keeps_its_memory_from_it() {
    let ctx = Context::default();
    let x = numbers(&ctx, 0.0);
    // The negative is written before the operand is loaded for the exponential.
    let two = |x: Array| {
        let mut expr = Expr::new();
        let first = expr.input(&x);
        let negative = expr.push(Node::Unary(UnaryOp::Neg, first));
        let again = expr.push(Node::Input(0));
        let power = expr.push(Node::Unary(UnaryOp::Exp, again));
        expr.outs = vec![Out::Store(negative), Out::Store(power)];
        expr
    };
    let wanted = two(x.clone()).eval(&ctx).unwrap();
    let found = two(x).eval_spending(&ctx).unwrap();
    for (found, wanted) in found.iter().zip(&wanted) {
        assert_eq!(bits(found), bits(wanted));
    }
    assert_eq!(ctx.spent(), 1, "the exponential's");
}

#[test]
fn reports_count_fresh_memory_alone() {
    let ctx = Context::default();
    let (x, y) = (numbers(&ctx, 0.0), numbers(&ctx, -3.0));
    ctx.set_tracing(true);
    let held = x.clone();
    expression(x, y.clone()).eval_spending(&ctx).unwrap();
    drop(held);
    let bytes: Vec<usize> = ctx.take_reports().iter().map(|r| r.bytes).collect();
    assert_eq!(bytes, [ROWS * COLUMNS * 4]);
    expression(y.clone(), y.copy(&ctx).unwrap())
        .eval_spending(&ctx)
        .unwrap();
    let bytes: Vec<usize> = ctx.take_reports().iter().map(|r| r.bytes).collect();
    assert_eq!(bytes, [ROWS * COLUMNS * 4, 0], "the copy, then nothing");
}
