//! Results compared with what PyTorch and NumPy gave.

mod common;

use common::{Near, decode, differs, finish, near, sizes, table, view};
use serde_json::Value;
use strand_array::{
    Array, BinaryOp, Context, DType, IndexItem, ReduceOp, Result, ScanOp, UnaryOp, argsort, binary,
    concat, index, index_set, log_softmax, matmul, normalize, npy, random::Generator, reduce, roll,
    scan, softmax, sort, stack, topk, tril, triu, unary,
};

#[test]
fn views_have_numpys_strides_and_elements() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in table("views").as_array().unwrap() {
        let shape = sizes(&case["shape"]);
        let count = shape.iter().product::<usize>() as i64;
        let base = Array::arange(&ctx, 0, count, 1)
            .unwrap()
            .reshape(&ctx, &shape)
            .unwrap();
        let found = view(&base, &case["steps"]);
        checked += 1;
        if let Some(why) = differs(&ctx, &Ok(found.clone()), &case["out"], Near::Exact) {
            complaints.push(format!("{case}: {why}"));
        }
        let strides: Vec<i64> = case["strides"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s.as_i64().unwrap())
            .collect();
        let matter = |i: usize| found.shape()[i] > 1 && !found.is_empty();
        if (0..strides.len()).any(|i| matter(i) && found.strides()[i] as i64 != strides[i]) {
            complaints.push(format!("{case}: strides {:?}", found.strides()));
        }
        if let Some(reshape) = case.get("reshape") {
            let wanted = sizes(&reshape["shape"]);
            let result = found.reshape(&ctx, &wanted);
            if let Some(why) = differs(&ctx, &result, &reshape["out"], Near::Exact) {
                complaints.push(format!("{case}: reshape: {why}"));
            }
            if result.unwrap().shares_block(&base) != reshape["view"].as_bool().unwrap() {
                complaints.push(format!(
                    "{case}: reshape should be a view: {}",
                    reshape["view"]
                ));
            }
        }
    }
    finish(checked, 100, &complaints);
}

/// What PyTorch's own error allows: 2 ulps, and a tolerance where a function loses digits.
fn unary_nearness(op: UnaryOp) -> Near {
    match op {
        UnaryOp::Abs
        | UnaryOp::Neg
        | UnaryOp::Sign
        | UnaryOp::Square
        | UnaryOp::Reciprocal
        | UnaryOp::Relu
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Round
        | UnaryOp::Trunc => Near::Exact,
        UnaryOp::Gelu => Near::Relative(1e-6, 1e-6),
        _ => Near::Ulps(2),
    }
}

#[test]
fn unary_operations_give_pytorchs_values() {
    let ctx = Context::default();
    let table = table("elementwise");
    let (mut complaints, mut checked) = (vec![], 0);
    for case in table["unary"].as_array().unwrap() {
        let op = UnaryOp::ALL
            .iter()
            .find(|op| op.name() == case["op"])
            .unwrap();
        let input = decode(&ctx, &table["unary_inputs"][case["in"].as_str().unwrap()]);
        let found = unary(&ctx, *op, &input);
        checked += 1;
        if let Some(why) = differs(&ctx, &found, &case["out"], unary_nearness(*op)) {
            complaints.push(format!("{} of {}: {why}", case["op"], case["in"]));
        }
    }
    finish(checked, 140, &complaints);
}

#[test]
fn binary_operations_give_pytorchs_values() {
    let ctx = Context::default();
    let table = table("elementwise");
    let (mut complaints, mut checked) = (vec![], 0);
    for case in table["binary"].as_array().unwrap() {
        let op = *BinaryOp::ALL
            .iter()
            .find(|op| op.name() == case["op"])
            .unwrap();
        let left = decode(&ctx, &table["binary_inputs"][case["in"].as_str().unwrap()]);
        let right = decode(&ctx, &case["right"]);
        let found = binary(&ctx, op, &left.insert_axis(1).unwrap(), &right);
        let how = match op {
            BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::Hypot => Near::Ulps(2),
            _ => Near::Exact,
        };
        checked += 1;
        if let Some(why) = differs(&ctx, &found, &case["out"], how) {
            complaints.push(format!("{} of {}: {why}", case["op"], case["in"]));
        }
    }
    finish(checked, 90, &complaints);
}

