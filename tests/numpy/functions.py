"""Row 5: the functions of every dtype's table, on single rows."""

import numpy as np
from common import BFLOAT16, NUMERIC, dtype_name, main

TYPES = [*(np.dtype(dtype.str) for dtype in NUMERIC), BFLOAT16]


def values(maker, dtype, size):
    array = maker.values(size, dtype)
    return array if dtype == BFLOAT16 or maker.random.random() < 0.6 else array.astype(dtype.newbyteorder())


def generate(maker, count):
    for _ in range(count):
        for dtype in TYPES:
            size = maker.random.randint(1, 9)
            a = values(maker, dtype, size)
            small = np.array([maker.random.randint(-3, 9) for _ in range(2 * size)])
            x, y = (part.astype(dtype) for part in (small[:size], small[size:]))
            start, step = maker.random.randint(0, 20), maker.random.randint(1, 5)
            with np.errstate(all="ignore"):
                yield {
                    "d": dtype_name(a.dtype),
                    "a": a.tobytes().hex(),
                    "argmax": int(np.argmax(a)),
                    "argmin": int(np.argmin(a)),
                    "nonzero": [int(v) for v in a.astype(bool)],
                    "p": dtype_name(dtype),
                    "x": x.tobytes().hex(),
                    "y": y.tobytes().hex(),
                    "dot": (np.asarray(np.dot(x, y)) + 0).astype(dtype).tobytes().hex(),
                    "arange": np.arange(start, start + size * step, step).astype(dtype).tobytes().hex(),
                    "less": [int(u < v) for u, v in zip(x, y)],
                }


if __name__ == "__main__":
    main(generate, 300)
