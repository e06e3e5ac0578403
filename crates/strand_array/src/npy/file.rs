//! `.npy` files of every dtype, as they are.

use super::literal::{self, Literal};
use super::{MAGIC, error, split};
use crate::array::Array;
use crate::context::Context;
use crate::descr::{Descr, Field};
use crate::dtype::DType;
use crate::error::{ArrayError, Result};
use crate::print::quoted;

/// What files may hold. Whoever reads files of others sets them to what he can bear.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a header; NumPy's own limit is 10,000.
    pub header: usize,
    /// Bytes of elements: of a file, or of all that is unpacked from an archive.
    pub bytes: usize,
    /// Files in an archive.
    pub files: usize,
}

impl Default for Limits {
    /// NumPy's limit of headers, the engine's of bytes, and 65,535 files.
    fn default() -> Self {
        Self {
            header: 10_000,
            bytes: crate::MAX_BYTES,
            files: 65_535,
        }
    }
}

/// What a header says.
struct Header {
    descr: Descr,
    fortran: bool,
    shape: Vec<usize>,
}

/// Reads an array of any dtype in the byte order of the file, C or Fortran order kept; `np.load`.
///
/// # Errors
/// `Npy` for what isn't such a file, for one that is too short or past the limits, and for Python objects,
/// which are pickled; `BadDescr`, `UnsupportedDType` for the dtype; `TooLarge`, `RankTooHigh`,
/// `OutOfMemory`.
pub fn load(ctx: &Context, bytes: &[u8], limits: &Limits) -> Result<Array> {
    let (major, header, data) = split(bytes, limits.header)?;
    // Version 3 is younger than Python 2.
    let header = read_header(&text_of(major, header)?, major < 3)?;
    let size = Array::byte_count(&header.shape, header.descr.size())?;
    if size > limits.bytes {
        return Err(error(format!(
            "{size} bytes of elements are more than {} allow",
            limits.bytes
        )));
    }
    let data = data.get(..size).ok_or_else(|| {
        error(format!(
            "{} bytes of data, but {size} are needed",
            data.len()
        ))
    })?;
    if header.fortran {
        let order: Vec<usize> = (0..header.shape.len()).rev().collect();
        let reversed: Vec<usize> = header.shape.iter().rev().copied().collect();
        return Array::from_elements(ctx, data, &reversed, &header.descr)?.permute(&order);
    }
    Array::from_elements(ctx, data, &header.shape, &header.descr)
}

/// The header's text: Latin-1 before version 3.
fn text_of(major: u8, header: &[u8]) -> Result<String> {
    if major < 3 {
        return Ok(header.iter().map(|&b| char::from(b)).collect());
    }
    let text = std::str::from_utf8(header);
    text.map(str::to_owned)
        .map_err(|_| error("the header isn't text"))
}

fn read_header(text: &str, old: bool) -> Result<Header> {
    let keys = || error("the header isn't a dict of descr, fortran_order and shape");
    let Literal::Dict(items) = literal::parse(text, old)? else {
        return Err(keys());
    };
    let (mut descr, mut fortran, mut shape) = (None, None, None);
    for (key, value) in items {
        match key.as_str() {
            "descr" => descr = Some(read_descr(&value, 0)?),
            "fortran_order" => match value {
                Literal::Bool(v) => fortran = Some(v),
                _ => return Err(error("fortran_order is neither True nor False")),
            },
            "shape" => shape = Some(read_shape(&value)?),
            _ => return Err(keys()),
        }
    }
    let (Some(descr), Some(fortran), Some(shape)) = (descr, fortran, shape) else {
        return Err(keys());
    };
    if descr.has_objects() {
        return Err(error(
            "it has Python objects, which are pickled and aren't read",
        ));
    }
    Ok(Header {
        descr,
        fortran,
        shape,
    })
}

fn read_shape(value: &Literal) -> Result<Vec<usize>> {
    let wrong = || error("the shape isn't a tuple of sizes");
    let Literal::Tuple(items) = value else {
        return Err(wrong());
    };
    let sizes = items.iter().map(|item| match item {
        Literal::Int(size) => usize::try_from(*size).map_err(|_| wrong()),
        _ => Err(wrong()),
    });
    sizes.collect()
}

/// A dtype as headers write it: a name, a pair of a dtype and a shape, or a list of fields.
fn read_descr(value: &Literal, depth: usize) -> Result<Descr> {
    let wrong = || error("the dtype isn't one that NumPy writes");
    if depth > 64 {
        return Err(error("the dtype is nested too deep"));
    }
    match value {
        Literal::Text(name) => Descr::named(name),
        Literal::Tuple(items) => match items.as_slice() {
            [base, shape] => Descr::subarray(
                read_descr(base, depth.saturating_add(1))?,
                &read_shape(shape)?,
            ),
            _ => Err(wrong()),
        },
        Literal::List(items) => {
            let (mut fields, mut offset) = (Vec::with_capacity(items.len()), 0_usize);
            for item in items {
                let Literal::Tuple(parts) = item else {
                    return Err(wrong());
                };
                let (name, descr) = match parts.as_slice() {
                    [name, descr] => (name, read_descr(descr, depth.saturating_add(1))?),
                    [name, descr, shape] => (
                        name,
                        Descr::subarray(
                            read_descr(descr, depth.saturating_add(1))?,
                            &read_shape(shape)?,
                        )?,
                    ),
                    _ => return Err(wrong()),
                };
                // A name may stand with a title before it.
                let name = match name {
                    Literal::Text(name) => name,
                    Literal::Tuple(pair) => match pair.as_slice() {
                        [Literal::Text(_), Literal::Text(name)] => name,
                        _ => return Err(wrong()),
                    },
                    _ => return Err(wrong()),
                };
                let size = descr.size();
                // Bytes between fields are written as a void without a name.
                if !(name.is_empty() && descr.is_plain_void()) {
                    fields.push(Field::new(name, descr, offset));
                }
                offset = offset
                    .checked_add(size)
                    .ok_or(ArrayError::TooLarge { what: "an element" })?;
            }
            Descr::with_fields(fields, offset)
        }
        _ => Err(wrong()),
    }
}

