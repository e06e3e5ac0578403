//! What Unicode says of names. Natively it comes from tables; in WebAssembly these would weigh more than the parser,
//! and JavaScript has them, so the host gives the functions.

/// What names ask of Unicode.
#[derive(Clone, Copy, Debug)]
pub struct Unicode {
    /// The normal form KC of a text.
    pub nfkc: fn(&str) -> String,
    /// Whether a character is one of `XID_Start`.
    pub starts: fn(char) -> bool,
    /// Whether a character is one of `XID_Continue`.
    pub continues: fn(char) -> bool,
}

#[cfg(not(target_arch = "wasm32"))]
fn unicode() -> Unicode {
    use unicode_normalization::UnicodeNormalization;
    Unicode {
        nfkc: |text| text.nfkc().collect(),
        starts: unicode_ident::is_xid_start,
        continues: unicode_ident::is_xid_continue,
    }
}

#[cfg(target_arch = "wasm32")]
static HOST: std::sync::OnceLock<Unicode> = std::sync::OnceLock::new();

/// Gives the host's functions, such as JavaScript's. Only the first ones given count; until then names are of ASCII.
#[cfg(target_arch = "wasm32")]
pub fn set_unicode(host: Unicode) {
    // The second ones are the same functions.
    let _ = HOST.set(host);
}

#[cfg(target_arch = "wasm32")]
fn unicode() -> Unicode {
    HOST.get().copied().unwrap_or(Unicode {
        nfkc: str::to_owned,
        starts: |_| false,
        continues: |_| false,
    })
}

/// The text in normal form KC.
pub fn nfkc(text: &str) -> String {
    (unicode().nfkc)(text)
}

/// Whether a name may start with the character.
pub fn starts_name(character: char) -> bool {
    if character.is_ascii() {
        character == '_' || character.is_ascii_alphabetic()
    } else {
        (unicode().starts)(character)
    }
}

/// Whether a name may go on with the character.
pub fn continues_name(character: char) -> bool {
    if character.is_ascii() {
        character == '_' || character.is_ascii_alphanumeric()
    } else {
        (unicode().continues)(character)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_letters_digits_and_underscores() {
        assert!("aZ_αж数".chars().all(starts_name));
        assert!(!"0٣· -€😀".chars().any(starts_name));
        assert!("a0_٣·".chars().all(continues_name));
        assert_eq!(nfkc("ﬁ𝑥"), "fix");
    }
}
