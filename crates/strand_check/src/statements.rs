//! Statements, scopes and joins.
