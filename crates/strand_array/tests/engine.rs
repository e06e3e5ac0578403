//! Properties of the engine itself: fusing, layouts, limits, reports.

use strand_array::{
    Array, ArrayError, BinaryOp, Context, DType, Expr, IndexItem, LoopKind, Node, Out, ReduceOp,
    Scalar, ScanOp, UnaryOp, binary, compress, concat, index, matmul, one_hot, reduce, scan,
    softmax, take, take_batched, unary,
};

/// A small generator of test cases with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    fn array(&mut self, ctx: &Context, dtype: DType, shape: &[usize]) -> Array {
        let n = shape.iter().product();
        let values: Vec<f64> = (0..n)
            .map(|_| self.below(4001) as f64 / 500.0 - 4.0)
            .collect();
        Array::from_slice(ctx, &values, shape)
            .unwrap()
            .cast(ctx, dtype)
            .unwrap()
    }
}

/// Bits of the elements in C order.
fn bits(array: &Array) -> Vec<u64> {
    match array.dtype() {
        DType::I64 => array.to_vec_i64().into_iter().map(|v| v as u64).collect(),
        _ => array
            .to_vec_f64()
            .into_iter()
            .map(|v| if v.is_nan() { u64::MAX } else { v.to_bits() })
            .collect(),
    }
}

const SAFE_BINARY: [BinaryOp; 8] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Maximum,
    BinaryOp::Lt,
    BinaryOp::LogicalAnd,
    BinaryOp::Hypot,
];
const SAFE_UNARY: [UnaryOp; 8] = [
    UnaryOp::Exp,
    UnaryOp::Tanh,
    UnaryOp::Sqrt,
    UnaryOp::Sign,
    UnaryOp::Sigmoid,
    UnaryOp::Floor,
    UnaryOp::Neg,
    UnaryOp::IsNan,
];

fn random_node(random: &mut Random, expr: &Expr) -> Node {
    let n = expr.nodes.len();
    match random.below(6) {
        0 | 1 => Node::Binary(
            SAFE_BINARY[random.below(8)],
            random.below(n),
            random.below(n),
        ),
        2 => Node::Unary(SAFE_UNARY[random.below(8)], random.below(n)),
        3 => Node::Select(random.below(n), random.below(n), random.below(n)),
        4 => Node::Const(Scalar::F64(1.25).cast([DType::F32, DType::F64][random.below(2)])),
        _ => Node::Cast(
            [DType::F32, DType::F64, DType::I64][random.below(3)],
            random.below(n),
        ),
    }
}

/// The same node alone, over stored operands.
fn one_at_a_time(ctx: &Context, expr: &Expr, node: Node, done: &[Array]) -> Array {
    let mut single = Expr::new();
    let mut operand = |n: usize| single.input(&done[n]);
    let node = match node {
        Node::Input(k) => return expr.inputs[k].clone(),
        Node::Const(value) => return Array::scalar(ctx, value).unwrap(),
        Node::Unary(op, a) => Node::Unary(op, operand(a)),
        Node::Binary(op, a, b) => Node::Binary(op, operand(a), operand(b)),
        Node::Select(c, a, b) => Node::Select(operand(c), operand(a), operand(b)),
        Node::Cast(dtype, a) => Node::Cast(dtype, operand(a)),
    };
    let last = single.push(node);
    single.outs.push(Out::Store(last));
    single.eval(ctx).unwrap().remove(0)
}

