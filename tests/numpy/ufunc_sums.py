"""Row 21: sums of floats along every kind of axis, to the bit. Values come from a formula that both sides know."""

import numpy as np
from common import main, plain


def values(seed, count, dtype):
    """Numbers of mixed size and sign: 32 bits of a multiplicative sequence, scaled."""
    mixed = (np.arange(1, count + 1, dtype=np.uint64) * np.uint64(2654435761) + np.uint64(seed)) & np.uint64(0xFFFFFFFF)
    return (mixed.astype(np.float64) / 2.0**31 - 1.0).astype(dtype)


def generate(maker, count):
    pick = maker.random.choice
    for number in range(count):
        dtype = pick(["<f4", "<f8"])
        layout = ["contiguous", "first", "middle", "strided"][number % 4]
        long, short = maker.random.randint(1, 3000), maker.random.randint(1, 4)
        shape = {"contiguous": [long], "strided": [long * 2], "first": [long, short], "middle": [short, long, 3]}[layout]
        seed = maker.random.randint(0, 10**6)
        array = values(seed, int(np.prod(shape)), dtype).reshape(shape)
        if layout == "strided":
            array = array[::2]
        axis = 1 if layout == "middle" else 0
        total = np.add.reduce(array, axis=axis)
        yield {"seed": seed, "d": dtype, "s": shape, "layout": layout, "axis": axis, "v": plain(total)}


if __name__ == "__main__":
    main(generate, 1000)
