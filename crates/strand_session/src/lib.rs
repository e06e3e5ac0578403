//! The facade with plain data in and out: check, run, torch, hover, format, explain.
