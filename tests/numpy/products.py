"""Row 29: matmul, vecdot, matvec, vecmat on all dtypes and layouts, with every keyword."""

import numpy as np
from common import BFLOAT16, NUMERIC, dtype_name, encode, main, outcome, plain

NAMES = ["matmul", "matmul", "vecdot", "matvec", "vecmat"]
CORES = {
    "matmul": ("nk", "km", "nm"),
    "vecdot": ("n", "n", ""),
    "matvec": ("mn", "n", "m"),
    "vecmat": ("n", "nm", "m"),
}


def generate(maker, count):
    for _ in range(count):
        yield case(maker)


def case(maker):
    pick, chance = maker.random.choice, maker.random.random
    name = pick(NAMES)
    dtypes = NUMERIC if BFLOAT16 is None else [*NUMERIC, BFLOAT16]
    left = pick(dtypes)
    right = left if chance() < 0.7 else pick(dtypes)
    cores = list(CORES[name])
    if name == "matmul":
        cores[0] = cores[0] if chance() < 0.85 else "k"
        cores[1] = cores[1] if chance() < 0.85 else "k"
        cores[2] = "".join(d for d in "nm" if d in cores[0] + cores[1])
    most = 200 if chance() < 0.005 else 5
    sizes = {dim: pick([0, 1, 2, 3, 4, most]) for dim in "nkm"}
    outer = [pick([0, 1, 2, 3]) for _ in range(maker.random.choice([0, 0, 1, 1, 2]))]
    shapes = [drop_some(maker, outer) + [sizes[d] for d in core] for core in cores[:2]]
    keywords = axes_of(maker, name, shapes, cores)
    shapes = keywords.pop("shapes")
    if chance() < 0.08 and shapes[0]:
        shapes[0][maker.random.randrange(len(shapes[0]))] += 1
    a, b = (maker.array(shape, swap(maker, d)) for shape, d in zip(shapes, (left, right)))
    if chance() < 0.1:
        keywords["dtype"] = pick(NUMERIC)
    if "c" in (a.dtype.kind, b.dtype.kind, keywords.get("dtype", a.dtype).kind):
        tame(a)
        tame(b)
    if keywords.get("dtype", a.dtype).kind in "iub":
        # What doesn't fit a whole type has no value that NumPy promises.
        for array in (a, b):
            tame(array)
            if array.dtype.kind in "fc" or array.dtype == BFLOAT16:
                array[...] = np.abs(array)
    if chance() < 0.1:
        keywords["casting"] = pick(["no", "equiv", "safe", "same_kind", "unsafe"])
    return record(maker, name, a, b, keywords)


def record(maker, name, a, b, keywords):
    function = getattr(np, name)
    written = {key: value for key, value in keywords.items() if key != "dtype"}
    if "axes" in keywords:
        keywords = {**keywords, "axes": [tuple(entry) for entry in keywords["axes"]]}
    if "dtype" in keywords:
        written["dtype"] = dtype_name(keywords["dtype"])
    found = {"f": name, "a": encode(a), "b": encode(b), "k": written}
    with np.errstate(all="ignore"):
        result = outcome(lambda: np.asarray(function(a, b, **keywords)))
        if "v" in result and maker.random.random() < 0.3 and not (name == "vecmat" and "axes" in keywords):
            value = result["v"]
            shape = value.shape
            if maker.random.random() < 0.1:
                shape = (2, *shape)
            dtype = value.dtype if maker.random.random() < 0.7 else maker.random.choice(NUMERIC)
            # NumPy's vecmat writes past a strided output.
            out = maker.array(shape, swap(maker, dtype), plain=name == "vecmat")
            found["out"] = encode(out)
            result = outcome(lambda: np.asarray(function(a, b, out=out, **keywords)))
    found["r"] = finish(function, a, b, keywords, result)
    return found


def finish(function, a, b, keywords, result):
    """The result with the sum of the products' sizes: errors are measured by it."""
    if "e" in result:
        return {"e": "TypeError" if result["e"].endswith(("TypeError", "CastingError")) else result["e"]}
    value = result["v"]
    found = {"v": plain(value)}
    if BFLOAT16 in (a.dtype, b.dtype):
        used = np.dtype("f4")
    else:
        used = np.result_type(a, b) if "dtype" not in keywords else keywords["dtype"]
    if used.kind in "fc":
        plainer = {key: v for key, v in keywords.items() if key not in ("dtype", "casting")}
        with np.errstate(all="ignore"):
            size = [np.abs(np.nan_to_num(np.asarray(x, complex), posinf=0, neginf=0)) for x in (a, b)]
            scale = np.asarray(function(*size, **plainer)).real
            scale = np.broadcast_to(scale, value.shape)
        found["scale"] = plain(scale)
        found["used"] = dtype_name(used)
    return found


def drop_some(maker, outer):
    start = maker.random.choice([0, 0, 0, 1, 2])
    return [size if maker.random.random() < 0.8 else 1 for size in outer][start:]


def axes_of(maker, name, shapes, cores):
    """Keywords for the core axes; the shapes with those axes where the keywords say."""
    chance = maker.random.random
    keywords = {}
    if name == "vecdot" and chance() < 0.3:
        keywords["keepdims"] = chance() < 0.7
    elif chance() < 0.03:
        keywords["keepdims"] = True
    if chance() < 0.7:
        return {**keywords, "shapes": shapes}
    ranks = [len(shape) for shape in shapes]
    looped = max(rank - len(core) for rank, core in zip(ranks, cores))
    kept = 1 if keywords.get("keepdims") and name == "vecdot" else len(cores[2])
    axes, moved = [], []
    for shape, core in zip([*shapes, [0] * (looped + kept)], [*cores[:2], "x" * kept]):
        places = maker.random.sample(range(len(shape)), len(core))
        axes.append([place - len(shape) if chance() < 0.4 else place for place in places])
        rest = iter(shape[: len(shape) - len(core)])
        sized = dict(zip(places, shape[len(shape) - len(core) :]))
        moved.append([sized[i] if i in sized else next(rest) for i in range(len(shape))])
    if name == "vecdot" and chance() < 0.5:
        axis = maker.random.randint(-2, 2)
        return {**keywords, "axis": axis, "shapes": shapes}
    if chance() < 0.1:
        axes[maker.random.randrange(3)] = [maker.random.randint(-4, 4) for _ in range(2)]
    if name == "vecdot" and chance() < 0.3:
        axes = axes[:2]
    return {**keywords, "axes": axes, "shapes": moved[:2]}


def swap(maker, dtype):
    if dtype == BFLOAT16 or maker.random.random() < 0.8:
        return dtype
    return dtype.newbyteorder("S")


def tame(array):
    """Complex products of infinities depend on the order of a library's instructions."""
    with np.errstate(all="ignore"):
        bad = ~np.isfinite(array)
    if array.dtype.kind in "fc" or array.dtype == BFLOAT16:
        array[bad] = 1


if __name__ == "__main__":
    main(generate, 4000)
