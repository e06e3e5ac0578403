# Written by Strand 0.1.0 for PyTorch 2.2 or newer.

import torch

D = 8
C = 4


def scale_rows(x, w):
    """fn scale_rows(x: [n D], w: [n]) -> [n D]"""
    return x * w[:, None]


def per_row(x, w):
    """fn per_row(x: [n D], w: [D C]) -> [n C]"""
    return torch.vmap(lambda row: torch.softmax(row @ w, dim=-1))(x)


def gram(x):
    """fn gram(x: [n D]) -> [n n]"""
    return torch.vmap(lambda a: torch.vmap(lambda b: torch.sum(a * b))(x))(x)


def table():
    """fn table() -> [3 D]"""
    return torch.arange(D).float().expand(3, D)


def positive(x):
    """fn positive(x: [n D]) -> []"""
    t = torch.vmap(lambda row: torch.sum(row))(x)
    return torch.sum(t[t > 0.0])
