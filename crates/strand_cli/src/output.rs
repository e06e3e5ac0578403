//! Standard output that may be closed by its reader.

use std::io::Write;

/// Writes a text to standard output. A reader that went away (`strand check … | head`) ends the
/// program quietly, as it ends other programs of the command line.
pub(crate) fn write(text: &str) {
    let mut out = std::io::stdout().lock();
    if out
        .write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .is_err()
    {
        std::process::exit(0);
    }
}

/// `print!` for [`write`].
macro_rules! out {
    ($($part:tt)*) => { $crate::output::write(&format!($($part)*)) };
}

/// `println!` for [`write`].
macro_rules! outln {
    () => { $crate::output::write("\n") };
    ($($part:tt)*) => { $crate::output::write(&(format!($($part)*) + "\n")) };
}

pub(crate) use {out, outln};
