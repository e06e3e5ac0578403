//! Calls of built-in functions, by the table's classes and rules.
