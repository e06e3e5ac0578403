//! Making arrays: fresh ones from a descriptor, and from anything that has elements.

mod any;
mod discover;
mod fresh;
mod requirements;
mod typed;
mod writeback;

pub use any::{AnyOptions, Copies, from_any, from_any_subtype, inout};
pub(crate) use discover::Discovered;
pub use requirements::Requirements;
pub use typed::Number;
pub use writeback::WriteBack;
