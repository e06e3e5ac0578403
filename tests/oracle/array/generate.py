"""Records what PyTorch and NumPy answer, for crates/strand_array/tests.

Usage: python generate.py [seed]. Needs torch and numpy; writes the tables beside this file.
Elements are written as integers: f32 and f64 as their bits, bool as 0 and 1.
"""

import io
import json
import pathlib
import random
import sys

import numpy as np
import torch

HERE = pathlib.Path(__file__).parent
SEED = int(sys.argv[1]) if len(sys.argv) > 1 else 20260
DTYPES = {"bool": np.bool_, "i64": np.int64, "f32": np.float32, "f64": np.float64}
NAMES = {np.dtype(v): k for k, v in DTYPES.items()}

rng = random.Random(SEED)
inf, nan = float("inf"), float("nan")

FLOATS = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 0.1, -0.3, 0.7, 0.95, 1e-3, -1e-5, 1e-8,
    2.0, 4.0, 7.25, -9.5, 10.0, 16.0, 20.5, -21.0, 50.0, 88.0, -88.5, 90.0, -104.5, 1000.0, 12345.678,
    -98765.4, 1e10, 3e-39, -2e-42, 3.3e38, -1e-30, inf, -inf, nan,
]  # fmt: skip
PAIRS = [0.0, -0.0, -1.5, 2.0, 0.5, -3.0, 7.3, -1e20, inf, nan]
INTS = [0, 1, -1, 2, -3, 7, 10, 63, -(2**63), 2**63 - 1]

UNARY = {
    "abs": torch.abs, "neg": torch.neg, "sign": torch.sign, "exp": torch.exp, "expm1": torch.expm1,
    "log": torch.log, "log1p": torch.log1p, "log2": torch.log2, "log10": torch.log10,
    "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "square": torch.square,
    "reciprocal": torch.reciprocal, "sin": torch.sin, "cos": torch.cos, "tan": torch.tan,
    "asin": torch.asin, "acos": torch.acos, "atan": torch.atan, "sinh": torch.sinh,
    "cosh": torch.cosh, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu,
    "gelu": torch.nn.functional.gelu, "silu": torch.nn.functional.silu,
    "softplus": torch.nn.functional.softplus, "erf": torch.erf, "floor": torch.floor,
    "ceil": torch.ceil, "round": torch.round, "trunc": torch.trunc, "isnan": torch.isnan,
    "isinf": torch.isinf, "isfinite": torch.isfinite, "logical_not": torch.logical_not,
    "bitwise_not": torch.bitwise_not,
}  # fmt: skip
BINARY = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.true_divide,
    "floor_divide": torch.floor_divide, "remainder": torch.remainder, "fmod": torch.fmod,
    "pow": torch.pow, "maximum": torch.maximum, "minimum": torch.minimum, "atan2": torch.atan2,
    "hypot": torch.hypot, "eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le,
    "gt": torch.gt, "ge": torch.ge, "logical_and": torch.logical_and,
    "logical_or": torch.logical_or, "logical_xor": torch.logical_xor,
    "bitwise_and": torch.bitwise_and, "bitwise_or": torch.bitwise_or,
    "bitwise_xor": torch.bitwise_xor,
}  # fmt: skip


def encode(array):
    """An array as plain data."""
    if isinstance(array, torch.Tensor):
        array = array.resolve_neg().numpy()
    array = np.asarray(array)
    flat = np.ascontiguousarray(array).reshape(-1)
    bits = {"f32": np.uint32, "f64": np.int64, "i64": np.int64, "bool": np.uint8}
    name = NAMES[array.dtype]
    return {"d": name, "s": list(array.shape), "v": flat.view(bits[name]).tolist()}


def answer(function):
    """What the function gives, or the name of the error that it raises."""
    try:
        return encode(function())
    except (RuntimeError, IndexError, ValueError, TypeError, ZeroDivisionError) as error:
        return {"error": type(error).__name__}


