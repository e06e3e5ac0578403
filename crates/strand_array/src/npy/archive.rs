//! `.npz` archives: zip files of `.npy` files.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_slice_iter_to_slice;

use super::file::{Limits, load, save};
use crate::array::Array;
use crate::block::Block;
use crate::context::Context;
use crate::error::{ArrayError, Result};

/// Signatures of the parts of a zip file.
const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";

/// The longest comment at the end, and the record before it.
const MAX_TAIL: usize = 65_535 + 22;

/// How many bytes deflate makes of one at most.
const MOST_PACKED: usize = 1032;

fn error(why: impl Into<String>) -> ArrayError {
    ArrayError::Npz { why: why.into() }
}

/// The bytes of an archive with its list of files; nothing is unpacked before it is asked for.
#[derive(Debug)]
pub struct Archive<'a> {
    bytes: &'a [u8],
    files: Vec<Entry>,
    limits: Limits,
}

#[derive(Debug)]
struct Entry {
    name: String,
    method: u16,
    encrypted: bool,
    crc: u32,
    packed: usize,
    unpacked: usize,
    at: usize,
}

/// The bytes of a file, as they stand in the archive or unpacked.
enum Unpacked<'a> {
    Stored(&'a [u8]),
    Inflated(Block),
}

impl Unpacked<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Stored(bytes) => bytes,
            Self::Inflated(block) => block.slice(),
        }
    }
}

impl<'a> Archive<'a> {
    /// Reads the list of files.
    ///
    /// # Errors
    /// `Npz` for what is no zip file, or is past the limits: the sizes that it states are those that are
    /// unpacked, all files together.
    pub fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        let (count, start) = directory(bytes)?;
        if count > limits.files {
            return Err(error(format!(
                "{count} files are more than {}",
                limits.files
            )));
        }
        let mut files = Vec::new();
        let (mut at, mut total) = (start, 0_usize);
        for _ in 0..count {
            let (entry, next) = central_entry(bytes, at)?;
            total = total.saturating_add(entry.unpacked);
            files.push(entry);
            at = next;
        }
        if total
            > limits
                .bytes
                .saturating_add(limits.header.saturating_mul(count))
        {
            return Err(error(format!(
                "{total} bytes unpacked are more than {} allow",
                limits.bytes
            )));
        }
        Ok(Self {
            bytes,
            files,
            limits: *limits,
        })
    }

    /// Names of the arrays, in the order of the archive; `NpzFile.files`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files
            .iter()
            .map(|f| f.name.strip_suffix(".npy").unwrap_or(&f.name))
    }

    /// Unpacks and reads an array; `NpzFile[name]`. Of several files with a name, the last one counts.
    ///
    /// # Errors
    /// `Npz` if there is none, or if it is damaged, encrypted or packed in another way than deflate; as
    /// [`load`].
    pub fn read(&self, ctx: &Context, name: &str) -> Result<Array> {
        let mut files = self.files.iter().rev();
        let entry = files
            .find(|f| f.name == name || f.name.strip_suffix(".npy") == Some(name))
            .ok_or_else(|| error(format!("there is no {name}")))?;
        let unpacked = self.unpack(ctx, entry)?;
        load(ctx, unpacked.bytes(), &self.limits)
    }

    /// All arrays with their names.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_all(&self, ctx: &Context) -> Result<Vec<(String, Array)>> {
        let names: Vec<&str> = self.names().collect();
        names
            .into_iter()
            .map(|name| Ok((name.to_owned(), self.read(ctx, name)?)))
            .collect()
    }

    /// A file's bytes; those that are unpacked count against the memory limit.
    fn unpack(&self, ctx: &Context, entry: &Entry) -> Result<Unpacked<'a>> {
        let damaged = || error(format!("{} is damaged", entry.name));
        if entry.encrypted {
            return Err(error(format!("{} is encrypted", entry.name)));
        }
        let local = self.bytes.get(entry.at..).ok_or_else(damaged)?;
        let head = local.strip_prefix(LOCAL).ok_or_else(damaged)?;
        let name = usize::from(u16_at(head, 22).ok_or_else(damaged)?);
        let extra = usize::from(u16_at(head, 24).ok_or_else(damaged)?);
        let packed = head
            .get(26_usize.saturating_add(name).saturating_add(extra)..)
            .and_then(|data| data.get(..entry.packed))
            .ok_or_else(damaged)?;
        let unpacked = match entry.method {
            0 => Unpacked::Stored(packed),
            8 => {
                if entry.unpacked / MOST_PACKED > entry.packed {
                    return Err(damaged());
                }
                let mut block = ctx.block(entry.unpacked)?;
                let out = block.slice_mut::<u8>();
                let made =
                    decompress_slice_iter_to_slice(out, std::iter::once(packed), false, false);
                if made.ok() != Some(entry.unpacked) {
                    return Err(damaged());
                }
                Unpacked::Inflated(block)
            }
            method => {
                return Err(error(format!(
                    "{} is packed by method {method}",
                    entry.name
                )));
            }
        };
        let bytes = unpacked.bytes();
        if bytes.len() != entry.unpacked || crc32(bytes) != entry.crc {
            return Err(damaged());
        }
        Ok(unpacked)
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes
        .get(at..)?
        .first_chunk()
        .map(|b| u16::from_le_bytes(*b))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes
        .get(at..)?
        .first_chunk()
        .map(|b| u32::from_le_bytes(*b))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<usize> {
    let value = bytes
        .get(at..)?
        .first_chunk()
        .map(|b| u64::from_le_bytes(*b))?;
    usize::try_from(value).ok()
}

