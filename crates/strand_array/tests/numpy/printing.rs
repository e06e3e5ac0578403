//! Arrays and scalars as NumPy prints them.

use serde_json::Value as Json;
use strand_array::{Context, FloatMode, PrintOptions, Value, array_repr, array_str};

use crate::common::{array, cases, finish};

fn options(given: &Json) -> PrintOptions {
    let number = |name: &str| given[name].as_u64().unwrap() as usize;
    PrintOptions {
        precision: number("precision"),
        threshold: number("threshold"),
        edgeitems: number("edgeitems"),
        linewidth: number("linewidth"),
        suppress: given["suppress"].as_bool().unwrap(),
        sign: given["sign"].as_str().unwrap().chars().next().unwrap(),
        floatmode: match given["floatmode"].as_str().unwrap() {
            "fixed" => FloatMode::Fixed,
            "unique" => FloatMode::Unique,
            "maxprec_equal" => FloatMode::MaxprecEqual,
            _ => FloatMode::Maxprec,
        },
        ..PrintOptions::default()
    }
}

#[test]
fn row_6_arrays_and_scalars_print_as_numpys_do() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("printing") {
        let (array, options) = (array(&ctx, &case["a"]), options(&case["options"]));
        let mut compare = |what: &str, found: String, expected: &Json| {
            checked += 1;
            if found != expected.as_str().unwrap() {
                let dtype = &case["a"]["d"];
                let expected = expected.as_str().unwrap();
                complaints.push(format!(
                    "{what} of {dtype} {}:\n{found}\nnot\n{expected}",
                    case["options"]
                ));
            }
        };
        compare("repr", array_repr(&array, &options), &case["repr"]);
        compare("str", array_str(&array, &options), &case["str"]);
        if case["scalar"].is_array() {
            let first = array.element_at(&vec![0; array.rank()]).unwrap();
            if let Value::Item(item) = &first {
                compare("str of a scalar", item.to_string(), &case["scalar"][0]);
            }
            compare("repr of a scalar", first.to_string(), &case["scalar"][1]);
        }
    }
    finish(checked, 1000, &complaints);
}
