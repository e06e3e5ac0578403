//! The order of elements: NaN last, complex numbers by real part and then imaginary part, void by
//! its fields or by its bytes.

use std::cmp::Ordering;

use crate::descr::{Descr, Field, Fields};
use crate::dtype::DType;
use crate::error::{ArrayError, Result};

/// Elements in memory that have an order.
pub(crate) trait Ordered: Copy {
    /// How two elements compare; of numbers that are equal, neither comes first.
    fn order(self, other: Self) -> Ordering;
    /// Writes the element as it was read.
    fn store(self, to: &mut [u8], swapped: bool);
}

/// Elements that are read by their type alone.
pub(crate) trait Key: Ordered {
    /// Reads an element in either byte order; without enough bytes, a zero.
    fn read(bytes: &[u8], swapped: bool) -> Self;
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Ordered for $t {
            fn order(self, other: Self) -> Ordering {
                self.cmp(&other)
            }
            fn store(self, to: &mut [u8], swapped: bool) {
                let value = if swapped { self.swap_bytes() } else { self };
                if let Some(to) = to.first_chunk_mut() {
                    *to = value.to_ne_bytes();
                }
            }
        }
        impl Key for $t {
            fn read(bytes: &[u8], swapped: bool) -> Self {
                let value = bytes.first_chunk().map_or(0, |b| Self::from_ne_bytes(*b));
                if swapped { value.swap_bytes() } else { value }
            }
        }
    )*};
}
integers!(i8, u8, i16, u16, i32, u32, i64, u64);

