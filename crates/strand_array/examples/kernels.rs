//! Random expressions for `tests/wasm/kernels.mjs`: each is evaluated by the block kernels and by a compiled loop, and
//! the results are compared to the bit.

mod host;

use std::cell::RefCell;

use strand_array::jit::Kernels;
use strand_array::{
    Array, ArrayError, BinaryOp, Context, DType, Expr, LoopKind, Node, Out, ReduceOp, Result,
    Scalar, UnaryOp,
};

/// What became of an expression.
const MISMATCH: i32 = -1;
const INTERPRETED: i32 = 0;
const COMPILED: i32 = 1;
const FAILED: i32 = 2;

struct Tested {
    kernels: Option<Kernels>,
    message: String,
    /// Results that took an operand's memory.
    spent: usize,
}

thread_local! {
    static TESTED: RefCell<Tested> = RefCell::new(Tested { kernels: host::kernels(), message: String::new(), spent: 0 });
}

/// Evaluates the expression of a seed both ways: -1 where they differ, 0 where no loop was compiled, 1 where one was,
/// 2 where both gave the same error.
#[unsafe(no_mangle)]
pub extern "C" fn check(seed: u32) -> i32 {
    TESTED.with_borrow_mut(|tested| {
        let (verdict, message, spent) = compare(&mut Random::new(seed), tested.kernels.clone());
        tested.message = message;
        tested.spent += spent;
        verdict
    })
}

/// Drops the compiled loops.
#[unsafe(no_mangle)]
pub extern "C" fn forget() {
    TESTED.with_borrow_mut(|tested| tested.kernels = None);
}

/// How many results took the memory of an operand.
#[unsafe(no_mangle)]
pub extern "C" fn spent() -> usize {
    TESTED.with_borrow(|tested| tested.spent)
}

/// Where the last expression is described.
#[unsafe(no_mangle)]
pub extern "C" fn message() -> *const u8 {
    TESTED.with_borrow(|tested| tested.message.as_ptr())
}

/// Bytes of the description.
#[unsafe(no_mangle)]
pub extern "C" fn message_length() -> usize {
    TESTED.with_borrow(|tested| tested.message.len())
}

fn compare(random: &mut Random, kernels: Option<Kernels>) -> (i32, String, usize) {
    let plain = Context::default();
    let expr = match random.expression(&plain) {
        Ok(expr) => expr,
        Err(error) => return (MISMATCH, format!("no expression: {error}"), 0),
    };
    if let Some(kernels) = &kernels {
        kernels.compile_always(true);
    }
    let compiling = Context::default().with_kernels(kernels);
    compiling.set_tracing(true);
    let (slow, fast) = (expr.eval(&plain), expr.eval(&compiling));
    let reports = compiling.take_reports();
    let compiled = reports.iter().any(|r| r.kind == LoopKind::Compiled);
    let spending = alone(&expr, &compiling).and_then(|expr| expr.eval_spending(&compiling));
    let spent = compiling.spent();
    match (slow, fast) {
        (Ok(slow), Ok(fast)) => {
            if !spending.is_ok_and(|found| slow.iter().zip(&found).all(|(a, b)| same(a, b))) {
                return (MISMATCH, format!("spending {:?}", expr.nodes), spent);
            }
            let same = slow.len() == fast.len() && slow.iter().zip(&fast).all(|(a, b)| same(a, b));
            let verdict = match (same, compiled) {
                (false, _) => MISMATCH,
                (true, true) => COMPILED,
                (true, false) => INTERPRETED,
            };
            (verdict, describe(&expr, &slow, &fast), spent)
        }
        (Err(slow), Err(fast)) if slow == fast => (FAILED, String::new(), spent),
        (slow, fast) => {
            let error = |r: Result<Vec<Array>>| r.err().map(|e: ArrayError| e.to_string());
            let (slow, fast) = (error(slow), error(fast));
            (
                MISMATCH,
                format!("{slow:?} and {fast:?} of {:?}", expr.nodes),
                spent,
            )
        }
    }
}

