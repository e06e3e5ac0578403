//! Every code once.

use std::fmt;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The program can't run.
    Error,
    /// It runs, but probably not as meant.
    Warning,
    /// It could be said better.
    Hint,
}

impl Severity {
    /// The word for it in `--json` and in the editor.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

macro_rules! codes {
    ($($code:ident $title:literal)*) => {
        /// What kind of finding it is; the first letter says how grave.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $title] $code,)*
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &[Self] = &[$(Self::$code),*];

            /// The code as written: `E0503`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$code => stringify!($code)),* }
            }

            /// What it is about, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Self::$code => $title),* }
            }
        }
    };
}

codes! {
    E0101 "unexpected token"
    E0102 "unclosed bracket"
    E0103 "indentation"
    E0104 "chained comparison"
    E0105 "bad number"
    E0106 "unclosed text"
    E0107 "nested too deep or too long"
    E0201 "not a positive whole number"
    E0202 "unknown or circular dim"
    E0203 "too large"
    E0301 "unknown name"
    E0302 "defined twice"
    E0303 "named like an axis or dim"
    E0304 "can't be assigned"
    E0305 "reserved name"
    E0306 "not available yet"
    E0401 "unbound axis name"
    E0405 "not an axis of it"
    E0406 "needs over="
    E0407 "over= is ambiguous"
    E0501 "argument of another shape"
    E0502 "result of another shape"
    E0503 "shapes that don't line up"
    E0504 "axes that @ can't contract"
    E0505 "too many indices"
    E0506 "not an Index"
    E0507 "Index of another axis"
    E0508 "index out of range"
    E0509 "slice out of range"
    E0510 "mask of another shape"
    E0511 "impossible rearrangement"
    E0512 "shapes that can't be joined"
    E0513 "size must be known"
    E0514 "shape that a view can't draw"
    E0601 "literal doesn't fit the dtype"
    E0602 "mixed dtypes"
    E0603 "not defined for the dtype"
    E0604 "value outside the domain"
    E0605 "impossible conversion"
    E0701 "number of arguments"
    E0702 "unknown keyword"
    E0703 "missing argument"
    E0704 "kind of argument"
    E0705 "mut argument"
    E0706 "recursion"
    E0707 "not a function"
    E0708 "no return"
    E0801 "not a condition"
    E0802 "not iterable"
    E0803 "type changes in a loop or branch"
    E0804 "outside its block"
    E0901 "no such field"
    E0902 "field of another type"
    E0903 "no forward"
    E2201 "needs a mode"
    E2401 "can't be iterated"
    E2402 "reads the result it builds"
    E2403 "more than a value in a stage"
    E2404 "iterates a split value"
    E2405 "filter inside a lambda"
    E3101 "needs as"
    E3102 "can't run here"
    E3201 "not a stage"
    E3202 "lambda elsewhere"
    E3203 "_ outside a pipe"
    E3204 "two _ in a stage"
    E3205 "pairs not taken apart"
    E3206 "parameters for pairs"
    H0501 "an axis of size 1 stretches"
    H2401 "loop could be a chain"
    H2402 "could be a contraction"
    W0501 "[n] meets [n 1]"
    W0502 "weights along another axis"
    R01 "shape check"
    R02 "value check"
    R03 "index out of range"
    R04 "memory limit"
    R05 "stopped"
    R06 "numeric error"
    R07 "can't run in the playground"
}

impl Code {
    /// The code that is written so, in either case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|code| code.as_str().eq_ignore_ascii_case(text))
    }

    /// How grave a finding of this code is.
    pub fn severity(self) -> Severity {
        match self.as_str().as_bytes().first() {
            Some(b'H') => Severity::Hint,
            Some(b'W') => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