def draw(shape, dtype, special=0.0):
    """A random array; a part of its floats may be special values."""
    size = int(np.prod(shape))
    if dtype == "bool":
        values = [rng.random() < 0.5 for _ in range(size)]
    elif dtype == "i64":
        values = [rng.randint(-9, 9) for _ in range(size)]
    else:
        odd = [inf, -inf, nan, 0.0]
        values = [
            rng.choice(odd) if rng.random() < special else round(rng.gauss(0, 2), 3)
            for _ in range(size)
        ]
    return np.array(values, dtype=DTYPES[dtype]).reshape(shape)


def draw_shape(rank, sizes=(1, 2, 3, 4)):
    return [rng.choice(sizes) for _ in range(rank)]


def draw_view(array):
    """A few random views after each other: their description and the array they give."""
    steps = []
    for _ in range(rng.randint(0, 3)):
        rank = array.ndim
        kind = rng.choice(["permute", "slice", "insert", "select", "flip", "broadcast"])
        if kind == "permute" and rank > 1:
            order = rng.sample(range(rank), rank)
            array, step = array.transpose(order), ["permute", order]
        elif kind == "slice" and rank:
            axis = rng.randrange(rank)
            bounds = [rng.choice([None, *range(-6, 7)]) for _ in range(2)]
            by = rng.choice([1, 1, 2, 3, -1, -2])
            array = array[(slice(None),) * axis + (slice(*bounds, by),)]
            step = ["slice", axis, *bounds, by]
        elif kind == "insert" and rank < 5:
            axis = rng.randint(0, rank)
            array, step = np.expand_dims(array, axis), ["insert", axis]
        elif kind == "select" and rank > 1:
            axis = rng.randrange(rank)
            if not array.shape[axis]:
                continue
            i = rng.randrange(-array.shape[axis], array.shape[axis])
            array, step = array[(slice(None),) * axis + (i,)], ["select", axis, i]
        elif kind == "flip" and rank:
            axis = rng.randrange(rank)
            array, step = np.flip(array, axis), ["flip", axis]
        elif kind == "broadcast" and rank < 5:
            shape = [rng.choice([2, 3]) if s == 1 else s for s in array.shape]
            if rng.random() < 0.4:
                shape = [2, *shape]
            array, step = np.broadcast_to(array, shape), ["broadcast", shape]
        else:
            continue
        steps.append(step)
    return steps, array


def tensor(array):
    """A tensor of the same elements; torch knows no negative strides."""
    return torch.from_numpy(np.array(array))


def views():
    cases = []
    for _ in range(160):
        base = np.arange(int(np.prod(shape := draw_shape(rng.randint(0, 4))))).reshape(shape)
        steps, view = draw_view(base)
        case = {"shape": shape, "steps": steps, "strides": list(view.strides), "out": encode(view)}
        if view.size and rng.random() < 0.6:
            wanted = rng.choice([[-1], [1, -1], [-1, 1], [view.shape[-1] if view.ndim else 1, -1]])
            copy = view.reshape(wanted)
            shares = np.shares_memory(copy, base)
            case["reshape"] = {"shape": list(copy.shape), "view": bool(shares), "out": encode(copy)}
        cases.append(case)
    return cases


def elementwise():
    cases = []
    inputs = {
        "f32": np.array(FLOATS, np.float32),
        "f64": np.array(FLOATS[::3], np.float64),
        "i64": np.array(INTS, np.int64),
        "bool": np.array([False, True]),
    }
    for name, function in UNARY.items():
        for dtype, values in inputs.items():
            cases.append({"op": name, "in": dtype, "out": answer(lambda: function(torch.from_numpy(values)))})
    pairs = {
        "f32": np.array(PAIRS, np.float32),
        "f64": np.array(PAIRS[2:7], np.float64),
        "i64": np.array(INTS, np.int64),
        "bool": np.array([False, True]),
    }
    grids = []
    for name, function in BINARY.items():
        for dtype, values in pairs.items():
            left, right = torch.from_numpy(values)[:, None], torch.from_numpy(values)
            if dtype == "i64" and name in ("floor_divide", "remainder", "fmod"):
                right = right[right != 0]
                # The least integer over -1 traps in C.
                right = right[right != -1]
            if dtype == "i64" and name == "pow":
                right = right[right >= 0]
            out = answer(lambda: function(left, right))
            grids.append({"op": name, "in": dtype, "right": encode(right), "out": out})
    return {
        "unary_inputs": {k: encode(v) for k, v in inputs.items()},
        "unary": cases,
        "binary_inputs": {k: encode(v) for k, v in pairs.items()},
        "binary": grids,
    }


