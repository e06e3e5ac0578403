//! The facade with plain data in and out: check, run, torch, hover, format, explain.

mod document;
mod drawing;
mod report;

pub use document::{Document, FunctionInfo, SizeInfo};
pub use drawing::draw;
pub use report::{CheckReport, DiagnosticReport, FixReport, Position, SpanReport, TextAt};
