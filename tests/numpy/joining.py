"""Row 32: concatenate, stack, split and their family."""

import numpy as np
from common import BFLOAT16, NUMERIC, dtype_name, encode, main, outcome, plain

STRUCTURED = [
    np.dtype([("a", ">i2"), ("b", "<f4")]),
    np.dtype({"names": ["p", "q"], "formats": ["<f2", "<u2"], "offsets": [3, 0], "itemsize": 7}),
]


def generate(maker, count):
    makers = [joins, joins, stacks, shortcuts, splits, splits, blocks, copies]
    for _ in range(count):
        yield maker.random.choice(makers)(maker)


def some_dtype(maker):
    dtype = maker.random.choice(NUMERIC)
    return dtype.newbyteorder("S") if maker.random.random() < 0.2 else dtype


def dtypes(maker, count):
    """Mostly one dtype for all."""
    chance = maker.random.random
    roll = chance()
    if roll < 0.1:
        return [maker.random.choice(STRUCTURED)] * count
    if roll < 0.2 and BFLOAT16 is not None:
        return [BFLOAT16] * count
    if roll < 0.6:
        return [some_dtype(maker)] * count
    return [some_dtype(maker) for _ in range(count)]


def filled(maker, shape, dtype):
    if not dtype.names:
        return maker.array(shape, dtype)
    return maker.array(shape, dtype, values=lambda count: fields(maker, count, dtype))


def fields(maker, count, dtype):
    whole = np.zeros(count, dtype)
    for name in dtype.names:
        whole[name] = maker.values(count, dtype[name].newbyteorder("="))
    return whole


def joins(maker):
    chance = maker.random.random
    shape = list(maker.shape(4, sizes=(0, 1, 2, 3)))
    axis = None if chance() < 0.2 else maker.random.randint(-len(shape), max(len(shape) - 1, 0))
    if chance() < 0.04:
        axis = maker.random.choice([-len(shape) - 1, len(shape)])
    count = maker.random.choice([0, 1, 2, 2, 3, 4])
    arrays = []
    for dtype in dtypes(maker, count):
        own = list(shape)
        if shape and axis is not None and -len(shape) <= axis < len(shape):
            own[axis] = maker.random.choice([0, 1, 2, 3])
        if axis is None:
            own = maker.shape(3)
        if chance() < 0.02:
            own = maker.shape(3)
        arrays.append(filled(maker, own, dtype))
    return record(maker, "concatenate", arrays, {"axis": axis})


def stacks(maker):
    chance = maker.random.random
    shape = maker.shape(3)
    axis = maker.random.randint(-len(shape) - 1, len(shape))
    if chance() < 0.05:
        axis = maker.random.choice([-len(shape) - 2, len(shape) + 1])
    count = maker.random.choice([0, 1, 2, 3])
    arrays = [filled(maker, maker.shape(2) if chance() < 0.02 else shape, d) for d in dtypes(maker, count)]
    return record(maker, "stack", arrays, {"axis": axis})


def record(maker, name, arrays, keywords):
    chance = maker.random.random
    function = getattr(np, name)
    if chance() < 0.15:
        keywords["dtype"] = maker.random.choice(NUMERIC)
    if chance() < 0.15:
        keywords["casting"] = maker.random.choice(["no", "equiv", "safe", "same_kind", "unsafe"])
    written = {key: value for key, value in keywords.items() if key != "dtype"}
    tame(arrays, keywords.get("dtype"))
    if "dtype" in keywords:
        written["dtype"] = dtype_name(keywords["dtype"])
    found = {"f": name, "all": [encode(a) for a in arrays], "k": written}
    with np.errstate(all="ignore"):
        result = outcome(lambda: function(arrays, **keywords))
        if "v" in result and chance() < 0.25 and name in ("concatenate", "stack"):
            shape = result["v"].shape if chance() < 0.9 else (*result["v"].shape, 1)
            dtype = result["v"].dtype if chance() < 0.7 else maker.random.choice(NUMERIC)
            tame(arrays, dtype)
            found["all"] = [encode(a) for a in arrays]
            out = filled(maker, shape, dtype)
            found["out"] = encode(out)
            result = outcome(lambda: function(arrays, out=out, **keywords))
    found["r"] = {"v": plain(result["v"])} if "v" in result else result
    if "v" in result and "out" not in found:
        found["strides"] = list(result["v"].strides)
    return found


