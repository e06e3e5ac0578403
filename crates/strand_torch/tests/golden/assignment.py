# Written by Strand 0.1.0 for PyTorch 2.2 or newer.

import torch

D = 3


def shifted(x, row):
    """fn shifted(x: [n D], row: [D]) -> [n D]"""
    x = x.clone()
    x[0] = row
    x[-1, 0] = 5.0
    x[:, 1:3] = x[:, 0:2].clone()
    x[x < 0.0] = 0.0
    x[:, :] = torch.flip(x, dims=[-1])
    return x


def apart(x):
    """fn apart(x: [n]) -> ([n], [n])"""
    y = x + 1.0
    before = y.clone()
    y[0] = 100.0
    return before, y


def put(row, v, i):
    """fn put(row: [D], v: [], i: [] i64 Index[D]) -> [D]"""
    row = torch.select_scatter(row, v, dim=0, index=0)
    row = torch.slice_scatter(row, row[0:2] * 2.0, dim=0, start=1, end=3)
    row = torch.select_scatter(row, row[-1] + 1.0, dim=0, index=-1)
    row = row.index_put((i,), torch.tensor(7.0))
    row = torch.where(row > 10.0, torch.tensor(0.0), row)
    return row


def put_all(x, w, i):
    """fn put_all(x: [n D], w: [n], i: [n] i64 Index[D]) -> [n D]"""
    return torch.vmap(put)(x, w, i)


def corner(m):
    """fn corner(m: [n D]) -> [n D]"""
    m = torch.select_scatter(
        m, torch.select_scatter(m[0], torch.tensor(5.0), dim=0, index=1), dim=0, index=0
    )
    m = torch.select_scatter(m, m[:, 0], dim=1, index=2)
    m = torch.slice_scatter(
        m, torch.tensor(1.5).expand_as(m[:, 0:2]), dim=1, start=0, end=2
    )
    return m


def corners(x):
    """fn corners(x: [m n D]) -> [m n D]"""
    return torch.vmap(corner)(x)
