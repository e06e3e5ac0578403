"""Records how NumPy prints arrays: python numpy_text.py > numpy_text.json"""

import json

import numpy as np

np.set_printoptions(linewidth=10**9)

cases = {
    "index values": np.add.outer(np.arange(5), np.arange(3) / 10).astype(np.float32),
    "f32 thirds": (np.arange(1, 7) / 3).astype(np.float32).reshape(2, 3),
    "f64 thirds": np.arange(1, 7) / 3,
    "whole floats": np.arange(6, dtype=np.float32).reshape(2, 3),
    "signs": np.array([-1.5, 0.0, 2.25, -10.0], dtype=np.float32),
    "small": np.array([1e-5, 2e-5, 0.0], dtype=np.float32),
    "wide range": np.array([0.001, 5.0, 1234.5], dtype=np.float64),
    "large": np.array([1e8, 2.5e9, 3e10], dtype=np.float64),
    "just below exponents": np.array([99999999.0, 1e7], dtype=np.float64),
    "specials": np.array([1.5, np.nan, np.inf, -np.inf], dtype=np.float32),
    "specials and exponents": np.array([1e-9, np.nan, -np.inf], dtype=np.float64),
    "integers": np.array([[1, -20], [300, 4]], dtype=np.int64),
    "truth": np.array([[True, False], [False, False]]),
    "one truth": np.array([True]),
    "all zeros": np.zeros((2, 2), dtype=np.float32),
    "long vector": np.arange(2000, dtype=np.float32),
    "long integers": np.arange(100, 1300, dtype=np.int64),
    "big matrix": np.add.outer(np.arange(40) * 10, np.arange(50) / 8).astype(np.float32),
    "tall matrix": np.arange(2000, dtype=np.int64).reshape(1000, 2),
    "empty": np.zeros((0,), dtype=np.float32),
    "scalar float": np.array(2.5, dtype=np.float32),
    "scalar whole": np.array(3.0, dtype=np.float32),
    "scalar integer": np.array(7, dtype=np.int64),
    "scalar truth": np.array(True),
}


def number(value):
    value = float(value)
    return value if np.isfinite(value) else str(value)


dtypes = {"float32": "f32", "float64": "f64", "int64": "i64", "bool": "bool"}
print(
    json.dumps(
        {
            name: {
                "dtype": dtypes[str(array.dtype)],
                "shape": list(array.shape),
                "data": [number(value) for value in array.ravel()],
                "text": str(array),
            }
            for name, array in cases.items()
        }
    )
)
