"""Rows 9 to 12: the order of iterators, rows along axes, coalesced loops, broadcasting.

A case has a "k" of its own: flat, rows, loops or broadcast.
"""

import numpy as np
from common import INTEGERS, NUMERIC, encode, main, outcome, plain


def generate(maker, count):
    for number in range(count):
        yield [flat, rows, loops, loops, broadcast, broadcast][number % 6](maker)


def small(maker, most_rank=5):
    while True:
        shape = maker.shape(most_rank, (0, 1, 2, 2, 3, 4) if maker.random.random() < 0.2 else (1, 2, 2, 3, 4))
        if np.prod(shape, dtype=int) <= 72:
            return shape


def flat(maker):
    """`ndarray.flat` step by step: coordinates, index and element."""
    array = maker.array(small(maker), maker.random.choice(NUMERIC))
    walk = array.flat
    coords, indices = [], []
    while walk.index < array.size:
        coords.append(list(walk.coords))
        indices.append(walk.index)
        next(walk)
    return {"k": "flat", "a": encode(array), "coords": coords, "index": indices, "v": raw(array)}


def raw(array):
    """The bytes of the elements in C order, as they are."""
    return np.ascontiguousarray(array).tobytes().hex()


def rows(maker):
    """Every axis left out: the first elements of the rows, in C order."""
    array = maker.array(small(maker), maker.random.choice(INTEGERS))
    found = []
    for axis in range(array.ndim):
        firsts = np.take(array, [0], axis) if array.size else array[(slice(None),) * axis + (slice(0, 0),)]
        found.append({"v": raw(firsts), "n": array.shape[axis], "step": array.strides[axis]})
    return {"k": "rows", "a": encode(array), "rows": found}


def loops(maker):
    """Chunks of `np.nditer` with an external loop, and the strides of an output that it allocates."""
    shape = small(maker)
    operands = [maker.array(part(maker, shape), "u1") for _ in range(maker.random.randint(1, 4))]
    if operands[0].shape != shape:
        operands[0] = maker.array(shape, "u1")
    case = {"k": "loops", "s": list(shape), "ops": [encode(a) for a in operands]}
    walk = np.nditer(operands, ["external_loop", "zerosize_ok"], order="K")
    case["chunks"] = 0 if 0 in shape else sum(1 for _ in walk)
    flags = [["readonly"]] * len(operands) + [["writeonly", "allocate"]]
    walk = np.nditer([*operands, None], ["zerosize_ok"], flags, [None] * len(operands) + ["f8"], order="K")
    case["fresh"] = list(walk.operands[-1].strides)
    return case


def part(maker, shape):
    """A shape that broadcasts to `shape`."""
    cut = maker.random.choice([0, 0, 0, maker.random.randint(0, len(shape))])
    return tuple(1 if maker.random.random() < 0.2 else size for size in shape[cut:])


def broadcast(maker):
    """The common shape of 0 to 64 operands, and what each shows under it."""
    shape = small(maker, 4)
    number = maker.random.choice([0, 1, 2, 2, 3, 3, 4, 7, 12, 33, 64, 65])
    parts = [part(maker, shape) for _ in range(number)]
    if parts and maker.random.random() < 0.2:
        parts[maker.random.randrange(number)] = small(maker, 4)
    operands = [maker.array(p, "u1" if number > 4 else maker.random.choice(NUMERIC)) for p in parts]
    case = {"k": "broadcast", "ops": [encode(a) for a in operands]}
    case |= outcome(lambda: list(np.broadcast(*operands).shape))
    if "v" in case:
        case["shown"] = [raw(np.broadcast_to(a, case["v"])) for a in operands]
    return case


if __name__ == "__main__":
    main(generate, 15000)
