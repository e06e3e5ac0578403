//! Any text: findings, a formatted text that stays so, PyTorch text and a short run, and no panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strand_session::{Document, RunOptions, format};

fuzz_target!(|text: &str| {
    if text.len() > 4096 {
        return;
    }
    let document = Document::new(text);
    let once = format(text);
    assert_eq!(format(&once), once);
    if document.has_errors() {
        return;
    }
    let _ = document.torch();
    let options = RunOptions {
        memory_limit: 1 << 20,
        ..RunOptions::default()
    };
    let cheap = document
        .cost(&options)
        .is_some_and(|cost| cost.multiply_adds < 1e6);
    if cheap {
        document.run(&options, &mut |_| {});
    }
});
