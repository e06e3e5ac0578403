//! The table of ufuncs: name, loops from small types to large, identity, how loops are found.

#![allow(unsafe_code)]

mod compare;
mod functions;
mod macros;
mod numbers;
mod own;
mod whole;

use crate::dtype::DType;
use crate::ufunc::kernels::{Fold, Kernel};
use crate::ufunc::rules::Rule;

/// One loop of a ufunc: its types, and the functions that run it.
pub(super) struct Loop {
    /// NumPy's characters: `dd->d`; `E` is bfloat16.
    pub(super) signature: &'static str,
    pub(super) kernel: Kernel,
    /// Whether the 16-bit floats of the signature are f32 in the kernel.
    pub(super) widened: bool,
    /// The running form, of a loop whose types are all the same.
    pub(super) fold: Option<Fold>,
}

/// What `reduce` of no elements gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Identity {
    /// No value. Reductions over several axes need an operation that has one, or `Reorderable`.
    None,
    /// No value, but the order of operands doesn't matter.
    Reorderable,
    /// A whole number; of bool 0 is false and 1 true.
    Int(i64),
    /// Minus infinity.
    NegInfinity,
    /// A truth value.
    Bool(bool),
}

impl Identity {
    /// Whether elements may be taken in any order.
    #[must_use]
    pub const fn is_reorderable(self) -> bool {
        !matches!(self, Self::None)
    }
}

/// How the loop of a ufunc is found from its operands' types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resolver {
    /// The common type of all operands, then the first loop to which it casts safely.
    Common,
    /// The first loop to which every operand casts safely by itself.
    Each,
    /// As `Common`, with truth values as outputs of comparisons of any operands.
    Compare,
    /// As `Common`; bools are an error.
    NoBool,
    /// Truth values of any operands.
    Logical,
    /// Bools and small whole numbers are computed in f64.
    Divide,
    /// The first operand finds the float, the second an integer.
    Ldexp,
}

/// A built-in ufunc.
pub(super) struct Def {
    pub(super) name: &'static str,
    pub(super) nin: usize,
    pub(super) nout: usize,
    pub(super) identity: Identity,
    pub(super) loops: &'static [&'static [Loop]],
    pub(super) resolver: Resolver,
    pub(super) rule: Rule,
}

impl Def {
    pub(super) fn loops(&self) -> impl Iterator<Item = &'static Loop> {
        self.loops.iter().flat_map(|group| group.iter())
    }
}

impl Def {
    /// Inputs and outputs.
    pub(super) fn operands(&self) -> usize {
        self.nin.saturating_add(self.nout)
    }
}

impl Loop {
    /// Types of the operands, inputs first.
    pub(super) fn types(&self) -> impl Iterator<Item = DType> {
        let chars = self.signature.bytes();
        chars.filter_map(|c| dtype_of(char::from(c)))
    }
}

/// The dtype of NumPy's character.
pub(super) fn dtype_of(code: char) -> Option<DType> {
    Some(match code {
        '?' => DType::Bool,
        'b' => DType::I8,
        'B' => DType::U8,
        'h' => DType::I16,
        'H' => DType::U16,
        'i' => DType::I32,
        'I' => DType::U32,
        'l' | 'q' => DType::I64,
        'L' | 'Q' => DType::U64,
        'e' => DType::F16,
        'E' => DType::BF16,
        'f' => DType::F32,
        'd' => DType::F64,
        'F' => DType::C64,
        'D' => DType::C128,
        'O' => DType::Object,
        _ => return None,
    })
}

/// NumPy's character of a dtype.
pub(super) fn code_of(dtype: DType) -> Option<char> {
    let codes = "?bBhHiIlLeEfdFDO".chars();
    codes.into_iter().find(|&c| dtype_of(c) == Some(dtype))
}

const fn def(
    name: &'static str,
    (nin, nout): (usize, usize),
    resolver: Resolver,
    rule: Rule,
    loops: &'static [&'static [Loop]],
) -> Def {
    Def {
        name,
        nin,
        nout,
        identity: Identity::None,
        loops,
        resolver,
        rule,
    }
}

impl Def {
    const fn identity(mut self, identity: Identity) -> Self {
        self.identity = identity;
        self
    }
}

/// The tables, each sorted by name within itself.
static TABLES: [&[Def]; 4] = [
    numbers::UFUNCS,
    whole::UFUNCS,
    compare::UFUNCS,
    functions::UFUNCS,
];

/// All built-in ufuncs.
pub(super) fn all() -> impl Iterator<Item = &'static Def> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// Functions that NumPy has under other roofs, or not at all.
pub(super) fn own() -> impl Iterator<Item = &'static Def> {
    own::UFUNCS.iter()
}

/// Other names of ufuncs, as NumPy has them.
const ALIASES: [(&str, &str); 16] = [
    ("abs", "absolute"),
    ("acos", "arccos"),
    ("acosh", "arccosh"),
    ("asin", "arcsin"),
    ("asinh", "arcsinh"),
    ("atan", "arctan"),
    ("atan2", "arctan2"),
    ("atanh", "arctanh"),
    ("bitwise_invert", "invert"),
    ("bitwise_left_shift", "left_shift"),
    ("bitwise_not", "invert"),
    ("bitwise_right_shift", "right_shift"),
    ("conj", "conjugate"),
    ("mod", "remainder"),
    ("pow", "power"),
    ("true_divide", "divide"),
];

/// The built-in ufunc of a name or alias.
pub(super) fn named(name: &str) -> Option<&'static Def> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let name = alias.map_or(name, |(_, name)| name);
    all().chain(own::UFUNCS).find(|def| def.name == name)
}
