"""Rows 1 and 2: which layouts lie inside their block, and their flags."""

import numpy as np
from common import main

ITEMS = {"|i1": 1, "<i2": 2, "<f4": 4, "<f8": 8, "<c16": 16}


def generate(maker, count):
    pick = maker.random.choice
    for _ in range(count):
        dtype = pick(list(ITEMS))
        item = ITEMS[dtype]
        rank = maker.random.randint(0, 4)
        shape = [pick([0, 1, 2, 3, 4]) for _ in range(rank)]
        strides = [pick([0, 1, item, -item, 2 * item, 3, -1, item * 4, -2 * item]) for _ in range(rank)]
        length = maker.random.randint(0, 80)
        offset = maker.random.randint(0, 60)
        inside = reachable(shape, strides, offset, length, item)
        case = {"d": dtype, "s": shape, "t": strides, "o": offset, "n": length, "inside": inside}
        if inside:
            raw = np.zeros(max(length, 1), np.uint8)
            array = np.ndarray(shape, dtype, raw, offset if array_has(shape) else 0, strides)
            flags = array.flags
            case["c"], case["f"] = bool(flags.c_contiguous), bool(flags.f_contiguous)
            case["aligned"] = bool(flags.aligned)
        yield case


def array_has(shape):
    return 0 not in shape


def reachable(shape, strides, offset, length, item):
    """Whether every byte of every element lies in the block, one by one."""
    if not array_has(shape):
        return offset <= length
    places = (
        offset + sum(i * stride for i, stride in zip(index, strides)) for index in np.ndindex(*shape)
    )
    return all(0 <= place and place + item <= length for place in places)


if __name__ == "__main__":
    main(generate, 5000)