fn reduce_op(name: &str) -> ReduceOp {
    match name {
        "sum" => ReduceOp::Sum,
        "prod" => ReduceOp::Prod,
        "amax" => ReduceOp::Max,
        "amin" => ReduceOp::Min,
        "any" => ReduceOp::Any,
        "all" => ReduceOp::All,
        "count_nonzero" => ReduceOp::Count,
        "mean" => ReduceOp::Mean,
        "var" => ReduceOp::Var { correction: 1 },
        "std" => ReduceOp::Std { correction: 1 },
        "norm" => ReduceOp::Norm,
        "logsumexp" => ReduceOp::LogSumExp,
        "argmax" => ReduceOp::ArgMax,
        "argmin" => ReduceOp::ArgMin,
        other => panic!("reduction {other}"),
    }
}

#[test]
fn reductions_give_pytorchs_values() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in table("reductions").as_array().unwrap() {
        let name = case["op"].as_str().unwrap();
        let input = view(&decode(&ctx, &case["in"]), &case["steps"]);
        let axes = sizes(&case["axes"]);
        // PyTorch takes integers for a logsumexp, as floats; here that is an error.
        if name == "logsumexp" && !input.dtype().is_float() {
            continue;
        }
        let found = reduce(
            &ctx,
            reduce_op(name),
            &input,
            &axes,
            case["keepdims"].as_bool().unwrap(),
        );
        checked += 1;
        if let Some(why) = differs(&ctx, &found, &case["out"], Near::Relative(2e-6, 1e-6)) {
            complaints.push(format!("{case}: {why}"));
        }
    }
    finish(checked, 150, &complaints);
}

fn axis_operation(ctx: &Context, name: &str, x: &Array, axis: usize) -> Result<Array> {
    let k = axis as i64 - 1;
    match name {
        "cumsum" => scan(ctx, ScanOp::Sum, x, axis),
        "cumprod" => scan(ctx, ScanOp::Prod, x, axis),
        "cummax" => scan(ctx, ScanOp::Max, x, axis),
        "cummin" => scan(ctx, ScanOp::Min, x, axis),
        "logcumsumexp" => scan(ctx, ScanOp::LogSumExp, x, axis),
        "softmax" => softmax(ctx, x, &[axis]),
        "log_softmax" => log_softmax(ctx, x, &[axis]),
        "normalize" => normalize(ctx, x, &[axis]),
        "sort" => sort(ctx, x, axis, false),
        "sort_descending" => sort(ctx, x, axis, true),
        "argsort" => argsort(ctx, x, axis, false),
        "argsort_descending" => argsort(ctx, x, axis, true),
        "topk" => topk(ctx, x, x.shape()[axis] / 2, axis).map(|(values, _)| values),
        "roll" => roll(ctx, x, 2, axis),
        "tril" => tril(ctx, x, k),
        "triu" => triu(ctx, x, k),
        "flip" => x.flip(axis),
        "concat" => concat(ctx, &[x.clone(), x.clone(), x.clone()], axis),
        "stack" => stack(ctx, &[x.clone(), x.clone()], axis),
        other => panic!("operation {other}"),
    }
}

#[test]
fn operations_along_an_axis_give_pytorchs_values() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in table("axis").as_array().unwrap() {
        let name = case["op"].as_str().unwrap();
        let input = view(&decode(&ctx, &case["in"]), &case["steps"]);
        let axis = case["axis"].as_u64().unwrap() as usize;
        let found = axis_operation(&ctx, name, &input, axis);
        checked += 1;
        if let Some(why) = differs(&ctx, &found, &case["out"], Near::Relative(2e-6, 1e-6)) {
            complaints.push(format!("{case}: {why}"));
        }
    }
    finish(checked, 60, &complaints);
}

#[test]
fn products_give_pytorchs_values() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in table("products").as_array().unwrap() {
        let (a, b) = (decode(&ctx, &case["a"]), decode(&ctx, &case["b"]));
        checked += 1;
        if let Some(why) = differs(
            &ctx,
            &matmul(&ctx, &a, &b),
            &case["out"],
            Near::Relative(1e-6, 1e-5),
        ) {
            complaints.push(format!("{case}: {why}"));
        }
    }
    finish(checked, 60, &complaints);
}

fn index_item(ctx: &Context, item: &Value) -> IndexItem {
    match item[0].as_str().unwrap() {
        "int" => IndexItem::Int(item[1].as_i64().unwrap()),
        "slice" => IndexItem::Slice {
            start: item[1].as_i64(),
            stop: item[2].as_i64(),
            step: item[3].as_i64().unwrap(),
        },
        "newaxis" => IndexItem::NewAxis,
        "ellipsis" => IndexItem::Ellipsis,
        "array" => IndexItem::IntArray(decode(ctx, &item[1])),
        "mask" => IndexItem::BoolArray(decode(ctx, &item[1])),
        other => panic!("item {other}"),
    }
}

