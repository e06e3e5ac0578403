//! Row 8: promotion, casting rules, and casts with their findings.

use serde_json::Value;
use strand_array::{Array, Casting, Context, Weak, astype, can_cast, promote_types, with_weak};

use crate::common::{array, bytes, canonical, cases, class_differs, descr, finish, strides};

fn of_kind(kind: &str) -> Vec<Value> {
    let mut all = cases("casts");
    all.retain(|case| case["k"] == kind);
    all
}

#[test]
fn row_8_promotion_is_numpys() {
    let (mut complaints, mut checked) = (vec![], 0);
    for case in of_kind("promote") {
        checked += 1;
        let found = promote_types(&descr(&case["a"]), &descr(&case["b"]));
        if let Some(why) = class_differs(&found, &case["r"]) {
            complaints.push(format!("{case}: {why}"));
        }
        if found.is_ok_and(|found| found != descr(&case["r"]["v"])) {
            complaints.push(format!("{case}: another type"));
        }
    }
    finish(checked, 225, &complaints);
}

#[test]
fn row_8_casting_rules_are_numpys() {
    let (mut complaints, mut checked) = (vec![], 0);
    for case in of_kind("can") {
        for (casting, expected) in Casting::ALL.iter().zip(case["r"].as_array().unwrap()) {
            checked += 1;
            let found = can_cast(&descr(&case["a"]), &descr(&case["b"]), *casting);
            if found != expected.as_bool().unwrap() {
                complaints.push(format!("{case}: {} is {found}", casting.name()));
            }
        }
    }
    finish(checked, 225 * 5, &complaints);
}

#[test]
fn row_17_weak_numbers_take_the_type_of_what_they_meet() {
    let (mut complaints, mut checked) = (vec![], 0);
    for case in of_kind("weak") {
        checked += 1;
        let weak = match case["w"].as_str() {
            Some("int") => Weak::Int,
            Some("float") => Weak::Float,
            _ => Weak::Complex,
        };
        let found = with_weak(&descr(&case["a"]), weak).unwrap();
        if found != descr(&case["r"]) {
            complaints.push(format!("{case}: {found}"));
        }
    }
    finish(checked, 44, &complaints);
}

#[test]
fn row_8_casts_give_numpys_values_and_findings() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in of_kind("cast") {
        let (from, to) = (array(&ctx, &case["a"]), descr(&case["to"]));
        let block = bytes(&case["a"]["b"]);
        let step = strides(&case["a"]["t"])[0];
        let expected = canonical(&to, &bytes(&case["v"]));
        let whole = astype(&ctx, &from, &to, Casting::Unsafe).unwrap().0;
        let whole = canonical(&to, &whole.to_bytes());
        for i in 0..from.len() {
            checked += 1;
            let at = (from.offset() as isize + i as isize * step) as usize;
            let one = Array::from_bytes(&ctx, &block, at, &[1], &[step], from.descr().clone());
            let (one, found) = astype(&ctx, &one.unwrap(), &to, Casting::Unsafe).unwrap();
            let part = i * to.size()..(i + 1) * to.size();
            let defined = case["in"][i] == 1;
            // Outside the target's range NumPy's value is the machine's; the engine always reports.
            let expected_bits = if defined {
                case["f"][i].as_u64()
            } else {
                Some(8)
            };
            if expected_bits.is_some_and(|bits| bits != u64::from(found.bits())) {
                complaints.push(format!(
                    "{} to {}: element {i}, {:?}: found {found:?}, not {expected_bits:?}",
                    case["a"]["d"],
                    case["to"],
                    one.to_vec_f64()
                ));
            }
            let one = canonical(&to, &one.to_bytes());
            if defined && (one != expected[part.clone()] || whole[part.clone()] != one) {
                complaints.push(format!(
                    "{} to {}: element {i}: {one:x?}, not {:x?}",
                    case["a"]["d"], case["to"], &expected[part]
                ));
            }
        }
    }
    finish(checked, 225 * 40, &complaints);
}