#[test]
fn a_fused_group_has_the_bits_of_its_operations_one_at_a_time() {
    let ctx = Context::default();
    let mut random = Random(11);
    let shapes: [&[&[usize]]; 6] = [
        &[&[700], &[700], &[1]],
        &[&[3, 1], &[1, 5], &[3, 5]],
        &[&[40, 70], &[70], &[40, 1]],
        &[&[], &[], &[]],
        &[&[2, 0, 3], &[3], &[1, 1, 1]],
        &[&[300, 3], &[3], &[300, 1]],
    ];
    let mut reduced = 0;
    for case in 0..300 {
        let mut expr = Expr::new();
        for shape in shapes[case % shapes.len()] {
            let dtype = [DType::F32, DType::F32, DType::F64, DType::I64][random.below(4)];
            let mut input = random.array(&ctx, dtype, shape);
            if shape.len() == 2 && random.below(2) == 0 {
                // The same shape lying the other way.
                input = input
                    .transpose(0, 1)
                    .unwrap()
                    .copy(&ctx)
                    .unwrap()
                    .transpose(0, 1)
                    .unwrap();
            }
            expr.input(&input);
        }
        while expr.nodes.len() < 9 {
            let node = random_node(&mut random, &expr);
            expr.push(node);
            if expr.dtypes().is_err() {
                expr.nodes.pop();
            }
        }
        let shape = expr.shape().unwrap();
        let mut done: Vec<Array> = vec![];
        for node in expr.nodes.clone() {
            let next = one_at_a_time(&ctx, &expr, node, &done);
            done.push(next);
        }
        expr.outs = (3..9).map(Out::Store).collect();
        let op = [
            ReduceOp::Sum,
            ReduceOp::Mean,
            ReduceOp::Max,
            ReduceOp::Any,
            ReduceOp::Var { correction: 1 },
        ][random.below(5)];
        let axes: Vec<usize> = (0..shape.len()).filter(|_| random.below(2) == 0).collect();
        let whole = done[8].broadcast_to(&shape).unwrap();
        let expected = reduce(&ctx, op, &whole, &axes, false);
        if expected.is_ok() {
            reduced += 1;
            expr.outs.push(Out::Reduce {
                node: 8,
                op,
                axes: axes.clone(),
                keepdims: false,
            });
        }
        let found = expr.eval(&ctx).unwrap();
        for (n, array) in found.iter().take(6).enumerate() {
            let single = done[n + 3].broadcast_to(&shape).unwrap();
            assert_eq!(array.shape(), shape);
            assert_eq!(
                bits(array),
                bits(&single),
                "case {case}, node {:?} of {:?}",
                expr.nodes[n + 3],
                expr.nodes
            );
        }
        if let (Ok(expected), Some(array)) = (expected, found.get(6)) {
            assert_eq!(array.shape(), expected.shape());
            assert_eq!(
                bits(array),
                bits(&expected),
                "case {case}: {op:?} over {axes:?} of {:?}",
                expr.nodes
            );
        }
    }
    assert!(reduced > 200);
}

#[test]
fn a_sum_has_the_same_bits_in_every_layout() {
    let ctx = Context::default();
    let mut random = Random(5);
    for shape in [[37, 41, 5], [5, 1000, 2], [3, 2, 900], [1, 1, 7]] {
        let x = random.array(&ctx, DType::F32, &shape);
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]] {
            let moved = x.permute(&order).unwrap().copy(&ctx).unwrap();
            let mut back = [0; 3];
            for (i, o) in order.iter().enumerate() {
                back[*o] = i;
            }
            let same = moved.permute(&back).unwrap();
            for axes in [
                vec![0],
                vec![1],
                vec![2],
                vec![0, 1],
                vec![0, 2],
                vec![1, 2],
                vec![0, 1, 2],
            ] {
                let expected = reduce(&ctx, ReduceOp::Sum, &x, &axes, false).unwrap();
                let found = reduce(&ctx, ReduceOp::Sum, &same, &axes, false).unwrap();
                assert_eq!(
                    bits(&found),
                    bits(&expected),
                    "{shape:?} lying {order:?} over {axes:?}"
                );
            }
        }
    }
}

#[test]
fn long_float_sums_stay_accurate() {
    let ctx = Context::default();
    let x = Array::full(&ctx, &[1_000_000], Scalar::F32(0.1)).unwrap();
    let sum = reduce(&ctx, ReduceOp::Sum, &x, &[0], false)
        .unwrap()
        .item()
        .unwrap()
        .to_f64();
    let exact = f64::from(0.1_f32) * 1e6;
    // Two units in the last place of a number from 65,536 to 131,072.
    assert!((sum - exact).abs() <= 2.0 / 128.0, "{sum} and {exact}");
}

