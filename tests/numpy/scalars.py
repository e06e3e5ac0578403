"""Row 13: operators on pairs of scalars of every type, and on scalars and host numbers."""

import operator

import numpy as np
from common import NUMERIC, canonical, main

TYPES = [np.dtype(dtype.str) for dtype in NUMERIC]
BINARY = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "floor_divide": operator.floordiv, "remainder": operator.mod, "divmod": divmod, "power": operator.pow,
    "left_shift": operator.lshift, "right_shift": operator.rshift, "bitwise_and": operator.and_,
    "bitwise_or": operator.or_, "bitwise_xor": operator.xor, "equal": operator.eq, "not_equal": operator.ne,
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
}  # fmt: skip
UNARY = {"negative": operator.neg, "positive": operator.pos, "absolute": operator.abs, "invert": operator.invert}

REALS = [0.0, -0.0, 1.0, -1.0, 2.5, -7.0, 3.0, 0.1, 1e30, 6e4, np.inf, np.nan]
WEAK = {"int": [0, 1, -1, 2, 7, 100, 300, -129, 2**40, 2**63, -(2**63), 2**64], "float": [*REALS[:9], 1e300, np.inf, np.nan],
        "complex": [0j, 1 + 0j, 1j, -2.5 + 1j, 3 - 4j, 1e20 + 1j, complex(np.inf, 0), complex(np.nan, 1), -1j, 2 + 0j, 0.5 + 0j, 1e-3j]}  # fmt: skip


def edges(dtype):
    """Twelve edge values of a type."""
    if dtype.kind == "b":
        return np.array([False, True] * 6)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        low, high = int(info.min), int(info.max)
        whole = [0, 1, 2, 3, 7, 8, high, high - 1, low, low + 1, high // 2 + 1, 100]
        return np.array(whole, dtype)
    with np.errstate(all="ignore"):
        if dtype.kind == "c":
            return np.array([complex(re, im) for re, im in zip(REALS, [0, 1, -1, 0, 2, -3, 4, 0.5, 1, 0, 2, 1])]).astype(dtype)
        return np.array(REALS).astype(dtype)


def outcome(function):
    seen = []
    try:
        with np.errstate(all="call", call=lambda kind, flag: seen.append(flag)):
            result = function()
    except Exception as error:  # noqa: BLE001 (every class of NumPy's is a result)
        for known in (TypeError, OverflowError, ValueError):
            if isinstance(error, known):
                return known.__name__
        return type(error).__name__
    parts = result if isinstance(result, tuple) else (result,)
    values = [[np.asarray(part).dtype.str, canonical(np.asarray(part)).tobytes().hex()] for part in parts]
    flags = 0
    for flag in seen:
        flags |= int(flag)
    return [values, flags]


def case(maker, name, a, b):
    """An operator on twelve pairs: every edge of one type against a drawn one of the other."""
    left = edges(a)
    right = WEAK[b] if isinstance(b, str) else edges(b)
    second = [maker.random.randrange(12) for _ in left]
    first = list(range(12))
    if maker.random.random() < 0.5:
        first, second = second, first
    swapped = isinstance(b, str) and maker.random.random() < 0.5
    results = []
    for i, j in zip(first, second):
        x, y = left[i], right[j]
        if swapped:
            x, y = y, x
        results.append(outcome(lambda: BINARY[name](x, y)))
    values = right if not isinstance(b, str) else None
    return {"op": name, "a": a.str, "b": b if isinstance(b, str) else b.str, "i": first, "j": second,
            "left": left.tobytes().hex(), "right": values.tobytes().hex() if values is not None else [weak(v) for v in right],
            "swapped": swapped, "r": results}  # fmt: skip


def weak(value):
    if isinstance(value, int):
        return str(value)
    return [float(value.real).hex(), float(value.imag).hex()] if isinstance(value, complex) else [float(value).hex()]



def generate(maker, count):
    for a in TYPES:
        for name, op in UNARY.items():
            left = edges(a)
            yield {"op": name, "a": a.str, "left": left.tobytes().hex(), "r": [outcome(lambda: op(v)) for v in left]}
    pairs = [(name, a, b) for name in BINARY for a in TYPES for b in [*TYPES, *WEAK]]
    if count < len(pairs):
        pairs = maker.random.sample(pairs, count)
    for name, a, b in pairs:
        yield case(maker, name, a, b)


if __name__ == "__main__":
    main(generate, 5000)