/// A type whose bits are read as an integer's, and compare in a way of their own.
macro_rules! bits {
    ($($(#[$doc:meta])* $name:ident($bits:ty), |$a:ident, $b:ident| $order:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name(pub(crate) $bits);
        impl Ordered for $name {
            fn order(self, other: Self) -> Ordering {
                let ($a, $b) = (self.0, other.0);
                $order
            }
            fn store(self, to: &mut [u8], swapped: bool) {
                self.0.store(to, swapped);
            }
        }
        impl Key for $name {
            fn read(bytes: &[u8], swapped: bool) -> Self {
                Self(<$bits>::read(bytes, swapped))
            }
        }
    )*};
}
bits! {
    /// A bool.
    Flag(u8), |a, b| (a != 0).cmp(&(b != 0));
    /// A half float.
    Half(u16), |a, b| half_rank(a, 0x7c00).cmp(&half_rank(b, 0x7c00));
    /// A brain float.
    Brain(u16), |a, b| half_rank(a, 0x7f80).cmp(&half_rank(b, 0x7f80));
    /// An `f32`.
    Single(u32), |a, b| {
        let (a, b) = (f32::from_bits(a), f32::from_bits(b));
        a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
    };
    /// An `f64`.
    Double(u64), |a, b| float_order(f64::from_bits(a), f64::from_bits(b));
}

/// A number that orders as the half does whose infinity has these bits; NaN is the largest.
fn half_rank(bits: u16, infinity: u16) -> i32 {
    let size = i32::from(bits & 0x7fff);
    if size > i32::from(infinity) {
        i32::MAX
    } else if bits >> 15 == 1 {
        size.wrapping_neg()
    } else {
        size
    }
}

fn float_order(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b)
        .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// A complex number.
#[derive(Clone, Copy)]
pub(crate) struct Complex<T>(T, T);

/// NumPy's order of complex numbers: those without a NaN in the real part first, then those without one
/// in the imaginary part, then by real part, then by imaginary part.
fn complex_order(a: (f64, f64), b: (f64, f64)) -> Ordering {
    let nans = |v: (f64, f64)| (v.0.is_nan(), v.1.is_nan());
    nans(a)
        .cmp(&nans(b))
        .then_with(|| float_order(a.0, b.0))
        .then_with(|| float_order(a.1, b.1))
}

macro_rules! complex {
    ($($part:ty, $float:ty),*) => {$(
        impl Ordered for Complex<$part> {
            fn order(self, other: Self) -> Ordering {
                let of = |v: Self| {
                    (f64::from(<$float>::from_bits(v.0)), f64::from(<$float>::from_bits(v.1)))
                };
                complex_order(of(self), of(other))
            }
            fn store(self, to: &mut [u8], swapped: bool) {
                if let Some((real, imaginary)) = to.split_at_mut_checked(size_of::<$part>()) {
                    self.0.store(real, swapped);
                    self.1.store(imaginary, swapped);
                }
            }
        }
        impl Key for Complex<$part> {
            fn read(bytes: &[u8], swapped: bool) -> Self {
                let imaginary = bytes.get(size_of::<$part>()..).unwrap_or_default();
                Self(<$part>::read(bytes, swapped), <$part>::read(imaginary, swapped))
            }
        }
    )*};
}
complex!(u32, f32, u64, f64);

/// Runs an expression with `$t` bound to the key of a built-in type, or gives `$other`.
macro_rules! by_key {
    ($dtype:expr, $t:ident => $body:expr, else $other:expr) => {{
        use $crate::dtype::DType;
        use $crate::sorting::order as keys;
        macro_rules! with {
            ($key:ty) => {{
                type $t = $key;
                $body
            }};
        }
        match $dtype {
            DType::Bool => with!(keys::Flag),
            DType::I8 => with!(i8),
            DType::U8 => with!(u8),
            DType::I16 => with!(i16),
            DType::U16 => with!(u16),
            DType::I32 => with!(i32),
            DType::U32 => with!(u32),
            DType::I64 => with!(i64),
            DType::U64 => with!(u64),
            DType::F16 => with!(keys::Half),
            DType::BF16 => with!(keys::Brain),
            DType::F32 => with!(keys::Single),
            DType::F64 => with!(keys::Double),
            DType::C64 => with!(keys::Complex<u32>),
            DType::C128 => with!(keys::Complex<u64>),
            _ => $other,
        }
    }};
}
pub(crate) use by_key;

/// What decides the order of void items: fields one after the other, or the bytes.
#[derive(Debug)]
pub(crate) struct ItemOrder {
    size: usize,
    fields: Vec<FieldOrder>,
}

#[derive(Debug)]
struct FieldOrder {
    offset: usize,
    dtype: DType,
    swapped: bool,
    /// Of a field that is itself void.
    within: Option<ItemOrder>,
}

impl ItemOrder {
    /// The order of the descriptor's items, by the fields that `names` tells first.
    ///
    /// # Errors
    /// `BadArgument` for a name that is no field or stands twice, and for names without fields.
    pub(crate) fn new(descr: &Descr, names: &[&str]) -> Result<Self> {
        Self::at_depth(descr, names, 0)
    }

    fn at_depth(descr: &Descr, names: &[&str], depth: usize) -> Result<Self> {
        let why = |why: String| ArrayError::BadArgument { op: "sort", why };
        let all: Vec<&Field> = descr.fields().into_iter().flat_map(Fields::iter).collect();
        if all.is_empty() && !names.is_empty() {
            return Err(why("without fields there is no order of fields".into()));
        }
        if depth > crate::layout::MAX_RANK {
            return Err(ArrayError::TooLarge {
                what: "the depth of the fields",
            });
        }
        for (i, name) in names.iter().enumerate() {
            if !all.iter().any(|f| f.name() == *name) {
                return Err(why(format!("there is no field {name}")));
            }
            if names.iter().take(i).any(|n| n == name) {
                return Err(why(format!("field {name} is named twice")));
            }
        }
        let named = |name: &&str| all.iter().find(|f| f.name() == *name);
        let rest = all.iter().filter(|f| !names.contains(&f.name()));
        let mut fields = Vec::with_capacity(all.len());
        for field in names.iter().filter_map(named).chain(rest) {
            let inner = field.descr();
            let dtype = inner.dtype();
            if matches!(dtype, DType::Object | DType::User(_)) {
                return Err(ArrayError::Unsupported { op: "sort", dtype });
            }
            let within = match dtype {
                DType::Void => Some(Self::at_depth(inner, &[], depth.saturating_add(1))?),
                _ => None,
            };
            fields.push(FieldOrder {
                offset: field.offset(),
                dtype,
                swapped: inner.is_swapped(),
                within,
            });
        }
        Ok(Self {
            size: descr.size(),
            fields,
        })
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.fields.is_empty() {
            return a.get(..self.size).cmp(&b.get(..self.size));
        }
        let each = self.fields.iter().map(|field| {
            let (a, b) = (a.get(field.offset..), b.get(field.offset..));
            field.compare(a.unwrap_or_default(), b.unwrap_or_default())
        });
        each.into_iter()
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl FieldOrder {
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        if let Some(within) = &self.within {
            return within.compare(a, b);
        }
        by_key!(self.dtype, T => {
            <T as Key>::read(a, self.swapped).order(<T as Key>::read(b, self.swapped))
        }, else Ordering::Equal)
    }
}

/// A void item where it lies.
#[derive(Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) order: &'a ItemOrder,
}

impl Ordered for Item<'_> {
    fn order(self, other: Self) -> Ordering {
        self.order.compare(self.bytes, other.bytes)
    }

    fn store(self, to: &mut [u8], _: bool) {
        if let (Some(to), Some(from)) = (
            to.get_mut(..self.order.size),
            self.bytes.get(..self.order.size),
        ) {
            to.copy_from_slice(from);
        }
    }
}
