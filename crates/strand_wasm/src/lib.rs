//! The session for JavaScript.