#[test]
fn indexing_gives_numpys_values_and_errors() {
    let ctx = Context::default();
    let (mut complaints, mut checked, mut set, mut failing) = (vec![], 0, 0, 0);
    for case in table("indexing").as_array().unwrap() {
        let shape = sizes(&case["shape"]);
        let count = shape.iter().product::<usize>() as i64;
        let base = Array::arange(&ctx, 0, count, 1)
            .unwrap()
            .reshape(&ctx, &shape)
            .unwrap();
        let items: Vec<_> = case["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|i| index_item(&ctx, i))
            .collect();
        let found = index(&ctx, &base, &items);
        checked += 1;
        failing += usize::from(found.is_err());
        if let Some(why) = differs(&ctx, &found, &case["out"], Near::Exact) {
            complaints.push(format!("{case}: {why}"));
        }
        if case.get("set").is_some() {
            set += 1;
            let changed = index_set(&ctx, &base, &items, &decode(&ctx, &case["value"]));
            if let Some(why) = differs(&ctx, &changed, &case["set"], Near::Exact) {
                complaints.push(format!("{case}: set: {why}"));
            }
        }
    }
    finish(checked, 300, &complaints);
    assert!(set > 100 && failing > 10, "{set} set, {failing} failing");
}

#[test]
fn draws_are_pytorchs() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in table("draws").as_array().unwrap() {
        let mut generator = Generator::new(case["seed"].as_u64().unwrap());
        let shape = [case["size"].as_u64().unwrap() as usize];
        let found = match case["op"].as_str().unwrap() {
            "uniform" => generator.uniform(&ctx, &shape),
            "normal" => generator.normal(&ctx, &shape, 0.3, 1.7),
            "wide" => generator.randint(&ctx, -(1 << 62), 1 << 62, &shape),
            _ => generator.randint(&ctx, -3, 10, &shape),
        };
        checked += 1;
        if let Some(why) = differs(&ctx, &found, &case["out"], Near::Exact) {
            complaints.push(format!(
                "{} {} {}: {why}",
                case["op"], case["seed"], case["size"]
            ));
        }
        if let Some(why) = differs(
            &ctx,
            &generator.uniform(&ctx, &[2]),
            &case["after"],
            Near::Exact,
        ) {
            complaints.push(format!("after {} {}: {why}", case["op"], case["seed"]));
        }
    }
    finish(checked, 20, &complaints);
}

#[test]
fn many_draws_have_pytorchs_bits() {
    let ctx = Context::default();
    for case in table("blocks").as_array().unwrap() {
        let sums = case["sums"].as_array().unwrap();
        let mut generator = Generator::new(case["seed"].as_u64().unwrap());
        let drawn = generator.normal(&ctx, &[sums.len() * 4096], 0.0, 1.0);
        let drawn = drawn.unwrap().to_vec::<f32>().unwrap();
        for (at, (block, sum)) in drawn.chunks(4096).zip(sums).enumerate() {
            let bits: u64 = block.iter().map(|x| u64::from(x.to_bits())).sum();
            assert_eq!(
                Some(bits),
                sum.as_u64(),
                "seed {}, block {at}",
                case["seed"]
            );
        }
    }
}

#[test]
fn files_of_numpy_are_read() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in table("files").as_array().unwrap() {
        let text = case["file"].as_str().unwrap();
        let file: Vec<u8> = (0..text.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap())
            .collect();
        let found = npy::read(&ctx, &file);
        checked += 1;
        if let Some(why) = differs(&ctx, &found, &case["out"], Near::Exact) {
            complaints.push(format!("{text}: {why}"));
        }
        let Ok(array) = found else { continue };
        let again = npy::read(&ctx, &npy::write(&array).unwrap());
        if let Some(why) = differs(&ctx, &again, &case["out"], Near::Exact) {
            complaints.push(format!("{text}: written and read again: {why}"));
        }
        for end in 0..file.len() {
            if npy::read(&ctx, &file[..end]).is_ok() {
                complaints.push(format!("{text}: cut at {end}, it should be an error"));
            }
        }
    }
    finish(checked, 40, &complaints);
}

#[test]
fn the_comparison_itself_notices_differences() {
    assert!(near(1.0, 1.0, DType::F32, Near::Exact));
    assert!(!near(
        1.0,
        f64::from(1.0_f32 + f32::EPSILON),
        DType::F32,
        Near::Exact
    ));
    assert!(near(
        1.0,
        f64::from(1.0_f32 + f32::EPSILON),
        DType::F32,
        Near::Ulps(1)
    ));
    assert!(near(-1e-45, 1e-45, DType::F32, Near::Ulps(2)));
    assert!(!near(f64::NAN, 1.0, DType::F64, Near::Ulps(5)));
}