#[test]
fn a_large_product_equals_the_definition() {
    let ctx = Context::default();
    let mut random = Random(3);
    let (m, k, n) = (70, 600, 37);
    let a = random.array(&ctx, DType::F64, &[m, k]);
    let b = random
        .array(&ctx, DType::F64, &[n, k])
        .transpose(0, 1)
        .unwrap();
    let found = matmul(&ctx, &a, &b).unwrap().to_vec::<f64>().unwrap();
    let (x, y) = (a.to_vec::<f64>().unwrap(), b.to_vec::<f64>().unwrap());
    for i in 0..m {
        for j in 0..n {
            let exact: f64 = (0..k).map(|p| x[i * k + p] * y[p * n + j]).sum();
            assert!((found[i * n + j] - exact).abs() < 1e-9 * 600.0);
        }
    }
    let single = matmul(
        &ctx,
        &a.cast(&ctx, DType::F32).unwrap(),
        &b.cast(&ctx, DType::F32).unwrap(),
    )
    .unwrap();
    let worst = single
        .to_vec_f64()
        .iter()
        .zip(&found)
        .map(|(f, e)| (f - e).abs())
        .fold(0.0, f64::max);
    assert!(worst < 2e-3, "{worst}");
}

#[test]
fn a_product_with_one_matrix_on_the_right_equals_the_batched_one() {
    let ctx = Context::default();
    let mut random = Random(9);
    let a = random.array(&ctx, DType::F32, &[4, 6, 300]);
    let b = random.array(&ctx, DType::F32, &[300, 11]);
    let flat = matmul(&ctx, &a, &b).unwrap();
    let batched = matmul(&ctx, &a, &b.broadcast_to(&[4, 300, 11]).unwrap()).unwrap();
    assert_eq!(bits(&flat), bits(&batched));
}

#[test]
fn batched_take_is_indexing_of_each_part() {
    let ctx = Context::default();
    let mut random = Random(21);
    let base = random.array(&ctx, DType::F32, &[3, 5, 2]);
    let places = Array::from_slice(&ctx, &[0_i64, -1, 4, 2, 2, 1], &[3, 2]).unwrap();
    let found = take_batched(&ctx, &base, &places, 1).unwrap();
    assert_eq!(found.shape(), [3, 2, 2]);
    for b in 0..3 {
        let expected = take(
            &ctx,
            &base.select(0, b).unwrap(),
            &places.select(0, b).unwrap(),
            0,
        )
        .unwrap();
        assert_eq!(bits(&found.select(0, b).unwrap()), bits(&expected));
    }
    // One table for all parts of the batch.
    let shared = base.slice(0, Some(0), Some(1), 1).unwrap();
    let found = take_batched(&ctx, &shared, &places, 1).unwrap();
    let expected = take(&ctx, &base.select(0, 0).unwrap(), &places, 0).unwrap();
    assert_eq!(bits(&found), bits(&expected));
    let wrong = Array::from_slice(&ctx, &[0_i64, 5, 0, 0, 0, 0], &[3, 2]).unwrap();
    assert_eq!(
        take_batched(&ctx, &base, &wrong, 1).unwrap_err(),
        ArrayError::IndexOutOfRange {
            index: 5,
            size: 5,
            axis: 1
        }
    );
}

