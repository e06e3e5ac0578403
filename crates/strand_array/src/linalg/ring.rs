//! Element types with products and sums: how each is read, accumulated and rounded.

use crate::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};

/// An element type of products, read in the machine's byte order.
pub(super) trait Ring {
    /// Bytes of an element.
    const SIZE: usize;
    /// What products are summed in.
    type Sum: Copy + Default;
    /// `sum + a * b`, with `a` conjugated if asked for.
    fn add_product(sum: Self::Sum, a: &[u8], b: &[u8], conjugate: bool) -> Self::Sum;
    /// Two sums in one.
    fn join(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// Rounds a sum to an element.
    fn store(sum: Self::Sum, to: &mut [u8]);
}

/// The first bytes as an array, zeros if there are too few.
#[inline(always)]
fn head<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

#[inline(always)]
fn put<const N: usize>(to: &mut [u8], bytes: [u8; N]) {
    if let Some(to) = to.first_chunk_mut() {
        *to = bytes;
    }
}

/// Bools: whether any pair is both true.
pub(super) struct Truth;

impl Ring for Truth {
    const SIZE: usize = 1;
    type Sum = bool;
    #[inline(always)]
    fn add_product(sum: bool, a: &[u8], b: &[u8], _: bool) -> bool {
        sum | ((head::<1>(a) != [0]) & (head::<1>(b) != [0]))
    }
    fn join(a: bool, b: bool) -> bool {
        a | b
    }
    fn store(sum: bool, to: &mut [u8]) {
        put(to, [u8::from(sum)]);
    }
}

/// Signed integers wrap to the same bits.
macro_rules! wrapping {
    ($($t:ty),*) => {$(
        impl Ring for $t {
            const SIZE: usize = size_of::<$t>();
            type Sum = $t;
            #[inline(always)]
            fn add_product(sum: $t, a: &[u8], b: &[u8], _: bool) -> $t {
                let (a, b) = (<$t>::from_ne_bytes(head(a)), <$t>::from_ne_bytes(head(b)));
                sum.wrapping_add(a.wrapping_mul(b))
            }
            #[inline(always)]
            fn join(a: $t, b: $t) -> $t {
                a.wrapping_add(b)
            }
            fn store(sum: $t, to: &mut [u8]) {
                put(to, sum.to_ne_bytes());
            }
        }
    )*};
}
wrapping!(u8, u16, u32, u64);

/// Real numbers: the sum's type, how an element is read and how the sum is rounded.
macro_rules! real {
    ($($name:ident($bits:ty) in $sum:ty: $read:expr, $round:expr;)*) => {$(
        pub(super) struct $name;
        impl Ring for $name {
            const SIZE: usize = size_of::<$bits>();
            type Sum = $sum;
            #[inline(always)]
            fn add_product(sum: $sum, a: &[u8], b: &[u8], _: bool) -> $sum {
                let read = |v: &[u8]| $read(<$bits>::from_ne_bytes(head(v)));
                sum + read(a) * read(b)
            }
            #[inline(always)]
            fn join(a: $sum, b: $sum) -> $sum {
                a + b
            }
            fn store(sum: $sum, to: &mut [u8]) {
                put(to, $round(sum).to_ne_bytes());
            }
        }
    )*};
}
real! {
    Half(u16) in f32: f16_to_f32, f32_to_f16;
    Brain(u16) in f32: bf16_to_f32, f32_to_bf16;
    Single(f32) in f64: f64::from, |v| v as f32;
    Double(f64) in f64: |v| v, |v: f64| v;
}

/// Complex numbers, whose parts are summed in `f64`.
macro_rules! complex {
    ($($name:ident($part:ty);)*) => {$(
        pub(super) struct $name;
        impl Ring for $name {
            const SIZE: usize = 2 * size_of::<$part>();
            type Sum = [f64; 2];
            #[inline(always)]
            fn add_product(sum: [f64; 2], a: &[u8], b: &[u8], conjugate: bool) -> [f64; 2] {
                let part = |v: &[u8]| f64::from(<$part>::from_ne_bytes(head(v)));
                let read = |v: &[u8]| {
                    (part(v), part(v.get(size_of::<$part>()..).unwrap_or_default()))
                };
                let ((x, y), (u, v)) = (read(a), read(b));
                let y = if conjugate { -y } else { y };
                let [re, im] = sum;
                [re + (x * u - y * v), im + (x * v + y * u)]
            }
            #[inline(always)]
            fn join([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
                [a + c, b + d]
            }
            fn store([re, im]: [f64; 2], to: &mut [u8]) {
                if let Some((real, imaginary)) = to.split_at_mut_checked(size_of::<$part>()) {
                    put(real, (re as $part).to_ne_bytes());
                    put(imaginary, (im as $part).to_ne_bytes());
                }
            }
        }
    )*};
}
complex! {
    ComplexSingle(f32);
    ComplexDouble(f64);
}
