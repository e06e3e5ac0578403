//! Any bytes as a file: an error, or an array that is written and read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strand_array::Context;
use strand_array::npy::{Archive, Limits, load, save};

fuzz_target!(|data: &[u8]| {
    let ctx = Context::new(1 << 24);
    let limits = Limits {
        bytes: 1 << 20,
        ..Limits::default()
    };
    if let Ok(archive) = Archive::open(data, &limits) {
        let _ = archive.read_all(&ctx);
    }
    let Ok(array) = load(&ctx, data, &limits) else {
        return;
    };
    let Ok(file) = save(&array) else { return };
    let again = load(&ctx, &file, &Limits::default()).expect("what was written is read");
    assert_eq!(again.shape(), array.shape());
    assert_eq!(again.descr(), array.descr());
    assert_eq!(save(&again).ok(), Some(file));
});
