//! The workloads of `cargo xtask bench`, as a module for the browser's worker.
//!
//! The host writes an operation's name at [`name`], gives its inputs by [`input`], calls [`prepare`], reads the
//! values by [`value`] and then times [`run`]. Inputs come from a hash that `tests/bench` has in JavaScript and
//! Python too.

mod host;

use std::cell::RefCell;

use strand_array::{
    Array, BinaryOp, Context, DType, Element, Expr, IndexItem, Node, Out, ReduceOp, Result, Scalar,
    ScanOp, UnaryOp, binary, index, layer_norm, matmul, reduce, scan, softmax, take,
};

const NAME_BYTES: usize = 32;

struct Bench {
    ctx: Context,
    name: [u8; NAME_BYTES],
    op: String,
    inputs: Vec<Array>,
    values: Vec<f64>,
}

thread_local! {
    static BENCH: RefCell<Bench> = RefCell::new(Bench {
        ctx: Context::default().with_kernels(host::kernels()),
        name: [0; NAME_BYTES],
        op: String::new(),
        inputs: Vec::new(),
        values: Vec::new(),
    });
}

fn bench<T>(work: impl FnOnce(&mut Bench) -> T) -> T {
    BENCH.with_borrow_mut(work)
}

/// Where the host writes a name, of at most 32 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn name() -> *mut u8 {
    bench(|b| b.name.as_mut_ptr())
}

/// Forgets the inputs and names the operation to come.
#[unsafe(no_mangle)]
pub extern "C" fn begin(length: usize) {
    bench(|b| {
        let bytes = b.name.get(..length).unwrap_or_default();
        b.op = String::from_utf8_lossy(bytes).into_owned();
        b.inputs.clear();
        b.values.clear();
        b.ctx.flush();
    });
}

/// Adds an input of `rows` by `columns`, or of rank 1 if `rows` is 0. Kinds: 0 f32 and 1 f64 from `low` to `high`,
/// 2 i64 of 40 bits, 3 i64 below `high`. Gives 0, or 1 for a failure.
#[unsafe(no_mangle)]
pub extern "C" fn input(
    kind: u32,
    rows: usize,
    columns: usize,
    low: f64,
    high: f64,
    seed: u32,
) -> u32 {
    let count = rows.max(1) * columns;
    let shape = if rows == 0 {
        vec![columns]
    } else {
        vec![rows, columns]
    };
    let hashes = (0..count as u32).map(|i| hash(i, seed));
    let unit = |h: u32| f64::from(h >> 8) / 16_777_216.0 * (high - low) + low;
    bench(|b| {
        let made = match kind {
            0 => filled(&b.ctx, &shape, hashes.map(|h| unit(h) as f32)),
            1 => filled(&b.ctx, &shape, hashes.map(unit)),
            2 => filled(&b.ctx, &shape, hashes.map(|h| i64::from(h) << 8)),
            _ => filled(&b.ctx, &shape, hashes.map(|h| i64::from(h % high as u32))),
        };
        made.map(|array| b.inputs.push(array)).is_err().into()
    })
}

fn filled<T: Element>(
    ctx: &Context,
    shape: &[usize],
    values: impl Iterator<Item = T>,
) -> Result<Array> {
    Array::from_slice(ctx, &values.collect::<Vec<_>>(), shape)
}

fn hash(i: u32, seed: u32) -> u32 {
    let mut h = i.wrapping_mul(0x9e37_79b1).wrapping_add(seed);
    h = (h ^ (h >> 16)).wrapping_mul(0x7feb_352d);
    h = (h ^ (h >> 15)).wrapping_mul(0x846c_a68b);
    h ^ (h >> 16)
}

/// Evaluates once and keeps the values; gives how many there are, or -1 for a failure.
#[unsafe(no_mangle)]
pub extern "C" fn prepare() -> i32 {
    bench(|b| match evaluate(&b.ctx, &b.op, &b.inputs) {
        Some(Ok(array)) => {
            b.values = array.to_vec_f64();
            b.values.len() as i32
        }
        _ => -1,
    })
}

/// One of the values, in C order.
#[unsafe(no_mangle)]
pub extern "C" fn value(at: usize) -> f64 {
    bench(|b| b.values.get(at).copied().unwrap_or(f64::NAN))
}

/// Evaluates so many times and drops each result; gives 0, or 1 for a failure.
#[unsafe(no_mangle)]
pub extern "C" fn run(times: usize) -> u32 {
    bench(|b| {
        let failed = |_| !matches!(evaluate(&b.ctx, &b.op, &b.inputs), Some(Ok(_)));
        (0..times).any(failed).into()
    })
}

