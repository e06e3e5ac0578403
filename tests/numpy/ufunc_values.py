"""Rows 20 and 23: every loop of every ufunc on a grid of edge values, and what each element alone reports.

At most `count` pairs of values per loop. Functions without an exactly rounded result are compared with the same function on long doubles.
"""

import itertools
import warnings

import ml_dtypes
import numpy as np
from common import dtype_name, main, plain
from ufuncs import Findings, loops, ufuncs

KINDS = {"divide by zero": 1, "overflow": 2, "underflow": 4, "invalid value": 8}
INEXACT = """arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt cos cosh exp exp2 expm1 hypot log log10 log1p log2
logaddexp logaddexp2 power float_power sin sinh tan tanh""".split()


def floats(dtype):
    """25 special values."""
    info = ml_dtypes.finfo(dtype)
    tiny, least, most = float(info.smallest_subnormal), float(info.smallest_normal), float(info.max)
    values = [0.0, 1.0, 0.5, 2.0, 2.5, 3.0, 10.0, 100.0, 1e-3, tiny, least, most]
    return np.array([s * v for v in values for s in (1, -1)] + [np.inf, -np.inf, np.nan]).astype(dtype)


def integers(dtype):
    info = np.iinfo(dtype)
    values = [0, 1, 2, 3, 7, 8, 31, 63, 64, 100, info.max, info.max - 1, info.min, info.min + 1, -1, -2, -3, -7]
    return np.array(sorted({v for v in values if info.min <= v <= info.max}), dtype)


def complexes(dtype):
    parts = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 30.0, 1e-3, np.inf, -np.inf, np.nan]
    return np.array([complex(a, b) for a in parts for b in parts]).astype(dtype)


def grid(code):
    dtype = np.dtype(ml_dtypes.bfloat16) if code == "E" else np.dtype(code)
    if code == "?":
        return np.array([False, True])
    if dtype.kind in "iu":
        return integers(dtype)
    return complexes(dtype) if dtype.kind == "c" else floats(dtype)


def inputs_of(types, nin, maker, most):
    grids = [grid(code) for code in types[:nin]]
    if nin == 1:
        return grids
    pairs = list(itertools.product(*[range(len(g)) for g in grids]))
    if len(pairs) > most:
        pairs = maker.random.sample(pairs, most)
    return [g[[p[k] for p in pairs]] for k, g in enumerate(grids)]


def generate(maker, count):
    warnings.simplefilter("ignore")
    for ufunc in ufuncs():
        for types in loops(ufunc):
            if "lL" not in types and "Ll" not in types:
                yield case(ufunc, types, inputs_of(types, ufunc.nin, maker, count))
        if "e" in ufunc.types[-1] or any(t.startswith("e") for t in ufunc.types):
            types = next(t for t in loops(ufunc) if t.startswith("e")).replace("e", "E")
            yield from brain_floats(ufunc, types, inputs_of(types, ufunc.nin, maker, count))


def brain_floats(ufunc, types, inputs):
    try:
        found = case(ufunc, types, inputs)
    except TypeError:
        return
    if found["v"][0]["d"] != "<f4":
        yield found


def case(ufunc, types, inputs):
    name = ufunc.__name__
    if name == "power" and types[0] in "bhil":
        keep = inputs[1] >= 0
        inputs = [a[keep] for a in inputs]
    with np.errstate(all="ignore"):
        results = call(ufunc, types, inputs)
        exact = [reference(name, ufunc, inputs, r) for r in results]
    found = {"u": name, "types": types, "in": [plain(a) for a in inputs], "v": [plain(r) for r in exact]}
    loose = loose_elements(name, types, inputs, results[0])
    if loose is not None:
        found["loose"] = "".join("01"[int(x)] for x in loose)
    if types[0] in "fd" and ufunc.nin + ufunc.nout < 5:
        each = [[a[i : i + 1] for a in inputs] for i in range(len(inputs[0]))]
        found["found"] = "".join("?" if unfixed(name, types, one) else format(alone(ufunc, one), "x") for one in each)
    return found


WITH_VECTORS = """arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt cos cosh exp exp2 expm1 log log10 log1p log2
power sin sinh tan tanh""".split()
"""What NumPy computes by vectors of 512 bits where there are such, and else has the C library compute."""


def unfixed(name, types, inputs):
    """Whether what is reported depends on the processor: vector loops of f32 near 0, powers to infinity, and
    subnormal numbers, for which the C library reports an underflow that the vector loops don't."""
    if name in WITH_VECTORS and 0 < abs(inputs[0][0]) < np.finfo(types[0]).tiny:
        return True
    if name in ("sin", "cos", "exp") and types[0] == "f":
        return abs(inputs[0][0]) <= np.finfo(np.float32).tiny
    return "power" in name and np.isinf(inputs[1][0])


def call(ufunc, types, inputs):
    results = ufunc(*inputs)
    return results if isinstance(results, tuple) else (results,)


def reference(name, ufunc, inputs, result):
    if name not in INEXACT or result.dtype.char not in "fdFD":
        return result
    wide = np.clongdouble if result.dtype.kind == "c" else np.longdouble
    exact = ufunc(*[a.astype(wide) for a in inputs]).astype(result.dtype)
    # The special values are NumPy's own: long doubles differ in the signs of some zeros.
    plain_values = np.isfinite(result) & np.isfinite(exact) & (result != 0)
    return np.where(plain_values, exact, result)


def alone(ufunc, inputs):
    findings = Findings(under=True)
    with findings:
        ufunc(*inputs)
    return sum(KINDS[kind] for kind in findings.kinds)


def loose_elements(name, types, inputs, result):
    """Elements on which NumPy leaves the value to the machine or to the library."""
    if name == "reciprocal" and types[0] in "bBhHiIlL":
        return inputs[0] == 0
    if "power" in name and types[0] in "FD":
        return ~(np.isfinite(inputs[0]) & np.isfinite(inputs[1]) & np.isfinite(result))
    return None


if __name__ == "__main__":
    main(generate, 1500)
