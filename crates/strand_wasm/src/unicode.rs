//! What JavaScript knows of Unicode, so that the engine needs no tables.

use js_sys::{JsString, RegExp};
use strand_session::{Unicode, set_unicode};

/// Hands JavaScript's functions to the engine.
pub(crate) fn hand_in() {
    set_unicode(Unicode {
        nfkc: |text| JsString::from(text).normalize("NFKC").into(),
        starts: |character| is_of("XID_Start", character),
        continues: |character| is_of("XID_Continue", character),
    });
}

/// Whether a character has a property of Unicode.
fn is_of(property: &str, character: char) -> bool {
    let pattern = RegExp::new(&format!("\\p{{{property}}}"), "u");
    pattern.test(character.encode_utf8(&mut [0; 4]))
}
