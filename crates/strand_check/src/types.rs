//! Written types and sizes.
