"""Records the shapes of indexed arrays from NumPy: `python index_shapes.py > index_shapes.txt`.

A line is Strand's items of an index of x, [5 7 11 13], and the shape that NumPy gives. a5 is an
index tensor of the axis of size 5 and rank 0; i is one of shape [3], j of [2 1], k of [2 3].
"""

import numpy as np

ITEMS = """
2
-1
2, 3
2, 3, 4, 5
..
.., 3
2..4
2.., 1..
..-1
-3..
1..-1, ..
.. by -1
.. by 2
4..1 by -1
..2 by -1
3.. by -1
1..5 by 3
6..1 by -2 @1
...
..., 2
2, ...
2, ..., 3
newaxis
newaxis, ..., newaxis
.., newaxis, 2
a
a, a
a, .., a
i
i, i
i, j
j, k
i, .., i
i, newaxis, i
.., i
.., i, i
.., i, .., i
.., i, 2
2, i
2, .., i
.., 2, i
.., 2, .., i
i, ..., i
.., i, ..., i
.., i, ..., i, ..
i, i, ..., 2
..., i
a, .., i
i, 1..3
1..3, i
newaxis, i
newaxis, i, newaxis, j
[0, 2]
[[0, 1], [2, 3], [4, 0]]
.., [0, 2], .., [1, 3]
"""


def slice_of(text):
    body, _, step = text.partition(" by ")
    start, _, end = body.partition("..")
    number = lambda part: int(part) if part.strip() else None
    return slice(number(start), number(end), number(step))


def item(text):
    arrays = {
        "a": np.zeros((), int),
        "i": np.zeros(3, int),
        "j": np.zeros((2, 1), int),
        "k": np.zeros((2, 3), int),
    }
    if text in arrays:
        return arrays[text]
    if text == "...":
        return Ellipsis
    if text == "newaxis":
        return None
    if ".." in text:
        return slice_of(text)
    if text.startswith("["):
        return np.array(eval(text))
    return int(text)


def split(text):
    depth, parts, part = 0, [], ""
    for character in text:
        depth += character == "["
        depth -= character == "]"
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return [*parts, part.strip()]


def named(parts, sizes):
    """The items with each index tensor named by the size of the axis it indexes."""
    taken = sum(part not in ("...", "newaxis") for part in parts)
    at = 0
    for part in parts:
        yield f"{part}{sizes[at]}" if part in "aijk" else part
        if part == "...":
            at += len(sizes) - taken
        elif part != "newaxis":
            at += 1


for line in ITEMS.strip().splitlines():
    line, _, axis = line.partition(" @")
    x = np.zeros((5, 7, 11, 13))
    items = [item(part) for part in split(line)]
    if axis:
        items = [slice(None)] * int(axis) + items
        line = ".., " * int(axis) + line
    shape = x[tuple(items)].shape
    line = ", ".join(named(split(line), x.shape))
    print(line, "=>", "[" + " ".join(str(size) for size in shape) + "]")
