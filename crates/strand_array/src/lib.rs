//! A strided n-dimensional array engine with NumPy's semantics.