/// Writes an array of any dtype but objects, as `np.save` does to the byte: Fortran order only if it isn't in C
/// order too, else in C order; in the version that the header needs.
///
/// # Errors
/// `Unsupported` for host objects and registered types; `Npy` for fields that overlap or are out of order;
/// `OutOfMemory`.
pub fn save(array: &Array) -> Result<Vec<u8>> {
    let flags = array.flags();
    let fortran = flags.f_contiguous && !flags.c_contiguous;
    let mut file = header_bytes(array, fortran)?;
    let size = array.len().saturating_mul(array.item_size());
    file.try_reserve_exact(size)
        .map_err(|_| ArrayError::OutOfMemory {
            bytes: size as u64,
            limit: crate::MAX_BYTES as u64,
        })?;
    if fortran {
        let order: Vec<usize> = (0..array.rank()).rev().collect();
        file.extend(array.permute(&order)?.to_bytes());
    } else {
        file.extend(array.to_bytes());
    }
    Ok(file)
}

fn header_bytes(array: &Array, fortran: bool) -> Result<Vec<u8>> {
    let shape = array.shape();
    let mut header = format!(
        "{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}",
        write_descr(array.descr())?,
        if fortran { "True" } else { "False" },
        write_shape(shape)
    );
    // Room for the growing axis to have 21 digits.
    let growing = if fortran { shape.last() } else { shape.first() };
    if let Some(size) = growing {
        let room = 21_usize.saturating_sub(size.to_string().len());
        header.extend(std::iter::repeat_n(' ', room));
    }
    let latin: Option<Vec<u8>> = header.chars().map(|c| u8::try_from(c).ok()).collect();
    let (major, text) = match latin {
        Some(text) if text.len() < 65_000 => (1, text),
        Some(text) => (2, text),
        None => (3, header.into_bytes()),
    };
    let prefix = if major == 1 { 10_usize } else { 12 };
    // At least one space and a line end, up to a multiple of 64.
    let end = prefix.saturating_add(text.len()).saturating_add(2);
    let length = end.next_multiple_of(64).saturating_sub(prefix);
    let padding = length.saturating_sub(text.len()).saturating_sub(1);
    let mut file = MAGIC.to_vec();
    file.extend([major, 0]);
    if major == 1 {
        file.extend((length as u16).to_le_bytes());
    } else {
        file.extend((length as u32).to_le_bytes());
    }
    file.extend(text);
    file.extend(std::iter::repeat_n(b' ', padding));
    file.push(b'\n');
    Ok(file)
}

fn write_shape(shape: &[usize]) -> String {
    let mut text = String::from("(");
    for (i, size) in shape.iter().enumerate() {
        text.push_str(if i > 0 { ", " } else { "" });
        text.push_str(&size.to_string());
    }
    text.push_str(if shape.len() == 1 { ",)" } else { ")" });
    text
}

/// A dtype that isn't a list of fields, without quotes.
fn code(descr: &Descr) -> Result<String> {
    match descr.dtype() {
        DType::Object | DType::User(_) => Err(ArrayError::Unsupported {
            op: "npy",
            dtype: descr.dtype(),
        }),
        // As `ml_dtypes` says it; read again, it is two bytes without a meaning.
        DType::BF16 => Ok("<V2".into()),
        _ => Ok(descr.code()),
    }
}

fn write_descr(descr: &Descr) -> Result<String> {
    let Some(fields) = descr.fields() else {
        return code(descr).map(|code| quoted(&code));
    };
    let mut parts = vec![];
    let mut end = 0;
    for field in fields.iter() {
        let gap = field.offset().checked_sub(end);
        match gap.ok_or_else(|| error("fields that overlap or are out of order aren't written"))? {
            0 => {}
            gap => parts.push(format!("('', '|V{gap}')")),
        }
        end = field.range().end;
        let name = quoted(field.name());
        let (mut base, mut shape) = (field.descr(), vec![]);
        while let Some((inner, sizes)) = base.sub() {
            shape.extend_from_slice(sizes);
            base = inner;
        }
        let base = write_descr(base)?;
        parts.push(match shape.as_slice() {
            [] => format!("({name}, {base})"),
            shape => format!("({name}, {base}, {})", write_shape(shape)),
        });
    }
    match descr.size().checked_sub(end) {
        None | Some(0) => {}
        Some(gap) => parts.push(format!("('', '|V{gap}')")),
    }
    Ok(format!("[{}]", parts.join(", ")))
}
