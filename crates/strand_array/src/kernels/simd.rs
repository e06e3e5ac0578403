//! Vectors of 16 bytes: WebAssembly's SIMD, and plain arrays elsewhere.
//!
//! Every operation works on each lane alone and is one that IEEE 754 rounds exactly, so both forms
//! give the same bits. Loops over slices are here too, because only they read and write vectors.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

use crate::block::Pod;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[path = "simd_wasm.rs"]
mod form;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[path = "simd_plain.rs"]
mod form;

pub(crate) use form::{F32x4, F64x2, I32x4, I64x2, M32x4, U8x16};

/// Some lanes of one element type.
pub(crate) trait Vector: Copy {
    type T: Pod;
    /// Lanes; at most [`MOST`].
    const N: usize;
    fn splat(value: Self::T) -> Self;
    /// # Safety
    /// `from` must point to `N` readable elements, aligned as elements are.
    unsafe fn read(from: *const Self::T) -> Self;
    /// # Safety
    /// `to` must point to `N` writable elements, aligned as elements are.
    unsafe fn write(self, to: *mut Self::T);
    /// `a < b ? b : a` in each lane: of a NaN in `b` nothing stays.
    fn larger(self, b: Self) -> Self;
    /// `b < a ? b : a` in each lane.
    fn smaller(self, b: Self) -> Self;
    /// The lanes that aren't equal to themselves: NaN.
    fn nans(self) -> Self;
    /// Whether [`Self::nans`] or [`Self::same`] of some vectors, joined by [`Self::or`], has any.
    fn any(self) -> bool;
    /// The bits of either.
    fn or(self, other: Self) -> Self;
    /// The lanes that equal those of `other`.
    fn same(self, other: Self) -> Self;
    fn first(self) -> Self::T;
    /// Joins the lanes by halves.
    fn fold(self, f: impl Fn(Self, Self) -> Self) -> Self::T;
}

/// A vector of numbers.
pub(crate) trait NumberVector:
    Vector + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
}
impl NumberVector for F32x4 {}
impl NumberVector for F64x2 {}
impl NumberVector for I64x2 {}

/// A vector of floating-point numbers.
pub(crate) trait FloatVector:
    NumberVector + Div<Output = Self> + Neg<Output = Self>
{
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn nearest(self) -> Self;
    /// The larger of each lane; NaN if either is.
    fn maximum(self, b: Self) -> Self;
    /// The smaller of each lane; NaN if either is.
    fn minimum(self, b: Self) -> Self;
    /// `max(x, 0)`; NaN stays.
    fn relu(self) -> Self;
}

/// A constant in every lane of a vector.
///
/// Loops read it from memory: as an operand that the machine code has to build, it would cost three
/// instructions at each use.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(crate) struct Splat(#[cfg_attr(target_arch = "wasm32", allow(dead_code))] [f32; 4]);
/// A constant of f64.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(crate) struct WideSplat(#[cfg_attr(target_arch = "wasm32", allow(dead_code))] [f64; 2]);

pub(crate) const fn splats<const N: usize>(values: [f32; N]) -> [Splat; N] {
    let mut made = [Splat([0.0; 4]); N];
    let mut i = 0;
    while i < N {
        made[i] = Splat([values[i]; 4]);
        i += 1;
    }
    made
}

pub(crate) const fn wide_splats<const N: usize>(values: [f64; N]) -> [WideSplat; N] {
    let mut made = [WideSplat([0.0; 2]); N];
    let mut i = 0;
    while i < N {
        made[i] = WideSplat([values[i]; 2]);
        i += 1;
    }
    made
}

/// The most lanes that a vector has.
pub(crate) const MOST: usize = 16;

/// Reads the first vector of a slice; lanes beyond its end hold `fill`.
#[inline(always)]
pub(crate) fn read_some<V: Vector>(from: &[V::T], fill: V::T) -> V {
    let mut lanes = [fill; MOST];
    for (lane, v) in lanes.iter_mut().zip(from.iter().take(V::N)) {
        *lane = *v;
    }
    // SAFETY: the array has MOST elements, and N is at most that.
    unsafe { V::read(lanes.as_ptr()) }
}

