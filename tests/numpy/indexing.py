"""Rows 14 to 16 (and 3, 4): index expressions of all kinds, got and set.

An item is {"i": integer}, {"s": [start, stop, step]}, {"n": 1} for a new axis, {"e": 1} for an
ellipsis, or {"a": array}; an array that lies in the indexed array's own block is {"o": ..., "same": 1}.
"""

import warnings

import numpy as np
from common import NUMERIC, block_of, encode, main, outcome, plain

KINDS = ["element", "view", "mask", "one", "arrays", "mixed", "mixed", "thin", "any", "any"]


def generate(maker, count):
    warnings.simplefilter("ignore")
    for number in range(count):
        maker.ill = number % 8 >= 6
        yield (setting if number % 2 else getting)(maker, number // 2)


def getting(maker, number):
    array = target(maker, number)
    items = index(maker, array, KINDS[number % len(KINDS)])
    case = {"k": "get", "a": encode(array), "x": [written(i, array) for i in items]}
    return case | outcome(lambda: described(array[tuple(items)], array))


def described(result, array):
    """Whether it is an element, a view or a copy, with a view's layout."""
    if isinstance(result, np.generic):
        return {"is": "element"} | plain(result)
    if block_of(result) is block_of(array):
        found = {"is": "view"} | plain(result)
        if result.size:
            found |= {"t": list(result.strides), "o": encode(result)["o"]}
        return found
    return {"is": "copy"} | plain(result)


def setting(maker, number):
    array = target(maker, number)
    items = index(maker, array, KINDS[number % len(KINDS)])
    try:
        shape = array[tuple(items)].shape
    except Exception:  # noqa: BLE001 (the error is found again below)
        shape = array.shape
    value = values(maker, array, shape)
    case = {"k": "set", "a": encode(array), "x": [written(i, array) for i in items]}
    case["value"] = written(value, array)["a"]
    # What shares memory with the target counts as it was before.
    frozen = tuple(i.copy() if isinstance(i, np.ndarray) else i for i in items)
    before = case["a"]["b"]

    def assign():
        if isinstance(value, np.ndarray):
            array[frozen] = value.copy()
        return encode(array)["b"]

    case |= outcome(assign)
    if "e" in case and encode(array)["b"] != before:
        case["changed"] = 1
    return case


def target(maker, number):
    kind = KINDS[number % len(KINDS)]
    if kind == "one":
        shape = (maker.random.choice([0, 1, 3, 5, 8]),)
    elif kind == "thin":
        shape = tuple(maker.random.choice([1, 1, 2, 3]) for _ in range(maker.random.randint(2, 4)))
    else:
        shape = maker.shape(5, (0, 1, 2, 3, 4) if maker.random.random() < 0.15 else (1, 2, 3, 4))
        while np.prod(shape, dtype=int) > 48:
            shape = shape[1:]
    dtype = maker.random.choice(NUMERIC)
    if maker.random.random() < 0.2:
        dtype = dtype.newbyteorder()
    # Overlaps need positions in the array's own memory.
    if maker.random.random() < 0.1:
        dtype = np.dtype("i8")
    return maker.array(shape, dtype)


def index(maker, array, kind):
    """Up to 6 items, one in seven lists with something invalid in it."""
    pick, chance = maker.random.choice, maker.random.random
    invalid = chance() < 0.15
    if kind == "element":
        items = [integer(maker, n, invalid) for n in array.shape]
    elif kind == "mask":
        shape = list(array.shape)
        if invalid and shape:
            shape[pick(range(len(shape)))] += pick([1, -1])
        items = [mask(maker, [max(n, 0) for n in shape])]
    elif kind == "one":
        items = [positions(maker, array.shape[0], invalid)]
        if chance() < 0.1:
            items = [overlapping(array)] if array.dtype == "i8" else items
    elif kind == "arrays":
        items = [positions(maker, n, invalid) for n in array.shape] or [np.array(True)]
        if chance() < 0.3:
            items = together(maker, items)
    elif kind == "thin":
        items = [positions(maker, array.shape[0], invalid)]
        items += [one_of(maker, n) for n in array.shape[1:]]
        if chance() < 0.5:
            items = together(maker, items[:1]) + items[1:]
    else:
        items = mixed(maker, array, kind == "view", invalid)
    return items


def one_of(maker, size):
    """A slice of one element."""
    at = maker.random.randrange(size)
    return slice(at, at + 1)


def mixed(maker, array, basic, invalid):
    """Items for some of the axes, one after the other."""
    pick, chance = maker.random.choice, maker.random.random
    items, axis = [], 0
    most = maker.random.randint(0, 6)
    if chance() < 0.3:
        axis = maker.random.randint(0, array.ndim)
        items.append(Ellipsis if chance() < 0.5 else slice(None))
        if items[0] is not Ellipsis:
            axis = min(1, array.ndim)
            items = items[:axis]
    while len(items) < most and axis < array.ndim + (invalid and chance() < 0.2):
        size = array.shape[axis] if axis < array.ndim else 2
        roll = chance()
        if roll < 0.25:
            items.append(sliced(maker, size, invalid and chance() < 0.05))
        elif roll < 0.35:
            items.append(None)
            continue
        elif roll < 0.5 or basic:
            items.append(integer(maker, size, invalid and chance() < 0.3))
        elif roll < 0.55:
            items.append(np.array(pick([True, True, False])))
            continue
        elif roll < 0.6:
            at = integer(maker, size, False)
            items.append(np.array(at, pick(["i1", "i8", ">i4", "u2"] if 0 <= at < 100 else [">i8"])))
        elif roll < 0.75:
            rank = maker.random.randint(1, max(1, min(2, array.ndim - axis)))
            shape = [n + (invalid and chance() < 0.3) for n in array.shape[axis : axis + rank]] or [2]
            items.append(mask(maker, shape))
            axis += rank
            continue
        elif roll < 0.78:
            items.append(np.array([], "i8"))
        else:
            items.append(positions(maker, size, invalid and chance() < 0.5))
        axis += 1
    if invalid and chance() < 0.2:
        items.insert(maker.random.randint(0, len(items)), Ellipsis)
        items.append(Ellipsis)
    if invalid and chance() < 0.1:
        items.append(np.array([0.0, 1.0]))
    if chance() < 0.5:
        items = together(maker, items)
    return items


def together(maker, items):
    """The same with index arrays of shapes that broadcast, mostly."""
    if maker.random.random() < 0.1:
        return items
    shape = [maker.random.randint(1, 3) for _ in range(maker.random.randint(1, 2))]
    made = []
    for item in items:
        if isinstance(item, np.ndarray) and item.dtype.kind in "iu" and item.size:
            cut = [1 if maker.random.random() < 0.2 else n for n in shape]
            cut = cut[maker.random.choice([0, 0, 0, len(cut) - 1]) :]
            item = np.resize(item, cut)
        made.append(item)
    return made


def integer(maker, size, invalid):
    if invalid and maker.random.random() < 0.4 or size == 0:
        return maker.random.choice([size, -size - 1, 1000, -(2**40)])
    return maker.random.randrange(-size, size)


def sliced(maker, size, invalid):
    bound = lambda: maker.random.choice([None, None, maker.random.randint(-size - 2, size + 2)])  # noqa: E731
    step = 0 if invalid else maker.random.choice([None, None, 1, 2, -1, -2, 3, 100])
    return slice(bound(), bound(), step)


def mask(maker, shape):
    share = maker.random.choice([0.2, 0.5, 0.9])
    return made_of(maker, shape, "?", lambda: maker.random.random() < share)


def positions(maker, size, invalid):
    """Positions along an axis, in an array of any integer dtype and layout."""
    shape = maker.random.choice([(1,), (2,), (3,), (5,), (2, 2), (1, 3), (2, 1, 2), (3, 1)])
    if maker.random.random() < 0.06:
        shape = maker.random.choice([(0,), (2, 0)])
    dtype = np.dtype(maker.random.choice(["i8", "i8", "i8", ">i8", "i4", "i1", "u8", "u1", "<i2"]))
    low = 0 if dtype.kind == "u" else -size
    wrong = maker.random.randrange(10) if invalid else -1
    counter = iter(range(10**6))

    def one():
        if next(counter) == wrong or size == 0:
            return maker.random.choice([size, size + 3, -size - 1 if low else size])
        return maker.random.randrange(low, size)

    return made_of(maker, shape, dtype, one)


def made_of(maker, shape, dtype, one):
    """An array of any layout with elements of its own."""
    array = maker.array(shape, dtype)
    for place in np.ndindex(*shape):
        array[place] = one()
    return array


def overlapping(array):
    """The array itself as positions, its elements made to fit."""
    if array.size:
        array[...] = np.abs(array) % array.shape[0]
    return array


def values(maker, array, shape):
    """A value of any dtype that mostly stretches to `shape`."""
    chance = maker.random.random
    if chance() < 0.08:
        part = array[::-1] if array.ndim else array
        if part.shape == shape or chance() < 0.2:
            return part
    cut = shape[maker.random.choice([0, 0, 0, maker.random.randint(0, len(shape))]) :]
    cut = tuple(1 if chance() < 0.15 else n for n in cut)
    if chance() < 0.1:
        cut = (1,) * maker.random.randint(1, 2) + tuple(cut)
    if chance() < 0.1:
        cut = maker.shape(3, (1, 2, 3))
    if len(cut) == 0 or chance() < 0.15:
        cut = ()
    dtype = array.dtype if chance() < 0.5 else maker.random.choice(NUMERIC)
    value = maker.array(cut, dtype)
    if dtype != array.dtype:
        small = maker.numpy.integers(0, 100, value.shape)
        value[...] = small
    return value


def written(item, array):
    if item is None:
        return {"n": 1}
    if item is Ellipsis:
        return {"e": 1}
    if isinstance(item, slice):
        return {"s": [item.start, item.stop, item.step]}
    if isinstance(item, np.ndarray):
        code = encode(item)
        if block_of(item) is block_of(array):
            code = {"same": 1} | {key: code[key] for key in "dsto"}
        return {"a": code}
    return {"i": int(item)}


if __name__ == "__main__":
    main(generate, 40000)
