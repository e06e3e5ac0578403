//! The nearest name, and look-alike letters.
