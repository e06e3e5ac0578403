"""Runs the work of ops.rs in PyTorch on one thread and prints ratios (ours over theirs).

Usage: cargo bench -p strand_array | python peer.py
"""

import sys
import time

import torch

torch.set_num_threads(1)


def ramp(*shape):
    n = 1
    for size in shape:
        n *= size
    return (torch.arange(n) * 7919 % 1000).float().reshape(shape) / 250 - 2


def best(run):
    run()
    found, end = float("inf"), time.perf_counter() + 0.15
    while time.perf_counter() < end:
        start = time.perf_counter()
        run()
        found = min(found, time.perf_counter() - start)
    return found * 1e6


def chain(x, y):
    node = x * y
    for _ in range(3):
        node = (node + x) * 2
    return torch.relu(node)


small, x, y, row, narrow = ramp(8), ramp(1000, 1000), ramp(1000, 1000), ramp(1000), ramp(300_000, 3)
places, many, a, wide = torch.arange(1000), ramp(10_000, 4, 4), x[:256, :256], x.double()
WORK = {
    "add 8": lambda: small + small,
    "add 1e6": lambda: x + y,
    "add row": lambda: x + row,
    "add transposed": lambda: x + x.T,
    "copy transposed": lambda: x.T.contiguous(),
    "exp": lambda: torch.exp(x),
    "log": lambda: torch.log(x),
    "tanh": lambda: torch.tanh(x),
    "erf": lambda: torch.erf(x),
    "sigmoid": lambda: torch.sigmoid(x),
    "gelu": lambda: torch.nn.functional.gelu(x),
    "sin": lambda: torch.sin(x),
    "chain of 8": lambda: chain(x, y),
    "sum over [0]": lambda: x.sum(0),
    "sum over [1]": lambda: x.sum(1),
    "sum over [0, 1]": lambda: x.sum(),
    "sum narrow": lambda: narrow.sum(1),
    "max over [1]": lambda: x.amax(1),
    "argmax over [1]": lambda: x.argmax(1),
    "var over [1]": lambda: x.var(1),
    "softmax": lambda: torch.softmax(x, 1),
    "cumsum": lambda: x.cumsum(1),
    "take rows": lambda: x[places],
    "take columns": lambda: x[:, places],
    "matmul 256": lambda: a @ a,
    "matmul 1000": lambda: x @ y,
    "matvec 1000": lambda: x @ row,
    "matmul 10000x4x4": lambda: many @ many,
    "exp f64": lambda: torch.exp(wide),
}

for line in sys.stdin:
    name, _, ours = line.rstrip().partition("\t")
    if name in WORK:
        theirs = best(WORK[name])
        print(f"{name:20} {float(ours):12.2f} {theirs:12.2f} {float(ours) / theirs:8.2f}")
