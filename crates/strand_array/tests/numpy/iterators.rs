//! Rows 9 to 12: iterators, rows along an axis, the planner's loops, broadcasting.

use std::collections::BTreeMap;

use serde_json::Value;
use strand_array::iter::{Iter, MultiIter};
use strand_array::multi::broadcast_all;
use strand_array::{Array, Context, Loops, Order, k_strides};

use crate::common::{array, bytes, cases, class_differs, finish, sizes, strides};

/// Runs a check on the cases of one kind.
fn check(
    kind: &str,
    at_least: usize,
    mut complaint: impl FnMut(&Context, &Value) -> Option<String>,
) {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("iterators") {
        if case["k"] == kind {
            checked += 1;
            complaints.extend(complaint(&ctx, &case).map(|why| format!("{why}: {case}")));
        }
    }
    finish(checked, at_least, &complaints);
}

fn arrays(ctx: &Context, case: &Value) -> Vec<Array> {
    let operands = case["ops"].as_array().unwrap();
    operands.iter().map(|a| array(ctx, a)).collect()
}

/// The bytes of the elements at the given positions.
fn elements(array: &Array, at: impl Iterator<Item = usize>) -> Vec<u8> {
    let (block, item) = (array.block_bytes(), array.item_size());
    at.flat_map(|at| block[at..at + item].to_vec()).collect()
}

#[test]
fn row_9_an_iterator_gives_the_elements_coordinates_and_index_of_flat() {
    check("flat", 100, |ctx, case| {
        let array = array(ctx, &case["a"]);
        if elements(&array, Iter::new(&array)) != bytes(&case["v"]) {
            return Some("other elements".into());
        }
        let mut walk = Iter::new(&array);
        for (coords, index) in case["coords"]
            .as_array()
            .unwrap()
            .iter()
            .zip(case["index"].as_array().unwrap())
        {
            if walk.coords() != sizes(coords) || walk.index() as u64 != index.as_u64().unwrap() {
                return Some(format!("{:?} at {}", walk.coords(), walk.index()));
            }
            walk.advance();
        }
        walk.byte().map(|at| format!("goes on to {at}"))
    });
}

#[test]
fn row_10_rows_along_each_axis_and_along_the_largest() {
    check("rows", 100, |ctx, case| {
        let array = array(ctx, &case["a"]);
        for (axis, expected) in case["rows"].as_array().unwrap().iter().enumerate() {
            let (walk, row) = Iter::all_but_axis(&array, axis).unwrap();
            if !array.is_empty() && elements(&array, walk) != bytes(&expected["v"]) {
                return Some(format!("other rows along {axis}"));
            }
            let found = (row.length as u64, row.step as i64);
            if found != (expected["n"].as_u64()?, expected["step"].as_i64()?) {
                return Some(format!("rows of {found:?} along {axis}"));
            }
        }
        let (walk, row) = Iter::all_but_largest(&array);
        let least = |(&size, &stride): (&usize, &isize)| (size > 1).then_some(stride.abs());
        let least = array
            .shape()
            .iter()
            .zip(array.strides())
            .filter_map(least)
            .min();
        let covered = walk.len() * row.length;
        let wrong = covered != array.len() || least.is_some_and(|s| s != row.step.abs());
        (wrong && !array.is_empty()).then(|| format!("{row:?}, {covered} elements"))
    });
}

#[test]
fn row_11_loops_are_at_least_as_long_as_nditers_and_visit_every_position_once() {
    check("loops", 200, |ctx, case| {
        let (shape, operands) = (sizes(&case["s"]), arrays(ctx, case));
        let all: Vec<&Array> = operands.iter().collect();
        let plan = Loops::over(&shape, &all, Order::K).unwrap();
        if plan.count() as u64 > case["chunks"].as_u64().unwrap() {
            return Some(format!("{} inner loops", plan.count()));
        }
        let over: Vec<Vec<isize>> = operands
            .iter()
            .map(|a| a.broadcast_to(&shape).unwrap().strides().to_vec())
            .collect();
        let fresh = k_strides(&shape, &over, 8);
        if fresh != strides(&case["fresh"]) && !shape.contains(&0) {
            return Some(format!("fresh strides {fresh:?}"));
        }
        for order in [Order::C, Order::F, Order::K] {
            let plan = Loops::over(&shape, &all, order).unwrap();
            if visits(&plan) != positions(&shape, &over, &operands) {
                return Some(format!("{order:?}: other positions, {plan:?}"));
            }
        }
        let plan = Loops::over(&shape, &all, Order::C).unwrap();
        let walked: Vec<_> = in_order(&plan);
        let mut multi = MultiIter::new(&all).unwrap();
        let mut expected = vec![];
        while let Some(at) = multi.positions() {
            expected.push(at.iter().map(|p| *p as isize).collect::<Vec<_>>());
            multi.advance();
        }
        (shape == multi.shape() && walked != expected).then(|| "C order isn't kept".into())
    });
}

/// The operands' positions in the order of the plan.
fn in_order(plan: &Loops) -> Vec<Vec<isize>> {
    let (mut found, mut walk) = (vec![], plan.walk());
    while let Some(at) = walk.next_row() {
        for i in 0..plan.inner as isize {
            found.push(
                at.iter()
                    .zip(&plan.steps)
                    .map(|(at, step)| at + i * step)
                    .collect(),
            );
        }
    }
    found
}

fn visits(plan: &Loops) -> BTreeMap<Vec<isize>, usize> {
    count(in_order(plan))
}

fn count(all: impl IntoIterator<Item = Vec<isize>>) -> BTreeMap<Vec<isize>, usize> {
    let mut counts = BTreeMap::new();
    for position in all {
        *counts.entry(position).or_default() += 1;
    }
    counts
}

/// The same by arithmetic on every index.
fn positions(
    shape: &[usize],
    strides: &[Vec<isize>],
    operands: &[Array],
) -> BTreeMap<Vec<isize>, usize> {
    let total: usize = shape.iter().product();
    count((0..total).map(|flat| {
        let mut rest = flat;
        let index: Vec<usize> = shape
            .iter()
            .rev()
            .map(|size| {
                let coord = rest % size;
                rest /= size;
                coord
            })
            .collect();
        let at = |(strides, array): (&Vec<isize>, &Array)| {
            let way = index.iter().rev().zip(strides);
            array.offset() as isize + way.map(|(&i, &s)| i as isize * s).sum::<isize>()
        };
        strides.iter().zip(operands).map(at).collect()
    }))
}

#[test]
fn row_12_any_number_of_operands_broadcasts_as_in_numpy() {
    check("broadcast", 200, |ctx, case| {
        let operands = arrays(ctx, case);
        let all: Vec<&Array> = operands.iter().collect();
        let made = MultiIter::new(&all);
        if let Some(why) = class_differs(&made, case) {
            return Some(why);
        }
        let multi = made.ok()?;
        let shapes: Vec<&[usize]> = all.iter().map(|a| a.shape()).collect();
        if multi.shape() != sizes(&case["v"]) || broadcast_all(&shapes).unwrap() != multi.shape() {
            return Some(format!("shape {:?}", multi.shape()));
        }
        let shown = case["shown"].as_array().unwrap();
        for ((array, walk), expected) in all.iter().zip(multi.iters()).zip(shown) {
            if elements(array, walk.clone()) != bytes(expected) {
                return Some("other elements".into());
            }
        }
        let (rows, each) = MultiIter::all_but_largest(&all).unwrap();
        let length = each.first().map_or(1, |row| row.length);
        (rows.len() * length != multi.len()).then(|| format!("{} rows of {length}", rows.len()))
    });
}
