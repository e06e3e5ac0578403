"""Records exact values of functions at f32 arguments, for crates/strand_array/tests/accuracy.rs.

Usage: python record.py [seed]. Needs mpmath, which comes with PyTorch; writes functions.json beside this file.
Arguments are written as their bits, values as the bits of the nearest f64, which is exact enough to count f32 ulps.
"""

import json
import pathlib
import random
import struct
import sys

import mpmath

HERE = pathlib.Path(__file__).parent
SEED = int(sys.argv[1]) if len(sys.argv) > 1 else 20261
COUNT = 400
# Angles near multiples of π/2 cancel all but a few digits of an argument.
mpmath.mp.prec = 300

rng = random.Random(SEED)


def single(value):
    """The nearest f32, as a Python number."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def bits32(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def bits64(value):
    return struct.unpack("<Q", struct.pack("<d", float(value)))[0]


def spread(low, high):
    """A number whose exponent is drawn evenly."""
    return single(rng.choice([-1, 1]) * 2 ** rng.uniform(low, high))


def around(*places):
    """The f32 numbers next to some places, of both signs."""
    found = []
    for place in places:
        for step in range(-2, 3):
            number = struct.unpack("<f", struct.pack("<I", bits32(abs(place)) + step))[0]
            found += [number, -number]
    return found


def mp(value):
    return mpmath.mpf(value)


def sigmoid(x):
    return 1 / (1 + mpmath.exp(-x))


def gelu(x):
    return x * (1 + mpmath.erf(x / mpmath.sqrt(2))) / 2


def softplus(x):
    return x if x > 20 else mpmath.log1p(mpmath.exp(x))


TURNS = [k * float(mpmath.pi) / 2 for k in (1, 2, 3, 4, 5, 7, 11, 22, 355, 710, 5000, 636_619)]
FUNCTIONS = {
    "exp": (mpmath.exp, -20, 6.5, around(88.72, 87.33, 103.9, 0.34657)),
    "log": (mpmath.log, -149, 127, around(1.0, 0.70710677, 1.4142135, 1.1754944e-38)),
    "tanh": (mpmath.tanh, -20, 4.5, around(0.64, 9.01, 10.0)),
    "erf": (mpmath.erf, -20, 2.5, around(0.95, 3.95)),
    "sigmoid": (sigmoid, -20, 6.4, around(86.0, 16.6)),
    "softplus": (softplus, -20, 6.4, around(20.0)),
    "sin": (mpmath.sin, -20, 24, around(*TURNS, 1e6)),
    "cos": (mpmath.cos, -20, 24, around(*TURNS, 1e6)),
    "gelu": (gelu, -10, 2, around(1.0)),
}


def cases(name):
    function, low, high, special = FUNCTIONS[name]
    arguments = special + [spread(low, high) for _ in range(COUNT)]
    if name == "log":
        arguments = [abs(x) for x in arguments]
    return [[bits32(x), bits64(function(mp(x)))] for x in arguments]


def powers():
    found = []
    while len(found) < 2 * COUNT:
        x, y = abs(spread(-40, 40)), spread(-8, 5)
        if rng.random() < 0.3:
            x = single(1 + rng.uniform(-1e-3, 1e-3))
            y = spread(0, 16)
        value = mp(x) ** mp(y)
        if 1e-44 < value < 3.4e38:
            found.append([bits32(x), bits32(y), bits64(value)])
    return found


table = {name: cases(name) for name in FUNCTIONS}
table["pow"] = powers()
text = ",\n".join(f'"{name}": {json.dumps(rows, separators=(",", ":"))}' for name, rows in table.items())
(HERE / "functions.json").write_text("{" + text + "}\n")
