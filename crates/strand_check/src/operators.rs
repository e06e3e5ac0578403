//! Operators: broadcasting, dtypes, `@`, `and or not`.
