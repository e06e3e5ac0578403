"""Row 7: structured types with nested, overlapping, unaligned and subarray fields."""

import numpy as np
from common import NUMERIC, canonical, dtype_name, encode, main, outcome

CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]
NAMES = "abcdefgh"


def plain_type(maker):
    dtype = np.dtype(maker.random.choice(NUMERIC).str)
    return dtype.newbyteorder() if maker.random.random() < 0.3 else dtype


def part_type(maker, depth):
    draw = maker.random.random()
    if draw < 0.2:
        shape = maker.random.choice([(1,), (2,), (3,), (2, 2), (1, 2), (2, 1)])
        base = structure(maker, depth + 1) if depth < 2 and draw < 0.06 else plain_type(maker)
        return np.dtype((base, shape))
    if draw < 0.35 and depth < 2:
        return structure(maker, depth + 1)
    if draw < 0.45:
        return np.dtype(f"V{maker.random.randint(1, 5)}")
    return plain_type(maker)


def structure(maker, depth=0, names=None):
    count = maker.random.randint(1, 4) if names is None else len(names)
    names = list(NAMES[:count]) if names is None else names
    formats = [part_type(maker, depth) for _ in names]
    return laid_out(maker, names, formats)


def laid_out(maker, names, formats):
    """Fields packed, aligned, or anywhere: with gaps, in any order, overlapping."""
    kind = maker.random.choice(["packed", "packed", "aligned", "gaps", "overlap"])
    if kind in ("packed", "aligned"):
        return np.dtype({"names": names, "formats": formats}, align=kind == "aligned")
    offsets, at = [0] * len(names), 0
    for i in maker.random.sample(range(len(names)), len(names)):
        if kind == "gaps":
            at += maker.random.randint(0, 3)
            offsets[i] = at
            at += formats[i].itemsize
        else:
            offsets[i] = maker.random.randint(0, 8)
    size = max(offset + dtype.itemsize for offset, dtype in zip(offsets, formats))
    size += maker.random.randint(0, 3)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


def related(maker, dtype):
    """A type with fields like those of `dtype`: other layouts, byte orders, sizes, sometimes names."""
    formats = []
    for name in dtype.names:
        part = dtype[name]
        base, shape = part.subdtype or (part, ())
        if base.names is not None:
            base = related(maker, base)
        elif base.kind != "V" and maker.random.random() < 0.6:
            # Overlapping fields make any float, and a float outside an integer's range has no rule.
            whole = base.kind in "biu"
            while ((base := plain_type(maker)).kind in "biu") != whole:
                pass
        if shape and maker.random.random() < 0.3:
            shape = maker.random.choice([(1,), (2,), (3,), (2, 2), (2, 1), (3, 2), (1, 2)])
        formats.append(np.dtype((base, shape)))
    names = list(dtype.names)
    draw = maker.random.random()
    if draw < 0.1:
        names = [name.upper() for name in names]
    elif draw < 0.15 and len(names) > 1:
        names, formats = names[:-1], formats[:-1]
    elif draw < 0.2 and len(names) > 1:
        names = names[1:] + names[:1]
    return laid_out(maker, names, formats)


def leaves(array):
    """The bytes of every plain part, in order, without what lies between them."""
    if array.dtype.names is not None:
        return [leaf for name in array.dtype.names for leaf in leaves(array[name])]
    return [canonical(array).tobytes().hex()]


def filled(maker, shape, dtype):
    """An array of the type, its numbers small and its layout any."""
    if dtype.itemsize == 0:
        return np.zeros(shape, dtype)
    raw = np.dtype(f"V{dtype.itemsize}")

    def anything(count):
        return np.frombuffer(maker.random.randbytes(count * raw.itemsize), raw)

    array = maker.array(shape, raw, values=anything).view(dtype)
    fill(maker, array)
    return array


def fill(maker, array):
    if array.dtype.names is not None:
        for name in array.dtype.names:
            fill(maker, array[name])
    elif array.dtype.kind == "V":
        data = [maker.random.randbytes(array.dtype.itemsize) for _ in range(array.size)]
        for index, value in zip(np.ndindex(array.shape), data):
            array[index] = np.void(value)
    elif array.size:
        array[...] = np.array([maker.random.randint(0, 3) for _ in range(array.size)]).reshape(array.shape)


def written(array):
    return {"d": dtype_name(array.dtype), "s": list(array.shape), "leaves": leaves(array)}


def view_of(array):
    return {key: value for key, value in encode(array).items() if key != "b"} | {"leaves": leaves(array)}


def trusted(a, b):
    """Whether NumPy promotes the two rightly: the size of a subarray whose base widens stays too small."""
    if a.names is None or b.names is None:
        return a == b or (a.subdtype is None and b.subdtype is None)
    pairs = [(a[one], b[two]) for one, two in zip(a.names, b.names)]
    return all(trusted(one, two) for one, two in pairs)


def generate(maker, count):
    for number in range(count):
        dtype = structure(maker)
        other = related(maker, dtype)
        shape = maker.shape(2, (0, 1, 2, 3))
        array = filled(maker, shape, dtype)
        with np.errstate(all="ignore"):
            yield from cases_of(maker, number, array, other)


def cases_of(maker, number, array, other):
    dtype, shape = array.dtype, array.shape
    written_array = encode(array)
    names = maker.random.sample(dtype.names, maker.random.randint(1, len(dtype.names)))
    yield {
        "a": written_array,
        "dtype": str(dtype),
        "views": [[name, view_of(array[name])] for name in dtype.names],
        "names": names,
        "chosen": view_of(array[names]),
        "repr": repr(array),
        "str": str(array),
        "first": repr(array.reshape(-1)[0]) if array.size else None,
    }
    yield {
        "a": written_array,
        "b": dtype_name(other),
        "promoted": outcome(lambda: dtype_name(np.promote_types(dtype, other))) if trusted(dtype, other) else None,
        "can": [bool(np.can_cast(dtype, other, casting)) for casting in CASTINGS],
        "cast": outcome(lambda: written(array.astype(other))),
    }
    second = filled(maker, maker.random.choice([shape, ()]), maker.random.choice([dtype, other]))
    yield {
        "a": written_array,
        "c": encode(second),
        "equal": outcome(lambda: equality(array, second)) if trusted(dtype, second.dtype) else None,
        "assigned": outcome(lambda: assigned(array, second)),
    }
    if array.ndim and sortable(dtype):
        yield {"a": written_array, "sorted": leaves(np.sort(array, axis=0, kind="stable"))}
    if number % 2 == 0:
        yield {"a": written_array, "value": number, "scalar": outcome(lambda: assigned(array, np.int64(number % 7)))}


def sortable(dtype):
    """Whether every field has an order that NumPy's own sort keeps: subarrays go by their bytes there."""
    return all(
        dtype[name].subdtype is None and (dtype[name].names is None or sortable(dtype[name])) for name in dtype.names
    )


def equality(a, b):
    return [int(v) for v in np.asarray(a == b).reshape(-1)]


def assigned(array, value):
    target = array.copy()
    target[...] = value
    return leaves(target)


if __name__ == "__main__":
    main(generate, 600)
