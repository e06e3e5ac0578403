"""Row 31: cumsum, cumprod, nancumsum, nancumprod, cumulative_sum, cumulative_prod."""

import numpy as np
from common import BFLOAT16, NUMERIC, dtype_name, encode, main, outcome, plain

NAMES = ["cumsum", "cumprod", "nancumsum", "nancumprod", "cumulative_sum", "cumulative_prod"]


def generate(maker, count):
    for _ in range(count):
        yield case(maker)


def case(maker):
    pick, chance = maker.random.choice, maker.random.random
    name = pick(NAMES)
    dtypes = NUMERIC if BFLOAT16 is None or name.startswith("nan") else [*NUMERIC, BFLOAT16]
    dtype = pick(dtypes)
    if dtype != BFLOAT16 and chance() < 0.2:
        dtype = dtype.newbyteorder("S")
    array = maker.array(maker.shape(4), dtype)
    if array.dtype.kind == "c" and name.endswith("prod"):
        array[~np.isfinite(array)] = 1
    keywords = {}
    if chance() < 0.7 or name.startswith("cumulative"):
        keywords["axis"] = maker.random.randint(-array.ndim, max(array.ndim - 1, 0))
        if chance() < 0.05:
            keywords["axis"] = pick([-array.ndim - 1, array.ndim])
    if chance() < 0.3:
        keywords["dtype"] = pick(NUMERIC)
    if name.startswith("cumulative") and chance() < 0.5:
        keywords["include_initial"] = True
    target = pick(NUMERIC)
    if whole(target) or whole(keywords.get("dtype", array.dtype)):
        with np.errstate(all="ignore"):
            plainer(array)
    written = dict(keywords)
    if "dtype" in keywords:
        written["dtype"] = dtype_name(keywords["dtype"])
    function = getattr(np, name)
    with np.errstate(all="ignore"):
        result = outcome(lambda: np.asarray(function(array, **keywords)))
        found = {"f": name, "a": encode(array), "k": written}
        if "v" in result and chance() < 0.3 and "include_initial" not in keywords:
            shape = result["v"].shape
            if chance() < 0.15 and shape[-1] > 1:
                shape = (*shape[:-1], shape[-1] + 1)
            out = maker.array(shape, result["v"].dtype if chance() < 0.5 or not fits(result["v"], target) else target)
            found["out"] = encode(out)
            result = outcome(lambda: np.asarray(function(array, out=out, **keywords)))
    if "e" in result:
        found["r"] = {"e": "TypeError" if result["e"].endswith("TypeError") else result["e"]}
    else:
        found["r"] = {"v": plain(result["v"])}
    return found


def whole(dtype):
    return dtype.kind in "iub"


def fits(found, target):
    """Whether a whole type that floats are cast to holds them all: else they have no value that NumPy promises."""
    if not whole(target) or whole(found.dtype) or target.kind == "b":
        return True
    limits, values = np.iinfo(target), found.real.astype(float)
    return bool((np.isfinite(found) & (values > limits.min - 1) & (values < limits.max)).all())


def plainer(array):
    """What doesn't fit a whole type has no value that NumPy promises."""
    if array.dtype.kind in "iub":
        return
    array[~np.isfinite(array)] = 1
    array[...] = np.minimum(np.abs(array), 1) if array.size < 100 else 0


if __name__ == "__main__":
    main(generate, 4000)
