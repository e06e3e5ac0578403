//! Rows of the engine against tables recorded from real NumPy, or freshly drawn cases.
//!
//! Every family has a script under `tests/numpy`, a recorded table and a module here. With
//! `cargo xtask differential` the same tests run on cases of another seed.

mod casts;
mod common;
mod cumulative;
mod extending;
mod files;
mod functions;
mod indexing;
mod iterators;
mod joining;
mod layouts;
mod making;
mod memory;
mod objects;
mod overlaps;
mod printing;
mod products;
mod rational;
mod scalars;
mod selection;
mod sorting;
mod structures;
mod ufunc_calls;
mod ufunc_methods;
mod ufunc_own;
mod ufunc_sums;
mod ufunc_types;
mod ufunc_values;
mod ufuncs;
mod values;
