"""Writes random programs whose types are right, to be run by the interpreter and on PyTorch.

    random_programs.py SEED COUNT OUT.md

OUT.md has one program a heading, as the suites have them; `cargo xtask programs` draws
and compares them:

    strand suite OUT.md --export CASES.json
    run.py CASES.json --loose

A program's seed says of what it is: models, floats of any width, or whole numbers. The
values stay small and comparisons aren't close, so that both ways of computing them agree. What may
still differ: the digits of a difference of nearly equal sums, so that floats are compared loosely;
everything else is compared exactly.
"""

import sys

from drawn_functions import Program
from drawn_integers import IntegerProgram
from drawn_models import ModelProgram

KINDS = [
    (ModelProgram, ["f32", "f32", "f64"]),
    (Program, ["f64"]),
    (IntegerProgram, ["i32", "i8", "u8", "i16", "i64"]),
    (Program, ["f16", "bf16"]),
]
# Of so many programs in a row, one is of each kind; the others are functions of f32.
ROUND = 10


def drawn(seed):
    """The program of a seed."""
    at, turn = seed % ROUND, seed // ROUND
    if at >= len(KINDS):
        return Program(seed).function()
    kind, dtypes = KINDS[at]
    return kind(seed, dtypes[turn % len(dtypes)]).function()


def main(argv):
    if len(argv) != 3:
        print(__doc__.strip().split("\n\n")[1])
        return 2
    seed, count, path = int(argv[0]), int(argv[1]), argv[2]
    with open(path, "w", encoding="utf-8") as file:
        for at in range(seed, seed + count):
            file.write(f"# Seed {at}\n\n```strand\n{drawn(at)}\n```\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
