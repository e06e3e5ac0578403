//! Row 3: where operands overlap the result is as if all inputs had been copied first.

use serde_json::Value;
use strand_array::indexing;
use strand_array::{Array, Casting, Context, DType, IndexItem, assign_where};

use crate::common::{bytes, cases, descr, finish, sizes, strides};

fn view(base: &Array, case: &Value) -> Array {
    let at = case["o"].as_u64().unwrap() as usize;
    let (shape, strides) = (sizes(&case["s"]), strides(&case["t"]));
    base.with_layout(at, &shape, &strides, descr(&case["d"]))
        .unwrap()
}

#[test]
fn row_3_overlapping_operands_never_change_a_result() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("overlaps") {
        let block = bytes(&case["b"]);
        let base = Array::from_bytes(&ctx, &block, 0, &[block.len()], &[1], DType::U8).unwrap();
        let (target, value) = (view(&base, &case["a"]), view(&base, &case["value"]));
        let done = if case["x"].is_null() {
            let mask = (!case["m"].is_null()).then(|| view(&base, &case["m"]));
            assign_where(&ctx, &target, &value, mask.as_ref(), Casting::Unsafe)
        } else {
            let items = case["x"].as_array().unwrap().iter();
            let items: Vec<IndexItem> = items.map(|item| index_item(&base, item)).collect();
            indexing::set(&ctx, &target, &items, &value)
        };
        let (found, wanted) = (base.block_bytes(), bytes(&case["v"]));
        checked += 1;
        if let Err(error) = done {
            complaints.push(format!("{error}: {case}"));
        } else if found != wanted {
            complaints.push(format!("{found:?}, not {wanted:?}: {case}"));
        }
    }
    finish(checked, 1000, &complaints);
}

fn index_item(base: &Array, item: &Value) -> IndexItem {
    match item["s"].as_array() {
        Some(parts) => IndexItem::Slice {
            start: None,
            stop: None,
            step: parts[2].as_i64().unwrap(),
        },
        None => IndexItem::IntArray(view(base, &item["a"])),
    }
}
