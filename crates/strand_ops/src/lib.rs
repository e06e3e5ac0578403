//! The one table of operations.
