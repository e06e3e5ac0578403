//! `.npy` files, versions 1 to 3, and `.npz` archives of them.
//!
//! [`load`] and [`save`] keep every dtype as it is. [`read`] and [`write()`] are what a program of the
//! language needs: integers of every width become `i64`, and half floats `f32`.

mod archive;
mod file;
mod literal;

pub use archive::{Archive, save_all};
pub use file::{Limits, load, save};

use crate::array::Array;
use crate::context::Context;
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::layout::element_count;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Longer headers aren't read: a plain dtype and 64 axes need far less.
const MAX_HEADER: usize = 1 << 16;

fn error(why: impl Into<String>) -> ArrayError {
    ArrayError::Npy { why: why.into() }
}

/// How elements lie in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stored {
    Bool,
    Signed(usize),
    Unsigned(usize),
    Float(usize),
}

impl Stored {
    fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Signed(n) | Self::Unsigned(n) | Self::Float(n) => n,
        }
    }

    /// The type of the array: the smallest of the engine's that holds every value.
    fn dtype(self) -> DType {
        match self {
            Self::Bool => DType::Bool,
            Self::Signed(_) | Self::Unsigned(_) => DType::I64,
            Self::Float(8) => DType::F64,
            Self::Float(_) => DType::F32,
        }
    }
}

#[derive(Debug, Default)]
struct Header {
    descr: Option<String>,
    fortran: Option<bool>,
    shape: Option<Vec<usize>>,
}

/// Reads an array. Integers of every width become i64, half floats f32. Fortran order is kept, as
/// strides.
///
/// # Errors
/// `Npy` for what isn't such a file, for objects and other dtypes, and for a u64 beyond i64;
/// `TooLarge`, `OutOfMemory`.
pub fn read(ctx: &Context, bytes: &[u8]) -> Result<Array> {
    let (_, header, data) = split(bytes, MAX_HEADER)?;
    let header = std::str::from_utf8(header).map_err(|_| error("the header isn't text"))?;
    let header = parse_header(header)?;
    let descr = header
        .descr
        .ok_or_else(|| error("the header has no 'descr'"))?;
    let fortran = header
        .fortran
        .ok_or_else(|| error("the header has no 'fortran_order'"))?;
    let shape = header
        .shape
        .ok_or_else(|| error("the header has no 'shape'"))?;
    let (stored, big_endian) = parse_descr(&descr)?;
    let count = element_count(&shape)?;
    let size = count
        .checked_mul(stored.size())
        .ok_or(ArrayError::TooLarge { what: "the file" })?;
    let data = data.get(..size).ok_or_else(|| {
        error(format!(
            "{} bytes of data, but {size} are needed",
            data.len()
        ))
    })?;
    let in_file = if fortran {
        shape.iter().rev().copied().collect()
    } else {
        shape
    };
    let array = decode(ctx, data, stored, big_endian, &in_file)?;
    if fortran {
        let order: Vec<usize> = (0..in_file.len()).rev().collect();
        return array.permute(&order);
    }
    Ok(array)
}

/// The version, the bytes of the header and those after it.
///
/// # Errors
/// `Npy` for what doesn't begin as such a file does, or has a longer header than `limit`.
fn split(bytes: &[u8], limit: usize) -> Result<(u8, &[u8], &[u8])> {
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or_else(|| error("it doesn't begin with \\x93NUMPY"))?;
    let short = || error("it ends within the header");
    let (&[major, minor], rest) = rest.split_first_chunk().ok_or_else(short)?;
    let (length, rest) = match (major, minor) {
        (1, 0) => {
            let (length, rest) = rest.split_first_chunk::<2>().ok_or_else(short)?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        (2 | 3, 0) => {
            let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(short)?;
            (u32::from_le_bytes(*length) as usize, rest)
        }
        _ => return Err(error(format!("version {major}.{minor} isn't known"))),
    };
    if length > limit {
        return Err(error(format!("a header of {length} bytes is too long")));
    }
    let (header, data) = rest.split_at_checked(length).ok_or_else(short)?;
    Ok((major, header, data))
}

/// Reads the Python dict of the header: string keys with a string, a bool or a tuple of numbers.
fn parse_header(text: &str) -> Result<Header> {
    let bad = || error("the header isn't a dict of descr, fortran_order and shape");
    let inner = text
        .trim()
        .strip_prefix('{')
        .and_then(|t| t.strip_suffix('}'))
        .ok_or_else(bad)?;
    let mut header = Header::default();
    let mut rest = inner.trim_start();
    while !rest.is_empty() {
        let (key, after) = quoted(rest).ok_or_else(bad)?;
        rest = after
            .trim_start()
            .strip_prefix(':')
            .ok_or_else(bad)?
            .trim_start();
        match key {
            "descr" => {
                let (value, after) =
                    quoted(rest).ok_or_else(|| error("structured dtypes can't be read"))?;
                header.descr = Some(value.to_owned());
                rest = after;
            }
            "fortran_order" => {
                let yes = rest.strip_prefix("True");
                header.fortran = Some(yes.is_some());
                rest = yes.or_else(|| rest.strip_prefix("False")).ok_or_else(bad)?;
            }
            "shape" => {
                let (sizes, after) = rest
                    .strip_prefix('(')
                    .and_then(|r| r.split_once(')'))
                    .ok_or_else(bad)?;
                header.shape = Some(parse_sizes(sizes)?);
                rest = after;
            }
            _ => return Err(bad()),
        }
        rest = rest.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    Ok(header)
}

fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| *c == '\'' || *c == '"')?;
    text.get(1..)?.split_once(quote)
}

