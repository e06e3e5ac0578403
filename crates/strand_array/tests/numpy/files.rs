//! Row 34: `.npy` and `.npz` files, written and read.

use serde_json::Value;
use strand_array::npy::{Archive, Limits, load, save, save_all};
use strand_array::{Array, Context, DType};

use crate::common::{array, bytes, cases, class_differs, finish};
use crate::values::differs;

#[test]
fn row_34_files_are_written_and_read_as_numpy_does() {
    let ctx = Context::default();
    let (mut complaints, mut checked) = (vec![], 0);
    for case in cases("files") {
        checked += 1;
        let why = match case["f"].as_str().unwrap() {
            "save" => saved(&ctx, &case),
            "load" => loaded(&ctx, &case),
            _ => archived(&ctx, &case),
        };
        if let Some(why) = why {
            complaints.push(format!("{case}: {why}"));
        }
    }
    finish(checked, 500, &complaints);
}

fn saved(ctx: &Context, case: &Value) -> Option<String> {
    let array = array(ctx, &case["a"]);
    let found = save(&array);
    if let Some(why) = class_differs(&found, &case["r"]) {
        return Some(why);
    }
    let found = found.ok()?;
    let wanted = bytes(&case["file"]);
    // NumPy may write what lay in memory between the fields.
    if found != wanted && (array.descr().fields().is_none() || found.len() != wanted.len()) {
        let (a, b) = (
            String::from_utf8_lossy(&found),
            String::from_utf8_lossy(&wanted),
        );
        return Some(format!("{a:?}, not {b:?}"));
    }
    let again = load(ctx, &found, &Limits::default());
    for end in [0, 5, 9, 40, found.len() - usize::from(!array.is_empty())] {
        if end < found.len() && load(ctx, &found[..end], &Limits::default()).is_ok() {
            return Some(format!("cut at {end}, it should be an error"));
        }
    }
    if array.dtype() == DType::BF16 {
        return (again.ok()?.descr().size() != 2).then(|| "two bytes".into());
    }
    differs(ctx, &again, &case["r"])
}

fn loaded(ctx: &Context, case: &Value) -> Option<String> {
    let found = load(ctx, &bytes(&case["file"]), &Limits::default());
    match (&found, case["r"].get("e")) {
        (Err(_), Some(_)) => None,
        (Ok(found), Some(_)) => Some(format!("{found:?}, not an error")),
        _ => differs(ctx, &found, &case["r"]),
    }
}

fn archived(ctx: &Context, case: &Value) -> Option<String> {
    let file = bytes(&case["file"]);
    let archive = match Archive::open(&file, &Limits::default()) {
        Ok(archive) => archive,
        Err(error) => return Some(error.to_string()),
    };
    let names: Vec<&str> = archive.names().collect();
    let wanted: Vec<&str> = case["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_str().unwrap())
        .collect();
    if names != wanted {
        return Some(format!("names {names:?}, not {wanted:?}"));
    }
    for (name, expected) in names.iter().zip(case["r"].as_array().unwrap()) {
        if let Some(why) = differs(ctx, &archive.read(ctx, name), expected) {
            return Some(format!("{name}: {why}"));
        }
    }
    let arrays: Vec<Array> = case["all"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| array(ctx, a))
        .collect();
    let given: Vec<&str> = case["names"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_str().unwrap())
        .collect();
    let pairs: Vec<(&str, &Array)> = given.into_iter().zip(&arrays).collect();
    let compressed = case["compressed"] == true;
    let written = save_all(&pairs, compressed).unwrap();
    if !compressed && written != file {
        return Some("the archive's bytes differ".into());
    }
    let again = Archive::open(&written, &Limits::default())
        .unwrap()
        .read_all(ctx)
        .unwrap();
    for ((_, found), expected) in again.into_iter().zip(case["r"].as_array().unwrap()) {
        if let Some(why) = differs(ctx, &Ok(found), expected) {
            return Some(format!("read again: {why}"));
        }
    }
    None
}

#[test]
fn row_34_limits_are_kept_and_pickles_refused() {
    let ctx = Context::default();
    let array = Array::zeros(&ctx, &[100, 100], DType::F64).unwrap();
    let file = save(&array).unwrap();
    let limits = |header, bytes| Limits {
        header,
        bytes,
        ..Limits::default()
    };
    assert!(load(&ctx, &file, &limits(200, 80_000)).is_ok());
    let why = load(&ctx, &file, &limits(200, 79_999))
        .unwrap_err()
        .to_string();
    assert!(why.contains("80000 bytes"), "{why}");
    let why = load(&ctx, &file, &limits(20, 80_000))
        .unwrap_err()
        .to_string();
    assert!(why.contains("too long"), "{why}");

    // A zip file that unpacks to much more than it states, and one that states too much.
    let mut archive = save_all(&[("x", &array)], true).unwrap();
    assert!(archive.len() < 2_000);
    let why = Archive::open(&archive, &limits(200, 1_000))
        .unwrap_err()
        .to_string();
    assert!(why.contains("unpacked"), "{why}");
    let list = archive
        .windows(4)
        .rposition(|w| w == b"PK\x01\x02")
        .unwrap();
    archive[list + 24..list + 28].copy_from_slice(&500_u32.to_le_bytes());
    let opened = Archive::open(&archive, &limits(200, 1_000)).unwrap();
    let why = opened.read(&ctx, "x").unwrap_err().to_string();
    assert!(why.contains("damaged"), "{why}");

    // What is unpacked counts against the memory limit, beside the array that is made of it.
    let archive = save_all(&[("x", &array)], true).unwrap();
    let opened = Archive::open(&archive, &limits(200, 80_000)).unwrap();
    for (limit, fits) in [(90_000, false), (150_000, false), (200_000, true)] {
        let ctx = Context::new(limit);
        let read = opened.read(&ctx, "x");
        assert_eq!(read.is_ok(), fits, "{limit}: {read:?}");
        drop(read);
        assert_eq!(ctx.used(), 0);
    }
    // Nothing packs as tight as a file that states so many bytes for so few.
    let mut archive = save_all(&[("x", &array)], true).unwrap();
    let list = archive
        .windows(4)
        .rposition(|w| w == b"PK\x01\x02")
        .unwrap();
    archive[list + 24..list + 28].copy_from_slice(&2_000_000_000_u32.to_le_bytes());
    let opened = Archive::open(&archive, &limits(200, 2_100_000_000)).unwrap();
    let why = opened.read(&ctx, "x").unwrap_err().to_string();
    assert!(why.contains("damaged"), "{why}");

    let header = "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n";
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(b"\x80\x04K\x01.");
    let why = load(&ctx, &file, &Limits::default())
        .unwrap_err()
        .to_string();
    assert!(why.contains("pickled"), "{why}");
}
