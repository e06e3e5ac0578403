"""Row 8: promotion, casting rules, and casts with their numeric findings, of every pair of types."""

import itertools

import ml_dtypes  # noqa: F401 (registers bfloat16)
import numpy as np
from common import BFLOAT16, NUMERIC, canonical, dtype_name, encode, main, outcome

TYPES = [*NUMERIC, BFLOAT16]
CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]

REALS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, 100.25, 126.9, 127.5, 255.9, 256.0, 300.0, -1.5, -128.9,
         -129.0, 32767.5, 32768.0, 65503.0, 65519.0, 65520.0, 65535.9, 65536.0, 2147483647.0, 2147483648.0,
         4294967295.5, 4294967296.0, 2.0**53, 2.0**62, 2.0**63, 1.8e19, 2.0**64, -(2.0**63), -1e19, 1e38, 3.5e38,
         1e300, 1e-4, 6.1e-5, 6.0e-8, 2e-8, 1e-38, 1.2e-38, 1e-45, 1e-300, 5e-324, np.inf, -np.inf, np.nan,
         1 + 2.0**-8, 1 + 2.0**-11 + 2.0**-30, 1 + 2.0**-24 + 2.0**-50, 2049.0, 33554433.0, 16777217.0]  # fmt: skip
WHOLE = [0, 1, -1, 2, 7, 126, 127, 128, 129, 255, 256, 257, -127, -128, -129, 2047, 2049, 2051, 32767, 32768, -32768,
         65503, 65519, 65520, 65535, 65536, 2**24 - 1, 2**24 + 1, 2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**32,
         2**53 - 1, 2**53 + 1, 2**54 + 2**30 + 1, 2**53 + 2**29 + 1, 2**62, 2**63 - 1, -(2**63), 2**63, 2**64 - 1,
         2**64 - 1025]  # fmt: skip
"""At least forty edge values of each kind."""


def edge_values(maker, dtype):
    if dtype.kind in "biu":
        bits = 8 * dtype.itemsize
        whole = WHOLE + [maker.random.randrange(-(2**63), 2**64) for _ in range(8)]
        if dtype.kind == "b":
            return np.array([v % 2 == 1 for v in whole])
        low = -(2 ** (bits - 1)) if dtype.kind == "i" else 0
        return np.array([(v - low) % 2**bits + low for v in whole], dtype)
    reals = REALS + [maker.random.uniform(-4, 4) * 10.0 ** maker.random.randint(-50, 50) for _ in range(12)]
    if dtype.kind == "c":
        shuffled = maker.random.sample(reals, len(reals))
        return np.array([complex(a, b) for a, b in zip(reals, shuffled)]).astype(dtype)
    return np.array(reals).astype(dtype)


def laid_out(maker, values):
    """The same values over a block with other bytes between them, off their grid."""
    item = values.dtype.itemsize
    step, shift = maker.random.choice([1, 1, 2, 3, -1, -2]), maker.random.choice([0, 0, 1, item])
    raw = np.frombuffer(maker.random.randbytes(len(values) * item * abs(step) + shift + item), np.uint8).copy()
    start = shift if step > 0 else shift + (len(values) - 1) * item * -step
    view = np.ndarray(values.shape, values.dtype, raw, start, (step * item,))
    view[...] = values
    return view


def in_range(values, to):
    """Per value, whether its conversion to `to` is defined."""
    if to.kind not in "iu" or values.dtype.kind not in "fcV":
        return np.ones(len(values), bool)
    reals = values.real if values.dtype.kind == "c" else values
    whole = np.trunc(reals.astype("f8"))
    low, high = float(np.iinfo(to).min), float(np.iinfo(to).max)
    past = high + 1 if high < 2**53 else high
    return (whole >= low) & (whole < past)


def findings(values, to):
    """NumPy's status bits of each value's conversion alone; ml_dtypes' loops don't set them."""
    if to == BFLOAT16 or values.dtype == BFLOAT16:
        return None
    found = []
    for i in range(len(values)):
        seen = []
        with np.errstate(all="call", call=lambda kind, flag: seen.append(flag)):
            values[i : i + 1].astype(to)
        found.append(sum({flag & 15 for flag in seen}) if seen else 0)
    return found


def pairs():
    return itertools.product(TYPES, TYPES)


def generate(maker, count):
    for a, b in pairs():
        yield {"k": "promote", "a": dtype_name(a), "b": dtype_name(b),
               "r": outcome(lambda: dtype_name(np.promote_types(a, b)))}  # fmt: skip
    for a, b in pairs():
        swapped = [(a, b), (a, b.newbyteorder()), (a.newbyteorder(), b), (a.newbyteorder(), b.newbyteorder())]
        for one, two in swapped if BFLOAT16 not in (a, b) else [(a, b)]:
            yield {"k": "can", "a": dtype_name(one), "b": dtype_name(two),
                   "r": [bool(np.can_cast(one, two, casting)) for casting in CASTINGS]}  # fmt: skip
    for a in TYPES:
        for weak in (1, 1.0, 1j):
            if a == BFLOAT16 and isinstance(weak, float):
                continue  # ml_dtypes gives float64 here; ours stays bfloat16, as PyTorch's does
            yield {"k": "weak", "a": dtype_name(a), "w": type(weak).__name__,
                   "r": dtype_name(np.result_type(a, weak))}  # fmt: skip
    done = 0
    while done < count:
        for a, b in pairs():
            if done >= count:
                break
            done += 1
            yield cast(maker, a, b)


def cast(maker, a, b):
    values = edge_values(maker, a)
    if a != BFLOAT16 and maker.random.random() < 0.4:
        values = values.astype(a.newbyteorder())
    to = b.newbyteorder() if b != BFLOAT16 and maker.random.random() < 0.4 else b
    values = laid_out(maker, values)
    with np.errstate(all="ignore"):
        result = canonical(values.astype(to))
    return {"k": "cast", "a": encode(values), "to": dtype_name(to), "v": result.tobytes().hex(),
            "in": [int(v) for v in in_range(values, b)], "f": findings(values, to)}  # fmt: skip


if __name__ == "__main__":
    main(generate, 450)
