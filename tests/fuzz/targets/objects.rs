//! Arrays of host values whose own code changes the arrays that hold them, at any moment that the engine asks
//! them something: every value is let go once, and no more than once.
#![no_main]

mod numbers;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::rc::Rc;

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use numbers::{several, whole};
use strand_array::joining::{self, JoinOptions};
use strand_array::selection::{self, Bounds};
use strand_array::sorting::{self, SortOptions};
use strand_array::ufunc::{CallOptions, Numerics, Operand, ReduceOptions, Ufunc};
use strand_array::{
    AnyOptions, Array, ArrayError, Casting, Context, DType, Descr, HostValue, IndexItem, Operator,
    Requirements, Result, Value, array_repr, assign, astype, compare_arrays, from_any, indexing,
    inout, live_objects,
};

thread_local! {
    /// The array that values write into when they are asked something.
    static MEDDLED: RefCell<Option<Array>> = const { RefCell::new(None) };
    static ALIVE: Cell<i64> = const { Cell::new(0) };
    /// How often values still meddle: each change may let go a value that meddles too.
    static LEFT: Cell<u32> = const { Cell::new(0) };
}

/// A number whose low bits say what it does when it is asked.
struct Meddler(u8);

impl Meddler {
    fn value(number: u8) -> Value {
        ALIVE.set(ALIVE.get() + 1);
        let host: Rc<dyn HostValue> = Rc::new(Self(number));
        Value::from(host)
    }

    fn meddle(&self) {
        if self.0 & 1 == 0 || LEFT.get() == 0 {
            return;
        }
        LEFT.set(LEFT.get() - 1);
        let Some(array) = MEDDLED.with_borrow(Clone::clone) else {
            return;
        };
        let index = vec![i64::from(self.0 >> 6); array.rank()];
        let value = match self.0 >> 1 & 3 {
            0 => Value::None,
            1 => Self::value(self.0.rotate_left(3)),
            2 => array.element_at(&index).unwrap_or_default(),
            _ => Value::Int(array.len() as i128),
        };
        let _ = array.set_element(&index, &value);
    }

    fn fails(&self) -> bool {
        self.0 & 0x18 == 0x18
    }
}

impl Drop for Meddler {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
        self.meddle();
    }
}

