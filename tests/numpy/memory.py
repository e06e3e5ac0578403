"""Row 3: which views of one block share memory, and which overlap themselves."""

import numpy as np
from common import main

ITEMS = ["|i1", "<i2", "<f4", "<f8", "<c16"]
LENGTH = 160


def generate(maker, count):
    raw = np.zeros(LENGTH, np.uint8)
    while count:
        a, b = (view(maker, raw) for _ in range(2))
        if a is None or b is None:
            continue
        count -= 1
        (one, left), (two, right) = a, b
        yield {
            "a": one,
            "b": two,
            "may": bool(np.may_share_memory(left, right)),
            "shares": bool(np.shares_memory(left, right)),
            "itself": overlaps_itself(one),
        }


def view(maker, raw):
    """A layout with its array, if all of it lies in the block."""
    pick = maker.random.choice
    dtype = np.dtype(pick(ITEMS))
    item = dtype.itemsize
    rank = maker.random.randint(0, 4)
    shape = [pick([0, 1, 2, 3, 4, 5]) if maker.random.random() < 0.9 else 0 for _ in range(rank)]
    strides = [pick([0, item, -item, 2 * item, 3 * item, 3, -5, 7, 12, 30]) for _ in range(rank)]
    offset = maker.random.randint(0, LENGTH)
    places = reached(shape, strides, offset)
    if len(places) == 0 or places.min() < 0 or places.max() + item > LENGTH:
        if 0 not in shape:
            return None
        offset = 0
    layout = {"d": dtype.str, "s": shape, "t": strides, "o": offset}
    return layout, np.ndarray(shape, dtype, raw, offset, strides)


def reached(shape, strides, offset):
    index = np.indices(shape, np.int64).reshape(len(shape), int(np.prod(shape)))
    return offset + np.array(strides, np.int64) @ index if shape else np.array([offset])


def overlaps_itself(layout):
    """Whether two positions lie on the same byte, by counting bytes."""
    item = np.dtype(layout["d"]).itemsize
    places = reached(layout["s"], layout["t"], layout["o"])
    touched = (places[:, None] + np.arange(item)).ravel()
    return len(np.unique(touched)) != len(touched)


if __name__ == "__main__":
    main(generate, 10000)
