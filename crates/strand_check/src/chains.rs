//! Iterator chains: what is iterated, map, filter, zip, enumerate, lambdas.
