//! Indexing where NumPy is no witness: counted host values, structured elements, hostile input.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strand_array::indexing::{self, Indexed};
use strand_array::iter::{Iter, MultiIter};
use strand_array::selection::{self, Bounds};
use strand_array::{
    Array, Casting, Context, DType, Descr, Field, IndexItem, Loops, Order, Value, assign_where,
    live_objects, memory,
};

fn texts(ctx: &Context, shape: &[usize]) -> Array {
    let array = Array::fresh(ctx, shape, &Descr::new(DType::Object)).unwrap();
    for i in 0..array.len() {
        let flat = array.reshape_view(&[array.len()]).unwrap();
        flat.set_element(&[i as i64], &Value::from(&*format!("text {i}")))
            .unwrap();
    }
    array
}

fn places(ctx: &Context, at: &[i64]) -> IndexItem {
    IndexItem::IntArray(Array::from_slice(ctx, at, &[at.len()]).unwrap())
}

fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn row_16_host_values_are_counted_through_every_path() {
    let ctx = Context::default();
    assert_eq!(live_objects(), 0);
    let array = texts(&ctx, &[3, 4]);
    assert_eq!(live_objects(), 12);
    let mask = Array::from_slice(&ctx, &[true, false, true], &[3]).unwrap();
    let whole = array.astype_bool(&ctx);
    let every: Vec<Vec<IndexItem>> = vec![
        vec![IndexItem::Int(1), IndexItem::Int(-1)],
        vec![IndexItem::Int(1)],
        vec![IndexItem::BoolArray(whole)],
        vec![IndexItem::BoolArray(mask)],
        vec![places(&ctx, &[0, 2, 0])],
        vec![places(&ctx, &[0, 2, 0]), places(&ctx, &[3, 3, -1])],
        vec![IndexItem::Ellipsis, places(&ctx, &[0, 1])],
    ];
    for items in &every {
        let copy = texts(&ctx, &[3, 4]);
        let found = indexing::get(&ctx, &array, items).unwrap();
        let value = match &found {
            Indexed::Element(value) => {
                assert_eq!(text(value), "text 7");
                let single = Array::fresh(&ctx, &[], &Descr::new(DType::Object)).unwrap();
                single.assign_value(value).unwrap();
                single
            }
            Indexed::View(part) | Indexed::Copy(part) => part.clone(),
        };
        indexing::set(&ctx, &copy, items, &value).unwrap();
        // From its own elements, and one value for all places.
        let one = indexing::get(&ctx, &copy, &every[1]).unwrap();
        let one = one.array().unwrap().select(0, 0).unwrap();
        indexing::set(&ctx, &copy, items, &one).unwrap();
        // A wrong position changes nothing and loses nothing.
        assert!(indexing::set(&ctx, &copy, &[places(&ctx, &[0, 9])], &one).is_err());
        drop((found, value, copy, one));
    }
    let positions = Array::from_slice(&ctx, &[5_i64, 5, 0], &[3]).unwrap();
    let taken = selection::take(&ctx, &array, &positions, None, Bounds::Raise).unwrap();
    assert_eq!(text(&taken.element_at(&[1]).unwrap()), "text 5");
    selection::put(&ctx, &array, &positions, &taken, Bounds::Raise).unwrap();
    assert_eq!(selection::count_nonzero(&ctx, &array).unwrap(), 12);
    let largest = selection::argmax(&ctx, &array, Some(1), false, None).unwrap();
    // As texts: "text 9" comes after "text 10" and "text 11".
    assert_eq!(largest.to_vec::<i64>().unwrap(), [3, 3, 1]);
    drop((array, taken, every));
    assert_eq!(live_objects(), 0);
}

/// A mask of an object array.
trait Truth {
    fn astype_bool(&self, ctx: &Context) -> Array;
}

impl Truth for Array {
    fn astype_bool(&self, ctx: &Context) -> Array {
        let bools = Descr::new(DType::Bool);
        strand_array::astype(ctx, self, &bools, Casting::Unsafe)
            .unwrap()
            .0
    }
}

/// Numbers that come again for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.roll(all.len() as u64) as usize]
    }
}

const EXTREMES: [i64; 12] = [
    0,
    1,
    -1,
    2,
    3,
    -4,
    100,
    i32::MAX as i64,
    i64::MIN,
    i64::MAX,
    i64::MIN + 1,
    1 << 40,
];

/// Any layout that the constructor takes, with strides at the limits where no step is made.
fn layout(ctx: &Context, dice: &mut Dice) -> Array {
    let dtypes = [DType::Bool, DType::I16, DType::F64, DType::C128, DType::I64];
    loop {
        let rank = dice.roll(5) as usize;
        let shape: Vec<usize> = (0..rank).map(|_| dice.of(&[0, 1, 1, 2, 3])).collect();
        let strides: Vec<isize> = (0..rank)
            .map(|_| dice.of(&[0, 8, -8, 16, 1, 3, isize::MAX, isize::MIN, 24]))
            .collect();
        let offset = dice.roll(97) as usize;
        let descr = Descr::new(dice.of(&dtypes));
        let descr = if dice.roll(4) == 0 {
            descr.swapped()
        } else {
            descr
        };
        let made = Array::from_bytes(ctx, &[1; 96], offset, &shape, &strides, descr);
        if let Ok(array) = made {
            return array;
        }
    }
}

