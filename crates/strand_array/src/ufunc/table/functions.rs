//! Rounding, exponentials, logarithms, trigonometry and the parts of floats.

use super::macros::{bools, complexes, ints, l1, l1_two, l2, l2_fold, reals};
use super::{Def, Identity, Resolver, def};
use crate::kernels::math::Float;
use crate::ufunc::kernels::boolean::{self, Bool};
use crate::ufunc::kernels::cmath;
use crate::ufunc::kernels::complex::{self, Complex, widely};
use crate::ufunc::kernels::half::{self, Bf16, F16};
use crate::ufunc::kernels::int;
use crate::ufunc::kernels::real::{self, Real};
use crate::ufunc::rules::{Pole, Rule};

/// A function of reals and complex numbers.
macro_rules! function {
    ($name:literal, $rule:expr, $real:path, $complex:path) => {
        def(
            $name,
            (1, 1),
            Resolver::Each,
            $rule,
            &[
                reals!(one $real),
                complexes!(one |z| widely(z, $complex)),
            ],
        )
    };
}

/// A function of one or two reals.
macro_rules! real_function {
    ($name:literal, $form:ident $nin:literal, $rule:expr, $real:path) => {
        def($name, ($nin, 1), Resolver::Each, $rule, &[reals!($form $real)])
    };
}

/// A rounding: whole numbers stay.
macro_rules! rounding {
    ($name:literal, $real:path) => {
        def(
            $name,
            (1, 1),
            Resolver::Each,
            Rule::Nothing,
            &[
                bools!(one boolean::tidy),
                ints!(one int::same),
                reals!(one $real),
            ],
        )
    };
}

const GENERAL: Rule = Rule::General(Pole::Nowhere);
const GROWTH: Rule = Rule::Growth(Pole::Nowhere);

pub(super) static UFUNCS: &[Def] = &[
    function!("arccos", GENERAL, Float::acos, cmath::acos),
    function!("arccosh", GENERAL, Real::acosh, cmath::acosh),
    function!("arcsin", GENERAL, Float::asin, cmath::asin),
    function!("arcsinh", GENERAL, Real::asinh, cmath::asinh),
    function!(
        "arctan",
        Rule::General(Pole::Imaginary),
        Float::atan,
        cmath::atan
    ),
    real_function!("arctan2", two 2, GROWTH, Float::atan2),
    function!(
        "arctanh",
        Rule::General(Pole::Ones),
        Real::atanh,
        cmath::atanh
    ),
    real_function!("cbrt", one 1, GENERAL, Real::cbrt),
    rounding!("ceil", Real::ceil),
    real_function!("copysign", two 2, Rule::Nothing, Float::copysign),
    function!("cos", GENERAL, Float::cos, cmath::cos),
    function!("cosh", GENERAL, Float::cosh, cmath::cosh),
    real_function!("deg2rad", one 1, GROWTH, real::radians),
    real_function!("degrees", one 1, GROWTH, real::degrees),
    function!("exp", GROWTH, Float::exp, cmath::exp),
    function!("exp2", GROWTH, Real::exp2, cmath::exp2),
    function!("expm1", GENERAL, Float::expm1, cmath::expm1),
    rounding!("floor", Float::floor),
    def(
        "frexp",
        (1, 2),
        Resolver::Each,
        Rule::Nothing,
        &[reals!(frexp Real::frexp)],
    ),
    real_function!("heaviside", two 2, Rule::Nothing, real::heaviside),
    real_function!("hypot", two 2, Rule::Hypot, Float::hypot).identity(Identity::Int(0)),
    def(
        "ldexp",
        (2, 1),
        Resolver::Ldexp,
        Rule::Ldexp,
        &[&[
            l2!("ei->e", f32, i32 => f32, true, Real::ldexp),
            l2!("Ei->E", f32, i32 => f32, true, Real::ldexp),
            l2!("fi->f", f32, i32 => f32, false, Real::ldexp),
            l2!("el->e", f32, i64 => f32, true, real::ldexp_long),
            l2!("El->E", f32, i64 => f32, true, real::ldexp_long),
            l2!("fl->f", f32, i64 => f32, false, real::ldexp_long),
            l2!("di->d", f64, i32 => f64, false, Real::ldexp),
            l2!("dl->d", f64, i64 => f64, false, real::ldexp_long),
        ]],
    ),
    function!("log", Rule::General(Pole::Zero), Float::log, cmath::log),
    function!(
        "log10",
        Rule::General(Pole::Zero),
        Float::log10,
        cmath::log10
    ),
    function!(
        "log1p",
        Rule::General(Pole::MinusOne),
        Float::log1p,
        cmath::log1p
    ),
    function!("log2", Rule::General(Pole::Zero), Float::log2, cmath::log2),
    real_function!("logaddexp", two 2, Rule::LogAdd { binary: false }, real::logaddexp)
        .identity(Identity::NegInfinity),
    real_function!("logaddexp2", two 2, Rule::LogAdd { binary: true }, real::logaddexp2)
        .identity(Identity::NegInfinity),
    def(
        "modf",
        (1, 2),
        Resolver::Each,
        Rule::Nothing,
        &[reals!(one_two real::modf)],
    ),
    def(
        "nextafter",
        (2, 1),
        Resolver::Common,
        Rule::NextAfter,
        &[&[
            l2!("ee->e", u16, u16 => u16, false, half::nextafter::<F16>),
            l2!("EE->E", u16, u16 => u16, false, half::nextafter::<Bf16>),
            l2!("ff->f", f32, f32 => f32, false, real::nextafter),
            l2!("dd->d", f64, f64 => f64, false, real::nextafter),
        ]],
    ),
    real_function!("rad2deg", one 1, GROWTH, real::degrees),
    real_function!("radians", one 1, GROWTH, real::radians),
    def(
        "rint",
        (1, 1),
        Resolver::Each,
        Rule::Nothing,
        &[reals!(one Real::round), complexes!(one complex::rint)],
    ),
    function!("sin", GROWTH, Float::sin, cmath::sin),
    function!("sinh", GENERAL, Float::sinh, cmath::sinh),
    def(
        "spacing",
        (1, 1),
        Resolver::Each,
        Rule::Spacing,
        &[&[
            l1!("e->e", u16 => u16, false, half::spacing::<F16>),
            l1!("E->E", u16 => u16, false, half::spacing::<Bf16>),
            l1!("f->f", f32 => f32, false, real::spacing),
            l1!("d->d", f64 => f64, false, real::spacing),
        ]],
    ),
    function!("sqrt", GENERAL, Real::sqrt, cmath::sqrt),
    function!("tan", GENERAL, Float::tan, cmath::tan),
    function!("tanh", GENERAL, Float::tanh, cmath::tanh),
    rounding!("trunc", Real::trunc),
];
