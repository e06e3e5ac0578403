//! Indexing: items, slices, masks, and index assignment's left side.
