"""Rows 27 and 28: calls of functions with every kind of parameter, and the worked example.

The functions are written here in Python over NumPy's own conversions, and in the tests as a module of the
engine.
"""

import operator

import numpy as np
from common import NUMERIC, encode, main, outcome, plain
from making import written


def order_of(value):
    np.zeros(1).copy(order=value)
    return "K" if value is None else value.upper()


def casting_of(value):
    np.can_cast("i4", "i8", casting=value)
    return value


def mode_of(value):
    if not isinstance(value, str):
        raise TypeError
    with np.errstate(all=value):
        return value


def whole(value):
    found = operator.index(value)
    if not -(2**63) <= found < 2**63:
        raise OverflowError
    return found


def text_of(value):
    if not isinstance(value, str):
        raise TypeError
    return value


def number(value):
    if isinstance(value, str):
        raise TypeError
    return float(value)


def scale(x, factor=2, *, axis=-1, dtype=None, casting="same_kind", order="K", mode="warn"):
    """A function with parameters of every kind."""
    x = np.asarray(x)
    if x.dtype.kind not in "biufcO":
        raise TypeError
    factor, axis = number(factor), None if axis is None else whole(axis)
    if not (dtype is None or isinstance(dtype, str)):
        raise TypeError
    dtype, casting = np.dtype(dtype), casting_of(casting)
    order, mode = order_of(order), mode_of(mode)
    return [list(x.shape), factor, axis, dtype.str, casting, order, mode]


def repeat(text, times, sure=True, /, **rest):
    """By place alone in Python; here the names are free, so calls give none of them by name."""
    if rest:
        raise TypeError
    text, times, sure = text_of(text), whole(times), bool(sure)
    return [text, times, sure]


def nothing():
    """Takes nothing."""
    return None


def add_product(a, b, out):
    """The worked example."""
    a = convert(a)
    b = convert(b)
    if not isinstance(out, np.ndarray):
        raise TypeError
    if out.ndim != 2 or not out.flags.writeable:
        raise ValueError
    if not np.can_cast(out.dtype, "f8"):
        raise TypeError
    if a.shape != out.shape or b.shape != out.shape:
        raise ValueError
    sums = out.astype("f8") + a * b
    if np.isinf(sums).any():
        raise ValueError
    out[...] = sums.astype(out.dtype)


def convert(value):
    found = np.asarray(value)
    if not (np.can_cast(found.dtype, "f8") or (not isinstance(value, np.ndarray) and found.dtype.kind in "iu")):
        raise TypeError
    if found.ndim != 2:
        raise ValueError
    return found.astype("f8")


FUNCTIONS = {"scale": scale, "repeat": repeat, "nothing": nothing}
POOL = [None, True, 0, 3, -1, 2**63, 1.5, "x", "safe", "C", "k", "raise", "i4", ">f8", "float64", "", [1, 2], [[1.5]], []]
LIKELY = {
    "x": [[1, 2], 3.5, [[True], [False]], 7],
    "factor": [2, 0.5, True],
    "axis": [0, -1, None, 5],
    "dtype": ["i4", ">f8", None, "bool"],
    "casting": ["no", "equiv", "safe", "same_kind", "unsafe"],
    "order": ["C", "f", "A", "K", None],
    "mode": ["ignore", "raise", "log", "print", "call", "warn"],
    "text": ["", "abc"],
    "times": [0, 4, -2],
    "sure": [True, False, 0, 1.0, "", "a", [], None],
}
NAMES = {"scale": ["x", "factor", "axis", "dtype", "casting", "order", "mode"], "repeat": ["text", "times", "sure"], "nothing": []}


def generate(maker, count):
    for at in range(count):
        yield worked(maker) if at % 3 == 0 else call(maker)


def call(maker):
    pick, chance = maker.random.choice, maker.random.random
    name = pick(["scale", "scale", "scale", "repeat", "nothing"])
    names = NAMES[name]
    by_place = min(maker.random.choice([0, 1, 1, 2, 2, 3]), len(names))
    if name == "repeat":
        by_place = pick([2, 3, 3, 1])
    draw = lambda parameter: pick(POOL) if chance() < 0.15 else pick(LIKELY[parameter])
    places = [draw(parameter) for parameter in names[:by_place]]
    if chance() < 0.05:
        places += [1] * 4
    keywords = {}
    for parameter in names[by_place:] if name == "scale" else []:
        if chance() < (0.95 if parameter == "x" else 0.4):
            keywords[parameter] = draw(parameter)
    if chance() < 0.05:
        keywords[pick(["other", "x"])] = [1]
    result = outcome(lambda: FUNCTIONS[name](*places, **keywords))
    found = {"f": name, "args": [written(v) for v in places], "kw": [[k, written(v)] for k, v in keywords.items()]}
    found["r"] = kind(result) if "e" in result else {"v": result["v"]}
    return found


def kind(result):
    """Which of several classes says that a value of a wrong type is the library's habit."""
    name = result["e"]
    return {"e": "TypeError" if name.endswith("TypeError") else name}


def worked(maker):
    pick, chance = maker.random.choice, maker.random.random
    shape = [pick([0, 1, 2, 3]) for _ in range(2)]
    real = [dtype for dtype in NUMERIC if dtype.kind in "biuf" and dtype.char not in "qQlL"]

    def argument():
        own = shape if chance() < 0.93 else maker.shape(3)
        array = maker.array(own, pick(real))
        array = array if chance() < 0.2 else finite(array)
        return array.tolist() if chance() < 0.4 else array

    dtype = pick(["<f8", "<f8", "<f4", ">f8", ">f4", "<f2", "<i4", "<c8"])
    if dtype == "<i4":
        # What doesn't fit has no value that NumPy promises.
        real = [np.dtype("i1"), np.dtype("?")]
    a, b = argument(), argument()
    out = finite(maker.array(shape if chance() < 0.95 else maker.shape(3), dtype, plain=chance() < 0.3))
    found = {"f": "add_product", "a": written(a), "b": written(b)}
    if chance() < 0.05:
        out = out.tolist()
        found["out"] = written(out)
    else:
        found["out"] = encode(out)
        found["locked"] = chance() < 0.05
        out.flags.writeable = not found["locked"]
    with np.errstate(all="ignore"):
        result = outcome(lambda: add_product(a, b, out))
    found["r"] = {"v": plain(out)} if "v" in result else kind(result)
    return found


def finite(array):
    """Without what has no value in every type."""
    if array.dtype.kind in "fc":
        array[~np.isfinite(array)] = 1
    return array


if __name__ == "__main__":
    main(generate, 1500)