/// The number of files and where their list begins.
fn directory(bytes: &[u8]) -> Result<(usize, usize)> {
    let none = || error("it isn't a zip file");
    let tail_at = bytes.len().saturating_sub(MAX_TAIL);
    let tail = bytes.get(tail_at..).ok_or_else(none)?;
    let mut places = (0..tail.len().saturating_sub(21)).rev();
    let end = places
        .find(|&at| {
            let record = tail.get(at..).unwrap_or_default();
            let comment = u16_at(record, 20).map_or(0, usize::from);
            record.starts_with(END) && record.len().checked_sub(22) == Some(comment)
        })
        .ok_or_else(none)?;
    let record = tail.get(end..).ok_or_else(none)?;
    let count = u16_at(record, 10).ok_or_else(none)?;
    let start = u32_at(record, 16).ok_or_else(none)?;
    if count != u16::MAX && start != u32::MAX {
        return Ok((count.into(), start as usize));
    }
    // Larger numbers stand in a record of their own.
    let locator = tail_at
        .saturating_add(end)
        .checked_sub(20)
        .and_then(|at| bytes.get(at..))
        .filter(|locator| locator.starts_with(LOCATOR_64))
        .ok_or_else(none)?;
    let record = u64_at(locator, 8)
        .and_then(|at| bytes.get(at..))
        .filter(|record| record.starts_with(END_64))
        .ok_or_else(none)?;
    let count = u64_at(record, 32).ok_or_else(none)?;
    Ok((count, u64_at(record, 48).ok_or_else(none)?))
}

/// One line of the list of files, and where the next one begins.
fn central_entry(bytes: &[u8], at: usize) -> Result<(Entry, usize)> {
    let damaged = || error("its list of files is damaged");
    let record = bytes
        .get(at..)
        .filter(|record| record.starts_with(CENTRAL))
        .ok_or_else(damaged)?;
    let short = |place: usize| u16_at(record, place).ok_or_else(damaged);
    let long = |place: usize| u32_at(record, place).ok_or_else(damaged);
    let name_size = usize::from(short(28)?);
    let (extra_size, comment) = (usize::from(short(30)?), usize::from(short(32)?));
    let rest = record.get(46..).ok_or_else(damaged)?;
    let (name, rest) = rest.split_at_checked(name_size).ok_or_else(damaged)?;
    let (extra, rest) = rest.split_at_checked(extra_size).ok_or_else(damaged)?;
    let next = rest.get(comment..).unwrap_or_default();
    let next = bytes.len().saturating_sub(next.len());
    let mut wide = wide_numbers(extra);
    let mut number = |value: u32| match value {
        u32::MAX => wide.next().ok_or_else(damaged),
        value => Ok(value as usize),
    };
    // In the order in which the wide ones stand.
    let unpacked = number(long(24)?)?;
    let packed = number(long(20)?)?;
    let place = number(long(42)?)?;
    let entry = Entry {
        name: String::from_utf8_lossy(name).into_owned(),
        method: short(10)?,
        encrypted: short(8)? & 1 == 1,
        crc: long(16)?,
        packed,
        unpacked,
        at: place,
    };
    Ok((entry, next))
}

