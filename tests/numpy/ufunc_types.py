"""Rows 17 and 23: every ufunc's loops and properties, and the loop that each combination of operand types finds."""

import itertools

import numpy as np
from common import main
from ufuncs import CODES, loops, ufuncs

WEAK = {"1": 1, "2": 1.0, "3": 1j}


def operand(code):
    return WEAK[code] if code in WEAK else np.ones(1, code)


def resolved(ufunc, codes):
    """The types of the outputs, or the kind of error."""
    with np.errstate(all="ignore"):
        try:
            outs = ufunc(*map(operand, codes))
        except TypeError:
            return "T"
        except Exception as error:  # noqa: BLE001 (every class of NumPy's is a result)
            return type(error).__name__
    outs = outs if isinstance(outs, tuple) else (outs,)
    return "".join(out.dtype.char.replace("q", "l").replace("Q", "L") for out in outs)


def generate(maker, count):
    for ufunc in ufuncs():
        identity = ufunc.identity
        yield {
            "name": ufunc.__name__,
            "nin": ufunc.nin,
            "nout": ufunc.nout,
            "identity": None if identity is None else str(identity),
            "types": loops(ufunc),
        }
        for first in CODES + "123":
            rest = itertools.product(CODES + "123", repeat=ufunc.nin - 1)
            found = [resolved(ufunc, (first, *others)) for others in rest]
            yield {"name": ufunc.__name__, "first": first, "found": " ".join(found)}
    aliases = [
        [name, getattr(np, name).__name__]
        for name in sorted(dir(np))
        if isinstance(getattr(np, name), np.ufunc) and getattr(np, name).__name__ != name
    ]
    yield {"aliases": aliases}


if __name__ == "__main__":
    main(generate, 0)
