//! The `strand` program.
fn main() {}
