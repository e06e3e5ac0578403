//! Rows 14 to 16: index expressions got and set, views with their layout, the paths that are taken.

use std::collections::HashMap;

use serde_json::Value as Json;
use strand_array::indexing::{self, Indexed};
use strand_array::{Array, Context, IndexItem, IndexPath, LoopKind, Value};

use crate::common::{array, bytes, cases, class_differs, descr, differs, finish, sizes, strides};

fn item(ctx: &Context, target: &Array, value: &Json) -> IndexItem {
    if let Some(i) = value["i"].as_i64() {
        return IndexItem::Int(i);
    }
    if let Some(parts) = value["s"].as_array() {
        return IndexItem::Slice {
            start: parts[0].as_i64(),
            stop: parts[1].as_i64(),
            step: parts[2].as_i64().unwrap_or(1),
        };
    }
    if value["n"].is_number() {
        return IndexItem::NewAxis;
    }
    if value["e"].is_number() {
        return IndexItem::Ellipsis;
    }
    IndexItem::IntArray(operand(ctx, target, &value["a"]))
}

/// An array of its own, or one in the target's block.
fn operand(ctx: &Context, target: &Array, value: &Json) -> Array {
    if !value["same"].is_number() {
        return array(ctx, value);
    }
    let at = value["o"].as_u64().unwrap() as usize;
    let (shape, strides) = (sizes(&value["s"]), strides(&value["t"]));
    target
        .with_layout(at, &shape, &strides, descr(&value["d"]))
        .unwrap()
}

fn items(ctx: &Context, target: &Array, case: &Json) -> Vec<IndexItem> {
    let list = case["x"].as_array().unwrap();
    list.iter().map(|v| item(ctx, target, v)).collect()
}

/// The path that the last operation reported.
fn path(ctx: &Context) -> Option<IndexPath> {
    ctx.take_reports().iter().rev().find_map(|r| match r.kind {
        LoopKind::Index(path) => Some(path),
        _ => None,
    })
}

/// Runs a check on the cases of one kind, and counts the paths.
fn check(kind: &str, mut complaint: impl FnMut(&Context, &Array, &Json) -> Option<String>) {
    let (mut complaints, mut checked, mut paths) = (vec![], 0, HashMap::new());
    for case in cases("indexing").iter().filter(|case| case["k"] == kind) {
        let ctx = Context::default();
        let target = array(&ctx, &case["a"]);
        ctx.set_tracing(true);
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            complaint(&ctx, &target, case)
        }));
        let found = found.unwrap_or_else(|_| Some("a panic".into()));
        complaints.extend(found.map(|why| format!("{why}: {case}")));
        if let Some(path) = path(&ctx) {
            *paths.entry(path).or_insert(0) += 1;
        }
        checked += 1;
    }
    finish(checked, 500, &complaints);
    // Every path is met: one case in 40 at least.
    let all = [
        IndexPath::Element,
        IndexPath::View,
        IndexPath::Mask,
        IndexPath::OneArray,
        IndexPath::Arrays,
        IndexPath::Subspace,
        IndexPath::OneElementEach,
    ];
    for path in all {
        let met = paths.get(&path).copied().unwrap_or(0);
        assert!(met * 40 >= checked, "{path:?} in {met} of {checked} cases");
    }
}

#[test]
fn row_14_to_16_indexing_gives_what_numpy_gives() {
    check("get", |ctx, target, case| {
        let found = indexing::get(ctx, target, &items(ctx, target, case));
        if let Some(why) = class_differs(&found, case) {
            return Some(why);
        }
        let (found, expected) = (found.ok()?, &case["v"]);
        let (kind, result) = match &found {
            Indexed::Element(Value::Item(item)) => ("element", &item.to_array(ctx).unwrap()),
            Indexed::Element(other) => return Some(format!("{other:?}")),
            Indexed::View(array) => ("view", array),
            Indexed::Copy(array) => ("copy", array),
        };
        if expected["is"] != kind {
            return Some(format!("a {kind}"));
        }
        if kind == "view" && !(result.shares_block(target) && result.flags().writeable) {
            return Some("a view of other memory".into());
        }
        if !expected["t"].is_null() {
            let layout = (result.strides().to_vec(), result.offset() as u64);
            if layout != (strides(&expected["t"]), expected["o"].as_u64()?) {
                return Some(format!("a view with layout {layout:?}"));
            }
        }
        differs(result, expected)
    });
}

#[test]
fn row_14_to_16_assignment_changes_what_numpy_changes() {
    check("set", |ctx, target, case| {
        let value = operand(ctx, target, &case["value"]);
        let before = target.block_bytes();
        let found = indexing::set(ctx, target, &items(ctx, target, case), &value);
        if let Some(why) = class_differs(&found, case) {
            return Some(why);
        }
        let after = target.block_bytes();
        let expected = match found {
            Ok(_) => bytes(&case["v"]),
            Err(_) => before,
        };
        (after != expected).then(|| format!("{after:02x?}, not {expected:02x?}"))
    });
}
