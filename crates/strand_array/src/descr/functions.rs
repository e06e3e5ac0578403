//! The table of functions that a descriptor has: what generic code asks of elements of any type.
//!
//! Elements are bytes in the descriptor's own byte order, one after the other. Loops over numbers go past
//! this table; it serves types that have no loops of their own, and single elements.

use std::cmp::Ordering;

use super::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::found::Found;
use crate::item::{compare, store, to_native, truth, value_of};
use crate::object;
use crate::print::text_of;
use crate::value::Value;

/// Two rows of elements, and a zeroed one for the sum of their products.
pub type Dot = fn(&Descr, &[u8], &[u8], &mut [u8]) -> Result<()>;

/// Functions on elements of one kind of type; `PyArray_ArrFuncs`.
pub struct Functions {
    /// The element as a value of the host; `getitem`.
    pub get: fn(&Descr, &[u8]) -> Value,
    /// Writes a value into a zeroed element; `setitem`.
    pub set: fn(&Descr, &mut [u8], &Value) -> Result<Found>,
    /// Copies elements, each maybe into the other byte order, and counts handles; `copyswapn`.
    pub copy_swap: fn(&Descr, &mut [u8], &[u8], bool),
    /// The order of two elements; none if they have none, as with NaN. `compare`.
    pub compare: fn(&Descr, &[u8], &[u8]) -> Option<Ordering>,
    /// Whether an element counts as true; `nonzero`.
    pub nonzero: fn(&Descr, &[u8]) -> bool,
    /// Where the first greatest element is, or the first without order; `argmax`.
    pub arg_max: fn(&Descr, &[u8]) -> usize,
    /// Where the first least element is, or the first without order; `argmin`.
    pub arg_min: fn(&Descr, &[u8]) -> usize,
    /// The sum of products of two rows into a zeroed element; `dotfunc`.
    pub dot: Dot,
    /// Goes on from the first two elements in equal steps; `fill`.
    pub fill: fn(&Descr, &mut [u8]) -> Result<()>,
    /// Makes every element a copy of one; `fillwithscalar`.
    pub fill_with: fn(&Descr, &mut [u8], &[u8]),
    /// The element as printed.
    pub print: fn(&Descr, &[u8]) -> String,
    /// Counts the handles in an element once more.
    pub clone: fn(&Descr, &[u8]),
    /// Counts the handles in an element once less.
    pub drop: fn(&Descr, &[u8]),
}

const NUMBERS: Functions = Functions {
    get: value_of,
    set: store,
    copy_swap,
    compare,
    nonzero: truth,
    arg_max,
    arg_min,
    dot,
    fill,
    fill_with,
    print: text_of,
    clone: |_, _| {},
    drop: |_, _| {},
};

static OF_NUMBERS: Functions = NUMBERS;

static OF_OTHERS: Functions = Functions {
    clone: |descr, element| object::retain_all(element, &descr.object_offsets()),
    drop: |descr, element| object::release_all(element, &descr.object_offsets()),
    dot: |descr, _, _, _| Err(unsupported(descr, "dot")),
    fill: |descr, _| Err(unsupported(descr, "fill")),
    ..NUMBERS
};

fn unsupported(descr: &Descr, op: &'static str) -> ArrayError {
    let dtype = descr.dtype();
    ArrayError::Unsupported { op, dtype }
}

impl Descr {
    /// The functions for elements of this type.
    #[must_use]
    pub fn functions(&self) -> &'static Functions {
        match self.dtype() {
            DType::Void | DType::Object | DType::User(_) => &OF_OTHERS,
            _ => &OF_NUMBERS,
        }
    }
}

fn copy_swap(descr: &Descr, to: &mut [u8], from: &[u8], swap: bool) {
    let (size, offsets) = (descr.size().max(1), descr.object_offsets());
    let other = descr.clone().swapped();
    let swapped = if descr.is_native() { &other } else { descr };
    for (to, from) in to.chunks_exact_mut(size).zip(from.chunks_exact(size)) {
        object::retain_all(from, &offsets);
        object::release_all(to, &offsets);
        to.copy_from_slice(from);
        if swap {
            to_native(swapped, to);
        }
    }
}

fn arg_max(descr: &Descr, elements: &[u8]) -> usize {
    first(descr, elements, Ordering::Greater)
}

