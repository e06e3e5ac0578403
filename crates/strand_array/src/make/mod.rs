//! Making arrays: fresh ones from a descriptor, and from anything that has elements.

mod fresh;