/// Writes as many lanes as there is room for.
#[inline(always)]
pub(crate) fn write_some<V: Vector>(value: V, to: &mut [V::T]) {
    let mut lanes = [V::T::default(); MOST];
    // SAFETY: the array has MOST elements, and N is at most that.
    unsafe { value.write(lanes.as_mut_ptr()) };
    for (t, lane) in to.iter_mut().zip(lanes.iter().take(V::N)) {
        *t = *lane;
    }
}

/// An operand of a loop: a run of elements, or one element for all.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a, T> {
    Run(&'a [T]),
    One(T),
}

impl<'a, T: Pod> Source<'a, T> {
    /// A slice with a single element stands for any number.
    pub(crate) fn of(elements: &'a [T]) -> Self {
        match elements {
            [one] => Self::One(*one),
            run => Self::Run(run),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Run(run) => run.len(),
            Self::One(_) => usize::MAX,
        }
    }
}

/// `out = f(a)`.
#[inline(always)]
pub(crate) fn map<V: Vector>(a: &[V::T], out: &mut [V::T], f: impl Fn(V) -> V) {
    let n = a.len().min(out.len());
    let whole = n - n % V::N;
    let mut i = 0;
    while i < whole {
        // SAFETY: i + N <= n, and both slices have n elements.
        unsafe { f(V::read(a.as_ptr().add(i))).write(out.as_mut_ptr().add(i)) };
        i += V::N;
    }
    if let (Some(a), Some(out)) = (a.get(whole..n), out.get_mut(whole..n))
        && whole < n
    {
        write_some(f(read_some(a, V::T::default())), out);
    }
}

/// `a = f(a)`.
#[inline(always)]
pub(crate) fn map_in_place<V: Vector>(a: &mut [V::T], f: impl Fn(V) -> V) {
    let whole = a.len() - a.len() % V::N;
    let mut i = 0;
    while i < whole {
        // SAFETY: i + N <= whole, which the slice has.
        unsafe { f(V::read(a.as_ptr().add(i))).write(a.as_mut_ptr().add(i)) };
        i += V::N;
    }
    if let Some(rest) = a.get_mut(whole..)
        && !rest.is_empty()
    {
        let value = f(read_some(rest, V::T::default()));
        write_some(value, rest);
    }
}

/// The same numbers in f64.
pub(crate) fn widen(a: &[f32], out: &mut [f64]) {
    let n = a.len().min(out.len());
    let whole = n - n % F32x4::N;
    let mut i = 0;
    while i < whole {
        // SAFETY: i + 4 <= n, and both slices have n elements.
        unsafe {
            let [low, high] = F32x4::read(a.as_ptr().add(i)).widen();
            low.write(out.as_mut_ptr().add(i));
            high.write(out.as_mut_ptr().add(i + F64x2::N));
        }
        i += F32x4::N;
    }
    for (o, v) in out.iter_mut().zip(a).skip(whole) {
        *o = f64::from(*v);
    }
}

/// `out = f(a)`, rounded.
#[inline(always)]
pub(crate) fn map_narrow(a: &[f64], out: &mut [f32], f: impl Fn(F64x2) -> F64x2) {
    let n = a.len().min(out.len());
    let whole = n - n % F32x4::N;
    let mut i = 0;
    while i < whole {
        // SAFETY: i + 4 <= n, and both slices have n elements.
        unsafe {
            let from = a.as_ptr().add(i);
            let pair = [f(F64x2::read(from)), f(F64x2::read(from.add(F64x2::N)))];
            F32x4::narrow(pair).write(out.as_mut_ptr().add(i));
        }
        i += F32x4::N;
    }
    for (o, v) in out.iter_mut().zip(a).skip(whole) {
        *o = f(F64x2::splat(*v)).first() as f32;
    }
}

