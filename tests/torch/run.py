"""Runs the PyTorch text of programs on real PyTorch and compares it with the values given.

    run.py CASES.json [--loose | --both]   prints each failure, then "N passed, N failed"

--loose allows for the digits that long sums lose; --both wants chains of every dtype run both ways.

CASES.json is a list of cases:

    {"name", "python", "calls": [{"function", "args": [value], "result": value}],
     "prints": [value], "tolerance"?: {"f32": [relative, absolute], "f64": …}}

A value is {"dtype", "shape", "data"} for a tensor, its elements flat in row-major order;
{"value"} for a host number, bool or text; {"tuple": [value]}; or {"error": message} where
running must fail. NaN and infinities are the strings "NaN", "Infinity" and "-Infinity".
Arguments also have a "name". "prints" are the values that the script shows and, as {"text"},
the lines that it prints, which aren't compared; a case without it doesn't run its script.
A case with "only_text" isn't run: style.py reads it, and "source", the program of the text.
"""

import builtins
import inspect
import json
import math
import sys
import traceback
import types
import warnings

import torch

DTYPES = {
    "bool": torch.bool,
    "u8": torch.uint8,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
TOLERANCE = {
    "f16": (2e-3, 1e-3),
    "bf16": (1.6e-2, 1e-2),
    "f32": (1e-5, 1e-6),
    "f64": (1e-12, 1e-12),
}


def number(item):
    return SPECIAL.get(item, item) if isinstance(item, str) else item


def to_python(value):
    """A value of the file as PyTorch has it."""
    if "tuple" in value:
        return tuple(to_python(part) for part in value["tuple"])
    if "value" in value:
        plain = value["value"]
        return number(plain) if value.get("float") else plain
    data = [number(item) for item in value["data"]]
    flat = torch.tensor(data, dtype=DTYPES[value["dtype"]])
    return flat.reshape(value["shape"])


def close(got, want, tolerance):
    relative, absolute = tolerance
    if math.isnan(got) or math.isnan(want):
        return math.isnan(got) and math.isnan(want)
    if math.isinf(got) or math.isinf(want):
        return got == want
    return abs(got - want) <= absolute + relative * abs(want)


def difference(got, want, tolerances):
    """What is different, in words; None if both are the same value."""
    if "tuple" in want:
        if not isinstance(got, tuple) or len(got) != len(want["tuple"]):
            return f"not a tuple of {len(want['tuple'])}: {got!r}"
        for part, wanted in zip(got, want["tuple"]):
            found = difference(part, wanted, tolerances)
            if found:
                return found
        return None
    if "value" in want:
        wanted = to_python(want)
        if isinstance(got, float) and isinstance(wanted, float):
            return (
                None
                if close(got, wanted, tolerances["f64"])
                else f"{got!r}, not {wanted!r}"
            )
        same = type(got) is type(wanted) and got == wanted
        return None if same else f"{got!r}, not {wanted!r}"
    if not isinstance(got, torch.Tensor):
        return f"not a tensor: {got!r}"
    if NAMES[got.dtype] != want["dtype"]:
        return f"dtype {NAMES[got.dtype]}, not {want['dtype']}"
    if list(got.shape) != want["shape"]:
        return f"shape {list(got.shape)}, not {want['shape']}"
    wanted = [number(item) for item in want["data"]]
    items = got.detach().reshape(-1).tolist()
    for at, (item, goal) in enumerate(zip(items, wanted)):
        if want["dtype"] in tolerances:
            same = close(float(item), float(goal), tolerances[want["dtype"]])
        else:
            same = item == goal
        if not same:
            return f"element {at} is {item!r}, not {goal!r}"
    return None


class Module:
    """The module of a case, with what its script prints."""

    def __init__(self, case):
        self.printed = []
        self.globals = {"__name__": "generated", "__builtins__": vars(builtins).copy()}
        self.globals["__builtins__"]["print"] = self.print
        code = compile(case["python"], case["name"], "exec")
        exec(code, self.globals)

    def print(self, *values):
        self.printed.append(as_printed(values))

    def call(self, name, args):
        renamed = self.globals.get(f"{name}_")
        is_own = isinstance(renamed, types.FunctionType)
        function = renamed if is_own else self.globals[name]
        wants_mode = "training" in inspect.signature(function).parameters
        mode = {"training": False} if wants_mode else {}
        return function(*[to_python(arg) for arg in args], **mode)


def outcomes(case):
    """What each call and print of a case gives: its label, its result or error, what is wanted."""
    try:
        module = Module(case)
    except Exception:
        yield "the module", None, traceback.format_exc(limit=-2), {}
        return
    for call in case.get("calls", []):
        sizes = ", ".join(
            f"{arg.get('name')}: {arg.get('shape', arg.get('value'))}"
            for arg in call["args"]
        )
        label = f"{call['function']}({sizes})"
        try:
            yield label, module.call(call["function"], call["args"]), None, call["result"]
        except Exception:
            yield label, None, traceback.format_exc(limit=-2), call["result"]
    if "prints" in case and "main" in module.globals:
        yield from printed(case, module)


def printed(case, module):
    wanted = case["prints"]
    module.printed.clear()
    error = None
    try:
        module.globals["main"]()
    except Exception:
        error = traceback.format_exc(limit=-2)
    if isinstance(wanted, dict):
        yield "main()", None, error, wanted
        return
    if error:
        yield "main()", None, error, {}
        return
    shown = shown_values(module.printed, wanted)
    if len(shown) != len(wanted):
        error = f"{len(shown)} values shown, not {len(wanted)}"
        yield "main()", None, error, {}
        return
    for at, (got, want) in enumerate(zip(shown, wanted)):
        if "text" not in want:
            yield f"value {at + 1}", got, None, want


def as_printed(value):
    """A value that later changes in place leave as it was printed."""
    if isinstance(value, tuple):
        return tuple(as_printed(part) for part in value)
    return value.clone() if isinstance(value, torch.Tensor) else value


def shown_values(calls, wanted):
    """The values of print calls, one for each that is wanted: a shown tuple gives its parts."""
    values = []
    for call in calls:
        at = len(values)
        is_line = at < len(wanted) and "text" in wanted[at]
        if is_line or len(call) != 1 or not isinstance(call[0], tuple):
            values.append(call[0] if len(call) == 1 else call)
        else:
            values.extend(call[0])
    return values


def compare(cases):
    passed, failed = 0, 0
    for case in cases:
        if case.get("only_text"):
            continue
        tolerances = {**TOLERANCE, **case.get("tolerance", {})}
        for label, got, error, want in outcomes(case):
            if want is not None and "error" in want:
                found = None if error else f"{got!r}, not an error: {want['error']}"
            else:
                found = error or difference(got, want, tolerances)
            if found is None:
                passed += 1
                continue
            failed += 1
            print(f"{case['name']}: {label}: {found}")
            print(f"  got  {got!r}\n  want {want!r}")
            print("".join(f"  | {line}\n" for line in case["python"].splitlines()))
    print(f"{passed} passed, {failed} failed")
    return failed == 0


def without_vmap(cases):
    """The dtypes of which no plain chain was given to torch.vmap too."""
    forced = [case for case in cases if case["name"].endswith("(vmapped)")]
    values = [arg for case in forced for call in case["calls"] for arg in call["args"]]
    return sorted(set(DTYPES) - {value.get("dtype") for value in values})


def main(argv):
    if argv[1:] == ["--loose"]:
        # Drawn programs have differences of nearly equal numbers by accident, and variances of one.
        warnings.filterwarnings("ignore", message=".*degrees of freedom")
        TOLERANCE.update(f32=(2e-4, 5e-5), f16=(5e-3, 8e-3), bf16=(3e-2, 6e-2))
        argv = argv[:1]
    if len(argv) != 1 and argv[1:] != ["--both"]:
        print(__doc__.strip().split("\n\n")[1])
        return 2
    torch.set_num_threads(1)
    with open(argv[0], encoding="utf-8") as file:
        cases = json.load(file)
    agree = compare(cases)
    if argv[1:] == ["--both"] and (lacking := without_vmap(cases)):
        print(f"no chain of {', '.join(lacking)} was run both ways")
        return 1
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