REDUCE = {
    "sum": torch.sum, "prod": None, "amax": torch.amax, "amin": torch.amin, "any": None,
    "all": None, "count_nonzero": torch.count_nonzero, "mean": torch.mean, "var": torch.var,
    "std": torch.std, "norm": torch.linalg.vector_norm, "logsumexp": torch.logsumexp,
    "argmax": torch.argmax, "argmin": torch.argmin,
}  # fmt: skip


def reduce_with(name, x, axes, keepdims):
    if name == "prod":
        for axis in sorted(axes, reverse=True):
            x = torch.prod(x, axis, keepdim=keepdims)
        return x
    if name in ("any", "all"):
        return getattr(torch, name)(x, dim=axes, keepdim=keepdims)
    if name == "count_nonzero":
        return torch.count_nonzero(x, dim=axes)
    if name in ("argmax", "argmin"):
        return REDUCE[name](x, dim=axes[0], keepdim=keepdims)
    return REDUCE[name](x, dim=axes, keepdim=keepdims)


def reductions():
    cases = []
    for i in range(336):
        name = list(REDUCE)[i % len(REDUCE)]
        dtype = rng.choice(["f32", "f32", "f64", "i64", "bool"])
        shape = draw_shape(rng.randint(1, 4), (0, 1, 2, 3, 4) if rng.random() < 0.15 else (1, 2, 3, 5))
        base = draw(shape, dtype, 0.05 if rng.random() < 0.3 else 0.0)
        steps, view = draw_view(base)
        if not view.ndim or view.size > 60 or base.size > 40:
            continue
        axes = sorted(rng.sample(range(view.ndim), rng.randint(1, view.ndim)))
        if name in ("argmax", "argmin"):
            axes = axes[:1]
        keepdims = rng.random() < 0.5 and name != "count_nonzero"
        out = answer(lambda: reduce_with(name, tensor(view), axes, keepdims))
        cases.append({"op": name, "in": encode(base), "steps": steps, "axes": axes, "keepdims": keepdims, "out": out})
    return cases