fn evaluate(ctx: &Context, op: &str, inputs: &[Array]) -> Option<Result<Array>> {
    Some(match (op, inputs) {
        ("affine", [x, w, b]) => affine(ctx, x, w, b),
        ("chain", [x]) => chain(ctx, x),
        ("sum_last", [x]) => reduce(ctx, ReduceOp::Sum, x, &[1], false),
        ("sum_first", [x]) => reduce(ctx, ReduceOp::Sum, x, &[0], false),
        ("sum", [x]) => reduce(ctx, ReduceOp::Sum, x, &[0], false),
        ("softmax", [x]) => softmax(ctx, x, &[1]),
        ("matmul", [a, b]) => matmul(ctx, a, b),
        ("take", [x, places]) => take(ctx, x, places, 0),
        ("mask_sum", [x]) => mask_sum(ctx, x),
        ("where_sum", [x]) => where_sum(ctx, x),
        ("transpose", [x]) => x.transpose(0, 1).and_then(|turned| turned.copy(ctx)),
        ("add", [a, b]) => binary(ctx, BinaryOp::Add, a, b),
        ("cumsum", [x]) => scan(ctx, ScanOp::Sum, x, 1),
        ("row_softmax", [x, w]) => matmul(ctx, x, w).and_then(|y| softmax(ctx, &y, &[1])),
        ("small_adds", [a, b]) => {
            (0..10_000).try_fold(a.clone(), |sum, _| binary(ctx, BinaryOp::Add, &sum, b))
        }
        ("argmax", [x]) => reduce(ctx, ReduceOp::ArgMax, x, &[1], false),
        ("gram", [x]) => x.transpose(0, 1).and_then(|turned| matmul(ctx, x, &turned)),
        ("layer_norm", [x, scale, shift]) => normed(ctx, x, scale, shift),
        _ => return None,
    })
}

fn affine(ctx: &Context, x: &Array, w: &Array, b: &Array) -> Result<Array> {
    let mut expr = Expr::new();
    let (x, w, b) = (expr.input(x), expr.input(&w.insert_axis(1)?), expr.input(b));
    let product = expr.push(Node::Binary(BinaryOp::Mul, x, w));
    let node = expr.push(Node::Binary(BinaryOp::Add, product, b));
    stored(ctx, expr, Out::Store(node))
}

/// `gelu(x) * sigmoid(x) + x * x - x / 2`, with the gelu by tanh that the peers have.
fn chain(ctx: &Context, x: &Array) -> Result<Array> {
    use BinaryOp::{Add, Mul, Sub};
    let mut expr = Expr::new();
    let x = expr.input(x);
    let mut number = |v: f64| expr.push(Node::Const(Scalar::F32(v as f32)));
    let (half, one) = (number(0.5), number(1.0));
    let (inner, outer) = (
        number(0.044_715),
        number((2.0 / std::f64::consts::PI).sqrt()),
    );
    let mut two = |op, a, b| expr.push(Node::Binary(op, a, b));
    let square = two(Mul, x, x);
    let cube = two(Mul, square, x);
    let bent = two(Mul, inner, cube);
    let sum = two(Add, x, bent);
    let angle = two(Mul, outer, sum);
    let halved = two(Mul, half, x);
    let tanh = expr.push(Node::Unary(UnaryOp::Tanh, angle));
    let sigmoid = expr.push(Node::Unary(UnaryOp::Sigmoid, x));
    let mut two = |op, a, b| expr.push(Node::Binary(op, a, b));
    let lifted = two(Add, one, tanh);
    let gelu = two(Mul, halved, lifted);
    let gated = two(Mul, gelu, sigmoid);
    let raised = two(Add, gated, square);
    let node = two(Sub, raised, halved);
    stored(ctx, expr, Out::Store(node))
}

fn positive(ctx: &Context, x: &Array) -> Result<Array> {
    let mut expr = Expr::new();
    let x = expr.input(x);
    let zero = expr.push(Node::Const(Scalar::F32(0.0)));
    let node = expr.push(Node::Binary(BinaryOp::Gt, x, zero));
    stored(ctx, expr, Out::Store(node))
}

fn mask_sum(ctx: &Context, x: &Array) -> Result<Array> {
    let mask = positive(ctx, x)?;
    let kept = index(ctx, x, &[IndexItem::BoolArray(mask)])?;
    reduce(ctx, ReduceOp::Sum, &kept, &[0], false)
}

fn where_sum(ctx: &Context, x: &Array) -> Result<Array> {
    let mut expr = Expr::new();
    let x = expr.input(x);
    let zero = expr.push(Node::Const(Scalar::F32(0.0)));
    let condition = expr.push(Node::Binary(BinaryOp::Gt, x, zero));
    let node = expr.push(Node::Select(condition, x, zero));
    stored(
        ctx,
        expr,
        Out::Reduce {
            node,
            op: ReduceOp::Sum,
            axes: vec![0],
            keepdims: false,
        },
    )
}

fn normed(ctx: &Context, x: &Array, scale: &Array, shift: &Array) -> Result<Array> {
    let normal = layer_norm(ctx, x, &[1], 1e-5)?;
    let mut expr = Expr::new();
    let (x, g, b) = (expr.input(&normal), expr.input(scale), expr.input(shift));
    let product = expr.push(Node::Binary(BinaryOp::Mul, x, g));
    let node = expr.push(Node::Binary(BinaryOp::Add, product, b));
    stored(ctx, expr, Out::Store(node))
}

fn stored(ctx: &Context, mut expr: Expr, out: Out) -> Result<Array> {
    expr.outs = vec![out];
    let mut arrays = expr.eval(ctx)?;
    match arrays.pop() {
        Some(array) => Ok(array),
        None => Array::zeros(ctx, &[0], DType::F32),
    }
}
