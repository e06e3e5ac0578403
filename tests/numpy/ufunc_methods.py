"""Row 21: reduce, accumulate, reduceat, outer and at."""

import warnings

import numpy as np
from common import main, plain
from ufuncs import CODES, Findings, described, drawn, host_number, loops, part_of, swapped, tangled, ufuncs, written

BINARY = [u for u in ufuncs() if u.nin == 2 and u.nout == 1 and u.__name__ not in ("ldexp", "float_power")]
COMMON = ["add", "multiply", "maximum", "minimum", "subtract", "logical_and", "logical_or", "bitwise_or", "fmax", "divide"]


def generate(maker, count):
    warnings.simplefilter("ignore")
    kinds = [reduce, accumulate, reduceat, at, outer]
    for number in range(count):
        # Every eighth case has all its operands off their grid and in the other byte order.
        maker.odd = number % 8 == 7
        ufunc = getattr(np, maker.random.choice(COMMON)) if maker.random.random() < 0.6 else maker.random.choice(BINARY)
        found = kinds[number % len(kinds)](maker, ufunc)
        # NumPy 2.4 loses the error of some negative powers.
        if found.get("e") != "SystemError":
            yield found


def array_of(maker, ufunc, shape):
    pick = maker.random.choice
    code = pick(loops(ufunc))[0] if maker.random.random() < 0.8 else pick(CODES)
    return drawn(maker, shape, swapped(maker, code))


def out_of(maker, array, shape, may_be_wrong=False):
    dtype = swapped(maker, maker.random.choice(CODES) if maker.random.random() < 0.5 else array.dtype)
    out = tangled(maker, array, shape, dtype) if maker.random.random() < 0.2 else None
    if out is None:
        wrong = may_be_wrong and maker.random.random() < 0.05
        out = drawn(maker, shape[1:] if wrong else shape, dtype)
    return out


def finish(ufunc, case, function, arrays, out=None):
    """Adds what NumPy gives."""
    findings = Findings()
    is_complex = any(a.dtype.kind == "c" for a in arrays if isinstance(a, np.ndarray))
    limits = not all(np.isfinite(a).all() for a in arrays if isinstance(a, np.ndarray))
    before = None if out is None else out.copy()
    limits = limits or (out is not None and not np.isfinite(out).all())
    limits = limits or (out is not None and np.may_share_memory(out, arrays[0]))
    try:
        with findings:
            result = function()
    except TypeError:
        return case | {"e": "TypeError"}
    except Exception as error:  # noqa: BLE001 (every class of NumPy's is a result)
        case["e"] = type(error).__name__
        if "power" in ufunc.__name__ and limits:
            # What the machine makes of such floats as integers may be a negative power.
            case["loose"] = 1
        return case
    result = out if result is None else result
    case |= {"v": [described(result, False)]}
    case["scalar"] = not isinstance(result, np.ndarray)
    # Integer divisions by 0 aren't reported where elements are cast first.
    unseen = case["m"] in ("accumulate", "reduceat") and "dtype" in case and ufunc.__name__ in ("remainder", "fmod", "floor_divide")
    if not (is_complex or limits or unseen):
        case["w"] = findings.names()
    if is_loose(ufunc, arrays, result, before, case):
        case["loose"] = 1
    return case


