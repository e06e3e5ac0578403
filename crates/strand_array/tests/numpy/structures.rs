//! Row 7: fields as views, promotion by names, casts by position, equality, assignment, printing.

use serde_json::Value as Json;
use strand_array::{
    Array, Casting, Context, Item, PrintOptions, Result, Value, array_repr, array_str, assign,
    astype, can_cast, copy_in_order, promote_types, sorting, void_equal,
};

use crate::common::{
    array, cases, class_differs, descr, expected_leaves, finish, leaves, sizes, strides,
};

struct Checks {
    complaints: Vec<String>,
    checked: usize,
}

impl Checks {
    fn same<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, of: &Json, found: T, wanted: T) {
        self.checked += 1;
        if found != wanted {
            self.complaints
                .push(format!("{what} of {of}:\n{found:?}\nnot\n{wanted:?}"));
        }
    }

    fn class<T>(&mut self, what: &str, of: &Json, found: &Result<T>, wanted: &Json) {
        self.checked += 1;
        if let Some(why) = class_differs(found, wanted) {
            self.complaints.push(format!("{what} of {of}: {why}"));
        }
    }

    fn view(&mut self, of: &Json, found: &Array, wanted: &Json) {
        self.same("type", of, found.descr(), &descr(&wanted["d"]));
        self.same("shape", of, found.shape().to_vec(), sizes(&wanted["s"]));
        if !found.is_empty() {
            self.same(
                "strides",
                of,
                found.strides().to_vec(),
                strides(&wanted["t"]),
            );
            self.same(
                "offset",
                of,
                found.offset() as u64,
                wanted["o"].as_u64().unwrap(),
            );
        }
        let expected = expected_leaves(found, &wanted["leaves"]);
        self.same("elements", of, leaves(found), expected);
    }
}

fn run(name: &str, at_least: usize, check: impl Fn(&Context, &mut Checks, &Json, &Array)) {
    let ctx = Context::default();
    let mut checks = Checks {
        complaints: vec![],
        checked: 0,
    };
    for case in cases("structures") {
        if case[name].is_null() {
            continue;
        }
        check(&ctx, &mut checks, &case, &array(&ctx, &case["a"]));
    }
    finish(checks.checked, at_least, &checks.complaints);
}

#[test]
fn row_7_fields_and_sets_of_fields_are_views() {
    run("views", 300, |_, checks, case, array| {
        for pair in case["views"].as_array().unwrap() {
            let found = array.field(pair[0].as_str().unwrap()).unwrap();
            assert!(found.shares_block(array));
            checks.view(&case["a"]["d"], &found, &pair[1]);
        }
        let names: Vec<&str> = case["names"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_str().unwrap())
            .collect();
        checks.view(
            &case["a"]["d"],
            &array.choose_fields(&names).unwrap(),
            &case["chosen"],
        );
    });
}

#[test]
fn row_7_structures_print_as_numpys_do() {
    run("repr", 100, |_, checks, case, array| {
        let text = |name: &str| case[name].as_str().unwrap().to_string();
        let (of, options) = (&case["a"]["d"], PrintOptions::default());
        checks.same("dtype", of, array.descr().repr(), text("dtype"));
        checks.same("repr", of, array_repr(array, &options), text("repr"));
        checks.same("str", of, array_str(array, &options), text("str"));
        if case["first"].is_string() {
            let first = array.element_at(&vec![0; array.rank()]).unwrap();
            checks.same("scalar", of, first.to_string(), text("first"));
        }
    });
}

#[test]
fn row_8_structures_promote_by_names_and_cast_by_position() {
    run("cast", 300, |ctx, checks, case, array| {
        let of = Json::from(vec![case["a"]["d"].clone(), case["b"].clone()]);
        let other = descr(&case["b"]);
        if case["promoted"].is_object() {
            let promoted = promote_types(array.descr(), &other);
            checks.class("promotion", &of, &promoted, &case["promoted"]);
            if let Ok(promoted) = promoted {
                checks.same("promotion", &of, promoted, descr(&case["promoted"]["v"]));
            }
        }
        for (casting, wanted) in Casting::ALL.iter().zip(case["can"].as_array().unwrap()) {
            let found = can_cast(array.descr(), &other, *casting);
            checks.same(casting.name(), &of, found, wanted.as_bool().unwrap());
        }
        let cast = astype(ctx, array, &other, Casting::Unsafe);
        checks.class("cast", &of, &cast, &case["cast"]);
        if let (Ok((cast, _)), true) = (&cast, case["cast"]["v"].is_object()) {
            let expected = expected_leaves(cast, &case["cast"]["v"]["leaves"]);
            checks.same("cast", &of, leaves(cast), expected);
        }
    });
}

#[test]
fn row_7_structures_compare_and_are_assigned_by_position() {
    run("assigned", 300, |ctx, checks, case, left| {
        let of = Json::from(vec![case["a"]["d"].clone(), case["c"]["d"].clone()]);
        let right = array(ctx, &case["c"]);
        let equal = void_equal(ctx, left, &right);
        // NumPy's comparison words a missing promotion as a TypeError.
        checks.checked += 1;
        match (&equal, &case["equal"]["v"]) {
            _ if case["equal"].is_null() => {}
            (Err(error), Json::Null) => assert_eq!(error.class(), "DTypePromotionError"),
            (Ok(equal), Json::Array(wanted)) => {
                let wanted: Vec<bool> = wanted.iter().map(|v| *v == 1).collect();
                checks.same("equality", &of, equal.to_vec_bool(), wanted);
            }
            _ => checks
                .complaints
                .push(format!("equality of {of}: {equal:?}")),
        }
        let target = copy_in_order(ctx, left).unwrap();
        let assigned = assign(ctx, &target, &right, Casting::Unsafe);
        checks.class("assignment", &of, &assigned, &case["assigned"]);
        if assigned.is_ok() && case["assigned"]["v"].is_array() {
            let expected = expected_leaves(&target, &case["assigned"]["v"]);
            checks.same("assignment", &of, leaves(&target), expected);
        }
    });
}

#[test]
fn row_7_a_number_is_assigned_to_every_field() {
    run("scalar", 100, |ctx, checks, case, array| {
        let of = &case["a"]["d"];
        let value = case["value"].as_i64().unwrap() % 7;
        let item = Item::new(&strand_array::DType::I64.into(), &Value::from(value)).unwrap();
        let target = copy_in_order(ctx, array).unwrap();
        let source = item.to_array(ctx).unwrap();
        let assigned = assign(ctx, &target, &source, Casting::Unsafe);
        checks.class("assignment", of, &assigned, &case["scalar"]);
        if assigned.is_ok() && case["scalar"]["v"].is_array() {
            let expected = expected_leaves(&target, &case["scalar"]["v"]);
            checks.same("assignment", of, leaves(&target), expected);
        }
    });
}

#[test]
fn row_30_structures_sort_by_their_fields() {
    run("sorted", 30, |ctx, checks, case, array| {
        let options = sorting::SortOptions {
            axis: Some(0),
            ..sorting::SortOptions::default()
        };
        let found = sorting::sort(ctx, array, &options).unwrap();
        let expected = expected_leaves(&found, &case["sorted"]);
        checks.same("sort", &case["a"]["d"], leaves(&found), expected);
    });
}
