//! Functions beyond NumPy's ufuncs: `clip`, and those of the language, whose values are PyTorch's.

use super::macros::{ints, l1, reals};
use super::{Def, Loop, Resolver, def};
use crate::kernels::math::Float;
use crate::ufunc::kernels::complex::{self, Complex};
use crate::ufunc::kernels::int;
use crate::ufunc::kernels::real::{self, Real};
use crate::ufunc::rules::{Pole, Rule};

const GENERAL: Rule = Rule::General(Pole::Nowhere);

/// Three inputs and an output of one type.
macro_rules! l3 {
    ($sig:expr, $t:ty, $widened:literal, $f:expr) => {
        Loop {
            signature: $sig,
            // SAFETY: the types are those of the signature, which the caller's operands have.
            kernel: |p, n| unsafe { $crate::ufunc::kernels::ternary::<$t>(p, n, $f) },
            widened: $widened,
            fold: None,
        }
    };
}

/// A function of one real.
macro_rules! of_real {
    ($name:literal, $f:expr) => {
        def($name, (1, 1), Resolver::Each, GENERAL, &[reals!(one $f)])
    };
}

fn between<T: Copy>(upper: impl Fn(T, T) -> T, lower: impl Fn(T, T) -> T) -> impl Fn(T, T, T) -> T {
    move |x, low, high| lower(upper(x, low), high)
}

/// 0.5 x (1 + erf(x / √2)).
fn gelu<F: Float>(x: F) -> F {
    let root = F::from_f64(std::f64::consts::FRAC_1_SQRT_2);
    let tail = F::ONE.add(x.mul(root).erf());
    F::from_f64(0.5).mul(x).mul(tail)
}

fn silu<F: Float>(x: F) -> F {
    x.mul(x.sigmoid())
}

fn rsqrt<F: Real>(x: F) -> F {
    F::ONE.div(x.sqrt())
}

/// NaN of NaN.
fn relu<F: Real>(x: F) -> F {
    if x <= F::ZERO { F::ZERO } else { x }
}

pub(super) static UFUNCS: &[Def] = &[
    def(
        "clip",
        (3, 1),
        Resolver::Common,
        Rule::Nothing,
        &[&[
            l3!("bbb->b", i8, false, between(Ord::max, Ord::min)),
            l3!("BBB->B", u8, false, between(Ord::max, Ord::min)),
            l3!("hhh->h", i16, false, between(Ord::max, Ord::min)),
            l3!("HHH->H", u16, false, between(Ord::max, Ord::min)),
            l3!("iii->i", i32, false, between(Ord::max, Ord::min)),
            l3!("III->I", u32, false, between(Ord::max, Ord::min)),
            l3!("lll->l", i64, false, between(Ord::max, Ord::min)),
            l3!("LLL->L", u64, false, between(Ord::max, Ord::min)),
            l3!("eee->e", f32, true, between(real::maximum, real::minimum)),
            l3!("EEE->E", f32, true, between(real::maximum, real::minimum)),
            l3!("fff->f", f32, false, between(real::maximum, real::minimum)),
            l3!("ddd->d", f64, false, between(real::maximum, real::minimum)),
            l3!(
                "FFF->F",
                Complex<f32>,
                false,
                between(complex::maximum, complex::minimum)
            ),
            l3!(
                "DDD->D",
                Complex<f64>,
                false,
                between(complex::maximum, complex::minimum)
            ),
        ]],
    ),
    of_real!("erf", Float::erf),
    of_real!("gelu", gelu),
    def(
        "relu",
        (1, 1),
        Resolver::Each,
        Rule::Nothing,
        &[ints!(one int::positive_part), reals!(one relu)],
    ),
    def(
        "rsqrt",
        (1, 1),
        Resolver::Each,
        Rule::General(Pole::Zero),
        &[reals!(one rsqrt)],
    ),
    of_real!("sigmoid", Float::sigmoid),
    of_real!("silu", silu),
    of_real!("softplus", Float::softplus),
];
