//! Running sums and products along an axis.

use crate::array::Array;
use crate::assign::assign;
use crate::cast::{Casting, check_cast};
use crate::context::{Context, Report};
use crate::descr::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use crate::lanes::{Lanes, axis_of, build_bytes, common_type, flat, native};
use crate::layout::c_strides;

/// Which running result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Running {
    /// `np.cumsum`.
    Sum,
    /// `np.cumprod`.
    Product,
    /// `np.nancumsum`: a NaN counts as 0.
    SumPastNan,
    /// `np.nancumprod`: a NaN counts as 1.
    ProductPastNan,
}

impl Running {
    /// NumPy's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "cumsum",
            Self::Product => "cumprod",
            Self::SumPastNan => "nancumsum",
            Self::ProductPastNan => "nancumprod",
        }
    }

    const fn is_sum(self) -> bool {
        matches!(self, Self::Sum | Self::SumPastNan)
    }

    const fn past_nan(self) -> bool {
        matches!(self, Self::SumPastNan | Self::ProductPastNan)
    }
}

/// How a running result is asked for.
#[derive(Clone, Debug, Default)]
pub struct RunningOptions<'a> {
    /// The axis; `None` runs over all elements in C order.
    pub axis: Option<i64>,
    /// The type that is computed in; by default the array's, bool and small integers in 64 bits, or
    /// with `out` what both promote to.
    pub dtype: Option<Descr>,
    /// Where the result goes, of exactly its shape.
    pub out: Option<&'a Array>,
    /// Whether the result begins with the 0 or 1 before the first element, one longer;
    /// `np.cumulative_sum(include_initial=True)`.
    pub include_initial: bool,
}

/// A running sum or product. Every step rounds to the dtype, and integers wrap.
///
/// # Errors
/// `AxisOutOfRange`; `ShapeMismatch` or `ReadOnly` for `out`; `CannotCast`, `Unsupported`, `OutOfMemory`.
pub fn cumulative(
    ctx: &Context,
    what: Running,
    a: &Array,
    options: &RunningOptions<'_>,
) -> Result<Array> {
    let op = what.name();
    let (a, axis) = match options.axis {
        None => (flat(ctx, a)?, 0),
        // A number is a lane of its own.
        Some(0 | -1) if a.rank() == 0 => (flat(ctx, a)?, 0),
        Some(axis) => {
            let axis = axis_of(axis, a.rank())?;
            (a.clone(), axis)
        }
    };
    let descr = match &options.dtype {
        Some(descr) => Descr::new(descr.dtype()),
        None => match options.out {
            Some(out) if out.dtype() == a.dtype() => Descr::new(a.dtype()),
            Some(out) => common_type(out.descr(), a.descr())?,
            None => Descr::new(widened(a.dtype())),
        },
    };
    let a = native(ctx, &a, &descr)?;
    let mut shape = a.shape().to_vec();
    if let (true, Some(size)) = (options.include_initial, shape.get_mut(axis)) {
        *size += 1;
    }
    if let Some(out) = options.out {
        if out.shape() != shape {
            return Err(ArrayError::ShapeMismatch {
                op,
                left: shape,
                right: out.shape().to_vec(),
            });
        }
        check_cast(&descr, out.descr(), Casting::Unsafe)?;
    }
    let result = lanes(ctx, what, &a, axis, &shape, options.include_initial)?;
    ctx.report(|| Report::along_axis(op, &[&a, &result], &result));
    match options.out {
        Some(out) => {
            assign(ctx, out, &result, Casting::Unsafe)?;
            Ok(out.clone())
        }
        None => Ok(result),
    }
}

/// What sums of a type are computed in by default.
const fn widened(dtype: DType) -> DType {
    match dtype {
        DType::Bool => DType::I64,
        d if d.is_signed() => DType::I64,
        d if d.is_unsigned() => DType::U64,
        d => d,
    }
}

/// A number in memory, and how it joins the running one.
trait Number: Copy {
    const ZERO: Self;
    const ONE: Self;
    fn read(bytes: &[u8]) -> Self;
    fn write(self, to: &mut [u8]);
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn is_nan(self) -> bool {
        false
    }
}

macro_rules! numbers {
    ($($t:ty: $plus:expr, $times:expr, $nan:expr, $zero:expr, $one:expr;)*) => {$(
        impl Number for $t {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
            fn read(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or($zero, |b| Self::from_ne_bytes(*b))
            }
            fn write(self, to: &mut [u8]) {
                if let Some(to) = to.first_chunk_mut() {
                    *to = self.to_ne_bytes();
                }
            }
            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }
            fn times(self, other: Self) -> Self {
                $times(self, other)
            }
            fn is_nan(self) -> bool {
                $nan(self)
            }
        }
    )*};
}
numbers! {
    u8: u8::wrapping_add, u8::wrapping_mul, |_| false, 0, 1;
    u16: u16::wrapping_add, u16::wrapping_mul, |_| false, 0, 1;
    u32: u32::wrapping_add, u32::wrapping_mul, |_| false, 0, 1;
    u64: u64::wrapping_add, u64::wrapping_mul, |_| false, 0, 1;
    f32: |a, b| a + b, |a, b| a * b, f32::is_nan, 0.0, 1.0;
    f64: |a, b| a + b, |a, b| a * b, f64::is_nan, 0.0, 1.0;
}

