"""Row 33: where, take, put, compress, nonzero, arg-reductions and their kin."""

import warnings

import numpy as np
from common import INTEGERS, NUMERIC, encode, main, outcome, plain

CALLS = ["take", "take", "put", "compress", "nonzero", "where", "where", "argmax", "argmin", "argmax"]
CALLS += ["putmask", "place", "take_along_axis", "put_along_axis", "extract", "argwhere", "count_nonzero"]


def generate(maker, count):
    warnings.simplefilter("ignore")
    for number in range(count):
        call = CALLS[number % len(CALLS)]
        maker.ill = number % 8 >= 6
        while (case := CASES[call](maker)) is None:
            pass
        yield {"f": call} | case


def shape(maker, least=0):
    while True:
        found = maker.shape(4, (0, 1, 2, 3, 5) if maker.random.random() < 0.2 else (1, 2, 3, 5))
        if len(found) >= least and np.prod(found, dtype=int) <= 60:
            return found


def array(maker, sizes, dtype=None):
    dtype = dtype or maker.random.choice(NUMERIC)
    return maker.array(sizes, dtype.newbyteorder() if maker.random.random() < 0.2 else dtype)


def axis_of(maker, rank, none=True):
    if none and maker.random.random() < 0.3:
        return None
    return maker.random.randint(-rank, rank - 1) if rank and maker.random.random() < 0.95 else rank


def positions(maker, size, sizes, wrong=0.1):
    dtype = np.dtype(maker.random.choice(["i8", "i8", ">i8", "i4", "u1", "u8", "i1"]))
    found = maker.array(sizes, dtype)
    low = 0 if dtype.kind == "u" else -size
    for place in np.ndindex(*sizes):
        found[place] = maker.random.randrange(low, size) if size else 0
    if found.size and maker.random.random() < wrong:
        found.flat[maker.random.randrange(found.size)] = maker.random.choice([size, size + 7, 100])
    return found


def take(maker):
    a = array(maker, shape(maker))
    axis = axis_of(maker, a.ndim)
    size = a.size if axis is None else (a.shape or (1,))[axis] if -a.ndim <= axis < max(a.ndim, 1) else 1
    places = positions(maker, size, maker.shape(2, (0, 1, 2, 3)))
    mode = maker.random.choice(["raise", "raise", "wrap", "clip"])
    if size == 0 and mode != "raise":
        return None
    case = {"a": encode(a), "i": encode(places), "axis": axis, "mode": mode}
    if a.dtype.kind in "biu" and maker.random.random() < 0.4:
        return case | with_out(maker, lambda out: np.take(a, places, axis, out, mode))
    return case | outcome(lambda: plain(as_array(np.take(a, places, axis, mode=mode), a)))


def as_array(result, source):
    """A scalar, which has the machine's byte order, as the array that it was."""
    return result if isinstance(result, np.ndarray) else np.array(result, source.dtype)


def with_out(maker, call):
    """The same with an array for the result, of a shape and dtype that may be wrong."""
    try:
        result = np.asarray(call(None))
    except Exception:  # noqa: BLE001 (the call without it has its own cases)
        return outcome(lambda: call(None))
    sizes = result.shape if maker.random.random() < 0.9 else (*result.shape, 1)
    dtype = result.dtype.newbyteorder("=") if maker.random.random() < 0.7 else maker.random.choice(INTEGERS)
    out = maker.array(sizes, dtype)
    return {"out": encode(out)} | outcome(lambda: (call(out), encode(out)["b"])[1])


def changed(target, call):
    """The target's block after a call."""
    case = outcome(lambda: (call(), encode(target)["b"])[1])
    return case


def put(maker):
    a = array(maker, shape(maker))
    places = positions(maker, a.size, maker.shape(2, (0, 1, 2, 3, 4)))
    values = small(maker, a, maker.shape(1, (0, 1, 2, 3)))
    mode = maker.random.choice(["raise", "raise", "wrap", "clip"])
    case = {"a": encode(a), "i": encode(places), "v0": encode(values), "mode": mode}
    return case | changed(a, lambda: np.put(a, places, values, mode))


def small(maker, a, sizes, dtype=None):
    """Values that any dtype holds, unless they have the array's own."""
    if maker.random.random() < 0.4:
        return array(maker, sizes, a.dtype.newbyteorder("="))
    values = array(maker, sizes, dtype)
    values[...] = maker.numpy.integers(0, 2 if values.dtype.kind == "b" else 100, values.shape)
    return values


