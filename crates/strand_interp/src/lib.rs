//! Typed program to plan to arrays, with budget and trace.
