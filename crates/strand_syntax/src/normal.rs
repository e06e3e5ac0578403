//! NFKC of names. Natively it comes from tables; in WebAssembly these would weigh more than the
//! parser, and the page has them, so the host gives the function.

/// The text in normal form KC.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn nfkc(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    text.nfkc().collect()
}

#[cfg(target_arch = "wasm32")]
static NORMALIZER: std::sync::OnceLock<fn(&str) -> String> = std::sync::OnceLock::new();

/// Gives the host's normalisation, such as JavaScript's `text.normalize("NFKC")`. Only the first
/// one given counts; until then names count as they are written.
#[cfg(target_arch = "wasm32")]
pub fn set_normalizer(nfkc: fn(&str) -> String) {
    // A second one is the same function.
    let _ = NORMALIZER.set(nfkc);
}

/// The text in normal form KC.
#[cfg(target_arch = "wasm32")]
pub(crate) fn nfkc(text: &str) -> String {
    match NORMALIZER.get() {
        Some(nfkc) => nfkc(text),
        None => text.to_string(),
    }
}
