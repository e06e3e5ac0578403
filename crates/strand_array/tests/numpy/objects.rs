//! Host values: every path counts them, and all of them balance to zero.

use std::any::Any;
use std::cell::Cell;
use std::cmp::Ordering;
use std::rc::Rc;

use strand_array::ufunc::{CallOptions, Numerics, Operand, Ufunc};
use strand_array::{
    AnyOptions, Array, ArrayError, Casting, Context, DType, Descr, HostValue, IndexItem, Operator,
    Requirements, Value, array_repr, assign, astype, compare_arrays, copy_in_order, from_any,
    inout, live_objects, sorting,
};

use crate::common::{cases, class_differs, finish};

/// A number that counts how many of it there are.
struct Counted {
    value: i64,
    alive: Rc<Cell<i64>>,
}

impl Counted {
    fn value(value: i64, alive: &Rc<Cell<i64>>) -> Value {
        alive.set(alive.get() + 1);
        let host: Rc<dyn HostValue> = Rc::new(Self {
            value,
            alive: Rc::clone(alive),
        });
        Value::from(host)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.alive.set(self.alive.get() - 1);
    }
}

impl HostValue for Counted {
    fn type_name(&self) -> &str {
        "counted"
    }
    fn repr(&self) -> String {
        format!("#{}", self.value)
    }
    fn plain(&self) -> Option<Value> {
        (self.value < 100).then(|| Value::from(self.value))
    }
    fn truth(&self) -> bool {
        self.value != 0
    }
    fn compare(&self, other: &Value) -> Option<Ordering> {
        match other {
            Value::Host(other) => {
                let other: &Self = other.as_any().downcast_ref()?;
                (self.value < 100 && other.value < 100).then(|| self.value.cmp(&other.value))
            }
            _ => None,
        }
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn objects(ctx: &Context, alive: &Rc<Cell<i64>>, values: &[i64]) -> Array {
    let list = Value::list(values.iter().map(|v| Counted::value(*v, alive)));
    let descr = Descr::new(DType::Object);
    let options = AnyOptions {
        descr: Some(&descr),
        ..AnyOptions::default()
    };
    from_any(ctx, &list, &options).unwrap()
}

fn print(array: &Array) -> String {
    array_repr(array, &Default::default())
}

/// Runs a check on a fresh array of 0 to 5, and sees that nothing is left over.
fn balanced(what: &str, check: impl FnOnce(&Context, &Array, &Rc<Cell<i64>>)) {
    let (ctx, alive) = (Context::default(), Rc::new(Cell::new(0)));
    let before = live_objects();
    let array = objects(&ctx, &alive, &[0, 1, 2, 3, 4, 5]);
    assert_eq!(alive.get(), 6);
    check(&ctx, &array, &alive);
    drop(array);
    assert_eq!(alive.get(), 0, "{what}");
    assert_eq!(live_objects(), before, "{what}");
}

#[test]
fn row_19_host_values_balance_to_zero_on_every_path() {
    balanced("views", |_, array, _| {
        let view = array.slice(0, None, None, -2).unwrap();
        assert_eq!(print(&view), "array([#5, #3, #1], dtype=object)");
    });
    balanced("copies", |ctx, array, alive| {
        let copy = copy_in_order(ctx, array).unwrap();
        assert_eq!(alive.get(), 6, "a copy holds the same values");
        copy.set_element(&[0], &Value::None).unwrap();
        assert_eq!(array.element_at(&[0]).unwrap().to_string(), "#0");
    });
    balanced("elements", |_, array, alive| {
        let taken = array.element_at(&[-1]).unwrap();
        array.set_element(&[5], &Counted::value(9, alive)).unwrap();
        assert_eq!((taken.to_string(), alive.get()), ("#5".into(), 7));
        array.set_element(&[5], &Value::list([taken])).unwrap();
        assert_eq!(
            (alive.get(), array.element_at(&[5]).unwrap().to_string()),
            (6, "[#5]".into())
        );
    });
    balanced("slices that overlap", |ctx, array, _| {
        let (low, high) = (
            array.slice(0, Some(0), Some(4), 1).unwrap(),
            array.slice(0, Some(2), Some(6), 1).unwrap(),
        );
        assign(ctx, &high, &low, Casting::No).unwrap();
        assert_eq!(
            print(array),
            "array([#0, #1, #0, #1, #2, #3], dtype=object)"
        );
    });
    balanced("stretching", |ctx, array, _| {
        let one = array.slice(0, Some(3), Some(4), 1).unwrap();
        assign(ctx, array, &one, Casting::Safe).unwrap();
        assert_eq!(
            print(array),
            "array([#3, #3, #3, #3, #3, #3], dtype=object)"
        );
    });
    balanced("indices", |ctx, array, _| {
        let places = Array::from_vec(ctx, vec![4_i64, 4, -6]).unwrap();
        let items = [IndexItem::IntArray(places)];
        let found = strand_array::indexing::get(ctx, array, &items).unwrap();
        let found = found.array().unwrap().clone();
        assert_eq!(print(&found), "array([#4, #4, #0], dtype=object)");
        strand_array::indexing::set(ctx, array, &items, &found).unwrap();
    });
    balanced("sorts", |ctx, array, _| {
        let back = array.slice(0, None, None, -1).unwrap();
        let sorted = sorting::sort(ctx, &back, &Default::default()).unwrap();
        assert_eq!(print(&sorted), print(array));
    });
    balanced("comparisons", |ctx, array, _| {
        let back = array.slice(0, None, None, -1).unwrap();
        let less = compare_arrays(ctx, Operator::Lt, array, &back).unwrap();
        assert_eq!(less.to_vec_bool(), [true, true, true, false, false, false]);
    });
}

#[test]
fn row_19_casts_of_host_values_count_and_fail_cleanly() {
    balanced("casts", |ctx, array, _| {
        let numbers = astype(ctx, array, &DType::I16.into(), Casting::Unsafe)
            .unwrap()
            .0;
        assert_eq!(print(&numbers), "array([0, 1, 2, 3, 4, 5], dtype=int16)");
        let objects = astype(ctx, &numbers, &DType::Object.into(), Casting::Safe)
            .unwrap()
            .0;
        assert_eq!(print(&objects), "array([0, 1, 2, 3, 4, 5], dtype=object)");
    });
    balanced("casts that fail", |ctx, array, alive| {
        array
            .set_element(&[3], &Counted::value(100, alive))
            .unwrap();
        let failed = astype(ctx, array, &DType::F64.into(), Casting::Unsafe);
        assert_eq!(failed.unwrap_err().class(), "TypeError");
        let parts = [
            ("o", Descr::new(DType::Object)),
            ("n", Descr::new(DType::I8)),
        ];
        let record = Descr::structured(&parts).unwrap();
        let failed = astype(ctx, array, &record, Casting::Unsafe);
        assert_eq!(failed.unwrap_err().class(), "TypeError");
    });
    balanced("orders that fail", |ctx, array, alive| {
        array
            .set_element(&[0], &Counted::value(100, alive))
            .unwrap();
        array.set_element(&[1], &Value::from("x")).unwrap();
        let failed = sorting::sort(ctx, array, &Default::default());
        assert_eq!(failed.unwrap_err().class(), "TypeError");
    });
    balanced("ragged lists", |ctx, _, alive| {
        let rows = [
            Value::list([Counted::value(1, alive)]),
            Value::list([Counted::value(2, alive), Counted::value(3, alive)]),
        ];
        let failed = from_any(ctx, &Value::list(rows), &AnyOptions::default());
        assert_eq!(failed.unwrap_err().class(), "ValueError");
    });
}

#[test]
fn row_19_fields_hold_host_values() {
    balanced("fields", |ctx, array, alive| {
        let parts = [
            ("n", Descr::new(DType::I32)),
            ("o", Descr::new(DType::Object)),
            (
                "p",
                Descr::subarray(Descr::new(DType::Object), &[2]).unwrap(),
            ),
        ];
        let record = Descr::structured(&parts).unwrap();
        let records = Array::fresh(ctx, &[6], &record).unwrap();
        assign(ctx, &records.field("o").unwrap(), array, Casting::No).unwrap();
        let pair = Value::list([Counted::value(7, alive), Counted::value(8, alive)]);
        records
            .set_element(&[1], &Value::tuple([Value::Int(4), Value::from("a"), pair]))
            .unwrap();
        assert_eq!(records.at_text(1), "(4, 'a', [#7, #8])");
        let copy = copy_in_order(ctx, &records).unwrap();
        // A failure in the middle of a tuple leaves the element as it was.
        let bad = Value::tuple([Value::Int(1), Counted::value(9, alive), Value::list([])]);
        assert!(records.set_element(&[1], &bad).is_err());
        assert_eq!(records.at_text(1), copy.at_text(1));
        let other = [
            ("q", Descr::new(DType::Object)),
            ("r", Descr::new(DType::Object)),
            (
                "s",
                Descr::subarray(Descr::new(DType::Object), &[3]).unwrap(),
            ),
        ];
        let other = Descr::structured(&other).unwrap();
        let wide = astype(ctx, &records, &other, Casting::Unsafe).unwrap().0;
        assert_eq!(wide.at_text(1), "(4, 'a', [#7, #8, None])");
    });
}

trait AtText {
    fn at_text(&self, i: i64) -> String;
}

impl AtText for Array {
    fn at_text(&self, i: i64) -> String {
        match self.element_at(&[i]).unwrap() {
            Value::Item(item) => item.to_string(),
            other => other.to_string(),
        }
    }
}

#[test]
fn row_19_write_back_copies_of_host_values_balance() {
    balanced("write-back", |ctx, array, alive| {
        let strided = array.slice(0, None, None, 2).unwrap();
        let options = AnyOptions {
            requirements: Requirements::INOUT,
            ..AnyOptions::default()
        };
        for resolve in [true, false] {
            let copy = inout(ctx, &Value::Array(strided.clone()), &options).unwrap();
            copy.array()
                .set_element(&[1], &Counted::value(50, alive))
                .unwrap();
            if resolve {
                copy.resolve().unwrap();
                assert_eq!(array.element_at(&[2]).unwrap().to_string(), "#50");
            }
        }
        assert_eq!(ctx.take_faults(), [ArrayError::UnresolvedWriteback]);
    });
}

#[test]
fn row_12_host_values_are_never_seen_as_bytes_nor_bytes_as_host_values() {
    let ctx = Context::default();
    let object = Descr::new(DType::Object);
    let forged = Array::from_bytes(&ctx, &[1; 16], 0, &[2], &[8], object.clone());
    assert_eq!(forged.unwrap_err().class(), "ValueError");
    let array = Array::fresh(&ctx, &[2], &object).unwrap();
    assert!(array.with_layout(0, &[16], &[1], DType::U8).is_err());
    let parts = [
        strand_array::Field::new("o", object, 0),
        strand_array::Field::new("n", Descr::new(DType::I64), 4),
    ];
    let overlapping = Descr::with_fields(parts.into(), 12);
    assert_eq!(overlapping.unwrap_err().class(), "ValueError");
}

#[test]
fn row_23_ufuncs_apply_pythons_operations_to_host_values() {
    let ctx = Context::default();
    let numerics = Numerics::new(&ctx);
    let object = Descr::new(DType::Object);
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("objects") {
        checked += 1;
        let inputs: Vec<Operand> = case["in"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                let row = row.as_array().unwrap();
                let array = Array::fresh(&ctx, &[row.len()], &object).unwrap();
                for (i, item) in row.iter().enumerate() {
                    let value = crate::making::value(&ctx, item);
                    array.set_element(&[i as i64], &value).unwrap();
                }
                Operand::from(array)
            })
            .collect();
        let ufunc = Ufunc::named(case["op"].as_str().unwrap()).unwrap();
        let found = ufunc.call(&numerics, &inputs, &CallOptions::default());
        let why = class_differs(&found, &case["r"]).or_else(|| {
            let text = print(&found.as_ref().ok()?.outputs[0]);
            (text != case["r"]["v"].as_str()?).then_some(text)
        });
        if let Some(why) = why {
            complaints.push(format!("{case}: {why}"));
        }
    }
    finish(checked, 300, &complaints);
}

#[test]
fn row_19_ufuncs_on_host_values_balance_also_when_they_fail() {
    balanced("ufuncs", |ctx, array, alive| {
        let numerics = Numerics::new(ctx);
        let call = |name: &str, inputs: &[Operand], options: &CallOptions| {
            Ufunc::named(name).unwrap().call(&numerics, inputs, options)
        };
        let (same, plain) = (Operand::from(array), CallOptions::default());
        let less = call("less", &[same.clone(), same.clone()], &plain).unwrap();
        assert_eq!(less.outputs[0].to_vec_bool(), [false; 6]);
        let greatest = call("maximum", &[same.clone(), same.clone()], &plain).unwrap();
        assert_eq!(print(&greatest.outputs[0]), print(array));
        array
            .set_element(&[4], &Counted::value(100, alive))
            .unwrap();
        let out = copy_in_order(ctx, array).unwrap();
        let before = print(&out);
        let options = CallOptions {
            out: vec![Some(out.clone())],
            ..CallOptions::default()
        };
        assert!(call("sin", &[same], &options).is_err());
        assert_eq!(print(&out), before, "a failed call leaves its output");
    });
}
