//! Text to tree and diagnostics; the formatter; the words to highlight.
