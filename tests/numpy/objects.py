"""Ufuncs on host values: each element by Python's own operation."""

import numpy as np
from common import main, outcome
from making import written

BINARY = ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power", "left_shift", "right_shift",
          "bitwise_and", "bitwise_or", "bitwise_xor", "equal", "not_equal", "less", "less_equal", "greater",
          "greater_equal", "maximum", "minimum", "logical_and", "logical_or"]  # fmt: skip
UNARY = ["negative", "positive", "absolute", "invert", "square", "reciprocal", "logical_not", "sign", "conjugate", "sin"]


def value(maker, kind):
    draw = maker.random
    return {
        "int": lambda: draw.choice([0, 1, -1, 2, 3, 7, -7, 100, 2**40]),
        "float": lambda: draw.choice([0.0, 1.0, -2.5, 3.0, 0.5, 1e10]),
        "bool": lambda: draw.random() < 0.5,
        "complex": lambda: draw.choice([1j, 2 + 1j, 3 + 0j]),
        "text": lambda: draw.choice(["a", "b", ""]),
        "none": lambda: None,
    }[kind]()


def row(maker, count, kinds):
    array = np.empty(count, object)
    for i in range(count):
        array[i] = value(maker, maker.random.choice(kinds))
    return array


KINDS = [["int"], ["int", "float"], ["int", "bool"], ["bool"], ["float"], ["int", "complex"], ["text"], ["int", "text"], ["none"]]


def generate(maker, count):
    for _ in range(count):
        kinds = maker.random.choice(KINDS)
        size = maker.random.randint(1, 4)
        unary = maker.random.random() < 0.25
        name = maker.random.choice(UNARY if unary else BINARY)
        arrays = [row(maker, size, kinds) for _ in range(1 if unary else 2)]
        if wild(name, arrays):
            continue
        yield {
            "op": name,
            "in": [[written(item) for item in array] for array in arrays],
            "r": outcome(lambda: repr(getattr(np, name)(*arrays))),
        }


def wild(name, arrays):
    """Powers and shifts that are huge, or float powers, whose last bits are the machine's; and signs of
    what has none, and truth values that NumPy gives as the operands themselves."""
    flat = [item for array in arrays for item in array]
    if name in ("power", "left_shift"):
        return any(abs(item) > 7 if isinstance(item, int) else not isinstance(item, int) for item in flat if item is not None)
    if name in ("divide", "multiply", "absolute", "square", "reciprocal") and any(isinstance(item, complex) for item in flat):
        return True
    return name in ("sign", "logical_and", "logical_or") and not all(type(item) in (int, bool) for item in flat)


if __name__ == "__main__":
    main(generate, 3000)