/// The expression over copies of its inputs that nothing else holds, in the same layouts.
fn alone(expr: &Expr, ctx: &Context) -> Result<Expr> {
    let copy = |a: &Array| {
        let (bytes, descr) = (a.block_bytes(), a.descr().clone());
        Array::from_bytes(ctx, &bytes, a.offset(), a.shape(), a.strides(), descr)
    };
    Ok(Expr {
        inputs: expr.inputs.iter().map(copy).collect::<Result<_>>()?,
        ..expr.clone()
    })
}

/// Whether two arrays have the same layout and the same elements; any two NaN are the same.
fn same(a: &Array, b: &Array) -> bool {
    let is_alike = a.shape() == b.shape() && a.strides() == b.strides() && a.dtype() == b.dtype();
    let elements = match a.dtype() {
        DType::I64 => a.to_vec_i64() == b.to_vec_i64(),
        DType::F32 | DType::F64 => {
            let pairs = a.to_vec_f64().into_iter().zip(b.to_vec_f64());
            pairs
                .into_iter()
                .all(|(x, y)| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan())
        }
        _ => a.block_bytes() == b.block_bytes(),
    };
    is_alike && elements
}

fn describe(expr: &Expr, slow: &[Array], fast: &[Array]) -> String {
    let inputs: Vec<_> = expr
        .inputs
        .iter()
        .map(|a| (a.dtype(), a.shape(), a.strides()))
        .collect();
    let first = slow.iter().zip(fast).find_map(|(a, b)| {
        let (x, y) = (a.to_vec_f64(), b.to_vec_f64());
        let at = x
            .iter()
            .zip(&y)
            .position(|(x, y)| x.to_bits() != y.to_bits())?;
        Some((at, x.get(at).copied(), y.get(at).copied()))
    });
    format!(
        "{:?} of {inputs:?} with {:?}: {first:?}",
        expr.nodes, expr.outs
    )
}

/// A generator of random numbers, xorshift.
struct Random(u64);

const DTYPES: [DType; 16] = [
    DType::F32,
    DType::F32,
    DType::F32,
    DType::F32,
    DType::F32,
    DType::F64,
    DType::F64,
    DType::I64,
    DType::I64,
    DType::I32,
    DType::I16,
    DType::U8,
    DType::I8,
    DType::Bool,
    DType::Bool,
    DType::F16,
];

const SIZES: [usize; 22] = [
    0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 18, 31, 33, 64, 100, 127, 511, 513, 700, 1500,
];

const FLOATS: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    -2.5,
    3.5,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e-40,
    -1e-40,
    1e38,
    -3e38,
    1e300,
    1e-310,
    88.7,
    -103.9,
    1e6,
    1.5e6,
    1e10,
    0.64,
    0.95,
];

const WHOLE: [i64; 12] = [
    0,
    1,
    -1,
    2,
    3,
    127,
    128,
    -129,
    40_000,
    i32::MIN as i64,
    i64::MAX,
    i64::MIN,
];

