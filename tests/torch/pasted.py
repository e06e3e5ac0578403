"""Runs PyTorch text just as it was copied from the page, and compares what it prints.

    pasted.py CASES.json               prints each failure, then "N passed, N failed"

CASES.json is a list of cases {"name", "python", "prints": [value]}: a value is
{"shape", "data"} for a tensor, its elements flat in row-major order.
"""

import builtins
import json
import sys
import traceback

import torch


def printed(text):
    """What the text prints, as values. The script behind its name guard doesn't run."""
    values = []
    namespace = {"__name__": "pasted", "print": lambda *given: values.extend(given)}
    exec(compile(text, "pasted", "exec"), namespace)
    return values


def fault(got, expected):
    if not isinstance(got, torch.Tensor):
        return f"printed {got!r}"
    if list(got.shape) != expected["shape"]:
        return f"printed the shape {list(got.shape)}, expected {expected['shape']}"
    found = got.detach().double().flatten()
    wanted = torch.tensor(expected["data"], dtype=torch.float64)
    close = torch.isclose(found, wanted, rtol=1e-4, atol=1e-5, equal_nan=True)
    if close.all():
        return None
    at = int((~close).nonzero()[0])
    return f"element {at} is {found[at].item()}, expected {wanted[at].item()}"


def check(case):
    values = printed(case["python"])
    if len(values) != len(case["prints"]):
        return f"printed {len(values)} values, expected {len(case['prints'])}"
    faults = (fault(*pair) for pair in zip(values, case["prints"]))
    return next((found for found in faults if found is not None), None)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = json.load(file)
    failed = 0
    for case in cases:
        try:
            found = check(case)
        except Exception:
            found = traceback.format_exc()
        if found is not None:
            failed += 1
            builtins.print(f"{case['name']}: {found}\n{case['python']}")
    builtins.print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
