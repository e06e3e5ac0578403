//! Times of common operations, one line each: name, microseconds.
//!
//! `cargo bench -p strand_array` prints them; `benches/peer.py` runs the same work in PyTorch on one
//! thread and prints the ratios.

use std::time::Instant;

use strand_array::{
    Array, BinaryOp, Context, DType, Expr, Node, Out, ReduceOp, Scalar, ScanOp, UnaryOp, binary,
    matmul, reduce, scan, softmax, take, unary,
};

fn time(name: &str, mut run: impl FnMut()) {
    run();
    let mut best = f64::INFINITY;
    let started = Instant::now();
    while started.elapsed().as_millis() < 150 {
        let from = Instant::now();
        run();
        best = best.min(from.elapsed().as_secs_f64());
    }
    #[allow(clippy::print_stdout)]
    {
        println!("{name}\t{:.2}", best * 1e6);
    }
}

fn ramp(ctx: &Context, shape: &[usize]) -> Array {
    let n: usize = shape.iter().product();
    let values: Vec<f32> = (0..n)
        .map(|i| (i * 7919 % 1000) as f32 / 250.0 - 2.0)
        .collect();
    Array::from_slice(ctx, &values, shape).expect("it fits")
}

fn main() {
    let ctx = Context::default();
    let small = ramp(&ctx, &[8]);
    let x = ramp(&ctx, &[1000, 1000]);
    let y = ramp(&ctx, &[1000, 1000]);
    let row = ramp(&ctx, &[1000]);
    let turned = x.transpose(0, 1).expect("rank 2");
    let narrow = ramp(&ctx, &[300_000, 3]);
    let places = Array::arange(&ctx, 0, 1000, 1).expect("it fits");

    time("add 8", || {
        drop(binary(&ctx, BinaryOp::Add, &small, &small))
    });
    time("add 1e6", || drop(binary(&ctx, BinaryOp::Add, &x, &y)));
    time("add row", || drop(binary(&ctx, BinaryOp::Add, &x, &row)));
    time("add transposed", || {
        drop(binary(&ctx, BinaryOp::Add, &x, &turned))
    });
    time("copy transposed", || drop(turned.copy(&ctx)));
    for op in [
        UnaryOp::Exp,
        UnaryOp::Log,
        UnaryOp::Tanh,
        UnaryOp::Erf,
        UnaryOp::Sigmoid,
        UnaryOp::Gelu,
        UnaryOp::Sin,
    ] {
        time(op.name(), || drop(unary(&ctx, op, &x)));
    }
    time("chain of 8", || {
        let mut expr = Expr::new();
        let (a, b) = (expr.input(&x), expr.input(&y));
        let two = expr.push(Node::Const(Scalar::F32(2.0)));
        let mut node = expr.push(Node::Binary(BinaryOp::Mul, a, b));
        for _ in 0..3 {
            node = expr.push(Node::Binary(BinaryOp::Add, node, a));
            node = expr.push(Node::Binary(BinaryOp::Mul, node, two));
        }
        node = expr.push(Node::Unary(UnaryOp::Relu, node));
        expr.outs.push(Out::Store(node));
        drop(expr.eval(&ctx));
    });
    for axes in [vec![0], vec![1], vec![0, 1]] {
        time(&format!("sum over {axes:?}"), || {
            drop(reduce(&ctx, ReduceOp::Sum, &x, &axes, false))
        });
    }
    time("sum narrow", || {
        drop(reduce(&ctx, ReduceOp::Sum, &narrow, &[1], false))
    });
    time("max over [1]", || {
        drop(reduce(&ctx, ReduceOp::Max, &x, &[1], false))
    });
    time("argmax over [1]", || {
        drop(reduce(&ctx, ReduceOp::ArgMax, &x, &[1], false))
    });
    time("var over [1]", || {
        drop(reduce(
            &ctx,
            ReduceOp::Var { correction: 1 },
            &x,
            &[1],
            false,
        ));
    });
    time("softmax", || drop(softmax(&ctx, &x, &[1])));
    time("cumsum", || drop(scan(&ctx, ScanOp::Sum, &x, 1)));
    time("take rows", || drop(take(&ctx, &x, &places, 0)));
    time("take columns", || drop(take(&ctx, &x, &places, 1)));
    let a = x
        .slice(0, None, Some(256), 1)
        .and_then(|a| a.slice(1, None, Some(256), 1))
        .expect("it is larger");
    time("matmul 256", || drop(matmul(&ctx, &a, &a)));
    time("matmul 1000", || drop(matmul(&ctx, &x, &y)));
    time("matvec 1000", || drop(matmul(&ctx, &x, &row)));
    let many = ramp(&ctx, &[10_000, 4, 4]);
    time("matmul 10000x4x4", || drop(matmul(&ctx, &many, &many)));
    let wide = x.cast(&ctx, DType::F64).expect("it fits");
    time("exp f64", || drop(unary(&ctx, UnaryOp::Exp, &wide)));
}
