"""Rows 24 and 25: arrays from nested sequences, and what requirements make of arrays."""

import struct

import numpy as np
from common import NUMERIC, canonical, dtype_name, encode, main, outcome, plain

DTYPES = [np.dtype(dtype.str) for dtype in NUMERIC]
REQUIREMENTS = ["C", "F", "A", "W"]


def written(value):
    """A value of the host as plain data."""
    if value is None:
        return {"none": 1}
    if isinstance(value, np.generic):
        return {"item": [value.dtype.str, value.tobytes().hex()]}
    if isinstance(value, np.ndarray):
        return {"array": encode(value)}
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, float):
        return {"float": struct.pack("<d", value).hex()}
    if isinstance(value, complex):
        return {"complex": struct.pack("<dd", value.real, value.imag).hex()}
    if isinstance(value, str):
        return {"text": value}
    return {"tuple" if isinstance(value, tuple) else "list": [written(item) for item in value]}


def scalar(maker, kinds):
    draw = maker.random
    kind = draw.choice(kinds)
    if kind == "bool":
        return draw.random() < 0.5
    if kind == "int":
        return draw.choice([0, 1, -1, 3, 100, 127, 128, -129, 255, 256, 2**31, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64])
    if kind == "float":
        return draw.choice([0.0, 1.0, -2.0, 2.5, 1e10, 1e300, float("inf"), float("nan"), 127.5, -0.5])
    if kind == "complex":
        return draw.choice([1j, 2 + 0j, 1.5 - 2j])
    if kind == "item":
        return draw.choice(DTYPES).type(draw.choice([0, 1, 2, 3]))
    if kind == "array":
        return maker.array(maker.shape(2, (0, 1, 2)), draw.choice(DTYPES))
    if kind == "none":
        return None
    return draw.choice(["1", "2.5", "x", ""])


def nested(maker, shape, kinds, rough):
    if rough and maker.random.random() < 0.04:
        return nested(maker, maker.shape(2, (0, 1, 2)), kinds, False)
    if not shape:
        return scalar(maker, kinds)
    make = tuple if maker.random.random() < 0.2 else list
    return make(nested(maker, shape[1:], kinds, rough) for _ in range(shape[0]))


KINDS = [["bool"], ["int"], ["float"], ["int", "float"], ["bool", "int"], ["int", "complex", "float"], ["item"],
         ["item", "int", "float"], ["array"], ["array", "int"], ["none", "int"], ["text"]]  # fmt: skip


def sequence(maker):
    kinds = maker.random.choice(KINDS)
    value = nested(maker, maker.shape(3, (0, 1, 2, 3)), kinds, maker.random.random() < 0.4)
    dtype = maker.random.choice([None, None, *DTYPES, "O"])
    if dtype is not None and dtype != "O" and maker.random.random() < 0.2:
        dtype = dtype.newbyteorder()
    case = {"value": written(value), "dtype": None if dtype is None else np.dtype(dtype).str}
    with np.errstate(all="ignore"):
        case["r"] = outcome(lambda: form(np.array(value, dtype)))
    return None if skipped(value, dtype, case) else case


def form(array):
    if array.dtype == object:
        return {"d": "|O", "s": list(array.shape), "repr": repr(array)}
    if array.dtype.kind in "US":
        return {"text": 1}
    return plain(array)


def skipped(value, dtype, case):
    """NumPy's own quirks: where the class of an error or a value hangs on the order of its attempts."""
    with np.errstate(all="raise"):
        try:
            np.array(value, dtype)
        except (FloatingPointError, OverflowError, TypeError):
            # Out of range: NumPy wraps some typed scalars and refuses others.
            return any_typed(value) or "e" not in case["r"]
        except ValueError:
            return any_typed(value)
    return False


def any_typed(value):
    if isinstance(value, (list, tuple)):
        return any(any_typed(item) for item in value)
    return isinstance(value, (np.generic, np.ndarray))