#[test]
fn the_memory_limit_is_an_error_and_frees_what_it_refused() {
    let ctx = Context::new(1 << 20);
    let x = Array::zeros(&ctx, &[100_000], DType::F32).unwrap();
    let used = ctx.used();
    assert!((400_000..450_000).contains(&used));
    let wide = x
        .insert_axis(0)
        .unwrap()
        .broadcast_to(&[1000, 100_000])
        .unwrap();
    assert_eq!(ctx.used(), used);
    let error = unary(&ctx, UnaryOp::Exp, &wide).unwrap_err();
    assert!(
        matches!(
            error,
            ArrayError::OutOfMemory {
                bytes: 400_000_000,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(ctx.used(), used);
    // A reduction of the same needs no such memory.
    assert!(reduce(&ctx, ReduceOp::Sum, &wide, &[0], false).is_ok());
    drop((x, wide));
    assert_eq!(ctx.used(), 0);
}

#[test]
fn axes_of_size_zero_work_everywhere() {
    let ctx = Context::default();
    let x = Array::zeros(&ctx, &[2, 0, 3], DType::F32).unwrap();
    assert_eq!(unary(&ctx, UnaryOp::Exp, &x).unwrap().shape(), [2, 0, 3]);
    let sum = reduce(&ctx, ReduceOp::Sum, &x, &[1], false).unwrap();
    assert_eq!((sum.shape(), sum.to_vec_f64()), (&[2, 3][..], vec![0.0; 6]));
    let product = reduce(&ctx, ReduceOp::Prod, &x, &[1], true).unwrap();
    assert_eq!(
        (product.shape(), product.to_vec_f64()),
        (&[2, 1, 3][..], vec![1.0; 6])
    );
    assert_eq!(
        reduce(&ctx, ReduceOp::Sum, &x, &[0], false)
            .unwrap()
            .shape(),
        [0, 3]
    );
    assert!(
        reduce(&ctx, ReduceOp::Max, &x, &[0], false)
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        reduce(&ctx, ReduceOp::Max, &x, &[1], false).unwrap_err(),
        ArrayError::EmptyReduction { op: "amax" }
    );
    assert_eq!(softmax(&ctx, &x, &[1]).unwrap().shape(), [2, 0, 3]);
    assert_eq!(scan(&ctx, ScanOp::Sum, &x, 1).unwrap().shape(), [2, 0, 3]);
    let left = Array::ones(&ctx, &[2, 0], DType::F32).unwrap();
    let right = Array::ones(&ctx, &[0, 3], DType::F32).unwrap();
    assert_eq!(
        matmul(&ctx, &left, &right).unwrap().to_vec_f64(),
        vec![0.0; 6]
    );
    assert_eq!(x.reshape(&ctx, &[0, 6]).unwrap().shape(), [0, 6]);
    assert_eq!(
        concat(&ctx, &[x.clone(), x.clone()], 0).unwrap().shape(),
        [4, 0, 3]
    );
    let none = Array::from_vec::<i64>(&ctx, vec![]).unwrap();
    assert_eq!(take(&ctx, &x, &none, 0).unwrap().shape(), [0, 0, 3]);
    let mask = Array::from_slice(&ctx, &[false, true], &[2]).unwrap();
    assert_eq!(compress(&ctx, &x, &mask, 0).unwrap().shape(), [1, 0, 3]);
    assert_eq!(
        x.slice(1, None, None, -1).unwrap().flip(0).unwrap().shape(),
        [2, 0, 3]
    );
    assert_eq!(Array::arange(&ctx, 3, 3, 1).unwrap().shape(), [0]);
}

#[test]
fn errors_say_what_and_where() {
    let ctx = Context::default();
    let x = Array::zeros(&ctx, &[2, 3], DType::F32).unwrap();
    let y = Array::zeros(&ctx, &[2, 4], DType::F32).unwrap();
    assert_eq!(
        binary(&ctx, BinaryOp::Add, &x, &y).unwrap_err().to_string(),
        "shapes [2, 3] and [2, 4] don't broadcast"
    );
    let error = index(&ctx, &x, &[IndexItem::Ellipsis, IndexItem::Int(3)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "index 3 is out of range for axis 1 of size 3"
    );
    let three = Array::from_slice(&ctx, &[5_i64, 7], &[2]).unwrap();
    let zero = Array::from_slice(&ctx, &[2_i64, 0], &[2]).unwrap();
    for op in [BinaryOp::FloorDiv, BinaryOp::Remainder, BinaryOp::Fmod] {
        let error = binary(&ctx, op, &three, &zero).unwrap_err();
        assert_eq!(error, ArrayError::ZeroDivision { op: op.name() });
    }
    let negative = Array::from_slice(&ctx, &[2_i64, -1], &[2]).unwrap();
    assert_eq!(
        binary(&ctx, BinaryOp::Pow, &three, &negative).unwrap_err(),
        ArrayError::NegativePower
    );
    assert!(one_hot(&ctx, &three, 7, DType::F32).is_err());
    assert!(Array::zeros(&ctx, &[1; 65], DType::F32).is_err());
    assert!(x.broadcast_to(&[usize::MAX, 2, 3]).is_err());
    assert!(x.permute(&[0, 0]).is_err() && x.permute(&[1]).is_err() && x.select(2, 0).is_err());
    let mut expr = Expr::new();
    expr.push(Node::Unary(UnaryOp::Exp, 3));
    expr.outs.push(Out::Store(0));
    assert!(matches!(expr.eval(&ctx), Err(ArrayError::BadExpr { .. })));
}

#[test]
fn integers_wrap() {
    let ctx = Context::default();
    let x = Array::from_slice(&ctx, &[i64::MAX, i64::MIN], &[2]).unwrap();
    let one = Array::scalar(&ctx, Scalar::I64(1)).unwrap();
    let minus = Array::scalar(&ctx, Scalar::I64(-1)).unwrap();
    let run = |op, y: &Array| binary(&ctx, op, &x, y).unwrap().to_vec_i64();
    assert_eq!(run(BinaryOp::Add, &one), [i64::MIN, i64::MIN + 1]);
    assert_eq!(run(BinaryOp::FloorDiv, &minus), [-i64::MAX, i64::MIN]);
    assert_eq!(run(BinaryOp::Remainder, &minus), [0, 0]);
    assert_eq!(
        unary(&ctx, UnaryOp::Neg, &x).unwrap().to_vec_i64(),
        [-i64::MAX, i64::MIN]
    );
}

#[test]
fn reports_say_how_a_plan_ran() {
    let ctx = Context::default();
    let x = Array::ones(&ctx, &[4, 5, 6], DType::F32).unwrap();
    let row = Array::ones(&ctx, &[6], DType::F32).unwrap();
    ctx.set_tracing(true);
    let _ = binary(&ctx, BinaryOp::Add, &x, &x).unwrap();
    let _ = binary(&ctx, BinaryOp::Mul, &x, &row).unwrap();
    let _ = x.reshape(&ctx, &[20, 6]).unwrap();
    let mut expr = Expr::new();
    let a = expr.input(&x);
    let b = expr.push(Node::Unary(UnaryOp::Exp, a));
    let node = expr.push(Node::Binary(BinaryOp::Mul, a, b));
    expr.outs.push(Out::Reduce {
        node,
        op: ReduceOp::Sum,
        axes: vec![2],
        keepdims: false,
    });
    let _ = expr.eval(&ctx).unwrap();
    let _ = matmul(&ctx, &x, &x.transpose(1, 2).unwrap()).unwrap();
    let reports = ctx.take_reports();
    let kinds: Vec<_> = reports.iter().map(|r| r.kind).collect();
    assert_eq!(
        kinds,
        [
            LoopKind::One,
            LoopKind::Strided,
            LoopKind::View,
            LoopKind::Fused,
            LoopKind::Matmul
        ]
    );
    assert_eq!((&reports[0].shape[..], reports[0].bytes), (&[120][..], 480));
    assert_eq!(reports[1].shape, [20, 6]);
    assert_eq!(reports[1].strides, [[24, 4], [0, 4]]);
    assert_eq!(reports[3].ops, ["exp", "mul", "sum"]);
    assert_eq!(
        (&reports[3].shape[..], reports[3].bytes),
        (&[20, 6][..], 80)
    );
    assert!(ctx.take_reports().is_empty());
}

#[test]
fn results_lie_as_their_operands_do() {
    let ctx = Context::default();
    let x = Array::ones(&ctx, &[3, 4, 5], DType::F32)
        .unwrap()
        .permute(&[2, 0, 1])
        .unwrap();
    let y = unary(&ctx, UnaryOp::Exp, &x).unwrap();
    assert_eq!(y.strides(), x.strides());
}
