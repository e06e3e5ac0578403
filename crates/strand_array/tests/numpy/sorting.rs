//! Row 30: sorting, partitions, searching.

use serde_json::Value;
use strand_array::sorting::{
    Side, SortOptions, argpartition, argsort, lexsort, partition, searchsorted, sort,
};
use strand_array::{Array, Casting, Context, Result, astype};

use crate::common::{array, cases, class_differs, finish, strides};
use crate::values::{differs, form_differs, plain};

#[test]
fn row_30_sorts_partitions_and_searches() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("sorting") {
        checked += 1;
        if let Some(why) = look(&ctx, &case) {
            complaints.push(format!("{case}: {why}"));
        }
    }
    finish(checked, 1000, &complaints);
}

fn look(ctx: &Context, case: &Value) -> Option<String> {
    let of = |name: &str| array(ctx, &case[name]);
    let names: Vec<&str> = case["k"]["order"]
        .as_array()
        .map(|names| names.iter().map(|n| n.as_str().unwrap()).collect())
        .unwrap_or_default();
    let options = SortOptions {
        axis: match case["k"].get("axis") {
            None => Some(-1),
            Some(axis) => axis.as_i64(),
        },
        order: &names,
    };
    match case["f"].as_str().unwrap() {
        "sort" => {
            let found = sort(ctx, &of("a"), &options);
            if let (Ok(found), Some(wanted)) = (&found, case.get("strides"))
                && found.strides() != strides(wanted)
                && !found.is_empty()
            {
                return Some(format!("strides {:?}, not {wanted}", found.strides()));
            }
            differs(ctx, &found, &case["r"])
        }
        "argsort" => differs(ctx, &argsort(ctx, &of("a"), &options), &case["r"]),
        "searchsorted" => {
            let sorter = case.get("sorter").map(|s| array(ctx, s));
            let side = match case["side"].as_str() {
                Some("left") => Side::Left,
                _ => Side::Right,
            };
            let found = searchsorted(ctx, &of("a"), &of("b"), side, sorter.as_ref());
            differs(ctx, &found, &case["r"])
        }
        "lexsort" => {
            let keys: Vec<Array> = case["keys"]
                .as_array()
                .unwrap()
                .iter()
                .map(|key| array(ctx, key))
                .collect();
            let found = lexsort(ctx, &keys, case["axis"].as_i64().unwrap());
            differs(ctx, &found, &case["r"])
        }
        name => partitioned(ctx, name, &of("a"), case, &options),
    }
}

/// What a partition has to hold: the wanted elements where a sort puts them, smaller ones before.
fn partitioned(
    ctx: &Context,
    name: &str,
    a: &Array,
    case: &Value,
    options: &SortOptions<'_>,
) -> Option<String> {
    let kth: Vec<i64> = case["kth"]
        .as_array()
        .unwrap()
        .iter()
        .map(|k| k.as_i64().unwrap())
        .collect();
    let by_position = name == "argpartition";
    let found: Result<Array> = if by_position {
        argpartition(ctx, a, &kth, options)
    } else {
        partition(ctx, a, &kth, options)
    };
    if let Some(why) = class_differs(&found, &case["r"]) {
        return Some(why);
    }
    let found = found.ok()?;
    let lanes = |a: &Array| -> Vec<Array> {
        let axis = options
            .axis
            .map_or(0, |axis| axis.rem_euclid(a.rank() as i64) as usize);
        let moved = a.move_axis(axis, a.rank() - 1).unwrap();
        let (moved, _) = astype(ctx, &moved, a.descr(), Casting::No).unwrap();
        let size = moved.shape().last().copied().unwrap();
        let rows = moved
            .reshape(ctx, &[moved.len() / size.max(1), size])
            .unwrap();
        (0..rows.shape()[0])
            .map(|i| rows.select(0, i as i64).unwrap())
            .collect()
    };
    let flat = match options.axis {
        None => {
            let (copy, _) = astype(ctx, a, a.descr(), Casting::No).unwrap();
            copy.reshape(ctx, &[a.len()]).unwrap()
        }
        Some(_) => a.clone(),
    };
    let placed = if by_position {
        let mut parts = vec![];
        for (lane, places) in lanes(&flat).iter().zip(lanes(&found)) {
            let mut seen = places.to_vec::<i64>().unwrap();
            parts.extend(
                seen.iter()
                    .flat_map(|&i| plain(ctx, &lane.select(0, i).unwrap())),
            );
            seen.sort_unstable();
            if seen != (0..lane.len() as i64).collect::<Vec<_>>() {
                return Some("the positions aren't a permutation".into());
            }
        }
        parts
    } else {
        if let Some(why) = form_differs(&found, &case["r"]["v"]) {
            return Some(why);
        }
        lanes(&found)
            .iter()
            .flat_map(|lane| plain(ctx, lane))
            .collect()
    };
    ordered_parts(ctx, &placed, &flat, &kth, &lanes(&flat))
}

fn ordered_parts(
    ctx: &Context,
    placed: &[u8],
    flat: &Array,
    kth: &[i64],
    lanes: &[Array],
) -> Option<String> {
    let item = flat.item_size();
    let size = lanes.first().map_or(0, Array::len);
    let lane_bytes = (size * item).max(1);
    for (lane, placed) in lanes.iter().zip(placed.chunks(lane_bytes)) {
        let sorted = sort(ctx, lane, &SortOptions::default()).unwrap();
        let mut cuts: Vec<usize> = kth
            .iter()
            .map(|k| k.rem_euclid(size as i64) as usize)
            .collect();
        cuts.sort_unstable();
        let mut start = 0;
        for end in cuts.into_iter().map(|c| c + 1).chain([size]) {
            // Between two wanted places the same elements as in a sorted lane, in any order.
            let part = |bytes: &[u8]| {
                let part = bytes[start * item..end * item].to_vec();
                let array = Array::from_bytes(
                    ctx,
                    &part,
                    0,
                    &[end - start],
                    &[item as isize],
                    lane.descr().clone(),
                );
                let sorted = sort(ctx, &array.unwrap(), &SortOptions::default()).unwrap();
                unsigned_zeros(&plain(ctx, &sorted), lane)
            };
            if part(placed) != part(&plain(ctx, &sorted)) {
                return Some(format!("elements {start} to {end} aren't those of a sort"));
            }
            start = end;
        }
    }
    None
}

/// Zeros of either sign are equal, so that either may stand at a place.
fn unsigned_zeros(bytes: &[u8], lane: &Array) -> Vec<u8> {
    let parts = if lane.dtype().is_complex() { 2 } else { 1 };
    let size = lane.item_size() / parts;
    if !(lane.dtype().is_float() || lane.dtype().is_complex()) {
        return bytes.to_vec();
    }
    let mut found = bytes.to_vec();
    for item in found.chunks_exact_mut(size) {
        let sum: u32 = item.iter().map(|b| u32::from(*b)).sum();
        if sum == 0x80 && (item[0] == 0x80 || item[size - 1] == 0x80) {
            item.fill(0);
        }
    }
    found
}