impl HostValue for Meddler {
    fn type_name(&self) -> &str {
        "meddler"
    }
    fn repr(&self) -> String {
        self.meddle();
        format!("#{}", self.0)
    }
    fn plain(&self) -> Option<Value> {
        self.meddle();
        (!self.fails()).then(|| Value::Int(self.0.into()))
    }
    fn truth(&self) -> bool {
        self.meddle();
        self.0 & 2 == 0
    }
    fn compare(&self, other: &Value) -> Option<Ordering> {
        self.meddle();
        match other {
            Value::Host(other) => {
                let other: &Self = other.as_any().downcast_ref()?;
                // No order at all, at times.
                (!self.fails()).then(|| (self.0 ^ 5).cmp(&other.0))
            }
            _ => None,
        }
    }
    fn operate(&self, _: &str, _: Option<&Value>, reversed: bool) -> Option<Result<Value>> {
        self.meddle();
        match self.0 >> 3 & 3 {
            0 => Some(Ok(Self::value(self.0.wrapping_add(1)))),
            1 => None,
            2 => Some(Ok(Value::Bool(reversed))),
            _ => Some(Err(ArrayError::BadArgument {
                op: "meddler",
                why: "it won't".into(),
            })),
        }
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn value(u: &mut Unstructured<'_>) -> arbitrary::Result<Value> {
    Ok(match u.int_in_range(0..=7)? {
        0 => Value::None,
        1 => Value::Int(whole(u)?.into()),
        2 => Value::Float(u.arbitrary()?),
        3 => Value::list([Meddler::value(u.arbitrary()?), Value::None]),
        _ => Meddler::value(u.arbitrary()?),
    })
}

/// Host values, or records of them beside a number.
fn array(u: &mut Unstructured<'_>, ctx: &Context) -> arbitrary::Result<Option<Array>> {
    let object = Descr::new(DType::Object);
    let descr = match u.ratio(1, 4)? {
        true => {
            let pair = Descr::subarray(object.clone(), &[2]).unwrap_or(object.clone());
            let parts = [("n", Descr::new(DType::I16)), ("o", object), ("p", pair)];
            Descr::structured(&parts).unwrap_or(Descr::new(DType::Object))
        }
        false => object,
    };
    let rank = u.int_in_range(0..=2)?;
    let shape: Vec<usize> = (0..rank)
        .map(|_| u.int_in_range(0..=4))
        .collect::<arbitrary::Result<_>>()?;
    let Ok(array) = Array::fresh(ctx, &shape, &descr) else {
        return Ok(None);
    };
    for i in 0..array.len() {
        let mut rest = i as i64;
        let index: Vec<i64> = shape
            .iter()
            .rev()
            .map(|size| {
                let at = rest % *size as i64;
                rest /= *size as i64;
                at
            })
            .collect();
        let index: Vec<i64> = index.into_iter().rev().collect();
        let value = value(u)?;
        let _ = array.set_element(&index, &value);
    }
    let view = match u.int_in_range(0..=3)? {
        0 => array.flip(0),
        1 => array.slice(0, Some(whole(u)?), None, whole(u)?),
        2 if rank == 2 => array.transpose(0, 1),
        _ => Ok(array.clone()),
    };
    Ok(Some(view.unwrap_or(array)))
}

fn step(u: &mut Unstructured<'_>, ctx: &Context, arrays: &[Array]) -> arbitrary::Result<()> {
    let (a, b) = (u.choose(arrays)?, u.choose(arrays)?);
    let c = u.choose(arrays)?;
    let numerics = Numerics::new(ctx);
    let casting = *u.choose(&[Casting::Safe, Casting::SameKind, Casting::Unsafe])?;
    let axis = u.ratio(3, 4)?.then(|| whole(u)).transpose()?;
    let sort = SortOptions {
        axis,
        ..SortOptions::default()
    };
    match u.int_in_range(0..=17)? {
        0 => drop(assign(ctx, a, b, casting)),
        1 => drop(strand_array::assign_where(ctx, a, b, Some(c), casting)),
        2 => {
            let dtype = *u.choose(&[
                DType::Object,
                DType::F64,
                DType::I8,
                DType::Bool,
                DType::C64,
            ])?;
            drop(astype(ctx, a, &dtype.into(), casting));
        }
        3 => {
            let Ok(places) = Array::from_vec(ctx, several(u, 6)?) else {
                return Ok(());
            };
            let items = [IndexItem::IntArray(places)];
            let found = indexing::get(ctx, a, &items);
            if let Ok(Some(found)) = found.as_ref().map(|f| f.array()) {
                let _ = indexing::set(ctx, a, &items, found);
            }
            let _ = indexing::set(ctx, a, &items, b);
        }
        4 => drop(sorting::sort(ctx, a, &sort)),
        5 => drop(sorting::argsort(ctx, a, &sort)),
        6 => drop(sorting::partition(ctx, a, &several(u, 3)?, &sort)),
        7 => drop(sorting::searchsorted(ctx, a, b, sorting::Side::Left, None)),
        8 => {
            let op = *u.choose(&[Operator::Lt, Operator::Eq, Operator::Ge])?;
            drop(compare_arrays(ctx, op, a, b));
        }
        9 | 10 => {
            let all: Vec<Ufunc> = Ufunc::all().collect();
            let ufunc = *u.choose(&all)?;
            let operands: Vec<Operand> = [a, b]
                .into_iter()
                .take(ufunc.nin())
                .map(|a| Operand::Array(a.clone()))
                .collect();
            let options = CallOptions {
                out: vec![u.ratio(1, 2)?.then(|| c.clone())],
                casting,
                ..CallOptions::default()
            };
            drop(ufunc.call(&numerics, &operands, &options));
            drop(ufunc.reduce(&numerics, a, &ReduceOptions::default()));
        }
        11 => {
            let options = JoinOptions {
                out: u.ratio(1, 4)?.then_some(c),
                casting,
                ..JoinOptions::default()
            };
            drop(joining::concatenate(
                ctx,
                &[a.clone(), b.clone()],
                axis,
                &options,
            ));
        }
        12 => drop(joining::repeat(ctx, a, &several(u, 4)?, axis)),
        13 => {
            let Ok(places) = Array::from_vec(ctx, several(u, 6)?) else {
                return Ok(());
            };
            drop(selection::take(ctx, a, &places, axis, Bounds::Wrap));
            drop(selection::put(ctx, a, &places, b, Bounds::Clip));
        }
        14 => {
            drop(selection::where_(ctx, a, b, c));
            drop(selection::argwhere(ctx, a));
            drop(selection::argmax(ctx, a, axis, false, None));
        }
        15 => {
            let options = AnyOptions {
                requirements: Requirements::INOUT,
                ..AnyOptions::default()
            };
            if let Ok(copy) = inout(ctx, &Value::Array(a.clone()), &options) {
                let _ = assign(ctx, copy.array(), b, casting);
                let _ = match u.arbitrary()? {
                    true => copy.resolve().map(drop),
                    false => {
                        copy.discard();
                        Ok(())
                    }
                };
            }
        }
        16 => {
            let list = Value::list([value(u)?, Value::list([value(u)?]), value(u)?]);
            drop(from_any(ctx, &list, &AnyOptions::default()));
        }
        _ => drop(array_repr(a, &Default::default())),
    }
    Ok(())
}

fn run(data: &[u8]) -> arbitrary::Result<()> {
    let mut u = Unstructured::new(data);
    let ctx = Context::new(1 << 24);
    let mut arrays = vec![];
    for _ in 0..u.int_in_range(1..=3)? {
        arrays.extend(array(&mut u, &ctx)?);
    }
    if arrays.is_empty() {
        return Ok(());
    }
    MEDDLED.set(arrays.first().cloned());
    LEFT.set(200);
    for _ in 0..u.int_in_range(1..=4)? {
        step(&mut u, &ctx, &arrays)?;
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    LEFT.set(0);
    let before = live_objects();
    let _ = run(data);
    // Taken out first: what goes with it may look there.
    drop(MEDDLED.take());
    assert_eq!(ALIVE.get(), 0, "values are left over");
    assert_eq!(live_objects(), before, "handles are left over");
});
