"""Row 30: sort, argsort, partition, argpartition, searchsorted, lexsort."""

import numpy as np
from common import BFLOAT16, NUMERIC, encode, main, outcome, plain

STRUCTURED = [
    np.dtype([("a", ">i2"), ("b", "<f4")]),
    np.dtype([("a", "u1"), ("b", "<c8"), ("c", "?")]),
    np.dtype([("a", [("x", "<i2"), ("y", ">f8")]), ("b", "<i4", (2,))]),
    np.dtype({"names": ["p", "q"], "formats": ["<f2", "<u2"], "offsets": [3, 0], "itemsize": 7}),
]


def generate(maker, count):
    makers = [sorts, sorts, argsorts, partitions, argpartitions, searches, lexsorts]
    for _ in range(count):
        yield maker.random.choice(makers)(maker)


def some_dtype(maker, structured=True):
    pick = maker.random.choice
    roll = maker.random.random()
    if structured and roll < 0.15:
        return pick([*STRUCTURED, np.dtype("V3")])
    if BFLOAT16 is not None and roll < 0.2:
        return BFLOAT16
    dtype = pick(NUMERIC)
    return dtype.newbyteorder("S") if maker.random.random() < 0.2 else dtype


def filled(maker, shape, dtype):
    """An array whose elements repeat often."""
    if dtype == BFLOAT16:
        # ml_dtypes has no order of NaNs.
        return maker.array(shape, dtype, values=lambda count: ordered(maker.values(count, dtype)))
    if dtype.kind != "V":
        return maker.array(shape, dtype)
    array = maker.array(shape, np.dtype((np.void, dtype.itemsize)), values=void_values(maker, dtype))
    return array.view(dtype) if dtype.names else array


def void_values(maker, dtype):
    def fill(count):
        whole = np.zeros(count, dtype)
        if dtype.names:
            for field in dtype.names:
                put(maker, whole, field)
        else:
            raw = whole.view(np.uint8)
            raw[:] = maker.numpy.integers(0, 2, raw.shape)
        return whole

    return fill


def put(maker, whole, field):
    inner = whole.dtype[field]
    if inner.names:
        for name in inner.names:
            put(maker, whole[field], name)
        return
    shape = whole[field].shape
    count = int(np.prod(shape))
    base = inner.base
    elements = maker.values(count, base.newbyteorder("="))
    # As a field, NumPy puts the NaNs of half floats first.
    whole[field] = (ordered(elements) if base.char == "e" else elements).reshape(shape)


def ordered(values):
    values[np.isnan(values)] = 1
    return values


def options(maker, array):
    pick, chance = maker.random.choice, maker.random.random
    found = {}
    if chance() < 0.5:
        found["axis"] = axis_near(maker, array.ndim)
    elif array.ndim == 0:
        found["axis"] = None
    if array.dtype.names and chance() < 0.5:
        names = list(array.dtype.names)
        maker.random.shuffle(names)
        found["order"] = names[: maker.random.randint(0, len(names))]
        if chance() < 0.1:
            found["order"] = found["order"] + [pick(["zz", *names])]
    elif not array.dtype.names and chance() < 0.02:
        found["order"] = ["f"]
    return found


def axis_near(maker, rank):
    """None, an axis, or rarely one that isn't there."""
    if maker.random.random() < 0.05:
        return maker.random.choice([-rank - 1, rank])
    return maker.random.choice([None, *range(-rank, rank)])


def sorts(maker):
    array = filled(maker, maker.shape(4), some_dtype(maker))
    keywords = options(maker, array)
    result = outcome(lambda: np.sort(array, kind="stable", **keywords))
    found = {"f": "sort", "a": encode(array), "k": keywords, "r": written(result)}
    if "v" in result and keywords.get("axis", 0) is not None:
        found["strides"] = list(result["v"].strides)
    return found


def argsorts(maker):
    array = filled(maker, maker.shape(4), some_dtype(maker))
    keywords = options(maker, array)
    result = outcome(lambda: np.argsort(array, kind="stable", **keywords))
    return {"f": "argsort", "a": encode(array), "k": keywords, "r": written(result)}


def places(maker, array, keywords):
    size = array.size if keywords.get("axis", -1) is None else (array.shape or (1,))[-1]
    return [maker.random.randint(-size - 1, size) if maker.random.random() < 0.1 else
            maker.random.randint(0, max(size - 1, 0)) for _ in range(maker.random.randint(1, 3))]


def partitions(maker):
    array = filled(maker, maker.shape(3) or (3,), some_dtype(maker, structured=False))
    keywords = options(maker, array)
    kth = places(maker, array, keywords)
    result = outcome(lambda: np.partition(array, kth, **keywords))
    whole = outcome(lambda: np.sort(array, kind="stable", **keywords))
    found = {"f": "partition", "a": encode(array), "kth": kth, "k": keywords, "r": written(result)}
    return {**found, "sorted": written(whole)}


def argpartitions(maker):
    found = partitions(maker)
    return {**found, "f": "argpartition"}


def searches(maker):
    pick, chance = maker.random.choice, maker.random.random
    dtype = some_dtype(maker)
    size = pick([0, 1, 3, 8, 20])
    array = filled(maker, (size,), dtype)
    if chance() < 0.05:
        array = filled(maker, maker.shape(2), dtype)
    other = dtype if chance() < 0.7 or dtype.kind == "V" or dtype == BFLOAT16 else pick(NUMERIC)
    values = filled(maker, maker.shape(3), other)
    keywords = {"side": pick(["left", "right"])}
    found = {"f": "searchsorted", "a": encode(array), "side": keywords["side"]}
    if chance() < 0.4 and array.ndim == 1:
        sorter = np.argsort(array, kind="stable").astype(pick(["i8", "i4", "u2", ">i8"]))
        if chance() < 0.15:
            sorter = pick([sorter[:-1], sorter.astype("f4"), sorter + 1])
        keywords["sorter"] = sorter
        found["sorter"] = encode(sorter)
    elif array.ndim == 1:
        inner = np.sort(array, kind="stable").tobytes()
        array = np.ndarray(array.shape, array.dtype, np.frombuffer(inner, np.uint8))
        found["a"] = encode(array)
    found["b"] = encode(values)
    found["r"] = written(outcome(lambda: np.searchsorted(array, values, **keywords)))
    return found


def lexsorts(maker):
    shape = maker.shape(3)
    keys = [filled(maker, shape, key_dtype(maker)) for _ in range(maker.random.randint(1, 3))]
    axis = maker.random.randint(-len(shape), max(len(shape) - 1, 0)) if maker.random.random() < 0.9 else 2
    result = outcome(lambda: np.lexsort(keys, axis=axis))
    return {"f": "lexsort", "keys": [encode(key) for key in keys], "axis": axis, "r": written(result)}


def key_dtype(maker):
    """NumPy's lexsort misreads complex numbers of the other byte order."""
    dtype = some_dtype(maker, structured=False)
    return dtype.newbyteorder("=") if dtype.kind == "c" else dtype


def written(result):
    if "e" in result:
        return {"e": "TypeError" if result["e"].endswith("TypeError") else result["e"]}
    return {"v": plain(result["v"])}


if __name__ == "__main__":
    main(generate, 8000)
