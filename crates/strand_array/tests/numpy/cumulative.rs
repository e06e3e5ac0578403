//! Row 31: running sums and products.

use strand_array::Context;
use strand_array::cumulative::{Running, RunningOptions, cumulative};

use crate::common::{array, cases, descr, finish};
use crate::values::{differs, relative};

#[test]
fn row_31_running_sums_and_products() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("cumulative") {
        checked += 1;
        let what = match case["f"].as_str().unwrap() {
            "cumsum" => Running::Sum,
            "cumprod" => Running::Product,
            "nancumsum" => Running::SumPastNan,
            "nancumprod" => Running::ProductPastNan,
            "cumulative_sum" => Running::Sum,
            _ => Running::Product,
        };
        let a = array(&ctx, &case["a"]);
        let out = case.get("out").map(|out| array(&ctx, out));
        let options = RunningOptions {
            axis: case["k"]["axis"].as_i64(),
            dtype: case["k"].get("dtype").map(descr),
            out: out.as_ref(),
            include_initial: case["k"]["include_initial"].as_bool() == Some(true),
        };
        let found = cumulative(&ctx, what, &a, &options);
        let why = if a.dtype().is_complex() || options.dtype.is_some_and(|d| d.dtype().is_complex())
        {
            relative(&ctx, &found, &case["r"], 1e-5)
        } else {
            differs(&ctx, &found, &case["r"])
        };
        if let Some(why) = why {
            complaints.push(format!("{case}: {why}"));
        }
    }
    finish(checked, 800, &complaints);
}
