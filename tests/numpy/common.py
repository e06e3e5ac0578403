"""Arrays of every layout, and how they are written down for the tests of crates/strand_array.

A case is one line of JSON. An array is {"d": dtype, "s": shape, "t": byte strides, "o": byte offset,
"b": its block in hex}; a number of bytes outside the array's reach is part of the block, so that
a write beyond the array shows. A result that NumPy refuses is {"e": name of the exception class}.
"""

import json
import random
import sys

import numpy as np

try:
    import ml_dtypes

    BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
except ImportError:
    BFLOAT16 = None

NUMERIC = [np.dtype(code) for code in "?bBhHiIqQefdFD"]
"""NumPy's numeric dtypes that the engine has, in its order."""

INTEGERS = NUMERIC[1:9]
FLOATS = NUMERIC[9:12]
COMPLEX = NUMERIC[12:]

_EDGES = {
    "b": [0, 1],
    "i": [0, 1, 2, 3, 7, -1, -2, -5],
    "u": [0, 1, 2, 3, 7, 100],
    "f": [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 1e-3, 100.25, np.inf, -np.inf, np.nan],
    "c": [0, 1, -1, 1j, 2.5 - 1.5j, complex(np.inf, 1), complex(np.nan, 0)],
}


def dtype_name(dtype):
    """A name that says byte order and size: "<f4", "|b1", "bfloat16", or a list of fields."""
    if dtype == BFLOAT16:
        return "bfloat16"
    if dtype.fields is not None or dtype.subdtype is not None:
        return describe(dtype)
    return dtype.str


def describe(dtype):
    """A structured or subarray dtype as plain data."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return {"base": dtype_name(base), "shape": list(shape)}
    fields = [[name, dtype_name(dtype.fields[name][0]), dtype.fields[name][1]] for name in dtype.names]
    aligned = {"aligned": True} if dtype.isalignedstruct else {}
    return {"fields": fields, "size": dtype.itemsize, **aligned}


def block_of(array):
    """The array that owns the memory of `array`."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return owner


def encode(array):
    """An array with its layout and the whole block that it lies in."""
    owner = block_of(array)
    raw = np.frombuffer(memoryview(owner).cast("B"), np.uint8) if owner.size else np.zeros(0, np.uint8)
    start = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    return {
        "d": dtype_name(array.dtype),
        "s": list(array.shape),
        "t": list(array.strides),
        "o": start if array.size else 0,
        "b": raw.tobytes().hex(),
    }


def plain(value):
    """A result by its values: shape, dtype and the bytes in C order, with canonical NaNs."""
    array = np.asarray(value)
    return {"d": dtype_name(array.dtype), "s": list(array.shape), "b": canonical(array).tobytes().hex()}


def canonical(array):
    """The same array in C order, every NaN the same, zeros between fields."""
    if array.dtype.names:
        whole = np.zeros(array.shape, array.dtype)
        for name in array.dtype.names:
            whole[name] = canonical(array[name])
        return whole
    array = np.array(array, order="C", copy=True)
    if array.dtype.kind == "f":
        array[np.isnan(array)] = np.nan
    elif array.dtype.kind == "c":
        array.real[np.isnan(array.real)] = np.nan
        array.imag[np.isnan(array.imag)] = np.nan
    return array


def outcome(function):
    """What a call gives: {"v": value} or {"e": exception class}."""
    try:
        return {"v": function()}
    except Exception as error:  # noqa: BLE001 (every class of NumPy's is a result)
        return {"e": type(error).__name__}


class Maker:
    """Random shapes, layouts and values from one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        self.ill = False
        """Whether every array is off its grid, and of the byte order that isn't the machine's."""

    def shape(self, most_rank=5, sizes=(0, 1, 1, 2, 3, 4, 5)):
        return tuple(self.random.choice(sizes) for _ in range(self.random.randint(0, most_rank)))

    def values(self, count, dtype):
        """`count` elements, among them edge values."""
        pool = _EDGES["f" if dtype == BFLOAT16 else dtype.kind]
        picked = [self.random.choice(pool) for _ in range(count)]
        with np.errstate(all="ignore"):
            return np.array(picked).astype(dtype) if count else np.zeros(0, dtype)

    def array(self, shape, dtype, plain=False, values=None):
        """An array over a larger block: axes permuted, stepped, reversed, broadcast, off its grid.

        `values(count)` gives its elements, by default `self.values`.
        """
        dtype = np.dtype(dtype)
        ill = self.ill and not plain and values is None
        if ill and dtype.isnative:
            dtype = dtype.newbyteorder()
        rank = len(shape)
        steps = [1] * rank if plain else [self.random.choice([1, 1, 1, 2, -1, -2]) for _ in shape]
        spread = [max(1, size * abs(step)) for size, step in zip(shape, steps)]
        order = list(range(rank))
        if not plain:
            self.random.shuffle(order)
        count = 1
        for size in spread:
            count *= size
        shift = 0 if plain else self.random.choice([0, 0, 0, 1, dtype.itemsize])
        shift = 1 if ill else shift
        raw = np.zeros(count * dtype.itemsize + shift, np.uint8)
        elements = values(count) if values else self.values(count, dtype)
        raw[shift:] = np.frombuffer(elements.tobytes(), np.uint8)
        whole = np.ndarray([spread[axis] for axis in order], dtype, raw, shift)
        back = [order.index(axis) for axis in range(rank)]
        whole = whole.transpose(back)
        cut = tuple(
            slice(None, size * step, step) if step > 0 else slice(None, None, step)
            for size, step in zip(shape, steps)
        )
        view = whole[(..., *cut)]
        if view.shape != tuple(shape):
            view = view[tuple(slice(0, size) for size in shape)]
        return view


def main(generate, default_count):
    """Prints the cases of `generate(maker, count)`: `python FAMILY.py [--seed S] [--count N]`."""
    arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    seed = int(arguments.get("--seed", 20260))
    count = int(arguments.get("--count", default_count))
    print(json.dumps({"numpy": np.__version__, "seed": seed, "count": count}))
    for case in generate(Maker(seed), count):
        print(json.dumps(case, separators=(",", ":")))
