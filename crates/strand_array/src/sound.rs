//! Every path with unsafe code, at sizes that Miri can bear: what lies apart, backwards or byte-swapped gives
//! what contiguous elements give.

use std::any::Any;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

use crate::indexing::{get, set};
use crate::joining::{JoinOptions, concatenate};
use crate::selection::{self, Bounds};
use crate::ufunc::{
    AlongOptions, Axes, CallOptions, Initial, Numerics, Operand, ReduceOptions, Ufunc,
};
use crate::{
    Array, Casting, Context, DType, Descr, HostValue, IndexItem, Order, Result, Value, assign,
    assign_where, astype, copy_in_order, live_objects,
};

/// 0 to 5 in two rows of three.
fn numbers(ctx: &Context, dtype: DType) -> Array {
    let all = Array::arange(ctx, 0, 6, 1).unwrap();
    let all = all.reshape(ctx, &[2, 3]).unwrap();
    astype(ctx, &all, &dtype.into(), Casting::Unsafe).unwrap().0
}

/// The same elements: as they are, turned, backwards, one byte off their grid, byte-swapped, or two apart.
fn layouts(ctx: &Context, array: &Array) -> Vec<Array> {
    let shape = array.shape();
    let copied = |view: &Array, descr: Descr| astype(ctx, view, &descr, Casting::Equiv).unwrap().0;
    let descr = || array.descr().clone();
    let turned = copied(&array.transpose(0, 1).unwrap(), descr());
    let back = copied(&array.flip(1).unwrap(), descr());
    let size = array.item_size();
    let bytes = [vec![0], array.to_bytes()].concat();
    let strides: Vec<isize> = array.strides().to_vec();
    let off = Array::from_bytes(ctx, &bytes, 1, shape, &strides, descr());
    let wide: Vec<isize> = strides.iter().map(|s| s * 2).collect();
    let room = vec![0; 2 * array.len() * size];
    let apart = Array::from_bytes(ctx, &room, 0, shape, &wide, descr()).unwrap();
    assign(ctx, &apart, array, Casting::No).unwrap();
    vec![
        array.clone(),
        turned.transpose(0, 1).unwrap(),
        back.flip(1).unwrap(),
        off.unwrap(),
        copied(array, descr().swapped()),
        apart,
    ]
}

fn text(array: &Array) -> String {
    crate::array_repr(array, &Default::default())
}

/// The elements' bytes in C order and in the machine's byte order.
fn plain(ctx: &Context, array: &Array) -> Vec<u8> {
    let native = array.descr().clone().native();
    let (copy, _) = astype(ctx, array, &native, Casting::Equiv).unwrap();
    copy.to_bytes()
}

/// Under Miri one of each size.
fn types() -> impl Iterator<Item = DType> {
    const FEW: &[DType] = &[DType::I8, DType::F16, DType::F32, DType::F64, DType::C128];
    let types = if cfg!(miri) { FEW } else { DType::NUMERIC };
    types.iter().copied()
}

#[test]
fn casts_read_and_write_any_layout() {
    let ctx = Context::default();
    for from in types() {
        let array = numbers(&ctx, from);
        for to in types() {
            let expected = astype(&ctx, &array, &to.into(), Casting::Unsafe).unwrap().0;
            let views = layouts(&ctx, &array);
            let outs = layouts(&ctx, &Array::zeros(&ctx, &[2, 3], to).unwrap());
            for (view, out) in views.iter().zip(outs.iter().rev()) {
                assign(&ctx, out, view, Casting::Unsafe).unwrap();
                assert_eq!(plain(&ctx, out), expected.to_bytes(), "{from:?} to {to:?}");
            }
        }
    }
}

#[test]
fn large_transposes_are_copied_in_tiles() {
    let ctx = Context::default();
    let x = Array::arange(&ctx, 0, 33 * 35, 1).unwrap();
    let x = x.reshape(&ctx, &[33, 35]).unwrap();
    let turned = x.transpose(0, 1).unwrap();
    let out = Array::zeros(&ctx, &[35, 33], DType::I64).unwrap();
    assign(&ctx, &out, &turned, Casting::No).unwrap();
    assert_eq!(out.to_vec_i64(), turned.to_vec_i64());
    let mask = Array::from_vec(&ctx, [true, false, true, true, false].repeat(7)).unwrap();
    let mask = mask.insert_axis(1).unwrap();
    let zero = Array::zeros(&ctx, &[], DType::I64).unwrap();
    assign_where(&ctx, &out, &zero, Some(&mask), Casting::No).unwrap();
    assert_eq!(out.get(&[1, 2]).unwrap().to_i64(), 2 * 35 + 1);
    assert_eq!(out.get(&[2, 2]).unwrap().to_i64(), 0);
}

