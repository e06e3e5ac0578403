# Written by Strand 0.1.0 for PyTorch 2.2 or newer.

import math

import torch


def numbers(k, f, b):
    """fn numbers(k: int, f: float, b: bool) -> float"""
    return (
        math.sqrt(f)
        + k / 2
        - max(f, 0.0)
        + (
            1.0
            if b and not k > 2
            else torch.sigmoid(torch.tensor(f, dtype=torch.float64)).item()
        )
        + float(math.floor(f))
        + f**2
    )


def loops(x, k=2):
    """fn loops(x: [n], k: int = 2) -> []"""
    total = torch.tensor(0.0)
    for i in range(0, x.shape[0], 2):
        total = total + x[i] * (i + k)
    for j in range(1, k):
        total = total - j
    while total > 100.0:
        total = total * 0.5
    return total


def halved(x):
    """fn halved(x: [n]) -> [n]"""
    y = x
    while True:
        v = y * 2.0
        if not torch.sum(v[v > 1.0]) > 10.0:
            break
        y = y * 0.5
    return y


def said(x):
    """fn said(x: [n]) -> []"""
    print('it\'s "so"', f"{torch.sum(x).tolist()} of {{n}} is 'x'", "plain", x.shape[0])
    return torch.sum(x)


def main():
    print(said(torch.tensor([1.0, 2.0])))
    print(numbers(3, 0.5, True))
    print(loops(torch.tensor([1.0, 2.0, 3.0])))


if __name__ == "__main__":
    main()
