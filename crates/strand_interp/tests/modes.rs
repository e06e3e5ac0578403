//! Dropout in both modes, functions without types, and what a call sees of the script.

mod common;

use common::{call_named, checked, run};
use strand_array::{Array, Context};
use strand_interp::{Fill, Value, sample_arguments};

fn data(value: &Value) -> Vec<f64> {
    match value {
        Value::Tensor(array) => array.to_vec_f64(),
        other => panic!("{other:?} isn't a tensor"),
    }
}

#[test]
fn dropout_zeroes_and_scales_in_training_alone() {
    let text = "fn f(x: [n], p: float) -> [n] = dropout(x, p=p)\nx = ones([4000])\n\
                with train:\n    f(x, 0.25)\n    f(x, 0.0)\n    f(x, 1.0)\n    f(x, 0.25)\n\
                with eval:\n    f(x, 0.25)\n";
    let (kept, report) = run(text);
    report.unwrap();
    let shown: Vec<_> = kept.shown.iter().map(|s| data(&s.value)).collect();
    let scaled = f64::from(1.0f32 / 0.75);
    assert!(
        shown[0]
            .iter()
            .all(|v| *v == 0.0 || (v - scaled).abs() < 1e-6)
    );
    let dropped = shown[0].iter().filter(|v| **v == 0.0).count();
    // 1,000 expected, with a deviation of 27.
    assert!((850..1150).contains(&dropped), "{dropped} of 4000");
    assert!(shown[1].iter().all(|v| *v == 1.0));
    assert!(shown[2].iter().all(|v| *v == 0.0));
    assert_ne!(shown[0], shown[3], "each call draws anew");
    assert!(shown[4].iter().all(|v| *v == 1.0));
}

#[test]
fn a_function_called_from_outside_isn_t_training() {
    let text = "fn f(x: [n]) -> [n] = dropout(x)\n";
    let x = Array::from_slice(&Context::default(), &[1.0f32, 2.0], &[2]).unwrap();
    let value = call_named(text, "f", vec![Value::Tensor(x)]).unwrap();
    assert_eq!(data(&value), [1.0, 2.0]);
}

#[test]
fn a_function_without_types_takes_any_shape() {
    let text = "fn swish(x) = x * sigmoid(x)\n";
    let checked = checked(text);
    let id = checked.program.find_function("swish").unwrap();
    let (values, sizes) = sample_arguments(
        &checked.program,
        id,
        &Default::default(),
        Fill::Index,
        1 << 20,
    )
    .unwrap();
    assert!(sizes.is_empty());
    assert_eq!(data(&call_named(text, "swish", values).unwrap()).len(), 5);
    let square = Array::zeros(&Context::default(), &[2, 3], strand_array::DType::F32).unwrap();
    match call_named(text, "swish", vec![Value::Tensor(square)]).unwrap() {
        Value::Tensor(array) => assert_eq!(array.shape(), [2, 3]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn several_results_are_a_tuple() {
    let text = "fn f(x: [n]) -> ([n], []) = (x * 2.0, sum(x))\nf([1.0, 2.0])\n";
    let (kept, report) = run(text);
    report.unwrap();
    let names: Vec<_> = kept
        .shown
        .iter()
        .map(|s| (s.name.as_str(), s.ty.as_str()))
        .collect();
    assert_eq!(
        names,
        [("f([1.0, 2.0])[0]", "[2]"), ("f([1.0, 2.0])[1]", "[]")]
    );
    let x = Array::from_slice(&Context::default(), &[1.0f32, 2.0], &[2]).unwrap();
    match call_named(text, "f", vec![Value::Tensor(x)]).unwrap() {
        Value::Tuple(parts) => assert_eq!(data(&parts[1]), [3.0]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn shown_values_name_their_axes() {
    let text =
        "dim D = 2\nfn f(x: [n D]) -> [n D] = x * 1.0\nx = normal([3 D], seed=1)\nf(x)\n1 + 1\n";
    let (kept, report) = run(text);
    report.unwrap();
    assert_eq!(kept.shown[0].axes, ["3", "D"]);
    assert_eq!(kept.shown[0].ty, "[3 D]");
    assert_eq!((kept.shown[1].line, kept.shown[1].ty.as_str()), (5, "int"));
}
