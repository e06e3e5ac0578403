"""Runs the PyTorch programs that stand beside the shape bugs, which say where PyTorch says nothing.

    silent.py FILE.md ...              prints each failure, then "N passed, N failed"

A program is a fence whose info is `python torch`. It begins with comments that name sizes:

    # runs: n=4 D=4                    with these it runs without an exception or a warning
    # fails: n=5 D=4                   with these it raises

What the drawn diagnostics of the same case claim is held against it: "says nothing" needs sizes for
which it runs, "PyTorch fails" sizes for which it doesn't.
"""

import re
import sys
import warnings

import torch

FENCE = "python torch"
SIZES = re.compile(r"# (runs|fails): (.+)")
CLAIMS = (
    ("runs", re.compile(r"says nothing|PyTorch (runs|joins)")),
    ("fails", re.compile(r"PyTorch fails")),
)


class Case:
    """A Strand program of a Markdown file, with the fences below it."""

    def __init__(self, name, line):
        self.name = name
        self.line = line
        self.torch = None
        self.diagnostics = ""


def cases(markdown):
    """The cases of a file, in order."""
    found, heading, fence, content = [], "", None, []
    for number, line in enumerate(markdown.splitlines(), 1):
        if fence is None:
            if line.startswith("#"):
                heading = line.lstrip("#").strip()
            elif line.startswith("```"):
                fence, content = line[3:].strip(), []
                if fence == "strand" or fence.startswith("strand error"):
                    found.append(Case(heading, number))
        elif line.startswith("```"):
            text = "".join(content)
            if fence == FENCE and found:
                found[-1].torch = text
            elif fence == "diagnostics" and found:
                found[-1].diagnostics = text
            fence = None
        else:
            content.append(line + "\n")
    return found


def raised(program, sizes):
    """What the program raises or warns of for these sizes; None if nothing."""
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            exec(compile(program, FENCE, "exec"), {"torch": torch, **sizes})
        except Exception as problem:  # pylint: disable=broad-exception-caught
            return problem
    return None


def faults(case):
    """Where a case isn't as it says."""
    wanted = SIZES.findall(case.torch or "")
    for kind, claim in CLAIMS:
        said = claim.search(" ".join(case.diagnostics.split()))
        if said and kind not in [found for found, _ in wanted]:
            yield f'it says "{said[0]}", and no `# {kind}:` shows it'
    if case.torch is not None and not wanted:
        yield "its program names no sizes"
    for kind, text in wanted:
        sizes = {name: int(size) for name, size in (pair.split("=") for pair in text.split())}
        problem = raised(case.torch, sizes)
        if kind == "runs" and problem is not None:
            yield f"with {text} it raises {type(problem).__name__}: {problem}"
        elif kind == "fails" and problem is None:
            yield f"with {text} it raises nothing"
        elif kind == "fails" and isinstance(problem, (AssertionError, NameError, SyntaxError)):
            yield f"with {text} it raises {type(problem).__name__}: {problem}"


def main(paths):
    passed = failed = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found = cases(file.read())
        for case in found:
            wrong = list(faults(case))
            for fault in wrong:
                print(f"{path}:{case.line}: {case.name}: {fault}")
            if case.torch is None and not wrong:
                continue
            passed += not wrong
            failed += bool(wrong)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