/// `out = f(a, b)`.
#[inline(always)]
pub(crate) fn zip<V: Vector>(
    a: Source<'_, V::T>,
    b: Source<'_, V::T>,
    out: &mut [V::T],
    f: impl Fn(V, V) -> V,
) {
    match (a, b) {
        (Source::Run(a), Source::Run(b)) => zip_runs(a, b, out, f),
        (Source::Run(a), Source::One(b)) => {
            let b = V::splat(b);
            map(a, out, |x| f(x, b));
        }
        (Source::One(a), Source::Run(b)) => {
            let a = V::splat(a);
            map(b, out, |y| f(a, y));
        }
        (Source::One(a), Source::One(b)) => {
            let mut one = [V::T::default()];
            write_some(f(V::splat(a), V::splat(b)), &mut one);
            out.fill(one[0]);
        }
    }
}

#[inline(always)]
fn zip_runs<V: Vector>(a: &[V::T], b: &[V::T], out: &mut [V::T], f: impl Fn(V, V) -> V) {
    let n = a.len().min(b.len()).min(out.len());
    let whole = n - n % V::N;
    let mut i = 0;
    while i < whole {
        // SAFETY: i + N <= n, and all three slices have n elements.
        unsafe {
            let (x, y) = (V::read(a.as_ptr().add(i)), V::read(b.as_ptr().add(i)));
            f(x, y).write(out.as_mut_ptr().add(i));
        }
        i += V::N;
    }
    if let (Some(a), Some(b), Some(out)) = (a.get(whole..n), b.get(whole..n), out.get_mut(whole..n))
        && whole < n
    {
        let fill = V::T::default();
        write_some(f(read_some(a, fill), read_some(b, fill)), out);
    }
}

/// `to = f(to, from)`.
#[inline(always)]
pub(crate) fn join<V: Vector>(to: &mut [V::T], from: &[V::T], f: impl Fn(V, V) -> V) {
    let n = to.len().min(from.len());
    let whole = n - n % V::N;
    let mut i = 0;
    while i < whole {
        // SAFETY: i + N <= n, and both slices have n elements.
        unsafe {
            let (x, y) = (V::read(to.as_ptr().add(i)), V::read(from.as_ptr().add(i)));
            f(x, y).write(to.as_mut_ptr().add(i));
        }
        i += V::N;
    }
    if let (Some(to), Some(from)) = (to.get_mut(whole..n), from.get(whole..n))
        && whole < n
    {
        let fill = V::T::default();
        let joined = f(read_some(to, fill), read_some(from, fill));
        write_some(joined, to);
    }
}

/// `out[c] = f(… f(start, data[c]), data[c + stride] …)` over `count` elements for each column `c`.
#[inline(always)]
pub(crate) fn join_columns<V: Vector>(
    out: &mut [V::T],
    data: &[V::T],
    stride: usize,
    count: usize,
    start: V,
    f: impl Fn(V, V) -> V,
) {
    let columns = out.len();
    let reach = count.saturating_sub(1).checked_mul(stride);
    if count == 0 || reach.is_none_or(|r| data.len() < columns || data.len() - columns < r) {
        return;
    }
    let mut c = 0;
    while c + 4 * V::N <= columns {
        let [mut p, mut q, mut r, mut s] = [start; 4];
        let mut at = c;
        for _ in 0..count {
            // SAFETY: the last row has `columns` elements from (count - 1) * stride on, which was
            // checked; `at` is c elements behind a row's start, and c + 4 N <= columns.
            unsafe {
                let from = data.as_ptr().add(at);
                p = f(p, V::read(from));
                q = f(q, V::read(from.add(V::N)));
                r = f(r, V::read(from.add(2 * V::N)));
                s = f(s, V::read(from.add(3 * V::N)));
            }
            at += stride;
        }
        // SAFETY: c + 4 N <= columns, the length of the output.
        unsafe {
            let to = out.as_mut_ptr().add(c);
            p.write(to);
            q.write(to.add(V::N));
            r.write(to.add(2 * V::N));
            s.write(to.add(3 * V::N));
        }
        c += 4 * V::N;
    }
    for (c, o) in out.iter_mut().enumerate().skip(c) {
        let mut sum = start;
        for row in 0..count {
            let value = data.get(row * stride + c).copied().unwrap_or_default();
            sum = f(sum, V::splat(value));
        }
        *o = sum.first();
    }
}