def tame(arrays, dtype):
    """What doesn't fit a whole type has no value that NumPy promises."""
    if dtype is None or dtype.kind not in "iub":
        return
    for array in arrays:
        if array.dtype.kind in "fc" or array.dtype == BFLOAT16:
            array[~np.isfinite(array)] = 1
            array[...] = np.abs(array)


def shortcuts(maker):
    name = maker.random.choice(["vstack", "hstack", "dstack", "column_stack"])
    shape = maker.shape(4, sizes=(0, 1, 2, 3))
    count = maker.random.choice([0, 1, 2, 3])
    arrays = []
    for dtype in dtypes(maker, count):
        own = list(shape)
        if maker.random.random() < 0.1:
            own = own[:-1]
        arrays.append(filled(maker, own, dtype))
    found = {"f": name, "all": [encode(a) for a in arrays], "k": {}}
    result = outcome(lambda: getattr(np, name)(arrays))
    found["r"] = {"v": plain(result["v"])} if "v" in result else result
    return found


def splits(maker):
    chance = maker.random.random
    name = maker.random.choice(["split", "array_split", "hsplit", "vsplit", "dsplit", "unstack"])
    array = filled(maker, maker.shape(4), dtypes(maker, 1)[0])
    axis = maker.random.randint(-array.ndim, max(array.ndim - 1, 0))
    if chance() < 0.05:
        axis = maker.random.choice([-array.ndim - 1, array.ndim])
    found = {"f": name, "a": encode(array), "k": {}}
    if name == "unstack":
        if array.ndim == 1:
            # Whose parts are numbers in NumPy, not views.
            array = array[:, np.newaxis]
            found["a"] = encode(array)
        found["k"]["axis"] = axis
        result = outcome(lambda: np.unstack(array, axis=axis))
    else:
        cuts = maker.random.randint(-1, 4)
        if chance() < 0.5:
            cuts = [maker.random.randint(-6, 7) for _ in range(maker.random.randint(0, 4))]
        found["cuts"] = cuts
        keywords = {}
        if name in ("split", "array_split"):
            keywords["axis"] = found["k"]["axis"] = axis
        result = outcome(lambda: getattr(np, name)(array, cuts, **keywords))
    if "e" in result:
        # Of a missing axis, NumPy's split says an IndexError, and others an AxisError.
        found["r"] = {"e": result["e"].replace("IndexError", "AxisError")}
        return found
    start = array.__array_interface__["data"][0]
    parts = []
    for part in result["v"]:
        offset = part.__array_interface__["data"][0] - start if part.size else 0
        parts.append({"v": plain(part), "t": list(part.strides), "o": offset})
    found["parts"] = parts
    return found


def blocks(maker):
    depth = maker.random.randint(0, 3)
    sizes = [maker.random.choice([1, 2, 3]) for _ in range(3)]
    dtype = some_dtype(maker)

    def nest(level):
        if level == 0 or maker.random.random() < 0.01:
            own = sizes[: maker.random.randint(0, 3)] if maker.random.random() < 0.3 else sizes[:2]
            return filled(maker, own, dtype)
        return [nest(level - 1) for _ in range(maker.random.choice([1, 2, 2]) if maker.random.random() < 0.98 else 0)]

    nested = nest(depth)
    result = outcome(lambda: np.block(nested))
    found = {"f": "block", "nested": spell(nested)}
    found["r"] = {"v": plain(result["v"])} if "v" in result else result
    return found


def spell(nested):
    return [spell(item) for item in nested] if isinstance(nested, list) else encode(nested)


def copies(maker):
    chance = maker.random.random
    array = filled(maker, maker.shape(3), dtypes(maker, 1)[0])
    if chance() < 0.5:
        times = [maker.random.choice([0, 1, 2, 3]) for _ in range(maker.random.randint(0, 4))]
        if chance() < 0.05 and times and array.size and 0 not in times:
            times[0] = -1
        result = outcome(lambda: np.tile(array, times))
        found = {"f": "tile", "a": encode(array), "times": times}
    else:
        axis = None if chance() < 0.3 else maker.random.randint(-array.ndim, max(array.ndim - 1, 0))
        size = array.size if axis is None else (array.shape or (1,))[axis]
        times = [maker.random.choice([0, 1, 2, 3]) for _ in range(size if chance() < 0.5 else 1)]
        if chance() < 0.05:
            times = [*times, -1]
        result = outcome(lambda: np.repeat(array, times, axis=axis))
        found = {"f": "repeat", "a": encode(array), "times": times, "k": {"axis": axis}}
    found["r"] = {"v": plain(result["v"])} if "v" in result else result
    return found


if __name__ == "__main__":
    main(generate, 6000)
