//! Compiled loops where nothing runs them: the modules are right WebAssembly, and what can't be compiled is interpreted.
//! `tests/wasm/kernels.mjs` runs them.

use std::cell::RefCell;
use std::rc::Rc;

use strand_array::jit::{Host, Kernels, Slot};
use strand_array::{
    Array, BinaryOp, Context, DType, Expr, LoopKind, Node, Out, ReduceOp, Result, Scalar, UnaryOp,
};

/// Keeps the modules and compiles none.
#[derive(Clone, Default)]
struct Collector(Rc<RefCell<Vec<Vec<u8>>>>);

impl Host for Collector {
    fn compile(&self, module: &[u8]) -> Option<Slot> {
        self.0.borrow_mut().push(module.to_vec());
        None
    }

    fn release(&self, _: Slot) {
        panic!("no slot was given");
    }
}

impl Collector {
    fn context(&self, always: bool) -> Context {
        let kernels = Kernels::new(Box::new(self.clone()));
        kernels.compile_always(always);
        Context::default().with_kernels(Some(kernels))
    }

    fn count(&self) -> usize {
        self.0.borrow().len()
    }
}

const DTYPES: [DType; 8] = [
    DType::Bool,
    DType::I8,
    DType::U16,
    DType::I32,
    DType::U32,
    DType::I64,
    DType::F32,
    DType::F64,
];

fn array(ctx: &Context, dtype: DType) -> Array {
    let plain = Array::arange(ctx, 0, 40, 1).unwrap();
    let plain = plain.reshape(ctx, &[4, 10]).unwrap();
    plain.cast(ctx, dtype).unwrap()
}

/// As it is, every second column turned around, and one column for all.
fn forms(x: &Array) -> [Array; 3] {
    let strided = x.slice(1, None, None, -2).unwrap();
    let one = x.slice(1, Some(3), Some(4), 1).unwrap();
    [x.clone(), strided, one.broadcast_to(&[4, 5]).unwrap()]
}

/// Evaluates one node over two inputs with and without a host; errors agree too.
fn both(ctx: &Context, x: &Array, y: &Array, node: Node) -> Result<()> {
    let mut expr = Expr::new();
    expr.input(x);
    expr.input(y);
    let node = expr.push(node);
    expr.outs.push(Out::Store(node));
    let (plain, found) = (expr.eval(&Context::default()), expr.eval(ctx));
    match (plain, found) {
        (Ok(plain), Ok(found)) => assert_eq!(bits(&plain[0]), bits(&found[0])),
        (plain, found) => assert_eq!(plain.err(), found.err()),
    }
    Ok(())
}

fn bits(array: &Array) -> Vec<u64> {
    array.to_vec_f64().into_iter().map(f64::to_bits).collect()
}

#[test]
fn every_template_makes_a_valid_module() {
    let collector = Collector::default();
    let ctx = collector.context(true);
    for dtype in DTYPES {
        let whole = array(&ctx, dtype);
        for x in forms(&whole) {
            for &op in UnaryOp::ALL {
                both(&ctx, &x, &x, Node::Unary(op, 0)).unwrap();
            }
            for to in DTYPES {
                both(&ctx, &x, &x, Node::Cast(to, 0)).unwrap();
            }
        }
        let [_, x, y] = forms(&whole);
        for &op in BinaryOp::ALL {
            both(&ctx, &x, &y, Node::Binary(op, 0, 1)).unwrap();
        }
        both(&ctx, &y, &x, Node::Select(0, 0, 1)).unwrap();
    }
    let modules = collector.0.borrow();
    assert!(modules.len() > 500, "only {} modules", modules.len());
    for module in modules.iter() {
        if let Err(error) = wasmparser::validate(module) {
            panic!("{error}: {module:x?}");
        }
    }
}

/// The instructions of a module's function, by their names.
fn instructions(module: &[u8]) -> Vec<String> {
    let parts = wasmparser::Parser::new(0).parse_all(module);
    let bodies = parts.filter_map(|part| match part.unwrap() {
        wasmparser::Payload::CodeSectionEntry(body) => Some(body),
        _ => None,
    });
    bodies
        .flat_map(|body| {
            let operators = body.get_operators_reader().unwrap();
            operators
                .into_iter()
                .map(|found| format!("{:?}", found.unwrap()))
        })
        .collect()
}

