//! The typed program: axes, sizes, types, effects and the lowerings of chains.
