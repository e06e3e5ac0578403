"""Checks that the PyTorch text of programs reads well: black and ruff find nothing, and it isn't
much longer than its program.

    style.py CASES.json        CASES.json as run.py reads it; prints the figures, and what fails

Ruff's own choice of rules holds, and all of E, F, I and W. What the program itself says isn't the
text's to change: a variable that nothing reads (or only a picture, which is a comment in PyTorch),
a name like l, a comparison of two numbers, a `pass` too many. But the size of an axis, which the
program doesn't bind, must be read. A lambda in a loop is called where it stands, by torch.vmap.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

RULES = ["--extend-select", "E,F,I,W"]
THE_PROGRAM_S_OWN = "F841,RUF059,E741,PLR0133,SIM201,PIE790"
UNREAD = ("F841", "RUF059")
AT_ONCE = "B023"

# The longest texts that are allowed, in lines per line of the program: of all lines that aren't
# empty ("lines"), and of those that aren't imports or the line above them ("body"). They are sums
# over the programs of a folder with at least ten lines. "most" is the longest body of one program,
# and "longer" how many have more than LONG lines of it a line: those of functions of one line,
# which are three in Python with their signatures as docstrings, and of value checks, which are two.
# The suites of single operations, which are among all, have little else.
SHORTEST = 10
LONG = 1.6
LIMITS = {
    "www/gallery": {"lines": 1.65, "body": 1.5, "most": 1.9, "longer": 9},
    "www/reference": {"lines": 1.95, "body": 1.74, "most": 2.45, "longer": 5},
    "tests/suite/programs": {"lines": 1.67, "body": 1.48, "most": 2.65, "longer": 5},
    "": {"lines": 1.94, "body": 1.78},
}
FRAME = re.compile(r"# Written by Strand|import |from \S+ import ")
# What a case says to its runner.
EXPECTATION = re.compile(r"\s*# (next )?(error|warning|hint|type|lowering|run error|inlay)\b")


def own_tool(name):
    """The tool that is installed beside this Python."""
    return str(pathlib.Path(sys.executable).parent / name)


def is_size(finding):
    """Whether a variable that isn't read is the size of an axis."""
    lines = pathlib.Path(finding["filename"]).read_text(encoding="utf-8").splitlines()
    return ".shape" in lines[finding["location"]["row"] - 1]


def style_findings(cases):
    """What black and ruff find, each in a line or several."""
    with tempfile.TemporaryDirectory() as folder:
        names = {}
        for at, case in enumerate(cases):
            path = pathlib.Path(folder, f"case_{at:04}.py")
            path.write_text(case["python"], encoding="utf-8")
            names[str(path)] = case["name"]
        black = [own_tool("black"), "--check", "--diff", "--quiet", folder]
        found = subprocess.run(black, capture_output=True, text=True, check=False)
        if found.returncode:
            yield found.stdout + found.stderr
        ruff = [own_tool("ruff"), "check", "--isolated", "--no-cache", *RULES]
        ruff += ["--ignore", AT_ONCE, "--output-format", "json", folder]
        found = subprocess.run(ruff, capture_output=True, text=True, check=False)
        if found.returncode not in (0, 1):
            yield found.stdout + found.stderr
            return
        for finding in json.loads(found.stdout):
            code = finding["code"]
            own = code in THE_PROGRAM_S_OWN.split(",")
            if not own or (code in UNREAD and is_size(finding)):
                name = names[str(pathlib.Path(finding["filename"]).resolve())]
                row = finding["location"]["row"]
                yield f"{name}: line {row}: {code} {finding['message']}"


def module_findings():
    """What the writer's list of Python's own modules has that Python doesn't, or out of order."""
    writer = pathlib.Path(__file__).parents[2] / "crates/strand_torch/src/imports.rs"
    text = writer.read_text(encoding="utf-8")
    listed = re.search(r"const STANDARD: &\[&str\] = &\[(.*?)\];", text, re.DOTALL)
    names = re.findall(r'"(\w+)"', listed[1]) if listed else []
    if not names or names != sorted(set(names)):
        yield f"{writer.name}: STANDARD isn't a sorted list of modules"
    for name in names:
        if name not in sys.stdlib_module_names:
            yield f"{writer.name}: {name} is no module of Python's own"


def lines_of(text):
    return [line for line in text.splitlines() if line.strip()]


def lengths(cases):
    """For each program its name and the lines of it, of its text, and of the text's body."""
    seen = set()
    for case in cases:
        source = case.get("source")
        if source is None or source in seen:
            continue
        seen.add(source)
        program = [line for line in lines_of(source) if not EXPECTATION.match(line)]
        text = lines_of(case["python"])
        body = [line for line in text if not FRAME.match(line)]
        if len(program) >= SHORTEST:
            yield case["name"], len(program), len(text), len(body)


def length_findings(cases):
    """What is longer than it may be; prints the figures."""
    measured = list(lengths(cases))
    for folder, limits in LIMITS.items():
        chosen = [row for row in measured if row[0].startswith(folder)]
        if not chosen:
            yield f"{folder}: no program of {SHORTEST} lines"
            continue
        program, text, body = (sum(row[at] for row in chosen) for at in (1, 2, 3))
        longer = sum(row[3] > LONG * row[1] for row in chosen)
        print(
            f"{folder or 'all'}: {len(chosen)} programs, {text / program:.2f} lines a line, "
            f"{body / program:.2f} without imports, {longer} of them more than {LONG}"
        )
        if longer > limits.get("longer", longer):
            yield f"{folder}: {longer} programs have more than {LONG} lines a line"
        for what, ratio in (("lines", text / program), ("body", body / program)):
            if ratio > limits[what]:
                yield f"{folder or 'all'}: {what}: {ratio:.3f}, more than {limits[what]}"
        for name, program, _, body in chosen:
            if body > limits.get("most", body) * program:
                yield f"{name}: {body} lines for {program}, more than {limits['most']} each"


def main(argv):
    if len(argv) != 1:
        print(__doc__.strip().split("\n\n")[1])
        return 2
    with open(argv[0], encoding="utf-8") as file:
        cases = json.load(file)
    findings = [*style_findings(cases), *module_findings(), *length_findings(cases)]
    for finding in findings:
        print(finding)
    print(f"{len(cases)} texts, {len(findings)} findings")
    return 1 if findings or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