#[test]
fn loops_over_f64_have_no_arithmetic_of_f32() {
    let collector = Collector::default();
    let ctx = collector.context(true);
    let x = array(&ctx, DType::F64);
    for op in [UnaryOp::Exp, UnaryOp::Sin, UnaryOp::Gelu, UnaryOp::Softplus] {
        both(&ctx, &x, &x, Node::Unary(op, 0)).unwrap();
    }
    assert!(collector.count() >= 4);
    for module in collector.0.borrow().iter() {
        let names = instructions(module);
        assert!(names.iter().any(|name| name.starts_with("V128Load")));
        let foreign = names.iter().find(|name| name.starts_with("F32x4"));
        assert_eq!(foreign, None);
    }
}

/// `x * 2 + 1`, or its sum.
fn scaled(x: &Array, factor: f32, sum: bool) -> Expr {
    let mut expr = Expr::new();
    let input = expr.input(x);
    let two = expr.push(Node::Const(Scalar::F32(factor)));
    let product = expr.push(Node::Binary(BinaryOp::Mul, input, two));
    let node = expr.push(Node::Binary(BinaryOp::Add, product, two));
    expr.outs.push(match sum {
        false => Out::Store(node),
        true => Out::Reduce {
            node,
            op: ReduceOp::Sum,
            axes: vec![0],
            keepdims: false,
        },
    });
    expr
}

#[test]
fn a_loop_is_compiled_for_much_work_or_the_third_time_and_never_for_little() {
    let collector = Collector::default();
    let ctx = collector.context(false);
    let run = |count: usize, factor: f32| {
        let x = Array::zeros(&ctx, &[count], DType::F32).unwrap();
        scaled(&x, factor, false).eval(&ctx).unwrap();
        collector.count()
    };
    assert_eq!([1, 2, 3, 4].map(|_| run(100, 2.0)), [0; 4]);
    // Neither the number of elements nor a constant makes it another loop.
    assert_eq!([2.0, 3.0].map(|factor| run(5000, factor)), [0; 2]);
    assert_eq!(run(6000, 4.0), 1);
    // What can't be compiled is asked for once.
    assert_eq!(run(200_000, 4.0), 1);
    let x = Array::zeros(&ctx, &[200_000], DType::F32).unwrap();
    scaled(&x, 2.0, true).eval(&ctx).unwrap();
    assert_eq!(
        collector.count(),
        1,
        "a sum of the same steps writes the same results"
    );
    let y = Array::zeros(&ctx, &[200_000], DType::F64).unwrap();
    scaled(&y, 2.0, false).eval(&ctx).unwrap();
    assert_eq!(collector.count(), 2);
}

#[test]
fn what_no_host_compiles_is_interpreted() {
    let collector = Collector::default();
    let ctx = collector.context(true);
    ctx.set_tracing(true);
    let x = Array::from_slice(&ctx, &[1.0_f32, 2.0, 3.0], &[3]).unwrap();
    let found = scaled(&x, 2.0, false).eval(&ctx).unwrap();
    assert_eq!(found[0].to_vec_f64(), [4.0, 6.0, 8.0]);
    assert_eq!(ctx.take_reports()[0].kind, LoopKind::Fused);
    assert_eq!(collector.count(), 1);
}

#[test]
fn a_constant_that_is_a_result_fills_it_however_long_it_is() {
    let ctx = Context::default();
    let x = Array::zeros(&ctx, &[3000], DType::F32).unwrap();
    let mut expr = Expr::new();
    let x = expr.input(&x);
    let seven = expr.push(Node::Const(Scalar::F32(7.0)));
    let node = expr.push(Node::Binary(BinaryOp::Sub, x, seven));
    expr.outs = vec![Out::Store(node), Out::Store(seven)];
    let found = expr.eval(&ctx).unwrap();
    assert!(found[0].to_vec_f64().iter().all(|v| *v == -7.0));
    assert!(found[1].to_vec_f64().iter().all(|v| *v == 7.0));
}
