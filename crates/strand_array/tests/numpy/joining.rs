//! Row 32: arrays put together and cut apart.

use serde_json::Value;
use strand_array::joining::{
    Cuts, JoinOptions, Nested, array_split, block, column_stack, concatenate, dsplit, dstack,
    hsplit, hstack, repeat, split, stack, tile, unstack, vsplit, vstack,
};
use strand_array::{Array, Casting, Context, Result};

use crate::common::{array, cases, class_differs, descr, finish, strides};
use crate::values::differs;

#[test]
fn row_32_concatenate_stack_split_and_their_family() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("joining") {
        checked += 1;
        let why = if case.get("a").is_some() && case.get("times").is_none() {
            parts(&ctx, &case)
        } else {
            whole(&ctx, &case)
        };
        if let Some(why) = why {
            complaints.push(format!("{case}: {why}"));
        }
    }
    finish(checked, 1000, &complaints);
}

fn numbers(value: &Value) -> Vec<i64> {
    let items = value.as_array().unwrap().iter();
    items.map(|v| v.as_i64().unwrap()).collect()
}

fn whole(ctx: &Context, case: &Value) -> Option<String> {
    let all: Vec<Array> = case["all"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|a| array(ctx, a))
        .collect();
    let out = case.get("out").map(|out| array(ctx, out));
    let given = &case["k"];
    let axis = given["axis"].as_i64();
    let options = JoinOptions {
        out: out.as_ref(),
        dtype: given.get("dtype").map(descr),
        casting: given["casting"]
            .as_str()
            .map_or(Casting::SameKind, |name| Casting::named(name).unwrap()),
    };
    let found = match case["f"].as_str().unwrap() {
        "concatenate" => concatenate(ctx, &all, axis, &options),
        "stack" => stack(ctx, &all, axis.unwrap(), &options),
        "vstack" => vstack(ctx, &all, &options),
        "hstack" => hstack(ctx, &all, &options),
        "dstack" => dstack(ctx, &all, &options),
        "column_stack" => column_stack(ctx, &all, &options),
        "block" => block(ctx, &nested(ctx, &case["nested"])),
        "tile" => tile(ctx, &array(ctx, &case["a"]), &numbers(&case["times"])),
        _ => repeat(ctx, &array(ctx, &case["a"]), &numbers(&case["times"]), axis),
    };
    if let (Ok(found), Some(wanted)) = (&found, case.get("strides"))
        && !found.is_empty()
        && found.strides() != strides(wanted)
    {
        return Some(format!("strides {:?}, not {wanted}", found.strides()));
    }
    differs(ctx, &found, &case["r"])
}

fn nested(ctx: &Context, value: &Value) -> Nested {
    match value.as_array() {
        Some(items) => Nested::List(items.iter().map(|item| nested(ctx, item)).collect()),
        None => Nested::Array(array(ctx, value)),
    }
}

fn parts(ctx: &Context, case: &Value) -> Option<String> {
    let a = array(ctx, &case["a"]);
    let places = case["cuts"].as_array().map(|_| numbers(&case["cuts"]));
    let cuts = match &places {
        Some(places) => Cuts::Before(places),
        None => Cuts::Parts(case["cuts"].as_i64().unwrap_or(0)),
    };
    let axis = case["k"]["axis"].as_i64().unwrap_or(0);
    let found: Result<Vec<Array>> = match case["f"].as_str().unwrap() {
        "split" => split(&a, &cuts, axis),
        "array_split" => array_split(&a, &cuts, axis),
        "hsplit" => hsplit(&a, &cuts),
        "vsplit" => vsplit(&a, &cuts),
        "dsplit" => dsplit(&a, &cuts),
        _ => unstack(&a, axis),
    };
    let none = Value::Null;
    if let Some(why) = class_differs(&found, case.get("r").unwrap_or(&none)) {
        return Some(why);
    }
    let Ok(found) = found else { return None };
    let expected = case["parts"].as_array().unwrap();
    if found.len() != expected.len() {
        return Some(format!("{} parts, not {}", found.len(), expected.len()));
    }
    for (part, expected) in found.into_iter().zip(expected) {
        let at = part.offset() as i64 - a.offset() as i64;
        if !part.shares_block(&a) || (!part.is_empty() && Some(at) != expected["o"].as_i64()) {
            return Some(format!("a part at {at}, not {}", expected["o"]));
        }
        let different = part
            .shape()
            .iter()
            .zip(part.strides())
            .zip(strides(&expected["t"]));
        if !part.is_empty() && different.clone().any(|((&n, &a), b)| n > 1 && a != b) {
            return Some(format!(
                "strides {:?}, not {}",
                part.strides(),
                expected["t"]
            ));
        }
        if let Some(why) = differs(ctx, &Ok(part), expected) {
            return Some(why);
        }
    }
    None
}