fn arg_min(descr: &Descr, elements: &[u8]) -> usize {
    first(descr, elements, Ordering::Less)
}

fn first(descr: &Descr, elements: &[u8], wanted: Ordering) -> usize {
    let mut best: Option<(usize, &[u8])> = None;
    for (i, element) in elements.chunks_exact(descr.size().max(1)).enumerate() {
        if compare(descr, element, element).is_none() {
            return i;
        }
        let better = match best {
            None => true,
            Some((_, known)) => compare(descr, element, known) == Some(wanted),
        };
        if better {
            best = Some((i, element));
        }
    }
    best.map_or(0, |(at, _)| at)
}

/// Numbers in the two forms that sums are made in.
enum Sum {
    Whole(i128),
    Parts(f64, f64),
}

fn dot(descr: &Descr, left: &[u8], right: &[u8], out: &mut [u8]) -> Result<()> {
    let size = descr.size().max(1);
    let mut sum = match descr.dtype() {
        dtype if dtype.is_integer() || dtype == DType::Bool => Sum::Whole(0),
        _ => Sum::Parts(0.0, 0.0),
    };
    for (a, b) in left.chunks_exact(size).zip(right.chunks_exact(size)) {
        sum = match (sum, value_of(descr, a), value_of(descr, b)) {
            (Sum::Whole(sum), Value::Int(a), Value::Int(b)) => {
                Sum::Whole(sum.wrapping_add(a.wrapping_mul(b)))
            }
            (Sum::Whole(sum), Value::Bool(a), Value::Bool(b)) => {
                Sum::Whole(sum | i128::from(a && b))
            }
            (Sum::Parts(x, y), Value::Float(a), Value::Float(b)) => Sum::Parts(x + a * b, y),
            (Sum::Parts(x, y), Value::Complex(a, b), Value::Complex(c, d)) => {
                Sum::Parts(x + (a * c - b * d), y + (a * d + b * c))
            }
            (sum, ..) => sum,
        };
    }
    let value = match sum {
        Sum::Whole(sum) => wrapped(descr, sum),
        Sum::Parts(x, _) if descr.dtype().is_float() => Value::Float(x),
        Sum::Parts(x, y) => Value::Complex(x, y),
    };
    store(descr, out, &value).map(drop)
}

/// A whole number in the range of an integer type, as its arithmetic wraps.
fn wrapped(descr: &Descr, value: i128) -> Value {
    // The low bits, and above them their own sign or zeros.
    let unused = 128_u32.saturating_sub((descr.size().clamp(1, 8) as u32).saturating_mul(8));
    Value::Int(if descr.dtype().is_signed() {
        value << unused >> unused
    } else {
        ((value as u128) << unused >> unused) as i128
    })
}

fn fill(descr: &Descr, elements: &mut [u8]) -> Result<()> {
    let size = descr.size().max(1);
    let mut given = elements.chunks_exact(size);
    let (Some(first), Some(second)) = (given.next(), given.next()) else {
        return Ok(());
    };
    if descr.dtype() == DType::Bool {
        return Ok(());
    }
    let (first, second) = (value_of(descr, first), value_of(descr, second));
    for (i, element) in elements.chunks_exact_mut(size).enumerate().skip(2) {
        let steps = i as f64;
        let value = match (&first, &second) {
            (Value::Int(a), Value::Int(b)) => {
                let way = b.wrapping_sub(*a).wrapping_mul(i as i128);
                wrapped(descr, a.wrapping_add(way))
            }
            (Value::Float(a), Value::Float(b)) if descr.dtype() == DType::F32 => {
                let (a, b) = (*a as f32, *b as f32);
                Value::Float(f64::from(a + steps as f32 * (b - a)))
            }
            (Value::Float(a), Value::Float(b)) => Value::Float(a + steps * (b - a)),
            (Value::Complex(a, b), Value::Complex(c, d)) => {
                Value::Complex(a + steps * (c - a), b + steps * (d - b))
            }
            _ => return Err(unsupported(descr, "fill")),
        };
        element.fill(0);
        store(descr, element, &value)?;
    }
    Ok(())
}

fn fill_with(descr: &Descr, elements: &mut [u8], one: &[u8]) {
    for element in elements.chunks_exact_mut(descr.size().max(1)) {
        copy_swap(descr, element, one, false);
    }
}
