//! Pipe stages.