fn item(ctx: &Context, dice: &mut Dice) -> IndexItem {
    let bound = |dice: &mut Dice| (dice.roll(2) == 0).then(|| dice.of(&EXTREMES));
    match dice.roll(8) {
        0 => IndexItem::Int(dice.of(&EXTREMES)),
        1 => IndexItem::NewAxis,
        2 => IndexItem::Ellipsis,
        3 => IndexItem::BoolArray(layout(ctx, dice)),
        4 => {
            let at: Vec<i64> = (0..dice.roll(4)).map(|_| dice.of(&EXTREMES)).collect();
            IndexItem::IntArray(Array::from_slice(ctx, &at, &[at.len()]).unwrap())
        }
        5 => IndexItem::IntArray(layout(ctx, dice)),
        _ => IndexItem::Slice {
            start: bound(dice),
            stop: bound(dice),
            step: dice.of(&EXTREMES),
        },
    }
}

#[test]
fn any_index_of_any_layout_gets_an_answer() {
    let ctx = Context::default();
    let mut dice = Dice(0x5eed_cafe_f00d_0001);
    let rounds = if cfg!(miri) { 150 } else { 10_000 };
    for round in 0..rounds {
        let (array, value) = (layout(&ctx, &mut dice), layout(&ctx, &mut dice));
        let items: Vec<IndexItem> = (0..dice.roll(5)).map(|_| item(&ctx, &mut dice)).collect();
        let axis = dice.of(&[0, -1, 2, i64::MIN, i64::MAX]);
        let bounds = dice.of(&[Bounds::Raise, Bounds::Wrap, Bounds::Clip]);
        let answered = catch_unwind(AssertUnwindSafe(|| {
            let _ = indexing::get(&ctx, &array, &items);
            let _ = indexing::set(&ctx, &array, &items, &value);
            let _ = selection::take(&ctx, &array, &value, Some(axis), bounds);
            let _ = selection::put(&ctx, &array, &value, &value, bounds);
            let _ = selection::where_(&ctx, &array, &value, &array);
            let _ = selection::argmax(&ctx, &array, Some(axis), true, None);
            let _ = selection::nonzero(&ctx, &array);
            let _ = selection::take_along_axis(&ctx, &array, &value, Some(axis));
            let _ = selection::place(&ctx, &array, &value, &array);
            let _ = assign_where(&ctx, &array, &value, Some(&array), Casting::Unsafe);
            let _ = memory::overlap(&array, &array, Some(1000));
            let _ = memory::internal_overlap(&array, Some(1000));
            let _ = Iter::new(&array).count();
            let _ = MultiIter::new(&[&array, &value]).map(|mut multi| {
                while multi.positions().is_some() {
                    multi.advance();
                }
            });
            for order in [Order::C, Order::F, Order::K] {
                let plan = Loops::over(array.shape(), &[&array], order).unwrap();
                let mut rows = plan.walk();
                while rows.next_row().is_some() {}
            }
        }));
        assert!(
            answered.is_ok(),
            "round {round}: {array:?}[{items:?}] = {value:?}"
        );
    }
}

#[test]
fn row_7_and_16_structured_elements_move_whole() {
    let ctx = Context::default();
    let number = Descr::new(DType::F32).swapped();
    let fields = vec![
        Field::new("a", Descr::new(DType::I8), 0),
        Field::new("b", number, 1),
    ];
    let descr = Descr::with_fields(fields, 7).unwrap();
    let array = Array::fresh(&ctx, &[4], &descr).unwrap();
    let halves = Array::from_slice(&ctx, &[0.5_f64, 1.5, 2.5, 3.5], &[4]).unwrap();
    strand_array::assign(&ctx, &array.field("b").unwrap(), &halves, Casting::Unsafe).unwrap();
    let taken = indexing::get(&ctx, &array, &[places(&ctx, &[3, 0, 3])]).unwrap();
    let taken = taken.array().unwrap();
    let wide = |array: &Array| {
        let floats = Descr::new(DType::F64);
        let array = strand_array::astype(&ctx, &array.field("b").unwrap(), &floats, Casting::Safe);
        array.unwrap().0.to_vec_f64()
    };
    assert_eq!(wide(taken), [3.5, 0.5, 3.5]);
    indexing::set(&ctx, &array, &[places(&ctx, &[0, 1, 2])], taken).unwrap();
    assert_eq!(wide(&array), [3.5, 0.5, 3.5, 3.5]);
}
