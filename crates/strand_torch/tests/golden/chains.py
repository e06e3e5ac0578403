# Written by Strand 0.1.0 for PyTorch 2.2 or newer.

import torch
from torch.nn.functional import gelu, normalize

D = 3
E = 2


class _Check(torch.autograd.Function):
    """Gives x back, and raises unless ok holds everywhere, under torch.vmap too."""

    @staticmethod
    def forward(x, ok, message):
        if not ok.all():
            raise ValueError(message)
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None, None

    @staticmethod
    def vmap(info, in_dims, x, ok, message):
        return _check(x, ok, message), in_dims[0]


def _check(x, ok, message):
    return _Check.apply(x, ok, message)


def columns(x):
    """fn columns(x: [n D]) -> [D n]"""
    return x.T * 2.0


def column_sums(x):
    """fn column_sums(x: [n D]) -> [D]"""
    return torch.vmap(lambda c: torch.sum(c), in_dims=1)(x)


def zipped(x, w):
    """fn zipped(x: [n D], w: [n]) -> [n D]"""
    return x * w[:, None] + 1.0


def numbered(x):
    """fn numbered(x: [n D]) -> [n D]"""
    return x * torch.arange(x.shape[0]).float()[:, None]


def across(x, y):
    """fn across(x: [n D], y: [D n]) -> [n]"""
    return torch.vmap(lambda a, b: a @ b, in_dims=(0, 1))(x, y)


def before(x):
    """fn before(x: [n]) -> [n]"""
    return torch.vmap(lambda i: x[i] - x[i - 1])(torch.arange(x.shape[0]))


def cast(x):
    """fn cast(x: [n]) -> [n]"""
    v = x.double()
    return (v * v).float()


def named(x):
    """fn named(x: [n D]) -> [n D]"""
    return torch.vmap(lambda row: normalize(row, dim=-1))(
        torch.clamp(gelu(x), -0.5, 0.5)
    )


def both(a, b):
    """fn both(a: [n], b: [n]) -> [n] bool"""
    return (a > 0.0) & ~(b < 1.0) | (a == 2.0)


def pairs(x):
    """fn pairs(x: [n]) -> []"""
    mask = x > 0.0
    return torch.sum(torch.arange(x.shape[0])[mask].float() * x[mask])


def heavy(x):
    """fn heavy(x: [n D]) -> [_ D]"""
    return x[torch.vmap(lambda row: torch.sum(row) > 0.0)(x)]


def means(x):
    """fn means(x: [n D]) -> [n]"""
    return torch.vmap(
        lambda row: torch.sum(torch.where(mask := row > 0.0, row, 0.0))
        / torch.sum(mask)
    )(x)


def tops(x):
    """fn tops(x: [n D]) -> [n]"""
    return torch.vmap(
        lambda row: _check(
            torch.amax(torch.where(mask := row > -1000.0, row, -torch.inf)),
            torch.any(mask),
            "line 32: max of no elements",
        )
    )(x)


def totals(x):
    """fn totals(x: [n D E]) -> [n E]"""
    return torch.vmap(
        lambda m: torch.sum(
            torch.where(torch.vmap(lambda r: torch.amax(r) > 0.0)(m)[:, None], m, 0.0),
            dim=0,
        )
    )(x)


def constant(x):
    """fn constant(x: [n]) -> [n D]"""
    return torch.tensor([1.0, 2.0, 3.0]).expand(x.shape[0], 3)


def logistic(some_values, their_weights, their_offsets):
    """fn logistic(some_values: [n], their_weights: [n], their_offsets: [n]) -> [n]"""
    return torch.exp(some_values * their_weights + their_offsets) / (
        1.0 + torch.exp(some_values * their_weights + their_offsets)
    )
