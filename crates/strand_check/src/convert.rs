//! `to` and `as`.