impl Random {
    fn new(seed: u32) -> Self {
        let mut random = Self(u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..4).for_each(|_| {
            random.next();
        });
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 20
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn float(&mut self) -> f64 {
        match self.below(3) {
            0 => self.of(&FLOATS),
            1 => self.below(2_000_001) as f64 / 1e5 - 10.0,
            _ => (self.below(2_000_001) as f64 / 1e6 - 1.0) * 10_f64.powi(self.below(8) as i32 - 3),
        }
    }

    fn whole(&mut self) -> i64 {
        match self.one_in(3) {
            true => self.of(&WHOLE),
            false => self.below(2001) as i64 - 1000,
        }
    }

    fn scalar(&mut self, dtype: DType) -> Scalar {
        match dtype {
            DType::F32 | DType::F64 | DType::F16 => Scalar::F64(self.float()).cast(dtype),
            DType::Bool => Scalar::Bool(self.one_in(2)),
            _ => Scalar::I64(self.whole()).cast(dtype),
        }
    }

    /// An array that broadcasts to the shape: with sizes of 1, axes in another order, gaps, or turned around.
    fn array(&mut self, ctx: &Context, shape: &[usize]) -> Result<Array> {
        let dtype = self.of(&DTYPES);
        let rank = shape.len();
        let mut order: Vec<usize> = (0..rank).collect();
        if self.one_in(4) {
            order.reverse();
        }
        let step = if self.one_in(4) { 2 + self.below(2) } else { 1 };
        let spread = !self.one_in(3);
        let stored: Vec<usize> = order
            .iter()
            .enumerate()
            .map(|(at, &axis)| {
                let size = if spread || !self.one_in(2) {
                    shape[axis]
                } else {
                    1
                };
                if at + 1 == rank { size * step } else { size }
            })
            .collect();
        let count = stored.iter().product();
        let whole = match dtype {
            DType::F32 | DType::F64 | DType::F16 => {
                let values: Vec<f64> = (0..count).map(|_| self.float()).collect();
                Array::from_slice(ctx, &values, &stored)?
            }
            DType::Bool => {
                let values: Vec<bool> = (0..count).map(|_| self.one_in(2)).collect();
                Array::from_slice(ctx, &values, &stored)?
            }
            _ => {
                let values: Vec<i64> = (0..count).map(|_| self.whole()).collect();
                Array::from_slice(ctx, &values, &stored)?
            }
        };
        let mut array = whole.cast(ctx, dtype)?;
        if step > 1 && rank > 0 {
            let size = stored[rank - 1];
            let start = self.below(step) as i64;
            array = array.slice(rank - 1, Some(start), Some(size as i64), step as i64)?;
        }
        let mut back = vec![0; rank];
        for (at, &axis) in order.iter().enumerate() {
            back[axis] = at;
        }
        array = array.permute(&back)?;
        for axis in 0..rank {
            if self.one_in(8) {
                array = array.flip(axis)?;
            }
        }
        array.broadcast_to(shape)
    }

    fn shape(&mut self) -> Vec<usize> {
        let rank = self.of(&[0, 1, 1, 1, 2, 2, 2, 3]);
        let mut shape: Vec<usize> = (0..rank).map(|_| self.of(&SIZES)).collect();
        while shape.iter().product::<usize>() > 4000 {
            for size in &mut shape {
                *size = (*size).min(3 + *size / 3);
            }
        }
        shape
    }

    fn expression(&mut self, ctx: &Context) -> Result<Expr> {
        let shape = self.shape();
        let mut expr = Expr::new();
        for _ in 0..1 + self.below(3) {
            expr.input(&self.array(ctx, &shape)?);
        }
        let many = 1 + self.below(12);
        while expr.nodes.len() < expr.inputs.len() + many {
            let node = self.node(&expr);
            expr.push(node);
            if expr.dtypes().is_err() {
                expr.nodes.pop();
            }
        }
        let last = expr.nodes.len() - 1;
        expr.outs.push(Out::Store(last));
        match self.below(5) {
            0 => expr.outs.push(Out::Store(self.below(last))),
            1 => {
                let axes = (0..shape.len()).filter(|_| !self.one_in(3)).collect();
                expr.outs = vec![Out::Reduce {
                    node: last,
                    op: self.of(&[
                        ReduceOp::Sum,
                        ReduceOp::Max,
                        ReduceOp::Any,
                        ReduceOp::ArgMin,
                        ReduceOp::Mean,
                    ]),
                    axes,
                    keepdims: false,
                }];
            }
            _ => {}
        }
        Ok(expr)
    }

    fn node(&mut self, expr: &Expr) -> Node {
        let count = expr.nodes.len();
        // The latest nodes, mostly, so that few are left out of the result.
        let mut place = || match self.one_in(3) {
            true => self.below(count),
            false => count - 1 - self.below(count.min(3)),
        };
        let (a, b, c) = (place(), place(), place());
        match self.below(10) {
            0 => {
                let dtype = self.of(&DTYPES);
                Node::Const(self.scalar(dtype))
            }
            1 => Node::Select(a, b, c),
            2 => Node::Cast(self.of(&DTYPES), a),
            3..=5 => Node::Unary(self.of(UnaryOp::ALL), a),
            _ => Node::Binary(self.of(BinaryOp::ALL), a, b),
        }
    }
}