AXIS = {
    "cumsum": lambda x, a: torch.cumsum(x, a),
    "cumprod": lambda x, a: torch.cumprod(x, a),
    "cummax": lambda x, a: torch.cummax(x, a).values,
    "cummin": lambda x, a: torch.cummin(x, a).values,
    "logcumsumexp": lambda x, a: torch.logcumsumexp(x, a),
    "softmax": lambda x, a: torch.softmax(x, a),
    "log_softmax": lambda x, a: torch.log_softmax(x, a),
    "normalize": lambda x, a: torch.nn.functional.normalize(x, dim=a),
    "sort": lambda x, a: torch.sort(x, dim=a, stable=True).values,
    "sort_descending": lambda x, a: torch.sort(x, dim=a, descending=True, stable=True).values,
    "argsort": lambda x, a: torch.argsort(x, dim=a, stable=True),
    "argsort_descending": lambda x, a: torch.argsort(x, dim=a, descending=True, stable=True),
    "topk": lambda x, a: torch.topk(x, x.shape[a] // 2, a).values,
    "roll": lambda x, a: torch.roll(x, 2, a),
    "tril": lambda x, a: torch.tril(x, a - 1),
    "triu": lambda x, a: torch.triu(x, a - 1),
    "flip": lambda x, a: torch.flip(x, (a,)),
    "concat": lambda x, a: torch.cat([x, x, x], a),
    "stack": lambda x, a: torch.stack([x, x], a),
}


def axis_operations():
    cases = []
    for i in range(len(AXIS) * 8):
        name = list(AXIS)[i % len(AXIS)]
        floats = name in ("softmax", "log_softmax", "normalize", "logcumsumexp")
        dtype = rng.choice(["f32", "f64"] if floats else ["f32", "f64", "i64"])
        base = draw(draw_shape(rng.randint(2, 3), (1, 2, 3, 5)), dtype, 0.1 if rng.random() < 0.3 else 0.0)
        steps, view = draw_view(base)
        if view.ndim < 2 or view.size > 36 or base.size > 30:
            continue
        axis = rng.randrange(view.ndim)
        out = answer(lambda: AXIS[name](tensor(view), axis))
        cases.append({"op": name, "in": encode(base), "steps": steps, "axis": axis, "out": out})
    return cases


def products():
    cases = []
    for _ in range(70):
        dtype = rng.choice(["f32", "f32", "f64", "i64"])
        k = rng.choice([0, 1, 2, 4])
        lead = draw_shape(rng.randint(0, 2), (1, 2, 3))
        other = [s if rng.random() < 0.6 else 1 for s in lead][rng.randint(0, len(lead)) :]
        a = [*lead, rng.choice([1, 2, 5]), k] if rng.random() < 0.85 else [k]
        wrong = k + 1 if rng.random() < 0.05 else k
        b = [*other, wrong, rng.choice([1, 3, 9])] if rng.random() < 0.85 else [wrong]
        x, y = draw(a, dtype), draw(b, dtype)
        out = answer(lambda: tensor(x) @ tensor(y))
        cases.append({"a": encode(x), "b": encode(y), "out": out})
    return cases


def draw_item(size, masks):
    """An index item for an axis, as plain data and as NumPy takes it."""
    kind = rng.choice(["int", "slice", "slice", "array", "array", "mask" if masks else "slice"])
    bad = 1 if rng.random() < 0.1 else 0
    if kind == "slice":
        bounds = [rng.choice([None, *range(-4, 5)]) for _ in range(2)]
        step = rng.choice([1, 1, 2, -1, -2])
        return ["slice", *bounds, step], slice(*bounds, step), 1
    if kind == "mask":
        mask = np.array([rng.random() < 0.6 for _ in range(size + bad)], dtype=bool)
        return ["mask", encode(mask)], mask, 1
    if not size:
        return ["slice", None, None, 1], slice(None), 1
    if kind == "int":
        i = rng.randrange(-size, size + bad)
        return ["int", i], i, 1
    shape = rng.choice([[], [1], [2], [2], [3, 1], [0]])
    array = np.array([rng.randrange(-size, size + bad) for _ in range(int(np.prod(shape)))], np.int64)
    array = array.reshape(shape)
    return ["array", encode(array)], array, 1


def indexing():
    cases = []
    for _ in range(330):
        shape = draw_shape(rng.randint(1, 4), (1, 2, 3))
        base = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
        items, index, axis, dots, wrong = [], [], 0, False, False
        while axis < len(shape) and rng.random() < 0.8:
            roll = rng.random()
            if roll < 0.1:
                items.append(["newaxis"])
                index.append(None)
                continue
            if roll < 0.18 and not dots:
                dots = True
                items.append(["ellipsis"])
                index.append(Ellipsis)
                axis += rng.randint(0, len(shape) - axis)
                continue
            if roll < 0.23 and axis + 1 < len(shape) and not dots:
                mask = np.array(draw(shape[axis : axis + 2], "bool"))
                items.append(["mask", encode(mask)])
                index.append(mask)
                axis += 2
                continue
            item, value, used = draw_item(shape[axis], not dots)
            if isinstance(value, np.ndarray) and value.dtype == np.int64 and value.size:
                wrong |= bool(value.max() >= shape[axis])
            items.append(item)
            index.append(value)
            axis += used
        if rng.random() < 0.03:
            items.append(["mask", encode(np.array(True))])
            index.append(np.True_)
        case = {"shape": shape, "items": items, "out": answer(lambda: base[tuple(index)])}
        # NumPy doesn't look at positions that broadcast to none; the engine checks them.
        if "error" not in case["out"] and wrong:
            continue
        if "error" not in case["out"]:
            found = base[tuple(index)]
            width = found.shape[-1] if found.ndim else 1
            value = -1 - np.arange(width) if found.ndim and rng.random() < 0.5 else np.array(-7)
            changed = base.copy()
            changed[tuple(index)] = value
            if changed.size <= 24:
                case["value"], case["set"] = encode(value), encode(changed)
        cases.append(case)
    return cases


def draws():
    cases = []
    for seed in (0, 1, 12345, 2**32 + 5):
        for op, size in (("uniform", 5), ("normal", 7), ("normal", 16), ("normal", 437), ("randint", 9)):
            torch.manual_seed(seed)
            if op == "uniform":
                out = torch.rand(size)
            elif op == "normal":
                out = torch.normal(0.3, 1.7, (size,))
            else:
                out = torch.randint(-3, 10, (size,))
            after = torch.rand(2)
            cases.append({"op": op, "seed": seed, "size": size, "out": encode(out), "after": encode(after)})
    torch.manual_seed(7)
    wide = torch.randint(-(2**62), 2**62, (4,))
    cases.append({"op": "wide", "seed": 7, "size": 4, "out": encode(wide), "after": encode(torch.rand(2))})
    return cases


def blocks():
    """Many normal numbers: the sums of the bits of each 4,096, as rounding differs once in thousands."""
    cases = []
    for seed in (252, 257, 260, 268, 2**31 + 7):
        torch.manual_seed(seed)
        bits = torch.randn(65536).numpy().view(np.uint32).reshape(-1, 4096)
        cases.append({"seed": seed, "sums": bits.sum(axis=1, dtype=np.uint64).tolist()})
    return cases


def files():
    """Files that NumPy writes, as hexadecimal text, with what they hold."""
    cases = []
    kinds = ["?", "i1", "<i2", ">i4", "<i8", "u1", ">u2", "u4", "u8", "f2", ">f2", "<f4", ">f8"]
    for kind in kinds:
        for shape in ([], [3], [2, 3]):
            array = (np.arange(int(np.prod(shape))).reshape(shape) - 1.5).astype(kind)
            array = array if rng.random() < 0.7 else np.asfortranarray(array)
            file = io.BytesIO()
            version = rng.choice([(1, 0), (2, 0), (3, 0)])
            np.lib.format.write_array(file, array, version=version)
            held = {"f": np.float32, "i": np.int64, "u": np.int64, "b": np.bool_}[array.dtype.kind]
            held = np.float64 if array.dtype.itemsize == 8 and held == np.float32 else held
            fits = array.dtype.kind != "u" or (array.astype(np.uint64) < 2**63).all()
            out = encode(array.astype(held)) if fits else {"error": "OverflowError"}
            cases.append({"file": file.getvalue().hex(), "out": out})
    for array in (np.array([None, "a"]), np.array([1j]), np.array(["text"]), np.zeros(2, "f4,i4")):
        file = io.BytesIO()
        np.save(file, array, allow_pickle=True)
        cases.append({"file": file.getvalue().hex(), "out": {"error": "ValueError"}})
    return cases


def main():
    torch.set_num_threads(1)
    tables = {
        "views": views, "elementwise": elementwise, "reductions": reductions, "axis": axis_operations,
        "products": products, "indexing": indexing, "draws": draws, "blocks": blocks,
        "files": files,
    }  # fmt: skip
    versions = {"torch": torch.__version__, "numpy": np.__version__, "seed": SEED}
    for name, make in tables.items():
        text = json.dumps({"made_with": versions, "cases": make()}, separators=(",", ":"))
        (HERE / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