def is_loose(ufunc, arrays, result, before, case):
    """Whether NumPy leaves the values to the machine."""
    from numpy._core._multiarray_tests import internal_overlap

    if before is not None and internal_overlap(result):
        return True
    kinds = {np.asarray(a).dtype.kind for a in arrays}
    if "dtype" in case:
        kinds.add(np.dtype(case["dtype"]).kind)
    ones = [np.ones(1, np.asarray(a).dtype) for a in arrays]
    if len(ones) == 1:
        ones *= 2
    with np.errstate(all="ignore"):
        try:
            computed = ufunc(*ones, dtype=case.get("dtype")).dtype
        except TypeError:
            computed = result.dtype
    kinds.add(computed.kind)
    narrow = before is not None and not np.can_cast(arrays[0].dtype, result.dtype, "safe")
    if narrow or (before is not None and not np.can_cast(computed, result.dtype, "safe")):
        # NumPy keeps intermediate results in the type of the output.
        return True
    if ufunc.__name__ in ("arctan2", "power") and computed.kind == "f":
        # The vector loops of NumPy 2.4 are wrong where the output is an input.
        return True
    if kinds & set("fc") and (kinds | {result.dtype.kind}) & set("iu"):
        return True
    if kinds & set("fc") and result.dtype.kind == "b":
        return True
    return ufunc.__name__ in ("arctan2", "logaddexp", "logaddexp2", "power", "hypot") and "c" in kinds


def axes_of(maker, rank):
    roll = maker.random.random()
    if roll < 0.25:
        return None
    if roll < 0.6 and rank:
        return maker.random.randint(-rank, rank - 1)
    chosen = maker.random.sample(range(rank), maker.random.randint(0, rank))
    if maker.random.random() < 0.05:
        chosen.append(maker.random.choice([0, rank, -rank - 1]))
    return tuple(axis - rank if maker.random.random() < 0.3 else axis for axis in chosen)


def kept_shape(shape, axis, keepdims):
    rank = len(shape)
    axes = range(rank) if axis is None else [axis] if isinstance(axis, int) else axis
    gone = {a % rank if rank else a for a in axes}
    return tuple(1 if i in gone else size for i, size in enumerate(shape) if keepdims or i not in gone)


def reduce(maker, ufunc):
    shape = maker.shape(5, (1, 2, 3, 4, 1, 2, 3, 5, 0) if maker.random.random() < 0.3 else (1, 2, 3, 4))
    array = array_of(maker, ufunc, shape)
    options = {"axis": axes_of(maker, len(shape))}
    if maker.random.random() < 0.3:
        options["keepdims"] = True
    if maker.random.random() < 0.15:
        options["dtype"] = np.dtype(maker.random.choice(CODES))
    out = None
    if maker.random.random() < 0.2:
        out = out_of(maker, array, kept_shape(shape, options["axis"], "keepdims" in options), True)
        options["out"] = out
    mask = drawn(maker, part_of(maker, shape), "?") if maker.random.random() < 0.2 else None
    if mask is not None:
        options["where"] = mask
    if maker.random.random() < (0.5 if mask is not None else 0.15):
        options["initial"] = maker.random.choice([None, 1, 2.0, 0, 5])
    case = {"m": "reduce", "u": ufunc.__name__, "a": written(array)}
    axis = options["axis"]
    case["axis"] = list(axis) if isinstance(axis, tuple) else axis
    case["keepdims"] = "keepdims" in options
    if "dtype" in options:
        case["dtype"] = options["dtype"].char
    if out is not None:
        case["out"] = written(out, array)
    if mask is not None:
        case["where"] = written(mask)
    if "initial" in options:
        case["initial"] = {"none": 1} if options["initial"] is None else written(options["initial"])
    return finish(ufunc, case, lambda: ufunc.reduce(array, **options), [array], out)


def along_options(maker, array, shape):
    rank = array.ndim
    options = {"axis": maker.random.randint(-rank, rank - 1) if rank and maker.random.random() < 0.95 else rank}
    if maker.random.random() < 0.15:
        options["dtype"] = np.dtype(maker.random.choice(CODES))
    if maker.random.random() < 0.2:
        # NumPy 2.4 crashes on one of another rank.
        options["out"] = out_of(maker, array, shape(options["axis"]))
    return options


def along_case(method, ufunc, array, options):
    case = {"m": method, "u": ufunc.__name__, "a": written(array), "axis": options["axis"]}
    if "dtype" in options:
        case["dtype"] = options["dtype"].char
    if "out" in options:
        case["out"] = written(options["out"], array)
    return case