fn parse_sizes(text: &str) -> Result<Vec<usize>> {
    let sizes = text.split(',').map(str::trim).filter(|s| !s.is_empty());
    // Old files of Python 2 write long integers.
    let sizes = sizes.map(|s| s.strip_suffix('L').unwrap_or(s).parse::<usize>());
    sizes
        .collect::<std::result::Result<_, _>>()
        .map_err(|_| error("a size isn't a whole number"))
}

fn parse_descr(descr: &str) -> Result<(Stored, bool)> {
    let (order, code) = match descr.chars().next() {
        Some(c @ ('<' | '>' | '|' | '=')) => (c, descr.get(1..).unwrap_or_default()),
        _ => ('<', descr),
    };
    let stored = match code {
        "b1" | "?" => Stored::Bool,
        "i1" | "i2" | "i4" | "i8" => Stored::Signed(digit(code)),
        "u1" | "u2" | "u4" | "u8" => Stored::Unsigned(digit(code)),
        "f2" | "f4" | "f8" => Stored::Float(digit(code)),
        _ if code.starts_with('O') => {
            return Err(error("it has Python objects, which aren't read"));
        }
        _ => return Err(error(format!("dtype {descr} isn't supported"))),
    };
    Ok((stored, order == '>'))
}

fn digit(code: &str) -> usize {
    code.as_bytes()
        .get(1)
        .map_or(1, |d| usize::from(d.saturating_sub(b'0')))
}

fn decode(
    ctx: &Context,
    data: &[u8],
    stored: Stored,
    big_endian: bool,
    shape: &[usize],
) -> Result<Array> {
    let items = data.chunks_exact(stored.size()).map(|item| {
        // Little-endian, in the low bytes.
        let mut bytes = [0_u8; 8];
        let own = bytes.get_mut(..item.len()).unwrap_or_default();
        own.copy_from_slice(item);
        if big_endian {
            own.reverse();
        }
        u64::from_le_bytes(bytes)
    });
    match stored {
        Stored::Bool => fill(ctx, shape, DType::Bool, items.map(|v| Ok(u8::from(v != 0)))),
        Stored::Signed(n) => {
            let unused = 64_u32.saturating_sub((n as u32).saturating_mul(8));
            fill(
                ctx,
                shape,
                DType::I64,
                items.map(|v| Ok((v << unused) as i64 >> unused)),
            )
        }
        Stored::Unsigned(_) => {
            let narrow =
                |v: u64| i64::try_from(v).map_err(|_| error(format!("{v} doesn't fit i64")));
            fill(ctx, shape, DType::I64, items.map(narrow))
        }
        Stored::Float(2) => fill(
            ctx,
            shape,
            DType::F32,
            items.map(|v| Ok(crate::half::f16_to_f32(v as u16))),
        ),
        Stored::Float(4) => fill(
            ctx,
            shape,
            DType::F32,
            items.map(|v| Ok(f32::from_bits(v as u32))),
        ),
        Stored::Float(_) => fill(
            ctx,
            shape,
            stored.dtype(),
            items.map(|v| Ok(f64::from_bits(v))),
        ),
    }
}

fn fill<T: crate::Pod>(
    ctx: &Context,
    shape: &[usize],
    dtype: DType,
    values: impl Iterator<Item = Result<T>>,
) -> Result<Array> {
    Array::build::<T>(ctx, shape, dtype, |out| {
        for (o, v) in out.iter_mut().zip(values) {
            *o = v?;
        }
        Ok(())
    })
}

/// Writes an array, version 1.0, little-endian, in C order.
///
/// # Errors
/// `OutOfMemory` if the file can't be held.
pub fn write(array: &Array) -> Result<Vec<u8>> {
    if array.descr().is_swapped() {
        return Err(ArrayError::Unsupported {
            op: "npy",
            dtype: array.dtype(),
        });
    }
    let descr = match array.dtype() {
        DType::Bool => "|b1",
        DType::I64 => "<i8",
        DType::F32 => "<f4",
        DType::F64 => "<f8",
        DType::I8 => "|i1",
        DType::U8 => "|u1",
        DType::I16 => "<i2",
        DType::I32 => "<i4",
        DType::F16 => "<f2",
        dtype => return Err(ArrayError::Unsupported { op: "npy", dtype }),
    };
    let sizes: String = array.shape().iter().map(|s| format!("{s}, ")).collect();
    let sizes = if array.rank() == 1 {
        sizes.trim_end()
    } else {
        sizes.trim_end_matches(", ")
    };
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}");
    // Data begins at a multiple of 64 bytes; a line end closes the header.
    while !header.len().saturating_add(11).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let size = array.len().saturating_mul(array.dtype().size());
    let size = size.saturating_add(header.len()).saturating_add(10);
    let mut file = Vec::new();
    file.try_reserve_exact(size)
        .map_err(|_| ArrayError::OutOfMemory {
            bytes: size as u64,
            limit: crate::MAX_BYTES as u64,
        })?;
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&[1, 0]);
    file.extend_from_slice(&(header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    match array.dtype().size() {
        1 => array.each::<u8>(&mut |v| file.push(v)),
        2 => array.each::<u16>(&mut |v| file.extend_from_slice(&v.to_le_bytes())),
        4 => array.each::<f32>(&mut |v| file.extend_from_slice(&v.to_le_bytes())),
        _ => array.each::<i64>(&mut |v| file.extend_from_slice(&v.to_le_bytes())),
    }
    Ok(file)
}