/// What a ufunc's call and methods give for operands of these layouts.
fn methods(
    numerics: &Numerics,
    ufunc: Ufunc,
    a: &Array,
    b: &Array,
    out: &Array,
) -> Vec<Result<Array>> {
    let (x, y) = (Operand::from(a), Operand::from(b));
    let mask = Array::from_slice(numerics.context(), &[true, false, true], &[3]).unwrap();
    let into = CallOptions {
        out: vec![Some(out.clone())],
        mask: Some(mask.clone()),
        casting: Casting::Unsafe,
        ..CallOptions::default()
    };
    let first = |called: Result<crate::ufunc::Called>| {
        called.and_then(|c| {
            c.outputs
                .into_iter()
                .next()
                .ok_or(crate::ArrayError::ReadOnly)
        })
    };
    let mut found = vec![
        first(ufunc.call(numerics, &[x.clone(), y.clone()], &CallOptions::default())),
        first(ufunc.call(numerics, &[x, y], &into)),
    ];
    for axes in [Axes::One(0), Axes::One(1), Axes::All] {
        let options = ReduceOptions {
            axes,
            initial: Initial::Value(Operand::Int(1)),
            mask: Some(mask.clone()),
            ..ReduceOptions::default()
        };
        found.push(ufunc.reduce(numerics, a, &options).map(|r| r.output));
    }
    let along = AlongOptions {
        axis: 1,
        ..AlongOptions::default()
    };
    found.push(ufunc.accumulate(numerics, a, &along).map(|r| r.output));
    let spans = ufunc.reduceat(numerics, a, &[1, 0, 2], &along);
    found.push(spans.map(|r| r.output));
    found
}

#[test]
fn ufuncs_and_their_methods_take_any_layout() {
    let ctx = Context::default();
    let numerics = Numerics::new(&ctx);
    numerics.set_bufsize(16).unwrap();
    let names = ["add", "multiply", "maximum", "logaddexp", "floor_divide"];
    let names = names.get(..if cfg!(miri) { 1 } else { 5 }).unwrap();
    for (name, dtype) in names
        .iter()
        .flat_map(|name| types().map(move |t| (name, t)))
    {
        let ufunc = Ufunc::named(name).unwrap();
        let (a, b) = (numbers(&ctx, dtype), numbers(&ctx, dtype).flip(0).unwrap());
        let out = || Array::zeros(&ctx, &[2, 3], DType::C128).unwrap();
        let expected = methods(&numerics, ufunc, &a, &b, &out());
        for (view, out) in layouts(&ctx, &a).iter().zip(layouts(&ctx, &out())).skip(1) {
            let found = methods(&numerics, ufunc, view, &b, &out);
            for (found, expected) in found.iter().zip(&expected) {
                match (found, expected) {
                    (Ok(found), Ok(expected)) => {
                        assert_eq!(
                            plain(&ctx, found),
                            plain(&ctx, expected),
                            "{name} {dtype:?}"
                        );
                    }
                    (found, expected) => assert_eq!(found.is_ok(), expected.is_ok()),
                }
            }
            if cfg!(miri) && dtype != DType::F16 {
                break;
            }
        }
    }
}

#[test]
fn every_ufunc_gives_backwards_what_it_gives_forwards() {
    let ctx = Context::default();
    let numerics = Numerics::new(&ctx);
    let few = [DType::I8, DType::F32];
    for ufunc in Ufunc::all().chain(Ufunc::own()) {
        let call = |a: &Array| {
            let operands = vec![Operand::from(a); ufunc.nin()];
            ufunc.call(&numerics, &operands, &CallOptions::default())
        };
        let mut ran = 0;
        for dtype in types().filter(|t| !cfg!(miri) || few.contains(t)) {
            let forwards = numbers(&ctx, dtype);
            let back = forwards.flip(1).unwrap();
            match (call(&forwards), call(&back)) {
                (Ok(expected), Ok(found)) => {
                    for (expected, found) in expected.outputs.iter().zip(&found.outputs) {
                        let found = found.flip(1).unwrap();
                        let name = ufunc.name();
                        assert_eq!(
                            plain(&ctx, &found),
                            plain(&ctx, expected),
                            "{name} {dtype:?}"
                        );
                    }
                    ran += 1;
                }
                (expected, found) => assert_eq!(expected.err(), found.err()),
            }
        }
        assert!(ran > 0, "{} takes none of the types", ufunc.name());
    }
}

