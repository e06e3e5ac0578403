# Written by Strand 0.1.0 for PyTorch 2.2 or newer.

from math import sqrt

import torch
# Names that Python or the text itself needs get an underscore.
from torch.special import erf, gammaln


def torch_(x, lambda_, is_):
    """fn torch(x: [n], lambda: float, is: [n]) -> [n]"""
    return x * lambda_ + is_


def larger(max_, min_):
    """fn larger(max: [n], min: [n]) -> [n]"""
    return torch.maximum(max_, min_)


def main_(x):
    """fn main(x: [n]) -> [n]"""
    return torch_(x, sqrt(2.0), x)


def special(x):
    """fn special(x: [n]) -> [n]"""
    return gammaln(torch.abs(erf(x)) + 1.0)


def scale(x, k=2.0):
    """fn scale(x: [n], k: float = 2.0) -> [n]"""
    return x * k


def main():
    scale_ = scale(torch.tensor([1.0, 2.0]))
    print(scale_)


if __name__ == "__main__":
    main()
