//! Comparisons, logic, choice of the larger or smaller, and tests.

use super::macros::{bools, complexes, ints, l1, l2, l2_fold, reals};
use super::{Def, Identity, Resolver, def};
use crate::ufunc::kernels::boolean::{self, Bool};
use crate::ufunc::kernels::complex::{self, Complex};
use crate::ufunc::kernels::real::{self, Real};
use crate::ufunc::rules::Rule;

/// A comparison of all types; whole numbers of different signs compare exactly.
macro_rules! comparison {
    ($name:literal, $op:tt) => {
        def(
            $name,
            (2, 1),
            Resolver::Compare,
            Rule::Nothing,
            &[
                bools!(two_bool |a, b| Bool::from(a $op b)),
                ints!(two_bool |a, b| Bool::from(a $op b)),
                &[
                    l2!("qQ->?", i64, u64 => Bool, false, |a, b| {
                        Bool::from(i128::from(a) $op i128::from(b))
                    }),
                    l2!("Qq->?", u64, i64 => Bool, false, |a, b| {
                        Bool::from(i128::from(a) $op i128::from(b))
                    }),
                ],
                reals!(two_bool |a, b| Bool::from(a $op b)),
                complexes!(two_bool |a, b| Bool::from(a $op b)),
            ],
        )
    };
}

/// A logical operation on truth values of all types.
macro_rules! logic {
    ($name:literal, $identity:literal, $op:tt) => {
        def(
            $name,
            (2, 1),
            Resolver::Logical,
            Rule::Nothing,
            &[
                &[l2_fold!("??->?", Bool, |a: Bool, b: Bool| Bool::from(a.get() $op b.get()))],
                ints!(two_bool |a, b| Bool::from((a != 0) $op (b != 0))),
                reals!(two_bool |a, b| Bool::from((a != 0.0) $op (b != 0.0))),
                complexes!(two_bool |a, b| {
                    Bool::from(complex::is_true(a) $op complex::is_true(b))
                }),
            ],
        )
        .identity(Identity::Bool($identity))
    };
}

/// The larger or smaller of two.
macro_rules! choice {
    ($name:literal, $bool:ident, $int:ident, $f:ident) => {
        def(
            $name,
            (2, 1),
            Resolver::Common,
            Rule::Nothing,
            &[
                bools!(two boolean::$bool),
                ints!(two Ord::$int),
                reals!(two real::$f),
                complexes!(two complex::$f),
            ],
        )
        .identity(Identity::Reorderable)
    };
}

pub(super) static UFUNCS: &[Def] = &[
    comparison!("equal", ==),
    choice!("fmax", or, max, fmax),
    choice!("fmin", and, min, fmin),
    comparison!("greater", >),
    comparison!("greater_equal", >=),
    def(
        "isfinite",
        (1, 1),
        Resolver::Each,
        Rule::Nothing,
        &[
            bools!(one | _ | Bool::from(true)),
            ints!(one_bool | _ | Bool::from(true)),
            reals!(one_bool | a | Bool::from(a.is_finite())),
            complexes!(one_bool | a | Bool::from(a.re.is_finite() & a.im.is_finite())),
        ],
    ),
    def(
        "isinf",
        (1, 1),
        Resolver::Each,
        Rule::Nothing,
        &[
            bools!(one | _ | Bool::from(false)),
            ints!(one_bool | _ | Bool::from(false)),
            reals!(one_bool | a | Bool::from(Real::is_inf(a))),
            complexes!(one_bool | a | Bool::from(a.re.is_inf() | a.im.is_inf())),
        ],
    ),
    def(
        "isnan",
        (1, 1),
        Resolver::Each,
        Rule::Nothing,
        &[
            bools!(one | _ | Bool::from(false)),
            ints!(one_bool | _ | Bool::from(false)),
            reals!(one_bool | a | Bool::from(a.is_nan())),
            complexes!(one_bool | a | Bool::from(a.is_nan())),
        ],
    ),
    comparison!("less", <),
    comparison!("less_equal", <=),
    logic!("logical_and", true, &),
    def(
        "logical_not",
        (1, 1),
        Resolver::Each,
        Rule::Nothing,
        &[
            bools!(one boolean::not),
            ints!(one_bool | a | Bool::from(a == 0)),
            reals!(one_bool | a | Bool::from(a == 0.0)),
            complexes!(one_bool | a | Bool::from(!complex::is_true(a))),
        ],
    ),
    logic!("logical_or", false, |),
    logic!("logical_xor", false, ^),
    choice!("maximum", or, max, maximum),
    choice!("minimum", and, min, minimum),
    comparison!("not_equal", !=),
    def(
        "signbit",
        (1, 1),
        Resolver::Each,
        Rule::Nothing,
        &[reals!(one_bool | a | Bool::from(Real::is_negative(a)))],
    ),
];
