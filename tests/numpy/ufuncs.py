"""What the families of ufuncs share: operands, outputs and how calls are written down."""

import numpy as np
from common import block_of, dtype_name, encode, plain

CODES = "?bBhHiIlLefdFD"


def ufuncs():
    """The elementwise ufuncs under their own names."""
    for name in sorted(dir(np)):
        ufunc = getattr(np, name)
        own = isinstance(ufunc, np.ufunc) and ufunc.__name__ == name and ufunc.signature is None
        if own and name != "isnat":
            yield ufunc


def loops(ufunc):
    """The loops over the engine's dtypes, in order, without repetitions."""
    found = []
    for types in ufunc.types:
        types = types.replace("q", "l").replace("Q", "L")
        if types not in found and all(code in CODES + "->" for code in types):
            found.append(types)
    return found


def host_number(maker):
    pick = maker.random.choice
    return pick([True, 0, 1, 2, 3, -1, -3, 100, 300, -200, 2**40, 2**63, -(2**63), 2.0, 0.5, -1.5, 1j, 2 - 1j])


def part_of(maker, shape):
    """A shape that broadcasts to `shape`."""
    drop = maker.random.randint(0, len(shape)) if maker.random.random() < 0.3 else 0
    return tuple(1 if maker.random.random() < 0.15 else size for size in shape[drop:])


def swapped(maker, dtype):
    dtype = np.dtype(dtype)
    return dtype.newbyteorder("S") if maker.random.random() < 0.15 else dtype


def drawn(maker, shape, dtype):
    """An array of any layout; in odd cases byte-swapped and one byte off its grid."""
    dtype = np.dtype(dtype)
    if not getattr(maker, "odd", False):
        return maker.array(shape, dtype)
    values = maker.array(shape, dtype)
    raw = np.zeros(values.size * dtype.itemsize + 1, np.uint8)
    view = np.ndarray(shape, dtype.newbyteorder(">"), raw, 1)
    view[...] = values
    return view


def tangled(maker, array, shape, dtype):
    """A view of the memory that `array` lies in, or nothing if there is too little of it."""
    owner = block_of(array)
    raw = owner if owner.dtype == np.uint8 else None
    if raw is None or raw.ndim != 1:
        return None
    item = np.dtype(dtype).itemsize
    strides = [maker.random.choice([0, item, item, 2 * item, 1, -item, 3 * item, 5]) for _ in shape]
    low = sum((size - 1) * min(stride, 0) for size, stride in zip(shape, strides) if size)
    high = sum((size - 1) * max(stride, 0) for size, stride in zip(shape, strides) if size) + item
    room = raw.size - (high - low)
    if room < 0 or 0 in shape:
        return None
    offset = -low + maker.random.randint(0, room)
    return np.ndarray(shape, dtype, raw, offset, strides)


def written(value, beside=None):
    """An operand; one that lies in the block of `beside` refers to it."""
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, float):
        return {"float": value}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    found = encode(value)
    if beside is not None and value is not beside and block_of(value) is block_of(beside):
        found = {"same": 1, "o": found["o"], "s": found["s"], "t": found["t"], "d": dtype_name(value.dtype)}
    return found


class Findings:
    """The kinds of floating-point errors that NumPy reports inside the block."""

    def __init__(self, under=False):
        self.kinds = set()
        self.under = under

    def __enter__(self):
        self.state = np.errstate(all="call", under="call" if self.under else "ignore", call=self.note)
        self.state.__enter__()
        return self

    def note(self, kind, flags):
        self.kinds.add(kind)

    def __exit__(self, *error):
        self.state.__exit__(*error)

    def names(self):
        return sorted(self.kinds)


def described(result, fresh):
    """A result: its values, and its strides if it is new."""
    found = plain(result)
    if fresh and isinstance(result, np.ndarray) and result.size:
        found["t"] = list(result.strides)
    found["scalar"] = not isinstance(result, np.ndarray)
    return found
