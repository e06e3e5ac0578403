//! Tree to typed program: names, sizes, axes, dtypes, domains, purity, lowerings, hints, fixes, inlays.
