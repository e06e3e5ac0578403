//! Reading cases, building their arrays, comparing results.
#![allow(dead_code, reason = "each family uses its part")]

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;
use strand_array::{Array, Context, DType, Descr, Field, Result};

/// The cases of a family: those that the environment names, else the recorded ones.
pub fn cases(family: &str) -> Vec<Value> {
    let fresh = std::env::var_os("STRAND_NUMPY_CASES")
        .map(|folder| PathBuf::from(folder).join(format!("{family}.jsonl")))
        .filter(|file| file.is_file());
    let text = match fresh {
        Some(file) => std::fs::read_to_string(file).unwrap(),
        None => recorded(family),
    };
    let mut lines = text.lines();
    let header: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert!(header["numpy"].is_string(), "{family}: {header}");
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn recorded(family: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/numpy/recorded");
    let file = folder.join(format!("{family}.jsonl.gz"));
    let bytes = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let mut text = String::new();
    GzDecoder::new(bytes.as_slice())
        .read_to_string(&mut text)
        .unwrap();
    text
}

/// The bytes that a text writes in hex.
pub fn bytes(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().unwrap().as_bytes();
    let digit = |d: u8| (d as char).to_digit(16).unwrap() as u8;
    hex.chunks_exact(2)
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

pub fn sizes(value: &Value) -> Vec<usize> {
    let items = value.as_array().unwrap().iter();
    items.map(|v| v.as_u64().unwrap() as usize).collect()
}

pub fn strides(value: &Value) -> Vec<isize> {
    let items = value.as_array().unwrap().iter();
    items.map(|v| v.as_i64().unwrap() as isize).collect()
}

/// The descriptor of a name as `common.py` writes it: `<f4`, `>i2`, `|b1`, `bfloat16`, or a list of
/// fields, or a subarray.
pub fn descr(name: &Value) -> Descr {
    if name["fields"].is_array() {
        return structured(&name["fields"], name);
    }
    if name.get("base").is_some() {
        return Descr::subarray(descr(&name["base"]), &sizes(&name["shape"])).unwrap();
    }
    let name = name.as_str().unwrap_or_else(|| panic!("dtype {name}"));
    if name == "bfloat16" {
        return Descr::new(DType::BF16);
    }
    let (order, code) = name.split_at(1);
    if let Some(size) = code.strip_prefix('V') {
        return Descr::void(size.parse().unwrap());
    }
    let dtype = match code {
        "b1" => DType::Bool,
        "i1" => DType::I8,
        "u1" => DType::U8,
        "i2" => DType::I16,
        "u2" => DType::U16,
        "i4" => DType::I32,
        "u4" => DType::U32,
        "i8" => DType::I64,
        "u8" => DType::U64,
        "f2" => DType::F16,
        "f4" => DType::F32,
        "f8" => DType::F64,
        "c8" => DType::C64,
        "c16" => DType::C128,
        other => panic!("dtype {other}"),
    };
    let descr = Descr::new(dtype);
    if order == ">" { descr.swapped() } else { descr }
}

fn structured(fields: &Value, name: &Value) -> Descr {
    let fields = fields.as_array().unwrap().iter();
    let parts: Vec<_> = fields
        .map(|field| {
            let (name, at) = (field[0].as_str().unwrap(), field[2].as_u64().unwrap());
            (name, descr(&field[1]), at as usize)
        })
        .collect();
    let fields = parts
        .iter()
        .map(|(name, descr, at)| Field::new(name, descr.clone(), *at));
    let size = name["size"].as_u64().unwrap() as usize;
    let plain = Descr::with_fields(fields.collect(), size).unwrap();
    // A set of an aligned type's fields keeps the mark, but not the layout.
    let parts: Vec<_> = parts
        .into_iter()
        .map(|(name, descr, _)| (name, descr))
        .collect();
    match Descr::aligned(&parts) {
        Ok(aligned) if name["aligned"] == true && aligned == plain => aligned,
        _ => plain,
    }
}

/// An array with its layout and block.
pub fn array(ctx: &Context, value: &Value) -> Array {
    let at = value["o"].as_u64().unwrap() as usize;
    let (shape, strides) = (sizes(&value["s"]), strides(&value["t"]));
    Array::from_bytes(
        ctx,
        &bytes(&value["b"]),
        at,
        &shape,
        &strides,
        descr(&value["d"]),
    )
    .unwrap()
}

/// What differs between a result and what NumPy gave, an error's class included.
pub fn class_differs<T>(found: &Result<T>, expected: &Value) -> Option<String> {
    let wanted = expected["e"].as_str();
    match (found, wanted) {
        (Err(error), Some(class)) if error.class() == class => None,
        (Err(error), Some(class)) => Some(format!("{} ({error}), not {class}", error.class())),
        (Ok(_), Some(class)) => Some(format!("a value, not {class}")),
        (Err(error), None) => Some(format!("{}: {error}", error.class())),
        (Ok(_), None) => None,
    }
}

/// Fails with the complaints, if there are any, and if too few cases were looked at.
pub fn finish(checked: usize, at_least: usize, complaints: &[String]) {
    assert!(checked >= at_least, "only {checked} cases were checked");
    let most = std::env::var("STRAND_NUMPY_SHOWN").map_or(25, |n| n.parse().unwrap());
    let shown: Vec<_> = complaints.iter().take(most).cloned().collect();
    assert!(
        complaints.is_empty(),
        "{} of {checked}:\n{}",
        complaints.len(),
        shown.join("\n")
    );
}

/// The same elements with one NaN for all NaNs, as little-endian or swapped as they were.
pub fn canonical(descr: &Descr, data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    let (part, exponent): (usize, u64) = match descr.dtype() {
        DType::F16 => (2, 0x7c00),
        DType::BF16 => (2, 0x7f80),
        DType::F32 | DType::C64 => (4, 0x7f80_0000),
        DType::F64 | DType::C128 => (8, 0x7ff0_0000_0000_0000),
        _ => return data,
    };
    for item in data.chunks_exact_mut(part) {
        if descr.is_swapped() {
            item.reverse();
        }
        let mut wide = [0; 8];
        wide[..part].copy_from_slice(item);
        let magnitude = u64::from_le_bytes(wide) & (u64::MAX >> (65 - 8 * part));
        if magnitude > exponent {
            item.copy_from_slice(&u64::MAX.to_le_bytes()[..part]);
        }
        if descr.is_swapped() {
            item.reverse();
        }
    }
    data
}

/// What differs between an array and the values, shape and dtype of `common.py`'s `plain`.
pub fn differs(found: &Array, expected: &Value) -> Option<String> {
    let wanted = descr(&expected["d"]);
    if found.descr() != &wanted {
        return Some(format!("dtype {}, not {wanted}", found.descr()));
    }
    if found.shape() != sizes(&expected["s"]) {
        return Some(format!("shape {:?}", found.shape()));
    }
    let bytes_found = canonical(&wanted, &found.to_bytes());
    let bytes_wanted = canonical(&wanted, &bytes(&expected["b"]));
    (bytes_found != bytes_wanted).then(|| format!("{bytes_found:02x?}, not {bytes_wanted:02x?}"))
}

/// The bytes of every plain part, in order.
pub fn leaves(array: &Array) -> Vec<Vec<u8>> {
    match array.descr().fields() {
        Some(fields) => {
            let part = |field: &Field| leaves(&array.field(field.name()).unwrap());
            fields.iter().flat_map(part).collect()
        }
        None => vec![canonical(array.descr(), &array.to_bytes())],
    }
}

/// The expected leaves, with the NaNs of the types that they have here.
pub fn expected_leaves(array: &Array, written: &Value) -> Vec<Vec<u8>> {
    let mut kinds = vec![];
    leaf_types(array, &mut kinds);
    let written = written.as_array().unwrap().iter();
    let pairs = written.zip(&kinds);
    pairs
        .map(|(leaf, kind)| canonical(kind, &bytes(leaf)))
        .collect()
}

fn leaf_types(array: &Array, out: &mut Vec<Descr>) {
    match array.descr().fields() {
        Some(fields) => {
            for field in fields.iter() {
                leaf_types(&array.field(field.name()).unwrap(), out);
            }
        }
        None => out.push(array.descr().clone()),
    }
}
