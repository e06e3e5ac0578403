"""Printing: arrays and scalars of every dtype as text, with every option."""

import numpy as np
from common import NUMERIC, encode, main

OPTIONS = {
    "precision": [8, 8, 0, 1, 3, 5, 12, 17],
    "threshold": [1000, 1000, 5, 0, 30],
    "edgeitems": [3, 3, 1, 2],
    "linewidth": [75, 75, 20, 40, 120],
    "suppress": [False, False, True],
    "sign": ["-", "-", "+", " "],
    "floatmode": ["maxprec", "maxprec", "fixed", "unique", "maxprec_equal"],
}


def values(maker, count, dtype):
    draw = maker.random
    kind = draw.randrange(6)
    if dtype.kind in "biu":
        top = draw.choice([2, 10, 1000, 2**63])
        whole = [draw.randrange(-top, top) for _ in range(count)]
        if dtype.kind == "b":
            return np.array([v > 0 for v in whole], dtype)
        bits = 8 * dtype.itemsize
        low = -(2 ** (bits - 1)) if dtype.kind == "i" else 0
        return np.array([(v - low) % 2**bits + low for v in whole], dtype)

    def real():
        if kind == 0:
            return float(draw.randrange(-20, 20))
        if kind == 1:
            return draw.randrange(-4000, 4000) / draw.choice([2, 4, 8, 1000])
        if kind == 2:
            return draw.uniform(-1, 1) * 10.0 ** draw.randint(-12, 12)
        if kind == 3:
            return draw.choice([0.0, -0.0, 1.0, np.nan, np.inf, -np.inf, 0.1, 1e-5, 123456.0])
        if kind == 4:
            return draw.uniform(0, 10)
        return draw.choice([1e300, 1e-300, 5e-324, 1e16, 1e22, 2.0**70, 0.3, 1 / 3, 65504.0, 1e8, 1e-4, 0.5, 2.5])

    reals = [complex(real(), real()) if dtype.kind == "c" else real() for _ in range(count)]
    with np.errstate(all="ignore"):
        return np.array(reals, "c16" if dtype.kind == "c" else "f8").astype(dtype)


def generate(maker, count):
    for _ in range(count):
        # By size: C's long long prints its type where long, of the same size, doesn't.
        dtype = np.dtype(maker.random.choice(NUMERIC).str)
        if maker.random.random() < 0.3:
            dtype = dtype.newbyteorder()
        shape = maker.shape(3, (0, 1, 2, 3, 5, 8, 12)) if maker.random.random() < 0.8 else ()
        size = int(np.prod(shape))
        array = values(maker, size, dtype).reshape(shape)
        if maker.random.random() < 0.5:
            array = array.T
        options = {name: maker.random.choice(choices) for name, choices in OPTIONS.items()}
        if maker.random.random() < 0.4:
            options = {name: choices[0] for name, choices in OPTIONS.items()}
        case = {"a": encode(array), "options": options}
        with np.printoptions(**options):
            case["repr"], case["str"] = repr(array), str(array)
        if array.size:
            scalar = array.reshape(-1)[0]
            case["scalar"] = [str(scalar), repr(scalar)]
        yield case


if __name__ == "__main__":
    main(generate, 5000)
