"""Rows 17 to 20: calls of ufuncs with out, where, dtype, signature, casting and order; overlapping operands.

Outputs that are new and masked are 0 where the mask is false.
"""

import warnings

import numpy as np
from common import main
from numpy._core._multiarray_tests import internal_overlap
from ufuncs import CODES, Findings, described, drawn, host_number, loops, part_of, swapped, tangled, ufuncs, written

COMPARISONS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]


def generate(maker, count):
    warnings.simplefilter("ignore")
    every = list(ufuncs())
    for number in range(count):
        # Every eighth case has all its operands off their grid and in the other byte order.
        maker.odd = number % 8 == 7
        found = case(maker, every[number % len(every)])
        # NumPy 2.4 loses the error of some negative powers.
        if found.get("e") != "SystemError":
            yield found


def inputs_of(maker, ufunc, shape):
    pick = maker.random.choice
    types = pick(loops(ufunc))
    codes = types[: ufunc.nin] if maker.random.random() < 0.7 else [pick(CODES) for _ in range(ufunc.nin)]
    found = []
    for code in codes:
        if maker.random.random() < 0.12:
            found.append(host_number(maker))
        else:
            found.append(drawn(maker, part_of(maker, shape), swapped(maker, code)))
    return found, types


def outputs_of(maker, ufunc, types, shape, inputs):
    pick = maker.random.choice
    outs = []
    for k in range(ufunc.nout):
        if maker.random.random() < 0.6:
            outs.append(None)
            continue
        code = types[ufunc.nin + 2 + k] if maker.random.random() < 0.6 else pick(CODES)
        dtype = swapped(maker, code)
        out = None
        arrays = [a for a in inputs if isinstance(a, np.ndarray)]
        if arrays and maker.random.random() < 0.3:
            out = arrays[0] if maker.random.random() < 0.3 else tangled(maker, arrays[0], shape, dtype)
        if out is None:
            bad = maker.random.random() < 0.06
            out = drawn(maker, shape[1:] if bad else shape, dtype)
        outs.append(out)
    return outs


def options_of(maker, ufunc, types, shape):
    pick = maker.random.choice
    options = {}
    if maker.random.random() < 0.2:
        code = pick("?????bd") if maker.random.random() < 0.3 else "?"
        options["where"] = drawn(maker, part_of(maker, shape), code)
    roll = maker.random.random()
    if roll < 0.08:
        options["dtype"] = np.dtype(pick(CODES))
    elif roll < 0.12:
        options["dtype"] = np.dtype(types[-1])
    elif roll < 0.2:
        options["signature"] = pick([types for types in loops(ufunc) if "lL" not in types and "Ll" not in types])
    if maker.random.random() < 0.2:
        options["casting"] = pick(["no", "equiv", "safe", "same_kind", "unsafe"])
    if maker.random.random() < 0.25:
        options["order"] = pick("KACF")
    return options


def case(maker, ufunc):
    shape = maker.shape(4, (1, 2, 3, 4, 5, 1, 2, 3, 0))
    inputs, types = inputs_of(maker, ufunc, shape)
    outs = outputs_of(maker, ufunc, types, shape, inputs)
    options = options_of(maker, ufunc, types, shape)
    if ufunc.__name__ in COMPARISONS and any(isinstance(a, int) for a in inputs):
        # NumPy 2.4 crashes on a masked comparison with an integer outside the array's type.
        options.pop("where", None)
    if options or any(out is not None for out in outs):
        # Which of several errors is raised first isn't compared.
        inputs = [maker.random.choice([1, 2, 3]) if type(a) is int else a for a in inputs]
    if "dtype" in options or "signature" in options:
        inputs = [1 if isinstance(a, (float, complex)) else a for a in inputs]
    if any(not isinstance(a, np.ndarray) for a in inputs) and options.get("casting") in ("no", "equiv"):
        del options["casting"]
    if ufunc.__name__ == "ldexp" and not all(isinstance(a, np.ndarray) for a in inputs):
        options.pop("dtype", None)
        options.pop("signature", None)
    beside = next((a for a in inputs if isinstance(a, np.ndarray)), None)
    found = {
        "u": ufunc.__name__,
        "in": [written(a, beside) for a in inputs],
        "out": [None if a is None else written(a, beside) for a in outs],
    }
    for name, value in options.items():
        if name == "where":
            value = written(value)
        elif name == "dtype":
            value = value.char
        found[name] = value
    return found | result_of(ufunc, inputs, outs, options)