def accumulate(maker, ufunc):
    array = array_of(maker, ufunc, maker.shape(4, (1, 2, 3, 4, 5, 0)))
    options = along_options(maker, array, lambda axis: array.shape)
    case = along_case("accumulate", ufunc, array, options)
    return finish(ufunc, case, lambda: ufunc.accumulate(array, **options), [array], options.get("out"))


def reduceat(maker, ufunc):
    array = array_of(maker, ufunc, maker.shape(4, (1, 2, 3, 4, 5, 6)))
    rank = array.ndim
    axis = maker.random.randint(-rank, rank - 1) if rank else 0
    size = array.shape[axis] if rank else 1
    most = size if maker.random.random() < 0.1 else size - 1
    low = -1 if maker.random.random() < 0.05 else 0
    indices = [maker.random.randint(low, max(most, low)) for _ in range(maker.random.randint(0, 5))]

    def shape(axis):
        return tuple(len(indices) if i == axis % max(rank, 1) else n for i, n in enumerate(array.shape))

    options = along_options(maker, array, shape)
    options["axis"] = axis
    if "out" in options and options["out"].shape != shape(axis):
        del options["out"]
    case = along_case("reduceat", ufunc, array, options) | {"indices": indices}
    whole = np.array(indices, np.intp)
    return finish(ufunc, case, lambda: ufunc.reduceat(array, whole, **options), [array], options.get("out"))


def outer(maker, ufunc):
    first = array_of(maker, ufunc, maker.shape(2, (1, 2, 3, 0)))
    second = array_of(maker, ufunc, maker.shape(2, (1, 2, 3)))
    case = {"m": "outer", "u": ufunc.__name__, "in": [written(first), written(second)]}
    case = finish(ufunc, case, lambda: ufunc.outer(first, second), [first, second])
    return case


def at(maker, ufunc):
    array = array_of(maker, ufunc, maker.shape(3, (1, 2, 3, 4)))
    rank = array.ndim
    items, shape = [], maker.shape(2, (1, 2, 3))
    for axis in range(maker.random.randint(0, rank)):
        size = array.shape[axis]
        bad = 1 if maker.random.random() < 0.03 else 0
        if maker.random.random() < 0.2:
            items.append(slice(None, None, maker.random.choice([1, -1, 2])))
        else:
            places = [maker.random.randint(-size - bad, size - 1 + bad) for _ in range(int(np.prod(shape)))]
            items.append(np.array(places, np.intp).reshape(shape))
    frozen = tuple(items)
    try:
        within = array[frozen].shape
    except IndexError:
        within = shape
    if maker.random.random() < 0.15:
        value = maker.random.choice([1, 2, 3, 2.0])
    else:
        value = array_of(maker, ufunc, part_of(maker, within))
    case = {"m": "at", "u": ufunc.__name__, "a": written(array), "b": written(value), "x": [index(i) for i in items]}
    result = array.copy(order="K")
    case = finish(ufunc, case, lambda: ufunc.at(result, frozen, value), [array, value], result)
    if "v" in case and not one_by_one(ufunc, array, frozen, value, within, result):
        # NumPy 2.4 is wrong where some values are broadcast.
        case["loose"] = 1
    return case


def one_by_one(ufunc, array, items, value, shape, result):
    """Whether the result is what going through the elements gives."""
    places = np.arange(array.size).reshape(array.shape)[items]
    flat = array.flatten()
    values = np.broadcast_to(np.asarray(value), shape)
    with np.errstate(all="ignore"):
        for place, other in zip(places.flat, values.flat):
            flat[place : place + 1] = ufunc(flat[place : place + 1], np.array([other])).astype(flat.dtype)
    found = [plain(flat.reshape(array.shape))["b"], plain(result)["b"]]
    return found[0] == found[1]


def index(item):
    if isinstance(item, slice):
        return {"s": [item.start, item.stop, item.step]}
    return {"a": written(item)}


if __name__ == "__main__":
    main(generate, 100000)
