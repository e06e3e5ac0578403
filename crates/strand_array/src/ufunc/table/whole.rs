//! Operations on the bits and divisors of whole numbers.

use super::macros::{bools, ints, l1, l2_fold};
use super::{Def, Identity, Resolver, def};
use crate::ufunc::kernels::boolean::{self, Bool};
use crate::ufunc::kernels::int::{self, Int};
use crate::ufunc::rules::Rule;

pub(super) static UFUNCS: &[Def] = &[
    def(
        "bitwise_and",
        (2, 1),
        Resolver::Common,
        Rule::Nothing,
        &[bools!(two boolean::and), ints!(two Int::and)],
    )
    .identity(Identity::Int(-1)),
    def(
        "bitwise_count",
        (1, 1),
        Resolver::Each,
        Rule::Nothing,
        &[ints!(one_byte Int::ones)],
    ),
    def(
        "bitwise_or",
        (2, 1),
        Resolver::Common,
        Rule::Nothing,
        &[bools!(two boolean::or), ints!(two Int::or)],
    )
    .identity(Identity::Int(0)),
    def(
        "bitwise_xor",
        (2, 1),
        Resolver::Common,
        Rule::Nothing,
        &[bools!(two boolean::xor), ints!(two Int::xor)],
    )
    .identity(Identity::Int(0)),
    def(
        "gcd",
        (2, 1),
        Resolver::NoBool,
        Rule::Nothing,
        &[ints!(two int::gcd)],
    )
    .identity(Identity::Int(0)),
    def(
        "invert",
        (1, 1),
        Resolver::Each,
        Rule::Nothing,
        &[bools!(one boolean::not), ints!(one Int::not)],
    ),
    def(
        "lcm",
        (2, 1),
        Resolver::NoBool,
        Rule::Nothing,
        &[ints!(two int::lcm)],
    ),
    def(
        "left_shift",
        (2, 1),
        Resolver::Common,
        Rule::Nothing,
        &[ints!(two int::left_shift)],
    ),
    def(
        "right_shift",
        (2, 1),
        Resolver::Common,
        Rule::Nothing,
        &[ints!(two int::right_shift)],
    ),
];
