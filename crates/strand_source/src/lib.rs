//! Spans, line index, diagnostics as plain data, and every code once.
