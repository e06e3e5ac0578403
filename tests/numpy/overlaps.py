"""Row 3: writes whose value, mask or positions lie in the memory that is written.

The result is as if all of them had been copied first. Where elements of the target themselves lie on
the same bytes they are written one by one in C order.
"""

import numpy as np
from common import main

LENGTH = 24
KINDS = ["copy", "copy_where", "view", "mask", "one", "arrays", "mixed"]


def generate(maker, count):
    for number in range(count):
        yield draw(maker, KINDS[number % len(KINDS)])


def draw(maker, kind):
    raw = np.zeros(LENGTH * 8, np.uint8)
    numbers = raw.view("i8")
    # Small numbers, so that they are positions as well.
    numbers[...] = maker.numpy.integers(-2, 2, LENGTH)
    rank = {"one": 1, "mask": maker.random.randint(1, 2)}.get(kind, maker.random.randint(1, 3))
    shape = tuple(maker.random.randint(2, 3) for _ in range(rank))
    if kind == "mixed":
        shape = tuple(maker.random.randint(2, 3) for _ in range(maker.random.randint(2, 3)))
    target = view(maker, raw, shape, "i8")
    case = {"k": kind, "b": raw.tobytes().hex(), "a": layout(target, raw)}
    positions = mask = None
    if kind == "copy_where":
        mask = view(maker, raw, stretchable(maker, shape), "?", grid=True)
        case["m"] = layout(mask, raw)
        part = target
    elif kind == "view":
        items = [slice(None, None, maker.random.choice([1, -1, 2])) for _ in shape]
        case["x"] = [{"s": [None, None, item.step]} for item in items]
        part = target[tuple(items)]
    elif kind == "mask":
        mask = view(maker, raw, shape, "?", grid=True)
        case["x"] = [{"a": layout(mask, raw)}]
        part = target[mask]
    elif kind in ("one", "arrays", "mixed"):
        number = {"one": 1, "arrays": rank}.get(kind, 1)
        sizes = tuple(maker.random.randint(1, 3) for _ in range(maker.random.randint(1, 2)))
        positions = [view(maker, raw, sizes, "i8") for _ in range(number)]
        case["x"] = [{"a": layout(p, raw)} for p in positions]
        part = target[tuple(positions)]
    else:
        part = target
    sizes = part.shape
    if kind == "mask" and maker.random.random() < 0.2 or len(sizes) and sizes[0] == 0:
        sizes = ()
    value = view(maker, raw, stretchable(maker, sizes) if kind != "mask" else sizes, maker.random.choice(["i8", "i8", ">i8", "u4", "i2"]))
    case["value"] = layout(value, raw)
    frozen = value.copy()
    wanted = raw.copy()
    target = np.ndarray(target.shape, "i8", wanted, start(target, raw), target.strides)
    write(target, frozen, positions, mask, kind, case)
    case["v"] = wanted.tobytes().hex()
    return case


def write(target, value, positions, mask, kind, case):
    """One element after the other, in C order of what is chosen."""
    with np.errstate(all="ignore"):
        if kind == "copy":
            for index in np.ndindex(*target.shape):
                target[index] = np.broadcast_to(value, target.shape)[index]
        elif kind == "copy_where":
            mask = mask.copy()
            for index in np.ndindex(*target.shape):
                if np.broadcast_to(mask, target.shape)[index]:
                    target[index] = np.broadcast_to(value, target.shape)[index]
        elif kind == "view":
            part = target[tuple(slice(*item["s"]) for item in case["x"])]
            for index in np.ndindex(*part.shape):
                part[index] = np.broadcast_to(value, part.shape)[index]
        elif kind == "mask":
            places = np.argwhere(mask.copy())
            values = np.broadcast_to(value, (len(places),))
            for place, one in zip(places, values):
                target[tuple(place)] = one
        else:
            positions = [p.copy() for p in positions]
            chosen = np.broadcast_shapes(*(p.shape for p in positions))
            rest = target.shape[len(positions) :]
            values = np.broadcast_to(value, chosen + rest)
            places = [np.broadcast_to(p, chosen) for p in positions]
            for index in np.ndindex(*chosen):
                for inner in np.ndindex(*rest):
                    target[(*(p[index] for p in places), *inner)] = values[index + inner]


def stretchable(maker, shape):
    cut = shape[maker.random.choice([0, 0, 0, len(shape)]) :]
    return tuple(1 if maker.random.random() < 0.1 else size for size in cut)


def view(maker, raw, shape, dtype, grid=False):
    """A layout of that shape and type in the block, on the grid of its numbers."""
    dtype = np.dtype(dtype)
    while True:
        steps = [maker.random.choice([8, 8, 16, 24, -8, -16, 48, 0 if grid else 8]) for _ in shape]
        offset = 8 * maker.random.randrange(LENGTH)
        low = offset + sum(min(0, (n - 1) * s) for n, s in zip(shape, steps))
        high = offset + sum(max(0, (n - 1) * s) for n, s in zip(shape, steps))
        if low >= 0 and high + dtype.itemsize <= len(raw):
            return np.ndarray(shape, dtype, raw, offset, steps)


def start(array, raw):
    return array.__array_interface__["data"][0] - raw.__array_interface__["data"][0]


def layout(array, raw):
    return {"d": array.dtype.str, "s": list(array.shape), "t": list(array.strides), "o": start(array, raw)}


if __name__ == "__main__":
    main(generate, 14000)
