//! Typed program to PyTorch text with a span map.
