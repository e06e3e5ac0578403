"""Row 34: .npy and .npz files, written and read."""

import io

import numpy as np
from common import BFLOAT16, NUMERIC, encode, main, outcome, plain
from numpy.lib import format as npy

STRUCTURED = [
    np.dtype([("a", ">i2"), ("b", "<f4")]),
    np.dtype([("a", [("x", "<i2"), ("y", ">f8")]), ("b", "<i4", (2, 3)), ("é", "?")]),
    np.dtype([("жук", "<c8"), ("it's", "u1")]),
    np.dtype({"names": ["p", "q"], "formats": ["<u2", "<f2"], "offsets": [1, 5], "itemsize": 9}),
    np.dtype({"names": ["q", "p"], "formats": ["<u2", "<f2"], "offsets": [3, 0], "itemsize": 7}),
    np.dtype("V5"),
]

DTYPES = ["'<f8'", "'>i4'", "'|b1'", "'float64'", "'|O'", "'O8'", "8", "'<f9'", "'<U3'", "[('a', '<i4'), ('', '|V4')]",
          "[('a', '<i4'), ('a', '<i4')]", "[('a', '<i4', (2,))]", "[('a', 'O')]", "[('a',)]", "[(('t', 'a'), '<i2')]"]
ORDERS = ["False", "False", "True", "0", "None"]
SHAPES = ["(2, 3)", "(6,)", "()", "[6]", "(6)", "(2, 3L)", "(-1,)", "(2, 3,)", "(0, 9)", "(1, 99999)", "('a',)"]
HEADERS = [
    "{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}",
    "{{'descr': {}, 'fortran_order': {}, 'shape': {}}}  ",
    "{{\"shape\": {2}, 'descr': {0}, 'fortran_order': {1}}}",
    "{{'descr': {}, 'fortran_order': {}, 'shape': {}, 'more': 1}}",
    "{{'descr': {}, 'fortran_order': {}}}",
    "{{'descr': {}, 'fortran_order': {}, 'shape': {}",
    "['descr', {}, {}, {}]",
]


def generate(maker, count):
    makers = [saves, saves, loads, archives]
    for _ in range(count):
        yield maker.random.choice(makers)(maker)


def some_array(maker):
    roll = maker.random.random()
    shape = maker.shape(4)
    if roll < 0.25:
        dtype = maker.random.choice(STRUCTURED)
        return maker.array(shape, dtype, values=lambda count: filled(maker, count, dtype))
    if roll < 0.3 and BFLOAT16 is not None:
        return maker.array(shape, BFLOAT16)
    dtype = maker.random.choice(NUMERIC)
    if maker.random.random() < 0.2:
        dtype = dtype.newbyteorder("S")
    array = maker.array(shape, dtype, plain=maker.random.random() < 0.5)
    return array.T if maker.random.random() < 0.3 else array


def filled(maker, count, dtype):
    whole = np.zeros(count, dtype)
    put(maker, whole)
    return whole


def put(maker, whole):
    if whole.dtype.names:
        for name in whole.dtype.names:
            put(maker, whole[name])
    elif whole.dtype.kind == "V":
        whole[...] = maker.numpy.bytes(whole.dtype.itemsize)
    else:
        whole[...] = maker.values(whole.size, whole.dtype.newbyteorder("=")).reshape(whole.shape)


def saves(maker):
    array = some_array(maker)
    file = io.BytesIO()
    result = outcome(lambda: npy.write_array(file, array, version=None, allow_pickle=False))
    found = {"f": "save", "a": encode(array)}
    if "e" in result:
        return {**found, "r": result}
    found["file"] = file.getvalue().hex()
    file.seek(0)
    found["r"] = {"v": plain(npy.read_array(file))}
    return found


def loads(maker):
    """Files as other programs, or nobody, would write them."""
    pick = maker.random.choice
    few = [pick(SHAPES[:2]), pick(SHAPES)]
    header = pick(HEADERS[: pick([1, 3, len(HEADERS)])]).format(pick(DTYPES[: pick([3, len(DTYPES)])]), pick(ORDERS), pick(few))
    version = pick([(1, 0), (1, 0), (2, 0), (3, 0), (1, 1), (4, 0)])
    text = header.encode("utf8" if version[0] == 3 else "latin1") + b"\n"
    if maker.random.random() < 0.03:
        text = text + b" " * 12000
    size = len(text) + pick([0, 0, 0, 0, 0, -3, 1000])
    length = size.to_bytes(2 if version[0] == 1 else 4, "little")
    data = bytes(range(1, 1 + pick([48, 48, 48, 47, 200, 0])))
    file = npy.MAGIC_PREFIX + bytes(version) + length + text + data
    if maker.random.random() < 0.1:
        file = file[: maker.random.randint(0, len(file))]
    result = outcome(lambda: npy.read_array(io.BytesIO(file), allow_pickle=False))
    if "e" in result or result["v"].dtype.kind == "U":
        return {"f": "load", "file": file.hex(), "r": {"e": "any"}}
    return {"f": "load", "file": file.hex(), "r": {"v": plain(result["v"])}}


def archives(maker):
    pool = ["x", "y", "a/b", "arr_0", "weights.npy", "длина"]
    names = maker.random.sample(pool, maker.random.randint(0, 4))
    arrays = {name: plainer(some_array(maker)) for name in names}
    file = io.BytesIO()
    compressed = maker.random.random() < 0.5
    (np.savez_compressed if compressed else np.savez)(file, **arrays)
    found = {"f": "archive", "compressed": compressed, "names": names, "file": file.getvalue().hex()}
    found["all"] = [encode(arrays[name]) for name in names]
    loaded = np.load(io.BytesIO(file.getvalue()))
    found["files"] = loaded.files
    found["r"] = [{"v": plain(loaded[name])} for name in loaded.files]
    return found


def plainer(array):
    """Files keep no bfloat16 and no fields out of order; between fields NumPy writes what lay in memory."""
    if array.dtype in (BFLOAT16, STRUCTURED[3], STRUCTURED[4]):
        return np.zeros(3, "<i2")
    return array


if __name__ == "__main__":
    main(generate, 4000)