/// The first place of a value.
pub(crate) fn find<V: Vector>(row: &[V::T], value: V::T) -> Option<usize> {
    let wanted = V::splat(value);
    let step = 4 * V::N;
    let mut i = 0;
    while i + step <= row.len() {
        // SAFETY: i + 4 N elements lie in the row.
        let found = unsafe {
            let at = row.as_ptr().add(i);
            let [p, q, r, s] = [
                V::read(at),
                V::read(at.add(V::N)),
                V::read(at.add(2 * V::N)),
                V::read(at.add(3 * V::N)),
            ];
            let (p, q) = (p.same(wanted), q.same(wanted));
            p.or(q).or(r.same(wanted).or(s.same(wanted)))
        };
        if found.any() {
            break;
        }
        i += step;
    }
    let rest = row.get(i..)?.iter().position(|v| *v == value);
    rest.map(|at| i + at)
}

/// How many bytes aren't 0.
pub(crate) fn count_set(bytes: &[u8]) -> usize {
    let (groups, rest) = bytes.as_chunks::<BYTES>();
    // SAFETY: a chunk of groups has 16 bytes for each.
    let counts = groups
        .chunks(255)
        .map(|c| unsafe { form::count_bytes(c.as_ptr().cast(), c.len()) });
    counts.sum::<usize>() + rest.iter().filter(|b| **b != 0).count()
}

/// Lanes of bytes that a comparison of 16 elements gives.
const BYTES: usize = 16;

/// `out = 1 where f(a, b) holds, else 0`.
#[inline(always)]
pub(crate) fn compare(
    a: Source<'_, f32>,
    b: Source<'_, f32>,
    out: &mut [u8],
    f: impl Fn(F32x4, F32x4) -> M32x4,
) {
    let n = a.len().min(b.len()).min(out.len());
    let whole = n - n % BYTES;
    let at = |source: &Source<'_, f32>, i: usize| match source {
        // SAFETY: i + 4 <= whole, which every run has.
        Source::Run(run) => unsafe { F32x4::read(run.as_ptr().add(i)) },
        Source::One(v) => F32x4::splat(*v),
    };
    let mut i = 0;
    while i < whole {
        let mask = |k: usize| f(at(&a, i + 4 * k), at(&b, i + 4 * k));
        // SAFETY: i + 16 <= n, and the output has n elements.
        unsafe {
            form::write_bytes(
                [mask(0), mask(1), mask(2), mask(3)],
                out.as_mut_ptr().add(i),
            )
        };
        i += BYTES;
    }
    let one = |source: &Source<'_, f32>, i: usize| match source {
        Source::Run(run) => run.get(i).copied().unwrap_or_default(),
        Source::One(v) => *v,
    };
    for (i, o) in out.iter_mut().enumerate().take(n).skip(whole) {
        let holds = f(F32x4::splat(one(&a, i)), F32x4::splat(one(&b, i)));
        *o = u8::from(holds.any());
    }
}