/// A bool, a half or a brain float: an operation of wider numbers, rounded.
macro_rules! narrow {
    ($($name:ident($bits:ty) as $wide:ty: $read:expr, $round:expr, $plus:expr, $times:expr, $nan:expr;)*) => {$(
        #[derive(Clone, Copy)]
        struct $name($wide);
        impl Number for $name {
            const ZERO: Self = Self(0 as $wide);
            const ONE: Self = Self(1 as $wide);
            fn read(bytes: &[u8]) -> Self {
                Self($read(<$bits as Number>::read(bytes)))
            }
            fn write(self, to: &mut [u8]) {
                let bits: $bits = $round(self.0);
                Number::write(bits, to);
            }
            fn plus(self, other: Self) -> Self {
                Self($read($round($plus(self.0, other.0))))
            }
            fn times(self, other: Self) -> Self {
                Self($read($round($times(self.0, other.0))))
            }
            fn is_nan(self) -> bool {
                $nan(self.0)
            }
        }
    )*};
}
narrow! {
    Truth(u8) as u8: |v: u8| u8::from(v != 0), |v: u8| v, |a, b| a | b, |a, b| a & b, |_| false;
    Half(u16) as f32: f16_to_f32, f32_to_f16, |a, b| a + b, |a, b| a * b, f32::is_nan;
    Brain(u16) as f32: bf16_to_f32, f32_to_bf16, |a, b| a + b, |a, b| a * b, f32::is_nan;
}

/// A complex number.
#[derive(Clone, Copy)]
struct Complex<T>(T, T);

macro_rules! complex {
    ($($t:ty),*) => {$(
        impl Number for Complex<$t> {
            const ZERO: Self = Self(0.0, 0.0);
            const ONE: Self = Self(1.0, 0.0);
            fn read(bytes: &[u8]) -> Self {
                let rest = bytes.get(size_of::<$t>()..).unwrap_or_default();
                Self(<$t as Number>::read(bytes), <$t as Number>::read(rest))
            }
            fn write(self, to: &mut [u8]) {
                if let Some((real, imaginary)) = to.split_at_mut_checked(size_of::<$t>()) {
                    self.0.write(real);
                    self.1.write(imaginary);
                }
            }
            fn plus(self, other: Self) -> Self {
                Self(self.0 + other.0, self.1 + other.1)
            }
            fn times(self, other: Self) -> Self {
                let (Self(a, b), Self(c, d)) = (self, other);
                Self(a * c - b * d, a * d + b * c)
            }
            fn is_nan(self) -> bool {
                self.0.is_nan() || self.1.is_nan()
            }
        }
    )*};
}
complex!(f32, f64);

fn lanes(
    ctx: &Context,
    what: Running,
    a: &Array,
    axis: usize,
    shape: &[usize],
    initial: bool,
) -> Result<Array> {
    let strides = c_strides(shape, a.item_size())?;
    let to = Lanes::of(shape, &strides, 0, axis);
    build_bytes(ctx, shape, &strides, a.descr().clone(), |out| {
        let run: fn(Running, &Array, usize, &Lanes, bool, &mut [u8]) = match a.dtype() {
            DType::Bool => typed::<Truth>,
            DType::I8 | DType::U8 => typed::<u8>,
            DType::I16 | DType::U16 => typed::<u16>,
            DType::I32 | DType::U32 => typed::<u32>,
            DType::I64 | DType::U64 => typed::<u64>,
            DType::F16 => typed::<Half>,
            DType::BF16 => typed::<Brain>,
            DType::F32 => typed::<f32>,
            DType::F64 => typed::<f64>,
            DType::C64 => typed::<Complex<f32>>,
            DType::C128 => typed::<Complex<f64>>,
            dtype => {
                return Err(ArrayError::Unsupported {
                    op: what.name(),
                    dtype,
                });
            }
        };
        run(what, a, axis, &to, initial, out);
        Ok(())
    })
}

fn typed<N: Number>(
    what: Running,
    a: &Array,
    axis: usize,
    to: &Lanes,
    initial: bool,
    out: &mut [u8],
) {
    let bytes = a.block().slice::<u8>();
    let from = Lanes::of_array(a, axis);
    let start = if what.is_sum() { N::ZERO } else { N::ONE };
    let join = if what.is_sum() { N::plus } else { N::times };
    let write = |out: &mut [u8], at: usize, value: N| {
        if let Some(out) = out.get_mut(at..) {
            value.write(out);
        }
    };
    // Without elements there may still be lanes of the first value alone.
    let sources = from.starts.iter().copied().map(Some);
    let sources = sources.chain(std::iter::repeat(None));
    for (&target, source) in to.starts.iter().zip(sources) {
        let mut places = to.places(target);
        let mut running = None;
        if initial && let Some(at) = places.next() {
            write(out, at, start);
        }
        let elements = source.map(|source| from.places(source));
        for (at, place) in places.zip(elements.into_iter().flatten()) {
            let mut value = N::read(bytes.get(place..).unwrap_or_default());
            if what.past_nan() && value.is_nan() {
                value = start;
            }
            let next = running.map_or(value, |running| join(running, value));
            write(out, at, next);
            running = Some(next);
        }
    }
}