def result_of(ufunc, inputs, outs, options):
    findings = Findings()
    arrays = [np.asarray(a) for a in inputs]
    asked = options["dtype"].char if "dtype" in options else options.get("signature", "")
    is_complex = any(a.dtype.kind == "c" for a in arrays) or bool(set(asked) & set("FD"))
    complex_limits = is_complex and not all(np.isfinite(a).all() for a in arrays)
    tested = tests(ufunc, arrays[0])
    before = [None if a is None else a.tobytes() for a in outs]
    try:
        with findings:
            results = ufunc(*inputs, out=tuple(outs), **options)
    except TypeError:
        return {"e": "TypeError"}
    except Exception as error:  # noqa: BLE001 (every class of NumPy's is a result)
        return {"e": type(error).__name__, "same": before == [None if a is None else a.tobytes() for a in outs]}
    results = results if isinstance(results, tuple) else (results,)
    written_down = []
    for result, out in zip(results, outs):
        if out is None and "where" in options:
            mask = np.broadcast_to(options["where"], np.shape(result))
            if isinstance(result, np.ndarray):
                result[~mask] = 0
            elif not mask:
                result = result.dtype.type(0)
        written_down.append(described(result, out is None))
    found = {"v": written_down, "w": findings.names()}
    if tested is not None and not np.array_equal(np.broadcast_to(tested, results[0].shape), results[0] != 0):
        # NumPy 2.4 is wrong on some broadcast operands.
        found["loose"] = 1
    if ufunc.__name__ == "power" and arrays[0].dtype.kind == "f" and np.isneginf(arrays[0]).any():
        # With one exponent for a whole loop, ½ means a square root, which has no value there.
        found["loose"] = 1
    if is_loose(ufunc, inputs, outs, results, options, findings):
        found["loose"] = 1
    if ufunc.__name__ in ("power", "float_power") and results[0].dtype.kind == "c":
        found["ulps"] = ulps_of_power(*arrays)
    stale = "where" in options and any(out is not None for out in outs)
    endless = "power" in ufunc.__name__ and any(a.dtype.kind == "f" and np.isinf(a).any() for a in arrays)
    if ufunc.__name__ in COMPARISONS or complex_limits or stale or endless or ufunc.__name__ == "expm1":
        # 0 to an infinite power is found or not as the library has it.
        # A masked output passes through the buffer with its old values.
        # Parts of complex numbers that aren't finite are found or not as the compiler has it. Its strided loops raise invalid for NaN, the contiguous ones don't.
        del found["w"]
    return found


def ulps_of_power(base, exponent):
    """What a complex power may be off by: the C library multiplies a rounded logarithm by the exponent."""
    with np.errstate(all="ignore"):
        product = np.abs(exponent * np.log(base.astype(complex)))
    return round(2 * float(np.max(product, initial=0, where=np.isfinite(product))))


def tests(ufunc, array):
    """What a predicate gives for each element alone."""
    if ufunc.__name__ not in ("signbit", "isinf", "isnan", "isfinite") or (array.dtype.kind == "c" and ufunc is np.signbit):
        return None
    flat = np.array([ufunc(array.dtype.type(x)) for x in array.flat], bool)
    return flat.reshape(array.shape)


def shares(a, b):
    return isinstance(b, np.ndarray) and np.may_share_memory(a, b)


def mixes_kinds(ufunc, inputs, outs, options):
    """Whether floats may be cast to integers, also those that the loop computes from integers."""
    asked = str(options.get("signature", "")) + options["dtype"].char if "dtype" in options else options.get("signature", "")
    given = [np.asarray(a).dtype for a in inputs]
    try:
        computed = ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))
    except TypeError:
        # A loop that only the signature names.
        computed = ()
    kinds = {a.kind for a in [*given, *computed]} | {a.dtype.kind for a in outs} | {np.dtype(c).kind for c in asked if c in CODES}
    return bool(kinds & set("fc")) and bool(kinds & set("iub"))


def is_loose(ufunc, inputs, outs, results, options, findings):
    """Whether NumPy leaves the values to the machine: outputs that lie on themselves or each other, floats
    outside the range of the integers that they are cast to, the reciprocal of an integer 0."""
    given = [out for out in outs if out is not None]
    if any(internal_overlap(out) for out in given):
        return True
    if "where" in options and any(shares(out, a) for out in given for a in inputs):
        # NumPy 2.4 writes to such an output also where the mask is false.
        return True
    if len(given) == 2 and np.shares_memory(*given):
        return True
    if options.get("casting") == "unsafe" and mixes_kinds(ufunc, inputs, given, options):
        return True
    whole = all(np.asarray(a).dtype.kind in "iub" for a in inputs)
    return ufunc.__name__ == "reciprocal" and "divide by zero" in findings.names() and whole


if __name__ == "__main__":
    main(generate, 20000)