/// `out = a where the condition isn't 0, else b`.
pub(crate) fn select(condition: &[u8], a: Source<'_, f32>, b: Source<'_, f32>, out: &mut [f32]) {
    let n = condition.len().min(a.len()).min(b.len()).min(out.len());
    let whole = n - n % BYTES;
    let at = |source: &Source<'_, f32>, i: usize| match source {
        // SAFETY: i + 4 <= whole, which every run has.
        Source::Run(run) => unsafe { F32x4::read(run.as_ptr().add(i)) },
        Source::One(v) => F32x4::splat(*v),
    };
    let mut i = 0;
    while i < whole {
        // SAFETY: i + 16 <= n, and the condition and the output have n elements.
        unsafe {
            let [p, q, r, s] = form::read_bytes(condition.as_ptr().add(i));
            let to = out.as_mut_ptr();
            let part = |mask: M32x4, j: usize| {
                let chosen = mask.select(at(&a, j), at(&b, j));
                chosen.write(to.add(j));
            };
            part(p, i);
            part(q, i + 4);
            part(r, i + 8);
            part(s, i + 12);
        }
        i += BYTES;
    }
    let one = |source: &Source<'_, f32>, i: usize| match source {
        Source::Run(run) => run.get(i).copied().unwrap_or_default(),
        Source::One(v) => *v,
    };
    for (i, (o, c)) in out
        .iter_mut()
        .zip(condition)
        .enumerate()
        .take(n)
        .skip(whole)
    {
        *o = if *c != 0 { one(&a, i) } else { one(&b, i) };
    }
}

macro_rules! float_vector {
    ($v:ident, $t:ty) => {
        impl FloatVector for $v {
            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn floor(self) -> Self {
                self.floor()
            }
            #[inline(always)]
            fn ceil(self) -> Self {
                self.ceil()
            }
            #[inline(always)]
            fn trunc(self) -> Self {
                self.trunc()
            }
            #[inline(always)]
            fn nearest(self) -> Self {
                self.nearest()
            }
            #[inline(always)]
            fn maximum(self, b: Self) -> Self {
                // A NaN in `a` stays as nothing is larger; one in `b` must be chosen.
                b.not_equal(b).select(b, self.larger(b))
            }
            #[inline(always)]
            fn minimum(self, b: Self) -> Self {
                b.not_equal(b).select(b, self.smaller(b))
            }
            #[inline(always)]
            fn relu(self) -> Self {
                let zero = Self::splat(0.0);
                self.less(zero).select(zero, self)
            }
        }
    };
}
float_vector!(F32x4, f32);
float_vector!(F64x2, f64);

/// Lane by lane operators by functions of the form.
macro_rules! operators {
    ($v:ident: $($trait:ident $method:ident $f:path),*) => {$(
        impl $trait for $v {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self($f(self.0, other.0))
            }
        }
    )*};
}
pub(crate) use operators;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_computed_as_whole_vectors_are() {
        for n in 0..if cfg!(miri) { 10 } else { 20 } {
            let a: Vec<f32> = (0..n).map(|i| i as f32 + 0.5).collect();
            let mut out = vec![0.0; n];
            map(&a, &mut out, |x: F32x4| x * x);
            assert!(a.iter().zip(&out).all(|(a, o)| a * a == *o));
            zip(
                Source::Run(&a),
                Source::One(2.0),
                &mut out,
                |x: F32x4, y| x - y,
            );
            assert!(a.iter().zip(&out).all(|(a, o)| a - 2.0 == *o));
            let mut mask = vec![9; n];
            compare(Source::Run(&a), Source::One(7.0), &mut mask, F32x4::less);
            assert!(a.iter().zip(&mask).all(|(a, m)| u8::from(*a < 7.0) == *m));
            select(&mask, Source::Run(&a), Source::One(-1.0), &mut out);
            assert!(
                a.iter()
                    .zip(&out)
                    .all(|(a, o)| *o == if *a < 7.0 { *a } else { -1.0 })
            );
        }
    }

    #[test]
    fn a_nan_stays_on_either_side() {
        let (x, nan) = (F32x4::splat(1.0), F32x4::splat(f32::NAN));
        for v in [
            x.maximum(nan),
            nan.maximum(x),
            x.minimum(nan),
            nan.minimum(x),
            nan.relu(),
        ] {
            assert!(v.nans().any());
        }
        assert!(!x.maximum(x).nans().any());
        assert_eq!(F64x2::splat(-2.0).maximum(F64x2::splat(3.0)).first(), 3.0);
        assert_eq!(
            (I64x2::splat(5) - I64x2::splat(7))
                .larger(I64x2::splat(-3))
                .first(),
            -2
        );
    }
}