#[test]
fn in_place_calls_and_repeated_places_change_elements_in_turn() {
    let ctx = Context::default();
    let numerics = Numerics::new(&ctx);
    let add = Ufunc::named("add").unwrap();
    let a = numbers(&ctx, DType::F32);
    let options = CallOptions {
        out: vec![Some(a.flip(1).unwrap())],
        ..CallOptions::default()
    };
    add.call(&numerics, &[Operand::from(&a), Operand::Int(1)], &options)
        .unwrap();
    assert_eq!(a.to_vec_f64(), [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
    let twice = Array::from_vec(&ctx, vec![0_i64, 0, -1]).unwrap();
    let items = [IndexItem::Int(1), IndexItem::IntArray(twice)];
    let one = Operand::Float(1.0);
    add.at(&numerics, &a, &items, Some(&one)).unwrap();
    assert_eq!(a.to_vec_f64(), [3.0, 2.0, 1.0, 8.0, 5.0, 5.0]);
}

#[test]
fn indices_and_choices_move_any_item() {
    let ctx = Context::default();
    let places = Array::from_vec(&ctx, vec![2_i64, -3, 2]).unwrap();
    let mask = Array::from_slice(&ctx, &[true, false, true, false, true, true], &[2, 3]).unwrap();
    for dtype in types() {
        let array = numbers(&ctx, dtype);
        for view in layouts(&ctx, &array) {
            let lists = [
                vec![IndexItem::Ellipsis, IndexItem::IntArray(places.clone())],
                vec![IndexItem::BoolArray(mask.clone())],
                vec![IndexItem::IntArray(
                    Array::zeros(&ctx, &[2], DType::I8).unwrap(),
                )],
            ];
            for items in lists {
                let found = get(&ctx, &view, &items).unwrap().array().unwrap().clone();
                let expected = get(&ctx, &array, &items).unwrap().array().unwrap().clone();
                assert_eq!(plain(&ctx, &found), plain(&ctx, &expected));
                set(&ctx, &view, &items, &found).unwrap();
            }
            assert_eq!(plain(&ctx, &view), array.to_bytes(), "{dtype:?}");
            let no = view.flip(0).unwrap();
            let chosen = selection::where_(&ctx, &mask, &view, &no).unwrap();
            let first = |a: &Array| a.element_at(&[0, 0]).unwrap().to_string();
            assert_eq!(first(&chosen), first(&array));
            let taken = selection::take(&ctx, &view, &places, Some(1), Bounds::Wrap).unwrap();
            assert_eq!(taken.shape(), [2, 3]);
            selection::argmax(&ctx, &view, Some(0), false, None).unwrap();
        }
    }
}

#[test]
fn host_values_are_copied_and_let_go_by_every_mover() {
    let ctx = Context::default();
    let before = live_objects();
    let object = Descr::new(DType::Object);
    let parts = [("n", Descr::new(DType::I16)), ("o", object.clone())];
    let record = Descr::structured(&parts).unwrap();
    for descr in [object, record] {
        let a = Array::fresh(&ctx, &[4], &descr).unwrap();
        for (i, word) in ["d", "c", "b", "a"].into_iter().enumerate() {
            a.set_element(&[i as i64], &Value::from(word)).ok();
            let row = Value::tuple([Value::Int(i as i128), Value::from(word)]);
            a.set_element(&[i as i64], &row).unwrap();
        }
        let back = a.flip(0).unwrap();
        assign(
            &ctx,
            &back,
            &a.slice(0, Some(0), Some(1), 1).unwrap(),
            Casting::No,
        )
        .unwrap();
        assign(&ctx, &back, &a, Casting::No).unwrap();
        let places = IndexItem::IntArray(Array::from_vec(&ctx, vec![3_i64, 3, 0]).unwrap());
        let found = get(&ctx, &a, std::slice::from_ref(&places)).unwrap();
        set(&ctx, &a, &[places], found.array().unwrap()).unwrap();
        concatenate(&ctx, &[a.clone(), back], Some(0), &JoinOptions::default()).unwrap();
        let copy = copy_in_order(&ctx, &a).unwrap();
        assert_eq!(text(&copy), text(&a));
    }
    assert_eq!(live_objects(), before);
}

#[test]
fn plans_of_any_order_stay_in_their_blocks() {
    let ctx = Context::default();
    let a = numbers(&ctx, DType::I64);
    for view in layouts(&ctx, &a) {
        for order in [Order::C, Order::F, Order::K] {
            let plan = crate::Loops::over(&[2, 3], &[&view, &a], order).unwrap();
            let mut rows = crate::strip::Strips::new(&plan, &[&view, &a]).unwrap();
            let mut count = 0;
            while let Some(row) = rows.next_row() {
                count += row.iter().map(|strip| strip.len()).sum::<usize>();
            }
            assert_eq!(count, 12);
        }
    }
}

thread_local! {
    /// The array that values change when they are asked something, and how often they still do.
    static CHANGED: RefCell<(Option<Array>, u32)> = const { RefCell::new((None, 0)) };
}

/// A host value that overwrites an element of the array that holds it, itself maybe, whenever it is asked.
struct Meddler(i64);

impl Meddler {
    fn value(number: i64) -> Value {
        let host: Rc<dyn HostValue> = Rc::new(Self(number));
        Value::from(host)
    }

    fn meddle(&self) {
        let array = CHANGED.with_borrow_mut(|(array, left)| {
            *left = left.checked_sub(1)?;
            array.clone()
        });
        if let Some(array) = array {
            let _ = array.set_element(&[self.0 % 4], &Self::value(self.0 + 1));
        }
    }
}

impl Drop for Meddler {
    fn drop(&mut self) {
        self.meddle();
    }
}

impl HostValue for Meddler {
    fn type_name(&self) -> &str {
        "meddler"
    }
    fn repr(&self) -> String {
        self.meddle();
        self.0.to_string()
    }
    fn truth(&self) -> bool {
        self.meddle();
        self.0 % 2 == 0
    }
    fn plain(&self) -> Option<Value> {
        self.meddle();
        Some(Value::Int(self.0.into()))
    }
    fn compare(&self, _: &Value) -> Option<Ordering> {
        self.meddle();
        Some(self.0.cmp(&2))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[test]
fn host_values_may_change_the_array_that_holds_them() {
    let before = live_objects();
    type Work = fn(&Context, &Array, &Array);
    let works: [Work; 8] = [
        |ctx, a, b| drop(assign(ctx, a, b, Casting::No)),
        |ctx, a, _| drop(astype(ctx, a, &DType::F64.into(), Casting::Unsafe)),
        |ctx, a, _| drop(astype(ctx, a, &DType::Bool.into(), Casting::Unsafe)),
        |ctx, a, _| drop(crate::sorting::sort(ctx, a, &Default::default())),
        |ctx, a, b| drop(crate::compare_arrays(ctx, crate::Operator::Lt, a, b)),
        |_, a, _| drop(text(a)),
        |ctx, a, b| {
            let mask = astype(ctx, a, &DType::Bool.into(), Casting::Unsafe)
                .unwrap()
                .0;
            let items = [IndexItem::BoolArray(mask)];
            let chosen = get(ctx, b, &items).unwrap();
            let _ = set(ctx, a, &items, chosen.array().unwrap());
        },
        |ctx, a, b| {
            let options = CallOptions {
                out: vec![Some(a.clone())],
                ..CallOptions::default()
            };
            let operands = [Operand::from(a), Operand::from(b)];
            let maximum = Ufunc::named("maximum").unwrap();
            drop(maximum.call(&Numerics::new(ctx), &operands, &options));
        },
    ];
    for work in works {
        let ctx = Context::default();
        let a = Array::fresh(&ctx, &[4], &Descr::new(DType::Object)).unwrap();
        for i in 0..4 {
            a.set_element(&[i], &Meddler::value(i)).unwrap();
        }
        CHANGED.set((Some(a.clone()), 40));
        work(&ctx, &a, &a.flip(0).unwrap());
        drop(CHANGED.take());
    }
    assert_eq!(live_objects(), before);
}
