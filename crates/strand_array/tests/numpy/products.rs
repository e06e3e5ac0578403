//! Row 29: products of vectors and matrices.

use serde_json::Value;
use strand_array::linalg::{CoreAxes, ProductOptions, matmul, matvec, vecdot, vecmat};
use strand_array::{Array, Casting, Context, DType, Result};

use crate::common::{array, cases, class_differs, descr, finish};
use crate::values::{complex, complex_of, differs, form_differs};

#[test]
fn row_29_products_of_every_dtype_and_layout() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("products") {
        checked += 1;
        let found = call(&ctx, &case);
        if let Some(why) = compare(&ctx, &found, &case["r"]) {
            complaints.push(format!("{case}: {why}"));
        }
    }
    finish(checked, 800, &complaints);
}

fn call(ctx: &Context, case: &Value) -> Result<Array> {
    let (a, b) = (array(ctx, &case["a"]), array(ctx, &case["b"]));
    let out = case.get("out").map(|out| array(ctx, out));
    let given = &case["k"];
    let axes: Option<Vec<Vec<i64>>> = given["axes"].as_array().map(|axes| {
        let numbers = |entry: &Value| {
            entry
                .as_array()
                .unwrap()
                .iter()
                .map(|v| v.as_i64().unwrap())
                .collect()
        };
        axes.iter().map(numbers).collect()
    });
    let axes: Option<Vec<&[i64]>> = axes
        .as_ref()
        .map(|axes| axes.iter().map(Vec::as_slice).collect());
    let options = ProductOptions {
        out: out.as_ref(),
        core: CoreAxes {
            axes: axes.as_deref(),
            axis: given["axis"].as_i64(),
            keepdims: given["keepdims"].as_bool(),
        },
        dtype: given.get("dtype").map(descr),
        casting: given["casting"]
            .as_str()
            .map_or(Casting::SameKind, |name| Casting::named(name).unwrap()),
    };
    let product = match case["f"].as_str().unwrap() {
        "matmul" => matmul,
        "vecdot" => vecdot,
        "matvec" => matvec,
        _ => vecmat,
    };
    let found = product(ctx, &a, &b, &options)?;
    if let Some(out) = out {
        assert!(found.shares_block(&out));
    }
    Ok(found)
}

/// Integers and bools are equal; of floats the distance is measured by the sum of the products' sizes.
fn compare(ctx: &Context, found: &Result<Array>, expected: &Value) -> Option<String> {
    let Some(scale) = expected.get("scale") else {
        return differs(ctx, found, expected);
    };
    if let Some(why) = class_differs(found, expected) {
        return Some(why);
    }
    let found = found.as_ref().unwrap();
    if let Some(why) = form_differs(found, &expected["v"]) {
        return Some(why);
    }
    let mut step = precision(descr(&expected["used"]).dtype());
    if found.dtype().is_float() || found.dtype().is_complex() {
        step = step.max(precision(found.dtype()));
    } else {
        // A sum beside a whole number may be cut to either.
        return None;
    }
    let wanted = complex_of(ctx, &expected["v"]);
    let scales = complex_of(ctx, scale);
    for (i, (found, wanted)) in complex(ctx, found).into_iter().zip(wanted).enumerate() {
        let near = |a: f64, b: f64| {
            let enough = 4.0 * step * scales[i].0 + f64::from_bits(1 << 52);
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= enough.max(smallest(step))
        };
        if !(near(found.0, wanted.0) && near(found.1, wanted.1)) {
            return Some(format!("element {i} is {found:?}, not {wanted:?}"));
        }
    }
    None
}

fn precision(dtype: DType) -> f64 {
    match dtype {
        DType::BF16 => 2_f64.powi(-8),
        DType::F16 => 2_f64.powi(-11),
        DType::F32 | DType::C64 => 2_f64.powi(-24),
        _ => 2_f64.powi(-53),
    }
}

/// The least subnormal number of a type with that precision, about.
fn smallest(step: f64) -> f64 {
    if step > 1e-4 {
        2_f64.powi(-24)
    } else if step > 1e-8 {
        1e-44
    } else {
        0.0
    }
}
