//! Descriptors by name, as NumPy spells them.

use super::Descr;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};

/// Names of the types without a size in the name: NumPy's, C's and Python's.
const NAMES: &[(&str, DType)] = &[
    ("bool", DType::Bool),
    ("bool_", DType::Bool),
    ("int8", DType::I8),
    ("byte", DType::I8),
    ("uint8", DType::U8),
    ("ubyte", DType::U8),
    ("int16", DType::I16),
    ("short", DType::I16),
    ("uint16", DType::U16),
    ("ushort", DType::U16),
    ("int32", DType::I32),
    ("intc", DType::I32),
    ("uint32", DType::U32),
    ("uintc", DType::U32),
    ("int64", DType::I64),
    ("int", DType::I64),
    ("int_", DType::I64),
    ("intp", DType::I64),
    ("long", DType::I64),
    ("longlong", DType::I64),
    ("uint64", DType::U64),
    ("uint", DType::U64),
    ("uintp", DType::U64),
    ("ulong", DType::U64),
    ("ulonglong", DType::U64),
    ("float16", DType::F16),
    ("half", DType::F16),
    ("bfloat16", DType::BF16),
    ("float32", DType::F32),
    ("single", DType::F32),
    ("float64", DType::F64),
    ("float", DType::F64),
    ("double", DType::F64),
    ("complex64", DType::C64),
    ("csingle", DType::C64),
    ("complex128", DType::C128),
    ("complex", DType::C128),
    ("cdouble", DType::C128),
    ("void", DType::Void),
    ("object", DType::Object),
    ("object_", DType::Object),
];

/// Letters that stand for one type each; `np.dtype.char`.
const LETTERS: &[(char, DType)] = &[
    ('?', DType::Bool),
    ('b', DType::I8),
    ('B', DType::U8),
    ('h', DType::I16),
    ('H', DType::U16),
    ('i', DType::I32),
    ('I', DType::U32),
    ('l', DType::I64),
    ('L', DType::U64),
    ('q', DType::I64),
    ('Q', DType::U64),
    ('p', DType::I64),
    ('P', DType::U64),
    ('n', DType::I64),
    ('N', DType::U64),
    ('e', DType::F16),
    ('f', DType::F32),
    ('d', DType::F64),
    ('F', DType::C64),
    ('D', DType::C128),
    ('O', DType::Object),
    ('V', DType::Void),
];

/// Kinds and sizes of the types; `np.dtype.str` without byte order.
const CODES: &[(char, usize, DType)] = &[
    ('b', 1, DType::Bool),
    ('i', 1, DType::I8),
    ('u', 1, DType::U8),
    ('i', 2, DType::I16),
    ('u', 2, DType::U16),
    ('i', 4, DType::I32),
    ('u', 4, DType::U32),
    ('i', 8, DType::I64),
    ('u', 8, DType::U64),
    ('f', 2, DType::F16),
    ('f', 4, DType::F32),
    ('f', 8, DType::F64),
    ('c', 8, DType::C64),
    ('c', 16, DType::C128),
    ('O', 8, DType::Object),
];

impl Descr {
    /// The type of a name: `float32`, `long`, `f4`, `<i8`, `>c16`, `V12`, `?`; `np.dtype(name)`.
    ///
    /// # Errors
    /// `UnsupportedDType` for NumPy's types that the engine doesn't have, `BadValue` for what is no
    /// type.
    pub fn named(name: &str) -> Result<Self> {
        let (order, code) = match name.strip_prefix(['<', '>', '=', '|']) {
            Some(code) => (name.chars().next(), code),
            None => (None, name),
        };
        let found = by_name(code).or_else(|| by_code(code));
        let Some(descr) = found else {
            return Err(unknown(name, code));
        };
        let other = if cfg!(target_endian = "little") {
            '>'
        } else {
            '<'
        };
        Ok(if order == Some(other) {
            descr.swapped()
        } else {
            descr
        })
    }

    /// The name that [`Self::named`] takes: `<f4`, `|b1`, `|V8`; `dtype.str`. Structured types are
    /// `|V` with their size.
    #[must_use]
    pub fn code(&self) -> String {
        let found = CODES.iter().find(|(_, _, dtype)| *dtype == self.dtype());
        let (kind, size) = match found {
            Some((kind, size, _)) => (*kind, *size),
            None => ('V', self.size()),
        };
        let little = cfg!(target_endian = "little") != self.is_swapped();
        let order = match kind {
            'V' | 'O' => '|',
            _ if size == 1 => '|',
            _ if little => '<',
            _ => '>',
        };
        if kind == 'O' {
            return "|O".into();
        }
        format!("{order}{kind}{size}")
    }

    /// The name with the size in bits; `dtype.name`.
    #[must_use]
    pub fn long_name(&self) -> String {
        match self.dtype() {
            DType::Void => format!("void{}", self.size().saturating_mul(8)),
            DType::User(_) => self.to_string(),
            dtype => {
                let found = NAMES.iter().find(|(_, of)| *of == dtype);
                found.map_or("", |(name, _)| name).to_string()
            }
        }
    }
}

fn by_name(code: &str) -> Option<Descr> {
    if let Some((_, dtype)) = NAMES.iter().find(|(name, _)| *name == code) {
        return Some(Descr::new(*dtype));
    }
    let mut letters = code.chars();
    let (first, None) = (letters.next()?, letters.next()) else {
        return None;
    };
    let (_, dtype) = LETTERS.iter().find(|(letter, _)| *letter == first)?;
    Some(Descr::new(*dtype))
}

fn by_code(code: &str) -> Option<Descr> {
    let kind = code.chars().next()?;
    let size: usize = code.strip_prefix(kind)?.parse().ok()?;
    if kind == 'V' && size <= crate::MAX_BYTES {
        return Some(Descr::void(size));
    }
    let (_, _, dtype) = CODES.iter().find(|(k, s, _)| (*k, *s) == (kind, size))?;
    Some(Descr::new(*dtype))
}

/// What NumPy has and the engine hasn't is told apart from what is no type at all.
fn unknown(name: &str, code: &str) -> ArrayError {
    const ABSENT: &[&str] = &[
        "longdouble",
        "clongdouble",
        "float128",
        "complex256",
        "g",
        "G",
        "f16",
        "c32",
        "str",
        "str_",
        "bytes",
        "bytes_",
        "S",
        "U",
        "M",
        "m",
        "datetime64",
        "timedelta64",
    ];
    let letter = code.trim_end_matches(|c: char| c.is_ascii_digit());
    let absent = ABSENT.contains(&code)
        || matches!(letter, "S" | "U" | "a")
        || code.starts_with("M8")
        || code.starts_with("m8");
    if absent {
        ArrayError::UnsupportedDType { name: name.into() }
    } else {
        ArrayError::BadValue {
            class: "TypeError",
            why: format!("{name} is no type"),
        }
    }
}
