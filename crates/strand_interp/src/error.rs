//! What stops a run.

use std::fmt;

use strand_array::ArrayError;
use strand_source::{Code, Diagnostic, Span};

/// Why a run ended before its end.
#[derive(Clone, Debug, PartialEq)]
pub struct RunError {
    /// R01 to R07.
    pub code: Code,
    /// One sentence in the program's own names.
    pub message: String,
    /// The expression or statement that failed.
    pub span: Span,
    /// Further sentences: bytes, what PyTorch says, help.
    pub notes: Vec<String>,
}

impl RunError {
    /// The same finding for the renderers of diagnostics.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.code, self.span, self.message.clone());
        diagnostic.notes.clone_from(&self.notes);
        diagnostic
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for RunError {}

/// Boxed, so that results stay small on the way through the evaluator.
pub(crate) type Fail = Box<RunError>;
/// The result of a step of a run.
pub(crate) type Run<T> = Result<T, Fail>;

/// An error without notes.
pub(crate) fn fail(code: Code, span: Span, message: impl Into<String>) -> Fail {
    Box::new(RunError {
        code,
        message: message.into(),
        span,
        notes: Vec::new(),
    })
}

/// A typed program that isn't as the interpreter knows it: never the text's fault.
pub(crate) fn malformed(span: Span, what: &str) -> Fail {
    let mut error = fail(Code::R07, span, "the interpreter can't run this");
    error
        .notes
        .push(format!("The typed program isn't well formed here: {what}."));
    error
}

/// Adds a sentence to an error.
pub(crate) fn with_note(mut error: Fail, note: impl Into<String>) -> Fail {
    error.notes.push(note.into());
    error
}

/// An error of the array engine at a place of the program.
pub(crate) fn from_array(error: &ArrayError, span: Span) -> Fail {
    match error {
        ArrayError::OutOfMemory { bytes, limit } => with_note(
            fail(Code::R04, span, past_the_limit(*bytes, *limit)),
            format!("{bytes} bytes are needed; the limit is {limit} bytes."),
        ),
        ArrayError::TooLarge { what } => {
            let message = format!("this is past the memory limit: {what} is too large");
            fail(Code::R04, span, message)
        }
        ArrayError::RankTooHigh { rank } => fail(
            Code::R07,
            span,
            format!("{rank} axes at once, but at most 64 are possible"),
        ),
        ArrayError::Broadcast { .. }
        | ArrayError::ShapeMismatch { .. }
        | ArrayError::CountMismatch { .. }
        | ArrayError::MaskShape { .. }
        | ArrayError::NotSizeOne { .. } => fail(Code::R01, span, error.to_string()),
        ArrayError::IndexOutOfRange { index, size, .. } => fail(
            Code::R03,
            span,
            format!("index {index} is out of range for an axis of size {size}"),
        ),
        ArrayError::ZeroDivision { .. } => with_note(
            fail(Code::R02, span, "integer division by zero"),
            "PyTorch raises ZeroDivisionError here; floats would give an infinity or NaN.",
        ),
        ArrayError::NegativePower => fail(
            Code::R02,
            span,
            "integers to negative integer powers aren't defined",
        ),
        ArrayError::EmptyReduction { op } => {
            let op = match *op {
                "amax" => "max",
                "amin" => "min",
                op => op,
            };
            fail(Code::R02, span, format!("{op} of no elements has no value"))
        }
        ArrayError::ZeroStep => fail(Code::R02, span, "a slice's step can't be 0"),
        ArrayError::Unsupported { op, dtype } => {
            fail(Code::R07, span, format!("{op} isn't defined for {dtype}"))
        }
        ArrayError::BadArgument { .. } => fail(Code::R02, span, error.to_string()),
        other => malformed(span, &other.to_string()),
    }
}

/// What is said of bytes for which the limit has no room: less than it may be past what is left.
fn past_the_limit(bytes: u64, limit: u64) -> String {
    let (needed, most) = (human_bytes(bytes), human_bytes(limit));
    if bytes <= limit {
        return format!("this needs {needed} beside what is in use, past the limit of {most}");
    }
    if needed == most {
        let more = bytes - limit;
        let unit = if more == 1 { "byte" } else { "bytes" };
        return format!("this needs {more} {unit} more than the limit of {most}");
    }
    format!("this needs {needed}, past the limit of {most}")
}

/// Bytes as people read them, by powers of 1024: `12 B`, `1.5 KiB`, `3.2 GiB`.
pub(crate) fn human_bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = UNITS[0];
    for next in &UNITS[1..] {
        if amount < 1024.0 {
            break;
        }
        amount /= 1024.0;
        unit = next;
    }
    let text = strand_source::float_fixed(amount, 1);
    format!("{} {unit}", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_past_a_limit_are_never_said_to_be_as_many_as_it() {
        assert_eq!(
            past_the_limit(4_000_064, 4_000_000),
            "this needs 64 bytes more than the limit of 3.8 MiB"
        );
        assert_eq!(
            past_the_limit(4_000_000, 4_000_000),
            "this needs 3.8 MiB beside what is in use, past the limit of 3.8 MiB"
        );
        assert_eq!(
            past_the_limit(1 << 30, 4_000_000),
            "this needs 1 GiB, past the limit of 3.8 MiB"
        );
    }

    #[test]
    fn bytes_are_said_in_the_unit_that_fits() {
        assert_eq!(human_bytes(0), "0 B");
        assert_eq!(human_bytes(1023), "1023 B");
        assert_eq!(human_bytes(1536), "1.5 KiB");
        assert_eq!(human_bytes(1 << 30), "1 GiB");
    }
}
