//! Archives of arrays, whole and with bytes changed: written, they are read back the same; damaged, there is
//! an error or arrays, and never more bytes than the limits allow.
#![no_main]

mod arrays;

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use strand_array::Context;
use strand_array::npy::{Archive, Limits, save_all};

const NAMES: [&str; 5] = ["x", "y.npy", "a/b", "ж", ""];

fn run(data: &[u8]) -> arbitrary::Result<()> {
    let mut u = Unstructured::new(data);
    let ctx = Context::new(1 << 24);
    let arrays = arrays::some(&mut u, &ctx)?;
    let mut parts = vec![];
    for array in &arrays {
        parts.push((*u.choose(&NAMES)?, array));
    }
    let compressed = u.arbitrary()?;
    let limits = Limits {
        bytes: 1 << 20,
        files: u.int_in_range(0..=4)?,
        ..Limits::default()
    };
    let Ok(mut file) = save_all(&parts, compressed) else {
        return Ok(());
    };
    let archive = Archive::open(&file, &limits);
    assert_eq!(archive.is_ok(), parts.len() <= limits.files);
    if let Ok(archive) = archive {
        for (name, array) in &parts {
            let same = parts.iter().filter(|(other, _)| {
                let plain = |n: &str| n.strip_suffix(".npy").unwrap_or(n).to_owned();
                plain(other) == plain(name)
            });
            let again = archive.read(&ctx, name).expect("what was written is read");
            if same.count() == 1 {
                assert_eq!(again.shape(), array.shape());
                assert_eq!(again.to_bytes(), array.to_bytes());
            }
        }
    }
    for _ in 0..u.int_in_range(1..=6)? {
        // From the end, where the lists are, or anywhere.
        let from_end = u.arbitrary()?;
        let at = usize::from(u.arbitrary::<u16>()?) % file.len().max(1);
        let at = if from_end {
            file.len() - 1 - at % 80.min(file.len())
        } else {
            at
        };
        match u.int_in_range(0..=3)? {
            0 => file.truncate(at),
            1 => file.insert(at, u.arbitrary()?),
            _ => {
                if let Some(byte) = file.get_mut(at) {
                    *byte = if u.arbitrary()? {
                        u8::MAX
                    } else {
                        u.arbitrary()?
                    };
                }
            }
        }
        if file.is_empty() {
            break;
        }
    }
    if let Ok(archive) = Archive::open(&file, &limits) {
        for name in archive.names() {
            let _ = archive.read(&ctx, name);
        }
        let _ = archive.read_all(&ctx);
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    let _ = run(data);
});
