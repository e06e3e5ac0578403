//! Arithmetic.

use super::macros::{bools, complexes, ints, l1, l1_found, l2, l2_fold, l2_found, l2_two, reals};
use super::{Def, Identity, Resolver, def};
use crate::kernels::math::Float;
use crate::ufunc::kernels::boolean::{self, Bool};
use crate::ufunc::kernels::complex::{self, Complex};
use crate::ufunc::kernels::int::{self, Int};
use crate::ufunc::kernels::real;
use crate::ufunc::rules::{Pole, Rule};

const ZERO: Identity = Identity::Int(0);
const ONE: Identity = Identity::Int(1);

pub(super) static UFUNCS: &[Def] = &[
    def(
        "absolute",
        (1, 1),
        Resolver::Each,
        Rule::General(Pole::Nowhere),
        &[
            bools!(one boolean::tidy),
            ints!(one Int::abs),
            reals!(one Float::abs),
            complexes!(one_part complex::absolute),
        ],
    ),
    def(
        "add",
        (2, 1),
        Resolver::Common,
        Rule::Sum,
        &[
            bools!(two boolean::or),
            ints!(two Int::add),
            reals!(two Float::add),
            complexes!(two complex::add),
        ],
    )
    .identity(ZERO),
    def(
        "conjugate",
        (1, 1),
        Resolver::Each,
        Rule::Nothing,
        &[
            ints!(one int::same),
            reals!(one int::same),
            complexes!(one complex::conjugate),
        ],
    ),
    def(
        "divide",
        (2, 1),
        Resolver::Divide,
        Rule::Quotient,
        &[reals!(two Float::div), complexes!(two complex::divide)],
    ),
    def(
        "divmod",
        (2, 2),
        Resolver::Common,
        Rule::DivMod,
        &[ints!(two_two int::divmod), reals!(two_two real::divmod)],
    ),
    def(
        "fabs",
        (1, 1),
        Resolver::Each,
        Rule::Nothing,
        &[reals!(one Float::abs)],
    ),
    def(
        "float_power",
        (2, 1),
        Resolver::Common,
        Rule::Growth(Pole::Power),
        &[
            &[l2!("dd->d", f64, f64 => f64, false, real::power)],
            &[l2!("DD->D", Complex<f64>, Complex<f64> => Complex<f64>, false, complex::power)],
        ],
    ),
    def(
        "floor_divide",
        (2, 1),
        Resolver::Common,
        Rule::FloorDivide,
        &[
            ints!(two_found int::floor_divide),
            reals!(two real::floor_divide),
        ],
    ),
    def(
        "fmod",
        (2, 1),
        Resolver::Common,
        Rule::Remainder,
        &[ints!(two_found int::fmod), reals!(two Float::fmod)],
    ),
    def(
        "multiply",
        (2, 1),
        Resolver::Common,
        Rule::Product,
        &[
            bools!(two boolean::and),
            ints!(two Int::mul),
            reals!(two Float::mul),
            complexes!(two complex::multiply),
        ],
    )
    .identity(ONE),
    def(
        "negative",
        (1, 1),
        Resolver::NoBool,
        Rule::Nothing,
        &[
            ints!(one Int::neg),
            reals!(one real::negative),
            complexes!(one complex::negative),
        ],
    ),
    def(
        "positive",
        (1, 1),
        Resolver::NoBool,
        Rule::Nothing,
        &[
            ints!(one int::same),
            reals!(one int::same),
            complexes!(one int::same),
        ],
    ),
    def(
        "power",
        (2, 1),
        Resolver::Common,
        Rule::Growth(Pole::Power),
        &[
            ints!(two_found int::power),
            reals!(two real::power),
            complexes!(two complex::power),
        ],
    ),
    def(
        "reciprocal",
        (1, 1),
        Resolver::Each,
        Rule::Reciprocal,
        &[
            ints!(one_found int::reciprocal),
            reals!(one real::reciprocal),
            complexes!(one complex::reciprocal),
        ],
    ),
    def(
        "remainder",
        (2, 1),
        Resolver::Common,
        Rule::Remainder,
        &[ints!(two_found int::remainder), reals!(two real::remainder)],
    ),
    def(
        "sign",
        (1, 1),
        Resolver::NoBool,
        Rule::Nothing,
        &[
            ints!(one int::sign),
            reals!(one real::sign),
            complexes!(one complex::sign),
        ],
    ),
    def(
        "square",
        (1, 1),
        Resolver::Each,
        Rule::Square,
        &[
            ints!(one int::square),
            reals!(one real::square),
            complexes!(one complex::square),
        ],
    ),
    def(
        "subtract",
        (2, 1),
        Resolver::NoBool,
        Rule::Sum,
        &[
            ints!(two Int::sub),
            reals!(two Float::sub),
            complexes!(two complex::subtract),
        ],
    ),
];
