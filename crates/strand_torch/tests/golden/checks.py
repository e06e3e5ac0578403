# Written by Strand 0.1.0 for PyTorch 2.2 or newer.

import torch

D = 3


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


def prob(x):
    """fn prob(x: []) -> [] Prob"""
    p = _check(x, ~((x < 0) | (x > 1)), "line 4: a value isn't Prob")
    holds = p < 2.0
    _check(holds, holds, 'line 5: a "small" p')
    return p


def probs(x):
    """fn probs(x: [n]) -> [n]"""
    return torch.vmap(prob)(x * x / (1.0 + x * x))


def positive(x):
    """fn positive(x: [n]) -> [n] Positive"""
    value = x * x + 1.0
    if (value <= 0).any():
        raise ValueError("line 10: a value isn't Positive")
    return value


def finite(x):
    """fn finite(x: [n D]) -> [n D]"""
    if not torch.isfinite(x).all():
        raise ValueError("line 13: a value isn't Finite")
    y = x
    return y


def picked(x, at):
    """fn picked(x: [n], at: [k] i64) -> [k]"""
    index = at * 0
    if ((index < 0) | (index >= x.shape[0])).any():
        raise ValueError("line 16: a value isn't Index[n]")
    return x[index]


def inside(x):
    """fn inside(x: [n D]) -> [n]"""
    return torch.vmap(
        lambda row: torch.sum(
            row
            + _check(
                value := torch.sum(row) / 9.0,
                torch.isfinite(value),
                "line 18: a value isn't Finite",
            )
        )
    )(x)


def square(x):
    """fn square(x: [n m]) -> [n n]"""
    if torch.sum(x) > 0.0:
        if x.shape[1] != x.shape[0]:
            raise ValueError("line 22: the shape isn't [n n]")
        y = x
    else:
        y = x @ x.T
    return y


def means(x):
    """fn means(x: [n D]) -> []"""
    kept = x[x > 0.5]
    k = kept.shape[0]
    return torch.sum(kept) / (k + 1)


def nth(x, k):
    """fn nth(x: [n], k: int) -> []"""
    if not -x.shape[0] <= k - 3 < x.shape[0]:
        raise IndexError("line 31: index outside the only axis")
    return x[k - 3]


def ordered(x):
    """fn ordered(x: [n]) -> []"""
    assert torch.sum(x) < 1000.0, "line 34: the assertion doesn't hold"
    return torch.sum(x)
