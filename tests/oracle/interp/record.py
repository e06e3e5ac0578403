"""Records what PyTorch gives for the programs in cases/, for crates/strand_interp/tests/oracle.rs.

A case is a Strand script and the same computation written by hand in PyTorch. `show(x)` stands for
an expression on its own in the script, `say(x, …)` for print. Run with a Python that has torch:

    python tests/oracle/interp/record.py
"""

import importlib.util
import json
import math
import pathlib

import torch

HERE = pathlib.Path(__file__).parent


def number(value):
    """A number that JSON can hold."""
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
    return value


def plain(value):
    """A shown value as plain data."""
    if isinstance(value, torch.Tensor):
        return {
            "dtype": str(value.dtype).removeprefix("torch."),
            "shape": list(value.shape),
            "data": [number(v) for v in value.reshape(-1).tolist()],
        }
    kind = type(value).__name__
    return {"dtype": f"host {kind}", "shape": [], "data": [number(value)]}


def said(value):
    """A printed value: tensors in tolist() form."""
    return str(value.tolist() if isinstance(value, torch.Tensor) else value)


def seeded(seed):
    """A generator with a seed, as each draw of Strand has its own."""
    return torch.Generator().manual_seed(seed)


def run(code):
    """Runs the PyTorch side of a case."""
    shown, printed = [], []
    scope = {
        "torch": torch,
        "math": math,
        "F": torch.nn.functional,
        "seeded": seeded,
        "show": lambda value: shown.append(plain(value)),
        "say": lambda *values: printed.append(" ".join(said(v) for v in values)),
    }
    exec(code, scope)  # noqa: S102 - the cases of this folder
    return {"shown": shown, "printed": printed}


def main():
    table = []
    for path in sorted((HERE / "cases").glob("*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, strand, code in module.CASES:
            try:
                found = run(code)
            except Exception as error:
                raise SystemExit(f"{path.name}: {name}: {error!r}") from error
            table.append({"name": f"{path.stem}: {name}", "strand": strand, **found})
    lines = ",\n".join(json.dumps(case) for case in table)
    header = json.dumps({"torch": torch.__version__})
    (HERE / "values.json").write_text(f'{{"recorded": {header}, "cases": [\n{lines}\n]}}\n')
    print(f"{len(table)} cases")


if __name__ == "__main__":
    main()
