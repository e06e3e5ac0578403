//! The facade with plain data in and out: check, run, torch, hover, format, explain.

mod arguments;
mod completion;
mod cost;
mod document;
mod drawing;
mod elements;
#[cfg(feature = "pages")]
mod explain;
mod hover;
mod memory;
mod npy;
mod picture;
mod report;
mod run;
mod run_report;
mod source_lines;
mod speech;
mod words;

pub use arguments::parse_argument;
pub use completion::{CompletionItem, Completions, ItemKind, complete};
pub use cost::{Cost, CostFormula};
pub use document::{Document, FunctionInfo, HoverInfo, SizeInfo};
pub use drawing::{Drawing, checked, draw, meaning};
pub use elements::{elements, from_elements};
#[cfg(feature = "pages")]
pub use explain::{codes, explain};
pub use memory::{Layout, block_items, layout, share_memory};
pub use npy::npy;
pub use picture::{Drawn, drawn};
pub use report::{CheckReport, DiagnosticReport, FixReport, Position, SpanReport, TextAt};
pub use run::{CallOutcome, Event, Externs, RunOptions, RunOutcome, SampleCall, ShownValue};
pub use run_report::{RunReport, ValueReport, ViewReport, data, value_dtype};
pub use speech::{markdown, speak, speech};
#[cfg(target_arch = "wasm32")]
pub use strand_array::jit::Slot;
pub use strand_array::jit::{Host as KernelHost, Kernels};
pub use strand_array::{Array, DType as ArrayDType};
pub use strand_check::Inlay;
pub use strand_interp::{
    Fill, MOST_STEPS, Made, Picture, RunError, Step, StepKind, Summary, Value,
    format as value_format, summary,
};
pub use strand_ir::{ChainInfo, FnId, FunctionKind, Program, StageInfo};
pub use strand_ops::View;
pub use strand_source::{
    Code, Diagnostic, DiffRow, LineColumn, LineIndex, Map, Set, Severity, ShapeDiff, Span, steps,
};
#[cfg(target_arch = "wasm32")]
pub use strand_source::{Unicode, set_unicode};
pub use words::{HighlightWords, highlight_words};

/// The text in the one style; unchanged where it has errors of syntax.
pub fn format(text: &str) -> String {
    strand_syntax::format(text)
}