def source(maker):
    """An array of one of many kinds: C, Fortran, strided, reversed, transposed, swapped, unaligned, read-only,
    broadcast, empty, rank 0, a view."""
    dtype = maker.random.choice(DTYPES)
    kind = maker.random.randrange(12)

    def small(count):
        return np.array([maker.random.randint(0, 100) for _ in range(count)]).astype(dtype)

    shape = maker.shape(3, (1, 2, 3))
    array = maker.array(shape, dtype, plain=kind != 11, values=small)
    if kind == 1:
        raw = np.frombuffer(array.tobytes("F"), np.uint8).copy()
        array = np.ndarray(shape, dtype, raw, order="F")
    elif kind == 2 and array.ndim:
        array = maker.array((2 * shape[0], *shape[1:]), dtype, plain=True, values=small)[::2]
    elif kind == 3 and array.ndim:
        array = array[::-1]
    elif kind == 4:
        array = array.T
    elif kind == 5:
        array = array.astype(dtype.newbyteorder())
    elif kind == 6:
        raw = np.zeros(array.nbytes + 1, np.uint8)
        raw[1:] = np.frombuffer(array.tobytes(), np.uint8)
        array = np.ndarray(shape, dtype, raw, 1)
    elif kind == 7:
        array = array.copy()
        array.flags.writeable = False
    elif kind == 8:
        array = np.broadcast_to(array, (2, *shape))
    elif kind == 9:
        array = array[..., :0] if array.ndim else array
    elif kind == 10:
        array = array.reshape(-1)[:1].reshape(())
    return array


def required(maker):
    array = source(maker)
    wanted = maker.random.sample(REQUIREMENTS, maker.random.randint(0, 3))
    if "C" in wanted and "F" in wanted:
        wanted.remove("F")
    dtype = maker.random.choice([None, None, *DTYPES])
    with np.errstate(all="ignore"):
        result = np.require(array, dtype, wanted)
    return {
        "array": encode(array),
        "readonly": not array.flags.writeable,
        "want": wanted,
        "dtype": None if dtype is None else dtype.str,
        "shares": bool(result.size and np.shares_memory(result, array)),
        "r": plain(result),
        "t": list(result.strides) if result.size else None,
        "size": result.size,
    }


RECORDS = [
    np.dtype("i4,f8"),
    np.dtype([("a", "?"), ("b", [("c", ">i2"), ("d", "f4")])]),
    np.dtype([("x", "i4", (2, 3)), ("y", "u1")]),
    np.dtype([("v", "V3"), ("z", "c8")]),
]


def member(maker, dtype, depth=0):
    """A value that may or may not do as an element of the type."""
    draw = maker.random.random()
    if draw < 0.15 or depth > 3:
        return scalar(maker, ["int", "float", "text", "none", "complex"])
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        for size in maker.random.choice([shape, shape, shape[1:], (1, *shape[1:])]):
            return [member(maker, np.dtype((base, shape[1:])), depth + 1) for _ in range(size)]
    if dtype.names is not None:
        count = len(dtype.names) + maker.random.choice([0, 0, 0, 0, 1, -1])
        names = [*dtype.names, dtype.names[0]][:count]
        return tuple(member(maker, dtype[name], depth + 1) for name in names)
    return scalar(maker, ["int", "float", "complex", "bool"])


def element(maker):
    """One element set to a value; NumPy's rule for host numbers, texts, None, tuples and sequences."""
    dtype = maker.random.choice([*DTYPES, *RECORDS, *RECORDS])
    if dtype.names is not None:
        value = member(maker, dtype)
    else:
        value = nested(maker, maker.random.choice([(), (), (), (1,), (0,)]), ["int", "float", "complex", "none", "text"], False)
        if maker.random.random() < 0.3:
            dtype = dtype.newbyteorder()
    return {"set": written(value), "dtype": dtype_name(dtype), "r": outcome(lambda: set_to(dtype, value))}


def set_to(dtype, value):
    array = np.zeros(1, dtype)
    with np.errstate(all="ignore"):
        array[0] = value
    return leaves(array)


def leaves(array):
    if array.dtype.names is not None:
        return [leaf for name in array.dtype.names for leaf in leaves(array[name])]
    return [canonical(array).tobytes().hex()]


def generate(maker, count):
    for _ in range(count):
        yield element(maker)
        case = sequence(maker)
        if case is not None:
            yield case
        yield required(maker)


if __name__ == "__main__":
    main(generate, 3000)
