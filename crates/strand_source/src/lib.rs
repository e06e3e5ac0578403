//! Places in a text, diagnostics as plain data, and every code once.
//!
//! Nothing here draws or writes: renderers live where they are used.

mod code;
mod decimal;
mod diagnostic;
mod float_text;
mod lines;
mod map;
mod order;
mod shape_diff;
mod span;
mod unicode;
mod work;

pub use code::{Code, Severity};
pub use decimal::parse_float;
pub use diagnostic::{Diagnostic, Edit, Fix, Label};
pub use float_text::{float_fixed, float_literal, float_scientific};
pub use lines::{LineColumn, LineIndex};
pub use map::{Map, Set};
pub use order::{sort, sort_by, sort_by_key};
pub use shape_diff::{DiffRow, Mark, Pairing, ShapeDiff};
pub use span::{Span, Spans};
#[cfg(target_arch = "wasm32")]
pub use unicode::set_unicode;
pub use unicode::{Unicode, continues_name, nfkc, starts_name};
pub use work::{count_steps, steps};