/// The 64-bit numbers of a zip64 extra field.
fn wide_numbers(mut extra: &[u8]) -> impl Iterator<Item = usize> {
    let mut found: &[u8] = &[];
    while let (Some(id), Some(size)) = (u16_at(extra, 0), u16_at(extra, 2)) {
        let Some(data) = extra.get(4..4 + usize::from(size)) else {
            break;
        };
        if id == 1 {
            found = data;
            break;
        }
        extra = extra.get(4 + usize::from(size)..).unwrap_or_default();
    }
    found.chunks_exact(8).filter_map(|number| u64_at(number, 0))
}

/// The checksum of zip files.
fn crc32(bytes: &[u8]) -> u32 {
    let table: [u32; 256] = std::array::from_fn(|byte| {
        (0..8).fold(byte as u32, |value, _| {
            let odd = value & 1 == 1;
            value >> 1 ^ if odd { 0xedb8_8320 } else { 0 }
        })
    });
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        let at = usize::from(crc as u8 ^ byte);
        table.get(at).copied().unwrap_or(0) ^ (crc >> 8)
    })
}

/// Writes an archive of arrays under their names; `np.savez` to the byte, or `np.savez_compressed`.
///
/// # Errors
/// `Npz` for a name that stands twice or past 65,535 bytes, for more than 65,535 arrays or 4 GiB; as [`save`].
pub fn save_all(arrays: &[(&str, &Array)], compressed: bool) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut list = Vec::new();
    let too_large = || error("an archive of that size isn't written");
    for (i, (name, array)) in arrays.iter().enumerate() {
        if arrays.iter().take(i).any(|(other, _)| other == name) {
            return Err(error(format!("{name} stands twice")));
        }
        let name = format!("{name}.npy");
        let unpacked = save(array)?;
        let packed = compressed.then(|| compress_to_vec(&unpacked, 6));
        let data = packed.as_deref().unwrap_or(&unpacked);
        let at = u32::try_from(file.len()).map_err(|_| too_large())?;
        let (size, whole) = (sized(data.len())?, sized(unpacked.len())?);
        let length = u16::try_from(name.len()).map_err(|_| error("a name is too long"))?;
        let common = |sizes: [u32; 2], extra: u16| {
            let mut head = Vec::new();
            // Version 4.5; names in ASCII or, with bit 11, in UTF-8.
            let flags: u16 = if name.is_ascii() { 0 } else { 1 << 11 };
            head.extend(45_u16.to_le_bytes());
            head.extend(flags.to_le_bytes());
            head.extend((if compressed { 8_u16 } else { 0 }).to_le_bytes());
            // Midnight of 1 January 1980.
            head.extend([0, 0, 0x21, 0]);
            head.extend(crc32(&unpacked).to_le_bytes());
            head.extend(sizes[0].to_le_bytes());
            head.extend(sizes[1].to_le_bytes());
            head.extend(length.to_le_bytes());
            head.extend(extra.to_le_bytes());
            head
        };
        file.extend(LOCAL);
        file.extend(common([u32::MAX; 2], 20));
        file.extend(name.as_bytes());
        file.extend([1, 0, 16, 0]);
        file.extend(u64::from(whole).to_le_bytes());
        file.extend(u64::from(size).to_le_bytes());
        file.extend(data);
        list.extend(CENTRAL);
        // Made on Unix, read and written by its owner.
        list.extend([45, 3]);
        list.extend(common([size, whole], 0));
        list.extend([0; 6]);
        list.extend((0o600_u32 << 16).to_le_bytes());
        list.extend(at.to_le_bytes());
        list.extend(name.as_bytes());
    }
    let count = u16::try_from(arrays.len()).map_err(|_| too_large())?;
    let (start, size) = (sized(file.len())?, sized(list.len())?);
    file.extend(list);
    file.extend(END);
    file.extend([0; 4]);
    file.extend(count.to_le_bytes());
    file.extend(count.to_le_bytes());
    file.extend(size.to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0; 2]);
    Ok(file)
}

fn sized(size: usize) -> Result<u32> {
    let found = u32::try_from(size).ok().filter(|size| *size < u32::MAX);
    found.ok_or_else(|| error("an archive of that size isn't written"))
}
