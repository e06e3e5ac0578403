//! Reading texts.

use std::io::Read;
use std::path::Path;

/// The largest text that is read, in bytes: positions are 32-bit.
const MOST_BYTES: u64 = 16 << 20;

/// A file's text, or standard input's for `-`; the error is a whole sentence.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    let name = path.display();
    let mut bytes = Vec::new();
    let result = if path.as_os_str() == "-" {
        std::io::stdin()
            .take(MOST_BYTES + 1)
            .read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
    };
    result.map_err(|error| format!("{name} can't be read: {error}"))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!(
            "{name} is larger than {} MiB, the largest text",
            MOST_BYTES >> 20
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("{name} isn't UTF-8: byte {at} isn't part of a character")
    })
}