def compress(maker):
    a = array(maker, shape(maker))
    axis = axis_of(maker, a.ndim)
    size = a.size if axis is None else (a.shape or (1,))[axis] if -a.ndim <= axis < max(a.ndim, 1) else 1
    length = max(0, size + maker.random.choice([0, 0, 0, -1, 2]))
    condition = array(maker, (length,) if maker.random.random() < 0.95 else (1, 1))
    case = {"a": encode(a), "c": encode(condition), "axis": axis}
    return case | outcome(lambda: plain(np.compress(condition, a, axis)))


def nonzero(maker):
    a = array(maker, shape(maker))
    return {"a": encode(a)} | outcome(lambda: [plain(p) for p in np.nonzero(a)])


def argwhere(maker):
    a = array(maker, shape(maker))
    return {"a": encode(a)} | outcome(lambda: plain(np.argwhere(a)))


def count_nonzero(maker):
    a = array(maker, shape(maker))
    return {"a": encode(a)} | outcome(lambda: int(np.count_nonzero(a)))


def extract(maker):
    a, condition = array(maker, shape(maker)), array(maker, shape(maker))
    case = {"a": encode(a), "c": encode(condition)}
    return case | outcome(lambda: plain(np.extract(condition, a)))


def part(maker, sizes):
    cut = sizes[maker.random.choice([0, 0, maker.random.randint(0, len(sizes))]) :]
    return tuple(1 if maker.random.random() < 0.2 else n for n in cut)


def where(maker):
    sizes = shape(maker)
    condition = array(maker, part(maker, sizes), np.dtype("?") if maker.random.random() < 0.7 else None)
    x, y = (array(maker, part(maker, sizes)) for _ in range(2))
    if maker.random.random() < 0.1:
        y = array(maker, shape(maker))
    case = {"c": encode(condition), "x": encode(x), "y": encode(y)}
    result = outcome(lambda: np.where(condition, x, y))
    if "v" in result:
        result = {"v": plain(result["v"]), "t": list(result["v"].strides)}
    return case | result


def argmax(maker):
    return extreme(maker, np.argmax)


def argmin(maker):
    return extreme(maker, np.argmin)


def extreme(maker, function):
    a = array(maker, shape(maker))
    axis, keep = axis_of(maker, a.ndim), maker.random.random() < 0.3
    case = {"a": encode(a), "axis": axis, "keep": keep}
    if maker.random.random() < 0.2:
        return case | with_out(maker, lambda out: function(a, axis, out, keepdims=keep))
    return case | outcome(lambda: plain(function(a, axis, keepdims=keep)))


def putmask(maker):
    return masked(maker, np.putmask)


def place(maker):
    return masked(maker, np.place)


def masked(maker, function):
    a = array(maker, shape(maker))
    sizes = a.shape if maker.random.random() < 0.9 else shape(maker)
    mask = array(maker, sizes, np.dtype("?") if maker.random.random() < 0.7 else None)
    values = small(maker, a, maker.shape(2, (0, 1, 2, 3)))
    if maker.random.random() < 0.8 and not np.can_cast(values.dtype, a.dtype, "safe"):
        values = values.astype(a.dtype, order="C")
    case = {"a": encode(a), "m": encode(mask), "v0": encode(values)}
    return case | changed(a, lambda: function(a, mask, values))


def along(maker, a):
    axis = axis_of(maker, a.ndim)
    if axis is None:
        return axis, positions(maker, a.size, (maker.random.randint(0, 4),))
    sizes = [n if maker.random.random() < 0.9 else 1 for n in a.shape]
    if -a.ndim <= axis < a.ndim:
        sizes[axis] = maker.random.randint(0, 3)
    if maker.random.random() < 0.05:
        sizes = sizes[1:]
    size = a.shape[axis] if -a.ndim <= axis < a.ndim else 1
    # NumPy visits positions in the order of their memory: where one comes twice that decides.
    return axis, np.ascontiguousarray(positions(maker, size, tuple(sizes)))


def take_along_axis(maker):
    a = array(maker, shape(maker, 1))
    axis, places = along(maker, a)
    case = {"a": encode(a), "i": encode(places), "axis": axis}
    return case | outcome(lambda: plain(np.take_along_axis(a, places, axis)))


def put_along_axis(maker):
    a = array(maker, shape(maker, 1))
    axis, places = along(maker, a)
    if axis is None:
        # NumPy writes to a copy unless the array is contiguous.
        a = np.ascontiguousarray(a)
    values = np.ascontiguousarray(small(maker, a, part(maker, places.shape)))
    case = {"a": encode(a), "i": encode(places), "v0": encode(values), "axis": axis}
    return case | changed(a, lambda: np.put_along_axis(a, places, values, axis))


CASES = {name: globals()[name] for name in CALLS}

if __name__ == "__main__":
    main(generate, 20000)
